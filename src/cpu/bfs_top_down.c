/* bfs_top_down.c - breadth-first search from the frontier outwards, on all threads.
 *
 * Method: level by level, every arc out of the frontier is looked at once (bfs_level.c): queues per thread, vertices
 * claimed by compare-and-swap, small levels on one thread. Bader and Madduri, "Designing multithreaded algorithms for
 * breadth-first search and st-connectivity", ICPP 2006; Leiserson and Schardl, SPAA 2010.
 * Invariants: F1, F2 of bfs.h.
 * Cost: O(n + m) time, one look at every arc out of a reached vertex; 4 n bytes.
 */
#include "cpu/bfs.h"
#include "cpu/cpu.h"

static nf_status begin_top_down(nf__run *run)
{
    run->scratch = nf__alloc(nf__context_mem(run->ctx), (uint64_t)run->csr.n + 1, sizeof(nf_vid));
    return run->scratch != NULL ? NF_OK : NF_ENOMEM;
}

static void end_top_down(nf__run *run)
{
    nf__free(run->scratch);
}

static nf_status run_top_down(nf__run *run, nf__row *row)
{
    nf__frontier f = {.queue = run->scratch};
    bool go = true;
    nf__bfs_start(run, row, &f);
    return nf__bfs_top_down(run, row, &f, NULL, &go);
}

const nf__algorithm nf__cpu_bfs_top_down = {
    .info = {.name = "top-down",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "levels from the frontier outwards; queues per thread, vertices claimed by compare-and-swap",
             .paper = "Bader, Madduri 2006; Leiserson, Schardl 2010",
             .memory = "4 n",
             .flags = NF_ALG_NEGATIVE},
    .begin = begin_top_down,
    .end = end_top_down,
    .run = run_top_down,
};
