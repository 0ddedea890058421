/* apsp_recursive.cu - all pairs by Kleene's recursion over min-plus products (`recursive`, catalogue A3).
 *
 * Method: Buluc, Gilbert, Budak 2010 (after D'Alberto, Nicolau 2007). The matrix is cut in four, [A B; C D]; A is
 * closed, B = A B, C = C A, D = min(D, C B), D is closed, B = B D, C = D C, A = min(A, B C). Squares of one pivot are
 * closed in one block.
 * Invariants
 *   K1 closing a square makes its cells the least lengths of paths that stay in it;
 *   K2 a product that is written over one of its operands reads a copy of it: B = min(B, A B) is A B, A's diagonal
 *      being 0;
 *   M1 to M4 of minplus.cuh, D1 to D4 of dense.cu.
 * Cost: n^3 steps and O(n^2 PIVOT) more, in 7 n / PIVOT launches; memory as DENSE_MEMORY says and a quarter of it more
 * for the copies.
 */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

typedef struct kleene {
    dense *s;
    char *copy;            /* of an operand: half x half cells */
    uint32_t *copy_parent; /* and its parents, or NULL */
    uint64_t half;         /* its pitch */
    unsigned leaves;
} kleene;

/* rows r0 .. r1, columns c0 .. c1 of the matrix to the copy. */
static nf_status take_copy(kleene *k, unsigned r0, unsigned r1, unsigned c0, unsigned c1)
{
    nf_status st = NF_OK;
    const minplus *x = &k->s->x;
    const size_t width = nf_type_size(x->cell);
    const uint64_t at = r0 * x->m.pitch + c0;
    NF_TRY_CUDA(x->d, cudaMemcpy2DAsync(k->copy, k->half * width, static_cast<const char *>(x->m.values) + at * width,
                                        x->m.pitch * width, (c1 - c0) * width, r1 - r0, cudaMemcpyDeviceToDevice,
                                        x->d->stream));
    if (k->copy_parent != NULL)
        NF_TRY_CUDA(x->d, cudaMemcpy2DAsync(k->copy_parent, k->half * 4, x->parents + at, x->m.pitch * 4, (c1 - c0) * 4,
                                            r1 - r0, cudaMemcpyDeviceToDevice, x->d->stream));
done:
    return st;
}

/* rows x columns = min(itself, square * itself) (left), or itself * square: K2. */
static nf_status scale_block(kleene *k, minplus_product q, bool left)
{
    nf_status st = NF_OK;
    NF_TRY(take_copy(k, q.i0, q.i1, q.j0, q.j1));
    if (left) {
        q.b = k->copy;
        q.p_b = k->copy_parent;
        q.pitch_b = k->half;
    } else {
        q.a = k->copy;
        q.pitch_a = k->half;
    }
    NF_TRY(minplus_multiply(&k->s->x, &q, k->s->d->stream));
done:
    return st;
}

static nf_status fold_block(kleene *k, minplus_product q)
{
    return minplus_multiply(&k->s->x, &q, k->s->d->stream);
}

/* Where a square of more than one pivot is cut: in the middle, at a whole tile if it has several. */
static unsigned middle_of(const minplus *x, unsigned lo, unsigned hi)
{
    const unsigned unit = hi - lo > x->tile ? x->tile : x->pivot;
    return lo + ((hi - lo) / 2 + unit - 1) / unit * unit;
}

static nf_status close_square(kleene *k, unsigned lo, unsigned hi)
{
    nf_status st = NF_OK;
    const minplus *x = &k->s->x;
    const unsigned mid = middle_of(x, lo, hi);
    if (hi - lo == x->pivot) {
        NF_TRY(minplus_close(&k->s->x, lo, k->s->d->stream));
        return dense_mark(k->s, k->leaves++, x->m.rows / x->pivot);
    }
    NF_TRY(close_square(k, lo, mid));
    NF_TRY(scale_block(k, {lo, mid, mid, hi, lo, mid, NULL, NULL, 0, 0, NULL, NULL}, true));  /* B = A B */
    NF_TRY(scale_block(k, {mid, hi, lo, mid, lo, mid, NULL, NULL, 0, 0, NULL, NULL}, false)); /* C = C A */
    NF_TRY(fold_block(k, {mid, hi, mid, hi, lo, mid, NULL, NULL, 0, 0, NULL, NULL}));         /* D += C B */
    NF_TRY(close_square(k, mid, hi));
    NF_TRY(scale_block(k, {lo, mid, mid, hi, mid, hi, NULL, NULL, 0, 0, NULL, NULL}, false)); /* B = B D */
    NF_TRY(scale_block(k, {mid, hi, lo, mid, mid, hi, NULL, NULL, 0, 0, NULL, NULL}, true));  /* C = D C */
    NF_TRY(fold_block(k, {lo, mid, lo, mid, mid, hi, NULL, NULL, 0, 0, NULL, NULL}));         /* A += B C */
done:
    return st;
}

static nf_status solve(dense *s)
{
    nf_status st = NF_OK;
    const unsigned side = (unsigned)s->x.m.rows;
    kleene k = {};
    k.s = s;
    k.half = middle_of(&s->x, 0, side);
    if (side > s->x.pivot) {
        NF_TRY(device_foresee(s->d, k.half * k.half * (nf_type_size(s->x.cell) + (s->x.parents != NULL ? 4 : 0)),
                              "copies of operands"));
        NF_TRY(device_alloc(s->d, k.half * k.half * nf_type_size(s->x.cell), &k.copy));
        if (s->x.parents != NULL)
            NF_TRY(device_alloc(s->d, k.half * k.half, &k.copy_parent));
    }
    NF_TRY(close_square(&k, 0, side));
    s->iterations = k.leaves;
done:
    device_free(s->d, k.copy);
    device_free(s->d, k.copy_parent);
    return st;
}

static nf_status run_recursive(nf__run *run, nf__row *none)
{
    (void)none;
    return dense_run(run, solve, "recursive");
}

extern const nf__algorithm apsp_recursive = {
    .info = {.name = "recursive",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Kleene's recursion over min-plus products",
             .paper = "Buluc, Gilbert, Budak 2010; D'Alberto, Nicolau 2007",
             .memory = DENSE_MEMORY "; a quarter of the matrix and parents more",
             .flags = DENSE_FLAGS,
             .knobs = &dense_tile_knob,
             .knob_count = 1},
    .begin = NULL,
    .end = NULL,
    .run = run_recursive,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
