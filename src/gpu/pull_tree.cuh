/* pull_tree.cuh - any tree of shortest paths from final labels, where arcs lead both ways and lists lie by weight
 * (ordered.cu): every vertex looks for a parent in its own list, the lightest arc first.
 *
 * A tight arc to a vertex is seldom heavy, so a few looks at a list do where a pass over all arcs looks at each. A
 * thread looks at the first arcs of its vertex, a warp at some more of those that found none, and a block at the rest:
 * of hubs that the source reaches by a heavy arc there are few, but their lists are long.
 * Invariants: T1 of sssp.cuh, and
 *   P1 weights are not negative, so behind an arc that is heavier than the label itself no arc is tight.
 * Cost: the arcs before the lightest tight one of each vertex, up to the next 32, 128 or 4,096.
 */
#ifndef NF_GPU_PULL_TREE_CUH
#define NF_GPU_PULL_TREE_CUH

#include "gpu/engine.cuh"
#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

enum { TREE_ALONE = 16, TREE_WARP = 512 + TREE_ALONE, TREE_AHEAD = 4 }; /* arcs of a list */

template <class K, class Off> struct tree_lists {
    const Off *off;
    const uint2 *pairs;
    const K *label;
    uint32_t *parent;
    uint32_t *left; /* n places for those whose lists are a block's, and their number */
    unsigned *left_count;
    scale<K> s;
    uint32_t n;
};

typedef enum tree_verdict { TREE_ON = 0, TREE_FOUND, TREE_END } tree_verdict;

/* What arc e, seen from its end, tells of it. */
template <class K, class Off>
static __device__ __forceinline__ int look_back(const tree_lists<K, Off> &t, K key, word64 e, uint32_t *u)
{
    const uint2 x = __ldg(&t.pairs[e]);
    K sum;
    if (add_weight(t.s, t.s.zero, x.y, &sum) == SUM_OK && sum > key)
        return TREE_END; /* P1 */
    const K from = t.label[x.x];
    *u = x.x;
    return from < key && add_weight(t.s, from, x.y, &sum) == SUM_OK && sum == key ? TREE_FOUND : TREE_ON;
}

/* A list from `begin` on by the warp: TREE_ON if it ends without an answer. All lanes. */
template <class K, class Off>
static __device__ __forceinline__ int look_back_together(const tree_lists<K, Off> &t, K key, word64 begin, word64 end,
                                                         uint32_t *u)
{
    for (word64 base = begin; base < end; base += 32 * TREE_AHEAD) {
        int verdict[TREE_AHEAD], any = TREE_ON;
        uint32_t who[TREE_AHEAD] = {}, mine = 0;
#pragma unroll
        for (int k = 0; k < TREE_AHEAD; k++) {
            const word64 e = base + k * 32 + simt_lane();
            verdict[k] = e < end ? look_back(t, key, e, &who[k]) : (int)TREE_ON;
        }
#pragma unroll
        for (int k = 0; k < TREE_AHEAD; k++) {
            mine = verdict[k] == TREE_FOUND ? who[k] : mine;
            any = verdict[k] == TREE_FOUND || (verdict[k] == TREE_END && any == TREE_ON) ? verdict[k] : any;
        }
        __syncwarp();
        const unsigned found = __ballot_sync(WARP_ALL, any == TREE_FOUND);
        if (found != 0) {
            *u = __shfl_sync(WARP_ALL, mine, __ffs((int)found) - 1);
            return TREE_FOUND;
        }
        if (__any_sync(WARP_ALL, any == TREE_END))
            return TREE_END;
    }
    return TREE_ON;
}

/* A thread a vertex, then a warp. */
template <class K, class Off> static __global__ void tree_kernel(const __grid_constant__ tree_lists<K, Off> t)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < t.n; base += stride) {
        const uint64_t v = base + simt_lane();
        const K key = v < t.n ? t.label[v] : t.s.infinity;
        const bool wants = key != t.s.infinity && key != t.s.zero;
        const word64 begin = wants ? t.off[v] : 0, end = wants ? t.off[v + 1] : 0;
        const word64 alone = end - begin < TREE_ALONE ? end : begin + TREE_ALONE;
        uint32_t parent = NF_NO_VERTEX, u = 0;
        int verdict = TREE_ON;
        for (word64 e = begin; e < alone && verdict == TREE_ON; e++)
            verdict = look_back(t, key, e, &u);
        parent = verdict == TREE_FOUND ? u : parent;
        __syncwarp();
        for (unsigned rest = __ballot_sync(WARP_ALL, verdict == TREE_ON && alone < end); rest != 0; rest &= rest - 1) {
            const int lane = __ffs((int)rest) - 1;
            const K of = __shfl_sync(WARP_ALL, key, lane);
            const word64 from = __shfl_sync(WARP_ALL, begin, lane), to = __shfl_sync(WARP_ALL, end, lane);
            const word64 last = to - from < TREE_WARP ? to : from + TREE_WARP;
            const int all = look_back_together(t, of, from + TREE_ALONE, last, &u);
            if ((int)simt_lane() == lane) {
                verdict = all == TREE_ON && last == to ? (int)TREE_END : all;
                parent = all == TREE_FOUND ? u : parent;
            }
        }
        const bool leaves = wants && verdict == TREE_ON && alone < end;
        const unsigned mask = __ballot_sync(WARP_ALL, leaves);
        unsigned at = 0;
        if (simt_lane() == 0 && mask != 0)
            at = atomicAdd(t.left_count, (unsigned)__popc(mask));
        at = __shfl_sync(WARP_ALL, at, 0);
        if (leaves)
            t.left[at + __popc(mask & lanes_below())] = (uint32_t)v;
        if (v < t.n)
            t.parent[v] = parent;
    }
}

/* A block for each of those that are left. */
template <class K, class Off> static __global__ void tree_left_kernel(const __grid_constant__ tree_lists<K, Off> t)
{
    SIMT_SHARED(unsigned, told, 2); /* a parent; is there more? */
    for (unsigned i = blockIdx.x; i < *t.left_count; i += gridDim.x) {
        const uint32_t v = t.left[i];
        const K key = t.label[v];
        const word64 end = t.off[v + 1];
        bool on = true;
        for (word64 base = t.off[v] + TREE_WARP; base < end && on; base += (word64)blockDim.x) {
            const word64 e = base + threadIdx.x;
            uint32_t u = 0;
            __syncthreads();
            if (threadIdx.x == 0) {
                told[0] = NF_NO_VERTEX;
                told[1] = 1;
            }
            __syncthreads();
            const int verdict = e < end ? look_back(t, key, e, &u) : (int)TREE_ON;
            if (verdict == TREE_FOUND)
                (void)atomicMin(&told[0], u);
            if (verdict != TREE_ON)
                (void)atomicMin(&told[1], 0u);
            __syncthreads();
            on = told[1] != 0;
            if (threadIdx.x == 0 && told[0] != NF_NO_VERTEX)
                t.parent[v] = told[0];
        }
    }
}

/* Parents of all that are neither sources nor unreached, where they have one. e: its queue is lent, its state
 * cleared. */
template <class K, class Off> static nf_status pull_tree(engine *e, const K *label, const scale<K> &s, uint32_t *parent)
{
    nf_status st = NF_OK;
    device *d = e->d;
    const device_csr &g = e->g->out;
    const unsigned block = device_block(d, 256), wide = device_block(d, 1024);
    const tree_lists<K, Off> t = {offsets_of(g, (const Off *)NULL), e->g->by_weight.pairs, label, parent,
                                  (uint32_t *)e->vertex[0],         &e->st->pool[0],       s,     g.n};
    NF_TRY_CUDA(d, SIMT_LAUNCH((tree_kernel<K, Off>), device_grid(g.n, block, 1), block, 0, d->stream, t));
    NF_TRY_CUDA(d, SIMT_LAUNCH((tree_left_kernel<K, Off>), (unsigned)d->multiprocessors, wide, 0, d->stream, t));
done:
    return st;
}

/* Can it be had? */
static inline bool has_pull_tree(const engine *e)
{
    return e->g->symmetric && e->g->by_weight.pairs != NULL && e->vertex[0] != NULL;
}

} /* namespace SIMT_FLAVOUR */

#endif
