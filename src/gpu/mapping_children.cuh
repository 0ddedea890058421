/* mapping_children.cuh - L4 `dynamic-parallelism`: the K2 % of the vertices of highest degree are handed to kernels
 * that the kernel launches itself, K3 arcs a thread; the rest go to dynamic virtual warps (BFS-4K, Busato and Bombieri
 * 2015; BFS-4K section 5.3; Graph Algorithms on GPUs, section 5.2.1).
 *
 * Children are fired and forgotten: they end before the launch counts as complete, so only the host can tell when the
 * round is over. At most CHILDREN_MOST a round, since the device keeps a list of bounded length of launches to come;
 * what comes later is walked by its virtual warp.
 */
#ifndef NF_GPU_MAPPING_CHILDREN_CUH
#define NF_GPU_MAPPING_CHILDREN_CUH

#include "gpu/loop.cuh"

namespace SIMT_FLAVOUR
{

enum { CHILDREN_MOST = 1024 }; /* CUDA's default bound is 2,048 */

/* One list by a grid of its own. */
template <class F, class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    child_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ F f, const list l, unsigned round,
                 int to, unsigned phase)
{
    SIMT_SHARED(workspace, ws, 1);
    const part p = {blockIdx.x, gridDim.x};
    job<F, Off> j = {f, a.q[1 - to], 0, 0, p, ws, slot_of(a.st, round + 1), 0};
    open_outlet(ws, j.next, round + 1, to, false);
    begin_round(j.f, round, j.next);
    if constexpr (F::PILES)
        begin_far(a, ws, phase);
    (void)phase;
    strip_list(a, j, l, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x);
    close_outlet(a, ws, j.again);
    if constexpr (F::PILES)
        flush_far(ws);
}

/* Launches a child for a long list, by one lane of its group; true if it did. */
template <class F, class Off>
static __device__ __forceinline__ bool hand_over(const arena<Off> &a, job<F, Off> &j, const F &f, const plan &pl,
                                                 const list &l, unsigned round, int to)
{
    const word64 degree = l.end - l.begin, each = (word64)pl.t.child_arcs * blockDim.x;
    const word64 blocks = (degree - 1) / each + 1;
    if (atomicAdd(&j.next->children, 1u) >= CHILDREN_MOST) {
        (void)atomicSub(&j.next->children, 1u);
        return false;
    }
    SIMT_LAUNCH_CHILD((child_kernel<F, Off>), (unsigned)(blocks < 65535 ? blocks : 65535), blockDim.x, 0, a, f, l,
                      round, to, pl.phase);
    return true;
}

template <class F, class Off>
static __device__ __forceinline__ void expand_children(const arena<Off> &a, job<F, Off> &j, const F &f, const plan &pl,
                                                       unsigned round, int to)
{
    const tuning &t = pl.t;
    const unsigned width = dynamic_width((word64)j.p.size * blockDim.x, j.count, t.least), groups = 32 / width;
    const unsigned warps = blockDim.x / 32, within = simt_lane() & (width - 1);
    const word64 stride = (word64)j.p.size * warps * groups;
    for (word64 base = ((word64)j.p.rank * warps + simt_warp()) * groups; base < j.count; base += stride) {
        list l = list_of(j, base + simt_lane() / width);
        bool gone = false;
        if (within == 0 && l.end - l.begin > t.child_degree)
            gone = hand_over(a, j, f, pl, l, round, to);
        if (__shfl_sync(WARP_ALL, (int)gone, (int)(simt_lane() - within)) != 0)
            l.end = l.begin;
        walk_list(a, j, l, width, within);
    }
}

template <class F, class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    parent_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ F f, const __grid_constant__ plan pl,
                  unsigned round, int front)
{
    SIMT_SHARED(workspace, ws, 1);
    const part p = {blockIdx.x, gridDim.x};
    const place at = {round, 0, front, pl.phase, 0};
    const view w = look<F>(a, ws, at);
    F limited = f; /* children get it as it is now */
    if constexpr (F::PILES) {
        set_limit(limited, w.limit);
        begin_far(a, ws, pl.phase);
    }
    job<F, Off> j = {limited, a.q[front], w.count, w.arcs, p, ws, slot_of(a.st, round + 1), 0};
    open_outlet(ws, j.next, round + 1, 1 - front, false);
    begin_round(j.f, round, j.next);
    expand_children(a, j, limited, pl, round, 1 - front);
    close_outlet(a, ws, j.again);
    if constexpr (F::PILES)
        flush_far(ws);
    if (is_leader(p)) {
        open_ledger(a.st, &ws->sum);
        lead_round(a, f, pl, ws, round, w, SCOPE_HOST);
        close_ledger(a.st, &ws->sum);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
