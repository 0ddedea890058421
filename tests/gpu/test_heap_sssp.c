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

static nf_context *open_emulator(const char *settings, char *line)
{
    nf_context *ctx = NULL;
    const nf_context_options o = {.size = sizeof o,
                                  .device = "emulator",
                                  .log = line != NULL ? listen_to : NULL,
                                  .log_user = line};
    assert_int_equal(setenv("NEARFAR_EMULATOR", settings, 1), 0);
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

/* A number of the line by its name. */
static unsigned long long number(const char *line, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, " %s ", name);
    const char *at = strstr(line, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

static nf_result *search(nf_context *ctx, const nf_graph *g, const char *knob)
{
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = "bucket-heap",
                              .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC,
                              .knobs = &knob,
                              .knob_count = knob != NULL};
    OK(nf_sssp(ctx, g, 0, &o, &r));
    return r;
}

static void expect_same(const nf_graph *g, const nf_result *r, const nf_result *want)
{
    assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0), nf_graph_n(g) * sizeof(int64_t));
    assert_memory_equal(nf_result_parents(r, 0), nf_result_parents(want, 0), nf_graph_n(g) * sizeof(nf_vid));
}

static nf_result *by_cpu(const nf_graph *g)
{
    nf_context *cpu = open_cpu();
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = "dijkstra",
                              .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};
    OK(nf_sssp(cpu, g, 0, &o, &r));
    nf_context_free(cpu);
    return r;
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
    static const char *const knobs[] = {NULL, "d=1", "d=2", "d=7", "threads=32"};
    nf_graph *graphs[] = {generate("rmat", SCALE, 6, 3), grid_of(12, 9), falling(40), tree_of(5, 3, 9)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        nf_result *want = by_cpu(graphs[i]);
        for (size_t k = 0; k < COUNT(settings); k++) {
            nf_context *ctx = open_emulator(settings[k], NULL);
            nf_result *r = search(ctx, graphs[i], knobs[(i + k) % COUNT(knobs)]);
            expect_same(graphs[i], r, want);
            nf_result_free(r);
            nf_context_free(ctx);
        }
        nf_result_free(want);
        nf_graph_free(graphs[i]);
    }
}

/* A chain of dependent steps whose labels fall again and again: one launch; a step for every vertex, its arcs relaxed
 * once; RESOLVE(i) for every fourth RESOLVE(i-1), levels that are not neighbours at the same time and neighbours never;
 * the duplicates that falling labels leave in the heap are removed. */
static void the_heap_is_at_work(void **state)
{
    char line[512] = "";
    nf_context *ctx = open_emulator("order=random,seed=11", line);
    nf_graph *g = falling(CHAIN);
    nf_result *want = by_cpu(g), *r = search(ctx, g, "d=1");
    (void)state;
    expect_same(g, r, want);
    assert_int_equal(number(line, "launches"), 1);
    assert_true(number(line, "blocks") > 2);
    assert_int_equal(number(line, "steps"), CHAIN);
    assert_int_equal(number(line, "settled"), CHAIN);
    assert_int_equal(number(line, "arcs"), CHAIN * (CHAIN - 1) / 2);
    assert_true(number(line, "overlaps") > 0);
    assert_int_equal(number(line, "conflicts"), 0);
    assert_true(number(line, "duplicates") > number(line, "arcs") / 2);
    const char *at = strstr(line, "resolves ") + strlen("resolves ");
    unsigned long long before = strtoull(at, (char **)&at, 10);
    assert_true(before >= number(line, "arcs") / 2);
    for (unsigned long long i = 1; i < number(line, "levels"); i++) {
        const unsigned long long now = strtoull(at, (char **)&at, 10);
        assert_true(now == before / 4 || now + 1 == before / 4); /* the last one due may not have begun */
        before = now;
    }
    nf_result_free(r);
    nf_result_free(want);
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Vertices of equal distance are settled in one step. */
static void equals_go_together(void **state)
{
    char line[512] = "";
    nf_context *ctx = open_emulator("order=fifo", line);
    nf_graph *g = tree_of(6, 3, 0);
    nf_result *r = search(ctx, g, "d=512");
    (void)state;
    assert_int_equal(number(line, "steps"), 4);
    assert_int_equal(number(line, "most"), 216);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

static void negative_weights_are_refused(void **state)
{
    static const nf_vid src[] = {0, 1}, dst[] = {1, 2};
    static const int32_t w[] = {3, -1};
    const nf_coo coo = {.n = 3, .m = 2, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    const nf_run_options o = {.size = sizeof o, .algorithm = "bucket-heap"};
    nf_context *ctx = open_emulator("order=fifo", NULL);
    nf_graph *g = NULL;
    nf_result *r = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    assert_int_equal(nf_sssp(ctx, g, 0, &o, &r), NF_EUNSUPPORTED);
    assert_non_null(strstr(nf_last_error(), "bucket-heap"));
    assert_non_null(strstr(nf_last_error(), "negative"));
    nf_graph_free(g);
    nf_context_free(ctx);
}

static nf_status run_within(const nf_graph *g, const char *knob, uint32_t flags, double bytes)
{
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .memory_limit = (uint64_t)bytes};
    const nf_run_options how = {
        .size = sizeof how, .algorithm = "bucket-heap", .flags = flags, .knobs = &knob, .knob_count = 1};
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    const nf_status st = nf_sssp(ctx, g, 0, &how, &r);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* The formula's bytes and 200 KB are enough beside the graph, for every batch; a worst case takes nine tenths of it. */
static void memory_is_what_is_said(void **state)
{
    const double n = 100000, m = 3, graph = 4 * (n + 1) + 8 * m, room = 200 << 10;
    const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 3};
    const int32_t w[] = {1, 2, 3};
    const nf_coo coo = {.n = (nf_vid)n, .m = 3, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    const double batches[] = {1, 128, 12207, 20000};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    for (size_t i = 0; i < COUNT(batches); i++) {
        char knob[32];
        snprintf(knob, sizeof knob, "d=%.0f", batches[i]);
        OK(run_within(g, knob, 0, graph + 135 * n + 104 * batches[i] + room));
        OK(run_within(g, knob, NF_RUN_PARENTS, graph + 167 * n + 104 * batches[i] + room));
    }
    assert_int_equal(run_within(g, "d=12207", 0, graph + 0.8 * (135 * n + 104 * 12207)), NF_EDEVMEM);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same),   cmocka_unit_test(the_heap_is_at_work),
        cmocka_unit_test(equals_go_together),     cmocka_unit_test(negative_weights_are_refused),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
