/* ceiling.cuh - rounds of `near-far` under a ceiling (ceiling.h): the loop pauses, the host lowers the step's bound,
 * and when nothing is left below it, those above it are lifted.
 *
 * Invariants
 *   C1 sums above the bound are neither looked up nor stored, so labels up to it are right without them, in the end
 *      final (D1 of step_far.cuh); it only falls until the next lift. Splits drop what waits above it;
 *   C2 a lift is done between rounds, when frontier and pile are empty. Whoever is above the ceiling gets the least sum
 *      over its neighbours below it, which are final; nobody else changes that label meanwhile. Then all of them that
 *      have a label are the pile, each once, and the limit is the first key above the ceiling: F1 of far.cuh;
 *   C3 rounds are counted on, so what words and stamps tell of earlier ones (R4) stays true.
 * Cost: a pause takes a launch, a copy and a choice; a lift a pass over the vertices and the arcs of those above.
 * Memory: that of ceiling.cu.
 */
#ifndef NF_GPU_CEILING_CUH
#define NF_GPU_CEILING_CUH

#include "gpu/ceiling.h"
#include "gpu/engine.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

#define FIRST_PAUSE 3u /* rounds */
#define PAUSES 3u      /* at 3, 6 and 12 rounds, and again after a lift */
#define LIFTS 3u
#define ALONE_ARCS 32u /* longer lists are a warp's */

/* far_step with a bound that is low: labels are asked for when it is known that the sum is below it. */
template <class K> struct capped_step : far_step<K> {
    static const bool EVERY_MAPPING = false;
    word64 *passed; /* arcs passed over; or NULL: nobody counts them */
};

/* Steps that may have a ceiling. */
template <class F> struct is_cappable {
    static const bool value = false;
};

template <class K> struct is_cappable<far_step<K>> {
    static const bool value = true;
};

template <class K> struct is_marking<capped_step<K>> {
    static const bool value = true;
};

template <class K> struct is_capped<capped_step<K>> {
    static const bool value = true;
};

/* Not for roads and meshes. */
template <class K> struct is_plain<capped_step<K>> {
    static const bool value = false;
};

template <class K>
static __device__ __forceinline__ bool is_worth_a_look(const capped_step<K> &f, word64 source, const arc_data &c)
{
    K sum;
    return add_weight(f.s, (K)source, c.w, &sum) == SUM_OK && sum <= f.bound;
}

/* All lanes. */
template <class K>
static __device__ __forceinline__ void count_passed(const capped_step<K> &f, const bool live[AHEAD],
                                                    const bool worth[AHEAD])
{
    unsigned count = 0;
    if (f.passed == NULL)
        return;
    for (int k = 0; k < AHEAD; k++)
        count += live[k] && !worth[k];
    count = simt_reduce_add(WARP_ALL, count);
    if (simt_lane() == 0 && count != 0)
        (void)atomicAdd(f.passed, (word64)count);
    __syncwarp();
}

/* ---- the sample -------------------------------------------------------------------------------------------------- */

/* What a key stands for. */
template <class K> static __device__ __forceinline__ double label_of(const scale<K> &s, K key)
{
    return s.real ? (double)real_of(key) : (double)(key - s.zero);
}

/* Labels of the sample; keys up to `last`, and what lies before the limit by more than a width, are final. */
template <class K>
static __global__ void tips_kernel(const far_step<K> f, word64 limit, word64 last, const uint32_t *to, tip *tips)
{
    const word64 before = limit_before(f, limit);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < TIPS; i += gridDim.x * blockDim.x) {
        const word64 key = source_of(f, to[i]);
        tips[i].key = key;
        tips[i].label = key < before || key <= last   ? -1.0
                        : key >= (word64)f.s.infinity ? __longlong_as_double(0x7ff0000000000000ll)
                                                      : label_of(f.s, (K)key);
    }
}

/* ---- a lift (C2) ------------------------------------------------------------------------------------------------- */

/* The word of the least sum: a key and who gives it. */
typedef struct pulled {
    word64 key;
    uint32_t u;
} pulled;

/* Arc e, seen from its end. */
template <class K, class Off>
static __device__ __forceinline__ void pull_arc(const arena<Off> &a, const far_step<K> &f, word64 e, pulled *best)
{
    arc_data c = {};
    K sum = 0;
    load_arc(f, a, e, &c);
    const word64 key = source_of(f, c.v);
    if (key > f.bound || add_weight(f.s, (K)key, c.w, &sum) != SUM_OK || sum >= best->key)
        return;
    best->key = sum;
    best->u = c.v;
}

/* A long list by the warp. All lanes. */
template <class K, class Off>
static __device__ __forceinline__ pulled pull_list(const arena<Off> &a, const far_step<K> &f, word64 begin, word64 end)
{
    pulled best = {~0ull, 0};
    for (word64 e = begin + simt_lane(); e < end; e += 32)
        pull_arc(a, f, e, &best);
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const word64 key = __shfl_xor_sync(WARP_ALL, best.key, step);
        const uint32_t u = __shfl_xor_sync(WARP_ALL, best.u, step);
        if (key < best.key || (key == best.key && u < best.u)) {
            best.key = key;
            best.u = u;
        }
    }
    return best;
}

/* Lowers v; who alone does so. */
template <class K> static __device__ __forceinline__ void lower_alone(const far_step<K> &f, uint32_t v, pulled best)
{
    if (f.word != NULL)
        simt_store_relaxed(&f.word[v], best.key << 32 | best.u);
    else
        simt_store_relaxed(&f.label[v], (K)best.key);
}

/* f.bound is the ceiling, `bound` what there is without one. The pile of `side` is made anew. */
template <class K, class Off>
static __global__ void lift_kernel(const __grid_constant__ arena<Off> a, const far_step<K> f, K bound, uint32_t *pile,
                                   far_side *side)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < a.n; base += stride) {
        const uint32_t v = (uint32_t)base + simt_lane();
        const word64 key = v < a.n ? source_of(f, v) : 0;
        const bool above = key > f.bound;
        const word64 begin = above ? a.off[v] : 0, end = above ? a.off[v + 1] : 0;
        pulled best = {~0ull, 0};
        if (end - begin <= ALONE_ARCS)
            for (word64 e = begin; e < end; e++)
                pull_arc(a, f, e, &best);
        __syncwarp();
        for (unsigned left = __ballot_sync(WARP_ALL, end - begin > ALONE_ARCS); left != 0; left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const pulled x = pull_list(a, f, __shfl_sync(WARP_ALL, begin, lane), __shfl_sync(WARP_ALL, end, lane));
            best = (int)simt_lane() == lane ? x : best;
        }
        const bool lower = above && best.key < key && best.key <= bound;
        if (lower)
            lower_alone(f, v, best);
        const bool waits = above && (lower || key < (word64)f.s.infinity);
        const unsigned mask = __ballot_sync(WARP_ALL, waits);
        uint32_t at = 0;
        if (simt_lane() == 0 && mask != 0)
            at = atomicAdd(&side->count, (unsigned)__popc(mask));
        at = __shfl_sync(WARP_ALL, at, 0);
        if (waits)
            pile[at + __popc(mask & lanes_below())] = v;
    }
}

/* An empty pile whose limit is the first key above the ceiling. One thread. */
static __global__ void open_pile_kernel(far_side *side, word64 limit)
{
    clear_far(side);
    side->limit = limit;
}

/* ---- the host's part --------------------------------------------------------------------------------------------- */

/* Lowers the step's bound where that pays; last: keys up to this one are final. */
template <class K> static nf_status lower_bound(engine *e, ceiling *c, far_step<K> *f, K bound, word64 last)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(e->d, 256);
    const word64 limit = e->last.far[e->last.phase % 3].limit;
    double now = (double)INFINITY;
    unsigned best = TIPS;
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(tips_kernel<K>, device_grid(TIPS, threads, 1), threads, 0, e->d->stream, *f, limit,
                                  last, c->to, c->tips));
    NF_TRY(device_download(e->d, c->seen, c->tips, sizeof c->seen));
    for (unsigned i = 0; i < TIPS && f->bound < bound; i++) /* the ceiling is a label of the sample */
        now = c->seen[i].key == f->bound ? c->seen[i].label : now;
    best = ceiling_choose(c, now);
    if (best < TIPS && c->seen[best].key < (word64)f->bound) {
        c->count += f->bound == bound;
        f->bound = (K)c->seen[best].key;
    }
done:
    return st;
}

template <class K, class Off> static nf_status lift_all(engine *e, ceiling *c, const far_step<K> &f, K bound)
{
    nf_status st = NF_OK;
    const arena<Off> a = engine_arena<Off>(e, e->g->out, e->policy);
    const unsigned phase = e->last.phase;
    far_side *side = &e->st->far[phase % 3];
    unsigned lifted = 0;
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(open_pile_kernel, 1, 1, 0, e->d->stream, side, (word64)f.bound + 1));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH((lift_kernel<K, Off>), device_grid(a.n, e->block, 1), e->block, 0, e->d->stream, a, f,
                                  bound, e->far[phase & 1], side));
    NF_TRY(device_download(e->d, &lifted, &side->count, sizeof lifted));
    c->lifted += lifted;
done:
    return st;
}

/* All rounds of a row, from its sources on. */
template <class K, class Off>
static nf_status rounds_under_ceilings(engine *e, ceiling *c, far_step<K> *f, uint64_t source_count)
{
    nf_status st = NF_OK;
    const K bound = f->bound;
    word64 last = 0;
    unsigned pauses = 0, lifts = 0, rounds = FIRST_PAUSE;
    word64 *const passed = e->census ? c->passed : NULL;
    word64 many = 0;
    c->count = c->lifted = 0;
    NF_TRY(device_fill_bytes(e->d, c->passed, 0, sizeof *c->passed));
    NF_TRY((engine_loop<capped_step<K>, Off>(e, capped_step<K>{*f, passed}, source_count, e->policy, rounds, "sssp")));
    for (;;) {
        if (engine_stopped(e) == STOP_LIMIT) {
            NF_TRY(lower_bound(e, c, f, bound, last));
            rounds = ++pauses < PAUSES ? e->last.round * 2 : UINT32_MAX;
        } else if (engine_stopped(e) == 0 && f->bound < bound) {
            NF_TRY((lift_all<K, Off>(e, c, *f, bound)));
            last = f->bound;
            f->bound = bound;
            pauses = ++lifts < LIFTS ? 0 : (unsigned)PAUSES;
            rounds = lifts < LIFTS ? e->last.round + FIRST_PAUSE : UINT32_MAX;
        } else
            break;
        NF_TRY((engine_go_on<capped_step<K>, Off>(e, capped_step<K>{*f, passed}, e->policy, rounds, "sssp")));
    }
    NF_TRY(device_download(e->d, &many, c->passed, sizeof many));
    nf__log(e->run->ctx, NF_LOG_DEBUG, "sssp ceilings %u, lifted %u, passed %llu", c->count, c->lifted, many);
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
