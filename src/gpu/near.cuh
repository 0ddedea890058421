/* near.cuh - rounds of one block, one cluster or the grid over a frontier in shared memory: roads and meshes, thousands
 * of rounds of a few hundred or thousand vertices each, where only latency counts.
 *
 * Each block keeps what it finds: vertex, first arc and degree, in its own shared memory. In the next round it goes on
 * with that, or, when the parts of the blocks have become too unequal, with an equal share of every part, read from
 * where it lies (distributed shared memory). Before the barrier each block writes what it has found, in numbers, into
 * the shared memory of all the others, so after it nobody asks anybody. What a thread waits for, one after the other:
 * its entry (shared memory), the arcs' targets, and then, asked for together, the atomic on the target's label and the
 * target's offsets; a place in shared memory; the barrier. Of global memory that is two trips a round (three where a
 * step looks at a label before it claims it), and the first is shortened by fetching a new entry's arcs to L2 when it
 * is found. Little else may be in the way: there are no divisions, and who leads is the warp that is last to get work.
 * Counts, stop bits and sums are in shared memory too; global memory gets the trace, and every LISTEN_ROUNDS rounds a
 * look at the host's words.
 * The grid has no such way to tell: its blocks meet at a word of global memory, the gate, that adds up what each
 * brings: one for itself, its vertices and arcs, and whether it wants to leave. Whoever sees all of them there knows
 * all there is to know, so the barrier and the numbers are one trip. When parts have become too unequal the frontier
 * goes through the queue, and is divided anew.
 *
 * Invariants
 *   N1 only where the policy is exact, so what does not fit NEAR_ROOM entries of a block fits the queue in global
 *      memory (Q2); it goes there, and these rounds are left;
 *   N2 amount[] and found[] rotate as slots do (Q4): a block writes only its own. told[] has two halves: a block fills
 *      the other's places of round i + 1 before the barrier that ends round i, and they are read between that barrier
 *      and the next;
 *   N3 the three slots in global memory are clear while these rounds last, but for what N1 puts there: so when they are
 *      left, the frontier is put into the queue and the slot of its round, and the others go on as if it had never been
 *      elsewhere;
 *   N4 all blocks leave together, for what each has been told of all, and meet before one ends or uses its memory
 *      again;
 *   N5 lists are short (is_for_deep), so sums of degrees stay within 32 bits;
 *   N6 gates rotate as slots do (Q4): the leader clears that of the round before in this one, when all have come to
 *      this one's. What a visit leaves is cleared after its last barrier, and the next visit uses the other three.
 * Memory: 32 bytes of shared memory a vertex and block.
 */
#ifndef NF_GPU_NEAR_CUH
#define NF_GPU_NEAR_CUH

#include "gpu/far.cuh"

namespace SIMT_FLAVOUR
{

#define NEAR_ARCS 49152u  /* of a frontier in shared memory, at most */
#define LISTEN_ROUNDS 64u /* of about 1 us */
#define NEAR_SLACK 48u    /* entries; each is 8 ns of a round (H200), and looking into another block's memory 0.4 us */
#define NEAR_GRID_ARCS (1u << 20)
enum { NEAR_AHEAD = 2 }; /* arcs of a thread under way: there are threads enough, and code that is long is slow */

/* A frontier in shared memory as every thread of its blocks sees it. */
typedef struct near_view {
    uint32_t total, arcs; /* over all blocks */
    uint32_t most;        /* entries of the block with most */
    unsigned stop;
} near_view;

/* This thread's share: entries first, first + stride, ... below `end` of block `from`, as lane `within` of 1 << lg. */
typedef struct near_share {
    const workspace *from;
    uint32_t first, stride, end;
    unsigned within, lg;
} near_share;

/* A round: its number, and where its own numbers, the next round's and those of the one after lie (N2). */
typedef struct near_turn {
    unsigned round, side, slot, next, after;
    unsigned stamp; /* of what it lists in the queue */
} near_turn;

/* Of a gate's word, from the top: blocks that came, votes to leave, vertices, arcs; a block brings at most so many. */
enum { GATE_BLOCKS = 55, GATE_VOTES = 46, GATE_COUNT = 24, GATE_MOST_COUNT = 8191, GATE_MOST_ARCS = 32767 };
#define NEAR_MOST_BLOCKS 511u
#define NEAR_UNEQUAL 128u /* entries above twice an equal part; a new division costs the grid about 6 us */

/* What keeps the rounds here: arcs from `low` to low + span. */
typedef struct near_bounds {
    uint32_t low, span;
} near_bounds;

/* May the rounds be near ones, with this frontier? Half the room is left to grow in. */
template <class Off>
static __device__ __forceinline__ bool is_near(const arena<Off> &a, const view &w, part p, int scope)
{
    return (scope != SCOPE_GRID || p.size > 1) && p.size <= NEAR_MOST_BLOCKS && a.policy >= DUP_ATOMIC64
           && w.count <= NEAR_ROOM / 2 * p.size && w.arcs <= (scope == SCOPE_GRID ? NEAR_GRID_ARCS : NEAR_ARCS);
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

template <class F> static __device__ __forceinline__ uint32_t entry_key(const F &f, uint32_t u)
{
    if constexpr (F::KEYED)
        return (uint32_t)source_of(f, u);
    (void)f;
    (void)u;
    return 0;
}

/* From the queue in global memory, every p.size-th entry. */
template <class F, class Off>
static __device__ OUT_OF_LINE void near_import(const arena<Off> &a, const F &f, workspace *ws, unsigned round,
                                               int front, const view &w, part p, int scope)
{
    const queue<Off> q = queue_from(a, front, w.base);
    const near_count none = {0, 0, 0, 0};
    const bool tells = p.rank == 0 && scope != SCOPE_GRID;
    if (threadIdx.x < 3) {
        ws->amount[threadIdx.x] = none;
        clear_slot(&ws->found[threadIdx.x]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const slot *s = slot_of(a.st, round);
        ws->near_base = base_after(a, w);
        ws->amount[round % 3].count = w.count > p.rank ? (w.count - p.rank - 1) / p.size + 1 : 0;
        ws->amount[round % 3].arcs = tells ? (uint32_t)w.arcs : 0;
        ws->found[round % 3].again = tells ? s->again : 0;
        ws->found[round % 3].sinks = tells ? s->sinks : 0;
        ws->near_fair = NEAR_ROOM;
    }
    __syncthreads();
    uint32_t arcs = 0;
    for (uint32_t k = threadIdx.x, i = p.rank + k * p.size; i < w.count; k += blockDim.x, i = p.rank + k * p.size) {
        const word64 scan = q.scan[i], end = i + 1 < w.count ? (word64)q.scan[i + 1] : w.arcs;
        const uint32_t u = q.vertex[i];
        const near_entry e = {u, (uint32_t)(end - scan), (uint32_t)(scan + q.shift[i]), entry_key(f, u)};
        ws->near[round & 1][k] = e;
        arcs += e.degree;
    }
    if (scope == SCOPE_GRID)
        (void)atomicAdd(&ws->amount[round % 3].arcs, arcs);
}

/* To the queue in global memory, and its slot (N3). */
template <class F, class Off>
static __device__ OUT_OF_LINE void near_export(const arena<Off> &a, const F &f, workspace *ws, const near_turn &now,
                                               int front, part p, unsigned stamp)
{
    const unsigned round = now.round;
    slot *to = slot_of(a.st, round), *from = &ws->found[now.slot];
    const uint32_t all = ws->amount[now.slot].count, count = all < NEAR_ROOM ? all : (uint32_t)NEAR_ROOM;
    open_outlet(ws, to, round, front, false, ws->near_base);
    for (uint32_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const near_entry e = ws->near[now.side][base + simt_lane() < count ? base + simt_lane() : 0];
        bool is = base + simt_lane() < count;
        if constexpr (F::KEYED)
            is = is && is_latest(f, e.u, e.key) && is_first(f, e.u, stamp);
        put_one(a, ws, is, e.u);
    }
    close_outlet(a, ws, 0);
    if (threadIdx.x == 0) {
        if (p.rank == 0)
            to->base = ws->near_base;
        add_count(&to->again, from->again);
        add_count(&to->sinks, from->sinks);
        if (from->stop != 0)
            (void)atomicOr(&to->stop, from->stop);
    }
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ near_turn near_turn_of(unsigned round)
{
    const near_turn t = {round, round & 1, round % 3, (round + 1) % 3, (round + 2) % 3, round + 1};
    return t;
}

static __device__ __forceinline__ near_turn near_turn_after(const near_turn &t)
{
    const near_turn next = {t.round + 1, t.side ^ 1, t.next, t.after, t.slot, t.stamp + 1};
    return next;
}

/* Through the grid's gate before `round`, with what the block brings. One thread. */
static __device__ __forceinline__ void pass_gate(state *st, workspace *ws, unsigned round, part p, unsigned visits,
                                                 const near_count &c, bool stops)
{
    const bool leaves = stops || c.count > ws->near_fair || c.arcs > GATE_MOST_ARCS;
    const word64 count = c.count < GATE_MOST_COUNT ? c.count : (uint32_t)GATE_MOST_COUNT;
    const word64 arcs = c.arcs < GATE_MOST_ARCS ? c.arcs : (uint32_t)GATE_MOST_ARCS;
    const word64 mine = 1ull << GATE_BLOCKS | (word64)leaves << GATE_VOTES | count << GATE_COUNT | arcs;
    word64 *const gate = &st->gate[visits & 1][round % 3];
    word64 met = simt_add_acq_rel(gate, mine) + mine;
    while (met >> GATE_BLOCKS != p.size) {
        simt_spin();
        met = simt_load_acquire(gate);
    }
    ws->met = met;
}

/* The same, in step. */
static __device__ __forceinline__ void near_pass_gate(state *st, workspace *ws, const near_turn &next, part p,
                                                      unsigned visits)
{
    slot *s = &ws->found[next.slot], *to = slot_of(st, next.round);
    add_count(&to->again, s->again);
    add_count(&to->sinks, s->sinks);
    s->again = s->sinks = 0;
    pass_gate(st, ws, next.round, p, visits, ws->amount[next.slot], s->stop != 0);
}

/* Ends a round: tells all blocks what this one has for the next, and meets. All threads. */
static __device__ __forceinline__ void near_meet(state *st, workspace *ws, const near_turn &next, part p, int scope,
                                                 unsigned visits)
{
    __syncthreads();
    if (p.size == 1)
        return;
    if (scope == SCOPE_GRID) {
        if (threadIdx.x == 0)
            near_pass_gate(st, ws, next, p, visits);
        __syncthreads();
        return;
    }
    if (threadIdx.x < p.size) {
        const near_count c = ws->amount[next.slot];
        const slot *s = &ws->found[next.slot];
        const near_told t = {c.count, c.arcs, s->stop, s->again, s->sinks, 0, 0, 0};
        simt_cluster_at(ws, threadIdx.x)->told[next.round & 1][p.rank] = t;
    }
    simt_cluster_sync();
}

/* What all blocks found; of the grid `most` is this block's own, and `stop` the votes to leave. All lanes. */
static __device__ __forceinline__ near_view near_look(const workspace *ws, const near_turn &now, part p, int scope)
{
    if (scope == SCOPE_GRID) {
        const word64 met = ws->met;
        const near_view v = {(uint32_t)(met >> GATE_COUNT) & ((1u << (GATE_VOTES - GATE_COUNT)) - 1),
                             (uint32_t)met & ((1u << GATE_COUNT) - 1), ws->amount[now.slot].count,
                             (unsigned)(met >> GATE_VOTES) & ((1u << (GATE_BLOCKS - GATE_VOTES)) - 1)};
        return v;
    }
    if (p.size == 1) {
        const near_count c = ws->amount[now.slot];
        const near_view v = {c.count, c.arcs, c.count, ws->found[now.slot].stop};
        return v;
    }
    const bool is = simt_lane() < p.size;
    const near_told *t = &ws->told[now.round & 1][is ? simt_lane() : 0];
    const uint32_t count = is ? t->count : 0, arcs = is ? t->arcs : 0;
    const near_view v = {simt_reduce_add(WARP_ALL, count), simt_reduce_add(WARP_ALL, arcs),
                         simt_reduce_max(WARP_ALL, count), simt_reduce_or(WARP_ALL, is ? t->stop : 0u)};
    return v;
}

/* The greatest k with x << k <= y; 0 if there is none. Of x = 0 one above every wish. */
static __device__ __forceinline__ unsigned near_log(uint32_t x, uint32_t y)
{
    const int k = __clz((int)x) - __clz((int)y); /* one too many at most */
    return k <= 0 ? 0 : x << k <= y ? (unsigned)k : (unsigned)k - 1;
}

/* Threads a vertex that the mapping wants, as a power of two, 5 at most; MAP_AUTO: one for each arc of a mean list. */
static __device__ __forceinline__ unsigned near_wish(const tuning &t)
{
    switch (t.mapping) {
    case MAP_THREAD: return 0;
    case MAP_VIRTUAL_WARP: return near_log(1, t.width);
    case MAP_DYNAMIC: return 5;
    default: return 32 - (unsigned)__clz((int)(t.degree_mean > 1 ? t.degree_mean - 1 : 0));
    }
}

/* As many as leave every entry some, but for a mapping that says how many. */
static __device__ __forceinline__ unsigned near_width(const tuning &t, unsigned wish, unsigned threads,
                                                      uint32_t entries)
{
    const unsigned fair = near_log(t.mapping == MAP_VIRTUAL_WARP ? 1 : entries, threads);
    const unsigned least = t.mapping == MAP_DYNAMIC ? near_log(1, t.least) : 0, width = fair < wish ? fair : wish;
    return width > least ? width : least < near_log(1, threads) ? least : near_log(1, threads);
}

/* An equal share of every block's part: a stretch of the threads for each block. Nobody is left over: clusters are of
 * 2, 4, 8 or 16 blocks, and blocks of whole warps. */
static __device__ OUT_OF_LINE near_share near_share_evenly(const tuning &t, workspace *ws, const near_turn &now, part p,
                                                           unsigned wish, uint32_t most)
{
    const unsigned lg_size = 31 - (unsigned)__clz((int)p.size), per = blockDim.x >> lg_size;
    const unsigned from = threadIdx.x / per, mine = threadIdx.x - from * per;
    const unsigned lg = near_width(t, wish, per, (most >> lg_size) + 1), groups = per >> lg;
    near_share s = {ws, 0, groups << lg_size, 0, mine & ((1u << lg) - 1), lg};
    if (mine >> lg < groups) {
        s.from = simt_cluster_at(ws, from);
        s.first = p.rank + ((mine >> lg) << lg_size);
        s.end = ws->told[now.round & 1][from].count;
    }
    return s;
}

/* Who takes what: a block its own, unless the largest part exceeds an equal one by more than reading others' costs. */
static __device__ __forceinline__ near_share near_divide(const tuning &t, workspace *ws, const near_turn &now, part p,
                                                         unsigned wish, const near_view &v, int scope)
{
    const bool own = p.size == 1 || scope == SCOPE_GRID;
    const unsigned lg =
        v.most << wish <= blockDim.x && t.mapping == MAP_AUTO ? wish : near_width(t, wish, blockDim.x, v.most);
    if (!own && v.most > (v.total >> (31 - __clz((int)p.size))) + NEAR_SLACK)
        return near_share_evenly(t, ws, now, p, wish, v.most);
    const near_share s = {ws,
                          threadIdx.x >> lg,
                          blockDim.x >> lg,
                          own ? v.most : ws->told[now.round & 1][p.rank].count,
                          threadIdx.x & ((1u << lg) - 1),
                          lg};
    return s;
}

/* Arcs of a frontier that stays in this scope (choose_scope), and fits. */
static __device__ __forceinline__ near_bounds near_bounds_of(const plan &pl, int scope)
{
    const uint32_t most = scope == SCOPE_GRID ? NEAR_GRID_ARCS : NEAR_ARCS;
    const word64 below = scope == SCOPE_BLOCK                        ? 0
                         : scope == SCOPE_CLUSTER || pl.cluster == 1 ? pl.block_arcs / 2 + 1
                                                                     : pl.cluster_arcs / 2 + 1;
    const word64 above = scope == SCOPE_BLOCK ? pl.block_arcs : scope == SCOPE_CLUSTER ? pl.cluster_arcs : most;
    const word64 low = pl.scope != SCOPE_AUTO ? 0 : below, top = pl.scope != SCOPE_AUTO ? most : above;
    const near_bounds b = {(uint32_t)(low < most ? low : most), (uint32_t)(top < most ? top : most)};
    const near_bounds wide = {b.low, b.span > b.low ? b.span - b.low : 0};
    return wide;
}

static __device__ __forceinline__ bool near_goes_on(const near_bounds &b, const near_view &v)
{
    return v.stop == 0 && v.total != 0 && v.most <= NEAR_ROOM && v.arcs - b.low <= b.span;
}

/* What did not fit goes to the queue in global memory at once (N1). All lanes. */
template <class Off>
static __device__ OUT_OF_LINE void near_overflow(const arena<Off> &a, workspace *ws, unsigned over, four x,
                                                 unsigned round, int front)
{
    __syncwarp(); /* all have done with the outlet's last use */
    open_outlet(ws, slot_of(a.st, round + 1), round + 1, 1 - front, false, ws->near_base);
    put_listed(a, ws, over, x, NEAR_AHEAD);
    flush_slots(a, ws, ws->out[simt_warp()].count);
}

/* Arcs on their way. */
template <class Off> struct near_arcs {
    arc_data c[NEAR_AHEAD];
    uint32_t key[NEAR_AHEAD];               /* KEYED */
    Off begin[NEAR_AHEAD], end[NEAR_AHEAD]; /* the targets' own arcs */
    unsigned listed;
};

static_assert(NEAR_AHEAD <= 2, "near_put hands two vertices of a lane to near_overflow");

/* Puts what was listed into the block's next frontier. All lanes. */
template <class F, class Off>
static __device__ __forceinline__ void near_put(const arena<Off> &a, const F &f, workspace *ws, const near_arcs<Off> &n,
                                                const near_turn &now, int front)
{
    near_count *more = &ws->amount[now.next];
    near_entry *to = ws->near[now.side ^ 1];
    uint32_t total = 0, base = 0, arcs = 0, rank[NEAR_AHEAD];
    unsigned queued = 0, over = 0;
#pragma unroll
    for (int k = 0; k < NEAR_AHEAD; k++) {
        const bool is = (n.listed >> k & 1) != 0 && n.end[k] != n.begin[k];
        const unsigned mask = __ballot_sync(WARP_ALL, is);
        rank[k] = total + __popc(mask & lanes_below());
        total += __popc(mask);
        queued |= (unsigned)is << k;
        arcs += is ? (uint32_t)(n.end[k] - n.begin[k]) : 0;
    }
    if (simt_lane() == 0)
        base = atomicAdd(&more->count, total);
    base = __shfl_sync(WARP_ALL, base, 0);
#pragma unroll
    for (int k = 0; k < NEAR_AHEAD; k++) {
        const near_entry e = {n.c[k].v, (uint32_t)(n.end[k] - n.begin[k]), n.begin[k], n.key[k]};
        bool is = (queued >> k & 1) != 0;
        if (is && base + rank[k] < NEAR_ROOM) {
            to[base + rank[k]] = e;
            prefetch_arcs(f, a, n.begin[k]);
        }
        is = is && base + rank[k] >= NEAR_ROOM;
        if constexpr (F::KEYED)
            is = is && is_first(f, n.c[k].v, now.stamp);
        over |= (unsigned)is << k;
    }
    arcs = simt_reduce_add(WARP_ALL, arcs);
    if (simt_lane() == 0)
        (void)atomicAdd(&more->arcs, arcs);
    if (queued != n.listed)
        (void)atomicAdd(&ws->found[now.next].sinks, (unsigned)__popc(queued ^ n.listed));
    if (base + total > NEAR_ROOM) {
        const four x = {{n.c[0].v, NEAR_AHEAD > 1 ? n.c[NEAR_AHEAD - 1].v : 0, 0, 0}};
        near_overflow(a, ws, over, x, now.round, front);
    }
}

/* A target that is being claimed. */
typedef struct near_claim {
    word64 seen, old;
    bool tried;
} near_claim;

/* A step that needs no look at the label before it claims it is BLIND: one trip less. */
template <class F>
static __device__ __forceinline__ void near_ask(F &f, uint32_t u, word64 source, const arc_data &arc, word64 e,
                                                near_claim *c)
{
    if constexpr (F::BLIND)
        c->old = claim_blindly(f, u, source, arc);
    else
        c->tried = claim(f, u, source, arc, e, c->seen, &c->old);
}

template <class F>
static __device__ __forceinline__ unsigned near_judge(F &f, uint32_t u, word64 source, const arc_data &arc, bool live,
                                                      const near_claim &c)
{
    if constexpr (F::BLIND)
        return live ? judge_blindly(f, u, source, arc, c.old) : (unsigned)VERDICT_NO;
    else
        return c.tried ? judge(f, u, source, arc, c.seen, c.old) : (unsigned)VERDICT_NO;
}

/* The arcs of an entry, 1 << lg threads together. All lanes; how many were found again. */
template <class F, class Off>
static __device__ __forceinline__ unsigned near_walk(const arena<Off> &a, F &f, workspace *ws, const near_entry &e,
                                                     const near_share &s, const near_turn &now, int front)
{
    const word64 source = e.degree != 0 ? source_of(f, e.u) : 0;
    unsigned again = 0, off = 0;
    for (uint32_t x = s.within; __any_sync(WARP_ALL, x < e.degree); x += (uint32_t)NEAR_AHEAD << s.lg) {
        near_arcs<Off> n = {};
        near_claim c[NEAR_AHEAD] = {};
        bool live[NEAR_AHEAD];
#pragma unroll
        for (int k = 0; k < NEAR_AHEAD; k++) {
            live[k] = x + ((uint32_t)k << s.lg) < e.degree;
            if (live[k])
                load_arc(f, a, e.begin + x + ((uint32_t)k << s.lg), &n.c[k]);
        }
        if constexpr (F::KEYED) { /* loads are under way: now the label may be waited for */
            const bool stale = e.degree != 0 && !is_valid(f, source, e.key);
            if (stale)
                live[0] = live[1] = false;
            again += stale && x == 0;
        }
#pragma unroll
        for (int k = 0; k < NEAR_AHEAD; k++)
            if (live[k]) {
                n.begin[k] = __ldg(&a.off[n.c[k].v]);
                n.end[k] = __ldg(&a.off[n.c[k].v + 1]);
                if constexpr (!F::BLIND)
                    c[k].seen = peek(f, n.c[k].v);
            }
#pragma unroll
        for (int k = 0; k < NEAR_AHEAD; k++)
            if (live[k])
                near_ask(f, e.u, source, n.c[k], e.begin + x + ((uint32_t)k << s.lg), &c[k]);
#pragma unroll
        for (int k = 0; k < NEAR_AHEAD; k++) {
            const unsigned verdict = near_judge(f, e.u, source, n.c[k], live[k], c[k]);
            n.listed |= (unsigned)(verdict == VERDICT_LIST) << k;
            off |= (unsigned)(verdict == VERDICT_FAR) << k;
            again += verdict == VERDICT_AGAIN;
            if constexpr (F::KEYED)
                n.key[k] = key_after(f, source, n.c[k]);
        }
        if (__any_sync(WARP_ALL, n.listed != 0))
            near_put(a, f, ws, n, now, front);
        if constexpr (F::PILES)
            if (__any_sync(WARP_ALL, off != 0)) {
                const four y = {{n.c[0].v, n.c[1].v, 0, 0}};
                put_far(ws, off, y, NEAR_AHEAD);
                off = 0;
            }
    }
    return again;
}

/* The leader's warp: trace, sums, end (P3). */
template <class F, class Off>
static __device__ __forceinline__ void near_lead(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                 const near_turn &now, const near_view &v, part p, int scope)
{
    const bool is = scope != SCOPE_GRID && simt_lane() < p.size; /* the grid's blocks tell nobody: there may be more */
    const near_told *t = &ws->told[now.round & 1][is ? simt_lane() : 0];
    unsigned again = ws->found[now.slot].again, sinks = ws->found[now.slot].sinks;
    if (scope == SCOPE_GRID && simt_lane() == 0) { /* the leader alone: it cleared the slot of the first round */
        slot *said = slot_of(a.st, now.round);
        again = said->again;
        sinks = said->sinks;
        said->again = said->sinks = 0;
    }
    if (scope != SCOPE_GRID && p.size > 1) {
        again = simt_reduce_add(WARP_ALL, is ? t->again : 0u);
        sinks = simt_reduce_add(WARP_ALL, is ? t->sinks : 0u);
    }
    if (simt_lane() != 0)
        return;
    const int mapping = pl.t.mapping == MAP_AUTO ? (int)MAP_DYNAMIC : pl.t.mapping;
    const trace line = {now.round, v.total + sinks, again, (uint16_t)mapping, (uint16_t)scope, v.arcs, 0, 0};
    if (pl.ring_size != 0)
        pl.ring[now.round % pl.ring_size] = line;
    ws->sum.arcs += v.arcs;
    ws->sum.again += again;
    ws->sum.sinks += sinks;
    const unsigned stop = end_of(f, pl, ws, now.round, now.round % LISTEN_ROUNDS == 0);
    if (stop != 0)
        (void)atomicOr(&ws->found[now.next].stop, stop);
}

/* One round up to its barrier. All threads of the blocks. */
template <class F, class Off>
static __device__ __forceinline__ void near_round(const arena<Off> &a, F &f, workspace *ws, const near_turn &now,
                                                  int front, const near_share &s)
{
    const near_entry none = {0, 0, 0, 0};
    unsigned again = 0;
    begin_round(f, now.round, &ws->found[now.next]);
    for (uint32_t i = s.first; __any_sync(WARP_ALL, i < s.end); i += s.stride)
        again += near_walk(a, f, ws, i < s.end ? s.from->near[now.side][i] : none, s, now, front);
    if (__any_sync(WARP_ALL, again != 0)) {
        again = simt_reduce_add(WARP_ALL, again);
        if (simt_lane() == 0)
            (void)atomicAdd(&ws->found[now.next].again, again);
    }
}

/* The last warp, which is last to get work: the numbers of the round after next are cleared, and block 0's leads. */
template <class F, class Off>
static __device__ __forceinline__ void near_chores(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                   const near_turn &now, const near_view &v, part p, int scope,
                                                   unsigned visits)
{
    const near_count none = {0, 0, 0, 0};
    if (simt_lane() == 1) {
        ws->amount[now.after] = none;
        clear_slot(&ws->found[now.after]);
    }
    if (scope == SCOPE_GRID && simt_lane() == 2) {
        const uint32_t equal = v.total / p.size;
        ws->near_fair = 2 * equal + NEAR_UNEQUAL < NEAR_ROOM ? 2 * equal + NEAR_UNEQUAL : (uint32_t)NEAR_ROOM;
        if (p.rank == 0)
            a.st->gate[visits & 1][now.after] = 0;
    }
    if (p.rank == 0)
        near_lead(a, f, pl, ws, now, v, p, scope);
    __syncwarp();
}

/* Makes room in what the block has put off. */
static __device__ __forceinline__ void near_write_far(workspace *ws)
{
    __syncthreads();
    if (ws->far_count > FAR_FLUSH)
        flush_far(ws);
}

/* The slot of a frontier that is in shared memory now (N3); the grid's blocks count what they met again in it. */
static __device__ __forceinline__ void near_clear(slot *s, int scope)
{
    const unsigned again = s->again, sinks = s->sinks;
    clear_slot(s);
    s->again = scope == SCOPE_GRID ? again : 0;
    s->sinks = scope == SCOPE_GRID ? sinks : 0;
}

/* Rounds until the frontier is not for these any more, or the loop ends; false if there was none. One block is a
 * cluster of one. */
template <class F, class Off>
static __device__ __forceinline__ bool near_rounds(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                   place *at, const view &w, part p, int scope)
{
    const unsigned first = at->round, wish = near_wish(pl.t);
    const bool last_warp = simt_warp() == blockDim.x / 32 - 1;
    const near_bounds bounds = near_bounds_of(pl, scope);
    near_turn now = near_turn_of(first);
    F step = f;
    if constexpr (F::PILES)
        set_limit(step, w.limit);
    near_import(a, f, ws, first, at->front, w, p, scope);
    if (is_leader(p))
        clear_slot(slot_of(a.st, first + 2));
    near_meet(a.st, ws, now, p, scope, at->visits);
    if (is_leader(p))
        near_clear(slot_of(a.st, first), scope); /* all have read it */
    for (;;) {
        const near_view v = near_look(ws, now, p, scope);
        if (!near_goes_on(bounds, v))
            break;
        const near_share s = near_divide(pl.t, ws, now, p, wish, v, scope);
        if (last_warp)
            near_chores(a, f, pl, ws, now, v, p, scope, at->visits);
        near_round(a, step, ws, now, at->front, s);
        now = near_turn_after(now);
        if constexpr (F::PILES)
            near_write_far(ws);
        near_meet(a.st, ws, now, p, scope, at->visits);
        at->front = 1 - at->front;
    }
    at->round = now.round;
    if constexpr (F::PILES)
        flush_far(ws);
    near_export(a, step, ws, now, at->front, p, now.stamp - 1);
    meet(scope);
    if (scope == SCOPE_GRID) {
        if (is_leader(p)) /* N6 */
            a.st->gate[at->visits & 1][0] = a.st->gate[at->visits & 1][1] = a.st->gate[at->visits & 1][2] = 0;
        at->visits++;
    }
    return now.round != first;
}

} /* namespace SIMT_FLAVOUR */

#endif
