/* check.c - the checkers on results: which rows, with which sources, and whether the summaries are true.
 *
 * Cost: that of nf_check_labels for each row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

const char *nf_check_rule_name(nf_check_rule rule)
{
    switch (rule) {
#define RULE_NAME(name, number, text) \
    case name: return #name;
        NF_CHECK_RULE_MAP(RULE_NAME)
#undef RULE_NAME
    }
    return "NF_CHECK_?";
}

const char *nf_check_rule_text(nf_check_rule rule)
{
    switch (rule) {
#define RULE_TEXT(name, number, text) \
    case name: return text;
        NF_CHECK_RULE_MAP(RULE_TEXT)
#undef RULE_TEXT
    }
    return "unknown rule";
}

static nf_status take_info(const nf_graph *graph, const nf_result *result, nf_run_info *info, nf_check_report *report)
{
    c_begin(report);
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    const nf_status st = nf_result_info(result, info);
    if (st != NF_OK)
        return c_fail(report, st, nf_last_error());
    if (info->n != nf_graph_n(graph))
        c_broken(report, NF_CHECK_SHAPE, NF_NO_VERTEX, NF_NO_VERTEX, "the result has %u vertices, the graph %u",
                 info->n, nf_graph_n(graph));
    return NF_OK;
}

/* The row as arrays. `own` gives a single source a place to live in. */
static nf_status check_row(nf_context *ctx, const nf_graph *graph, const nf_result *result, const nf_run_info *info,
                           uint64_t row, const nf_check_options *options, nf_check_report *report)
{
    const nf_vid own = nf_result_source(result, row);
    nf_check_row r = {.problem = info->problem,
                      .type = info->type,
                      .parents = nf_result_parents(result, row),
                      .sources = &own,
                      .source_count = 1};
    r.distances =
        info->problem == NF_BFS ? (const void *)nf_result_hops(result, row) : nf_result_distances(result, row);
    if (row >= info->rows || r.distances == NULL)
        return c_fail(report, NF_EINVAL, "the result does not hold the distances of this row");
    if ((info->flags & NF_INFO_NEAREST) != 0) {
        r.sources = nf_result_sources(result, &r.source_count);
        r.owners = nf_result_owners(result);
    }
    nf_check_options o = {.size = sizeof o};
    if (options != NULL)
        o = *options;
    if (info->problem == NF_APSP)
        o.target_count = 0;
    if (info->problem == NF_APSP && own != row) {
        c_begin(report);
        c_broken(report, NF_CHECK_SHAPE, own, NF_NO_VERTEX, "row %llu belongs to vertex %u", (unsigned long long)row,
                 own);
        return NF_OK;
    }
    nf_status st = nf_check_labels(ctx, graph, &r, &o, report);
    report->row = row;
    return st;
}

static nf_status check_one(nf_context *ctx, const nf_graph *graph, const nf_result *result, nf_problem problem,
                           uint64_t row, const nf_check_options *options, nf_check_report *report)
{
    nf_run_info info;
    nf_status st = take_info(graph, result, &info, report);
    if (st != NF_OK || !report->ok)
        return st;
    if (info.problem != problem)
        return c_fail(report, NF_EINVAL, "the result is of another problem");
    st = check_row(ctx, graph, result, &info, row, options, report);
    report->rows = st == NF_OK;
    return st;
}

nf_status nf_check_bfs(nf_context *ctx, const nf_graph *graph, const nf_result *result, uint64_t row,
                       const nf_check_options *options, nf_check_report *report)
{
    return check_one(ctx, graph, result, NF_BFS, row, options, report);
}

nf_status nf_check_sssp(nf_context *ctx, const nf_graph *graph, const nf_result *result, uint64_t row,
                        const nf_check_options *options, nf_check_report *report)
{
    return check_one(ctx, graph, result, NF_SSSP, row, options, report);
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

static nf_status check_rows(nf_context *ctx, const nf_graph *graph, const nf_result *result, const nf_run_info *info,
                            const nf_check_options *options, nf_check_report *report)
{
    nf_status st = NF_OK;
    for (uint64_t row = 0; row < info->rows && st == NF_OK && report->ok; row++) {
        st = check_row(ctx, graph, result, info, row, options, report);
        report->rows = row + 1;
    }
    return st;
}

nf_status nf_check_apsp(nf_context *ctx, const nf_graph *graph, const nf_result *result,
                        const nf_check_options *options, nf_check_report *report)
{
    nf_run_info info;
    const nf_status st = take_info(graph, result, &info, report);
    if (st != NF_OK || !report->ok)
        return st;
    if (info.problem != NF_APSP)
        return c_fail(report, NF_EINVAL, "the result is of another problem");
    if (info.rows != info.n) {
        c_broken(report, NF_CHECK_SHAPE, NF_NO_VERTEX, NF_NO_VERTEX, "the result has %llu rows for %u vertices",
                 (unsigned long long)info.rows, info.n);
        return NF_OK;
    }
    return check_rows(ctx, graph, result, &info, options, report);
}

/* Rule 12 for one row; float sums may be added up in any order. */
static bool check_summary(const nf_result *result, const nf_run_info *info, uint64_t row, nf_check_report *report)
{
    nf_row_info have = {.size = sizeof have};
    if (nf_result_row_info(result, row, &have) != NF_OK)
        return c_broken(report, NF_CHECK_SUMMARY, NF_NO_VERTEX, NF_NO_VERTEX, "row %llu has no summary",
                        (unsigned long long)row);
    const bool bfs = info->problem == NF_BFS;
    const nf_type type = bfs ? NF_I32 : info->type;
    const c_field f = c_field_of(type, 0);
    const void *d = bfs ? (const void *)nf_result_hops(result, row) : nf_result_distances(result, row);
    uint64_t reached = 0;
    c_wide sum = 0, max = -C_INFINITE;
    double fsum = 0, fmaximum = -INFINITY;
    for (nf_vid v = 0; v < info->n; v++) {
        const c_num a = c_load(&f, type, d, v);
        if (!c_reached(&f, a) || (bfs && a.i == NF_NO_HOP))
            continue;
        reached++;
        sum += a.i, fsum += a.f;
        max = a.i > max ? a.i : max;
        fmaximum = fmax(fmaximum, a.f);
    }
    char sum_text[48], max_text[48];
    c_wide_text(sum, sum_text);
    c_wide_text(reached > 0 ? max : 0, max_text);
    bool same = have.reached == reached;
    if (f.real)
        same =
            same && (reached == 0 || have.max == fmaximum)
            && (!isfinite(fsum) || fabs(have.sum - fsum) <= 1e-6 * fmax(fabs(have.sum), fabs(fsum)) || fmaximum <= 0);
    else
        same = same && strcmp(have.sum_text, sum_text) == 0 && strcmp(have.max_text, max_text) == 0;
    if (same)
        return true;
    return c_broken(report, NF_CHECK_SUMMARY, NF_NO_VERTEX, NF_NO_VERTEX,
                    "row %llu says reached %llu, max %s, sum %s; the distances say %llu, %s, %s",
                    (unsigned long long)row, (unsigned long long)have.reached, have.max_text, have.sum_text,
                    (unsigned long long)reached, f.real ? "(float)" : max_text, f.real ? "(float)" : sum_text);
}

nf_status nf_check_result(nf_context *ctx, const nf_graph *graph, const nf_result *result,
                          const nf_check_options *options, nf_check_report *report)
{
    nf_run_info info;
    uint64_t length = 0;
    nf_status st = take_info(graph, result, &info, report);
    if (st != NF_OK || !report->ok)
        return st;
    const nf_vid *cycle = nf_result_cycle(result, &length);
    if (cycle != NULL)
        return nf_check_cycle(ctx, graph, cycle, length, info.type, report);
    st = info.problem == NF_APSP ? nf_check_apsp(ctx, graph, result, options, report)
                                 : check_rows(ctx, graph, result, &info, options, report);
    for (uint64_t row = 0; row < info.rows && st == NF_OK && report->ok; row++)
        if (!check_summary(result, &info, row, report))
            report->row = row;
    return st;
}
