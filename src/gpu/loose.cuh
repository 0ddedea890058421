/* loose.cuh - rounds out of step over a frontier in shared memory, for steps that may see vertices in any order.
 *
 * A shortest-path label may be lowered in any order; a barrier is needed only to find out that nothing is left. So each
 * block goes on with what it has found by itself, round after round, and the grid meets (near.cuh, at the gate) every
 * few of them, or when a block has nothing left: to divide the frontier anew where parts have become too unequal, and,
 * when nobody has anything left, to split the pile (far.cuh), there and then, into the blocks' own shared memory. The
 * long rounds of roads and meshes then cost what their memory's latency costs, not what a barrier over the grid costs.
 *
 * Invariants
 *   L1 a turn of the blocks' own rounds keeps the number of the gate it follows, so what does not fit shared memory
 *      goes to the queue of the round that comes next, when the blocks leave (N1, N3);
 *   L2 a vertex goes to the queue once a visit: the stamp is the visit's, above those of all rounds;
 *   L3 nothing is put off between the gate at which all were found idle and the split, and all is in the pile by then:
 *      a gate lies between the last block's writing it out and the first one's reading;
 *   L4 a pile that is empty at that gate means that all labels are final.
 */
#ifndef NF_GPU_LOOSE_CUH
#define NF_GPU_LOOSE_CUH

#include "gpu/near.cuh"

namespace SIMT_FLAVOUR
{

#define LOOSE_STAMP 0x80000000u /* of visit 0 (L2) */
#define LOOSE_UNEQUAL 256u      /* entries above twice an equal part: more than the block's threads do at once */
#define LOOSE_LISTEN 16u        /* gates between looks at the clock */

/* A block's own numbers since it began the visit. One lane of the last warp adds up. */
static __device__ __forceinline__ void loose_count(workspace *ws, unsigned which)
{
    const near_count none = {0, 0, 0, 0};
    ws->loose.again += ws->found[which].again;
    ws->loose.sinks += ws->found[which].sinks;
    ws->loose.stop |= ws->found[which].stop;
    clear_slot(&ws->found[which]);
    ws->amount[which] = none;
}

/* The next turn of a block's own: the gate's number stays (L1). */
static __device__ __forceinline__ near_turn loose_turn(const near_turn &t)
{
    const near_turn next = {t.round, t.side ^ 1, t.next, t.after, t.slot, t.stamp};
    return next;
}

/* The block's rounds from a gate to the next; what it then has is in amount[now->slot]. All threads. */
template <class F, class Off>
static __device__ __forceinline__ void loose_run(const arena<Off> &a, F &f, const plan &pl, workspace *ws,
                                                 near_turn *now, int front, unsigned wish)
{
    const bool chores = simt_warp() == blockDim.x / 32 - 1 && simt_lane() == 1;
    for (unsigned k = 0; k < pl.hops; k++) {
        const uint32_t count = ws->amount[now->slot].count;
        if (count == 0 || count > NEAR_ROOM)
            break;
        const unsigned lg =
            count << wish <= blockDim.x && pl.t.mapping == MAP_AUTO ? wish : near_width(pl.t, wish, blockDim.x, count);
        const near_share s = {ws, threadIdx.x >> lg, blockDim.x >> lg, count, threadIdx.x & ((1u << lg) - 1), lg};
        if (chores) {
            ws->loose.arcs += ws->amount[now->slot].arcs;
            loose_count(ws, now->after);
        }
        __syncwarp();
        near_round(a, f, ws, *now, front, s);
        near_write_far(ws);
        *now = loose_turn(*now);
        __syncthreads();
    }
}

/* To the gate before round now.round, and through it. All threads. */
static __device__ __forceinline__ near_view loose_meet(state *st, workspace *ws, const near_turn &now, part p)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned stop =
            ws->loose.stop | ws->loose.end | ws->found[0].stop | ws->found[1].stop | ws->found[2].stop;
        pass_gate(st, ws, now.round, p, ws->visit, ws->amount[now.slot], stop != 0);
    }
    __syncthreads();
    const near_view v = near_look(ws, now, p, SCOPE_GRID);
    if (simt_warp() == blockDim.x / 32 - 1 && simt_lane() == 2) {
        const uint32_t equal = v.total / p.size, fair = 2 * equal + LOOSE_UNEQUAL;
        ws->near_fair = v.total == 0 || fair > NEAR_ROOM ? (uint32_t)NEAR_ROOM : fair;
        if (p.rank == 0)
            st->gate[ws->visit & 1][(now.round + 2) % 3] = 0; /* N6 */
    }
    return v;
}

/* A round of the block's own that takes its share of the pile (F1, F4). All threads. */
template <class F, class Off>
static __device__ OUT_OF_LINE void loose_split(const arena<Off> &a, const F &f, workspace *ws, const near_turn &now,
                                               const place &at, const view &w, word64 next, part p)
{
    far_side *to = &a.st->far[(at.phase + 1) % 3];
    const uint32_t *pile = a.far[at.phase & 1];
    const word64 stride = (word64)p.size * blockDim.x;
    word64 least = ~0ull;
    if (simt_warp() == blockDim.x / 32 - 1 && simt_lane() == 1)
        loose_count(ws, now.after);
    begin_split(a, ws, at.phase, next, now.round + 1, p);
    for (word64 base = (word64)p.rank * blockDim.x + simt_warp() * 32; base < w.far; base += stride) {
        const waiting x = see_waiting(f, pile, base + simt_lane(), w.far, w.limit, next);
        near_arcs<Off> n = {};
        n.c[0].v = x.v;
        n.listed = x.near;
        if (x.near) {
            n.key[0] = (uint32_t)x.key;
            n.begin[0] = a.off[x.v];
            n.end[0] = a.off[x.v + 1];
        }
        if (__any_sync(WARP_ALL, n.listed != 0))
            near_put(a, f, ws, n, now, at.front);
        keep_waiting(ws, x, &least);
    }
    tell_least(to, least);
    near_write_far(ws);
}

/* The leader's warp: trace, end (P3). */
template <class F>
static __device__ __forceinline__ void loose_lead(const F &f, const plan &pl, workspace *ws, const near_turn &now,
                                                  const near_view &v, part p)
{
    if (!is_leader(p))
        return;
    const trace line = {now.round, v.total, 0, MAP_DYNAMIC, SCOPE_GRID, v.arcs, 0, 0};
    if (pl.ring_size != 0)
        pl.ring[now.round % pl.ring_size] = line;
    const unsigned stop = end_of(f, pl, ws, now.round, now.round % LOOSE_LISTEN == 0);
    ws->loose.end |= stop;
}

/* Nobody has anything left: writes out what was put off, meets, and splits the pile. False if there is none (L4). */
template <class F, class Off>
static __device__ __forceinline__ bool loose_phase(const arena<Off> &a, F &f, const plan &pl, workspace *ws,
                                                   near_turn *now, place *at, part p)
{
    flush_far(ws);
    now->round++;
    const near_view v = loose_meet(a.st, ws, *now, p);
    loose_lead(f, pl, ws, *now, v, p);
    if (threadIdx.x == 0) {
        place here = *at;
        view w = {0, 0, 0, 0, 0, 0, 0, 0};
        here.round = now->round - 1; /* the gate before: nothing has happened since */
        view_pile(a, here, &w);
        ws->front = w;
    }
    __syncthreads();
    const view w = ws->front;
    if (w.far == 0 || v.stop != 0)
        return false;
    if (is_leader(p) && pl.ring_size != 0)
        pl.ring[now->round % pl.ring_size].pile = w.far;
    const word64 next = next_limit(f, w);
    set_settled(f, w.limit);
    loose_split(a, f, ws, *now, *at, w, next, p);
    set_limit(f, next);
    at->phase++;
    *now = loose_turn(*now);
    return true;
}

/* What the visit's rounds were, added to all others'. One thread of each block, between barriers. */
static __device__ __forceinline__ void loose_close(state *st, workspace *ws, const near_turn &now)
{
    unsigned stop = ws->loose.stop | ws->loose.end;
    for (unsigned k = 0; k < 3; k++) {
        ws->loose.again += ws->found[k].again;
        ws->loose.sinks += ws->found[k].sinks;
        stop |= ws->found[k].stop;
        ws->found[k].again = ws->found[k].sinks = 0;
    }
    ws->found[now.slot].stop = stop;
    (void)atomicAdd(&st->loose_arcs, ws->loose.arcs);
    (void)atomicAdd(&st->loose_again, ws->loose.again);
    (void)atomicAdd(&st->loose_sinks, ws->loose.sinks);
}

/* The frontier, if there is one, goes back to the queue. All threads. */
template <class F, class Off>
static __device__ __forceinline__ void loose_leave(const arena<Off> &a, const F &f, workspace *ws, const near_turn &now,
                                                   place *at, part p)
{
    __syncthreads();
    if (threadIdx.x == 0)
        loose_close(a.st, ws, now);
    flush_far(ws);
    at->round = now.round;
    at->front = 1 - at->front;
    near_export(a, f, ws, now, at->front, p, now.stamp);
    meet(SCOPE_GRID);
    if (is_leader(p)) /* N6 */
        a.st->gate[at->visits & 1][0] = a.st->gate[at->visits & 1][1] = a.st->gate[at->visits & 1][2] = 0;
    at->visits++;
}

/* Rounds until the frontier is not for these any more, or the loop ends; false if there was none. */
template <class F, class Off>
static __device__ __forceinline__ bool loose_rounds(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                    place *at, const view &w, part p)
{
    const unsigned first = at->round, wish = near_wish(pl.t);
    near_turn now = near_turn_of(first);
    F step = f;
    now.stamp = LOOSE_STAMP + at->visits;
    set_limit(step, w.limit);
    near_import(a, f, ws, first, at->front, w, p, SCOPE_GRID);
    if (threadIdx.x == 0) {
        ws->visit = at->visits;
        ws->loose.arcs = ws->loose.again = ws->loose.sinks = 0;
        ws->loose.stop = ws->loose.end = 0;
    }
    if (is_leader(p))
        clear_slot(slot_of(a.st, first + 2));
    near_view v = loose_meet(a.st, ws, now, p);
    if (is_leader(p))
        clear_slot(slot_of(a.st, first)); /* all have read it */
    while (v.stop == 0) {
        loose_lead(step, pl, ws, now, v, p);
        if (v.total != 0)
            loose_run(a, step, pl, ws, &now, at->front, wish);
        else if (!loose_phase(a, step, pl, ws, &now, at, p))
            break;
        now.round++;
        v = loose_meet(a.st, ws, now, p);
    }
    loose_leave(a, step, ws, now, at, p);
    return now.round != first;
}

} /* namespace SIMT_FLAVOUR */

#endif
