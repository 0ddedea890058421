/* bfs.h - what the breadth-first searches of this device share: the start of a row, its bounds, one level top-down, and
 * parents from hops.
 *
 * A search walks level by level. Its queue holds, in order of level, every vertex that was found top-down;
 * queue[head, tail) is the frontier, whose vertices have hop `level`.
 * Invariants
 *   F1 hop[v] goes from -1 to its level once, and v enters the queue when it does, so n + 1 places suffice (the last
 *      is written by pushes that do not count);
 *   F2 with deterministic parents parent[v] = the least u of the level before with an arc u -> v: every arc out of a
 *      level is looked at top-down, so a minimum finds it.
 */
#ifndef NF_CPU_BFS_H
#define NF_CPU_BFS_H

#include "core/backend.h"

typedef struct nf__frontier {
    nf_vid *queue; /* n + 1 */
    uint64_t head, tail;
    int32_t level;
} nf__frontier;

/* Hops -1, parents none, sources at 0, each once in the queue (f NULL: no queue wanted). */
void nf__bfs_start(const nf__run *run, const nf__row *row, nf__frontier *f);

/* The hops beyond which nothing matters: the cutoff and, once all targets are reached, the farthest of them. */
int64_t nf__bfs_bound(const nf__run *run, const int32_t *hop);

/* Should the level after `level` be made? NF_EOVERFLOW when its number would not fit. Counts row->iterations. */
nf_status nf__bfs_next_level(const nf__run *run, nf__row *row, int32_t level, bool *go);

/* Asked before each level: is it time to leave top-down? */
typedef struct nf__bfs_turn {
    bool (*worth)(void *arg);
    void *arg;
} nf__bfs_turn;

/* Levels top-down: looks at every arc out of the frontier and makes what it finds the next one, until nothing is found,
 * a bound is met (*go false), or `turn` (may be NULL) says so; then the frontier is left as it is, its level counted.
 * Small frontiers stay on the calling thread, without atomics; others are shared out by a crew, each vertex claimed by
 * compare-and-swap. */
nf_status nf__bfs_top_down(nf__run *run, nf__row *row, nf__frontier *f, const nf__bfs_turn *turn, bool *go);

/* Parents of finished hops: any u with an arc u -> v and hop[u] + 1 = hop[v], or the least when deterministic. `in` is
 * the transpose. Reads no more of a row than it must; *arcs is what was read. */
nf_status nf__bfs_pull_parents(nf__run *run, nf__row *row, const nf_csr *in, uint64_t *arcs);

/* The searches that others fall back on, for one row: direction-optimizing, with the scratch of its begin. */
nf_status nf__bfs_direction_begin(nf__run *run);
nf_status nf__bfs_direction_row(nf__run *run, nf__row *row);
void nf__bfs_direction_end(nf__run *run);

/* Bytes that bit-parallel usually takes with so many words a vertex. */
uint64_t nf__bfs_bits_bytes(const nf__run *run, unsigned words);

/* parent[v] = min(parent[v], u), by any thread. */
static inline void nf__bfs_least(nf_vid *parent, nf_vid u)
{
    nf_vid p = __atomic_load_n(parent, __ATOMIC_RELAXED);
    while (u < p && !__atomic_compare_exchange_n(parent, &p, u, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

#endif
