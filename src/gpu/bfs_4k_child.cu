/* bfs_4k_child.cu - BFS-4K's levels with dynamic parallelism (Busato and Bombieri 2015, section 5.3); a file of its
 * own, since kernels that launch kernels are compiled apart.
 *
 * A vertex of more arcs than the threshold that K2 sets is handed to a kernel launched from the device: K3 arcs a
 * thread, the parent's block size. Nobody on the device can wait for it: it counts as part of its parent's launch, and
 * the host goes on when all are done. At most CHILDREN_4K a level, since the device's list of launches to come is
 * bounded; later ones are walked by their warp.
 */
#include "gpu/bfs_4k.cuh"

namespace SIMT_FLAVOUR
{

enum { CHILDREN_4K = 1024 }; /* CUDA's default bound is 2,048 */

/* One row by a grid of its own. */
template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    child_row_kernel(const __grid_constant__ search4k<Off> g, const row4k<Off> r, unsigned level, int to)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    work4k w = {
        open_desk(g.many, memory), &g.st->slots[(level + 1) % 3], NULL, g.queue[to], 0, level + 1, 0, 0, false, false};
    walk_row(g, w, r, (Off)((Off)gridDim.x * blockDim.x), (Off)((Off)blockIdx.x * blockDim.x + threadIdx.x));
    close_level(g, w);
    close_desk(g, w);
}

struct some_children {
    template <class Off>
    static __device__ __forceinline__ bool take(const search4k<Off> &g, const work4k &w, const row4k<Off> &r)
    {
        const word64 degree = r.end - r.begin, each = (word64)g.k.k3 * blockDim.x;
        if (degree <= g.k.child_degree)
            return false;
        if (atomicAdd(&w.next->children, 1u) >= CHILDREN_4K) {
            (void)atomicSub(&w.next->children, 1u);
            return false;
        }
        const word64 blocks = (degree - 1) / each + 1;
        SIMT_LAUNCH_CHILD(child_row_kernel<Off>, (unsigned)(blocks < 65535 ? blocks : 65535), blockDim.x, g.many.bytes,
                          g, r, w.level - 1, w.far == g.queue[1] ? 1 : 0);
        return true;
    }
};

template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    parent_level_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    work4k w = {open_desk(g.many, memory), NULL, NULL, NULL, 0, 0, 0, 0, false, false};
    visit_level<some_children>(g, w, level, front, KERNEL_MULTI);
    close_level(g, w);
    close_desk(g, w);
}

template <class Off>
cudaError_t launch_4k_children(unsigned grid, unsigned block, cudaStream_t stream, const search4k<Off> &g,
                               unsigned level, int front)
{
    return SIMT_LAUNCH(parent_level_kernel<Off>, grid, block, g.many.bytes, stream, g, level, front);
}

template cudaError_t launch_4k_children<uint32_t>(unsigned, unsigned, cudaStream_t, const search4k<uint32_t> &,
                                                  unsigned, int);
template cudaError_t launch_4k_children<uint64_t>(unsigned, unsigned, cudaStream_t, const search4k<uint64_t> &,
                                                  unsigned, int);

} /* namespace SIMT_FLAVOUR */
