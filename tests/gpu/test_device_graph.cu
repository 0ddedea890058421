/* test_device_graph.cu - a graph as the device holds it: every part against the host's arrays, memory asked for first,
 * copies that go with their graph or their context. */
#include "gpu_test.h"

#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

/* A run as algorithms see it, with a graph attached. */
typedef struct scene {
    bed b;
    nf_graph *graph;
    nf_csr csr;
    nf__run run;
} scene;

static scene make_scene(nf_graph *graph, uint64_t limit)
{
    scene s = {};
    device_graph *g = NULL;
    s.b = make_bed(limit);
    s.graph = graph;
    OK(nf_graph_view(NULL, graph, &s.csr));
    OK(device_graph_attach(s.b.d, graph, &s.csr, &g));
    s.run.ctx = s.b.ctx;
    s.run.graph = graph;
    s.run.device = s.b.d;
    s.run.attached = g;
    return s;
}

static void end_scene(scene *s)
{
    device_graph_detach(device_graph_of(&s->run));
    end_bed(s->b);
    nf_graph_free(s->graph);
}

/* n vertices, m arcs, the first vertex with many; weights of a type. */
static nf_graph *make_graph(nf_vid n, nf_eid m, nf_type type, uint32_t flags)
{
    nf_graph *g = NULL;
    nf_vid *src = static_cast<nf_vid *>(calloc(m + 1, 4)), *dst = static_cast<nf_vid *>(calloc(m + 1, 4));
    double *w = static_cast<double *>(calloc(m + 1, 8));
    for (nf_eid e = 0; e < m; e++) {
        src[e] = e % 3 == 0 ? 0 : random32(2 * e) % n;
        dst[e] = random32(2 * e + 1) % n;
        if (type == NF_F64)
            w[e] = 0.5 + (double)(random32(e + 77) % 100);
        else if (type == NF_F32)
            reinterpret_cast<float *>(w)[e] = 0.25f + (float)(random32(e + 77) % 100);
        else
            reinterpret_cast<uint32_t *>(w)[e] = 1 + random32(e + 77) % 100;
    }
    nf_coo coo = {};
    nf_build_options o = {};
    o.size = sizeof o;
    o.flags = flags;
    coo.n = n, coo.m = m, coo.src = src, coo.dst = dst, coo.weight_type = type,
    coo.weights = type != NF_NONE ? w : NULL;
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    free(src), free(dst), free(w);
    return g;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void compare_csr(device *d, const device_csr *c, const nf_csr *want, const uint32_t *sources)
{
    if (want->off32 != NULL) {
        uint32_t *off = get(d, c->off32, (uint64_t)want->n + 1);
        assert_memory_equal(off, want->off32, ((size_t)want->n + 1) * 4);
        assert_null(c->off64);
        free(off);
    } else {
        uint64_t *off = get(d, c->off64, (uint64_t)want->n + 1);
        assert_memory_equal(off, want->off64, ((size_t)want->n + 1) * 8);
        assert_null(c->off32);
        free(off);
    }
    uint32_t *adj = get(d, c->adj, want->m), *rows = get(d, sources, want->m);
    uint2 *pairs = c->pairs != NULL ? get(d, c->pairs, want->m) : NULL;
    double *weight = c->weight != NULL ? get(d, c->weight, want->m) : NULL;
    for (nf_vid v = 0; v < want->n; v++)
        for (nf_eid e = nf__off(want, v); e < nf__off(want, v + 1); e++) {
            assert_int_equal(adj[e], want->adj[e]);
            assert_int_equal(rows[e], v);
            if (pairs != NULL) {
                assert_int_equal(pairs[e].x, want->adj[e]);
                assert_int_equal(pairs[e].y,
                                 want->weight_type == NF_NONE ? 1u : static_cast<const uint32_t *>(want->weights)[e]);
            }
            assert_true(weight == NULL || weight[e] == nf__weight_f64(want, e));
        }
    assert_true((want->weight_type == NF_F64) == (weight != NULL) && (pairs == NULL) == (weight != NULL));
    free(adj), free(rows), free(pairs), free(weight);
}

static void parts_once(nf_graph *graph)
{
    scene s = make_scene(graph, 0);
    device_graph *g = device_graph_of(&s.run);
    nf_csr in;
    OK(device_graph_need(&s.run, GRAPH_TARGETS));
    const uint64_t before = device_used(s.b.d, NULL);
    OK(device_graph_need(&s.run, GRAPH_TARGETS)); /* there already */
    assert_int_equal(device_used(s.b.d, NULL), before);
    OK(device_graph_need(&s.run, GRAPH_TARGETS | GRAPH_PAIRS | GRAPH_SOURCES));
    compare_csr(s.b.d, &g->out, &s.csr, g->sources);
    OK(device_graph_need(&s.run, GRAPH_TARGETS | GRAPH_PAIRS | GRAPH_SOURCES | GRAPH_IN));
    OK(nf_graph_transpose_view(NULL, graph, &in));
    if (g->symmetric)
        assert_ptr_equal(g->in.adj, g->out.adj);
    else
        compare_csr(s.b.d, &g->in, &in, g->sources_in);
    assert_int_equal(g->in_made, !g->symmetric);
    assert_true(s.run.upload_ms > 0);
    end_scene(&s);
}

/* The transpose alone, and its parts one after another, in both orders. */
static void transpose_once(nf_graph *graph, const unsigned *parts, size_t count)
{
    scene s = make_scene(graph, 0);
    device_graph *g = device_graph_of(&s.run);
    nf_csr in;
    for (size_t i = 0; i < count; i++)
        OK(device_graph_need(&s.run, parts[i] | GRAPH_IN));
    assert_true(g->in_made);
    OK(nf_graph_transpose_view(NULL, graph, &in));
    compare_csr(s.b.d, &g->in, &in, g->sources_in);
    end_scene(&s);
}

static void test_transpose(void **)
{
    const unsigned up[] = {GRAPH_TARGETS, GRAPH_SOURCES, GRAPH_PAIRS},
                   down[] = {GRAPH_SOURCES, GRAPH_PAIRS, GRAPH_TARGETS};
    const unsigned pairs_first[] = {GRAPH_PAIRS, GRAPH_TARGETS | GRAPH_SOURCES};
    const nf_type types[] = {NF_NONE, NF_I32, NF_F32, NF_F64};
    for (size_t i = 0; i < COUNT(types); i++) {
        transpose_once(make_graph(257, 3000, types[i], 0), up, COUNT(up));
        transpose_once(make_graph(256, 3000, types[i], 0), down, COUNT(down));
        transpose_once(make_graph(70000, 900, types[i], 0), pairs_first, COUNT(pairs_first));
    }
}

static void test_parts(void **)
{
    const nf_type types[] = {NF_NONE, NF_I32, NF_U32, NF_F32, NF_F64};
    for (size_t i = 0; i < COUNT(types); i++)
        parts_once(make_graph(300, 4000, types[i], 0));
    parts_once(make_graph(200, 1500, NF_I32, NF_BUILD_UNDIRECTED));
    parts_once(make_graph(5, 0, NF_NONE, 0));
    parts_once(make_graph(1, 7, NF_F32, 0));
}

/* Offsets of 64 bits, as a caller's arrays may have them. */
static void test_wide_offsets(void **)
{
    const uint64_t off[] = {0, 2, 2, 5};
    const nf_vid adj[] = {1, 2, 0, 1, 2};
    nf_csr csr = {};
    nf_build_options o = {};
    nf_graph *g = NULL;
    o.size = sizeof o;
    o.flags = NF_BUILD_BORROW;
    csr.n = 3, csr.m = 5, csr.off64 = off, csr.adj = adj;
    OK(nf_graph_from_csr(NULL, &csr, &o, &g));
    parts_once(g);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static void test_matrix(void **)
{
    const nf_vid src[] = {0, 0, 1, 2, 2, 3}, dst[] = {1, 1, 2, 2, 0, 3};
    const int32_t w[] = {9, 4, -3, 5, 1, -2};
    const int64_t far = INT64_MAX;
    const double infinity = (double)INFINITY;
    nf_coo coo = {};
    nf_graph *graph = NULL;
    device_matrix a = {};
    coo.n = 4, coo.m = 6, coo.src = src, coo.dst = dst, coo.weight_type = NF_I32, coo.weights = w;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &graph));
    scene s = make_scene(graph, 0);
    OK(device_graph_matrix(&s.run, NF_I64, &far, 0, 8, &a));
    assert_int_equal(a.pitch, 8);
    assert_int_equal(a.rows, 8);
    int64_t *x = get(s.b.d, static_cast<int64_t *>(a.values), 64);
    for (unsigned u = 0; u < 8; u++)
        for (unsigned v = 0; v < 8; v++) {
            int64_t want = u == v && u < 4 ? 0 : far;
            for (size_t e = 0; e < COUNT(w); e++)
                want = src[e] == u && dst[e] == v && w[e] < want ? w[e] : want;
            assert_int_equal(x[u * 8 + v], want);
        }
    device_free(s.b.d, a.values);
    OK(device_graph_matrix(&s.run, NF_F64, &infinity, 0, 1, &a));
    double *y = get(s.b.d, static_cast<double *>(a.values), 16);
    assert_true(y[1] == 4 && y[6] == -3 && y[10] == 0 && y[15] == -2 && y[3] == infinity);
    device_free(s.b.d, a.values);
    OK(device_graph_matrix16(&s.run, 999, 0, 2, &a));
    int16_t *z = get(s.b.d, static_cast<int16_t *>(a.values), 16);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(z[i], y[i] == infinity ? 999 : (int16_t)y[i]);
    device_free(s.b.d, a.values);
    free(x), free(y), free(z);
    end_scene(&s);
}

/* The power of two that all weights are whole multiples of, and the matrix in it. */
static void expect_grain(nf_type type, const void *weights, int want, const int32_t (&cells)[3])
{
    const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 0};
    const int32_t far = 1 << 20;
    nf_coo coo = {};
    nf_graph *graph = NULL;
    device_matrix a = {};
    int grain = 999;
    coo.n = 3, coo.m = 3, coo.src = src, coo.dst = dst, coo.weight_type = type, coo.weights = weights;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &graph));
    scene s = make_scene(graph, 0);
    for (unsigned turn = 0; turn < 2; turn++) { /* found out once */
        OK(device_graph_grain(&s.run, &grain));
        assert_int_equal(grain, want);
    }
    OK(device_graph_matrix(&s.run, NF_I32, &far, grain, 1, &a));
    int32_t *x = get(s.b.d, static_cast<int32_t *>(a.values), 9);
    for (size_t e = 0; e < COUNT(src); e++)
        assert_int_equal(x[src[e] * a.pitch + dst[e]], cells[e]);
    assert_int_equal(x[2], far);
    device_free(s.b.d, a.values);
    free(x);
    end_scene(&s);
}

static void test_grain(void **)
{
    const float quarters[] = {2.5f, 0, 0.75f}, large[] = {0x1p100f, 0x1.8p101f, 0x1p103f}, none[] = {0, 0, 0};
    const float least[] = {0x1p-149f, 0x1p-148f, 0x1.8p-147f};
    const double tenths[] = {0x1p-60, 0x1.8p-58, 0x1p-59};
    const int32_t whole[] = {4, 8, 1024};
    expect_grain(NF_F32, quarters, -2, {10, 0, 3});
    expect_grain(NF_F32, large, 100, {1, 3, 8});
    expect_grain(NF_F32, none, 0, {0, 0, 0});
    expect_grain(NF_F32, least, -149, {1, 2, 6});
    expect_grain(NF_F64, tenths, -60, {1, 6, 2});
    expect_grain(NF_I32, whole, 0, {4, 8, 1024});
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Too large for the limit: refused before anything is there, with the bytes. */
static void test_too_large(void **)
{
    scene s = make_scene(make_graph(1000, 20000, NF_I32, 0), (uint64_t)100 << 10);
    FAILS(NF_EDEVMEM, "the graph needs 164004 bytes on the device", device_graph_need(&s.run, GRAPH_PAIRS));
    assert_int_equal(device_used(s.b.d, NULL), 0);
    OK(device_graph_need(&s.run, GRAPH_TARGETS)); /* 84,004 bytes fit */
    FAILS(NF_EDEVMEM, "the graph needs 80000 bytes", device_graph_need(&s.run, GRAPH_SOURCES));
    end_scene(&s);
}

/* Too little for making the transpose on the device: the host makes it. Too little for the transpose: refused. */
static void test_transpose_memory(void **)
{
    nf_csr in;
    scene s = make_scene(make_graph(1000, 20000, NF_I32, 0), (uint64_t)390 << 10); /* pairs need 164,004 a direction */
    device_graph *g = device_graph_of(&s.run);
    OK(nf_graph_transpose_view(NULL, s.graph, &in)); /* the limit is one of host memory too */
    OK(device_graph_need(&s.run, GRAPH_PAIRS));
    OK(device_graph_need(&s.run, GRAPH_PAIRS | GRAPH_IN));
    assert_false(g->in_made);
    uint2 *pairs = get(s.b.d, g->in.pairs, in.m);
    for (nf_eid e = 0; e < in.m; e++)
        assert_int_equal(pairs[e].x, in.adj[e]);
    free(pairs);
    FAILS(NF_EDEVMEM, "the graph needs 80000 bytes", device_graph_need(&s.run, GRAPH_TARGETS | GRAPH_IN));
    end_scene(&s);
    s = make_scene(make_graph(1000, 20000, NF_I32, 0), (uint64_t)100 << 10);
    FAILS(NF_EDEVMEM, "the graph needs 164004 bytes", device_graph_need(&s.run, GRAPH_PAIRS | GRAPH_IN));
    assert_int_equal(device_used(s.b.d, NULL), 0);
    end_scene(&s);
}

/* ---- attachments ------------------------------------------------------------------------------------------------- */

static void count_detach(void *attached)
{
    ++*static_cast<int *>(attached);
}

/* Whichever goes first detaches, once; a new graph at an old address is not taken for the old one. */
static void test_attachments(void **)
{
    nf_context *ctx = NULL;
    nf__attachment *one = NULL, *two = NULL;
    int gone[4] = {0, 0, 0, 0};
    nf_graph *a = make_graph(4, 3, NF_NONE, 0), *b = make_graph(4, 3, NF_NONE, 0);
    OK(nf_context_create(NULL, &ctx));
    assert_null(nf__attachment_find(&one, a));
    OK(nf__attachment_add(ctx, &one, a, &gone[0], count_detach));
    OK(nf__attachment_add(ctx, &one, b, &gone[1], count_detach));
    OK(nf__attachment_add(ctx, &two, a, &gone[2], count_detach));
    assert_ptr_equal(nf__attachment_find(&one, a), &gone[0]);
    assert_ptr_equal(nf__attachment_find(&one, b), &gone[1]);
    assert_ptr_equal(nf__attachment_find(&two, a), &gone[2]);
    nf__attachments_close_context(two); /* a context before its graph */
    assert_int_equal(gone[2], 1);
    nf_graph_free(a); /* a graph before its context */
    assert_int_equal(gone[0], 1);
    assert_int_equal(gone[2], 1);
    assert_null(nf__attachment_find(&one, a));
    assert_ptr_equal(nf__attachment_find(&one, b), &gone[1]);
    OK(nf__attachment_add(ctx, &one, b, &gone[3], count_detach));
    nf__attachments_close_context(one);
    nf_graph_free(b);
    assert_int_equal(gone[0] + gone[1] + gone[2] + gone[3], 4);
    nf_context_free(ctx);
}

} /* namespace SIMT_FLAVOUR */

int main(void)
{
    using namespace SIMT_FLAVOUR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),     cmocka_unit_test(test_wide_offsets),     cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_grain),     cmocka_unit_test(test_too_large),        cmocka_unit_test(test_attachments),
        cmocka_unit_test(test_transpose), cmocka_unit_test(test_transpose_memory),
    };
    return RUN_GPU_TESTS(tests);
}
