/* step_hop.cuh - the step of breadth-first search in any order: a vertex whose level falls is listed (mesh.cuh).
 *
 * Invariants
 *   H1 a level only falls, by atomic minimum, and whoever lowers it lists the vertex: when nothing is listed any more,
 *      levels are the least there are;
 *   H2 with parents one word holds (level, parent). Every vertex has been listed with its final level, and then all its
 *      arcs have been looked at: so the parent is the smallest there is, in every run.
 */
#ifndef NF_GPU_STEP_HOP_CUH
#define NF_GPU_STEP_HOP_CUH

#include "gpu/mesh.cuh"
#include "gpu/step_bfs.cuh"

namespace SIMT_FLAVOUR
{

/* TREE: with parents. Compiled apart, since a round that asks which of two atomics to take waits for its answer before
 * it asks for anything else. */
template <bool TREE> struct hop_step {
    static const bool PILES = false;
    uint32_t *hop; /* without parents */
    word64 *word;  /* with them: H2 */
    uint32_t bound;
};

template <bool TREE> struct is_weighted<hop_step<TREE>> {
    static const bool value = false;
};

template <bool TREE> static __device__ __forceinline__ void mesh_aim(hop_step<TREE> &f, unsigned *stop)
{
    (void)f;
    (void)stop;
}

template <bool TREE> static __device__ __forceinline__ word64 source_of(const hop_step<TREE> &f, uint32_t v)
{
    if constexpr (TREE)
        return simt_load_relaxed(&f.word[v]) >> 32;
    return simt_load_relaxed(&f.hop[v]);
}

template <bool TREE> static __device__ __forceinline__ const void *label_at(const hop_step<TREE> &f, uint32_t v)
{
    return TREE ? (const void *)&f.word[v] : (const void *)&f.hop[v];
}

/* What v held before; 0 where it lies beyond the bound. */
template <bool TREE>
static __device__ __forceinline__ word64 claim_blindly(hop_step<TREE> &f, uint32_t u, word64 source, const arc_data &c)
{
    const uint32_t level = (uint32_t)source + 1;
    if (level > f.bound)
        return 0;
    if constexpr (TREE)
        return atomicMin(&f.word[c.v], (word64)level << 32 | u);
    return atomicMin(&f.hop[c.v], level);
}

template <bool TREE>
static __device__ __forceinline__ unsigned judge_blindly(const hop_step<TREE> &f, uint32_t u, word64 source,
                                                         const arc_data &c, word64 old)
{
    const uint32_t level = (uint32_t)source + 1, before = (uint32_t)(TREE ? old >> 32 : old);
    (void)f;
    (void)u;
    (void)c;
    return before > level ? VERDICT_LIST : before == level ? VERDICT_AGAIN : VERDICT_NO;
}

template <bool TREE>
static __device__ __forceinline__ uint32_t key_after(const hop_step<TREE> &f, word64 source, const arc_data &c)
{
    (void)f;
    (void)c;
    return (uint32_t)source + 1;
}

/* No targets: levels are final at the end only. */
template <bool TREE> static __device__ __forceinline__ bool is_reached(const hop_step<TREE> &f, uint32_t v)
{
    (void)f;
    (void)v;
    return false;
}

template <bool TREE> static __device__ __forceinline__ bool seed(hop_step<TREE> &f, uint32_t v)
{
    if constexpr (TREE)
        return atomicMin(&f.word[v], (word64)v) == ~0ull;
    return atomicMin(&f.hop[v], 0u) == UNSEEN;
}

} /* namespace SIMT_FLAVOUR */

#endif
