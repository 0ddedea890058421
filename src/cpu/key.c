/* key.c - the parts of key.h that are not in inner loops. */
#include "cpu/key.h"

#define WIDEN_BLOCK 4096u
#define WIDEN_SHARE 8u /* labels widened in the time of one item of a simple pass */

static const uint32_t one = 1; /* the weight of every arc of an unweighted graph */

void nf__scale_make(const nf__run *run, bool small, double delta, nf__scale *s)
{
    const double most = run->stats.weight_max > 0 ? run->stats.weight_max : 0;
    const uint64_t limit = small ? UINT32_MAX - 1 : (uint64_t)NF_UNREACHED_I64 - 1;
    const bool weighted = run->csr.weight_type != NF_NONE;
    s->weight_f32 = (float)most;
    s->weight_f64 = most;
    s->top = most < (double)UINT32_MAX ? limit - (uint64_t)most : small ? 0 : limit - UINT32_MAX;
    s->shift = 0;
    while (s->shift < 31 && (double)(UINT64_C(2) << s->shift) <= delta)
        s->shift++;
    s->inverse = delta >= DBL_MIN ? 1 / delta : 1 / DBL_MIN;
    s->mask = weighted ? ~(nf_eid)0 : 0;
    s->weights = weighted ? run->csr.weights : &one;
}

uint64_t nf__key_bound(const nf__run *run, nf_type type, bool small)
{
    const double c = run->cutoff_real > 0 ? run->cutoff_real : 0;
    if (!run->has_cutoff)
        return UINT64_MAX;
    if (type == NF_F32)
        return c < (double)FLT_MAX ? (uint64_t)nf__key_f32((float)c) + 1 : UINT64_MAX;
    if (type == NF_F64)
        return nf__key_f64(c) + 1;
    const uint64_t bound = run->cutoff_int > 0 ? (uint64_t)run->cutoff_int : 0;
    return small && bound >= UINT32_MAX ? UINT64_MAX : bound;
}

/* UINT32_MAX becomes NF_UNREACHED_I64, which has the same lower half: without a choice in 64 bits, for the compiler. */
static inline int64_t wide_of(const char *narrow)
{
    uint32_t k;
    memcpy(&k, narrow, sizeof k);
    const uint32_t upper = -(uint32_t)(k == UINT32_MAX) >> 1;
    return (int64_t)((uint64_t)upper << 32 | k);
}

/* `count` labels from one place to another, which do not overlap. */
static void widen_part(const char *restrict narrow, char *restrict wide, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const int64_t d = wide_of(narrow + i * 4);
        memcpy(wide + i * 8, &d, sizeof d);
    }
}

/* The upper half first, whose new places hold no old label, then that of what is left, down to the first label. */
void nf__widen(const nf__run *run, void *dist)
{
    char *const bytes = dist;
    for (uint64_t top = run->csr.n, from = 0; top > 1; top = from) {
        from = (top + 1) / 2;
        const uint64_t blocks = (top - from + WIDEN_BLOCK - 1) / WIDEN_BLOCK;
        const int threads = nf__team_for(run->ctx, (top - from) / WIDEN_SHARE);
        (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (uint64_t b = 0; b < blocks; b++) {
            const uint64_t at = from + b * WIDEN_BLOCK, left = top - at;
            widen_part(bytes + at * 4, bytes + at * 8, left < WIDEN_BLOCK ? left : WIDEN_BLOCK);
        }
    }
    if (run->csr.n > 0) {
        const int64_t d = wide_of(bytes);
        memcpy(bytes, &d, sizeof d);
    }
}

/* ---- sums near the end of a type --------------------------------------------------------------------------------- */

#define DEFINE_RECHECK(name, D, UNREACHED, WEIGHT, ADD, CUTOFF)              \
    static nf_status name(const nf__run *run, nf__row *row)                  \
    {                                                                        \
        const nf_csr *c = &run->csr;                                         \
        const D *d = row->dist;                                              \
        D sum;                                                               \
        for (nf_vid u = 0; u < c->n; u++) {                                  \
            if (d[u] == (UNREACHED) || (run->has_cutoff && d[u] > (CUTOFF))) \
                continue;                                                    \
            for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {     \
                const nf__sum how = ADD(d[u], WEIGHT(c, e), &sum);           \
                if (how == NF__SUM_OVERFLOW)                                 \
                    return nf__sum_overflow(run, u, c->adj[e]);              \
                row->overflowed |= how == NF__SUM_UNREACHED;                 \
            }                                                                \
        }                                                                    \
        return NF_OK;                                                        \
    }
DEFINE_RECHECK(recheck_i64, int64_t, NF_UNREACHED_I64, nf__weight_i64, nf__add_i64, run->cutoff_int)
DEFINE_RECHECK(recheck_f32, float, INFINITY, nf__weight_f32, nf__add_f32, run->cutoff_real)
DEFINE_RECHECK(recheck_f64, double, (double)INFINITY, nf__weight_f64, nf__add_f64, run->cutoff_real)

nf_status nf__recheck_sums(const nf__run *run, nf__row *row)
{
    return NF__BY_TYPE(row->type, recheck)(run, row);
}
