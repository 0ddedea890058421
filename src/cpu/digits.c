/* digits.c - the life of the queue of digits.h. */
#include "cpu/digits.h"

#define LEAST_BITS 4u
/* Chunks beyond those for the vertices: READY to spread, and one for each bucket in use where digits are narrow. */
#define BASE (4 * NF__DIGIT_READY)
#define FREE_SHARE 8u /* of the other chunks at least so much is free after cleaning, or the pool grows */

nf_status nf__digits_room(nf__digits *q, bool spreads)
{
    nf_status st = NF_OK;
    const uint64_t capacity = q->pool.capacity;
    const bool enough = spreads || (q->most != 0 && capacity >= q->most);
    if (q->stock.count >= NF__DIGIT_READY + (enough ? 0 : (capacity - BASE) / FREE_SHARE))
        return NF_OK;
    NF_TRY(nf__pool_grow(q->mem, q->most > capacity ? q->most : 2 * capacity, &q->pool));
    nf__stock_ready(&q->pool, &q->stock);
done:
    return st;
}

void nf__digits_reset(nf__digits *q)
{
    for (uint64_t i = 0; i < (uint64_t)q->count << q->bits; i++)
        q->lists[i].head = NF__NO_CHUNK;
    memset(q->words, 0, (size_t)q->count * 64 * sizeof *q->words);
    memset(q->summary, 0, q->count * sizeof *q->summary);
    q->levels = q->last = 0;
    q->stock = (nf__stock){NF__NO_CHUNK, 0};
    q->pool.used = 0;
}

nf_status nf__digits_open(nf__mem *mem, unsigned bits, uint64_t vertices, nf__digits *q)
{
    nf_status st = NF_OK;
    q->mem = mem;
    if (q->bits != bits) {
        nf__free(q->lists);
        nf__free(q->words);
        nf__free(q->summary);
        q->lists = NULL;
        q->words = q->summary = NULL;
    }
    q->bits = bits;
    q->count = 63 / bits + 1;
    for (unsigned i = 0; i < 64; i++)
        q->level_of[i] = (uint8_t)(i / bits);
    if (q->pool.chunks == NULL)
        NF_TRY(nf__pool_create(mem, vertices / NF__CHUNK + 1 + BASE, NF__DIGIT_READY, &q->pool));
    q->most = 0;
    if (q->words == NULL)
        NF_TRY_ALLOC(q->words, nf__alloc(mem, (uint64_t)q->count * 64, sizeof *q->words));
    if (q->summary == NULL)
        NF_TRY_ALLOC(q->summary, nf__alloc(mem, q->count, sizeof *q->summary));
    if (q->lists == NULL)
        NF_TRY_ALLOC(q->lists, nf__alloc(mem, (uint64_t)q->count << bits, sizeof *q->lists));
    nf__digits_reset(q);
done:
    return st;
}

void nf__digits_free(nf__digits *q)
{
    nf__pool_free(&q->pool);
    nf__free(q->lists);
    nf__free(q->words);
    nf__free(q->summary);
    q->lists = NULL;
    q->words = q->summary = NULL;
}

unsigned nf__digits_width(const nf__run *run)
{
    unsigned bits = LEAST_BITS;
    while (bits < NF__DIGIT_MOST && (run->work_type != NF_I64 || ldexp(1, (int)(2 * bits)) <= run->stats.weight_max))
        bits++;
    return bits;
}
