/* bench_figures.c - `bench gpu-sssp --figures DIR`: the figures and the table of the papers that the methods come from,
 * drawn again from runs on a device; each is a table (DIR/NAME.tsv, and among the tables that are printed) and pictures
 * of its numbers (DIR/NAME-PART.svg).
 *
 * work        Table III and Fig. 6 of Davidson, Baxter, Garland, Owens 2014: work, rounds and parallelism
 * traversals  Fig. 3 of the same: the three ways to give arcs to threads
 * fronts      Fig. 4: sizes of workfront, near set and far pile, round by round
 * times       Fig. 5: speed against a serial Dijkstra, and edges a second
 * delta       Fig. 7: work, parallelism and time against delta
 * dag         Fig. 3 of the paper on the parallel bucket heap: time against the arcs of a graph with a long chain
 * threads     Figs. 1.1 and 1.2 of An: time against vertices and edges per thread, dense
 * pinned      the same author's figures of transfers: their time from pinned and pageable memory, and their share
 * ways        Fig. 2 of An: a thread for each arc, for a vertex's incoming arcs, or for its outgoing ones
 *
 * Parallelism is arcs looked at in a round: every method counts those. The papers count vertices, which are told where
 * the method's log has them. Sizes follow --scale; graphs are those of --graphs (rmat, uniform, grid, ny) but for
 * fronts, dag, threads, pinned and ways, which make their own.
 * Invariants: B1 (bench.h): a run that is late, refused or wrong leaves its cells empty.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench_figures.h"

#define SOURCES 2u
#define PRINTED 200u /* rows of a table, at most */

static const struct {
    const char *name;
    int (*make)(album *a);
} figures[] = {{"work", figure_work},       {"traversals", figure_traversals}, {"fronts", figure_fronts},
               {"times", figure_times},     {"delta", figure_delta},           {"dag", figure_dag},
               {"threads", figure_threads}, {"pinned", figure_pinned},         {"ways", figure_ways}};

size_t bench_figure_names(const char **names, size_t room)
{
    size_t count = 0;
    for (; count < sizeof figures / sizeof figures[0] && count < room; count++)
        names[count] = figures[count].name;
    return count;
}

/* ---- tables and pictures ----------------------------------------------------------------------------------------- */

void album_table(album *a, const char *name, const char *title, const char *const *columns, size_t count)
{
    a->table = bench_table_add(a->f.b, name, title, columns, count);
}

void album_point(album *a, const char *name, double x, double y)
{
    size_t i = 0;
    while (i < a->line_count && strcmp(a->names[i], name) != 0)
        i++;
    if (i == ALBUM_LINES)
        return;
    bench_line *line = &a->lines[i];
    if (i == a->line_count) {
        snprintf(a->names[i], sizeof a->names[i], "%s", name);
        *line = (bench_line){.name = a->names[i]};
        a->line_count++;
    }
    if (line->count < BENCH_POINTS) {
        line->x[line->count] = x;
        line->y[line->count++] = y;
    }
}

static void path_of(const album *a, const char *part, const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s/%s%s%s%s", a->f.b->app->args.figures, a->figure, part[0] != '\0' ? "-" : "", part, ending);
}

int album_draw(album *a, const char *part, const char *title, const char *x_name, const char *y_name, bench_style style)
{
    char path[4096];
    const bench_picture picture = {.title = title,
                                   .x_name = x_name,
                                   .y_name = y_name,
                                   .style = style,
                                   .lines = a->lines,
                                   .count = a->line_count,
                                   .places = a->places,
                                   .place_count = a->place_count};
    path_of(a, part, ".svg", path, sizeof path);
    a->line_count = 0;
    return bench_chart(a->f.b->app, path, &picture);
}

int album_write(const album *a)
{
    char path[4096];
    path_of(a, "", ".tsv", path, sizeof path);
    return bench_table_tsv(a->f.b, a->table, path);
}

/* ---- graphs and runs --------------------------------------------------------------------------------------------- */

int album_take(album *a, const char *name, nf_status made, unsigned sources)
{
    if (made != NF_OK)
        return cli_fail(a->f.b->app, cli_interrupted() ? NF_ECANCELLED : made);
    a->f.name = name;
    a->f.source_count = a->f.b->source_count > 0 && a->f.b->source_count < sources ? a->f.b->source_count : sources;
    return bench_field_answers(&a->f);
}

void album_drop(album *a)
{
    nf_graph_free(a->f.graph);
    a->f.graph = NULL;
}

int album_over_graphs(album *a, int (*each)(album *a, size_t place))
{
    bench *b = a->f.b;
    int code = CLI_OK;
    a->place_count = 0;
    for (size_t i = 0; code == CLI_OK && bench_gpu_graph_name(i) != NULL; i++) {
        const char *name = bench_gpu_graph_name(i);
        const nf_status st = bench_gpu_wanted(b, i) ? bench_gpu_make(b, name, &a->f.graph) : NF_ENOTFOUND;
        if (st == NF_ENOTFOUND)
            continue;
        code = album_take(a, name, st, SOURCES);
        a->places[a->place_count++] = name;
        if (code == CLI_OK)
            code = each(a, a->place_count - 1);
        album_drop(a);
    }
    return code;
}

void album_how_of(album_how *h, const char *words)
{
    char *at = h->text;
    *h = (album_how){.how = {.algorithm = h->text, .knobs = h->knobs}};
    snprintf(h->text, sizeof h->text, "%s", words);
    while ((at = strchr(at, ' ')) != NULL && h->how.knob_count < ALBUM_KNOBS) {
        *at++ = '\0';
        h->knobs[h->how.knob_count++] = at;
    }
}

int album_listen(album *a, const char *words, nf_vid source, nf_log_fn hear, void *user)
{
    const nf_context_options o = {.size = sizeof o, .device = a->f.device, .log = hear, .log_user = user};
    nf_context *ctx = NULL;
    album_how h;
    bench_answer got;
    album_how_of(&h, words);
    nf_status st = nf_context_create(&o, &ctx);
    if (st == NF_OK)
        st = bench_search_as(ctx, a->f.graph, NF_SSSP, source, &h.how, &got);
    nf_context_free(ctx);
    return st == NF_OK ? CLI_OK : cli_fail(a->f.b->app, st);
}

/* ---- the album --------------------------------------------------------------------------------------------------- */

int bench_figures(bench *b)
{
    const char *folder = b->app->args.figures;
    album a = {.f = {.b = b, .problem = NF_SSSP, .device = b->app->args.device != NULL ? b->app->args.device : "gpu"}};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error(b->app, CLI_INPUT, "%s: cannot be made: %s", folder, strerror(errno));
    int code = bench_context(b, a.f.device, 0, &a.f.ctx);
    for (size_t i = 0; code == CLI_OK && i < sizeof figures / sizeof figures[0]; i++) {
        if (!bench_listed(b->app->args.only, figures[i].name))
            continue;
        a.figure = figures[i].name;
        a.line_count = a.place_count = 0;
        code = figures[i].make(&a);
        if (code == CLI_OK)
            code = album_write(&a);
        if (code == CLI_OK && a.table->row_count > PRINTED) {
            snprintf(a.table->note, sizeof a.table->note, "The first %u rows of %zu; all are in %s/%s.tsv", PRINTED,
                     a.table->row_count, folder, a.figure);
            a.table->row_count = PRINTED;
        }
    }
    nf_context_free(a.f.ctx);
    return code;
}
