/* test_path.c - between two vertices: what only these searches promise. Answers are held against nf_sssp and nf_bfs. */
#include "check.h"
#include "unit.h"

static const char *const by_weight[] = {"one-way", "bidirectional"};
static const char *const by_hops[] = {"one-way-bfs", "bidirectional-bfs"};

static nf_graph *generate(nf_context *ctx, const char *kind, nf_vid n, nf_type type, bool directed, uint64_t seed)
{
    nf_graph *g = NULL;
    nf_generate_options o = {.size = sizeof o};
    OK(nf_generate_defaults(kind, &o));
    o.n = n;
    o.directed = directed;
    o.seed = seed;
    o.weight_type = type;
    if (type != NF_NONE)
        o.weight_min = 1, o.weight_max = 255;
    OK(nf_generate(ctx, &o, &g));
    return g;
}

static nf_path *find(nf_context *ctx, const nf_graph *g, nf_vid s, nf_vid t, const char *name, uint32_t flags)
{
    nf_path *p = NULL;
    const nf_run_options o = {.size = sizeof o, .algorithm = name, .flags = flags};
    OK(nf_path_between(ctx, g, s, t, &o, &p));
    return p;
}

static nf_run_info facts_of(const nf_path *p)
{
    nf_run_info info = {.size = sizeof info};
    OK(nf_path_info(p, &info));
    return info;
}

/* The searches do what their names say: from both ends fewer arcs are looked at than from one, and from one fewer than
 * there are. */
static void test_work(void **state)
{
    (void)state;
    nf_context *ctx = make_context(1);
    for (int hops = 0; hops < 2; hops++) {
        nf_graph *g = generate(ctx, "grid2d", 40000, hops ? NF_NONE : NF_I32, false, 1);
        const char *const *names = hops ? by_hops : by_weight;
        const nf_vid s = 100 * 200 + 60, t = 100 * 200 + 140;
        nf_path *one = find(ctx, g, s, t, names[0], 0), *two = find(ctx, g, s, t, names[1], 0);
        assert_true(one->distance == two->distance);
        assert_true(facts_of(one).edges_relaxed < nf_graph_m(g) * 9 / 10);
        assert_true(facts_of(two).edges_relaxed < facts_of(one).edges_relaxed * 7 / 10);
        nf_path_free(one);
        nf_path_free(two);
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

/* A directed graph is searched from one end until that would have paid for a transpose. */
static void test_transpose_pays(void **state)
{
    (void)state;
    for (int hops = 0; hops < 2; hops++) {
        nf_context *ctx = make_context(1);
        nf_graph *g = generate(ctx, "uniform", 2000, hops ? NF_NONE : NF_I32, true, 3);
        const uint64_t before = info_of(g).bytes;
        int calls = 0;
        for (; calls < 1000; calls++) {
            nf_path *p = find(ctx, g, 0, (nf_vid)(1 + calls), NULL, 0);
            const bool both = strncmp(facts_of(p).algorithm, "bidirectional", 13) == 0;
            nf_path_free(p);
            if (both)
                break;
            assert_true(info_of(g).bytes == before);
        }
        assert_true(calls > 0 && calls < 1000);
        assert_true(info_of(g).bytes > before);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

static void compare(nf_context *ctx, const nf_graph *g, nf_vid s, nf_vid t)
{
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o, .algorithm = "dijkstra"};
    OK(nf_sssp(ctx, g, s, &o, &r));
    for (size_t i = 0; i < 2; i++) {
        nf_path *p = find(ctx, g, s, t, by_weight[i], 0);
        const double want = nf_result_distance(r, 0, t);
        if (p->distance != want)
            fail_msg("%s from %u to %u: %.17g, dijkstra %.17g", by_weight[i], s, t, p->distance, want);
        nf_path_free(p);
    }
    nf_result_free(r);
}

/* One context, graphs of all sizes and types in turn: what one search leaves behind is nothing to the next. */
static void test_one_context(void **state)
{
    (void)state;
    static const nf_type types[] = {NF_I32, NF_F32, NF_NONE, NF_F64, NF_U32};
    nf_context *ctx = make_context(1);
    for (uint64_t i = 0; i < 30; i++) {
        const nf_vid n = (nf_vid)(50 + i * 331 % 3000);
        nf_graph *g = generate(ctx, i % 2 ? "uniform" : "grid2d", n, types[i % 5], i % 3 == 0, i);
        for (nf_vid k = 0; k < 6; k++)
            compare(ctx, g, (nf_vid)(k * 7919u) % nf_graph_n(g), (nf_vid)(k * 104729u + 13u) % nf_graph_n(g));
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

static void assert_simple(const nf_path *p, nf_vid n)
{
    bool *seen = calloc(n, sizeof *seen);
    assert_non_null(seen);
    for (uint64_t k = 0; k < p->length; k++) {
        assert_false(seen[p->vertices[k]]);
        seen[p->vertices[k]] = true;
    }
    free(seen);
}

/* Searches so long that each side gets a thread of its own: as exact, and a path without a vertex twice, zeros or not.
 * On the star of stars one vertex opens more lists than the queue had room for. */
static void test_two_threads(void **state)
{
    (void)state;
    static const nf_type types[] = {NF_I32, NF_F32, NF_F64, NF_U32, NF_I32};
    static const char *const kinds[] = {"grid2d", "delaunay", "uniform", "grid2d", "star"};
    nf_context *ctx = make_context(2);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        nf_graph *g = NULL;
        nf_generate_options o = {.size = sizeof o};
        OK(nf_generate_defaults(kinds[i], &o));
        o.n = i == 4 ? 200000 : 70000;
        o.seed = i;
        o.directed = i == 2;
        o.weight_type = types[i];
        o.weight_min = i == 3 ? 0 : 1;
        o.weight_max = i == 3 ? 2 : i == 4 ? 1e9 : 255;
        OK(nf_generate(ctx, &o, &g));
        for (nf_vid k = 0; k < 8; k++) {
            const nf_vid n = nf_graph_n(g), s = (nf_vid)(k * 7919u + 1) % n, t = n - 1 - (nf_vid)(k * 1237u) % (n / 4);
            compare(ctx, g, s, t);
            nf_path *p = find(ctx, g, s, t, "bidirectional", 0);
            nf_check_report report = {0};
            OK(nf_check_path(ctx, g, p, s, t, p->type, &report));
            assert_true(report.ok);
            assert_simple(p, n);
            nf_path_free(p);
        }
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

/* Floats of all sizes, so that sums depend on their order: the answer is that of one-directional sums all the same. */
static void test_rounding(void **state)
{
    (void)state;
    enum { N = 400, M = 1600 };
    static nf_vid src[M], dst[M];
    static float w[M];
    static double wide[M];
    nf_context *ctx = make_context(1);
    uint64_t x = 12345;
    for (int round = 0; round < 60; round++) {
        nf_graph *g = NULL;
        for (int e = 0; e < M; e++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            src[e] = (nf_vid)(x >> 33) % N;
            dst[e] = (src[e] + 1 + (nf_vid)(x >> 50) % 8) % N;
            const int power = (int)((x >> 12) % 30) - 12;
            w[e] = ldexpf((float)(1 + (x >> 20) % 1000) / 997.0f, round % 3 == 0 ? power : -(power % 2));
            wide[e] = ldexp((double)(1 + (x >> 20) % 1000) / 997.0, 3 * power);
        }
        const nf_coo coo = {N, M, src, dst, round % 3 == 1 ? NF_F64 : NF_F32, round % 3 == 1 ? (void *)wide : w};
        OK(nf_graph_from_coo(ctx, &coo, NULL, &g));
        for (nf_vid t = 0; t < N; t += 57)
            compare(ctx, g, 0, t);
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

/* A cycle of weight 0 in the middle of the way is not walked. */
static void test_zero_cycle(void **state)
{
    (void)state;
    enum { N = 60 };
    nf_vid src[2 * N], dst[2 * N];
    int32_t w[2 * N];
    nf_graph *g = NULL;
    for (nf_vid i = 0; i < N; i++) {
        src[2 * i] = dst[2 * i + 1] = i, dst[2 * i] = src[2 * i + 1] = (i + 1) % N;
        w[2 * i] = w[2 * i + 1] = 0;
    }
    const nf_coo coo = {N, 2 * N, src, dst, NF_I32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    for (size_t i = 0; i < 2; i++) {
        nf_path *p = find(NULL, g, 3, 40, by_weight[i], 0);
        assert_true(p->distance == 0 && p->length >= 24);
        assert_simple(p, N);
        nf_path_free(p);
    }
    nf_graph_free(g);
}

/* Sums beyond 2^32, and the distances along the way. */
static void test_beyond_32_bits(void **state)
{
    (void)state;
    nf_vid src[8], dst[8];
    uint32_t w[8];
    nf_graph *g = NULL;
    for (nf_vid i = 0; i < 8; i++)
        src[i] = i, dst[i] = i + 1, w[i] = i == 0 ? 1 : 4000000000u;
    const nf_coo coo = {9, 8, src, dst, NF_U32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    for (size_t i = 0; i < 2; i++) {
        nf_path *p = find(NULL, g, 0, 8, by_weight[i], 0);
        assert_int_equal(p->length, 9);
        assert_int_equal(p->type, NF_I64);
        for (int64_t v = 1; v < 9; v++)
            assert_true(((const int64_t *)p->distances)[v] == 1 + (v - 1) * INT64_C(4000000000));
        nf_path_free(p);
        const nf_run_options o = {.size = sizeof o, .algorithm = by_weight[i], .distance_type = NF_U32};
        FAILS(NF_EOVERFLOW, "does not fit u32", nf_path_between(NULL, g, 0, 8, &o, &p));
    }
    nf_graph_free(g);
}

static void test_negative_cycle(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 2, 3}, dst[] = {1, 2, 1, 0};
    const int32_t w[] = {5, -4, 1, 1};
    const nf_coo coo = {4, 4, src, dst, NF_I32, w};
    nf_graph *g = NULL;
    nf_path *p = NULL;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    FAILS(NF_ENEGCYCLE, "negative cycle", nf_path_between(NULL, g, 0, 2, NULL, &p));
    assert_non_null(p);
    assert_int_equal(p->length, 0);
    assert_int_equal(p->cycle_length, 2);
    assert_true(p->cycle[0] + p->cycle[1] == 3);
    nf_path_free(p);
    for (size_t i = 0; i < 2; i++) {
        const nf_run_options o = {.size = sizeof o, .algorithm = by_weight[i]};
        FAILS(NF_EUNSUPPORTED, "negative weights", nf_path_between(NULL, g, 0, 2, &o, &p));
    }
    p = find(NULL, g, 0, 2, NULL, NF_RUN_HOPS); /* weights are left out of it */
    assert_int_equal(p->length, 3);
    assert_true(p->distance == 2);
    nf_path_free(p);
    nf_graph_free(g);
}

/* What a context keeps for its next search, and that one with a limit keeps nothing. */
static void test_what_is_kept(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        const nf_context_options o = {.size = sizeof o, .threads = 1, .memory_limit = limited ? UINT64_C(1) << 30 : 0};
        nf_context *ctx = NULL;
        OK(nf_context_create(&o, &ctx));
        nf_graph *g = generate(ctx, "grid2d", 10000, NF_I32, false, 1);
        nf_path_free(find(ctx, g, 0, 1, NULL, 0));
        const uint64_t graph = info_of(g).bytes, first = nf_context_bytes(ctx, NULL);
        nf_path_free(find(ctx, g, 0, 1, NULL, 0));
        assert_true(nf_context_bytes(ctx, NULL) == first);
        if (limited)
            assert_true(first < graph + 20000);
        else
            assert_true(first > graph + 8 * 10000 && first < graph + 8 * 10000 + 60000);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    nf_context *ctx = make_context(1);
    nf_graph *g = generate(ctx, "grid2d", 100, NF_I32, false, 1);
    nf_path *p = NULL;
    double d[100];
    nf_run_options o = {.size = sizeof o, .algorithm = "bidirectional-bfs"};
    FAILS(NF_EUNSUPPORTED, "ask for hops", nf_path_between(ctx, g, 0, 5, &o, &p));
    o.flags = NF_RUN_DETERMINISTIC | NF_RUN_HOPS;
    FAILS(NF_EUNSUPPORTED, "deterministic tree", nf_path_between(ctx, g, 0, 5, &o, &p));
    o = (nf_run_options){.size = sizeof o, .distances = d};
    FAILS(NF_EINVAL, "buffers", nf_path_between(ctx, g, 0, 5, &o, &p));
    FAILS(NF_EINVAL, "target 100", nf_path_between(ctx, g, 0, 100, NULL, &p));
    o = (nf_run_options){.size = sizeof o, .algorithm = "bidirektional"};
    FAILS(NF_ENOTFOUND, "bidirektional", nf_path_between(ctx, g, 0, 5, &o, &p));
    o = (nf_run_options){.size = sizeof o, .flags = NF_RUN_HOPS};
    nf_result *r = NULL;
    FAILS(NF_EINVAL, "unknown bits", nf_sssp(ctx, g, 0, &o, &r));
    for (size_t i = 0; i < 4; i++) { /* a cancel that came before the call; the context stays usable */
        o = (nf_run_options){.size = sizeof o,
                             .algorithm = i < 2 ? by_weight[i] : by_hops[i - 2],
                             .flags = i < 2 ? 0 : NF_RUN_HOPS};
        nf_context_cancel(ctx);
        FAILS(NF_ECANCELLED, "cancelled", nf_path_between(ctx, g, 0, 99, &o, &p));
        OK(nf_path_between(ctx, g, 0, 99, &o, &p));
        nf_path_free(p);
    }
    nf_graph_free(g);
    nf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),           cmocka_unit_test(test_transpose_pays),
        cmocka_unit_test(test_one_context),    cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_rounding),       cmocka_unit_test(test_zero_cycle),
        cmocka_unit_test(test_beyond_32_bits), cmocka_unit_test(test_negative_cycle),
        cmocka_unit_test(test_what_is_kept),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
