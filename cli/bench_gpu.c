/* bench_gpu.c - the suites `gpu-bfs` and `gpu-sssp`: every method of a device on graphs that lie in its memory.
 *
 * Graphs: rmat (2^scale vertices, edge factor 16, quadrants 0.57, 0.19, 0.19, weights 1..255), uniform (the same
 * size), grid (2^(scale/2 + 1) rows and columns, a tenth of the edges dropped, weights 1..1000) and the roads of New
 * York as their file has them; where asked for by name, kron26 (2^(scale + 4) vertices, edge factor 16, the Graph500's)
 * and grid7k (7000 rows and columns at scale 22, a fifth of the edges dropped). Sources are drawn by the seed among the
 * vertices that the one of highest degree reaches. A time is the mean over the sources of the least run: from the graph
 * on the device to the result on it, uploads and downloads left out; the first run, which uploads, does not count.
 * `auto` has 16 sources, other methods 2 and CAP_MS a run.
 *
 * The floor of a run, by rates measured on an H200: the largest of arcs looked at / the rate of random reads in an
 * array of the labels' size; bytes (targets, offsets and labels once each) / the rate of copies; levels x a chain of
 * four dependent reads and a block's barrier. On other devices it is a yardstick only.
 * GTEPS of kron26 as the Graph500 counts: the edges as drawn, loops and parallel ones too, within the component.
 * Invariants: B1 (bench.h); the answers come from the CPU's `auto`, and from the textbook code for up to FEW_ARCS arcs.
 *   B2 every run of a breadth-first search, with parents and without, is held against the rules of the Graph500 too;
 *      on graphs above MANY_ARCS those from the first source are. The column `rules` says how many of how many.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define AUTO_SOURCES 16u
#define OTHER_SOURCES 2u
#define CAP_MS 5000.0
#define FEW_ARCS 2000000u
#define MANY_ARCS 1000000000u
#define COPY_RATE 4.26e12 /* bytes a second */
#define LEVEL_MS 0.62e-3  /* 4 x 0.15 us and 0.02 us */

static const char *const names[BENCH_GPU_GRAPHS] = {"rmat", "uniform", "grid", "ny", "kron26", "grid7k"};
#define USUAL 4u /* of them are measured unless --graphs says otherwise */

const char *bench_gpu_graph_name(size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- a graph and its answers ------------------------------------------------------------------------------------- */

typedef struct field {
    bench *b;
    bench_table *frontiers; /* where --plot asks for them */
    bench_line lines[BENCH_GPU_GRAPHS];
    size_t line_count;
    nf_problem problem;
    const char *name, *device;
    nf_context *ctx; /* of the device */
    nf_graph *graph;
    nf_vid sources[BENCH_SOURCES];
    bench_answer want[BENCH_SOURCES];
    unsigned source_count; /* of auto */
    double input;          /* edges as drawn in the sources' component; NaN: not known */
} field;

static nf_status make_graph(const bench *b, const char *name, nf_graph **out)
{
    const uint64_t side = UINT64_C(2) << b->scale / 2;
    const uint64_t road = (uint64_t)lround(7000 * exp2(((double)b->scale - 22) / 2));
    const bench_spec specs[] = {
        {.name = "rmat",
         .kind = "rmat",
         .scale = b->scale,
         .edge_factor = 16,
         .a = 0.57,
         .b = 0.19,
         .c = 0.19,
         .low = 1,
         .high = 255},
        {.name = "kron26", .kind = "kronecker", .scale = b->scale + 4, .edge_factor = 16},
        {.name = "grid7k", .kind = "grid2d", .n = road * road, .drop = 0.2},
        {.name = "uniform", .kind = "uniform", .scale = b->scale, .edge_factor = 16, .low = 1, .high = 255},
        {.name = "grid", .kind = "grid2d", .n = side * side, .drop = 0.1, .low = 1, .high = 1000}};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        if (strcmp(specs[i].name, name) == 0)
            return bench_make(b, b->app->ctx, &specs[i], out);
    return bench_graph_make(b, b->app->ctx, name, out);
}

/* The edges of kron26 as they were drawn, at the vertices of the component: made a second time as arcs from one end. */
static nf_status count_input(field *f, nf_context *cpu, const int32_t *hops)
{
    const bench_spec drawn = {
        .kind = "kronecker", .scale = f->b->scale + 4, .edge_factor = 16, .directed = true, .keep_duplicates = true};
    nf_graph *g = NULL;
    nf_csr c = {.n = 0};
    nf_status st = bench_make(f->b, cpu, &drawn, &g);
    if (st == NF_OK)
        st = nf_graph_view(cpu, g, &c);
    f->input = 0;
    for (nf_vid v = 0; v < c.n; v++)
        if (hops[v] != NF_NO_HOP)
            f->input += (double)(c.off32 != NULL ? c.off32[v + 1] - c.off32[v] : c.off64[v + 1] - c.off64[v]);
    nf_graph_free(g);
    return st;
}

/* Vertices that the one of highest degree reaches, by seed. */
static nf_status draw_sources(field *f, nf_context *cpu)
{
    nf_graph_stats stats = {.size = sizeof stats};
    nf_result *r = NULL;
    uint64_t x = f->b->seed;
    nf_status st = nf_graph_get_stats(cpu, f->graph, 0, &stats);
    if (st == NF_OK)
        st = nf_bfs(cpu, f->graph, stats.degree_max_vertex, NULL, &r);
    for (unsigned i = 0; st == NF_OK && i < f->source_count;) {
        const nf_vid v = bench_draw(&x, nf_graph_n(f->graph));
        if (nf_result_hops(r, 0)[v] != NF_NO_HOP)
            f->sources[i++] = v;
    }
    f->input = (double)NAN;
    if (st == NF_OK && strcmp(f->name, "kron26") == 0)
        st = count_input(f, cpu, nf_result_hops(r, 0));
    nf_result_free(r);
    return st;
}

static int find_answers(field *f)
{
    const char *oracle = f->problem == NF_BFS ? "serial" : "dijkstra";
    nf_context *cpu = NULL;
    int code = bench_context(f->b, "cpu", 0, &cpu);
    if (code != CLI_OK)
        return code;
    nf_status st = draw_sources(f, cpu);
    for (unsigned i = 0; st == NF_OK && i < f->source_count; i++)
        st = bench_search(cpu, f->graph, f->problem, f->sources[i], nf_graph_m(f->graph) <= FEW_ARCS ? oracle : NULL, 0,
                          &f->want[i]);
    nf_context_free(cpu);
    return st == NF_OK ? CLI_OK : cli_fail(f->b->app, cli_interrupted() ? NF_ECANCELLED : st);
}

/* ---- a method ---------------------------------------------------------------------------------------------------- */

typedef enum ending { ENDED, LATE, WRONG, REFUSED } ending;

typedef struct score {
    ending end[2]; /* distances alone, with parents */
    double ms[2], levels, arcs;
    unsigned runs, checked; /* B2 */
} score;

/* One run under its cap, checked. */
static nf_status run_once(field *f, const bench_how *how, unsigned i, bool capped, score *s, bench_answer *got)
{
    const int p = how->flags != 0;
    f->b->deadline = capped ? cli_now_ms() + CAP_MS : 0;
    const nf_status st = bench_search_as(f->ctx, f->graph, f->problem, f->sources[i], how, got);
    f->b->deadline = 0;
    if (st != NF_OK)
        s->end[p] = st == NF_ECANCELLED ? LATE : REFUSED;
    else if (got->hash != f->want[i].hash || got->broken)
        s->end[p] = WRONG, f->b->wrong = true;
    s->runs++;
    s->checked += st == NF_OK && how->check;
    return st;
}

/* Mean over the sources of the least of the runs. */
static nf_status time_method(field *f, const char *algorithm, unsigned sources, uint32_t flags, bool capped, score *s)
{
    const int p = flags != 0;
    const cli_args *a = &f->b->app->args;
    const bool knobs = f->b->algorithm != NULL;
    bench_how how = {.algorithm = algorithm,
                     .flags = flags,
                     .knobs = a->set.items,
                     .knob_count = knobs ? a->set.count : 0};
    nf_status st = NF_OK;
    bench_answer got;
    s->ms[p] = 0;
    for (unsigned i = 0; i < sources; i++) {
        double least = (double)INFINITY;
        how.check = f->problem == NF_BFS && (i == 0 || nf_graph_m(f->graph) <= MANY_ARCS);
        for (unsigned k = i == 0 ? 0 : 1; k <= f->b->repeats; k++) { /* run 0 uploads and warms up */
            st = run_once(f, &how, i, capped, s, &got);
            if (st != NF_OK || s->end[p] != ENDED)
                return st == NF_ECANCELLED && cli_interrupted() ? st : NF_OK;
            if (k > 0)
                least = fmin(least, got.ms);
        }
        s->ms[p] += least / sources;
        if (p == 0) {
            s->levels += (double)got.iterations / sources;
            s->arcs += (double)got.edges / sources;
        }
    }
    return NF_OK;
}

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

static double floor_ms(const field *f, const score *s)
{
    const double n = nf_graph_n(f->graph), arc = f->problem == NF_BFS ? 4 : 8;
    const double reads = s->arcs / gather_rate(4 * n) * 1e3, bytes = (arc * s->arcs + 12 * n) / COPY_RATE * 1e3;
    return fmax(fmax(reads, bytes), s->levels * LEVEL_MS);
}

static void add_time(bench_table *t, ending end, double ms)
{
    if (end == ENDED)
        bench_number(t, ms, 3);
    else
        bench_text(t, "%s", end == LATE ? "> 5 s" : end == WRONG ? "wrong" : "refused");
}

static int add_method(field *f, const char *algorithm, bench_table *t)
{
    const bool automatic = strcmp(algorithm, "auto") == 0;
    const unsigned sources = automatic || f->source_count < OTHER_SOURCES ? f->source_count : OTHER_SOURCES;
    score s = {.levels = 0};
    nf_status st = time_method(f, algorithm, sources, 0, !automatic, &s);
    if (st == NF_OK)
        st = time_method(f, algorithm, sources, NF_RUN_PARENTS, !automatic, &s);
    if (st != NF_OK)
        return cli_fail(f->b->app, st);
    if (!bench_row(t))
        return CLI_INTERNAL;
    bench_text(t, "%s", f->name);
    bench_text(t, "%s", algorithm);
    bench_number(t, sources, 0);
    add_time(t, s.end[0], s.ms[0]);
    add_time(t, s.end[1], s.ms[1]);
    const bool ended = s.end[0] == ENDED;
    bench_number(t, ended ? s.levels : (double)NAN, 0);
    bench_number(t, ended ? s.arcs / (double)nf_graph_m(f->graph) : (double)NAN, 3);
    bench_number(t, ended ? floor_ms(f, &s) : (double)NAN, 3);
    bench_number(t, ended ? s.ms[0] / floor_ms(f, &s) : (double)NAN, 1);
    if (f->problem == NF_BFS) {
        bench_number(t, ended ? s.ms[0] * 1e3 / s.levels : (double)NAN, 2);
        bench_number(t, ended ? f->input / s.ms[0] * 1e-6 : (double)NAN, 1);
        bench_text(t, s.checked == s.runs ? "all %u" : "%u of %u", s.checked, s.runs);
    }
    bench_say_row(f->b, t);
    return CLI_OK;
}

/* ---- the suite --------------------------------------------------------------------------------------------------- */

static int add_graph(field *f, bench_table *t)
{
    const char *only = f->b->algorithm;
    int code = find_answers(f);
    for (size_t i = 0; code == CLI_OK && nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (a == cli_algorithm(f->problem, f->device, a->name) && (only == NULL || strcmp(only, a->name) == 0))
            code = add_method(f, a->name, t);
    }
    return code;
}

static void note_sources(const field *f, bench_table *t)
{
    size_t at = strlen(t->note);
    at += (size_t)snprintf(t->note + at, sizeof t->note - at, "%s%s from", at > 0 ? "; " : "", f->name);
    for (unsigned i = 0; i < f->source_count && at < sizeof t->note; i++)
        at += (size_t)snprintf(t->note + at, sizeof t->note - at, " %u", f->sources[i]);
}

static int run_suite(bench *b, nf_problem problem)
{
    static const char *const columns[] = {"graph",    "method",   "sources", "ms",         "ms with parents", "levels",
                                          "arcs / m", "floor ms", "x floor", "us a level", "GTEPS",           "rules"};
    static const char *const of_frontiers[] = {"graph", "level", "vertices", "arcs", "by"};
    const char *device = b->app->args.device != NULL ? b->app->args.device : "gpu";
    field f = {.b = b, .problem = problem, .device = device};
    bench_table *t = bench_table_add(b, nf_problem_name(problem), "Methods of a device, the graph in its memory",
                                     columns, problem == NF_BFS ? 12 : 9);
    int code = bench_context(b, device, 0, &f.ctx);
    if (problem == NF_BFS && b->app->args.plot != NULL)
        f.frontiers = bench_table_add(b, "frontier", "Frontiers from the first source, some of the levels",
                                      of_frontiers, sizeof of_frontiers / sizeof of_frontiers[0]);
    f.source_count = b->source_count > 0 ? b->source_count : AUTO_SOURCES;
    for (size_t i = 0; code == CLI_OK && bench_gpu_graph_name(i) != NULL; i++) {
        f.name = bench_gpu_graph_name(i);
        if (!bench_listed(b->app->args.graphs, f.name) || (b->app->args.graphs == NULL && i >= USUAL))
            continue;
        const nf_status st = make_graph(b, f.name, &f.graph);
        if (st != NF_OK && st != NF_ENOTFOUND)
            code = cli_fail(b->app, st);
        else if (st == NF_OK) {
            code = add_graph(&f, t);
            note_sources(&f, t);
            if (code == CLI_OK && f.frontiers != NULL)
                code = bench_frontier(b, device, f.name, f.graph, f.sources[0], &f.lines[f.line_count++], f.frontiers);
        }
        nf_graph_free(f.graph);
        f.graph = NULL;
    }
    nf_context_free(f.ctx);
    if (code == CLI_OK && f.frontiers != NULL)
        code = bench_frontier_draw(b, f.lines, f.line_count);
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
    return run_or_check(b, NF_SSSP);
}
