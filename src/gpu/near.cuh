/* near.cuh - rounds of one block or one cluster over a frontier in shared memory: the long tail of roads and meshes,
 * thousands of rounds of a few hundred vertices each, where only latency counts.
 *
 * Each block keeps what it finds: vertex, first arc and degree, in its own shared memory. In the next round every block
 * takes an equal share of what each of them found, read from where it lies (distributed shared memory), with as many
 * threads a vertex as there are. What a thread waits for, one after the other: the blocks' counts, its entry (both in
 * shared memory), the arcs' targets, their labels and, asked for together with these, their offsets; the atomic; a
 * place in shared memory; one barrier. Of global memory that is three trips a round.
 * Counts, stop bits and sums are in shared memory too; global memory gets the trace, and every LISTEN_ROUNDS rounds a
 * look at the host's words.
 *
 * Invariants
 *   N1 only where the policy is exact, so what does not fit NEAR_ROOM entries of a block fits the queue in global
 *      memory (Q2); it goes there, and these rounds are left;
 *   N2 amount[] and found[] rotate as slots do (Q4): a block writes only its own, others read it a barrier later;
 *   N3 the three slots in global memory are clear while these rounds last, but for what N1 puts there: so when they are
 *      left, the frontier is put into the queue and the slot of its round, and the others go on as if it had never been
 *      elsewhere;
 *   N4 all blocks leave together, for what each reads of all counts, and meet before one ends or uses its memory again;
 *   N5 degrees are counted up to NEAR_ARCS + 1 each: a sum within NEAR_ARCS is exact, and no sum leaves 32 bits.
 * Memory: 32 bytes of shared memory a vertex and block.
 */
#ifndef NF_GPU_NEAR_CUH
#define NF_GPU_NEAR_CUH

#include "gpu/lead.cuh"

namespace SIMT_FLAVOUR
{

#define NEAR_ARCS 49152u  /* of a frontier in shared memory, at most */
#define NEAR_STEPS 16u    /* of AHEAD arcs a thread: a list that needs more is not for these rounds, if auto chooses */
#define LISTEN_ROUNDS 64u /* of about 1 us */

/* A frontier in shared memory as every thread of its blocks sees it. */
typedef struct near_view {
    uint32_t total, arcs, longest; /* over all blocks */
    uint32_t most;                 /* entries of the block with most */
    uint32_t here;                 /* entries of the block this thread takes from */
    unsigned stop;
} near_view;

/* This thread's share: entries first, first + stride, ... of block `from`, as lane `within` of `width`. */
typedef struct near_share {
    unsigned from, width, within, first, stride;
} near_share;

static __device__ __forceinline__ bool is_near_mapping(int mapping)
{
    return mapping == MAP_AUTO || mapping == MAP_THREAD || mapping == MAP_VIRTUAL_WARP || mapping == MAP_DYNAMIC;
}

/* May the rounds be near ones, with this frontier? Half the room is left to grow in. */
template <class F, class Off>
static __device__ __forceinline__ bool is_near(const arena<Off> &a, const plan &pl, const view &w, part p, int scope)
{
    return F::LISTS && (scope == SCOPE_BLOCK || scope == SCOPE_CLUSTER) && a.policy >= DUP_ATOMIC64
           && is_near_mapping(pl.t.mapping) && w.count <= NEAR_ROOM / 2 * p.size && w.arcs <= NEAR_ARCS;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

/* From the queue in global memory, every p.size-th entry. */
template <class Off>
static __device__ OUT_OF_LINE void near_import(const arena<Off> &a, workspace *ws, unsigned round, int front,
                                               const view &w, part p)
{
    const queue<Off> q = a.q[front];
    near_count *now = &ws->amount[round % 3];
    const near_count none = {0, 0, 0, 0};
    if (threadIdx.x < 3) {
        ws->amount[threadIdx.x] = none;
        clear_slot(&ws->found[threadIdx.x]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const slot *s = slot_of(a.st, round);
        now->count = w.count > p.rank ? (w.count - p.rank - 1) / p.size + 1 : 0;
        now->arcs = p.rank == 0 ? (uint32_t)w.arcs : 0;
        ws->found[round % 3].again = p.rank == 0 ? s->again : 0;
        ws->found[round % 3].sinks = p.rank == 0 ? s->sinks : 0;
    }
    for (uint32_t k = threadIdx.x, i = p.rank + k * p.size; i < w.count; k += blockDim.x, i = p.rank + k * p.size) {
        const word64 scan = q.scan[i], end = i + 1 < w.count ? (word64)q.scan[i + 1] : w.arcs;
        const near_entry e = {q.vertex[i], (uint32_t)(end - scan), (Off)(scan + q.shift[i])};
        ws->near[round & 1][k] = e;
        (void)atomicMax(&now->longest, e.degree);
    }
}

/* To the queue in global memory, and its slot (N3). */
template <class Off>
static __device__ OUT_OF_LINE void near_export(const arena<Off> &a, workspace *ws, unsigned round, int front)
{
    slot *to = slot_of(a.st, round), *from = &ws->found[round % 3];
    const uint32_t all = ws->amount[round % 3].count, count = all < NEAR_ROOM ? all : (uint32_t)NEAR_ROOM;
    open_outlet(ws, to, round, front, false);
    for (uint32_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const bool is = base + simt_lane() < count;
        put_one(a, ws, is, is ? ws->near[round & 1][base + simt_lane()].u : 0);
    }
    close_outlet(a, ws, 0);
    if (threadIdx.x == 0) {
        add_count(&to->again, from->again);
        add_count(&to->sinks, from->sinks);
        if (from->stop != 0)
            (void)atomicOr(&to->stop, from->stop);
    }
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* What all blocks found. All lanes. `from`: the block this thread will take entries from. */
static __device__ __forceinline__ near_view near_look(workspace *ws, unsigned round, part p, unsigned from)
{
    const near_count none = {0, 0, 0, 0};
    if (p.size == 1) {
        const near_count c = ws->amount[round % 3];
        const near_view v = {c.count, c.arcs, c.longest, c.count, c.count, ws->found[round % 3].stop};
        return v;
    }
    const bool is = simt_lane() < p.size;
    workspace *other = simt_cluster_at(ws, is ? simt_lane() : p.rank);
    const near_count c = is ? other->amount[round % 3] : none;
    const unsigned stop = is ? other->found[round % 3].stop : 0;
    const near_view v = {simt_reduce_add(WARP_ALL, c.count),        simt_reduce_add(WARP_ALL, c.arcs),
                         simt_reduce_max(WARP_ALL, c.longest),      simt_reduce_max(WARP_ALL, c.count),
                         __shfl_sync(WARP_ALL, c.count, (int)from), simt_reduce_or(WARP_ALL, stop)};
    return v;
}

/* Threads a vertex: as many as leave every vertex some, within what the mapping says. */
static __device__ __forceinline__ unsigned near_width(const tuning &t, unsigned per, unsigned size, uint32_t most)
{
    const unsigned lower = 1u << (31 - __clz((int)per)), need = (most + size - 1) / size;
    if (t.mapping == MAP_THREAD || t.mapping == MAP_VIRTUAL_WARP)
        return t.mapping == MAP_THREAD ? 1 : t.width < lower ? t.width : lower;
    const unsigned fair = need < per ? 1u << (31 - __clz((int)(per / (need != 0 ? need : 1)))) : 1;
    const unsigned least = t.mapping == MAP_DYNAMIC && t.least < lower ? t.least : 1;
    return t.mapping == MAP_DYNAMIC && fair > 32 ? 32 : fair < least ? least : fair;
}

/* Do the rounds go on here? */
static __device__ __forceinline__ bool near_goes_on(const plan &pl, const near_view &v, int scope, unsigned width)
{
    const view w = {v.total, v.stop, v.arcs};
    return v.total != 0 && v.stop == 0 && v.most <= NEAR_ROOM && v.arcs <= NEAR_ARCS
           && choose_scope(pl, w, scope) == scope
           && (pl.t.mapping != MAP_AUTO || v.longest <= NEAR_STEPS * AHEAD * width);
}

/* What did not fit goes to the queue in global memory at once (N1). All lanes. */
template <class Off>
static __device__ OUT_OF_LINE void near_overflow(const arena<Off> &a, workspace *ws, unsigned over, four x,
                                                 unsigned round, int front)
{
    __syncwarp(); /* all have done with the outlet's last use */
    open_outlet(ws, slot_of(a.st, round + 1), round + 1, 1 - front, false);
    put_listed(a, ws, over, x, AHEAD);
    flush_slots(a, ws, ws->out[simt_warp()].count);
}

/* Arcs on their way: four of each thread. */
template <class Off> struct near_arcs {
    arc_data c[AHEAD];
    Off begin[AHEAD], end[AHEAD]; /* the targets' own arcs */
    unsigned listed;
};

/* Puts what was listed into the block's next frontier. All lanes. */
template <class Off>
static __device__ __forceinline__ void near_put(const arena<Off> &a, workspace *ws, const near_arcs<Off> &n,
                                                unsigned round, int front)
{
    near_count *more = &ws->amount[(round + 1) % 3];
    near_entry *to = ws->near[(round + 1) & 1];
    uint32_t total = 0, base = 0, arcs = 0, longest = 0, rank[AHEAD];
    unsigned queued = 0, over = 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        const Off all = n.end[k] - n.begin[k];
        const uint32_t degree = all <= NEAR_ARCS ? (uint32_t)all : NEAR_ARCS + 1;
        const bool is = (n.listed >> k & 1) != 0 && degree != 0;
        const unsigned mask = __ballot_sync(WARP_ALL, is);
        rank[k] = total + __popc(mask & lanes_below());
        total += __popc(mask);
        queued |= (unsigned)is << k;
        arcs += is ? degree : 0;
        longest = is && degree > longest ? degree : longest;
    }
    arcs = simt_reduce_add(WARP_ALL, arcs);
    longest = simt_reduce_max(WARP_ALL, longest);
    if (simt_lane() == 0) {
        base = atomicAdd(&more->count, total);
        (void)atomicAdd(&more->arcs, arcs);
        (void)atomicMax(&more->longest, longest);
    }
    base = __shfl_sync(WARP_ALL, base, 0);
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        const Off all = n.end[k] - n.begin[k];
        const near_entry e = {n.c[k].v, all <= NEAR_ARCS ? (uint32_t)all : NEAR_ARCS + 1, n.begin[k]};
        const bool is = (queued >> k & 1) != 0;
        if (is && base + rank[k] < NEAR_ROOM)
            to[base + rank[k]] = e;
        over |= (unsigned)(is && base + rank[k] >= NEAR_ROOM) << k;
    }
    if (queued != n.listed)
        (void)atomicAdd(&ws->found[(round + 1) % 3].sinks, (unsigned)__popc(queued ^ n.listed));
    if (base + total > NEAR_ROOM) {
        const four x = {{n.c[0].v, n.c[1].v, n.c[2].v, n.c[3].v}};
        near_overflow(a, ws, over, x, round, front);
    }
}

/* The arcs of an entry, `width` threads together. All lanes; how many were found again. */
template <class F, class Off>
static __device__ __forceinline__ unsigned near_walk(const arena<Off> &a, F &f, workspace *ws, const near_entry &e,
                                                     const near_share &s, unsigned round, int front)
{
    const word64 source = e.degree != 0 ? source_of(f, e.u) : 0, end = e.begin + e.degree;
    word64 at = e.begin + s.within;
    unsigned again = 0;
    for (; __any_sync(WARP_ALL, at < end); at += (word64)AHEAD * s.width) {
        near_arcs<Off> n = {};
        word64 seen[AHEAD], old[AHEAD] = {};
        bool tried[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (at + k * s.width < end)
                load_arc(f, a, at + k * s.width, &n.c[k]);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            tried[k] = at + k * s.width < end;
            seen[k] = tried[k] ? peek(f, n.c[k].v) : 0;
            n.begin[k] = tried[k] ? __ldg(&a.off[n.c[k].v]) : 0;
            n.end[k] = tried[k] ? __ldg(&a.off[n.c[k].v + 1]) : 0;
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            tried[k] = tried[k] && claim(f, e.u, source, n.c[k], at + k * s.width, seen[k], &old[k]);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const unsigned verdict = tried[k] ? judge(f, e.u, source, n.c[k], seen[k], old[k]) : (unsigned)VERDICT_NO;
            n.listed |= (unsigned)(verdict == VERDICT_LIST) << k;
            again += verdict == VERDICT_AGAIN;
        }
        if (__any_sync(WARP_ALL, n.listed != 0))
            near_put(a, ws, n, round, front);
    }
    return again;
}

/* The leader's warp: trace, sums, end (P3). */
template <class F, class Off>
static __device__ __forceinline__ void near_lead(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                 unsigned round, const near_view &v, part p, int scope)
{
    const bool is = simt_lane() < p.size;
    const slot *theirs = &(p.size > 1 ? simt_cluster_at(ws, is ? simt_lane() : 0) : ws)->found[round % 3];
    const unsigned again = simt_reduce_add(WARP_ALL, is ? theirs->again : 0u);
    const unsigned sinks = simt_reduce_add(WARP_ALL, is ? theirs->sinks : 0u);
    if (simt_lane() != 0)
        return;
    const int mapping = pl.t.mapping == MAP_AUTO ? (int)MAP_DYNAMIC : pl.t.mapping;
    const trace t = {round, v.total + sinks, again, (uint16_t)mapping, (uint16_t)scope, v.arcs};
    if (pl.ring_size != 0)
        pl.ring[round % pl.ring_size] = t;
    ws->sum.arcs += v.arcs;
    ws->sum.again += again;
    ws->sum.sinks += sinks;
    const unsigned stop = end_of(a, f, pl, ws, round, round % LISTEN_ROUNDS == 0);
    if (stop != 0)
        (void)atomicOr(&ws->found[(round + 1) % 3].stop, stop);
}

/* One round up to its barrier. All threads of the blocks. */
template <class F, class Off>
static __device__ __forceinline__ void near_round(const arena<Off> &a, const F &f, workspace *ws, const workspace *from,
                                                  unsigned round, int front, const near_view &v, const near_share &s)
{
    F step = f;
    const near_entry none = {0, 0, 0};
    unsigned again = 0;
    begin_round(step, round, &ws->found[(round + 1) % 3]);
    for (uint32_t i = s.first; __any_sync(WARP_ALL, i < v.here); i += s.stride)
        again += near_walk(a, step, ws, i < v.here ? from->near[round & 1][i] : none, s, round, front);
    if (__any_sync(WARP_ALL, again != 0)) {
        again = simt_reduce_add(WARP_ALL, again);
        if (simt_lane() == 0)
            (void)atomicAdd(&ws->found[(round + 1) % 3].again, again);
    }
}

/* Rounds until the frontier is not for these any more, or the loop ends; false if there was none. Whether a block reads
 * another's memory or its own, is the same code: one block is a cluster of one. */
template <class F, class Off>
static __device__ __forceinline__ bool near_rounds(const arena<Off> &a, const F &f, const plan &pl, workspace *ws,
                                                   place *at, const view &w, part p, int scope)
{
    const unsigned first = at->round, per = blockDim.x / p.size, mine = threadIdx.x % per;
    const bool leads = p.rank == 0 && simt_warp() == blockDim.x / 32 - 1;
    const near_count none = {0, 0, 0, 0};
    near_share s = {threadIdx.x / per < p.size ? threadIdx.x / per : p.size - 1, 1, 0, 0, 1};
    const workspace *from = p.size > 1 ? simt_cluster_at(ws, s.from) : ws;
    near_import(a, ws, at->round, at->front, w, p);
    if (is_leader(p))
        clear_slot(slot_of(a.st, at->round + 2));
    meet(scope);
    for (;;) {
        const near_view v = near_look(ws, at->round, p, s.from);
        s.width = near_width(pl.t, per, p.size, v.most);
        if (!near_goes_on(pl, v, scope, s.width))
            break;
        const unsigned groups = per / s.width, group = mine / s.width;
        s.within = mine % s.width;
        s.first = group < groups && threadIdx.x < per * p.size ? p.rank + p.size * group : 0xffffffffu;
        s.stride = s.first != 0xffffffffu ? p.size * groups : 0;
        if (threadIdx.x == 0) {
            ws->amount[(at->round + 2) % 3] = none;
            clear_slot(&ws->found[(at->round + 2) % 3]);
        }
        if (leads) {
            if (at->round == first && simt_lane() == 0)
                clear_slot(slot_of(a.st, first));
            near_lead(a, f, pl, ws, at->round, v, p, scope);
            __syncwarp();
        }
        near_round(a, f, ws, from, at->round, at->front, v, s);
        meet(scope);
        at->front = 1 - at->front;
        at->round++;
    }
    if (at->round == first)
        return false;
    near_export(a, ws, at->round, at->front);
    meet(scope);
    return true;
}

} /* namespace SIMT_FLAVOUR */

#endif
