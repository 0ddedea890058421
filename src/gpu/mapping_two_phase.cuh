/* mapping_two_phase.cuh - L9 `two-phase`: the whole prefix sum is cut into chunks of equal arcs, then each chunk is
 * expanded, K arcs a thread (load-balanced partitioning, Davidson et al. 2014, Green et al. 2012, Baxter; Graph
 * Algorithms on GPUs, section 5.3.4).
 *
 * Phase one: a block takes neighbouring chunks; one search in global memory finds the first entry, and each chunk tells
 * where the next begins. Phase two: the chunk of the prefix sum lies in shared memory, relative to the chunk; each
 * thread searches it once and walks K neighbouring arcs. By Q1 a chunk of c arcs touches at most c + 1 entries.
 * Blocks differ by at most one chunk.
 */
#ifndef NF_GPU_MAPPING_TWO_PHASE_CUH
#define NF_GPU_MAPPING_TWO_PHASE_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

enum { ARCS_EACH = AHEAD }; /* K */

/* A chunk of the prefix sum in shared memory: entries start .. start + length - 1, arcs begin .. end - 1. */
typedef struct chunk {
    word64 begin, end;
    uint32_t start, length;
} chunk;

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

/* The thread's K arcs: whose they are, then where, then arcs and labels; entries and labels once for neighbouring arcs
 * of one vertex. Nothing waits for one arc before the others are asked for (E3). */
template <class F, class Off>
static __device__ __forceinline__ void expand_chunk(const arena<Off> &a, job<F, Off> &j, const chunk &c)
{
    const uint32_t *ends = j.ws->chunk, arcs = (uint32_t)(c.end - c.begin), first = threadIdx.x * ARCS_EACH;
    uint32_t u[AHEAD] = {}, at[AHEAD] = {}, i = first < arcs ? search_sorted(ends, c.length, first) : 0;
    word64 source[AHEAD] = {}, e[AHEAD] = {};
    arc_data to[AHEAD] = {};
    bool live[AHEAD], same[AHEAD];
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++) {
        live[k] = first + k < arcs;
        while (live[k] && ends[i + 1] <= first + k)
            i++;
        at[k] = c.start + i;
        same[k] = k > 0 && at[k] == at[k > 0 ? k - 1 : 0];
    }
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        if (live[k] && !same[k]) {
            u[k] = j.from.vertex[at[k]];
            e[k] = j.from.shift[at[k]];
        }
#pragma unroll
    for (int k = 1; k < ARCS_EACH; k++)
        if (same[k]) {
            u[k] = u[k - 1];
            e[k] = e[k - 1];
        }
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        if (live[k]) {
            e[k] = (Off)(c.begin + first + k + e[k]);
            load_arc(j.f, a, e[k], &to[k]);
        }
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        if (live[k] && !same[k])
            source[k] = source_of(j.f, u[k]);
#pragma unroll
    for (int k = 1; k < ARCS_EACH; k++)
        if (same[k])
            source[k] = source[k - 1];
    show_arcs(a, j, live, u, source, e, to);
}

template <class F, class Off>
static __device__ __forceinline__ void expand_two_phase(const arena<Off> &a, job<F, Off> &j)
{
    const uint32_t each = blockDim.x * ARCS_EACH;
    word64 first, last;
    chunk c = {};
    c.start = partition(a, j, each, &first, &last);
    for (word64 at = first; at < last; at++) {
        c.begin = at * each;
        c.end = c.begin + each < j.arcs ? c.begin + each : j.arcs;
        load_chunk(j, &c);
        expand_chunk(a, j, c);
        c.start += c.length - 1; /* the last entry may go on in the next chunk */
    }
    __syncthreads();
}

} /* namespace SIMT_FLAVOUR */

#endif
