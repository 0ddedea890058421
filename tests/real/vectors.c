/* vectors.c - small graphs with answers: LDBC Graphalytics, GAP, LAGraph, and ten graphs with negative arcs. */
#include "support.h"

/* ---- LDBC Graphalytics ------------------------------------------------------------------------------------------- */

/* Expected output, "label value" a line, into the buffer that a result lies in. */
static void expect_ldbc(const char *path, const nf_graph *g, bool bfs, bool labelled, void *buffer)
{
    char *text = slurp(path), *at = text;
    nf_vid seen = 0;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &at); line != NULL; line = strtok_r(NULL, "\n", &at)) {
        char *rest = NULL;
        const unsigned long label = strtoul(line, &rest, 10);
        nf_vid v = (nf_vid)label - 1;
        if (labelled)
            assert_int_equal(nf_graph_find(g, label, &v), NF_OK);
        assert_true(v < nf_graph_n(g));
        if (bfs)
            ((int32_t *)buffer)[v] =
                strstr(rest, "9223372036854775807") != NULL ? NF_NO_HOP : (int32_t)strtol(rest, NULL, 10);
        else
            ((double *)buffer)[v] = strstr(rest, "Infinity") != NULL ? (double)INFINITY : strtod(rest, NULL);
        seen++;
    }
    assert_int_equal(seen, nf_graph_n(g));
    free(text);
}

static void compare_ldbc(const nf_graph *g, nf_vid source, bool bfs, bool labelled, const char *expected)
{
    nf_result *got = NULL, *want = NULL;
    nf_check_report report;
    double buffer[64];
    const nf_run_options shape = {.size = sizeof shape, .distances = buffer, .distance_type = NF_F64};
    const nf_run_options plain = {.size = sizeof plain, .distance_type = NF_F64};
    assert_true(nf_graph_n(g) <= 64);
    assert_int_equal(bfs ? nf_bfs(NULL, g, source, NULL, &got) : nf_sssp(NULL, g, source, &plain, &got), NF_OK);
    assert_int_equal(bfs ? nf_bfs(NULL, g, source, &shape, &want) : nf_sssp(NULL, g, source, &shape, &want), NF_OK);
    memset(buffer, 0xee, sizeof buffer);
    expect_ldbc(expected, g, bfs, labelled, buffer);
    assert_int_equal(nf_check_ldbc(got, want, &report), NF_OK);
    if (!report.ok)
        print_error("%s: %s\n", expected, report.message);
    assert_true(report.ok);
    must_be_right(g, got, NULL);
    nf_result_free(want);
    want = NULL;
    if (labelled) { /* the library reads such files too */
        assert_int_equal(nf_result_read(NULL, g, expected, bfs ? NF_BFS : NF_SSSP, NF_F64, &want), NF_OK);
        assert_int_equal(nf_check_ldbc(got, want, &report), NF_OK);
        assert_true(report.ok);
    }
    nf_result_free(got);
    nf_result_free(want);
}

void test_ldbc_edges(void **state)
{
    (void)state;
    const struct {
        const char *edges;
        bool directed;
        uint64_t source;
        const char *bfs, *sssp;
    } cases[] = {
        {"vectors/ldbc/example/example-directed.e", true, 1, "vectors/ldbc/example/example-directed-BFS",
         "vectors/ldbc/example/example-directed-SSSP"},
        {"vectors/ldbc/example/example-undirected.e", false, 2, "vectors/ldbc/example/example-undirected-BFS",
         "vectors/ldbc/example/example-undirected-SSSP"},
        {"vectors/ldbc/sssp/dir-input.e", true, 1, NULL, "vectors/ldbc/sssp/dir-output"},
        {"vectors/ldbc/sssp/undir-input.e", false, 1, NULL, "vectors/ldbc/sssp/undir-output"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        NEED(path, cases[i].edges);
        NEED(sssp, cases[i].sssp);
        const nf_read_options o = {.size = sizeof o,
                                   .format = "edges",
                                   .flags = cases[i].directed ? NF_READ_DIRECTED : NF_READ_UNDIRECTED};
        nf_graph *g = must_read(path, &o);
        nf_vid source = 0;
        assert_int_equal(nf_graph_find(g, cases[i].source, &source), NF_OK);
        compare_ldbc(g, source, false, true, sssp);
        const char *bfs = cases[i].bfs != NULL ? data_path(cases[i].bfs) : NULL;
        if (bfs != NULL)
            compare_ldbc(g, source, true, true, bfs);
        nf_graph_free(g);
    }
}

/* "u v1 v2 ...": the vertex, then those it leads to; numbered from 1. */
static nf_graph *read_lists(const char *path, nf_vid n)
{
    char *text = slurp(path), *at = text;
    nf_vid src[256], dst[256];
    nf_eid m = 0;
    nf_graph *g = NULL;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &at); line != NULL; line = strtok_r(NULL, "\n", &at)) {
        char *rest = line, *end = NULL;
        const unsigned long u = strtoul(rest, &rest, 10);
        for (unsigned long v = strtoul(rest, &end, 10); end != rest && m < 256; v = strtoul(rest, &end, 10)) {
            src[m] = (nf_vid)u - 1, dst[m++] = (nf_vid)v - 1;
            rest = end;
        }
    }
    const nf_coo coo = {.n = n, .m = m, .src = src, .dst = dst};
    assert_int_equal(nf_graph_from_coo(NULL, &coo, NULL, &g), NF_OK);
    free(text);
    return g;
}

void test_ldbc_lists(void **state)
{
    (void)state;
    const char *const kinds[] = {"dir", "undir"};
    for (size_t i = 0; i < 2; i++) {
        char in[64], out[64];
        snprintf(in, sizeof in, "vectors/ldbc/bfs/%s-input", kinds[i]);
        snprintf(out, sizeof out, "vectors/ldbc/bfs/%s-output", kinds[i]);
        NEED(path, in);
        NEED(expected, out);
        nf_graph *g = read_lists(path, 10);
        compare_ldbc(g, 0, true, false, expected);
        nf_graph_free(g);
    }
}

/* ---- GAP: one graph, seven files --------------------------------------------------------------------------------- */

/* GAP's builder squeezes out loops and parallel arcs: 14 vertices and 53 arcs are what is left. */
void test_gapbs(void **state)
{
    (void)state;
    const struct {
        const char *file;
        bool weighted;
        nf_eid listed;
    } files[] = {{"4.el", false, 256},  {"4.wel", true, 256},   {"4.gr", true, 256},   {"4.mtx", false, 256},
                 {"4w.mtx", true, 256}, {"4.graph", false, 53}, {"4w.graph", true, 53}};
    nf_result *first = NULL;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "vectors/gapbs/graphs/%s", files[i].file);
        NEED(path, name);
        const nf_read_options plain = {.size = sizeof plain, .flags = NF_READ_DIRECTED};
        const nf_read_options squeezed = {.size = sizeof squeezed,
                                          .flags = NF_READ_DIRECTED | NF_READ_DROP_LOOPS,
                                          .duplicates = NF_DUP_MIN};
        nf_graph_info info = {.size = sizeof info};
        nf_check_report report;
        nf_result *r = NULL;
        nf_graph *g = must_read(path, &plain);
        must_have(g, 14, files[i].listed);
        nf_graph_free(g);
        g = must_read(path, &squeezed);
        must_have(g, 14, 53);
        assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
        assert_int_equal(info.weight_type != NF_NONE, files[i].weighted);
        assert_int_equal(nf_bfs(NULL, g, 0, NULL, &r), NF_OK);
        must_be_right(g, r, NULL);
        assert_int_equal(nf_check_equal(r, first != NULL ? first : r, NULL, &report), NF_OK);
        assert_true(report.ok);
        if (first == NULL)
            first = r;
        else
            nf_result_free(r);
        nf_graph_free(g);
    }
    nf_result_free(first);
}

/* ---- LAGraph: Matrix Market corner cases ------------------------------------------------------------------------- */

void test_lagraph_sizes(void **state)
{
    (void)state;
    const struct {
        const char *file;
        nf_vid n;
        nf_eid m;
        bool directed;
    } files[] = {{"karate.mtx", 34, 2 * 78, false},
                 {"ldbc-directed-example.mtx", 10, 17, true},
                 {"ldbc-undirected-example.mtx", 9, 24, false},
                 {"test_BF.mtx", 7, 12, true},
                 {"test_FW_1000.mtx.xz", 1000, 3996, true},
                 {"west0067.mtx", 67, 294, true},
                 {"cryg2500.mtx.xz", 2500, 12349, true},
                 {"jagmesh7.mtx.xz", 1138, 7450, false},
                 {"pushpull.mtx.xz", 4000, 196305, false}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "vectors/lagraph/%s", files[i].file);
        NEED(path, name);
        nf_graph *g = must_read(path, NULL);
        nf_graph_info info = {.size = sizeof info};
        nf_result *r = NULL;
        must_have(g, files[i].n, files[i].m);
        assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
        assert_int_equal(info.directed, files[i].directed);
        assert_int_equal(nf_bfs(NULL, g, 0, NULL, &r), NF_OK);
        must_be_right(g, r, NULL);
        nf_result_free(r);
        r = NULL;
        const nf_status st = nf_sssp(NULL, g, 0, NULL, &r);
        assert_true(st == NF_OK || (st == NF_ENEGCYCLE && info.negative_weights));
        const nf_check_options loose = {.size = sizeof loose, .tolerance = info.negative_weights ? 1e-12 : 0};
        must_be_right(g, r, &loose); /* of a negative cycle: the cycle */
        nf_result_free(r);
        nf_graph_free(g);
    }
}

/* All pairs by both methods, and every row by Bellman-Ford. */
void test_lagraph_paths(void **state)
{
    (void)state;
    const char *const files[] = {"vectors/lagraph/test_BF.mtx", "vectors/lagraph/test_FW_1000.mtx.xz",
                                 "vectors/lagraph/karate.mtx"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        NEED(path, files[i]);
        nf_graph *g = must_read(path, NULL);
        nf_result *a = NULL, *b = NULL, *row = NULL;
        nf_check_report report;
        const nf_check_options close = {.size = sizeof close, .tolerance = 1e-12};
        nf_run_options o = {.size = sizeof o, .algorithm = "floyd-warshall"};
        assert_int_equal(nf_apsp(NULL, g, &o, &a), NF_OK);
        o.algorithm = "johnson";
        assert_int_equal(nf_apsp(NULL, g, &o, &b), NF_OK);
        assert_int_equal(nf_check_equal(a, b, &close, &report), NF_OK);
        assert_true(report.ok);
        o.algorithm = "bellman-ford";
        for (nf_vid s = 0; s < nf_graph_n(g); s += 97) {
            assert_int_equal(nf_sssp(NULL, g, s, &o, &row), NF_OK);
            for (nf_vid v = 0; v < nf_graph_n(g); v++) {
                const double x = nf_result_distance(row, 0, v), y = nf_result_distance(a, s, v);
                assert_true(x == y || fabs(x - y) <= 1e-12 * fabs(x));
            }
            nf_result_free(row);
            row = NULL;
        }
        nf_result_free(a);
        nf_result_free(b);
        nf_graph_free(g);
    }
}

/* ---- ten small graphs with negative arcs ------------------------------------------------------------------------- */

/* "n m", then "u v w" for each arc, then the source. */
static nf_graph *read_negative(const char *path, nf_vid *source)
{
    char *text = slurp(path), *at = text;
    nf_vid src[64], dst[64];
    int32_t w[64];
    nf_graph *g = NULL;
    assert_non_null(text);
    const nf_vid n = (nf_vid)strtoul(at, &at, 10);
    const nf_eid m = strtoul(at, &at, 10);
    assert_true(m <= 64);
    for (nf_eid e = 0; e < m; e++) {
        src[e] = (nf_vid)strtoul(at, &at, 10);
        dst[e] = (nf_vid)strtoul(at, &at, 10);
        w[e] = (int32_t)strtol(at, &at, 10);
    }
    *source = (nf_vid)strtoul(at, &at, 10);
    const nf_coo coo = {.n = n, .m = m, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    assert_int_equal(nf_graph_from_coo(NULL, &coo, NULL, &g), NF_OK);
    free(text);
    return g;
}

/* The list "dist" of one entry of expected.json. */
static void compare_list(const char *at, const nf_result *r, nf_vid n)
{
    at = strchr(strstr(at, "\"dist\":"), '[') + 1;
    for (nf_vid v = 0; v < n; v++) {
        at += strspn(at, " \n\t,");
        const double want = strncmp(at, "\"inf\"", 5) == 0 ? (double)INFINITY : strtod(at, NULL);
        assert_true(nf_result_distance(r, 0, v) == want);
        at += strcspn(at, ",]");
    }
}

void test_negative_small(void **state)
{
    (void)state;
    NEED(answers, "vectors/negative-small/expected.json");
    char *json = slurp(answers);
    assert_non_null(json);
    for (int i = 1; i <= 10; i++) {
        char name[64], key[32];
        snprintf(name, sizeof name, "vectors/negative-small/test%d.txt", i);
        snprintf(key, sizeof key, "\"test%d.txt\"", i);
        NEED(path, name);
        nf_vid source = 0;
        nf_result *r = NULL;
        nf_graph *g = read_negative(path, &source);
        const char *at = strstr(json, key);
        assert_non_null(at);
        const char *flag = strstr(at, "\"negative_cycle_reachable\":");
        assert_non_null(flag);
        const bool cycle = strncmp(flag + 28, "true", 4) == 0;
        assert_int_equal(nf_sssp(NULL, g, source, NULL, &r), cycle ? NF_ENEGCYCLE : NF_OK);
        must_be_right(g, r, NULL);
        if (!cycle)
            compare_list(at, r, nf_graph_n(g));
        nf_result_free(r);
        nf_graph_free(g);
    }
    free(json);
}
