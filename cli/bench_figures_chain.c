/* bench_figures_chain.c - figures of the parallel bucket heap's paper and of An's (bench_figures.c): time against the
 * arcs of a graph with a long chain; edges per thread, transfers, and ways to relax on complete graphs.
 *
 * The chain's graph has 30,000 vertices at scale 22, and 10^6 arcs, twice as many, and so on up to --edges (2 * 10^8 by
 * default, all there can be: 4.5 * 10^8). Complete graphs have from 2^(scale / 2 - 3) vertices, at least 8, to
 * 2^(scale / 2 + 1): 256 to 4,096 at scale 22.
 */
#include <math.h>
#include <string.h>

#include "bench_figures.h"

#define LEAST_ARCS 1e6 /* at scale 22 */
#define MOST_ARCS 2e8

/* One source: a time of `words` on the graph at hand. */
static int time_one(album *a, const char *words, bench_score *s)
{
    album_how h;
    album_how_of(&h, words);
    *s = (bench_score){.levels = 0};
    const nf_status st = bench_field_time(&a->f, &h.how, a->f.source_count, true, s);
    return st == NF_OK ? CLI_OK : cli_fail(a->f.b->app, st);
}

static double ms_of(const bench_score *s)
{
    return s->end[0] == BENCH_ENDED ? s->ms[0] : (double)NAN;
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

static int dag_of(album *a, double arcs)
{
    static const char *const methods[] = {"bucket-heap", "near-far", "delta-stepping", "workfront", "auto"};
    const bench *b = a->f.b;
    const bench_spec spec = bench_chain_spec(b, arcs);
    int code = album_take(a, "dag", bench_make(b, b->app->ctx, &spec, &a->f.graph), 1);
    for (size_t i = 0; code == CLI_OK && i < sizeof methods / sizeof methods[0]; i++) {
        bench_score s;
        code = time_one(a, methods[i], &s);
        if (code != CLI_OK || !bench_row(a->table))
            break;
        bench_text(a->table, "%s", methods[i]);
        bench_number(a->table, nf_graph_n(a->f.graph), 0);
        bench_number(a->table, (double)nf_graph_m(a->f.graph), 0);
        bench_number(a->table, a->f.sources[0], 0);
        bench_time_cell(a->table, s.end[0], s.ms[0]);
        bench_number(a->table, s.end[0] == BENCH_ENDED ? s.levels : (double)NAN, 0);
        bench_say_row(b, a->table);
        album_point(a, methods[i], (double)nf_graph_m(a->f.graph), ms_of(&s) / 1e3);
    }
    album_drop(a);
    return code;
}

int figure_dag(album *a)
{
    static const char *const columns[] = {"method", "n", "arcs", "source", "ms", "rounds"};
    const bench *b = a->f.b;
    const double shrink = exp2((double)b->scale - 22);
    const double most = b->app->args.edges.given ? (double)b->app->args.edges.value : MOST_ARCS * shrink;
    const double least = fmax(LEAST_ARCS * shrink, 2 * (double)bench_chain_spec(b, 0).n);
    int code = CLI_OK;
    album_table(a, "dag", "Time against the arcs of a graph with a long chain", columns, 6);
    for (double m = least; code == CLI_OK && m < most * 1.01; m *= 2)
        code = dag_of(a, m);
    return code == CLI_OK ? album_draw(a, "3", "A long chain under many arcs", "arcs", "seconds", BENCH_LINES) : code;
}

/* ---- complete graphs --------------------------------------------------------------------------------------------- */

static int over_complete(album *a, uint64_t more, int (*each)(album *a, uint64_t n))
{
    const bench *b = a->f.b;
    const uint64_t most = (UINT64_C(2) << b->scale / 2) * more;
    uint64_t n = most / 16 > 8 ? most / 16 : 8;
    int code = CLI_OK;
    for (; code == CLI_OK && n <= most; n *= 2) {
        const bench_spec spec = {.name = "complete", .kind = "complete", .n = n, .low = 1, .high = 1000, .salt = 6};
        code = album_take(a, "complete", bench_make(b, b->app->ctx, &spec, &a->f.graph), 1);
        if (code == CLI_OK)
            code = each(a, n);
        album_drop(a);
    }
    return code;
}

/* A row of a table whose columns are: vertices, what, ms, rounds. */
static int time_complete(album *a, uint64_t n, const char *what, const char *words)
{
    bench_score s;
    const int code = time_one(a, words, &s);
    if (code != CLI_OK || !bench_row(a->table))
        return code;
    bench_number(a->table, (double)n, 0);
    bench_text(a->table, "%s", what);
    bench_time_cell(a->table, s.end[0], s.ms[0]);
    bench_number(a->table, s.end[0] == BENCH_ENDED ? s.levels : (double)NAN, 0);
    bench_say_row(a->f.b, a->table);
    album_point(a, what, (double)n, ms_of(&s));
    return CLI_OK;
}

static int threads_of(album *a, uint64_t n)
{
    int code = CLI_OK;
    for (unsigned each = 1; code == CLI_OK && each <= 64; each *= 2) {
        char what[16], words[80];
        snprintf(what, sizeof what, "%u", each);
        snprintf(words, sizeof words, "bellman-ford-edge layout=matrix loop=host edges-per-thread=%u", each);
        code = time_complete(a, n, what, words);
    }
    return code;
}

int figure_threads(album *a)
{
    static const char *const columns[] = {"vertices", "edges per thread", "ms", "rounds"};
    album_table(a, "threads", "Bellman-Ford on the matrix of a complete graph, by edges per thread", columns, 4);
    int code = over_complete(a, 1, threads_of);
    if (code == CLI_OK)
        code = album_draw(a, "1.1", "Time by edges per thread", "vertices", "milliseconds", BENCH_LINES);
    const bench_table *t = a->table;
    for (size_t r = 0; code == CLI_OK && r < t->row_count; r++) {
        char line[32];
        double each = 0;
        snprintf(line, sizeof line, "n = %.0f", t->rows[r][0].value);
        (void)sscanf(t->rows[r][1].text, "%lf", &each);
        album_point(a, line, each, t->rows[r][2].value);
    }
    return code == CLI_OK ? album_draw(a, "1.2", "Time by vertices", "edges per thread", "milliseconds", BENCH_LINES)
                          : code;
}

static int ways_of(album *a, uint64_t n)
{
    int code = time_complete(a, n, "a thread an arc", "bellman-ford-edge layout=matrix loop=host");
    if (code == CLI_OK)
        code = time_complete(a, n, "incoming", "bellman-ford direction=incoming");
    return code == CLI_OK ? time_complete(a, n, "outgoing", "bellman-ford direction=outgoing") : code;
}

int figure_ways(album *a)
{
    static const char *const columns[] = {"vertices", "way", "ms", "rounds"};
    album_table(a, "ways", "Bellman-Ford on complete graphs: what a thread has", columns, 4);
    const int code = over_complete(a, 1, ways_of);
    return code == CLI_OK ? album_draw(a, "2", "Three ways to relax", "vertices", "milliseconds", BENCH_LINES) : code;
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

/* What `bellman-ford-streamed` tells the log. */
typedef struct transfer {
    unsigned long long bytes, copies;
    double copy_ms, all_ms, share;
    char memory[16];
    bool told;
} transfer;

static void hear_transfer(void *user, nf_log_level level, const char *text)
{
    transfer *x = user;
    unsigned long long pieces, arcs, skipped, early;
    double relax, hidden;
    (void)level;
    if (sscanf(text,
               "sssp streamed: pieces %llu of %llu arcs, memory %15[^,], copies %llu, skipped %llu, early %llu, bytes "
               "%llu, copies ms %lf, relaxations ms %lf, of %lf ms, hidden ms %lf, transfer share %lf",
               &pieces, &arcs, x->memory, &x->copies, &skipped, &early, &x->bytes, &x->copy_ms, &relax, &x->all_ms,
               &hidden, &x->share)
        == 12)
        x->told = true;
}

static int transfer_by(album *a, uint64_t n, const char *memory)
{
    char words[64];
    transfer best = {.told = false};
    snprintf(words, sizeof words, "bellman-ford-streamed skip=0 memory=%s", memory);
    for (unsigned k = 0; k <= a->f.b->repeats; k++) { /* the first run warms up */
        transfer x = {.told = false};
        const int code = album_listen(a, words, a->f.sources[0], hear_transfer, &x);
        if (code != CLI_OK)
            return code;
        if (k > 0 && x.told && (!best.told || x.copy_ms < best.copy_ms))
            best = x;
    }
    if (!best.told || !bench_row(a->table))
        return CLI_OK;
    bench_number(a->table, (double)n, 0);
    bench_text(a->table, "%s", memory);
    bench_text(a->table, "%s", best.memory);
    bench_number(a->table, (double)best.bytes, 0);
    bench_number(a->table, best.copy_ms, 3);
    bench_number(a->table, best.all_ms, 3);
    bench_number(a->table, best.share, 1);
    bench_number(a->table, best.copy_ms > 0 ? (double)best.bytes / best.copy_ms * 1e-6 : (double)NAN, 2);
    bench_say_row(a->f.b, a->table);
    album_point(a, memory, (double)n, best.copy_ms);
    return CLI_OK;
}

static int transfers_of(album *a, uint64_t n)
{
    const int code = transfer_by(a, n, "pinned");
    return code == CLI_OK ? transfer_by(a, n, "pageable") : code;
}

int figure_pinned(album *a)
{
    static const char *const columns[] = {"vertices",  "asked for", "memory",  "bytes",
                                          "copies ms", "all ms",    "share %", "GB a second"};
    album_table(a, "pinned", "Transfers of a complete graph's arcs, from pinned and pageable memory", columns, 8);
    int code = over_complete(a, 2, transfers_of);
    if (code == CLI_OK)
        code = album_draw(a, "transfers", "Transfers", "vertices", "milliseconds", BENCH_LINES);
    const bench_table *t = a->table;
    for (size_t r = 0; code == CLI_OK && r < t->row_count; r++)
        album_point(a, t->rows[r][1].text, t->rows[r][0].value, t->rows[r][6].value);
    return code == CLI_OK ? album_draw(a, "share", "Transfers' share of the time", "vertices", "percent", BENCH_LINES)
                          : code;
}
