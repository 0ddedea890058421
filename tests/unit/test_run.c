/* test_run.c - runs: semantics of options, results, errors, contexts, through the public header. */
#include "unit.h"

#include <locale.h>

/* 0 -> 1 -> 2 -> 3 with weights 4, 0, 6; a shortcut 0 -> 2 of weight 4; 4 alone; arcs back 3 -> 0 of weight 1. */
static const nf_vid small_src[] = {0, 1, 2, 0, 3}, small_dst[] = {1, 2, 3, 2, 0};
static const int32_t small_w[] = {4, 0, 6, 4, 1};

static nf_graph *small(void)
{
    nf_graph *g = NULL;
    const nf_coo coo = {5, 5, small_src, small_dst, NF_I32, small_w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    return g;
}

static nf_graph *weighted(nf_vid n, nf_eid m, const nf_vid *src, const nf_vid *dst, nf_type type, const void *w)
{
    nf_graph *g = NULL;
    const nf_coo coo = {n, m, src, dst, type, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    return g;
}

static void test_defaults(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    nf_run_info info = {.size = sizeof info};
    nf_row_info row = {.size = sizeof row};
    OK(nf_sssp(NULL, g, 0, NULL, &r));
    OK(nf_result_info(r, &info));
    OK(nf_result_row_info(r, 0, &row));
    const int64_t want[] = {0, 4, 4, 10, NF_UNREACHED_I64};
    assert_int_equal(info.type, NF_I64);
    assert_memory_equal(nf_result_distances(r, 0), want, sizeof want);
    assert_null(nf_result_parents(r, 0));
    assert_null(nf_result_hops(r, 0));
    assert_null(nf_result_distances(r, 1));
    assert_string_equal(info.algorithm, "delta-stepping");
    assert_string_equal(info.device, "cpu");
    assert_non_null(strstr(info.reason, "no negative"));
    assert_int_equal(row.reached, 4);
    assert_string_equal(row.max_text, "10");
    assert_string_equal(row.sum_text, "18");
    assert_int_equal(row.source, 0);
    assert_int_equal(info.edges_relaxed, 5);
    assert_int_equal(info.rows, 1);
    assert_true(isinf(nf_result_distance(r, 0, 4)) && isinf(nf_result_distance(r, 1, 0))
                && isinf(nf_result_distance(r, 0, 5)));
    FAILS(NF_EINVAL, "row 1", nf_result_row_info(r, 1, &row));
    nf_result_free(r);
    OK(nf_bfs(NULL, g, 3, NULL, &r));
    const int32_t hops[] = {1, 2, 2, 0, NF_NO_HOP};
    assert_memory_equal(nf_result_hops(r, 0), hops, sizeof hops);
    assert_null(nf_result_distances(r, 0));
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_deterministic_parents(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o, .flags = NF_RUN_DETERMINISTIC};
    /* 2 has two tight ways; the one of fewest hops is the arc 0 -> 2 */
    const nf_vid want[] = {0, 0, 0, 2, NF_NO_VERTEX};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_memory_equal(nf_result_parents(r, 0), want, sizeof want);
    nf_vid path[5];
    uint64_t length = 0;
    OK(nf_result_path(r, 0, 3, path, 5, &length));
    assert_int_equal(length, 3);
    assert_int_equal(path[0], 0);
    assert_int_equal(path[1], 2);
    assert_int_equal(path[2], 3);
    OK(nf_result_path(r, 0, 3, path, 1, &length)); /* cut, but the length is told */
    assert_int_equal(length, 3);
    OK(nf_result_path(r, 0, 4, NULL, 0, &length));
    assert_int_equal(length, 0);
    FAILS(NF_EINVAL, "vertex 5", nf_result_path(r, 0, 5, NULL, 0, &length));
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_cutoff_and_targets(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_CUTOFF | NF_RUN_PARENTS, .cutoff = 4.9};
    const int64_t within4[] = {0, 4, 4, NF_UNREACHED_I64, NF_UNREACHED_I64};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_memory_equal(nf_result_distances(r, 0), within4, sizeof within4);
    assert_int_equal(nf_result_parents(r, 0)[3], NF_NO_VERTEX);
    nf_result_free(r);
    o.cutoff = 10; /* inclusive */
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_true(nf_result_distance(r, 0, 3) == 10);
    nf_result_free(r);
    const nf_vid one[] = {1}, none[] = {1, 4};
    o = (nf_run_options){.size = sizeof o, .targets = one, .target_count = 1};
    OK(nf_sssp(NULL, g, 0, &o, &r)); /* 2 is as near as 1, by an arc of weight 0: it stays */
    assert_memory_equal(nf_result_distances(r, 0), within4, sizeof within4);
    nf_result_free(r);
    o.targets = none;
    o.target_count = 2; /* 4 cannot be reached: everything is found */
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_true(nf_result_distance(r, 0, 3) == 10);
    nf_result_free(r);
    o.targets = &(const nf_vid){5};
    o.target_count = 1;
    FAILS(NF_EINVAL, "target 5 is out of range", nf_sssp(NULL, g, 0, &o, &r));
    o = (nf_run_options){.size = sizeof o, .flags = NF_RUN_CUTOFF, .cutoff = (double)NAN};
    FAILS(NF_EINVAL, "cutoff is not a number", nf_sssp(NULL, g, 0, &o, &r));
    nf_graph_free(g);
}

static void test_targets_stop_early(void **state)
{
    (void)state;
    nf_generate_options make = {.size = sizeof make};
    nf_graph *g = NULL;
    nf_result *all = NULL, *near = NULL;
    nf_run_info a = {.size = sizeof a}, b = {.size = sizeof b};
    OK(nf_generate_defaults("path", &make));
    make.n = 10000;
    OK(nf_generate(NULL, &make, &g));
    const nf_vid target = 10;
    const nf_run_options o = {.size = sizeof o, .targets = &target, .target_count = 1};
    OK(nf_sssp(NULL, g, 0, NULL, &all));
    OK(nf_sssp(NULL, g, 0, &o, &near));
    OK(nf_result_info(all, &a));
    OK(nf_result_info(near, &b));
    assert_true(b.edges_relaxed * 100 < a.edges_relaxed);
    nf_result_free(near);
    OK(nf_bfs(NULL, g, 0, &o, &near));
    OK(nf_result_info(near, &b));
    assert_true(b.edges_relaxed * 100 < a.edges_relaxed);
    nf_result_free(near);
    nf_result_free(all);
    nf_graph_free(g);
}

static void test_distance_types(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1}, dst[] = {1, 2};
    const uint32_t w[] = {UINT32_MAX - 1, 1};
    nf_graph *g = weighted(3, 2, src, dst, NF_U32, w);
    nf_result *r = NULL;
    nf_run_options o = {.size = sizeof o, .distance_type = NF_U32};
    FAILS(NF_EOVERFLOW, "4294967295 of vertex 2 does not fit u32",
          nf_sssp(NULL, g, 0, &o, &r)); /* equals "unreached" */
    assert_null(r);
    o.flags = NF_RUN_CUTOFF;
    o.cutoff = 4294967294.0;
    OK(nf_sssp(NULL, g, 0, &o, &r)); /* beyond the cutoff it does not count */
    assert_int_equal(((const uint32_t *)nf_result_distances(r, 0))[1], UINT32_MAX - 1);
    nf_result_free(r);
    o = (nf_run_options){.size = sizeof o, .distance_type = NF_I32};
    FAILS(NF_EOVERFLOW, "vertex 1", nf_sssp(NULL, g, 0, &o, &r));
    o.distance_type = NF_U64;
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_true(((const uint64_t *)nf_result_distances(r, 0))[2] == UINT32_MAX);
    nf_result_free(r);
    o.distance_type = NF_F32;
    OK(nf_sssp(NULL, g, 0, &o, &r)); /* sums in f32 */
    assert_true(((const float *)nf_result_distances(r, 0))[2] == 4294967296.0f);
    nf_result_free(r);
    nf_graph_free(g);
    const float f[] = {1.5f, 2.5f};
    g = weighted(3, 2, src, dst, NF_F32, f);
    o.distance_type = NF_I64;
    FAILS(NF_EUNSUPPORTED, "f32 weights cannot be summed in i64", nf_sssp(NULL, g, 0, &o, &r));
    nf_graph_free(g);
}

static void test_floats_at_the_edge(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 0, 3}, dst[] = {1, 2, 3, 3};
    const float w[] = {3e38f, 3e38f, 1e8f, 1.0f};
    nf_graph *g = weighted(4, 4, src, dst, NF_F32, w);
    nf_result *r = NULL;
    nf_run_info info = {.size = sizeof info};
    OK(nf_sssp(NULL, g, 0, NULL, &r));
    OK(nf_result_info(r, &info));
    assert_true(isinf(nf_result_distance(r, 0, 2)));
    assert_true((info.flags & NF_INFO_FLOAT_OVERFLOW) != 0);
    nf_result_free(r);
    const nf_run_options o = {.size = sizeof o, .distance_type = NF_F64};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_true(nf_result_distance(r, 0, 2) == 2 * (double)3e38f);
    nf_result_free(r);
    nf_graph_free(g);
}

/* A cycle of weights 0.1, 0.2, -0.3: negative in no sense that matters, but rounded sums around it can fall. */
static void test_rounded_cycle_is_none(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 2, 3}, dst[] = {1, 2, 3, 1};
    int rounded = 0;
    for (int k = 1; k < 200; k++) {
        const float w[] = {0.37f * (float)k, 0.1f, 0.2f, -0.3f};
        nf_graph *g = weighted(4, 4, src, dst, NF_F32, w);
        nf_result *r = NULL;
        nf_run_info info = {.size = sizeof info};
        const nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS};
        OK(nf_sssp(NULL, g, 0, &o, &r));
        OK(nf_result_info(r, &info));
        rounded += (info.flags & NF_INFO_ROUNDED) != 0;
        uint64_t length = 0;
        OK(nf_result_path(r, 0, 3, NULL, 0, &length)); /* the parents are a tree */
        assert_int_equal(length, 4);
        assert_true(fabs(nf_result_distance(r, 0, 1) - (double)w[0]) < 1e-5 * (double)k);
        nf_result_free(r);
        nf_graph_free(g);
    }
    assert_true(rounded > 0);
    const float w[] = {1, 0.1f, 0.2f, -0.31f};
    nf_graph *g = weighted(4, 4, src, dst, NF_F32, w);
    nf_result *r = NULL;
    uint64_t length = 0;
    FAILS(NF_ENEGCYCLE, "3 arcs", nf_sssp(NULL, g, 0, NULL, &r));
    assert_non_null(nf_result_cycle(r, &length));
    assert_int_equal(length, 3);
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_negative_loop(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1}, dst[] = {1, 1};
    const int32_t w[] = {5, -1};
    nf_graph *g = weighted(3, 2, src, dst, NF_I32, w);
    nf_result *r = NULL;
    uint64_t length = 0;
    FAILS(NF_ENEGCYCLE, "1 arc through vertex 1", nf_sssp(NULL, g, 0, NULL, &r));
    assert_int_equal(nf_result_cycle(r, &length)[0], 1);
    assert_int_equal(length, 1);
    nf_result_free(r);
    OK(nf_sssp(NULL, g, 2, NULL, &r)); /* not reachable from 2 */
    nf_result_free(r);
    const nf_run_options o = {.size = sizeof o, .algorithm = "dijkstra"};
    FAILS(NF_EUNSUPPORTED, "dijkstra does not take negative weights", nf_sssp(NULL, g, 0, &o, &r));
    assert_null(r);
    nf_graph_free(g);
}

static void test_many_and_nearest(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    nf_row_info row = {.size = sizeof row};
    const nf_vid sources[] = {3, 0, 3};
    OK(nf_sssp_many(NULL, g, sources, 3, NULL, &r));
    assert_true(nf_result_distance(r, 0, 2) == 5 && nf_result_distance(r, 1, 2) == 4
                && nf_result_distance(r, 2, 2) == 5);
    assert_int_equal(nf_result_source(r, 2), 3);
    OK(nf_result_row_info(r, NF_ALL_ROWS, &row));
    assert_int_equal(row.reached, 12);
    assert_int_equal(row.source, NF_NO_VERTEX);
    nf_result_free(r);
    const nf_vid both[] = {1, 3, 1};
    OK(nf_sssp_nearest(NULL, g, both, 3, NULL, &r));
    const int64_t want[] = {1, 0, 0, 0, NF_UNREACHED_I64};
    const nf_vid owners[] = {3, 1, 1, 3, NF_NO_VERTEX};
    uint64_t count = 0;
    assert_memory_equal(nf_result_distances(r, 0), want, sizeof want);
    assert_memory_equal(nf_result_owners(r), owners, sizeof owners);
    nf_result_sources(r, &count);
    assert_int_equal(count, 3);
    nf_result_free(r);
    FAILS(NF_EINVAL, "no source", nf_sssp_many(NULL, g, sources, 0, NULL, &r));
    FAILS(NF_EINVAL, "source 5 is out of range", nf_bfs(NULL, g, 5, NULL, &r));
    nf_graph_free(g);
}

typedef struct seen {
    uint64_t rows;
    double sum;
    nf_status answer;
} seen;

static nf_status take(void *user, const nf_tile *tile)
{
    seen *s = user;
    assert_int_equal(tile->row0, s->rows);
    assert_int_equal(tile->rows, 1);
    assert_non_null(tile->parents);
    for (uint64_t j = 0; j < tile->cols; j++) {
        const int32_t d = ((const int32_t *)tile->distances)[j];
        s->sum += d == NF_UNREACHED_I32 ? 0 : d;
    }
    return s->rows++ == 3 ? s->answer : NF_OK;
}

static void test_sink_and_buffers(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    nf_row_info row = {.size = sizeof row};
    static const char *const names[] = {"floyd-warshall", "johnson"};
    for (size_t i = 0; i < COUNT(names); i++) {
        seen s = {0, 0, NF_OK};
        nf_run_options o = {.size = sizeof o,
                            .flags = NF_RUN_PARENTS,
                            .algorithm = names[i],
                            .distance_type = NF_I32,
                            .sink = take,
                            .sink_user = &s};
        OK(nf_apsp(NULL, g, &o, &r));
        assert_int_equal(s.rows, 5);
        assert_null(nf_result_distances(r, 0));
        OK(nf_result_row_info(r, NF_ALL_ROWS, &row));
        assert_true(row.sum == s.sum && s.sum > 0);
        nf_result_free(r);
        s = (seen){0, 0, NF_EIO};
        FAILS(NF_EIO, "sink ended the run at row 3", nf_apsp(NULL, g, &o, &r));
    }
    uint64_t mine[5];
    nf_vid parents[5];
    nf_run_options o = {.size = sizeof o, .distance_type = NF_U64, .distances = mine, .parents = parents};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_ptr_equal(nf_result_distances(r, 0), mine);
    assert_ptr_equal(nf_result_parents(r, 0), parents);
    assert_true(mine[3] == 10 && mine[4] == NF_UNREACHED_U64);
    nf_result_free(r);
    o.sink = take;
    FAILS(NF_EINVAL, "sink excludes", nf_sssp(NULL, g, 0, &o, &r));
    nf_graph_free(g);
}

static void test_path_between(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_path *p = NULL;
    OK(nf_path_between(NULL, g, 3, 2, NULL, &p));
    assert_true(p->distance == 5);
    assert_int_equal(p->vertices[0], 3);
    assert_int_equal(p->vertices[p->length - 1], 2);
    nf_path_free(p);
    OK(nf_path_between(NULL, g, 0, 4, NULL, &p));
    assert_int_equal(p->length, 0);
    assert_true(isinf(p->distance));
    nf_path_free(p);
    nf_path_free(NULL);
    nf_graph_free(g);
}

/* With negative weights the way to a near target may lead through a vertex beyond the cutoff. */
static void test_path_past_cutoff(void **state)
{
    (void)state;
    const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 3};
    const int32_t w[] = {10, -9, -1};
    const nf_coo coo = {.n = 4, .m = 3, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_CUTOFF | NF_RUN_PARENTS, .cutoff = 0};
    nf_graph *g = NULL;
    nf_path *p = NULL;
    nf_result *r = NULL;
    uint64_t length = 0;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    OK(nf_path_between(NULL, g, 0, 3, &o, &p));
    assert_int_equal(p->length, 4);
    assert_true(p->distance == 0);
    nf_path_free(p);
    OK(nf_path_between(NULL, g, 0, 2, &o, &p));
    assert_int_equal(p->length, 0);
    assert_true(isinf(p->distance));
    nf_path_free(p);
    OK(nf_sssp(NULL, g, 0, &o, &r));
    FAILS(NF_EUNSUPPORTED, "the cutoff took away", nf_result_path(r, 0, 3, NULL, 0, &length));
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_names_and_knobs(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    nf_run_options o = {.size = sizeof o, .algorithm = "djikstra"};
    FAILS(NF_ENOTFOUND, "did you mean dijkstra", nf_sssp(NULL, g, 0, &o, &r));
    const char *knobs[] = {"arity=3"};
    o = (nf_run_options){.size = sizeof o, .algorithm = "dijkstra", .knobs = knobs, .knob_count = 1};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    assert_true(nf_result_distance(r, 0, 3) == 10);
    nf_result_free(r);
    static const struct {
        const char *knob, *message;
    } bad[] = {{"arity=1", "from 2 to 64"},
               {"arity=2.5", "whole"},
               {"arity=x", "expected"},
               {"arty=2", "no knob 'arty'"},
               {"arity", "name=value"}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        knobs[0] = bad[i].knob;
        FAILS(NF_EINVAL, bad[i].message, nf_sssp(NULL, g, 0, &o, &r));
    }
    nf_graph_free(g);
}

/* A program with a comma for a decimal point: numbers in texts keep the point. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "ru_RU.UTF-8"};
    const char *found = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(names) && found == NULL; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    const nf_vid src[] = {0}, dst[] = {1};
    const double w[] = {2.5};
    const char *knob = "arity=2.0";
    nf_graph *g = weighted(2, 1, src, dst, NF_F64, w);
    nf_result *r = NULL;
    nf_row_info row = {.size = sizeof row};
    const nf_run_options o = {.size = sizeof o, .algorithm = "dijkstra", .knobs = &knob, .knob_count = 1};
    const nf_status st = nf_sssp(NULL, g, 0, &o, &r);
    const nf_status st2 = st == NF_OK ? nf_result_row_info(r, 0, &row) : st;
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(st2, NF_OK);
    assert_string_equal(row.max_text, "2.5");
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_older_structs(void **state)
{
    (void)state;
    nf_graph *g = small();
    nf_result *r = NULL;
    struct { /* a caller from before everything but flags */
        size_t size;
        uint32_t flags;
        uint32_t garbage;
    } old = {offsetof(nf_run_options, distance_type), NF_RUN_PARENTS, 0xdeadbeef};
    OK(nf_sssp(NULL, g, 0, (const nf_run_options *)(const void *)&old, &r));
    assert_non_null(nf_result_parents(r, 0));
    nf_run_info info;
    memset(&info, 0x55, sizeof info);
    info.size = offsetof(nf_run_info, algorithm);
    OK(nf_result_info(r, &info));
    assert_int_equal(info.problem, NF_SSSP);
    /* beyond the caller's size: untouched */
    assert_int_equal(((const unsigned char *)&info)[offsetof(nf_run_info, n)], 0x55);
    nf_result_free(r);
    nf_graph_free(g);
}

/* A forgotten size is told, instead of the options being passed over. */
static void test_forgotten_sizes(void **state)
{
    (void)state;
    nf_graph *g = small(), *made = NULL;
    nf_result *r = NULL;
    nf_path *p = NULL;
    nf_context *ctx = NULL;
    FAILS(NF_EINVAL, "size", nf_sssp(NULL, g, 0, &(nf_run_options){.flags = NF_RUN_PARENTS}, &r));
    FAILS(NF_EINVAL, "size", nf_apsp(NULL, g, &(nf_run_options){.algorithm = "johnson"}, &r));
    FAILS(NF_EINVAL, "size", nf_path_between(NULL, g, 0, 1, &(nf_run_options){.flags = NF_RUN_PARENTS}, &p));
    FAILS(NF_EINVAL, "size", nf_context_create(&(nf_context_options){.threads = 1}, &ctx));
    FAILS(NF_EINVAL, "size", nf_graph_read(NULL, "x.gr", &(nf_read_options){.flags = NF_READ_DIRECTED}, &made));
    FAILS(NF_EINVAL, "size", nf_graph_transform(NULL, g, &(nf_build_options){.flags = NF_BUILD_DROP_LOOPS}, &made));
    FAILS(NF_EINVAL, "size", nf_generate(NULL, &(nf_generate_options){.kind = "path"}, &made));
    nf_graph_free(g);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static bool stop_at_once(void *user, const char *phase, uint64_t done, uint64_t total)
{
    int *calls = user;
    (void)total;
    (void)done;
    assert_non_null(phase);
    return ++*calls >= 2;
}

static nf_graph *long_work(void)
{
    nf_generate_options make = {.size = sizeof make};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("uniform", &make));
    make.n = 2000;
    make.edge_factor = 8;
    OK(nf_generate(NULL, &make, &g));
    return g;
}

static void test_cancel(void **state)
{
    (void)state;
    nf_graph *g = long_work();
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    int calls = 0;
    const nf_context_options o = {.size = sizeof o, .progress = stop_at_once, .progress_user = &calls};
    const nf_run_options slow = {.size = sizeof slow, .algorithm = "floyd-warshall"};
    OK(nf_context_create(&o, &ctx));
    FAILS(NF_ECANCELLED, "cancelled", nf_apsp(ctx, g, &slow, &r));
    assert_null(r);
    assert_int_equal(calls, 2);
    calls = -1000000;
    OK(nf_bfs(ctx, g, 0, NULL, &r)); /* the context stays usable */
    nf_result_free(r);
    nf_context_cancel(ctx); /* from outside: the next call ends */
    FAILS(NF_ECANCELLED, "cancelled", nf_apsp(ctx, g, &slow, &r));
    OK(nf_bfs(ctx, g, 0, NULL, &r));
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

static void test_memory_limit(void **state)
{
    (void)state;
    nf_graph *g = long_work();
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    uint64_t peak = 0;
    const nf_context_options o = {.size = sizeof o, .memory_limit = 1 << 20};
    OK(nf_context_create(&o, &ctx));
    FAILS(NF_ENOMEM, "the result needs 32000000 bytes", nf_apsp(ctx, g, NULL, &r));
    assert_non_null(strstr(nf_last_error(), "limit of 1048576"));
    OK(nf_sssp(ctx, g, 0, NULL, &r));
    assert_true(nf_context_bytes(ctx, &peak) > 0 && peak < 1 << 20);
    nf_context_free(ctx); /* what it made lives on */
    assert_true(nf_result_distance(r, 0, 0) == 0);
    nf_result_free(r);
    nf_graph_free(g);
}

static void log_line(void *user, nf_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 256, "%s", text);
}

static void test_contexts(void **state)
{
    (void)state;
    nf_context *ctx = NULL;
    char line[256] = "";
    nf_context_options o = {.size = sizeof o, .device = "gpu:63"};
    FAILS(NF_ENODEVICE, "device 'gpu:63': ", nf_context_create(&o, &ctx));
    o.device = "cpu:1";
    FAILS(NF_ENODEVICE, "this machine has 1", nf_context_create(&o, &ctx));
    o.device = "cpx";
    FAILS(NF_ENODEVICE, "did you mean cpu", nf_context_create(&o, &ctx));
    o.device = "cpu";
    o.threads = -1;
    FAILS(NF_EINVAL, "threads is -1", nf_context_create(&o, &ctx));
    o.threads = 1;
    o.log = log_line;
    o.log_user = line;
    OK(nf_context_create(&o, &ctx));
    nf_graph *g = small();
    nf_result *r = NULL;
    OK(nf_bfs(ctx, g, 0, NULL, &r));
    assert_non_null(strstr(line, "bfs: top-down"));
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
    nf_context_free(NULL);
}

static void test_listings(void **state)
{
    (void)state;
    nf_device_info d;
    OK(nf_device_get(0, &d));
    assert_string_equal(d.name, "cpu");
    assert_true(d.threads >= 1 && d.memory_total > 0);
    FAILS(NF_ENOTFOUND, "no more devices", nf_device_get(1000, &d));
    size_t oracles = 0, autos = 0, i = 0;
    for (const nf_algorithm_info *a; (a = nf_algorithm_get(i)) != NULL; i++) {
        assert_true(a->name[0] != '\0' && a->summary[0] != '\0' && a->memory[0] != '\0');
        oracles += (a->flags & NF_ALG_ORACLE) != 0;
        autos += (a->flags & NF_ALG_AUTO) != 0;
    }
    assert_true(oracles >= 5);
    assert_true(autos >= 3);
    assert_string_equal(nf_version(), NF_VERSION_STRING);
    assert_non_null(nf_libraries());
    assert_string_equal(nf_status_name(NF_ENEGCYCLE), "NF_ENEGCYCLE");
    assert_string_equal(nf_status_text((nf_status)999), "unknown status");
    assert_string_equal(nf_type_name(NF_U64), "u64");
    assert_int_equal(nf_type_size(NF_F32), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_deterministic_parents),
        cmocka_unit_test(test_cutoff_and_targets),
        cmocka_unit_test(test_targets_stop_early),
        cmocka_unit_test(test_distance_types),
        cmocka_unit_test(test_floats_at_the_edge),
        cmocka_unit_test(test_rounded_cycle_is_none),
        cmocka_unit_test(test_negative_loop),
        cmocka_unit_test(test_many_and_nearest),
        cmocka_unit_test(test_sink_and_buffers),
        cmocka_unit_test(test_path_between),
        cmocka_unit_test(test_path_past_cutoff),
        cmocka_unit_test(test_names_and_knobs),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_older_structs),
        cmocka_unit_test(test_forgotten_sizes),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_listings),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
