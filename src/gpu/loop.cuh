/* loop.cuh - rounds after rounds over a frontier: as kernels that the host launches one by one, and as one persistent
 * cooperative kernel that ends by itself.
 *
 * The persistent loop chooses, round by round and without the host, the mapping (expand.cuh) and the scope: who works
 * on the round and how wide the barrier at its end is. A small frontier is one block's affair, a middling one a
 * cluster's, a large one the whole grid's; blocks that have nothing to do sleep on a word in global memory until the
 * ones at work leave their scope. A grid-wide round costs one barrier (Q4), and one or two more where duplicates are
 * filtered out after it.
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

#include "gpu/expand.cuh"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

#define LISTEN_NS 2000000ull /* a look over the bus takes about 2 us: a thousandth of this */

typedef enum scope_kind { SCOPE_AUTO = 0, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_GRID, SCOPE_HOST } scope_kind;

/* What stays the same over the rounds of a run. */
typedef struct plan {
    tuning t;
    int scope;               /* SCOPE_AUTO, or the only one to use */
    unsigned cluster;        /* blocks in one, 1: none */
    word64 block_arcs;       /* up to so many arcs a frontier is a block's, */
    word64 cluster_arcs;     /* a cluster's */
    unsigned rounds;         /* at most */
    const uint32_t *targets; /* stop when all are reached; or NULL */
    unsigned target_count;
    control *shared; /* host memory; NULL: nobody listens */
    trace *ring;
    unsigned ring_size;
} plan;

/* ---- a frontier, and what comes after it ------------------------------------------------------------------------- */

typedef struct view {
    uint32_t count;
    unsigned stop;
    word64 arcs;
} view;

/* The frontier a slot holds (P1). */
template <class Off> static __device__ __forceinline__ view view_of(const arena<Off> &a, const slot *s)
{
    const word64 tail = simt_load_relaxed(&s->tail), kept = simt_load_relaxed(&s->kept);
    const bool filtered = a.policy == DUP_TABLE || kept != 0 || simt_load_relaxed(&s->spill) != NO_SPILL;
    const word64 front = filtered ? kept : tail;
    view w = {places_of(front, a.arc_bits), simt_load_relaxed(&s->stop), arcs_of(front, a.arc_bits)};
    return w;
}

static __device__ __forceinline__ bool is_leader(part p)
{
    return p.rank == 0 && threadIdx.x == blockDim.x - 32; /* of the warp that is last to get work */
}

static __device__ __forceinline__ void write_trace(const plan &pl, unsigned round, const view &w, const slot *now,
                                                   int scope)
{
    trace t = {round, w.count + now->sinks, now->again, (uint16_t)choose_mapping(pl.t), (uint16_t)scope, w.arcs};
    if (pl.ring_size != 0)
        pl.ring[round % pl.ring_size] = t;
}

static __device__ __forceinline__ void add_up(state *st, const view &w, const slot *now)
{
    st->arcs += w.arcs;
    st->again += now->again;
    st->sinks += now->sinks;
    st->tested += now->tested;
    st->conflicts += now->conflicts;
    st->missed += now->missed;
    st->spills += now->spill != NO_SPILL;
    st->children += now->children;
    if (now->most_work != 0 && now->most_work - now->least_work > st->most_work - st->least_work) {
        st->most_work = now->most_work;
        st->least_work = now->least_work;
    }
}

/* Cancel word and progress (P3). */
static __device__ __forceinline__ unsigned listen(const plan &pl, state *st, unsigned round)
{
    const word64 now = pl.shared != NULL ? simt_clock() : 0;
    if (pl.shared == NULL || now - st->heard < LISTEN_NS)
        return 0;
    st->heard = now;
    simt_store_relaxed(&pl.shared->progress, (uint64_t)round);
    return simt_load_relaxed(&pl.shared->cancel) != 0 ? STOP_CANCEL : 0;
}

/* The leader's part of a round (P3). */
template <class F, class Off>
static __device__ __forceinline__ void lead_round(const arena<Off> &a, const F &f, const plan &pl, unsigned round,
                                                  const view &w, int scope)
{
    state *st = a.st;
    const slot *now = slot_of(st, round);
    unsigned stop = round + 1 >= pl.rounds ? STOP_LIMIT : 0;
    clear_slot(slot_of(st, round + 2));
    write_trace(pl, round, w, now, scope);
    add_up(st, w, now);
    while (st->target < pl.target_count && is_reached(f, pl.targets[st->target]))
        st->target++;
    if (pl.target_count != 0 && st->target == pl.target_count)
        stop |= STOP_TARGETS;
    stop |= listen(pl, st, round);
    if (stop != 0)
        (void)atomicOr(&slot_of(st, round + 1)->stop, stop);
}

/* A round up to its barrier. All threads of the part's blocks. */
template <class F, class Off>
static __device__ __forceinline__ void work_round(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                  unsigned round, int front, const view &w, part p, int scope)
{
    job<F, Off> j = {f, a.q[front], w.count, w.arcs, p, ws, slot_of(a.st, round + 1), 0};
    open_outlet(ws, j.next, round + 1, 1 - front, false);
    begin_round(j.f, round, j.next);
    if (is_leader(p)) /* first, so that its loads are under way together with the others' */
        lead_round(a, f, pl, round, w, scope);
    __syncwarp();
    expand(a, j, pl.t);
    if (F::LISTS)
        close_outlet(a, ws, j.again);
}

static __device__ __forceinline__ void meet(int scope)
{
    if (scope == SCOPE_BLOCK)
        __syncthreads();
    else if (scope == SCOPE_CLUSTER)
        simt_cluster_sync();
    else
        simt_grid_sync();
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
    open_outlet(ws, &a.st->slots[0], 0, 0, true);
    for (uint64_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? sources[i] : 0;
        put_one(a, ws, i < count && seed(step, v), v);
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

/* Who works on a frontier. */
static __device__ __forceinline__ int choose_scope(const plan &pl, const view &w)
{
    if (pl.scope != SCOPE_AUTO)
        return pl.scope;
    if (w.arcs <= pl.block_arcs)
        return SCOPE_BLOCK;
    return pl.cluster > 1 && w.arcs <= pl.cluster_arcs ? SCOPE_CLUSTER : SCOPE_GRID;
}

/* Where the loop is, the same in all threads that work. */
typedef struct place {
    unsigned round, naps;
    int front;
} place;

/* Rounds in one scope, until it is left or the loop ends; the host's are one at a time. */
template <class F, class Off>
static __device__ __forceinline__ void rounds_within(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                     place *at, part p, int scope)
{
    for (;;) {
        const view w = view_of(a, slot_of(a.st, at->round));
        if (w.count == 0 || w.stop != 0 || choose_scope(pl, w) != scope)
            return;
        work_round(a, f, pl, ws, at->round, at->front, w, p, scope);
        if (scope == SCOPE_HOST)
            return;
        meet(scope);
        at->front = settle_round(a, ws, at->round, at->front, p, scope);
        at->round++;
    }
}

/* The scope of the next round; SCOPE_AUTO when there is none. */
template <class Off> static __device__ __forceinline__ int decide(const arena<Off> &a, const plan &pl, unsigned round)
{
    const view w = view_of(a, slot_of(a.st, round));
    return w.count == 0 || w.stop != 0 ? (int)SCOPE_AUTO : choose_scope(pl, w);
}

/* Wakes the sleepers (P2). All they are told is in one word: round 32 bits, queue 2, scope 3, the nap that ends 27. */
static __device__ __forceinline__ void wake_others(state *st, const place &at, int scope)
{
    if (threadIdx.x == 0)
        simt_store_release(&st->wake, (word64)at.naps << 37 | (word64)(unsigned)scope << 34
                                          | (word64)(unsigned)at.front << 32 | at.round);
}

/* The scope to go on in. A block that nobody waited for may find that more naps than its own have ended. */
static __device__ __forceinline__ int sleep_until_woken(state *st, workspace *ws, place *at)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        word64 told = simt_load_acquire(&st->wake);
        while ((unsigned)(told >> 37) < at->naps) {
            simt_doze();
            told = simt_load_acquire(&st->wake);
        }
        ws->word[2] = (uint32_t)told;
        ws->word[3] = (uint32_t)(told >> 32);
    }
    __syncthreads();
    const uint32_t rest = ws->word[3];
    at->round = ws->word[2];
    at->front = (int)(rest & 3);
    at->naps = rest >> 5;
    return (int)(rest >> 2 & 7);
}

/* Persistent: launched cooperatively, once. Host-driven (pl.scope is SCOPE_HOST): one round a launch. */
template <class F, class Off>
static __global__ void __launch_bounds__(ENGINE_THREADS, 2)
    loop_kernel(const __grid_constant__ arena<Off> a, const __grid_constant__ F f, const __grid_constant__ plan pl,
                unsigned round, int front)
{
    SIMT_SHARED(workspace, ws, 1);
    place at = {round, 0, front};
    int before = SCOPE_GRID, scope = decide(a, pl, at.round);
    while (scope != SCOPE_AUTO) {
        const unsigned few = scope == SCOPE_BLOCK ? 1 : scope == SCOPE_CLUSTER ? pl.cluster : gridDim.x;
        const part p = {blockIdx.x, few};
        if (scope < before)
            meet(before);
        at.naps += scope < SCOPE_GRID;
        if (blockIdx.x >= few) {
            before = scope = sleep_until_woken(a.st, ws, &at);
            continue;
        }
        rounds_within(a, f, pl, ws, &at, p, scope);
        if (scope == SCOPE_HOST)
            return;
        before = scope;
        scope = decide(a, pl, at.round);
        if (before < SCOPE_GRID && blockIdx.x == 0)
            wake_others(a.st, at, scope);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.st->round = at.round;
        a.st->front = (unsigned)at.front;
        a.st->pauses = at.naps;
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
