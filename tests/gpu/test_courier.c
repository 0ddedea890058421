/* test_courier.c - rows of all pairs on their way from the emulated device: in pieces, one or two under way,
 * page-locked or not, of the type they are made in or another; a distance that does not fit ends the run after the rows
 * before it, a sink and a cancel end it between rows. */
#include "trace.h"

/* Grants what is not larger than `most`, and of what is larger than a row so many requests; counts what is live. */
typedef struct miser {
    size_t most, row;
    long long large, live;
} miser;

static void *miser_alloc(void *user, size_t size)
{
    miser *m = user;
    if (size > m->most || (m->row != 0 && size >= m->row && m->large-- <= 0))
        return NULL;
    m->live++;
    return malloc(size);
}

static void miser_free(void *user, void *block)
{
    ((miser *)user)->live -= block != NULL;
    free(block);
}

typedef struct pieces {
    unsigned long long rows;
    unsigned bands, runs;
    bool locked;
    unsigned meanwhile; /* runs whose rows are made while others are handed out */
} pieces;

static void hear_courier(void *user, nf_log_level level, const char *text)
{
    pieces *p = user;
    p->meanwhile += level == NF_LOG_DEBUG && strstr(text, ", while others are handed out") != NULL;
    if (level != NF_LOG_DEBUG || strncmp(text, "courier: ", 9) != 0)
        return;
    p->runs++;
    p->rows = number_in(text, "of");
    p->bands = (unsigned)number_in(text, "in");
    p->locked = strstr(text, "page-locked") != NULL;
}

/* What the sink takes, held against the CPU's rows. */
typedef struct taker {
    const nf_result *want;
    nf_context *ctx;
    uint64_t rows, stop; /* so many came; NF_EIO at this one */
    uint64_t cancel;     /* or the end asked for at this one */
} taker;

static nf_status take(void *user, const nf_tile *tile)
{
    taker *t = user;
    assert_true(tile->row0 == t->rows && tile->rows == 1);
    if (t->stop != 0 && t->rows == t->stop)
        return NF_EIO;
    if (t->cancel != 0 && t->rows == t->cancel)
        nf_context_cancel(t->ctx);
    assert_memory_equal(tile->distances, nf_result_distances(t->want, t->rows), tile->cols * nf_type_size(tile->type));
    if (tile->parents != NULL)
        assert_memory_equal(tile->parents, nf_result_parents(t->want, t->rows), tile->cols * sizeof(nf_vid));
    t->rows++;
    return NF_OK;
}

static nf_result *wanted(const nf_graph *g, nf_type type)
{
    nf_context *cpu = open_cpu();
    nf_result *r = NULL;
    const nf_run_options how = {.size = sizeof how, .algorithm = "johnson", .flags = TREE, .distance_type = type};
    OK(nf_apsp(cpu, g, &how, &r));
    nf_context_free(cpu);
    return r;
}

static nf_graph *field(void)
{
    return grid_of(20, 15);
}

static nf_graph *thread(void)
{
    return sparse_of(1500, 40, true, 0);
}

/* A run of `algorithm` into the sink with what the miser gives, who has it all back in the end; how it ends. The graph
 * is the run's own, since it keeps what the context gave it. */
static nf_status deliver(nf_graph *(*make)(void), const char *settings, const char *algorithm, nf_type type,
                         uint32_t flags, miser *m, taker *t, pieces *p)
{
    const nf_context_options o = {.size = sizeof o,
                                  .device = "emulator",
                                  .threads = 3,
                                  .allocator = {miser_alloc, miser_free, m},
                                  .log = hear_courier,
                                  .log_user = p};
    const nf_run_options how = {.size = sizeof how,
                                .algorithm = algorithm,
                                .flags = flags,
                                .distance_type = type,
                                .sink = take,
                                .sink_user = t};
    nf_graph *g = make();
    nf_result *r = NULL;
    assert_int_equal(setenv("NEARFAR_EMULATOR", settings, 1), 0);
    OK(nf_context_create(&o, &t->ctx));
    const nf_status st = nf_apsp(t->ctx, g, &how, &r);
    nf_result_free(r);
    nf_context_free(t->ctx);
    nf_graph_free(g);
    assert_true(m->live == 0);
    return st;
}

/* Little memory makes small pieces, less of it only one at a time; the rows are the same. */
static void pieces_make_the_rows(void **state)
{
    static const struct {
        const char *name;
        size_t most; /* bytes of a block: a search for one source has one of 131,072 */
    } methods[] = {{"n-sssp", 40000}, {"separator", 140000}, {"blocked-floyd-warshall", 140000}};
    static const char *const settings[] = {"order=fifo,profile=16x128", "order=lifo,profile=16x128",
                                           "order=random,seed=3,profile=16x128"};
    static const nf_type types[] = {NF_I64, NF_I32, NF_U32, NF_U64};
    nf_graph *g = field();
    (void)state;
    for (size_t k = 0; k < COUNT(types); k++) {
        nf_result *want = wanted(g, types[k]);
        for (size_t i = 0; i < COUNT(methods); i++) {
            miser m = {.most = methods[i].most};
            taker t = {.want = want};
            pieces p = {0};
            OK(deliver(field, settings[(i + k) % 3], methods[i].name, types[k], i + k == 0 ? TREE : 0, &m, &t, &p));
            assert_true(t.rows == 300 && p.runs == 1 && p.bands == 2 && p.rows > 1 && p.rows < 60 && !p.locked);
            assert_int_equal(p.meanwhile, 0);
        }
        nf_result_free(want);
    }
    nf_graph_free(g);
}

/* Enough rows to pay for page-locking: copies are under way while others are handed out, and the device makes the next
 * ones. */
static void locked_pieces_travel_meanwhile(void **state)
{
    static const char *const settings[] = {"order=fifo", "order=lifo", "order=random,seed=5"};
    nf_graph *g = thread();
    nf_result *want = wanted(g, NF_I64);
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        miser m = {.most = 160000};
        taker t = {.want = want};
        pieces p = {0};
        OK(deliver(thread, settings[i], "n-sssp", NF_I64, i == 0 ? TREE : 0, &m, &t, &p));
        assert_true(t.rows == 1500 && p.bands == 2 && p.rows == 8 && p.locked && p.meanwhile == 1);
    }
    nf_result_free(want);
    nf_graph_free(g);
}

/* Results of 32 bits: row v of this chain has distances of v * 2^30. */
static void a_distance_that_does_not_fit(void **state)
{
    enum { N = 40 };
    const arc_list a = arcs_make(N - 1);
    (void)state;
    for (nf_vid i = 0; i < N - 1; i++)
        a.src[i] = i + 1, a.dst[i] = i, a.w[i] = i < 20 ? 1 : 1 << 30;
    nf_graph *g = graph_from(N, N - 1, a, 0);
    nf_result *want = wanted(g, NF_I64);
    int32_t *small = malloc((size_t)N * N * sizeof *small);
    assert_non_null(small);
    nf_result_free(want);
    const nf_run_options how = {.size = sizeof how, .algorithm = "n-sssp", .distance_type = NF_I32, .distances = small};
    nf_context *ctx = emulator("seed=1", NULL);
    nf_result *r = NULL;
    assert_int_equal(nf_apsp(ctx, g, &how, &r), NF_EOVERFLOW);
    assert_non_null(strstr(nf_last_error(), "does not fit i32"));
    for (nf_vid v = 0; v < 20; v++)
        assert_int_equal(small[20 * N + v], 20 - v); /* the last row that fits is there */
    nf_result_free(r);
    nf_context_free(ctx);
    free(small);
    nf_graph_free(g);
}

/* Which one does not is what the CPU says, with potentials, too. */
static void the_first_that_does_not_fit(void **state)
{
    nf_graph *g = lowered(40, 7, 5);
    const nf_run_options how = {.size = sizeof how, .algorithm = "johnson", .distance_type = NF_U32};
    nf_context *ctx = emulator("seed=1", NULL), *cpu = open_cpu();
    nf_result *r = NULL;
    char want[256];
    (void)state;
    assert_int_equal(nf_apsp(cpu, g, &how, &r), NF_EOVERFLOW);
    snprintf(want, sizeof want, "%s", nf_last_error());
    assert_int_equal(nf_apsp(ctx, g, &how, &r), NF_EOVERFLOW);
    assert_string_equal(nf_last_error(), want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    nf_graph_free(g);
}

/* INT32_MAX is no distance of 32 bits, since it means unreached; one less is. */
static void the_very_bound(void **state)
{
    const nf_run_options how = {.size = sizeof how, .algorithm = "n-sssp", .distance_type = NF_I32};
    (void)state;
    for (int over = 0; over < 2; over++) {
        const int32_t w[] = {1 << 30, (1 << 30) - 2 + over};
        nf_graph *g = graph_of(3, 2, (nf_vid[]){0, 1}, (nf_vid[]){1, 2}, w, 0);
        nf_context *ctx = emulator("seed=1", NULL);
        nf_result *r = NULL;
        assert_int_equal(nf_apsp(ctx, g, &how, &r), over ? NF_EOVERFLOW : NF_OK);
        nf_result_free(r);
        nf_context_free(ctx);
        nf_graph_free(g);
    }
}

static void sinks_and_cancels_end_the_run(void **state)
{
    nf_graph *g = field();
    nf_result *want = wanted(g, NF_I64);
    (void)state;
    for (uint64_t row = 1; row < 40; row += 13) {
        miser m = {.most = 40000};
        taker t = {.want = want, .stop = row};
        pieces p = {0};
        assert_int_equal(deliver(field, "seed=2", "n-sssp", NF_I64, 0, &m, &t, &p), NF_EIO);
        assert_true(t.rows == row);
        t = (taker){.want = want, .cancel = row};
        assert_int_equal(deliver(field, "seed=2", "n-sssp", NF_I64, 0, &m, &t, &p), NF_ECANCELLED);
        assert_true(t.rows > row && t.rows <= row + p.rows); /* the rest of its piece */
    }
    nf_result_free(want);
    nf_graph_free(g);
}

/* The same while the device makes rows that nobody will ask for; the context serves another run after it. */
static void rows_under_way_end_with_the_run(void **state)
{
    nf_graph *g = thread();
    nf_result *want = wanted(g, NF_I64), *r = NULL;
    (void)state;
    for (int k = 0; k < 2; k++) {
        miser m = {.most = 160000};
        taker t = {.want = want, .stop = k == 0 ? 13 : 0, .cancel = k == 0 ? 0 : 13};
        pieces p = {0};
        const nf_context_options o = {.size = sizeof o,
                                      .device = "emulator",
                                      .allocator = {miser_alloc, miser_free, &m},
                                      .log = hear_courier,
                                      .log_user = &p};
        const nf_run_options how = {.size = sizeof how, .algorithm = "n-sssp", .sink = take, .sink_user = &t};
        nf_graph *own = thread();
        assert_int_equal(setenv("NEARFAR_EMULATOR", "seed=3", 1), 0);
        OK(nf_context_create(&o, &t.ctx));
        assert_int_equal(nf_apsp(t.ctx, own, &how, &r), k == 0 ? NF_EIO : NF_ECANCELLED);
        assert_true(t.rows >= 13 && t.rows <= 13 + p.rows && p.meanwhile == 1);
        nf_result_free(r);
        t = (taker){.want = want, .ctx = t.ctx, .stop = k == 0 ? 100 : 0};
        assert_int_equal(nf_apsp(t.ctx, own, &how, &r), k == 0 ? NF_EIO : NF_OK);
        assert_true(t.rows == (k == 0 ? 100 : 1500) && p.meanwhile == 2);
        nf_result_free(r);
        nf_context_free(t.ctx);
        nf_graph_free(own);
        assert_true(m.live == 0);
    }
    nf_result_free(want);
    nf_graph_free(g);
}

/* Room for one band, and not for a second: one piece after another. */
static void one_band_is_enough(void **state)
{
    nf_graph *g = field();
    nf_result *want = wanted(g, NF_I64);
    bool single = false;
    (void)state;
    for (long long large = 1; large < 40 && !single; large++) {
        miser m = {.most = 40000, .row = 300 * 8, .large = large};
        taker t = {.want = want};
        pieces p = {0};
        const nf_status st = deliver(field, "seed=4", "n-sssp", NF_I64, 0, &m, &t, &p);
        if (st != NF_OK)
            assert_int_equal(st, NF_ENOMEM);
        else
            assert_int_equal(t.rows, 300);
        single = st == NF_OK && p.bands == 1;
    }
    assert_true(single);
    nf_result_free(want);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_the_rows),
        cmocka_unit_test(locked_pieces_travel_meanwhile),
        cmocka_unit_test(a_distance_that_does_not_fit),
        cmocka_unit_test(the_first_that_does_not_fit),
        cmocka_unit_test(the_very_bound),
        cmocka_unit_test(sinks_and_cancels_end_the_run),
        cmocka_unit_test(rows_under_way_end_with_the_run),
        cmocka_unit_test(one_band_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
