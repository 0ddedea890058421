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
        assert_true(s.children >= 1);
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
    for (int seed = 1; seed <= 4; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2", seed);
        const told h = TRACE(settings, g, true, "duplicates=hash64", "census=1", "mapping=virtual-warp:4");
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
        cmocka_unit_test(scopes_follow_the_frontier),
        cmocka_unit_test(small_frontiers_lie_in_shared_memory),
        cmocka_unit_test(short_and_few_have_their_borders),
        cmocka_unit_test(the_trace_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
