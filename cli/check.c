/* check.c - `nearfar verify` and --verify: the checkers of tests/check, told in the graph's labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli.h"

/* Relative error that methods flagged NF_ALG_ROUNDED may have; the rest is checked exactly. */
#define ROUNDED_TOLERANCE 1e-4

static double tolerance_of(const nf_result *result)
{
    nf_run_info info = {.size = sizeof info};
    nf_result_info(result, &info);
    for (size_t i = 0; nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (info.algorithm != NULL && strcmp(a->name, info.algorithm) == 0 && a->problem == info.problem
            && (a->flags & NF_ALG_ROUNDED) != 0)
            return ROUNDED_TOLERANCE;
    }
    return 0.0;
}

/* "vertex 7 (distance 12), coming from 3 (distance 5), of source 1" */
static void describe(const cli_app *app, const nf_result *result, const nf_check_report *r, char *text, size_t capacity)
{
    char d[32];
    size_t used = 0;
    nf_vid source = nf_result_source(result, r->row);
    text[0] = '\0';
    if (r->vertex != NF_NO_VERTEX)
        used += (size_t)snprintf(text, capacity, "at vertex %" PRIu64 " (distance %s)",
                                 nf_graph_label(app->graph, r->vertex), cli_distance(result, r->row, r->vertex, d));
    if (r->vertex != NF_NO_VERTEX && r->from != NF_NO_VERTEX && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, ", from vertex %" PRIu64 " (distance %s)",
                                 nf_graph_label(app->graph, r->from), cli_distance(result, r->row, r->from, d));
    if (source != NF_NO_VERTEX && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, "%sin the row of source %" PRIu64, used > 0 ? ", " : "",
                                 nf_graph_label(app->graph, source));
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(app->graph, &info);
    if (!info.sparse_labels && info.label_base == 0
        && used < capacity) /* labels are vertex numbers: the checker's own words fit */
        snprintf(text + used, capacity - used, "%s%s", used > 0 ? ": " : "", r->message);
}

/* Turns a checker's answer into the command's. */
static int tell(cli_app *app, const nf_result *result, nf_status st, const nf_check_report *report, bool *ok,
                char *text, size_t capacity)
{
    char where[512];
    if (st == NF_OK && cli_interrupted())
        st = NF_ECANCELLED;
    if (st != NF_OK && st != NF_ECANCELLED && report->message[0] != '\0')
        return cli_error(app, cli_exit_code(st), "the result could not be checked: %s", report->message);
    if (st != NF_OK)
        return cli_fail(app, st);
    *ok = report->ok;
    describe(app, result, report, where, sizeof where);
    if (report->ok)
        snprintf(text, capacity, "all rules hold");
    else
        snprintf(text, capacity, "rule %d (%s) is broken%s%s", (int)report->rule, nf_check_rule_text(report->rule),
                 where[0] ? " " : "", where);
    return CLI_OK;
}

int cli_check(cli_app *app, const nf_result *result, bool *ok, char *text, size_t capacity)
{
    const cli_args *a = &app->args;
    nf_check_report report;
    nf_check_options o = {.size = sizeof o,
                          .tolerance = a->tolerance.given ? a->tolerance.value : tolerance_of(result)};
    nf_vid *targets = NULL;
    int code = CLI_OK;
    if (a->cutoff.given) {
        o.flags |= NF_CHECK_WITH_CUTOFF;
        o.cutoff = a->cutoff.value;
    }
    /* where sums may be rounded, no arc is tight to the last bit, and the rule says nothing */
    o.flags |= a->deterministic && o.tolerance == 0 ? NF_CHECK_WITH_DETERMINISTIC : 0u;
    code = cli_targets(app, &targets);
    if (code != CLI_OK)
        return code;
    o.targets = targets;
    o.target_count = targets != NULL ? a->target.count : 0;
    cli_still_begin(app);
    nf_status st = nf_check_result(app->ctx, app->graph, result, &o, &report);
    cli_still_end();
    free(targets);
    return tell(app, result, st, &report, ok, text, capacity);
}

int cli_check_walk(cli_app *app, const nf_result *result, const cli_walk *walk, double distance, bool *ok, char *text,
                   size_t capacity)
{
    nf_run_info info = {.size = sizeof info};
    nf_check_report report;
    nf_path path = {.length = walk->length, .vertices = (nf_vid *)(uintptr_t)walk->vertices, .distance = distance};
    nf_result_info(result, &info);
    if (walk->length == 0 || info.problem == NF_BFS) /* the sum of weights is not what BFS is about */
        return CLI_OK;
    nf_status st = nf_check_path(app->ctx, app->graph, &path, walk->vertices[0], walk->vertices[walk->length - 1],
                                 info.type, &report);
    return tell(app, result, st, &report, ok, text, capacity);
}

static int report_verdict(cli_app *app, const nf_result *result, bool ok, const char *text)
{
    nf_run_info info = {.size = sizeof info};
    char rows[32];
    nf_result_info(result, &info);
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_text(&j, "problem", nf_problem_name(info.problem));
        cli_json_bool(&j, "verified", ok);
        cli_json_text(&j, "message", text);
        cli_json_count(&j, "rows", info.rows);
        cli_json_count(&j, "n", nf_graph_n(app->graph));
        cli_json_count(&j, "m", nf_graph_m(app->graph));
        cli_json_bool(&j, "parents", nf_result_parents(result, 0) != NULL);
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    }
    if (!ok)
        cli_complain(app, "%s: %s", app->args.operand[1], text);
    else if (!app->args.json && !app->args.quiet)
        printf("%s: %s of %s row%s checked%s, all rules hold\n", app->args.operand[1], nf_problem_name(info.problem),
               cli_grouped(info.rows, rows), info.rows == 1 ? "" : "s",
               nf_result_parents(result, 0) != NULL ? " with parents" : "");
    return ok ? CLI_OK : CLI_WRONG;
}

/* The sources the user says the result has must be those it has. */
static int match_sources(cli_app *app, const nf_result *result, bool *ok, char *text, size_t capacity)
{
    uint64_t count = 0;
    const nf_vid *sources = nf_result_sources(result, &count);
    for (size_t i = 0; *ok && i < app->args.source.count; i++) {
        nf_vid v = NF_NO_VERTEX;
        int code = cli_vertex(app, "source", app->args.source.items[i], &v);
        if (code != CLI_OK)
            return code;
        bool found = false;
        for (uint64_t j = 0; j < count; j++)
            found = found || sources[j] == v;
        if (!found) {
            *ok = false;
            snprintf(text, capacity,
                     "rule 6 (the source is at distance 0) is broken: the result is not from source %" PRIu64,
                     nf_graph_label(app->graph, v));
        }
    }
    return CLI_OK;
}

/* --against: the two results match as LDBC Graphalytics has it. */
static int compare(cli_app *app, const nf_result *got, bool *ok, char *text, size_t capacity)
{
    nf_check_report report;
    nf_result *want = NULL;
    nf_run_info info = {.size = sizeof info};
    nf_result_info(got, &info);
    nf_status st = nf_result_read(app->ctx, app->graph, app->args.against, info.problem,
                                  info.problem == NF_BFS ? NF_NONE : info.type, &want);
    if (st != NF_OK)
        return cli_fail(app, st);
    st = nf_check_ldbc(got, want, &report);
    nf_result_free(want);
    return tell(app, got, st, &report, ok, text, capacity);
}

int cli_cmd_verify(cli_app *app)
{
    static const nf_problem problems[] = {NF_BFS, NF_SSSP, NF_APSP};
    nf_result *result = NULL;
    bool ok = false;
    char text[1024];
    int code = cli_load(app, false);
    if (code != CLI_OK)
        return code;
    nf_problem problem = app->args.problem.given ? problems[app->args.problem.index] : NF_SSSP;
    nf_status st = nf_result_read(app->ctx, app->graph, app->args.operand[1], problem,
                                  cli_type_of(app->args.distance_type.text), &result);
    cli_bar_end(app);
    if (st != NF_OK)
        return cli_fail(app, st);
    code = cli_check(app, result, &ok, text, sizeof text);
    cli_bar_end(app);
    if (code == CLI_OK)
        code = match_sources(app, result, &ok, text, sizeof text);
    if (code == CLI_OK && ok && app->args.against != NULL)
        code = compare(app, result, &ok, text, sizeof text);
    if (code == CLI_OK)
        code = report_verdict(app, result, ok, text);
    nf_result_free(result);
    return code;
}
