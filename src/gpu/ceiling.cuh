/* ceiling.cuh - rounds of `near-far` under a ceiling (ceiling.h): the loop pauses, a small kernel lowers the ceiling,
 * the loop goes on, and when nothing is left below it, another kernel lifts those above it. All of that is in the
 * stream before the first of it has run: kernels that have nothing to do end at once, and the host waits once, for
 * the end.
 *
 * Invariants
 *   C1 sums above the bound are neither looked up nor stored, so labels up to it are right without them, in the end
 *      final (D1 of step_far.cuh); it only falls until the next lift. A split drops what waits above it, and takes its
 *      label away, so that it comes to the pile again when it falls below (F1 of far.cuh);
 *   C2 a lift is done between rounds, when frontier and pile are empty. Whoever is above the ceiling gets the least sum
 *      over its neighbours below it, which are final; nobody else changes that label meanwhile. Then all of them that
 *      have a label are the pile, each once, and the limit is the first key above the ceiling: F1 of far.cuh;
 *   C3 rounds are counted on, so what words and stamps tell of earlier ones (R4) stays true;
 *   C4 before a large frontier is relaxed under a ceiling, a round cuts its lists: a vertex keeps those of its arcs
 *      whose sums are not above the bound by its label, which nobody lowers in that round, and some more (O2 of
 *      ordered.cu).
 * Cost: a pause takes three launches; a cut a pass over the frontier, and a barrier; a lift a pass over the vertices
 * and the arcs of those above.
 * Memory: that of ceiling.cu.
 */
#ifndef NF_GPU_CEILING_CUH
#define NF_GPU_CEILING_CUH

#include "gpu/ceiling.h"
#include "gpu/engine.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

/* Pauses in a row, and again after a lift: before a frontier of more than this share of the arcs (by a simulation,
 * m / 4 to m / 32 are alike on rmat and uniform graphs), or after this share of them, where frontiers are small. */
#define PAUSES 3u
#define PAUSE_SHARE 8u
#define PAUSE_IN_ALL 4u
#define LIFTS 3u
#define ALONE_ARCS 32u /* longer lists are a warp's */
#define TIP_ARCS 256u  /* of a tip that are looked at: hubs have labels that will hardly fall */

/* far_step with a bound that is low: labels are asked for when it is known that the sum is below it. */
template <class K> struct capped_step : far_step<K> {
    static const bool EVERY_MAPPING = false;
    word64 *passed;        /* arcs passed over; or NULL: nobody counts them */
    const uint2 *shares;   /* device_ordered's */
    uint32_t weight[CUTS]; /* the same */
};

template <class K> static __device__ __forceinline__ void set_bound(capped_step<K> &f, const view &w)
{
    f.bound = w.bound < (word64)f.bound ? (K)w.bound : f.bound;
}

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

/* The least sum: a key and who gives it. */
typedef struct pulled {
    word64 key;
    uint32_t u;
} pulled;

/* Changes the label of v; who alone does so. */
template <class K> static __device__ __forceinline__ void set_alone(const far_step<K> &f, uint32_t v, pulled best)
{
    if (f.word != NULL)
        simt_store_relaxed(&f.word[v], best.key << 32 | best.u);
    else
        simt_store_relaxed(&f.label[v], (K)best.key);
}

/* Takes the label of what a split drops away (C1). */
template <class K> static __device__ __forceinline__ void forget_above(const capped_step<K> &f, const waiting &x)
{
    if (x.key > f.bound)
        set_alone(f, x.v, pulled{f.s.infinity, NF_NO_VERTEX});
}

/* ---- cuts (C4) --------------------------------------------------------------------------------------------------- */

/* How many of v's arcs to keep: those up to the first cut whose weight already leads above the bound. */
template <class K, class Off>
static __device__ __forceinline__ Off arcs_worth(const capped_step<K> &f, uint32_t v, K key, Off degree)
{
    unsigned k = 0;
    for (; k < CUTS; k++) {
        K sum;
        const int how = add_weight(f.s, key, f.weight[k], &sum);
        if (how == SUM_HOT)
            return degree; /* R2 */
        if (how != SUM_OK || sum > f.bound)
            break;
    }
    if (k == CUTS)
        return degree;
    const uint2 both = __ldg(&f.shares[v]);
    const word64 share = (k < 4 ? both.x : both.y) >> k % 4 * 8 & 255;
    return (Off)((degree * share + 254) / 255);
}

/* The frontier, with lists cut, to the other queue. All threads of the part's blocks. */
template <class K, class Off>
static __device__ OUT_OF_LINE void cut_lists(const arena<Off> &a, const capped_step<K> &f, workspace *ws,
                                             const place &at, const view &w, part p)
{
    const uint32_t *from = a.q[at.front].vertex + w.base;
    const word64 stride = (word64)p.size * blockDim.x * SINK_EACH;
    outlet &o = ws->out[simt_warp()];
    open_outlet(ws, slot_of(a.st, at.round + 1), at.round + 1, 1 - at.front, true, base_after(a, w));
    for (word64 first = ((word64)p.rank * blockDim.x + simt_warp() * 32) * SINK_EACH; first < w.count;
         first += stride) {
        batch<Off> b = {};
        unsigned fits = 0;
        word64 tail = 0;
#pragma unroll
        for (unsigned k = 0; k < SINK_EACH; k++) {
            const word64 i = first + k * 32 + simt_lane();
            const uint32_t v = i < w.count ? __ldcs(&from[i]) : 0;
            const K key = i < w.count ? (K)source_of(f, v) : f.s.infinity;
            const bool is = key <= f.bound;
            const Off begin = is ? __ldcs(&a.off[v]) : 0, degree = is ? __ldcs(&a.off[v + 1]) - begin : 0;
            add_to_batch(&b, k, v, begin, is ? arcs_worth(f, v, key, degree) : degree);
        }
        if (simt_lane() == 0 && b.places != 0)
            tail = take_places(a, o, ((word64)b.places << a.arc_bits) | b.arcs, &fits);
        tail = __shfl_sync(WARP_ALL, tail, 0);
        write_batch(a, o, b, tail, 1);
    }
    __syncthreads();
}

/* ---- pulling ----------------------------------------------------------------------------------------------------- */

/* What a key stands for. */
template <class K> static __device__ __forceinline__ double label_of(const scale<K> &s, K key)
{
    return s.real ? (double)real_of(key) : (double)(key - s.zero);
}

/* Arc e, seen from its end, from a vertex whose key is `most` at most. False: neither it nor what comes after it in its
 * list, which is no lighter, is below what there is. */
template <class K, class Off>
static __device__ __forceinline__ bool pull_arc(const arena<Off> &a, const far_step<K> &f, word64 e, word64 most,
                                                pulled *best)
{
    arc_data c = {};
    K sum = 0;
    load_arc(f, a, e, &c);
    if (add_weight(f.s, f.s.zero, c.w, &sum) == SUM_OK && sum >= best->key)
        return false;
    const word64 key = source_of(f, c.v);
    if (key <= most && add_weight(f.s, (K)key, c.w, &sum) == SUM_OK && sum < best->key) {
        best->key = sum;
        best->u = c.v;
    }
    return true;
}

/* A list by the warp, from a key on that is to be lowered. All lanes. */
template <class K, class Off>
static __device__ __forceinline__ pulled pull_list(const arena<Off> &a, const far_step<K> &f, word64 begin, word64 end,
                                                   word64 most, word64 key)
{
    pulled best = {key, 0};
    bool more = true;
    for (word64 e = begin; e < end && more; e += 32) {
        const bool mine = e + simt_lane() >= end || pull_arc(a, f, e + simt_lane(), most, &best);
        __syncwarp();
        for (int step = 16; step > 0; step /= 2) {
            const word64 other = __shfl_xor_sync(WARP_ALL, best.key, step);
            const uint32_t u = __shfl_xor_sync(WARP_ALL, best.u, step);
            if (other < best.key || (other == best.key && u < best.u)) {
                best.key = other;
                best.u = u;
            }
        }
        more = __all_sync(WARP_ALL, mine);
    }
    return best;
}

/* ---- the sample -------------------------------------------------------------------------------------------------- */

/* Has the loop paused, with a frontier to go on with? */
static __device__ __forceinline__ bool is_paused(const state *st, int policy)
{
    const slot *s = &st->slots[st->round % 3];
    const word64 front = policy == DUP_TABLE || s->kept != 0 || s->spill != NO_SPILL ? s->kept : s->tail;
    return front != 0 && (s->stop & ~(unsigned)STOP_LIMIT) == 0;
}

/* It has ended for no other reason than a pause, or for one that stays. One thread. */
static __device__ __forceinline__ void let_go_on(state *st)
{
    slot *s = &st->slots[st->round % 3];
    s->stop &= ~(unsigned)STOP_LIMIT;
    st->wake = 0;
}

/* Labels of the sample after one more round; what a lift has been over, and what lies before the limit by more than a
 * width, is final. A warp each. */
template <class K, class Off>
static __global__ void tips_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ far_step<K> f,
                                   const uint32_t *to, tip *tips)
{
    const word64 before = limit_before(f, a.st->far[a.st->phase % 3].limit), none = (word64)f.s.infinity;
    const unsigned warps = gridDim.x * (blockDim.x / 32);
    if (!is_paused(a.st, a.policy))
        return;
    for (unsigned i = blockIdx.x * (blockDim.x / 32) + simt_warp(); i < TIPS; i += warps) {
        const uint32_t v = to[i];
        const word64 key = source_of(f, v), begin = a.off[v], all = a.off[v + 1];
        const bool settled = key < before || key <= a.st->final_to;
        const word64 end = settled ? begin : all - begin > TIP_ARCS ? begin + TIP_ARCS : all;
        const pulled best = pull_list(a, f, begin, end, none - 1, key);
        if (simt_lane() == 0) {
            tips[i].key = best.key;
            tips[i].label = settled            ? -1.0f
                            : best.key >= none ? __uint_as_float(0x7f800000u)
                                               : (float)label_of(f.s, (K)best.key);
        }
        __syncwarp();
    }
}

/* What a tip will cost under a ceiling, in looks at labels for an arc. */
static __device__ __forceinline__ float cost_of(const tip_prices &p, float label, float top)
{
    const float parts = (top - label) * p.parts;
    return label < 0 ? 0.0f : parts >= 0 ? p.below[parts < WEIGHT_PARTS ? (unsigned)parts : WEIGHT_PARTS] : TIP_PULL;
}

/* The same of all, by a warp. All lanes. */
static __device__ __forceinline__ float cost_of_all(const tip_prices &p, const float *label, float top)
{
    float sum = 0;
    for (unsigned i = simt_lane(); i < TIPS; i += 32)
        sum += cost_of(p, label[i], top);
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(WARP_ALL, sum, step);
    return sum;
}

/* The best ceiling below the one there is, if it is worth it; whatever is chosen, the loop may go on. One block. */
template <class Off>
static __global__ void choose_kernel(const __grid_constant__ arena<Off> a, const tip_prices *prices, const tip *tips)
{
    state *const st = a.st;
    SIMT_SHARED(tip_prices, p, 1);
    SIMT_SHARED(float, label, TIPS);
    SIMT_SHARED(float, cost, TIP_TRIES + 1);
    if (!is_paused(st, a.policy)) { /* all threads alike */
        __syncthreads();
        if (threadIdx.x == 0)
            let_go_on(st);
        return;
    }
    for (unsigned i = threadIdx.x; i < TIPS; i += blockDim.x)
        label[i] = tips[i].label;
    for (unsigned i = threadIdx.x; i <= WEIGHT_PARTS; i += blockDim.x)
        p->below[i] = prices->below[i];
    if (threadIdx.x == 0)
        p->parts = prices->parts;
    __syncthreads();
    for (unsigned t = simt_warp(); t <= TIP_TRIES; t += blockDim.x / 32) {
        const float top = t < TIP_TRIES ? label[t * (TIPS / TIP_TRIES)] : (float)st->top; /* a sample has no order */
        const bool is = t == TIP_TRIES || (top >= 0 && top < (float)st->top);
        const float sum = is ? cost_of_all(*p, label, top) : 1e30f;
        if (simt_lane() == 0)
            cost[t] = t < TIP_TRIES ? sum : TIP_WORTH * sum;
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned best = TIP_TRIES;
    for (unsigned t = 0; t < TIP_TRIES; t++)
        best = cost[t] < cost[best] ? t : best;
    const tip *x = &tips[best < TIP_TRIES ? best * (TIPS / TIP_TRIES) : 0];
    if (best < TIP_TRIES && x->key < st->ceiling) {
        st->ceilings += st->ceiling == NO_CEILING;
        st->ceiling = x->key;
        st->top = x->label;
    }
    st->slots[st->round % 3].cut |= CUT_CHOSEN;
    let_go_on(st);
}

/* ---- a lift (C2) ------------------------------------------------------------------------------------------------- */

/* Is nothing left below the ceiling? Then it is no more, and the pile is empty with a limit that is the first key above
 * it. One thread. */
template <class Off> static __global__ void open_lift_kernel(const __grid_constant__ arena<Off> a)
{
    state *const st = a.st;
    const slot *s = &st->slots[st->round % 3];
    far_side *side = &st->far[st->phase % 3];
    st->lifted_from = NO_CEILING;
    let_go_on(st);
    if (st->ceiling == NO_CEILING || is_paused(st, a.policy) || s->stop != 0 || side->count != 0)
        return;
    clear_far(side);
    side->limit = st->ceiling + 1;
    st->lifted_from = st->final_to = st->ceiling;
    st->ceiling = NO_CEILING;
    st->top = __longlong_as_double(0x7ff0000000000000ll);
}

/* Who is above the ceiling that was; f.bound is what there is without one; lifted: their number is added to it, or
 * NULL. */
template <class K, class Off>
static __global__ void lift_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ far_step<K> f,
                                   word64 *lifted)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    const word64 top = a.st->lifted_from;
    far_side *side = &a.st->far[a.st->phase % 3];
    uint32_t *pile = a.far[a.st->phase & 1];
    if (top == NO_CEILING)
        return;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < a.n; base += stride) {
        const uint32_t v = (uint32_t)base + simt_lane();
        const word64 key = v < a.n ? source_of(f, v) : 0;
        const bool above = key > top;
        const word64 begin = above ? a.off[v] : 0, end = above ? a.off[v + 1] : 0;
        pulled best = {key, 0};
        if (end - begin <= ALONE_ARCS)
            for (word64 e = begin; e < end && pull_arc(a, f, e, top, &best); e++) {}
        __syncwarp();
        for (unsigned left = __ballot_sync(WARP_ALL, end - begin > ALONE_ARCS); left != 0; left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const pulled x = pull_list(a, f, __shfl_sync(WARP_ALL, begin, lane), __shfl_sync(WARP_ALL, end, lane), top,
                                       __shfl_sync(WARP_ALL, key, lane));
            best = (int)simt_lane() == lane ? x : best;
        }
        const bool lower = above && best.key < key && best.key <= (word64)f.bound;
        if (lower)
            set_alone(f, v, best);
        const bool waits = above && (lower || key < (word64)f.s.infinity);
        const unsigned mask = __ballot_sync(WARP_ALL, waits);
        uint32_t at = 0;
        if (simt_lane() == 0 && mask != 0) {
            at = atomicAdd(&side->count, (unsigned)__popc(mask));
            if (lifted != NULL)
                (void)atomicAdd(lifted, (word64)__popc(mask));
        }
        at = __shfl_sync(WARP_ALL, at, 0);
        if (waits)
            pile[at + __popc(mask & lanes_below())] = v;
    }
}

/* ---- the host's part --------------------------------------------------------------------------------------------- */

/* Lowers the ceiling where that pays, if the loop has paused. */
template <class K, class Off>
static nf_status choose_ceiling(engine *e, const ceiling *c, const far_step<K> &f, const arena<Off> &a)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(e->d, 256), wide = device_block(e->d, 512);
    NF_TRY_CUDA(e->d, SIMT_LAUNCH((tips_kernel<K, Off>), device_grid(TIPS * 32, threads, 1), threads, 0, e->d->stream,
                                  a, f, c->to, c->tips));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(choose_kernel<Off>, 1, wide, 0, e->d->stream, a, c->prices, c->tips));
done:
    return st;
}

/* Lifts what is above it, if nothing is left below. */
template <class K, class Off>
static nf_status lift_all(engine *e, const far_step<K> &f, const arena<Off> &a, word64 *lifted)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(open_lift_kernel<Off>, 1, 1, 0, e->d->stream, a));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH((lift_kernel<K, Off>), device_grid(a.n, e->block, 1), e->block, 0, e->d->stream, a, f,
                                  lifted));
done:
    return st;
}

/* Rounds up to a pause, the last of which are not cut short; where the device drives them, the host does not wait. */
template <class K, class Off>
static nf_status rounds_to_pause(engine *e, const capped_step<K> &f, const arena<Off> &a, unsigned pause,
                                 unsigned lifts, bool *resumes)
{
    nf_status st = NF_OK;
    const uint64_t m = e->run->csr.m;
    const bool may = pause < PAUSES && lifts < LIFTS;
    e->pl.most_arcs = may ? m / PAUSE_SHARE + 1 : 0;
    e->pl.most_in_all = may && lifts == 0 ? (pause + 1) * (m / PAUSE_IN_ALL + 1) : 0;
    if (e->loop == LOOP_HOST)
        NF_TRY((engine_go_on<capped_step<K>, Off>(e, f, e->policy, UINT32_MAX, "sssp")));
    if (e->loop == LOOP_HOST) /* round, queue and phase, for the kernels that come next */
        NF_TRY(device_upload(e->d, &e->st->round, &e->last.round, 3 * sizeof(unsigned), NULL));
    else {
        plan pl = e->pl;
        pl.rounds = UINT32_MAX;
        pl.resumes = *resumes;
        /* lists that are cut differ: uniform of 2^22 vertices takes 4.3 ms so, 4.8 by virtual warps of 4 (H200) */
        pl.t.mapping = is_lean(pl.t.mapping) && pl.t.mapping != MAP_AUTO ? pl.t.mapping : (int)MAP_TWO_PHASE;
        NF_TRY(launch_persistent(e, a, f, pl, 0, 0));
    }
    *resumes = true;
done:
    return st;
}

/* What the device's state is by now: for the host's rounds, which begin where it says. */
static inline nf_status see_state(engine *e, bool wait)
{
    nf_status st = NF_OK;
    const unsigned round = e->last.round, front = e->last.front, phase = e->last.phase;
    if (!wait && e->loop != LOOP_HOST)
        return NF_OK;
    NF_TRY(device_finish(e->d, "sssp", 0));
    NF_TRY(device_download(e->d, &e->last, e->st, sizeof e->last));
    if (e->loop == LOOP_HOST) { /* which the host alone knows */
        e->last.round = round;
        e->last.front = front;
        e->last.phase = phase;
    }
done:
    return st;
}

/* All rounds of a row, from its sources on. */
template <class K, class Off>
static nf_status rounds_under_ceilings(engine *e, const ceiling *c, const far_step<K> &row, uint64_t source_count)
{
    nf_status st = NF_OK;
    capped_step<K> f = {row, e->census ? c->passed : NULL, c->lists->shares, {}};
    unsigned lifts = 0;
    word64 counts[2] = {0, 0};
    bool resumes = false;
    memcpy(f.weight, c->lists->weight, sizeof f.weight);
    e->parted = e->g->out;
    e->parted.pairs = c->lists->pairs;
    const arena<Off> a = engine_arena<Off>(e, e->parted, e->policy);
    if (f.passed != NULL)
        NF_TRY(device_fill_bytes(e->d, c->passed, 0, 2 * sizeof *c->passed));
    NF_TRY((engine_seed<capped_step<K>, Off>(e, f, source_count, e->policy)));
    do {
        for (unsigned pause = 0; pause <= PAUSES; pause++) {
            NF_TRY((rounds_to_pause<K, Off>(e, f, a, pause, lifts, &resumes)));
            if (pause < PAUSES)
                NF_TRY((choose_ceiling<K, Off>(e, c, f, a)));
            NF_TRY(see_state(e, false));
        }
        NF_TRY((lift_all<K, Off>(e, f, a, f.passed != NULL ? c->passed + 1 : NULL)));
        NF_TRY(see_state(e, false));
        lifts++;
        NF_TRY((rounds_to_pause<K, Off>(e, f, a, 0, lifts, &resumes)));
        NF_TRY(see_state(e, true));
    } while (engine_stopped(e) == STOP_LIMIT
             || (engine_stopped(e) == 0 && (engine_unfinished(e) || e->last.ceiling != NO_CEILING)));
    if (f.passed != NULL) {
        NF_TRY(device_download(e->d, counts, c->passed, sizeof counts));
        nf__log(e->run->ctx, NF_LOG_DEBUG, "sssp ceilings %u, lifted %llu, passed %llu", e->last.ceilings, counts[1],
                counts[0]);
    } else
        nf__log(e->run->ctx, NF_LOG_DEBUG, "sssp ceilings %u", e->last.ceilings);
done:
    e->pl.most_arcs = e->pl.most_in_all = 0;
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
