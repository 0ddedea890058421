/* loop.cuh - rounds after rounds over a frontier: as kernels that the host launches one by one, and as one persistent
 * cooperative kernel that ends by itself.
 *
 * The persistent loop chooses, round by round and without the host, the mapping (expand.cuh) and the scope: who works
 * on the round and how wide the barrier at its end is. A small frontier is one block's affair, a middling one a
 * cluster's, a large one the whole grid's; blocks that have nothing to do sleep on a word in global memory until the
 * ones at work leave their scope. Small frontiers of roads and meshes lie in shared memory (near.cuh). A grid-wide
 * round costs one barrier (Q4), and one or two more where duplicates are filtered out after it; in it a thread waits
 * for: the slot (one thread of the block reads it), its entry, targets, labels, the atomic, offsets, a place in the
 * queue (one atomic of the block).
 *
 * Invariants
 *   P1 what decides on scope, mapping and end is read from slots that nobody writes in that round, so all blocks decide
 *      alike; those that have read it meet once more before a narrower scope begins, which may use the slots again
 *      while the others sleep;
 *   P2 a block sleeps only while another works; the one that works wakes all before it leaves its scope, with the
 *      round, the queue and the scope to go on with, in one word: a late sleeper never looks at a slot for them;
 *   P3 one thread, the leader, clears the slot after next, adds up, traces, looks at targets, limit and cancel word;
 *      what it decides holds from the next round on.
 * The cancel word and the progress live in host memory: they are touched every LISTEN_NS only.
 */
#ifndef NF_GPU_LOOP_CUH
#define NF_GPU_LOOP_CUH

#include "gpu/loose.cuh"

namespace SIMT_FLAVOUR
{

#define WIDE_ARCS 4096u /* a round of more takes long enough to look at the clock */
#define LISTEN_WIDE 16u /* rounds of fewer between looks at the clock */

/* ---- a frontier, and what comes after it ------------------------------------------------------------------------- */

/* The frontier a slot holds (P1). */
template <class Off> static __device__ __forceinline__ view view_of(const arena<Off> &a, const slot *s)
{
    const word64 tail = simt_load_relaxed(&s->tail), kept = simt_load_relaxed(&s->kept);
    const unsigned spill = simt_load_relaxed(&s->spill), stop = simt_load_relaxed(&s->stop);
    const word64 front = a.policy == DUP_TABLE || kept != 0 || spill != NO_SPILL ? kept : tail;
    const view w = {
        places_of(front, a.arc_bits), stop,      arcs_of(front, a.arc_bits), simt_load_relaxed(&s->base), 0, 0, ~0ull,
        simt_load_relaxed(&s->cut),   NO_CEILING};
    return w;
}

/* The same for the whole block, read by one thread: if every warp of a grid read it, L2 would serve one word for longer
 * than a round takes. All threads. */
template <class F, class Off>
static __device__ __forceinline__ view look(const arena<Off> &a, workspace *ws, const place &at)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        view w = view_of(a, slot_of(a.st, at.round));
        if constexpr (F::PILES) {
            view_pile(a, at, &w);
            open_far(a, ws, at.phase);
        }
        if constexpr (is_capped<F>::value)
            w.bound = simt_load_relaxed(&a.st->ceiling);
        ws->front = w;
    }
    __syncthreads();
    return ws->front;
}

static __device__ __forceinline__ void add_up(ledger *l, const view &w, const slot &now)
{
    l->arcs += w.arcs;
    l->again += now.again;
    l->sinks += now.sinks;
    l->tested += now.tested;
    l->conflicts += now.conflicts;
    l->missed += now.missed;
    l->spills += now.spill != NO_SPILL;
    l->children += now.children;
    if (now.most_work != 0 && now.most_work - now.least_work > l->most_work - l->least_work) {
        l->most_work = now.most_work;
        l->least_work = now.least_work;
    }
}

/* The leader's part of a round (P3). */
template <class F, class Off>
static __device__ __forceinline__ void lead_round(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                  unsigned round, const view &w, int scope)
{
    const slot now = *slot_of(a.st, round);
    const trace t = {round,  w.count + now.sinks, now.again, (uint16_t)choose_mapping(pl.t), (uint16_t)scope,
                     w.arcs, (uint32_t)w.far,     0};
    clear_slot(slot_of(a.st, round + 2));
    slot_of(a.st, round + 1)->base = base_after(a, w);
    if (pl.ring_size != 0)
        pl.ring[round % pl.ring_size] = t;
    add_up(&ws->sum, w, now);
    unsigned stop = end_of(f, pl, ws, round, w.arcs > WIDE_ARCS || round % LISTEN_WIDE == 0);
    if (is_capped<F>::value && pl.most_in_all != 0 && ws->sum.arcs > pl.most_in_all)
        stop |= STOP_LIMIT;
    if (stop != 0)
        (void)atomicOr(&slot_of(a.st, round + 1)->stop, stop);
}

/* A round up to its barrier. All threads of the part's blocks. */
template <class F, class Off>
static __device__ __forceinline__ void work_round(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                  unsigned round, int front, const view &w, part p, int scope)
{
    job<F, Off> j = {f, queue_from(a, front, w.base), w.count, w.arcs, p, ws, slot_of(a.st, round + 1), 0};
    open_outlet(ws, j.next, round + 1, 1 - front, false, base_after(a, w));
    begin_round(j.f, round, j.next);
    if constexpr (F::PILES)
        set_limit(j.f, w.limit);
    if constexpr (is_capped<F>::value)
        set_bound(j.f, w);
    if (is_leader(p)) /* first, so that its loads are under way together with the others' */
        lead_round(a, f, pl, ws, round, w, scope);
    __syncwarp();
    expand(a, j, pl.t);
    if (F::LISTS)
        close_outlet(a, ws, j.again);
    if constexpr (F::PILES)
        flush_far(ws);
}

/* The round of a switch (F6), up to its barrier: no arc is relaxed. All threads of the part's blocks. */
template <class F, class Off>
static __device__ __forceinline__ void work_switch(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                   const place &at, const view &w, part p, int scope)
{
    view none = w;
    none.count = 0;
    none.arcs = 0;
    if (is_leader(p)) {
        lead_round(a, f, pl, ws, at.round, none, scope);
        a.st->switches++;
        if constexpr (is_adapting<F>::value)
            note_back(a, ws, at, w);
    }
    __syncwarp();
    fill_pile(a, f, ws, at, w, p);
}

/* The round of a split, or whatever else is done to the pile, up to its barrier. All threads of the part's blocks. */
template <class F, class Off>
static __device__ __forceinline__ void work_split(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                  const place &at, const view &w, part p, int scope)
{
    F step = f;
    if constexpr (is_switching<F>::value)
        if (w.count != 0) {
            work_switch(a, f, pl, ws, at, w, p, scope);
            return;
        }
    set_settled(step, w.limit);
    if constexpr (is_capped<F>::value)
        set_bound(step, w);
    if constexpr (is_adapting<F>::value)
        step.turn = simt_load_relaxed(&a.st->far[at.phase % 3].turn);
    if (is_leader(p)) {
        lead_round(a, step, pl, ws, at.round, w, scope);
        if constexpr (is_adapting<F>::value)
            take_turn(a, step, ws, at);
    }
    if (is_switching<F>::value && is_leader(p) && gives_up_order(step, w))
        a.st->returns++;
    __syncwarp();
    if constexpr (is_parted<F>::value)
        if (is_gathering(a, at)) {
            if (is_leader(p))
                a.st->gathers++;
            __syncwarp();
            gather_pile(a, step, ws, at, w, p);
            return;
        }
    split_pile(a, step, ws, at, w, p);
}

/* A round that cuts the lists of a frontier (C4 of ceiling.cuh), up to its barrier: no arc is relaxed. All threads of
 * the part's blocks. */
template <class F, class Off>
static __device__ __forceinline__ void work_cut(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                const place &at, const view &w, part p, int scope)
{
    view none = w;
    none.count = 0;
    none.arcs = 0;
    F step = f;
    set_bound(step, w);
    if (is_leader(p)) {
        lead_round(a, f, pl, ws, at.round, none, scope);
        slot_of(a.st, at.round + 1)->cut = CUT_DONE | CUT_CHOSEN;
    }
    __syncwarp();
    cut_lists(a, step, ws, at, w, p);
}

/* After the barrier: filters duplicates out where the policy or a full queue asks for it; the queue to go on with. */
template <class Off>
static __device__ __forceinline__ int settle_round(const arena<Off> &a, workspace *ws, unsigned round, int front,
                                                   part p, int scope)
{
    slot *next = slot_of(a.st, round + 1);
    if (a.policy >= DUP_ATOMIC64)
        return 1 - front;
    const unsigned spill = simt_load_relaxed(&next->spill);
    if (spill == NO_SPILL && a.policy != DUP_TABLE)
        return 1 - front;
    if (spill == NO_SPILL)
        filter_queue(a, ws, p, next, 1 - front, places_of(simt_load_relaxed(&next->tail), a.arc_bits));
    else {
        mark_bitmap(a, p, 1 - front, spill);
        meet(scope);
        sweep_bitmap(a, ws, p, next, front);
    }
    meet(scope);
    return front;
}

/* ---- small kernels ----------------------------------------------------------------------------------------------- */

template <class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    filter_kernel(const __grid_constant__ arena<Off> a, unsigned round, int front)
{
    SIMT_SHARED(workspace, ws, 1);
    const part p = {blockIdx.x, gridDim.x};
    slot *next = slot_of(a.st, round + 1);
    filter_queue(a, ws, p, next, 1 - front, places_of(next->tail, a.arc_bits));
}

template <class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    mark_kernel(const __grid_constant__ arena<Off> a, int from, unsigned count)
{
    const part p = {blockIdx.x, gridDim.x};
    mark_bitmap(a, p, from, count);
}

template <class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    sweep_kernel(const __grid_constant__ arena<Off> a, unsigned round, int to)
{
    SIMT_SHARED(workspace, ws, 1);
    const part p = {blockIdx.x, gridDim.x};
    sweep_bitmap(a, ws, p, slot_of(a.st, round + 1), to);
}

/* Clears the state and puts the sources into queue 0. One block. */
template <class F, class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    seed_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ F f, const uint32_t *sources,
                uint64_t count)
{
    SIMT_SHARED(workspace, ws, 1);
    F step = f;
    if (threadIdx.x < 3)
        clear_slot(&a.st->slots[threadIdx.x]);
    __syncthreads();
    if constexpr (F::PILES)
        if (threadIdx.x == 0) {
            for (int k = 0; k < 3; k++)
                clear_far(&a.st->far[k]);
            a.st->far[0].limit = first_limit(f);
        }
    if constexpr (is_capped<F>::value)
        if (threadIdx.x == 0)
            clear_ceiling(a.st);
    if constexpr (is_parted<F>::value)
        __syncthreads();
    open_outlet(ws, &a.st->slots[0], 0, 0, true);
    for (uint64_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? sources[i] : 0;
        const bool is = i < count && seed(step, v);
        put_one(a, ws, is, v);
        if constexpr (is_parted<F>::value)
            if (is)
                a.far[0][atomicAdd(&a.st->far[0].count, 1u)] = v;
    }
    close_outlet(a, ws, 0);
}

/* Every vertex into queue 0, for benchmarks. */
template <class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2) all_kernel(const __grid_constant__ arena<Off> a)
{
    SIMT_SHARED(workspace, ws, 1);
    open_outlet(ws, &a.st->slots[0], 0, 0, true);
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < a.n;
         base += (uint64_t)gridDim.x * blockDim.x)
        put_one(a, ws, base + simt_lane() < a.n, (uint32_t)(base + simt_lane()));
    close_outlet(a, ws, 0);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Does the loop end before this round? */
static __host__ __device__ __forceinline__ bool is_over(const plan &pl, const view &w)
{
    return (w.count == 0 && w.far == 0) || w.stop != 0
           || (pl.most_arcs != 0 && w.arcs > pl.most_arcs && w.count != 0 && (w.cut & CUT_CHOSEN) == 0);
}

/* The scope of a frontier's round, after rounds of scope `now`; SCOPE_AUTO when there is none. */
static __device__ __forceinline__ int decide(const plan &pl, const view &w, int now)
{
    view all = w;
    all.arcs = w.count != 0 ? w.arcs : w.far;
    return is_over(pl, w) ? (int)SCOPE_AUTO : choose_scope(pl, all, now);
}

/* In step, or, where the step allows it, out of step. False if there was none. */
template <class F, class Off>
static __device__ __forceinline__ bool rounds_in_shared(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                        place *at, const view &w, part p, int scope)
{
    if constexpr (F::PILES && F::KEYED)
        if (scope == SCOPE_GRID && f.word == NULL)
            return loose_rounds(a, f, pl, ws, at, w, p);
    return near_rounds(a, f, pl, ws, at, w, p, scope);
}

/* Rounds in one scope, until it is left or the loop ends; the host's are one at a time. The scope to go on in. */
template <class F, class Off>
static __device__ __forceinline__ int rounds_within(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                    place *at, part p, int scope)
{
    for (;;) {
        const view w = look<F>(a, ws, *at);
        const int next = decide(pl, w, scope);
        if (next != scope)
            return next;
        if constexpr (F::PILES) {
            const far_side *side = &a.st->far[at->phase % 3];
            const bool switches = takes_up_order(f, w) && simt_load_relaxed(&side->round) != at->round;
            if (is_parted<F>::value && is_leader(p) && side->gathered != 0 && side->round == at->round)
                a.st->heavy_arcs += w.arcs;
            if (w.count == 0 || switches) {
                work_split(a, f, pl, ws, *at, w, p, scope);
                if (scope == SCOPE_HOST)
                    return SCOPE_AUTO;
                meet(scope);
                at->front = 1 - at->front;
                at->round++;
                at->phase++;
                continue;
            }
        }
        if constexpr (is_capped<F>::value)
            if (is_to_be_cut(w)) {
                work_cut(a, f, pl, ws, *at, w, p, scope);
                if (scope == SCOPE_HOST)
                    return SCOPE_AUTO;
                meet(scope);
                at->front = 1 - at->front;
                at->round++;
                continue;
            }
        if constexpr (is_deep<F>::value)
            if (is_near(a, w, p, scope) && rounds_in_shared(a, f, pl, ws, at, w, p, scope))
                continue;
        work_round(a, f, pl, ws, at->round, at->front, w, p, scope);
        if (scope == SCOPE_HOST)
            return SCOPE_AUTO;
        meet(scope);
        at->front = settle_round(a, ws, at->round, at->front, p, scope);
        at->round++;
    }
}

/* Wakes the sleepers (P2). All they are told is in one word: round 32 bits, queue 1, scope 3, phase 3, and the nap that
 * ends 25. */
static __device__ __forceinline__ void wake_others(state *st, const place &at, int scope)
{
    if (threadIdx.x == 0)
        simt_store_release(&st->wake, (word64)at.naps << 39 | (word64)(at.phase % 6) << 36
                                          | (word64)(unsigned)scope << 33 | (word64)(unsigned)at.front << 32
                                          | at.round);
}

/* The scope to go on in. A block that nobody waited for may find that more naps than its own have ended. */
static __device__ __forceinline__ int sleep_until_woken(state *st, workspace *ws, place *at)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        word64 told = simt_load_acquire(&st->wake);
        while ((unsigned)(told >> 39) < at->naps) {
            simt_doze();
            told = simt_load_acquire(&st->wake);
        }
        ws->word[2] = (uint32_t)told;
        ws->word[3] = (uint32_t)(told >> 32);
    }
    __syncthreads();
    const uint32_t rest = ws->word[3];
    at->round = ws->word[2];
    at->front = (int)(rest & 1);
    at->phase = rest >> 4 & 7;
    at->naps = rest >> 7;
    return (int)(rest >> 1 & 7);
}

/* Persistent: launched cooperatively, once. Host-driven (pl.scope is SCOPE_HOST): one round a launch. */
template <class F, class Off>
static __global__ void __launch_bounds__(threads_under<F>::value, is_deep<F>::value ? 1 : 2)
    loop_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ F f, const __grid_constant__ plan pl,
                unsigned round, int front)
{
    SIMT_SHARED(workspace, ws, 1);
    const part whole = {blockIdx.x, gridDim.x};
    place at = {round, 0, front, pl.phase, 0};
    if constexpr (is_capped<F>::value)
        if (pl.resumes) {
            at.round = a.st->round;
            at.front = (int)a.st->front;
            at.phase = a.st->phase;
        }
    const unsigned first = at.round;
    if (threadIdx.x == 0)
        ws->far_count = 0;
    if (pl.cluster > 1)
        simt_cluster_sync(); /* all blocks of a cluster have begun: their memory may be written to from now on */
    int before = SCOPE_GRID, scope = decide(pl, look<F>(a, ws, at), SCOPE_GRID);
    if (is_leader(whole))
        open_ledger(a.st, &ws->sum);
    while (scope != SCOPE_AUTO) {
        const unsigned few = scope == SCOPE_BLOCK ? 1 : scope == SCOPE_CLUSTER ? pl.cluster : gridDim.x;
        const part p = {blockIdx.x, few};
        if (scope < before)
            meet(before);
        at.naps += scope < SCOPE_GRID;
        before = scope;
        if (blockIdx.x >= few) {
            before = scope = sleep_until_woken(a.st, ws, &at);
            continue;
        }
        scope = rounds_within(a, f, pl, ws, &at, p, scope);
        if (before < SCOPE_GRID && blockIdx.x == 0)
            wake_others(a.st, at, scope);
    }
    if (is_leader(whole))
        close_ledger(a.st, &ws->sum);
    /* Where no round was made, all of it is there, and others may still have to read it: nobody has met. */
    if (blockIdx.x == 0 && threadIdx.x == 0 && pl.scope != SCOPE_HOST && at.round != first) {
        a.st->round = at.round;
        a.st->front = (unsigned)at.front;
        a.st->phase = at.phase;
        a.st->pauses = at.naps;
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
