/* bench_gpu.c - the suites `gpu-bfs` and `gpu-sssp`: every method of a device on graphs that lie in its memory.
 *
 * Graphs: rmat (2^scale vertices, edge factor 16, quadrants 0.57, 0.19, 0.19, weights 1..255), uniform (the same
 * size), grid (2^(scale/2 + 1) rows and columns, a tenth of the edges dropped, weights 1..1000) and the roads of New
 * York as their file has them; where asked for by name, kron26 (2^(scale + 4) vertices, edge factor 16, the
 * Graph500's), grid7k (7000 rows and columns at scale 22, a fifth of the edges dropped), kron24 (2^(scale + 2)
 * vertices, weights 1..255), road (10 million vertices at scale 22), dag (30,000 vertices and 94.4 million arcs at
 * scale 22, from vertex 2,465) and dag-permuted (the same with numbers at random and weights 1..3 along the chain).
 * Times are those of bench_field.c: from the graph on the device to the result on it, uploads and downloads left out.
 * `auto` has 16 sources, other methods 2 and BENCH_CAP_MS a run. For shortest paths the CPU's `auto` with all threads
 * stands beside them.
 *
 * The floor of a run, by rates measured on an H200: the largest of arcs looked at / the rate of random reads in an
 * array of the labels' size; bytes that have to move (column MB: the arcs looked at, offsets and labels once each) /
 * the rate of copies; levels x a chain of four dependent reads and a block's barrier. On other devices it is a
 * yardstick only.
 * GTEPS of kron24 and kron26 as the Graph500 counts: the edges as drawn, loops and parallel ones too, within the
 * component. The column `rules` says how many runs of how many were held against its rules (B2 of bench_field.c).
 * Invariant: B1 (bench.h).
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define AUTO_SOURCES 16u
#define OTHER_SOURCES 2u
#define COPY_RATE 4.26e12 /* bytes a second */
#define LEVEL_MS 0.62e-3  /* 4 x 0.15 us and 0.02 us */

#define USUAL 4u /* graphs are measured unless --graphs says otherwise */

/* ---- a method ---------------------------------------------------------------------------------------------------- */

/* Random 4-byte reads a second in an array of so many bytes (H200). */
static double gather_rate(double bytes)
{
    static const double table[][2] = {{16e6, 158e9}, {32e6, 138e9}, {64e6, 75e9},
                                      {128e6, 52e9}, {1e9, 40e9},   {8e9, 38e9}};
    const size_t last = sizeof table / sizeof table[0] - 1;
    for (size_t i = 0; i < last; i++)
        if (bytes <= table[i][0])
            return table[i][1];
    return table[last][1];
}

/* Bytes that have to move: the arcs looked at, and offsets and labels once each. */
static double least_bytes(const bench_field *f, const bench_score *s)
{
    return (f->problem == NF_BFS ? 4 : 8) * s->arcs + 12.0 * nf_graph_n(f->graph);
}

static double floor_ms(const bench_field *f, const bench_score *s)
{
    const double reads = s->arcs / gather_rate(4.0 * nf_graph_n(f->graph)) * 1e3;
    return fmax(fmax(reads, least_bytes(f, s) / COPY_RATE * 1e3), s->levels * LEVEL_MS);
}

void bench_time_cell(bench_table *t, bench_ending end, double ms)
{
    if (end == BENCH_ENDED)
        bench_number(t, ms, 3);
    else
        bench_text(t, "%s", end == BENCH_OVER ? "> 5 s" : end == BENCH_WRONG ? "wrong" : "refused");
}

/* What only one of the suites tells. */
static void add_rest(const bench_field *f, const bench_score *s, bool ended, bench_table *t)
{
    if (f->problem == NF_BFS) {
        bench_number(t, ended ? s->ms[0] * 1e3 / s->levels : (double)NAN, 2);
        bench_number(t, ended ? f->input / s->ms[0] * 1e-6 : (double)NAN, 1);
        bench_text(t, s->checked == s->runs ? "all %u" : "%u of %u", s->checked, s->runs);
    } else {
        bench_number(t, ended ? s->arcs / s->levels : (double)NAN, 0);
        bench_number(t, ended ? f->input / s->ms[0] * 1e-6 : (double)NAN, 1);
        bench_number(t, f->cpu_ms, 3);
        bench_number(t, ended ? f->cpu_ms / s->ms[0] : (double)NAN, 2);
    }
}

static int add_method(bench_field *f, const char *algorithm, bench_table *t)
{
    const bool automatic = strcmp(algorithm, "auto") == 0;
    const unsigned sources = automatic || f->source_count < OTHER_SOURCES ? f->source_count : OTHER_SOURCES;
    const cli_args *a = &f->b->app->args;
    bench_how how = {.algorithm = algorithm,
                     .knobs = a->set.items,
                     .knob_count = f->b->algorithm != NULL ? a->set.count : 0};
    bench_score s = {.levels = 0};
    nf_status st = bench_field_time(f, &how, sources, !automatic, &s);
    how.flags = NF_RUN_PARENTS;
    if (st == NF_OK)
        st = bench_field_time(f, &how, sources, !automatic, &s);
    if (st != NF_OK)
        return cli_fail(f->b->app, st);
    if (!bench_row(t))
        return CLI_INTERNAL;
    bench_text(t, "%s", f->name);
    bench_text(t, "%s", algorithm);
    bench_number(t, sources, 0);
    bench_time_cell(t, s.end[0], s.ms[0]);
    bench_time_cell(t, s.end[1], s.ms[1]);
    const bool ended = s.end[0] == BENCH_ENDED;
    bench_number(t, ended ? s.levels : (double)NAN, 0);
    bench_number(t, ended ? s.arcs / (double)nf_graph_m(f->graph) : (double)NAN, 3);
    bench_number(t, ended ? least_bytes(f, &s) * 1e-6 : (double)NAN, 2);
    bench_number(t, ended ? floor_ms(f, &s) : (double)NAN, 3);
    bench_number(t, ended ? s.ms[0] / floor_ms(f, &s) : (double)NAN, 1);
    add_rest(f, &s, ended, t);
    bench_say_row(f->b, t);
    return CLI_OK;
}

/* ---- the suite --------------------------------------------------------------------------------------------------- */

static int add_graph(bench_field *f, bench_table *t)
{
    const char *only = f->b->algorithm;
    int code = bench_field_answers(f);
    for (size_t i = 0; code == CLI_OK && nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (a == cli_algorithm(f->problem, f->device, a->name) && (only == NULL || strcmp(only, a->name) == 0))
            code = add_method(f, a->name, t);
    }
    return code;
}

static void note_sources(const bench_field *f, bench_table *t)
{
    size_t at = strlen(t->note);
    at += (size_t)snprintf(t->note + at, sizeof t->note - at, "%s%s from", at > 0 ? "; " : "", f->name);
    for (unsigned i = 0; i < f->source_count && at < sizeof t->note; i++)
        at += (size_t)snprintf(t->note + at, sizeof t->note - at, " %u", f->sources[i]);
}

/* The frontiers that --plot asks for. */
typedef struct frontiers {
    bench_table *table; /* NULL: it does not */
    bench_line lines[BENCH_GPU_GRAPHS];
    size_t count;
} frontiers;

static int measure_graph(bench_field *f, unsigned sources, frontiers *w, bench_table *t)
{
    bench *b = f->b;
    int code = CLI_OK;
    const nf_status st = bench_gpu_make(b, f->name, &f->graph);
    if (st != NF_OK && st != NF_ENOTFOUND)
        code = cli_fail(b->app, st);
    else if (st == NF_OK) {
        f->source_count = sources;
        code = add_graph(f, t);
        note_sources(f, t);
        if (code == CLI_OK && w->table != NULL)
            code = bench_frontier(b, f->device, f->name, f->graph, f->sources[0], &w->lines[w->count++], w->table);
    }
    nf_graph_free(f->graph);
    f->graph = NULL;
    return code;
}

bool bench_gpu_wanted(const bench *b, size_t i)
{
    return bench_listed(b->app->args.graphs, bench_gpu_graph_name(i)) && (b->app->args.graphs != NULL || i < USUAL);
}

static int run_suite(bench *b, nf_problem problem)
{
    static const char *const columns[][14] = {{"graph", "method", "sources", "ms", "ms with parents", "levels",
                                               "arcs / m", "MB", "floor ms", "x floor", "us a level", "GTEPS", "rules"},
                                              {"graph", "method", "sources", "ms", "ms with parents", "rounds",
                                               "arcs / m", "MB", "floor ms", "x floor", "arcs a round", "GTEPS",
                                               "CPU ms", "x CPU"}};
    static const char *const of_frontiers[] = {"graph", "level", "vertices", "arcs", "by"};
    const char *device = b->app->args.device != NULL ? b->app->args.device : "gpu";
    bench_field f = {.b = b, .problem = problem, .device = device};
    frontiers w = {.table = NULL};
    bench_table *t = bench_table_add(b, nf_problem_name(problem), "Methods of a device, the graph in its memory",
                                     columns[problem != NF_BFS], problem == NF_BFS ? 13 : 14);
    int code = bench_context(b, device, 0, &f.ctx);
    if (problem == NF_BFS && b->app->args.plot != NULL)
        w.table = bench_table_add(b, "frontier", "Frontiers from the first source, some of the levels", of_frontiers,
                                  sizeof of_frontiers / sizeof of_frontiers[0]);
    for (size_t i = 0; code == CLI_OK && bench_gpu_graph_name(i) != NULL; i++) {
        f.name = bench_gpu_graph_name(i);
        if (bench_gpu_wanted(b, i))
            code = measure_graph(&f, b->source_count > 0 ? b->source_count : AUTO_SOURCES, &w, t);
    }
    nf_context_free(f.ctx);
    if (code == CLI_OK && w.table != NULL)
        code = bench_frontier_draw(b, w.lines, w.count);
    return code;
}

static int run_or_check(bench *b, nf_problem problem)
{
    if (b->app->args.auto_check)
        return bench_auto_check(b, b->app->args.device != NULL ? b->app->args.device : "gpu", 1u << problem);
    return run_suite(b, problem);
}

int bench_gpu_bfs(bench *b)
{
    return run_or_check(b, NF_BFS);
}

int bench_gpu_sssp(bench *b)
{
    if (b->app->args.figures != NULL)
        return bench_figures(b);
    return run_or_check(b, NF_SSSP);
}
