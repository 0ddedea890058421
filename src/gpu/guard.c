/* guard.c - guards of static variables for the object that CUDA's device runtime puts into programs (cmake/nvcc.cmake),
 * in place of libstdc++'s: the library then needs no C++ library at run time. What they guard are constants of kernels
 * that no host code launches; the first byte says whether they are made. */
#include "core/base.h"

int nf__guard_acquire(int64_t *guard);
void nf__guard_release(int64_t *guard);

int nf__guard_acquire(int64_t *guard)
{
    return __atomic_load_n((char *)guard, __ATOMIC_ACQUIRE) == 0;
}

void nf__guard_release(int64_t *guard)
{
    __atomic_store_n((char *)guard, (char)1, __ATOMIC_RELEASE);
}
