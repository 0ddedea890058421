/* bench_apsp.c - all pairs: dense graphs in min-plus steps (n^3) a second, a sparse one in milliseconds.
 *
 * Dense: complete graphs of 2^(scale - 10), twice and four times as many vertices (1,024 to 4,096), weights 1..255, i32
 * and f32, distances in the weights' type. Sparse: n = 2^(scale - 8) (4,096) with 32 arcs a vertex. Rivals run where
 * they end in seconds: the smallest dense graph in i32 (Floyd-Warshall), the sparse one (Dijkstra from every vertex).
 * In the other dense rows "best x" compares steps a second with theirs there.
 * Invariant: B1 (bench.h), by rows: CHECKED rows are compared with Dijkstra's, all of them where rivals run. Floats may
 * differ by ROUNDED, as tiled sums are rounded in another order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define CHECKED 4u
#define ROUNDED 1e-5
#define LIMIT_MS 120000.0

typedef struct field {
    bench *b;
    const char *name, *question; /* what rivals are asked */
    bench_spec spec;
    bool rivals, dense;
    nf_graph *graph;
    double rate; /* steps a second of the fastest rival on dense graphs; 0: not known */
} field;

/* Rows of a result against Dijkstra's. */
static bool rows_right(const field *f, nf_context *ctx, const nf_result *r, nf_type type)
{
    const nf_vid n = nf_graph_n(f->graph);
    bool right = true;
    for (unsigned i = 0; right && i < CHECKED; i++) {
        const nf_vid source = (nf_vid)((uint64_t)n * i / CHECKED);
        const nf_run_options o = {.size = sizeof o, .algorithm = "dijkstra"};
        nf_result *want = NULL;
        right = nf_sssp(ctx, f->graph, source, &o, &want) == NF_OK;
        for (nf_vid v = 0; right && v < n; v++) {
            const double x = nf_result_distance(want, 0, v), y = nf_result_distance(r, source, v);
            right = x == y || (type == NF_F32 && fabs(x - y) <= ROUNDED * fabs(x));
        }
        nf_result_free(want);
    }
    return right;
}

/* The best time of ours; the hash of the distances where rivals are to be compared with it. */
static int time_ours(field *f, int threads, bench_answer *out)
{
    bench *b = f->b;
    nf_context *ctx = NULL;
    const nf_type type = f->spec.type == NF_F32 ? NF_F32 : NF_I32;
    const nf_run_options o = {.size = sizeof o, .algorithm = b->algorithm, .distance_type = type};
    const nf_vid n = nf_graph_n(f->graph);
    int code = bench_context(b, "cpu", threads, &ctx);
    *out = (bench_answer){.ms = (double)INFINITY};
    for (unsigned k = 0; code == CLI_OK && k < b->repeats; k++) {
        nf_run_info info = {.size = sizeof info};
        nf_result *r = NULL;
        nf_status st = nf_apsp(ctx, f->graph, &o, &r);
        if (st == NF_OK)
            st = nf_result_info(r, &info);
        if (st == NF_OK && k == 0 && !rows_right(f, ctx, r, type)) {
            cli_complain(b->app, "%s: apsp %s gives a wrong answer", f->name, info.algorithm);
            b->wrong = true;
        }
        if (st == NF_OK && k == 0 && f->rivals)
            bench_hash_row(out, nf_result_distances(r, 0), info.type, false, 0, (uint64_t)n * n);
        if (st == NF_OK) {
            out->ms = fmin(out->ms, info.run_ms);
            snprintf(out->chosen, sizeof out->chosen, "%s", info.algorithm);
        } else
            code = cli_fail(b->app, cli_interrupted() ? NF_ECANCELLED : st);
        nf_result_free(r);
    }
    nf_context_free(ctx);
    return code;
}

/* The rivals' cells; the least of their times. */
static double ask_rivals(field *f, int threads, const bench_answer *ours, bench_table *t)
{
    static const char *const words[] = {"-", "", "wrong", "late"};
    double best = (double)INFINITY;
    for (size_t k = 0; k < BENCH_RIVALS - 1; k++) { /* GraphBLAS has no such call */
        double ms = (double)NAN;
        const bench_outcome o =
            f->rivals ? bench_ask(&f->b->rivals[k], f->question, threads, 0, ours, LIMIT_MS, &ms) : BENCH_NONE;
        if (o == BENCH_RIGHT) {
            bench_number(t, ms, 1);
            best = fmin(best, ms);
        } else
            bench_text(t, "%s", words[o]);
    }
    return best;
}

static void add_row(field *f, int threads, const bench_answer *ours, bench_table *t)
{
    const double n = nf_graph_n(f->graph), steps = n * n * n;
    if (!bench_row(t))
        return;
    bench_text(t, "%s", f->name);
    bench_number(t, n, 0);
    bench_number(t, (double)nf_graph_m(f->graph), 0);
    bench_text(t, "%s", f->spec.type == NF_F32 ? "f32" : "i32");
    bench_number(t, threads, 0);
    bench_text(t, "%s", ours->chosen);
    bench_number(t, ours->ms, 1);
    bench_number(t, f->dense ? steps / ours->ms * 1e-6 : (double)NAN, 1);
    const double best = ask_rivals(f, threads, ours, t);
    if (f->dense && isfinite(best))
        f->rate = steps / best;
    const double rival = isfinite(best) ? best : f->dense && f->rate > 0 ? steps / f->rate : (double)NAN;
    bench_number(t, rival / ours->ms, 1);
    bench_say_row(f->b, t);
}

static int run_field(field *f, bench_table *t)
{
    bench *b = f->b;
    nf_status st = bench_make(b, b->app->ctx, &f->spec, &f->graph);
    int code = st == NF_OK ? CLI_OK : cli_fail(b->app, st);
    if (code == CLI_OK && f->rivals)
        code = bench_rivals_start(b, f->graph);
    for (size_t k = 0; code == CLI_OK && k < b->thread_count; k++) {
        bench_answer ours;
        code = time_ours(f, b->threads[k], &ours);
        if (code == CLI_OK)
            add_row(f, b->threads[k], &ours, t);
    }
    if (f->rivals)
        bench_rivals_stop(b);
    nf_graph_free(f->graph);
    f->graph = NULL;
    return code;
}

int bench_apsp(bench *b)
{
    static const char *const columns[] = {"graph",   "n",     "m",     "type",   "T",     "chosen",
                                          "Nearfar", "1e9/s", "Boost", "igraph", "SciPy", "best x"};
    bench_table *t =
        bench_table_add(b, "apsp",
                        "All pairs, ms (1e9/s: min-plus steps a second; best x: the fastest rival / Nearfar)", columns,
                        sizeof columns / sizeof columns[0]);
    const uint64_t least = b->scale > 12 ? UINT64_C(1) << (b->scale - 10) : 4;
    field f = {.b = b};
    int code = CLI_OK;
    for (uint64_t n = least; code == CLI_OK && n <= 4 * least; n *= 2)
        for (int real = 0; code == CLI_OK && real < 2; real++) {
            f.name = "dense", f.question = "dense", f.dense = true;
            f.rivals = n == least && !real;
            f.spec = (bench_spec){
                .kind = "complete", .n = n, .low = 1, .high = 255, .type = real ? NF_F32 : NF_I32, .salt = n};
            code = run_field(&f, t);
        }
    f.name = "sparse", f.question = "apsp", f.dense = false, f.rivals = true;
    f.spec = (bench_spec){.kind = "uniform", .n = 4 * least, .edge_factor = 16, .low = 1, .high = 255};
    if (code == CLI_OK)
        code = run_field(&f, t);
    return code;
}
