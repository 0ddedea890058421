/* hops.c - rules 1 to 7 on a breadth-first search from one source, by all threads: a quick yes.
 *
 * One walk over the arcs out of the reached vertices: none leads to an unreached vertex or to one more than a hop
 * further (rules 3 and 4), and the tree's arc to each vertex, or without parents any tight one, leaves a mark. Then
 * every reached vertex but the source must bear one (rules 2, 5 and 7). Since a mark means one hop more than the vertex
 * it came from, marked vertices hang together as a tree at the source (rule 1). What is wrong, labels.c finds out.
 *
 * Cost: O(n + m) time over the threads, n bytes.
 */
#include <stdlib.h>

#include "internal.h"

#define SERIAL_ARCS ((nf_eid)1 << 20) /* below, one thread is as fast */

/* A hop as a number without sign: unreached is the greatest. */
static inline uint32_t hop_at(const c_hops *h, nf_vid v)
{
    return (uint32_t)h->hop[v];
}

static bool check_arcs(const c_hops *h, uint8_t *mark)
{
    const nf_csr *g = h->csr;
    bool ok = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : ok) if (g->m > SERIAL_ARCS)
    for (nf_vid u = 0; u < g->n; u++) {
        const uint32_t level = hop_at(h, u);
        if (h->hop[u] == NF_NO_HOP)
            continue;
        for (nf_eid e = c_off(g, u); e < c_off(g, u + 1); e++) {
            const nf_vid v = g->adj[e];
            ok = ok && hop_at(h, v) <= level + 1;
            if (hop_at(h, v) == level + 1 && (h->parent == NULL || h->parent[v] == u))
                __atomic_store_n(&mark[v], 1, __ATOMIC_RELAXED);
        }
    }
    return ok;
}

static bool check_vertices(const c_hops *h, const uint8_t *mark)
{
    bool ok = true;
#pragma omp parallel for schedule(static) reduction(&& : ok) if (h->csr->m > SERIAL_ARCS)
    for (nf_vid v = 0; v < h->csr->n; v++) {
        if (v == h->source)
            ok = ok && h->hop[v] == 0 && (h->parent == NULL || h->parent[v] == v);
        else if (h->hop[v] == NF_NO_HOP)
            ok = ok && (h->parent == NULL || h->parent[v] == NF_NO_VERTEX);
        else
            ok = ok && h->hop[v] > 0 && mark[v] != 0;
    }
    return ok;
}

bool c_hops_hold(const c_hops *h)
{
    uint8_t *mark = calloc((size_t)h->csr->n + 1, 1);
    const bool ok = mark != NULL && h->source < h->csr->n && check_arcs(h, mark) && check_vertices(h, mark);
    free(mark);
    return ok;
}
