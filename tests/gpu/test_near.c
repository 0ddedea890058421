/* test_near.c - rounds over frontiers in shared memory (src/gpu/near.cuh) on the emulator, in every scope: what they
 * count is what the graph says, they end when they are told to, and what goes through the queue is neither lost nor
 * done twice. Each test is here because a mutant (scripts/mutate) lived without it.
 */
#include "trace.h"

static const char *const scopes[] = {"scope=block", "scope=cluster", "scope=grid", "scope=auto"};
static const char *const devices[] = {"profile=4x64", "profile=4x64,seed=1,preempt=0.1", "profile=8x32,order=lifo",
                                      "profile=2x96,seed=2,preempt=0.02"};

/* A tree of directed arcs whose leaves have none: the last level and every third vertex of the one before. */
static nf_graph *leafy(nf_vid fan, nf_vid depth)
{
    nf_vid n = 1, level = 1, m = 0;
    for (nf_vid i = 0; i < depth; i++)
        level *= fan, n += level;
    const nf_vid last = n - level, before = last - level / fan;
    const arc_list a = arcs_make(n - 1);
    for (nf_vid v = 1; v < n; v++)
        if ((v - 1) / fan < before || (v - 1) / fan % 3 != 0)
            a.src[m] = (v - 1) / fan, a.dst[m] = v, a.w[m++] = 1;
    return graph_from(n, m, a, 0);
}

/* Breadth-first search from 0, listened to; hops are those of the CPU. */
static told search_told(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    static told t;
    nf_context *ctx = emulator(settings, memset(&t, 0, sizeof t));
    nf_result *r = run_by(ctx, g, true, how);
    if (how->target_count == 0 && (how->flags & NF_RUN_CUTOFF) == 0)
        expect_cpus(g, r, true, how->flags);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(t.totals);
    return t;
}

/* Each round's frontier and arcs, and the sums, against the levels of the CPU. */
static void expect_levels(const nf_graph *g, const told *t)
{
    static unsigned size[MOST_ROUNDS];
    static unsigned long long arcs[MOST_ROUNDS];
    nf_result *r = run_on_cpu(g, true, 0);
    const int32_t *hops = nf_result_hops(r, 0);
    unsigned long long all = 0, sinks = 0;
    nf_csr c = {.n = 0};
    OK(nf_graph_view(NULL, g, &c));
    memset(size, 0, sizeof size);
    memset(arcs, 0, sizeof arcs);
    for (nf_vid v = 0; v < c.n; v++)
        if (hops[v] >= 0) {
            const nf_eid d = c.off32[v + 1] - c.off32[v];
            assert_true(hops[v] < MOST_ROUNDS);
            size[hops[v]]++, arcs[hops[v]] += d, all += d, sinks += d == 0;
        }
    assert_true(t->rounds > 2);
    for (unsigned i = 0; i < t->rounds; i++) {
        assert_int_equal(t->frontier[i], size[i]);
        assert_int_equal(t->arcs[i], arcs[i]);
    }
    assert_int_equal(t->all_arcs, all);
    assert_int_equal(t->sinks, sinks);
    nf_result_free(r);
}

static void rounds_count_what_the_graph_has(void **state)
{
    nf_graph *graphs[] = {leafy(6, 4), grid_of(9, 31), tree_of(8, 4, 20)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        for (size_t k = 0; k < COUNT(scopes) * COUNT(devices); k++) {
            const told t =
                search_told(devices[k % COUNT(devices)], graphs[i],
                            HOW("top-down", 0, scopes[k / COUNT(devices)], "block-arcs=60", "cluster-arcs=400"));
            expect_levels(graphs[i], &t);
            assert_string_equal(t.mapping[1], "dynamic-virtual-warp"); /* in shared memory */
        }
        nf_graph_free(graphs[i]);
    }
}

/* 55 vertices that one block of 8 has found are shared out, 7 for each of them in every block, which has 4 threads for
 * them: fewer than one a vertex. */
static void few_threads_share_what_one_block_found(void **state)
{
    enum { SPOKES = 55 };
    const arc_list a = arcs_make(2 * SPOKES);
    static const char *const mappings[] = {"mapping=auto", "mapping=thread", "mapping=virtual-warp:32",
                                           "mapping=dynamic-virtual-warp"};
    (void)state;
    for (nf_vid i = 0; i < 2 * SPOKES; i++)
        a.src[i] = i < SPOKES ? 0 : i - SPOKES + 1, a.dst[i] = i + 1, a.w[i] = 1;
    nf_graph *g = graph_from(2 * SPOKES + 1, 2 * SPOKES, a, 0);
    for (size_t i = 0; i < COUNT(mappings); i++) {
        const told t = search_told("profile=16x32", g, HOW("top-down", 0, "scope=cluster", "k1=1", mappings[i]));
        assert_int_equal(t.frontier[1], SPOKES);
    }
    nf_graph_free(g);
}

/* 1,024 vertices are what a block has room for: they stay; one more, and they leave. */
static void what_just_fits_stays(void **state)
{
    enum { FAN = 32 };
    const arc_list a = arcs_make(2 * (FAN + FAN * FAN + 1));
    nf_graph *g[2];
    (void)state;
    for (nf_vid more = 0; more < 2; more++) {
        size_t m = 0;
        for (nf_vid v = 1; v <= FAN + FAN * FAN + more; v++) {
            a.src[m] = v <= FAN + FAN * FAN ? (v - 1) / FAN : 1, a.dst[m] = v, a.w[m++] = 1;
            a.src[m] = v, a.dst[m] = 0, a.w[m++] = 1;
        }
        const nf_vid n = FAN + FAN * FAN + more + 1;
        g[more] = graph_of(n, m, a.src, a.dst, a.w, 0);
        const told t = search_told("profile=2x64", g[more], HOW("top-down", 0, "scope=block"));
        assert_int_equal(t.frontier[2], FAN * FAN + more);
        assert_string_equal(t.mapping[2], more == 0 ? "dynamic-virtual-warp" : "virtual-warp");
        nf_graph_free(g[more]);
    }
    free(a.src), free(a.dst), free(a.w);
}

/* A cutoff of k hops takes k rounds, and a target those up to it, or one more. */
static void rounds_end_when_they_are_told_to(void **state)
{
    static const nf_vid targets[] = {3, 14};
    nf_graph *g = grid_of(5, 60);
    (void)state;
    for (size_t k = 0; k < COUNT(scopes) * COUNT(devices); k++) {
        nf_run_options o = *HOW("top-down", NF_RUN_CUTOFF, scopes[k % COUNT(scopes)]);
        o.cutoff = 7;
        const told cut = search_told(devices[k / COUNT(scopes)], g, &o);
        assert_int_equal(cut.rounds, 7);
        o.flags = 0, o.targets = targets, o.target_count = COUNT(targets);
        const told aimed = search_told(devices[k / COUNT(scopes)], g, &o);
        assert_in_range(aimed.rounds, 14, 15);
    }
    nf_graph_free(g);
}

/* Sums that 32 bits do not hold are met by many blocks in one round: the run is done again in 64 bits. */
static void many_blocks_meet_large_sums(void **state)
{
    nf_graph *g;
    const arc_list a = arcs_make(8 + 64 + 512 + 512);
    size_t m = 0;
    (void)state;
    for (nf_vid v = 1; v <= 8 + 64 + 512 + 512; v++)
        a.src[m] = v <= 8 + 64 + 512 ? (v - 1) / 8 : v - 512, a.dst[m] = v, a.w[m++] = 1200000000 + (int32_t)(v % 7);
    g = graph_from((nf_vid)m + 1, m, a, 0);
    for (size_t k = 0; k < COUNT(scopes) * COUNT(devices); k++) {
        const char *const scope = scopes[k % COUNT(scopes)], *const device = devices[k / COUNT(scopes)];
        (void)run_told(device, g, HOW("workfront", TREE, scope, "block-arcs=60", "cluster-arcs=900"));
        (void)run_told(device, g, HOW("near-far", TREE, scope, "delta=4e9"));
        (void)run_told(device, g, HOW("near-far", 0, scope, "delta=4e9", "hops=1"));
    }
    nf_graph_free(g);
}

/* With negative weights the loop pauses after 64 rounds; in the last of them a sum is too large for 32 bits: in
 * shared memory, and in queues. */
static void a_pause_and_a_large_sum_meet(void **state)
{
    enum { N = 80 };
    const arc_list a = arcs_make(2 * N);
    size_t m = 0;
    (void)state;
    for (nf_vid v = 0; v + 1 < N; v++) {
        a.src[m] = v, a.dst[m] = v + 1, a.w[m++] = 1 << 25;
        a.src[m] = v, a.dst[m] = N, a.w[m++] = -1;
    }
    nf_graph *g = graph_from(N + 1, m, a, 0);
    for (size_t k = 0; k < COUNT(scopes) * COUNT(devices); k++)
        (void)run_told(devices[k / COUNT(scopes)], g, HOW("workfront", TREE, scopes[k % COUNT(scopes)]));
    for (size_t k = 0; k < COUNT(devices); k++) {
        (void)run_told(devices[k], g, HOW("workfront", TREE, "mapping=two-phase"));
        (void)run_told(devices[k], g, HOW("workfront", TREE, "loop=host"));
    }
    nf_graph_free(g);
}

enum { WIDTH = 30, EACH = 45, ROW = WIDTH * EACH };

/* From 0 to WIDTH vertices, to a row of ROW: more than a block has room for. Along the row arcs of 1 lower one label
 * after the other, each vertex's in a round in which it is in the frontier itself. */
static nf_graph *slope(void)
{
    const arc_list a = arcs_make(WIDTH + ROW + ROW);
    const nf_vid row = 1 + WIDTH;
    size_t m = 0;
    for (nf_vid v = 1; v < row; v++)
        a.src[m] = 0, a.dst[m] = v, a.w[m++] = 1;
    for (nf_vid i = 0; i < ROW; i++)
        a.src[m] = 1 + i / EACH, a.dst[m] = row + i, a.w[m++] = 5 * (int32_t)i + 1;
    for (nf_vid i = 0; i + 1 < ROW; i++)
        a.src[m] = row + i, a.dst[m] = row + i + 1, a.w[m++] = 1;
    return graph_from(row + ROW, m, a, 0);
}

/* A vertex that came to the queue from shared memory may be listed again in the round that takes it from there. */
static void a_label_falls_behind_the_queue(void **state)
{
    static told t;
    nf_graph *g = slope();
    (void)state;
    for (size_t k = 0; k < COUNT(scopes) * COUNT(devices); k++) {
        const char *const scope = scopes[k % COUNT(scopes)], *const device = devices[k / COUNT(scopes)];
        nf_context *ctx = emulator(device, memset(&t, 0, sizeof t));
        nf_result *r = run_by(ctx, g, false, HOW("near-far", 0, scope, "delta=1e6"));
        expect_cpus(g, r, false, 0);
        nf_result_free(r);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

static bool stop_when_it_moves(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)user, (void)phase, (void)total;
    return done > 0;
}

/* The leader tells the host which round it is at while the rounds last. */
static void the_host_hears_of_rounds(void **state)
{
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .progress = stop_when_it_moves};
    nf_graph *g = grid_of(1, 60000);
    (void)state;
    for (size_t k = 0; k < COUNT(scopes); k++) {
        nf_context *ctx = NULL;
        nf_result *r = NULL;
        assert_int_equal(setenv("NEARFAR_EMULATOR", "profile=4x32", 1), 0);
        OK(nf_context_create(&o, &ctx));
        assert_int_equal(nf_bfs(ctx, g, 0, HOW("top-down", 0, scopes[k]), &r), NF_ECANCELLED);
        assert_null(r);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_count_what_the_graph_has),
        cmocka_unit_test(few_threads_share_what_one_block_found),
        cmocka_unit_test(what_just_fits_stays),
        cmocka_unit_test(rounds_end_when_they_are_told_to),
        cmocka_unit_test(many_blocks_meet_large_sums),
        cmocka_unit_test(a_pause_and_a_large_sum_meet),
        cmocka_unit_test(a_label_falls_behind_the_queue),
        cmocka_unit_test(the_host_hears_of_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
