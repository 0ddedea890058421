/* digits.c - the life of the queue of digits.h. */
#include "cpu/digits.h"

#define LEAST_BITS 4u

nf_status nf__digits_more(nf__digits *q)
{
    nf_status st = NF_OK;
    while (q->stock.count < NF__READY && !nf__stock_ready(&q->pool, &q->stock))
        NF_TRY(nf__pool_grow(q->mem, &q->pool));
done:
    return st;
}

void nf__digits_reset(nf__digits *q)
{
    for (uint64_t i = 0; i < (uint64_t)q->count << q->bits; i++)
        q->lists[i].head = NF__NO_CHUNK;
    memset(q->words, 0, (size_t)NF__DIGIT_LEVELS * 64 * sizeof *q->words);
    memset(q->summary, 0, NF__DIGIT_LEVELS * sizeof *q->summary);
    q->levels = q->last = 0;
    q->stock = (nf__stock){NF__NO_CHUNK, 0};
    q->pool.used = 0;
}

nf_status nf__digits_open(nf__mem *mem, unsigned bits, uint64_t vertices, nf__digits *q)
{
    nf_status st = NF_OK;
    q->mem = mem;
    if (q->lists != NULL && q->bits != bits) {
        nf__free(q->lists);
        q->lists = NULL;
    }
    q->bits = bits;
    q->count = 63 / bits + 1;
    for (unsigned i = 0; i < 64; i++)
        q->level_of[i] = (uint8_t)(i / bits);
    if (q->pool.chunks == NULL)
        NF_TRY(nf__pool_create(mem, vertices, 1, &q->pool));
    if (q->words == NULL)
        NF_TRY_ALLOC(q->words, nf__alloc(mem, NF__DIGIT_LEVELS * 64, sizeof *q->words));
    if (q->summary == NULL)
        NF_TRY_ALLOC(q->summary, nf__alloc(mem, NF__DIGIT_LEVELS, sizeof *q->summary));
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
