/* result_read.c - nf_result_read: tells the format by content, reads it, and makes sure that it is a result for the
 * graph.
 *
 * Invariants
 *   J1 parents, owners and sources of a settled result are vertices of the graph or NF_NO_VERTEX;
 *   J2 no distance is NaN or -infinity, no hop is below -1;
 *   J3 every row of a result that is not nearest-source has a source.
 * Cost: O(rows * n).
 */
#include "io/result_io.h"

#include <strings.h>

#include "io/npy.h"
#include "io/text.h"

/* ---- distances --------------------------------------------------------------------------------------------------- */

bool nf__is_unreached(nf_type type, bool hops, const void *dist, uint64_t i)
{
    switch (type) {
    case NF_I32: return ((const int32_t *)dist)[i] == (hops ? NF_NO_HOP : NF_UNREACHED_I32);
    case NF_U32: return ((const uint32_t *)dist)[i] == NF_UNREACHED_U32;
    case NF_I64: return ((const int64_t *)dist)[i] == NF_UNREACHED_I64;
    case NF_U64: return ((const uint64_t *)dist)[i] == NF_UNREACHED_U64;
    case NF_F32: return isinf(((const float *)dist)[i]);
    default: return isinf(((const double *)dist)[i]);
    }
}

void nf__set_unreached(nf_type type, bool hops, void *dist, uint64_t i)
{
    switch (type) {
    case NF_I32: ((int32_t *)dist)[i] = hops ? NF_NO_HOP : NF_UNREACHED_I32; break;
    case NF_U32: ((uint32_t *)dist)[i] = NF_UNREACHED_U32; break;
    case NF_I64: ((int64_t *)dist)[i] = NF_UNREACHED_I64; break;
    case NF_U64: ((uint64_t *)dist)[i] = NF_UNREACHED_U64; break;
    case NF_F32: ((float *)dist)[i] = INFINITY; break;
    default: ((double *)dist)[i] = (double)INFINITY; break;
    }
}

/* Stores sign and magnitude; false when the type cannot hold it as a distance. LDBC writes 2^63 - 1 for unreached. */
static bool store_integer(nf_type type, bool hops, bool negative, uint64_t x, void *dist, uint64_t i)
{
    if (!negative && x == INT64_MAX && type != NF_U64) {
        nf__set_unreached(type, hops, dist, i);
        return true;
    }
    if (x > (negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX) && type != NF_U64)
        return false;
    int64_t y = negative ? (int64_t)(0 - x) : (int64_t)x;
    switch (type) {
    case NF_I32: ((int32_t *)dist)[i] = (int32_t)y; return y >= (hops ? 0 : INT32_MIN) && y < INT32_MAX;
    case NF_U32: ((uint32_t *)dist)[i] = (uint32_t)y; return y >= 0 && y < UINT32_MAX;
    case NF_I64: ((int64_t *)dist)[i] = y; return true;
    default: ((uint64_t *)dist)[i] = x; return (!negative || x == 0) && x < UINT64_MAX;
    }
}

bool nf__scan_distance(const char **pp, const char *end, nf_type type, bool hops, void *dist, uint64_t i)
{
    const char *p = *pp, *digits = p + (p < end && *p == '-');
    bool overflow = false, real = type == NF_F32 || type == NF_F64;
    uint64_t whole = 0;
    double x = 0;
    if (!real && nf__scan_u64(&digits, end, &whole, &overflow) && nf__ends_token(digits, end)) {
        bool negative = *p == '-';
        *pp = digits;
        return !overflow && store_integer(type, hops, negative, whole, dist, i);
    }
    if (!nf__scan_f64(&p, end, &x, &overflow) || overflow || isnan(x) || (isinf(x) && x < 0))
        return false;
    *pp = p;
    if (isinf(x)) {
        nf__set_unreached(type, hops, dist, i);
    } else if (type == NF_F64) {
        ((double *)dist)[i] = x;
    } else if (type == NF_F32) {
        ((float *)dist)[i] = (float)x;
        return isfinite((float)x);
    } else {
        return trunc(x) == x && fabs(x) < 0x1.0p63 && store_integer(type, hops, x < 0, (uint64_t)fabs(x), dist, i);
    }
    return true;
}

/* ---- making and finishing results -------------------------------------------------------------------------------- */

nf_status nf__result_draft(nf__result_in *from, uint64_t rows, bool parents, bool owners, nf_result **out)
{
    nf_status st = NF_OK;
    nf_vid *sources = NULL;
    nf__mem *mem = nf__context_mem(from->ctx);
    nf_type type = from->problem == NF_BFS ? NF_I32 : from->type;
    NF_TRY_ALLOC(sources, nf__alloc(mem, rows, sizeof *sources));
    for (uint64_t i = 0; i < rows; i++)
        sources[i] = NF_NO_VERTEX;
    NF_TRY(nf__result_create(mem, from->problem, type, nf_graph_n(from->graph), rows, parents, owners, sources, rows,
                             out));
    (*out)->info.m = nf_graph_m(from->graph);
    (*out)->info.algorithm = "file";
done:
    nf__free(sources);
    return st;
}

nf_status nf__result_set_nearest(nf_result *r, const nf_vid *sources, uint64_t count)
{
    nf_vid *copy = nf__alloc(r->mem, count, sizeof *copy);
    if (copy == NULL)
        return NF_ENOMEM;
    if (count > 0)
        memcpy(copy, sources, (size_t)count * sizeof *copy);
    nf__free(r->sources);
    r->sources = copy;
    r->source_count = count;
    r->info.flags |= NF_INFO_NEAREST;
    return NF_OK;
}

static nf_status fail_value(const nf__result_in *from, uint64_t i, nf_vid n, const char *what)
{
    return nf__fail(NF_EFORMAT, "%s: row %llu, vertex %llu: %s", from->in->name, (unsigned long long)(i / n),
                    (unsigned long long)nf_graph_label(from->graph, (nf_vid)(i % n)), what);
}

/* J1, J2. */
static nf_status check_values(const nf__result_in *from, const nf_result *r)
{
    nf_vid n = r->info.n;
    for (uint64_t i = 0; i < r->info.rows * n; i++) {
        if (r->info.problem == NF_BFS && ((const int32_t *)r->dist)[i] < NF_NO_HOP)
            return fail_value(from, i, n, "a negative number of hops");
        double x = r->info.type == NF_F32   ? (double)((const float *)r->dist)[i]
                   : r->info.type == NF_F64 ? ((const double *)r->dist)[i]
                                            : 0;
        if (isnan(x) || (isinf(x) && x < 0))
            return fail_value(from, i, n, "a distance that is no number, or -infinity");
        if (r->parents != NULL && r->parents[i] >= n && r->parents[i] != NF_NO_VERTEX)
            return fail_value(from, i, n, "a parent that is no vertex of the graph");
        if (r->owners != NULL && i < n && r->owners[i] >= n && r->owners[i] != NF_NO_VERTEX)
            return fail_value(from, i, n, "an owner that is no vertex of the graph");
    }
    return NF_OK;
}

static nf_status check_sources(const nf__result_in *from, const nf_result *r)
{
    for (uint64_t k = 0; k < r->source_count; k++)
        if (r->sources[k] >= r->info.n)
            return nf__fail(NF_EFORMAT, "%s: source number %llu is no vertex of the graph", from->in->name,
                            (unsigned long long)k);
    if ((r->info.flags & NF_INFO_NEAREST) != 0 && r->source_count == 0)
        return nf__fail(NF_EFORMAT, "%s: distances to the nearest source, but no source", from->in->name);
    return NF_OK;
}

static bool is_root(const nf_result *r, uint64_t row, nf_vid v)
{
    uint64_t i = row * r->info.n + v;
    if (r->owners != NULL)
        return r->owners[v] == v;
    if (r->parents != NULL)
        return r->parents[i] == v;
    return nf_result_distance(r, row, v) == 0;
}

/* All roots of the only row: one makes an ordinary result, several a nearest-source one. */
static nf_status find_roots(const nf__result_in *from, nf_result *r)
{
    nf_status st = NF_OK;
    nf_vid *roots = NULL;
    uint64_t count = 0;
    for (nf_vid v = 0; v < r->info.n; v++)
        count += is_root(r, 0, v);
    NF_TRY_ALLOC(roots, nf__alloc(r->mem, count, sizeof *roots));
    count = 0;
    for (nf_vid v = 0; v < r->info.n; v++)
        if (is_root(r, 0, v))
            roots[count++] = v;
    if (count == 0)
        st = nf__fail(NF_EFORMAT, "%s: the source is not named, and no vertex is at distance 0", from->in->name);
    else if (count == 1 && r->owners == NULL)
        r->sources[0] = roots[0];
    else
        st = nf__result_set_nearest(r, roots, count);
done:
    nf__free(roots);
    return st;
}

/* J3. */
static nf_status find_sources(const nf__result_in *from, nf_result *r)
{
    if ((r->info.flags & NF_INFO_NEAREST) != 0 && (r->source_count != 1 || r->sources[0] != NF_NO_VERTEX))
        return NF_OK;
    if (r->info.rows == 1 && r->info.problem != NF_APSP && r->sources[0] == NF_NO_VERTEX)
        return find_roots(from, r);
    for (uint64_t row = 0; row < r->info.rows; row++) {
        if (r->sources[row] == NF_NO_VERTEX && r->info.problem == NF_APSP)
            r->sources[row] = (nf_vid)row;
        for (nf_vid v = 0; v < r->info.n && r->sources[row] == NF_NO_VERTEX; v++)
            if (is_root(r, row, v))
                r->sources[row] = v;
        if (r->sources[row] == NF_NO_VERTEX)
            return nf__fail(NF_EFORMAT, "%s: row %llu: the source is not named, and no vertex is at distance 0",
                            from->in->name, (unsigned long long)row);
    }
    return NF_OK;
}

nf_status nf__result_settle(nf__result_in *from, nf_result *r)
{
    nf_status st = NF_OK;
    if (r->info.problem == NF_APSP && r->info.rows != r->info.n)
        return nf__fail(NF_EFORMAT, "%s: %llu rows; all pairs of this graph have %u", from->in->name,
                        (unsigned long long)r->info.rows, r->info.n);
    if ((r->info.flags & NF_INFO_NEAREST) != 0 && r->info.rows > 1)
        return nf__fail(NF_EFORMAT, "%s: %llu rows; distances to the nearest source have one", from->in->name,
                        (unsigned long long)r->info.rows);
    NF_TRY(check_values(from, r));
    NF_TRY(find_sources(from, r));
    NF_TRY(check_sources(from, r));
    nf__result_summarise(r);
done:
    return st;
}

/* ---- the public call --------------------------------------------------------------------------------------------- */

static nf_status choose_type(const nf_graph *graph, nf_problem problem, nf_type *type)
{
    nf_type weights = graph->csr.weight_type;
    if (*type == NF_NONE)
        *type = nf__is_float(weights) ? weights : NF_I64;
    if (problem != NF_BFS && nf__is_float(weights) && !nf__is_float(*type))
        return nf__fail(NF_EINVAL, "the graph has %s weights; distances need f32 or f64, not %s", nf_type_name(weights),
                        nf_type_name(*type));
    return NF_OK;
}

static nf_status read_any(nf__result_in *from, nf_result **out)
{
    const nf__input *in = from->in;
    const char *p = in->data, *end = in->data + in->size;
    while (p < end && (nf__is_blank(*p) || *p == '\n'))
        p++;
    if (nf__is_nfd(in))
        return nf__read_result_nfd(from, out);
    if (in->size >= 6 && memcmp(in->data, "\x93NUMPY", 6) == 0)
        return nf__read_result_npy(from, out);
    if (p < end && *p == '{')
        return nf__read_result_json(from, out);
    return nf__read_result_text(from, out);
}

nf_status nf_result_read(nf_context *ctx, const nf_graph *graph, const char *path, nf_problem problem,
                         nf_type distance_type, nf_result **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf__input in;
    nf_result *r = NULL;
    memset(&in, 0, sizeof in);
    if (graph == NULL || path == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_result_read needs a graph, a path and a place for the result");
    if (problem < NF_BFS || problem > NF_APSP || distance_type < NF_NONE || distance_type > NF_F64)
        return nf__fail(NF_EINVAL, "nf_result_read: no such problem or type");
    NF_TRY(nf__enter(&ctx, &owned));
    nf__result_in from = {.ctx = ctx, .in = &in, .graph = graph, .problem = problem, .type = distance_type};
    NF_TRY(choose_type(graph, problem, &from.type));
    NF_TRY(nf__input_open(ctx, path, 0, &in));
    NF_TRY(read_any(&from, &r));
    NF_TRY(nf__result_settle(&from, r));
    *out = r, r = NULL;
done:
    nf_result_free(r);
    nf__input_close(&in);
    return nf__leave(ctx, owned, st);
}
