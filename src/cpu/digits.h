/* digits.h - a monotone queue of buckets by digits of the key: the radix heap, two-level buckets and all between.
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
 *   M4 bit v of a level says whether bucket v has a list;
 *   M5 when the pool is used up, stale entries are dropped: what is left lists each vertex once, in at most a chunk for
 *      62 vertices and one for each bucket in use. Only if that leaves little free does the pool grow.
 * Cost: O(m + n levels) time and the buckets passed over; memory 4.2 bytes for a listed vertex and 256 for a bucket in
 * use, 4 bytes a bucket, 66 KB of chunks (a lean queue: 4 KB, and it grows by a quarter) and 512 bytes a level. Push
 * and pop are in digits_body.h, for each kind of key.
 */
#ifndef NF_CPU_DIGITS_H
#define NF_CPU_DIGITS_H

#include "core/backend.h"
#include "cpu/bins.h"

#define NF__DIGIT_MOST 12u /* bits of a digit: 64 words of bits and one over them */
#define NF__DIGIT_READY 8u /* chunks taken from the pool at a time */

typedef struct nf__digits {
    nf__pool pool;
    nf__stock stock;
    nf__list *lists;   /* levels << bits of them */
    uint64_t *words;   /* a bit for each list */
    uint64_t *summary; /* a bit for each word, one number a level */
    uint64_t levels;   /* a bit for each level with a list */
    unsigned bits, count;
    uint8_t level_of[64]; /* of the highest bit that differs */
    uint64_t last;
    uint64_t base; /* chunks beyond those for vertices */
    uint64_t most; /* chunks that are enough whatever comes (M5); 0: not known */
    nf__mem *mem;
} nf__digits;

/* Makes a queue of zeros, or one made before, ready for keys of `key_bits` bits in digits of `bits` bits and, to begin
 * with, about `vertices` listed vertices (it grows; where that is twice the graph's vertices, once at most); 0: a lean
 * one. To be freed even if it fails. */
nf_status nf__digits_open(nf__mem *mem, unsigned key_bits, unsigned bits, uint64_t vertices, nf__digits *q);
/* Empties it. */
void nf__digits_reset(nf__digits *q);
void nf__digits_free(nf__digits *q);

/* The width with which two digits hold the largest weight; a float's labels span as many keys as a digit can hold. */
unsigned nf__digits_width(const nf__run *run);

/* After stale entries were dropped: grows if few chunks are free (M5); in the midst of a spread, whose chunks are in no
 * list, only if fewer than READY are. */
nf_status nf__digits_room(nf__digits *q, bool spreads);

/* The list that a key belongs to. */
static inline uint32_t nf__digits_place(const nf__digits *q, uint64_t key)
{
    const uint64_t differ = key ^ q->last;
    const unsigned level = differ != 0 ? q->level_of[63 - __builtin_clzll(differ)] : 0;
    return (uint32_t)(level << q->bits) | (uint32_t)((key >> (level * q->bits)) & ((UINT64_C(1) << q->bits) - 1));
}

static inline void nf__digits_put(nf__digits *q, uint32_t at, nf_vid v)
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
static inline uint32_t nf__digits_lowest(const nf__digits *q)
{
    const uint32_t level = (uint32_t)__builtin_ctzll(q->levels);
    const uint32_t word = (uint32_t)__builtin_ctzll(q->summary[level]);
    return (level << q->bits) + word * 64 + (uint32_t)__builtin_ctzll(q->words[level * 64 + word]);
}

/* Takes the list's bit away. */
static inline void nf__digits_vacate(nf__digits *q, uint32_t at)
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

#endif
