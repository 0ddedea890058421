/* bins.c - the pool of bins.h. */
#include "cpu/bins.h"

#define MOST_CHUNKS (NF__NO_CHUNK / 2)

nf_status nf__pool_create(nf__mem *mem, uint64_t chunks, uint32_t ready, nf__pool *p)
{
    nf_status st = NF_OK;
    p->used = 0;
    p->ready = ready;
    p->capacity = chunks < MOST_CHUNKS ? (uint32_t)chunks : MOST_CHUNKS;
    NF_TRY_ALLOC(p->chunks, nf__alloc(mem, p->capacity, sizeof *p->chunks));
done:
    return st;
}

nf_status nf__pool_grow(nf__mem *mem, uint64_t more, nf__pool *p)
{
    if (more > MOST_CHUNKS)
        return nf__fail(NF_ENOMEM, "more than 2^31 chunks of vertices are waiting");
    p->used = p->used < p->capacity ? p->used : p->capacity;
    nf__chunk *chunks = nf__regrow(mem, p->chunks, (uint64_t)p->capacity * sizeof *chunks, more, sizeof *chunks);
    if (chunks == NULL)
        return NF_ENOMEM;
    p->chunks = chunks;
    p->capacity = (uint32_t)more;
    return NF_OK;
}

void nf__pool_free(nf__pool *p)
{
    nf__free(p->chunks);
    p->chunks = NULL;
}

bool nf__stock_refill(nf__pool *p, nf__stock *k, uint32_t want)
{
    while (k->count < want) {
        if (__atomic_load_n(&p->used, __ATOMIC_RELAXED) >= p->capacity)
            return false;
        const uint32_t first = __atomic_fetch_add(&p->used, p->ready, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < p->ready && first + i < p->capacity; i++)
            nf__chunk_release(p, k, first + i);
    }
    return true;
}
