/* bench_auto.c - `--auto-check`: `auto` against the best fixed method on graphs of other families, on the CPU (`bench
 * cpu`) or on a device (`bench gpu-bfs` and `gpu-sssp`, larger graphs).
 *
 * Method: on every graph, for every problem and number of threads, each listed algorithm runs once from every source
 * under a cap of CAP_FACTOR times what `auto` took; on a device it has a run before that, to bring there what it needs
 * of the graph, and at least DEVICE_CAP_MS. Those within FINALIST of the best run again, in turns with `auto`, until
 * each has had at least `repeats` runs and FINAL_MS. The best run from each source counts, then the median over the
 * sources. The ratio is auto / best fixed; at most 1.25 is asked for. The last column is the reason that `auto` gave
 * from the last source.
 * Invariants: B1 (bench.h); A1 every method starts from the same sources on the same graph object, so that cached views
 * are there for all.
 * Cost: about 20 s for each of BFS and SSSP at two numbers of threads; on a GPU within a minute for BFS. SSSP: at most
 * DEVICE_CAP_MS for each of the methods that are slow, on each graph.
 */
#include <math.h>
#include <string.h>

#include "bench.h"

#define MOST_METHODS 24
#define MOST_FINALISTS 4
#define CAP_FACTOR 8.0
#define CAP_MS 60.0          /* the cap is at least that: cancelling takes some time to be noticed */
#define DEVICE_CAP_MS 1000.0 /* arrays of the graph may have to be made and copied first */
#define FINALIST 1.6
#define FINAL_MS 25.0
#define FINAL_RUNS 400u
#define DEFAULT_SOURCES 3u
#define DEVICE_SSSP_SOURCES 2u
#define WANTED 1.25
#define ROUNDED 1e-5 /* float all pairs by methods flagged as rounded: relative error allowed in the sum of distances */

/* Other families, sizes, weights and seeds than the ratio table's; for all pairs the size is `apsp` (0: left out),
 * on a device `device`. */
static const struct {
    bench_spec spec;
    uint64_t apsp, device;
} cases[] = {
    {{.name = "small-world", .kind = "small-world", .n = 100000, .k = 8, .p = 0.1, .low = 1, .high = 1000, .salt = 1},
     800,
     600000},
    {{.name = "forest-fire", .kind = "forest-fire", .n = 60000, .low = 1, .high = 100, .salt = 2}, 700, 150000},
    {{.name = "mesh3d", .kind = "grid3d", .n = 110592, .low = 1, .high = 255, .salt = 3}, 1000, 1000000},
    {{.name = "delaunay17", .kind = "delaunay", .n = 131072, .low = 1, .high = 10000, .salt = 4}, 900, 400000},
    {{.name = "road-drops", .kind = "road", .n = 200000, .drop = 0.2, .salt = 5}, 1000, 600000},
    {{.name = "complete", .kind = "complete", .n = 1800, .low = 1, .high = 1000000, .salt = 6}, 600, 4000},
    {{.name = "star", .kind = "star", .n = 300000, .low = 1, .high = 255, .salt = 7}, 600, 3000000},
    {{.name = "path", .kind = "path", .n = 60000, .low = 1, .high = 255, .salt = 8}, 600, 30000},
    {{.name = "dag-chain", .kind = "dag-chain", .n = 5000, .edge_factor = 500, .salt = 9}, 400, 20000},
    {{.name = "kron14", .kind = "kronecker", .n = 16384, .edge_factor = 16, .low = 1, .high = 255, .salt = 10},
     512,
     131072},
    {{.name = "kron16", .kind = "kronecker", .n = 65536, .edge_factor = 8, .low = 1, .high = 65535, .salt = 11},
     0,
     524288},
    {{.name = "uniform-4", .kind = "uniform", .n = 150000, .edge_factor = 2, .low = 1, .high = 255, .salt = 12},
     900,
     2000000},
    {{.name = "uniform-64", .kind = "uniform", .n = 20000, .edge_factor = 32, .low = 1, .high = 255, .salt = 13},
     700,
     200000},
    {{.name = "f32", .kind = "uniform", .n = 50000, .edge_factor = 8, .low = 0, .high = 1, .type = NF_F32, .salt = 14},
     600,
     500000},
};

typedef struct method {
    const char *name;
    bool rounded; /* its float sums may differ in the last bits */
    bool over;    /* past the cap, or not for this graph */
    double best[BENCH_SOURCES];
    double ms; /* median over the sources */
    char chosen[40], reason[256];
} method;

typedef struct contest {
    bench *b;
    const char *name; /* of the graph */
    const char *device;
    nf_context *ctx;
    nf_graph *graph;
    nf_problem problem;
    nf_vid sources[BENCH_SOURCES];
    unsigned source_count;
    bench_answer want[BENCH_SOURCES]; /* the oracle's */
    method methods[MOST_METHODS];
    unsigned count; /* methods[0] is auto */
    double wall;    /* ms of a run of auto, bringing its answer included: on a device most of it */
} contest;

static bool is_right(const contest *c, const method *m, const bench_answer *got, const bench_answer *want)
{
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(c->graph, &info);
    const bool floats = info.weight_type == NF_F32 || info.weight_type == NF_F64;
    if (m->rounded && floats)
        return got->reached == want->reached && fabs(got->sum - want->sum) <= ROUNDED * fabs(want->sum);
    return got->hash == want->hash;
}

/* One run; its time counts when the answer is right (B1). */
static int race_once(contest *c, method *m, unsigned i, double *ms)
{
    bench_answer a;
    nf_status st = bench_search(c->ctx, c->graph, c->problem, c->sources[i], m->name, 0, &a);
    *ms = a.ms;
    if (cli_interrupted())
        return cli_fail(c->b->app, NF_ECANCELLED);
    if (st == NF_ECANCELLED || st == NF_EUNSUPPORTED) {
        m->over = true;
        return CLI_OK;
    }
    if (st != NF_OK)
        return cli_fail(c->b->app, st);
    if (!is_right(c, m, &a, &c->want[i])) {
        cli_complain(c->b->app, "%s: %s %s gives a wrong answer", c->name, nf_problem_name(c->problem), m->name);
        c->b->wrong = m->over = true;
    }
    m->best[i] = fmin(m->best[i], a.ms);
    memcpy(m->chosen, a.chosen, sizeof m->chosen);
    memcpy(m->reason, a.reason, sizeof m->reason);
    return CLI_OK;
}

static void settle(const contest *c, method *m)
{
    double ms[BENCH_SOURCES];
    memcpy(ms, m->best, c->source_count * sizeof *ms);
    m->ms = m->over ? (double)INFINITY : bench_median(ms, c->source_count);
}

/* The textbook's answers, from the CPU. */
static int ask_oracle(contest *c)
{
    static const char *const names[] = {"serial", "dijkstra", "johnson"};
    nf_context *cpu = NULL;
    int code = bench_context(c->b, "cpu", 1, &cpu);
    for (unsigned i = 0; code == CLI_OK && i < c->source_count; i++) {
        const nf_status st = bench_search(cpu, c->graph, c->problem, c->sources[i], names[c->problem], 0, &c->want[i]);
        code = st == NF_OK ? CLI_OK : cli_fail(c->b->app, st);
    }
    nf_context_free(cpu);
    return code;
}

static void list_methods(contest *c)
{
    c->count = 1;
    c->methods[0] = (method){.name = "auto", .rounded = c->problem == NF_APSP};
    for (size_t i = 0; nf_algorithm_get(i) != NULL && c->count < MOST_METHODS; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (a == cli_algorithm(c->problem, c->device, a->name) && (a->flags & NF_ALG_AUTO) == 0)
            c->methods[c->count++] = (method){.name = a->name, .rounded = (a->flags & NF_ALG_ROUNDED) != 0};
    }
    for (unsigned k = 0; k < c->count; k++)
        for (unsigned i = 0; i < c->source_count; i++)
            c->methods[k].best[i] = (double)INFINITY;
}

/* Everybody once, under the cap; `auto`, and on a device everybody, once more before that, to warm up. */
static int first_round(contest *c)
{
    const bool device = strcmp(c->device, "cpu") != 0;
    const double least = device ? DEVICE_CAP_MS : CAP_MS;
    double ms, cap = 0;
    int code = CLI_OK;
    for (unsigned k = 0; code == CLI_OK && k < c->count; k++) {
        for (unsigned i = 0; code == CLI_OK && i < c->source_count && !c->methods[k].over; i++) {
            const double limit = fmax(CAP_FACTOR * (device ? fmax(cap, c->wall) : cap), least);
            c->b->deadline = k > 0 ? cli_now_ms() + limit : 0;
            if (k == 0 || (device && i == 0))
                code = race_once(c, &c->methods[k], i, &ms);
            const double since = cli_now_ms();
            if (k > 0)
                c->b->deadline = since + limit;
            if (code == CLI_OK && !c->methods[k].over)
                code = race_once(c, &c->methods[k], i, &ms);
            if (k == 0)
                c->wall = cli_now_ms() - since;
            cap = k == 0 ? fmax(cap, ms) : cap;
        }
        settle(c, &c->methods[k]);
    }
    c->b->deadline = 0;
    return code;
}

static bool is_in(method *const *list, unsigned count, const method *m)
{
    for (unsigned k = 0; k < count; k++)
        if (list[k] == m)
            return true;
    return false;
}

/* The best ones in turns with `auto`. */
static int final_round(contest *c)
{
    method *finalists[MOST_FINALISTS] = {&c->methods[0]};
    unsigned count = 1;
    double least = (double)INFINITY, ms = 0;
    for (; count < MOST_FINALISTS; count++) { /* the best of the others, as long as it is near the best */
        method *next = NULL;
        for (unsigned k = 1; k < c->count; k++)
            if (!is_in(finalists, count, &c->methods[k]) && (next == NULL || c->methods[k].ms < next->ms))
                next = &c->methods[k];
        least = next != NULL ? fmin(least, next->ms) : least;
        if (next == NULL || !(next->ms <= FINALIST * least) || !isfinite(next->ms))
            break;
        finalists[count] = next;
    }
    const double each = strcmp(c->device, "cpu") == 0 ? fmax(least, 1e-3) : fmax(c->wall, least);
    const unsigned more = (unsigned)(FINAL_MS / each) + 1;
    const unsigned runs = more < c->b->repeats ? c->b->repeats : more > FINAL_RUNS ? FINAL_RUNS : more;
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < c->source_count; i++)
        for (unsigned r = 0; code == CLI_OK && r < runs; r++)
            for (unsigned k = 0; code == CLI_OK && k < count; k++)
                code = race_once(c, finalists[(k + r) % count], i, &ms);
    for (unsigned k = 0; k < count; k++)
        settle(c, finalists[k]);
    return code;
}

static void add_row(contest *c, int threads, bench_table *t)
{
    const method *best = NULL, *a = &c->methods[0];
    unsigned ended = 0;
    for (unsigned k = 1; k < c->count; k++) {
        ended += isfinite(c->methods[k].ms) ? 1 : 0;
        best = isfinite(c->methods[k].ms) && (best == NULL || c->methods[k].ms < best->ms) ? &c->methods[k] : best;
    }
    if (best == NULL || !bench_row(t))
        return;
    bench_text(t, "%s", c->name);
    bench_number(t, nf_graph_n(c->graph), 0);
    bench_number(t, (double)nf_graph_m(c->graph), 0);
    bench_text(t, "%s", nf_problem_name(c->problem));
    bench_number(t, threads > 0 ? threads : (double)NAN, 0);
    bench_text(t, "%s", a->chosen);
    bench_number(t, a->ms, 3);
    bench_text(t, "%s", best->name);
    bench_number(t, best->ms, 3);
    bench_number(t, ended, 0);
    bench_number(t, a->ms / best->ms, 2);
    bench_text(t, "%s", a->reason);
    bench_say_row(c->b, t);
}

static int run_contest(contest *c, int threads, bench_table *t)
{
    list_methods(c);
    int code = bench_context(c->b, c->device, threads, &c->ctx);
    if (code == CLI_OK)
        code = ask_oracle(c);
    if (code == CLI_OK)
        code = first_round(c);
    if (code == CLI_OK)
        code = final_round(c);
    if (code == CLI_OK)
        add_row(c, threads, t);
    nf_context_free(c->ctx);
    c->ctx = NULL;
    return code;
}

/* The sizes are those of a suite's own scale and shrink with it. */
static bench_spec spec_of(const bench *b, size_t i, nf_problem problem, bool device)
{
    const unsigned own = device ? 22 : 20, less = b->scale < own ? own - b->scale : 0;
    bench_spec spec = cases[i].spec;
    spec.n = problem == NF_APSP ? cases[i].apsp : device ? cases[i].device : spec.n;
    if (less > 0)
        spec.n = spec.n >> less > 32 ? spec.n >> less : 32;
    if (spec.edge_factor > (double)spec.n / 4)
        spec.edge_factor = (double)spec.n / 4;
    return spec;
}

/* One graph, one problem. */
static int check_case(bench *b, const char *device, size_t i, nf_problem problem, bench_table *t)
{
    contest c = {.b = b, .problem = problem, .device = device, .name = cases[i].spec.name};
    const bool cpu = strcmp(device, "cpu") == 0;
    const bench_spec spec = spec_of(b, i, problem, !cpu);
    if (problem == NF_APSP && cases[i].apsp == 0)
        return CLI_OK;
    nf_status st = bench_make(b, b->app->ctx, &spec, &c.graph);
    if (st != NF_OK)
        return cli_fail(b->app, st);
    c.source_count = problem == NF_APSP           ? 1
                     : b->source_count > 0        ? b->source_count
                     : !cpu && problem == NF_SSSP ? DEVICE_SSSP_SOURCES
                                                  : DEFAULT_SOURCES;
    int code = bench_sources(b, c.graph, c.sources, c.source_count) ? CLI_OK : CLI_INTERNAL;
    for (size_t k = 0; code == CLI_OK && k < (cpu ? b->thread_count : 1); k++)
        code = run_contest(&c, cpu ? b->threads[k] : 0, t);
    nf_graph_free(c.graph);
    return code;
}

int bench_auto_check(bench *b, const char *device, uint32_t problems)
{
    static const char *const columns[] = {"graph",   "n",          "m",  "problem", "T", "auto chose",
                                          "auto ms", "best fixed", "ms", "of",      "x", "reason"};
    bench_table *t =
        bench_table_add(b, "auto",
                        "`auto` against the best fixed method (x: auto / best; of: methods that ended in time)",
                        columns, sizeof columns / sizeof columns[0]);
    int code = CLI_OK;
    size_t above = 0;
    double worst = 0;
    for (uint32_t p = NF_BFS; p <= NF_APSP; p++)
        for (size_t i = 0; code == CLI_OK && i < sizeof cases / sizeof cases[0]; i++)
            if ((problems >> p & 1u) != 0)
                code = check_case(b, device, i, (nf_problem)p, t);
    for (size_t r = 0; r < t->row_count; r++) {
        worst = fmax(worst, t->rows[r][10].value);
        above += t->rows[r][10].value > WANTED ? 1 : 0;
    }
    snprintf(t->note, sizeof t->note, "%zu rows, %zu above %.2f; the worst is %.2f", t->row_count, above, WANTED,
             worst);
    return code;
}
