/* labels.c - rules 1 to 8 on the labels of one row, and the arithmetic they are checked in.
 *
 * Rules 1, 2, 5 look at the tree: parents walk back to a root, a parent arc exists, and one of the parallel arcs is
 * tight. Rules 3 and 4 look at every arc out of a reached vertex. Together they prove the distances: by 3, no distance
 * is too large; by the tree (or, without parents, by tight arcs that lead from the source, rule 7), none is too small.
 *
 * Cost: O(n + m) time, O(n) memory.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- reports ----------------------------------------------------------------------------------------------------- */

void c_begin(nf_check_report *report)
{
    memset(report, 0, sizeof *report);
    report->ok = true;
    report->vertex = NF_NO_VERTEX;
    report->from = NF_NO_VERTEX;
}

bool c_broken(nf_check_report *report, nf_check_rule rule, nf_vid vertex, nf_vid from, const char *format, ...)
{
    if (!report->ok)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(report->message, sizeof report->message, format, args);
    va_end(args);
    report->ok = false;
    report->rule = rule;
    report->vertex = vertex;
    report->from = from;
    return false;
}

nf_status c_fail(nf_check_report *report, nf_status status, const char *text)
{
    c_begin(report);
    report->ok = false;
    snprintf(report->message, sizeof report->message, "not checked: %s", text);
    return status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

c_field c_field_of(nf_type type, double tolerance)
{
    c_field f = {.real = c_is_float(type), .f32 = type == NF_F32};
    f.tolerance = f.real ? tolerance : 0;
    return f;
}

static c_num from_int(const c_field *f, c_wide value)
{
    c_num a = {.i = value};
    if (f->real)
        a.f = f->f32 ? (double)(float)value : (double)value;
    return a;
}

static c_num from_real(const c_field *f, double value)
{
    c_num a = {.i = 0, .f = f->f32 ? (double)(float)value : value};
    return a;
}

static c_num from_label(const c_field *f, c_wide value, c_wide unreached)
{
    return from_int(f, value == unreached ? C_INFINITE : value);
}

c_num c_load(const c_field *f, nf_type type, const void *array, uint64_t i)
{
    switch (type) {
    case NF_I32: return from_label(f, ((const int32_t *)array)[i], NF_UNREACHED_I32);
    case NF_U32: return from_label(f, ((const uint32_t *)array)[i], NF_UNREACHED_U32);
    case NF_I64: return from_label(f, ((const int64_t *)array)[i], NF_UNREACHED_I64);
    case NF_U64: return from_label(f, (c_wide)((const uint64_t *)array)[i], (c_wide)NF_UNREACHED_U64);
    case NF_F32: return from_real(f, (double)((const float *)array)[i]);
    case NF_F64: return from_real(f, ((const double *)array)[i]);
    default: return from_int(f, 1);
    }
}

c_num c_weight(const c_field *f, nf_type type, const void *weights, nf_eid e)
{
    switch (type) {
    case NF_I32: return from_int(f, ((const int32_t *)weights)[e]);
    case NF_U32: return from_int(f, ((const uint32_t *)weights)[e]);
    case NF_F32: return from_real(f, (double)((const float *)weights)[e]);
    case NF_F64: return from_real(f, ((const double *)weights)[e]);
    default: return from_int(f, 1);
    }
}

void c_wide_text(c_wide value, char text[48])
{
    char digits[48];
    size_t k = 0, at = 0;
    unsigned __int128 rest = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    do {
        digits[k++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        text[at++] = '-';
    while (k > 0)
        text[at++] = digits[--k];
    text[at] = '\0';
}

void c_text(const c_field *f, c_num a, char text[48])
{
    if (!c_reached(f, a) && !isnan(a.f))
        snprintf(text, 48, "unreached");
    else if (f->real)
        snprintf(text, 48, "%.17g", a.f);
    else
        c_wide_text(a.i, text);
}

/* ---- loading a row ----------------------------------------------------------------------------------------------- */

static c_num arc_weight(const c_row *r, nf_eid e)
{
    return c_weight(&r->field, r->hops ? NF_NONE : r->csr.weight_type, r->csr.weights, e);
}

/* Rule 11 on the labels: no NaN, no negative hop but -1. */
static bool load_labels(c_row *r, nf_type type, const void *distances)
{
    for (nf_vid v = 0; v < r->csr.n; v++) {
        r->d[v] = c_load(&r->field, type, distances, v);
        if (r->hops && r->d[v].i == NF_NO_HOP)
            r->d[v].i = C_INFINITE;
        else if (r->hops && (r->d[v].i < 0 || r->d[v].i == C_INFINITE))
            return c_broken(r->report, NF_CHECK_SHAPE, v, NF_NO_VERTEX, "vertex %u has a hop that is none", v);
        if (r->field.real && isnan(r->d[v].f))
            return c_broken(r->report, NF_CHECK_SHAPE, v, NF_NO_VERTEX, "vertex %u has a distance that is no number",
                            v);
    }
    return true;
}

/* The largest magnitude of the row, which errors are relative to when weights may cancel. Returns whether some are
 * negative. */
static bool measure(c_row *r)
{
    double top = 0;
    bool negative = false;
    for (nf_eid e = 0; e < r->csr.m && !r->hops; e++) {
        const c_num w = arc_weight(r, e);
        negative |= r->field.real ? w.f < 0 : w.i < 0;
        top = fmax(top, fabs(w.f));
    }
    for (nf_vid v = 0; v < r->csr.n && r->field.real; v++)
        if (c_reached(&r->field, r->d[v]))
            top = fmax(top, fabs(r->d[v].f));
    r->field.scale = negative ? top : 0;
    return negative;
}

static void lower_limit(c_row *r, c_num limit)
{
    if (!r->limited || c_compare(&r->field, limit, r->limit) < 0)
        r->limit = limit;
    r->limited = true;
}

/* The cutoff, and the one that targets make: the farthest of them when all are reached. */
static void set_limit(c_row *r, const nf_check_options *o, bool negative)
{
    if (o == NULL)
        return;
    if ((o->flags & NF_CHECK_WITH_CUTOFF) != 0 && o->cutoff < (r->field.real ? INFINITY : 0x1.0p100)) {
        const c_num limit = {.i = r->field.real ? 0 : (c_wide)floor(fmax(o->cutoff, -0x1.0p100)), .f = o->cutoff};
        lower_limit(r, limit);
    }
    if (o->target_count == 0 || o->targets == NULL || negative)
        return;
    c_num far = {0};
    for (uint64_t k = 0; k < o->target_count; k++) {
        if (o->targets[k] >= r->csr.n || !c_reached(&r->field, r->d[o->targets[k]]))
            return;
        if (c_compare(&r->field, r->d[o->targets[k]], far) > 0)
            far = r->d[o->targets[k]];
    }
    lower_limit(r, far);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* Beyond the limit, or, where errors are allowed, so near that either side will do. */
static bool is_beyond(const c_row *r, c_num sum)
{
    const int order = r->limited ? c_compare(&r->field, sum, r->limit) : -1;
    return order > 0 || (order == 0 && r->field.tolerance > 0);
}

/* Rule 6. Of several sources one may lie nearer through another when weights are negative: those are no roots. */
static bool check_sources(c_row *r)
{
    const c_num zero = {0};
    for (uint64_t k = 0; k < r->source_count; k++) {
        const nf_vid s = r->sources[k];
        char text[48];
        if (s >= r->csr.n)
            return c_broken(r->report, NF_CHECK_SHAPE, s, NF_NO_VERTEX, "source %u is not a vertex", s);
        const c_num d = r->d[s];
        const int sign = r->field.real ? (d.f > 0) - (d.f < 0) : (d.i > 0) - (d.i < 0);
        if (!c_reached(&r->field, d) && is_beyond(r, zero))
            continue;
        c_text(&r->field, d, text);
        if (sign > 0 || (sign < 0 && !r->nearest))
            return c_broken(r->report, NF_CHECK_SOURCE, s, NF_NO_VERTEX, "source %u is at distance %s, not 0", s, text);
        r->root[s] = sign == 0;
    }
    return true;
}

/* Rule 8. */
static bool check_limit(c_row *r)
{
    for (nf_vid v = 0; v < r->csr.n && r->limited; v++) {
        if (c_reached(&r->field, r->d[v]) && c_compare(&r->field, r->d[v], r->limit) > 0) {
            char text[48], limit[48];
            c_text(&r->field, r->d[v], text);
            c_text(&r->field, r->limit, limit);
            return c_broken(r->report, NF_CHECK_LIMIT, v, NF_NO_VERTEX,
                            "vertex %u is at distance %s, beyond the cutoff %s", v, text, limit);
        }
    }
    return true;
}

/* Rule 1, locally: roots are their own parents; the reached have a reached parent, the unreached none. */
static bool check_parents(c_row *r)
{
    for (nf_vid v = 0; v < r->csr.n; v++) {
        const nf_vid p = r->parents[v];
        const bool reached = c_reached(&r->field, r->d[v]);
        if (!reached && p != NF_NO_VERTEX)
            return c_broken(r->report, NF_CHECK_TREE, v, p, "vertex %u is unreached but has parent %u", v, p);
        if (!reached)
            continue;
        if (r->root[v] && p != v)
            return c_broken(r->report, NF_CHECK_TREE, v, p, "source %u has parent %u, not itself", v, p);
        if (r->root[v] || (r->partial && p == NF_NO_VERTEX))
            continue;
        if (p >= r->csr.n)
            return c_broken(r->report, NF_CHECK_TREE, v, p, "vertex %u is reached but has no parent", v);
        if (p == v)
            return c_broken(r->report, NF_CHECK_TREE, v, p, "vertex %u is its own parent but no source", v);
        if (!r->partial && !c_reached(&r->field, r->d[p]))
            return c_broken(r->report, NF_CHECK_TREE, v, p, "vertex %u has parent %u, which is unreached", v, p);
    }
    return true;
}

/* Rule 1, globally: every walk along parents ends at a root. mark: 0 new, 1 on the present walk, 2 done. */
static bool check_acyclic(c_row *r, uint8_t *mark)
{
    memset(mark, 0, r->csr.n);
    for (nf_vid first = 0; first < r->csr.n; first++) {
        nf_vid v = first;
        while (v < r->csr.n && mark[v] == 0 && r->parents[v] != NF_NO_VERTEX && !r->root[v]) {
            mark[v] = 1;
            v = r->parents[v];
        }
        if (v < r->csr.n && mark[v] == 1)
            return c_broken(r->report, NF_CHECK_TREE, v, r->parents[v], "the parents of vertex %u go round in a cycle",
                            v);
        for (v = first; v < r->csr.n && mark[v] == 1; v = r->parents[v])
            mark[v] = 2;
    }
    return true;
}

/* Rules 3 and 4 for one arc out of a reached vertex; the first error goes into `late`. */
static void check_arc(const c_row *r, nf_vid u, nf_vid v, c_num sum, nf_check_report *late)
{
    char have[48], want[48];
    if (!late->ok)
        return;
    if (!c_reached(&r->field, r->d[v])) {
        if (!c_reached(&r->field, sum) || is_beyond(r, sum))
            return;
        c_text(&r->field, sum, want);
        c_broken(late, NF_CHECK_SPAN, v, u, "vertex %u is unreached, but the arc from %u leads to it at distance %s", v,
                 u, want);
    } else if (c_compare(&r->field, sum, r->d[v]) < 0) {
        c_text(&r->field, r->d[v], have);
        c_text(&r->field, sum, want);
        c_broken(late, NF_CHECK_ARC, v, u, "vertex %u is at distance %s, but the arc from %u leads to it at %s", v,
                 have, u, want);
    }
}

#define ARC_JOINED 1u
#define ARC_TIGHT 2u

/* Walks all arcs once: rules 3 and 4 into `late`, what is known of parent arcs into mark. */
static void scan_arcs(const c_row *r, uint8_t *mark, nf_check_report *late)
{
    memset(mark, 0, r->csr.n);
    for (nf_vid u = 0; u < r->csr.n; u++) {
        if (!c_reached(&r->field, r->d[u]))
            continue;
        for (nf_eid e = c_off(&r->csr, u); e < c_off(&r->csr, u + 1); e++) {
            const nf_vid v = r->csr.adj[e];
            const c_num sum = c_add(&r->field, r->d[u], arc_weight(r, e));
            check_arc(r, u, v, sum, late);
            if (r->parents != NULL && r->parents[v] == u) {
                const bool tight = c_reached(&r->field, r->d[v]) && c_compare(&r->field, sum, r->d[v]) == 0;
                mark[v] |= tight ? ARC_JOINED | ARC_TIGHT : ARC_JOINED;
            }
        }
    }
}

/* Rules 5 and 2, from the marks. */
static bool check_tree_arcs(c_row *r, const uint8_t *mark)
{
    for (nf_vid v = 0; v < r->csr.n; v++) {
        if (!c_reached(&r->field, r->d[v]) || r->root[v])
            continue;
        const nf_vid p = r->parents[v];
        if (r->partial && (p == NF_NO_VERTEX || !c_reached(&r->field, r->d[p])))
            continue;
        if ((mark[v] & ARC_JOINED) == 0)
            return c_broken(r->report, NF_CHECK_JOINED, v, p, "vertex %u has parent %u, but the graph has no such arc",
                            v, p);
        if ((mark[v] & ARC_TIGHT) == 0) {
            char have[48], want[48];
            c_text(&r->field, r->d[v], have);
            c_text(&r->field, r->d[p], want);
            return c_broken(r->report, NF_CHECK_LEVEL, v, p,
                            "vertex %u is at distance %s; no arc from its parent %u at %s does that", v, have, p, want);
        }
    }
    return true;
}

static nf_status check_loaded(c_row *r, uint8_t *mark, uint32_t flags)
{
    nf_check_report late;
    if (!check_sources(r) || !check_limit(r))
        return NF_OK;
    if (r->parents != NULL && (!check_parents(r) || !check_acyclic(r, mark)))
        return NF_OK;
    c_begin(&late);
    scan_arcs(r, mark, &late);
    if (r->parents != NULL && !check_tree_arcs(r, mark))
        return NF_OK;
    if (!late.ok) {
        late.row = r->report->row, late.rows = r->report->rows;
        *r->report = late;
        return NF_OK;
    }
    nf_status st = NF_OK;
    if (r->parents == NULL && !r->partial)
        st = c_check_support(r);
    if (st == NF_OK && r->report->ok && r->parents != NULL && !r->partial && (flags & NF_CHECK_WITH_DETERMINISTIC) != 0)
        st = c_check_deterministic(r);
    if (st == NF_OK && r->report->ok && r->owners != NULL)
        st = c_check_owners(r);
    return st;
}

/* A whole search from one source, of which no more is asked: most are right, and that is quickly seen. */
static bool is_quickly_right(const c_row *r, const nf_check_row *row, const nf_check_options *o)
{
    const c_hops h = {&r->csr, row->distances, row->parents, row->source_count == 1 ? row->sources[0] : NF_NO_VERTEX};
    return r->hops && row->source_count == 1 && row->owners == NULL
           && (o == NULL || (o->flags == 0 && o->target_count == 0)) && c_hops_hold(&h);
}

nf_status nf_check_labels(nf_context *ctx, const nf_graph *graph, const nf_check_row *row,
                          const nf_check_options *options, nf_check_report *report)
{
    c_begin(report);
    c_row r = {.field =
                   c_field_of(row->problem == NF_BFS ? NF_I32 : row->type, options != NULL ? options->tolerance : 0),
               .hops = row->problem == NF_BFS,
               .parents = row->parents,
               .owners = row->owners,
               .sources = row->sources,
               .source_count = row->source_count,
               .nearest = row->source_count != 1,
               .report = report};
    if (row->distances == NULL || (row->source_count > 0 && row->sources == NULL) || row->type < NF_NONE
        || row->type > NF_F64 || (row->type == NF_NONE && row->problem != NF_BFS))
        return c_fail(report, NF_EINVAL, "the row has no distances, sources or type");
    nf_status st = nf_graph_view(ctx, graph, &r.csr);
    if (st != NF_OK)
        return c_fail(report, st, nf_last_error());
    if (!r.hops && c_is_float(r.csr.weight_type) && !r.field.real)
        return c_fail(report, NF_EINVAL, "float weights need float distances");
    if (is_quickly_right(&r, row, options))
        return NF_OK;
    const size_t n = (size_t)r.csr.n + 1;
    uint8_t *mark = malloc(n);
    r.d = malloc(n * sizeof *r.d);
    r.root = calloc(n, sizeof *r.root);
    if (mark == NULL || r.d == NULL || r.root == NULL) {
        st = c_fail(report, NF_ENOMEM, "out of memory");
    } else if (load_labels(&r, r.hops ? NF_I32 : row->type, row->distances)) {
        const bool negative = measure(&r);
        set_limit(&r, options, negative);
        r.partial = negative && r.limited;
        st = check_loaded(&r, mark, options != NULL ? options->flags : 0);
    }
    free(mark);
    free(r.d);
    free(r.root);
    return st;
}
