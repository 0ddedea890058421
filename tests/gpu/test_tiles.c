/* test_tiles.c - matrices that go through the device some rows at a time, on the emulator: `streamed` in memory and in
 * files, in several blocks, gives the CPU's distances and true trees; a run that was stopped goes on, on the other
 * device, too; `hybrid` leaves the CPU the rows it is to have; sums without a path are left out, as many as can be
 * counted by hand; memory is what is said. */
#include "../unit/folder.h"
#include "../unit/purse.h"
#include "trace.h"

typedef struct tiles_told {
    unsigned opened, rows, block, shared, by_cpu;
    unsigned long long bytes, skipped, among;
    char lazy[8]; /* "": nothing was left out */
} tiles_told;

static void hear_tiles(void *user, nf_log_level level, const char *text)
{
    tiles_told *t = user;
    if (level != NF_LOG_DEBUG)
        return;
    if (strncmp(text, "tiles: ", 7) == 0) {
        t->opened++;
        t->rows = (unsigned)number_in(text, "rows"), t->block = (unsigned)number_in(text, "block");
        t->bytes = number_in(text, "bytes");
    }
    if (strncmp(text, "shared: ", 8) == 0)
        t->shared = (unsigned)number_in(text, "rows"), t->by_cpu = (unsigned)number_in(text, "CPU");
    if (strncmp(text, "lazy ", 5) == 0) {
        assert_int_equal(sscanf(text, "lazy %7[^:]", t->lazy), 1);
        t->skipped = number_in(text, "skipped"), t->among = number_in(text, "among");
    }
}

static nf_graph *uniform_of(nf_vid n, double factor, double low, double high, nf_type type)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("uniform", &o));
    o.n = n, o.edge_factor = factor, o.seed = 6, o.weight_min = low, o.weight_max = high, o.weight_type = type;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static nf_run_options how_of(const char *algorithm, uint32_t flags, const char *const *knobs)
{
    nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .flags = flags, .knobs = knobs};
    while (knobs[o.knob_count] != NULL)
        o.knob_count++;
    return o;
}

/* On the emulator, held against the CPU. */
static tiles_told compare(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    tiles_told t = {0};
    nf_context *ctx = open_device("emulator", settings, 0, hear_tiles, &t);
    expect_all_pairs(ctx, g, how, false);
    nf_context_free(ctx);
    return t;
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

/* Blocks and tiles of odd sizes, more tiles than slots. */
static void several_blocks(void **state)
{
    static const char *const sizes[][4] = {{"by=tiles", "tile=13", "block=3", NULL},
                                           {"by=tiles", "tile=40", "block=1", NULL},
                                           {"by=tiles", "tile=7", "block=20", NULL},
                                           {"by=tiles", NULL}};
    static const uint32_t flags[] = {0, NF_RUN_PARENTS, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC};
    /* at random also which stream goes on: a copy that waits for nothing comes too early or too late (E5) */
    static const char *const schedules[] = {"order=random,seed=3,preempt=0.01", "order=random,seed=8", "order=lifo",
                                            "order=random,seed=21"};
    nf_graph *g = uniform_of(101, 6, 1, 99, NF_I32);
    (void)state;
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (size_t f = 0; f < COUNT(flags); f++) {
            const nf_run_options how = how_of("streamed", flags[f], sizes[k]);
            const tiles_told t = compare(f == 0 ? "" : schedules[k], g, &how);
            assert_int_equal(t.opened, 1);
            assert_true(k == 3 ? t.block >= 101 : t.block < 160);
        }
    nf_graph_free(g);
}

static void every_type(void **state)
{
    static const char *const cut[] = {"by=tiles", "tile=16", "block=2", NULL};
    static const nf_type whole[] = {NF_I32, NF_U32, NF_I64, NF_U64}, real[] = {NF_F32, NF_F64};
    nf_graph *g = uniform_of(70, 5, 1, 99, NF_I32), *wide = uniform_of(60, 4, 1, 1 << 28, NF_I32);
    nf_graph *f32 = uniform_of(70, 5, 0.5, 9.5, NF_F32), *negative = lowered(80, 7, 100);
    (void)state;
    nf_run_options how = how_of("streamed", 0, cut);
    for (size_t i = 0; i < COUNT(whole); i++) {
        how.distance_type = whole[i];
        (void)compare("", g, &how);
    }
    how.flags = NF_RUN_PARENTS, how.distance_type = NF_NONE;
    (void)compare("", wide, &how);
    (void)compare("", negative, &how);
    for (size_t i = 0; i < COUNT(real); i++) {
        how.distance_type = real[i];
        (void)compare("", f32, &how);
    }
    nf_graph_free(g);
    nf_graph_free(wide);
    nf_graph_free(f32);
    nf_graph_free(negative);
}

static void graphs_of_no_and_one_vertex(void **state)
{
    static const char *const cut[] = {"by=tiles", NULL}, *const shared[] = {NULL};
    const nf_run_options streamed = how_of("streamed", NF_RUN_PARENTS, cut);
    const nf_run_options hybrid = how_of("hybrid", NF_RUN_PARENTS, shared);
    (void)state;
    for (nf_vid n = 0; n < 2; n++) {
        nf_graph *g = graph_of(n, 0, NULL, NULL, NULL, 0);
        (void)compare("", g, &streamed);
        (void)compare("", g, &hybrid);
        nf_graph_free(g);
    }
}

static void cycles_are_found(void **state)
{
    static const char *const cut[] = {"by=tiles", NULL}, *const shared[] = {NULL};
    const nf_run_options streamed = how_of("streamed", 0, cut), hybrid = how_of("hybrid", 0, shared);
    (void)state;
    expect_cycle(&streamed);
    expect_cycle(&hybrid);
}

/* ---- sums that are left out -------------------------------------------------------------------------------------- */

/* Two complete graphs of 64 vertices: four blocks of 32 rows, tiles of as many, which are squares of flags. */
static void halves_leave_out_most(void **state)
{
    enum { CUBE = 32 * 32 * 32 };
    static const char *const ways[][5] = {{"by=tiles", "tile=32", "block=1", "lazy=tile", NULL},
                                          {"by=tiles", "tile=32", "block=1", "lazy=op", NULL},
                                          {"by=tiles", "tile=32", "block=1", "lazy=none", NULL}};
    static const char *const names[] = {"tile", "op", ""};
    nf_graph *g = cliques_of(2, 64);
    (void)state;
    for (size_t k = 0; k < COUNT(ways); k++) {
        const nf_run_options how = how_of("streamed", k == 1 ? NF_RUN_PARENTS : 0, ways[k]);
        const tiles_told t = compare("seed=4", g, &how);
        /* a block: its rows follow its square, two of four squares in its half; of three other tiles one is: its
         * columns are alive, and two of its four squares */
        const unsigned long long each = k == 1 ? CUBE : k == 2 ? 0 : 1;
        assert_string_equal(t.lazy, names[k]);
        assert_int_equal(t.among, 4 * (4 + 3 + 12) * each);
        assert_int_equal(t.skipped, 4 * (2 + 2 + 10) * each);
    }
    nf_graph_free(g);
}

/* Paths that come late, in blocks and tiles that begin inside squares; negative weights, where "none" is a range. */
static void what_is_left_out_changes_nothing(void **state)
{
    static const char *const sizes[][5] = {{"by=tiles", "tile=13", "block=3", "lazy=tile", NULL},
                                           {"by=tiles", "tile=40", "block=1", "lazy=tile", NULL},
                                           {"by=tiles", "tile=7", "block=20", "lazy=tile", NULL},
                                           {"by=tiles", "tile=40", "block=2", "lazy=op", NULL},
                                           {"share=50", "tile=16", "block=2", "lazy=tile", NULL}};
    static const char *const schedules[] = {"order=random,seed=3,preempt=0.01", "order=lifo", "profile=1x32", "seed=5",
                                            "seed=6"};
    nf_graph *graphs[] = {ladder_of(190, 1), ladder_of(150, -3), ladder_of(120, 30000000)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++)
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (uint32_t flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS) {
                const nf_run_options how = how_of(k == 4 ? "hybrid" : "streamed", flags, sizes[k]);
                const tiles_told t = compare(schedules[k], graphs[i], &how);
                assert_true(t.skipped > 0 && t.skipped < t.among);
            }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* Floats, which are nearly the CPU's, and an automatic choice: 200^2 / 1024 = 39 arcs. */
static void floats_and_auto(void **state)
{
    static const char *const tile[] = {"by=tiles", "tile=24", "block=2", "lazy=tile", NULL};
    static const char *const plain[] = {"by=tiles", "tile=24", "block=2", NULL};
    static const nf_type types[] = {NF_F32, NF_F64};
    nf_graph *f32 = uniform_of(130, 0.7, 0.5, 9.5, NF_F32);
    nf_graph *few = sparse_of(200, 38, true, 0), *more = sparse_of(200, 40, true, 0);
    nf_run_options how = how_of("streamed", NF_RUN_PARENTS, tile);
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        how.distance_type = types[i];
        assert_string_equal(compare("", f32, &how).lazy, "tile");
    }
    how = how_of("streamed", 0, plain);
    assert_string_equal(compare("", few, &how).lazy, "tile");
    assert_string_equal(compare("", more, &how).lazy, "");
    nf_graph_free(f32);
    nf_graph_free(few);
    nf_graph_free(more);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static nf_status drop_rows(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

/* Within so many bytes, of the device as of the host. */
static tiles_told run_limited(const nf_graph *g, const char *const *knobs, uint32_t flags, double limit, nf_status want)
{
    tiles_told t = {0};
    nf_run_options how = how_of("streamed", flags, knobs);
    nf_context *ctx = open_device("emulator", "", limit, hear_tiles, &t);
    nf_result *r = NULL;
    how.sink = drop_rows;
    const nf_status st = nf_apsp(ctx, g, &how, &r);
    if (st != want)
        fail_msg("%s within %.0f bytes: %s", nf_status_name(st), limit, nf_last_error());
    nf_result_free(r);
    nf_context_free(ctx);
    return t;
}

/* What is planned is what is taken: a limit of a little more than the bytes told is enough for those very tiles, and
 * one of less than them leads to smaller ones. */
static void memory_is_what_is_said(void **state)
{
    static const char *const ways[] = {"lazy=none", "lazy=tile"};
    static const char *const filed[] = {"by=tiles", "store=file", "tile=24", NULL};
    nf_graph *g = uniform_of(300, 4, 1, 99, NF_I32);
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *const knobs[] = {"by=tiles", "store=memory", "tile=24", ways[i / 2], NULL};
        const uint32_t flags = i % 2 == 1 ? NF_RUN_PARENTS : 0;
        const tiles_told free = run_limited(g, knobs, flags, 0, NF_OK);
        const tiles_told same = run_limited(g, knobs, flags, (double)free.bytes + 4096, NF_OK);
        const tiles_told less = run_limited(g, knobs, flags, (double)free.bytes * 0.9, NF_OK);
        assert_int_equal(free.rows, 24);
        assert_int_equal(same.block, free.block);
        assert_true(less.block < free.block || less.rows < free.rows);
        (void)run_limited(g, filed, flags, 380 << 10, NF_EDEVMEM);
    }
    nf_graph_free(g);
}

/* Every request of the host's memory refused in turn: NF_ENOMEM, and nothing is kept. */
static void refused_memory_leaks_nothing(void **state)
{
    static const char *const cut[] = {"by=tiles", "tile=5", "block=1", NULL}, *const shared[] = {"share=50", NULL};
    (void)state;
    for (int way = 0; way < 3; way++) {
        const nf_run_options how =
            way == 0 ? how_of("hybrid", NF_RUN_PARENTS, shared) : how_of("streamed", NF_RUN_PARENTS, cut);
        nf_status st = NF_ENOMEM;
        for (long long k = 0; st != NF_OK; k++) {
            purse p = {.left = -1};
            nf_graph *g = uniform_of(20, 3, 1, 9, NF_I32); /* a graph remembers the contexts it was in */
            nf_run_options o = how;
            folder f = folder_make();
            nf_context *ctx = purse_context_on("emulator", &p);
            nf_result *r = NULL;
            o.file = way == 2 ? in_folder(&f, "d.npy") : NULL;
            p.left = k;
            st = nf_apsp(ctx, g, &o, &r);
            assert_true(st == NF_OK ? p.refused == 0 : st == NF_ENOMEM && p.refused == 1);
            nf_result_free(r);
            nf_context_free(ctx);
            nf_graph_free(g);
            if (p.live != 0)
                fail_msg("way %d, request %lld: %lld blocks are left: %s", way, k, p.live, nf_last_error());
            const int left = folder_remove(&f); /* a run that failed late can be resumed */
            assert_true(way != 2 ? left == 0 : st != NF_OK || left == 2);
            assert_in_range(k, 0, 1000);
        }
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Cancels at the stop-th line of the log that begins with `line`. */
typedef struct brake {
    nf_context *ctx;
    const char *line;
    int calls, stop;
} brake;

static void brake_at(void *user, nf_log_level level, const char *text)
{
    brake *b = user;
    if (level == NF_LOG_DEBUG && b->stop > 0 && strncmp(text, b->line, strlen(b->line)) == 0 && ++b->calls == b->stop)
        nf_context_cancel(b->ctx);
}

/* file NULL: in memory. */
static nf_status run_to(const char *device, const nf_graph *g, nf_run_options how, const char *file, const char *line,
                        int stop)
{
    brake b = {.line = line, .stop = stop};
    nf_result *r = NULL;
    b.ctx = open_device(device, "", 0, brake_at, &b);
    how.file = file;
    how.flags |= file != NULL ? NF_RUN_RESUME : 0;
    const nf_status st = nf_apsp(b.ctx, g, &how, &r);
    nf_result_free(r);
    nf_context_free(b.ctx);
    return st;
}

static void same_files(folder *f, const char *want, const char *got)
{
    bytes a = slurp(in_folder(f, want)), b = slurp(in_folder(f, got));
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
    assert_int_equal(unlink(in_folder(f, got)), 0);
}

/* Begun on one device, stopped, ended on the other: the file of the CPU's run. */
static void files_change_hands(void **state)
{
    static const struct {
        const char *knobs[4], *first, *second, *line;
        int stop;
    } ways[] = {{{"by=tiles", "tile=20", "gap=4", NULL}, "emulator", "cpu", "stage ", 3},
                {{"by=tiles", "tile=20", "gap=4", NULL}, "cpu", "emulator", "stage ", 3},
                {{"by=tiles", "tile=15", "gap=3", NULL}, "emulator", "emulator", "stage ", 5},
                {{"by=rows", "tile=20", "gap=1", NULL}, "emulator", "cpu", "rows: ", 5},
                {{"by=rows", "tile=20", "gap=1", NULL}, "emulator", "emulator", "rows: ", 5}};
    nf_graph *g = uniform_of(150, 20, 1, 99, NF_I32);
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        const nf_run_options how = how_of("streamed", NF_RUN_PARENTS | NF_RUN_DETERMINISTIC, ways[i].knobs);
        folder f = folder_make();
        OK(run_to("cpu", g, how, in_folder(&f, "want.npy"), "", 0));
        assert_int_equal(run_to(ways[i].first, g, how, in_folder(&f, "d.npy"), ways[i].line, ways[i].stop),
                         NF_ECANCELLED);
        assert_int_equal(access(in_folder(&f, "d.npy.nfj"), F_OK), 0);
        OK(run_to(ways[i].second, g, how, in_folder(&f, "d.npy"), "", 0));
        same_files(&f, "want.npy", "d.npy");
        same_files(&f, "want.parents.npy", "d.parents.npy");
        assert_int_equal(folder_remove(&f), 2);
    }
    nf_graph_free(g);
}

/* ---- shared ------------------------------------------------------------------------------------------------------ */

static void the_cpu_takes_its_share(void **state)
{
    static const char *const cut[][4] = {{"share=0", "tile=16", "block=2", NULL},
                                         {"share=50", "tile=16", "block=2", NULL},
                                         {"share=100", "tile=16", "block=2", NULL},
                                         {"share=-1", "tile=16", "block=2", NULL}};
    nf_graph *g = uniform_of(100, 6, 1, 99, NF_I32), *negative = lowered(100, 7, 100);
    (void)state;
    for (size_t k = 0; k < COUNT(cut); k++) {
        const nf_run_options how = how_of("hybrid", NF_RUN_PARENTS, cut[k]);
        const tiles_told t = compare("", k % 2 == 0 ? g : negative, &how);
        assert_int_equal(t.shared, 3 * 68 + 96); /* blocks of 32, 32, 32 and 4 rows */
        if (k < 3)
            assert_int_equal(t.by_cpu, t.shared * k / 2);
        else
            assert_in_range(t.by_cpu, 1, t.shared);
    }
    nf_graph_free(g);
    nf_graph_free(negative);
}

static void a_cancel_ends_it(void **state)
{
    static const char *const methods[] = {"streamed", "hybrid"}, *const knobs[] = {"tile=20", "block=2", NULL};
    nf_graph *g = uniform_of(150, 6, 1, 99, NF_I32);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        assert_int_equal(run_to("emulator", g, how_of(methods[i], 0, knobs), NULL, "stage ", 2), NF_ECANCELLED);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_blocks),
        cmocka_unit_test(every_type),
        cmocka_unit_test(graphs_of_no_and_one_vertex),
        cmocka_unit_test(cycles_are_found),
        cmocka_unit_test(halves_leave_out_most),
        cmocka_unit_test(what_is_left_out_changes_nothing),
        cmocka_unit_test(floats_and_auto),
        cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(refused_memory_leaks_nothing),
        cmocka_unit_test(files_change_hands),
        cmocka_unit_test(the_cpu_takes_its_share),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
