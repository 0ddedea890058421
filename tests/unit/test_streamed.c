/* test_streamed.c - all pairs in a file: the same distances and parents as in memory, within a memory limit far below
 * the matrix; cancelled and resumed, out of disk and resumed, damaged, of another graph. */
#include "files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

enum { HEAD = 128 };

static nf_graph *generated(const char *kind, uint64_t n, uint64_t edges, double low, double high, nf_type type)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults(kind, &o));
    o.n = n;
    o.edges = edges;
    o.weight_type = type;
    o.weight_min = low;
    o.weight_max = high;
    o.seed = 5;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

/* Weights of either sign and no negative cycle: w + h(u) - h(v). */
static nf_graph *shifted(const nf_graph *g)
{
    nf_coo coo;
    nf_graph *out = NULL;
    OK(nf_graph_coo_view(NULL, g, &coo));
    int32_t *w = malloc(coo.m * sizeof *w);
    assert_non_null(w);
    for (nf_eid e = 0; e < coo.m; e++)
        w[e] = ((const int32_t *)coo.weights)[e] + (int32_t)(coo.src[e] * 7 % 1000) - (int32_t)(coo.dst[e] * 7 % 1000);
    const nf_coo moved = {coo.n, coo.m, coo.src, coo.dst, NF_I32, w};
    OK(nf_graph_from_coo(NULL, &moved, NULL, &out));
    free(w);
    return out;
}

typedef struct plan {
    uint32_t flags;
    nf_type type;
    const char *knobs[4];
    uint64_t limit;
    nf_progress_fn progress;
    void *user;
} plan;

static nf_status run_to(const nf_graph *g, const plan *p, const char *file, uint32_t more, nf_result **out)
{
    const nf_context_options c = {
        .size = sizeof c, .threads = 2, .memory_limit = p->limit, .progress = p->progress, .progress_user = p->user};
    nf_run_options o = {.size = sizeof o, .algorithm = "streamed", .flags = p->flags | more, .file = file};
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    uint64_t peak = 0;
    o.distance_type = p->type;
    o.knobs = p->knobs;
    while (o.knob_count < COUNT(p->knobs) && p->knobs[o.knob_count] != NULL)
        o.knob_count++;
    OK(nf_context_create(&c, &ctx));
    const nf_status st = nf_apsp(ctx, g, &o, &r);
    nf_context_bytes(ctx, &peak);
    assert_true(p->limit == 0 || peak <= p->limit);
    nf_context_free(ctx);
    if (out != NULL)
        *out = r;
    else
        nf_result_free(r);
    return st;
}

static nf_result *in_memory(const nf_graph *g, const char *algorithm, const plan *p)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .flags = p->flags, .distance_type = p->type};
    nf_result *r = NULL;
    OK(nf_apsp(NULL, g, &o, &r));
    return r;
}

static void same_cells(const bytes *file, const void *cells, size_t bytes_of)
{
    assert_int_equal(file->size, HEAD + bytes_of);
    assert_memory_equal(file->data, "\x93NUMPY", 6);
    assert_memory_equal(file->data + HEAD, cells, bytes_of);
}

static void same_totals(const nf_result *a, const nf_result *b)
{
    nf_row_info x = {.size = sizeof x}, y = {.size = sizeof y};
    OK(nf_result_row_info(a, NF_ALL_ROWS, &x));
    OK(nf_result_row_info(b, NF_ALL_ROWS, &y));
    assert_int_equal(x.reached, y.reached);
    assert_string_equal(x.max_text, y.max_text);
    assert_string_equal(x.sum_text, y.sum_text);
}

/* ---- the same as in memory --------------------------------------------------------------------------------------- */

static void compare(const nf_graph *g, const plan *p, const char *algorithm)
{
    const size_t cells = (size_t)nf_graph_n(g) * nf_graph_n(g);
    folder f = folder_make();
    nf_result *filed = NULL, *kept = in_memory(g, algorithm, p);
    nf_run_info info = {.size = sizeof info};
    OK(run_to(g, p, in_folder(&f, "d.npy"), 0, &filed));
    OK(nf_result_info(kept, &info));
    bytes d = slurp(in_folder(&f, "d.npy"));
    same_cells(&d, nf_result_distances(kept, 0), cells * nf_type_size(info.type));
    assert_null(nf_result_distances(filed, 0));
    same_totals(filed, kept);
    if ((p->flags & NF_RUN_DETERMINISTIC) != 0) {
        bytes parents = slurp(in_folder(&f, "d.parents.npy"));
        same_cells(&parents, nf_result_parents(kept, 0), cells * sizeof(nf_vid));
        free(parents.data);
    }
    free(d.data);
    nf_result_free(filed);
    nf_result_free(kept);
    assert_int_equal(folder_remove(&f), (p->flags & NF_RUN_PARENTS) != 0 ? 2 : 1); /* nothing else is left */
}

static void test_same(void **state)
{
    static const nf_type types[] = {NF_I32, NF_U32, NF_I64, NF_U64};
    (void)state;
    nf_graph *dense = generated("uniform", 203, 9000, 1, 1000, NF_I32), *negative = shifted(dense);
    nf_graph *wide = generated("uniform", 150, 3000, 1, 1 << 28, NF_I32);
    nf_graph *sparse = generated("grid2d", 400, 0, 1, 99, NF_U32);
    for (size_t t = 0; t < COUNT(types); t++)
        for (int by = 0; by < 2; by++) {
            plan p = {.type = types[t], .knobs = {by == 0 ? "by=tiles" : "by=rows", "tile=7", "gap=5"}};
            if (types[t] == NF_I32)
                compare(dense, &p, "blocked-floyd-warshall");
            p.flags = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC;
            compare(dense, &p, "n-sssp");
            if (types[t] == NF_U32)
                compare(sparse, &p, "n-sssp");
            if (types[t] == NF_I64)
                compare(negative, &p, "johnson-parallel");
            if (types[t] == NF_I64 || types[t] == NF_U64)
                compare(wide, &p, "n-sssp");
        }
    nf_graph_free(dense);
    nf_graph_free(negative);
    nf_graph_free(wide);
    nf_graph_free(sparse);
}

/* Floats round as the tiles are cut: held against a run without a file, which is cut alike. */
static void test_floats(void **state)
{
    static const nf_type types[] = {NF_F32, NF_F64};
    (void)state;
    nf_graph *g = generated("uniform", 171, 5000, 0.5, 3.25, NF_F32);
    for (size_t t = 0; t < COUNT(types); t++) {
        const plan p = {.flags = NF_RUN_PARENTS, .type = types[t], .knobs = {"by=tiles", "tile=16"}};
        const size_t cells = (size_t)171 * 171, width = nf_type_size(types[t]);
        folder f = folder_make();
        nf_result *kept = NULL, *rows = in_memory(g, "n-sssp", &p);
        OK(run_to(g, &p, NULL, 0, &kept));
        OK(run_to(g, &p, in_folder(&f, "x.npy"), 0, NULL));
        bytes d = slurp(in_folder(&f, "x.npy")), parents = slurp(in_folder(&f, "x.parents.npy"));
        same_cells(&d, nf_result_distances(kept, 0), cells * width);
        same_cells(&parents, nf_result_parents(kept, 0), cells * sizeof(nf_vid));
        for (nf_vid u = 0; u < 171; u++)
            for (nf_vid v = 0; v < 171; v++)
                assert_true(fabs(nf_result_distance(kept, u, v) - nf_result_distance(rows, u, v)) < 1e-4);
        free(d.data);
        free(parents.data);
        nf_result_free(kept);
        nf_result_free(rows);
        folder_remove(&f);
    }
    nf_graph_free(g);
}

/* 9 MB of distances, 36 MB as 64-bit integers, in 3 MB of memory. */
static void test_memory_limit(void **state)
{
    (void)state;
    nf_graph *g = generated("uniform", 1500, 40000, 1, 1000, NF_I32);
    for (int by = 0; by < 2; by++) {
        const plan p = {.limit = 3 << 20, .knobs = {by == 0 ? "by=tiles" : "by=rows"}};
        compare(g, &p, "n-sssp"); /* run_to holds the peak against the limit */
    }
    const plan tiny = {.limit = 300 << 10, .knobs = {"by=tiles"}};
    folder f = folder_make();
    FAILS(NF_ENOMEM, "streamed needs", run_to(g, &tiny, in_folder(&f, "d.npy"), 0, NULL));
    assert_int_equal(folder_remove(&f), 0);
    nf_graph_free(g);
}

/* ---- resumed ----------------------------------------------------------------------------------------------------- */

typedef struct brake {
    int calls, stop_at;
    bool full;  /* not a cancel: the disk is full from there on */
    bool third; /* not at a call: when a third of the tiles' steps are made */
} brake;

static void limit_file_size(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size == RLIM_INFINITY ? limit.rlim_max : size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static bool on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    brake *b = user;
    assert_true(total == 0 || done <= total);
    if (b->third ? strcmp(phase, "streamed") != 0 || done < total / 3 : b->calls++ != b->stop_at)
        return false;
    if (b->full)
        limit_file_size(300000);
    return !b->full;
}

/* Stops again and again until the run is through; then file and parents have the bytes of a run without a stop. */
static void stop_and_go(const nf_graph *g, plan p, bool full)
{
    folder f = folder_make();
    brake b = {.full = full};
    int stops = 0;
    OK(run_to(g, &p, in_folder(&f, "whole.npy"), 0, NULL));
    p.progress = on_progress;
    p.user = &b;
    nf_status st = NF_ECANCELLED;
    for (int round = 0; st != NF_OK && round < 200; round++) {
        b.calls = 0;
        b.stop_at = round / 2;
        st = run_to(g, &p, in_folder(&f, "cut.npy"), NF_RUN_RESUME, NULL);
        limit_file_size(RLIM_INFINITY);
        if (st != NF_OK && st != (full ? NF_EIO : NF_ECANCELLED))
            fail_msg("%s: %s", nf_status_name(st), nf_last_error());
        stops += st != NF_OK;
    }
    OK(st);
    assert_true(stops > 0);
    static const char *const names[][2] = {{"whole.npy", "cut.npy"}, {"whole.parents.npy", "cut.parents.npy"}};
    for (size_t k = 0; k < ((p.flags & NF_RUN_PARENTS) != 0 ? 2 : 1); k++) {
        bytes whole = slurp(in_folder(&f, names[k][0])), cut = slurp(in_folder(&f, names[k][1]));
        assert_int_equal(whole.size, cut.size);
        assert_memory_equal(whole.data, cut.data, whole.size);
        free(whole.data);
        free(cut.data);
    }
    folder_remove(&f);
}

static void test_cancelled(void **state)
{
    (void)state;
    nf_graph *whole = generated("uniform", 1400, 100000, 1, 1000, NF_I32);
    nf_graph *real = generated("uniform", 1000, 60000, 0.5, 9.75, NF_F32);
    stop_and_go(whole, (plan){.type = NF_I32, .knobs = {"by=tiles", "tile=50", "gap=4", "vectors=portable"}}, false);
    stop_and_go(whole, (plan){.type = NF_I64, .knobs = {"by=rows", "tile=64", "gap=1"}}, false);
    stop_and_go(real, (plan){.flags = NF_RUN_PARENTS, .knobs = {"by=tiles", "tile=40", "gap=4", "vectors=portable"}},
                false);
    nf_graph_free(whole);
    nf_graph_free(real);
}

static void test_full_disk(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    nf_graph *g = generated("uniform", 1200, 60000, 0.5, 9.75, NF_F32);
    stop_and_go(g, (plan){.flags = NF_RUN_PARENTS, .knobs = {"by=tiles", "tile=40", "gap=4", "vectors=portable"}},
                true);
    nf_graph_free(g);
}

/* More than the disk has: told before the work begins, and nothing is left. */
static void test_small_disk(void **state)
{
    struct statvfs disk;
    (void)state;
    folder f = folder_make();
    assert_int_equal(statvfs(f.path, &disk), 0);
    const double n = sqrt((double)disk.f_bavail * (double)disk.f_frsize / 8) * 1.1 + 1000;
    if (n < 1e6) {
        nf_graph *g = generated("path", (uint64_t)n, 0, 1, 9, NF_I32);
        const plan p = {.knobs = {"by=rows"}};
        FAILS(NF_EIO, "bytes of disk", run_to(g, &p, in_folder(&f, "d.npy"), 0, NULL));
        nf_graph_free(g);
    }
    assert_int_equal(folder_remove(&f), 0);
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

/* Leaves a run that was cancelled after a third at "d.npy". */
static void leave_third(const nf_graph *g, plan p, folder *f)
{
    brake b = {.third = true};
    p.progress = on_progress;
    p.user = &b;
    FAILS(NF_ECANCELLED, "cancelled", run_to(g, &p, in_folder(f, "d.npy"), 0, NULL)); /* else the graph is too small */
    assert_int_equal(access(in_folder(f, "d.npy.nfj"), F_OK), 0);
}

static void flip(const char *path, size_t every)
{
    bytes b = slurp(path);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    for (size_t i = every / 2; i < b.size; i += every)
        b.data[i] ^= 4;
    assert_int_equal(fwrite(b.data, 1, b.size, out), b.size);
    fclose(out);
    free(b.data);
}

static void test_refused(void **state)
{
    (void)state;
    nf_graph *g = generated("uniform", 1400, 100000, 1, 1000, NF_I32);
    nf_graph *other = generated("uniform", 1400, 100000, 1, 1001, NF_I32);
    plan p = {.type = NF_I32, .knobs = {"by=tiles", "tile=50", "gap=4", "vectors=portable"}};
    folder f = folder_make();
    leave_third(g, p, &f);
    FAILS(NF_EINVAL, "another graph", run_to(other, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    FAILS(NF_EINVAL, "unfinished run", run_to(g, &p, in_folder(&f, "d.npy"), 0, NULL));
    p.type = NF_I64;
    FAILS(NF_EINVAL, "another type", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    p.type = NF_I32;
    p.flags = NF_RUN_PARENTS;
    FAILS(NF_EINVAL, "other options", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    p.flags = 0;
    OK(run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL)); /* nothing of that did harm */
    FAILS(NF_EINVAL, "nothing to resume", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    FAILS(NF_EUNSUPPORTED, "johnson",
          nf_apsp(NULL, g, &(nf_run_options){.size = sizeof(nf_run_options), .algorithm = "johnson", .file = "x.npy"},
                  &(nf_result *){NULL}));
    nf_graph_free(g);
    nf_graph_free(other);
    assert_int_equal(folder_remove(&f), 1);
}

static void test_damaged(void **state)
{
    (void)state;
    nf_graph *g = generated("uniform", 1400, 100000, 1, 1000, NF_I32);
    const plan p = {.type = NF_I32, .knobs = {"by=tiles", "tile=50", "gap=4", "vectors=portable"}};
    folder f = folder_make();
    leave_third(g, p, &f);
    flip(in_folder(&f, "d.npy.part"), 40000); /* a few in every tile */
    FAILS(NF_EFORMAT, "checksum", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    flip(in_folder(&f, "d.npy.part"), 40000); /* and back */
    bytes journal = slurp(in_folder(&f, "d.npy.nfj"));
    flip(in_folder(&f, "d.npy.nfj"), 40);
    FAILS(NF_EFORMAT, "d.npy.nfj", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    FILE *out = fopen(in_folder(&f, "d.npy.nfj"), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(journal.data, 1, journal.size, out), journal.size);
    fclose(out);
    assert_int_equal(truncate(in_folder(&f, "d.npy.part"), 1000), 0);
    FAILS(NF_EFORMAT, "cut short", run_to(g, &p, in_folder(&f, "d.npy"), NF_RUN_RESUME, NULL));
    free(journal.data);
    nf_graph_free(g);
    assert_int_equal(folder_remove(&f), 2); /* what is damaged is left for a look */
}

/* ---- auto, and the rest ------------------------------------------------------------------------------------------ */

static void test_auto(void **state)
{
    const nf_context_options c = {.size = sizeof c, .threads = 2, .memory_limit = 2 << 20};
    nf_run_info info = {.size = sizeof info};
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    (void)state;
    nf_graph *g = generated("uniform", 900, 30000, 1, 1000, NF_I32);
    folder f = folder_make();
    OK(nf_context_create(&c, &ctx));
    FAILS(NF_ENOMEM, "--output X.npy", nf_apsp(ctx, g, NULL, &r));
    nf_run_options o = {.size = sizeof o, .file = in_folder(&f, "d.npy")};
    OK(nf_apsp(ctx, g, &o, &r));
    OK(nf_result_info(r, &info));
    assert_string_equal(info.algorithm, "streamed");
    assert_non_null(strstr(info.reason, "file"));
    nf_result_free(r);
    o.flags = NF_RUN_RESUME;
    o.file = NULL;
    FAILS(NF_EINVAL, "NF_RUN_RESUME", nf_apsp(ctx, g, &o, &r));
    nf_context_free(ctx);
    nf_graph_free(g);
    assert_int_equal(folder_remove(&f), 1);
}

/* A negative cycle is found and returned, and leaves no file; no vertices make an empty matrix. */
static void test_odd(void **state)
{
    static const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 0};
    static const int32_t w[] = {1, 1, -3};
    const nf_coo cyclic = {3, 3, src, dst, NF_I32, w}, none = {.n = 0}, one = {.n = 1};
    const plan p = {.knobs = {"by=tiles"}};
    nf_graph *g = NULL;
    nf_result *r = NULL;
    uint64_t length = 0;
    (void)state;
    folder f = folder_make();
    OK(nf_graph_from_coo(NULL, &cyclic, NULL, &g));
    FAILS(NF_ENEGCYCLE, "cycle", run_to(g, &p, in_folder(&f, "d.npy"), 0, &r));
    nf_result_cycle(r, &length);
    assert_int_equal(length, 3);
    nf_result_free(r);
    nf_graph_free(g);
    OK(nf_graph_from_coo(NULL, &none, NULL, &g));
    OK(run_to(g, &p, in_folder(&f, "none.npy"), 0, NULL));
    nf_graph_free(g);
    OK(nf_graph_from_coo(NULL, &one, NULL, &g));
    OK(run_to(g, &p, in_folder(&f, "one.npy"), 0, NULL));
    nf_graph_free(g);
    bytes empty = slurp(in_folder(&f, "none.npy")), single = slurp(in_folder(&f, "one.npy"));
    assert_int_equal(empty.size, HEAD);
    assert_int_equal(single.size, HEAD + 8);
    free(empty.data);
    free(single.data);
    assert_int_equal(folder_remove(&f), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),      cmocka_unit_test(test_floats),    cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_full_disk), cmocka_unit_test(test_small_disk),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_damaged),   cmocka_unit_test(test_auto),
        cmocka_unit_test(test_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
