/* test_phases.c - Dijkstra's method by phases in the shared memory of one cluster, on the emulator: what it settles and
 * relaxes, told by the log; targets, cutoff and cancelling; schedules; the memory it says it takes. */
#include "heard.h"

#define CALM "seed=5,preempt=0.02"
#define CLUSTER(...) HOW("dijkstra-phases", TREE, "form=cluster", __VA_ARGS__)

static unsigned phases_by(const nf_graph *g, const char *criterion, const char *blocks)
{
    const heard h = hear_run(CALM, g, false, CLUSTER(criterion, blocks));
    assert_int_equal(h.levels, 0);                         /* phases are not traced: it was the cluster */
    assert_int_equal(total(&h, "settled"), nf_graph_n(g)); /* each vertex once, */
    assert_int_equal(total(&h, "arcs"), nf_graph_m(g));    /* and each arc */
    return (unsigned)total(&h, "levels");
}

/* A phase settles the least label at least; by the arcs that go out it settles more, but one vertex a warp at most. */
static void each_vertex_is_settled_once(void **state)
{
    nf_graph *grid = grid_of(9, 9), *path = grid_of(1, 40), *dense = falling(90), *star = star_of(300);
    (void)state;
    const unsigned least = phases_by(grid, "criterion=min", "blocks=0"),
                   out = phases_by(grid, "criterion=out", "blocks=0");
    assert_true(out < least && least <= 81);
    assert_int_equal(phases_by(path, "criterion=out", "blocks=0"), 40);
    assert_int_equal(phases_by(dense, "criterion=out", "blocks=0"), 90);
    assert_true(phases_by(star, "criterion=out", "blocks=2") >= phases_by(star, "criterion=out", "blocks=0"));
    nf_graph_free(grid);
    nf_graph_free(path);
    nf_graph_free(dense);
    nf_graph_free(star);
}

/* Wherever threads are interrupted, and on devices of other sizes. */
static void schedules_do_not_matter(void **state)
{
    static const char *const settings[] = {"order=fifo",           "order=lifo,profile=2x64", "seed=1,preempt=0.05",
                                           "seed=2,profile=4x128", "seed=3,profile=16x32",    "seed=4,preempt=0.2"};
    nf_graph *g = generate("uniform", 8, 12, 5), *dense = falling(60);
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (int k = 0; k < 2; k++) {
            const heard h = hear_run(settings[i], k == 0 ? g : dense, false, CLUSTER("blocks=0"));
            assert_true(total(&h, "levels") != 0);
        }
    nf_graph_free(g);
    nf_graph_free(dense);
}

/* Sums beyond 32 bits are made again in 64, in the same place. */
static void labels_may_be_wide(void **state)
{
    const nf_vid n = 20;
    const arc_list a = arcs_make(n);
    for (nf_vid i = 0; i < n; i++)
        a.src[i] = i, a.dst[i] = i + 1, a.w[i] = INT32_MAX - (int32_t)i;
    nf_graph *g = graph_from(n + 1, n, a, 0);
    (void)state;
    const heard h = hear_run(CALM, g, false, CLUSTER("blocks=0"));
    assert_int_equal(total(&h, "settled"), n + 1);
    nf_graph_free(g);
}

static void it_ends_behind_targets_and_cutoff(void **state)
{
    static heard h;
    static const nf_vid near[] = {3, 1};
    static const char *const knobs[] = {"form=cluster"};
    nf_graph *g = grid_of(1, 200);
    nf_context *ctx = open_emulator(CALM, memset(&h, 0, sizeof h));
    nf_run_options o = {.size = sizeof o,
                        .algorithm = "dijkstra-phases",
                        .targets = near,
                        .target_count = COUNT(near),
                        .knobs = knobs,
                        .knob_count = 1};
    nf_result *r = NULL, *all = NULL;
    (void)state;
    OK(nf_sssp(ctx, g, 0, &o, &r));
    assert_in_range(total(&h, "levels"), 4, 7);
    o.targets = NULL;
    o.target_count = 0;
    OK(nf_sssp(ctx, g, 0, &o, &all));
    const int64_t *d = nf_result_distances(all, 0);
    assert_int_equal(total(&h, "settled"), 200);
    assert_int_equal(((const int64_t *)nf_result_distances(r, 0))[3], d[3]);
    nf_result_free(r);
    o.cutoff = (double)d[20];
    o.flags = NF_RUN_CUTOFF;
    OK(nf_sssp(ctx, g, 0, &o, &r));
    assert_int_equal(total(&h, "settled"), 21);
    assert_int_equal(((const int64_t *)nf_result_distances(r, 0))[20], d[20]);
    nf_result_free(r);
    nf_result_free(all);
    nf_context_free(ctx);
    nf_graph_free(g);
}

static void it_can_be_cancelled(void **state)
{
    unsigned calls = 0;
    const nf_context_options o = {.size = sizeof o,
                                  .device = "emulator",
                                  .progress = stop_at_once,
                                  .progress_user = &calls};
    nf_graph *g = falling(400);
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    assert_int_equal(nf_sssp(ctx, g, 0, CLUSTER("criterion=min"), &r), NF_ECANCELLED);
    assert_null(r);
    assert_int_equal(calls, 1);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* Labels and distances, 16 n, and 4 n for lightest arcs; no queues. More vertices than a cluster has room for are the
 * grid's. */
static void memory_is_what_is_said(void **state)
{
    const double n = 10000, m = 6, bytes = 4 * (n + 1) + 8 * m + 20 * n;
    nf_graph *g = sparse_of((nf_vid)n, 3, true, NF_BUILD_UNDIRECTED), *large = sparse_of(400000, 3, true, 0);
    const nf_run_options *how = HOW("dijkstra-phases", 0, "form=cluster");
    (void)state;
    assert_int_equal(run_within(g, false, how, bytes), NF_EDEVMEM);
    OK(run_within(g, false, how, bytes + (256 << 10) + 8192));
    const heard h = hear_run(CALM, large, false, CLUSTER("blocks=0"));
    assert_true(h.levels != 0);
    nf_graph_free(g);
    nf_graph_free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vertex_is_settled_once), cmocka_unit_test(schedules_do_not_matter),
        cmocka_unit_test(labels_may_be_wide),          cmocka_unit_test(it_ends_behind_targets_and_cutoff),
        cmocka_unit_test(it_can_be_cancelled),         cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
