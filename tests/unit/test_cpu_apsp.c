/* test_cpu_apsp.c - the mechanisms of the CPU's all-pairs methods: counters that only they can give, 32 bits that prove
 * themselves or give way, kernels of every instruction set, matrices made in place, and what auto chooses. */
#include "unit.h"

static nf_graph *generated(const char *kind, uint64_t n, uint64_t edges, double low, double high, nf_type type)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults(kind, &o));
    o.n = n;
    if (edges != 0)
        o.edges = edges;
    o.weight_type = type;
    o.weight_min = low;
    o.weight_max = high;
    o.seed = 7;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static nf_result *solve(const nf_graph *g, const char *algorithm, int threads, uint32_t flags, nf_type type,
                        nf_run_info *info)
{
    const nf_context_options c = {.size = sizeof c, .threads = threads};
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .flags = flags, .distance_type = type};
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    OK(nf_context_create(&c, &ctx));
    OK(nf_apsp(ctx, g, &o, &r));
    info->size = sizeof *info;
    OK(nf_result_info(r, info));
    nf_context_free(ctx);
    return r;
}

static void same_rows(const nf_result *a, const nf_result *b, nf_vid n, size_t width, bool parents)
{
    for (nf_vid i = 0; i < n; i++) {
        assert_memory_equal(nf_result_distances(a, i), nf_result_distances(b, i), n * width);
        if (parents)
            assert_memory_equal(nf_result_parents(a, i), nf_result_parents(b, i), n * sizeof(nf_vid));
    }
}

/* A chain 0 -> 1 -> ... -> n-1 in an order of ids that no method likes: v's place is 5 v mod n. */
static nf_graph *scattered_chain(nf_vid n, int32_t weight)
{
    nf_vid *src = malloc(n * sizeof *src), *dst = malloc(n * sizeof *dst);
    int32_t *w = malloc(n * sizeof *w);
    nf_graph *g = NULL;
    assert_true(src != NULL && dst != NULL && w != NULL);
    for (nf_vid i = 0; i + 1 < n; i++) {
        src[i] = (nf_vid)(5ull * i % n);
        dst[i] = (nf_vid)(5ull * (i + 1) % n);
        w[i] = weight;
    }
    const nf_coo coo = {n, n - 1, src, dst, NF_I32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    free(src);
    free(dst);
    free(w);
    return g;
}

/* n^3 steps in blocks; a full n^3 for every squaring, and between two and 1 + log2(n) of them; Kleene's leaves. */
static void test_counters(void **state)
{
    (void)state;
    const nf_vid n = 602; /* not a multiple of any tile */
    const double cube = (double)n * n * n;
    nf_graph *g = scattered_chain(n, 3);
    nf_run_info info;
    nf_result *blocked = solve(g, "blocked-floyd-warshall", 2, 0, NF_NONE, &info);
    assert_int_equal(info.iterations, 5); /* blocks of 128 */
    assert_true((double)info.edges_relaxed >= cube && (double)info.edges_relaxed < 1.5 * cube);
    nf_result *squared = solve(g, "min-plus", 2, 0, NF_NONE, &info);
    assert_true(info.iterations >= 3 && info.iterations <= 10);
    assert_int_equal(info.edges_relaxed, info.iterations * (uint64_t)n * n * n);
    same_rows(blocked, squared, n, 8, false);
    nf_result_free(squared);
    nf_result *recursive = solve(g, "recursive", 2, 0, NF_NONE, &info);
    assert_int_equal(info.iterations, 5); /* 384 + 218 = (256 + 128) + (128 + 90), 256 = 128 + 128 */
    assert_true((double)info.edges_relaxed > 0.9 * cube && (double)info.edges_relaxed < 1.2 * cube);
    same_rows(blocked, recursive, n, 8, false);
    nf_result_free(recursive);
    assert_true(nf_result_distance(blocked, 0, (nf_vid)(5ull * (n - 1) % n)) == 3.0 * (n - 1));
    nf_result_free(blocked);
    nf_graph_free(g);
}

/* Every method and number of threads gives Johnson's distances, and the same deterministic parents. */
static void test_agreement(void **state)
{
    static const char *const names[] = {"blocked-floyd-warshall", "min-plus", "recursive", "n-sssp",
                                        "johnson-parallel"};
    (void)state;
    nf_graph *g = generated("uniform", 700, 5000, 0, 20, NF_I32); /* zero cycles, too */
    nf_run_info info;
    nf_result *want = solve(g, "johnson", 1, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC, NF_NONE, &info);
    for (size_t i = 0; i < COUNT(names); i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            nf_result *r = solve(g, names[i], threads, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC, NF_NONE, &info);
            same_rows(want, r, 700, 8, true);
            nf_result_free(r);
        }
    nf_result_free(want);
    nf_graph_free(g);
}

/* Parents that the kernels follow: dense, with many ties and zero cycles; all of them trees of tight arcs. */
static void test_followed_parents(void **state)
{
    (void)state;
    nf_graph *g = generated("complete", 300, 0, 0, 3, NF_I32);
    nf_run_info info;
    nf_result *r = solve(g, "blocked-floyd-warshall", 2, NF_RUN_PARENTS, NF_NONE, &info);
    nf_vid path[300];
    for (nf_vid i = 0; i < 300; i++)
        for (nf_vid j = 0; j < 300; j++) {
            uint64_t length = 0;
            OK(nf_result_path(r, i, j, path, 300, &length));
            assert_true(length >= 1 && length <= 300 && path[0] == i && path[length - 1] == j);
        }
    nf_result_free(r);
    nf_graph_free(g);
}

/* Every instruction set gives the same cells and trees, in every type; sizes past whole tiles. */
static void test_vectors(void **state)
{
    static const char *const vectors[] = {"vectors=avx512", "vectors=avx2", "vectors=neon", "vectors=portable"};
    static const nf_type types[] = {NF_I32, NF_I64, NF_F32, NF_F64};
    (void)state;
    nf_graph *g = generated("uniform", 333, 8000, 1, 50, NF_I32);
    for (size_t t = 0; t < COUNT(types); t++)
        for (uint32_t flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS) {
            nf_run_info info;
            nf_result *want = solve(g, "blocked-floyd-warshall", 2, flags, types[t], &info);
            for (size_t i = 0; i < COUNT(vectors); i++) {
                const nf_run_options o = {.size = sizeof o,
                                          .algorithm = "blocked-floyd-warshall",
                                          .flags = flags,
                                          .distance_type = types[t],
                                          .knobs = &vectors[i],
                                          .knob_count = 1};
                nf_result *r = NULL;
                OK(nf_apsp(NULL, g, &o, &r));
                same_rows(want, r, 333, nf_type_size(types[t]), flags != 0);
                nf_result_free(r);
            }
            nf_result_free(want);
        }
    nf_graph_free(g);
}

/* 600 arcs of 2^24 are more than 2^30: the 32-bit run must notice and start again. 600 arcs of 1 are not. */
static void test_widening(void **state)
{
    (void)state;
    nf_run_info info, narrow;
    nf_graph *wide = scattered_chain(601, 1 << 24), *fits = scattered_chain(601, 1);
    nf_result *r = solve(wide, "blocked-floyd-warshall", 2, 0, NF_NONE, &info);
    assert_true(nf_result_distance(r, 0, 5 * 600 % 601) == 600.0 * (1 << 24));
    assert_true(isinf(nf_result_distance(r, 5 * 600 % 601, 0)));
    nf_result_free(r);
    r = solve(fits, "blocked-floyd-warshall", 2, 0, NF_NONE, &narrow);
    assert_true(info.edges_relaxed > 19 * narrow.edges_relaxed / 10); /* once in 32 bits, once more in 64 */
    nf_result_free(r);
    nf_graph_free(wide);
    nf_graph_free(fits);
}

/* In the result's own memory: beyond the 8 n^2 bytes of the result, only packed slices are held. */
static void test_memory(void **state)
{
    (void)state;
    const uint64_t n = 1500;
    nf_graph *g = generated("uniform", n, 30000, 1, 9, NF_I32);
    nf_run_info info;
    nf_result *r = solve(g, "blocked-floyd-warshall", 2, 0, NF_NONE, &info);
    assert_true(info.peak_bytes >= 8 * n * n && info.peak_bytes < 8 * n * n + 2 * 128 * 4 * (n + 64) + 400 * n);
    nf_result_free(r);
    r = solve(g, "n-sssp", 2, 0, NF_NONE, &info);
    assert_true(info.peak_bytes < 8 * n * n + 8 * 60000 + 400 * n);
    nf_result_free(r);
    nf_graph_free(g);
}

static uint64_t iterations_of(const nf_result *r, uint64_t row)
{
    nf_row_info info = {.size = sizeof info};
    OK(nf_result_row_info(r, row, &info));
    return info.iterations;
}

/* One source at a time (a cutoff asks for it) each vertex is settled about once, each arc looked at about once. In
 * lanes the first row of a group has the counts of all. Where vertices fall too often, lanes are given up. */
static void test_runs(void **state)
{
    (void)state;
    nf_graph *g = generated("uniform", 1000, 8000, 1, 255, NF_I32),
             *dag = generated("dag-chain", 2000, 0, 0, 0, NF_NONE);
    nf_graph_info graph = {.size = sizeof graph};
    nf_run_info info;
    nf_result *single = NULL;
    OK(nf_graph_get_info(g, &graph));
    const nf_run_options bounded = {.size = sizeof bounded,
                                    .algorithm = "n-sssp",
                                    .flags = NF_RUN_CUTOFF,
                                    .cutoff = 1e9};
    OK(nf_apsp(NULL, g, &bounded, &single));
    info.size = sizeof info;
    OK(nf_result_info(single, &info));
    assert_true(info.edges_relaxed >= 999 * graph.m && info.edges_relaxed < 1300 * graph.m);
    assert_true(iterations_of(single, 1) >= 1000);
    nf_result *r = solve(g, "n-sssp", 2, 0, NF_NONE, &info);
    assert_true(iterations_of(r, 0) >= 1000 && iterations_of(r, 1) == 0);
    same_rows(single, r, 1000, 8, false);
    nf_result_free(single);
    nf_result_free(r);
    r = solve(dag, "n-sssp", 2, 0, NF_NONE, &info);
    assert_true(iterations_of(r, 1) > 0);
    nf_result_free(r);
    nf_graph_free(g);
    nf_graph_free(dag);
}

static void expect_choice(nf_graph *g, const char *algorithm, const char *reason)
{
    nf_run_info info;
    nf_result *r = solve(g, NULL, 2, 0, NF_NONE, &info);
    assert_string_equal(info.algorithm, algorithm);
    assert_non_null(strstr(info.reason, reason));
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_auto(void **state)
{
    (void)state;
    expect_choice(generated("complete", 400, 0, 1, 9, NF_I32), "blocked-floyd-warshall", "density");
    expect_choice(generated("uniform", 1200, 3000, 1, 9, NF_I32), "n-sssp", "cost less than");
    expect_choice(generated("negative", 1200, 3000, -50, 100, NF_I32), "johnson-parallel", "negative weights");
}

/* Rows that auto makes in stages, with scratch in rows to come, are those of the same method with scratch of its own;
 * so are a small dense graph's, whose slices are shallow. */
static void test_stages(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        uint64_t n, edges;
        double low, high;
        nf_type type;
        const char *method;
    } of[] = {{"grid2d", 400, 0, 1, 255, NF_I32, "n-sssp"},
              {"kronecker", 512, 1500, 1, 255, NF_I32, "n-sssp"},
              {"uniform", 300, 600, 1, 1 << 30, NF_I32, "n-sssp"},
              {"uniform", 300, 600, 0.1, 1, NF_F32, "n-sssp"},
              {"uniform", 300, 600, 0.1, 1, NF_F64, "n-sssp"},
              {"uniform", 300, 600, 1, 1, NF_NONE, "n-sssp"},
              {"negative", 300, 600, -50, 100, NF_I32, "johnson-parallel"},
              {"complete", 130, 0, 1, 255, NF_I32, "blocked-floyd-warshall"}};
    static const int threads[] = {1, 3};
    unsigned staged = 0;
    for (size_t k = 0; k < COUNT(of); k++) {
        nf_graph *g = generated(of[k].kind, of[k].n, of[k].edges, of[k].low, of[k].high, of[k].type);
        nf_run_info info;
        nf_result *want = solve(g, of[k].method, 1, NF_RUN_DETERMINISTIC, NF_NONE, &info);
        for (size_t t = 0; t < COUNT(threads); t++)
            for (unsigned parents = 0; parents < 2; parents++) {
                nf_result *r = solve(g, "auto", threads[t], parents != 0 ? NF_RUN_DETERMINISTIC : 0, NF_NONE, &info);
                staged += strcmp(info.algorithm, of[k].method) == 0;
                same_rows(r, want, nf_graph_n(g), nf_type_size(info.type), parents != 0);
                nf_result_free(r);
            }
        nf_result_free(want);
        if (of[k].type == NF_I32 && of[k].high < 256) { /* results narrower than labels */
            nf_result *narrow = solve(g, "auto", 2, 0, NF_I32, &info);
            want = solve(g, of[k].method, 1, 0, NF_I32, &info);
            same_rows(narrow, want, nf_graph_n(g), sizeof(int32_t), false);
            nf_result_free(narrow);
            nf_result_free(want);
        }
        nf_graph_free(g);
    }
    assert_true(staged >= 2 * COUNT(of)); /* of 4: on one thread some graphs are better off with the matrix */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters), cmocka_unit_test(test_agreement), cmocka_unit_test(test_followed_parents),
        cmocka_unit_test(test_widening), cmocka_unit_test(test_memory),    cmocka_unit_test(test_runs),
        cmocka_unit_test(test_auto),     cmocka_unit_test(test_stages),    cmocka_unit_test(test_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
