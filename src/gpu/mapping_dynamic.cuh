/* mapping_dynamic.cuh - L3 `dynamic-virtual-warp`: virtual warps whose width follows the frontier (BFS-4K, Busato and
 * Bombieri 2015; BFS-4K section 5.2).
 *
 * Width = the nearest lower power of two of resident threads / frontier size, within [K1, 32]. The resident threads are
 * those of the blocks that share the round: of one block when one block works alone.
 */
#ifndef NF_GPU_MAPPING_DYNAMIC_CUH
#define NF_GPU_MAPPING_DYNAMIC_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

static __device__ __forceinline__ unsigned dynamic_width(word64 threads, uint32_t count, unsigned least)
{
    const word64 share = threads / (count != 0 ? count : 1);
    const unsigned lower = share >= 32 ? 32 : share == 0 ? 1 : 1u << (31 - __clz((int)share));
    return lower < least ? least : lower;
}

} /* namespace SIMT_FLAVOUR */

#endif
