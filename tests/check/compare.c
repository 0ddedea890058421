/* compare.c - two results beside each other: exactly equal (rule 17), or alike as LDBC Graphalytics has it (rule 18).
 *
 * Cost: O(rows * n) time, no memory.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define LDBC_EPSILON 0.0001

typedef struct side {
    nf_run_info info;
    nf_type type;
    const void *d;
} side;

static nf_status open_side(const nf_result *result, side *s, nf_check_report *report)
{
    memset(s, 0, sizeof *s);
    s->info.size = sizeof s->info;
    const nf_status st = nf_result_info(result, &s->info);
    s->type = s->info.problem == NF_BFS ? NF_I32 : s->info.type;
    return st == NF_OK ? st : c_fail(report, st, nf_last_error());
}

static nf_status open_both(const nf_result *got, const nf_result *want, nf_check_rule rule, side *a, side *b,
                           nf_check_report *report)
{
    c_begin(report);
    nf_status st = open_side(got, a, report);
    if (st == NF_OK)
        st = open_side(want, b, report);
    if (st != NF_OK)
        return st;
    if (a->info.problem != b->info.problem || a->info.n != b->info.n || a->info.rows != b->info.rows)
        c_broken(report, rule, NF_NO_VERTEX, NF_NO_VERTEX, "%s of %llu rows and %u vertices against %s of %llu and %u",
                 nf_problem_name(a->info.problem), (unsigned long long)a->info.rows, a->info.n,
                 nf_problem_name(b->info.problem), (unsigned long long)b->info.rows, b->info.n);
    else if (c_is_float(a->type) != c_is_float(b->type))
        c_broken(report, rule, NF_NO_VERTEX, NF_NO_VERTEX, "distances of type %s against %s", nf_type_name(a->type),
                 nf_type_name(b->type));
    return NF_OK;
}

static const void *labels(const nf_result *result, const side *s, uint64_t row)
{
    return s->info.problem == NF_BFS ? (const void *)nf_result_hops(result, row) : nf_result_distances(result, row);
}

static bool alike(const c_field *f, bool ldbc, c_num a, c_num b)
{
    if (!f->real || !ldbc)
        return c_compare(f, a, b) == 0;
    return a.f == b.f || (isfinite(a.f) && isfinite(b.f) && fabs(a.f - b.f) <= LDBC_EPSILON * fabs(b.f));
}

static bool compare_labels(const side *a, const side *b, const c_field *f, bool ldbc, nf_check_report *report)
{
    for (nf_vid v = 0; v < a->info.n; v++) {
        const c_num x = c_load(f, a->type, a->d, v), y = c_load(f, b->type, b->d, v);
        char have[48], want[48];
        if (alike(f, ldbc, x, y))
            continue;
        c_text(f, x, have);
        c_text(f, y, want);
        return c_broken(report, ldbc ? NF_CHECK_LDBC : NF_CHECK_EQUAL, v, NF_NO_VERTEX, "vertex %u: got %s, want %s", v,
                        have, want);
    }
    return true;
}

static bool compare_ids(const nf_vid *a, const nf_vid *b, nf_vid n, const char *what, nf_check_report *report)
{
    if ((a == NULL) != (b == NULL))
        return c_broken(report, NF_CHECK_EQUAL, NF_NO_VERTEX, NF_NO_VERTEX, "only one of the two has %ss", what);
    for (nf_vid v = 0; a != NULL && v < n; v++)
        if (a[v] != b[v])
            return c_broken(report, NF_CHECK_EQUAL, v, a[v], "%s of vertex %u: got %u, want %u", what, v, a[v], b[v]);
    return true;
}

static nf_status compare(const nf_result *got, const nf_result *want, const nf_check_options *o, bool ldbc,
                         nf_check_report *report)
{
    side a, b;
    const nf_status st = open_both(got, want, ldbc ? NF_CHECK_LDBC : NF_CHECK_EQUAL, &a, &b, report);
    const bool ids = !ldbc && o != NULL && (o->flags & NF_CHECK_WITH_PARENTS) != 0;
    if (st != NF_OK)
        return st;
    c_field f = c_field_of(a.type, o != NULL ? o->tolerance : 0);
    f.f32 = a.type == NF_F32 && b.type == NF_F32;
    for (uint64_t row = 0; row < a.info.rows && report->ok; row++) {
        a.d = labels(got, &a, row), b.d = labels(want, &b, row);
        report->row = row;
        if (a.d == NULL || b.d == NULL)
            return c_fail(report, NF_EINVAL, "a result does not hold its distances");
        if (compare_labels(&a, &b, &f, ldbc, report) && ids)
            compare_ids(nf_result_parents(got, row), nf_result_parents(want, row), a.info.n, "parent", report);
        report->rows = row + 1;
    }
    if (report->ok && ids)
        compare_ids(nf_result_owners(got), nf_result_owners(want), a.info.n, "owner", report);
    return NF_OK;
}

nf_status nf_check_equal(const nf_result *got, const nf_result *want, const nf_check_options *options,
                         nf_check_report *report)
{
    return compare(got, want, options, false, report);
}

nf_status nf_check_ldbc(const nf_result *got, const nf_result *want, nf_check_report *report)
{
    return compare(got, want, NULL, true, report);
}
