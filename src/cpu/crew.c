/* crew.c - threads that stand by for many short pieces of work; see crew.h. */
#include "cpu/crew.h"

#include <omp.h>
#include <sched.h>

#define SPINS 4096 /* looks at the door before a helper offers its place to others: about as long as a short level */

static inline void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void help(nf__crew *crew)
{
    uint64_t last = 0;
    for (int idle = 0; __atomic_load_n(&crew->quit, __ATOMIC_ACQUIRE) == 0;) {
        const uint64_t door = __atomic_load_n(&crew->door, __ATOMIC_RELAXED);
        if (door == 0 || door == last) {
            rest();
            if (++idle > SPINS)
                sched_yield();
            continue;
        }
        __atomic_fetch_add(&crew->inside, 1, __ATOMIC_SEQ_CST);
        last = __atomic_load_n(&crew->door, __ATOMIC_SEQ_CST); /* C1 */
        if (last != 0)
            crew->work(crew->arg, false);
        __atomic_fetch_sub(&crew->inside, 1, __ATOMIC_RELEASE);
        idle = 0;
    }
}

void nf__crew_share(nf__crew *crew, nf__crew_work work, void *arg)
{
    crew->work = work; /* C2 */
    crew->arg = arg;
    __atomic_store_n(&crew->door, ++crew->pieces, __ATOMIC_SEQ_CST);
    work(arg, true);
    __atomic_store_n(&crew->door, 0, __ATOMIC_SEQ_CST);
    for (int idle = 0; __atomic_load_n(&crew->inside, __ATOMIC_SEQ_CST) != 0;) {
        rest();
        if (++idle > SPINS)
            sched_yield();
    }
}

void nf__crew_run(int threads, void (*master)(nf__crew *crew, void *arg), void *arg)
{
    nf__crew crew = {.door = 0};
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() != 0)
            help(&crew);
        else {
            master(&crew, arg);
            __atomic_store_n(&crew.quit, 1, __ATOMIC_RELEASE);
        }
    }
}
