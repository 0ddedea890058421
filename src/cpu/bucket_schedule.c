/* bucket_schedule.c - which level of a bucket heap resolves when, and by whom.
 *
 * Berney, Iacono, Karsin and Sitchinava, Theorem 1 and Figure 2: with Res_i(k) for the k-th RESOLVE(i),
 *   Res_(i-1)(4 k)  ->  Res_i(k)  ->  Res_(i-1)(4 k + 1)
 * and nothing else is waited for. Level i counts what it has done; any thread that finds a level whose neighbours have
 * counted far enough may take it. The thread that owns the heap runs level 0 and helps where it would have to wait.
 * Invariants
 *   T1 Res_i(k) runs once, between the two above: so neighbours never run at the same time, and levels two apart may;
 *   T2 RESOLVE(i) reads and writes levels i and i + 1 only, after it has seen (acquire) the counts of both neighbours;
 *   T3 outside a team all that is due has been done when an operation returns.
 */
#include <omp.h>
#include <sched.h>

#include "cpu/bucket_level.h"

#define SPINS 2048 /* looks at the levels before a waiting thread offers its place to others */

static inline void rest(int *idle)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    if (++*idle > SPINS)
        sched_yield();
}

static inline uint64_t done_of(const nf__bucket_heap *h, unsigned i)
{
    return __atomic_load_n(&h->level[i].done, __ATOMIC_ACQUIRE);
}

/* The next RESOLVE(i) is due, and its lower neighbour has finished the one before it (Theorem 1). */
static inline bool is_ready(const nf__bucket_heap *h, unsigned i)
{
    const uint64_t k = done_of(h, i);
    return (i == 0 || done_of(h, i - 1) >= NF__HEAP_RATE * (k + 1))
           && (i + 1 >= h->levels || done_of(h, i + 1) >= k / NF__HEAP_RATE);
}

static void begin_resolve(nf__bucket_heap *h, unsigned i)
{
    const uint32_t bit = UINT32_C(1) << i;
    const uint32_t others = __atomic_fetch_or(&h->running, bit, __ATOMIC_ACQ_REL);
    if ((others & (bit << 2 | bit >> 2)) != 0)
        __atomic_fetch_add(&h->counters.overlaps, 1, __ATOMIC_RELAXED);
    if ((others & (bit << 1 | bit >> 1)) != 0)
        __atomic_fetch_add(&h->counters.conflicts, 1, __ATOMIC_RELAXED);
    if (h->trace != NULL)
        h->trace(h->trace_arg, i, true);
}

static void end_resolve(nf__bucket_heap *h, unsigned i)
{
    if (h->trace != NULL)
        h->trace(h->trace_arg, i, false);
    __atomic_fetch_and(&h->running, ~(UINT32_C(1) << i), __ATOMIC_ACQ_REL);
    __atomic_store_n(&h->level[i].done, h->level[i].done + 1, __ATOMIC_RELEASE);
}

/* Runs RESOLVE(i) if it is ready and nobody else does. */
static bool try_resolve(nf__bucket_heap *h, unsigned i)
{
    nf__bucket_level *l = &h->level[i];
    if (!is_ready(h, i) || __atomic_exchange_n(&l->busy, 1, __ATOMIC_ACQUIRE) != 0)
        return false;
    const bool ready = is_ready(h, i); /* another thread may have run it in between */
    if (ready) {
        begin_resolve(h, i);
        nf__level_resolve(l, i + 1 < h->levels ? l + 1 : NULL);
        end_resolve(h, i);
    }
    __atomic_store_n(&l->busy, 0, __ATOMIC_RELEASE);
    return ready;
}

/* One RESOLVE below level 0, the upper levels first: others wait for them soonest. */
static bool resolve_some(nf__bucket_heap *h)
{
    for (unsigned i = 1; i < h->levels; i++)
        if (try_resolve(h, i))
            return true;
    return false;
}

void nf__heap_begin_top(nf__bucket_heap *h)
{
    for (int idle = 0; !is_ready(h, 0);)
        if (!resolve_some(h))
            rest(&idle);
    begin_resolve(h, 0);
}

void nf__heap_end_top(nf__bucket_heap *h)
{
    end_resolve(h, 0);
    while (!h->team && resolve_some(h)) /* T3 */
        ;
}

void nf__bucket_heap_trace(nf__bucket_heap *h, nf__heap_trace trace, void *arg)
{
    h->trace = trace;
    h->trace_arg = arg;
}

static void help(nf__bucket_heap *h)
{
    for (int idle = 0; __atomic_load_n(&h->quit, __ATOMIC_ACQUIRE) == 0;)
        if (resolve_some(h))
            idle = 0;
        else
            rest(&idle);
}

void nf__bucket_heap_team(nf__bucket_heap *h, int threads, void (*work)(void *arg), void *arg)
{
    h->team = threads > 1;
    h->quit = 0;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() != 0)
            help(h);
        else {
            work(arg);
            __atomic_store_n(&h->quit, 1, __ATOMIC_RELEASE);
        }
    }
    h->team = false;
    while (resolve_some(h)) /* T3 */
        ;
}
