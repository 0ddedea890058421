/* sort.c - parallel stable counting sort of arcs by source.
 *
 * Two levels, so that counters stay in cache and memory does not grow with threads times vertices:
 *   1. each thread counts its stretch of arcs per bucket of 2^shift sources; a prefix sum over (bucket, thread) gives
 *      every thread its own place in every bucket; arcs are copied there in order;
 *   2. each bucket is counting-sorted by source on its own, straight into the final arrays.
 * Invariants
 *   C1 stretches are contiguous and ascending in thread number, so level 1 is stable; level 2 goes through a bucket in
 *      order, so the whole is stable and the same at any number of threads;
 *   C2 bucket b owns the offsets of its sources alone: threads share no counter.
 * Cost: O(n + m) time, 8 bytes + weight per arc of extra memory while it runs, buckets * threads counters.
 */
#include "graph/sort.h"

#include <assert.h>
#include <omp.h>

#define MOST_BUCKETS 1024u /* the level-1 write heads of one thread fit in L2 */
#define MOST_SORTERS 256   /* threads beyond this would only add counters */

typedef struct sorter {
    const nf__arc_source *from;
    int threads;
    unsigned shift, buckets;
    size_t wsize;
    uint64_t *heads;   /* threads * buckets: counts, then places */
    uint64_t *starts;  /* buckets + 1 */
    uint64_t *cursors; /* threads << shift */
    nf_vid *src, *dst; /* level 1's output */
    char *w;
} sorter;

static bool is_infinite(const nf__arc_source *f, nf_eid e)
{
    return f->weight_type == NF_F32 ? isinf(((const float *)f->w)[e]) : isinf(((const double *)f->w)[e]);
}

/* Copies weight e to place `to`, with -0.0 made 0.0 (G2). */
static inline void copy_weight(const sorter *s, nf_eid e, uint64_t to)
{
    const nf__arc_source *f = s->from;
    switch (f->weight_type) {
    case NF_NONE: break;
    case NF_F32: ((float *)(void *)s->w)[to] = ((const float *)f->w)[e] + 0.0f; break; /* -0.0 + 0.0 = 0.0 */
    case NF_F64: ((double *)(void *)s->w)[to] = ((const double *)f->w)[e] + 0.0; break;
    default: ((uint32_t *)(void *)s->w)[to] = ((const uint32_t *)f->w)[e]; break;
    }
}

static inline void put(const sorter *s, uint64_t *head, nf_vid u, nf_vid v, nf_eid e)
{
    const uint64_t at = head[u >> s->shift]++;
    s->src[at] = u;
    s->dst[at] = v;
    copy_weight(s, e, at);
}

/* One stretch of arcs: counts them per bucket (write = false), or copies them to their places. */
static void walk_stretch(const sorter *s, int t, bool write)
{
    const nf__arc_source *f = s->from;
    uint64_t *head = s->heads + (size_t)t * s->buckets;
    const nf_eid begin = f->m / (nf_eid)s->threads * (nf_eid)t,
                 end = t + 1 == s->threads ? f->m : f->m / (nf_eid)s->threads * (nf_eid)(t + 1);
    nf_vid row = f->src == NULL && begin < end ? nf__row_of(f->csr, begin) : 0;
    for (nf_eid e = begin; e < end; e++) {
        if (f->src == NULL)
            while (nf__off(f->csr, row + 1) <= e)
                row++;
        nf_vid u = f->src != NULL ? f->src[e] : row, v = f->dst[e];
        if ((f->drop_loops && u == v) || (f->drop_infinite && is_infinite(f, e)))
            continue;
        if (f->reverse) {
            const nf_vid x = u;
            u = v;
            v = x;
        }
        const bool twice = f->both && u != v;
        if (write) {
            put(s, head, u, v, e);
            if (twice)
                put(s, head, v, u, e);
        } else {
            head[u >> s->shift]++;
            if (twice)
                head[v >> s->shift]++;
        }
    }
}

/* Counts to places, in (bucket, thread) order; the total is returned. */
static uint64_t place_heads(sorter *s)
{
    uint64_t sum = 0;
    for (unsigned b = 0; b < s->buckets; b++) {
        s->starts[b] = sum;
        for (int t = 0; t < s->threads; t++) {
            uint64_t *h = &s->heads[(size_t)t * s->buckets + b];
            const uint64_t count = *h;
            *h = sum;
            sum += count;
        }
    }
    s->starts[s->buckets] = sum;
    return sum;
}

static inline void set_off(const nf__storage *out, nf_vid v, uint64_t x)
{
    if (out->off32 != NULL)
        out->off32[v] = (uint32_t)x;
    else
        out->off64[v] = x;
}

/* Level 2 for one bucket: counts per source, offsets, then the arcs to their final places. */
static void sort_bucket(const sorter *s, unsigned b, uint64_t *cursor, const nf__storage *out)
{
    const nf_vid first = (nf_vid)b << s->shift;
    const uint64_t past = ((uint64_t)b + 1) << s->shift;
    const nf_vid count = (nf_vid)((past < s->from->n ? past : s->from->n) - first);
    const uint64_t begin = s->starts[b], end = s->starts[b + 1];
    memset(cursor, 0, (size_t)count * sizeof *cursor);
    for (uint64_t i = begin; i < end; i++)
        cursor[s->src[i] - first]++;
    uint64_t sum = begin;
    for (nf_vid k = 0; k < count; k++) {
        const uint64_t degree = cursor[k];
        cursor[k] = sum;
        sum += degree;
        set_off(out, first + k + 1, sum);
    }
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t to = cursor[s->src[i] - first]++;
        out->adj[to] = s->dst[i];
        if (s->wsize == 4)
            ((uint32_t *)out->w)[to] = ((const uint32_t *)(const void *)s->w)[i];
        else if (s->wsize == 8)
            ((uint64_t *)out->w)[to] = ((const uint64_t *)(const void *)s->w)[i];
    }
}

static nf_status prepare(nf_context *ctx, sorter *s)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    const nf_vid n = s->from->n;
    s->threads = nf__threads_for(ctx, s->from->m);
    s->threads = s->threads < MOST_SORTERS ? s->threads : MOST_SORTERS;
    while (((uint64_t)n >> s->shift) >= MOST_BUCKETS)
        s->shift++;
    s->buckets = (unsigned)(((uint64_t)n + (UINT64_C(1) << s->shift) - 1) >> s->shift);
    s->wsize = nf_type_size(s->from->weight_type);
    NF_TRY_ALLOC(s->heads, nf__zalloc(mem, (uint64_t)s->threads * s->buckets, sizeof *s->heads));
    NF_TRY_ALLOC(s->starts, nf__alloc(mem, (uint64_t)s->buckets + 1, sizeof *s->starts));
    NF_TRY_ALLOC(s->cursors, nf__alloc(mem, (uint64_t)s->threads << s->shift, sizeof *s->cursors));
done:
    return st;
}

static nf_status make_room(nf_context *ctx, sorter *s, uint64_t kept)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    NF_TRY_ALLOC(s->src, nf__alloc(mem, kept, sizeof(nf_vid)));
    NF_TRY_ALLOC(s->dst, nf__alloc(mem, kept, sizeof(nf_vid)));
    if (s->wsize != 0)
        NF_TRY_ALLOC(s->w, nf__alloc(mem, kept, s->wsize));
done:
    return st;
}

static nf_status make_storage(nf_context *ctx, const sorter *s, uint64_t kept, nf__storage *out)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    const uint64_t offsets = (uint64_t)s->from->n + 1;
    if (kept <= UINT32_MAX)
        NF_TRY_ALLOC(out->off32, nf__alloc(mem, offsets, sizeof(uint32_t)));
    else
        NF_TRY_ALLOC(out->off64, nf__alloc(mem, offsets, sizeof(uint64_t)));
    NF_TRY_ALLOC(out->adj, nf__alloc(mem, kept, sizeof(nf_vid)));
    if (s->wsize != 0)
        NF_TRY_ALLOC(out->w, nf__alloc(mem, kept, s->wsize));
    set_off(out, 0, 0);
done:
    return st;
}

static void walk_all(const sorter *s, bool write)
{
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
    for (int t = 0; t < s->threads; t++)
        walk_stretch(s, t, write);
}

static void sort_buckets(const sorter *s, const nf__storage *out)
{
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1)
    for (unsigned b = 0; b < s->buckets; b++)
        sort_bucket(s, b, s->cursors + ((size_t)omp_get_thread_num() << s->shift), out);
}

nf_status nf__sort_arcs(nf_context *ctx, const nf__arc_source *from, nf__arcs *consumed, nf__storage *out, nf_eid *m)
{
    nf_status st = NF_OK;
    sorter s = {.from = from};
    nf__storage made = {NULL, NULL, NULL, NULL};
    NF_TRY(prepare(ctx, &s));
    NF_TRY(nf__progress(ctx, "sorting arcs", 0, 3));
    walk_all(&s, false);
    const uint64_t kept = place_heads(&s);
    NF_TRY(nf__progress(ctx, "sorting arcs", 1, 3));
    NF_TRY(make_room(ctx, &s, kept));
    walk_all(&s, true);
    if (consumed != NULL)
        nf__arcs_free(consumed);
    NF_TRY(nf__progress(ctx, "sorting arcs", 2, 3));
    NF_TRY(make_storage(ctx, &s, kept, &made));
    sort_buckets(&s, &made);
    *m = kept;
    *out = made;
    memset(&made, 0, sizeof made);
done:
    nf__free(s.heads);
    nf__free(s.starts);
    nf__free(s.cursors);
    nf__free(s.src);
    nf__free(s.dst);
    nf__free(s.w);
    nf__storage_free(&made);
    return st;
}

nf_csr nf__storage_view(const nf__storage *s, nf_vid n, nf_eid m, nf_type weight_type)
{
    return (nf_csr){n, m, s->off32, s->off64, s->adj, weight_type, s->w};
}
