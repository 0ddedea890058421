/* mapping_cta_warp_scan.cuh - L5 `cta-warp-scan`: lists longer than CTA_TH are stripped by the whole block, longer than
 * WARP_TH by a warp, and the rest go through a block-wide prefix sum (Merrill, Garland, Grimshaw 2012; Graph Algorithms
 * on GPUs, section 5.2.2, Alg. 9).
 *
 * A block takes as many vertices as it has threads, one each. Threads with a list for the block write their number to
 * one word; whose number stays there has its list stripped, and so on. In a warp the lowest lane wins. The rest: each
 * thread writes its number once for each of its arcs into shared memory, in rounds of ITEM_SLOTS arcs, and arc by arc
 * every thread reads whose it is.
 */
#ifndef NF_GPU_MAPPING_CTA_WARP_SCAN_CUH
#define NF_GPU_MAPPING_CTA_WARP_SCAN_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

template <class F, class Off>
static __device__ __forceinline__ void strip_by_block(const arena<Off> &a, job<F, Off> &j, list &mine, unsigned above)
{
    while (__syncthreads_or(mine.end - mine.begin > above)) {
        if (mine.end - mine.begin > above)
            simt_store_relaxed(&j.ws->word[1], threadIdx.x);
        __syncthreads();
        if (simt_load_relaxed(&j.ws->word[1]) == threadIdx.x) {
            j.ws->wide[0] = mine.begin;
            j.ws->wide[1] = mine.end;
            j.ws->wide[2] = mine.u;
            mine.begin = mine.end;
        }
        __syncthreads();
        const list l = {j.ws->wide[0], j.ws->wide[1], (uint32_t)j.ws->wide[2]};
        strip_list(a, j, l, blockDim.x, threadIdx.x);
    }
}

template <class F, class Off>
static __device__ __forceinline__ void strip_by_warp(const arena<Off> &a, job<F, Off> &j, list &mine, unsigned above)
{
    unsigned mask;
    while ((mask = __ballot_sync(WARP_ALL, mine.end - mine.begin > above)) != 0) {
        const int winner = __ffs((int)mask) - 1;
        const list l = {__shfl_sync(WARP_ALL, mine.begin, winner), __shfl_sync(WARP_ALL, mine.end, winner),
                        __shfl_sync(WARP_ALL, mine.u, winner)};
        strip_list(a, j, l, 32, simt_lane());
        if ((int)simt_lane() == winner)
            mine.begin = mine.end;
    }
}

/* Arcs first .. last - 1 of the rest, whose owners lie in ws->item; chunk holds the owners' sums. */
template <class F, class Off>
static __device__ __forceinline__ void visit_owned(const arena<Off> &a, job<F, Off> &j, word64 tile, uint32_t first,
                                                   uint32_t last)
{
    const uint32_t *before = j.ws->chunk;
    for (uint32_t base = simt_warp() * 32; base < last - first; base += AHEAD * blockDim.x) {
        uint32_t u[AHEAD] = {};
        word64 source[AHEAD] = {}, e[AHEAD] = {};
        bool live[AHEAD];
        for (unsigned k = 0; k < AHEAD; k++) {
            const uint32_t x = base + simt_lane() + k * blockDim.x;
            live[k] = x < last - first;
            if (!live[k])
                continue;
            const uint32_t owner = j.ws->item[x];
            const word64 i = tile + owner;
            u[k] = j.from.vertex[i];
            source[k] = source_of(j.f, u[k]);
            e[k] = (Off)(j.from.scan[i] + j.from.shift[i]) + (word64)(first + x - before[owner]);
        }
        visit_arcs(a, j, live, u, source, e);
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_rest(const arena<Off> &a, job<F, Off> &j, word64 tile, const list &mine)
{
    const uint32_t degree = (uint32_t)(mine.end - mine.begin);
    uint32_t total;
    const uint32_t before = block_scan(degree, j.ws->sums, &total);
    j.ws->chunk[threadIdx.x] = before;
    for (uint32_t first = 0; first < total; first += ITEM_SLOTS) {
        const uint32_t last = total - first < ITEM_SLOTS ? total : first + ITEM_SLOTS;
        __syncthreads();
        for (uint32_t x = before > first ? before : first; x < before + degree && x < last; x++)
            j.ws->item[x - first] = threadIdx.x;
        __syncthreads();
        visit_owned(a, j, tile, first, last);
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_cta_warp_scan(const arena<Off> &a, job<F, Off> &j, unsigned block_th,
                                                            unsigned warp_th)
{
    const word64 stride = (word64)j.p.size * blockDim.x;
    for (word64 tile = (word64)j.p.rank * blockDim.x; tile < j.count; tile += stride) {
        list mine = list_of(j, tile + threadIdx.x);
        strip_by_block(a, j, mine, block_th);
        strip_by_warp(a, j, mine, warp_th);
        expand_rest(a, j, tile, mine);
        __syncthreads();
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
