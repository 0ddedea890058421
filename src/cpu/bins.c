/* bins.c - the pool of bins.h. */
#include "cpu/bins.h"

nf_status nf__pool_create(nf__mem *mem, uint64_t vertices, int threads, nf__pool *p)
{
    nf_status st = NF_OK;
    const uint64_t chunks = vertices / NF__CHUNK + 1 + (uint64_t)threads * 3 * NF__READY;
    p->used = 0;
    p->capacity = chunks < NF__NO_CHUNK / 4 ? (uint32_t)chunks : NF__NO_CHUNK / 4;
    NF_TRY_ALLOC(p->chunks, nf__alloc(mem, p->capacity, sizeof *p->chunks));
done:
    return st;
}

nf_status nf__pool_grow(nf__mem *mem, nf__pool *p)
{
    const uint32_t capacity = p->capacity * 2;
    if (p->capacity > NF__NO_CHUNK / 4)
        return nf__fail(NF_ENOMEM, "more than 2^30 chunks of vertices are waiting");
    p->used = p->used < p->capacity ? p->used : p->capacity;
    nf__chunk *chunks = nf__regrow(mem, p->chunks, (uint64_t)p->capacity * sizeof *chunks, capacity, sizeof *chunks);
    if (chunks == NULL)
        return NF_ENOMEM;
    p->chunks = chunks;
    p->capacity = capacity;
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
        const uint32_t first = __atomic_fetch_add(&p->used, NF__READY, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < NF__READY && first + i < p->capacity; i++)
            nf__chunk_release(p, k, first + i);
    }
    return true;
}
