/* bench_path.c - one pair of vertices (nf_path_between) against a whole run from the same source, by every kind of
 * weight and by hops.
 *
 * Both are auto's choice and take turns; the best run of a pair counts, then the means over the pairs. A whole run
 * finds distances and no parents, which is the faster of its forms. Transposes are made before. The distance of every
 * path is compared with the whole run's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define DEFAULT_PAIRS 8u
/* Weights as real numbers are those of the graph times this, so that sums are rounded. */
#define REAL 0.37

typedef struct course {
    bench *b;
    const char *name, *weights;
    const nf_graph *graph;
    bool hops;
    int threads;
    unsigned pairs;
    nf_vid ends[2 * BENCH_SOURCES];
    double path, whole, least; /* sums of the best times; the least ratio of a pair */
    char by_path[40], by_whole[40];
} course;

static nf_status time_path(const course *c, nf_context *ctx, const nf_vid *pair, double *ms, double *distance,
                           char *how)
{
    const nf_run_options o = {.size = sizeof o, .flags = c->hops ? NF_RUN_HOPS : 0};
    nf_run_info info = {.size = sizeof info};
    nf_path *p = NULL;
    const double start = cli_now_ms();
    nf_status st = nf_path_between(ctx, c->graph, pair[0], pair[1], &o, &p);
    *ms = fmin(*ms, cli_now_ms() - start);
    if (st == NF_OK)
        st = nf_path_info(p, &info);
    if (st == NF_OK) {
        *distance = p->distance;
        snprintf(how, 40, "%s", info.algorithm);
    }
    nf_path_free(p);
    return st;
}

static nf_status time_whole(const course *c, nf_context *ctx, const nf_vid *pair, double *ms, double *distance,
                            char *how)
{
    nf_run_info info = {.size = sizeof info};
    nf_result *r = NULL;
    const double start = cli_now_ms();
    nf_status st = (c->hops ? nf_bfs : nf_sssp)(ctx, c->graph, pair[0], NULL, &r);
    *ms = fmin(*ms, cli_now_ms() - start);
    if (st == NF_OK)
        st = nf_result_info(r, &info);
    if (st == NF_OK) {
        *distance = nf_result_distance(r, 0, pair[1]);
        snprintf(how, 40, "%s", info.algorithm);
    }
    nf_result_free(r);
    return st;
}

static nf_status time_pair(course *c, nf_context *ctx, const nf_vid *pair)
{
    nf_status st = NF_OK;
    double path = (double)INFINITY, whole = (double)INFINITY, got = 0, want = 0;
    for (unsigned k = 0; st == NF_OK && k <= c->b->repeats; k++) {
        st = time_path(c, ctx, pair, &path, &got, c->by_path);
        if (st == NF_OK)
            st = time_whole(c, ctx, pair, &whole, &want, c->by_whole);
        if (st == NF_OK && got != want) {
            cli_complain(c->b->app, "%s, %s: the path from %u to %u has a wrong length", c->name, c->weights, pair[0],
                         pair[1]);
            c->b->wrong = true;
        }
    }
    c->path += path;
    c->whole += whole;
    c->least = fmin(c->least, whole / path);
    return st;
}

static int run_course(course *c, bench_table *t)
{
    nf_context *ctx = NULL;
    nf_csr reverse;
    int code = bench_context(c->b, "cpu", c->threads, &ctx);
    nf_status st = code == CLI_OK ? nf_graph_transpose_view(ctx, c->graph, &reverse) : NF_OK;
    c->path = c->whole = 0;
    c->least = (double)INFINITY;
    for (unsigned i = 0; code == CLI_OK && st == NF_OK && i < c->pairs; i++)
        st = time_pair(c, ctx, &c->ends[2 * i]);
    nf_context_free(ctx);
    if (code != CLI_OK || st != NF_OK)
        return code != CLI_OK ? code : cli_fail(c->b->app, cli_interrupted() ? NF_ECANCELLED : st);
    if (bench_row(t)) {
        bench_text(t, "%s", c->name);
        bench_text(t, "%s", c->weights);
        bench_number(t, c->pairs, 0);
        bench_number(t, c->threads, 0);
        bench_text(t, "%s", c->by_path);
        bench_number(t, c->path / c->pairs, 3);
        bench_text(t, "%s", c->by_whole);
        bench_number(t, c->whole / c->pairs, 3);
        bench_number(t, c->whole / c->path, 2);
        bench_number(t, c->least, 2);
        bench_say_row(c->b, t);
    }
    return CLI_OK;
}

/* The same graph with weights of another type. */
static nf_status convert(nf_context *ctx, const nf_graph *g, nf_type type, nf_graph **out)
{
    nf_csr csr;
    nf_status st = nf_graph_view(ctx, g, &csr);
    if (st != NF_OK)
        return st;
    char *weights = malloc((size_t)(csr.m + 1) * sizeof(double));
    if (weights == NULL)
        return NF_ENOMEM;
    for (nf_eid e = 0; e < csr.m; e++) {
        const double w = REAL * (csr.weights != NULL ? ((const int32_t *)csr.weights)[e] : 1);
        if (type == NF_F32)
            ((float *)(void *)weights)[e] = (float)w;
        else
            ((double *)(void *)weights)[e] = w;
    }
    csr.weight_type = type;
    csr.weights = weights;
    st = nf_graph_from_csr(ctx, &csr, NULL, out);
    free(weights);
    return st;
}

static int paths_of(bench *b, const char *name, const nf_graph *g, int threads, bench_table *t)
{
    static const struct {
        const char *name;
        nf_type type;
    } kinds[] = {{"i32", NF_I32}, {"f32", NF_F32}, {"f64", NF_F64}, {"hops", NF_NONE}};
    course c = {.b = b, .name = name, .threads = threads};
    c.pairs = b->source_count > 0 ? b->source_count : DEFAULT_PAIRS;
    int code = bench_sources(b, g, c.ends, 2 * c.pairs) ? CLI_OK : CLI_INTERNAL;
    for (size_t k = 0; code == CLI_OK && k < sizeof kinds / sizeof kinds[0]; k++) {
        nf_graph *other = NULL;
        const bool real = kinds[k].type == NF_F32 || kinds[k].type == NF_F64;
        const nf_status st = real ? convert(b->app->ctx, g, kinds[k].type, &other) : NF_OK;
        c.graph = real ? other : g;
        c.weights = kinds[k].name;
        c.hops = kinds[k].type == NF_NONE;
        code = st == NF_OK ? run_course(&c, t) : cli_fail(b->app, st);
        nf_graph_free(other);
    }
    return code;
}

int bench_paths(bench *b)
{
    static const char *const columns[] = {"graph", "weights",        "pairs",     "T", "chosen",
                                          "path",  "chosen for all", "whole run", "x", "least x"};
    bench_table *t = bench_table_add(b, "path",
                                     "One pair (nf_path_between) against a whole run, ms (x: whole run / path, of the "
                                     "means; least x: of a pair)",
                                     columns, sizeof columns / sizeof columns[0]);
    return bench_over_graphs(b, t, paths_of);
}
