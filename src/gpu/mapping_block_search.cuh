/* mapping_block_search.cuh - L8 `block-search`: a block takes a fixed number of vertices, keeps their prefix sum in
 * shared memory and shares their arcs out evenly: one search a thread, then neighbouring arcs one after the other
 * (cooperative blocks, Davidson, Baxter, Garland, Owens 2014; Graph Algorithms on GPUs, section 5.3.3).
 *
 * Threads of a block are balanced, blocks are not; neighbouring threads read far-apart arcs.
 */
#ifndef NF_GPU_MAPPING_BLOCK_SEARCH_CUH
#define NF_GPU_MAPPING_BLOCK_SEARCH_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

#define MAXI_CHUNK 1024u /* vertices a block takes at a time */

/* Arcs first .. first + each - 1 of the chunk that starts at entry `start`, by this thread. All lanes, the same each.
 * */
template <class F, class Off>
static __device__ __forceinline__ void walk_slot(const arena<Off> &a, job<F, Off> &j, uint32_t start, uint32_t length,
                                                 uint32_t total, word64 first, uint32_t each)
{
    const uint32_t *ends = j.ws->chunk; /* [i]: arcs before entry start + i; [length] = total */
    const word64 stop = first + each < total ? first + each : total, before = j.from.scan[start];
    uint32_t i = first < total ? search_sorted(ends, length, first) : 0;
    for (uint32_t done = 0; done < each; done += AHEAD) {
        uint32_t u[AHEAD] = {};
        word64 source[AHEAD] = {}, e[AHEAD] = {};
        bool live[AHEAD];
        for (int k = 0; k < AHEAD; k++) {
            const word64 x = first + done + k;
            live[k] = x < stop;
            if (!live[k])
                continue;
            while (ends[i + 1] <= x)
                i++;
            u[k] = j.from.vertex[start + i];
            source[k] = source_of(j.f, u[k]);
            e[k] = (Off)(before + x + j.from.shift[start + i]);
        }
        visit_arcs(a, j, live, u, source, e);
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_block_search(const arena<Off> &a, job<F, Off> &j)
{
    uint32_t *ends = j.ws->chunk;
    for (word64 at = (word64)j.p.rank * MAXI_CHUNK; at < j.count; at += (word64)j.p.size * MAXI_CHUNK) {
        const uint32_t start = (uint32_t)at, length = j.count - start < MAXI_CHUNK ? j.count - start : MAXI_CHUNK;
        const word64 before = j.from.scan[start], total = scan_at(j, start + length) - before;
        if (total > 0x7fffffffu) { /* too many for the numbers in shared memory */
            for (uint32_t i = 0; i < length; i++)
                strip_list(a, j, list_of(j, start + i), blockDim.x, threadIdx.x);
            continue;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i <= length; i += blockDim.x)
            ends[i] = (uint32_t)(scan_at(j, start + i) - before);
        __syncthreads();
        const uint32_t each = ((uint32_t)total - 1) / blockDim.x + 1;
        walk_slot(a, j, start, length, (uint32_t)total, (word64)threadIdx.x * each, each);
    }
    __syncthreads();
}

} /* namespace SIMT_FLAVOUR */

#endif
