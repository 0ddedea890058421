/* bench_ratio.c - BFS and SSSP beside the rivals, on the same graphs from the same sources in one run.
 *
 * For each source ours and the rivals take turns `repeats` times after a first run that is not counted; a rival SLOWER
 * times behind runs once, as no noise could save it. The best run from each source counts, then the median over the
 * sources. Ratios are rival / ours: above 1 ours is ahead. Libraries that use one thread are in the rows of one thread.
 * Invariant: B1 (bench.h).
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define DEFAULT_SOURCES 8u
#define SLOWER 4.0
#define LIMIT_MS 120000.0         /* a rival that has not answered by then is left behind */
#define FIELDS (BENCH_RIVALS + 1) /* the rivals, then GAP */

typedef struct duel {
    bench *b;
    const char *name;
    nf_graph *graph;
    nf_context *ctx;
    nf_problem problem;
    int threads;
    nf_vid sources[BENCH_SOURCES];
    bench_answer want[BENCH_SOURCES]; /* the oracle's */
    double ours[BENCH_SOURCES], rival[FIELDS][BENCH_SOURCES];
    bench_outcome outcome[FIELDS];
    char chosen[40];
    long delta; /* GAP's, 0 before it is known */
} duel;

static int run_ours(duel *d, unsigned i)
{
    bench_answer a;
    nf_status st = bench_search(d->ctx, d->graph, d->problem, d->sources[i], d->b->algorithm, 0, &a);
    if (cli_interrupted())
        st = NF_ECANCELLED;
    if (st != NF_OK)
        return cli_fail(d->b->app, st);
    if (a.hash != d->want[i].hash) {
        cli_complain(d->b->app, "%s: %s gives a wrong answer from source %u", d->name, a.chosen, d->sources[i]);
        d->b->wrong = true;
    }
    d->ours[i] = fmin(d->ours[i], a.ms);
    memcpy(d->chosen, a.chosen, sizeof d->chosen);
    return CLI_OK;
}

static void run_rival(duel *d, size_t k, unsigned i)
{
    double ms = (double)NAN;
    const bench_outcome o =
        bench_ask(&d->b->rivals[k], nf_problem_name(d->problem), d->threads, d->sources[i], &d->want[i], LIMIT_MS, &ms);
    if (d->outcome[k] == BENCH_RIGHT)
        d->outcome[k] = o;
    if (o == BENCH_RIGHT)
        d->rival[k][i] = fmin(d->rival[k][i], ms);
}

/* All from one source, in turns. */
static int run_source(duel *d, unsigned i)
{
    int code = run_ours(d, i);
    d->ours[i] = (double)INFINITY;
    for (unsigned r = 0; code == CLI_OK && r < d->b->repeats; r++) {
        code = run_ours(d, i);
        for (size_t k = 0; code == CLI_OK && k < BENCH_RIVALS; k++)
            if (d->outcome[k] == BENCH_RIGHT && !(d->rival[k][i] < INFINITY && d->rival[k][i] > SLOWER * d->ours[i]))
                run_rival(d, k, i);
    }
    if (code == CLI_OK && d->outcome[BENCH_RIVALS] == BENCH_RIGHT) {
        d->outcome[BENCH_RIVALS] = bench_gap_run(d->b, d->problem, d->threads, d->sources[i], d->delta, d->b->repeats,
                                                 &d->want[i], &d->rival[BENCH_RIVALS][i]);
        code = run_ours(d, i);
    }
    return code;
}

static double cell_of(bench_table *t, bench_outcome outcome, double *values, unsigned count)
{
    static const char *const words[] = {"-", "", "wrong", "late"};
    if (outcome == BENCH_RIGHT) {
        const double ms = bench_median(values, count);
        bench_number(t, ms, 2);
        return ms;
    }
    bench_text(t, "%s", words[outcome]);
    return (double)INFINITY;
}

static void add_row(duel *d, bench_table *t)
{
    double best = (double)INFINITY;
    const unsigned count = d->b->source_count;
    if (!bench_row(t))
        return;
    bench_text(t, "%s", d->name);
    bench_text(t, "%s", nf_problem_name(d->problem));
    bench_number(t, d->threads, 0);
    bench_text(t, "%s", d->chosen);
    const double ours = bench_median(d->ours, count);
    bench_number(t, ours, 2);
    best = fmin(best, cell_of(t, d->outcome[BENCH_RIVALS], d->rival[BENCH_RIVALS], count));
    for (size_t k = 0; k < BENCH_RIVALS; k++)
        best = fmin(best, cell_of(t, d->outcome[k], d->rival[k], count));
    bench_number(t, isfinite(best) ? best / ours : (double)NAN, 2);
    bench_say_row(d->b, t);
}

static int run_row(duel *d, bench_table *t)
{
    bench *b = d->b;
    for (size_t k = 0; k < FIELDS; k++) {
        const bool there =
            k < BENCH_RIVALS ? b->rivals[k].pid != 0 && (d->threads == 1 || b->rivals[k].threads) : b->gap != NULL;
        d->outcome[k] = there ? BENCH_RIGHT : BENCH_NONE;
        for (unsigned i = 0; i < b->source_count; i++)
            d->ours[i] = d->rival[k][i] = (double)INFINITY;
    }
    if (b->gap != NULL && d->problem == NF_SSSP)
        d->delta = bench_gap_delta(b, d->threads, d->sources[0], d->delta);
    int code = bench_context(b, "cpu", d->threads, &d->ctx);
    for (unsigned i = 0; code == CLI_OK && i < b->source_count; i++)
        code = run_source(d, i);
    if (code == CLI_OK)
        add_row(d, t);
    nf_context_free(d->ctx);
    d->ctx = NULL;
    return code;
}

static int ask_oracle(duel *d)
{
    for (unsigned i = 0; i < d->b->source_count; i++) {
        nf_status st = bench_search(d->b->app->ctx, d->graph, d->problem, d->sources[i],
                                    d->problem == NF_BFS ? "serial" : "dijkstra", 0, &d->want[i]);
        if (st != NF_OK)
            return cli_fail(d->b->app, st);
    }
    return CLI_OK;
}

static int run_graph(bench *b, const char *name, bench_table *t)
{
    duel d = {.b = b, .name = name};
    nf_status st = bench_graph_make(b, b->app->ctx, name, &d.graph);
    if (st == NF_ENOTFOUND) {
        bench_say(b, "%s: its file was not found (NEARFAR_DATA names the folder of the data)", name);
        return CLI_OK;
    }
    if (st != NF_OK)
        return cli_fail(b->app, st);
    int code = bench_sources(b, d.graph, d.sources, b->source_count) ? CLI_OK : CLI_INTERNAL;
    if (code == CLI_OK)
        code = bench_rivals_start(b, d.graph);
    for (uint32_t p = NF_BFS; p <= NF_SSSP; p++) {
        if (code != CLI_OK || (b->problems >> p & 1u) == 0)
            continue;
        d.problem = (nf_problem)p;
        code = ask_oracle(&d);
        for (size_t k = 0; code == CLI_OK && k < b->thread_count; k++) {
            d.threads = b->threads[k];
            code = run_row(&d, t);
        }
    }
    bench_rivals_stop(b);
    nf_graph_free(d.graph);
    return code;
}

int bench_ratios(bench *b)
{
    static const char *const columns[] = {"graph", "problem", "T",     "chosen",    "Nearfar", "GAP",
                                          "Boost", "igraph",  "SciPy", "GraphBLAS", "best x"};
    bench_table *t = bench_table_add(b, "ratios", "BFS and SSSP, ms (best x: the fastest rival / Nearfar)", columns,
                                     sizeof columns / sizeof columns[0]);
    int code = CLI_OK;
    b->source_count = b->source_count > 0 ? b->source_count : DEFAULT_SOURCES;
    for (size_t i = 0; code == CLI_OK && bench_graph_name(i) != NULL; i++)
        if (bench_listed(b->app->args.graphs, bench_graph_name(i)))
            code = run_graph(b, bench_graph_name(i), t);
    bench_rivals_tell(b, t->note, sizeof t->note);
    return code;
}
