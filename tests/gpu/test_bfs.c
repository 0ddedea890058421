/* test_bfs.c - the methods of breadth-first search on the emulator: what only the real mechanisms can count, told by
 * the log, and the memory each says it takes.
 */
#include "heard.h"

#define CALM "seed=5,preempt=0.02"
#define HEAR(g, algorithm, ...) hear_run(CALM, g, true, HOW(algorithm, 0, __VA_ARGS__))
#define HEAR_PLAIN(g, algorithm) hear_run(CALM, g, true, PLAIN(algorithm, 0))

/* ---- all vertices or all arcs in every level --------------------------------------------------------------------- */

static void every_vertex_is_checked_in_every_level(void **state)
{
    static const char *const names[] = {"vertex", "virtual-warp", "matrix"};
    nf_graph *g = grid_of(7, 9);
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const heard h = HEAR_PLAIN(g, names[i]);
        assert_int_equal(h.levels, 15); /* 14 hops to the far corner, and a last level that finds nothing */
        for (unsigned k = 0; k < h.levels; k++)
            assert_int_equal(h.checked[k], 63);
        assert_int_equal(sum_of(h.frontier, h.levels), 63);
        assert_int_equal(total(&h, "arcs"), i == 2 ? nf_graph_m(g) * h.levels : nf_graph_m(g));
    }
    nf_graph_free(g);
}

static void every_arc_is_looked_at_in_every_level(void **state)
{
    nf_graph *g = grid_of(5, 11);
    (void)state;
    const heard h = HEAR_PLAIN(g, "edge"), x = HEAR_PLAIN(g, "matrix");
    for (unsigned k = 0; k < h.levels; k++) {
        assert_int_equal(h.arcs[k], nf_graph_m(g));
        assert_int_equal(x.arcs[k], nf_graph_m(g));
    }
    assert_int_equal(h.levels, 15);
    assert_int_equal(total(&h, "tried"), nf_graph_m(g)); /* each arc once, when its source is in the frontier */
    nf_graph_free(g);
}

/* A list of d arcs takes ceil(d / N) steps of a virtual warp. */
static void virtual_warps_share_lists(void **state)
{
    static const char *const widths[] = {"width=1", "width=2", "width=4", "width=8", "width=16", "width=32"};
    nf_graph *star = star_of(100);
    (void)state;
    for (unsigned i = 0; i < COUNT(widths); i++) {
        const heard h = HEAR(star, "virtual-warp", widths[i]);
        assert_int_equal(total(&h, "steps"), (100 + (1u << i) - 1) / (1u << i) + 100);
    }
    nf_graph_free(star);
}

/* ---- direction-optimizing ---------------------------------------------------------------------------------------- */

static bool goes(const heard *h, const char *way)
{
    for (unsigned i = 0; i < h->levels; i++)
        if (strcmp(h->way[i], way) == 0)
            return true;
    return false;
}

/* Vertices without arcs. */
static nf_vid isolated_in(const nf_graph *g)
{
    nf_csr c;
    nf_vid count = 0;
    OK(nf_graph_view(NULL, g, &c));
    for (nf_vid v = 0; v < c.n; v++)
        count += c.off64 != NULL ? c.off64[v] == c.off64[v + 1] : c.off32[v] == c.off32[v + 1];
    return count;
}

/* Fewer arcs than m; a level up checks the unseen vertices that have arcs, and no others; what the last one found
 * goes back into the queue. */
static void going_up_examines_fewer_arcs(void **state)
{
    nf_graph *g = generate("rmat", 11, 6, 3);
    const nf_vid n = nf_graph_n(g), isolated = isolated_in(g);
    unsigned long long seen = 0, back = 0;
    (void)state;
    assert_true(isolated > 0);
    const heard h = HEAR_PLAIN(g, "direction-optimizing");
    const heard down = HEAR(g, "direction-optimizing", "direction=down");
    assert_true(goes(&h, "up") && !goes(&down, "up"));
    assert_true(total(&h, "arcs") < nf_graph_m(g) * 2 / 3);
    assert_true(total(&down, "arcs") > nf_graph_m(g) * 9 / 10);
    for (unsigned i = 0; i < h.levels; i++) {
        seen += h.frontier[i];
        assert_int_equal(h.checked[i], strcmp(h.way[i], "up") == 0 ? n - isolated - seen : 0);
        if (i > 0 && strcmp(h.way[i - 1], "up") == 0 && strcmp(h.way[i], "up") != 0)
            back += h.frontier[i];
    }
    assert_int_equal(total(&h, "converted"), back);
    nf_graph_free(g);
}

/* 0 to 20 vertices, from these 60 arcs each to 200, from these two each to 100; and 100 that nobody reaches, of 20 arcs
 * each among themselves. */
static nf_graph *past_a_crowd(unsigned flags)
{
    enum { FIRST = 1, SECOND = FIRST + 20, THIRD = SECOND + 200, CROWD = THIRD + 100, N = CROWD + 100 };
    const arc_list a = arcs_make(20 + 20 * 60 + 200 * 2 + 100 * 20);
    size_t m = 0;
    for (nf_vid i = 0; i < 20; i++)
        a.src[m] = 0, a.dst[m++] = FIRST + i;
    for (nf_vid i = 0; i < 20 * 60; i++)
        a.src[m] = FIRST + i / 60, a.dst[m++] = SECOND + i % 200;
    for (nf_vid i = 0; i < 200 * 2; i++)
        a.src[m] = SECOND + i / 2, a.dst[m++] = THIRD + i % 100;
    for (nf_vid i = 0; i < 100 * 20; i++)
        a.src[m] = CROWD + i / 20, a.dst[m++] = CROWD + (i / 20 + 1 + i % 20) % 100;
    for (size_t e = 0; e < m; e++)
        a.w[e] = 1;
    return graph_from(N, m, a, flags);
}

/* By degrees both large levels would go up. The first looks at all arcs of those who are never found: where arcs lead
 * one way, the second does not repeat that. */
static void a_level_up_is_not_repeated_in_vain(void **state)
{
    nf_graph *one_way = past_a_crowd(0), *both_ways = past_a_crowd(NF_BUILD_UNDIRECTED);
    (void)state;
    const heard h = HEAR_PLAIN(one_way, "direction-optimizing"),
                up = HEAR(one_way, "direction-optimizing", "direction=up");
    assert_string_equal(h.way[1], "up");
    assert_string_equal(up.way[2], "up");
    assert_string_not_equal(h.way[2], "up");
    assert_true(total(&h, "arcs") + 1500 < total(&up, "arcs"));
    const heard again = HEAR_PLAIN(both_ways, "direction-optimizing");
    assert_true(strcmp(again.way[1], "up") == 0 && strcmp(again.way[2], "up") == 0);
    nf_graph_free(one_way);
    nf_graph_free(both_ways);
}

/* Arcs looked at for the deterministic tree, which is the CPU's; *plain: for hops alone. */
static unsigned long long tree_arcs(const nf_graph *g, unsigned long long *plain)
{
    const heard hops = hear_run("seed=5", g, true, PLAIN("direction-optimizing", 0)),
                tree = hear_run("seed=5", g, true, PLAIN("direction-optimizing", TREE));
    *plain = total(&hops, "arcs");
    return total(&tree, "arcs");
}

/* The deterministic tree costs no more arcs than any, where lists ascend; where they do not, all are looked at. */
static void least_parents_end_early_in_order(void **state)
{
    nf_graph *g = generate("rmat", 9, 16, 3), *sorted = NULL, *mixed = NULL;
    const nf_build_options once = {.size = sizeof once, .flags = NF_BUILD_SYMMETRIC, .duplicates = NF_DUP_MIN},
                           as_is = {.size = sizeof as_is, .flags = NF_BUILD_SYMMETRIC};
    unsigned long long plain = 0;
    nf_csr c;
    (void)state;
    OK(nf_graph_transform(NULL, g, &once, &sorted));
    OK(nf_graph_view(NULL, sorted, &c));
    nf_vid *adj = malloc(c.m * sizeof *adj);
    assert_true(adj != NULL && c.off32 != NULL);
    for (nf_vid v = 0; v < c.n; v++)
        for (uint32_t e = c.off32[v]; e < c.off32[v + 1]; e++)
            adj[e] = c.adj[c.off32[v] + c.off32[v + 1] - 1 - e];
    c.adj = adj;
    OK(nf_graph_from_csr(NULL, &c, &as_is, &mixed));
    unsigned long long tree = tree_arcs(sorted, &plain);
    assert_int_equal(tree, plain);
    tree = tree_arcs(mixed, &plain);
    assert_true(tree > plain * 5 / 4);
    free(adj);
    nf_graph_free(g);
    nf_graph_free(sorted);
    nf_graph_free(mixed);
}

/* Arcs in no order between every third of 240 vertices, one way or both ways; the others have none. */
static nf_graph *thirds(bool directed)
{
    enum { USED = 80, ARCS = 400 };
    nf_vid src[ARCS], dst[ARCS];
    for (nf_vid i = 0; i < ARCS; i++)
        src[i] = 3 * (i * 29 % USED), dst[i] = 3 * (i * i % 53 * 7 % USED);
    return graph_of(3 * USED, ARCS, src, dst, NULL, directed ? 0 : NF_BUILD_UNDIRECTED);
}

/* 0 to 1; and 60 vertices that nobody reaches, of 39 arcs each among themselves, which are looked at in both levels. */
static nf_graph *beside_a_crowd(void)
{
    enum { CROWD = 60, EACH = 39, M = 1 + CROWD * EACH };
    nf_vid src[M] = {0}, dst[M] = {1};
    for (nf_vid i = 0; i < CROWD * EACH; i++)
        src[i + 1] = 2 + i / EACH, dst[i + 1] = 2 + (i / EACH + 1 + i % EACH) % CROWD;
    return graph_of(2 + CROWD, M, src, dst, NULL, 0);
}

/* Small graphs: four lanes take a vertex's list in turns. They look at all of it where nothing is found, and stop when
 * one of them has found something, up to 31 arcs later than one lane would; the parents are the same, whether lists
 * ascend or not. */
static void lanes_share_a_vertex_in_small_graphs(void **state)
{
    nf_graph *crowd = beside_a_crowd(), *rmat = generate("rmat", 7, 16, 3), *mixed = thirds(true);
    const uint32_t flags[] = {0, NF_RUN_PARENTS, TREE};
    (void)state;
    const heard one = HEAR(crowd, "direction-optimizing", "direction=up", "spread=0"),
                four = HEAR(crowd, "direction-optimizing", "direction=up");
    assert_int_equal(total(&one, "arcs"), 2 * nf_graph_m(crowd) - 1);
    assert_int_equal(total(&four, "arcs"), total(&one, "arcs"));
    assert_int_equal(total(&four, "checked"), 61 + 60);
    for (size_t i = 0; i < COUNT(flags); i++) {
        const heard early =
                        hear_run(CALM, rmat, true, HOW("direction-optimizing", flags[i], "direction=up", "spread=0")),
                    late = hear_run(CALM, rmat, true, HOW("direction-optimizing", flags[i], "direction=up"));
        assert_int_equal(total(&late, "checked"), total(&early, "checked"));
        assert_true(flags[i] == TREE || total(&late, "arcs") > total(&early, "arcs"));
        assert_true(total(&late, "arcs") <= total(&early, "arcs") + 31 * total(&early, "checked"));
        (void)hear_run(CALM, mixed, true, HOW("direction-optimizing", flags[i], "direction=up"));
    }
    nf_graph_free(crowd);
    nf_graph_free(rmat);
    nf_graph_free(mixed);
}

/* Few long lists: all warps of the block share each. The answer is the same for every width, and blocks that are no
 * power of two have it, too. */
static void long_lists_are_shared_within_a_block(void **state)
{
    static const char *const widths[] = {"wide=32", "wide=64", "wide=100", "wide=512"};
    nf_graph *graphs[] = {star_of(90), star_of(700), grid_of(9, 9)};
    (void)state;
    for (size_t i = 0; i < COUNT(widths) * COUNT(graphs); i++) {
        const nf_graph *g = graphs[i / COUNT(widths)];
        const heard h = HEAR(g, "direction-optimizing", "direction=down", widths[i % COUNT(widths)]);
        assert_string_equal(h.way[0], "block");
        assert_int_equal(total(&h, "arcs"), nf_graph_m(g));
    }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* A frontier of few arcs never leaves its block, going down; each arc is looked at once. By the rule it goes up only
 * in the second half, when little is unseen. */
static void small_frontiers_are_one_blocks(void **state)
{
    nf_graph *g = grid_of(40, 40);
    (void)state;
    const heard h = HEAR(g, "direction-optimizing", "direction=down");
    const heard wide = HEAR(g, "direction-optimizing", "direction=down", "alone=0");
    const heard ruled = HEAR_PLAIN(g, "direction-optimizing");
    for (unsigned i = 0; i < ruled.levels / 2; i++)
        assert_string_equal(ruled.way[i], "block");
    for (unsigned i = 0; i < h.levels; i++)
        assert_string_equal(h.way[i], "block");
    assert_true(goes(&wide, "grid") && !goes(&wide, "block"));
    assert_int_equal(h.levels, 79);
    assert_int_equal(total(&h, "arcs"), nf_graph_m(g));
    assert_int_equal(total(&wide, "arcs"), nf_graph_m(g));
    nf_graph_free(g);
}

/* Every way in one search, and back: a star's hub is for the grid, what follows for a block. */
static void ways_change_within_a_search(void **state)
{
    nf_graph *star = star_of(3000);
    (void)state;
    const heard h = HEAR(star, "direction-optimizing", "direction=down");
    assert_true(goes(&h, "grid"));
    assert_int_equal(total(&h, "arcs"), nf_graph_m(star));
    nf_graph_free(star);
}

/* A run over the copy numbered by degree against the serial method, in every form of parents and with targets. */
static void compare_relabelled(const nf_graph *g, nf_vid source, uint32_t flags, const nf_vid *target)
{
    static heard h;
    const char *knobs[] = {"relabel=1", "alone=0"};
    nf_context *ctx = open_emulator(CALM, memset(&h, 0, sizeof h)), *cpu = open_cpu();
    nf_run_options o = {.size = sizeof o,
                        .algorithm = "direction-optimizing",
                        .flags = flags,
                        .targets = target,
                        .target_count = target != NULL,
                        .knobs = knobs,
                        .knob_count = COUNT(knobs)};
    nf_result *r = NULL, *again = NULL, *want = NULL;
    const size_t bytes = nf_graph_n(g) * sizeof(int32_t);
    OK(nf_bfs(ctx, g, source, &o, &r));
    OK(nf_bfs(ctx, g, source, &o, &again));
    o.algorithm = "serial", o.knob_count = 0;
    OK(nf_bfs(cpu, g, source, &o, &want));
    assert_memory_equal(nf_result_hops(r, 0), nf_result_hops(want, 0), bytes);
    assert_memory_equal(nf_result_hops(again, 0), nf_result_hops(want, 0), bytes);
    if ((flags & NF_RUN_DETERMINISTIC) != 0)
        assert_memory_equal(nf_result_parents(again, 0), nf_result_parents(want, 0), bytes);
    if (flags != 0 && target == NULL)
        check_tree(g, nf_result_hops(r, 0), nf_result_parents(r, 0));
    nf_result_free(r);
    nf_result_free(again);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
}

static nf_vid farthest_from(const nf_graph *g, nf_vid source)
{
    nf_context *cpu = open_cpu();
    nf_result *r = NULL;
    nf_vid far = source;
    OK(nf_bfs(cpu, g, source, NULL, &r));
    for (nf_vid v = 0; v < nf_graph_n(g); v++)
        far = nf_result_hops(r, 0)[v] > nf_result_hops(r, 0)[far] ? v : far;
    nf_result_free(r);
    nf_context_free(cpu);
    return far;
}

/* Results are in the graph's own numbers, from any source, one without arcs too. */
static void relabelling_changes_no_result(void **state)
{
    static const uint32_t flags[] = {0, NF_RUN_PARENTS, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};
    static const nf_vid sources[] = {0, 33, 100};
    nf_graph *graphs[] = {thirds(false), thirds(true), generate("rmat", 8, 8, 3)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        for (size_t k = 0; k < COUNT(sources); k++) {
            const nf_vid far = farthest_from(graphs[i], sources[k]);
            for (size_t f = 0; f < COUNT(flags); f++) {
                compare_relabelled(graphs[i], sources[k], flags[f], NULL);
                compare_relabelled(graphs[i], sources[k], flags[f], &far);
            }
        }
        nf_graph_free(graphs[i]);
    }
}

/* The largest come first in lists, so that going up finds a parent sooner; vertices without arcs are never reached. */
static void relabelling_saves_arcs(void **state)
{
    nf_graph *g = generate("rmat", 11, 6, 3);
    (void)state;
    const heard h = HEAR_PLAIN(g, "direction-optimizing"), by_degree = HEAR(g, "direction-optimizing", "relabel=1");
    assert_true(goes(&by_degree, "up"));
    assert_true(total(&by_degree, "arcs") < total(&h, "arcs"));
    assert_int_equal(total(&by_degree, "frontier"), total(&h, "frontier"));
    nf_graph_free(g);
}

/* ---- queues by prefix sums --------------------------------------------------------------------------------------- */

static const char *const scans[] = {"expand-contract", "contract-expand", "two-phase-scan", "scan-hybrid"};

/* Every arc out of a reached vertex is a candidate once, and has one fate. */
static void add_up_fates(const heard *h, const heard *other)
{
    assert_int_equal(total(h, "arcs"), total(other, "arcs"));
    assert_int_equal(total(h, "arcs"), total(h, "checked") + total(h, "by-warp") + total(h, "by-history")
                                           + total(h, "lost") + sum_of(h->frontier, h->levels) - 1);
}

/* Each kind of culling finds duplicates where it is on, and none where it is off. */
static void candidates_have_one_fate(void **state)
{
    static const char settings[] = "seed=5,preempt=0.3", no_history[] = "history-culling=0",
                      no_warp[] = "warp-culling=0";
    unsigned long long by_warp = 0, by_history = 0;
    nf_graph *g = generate("rmat", 8, 16, 3);
    (void)state;
    for (size_t i = 0; i < COUNT(scans); i++) {
        const heard both = hear_run(settings, g, true, PLAIN(scans[i], 0)),
                    warp = hear_run(settings, g, true, HOW(scans[i], 0, no_history)),
                    history = hear_run(settings, g, true, HOW(scans[i], 0, no_warp)),
                    none = hear_run(settings, g, true, HOW(scans[i], 0, no_history, no_warp));
        add_up_fates(&both, &none);
        add_up_fates(&warp, &none);
        add_up_fates(&history, &none);
        add_up_fates(&none, &both);
        assert_int_equal(total(&warp, "by-history") + total(&none, "by-history"), 0);
        assert_int_equal(total(&history, "by-warp") + total(&none, "by-warp"), 0);
        by_warp += total(&warp, "by-warp");
        by_history += total(&history, "by-history");
    }
    assert_true(by_warp > 0 && by_history > 0);
    nf_graph_free(g);
}

/* The hybrid makes small levels in one step and large ones in two phases; the others have one way. */
static void the_hybrid_has_both_ways(void **state)
{
    nf_graph *g = generate("rmat", 10, 16, 3);
    (void)state;
    const heard h = HEAR_PLAIN(g, "scan-hybrid"), two = HEAR_PLAIN(g, "two-phase-scan");
    const heard one = HEAR_PLAIN(g, "contract-expand");
    assert_true(goes(&h, "one-kernel") && goes(&h, "two-phase"));
    assert_true(!goes(&two, "one-kernel") && !goes(&one, "two-phase"));
    nf_graph_free(g);
}

/* ---- queues of warps, blocks and the grid ------------------------------------------------------------------------ */

/* What is found passes a warp queue or spills; a hub's finds overflow the one queue of its thread, 4,096 / 8 slots. */
static void warp_queues_fill_and_spill(void **state)
{
    nf_graph *star = star_of(1000), *path = grid_of(1, 50), *rmat = generate("rmat", 10, 16, 3);
    (void)state;
    heard h = HEAR_PLAIN(star, "hierarchical-queue");
    assert_int_equal(total(&h, "queued"), 512);
    assert_int_equal(total(&h, "spilled"), 1000 - 512);
    h = HEAR(star, "hierarchical-queue", "warp-queues=1");
    assert_int_equal(total(&h, "queued"), 1000);
    h = HEAR_PLAIN(path, "hierarchical-queue");
    assert_true(goes(&h, "one-block") && !goes(&h, "grid"));
    h = HEAR(path, "hierarchical-queue", "one-block=0");
    assert_true(!goes(&h, "one-block") && goes(&h, "grid"));
    h = HEAR(rmat, "hierarchical-queue", "one-block=64");
    assert_true(goes(&h, "one-block") && goes(&h, "grid"));
    assert_int_equal(total(&h, "queued") + total(&h, "spilled"), sum_of(h.frontier, h.levels) - 1);
    nf_graph_free(star);
    nf_graph_free(path);
    nf_graph_free(rmat);
}

/* While one block goes on alone, blocks that come late still see the level they are to stop at: a path is one block's
 * from end to end, and has vertices enough for four. */
static void late_blocks_see_the_same_level(void **state)
{
    static const char *const schedules[] = {"order=fifo", "order=lifo", "seed=1,preempt=0.1", "seed=2", "seed=3"};
    nf_graph *path = grid_of(1, 1100);
    (void)state;
    for (size_t i = 0; i < COUNT(schedules); i++) {
        const heard h = hear_run(schedules[i], path, true, PLAIN("hierarchical-queue", 0));
        assert_true(goes(&h, "one-block") && !goes(&h, "grid"));
    }
    nf_graph_free(path);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct formula {
    const char *algorithm;
    double vertex, arc; /* bytes beyond the graph's offsets and targets */
} formula;

static const formula formulas[] = {
    {"auto", 16, 0},
    {"top-down", 16, 0},
    {"vertex", 4, 0},
    {"virtual-warp", 4, 0},
    {"edge", 4, 4},
    {"matrix", 4.25, 0},
    {"direction-optimizing", 12.375, 0},
    {"expand-contract", 12, 0},
    {"contract-expand", 8, 8},
    {"two-phase-scan", 8, 4},
    {"scan-hybrid", 8, 8},
    {"hierarchical-queue", 12, 0},
};

/* With the formula's bytes, 256 KB for trace and state and 64 for alignment a run succeeds; with the formula's alone it
 * does not. */
static void memory_is_what_is_said(void **state)
{
    const double n = 400000, m = 4;
    nf_graph *g = sparse_of((nf_vid)n, 2, false, NF_BUILD_UNDIRECTED);
    (void)state;
    for (size_t i = 0; i < COUNT(formulas); i++) {
        const formula *f = &formulas[i];
        const double bytes = 4 * (n + 1) + 4 * m + f->vertex * n + f->arc * m;
        assert_int_equal(run_within(g, true, PLAIN(f->algorithm, 0), bytes), NF_EDEVMEM);
        const nf_status st = run_within(g, true, PLAIN(f->algorithm, 0), bytes + (256 << 10) + 4096);
        if (st != NF_OK)
            fail_msg("%s: %s", f->algorithm, nf_last_error());
    }
    /* the copy takes 12 n and 4 m, and while it is made 16 n and 24 m more and the unsorted rows */
    const nf_run_options *copy = HOW("direction-optimizing", 0, "relabel=1");
    const double graph = 4 * (n + 1) + 4 * m, kept = 12 * n + 4 * m;
    assert_int_equal(run_within(g, true, copy, graph + kept + 12.375 * n), NF_EDEVMEM);
    OK(run_within(g, true, copy, graph + 2 * kept + 12 * n + 20 * m + (256 << 10)));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_is_checked_in_every_level),
        cmocka_unit_test(every_arc_is_looked_at_in_every_level),
        cmocka_unit_test(virtual_warps_share_lists),
        cmocka_unit_test(going_up_examines_fewer_arcs),
        cmocka_unit_test(least_parents_end_early_in_order),
        cmocka_unit_test(lanes_share_a_vertex_in_small_graphs),
        cmocka_unit_test(long_lists_are_shared_within_a_block),
        cmocka_unit_test(small_frontiers_are_one_blocks),
        cmocka_unit_test(ways_change_within_a_search),
        cmocka_unit_test(a_level_up_is_not_repeated_in_vain),
        cmocka_unit_test(relabelling_changes_no_result),
        cmocka_unit_test(relabelling_saves_arcs),
        cmocka_unit_test(candidates_have_one_fate),
        cmocka_unit_test(the_hybrid_has_both_ways),
        cmocka_unit_test(warp_queues_fill_and_spill),
        cmocka_unit_test(late_blocks_see_the_same_level),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
