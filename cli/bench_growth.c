/* bench_growth.c - `bench cpu --growth`: run time against the number of arcs, on families of growing graphs.
 *
 * Kron and uniform (edge factor 16), square grids and delaunay, weights 1..255, with about 10^4, 10^4.5, ... arcs, by
 * `auto` with the most threads asked for. The best run from each source counts, then the median over the sources;
 * graphs of more than FEW arcs have one source and two runs. "step" is the time's growth over the growth of m since the
 * row before: 1 is linear. A graph that leaves a level of cache raises it: the last column tells how many bytes of
 * labels a search touches at random (4 a vertex), to be held against the machine's caches.
 * Invariant: B1 (bench.h); for graphs of more than FEW arcs the oracle is asked for one source.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define LEAST 1e4
#define MOST 1e8
#define FEW 2e7
#define DEFAULT_SOURCES 3u

static const struct {
    bench_spec spec;
    double arcs; /* a vertex has about so many */
} families[] = {
    {{.name = "kron", .kind = "kronecker", .edge_factor = 16, .low = 1, .high = 255}, 28},
    {{.name = "uniform", .kind = "uniform", .edge_factor = 16, .low = 1, .high = 255}, 32},
    {{.name = "grid", .kind = "grid2d", .low = 1, .high = 255}, 4},
    {{.name = "delaunay", .kind = "delaunay", .low = 1, .high = 255}, 6},
};
#define FAMILIES (sizeof families / sizeof families[0])

/* The median over the sources of the best run, in ms. */
static int time_point(bench *b, nf_context *ctx, const nf_graph *g, nf_problem problem, double *ms)
{
    nf_vid sources[BENCH_SOURCES];
    double best[BENCH_SOURCES];
    const bool large = (double)nf_graph_m(g) > FEW;
    const unsigned count = large ? 1 : b->source_count, repeats = large ? 2 : b->repeats;
    if (!bench_sources(b, g, sources, count))
        return CLI_INTERNAL;
    for (unsigned i = 0; i < count; i++) {
        bench_answer want, got;
        nf_status st = bench_search(ctx, g, problem, sources[i], problem == NF_BFS ? "serial" : "dijkstra", 0, &want);
        best[i] = (double)INFINITY;
        for (unsigned k = 0; st == NF_OK && k <= repeats; k++) {
            st = bench_search(ctx, g, problem, sources[i], b->algorithm, 0, &got);
            best[i] = fmin(best[i], got.ms);
            b->wrong = b->wrong || got.hash != want.hash;
        }
        if (st != NF_OK)
            return cli_fail(b->app, cli_interrupted() ? NF_ECANCELLED : st);
    }
    *ms = bench_median(best, count);
    return CLI_OK;
}

static void add_row(bench *b, const bench_line *line, nf_problem problem, const nf_graph *g, int threads,
                    bench_table *t)
{
    const size_t k = line->count - 1;
    if (!bench_row(t))
        return;
    bench_text(t, "%s", line->name);
    bench_text(t, "%s", nf_problem_name(problem));
    bench_number(t, threads, 0);
    bench_number(t, nf_graph_n(g), 0);
    bench_number(t, line->x[k], 0);
    bench_number(t, line->y[k], 3);
    bench_number(t, line->y[k] * 1e6 / line->x[k], 2);
    bench_number(t, k > 0 ? line->y[k] / line->y[k - 1] / (line->x[k] / line->x[k - 1]) : (double)NAN, 2);
    bench_number(t, nf_graph_n(g) * 4e-6, 2);
    bench_say_row(b, t);
}

static int draw(bench *b, nf_problem problem, const bench_line *lines, size_t count, int threads)
{
    char path[4096], title[96];
    const char *plot = b->app->args.plot;
    if (plot == NULL)
        return CLI_OK;
    snprintf(path, sizeof path, "%.*s-%s.svg", (int)strlen(plot) - 4, plot, nf_problem_name(problem));
    snprintf(title, sizeof title, "%s by auto, %d thread%s", problem == NF_BFS ? "BFS" : "SSSP", threads,
             threads == 1 ? "" : "s");
    const bench_picture picture = {.title = title,
                                   .x_name = "arcs",
                                   .y_name = "milliseconds",
                                   .style = BENCH_GUIDE,
                                   .lines = lines,
                                   .count = count};
    return bench_chart(b->app, path, &picture);
}

/* All sizes of one family; each graph serves both problems. */
static int grow(bench *b, nf_context *ctx, int threads, size_t family, double most, bench_line lines[2][FAMILIES],
                size_t at, bench_table *t)
{
    int code = CLI_OK;
    for (double m = LEAST; code == CLI_OK && m < 1.1 * most && lines[0][at].count < BENCH_POINTS; m *= sqrt(10.0)) {
        bench_spec spec = families[family].spec;
        nf_graph *g = NULL;
        spec.n = (uint64_t)(m / families[family].arcs);
        nf_status st = bench_make(b, b->app->ctx, &spec, &g);
        if (st != NF_OK)
            code = cli_fail(b->app, st);
        for (int p = NF_BFS; code == CLI_OK && p <= NF_SSSP; p++) {
            bench_line *line = &lines[p][at];
            if ((b->problems >> p & 1u) == 0)
                continue;
            code = time_point(b, ctx, g, (nf_problem)p, &line->y[line->count]);
            line->x[line->count++] = (double)nf_graph_m(g);
            if (code == CLI_OK)
                add_row(b, line, (nf_problem)p, g, threads, t);
        }
        nf_graph_free(g);
    }
    return code;
}

int bench_growth(bench *b)
{
    static const char *const columns[] = {"graph", "problem", "T", "n", "m", "ms", "ns an arc", "step", "MB of labels"};
    bench_table *t =
        bench_table_add(b, "growth", "Run time against the number of arcs (step: growth of the time / growth of m)",
                        columns, sizeof columns / sizeof columns[0]);
    bench_line lines[2][FAMILIES] = {{{.name = NULL}}};
    const cli_args *a = &b->app->args;
    size_t count = 0;
    int threads = 1;
    nf_context *ctx = NULL;
    b->source_count = b->source_count > 0 ? b->source_count : DEFAULT_SOURCES;
    for (size_t k = 0; k < b->thread_count; k++)
        threads = b->threads[k] > threads ? b->threads[k] : threads;
    int code = bench_context(b, "cpu", threads, &ctx);
    for (size_t i = 0; code == CLI_OK && i < FAMILIES; i++) {
        if (!bench_listed(a->graphs, families[i].spec.name))
            continue;
        lines[0][count].name = lines[1][count].name = families[i].spec.name;
        code = grow(b, ctx, threads, i, a->edges.given ? (double)a->edges.value : MOST, lines, count, t);
        count++;
    }
    nf_context_free(ctx);
    for (int p = NF_BFS; code == CLI_OK && p <= NF_SSSP; p++)
        if ((b->problems >> p & 1u) != 0)
            code = draw(b, (nf_problem)p, lines[p], count, threads);
    return code;
}
