/* run.c - `bfs`, `sssp`, `apsp` and `path`: gathers what was asked for, runs it, checks it, then writes and reports.
 *
 * Invariant: R1 the order is run, verify, write files, print; so files and summaries only ever show checked results,
 * and a failure before the last step leaves stdout to the error object alone (C4).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "run.h"

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static int add_source(cli_app *app, cli_run *run, nf_vid v)
{
    nf_vid *grown = realloc(run->sources, (run->source_count + 1) * sizeof *grown);
    if (grown == NULL)
        return cli_error(app, CLI_MEMORY, "out of memory");
    run->sources = grown;
    run->sources[run->source_count++] = v;
    return CLI_OK;
}

static int add_listed(cli_app *app, cli_run *run, const char *path)
{
    nf_vid *listed = NULL;
    uint64_t count = 0;
    int code = CLI_OK;
    nf_status st = nf_sources_read(app->ctx, app->graph, path, &listed, &count);
    if (st != NF_OK)
        return cli_fail(app, st);
    if (count == 0)
        code = cli_error(app, CLI_INPUT, "%s: lists no vertices", path);
    for (uint64_t i = 0; code == CLI_OK && i < count; i++)
        code = add_source(app, run, listed[i]);
    nf_free(listed);
    return code;
}

static int gather_sources(cli_app *app, cli_run *run)
{
    const cli_list *list = &app->args.source;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < list->count; i++) {
        nf_vid v = NF_NO_VERTEX;
        code = cli_vertex(app, "source", list->items[i], &v);
        if (code == CLI_OK)
            code = add_source(app, run, v);
    }
    if (code == CLI_OK && app->args.sources != NULL)
        code = add_listed(app, run, app->args.sources);
    return code;
}

/* A result that took an hour should not be lost to the name of its file. */
static int check_output(cli_app *app, const char *path)
{
    static const char *const kinds[] = {".txt", ".tsv", ".json", ".npy", ".nfd"};
    size_t length = cli_unpacked(path);
    bool known = strcmp(path, "-") == 0;
    for (size_t i = 0; !known && i < sizeof kinds / sizeof kinds[0]; i++)
        known =
            length > strlen(kinds[i]) && strncasecmp(path + length - strlen(kinds[i]), kinds[i], strlen(kinds[i])) == 0;
    return known
               ? CLI_OK
               : cli_usage(
                   app, "--output %s: the name tells no result format; it must end in .txt, .tsv, .json, .npy or .nfd",
                   path);
}

/* What can be told wrong before the graph is read. */
static int check_words(cli_app *app)
{
    const cli_args *a = &app->args;
    uint32_t bit = app->command->bit;
    size_t length = a->plot != NULL ? strlen(a->plot) : 0;
    if ((bit & (C_BFS | C_SSSP)) != 0 && a->source.count == 0 && a->sources == NULL)
        return cli_usage(app, "%s needs a source: --source V (a label, max-degree or random:SEED) or --sources FILE",
                         app->command->name);
    if (bit == C_PATH && (a->source.count != 1 || a->target.count != 1))
        return cli_usage(app, "path needs one --source U and one --target V");
    if (a->resume && (a->verify || !cli_stream_fits(a->output)))
        return cli_usage(app, "--resume goes with --output X.npy, and without --verify");
    if (a->json && a->output != NULL && strcmp(a->output, "-") == 0)
        return cli_usage(app, "--json and --output - both want standard output");
    if (a->plot != NULL && (length < 4 || strcmp(a->plot + length - 4, ".svg") != 0))
        return cli_usage(app, "--plot %s: pictures are SVG; the name must end in .svg", a->plot);
    return a->output != NULL ? check_output(app, a->output) : CLI_OK;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Takes rows of which only the totals are wanted. */
static nf_status drop_tile(void *user, const nf_tile *tile)
{
    (void)user;
    (void)tile;
    return NF_OK;
}

/* Whether the rows need not be held together: nothing is asked of them after they are done. */
static bool rows_pass(const cli_app *app, const cli_run *run)
{
    const cli_args *a = &app->args;
    return !a->verify
           && (run->problem == NF_APSP
               || (run->source_count > 1 && !a->nearest && a->target.count == 0 && a->plot == NULL));
}

static void fill_options(const cli_app *app, const cli_run *run, nf_run_options *o)
{
    const cli_args *a = &app->args;
    bool path = app->command->bit == C_PATH;
    *o = (nf_run_options){.size = sizeof *o,
                          .algorithm = a->algorithm,
                          .knobs = a->set.items,
                          .knob_count = a->set.count};
    o->flags = (a->parents || path || (a->plot != NULL && a->target.count > 0) ? NF_RUN_PARENTS : 0u)
               | (a->deterministic ? NF_RUN_DETERMINISTIC | NF_RUN_PARENTS : 0u)
               | (a->cutoff.given ? NF_RUN_CUTOFF : 0u);
    o->cutoff = a->cutoff.value;
    o->distance_type = cli_type_of(a->distance_type.text);
    o->targets = run->targets;
    o->target_count = run->targets != NULL ? a->target.count : 0;
    if (rows_pass(app, run) && a->output == NULL)
        o->sink = drop_tile;
    if (run->streamed) {
        o->sink = cli_stream_tile;
        o->sink_user = (void *)(uintptr_t)&run->stream;
    }
    if (run->filed) {
        o->file = a->output;
        o->flags |= a->resume ? NF_RUN_RESUME : 0u;
    }
}

/* A path's own search. The cutoff is held against the target alone where the whole run has to do without (limited). */
static nf_status start_path(cli_app *app, cli_run *run)
{
    nf_run_options o;
    fill_options(app, run, &o);
    o.flags &= ~NF_RUN_PARENTS;
    o.flags |= (app->args.hops ? NF_RUN_HOPS : 0u) | (run->limited ? NF_RUN_CUTOFF : 0u);
    if (run->limited)
        o.cutoff = run->limit;
    return nf_path_between(app->ctx, app->graph, run->sources[0], run->targets[0], &o, &run->path);
}

/* The distances around a path, by a run with its target. A method that finds no more than a path gives way to auto. */
static void use_tree_method(cli_run *run, nf_run_options *o)
{
    nf_run_info info = {.size = sizeof info};
    if (run->path == NULL || nf_path_info(run->path, &info) != NF_OK || info.problem != NF_PATH)
        return;
    o->algorithm = NULL;
    o->knob_count = 0;
}

static nf_status start(cli_app *app, cli_run *run)
{
    nf_run_options o;
    nf_context *ctx = app->ctx;
    const nf_vid *s = run->sources;
    uint64_t k = run->source_count;
    fill_options(app, run, &o);
    use_tree_method(run, &o);
    if (run->problem == NF_APSP)
        return nf_apsp(ctx, app->graph, &o, &run->result);
    if (app->args.nearest)
        return (run->problem == NF_BFS ? nf_bfs_nearest : nf_sssp_nearest)(ctx, app->graph, s, k, &o, &run->result);
    if (k > 1)
        return (run->problem == NF_BFS ? nf_bfs_many : nf_sssp_many)(ctx, app->graph, s, k, &o, &run->result);
    return (run->problem == NF_BFS ? nf_bfs : nf_sssp)(ctx, app->graph, s[0], &o, &run->result);
}

static int report_cycle(cli_app *app, const cli_run *run, int checked)
{
    uint64_t length = 0;
    const nf_vid *cycle = nf_result_cycle(run->result, &length);
    if (run->path != NULL)
        cycle = run->path->cycle, length = run->path->cycle_length;
    if (checked != CLI_OK)
        return checked;
    cli_complain(app, "%s", nf_last_error());
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_begin(&j, "error", '{');
        cli_json_text(&j, "status", nf_status_name(NF_ENEGCYCLE));
        cli_json_text(&j, "message", nf_last_error());
        cli_json_int(&j, "exit", CLI_NEGCYCLE);
        cli_json_begin(&j, "cycle", '[');
        for (uint64_t i = 0; i < length; i++)
            cli_json_label(&j, NULL, app->graph, cycle[i]);
        cli_json_end(&j, ']');
        cli_json_end(&j, '}');
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    } else if (!app->args.quiet && length > 0) {
        printf("negative cycle:");
        for (uint64_t i = 0; i <= length; i++)
            printf("%s%" PRIu64, i == 0 ? " " : " -> ", nf_graph_label(app->graph, cycle[i % length]));
        printf("\n");
    }
    return CLI_NEGCYCLE;
}

/* The path follows arcs, is as long as it says, and no longer than a run that found the distances around it says. */
static int verify_path(cli_app *app, const cli_run *run, bool *ok, char *text, size_t capacity)
{
    nf_run_info info = {.size = sizeof info};
    const nf_path *p = run->path;
    const double want = nf_result_distance(run->result, 0, run->targets[0]);
    const cli_walk walk = {p->vertices, p->length};
    nf_path_info(p, &info);
    if (info.problem == NF_PATH && p->distance != want) {
        snprintf(text, capacity, "the path has length %.17g, but the distance is %.17g", p->distance, want);
        *ok = false;
        return CLI_OK;
    }
    return cli_check_walk(app, run->result, &walk, p->distance, ok, text, capacity);
}

static int verify(cli_app *app, cli_run *run)
{
    bool ok = false;
    char text[1024];
    double begin = cli_now_ms();
    int code = cli_check(app, run->result, &ok, text, sizeof text);
    if (code == CLI_OK && ok && app->command->bit == C_PATH)
        code = verify_path(app, run, &ok, text, sizeof text);
    cli_bar_end(app);
    run->verify_ms = cli_now_ms() - begin;
    if (code != CLI_OK)
        return code;
    run->verified = ok;
    if (ok)
        return CLI_OK;
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_bool(&j, "verified", false);
        cli_json_begin(&j, "error", '{');
        cli_json_text(&j, "status", "NF_EINTERNAL");
        cli_json_text(&j, "message", text);
        cli_json_int(&j, "exit", CLI_WRONG);
        cli_json_end(&j, '}');
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    }
    cli_complain(app, "the result is wrong: %s", text);
    return CLI_WRONG;
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static void make_title(const cli_app *app, const cli_run *run, char *title, size_t capacity)
{
    const char *what = run->problem == NF_BFS ? "hops" : "distance";
    uint64_t from = nf_graph_label(app->graph, run->sources[0]);
    char d[32];
    if (app->command->bit == C_PATH)
        snprintf(title, capacity, "%s: from %" PRIu64 " to %" PRIu64 ", %s %s", app->graph_name, from,
                 nf_graph_label(app->graph, run->targets[0]), what,
                 run->path->length > 0 ? cli_number(run->path->type, run->path->distances, run->path->length - 1, d)
                                       : "inf");
    else if (run->source_count > 1)
        snprintf(title, capacity, "%s: %s to the nearest of %" PRIu64 " sources", app->graph_name, what,
                 run->source_count);
    else
        snprintf(title, capacity, "%s: %s from %" PRIu64, app->graph_name, what, from);
}

static int plot(cli_app *app, const cli_run *run)
{
    nf_run_info info = {.size = sizeof info};
    nf_row_info row = {.size = sizeof row};
    char title[256], subtitle[256], a[32], b[32];
    cli_walk *walks = NULL;
    int code = cli_run_walks(app, run, &walks);
    if (code != CLI_OK)
        return code;
    nf_result_info(run->result, &info);
    nf_result_row_info(run->result, 0, &row);
    make_title(app, run, title, sizeof title);
    snprintf(subtitle, sizeof subtitle, "%s by %s on %s; %s of %s vertices reached", nf_problem_name(info.problem),
             info.algorithm, info.device, cli_grouped(row.reached, a), cli_grouped(info.n, b));
    cli_plot p = {.result = run->result,
                  .sources = run->sources,
                  .source_count = run->source_count,
                  .walks = walks,
                  .walk_count = walks != NULL ? app->args.target.count : 0,
                  .title = title,
                  .subtitle = subtitle};
    code = cli_plot_write(app, &p, app->args.plot);
    cli_walks_free(walks, app->args.target.count);
    return code;
}

/* ---- the commands ------------------------------------------------------------------------------------------------ */

static int write_files(cli_app *app, const cli_run *run)
{
    const cli_args *a = &app->args;
    const char *format = a->output != NULL && strcmp(a->output, "-") == 0 ? "txt" : NULL;
    if (a->plot != NULL) {
        int code = plot(app, run);
        if (code != CLI_OK)
            return code;
    }
    if (a->output == NULL || run->streamed || run->filed)
        return CLI_OK;
    fflush(stdout);
    nf_status st = nf_result_write(app->ctx, run->result, app->graph, a->output, format);
    cli_bar_end(app);
    return st == NF_OK ? CLI_OK : cli_fail(app, st);
}

/* With negative weights a way may lead through what a cutoff takes away: then the run has none, and only the target
 * is held against it (cli_run_walks). */
static void keep_way_whole(cli_app *app, cli_run *run)
{
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(app->graph, &info);
    run->limited =
        app->args.cutoff.given && app->command->bit == C_PATH && run->problem == NF_SSSP && info.negative_weights;
    run->limit = app->args.cutoff.value;
    if (run->limited)
        app->args.cutoff.given = false;
}

static int prepare(cli_app *app, cli_run *run)
{
    int code = check_words(app);
    if (code == CLI_OK)
        code = cli_load(app, app->args.plot != NULL);
    if (code == CLI_OK && app->args.plot != NULL)
        code = cli_plot_ready(app);
    if (code == CLI_OK)
        code = gather_sources(app, run);
    if (code == CLI_OK && app->args.plot != NULL && run->source_count > 1 && !app->args.nearest)
        code = cli_usage(app, "--plot draws one source, or several with --nearest");
    if (code == CLI_OK)
        code = cli_targets(app, &run->targets);
    if (code == CLI_OK)
        keep_way_whole(app, run);
    if (code == CLI_OK)
        code = cli_resume_plan(app, run);
    run->streamed = code == CLI_OK && !run->filed && rows_pass(app, run) && !app->args.parents
                    && !app->args.deterministic && cli_stream_fits(app->args.output);
    if (run->streamed)
        code = cli_stream_open(app, app->args.output,
                               run->problem == NF_APSP ? nf_graph_n(app->graph) : run->source_count, &run->stream);
    return code;
}

/* A path is searched for by itself; the distances around it are found only where they are shown or checked. */
static nf_status start_all(cli_app *app, cli_run *run)
{
    if (app->command->bit != C_PATH)
        return start(app, run);
    nf_status st = start_path(app, run);
    if ((st == NF_OK && app->args.plot != NULL) || ((st == NF_OK || st == NF_ENEGCYCLE) && app->args.verify))
        st = start(app, run);
    return st;
}

static int run_and_report(cli_app *app, cli_run *run)
{
    int code = prepare(app, run);
    if (code != CLI_OK)
        return code;
    if (run->filed && app->args.resume && cli_whole(app))
        return cli_report_whole(app);
    if (cli_interrupted())
        return cli_fail(app, NF_ECANCELLED);
    nf_status st = start_all(app, run);
    cli_bar_end(app);
    if (st == NF_OK && cli_interrupted())
        st = NF_ECANCELLED;
    if (run->streamed)
        code = cli_stream_close(app, &run->stream, st == NF_OK ? run->result : NULL);
    if (code != CLI_OK)
        return code;
    if (st == NF_ENEGCYCLE && (run->result != NULL || run->path != NULL))
        return report_cycle(app, run, app->args.verify ? verify(app, run) : CLI_OK);
    if (st != NF_OK)
        return run->filed ? cli_resume_fail(app, run, st) : cli_fail(app, st);
    if (app->args.verify)
        code = verify(app, run);
    if (code == CLI_OK)
        code = write_files(app, run);
    if (code == CLI_OK && cli_interrupted())
        code = cli_fail(app, NF_ECANCELLED);
    if (code != CLI_OK)
        return code;
    return app->command->bit == C_PATH ? cli_report_path(app, run) : cli_report_run(app, run);
}

static int run_problem(cli_app *app, nf_problem problem)
{
    cli_run run = {.problem = problem};
    int code = run_and_report(app, &run);
    nf_result_free(run.result);
    nf_path_free(run.path);
    free(run.sources);
    free(run.targets);
    return code;
}

int cli_cmd_run(cli_app *app)
{
    uint32_t bit = app->command->bit;
    return run_problem(app, bit == C_BFS ? NF_BFS : bit == C_SSSP ? NF_SSSP : NF_APSP);
}

int cli_cmd_path(cli_app *app)
{
    return run_problem(app, app->args.hops ? NF_BFS : NF_SSSP);
}
