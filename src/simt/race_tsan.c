/* race_tsan.c - the calls that g++ -fsanitize=thread puts before each access to memory, answered by our own runtime
 * instead of ThreadSanitizer's; and the source lines of a race, for its report.
 *
 * Only kernels are instrumented. Accesses from host code, and to memory that is not the device's, pass unseen.
 */
#define _GNU_SOURCE
#include "simt/race_impl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

#define ONE(name, size, writes, is_volatile)                   \
    void name(void *p);                                        \
    void name(void *p)                                         \
    {                                                          \
        nf__race_access(p, size, writes, is_volatile, CALLER); \
    }
#define BOTH(kind, size, is_volatile)                        \
    ONE(__tsan_##kind##read##size, size, false, is_volatile) \
    ONE(__tsan_##kind##write##size, size, true, is_volatile)
#define SIZES(kind, is_volatile) \
    BOTH(kind, 1, is_volatile)   \
    BOTH(kind, 2, is_volatile)   \
    BOTH(kind, 4, is_volatile)   \
    BOTH(kind, 8, is_volatile)   \
    BOTH(kind, 16, is_volatile)

SIZES(, false)
SIZES(unaligned_, false)
SIZES(volatile_, true)
SIZES(unaligned_volatile_, true)

void __tsan_read_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size);
void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_vptr_update(void **to, void *value);
void __tsan_vptr_read(void **from);

void __tsan_read_range(void *p, size_t size)
{
    nf__race_access(p, size, false, false, CALLER);
}

void __tsan_write_range(void *p, size_t size)
{
    nf__race_access(p, size, true, false, CALLER);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_vptr_update(void **to, void *value)
{
    (void)to, (void)value;
}

void __tsan_vptr_read(void **from)
{
    (void)from;
}

/* ---- the compiler's atomics: host code only; kernels have CUDA's ------------------------------------------------- */

#define FETCH(bits, T, op)                                                 \
    T __tsan_atomic##bits##_fetch_##op(volatile T *p, T value, int order); \
    T __tsan_atomic##bits##_fetch_##op(volatile T *p, T value, int order)  \
    {                                                                      \
        (void)order;                                                       \
        return __atomic_fetch_##op(p, value, __ATOMIC_SEQ_CST);            \
    }
#define COMPARE(bits, T, strength, weak)                                                                               \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile T *p, T *expected, T desired, int order,            \
                                                          int other);                                                  \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile T *p, T *expected, T desired, int order, int other) \
    {                                                                                                                  \
        (void)order, (void)other;                                                                                      \
        return __atomic_compare_exchange_n(p, expected, desired, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
    }
#define ATOMICS(bits, T)                                                 \
    T __tsan_atomic##bits##_load(const volatile T *p, int order);        \
    T __tsan_atomic##bits##_load(const volatile T *p, int order)         \
    {                                                                    \
        (void)order;                                                     \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                     \
    }                                                                    \
    void __tsan_atomic##bits##_store(volatile T *p, T value, int order); \
    void __tsan_atomic##bits##_store(volatile T *p, T value, int order)  \
    {                                                                    \
        (void)order;                                                     \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                    \
    }                                                                    \
    T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order); \
    T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order)  \
    {                                                                    \
        (void)order;                                                     \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);          \
    }                                                                    \
    FETCH(bits, T, add)                                                  \
    FETCH(bits, T, sub)                                                  \
    FETCH(bits, T, and)                                                  \
    FETCH(bits, T, or)                                                   \
    FETCH(bits, T, xor)                                                  \
    COMPARE(bits, T, strong, 0)                                          \
    COMPARE(bits, T, weak, 1)

ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* ---- source lines ------------------------------------------------------------------------------------------------ */

/* Appends " what: FILE:LINE" of the instruction before pc, by the binutils' addr2line where that is installed. */
static void explain_one(nf__emu *dev, const char *what, uint64_t pc)
{
    Dl_info module;
    char file[256], command[512], line[256] = "";
    const size_t used = strlen(dev->text);
    if (pc == 0 || dladdr((const void *)(uintptr_t)pc, &module) == 0)
        return;
    const uint64_t offset = pc - 1 - (uint64_t)(uintptr_t)module.dli_fbase;
    const ssize_t length = readlink("/proc/self/exe", file, sizeof file - 1);
    file[length > 0 ? length : 0] = '\0';
    if (strchr(module.dli_fname, '/') != NULL)
        (void)snprintf(file, sizeof file, "%s", module.dli_fname);
    (void)snprintf(command, sizeof command, "addr2line -e '%s' 0x%llx 2>/dev/null", file, (unsigned long long)offset);
    FILE *pipe = popen(command, "r");
    if (pipe != NULL) {
        if (fgets(line, sizeof line, pipe) == NULL)
            line[0] = '\0';
        (void)pclose(pipe);
    }
    line[strcspn(line, " \n")] = '\0';
    if (line[0] != '\0' && line[0] != '?')
        (void)snprintf(dev->text + used, sizeof dev->text - used, "; %s: %s", what, nf__emu_short_path(line));
    else
        (void)snprintf(dev->text + used, sizeof dev->text - used, "; %s: %s+0x%llx", what, file,
                       (unsigned long long)offset);
}

void nf__race_explain(nf__emu *dev)
{
    explain_one(dev, "this access", dev->race->this_pc);
    explain_one(dev, "the other", dev->race->other_pc);
    dev->race->this_pc = dev->race->other_pc = 0;
}
