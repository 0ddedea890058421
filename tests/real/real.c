/* real.c - tests on real graphs: sizes as their publishers give them, distances as reference.json has them, and the
 * checkers.
 *
 * The data is not part of the repository. A test whose file is absent is skipped and says so; when the whole folder is
 * absent the program ends with status 77.
 */
#include <unistd.h>

#include "support.h"

/* ---- roads against reference.json -------------------------------------------------------------------------------- */

/* The vector as reference.json hashes it: one decimal a line, -1 where unreached. */
static void hash_row(const nf_result *r, bool bfs, nf_vid n, char hex[65])
{
    char *text = malloc((size_t)n * 21 + 1);
    size_t at = 0;
    assert_non_null(text);
    for (nf_vid v = 0; v < n; v++) {
        long long d = bfs ? nf_result_hops(r, 0)[v] : ((const int64_t *)nf_result_distances(r, 0))[v];
        d = !bfs && d == NF_UNREACHED_I64 ? -1 : d;
        at += (size_t)sprintf(text + at, "%lld\n", d);
    }
    sha256_hex(text, at, hex);
    free(text);
}

static nf_vid farthest(const nf_result *r, nf_vid n)
{
    nf_vid far = 0;
    for (nf_vid v = 0; v < n; v++)
        if (nf_result_distance(r, 0, v) > nf_result_distance(r, 0, far))
            far = v;
    return far;
}

/* One entry of reference.json; `at` moves past it. */
static void compare_entry(const nf_graph *g, const char *algorithm, const char **at)
{
    nf_result *sssp = NULL, *bfs = NULL;
    nf_vid source = 0;
    char want[80], hex[65], text[48];
    nf_row_info info = {.size = sizeof info};
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm};
    assert_int_equal(nf_graph_find(g, (uint64_t)json_number(at, "source"), &source), NF_OK);
    assert_int_equal(nf_sssp(NULL, g, source, &o, &sssp), NF_OK);
    assert_int_equal(nf_bfs(NULL, g, source, NULL, &bfs), NF_OK);
    assert_int_equal(nf_result_row_info(sssp, 0, &info), NF_OK);
    assert_int_equal(info.reached, (uint64_t)json_number(at, "reachable"));
    snprintf(text, sizeof text, "%.0f", json_number(at, "dist_max"));
    assert_string_equal(info.max_text, text);
    assert_int_equal(nf_graph_label(g, farthest(sssp, nf_graph_n(g))), (uint64_t)json_number(at, "dist_max_vertex"));
    snprintf(text, sizeof text, "%.0f", json_number(at, "dist_sum"));
    assert_string_equal(info.sum_text, text);
    assert_int_equal(nf_result_row_info(bfs, 0, &info), NF_OK);
    snprintf(text, sizeof text, "%.0f", json_number(at, "bfs_depth_max"));
    assert_string_equal(info.max_text, text);
    snprintf(text, sizeof text, "%.0f", json_number(at, "bfs_depth_sum"));
    assert_string_equal(info.sum_text, text);
    json_text(at, "dist_sha256", want, sizeof want);
    hash_row(sssp, false, nf_graph_n(g), hex);
    assert_string_equal(hex, want);
    json_text(at, "bfs_sha256", want, sizeof want);
    hash_row(bfs, true, nf_graph_n(g), hex);
    assert_string_equal(hex, want);
    must_be_right(g, sssp, NULL);
    must_be_right(g, bfs, NULL);
    nf_result_free(sssp);
    nf_result_free(bfs);
}

static void compare_road(const char *file, const char *path, const char *algorithm, nf_vid n, nf_eid m)
{
    NEED(reference, "road/reference.json");
    char *json = slurp(reference);
    assert_non_null(json);
    const char *at = strstr(json, file);
    assert_non_null(at);
    nf_graph *g = must_read(path, NULL);
    must_have(g, n, m);
    for (int entry = 0; entry < 3; entry++)
        compare_entry(g, algorithm, &at);
    nf_graph_free(g);
    free(json);
}

static void test_sha256(void **state)
{
    (void)state;
    char hex[65];
    sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_new_york(void **state)
{
    (void)state;
    NEED(path, "road/USA-road-d.NY.gr.gz");
    compare_road("USA-road-d.NY.gr.gz", path, "auto", 264346, 733846);
}

/* Rome is small enough for every algorithm that takes a source. */
static void test_rome(void **state)
{
    (void)state;
    NEED(path, "road/rome99.gr.gz");
    const nf_algorithm_info *alg = NULL;
    for (size_t i = 0; (alg = nf_algorithm_get(i)) != NULL; i++)
        if (alg->problem == NF_SSSP && strcmp(alg->device, "cpu") == 0 && (alg->flags & NF_ALG_UNDIRECTED_ONLY) == 0)
            compare_road("rome99.gr.gz", path, alg->name, 3353, 8870);
}

/* Threads change nothing, and coordinates come along. */
static void test_new_york_threads(void **state)
{
    (void)state;
    NEED(path, "road/USA-road-d.NY.gr.gz");
    NEED(places, "road/USA-road-d.NY.co.gz");
    const int threads[] = {1, 2, 8};
    nf_result *first = NULL;
    for (size_t i = 0; i < 3; i++) {
        nf_context *ctx = NULL;
        nf_graph *g = NULL;
        nf_result *r = NULL;
        nf_check_report report;
        const nf_context_options c = {.size = sizeof c, .threads = threads[i]};
        const nf_read_options o = {.size = sizeof o, .coordinates = places};
        const nf_run_options run = {.size = sizeof run, .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};
        const nf_check_options same = {.size = sizeof same, .flags = NF_CHECK_WITH_PARENTS};
        const nf_check_options tree = {.size = sizeof tree, .flags = NF_CHECK_WITH_DETERMINISTIC};
        assert_int_equal(nf_context_create(&c, &ctx), NF_OK);
        assert_int_equal(nf_graph_read(ctx, path, &o, &g), NF_OK);
        assert_non_null(nf_graph_coordinates(g));
        assert_int_equal(nf_sssp(ctx, g, 0, &run, &r), NF_OK);
        if (first == NULL)
            must_be_right(g, r, &tree);
        assert_int_equal(nf_check_equal(r, first != NULL ? first : r, &same, &report), NF_OK);
        assert_true(report.ok);
        nf_graph_free(g);
        nf_context_free(ctx);
        if (first == NULL)
            first = r;
        else
            nf_result_free(r);
    }
    nf_result_free(first);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* n and m as published (m counts stored arcs: undirected edges twice); a BFS from a vertex of most arcs is right. */
typedef struct sizes {
    const char *file;
    nf_vid n;
    nf_eid m;
    bool directed;
} sizes;

static const sizes roads[] = {
    {"road/FLA.gr.xz", 1070376, 2 * 1343951, false},
    {"road/luxembourg_osm.mtx.xz", 114599, 2 * 119666, false},
};

static const sizes socials[] = {
    {"social/wiki-Vote.txt.gz", 7115, 103689, true},       {"social/email-Enron.txt.gz", 36692, 367662, true},
    {"social/ca-GrQc.txt.gz", 5242, 28980, true},          {"social/facebook_combined.txt.gz", 4039, 88234, true},
    {"social/p2p-Gnutella31.txt.gz", 62586, 147892, true},
};

static const sizes meshes[] = {
    {"mesh/4elt.graph.xz", 15606, 2 * 45878, false},
    {"mesh/delaunay_n15.graph.xz", 32768, 2 * 98274, false},
    {"mesh/rgg_n_2_15_s0.graph.xz", 32768, 2 * 160240, false},
};

static void compare_sizes(const sizes *list, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = data_path(list[i].file);
        if (path == NULL)
            continue;
        nf_graph *g = must_read(path, NULL);
        nf_graph_info info = {.size = sizeof info};
        nf_graph_stats stats = {.size = sizeof stats};
        nf_result *r = NULL;
        must_have(g, list[i].n, list[i].m);
        assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
        assert_int_equal(info.directed, list[i].directed);
        assert_int_equal(nf_graph_get_stats(NULL, g, 0, &stats), NF_OK);
        assert_int_equal(nf_bfs(NULL, g, stats.degree_max_vertex, NULL, &r), NF_OK);
        must_be_right(g, r, NULL);
        nf_result_free(r);
        nf_graph_free(g);
        found++;
    }
    if (found == 0)
        skip();
}

static void test_road_sizes(void **state)
{
    (void)state;
    compare_sizes(roads, sizeof roads / sizeof roads[0]);
}

static void test_social_sizes(void **state)
{
    (void)state;
    compare_sizes(socials, sizeof socials / sizeof socials[0]);
}

static void test_mesh_sizes(void **state)
{
    (void)state;
    compare_sizes(meshes, sizeof meshes / sizeof meshes[0]);
}

/* ---- trust with a negative cycle --------------------------------------------------------------------------------- */

static void test_bitcoin(void **state)
{
    (void)state;
    NEED(path, "social/soc-sign-bitcoinotc.csv.gz");
    nf_graph *g = must_read(path, NULL);
    nf_result *r = NULL;
    nf_check_report report;
    uint64_t length = 0;
    nf_vid source = 0;
    must_have(g, 5881, 35592);
    nf_graph_info info = {.size = sizeof info};
    assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
    assert_true(info.negative_weights);
    assert_int_equal(nf_graph_find(g, 6, &source), NF_OK);
    assert_int_equal(nf_sssp(NULL, g, source, NULL, &r), NF_ENEGCYCLE);
    assert_non_null(r);
    const nf_vid *cycle = nf_result_cycle(r, &length);
    assert_int_equal(nf_check_cycle(NULL, g, cycle, length, NF_NONE, &report), NF_OK);
    if (!report.ok)
        print_error("%s\n", report.message);
    assert_true(report.ok);
    must_be_right(g, r, NULL);
    nf_result_free(r);
    nf_graph_free(g);
}

/* ---- dense matrices: two ways to close them ---------------------------------------------------------------------- */

static void test_dense(void **state)
{
    (void)state;
    for (size_t i = 0; i < MATRIX_FILES; i++) {
        NEED(path, matrix_files[i].file);
        nf_graph *g = must_read(path, NULL);
        nf_result *a = NULL, *b = NULL;
        nf_check_report report;
        const nf_check_options same = {.size = sizeof same, .flags = NF_CHECK_WITH_PARENTS};
        nf_run_options o = {.size = sizeof o,
                            .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC,
                            .algorithm = "floyd-warshall"};
        assert_int_equal(nf_graph_n(g), matrix_files[i].n);
        assert_int_equal(nf_apsp(NULL, g, &o, &a), NF_OK);
        o.algorithm = "johnson";
        assert_int_equal(nf_apsp(NULL, g, &o, &b), NF_OK);
        assert_int_equal(nf_check_equal(a, b, &same, &report), NF_OK);
        if (!report.ok)
            print_error("%s: %s\n", matrix_files[i].file, report.message);
        assert_true(report.ok);
        must_be_right(g, a, NULL);
        nf_result_free(a);
        nf_result_free(b);
        nf_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),         cmocka_unit_test(test_new_york),
        cmocka_unit_test(test_rome),           cmocka_unit_test(test_new_york_threads),
        cmocka_unit_test(test_road_sizes),     cmocka_unit_test(test_social_sizes),
        cmocka_unit_test(test_mesh_sizes),     cmocka_unit_test(test_bitcoin),
        cmocka_unit_test(test_dense),          cmocka_unit_test(test_ldbc_edges),
        cmocka_unit_test(test_ldbc_lists),     cmocka_unit_test(test_gapbs),
        cmocka_unit_test(test_lagraph_sizes),  cmocka_unit_test(test_lagraph_paths),
        cmocka_unit_test(test_negative_small),
    };
    if (access(data_folder(), R_OK) != 0) {
        printf("skipped: the data folder %s is not here\n", data_folder());
        return 77;
    }
    return cmocka_run_group_tests_name("real", tests, NULL, NULL);
}
