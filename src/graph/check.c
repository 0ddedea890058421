/* check.c - is it a graph? One parallel pass each over offsets and targets (G1) and weights (G2).
 *
 * The first fault by position is the one reported, at any number of threads: every thread keeps its least bad index and
 * the least of those wins. Cost O(n + m), no memory.
 */
#include "graph/check.h"

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* clang-format off: it does not know _Pragma */
#define DEFINE_SCAN(name, T)                                                                                           \
    static nf__weight_scan name(int threads, const T *w, nf_eid m)                                                     \
    {                                                                                                                  \
        uint64_t bad = m;                                                                                              \
        int inf = 0, zero = 0, negative = 0;                                                                           \
        (void)threads;                                                                                                 \
        _Pragma("omp parallel for num_threads(threads) reduction(min : bad) reduction(| : inf, zero, negative)") for ( \
            uint64_t e = 0; e < m; e++)                                                                                \
        {                                                                                                              \
            const T x = w[e];                                                                                          \
            negative |= x < 0;                                                                                         \
            inf |= x > 0 && isinf(x);                                                                                  \
            zero |= x == 0 && signbit(x);                                                                              \
            if ((isnan(x) || (isinf(x) && x < 0)) && e < bad)                                                          \
                bad = e;                                                                                               \
        }                                                                                                              \
        return (nf__weight_scan){bad, inf != 0, zero != 0, negative != 0};                                             \
    }
/* clang-format on */
DEFINE_SCAN(scan_f32, float)
DEFINE_SCAN(scan_f64, double)

static bool any_negative(int threads, const int32_t *w, nf_eid m)
{
    int negative = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : negative)
    for (uint64_t e = 0; e < m; e++)
        negative |= w[e] < 0;
    return negative != 0;
}

nf__weight_scan nf__weights_scan(nf_context *ctx, nf_type type, const void *w, nf_eid m)
{
    const int threads = nf__threads_for(ctx, m);
    switch (type) {
    case NF_F32: return scan_f32(threads, w, m);
    case NF_F64: return scan_f64(threads, w, m);
    case NF_I32: return (nf__weight_scan){.first_bad = m, .negative = any_negative(threads, w, m)};
    default: return (nf__weight_scan){.first_bad = m};
    }
}

nf_status nf__weights_judge(const nf__weight_scan *scan, nf_type type, const void *w, nf_eid m)
{
    if (scan->first_bad >= m)
        return NF_OK;
    const double x =
        type == NF_F32 ? (double)((const float *)w)[scan->first_bad] : ((const double *)w)[scan->first_bad];
    return nf__fail(NF_EINVAL, "the weight of arc %llu is %s; expected a number or +infinity (no arc)",
                    (unsigned long long)scan->first_bad, isnan(x) ? "not a number" : "-infinity");
}

/* ---- offsets and targets ----------------------------------------------------------------------------------------- */

static nf_status check_offsets(nf_context *ctx, const nf_csr *c)
{
    const int threads = nf__threads_for(ctx, c->n);
    uint64_t bad = c->n;
    (void)threads;
    if (nf__off(c, 0) != 0)
        return nf__fail(NF_EINVAL, "the first offset is %llu; expected 0", (unsigned long long)nf__off(c, 0));
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t v = 0; v < c->n; v++)
        if (nf__off(c, (nf_vid)v) > nf__off(c, (nf_vid)v + 1) && v < bad)
            bad = v;
    if (bad < c->n)
        return nf__fail(NF_EINVAL, "the offsets of vertex %llu go down from %llu to %llu", (unsigned long long)bad,
                        (unsigned long long)nf__off(c, (nf_vid)bad), (unsigned long long)nf__off(c, (nf_vid)bad + 1));
    if (nf__off(c, c->n) != c->m)
        return nf__fail(NF_EINVAL, "the last offset is %llu; expected the number of arcs, %llu",
                        (unsigned long long)nf__off(c, c->n), (unsigned long long)c->m);
    return NF_OK;
}

nf_status nf__csr_check(nf_context *ctx, const nf_csr *c)
{
    const int threads = nf__threads_for(ctx, c->m);
    uint64_t bad = c->m;
    (void)threads;
    nf_status st = check_offsets(ctx, c);
    if (st != NF_OK)
        return st;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t e = 0; e < c->m; e++)
        if (c->adj[e] >= c->n && e < bad)
            bad = e;
    if (bad < c->m)
        return nf__fail(NF_EINVAL, "arc %llu leads to vertex %u; the graph has %u vertices", (unsigned long long)bad,
                        c->adj[bad], c->n);
    return NF_OK;
}

/* ---- a mapped graph, before first use ---------------------------------------------------------------------------- */

static nf_status check_mapped(nf_context *ctx, nf_graph *g)
{
    nf_status st = nf__csr_check(ctx, &g->csr);
    const nf__weight_scan scan = nf__weights_scan(ctx, g->csr.weight_type, g->csr.weights, g->csr.m);
    if (st == NF_OK)
        st = nf__weights_judge(&scan, g->csr.weight_type, g->csr.weights, g->csr.m);
    if (st == NF_OK && (scan.infinite || scan.minus_zero))
        st = nf__fail(NF_EINVAL, "a weight is infinite or -0.0");
    for (nf_vid v = 1; st == NF_OK && g->labels != NULL && v < g->csr.n; v++)
        if (g->labels[v - 1] >= g->labels[v])
            st = nf__fail(NF_EINVAL, "the labels of vertices %u and %u do not ascend", v - 1, v);
    if (st != NF_OK)
        return nf__fail(NF_EFORMAT, "%s: the file does not hold a graph: %s", g->file != NULL ? g->file : g->format,
                        nf_last_error());
    atomic_store(&g->negative, scan.negative);
    return NF_OK;
}

nf_status nf__graph_check(nf_context *ctx, const nf_graph *graph)
{
    nf_graph *g = (nf_graph *)(uintptr_t)graph; /* G3: only the cached answer changes, under the lock */
    nf_status st = NF_OK;
    if (atomic_load(&g->checked) != 0)
        return NF_OK;
    pthread_mutex_lock(&g->lock);
    if (atomic_load(&g->checked) == 0)
        st = check_mapped(ctx, g);
    if (st == NF_OK)
        atomic_store(&g->checked, 1);
    pthread_mutex_unlock(&g->lock);
    return st;
}
