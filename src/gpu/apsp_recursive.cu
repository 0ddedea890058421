/* apsp_recursive.cu - all pairs by Kleene's recursion over min-plus products (`recursive`, catalogue A3).
 *
 * Method, invariants and cost: kleene.cu; M1 to M4 of minplus.cuh, L1 to L4 of minplus_lazy.cuh, D1 to D5 of dense.cu.
 * Memory as DENSE_MEMORY says and a quarter of it more for the copies.
 */
#include "gpu/kleene.h"

namespace SIMT_FLAVOUR
{

static nf_status solve(dense *s)
{
    nf_status st = NF_OK;
    const unsigned side = (unsigned)s->x.m.rows;
    kleene k = {};
    NF_TRY(kleene_open(s, kleene_cells(&s->x, side), false, &k));
    k.marks = true;
    NF_TRY(kleene_close(&k, 0, side));
    s->iterations = k.leaves;
done:
    kleene_free(&k);
    return st;
}

static nf_status run_recursive(nf__run *run, nf__row *none)
{
    (void)none;
    return dense_run(run, solve, dense_form(run), true, "recursive");
}

extern const nf__algorithm apsp_recursive = {
    .info = {.name = "recursive",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Kleene's recursion over min-plus products",
             .paper = "Buluc, Gilbert, Budak 2010; D'Alberto, Nicolau 2007",
             .memory = DENSE_MEMORY "; a quarter of the matrix and parents more",
             .flags = DENSE_FLAGS,
             .knobs = dense_knobs,
             .knob_count = sizeof dense_knobs / sizeof *dense_knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_recursive,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
