/* test_bucketing.c - Bucketing on the emulator: both ways to reorganise give the same rounds and arcs, order saves
 * arcs, the share of reorganising is told, memory is what is said.
 */
#include "heard.h"

static nf_result *distances(nf_context *ctx, const nf_graph *g, const char *algorithm, const char *const *knobs,
                            size_t count)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .knobs = knobs, .knob_count = count};
    nf_result *r = NULL;
    OK(nf_sssp(ctx, g, 0, &o, &r));
    return r;
}

/* One run, listened to; distances are those of the CPU. */
static heard hear_buckets(const char *settings, const nf_graph *g, const char *how, const char *delta)
{
    static heard h;
    const char *const knobs[] = {how, delta};
    nf_context *ctx = open_emulator(settings, memset(&h, 0, sizeof h)), *cpu = open_cpu();
    nf_result *r = distances(ctx, g, "bucketing", knobs, 2), *want = distances(cpu, g, "dijkstra", NULL, 0);
    assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0), nf_graph_n(g) * sizeof(int64_t));
    assert_true(h.totals[0] != '\0');
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    return h;
}

/* A bucket for each distance: every arc is relaxed once, by either way, in as many rounds as there are distances of
 * vertices with arcs out or more. */
static void narrow_buckets_are_dijkstras(void **state)
{
    nf_graph *g = falling(100);
    (void)state;
    const heard split = hear_buckets("seed=1", g, "reorganise=multisplit", "delta=1");
    const heard sort = hear_buckets("seed=1", g, "reorganise=sort", "delta=1");
    const heard wide = hear_buckets("seed=1", g, "reorganise=sort", "delta=100000");
    assert_int_equal(total(&split, "arcs"), nf_graph_m(g));
    assert_int_equal(total(&sort, "arcs"), nf_graph_m(g));
    assert_int_equal(total(&split, "levels"), 100);
    assert_int_equal(total(&sort, "levels"), 100);
    assert_true(total(&wide, "arcs") > 2 * total(&sort, "arcs"));
    nf_graph_free(g);
}

static void both_ways_agree_under_schedules(void **state)
{
    static const char *const settings[] = {"order=fifo", "order=lifo", "seed=1,preempt=0.1",
                                           "seed=2,profile=2x64,preempt=0.2", "seed=3,profile=1x32"};
    nf_graph *graphs[] = {generate("rmat", 7, 8, 3), grid_of(20, 20), star_of(200)};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(graphs); k++) {
            (void)hear_buckets(settings[i], graphs[k], "reorganise=multisplit", "delta=0");
            (void)hear_buckets(settings[i], graphs[k], "reorganise=sort", i % 2 == 0 ? "delta=0" : "delta=3");
        }
    for (size_t k = 0; k < COUNT(graphs); k++)
        nf_graph_free(graphs[k]);
}

static void the_share_of_reorganising_is_told(void **state)
{
    nf_graph *g = grid_of(10, 10);
    double order = -1, all = -1, share = -1;
    (void)state;
    const heard h = hear_buckets("", g, "reorganise=sort", "delta=0");
    const char *at = strstr(h.totals, "reorganising ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "reorganising %lf of %lf ms, %lf", &order, &all, &share), 3);
    assert_true(order > 0 && all > order && share > 0 && share < 100);
    nf_graph_free(g);
}

static nf_status run_within(const nf_graph *g, double bytes)
{
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .memory_limit = (uint64_t)bytes};
    const nf_run_options how = {.size = sizeof how, .algorithm = "bucketing"};
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    const nf_status st = nf_sssp(ctx, g, 0, &how, &r);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* 68 n beyond the graph's offsets and pairs, and a few bytes. */
static void memory_is_what_is_said(void **state)
{
    static const nf_vid src[] = {0, 1}, dst[] = {1, 2};
    static const int32_t w[] = {3, 4};
    const double n = 200000, graph = 4 * (n + 1) + 8 * 2;
    const nf_coo coo = {.n = (nf_vid)n, .m = 2, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    assert_int_equal(run_within(g, graph + 68 * n), NF_EDEVMEM);
    OK(run_within(g, graph + 68 * n + 8192));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_buckets_are_dijkstras),
        cmocka_unit_test(both_ways_agree_under_schedules),
        cmocka_unit_test(the_share_of_reorganising_is_told),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
