/* test_h_bf.c - the classes of arcs of `h-bf` on the emulator: what each saves, told by the log; negative cycles; the
 * memory it says it takes.
 */
#include "trace.h"

typedef struct classes {
    told engine;
    unsigned long long stores, atomics, loops, sinks, leaves;
    bool told;
} classes;

static void hear_classes(void *user, nf_log_level level, const char *text)
{
    classes *c = user;
    const char *line = strstr(text, "sssp classes: ");
    hear(&c->engine, level, text);
    if (line != NULL)
        c->told = sscanf(line, "sssp classes: stores %llu, atomics %llu, loops %llu, sinks %llu, leaves %llu",
                         &c->stores, &c->atomics, &c->loops, &c->sinks, &c->leaves)
                  == 5;
}

/* One run from vertex 0 with a knob, listened to; distances are those of the CPU. */
static classes hear_under(const char *settings, const nf_graph *g, const char *knob)
{
    static classes c;
    memset(&c, 0, sizeof c);
    nf_context *ctx = open_device("emulator", settings, 0, hear_classes, &c);
    nf_result *r = run_by(ctx, g, false, HOW("h-bf", 0, "census=1", knob));
    expect_cpus(g, r, false, 0);
    assert_true(c.told && c.engine.totals);
    nf_result_free(r);
    nf_context_free(ctx);
    return c;
}

static classes hear_run(const nf_graph *g, const char *knob)
{
    return hear_under("seed=3,preempt=0.05", g, knob);
}

/* Arcs from 0 to 1 .. fan, from each of them to one more, and from that to itself; directed. */
static nf_graph *broom_of(nf_vid fan, int32_t loop)
{
    const arc_list a = arcs_make(3 * fan);
    size_t m = 0;
    for (nf_vid i = 0; i < fan; i++) {
        a.src[m] = 0, a.dst[m] = i + 1, a.w[m++] = (int32_t)i + 1;
        a.src[m] = i + 1, a.dst[m] = fan + i + 1, a.w[m++] = 2;
        a.src[m] = a.dst[m] = fan + i + 1, a.w[m++] = i == 0 ? loop : 3;
    }
    return graph_from(2 * fan + 1, m, a, 0);
}

/* A directed tree without weights: every target has one arc in. */
static nf_graph *arborescence(nf_vid n)
{
    nf_vid src[300], dst[300];
    assert_true(n <= COUNT(src));
    for (nf_vid i = 1; i < n; i++)
        src[i - 1] = (i - 1) / 3, dst[i - 1] = i;
    return graph_of(n, n - 1, src, dst, NULL, 0);
}

static void one_arc_in_needs_no_atomic(void **state)
{
    nf_graph *g = arborescence(300);
    (void)state;
    const classes on = hear_run(g, "in1=1"), off = hear_run(g, "in1=0");
    assert_true(on.stores == 299 && on.atomics == 0);
    assert_true(off.stores == 0 && off.atomics == 299);
    nf_graph_free(g);
}

/* Rounds that words tell, some of them, and none: the same distances and a tree, a vertex once a round, under several
 * schedules, by the host's loop and the device's. */
static void marks_do_for_stamps(void **state)
{
    static const char *const marks[] = {"marks=0", "marks=1", "marks=3", "marks=1000"};
    static const char *const settings[] = {"order=lifo", "seed=5,order=random,preempt=0.2,profile=4x64",
                                           "profile=1x32"};
    nf_graph *graphs[] = {generate("rmat", 8, 8, 3), grid_of(9, 9), falling(60), generate("uniform", 9, 6, 2)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs) * COUNT(settings) * COUNT(marks); i++) {
        const nf_graph *g = graphs[i % COUNT(graphs)];
        const char *how = settings[i / COUNT(graphs) % COUNT(settings)],
                   *mark = marks[i / COUNT(graphs) / COUNT(settings)];
        told t = {0};
        nf_context *ctx = open_device("emulator", how, 0, hear, &t);
        nf_result *r =
            run_by(ctx, g, false, HOW("h-bf", NF_RUN_PARENTS, mark, i % 2 == 0 ? "loop=host" : "loop=persistent"));
        expect_cpus(g, r, false, NF_RUN_PARENTS);
        expect_tree(g, r, 0, 0);
        assert_true(t.totals);
        nf_result_free(r);
        nf_context_free(ctx);
    }
    /* One warp, in one order: labels fall in the same order, so what is listed is the same. */
    const classes all = hear_under("profile=1x32", graphs[2], "marks=1000");
    const classes none = hear_under("profile=1x32", graphs[2], "marks=0");
    assert_true(all.engine.rounds > 4 && all.engine.rounds == none.engine.rounds);
    assert_true(all.engine.all_arcs == none.engine.all_arcs);
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

static void loops_are_not_relaxed(void **state)
{
    nf_graph *g = broom_of(40, 0);
    (void)state;
    const classes on = hear_run(g, "loops=1"), off = hear_run(g, "loops=0");
    assert_int_equal(on.loops, 40);
    assert_int_equal(off.loops, 0);
    nf_graph_free(g);
}

/* The engine queues no vertex without arcs out, but asks for its arcs first: with the class it is not asked for. */
static void sinks_are_not_listed(void **state)
{
    nf_graph *g = arborescence(40);
    (void)state;
    const classes on = hear_run(g, "sinks=1"), off = hear_run(g, "sinks=0");
    assert_int_equal(on.sinks, 27);
    assert_int_equal(on.engine.sinks, 0);
    assert_int_equal(off.sinks, 0);
    assert_int_equal(off.engine.sinks, 27);
    nf_graph_free(g);
}

/* The arms of a star look back at the hub, unless they are known for leaves. */
static void leaves_are_not_listed(void **state)
{
    nf_graph *g = star_of(50);
    (void)state;
    const classes on = hear_run(g, "leaves=1"), off = hear_run(g, "leaves=0");
    assert_true(on.leaves == 50 && on.engine.all_arcs == 50);
    assert_true(off.leaves == 0 && off.engine.all_arcs == 100);
    nf_graph_free(g);
}

/* Dynamic parallelism for long lists. */
static void long_lists_go_to_children(void **state)
{
    nf_graph *g = star_of(900);
    (void)state;
    assert_true(hear_run(g, "mapping=dynamic-parallelism").engine.children >= 1);
    nf_graph_free(g);
}

/* No class hides a negative cycle: a loop, and an edge of both directions. */
static void negative_cycles_are_returned(void **state)
{
    static const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 1};
    static const int32_t w[] = {5, 2, -3};
    nf_graph *graphs[2] = {broom_of(10, -1), graph_of(3, 3, src, dst, w, 0)};
    nf_context *ctx = emulator("", NULL);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        nf_result *r = NULL;
        assert_int_equal(nf_sssp(ctx, graphs[i], 0, PLAIN("h-bf", 0), &r), NF_ENEGCYCLE);
        nf_result_free(r);
        nf_graph_free(graphs[i]);
    }
    nf_context_free(ctx);
}

/* 53 n, and 4 n at the start, beyond the graph's offsets and pairs; 256 KB for trace and state. */
static void memory_is_what_is_said(void **state)
{
    const double n = 200000, graph = 4 * (n + 1) + 8 * 2;
    nf_graph *g = sparse_of((nf_vid)n, 2, true, 0);
    (void)state;
    assert_int_equal(run_within(g, false, PLAIN("h-bf", 0), graph + 57 * n), NF_EDEVMEM);
    OK(run_within(g, false, PLAIN("h-bf", 0), graph + 57 * n + (264 << 10)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_arc_in_needs_no_atomic), cmocka_unit_test(loops_are_not_relaxed),
        cmocka_unit_test(sinks_are_not_listed),       cmocka_unit_test(leaves_are_not_listed),
        cmocka_unit_test(long_lists_go_to_children),  cmocka_unit_test(negative_cycles_are_returned),
        cmocka_unit_test(memory_is_what_is_said),     cmocka_unit_test(marks_do_for_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
