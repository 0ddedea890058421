/* cells.c - see cells.h. "No path" and the meaning of integer cells: D2 of dense.c.
 *
 * Cost: O(n) a row, but for nf__cells_cut.
 */
#include "cpu/cells.h"

#include "cpu/dense.h"

/* Following costs about one step in two of n^3 at 2e10 a second, tight arcs 2 ns for each of n m. */
#define FOLLOW_DENSITY 0.03
/* Cells widened at a time. */
#define CHUNK 512

double nf__cells_reach(const nf__run *run)
{
    const double top = fmax(fabs(run->stats.weight_min), fabs(run->stats.weight_max));
    return run->csr.n > 0 ? top * (run->csr.n - 1) : 0;
}

bool nf__cells_follow(const nf__run *run)
{
    const bool dense = run->stats.density > FOLLOW_DENSITY;
    return run->want_parents
           && (run->work_type != NF_I64 || (!run->deterministic && run->stats.weight_sign >= 0 && dense));
}

static int64_t weight_i32(const nf_csr *c, nf_eid e)
{
    const int64_t w = nf__weight_i64(c, e);
    return w < NF__NONE_I32 ? w : NF__NONE_I32;
}

#define DEFINE_CELLS(name, D, NONE, WEIGHT)                                             \
    static void fill_##name(const nf_csr *c, nf_vid i, D *d, nf_vid *p)                 \
    {                                                                                   \
        for (nf_vid j = 0; j < c->n; j++)                                               \
            d[j] = (NONE);                                                              \
        for (nf_vid j = 0; p != NULL && j < c->n; j++)                                  \
            p[j] = NF_NO_VERTEX;                                                        \
        for (nf_eid e = nf__off(c, i); e < nf__off(c, i + 1); e++) {                    \
            const D w = (D)WEIGHT(c, e);                                                \
            if (!(w < d[c->adj[e]]))                                                    \
                continue;                                                               \
            d[c->adj[e]] = w;                                                           \
            if (p != NULL)                                                              \
                p[c->adj[e]] = i;                                                       \
        }                                                                               \
        d[i] = 0;                                                                       \
        if (p != NULL)                                                                  \
            p[i] = i;                                                                   \
    }                                                                                   \
    static bool cut_##name(const nf_csr *c, const D *d)                                 \
    {                                                                                   \
        nf_vid none = 0;                                                                \
        for (nf_vid j = 0; j < c->n; j++)                                               \
            none += !(d[j] < (NONE));                                                   \
        for (nf_vid u = 0; none > 0 && u < c->n; u++)                                   \
            for (nf_eid e = nf__off(c, u); d[u] < (NONE) && e < nf__off(c, u + 1); e++) \
                if (!(d[c->adj[e]] < (NONE)))                                           \
                    return true;                                                        \
        return false;                                                                   \
    }
DEFINE_CELLS(i32, int32_t, NF__NONE_I32, weight_i32)
DEFINE_CELLS(i64, int64_t, NF__NONE_I64, nf__weight_i64)
DEFINE_CELLS(f32, float, INFINITY, nf__weight_f32)
DEFINE_CELLS(f64, double, (double)INFINITY, nf__weight_f64)

void nf__cells_fill(const nf__run *run, nf_type cell, nf_vid i, void *row, nf_vid *p)
{
    switch (cell) {
    case NF_I32: fill_i32(&run->csr, i, row, p); break;
    case NF_I64: fill_i64(&run->csr, i, row, p); break;
    case NF_F32: fill_f32(&run->csr, i, row, p); break;
    default: fill_f64(&run->csr, i, row, p); break;
    }
}

bool nf__cells_cut(const nf__run *run, nf_type cell, const void *row)
{
    switch (cell) {
    case NF_I32: return cut_i32(&run->csr, row);
    case NF_I64: return cut_i64(&run->csr, row);
    case NF_F32: return cut_f32(&run->csr, row);
    default: return cut_f64(&run->csr, row);
    }
}

void nf__cells_read(const nf__run *run, nf_type cell, const void *row, void *to)
{
    int32_t part[CHUNK];
    const int32_t limit = run->stats.weight_sign < 0 ? NF__NONE_I32 / 2 + 1 : NF__NONE_I32; /* D2 */
    const nf_vid n = run->csr.n;
    if (cell != NF_I32 && to != row)
        memcpy(to, row, n * nf_type_size(cell));
    for (nf_vid j = 0; cell == NF_I32 && j < n; j += CHUNK) {
        const nf_vid count = n - j < CHUNK ? n - j : CHUNK;
        memcpy(part, (const char *)row + j * sizeof *part, count * sizeof *part);
        for (nf_vid k = 0; k < count; k++)
            ((int64_t *)to)[j + k] = part[k] < limit ? part[k] : NF_UNREACHED_I64;
    }
    for (nf_vid j = 0; cell == NF_I64 && j < n; j++)
        if (((int64_t *)to)[j] > NF__NONE_I64 / 2)
            ((int64_t *)to)[j] = NF_UNREACHED_I64;
}

const nf_knob_info nf__dense_knob = NF__VECTORS_KNOB;

const char *nf__cells_vectors(const nf__run *run, nf_type cell)
{
    const char *asked = nf__knob_choice(run, nf__dense_knob.name);
    if (strcmp(asked, "best") == 0)
        return NULL;
    return nf__kernels_for(cell, true, asked) != NULL ? asked : "portable";
}
