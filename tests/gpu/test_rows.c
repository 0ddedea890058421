/* test_rows.c - all pairs by a block for each row on the emulator, over lists and over records of arcs: which are for
 * which graphs; a narrow delta relaxes every arc once, a wide one never raises the threshold; resident blocks share a
 * launch, little memory makes more of them; rows that leave 32 bits are made again; reduced weights of 32 and of 64
 * bits; negative cycles; memory is what is said; a cancel. */
#include "trace.h"

typedef struct rows_told {
    unsigned blocks, launches, narrow, wide; /* benches of 32 and of 64 bits */
    unsigned records;                        /* benches over records */
    unsigned long long rows, most, arcs, raised;
} rows_told;

static void hear_rows(void *user, nf_log_level level, const char *text)
{
    rows_told *t = user;
    unsigned long long rows = 0, arcs = 0, raised = 0;
    unsigned blocks = 0, bits = 0;
    if (level != NF_LOG_DEBUG)
        return;
    if (sscanf(text, "rows: %u blocks of %*u threads, keys of %u bits, up to %llu rows", &blocks, &bits, &rows) == 3) {
        t->blocks = blocks;
        t->most = rows;
        t->narrow += bits == 32;
        t->wide += bits == 64;
        t->records += strstr(text, "over records") != NULL;
        assert_true((strstr(text, "over records") != NULL) != (strstr(text, "over lists") != NULL));
    }
    if (sscanf(text, "rows: %llu in a launch, arcs %llu, rounds %*u, threshold raised %llu times", &rows, &arcs,
               &raised)
        == 3) {
        t->launches++;
        t->rows += rows, t->arcs += arcs, t->raised += raised;
    }
}

/* All pairs on the emulator; the answer is the CPU's. */
static rows_told all_pairs(const char *settings, const nf_graph *g, double limit, const nf_run_options *how)
{
    rows_told t = {0};
    nf_context *ctx = open_device("emulator", settings, limit, hear_rows, &t);
    expect_all_pairs(ctx, g, how, false);
    nf_context_free(ctx);
    return t;
}

/* Arcs out of every vertex that a row reaches, over all rows: each vertex after the row's own, in this graph. */
static unsigned long long arcs_once(nf_vid n)
{
    unsigned long long sum = 0;
    for (unsigned long long v = 0; v < n; v++)
        sum += (v + 1) * (n - 1 - v);
    return sum;
}

static void delta_decides_how_often(void **state)
{
    const nf_vid n = 40;
    nf_graph *g = falling(n);
    (void)state;
    const rows_told dijkstra = all_pairs("seed=1", g, 0, HOW("n-sssp", 0, "delta=1"));
    const rows_told pairs = all_pairs("seed=1", g, 0, HOW("n-sssp", 0, "delta=2"));
    const rows_told ford = all_pairs("seed=1", g, 0, HOW("n-sssp", 0, "delta=1e300"));
    assert_true(dijkstra.arcs == arcs_once(n));
    assert_true(dijkstra.raised == (unsigned long long)n * (n - 1) / 2); /* once for every distance but 0 */
    assert_true(pairs.arcs == arcs_once(n)); /* every other vertex comes near while it is piled: its place is stale */
    assert_true(ford.arcs > 2 * dijkstra.arcs && ford.raised == 0);
    assert_true(dijkstra.rows == n && ford.rows == n);
    nf_graph_free(g);
}

/* A launch has four rows for each resident block; all blocks of the device take part. */
static void resident_blocks_share_a_launch(void **state)
{
    nf_graph *g = grid_of(6, 8);
    (void)state;
    const rows_told few = all_pairs("profile=1x32", g, 0, HOW("n-sssp", TREE, "threads=32"));
    const rows_told many = all_pairs("profile=8x128", g, 0, HOW("n-sssp", TREE, "threads=128"));
    assert_true(few.blocks * 4 == few.most && many.blocks >= 8 * few.blocks);
    assert_true(few.launches == (48 + few.most - 1) / few.most && many.launches == (48 + many.most - 1) / many.most);
    nf_graph_free(g);
}

static void schedules_do_not_matter(void **state)
{
    static const char *const settings[] = {"order=fifo", "order=lifo,profile=2x64", "seed=1,preempt=0.1",
                                           "seed=2,profile=4x128,preempt=0.2", "seed=3,profile=1x32"};
    nf_graph *graphs[] = {generate("rmat", 5, 6, 3), grid_of(7, 6), star_of(70)};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(graphs); k++) {
            (void)all_pairs(settings[i], graphs[k], 0, HOW("n-sssp", TREE, i % 2 == 0 ? "delta=0" : "delta=3"));
            (void)all_pairs(settings[i], graphs[k], 0, PLAIN("johnson", TREE));
        }
    for (size_t k = 0; k < COUNT(graphs); k++)
        nf_graph_free(graphs[k]);
}

/* Short lists of 32-bit weights that are not negative are for records, unless it is asked for otherwise. */
static void records_are_for_short_lists(void **state)
{
    nf_graph *grid = grid_of(6, 7), *dense = falling(20), *down = lowered(30, 7, 5), *star = star_of(30);
    const nf_graph *const graphs[] = {grid, dense, down, star};
    const unsigned by_itself[] = {1, 0, 0, 1}, asked[] = {1, 1, 0, 1};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        const char *const method = i == 2 ? "johnson" : "n-sssp";
        assert_int_equal(all_pairs("seed=1", graphs[i], 0, PLAIN(method, TREE)).records, by_itself[i]);
        assert_int_equal(all_pairs("seed=1", graphs[i], 0, HOW(method, TREE, "arcs=records")).records, asked[i]);
        assert_int_equal(all_pairs("seed=1", graphs[i], 0, HOW(method, TREE, "arcs=lists")).records, 0);
    }
    nf_graph_free(grid), nf_graph_free(dense), nf_graph_free(down), nf_graph_free(star);
}

/* Order saves work over records, too; without it there is no pile. */
static void delta_decides_over_records(void **state)
{
    nf_graph *g = grid_of(9, 9);
    (void)state;
    const rows_told narrow = all_pairs("seed=1", g, 0, HOW("n-sssp", 0, "delta=1"));
    const rows_told wide = all_pairs("seed=1", g, 0, HOW("n-sssp", 0, "delta=1e300"));
    assert_true(narrow.records == 1 && wide.records == 1 && narrow.rows == 81 && wide.rows == 81);
    assert_true(wide.raised == 0 && narrow.raised > 81 && narrow.arcs < wide.arcs);
    nf_graph_free(g);
}

/* Schedules; lists of many records; frontiers that a block has no room for; several rows for each block. */
static void records_under_any_schedule(void **state)
{
    static const char *const settings[] = {"order=fifo", "order=lifo,profile=2x64", "seed=1,preempt=0.1",
                                           "seed=3,profile=1x32"};
    nf_graph *graphs[] = {generate("rmat", 5, 6, 3), grid_of(7, 6), star_of(70), falling(24)}, *wide = star_of(600);
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(graphs); k++) {
            const char *const delta = i % 2 == 0 ? "delta=0" : "delta=3";
            assert_int_equal(all_pairs(settings[i], graphs[k], 0, HOW("n-sssp", TREE, "arcs=records", delta)).records,
                             1);
        }
    assert_int_equal(all_pairs("profile=2x64", wide, 0, HOW("n-sssp", 0, "threads=64")).records, 1);
    for (size_t k = 0; k < COUNT(graphs); k++)
        nf_graph_free(graphs[k]);
    nf_graph_free(wide);
}

/* Rows from the end of a chain fit 32 bits, those from its beginning do not: only these are made in 64. */
static void rows_that_leave_32_bits_are_made_again(void **state)
{
    enum { N = 24 };
    const arc_list a = arcs_make(N - 1);
    (void)state;
    for (nf_vid i = 0; i < N - 1; i++)
        a.src[i] = i + 1, a.dst[i] = i, a.w[i] = 1000000000; /* row v: v times so much */
    nf_graph *g = graph_from(N, N - 1, a, 0);
    const rows_told t = all_pairs("profile=1x32", g, 0, HOW("n-sssp", TREE, "threads=32"));
    assert_true(t.narrow == 1 && t.wide == 1 && t.rows == N);
    nf_graph_free(g);
}

/* ---- negative weights -------------------------------------------------------------------------------------------- */

static void reduced_weights_are_exact(void **state)
{
    enum { N = 20 };
    const arc_list a = arcs_make(N);
    nf_graph *g = lowered(40, 7, 100);
    (void)state;
    const rows_told t = all_pairs("seed=4", g, 0, PLAIN("johnson", TREE));
    assert_true(t.narrow == 1 && t.wide == 0 && t.rows == 40);
    nf_graph_free(g);
    /* a chain of -2^31 each way down, and an arc past it that is reduced to more than 32 bits */
    for (nf_vid i = 0; i < N; i++)
        a.src[i] = i < N - 1 ? i : 0, a.dst[i] = i < N - 1 ? i + 1 : N - 1,
        a.w[i] = i < N - 1 ? INT32_MIN : INT32_MAX - 1;
    g = graph_from(N, N, a, 0);
    const rows_told wide = all_pairs("seed=4", g, 0, PLAIN("johnson", TREE));
    assert_true(wide.narrow == 0 && wide.wide == 1);
    nf_graph_free(g);
}

static void a_negative_cycle_is_returned(void **state)
{
    (void)state;
    expect_cycle(PLAIN("johnson", 0));
}

/* ---- memory, and the end ----------------------------------------------------------------------------------------- */

static nf_status take_rows(void *user, const nf_tile *tile)
{
    *(uint64_t *)user += tile->rows;
    return NF_OK;
}

/* The rows go to a sink, so that the limit is the device's alone. */
static nf_status rows_within(const nf_graph *g, const char *arcs, uint32_t flags, double bytes, rows_told *t)
{
    uint64_t taken = 0;
    nf_context *ctx = open_device("emulator", "profile=16x128", bytes, hear_rows, memset(t, 0, sizeof *t));
    nf_run_options o = *HOW("n-sssp", flags, "threads=32", arcs);
    nf_result *r = NULL;
    o.sink = take_rows;
    o.sink_user = &taken;
    const nf_status st = nf_apsp(ctx, g, &o, &r);
    assert_true(taken == (st == NF_OK ? nf_graph_n(g) : 0));
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* What is taken with so many blocks and rows of a launch: 32-bit keys, 64-bit distances. */
static double bytes_for(double n, double blocks, double rows, bool parents, bool records)
{
    const double graph = 4 * (n + 1) + 8 * 2 + (records ? 32 * n : 0);
    return graph + blocks * (parents ? 20.25 : 16.25) * n + rows * ((parents ? 16 : 12) * n + 24);
}

/* Blocks and rows of a launch are as many as there is room for, by the formula. */
static void memory_is_what_is_said(void **state)
{
    const double n = 640, limits[] = {300 * n, 700 * n};
    nf_graph *g = sparse_of((nf_vid)n, 2, true, 0);
    rows_told all, t;
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const bool parents = kind % 2 != 0, records = kind / 2 != 0;
        const uint32_t flags = parents ? NF_RUN_PARENTS : 0;
        const char *const arcs = records ? "arcs=records" : "arcs=lists";
        const double slack = records ? 8192 + 16 * 2048 : 8192; /* the blocks' states are small */
        OK(rows_within(g, arcs, flags, 0, &all));
        assert_true(all.rows == n && bytes_for(n, all.blocks, (double)all.most, parents, records) > limits[1]);
        for (size_t i = 0; i < COUNT(limits); i++) {
            OK(rows_within(g, arcs, flags, limits[i], &t));
            assert_true(t.rows == n && t.most < all.most && t.launches >= n / (double)t.most);
            assert_true(bytes_for(n, t.blocks, (double)t.most, parents, records) <= limits[i]);
            assert_true(bytes_for(n, t.blocks, 2 * (double)t.most, parents, records) + slack > limits[i]
                        || bytes_for(n, 2 * t.blocks, 2 * (double)t.most, parents, records) + slack > limits[i]);
        }
    }
    nf_graph_free(g);
}

static bool cancel_later(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    return ++*(unsigned *)user > 1;
}

static void rows_can_be_cancelled(void **state)
{
    unsigned calls = 0;
    const nf_context_options o = {.size = sizeof o,
                                  .device = "emulator",
                                  .progress = cancel_later,
                                  .progress_user = &calls};
    nf_graph *g = grid_of(60, 60);
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    (void)state;
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    for (int records = 0; records < 2; records++) {
        calls = 0;
        assert_int_equal(nf_apsp(ctx, g, HOW("n-sssp", 0, records ? "arcs=records" : "arcs=lists"), &r), NF_ECANCELLED);
        assert_null(r);
        assert_true(calls == 2);
    }
    nf_graph_free(g);
    nf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_decides_how_often),
        cmocka_unit_test(resident_blocks_share_a_launch),
        cmocka_unit_test(records_are_for_short_lists),
        cmocka_unit_test(delta_decides_over_records),
        cmocka_unit_test(records_under_any_schedule),
        cmocka_unit_test(schedules_do_not_matter),
        cmocka_unit_test(rows_that_leave_32_bits_are_made_again),
        cmocka_unit_test(reduced_weights_are_exact),
        cmocka_unit_test(a_negative_cycle_is_returned),
        cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(rows_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
