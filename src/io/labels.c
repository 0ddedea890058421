/* labels.c - from the ids of an edge list, sparse or not, to vertices 0 .. n-1 in ascending order of id.
 *
 * Method: ids that are dense enough are marked in a bitmap, and a vertex is the number of marks before its own. Other
 * ids are sorted (least significant digit first, all threads), made unique, and looked up through a table over their
 * leading bits.
 *
 * Invariants
 *   L1 labels ascend strictly and are exactly the ids that occur;
 *   L2 memory is bounded by the number of arcs: a bitmap takes at most 24 bytes an arc, sorting 32.
 * Cost: O(m / threads) for the bitmap, O(m bytes-of-an-id / threads) for sorting.
 */
#include "io/text.h"

#include <omp.h>

#define WORDS_FREE 16384 /* a bitmap of that many words is always fine */
#define WORDS_AN_ARC 2
#define RADIX 256

static nf_status check_count(const nf__input *in, uint64_t n)
{
    if (n < NF_NO_VERTEX)
        return NF_OK;
    return nf__fail(NF_EFORMAT, "%s: the list names %llu vertices; expected at most %llu", in->name,
                    (unsigned long long)n, (unsigned long long)NF_NO_VERTEX - 1);
}

/* ---- bitmap ------------------------------------------------------------------------------------------------------ */

typedef struct bitmap {
    uint64_t *bits;
    nf_vid *rank; /* marks before the word */
    uint64_t words;
    int threads;
} bitmap;

static void mark(const bitmap *b, const nf_vid *ids, uint64_t m)
{
#pragma omp parallel for num_threads(b->threads) schedule(static) if (m >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < m; i++) {
        uint64_t *word = &b->bits[ids[i] >> 6], bit = UINT64_C(1) << (ids[i] & 63);
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0)
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

static uint64_t rank_words(const bitmap *b)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < b->words; i++) {
        b->rank[i] = (nf_vid)n;
        n += (uint64_t)__builtin_popcountll(b->bits[i]);
    }
    return n;
}

static void list_marks(const bitmap *b, uint64_t *labels)
{
#pragma omp parallel for num_threads(b->threads) schedule(static) if (b->words >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < b->words; i++) {
        uint64_t at = b->rank[i];
        for (uint64_t bits = b->bits[i]; bits != 0; bits &= bits - 1)
            labels[at++] = i * 64 + (uint64_t)__builtin_ctzll(bits);
    }
}

static void replace_by_rank(const bitmap *b, nf_vid *ids, uint64_t m)
{
#pragma omp parallel for num_threads(b->threads) schedule(static) if (m >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < m; i++) {
        uint64_t before = (UINT64_C(1) << (ids[i] & 63)) - 1;
        uint64_t word = ids[i] >> 6;
        ids[i] = b->rank[word] + (nf_vid)__builtin_popcountll(b->bits[word] & before);
    }
}

static nf_status compact_by_bitmap(nf_context *ctx, const nf__input *in, nf__pairs *q, nf_vid *n, uint64_t **labels)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    bitmap b = {NULL, NULL, q->max_id / 64 + 1, nf__context_threads(ctx)};
    NF_TRY_ALLOC(b.bits, nf__zalloc(mem, b.words, sizeof *b.bits));
    NF_TRY_ALLOC(b.rank, nf__alloc(mem, b.words, sizeof *b.rank));
    mark(&b, q->src, q->m);
    mark(&b, q->dst, q->m);
    NF_TRY(nf__poll(ctx));
    uint64_t count = rank_words(&b);
    NF_TRY(check_count(in, count));
    NF_TRY_ALLOC(*labels, nf__alloc(mem, count, sizeof **labels));
    list_marks(&b, *labels);
    NF_TRY(nf__poll(ctx));
    if (count != q->max_id + 1) {
        replace_by_rank(&b, q->src, q->m);
        replace_by_rank(&b, q->dst, q->m);
    }
    *n = (nf_vid)count;
done:
    nf__free(b.bits);
    nf__free(b.rank);
    return st;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

/* One pass over the digit at `shift`; starts has RADIX numbers a thread. */
static void sort_digit(const uint64_t *from, uint64_t *to, uint64_t count, int shift, int threads, uint64_t *starts)
{
#pragma omp parallel num_threads(threads) if (count >= NF__PARALLEL_LEAST)
    {
        uint64_t team = (uint64_t)omp_get_num_threads(), me = (uint64_t)omp_get_thread_num();
        uint64_t begin = count / team * me, end = me + 1 == team ? count : count / team * (me + 1);
        uint64_t *mine = starts + me * RADIX;
        memset(mine, 0, RADIX * sizeof *mine);
        for (uint64_t i = begin; i < end; i++)
            mine[(from[i] >> shift) & (RADIX - 1)]++;
#pragma omp barrier
#pragma omp single
        {
            uint64_t sum = 0;
            for (uint64_t d = 0; d < RADIX; d++)
                for (uint64_t t = 0; t < team; t++) {
                    uint64_t here = starts[t * RADIX + d];
                    starts[t * RADIX + d] = sum;
                    sum += here;
                }
        }
        for (uint64_t i = begin; i < end; i++)
            to[mine[(from[i] >> shift) & (RADIX - 1)]++] = from[i];
    }
}

/* Sorts `keys` with the help of `spare`; which of the two holds the result is returned. */
static nf_status sort_keys(nf_context *ctx, uint64_t **keys, uint64_t **spare, uint64_t count, uint64_t max)
{
    nf_status st = NF_OK;
    int threads = nf__context_threads(ctx);
    uint64_t *starts = NULL;
    NF_TRY_ALLOC(starts, nf__alloc(nf__context_mem(ctx), (uint64_t)threads * RADIX, sizeof *starts));
    for (int shift = 0; shift < 64 && max >> shift != 0; shift += 8) {
        sort_digit(*keys, *spare, count, shift, threads, starts);
        uint64_t *swap = *keys;
        *keys = *spare;
        *spare = swap;
        NF_TRY(nf__progress(ctx, "sort ids", (uint64_t)shift + 8, 64));
    }
done:
    nf__free(starts);
    return st;
}

static uint64_t unique(uint64_t *keys, uint64_t count)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[n - 1])
            keys[n++] = keys[i];
    return n;
}

/* The labels, and for each value of their leading bits the first label with it. */
typedef struct directory {
    const uint64_t *labels;
    nf_vid *first; /* buckets + 1 */
    uint64_t buckets;
    int shift;
} directory;

static void fill_directory(directory *d, nf_vid n)
{
    nf_vid at = 0;
    for (uint64_t b = 0; b < d->buckets; b++) {
        d->first[b] = at;
        while (at < n && d->labels[at] >> d->shift == b)
            at++;
    }
    d->first[d->buckets] = n;
}

static nf_vid look_up(const directory *d, uint64_t id)
{
    uint64_t b = id >> d->shift;
    nf_vid low = d->first[b], high = d->first[b + 1];
    while (high - low > 1) {
        nf_vid middle = low + (high - low) / 2;
        if (d->labels[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void replace_by_label(const directory *d, const uint64_t *wide, nf_vid *ids, uint64_t m, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (m >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < m; i++)
        ids[i] = look_up(d, wide != NULL ? wide[i] : ids[i]);
}

static void gather(const nf__pairs *q, uint64_t *keys, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (q->m >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < q->m; i++) {
        keys[i] = q->wide_src != NULL ? q->wide_src[i] : q->src[i];
        keys[q->m + i] = q->wide_dst != NULL ? q->wide_dst[i] : q->dst[i];
    }
}

/* The sorted list of ids that occur. */
static nf_status list_ids(nf_context *ctx, const nf__input *in, const nf__pairs *q, nf_vid *n, uint64_t **labels)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    uint64_t *keys = NULL, *spare = NULL;
    NF_TRY_ALLOC(keys, nf__alloc(mem, 2 * q->m, sizeof *keys));
    NF_TRY_ALLOC(spare, nf__alloc(mem, 2 * q->m, sizeof *spare));
    gather(q, keys, nf__context_threads(ctx));
    NF_TRY(sort_keys(ctx, &keys, &spare, 2 * q->m, q->max_id));
    uint64_t count = unique(keys, 2 * q->m);
    NF_TRY(check_count(in, count));
    NF_TRY_ALLOC(*labels, nf__alloc(mem, count, sizeof **labels));
    memcpy(*labels, keys, count * sizeof *keys);
    *n = (nf_vid)count;
done:
    nf__free(keys);
    nf__free(spare);
    return st;
}

static nf_status compact_by_sorting(nf_context *ctx, const nf__input *in, nf__pairs *q, nf_vid *n, uint64_t **labels)
{
    nf_status st = NF_OK;
    int threads = nf__context_threads(ctx);
    nf__mem *mem = nf__context_mem(ctx);
    directory d = {NULL, NULL, 0, 0};
    NF_TRY(list_ids(ctx, in, q, n, labels));
    while (q->max_id >> d.shift > *n)
        d.shift++;
    d.labels = *labels;
    d.buckets = (q->max_id >> d.shift) + 1;
    NF_TRY_ALLOC(d.first, nf__alloc(mem, d.buckets + 1, sizeof *d.first));
    fill_directory(&d, *n);
    if (q->src == NULL) {
        NF_TRY_ALLOC(q->src, nf__alloc(mem, q->m, sizeof *q->src));
        NF_TRY_ALLOC(q->dst, nf__alloc(mem, q->m, sizeof *q->dst));
    }
    replace_by_label(&d, q->wide_src, q->src, q->m, threads);
    replace_by_label(&d, q->wide_dst, q->dst, q->m, threads);
    nf__free(q->wide_src);
    nf__free(q->wide_dst);
    q->wide_src = q->wide_dst = NULL;
done:
    nf__free(d.first);
    return st;
}

nf_status nf__labels_compact(nf_context *ctx, const nf__input *in, nf__pairs *q, nf_vid *n, uint64_t **labels)
{
    nf_status st = NF_OK;
    *n = 0;
    *labels = NULL;
    if (q->wide_src == NULL && q->max_id / 64 <= WORDS_FREE + WORDS_AN_ARC * q->m)
        st = compact_by_bitmap(ctx, in, q, n, labels);
    else
        st = compact_by_sorting(ctx, in, q, n, labels);
    if (st != NF_OK) {
        nf__free(*labels);
        *labels = NULL;
    }
    return st;
}
