/* walk.c - paths and cycles: do their arcs exist, and do they weigh what they should?
 *
 * Between two vertices the lightest of parallel arcs counts: by monotone rounding, that gives the least left-to-right
 * sum.
 * Cost: O(length log m), once the graph's sorted list exists.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* The lightest arc u -> v, in the field; *count is 0 when there is none. */
static nf_status lightest(nf_context *ctx, const nf_graph *graph, const nf_coo *coo, const c_field *f, nf_vid u,
                          nf_vid v, c_num *w, nf_eid *count)
{
    nf_eid first = 0;
    const nf_status st = nf_graph_find_edge(ctx, graph, u, v, &first, count);
    for (nf_eid e = first; st == NF_OK && e < first + *count; e++) {
        const c_num a = c_weight(f, coo->weight_type, coo->weights, e);
        if (e == first || c_compare(f, a, *w) < 0)
            *w = a;
    }
    return st;
}

static nf_type default_type(nf_type type, nf_type weights)
{
    return type != NF_NONE ? type : c_is_float(weights) ? weights : NF_I64;
}

static bool in_range(const nf_vid *walk, uint64_t length, nf_vid n, nf_check_rule rule, nf_check_report *report)
{
    for (uint64_t k = 0; k < length; k++)
        if (walk[k] >= n)
            return c_broken(report, rule, walk[k], NF_NO_VERTEX, "%u is not a vertex", walk[k]);
    return true;
}

nf_status nf_check_path(nf_context *ctx, const nf_graph *graph, const nf_path *path, nf_vid source, nf_vid target,
                        nf_type type, nf_check_report *report)
{
    nf_coo coo;
    c_begin(report);
    if (path->length == 0) {
        if (path->distance < INFINITY)
            c_broken(report, NF_CHECK_LENGTH, target, source, "there is no way, but its length is %.17g",
                     path->distance);
        return NF_OK;
    }
    if (path->vertices[0] != source || path->vertices[path->length - 1] != target) {
        c_broken(report, NF_CHECK_PATH, target, source, "the path leads from %u to %u, not from %u to %u",
                 path->vertices[0], path->vertices[path->length - 1], source, target);
        return NF_OK;
    }
    if (!in_range(path->vertices, path->length, nf_graph_n(graph), NF_CHECK_PATH, report))
        return NF_OK;
    nf_status st = nf_graph_coo_view(ctx, graph, &coo);
    if (st != NF_OK)
        return c_fail(report, st, nf_last_error());
    const c_field f = c_field_of(default_type(type, coo.weight_type), 0);
    c_num sum = {0}, w = {0};
    for (uint64_t k = 0; k + 1 < path->length; k++) {
        const nf_vid u = path->vertices[k], v = path->vertices[k + 1];
        nf_eid count = 0;
        st = lightest(ctx, graph, &coo, &f, u, v, &w, &count);
        if (st != NF_OK)
            return c_fail(report, st, nf_last_error());
        if (count == 0) {
            c_broken(report, NF_CHECK_PATH, v, u, "the path steps from %u to %u, but the graph has no such arc", u, v);
            return NF_OK;
        }
        sum = c_add(&f, sum, w);
    }
    const double length = f.real ? sum.f : (double)sum.i;
    if (length != path->distance)
        c_broken(report, NF_CHECK_LENGTH, target, source, "the path has length %.17g, but says %.17g", length,
                 path->distance);
    return NF_OK;
}

/* Rule 16: the exact sum for integers; for floats, the bound of nearfar.h. */
static void check_sum(const c_field *f, c_wide exact, long double sum, long double size, uint64_t length,
                      nf_check_report *report)
{
    const long double epsilon = f->f32 ? (long double)FLT_EPSILON : (long double)DBL_EPSILON;
    const bool negative = f->real ? sum < -(long double)length * epsilon * size : exact < 0;
    char text[48];
    if (negative)
        return;
    if (f->real)
        snprintf(text, sizeof text, "%.17Lg", sum);
    else
        c_wide_text(exact, text);
    c_broken(report, NF_CHECK_NEGATIVE, NF_NO_VERTEX, NF_NO_VERTEX,
             "the cycle of %llu arcs sums to %s, which is not negative", (unsigned long long)length, text);
}

nf_status nf_check_cycle(nf_context *ctx, const nf_graph *graph, const nf_vid *cycle, uint64_t length, nf_type type,
                         nf_check_report *report)
{
    nf_coo coo;
    c_begin(report);
    if (cycle == NULL || length == 0) {
        c_broken(report, NF_CHECK_CYCLE, NF_NO_VERTEX, NF_NO_VERTEX, "the cycle is empty");
        return NF_OK;
    }
    if (!in_range(cycle, length, nf_graph_n(graph), NF_CHECK_CYCLE, report))
        return NF_OK;
    nf_status st = nf_graph_coo_view(ctx, graph, &coo);
    if (st != NF_OK)
        return c_fail(report, st, nf_last_error());
    const c_field f = c_field_of(default_type(type, coo.weight_type), 0);
    c_wide exact = 0;
    long double sum = 0, size = 0;
    for (uint64_t k = 0; k < length; k++) {
        const nf_vid u = cycle[k], v = cycle[(k + 1) % length];
        c_num w = {0};
        nf_eid count = 0;
        st = lightest(ctx, graph, &coo, &f, u, v, &w, &count);
        if (st != NF_OK)
            return c_fail(report, st, nf_last_error());
        if (count == 0) {
            c_broken(report, NF_CHECK_CYCLE, v, u, "the cycle steps from %u to %u, but the graph has no such arc", u,
                     v);
            return NF_OK;
        }
        exact += w.i;
        sum += (long double)w.f;
        size += (long double)fabs(w.f);
    }
    check_sum(&f, exact, sum, size, length, report);
    return NF_OK;
}
