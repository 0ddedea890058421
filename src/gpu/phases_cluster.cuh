/* phases_cluster.cuh - `dijkstra-phases` where few vertices have long lists: one cluster of blocks, with all labels in
 * its shared memory.
 *
 * Where a phase settles about one vertex, what counts is the chain of dependent steps from one to the next: a look at
 * an arc, the label it lowers, the least label, barriers. A grid takes 10 us and more for it. Here every vertex has a
 * home in the cluster: vertex v is place v / C of block v mod C, and a thread looks after every B-th place of its
 * block. A phase:
 *   each warp finds the least label among its places that are not settled, and the least sum of a label and a lightest
 *     arc, and writes both to all blocks, with the list of the vertex: its offer;
 *   the cluster meets; every warp looks through all offers for M and L, and so knows those that are final;
 *   the warps of the cluster are shared out over the lists of the final ones, and lower labels where they are at home,
 *     in the memory of other blocks, too;
 *   the cluster meets.
 * There is no queue, and labels go to global memory at the end. The next list is asked for as soon as it is offered.
 * (If every block goes through all of a list and lowers only what is at home with it, the second meeting is one of the
 * block's own; but a phase then took 6.3 us on an H200, and 3.7 so.)
 * Invariants: C1 and C3 of sssp_dijkstra_phases.cu, and
 *   H1 who looks after a place remembers, a bit each, that it is settled: it is offered no more, so each arc is relaxed
 *      once (C2). A warp offers one vertex a phase, so what else is final there waits for the next one;
 *   H2 offers are written after the barrier that ends a phase and read after the next: never both at once;
 *   H3 what ends the run is written to every block before the barrier at the end of a phase and read after it, before
 *      the next: all blocks decide alike.
 * Keys have 32 bits: with 64, labels that several arcs lower at once came out too large on an H200 now and then (6 of
 * 83,560 checks), as if atomic minima of 64 bits in the memory of another block were not.
 * Cost: O(n / threads) a phase, n phases at most. Shared memory: 16 bytes a vertex over all blocks.
 */
#ifndef NF_GPU_PHASES_CLUSTER_CUH
#define NF_GPU_PHASES_CLUSTER_CUH

#include "gpu/phases.cuh"

namespace SIMT_FLAVOUR
{

enum {
    HOME_THREADS = 256, /* a barrier of more takes longer */
    HOME_BLOCKS = 16,
    HOME_PLACES = 64, /* of a thread: bits of its memory (H1) */
    MOST_OFFERS = HOME_BLOCKS * HOME_THREADS / 32,
    OFFERS_EACH = MOST_OFFERS / 32, /* that a lane looks at */
    HOME_LISTENS = 64               /* phases between looks at the clock */
};

/* A warp's vertex of least label, and its least sum. */
typedef struct offer {
    uint32_t label, reach; /* infinity: none is reached */
} offer;

/* The shared memory of a block, beside the places. */
typedef struct home_share {
    offer offers[MOST_OFFERS];
    uint2 lists[MOST_OFFERS]; /* of their vertices: from x to y */
    unsigned stop;            /* LEVEL_STOP_*, STOP_* (H3) */
} home_share;

typedef struct home_method {
    relax_step<uint32_t> f;
    lightest out;
    const uint32_t *sources, *targets;
    uint64_t source_count;
    unsigned target_count;
    unsigned shift;  /* the cluster has 2^shift blocks */
    uint32_t places; /* of a block */
    bool by_out;     /* criterion: out, or min */
} home_method;

/* Places of a block, as one of its threads sees them. */
typedef struct home {
    uint32_t *label, *light;
    uint32_t *begin, *end;
    home_share *share;
    uint64_t settled;                 /* H1 */
    uint32_t asked;                   /* where the list begins that was offered last */
    uint32_t offered;                 /* its vertex's label */
    unsigned rank, blocks, warps, me; /* me: the warp's number in the cluster, `warps` being all of them */
} home;

static inline size_t home_bytes(uint64_t places)
{
    return places * 16;
}

/* What a warp knows of a phase. */
typedef struct home_phase {
    uint32_t least, reach;       /* M and L */
    uint32_t label[OFFERS_EACH]; /* the lane's offers */
    unsigned final[OFFERS_EACH];
    unsigned count; /* of final ones */
} home_phase;

/* ---- places ------------------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ home open_home(const home_method &m, char *room)
{
    home h = {};
    h.label = reinterpret_cast<uint32_t *>(room);
    h.light = h.label + m.places;
    h.begin = h.light + m.places;
    h.end = h.begin + m.places;
    h.asked = UNSEEN;
    h.rank = simt_cluster_rank();
    h.blocks = 1u << m.shift;
    h.warps = h.blocks * (blockDim.x / 32);
    h.me = h.rank * (blockDim.x / 32) + simt_warp();
    return h;
}

/* Every place before the first phase. All threads; the cluster meets after it. */
static __device__ __forceinline__ void furnish(const level_search &s, const home_method &m, const home &h)
{
    for (uint32_t i = threadIdx.x; i < m.places; i += blockDim.x) {
        const uint64_t v = ((uint64_t)i << m.shift) + h.rank;
        const bool there = v < s.out.n;
        h.label[i] = m.f.s.infinity;
        h.light[i] = there ? (uint32_t)get_lightest(m.out, (uint32_t)v) : UNSEEN;
        h.begin[i] = there ? s.out.off32[v] : 0;
        h.end[i] = there ? s.out.off32[v + 1] : 0;
    }
    if (threadIdx.x == 0)
        h.share->stop = 0;
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < m.source_count; i += blockDim.x)
        if ((m.sources[i] & (h.blocks - 1)) == h.rank)
            simt_store_relaxed(&h.label[m.sources[i] >> m.shift], m.f.s.zero);
}

/* The label of v, at its home. */
static __device__ __forceinline__ uint32_t *label_at_home(const home_method &m, const home &h, uint32_t v)
{
    return simt_cluster_at(h.label, v & (h.blocks - 1)) + (v >> m.shift);
}

/* H3. */
static __device__ __forceinline__ void halt(const home &h, unsigned why)
{
    for (unsigned b = 0; b < h.blocks; b++)
        (void)atomicOr(&simt_cluster_at(h.share, b)->stop, why);
}

/* ---- a phase ----------------------------------------------------------------------------------------------------- */

/* Asks for a list, on its way to L2. All lanes. */
static __device__ __forceinline__ void fetch_list(const scale<uint32_t> &s, const device_csr &g, uint32_t begin,
                                                  uint32_t end)
{
    const bool bare = s.weights == WEIGHT_ONE || s.weights == WEIGHT_F64;
    const uint32_t each = bare ? 32 : 16; /* arcs in 128 bytes */
    for (uint64_t e = begin + (uint64_t)simt_lane() * each; e < end; e += 32 * each)
        simt_prefetch(bare ? (const void *)&g.adj[e] : (const void *)&g.pairs[e]);
}

/* The warp's offer, to all blocks. True for the lane whose vertex it is; *which: of its places. All lanes. */
static __device__ __forceinline__ bool make_offer(const level_search &s, const home_method &m, home &h, unsigned *which)
{
    const uint32_t none = m.f.s.infinity;
    uint32_t first = none, second = none;
    uint32_t mine = 0;
#pragma unroll 4
    for (uint32_t i = threadIdx.x, k = 0; i < m.places; i += blockDim.x, k++) {
        const uint32_t key = (h.settled >> k & 1) != 0 ? none : h.label[i], light = h.light[i];
        const uint32_t reach = key == none ? none : reach_of(m.f.s, key, light == UNSEEN ? FARTHEST : (word64)light);
        if (key < first) {
            first = key;
            mine = i;
            *which = k;
        }
        second = reach < second ? reach : second;
    }
    __syncwarp();
    const uint32_t least = simt_reduce_min(WARP_ALL, first), reach = simt_reduce_min(WARP_ALL, second);
    const int owner = __ffs((int)__ballot_sync(WARP_ALL, first == least)) - 1;
    const uint32_t i = __shfl_sync(WARP_ALL, mine, owner);
    const bool some = least != none;
    const offer o = {least, reach};
    const uint2 row = {some ? h.begin[i] : 0, some ? h.end[i] : 0};
    if (simt_lane() < h.blocks) {
        home_share *to = simt_cluster_at(h.share, simt_lane());
        to->offers[h.me] = o;
        to->lists[h.me] = row;
    }
    if (row.x != h.asked)
        fetch_list(m.f.s, s.out, row.x, row.y);
    h.asked = row.x;
    h.offered = least;
    return some && (int)simt_lane() == owner;
}

/* Is a vertex of this label final? */
static __device__ __forceinline__ bool is_final_offer(const home_method &m, const home_phase &p, uint32_t key)
{
    return key != m.f.s.infinity && (key == p.least || (m.by_out && key <= p.reach));
}

/* M, L and who is final. All lanes. */
static __device__ __forceinline__ void see_offers(const home_method &m, const home &h, home_phase *p)
{
    p->least = p->reach = m.f.s.infinity;
    p->count = 0;
#pragma unroll
    for (int k = 0; k < OFFERS_EACH; k++) {
        const unsigned i = k * 32 + simt_lane();
        offer o = {m.f.s.infinity, m.f.s.infinity};
        if (i < h.warps)
            o = h.share->offers[i];
        p->label[k] = o.label;
        p->least = o.label < p->least ? o.label : p->least;
        p->reach = o.reach < p->reach ? o.reach : p->reach;
    }
    p->least = simt_reduce_min(WARP_ALL, p->least);
    p->reach = simt_reduce_min(WARP_ALL, p->reach);
#pragma unroll
    for (int k = 0; k < OFFERS_EACH; k++) {
        p->final[k] = __ballot_sync(WARP_ALL, is_final_offer(m, *p, p->label[k]));
        p->count += (unsigned)__popc(p->final[k]);
    }
}

/* Number x of the final offers: its label, and where it stands. All lanes. */
static __device__ __forceinline__ uint32_t final_offer(const home_phase &p, unsigned x, unsigned *at)
{
    uint32_t label = 0;
    bool mine = false;
    unsigned before = 0;
#pragma unroll
    for (int k = 0; k < OFFERS_EACH; k++) {
        const unsigned number = before + (unsigned)__popc(p.final[k] & lanes_below());
        if ((p.final[k] >> simt_lane() & 1) != 0 && number == x) {
            mine = true;
            label = p.label[k];
            *at = k * 32 + simt_lane();
        }
        before += (unsigned)__popc(p.final[k]);
    }
    const int lane = __ffs((int)__ballot_sync(WARP_ALL, mine)) - 1;
    *at = __shfl_sync(WARP_ALL, *at, lane);
    return __shfl_sync(WARP_ALL, label, lane);
}

/* An arc out of a vertex of this label. */
static __device__ __forceinline__ void lower_at_home(const home_method &m, const home &h, uint32_t key,
                                                     const arc_data &c)
{
    uint32_t sum;
    const int how = add_weight(m.f.s, key, c.w, &sum);
    if (how == SUM_INFINITE)
        refuse_sum(m.f, how);
    else if (how != SUM_OK)
        halt(h, how == SUM_HOT ? STOP_HOT : STOP_LOW);
    else if (sum <= m.f.bound)
        (void)atomicMin(label_at_home(m, h, c.v), sum);
}

/* The final lists, shared out over the warps of the cluster, so that each has one (there are no more offers than
 * warps). All lanes. */
static __device__ __forceinline__ void relax_finals(const level_search &s, const home_method &m, const home &h,
                                                    const home_phase &p)
{
    const unsigned x = p.count == 1 ? 0 : h.me * p.count / h.warps;
    const unsigned first = p.count == 1 ? 0 : (x * h.warps + p.count - 1) / p.count;
    const unsigned many = p.count == 1 ? h.warps : ((x + 1) * h.warps + p.count - 1) / p.count - first;
    unsigned at = 0;
    const uint32_t key = final_offer(p, x, &at);
    const uint2 row = h.share->lists[at];
    const uint64_t stride = many * 32;
    for (uint64_t e = row.x + (uint64_t)(h.me - first) * 32 + simt_lane(); e < row.y; e += AHEAD * stride) {
        arc_data c[AHEAD] = {};
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (e + k * stride < row.y)
                load_weighted_from(m.f.s, s.out.adj, s.out.pairs, s.out.weight, e + k * stride, &c[k]);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (e + k * stride < row.y)
                lower_at_home(m, h, key, c[k]);
    }
    __syncwarp();
}

/* One thread of the cluster: targets, the host, and that there are no more phases than vertices. */
static __device__ __forceinline__ void lead_home(const level_search &s, const home_method &m, const home &h,
                                                 uint32_t least, unsigned phase)
{
    unsigned stop = phase + 1 >= s.most ? LEVEL_STOP_LIMIT : 0, *target = &s.st->target;
    while (m.target_count != 0 && *target < m.target_count /* which lies in L2: not asked without need */
           && simt_load_relaxed(label_at_home(m, h, m.targets[*target])) < least)
        ++*target;
    if (m.target_count != 0 && *target == m.target_count)
        stop |= LEVEL_STOP_TARGETS;
    if (phase % HOME_LISTENS == 0)
        stop |= level_listen(s, phase);
    if (stop != 0)
        halt(h, stop);
}

/* The lane's final offers. */
static __device__ __forceinline__ void tally(const home &h, const home_phase &p, word64 *settled, word64 *arcs)
{
#pragma unroll
    for (int k = 0; k < OFFERS_EACH; k++)
        if ((p.final[k] >> simt_lane() & 1) != 0) {
            const uint2 row = h.share->lists[k * 32 + simt_lane()];
            ++*settled;
            *arcs += row.y - row.x;
        }
}

/* What was counted, in the end; `settled` and `arcs` are those of the cluster's first warp, lane by lane. */
static __device__ __forceinline__ void close_home(const level_search &s, unsigned phases, unsigned stop, word64 settled,
                                                  word64 arcs)
{
    level_state *st = s.st;
    (void)atomicAdd(&st->total[COUNT_ARCS], arcs);
    (void)atomicAdd(&st->total[COUNT_FRONTIER], settled);
    (void)atomicAdd(&st->total[COUNT_SETTLED], settled);
    if (simt_lane() != 0)
        return;
    st->level = phases;
    st->slots[phases % 3].stop = stop;
}

/* All phases; one cluster. */
static __global__ void __launch_bounds__(HOME_THREADS, 1)
    home_kernel(const __grid_constant__ level_search s, const __grid_constant__ home_method m)
{
    SIMT_SHARED_DYNAMIC(char, room);
    SIMT_SHARED(home_share, share, 1);
    home h = open_home(m, room);
    home_phase p;
    word64 settled = 0, arcs = 0;
    unsigned phases = 0, stop = 0;
    h.share = share;
    furnish(s, m, h);
    simt_cluster_sync();
    while (stop == 0) {
        unsigned which = 0;
        const bool mine = make_offer(s, m, h, &which);
        simt_cluster_sync();
        see_offers(m, h, &p);
        if (p.count == 0)
            break;
        if (mine && is_final_offer(m, p, h.offered))
            h.settled |= 1ull << which;
        if (h.me == h.warps - 1 && simt_lane() == 0)
            lead_home(s, m, h, p.least, phases);
        __syncwarp();
        relax_finals(s, m, h, p);
        if (h.me == 0)
            tally(h, p, &settled, &arcs);
        phases++;
        simt_cluster_sync();
        stop = simt_load_relaxed(&h.share->stop);
    }
    for (uint32_t i = threadIdx.x; i < m.places; i += blockDim.x) {
        const uint64_t v = ((uint64_t)i << m.shift) + h.rank;
        if (v < s.out.n)
            m.f.label[v] = h.label[i];
    }
    if (h.me == 0)
        close_home(s, phases, stop, settled, arcs);
}

} /* namespace SIMT_FLAVOUR */

#endif
