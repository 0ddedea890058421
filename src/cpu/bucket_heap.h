/* bucket_heap.h - a priority queue of (priority, value) that works in batches and resolves its levels in parallel.
 *
 * The parallel bucket heap of Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for
 * GPU architectures"; below it the bucket heap of Brodal, Fagerberg, Meyer and Zeh 2004. Method, invariants and cost
 * are in bucket_heap.c. Values are vertices 0 .. values - 1, each in the heap at most once. The order is that of
 * (priority, value), so it has no ties and every answer is determined by the operations alone, however many threads
 * resolve.
 *
 * A heap belongs to one thread at a time. Functions that return a status can fail only for want of memory, and then
 * leave the heap as it was.
 */
#ifndef NF_CPU_BUCKET_HEAP_H
#define NF_CPU_BUCKET_HEAP_H

#include "core/base.h"

#define NF__HEAP_LEVELS 18u     /* 2 d 4^i passes 2^32 before this */
#define NF__HEAP_BATCH 1048576u /* the largest d */

typedef struct nf__bucket_heap nf__bucket_heap;

typedef struct nf__heap_item {
    uint64_t priority;
    nf_vid value;
    uint32_t kind; /* inside the heap only; callers need not set it */
} nf__heap_item;

typedef struct nf__heap_counters {
    uint64_t updates, deletes, extracts; /* items */
    uint64_t resolves[NF__HEAP_LEVELS];  /* Resolve(i) run so far */
    uint64_t moved;                      /* items read by resolves */
    uint64_t overlaps;  /* times a Resolve(i) began while Resolve(i - 2) or Resolve(i + 2) was under way */
    uint64_t conflicts; /* the same for neighbours: always 0 */
    unsigned levels;
} nf__heap_counters;

/* An empty heap for values below `values`, with batches of d (1 .. NF__HEAP_BATCH). */
nf_status nf__bucket_heap_create(nf__mem *mem, nf_vid values, uint32_t d, nf__bucket_heap **out);
void nf__bucket_heap_free(nf__bucket_heap *h);
/* Empty again, counters at 0; memory is kept. */
void nf__bucket_heap_clear(nf__bucket_heap *h);
/* Room for every value, so that nothing fails later. */
nf_status nf__bucket_heap_reserve(nf__bucket_heap *h);

/* Puts a value in with this priority, or lowers its priority to this; a higher one changes nothing. */
nf_status nf__bucket_heap_update(nf__bucket_heap *h, uint64_t priority, nf_vid value);
/* Takes a value out; nothing happens if it is not there. */
nf_status nf__bucket_heap_delete(nf__bucket_heap *h, nf_vid value);
/* Any number of updates, in their order; a value may occur more than once. */
nf_status nf__bucket_heap_bulk_update(nf__bucket_heap *h, const nf__heap_item *items, uint64_t count);
/* Takes out the least `count` items (at most d are taken), ascending; how many were there. */
uint32_t nf__bucket_heap_extract_min(nf__bucket_heap *h, nf__heap_item *items, uint32_t count);

uint64_t nf__bucket_heap_size(const nf__bucket_heap *h);
bool nf__bucket_heap_empty(const nf__bucket_heap *h);
nf__heap_counters nf__bucket_heap_counters(const nf__bucket_heap *h);

/* Runs work(arg) in the calling thread while threads - 1 others resolve levels below the first; meanwhile the heap must
 * be reserved. What the operations give does not depend on it. */
void nf__bucket_heap_team(nf__bucket_heap *h, int threads, void (*work)(void *arg), void *arg);

/* Called at the begin and the end of every Resolve(level), by the thread that runs it; for tests. */
typedef void (*nf__heap_trace)(void *arg, unsigned level, bool begin);
void nf__bucket_heap_trace(nf__bucket_heap *h, nf__heap_trace trace, void *arg);

/* Every invariant, outside a team: NF_OK, NF_EINTERNAL with a text that names the one that is broken, NF_ENOMEM.
 * O(n). */
nf_status nf__bucket_heap_check(const nf__bucket_heap *h);

/* ---- priorities of any type -------------------------------------------------------------------------------------- */

/* 64-bit priorities in the order of the numbers, and back. 32-bit types go through their 64-bit ones. No NaN. */
static inline uint64_t nf__heap_key_i64(int64_t x)
{
    return (uint64_t)x ^ (UINT64_C(1) << 63);
}

static inline int64_t nf__heap_i64_of(uint64_t key)
{
    return (int64_t)(key ^ (UINT64_C(1) << 63));
}

static inline uint64_t nf__heap_key_f64(double x)
{
    uint64_t bits;
    x += 0.0; /* -0.0 is 0.0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 != 0 ? ~bits : bits | (UINT64_C(1) << 63);
}

static inline double nf__heap_f64_of(uint64_t key)
{
    const uint64_t bits = key >> 63 != 0 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
