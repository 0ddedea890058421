/* report.c - what a run has found, as a short summary for people or as the JSON of the contract (nearfar.1, JSON).
 *
 * Times: read is the command's own measure of reading the file; the others are the library's. With several sources
 * each row has its own run time, and shares the rest.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define PATH_ON_TERMINAL 40 /* longer paths are abbreviated there */

void cli_walks_free(cli_walk *walks, size_t count)
{
    for (size_t i = 0; walks != NULL && i < count; i++)
        free((void *)(uintptr_t)walks[i].vertices);
    free(walks);
}

static nf_status make_walk(const cli_run *run, nf_vid target, cli_walk *walk)
{
    uint64_t length = run->path != NULL ? run->path->length : 0;
    nf_status st = run->path != NULL ? NF_OK : nf_result_path(run->result, 0, target, NULL, 0, &length);
    if (st == NF_EUNSUPPORTED) /* negative weights: the cutoff took a part of the way */
        return NF_OK;
    if (st != NF_OK || length == 0)
        return st;
    nf_vid *vertices = calloc(length, sizeof *vertices);
    if (vertices == NULL)
        return NF_ENOMEM;
    walk->vertices = vertices;
    walk->length = length;
    if (run->path == NULL)
        return nf_result_path(run->result, 0, target, vertices, length, &length);
    memcpy(vertices, run->path->vertices, length * sizeof *vertices);
    return NF_OK;
}

int cli_run_walks(cli_app *app, const cli_run *run, cli_walk **out)
{
    size_t count = app->args.target.count;
    nf_status st = NF_OK;
    *out = NULL;
    if (count == 0 || (run->path == NULL && nf_result_parents(run->result, 0) == NULL))
        return CLI_OK;
    cli_walk *walks = calloc(count, sizeof *walks);
    if (walks == NULL)
        return cli_error(app, CLI_MEMORY, "out of memory");
    for (size_t i = 0; st == NF_OK && i < count; i++)
        st = make_walk(run, run->targets[i], &walks[i]);
    if (st != NF_OK) {
        cli_walks_free(walks, count);
        return st == NF_ENOMEM ? cli_error(app, CLI_MEMORY, "out of memory") : cli_fail(app, st);
    }
    *out = walks;
    return CLI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_time(cli_json *j, const cli_app *app, const nf_run_info *info, double run_ms)
{
    cli_json_begin(j, "time_ms", '{');
    cli_json_ms(j, "read", app->read_ms);
    cli_json_ms(j, "build", info->build_ms);
    cli_json_ms(j, "upload", info->upload_ms);
    cli_json_ms(j, "run", run_ms);
    cli_json_ms(j, "device", info->device_ms);
    cli_json_ms(j, "download", info->download_ms);
    cli_json_ms(j, "total", app->read_ms + info->build_ms + info->upload_ms + run_ms + info->download_ms);
    cli_json_end(j, '}');
}

static void put_labels(cli_json *j, const char *key, const nf_graph *graph, const nf_vid *v, uint64_t count)
{
    cli_json_begin(j, key, '[');
    for (uint64_t i = 0; i < count; i++)
        cli_json_label(j, NULL, graph, v[i]);
    cli_json_end(j, ']');
}

/* owners[i] belongs to vertex i, whose label is first_label + i, or labels[i] where labels have gaps. */
static void put_owners(cli_json *j, const cli_app *app, const cli_run *run)
{
    nf_vid n = nf_graph_n(app->graph);
    nf_graph_info g = {.size = sizeof g};
    nf_graph_get_info(app->graph, &g);
    put_labels(j, "sources", app->graph, run->sources, run->source_count);
    if (nf_result_owners(run->result) != NULL)
        put_labels(j, "owners", app->graph, nf_result_owners(run->result), n);
    if (g.sparse_labels) {
        cli_json_begin(j, "labels", '[');
        for (nf_vid v = 0; v < n; v++)
            cli_json_count(j, NULL, nf_graph_label(app->graph, v));
        cli_json_end(j, ']');
    } else {
        cli_json_count(j, "first_label", g.label_base);
    }
}

static void put_targets(cli_json *j, const cli_app *app, const cli_run *run, uint64_t row)
{
    char d[32];
    cli_json_begin(j, "targets", '[');
    for (size_t i = 0; i < app->args.target.count; i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_label(j, "target", app->graph, run->targets[i]);
        cli_json_number(j, "distance", cli_distance(run->result, row, run->targets[i], d));
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void put_explain(cli_json *j, cli_app *app, const nf_run_info *info)
{
    nf_graph_stats s = {.size = sizeof s};
    cli_json_begin(j, "explain", '{');
    if (nf_graph_get_stats(app->ctx, app->graph, 0, &s) == NF_OK) {
        cli_json_real(j, "degree_mean", s.degree_mean);
        cli_json_real(j, "degree_deviation", s.degree_deviation);
        cli_json_count(j, "degree_max", s.degree_max);
        cli_json_real(j, "density", s.density);
        cli_json_real(j, "weight_min", s.weight_min);
        cli_json_real(j, "weight_max", s.weight_max);
        cli_json_int(j, "weight_sign", s.weight_sign);
    }
    const nf_algorithm_info *a = cli_algorithm(info->problem, info->device, info->algorithm);
    cli_json_text(j, "summary", a != NULL ? a->summary : NULL);
    cli_json_text(j, "paper", a != NULL ? a->paper : NULL);
    cli_json_text(j, "memory", a != NULL ? a->memory : NULL);
    cli_json_end(j, '}');
}

static void put_flags(cli_json *j, const nf_run_info *info)
{
    if ((info->flags & NF_INFO_FLOAT_OVERFLOW) != 0)
        cli_json_bool(j, "float_overflow", true);
    if ((info->flags & NF_INFO_ROUNDED) != 0)
        cli_json_bool(j, "rounded_cycle", true);
}

/* The object of the contract for one row, or for all rows of apsp. */
static void put_row(cli_json *j, cli_app *app, const cli_run *run, uint64_t row)
{
    nf_run_info info = {.size = sizeof info};
    nf_row_info r = {.size = sizeof r};
    nf_result_info(run->result, &info);
    nf_result_row_info(run->result, row, &r);
    bool many = info.rows > 1 && row != NF_ALL_ROWS;
    cli_json_begin(j, NULL, '{');
    cli_json_text(j, "problem", nf_problem_name(info.problem));
    cli_json_text(j, "algorithm", info.algorithm);
    cli_json_text(j, "reason", info.reason);
    cli_json_text(j, "device", info.device);
    cli_json_count(j, "n", info.n);
    cli_json_count(j, "m", info.m);
    cli_json_label(j, "source", app->graph, run->problem == NF_APSP || app->args.nearest ? NF_NO_VERTEX : r.source);
    cli_json_count(j, "reached", r.reached);
    cli_json_number(j, "max", r.max_text);
    cli_json_number(j, "sum", r.sum_text);
    cli_json_text(j, "distance_type", nf_type_name(info.type));
    put_time(j, app, &info, many ? r.run_ms : info.run_ms);
    cli_json_count(j, "iterations", many ? r.iterations : info.iterations);
    cli_json_count(j, "edges_relaxed", many ? r.edges_relaxed : info.edges_relaxed);
    cli_json_count(j, "peak_bytes", info.peak_bytes);
    put_flags(j, &info);
    if (app->args.verify)
        cli_json_bool(j, "verified", run->verified);
    if (app->args.target.count > 0)
        put_targets(j, app, run, row);
    if (app->args.nearest)
        put_owners(j, app, run);
    if (app->args.explain)
        put_explain(j, app, &info);
    cli_json_end(j, '}');
}

static void print_json(cli_app *app, const cli_run *run)
{
    cli_json j = {.file = stdout};
    if (run->problem == NF_APSP) {
        put_row(&j, app, run, NF_ALL_ROWS);
    } else if (run->source_count > 1 && !app->args.nearest) {
        cli_json_begin(&j, NULL, '[');
        for (uint64_t row = 0; row < run->source_count; row++)
            put_row(&j, app, run, row);
        cli_json_end(&j, ']');
    } else {
        put_row(&j, app, run, 0);
    }
    cli_json_finish(&j);
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void print_explain(FILE *f, cli_app *app, const nf_run_info *info)
{
    nf_graph_stats s = {.size = sizeof s};
    const nf_algorithm_info *a = cli_algorithm(info->problem, info->device, info->algorithm);
    if (nf_graph_get_stats(app->ctx, app->graph, 0, &s) == NF_OK) {
        cli_line(f, "degrees", "mean %.3g, deviation %.3g, max %" PRIu64 "; density %.3g", s.degree_mean,
                 s.degree_deviation, s.degree_max, s.density);
        cli_line(f, "weights", "%.6g to %.6g, %s", s.weight_min, s.weight_max,
                 s.weight_sign < 0    ? "some negative"
                 : s.weight_sign == 0 ? "some zero"
                                      : "all positive");
    }
    if (a == NULL)
        return;
    cli_line(f, "method", "%s", a->summary);
    if (a->paper != NULL && a->paper[0] != '\0')
        cli_line(f, "paper", "%s", a->paper);
    if (a->memory != NULL && a->memory[0] != '\0')
        cli_line(f, "memory", "%s beyond graph and result", a->memory);
    for (size_t i = 0; i < a->knob_count; i++)
        cli_line(f, i == 0 ? "knobs" : "", "%s (default %s): %s", a->knobs[i].name, a->knobs[i].default_text,
                 a->knobs[i].summary);
}

static void print_numbers(FILE *f, const nf_row_info *r, uint64_t all, const char *what)
{
    char a[32], b[32];
    cli_line(f, "reached", "%s of %s %s (%.4g%%)", cli_grouped(r->reached, a), cli_grouped(all, b), what,
             all > 0 ? 100.0 * (double)r->reached / (double)all : 0.0);
    cli_line(f, "max", "%s", r->max_text);
    cli_line(f, "mean", "%.10g", r->reached > 0 ? r->sum / (double)r->reached : 0.0);
}

/* Several rows: one line each, at most twenty. */
static void print_rows(FILE *f, const cli_app *app, const cli_run *run)
{
    char a[32], t[32];
    fprintf(f, "  %-12s %12s %16s %16s %10s\n", "source", "reached", "max", "mean", "run");
    for (uint64_t i = 0; i < run->source_count; i++) {
        nf_row_info r = {.size = sizeof r};
        nf_result_row_info(run->result, i, &r);
        if (i == 20) {
            fprintf(f, "  ... %" PRIu64 " more (--json or --output show all)\n", run->source_count - i);
            return;
        }
        fprintf(f, "  %-12" PRIu64 " %12s %16s %16.10g %10s\n", nf_graph_label(app->graph, r.source),
                cli_grouped(r.reached, a), r.max_text, r.reached > 0 ? r.sum / (double)r.reached : 0.0,
                cli_ms(r.run_ms, t));
    }
}

static void print_targets(FILE *f, const cli_app *app, const cli_run *run)
{
    char d[32];
    for (size_t i = 0; i < app->args.target.count; i++)
        cli_line(f, i == 0 ? "targets" : "", "%" PRIu64 " at %s", nf_graph_label(app->graph, run->targets[i]),
                 cli_distance(run->result, 0, run->targets[i], d));
}

static void print_times(FILE *f, const cli_app *app, const cli_run *run, const nf_run_info *info)
{
    char a[32], b[32], c[32], d[32], e[32];
    fprintf(f, "  %-11s %s (read %s", "time", cli_ms(info->run_ms, a), cli_ms(app->read_ms, b));
    if (info->build_ms >= 0.01)
        fprintf(f, ", build %s", cli_ms(info->build_ms, c));
    if (info->upload_ms > 0.0 || info->download_ms > 0.0)
        fprintf(f, ", upload %s, download %s", cli_ms(info->upload_ms, c), cli_ms(info->download_ms, d));
    if (info->device_ms > 0.0)
        fprintf(f, ", on the device %s", cli_ms(info->device_ms, c));
    if (app->args.verify)
        fprintf(f, ", verify %s", cli_ms(run->verify_ms, e));
    fputs(")\n", f);
    cli_line(f, "work", "%s arcs relaxed in %s iterations", cli_grouped(info->edges_relaxed, a),
             cli_grouped(info->iterations, b));
}

static void print_head(FILE *f, const cli_app *app, const cli_run *run, const nf_run_info *info)
{
    nf_graph_info g = {.size = sizeof g};
    char n[32], m[32];
    bool out = f == stdout;
    nf_graph_get_info(app->graph, &g);
    fprintf(f, "%s%s%s: %s vertices, %s arcs, %s, %s\n", out ? cli_bold(app) : "", app->graph_name,
            out ? cli_plain(app) : "", cli_grouped(g.n, n), cli_grouped(g.m, m), g.directed ? "directed" : "undirected",
            g.weight_type == NF_NONE ? "unweighted" : nf_type_name(g.weight_type));
    fprintf(f, "%s%s", out ? cli_bold(app) : "", nf_problem_name(run->problem));
    if (run->source_count == 1)
        fprintf(f, " from %" PRIu64, nf_graph_label(app->graph, run->sources[0]));
    else if (run->source_count > 1)
        fprintf(f, " from %s%" PRIu64 " sources", app->args.nearest ? "the nearest of " : "", run->source_count);
    fprintf(f, "%s by %s on %s\n", out ? cli_plain(app) : "", info->algorithm, info->device);
}

static void print_summary(cli_app *app, const cli_run *run)
{
    bool to_stdout = app->args.output == NULL || strcmp(app->args.output, "-") != 0;
    FILE *f = to_stdout ? stdout : stderr;
    nf_run_info info = {.size = sizeof info};
    nf_row_info all = {.size = sizeof all};
    nf_result_info(run->result, &info);
    nf_result_row_info(run->result, run->problem == NF_APSP ? NF_ALL_ROWS : 0, &all);
    print_head(f, app, run, &info);
    if (run->problem != NF_APSP && run->source_count > 1 && !app->args.nearest)
        print_rows(f, app, run);
    else
        print_numbers(f, &all, run->problem == NF_APSP ? (uint64_t)info.n * info.n : info.n,
                      run->problem == NF_APSP ? "pairs" : "vertices");
    if (info.rows == 1)
        print_targets(f, app, run);
    print_times(f, app, run, &info);
    cli_line(f, "why", "%s", info.reason);
    if (app->args.explain)
        print_explain(f, app, &info);
    if (app->args.verify)
        cli_line(f, "verified", "all rules hold");
    if ((info.flags & NF_INFO_FLOAT_OVERFLOW) != 0)
        cli_line(f, "note", "a float sum reached infinity and counts as unreached");
    if ((info.flags & NF_INFO_ROUNDED) != 0)
        cli_line(f, "note", "rounding made a zero cycle look negative; it was ignored");
    if (app->args.output != NULL && to_stdout)
        cli_line(f, "written", "%s", app->args.output);
    if (app->args.plot != NULL)
        cli_line(f, "drawn", "%s", app->args.plot);
}

int cli_report_run(cli_app *app, const cli_run *run)
{
    if (app->args.json)
        print_json(app, run);
    else if (!app->args.quiet)
        print_summary(app, run);
    return CLI_OK;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static void print_path_json(cli_app *app, const cli_run *run)
{
    nf_run_info info = {.size = sizeof info};
    const nf_path *p = run->path;
    char d[32];
    cli_json j = {.file = stdout};
    nf_path_info(p, &info);
    cli_json_begin(&j, NULL, '{');
    cli_json_text(&j, "problem", "path");
    cli_json_text(&j, "algorithm", info.algorithm);
    cli_json_text(&j, "reason", info.reason);
    cli_json_text(&j, "device", info.device);
    cli_json_count(&j, "n", info.n);
    cli_json_count(&j, "m", info.m);
    cli_json_label(&j, "source", app->graph, run->sources[0]);
    cli_json_label(&j, "target", app->graph, run->targets[0]);
    cli_json_number(&j, "distance", p->length > 0 ? cli_number(p->type, p->distances, p->length - 1, d) : "");
    if (p->length > 0)
        cli_json_count(&j, "hops", p->length - 1);
    else
        cli_json_text(&j, "hops", NULL);
    put_labels(&j, "path", app->graph, p->vertices, p->length);
    put_time(&j, app, &info, info.run_ms);
    cli_json_count(&j, "iterations", info.iterations);
    cli_json_count(&j, "edges_relaxed", info.edges_relaxed);
    if (app->args.verify)
        cli_json_bool(&j, "verified", run->verified);
    if (app->args.explain)
        put_explain(&j, app, &info);
    cli_json_end(&j, '}');
    cli_json_finish(&j);
}

/* A line a vertex with the distance so far; the middle of a long path is left out on a terminal. */
static void print_walk(const cli_app *app, const nf_path *p)
{
    bool cut = p->length > PATH_ON_TERMINAL && !app->args.all && isatty(STDOUT_FILENO);
    uint64_t keep = PATH_ON_TERMINAL / 2;
    char d[32];
    for (uint64_t i = 0; i < p->length; i++) {
        if (cut && i == keep) {
            printf("  ... %" PRIu64 " more (--all shows them) ...\n", p->length - 2 * keep);
            i = p->length - keep;
        }
        printf("  %-12" PRIu64 " %s\n", nf_graph_label(app->graph, p->vertices[i]),
               cli_number(p->type, p->distances, i, d));
    }
}

static void print_path(cli_app *app, const cli_run *run)
{
    nf_run_info info = {.size = sizeof info};
    const nf_path *p = run->path;
    char d[32], a[32], b[32];
    uint64_t from = nf_graph_label(app->graph, run->sources[0]), to = nf_graph_label(app->graph, run->targets[0]);
    nf_path_info(p, &info);
    printf("%s%" PRIu64 " to %" PRIu64 "%s: distance %s, %s arc%s  (%s on %s, %s)\n", cli_bold(app), from, to,
           cli_plain(app), cli_number(p->type, p->distances, p->length - 1, d), cli_grouped(p->length - 1, a),
           p->length == 2 ? "" : "s", info.algorithm, info.device, cli_ms(info.run_ms, b));
    print_walk(app, p);
    if (app->args.explain) {
        cli_line(stdout, "why", "%s", info.reason);
        print_explain(stdout, app, &info);
    }
    if (app->args.verify)
        cli_line(stdout, "verified", "all rules hold");
    if (app->args.plot != NULL)
        cli_line(stdout, "drawn", "%s", app->args.plot);
}

int cli_report_path(cli_app *app, const cli_run *run)
{
    if (app->args.json)
        print_path_json(app, run);
    if (run->path->length == 0) {
        cli_complain(app, "no path leads from %" PRIu64 " to %" PRIu64, nf_graph_label(app->graph, run->sources[0]),
                     nf_graph_label(app->graph, run->targets[0]));
        return CLI_UNSUPPORTED;
    }
    if (!app->args.json && !app->args.quiet)
        print_path(app, run);
    return CLI_OK;
}
