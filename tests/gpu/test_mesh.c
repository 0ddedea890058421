/* test_mesh.c - searches out of step over records of arcs on the emulator: the same answer under any schedule, lists of
 * any length, frontiers that outgrow a block, order by the pile, ends before the end, and the memory that is said.
 */
#include "trace.h"

#define MESH(settings, g, ...) run_told(settings, g, HOW("mesh", TREE, __VA_ARGS__))

/* Levels by `mesh`: those of the CPU, and its parents where the flags ask for them. */
static nf_run_info levels_of(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    nf_run_info info = {.size = sizeof info};
    nf_context *ctx = emulator(settings, NULL);
    nf_result *r = run_by(ctx, g, true, how);
    expect_cpus(g, r, true, how->flags);
    OK(nf_result_info(r, &info));
    nf_result_free(r);
    nf_context_free(ctx);
    return info;
}

static void any_schedule_gives_the_same(void **state)
{
    static const char *const hops[] = {"hops=1", "hops=3", "hops=16"};
    nf_graph *graphs[] = {grid_of(20, 21), generate("uniform", 8, 4, 5), star_of(300)};
    (void)state;
    for (int seed = 1; seed <= 12; seed++)
        for (size_t i = 0; i < COUNT(graphs); i++) {
            char settings[64];
            snprintf(settings, sizeof settings, "seed=%d,preempt=0.2,profile=%dx%d", seed, 2 + seed % 3,
                     32 << seed % 3);
            (void)MESH(settings, graphs[i], hops[seed % 3], "delta=7");
            (void)MESH(settings, graphs[i], hops[(seed + 1) % 3], "delta=1e6", "threads=64");
            (void)levels_of(settings, graphs[i], HOW("mesh", TREE, hops[seed % 3]));
            (void)levels_of(settings, graphs[i], HOW("mesh", 0, hops[seed % 3], "threads=32"));
        }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* A fan of `arms` arcs from 0, each end with one more to a vertex that has one to the last. */
static nf_graph *fan_of(nf_vid arms)
{
    const arc_list a = arcs_make(2 * (size_t)arms + 1);
    for (nf_vid i = 0; i < arms; i++) {
        a.src[2 * i] = 0, a.dst[2 * i] = i + 1, a.w[2 * i] = (int32_t)(1 + i % 5);
        a.src[2 * i + 1] = i + 1, a.dst[2 * i + 1] = arms + 1, a.w[2 * i + 1] = (int32_t)(1 + i % 7);
    }
    a.src[2 * arms] = arms + 1, a.dst[2 * arms] = arms + 2, a.w[2 * arms] = 1;
    return graph_from(arms + 3, 2 * (nf_eid)arms + 1, a, 0);
}

/* Every arc of lists that end within a record, at its end, in the tree behind it and at the ends of its levels is
 * looked at, once (A1 of records.cu): all ways to a vertex are as long, and who comes second does not list it again. */
static void lists_of_any_length_are_walked(void **state)
{
    (void)state;
    for (nf_vid arms = 1; arms <= 90; arms++) {
        nf_graph *g = fan_of(arms);
        const nf_run_info info = levels_of("seed=3", g, PLAIN("mesh", TREE));
        assert_int_equal(info.edges_relaxed, 2 * arms + 1);
        assert_int_equal(info.iterations, 4);
        (void)MESH("seed=3", g, "delta=2");
        nf_graph_free(g);
    }
}

/* Levels of a tree that no block has room for go through the pool, and come back; so does what a block has above its
 * fair part. */
static void frontiers_outgrow_a_block(void **state)
{
    static const char *const settings[] = {"profile=2x64", "profile=3x32,order=lifo",
                                           "profile=2x64,seed=1,preempt=0.1"};
    nf_graph *g = tree_of(30, 3, 40);
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const told wide = MESH(settings[i], g, "delta=1e6"), narrow = MESH(settings[i], g, "delta=1");
        unsigned most = 0;
        for (unsigned k = 0; k < wide.rounds; k++)
            most = wide.frontier[k] > most ? wide.frontier[k] : most;
        assert_true(most > 2048); /* more than both sides of all blocks hold */
        assert_true(wide.splits == 0 && narrow.splits >= 3);
        (void)levels_of(settings[i], g, PLAIN("mesh", TREE));
    }
    nf_graph_free(g);
}

/* One block has more to list at once than half a word counts (MESH_OFF of mesh.cuh): all ends of a fan are put off, and
 * come back by one split; then through the pool. */
static void a_block_lists_more_than_it_can_count(void **state)
{
    enum { ENDS = 70000 };
    const arc_list a = arcs_make(ENDS);
    (void)state;
    for (nf_vid i = 0; i < ENDS; i++)
        a.src[i] = 0, a.dst[i] = i + 1, a.w[i] = 5;
    nf_graph *g = graph_from(ENDS + 1, ENDS, a, 0);
    const told t = MESH("profile=1x64", g, "delta=5", "threads=64");
    assert_int_equal(t.splits, 1);
    assert_int_equal(t.all_arcs, ENDS);
    nf_graph_free(g);
}

enum { ROW = 1200, FALLS = 8 };

/* FALLS vertices in the second row, the later the nearer, each before all ROW of the third. */
static nf_graph *cascade(void)
{
    const arc_list a = arcs_make(FALLS + FALLS * ROW + ROW);
    size_t m = 0;
    for (nf_vid i = 0; i < FALLS; i++) {
        a.src[m] = 0, a.dst[m] = 1 + i, a.w[m++] = 1;
        for (nf_vid k = 0; k < ROW; k++)
            a.src[m] = 1 + i, a.dst[m] = 1 + FALLS + k, a.w[m++] = 10 * (FALLS - (int32_t)i);
    }
    for (nf_vid k = 0; k < ROW; k++)
        a.src[m] = 1 + FALLS + k, a.dst[m] = 1 + FALLS + ROW, a.w[m++] = 1;
    return graph_from(2 + FALLS + ROW, m, a, 0);
}

/* The pool has a record once, however often its label fell (M2 of mesh.cuh): n places are enough. */
static void a_vertex_is_in_the_pool_once(void **state)
{
    static const char *const settings[] = {"profile=2x64", "profile=2x64,order=lifo",
                                           "profile=2x32,seed=1,preempt=0.1"};
    nf_graph *g = cascade();
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const told t = MESH(settings[i], g, "delta=1e6", "hops=64");
        for (unsigned k = 0; k < t.rounds; k++)
            assert_true(t.frontier[k] <= nf_graph_n(g) + 2 * 512);
    }
    nf_graph_free(g);
}

/* Order saves work, and the wider the pile's limits, the fewer splits. */
static void order_saves_work(void **state)
{
    nf_graph *g = grid_of(40, 40);
    (void)state;
    const told narrow = MESH("", g, "delta=2"), wide = MESH("", g, "delta=60"), none = MESH("", g, "delta=1e9");
    assert_true(narrow.all_arcs < wide.all_arcs && wide.all_arcs < none.all_arcs);
    assert_true(narrow.splits > wide.splits && wide.splits > 0);
    assert_int_equal(none.splits, 0);
    assert_int_equal(narrow.piles, narrow.splits);
    nf_graph_free(g);
}

/* Out of step the grid meets less often. */
static void the_grid_meets_less_often(void **state)
{
    nf_graph *g = grid_of(48, 48);
    (void)state;
    const told step = MESH("", g, "delta=60", "hops=1"), loose = MESH("", g, "delta=60", "hops=16");
    assert_true(4 * loose.rounds < step.rounds);
    assert_true(loose.all_arcs < 4 * step.all_arcs);
    nf_graph_free(g);
}

/* Gaps between distances that many deltas would not cover are crossed at once (M3 of mesh.cuh). */
static void gaps_are_crossed_at_once(void **state)
{
    static const nf_vid src[] = {0, 1, 2, 3}, dst[] = {1, 2, 3, 4};
    static const int32_t w[] = {1, 2000, 1, 4000};
    nf_graph *g = graph_of(5, 4, src, dst, w, 0);
    (void)state;
    const told t = MESH("", g, "delta=1");
    assert_true(t.splits >= 3 && t.splits <= 5);
    nf_graph_free(g);
}

/* 40 vertices are put off at 1000 and reached at 2 before the pile is split: they are dropped there, and each arc is
 * relaxed once. */
static void what_came_nearer_is_dropped(void **state)
{
    nf_graph *g = reached_sooner();
    (void)state;
    const told t = MESH("", g, "delta=10");
    assert_true(t.splits >= 1);
    assert_int_equal(t.all_arcs, DROPPED_ARCS);
    nf_graph_free(g);
}

static void a_search_ends_behind_its_targets(void **state)
{
    static const nf_vid targets[] = {3, 20};
    static told t;
    nf_graph *g = grid_of(1, 400);
    nf_context *ctx = emulator("", memset(&t, 0, sizeof t));
    nf_run_options o = *HOW("mesh", 0, "delta=10");
    (void)state;
    o.targets = targets, o.target_count = COUNT(targets);
    nf_result *r = run_by(ctx, g, false, &o), *want = run_on_cpu(g, false, 0);
    for (size_t k = 0; k < COUNT(targets); k++)
        assert_true(nf_result_distance(r, 0, targets[k]) == nf_result_distance(want, 0, targets[k]));
    assert_in_range(t.splits, 4, 40); /* of about 200 */
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* Cancelled in the middle, by levels and by weights; the context goes on. */
static void a_run_is_cancelled(void **state)
{
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .progress = stop_at_once};
    nf_graph *g = grid_of(400, 400);
    (void)state;
    for (int bfs = 0; bfs < 2; bfs++) {
        nf_context *ctx = NULL;
        nf_result *r = NULL;
        assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
        OK(nf_context_create(&o, &ctx));
        assert_int_equal(bfs ? nf_bfs(ctx, g, 0, PLAIN("mesh", 0), &r) : nf_sssp(ctx, g, 0, PLAIN("mesh", 0), &r),
                         NF_ECANCELLED);
        assert_null(r);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

/* Sums that 32 bits do not hold, and weights that have 64: by the frontier engine. */
static void wide_rows_are_the_engines(void **state)
{
    enum { LENGTH = 40 };
    static const nf_type types[] = {NF_F64, NF_F32, NF_U32};
    const arc_list a = arcs_make(LENGTH);
    (void)state;
    for (nf_vid i = 0; i < LENGTH; i++)
        a.src[i] = i, a.dst[i] = i + 1, a.w[i] = INT32_MAX;
    nf_graph *path = graph_from(LENGTH + 1, LENGTH, a, 0);
    (void)MESH("", path, "delta=0");
    nf_graph_free(path);
    for (size_t i = 0; i < COUNT(types); i++) {
        nf_generate_options o = {.size = sizeof o};
        nf_graph *g = NULL;
        nf_context *ctx = emulator("seed=4", NULL);
        OK(nf_generate_defaults("grid2d", &o));
        o.rows = 9, o.cols = 8, o.seed = 3, o.weight_type = types[i], o.weight_min = 1, o.weight_max = 9;
        OK(nf_generate(NULL, &o, &g));
        nf_result *r = run_by(ctx, g, false, PLAIN("mesh", TREE)), *want = run_on_cpu(g, false, TREE);
        for (nf_vid v = 0; v < nf_graph_n(g); v++)
            assert_true(nf_result_distance(r, 0, v) == nf_result_distance(want, 0, v)
                        && nf_result_parents(r, 0)[v] == nf_result_parents(want, 0)[v]);
        nf_result_free(r);
        nf_result_free(want);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* Records stay with the graph: made once for many runs. Sources in turn, all at once, and none too far. */
static void rows_follow_each_other(void **state)
{
    static const nf_vid sources[] = {0, 77, 399, 5};
    nf_graph *g = grid_of(20, 20);
    nf_context *ctx = emulator("seed=6,profile=3x64", NULL), *cpu = open_cpu();
    (void)state;
    for (int near = 0; near < 2; near++) {
        nf_run_options o = *PLAIN("mesh", NF_RUN_PARENTS), plain = *PLAIN(NULL, NF_RUN_PARENTS);
        nf_result *r = NULL, *want = NULL;
        o.cutoff = plain.cutoff = near ? 9 : 0;
        o.flags |= near ? NF_RUN_CUTOFF : 0, plain.flags |= near ? NF_RUN_CUTOFF : 0;
        OK(nf_bfs_many(ctx, g, sources, COUNT(sources), &o, &r));
        OK(nf_bfs_many(cpu, g, sources, COUNT(sources), &plain, &want));
        assert_memory_equal(nf_result_hops(r, 0), nf_result_hops(want, 0), COUNT(sources) * 400 * sizeof(int32_t));
        nf_result_free(r);
        nf_result_free(want);
        OK(nf_sssp_many(ctx, g, sources, COUNT(sources), &o, &r));
        OK(nf_sssp_many(cpu, g, sources, COUNT(sources), &plain, &want));
        assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0), COUNT(sources) * 400 * 8);
        nf_result_free(r);
        nf_result_free(want);
    }
    nf_graph_free(g);
    nf_context_free(ctx);
    nf_context_free(cpu);
}

/* With what is said and 192 KB for trace, state and alignment a run succeeds; without these it does not. */
static void memory_is_what_is_said(void **state)
{
    const double n = 200000, offsets = 4 * (n + 1), slack = 192 << 10;
    const struct {
        bool bfs;
        uint32_t flags;
        double bytes;
    } runs[] = {{true, 0, offsets + 12.25 * n + 16 * n},
                {true, NF_RUN_PARENTS, offsets + 24.25 * n + 16 * n},
                {false, 0, offsets + 52 * n + 32 * n},
                {false, NF_RUN_PARENTS, offsets + 60 * n + 32 * n}};
    nf_graph *g = sparse_of((nf_vid)n, 3, true, 0);
    (void)state;
    for (size_t i = 0; i < COUNT(runs); i++) {
        assert_int_equal(run_within(g, runs[i].bfs, PLAIN("mesh", runs[i].flags), runs[i].bytes), NF_EDEVMEM);
        OK(run_within(g, runs[i].bfs, PLAIN("mesh", runs[i].flags), runs[i].bytes + slack));
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_schedule_gives_the_same),  cmocka_unit_test(lists_of_any_length_are_walked),
        cmocka_unit_test(frontiers_outgrow_a_block),    cmocka_unit_test(a_block_lists_more_than_it_can_count),
        cmocka_unit_test(a_vertex_is_in_the_pool_once), cmocka_unit_test(order_saves_work),
        cmocka_unit_test(the_grid_meets_less_often),    cmocka_unit_test(gaps_are_crossed_at_once),
        cmocka_unit_test(what_came_nearer_is_dropped),  cmocka_unit_test(a_search_ends_behind_its_targets),
        cmocka_unit_test(a_run_is_cancelled),           cmocka_unit_test(wide_rows_are_the_engines),
        cmocka_unit_test(rows_follow_each_other),       cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
