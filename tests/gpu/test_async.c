/* test_async.c - asynchronous delta-stepping on the emulator: it ends, with the right distances, under many schedules;
 * it passes no barrier of the grid; lists are cut, entries moved, widths changed and full memory survived when asked
 * for, told by the log; memory is what is said.
 */
#include "heard.h"

#ifdef NF_RACE
#define SEEDS 12 /* the race flavour is slow */
#else
#define SEEDS 60
#endif

/* One run, listened to, without a barrier; distances are those of the CPU. */
static heard hear_async(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    const heard h = hear_run(settings, g, false, how);
    assert_int_equal(total(&h, "barriers"), 0);
    return h;
}

#define HEAR_ASYNC(settings, g, ...) hear_async(settings, g, HOW("async", 0, __VA_ARGS__))

/* One warp that is manager and worker; one worker; several blocks; the manager's block apart. */
static void it_ends_under_every_schedule(void **state)
{
    static const char *const profiles[] = {"1x32", "2x32", "2x64", "4x64", "10x32"};
    static const char *const widths[] = {"delta=0", "delta=1", "delta=40", "delta=100000"};
    static const char *const chases[] = {"chase=8", "chase=0", "chase=1"};
    nf_graph *graphs[] = {generate("rmat", 6, 6, 3), grid_of(9, 9), falling(24), tree_of(3, 3, 10)};
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const nf_graph *g = graphs[seed % COUNT(graphs)];
        char settings[80];
        snprintf(settings, sizeof settings, "seed=%u,preempt=%s,profile=%s", seed, seed % 2 == 0 ? "0.05" : "0.3",
                 profiles[seed % COUNT(profiles)]);
        const heard h = HEAR_ASYNC(settings, g, widths[seed / 4 % COUNT(widths)], seed % 3 == 0 ? "job=1" : "job=32",
                                   chases[seed % COUNT(chases)]);
        assert_true(total(&h, "entries") >= nf_graph_n(g) - total(&h, "missed"));
    }
    for (size_t i = 0; i < COUNT(graphs); i++) {
        (void)HEAR_ASYNC("order=fifo", graphs[i], "adapt=1");
        (void)HEAR_ASYNC("order=lifo", graphs[i], "adapt=0");
        nf_graph_free(graphs[i]);
    }
}

/* A worker keeps what it lowers within its bucket, if it is to; on a path in one bucket all but the first vertex and
 * one after each `chase` others. What is not kept is handed out. */
static void workers_keep_what_is_near(void **state)
{
    nf_graph *path = grid_of(1, 100);
    (void)state;
    const heard none = HEAR_ASYNC("seed=3", path, "delta=1000000", "adapt=0", "chase=0"),
                some = HEAR_ASYNC("seed=3", path, "delta=1000000", "adapt=0", "chase=9"),
                narrow = HEAR_ASYNC("seed=3", path, "delta=0.01", "adapt=0", "chase=9");
    assert_int_equal(total(&none, "kept"), 0);
    assert_int_equal(total(&some, "kept"), 90);
    assert_int_equal(total(&some, "entries"), 100);
    assert_int_equal(total(&narrow, "kept"), 0);
    nf_graph_free(path);
}

/* Every label that falls is handed out once: where labels fall once, there is an entry a vertex, and none is stale. */
static void entries_are_handed_out_once(void **state)
{
    nf_graph *tree = tree_of(3, 5, 20);
    (void)state;
    const heard h = HEAR_ASYNC("seed=2", tree, "adapt=0");
    assert_int_equal(total(&h, "entries"), nf_graph_n(tree));
    assert_int_equal(total(&h, "stale"), 0);
    assert_int_equal(total(&h, "arcs"), nf_graph_m(tree));
    nf_graph_free(tree);
}

/* Order pays: on a graph whose labels fall again and again narrow buckets relax fewer arcs than a wide one. */
static void narrow_buckets_save_arcs(void **state)
{
    nf_graph *g = falling(120);
    (void)state;
    const heard narrow = HEAR_ASYNC("seed=1", g, "delta=1", "ahead=1", "adapt=0");
    const heard wide = HEAR_ASYNC("seed=1", g, "delta=100000", "ahead=1", "adapt=0");
    assert_int_equal(total(&narrow, "arcs"), nf_graph_m(g)); /* Dijkstra's: a bucket for each distance */
    assert_true(total(&wide, "arcs") > 2 * total(&narrow, "arcs"));
    nf_graph_free(g);
}

static void long_lists_are_cut(void **state)
{
    nf_graph *star = star_of(3000), *grid = grid_of(10, 10);
    (void)state;
    const heard s = HEAR_ASYNC("seed=3", star, "adapt=0"), g = HEAR_ASYNC("seed=3", grid, "adapt=0");
    assert_int_equal(total(&s, "parts"), 6); /* of 512 arcs */
    assert_int_equal(total(&g, "parts"), 0);
    nf_graph_free(star);
    nf_graph_free(grid);
}

/* Weights of 30 buckets and more: what is far is moved, and once only where buckets are half as wide. */
static void far_entries_are_moved(void **state)
{
    nf_graph *g = generate("rmat", 7, 8, 5);
    (void)state;
    const heard near = HEAR_ASYNC("seed=4", g, "delta=20", "adapt=0");
    const heard far = HEAR_ASYNC("seed=4", g, "delta=1", "adapt=0");
    assert_int_equal(total(&near, "moved"), 0);
    assert_true(total(&far, "moved") > 0);
    nf_graph_free(g);
}

/* Few entries for many workers: buckets grow wider, and what waits in them is moved. */
static void the_width_follows_the_workers(void **state)
{
    nf_graph *path = grid_of(2, 800);
    (void)state;
    const heard fixed = HEAR_ASYNC("seed=1", path, "delta=2", "adapt=0");
    const heard free_to = HEAR_ASYNC("seed=1", path, "delta=2", "adapt=1");
    assert_int_equal(total(&fixed, "changes"), 0);
    assert_true(total(&free_to, "changes") >= 1);
    assert_true(total(&free_to, "levels") < total(&fixed, "levels"));
    nf_graph_free(path);
}

/* No memory but a segment a pile and one more: what has no room waits as bits, and nothing is lost. */
static void full_memory_loses_nothing(void **state)
{
    nf_graph *star = star_of(20000);
    (void)state;
    const heard full = HEAR_ASYNC("", star, "room=0"), ample = HEAR_ASYNC("", star, "room=2");
    assert_true(total(&full, "missed") > 0 && total(&full, "sweeps") >= 1);
    assert_int_equal(total(&full, "segments"), 33);
    assert_int_equal(total(&ample, "missed"), 0);
    nf_graph_free(star);
}

/* What is pushed to a place that was refused, when memory is no longer full, is not lost either. */
static void refused_places_are_remembered(void **state)
{
    static const int seeds[] = {2, 5};
    nf_graph *g = generate("rmat", 13, 16, 3);
    (void)state;
    for (size_t i = 0; i < COUNT(seeds); i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%d,order=random,preempt=0.05,profile=8x256", seeds[i]);
        const heard h = HEAR_ASYNC(settings, g, "room=0", "adapt=1");
        assert_true(total(&h, "sweeps") >= 1);
    }
    nf_graph_free(g);
}

/* 35 n and 1 MB beyond the graph's offsets and pairs suffice, 32 n do not; parents take 32 n more. */
static void memory_is_what_is_said(void **state)
{
    const nf_run_options *alone = PLAIN("async", 0), *tree = PLAIN("async", NF_RUN_PARENTS);
    const double n = 200000, graph = 4 * (n + 1) + 8 * 2;
    nf_graph *g = sparse_of((nf_vid)n, 2, true, 0);
    (void)state;
    assert_int_equal(run_within(g, false, alone, graph + 32 * n), NF_EDEVMEM);
    assert_int_equal(run_within(g, false, tree, graph + 64 * n), NF_EDEVMEM);
    OK(run_within(g, false, alone, graph + 35 * n + (1 << 20)));
    OK(run_within(g, false, tree, graph + 67 * n + (1 << 20)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_under_every_schedule),
        cmocka_unit_test(entries_are_handed_out_once),
        cmocka_unit_test(workers_keep_what_is_near),
        cmocka_unit_test(narrow_buckets_save_arcs),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(far_entries_are_moved),
        cmocka_unit_test(the_width_follows_the_workers),
        cmocka_unit_test(full_memory_loses_nothing),
        cmocka_unit_test(refused_places_are_remembered),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
