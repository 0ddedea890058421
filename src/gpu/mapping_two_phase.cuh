/* mapping_two_phase.cuh - L9 `two-phase`: the whole prefix sum is cut into chunks of equal arcs, then each chunk is
 * expanded, K arcs a thread (load-balanced partitioning, Davidson et al. 2014, Green et al. 2012, Baxter; Graph
 * Algorithms on GPUs, section 5.3.4).
 *
 * Phase one: a warp takes neighbouring chunks; one search in global memory finds the first entry, and each chunk tells
 * where the next begins. Phase two: the chunk of the prefix sum lies in shared memory, relative to the chunk; each lane
 * searches it once for K neighbouring arcs and notes whose they are, then lanes visit neighbouring arcs side by side.
 * By Q1 a chunk of c arcs touches at most c + 1 entries. Warps differ by at most one chunk.
 * Chunks are a warp's and not a block's, so that no warp waits for another; the prefix sum of the next chunk is asked
 * for before this one is visited. Eight arcs under way in place of four take a third longer on an H200: registers.
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

enum {
    SLICE_VISITS = CHUNK_ARCS / (ENGINE_WARPS * 32 * ARCS_EACH), /* of a chunk, each of K arcs a lane */
    SLICE_WORDS = SLICE_VISITS * 32 * ARCS_EACH + 2,             /* of a warp in ws->chunk (Q1) */
    VISIT_ARCS = 32 * ARCS_EACH,
};

/* Loads the chunk that starts within entry c->start, for a warp; ends[length] = its arcs. ahead: what lies before entry
 * c->start + lane. All lanes. */
template <class F, class Off>
static __device__ __forceinline__ void load_slice(const job<F, Off> &j, chunk *c, uint32_t *ends, word64 ahead)
{
    uint32_t got;
    c->length = 0;
    __syncwarp();
    for (word64 before = ahead;; before = scan_at(j, (word64)c->start + c->length + simt_lane())) {
        if (before < c->end)
            ends[c->length + simt_lane()] = before > c->begin ? (uint32_t)(before - c->begin) : 0;
        got = (uint32_t)__popc(__ballot_sync(WARP_ALL, before < c->end));
        c->length += got;
        if (got < 32)
            break;
    }
    if (simt_lane() == 0)
        ends[c->length] = (uint32_t)(c->end - c->begin);
    __syncwarp();
}

/* Notes the entries of the K arcs from x on. */
static __device__ __forceinline__ void note_entries(const uint32_t *ends, uint32_t length, uint32_t arcs, uint32_t x,
                                                    uint32_t entry[ARCS_EACH])
{
    uint32_t i = x < arcs ? search_sorted(ends, length, x) : 0;
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++) {
        while (x + k < arcs && ends[i + 1] <= x + k)
            i++;
        entry[k] = i;
    }
}

/* The warp visits arcs x0 .. x0 + VISIT_ARCS - 1 of the chunk, whose entries its lanes noted, K neighbours each: whose
 * they are, then where, then arcs and labels; nothing waits for one arc before the others are asked for (E3). */
template <class F, class Off>
static __device__ __forceinline__ void visit_entries(const arena<Off> &a, job<F, Off> &j, const chunk &c, uint32_t x0,
                                                     const uint32_t entry[ARCS_EACH])
{
    uint32_t *slots = &j.ws->item[simt_warp() * VISIT_ARCS], u[AHEAD];
    word64 source[AHEAD] = {}, e[AHEAD] = {}, seen[AHEAD];
    arc_data to[AHEAD] = {};
    bool live[AHEAD];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        slots[simt_lane() * ARCS_EACH + k] = entry[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++) {
        const uint32_t x = k * 32 + simt_lane(), at = c.start + slots[x];
        live[k] = c.begin + x0 + x < c.end;
        u[k] = live[k] ? j.from.vertex[at] : 0;
        e[k] = live[k] ? j.from.shift[at] : 0;
    }
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        if (live[k]) {
            e[k] = (Off)(c.begin + x0 + k * 32 + simt_lane() + e[k]);
            load_arc(j.f, a, e[k], &to[k], true);
        }
#pragma unroll
    for (int k = 0; k < ARCS_EACH; k++)
        source[k] = live[k] ? source_of(j.f, u[k]) : 0;
    look_ahead(j.f, live, source, to, seen);
    show_seen(a, j, live, u, source, e, to, seen);
}

/* The chunks of this warp, [*first, *last), of `each` arcs. */
template <class F, class Off>
static __device__ __forceinline__ void share_out(const arena<Off> &a, job<F, Off> &j, uint32_t each, word64 *first,
                                                 word64 *last)
{
    const word64 chunks = (j.arcs + each - 1) / each, warps = (word64)j.p.size * (blockDim.x / 32);
    const word64 me = (word64)j.p.rank * (blockDim.x / 32) + simt_warp();
    *first = chunks * me / warps;
    *last = chunks * (me + 1) / warps;
    if (a.census && simt_lane() == 0) {
        (void)atomicMax(&j.next->most_work, (unsigned)(*last - *first));
        (void)atomicMin(&j.next->least_work, (unsigned)(*last - *first));
    }
}

/* The warp's chunks, [first, last), of `each` arcs. All lanes. */
template <class F, class Off>
static __device__ __forceinline__ void expand_slices(const arena<Off> &a, job<F, Off> &j, uint32_t each, word64 first,
                                                     word64 last)
{
    uint32_t *ends = &j.ws->chunk[simt_warp() * SLICE_WORDS], entry[ARCS_EACH];
    chunk c = {};
    c.start = search_by_warp(j.from.scan, j.count, first * each);
    word64 ahead = scan_at(j, (word64)c.start + simt_lane());
    for (word64 at = first; at < last; at++) {
        c.begin = at * each;
        c.end = c.begin + each < j.arcs ? c.begin + each : j.arcs;
        load_slice(j, &c, ends, ahead);
        ahead = scan_at(j, (word64)c.start + c.length - 1 + simt_lane());
        for (uint32_t x0 = 0; x0 < c.end - c.begin; x0 += VISIT_ARCS) {
            note_entries(ends, c.length, (uint32_t)(c.end - c.begin), x0 + simt_lane() * ARCS_EACH, entry);
            visit_entries(a, j, c, x0, entry);
        }
        c.start += c.length - 1; /* the last entry may go on in the next chunk */
    }
}

template <class F, class Off>
static __device__ __forceinline__ void expand_two_phase(const arena<Off> &a, job<F, Off> &j)
{
    const word64 lanes = (word64)j.p.size * blockDim.x;
    const uint32_t each = j.arcs <= lanes * ARCS_EACH ? (uint32_t)VISIT_ARCS : (uint32_t)(SLICE_VISITS * VISIT_ARCS);
    word64 first, last;
    share_out(a, j, each, &first, &last);
    if (first < last)
        expand_slices(a, j, each, first, last);
    __syncthreads();
}

} /* namespace SIMT_FLAVOUR */

#endif
