/* step_mesh.cuh - the step of shortest paths over records (mesh.cuh): that of near-far, with all that a round would ask
 * at every arc known beforehand. Labels are keys of 32 bits and nothing else, neither words nor stamps; weights are not
 * negative; whether they are added as integers or as floats is compiled in. A round is a chain of dependent
 * instructions as much as a trip to memory: on an H200 a third of its time was spent on questions that have the same
 * answer for a whole run (docs/results/sssp-h200.md).
 *
 * Invariants: R1 to R3 of step_relax.cuh, D1 and D2 of step_far.cuh.
 */
#ifndef NF_GPU_STEP_MESH_CUH
#define NF_GPU_STEP_MESH_CUH

#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

template <bool REAL> struct mesh_step : far_step<uint32_t> {
};

/* Floats that are not negative have the bits of their key but for the first. */
#define REAL_KEY 0x80000000u

template <bool REAL>
static __device__ __forceinline__ uint32_t key_after(const mesh_step<REAL> &f, word64 source, const arc_data &c)
{
    if constexpr (!REAL)
        return (uint32_t)source + (uint32_t)c.w; /* records of graphs without weights have 1 */
    const float more = f.s.weights == WEIGHT_F32   ? __uint_as_float((uint32_t)c.w)
                       : f.s.weights == WEIGHT_I32 ? (float)(int32_t)(uint32_t)c.w
                                                   : (float)(uint32_t)c.w;
    return __float_as_uint(__uint_as_float((uint32_t)source & ~REAL_KEY) + more) | REAL_KEY;
}

/* What the sum is if it is no distance (R2, R3). */
template <bool REAL>
static __device__ __forceinline__ int flaw_of(const mesh_step<REAL> &f, uint32_t source, uint32_t sum)
{
    if constexpr (REAL)
        return sum >= f.s.infinity ? SUM_INFINITE : SUM_OK;
    return source - f.s.low > f.s.span ? SUM_HOT : SUM_OK;
}

/* Off the main path, and without the step's address, which would keep it in memory. */
static __device__ OUT_OF_LINE void refuse_flaw(unsigned *flags, unsigned *stop, int flaw)
{
    relax_step<uint32_t> f = {};
    f.flags = flags;
    f.stop = stop;
    refuse_sum(f, flaw);
}

template <bool REAL>
static __device__ __forceinline__ word64 claim_blindly(mesh_step<REAL> &f, uint32_t u, word64 source, const arc_data &c)
{
    const uint32_t sum = key_after(f, source, c);
    const int flaw = flaw_of(f, (uint32_t)source, sum);
    uint32_t old = 0;
    (void)u;
    if (flaw == SUM_OK && sum <= f.bound)
        old = atomicMin(&f.label[c.v], sum);
    if (flaw != SUM_OK)
        refuse_flaw(f.flags, f.stop, flaw);
    return old;
}

template <bool REAL>
static __device__ __forceinline__ unsigned judge_blindly(const mesh_step<REAL> &f, uint32_t u, word64 source,
                                                         const arc_data &c, word64 old)
{
    const uint32_t sum = key_after(f, source, c), before = (uint32_t)old;
    const unsigned off = before == f.s.infinity ? VERDICT_FAR : VERDICT_NO; /* F1 */
    (void)u;
    return before <= sum ? (unsigned)VERDICT_NO : sum >= f.limit ? off : (unsigned)VERDICT_LIST;
}

template <bool REAL> static __device__ __forceinline__ word64 source_of(const mesh_step<REAL> &f, uint32_t v)
{
    return simt_load_relaxed(&f.label[v]);
}

template <bool REAL> static __device__ __forceinline__ const void *label_at(const mesh_step<REAL> &f, uint32_t v)
{
    return &f.label[v];
}

template <bool REAL>
static __device__ __forceinline__ bool is_valid(const mesh_step<REAL> &, word64 source, uint32_t key)
{
    return (uint32_t)source == key;
}

} /* namespace SIMT_FLAVOUR */

#endif
