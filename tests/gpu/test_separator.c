/* test_separator.c - all pairs by parts and borders on the emulator: any number of parts, cut by METIS or grown, gives
 * the CPU's distances and trees; the border is the one that the parts have, and steps are those of parts, borders and
 * products; directed, negative and disconnected graphs; sums that leave 32 bits; rows that rounding leaves without a
 * tree; memory is what is said; METIS leaves signals as they were; a cancel. */
#include <math.h>
#include <signal.h>

#include "gpu/partition.h"
#include "trace.h"

typedef struct parts_told {
    unsigned parts, closed, border, bytes, most, again, runs;
    unsigned long long bands, inside, through, into;
    bool metis;
} parts_told;

static void hear_parts(void *user, nf_log_level level, const char *text)
{
    parts_told *t = user;
    if (level != NF_LOG_DEBUG || strncmp(text, "separator: ", 11) != 0)
        return;
    t->runs++;
    t->parts = (unsigned)number_in(text, "parts"), t->closed = (unsigned)number_in(text, "closed");
    t->border = (unsigned)number_in(text, "border"), t->bytes = (unsigned)number_in(text, "of");
    t->most = (unsigned)number_in(text, "to"), t->again = (unsigned)number_in(text, "again");
    t->bands = number_in(text, "bands"), t->inside = number_in(text, "inside");
    t->through = number_in(text, "through"), t->into = number_in(text, "into");
    t->metis = strstr(text, " by METIS") != NULL;
}

static nf_status take_rows(void *user, const nf_tile *tile)
{
    *(uint64_t *)user += tile->rows;
    return NF_OK;
}

/* All pairs on the emulator; the answer is the CPU's, and so are trees, all of which are the deterministic ones. */
static parts_told all_pairs(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    parts_told t = {0};
    nf_context *ctx = open_device("emulator", settings, 0, hear_parts, &t);
    expect_all_pairs(ctx, g, how, true);
    assert_int_equal(t.again, 0);
    nf_context_free(ctx);
    return t;
}

static parts_told all_pairs_in(const nf_graph *g, unsigned parts, const char *partition, const char *settings)
{
    char text[32];
    snprintf(text, sizeof text, "parts=%u", parts);
    return all_pairs(settings, g, HOW("separator", NF_RUN_PARENTS, text, partition));
}

static bool has_metis(void)
{
    return nf__partition_library()[0] != '\0';
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static nf__partition cut(const nf_graph *g, uint32_t parts, nf__partitioner how)
{
    nf_graph_info info = {.size = sizeof info};
    nf_context *ctx = open_cpu();
    nf__partition p;
    nf_csr c = {.n = 0};
    OK(nf_graph_get_info(g, &info));
    OK(nf_graph_view(NULL, g, &c));
    OK(nf__partition_make(ctx, &c, info.directed, parts, how, &p));
    nf_context_free(ctx);
    return p;
}

/* Vertices with a neighbour in another part, counted once more, by arcs and a mark each. */
static nf_vid border_of(const nf_graph *g, const nf__partition *p)
{
    nf_csr c = {.n = 0};
    OK(nf_graph_view(NULL, g, &c));
    uint8_t *mark = calloc(c.n, 1);
    nf_vid many = 0;
    for (nf_vid u = 0; u < c.n; u++)
        for (nf_eid e = c.off32[u]; e < c.off32[u + 1]; e++)
            if (p->part[u] != p->part[c.adj[e]])
                mark[u] = mark[c.adj[e]] = 1;
    for (nf_vid v = 0; v < c.n; v++) {
        const bool first = p->place[v] < p->border_of[p->part[v]];
        assert_int_equal(first, mark[v] != 0); /* the border stands first in its part */
        many += mark[v];
    }
    free(mark);
    return many;
}

static unsigned long long whole(unsigned long long n, unsigned unit)
{
    return (n + unit - 1) / unit * unit;
}

/* What the method says against what its parts ask for: tiles of 32, bands of up to 512 rows. */
static void expect_steps(const parts_told *t, const nf__partition *p)
{
    const unsigned long long lines = whole(p->n, 32), side = whole(p->border + 15ull, 32);
    unsigned long long inside = 0, through = 0, into = 0;
    assert_true(p->n <= 160 && t->bands == 1);
    for (uint32_t i = 0; i < p->parts; i++) {
        const unsigned long long tiles = whole(p->size[i], 32), slots = whole(p->border_of[i], 16);
        inside += p->size[i] > 1 ? tiles * tiles * tiles : 0;
        through += tiles * side * slots; /* all its rows are in the band */
        into += lines * tiles * slots;
    }
    inside += whole(p->border, 32) * side * side; /* no walk passes the padding */
    assert_true(t->through == (p->border > 0 ? through : 0) && t->into == into);
    assert_true(t->inside == inside);
}

static void expect_cut(const nf_graph *g, unsigned parts, bool metis)
{
    nf__partition p = cut(g, parts, metis ? NF__PARTITION_METIS : NF__PARTITION_GROW);
    const parts_told t = all_pairs_in(g, parts, metis ? "partition=metis" : "partition=grow", "seed=2");
    assert_int_equal(t.parts, p.parts);
    assert_int_equal(t.closed, p.parts);
    assert_int_equal(t.border, border_of(g, &p));
    assert_int_equal(t.metis, p.by_metis);
    assert_true(metis || p.parts == parts);
    expect_steps(&t, &p);
    nf__partition_free(&p);
}

static void any_number_of_parts(void **state)
{
    nf_graph *g = grid_of(10, 11), *small = grid_of(5, 6);
    (void)state;
    expect_cut(g, 1, false);
    expect_cut(g, 2, false);
    expect_cut(g, 7, false);
    expect_cut(small, 30, false);
    if (has_metis()) {
        nf__partition p = cut(g, 4, NF__PARTITION_METIS);
        assert_true(p.by_metis && p.parts == 4 && p.largest <= 110 / 4 * 5 / 4 && p.border <= 50);
        nf__partition_free(&p);
        expect_cut(g, 2, true);
        expect_cut(g, 6, true);
        expect_cut(small, 30, true); /* grown */
    }
    nf_graph_free(g);
    nf_graph_free(small);
}

/* Grown parts of a path are its pieces. */
static void a_path_is_cut_into_pieces(void **state)
{
    const arc_list a = arcs_make(99);
    (void)state;
    for (nf_vid i = 0; i < 99; i++)
        a.src[i] = i, a.dst[i] = i + 1, a.w[i] = (int32_t)(i % 7);
    nf_graph *g = graph_from(100, 99, a, NF_BUILD_UNDIRECTED);
    const parts_told t = all_pairs_in(g, 10, "partition=grow", "order=lifo,profile=2x64");
    assert_true(t.parts == 10 && t.closed == 10 && t.border == 18 && t.bytes == 4 && !t.metis);
    nf_graph_free(g);
}

/* Without a number: about sqrt(n) / 2 parts; one where nearly all vertices stand at a border. */
static void parts_by_themselves(void **state)
{
    nf_graph *grid = grid_of(20, 20), *mixed = generate("uniform", 7, 8, 5);
    (void)state;
    const parts_told t = all_pairs("", grid, PLAIN("separator", 0)), one = all_pairs("", mixed, PLAIN("separator", 0));
    assert_true(t.parts == 10 && t.border < 300 && t.metis == has_metis());
    assert_true(one.parts == 1 && one.border == 0 && one.through == 0 && one.into == 0);
    nf_graph_free(grid);
    nf_graph_free(mixed);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* Paths of 7 vertices, every third one directed against the others, and as many vertices without arcs between them. */
static nf_graph *scattered(nf_vid paths)
{
    const arc_list a = arcs_make((size_t)6 * paths);
    for (nf_vid i = 0; i < 6 * paths; i++) {
        const nf_vid at = i / 6 * 8 + i % 6, back = i / 6 % 3 == 2;
        a.src[i] = at + back, a.dst[i] = at + !back, a.w[i] = (int32_t)(i % 4);
    }
    return graph_from(8 * paths, 6 * paths, a, 0);
}

static void directed_negative_and_scattered(void **state)
{
    static const char *const settings[] = {"order=fifo", "seed=3,order=random,preempt=0.2", "seed=1,profile=1x32"};
    nf_graph *graphs[] = {lowered(60, 1, 100), scattered(11), generate("rmat", 6, 3, 3), star_of(70)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++)
        for (unsigned parts = 1; parts <= 9; parts += 4) {
            const parts_told t = all_pairs_in(graphs[i], parts, "partition=grow", settings[parts / 4]);
            assert_true(t.parts == parts && (parts == 1) == (t.border == 0));
        }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

static void a_negative_cycle_is_returned(void **state)
{
    (void)state;
    expect_cycle(HOW("separator", 0, "parts=3"));
}

/* Rows from the end of a chain fit 32 bits, those from its beginning do not: they are made in 64, with the border
 * matrix; or all fit, though no bound says so. */
static void sums_beyond_32_bits(void **state)
{
    enum { N = 40 };
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const arc_list a = arcs_make(N - 1);
        for (nf_vid i = 0; i < N - 1; i++)
            a.src[i] = i + 1, a.dst[i] = i, a.w[i] = wide ? 30000000 : 20000000;
        nf_graph *g = graph_from(N, N - 1, a, 0);
        const parts_told t = all_pairs_in(g, 4, "partition=grow", "");
        assert_true(t.bytes == (wide ? 8 : 4) && t.runs == (wide ? 2 : 1));
        nf_graph_free(g);
    }
}

/* Floats: rows whose sums are no longer tight are made again, from one source. */
static void loose_rows_are_made_again(void **state)
{
    enum { N = 64 };
    nf_vid src[N], dst[N];
    float w[N];
    parts_told t = {0};
    const nf_coo coo = {.n = N, .m = N, .src = src, .dst = dst, .weight_type = NF_F32, .weights = w};
    const nf_build_options build = {.size = sizeof build, .flags = NF_BUILD_UNDIRECTED};
    nf_graph *g = NULL;
    nf_result *got = NULL, *want = NULL;
    (void)state;
    for (nf_vid i = 0; i < N; i++)
        src[i] = i, dst[i] = (i + 1) % N, w[i] = 0.1f + 0.07f * (float)(i % 11);
    OK(nf_graph_from_coo(NULL, &coo, &build, &g));
    nf_context *ctx = open_device("emulator", "", 0, hear_parts, &t), *cpu = open_cpu();
    OK(nf_apsp(ctx, g, HOW("separator", TREE, "parts=5"), &got));
    OK(nf_apsp(cpu, g, PLAIN("n-sssp", TREE), &want));
    const float *x = nf_result_distances(got, 0), *y = nf_result_distances(want, 0);
    for (size_t i = 0; i < (size_t)N * N; i++)
        assert_true(fabsf(x[i] - y[i]) <= 1e-4f);
    assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), (size_t)N * N * sizeof(nf_vid));
    assert_true(t.again > 0);
    nf_result_free(got);
    nf_result_free(want);
    nf_graph_free(g);
    nf_context_free(ctx);
    nf_context_free(cpu);
}

/* ---- memory, signals, and the end -------------------------------------------------------------------------------- */

/* On the device, by the formula: path and graph, parts, border, and so many rows of a band. */
static double bytes_for(const nf_graph *g, const nf__partition *p, double rows, bool parents)
{
    const unsigned tile = p->border > 160 ? 64 : 32; /* of the border matrix */
    const double n = p->n, lines = (double)whole((unsigned long long)rows, tile);
    const double side = (double)whole(p->border + 15ull, tile);
    double squares = side * side, wide = 0, slots = 0, columns = 0;
    for (uint32_t i = 0; i < p->parts; i++) {
        const double tiles = (double)whole(p->size[i], 32), slot = (double)whole(p->border_of[i], 16);
        squares += tiles * tiles, columns += tiles, slots += slot;
        wide = fmax(wide, slot);
    }
    return 12 * (double)nf_graph_m(g) + 4 * n + 8 * n + 4 * squares + 4 * lines * (wide + side + slots + columns)
           + rows * n * (parents ? 20 : 8) + 36 * (p->parts + 1) + 32 * rows;
}

/* The rows go to a sink, so that the limit is the device's alone. */
static nf_status rows_within(const nf_graph *g, uint32_t flags, double bytes, parts_told *t)
{
    uint64_t taken = 0;
    nf_context *ctx = open_device("emulator", "profile=1x128", bytes, hear_parts, memset(t, 0, sizeof *t));
    nf_run_options o = *HOW("separator", flags, "parts=12", "partition=grow");
    nf_result *r = NULL;
    o.sink = take_rows;
    o.sink_user = &taken;
    const nf_status st = nf_apsp(ctx, g, &o, &r);
    assert_true(taken == (st == NF_OK ? nf_graph_n(g) : 0));
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* Rows of a band are as many as there is room for; not even the parts: refused before anything is made. */
static void memory_is_what_is_said(void **state)
{
    nf_graph *g = grid_of(22, 22);
    nf__partition p = cut(g, 12, NF__PARTITION_GROW);
    parts_told t;
    (void)state;
    for (int parents = 0; parents < 2; parents++) {
        const uint32_t flags = parents ? NF_RUN_PARENTS : 0;
        const double blocks = parents ? 8 * 12 * 484 : 0; /* at most so many are resident, 12 n each */
        if (!parents) {
            OK(rows_within(g, flags, 0, &t));
            assert_true(t.most == 484 && t.bands == 1);
            OK(rows_within(g, flags, bytes_for(g, &p, 256, parents) + blocks + 16384, &t));
            assert_true(t.most < 484 && t.bands == (484 + t.most - 1) / t.most);
        }
        OK(rows_within(g, flags, bytes_for(g, &p, 64, parents) + blocks + 16384, &t));
        assert_true(t.most < 128 && t.bands > 3);
        assert_true(bytes_for(g, &p, t.most, parents) <= bytes_for(g, &p, 64, parents) + blocks + 16384);
        assert_int_equal(rows_within(g, flags, bytes_for(g, &p, 16, false) * 0.9, &t), NF_EDEVMEM);
    }
    nf__partition_free(&p);
    nf_graph_free(g);
}

static void on_signal(int number, siginfo_t *info, void *where)
{
    (void)number, (void)info, (void)where;
}

static void metis_gives_signals_back(void **state)
{
    struct sigaction mine = {.sa_flags = SA_SIGINFO | SA_RESTART}, was[2], now;
    const int numbers[] = {SIGABRT, SIGTERM};
    nf_graph *g = grid_of(20, 20);
    (void)state;
    mine.sa_sigaction = on_signal;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sigaction(numbers[i], &mine, &was[i]), 0);
    nf__partition p = cut(g, 6, NF__PARTITION_AUTO);
    assert_int_equal(p.by_metis, has_metis());
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sigaction(numbers[i], &was[i], &now), 0);
        assert_true(now.sa_sigaction == on_signal && (now.sa_flags & SA_SIGINFO) != 0);
    }
    nf__partition_free(&p);
    nf_graph_free(g);
}

/* Every allocation of a partition may fail. */
static void memory_for_parts_may_fail(void **state)
{
    nf_graph *g = lowered(400, 1, 100);
    nf_csr c = {.n = 0};
    nf_status st = NF_ENOMEM;
    (void)state;
    OK(nf_graph_view(NULL, g, &c));
    for (uint64_t limit = 1024; st != NF_OK; limit += 1024) {
        const nf_context_options o = {.size = sizeof o, .device = "cpu", .memory_limit = limit};
        nf_context *ctx = NULL;
        nf__partition p = {0};
        st = nf_context_create(&o, &ctx);
        if (st == NF_OK)
            st = nf__partition_make(ctx, &c, true, 8, NF__PARTITION_AUTO, &p);
        assert_true(st == NF_OK || st == NF_ENOMEM);
        assert_true(st != NF_OK || !p.by_metis || !has_metis()); /* there is room to grow before there is for METIS */
        nf__partition_free(&p);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

static void a_cancel_ends_it(void **state)
{
    nf_graph *g = grid_of(20, 20);
    (void)state;
    expect_cancelled(g, PLAIN("separator", NF_RUN_PARENTS));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_parts),       cmocka_unit_test(a_path_is_cut_into_pieces),
        cmocka_unit_test(parts_by_themselves),       cmocka_unit_test(directed_negative_and_scattered),
        cmocka_unit_test(sums_beyond_32_bits),       cmocka_unit_test(a_negative_cycle_is_returned),
        cmocka_unit_test(loose_rows_are_made_again), cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(metis_gives_signals_back),  cmocka_unit_test(memory_for_parts_may_fail),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
