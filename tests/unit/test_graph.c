/* test_graph.c - building, viewing, summing up: the graph core through the public header. */
#include "unit.h"

#include <pthread.h>

static nf_graph *make(nf_vid n, nf_eid m, const nf_vid *src, const nf_vid *dst, nf_type type, const void *w,
                      uint32_t flags, nf_duplicates duplicates)
{
    nf_graph *g = NULL;
    const nf_coo coo = {n, m, src, dst, type, w};
    const nf_build_options o = {.size = sizeof o, .flags = flags, .duplicates = duplicates};
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    return g;
}

static nf_csr view_of(const nf_graph *g)
{
    nf_csr c;
    OK(nf_graph_view(NULL, g, &c));
    return c;
}

static uint64_t off(const nf_csr *c, nf_vid v)
{
    return c->off32 != NULL ? c->off32[v] : c->off64[v];
}

static void test_order_is_kept(void **state)
{
    (void)state;
    const nf_vid src[] = {2, 0, 2, 0, 2, 1}, dst[] = {1, 2, 0, 1, 1, 1};
    const int32_t w[] = {10, 20, 30, 40, 50, 60};
    nf_graph *g = make(4, 6, src, dst, NF_I32, w, 0, NF_DUP_KEEP);
    const nf_csr c = view_of(g);
    const nf_vid want_adj[] = {2, 1, 1, 1, 0, 1};
    const int32_t want_w[] = {20, 40, 60, 10, 30, 50};
    const uint32_t want_off[] = {0, 2, 3, 6, 6};
    assert_int_equal(c.n, 4);
    assert_int_equal(c.m, 6);
    assert_non_null(c.off32);
    assert_memory_equal(c.off32, want_off, sizeof want_off);
    assert_memory_equal(c.adj, want_adj, sizeof want_adj);
    assert_memory_equal(c.weights, want_w, sizeof want_w);
    nf_graph_free(g);
}

static void test_symmetrise_loops_once(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 2}, dst[] = {1, 1, 0};
    const float w[] = {1.5f, 2.5f, 3.5f};
    nf_graph *g = make(3, 3, src, dst, NF_F32, w, NF_BUILD_UNDIRECTED, NF_DUP_KEEP);
    const nf_csr c = view_of(g);
    nf_graph_info info = {.size = sizeof info};
    OK(nf_graph_get_info(g, &info));
    assert_false(info.directed);
    assert_int_equal(c.m, 5); /* two edges twice, a loop once */
    assert_int_equal(off(&c, 1) - off(&c, 0), 2);
    assert_int_equal(off(&c, 2) - off(&c, 1), 2);
    nf_graph_free(g);
    g = make(3, 3, src, dst, NF_F32, w, NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS, NF_DUP_KEEP);
    assert_int_equal(nf_graph_m(g), 4);
    nf_graph_free(g);
}

static void test_duplicates(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 0, 0, 1, 0}, dst[] = {2, 1, 2, 0, 2};
    const int32_t w[] = {7, 1, -3, 5, 4};
    const struct {
        nf_duplicates how;
        int32_t want;
    } cases[] = {{NF_DUP_MIN, -3}, {NF_DUP_MAX, 7}, {NF_DUP_SUM, 8}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        nf_graph *g = make(3, 5, src, dst, NF_I32, w, 0, cases[i].how);
        const nf_csr c = view_of(g);
        assert_int_equal(c.m, 3);
        assert_int_equal(c.adj[0], 1);
        assert_int_equal(c.adj[1], 2);
        assert_int_equal(((const int32_t *)c.weights)[1], cases[i].want);
        nf_graph_free(g);
    }
    const int32_t big[] = {INT32_MAX, 1, 1, 5, 4};
    const nf_coo coo = {3, 5, src, dst, NF_I32, big};
    const nf_build_options o = {.size = sizeof o, .duplicates = NF_DUP_SUM};
    nf_graph *g = NULL;
    FAILS(NF_EOVERFLOW, "does not fit i32", nf_graph_from_coo(NULL, &coo, &o, &g));
    assert_null(g);
}

static void test_negative_flag_follows_reduction(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 0}, dst[] = {1, 1};
    const int32_t w[] = {-3, 4};
    nf_graph_info info = {.size = sizeof info};
    nf_graph *g = make(2, 2, src, dst, NF_I32, w, 0, NF_DUP_KEEP);
    OK(nf_graph_get_info(g, &info));
    assert_true(info.negative_weights);
    nf_graph_free(g);
    g = make(2, 2, src, dst, NF_I32, w, 0, NF_DUP_MAX);
    OK(nf_graph_get_info(g, &info));
    assert_false(info.negative_weights);
    nf_graph_free(g);
}

static void test_weights_are_cleaned(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 0, 1}, dst[] = {1, 2, 2};
    const double w[] = {-0.0, (double)INFINITY, 2.0};
    nf_graph *g = make(3, 3, src, dst, NF_F64, w, 0, NF_DUP_KEEP);
    nf_csr c = view_of(g);
    assert_int_equal(c.m, 2); /* +infinity is no arc */
    assert_false(signbit(((const double *)c.weights)[0]));
    nf_graph_free(g);
    const double nan_w[] = {1, (double)NAN, 2}, low_w[] = {1, 2, -(double)INFINITY};
    nf_coo coo = {3, 3, src, dst, NF_F64, nan_w};
    FAILS(NF_EINVAL, "arc 1 is not a number", nf_graph_from_coo(NULL, &coo, NULL, &g));
    coo.weights = low_w;
    FAILS(NF_EINVAL, "arc 2 is -infinity", nf_graph_from_coo(NULL, &coo, NULL, &g));
}

static void test_bad_lists(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 3}, dst[] = {1, 1};
    nf_graph *g = NULL;
    nf_coo coo = {3, 2, src, dst, NF_NONE, NULL};
    FAILS(NF_EINVAL, "source of arc 1 is vertex 3", nf_graph_from_coo(NULL, &coo, NULL, &g));
    coo = (nf_coo){3, 2, dst, src, NF_NONE, NULL};
    FAILS(NF_EINVAL, "target of arc 1 is vertex 3", nf_graph_from_coo(NULL, &coo, NULL, &g));
    coo = (nf_coo){NF_NO_VERTEX, 0, NULL, NULL, NF_NONE, NULL};
    FAILS(NF_EINVAL, "at most", nf_graph_from_coo(NULL, &coo, NULL, &g));
    coo = (nf_coo){4, 2, src, dst, NF_I64, src};
    FAILS(NF_EINVAL, "type i64", nf_graph_from_coo(NULL, &coo, NULL, &g));
    coo = (nf_coo){4, 2, src, dst, NF_I32, NULL};
    FAILS(NF_EINVAL, "no weights", nf_graph_from_coo(NULL, &coo, NULL, &g));
    FAILS(NF_EINVAL, "NULL", nf_graph_from_coo(NULL, NULL, NULL, &g));
    const nf_build_options o = {.size = sizeof o, .flags = 1u << 20};
    coo = (nf_coo){4, 2, src, dst, NF_NONE, NULL};
    FAILS(NF_EINVAL, "unknown bits", nf_graph_from_coo(NULL, &coo, &o, &g));
}

static void test_csr_borrowed_and_copied(void **state)
{
    (void)state;
    uint64_t offsets[] = {0, 1, 3, 3};
    nf_vid adj[] = {2, 0, 1};
    float w[] = {1, 2, 3};
    const nf_csr csr = {3, 3, NULL, offsets, adj, NF_F32, w};
    nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_BORROW};
    nf_graph *g = NULL;
    OK(nf_graph_from_csr(NULL, &csr, &o, &g));
    nf_csr c = view_of(g);
    assert_ptr_equal(c.adj, adj);
    assert_ptr_equal(c.off64, offsets);
    assert_ptr_equal(c.weights, w);
    nf_graph_free(g);
    w[1] = -0.0f; /* needs a change, so it is copied */
    OK(nf_graph_from_csr(NULL, &csr, &o, &g));
    c = view_of(g);
    assert_ptr_not_equal(c.adj, adj);
    assert_false(signbit(((const float *)c.weights)[1]));
    nf_graph_free(g);
    OK(nf_graph_from_csr(NULL, &csr, NULL, &g));
    assert_ptr_not_equal(view_of(g).adj, adj);
    nf_graph_free(g);
}

static void test_bad_csr(void **state)
{
    (void)state;
    const nf_vid adj[] = {1, 2};
    nf_graph *g = NULL;
    nf_csr csr = {2, 2, (const uint32_t[]){0, 1, 2}, NULL, adj, NF_NONE, NULL};
    FAILS(NF_EINVAL, "arc 1 leads to vertex 2", nf_graph_from_csr(NULL, &csr, NULL, &g));
    csr.off32 = (const uint32_t[]){1, 1, 2};
    FAILS(NF_EINVAL, "first offset is 1", nf_graph_from_csr(NULL, &csr, NULL, &g));
    csr.off32 = (const uint32_t[]){0, 3, 2};
    FAILS(NF_EINVAL, "vertex 1 go down", nf_graph_from_csr(NULL, &csr, NULL, &g));
    csr.off32 = (const uint32_t[]){0, 1, 1};
    FAILS(NF_EINVAL, "last offset is 1", nf_graph_from_csr(NULL, &csr, NULL, &g));
    csr.off32 = NULL;
    FAILS(NF_EINVAL, "exactly one", nf_graph_from_csr(NULL, &csr, NULL, &g));
}

static void test_matrix(void **state)
{
    (void)state;
    const int32_t a[] = {0, 5, NF_UNREACHED_I32, 99, 0, 7, NF_UNREACHED_I32, 99, 1, 0, 0, 99}; /* pitch 4 */
    nf_graph *g = NULL;
    OK(nf_graph_from_matrix(NULL, 3, 4, NF_I32, a, NULL, &g));
    const nf_csr c = view_of(g);
    const nf_vid want[] = {1, 0, 1, 0, 1}; /* 0->1; 1->0 weight 0, 1->1 weight 7; 2->0, 2->1 weight 0 */
    const int32_t want_w[] = {5, 0, 7, 1, 0};
    assert_int_equal(c.m, 5);
    assert_memory_equal(c.adj, want, sizeof want);
    assert_memory_equal(c.weights, want_w, sizeof want_w);
    nf_graph_free(g);
    FAILS(NF_EINVAL, "pitch", nf_graph_from_matrix(NULL, 3, 2, NF_I32, a, NULL, &g));
}

static void test_empty_graphs(void **state)
{
    (void)state;
    for (nf_vid n = 0; n < 3; n++) {
        nf_graph *g = make(n, 0, NULL, NULL, NF_NONE, NULL, NF_BUILD_UNDIRECTED, NF_DUP_MIN);
        nf_coo coo;
        nf_graph_stats s = {.size = sizeof s};
        OK(nf_graph_coo_view(NULL, g, &coo));
        OK(nf_graph_get_stats(NULL, g, NF_STATS_DIAMETER, &s));
        assert_int_equal(s.isolated, n);
        assert_int_equal(s.diameter, 0);
        nf_graph_free(g);
    }
    nf_graph_free(NULL);
}

static void test_transpose_and_list(void **state)
{
    (void)state;
    const nf_vid src[] = {2, 0, 2, 0, 2}, dst[] = {1, 2, 0, 1, 1};
    const uint32_t w[] = {1, 2, 3, 4, 5};
    nf_graph *g = make(3, 5, src, dst, NF_U32, w, 0, NF_DUP_KEEP);
    nf_csr t;
    nf_coo coo;
    OK(nf_graph_transpose_view(NULL, g, &t));
    const nf_vid t_adj[] = {2, 0, 2, 2, 0};
    const uint32_t t_w[] = {3, 4, 1, 5, 2};
    assert_memory_equal(t.adj, t_adj, sizeof t_adj);
    assert_memory_equal(t.weights, t_w, sizeof t_w);
    OK(nf_graph_coo_view(NULL, g, &coo));
    const nf_vid c_src[] = {0, 0, 2, 2, 2}, c_dst[] = {1, 2, 0, 1, 1};
    const uint32_t c_w[] = {4, 2, 3, 1, 5};
    assert_memory_equal(coo.src, c_src, sizeof c_src);
    assert_memory_equal(coo.dst, c_dst, sizeof c_dst);
    assert_memory_equal(coo.weights, c_w, sizeof c_w);
    nf_csr again;
    OK(nf_graph_transpose_view(NULL, g, &again));
    assert_ptr_equal(again.adj, t.adj); /* cached */
    nf_eid first, count;
    OK(nf_graph_find_edge(NULL, g, 2, 1, &first, &count));
    assert_int_equal(first, 3);
    assert_int_equal(count, 2);
    OK(nf_graph_find_edge(NULL, g, 1, 2, &first, &count));
    assert_int_equal(count, 0);
    FAILS(NF_EINVAL, "out of range", nf_graph_find_edge(NULL, g, 1, 3, &first, &count));
    nf_graph_free(g);
}

static void test_stats(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 0, 0, 1, 3}, dst[] = {1, 2, 0, 2, 3};
    const double w[] = {1, 2, 0, 4, 3};
    nf_graph *g = make(5, 5, src, dst, NF_F64, w, 0, NF_DUP_KEEP);
    nf_graph_stats s = {.size = sizeof s};
    OK(nf_graph_get_stats(NULL, g, 0, &s));
    assert_true(s.degree_mean == 1.0 && s.weight_min == 0 && s.weight_max == 4 && s.weight_mean == 2);
    assert_true(fabs(s.degree_deviation - sqrt(6.0 / 5)) < 1e-12); /* degrees 3 1 0 1 0 */
    assert_int_equal(s.degree_max, 3);
    assert_int_equal(s.degree_max_vertex, 0);
    assert_int_equal(s.isolated, 1);
    assert_int_equal(s.sinks, 2);
    assert_int_equal(s.loops, 2);
    assert_int_equal(s.forward, 3);
    assert_int_equal(s.weight_sign, 0);
    assert_true(s.density == 0.2);
    assert_int_equal(s.diameter, -1);
    OK(nf_graph_get_stats(NULL, g, NF_STATS_DIAMETER, &s));
    assert_int_equal(s.diameter, 1);
    FAILS(NF_EINVAL, "flags", nf_graph_get_stats(NULL, g, 64, &s));
    nf_graph_free(g);
}

/* Every weight type through the same sums; an undirected graph, whose lone vertices are found without marks. */
static void test_stats_of_types(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 3}, dst[] = {1, 3};
    const int32_t i32[] = {-2, 4};
    const uint32_t u32[] = {UINT32_MAX, 0};
    const float f32[] = {0.5f, 1.5f};
    const struct {
        nf_type type;
        const void *w;
        double min, max, mean;
        int sign;
    } cases[] = {{NF_I32, i32, -2, 4, 0, -1},
                 {NF_U32, u32, 0, 4294967295.0, 2863311530.0, 0},
                 {NF_F32, f32, 0.5, 1.5, 2.5 / 3, 1},
                 {NF_NONE, NULL, 1, 1, 1, 1}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        nf_graph *g = make(5, 2, src, dst, cases[k].type, cases[k].w, NF_BUILD_UNDIRECTED, NF_DUP_KEEP);
        nf_graph_stats s = {.size = sizeof s};
        OK(nf_graph_get_stats(NULL, g, 0, &s));
        assert_int_equal(s.isolated, 2);
        assert_int_equal(s.loops, 1);
        assert_int_equal(s.weight_sign, cases[k].sign);
        assert_true(s.weight_min == cases[k].min && s.weight_max == cases[k].max);
        assert_true(fabs(s.weight_mean - cases[k].mean) <= 1e-12 * fabs(cases[k].mean));
        nf_graph_free(g);
    }
}

static void test_transform(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 0, 1}, dst[] = {1, 1, 1};
    nf_graph *g = make(2, 3, src, dst, NF_NONE, NULL, 0, NF_DUP_KEEP), *h = NULL, *k = NULL;
    const nf_build_options o = {.size = sizeof o,
                                .flags = NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS,
                                .duplicates = NF_DUP_MIN};
    OK(nf_graph_transform(NULL, g, &o, &h));
    assert_int_equal(nf_graph_m(h), 2);
    OK(nf_graph_transform(NULL, h, &o, &k)); /* already undirected: nothing is doubled */
    assert_int_equal(nf_graph_m(k), 2);
    nf_graph_free(g);
    nf_graph_free(h);
    nf_graph_free(k);
}

static void test_labels(void **state)
{
    (void)state;
    nf_graph *g = make(3, 0, NULL, NULL, NF_NONE, NULL, 0, NF_DUP_KEEP);
    nf_vid v = 9;
    assert_int_equal(nf_graph_label(g, 2), 2);
    OK(nf_graph_find(g, 1, &v));
    assert_int_equal(v, 1);
    FAILS(NF_ENOTFOUND, "no vertex 3; expected 0 to 2", nf_graph_find(g, 3, &v));
    nf_graph_free(g);
}

/* A pseudo-random list of m arcs over n vertices. */
static void fill(nf_vid n, nf_eid m, nf_vid *src, nf_vid *dst, int32_t *w)
{
    uint64_t x = 88172645463325252u;
    for (nf_eid e = 0; e < m; e++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        src[e] = (nf_vid)(x % n);
        dst[e] = (nf_vid)((x >> 32) % n);
        w[e] = (int32_t)(x >> 40) % 1000;
    }
}

/* The same graph at any number of threads, through every transformation; and what it must be, by a simple count. */
static void test_threads_agree(void **state)
{
    (void)state;
    enum { N = 30000, M = 200000 };
    nf_vid *src = malloc(M * sizeof *src), *dst = malloc(M * sizeof *dst);
    int32_t *w = malloc(M * sizeof *w);
    fill(N, M, src, dst, w);
    const nf_coo coo = {N, M, src, dst, NF_I32, w};
    for (uint32_t flags = 0; flags < 8; flags++) {
        if ((flags & NF_BUILD_SYMMETRIC) != 0)
            continue;
        const nf_build_options o = {.size = sizeof o,
                                    .flags = flags,
                                    .duplicates = (flags & 4) != 0 ? NF_DUP_MIN : NF_DUP_KEEP};
        nf_graph *first = NULL;
        for (int threads = 1; threads <= 8; threads += threads) {
            nf_context *ctx = NULL;
            nf_graph *g = NULL;
            OK(nf_context_create(&(nf_context_options){.size = sizeof(nf_context_options), .threads = threads}, &ctx));
            OK(nf_graph_from_coo(ctx, &coo, &o, &g));
            if (first == NULL) {
                first = g;
            } else {
                const nf_csr a = view_of(first), b = view_of(g);
                assert_int_equal(a.m, b.m);
                assert_memory_equal(a.off32, b.off32, (N + 1) * sizeof(uint32_t));
                assert_memory_equal(a.adj, b.adj, a.m * sizeof(nf_vid));
                assert_memory_equal(a.weights, b.weights, a.m * sizeof(int32_t));
                nf_graph_free(g);
            }
            nf_context_free(ctx);
        }
        nf_graph_free(first);
    }
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    const nf_csr c = view_of(g);
    uint64_t *next = calloc(N, sizeof *next);
    for (nf_eid e = 0; e < M; e++) { /* stable: the k-th arc of u in the list is the k-th in its row */
        const uint64_t at = off(&c, src[e]) + next[src[e]]++;
        assert_int_equal(c.adj[at], dst[e]);
        assert_int_equal(((const int32_t *)c.weights)[at], w[e]);
    }
    free(next);
    nf_graph_free(g);
    free(src), free(dst), free(w);
}

static void *use_everything(void *graph)
{
    nf_csr t;
    nf_coo coo;
    nf_graph_stats s = {.size = sizeof s};
    nf_result *r = NULL;
    nf_context *ctx = NULL;
    bool ok = nf_context_create(&(nf_context_options){.size = sizeof(nf_context_options), .threads = 1}, &ctx) == NF_OK;
    ok = ok && nf_graph_transpose_view(ctx, graph, &t) == NF_OK && nf_graph_coo_view(ctx, graph, &coo) == NF_OK;
    ok = ok && nf_graph_get_stats(ctx, graph, NF_STATS_DIAMETER, &s) == NF_OK
         && nf_sssp(ctx, graph, 0, NULL, &r) == NF_OK;
    nf_result_free(r);
    nf_context_free(ctx);
    return ok ? graph : NULL;
}

static void test_shared_between_threads(void **state)
{
    (void)state;
    enum { N = 2000, M = 10000, T = 4 };
    static nf_vid src[M], dst[M];
    static int32_t w[M];
    pthread_t threads[T];
    fill(N, M, src, dst, w);
    nf_graph *g = make(N, M, src, dst, NF_I32, w, 0, NF_DUP_KEEP);
    for (int i = 0; i < T; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_everything, g), 0);
    for (int i = 0; i < T; i++) {
        void *answer = NULL;
        pthread_join(threads[i], &answer);
        assert_ptr_equal(answer, g);
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_symmetrise_loops_once),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_negative_flag_follows_reduction),
        cmocka_unit_test(test_weights_are_cleaned),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_csr_borrowed_and_copied),
        cmocka_unit_test(test_bad_csr),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_empty_graphs),
        cmocka_unit_test(test_transpose_and_list),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_stats_of_types),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_shared_between_threads),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
