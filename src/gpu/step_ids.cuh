/* step_ids.cuh - the step that times a mapping alone: every arc gets the vertex it belongs to (Graph Algorithms on
 * GPUs, Figs. 12 to 15). */
#ifndef NF_GPU_STEP_IDS_CUH
#define NF_GPU_STEP_IDS_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

struct ids_step {
    static const bool LISTS = false, EVERY_MAPPING = true, PILES = false, KEYED = false;
    uint32_t *out; /* by arc */
};

static __device__ __forceinline__ void begin_round(ids_step &f, unsigned round, slot *next)
{
    (void)f;
    (void)round;
    (void)next;
}

static __device__ __forceinline__ word64 source_of(const ids_step &f, uint32_t u)
{
    (void)f;
    (void)u;
    return 0;
}

template <class Off>
static __device__ __forceinline__ void load_arc(const ids_step &f, const arena<Off> &a, word64 e, arc_data *c,
                                                bool once = false)
{
    (void)once;
    (void)f;
    (void)a;
    (void)e;
    c->v = 0;
}

template <class Off>
static __device__ __forceinline__ void load_arcs(const ids_step &f, const arena<Off> &a, word64 e, arc_data c[AHEAD])
{
    (void)f;
    (void)a;
    (void)e;
    (void)c;
}

static __device__ __forceinline__ bool is_worth_a_look(const ids_step &, word64, const arc_data &)
{
    return true;
}

static __device__ __forceinline__ word64 peek(const ids_step &f, uint32_t v)
{
    (void)f;
    (void)v;
    return 0;
}

static __device__ __forceinline__ bool is_reached(const ids_step &f, uint32_t v)
{
    (void)f;
    (void)v;
    return false;
}

static __device__ __forceinline__ bool claim(ids_step &f, uint32_t u, word64 source, arc_data c, word64 e, word64 seen,
                                             word64 *old)
{
    (void)source;
    (void)c;
    (void)seen;
    (void)old;
    f.out[e] = u;
    return false;
}

static __device__ __forceinline__ unsigned judge(ids_step &f, uint32_t u, word64 source, arc_data c, word64 seen,
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

static __device__ __forceinline__ bool seed(ids_step &f, uint32_t v)
{
    (void)f;
    (void)v;
    return true;
}

} /* namespace SIMT_FLAVOUR */

#endif
