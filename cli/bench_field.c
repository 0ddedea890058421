/* bench_field.c - graphs that a device's methods run on, their answers, and the time of a method: what the suites
 * `gpu-bfs` and `gpu-sssp` and the figures share.
 *
 * Sources are drawn by the seed among the vertices that the one of highest degree reaches. A time is the mean over the
 * sources of the least run; the first run, which uploads, does not count.
 * Invariants: B1 (bench.h); the answers come from the CPU's `auto`, and from the textbook code for up to FEW_ARCS arcs.
 *   B2 every run of a breadth-first search, with parents and without, is held against the rules of the Graph500 too.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define FEW_ARCS 2000000u
#define CHAIN_ARCS 94.4e6 /* of `dag`, at scale 22 */
#define CPU_SOURCES 2u    /* that the CPU's `auto` is timed from, twice each */

/* ---- a graph and its answers ------------------------------------------------------------------------------------- */

static const char *const names[BENCH_GPU_GRAPHS] = {"rmat",   "uniform", "grid", "ny",  "kron26",
                                                    "grid7k", "kron24",  "road", "dag", "dag-permuted"};

const char *bench_gpu_graph_name(size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

nf_status bench_gpu_make(const bench *b, const char *name, nf_graph **out)
{
    const double less = (double)b->scale - 22;
    const uint64_t side = UINT64_C(2) << b->scale / 2;
    const uint64_t road = (uint64_t)lround(7000 * exp2(less / 2));
    const bench_spec chain = bench_chain_spec(b, CHAIN_ARCS * exp2(less));
    const bench_spec specs[] = {
        {.name = "kron24", .kind = "kronecker", .scale = b->scale + 2, .edge_factor = 16, .low = 1, .high = 255},
        {.name = "road", .kind = "road", .n = (uint64_t)(1e7 * exp2(less)) + 32},
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
    if (strcmp(name, "dag") == 0)
        return bench_make(b, b->app->ctx, &chain, out);
    if (strcmp(name, "dag-permuted") == 0)
        return bench_chain_hide(b, b->app->ctx, &chain, out);
    return bench_graph_make(b, b->app->ctx, name, out);
}

/* The edges of kron24 or kron26 as they were drawn, at the vertices of the component: made a second time as arcs from
 * one end. */
static nf_status count_input(bench_field *f, nf_context *cpu, const int32_t *hops)
{
    const bench_spec drawn = {.kind = "kronecker",
                              .scale = f->b->scale + (strcmp(f->name, "kron24") == 0 ? 2 : 4),
                              .edge_factor = 16,
                              .directed = true,
                              .keep_duplicates = true};
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
static nf_status draw_sources(bench_field *f, nf_context *cpu)
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
    if (st == NF_OK && strncmp(f->name, "dag", 3) == 0) {
        f->source_count = 1;
        st = bench_chain_source(f->b, nf_graph_n(f->graph), strcmp(f->name, "dag") != 0, f->sources);
    }
    f->input = (double)NAN;
    if (st == NF_OK && strncmp(f->name, "kron", 4) == 0)
        st = count_input(f, cpu, nf_result_hops(r, 0));
    nf_result_free(r);
    return st;
}

/* The CPU's `auto`, beside which a device stands. */
static nf_status time_cpu(bench_field *f, nf_context *cpu)
{
    const unsigned count = f->source_count < CPU_SOURCES ? f->source_count : CPU_SOURCES;
    nf_status st = NF_OK;
    f->cpu_ms = 0;
    for (unsigned i = 0; st == NF_OK && i < count; i++) {
        bench_answer first, second;
        st = bench_search(cpu, f->graph, f->problem, f->sources[i], NULL, 0, &first);
        if (st == NF_OK)
            st = bench_search(cpu, f->graph, f->problem, f->sources[i], NULL, 0, &second);
        if (st == NF_OK)
            f->cpu_ms += fmin(first.ms, second.ms) / count;
    }
    return st;
}

int bench_field_answers(bench_field *f)
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
    if (st == NF_OK && f->problem == NF_SSSP)
        st = time_cpu(f, cpu);
    nf_context_free(cpu);
    return st == NF_OK ? CLI_OK : cli_fail(f->b->app, cli_interrupted() ? NF_ECANCELLED : st);
}

/* ---- a method ---------------------------------------------------------------------------------------------------- */

nf_status bench_field_run(bench_field *f, const bench_how *how, unsigned i, bool capped, bench_score *s,
                          bench_answer *got)
{
    const int p = (how->flags & NF_RUN_PARENTS) != 0;
    f->b->deadline = capped ? cli_now_ms() + BENCH_CAP_MS : 0;
    const nf_status st = bench_search_as(f->ctx, f->graph, f->problem, f->sources[i], how, got);
    f->b->deadline = 0;
    if (st != NF_OK)
        s->end[p] = st == NF_ECANCELLED ? BENCH_OVER : BENCH_REFUSED;
    else if (got->hash != f->want[i].hash || got->broken)
        s->end[p] = BENCH_WRONG, f->b->wrong = true;
    s->runs++;
    s->checked += st == NF_OK && how->check;
    return st == NF_ECANCELLED && !cli_interrupted() ? NF_OK : st;
}

nf_status bench_field_time(bench_field *f, const bench_how *asked, unsigned sources, bool capped, bench_score *s)
{
    const int p = (asked->flags & NF_RUN_PARENTS) != 0;
    bench_how how = *asked;
    nf_status st = NF_OK;
    bench_answer got;
    s->ms[p] = 0;
    for (unsigned i = 0; i < sources; i++) {
        double least = (double)INFINITY;
        how.check = f->problem == NF_BFS;
        for (unsigned k = i == 0 ? 0 : 1; k <= f->b->repeats; k++) { /* run 0 uploads and warms up */
            st = bench_field_run(f, &how, i, capped, s, &got);
            if (s->end[p] != BENCH_ENDED)
                return st == NF_ECANCELLED ? st : NF_OK;
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
