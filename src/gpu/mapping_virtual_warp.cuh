/* mapping_virtual_warp.cuh - L2 `virtual-warp:N`: N threads a vertex, N a power of two up to 32 (Hong, Kim, Oguntebi,
 * Olukotun 2011; Graph Algorithms on GPUs, section 5.1.2, Alg. 8).
 *
 * The lanes of a group read neighbouring arcs. Lists that are no multiple of N leave lanes idle.
 */
#ifndef NF_GPU_MAPPING_VIRTUAL_WARP_CUH
#define NF_GPU_MAPPING_VIRTUAL_WARP_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

/* L1 to L3: a list for each `width` lanes. */
template <class F, class Off>
static __device__ __forceinline__ void expand_lists(const arena<Off> &a, job<F, Off> &j, unsigned width)
{
    const unsigned groups = 32 / width; /* of a warp */
    const unsigned warps = blockDim.x / 32;
    const word64 stride = (word64)j.p.size * warps * groups;
    for (word64 base = ((word64)j.p.rank * warps + simt_warp()) * groups; base < j.count; base += stride)
        walk_list(a, j, list_of(j, base + simt_lane() / width), width, simt_lane() & (width - 1));
}

} /* namespace SIMT_FLAVOUR */

#endif
