/* mapping_thread.cuh - L1 `thread`: one vertex a thread (Harish and Narayanan 2007; Graph Algorithms on GPUs, section
 * 5.1.1).
 *
 * Neighbouring threads read far-apart lists, and a warp takes as long as its longest. No cost but that.
 */
#ifndef NF_GPU_MAPPING_THREAD_CUH
#define NF_GPU_MAPPING_THREAD_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

/* A virtual warp of one thread: expand_lists then gives lane after lane a vertex of its own. */
static __device__ __forceinline__ unsigned thread_width()
{
    return 1;
}

} /* namespace SIMT_FLAVOUR */

#endif
