/* bfs_4k_wide.cuh - what BFS-4K's large levels do together: long rows in parts, and a next frontier swept from levels.
 *
 * Parts stand for the child kernels of Busato and Bombieri 2015, section 5.3: K3 arcs a thread, but by the warps that
 * are there, in the same launch, when the level's other rows are done. Sweeping stands for queues and hash64 where a
 * level finds a good part of all vertices: what it finds is marked only, and then all labels are read, in order: no
 * duplicate, no atomic for each warp, and rows that lie side by side are walked side by side in the next level.
 *
 * Invariants
 *   P1 parts are written before a barrier and walked after it; there is room for all (K3);
 *   P2 a swept frontier has every vertex of its level once, in order within a warp's share of the labels. Nobody writes
 *      levels or takes places of that frontier while it is swept.
 */
#ifndef NF_GPU_BFS_4K_WIDE_CUH
#define NF_GPU_BFS_4K_WIDE_CUH

#include "gpu/bfs_4k.cuh"

namespace SIMT_FLAVOUR
{

enum { MOST_PARTS = 1024 }; /* of a row: one thread writes them */

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ word64 part_size(const setting4k &k, word64 degree)
{
    const word64 usual = (word64)k.k3 * 32;
    return degree > usual * MOST_PARTS ? (degree - 1) / MOST_PARTS + 1 : usual;
}

struct shared_children {
    template <class Off>
    static __device__ __forceinline__ bool take(const search4k<Off> &g, const work4k &w, const row4k<Off> &r)
    {
        const word64 degree = r.end - r.begin;
        if (!g.k.parts || degree <= g.k.child_degree)
            return false;
        const unsigned parts = (unsigned)((degree - 1) / part_size(g.k, degree)) + 1;
        const unsigned first = atomicAdd(&w.next->parts, parts);
        (void)atomicAdd(&w.next->children, 1u);
        for (unsigned i = 0; i < parts; i++) {
            const part4k part = {r.u, i};
            g.parts[first + i] = part;
        }
        return true;
    }
};

/* The parts that this level's rows were cut into. All warps of the crew. */
template <class Off> static __device__ __forceinline__ void visit_parts(const search4k<Off> &g, work4k &w, crew4k c)
{
    const unsigned parts = w.next->parts;
    for (word64 i = c.warp; i < parts; i += c.warps) {
        const part4k part = g.parts[i];
        const Off begin = g.off[part.u], end = g.off[part.u + 1];
        const word64 size = part_size(g.k, end - begin), at = part.part * size, left = (word64)(end - begin) - at;
        const row4k<Off> r = {(Off)(begin + at), (Off)(begin + at + (left < size ? left : size)), part.u};
        walk_row(g, w, r, (Off)32, (Off)simt_lane());
    }
}

/* ---- sweeping ---------------------------------------------------------------------------------------------------- */

/* A bit for each of vertices 4 q ... 4 q + 3 that is of this level. */
static __device__ __forceinline__ unsigned found_in(const level_search &s, uint32_t level, word64 q)
{
    const word64 v = q * 4;
    unsigned bits = 0;
    if (v + 4 <= s.out.n) {
        const uint4 h = simt_load16(&s.hop[v]);
        return (unsigned)(h.x == level) | (unsigned)(h.y == level) << 1 | (unsigned)(h.z == level) << 2
               | (unsigned)(h.w == level) << 3;
    }
    for (unsigned k = 0; v + k < s.out.n; k++)
        bits |= (unsigned)(s.hop[v + k] == level) << k;
    return bits;
}

/* The vertices of w.level into the next queue (P2). All threads of the crew's blocks. */
template <class Off> static __device__ __forceinline__ void sweep_levels_4k(const search4k<Off> &g, work4k &w, crew4k c)
{
    const word64 quads = ((word64)g.s.out.n + 3) / 4, share = ((quads - 1) / c.warps / 32 + 1) * 32;
    const word64 begin = c.warp * share, end = begin + share < quads ? begin + share : quads;
    unsigned mine = 0, all = 0;
    for (word64 q = begin + simt_lane(); q < end; q += 32)
        mine += (unsigned)__popc(found_in(g.s, w.level, q));
    __syncwarp();
    const unsigned earlier = block_base(simt_reduce_add(WARP_ALL, mine), w.d.sums, &all);
    if (threadIdx.x == 0)
        *w.d.place = all != 0 ? atomicAdd(&w.next->count, (word64)all) : 0;
    __syncthreads();
    word64 at = *w.d.place + earlier;
    for (word64 base = begin; base < end; base += 32) {
        const word64 q = base + simt_lane();
        unsigned bits = q < end ? found_in(g.s, w.level, q) : 0, sum = 0;
        word64 place = at + warp_scan((unsigned)__popc(bits), &sum);
        for (; bits != 0; bits &= bits - 1)
            w.far[place++] = (uint32_t)(q * 4) + (uint32_t)__ffs((int)bits) - 1;
        at += sum;
        __syncwarp();
    }
    __syncthreads();
}

} /* namespace SIMT_FLAVOUR */

#endif
