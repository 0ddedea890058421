/* test_near_far.c - the Near-Far pile on the emulator: what only the real mechanisms can count, told by the log; rounds
 * out of step under many schedules; frontiers that outgrow shared memory; the memory it says it takes.
 */
#include "trace.h"

#define NEAR_FAR(settings, g, ...) run_told(settings, g, HOW("near-far", TREE, __VA_ARGS__))

/* Order saves work: a narrow pile relaxes fewer arcs than a wide one, and that fewer than none at all; the wider, the
 * fewer splits. In shared memory (the mesh), and in queues. */
static void order_saves_work(void **state)
{
    nf_graph *graphs[] = {grid_of(40, 40), generate("rmat", 9, 8, 3)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        const told all = run_told("", graphs[i], PLAIN("workfront", TREE));
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
    assert_true(step.all_duplicates > 0 && loose.all_duplicates > 0); /* entries whose labels fell again: not walked */
    assert_string_equal(loose.scope[0], "grid");
    nf_graph_free(g);
}

/* Blocks out of step split the pile where they are: no round of theirs goes through the queue. Every split tells what
 * waited, there and in queues. */
static void splits_are_rounds_in_shared_memory(void **state)
{
    nf_graph *g = grid_of(20, 21);
    (void)state;
    const told near = NEAR_FAR("", g, "delta=7"), queue = NEAR_FAR("", g, "delta=7", "loop=host");
    assert_true(near.splits > 4 && queue.splits > 4);
    for (unsigned i = 0; i < near.rounds; i++)
        assert_string_equal(near.mapping[i], "dynamic-virtual-warp");
    assert_int_equal(near.piles, near.splits);
    assert_int_equal(queue.piles, queue.splits);
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

/* A tree whose levels do not fit the blocks' shared memory: they go through the queue and come back. */
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

/* 40 vertices are put off at 1000 and reached at 2 before the pile is split: they are dropped there, and each arc is
 * relaxed once. One more is found beyond, so that there is a split. */
static void what_came_nearer_is_dropped(void **state)
{
    nf_graph *g = reached_sooner();
    (void)state;
    const told near = NEAR_FAR("", g, "delta=10"), queue = NEAR_FAR("", g, "delta=10", "loop=host");
    assert_true(near.splits >= 1 && queue.splits >= 1);
    assert_int_equal(near.all_arcs, DROPPED_ARCS);
    assert_int_equal(queue.all_arcs, DROPPED_ARCS);
    nf_graph_free(g);
}

/* MANY vertices behind 1 and 2, at 1000 from one of them and at 3 from the other, and one behind each. */
enum { MANY_PUT_OFF = 100 };
static nf_graph *put_off_and_near(void)
{
    const arc_list a = arcs_make(3 * MANY_PUT_OFF + 2);
    size_t m = 0;
    a.src[m] = 0, a.dst[m] = 1, a.w[m++] = 1;
    a.src[m] = 0, a.dst[m] = 2, a.w[m++] = 1;
    for (nf_vid v = 3; v < MANY_PUT_OFF + 3; v++) {
        a.src[m] = 1, a.dst[m] = v, a.w[m++] = v % 2 == 0 ? 999 : 2;
        a.src[m] = 2, a.dst[m] = v, a.w[m++] = v % 2 == 0 ? 2 : 999;
        a.src[m] = v, a.dst[m] = v + MANY_PUT_OFF, a.w[m++] = 1;
    }
    return graph_from(2 * MANY_PUT_OFF + 3, m, a, 0);
}

/* A run for any tree, which is one. */
static told grow_tree(const char *settings, const nf_graph *g, const char *knob, const char *loop)
{
    static told t;
    nf_context *ctx = emulator(settings, memset(&t, 0, sizeof t));
    nf_result *r = run_by(ctx, g, false, HOW("near-far", NF_RUN_PARENTS, knob, loop, "delta=10"));
    expect_cpus(g, r, false, NF_RUN_PARENTS);
    expect_tree(g, r, 0, 0);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(t.totals);
    return t;
}

/* Words that tell rounds hold a tree, under many schedules; a vertex that was put off and comes below the limit in the
 * same round is listed, once. `table` has labels, and a tree from a pass over the arcs. */
static void words_hold_the_tree(void **state)
{
    static const char *const policies[] = {"duplicates=auto", "duplicates=atomic64", "duplicates=table"};
    nf_graph *graphs[] = {put_off_and_near(), generate("rmat", 8, 8, 3), falling(70), generate("uniform", 8, 12, 2)};
    (void)state;
    for (size_t i = 0; i < 12 * COUNT(policies) * COUNT(graphs); i++) {
        const size_t which = i % COUNT(graphs), policy = i / COUNT(graphs) % COUNT(policies);
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%zu,order=random,preempt=0.2,profile=%zux32", i, 2 + i % 3);
        const told t = grow_tree(settings, graphs[which], policies[policy], i % 2 == 0 ? "loop=host" : "loop=auto");
        if (which == 0)
            assert_int_equal(t.frontier[2], MANY_PUT_OFF);
    }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* The last of so many targets is settled long before the rest is: in shared memory, and in queues. */
static void a_search_ends_behind_its_targets(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    static const nf_vid targets[] = {3, 20};
    nf_graph *g = grid_of(1, 400);
    (void)state;
    for (size_t i = 0; i < COUNT(loops); i++) {
        static told t;
        nf_context *ctx = emulator("", memset(&t, 0, sizeof t));
        nf_run_options o = *HOW("near-far", 0, loops[i], "delta=10");
        o.targets = targets, o.target_count = COUNT(targets);
        nf_result *r = run_by(ctx, g, false, &o), *want = run_on_cpu(g, false, 0);
        for (size_t k = 0; k < COUNT(targets); k++)
            assert_true(nf_result_distance(r, 0, targets[k]) == nf_result_distance(want, 0, targets[k]));
        assert_in_range(t.splits, 4, 30); /* of about 200 */
        nf_result_free(r);
        nf_result_free(want);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

/* `count` beads on a string: a vertex, 50 behind it, 50 behind each of those, all of them before the next one, and
 * then a path, one vertex longer with each bead. */
static nf_graph *beads(nf_vid count)
{
    const arc_list a = arcs_make(count * (50 + 2 * 2500 + count));
    nf_vid hub = 0;
    size_t m = 0;
    for (nf_vid b = 0; b < count; b++) {
        const nf_vid far = hub + 51, next = far + 2500;
        for (nf_vid i = 0; i < 50 + 2500; i++)
            a.src[m] = hub + i / 50, a.dst[m] = hub + 1 + i, a.w[m++] = 1;
        for (nf_vid v = far; v < next; v++)
            a.src[m] = v, a.dst[m] = next, a.w[m++] = 1;
        for (hub = next; hub < next + b; hub++)
            a.src[m] = hub, a.dst[m] = hub + 1, a.w[m++] = 1;
    }
    return graph_from(hub + 1, m, a, 0);
}

/* Each visit to shared memory finds the gates of the last but one clear (N6 of near.cuh). */
static void the_grid_comes_back(void **state)
{
    nf_graph *g = beads(8);
    (void)state;
    for (int words = 0; words < 2; words++) {
        unsigned visits = 0;
        const told t = NEAR_FAR("profile=2x64", g, "delta=1e6", "hops=2", "scope=grid",
                                words ? "duplicates=atomic64" : "duplicates=auto");
        for (unsigned i = 1; i < t.rounds; i++)
            visits += strcmp(t.mapping[i], "dynamic-virtual-warp") == 0
                      && strcmp(t.mapping[i - 1], "dynamic-virtual-warp") != 0;
        assert_true(visits >= 7);
    }
    nf_graph_free(g);
}

enum { FAN = 30, LAST = FAN * FAN, EACH = 10, WIDE = LAST * EACH / 8 };

/* Two levels of a tree, FAN children each, then WIDE vertices with arcs from 8 of the last level each, the later the
 * shorter: their labels fall up to 8 times in a round. All of them have an arc to one more. */
static nf_graph *cascade(void)
{
    const nf_vid tree = 1 + FAN + LAST;
    const arc_list a = arcs_make(FAN + LAST + LAST * EACH + WIDE);
    size_t m = 0;
    for (nf_vid v = 1; v < tree; v++)
        a.src[m] = (v - 1) / FAN, a.dst[m] = v, a.w[m++] = 1;
    for (nf_vid e = 0; e < LAST * EACH; e++)
        a.src[m] = 1 + FAN + e / EACH, a.dst[m] = tree + e % WIDE, a.w[m++] = 10 * (8 - (int32_t)(e / WIDE));
    for (nf_vid i = 0; i < WIDE; i++)
        a.src[m] = tree + i, a.dst[m] = tree + WIDE, a.w[m++] = 1;
    return graph_from(tree + WIDE + 1, m, a, 0);
}

/* What does not fit shared memory, or leaves it, is in the queue once, however often its label fell (D2 of
 * step_far.cuh, L2 of loose.cuh). */
static void a_vertex_is_queued_once(void **state)
{
    static const char *const settings[] = {"profile=2x64", "profile=2x64,order=lifo", "profile=2x64,seed=1,preempt=0.1",
                                           "profile=2x128,seed=2,preempt=0.02"};
    nf_graph *g = cascade();
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const told t = NEAR_FAR(settings[i], g, "delta=1e6", "hops=1");
        assert_true(t.rounds > 3);
        assert_string_equal(t.mapping[2], "dynamic-virtual-warp"); /* in shared memory: the round that overflows */
        assert_string_not_equal(t.mapping[3], "dynamic-virtual-warp");
        assert_int_equal(t.frontier[3], WIDE);
    }
    nf_graph_free(g);
}

/* Gaps between distances that many deltas would not cover are crossed at once (F4 of far.cuh). */
static void gaps_are_crossed_at_once(void **state)
{
    static const nf_vid src[] = {0, 1, 2, 3}, dst[] = {1, 2, 3, 4};
    static const int32_t w[] = {1, 2000, 1, 4000};
    nf_graph *g = graph_of(5, 4, src, dst, w, 0);
    (void)state;
    const told t = NEAR_FAR("", g, "delta=1"), q = NEAR_FAR("", g, "delta=1", "loop=host");
    assert_true(t.splits >= 3 && t.splits <= 10);
    assert_true(q.splits >= 3 && q.splits <= 10);
    nf_graph_free(g);
}

enum { ARMS = 4000, LENGTHS = 4 };

/* From 0 to ARMS vertices, of few distances far from each other. */
static nf_graph *far_star(void)
{
    const arc_list a = arcs_make(ARMS);
    for (nf_vid i = 0; i < ARMS; i++)
        a.src[i] = 0, a.dst[i] = i + 1, a.w[i] = 1 + 1000 * (int32_t)(i % LENGTHS);
    return graph_from(ARMS + 1, ARMS, a, 0);
}

static const char *const narrow[] = {"profile=1x64", "profile=1x96,order=lifo", "profile=1x64,seed=1,preempt=0.1"};

/* At each split a block keeps more than it has room for in shared memory. */
static void a_block_keeps_more_than_it_has_room_for(void **state)
{
    nf_graph *g = far_star();
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        const told queue = NEAR_FAR(narrow[i], g, "delta=10", "loop=host"), own = NEAR_FAR(narrow[i], g, "delta=10");
        assert_true(queue.splits >= LENGTHS - 1 && own.splits >= LENGTHS - 1);
        (void)run_told(narrow[i], g, HOW("delta-stepping", TREE, "delta=10", "loop=host"));
        (void)run_told(narrow[i], g, HOW("hybrid", TREE, "delta=10", "ample=0", "loop=host"));
    }
    nf_graph_free(g);
}

/* A long list goes to a kernel of its own, and what it puts off to the pile: from the first warp of a block on. */
static void children_put_vertices_off(void **state)
{
    nf_graph *g = far_star();
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        const told child = NEAR_FAR(narrow[i], g, "delta=10", "mapping=dynamic-parallelism", "k2=100", "k3=1");
        assert_true(child.children >= 1 && child.splits >= LENGTHS - 1);
    }
    nf_graph_free(g);
}

static bool is_endless(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)user, (void)phase, (void)total;
    return done > 10000;
}

/* A width that is lost when it is added to a distance moves the limit all the same: by one number. */
static void a_width_that_vanishes_moves_the_limit(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    static const nf_type types[] = {NF_F32, NF_F64};
    const nf_context_options watched = {.size = sizeof watched, .device = "emulator", .progress = is_endless};
    (void)state;
    for (size_t i = 0; i < COUNT(loops) * COUNT(types); i++) {
        nf_generate_options o = {.size = sizeof o};
        nf_context *ctx = NULL;
        nf_graph *g = NULL;
        assert_int_equal(setenv("NEARFAR_EMULATOR", "profile=2x32", 1), 0);
        OK(nf_context_create(&watched, &ctx));
        OK(nf_generate_defaults("grid2d", &o));
        o.rows = 4, o.cols = 9, o.seed = 3, o.weight_type = types[i / 2], o.weight_min = 1, o.weight_max = 9;
        OK(nf_generate(NULL, &o, &g));
        nf_result *r = run_by(ctx, g, false, HOW("near-far", 0, "delta=1e-30", loops[i % 2]));
        nf_result *want = run_on_cpu(g, false, 0);
        for (nf_vid v = 0; v < nf_graph_n(g); v++)
            assert_true(nf_result_distance(r, 0, v) == nf_result_distance(want, 0, v));
        nf_result_free(r);
        nf_result_free(want);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* With 52 n and 192 KB for trace, state and alignment a run succeeds; with 52 n alone it does not. With parents 16 n
 * more where labels are words, and 8 n where they are not: lists are short, or the tree is the deterministic one. */
static void memory_is_what_is_said(void **state)
{
    enum { LIST = 100 };
    const double n = 200000, slack = 192 << 10, bytes = 4 * (n + 1) + 52 * n;
    const arc_list a = arcs_make(LIST);
    (void)state;
    for (nf_vid i = 0; i < LIST; i++)
        a.src[i] = 0, a.dst[i] = i + 1, a.w[i] = 1 + (int32_t)i;
    nf_graph *lists[] = {sparse_of((nf_vid)n, 3, true, 0), graph_from((nf_vid)n, LIST, a, 0)};
    const double arcs[] = {8 * 3, 8 * LIST};
    assert_int_equal(run_within(lists[0], false, PLAIN("near-far", 0), bytes + arcs[0]), NF_EDEVMEM);
    for (int i = 0; i < 2; i++) {
        const double any = bytes + arcs[i] + (i == 0 ? 8 : 16) * n, tree = bytes + arcs[i] + 8 * n;
        OK(run_within(lists[i], false, PLAIN("near-far", 0), bytes + arcs[i] + slack));
        assert_int_equal(run_within(lists[i], false, PLAIN("near-far", NF_RUN_PARENTS), any), NF_EDEVMEM);
        OK(run_within(lists[i], false, PLAIN("near-far", NF_RUN_PARENTS), any + slack));
        assert_int_equal(run_within(lists[i], false, PLAIN("near-far", TREE), tree), NF_EDEVMEM);
        OK(run_within(lists[i], false, PLAIN("near-far", TREE), tree + slack));
        nf_graph_free(lists[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_saves_work),
        cmocka_unit_test(the_grid_meets_less_often),
        cmocka_unit_test(splits_are_rounds_in_shared_memory),
        cmocka_unit_test(any_schedule_gives_the_same),
        cmocka_unit_test(frontiers_outgrow_shared_memory),
        cmocka_unit_test(what_came_nearer_is_dropped),
        cmocka_unit_test(words_hold_the_tree),
        cmocka_unit_test(a_search_ends_behind_its_targets),
        cmocka_unit_test(the_grid_comes_back),
        cmocka_unit_test(a_vertex_is_queued_once),
        cmocka_unit_test(gaps_are_crossed_at_once),
        cmocka_unit_test(a_block_keeps_more_than_it_has_room_for),
        cmocka_unit_test(children_put_vertices_off),
        cmocka_unit_test(a_width_that_vanishes_moves_the_limit),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
