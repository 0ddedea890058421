/* files.h - what the tests of writers and binary formats share: folders of their own, whole files in memory, graphs
 * compared, allocations that fail. Only the public header is used.
 */
#ifndef NF_TESTS_FILES_H
#define NF_TESTS_FILES_H

#include "unit.h"

#include "folder.h"

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* A graph of n vertices and about m arcs, the same for a seed; weights from low to low + 99 of the type, with
 * fractions for floats. */
static inline nf_graph *sample_graph(nf_vid n, nf_eid m, nf_type type, double low, uint32_t flags, unsigned seed)
{
    nf_vid *src = malloc((m + 1) * sizeof *src), *dst = malloc((m + 1) * sizeof *dst);
    double *w = malloc((m + 1) * sizeof *w);
    int32_t *i32 = (void *)w;
    uint32_t *u32 = (void *)w;
    float *f32 = (void *)w;
    uint64_t x = seed * 2654435761u + 1;
    for (nf_eid e = 0; e < m; e++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        src[e] = (nf_vid)((x >> 33) % n);
        x = x * 6364136223846793005u + 1442695040888963407u;
        dst[e] = (nf_vid)((x >> 33) % n);
        double k = (double)((x >> 20) % 100);
        if (type == NF_I32)
            i32[e] = (int32_t)(low + k);
        else if (type == NF_U32)
            u32[e] = (uint32_t)(low + k);
        else if (type == NF_F32)
            f32[e] = (float)(low + k / 7);
        else
            w[e] = low + k / 7;
    }
    nf_coo coo = {.n = n, .m = m, .src = src, .dst = dst, .weight_type = type, .weights = type == NF_NONE ? NULL : w};
    nf_build_options o = {.size = sizeof o, .flags = flags};
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    free(src);
    free(dst);
    free(w);
    return g;
}

/* The same arcs, weights, labels and coordinates. The directed flag is compared unless the format loses it. */
static inline void expect_same(const nf_graph *a, const nf_graph *b, bool labels, bool directed)
{
    nf_coo x, y;
    OK(nf_graph_coo_view(NULL, a, &x));
    OK(nf_graph_coo_view(NULL, b, &y));
    assert_int_equal(x.n, y.n);
    assert_int_equal(x.m, y.m);
    assert_string_equal(nf_type_name(x.weight_type), nf_type_name(y.weight_type));
    if (x.m > 0) {
        assert_memory_equal(x.src, y.src, x.m * sizeof *x.src);
        assert_memory_equal(x.dst, y.dst, x.m * sizeof *x.dst);
        if (x.weight_type != NF_NONE)
            assert_memory_equal(x.weights, y.weights, x.m * nf_type_size(x.weight_type));
    }
    if (directed)
        assert_int_equal(info_of(a).directed, info_of(b).directed);
    for (nf_vid v = 0; labels && v < x.n; v++)
        assert_int_equal(nf_graph_label(a, v), nf_graph_label(b, v));
    const double *p = nf_graph_coordinates(a), *q = nf_graph_coordinates(b);
    if (labels && p != NULL && q != NULL)
        assert_memory_equal(p, q, x.n * 2 * sizeof *p);
}

/* ---- allocations that fail --------------------------------------------------------------------------------------- */

typedef struct faults {
    long fail_at, count, live; /* the fail_at-th allocation gives NULL */
} faults;

static inline void *faulty_alloc(void *user, size_t size)
{
    faults *f = user;
    if (__atomic_fetch_add(&f->count, 1, __ATOMIC_RELAXED) == f->fail_at)
        return NULL;
    __atomic_fetch_add(&f->live, 1, __ATOMIC_RELAXED);
    return malloc(size);
}

static inline void faulty_free(void *user, void *block)
{
    faults *f = user;
    if (block != NULL)
        __atomic_fetch_sub(&f->live, 1, __ATOMIC_RELAXED);
    free(block);
}

/* Runs `act` with every allocation failing in turn, until it gets through; each failure must be NF_ENOMEM and leak
 * nothing. */
static inline void fail_each(nf_status (*act)(nf_context *ctx, void *arg), void *arg)
{
    nf_status st = NF_ENOMEM;
    for (long k = 0; st != NF_OK; k++) {
        faults f = {.fail_at = k};
        nf_context_options o = {.size = sizeof o, .threads = 2, .allocator = {faulty_alloc, faulty_free, &f}};
        nf_context *ctx = NULL;
        st = nf_context_create(&o, &ctx);
        if (st == NF_OK)
            st = act(ctx, arg);
        nf_context_free(ctx);
        if (st != NF_OK && st != NF_ENOMEM)
            fail_msg("allocation %ld: %s: %s", k, nf_status_name(st), nf_last_error());
        assert_int_equal(f.live, 0);
        assert_true(k < 2000);
    }
}

#endif
