/* crew.c - threads that stand by for many short pieces of work; see crew.h. */
#include "cpu/crew.h"

#include <omp.h>
#include <sched.h>

#define SPINS 4096u /* looks at the door before a helper offers its place to others: about as long as a short level */

#define SOON 256     /* looks in quick succession: a piece often follows another */
#define AWAY_MOST 32 /* pauses between two looks of a thread that is not wanted */
#define TEAM UINT64_C(0xffffff)

static inline void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks at the door seldom once there was no place for the thread: every look takes the line from the master. */
static void help(nf__crew *crew, int me)
{
    uint64_t last = 0;
    unsigned idle = 0;
    int away = 1;
    while (__atomic_load_n(&crew->quit, __ATOMIC_ACQUIRE) == 0) {
        const uint64_t door = __atomic_load_n(&crew->door, __ATOMIC_RELAXED);
        if (door == 0 || door == last || me >= (int)(door & TEAM)) {
            if (door != 0 && door != last) {
                last = door;
                away = away < AWAY_MOST ? away * 2 : away;
            }
            for (int i = 0; i < (idle < SOON ? away : AWAY_MOST / 2); i++)
                rest();
            if (++idle > SPINS)
                sched_yield();
            continue;
        }
        __atomic_fetch_add(&crew->inside, 1, __ATOMIC_SEQ_CST);
        last = __atomic_load_n(&crew->door, __ATOMIC_SEQ_CST); /* C1 */
        if (last != 0 && me < (int)(last & TEAM))
            crew->work(crew->arg, me);
        __atomic_fetch_sub(&crew->inside, 1, __ATOMIC_RELEASE);
        idle = 0;
        away = 1;
    }
}

void nf__crew_rest(unsigned idle)
{
    rest();
    if (idle > SPINS)
        sched_yield();
}

void nf__crew_share(nf__crew *crew, int team, nf__crew_work work, void *arg)
{
    crew->work = work; /* C2 */
    crew->arg = arg;
    __atomic_store_n(&crew->door, ++crew->pieces * (TEAM + 1) + (uint64_t)team, __ATOMIC_SEQ_CST);
    work(arg, 0);
    __atomic_store_n(&crew->door, 0, __ATOMIC_SEQ_CST);
    for (unsigned idle = 0; __atomic_load_n(&crew->inside, __ATOMIC_SEQ_CST) != 0; idle++)
        nf__crew_rest(idle);
}

/* ---- habits ------------------------------------------------------------------------------------------------------ */

#define AGAIN 64u /* pieces between two tries of the way that took longer */
#define SLOWLY \
    0.125 /* a time above what was known counts so much: it may be another program's doing; one below, half */

static unsigned size_of(uint64_t items)
{
    return 63u - (unsigned)__builtin_clzll(items / NF__HABIT_FROM);
}

static bool undecided(uint64_t items)
{
    return items >= NF__HABIT_FROM && items < NF__HABIT_ALWAYS;
}

bool nf__habit_share(nf__habit *h, uint64_t items, int threads)
{
    if (threads >= NF__HABIT_MANY)
        return items >= NF__HABIT_FROM;
    if (!undecided(items))
        return items >= NF__HABIT_ALWAYS;
    const uint32_t i = h->size[size_of(items)].count++;
    const double *cost = h->size[size_of(items)].cost;
    h->begun = omp_get_wtime();
    return i < 2 * NF__HABIT_TRIES ? i % 2 == 0 : (cost[1] < cost[0]) ^ (i % AGAIN == 0);
}

void nf__habit_note(nf__habit *h, uint64_t items, bool shared)
{
    if (!undecided(items))
        return;
    const double took = (omp_get_wtime() - h->begun) / (double)items;
    double *cost = &h->size[size_of(items)].cost[shared];
    *cost = *cost == 0 ? took : *cost + (took - *cost) * (took < *cost ? 0.5 : SLOWLY);
}

/* ---- the region -------------------------------------------------------------------------------------------------- */

void nf__crew_run(int threads, void (*master)(nf__crew *crew, void *arg), void *arg)
{
    nf__crew crew = {.door = 0};
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() != 0)
            help(&crew, omp_get_thread_num());
        else {
            master(&crew, arg);
            __atomic_store_n(&crew.quit, 1, __ATOMIC_RELEASE);
        }
    }
}
