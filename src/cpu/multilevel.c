/* multilevel.c - a monotone queue of buckets by digits of the key: the radix heap, two-level buckets and all between.
 *
 * Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37, 1990 (radix heap);
 * Denardo and Fox 1979, Cherkassky, Goldberg and Silverstein, "Buckets, heaps, lists and monotone priority queues",
 * SIAM J. Comput. 28, 1999 (multi-level buckets). Keys are those of key.h, so floats are sorted by their bits.
 *
 * With digits of b bits, a key whose highest digit that differs from the last key taken is digit i lies in level i, in
 * the bucket of that digit's value. A vertex leaves from level 0, where all keys of a bucket are equal. When that
 * level is empty, the first bucket of the lowest level that is not becomes the new ground: its least key is the last
 * key, and its vertices go to lower levels.
 *
 * Invariants
 *   M1 keys never fall below the last one taken (weights >= 0), so a vertex goes down at most once a level;
 *   M2 taking a bucket does not move keys of other levels: they differ from the new last key in the same digit;
 *   M3 a vertex is listed once in each bucket its label falls into; it is stale there once its label has left;
 *   M4 bit v of a level says whether bucket v has a list.
 * Cost: O(m + n levels) time and the buckets passed over; memory 4.2 bytes for a listed vertex (at most 2 n of them to
 * start with, doubled when they do not do) and 256 for a bucket in use, 4 bytes a bucket.
 */
#include "cpu/multilevel.h"

#include "cpu/bins.h"
#include "cpu/settle.h"

#define POLL_EVERY 4096u /* vertices settled between two looks at the cancel flag */
#define LEVELS 64u

typedef struct multilevel {
    nf__settle common;
    nf__pool pool;
    nf__stock stock;
    nf__list *lists;   /* levels << bits of them */
    uint64_t *words;   /* a bit for each list */
    uint64_t *summary; /* a bit for each word, one number a level */
    uint64_t levels;   /* a bit for each level with a list */
    unsigned bits, count;
    uint8_t level_of[64]; /* of the highest bit that differs */
    uint64_t last;
    nf__mem *mem;
} multilevel;

/* Sees to READY free chunks. */
static inline nf_status more_chunks(multilevel *q)
{
    nf_status st = NF_OK;
    while (q->stock.count < NF__READY && !nf__stock_ready(&q->pool, &q->stock))
        NF_TRY(nf__pool_grow(q->mem, &q->pool));
done:
    return st;
}

/* The list that a key belongs to. */
static inline uint32_t place(const multilevel *q, uint64_t key)
{
    const uint64_t differ = key ^ q->last;
    const unsigned level = differ != 0 ? q->level_of[63 - __builtin_clzll(differ)] : 0;
    return (uint32_t)(level << q->bits) | (uint32_t)((key >> (level * q->bits)) & ((UINT64_C(1) << q->bits) - 1));
}

static inline void put(multilevel *q, uint32_t at, nf_vid v)
{
    if (q->lists[at].head == NF__NO_CHUNK) {
        const uint32_t level = at >> q->bits, value = at - (level << q->bits);
        q->words[level * 64 + (value >> 6)] |= UINT64_C(1) << (value & 63);
        q->summary[level] |= UINT64_C(1) << (value >> 6);
        q->levels |= UINT64_C(1) << level;
    }
    nf__list_push(&q->pool, &q->stock, &q->lists[at], v);
}

/* The first list of the lowest level that has one; there is one. */
static inline uint32_t lowest(const multilevel *q)
{
    const uint32_t level = (uint32_t)__builtin_ctzll(q->levels);
    const uint32_t word = (uint32_t)__builtin_ctzll(q->summary[level]);
    return (level << q->bits) + word * 64 + (uint32_t)__builtin_ctzll(q->words[level * 64 + word]);
}

/* Takes the list's bit away. */
static inline void vacate(multilevel *q, uint32_t at)
{
    const uint32_t level = at >> q->bits, value = at - (level << q->bits), word = value >> 6;
    q->lists[at].head = NF__NO_CHUNK;
    q->words[level * 64 + word] &= ~(UINT64_C(1) << (value & 63));
    if (q->words[level * 64 + word] != 0)
        return;
    q->summary[level] &= ~(UINT64_C(1) << word);
    if (q->summary[level] == 0)
        q->levels &= ~(UINT64_C(1) << level);
}

#define QUEUE multilevel
#define PUSH(q, d, v, key, old) KNAME(push)(q, v, key, old)

#include "cpu/kind_i32.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_i64.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_f32.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_f64.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

static void reset(multilevel *q)
{
    for (uint64_t i = 0; i < (uint64_t)q->count << q->bits; i++)
        q->lists[i].head = NF__NO_CHUNK;
    memset(q->words, 0, (size_t)LEVELS * 64 * sizeof *q->words);
    memset(q->summary, 0, LEVELS * sizeof *q->summary);
    q->levels = q->last = 0;
    q->stock = (nf__stock){NF__NO_CHUNK, 0};
    q->pool.used = 0;
}

#define DEFINE_KIND(kind, small)                                       \
    static nf_status run_##kind(nf__run *run, nf__row *row, bool *hot) \
    {                                                                  \
        multilevel *q = run->scratch;                                  \
        nf__scale scale;                                               \
        nf__scale_make(run, small, 1, &scale);                         \
        reset(q);                                                      \
        return settle_##kind(q, run, row, &scale, hot);                \
    }
DEFINE_KIND(k32, true)
DEFINE_KIND(k64, false)
DEFINE_KIND(f32, false)
DEFINE_KIND(f64, false)

nf_status nf__multilevel_row(nf__run *run, nf__row *row)
{
    static const nf__settle_kind kinds[4] = {run_k32, run_k64, run_f32, run_f64};
    multilevel *q = run->scratch;
    return nf__settle_row(run, row, &q->common, kinds);
}

nf_status nf__multilevel_begin(nf__run *run, unsigned bits)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    multilevel *q = NULL;
    NF_TRY_ALLOC(q, nf__zalloc(mem, 1, sizeof *q));
    run->scratch = q;
    q->mem = mem;
    q->bits = bits;
    q->count = 63 / bits + 1;
    for (unsigned i = 0; i < 64; i++)
        q->level_of[i] = (uint8_t)(i / bits);
    NF_TRY(nf__pool_create(mem, 2 * (uint64_t)run->csr.n, 1, &q->pool));
    NF_TRY_ALLOC(q->lists, nf__alloc(mem, (uint64_t)q->count << bits, sizeof *q->lists));
    NF_TRY_ALLOC(q->words, nf__alloc(mem, LEVELS * 64, sizeof *q->words));
    NF_TRY_ALLOC(q->summary, nf__alloc(mem, LEVELS, sizeof *q->summary));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &q->common.tight));
done:
    return st;
}

void nf__multilevel_end(nf__run *run)
{
    multilevel *q = run->scratch;
    if (q == NULL)
        return;
    nf__pool_free(&q->pool);
    nf__free(q->lists);
    nf__free(q->words);
    nf__free(q->summary);
    nf__tight_free(&q->common.tight);
    nf__free(q);
    run->scratch = NULL;
}
