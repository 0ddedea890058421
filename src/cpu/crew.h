/* crew.h - threads that stand by for many short pieces of work.
 *
 * A parallel region for each level of a search costs two barriers, and each barrier waits for the slowest thread, also
 * for one that the machine is not running at the moment. A crew is one region for many pieces: the master offers a
 * piece, works on it itself, and waits only for helpers that have come in; who comes late finds the door closed.
 * Invariants
 *   C1 a helper works only between raising `inside` and lowering it, and looks at the door after raising it; the master
 *      closes the door before it looks at `inside`. Both in one order (sequential consistency), so either the helper
 *      sees the door closed or the master sees the helper;
 *   C2 the piece in `work`, `arg` is changed only while the door is closed and nobody is inside.
 */
#ifndef NF_CPU_CREW_H
#define NF_CPU_CREW_H

#include "core/base.h"

/* A word that threads raise to tell each other something, and nothing besides: it orders no other access. */
static inline bool nf__flag(const int *what)
{
    return __atomic_load_n(what, __ATOMIC_RELAXED) != 0;
}

static inline void nf__raise_flag(int *what)
{
    __atomic_store_n(what, 1, __ATOMIC_RELAXED);
}

/* Does what it can of a piece of work that is handed out from a cursor; called by several threads at once, each with
 * its own number, the master with 0. */
typedef void (*nf__crew_work)(void *arg, int me);

typedef struct nf__crew {
    _Alignas(64) uint64_t door; /* the number of the piece on offer and how many threads may come; 0: closed */
    _Alignas(64) int inside;
    _Alignas(64) int quit;
    uint64_t pieces;
    nf__crew_work work;
    void *arg;
} nf__crew;

/* Which pieces are worth sharing is a matter of the machine and of what else it does, so it is found out while working:
 * pieces of FROM to ALWAYS items are shared and done alone in turn, TRIES times each, then in the way that took less
 * time, and now and then in the other, for each power of two of the number of items. */
#define NF__HABIT_FROM 256u
#define NF__HABIT_ALWAYS 4096u
#define NF__HABIT_TRIES 4u
#define NF__HABIT_MANY 8

typedef struct nf__habit {
    struct {
        double cost[2]; /* seconds an item: alone, shared */
        uint32_t count;
    } size[4];
    double begun;
} nf__habit;

/* Should a piece of so many items be shared among so many threads? Then it is done, and noted. From MANY threads on it
 * should, if it has FROM items: threads keep what they found in their caches, so a piece done alone in between costs
 * the next ones as well. */
bool nf__habit_share(nf__habit *h, uint64_t items, int threads);
void nf__habit_note(nf__habit *h, uint64_t items, bool shared);

/* Opens a region of `threads` threads; the calling one runs master(crew, arg), the others help until it returns. */
void nf__crew_run(int threads, void (*master)(nf__crew *crew, void *arg), void *arg);
/* A pause between two looks for something to do, after so many that found nothing. */
void nf__crew_rest(unsigned idle);
/* Master only: the first `team` threads may work on a piece; it is done when this returns. */
void nf__crew_share(nf__crew *crew, int team, nf__crew_work work, void *arg);

#endif
