/* step_light.cuh - relaxation in buckets, light arcs and heavy ones apart (delta-stepping): a vertex whose label falls
 * into the current bucket is listed with its light arcs; its heavy ones wait in the pile, with the vertex, until the
 * bucket is done (F5 of far.cuh).
 *
 * Invariants
 *   D1 of step_far.cuh;
 *   D3 an arc is heavy if its weight, in the type of the sums, is more than delta: so from a bucket of that width it
 *      leads beyond it. What rounding brings back to a bucket has that bucket's only key, and is gathered after it;
 *   D4 a vertex comes to the pile when its label falls from infinity, whatever it falls to, and leaves it when its
 *      label is final: a heavy arc is relaxed once, a light one once for each time the label fell within its bucket.
 */
#ifndef NF_GPU_STEP_LIGHT_CUH
#define NF_GPU_STEP_LIGHT_CUH

#include "gpu/far.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct light_step : far_step<K> {
    static const bool EVERY_MAPPING = false;
};

template <class K> struct is_parted<light_step<K>> {
    static const bool value = true;
};

/* VERDICT_FIRST beside what becomes of v now (D4). */
template <class K>
static __device__ __forceinline__ unsigned judge(light_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    K sum;
    (void)seen;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    if (old <= (f.word != NULL ? ((word64)sum << 32) | u : (word64)sum))
        return VERDICT_NO;
    const K before = (K)(f.word != NULL ? old >> 32 : old);
    const unsigned first = before == f.s.infinity ? VERDICT_FIRST : 0;
    return first | (sum < f.limit ? list_once(f, u, c.v, sum, old) : (unsigned)VERDICT_NO);
}

/* ---- passes over the pile (F5) ----------------------------------------------------------------------------------- */

/* Is the pass over the pile that is due one that gathers? */
template <class Off> static __device__ __forceinline__ bool is_gathering(const arena<Off> &a, const place &at)
{
    const far_side *s = &a.st->far[at.phase % 3];
    const unsigned round = simt_load_relaxed(&s->round);
    if (round == at.round) /* nothing was listed by the pass before, or only what has no light arc */
        return simt_load_relaxed(&s->least) < simt_load_relaxed(&s->limit);
    if (simt_load_relaxed(&s->gathered) == 0 || round + 1 != at.round)
        return true;
    return simt_load_relaxed(&slot_of(a.st, at.round)->sinks) != 0; /* heavy arcs listed what has no light one (D3) */
}

/* A round that takes what is below the limit out of the pile: the next one sees to its heavy arcs. All threads of the
 * part's blocks. */
template <class F, class Off>
static __device__ OUT_OF_LINE void gather_pile(const arena<Off> &a, const F &f, workspace *ws, const place &at,
                                               const view &w, part p)
{
    far_side *to = &a.st->far[(at.phase + 1) % 3];
    const uint32_t *pile = a.far[at.phase & 1];
    const word64 stride = (word64)p.size * blockDim.x;
    arena<Off> heavy = a;
    word64 least = ~0ull;
    heavy.off += a.n;
    begin_split(a, ws, at.phase, w.limit, at.round + 1, p, true);
    open_outlet(ws, slot_of(a.st, at.round + 1), at.round + 1, 1 - at.front, true);
    for (word64 base = (word64)p.rank * blockDim.x + simt_warp() * 32; base < w.far; base += stride) {
        const waiting x = see_waiting(f, pile, base + simt_lane(), w.far, 0, w.limit);
        put_one(heavy, ws, x.near, x.v);
        keep_waiting(ws, x, &least);
    }
    tell_least(to, least);
    close_outlet(heavy, ws, 0);
    flush_far(ws);
}

} /* namespace SIMT_FLAVOUR */

#endif
