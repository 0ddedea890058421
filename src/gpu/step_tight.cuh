/* step_tight.cuh - the step that grows a shortest-path tree from final labels: breadth first over tight arcs.
 *
 * An arc u -> v is tight when the label of u plus its weight is the label of v. hop[v] = the fewest tight arcs from a
 * source, and parent[v] = the smallest tight u one hop nearer: the tree nearfar.h defines for NF_RUN_DETERMINISTIC.
 * Invariants: B1, B2 of step_bfs.cuh with `least`, over tight arcs; each vertex is listed once, whatever the policy.
 */
#ifndef NF_GPU_STEP_TIGHT_CUH
#define NF_GPU_STEP_TIGHT_CUH

#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct tight_step {
    static const bool LISTS = true, EVERY_MAPPING = false, BLIND = false, PILES = false, KEYED = false;
    const K *label; /* final */
    uint32_t *hop, *parent;
    scale<K> s;
    uint32_t level;
};

template <class K> static __device__ __forceinline__ void begin_round(tight_step<K> &f, unsigned round, slot *next)
{
    (void)next;
    f.level = round + 1;
}

template <class K> static __device__ __forceinline__ word64 source_of(const tight_step<K> &f, uint32_t u)
{
    return f.label[u];
}

template <class K>
static __device__ __forceinline__ bool is_worth_a_look(const tight_step<K> &, word64, const arc_data &)
{
    return true;
}

template <class K> static __device__ __forceinline__ word64 peek(const tight_step<K> &f, uint32_t v)
{
    return simt_load_relaxed(&f.hop[v]);
}

template <class K> static __device__ __forceinline__ bool is_reached(const tight_step<K> &f, uint32_t v)
{
    return peek(f, v) != UNSEEN;
}

template <class K, class Off>
static __device__ __forceinline__ void load_arc(const tight_step<K> &f, const arena<Off> &a, word64 e, arc_data *c,
                                                bool once = false)
{
    load_weighted(f.s, a, e, c, once);
}

template <class K, class Off>
static __device__ __forceinline__ void load_arcs(const tight_step<K> &f, const arena<Off> &a, word64 e,
                                                 arc_data c[AHEAD])
{
    load_weighted_arcs(f.s, a, e, c);
}

template <class K, class Off>
static __device__ __forceinline__ void prefetch_arcs(const tight_step<K> &f, const arena<Off> &a, word64 e)
{
    prefetch_weighted(f.s, a, e);
}

template <class K>
static __device__ __forceinline__ bool claim(tight_step<K> &f, uint32_t u, word64 source, arc_data c, word64 e,
                                             word64 seen, word64 *old)
{
    K sum;
    (void)e;
    if (seen != UNSEEN && (seen != f.level || simt_load_relaxed(&f.parent[c.v]) <= u))
        return false;
    if (add_weight(f.s, (K)source, c.w, &sum) != SUM_OK || sum != f.label[c.v])
        return false;
    (void)atomicMin(&f.parent[c.v], u);
    if (seen == UNSEEN)
        *old = atomicCAS(&f.hop[c.v], UNSEEN, f.level);
    return seen == UNSEEN;
}

template <class K>
static __device__ __forceinline__ unsigned judge(tight_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    (void)f;
    (void)u;
    (void)source;
    (void)c;
    (void)seen;
    return old == UNSEEN ? VERDICT_LIST : VERDICT_AGAIN;
}

/* With negative weights a source may be better reached from another one. */
template <class K> static __device__ __forceinline__ bool seed(tight_step<K> &f, uint32_t v)
{
    if (f.label[v] != f.s.zero)
        return false;
    simt_store_relaxed(&f.parent[v], v);
    return atomicCAS(&f.hop[v], UNSEEN, 0u) == UNSEEN;
}

} /* namespace SIMT_FLAVOUR */

#endif
