/* attach.c - which devices hold a copy of which graph.
 *
 * A link joins a context and a graph and stands in two lists, one of each. Contexts and graphs may be freed in any
 * order and by any threads; whoever comes first detaches the copy, the link itself goes with the second.
 *
 * Invariants
 *   I1 link->attached is read and written under link->lock, and detached there: so the device cannot be closed
 * meanwhile; I2 the context's list belongs to the thread that runs in the context; the graph's list is guarded by
 * graph->lock; I3 a link is freed when it stands in neither list; no thread holds two locks of links, or one while it
 * waits for the graph's. Cost: O(graphs of the context) to find one.
 */
#include "graph/graph.h"

struct nf__attachment {
    pthread_mutex_t lock;
    void *attached; /* NULL once detached: the link is dead */
    nf__detach_fn detach;
    const nf_graph *graph; /* compared, never followed: it may be gone */
    atomic_int lists;      /* that hold the link */
    nf__attachment *next_of_context, *next_of_graph;
};

static void *look(nf__attachment *a)
{
    pthread_mutex_lock(&a->lock);
    void *attached = a->attached;
    pthread_mutex_unlock(&a->lock);
    return attached;
}

static void detach(nf__attachment *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->attached != NULL)
        a->detach(a->attached);
    a->attached = NULL;
    pthread_mutex_unlock(&a->lock);
}

/* One list lets go of the link. */
static void leave(nf__attachment *a)
{
    if (atomic_fetch_sub(&a->lists, 1) != 1)
        return;
    pthread_mutex_destroy(&a->lock);
    nf__free(a);
}

void *nf__attachment_find(nf__attachment **mine, const nf_graph *g)
{
    for (nf__attachment **at = mine; *at != NULL;) {
        nf__attachment *a = *at;
        void *attached = look(a);
        if (attached == NULL) { /* its graph is gone; another may lie at the same address */
            *at = a->next_of_context;
            leave(a);
            continue;
        }
        if (a->graph == g)
            return attached;
        at = &a->next_of_context;
    }
    return NULL;
}

/* Drops the links whose contexts are gone. Under g->lock. */
static void prune(nf_graph *g)
{
    for (nf__attachment **at = &g->attachments; *at != NULL;) {
        nf__attachment *a = *at;
        if (look(a) != NULL) {
            at = &a->next_of_graph;
            continue;
        }
        *at = a->next_of_graph;
        leave(a);
    }
}

nf_status nf__attachment_add(nf_context *ctx, nf__attachment **mine, const nf_graph *g, void *attached,
                             nf__detach_fn detach_it)
{
    nf_graph *graph = (nf_graph *)(uintptr_t)g; /* the list is a cache (G3) */
    nf__attachment *a = nf__zalloc(nf__context_mem(ctx), 1, sizeof *a);
    if (a == NULL)
        return NF_ENOMEM;
    if (pthread_mutex_init(&a->lock, NULL) != 0) {
        nf__free(a);
        return nf__fail(NF_ENOMEM, "no mutex could be had for a graph on a device");
    }
    a->attached = attached;
    a->detach = detach_it;
    a->graph = g;
    atomic_init(&a->lists, 2);
    a->next_of_context = *mine;
    *mine = a;
    pthread_mutex_lock(&graph->lock);
    prune(graph);
    a->next_of_graph = graph->attachments;
    graph->attachments = a;
    pthread_mutex_unlock(&graph->lock);
    return NF_OK;
}

void nf__attachments_close_context(nf__attachment *mine)
{
    while (mine != NULL) {
        nf__attachment *next = mine->next_of_context;
        detach(mine);
        leave(mine);
        mine = next;
    }
}

void nf__attachments_close_graph(nf_graph *g)
{
    nf__attachment *a = g->attachments;
    while (a != NULL) {
        nf__attachment *next = a->next_of_graph;
        detach(a);
        leave(a);
        a = next;
    }
    g->attachments = NULL;
}
