/* sssp_bellman_ford.c - the Bellman-Ford algorithm, serial: the oracle for negative weights.
 *
 * Bellman 1958, Ford 1956; CLRS 24.1; cycles found in the parent graph as in Cherkassky and Goldberg, "Negative-cycle
 * detection algorithms", 1999.
 * Invariants
 *   I1 without negative cycles no label falls in round n + 1: a shortest path has at most n - 1 arcs;
 *   I2 integers: a cycle of parents is a negative cycle, and while a reachable negative cycle exists some round makes
 *      one; the parent graph is looked at after every round that changed a label;
 *   I3 a negative loop u -> u never enters the parent graph; it is caught when it is relaxed;
 *   I4 floats: rounding can make a zero cycle look negative. Such a cycle (the rule is nearfar.h's) does not count: the
 *      run starts over and refuses every relaxation that would close a cycle, so parents stay a tree; the row is marked
 *      rounded.
 * Cost: O(n m) time, 12 n bytes (and 8 n more for deterministic parents).
 */
#include "cpu/bellman.h"
#include "cpu/cpu.h"
#include "cpu/distance.h"
#include "cpu/tight.h"

#define POLL_EVERY 4096u /* vertices between two looks at the cancel flag */

#include "cpu/type_i64.h"
#include "cpu/bellman_body.h"

#include "cpu/type_f32.h"
#include "cpu/bellman_body.h"

#include "cpu/type_f64.h"
#include "cpu/bellman_body.h"

nf_status nf__bellman_create(nf__mem *mem, nf_vid n, nf__bellman *s)
{
    nf_status st = NF_OK;
    NF_TRY_ALLOC(s->parent, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(s->mark, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(s->cycle, nf__alloc(mem, n, sizeof(nf_vid)));
done:
    return st;
}

void nf__bellman_free(nf__bellman *s)
{
    nf__free(s->parent);
    nf__free(s->mark);
    nf__free(s->cycle);
}

nf_status nf__bellman_row(nf__run *run, nf__row *row, bool from_everywhere, nf__bellman *s)
{
    return NF__BY_TYPE(row->type, bellman)(run, row, from_everywhere, s);
}

nf_status nf__bellman_frontier_row(nf__run *run, nf__row *row, nf__bellman *s, nf__frontier *f)
{
    return NF__BY_TYPE(row->type, frontier)(run, row, s, f);
}

static nf_status run_bellman_ford(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf__bellman s = {NULL, NULL, NULL};
    nf__tight t = {NULL, NULL};
    nf__mem *mem = nf__context_mem(run->ctx);
    NF_TRY(nf__bellman_create(mem, run->csr.n, &s));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &t));
    NF_TRY(nf__bellman_row(run, row, false, &s));
    if (run->deterministic)
        nf__tight_parents(run, row, NULL, &t);
done:
    nf__bellman_free(&s);
    nf__tight_free(&t);
    return st;
}

const nf__algorithm nf__cpu_sssp_bellman_ford = {
    .info = {.name = "bellman-ford",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "rounds over all arcs, one thread; the oracle for negative weights, returns negative cycles",
             .paper = "Bellman 1958; Ford 1956; CLRS 24.1",
             .memory = "12 n; deterministic: 20 n",
             .flags = NF_ALG_ORACLE | NF_ALG_NEGATIVE},
    .run = run_bellman_ford,
};
