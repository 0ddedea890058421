/* reference.c - relaxation to a fixed point (Bellman 1958), in place, arc by arc; then a breadth-first search along
 * tight arcs for parents. Written to be read, not to be fast. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* long double differences below this share of the largest magnitude are rounding (R2). */
#define LOOSE_EPSILON 1e-15L

static int64_t weight_int(const nf_csr *csr, bool hops, nf_eid e)
{
    if (hops || csr->weight_type == NF_NONE)
        return 1;
    return csr->weight_type == NF_I32 ? ((const int32_t *)csr->weights)[e]
                                      : (int64_t)((const uint32_t *)csr->weights)[e];
}

static double weight_real(const nf_csr *csr, nf_type type, nf_eid e)
{
    double w;
    switch (csr->weight_type) {
    case NF_F32: w = (double)((const float *)csr->weights)[e]; break;
    case NF_F64: w = ((const double *)csr->weights)[e]; break;
    default: w = (double)weight_int(csr, false, e); break;
    }
    return type == NF_F32 ? (double)(float)w : w;
}

static double add_real(nf_type type, double a, double b)
{
    return type == NF_F32 ? (double)((float)a + (float)b) : a + b;
}

bool ref_reached(const ref_row *row, nf_vid v)
{
    return row->type == NF_I64 ? row->i[v] != NF_UNREACHED_I64 : row->f[v] < INFINITY;
}

double ref_value(const ref_row *row, nf_vid v)
{
    if (!ref_reached(row, v))
        return INFINITY;
    return row->type == NF_I64 ? (double)row->i[v] : row->f[v];
}

void ref_free(ref_row *row)
{
    free(row->i);
    free(row->f);
    free(row->parents);
    free(row->owners);
    free(row->walked);
    memset(row, 0, sizeof *row);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

/* One pass over the arcs; true if something changed. */
static bool relax_all(const nf_csr *csr, bool hops, ref_row *row)
{
    bool changed = false;
    for (nf_vid u = 0; u < csr->n; u++) {
        for (nf_eid e = ref_off(csr, u); e < ref_off(csr, u + 1) && ref_reached(row, u); e++) {
            const nf_vid v = csr->adj[e];
            if (row->type == NF_I64) {
                const int64_t sum = row->i[u] + weight_int(csr, hops, e);
                changed |= sum < row->i[v];
                row->i[v] = sum < row->i[v] ? sum : row->i[v];
            } else {
                const double sum = add_real(row->type, row->f[u], weight_real(csr, row->type, e));
                changed |= sum < row->f[v];
                row->f[v] = sum < row->f[v] ? sum : row->f[v];
            }
        }
    }
    return changed;
}

static void settle(const nf_csr *csr, bool hops, ref_row *row)
{
    for (nf_vid round = 0; relax_all(csr, hops, row); round++) {
        if (round > csr->n) {
            row->status = NF_ENEGCYCLE;
            return;
        }
    }
}

/* The same in long double, where changes that are rounding do not count. False when memory ran out. */
static bool settle_loose(const nf_csr *csr, ref_row *row)
{
    long double *d = malloc(((size_t)csr->n + 1) * sizeof *d);
    if (d == NULL)
        return false;
    for (nf_vid v = 0; v < csr->n; v++)
        d[v] = row->f[v];
    for (nf_eid e = 0; e < csr->m; e++)
        row->scale = fmax(row->scale, fabs(weight_real(csr, row->type, e)));
    bool changed = true;
    for (nf_vid round = 0; changed && row->status == NF_OK; round++) {
        changed = false;
        for (nf_vid u = 0; u < csr->n; u++) {
            for (nf_eid e = ref_off(csr, u); e < ref_off(csr, u + 1) && d[u] < (long double)INFINITY; e++) {
                const long double sum = d[u] + (long double)weight_real(csr, row->type, e);
                const nf_vid v = csr->adj[e];
                const long double slack = (row->type == NF_F32 ? 1e-7L : LOOSE_EPSILON) * (long double)row->scale;
                if (sum < d[v] && (d[v] == (long double)INFINITY || d[v] - sum > slack))
                    d[v] = sum, changed = true;
            }
        }
        row->status = round > csr->n ? NF_ENEGCYCLE : NF_OK;
    }
    for (nf_vid v = 0; v < csr->n; v++) {
        row->f[v] = (double)d[v];
        if (d[v] < (long double)INFINITY)
            row->scale = fmax(row->scale, fabs(row->f[v]));
    }
    free(d);
    return true;
}

/* ---- parents ----------------------------------------------------------------------------------------------------- */

static bool is_tight(const nf_csr *csr, bool hops, const ref_row *row, nf_vid u, nf_eid e)
{
    const nf_vid v = csr->adj[e];
    if (!ref_reached(row, u) || !ref_reached(row, v))
        return false;
    if (row->type == NF_I64)
        return row->i[u] + weight_int(csr, hops, e) == row->i[v];
    return add_real(row->type, row->f[u], weight_real(csr, row->type, e)) == row->f[v];
}

/* Level by level along tight arcs; within a level vertices come in order of id, so the first parent found is the
 * smallest. */
static bool grow_tree(const nf_csr *csr, bool hops, ref_row *row)
{
    nf_vid *level = malloc(((size_t)csr->n + 1) * sizeof *level);
    bool more = true;
    if (level == NULL)
        return false;
    for (nf_vid v = 0; v < csr->n; v++)
        level[v] = row->owners[v] == v ? 0 : NF_NO_VERTEX;
    for (nf_vid depth = 0; more; depth++) {
        more = false;
        for (nf_vid u = 0; u < csr->n; u++) {
            for (nf_eid e = ref_off(csr, u); e < ref_off(csr, u + 1) && level[u] == depth; e++) {
                const nf_vid v = csr->adj[e];
                if (level[v] != NF_NO_VERTEX || !is_tight(csr, hops, row, u, e))
                    continue;
                level[v] = depth + 1;
                row->parents[v] = u;
                row->owners[v] = row->owners[u];
                more = true;
            }
        }
    }
    free(level);
    return true;
}

/* Reachable along arcs, and whether a float sum went over the top on the way. */
static void walk(const nf_csr *csr, ref_row *row)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (nf_vid u = 0; u < csr->n; u++) {
            for (nf_eid e = ref_off(csr, u); e < ref_off(csr, u + 1) && row->walked[u]; e++) {
                changed |= !row->walked[csr->adj[e]];
                row->walked[csr->adj[e]] = true;
            }
        }
    }
    for (nf_vid v = 0; v < csr->n && row->type != NF_I64; v++)
        row->overflow |= row->walked[v] && !ref_reached(row, v);
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static bool prepare(const nf_csr *csr, const nf_vid *sources, uint64_t count, ref_row *row)
{
    const size_t n = (size_t)csr->n + 1;
    row->i = malloc(n * sizeof *row->i);
    row->f = malloc(n * sizeof *row->f);
    row->parents = malloc(n * sizeof *row->parents);
    row->owners = malloc(n * sizeof *row->owners);
    row->walked = calloc(n, sizeof *row->walked);
    if (row->i == NULL || row->f == NULL || row->parents == NULL || row->owners == NULL || row->walked == NULL)
        return false;
    for (nf_vid v = 0; v < csr->n; v++) {
        row->i[v] = NF_UNREACHED_I64;
        row->f[v] = INFINITY;
        row->parents[v] = row->owners[v] = NF_NO_VERTEX;
    }
    for (uint64_t k = 0; k < count; k++) {
        row->i[sources[k]] = 0;
        row->f[sources[k]] = 0;
        row->walked[sources[k]] = true;
    }
    return true;
}

static bool has_negative(const nf_csr *csr, nf_type type)
{
    for (nf_eid e = 0; e < csr->m; e++)
        if (weight_real(csr, type, e) < 0)
            return true;
    return false;
}

bool ref_solve(const nf_csr *csr, bool hops, nf_type type, const nf_vid *sources, uint64_t count, ref_row *row)
{
    memset(row, 0, sizeof *row);
    row->type = type;
    row->n = csr->n;
    row->loose = !hops && type != NF_I64 && has_negative(csr, type);
    bool ok = prepare(csr, sources, count, row);
    if (ok && row->loose)
        ok = settle_loose(csr, row);
    else if (ok)
        settle(csr, hops, row);
    for (uint64_t k = 0; k < count && ok; k++)
        if (ref_value(row, sources[k]) == 0)
            row->parents[sources[k]] = row->owners[sources[k]] = sources[k];
    if (ok)
        walk(csr, row);
    if (ok && row->status == NF_OK && !row->loose)
        ok = grow_tree(csr, hops, row);
    if (!ok)
        ref_free(row);
    return ok;
}
