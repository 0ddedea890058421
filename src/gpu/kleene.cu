/* kleene.cu - squares of several pivots, closed by Kleene's recursion (kleene.h).
 *
 * Method: Buluc, Gilbert, Budak 2010 (after D'Alberto, Nicolau 2007). The square is cut in four, [A B; C D]; A is
 * closed, B = A B, C = C A, D = min(D, C B), D is closed, B = B D, C = D C, A = min(A, B C). Squares of one pivot are
 * closed in one block.
 * Invariants
 *   K1 closing a square makes its cells the least lengths of paths that stay in it;
 *   K2 a product that is written over one of its operands reads a copy of it: B = min(B, A B) is A B, A's diagonal
 *      being 0.
 * Cost: n^3 steps and O(n^2 PIVOT) more, in 7 n / PIVOT launches; memory: kleene_cells, and deep^2 cells for strips.
 */
#include "gpu/kleene.h"

namespace SIMT_FLAVOUR
{

/* ---- memory ------------------------------------------------------------------------------------------------------ */

nf_status kleene_open(dense *s, uint64_t cells, bool strips, kleene *k)
{
    nf_status st = NF_OK;
    const uint64_t width = minplus_width(&s->x), square = strips ? (uint64_t)s->x.deep * s->x.deep : 0;
    k->s = s;
    k->stream = s->d->stream;
    NF_TRY(device_foresee(s->d, (cells + square) * (width + (s->x.follow ? 4 : 0)), "copies of operands"));
    NF_TRY(device_alloc(s->d, cells * width, &k->copy));
    if (strips)
        NF_TRY(device_alloc(s->d, square * width, &k->square));
    if (s->x.follow)
        NF_TRY(device_alloc(s->d, cells, &k->copy_parent));
    if (s->x.follow && strips)
        NF_TRY(device_alloc(s->d, square, &k->square_parent));
done:
    return st;
}

void kleene_free(kleene *k)
{
    if (k->s == NULL)
        return;
    device_free(k->s->d, k->copy);
    device_free(k->s->d, k->square);
    device_free(k->s->d, k->copy_parent);
    device_free(k->s->d, k->square_parent);
}

/* Where a square of more than one pivot is cut: in the middle, at a whole tile if it has several. */
static unsigned middle_of(const minplus *x, unsigned lo, unsigned hi)
{
    const unsigned unit = hi - lo > x->tile ? x->tile : x->pivot;
    return lo + ((hi - lo) / 2 + unit - 1) / unit * unit;
}

uint64_t kleene_cells(const minplus *x, uint64_t side)
{
    const uint64_t half = side > x->pivot ? middle_of(x, 0, (unsigned)side) : 0;
    return half * (side - half);
}

/* Rows r0 .. r1, columns c0 .. c1 of the matrix, and of the parents, packed. */
static nf_status take_copy(kleene *k, unsigned r0, unsigned r1, unsigned c0, unsigned c1, char *to, uint32_t *to_parent)
{
    nf_status st = NF_OK;
    const minplus *x = &k->s->x;
    const size_t width = minplus_width(x), wide = c1 - c0;
    const uint64_t at = r0 * x->m.pitch + c0;
    NF_TRY_CUDA(x->d,
                cudaMemcpy2DAsync(to, wide * width, static_cast<const char *>(x->m.values) + at * width,
                                  x->m.pitch * width, wide * width, r1 - r0, cudaMemcpyDeviceToDevice, k->stream));
    if (to_parent != NULL)
        NF_TRY_CUDA(x->d, cudaMemcpy2DAsync(to_parent, wide * 4, x->parents + at, x->m.pitch * 4, wide * 4, r1 - r0,
                                            cudaMemcpyDeviceToDevice, k->stream));
done:
    return st;
}

/* ---- squares ----------------------------------------------------------------------------------------------------- */

/* rows x columns = min(itself, square * itself) (left), or itself * square: K2. */
static nf_status scale_block(kleene *k, minplus_product q, bool left)
{
    nf_status st = NF_OK;
    NF_TRY(take_copy(k, q.i0, q.i1, q.j0, q.j1, k->copy, left ? k->copy_parent : NULL));
    if (left) {
        q.b = k->copy;
        q.p_b = k->copy_parent;
        q.pitch_b = q.j1 - q.j0;
    } else {
        q.a = k->copy;
        q.pitch_a = q.j1 - q.j0;
    }
    NF_TRY(minplus_multiply(&k->s->x, &q, k->stream));
done:
    return st;
}

static minplus_product product_of(unsigned i0, unsigned i1, unsigned j0, unsigned j1, unsigned k0, unsigned k1)
{
    const minplus_product q = {i0, i1, j0, j1, k0, k1, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0};
    return q;
}

static nf_status fold_block(kleene *k, const minplus_product &q)
{
    return minplus_multiply(&k->s->x, &q, k->stream);
}

nf_status kleene_close(kleene *k, unsigned lo, unsigned hi)
{
    nf_status st = NF_OK;
    const minplus *x = &k->s->x;
    const unsigned mid = middle_of(x, lo, hi);
    if (hi - lo == x->pivot) {
        NF_TRY(minplus_close(&k->s->x, lo, NULL, k->stream));
        k->leaves++;
        return k->marks ? dense_mark(k->s, k->leaves, x->m.rows / x->pivot) : NF_OK;
    }
    NF_TRY(kleene_close(k, lo, mid));
    NF_TRY(scale_block(k, product_of(lo, mid, mid, hi, lo, mid), true));  /* B = A B */
    NF_TRY(scale_block(k, product_of(mid, hi, lo, mid, lo, mid), false)); /* C = C A */
    NF_TRY(fold_block(k, product_of(mid, hi, mid, hi, lo, mid)));         /* D += C B */
    NF_TRY(kleene_close(k, mid, hi));
    NF_TRY(scale_block(k, product_of(lo, mid, mid, hi, mid, hi), false)); /* B = B D */
    NF_TRY(scale_block(k, product_of(mid, hi, lo, mid, mid, hi), true));  /* C = D C */
    NF_TRY(fold_block(k, product_of(lo, mid, lo, mid, mid, hi)));         /* A += B C */
done:
    return st;
}

/* The products write over the square, too, with what it is already: so they read a copy of it (K2). */
nf_status kleene_strips(kleene *k, unsigned at)
{
    nf_status st = NF_OK;
    const minplus *x = &k->s->x;
    const unsigned side = (unsigned)x->m.rows, deep = minplus_span(x, at), end = at + deep;
    minplus_product rows = product_of(at, end, 0, side, at, end), cols = product_of(0, side, at, end, at, end);
    rows.a = cols.b = k->square;
    rows.pitch_a = cols.pitch_b = deep;
    cols.p_b = k->square_parent;
    if (x->symmetric) {
        rows.p_back = k->square_parent;
        rows.pitch_back = deep;
    }
    NF_TRY(take_copy(k, at, end, at, end, k->square, k->square_parent));
    NF_TRY(scale_block(k, rows, true));
    if (!x->symmetric)
        NF_TRY(scale_block(k, cols, false));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
