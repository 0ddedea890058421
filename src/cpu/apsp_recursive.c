/* apsp_recursive.c - all pairs by Kleene's recursion over min-plus products (catalogue A3).
 *
 * Method: Buluc, Gilbert, Budak 2010 (after D'Alberto, Nicolau 2007). The matrix is cut in four, [A B; C D]; A is
 * closed, B = A B, C = C A, D = min(D, C B), D is closed, B = B D, C = D C, A = min(A, B C). Squares of up to LEAF
 * vertices are closed by loops in blocks.
 * Invariants
 *   K1 closing a square makes its cells the least lengths of paths that stay in it;
 *   K2 A B in place is A B: A is closed, so a cell that used a newer B is no less than the product;
 *   and D1 to D4 of dense.c.
 * Cost: n^3 steps and O(n^2 LEAF) more; memory as NF__DENSE_MEMORY says, and log2(n) frames of the stack.
 */
#include "cpu/cpu.h"
#include "cpu/dense.h"

/* A slice of minplus.h, so that products are folded in whole slices. */
#define LEAF 128

/* *squares counts the leaves. */
static nf_status close_square(nf__minplus *core, size_t lo, size_t hi, uint64_t *squares)
{
    nf_status st = NF_OK;
    if (hi - lo <= LEAF) {
        ++*squares;
        return nf__minplus_close(core, lo, hi);
    }
    const size_t mid = lo + ((hi - lo) / 2 + LEAF - 1) / LEAF * LEAF;
    NF_TRY(close_square(core, lo, mid, squares));
    NF_TRY(nf__minplus_fold(core, (nf__product){lo, mid, mid, hi, lo, mid, false}, NULL)); /* B = A B */
    NF_TRY(nf__minplus_fold(core, (nf__product){mid, hi, lo, mid, lo, mid, false}, NULL)); /* C = C A */
    NF_TRY(nf__minplus_fold(core, (nf__product){mid, hi, mid, hi, lo, mid, false}, NULL)); /* D += C B */
    NF_TRY(close_square(core, mid, hi, squares));
    NF_TRY(nf__minplus_fold(core, (nf__product){lo, mid, mid, hi, mid, hi, false}, NULL)); /* B = B D */
    NF_TRY(nf__minplus_fold(core, (nf__product){mid, hi, lo, mid, mid, hi, false}, NULL)); /* C = D C */
    NF_TRY(nf__minplus_fold(core, (nf__product){lo, mid, lo, mid, mid, hi, false}, NULL)); /* A += B C */
done:
    return st;
}

static nf_status solve(nf__minplus *core, uint64_t *iterations)
{
    *iterations = 0;
    return close_square(core, 0, core->n, iterations);
}

static nf_status run_recursive(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__dense_run(run, solve, "recursive");
}

const nf__algorithm nf__cpu_apsp_recursive = {
    .info = {.name = "recursive",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "Kleene's recursion over min-plus products, on all threads",
             .paper = "Buluc, Gilbert, Budak 2010; D'Alberto, Nicolau 2007",
             .memory = NF__DENSE_MEMORY,
             .flags = NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED,
             .knobs = &nf__dense_knob,
             .knob_count = 1},
    .run = run_recursive,
};
