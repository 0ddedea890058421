/* search.c - the state of searches between two vertices; see search.h. */
#include "cpu/search.h"

#define LEAST_SEEN UINT64_C(1024)
#define SWEEP 8u /* when more than 1 / SWEEP of the cells were used, wiping all in one go is cheaper than one by one */
/* A transpose takes about as long as searches from one end that relax this share of the arcs: USA-road-d.NY, one
 * thread, 13 ms against 12 for the mean of 50 pairs. */
#define TRANSPOSE_SHARE 1.0

static uint64_t blocks_of(uint64_t n)
{
    return (n >> NF__BLOCK_BITS) + 1;
}

/* The largest search may have used more cells than this graph has. */
nf_status nf__search_open(nf__run *run, size_t cell, nf__search **out)
{
    nf_status st = NF_OK;
    nf__search *s = run->device;
    const uint64_t blocks = blocks_of(run->csr.n), bytes = (blocks << NF__BLOCK_BITS) * cell;
    s->cell = cell;
    s->n = run->csr.n;
    *out = s;
    if (s->bytes < bytes) {
        nf__free(s->cells);
        s->cells = NULL;
        s->bytes = 0;
        NF_TRY_ALLOC(s->cells, nf__alloc(s->mem, bytes, 1));
        memset(s->cells, 0xff, (size_t)bytes);
        s->bytes = bytes;
    }
    if (s->blocks < blocks) {
        nf__free(s->touched);
        s->blocks = 0;
        NF_TRY_ALLOC(s->touched, nf__zalloc(s->mem, blocks, 1));
        s->blocks = blocks;
    }
done:
    return st;
}

nf_status nf__search_parents(nf__search *s, unsigned side, bool wanted)
{
    nf_status st = NF_OK;
    if (wanted && s->parents[side] >= s->n)
        return NF_OK;
    nf__free(s->parent[side]);
    s->parent[side] = NULL;
    s->parents[side] = 0;
    if (wanted) {
        NF_TRY_ALLOC(s->parent[side], nf__alloc(s->mem, s->n, sizeof(nf_vid)));
        s->parents[side] = s->n;
    }
done:
    return st;
}

static void drop(nf__search *s)
{
    for (unsigned side = 0; side < 2; side++) {
        nf__free(s->seen[side].list);
        nf__free(s->from[side].list);
        s->seen[side] = s->from[side] = (nf__seen){NULL, 0, 0};
        nf__digits_free(&s->queue[side]);
        nf__free(s->parent[side]);
        s->parent[side] = NULL;
        s->parents[side] = 0;
    }
    nf__free(s->touched);
    nf__free(s->cells);
    s->touched = NULL;
    s->cells = NULL;
    s->bytes = s->blocks = 0;
}

void nf__search_close(nf__search *s, bool well)
{
    if (!well || nf__mem_limit(s->mem) != 0) {
        drop(s);
        return;
    }
    const size_t block = s->cell << NF__BLOCK_BITS;
    const uint64_t blocks = blocks_of(s->n);
    for (uint64_t b = 0; b < blocks; b++)
        if (s->touched[b] != 0) {
            memset(s->cells + b * block, 0xff, block);
            s->touched[b] = 0;
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

nf_status nf__seen_grow(nf__mem *mem, nf__seen *s, uint64_t most)
{
    const uint64_t twice = s->capacity != 0 ? 2 * s->capacity : LEAST_SEEN, capacity = twice < most ? twice : most;
    nf_vid *list = nf__regrow(mem, s->list, s->count * sizeof *list, capacity, sizeof *list);
    if (list == NULL)
        return NF_ENOMEM;
    s->list = list;
    s->capacity = capacity;
    return NF_OK;
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
