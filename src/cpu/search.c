/* search.c - the state of searches between two vertices; see search.h. */
#include "cpu/search.h"

#define LEAST_SEEN UINT64_C(1024)
#define SWEEP 8u /* when more than 1 / SWEEP of the cells were used, wiping all in one go is cheaper than one by one */
/* A transpose takes about as long as searches from one end that relax this share of the arcs: USA-road-d.NY, one
 * thread, 13 ms against 12 for the mean of 50 pairs. */
#define TRANSPOSE_SHARE 1.0

/* The largest search may have used more cells than this graph has. */
nf_status nf__search_open(nf__run *run, size_t cell, nf__search **out)
{
    nf__search *s = run->device;
    const uint64_t bytes = (uint64_t)run->csr.n * cell;
    s->cell = cell;
    s->n = run->csr.n;
    *out = s;
    if (s->bytes >= bytes && s->cells != NULL)
        return NF_OK;
    nf__free(s->cells);
    s->bytes = 0;
    s->cells = nf__alloc(s->mem, bytes, 1);
    if (s->cells == NULL)
        return NF_ENOMEM;
    memset(s->cells, 0xff, (size_t)bytes);
    s->bytes = bytes;
    return NF_OK;
}

static void drop(nf__search *s)
{
    for (unsigned side = 0; side < 2; side++) {
        nf__free(s->seen[side].list);
        nf__free(s->from[side].list);
        s->seen[side] = s->from[side] = (nf__seen){NULL, 0, 0};
        nf__digits_free(&s->queue[side]);
    }
    nf__free(s->batch.list);
    s->batch = (nf__seen){NULL, 0, 0};
    nf__free(s->cells);
    s->cells = NULL;
    s->bytes = 0;
}

void nf__search_close(nf__search *s, bool well)
{
    if (!well || nf__mem_limit(s->mem) != 0) {
        drop(s);
        return;
    }
    const bool sweep = s->seen[0].count + s->seen[1].count > s->n / SWEEP;
    if (sweep)
        memset(s->cells, 0xff, (size_t)s->n * s->cell);
    for (unsigned side = 0; side < 2; side++) {
        for (uint64_t i = 0; !sweep && i < s->seen[side].count; i++)
            memset(s->cells + (size_t)s->seen[side].list[i] * s->cell, 0xff, s->cell);
        s->seen[side].count = 0;
    }
}

void nf__search_free(nf__search *s)
{
    if (s == NULL)
        return;
    drop(s);
    nf__free(s);
}

nf_status nf__seen_grow(nf__mem *mem, nf__seen *s)
{
    const uint64_t capacity = s->capacity != 0 ? 2 * s->capacity : LEAST_SEEN;
    nf_vid *list = nf__regrow(mem, s->list, s->count * sizeof *list, capacity, sizeof *list);
    if (list == NULL)
        return NF_ENOMEM;
    s->list = list;
    s->capacity = capacity;
    return NF_OK;
}

nf_status nf__search_gather(nf__search *s, nf__digits *q, uint32_t at, uint64_t *count)
{
    nf_status st = NF_OK;
    uint64_t total = 0, to = 0;
    const uint32_t head = q->lists[at].head;
    for (uint32_t c = head; c != NF__NO_CHUNK; c = q->pool.chunks[c].next)
        total += q->pool.chunks[c].count;
    while (s->batch.capacity < total)
        NF_TRY(nf__seen_grow(s->mem, &s->batch));
    for (uint32_t c = head; c != NF__NO_CHUNK;) {
        const nf__chunk *chunk = &q->pool.chunks[c];
        const uint32_t next = chunk->next;
        memcpy(s->batch.list + to, chunk->v, chunk->count * sizeof(nf_vid));
        to += chunk->count;
        nf__chunk_release(&q->pool, &q->stock, c);
        c = next;
    }
    nf__digits_vacate(q, at);
    *count = total;
done:
    return st;
}

/* ---- against the arcs -------------------------------------------------------------------------------------------- */

nf_status nf__search_transpose(nf__run *run, nf_csr *in)
{
    const nf_status st = nf_graph_transpose_view(run->ctx, run->graph, in);
    if (st == NF_OK && run->csr.weight_type == NF_NONE) {
        in->weight_type = NF_NONE;
        in->weights = NULL;
    }
    return st;
}

void nf__search_note(const nf__run *run, uint64_t arcs)
{
    nf_graph *g = (nf_graph *)(uintptr_t)run->graph; /* G3 */
    if (g->directed)
        atomic_fetch_add(&g->one_way, arcs);
}

bool nf__search_pays(const nf__run *run)
{
    const nf_graph *g = run->graph;
    return !g->directed || atomic_load(&g->transpose_ready) != 0
           || (double)atomic_load(&g->one_way) > TRANSPOSE_SHARE * (double)g->csr.m;
}

/* ---- the way ----------------------------------------------------------------------------------------------------- */

/* Arcs from v to the end of its side's chain of parents. */
static uint64_t chain_length(const nf__search *s, nf_vid v, unsigned side)
{
    uint64_t k = 0;
    for (; *nf__search_parent(s, v, side) != v; k++)
        v = *nf__search_parent(s, v, side);
    return k;
}

nf_status nf__search_way(nf__run *run, const nf__search *s, nf_vid meet, nf_vid **vertices, void **dist, uint64_t *at,
                         uint64_t *length)
{
    nf_status st = NF_OK;
    *at = chain_length(s, meet, 0);
    *length = *at + chain_length(s, meet, 1) + 1;
    NF_TRY(nf__run_path(run, *length, vertices, dist));
    nf_vid v = meet;
    for (uint64_t i = *at + 1; i-- > 0; v = *nf__search_parent(s, v, 0))
        (*vertices)[i] = v;
    v = meet;
    for (uint64_t i = *at; i < *length; i++, v = *nf__search_parent(s, v, 1))
        (*vertices)[i] = v;
done:
    return st;
}
