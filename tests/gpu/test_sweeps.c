/* test_sweeps.c - Bellman-Ford without a queue, in memory and streamed, and Dijkstra's method by phases, on the
 * emulator: what only the real mechanisms can count, told by the log; negative weights and cycles; the memory each
 * method says it takes.
 */
#include "heard.h"

#define CALM "seed=5,preempt=0.02"

#define HEAR(g, algorithm, ...) hear_run(CALM, g, false, HOW(algorithm, TREE, __VA_ARGS__))

/* Arcs 0 -> 1 -> ... -> n - 1 of weight w, and one from the last vertex to the first of weight `back` unless that is
 * 0. */
static nf_graph *chain_of(nf_vid n, int32_t w, int32_t back)
{
    const arc_list a = arcs_make(n);
    for (nf_vid i = 0; i < n; i++)
        a.src[i] = i, a.dst[i] = (i + 1) % n, a.w[i] = i + 1 < n ? w : back;
    return graph_from(n, back != 0 ? n : n - 1, a, 0);
}

/* ---- bellman-ford ------------------------------------------------------------------------------------------------ */

/* With arcs of one length, rounds are levels: each vertex is marked once, each arc relaxed once. */
static void every_vertex_is_checked_in_every_round(void **state)
{
    static const char *const ways[] = {"direction=outgoing", "direction=incoming"};
    nf_graph *g = tree_of(4, 3, 20);
    const unsigned long long n = nf_graph_n(g), m = nf_graph_m(g);
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        const heard h = HEAR(g, "bellman-ford", ways[i]);
        assert_int_equal(h.levels, 24); /* 23 arcs to the end of the tail, and a round that finds nothing */
        for (unsigned k = 0; k < h.levels; k++)
            assert_int_equal(h.checked[k], n);
        assert_int_equal(sum_of(h.frontier, h.levels), n);
        assert_int_equal(total(&h, "arcs"), m);
        assert_int_equal(total(&h, "lowered"), n - 1);
        assert_non_null(strstr(h.way[0], i == 0 ? "outgoing" : "incoming"));
        if (i == 1)
            assert_int_equal(total(&h, "looked"), m * h.levels);
    }
    nf_graph_free(g);
}

/* Lists longer than a warp are walked by all its lanes: every arc once. */
static void long_lists_are_walked_once(void **state)
{
    nf_graph *star = star_of(300);
    (void)state;
    for (int i = 0; i < 2; i++) {
        const heard h = HEAR(star, "bellman-ford", i == 0 ? "direction=outgoing" : "direction=incoming");
        assert_int_equal(h.levels, 2);
        assert_int_equal(h.arcs[0], 300);
        assert_int_equal(h.arcs[1], 300); /* back to the hub, which does not fall */
        assert_int_equal(total(&h, "lowered"), 300);
    }
    nf_graph_free(star);
}

/* ---- bellman-ford-edge ------------------------------------------------------------------------------------------- */

/* All arcs, or all cells, in every round, by so many threads; what is relaxed leaves marked vertices. */
static void every_arc_is_looked_at_in_every_round(void **state)
{
    static const char *const layouts[] = {"layout=coo", "layout=matrix"};
    static const char *const shares[] = {"edges-per-thread=1", "edges-per-thread=7", "edges-per-thread=64"};
    nf_graph *g = tree_of(3, 3, 30);
    const unsigned long long n = nf_graph_n(g), m = nf_graph_m(g);
    (void)state;
    for (size_t i = 0; i < COUNT(layouts); i++)
        for (size_t k = 0; k < COUNT(shares) * 2; k++) {
            const heard h =
                HEAR(g, "bellman-ford-edge", layouts[i], shares[k / 2], k % 2 ? "loop=host" : "loop=persistent");
            assert_int_equal(h.levels, 34);
            for (unsigned j = 0; j < h.levels; j++)
                assert_int_equal(h.checked[j], i == 0 ? m : n * n);
            assert_int_equal(total(&h, "arcs"), m);
            assert_int_equal(total(&h, "frontier"), n);
            assert_int_equal(total(&h, "lowered"), n - 1);
        }
    nf_graph_free(g);
}

/* Of parallel arcs the matrix has the lightest: fewer are relaxed. */
static void the_matrix_has_one_arc_for_parallel_ones(void **state)
{
    static const nf_vid src[] = {0, 0, 0, 1, 1}, dst[] = {1, 1, 1, 2, 1};
    static const int32_t w[] = {5, 3, 4, 2, 1};
    nf_graph *g = graph_of(3, 5, src, dst, w, 0);
    (void)state;
    assert_int_equal(nf_graph_m(g), 5);
    const heard list = HEAR(g, "bellman-ford-edge", "layout=coo"),
                matrix = HEAR(g, "bellman-ford-edge", "layout=matrix");
    assert_int_equal(total(&list, "arcs"), 5);
    assert_int_equal(total(&matrix, "arcs"), 2);
    nf_graph_free(g);
}

/* ---- dijkstra-phases --------------------------------------------------------------------------------------------- */

static unsigned phases_by(const nf_graph *g, const char *criterion)
{
    const heard h = HEAR(g, "dijkstra-phases", criterion);
    assert_int_equal(total(&h, "settled"), nf_graph_n(g)); /* each vertex once, */
    assert_int_equal(total(&h, "arcs"), nf_graph_m(g));    /* and each arc */
    return h.levels;
}

/* The stronger the criterion, the fewer the phases; no label is ever corrected after its arcs were relaxed. */
static void each_vertex_is_settled_once(void **state)
{
    nf_graph *grid = grid_of(9, 9), *tree = tree_of(5, 3, 10), *path = grid_of(1, 40);
    (void)state;
    const unsigned least = phases_by(grid, "criterion=min"), in = phases_by(grid, "criterion=in"),
                   out = phases_by(grid, "criterion=out"), both = phases_by(grid, "criterion=inout");
    assert_true(in < least && out < least && both <= in && both <= out);
    assert_int_equal(phases_by(tree, "criterion=min"), 14);
    assert_int_equal(phases_by(path, "criterion=inout"), 40);
    nf_graph_free(grid);
    nf_graph_free(tree);
    nf_graph_free(path);
}

/* From 0 to 1 of length 1 and on to 2 of length 1, from 0 to 3 of length 9: 3 waits for nothing shorter than 9 to come
 * in, so `in` settles it in the second phase; `out` must wait until nothing shorter can go out. */
static void criteria_look_at_their_own_arcs(void **state)
{
    static const nf_vid src[] = {0, 1, 2, 0}, dst[] = {1, 2, 1, 3};
    static const int32_t w[] = {1, 1, 1, 9};
    nf_graph *g = graph_of(4, 4, src, dst, w, 0);
    (void)state;
    const heard in = HEAR(g, "dijkstra-phases", "criterion=in"), out = HEAR(g, "dijkstra-phases", "criterion=out");
    assert_int_equal(in.levels, 3);
    assert_int_equal(in.frontier[2], 1); /* 2 alone */
    assert_int_equal(out.levels, 4);
    assert_int_equal(out.frontier[2], 2); /* 2 and 3 */
    nf_graph_free(g);
}

static void a_search_ends_behind_its_targets(void **state)
{
    static heard h;
    static const nf_vid near = 3;
    nf_graph *g = grid_of(1, 200);
    nf_context *ctx = open_emulator(CALM, memset(&h, 0, sizeof h));
    const nf_run_options o = {.size = sizeof o, .algorithm = "dijkstra-phases", .targets = &near, .target_count = 1};
    nf_result *r = NULL;
    (void)state;
    OK(nf_sssp(ctx, g, 0, &o, &r));
    assert_in_range(h.levels, 4, 7);
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- bellman-ford-streamed --------------------------------------------------------------------------------------- */

/* What a streamed run told: a number by its name. */
static unsigned long long told_of(const heard *h, const char *name)
{
    return number_in(h->note, name);
}

/* Every piece travels in every round, unless nothing leaves it: along a chain of arcs in order, one piece a round. */
static void pieces_travel_when_they_are_wanted(void **state)
{
    nf_graph *g = chain_of(65, 2, 0);
    (void)state;
    const heard all = HEAR(g, "bellman-ford-streamed", "pieces=8", "skip=0");
    assert_int_equal(all.levels, 65);
    for (unsigned k = 0; k < all.levels; k++)
        assert_int_equal(all.checked[k], 64);
    assert_int_equal(told_of(&all, "copies"), 8 * 65);
    assert_int_equal(told_of(&all, "bytes"), 64 * 8 * 65);
    assert_int_equal(total(&all, "arcs"), 64);
    const heard few = HEAR(g, "bellman-ford-streamed", "pieces=8");
    assert_int_equal(told_of(&few, "copies"), 64); /* the last vertex has no arc */
    assert_int_equal(told_of(&few, "skipped"), 7 * 64 + 8);
    assert_int_equal(told_of(&few, "bytes"), 8 * 8 * 64);
    assert_non_null(strstr(few.note, "memory pinned"));
    const heard plain = HEAR(g, "bellman-ford-streamed", "memory=pageable");
    assert_non_null(strstr(plain.note, "memory pageable"));
    nf_graph_free(g);
}

/* Copies do not wait for the relaxation of the piece before them: where the device may choose, some come first. */
static void copies_overlap_relaxations(void **state)
{
    nf_graph *g = generate("rmat", 7, 16, 3);
    unsigned long long early = 0;
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "order=random,seed=%d", seed);
        const heard h = hear_run(settings, g, false, HOW("bellman-ford-streamed", TREE, "pieces=8", "skip=0"));
        early += told_of(&h, "early");
    }
    assert_true(early > 0);
    nf_graph_free(g);
}

/* A graph that does not fit the memory limit. */
static void a_graph_larger_than_memory_is_streamed(void **state)
{
    static heard h;
    nf_graph *g = generate("uniform", 9, 64, 3);
    const double n = nf_graph_n(g), m = (double)nf_graph_m(g);
    const double limit = (256 << 10) + 40 * n + 64e3;
    nf_context *ctx = open_device("emulator", "", limit, listen_to, &h);
    nf_result *none = NULL;
    (void)state;
    assert_true(8 * m > 1.2 * limit);
    assert_int_equal(nf_sssp(ctx, g, 0, PLAIN("bellman-ford", 0), &none), NF_EDEVMEM);
    nf_result *r = run_by(ctx, g, false, PLAIN("bellman-ford-streamed", 0));
    expect_cpus(g, r, false, 0);
    assert_true(told_of(&h, "pieces") >= 8);
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- negative weights -------------------------------------------------------------------------------------------- */

typedef struct method {
    const char *algorithm, *knob;
} method;

static const method methods[] = {{"bellman-ford", "direction=outgoing"}, {"bellman-ford", "direction=incoming"},
                                 {"bellman-ford-edge", "layout=coo"},    {"bellman-ford-edge", "layout=matrix"},
                                 {"bellman-ford-edge", "loop=host"},     {"bellman-ford-streamed", "pieces=3"}};

/* Rounds pause for the search for cycles and go on where they were: nothing is lost, nothing counted twice. */
static void rounds_go_on_after_a_pause(void **state)
{
    nf_graph *g = chain_of(200, -3, 0);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        const heard h = HEAR(g, methods[i].algorithm, methods[i].knob);
        assert_int_equal(h.levels, 200);
        for (unsigned k = 0; k < h.levels; k++)
            assert_int_equal(h.frontier[k], 1);
        assert_int_equal(total(&h, "frontier"), 200);
        assert_int_equal(total(&h, "arcs"), 199);
    }
    nf_graph_free(g);
}

static void a_negative_cycle_is_found_and_returned(void **state)
{
    nf_graph *g = chain_of(150, 2, -299);
    nf_context *ctx = emulator(CALM, NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        uint64_t length = 0;
        nf_result *r = NULL;
        assert_int_equal(nf_sssp(ctx, g, 0, HOW(methods[i].algorithm, TREE, methods[i].knob), &r), NF_ENEGCYCLE);
        assert_non_null(nf_result_cycle(r, &length));
        assert_int_equal(length, 150);
        nf_result_free(r);
    }
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- cancelling -------------------------------------------------------------------------------------------------- */

/* Whoever listens to the progress of a run can end it, however short its rounds are. */
static void every_method_can_be_cancelled(void **state)
{
    static const method more[] = {{"dijkstra-phases", "criterion=min"}};
    nf_graph *g = chain_of(2000, 1, 0);
    (void)state;
    for (size_t i = 0; i < COUNT(methods) + COUNT(more); i++) {
        const method *m = i < COUNT(methods) ? &methods[i] : &more[i - COUNT(methods)];
        unsigned calls = 0;
        const nf_context_options o = {.size = sizeof o,
                                      .device = "emulator",
                                      .progress = stop_at_once,
                                      .progress_user = &calls};
        nf_context *ctx = NULL;
        nf_result *r = NULL;
        assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
        OK(nf_context_create(&o, &ctx));
        assert_int_equal(nf_sssp(ctx, g, 0, HOW(m->algorithm, TREE, m->knob), &r), NF_ECANCELLED);
        assert_null(r);
        assert_int_equal(calls, 1);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct formula {
    const char *algorithm, *knob;
    double vertex, arc; /* bytes beyond the graph's offsets and pairs */
    double tree;        /* a vertex, with parents */
} formula;

static const formula formulas[] = {
    {"bellman-ford", "direction=outgoing", 19, 0, 32},    {"bellman-ford", "direction=incoming", 19, 0, 32},
    {"bellman-ford-edge", "layout=coo", 19, 4, 32},       {"dijkstra-phases", "criterion=inout", 32, 0, 32},
    {"bellman-ford-streamed", "memory=pinned", 19, 0, 8},
};

/* The matrix: 4 bytes a cell of rows rounded up to 32. */
static void the_matrix_takes_what_is_said(void **state)
{
    const nf_run_options *matrix = HOW("bellman-ford-edge", 0, "layout=matrix");
    const double n = 1000, m = 6, cells = 4 * 1024 * 1024;
    nf_graph *g = sparse_of((nf_vid)n, 3, true, NF_BUILD_UNDIRECTED);
    (void)state;
    assert_int_equal(run_within(g, false, matrix, cells + 19 * n), NF_EDEVMEM);
    OK(run_within(g, false, matrix, cells + 4 * (n + 1) + 8 * m + 19 * n + 4 * m + (256 << 10) + 8192));
    nf_graph_free(g);
}

/* With the formula's bytes, 256 KB for trace and state and a few for alignment a run succeeds; with the formula's
 * alone it does not. Parents take 32 n more (streamed: 8 n), and 128 KB for their trace. */
static void memory_is_what_is_said(void **state)
{
    const double n = 200000, m = 2 * 3;
    nf_graph *g = sparse_of((nf_vid)n, 3, true, NF_BUILD_UNDIRECTED);
    (void)state;
    for (size_t i = 0; i < COUNT(formulas); i++) {
        const formula *f = &formulas[i];
        const nf_run_options *alone = HOW(f->algorithm, 0, f->knob), *tree = HOW(f->algorithm, NF_RUN_PARENTS, f->knob);
        const double bytes = 4 * (n + 1) + 8 * m + f->vertex * n + f->arc * m, room = (256 << 10) + 8192;
        assert_int_equal(run_within(g, false, alone, bytes), NF_EDEVMEM);
        if (run_within(g, false, alone, bytes + room) != NF_OK)
            fail_msg("%s %s: %s", f->algorithm, f->knob, nf_last_error());
        assert_int_equal(run_within(g, false, tree, bytes + f->tree * n), NF_EDEVMEM);
        if (run_within(g, false, tree, bytes + f->tree * n + room + (128 << 10)) != NF_OK)
            fail_msg("%s %s with parents: %s", f->algorithm, f->knob, nf_last_error());
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_is_checked_in_every_round),
        cmocka_unit_test(long_lists_are_walked_once),
        cmocka_unit_test(every_arc_is_looked_at_in_every_round),
        cmocka_unit_test(the_matrix_has_one_arc_for_parallel_ones),
        cmocka_unit_test(each_vertex_is_settled_once),
        cmocka_unit_test(criteria_look_at_their_own_arcs),
        cmocka_unit_test(a_search_ends_behind_its_targets),
        cmocka_unit_test(pieces_travel_when_they_are_wanted),
        cmocka_unit_test(copies_overlap_relaxations),
        cmocka_unit_test(a_graph_larger_than_memory_is_streamed),
        cmocka_unit_test(rounds_go_on_after_a_pause),
        cmocka_unit_test(a_negative_cycle_is_found_and_returned),
        cmocka_unit_test(every_method_can_be_cancelled),
        cmocka_unit_test(the_matrix_takes_what_is_said),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
