/* mapping_direct_search.cuh - L6 `direct-search`: an arc a thread; each thread searches the whole prefix sum in global
 * memory for the vertex (Graph Algorithms on GPUs, section 5.3.1).
 *
 * Balanced to the arc, and log2(frontier) scattered reads an arc.
 */
#ifndef NF_GPU_MAPPING_DIRECT_SEARCH_CUH
#define NF_GPU_MAPPING_DIRECT_SEARCH_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

template <class F, class Off>
static __device__ __forceinline__ void expand_direct_search(const arena<Off> &a, job<F, Off> &j)
{
    const word64 threads = (word64)j.p.size * blockDim.x;
    for (word64 base = (word64)j.p.rank * blockDim.x + simt_warp() * 32; base < j.arcs; base += AHEAD * threads) {
        uint32_t u[AHEAD] = {};
        word64 source[AHEAD] = {}, e[AHEAD] = {};
        bool live[AHEAD];
        for (int k = 0; k < AHEAD; k++) {
            const word64 x = base + simt_lane() + k * threads;
            live[k] = x < j.arcs;
            if (!live[k])
                continue;
            const uint32_t i = search_sorted(j.from.scan, j.count, x);
            u[k] = j.from.vertex[i];
            source[k] = source_of(j.f, u[k]);
            e[k] = (Off)(x + j.from.shift[i]);
        }
        visit_arcs(a, j, live, u, source, e);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
