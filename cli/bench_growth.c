/* bench_growth.c - `bench cpu --growth`: run time against the number of arcs, on families of growing graphs.
 *
 * Kron and uniform (edge factor 16), square grids and delaunay, weights 1..255, with about 10^4, 10^4.5, ... arcs, by
 * `auto` with the most threads asked for. Kron has a power of two of vertices, the nearest: between two of them its
 * degrees spread otherwise. The best run from each source counts, then the median over the sources; graphs of more than
 * FEW arcs have one source and three runs. "step" is the time's growth over the growth of m since the row before: 1 is
 * linear. Whether a step above 1 is the method's or the machine's is told by
 *   arcs / m  arcs looked at (BFS) or relaxed (SSSP) for each of the graph's: the work;
 *   MB        of offsets, arcs, weights and labels, to be held against the machine's caches;
 *   floor     the time that the machine takes to read what such a search reads (bench_reads.c), as often as it does;
 *   x floor   the time over it;
 *   against   the growth of the time over the growth of the floor since the row before: above 1 is the method's.
 * Invariant: B1 (bench.h); for graphs of more than FEW arcs the oracle for distances is dijkstra-radix, not the
 * textbook's Dijkstra.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define LEAST 1e4
#define MOST 1e8
#define FEW 2e7
#define DEFAULT_SOURCES 3u
#define TRIAL_MS 20.0 /* short runs are repeated for so long, at most TRIALS times */
#define TRIALS 200u

static const struct {
    bench_spec spec;
    double arcs; /* a vertex has about so many; scale > 0: n is a power of two */
} families[] = {
    {{.name = "kron", .kind = "kronecker", .scale = 1, .edge_factor = 16, .low = 1, .high = 255}, 24},
    {{.name = "uniform", .kind = "uniform", .edge_factor = 16, .low = 1, .high = 255}, 32},
    {{.name = "grid", .kind = "grid2d", .low = 1, .high = 255}, 4},
    {{.name = "delaunay", .kind = "delaunay", .low = 1, .high = 255}, 6},
};
#define FAMILIES (sizeof families / sizeof families[0])

/* One size of a family: medians over the sources. */
typedef struct point {
    double ms;    /* the best run */
    double arcs;  /* looked at */
    double floor; /* ms; of the best pass */
} point;

/* What is to be measured, and the reads of a search from its source. */
typedef struct subject {
    bench *b;
    nf_context *ctx;
    const nf_graph *g;
    nf_problem problem;
    int threads;
    nf_vid source;
} subject;

static nf_status make_reads(const subject *s, bench_reads **out)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = s->b->algorithm};
    nf_run_info info = {.size = sizeof info};
    nf_result *r = NULL;
    nf_status st =
        s->problem == NF_BFS ? nf_bfs(s->ctx, s->g, s->source, &o, &r) : nf_sssp(s->ctx, s->g, s->source, &o, &r);
    if (st == NF_OK)
        st = nf_result_info(r, &info);
    if (st == NF_OK)
        st = bench_reads_create(s->ctx, s->g, r, (double)info.edges_relaxed, out);
    nf_result_free(r);
    return st;
}

static bool is_large(const nf_graph *g)
{
    return (double)nf_graph_m(g) > FEW;
}

static nf_status ask_oracle(const subject *s, bench_answer *want)
{
    const char *name = s->problem == NF_BFS ? "serial" : is_large(s->g) ? "dijkstra-radix" : "dijkstra";
    return bench_search(s->ctx, s->g, s->problem, s->source, name, 0, want);
}

/* From one source: runs and passes of reads in turn, so that what else the machine does slows down both. */
static nf_status time_source(const subject *s, unsigned repeats, point *p)
{
    bench *b = s->b;
    bench_reads *reads = NULL;
    bench_answer want, got = {.ms = 0};
    double total = 0, price = (double)INFINITY;
    nf_status st = ask_oracle(s, &want);
    if (st == NF_OK)
        st = make_reads(s, &reads);
    *p = (point){.ms = (double)INFINITY};
    for (unsigned k = 0; st == NF_OK && (k <= repeats || (total < TRIAL_MS && k < TRIALS)); k++) {
        st = bench_search(s->ctx, s->g, s->problem, s->source, b->algorithm, 0, &got);
        if (st != NF_OK)
            break;
        total += got.ms;
        p->ms = fmin(p->ms, got.ms);
        price = fmin(price, bench_reads_pass(reads, s->threads));
        b->wrong = b->wrong || got.hash != want.hash;
    }
    p->arcs = (double)got.edges;
    p->floor = price * p->arcs;
    bench_reads_free(reads);
    return st;
}

static int time_point(subject *s, point *p)
{
    nf_vid sources[BENCH_SOURCES];
    double best[BENCH_SOURCES], arcs[BENCH_SOURCES], floors[BENCH_SOURCES];
    const bool large = is_large(s->g);
    const unsigned count = large ? 1 : s->b->source_count, repeats = large ? 2 : s->b->repeats;
    if (!bench_sources(s->b, s->g, sources, count))
        return CLI_INTERNAL;
    for (unsigned i = 0; i < count; i++) {
        s->source = sources[i];
        const nf_status st = time_source(s, repeats, p);
        if (st != NF_OK)
            return cli_fail(s->b->app, cli_interrupted() ? NF_ECANCELLED : st);
        best[i] = p->ms, arcs[i] = p->arcs, floors[i] = p->floor;
    }
    *p = (point){bench_median(best, count), bench_median(arcs, count), bench_median(floors, count)};
    return CLI_OK;
}

/* MB of what a search of the problem reads and labels. */
static double megabytes(const nf_graph *g, nf_problem problem)
{
    return (nf_graph_n(g) * 8.0 + (double)nf_graph_m(g) * (problem == NF_BFS ? 4.0 : 8.0)) * 1e-6;
}

/* The point at the line's end; before: the one before it. */
static void add_row(bench *b, const bench_line *line, const point *before, const point *p, nf_problem problem,
                    const nf_graph *g, int threads, bench_table *t)
{
    const size_t k = line->count - 1;
    const double growth = k > 0 ? p->ms / before->ms : (double)NAN;
    if (!bench_row(t))
        return;
    bench_text(t, "%s", line->name);
    bench_text(t, "%s", nf_problem_name(problem));
    bench_number(t, threads, 0);
    bench_number(t, nf_graph_n(g), 0);
    bench_number(t, line->x[k], 0);
    bench_number(t, p->ms, 3);
    bench_number(t, p->ms * 1e6 / line->x[k], 2);
    bench_number(t, k > 0 ? growth / (line->x[k] / line->x[k - 1]) : (double)NAN, 2);
    bench_number(t, p->arcs / line->x[k], 2);
    bench_number(t, megabytes(g, problem), 2);
    bench_number(t, p->floor, 3);
    bench_number(t, p->ms / p->floor, 2);
    bench_number(t, k > 0 ? growth / (p->floor / before->floor) : (double)NAN, 2);
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
    point before[2] = {{.ms = 0}};
    for (double m = LEAST; code == CLI_OK && m < 1.1 * most && lines[0][at].count < BENCH_POINTS; m *= sqrt(10.0)) {
        bench_spec spec = families[family].spec;
        nf_graph *g = NULL;
        const double n = m / families[family].arcs;
        if (spec.scale > 0)
            spec.scale = (unsigned)lround(log2(n));
        else
            spec.n = (uint64_t)n;
        nf_status st = bench_make(b, b->app->ctx, &spec, &g);
        if (st != NF_OK)
            code = cli_fail(b->app, st);
        for (int p = NF_BFS; code == CLI_OK && p <= NF_SSSP; p++) {
            bench_line *line = &lines[p][at];
            if ((b->problems >> p & 1u) == 0)
                continue;
            point now = {.ms = 0};
            subject s = {b, ctx, g, (nf_problem)p, threads, 0};
            code = time_point(&s, &now);
            line->x[line->count] = (double)nf_graph_m(g);
            line->y[line->count++] = now.ms;
            if (code == CLI_OK)
                add_row(b, line, &before[p], &now, (nf_problem)p, g, threads, t);
            before[p] = now;
        }
        nf_graph_free(g);
    }
    return code;
}

int bench_growth(bench *b)
{
    static const char *const columns[] = {"graph", "problem",  "T",  "n",     "m",       "ms",     "ns an arc",
                                          "step",  "arcs / m", "MB", "floor", "x floor", "against"};
    bench_table *t = bench_table_add(b, "growth",
                                     "Run time against the number of arcs (step: growth of the time / growth of m; "
                                     "floor: ms of the reads alone; against: growth of the time / growth of the floor)",
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
