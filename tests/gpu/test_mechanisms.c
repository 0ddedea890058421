/* test_mechanisms.c - what only the real mechanisms of the frontier engine can do, told by the trace and the totals
 * that a run leaves in the log.
 */
#include "trace.h"

/* One run, listened to. */
static told trace_of(const char *settings, const nf_graph *g, bool bfs, const char *const *knobs, size_t count)
{
    told *t = calloc(1, sizeof *t), out;
    assert_non_null(t);
    nf_context *ctx = emulator(settings, t);
    nf_result_free(run_on(ctx, g, bfs, 0, knobs, count));
    nf_context_free(ctx);
    out = *t;
    free(t);
    assert_true(out.totals);
    return out;
}

#define TRACE(settings, g, bfs, ...) \
    trace_of(settings, g, bfs, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

static unsigned long long sum_of(const told *t)
{
    unsigned long long sum = 0;
    for (unsigned i = 0; i < t->rounds; i++)
        sum += t->frontier[i];
    return sum;
}

static void children_are_launched_for_a_star_and_not_for_a_grid(void **state)
{
    nf_graph *star = star_of(900), *grid = grid_of(8, 8);
    (void)state;
    for (int bfs = 0; bfs < 2; bfs++) {
        const told s = TRACE("", star, bfs != 0, "mapping=dynamic-parallelism");
        const told g = TRACE("", grid, bfs != 0, "mapping=dynamic-parallelism");
        assert_int_equal(s.children, 1); /* one of its lanes launches it */
        assert_int_equal(g.children, 0);
        assert_string_equal(s.mapping[0], "dynamic-parallelism");
        assert_string_equal(s.scope[0], "host");
    }
    nf_graph_free(star);
    nf_graph_free(grid);
}

static void the_persistent_loop_refuses_children_by_name(void **state)
{
    const nf_run_options *how = HOW(NULL, 0, "mapping=dynamic-parallelism", "loop=persistent");
    nf_graph *g = star_of(10);
    nf_context *ctx = emulator("", NULL);
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(nf_bfs(ctx, g, 0, how, &r), NF_EUNSUPPORTED);
    assert_non_null(strstr(nf_last_error(), "dynamic-parallelism"));
    assert_null(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

static void blocks_differ_by_at_most_one_chunk(void **state)
{
    nf_graph *g = generate("rmat", 9, 16, 3);
    static const char *const names[] = {"mapping=two-phase", "mapping=multi-phase"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const told t = TRACE("", g, true, names[i], "scope=grid", "census=1", "threads=64");
        assert_true(t.most >= 1);
        assert_true(t.most - t.least <= 1);
    }
    nf_graph_free(g);
}

/* Chunks are two-phase's and multi-phase's alone: no other mapping turns out to be one of them, whoever drives. */
static void a_mapping_is_the_one_that_was_asked_for(void **state)
{
    nf_graph *g = generate("rmat", 9, 16, 3);
    static const char *const names[] = {
        "mapping=thread",        "mapping=virtual-warp:8", "mapping=dynamic-virtual-warp", "mapping=cta-warp-scan",
        "mapping=direct-search", "mapping=warp-search",    "mapping=block-search"};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        const told t = TRACE("", g, true, names[i / 2], "census=1", i % 2 == 0 ? "loop=host" : "loop=persistent");
        assert_int_equal(t.most, 0);
    }
    nf_graph_free(g);
}

/* Every candidate gets one verdict: duplicates and what is kept add up to them; what is kept and was not missed is the
 * frontier of an exact policy. */
static void verdicts_of_hash64_add_up(void **state)
{
    nf_graph *g = generate("rmat", 7, 16, 3);
    unsigned long long found = 0;
    (void)state;
    for (int seed = 1; seed <= 8; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2", seed);
        const told h = TRACE(settings, g, true, "duplicates=hash64", "census=1", "k2=20", "k3=1",
                             seed % 2 == 0 ? "mapping=virtual-warp:4" : "mapping=dynamic-parallelism");
        const told exact = TRACE(settings, g, true, "duplicates=atomic64", "mapping=virtual-warp:4");
        assert_int_equal(sum_of(&h) - 1, h.tested - h.all_duplicates); /* all but the source */
        assert_true(h.conflicts <= h.tested - h.all_duplicates);
        assert_int_equal(sum_of(&h) - h.missed, sum_of(&exact));
        found += h.all_duplicates;
    }
    assert_true(found > 0);
    nf_graph_free(g);
}

/* The lookup table leaves one entry a vertex, as exact policies do; without a policy there are more. */
static void the_table_leaves_one_entry_a_vertex(void **state)
{
    nf_graph *g = falling(40);
    (void)state;
    const told none = TRACE("seed=3,preempt=0.3", g, true, "duplicates=none", "mapping=thread", "loop=host");
    const told table = TRACE("seed=3,preempt=0.3", g, true, "duplicates=table", "mapping=thread", "loop=host");
    const told exact = TRACE("seed=3,preempt=0.3", g, true, "duplicates=atomic64", "mapping=thread", "loop=host");
    assert_int_equal(sum_of(&table), sum_of(&exact));
    assert_true(sum_of(&none) >= sum_of(&exact));
    nf_graph_free(g);
}

/* Labels of `falling` fall again and again in one round: without a policy the queue of n fills up, turns into a bitmap
 * and back, and the result is right all the same. */
static void a_full_queue_becomes_a_bitmap_and_a_queue_again(void **state)
{
    nf_graph *g = falling(64);
    unsigned spills = 0;
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        const char *const by = loop == 0 ? "loop=host" : "loop=persistent";
        for (int seed = 1; seed <= 6; seed++) {
            char settings[48];
            snprintf(settings, sizeof settings, "seed=%d,preempt=0.3", seed);
            const told t = TRACE(settings, g, false, "duplicates=none", "mapping=direct-search", by);
            spills += t.spills;
        }
        assert_true(spills > 0);
    }
    nf_graph_free(g);
}

/* The same with an exact filter: of `falling` vertex r is final before round r + 1, so the frontier of round r has none
 * before r, and each once. A bitmap that keeps what it held would list it again at the next spill. */
static void a_bitmap_is_left_empty(void **state)
{
    enum { N = 64 };
    nf_graph *g = falling(N);
    unsigned most = 0;
    (void)state;
    for (int seed = 1; seed <= 12; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.3", seed);
        const told t = TRACE(settings, g, false, "duplicates=table", "mapping=direct-search",
                             seed % 2 == 0 ? "loop=host" : "loop=persistent");
        for (unsigned r = 0; r < t.rounds; r++)
            assert_true(t.arcs[r] <= (unsigned long long)(N - r) * (N - r - 1) / 2);
        most = t.spills > most ? t.spills : most;
    }
    assert_true(most >= 2);
    nf_graph_free(g);
}

/* Vertices without arcs need no place in the queue; they are counted. */
static void ends_are_counted(void **state)
{
    enum { ENDS = 300 };
    const arc_list a = arcs_make(ENDS + 1);
    (void)state;
    for (nf_vid i = 0; i < ENDS; i++)
        a.src[i] = 0, a.dst[i] = i + 1, a.w[i] = 1;
    a.src[ENDS] = 1, a.dst[ENDS] = 0, a.w[ENDS] = 1;
    nf_graph *g = graph_from(ENDS + 1, ENDS + 1, a, 0);
    for (int i = 0; i < 4; i++) {
        const told t = TRACE("", g, i < 2, "mapping=cta-warp-scan", i % 2 == 0 ? "loop=host" : "loop=persistent");
        assert_int_equal(t.sinks, ENDS - 1);
        assert_int_equal(t.frontier[1], ENDS);
    }
    nf_graph_free(g);
}

/* Levels or distances and the smallest tree are the CPU's. */
static void match(const char *settings, const nf_graph *g, bool bfs, const char *const *knobs, size_t count)
{
    nf_context *ctx = emulator(settings, NULL);
    nf_result *r = run_on(ctx, g, bfs, TREE, knobs, count);
    expect_cpus(g, r, bfs, TREE);
    nf_result_free(r);
    nf_context_free(ctx);
}

#define MATCH(settings, g, bfs, ...) \
    match(settings, g, bfs, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/* The graph of these arcs, which it frees, with other weights. */
static nf_graph *graph_by(nf_vid n, nf_eid m, arc_list a, nf_type type, const void *weights)
{
    const nf_coo coo = {.n = n, .m = m, .src = a.src, .dst = a.dst, .weight_type = type, .weights = weights};
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, &(const nf_build_options){.size = sizeof(nf_build_options)}, &g));
    free(a.src);
    free(a.dst);
    free(a.w);
    return g;
}

/* Vertex 0 with `before` arcs, then vertex 1 with `arms` of them, each the only way to its end, then vertex 2, one of
 * the ends, with three to vertices that are farther. */
static nf_graph *hub_behind(nf_vid before, nf_vid arms, nf_type type)
{
    const nf_vid n = arms + before + 4, m = before + arms + 3;
    const arc_list a = arcs_make(m);
    double *weight = malloc(m * sizeof *weight);
    assert_non_null(weight);
    for (nf_vid i = 0; i < m; i++) {
        a.src[i] = i < before ? 0 : i < before + arms ? 1 : 2;
        a.dst[i] = i == 0 ? 1 : i < before ? n - i : i + 2 - before;
        a.w[i] = (int32_t)(1 + i % 7), weight[i] = 1 + i % 7;
    }
    nf_graph *g = graph_by(n, m, a, type, type == NF_F64 ? (void *)weight : type == NF_I32 ? (void *)a.w : NULL);
    free(weight);
    return g;
}

/* Long lists are read 16 bytes at a time: nothing is lost and nothing is taken from others where they begin and end
 * within these. */
static void long_lists_begin_and_end_anywhere(void **state)
{
    static const nf_type types[] = {NF_I32, NF_F64, NF_NONE};
    (void)state;
    for (nf_vid i = 0; i < 16 * COUNT(types); i++) {
        nf_graph *g = hub_behind(1 + i % 4, 200 + i / 4 % 4, types[i / 16]);
        for (int bfs = 0; bfs < 2; bfs++) {
            MATCH("profile=2x64", g, bfs != 0, "mapping=cta-warp-scan", "cta-th=64");
            MATCH("profile=2x64", g, bfs != 0, "mapping=cta-warp-scan", "warp-th=16");
            MATCH("profile=2x64", g, bfs != 0, "mapping=dynamic-parallelism", "k2=1", "k3=2");
            MATCH("profile=2x64", g, bfs != 0, "mapping=warp-search");
        }
        nf_graph_free(g);
    }
}

/* Levels of 1, 1, 1,500, 1, 1,024 (which block-search takes at once) and 2,048 vertices. */
static nf_graph *levels_of_a_chunk(void)
{
    enum { WIDE = 1500, CHUNK = 1024, FIRST = 2, NECK = FIRST + WIDE, SECOND = NECK + 1, LAST = SECOND + CHUNK };
    const arc_list a = arcs_make(1 + 2 * WIDE + 3 * CHUNK);
    nf_eid m = 0;
    a.src[m] = 0, a.dst[m] = 1, a.w[m] = 1, m++;
    for (nf_vid i = 0; i < WIDE; i++) {
        a.src[m] = 1, a.dst[m] = FIRST + i, a.w[m] = 1, m++;
        a.src[m] = FIRST + i, a.dst[m] = NECK, a.w[m] = 1, m++;
    }
    for (nf_vid i = 0; i < CHUNK; i++) {
        a.src[m] = NECK, a.dst[m] = SECOND + i, a.w[m] = 1, m++;
        a.src[m] = SECOND + i, a.dst[m] = LAST + 2 * i, a.w[m] = 1, m++;
        a.src[m] = SECOND + i, a.dst[m] = LAST + 2 * i + 1, a.w[m] = 1, m++;
    }
    return graph_from(LAST + 2 * CHUNK, m, a, 0);
}

/* A block that takes more vertices or arcs than shared memory has room for uses it again. */
static void blocks_take_many_chunks(void **state)
{
    static const char *const settings[] = {"profile=1x256", "profile=2x64,seed=1,preempt=0.05",
                                           "profile=16x64,order=lifo"};
    static const char *const mappings[] = {"mapping=cta-warp-scan", "mapping=block-search", "mapping=two-phase",
                                           "mapping=multi-phase", "mapping=warp-search"};
    nf_graph *graphs[] = {generate("uniform", 11, 10, 5), star_of(5000), levels_of_a_chunk()};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        for (size_t k = 0; k < COUNT(settings) * COUNT(mappings); k++)
            MATCH(settings[k % COUNT(settings)], graphs[i], k % 2 == 0, mappings[k / COUNT(settings)], "is=4",
                  "scope=grid");
        nf_graph_free(graphs[i]);
    }
}

/* So many sources that every warp has to write some out before all of them are seeded; some of them twice. */
static void many_warps_seed(void **state)
{
    enum { SOURCES = 1500 };
    static const char *const settings[] = {"profile=2x64,seed=1,preempt=0.2", "profile=4x128,order=lifo"};
    static const char *const methods[] = {"top-down", "workfront", "near-far", "delta-stepping"};
    nf_graph *g = generate("uniform", 11, 4, 5);
    const nf_vid n = nf_graph_n(g);
    nf_vid sources[SOURCES];
    nf_context *cpu = open_cpu();
    (void)state;
    for (nf_vid i = 0; i < SOURCES; i++)
        sources[i] = i * 7 % (n / 2);
    for (size_t i = 0; i < 2 * COUNT(methods); i++) {
        const bool bfs = i / 2 == 0, both = i / 2 < 2;
        const nf_run_options *how =
            both && i % 2 == 0 ? HOW(methods[i / 2], 0, "duplicates=atomic64") : PLAIN(methods[i / 2], 0);
        nf_context *ctx = emulator(settings[i % 2], NULL);
        nf_result *r = NULL, *want = NULL;
        OK(bfs ? nf_bfs_nearest(ctx, g, sources, SOURCES, how, &r)
               : nf_sssp_nearest(ctx, g, sources, SOURCES, how, &r));
        OK(bfs ? nf_bfs_nearest(cpu, g, sources, SOURCES, NULL, &want)
               : nf_sssp_nearest(cpu, g, sources, SOURCES, NULL, &want));
        expect_same(g, r, want, bfs, 0);
        nf_result_free(r);
        nf_result_free(want);
        nf_context_free(ctx);
    }
    nf_context_free(cpu);
    nf_graph_free(g);
}

/* `arms` ways of two arcs from 0 to the last vertex but one, each arc of the largest float but a little: infinite. */
static nf_graph *beyond_floats(nf_vid arms)
{
    const arc_list a = arcs_make(2 * (size_t)arms);
    float *w = malloc(2 * arms * sizeof *w);
    assert_non_null(w);
    for (nf_vid i = 0; i < 2 * arms; i++)
        a.src[i] = i < arms ? 0 : 1 + i - arms, a.dst[i] = i < arms ? i + 1 : arms + 1, w[i] = 3e38f;
    nf_graph *g = graph_by(arms + 2, 2 * arms, a, NF_F32, w);
    free(w);
    return g;
}

/* Sums that are no distances: many threads find that a float is too small for them, or that labels fall for ever. */
static void sums_that_are_no_distances_are_told(void **state)
{
    enum { ARMS = 200 };
    static const char *const loops[] = {"loop=host", "loop=persistent"};
    const arc_list a = arcs_make(2 * ARMS + 2);
    nf_graph *far = beyond_floats(ARMS), *fine = lowered(300, 3, 2);
    (void)state;
    for (nf_vid i = 0; i < 2 * ARMS; i++)
        a.src[i] = i < ARMS ? 0 : 1 + i - ARMS, a.dst[i] = i < ARMS ? i + 1 : ARMS + 1, a.w[i] = (int32_t)(i % 5);
    a.src[2 * ARMS] = ARMS + 1, a.dst[2 * ARMS] = ARMS + 2, a.w[2 * ARMS] = -5;
    a.src[2 * ARMS + 1] = ARMS + 2, a.dst[2 * ARMS + 1] = ARMS + 1, a.w[2 * ARMS + 1] = 3;
    nf_graph *round = graph_from(ARMS + 3, 2 * ARMS + 2, a, 0);
    for (size_t i = 0; i < COUNT(loops); i++) {
        static told t;
        nf_context *ctx = emulator("profile=4x64,seed=2,preempt=0.1", memset(&t, 0, sizeof t));
        nf_run_options o = *HOW("workfront", 0, loops[i]);
        nf_run_info info = {.size = sizeof info};
        nf_result *r = NULL;
        uint64_t length = 0;
        assert_int_equal(nf_sssp(ctx, round, 0, &o, &r), NF_ENEGCYCLE);
        assert_non_null(nf_result_cycle(r, &length));
        assert_int_equal(length, 2);
        assert_false(t.totals); /* found by who lowered whom, before as many rounds as there are vertices */
        nf_result_free(r);
        r = NULL;
        o.distance_type = NF_F32;
        OK(nf_sssp(ctx, far, 0, &o, &r));
        OK(nf_result_info(r, &info));
        assert_true((info.flags & NF_INFO_FLOAT_OVERFLOW) != 0);
        nf_result_free(r);
        nf_context_free(ctx);
        MATCH("profile=4x64,seed=2,preempt=0.1", fine, false, loops[i]);
    }
    nf_graph_free(far);
    nf_graph_free(fine);
    nf_graph_free(round);
}

/* Small frontiers are one block's affair, large ones the grid's, all in one launch; the others sleep meanwhile. */
static void scopes_follow_the_frontier(void **state)
{
    nf_graph *big = generate("rmat", 11, 16, 3), *path = grid_of(1, 60);
    bool block = false, wider = false;
    (void)state;
    const told t = TRACE("", big, true, "loop=persistent");
    for (unsigned i = 0; i < t.rounds; i++) {
        block |= strcmp(t.scope[i], "block") == 0;
        wider |= strcmp(t.scope[i], "cluster") == 0 || strcmp(t.scope[i], "grid") == 0;
    }
    assert_true(block && wider && t.pauses >= 1);
    const told p = TRACE("", path, true, "loop=persistent");
    assert_true(p.rounds >= 59 && p.pauses == 1);
    const told c = TRACE("", path, true, "loop=persistent", "scope=cluster");
    assert_string_equal(c.scope[5], "cluster");
    const told w = TRACE("", path, true, "loop=persistent", "scope=grid");
    assert_string_equal(w.scope[5], "grid");
    nf_graph_free(big);
    nf_graph_free(path);
}

/* Frontiers of roads and meshes lie in shared memory, as the mapping tells; what does not fit goes to the queue, and
 * what fits again comes back. Every block of a cluster, too. */
static void small_frontiers_lie_in_shared_memory(void **state)
{
    static const char *const scopes[] = {"scope=block", "scope=cluster", "scope=auto"};
    nf_graph *tree = tree_of(8, 4, 60);
    (void)state;
    for (size_t i = 0; i < COUNT(scopes); i++)
        for (int bfs = 0; bfs < 2; bfs++) {
            unsigned near = 0, far = 0, turns = 0;
            const told t = TRACE("profile=4x64", tree, bfs != 0, scopes[i], "block-arcs=300", "cluster-arcs=3000");
            for (unsigned k = 0; k < t.rounds; k++) {
                near += strcmp(t.mapping[k], "dynamic-virtual-warp") == 0;
                far += strcmp(t.mapping[k], "virtual-warp") == 0;
                turns += k > 0 && strcmp(t.mapping[k], t.mapping[k - 1]) != 0;
            }
            assert_int_equal(near + far, t.rounds);
            assert_true(near > 60 && far >= 1 && turns >= 2);
            assert_int_equal(sum_of(&t), nf_graph_n(tree));
        }
    nf_graph_free(tree);
}

/* Lists of up to 64 arcs are short, and up to 8 in the mean few: such rounds lie in shared memory. */
static void short_and_few_have_their_borders(void **state)
{
    nf_graph *graphs[] = {star_of(64), cliques_of(1, 9), star_of(65), cliques_of(1, 10)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        const told t = TRACE("profile=4x64", graphs[i], true, "loop=persistent");
        assert_int_equal(strcmp(t.mapping[0], "dynamic-virtual-warp") == 0, i < 2);
        nf_graph_free(graphs[i]);
    }
}

/* The trace adds up to the run's own counter, and auto takes the mapping that the degrees ask for. */
static void the_trace_adds_up(void **state)
{
    nf_graph *g = generate("rmat", 8, 16, 3), *grid = grid_of(10, 10);
    unsigned long long arcs = 0;
    (void)state;
    const told t = TRACE("", g, false, "loop=persistent");
    for (unsigned i = 0; i < t.rounds; i++)
        arcs += t.arcs[i];
    assert_true(arcs > 0);
    assert_int_equal(arcs, t.all_arcs);
    assert_string_equal(t.mapping[0], "two-phase");
    const told s = TRACE("", grid, false, "loop=host");
    assert_string_equal(s.mapping[0], "virtual-warp");
    nf_graph_free(g);
    nf_graph_free(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_launched_for_a_star_and_not_for_a_grid),
        cmocka_unit_test(the_persistent_loop_refuses_children_by_name),
        cmocka_unit_test(blocks_differ_by_at_most_one_chunk),
        cmocka_unit_test(a_mapping_is_the_one_that_was_asked_for),
        cmocka_unit_test(verdicts_of_hash64_add_up),
        cmocka_unit_test(the_table_leaves_one_entry_a_vertex),
        cmocka_unit_test(a_full_queue_becomes_a_bitmap_and_a_queue_again),
        cmocka_unit_test(a_bitmap_is_left_empty),
        cmocka_unit_test(ends_are_counted),
        cmocka_unit_test(long_lists_begin_and_end_anywhere),
        cmocka_unit_test(blocks_take_many_chunks),
        cmocka_unit_test(many_warps_seed),
        cmocka_unit_test(sums_that_are_no_distances_are_told),
        cmocka_unit_test(scopes_follow_the_frontier),
        cmocka_unit_test(small_frontiers_lie_in_shared_memory),
        cmocka_unit_test(short_and_few_have_their_borders),
        cmocka_unit_test(the_trace_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
