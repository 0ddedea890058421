/* test_one_block.c - delta-stepping by one block on the emulator: the steps of a chain, lists that outgrow their room,
 * the same answers under any schedule, ends before the end, what is another's, and the memory that is said.
 */
#include "trace.h"

#define ONE(settings, g, ...) run_told(settings, g, HOW("one-block", TREE, __VA_ARGS__))

/* A chain takes a round for each of its vertices and relaxes heavy arcs once; a wide bucket relaxes them again and
 * again. */
static void a_chain_takes_a_round_a_vertex(void **state)
{
    nf_graph *g = falling(300);
    const nf_eid m = nf_graph_m(g);
    (void)state;
    const told narrow = ONE("", g, "delta=1"), wide = ONE("", g, "delta=1e9");
    assert_true(narrow.all_arcs <= m + nf_graph_n(g));
    assert_true(narrow.rounds <= nf_graph_n(g) + 1);
    assert_true(wide.all_arcs > 2 * m);
    nf_graph_free(g);
}

static void any_schedule_gives_the_same(void **state)
{
    static const char *const widths[] = {"delta=1", "delta=9", "delta=1e6", "delta=0"};
    nf_graph *graphs[] = {grid_of(12, 13), generate("kronecker", 8, 16, 5), falling(90), star_of(300)};
    (void)state;
    for (int seed = 1; seed <= 12; seed++)
        for (size_t i = 0; i < COUNT(graphs); i++) {
            char settings[64];
            snprintf(settings, sizeof settings, "seed=%d,preempt=0.2,profile=%dx%d", seed, 1 + seed % 2,
                     32 << seed % 4);
            (void)ONE(settings, graphs[i], widths[seed % 4]);
        }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* More vertices are near, and settled together, than lists have room for (B1): those of a star, twice, since the heavy
 * arcs come first and the light ones lower them all. */
static void lists_outgrow_their_room(void **state)
{
    enum { LEAVES = 5000 };
    const arc_list a = arcs_make(3 * LEAVES + 1);
    nf_eid m = 0;
    (void)state;
    a.src[m] = 0, a.dst[m] = LEAVES + 1, a.w[m++] = 3;
    for (nf_vid i = 1; i <= LEAVES; i++) {
        a.src[m] = 0, a.dst[m] = i, a.w[m++] = 40;
        a.src[m] = LEAVES + 1, a.dst[m] = i, a.w[m++] = (int32_t)(1 + i % 30);
        a.src[m] = i, a.dst[m] = LEAVES + 2 + i % 7, a.w[m++] = (int32_t)(1 + i % 11);
    }
    nf_graph *g = graph_from(LEAVES + 9, m, a, 0);
    static const char *const settings[] = {"", "profile=2x64,seed=1,preempt=0.1", "profile=2x64,order=lifo"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        unsigned most = 0;
        const told t = ONE(settings[i], g, "delta=1e6");
        for (unsigned k = 0; k < t.rounds; k++)
            most = t.frontier[k] > most ? t.frontier[k] : most;
        assert_true(most > 2048);
        (void)ONE(settings[i], g, "delta=20");
    }
    nf_graph_free(g);
}

/* Targets end it early; cutoffs are inclusive; many sources at once are one search. */
static void it_ends_early(void **state)
{
    nf_graph *g = falling(300);
    const nf_vid target = 40, sources[] = {100, 3, 200};
    nf_run_options o = {.size = sizeof o, .algorithm = "one-block", .targets = &target, .target_count = 1};
    told all = {0}, few = {0};
    nf_context *ctx = emulator("", &all), *cpu = open_cpu();
    (void)state;
    nf_result *whole = run_by(ctx, g, false, PLAIN("one-block", 0));
    nf_context_free(ctx);
    ctx = emulator("", &few);
    nf_result *part = run_by(ctx, g, false, &o);
    assert_true(nf_result_distance(part, 0, target) == nf_result_distance(whole, 0, target));
    assert_true(2 * few.rounds < all.rounds && 2 * few.all_arcs < all.all_arcs);
    nf_result_free(part);
    nf_result_free(whole);
    for (double cutoff = 0; cutoff < 400; cutoff = 2 * cutoff + 5) {
        nf_run_options c = {.size = sizeof c, .flags = NF_RUN_CUTOFF, .cutoff = cutoff};
        nf_result *want = run_by(cpu, g, false, &c);
        c.algorithm = "one-block";
        nf_result *r = run_by(ctx, g, false, &c);
        expect_same(g, r, want, false, 0);
        nf_result_free(r);
        nf_result_free(want);
    }
    nf_result *near = NULL, *want = NULL;
    OK(nf_sssp_nearest(ctx, g, sources, COUNT(sources), PLAIN("one-block", 0), &near));
    OK(nf_sssp_nearest(cpu, g, sources, COUNT(sources), NULL, &want));
    expect_same(g, near, want, false, 0);
    nf_result_free(near);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    nf_graph_free(g);
}

/* Floats are one block's, too; sums that leave 32 bits, weights of 64 and graphs without any are the engine's. */
static void others_are_answered_all_the_same(void **state)
{
    nf_context *ctx = emulator("", NULL);
    const nf_run_options *const how = PLAIN("one-block", NF_RUN_PARENTS);
    (void)state;
    expect_type(ctx, NF_F32, 255, how);
    expect_type(ctx, NF_F64, 255, how);
    expect_type(ctx, NF_U32, 4e9, how);
    expect_type(ctx, NF_I32, 2e9, how);
    expect_type(ctx, NF_NONE, 1, how);
    nf_context_free(ctx);
}

/* Cancelled in the middle; the context goes on. */
static void a_run_is_cancelled(void **state)
{
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .progress = stop_at_once};
    nf_graph *g = falling(1200);
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    assert_int_equal(nf_sssp(ctx, g, 0, HOW("one-block", 0, "delta=1"), &r), NF_ECANCELLED);
    assert_null(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* Lists by weight and the table of the lightest arcs more than near-far: four blocks that begin at multiples of 256. */
static void memory_is_what_is_said(void **state)
{
    nf_graph *g = star_of(2000);
    const double n = nf_graph_n(g), lists = 8 * ((double)nf_graph_m(g) + 2 + n), table = 128 * n;
    (void)state;
    for (unsigned flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS) {
        const double more = least_bytes(g, PLAIN("one-block", flags)) - least_bytes(g, PLAIN("near-far", flags));
        assert_true(more >= lists + table - 64 && more <= lists + table + 4 * 256 + 64);
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_a_round_a_vertex),   cmocka_unit_test(any_schedule_gives_the_same),
        cmocka_unit_test(lists_outgrow_their_room),         cmocka_unit_test(it_ends_early),
        cmocka_unit_test(others_are_answered_all_the_same), cmocka_unit_test(a_run_is_cancelled),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
