/* test_bit_parallel.c - breadth-first search from many sources at once on the emulator: rows are those of the CPU for
 * every width, way, schedule and kind of parents; what is shared is told by the log; memory is what is said.
 */
#include "trace.h"

#ifdef NF_RACE
#define FEW 1 /* the race flavour is slow: fewer schedules */
#else
#define FEW 0
#endif

/* What the log said of the latest run: batches, and over all of them arcs, pairs found, levels of each way. */
typedef struct heard {
    unsigned batches, push, pull;
    unsigned long long arcs, bits;
} heard;

static void listen_to(void *user, nf_log_level level, const char *text)
{
    heard *h = user;
    const char *totals = strstr(text, "bfs totals: ");
    unsigned long long arcs = 0, bits = 0;
    if (level != NF_LOG_DEBUG)
        return;
    h->push += strstr(text, ", way push") != NULL;
    h->pull += strstr(text, ", way pull") != NULL;
    if (totals == NULL)
        return;
    assert_int_equal(sscanf(totals, "bfs totals: levels %*u, frontier %*u, arcs %llu, checked %*u, bits %llu", &arcs,
                            &bits),
                     2);
    h->batches++;
    h->arcs += arcs;
    h->bits += bits;
}

/* Sources spread over the graph, some of them twice. */
static void pick_sources(nf_vid n, nf_vid *sources, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sources[i] = (nf_vid)((i % 7 == 6 ? i - 1 : i) * 37 % n);
}

#define MOST_SOURCES 300

/* One run from `count` sources, its rows against the serial method's. */
static heard compare(const char *settings, const nf_graph *g, uint64_t count, const nf_run_options *how)
{
    static heard h;
    nf_vid sources[MOST_SOURCES];
    nf_context *ctx = open_device("emulator", settings, 0, listen_to, memset(&h, 0, sizeof h)), *cpu = open_cpu();
    nf_run_options plain = *how;
    nf_result *r = NULL, *want = NULL;
    plain.algorithm = "serial";
    plain.knob_count = 0;
    pick_sources(nf_graph_n(g), sources, count);
    OK(nf_bfs_many(ctx, g, sources, count, how, &r));
    OK(nf_bfs_many(cpu, g, sources, count, &plain, &want));
    for (uint64_t i = 0; i < count; i++) {
        assert_memory_equal(nf_result_hops(r, i), nf_result_hops(want, i), nf_graph_n(g) * sizeof(int32_t));
        if ((how->flags & NF_RUN_DETERMINISTIC) != 0)
            assert_memory_equal(nf_result_parents(r, i), nf_result_parents(want, i), nf_graph_n(g) * sizeof(nf_vid));
        else if ((how->flags & NF_RUN_PARENTS) != 0)
            check_tree(g, nf_result_hops(r, i), nf_result_parents(r, i));
    }
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    return h;
}

static heard compare_with(const char *settings, const nf_graph *g, uint64_t count, uint32_t flags, const char *knob,
                          const char *other)
{
    return compare(settings, g, count,
                   HOW("bit-parallel", flags, knob, other, count % 2 != 0 ? "long=64" : "long=1024"));
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* A hub whose list is far longer than its own lanes look at, arms that know two others each, twenty vertices that know
 * seven arms each, which are so many parents of the hub in different pieces of its list, and vertices nobody reaches;
 * arcs in no order. */
static nf_graph *hub_graph(bool directed)
{
    enum { ARMS = 400, OTHERS = 20, KNOWN = 7, ROOM = 3 * ARMS + OTHERS * KNOWN };
    nf_vid src[ROOM], dst[ROOM];
    nf_eid m = 0;
    for (nf_vid i = 0; i < ARMS; i++) {
        const nf_vid arm = (i * 173) % ARMS;
        src[m] = directed ? arm : ARMS, dst[m++] = directed ? ARMS : arm;
        src[m] = arm, dst[m++] = 2 * arm % ARMS;
        src[m] = arm, dst[m++] = (2 * arm + 1) % ARMS;
    }
    for (nf_vid i = 0; i < OTHERS * KNOWN; i++)
        src[m] = ARMS + 1 + i % OTHERS, dst[m++] = i * 59 % ARMS;
    return graph_of(ARMS + 40, m, src, dst, NULL, directed ? 0 : NF_BUILD_UNDIRECTED);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const char *const schedules[] = {"order=random,seed=1,preempt=0.05", "order=lifo", "order=fifo",
                                        "order=random,seed=2,profile=2x64"};
static const uint32_t trees[] = {0, NF_RUN_PARENTS, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};

/* Every number of words, full or not, by either way. */
static void rows_are_right_for_every_width(void **state)
{
    static const struct {
        uint64_t rows;
        const char *width;
        unsigned batches;
    } cases[] = {{33, "width=8", 5},    {31, "width=32", 1},   {64, "width=64", 1},
                 {101, "width=128", 1}, {200, "width=256", 1}, {299, "width=0", 2}};
    static const char *const ways[] = {"direction=push", "direction=pull", "direction=auto"};
    nf_graph *graphs[] = {generate("rmat", 7, 6, 3), hub_graph(true)};
    (void)state;
    for (size_t k = 0; k < COUNT(graphs); k++)
        for (size_t i = 0; i < COUNT(cases); i++)
            for (size_t w = 0; w < COUNT(ways); w++) {
                const heard h = compare_with(schedules[(i + w) % COUNT(schedules)], graphs[k], cases[i].rows,
                                             trees[(i + k) % COUNT(trees)], cases[i].width, ways[w]);
                assert_int_equal(h.batches, cases[i].batches);
                assert_true(w == 2 || (w == 0) == (h.pull == 0));
                assert_true(w == 2 || (w == 1) == (h.push == 0));
            }
    nf_graph_free(graphs[0]);
    nf_graph_free(graphs[1]);
}

/* Long lists are the whole warp's, or lie in pieces: the first of each bit's parents in ascending order, or the least
 * in no order. */
static void parents_are_the_least_in_any_order(void **state)
{
    nf_graph *g = hub_graph(false);
    (void)state;
    for (size_t i = 0; i < COUNT(schedules) - 2 * FEW; i++)
        for (size_t t = 1; t < COUNT(trees); t++) {
            (void)compare_with(schedules[i], g, 70, trees[t], "width=128", "direction=pull");
            (void)compare_with(schedules[i], g, 71, trees[t], "width=128", "direction=pull");
            (void)compare_with(schedules[i], g, 21, trees[t], "width=32", "direction=auto");
            (void)compare_with(schedules[i], g, 20, trees[t], "width=32", "direction=auto");
        }
    nf_graph_free(g);
}

/* One look at an arc serves all sources: 64 rows take far fewer looks than 64 searches; pulling ends early. */
static void looks_are_shared(void **state)
{
    nf_graph *g = generate("rmat", 9, 8, 3), *grid = grid_of(12, 12),
             *path = sparse_of(38, 36, false, NF_BUILD_UNDIRECTED);
    const unsigned long long m = nf_graph_m(g);
    (void)state;
    const heard batch = compare_with("order=fifo", g, 64, 0, "width=64", "direction=auto");
    const heard one = compare_with("order=fifo", g, 8, 0, "width=1", "direction=push");
    assert_true(batch.pull > 0 && batch.push > 0);
    assert_true(batch.arcs < 6 * m);
    assert_true(one.batches == 8 && one.arcs > 4 * m);
    const heard down = compare_with("order=fifo", grid, 5, 0, "width=32", "direction=push");
    assert_int_equal(down.bits, 5 * (nf_graph_n(grid) - 1));
    const heard up = compare_with("order=fifo", path, 2, 0, "width=32", "direction=pull");
    assert_true(up.arcs < 72 * 36 * 3 / 4); /* the bit of the vertex apart is not waited for */
    nf_graph_free(g);
    nf_graph_free(grid);
    nf_graph_free(path);
}

/* Cutoffs and targets end a batch early, and only when all of its rows are done. */
static void a_batch_ends_early(void **state)
{
    nf_graph *g = grid_of(30, 30);
    const nf_vid target[] = {37 * 3, 40};
    nf_run_options o = {.size = sizeof o, .algorithm = "bit-parallel", .flags = NF_RUN_CUTOFF, .cutoff = 5};
    (void)state;
    heard h = compare("order=lifo", g, 40, &o);
    assert_int_equal(h.push + h.pull, 5);
    o.flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC;
    o.targets = target;
    o.target_count = COUNT(target);
    h = compare("order=lifo", g, 3, &o);
    assert_true(h.push + h.pull >= 24 && h.push + h.pull <= 26); /* 24 to the farther target, 58 in all */
    nf_graph_free(g);
}

/* `auto` takes it for many sources, and only then. */
static void auto_takes_it_for_many_sources(void **state)
{
    nf_graph *g = generate("rmat", 7, 6, 3);
    nf_context *ctx = emulator("order=fifo", NULL);
    nf_vid sources[40];
    nf_run_info info = {.size = sizeof info};
    (void)state;
    pick_sources(nf_graph_n(g), sources, COUNT(sources));
    for (int few = 0; few < 2; few++) {
        nf_result *r = NULL;
        OK(nf_bfs_many(ctx, g, sources, few ? 3 : COUNT(sources), NULL, &r));
        OK(nf_result_info(r, &info));
        assert_true((strcmp(info.algorithm, "bit-parallel") == 0) == (few == 0));
        nf_result_free(r);
    }
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static nf_status take_rows(void *user, const nf_tile *tile)
{
    *(uint64_t *)user += tile->rows;
    return NF_OK;
}

/* The rows go to a sink, so that the limit is the device's alone. */
static nf_status run_rows_within(const nf_graph *g, uint64_t rows, const char *width, double bytes, bool parents)
{
    nf_context *ctx = open_device("emulator", "", bytes, NULL, NULL);
    nf_result *r = NULL;
    nf_vid sources[MOST_SOURCES];
    uint64_t taken = 0;
    const nf_run_options how = {.size = sizeof how,
                                .algorithm = "bit-parallel",
                                .flags = parents ? NF_RUN_PARENTS : 0,
                                .knobs = &width,
                                .knob_count = 1,
                                .sink = take_rows,
                                .sink_user = &taken};
    pick_sources(nf_graph_n(g), sources, rows);
    const nf_status st = nf_bfs_many(ctx, g, sources, rows, &how, &r);
    assert_int_equal(taken, st == NF_OK ? rows : 0);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* With the formula's bytes, 256 KB for trace and state and 4 KB for alignment a run succeeds; with the formula's alone
 * it does not, unless the width is left open: then fewer rows are made at once. */
static void memory_is_what_is_said(void **state)
{
    static const struct {
        uint64_t rows;
        const char *width;
        double words, at_once;
    } cases[] = {{2, "width=2", 1, 2}, {40, "width=32", 1, 32}, {40, "width=64", 2, 40}};
    const double n = 60000, graph = 4 * (n + 1) + 8;
    nf_graph *g = sparse_of((nf_vid)n, 1, false, NF_BUILD_UNDIRECTED);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int parents = 0; parents < 2; parents++) {
            const double row = parents ? 8 : 4,
                         bytes = graph + (16 * cases[i].words + 20.375 + row * cases[i].at_once) * n;
            const uint64_t rows = cases[i].rows;
            assert_int_equal(run_rows_within(g, rows, cases[i].width, bytes, parents), NF_EDEVMEM);
            OK(run_rows_within(g, rows, cases[i].width, bytes + (256 << 10) + 4096, parents));
            OK(run_rows_within(g, rows, "width=0", graph + (36.375 + row) * n + (256 << 10) + 4096, parents));
        }
    nf_graph_free(g);
}

/* ---- all pairs --------------------------------------------------------------------------------------------------- */

/* All pairs of a graph on a device by a method, `taken` where that is auto; the arcs that were looked at. */
static uint64_t run_all_pairs(const char *device, const char *algorithm, const char *taken, const nf_graph *g,
                              nf_type type, nf_result **out)
{
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = algorithm,
                              .distance_type = type,
                              .flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};
    nf_run_info info = {.size = sizeof info};
    nf_context *ctx = open_device(device, "seed=2,preempt=0.01", 0, NULL, NULL);
    OK(nf_apsp(ctx, g, &o, out));
    OK(nf_result_info(*out, &info));
    assert_string_equal(info.algorithm, taken);
    nf_context_free(ctx);
    return info.edges_relaxed;
}

/* Without weights auto takes n-sssp; with them it is asked for by name. */
static void compare_all_pairs(const nf_graph *g, nf_type type, bool shared)
{
    const uint64_t n = nf_graph_n(g);
    const size_t bytes = n * n * (type == NF_F32 ? 4 : 8);
    nf_result *want = NULL, *got = NULL;
    (void)run_all_pairs("cpu", "johnson", "johnson", g, type, &want);
    const uint64_t arcs = run_all_pairs("emulator", shared ? NULL : "n-sssp", "n-sssp", g, type, &got);
    assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), bytes);
    assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), n * n * sizeof(nf_vid));
    /* one look at an arc for many sources, where there are no weights */
    assert_int_equal(arcs < n * nf_graph_m(g) / 3, shared);
    nf_result_free(want);
    nf_result_free(got);
}

static void all_pairs_share_their_looks(void **state)
{
    nf_graph *g = NULL, *weighted = NULL, *negative = NULL;
    nf_generate_options o = {.size = sizeof o};
    (void)state;
    OK(nf_generate_defaults("uniform", &o));
    o.n = 70, o.edge_factor = 6, o.seed = 5;
    OK(nf_generate(NULL, &o, &g));
    compare_all_pairs(g, NF_I64, true);
    compare_all_pairs(g, NF_F32, true);
    o.n = FEW ? 12 : 40, o.edge_factor = 3, o.seed = 4, o.weight_min = 1, o.weight_max = 9;
    OK(nf_generate(NULL, &o, &weighted));
    compare_all_pairs(weighted, NF_I64, false);
    OK(nf_generate_defaults("negative", &o));
    o.n = FEW ? 12 : 40, o.seed = 4;
    OK(nf_generate(NULL, &o, &negative));
    compare_all_pairs(negative, NF_I64, false);
    nf_graph_free(g);
    nf_graph_free(weighted);
    nf_graph_free(negative);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_right_for_every_width),
        cmocka_unit_test(parents_are_the_least_in_any_order),
        cmocka_unit_test(looks_are_shared),
        cmocka_unit_test(a_batch_ends_early),
        cmocka_unit_test(auto_takes_it_for_many_sources),
        cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(all_pairs_share_their_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
