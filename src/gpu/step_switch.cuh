/* step_switch.cuh - relaxation in no order while there is little to do, and in the order of distance, roughly, while
 * there is much (F6 of far.cuh).
 *
 * Invariants: those of step_far.cuh. Without a limit (infinity) no key is put off, and no label is final before the
 * end.
 */
#ifndef NF_GPU_STEP_SWITCH_CUH
#define NF_GPU_STEP_SWITCH_CUH

#include "gpu/far.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct switch_step : far_step<K> {
    static const bool EVERY_MAPPING = false;
    uint32_t ample; /* a frontier of more vertices is worth an order; a pile of at most half of it is not */
};

template <class K> struct is_switching<switch_step<K>> {
    static const bool value = true;
};

template <class K> static __device__ __forceinline__ word64 first_limit(const switch_step<K> &f)
{
    return f.s.infinity;
}

/* A round that puts every vertex that is reached into the pile, and finds the frontier's least key. All threads of the
 * part's blocks. */
template <class F, class Off>
static __device__ OUT_OF_LINE void fill_pile(const arena<Off> &a, const F &f, workspace *ws, const place &at,
                                             const view &w, part p)
{
    far_side *to = &a.st->far[(at.phase + 1) % 3];
    const queue<Off> q = queue_from(a, at.front, w.base);
    const word64 first = (word64)p.rank * blockDim.x, stride = (word64)p.size * blockDim.x;
    word64 least = ~0ull;
    begin_split(a, ws, at.phase, zero_key(f), at.round + 1, p);
    for (word64 base = first + simt_warp() * 32; base < a.n; base += stride) {
        const four x = {{(uint32_t)base + simt_lane(), 0, 0, 0}};
        const bool is = base + simt_lane() < a.n && source_of(f, x.v[0]) != (word64)f.s.infinity;
        if (__any_sync(WARP_ALL, is))
            put_far(ws, is, x, 1);
    }
    for (word64 i = first + threadIdx.x; i < w.count; i += stride) {
        const word64 key = source_of(f, q.vertex[i]);
        least = key < least ? key : least;
    }
    tell_least(to, least);
    flush_far(ws);
}

} /* namespace SIMT_FLAVOUR */

#endif
