/* sssp_bucketing.cu - Bucketing with a far pile (`bucketing`, catalogue S7).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014, section IV.D: vertices that wait are split by distance into A = 10 buckets; the lowest one is relaxed, and what
 * falls is put back in order. The paper misses a multisplit and sorts: reorganise=sort sorts what fell by bucket
 * (radix sort) and merges it into the array of buckets; reorganise=multisplit splits array and newcomers together
 * (multisplit.cuh). What lies beyond the last bucket waits in the far pile; when all buckets are empty, A new ones
 * begin at its least label. The host drives, as in the paper; events tell how much of the time went into reorganising,
 * which the paper puts at 82 %.
 *
 * Invariants
 *   C1 where[v] = bucket + 1 of v's entry in the array, IN_FAR of that in the pile, 0: none. Entries that disagree are
 *      stale and skipped; a reorganisation leaves one entry of a vertex that agrees, whose bucket is that of its label;
 *   C2 the array is in order of buckets; a label that falls in a round is listed once (stamp) and is given its bucket
 *      after the round;
 *   C3 weights are not negative: buckets below the lowest one that is not empty are final. Labels in the far pile are
 *      beyond all buckets, so a vertex comes to it once between two openings;
 *   C4 the array never has more than 2 n entries: by multisplit stale ones go each time, by sorting when there are
 *      more than n.
 * Targets do not stop it; what lies beyond the cutoff is never listed. T2 of sssp.cuh.
 * Cost: a round sorts what fell and moves the whole array; on the device 68 n bytes for labels, lists and results,
 * by multisplit at most 1.4 n more for its counts and notes, by sorting 8 n more and what the sort takes, and the
 * engine's memory where parents are wanted.
 */
#include "gpu/algorithms.h"
#include "gpu/primitives.cuh"
#include "gpu/sssp.cuh"
#include "gpu/window.cuh"

namespace SIMT_FLAVOUR
{

enum { BUCKETS_MOST = 30 };
#define IN_FAR 0xffffffffu

/* What kernels count, in device memory. */
typedef struct bucket_counts {
    unsigned out, far, near, stop, flags, unused;
    word64 arcs, least; /* least: of the far pile's labels */
    uint32_t offsets[BUCKETS_MOST + 2];
} bucket_counts;

template <class K> struct bucket_task {
    relax_step<K> f;
    key_window<K> w;
    uint32_t *where, *stamp, *out;
    bucket_counts *c;
    unsigned buckets, round;
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <class K>
static __global__ void source_kernel(const __grid_constant__ bucket_task<K> t, const uint32_t *sources, uint64_t count,
                                     uint32_t *key, uint32_t *item)
{
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x) {
        const uint32_t v = sources[i];
        if (atomicMin(&t.f.label[v], t.f.s.zero) == t.f.s.infinity) {
            const unsigned at = atomicAdd(&t.c->near, 1u);
            t.where[v] = 1;
            item[at] = v;
            key[at] = 0;
        }
    }
}

template <class K, class Off>
static __device__ __forceinline__ void relax_arc(const bucket_task<K> &t, const arena<Off> &a, uint32_t u, K key,
                                                 word64 e)
{
    relax_step<K> f = t.f;
    arc_data c;
    K sum;
    word64 old = 0;
    load_weighted(f.s, a, e, &c);
    (void)add_weight(f.s, key, c.w, &sum);
    if (claim(f, u, (word64)key, c, e, peek(f, c.v), &old) && old > (word64)sum
        && atomicExch(&t.stamp[c.v], t.round) != t.round)
        t.out[atomicAdd(&t.c->out, 1u)] = c.v; /* C2 */
}

/* Relaxes the arcs of a bucket: short lists by a lane each, long ones by a warp. */
template <class K, class Off>
static __global__ void relax_kernel(const __grid_constant__ bucket_task<K> t, const __grid_constant__ arena<Off> a,
                                    const uint32_t *item, unsigned count, unsigned bucket)
{
    word64 arcs = 0;
    for (word64 first = (word64)blockIdx.x * blockDim.x + simt_warp() * 32; first < count;
         first += (word64)gridDim.x * blockDim.x) {
        const word64 i = first + simt_lane();
        const uint32_t u = i < count ? item[i] : 0;
        word64 begin = 0, end = 0;
        K key = 0;
        if (i < count && atomicCAS(&t.where[u], bucket + 1, 0u) == bucket + 1) { /* C1 */
            key = simt_load_relaxed(&t.f.label[u]);
            begin = a.off[u];
            end = a.off[u + 1];
        }
        arcs += end - begin;
        for (unsigned rest = __ballot_sync(WARP_ALL, end - begin >= 32); rest != 0; rest &= rest - 1) {
            const int lane = __ffs((int)rest) - 1;
            const word64 last = __shfl_sync(WARP_ALL, end, lane);
            const uint32_t v = __shfl_sync(WARP_ALL, u, lane);
            const K from = __shfl_sync(WARP_ALL, key, lane);
            for (word64 e = __shfl_sync(WARP_ALL, begin, lane) + simt_lane(); e < last; e += 32)
                relax_arc(t, a, v, from, e);
            __syncwarp();
        }
        if (end - begin < 32)
            for (word64 e = begin; e < end; e++)
                relax_arc(t, a, u, key, e);
    }
    if (arcs != 0)
        (void)atomicAdd(&t.c->arcs, arcs);
}

/* Gives those that fell their bucket, or a place in the far pile; `buckets` means neither. */
template <class K>
static __global__ void place_kernel(const __grid_constant__ bucket_task<K> t, unsigned count, uint32_t *key,
                                    uint32_t *item, uint32_t *far)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t v = t.out[i], now = t.where[v];
        const unsigned b = bucket_of(t.f.s, t.w, t.f.label[v]);
        const bool near = b < t.buckets;
        if (!near && now != IN_FAR)
            far[atomicAdd(&t.c->far, 1u)] = v;
        if (near && now != b + 1)
            (void)atomicAdd(&t.c->near, 1u);
        key[i] = near && now != b + 1 ? b : t.buckets;
        item[i] = v;
        t.where[v] = near ? b + 1 : IN_FAR;
    }
}

/* Stale entries get the bucket that is dropped. */
static __global__ void drop_kernel(uint32_t *key, const uint32_t *item, const uint32_t *where, unsigned count,
                                   unsigned buckets)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        key[i] = where[item[i]] == key[i] + 1 ? key[i] : buckets;
}

template <class K>
static __global__ void least_kernel(const __grid_constant__ bucket_task<K> t, const uint32_t *far, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const word64 key = t.f.label[far[i]];
        if (t.where[far[i]] == IN_FAR && key < simt_load_relaxed(&t.c->least))
            (void)atomicMin(&t.c->least, key);
    }
}

/* Opens new buckets from the far pile; what is further still stays in another pile. */
template <class K>
static __global__ void open_kernel(const __grid_constant__ bucket_task<K> t, const uint32_t *far, unsigned count,
                                   uint32_t *far_out, uint32_t *key, uint32_t *item)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t v = far[i];
        if (t.where[v] != IN_FAR)
            continue;
        const unsigned b = bucket_of(t.f.s, t.w, t.f.label[v]);
        if (b >= t.buckets) {
            far_out[atomicAdd(&t.c->far, 1u)] = v;
            continue;
        }
        const unsigned at = atomicAdd(&t.c->near, 1u);
        key[at] = b;
        item[at] = v;
        t.where[v] = b + 1;
    }
}

/* The first of n sorted numbers that is not below x. */
static __device__ __forceinline__ unsigned first_from(const uint32_t *sorted, unsigned n, uint32_t x)
{
    unsigned low = 0;
    while (low < n) {
        const unsigned middle = low + (n - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Two sorted rows into one; of the second only what is in a bucket. */
static __global__ void merge_kernel(const uint32_t *key, const uint32_t *item, unsigned count, const uint32_t *more_key,
                                    const uint32_t *more_item, unsigned more, unsigned buckets, uint32_t *key_out,
                                    uint32_t *item_out)
{
    const unsigned taken = first_from(more_key, more, buckets);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count + taken; i += gridDim.x * blockDim.x) {
        const bool old = i < count;
        const unsigned j = old ? i : i - count;
        const uint32_t k = old ? key[j] : more_key[j];
        const unsigned to = j + (old ? first_from(more_key, taken, k) : first_from(key, count, k + 1));
        key_out[to] = k;
        item_out[to] = old ? item[j] : more_item[j];
    }
}

/* Where buckets begin in the array of `count` entries, and those counted in *more where that is not NULL. */
static __global__ void offsets_kernel(const uint32_t *key, unsigned count, const unsigned *more, unsigned buckets,
                                      uint32_t *offsets)
{
    const unsigned all = count + (more != NULL ? *more : 0);
    if (threadIdx.x <= buckets)
        offsets[threadIdx.x] = first_from(key, all, threadIdx.x);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct bucketing {
    device *d;
    device_graph *g;
    void *label;
    uint32_t *key[2], *item[2]; /* 2 n each: the array of buckets, and where it is put in order */
    uint32_t *out, *far[2], *where, *stamp, *sources;
    uint32_t *more[2]; /* sort: what fell, in order */
    bucket_counts *c;
    uint64_t source_room;
    unsigned buckets;
    int now, pile; /* which of key and item, of far */
    bool splits, wide;
    double width;
    cudaEvent_t at[3];
    double relax_ms, order_ms;
    sssp_out outcome;
    bucket_counts last;
} bucketing;

/* Threads of a block: no more warps than there are items for, which the emulator minds. */
static unsigned threads_for(const bucketing *s, uint64_t items)
{
    return device_block(s->d, items < 256 ? ((unsigned)items + 31) / 32 * 32 : 256);
}

static unsigned blocks_for(const bucketing *s, uint64_t items)
{
    const unsigned wanted = device_grid(items, threads_for(s, items), 1), most = (unsigned)s->d->multiprocessors * 8;
    return wanted < most ? wanted : most;
}

#define RUN_KERNEL(kernel, items, ...) \
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(kernel, blocks_for(s, items), threads_for(s, items), 0, s->d->stream, __VA_ARGS__))

static nf_status look(bucketing *s)
{
    nf_status st = NF_OK;
    NF_TRY(device_finish(s->d, "sssp", 0));
    NF_TRY(device_download(s->d, &s->last, s->c, sizeof s->last));
done:
    return st;
}

/* Puts `count` old entries, in order, from `first` on, and `more` new ones behind them, in order. */
static nf_status reorganise(bucketing *s, unsigned first, unsigned count, unsigned more)
{
    nf_status st = NF_OK;
    uint32_t *key = s->key[s->now] + first, *item = s->item[s->now] + first;
    uint32_t *key_out = s->key[1 - s->now], *item_out = s->item[1 - s->now];
    const split_number whole = {};
    const unsigned all = count + more;
    const bool merges = !s->splits && count != 0 && all <= s->g->out.n; /* C4 */
    if (count != 0 && !merges)
        RUN_KERNEL(drop_kernel, count, key, item, s->where, count, s->buckets);
    if (s->splits)
        NF_TRY(multisplit(s->d, whole, s->buckets + 1, all, key, key_out, item, item_out, (uint32_t *)NULL));
    else if (!merges && all != 0)
        NF_TRY(device_sort_pairs(s->d, key, key_out, item, item_out, all, 0, 5));
    else if (all != 0) {
        if (more != 0)
            NF_TRY(device_sort_pairs(s->d, key + count, s->more[0], item + count, s->more[1], more, 0, 5));
        RUN_KERNEL(merge_kernel, all, key, item, count, s->more[0], s->more[1], more, s->buckets, key_out, item_out);
    }
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(offsets_kernel, 1, 32, 0, s->d->stream, key_out, merges ? count : all,
                                  merges ? &s->c->near : (const unsigned *)NULL, s->buckets, s->c->offsets));
    s->now = 1 - s->now;
done:
    return st;
}

/* The lowest bucket that is not empty. */
static unsigned lowest(const bucketing *s)
{
    unsigned b = 0;
    while (b < s->buckets && s->last.offsets[b + 1] == s->last.offsets[b])
        b++;
    return b;
}

/* Adds the time between two events to *ms. */
static nf_status add_time(bucketing *s, int from, double *ms)
{
    nf_status st = NF_OK;
    float more = 0;
    NF_TRY_CUDA(s->d, cudaEventElapsedTime(&more, s->at[from], s->at[from + 1]));
    *ms += (double)more;
done:
    return st;
}

/* Relaxes bucket b and puts what fell in order. */
template <class K, class Off>
static nf_status relax_bucket(bucketing *s, bucket_task<K> *t, const arena<Off> &a, unsigned b)
{
    nf_status st = NF_OK;
    const unsigned first = s->last.offsets[b], count = s->last.offsets[b + 1] - first;
    const unsigned near = s->last.offsets[s->buckets];
    t->round++;
    NF_TRY(device_fill_bytes(s->d, &s->c->out, 0, sizeof s->c->out));
    NF_TRY(device_fill_bytes(s->d, &s->c->near, 0, sizeof s->c->near));
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[0], s->d->stream));
    RUN_KERNEL((relax_kernel<K, Off>), count, *t, a, s->item[s->now] + first, count, b);
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[1], s->d->stream));
    NF_TRY(look(s));
    NF_TRY(add_time(s, 0, &s->relax_ms));
    if (s->last.stop != 0)
        goto done;
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[1], s->d->stream));
    if (s->last.out != 0)
        RUN_KERNEL(place_kernel<K>, s->last.out, *t, s->last.out, s->key[s->now] + near, s->item[s->now] + near,
                   s->far[s->pile]);
    NF_TRY(reorganise(s, first + count, near - first - count, s->last.out));
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[2], s->d->stream));
    NF_TRY(look(s));
    NF_TRY(add_time(s, 1, &s->order_ms));
done:
    return st;
}

/* All buckets are empty: new ones, from the far pile. */
template <class K> static nf_status open_buckets(bucketing *s, bucket_task<K> *t)
{
    nf_status st = NF_OK;
    const unsigned count = s->last.far;
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[1], s->d->stream));
    NF_TRY(device_fill_bytes(s->d, &s->c->least, 0xff, sizeof s->c->least));
    RUN_KERNEL(least_kernel<K>, count, *t, s->far[s->pile], count);
    NF_TRY(look(s));
    NF_TRY(device_fill_bytes(s->d, &s->c->far, 0, sizeof s->c->far));
    NF_TRY(device_fill_bytes(s->d, &s->c->near, 0, sizeof s->c->near));
    t->w.base = (K)s->last.least;
    RUN_KERNEL(open_kernel<K>, count, *t, s->far[s->pile], count, s->far[1 - s->pile], s->key[s->now], s->item[s->now]);
    s->pile = 1 - s->pile;
    NF_TRY(look(s));
    NF_TRY(reorganise(s, 0, 0, s->last.near));
    NF_TRY_CUDA(s->d, cudaEventRecord(s->at[2], s->d->stream));
    NF_TRY(look(s));
    NF_TRY(add_time(s, 1, &s->order_ms));
done:
    return st;
}

template <class K> static nf_status start(bucketing *s, nf__run *run, const nf__row *row, bucket_task<K> *t)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    t->f.label = (K *)s->label;
    t->f.s = sssp_scale<K>(run);
    t->f.bound = sssp_bound(run, t->f.s);
    t->f.flags = &s->c->flags;
    t->f.stop = &s->c->stop;
    t->w.base = t->f.s.zero;
    t->w.rate = (float)(1 / s->width);
    t->where = s->where;
    t->stamp = s->stamp;
    t->out = s->out;
    t->c = s->c;
    t->buckets = s->buckets;
    s->now = s->pile = 0;
    s->relax_ms = s->order_ms = 0;
    NF_TRY(sssp_fill(s->d, t->f.label, n, t->f.s.infinity));
    NF_TRY(device_fill_bytes(s->d, s->where, 0, n * 4));
    NF_TRY(device_fill_bytes(s->d, s->stamp, 0, n * 4));
    NF_TRY(device_fill_bytes(s->d, s->c, 0, sizeof *s->c));
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(source_kernel<K>, 1, device_block(s->d, 256), 0, s->d->stream, *t, s->sources,
                                  row->source_count, s->key[0], s->item[0]));
    NF_TRY(look(s));
    NF_TRY(reorganise(s, 0, 0, s->last.near));
    NF_TRY(look(s));
done:
    return st;
}

template <class K, class Off> static nf_status relax_all(bucketing *s, bucket_task<K> *t)
{
    nf_status st = NF_OK;
    const arena<Off> a = graph_arena<Off>(s->g->out);
    for (;;) {
        const unsigned b = lowest(s);
        if (s->last.stop != 0 || (b == s->buckets && s->last.far == 0))
            break;
        if (b == s->buckets)
            NF_TRY(open_buckets(s, t));
        else
            NF_TRY((relax_bucket<K, Off>(s, t, a, b)));
    }
done:
    return st;
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    bucketing *s = (bucketing *)run->scratch;
    bucket_task<K> t = {};
    bool whole = true;
    NF_TRY(start(s, run, row, &t));
    if (s->g->out.off32 != NULL)
        NF_TRY((relax_all<K, uint32_t>(s, &t)));
    else
        NF_TRY((relax_all<K, uint64_t>(s, &t)));
    NF_TRY(sssp_ended(row, sizeof(K), t.round, s->last.arcs, s->last.flags, s->last.stop, again));
    if (*again)
        goto done;
    nf__log(run->ctx, NF_LOG_DEBUG, "sssp totals: levels %u, arcs %llu, reorganising %.3f of %.3f ms, %.1f %%", t.round,
            s->last.arcs, s->order_ms, s->relax_ms + s->order_ms,
            100 * s->order_ms / (s->relax_ms + s->order_ms > 0 ? s->relax_ms + s->order_ms : 1));
    NF_TRY(sssp_hand_out(run, row, &s->outcome, (const K *)s->label, t.f.s, false, &whole));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    bucketing *s = (bucketing *)run->scratch;
    NF_TRY(device_list(s->d, row->sources, row->source_count, &s->sources, &s->source_room));
    NF_TRY(device_start(run));
    NF_TRY(sssp_row(run, row, &s->wide, run_keys<uint32_t>, run_keys<word64>));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static nf_status allocate(bucketing *s, nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    NF_TRY(device_alloc_bytes(s->d, n, run->work_type == NF_F32 ? 4 : 8, &s->label));
    for (int k = 0; k < 2; k++) {
        NF_TRY(device_alloc(s->d, 2 * n, &s->key[k]));
        NF_TRY(device_alloc(s->d, 2 * n, &s->item[k]));
        NF_TRY(device_alloc(s->d, n, &s->far[k]));
        if (!s->splits)
            NF_TRY(device_alloc(s->d, n, &s->more[k]));
    }
    NF_TRY(device_alloc(s->d, n, &s->out));
    NF_TRY(device_alloc(s->d, n, &s->where));
    NF_TRY(device_alloc(s->d, n, &s->stamp));
    NF_TRY(device_alloc(s->d, 1, &s->c));
    for (int k = 0; k < 3; k++)
        NF_TRY_CUDA(s->d, cudaEventCreate(&s->at[k]));
    NF_TRY(sssp_open(run, NULL, &s->outcome));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    bucketing *s = NULL;
    NF_TRY_ALLOC(s, (bucketing *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    s->d = (device *)run->device;
    s->buckets = (unsigned)nf__knob_number(run, "buckets");
    s->splits = strcmp(nf__knob_choice(run, "reorganise"), "multisplit") == 0;
    s->width = nf__knob_number(run, "delta");
    if (!(s->width > 0))
        s->width = sssp_delta(run, 32) / s->buckets;
    s->width = !(s->width > 1e-30) ? 1 : s->width > 1e30 ? 1e30 : s->width;
    NF_TRY(device_graph_need(run, sssp_parts(run)));
    s->g = device_graph_of(run);
    NF_TRY(allocate(s, run));
done:
    return st;
}

static void end(nf__run *run)
{
    bucketing *s = (bucketing *)run->scratch;
    if (s == NULL)
        return;
    void *const blocks[] = {s->label,  s->key[0], s->key[1], s->item[0], s->item[1], s->out,     s->far[0],
                            s->far[1], s->where,  s->stamp,  s->more[0], s->more[1], s->sources, s->c};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(s->d, blocks[i]);
    for (int k = 0; k < 3; k++)
        if (s->at[k] != NULL)
            (void)cudaEventDestroy(s->at[k]);
    sssp_close(run, &s->outcome);
    nf__free(s);
    run->scratch = NULL;
}

static const nf_knob_info knobs[] = {
    {"buckets", "A: buckets before the far pile", NF_KNOB_INT, "10", 1, BUCKETS_MOST, NULL},
    {"delta", "width of a bucket; 0: 32 mean weights over the mean degree, shared by all buckets", NF_KNOB_REAL, "0", 0,
     1e30, NULL},
    {"reorganise", "how what fell is put in order: sorted and merged, or by multisplit", NF_KNOB_CHOICE, "multisplit",
     0, 0, "sort multisplit"},
};

extern const nf__algorithm sssp_bucketing = {
    .info = {.name = "bucketing",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "ten buckets and a far pile, put in order after every round by multisplit or sort and merge",
             .paper = "Davidson, Baxter, Garland, Owens 2014",
             .memory =
                 "on the device 69.4 n, 1.4 n of which are a split's counts and notes (reorganise=sort 76 n, and what "
                 "the sort takes); parents 32 n more (64-bit offsets: 48 n)",
             .flags = 0,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
