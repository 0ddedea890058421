/* bench_many.c - many sources in one call against one by one: what a batch saves.
 *
 * The rows of a batch must agree with single runs; those are held against the oracle in the ratio table.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define BATCH 64u

typedef struct batch {
    bool hops;
    bench_answer rows[BATCH];
} batch;

static nf_status take_rows(void *user, const nf_tile *tile)
{
    batch *all = user;
    const size_t size = nf_type_size(tile->type);
    for (uint64_t i = 0; i < tile->rows; i++)
        bench_hash_row(&all->rows[tile->row0 + i], (const char *)tile->distances + i * tile->stride * size, tile->type,
                       all->hops, tile->col0, tile->cols);
    return NF_OK;
}

static nf_status drop_rows(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

/* One call for all: the best time without a look at the rows, after one run that hashes them. */
static nf_status time_batch(bench *b, nf_context *ctx, const nf_graph *g, nf_problem problem, const nf_vid *sources,
                            batch *all, double *ms, char *chosen)
{
    nf_status st = NF_OK;
    *ms = (double)INFINITY;
    for (unsigned k = 0; st == NF_OK && k <= b->repeats; k++) {
        const nf_run_options o = {.size = sizeof o,
                                  .algorithm = b->algorithm,
                                  .sink = k == 0 ? take_rows : drop_rows,
                                  .sink_user = all};
        nf_run_info info = {.size = sizeof info};
        nf_result *r = NULL;
        st = (problem == NF_BFS ? nf_bfs_many : nf_sssp_many)(ctx, g, sources, BATCH, &o, &r);
        if (st == NF_OK)
            st = nf_result_info(r, &info);
        if (st == NF_OK) {
            *ms = k > 0 ? fmin(*ms, info.run_ms) : *ms;
            snprintf(chosen, 40, "%s", info.algorithm);
        }
        nf_result_free(r);
    }
    return st;
}

static int compare_batch(bench *b, const char *name, const nf_graph *g, nf_problem problem, int threads, bench_table *t)
{
    nf_context *ctx = NULL;
    nf_vid sources[BATCH];
    batch all = {.hops = problem == NF_BFS};
    double apart = 0, together = 0;
    char chosen[40] = "";
    int code = bench_sources(b, g, sources, BATCH) ? bench_context(b, "cpu", threads, &ctx) : CLI_INTERNAL;
    nf_status st = NF_OK;
    if (code == CLI_OK)
        st = time_batch(b, ctx, g, problem, sources, &all, &together, chosen);
    for (unsigned i = 0; code == CLI_OK && st == NF_OK && i < BATCH; i++) {
        bench_answer a;
        st = bench_search(ctx, g, problem, sources[i], b->algorithm, 0, &a);
        apart += a.ms;
        if (st == NF_OK && a.hash != all.rows[i].hash) {
            cli_complain(b->app, "%s: %s with many sources gives a wrong answer", name, chosen);
            b->wrong = true;
        }
    }
    nf_context_free(ctx);
    if (code != CLI_OK || st != NF_OK)
        return code != CLI_OK ? code : cli_fail(b->app, cli_interrupted() ? NF_ECANCELLED : st);
    if (bench_row(t)) {
        bench_text(t, "%s", name);
        bench_text(t, "%s", nf_problem_name(problem));
        bench_number(t, BATCH, 0);
        bench_number(t, threads, 0);
        bench_text(t, "%s", chosen);
        bench_number(t, together, 1);
        bench_number(t, apart, 1);
        bench_number(t, apart / together, 2);
        bench_say_row(b, t);
    }
    return CLI_OK;
}

static int many_of(bench *b, const char *name, const nf_graph *g, int threads, bench_table *t)
{
    return compare_batch(b, name, g, NF_BFS, threads, t);
}

int bench_many(bench *b)
{
    static const char *const columns[] = {"graph",  "problem",     "sources",    "T",
                                          "chosen", "in one call", "one by one", "x"};
    bench_table *t = bench_table_add(b, "many", "Many sources, ms", columns, sizeof columns / sizeof columns[0]);
    return bench_over_graphs(b, t, many_of);
}
