/* test_near_far.c - the Near-Far pile on the emulator: what only the real mechanisms can count, told by the log; rounds
 * out of step under many schedules; frontiers that outgrow shared memory; the memory it says it takes.
 */
#include "trace.h"

/* A run; distances are those of the CPU. */
static told run_near_far(const char *settings, const nf_graph *g, const char *algorithm, const char *const *knobs,
                         size_t count)
{
    static told t;
    nf_context *ctx = emulator(settings, memset(&t, 0, sizeof t)), *cpu = open_cpu();
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = algorithm,
                              .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC,
                              .knobs = knobs,
                              .knob_count = count};
    const size_t n = nf_graph_n(g);
    nf_result *r = NULL;
    OK(nf_sssp(ctx, g, 0, &o, &r));
    nf_result *want = run_on(cpu, g, false, 0, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC, NULL, 0);
    if (memcmp(nf_result_distances(r, 0), nf_result_distances(want, 0), n * sizeof(int64_t)) != 0)
        fail_msg("%s under \"%s\": distances differ", algorithm, settings);
    assert_memory_equal(nf_result_parents(r, 0), nf_result_parents(want, 0), n * sizeof(nf_vid));
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    assert_true(t.totals);
    return t;
}

#define NEAR_FAR(settings, g, ...)                                            \
    run_near_far(settings, g, "near-far", (const char *const[]){__VA_ARGS__}, \
                 COUNT(((const char *const[]){__VA_ARGS__})))

/* Order saves work: a narrow pile relaxes fewer arcs than a wide one, and that fewer than none at all; the wider, the
 * fewer splits. In shared memory (the mesh), and in queues. */
static void order_saves_work(void **state)
{
    nf_graph *graphs[] = {grid_of(40, 40), generate("rmat", 9, 8, 3)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        const told all = run_near_far("", graphs[i], "workfront", NULL, 0);
        const told narrow = NEAR_FAR("", graphs[i], "delta=2"), wide = NEAR_FAR("", graphs[i], "delta=8");
        const told whole = NEAR_FAR("", graphs[i], "delta=1e9", "scope=grid", "hops=1");
        assert_true(narrow.all_arcs < all.all_arcs);
        assert_true(narrow.all_arcs <= wide.all_arcs);
        assert_true(narrow.splits > wide.splits && wide.splits > 0);
        assert_int_equal(whole.splits, 0);
        assert_int_equal(all.splits, 0);
        nf_graph_free(graphs[i]);
    }
}

/* Out of step the grid meets less often; what is relaxed stays within what order allows. */
static void the_grid_meets_less_often(void **state)
{
    nf_graph *g = grid_of(48, 48);
    (void)state;
    const told step = NEAR_FAR("", g, "delta=60", "hops=1"), loose = NEAR_FAR("", g, "delta=60", "hops=16");
    assert_true(2 * loose.rounds < step.rounds);
    assert_true(loose.all_arcs < 3 * step.all_arcs);
    assert_string_equal(loose.scope[0], "grid");
    nf_graph_free(g);
}

static void any_schedule_gives_the_same(void **state)
{
    static const char *const hops[] = {"hops=1", "hops=3", "hops=16"};
    nf_graph *g = grid_of(20, 21);
    (void)state;
    for (int seed = 1; seed <= 12; seed++) {
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2,profile=%dx%d", seed, 2 + seed % 3, 32 << seed % 3);
        (void)NEAR_FAR(settings, g, hops[seed % 3], "delta=7");
        (void)NEAR_FAR(settings, g, "loop=host", "delta=7", "mapping=virtual-warp:4");
        (void)NEAR_FAR(settings, g, "duplicates=atomic64", "delta=7");
        (void)NEAR_FAR(settings, g, "duplicates=table", "delta=7", "scope=cluster");
    }
    nf_graph_free(g);
}

/* A tree whose levels do not fit the blocks' shared memory: they go through the queue and come back, and a vertex that
 * was listed there and here is seen once (L2 of loose.cuh). */
static void frontiers_outgrow_shared_memory(void **state)
{
    nf_graph *g = tree_of(30, 3, 40);
    (void)state;
    const told near = NEAR_FAR("", g, "delta=1e6"), far = NEAR_FAR("", g, "delta=1"), pile = NEAR_FAR("", g, "delta=3");
    assert_true(near.all_arcs >= nf_graph_m(g));
    assert_true(far.splits >= 3);
    assert_true(pile.splits < far.splits);
    nf_graph_free(g);
}

/* Gaps between distances that many deltas would not cover are crossed at once (F4 of far.cuh). */
static void gaps_are_crossed_at_once(void **state)
{
    static const nf_vid src[] = {0, 1, 2, 3}, dst[] = {1, 2, 3, 4};
    static const int32_t w[] = {1, 1000000, 1, 2000000};
    const nf_coo coo = {.n = 5, .m = 4, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    const told t = NEAR_FAR("", g, "delta=1"), q = NEAR_FAR("", g, "delta=1", "loop=host");
    assert_true(t.splits >= 3 && t.splits <= 10);
    assert_true(q.splits >= 3 && q.splits <= 10);
    nf_graph_free(g);
}

static nf_status run_within(const nf_graph *g, double bytes)
{
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .memory_limit = (uint64_t)bytes};
    const nf_run_options how = {.size = sizeof how, .algorithm = "near-far"};
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    const nf_status st = nf_sssp(ctx, g, 0, &how, &r);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* With 52 n and 192 KB for trace, state and alignment a run succeeds; with 52 n alone it does not. */
static void memory_is_what_is_said(void **state)
{
    static const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 3};
    static const int32_t w[] = {1, 2, 3};
    const double n = 200000, bytes = 4 * (n + 1) + 8 * 3 + 52 * n;
    const nf_coo coo = {.n = (nf_vid)n, .m = 3, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    assert_int_equal(run_within(g, bytes), NF_EDEVMEM);
    OK(run_within(g, bytes + (192 << 10)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_saves_work),
        cmocka_unit_test(the_grid_meets_less_often),
        cmocka_unit_test(any_schedule_gives_the_same),
        cmocka_unit_test(frontiers_outgrow_shared_memory),
        cmocka_unit_test(gaps_are_crossed_at_once),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
