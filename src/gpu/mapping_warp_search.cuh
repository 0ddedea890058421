/* mapping_warp_search.cuh - L7 `warp-search`: a warp takes 32 vertices and shares their arcs out evenly among its lanes
 * (Graph Algorithms on GPUs, section 5.3.2).
 *
 * Two forms. In shared memory: the 32 ends of the lists lie there and each lane searches them, 5 probes an arc. In
 * registers: each lane keeps its own end and the probes are shuffles (BFS-4K edge-discover, BFS-4K section 5.4), with
 * EXT: while the last lane is inside a list with more than a warp of arcs left, the warp goes on in that list without
 * searching again. Warps with long lists take longer.
 */
#ifndef NF_GPU_MAPPING_WARP_SEARCH_CUH
#define NF_GPU_MAPPING_WARP_SEARCH_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

/* The first lane whose end is above x; ends grow with the lane. All lanes. */
static __device__ __forceinline__ unsigned search_registers(word64 end, word64 x)
{
    unsigned low = 0;
    for (unsigned step = 16; step > 0; step /= 2)
        low += __shfl_sync(WARP_ALL, end, low + step - 1) <= x ? step : 0;
    return low;
}

static __device__ __forceinline__ unsigned search_shared(const word64 *end, word64 x)
{
    unsigned low = 0;
    for (unsigned step = 16; step > 0; step /= 2)
        low += end[low + step - 1] <= x ? step : 0;
    return low;
}

/* Where this warp keeps 32 ends: in the space of its items. */
static __device__ __forceinline__ word64 *warp_ends(workspace *ws)
{
    return (word64 *)&ws->item[simt_warp() * 128];
}

/* Arcs x .. x + 127 of the warp, of `total`; the owner of the last of them, for EXT. */
template <class F, class Off>
static __device__ __forceinline__ unsigned share_arcs(const arena<Off> &a, job<F, Off> &j, list mine, word64 end,
                                                      word64 source, word64 x, word64 total, bool in_registers)
{
    const word64 *ends = warp_ends(j.ws);
    uint32_t u[AHEAD];
    word64 from[AHEAD], e[AHEAD];
    bool live[AHEAD];
    unsigned owner = 0;
    for (unsigned k = 0; k < AHEAD; k++) {
        const word64 y = x + k * 32 + simt_lane();
        live[k] = y < total;
        owner = in_registers ? search_registers(end, live[k] ? y : total - 1)
                             : search_shared(ends, live[k] ? y : total - 1);
        u[k] = __shfl_sync(WARP_ALL, mine.u, owner);
        from[k] = __shfl_sync(WARP_ALL, source, owner);
        e[k] = y + __shfl_sync(WARP_ALL, mine.end - end, owner);
    }
    visit_arcs(a, j, live, u, from, e);
    return __shfl_sync(WARP_ALL, owner, 31);
}

template <class F, class Off>
static __device__ __forceinline__ void search_32(const arena<Off> &a, job<F, Off> &j, list mine, bool in_registers,
                                                 bool extended)
{
    word64 total;
    const word64 end = warp_scan(mine.end - mine.begin, &total) + (mine.end - mine.begin);
    const word64 source = mine.begin < mine.end ? source_of(j.f, mine.u) : 0;
    if (!in_registers) {
        __syncwarp();
        warp_ends(j.ws)[simt_lane()] = end;
        __syncwarp();
    }
    for (word64 x = 0; x < total;) {
        const unsigned last = share_arcs(a, j, mine, end, source, x, total, in_registers);
        x += AHEAD * 32;
        const word64 rest = __shfl_sync(WARP_ALL, end, last);
        if (!in_registers || !extended || x + 32 >= rest)
            continue;
        list l = {__shfl_sync(WARP_ALL, mine.end, last), __shfl_sync(WARP_ALL, mine.end, last),
                  __shfl_sync(WARP_ALL, mine.u, last)};
        l.begin -= rest - x;
        strip_list(a, j, l, 32, simt_lane());
        x = rest;
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_warp_search(const arena<Off> &a, job<F, Off> &j, bool in_registers,
                                                          bool extended)
{
    const word64 stride = (word64)j.p.size * blockDim.x;
    for (word64 base = (word64)j.p.rank * blockDim.x + simt_warp() * 32; base < j.count; base += stride)
        search_32(a, j, list_of(j, base + simt_lane()), in_registers, extended);
}

} /* namespace SIMT_FLAVOUR */

#endif
