/* test_matrix.c - every mapping x both steps (BFS, relaxation) x both loops x every policy against duplicates, on small
 * graphs, under many schedules of the emulator, compared with the CPU.
 *
 * Schedules: plain FIFO, LIFO and 8 random ones with preemption; ASan + UBSan 2; race 3. Devices of 4 x 256, 1 x 32 and
 * 2 x 64 threads take turns. Distances and deterministic parents must be equal bit for bit.
 */
#include "trace.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#define GRAPHS 5

static const char *const schedules[] = {
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
    "order=fifo",
    "seed=1,preempt=0.05,profile=2x64",
#elif defined(NF_RACE)
    "order=fifo,profile=2x64",
    "seed=1,preempt=0.01,profile=2x64",
    "seed=2,preempt=0.002,profile=4x128",
#else
    "order=fifo",
    "order=lifo",
    "seed=1,preempt=0.02",
    "seed=2,preempt=0.1,profile=2x64",
    "seed=3,preempt=0.02,profile=1x32",
    "seed=4,preempt=0.05,profile=2x64",
    "seed=5,preempt=0.1,profile=4x64",
    "seed=6,preempt=0.02,profile=2x128",
    "seed=7,preempt=0.1,profile=3x64",
    "seed=8,preempt=0.05,profile=4x32",
#define TAKEN GRAPHS
#endif
};
#ifndef TAKEN
#define TAKEN 1
#endif

static const char *const mappings[] = {"mapping=auto",
                                       "mapping=thread",
                                       "mapping=virtual-warp:2",
                                       "mapping=virtual-warp:8",
                                       "mapping=virtual-warp:32",
                                       "mapping=dynamic-virtual-warp",
                                       "mapping=dynamic-parallelism",
                                       "mapping=cta-warp-scan",
                                       "mapping=direct-search",
                                       "mapping=warp-search",
                                       "mapping=block-search",
                                       "mapping=two-phase",
                                       "mapping=multi-phase"};
static const char *const loops[] = {"loop=host", "loop=persistent"};
static const char *const policies[] = {"duplicates=none", "duplicates=table", "duplicates=hash64",
                                       "duplicates=atomic64", "duplicates=auto"};

static nf_graph *graphs[GRAPHS];
static nf_result *want[GRAPHS][2];

static int make_graphs(void **state)
{
    nf_context *cpu = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "cpu", .threads = 1};
    (void)state;
    graphs[0] = generate("rmat", 6, 8, 3);
    graphs[1] = star_of(300);
    graphs[2] = grid_of(5, 6);
    graphs[3] = falling(24);
    graphs[4] = generate("uniform", 5, 3, 5);
    OK(nf_context_create(&o, &cpu));
    for (int i = 0; i < GRAPHS; i++)
        for (int bfs = 0; bfs < 2; bfs++)
            want[i][bfs] = run_on(cpu, graphs[i], bfs != 0, NF_RUN_DETERMINISTIC, NULL, 0);
    nf_context_free(cpu);
    return 0;
}

static int free_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < GRAPHS; i++) {
        nf_result_free(want[i][0]);
        nf_result_free(want[i][1]);
        nf_graph_free(graphs[i]);
    }
    return 0;
}

static void compare(const nf_graph *g, const nf_result *got, const nf_result *right, bool bfs, const char *schedule,
                    const char *const *knobs)
{
    const size_t n = nf_graph_n(g);
    const bool same = bfs ? memcmp(nf_result_hops(got, 0), nf_result_hops(right, 0), n * 4) == 0
                          : memcmp(nf_result_distances(got, 0), nf_result_distances(right, 0), n * 8) == 0;
    if (!same || memcmp(nf_result_parents(got, 0), nf_result_parents(right, 0), n * 4) != 0)
        fail_msg("%s %s %s %s NEARFAR_EMULATOR=%s: %s differ", bfs ? "bfs" : "sssp", knobs[0], knobs[1], knobs[2],
                 schedule, same ? "parents" : "distances");
}

/* A run of one graph under one set of knobs, both steps. */
static void run_both(nf_context *ctx, int graph, const char *schedule, const char *const *knobs, size_t count)
{
    for (int bfs = 0; bfs < 2; bfs++) {
        nf_result *r = run_on(ctx, graphs[graph], bfs != 0, NF_RUN_DETERMINISTIC, knobs, count);
        compare(graphs[graph], r, want[graph][bfs], bfs != 0, schedule, knobs);
        nf_result_free(r);
    }
}

/* Every graph, where that is quick; else one graph for each set of knobs, another one with each schedule. */
static void every_mapping_loop_and_policy(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(schedules); s++) {
        nf_context *ctx = emulator(schedules[s], NULL);
        for (size_t m = 0; m < COUNT(mappings); m++)
            for (size_t l = 0; l < COUNT(loops); l++)
                for (size_t p = 0; p < COUNT(policies); p++) {
                    const char *const knobs[] = {mappings[m], loops[l], policies[p]};
                    if (strstr(mappings[m], "parallelism") != NULL && l == 1)
                        continue; /* refused by name */
                    for (size_t g = 0; g < TAKEN; g++)
                        run_both(ctx, (int)((g + m + p + s) % GRAPHS), schedules[s], knobs, COUNT(knobs));
                }
        nf_context_free(ctx);
    }
}

/* The forms of a mapping that have knobs of their own. */
static void variants_of_mappings(void **state)
{
    static const char *const sets[][4] = {{"mapping=warp-search", "search=shared", "ext=0", "loop=persistent"},
                                          {"mapping=warp-search", "search=registers", "ext=0", "loop=host"},
                                          {"mapping=cta-warp-scan", "cta-th=64", "warp-th=4", "loop=persistent"},
                                          {"mapping=cta-warp-scan", "cta-th=65536", "warp-th=65536", "loop=host"},
                                          {"mapping=multi-phase", "is=1", "threads=32", "loop=persistent"},
                                          {"mapping=multi-phase", "is=4", "threads=64", "loop=host"},
                                          {"mapping=two-phase", "scope=grid", "threads=64", "loop=persistent"},
                                          {"mapping=two-phase", "scope=cluster", "threads=64", "loop=persistent"},
                                          {"mapping=dynamic-virtual-warp", "scope=block", "k1=1", "loop=persistent"},
                                          {"mapping=dynamic-parallelism", "k2=100", "k3=1", "loop=host"},
                                          {"mapping=auto", "scope=cluster", "threads=64", "loop=persistent"},
                                          {"block-arcs=6", "cluster-arcs=20", "threads=32", "loop=persistent"},
                                          {"block-arcs=6", "cluster-arcs=6", "mapping=thread", "loop=persistent"},
                                          {"duplicates=table", "scope=cluster", "threads=64", "loop=persistent"},
                                          {"duplicates=none", "scope=grid", "threads=64", "loop=persistent"},
                                          {"duplicates=hash64", "census=1", "threads=64", "loop=persistent"}};
    (void)state;
    for (size_t s = 0; s < COUNT(schedules) && s < 3; s++) {
        nf_context *ctx = emulator(schedules[s], NULL);
        for (size_t i = 0; i < COUNT(sets); i++)
            for (int graph = 0; graph < GRAPHS; graph++)
                run_both(ctx, graph, schedules[s], sets[i], COUNT(sets[i]));
        nf_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mapping_loop_and_policy),
                                       cmocka_unit_test(variants_of_mappings)};
    return cmocka_run_group_tests(tests, make_graphs, free_graphs);
}
