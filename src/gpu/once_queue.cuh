/* once_queue.cuh - a queue that every vertex of a search enters at most once, and its arcs shared out evenly to warps.
 *
 * Levels lie one behind the other in the same n places. With each vertex goes the number of arcs before it in the whole
 * queue; both are taken by one 64-bit atomic addition of (vertices, arcs), so they grow in the same order and no scan
 * is needed. A level's vertices and arcs are known from its size, so nobody reads the tail while it grows.
 * A warp that expands takes one stretch of the level's arcs: the vertex where it begins is searched for by 32 probes at
 * a time, then the ends of 32 lists lie in the lanes, and each arc finds its list by shuffles (Davidson et al. 2014,
 * load-balanced partitioning; Busato and Bombieri 2015, edge-discover).
 * Invariants
 *   O1 places and arcs never exceed n and m: whoever puts a vertex in has won it, once in the search;
 *   O2 before[i] never falls; of equal ones the last has the arcs, the others have none;
 *   O3 stretches of warps are equal but for the last.
 * Memory: 4 n and the offsets' width n.
 */
#ifndef NF_GPU_ONCE_QUEUE_CUH
#define NF_GPU_ONCE_QUEUE_CUH

#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

enum {
    ONCE_EACH = 4, /* entries a lane writes out at a time, and arcs of a thread under way */
    ONCE_SLOTS = 32 * ONCE_EACH,
    ONCE_STRETCH = 256 /* the least arcs a warp takes: the search for their vertex must pay */
};

typedef struct once_queue {
    uint32_t *vertex;
    uint32_t *before32; /* one of the two, as the graph's offsets are */
    uint64_t *before64;
    word64 *tail;
    int arc_bits; /* of the tail: vertices << arc_bits | arcs */
} once_queue;

/* Part of a queue: a level. */
typedef struct once_part {
    uint32_t first, count;
    word64 arc, arcs; /* the first, and how many */
} once_part;

static __device__ __forceinline__ word64 once_before(const once_queue &q, uint64_t i)
{
    return q.before32 != NULL ? q.before32[i] : q.before64[i];
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

/* Writes the warp's `fill` vertices to the queue; the arcs out of them. All lanes. */
static __device__ __forceinline__ word64 once_flush(const level_search &s, const once_queue &q, const uint32_t *slots,
                                                    unsigned fill)
{
    uint32_t v[ONCE_EACH];
    word64 earlier[ONCE_EACH], sum = 0, tail = 0;
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < ONCE_EACH; k++) {
        const bool has = k * 32 + simt_lane() < fill;
        word64 all = 0;
        v[k] = has ? slots[k * 32 + simt_lane()] : 0;
        const word64 degree = has ? csr_offset(s.out, v[k] + 1) - csr_offset(s.out, v[k]) : 0;
        earlier[k] = sum + warp_scan(degree, &all);
        sum += all;
    }
    if (simt_lane() == 0 && fill != 0)
        tail = atomicAdd(q.tail, ((word64)fill << q.arc_bits) | sum);
    tail = __shfl_sync(WARP_ALL, tail, 0);
    const uint64_t place = tail >> q.arc_bits;
    const word64 arcs = tail & ((1ull << q.arc_bits) - 1);
#pragma unroll
    for (unsigned k = 0; k < ONCE_EACH; k++) {
        const unsigned i = k * 32 + simt_lane();
        if (i >= fill)
            continue;
        q.vertex[place + i] = v[k];
        if (q.before32 != NULL)
            q.before32[place + i] = (uint32_t)(arcs + earlier[k]);
        else
            q.before64[place + i] = arcs + earlier[k];
    }
    __syncwarp();
    return sum;
}

/* The v of each lane that wants it into the warp's slots, of which *fill are in use. All lanes. */
static __device__ __forceinline__ void once_put(const level_search &s, const once_queue &q, uint32_t *slots,
                                                unsigned *fill, bool want, uint32_t v, word64 *arcs)
{
    unsigned total;
    const unsigned rank = warp_rank(want, &total);
    if (*fill + total > ONCE_SLOTS) {
        *arcs += once_flush(s, q, slots, *fill);
        *fill = 0;
    }
    if (want)
        slots[*fill + rank] = v;
    *fill += total;
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

/* The last entry of the part with no more than `arc` arcs before it. All lanes, the same arc. */
static __device__ __forceinline__ uint32_t once_find(const once_queue &q, const once_part &p, word64 arc)
{
    uint64_t low = p.first, high = (uint64_t)p.first + p.count;
    while (high - low > 1) {
        const uint64_t step = (high - low - 1) / 32 + 1, probe = low + step * (simt_lane() + 1);
        const unsigned hits = (unsigned)__popc(__ballot_sync(WARP_ALL, probe < high && once_before(q, probe) <= arc));
        const uint64_t next = low + step * (hits + 1);
        low += step * hits;
        high = next < high ? next : high;
    }
    return (uint32_t)low;
}

/* 32 lists in the lanes of a warp. */
typedef struct once_window {
    uint32_t u;
    uint32_t key;  /* arcs of the window before this list; none for lists that began earlier */
    uint64_t arc0; /* where the list's arc would lie that is the window's first */
    word64 end;    /* of the window, the same in all lanes */
} once_window;

static __device__ __forceinline__ once_window once_look(const level_search &s, const once_queue &q, const once_part &p,
                                                        uint64_t first, word64 arc)
{
    once_window w = {0, UNSEEN, 0, p.arc + p.arcs};
    const uint64_t i = first + simt_lane(), end = (uint64_t)p.first + p.count;
    if (i < end) {
        const word64 before = once_before(q, i);
        w.u = q.vertex[i];
        w.key = before <= arc ? 0 : before - arc < UNSEEN ? (uint32_t)(before - arc) : UNSEEN - 1;
        w.arc0 = csr_offset(s.out, w.u) + arc - before;
    }
    if (first + 32 < end)
        w.end = once_before(q, first + 32);
    return w;
}

/* The lane whose list has the x-th arc of the window: the last with key <= x. All lanes. */
static __device__ __forceinline__ int once_owner(const once_window &w, uint32_t x)
{
    int lane = 0;
#pragma unroll
    for (int step = 16; step != 0; step /= 2) {
        const uint32_t key = __shfl_sync(WARP_ALL, w.key, lane + step);
        lane += key <= x ? step : 0;
    }
    return lane;
}

} /* namespace SIMT_FLAVOUR */

#endif
