/* stats.c - a graph in a dozen numbers: one parallel pass over rows, and a double sweep for the diameter on request.
 *
 * Partial sums are kept per stretch of rows, PARTS of them whatever the number of threads, and added in order, so that
 * the numbers are the same on every machine. The double sweep is two breadth-first searches: from the vertex of
 * greatest degree, then from a farthest vertex found; the second depth is a lower bound for the diameter (in the
 * direction of the arcs). Cost O(n + m), n / 8 bytes of marks for a directed graph; the sweep 8 n bytes more.
 */
#include "graph/graph.h"

#define PARTS 64
#define POLL_EVERY 65536        /* vertices between two looks at the cancel flag: a few ms */
#define BLOCK ((nf_eid)1 << 20) /* weights whose integer sum fits 64 bits with room to spare */

typedef struct part {
    double squares, weight_sum, weight_min, weight_max;
    uint64_t degree_max, sinks, loops, forward, zero;
    nf_vid degree_max_vertex;
} part;

/* Least, greatest, sum and number of zeros of the weights of a stretch of arcs, in their own type. SUM is exact for a
 * block of weights; blocks are added in order. */
#define DEFINE_SCAN(name, T, SUM)                                   \
    static void name(const T *w, nf_eid begin, nf_eid end, part *p) \
    {                                                               \
        T least = w[begin], most = w[begin];                        \
        for (nf_eid past; begin < end; begin = past) {              \
            SUM sum = 0;                                            \
            past = end - begin < BLOCK ? end : begin + BLOCK;       \
            for (nf_eid e = begin; e < past; e++) {                 \
                least = w[e] < least ? w[e] : least;                \
                most = w[e] > most ? w[e] : most;                   \
                sum += (SUM)w[e];                                   \
                p->zero += w[e] == 0;                               \
            }                                                       \
            p->weight_sum += (double)sum;                           \
        }                                                           \
        p->weight_min = (double)least;                              \
        p->weight_max = (double)most;                               \
    }
DEFINE_SCAN(scan_i32, int32_t, int64_t)
DEFINE_SCAN(scan_u32, uint32_t, uint64_t)
DEFINE_SCAN(scan_f32, float, double)
DEFINE_SCAN(scan_f64, double, double)

static void scan_weights(const nf_csr *c, nf_eid begin, nf_eid end, part *p)
{
    if (begin == end)
        return;
    switch (c->weight_type) {
    case NF_I32: scan_i32(c->weights, begin, end, p); break;
    case NF_U32: scan_u32(c->weights, begin, end, p); break;
    case NF_F32: scan_f32(c->weights, begin, end, p); break;
    case NF_F64: scan_f64(c->weights, begin, end, p); break;
    default: break;
    }
}

/* `entered` marks targets; NULL for an undirected graph, where a vertex without arcs out has none in. */
static void scan_row(const nf_csr *c, nf_vid u, part *p, atomic_uchar *entered)
{
    const nf_eid begin = nf__off(c, u), end = nf__off(c, u + 1);
    const uint64_t degree = end - begin;
    if (degree > p->degree_max || p->degree_max_vertex == NF_NO_VERTEX) {
        p->degree_max = degree;
        p->degree_max_vertex = u;
    }
    p->squares += (double)degree * (double)degree;
    p->sinks += degree == 0;
    for (nf_eid e = begin; e < end; e++) {
        p->loops += c->adj[e] == u;
        p->forward += c->adj[e] > u;
    }
    for (nf_eid e = begin; entered != NULL && e < end; e++) {
        const nf_vid v = c->adj[e];
        const unsigned char bit = (unsigned char)(1u << (v % 8));
        if ((atomic_load_explicit(&entered[v / 8], memory_order_relaxed) & bit) == 0)
            atomic_fetch_or_explicit(&entered[v / 8], bit, memory_order_relaxed);
    }
}

static void scan_part(const nf_csr *c, unsigned k, part *p, atomic_uchar *entered)
{
    const nf_vid begin = (nf_vid)((uint64_t)c->n * k / PARTS), end = (nf_vid)((uint64_t)c->n * (k + 1) / PARTS);
    *p = (part){.weight_min = (double)INFINITY, .weight_max = -(double)INFINITY, .degree_max_vertex = NF_NO_VERTEX};
    for (nf_vid u = begin; u < end; u++)
        scan_row(c, u, p, entered);
    scan_weights(c, nf__off(c, begin), nf__off(c, end), p);
}

static part add_parts(const part *parts)
{
    part all = parts[0];
    for (unsigned k = 1; k < PARTS; k++) {
        const part *p = &parts[k];
        if (p->degree_max_vertex != NF_NO_VERTEX
            && (all.degree_max_vertex == NF_NO_VERTEX || p->degree_max > all.degree_max)) {
            all.degree_max = p->degree_max;
            all.degree_max_vertex = p->degree_max_vertex;
        }
        all.squares += p->squares;
        all.weight_sum += p->weight_sum;
        all.weight_min = p->weight_min < all.weight_min ? p->weight_min : all.weight_min;
        all.weight_max = p->weight_max > all.weight_max ? p->weight_max : all.weight_max;
        all.sinks += p->sinks;
        all.loops += p->loops;
        all.forward += p->forward;
        all.zero += p->zero;
    }
    return all;
}

static uint64_t count_isolated(const nf_csr *c, const atomic_uchar *entered)
{
    uint64_t isolated = 0;
    for (nf_vid v = 0; v < c->n; v++)
        isolated += nf__off(c, v) == nf__off(c, v + 1)
                    && (entered == NULL || (atomic_load(&entered[v / 8]) & (1u << (v % 8))) == 0);
    return isolated;
}

static void fill_stats(const nf_csr *c, const part *all, nf_graph_stats *s)
{
    const double n = c->n, m = (double)c->m;
    const bool weighted = c->weight_type != NF_NONE && c->m != 0;
    s->size = sizeof *s;
    s->degree_mean = c->n != 0 ? m / n : 0;
    const double variance = c->n != 0 ? all->squares / n - s->degree_mean * s->degree_mean : 0;
    s->degree_deviation = variance > 0 ? sqrt(variance) : 0;
    s->degree_max = all->degree_max;
    s->degree_max_vertex = all->degree_max_vertex;
    s->sinks = all->sinks;
    s->loops = all->loops;
    s->forward = all->forward;
    s->density = c->n != 0 ? m / n / n : 0;
    const double one = c->m != 0 ? 1 : 0;
    s->weight_min = weighted ? all->weight_min : one;
    s->weight_max = weighted ? all->weight_max : one;
    s->weight_mean = weighted ? all->weight_sum / m : one;
    s->weight_sign = !weighted ? 1 : all->weight_min < 0 ? -1 : all->zero != 0 ? 0 : 1;
    s->diameter = -1;
}

static nf_status gather(nf_context *ctx, nf_graph *g)
{
    nf_status st = NF_OK;
    const int threads = nf__threads_for(ctx, g->csr.n + g->csr.m);
    atomic_uchar *entered = NULL;
    part *parts = NULL;
    (void)threads;
    if (g->directed)
        NF_TRY_ALLOC(entered, nf__zalloc(g->mem, (uint64_t)g->csr.n / 8 + 1, 1));
    NF_TRY_ALLOC(parts, nf__alloc(g->mem, PARTS, sizeof *parts));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (unsigned k = 0; k < PARTS; k++)
        scan_part(&g->csr, k, &parts[k], entered);
    const part all = add_parts(parts);
    fill_stats(&g->csr, &all, &g->stats);
    g->stats.isolated = count_isolated(&g->csr, entered);
done:
    nf__free(entered);
    nf__free(parts);
    return st;
}

/* ---- the double sweep -------------------------------------------------------------------------------------------- */

/* Breadth-first search from s: its depth, and in *farthest the first vertex found at it. */
static nf_status sweep(nf_context *ctx, const nf_csr *c, nf_vid s, int32_t *depth, nf_vid *queue, nf_vid *farthest,
                       int64_t *deepest)
{
    nf_status st = NF_OK;
    uint64_t head = 0, tail = 0;
    memset(depth, 0xff, (size_t)c->n * sizeof *depth);
    depth[s] = 0;
    queue[tail++] = s;
    *farthest = s;
    while (head < tail) {
        const nf_vid u = queue[head++];
        if (head % POLL_EVERY == 0)
            NF_TRY(nf__progress(ctx, "diameter", head, c->n));
        if (depth[u] > depth[*farthest])
            *farthest = u;
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            const nf_vid v = c->adj[e];
            if (depth[v] >= 0)
                continue;
            depth[v] = depth[u] + 1;
            queue[tail++] = v;
        }
    }
    *deepest = depth[*farthest];
done:
    return st;
}

static nf_status estimate_diameter(nf_context *ctx, nf_graph *g)
{
    nf_status st = NF_OK;
    int32_t *depth = NULL;
    nf_vid *queue = NULL, end = 0;
    int64_t first = 0, second = 0;
    if (g->csr.n == 0) {
        g->diameter = 0;
        return NF_OK;
    }
    NF_TRY_ALLOC(depth, nf__alloc(g->mem, g->csr.n, sizeof *depth));
    NF_TRY_ALLOC(queue, nf__alloc(g->mem, g->csr.n, sizeof *queue));
    NF_TRY(sweep(ctx, &g->csr, g->stats.degree_max_vertex, depth, queue, &end, &first));
    NF_TRY(sweep(ctx, &g->csr, end, depth, queue, &end, &second));
    g->diameter = second > first ? second : first;
done:
    nf__free(depth);
    nf__free(queue);
    return st;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static nf_status gather_once(nf_context *ctx, nf_graph *g, bool diameter)
{
    nf_status st = NF_OK;
    pthread_mutex_lock(&g->lock);
    if (atomic_load(&g->stats_ready) == 0) {
        st = gather(ctx, g);
        if (st == NF_OK)
            atomic_store(&g->stats_ready, 1);
    }
    if (st == NF_OK && diameter && g->diameter < 0)
        st = estimate_diameter(ctx, g);
    pthread_mutex_unlock(&g->lock);
    return st;
}

nf_status nf_graph_get_stats(nf_context *ctx, const nf_graph *graph, uint32_t flags, nf_graph_stats *stats)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_graph *g = (nf_graph *)(uintptr_t)graph;
    const bool diameter = (flags & NF_STATS_DIAMETER) != 0;
    if (g == NULL || stats == NULL || stats->size < sizeof(size_t) || (flags & ~(uint32_t)NF_STATS_DIAMETER) != 0)
        return nf__fail(NF_EINVAL, "nf_graph_get_stats: a pointer is NULL, stats->size not set, or unknown flags");
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(nf__graph_check(ctx, g));
    NF_TRY(gather_once(ctx, g, diameter));
    nf_graph_stats mine = g->stats;
    mine.size = stats->size;
    mine.diameter = diameter ? g->diameter : -1;
    memcpy(stats, &mine, mine.size < sizeof mine ? mine.size : sizeof mine);
done:
    return nf__leave(ctx, owned, st);
}
