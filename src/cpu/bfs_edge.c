/* bfs_edge.c - breadth-first search over the list of edges (catalogue B4).
 *
 * Method: Jia et al., "Edge v. node parallelism for graph centrality metrics", GPU Computing Gems 2011: in each level
 * every arc u -> v is looked at; if u has the level's hop and v none, v gets the next. There is no queue, and the work
 * is shared out evenly whatever the degrees.
 * Invariants
 *   E1 in the level that makes `next`, hop[v] goes from -1 to next at most, by any of the threads that find it, with
 *      the same value;
 *   E2 parent[v] is taken by compare-and-swap from "none", or is the least (deterministic): every arc from the level is
 *      looked at in its pass.
 * Cost: O(m) time a level, O(m D) in all; no memory of its own, but the sorted list of arcs stays with the graph.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/cpu.h"

#define BLOCK (UINT64_C(1) << 14) /* arcs a thread takes at a time */

/* Looks at the arcs [from, to); true when a vertex was reached. */
static bool look(const nf_coo *a, const nf__row *row, bool least, int32_t level, nf_eid from, nf_eid to)
{
    int32_t *const hop = row->dist;
    bool found = false;
    for (nf_eid e = from; e < to; e++) {
        const nf_vid u = a->src[e], v = a->dst[e];
        if (__atomic_load_n(&hop[u], __ATOMIC_RELAXED) != level)
            continue;
        const int32_t h = __atomic_load_n(&hop[v], __ATOMIC_RELAXED);
        if (h != NF_NO_HOP && h != level + 1)
            continue;
        if (h == NF_NO_HOP) { /* E1 */
            __atomic_store_n(&hop[v], level + 1, __ATOMIC_RELAXED);
            found = true;
        }
        nf_vid none = NF_NO_VERTEX; /* E2 */
        if (row->parent != NULL && least)
            nf__bfs_least(&row->parent[v], u);
        else if (row->parent != NULL && h == NF_NO_HOP)
            __atomic_compare_exchange_n(&row->parent[v], &none, u, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    return found;
}

static nf_status make_level(nf__run *run, nf__row *row, const nf_coo *a, int32_t level, bool *found)
{
    const int threads = nf__team_for(run->ctx, a->m);
    const uint64_t blocks = (a->m + BLOCK - 1) / BLOCK;
    uint64_t looked = 0;
    int any = 0, stop = 0;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(+ : looked) reduction(| : any) if (threads > 1)
    {
        const bool master = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 4)
        for (uint64_t b = 0; b < blocks; b++) {
            const nf_eid from = b * BLOCK, to = a->m - from < BLOCK ? a->m : from + BLOCK;
            if (__atomic_load_n(&stop, __ATOMIC_RELAXED) != 0)
                continue;
            any |= look(a, row, run->deterministic, level, from, to);
            looked += to - from;
            if (master && nf__poll(run->ctx) != NF_OK)
                __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        }
    }
    row->edges_relaxed += looked;
    *found = any != 0;
    return nf__poll(run->ctx);
}

static nf_status run_edge(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf_coo arcs;
    bool go = true, found = true;
    NF_TRY(nf_graph_coo_view(run->ctx, run->graph, &arcs));
    nf__bfs_start(run, row, NULL);
    for (int32_t level = 0; found; level++) {
        NF_TRY(nf__bfs_next_level(run, row, level, &go));
        if (!go)
            break;
        NF_TRY(make_level(run, row, &arcs, level, &found));
    }
done:
    return st;
}

const nf__algorithm nf__cpu_bfs_edge = {
    .info = {.name = "edge",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "every edge is looked at in every level",
             .paper = "Jia et al. 2011",
             .memory = "0; the sorted list of arcs (4 m, or 8 m and the weights where rows were not sorted) stays with "
                       "the graph",
             .flags = NF_ALG_NEGATIVE},
    .run = run_edge,
};
