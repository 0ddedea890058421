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
static classes hear_run(const nf_graph *g, const char *knob)
{
    static classes c;
    const char *const knobs[] = {"census=1", knob};
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .log = hear_classes, .log_user = &c};
    const nf_run_options how = {.size = sizeof how, .algorithm = "h-bf", .knobs = knobs, .knob_count = 2};
    nf_context *ctx = NULL, *cpu = open_cpu();
    nf_result *r = NULL, *want = NULL;
    memset(&c, 0, sizeof c);
    assert_int_equal(setenv("NEARFAR_EMULATOR", "seed=3,preempt=0.05", 1), 0);
    OK(nf_context_create(&o, &ctx));
    OK(nf_sssp(ctx, g, 0, &how, &r));
    OK(nf_sssp(cpu, g, 0, NULL, &want));
    assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0), nf_graph_n(g) * sizeof(int64_t));
    assert_true(c.told && c.engine.totals);
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    return c;
}

/* Arcs from 0 to 1 .. fan, from each of them to one more, and from that to itself; directed. */
static nf_graph *broom_of(nf_vid fan, int32_t loop)
{
    enum { MOST = 64 };
    nf_vid src[3 * MOST], dst[3 * MOST];
    int32_t w[3 * MOST];
    nf_graph *g = NULL;
    size_t m = 0;
    assert_true(fan <= MOST);
    for (nf_vid i = 0; i < fan; i++) {
        src[m] = 0, dst[m] = i + 1, w[m++] = (int32_t)i + 1;
        src[m] = i + 1, dst[m] = fan + i + 1, w[m++] = 2;
        src[m] = dst[m] = fan + i + 1, w[m++] = i == 0 ? loop : 3;
    }
    const nf_coo coo = {.n = 2 * fan + 1, .m = m, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    return g;
}

/* A directed tree: every target has one arc in. */
static nf_graph *arborescence(nf_vid n)
{
    nf_vid *src = malloc(n * sizeof *src), *dst = malloc(n * sizeof *dst);
    nf_graph *g = NULL;
    assert_true(src != NULL && dst != NULL);
    for (nf_vid i = 1; i < n; i++)
        src[i - 1] = (i - 1) / 3, dst[i - 1] = i;
    const nf_coo coo = {.n = n, .m = n - 1, .src = src, .dst = dst};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    free(src);
    free(dst);
    return g;
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
    const nf_coo coo = {.n = 3, .m = 3, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    const nf_run_options how = {.size = sizeof how, .algorithm = "h-bf"};
    nf_graph *graphs[2] = {broom_of(10, -1), NULL};
    nf_context *ctx = emulator("", NULL);
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &graphs[1]));
    for (size_t i = 0; i < 2; i++) {
        nf_result *r = NULL;
        assert_int_equal(nf_sssp(ctx, graphs[i], 0, &how, &r), NF_ENEGCYCLE);
        nf_result_free(r);
        nf_graph_free(graphs[i]);
    }
    nf_context_free(ctx);
}

static nf_status run_within(const nf_graph *g, double bytes)
{
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .memory_limit = (uint64_t)bytes};
    const nf_run_options how = {.size = sizeof how, .algorithm = "h-bf"};
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    const nf_status st = nf_sssp(ctx, g, 0, &how, &r);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* 53 n, and 4 n at the start, beyond the graph's offsets and pairs; 256 KB for trace and state. */
static void memory_is_what_is_said(void **state)
{
    static const nf_vid src[] = {0, 1}, dst[] = {1, 2};
    static const int32_t w[] = {3, 4};
    const double n = 200000, graph = 4 * (n + 1) + 8 * 2;
    const nf_coo coo = {.n = (nf_vid)n, .m = 2, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    assert_int_equal(run_within(g, graph + 57 * n), NF_EDEVMEM);
    OK(run_within(g, graph + 57 * n + (264 << 10)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_arc_in_needs_no_atomic), cmocka_unit_test(loops_are_not_relaxed),
        cmocka_unit_test(sinks_are_not_listed),       cmocka_unit_test(leaves_are_not_listed),
        cmocka_unit_test(long_lists_go_to_children),  cmocka_unit_test(negative_cycles_are_returned),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
