/* test_cpu_bfs.c - what only the real mechanisms of the CPU's breadth-first searches can do, told by their counters;
 * and results that do not depend on the number of threads.
 */
#include "unit.h"

static nf_context *context(int threads)
{
    nf_context *ctx = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "cpu", .threads = threads};
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

static nf_graph *make(const char *kind, uint32_t scale, double factor, bool directed)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults(kind, &o));
    o.n = 0, o.scale = scale, o.edge_factor = factor, o.directed = directed, o.seed = 7;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static nf_graph *grid(uint32_t side)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("grid2d", &o));
    o.rows = o.cols = side, o.seed = 7;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static nf_result *search(nf_context *ctx, const nf_graph *g, const char *algorithm, uint32_t flags, uint64_t rows)
{
    nf_vid sources[256];
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .flags = flags};
    for (uint64_t i = 0; i < rows; i++)
        sources[i] = (nf_vid)(i * 7919 % nf_graph_n(g));
    OK(nf_bfs_many(ctx, g, sources, rows, &o, &r));
    return r;
}

static nf_run_info counters(nf_context *ctx, const nf_graph *g, const char *algorithm, uint64_t rows)
{
    nf_run_info info = {.size = sizeof info};
    nf_result *r = search(ctx, g, algorithm, 0, rows);
    OK(nf_result_info(r, &info));
    nf_result_free(r);
    return info;
}

static void edge_and_matrix_read_all_arcs_each_level(void **state)
{
    (void)state;
    nf_graph *g = grid(60);
    for (int threads = 1; threads <= 4; threads += 3) {
        nf_context *ctx = context(threads);
        const nf_run_info e = counters(ctx, g, "edge", 1), m = counters(ctx, g, "matrix", 1);
        assert_int_equal(e.iterations, 119);
        assert_int_equal(e.edges_relaxed, e.iterations * nf_graph_m(g));
        assert_int_equal(m.edges_relaxed, m.iterations * nf_graph_m(g));
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

static void top_down_reads_each_arc_once(void **state)
{
    (void)state;
    nf_graph *g = grid(150);                                         /* levels too small to share, and */
    nf_graph *u = make("uniform", 16, 8, false), *chosen[] = {g, u}; /* ones large enough */
    for (size_t i = 0; i < COUNT(chosen); i++)
        for (int threads = 1; threads <= 8; threads *= 2) {
            nf_context *ctx = context(threads);
            const nf_run_info t = counters(ctx, chosen[i], "top-down", 1), s = counters(ctx, chosen[i], "serial", 1);
            assert_int_equal(t.edges_relaxed, s.edges_relaxed);
            assert_int_equal(t.iterations, s.iterations);
            nf_context_free(ctx);
        }
    nf_graph_free(g);
    nf_graph_free(u);
}

static void bottom_up_reads_few_arcs_on_rmat(void **state)
{
    (void)state;
    const bool directed[] = {false, true};
    for (size_t i = 0; i < COUNT(directed); i++) {
        nf_graph *g = make("rmat", 15, 16, directed[i]);
        nf_context *ctx = context(2);
        nf_result *r = NULL;
        nf_run_info info = {.size = sizeof info};
        const char *never = "alpha=0.001";
        const nf_run_options o = {.size = sizeof o,
                                  .algorithm = "direction-optimizing",
                                  .knobs = &never,
                                  .knob_count = 1};
        assert_true(counters(ctx, g, "direction-optimizing", 1).edges_relaxed < nf_graph_m(g) / 3);
        OK(nf_bfs(ctx, g, 0, &o, &r));
        OK(nf_result_info(r, &info));
        assert_int_equal(info.edges_relaxed, counters(ctx, g, "top-down", 1).edges_relaxed);
        nf_result_free(r);
        nf_context_free(ctx);
        nf_graph_free(g);
    }
}

/* Hubs asked first: the same hops, a true tree, and fewer looks. */
static void order_of_degree_saves_looks(void **state)
{
    (void)state;
    nf_graph *g = make("rmat", 15, 16, false);
    const size_t n = nf_graph_n(g);
    nf_context *ctx = context(2);
    nf_result *r = NULL, *want = search(ctx, g, "serial", 0, 1);
    nf_run_info info = {.size = sizeof info};
    const char *degree = "order=degree";
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = "direction-optimizing",
                              .flags = NF_RUN_PARENTS,
                              .knobs = &degree,
                              .knob_count = 1};
    OK(nf_bfs(ctx, g, 0, &o, &r));
    OK(nf_result_info(r, &info));
    const uint64_t rows = counters(ctx, g, "direction-optimizing", 1).edges_relaxed;

    assert_true(info.edges_relaxed < rows);
    const int32_t *hop = nf_result_hops(r, 0);
    const nf_vid *parent = nf_result_parents(r, 0);
    assert_memory_equal(hop, nf_result_hops(want, 0), n * sizeof *hop);
    for (size_t v = 1; v < n; v++)
        assert_true(hop[v] < 0 ? parent[v] == NF_NO_VERTEX : hop[parent[v]] == hop[v] - 1);
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_graph_free(g);
}

static void bits_share_arcs_among_sources(void **state)
{
    (void)state;
    nf_graph *g = make("uniform", 14, 16, false);
    nf_context *ctx = context(2);
    const nf_run_info many = counters(ctx, g, "bit-parallel", 256), one = counters(ctx, g, "top-down", 1);
    assert_true(many.edges_relaxed < 40 * one.edges_relaxed); /* 256 searches, less than 40 searches' arcs */
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* Every width gives the rows of the oracle, on graphs of small and of large diameter. */
static void bits_of_every_width_agree(void **state)
{
    (void)state;
    nf_graph *g[] = {grid(40), make("rmat", 11, 4, true)};
    const char *widths[] = {"width=0", "width=64", "width=128", "width=256", "width=512"};
    nf_vid sources[150];
    for (size_t k = 0; k < COUNT(g); k++) {
        const size_t n = nf_graph_n(g[k]);
        nf_context *ctx = context(3);
        nf_result *want = search(ctx, g[k], "serial", 0, COUNT(sources));
        for (size_t i = 0; i < COUNT(sources); i++)
            sources[i] = (nf_vid)(i * 7919 % n);
        for (size_t w = 0; w < COUNT(widths); w++) {
            nf_result *r = NULL;
            const nf_run_options o = {.size = sizeof o,
                                      .algorithm = "bit-parallel",
                                      .knobs = &widths[w],
                                      .knob_count = 1};
            OK(nf_bfs_many(ctx, g[k], sources, COUNT(sources), &o, &r));
            for (size_t i = 0; i < COUNT(sources); i++)
                assert_memory_equal(nf_result_hops(r, i), nf_result_hops(want, i), n * sizeof(int32_t));
            nf_result_free(r);
        }
        nf_result_free(want);
        nf_context_free(ctx);
        nf_graph_free(g[k]);
    }
}

/* Levels large enough to be shared: hops and deterministic parents are the oracle's, whoever runs them. */
static void threads_do_not_show(void **state)
{
    (void)state;
    const char *names[] = {"top-down", "direction-optimizing", "bit-parallel", "edge", "matrix", "auto"};
    nf_graph *g[] = {make("rmat", 15, 8, true), make("uniform", 15, 4, false)};
    for (size_t k = 0; k < COUNT(g); k++) {
        const size_t n = nf_graph_n(g[k]);
        nf_result *want = search(NULL, g[k], "serial", NF_RUN_DETERMINISTIC, 2);
        for (int threads = 1; threads <= 8; threads *= 2) {
            nf_context *ctx = context(threads);
            for (size_t i = 0; i < COUNT(names); i++) {
                nf_result *r = search(ctx, g[k], names[i], NF_RUN_DETERMINISTIC, 2);
                for (uint64_t row = 0; row < 2; row++) {
                    assert_memory_equal(nf_result_hops(r, row), nf_result_hops(want, row), n * sizeof(int32_t));
                    assert_memory_equal(nf_result_parents(r, row), nf_result_parents(want, row), n * sizeof(nf_vid));
                }
                nf_result_free(r);
            }
            nf_context_free(ctx);
        }
        nf_result_free(want);
        nf_graph_free(g[k]);
    }
}

/* Levels wide enough for parts that threads keep and help each other with (a mesh), for levels pushed into bitmaps (a
 * uniform graph, also with a number of vertices that fills no word) and for several flushes of a thread (a star). */
static void wide_levels_agree(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *algorithm;
        uint64_t n;
    } cases[] = {{"grid3d", "top-down", 46 * 46 * 46},        {"grid3d", "direction-optimizing", 46 * 46 * 46},
                 {"uniform", "direction-optimizing", 40009},  {"uniform", "top-down", 150000},
                 {"uniform", "direction-optimizing", 150001}, {"star", "top-down", 70000},
                 {"star", "direction-optimizing", 70000}};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t k = 0; k < COUNT(cases); k++) {
        nf_generate_options o = {.size = sizeof o};
        nf_graph *g = NULL;
        OK(nf_generate_defaults(cases[k].kind, &o));
        o.n = cases[k].n, o.edge_factor = 8, o.seed = 5;
        OK(nf_generate(NULL, &o, &g));
        const size_t bytes = (size_t)nf_graph_n(g) * sizeof(int32_t);
        nf_context *one = context(1);
        nf_result *right = search(one, g, "serial", NF_RUN_DETERMINISTIC | NF_RUN_PARENTS, 2);
        for (size_t t = 0; t < COUNT(threads); t++)
            for (unsigned mode = 0; mode < 3; mode++) {
                const uint32_t flags[] = {0, NF_RUN_PARENTS, NF_RUN_DETERMINISTIC | NF_RUN_PARENTS};
                nf_context *ctx = context(threads[t]);
                nf_result *r = search(ctx, g, cases[k].algorithm, flags[mode], 2);
                for (uint64_t row = 0; row < 2; row++) {
                    assert_memory_equal(nf_result_hops(r, row), nf_result_hops(right, row), bytes);
                    if (mode == 2)
                        assert_memory_equal(nf_result_parents(r, row), nf_result_parents(right, row), bytes);
                    const int32_t *hop = nf_result_hops(r, row);
                    const nf_vid *parent = nf_result_parents(r, row);
                    for (nf_vid v = 0; mode == 1 && v < nf_graph_n(g); v++)
                        assert_true(hop[v] <= 0 || hop[parent[v]] + 1 == hop[v]);
                }
                nf_result_free(r);
                nf_context_free(ctx);
            }
        nf_result_free(right);
        nf_context_free(one);
        nf_graph_free(g);
    }
}

/* Levels that are pushed count each arc out of the frontier once, whatever the number of threads. */
static void pushed_levels_count_arcs(void **state)
{
    (void)state;
    nf_graph *g = make("uniform", 16, 16, false);
    uint64_t arcs = 0;
    for (int threads = 1; threads <= 4; threads++) {
        nf_context *ctx = context(threads);
        const nf_run_info i = counters(ctx, g, "direction-optimizing", 1);
        assert_true(i.edges_relaxed < nf_graph_m(g) / 2);
        assert_true(arcs == 0 || i.edges_relaxed == arcs);
        arcs = i.edges_relaxed;
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

/* Rows in descending order: the first parent found bottom-up is not the least. */
/* A front that moves through a mesh never pays bottom-up, also where the mesh is so small that the front has many of
 * its arcs: each level would look at all that is left. */
static void fronts_in_meshes_go_top_down(void **state)
{
    (void)state;
    for (uint32_t scale = 9; scale <= 14; scale++) {
        nf_graph *g = make("delaunay", scale, 0, false);
        for (int threads = 1; threads <= 2; threads++) {
            nf_context *ctx = context(threads);
            const nf_run_info info = counters(ctx, g, "direction-optimizing", 5);
            assert_true(info.edges_relaxed < 5 * nf_graph_m(g) * 5 / 4);
            nf_context_free(ctx);
        }
        nf_graph_free(g);
    }
}

static void unsorted_rows_have_least_parents(void **state)
{
    (void)state;
    nf_graph *g = make("rmat", 13, 8, false), *back = NULL;
    nf_csr csr;
    OK(nf_graph_view(NULL, g, &csr));
    nf_vid *adj = malloc(csr.m * sizeof *adj);
    assert_non_null(adj);
    for (nf_vid v = 0; v < csr.n; v++)
        for (nf_eid e = csr.off32[v]; e < csr.off32[v + 1]; e++)
            adj[e] = csr.adj[csr.off32[v] + csr.off32[v + 1] - 1 - e];
    csr.adj = adj;
    const nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_SYMMETRIC};
    OK(nf_graph_from_csr(NULL, &csr, &o, &back));
    for (int threads = 1; threads <= 2; threads++) {
        nf_context *ctx = context(threads);
        const size_t bytes = csr.n * sizeof(nf_vid);
        nf_result *r = search(ctx, back, "direction-optimizing", NF_RUN_DETERMINISTIC, 1);
        nf_result *want = search(ctx, g, "serial", NF_RUN_DETERMINISTIC, 1);
        assert_memory_equal(nf_result_parents(r, 0), nf_result_parents(want, 0), bytes);
        nf_result_free(r);
        nf_result_free(want);
        nf_context_free(ctx);
    }
    nf_graph_free(back);
    nf_graph_free(g);
    free(adj);
}

static void expect_choice(const nf_graph *g, uint64_t rows, const char *algorithm, const char *reason)
{
    nf_context *ctx = context(2);
    nf_run_info info = {.size = sizeof info};
    nf_result *r = search(ctx, g, "auto", 0, rows);
    OK(nf_result_info(r, &info));
    assert_string_equal(info.algorithm, algorithm);
    assert_non_null(strstr(info.reason, reason));
    nf_result_free(r);
    nf_context_free(ctx);
}

static void auto_goes_by_statistics(void **state)
{
    (void)state;
    nf_graph *flat = grid(50), *dense = make("uniform", 12, 16, false), *oneway = make("uniform", 12, 16, true);
    expect_choice(flat, 1, "top-down", "largest degree 4");
    expect_choice(dense, 1, "direction-optimizing", "mean 3");
    expect_choice(dense, 64, "bit-parallel", "64 sources");
    expect_choice(oneway, 1, "top-down", "directed without a transpose");
    expect_choice(oneway, 10, "direction-optimizing", "10 sources");
    nf_graph_free(flat);
    nf_graph_free(dense);
    nf_graph_free(oneway);
}

/* auto stays within half the graph's bytes (a transpose counted as graph) and 16 bytes a vertex, beyond the output. */
static void auto_is_sparing_with_memory(void **state)
{
    (void)state;
    nf_graph *g[] = {grid(300), make("uniform", 14, 16, false)};
    const uint64_t rows[] = {1, 2, 64};
    for (size_t k = 0; k < COUNT(g); k++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            nf_context *ctx = context(2);
            uint64_t peak = 0;
            nf_graph_info info = {.size = sizeof info};
            const uint64_t before = nf_context_bytes(ctx, NULL), n = nf_graph_n(g[k]);
            nf_result *r = search(ctx, g[k], "auto", 0, rows[i]);
            OK(nf_graph_get_info(g[k], &info));
            nf_context_bytes(ctx, &peak);
            assert_true(peak - before < info.bytes / 2 + 16 * n + rows[i] * (n * 4 + 512) + 8192);
            nf_result_free(r);
            nf_context_free(ctx);
        }
    nf_graph_free(g[0]);
    nf_graph_free(g[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_and_matrix_read_all_arcs_each_level),
        cmocka_unit_test(top_down_reads_each_arc_once),
        cmocka_unit_test(bottom_up_reads_few_arcs_on_rmat),
        cmocka_unit_test(order_of_degree_saves_looks),
        cmocka_unit_test(bits_share_arcs_among_sources),
        cmocka_unit_test(bits_of_every_width_agree),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(wide_levels_agree),
        cmocka_unit_test(pushed_levels_count_arcs),
        cmocka_unit_test(fronts_in_meshes_go_top_down),
        cmocka_unit_test(unsorted_rows_have_least_parents),
        cmocka_unit_test(auto_goes_by_statistics),
        cmocka_unit_test(auto_is_sparing_with_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
