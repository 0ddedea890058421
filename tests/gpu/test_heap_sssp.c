/* test_heap_sssp.c - Dijkstra's algorithm over the bucket heap on the emulator: right under many schedules and batches,
 * and what only the real mechanism can do, told by the log; the memory it says it takes. */
#include "trace.h"

#if defined(NF_RACE)
enum { SCALE = 5, CHAIN = 60 };
#else
enum { SCALE = 7, CHAIN = 200 };
#endif

static void listen_to(void *user, nf_log_level level, const char *text)
{
    if (level == NF_LOG_DEBUG && strstr(text, "bucket heap: ") != NULL)
        snprintf(user, 512, "%s", text);
}

/* line NULL: nobody listens. */
static nf_context *open_emulator(const char *settings, char *line)
{
    return open_device("emulator", settings, 0, line != NULL ? listen_to : NULL, line);
}

/* Every batch under every schedule; weights that differ, that are all equal, and that are all zero. */
static void answers_are_the_same(void **state)
{
    static const char *const settings[] = {"order=fifo",
                                           "order=lifo,profile=2x64",
                                           "order=random,seed=1,preempt=0.05",
                                           "order=random,seed=2,profile=4x128",
                                           "order=random,seed=3,profile=1x32",
                                           "order=random,seed=4,profile=8x64",
                                           "order=random,seed=5,preempt=0.1,profile=8x32",
                                           "order=random,seed=6",
                                           "order=random,seed=7,profile=3x64"};
    static const char *const knobs[] = {"d=0", "d=1", "d=2", "d=7", "threads=32"};
    nf_graph *graphs[] = {generate("rmat", SCALE, 6, 3), grid_of(12, 9), falling(40), tree_of(5, 3, 9)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        nf_result *want = run_on_cpu(graphs[i], false, TREE);
        for (size_t k = 0; k < COUNT(settings); k++) {
            nf_context *ctx = open_emulator(settings[k], NULL);
            nf_result *r = run_by(ctx, graphs[i], false, HOW("bucket-heap", TREE, knobs[(i + k) % COUNT(knobs)]));
            expect_same(graphs[i], r, want, false, TREE);
            nf_result_free(r);
            nf_context_free(ctx);
        }
        nf_result_free(want);
        nf_graph_free(graphs[i]);
    }
}

/* A chain of dependent steps whose labels fall again and again, a step for every vertex: what the heap told. */
static void hear_chain(const char *settings, const char *batch, char *line)
{
    nf_context *ctx = open_emulator(settings, line);
    nf_graph *g = falling(CHAIN);
    nf_result *r = run_by(ctx, g, false, HOW("bucket-heap", TREE, batch));
    expect_cpus(g, r, false, TREE);
    assert_int_equal(number_in(line, "steps"), CHAIN);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* A chain of dependent steps whose labels fall again and again: one launch; a step for every vertex, its arcs relaxed
 * once; RESOLVE(i) for every fourth RESOLVE(i-1), levels that are not neighbours at the same time and neighbours never;
 * the duplicates that falling labels leave in the heap are removed. */
static void the_heap_is_at_work(void **state)
{
    char line[512] = "";
    (void)state;
    hear_chain("order=random,seed=11", "d=1", line);
    assert_int_equal(number_in(line, "launches"), 1);
    assert_true(number_in(line, "blocks") > 2);
    assert_int_equal(number_in(line, "settled"), CHAIN);
    assert_int_equal(number_in(line, "arcs"), CHAIN * (CHAIN - 1) / 2);
    assert_true(number_in(line, "overlaps") > 0);
    assert_int_equal(number_in(line, "conflicts"), 0);
    assert_true(number_in(line, "duplicates") > number_in(line, "arcs") / 2);
    const char *at = strstr(line, "resolves ") + strlen("resolves ");
    unsigned long long before = strtoull(at, (char **)&at, 10);
    assert_true(before >= number_in(line, "arcs") / 2);
    for (unsigned long long i = 1; i < number_in(line, "levels"); i++) {
        const unsigned long long now = strtoull(at, (char **)&at, 10);
        assert_true(now == before / 4 || now + 1 == before / 4); /* the last one due may not have begun */
        before = now;
    }
}

/* A chain whose rows ascend goes from step to step with nothing between: what falls changes where it lies in level 0,
 * and no RESOLVE(0) comes. Rows in no order, with targets twice, take the same steps by claims. */
static void steps_go_alone(void **state)
{
    enum { N = 40, TIMES = 3 };
    char line[512] = "";
    (void)state;
    hear_chain("order=random,seed=12", "d=0", line);
    assert_int_equal(number_in(line, "claimed"), 0);
    assert_true(number_in(line, "pauses") <= 1);
    assert_true(number_in(line, "duplicates") >= number_in(line, "arcs") - CHAIN);
    const arc_list a = arcs_make(N * (N - 1) / 2 * TIMES);
    size_t e = 0;
    for (nf_vid u = 0; u < N; u++)
        for (nf_vid v = N - 1; v > u; v--)
            for (int k = 0; k < TIMES; k++, e++)
                a.src[e] = u, a.dst[e] = v, a.w[e] = (int32_t)(3 * (v - u)) + (k + (int)v) % 2;
    nf_context *ctx = open_emulator("order=random,seed=12", line);
    nf_graph *g = graph_from(N, e, a, 0);
    nf_result *r = run_by(ctx, g, false, HOW("bucket-heap", TREE, "d=0"));
    expect_cpus(g, r, false, TREE);
    assert_true(number_in(line, "claimed") >= N - 1);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Vertices of equal distance are settled in one step. */
static void equals_go_together(void **state)
{
    char line[512] = "";
    nf_context *ctx = open_emulator("order=fifo", line);
    nf_graph *g = tree_of(6, 3, 0);
    nf_result *r = run_by(ctx, g, false, HOW("bucket-heap", TREE, "d=512"));
    (void)state;
    assert_int_equal(number_in(line, "steps"), 4);
    assert_int_equal(number_in(line, "most"), 216);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

static void negative_weights_are_refused(void **state)
{
    static const nf_vid src[] = {0, 1}, dst[] = {1, 2};
    static const int32_t w[] = {3, -1};
    nf_context *ctx = open_emulator("order=fifo", NULL);
    nf_graph *g = graph_of(3, 2, src, dst, w, 0);
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(nf_sssp(ctx, g, 0, PLAIN("bucket-heap", 0), &r), NF_EUNSUPPORTED);
    assert_non_null(strstr(nf_last_error(), "bucket-heap"));
    assert_non_null(strstr(nf_last_error(), "negative"));
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* The formula's bytes and 300 KB are enough beside the graph, for every batch; a worst case takes nine tenths of it. */
static void memory_is_what_is_said(void **state)
{
    const double n = 100000, m = 3, graph = 4 * (n + 1) + 8 * m, room = 300 << 10;
    const double batches[] = {1, 128, 12207, 20000};
    nf_graph *g = sparse_of((nf_vid)n, 3, true, 0);
    (void)state;
    for (size_t i = 0; i < COUNT(batches); i++) {
        char knob[32];
        snprintf(knob, sizeof knob, "d=%.0f", batches[i]);
        OK(run_within(g, false, HOW("bucket-heap", 0, knob), graph + 135 * n + 48 * batches[i] + room));
        OK(run_within(g, false, HOW("bucket-heap", NF_RUN_PARENTS, knob), graph + 167 * n + 48 * batches[i] + room));
    }
    assert_int_equal(run_within(g, false, HOW("bucket-heap", 0, "d=12207"), graph + 0.8 * (135 * n + 48 * 12207)),
                     NF_EDEVMEM);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same),
        cmocka_unit_test(the_heap_is_at_work),
        cmocka_unit_test(steps_go_alone),
        cmocka_unit_test(equals_go_together),
        cmocka_unit_test(negative_weights_are_refused),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
