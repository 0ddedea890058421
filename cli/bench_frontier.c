/* bench_frontier.c - `bench gpu-bfs --plot`: the frontier of a search by `auto`, level by level.
 *
 * Vertices of a level and the arcs out of them are counted from the answer; who worked on the level and in which
 * direction (block, cluster, grid, up) is what the device's methods write to the log, for their latest few thousand
 * levels; the method's name where they do not, or have no levels in step. All levels go to FILE-frontier.tsv, up to
 * BENCH_POINTS of each graph, spaced by a constant factor, to the table and the picture FILE-frontier.svg.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct level {
    uint64_t vertices, arcs;
    char how[24];
} level;

typedef struct frontier {
    level *levels;
    size_t count, room;
    bool failed; /* no memory */
} frontier;

/* Room for level i; NULL when there is no memory. */
static level *level_at(frontier *f, size_t i)
{
    if (i >= f->room) {
        const size_t room = 2 * i + 64;
        level *more = realloc(f->levels, room * sizeof *more);
        f->failed = f->failed || more == NULL;
        if (more == NULL)
            return NULL;
        memset(more + f->room, 0, (room - f->room) * sizeof *more);
        f->levels = more;
        f->room = room;
    }
    f->count = i + 1 > f->count ? i + 1 : f->count;
    return &f->levels[i];
}

/* "bfs level 3: ..., way up" or "bfs round 3: ..., scope grid". */
static void hear_level(void *user, nf_log_level severity, const char *text)
{
    frontier *f = user;
    unsigned i = 0;
    (void)severity;
    if (sscanf(text, "bfs level %u:", &i) != 1 && sscanf(text, "bfs round %u:", &i) != 1)
        return;
    const char *way = strstr(text, ", way "), *scope = strstr(text, ", scope ");
    const char *word = way != NULL ? way + 6 : scope != NULL ? scope + 8 : "";
    level *l = level_at(f, i);
    if (l != NULL)
        snprintf(l->how, sizeof l->how, "%s", word);
}

static nf_status count_levels(nf_context *ctx, const nf_graph *g, const nf_result *r, frontier *f)
{
    const int32_t *hops = nf_result_hops(r, 0);
    nf_run_info info = {.size = sizeof info};
    nf_csr c;
    nf_status st = nf_graph_view(ctx, g, &c);
    if (st == NF_OK)
        st = nf_result_info(r, &info);
    f->count = 0;
    for (nf_vid v = 0; st == NF_OK && v < c.n; v++) {
        level *l = hops[v] != NF_NO_HOP ? level_at(f, (size_t)hops[v]) : NULL;
        if (l == NULL)
            continue;
        l->vertices++;
        l->arcs += c.off32 != NULL ? c.off32[v + 1] - c.off32[v] : c.off64[v + 1] - c.off64[v];
    }
    for (size_t i = 0; st == NF_OK && i < f->count; i++)
        if (f->levels[i].how[0] == '\0')
            snprintf(f->levels[i].how, sizeof f->levels[i].how, "%s", info.algorithm);
    return st;
}

/* One search, listened to. */
static int listen_to(bench *b, const char *device, const nf_graph *g, nf_vid source, frontier *f)
{
    const nf_context_options o = {.size = sizeof o, .device = device, .log = hear_level, .log_user = f};
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    nf_status st = nf_context_create(&o, &ctx);
    if (st == NF_OK)
        st = nf_bfs(ctx, g, source, NULL, &r);
    if (st == NF_OK)
        st = count_levels(ctx, g, r, f);
    nf_result_free(r);
    nf_context_free(ctx);
    if (st == NF_OK && f->failed)
        st = NF_ENOMEM;
    return st == NF_OK ? CLI_OK : cli_fail(b->app, st);
}

static void add_level(bench_table *t, const char *graph, size_t i, const level *l)
{
    if (!bench_row(t))
        return;
    bench_text(t, "%s", graph);
    bench_number(t, (double)i, 0);
    bench_number(t, (double)l->vertices, 0);
    bench_number(t, (double)l->arcs, 0);
    bench_text(t, "%s", l->how);
}

/* Levels spaced so that no more than BENCH_POINTS are taken, the first and the last among them. */
static void sample(bench_table *t, const char *graph, const frontier *f, bench_line *line)
{
    const double step = pow((double)f->count, 1.0 / (BENCH_POINTS - 2));
    double next = 0;
    line->name = graph;
    for (size_t i = 0; i < f->count && line->count < BENCH_POINTS; i++) {
        if ((double)i + 1 < next && i + 1 < f->count)
            continue;
        line->x[line->count] = (double)i + 1;
        line->y[line->count++] = (double)f->levels[i].vertices;
        next = fmax((double)i + 2, ((double)i + 1) * step);
        add_level(t, graph, i, &f->levels[i]);
    }
}

static FILE *open_beside(const bench *b, const char *ending, const char *how)
{
    char path[4096];
    const char *plot = b->app->args.plot;
    snprintf(path, sizeof path, "%.*s-frontier%s", (int)strlen(plot) - 4, plot, ending);
    return fopen(path, how);
}

int bench_frontier(bench *b, const char *device, const char *name, const nf_graph *g, nf_vid source, bench_line *line,
                   bench_table *t)
{
    frontier f = {.levels = NULL};
    const bool first = t->row_count == 0;
    int code = listen_to(b, device, g, source, &f);
    FILE *out = code == CLI_OK ? open_beside(b, ".tsv", first ? "w" : "a") : NULL;
    if (code == CLI_OK && out == NULL)
        code = cli_error(b->app, CLI_INPUT, "%s: cannot be written: %s", b->app->args.plot, strerror(errno));
    if (out != NULL && first)
        fputs("graph\tlevel\tvertices\tarcs\tby\n", out);
    for (size_t i = 0; out != NULL && i < f.count; i++)
        fprintf(out, "%s\t%zu\t%llu\t%llu\t%s\n", name, i, (unsigned long long)f.levels[i].vertices,
                (unsigned long long)f.levels[i].arcs, f.levels[i].how);
    if (code == CLI_OK)
        sample(t, name, &f, line);
    if (out != NULL && fclose(out) != 0)
        code = cli_error(b->app, CLI_INPUT, "%s: cannot be written: %s", b->app->args.plot, strerror(errno));
    free(f.levels);
    return code;
}

int bench_frontier_draw(bench *b, const bench_line *lines, size_t count)
{
    char path[4096];
    const char *plot = b->app->args.plot;
    snprintf(path, sizeof path, "%.*s-frontier.svg", (int)strlen(plot) - 4, plot);
    const bench_picture picture = {.title = "The frontier of a breadth-first search",
                                   .x_name = "level + 1",
                                   .y_name = "vertices",
                                   .lines = lines,
                                   .count = count};
    return bench_chart(b->app, path, &picture);
}
