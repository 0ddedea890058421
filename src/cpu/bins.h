/* bins.h - lists of vertices in chunks from one pool, for methods that keep many lists which grow and shrink.
 *
 * Invariants
 *   B1 every chunk belongs to one list, one free list, or the untouched end of the pool;
 *   B2 all chunks of a list but its head are full;
 *   B3 nothing is allocated by a push: a thread first makes sure (nf__stock_ready) that it owns enough free chunks.
 * Each thread has its own free chunks (nf__stock) and takes more from the pool's end by an atomic add.
 * Memory: 256 bytes for 62 vertices, that is 4.13 bytes a vertex listed, and one chunk for each short list.
 */
#ifndef NF_CPU_BINS_H
#define NF_CPU_BINS_H

#include "core/base.h"

#define NF__CHUNK 62u           /* vertices in a chunk: 256 bytes, four cache lines */
#define NF__NO_CHUNK UINT32_MAX /* the end of a list */

typedef struct nf__chunk {
    uint32_t next, count;
    nf_vid v[NF__CHUNK];
} nf__chunk;

typedef struct nf__list {
    uint32_t head; /* chunk, or NF__NO_CHUNK */
} nf__list;

typedef struct nf__stock {
    uint32_t free, count; /* a list of free chunks */
} nf__stock;

typedef struct nf__pool {
    nf__chunk *chunks;
    uint32_t capacity;
    uint32_t ready;  /* chunks a thread owns before it begins a step (B3) */
    char before[64]; /* `used` is changed by all, what is around it is read at every push */
    uint32_t used;   /* may run past capacity; taken by atomic adds */
    char after[64];
} nf__pool;

/* A pool of so many chunks. */
nf_status nf__pool_create(nf__mem *mem, uint64_t chunks, uint32_t ready, nf__pool *p);
/* Makes it one of `more` chunks than it had; not inside parallel regions. */
nf_status nf__pool_grow(nf__mem *mem, uint64_t more, nf__pool *p);
void nf__pool_free(nf__pool *p);

/* Sees to it that the thread owns `want` chunks; false: the pool is used up. */
bool nf__stock_refill(nf__pool *p, nf__stock *k, uint32_t want);

static inline bool nf__stock_ready(nf__pool *p, nf__stock *k)
{
    return k->count >= p->ready || nf__stock_refill(p, k, p->ready);
}

static inline void nf__chunk_release(nf__pool *p, nf__stock *k, uint32_t chunk)
{
    p->chunks[chunk].next = k->free;
    k->free = chunk;
    k->count++;
}

static inline uint32_t nf__stock_take(nf__pool *p, nf__stock *k)
{
    const uint32_t chunk = k->free;
    k->free = p->chunks[chunk].next;
    k->count--;
    return chunk;
}

/* Writes v to the list; it stays only if `counts`. */
static inline void nf__list_put(nf__pool *p, nf__stock *k, nf__list *list, nf_vid v, bool counts)
{
    nf__chunk *c = list->head != NF__NO_CHUNK ? &p->chunks[list->head] : NULL;
    if (c == NULL || c->count == NF__CHUNK) {
        const uint32_t fresh = nf__stock_take(p, k);
        c = &p->chunks[fresh];
        c->next = list->head;
        c->count = 0;
        list->head = fresh;
    }
    c->v[c->count] = v;
    c->count += counts;
}

static inline void nf__list_push(nf__pool *p, nf__stock *k, nf__list *list, nf_vid v)
{
    nf__list_put(p, k, list, v, true);
}

#endif
