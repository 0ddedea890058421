/* mapping_multi_phase.cuh - L10 `multi-phase`: L9 with coalesced expansion and iterated searches (Busato and Bombieri
 * 2015; Graph Algorithms on GPUs, section 5.4 to 5.6).
 *
 * Iterated searches: a chunk is IS times as large; each thread searches it IS times and notes the entries of its
 * neighbouring arcs in registers, so that chunks, barriers and loads are fewer. Coalesced expansion: a warp moves what
 * its lanes noted through its own slots of shared memory, so that its lanes then visit neighbouring arcs together. Only
 * warps wait for each other there.
 */
#ifndef NF_GPU_MAPPING_MULTI_PHASE_CUH
#define NF_GPU_MAPPING_MULTI_PHASE_CUH

#include "gpu/mapping_two_phase.cuh"

namespace SIMT_FLAVOUR
{

/* Loads the chunk that starts within entry c->start; chunk[length] = its arcs. All threads. */
template <class F, class Off> static __device__ __forceinline__ void load_chunk(job<F, Off> &j, chunk *c)
{
    uint32_t *ends = j.ws->chunk, got;
    c->length = 0;
    __syncthreads();
    do {
        const word64 i = (word64)c->start + c->length + threadIdx.x;
        const word64 before = i < j.count ? (word64)j.from.scan[i] : c->end;
        if (before < c->end)
            ends[c->length + threadIdx.x] = before > c->begin ? (uint32_t)(before - c->begin) : 0;
        got = (uint32_t)__syncthreads_count(before < c->end);
        c->length += got;
    } while (got == blockDim.x);
    if (threadIdx.x == 0)
        ends[c->length] = (uint32_t)(c->end - c->begin);
    __syncthreads();
}

/* The blocks of this part: the chunks of this one, [*first, *last), and the entry where the first begins. */
template <class F, class Off>
static __device__ __forceinline__ uint32_t partition(const arena<Off> &a, job<F, Off> &j, uint32_t each, word64 *first,
                                                     word64 *last)
{
    const word64 chunks = (j.arcs + each - 1) / each;
    *first = chunks * j.p.rank / j.p.size;
    *last = chunks * (j.p.rank + 1) / j.p.size;
    if (a.census && threadIdx.x == 0) {
        (void)atomicMax(&j.next->most_work, (unsigned)(*last - *first));
        (void)atomicMin(&j.next->least_work, (unsigned)(*last - *first));
    }
    if (*first == *last)
        return 0;
    __syncthreads();
    if (simt_warp() == 0) {
        const uint32_t start = search_by_warp(j.from.scan, j.count, *first * each);
        if (simt_lane() == 0)
            j.ws->word[0] = start;
    }
    __syncthreads();
    return j.ws->word[0];
}

enum { MOST_SEARCHES = 4 }; /* bound of IS: each takes ARCS_EACH registers a thread */

/* IS within what the chunk in shared memory holds. */
static __device__ __forceinline__ uint32_t search_count(unsigned asked)
{
    const uint32_t room = CHUNK_ARCS / (blockDim.x * ARCS_EACH);
    const uint32_t most = room < (uint32_t)MOST_SEARCHES ? room : (uint32_t)MOST_SEARCHES;
    return asked < most ? asked : most;
}

template <class F, class Off>
static __device__ __forceinline__ void expand_large_chunk(const arena<Off> &a, job<F, Off> &j, const chunk &c,
                                                          uint32_t searches)
{
    const uint32_t arcs = (uint32_t)(c.end - c.begin), row = blockDim.x * ARCS_EACH;
    uint32_t entry[MOST_SEARCHES][ARCS_EACH];
#pragma unroll
    for (uint32_t s = 0; s < MOST_SEARCHES; s++)
        if (s < searches)
            note_entries(j.ws->chunk, c.length, arcs, s * row + threadIdx.x * ARCS_EACH, entry[s]);
#pragma unroll
    for (uint32_t s = 0; s < MOST_SEARCHES; s++) {
        const uint32_t x0 = s * row + simt_warp() * 32 * ARCS_EACH;
        if (s < searches && x0 < arcs) /* the same in the whole warp */
            visit_entries(a, j, c, x0, entry[s]);
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_multi_phase(const arena<Off> &a, job<F, Off> &j, unsigned asked)
{
    const uint32_t searches = search_count(asked), each = blockDim.x * ARCS_EACH * searches;
    word64 first, last;
    chunk c = {};
    c.start = partition(a, j, each, &first, &last);
    for (word64 at = first; at < last; at++) {
        c.begin = at * each;
        c.end = c.begin + each < j.arcs ? c.begin + each : j.arcs;
        load_chunk(j, &c);
        expand_large_chunk(a, j, c, searches);
        c.start += c.length - 1;
    }
    __syncthreads();
}

} /* namespace SIMT_FLAVOUR */

#endif
