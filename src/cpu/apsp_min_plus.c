/* apsp_min_plus.c - all pairs by repeated squaring of the distance matrix over (min, +) (catalogue A4).
 *
 * Method: Tran 2010; d = min(d, d * d) until nothing falls. The square is taken in place, 128 inner vertices at a time
 * (minplus.h), which needs no second matrix and at most as many rounds as squaring copies.
 * Invariants
 *   Q1 after round r, d[i][j] is at most the least length of a path i -> j of up to 2^r arcs, and is the length of some
 *      path; so ceil(log2(n - 1)) rounds close the matrix, and a round in which nothing falls shows that it is closed;
 *   and D1 to D4 of dense.c.
 * Cost: n^3 steps a round, 1 + log2(longest shortest path in arcs) rounds at most; memory as NF__DENSE_MEMORY says.
 */
#include "cpu/cpu.h"
#include "cpu/dense.h"

static nf_status solve(nf__minplus *core, uint64_t *iterations)
{
    nf_status st = NF_OK;
    const size_t n = core->n;
    bool fell = true;
    *iterations = 0;
    for (size_t arcs = 1; fell && arcs < n; arcs *= 2) { /* Q1 */
        fell = false;
        core->done = 0;
        NF_TRY(nf__minplus_fold(core, (nf__product){0, n, 0, n, 0, n, false}, &fell));
        ++*iterations;
    }
done:
    return st;
}

static nf_status run_min_plus(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__dense_run(run, solve, "min-plus");
}

const nf__algorithm nf__cpu_apsp_min_plus = {
    .info = {.name = "min-plus",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "repeated squaring over (min, +), in place, register-tiled, on all threads",
             .paper = "Tran 2010; Goto, van de Geijn 2008",
             .memory = NF__DENSE_MEMORY,
             .flags = NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED,
             .knobs = &nf__dense_knob,
             .knob_count = 1},
    .run = run_min_plus,
};
