/* digits.c - the life of the queue of digits.h. */
#include "cpu/digits.h"

#define LEAST_BITS 4u
#define BASE 256u     /* chunks beyond those for the vertices: one for each bucket in use where digits are narrow */
#define LEAN 16u      /* the same of a lean queue; at least READY */
#define FREE_SHARE 8u /* of the other chunks at least so much is free after cleaning, or the pool grows */
#define GROWTH 4u     /* by such a part: old and new are held at once while it does */

nf_status nf__digits_room(nf__digits *q, bool spreads)
{
    nf_status st = NF_OK;
    const uint64_t capacity = q->pool.capacity;
    const bool enough = spreads || (q->most != 0 && capacity >= q->most);
    const uint64_t more = capacity + capacity / GROWTH + NF__DIGIT_READY;
    if (q->stock.count >= NF__DIGIT_READY + (enough ? 0 : (capacity - q->base) / FREE_SHARE))
        return NF_OK;
    NF_TRY(nf__pool_grow(q->mem, q->most > capacity ? q->most : more, &q->pool));
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

nf_status nf__digits_open(nf__mem *mem, unsigned key_bits, unsigned bits, uint64_t vertices, nf__digits *q)
{
    nf_status st = NF_OK;
    const unsigned count = (key_bits - 1) / bits + 1;
    q->mem = mem;
    if (q->bits != bits || q->count != count) {
        nf__free(q->lists);
        nf__free(q->words);
        nf__free(q->summary);
        q->lists = NULL;
        q->words = q->summary = NULL;
    }
    q->bits = bits;
    q->count = count;
    for (unsigned i = 0; i < 64; i++)
        q->level_of[i] = (uint8_t)(i / bits);
    q->most = 0;
    q->base = vertices != 0 ? BASE : LEAN;
    if (q->pool.chunks == NULL)
        NF_TRY(
            nf__pool_create(mem, q->base + (vertices != 0 ? vertices / NF__CHUNK + 1 : 0), NF__DIGIT_READY, &q->pool));
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
