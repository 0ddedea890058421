/* test_bucketing.c - Bucketing on the emulator: both ways to reorganise give the same rounds and arcs, order saves
 * arcs, the share of reorganising is told, memory is what is said.
 */
#include "heard.h"

static heard hear_buckets(const char *settings, const nf_graph *g, const char *how, const char *delta)
{
    return hear_run(settings, g, false, HOW("bucketing", 0, how, delta));
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

/* 68 n beyond the graph's offsets and pairs, and a few bytes. */
static void memory_is_what_is_said(void **state)
{
    const double n = 200000, graph = 4 * (n + 1) + 8 * 2;
    nf_graph *g = sparse_of((nf_vid)n, 2, true, 0);
    (void)state;
    assert_int_equal(run_within(g, false, PLAIN("bucketing", 0), graph + 68 * n), NF_EDEVMEM);
    OK(run_within(g, false, PLAIN("bucketing", 0), graph + 68 * n + 8192));
    nf_graph_free(g);
}

/* And what a split of n entries takes for its counts and notes: half of what it may, as there may be 2 n. */
static void a_split_takes_what_is_said(void **state)
{
    const double n = 50001, graph = 4 * (n + 1) + 8 * 2 * (n - 1);
    nf_graph *g = star_of((nf_vid)n - 1);
    (void)state;
    assert_int_equal(run_within(g, false, HOW("bucketing", 0, "delta=100"), graph + 68.6 * n), NF_EDEVMEM);
    OK(run_within(g, false, HOW("bucketing", 0, "delta=100"), graph + 68.7 * n + 8192));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_buckets_are_dijkstras),      cmocka_unit_test(both_ways_agree_under_schedules),
        cmocka_unit_test(the_share_of_reorganising_is_told), cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(a_split_takes_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
