/* step_parent.cuh - the step that takes, from final labels and in one round over all arcs, a parent for every vertex:
 * the source of any tight arc between different labels (T1 of sssp.cuh). Who writes last is the parent. */
#ifndef NF_GPU_STEP_PARENT_CUH
#define NF_GPU_STEP_PARENT_CUH

#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct parent_step {
    static const bool LISTS = false, EVERY_MAPPING = false, BLIND = false, PILES = false, KEYED = false;
    const K *label; /* final */
    uint32_t *parent;
    scale<K> s;
};

template <class K> static __device__ __forceinline__ void begin_round(parent_step<K> &f, unsigned round, slot *next)
{
    (void)f;
    (void)round;
    (void)next;
}

template <class K> static __device__ __forceinline__ word64 source_of(const parent_step<K> &f, uint32_t u)
{
    return f.label[u];
}

template <class K>
static __device__ __forceinline__ bool is_worth_a_look(const parent_step<K> &, word64, const arc_data &)
{
    return true;
}

template <class K> static __device__ __forceinline__ word64 peek(const parent_step<K> &f, uint32_t v)
{
    return f.label[v];
}

template <class K> static __device__ __forceinline__ bool is_reached(const parent_step<K> &f, uint32_t v)
{
    return f.label[v] != f.s.infinity;
}

template <class K, class Off>
static __device__ __forceinline__ void load_arc(const parent_step<K> &f, const arena<Off> &a, word64 e, arc_data *c,
                                                bool once = false)
{
    load_weighted(f.s, a, e, c, once);
}

template <class K, class Off>
static __device__ __forceinline__ void load_arcs(const parent_step<K> &f, const arena<Off> &a, word64 e,
                                                 arc_data c[AHEAD])
{
    load_weighted_arcs(f.s, a, e, c);
}

template <class K>
static __device__ __forceinline__ bool claim(parent_step<K> &f, uint32_t u, word64 source, arc_data c, word64 e,
                                             word64 seen, word64 *old)
{
    K sum;
    (void)e;
    (void)old;
    if (source < seen && (K)seen != f.s.infinity && add_weight(f.s, (K)source, c.w, &sum) == SUM_OK && sum == (K)seen)
        simt_store_relaxed(&f.parent[c.v], u);
    return false;
}

template <class K>
static __device__ __forceinline__ unsigned judge(parent_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    (void)f;
    (void)u;
    (void)source;
    (void)c;
    (void)seen;
    (void)old;
    return VERDICT_NO;
}

} /* namespace SIMT_FLAVOUR */

#endif
