/* test_stepping.c - delta-stepping and the hybrid of Workfront Sweep and Near-Far on the emulator: what only the real
 * mechanisms can count, told by the log; both under many schedules; the memory they say they take.
 */
#include "trace.h"

#define STEPS(settings, g, ...) run_told(settings, g, HOW("delta-stepping", TREE, __VA_ARGS__))
#define HYBRID(settings, g, ...) run_told(settings, g, HOW("hybrid", TREE, __VA_ARGS__))

/* Arcs of more than delta that begin at vertices which 0 reaches. */
static unsigned long long heavy_arcs(const nf_graph *g, int32_t delta)
{
    unsigned long long sum = 0;
    nf_result *r = run_on_cpu(g, false, 0);
    const int64_t *d = nf_result_distances(r, 0);
    nf_csr c;
    OK(nf_graph_view(NULL, g, &c));
    for (nf_vid v = 0; v < c.n; v++)
        for (uint64_t e = c.off32[v]; d[v] != NF_UNREACHED_I64 && e < c.off32[v + 1]; e++)
            sum += ((const int32_t *)c.weights)[e] > delta;
    nf_result_free(r);
    return sum;
}

/* Heavy arcs are relaxed once for every vertex that is reached, whatever the width and whoever drives; light ones may
 * be relaxed again. */
static void heavy_arcs_are_relaxed_once(void **state)
{
    static const char *const deltas[] = {"delta=1", "delta=20", "delta=100", "delta=300"};
    static const int32_t widths[] = {1, 20, 100, 300};
    nf_graph *graphs[] = {generate("rmat", 8, 8, 3), falling(60), grid_of(12, 12)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        for (size_t k = 0; k < COUNT(deltas); k++) {
            const unsigned long long want = heavy_arcs(graphs[i], widths[k]);
            const told device = STEPS("", graphs[i], deltas[k]), host = STEPS("", graphs[i], deltas[k], "loop=host");
            assert_int_equal(device.heavy, want);
            assert_int_equal(host.heavy, want);
            assert_true(device.gathers > 0 && device.all_arcs >= device.heavy);
        }
        nf_graph_free(graphs[i]);
    }
}

/* A chain of light arcs under heavy ones: in buckets of its width every arc is relaxed once; in one bucket all of them
 * are light, and labels fall again and again. */
static void a_bucket_ends_before_its_heavy_arcs(void **state)
{
    nf_graph *g = falling(80);
    (void)state;
    const told narrow = STEPS("", g, "delta=1"), whole = STEPS("", g, "delta=1e9");
    assert_int_equal(narrow.all_arcs, nf_graph_m(g));
    assert_int_equal(narrow.heavy, nf_graph_m(g) - 79);
    assert_int_equal(whole.heavy, 0);
    assert_true(whole.all_arcs > nf_graph_m(g));
    nf_graph_free(g);
}

/* Along a path each vertex is a bucket of its own: its heavy arcs are gathered once, and the pass after them splits. */
static void a_bucket_is_gathered_once(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    enum { LENGTH = 40 };
    nf_graph *g = grid_of(1, LENGTH);
    (void)state;
    for (size_t k = 0; k < COUNT(loops); k++) {
        const told t = STEPS("", g, "delta=0.5", loops[k]);
        assert_int_equal(t.gathers, LENGTH);
        assert_int_equal(t.heavy, nf_graph_m(g));
    }
    nf_graph_free(g);
}

/* What falls again within a bucket costs its light arcs only: of the same width a pile without the two kinds costs
 * more. */
static void two_kinds_save_work(void **state)
{
    nf_graph *g = generate("rmat", 9, 8, 3);
    (void)state;
    const told apart = STEPS("", g, "delta=60", "loop=host");
    const told whole = run_told("", g, HOW("near-far", TREE, "delta=60", "loop=host"));
    assert_true(apart.all_arcs < whole.all_arcs);
    nf_graph_free(g);
}

/* Without an ample frontier it is Workfront Sweep, but for the order of the threads; where every frontier is ample it
 * begins with Near-Far, and relaxes less. */
static void it_is_one_or_the_other(void **state)
{
    nf_graph *g = generate("rmat", 9, 8, 3);
    (void)state;
    const told all = run_told("", g, HOW("workfront", TREE, "loop=host")),
               none = HYBRID("", g, "ample=1e6", "loop=host");
    assert_true(none.all_arcs * 20 > all.all_arcs * 19 && none.all_arcs * 20 < all.all_arcs * 21);
    assert_int_equal(none.switches, 0);
    assert_int_equal(none.splits, 0);
    const told order = HYBRID("", g, "ample=0", "delta=20"), hosts = HYBRID("", g, "ample=0", "delta=20", "loop=host");
    assert_int_equal(order.switches, 1);
    assert_int_equal(order.returns, 0);
    assert_true(order.all_arcs * 20 < all.all_arcs * 19);
    assert_int_equal(hosts.switches, 1);
    assert_true(hosts.all_arcs * 20 < all.all_arcs * 19);
    nf_graph_free(g);
}

/* Short, ample, short: it begins in no order, turns to Near-Far at the first frontier of more than 64 vertices, and
 * back when the pile is nearly empty. 4 blocks of 32 threads, half a vertex each. */
static void it_turns_and_returns(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    nf_graph *g = generate("rmat", 10, 8, 5);
    (void)state;
    const told all = run_told("profile=2x32", g, HOW("workfront", TREE, "loop=host"));
    for (size_t k = 0; k < COUNT(loops); k++) {
        const told t = HYBRID("profile=2x32", g, "ample=0.5", "delta=20", loops[k]);
        unsigned first = 0;
        while (first < t.rounds && t.arcs[first] != 0)
            first++; /* the round of the turn: no arc is relaxed in it */
        assert_true(first > 0 && first < t.rounds);
        assert_int_equal(t.arcs[0], all.arcs[0]);
        assert_true(t.switches > 0 && t.returns > 0);
        assert_true(t.splits > t.switches);
        assert_true(t.all_arcs < all.all_arcs);
    }
    nf_graph_free(g);
}

/* A chain of `chain` vertices, then `crowd` behind its last, of distances 5 apart, with an arc to one more each. */
static nf_graph *chain_and_fan(nf_vid chain, nf_vid crowd)
{
    const arc_list a = arcs_make((size_t)chain + 2 * (size_t)crowd);
    size_t m = 0;
    for (nf_vid v = 0; v < chain; v++)
        a.src[m] = v, a.dst[m] = v + 1, a.w[m++] = 100;
    for (nf_vid i = 0; i < crowd; i++) {
        a.src[m] = chain, a.dst[m] = chain + 1 + i, a.w[m++] = 1 + 5 * (int32_t)i;
        a.src[m] = chain + 1 + i, a.dst[m] = chain + 1 + crowd, a.w[m++] = 5000;
    }
    return graph_from(chain + crowd + 2, m, a, 0);
}

/* What lies below the frontier that turns to Near-Far is final: no arc is looked at twice. */
static void a_turn_begins_at_the_frontier(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    nf_graph *g = chain_and_fan(60, 200);
    (void)state;
    for (size_t k = 0; k < COUNT(loops); k++) {
        const told t = HYBRID("profile=2x32", g, "ample=0.5", "delta=20", loops[k]);
        assert_int_equal(t.switches, 1);
        assert_int_equal(t.all_arcs, nf_graph_m(g));
    }
    nf_graph_free(g);
}

static void any_schedule_gives_the_same(void **state)
{
    nf_graph *graphs[] = {grid_of(14, 15), generate("rmat", 7, 6, 2)};
    (void)state;
    for (int seed = 1; seed <= 8; seed++) {
        nf_graph *g = graphs[seed % 2];
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2,profile=%dx%d", seed, 2 + seed % 3, 32 << seed % 3);
        (void)STEPS(settings, g, "delta=7");
        (void)STEPS(settings, g, "delta=3", "mapping=two-phase", "loop=host");
        (void)HYBRID(settings, g, "delta=7", "ample=0.1");
        (void)HYBRID(settings, g, "delta=7", "ample=0", "mapping=two-phase");
        (void)HYBRID(settings, g, "delta=1e300", "ample=0", "loop=host");
    }
    nf_graph_free(graphs[0]);
    nf_graph_free(graphs[1]);
}

/* With what is said and 192 KB for trace, state and alignment a run succeeds; without these it does not. */
static void memory_is_what_is_said(void **state)
{
    const double n = 200000, graph = 4 * (n + 1) + 8 * 3;
    nf_graph *g = sparse_of((nf_vid)n, 3, true, 0);
    (void)state;
    assert_int_equal(run_within(g, false, PLAIN("hybrid", 0), graph + 52 * n), NF_EDEVMEM);
    OK(run_within(g, false, PLAIN("hybrid", 0), graph + 52 * n + (192 << 10)));
    assert_int_equal(run_within(g, false, PLAIN("delta-stepping", 0), graph + 68 * n + 8 * 3), NF_EDEVMEM);
    OK(run_within(g, false, PLAIN("delta-stepping", 0), graph + 68 * n + 8 * 3 + (192 << 10)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_arcs_are_relaxed_once), cmocka_unit_test(a_bucket_ends_before_its_heavy_arcs),
        cmocka_unit_test(a_bucket_is_gathered_once),   cmocka_unit_test(a_turn_begins_at_the_frontier),
        cmocka_unit_test(two_kinds_save_work),         cmocka_unit_test(it_is_one_or_the_other),
        cmocka_unit_test(it_turns_and_returns),        cmocka_unit_test(any_schedule_gives_the_same),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
