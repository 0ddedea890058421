/* sssp_bucket_heap.cu - Dijkstra's algorithm over the parallel bucket heap (`bucket-heap`, catalogue S10), one
 * persistent launch a row.
 *
 * PARDIJKSTRA of Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU
 * architectures", section 4. The first block does the steps: each extracts all vertices of the least label, relaxes
 * their arcs, a tile of PER_THREAD arcs a thread at a time, and hands the labels that fell to the heap as a bulk
 * update. The other blocks resolve the heap's lower levels meanwhile (bucket_heap.cuh). Nothing leaves the device
 * before the row is done. Labels are the keys of step_relax.cuh, start at infinity, and lie in the heap's array of
 * keys; parents come from final labels (sssp.cuh).
 * Invariants, beside the heap's
 *   P1 between steps the heap holds exactly the vertices that wait, each with its label; what was extracted never comes
 *      back, for labels that fall are never below the last extracted key (weights are not negative);
 *   P2 a label falls when the heap takes the update. A tile whose targets ascend has none twice, and each label is
 *      written by one thread; in another, all lower it by atomic minimum, and of those whose sum it then is one claims
 *      the vertex. Tiles longer than a batch are sorted and taken in parts;
 *   P3 integers are summed in 32 bits first; a key that not every weight can be added to ends the row, and it is done
 *      again in 64 bits;
 *   P4 with targets the steps go on through labels equal to the farthest of them.
 * Cost: O((n + m) log(n / d)) work, O(steps (1 + log d)) time; memory that of the heap and results. A step that
 * extracts one vertex of at most 4,096 ascending arcs, with no RESOLVE(0), is by count of 512 threads: 8 barriers of
 * the block and no scan over it; 3 trips to memory that wait for each other (offsets; arcs; labels and words of their
 * targets together); two passes over B_0 (8 loads of shared memory a thread at most) and a minimum over the block; 8
 * bytes read of an arc and 4 of its target, in sectors of 32, and 4 written where the label falls; 4 more read and 4 to
 * 8 written for a target that is not quiet (bucket_top.cuh). Steps go from one to the next without a call (step_alone).
 */
#include "gpu/algorithms.h"
#include "gpu/bucket_heap.h"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

/* A batch is the power of two from BATCH_DEGREES times the mean degree up: 2 d values can wait before a RESOLVE(0), so
 * the larger d is, the rarer are resolves and the more updates of one value become one; but the levels below are longer
 * then. Bounds by counting: 4,096 are what the largest block relaxes at once; 32,768 sort and merge in about 0.2 ms.
 * On an H200 a step of seed 003's graph takes 8.3 us so; others have not been measured. */
#define BATCH_DEGREES 8.0
#define BATCH_LEAST 4096u
#define BATCH_MOST 32768u
#define BATCH_LARGEST 65536u /* that may be asked for */
#define LISTEN_STEPS 16u     /* between looks at the clock */

/* What a row did. */
typedef struct tally {
    uint64_t steps, settled, arcs;
    uint64_t claimed, pauses; /* tiles whose targets did not ascend; times that step_alone did not go on */
    uint32_t flags, stop;     /* FLAG_*, STOP_* */
    uint32_t most;            /* vertices of one step */
} tally;

/* A row's data. */
template <class K> struct journey {
    device_csr g;
    arena<uint32_t> a; /* of it, the arcs' arrays */
    const K *label;    /* the heap's keys */
    scale<K> s;
    K bound; /* keys above are not worth a place */
    const uint32_t *sources, *targets;
    uint64_t source_count, target_count;
    items<K> x, front; /* scratch: updates; what was extracted */
    bool top_shared;
    uint32_t quiet;
    control *shared;
    tally *out;
};

/* The first block's shared memory for the steps. */
template <class K> struct steps_room {
    word64 first[HEAP_THREADS]; /* of each vertex that is relaxed: its first arc, */
    word64 place[HEAP_THREADS]; /* and where its arcs begin among those of all */
    K bound;
    uint64_t target, heard;
    tally t;
};

/* ---- relaxing ---------------------------------------------------------------------------------------------------- */

/* Lays the arcs of at most blockDim.x extracted vertices side by side; how many. */
template <class K>
static __device__ word64 lay_arcs(bench<K> &w, const journey<K> &q, steps_room<K> *r, uint32_t from, uint32_t count)
{
    word64 begin = 0, end = 0, total;
    __syncthreads();
    if (threadIdx.x < count) {
        const uint32_t u = value_of(q.front.v[from + threadIdx.x]);
        begin = csr_offset(q.g, u);
        end = csr_offset(q.g, u + 1);
    }
    const word64 sum = block_scan(end - begin, w.room->wide, &total);
    if (threadIdx.x < count) {
        r->first[threadIdx.x] = begin;
        r->place[threadIdx.x] = sum;
    }
    __syncthreads();
    return total;
}

/* Arcs of one vertex, or of several laid out side by side. */
typedef struct stretch {
    word64 first; /* of one */
    uint32_t count;
} stretch;

/* Where the at-th of them lies. */
template <class K>
static __device__ __forceinline__ word64 find_arc(const steps_room<K> *r, const stretch &a, word64 at)
{
    if (a.count == 1)
        return a.first + at;
    const uint32_t u = search_sorted(r->place, a.count, at);
    return r->first[u] + (at - r->place[u]);
}

/* Loads the thread's arcs of a tile, every blockDim.x-th: targets, and the sums of `key` and their weights. Which of
 * the sums are distances within the bound? */
template <class K>
static __device__ __forceinline__ unsigned load_tile(const journey<K> &q, const steps_room<K> *r, const stretch &a,
                                                     word64 base, uint32_t now, K key, K (&sum)[PER_THREAD],
                                                     uint32_t (&v)[PER_THREAD], unsigned *flags)
{
    unsigned good = 0;
    uint2 both[PER_THREAD];
    const bool paired = q.s.weights != WEIGHT_ONE && q.s.weights != WEIGHT_F64;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++) /* all at once: a trip to memory for the tile */
        if (paired && k * blockDim.x + threadIdx.x < now)
            both[k] = __ldg(&q.a.arc[find_arc(r, a, base + k * blockDim.x + threadIdx.x)]);
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++) {
        const uint32_t at = k * blockDim.x + threadIdx.x;
        arc_data c = {};
        v[k] = 0;
        sum[k] = q.s.infinity;
        if (at >= now)
            continue;
        if (paired) {
            c.v = both[k].x;
            c.w = both[k].y;
        } else
            load_weighted(q.s, q.a, find_arc(r, a, base + at), &c);
        const int how = add_weight(q.s, key, c.w, &sum[k]);
        *flags |= how == SUM_INFINITE ? (unsigned)FLAG_INFINITE : 0u;
        good |= how == SUM_OK && sum[k] <= r->bound ? 1u << k : 0u;
        v[k] = c.v;
    }
    return good;
}

/* Hands a tile's labels that fell to the heap through q.x: it sorts them, and takes them in parts. */
template <class K>
static __device__ __forceinline__ void hand_over(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q,
                                                 const K (&sum)[PER_THREAD], const uint32_t (&v)[PER_THREAD],
                                                 unsigned fell)
{
    unsigned all;
    uint32_t to = block_scan((unsigned)__popc(fell), w.room->scan, &all);
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((fell >> k & 1u) != 0) {
            q.x.p[to] = sum[k];
            q.x.v[to++] = v[k] << 2;
        }
    __syncthreads();
    if (all > 0)
        heap_change(w, h, b, q.x, all, false);
}

/* A tile of arcs as the threads have looked at it. */
template <class K> struct looked {
    K sum[PER_THREAD];
    uint32_t v[PER_THREAD], word[PER_THREAD]; /* target; its word, but where it is quiet */
    unsigned fell;                            /* which sums are less than the label */
    unsigned quiet;                           /* which fall beyond the bound, to a value that is quiet (A4) */
    bool once;                                /* no target comes twice, as far as their order tells */
};

/* Looks at a tile of the arcs, `now` from `base` on. */
template <class K>
static __device__ __forceinline__ void look_at_tile(bench<K> &w, const heap_block<K> *b, const journey<K> &q,
                                                    const steps_room<K> *r, const stretch &a, word64 base, uint32_t now,
                                                    K key, unsigned *flags, looked<K> *t)
{
    K seen[PER_THREAD];
    bool twice = false;
    const bool deep = is_deep_level(&b->own);
    const mark<K> bound = b->own.bound;
    const unsigned good = load_tile(q, r, a, base, now, key, t->sum, t->v, flags);
    t->fell = t->quiet = 0;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++) { /* loads: under way while the block meets */
        const uint32_t at = k * blockDim.x + threadIdx.x;
        const bool quiet = deep && at < now && is_quiet(b, t->v[k]) && is_beyond(bound, t->sum[k], t->v[k]);
        t->quiet |= quiet ? 1u << k : 0u;
        seen[k] = at < now ? q.label[t->v[k]] : 0;
        t->word[k] = at < now && !quiet ? b->where[t->v[k]] : 0;
        if (at < now)
            w.v[at] = t->v[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++) {
        const uint32_t at = k * blockDim.x + threadIdx.x;
        twice |= at + 1 < now && t->v[k] >= w.v[at + 1];
    }
    t->once = __syncthreads_or(twice ? 1 : 0) == 0;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        t->fell |= (good >> k & 1u) != 0 && t->sum[k] < seen[k] ? 1u << k : 0u;
}

/* Hands what fell to the heap, from registers; there is room. */
template <class K>
static __device__ __forceinline__ void lower_tile(bench<K> &w, heap_block<K> *b, steps_room<K> *r, looked<K> *t)
{
    unsigned live = t->fell;
    if (!t->once) {
        live = heap_claim(w, b, t->sum, t->v, t->word, live);
        if (threadIdx.x == 0)
            r->t.claimed++;
    } else {
        K *const label = b->key;
        const unsigned quiet = t->fell & t->quiet;
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++)
            if ((quiet >> k & 1u) != 0)
                label[t->v[k]] = t->sum[k];
        w.pairs += (unsigned)__popc(quiet);
        live &= ~quiet;
    }
    heap_lower(w, b, t->sum, t->v, t->word, live, !t->once);
}

/* Relaxes a tile: labels that fall are a bulk update (P2). */
template <class K>
HEAP_PASS void relax_tile(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q, steps_room<K> *r,
                          const stretch &a, word64 base, uint32_t now, K key, unsigned *flags)
{
    const bool fits = now <= b->batch;
    looked<K> t;
    if (fits)
        make_room(w, h, b, now);
    look_at_tile(w, b, q, r, a, base, now, key, flags, &t);
    if (fits)
        lower_tile(w, b, r, &t);
    else
        hand_over(w, h, b, q, t.sum, t.v, t.fell);
}

/* Relaxes the arcs from the base-th to the total-th. */
template <class K>
static __device__ void relax_arcs(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q, steps_room<K> *r,
                                  const stretch &a, word64 base, word64 total, K key, unsigned *flags)
{
    const bool hot = is_hot(q, key);
    if (threadIdx.x == 0 && hot && base < total)
        r->t.stop |= (unsigned)STOP_HOT;
    for (; base < total && !hot; base += w.width) {
        const uint32_t now = total - base < w.width ? (uint32_t)(total - base) : w.width;
        relax_tile(w, h, b, q, r, a, base, now, key, flags);
    }
}

/* May not every weight be added to a key (P3)? */
template <class K> static __device__ __forceinline__ bool is_hot(const journey<K> &q, K key)
{
    return !q.s.real && (K)(key - q.s.low) > q.s.span;
}

/* Relaxes the arcs of several that were extracted. */
template <class K>
static __device__ void relax_front(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q, steps_room<K> *r,
                                   uint32_t count, K key, unsigned *flags)
{
    for (uint32_t from = 0; from < count; from += blockDim.x) {
        const uint32_t some = count - from < blockDim.x ? count - from : blockDim.x;
        const word64 total = lay_arcs(w, q, r, from, some);
        const stretch a = {r->first[0], some};
        if (threadIdx.x == 0)
            r->t.arcs += total;
        relax_arcs(w, h, b, q, r, a, 0, total, key, flags);
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The sources, at distance 0. */
template <class K> static __device__ void seed_heap(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q)
{
    for (uint64_t first = 0; first < q.source_count; first += w.width) {
        const uint32_t now = q.source_count - first < w.width ? (uint32_t)(q.source_count - first) : w.width;
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < now; k += blockDim.x) {
            const uint32_t v = q.sources[first + k];
            q.x.p[k] = q.s.zero;
            q.x.v[k] = v << 2;
        }
        __syncthreads();
        heap_change(w, h, b, q.x, now, false);
    }
}

/* What one thread does about a step: counts, targets (P4), the host. */
template <class K>
static __device__ void lead_step(const journey<K> &q, steps_room<K> *r, uint32_t count, word64 arcs, K key)
{
    r->t.steps++;
    r->t.settled += count;
    r->t.arcs += arcs;
    r->t.most = count > r->t.most ? count : r->t.most;
    if (q.target_count != 0 && r->target < q.target_count) {
        while (r->target < q.target_count && q.label[q.targets[r->target]] <= key)
            r->target++;
        if (r->target == q.target_count && key < r->bound)
            r->bound = key;
    }
    if (r->t.steps % LISTEN_STEPS == 0) {
        const uint64_t now = simt_clock();
        if (now - r->heard >= LISTEN_NS) {
            r->heard = now;
            simt_store_relaxed(&q.shared->progress, r->t.settled);
            r->t.stop |= simt_load_relaxed(&q.shared->cancel) != 0 ? (unsigned)STOP_CANCEL : 0u;
        }
    }
}

/* Where steps paused: nothing extracted (count 0), and `over` if that is the end; several vertices (count) of a key; or
 * one, whose arcs from the base-th on are still to be relaxed. */
template <class K> struct pause {
    word64 first, base, total;
    K key;
    uint32_t count;
    bool over;
};

/* Steps of one vertex each, as long as they are nothing else: it calls nothing, so that all is in registers. */
template <class K>
HEAP_PASS pause<K> step_alone(bench<K> &bench_of, heap_block<K> *b, const journey<K> &q, steps_room<K> *r,
                              unsigned *flags_of)
{
    bench<K> w = bench_of;
    unsigned flags = *flags_of;
    pause<K> s = {0, 0, 0, 0, 0, false};
    while (b->own.bucket_count > 0) {
        s.count = heap_take_equal(w, b, q.front, &s.key);
        s.base = s.total = 0;
        if (s.count == 1) { /* every thread, while one leads */
            s.first = csr_offset(q.g, b->alone);
            s.total = csr_offset(q.g, b->alone + 1) - s.first;
        }
        if (threadIdx.x == 0)
            lead_step(q, r, s.count, s.total, s.key);
        __syncthreads();
        s.over = r->t.stop != 0 || s.key > r->bound;
        if (s.over || s.count > 1 || is_hot(q, s.key))
            break;
        for (; s.base < s.total; s.base += w.width) {
            const uint32_t now = s.total - s.base < w.width ? (uint32_t)(s.total - s.base) : w.width;
            const stretch a = {s.first, 1};
            looked<K> t;
            if (!has_room(b, now))
                break;
            look_at_tile(w, b, q, r, a, s.base, now, s.key, &flags, &t);
            lower_tile(w, b, r, &t);
        }
        if (s.base < s.total)
            break;
        s.count = 0;
    }
    bench_of.pairs = w.pairs;
    bench_of.moved = w.moved;
    *flags_of = flags;
    return s;
}

/* Ends a step that was paused. */
template <class K>
static __device__ void end_step(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q, steps_room<K> *r,
                                const pause<K> &s, unsigned *flags)
{
    const stretch a = {s.first, 1};
    if (s.count == 1) /* counted already */
        relax_arcs(w, h, b, q, r, a, s.base, s.total, s.key, flags);
    else if (s.count > 1) {
        close_places(w, h, b, s.count);
        relax_front(w, h, b, q, r, s.count, s.key, flags);
    }
    want_top(w, h, b);
}

template <class K>
static __device__ void settle_all(bench<K> &w, heap<K> *h, heap_block<K> *b, const journey<K> &q, steps_room<K> *r)
{
    unsigned flags = 0;
    if (threadIdx.x == 0) {
        const tally none = {};
        r->t = none;
        r->bound = q.bound;
        r->target = r->heard = 0;
    }
    seed_heap(w, h, b, q);
    while (b->size > 0) {
        const pause<K> s = step_alone(w, b, q, r, &flags);
        if (s.over)
            break;
        if (threadIdx.x == 0)
            r->t.pauses++;
        __syncthreads();
        end_step(w, h, b, q, r, s, &flags);
        __syncthreads();
    }
    flags = __syncthreads_or(flags != 0 ? 1 : 0) != 0 ? (unsigned)FLAG_INFINITE : 0u;
    if (threadIdx.x == 0) {
        r->t.flags = flags;
        *q.out = r->t;
    }
}

template <class K>
static __global__ void __launch_bounds__(HEAP_THREADS, 1)
    settle_kernel(heap<K> *h, const __grid_constant__ journey<K> q)
{
    SIMT_SHARED(heap_block<K>, b, 1);
    SIMT_SHARED(steps_room<K>, r, 1);
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    static_assert(sizeof(heap_block<K>) + sizeof(steps_room<K>) <= HEAP_STATIC, "too much static shared memory");
    bench<K> w = open_bench(b, memory);
    if (blockIdx.x != 0)
        resolve_until(w, h, b, WAIT_QUIT);
    else {
        open_top(w, h, b, q.top_shared, q.quiet);
        settle_all(w, h, b, q, r);
        close_top(w, h, b);
        if (threadIdx.x == 0)
            simt_store_release(&h->quit, 1u);
    }
    close_bench(w, h);
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

typedef struct search {
    device *d;
    heap_store<uint32_t> narrow;
    heap_store<word64> wide;
    uint32_t batch;
    unsigned threads;
    unsigned launches; /* of the row */
    bool is_wide;      /* 32 bits are not enough */
    uint32_t *sources, *targets;
    uint64_t source_room;
    tally *tally_there, last;
    sssp_out out;
} search;

static void store_of(search *s, heap_store<uint32_t> **out)
{
    *out = &s->narrow;
}

static void store_of(search *s, heap_store<word64> **out)
{
    *out = &s->wide;
}

/* Tells those who listen what the heap did. */
template <class K> static nf_status report(search *s, nf__run *run, const heap_store<K> *store)
{
    nf_status st = NF_OK;
    heap<K> h = {};
    char resolves[HEAP_LEVELS * 12] = "";
    size_t at = 0;
    if (!nf__log_wanted(run->ctx))
        return NF_OK;
    NF_TRY(device_download(s->d, &h, store->h, sizeof h));
    for (unsigned i = 0; i < h.count; i++)
        at += (size_t)snprintf(resolves + at, sizeof resolves - at, "%s%u", i == 0 ? "" : " ", h.done[i]);
    nf__log(
        run->ctx, NF_LOG_DEBUG,
        "bucket heap: launches %u, blocks %u, threads %u, d %u, levels %u, top %s, steps %llu, settled %llu, most %u, "
        "arcs %llu, claimed %llu, pauses %llu, overlaps %u, conflicts %u, duplicates %llu, moved %llu, resolves %s",
        s->launches, store->grid, store->threads, h.d, h.count, store->top_shared ? "shared" : "global",
        (unsigned long long)s->last.steps, (unsigned long long)s->last.settled, s->last.most,
        (unsigned long long)s->last.arcs, (unsigned long long)s->last.claimed, (unsigned long long)s->last.pauses,
        h.overlaps, h.conflicts, h.pairs, h.moved, resolves);
done:
    return st;
}

template <class K> static journey<K> plan_journey(search *s, nf__run *run, nf__row *row, const heap_store<K> *store)
{
    journey<K> q = {};
    q.g = device_graph_of(run)->out;
    q.a = graph_arena<uint32_t>(q.g);
    q.label = store->key;
    q.s = sssp_scale<K>(run);
    q.bound = sssp_bound(run, q.s);
    q.sources = s->sources;
    q.source_count = row->source_count;
    q.targets = s->targets;
    q.target_count = s->targets != NULL ? run->target_count : 0;
    q.x = store->x;
    q.front = store->out;
    q.top_shared = store->top_shared;
    q.quiet = store->quiet;
    q.shared = s->d->shared_device;
    q.out = s->tally_there;
    return q;
}

template <class K> static nf_status settle_keys(nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    search *s = (search *)run->scratch;
    device *d = s->d;
    heap_store<K> *store = NULL;
    bool whole = true;
    store_of(s, &store);
    if (store->d == NULL)
        NF_TRY(heap_open(d, run->csr.n, s->batch, s->threads, store));
    NF_TRY(heap_clear(store));
    {
        const journey<K> q = plan_journey(s, run, row, store);
        NF_TRY(heap_fit(store, (const void *)settle_kernel<K>));
        NF_TRY(sssp_fill(d, store->key, run->csr.n, (K)q.s.infinity));
        NF_TRY_CUDA(d, SIMT_LAUNCH_GRID(settle_kernel<K>, store->grid, store->threads, store->shared, d->stream,
                                        store->h, q));
        s->launches++;
        NF_TRY(device_finish(d, "sssp", run->csr.n));
        NF_TRY(device_download(d, &s->last, s->tally_there, sizeof s->last));
        NF_TRY(sssp_ended(row, sizeof(K), s->last.steps, s->last.arcs, s->last.flags, s->last.stop, again));
        if (*again) {
            heap_close(store);
            memset(store, 0, sizeof *store);
            goto done;
        }
        NF_TRY(report(s, run, store));
        NF_TRY(sssp_hand_out(run, row, &s->out, q.label, q.s, false, &whole));
    }
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    search *s = (search *)run->scratch;
    s->launches = 0;
    NF_TRY(device_list(s->d, row->sources, row->source_count, &s->sources, &s->source_room));
    NF_TRY(device_start(run));
    NF_TRY(sssp_row(run, row, &s->is_wide, settle_keys<uint32_t>, settle_keys<word64>));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static uint32_t choose_batch(const nf__run *run)
{
    const double asked = nf__knob_number(run, "d");
    uint32_t d = BATCH_LEAST;
    if (asked != 0)
        return (uint32_t)asked;
    while (d < BATCH_MOST && d < BATCH_DEGREES * run->stats.degree_mean)
        d *= 2;
    return d;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    search *s = NULL;
    if (n > HEAP_VALUES)
        return nf__fail(NF_EUNSUPPORTED, "bucket-heap takes at most %u vertices on this device", HEAP_VALUES);
    NF_TRY_ALLOC(s, (search *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    s->d = (device *)run->device;
    s->batch = choose_batch(run);
    s->threads = (unsigned)nf__knob_number(run, "threads");
    s->is_wide = !sssp_is_narrow(run);
    NF_TRY(device_graph_need(run, sssp_parts(run)));
    NF_TRY(device_alloc(s->d, 1, &s->tally_there));
    if (run->target_count != 0) {
        NF_TRY(device_alloc(s->d, run->target_count, &s->targets));
        NF_TRY(device_upload(s->d, s->targets, run->targets, run->target_count * sizeof(uint32_t), NULL));
    }
    NF_TRY(sssp_open(run, NULL, &s->out));
    if (s->is_wide)
        NF_TRY(heap_open(s->d, run->csr.n, s->batch, s->threads, &s->wide));
    else
        NF_TRY(heap_open(s->d, run->csr.n, s->batch, s->threads, &s->narrow));
done:
    return st;
}

static void end(nf__run *run)
{
    search *s = (search *)run->scratch;
    if (s == NULL)
        return;
    void *const blocks[] = {s->sources, s->targets, s->tally_there};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(s->d, blocks[i]);
    heap_close(&s->narrow);
    heap_close(&s->wide);
    sssp_close(run, &s->out);
    nf__free(s);
    run->scratch = NULL;
}

static const nf_knob_info knobs[] = {
    {.name = "d",
     .summary =
         "items of a batch: 2 d labels wait before they go down to buckets of 8 d, 32 d, ...; 0: from the mean degree",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = BATCH_LARGEST},
    {.name = "threads",
     .summary = "threads of a block, rounded down to a power of two; 0: from d and what the device allows",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = HEAP_THREADS},
};

extern const nf__algorithm sssp_bucket_heap = {
    .info = {.name = "bucket-heap",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "Dijkstra over a bucket heap with bulk updates, its levels resolved by blocks in parallel",
             .paper = "Berney, Iacono, Karsin, Sitchinava 2022; Brodal, Fagerberg, Meyer, Zeh 2004",
             .memory = "on the device at most 135 n + 48 d, 64-bit keys 196 n + 72 d, and 300 KB; parents 32 n (64-bit "
                       "offsets: 48 n) more",
             .flags = 0,
             .knobs = knobs,
             .knob_count = 2},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
