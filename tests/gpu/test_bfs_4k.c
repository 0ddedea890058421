/* test_bfs_4k.c - BFS-4K on the emulator: what only its real mechanisms can count, told by the log; that each switch
 * changes its own counter and no answer; how the knobs follow the graph; the memory it says it takes.
 */
#include "trace.h"

/* What the log said of the latest run. */
typedef struct heard {
    unsigned levels, sum, duplicates; /* of levels, sizes of frontiers, duplicates kept out of them */
    unsigned widths;                  /* a bit for every width of virtual warps, bit 0: edge-discover */
    char settings[320], totals[640];
} heard;

static void listen_to(void *user, nf_log_level level, const char *text)
{
    heard *h = user;
    const char *line = strstr(text, "bfs-4k level "), *settings = strstr(text, "bfs-4k settings:"),
               *totals = strstr(text, "bfs-4k totals:");
    unsigned frontier = 0, duplicates = 0, width = 0;
    if (level != NF_LOG_DEBUG)
        return;
    if (settings != NULL)
        snprintf(h->settings, sizeof h->settings, "%s", settings);
    if (totals != NULL)
        snprintf(h->totals, sizeof h->totals, "%s", totals);
    if (line == NULL)
        return;
    assert_int_equal(sscanf(line, "bfs-4k level %*u: frontier %u, duplicates %u", &frontier, &duplicates), 2);
    const char *way = strstr(line, "virtual-warp:");
    if (way != NULL)
        width = (unsigned)atoi(way + 13);
    h->levels++;
    h->sum += frontier;
    h->duplicates += duplicates;
    h->widths |= width == 0 ? 1 : 2 * width;
}

static unsigned total(const heard *h, const char *name)
{
    return (unsigned)number_in(h->totals, name);
}

/* One run, listened to, under these settings of the emulator; hops and parents are those of the CPU. */
static heard hear_run(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    heard h = {0};
    nf_context *ctx = open_device("emulator", settings, 0, listen_to, &h);
    nf_result *r = run_by(ctx, g, true, how);
    expect_cpus(g, r, true, how->flags);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(h.totals[0] != '\0' && h.settings[0] != '\0');
    return h;
}

#define HEAR(settings, g, ...) hear_run(settings, g, HOW("bfs-4k", TREE, __VA_ARGS__))
#define CENSUS "census=1"

static unsigned reached(const nf_graph *g)
{
    nf_result *r = run_on_cpu(g, true, 0);
    nf_row_info info = {.size = sizeof info};
    OK(nf_result_row_info(r, 0, &info));
    nf_result_free(r);
    return (unsigned)info.reached;
}

/* ---- hash64 ------------------------------------------------------------------------------------------------------ */

/* Every candidate gets one verdict; what is kept is the frontier; what is kept and was not missed is every vertex. */
static void verdicts_add_up_to_the_candidates(void **state)
{
    nf_graph *g = generate("rmat", 7, 16, 3);
    const unsigned n = reached(g);
    unsigned dropped = 0, let_in = 0;
    (void)state;
    for (int seed = 1; seed <= 3; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2", seed);
        const heard h = HEAR(settings, g, CENSUS, "sweep=off"),
                    off = HEAR(settings, g, CENSUS, "sweep=off", "hash64=0");
        const unsigned kept = total(&h, "valid") + total(&h, "conflict");
        assert_int_equal(kept + total(&h, "duplicate"), total(&h, "candidate"));
        assert_int_equal(h.sum - 1, kept); /* all but the source */
        assert_int_equal(h.duplicates, total(&h, "duplicate"));
        assert_int_equal(h.sum - total(&h, "missed"), n);
        assert_int_equal(total(&off, "valid") + total(&off, "duplicate") + total(&off, "conflict"), 0);
        assert_int_equal(off.sum - 1, total(&off, "candidate"));
        assert_int_equal(off.sum - total(&off, "missed"), n);
        dropped += total(&h, "duplicate");
        let_in += total(&off, "missed");
    }
    assert_true(dropped > 0);
    assert_true(let_in > 0);
    nf_graph_free(g);
}

/* A table of 32 slots, on a small device, has conflicts; nothing is lost by them. */
static void conflicts_are_kept(void **state)
{
    nf_graph *g = generate("uniform", 9, 8, 5);
    (void)state;
    const heard h = HEAR("seed=3,preempt=0.1", g, CENSUS, "k4=0", "k6=1024", "scan=shared", "sweep=off");
    assert_true(total(&h, "candidate") >= reached(g) - 1);
    assert_int_equal(h.sum - 1, total(&h, "valid") + total(&h, "conflict"));
    nf_graph_free(g);
}

/* A thread looks at four arcs before it marks their targets: parallel arcs give duplicates that fill the queue of n,
 * which turns into a bitmap and back, whoever finds it full. */
static void a_full_queue_becomes_a_bitmap_and_a_queue_again(void **state)
{
    enum { LEAVES = 40, SAME = 4 };
    static const char *const ways[][3] = {{"k5=1", "sync=auto", "cluster=0"},
                                          {"k5=0", "sync=grid", "cluster=0"},
                                          {"k5=0", "sync=host", "cluster=0"},
                                          {"k5=0", "sync=auto", "cluster=1000"}};
    nf_vid src[LEAVES * SAME], dst[LEAVES * SAME];
    (void)state;
    for (nf_vid i = 0; i < LEAVES * SAME; i++)
        src[i] = 0, dst[i] = 1 + i / SAME;
    nf_graph *g = graph_of(LEAVES + 1, LEAVES * SAME, src, dst, NULL, 0);
    for (size_t way = 0; way < COUNT(ways); way++) {
        const heard h = HEAR("seed=1,preempt=0.1", g, ways[way][0], ways[way][1], ways[way][2], "hash64=0", "k4=0",
                             "virtual-warps=off", "sweep=off");
        assert_int_equal(total(&h, "spills"), 1);
        assert_int_equal(h.sum, LEAVES + 1);
    }
    nf_graph_free(g);
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static void children_are_launched_for_a_star_and_not_for_a_grid(void **state)
{
    nf_graph *star = star_of(3000), *grid = grid_of(8, 8);
    (void)state;
    const heard s = HEAR("seed=2,preempt=0.01", star, CENSUS, "children=launch", "k6=128"),
                none = HEAR("", star, "k2=0"), g = HEAR("", grid, CENSUS, "children=launch");
    assert_int_equal(total(&s, "children"), 1);
    assert_int_equal(total(&s, "parts"), 0);
    assert_int_equal(number_in(s.settings, "degree"), 2047); /* one block of a child: K3 * K6 arcs */
    assert_true(total(&s, "multi-block") >= 1);              /* the single-block kernel leaves the hub to it */
    assert_int_equal(total(&none, "children"), 0);
    assert_int_equal(total(&g, "children"), 0);
    /* shorter lists, if the child's blocks are smaller */
    const heard low = HEAR("", star, "children=launch", "k3=1", "k6=32");
    assert_int_equal(number_in(low.settings, "degree"), 31);
    nf_graph_free(star);
    nf_graph_free(grid);
}

/* The hub's list in parts of K3 arcs a lane, whoever drives the levels; no list twice, each of its arcs once. */
static void long_lists_are_cut_and_shared(void **state)
{
    static const char *const ways[][2] = {{"sync=grid", "cluster=0"},
                                          {"sync=host", "cluster=0"},
                                          {"sync=auto", "cluster=5000"}};
    nf_graph *star = star_of(3000);
    (void)state;
    for (size_t way = 0; way < COUNT(ways); way++) {
        const heard s = HEAR("seed=2,preempt=0.01", star, CENSUS, ways[way][0], ways[way][1]);
        const heard one = HEAR("", star, CENSUS, ways[way][0], ways[way][1], "k3=1", "once=0", "sweep=off");
        assert_int_equal(number_in(s.settings, "degree"), 511);
        assert_int_equal(total(&s, "children"), 1);
        assert_int_equal(total(&s, "parts"), 3000 / 512 + 1);
        assert_true(total(&s, "single-block") < 2);
        assert_int_equal(total(&one, "parts"), 3000 / 32 + 1);
        assert_int_equal(total(&s, "arcs"), 6000);
    }
    const heard whole = HEAR("", star, CENSUS, "k2=0");
    assert_int_equal(total(&whole, "parts"), 0);
    nf_graph_free(star);
}

static void the_grid_refuses_children_by_name(void **state)
{
    const nf_run_options *how = HOW("bfs-4k", 0, "sync=grid", "children=launch", "k6=128");
    nf_graph *g = star_of(3000);
    nf_context *ctx = emulator("", NULL);
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(nf_bfs(ctx, g, 0, how, &r), NF_EUNSUPPORTED);
    assert_non_null(strstr(nf_last_error(), "k2=0"));
    assert_null(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- frontiers without duplicates -------------------------------------------------------------------------------- */

/* The arcs out of what vertex 0 reaches. */
static unsigned arcs_out(const nf_graph *g)
{
    nf_result *r = run_on_cpu(g, true, 0);
    nf_csr c;
    unsigned arcs = 0;
    OK(nf_graph_view(NULL, g, &c));
    for (nf_vid v = 0; v < c.n; v++)
        if (nf_result_hops(r, 0)[v] != NF_NO_HOP)
            arcs += c.off32[v + 1] - c.off32[v];
    nf_result_free(r);
    return arcs;
}

/* Duplicates in frontiers, but each list once (once=1); without, lists are walked again. A sweep has no duplicates. */
static void lists_are_walked_once(void **state)
{
    nf_graph *g = generate("rmat", 7, 16, 3);
    const unsigned arcs = arcs_out(g), n = reached(g);
    unsigned again = 0, twice = 0;
    (void)state;
    for (int seed = 1; seed <= 3; seed++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2", seed);
        const heard once = HEAR(settings, g, CENSUS, "sweep=off", "hash64=0"),
                    more = HEAR(settings, g, CENSUS, "sweep=off", "hash64=0", "once=0"),
                    grid = HEAR(settings, g, CENSUS, "sweep=on", "hash64=0", "once=0", "k5=0", "cluster=0"),
                    host = HEAR(settings, g, CENSUS, "sweep=on", "sync=host", "k5=0", "cluster=0");
        assert_int_equal(total(&once, "arcs"), arcs);
        assert_int_equal(total(&once, "twice"), once.sum - n);
        assert_true(total(&more, "arcs") >= arcs && total(&more, "twice") == 0);
        assert_int_equal(total(&grid, "sweeps"), grid.levels);
        assert_int_equal(grid.sum, n);
        assert_int_equal(total(&host, "sweeps"), host.levels);
        assert_int_equal(host.sum, n);
        assert_int_equal(total(&grid, "candidate") + total(&grid, "missed") + total(&once, "sweeps"), 0);
        again += total(&more, "arcs") - arcs;
        twice += total(&once, "twice");
    }
    assert_true(again > 0 && twice > 0);
    nf_graph_free(g);
}

/* Left to itself, a search sweeps its large levels and no others. */
static void large_levels_are_swept(void **state)
{
    nf_graph *wide = generate("uniform", 10, 8, 3), *path = grid_of(1, 400);
    (void)state;
    const heard w = HEAR("", wide, CENSUS), p = HEAR("", path, CENSUS);
    assert_true(total(&w, "sweeps") >= 1 && total(&w, "sweeps") < w.levels);
    assert_int_equal(total(&p, "sweeps"), 0);
    nf_graph_free(wide);
    nf_graph_free(path);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void kernels_follow_the_frontier(void **state)
{
    nf_graph *path = grid_of(1, 60), *wide = generate("uniform", 11, 3, 3);
    (void)state;
    const heard p = HEAR("", path, CENSUS, "k5=1"), few = HEAR("", path, "k5=0"),
                off = HEAR("", path, "k5=0", "cluster=0"), w = HEAR("", wide, CENSUS, "cluster=0"),
                c = HEAR("", wide, "k5=1", "cluster=800"), plain = HEAR("", path, CENSUS),
                without = HEAR("", path, CENSUS, "cluster=0");
    assert_int_equal(total(&plain, "cluster"), 60);        /* a cluster takes the smallest frontiers, too; */
    assert_int_equal(total(&without, "single-block"), 60); /* where there is none, one block does */
    assert_int_equal(total(&p, "single-block"), 60);
    assert_int_equal(total(&p, "multi-block") + total(&p, "cluster"), 0);
    assert_int_equal(total(&few, "cluster"), 60);
    assert_int_equal(total(&off, "single-block") + total(&off, "cluster"), 0);
    assert_int_equal(total(&off, "multi-block"), 60);
    assert_true(total(&w, "single-block") >= 1 && total(&w, "multi-block") >= 1 && total(&w, "cluster") == 0);
    assert_true(total(&c, "single-block") >= 1 && total(&c, "multi-block") >= 1 && total(&c, "cluster") >= 1);
    assert_int_equal(number_in(w.settings, "F_Threshold"), 256); /* threads of a block there */
    const heard more = HEAR("", wide, "k5=4", "cluster=0");
    assert_int_equal(number_in(more.settings, "F_Threshold"), 1024);
    assert_true(total(&more, "single-block") >= total(&w, "single-block"));
    nf_graph_free(path);
    nf_graph_free(wide);
}

/* Each part is there when it is on, and gone when it is off. */
static void each_switch_changes_its_own_counter(void **state)
{
    nf_graph *g = generate("rmat", 9, 16, 3), *star = star_of(900);
    (void)state;
    const heard all = HEAR("", g, CENSUS, "sweep=off"), binary = HEAR("", g, CENSUS, "binary=0"),
                shared = HEAR("", g, CENSUS, "scan=shared", "sweep=off"), vertices = HEAR("", g, CENSUS, "k4=0");
    assert_true(total(&all, "binary") > 0 && total(&all, "shuffle") > 0 && total(&all, "shared") == 0);
    assert_int_equal(total(&binary, "binary"), 0);
    assert_true(total(&shared, "shared") > 0 && total(&shared, "shuffle") == 0);
    assert_true(total(&all, "search") > 0 && (all.widths & 1) != 0);
    assert_true(total(&vertices, "search") == 0 && (vertices.widths & 1) == 0);

    const heard ext = HEAR("", star, CENSUS, "k4=1", "k2=0"), no_ext = HEAR("", star, CENSUS, "k4=1", "k2=0", "ext=0");
    assert_true(total(&ext, "ext") > 0 && total(&no_ext, "ext") == 0);
    assert_true(total(&ext, "search") < total(&no_ext, "search"));

    const heard one = HEAR("", g, "virtual-warps=off", "k4=0"),
                fixed = HEAR("", g, "virtual-warps=fixed", "k4=0", "k1=8"), dynamic = HEAR("", g, "k4=0", "k1=1");
    assert_int_equal(one.widths, 2 * 1);
    assert_int_equal(fixed.widths, 2 * 8);
    assert_true((dynamic.widths & 2 * 32) != 0 && (dynamic.widths & ~(2u * 32)) != 0);

    const heard reads = HEAR("profile=2x64", g, CENSUS, "k4=0", "k1=32", "k5=0"),
                no_reads = HEAR("profile=2x64", g, CENSUS, "k4=0", "k1=32", "k5=0", "reads=0");
    assert_true(total(&reads, "read") > 0 && total(&no_reads, "read") == 0);
    nf_graph_free(g);
    nf_graph_free(star);
}

/* Rows where queues are long: all lanes of the hub's warp find the same number of vertices. */
static void long_queues_are_written_by_rows(void **state)
{
    nf_graph *star = star_of(2000);
    (void)state;
    const heard on = HEAR("profile=1x32", star, CENSUS, "k4=0", "k2=0", "sweep=off"),
                off = HEAR("profile=1x32", star, CENSUS, "k4=0", "k2=0", "sweep=off", "writes=0"),
                never = HEAR("profile=1x32", star, CENSUS, "k4=0", "k2=0", "sweep=off", "k7=16");
    assert_true(total(&on, "row") >= 2000 / 32 - 16);
    assert_int_equal(total(&on, "row") * 32 + total(&on, "single"), 2000);
    assert_int_equal(total(&off, "row"), 0);
    assert_int_equal(total(&off, "single"), 2000);
    assert_true(total(&never, "row") <= total(&on, "row"));
    nf_graph_free(star);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void knobs_follow_the_degrees(void **state)
{
    nf_graph *grid = grid_of(20, 20), *skewed = star_of(3000), *dense = generate("uniform", 8, 40, 3);
    (void)state;
    const heard g = HEAR("", grid, CENSUS), s = HEAR("", skewed, CENSUS), d = HEAR("", dense, CENSUS),
                launched = HEAR("", skewed, CENSUS, "children=launch"), alone = HEAR("", grid, CENSUS, "cluster=0");
    assert_int_equal(number_in(g.settings, "k1"), 4);
    assert_int_equal(number_in(g.settings, "k4"), 1);
    assert_int_equal(number_in(g.settings, "F_Threshold"), 0); /* a cluster takes small frontiers */
    assert_int_equal(number_in(alone.settings, "F_Threshold"), 256);
    assert_int_equal(number_in(g.settings, "k6"), 256); /* as many as the device has, up to 1,024 */
    assert_int_equal(number_in(s.settings, "k1"), 4);   /* the hub's list is cut */
    assert_int_equal(number_in(launched.settings, "k1"), 32);
    assert_int_equal(number_in(s.settings, "k4"), 2);
    assert_int_equal(number_in(d.settings, "k1"), 32);
    assert_int_equal(number_in(d.settings, "F_Threshold"), 0);
    nf_graph_free(grid);
    nf_graph_free(skewed);
    nf_graph_free(dense);
}

/* Answers are compared with the CPU's in hear_run: a few schedules and devices, everything off and everything on. */
static void every_schedule_gives_the_same_answer(void **state)
{
    static const char *const schedules[] = {"order=lifo", "seed=1,preempt=0.05,profile=2x64",
                                            "seed=2,preempt=0.02,profile=1x32", "seed=3,preempt=0.1,profile=3x96"};
    nf_graph *g = generate("rmat", 8, 8, 11), *star = star_of(700);
    (void)state;
    for (size_t i = 0; i < COUNT(schedules); i++) {
        (void)HEAR(schedules[i], g, CENSUS, "k2=10", "k3=1", "k6=32");
        (void)HEAR(schedules[i], star, CENSUS, "k2=10", "k3=2", "k6=64", "k5=0");
        (void)HEAR(schedules[i], g, "k2=0", "k4=0", "k5=0", "virtual-warps=off", "hash64=0", "scan=shared", "binary=0",
                   "reads=0", "writes=0");
        (void)HEAR(schedules[i], g, "k4=1", "k5=1", "k7=0", "cluster=60");
        (void)HEAR(schedules[i], star, "children=launch", "k2=10", "k3=2", "k6=64", "k5=0");
    }
    nf_graph_free(g);
    nf_graph_free(star);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* With the formula's bytes, 336 KB for traces and state and some for alignment a run succeeds; with the formula's alone
 * it does not. */
static void memory_is_what_is_said(void **state)
{
    /* one level */
    const nf_run_options how = {.size = sizeof how, .algorithm = "bfs-4k", .flags = NF_RUN_CUTOFF, .cutoff = 1};
    nf_graph *g = grid_of(1, 200000);
    const double n = nf_graph_n(g), graph = 4 * (n + 1) + 4 * (double)nf_graph_m(g), own = 12 * n + n / 4;
    (void)state;
    assert_int_equal(run_within(g, true, &how, graph + own), NF_EDEVMEM);
    OK(run_within(g, true, &how, graph + own + (336 << 10) + 4096));
    nf_graph_free(g);
    /* the hub's list in parts: 8 bytes each, one for every 16 * 32 arcs of the graph and one more for each list */
    nf_graph *star = star_of(60000);
    const double s = nf_graph_n(star), m = (double)nf_graph_m(star);
    OK(run_within(star, true, &how, 4 * (s + 1) + 4 * m + 12 * s + s / 4 + m / 64 + 16 + (336 << 10) + 4096));
    assert_int_equal(run_within(star, true, &how, 4 * (s + 1) + 4 * m + 12 * s + s / 4 + m / 64), NF_EDEVMEM);
    nf_graph_free(star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_add_up_to_the_candidates),
        cmocka_unit_test(conflicts_are_kept),
        cmocka_unit_test(a_full_queue_becomes_a_bitmap_and_a_queue_again),
        cmocka_unit_test(children_are_launched_for_a_star_and_not_for_a_grid),
        cmocka_unit_test(long_lists_are_cut_and_shared),
        cmocka_unit_test(the_grid_refuses_children_by_name),
        cmocka_unit_test(lists_are_walked_once),
        cmocka_unit_test(large_levels_are_swept),
        cmocka_unit_test(kernels_follow_the_frontier),
        cmocka_unit_test(each_switch_changes_its_own_counter),
        cmocka_unit_test(long_queues_are_written_by_rows),
        cmocka_unit_test(knobs_follow_the_degrees),
        cmocka_unit_test(every_schedule_gives_the_same_answer),
        cmocka_unit_test(memory_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
