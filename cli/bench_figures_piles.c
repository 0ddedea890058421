/* bench_figures_piles.c - figures of Davidson, Baxter, Garland, Owens 2014: work and parallelism, traversals, the size
 * of fronts, times, and delta (bench_figures.c).
 *
 * Counters come from runs whose rounds the host drives (loop=host), as in the paper: one launch a round, so that a
 * round is a round of the whole device. Times come from the methods as they are. Bellman-Ford looks at all arcs in
 * every round: its work is rounds x m.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_figures.h"

/* ---- Dijkstra's -------------------------------------------------------------------------------------------------- */

/* Means over the sources, one thread. */
typedef struct classic {
    double ms, rounds, arcs;
} classic;

static int ask_dijkstra(album *a, classic *out)
{
    nf_context *cpu = NULL;
    nf_status st = NF_OK;
    int code = bench_context(a->f.b, "cpu", 1, &cpu);
    *out = (classic){.ms = 0};
    for (unsigned i = 0; code == CLI_OK && st == NF_OK && i < a->f.source_count; i++) {
        bench_answer got;
        st = bench_search(cpu, a->f.graph, NF_SSSP, a->f.sources[i], "dijkstra", 0, &got);
        out->ms += got.ms / a->f.source_count;
        out->rounds += (double)got.iterations / a->f.source_count;
        out->arcs += (double)got.edges / a->f.source_count;
    }
    nf_context_free(cpu);
    return code == CLI_OK && st != NF_OK ? cli_fail(a->f.b->app, st) : code;
}

/* ---- what a log tells of rounds ---------------------------------------------------------------------------------- */

typedef struct rounds {
    unsigned first, count; /* as the log has them: the latest */
    struct front {
        unsigned frontier, pile;
    } * at;
    size_t room;
    bool failed; /* no memory */
} rounds;

static void hear_round(void *user, nf_log_level level, const char *text)
{
    rounds *r = user;
    unsigned i = 0, frontier = 0;
    (void)level;
    if (sscanf(text, "sssp round %u: frontier %u", &i, &frontier) != 2)
        return;
    if (r->count == r->room) {
        struct front *more = realloc(r->at, (2 * r->room + 64) * sizeof *more);
        r->failed = r->failed || more == NULL;
        if (more == NULL)
            return;
        r->at = more;
        r->room = 2 * r->room + 64;
    }
    const char *pile = strstr(text, ", pile ");
    r->first = r->count == 0 ? i : r->first;
    r->at[r->count++] = (struct front){frontier, pile != NULL ? (unsigned)strtoul(pile + 7, NULL, 10) : 0};
}

static int listen_to(album *a, const char *words, rounds *r)
{
    *r = (rounds){.first = 0};
    const int code = album_listen(a, words, a->f.sources[0], hear_round, r);
    return code == CLI_OK && r->failed ? cli_error(a->f.b->app, CLI_MEMORY, "out of memory") : code;
}

/* Mean vertices of a round; NaN where the log has not all of them. */
static int mean_vertices(album *a, const char *words, double *mean)
{
    rounds r;
    double sum = 0;
    const int code = listen_to(a, words, &r);
    for (unsigned i = 0; i < r.count; i++)
        sum += r.at[i].frontier;
    *mean = code == CLI_OK && r.first == 0 && r.count > 0 ? sum / r.count : (double)NAN;
    free(r.at);
    return code;
}

/* ---- Table III and Fig. 6 ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *words;
    bool all; /* looks at all arcs in every round */
    bool logs;
} counted[] = {{"bellman-ford", "bellman-ford-edge", true, false},
               {"workfront", "workfront loop=host", false, true},
               {"near-far", "near-far loop=host", false, true},
               {"bucketing", "bucketing", false, false},
               {"delta-stepping", "delta-stepping loop=host", false, true},
               {"hybrid", "hybrid loop=host", false, true},
               {"dijkstra-phases", "dijkstra-phases", false, false}};

/* Counters of one run from each source; false where one did not end. */
static int count_run(album *a, const char *words, bench_score *s, bool *ended)
{
    album_how h;
    album_how_of(&h, words);
    nf_status st = NF_OK;
    *s = (bench_score){.levels = 0};
    for (unsigned i = 0; st == NF_OK && s->end[0] == BENCH_ENDED && i < a->f.source_count; i++) {
        bench_answer got;
        st = bench_field_run(&a->f, &h.how, i, true, s, &got);
        s->levels += (double)got.iterations / a->f.source_count;
        s->arcs += (double)got.edges / a->f.source_count;
    }
    *ended = st == NF_OK && s->end[0] == BENCH_ENDED;
    return st == NF_OK || st != NF_ECANCELLED ? CLI_OK : cli_fail(a->f.b->app, st);
}

typedef struct worked {
    double rounds, arcs, vertices;
} worked;

static void add_work(album *a, const char *name, const worked *w, const worked *ford, double dijkstra, double relaxed)
{
    bench_table *t = a->table;
    if (!bench_row(t))
        return;
    bench_text(t, "%s", a->f.name);
    bench_text(t, "%s", name);
    bench_number(t, a->f.sources[0], 0);
    bench_number(t, a->f.source_count, 0);
    bench_number(t, w->rounds, 1);
    bench_number(t, relaxed, 0);
    bench_number(t, w->arcs, 0);
    bench_number(t, w->arcs / (double)nf_graph_m(a->f.graph), 3);
    bench_number(t, w->arcs / w->rounds, 1);
    bench_number(t, w->vertices, 1);
    bench_number(t, ford->arcs / w->arcs, 2);
    bench_number(t, w->rounds / ford->rounds, 2);
    bench_number(t, w->arcs / dijkstra, 3);
    bench_say_row(a->f.b, t);
}

static int work_of_graph(album *a, size_t place)
{
    worked ford = {(double)NAN, (double)NAN, (double)NAN};
    classic d;
    int code = ask_dijkstra(a, &d);
    (void)place;
    for (size_t i = 0; code == CLI_OK && i < sizeof counted / sizeof counted[0]; i++) {
        bench_score s;
        bool ended = false;
        worked w = {0, 0, (double)NAN};
        code = count_run(a, counted[i].words, &s, &ended);
        if (code == CLI_OK && ended && counted[i].logs)
            code = mean_vertices(a, counted[i].words, &w.vertices);
        w.rounds = ended ? s.levels : (double)NAN;
        w.arcs = !ended ? (double)NAN : counted[i].all ? s.levels * (double)nf_graph_m(a->f.graph) : s.arcs;
        ford = counted[i].all ? w : ford;
        if (code == CLI_OK)
            add_work(a, counted[i].name, &w, &ford, d.arcs, ended ? s.arcs : (double)NAN);
    }
    if (code == CLI_OK) {
        const worked w = {d.rounds, d.arcs, d.rounds > 0 ? 1 : (double)NAN};
        add_work(a, "dijkstra (CPU)", &w, &ford, d.arcs, d.arcs);
    }
    return code;
}

/* A picture from two columns of the table, a line for each method. */
static int draw_columns(album *a, const char *part, const char *title, size_t x, size_t y, bench_style style)
{
    const bench_table *t = a->table;
    for (size_t r = 0; r < t->row_count; r++)
        album_point(a, t->rows[r][1].text, t->rows[r][x].value, t->rows[r][y].value);
    return album_draw(a, part, title, style == BENCH_BARS ? "" : t->columns[x], t->columns[y], style);
}

int figure_work(album *a)
{
    static const char *const columns[] = {"graph",          "method",           "first source",   "sources",
                                          "rounds",         "arcs relaxed",     "arcs looked at", "arcs / m",
                                          "arcs a round",   "vertices a round", "work saved",     "rounds x B-F",
                                          "work x Dijkstra"};
    album_table(
        a, "work",
        "Work and parallelism (work saved, rounds x B-F: against Bellman-Ford, which looks at all arcs in every "
        "round)",
        columns, sizeof columns / sizeof columns[0]);
    int code = album_over_graphs(a, work_of_graph);
    if (code == CLI_OK)
        code = draw_columns(a, "6a", "Parallelism and work", 8, 12, BENCH_DOTS);
    if (code == CLI_OK)
        code = draw_columns(a, "6b", "Parallelism and rounds", 8, 4, BENCH_DOTS);
    return code;
}

/* ---- Fig. 3 and Fig. 5: bars ------------------------------------------------------------------------------------- */

/* A row of times: graph, method, ms, and what they are against Dijkstra's. */
static int time_row(album *a, const char *name, const char *words, size_t place, const classic *d)
{
    album_how h;
    bench_score s = {.levels = 0};
    bench_table *t = a->table;
    album_how_of(&h, words);
    const nf_status st = bench_field_time(&a->f, &h.how, a->f.source_count, true, &s);
    if (st != NF_OK)
        return cli_fail(a->f.b->app, st);
    if (!bench_row(t))
        return CLI_INTERNAL;
    const double ms = s.end[0] == BENCH_ENDED ? s.ms[0] : (double)NAN;
    bench_text(t, "%s", a->f.name);
    bench_text(t, "%s", name);
    bench_time_cell(t, s.end[0], s.ms[0]);
    bench_number(t, (double)place, 0);
    if (d != NULL) {
        bench_number(t, d->ms, 3);
        bench_number(t, d->ms / ms, 3);
        bench_number(t, d->arcs / ms * 1e-3, 1);
    }
    bench_say_row(a->f.b, t);
    return CLI_OK;
}

static const char *const traversals[][2] = {{"cooperative blocks", "workfront mapping=block-search"},
                                            {"cta+warp+scan", "workfront mapping=cta-warp-scan"},
                                            {"partitioning", "workfront mapping=two-phase"},
                                            {"a thread a vertex", "workfront mapping=thread"},
                                            {"auto", "workfront"}};

static int traverse_graph(album *a, size_t place)
{
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < sizeof traversals / sizeof traversals[0]; i++)
        code = time_row(a, traversals[i][0], traversals[i][1], place, NULL);
    return code;
}

int figure_traversals(album *a)
{
    static const char *const columns[] = {"graph", "traversal", "ms", "place"};
    album_table(a, "traversals", "Workfront Sweep by how arcs are given to threads", columns, 4);
    const int code = album_over_graphs(a, traverse_graph);
    return code == CLI_OK ? draw_columns(a, "3", "Workfront Sweep by traversal, ms", 3, 2, BENCH_BARS) : code;
}

static int time_graph(album *a, size_t place)
{
    static const char *const methods[][2] = {{"bellman-ford", "bellman-ford-edge"},
                                             {"workfront", "workfront"},
                                             {"near-far", "near-far"},
                                             {"bucketing", "bucketing"},
                                             {"delta-stepping", "delta-stepping"},
                                             {"auto", "auto"}};
    classic d;
    int code = ask_dijkstra(a, &d);
    for (size_t i = 0; code == CLI_OK && i < sizeof methods / sizeof methods[0]; i++)
        code = time_row(a, methods[i][0], methods[i][1], place, &d);
    return code;
}

int figure_times(album *a)
{
    static const char *const columns[] = {"graph", "method", "ms", "place", "Dijkstra ms", "x Dijkstra", "MTEPS"};
    album_table(a, "times", "Speed against a serial Dijkstra (MTEPS: arcs that Dijkstra's looks at, a microsecond)",
                columns, 7);
    int code = album_over_graphs(a, time_graph);
    if (code == CLI_OK)
        code = draw_columns(a, "5a", "Times faster than a serial Dijkstra", 3, 5, BENCH_BARS);
    if (code == CLI_OK)
        code = draw_columns(a, "5b", "Millions of edges a second", 3, 6, BENCH_BARS);
    return code;
}

/* ---- Fig. 4: fronts ---------------------------------------------------------------------------------------------- */

/* Rounds spaced so that no more than BENCH_POINTS are drawn; all go to the table. Piles are known at splits; in rounds
 * between them they are 0 in the table and not drawn. */
static void add_rounds(album *a, const char *name, const char *near, const char *far, const rounds *r)
{
    const double step = pow((double)(r->first + r->count), 1.0 / (BENCH_POINTS - 2));
    double next = 0;
    unsigned pile = 0;
    for (unsigned i = 0; i < r->count; i++) {
        const double x = (double)(r->first + i) + 1;
        pile = r->at[i].pile > pile ? r->at[i].pile : pile;
        if (bench_row(a->table)) {
            bench_text(a->table, "%s", a->f.name);
            bench_text(a->table, "%s", name);
            bench_number(a->table, r->first + i, 0);
            bench_number(a->table, r->at[i].frontier, 0);
            bench_number(a->table, r->at[i].pile, 0);
        }
        if (x < next && i + 1 < r->count)
            continue;
        album_point(a, near, x, r->at[i].frontier);
        if (far != NULL)
            album_point(a, far, x, pile);
        pile = 0;
        next = fmax(x + 1, x * step);
    }
}

static int front_of(album *a, const char *part, const char *title)
{
    rounds r;
    int code = listen_to(a, "workfront loop=host", &r);
    if (code == CLI_OK)
        add_rounds(a, "workfront", "workfront", NULL, &r);
    free(r.at);
    if (code != CLI_OK)
        return code;
    code = listen_to(a, "near-far loop=host", &r);
    if (code == CLI_OK)
        add_rounds(a, "near-far", "near set", "far pile", &r);
    free(r.at);
    return code == CLI_OK ? album_draw(a, part, title, "round + 1", "vertices", BENCH_LINES) : code;
}

int figure_fronts(album *a)
{
    static const char *const columns[] = {"graph", "method", "round", "frontier", "pile"};
    const bench *b = a->f.b;
    const bench_spec mesh = {
        .name = "mesh3d", .kind = "grid3d", .n = UINT64_C(1) << b->scale, .low = 1, .high = 255, .salt = 3};
    album_table(a, "fronts", "Sizes of workfront, near set and far pile (pile: what waited at a split)", columns, 5);
    int code = album_take(a, "rmat", bench_gpu_make(b, "rmat", &a->f.graph), 1);
    if (code == CLI_OK)
        code = front_of(a, "4-rmat", "A scale-free graph");
    album_drop(a);
    if (code == CLI_OK)
        code = album_take(a, "mesh3d", bench_make(b, b->app->ctx, &mesh, &a->f.graph), 1);
    if (code == CLI_OK)
        code = front_of(a, "4-mesh", "A mesh in three dimensions");
    album_drop(a);
    return code;
}

/* ---- Fig. 7: delta ----------------------------------------------------------------------------------------------- */

static int delta_row(album *a, double factor, double delta)
{
    char words[96];
    bench_score counts, times = {.levels = 0};
    bool ended = false;
    album_how h;
    bench_table *t = a->table;
    snprintf(words, sizeof words, "near-far delta=%.9g", delta);
    album_how_of(&h, words);
    nf_status st = bench_field_time(&a->f, &h.how, a->f.source_count, true, &times);
    if (st != NF_OK)
        return cli_fail(a->f.b->app, st);
    snprintf(words, sizeof words, "near-far delta=%.9g loop=host", delta);
    const int code = count_run(a, words, &counts, &ended);
    if (code != CLI_OK || !bench_row(t))
        return code;
    bench_text(t, "%s", a->f.name);
    bench_text(t, "%s", a->f.name);
    bench_number(t, factor, 5);
    bench_number(t, delta, 3);
    bench_number(t, ended ? counts.levels : (double)NAN, 1);
    bench_number(t, ended ? counts.arcs / (double)nf_graph_m(a->f.graph) : (double)NAN, 3);
    bench_number(t, ended ? counts.arcs / counts.levels : (double)NAN, 1);
    bench_time_cell(t, times.end[0], times.ms[0]);
    bench_say_row(a->f.b, t);
    return CLI_OK;
}

static int delta_of_graph(album *a, size_t place)
{
    nf_graph_stats stats = {.size = sizeof stats};
    const nf_status st = nf_graph_get_stats(a->f.b->app->ctx, a->f.graph, 0, &stats);
    int code = st == NF_OK ? CLI_OK : cli_fail(a->f.b->app, st);
    const double paper = 32 * stats.weight_mean / stats.degree_mean;
    (void)place;
    for (int e = -5; code == CLI_OK && e <= 5; e++)
        code = delta_row(a, exp2(e), paper * exp2(e));
    return code;
}

int figure_delta(album *a)
{
    static const char *const columns[] = {"graph",  "line",     "delta / the paper's", "delta",
                                          "rounds", "arcs / m", "arcs a round",        "ms"};
    album_table(a, "delta", "Near-Far against delta (the paper's: 32 mean weight / mean degree)", columns, 8);
    int code = album_over_graphs(a, delta_of_graph);
    if (code == CLI_OK)
        code = draw_columns(a, "7-work", "Work against delta", 2, 5, BENCH_LINES);
    if (code == CLI_OK)
        code = draw_columns(a, "7-parallelism", "Parallelism against delta", 2, 6, BENCH_LINES);
    if (code == CLI_OK)
        code = draw_columns(a, "7-time", "Time against delta", 2, 7, BENCH_LINES);
    return code;
}
