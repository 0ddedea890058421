/* test_check.c - the checkers catch planted errors, each by the right rule, and let right results pass.
 *
 * Results live in the caller's buffers, so that they can be changed after the run: each case runs, changes a number or
 * two and looks at what the checker says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"

#define N 10
#define NONE NF_NO_VERTEX
#define FAR NF_UNREACHED_I64

/* 0 -> 1 -> 2 <-> 3 with a zero-weight cycle; 5 behind 2, by two equal ways; 4 a second source; 6 alone; 7 <-> 8 a
 * zero-weight cycle out of reach; 9 beside 5. Distances from 0: 0 2 3 3 - 7 - - - 7. */
static const nf_vid arc_src[] = {0, 0, 1, 2, 3, 1, 4, 2, 3, 7, 8, 2, 0, 2};
static const nf_vid arc_dst[] = {1, 2, 2, 3, 2, 3, 3, 5, 5, 8, 7, 9, 1, 2};
static const int32_t arc_w[] = {2, 5, 1, 0, 0, 7, 1, 4, 4, 0, 0, 4, 9, 3};
#define M (sizeof arc_src / sizeof arc_src[0])

static nf_graph *make_graph(nf_type type, const void *weights)
{
    nf_graph *g = NULL;
    const nf_coo coo = {.n = N, .m = M, .src = arc_src, .dst = arc_dst, .weight_type = type, .weights = weights};
    assert_int_equal(nf_graph_from_coo(NULL, &coo, NULL, &g), NF_OK);
    return g;
}

static void expect_rule(const nf_check_report *report, nf_check_rule rule, const char *name)
{
    if (report->rule != rule)
        print_error("%s: want %s, got %s (%s)\n", name, nf_check_rule_name(rule), nf_check_rule_name(report->rule),
                    report->message);
    assert_int_equal(report->rule, rule);
    assert_int_equal(report->ok, rule == NF_CHECK_NONE);
    assert_int_equal(report->message[0] == '\0', rule == NF_CHECK_NONE);
}

/* ---- single-source rows ------------------------------------------------------------------------------------------ */

typedef struct change {
    const char *name;
    nf_check_rule rule;
    bool parents;
    uint32_t flags; /* NF_CHECK_WITH_* */
    double cutoff;
    struct {
        nf_vid v;
        int64_t d;
    } d[3]; /* v = NONE ends */
    struct {
        nf_vid v;
        nf_vid p;
    } p[3];
} change;

#define NO_D        \
    {               \
        {           \
            NONE, 0 \
        }           \
    }
#define NO_P        \
    {               \
        {           \
            NONE, 0 \
        }           \
    }
#define DET (NF_CHECK_WITH_DETERMINISTIC)
#define CUT (NF_CHECK_WITH_CUTOFF)

static const change sssp_cases[] = {
    {"right, with parents", NF_CHECK_NONE, true, DET, 0, NO_D, NO_P},
    {"right, without parents", NF_CHECK_NONE, false, 0, 0, NO_D, NO_P},
    {"distance too small", NF_CHECK_SUPPORT, false, 0, 0, {{5, 6}, {NONE, 0}}, NO_P},
    {"distance too small, with parents", NF_CHECK_LEVEL, true, 0, 0, {{5, 6}, {NONE, 0}}, NO_P},
    {"distance too large", NF_CHECK_ARC, false, 0, 0, {{5, 8}, {NONE, 0}}, NO_P},
    {"distance too large, with parents", NF_CHECK_LEVEL, true, 0, 0, {{5, 8}, {NONE, 0}}, NO_P},
    {"unreached marked reached", NF_CHECK_SUPPORT, false, 0, 0, {{6, 4}, {NONE, 0}}, NO_P},
    {"unreached marked reached, with a parent", NF_CHECK_JOINED, true, 0, 0, {{6, 4}, {NONE, 0}}, {{6, 2}, {NONE, 0}}},
    {"unreached marked reached, without a parent", NF_CHECK_TREE, true, 0, 0, {{6, 4}, {NONE, 0}}, NO_P},
    {"zero-weight cycle out of reach marked reached", NF_CHECK_SUPPORT, false, 0, 0, {{7, 1}, {8, 1}, {NONE, 0}}, NO_P},
    {"the same, holding itself up with parents",
     NF_CHECK_TREE,
     true,
     0,
     0,
     {{7, 1}, {8, 1}, {NONE, 0}},
     {{7, 8}, {8, 7}, {NONE, 0}}},
    {"reached marked unreached", NF_CHECK_SPAN, false, 0, 0, {{5, FAR}, {NONE, 0}}, NO_P},
    {"reached marked unreached, with parents",
     NF_CHECK_SPAN,
     true,
     0,
     0,
     {{5, FAR}, {NONE, 0}},
     {{5, NONE}, {NONE, 0}}},
    {"unreached but with a parent", NF_CHECK_TREE, true, 0, 0, {{5, FAR}, {NONE, 0}}, NO_P},
    {"parent not an arc", NF_CHECK_JOINED, true, 0, 0, NO_D, {{5, 1}, {NONE, 0}}},
    {"parent arc not tight", NF_CHECK_LEVEL, true, 0, 0, NO_D, {{2, 0}, {NONE, 0}}},
    {"parent cycle of zero weight", NF_CHECK_TREE, true, 0, 0, NO_D, {{2, 3}, {3, 2}, {NONE, 0}}},
    {"parent out of range", NF_CHECK_TREE, true, 0, 0, NO_D, {{3, N}, {NONE, 0}}},
    {"own parent", NF_CHECK_TREE, true, 0, 0, NO_D, {{3, 3}, {NONE, 0}}},
    {"parent is unreached", NF_CHECK_TREE, true, 0, 0, NO_D, {{3, 4}, {NONE, 0}}},
    {"source not at 0", NF_CHECK_SOURCE, false, 0, 0, {{0, 1}, {NONE, 0}}, NO_P},
    {"source below 0", NF_CHECK_SOURCE, false, 0, 0, {{0, -1}, {NONE, 0}}, NO_P},
    {"source unreached", NF_CHECK_SOURCE, false, 0, 0, {{0, FAR}, {NONE, 0}}, NO_P},
    {"source has another parent", NF_CHECK_TREE, true, 0, 0, NO_D, {{0, 1}, {NONE, 0}}},
    {"source has no parent", NF_CHECK_TREE, true, 0, 0, NO_D, {{0, NONE}, {NONE, 0}}},
    {"another shortest tree is right", NF_CHECK_NONE, true, 0, 0, NO_D, {{5, 3}, {NONE, 0}}},
    {"but it is not the deterministic one", NF_CHECK_DETERMINISTIC, true, DET, 0, NO_D, {{5, 3}, {NONE, 0}}},
    {"beyond the cutoff", NF_CHECK_LIMIT, false, CUT, 3, NO_D, NO_P},
    {"nothing beyond the cutoff", NF_CHECK_NONE, false, CUT, 3.5, {{5, FAR}, {9, FAR}, {NONE, 0}}, NO_P},
    {"too much left out for the cutoff", NF_CHECK_SPAN, false, CUT, 7, {{5, FAR}, {9, FAR}, {NONE, 0}}, NO_P},
};

static void apply(const change *c, int64_t *d, nf_vid *p)
{
    for (size_t k = 0; k < 3 && c->d[k].v != NONE; k++)
        d[c->d[k].v] = c->d[k].d;
    for (size_t k = 0; k < 3 && c->p[k].v != NONE; k++)
        p[c->p[k].v] = c->p[k].p;
}

static void test_sssp(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    for (size_t i = 0; i < sizeof sssp_cases / sizeof sssp_cases[0]; i++) {
        const change *c = &sssp_cases[i];
        int64_t d[N];
        nf_vid p[N];
        nf_result *r = NULL;
        nf_check_report report;
        nf_run_options o = {.size = sizeof o, .distances = d, .parents = c->parents ? p : NULL};
        o.flags = c->parents ? NF_RUN_PARENTS | NF_RUN_DETERMINISTIC : 0;
        assert_int_equal(nf_sssp(NULL, g, 0, &o, &r), NF_OK);
        apply(c, d, p);
        const nf_check_options how = {.size = sizeof how, .flags = c->flags, .cutoff = c->cutoff};
        assert_int_equal(nf_check_sssp(NULL, g, r, 0, &how, &report), NF_OK);
        expect_rule(&report, c->rule, c->name);
        if (c->d[0].v != NONE && (report.rule == NF_CHECK_SPAN || report.rule == NF_CHECK_SUPPORT))
            assert_int_equal(report.vertex, c->d[0].v);
        nf_result_free(r);
    }
    nf_graph_free(g);
}

/* Hops from 0: 0 1 1 2 - 2 - - - 2. */
static const change bfs_cases[] = {
    {"right, with parents", NF_CHECK_NONE, true, DET, 0, NO_D, NO_P},
    {"right, without parents", NF_CHECK_NONE, false, 0, 0, NO_D, NO_P},
    {"level one too deep", NF_CHECK_LEVEL, true, 0, 0, {{5, 3}, {NONE, 0}}, NO_P},
    {"level one too deep, without parents", NF_CHECK_ARC, false, 0, 0, {{5, 3}, {NONE, 0}}, NO_P},
    {"level one too high", NF_CHECK_LEVEL, true, 0, 0, {{5, 1}, {NONE, 0}}, NO_P},
    {"level one too high, without parents", NF_CHECK_SUPPORT, false, 0, 0, {{5, 1}, {NONE, 0}}, NO_P},
    {"tree arc over two levels", NF_CHECK_LEVEL, true, 0, 0, NO_D, {{5, 3}, {NONE, 0}}},
    {"parent not an arc", NF_CHECK_JOINED, true, 0, 0, NO_D, {{5, 1}, {NONE, 0}}},
    {"parents in a cycle", NF_CHECK_TREE, true, 0, 0, NO_D, {{2, 3}, {3, 2}, {NONE, 0}}},
    {"source has another parent", NF_CHECK_TREE, true, 0, 0, NO_D, {{0, 1}, {NONE, 0}}},
    {"source at 1", NF_CHECK_SOURCE, true, 0, 0, {{0, 1}, {NONE, 0}}, NO_P},
    {"unreached but with a parent", NF_CHECK_TREE, true, 0, 0, NO_D, {{6, 0}, {NONE, 0}}},
    {"component not spanned", NF_CHECK_SPAN, true, 0, 0, {{5, -1}, {NONE, 0}}, {{5, NONE}, {NONE, 0}}},
    {"a hop that is none", NF_CHECK_SHAPE, false, 0, 0, {{5, -7}, {NONE, 0}}, NO_P},
    {"not the smallest parent", NF_CHECK_DETERMINISTIC, true, DET, 0, NO_D, {{3, 2}, {NONE, 0}}},
    {"beyond the cutoff", NF_CHECK_LIMIT, false, CUT, 1, NO_D, NO_P},
};

static void test_bfs(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    for (size_t i = 0; i < sizeof bfs_cases / sizeof bfs_cases[0]; i++) {
        const change *c = &bfs_cases[i];
        int32_t hops[N];
        int64_t wide[N];
        nf_vid p[N];
        nf_result *r = NULL;
        nf_check_report report;
        nf_run_options o = {.size = sizeof o, .distances = hops, .parents = c->parents ? p : NULL};
        o.flags = c->parents ? NF_RUN_PARENTS | NF_RUN_DETERMINISTIC : 0;
        assert_int_equal(nf_bfs(NULL, g, 0, &o, &r), NF_OK);
        for (size_t v = 0; v < N; v++)
            wide[v] = hops[v];
        apply(c, wide, p);
        for (size_t v = 0; v < N; v++)
            hops[v] = (int32_t)wide[v];
        const nf_check_options how = {.size = sizeof how, .flags = c->flags, .cutoff = c->cutoff};
        assert_int_equal(nf_check_bfs(NULL, g, r, 0, &how, &report), NF_OK);
        expect_rule(&report, c->rule, c->name);
        nf_result_free(r);
    }
    nf_graph_free(g);
}

/* A float distance that absorbs weights, a NaN, and the tolerance. */
static void test_floats(void **state)
{
    (void)state;
    float w[M], d[N];
    nf_result *r = NULL;
    nf_check_report report;
    for (size_t e = 0; e < M; e++)
        w[e] = (float)arc_w[e] * 0.1f;
    nf_graph *g = make_graph(NF_F32, w);
    nf_run_options o = {.size = sizeof o, .distances = d};
    const nf_check_options loose = {.size = sizeof loose, .tolerance = 1e-5};
    assert_int_equal(nf_sssp(NULL, g, 0, &o, &r), NF_OK);
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "right");
    const float right = d[5];
    d[5] = right * (1 + 4e-7f);
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_ARC, "off by a few ulps");
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, &loose, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "off by a few ulps, allowed");
    d[5] = right * 1.001f;
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, &loose, &report), NF_OK);
    expect_rule(&report, NF_CHECK_ARC, "off by more than allowed");
    d[5] = (float)(0.0 / (double)d[0]);
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, &loose, &report), NF_OK);
    expect_rule(&report, NF_CHECK_SHAPE, "no number");
    nf_result_free(r);
    nf_graph_free(g);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

static void test_owners(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    const nf_vid sources[] = {0, 4};
    const int64_t d[N] = {0, 2, 1, 1, 0, 5, FAR, FAR, FAR, 5};
    const nf_vid parents[N] = {0, 0, 3, 4, 4, 3, NONE, NONE, NONE, 2};
    nf_vid owners[N] = {0, 0, 4, 4, 4, 4, NONE, NONE, NONE, 4};
    nf_check_row row = {
        .problem = NF_SSSP, .type = NF_I64, .distances = d, .owners = owners, .sources = sources, .source_count = 2};
    nf_check_report report;
    const nf_check_options how = {.size = sizeof how, .flags = DET};
    for (int with = 0; with < 2; with++) {
        row.parents = with ? parents : NULL;
        assert_int_equal(nf_check_labels(NULL, g, &row, &how, &report), NF_OK);
        expect_rule(&report, NF_CHECK_NONE, "right owners");
        const struct {
            nf_vid v, owner;
        } bad[] = {{5, 0}, {1, 4}, {0, 4}, {6, 0}, {3, NONE}, {9, 9}, {2, N}};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            const nf_vid was = owners[bad[i].v];
            owners[bad[i].v] = bad[i].owner;
            assert_int_equal(nf_check_labels(NULL, g, &row, &how, &report), NF_OK);
            expect_rule(&report, NF_CHECK_OWNER, "wrong owner");
            owners[bad[i].v] = was;
        }
    }
    nf_graph_free(g);
}

static void test_nearest(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    const nf_vid sources[] = {4, 0, 4};
    nf_vid p[N];
    nf_result *r = NULL;
    nf_check_report report;
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC, .parents = p};
    const nf_check_options how = {.size = sizeof how, .flags = DET};
    assert_int_equal(nf_sssp_nearest(NULL, g, sources, 3, &o, &r), NF_OK);
    assert_int_equal(nf_check_result(NULL, g, r, &how, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "nearest");
    p[4] = NONE;
    assert_int_equal(nf_check_result(NULL, g, r, &how, &report), NF_OK);
    expect_rule(&report, NF_CHECK_TREE, "a source without a parent");
    nf_result_free(r);
    nf_graph_free(g);
}

/* ---- all pairs, summaries, many rows ----------------------------------------------------------------------------- */

static void swap_rows(int64_t *d, size_t i, size_t j)
{
    for (size_t v = 0; v < N; v++) {
        const int64_t t = d[i * N + v];
        d[i * N + v] = d[j * N + v];
        d[j * N + v] = t;
    }
}

static void test_apsp(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    int64_t d[N * N];
    nf_result *r = NULL;
    nf_check_report report;
    nf_run_options o = {.size = sizeof o, .distances = d};
    assert_int_equal(nf_apsp(NULL, g, &o, &r), NF_OK);
    assert_int_equal(nf_check_result(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "right");
    assert_int_equal(report.rows, N);
    swap_rows(d, 1, 2);
    assert_int_equal(nf_check_apsp(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_SOURCE, "swapped rows");
    assert_int_equal(report.row, 1);
    swap_rows(d, 1, 2);
    swap_rows(d, 2, 3); /* 2 and 3 lie on a zero-weight cycle: their rows are equal, so nothing is wrong */
    assert_int_equal(nf_check_apsp(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "swapped equal rows");
    d[4 * N + 5] -= 1;
    assert_int_equal(nf_check_apsp(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_SUPPORT, "a pair too near");
    assert_int_equal(report.row, 4);
    d[4 * N + 5] += 2;
    assert_int_equal(nf_check_apsp(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_ARC, "a pair that breaks the triangle inequality");
    nf_result_free(r);
    nf_graph_free(g);
}

/* Labels may be changed so that they stay right in themselves only if the sums change: a cutoff that was never asked
 * for. */
static void test_summary(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    const nf_vid sources[] = {6, 0, 0};
    int64_t d[3 * N];
    nf_result *r = NULL;
    nf_check_report report;
    nf_run_options o = {.size = sizeof o, .distances = d};
    assert_int_equal(nf_sssp_many(NULL, g, sources, 3, &o, &r), NF_OK);
    assert_int_equal(nf_check_result(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "right");
    d[2 * N + 5] = FAR;
    const nf_check_options how = {.size = sizeof how, .flags = CUT, .cutoff = 6};
    d[N + 5] = d[N + 9] = d[2 * N + 9] = FAR;
    assert_int_equal(nf_check_result(NULL, g, r, &how, &report), NF_OK);
    expect_rule(&report, NF_CHECK_SUMMARY, "a summary of other distances");
    assert_int_equal(report.row, 1);
    nf_result_free(r);
    nf_graph_free(g);
}

/* ---- paths and cycles -------------------------------------------------------------------------------------------- */

static void test_paths(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    nf_check_report report;
    const struct {
        const char *name;
        nf_check_rule rule;
        nf_vid target;
        uint64_t length;
        nf_vid walk[5];
        double distance;
    } cases[] = {
        {"right", NF_CHECK_NONE, 5, 4, {0, 1, 2, 5}, 7},
        {"right, though not shortest", NF_CHECK_NONE, 5, 3, {0, 2, 5}, 9},
        {"one vertex", NF_CHECK_NONE, 0, 1, {0}, 0},
        {"no way", NF_CHECK_NONE, 6, 0, {0}, (double)INFINITY},
        {"no way, but a length", NF_CHECK_LENGTH, 6, 0, {0}, 3},
        {"a missing arc", NF_CHECK_PATH, 5, 3, {0, 1, 5}, 7},
        {"an arc against its direction", NF_CHECK_PATH, 1, 3, {0, 2, 1}, 6},
        {"wrong end", NF_CHECK_PATH, 5, 3, {0, 1, 2}, 3},
        {"wrong start", NF_CHECK_PATH, 5, 3, {1, 2, 5}, 5},
        {"wrong length", NF_CHECK_LENGTH, 5, 4, {0, 1, 2, 5}, 8},
        {"not a vertex", NF_CHECK_PATH, 5, 3, {0, 77, 5}, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nf_vid walk[5];
        memcpy(walk, cases[i].walk, sizeof walk);
        const nf_path path = {.length = cases[i].length, .vertices = walk, .distance = cases[i].distance};
        assert_int_equal(nf_check_path(NULL, g, &path, 0, cases[i].target, NF_NONE, &report), NF_OK);
        expect_rule(&report, cases[i].rule, cases[i].name);
    }
    nf_graph_free(g);
}

static void test_cycles(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 2, 2, 3, 3, 4, 5}, dst[] = {1, 2, 0, 0, 4, 3, 3, 5};
    const int32_t w[] = {1, 1, -1, -3, 5, 0, -5, -1};
    const nf_coo coo = {.n = 6, .m = 8, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_graph *g = NULL;
    nf_check_report report;
    assert_int_equal(nf_graph_from_coo(NULL, &coo, NULL, &g), NF_OK);
    const struct {
        const char *name;
        nf_check_rule rule;
        uint64_t length;
        nf_vid walk[3];
    } cases[] = {
        {"right: the lighter of two arcs makes it negative", NF_CHECK_NONE, 3, {0, 1, 2}},
        {"right from elsewhere", NF_CHECK_NONE, 3, {2, 0, 1}},
        {"a loop", NF_CHECK_NONE, 1, {5}},
        {"empty", NF_CHECK_CYCLE, 0, {0}},
        {"the wrong way round", NF_CHECK_CYCLE, 3, {2, 1, 0}},
        {"does not come back", NF_CHECK_CYCLE, 2, {0, 1}},
        {"sum zero", NF_CHECK_NEGATIVE, 2, {3, 4}},
        {"a loop of weight zero", NF_CHECK_NEGATIVE, 1, {3}},
        {"not a vertex", NF_CHECK_CYCLE, 2, {0, 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(nf_check_cycle(NULL, g, cases[i].walk, cases[i].length, NF_NONE, &report), NF_OK);
        expect_rule(&report, cases[i].rule, cases[i].name);
    }
    nf_graph_free(g);
}

/* ---- two results ------------------------------------------------------------------------------------------------- */

static void test_compare(void **state)
{
    (void)state;
    double w[M], got[N], want[N];
    for (size_t e = 0; e < M; e++)
        w[e] = arc_w[e];
    nf_graph *g = make_graph(NF_F64, w);
    nf_result *a = NULL, *b = NULL;
    nf_check_report report;
    nf_run_options o = {.size = sizeof o, .distances = got};
    assert_int_equal(nf_sssp(NULL, g, 0, &o, &a), NF_OK);
    o.distances = want;
    assert_int_equal(nf_sssp(NULL, g, 0, &o, &b), NF_OK);
    assert_int_equal(nf_check_equal(a, b, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "equal");
    got[5] *= 1.00009;
    assert_int_equal(nf_check_equal(a, b, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_EQUAL, "not equal");
    assert_int_equal(report.vertex, 5);
    assert_int_equal(nf_check_ldbc(a, b, &report), NF_OK);
    expect_rule(&report, NF_CHECK_NONE, "equivalent");
    got[5] *= 1.0001;
    assert_int_equal(nf_check_ldbc(a, b, &report), NF_OK);
    expect_rule(&report, NF_CHECK_LDBC, "not equivalent");
    got[5] = (double)INFINITY;
    assert_int_equal(nf_check_ldbc(a, b, &report), NF_OK);
    expect_rule(&report, NF_CHECK_LDBC, "infinite against finite");
    nf_result_free(a);
    a = NULL;
    assert_int_equal(nf_bfs(NULL, g, 0, NULL, &a), NF_OK);
    assert_int_equal(nf_check_equal(a, b, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_EQUAL, "another problem");
    nf_result_free(a);
    nf_result_free(b);
    nf_graph_free(g);
}

/* What cannot be checked is refused, not passed. */
static void test_refusals(void **state)
{
    (void)state;
    nf_graph *g = make_graph(NF_I32, arc_w);
    nf_result *r = NULL;
    nf_check_report report;
    assert_int_equal(nf_bfs(NULL, g, 0, NULL, &r), NF_OK);
    assert_int_equal(nf_check_sssp(NULL, g, r, 0, NULL, &report), NF_EINVAL);
    assert_false(report.ok);
    assert_int_equal(nf_check_bfs(NULL, g, r, 1, NULL, &report), NF_EINVAL);
    assert_int_equal(nf_check_apsp(NULL, g, r, NULL, &report), NF_EINVAL);
    const nf_check_row row = {.problem = NF_SSSP, .type = NF_I64};
    assert_int_equal(nf_check_labels(NULL, g, &row, NULL, &report), NF_EINVAL);
    nf_result_free(r);
    nf_graph_free(g);
    const nf_coo small = {.n = 1};
    assert_int_equal(nf_graph_from_coo(NULL, &small, NULL, &g), NF_OK);
    nf_graph *big = make_graph(NF_I32, arc_w);
    assert_int_equal(nf_bfs(NULL, big, 0, NULL, &r), NF_OK);
    assert_int_equal(nf_check_result(NULL, g, r, NULL, &report), NF_OK);
    expect_rule(&report, NF_CHECK_SHAPE, "the result of another graph");
    nf_result_free(r);
    nf_graph_free(big);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sssp),    cmocka_unit_test(test_bfs),      cmocka_unit_test(test_floats),
        cmocka_unit_test(test_owners),  cmocka_unit_test(test_nearest),  cmocka_unit_test(test_apsp),
        cmocka_unit_test(test_summary), cmocka_unit_test(test_paths),    cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
