/* mesh.cuh - rounds out of step over records of arcs, for roads and meshes, where only latency counts.
 *
 * A block keeps its part of the frontier in shared memory: number and key of an entry, and the record of its arcs
 * (records.cu). Four threads take an entry, one for each arc, and ask together for the atomic on the target's label
 * and for the target's own record: when the atomic tells that the label fell, the new entry's arcs are there. So a
 * round of a block is one trip to memory, a place in shared memory and a barrier of the block. Long lists go on a round
 * later (A1 of records.cu).
 * Labels may be lowered in any order, so blocks go on by themselves; the grid meets every few rounds at a word of
 * global memory, the gate, that adds up what each brings. Before it a block puts what it has above a fair part into the
 * pool, from which each takes an equal share behind it. When nothing is left, steps that put vertices off split the
 * pile (far.cuh), each block its share of it, and go on without another meeting.
 *
 * Invariants
 *   M1 whoever lowers a label lists the vertex with its new key, in shared memory or in the pool: so when a gate finds
 *      nothing anywhere, labels below the limit are final. Entries may be stale: their arcs lower nothing that a later
 *      entry would not;
 *   M2 the pool of gate g is filled between gates g - 1 and g and emptied before its owners come to gate g + 1: two
 *      arrays by g mod 2, counts and gates by g mod 3, those of g + 2 cleared by the leader behind gate g. It has
 *      numbers of records, each once, by a bit that its taker clears, and no keys: the key is the label behind the
 *      gate. So there are places enough, and the parts of a long list go on from where they were;
 *   M3 what is put off is in the pile before the gate (F1, F2 of far.cuh); its least key is told with it, so the next
 *      limit is above the least that waits, whether the split before found anything or not (instead of F4);
 *   M4 stop bits are in global memory before the gate at which their block votes; all leave behind the same gate;
 *   M5 weights are not negative, so an arc back to the vertex that an entry was listed from lowers nothing: it may be
 *      taken out of the entry's copy of the record.
 * Memory: 80 bytes of shared memory an entry (56 without weights); 8.25 bytes a record for the pool.
 */
#ifndef NF_GPU_MESH_CUH
#define NF_GPU_MESH_CUH

#include "gpu/device_graph.h"
#include "gpu/far.cuh"

namespace SIMT_FLAVOUR
{

enum {
    MESH_THREADS = 512,     /* of a block, at most */
    MESH_SHARE = 4,         /* threads an entry: one for each place of a record */
    MESH_ROOM = 512,        /* entries of a block */
    MESH_MOST_BLOCKS = 511, /* of the grid: the gate counts them in 9 bits */
    MESH_LISTEN = 4,        /* gates between looks at the clock */
    MESH_OFF = 16,          /* of a count, the bits above: one atomic finds places for both */
    MESH_KEEP = 8,          /* entries that a block keeps though others have less */
    MESH_CHUNK = 8          /* of the pile, that go to one block: a small pile is shared out, too */
};

/* Of the gate's word, from the top: blocks that came, votes to leave, entries in units of 16, vertices in the pool. */
enum { MESH_BLOCKS = 55, MESH_VOTES = 46, MESH_KEPT = 31, MESH_UNIT = 16 };

/* Does a step look at weights? */
template <class F> struct is_weighted {
    static const bool value = true;
};

/* Is a search one of many on the device? Then its progress is nobody's business. */
template <class F> struct is_one_of_many {
    static const bool value = false;
};

/* What the grid works on. */
typedef struct mesh_arena {
    const record_quad *records;
    const uint32_t *owners;      /* of records from n on */
    uint32_t *pool[2], *rest[2]; /* M2: n places, and as many more as there are records beyond n */
    uint32_t *has[2];            /* a bit for each record */
    uint32_t *far[2];            /* steps that put vertices off */
    state *st;
    uint32_t n;
    uint32_t ahead; /* records around a new entry's that are fetched to L2, which does not hold them all; or 0 */
} mesh_arena;

/* The arcs of an entry. */
template <bool WEIGHTED> struct mesh_record {
    record_quad target, weight;
};

template <> struct mesh_record<false> {
    record_quad target;
};

template <bool WEIGHTED> struct mesh_space {
    mesh_record<WEIGHTED> arcs[2][MESH_ROOM];
    uint2 who[2][MESH_ROOM];                      /* the record's number, and the vertex's key when it was listed */
    uint32_t vertex[2][WEIGHTED ? 1 : MESH_ROOM]; /* for parents */
    uint32_t count[3]; /* by round: of this one, the next, the one after; MESH_OFF: vertices it put off */
    uint32_t pushed;   /* into the pool since the last gate */
    unsigned stop;     /* STOP_* */
    word64 met;        /* what the gate said */
    ledger sum;
    view front;
    far_side *far_to; /* far.cuh */
    uint32_t *far_pile;
    uint32_t far_slots[FAR_SLOTS], far_count, far_base;
};

/* Where a block is. */
typedef struct mesh_turn {
    unsigned gate;  /* the next one */
    unsigned phase; /* of the pile */
    unsigned side, slot;
    uint32_t fair; /* entries that it keeps */
    uint32_t far;  /* put off since the last gate, but for what count[slot] says */
} mesh_turn;

/* A thread's own sums. */
typedef struct mesh_sums {
    uint32_t arcs, again;
    uint32_t least; /* key put off since the last gate */
} mesh_sums;

static __device__ __forceinline__ unsigned mesh_after(unsigned which)
{
    return which == 2 ? 0 : which + 1;
}

/* Is it a target, and neither a further record nor an empty place? */
static __device__ __forceinline__ bool is_arc(uint32_t v)
{
    return (v & RECORD_LINK) == 0; /* nor is RECORD_NONE */
}

/* Of a count. */
static __device__ __forceinline__ uint32_t mesh_entries(uint32_t count)
{
    const uint32_t all = count & ((1u << MESH_OFF) - 1);
    return all < MESH_ROOM ? all : (uint32_t)MESH_ROOM;
}

/* ---- the way in -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t *mesh_place(const mesh_arena &a, unsigned which, uint32_t i)
{
    return i < a.n ? &a.pool[which][i] : &a.rest[which][i - a.n];
}

/* Into the pool of a gate (M2). All lanes. */
template <class Space>
static __device__ OUT_OF_LINE void mesh_push(const mesh_arena &a, Space *ws, bool is, uint32_t record, unsigned gate)
{
    const uint32_t bit = 1u << (record & 31);
    uint32_t base = 0;
    is = is && (atomicOr(&a.has[gate & 1][record >> 5], bit) & bit) == 0;
    __syncwarp();
    const unsigned mask = __ballot_sync(WARP_ALL, is);
    if (mask == 0)
        return;
    if (simt_lane() == 0) {
        base = atomicAdd(&a.st->pool[gate % 3], (unsigned)__popc(mask));
        (void)atomicAdd(&ws->pushed, (uint32_t)__popc(mask));
    }
    base = __shfl_sync(WARP_ALL, base, 0);
    if (is)
        *mesh_place(a, gate & 1, base + __popc(mask & lanes_below())) = record;
}

static __device__ __forceinline__ record_quad load_quad(const record_quad *from)
{
    const uint4 x = simt_load16_once(from);
    const record_quad q = {{x.x, x.y, x.z, x.w}};
    return q;
}

template <bool WEIGHTED>
static __device__ __forceinline__ void mesh_load(const mesh_arena &a, uint32_t at, mesh_record<WEIGHTED> *r)
{
    if constexpr (WEIGHTED) {
        r->target = load_quad(&a.records[2 * (uint64_t)at]);
        r->weight = load_quad(&a.records[2 * (uint64_t)at + 1]);
    } else
        r->target = load_quad(&a.records[at]);
}

/* Adds to a count, for all lanes at once: what it was. A round lists, and puts off, at most an end for each place of
 * its entries, which half a word counts. All lanes. */
static __device__ __forceinline__ uint32_t mesh_count(uint32_t *count, uint32_t more)
{
    static_assert(MESH_SHARE * MESH_ROOM < 1 << MESH_OFF, "ends of a round");
    uint32_t base = 0;
    if (simt_lane() == 0)
        base = atomicAdd(count, more);
    return __shfl_sync(WARP_ALL, base, 0);
}

/* The place of a lane that is asked for, among those of mask, from a place on. */
static __device__ __forceinline__ uint32_t mesh_rank(unsigned mask, uint32_t from)
{
    return from + (uint32_t)__popc(mask & lanes_below());
}

/* Puts the entry of every lane that has one, those of mask, on a side, from a place on; what does not fit goes to the
 * pool. All lanes. */
template <bool WEIGHTED>
static __device__ __forceinline__ void mesh_put(const mesh_arena &a, mesh_space<WEIGHTED> *ws, unsigned mask, bool is,
                                                const uint2 &who, uint32_t v, const mesh_record<WEIGHTED> &r,
                                                unsigned side, uint32_t from, unsigned gate)
{
    const uint32_t at = mesh_rank(mask, from);
    if (is && at < MESH_ROOM) {
        ws->who[side][at] = who;
        ws->arcs[side][at] = r;
        if constexpr (!WEIGHTED)
            ws->vertex[side][at] = v;
    }
    if (from + __popc(mask) > MESH_ROOM)
        mesh_push(a, ws, is && at >= MESH_ROOM, who.x, gate);
}

/* The same for a list that nothing is put off from. What a block takes may be more than half a word counts, so a full
 * list is not counted on: it has as many places as before, none. All lanes. */
template <bool WEIGHTED>
static __device__ __forceinline__ void mesh_list(const mesh_arena &a, mesh_space<WEIGHTED> *ws, bool is,
                                                 const uint2 &who, uint32_t v, const mesh_record<WEIGHTED> &r,
                                                 const mesh_turn &t)
{
    const unsigned mask = __ballot_sync(WARP_ALL, is);
    uint32_t base = MESH_ROOM;
    if (mask == 0)
        return;
    if (simt_lane() == 0 && simt_load_relaxed(&ws->count[t.slot]) < MESH_ROOM)
        base = atomicAdd(&ws->count[t.slot], (uint32_t)__popc(mask));
    base = __shfl_sync(WARP_ALL, base, 0);
    mesh_put(a, ws, mask, is, who, v, r, t.side, base, t.gate);
}

/* Where a block has no slots left. */
template <class Space> static __device__ OUT_OF_LINE void mesh_defer_all(Space *ws, bool is, uint32_t v)
{
    if (is)
        ws->far_pile[atomicAdd(&ws->far_to->count, 1u)] = v;
    __syncwarp();
}

/* Puts off the vertex of every lane that has one, those of mask, from a place on. All lanes. */
template <class Space>
static __device__ __forceinline__ void mesh_defer(Space *ws, unsigned mask, bool is, uint32_t v, uint32_t from)
{
    const uint32_t at = mesh_rank(mask, from);
    if (is && at < FAR_SLOTS)
        ws->far_slots[at] = v;
    if (from + __popc(mask) > FAR_SLOTS)
        mesh_defer_all(ws, is && at >= FAR_SLOTS, v);
}

/* Fetches what lies around a vertex to L2: ids of neighbours are often close. */
template <class F> static __device__ __forceinline__ void mesh_fetch_around(const mesh_arena &a, const F &f, uint32_t v)
{
    const uint32_t up = a.n - v > a.ahead ? v + a.ahead : v, down = v > a.ahead ? v - a.ahead : v;
    const uint64_t wide = is_weighted<F>::value ? 2 : 1;
    simt_prefetch(&a.records[up * wide]);
    simt_prefetch(&a.records[down * wide]);
    simt_prefetch(label_at(f, up));
    simt_prefetch(label_at(f, down));
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* M5: without the arcs back to where the entry comes from, which lower nothing. Not for levels, where it gains 5 %
 * without parents and loses 15 % with them (H200, a grid of 2^24 vertices). */
static __device__ __forceinline__ void mesh_without(record_quad *x, uint32_t from)
{
#pragma unroll
    for (int k = 0; k < MESH_SHARE; k++)
        x->v[k] = x->v[k] == from ? RECORD_NONE : x->v[k];
}

/* What a thread has under way: an arc of each of E entries. */
template <class F, int E> struct mesh_hand {
    uint2 who[E];  /* the entry's; then those of the entry that the arc makes */
    uint32_t u[E]; /* levels: the entry's vertex */
    arc_data c[E];
    mesh_record<is_weighted<F>::value> r[E]; /* what the arc leads to */
    word64 old[E];
};

/* Asks for the atomics and records of E entries, so many places apart from i on. Nothing is waited for. */
template <class F, int E, class Space>
static __device__ __forceinline__ void mesh_ask(const mesh_arena &a, F &f, const Space *ws, unsigned side, uint32_t i,
                                                const bool (&is)[E], mesh_hand<F, E> *h)
{
    const unsigned k = threadIdx.x % MESH_SHARE, each = blockDim.x / MESH_SHARE;
#pragma unroll
    for (int e = 0; e < E; e++) {
        const uint32_t at = i + (unsigned)e * each;
        if (!is[e])
            continue;
        h->who[e] = ws->who[side][at];
        h->c[e].v = ws->arcs[side][at].target.v[k];
        if constexpr (is_weighted<F>::value)
            h->c[e].w = ws->arcs[side][at].weight.v[k];
        else
            h->u[e] = ws->vertex[side][at];
    }
#pragma unroll
    for (int e = 0; e < E; e++)
        if (is_arc(h->c[e].v))
            h->old[e] = claim_blindly(f, h->u[e], h->who[e].y, h->c[e]);
#pragma unroll
    for (int e = 0; e < E; e++)
        if (h->c[e].v != RECORD_NONE)
            mesh_load(a, h->c[e].v & ~RECORD_LINK, &h->r[e]);
}

/* An arc of each of E entries of each thread, up to the place of what it listed or put off. What a lane has no arc for
 * comes out as VERDICT_NO by itself: nothing is below 0. All lanes. */
template <class F, int E, class Space>
static __device__ __forceinline__ void mesh_arcs(const mesh_arena &a, F &f, Space *ws, const mesh_turn &t, uint32_t i,
                                                 const bool (&is)[E], mesh_sums *sums)
{
    mesh_hand<F, E> h = {};
    unsigned mask[E], far[E];
    uint32_t listed = 0, deferred = 0;
    for (int e = 0; e < E; e++)
        h.c[e].v = RECORD_NONE;
    mesh_ask(a, f, ws, t.side, i, is, &h);
#pragma unroll
    for (int e = 0; e < E; e++) {
        const bool arc = is_arc(h.c[e].v), link = !arc && h.c[e].v != RECORD_NONE;
        const unsigned verdict = judge_blindly(f, h.u[e], h.who[e].y, h.c[e], h.old[e]);
        if constexpr (F::PILES)
            mesh_without(&h.r[e].target, h.who[e].x); /* numbers of further records are no targets */
        sums->arcs += arc;
        sums->again += verdict == VERDICT_AGAIN;
        h.u[e] = arc ? h.c[e].v : h.u[e];
        h.who[e].x = h.c[e].v & ~RECORD_LINK;
        h.who[e].y = arc ? key_after(f, h.who[e].y, h.c[e]) : h.who[e].y;
        mask[e] = __ballot_sync(WARP_ALL, link || verdict == VERDICT_LIST);
        far[e] = F::PILES ? __ballot_sync(WARP_ALL, verdict == VERDICT_FAR) : 0;
        listed += (uint32_t)__popc(mask[e]);
        deferred += (uint32_t)__popc(far[e]);
    }
    if ((listed | deferred) == 0)
        return;
    const uint32_t base = mesh_count(&ws->count[mesh_after(t.slot)], listed | deferred << MESH_OFF);
    uint32_t from = base & ((1u << MESH_OFF) - 1), off = t.far + (base >> MESH_OFF);
#pragma unroll
    for (int e = 0; e < E; e++) {
        const bool lists = (mask[e] >> simt_lane() & 1) != 0, defers = (far[e] >> simt_lane() & 1) != 0;
        mesh_put(a, ws, mask[e], lists, h.who[e], h.u[e], h.r[e], t.side ^ 1, from, t.gate);
        from += (uint32_t)__popc(mask[e]);
        if (a.ahead != 0 && lists && is_arc(h.c[e].v))
            mesh_fetch_around(a, f, h.c[e].v);
        if constexpr (F::PILES) {
            mesh_defer(ws, far[e], defers, h.c[e].v, off);
            off += (uint32_t)__popc(far[e]);
            sums->least = defers && h.who[e].y < sums->least ? h.who[e].y : sums->least;
        }
    }
    __syncwarp();
}

/* The entries of a round, where there is at most one for each thread's share. All lanes. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_round_of_few(const mesh_arena &a, F &f, Space *ws, const mesh_turn &t,
                                                         uint32_t count, mesh_sums *sums)
{
    const uint32_t i = threadIdx.x / MESH_SHARE;
    const bool is[1] = {i < count};
    if (simt_warp() * (32 / MESH_SHARE) < count)
        mesh_arcs<F, 1>(a, f, ws, t, i, is, sums);
}

/* Is an entry to be worked on? Labels of steps that pile fall often: if it has fallen since, the entry is stale. */
template <class F, class Space>
static __device__ __forceinline__ bool mesh_is_due(const mesh_arena &a, const F &f, const Space *ws, unsigned side,
                                                   uint32_t i, uint32_t count)
{
    if (i >= count)
        return false;
    if constexpr (F::PILES) {
        const uint2 who = ws->who[side][i];
        if (who.x < a.n) /* else it is a further record of a list */
            return is_valid(f, source_of(f, who.x), who.y);
    }
    return true;
}

/* Where there are more: two at a time. Those that come first are worked on as they are, since to look at labels takes a
 * trip to memory more. All lanes. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_round_of_many(const mesh_arena &a, F &f, Space *ws, const mesh_turn &t,
                                                          uint32_t count, mesh_sums *sums)
{
    const unsigned each = blockDim.x / MESH_SHARE;
    uint32_t i = threadIdx.x / MESH_SHARE;
    bool is[2] = {i < count, i + each < count};
    for (uint32_t first = simt_warp() * (32 / MESH_SHARE); first < count; first += 2 * each) {
        mesh_arcs<F, 2>(a, f, ws, t, i, is, sums);
        i += 2 * each;
        is[0] = mesh_is_due(a, f, ws, t.side, i, count);
        is[1] = mesh_is_due(a, f, ws, t.side, i + each, count);
        __syncwarp();
    }
}

/* The block's rounds from a gate to the next. All threads. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_run(const mesh_arena &a, F &f, Space *ws, mesh_turn *t, unsigned hops,
                                                mesh_sums *sums)
{
    for (unsigned h = 0; h < hops; h++) {
        const uint32_t all = ws->count[t->slot], count = mesh_entries(all);
        const unsigned next = mesh_after(t->slot);
        if (count == 0)
            break;
        t->far += all >> MESH_OFF;
        if (threadIdx.x == blockDim.x - 1)
            ws->count[mesh_after(next)] = 0;
        __syncwarp();
        if (count <= blockDim.x / MESH_SHARE)
            mesh_round_of_few(a, f, ws, *t, count, sums);
        else
            mesh_round_of_many(a, f, ws, *t, count, sums);
        t->slot = next;
        t->side ^= 1;
        __syncthreads();
    }
}

/* ---- the gate ---------------------------------------------------------------------------------------------------- */

/* M3: what was put off, and its least key. All threads. */
template <class Space>
static __device__ __forceinline__ void mesh_put_off(const mesh_arena &a, Space *ws, mesh_turn *t, mesh_sums *sums)
{
    const uint32_t least = simt_reduce_min(WARP_ALL, sums->least);
    if (simt_lane() == 0 && least != 0xffffffffu)
        tell_least(&a.st->far[t->phase % 3], least);
    sums->least = 0xffffffffu;
    __syncthreads();
    write_out_far(ws, t->far);
    t->far = 0;
}

/* To the gate, and through it; behind it the block has what it kept. All threads, after a barrier. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_meet(const mesh_arena &a, Space *ws, mesh_turn *t, part p, mesh_sums *sums)
{
    const uint32_t all = ws->count[t->slot], have = mesh_entries(all);
    const uint32_t keep = have < t->fair ? have : t->fair;
    t->far += all >> MESH_OFF;
    for (uint32_t base = keep + simt_warp() * 32; base < have; base += blockDim.x) {
        const bool is = base + simt_lane() < have;
        mesh_push(a, ws, is, is ? ws->who[t->side][base + simt_lane()].x : 0, t->gate);
    }
    if constexpr (F::PILES)
        mesh_put_off(a, ws, t, sums);
    __syncthreads();
    if (threadIdx.x == 0) {
        word64 *const gate = &a.st->gate[0][t->gate % 3];
        const word64 mine = 1ull << MESH_BLOCKS | (word64)(ws->stop != 0) << MESH_VOTES
                            | (word64)((keep + MESH_UNIT - 1) / MESH_UNIT) << MESH_KEPT | ws->pushed;
        if (ws->stop != 0)
            (void)atomicOr(&a.st->slots[0].stop, ws->stop);
        word64 met = simt_add_acq_rel(gate, mine) + mine;
        while (met >> MESH_BLOCKS != p.size) {
            simt_spin();
            met = simt_load_acquire(gate);
        }
        ws->met = met;
        ws->pushed = 0;
        ws->count[t->slot] = keep;
        if (p.rank == 0) { /* M2 */
            a.st->gate[0][(t->gate + 2) % 3] = 0;
            a.st->pool[(t->gate + 2) % 3] = 0;
        }
    }
    __syncthreads();
    t->gate++;
}

/* The block's share of what gate t.gate - 1 found in the pool. All threads. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_take(const mesh_arena &a, F &f, Space *ws, const mesh_turn &t,
                                                 uint32_t pooled, part p)
{
    const unsigned which = (t.gate - 1) & 1;
    const uint32_t first = (uint32_t)((word64)pooled * p.rank / p.size);
    const uint32_t end = (uint32_t)((word64)pooled * (p.rank + 1) / p.size);
    for (uint32_t base = first + simt_warp() * 32; base < end; base += blockDim.x) {
        const bool is = base + simt_lane() < end;
        mesh_record<is_weighted<F>::value> r = {};
        uint2 who = {0, 0};
        uint32_t v = 0;
        if (is) {
            who.x = *mesh_place(a, which, base + simt_lane());
            (void)atomicAnd(&a.has[which][who.x >> 5], ~(1u << (who.x & 31)));
            mesh_load(a, who.x, &r);
            v = who.x < a.n ? who.x : a.owners[who.x - a.n];
            who.y = (uint32_t)source_of(f, v);
        }
        __syncwarp();
        mesh_list(a, ws, is, who, v, r, t);
    }
    __syncthreads();
}

/* The pile that the block has its share of, when nothing is left below the limit: all alike. All threads. */
template <class Space>
static __device__ __forceinline__ view mesh_pile(const mesh_arena &a, Space *ws, const mesh_turn &t)
{
    const far_side *side = &a.st->far[t.phase % 3];
    if (threadIdx.x == 0) {
        const view now = {0,
                          0,
                          0,
                          0,
                          simt_load_relaxed(&side->count),
                          simt_load_relaxed(&side->limit),
                          simt_load_relaxed(&side->least)};
        ws->front = now;
    }
    __syncthreads();
    return ws->front;
}

/* Splits it at `next` (F1, F2). The step and the turn come by value, so that they stay in registers. All threads. */
template <class F, class Space>
static __device__ OUT_OF_LINE void mesh_split(const mesh_arena &a, F f, Space *ws, mesh_turn t, word64 next, part p)
{
    const uint32_t *pile = a.far[t.phase & 1];
    const view w = ws->front;
    word64 least = ~0ull;
    begin_split(a, ws, t.phase, next, t.gate, p);
    const word64 mine = ((word64)(threadIdx.x / MESH_CHUNK) * p.size + p.rank) * MESH_CHUNK + threadIdx.x % MESH_CHUNK;
    for (word64 base = 0; base < w.far; base += (word64)p.size * blockDim.x) {
        const waiting x = see_waiting(f, pile, base + mine, w.far, w.limit, next);
        const uint2 who = {x.v, (uint32_t)x.key};
        mesh_record<is_weighted<F>::value> r = {};
        if (x.near)
            mesh_load(a, x.v, &r);
        __syncwarp();
        mesh_list(a, ws, x.near, who, x.v, r, t);
        keep_waiting(ws, x, &least);
    }
    tell_least(&a.st->far[(t.phase + 1) % 3], least);
    __syncthreads();
}

/* On to what was put off; false if there is none. All threads. */
template <class F, class Space>
static __device__ __forceinline__ bool mesh_move_limit(const mesh_arena &a, F &f, const plan &pl, Space *ws,
                                                       mesh_turn *t, part p)
{
    const view w = mesh_pile(a, ws, *t);
    if (w.far == 0)
        return false;
    if (is_leader(p) && pl.ring_size != 0)
        pl.ring[(t->gate - 1) % pl.ring_size].pile = w.far;
    __syncwarp();
    const word64 next = next_limit(f, w);
    mesh_split(a, f, ws, *t, next, p);
    set_settled(f, w.limit);
    set_limit(f, next);
    t->far = ws->far_count;
    t->phase++;
    return true;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* Does the host want it to end? Looked at now and then. */
static __device__ __forceinline__ unsigned mesh_listen(const plan &pl, ledger *l)
{
    const word64 now = simt_clock();
    if (now - l->heard < LISTEN_NS)
        return 0;
    l->heard = now;
    return simt_load_relaxed(&pl.shared->cancel) != 0 ? STOP_CANCEL : 0;
}

/* The leader's part behind a gate: trace, end. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_lead(const F &f, const plan &pl, Space *ws, const mesh_turn &t,
                                                 uint32_t total, part p)
{
    if (!is_leader(p))
        return;
    const unsigned gate = t.gate - 1;
    const trace line = {gate, total, 0, MAP_DYNAMIC, SCOPE_GRID, 0, 0, 0};
    if (pl.ring_size != 0)
        pl.ring[gate % pl.ring_size] = line;
    const bool listens = gate % MESH_LISTEN == 0, many = is_one_of_many<F>::value;
    unsigned stop = end_of(f, pl, ws, gate, listens && !many);
    if (many && listens)
        stop |= mesh_listen(pl, &ws->sum);
    if (stop != 0)
        (void)atomicOr(&ws->stop, stop);
}

/* What all threads of all blocks did. */
static __device__ __forceinline__ void mesh_close(state *st, const mesh_turn &t, const mesh_sums &sums, part p)
{
    const uint32_t arcs = simt_reduce_add(WARP_ALL, sums.arcs), again = simt_reduce_add(WARP_ALL, sums.again);
    if (simt_lane() == 0) {
        (void)atomicAdd(&st->arcs, (word64)arcs);
        (void)atomicAdd(&st->again, (word64)again);
    }
    if (is_leader(p)) {
        st->round = t.gate;
        st->phase = t.phase;
        st->slots[1].stop = st->slots[2].stop = simt_load_relaxed(&st->slots[0].stop);
    }
}

/* From the sources in the pool of gate 0 to the end. All threads of all blocks. */
template <class F, class Space>
static __device__ __forceinline__ void mesh_rounds(const mesh_arena &a, F &f, const plan &pl, Space *ws, part p)
{
    mesh_turn t = {0, 0, 0, 0, MESH_ROOM, 0};
    mesh_sums sums = {0, 0, 0xffffffffu};
    mesh_aim(f, &ws->stop);
    if (threadIdx.x < 3)
        ws->count[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        ws->pushed = p.rank == 0 ? a.st->pool[0] : 0; /* the sources */
        ws->stop = 0;
        ws->far_count = 0;
    }
    if constexpr (F::PILES) {
        set_limit(f, first_limit(f));
        if (threadIdx.x == 0)
            open_far(a, ws, 0);
    }
    if (is_leader(p))
        open_ledger(a.st, &ws->sum);
    __syncthreads();
    for (;;) {
        mesh_meet<F>(a, ws, &t, p, &sums);
        const word64 met = ws->met;
        const uint32_t pooled = (uint32_t)met & 0x7fffffffu;
        const uint32_t kept = ((uint32_t)(met >> MESH_KEPT) & 0x7fffu) * MESH_UNIT, total = kept + pooled;
        mesh_lead(f, pl, ws, t, total, p);
        __syncwarp();
        if ((met >> MESH_VOTES & 0x1ffu) != 0)
            break;
        if (pooled != 0)
            mesh_take(a, f, ws, t, pooled, p);
        if constexpr (F::PILES) {
            if (total == 0 && !mesh_move_limit(a, f, pl, ws, &t, p))
                break;
        } else if (total == 0)
            break;
        const uint32_t even = total / p.size, fair = even + even / 8 + 1;
        t.fair = fair < MESH_KEEP ? (uint32_t)MESH_KEEP : fair < MESH_ROOM ? fair : (uint32_t)MESH_ROOM;
        mesh_run(a, f, ws, &t, pl.hops, &sums);
    }
    mesh_close(a.st, t, sums, p);
}

template <class F>
static __global__ void __launch_bounds__(MESH_THREADS, 1)
    mesh_kernel(const __grid_constant__ mesh_arena a, const __grid_constant__ F step, const __grid_constant__ plan pl)
{
    SIMT_SHARED(mesh_space<is_weighted<F>::value>, ws, 1);
    const part p = {blockIdx.x, gridDim.x};
    F f = step;
    mesh_rounds(a, f, pl, ws, p);
}

/* Clears what a search begins with, and puts the sources into the pool of gate 0. All threads of one block. */
template <class F>
static __device__ __forceinline__ void mesh_seed(const mesh_arena &a, F &f, const uint32_t *sources, uint64_t count)
{
    if (threadIdx.x < 3)
        clear_slot(&a.st->slots[threadIdx.x]);
    if constexpr (F::PILES)
        if (threadIdx.x == 0) {
            for (int k = 0; k < 3; k++)
                clear_far(&a.st->far[k]);
            a.st->far[0].limit = first_limit(f);
        }
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x)
        if (seed(f, sources[i]))
            a.pool[0][atomicAdd(&a.st->pool[0], 1u)] = sources[i];
}

template <class F>
static __global__ void mesh_seed_kernel(const __grid_constant__ mesh_arena a, const __grid_constant__ F step,
                                        const uint32_t *sources, uint64_t count)
{
    F f = step;
    mesh_seed(a, f, sources, count);
}

} /* namespace SIMT_FLAVOUR */

#endif
