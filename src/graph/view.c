/* view.c - the graph as others see it: rows, transpose, sorted list; the last two made once and kept (G3). */
#include "graph/reduce.h"
#include "graph/sort.h"

nf_status nf_graph_view(nf_context *ctx, const nf_graph *g, nf_csr *out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    if (g == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_view: graph or out is NULL");
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(nf__graph_check(ctx, g));
    *out = g->csr;
done:
    return nf__leave(ctx, owned, st);
}

/* ---- transpose --------------------------------------------------------------------------------------------------- */

static nf_status build_transpose(nf_context *ctx, nf_graph *g)
{
    nf_eid m = 0;
    const nf__arc_source from = {.n = g->csr.n,
                                 .m = g->csr.m,
                                 .csr = &g->csr,
                                 .dst = g->csr.adj,
                                 .weight_type = g->csr.weight_type,
                                 .w = g->csr.weights,
                                 .reverse = true};
    return nf__sort_arcs(ctx, &from, NULL, &g->t, &m);
}

/* ---- sorted list ------------------------------------------------------------------------------------------------- */

static bool rows_are_sorted(nf_context *ctx, const nf_csr *c)
{
    const int threads = nf__threads_for(ctx, c->m);
    int unsorted = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(| : unsorted)
    for (nf_vid u = 0; u < c->n; u++)
        for (nf_eid e = nf__off(c, u) + 1; e < nf__off(c, u + 1); e++)
            unsorted |= c->adj[e - 1] > c->adj[e];
    return unsorted == 0;
}

static void expand_sources(nf_context *ctx, const nf_csr *c, nf_vid *src)
{
    const int threads = nf__threads_for(ctx, c->m);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (nf_vid u = 0; u < c->n; u++)
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++)
            src[e] = u;
}

static nf_status build_coo(nf_context *ctx, nf_graph *g)
{
    nf_status st = NF_OK;
    nf__storage sorted = {NULL, NULL, NULL, NULL};
    nf_vid *src = NULL;
    NF_TRY_ALLOC(src, nf__alloc(g->mem, g->csr.m, sizeof(nf_vid)));
    if (!rows_are_sorted(ctx, &g->csr))
        NF_TRY(nf__sort_rows(ctx, &g->csr, &sorted));
    expand_sources(ctx, &g->csr, src);
    g->coo_src = src;
    g->coo_dst = sorted.adj; /* NULL: the rows themselves are in order */
    g->coo_w = sorted.w;
    src = NULL;
    sorted.adj = NULL;
    sorted.w = NULL;
done:
    nf__free(src);
    nf__free(sorted.off32);
    nf__free(sorted.off64);
    return st;
}

/* ---- once, under the lock ---------------------------------------------------------------------------------------- */

/* Runs `build` unless *ready says that it was done. */
static nf_status build_once(nf_context *ctx, nf_graph *g, atomic_int *ready,
                            nf_status (*build)(nf_context *, nf_graph *))
{
    nf_status st = nf__graph_check(ctx, g);
    if (st != NF_OK || atomic_load(ready) != 0)
        return st;
    pthread_mutex_lock(&g->lock);
    if (atomic_load(ready) == 0) {
        st = build(ctx, g);
        if (st == NF_OK)
            atomic_store(ready, 1);
    }
    pthread_mutex_unlock(&g->lock);
    return st;
}

nf_status nf_graph_transpose_view(nf_context *ctx, const nf_graph *graph, nf_csr *out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_graph *g = (nf_graph *)(uintptr_t)graph;
    if (g == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_transpose_view: graph or out is NULL");
    if (!g->directed) /* G4: it is its own transpose */
        return nf_graph_view(ctx, g, out);
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(build_once(ctx, g, &g->transpose_ready, build_transpose));
    *out = nf__storage_view(&g->t, g->csr.n, g->csr.m, g->csr.weight_type);
done:
    return nf__leave(ctx, owned, st);
}

nf_status nf_graph_coo_view(nf_context *ctx, const nf_graph *graph, nf_coo *out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_graph *g = (nf_graph *)(uintptr_t)graph;
    if (g == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_coo_view: graph or out is NULL");
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(build_once(ctx, g, &g->coo_ready, build_coo));
    const bool rows = g->coo_dst == NULL;
    *out = (nf_coo){g->csr.n,           g->csr.m,
                    g->coo_src,         rows ? g->csr.adj : g->coo_dst,
                    g->csr.weight_type, rows ? g->csr.weights : g->coo_w};
done:
    return nf__leave(ctx, owned, st);
}
