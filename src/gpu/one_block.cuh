/* one_block.cuh - delta-stepping by one block with all labels in its shared memory, for few vertices in a long chain.
 *
 * Where every step waits for the one before, what counts is how long a step takes: here it is a look at the lightest
 * arcs of a vertex, an atomic in shared memory and a barrier of the block. Lists lie by weight (ordered.cu), so the
 * arcs that stay within the bucket are the first ones of a list; those lie in a table of their own, small enough for
 * L2, at a place that the vertex's number tells. A bucket:
 *   its limit is a width above the least label that is not settled; whoever is below it is near, and listed;
 *   rounds: a warp takes a listed vertex and relaxes its arcs up to the first whose sum is not near;
 *   when nobody is listed, labels below the limit are final, and all warps share out the other arcs of the bucket.
 * Invariants: R1 to R3 of step_relax.cuh, D1 of step_far.cuh, and
 *   B1 a vertex that is near and whose label fell since its arcs were relaxed last has its bit set, and is listed once:
 *      by who set the bit. A warp clears it before it reads the label. What finds no place in the list is found by its
 *      bit when the list is empty;
 *   B2 bits of vertices that are not near are clear: a split sets those that it lists;
 *   B3 lists rotate as slots do (Q4 of frontier.cuh): a round reads list r mod 2 and count r mod 3, writes the next,
 *      and clears the count after it. So a round has one barrier.
 * Cost: O(n / threads) a bucket, O(1) trips to memory a round, and each arc that does not stay within its bucket once.
 * Shared memory: 4.125 bytes a vertex, and 16 KB.
 */
#ifndef NF_GPU_ONE_BLOCK_CUH
#define NF_GPU_ONE_BLOCK_CUH

#include "gpu/engine.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

enum {
    ONE_THREADS = 1024,
    ONE_ROOM = 2048,  /* vertices listed, or settled together */
    ONE_HEAD = 16,    /* arcs of a vertex in the table */
    ONE_AHEAD = 4,    /* arcs of a lane under way, of each of two lists */
    ONE_LISTENS = 128 /* rounds between looks at the clock */
};

typedef struct one_method {
    far_step<uint32_t> f;
    device_csr g;       /* lists by weight, offsets of 32 bits */
    const uint2 *heads; /* ONE_HEAD arcs a vertex, the lightest; NF_NO_VERTEX where a list has fewer */
    const uint32_t *sources;
    uint64_t source_count;
    state *st;
} one_method;

/* The shared memory of the block, beside labels and bits. */
typedef struct one_share {
    uint32_t list[2][ONE_ROOM];
    uint32_t count[3]; /* B3 */
    uint32_t least;    /* label that is not settled */
    uint32_t many;     /* vertices that a scan found */
    unsigned stop;     /* STOP_* */
    ledger sum;
} one_share;

/* What a thread knows of it. */
typedef struct one_block {
    uint32_t *label, *bits;
    one_share *share;
    uint32_t limit; /* labels below are near */
    unsigned round;
    uint32_t arcs; /* this thread's, since it last added them up */
} one_block;

static inline size_t one_bytes(uint64_t n)
{
    return (n + (n + 31) / 32) * sizeof(uint32_t);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* The sum over an arc from `key`; false where it is no distance or beyond the bound (R2, R3). */
static __device__ __forceinline__ bool one_sum(const one_method &m, one_block &b, uint32_t key, uint32_t w,
                                               uint32_t *sum)
{
    const int how = add_weight(m.f.s, key, w, sum);
    if (how == SUM_INFINITE)
        refuse_sum(m.f, how);
    else if (how != SUM_OK)
        (void)atomicOr(&b.share->stop, (unsigned)(how == SUM_HOT ? STOP_HOT : STOP_LOW));
    return how == SUM_OK && *sum <= m.f.bound;
}

/* Lowers v to a sum that is near; true for who is to list it (B1). */
static __device__ __forceinline__ bool lower_near(one_block &b, uint32_t v, uint32_t sum)
{
    const uint32_t bit = 1u << (v & 31);
    if (sum >= simt_load_relaxed(&b.label[v]))
        return false;
    if (atomicMin(&b.label[v], sum) <= sum)
        return false;
    return (atomicOr(&b.bits[v >> 5], bit) & bit) == 0;
}

/* Lists v of every lane that wants it; what finds no place keeps its bit. All lanes. */
static __device__ __forceinline__ void one_list(one_block &b, bool is, uint32_t v, unsigned round)
{
    const unsigned mask = __ballot_sync(WARP_ALL, is);
    uint32_t base = 0;
    if (mask == 0)
        return;
    if (simt_lane() == 0)
        base = atomicAdd(&b.share->count[round % 3], (uint32_t)__popc(mask));
    base = __shfl_sync(WARP_ALL, base, 0) + __popc(mask & lanes_below());
    if (is && base < ONE_ROOM)
        b.share->list[round & 1][base] = v;
}

/* ---- scans ------------------------------------------------------------------------------------------------------- */

/* The least label that is not below the limit, to share->least. All threads. */
static __device__ __forceinline__ void find_least(const one_method &m, one_block &b)
{
    uint32_t mine = m.f.s.infinity;
    if (threadIdx.x == 0)
        b.share->least = m.f.s.infinity;
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < m.g.n; v += blockDim.x) {
        const uint32_t key = b.label[v];
        mine = key >= b.limit && key < mine ? key : mine;
    }
    __syncwarp();
    mine = simt_reduce_min(WARP_ALL, mine);
    if (simt_lane() == 0 && mine != m.f.s.infinity)
        (void)atomicMin(&b.share->least, mine);
    __syncthreads();
}

/* Lists, for this round, those of [from, limit); marked: only those whose bits are set, else bits are set. All
 * threads; a barrier comes after it. */
static __device__ __forceinline__ void list_near(const one_method &m, one_block &b, uint32_t from, bool marked)
{
    for (uint32_t base = simt_warp() * 32; base < m.g.n; base += blockDim.x) {
        const uint32_t v = base + simt_lane();
        const uint32_t key = v < m.g.n ? b.label[v] : m.f.s.infinity;
        bool is = key >= from && key < b.limit;
        const uint32_t word = b.bits[base >> 5];
        is = is && (!marked || (word >> simt_lane() & 1) != 0);
        const unsigned mask = __ballot_sync(WARP_ALL, is);
        if (!marked && mask != 0 && simt_lane() == 0)
            b.bits[base >> 5] = mask; /* B2: nobody else is near */
        __syncwarp();
        one_list(b, is, v, b.round);
    }
}

/* Those of [from, limit) among the vertices `low` to `high`, to list 0; their number is share->many. All threads. */
static __device__ __forceinline__ void list_settled(const one_method &m, one_block &b, uint32_t from, uint32_t low,
                                                    uint32_t high)
{
    __syncthreads();
    if (threadIdx.x == 0)
        b.share->many = 0;
    __syncthreads();
    for (uint32_t base = low + simt_warp() * 32; base < high; base += blockDim.x) {
        const uint32_t v = base + simt_lane();
        const uint32_t key = v < high ? b.label[v] : m.f.s.infinity;
        const bool is = key >= from && key < b.limit;
        const unsigned mask = __ballot_sync(WARP_ALL, is);
        uint32_t at = 0;
        if (mask == 0)
            continue;
        if (simt_lane() == 0)
            at = atomicAdd(&b.share->many, (uint32_t)__popc(mask));
        at = __shfl_sync(WARP_ALL, at, 0) + __popc(mask & lanes_below());
        if (is && at < ONE_ROOM)
            b.share->list[0][at] = v;
    }
    __syncthreads();
}

/* ---- arcs -------------------------------------------------------------------------------------------------------- */

/* An arc of each lane, or none; true for those that stay within the bucket. All lanes. */
static __device__ __forceinline__ bool relax_if_near(const one_method &m, one_block &b, uint32_t key, uint2 x)
{
    uint32_t sum = 0;
    const bool near = x.x != NF_NO_VERTEX && one_sum(m, b, key, x.y, &sum) && sum < b.limit;
    b.arcs += near;
    one_list(b, near && lower_near(b, x.x, sum), x.x, b.round + 1);
    return near;
}

/* The arcs of a listed vertex that stay within the bucket. All lanes. */
static __device__ __forceinline__ void relax_light(const one_method &m, one_block &b, uint32_t u)
{
    uint2 x = {NF_NO_VERTEX, 0};
    if (simt_lane() < ONE_HEAD)
        x = __ldg(&m.heads[(uint64_t)u * ONE_HEAD + simt_lane()]);
    if (simt_lane() == 0)
        (void)atomicAnd(&b.bits[u >> 5], ~(1u << (u & 31)));
    __syncwarp();
    const uint32_t key = simt_load_relaxed(&b.label[u]);
    bool near = relax_if_near(m, b, key, x);
    if (__popc(__ballot_sync(WARP_ALL, near)) < ONE_HEAD)
        return;
    const uint32_t end = __ldg(&m.g.off32[u + 1]);
    for (uint32_t base = __ldg(&m.g.off32[u]) + ONE_HEAD; base < end; base += 32) {
        const uint2 none = {NF_NO_VERTEX, 0};
        near = relax_if_near(m, b, key, base + simt_lane() < end ? __ldg(&m.g.pairs[base + simt_lane()]) : none);
        if (!__all_sync(WARP_ALL, near))
            break;
    }
}

/* Lowers v to a sum that is not near. */
static __device__ __forceinline__ void lower_far(one_block &b, uint32_t v, uint32_t sum)
{
    if (sum < simt_load_relaxed(&b.label[v]))
        (void)atomicMin(&b.label[v], sum);
}

/* The arcs of settled vertices that leave the bucket: a warp has its stretch of each list, of two at a time. */
static __device__ __forceinline__ void relax_heavy(const one_method &m, one_block &b, uint32_t count)
{
    const uint32_t *const settled = b.share->list[0];
    const uint32_t stride = blockDim.x * ONE_AHEAD, first = simt_warp() * 32 * ONE_AHEAD + simt_lane();
    for (uint32_t i = 0; i < count; i += 2) {
        uint32_t key[2], at[2], end[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const bool is = i + k < count;
            const uint32_t u = is ? settled[i + k] : 0;
            key[k] = simt_load_relaxed(&b.label[u]);
            at[k] = __ldg(&m.g.off32[u]) + first;
            end[k] = is ? __ldg(&m.g.off32[u + 1]) : 0;
        }
        for (; at[0] < end[0] || at[1] < end[1]; at[0] += stride, at[1] += stride) {
            uint2 x[2][ONE_AHEAD];
#pragma unroll
            for (int k = 0; k < 2; k++)
#pragma unroll
                for (int j = 0; j < ONE_AHEAD; j++)
                    if (at[k] + j * 32 < end[k])
                        x[k][j] = __ldcs(&m.g.pairs[at[k] + j * 32]);
#pragma unroll
            for (int k = 0; k < 2; k++)
#pragma unroll
                for (int j = 0; j < ONE_AHEAD; j++) {
                    uint32_t sum;
                    if (at[k] + j * 32 >= end[k] || !one_sum(m, b, key[k], x[k][j].y, &sum) || sum < b.limit)
                        continue;
                    b.arcs++;
                    lower_far(b, x[k][j].x, sum);
                }
        }
    }
}

/* ---- a bucket ---------------------------------------------------------------------------------------------------- */

/* The leader's part of a round: a line of the trace, the host. */
static __device__ __forceinline__ void one_lead(one_block &b, const plan &pl, uint32_t listed)
{
    const trace line = {b.round, listed, 0, MAP_VIRTUAL_WARP, SCOPE_BLOCK, 0, 0, 0};
    if (threadIdx.x != blockDim.x - 1)
        return;
    if (pl.ring_size != 0)
        pl.ring[b.round % pl.ring_size] = line;
    b.share->count[(b.round + 2) % 3] = 0;
    if (b.round % ONE_LISTENS == 0) {
        const unsigned stop = listen(pl, &b.share->sum, b.round);
        if (stop != 0)
            (void)atomicOr(&b.share->stop, stop);
    }
}

/* Rounds until nobody is listed. All threads, after a barrier. */
static __device__ __forceinline__ void one_rounds(const one_method &m, one_block &b, const plan &pl)
{
    for (;;) {
        const uint32_t all = b.share->count[b.round % 3], count = all < ONE_ROOM ? all : (uint32_t)ONE_ROOM;
        if (all == 0)
            break;
        one_lead(b, pl, all);
        __syncwarp();
        for (uint32_t i = simt_warp(); i < count; i += blockDim.x / 32)
            relax_light(m, b, b.share->list[b.round & 1][i]);
        b.round++;
        __syncthreads();
        if (all <= ONE_ROOM)
            continue;
        if (threadIdx.x == 0)
            b.share->count[b.round % 3] = 0; /* what is listed has its bit, too */
        __syncthreads();
        list_near(m, b, 0, true); /* B1 */
        __syncthreads();
    }
}

/* Settles the bucket that begins at `from`. All threads. */
static __device__ __forceinline__ void settle_bucket(const one_method &m, one_block &b, uint32_t from)
{
    list_settled(m, b, from, 0, m.g.n);
    if (b.share->many <= ONE_ROOM) {
        relax_heavy(m, b, b.share->many);
        return;
    }
    for (uint32_t low = 0; low < m.g.n; low += ONE_ROOM) {
        list_settled(m, b, from, low, m.g.n - low < ONE_ROOM ? m.g.n : low + ONE_ROOM);
        relax_heavy(m, b, b.share->many);
    }
}

/* Are all targets settled? One thread. */
static __device__ __forceinline__ bool are_targets_reached(const one_block &b, const plan &pl)
{
    unsigned target = 0;
    while (target < pl.target_count && simt_load_relaxed(&b.label[pl.targets[target]]) < b.limit)
        target++;
    return pl.target_count != 0 && target == pl.target_count;
}

/* ---- the table of lightest arcs ---------------------------------------------------------------------------------- */

static __global__ void heads_kernel(const device_csr g, uint2 *heads)
{
    const uint64_t all = (uint64_t)g.n * ONE_HEAD, step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        const uint32_t v = (uint32_t)(i / ONE_HEAD);
        const uint32_t e = g.off32[v] + (uint32_t)(i % ONE_HEAD);
        const uint2 none = {NF_NO_VERTEX, 0};
        heads[i] = e < g.off32[v + 1] ? g.pairs[e] : none;
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void one_open(const one_method &m, one_block &b)
{
    for (uint32_t v = threadIdx.x; v < m.g.n; v += blockDim.x)
        b.label[v] = m.f.s.infinity;
    for (uint32_t i = threadIdx.x; i < (m.g.n + 31) / 32; i += blockDim.x)
        b.bits[i] = 0;
    if (threadIdx.x < 3)
        b.share->count[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        b.share->stop = 0;
        b.share->sum.heard = 0;
    }
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < m.source_count; i += blockDim.x)
        simt_store_relaxed(&b.label[m.sources[i]], m.f.s.zero);
    __syncthreads();
}

static __device__ __forceinline__ void one_close(const one_method &m, one_block &b)
{
    for (uint32_t v = threadIdx.x; v < m.g.n; v += blockDim.x)
        m.f.label[v] = b.label[v];
    if (threadIdx.x < 3)
        m.st->slots[threadIdx.x].stop = b.share->stop;
    if (threadIdx.x == 0)
        m.st->round = b.round;
}

/* Adds up, so that nothing wraps. All lanes. */
static __device__ __forceinline__ void one_count(const one_method &m, one_block &b)
{
    const uint32_t arcs = simt_reduce_add(WARP_ALL, b.arcs);
    if (simt_lane() == 0 && arcs != 0)
        (void)atomicAdd(&m.st->arcs, (word64)arcs);
    b.arcs = 0;
    __syncwarp();
}

static __global__ void __launch_bounds__(ONE_THREADS, 1)
    one_kernel(const __grid_constant__ one_method m, const __grid_constant__ plan pl)
{
    SIMT_SHARED_DYNAMIC(uint32_t, room);
    SIMT_SHARED(one_share, share, 1);
    one_block b = {room, room + m.g.n, share, 0, 0, 0};
    one_open(m, b);
    for (;;) {
        find_least(m, b);
        const uint32_t from = share->least;
        if (from == m.f.s.infinity || share->stop != 0)
            break;
        b.limit = (uint32_t)limit_after(m.f, from);
        list_near(m, b, from, false);
        __syncthreads();
        one_rounds(m, b, pl);
        settle_bucket(m, b, from);
        one_count(m, b);
        if (threadIdx.x == 0 && are_targets_reached(b, pl))
            (void)atomicOr(&share->stop, (unsigned)STOP_TARGETS);
        __syncthreads();
    }
    __syncthreads();
    one_close(m, b);
}

} /* namespace SIMT_FLAVOUR */

#endif
