/* bench_gpu_apsp.c - the suite `gpu-apsp`: all pairs by every method of a device.
 *
 * Dense: complete graphs of 512 to 2^scale vertices, weights 1..255, in f32, i32 and f64 (dense-f32, dense-i32,
 * dense-f64), and, where a method has them, in cells of 16 bits, without parents (dense-i16; `auto` takes them anyway),
 * and with whole weights whose distances are asked for as floats (whole-f32, whole-f64, beside the limits of floats);
 * above COMPLETE_MOST vertices 64 arcs a vertex, which asks for the same steps. A time is the least of the runs, from
 * the weights on the device to the distances on it; rows are handed to a sink. Steps are n^3, whatever the method does;
 * the limit is that of the arithmetic on an H200. Floyd and Warshall's loop as it stands ends at NAIVE_MOST. A matrix
 * larger than the memory it may have (large): 100,000 vertices, fewer below scale 14, by `streamed` within
 * LARGE_MEMORY, one run, by the wall clock, the rows' way to the sink included. Sparse: roads (a grid of 2^(scale + 2)
 * vertices, a tenth of the edges dropped) and the roads of New York, in rows a second: a run is ended after CAP_MS and
 * what it had made by then counts. Sparse graphs on the matrix (lazy): 2^(scale - 2) vertices, a road-like grid and 1,
 * 4 and 16 edges a vertex, by every way of leaving out sums, in cells of 32 bits; `streamed` within LAZY_MEMORY. Many
 * small graphs in one call (batch): bench_gpu_batch.c.
 * Invariant: B1 (bench.h), by rows: CHECKED rows of every run are compared with Dijkstra's; floats may differ by
 * ROUNDED, as tiled sums are rounded in another order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define CHECKED 4u
#define ROUNDED 1e-5
#define LEAST 512u
#define COMPLETE_MOST 16384u
#define NAIVE_MOST 8192u
#define CAP_MS 5000.0
#define LARGE 100000u
#define LARGE_MEMORY "memory=8192"
#define LAZY_MEMORY "memory=512"
#define CELLS "cells"

static const struct {
    const char *name;
    nf_type type;
    double limit;      /* steps a second: docs/results/apsp-h200.md; 0: sparse */
    const char *cells; /* the knob, of methods that have it */
} fields[] = {{"dense-f32", NF_F32, 20.6e12, NULL},
              {"dense-i32", NF_I32, 16.1e12, CELLS "=32"},
              {"dense-i16", NF_I32, 32.1e12, CELLS "=16"},
              {"dense-f64", NF_F64, 4.9e12, NULL},
              {"whole-f32", NF_F32, 20.6e12, NULL},
              {"whole-f64", NF_F64, 4.9e12, NULL},
              {"large", NF_F32, 20.6e12, NULL},
              {"road", NF_I32, 0, NULL},
              {"ny", NF_I32, 0, NULL},
              {"lazy", NF_I32, 0, NULL},
              {"batch", NF_I32, 0, NULL}};
#define FIELDS (sizeof fields / sizeof fields[0])
_Static_assert(FIELDS <= BENCH_SUITE_GRAPHS, "names that --graphs may have");

const char *bench_gpu_apsp_name(size_t i)
{
    return i < FIELDS ? fields[i].name : NULL;
}

typedef struct field {
    bench *b;
    size_t kind;
    const char *device;
    nf_context *ctx, *cpu;
    nf_graph *graph;
    nf_result *want[CHECKED]; /* of the rows source_of */
    const char *knobs[3];     /* instead of the command's */
    size_t knob_count;        /* 0: the command's */
    uint64_t rows;            /* that the sink has had */
    double began, first;      /* when the run began; ms from then to its first row */
    bool wrong;
} field;

static nf_vid source_of(const field *f, unsigned i)
{
    return (nf_vid)((uint64_t)nf_graph_n(f->graph) * i / CHECKED);
}

static double whole_or_far(int64_t x, int64_t unreached)
{
    return x == unreached ? (double)INFINITY : (double)x;
}

static double cell_of(const nf_tile *t, uint64_t at)
{
    switch (t->type) {
    case NF_I32: return whole_or_far(((const int32_t *)t->distances)[at], NF_UNREACHED_I32);
    case NF_I64: return whole_or_far(((const int64_t *)t->distances)[at], NF_UNREACHED_I64);
    case NF_F32: return (double)((const float *)t->distances)[at];
    case NF_F64:
    default: return ((const double *)t->distances)[at];
    }
}

/* Rows on their way: counted, and those that are known compared. */
static nf_status take_rows(void *user, const nf_tile *t)
{
    field *f = user;
    f->first = f->rows == 0 ? cli_now_ms() - f->began : f->first;
    f->rows += t->rows;
    for (unsigned i = 0; i < CHECKED; i++) {
        const nf_vid source = source_of(f, i);
        if (f->want[i] == NULL || source < t->row0 || source >= t->row0 + t->rows)
            continue;
        for (uint64_t v = 0; v < t->cols; v++) {
            const double x = nf_result_distance(f->want[i], 0, (nf_vid)(t->col0 + v));
            const double y = cell_of(t, (source - t->row0) * t->stride + v);
            if (!(x == y || fabs(x - y) <= (fields[f->kind].type == NF_I32 ? 0 : ROUNDED) * fabs(x)))
                f->wrong = f->b->wrong = true;
        }
    }
    return NF_OK;
}

static nf_status find_rows(field *f)
{
    const nf_run_options o = {.size = sizeof o};
    nf_status st = NF_OK;
    for (unsigned i = 0; st == NF_OK && i < CHECKED; i++)
        st = nf_sssp(f->cpu, f->graph, source_of(f, i), &o, &f->want[i]);
    return st;
}

static void drop_graph(field *f)
{
    for (unsigned i = 0; i < CHECKED; i++) {
        nf_result_free(f->want[i]);
        f->want[i] = NULL;
    }
    nf_graph_free(f->graph);
    f->graph = NULL;
}

/* One run: its milliseconds, or less than 0 where it was refused; *rows: those it made. */
static double run_once(field *f, const char *algorithm, uint32_t flags, double cap, nf_run_info *info)
{
    const cli_args *a = &f->b->app->args;
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = algorithm,
                              .flags = flags,
                              .distance_type = fields[f->kind].type,
                              .knobs = f->knob_count != 0 ? f->knobs : a->set.items,
                              .knob_count = f->knob_count != 0        ? f->knob_count
                                            : f->b->algorithm != NULL ? a->set.count
                                                                      : 0,
                              .sink = take_rows,
                              .sink_user = f};
    const double start = cli_now_ms();
    nf_result *r = NULL;
    f->rows = 0;
    f->began = start;
    f->b->deadline = cap > 0 ? start + cap : 0;
    const nf_status st = nf_apsp(f->ctx, f->graph, &o, &r);
    f->b->deadline = 0;
    *info = (nf_run_info){.size = sizeof *info};
    if (st == NF_OK)
        (void)nf_result_info(r, info);
    nf_result_free(r);
    if (st == NF_OK)
        return cap > 0 || info->device_ms == 0 ? cli_now_ms() - start : info->device_ms;
    return st == NF_ECANCELLED && f->rows > 0 && !cli_interrupted() ? cli_now_ms() - start : -1;
}

static double least_of(field *f, const char *algorithm, uint32_t flags)
{
    double least = (double)INFINITY;
    nf_run_info info;
    for (unsigned k = 0; k <= f->b->repeats; k++) { /* run 0 uploads and warms up */
        const double ms = run_once(f, algorithm, flags, 0, &info);
        if (ms < 0)
            return (double)NAN;
        if (k > 0 || f->b->repeats == 0)
            least = fmin(least, ms);
    }
    return least;
}

/* The first cells of a row of the dense table. */
static void put_case(const field *f, const char *algorithm, double ms, bench_table *t)
{
    bench_text(t, "%s", fields[f->kind].name);
    bench_number(t, nf_graph_n(f->graph), 0);
    bench_text(t, "%s", algorithm);
    if (f->wrong)
        bench_text(t, "wrong");
    else
        bench_number(t, ms, 3);
}

/* And the last ones. */
static void put_rate(const field *f, double ms, bench_table *t)
{
    const double n = nf_graph_n(f->graph), steps = n * n * n;
    bench_number(t, steps / ms * 1e-9, 2);
    bench_number(t, steps / ms * 1e5 / fields[f->kind].limit, 1);
    bench_say_row(f->b, t);
}

/* Runs have these knobs from here on, without NULL; none: the command's. */
static void set_knobs(field *f, const char *first, const char *second, const char *third)
{
    f->knob_count = 0;
    if (first != NULL)
        f->knobs[f->knob_count++] = first;
    if (second != NULL)
        f->knobs[f->knob_count++] = second;
    if (third != NULL)
        f->knobs[f->knob_count++] = third;
}

static bool has_cells(const nf_algorithm_info *a)
{
    bool has = false;
    for (size_t i = 0; i < a->knob_count; i++)
        has |= strcmp(a->knobs[i].name, CELLS) == 0;
    return has;
}

static void add_dense(field *f, const nf_algorithm_info *a, bench_table *t)
{
    const double n = nf_graph_n(f->graph);
    const bool naive = strcmp(a->name, "floyd-warshall") == 0 || strcmp(a->name, "n-sssp") == 0;
    const bool narrow = strcmp(fields[f->kind].name, "dense-i16") == 0;
    if ((naive && n > NAIVE_MOST) || (narrow && !has_cells(a)) || !bench_row(t))
        return;
    f->wrong = false;
    set_knobs(f, has_cells(a) && f->b->app->args.set.count == 0 ? fields[f->kind].cells : NULL, NULL, NULL);
    const double ms = least_of(f, a->name, 0), with = narrow ? (double)NAN : least_of(f, a->name, NF_RUN_PARENTS);
    set_knobs(f, NULL, NULL, NULL);
    put_case(f, a->name, ms, t);
    bench_number(t, with, 3);
    bench_number(t, with / ms, 2);
    put_rate(f, ms, t);
}

/* One run by the wall clock, within LARGE_MEMORY or what the command says. */
static void add_large(field *f, bench_table *t)
{
    const char *algorithm = "streamed";
    nf_run_info info;
    if ((f->b->algorithm != NULL && strcmp(f->b->algorithm, algorithm) != 0) || !bench_row(t))
        return;
    f->wrong = false;
    set_knobs(f, f->b->app->args.set.count == 0 ? LARGE_MEMORY : NULL, NULL, NULL);
    const double start = cli_now_ms();
    const bool done = run_once(f, algorithm, 0, 0, &info) >= 0;
    const double ms = done ? cli_now_ms() - start : (double)NAN;
    set_knobs(f, NULL, NULL, NULL);
    put_case(f, algorithm, ms, t);
    bench_number(t, (double)NAN, 0);
    bench_number(t, (double)NAN, 0);
    put_rate(f, ms, t);
}

static void add_sparse(field *f, const char *algorithm, bench_table *t)
{
    nf_run_info info;
    f->wrong = false;
    (void)run_once(f, algorithm, 0, 1, &info); /* uploads */
    const double ms = run_once(f, algorithm, 0, CAP_MS, &info);
    if (!bench_row(t))
        return;
    bench_text(t, "%s", fields[f->kind].name);
    bench_number(t, nf_graph_n(f->graph), 0);
    bench_text(t, "%s", algorithm);
    bench_number(t, (double)f->rows, 0);
    if (f->wrong)
        bench_text(t, "wrong");
    else
        bench_number(t, ms > 0 ? (double)f->rows / ms * 1e3 : (double)NAN, 0);
    /* what comes before the first row (parts, borders) is not for every row */
    const double rest = nf_graph_n(f->graph) * (ms - f->first) / (double)f->rows;
    bench_number(t, f->first, 1);
    bench_number(t, ms > 0 ? (f->first + rest) * 1e-3 : (double)NAN, 1);
    bench_say_row(f->b, t);
}

/* A method, its name and two knobs of its own, in every way of a knob, on a graph that is there; x: times as quick as
 * the first way. */
static void add_ways(field *f, const char *graph, const char *const *method, const char *const *ways, bench_table *t)
{
    const char *algorithm = method[0];
    double first = (double)NAN;
    for (; *ways != NULL && !cli_interrupted() && bench_row(t); ways++) {
        f->wrong = false;
        set_knobs(f, *ways, method[1], method[2]);
        const double ms = least_of(f, algorithm, 0), with = least_of(f, algorithm, NF_RUN_PARENTS);
        first = isnan(first) ? ms : first;
        bench_text(t, "%s", graph);
        bench_number(t, nf_graph_n(f->graph), 0);
        bench_text(t, "%s", algorithm);
        bench_text(t, "%s", *ways);
        if (f->wrong)
            bench_text(t, "wrong");
        else
            bench_number(t, ms, 3);
        bench_number(t, first / ms, 2);
        bench_number(t, with, 3);
        bench_say_row(f->b, t);
    }
    set_knobs(f, NULL, NULL, NULL);
}

/* Sparse graphs on the matrix. */
static int add_lazy(field *f, bench_table *t)
{
    static const char *const ways[] = {"lazy=none", "lazy=op", "lazy=tile", NULL};
    static const char *const methods[][3] = {{"blocked-floyd-warshall", CELLS "=32", NULL},
                                             {"recursive", CELLS "=32", NULL},
                                             {"min-plus", CELLS "=32", NULL},
                                             {"streamed", "by=tiles", LAZY_MEMORY}};
    const uint64_t side = UINT64_C(1) << (f->b->scale > 2 ? f->b->scale / 2 - 1 : 0), n = side * side;
    const bench_spec specs[] = {{.kind = "grid2d", .n = n, .drop = 0.1, .low = 1, .high = 255},
                                {.kind = "uniform", .n = n, .edge_factor = 1, .low = 1, .high = 255, .salt = 1},
                                {.kind = "uniform", .n = n, .edge_factor = 4, .low = 1, .high = 255, .salt = 4},
                                {.kind = "uniform", .n = n, .edge_factor = 16, .low = 1, .high = 255, .salt = 16}};
    nf_status st = NF_OK;
    for (size_t i = 0; st == NF_OK && i < sizeof specs / sizeof specs[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s, %g a vertex", specs[i].kind, i == 0 ? 1.8 : specs[i].edge_factor);
        st = bench_make(f->b, f->b->app->ctx, &specs[i], &f->graph);
        if (st == NF_OK)
            st = find_rows(f);
        for (size_t k = 0; st == NF_OK && k < sizeof methods / sizeof methods[0]; k++)
            if (f->b->algorithm == NULL || strcmp(f->b->algorithm, methods[k][0]) == 0)
                add_ways(f, name, methods[k], ways, t);
        drop_graph(f);
        st = st == NF_OK && cli_interrupted() ? NF_ECANCELLED : st;
    }
    return st == NF_OK ? CLI_OK : cli_fail(f->b->app, st);
}

/* A matrix larger than the memory it may have. */
static int add_beyond(field *f, bench_table *t)
{
    const unsigned less = f->b->scale < 14 ? 14 - f->b->scale : 0;
    const bench_spec spec = {
        .kind = "uniform", .n = LARGE >> less, .edge_factor = 32, .low = 1, .high = 255, .type = NF_F32, .salt = LARGE};
    nf_status st = bench_make(f->b, f->b->app->ctx, &spec, &f->graph);
    if (st == NF_OK)
        st = find_rows(f);
    if (st == NF_OK)
        add_large(f, t);
    drop_graph(f);
    return st == NF_OK ? CLI_OK : cli_fail(f->b->app, st);
}

/* Every method that is asked for, on one graph. */
static int add_graph(field *f, const bench_spec *spec, bench_table *t)
{
    const bool dense = fields[f->kind].limit > 0;
    const char *only = f->b->algorithm;
    nf_status st = spec != NULL ? bench_make(f->b, f->b->app->ctx, spec, &f->graph)
                                : bench_graph_make(f->b, f->b->app->ctx, fields[f->kind].name, &f->graph);
    if (st == NF_ENOTFOUND)
        return CLI_OK;
    if (st == NF_OK)
        st = find_rows(f);
    for (size_t i = 0; st == NF_OK && nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (a != cli_algorithm(NF_APSP, f->device, a->name) || (only != NULL && strcmp(only, a->name) != 0)
            || (!dense && (a->flags & NF_ALG_DENSE) != 0))
            continue;
        if (dense)
            add_dense(f, a, t);
        else
            add_sparse(f, a->name, t);
        st = cli_interrupted() ? NF_ECANCELLED : NF_OK;
    }
    drop_graph(f);
    return st == NF_OK ? CLI_OK : cli_fail(f->b->app, st);
}

static int add_field(field *f, bench_table *dense, bench_table *sparse, bench_table *ways)
{
    const uint64_t most = UINT64_C(1) << f->b->scale, side = UINT64_C(2) << f->b->scale / 2;
    const nf_type type = strncmp(fields[f->kind].name, "whole", 5) == 0 ? NF_I32 : fields[f->kind].type;
    int code = CLI_OK;
    if (strcmp(fields[f->kind].name, "lazy") == 0)
        return add_lazy(f, ways);
    if (strcmp(fields[f->kind].name, "batch") == 0)
        return bench_gpu_batch(f->b, f->ctx, f->cpu);
    if (strcmp(fields[f->kind].name, "large") == 0)
        return add_beyond(f, dense);
    if (strcmp(fields[f->kind].name, "ny") == 0)
        return add_graph(f, NULL, sparse);
    if (strcmp(fields[f->kind].name, "road") == 0) {
        const bench_spec road = {.kind = "grid2d", .n = side * side, .drop = 0.1, .low = 1, .high = 1000};
        return add_graph(f, &road, sparse);
    }
    for (uint64_t n = most < LEAST ? most : LEAST; code == CLI_OK && n <= most; n *= 2) {
        const bench_spec complete = {.kind = "complete", .n = n, .low = 1, .high = 255, .type = type, .salt = n};
        const bench_spec some = {
            .kind = "uniform", .n = n, .edge_factor = 32, .low = 1, .high = 255, .type = type, .salt = n};
        code = add_graph(f, n <= COMPLETE_MOST ? &complete : &some, dense);
    }
    return code;
}

int bench_gpu_apsp(bench *b)
{
    static const char *const dense[] = {"graph",           "n", "method",       "ms",
                                        "ms with parents", "x", "1e12 steps/s", "% of limit"};
    static const char *const sparse[] = {"graph", "n", "method", "rows", "rows/s", "ms to the first", "all pairs in s"};
    static const char *const way[] = {"graph", "n", "method", "way", "ms", "x", "ms with parents"};
    const char *device = b->app->args.device != NULL ? b->app->args.device : "gpu";
    field f = {.b = b, .device = device};
    bench_table *d =
        bench_table_add(b, "dense", "All pairs on the matrix, ms on the device", dense, sizeof dense / sizeof dense[0]);
    bench_table *s =
        bench_table_add(b, "sparse", "All pairs by runs: rows in 5 s", sparse, sizeof sparse / sizeof sparse[0]);
    bench_table *w =
        bench_table_add(b, "ways", "The matrix in several ways, ms on the device; x: against the first way", way,
                        sizeof way / sizeof way[0]);
    int code = bench_context(b, device, 0, &f.ctx);
    if (code == CLI_OK)
        code = bench_context(b, "cpu", 0, &f.cpu);
    for (f.kind = 0; code == CLI_OK && f.kind < FIELDS; f.kind++)
        if (bench_listed(b->app->args.graphs, fields[f.kind].name)
            && (b->app->args.graphs != NULL || strcmp(fields[f.kind].name, "large") != 0)) /* 40 GB: if asked for */
            code = add_field(&f, d, s, w);
    nf_context_free(f.ctx);
    nf_context_free(f.cpu);
    return code;
}
