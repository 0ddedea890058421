/* build.c - graphs from arc lists, compressed rows, matrices and other graphs.
 *
 * Every way in ends in finish(): arcs sorted by source (sort.c), duplicates reduced if asked (reduce.c), weights known
 * to be clean (G2), sign noted. Public builders check ids; nf__graph_build trusts its caller on them.
 */
#include "graph/check.h"
#include "graph/reduce.h"
#include "graph/sort.h"

static const uint32_t all_flags = NF_BUILD_UNDIRECTED | NF_BUILD_SYMMETRIC | NF_BUILD_DROP_LOOPS | NF_BUILD_BORROW;

/* A graph around finished arrays, which become its own (NULLs in *own: the view is borrowed). */
static nf_status wrap(nf_context *ctx, const nf_csr *view, nf__storage *own, bool symmetric, bool negative,
                      nf_graph **out)
{
    nf_graph *g = NULL;
    nf_status st = nf__graph_shell(ctx, &g);
    if (st != NF_OK)
        return st;
    g->csr = *view;
    g->own = *own;
    memset(own, 0, sizeof *own);
    g->directed = !symmetric;
    atomic_store(&g->negative, negative);
    atomic_store(&g->checked, 1);
    *out = g;
    return NF_OK;
}

/* Sorts, reduces and wraps the arcs of a source whose ids are < n. `consumed` as in nf__sort_arcs. */
static nf_status finish(nf_context *ctx, nf__arc_source *from, nf__arcs *consumed, uint32_t flags,
                        nf_duplicates duplicates, nf_graph **out)
{
    nf_status st = NF_OK;
    nf__storage made = {NULL, NULL, NULL, NULL};
    nf_eid m = 0;
    const nf_type type = from->weight_type;
    const nf__weight_scan scan = nf__weights_scan(ctx, type, from->w, from->m);
    bool negative = scan.negative;
    NF_TRY(nf__weights_judge(&scan, type, from->w, from->m));
    from->both = (flags & NF_BUILD_UNDIRECTED) != 0;
    from->drop_loops = (flags & NF_BUILD_DROP_LOOPS) != 0;
    from->drop_infinite = scan.infinite;
    NF_TRY(nf__sort_arcs(ctx, from, consumed, &made, &m));
    if (duplicates != NF_DUP_KEEP)
        NF_TRY(nf__reduce_duplicates(ctx, from->n, type, duplicates, &made, &m));
    if (negative && (duplicates != NF_DUP_KEEP || from->drop_loops)) /* the negative ones may be gone */
        negative = nf__weights_scan(ctx, type, made.w, m).negative;
    const nf_csr view = nf__storage_view(&made, from->n, m, type);
    NF_TRY(wrap(ctx, &view, &made, (flags & (NF_BUILD_UNDIRECTED | NF_BUILD_SYMMETRIC)) != 0, negative, out));
done:
    nf__storage_free(&made);
    return st;
}

nf_status nf__graph_build(nf_context *ctx, nf__arcs *arcs, uint32_t flags, nf_duplicates duplicates, nf_graph **out)
{
    nf__arc_source from = {
        .n = arcs->n, .m = arcs->m, .src = arcs->src, .dst = arcs->dst, .weight_type = arcs->weight_type, .w = arcs->w};
    const nf_status st = finish(ctx, &from, arcs, flags, duplicates, out);
    nf__arcs_free(arcs);
    return st;
}

static nf_status rebuild(nf_context *ctx, const nf_csr *csr, uint32_t flags, nf_duplicates duplicates, nf_graph **out)
{
    nf__arc_source from = {
        .n = csr->n, .m = csr->m, .csr = csr, .dst = csr->adj, .weight_type = csr->weight_type, .w = csr->weights};
    return finish(ctx, &from, NULL, flags, duplicates, out);
}

nf_status nf__graph_adopt(nf_context *ctx, nf_vid n, nf_eid m, nf__storage *own, nf_type weight_type, bool symmetric,
                          nf_graph **out)
{
    nf_status st = NF_OK;
    const nf_csr view = nf__storage_view(own, n, m, weight_type);
    const nf__weight_scan scan = nf__weights_scan(ctx, weight_type, own->w, m);
    NF_TRY(nf__weights_judge(&scan, weight_type, own->w, m));
    if (scan.infinite || scan.minus_zero)
        NF_TRY(rebuild(ctx, &view, symmetric ? NF_BUILD_SYMMETRIC : 0, NF_DUP_KEEP, out));
    else
        NF_TRY(wrap(ctx, &view, own, symmetric, scan.negative, out));
done:
    nf__storage_free(own);
    return st;
}

/* ---- from another graph ------------------------------------------------------------------------------------------ */

/* Labels, coordinates and description of `old` for `g`, copied. */
static nf_status inherit(const nf_graph *old, nf_graph *g)
{
    const nf_vid n = old->csr.n;
    g->label_base = old->label_base;
    g->format = old->format;
    memcpy(g->facts, old->facts, sizeof g->facts);
    if (old->labels != NULL) {
        g->own_labels = nf__alloc(g->mem, n, sizeof(uint64_t));
        if (g->own_labels == NULL)
            return NF_ENOMEM;
        memcpy(g->own_labels, old->labels, (size_t)n * sizeof(uint64_t));
        g->labels = g->own_labels;
    }
    if (old->xy != NULL) {
        g->own_xy = nf__alloc(g->mem, n, 2 * sizeof(double));
        if (g->own_xy == NULL)
            return NF_ENOMEM;
        memcpy(g->own_xy, old->xy, (size_t)n * 2 * sizeof(double));
        g->xy = g->own_xy;
    }
    return NF_OK;
}

static nf_status transform(nf_context *ctx, const nf_graph *graph, uint32_t flags, nf_duplicates duplicates,
                           nf_graph **out)
{
    nf_status st = NF_OK;
    nf_graph *g = NULL;
    NF_TRY(nf__graph_check(ctx, graph));
    if (!graph->directed) /* already symmetric: adding reverses would double every edge */
        flags = (flags & ~(uint32_t)NF_BUILD_UNDIRECTED) | NF_BUILD_SYMMETRIC;
    NF_TRY(rebuild(ctx, &graph->csr, flags, duplicates, &g));
    NF_TRY(inherit(graph, g));
    *out = g;
    g = NULL;
done:
    nf_graph_free(g);
    return st;
}

nf_status nf__graph_retouch(nf_context *ctx, nf_graph **g, uint32_t flags, nf_duplicates duplicates)
{
    nf_graph *changed = NULL;
    if (flags == 0 && duplicates == NF_DUP_KEEP)
        return NF_OK;
    const nf_status st = transform(ctx, *g, flags, duplicates, &changed);
    if (st == NF_OK) {
        nf_graph_free(*g);
        *g = changed;
    }
    return st;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static nf_status check_build(const nf_build_options *o, nf_vid n, nf_type type, const void *weights, nf_eid m)
{
    if ((o->flags & ~all_flags) != 0)
        return nf__fail(NF_EINVAL, "unknown bits 0x%x in the build flags", o->flags);
    if ((unsigned)o->duplicates > NF_DUP_SUM)
        return nf__fail(NF_EINVAL, "unknown treatment %d of duplicates", (int)o->duplicates);
    if (n == NF_NO_VERTEX)
        return nf__fail(NF_EINVAL, "%u vertices; at most %u are possible", n, NF_NO_VERTEX - 1);
    if (!nf__is_weight_type(type))
        return nf__fail(NF_EINVAL, "weights of type %s; expected none, i32, u32, f32 or f64", nf_type_name(type));
    if ((weights == NULL) != (type == NF_NONE) && m != 0)
        return nf__fail(NF_EINVAL, "weight type %s with %s weights", nf_type_name(type),
                        weights == NULL ? "no" : "given");
    return NF_OK;
}

static nf_status check_ids(nf_context *ctx, const char *what, const nf_vid *ids, nf_eid m, nf_vid n)
{
    const int threads = nf__threads_for(ctx, m);
    uint64_t bad = m;
    (void)threads;
    if (ids == NULL && m != 0)
        return nf__fail(NF_EINVAL, "the array of %ss is NULL", what);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t e = 0; e < m; e++)
        if (ids[e] >= n && e < bad)
            bad = e;
    if (bad < m)
        return nf__fail(NF_EINVAL, "the %s of arc %llu is vertex %u; the graph has %u vertices", what,
                        (unsigned long long)bad, ids[bad], n);
    return NF_OK;
}

nf_status nf_graph_from_coo(nf_context *ctx, const nf_coo *coo, const nf_build_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_build_options o;
    NF_TAKE_OPTIONS(o, options);
    if (coo == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_from_coo: coo or out is NULL");
    *out = NULL;
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(check_build(&o, coo->n, coo->weight_type, coo->weights, coo->m));
    NF_TRY(check_ids(ctx, "source", coo->src, coo->m, coo->n));
    NF_TRY(check_ids(ctx, "target", coo->dst, coo->m, coo->n));
    nf__arc_source from = {.n = coo->n,
                           .m = coo->m,
                           .src = coo->src != NULL ? coo->src : &(const nf_vid){0},
                           .dst = coo->dst,
                           .weight_type = coo->weight_type,
                           .w = coo->weights};
    NF_TRY(finish(ctx, &from, NULL, o.flags, o.duplicates, out));
done:
    return nf__leave(ctx, owned, st);
}

static nf_status borrow_csr(nf_context *ctx, const nf_csr *csr, const nf_build_options *o, nf_graph **out)
{
    nf__storage none = {NULL, NULL, NULL, NULL};
    const nf__weight_scan scan = nf__weights_scan(ctx, csr->weight_type, csr->weights, csr->m);
    const bool as_is = (o->flags & (NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS)) == 0 && o->duplicates == NF_DUP_KEEP
                       && !scan.infinite && !scan.minus_zero;
    nf_status st = nf__weights_judge(&scan, csr->weight_type, csr->weights, csr->m);
    if (st != NF_OK || !as_is)
        return st != NF_OK ? st : rebuild(ctx, csr, o->flags, o->duplicates, out);
    return wrap(ctx, csr, &none, (o->flags & NF_BUILD_SYMMETRIC) != 0, scan.negative, out);
}

nf_status nf_graph_from_csr(nf_context *ctx, const nf_csr *csr, const nf_build_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_build_options o;
    NF_TAKE_OPTIONS(o, options);
    if (csr == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_from_csr: csr or out is NULL");
    *out = NULL;
    if ((csr->off32 == NULL) == (csr->off64 == NULL) || (csr->adj == NULL && csr->m != 0))
        return nf__fail(NF_EINVAL, "nf_graph_from_csr: expected targets and exactly one of off32 and off64");
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(check_build(&o, csr->n, csr->weight_type, csr->weights, csr->m));
    NF_TRY(nf__csr_check(ctx, csr));
    if ((o.flags & NF_BUILD_BORROW) != 0)
        NF_TRY(borrow_csr(ctx, csr, &o, out));
    else
        NF_TRY(rebuild(ctx, csr, o.flags, o.duplicates, out));
done:
    return nf__leave(ctx, owned, st);
}

nf_status nf_graph_transform(nf_context *ctx, const nf_graph *graph, const nf_build_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_build_options o;
    NF_TAKE_OPTIONS(o, options);
    if (graph == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_transform: graph or out is NULL");
    *out = NULL;
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(check_build(&o, graph->csr.n, graph->csr.weight_type, graph->csr.weights, graph->csr.m));
    NF_TRY(transform(ctx, graph, o.flags, o.duplicates, out));
done:
    return nf__leave(ctx, owned, st);
}

/* ---- from a dense matrix ----------------------------------------------------------------------------------------- */

/* Is there an arc at (u, v)? Nothing, +infinity and a zero on the diagonal mean no. */
static bool has_arc(nf_type type, const void *values, uint64_t at, bool diagonal)
{
    switch (type) {
    case NF_I32: {
        const int32_t x = ((const int32_t *)values)[at];
        return x != NF_UNREACHED_I32 && !(diagonal && x == 0);
    }
    case NF_U32: {
        const uint32_t x = ((const uint32_t *)values)[at];
        return x != NF_UNREACHED_U32 && !(diagonal && x == 0);
    }
    case NF_F32: {
        const float x = ((const float *)values)[at];
        return !(isinf(x) && x > 0) && !(diagonal && x == 0);
    }
    default: {
        const double x = ((const double *)values)[at];
        return !(isinf(x) && x > 0) && !(diagonal && x == 0);
    }
    }
}

static nf_eid count_cells(nf_context *ctx, nf_vid n, uint64_t pitch, nf_type type, const void *values, uint64_t *off)
{
    const int threads = nf__threads_for(ctx, (uint64_t)n * n);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (nf_vid u = 0; u < n; u++) {
        uint64_t degree = 0;
        for (nf_vid v = 0; v < n; v++)
            degree += has_arc(type, values, u * pitch + v, u == v);
        off[u + 1] = degree;
    }
    off[0] = 0;
    for (nf_vid u = 0; u < n; u++)
        off[u + 1] += off[u];
    return off[n];
}

static void copy_cells(nf_context *ctx, nf_vid n, uint64_t pitch, nf_type type, const void *values,
                       const nf__storage *to)
{
    const int threads = nf__threads_for(ctx, (uint64_t)n * n);
    const size_t width = nf_type_size(type);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (nf_vid u = 0; u < n; u++) {
        uint64_t e = to->off64[u];
        for (nf_vid v = 0; v < n; v++)
            if (has_arc(type, values, u * pitch + v, u == v)) {
                to->adj[e] = v;
                memcpy((char *)to->w + e * width, (const char *)values + (u * pitch + v) * width, width);
                e++;
            }
    }
}

nf_status nf_graph_from_matrix(nf_context *ctx, nf_vid n, uint64_t pitch, nf_type type, const void *values,
                               const nf_build_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf__storage rows = {NULL, NULL, NULL, NULL};
    nf_build_options o;
    NF_TAKE_OPTIONS(o, options);
    if (out == NULL || (values == NULL && n != 0) || pitch < n || type == NF_NONE)
        return nf__fail(NF_EINVAL, "nf_graph_from_matrix: a pointer is NULL, the pitch below n, or there is no type");
    *out = NULL;
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(check_build(&o, n, type, values, n));
    nf__mem *mem = nf__context_mem(ctx);
    NF_TRY_ALLOC(rows.off64, nf__alloc(mem, (uint64_t)n + 1, sizeof(uint64_t)));
    const nf_eid m = count_cells(ctx, n, pitch, type, values, rows.off64);
    NF_TRY_ALLOC(rows.adj, nf__alloc(mem, m, sizeof(nf_vid)));
    NF_TRY_ALLOC(rows.w, nf__alloc(mem, m, nf_type_size(type)));
    copy_cells(ctx, n, pitch, type, values, &rows);
    const nf_csr view = nf__storage_view(&rows, n, m, type);
    NF_TRY(rebuild(ctx, &view, o.flags, o.duplicates, out));
done:
    nf__storage_free(&rows);
    return nf__leave(ctx, owned, st);
}
