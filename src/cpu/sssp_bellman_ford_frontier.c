/* sssp_bellman_ford_frontier.c - Bellman-Ford over a queue of rounds: negative weights without touching all arcs (a
 * form of catalogue S2).
 *
 * Moore 1959; Bellman 1958; Ford 1956. A round relaxes the arcs of the vertices whose labels fell in the round before.
 * Invariants I1 to I4 are those of sssp_bellman_ford.c; a vertex is listed once a round. Parents are looked at for
 * negative cycles each time as many arcs have been relaxed as that costs.
 * Cost: O(n m) at worst, and as a rule a small multiple of m; 24 n bytes (deterministic: 32 n).
 */
#include "cpu/bellman.h"
#include "cpu/cpu.h"
#include "cpu/tight.h"

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf__bellman s = {NULL, NULL, NULL};
    nf__frontier f = {NULL, NULL, NULL};
    nf__tight t = {NULL, NULL};
    const nf_vid n = run->csr.n;
    nf__mem *mem = nf__context_mem(run->ctx);
    NF_TRY(nf__bellman_create(mem, n, &s));
    NF_TRY_ALLOC(f.front, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(f.next, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(f.listed, nf__alloc(mem, n, sizeof(nf_vid)));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, n, &t));
    NF_TRY(nf__bellman_frontier_row(run, row, &s, &f));
    if (run->deterministic)
        nf__tight_parents(run, row, NULL, &t);
done:
    nf__bellman_free(&s);
    nf__free(f.front);
    nf__free(f.next);
    nf__free(f.listed);
    nf__tight_free(&t);
    return st;
}

const nf__algorithm nf__cpu_sssp_bellman_ford_frontier = {
    .info = {.name = "bellman-ford-frontier",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary =
                 "rounds over the vertices that changed, one thread; takes negative weights, returns negative cycles",
             .paper = "Moore 1959; Bellman 1958; Ford 1956",
             .memory = "24 n; deterministic: 32 n",
             .flags = NF_ALG_NEGATIVE},
    .run = run_row,
};
