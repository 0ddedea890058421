/* graph.c - the graph object: life, facts, labels, coordinates, edge lookup. */
#include "graph/graph.h"

nf_status nf__graph_shell(nf_context *ctx, nf_graph **out)
{
    nf_graph *g = nf__zalloc(nf__context_mem(ctx), 1, sizeof *g);
    if (g == NULL)
        return NF_ENOMEM;
    g->mem = nf__context_mem(ctx); /* kept alive by the block g itself */
    g->directed = true;
    g->format = "memory";
    g->diameter = -1;
    atomic_init(&g->checked, 0);
    atomic_init(&g->transpose_ready, 0);
    atomic_init(&g->coo_ready, 0);
    atomic_init(&g->stats_ready, 0);
    atomic_init(&g->negative, 0);
    if (pthread_mutex_init(&g->lock, NULL) != 0) {
        nf__free(g);
        return nf__fail(NF_ENOMEM, "no mutex could be had for a graph");
    }
    *out = g;
    return NF_OK;
}

void nf__storage_free(nf__storage *s)
{
    nf__free(s->off32);
    nf__free(s->off64);
    nf__free(s->adj);
    nf__free(s->w);
    memset(s, 0, sizeof *s);
}

void nf_graph_free(nf_graph *g)
{
    if (g == NULL)
        return;
    nf__attachments_close_graph(g);
    if (g->release != NULL)
        g->release(g->release_arg);
    nf__free(g->release_arg);
    nf__free(g->file);
    nf__storage_free(&g->own);
    nf__storage_free(&g->t);
    nf__free(g->coo_src);
    nf__free(g->coo_dst);
    nf__free(g->coo_w);
    nf__free(g->own_labels);
    nf__free(g->own_xy);
    pthread_mutex_destroy(&g->lock);
    nf__free(g);
}

void nf__arcs_free(nf__arcs *arcs)
{
    nf__free(arcs->src);
    nf__free(arcs->dst);
    nf__free(arcs->w);
    arcs->src = arcs->dst = NULL;
    arcs->w = NULL;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static uint64_t csr_bytes(const nf_csr *c)
{
    const uint64_t width = c->off32 != NULL ? 4 : 8;
    return ((uint64_t)c->n + 1) * width + c->m * (sizeof(nf_vid) + nf_type_size(c->weight_type));
}

static uint64_t held_bytes(const nf_graph *g)
{
    uint64_t bytes = csr_bytes(&g->csr);
    if (atomic_load(&g->transpose_ready) != 0 && g->t.adj != NULL)
        bytes += csr_bytes(&g->csr);
    if (atomic_load(&g->coo_ready) != 0) {
        bytes += g->csr.m * sizeof(nf_vid);
        if (g->coo_dst != NULL)
            bytes += g->csr.m * (sizeof(nf_vid) + nf_type_size(g->csr.weight_type));
    }
    if (g->labels != NULL)
        bytes += (uint64_t)g->csr.n * sizeof(uint64_t);
    if (g->xy != NULL)
        bytes += (uint64_t)g->csr.n * 2 * sizeof(double);
    return bytes;
}

nf_status nf_graph_get_info(const nf_graph *g, nf_graph_info *info)
{
    if (g == NULL || info == NULL || info->size < sizeof(size_t))
        return nf__fail(NF_EINVAL, "nf_graph_get_info: graph or info is NULL, or info->size is not set");
    const size_t theirs = info->size;
    const nf_graph_info mine = {
        .size = theirs,
        .n = g->csr.n,
        .m = g->csr.m,
        .directed = g->directed,
        .weight_type = g->csr.weight_type,
        .negative_weights = atomic_load(&g->negative) != 0,
        .has_coordinates = g->xy != NULL,
        .sparse_labels = g->labels != NULL,
        .label_base = g->label_base,
        .offset_bits = g->csr.off32 != NULL ? 32 : 64,
        .bytes = held_bytes(g),
        .format = g->format,
        .facts = g->facts,
    };
    memcpy(info, &mine, theirs < sizeof mine ? theirs : sizeof mine);
    return NF_OK;
}

nf_vid nf_graph_n(const nf_graph *g)
{
    return g == NULL ? 0 : g->csr.n;
}

nf_eid nf_graph_m(const nf_graph *g)
{
    return g == NULL ? 0 : g->csr.m;
}

void nf__graph_describe(nf_graph *g, const char *format, const char *facts, ...)
{
    va_list args;
    g->format = format;
    va_start(args, facts);
    vsnprintf(g->facts, sizeof g->facts, facts, args);
    va_end(args);
}

/* ---- labels and coordinates -------------------------------------------------------------------------------------- */

void nf__graph_take_labels(nf_graph *g, uint64_t *labels)
{
    const nf_vid n = g->csr.n;
    nf__free(g->own_labels);
    g->own_labels = NULL;
    g->labels = NULL;
    g->label_base = n == 0 ? 0 : labels[0];
    if (n == 0 || labels[n - 1] - labels[0] == (uint64_t)n - 1) { /* ascending, so consecutive */
        nf__free(labels);
        return;
    }
    g->own_labels = labels;
    g->labels = labels;
}

void nf__graph_take_coordinates(nf_graph *g, double *xy)
{
    nf__free(g->own_xy);
    g->own_xy = xy;
    g->xy = xy;
}

uint64_t nf_graph_label(const nf_graph *g, nf_vid v)
{
    if (g == NULL || v >= g->csr.n)
        return UINT64_MAX;
    return g->labels != NULL ? g->labels[v] : g->label_base + v;
}

nf_status nf_graph_find(const nf_graph *g, uint64_t label, nf_vid *out)
{
    if (g == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_find: graph or out is NULL");
    const nf_vid n = g->csr.n;
    if (n == 0)
        return nf__fail(NF_ENOTFOUND, "there is no vertex %llu; the graph is empty", (unsigned long long)label);
    nf_vid low = 0, high = n - 1;
    if (g->labels == NULL) {
        if (label >= g->label_base && label - g->label_base < n) {
            *out = (nf_vid)(label - g->label_base);
            return NF_OK;
        }
    } else {
        while (low < high) {
            const nf_vid middle = low + (high - low) / 2;
            if (g->labels[middle] < label)
                low = middle + 1;
            else
                high = middle;
        }
        if (g->labels[low] == label) {
            *out = low;
            return NF_OK;
        }
    }
    return nf__fail(NF_ENOTFOUND, "there is no vertex %llu; expected %llu to %llu%s", (unsigned long long)label,
                    (unsigned long long)nf_graph_label(g, 0), (unsigned long long)nf_graph_label(g, n - 1),
                    g->labels != NULL ? ", as the file lists them" : "");
}

const double *nf_graph_coordinates(const nf_graph *g)
{
    return g == NULL ? NULL : g->xy;
}

/* ---- lookup ------------------------------------------------------------------------------------------------------ */

nf_vid nf__row_of(const nf_csr *csr, nf_eid e)
{
    nf_vid low = 0, high = csr->n; /* off[low] <= e < off[high] */
    while (high - low > 1) {
        const nf_vid middle = low + (high - low) / 2;
        if (nf__off(csr, middle) <= e)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* First index in [low, high) of a sorted list whose value is >= key. */
static nf_eid lower_bound(const nf_vid *list, nf_eid low, nf_eid high, uint64_t key)
{
    while (low < high) {
        const nf_eid middle = low + (high - low) / 2;
        if (list[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

nf_status nf_graph_find_edge(nf_context *ctx, const nf_graph *g, nf_vid u, nf_vid v, nf_eid *first, nf_eid *count)
{
    nf_coo coo;
    if (g == NULL || first == NULL || count == NULL || u >= g->csr.n || v >= g->csr.n)
        return nf__fail(NF_EINVAL, "nf_graph_find_edge: a pointer is NULL or a vertex out of range");
    nf_status st = nf_graph_coo_view(ctx, g, &coo);
    if (st != NF_OK)
        return st;
    /* the sorted list groups by source as the CSR does */
    const nf_eid low = nf__off(&g->csr, u), high = nf__off(&g->csr, u + 1);
    *first = lower_bound(coo.dst, low, high, v);
    *count = lower_bound(coo.dst, *first, high, (uint64_t)v + 1) - *first;
    return NF_OK;
}
