/* frontier.cuh - frontiers on the device: queues and bitmaps, the way into them, and the policies against duplicates.
 *
 * A queue is three arrays: the vertex, the number of arcs before it in the queue (an exclusive prefix sum of degrees),
 * and the shift from that count to the vertex's own arcs. The prefix sum needs no scan of its own: a place in the queue
 * and a place in the sum are taken by one 64-bit atomic addition of (vertices, arcs), so both grow in the same order.
 * Vertices without arcs out are never queued.
 *
 * Survivors go into a small buffer of their warp in shared memory (ranks by ballot and popc, BFS-4K section 5.1). A
 * full one is written out, coalesced, with one atomic; what is left at the end of the round with one atomic for the
 * whole block, since thousands of warps that ask one word for a place wait for each other.
 *
 * Policies against duplicates (what the step reports as AGAIN is not queued under any of them)
 *   none      whatever the step lists is queued
 *   table     Davidson et al. 2014, section IV.C: every entry writes its place into a table by vertex; after the
 *             barrier those that find another's place there leave
 *   hash64    BFS-4K section 6: (vertex, thread) into a hash table of the block in shared memory and back: another
 *             thread's mark on the same vertex means duplicate, another vertex means conflict, and a conflict is kept
 *   atomic64  the step itself lists a vertex once, by 64-bit atomics on (distance, vertex it came from); wider
 *             distances and the policy `exact` use a stamp array
 * Invariants
 *   Q1 scan is strictly increasing: every queued vertex has an arc; scan[i] + shift[i] = off[vertex[i]]; an entry's
 *      arcs are as many as scan tells: all of the vertex's, or the first of them (C4 of ceiling.cuh);
 *   Q2 under atomic64 and exact a round lists a vertex at most once, so n places and m arcs suffice;
 *   Q3 otherwise, what does not fit n places or m arcs is kept as bits of a bitmap of n; spill is the first place that
 *      was refused, all places before it are whole, and mark + sweep make of queue and bitmap a queue without
 *      duplicates, which fits by Q2. Nothing is ever written past the arrays, nothing is lost;
 *   Q4 slots of rounds: round i reads slot i mod 3, writes slot i + 1 mod 3, and clears slot i + 2 mod 3, which was
 *      last read before the barrier that began round i. So one barrier a round is enough;
 *   Q5 where a vertex is queued once in all rounds (breadth-first search under an exact policy) both queues are one
 *      array of n places, and each round's part begins where the one before ends: base of its slot, written by the
 *      leader one round ahead.
 * Memory: queues 2 n (4 + 2 offsets) bytes, half of it under Q5; bitmap n / 8; table or stamps 4 n.
 */
#ifndef NF_GPU_FRONTIER_CUH
#define NF_GPU_FRONTIER_CUH

#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

typedef unsigned long long word64; /* the type CUDA's 64-bit atomics take */

#define NO_SPILL 0xffffffffu
#define OUT_OF_LINE __attribute__((noinline))

enum {
    ENGINE_THREADS = 512, /* a block has at most so many: two of them fill half an SM with 64 registers a thread */
    ENGINE_WARPS = ENGINE_THREADS / 32,
    SINK_EACH = 4, /* entries a lane writes out at a time */
    SINK_SLOTS = 32 * SINK_EACH,
    HASH_BITS = 10, /* hash64: slots in a block's table */
    HASH_SLOTS = 1 << HASH_BITS,
    CHUNK_ARCS = 8 * ENGINE_THREADS, /* of the prefix sum, that a block keeps in shared memory */
    ITEM_SLOTS = 4 * ENGINE_THREADS,
    MOST_CLUSTER = 16, /* blocks in one; beyond 8 a chip may have none of them */
    FAR_SLOTS = 1024,  /* vertices that a block has put off and not written out yet (far.cuh) */
    NEAR_ROOM = 1024   /* entries of a block's part of a frontier in shared memory: both of them take what chunks do */
};

/* What a step says of an arc. */
enum {
    VERDICT_NO = 0,
    VERDICT_LIST = 1,
    VERDICT_AGAIN = 2,
    VERDICT_FAR = 3,
    VERDICT_FIRST = 4 /* parted steps: a bit */
};

typedef enum duplicates { DUP_NONE = 0, DUP_TABLE, DUP_HASH64, DUP_ATOMIC64, DUP_EXACT } duplicates;

/* Why a loop ended; bits of slot.stop. */
enum { STOP_CANCEL = 1, STOP_HOT = 2, STOP_LIMIT = 4, STOP_TARGETS = 8, STOP_LOW = 16 };

template <class Off> struct queue {
    uint32_t *vertex;
    Off *scan, *shift;
};

/* Of a frontier under a ceiling: its lists have been cut (C4 of ceiling.cuh), a ceiling has been chosen for it. */
enum { CUT_DONE = 1, CUT_CHOSEN = 2 };
#define NO_CEILING ~0ull

/* One round's numbers (Q4). */
typedef struct slot {
    word64 tail;     /* places << arc_bits | arcs, taken by the step */
    word64 kept;     /* the same, by filter or sweep */
    unsigned spill;  /* Q3 */
    unsigned stop;   /* STOP_* */
    unsigned again;  /* duplicates kept out */
    unsigned sinks;  /* listed vertices without arcs out */
    unsigned tested; /* hash64: verdicts of all kinds */
    unsigned conflicts;
    unsigned missed;                /* hash64: duplicates that came through, where counted */
    unsigned children;              /* kernels launched from the device */
    unsigned most_work, least_work; /* chunks of the blocks with most and least, two-phase and multi-phase */
    unsigned base;                  /* Q5: the place of the round's first entry */
    unsigned cut;                   /* CUT_* */
} slot;

typedef struct trace {
    uint32_t round, frontier, again;
    uint16_t mapping, scope;
    word64 arcs;
    uint32_t pile, unused; /* what waited at the round's split; 0: it was none */
} trace;

/* What waits in a pile, by phase (far.cuh). */
typedef struct far_side {
    unsigned count;    /* of its array's entries */
    unsigned round;    /* the one whose frontier the split made that made this */
    word64 limit;      /* keys below are near */
    word64 least;      /* key that this split kept */
    unsigned gathered; /* not 0: it was no split (F5) */
    int turn;          /* F7 of far.cuh: the next limit's width is so many times doubled */
} far_side;

/* Turns of a step that adapts (F7 of far.cuh). */
enum {
    TURN_LEAST = -5,
    TURN_MOST = 4,   /* no limit at all */
    TURN_BACK = 100, /* a note's: in order again */
    TURN_NOTES = 32  /* kept: the first */
};
typedef struct turn_note {
    unsigned round;
    int to;
    word64 each, arcs; /* arcs a round since the split before, or vertices of the frontier; all arcs until then */
} turn_note;

/* What a loop keeps in device memory. */
typedef struct state {
    slot slots[3];
    far_side far[3];
    word64 arcs; /* over all rounds */
    word64 again, sinks, tested, conflicts, missed, children;
    unsigned round, front, phase; /* where the loop is */
    unsigned flags;               /* of the step */
    unsigned spills, pauses;
    unsigned target; /* targets before this one are reached */
    word64 heard;    /* when the host was last listened to, ns */
    unsigned most_work, least_work;
    /* Idle blocks sleep until this changes: which nap ends, and what comes next. Alone in its line of the cache: they
     * look at it all the time, and the others must not wait for that. */
    word64 apart[16], wake;
    /* Rounds of the whole grid over frontiers in shared memory meet here (near.cuh): by entry into them, by round. */
    word64 also_apart[16], gate[2][3];
    unsigned pool[3];                            /* vertices that wait to be shared out anew (mesh.cuh), by gate */
    word64 loose_arcs, loose_again, loose_sinks; /* of rounds out of step, since the ledger was opened */
    word64 heavy_arcs;                           /* F5 */
    unsigned gathers, switches, returns;         /* F5, F6 */
    /* F7: the leader's alone */
    turn_note turns[TURN_NOTES];
    unsigned turn_count, split_round, in_a_row;
    int leaning;
    word64 split_arcs;
    /* Of steps that are capped (ceiling.cuh), as keys: the ceiling, the one that a lift took away, what is final by
     * that */
    word64 ceiling, lifted_from, final_to;
    double top; /* the ceiling as a label */
    unsigned ceilings;
} state;

/* Where a warp puts survivors: their way to a queue, in shared memory, so that code off the main path finds it. */
typedef struct outlet {
    slot *next;
    uint32_t count; /* of its slots in use */
    uint32_t again, tested, conflicts, missed, sinks;
    uint32_t stamp; /* of the round */
    uint32_t base;  /* Q5 */
    int to;         /* the queue */
    bool kept;      /* entries come from filter or sweep, so they are unique */
} outlet;

/* A frontier, as those who work on it see it. */
typedef struct view {
    uint32_t count;
    unsigned stop;
    word64 arcs;
    uint32_t base;       /* Q5 */
    uint32_t far;        /* entries of the pile, when nothing else is left (F3 of far.cuh) */
    word64 limit, least; /* of its side; least: all ones, unless the frontier was to come from its split */
    unsigned cut;        /* the slot's */
    word64 bound;        /* the ceiling of steps that are capped; NO_CEILING else */
} view;

/* What the leader adds up, kept by its block from the first round of a launch to the last. */
typedef struct ledger {
    word64 arcs, again, sinks, tested, conflicts, missed, children, heard;
    unsigned spills, target, most_work, least_work;
} ledger;

/* An entry of a frontier in shared memory (near.cuh): the vertex and its arcs. */
typedef struct __align__(16) near_entry
{
    uint32_t u, degree, begin;
    uint32_t key; /* steps that are KEYED: of the vertex when it was listed */
}
near_entry;

/* What a block has of such a frontier. */
typedef struct __align__(16) near_count
{
    uint32_t count, arcs, unused[2];
}
near_count;

/* What a block tells the others of its cluster. */
typedef struct __align__(16) near_told
{
    uint32_t count, arcs, stop, again, sinks, unused[3];
}
near_told;

/* What a block has done out of step (loose.cuh). */
typedef struct loose_sums {
    word64 arcs, again, sinks;
    unsigned stop, end; /* STOP_*: of its steps, of the leader */
} loose_sums;

/* The shared memory of a block. */
typedef struct workspace {
    union { /* a round works in one way or the other */
        near_entry near[2][NEAR_ROOM];
        struct {
            word64 hash[HASH_SLOTS];
            uint32_t chunk[CHUNK_ARCS + 2 * ENGINE_WARPS];
            uint32_t item[ITEM_SLOTS];
        };
    };
    near_count amount[3]; /* by round, as slots are (Q4) */
    slot found[3];
    near_told told[2][MOST_CLUSTER]; /* by the blocks of the cluster */
    ledger sum;
    view front;
    uint32_t near_base; /* Q5: where what leaves shared memory goes */
    uint32_t near_fair; /* grid: a block with more entries asks for a new division */
    word64 met;         /* grid: what the gate said */
    loose_sums loose;
    unsigned visit;                   /* the place's */
    word64 wide[4];                   /* a list on its way to the whole block */
    word64 share[ENGINE_WARPS], tail; /* places and arcs of the warps, and of the block */
    unsigned fits;
    far_side *far_to; /* far.cuh */
    uint32_t *far_pile;
    uint32_t far_slots[FAR_SLOTS], far_count, far_base;
    outlet out[ENGINE_WARPS];
    uint32_t slots[ENGINE_WARPS][SINK_SLOTS];
    uint32_t sums[SCAN_SCRATCH];
    uint32_t word[4];
} workspace;

/* Graph, queues and tables as kernels see them. */
template <class Off> struct arena {
    const Off *off;
    const uint32_t *adj; /* 16 bytes may be read past the end */
    const uint2 *arc;    /* (target, weight), or NULL */
    const double *weight64;
    queue<Off> q[2];
    state *st;
    uint32_t *bitmap; /* Q3; NULL under exact policies */
    uint32_t *table;  /* table: places; hash64: rounds, to count what it missed; or NULL */
    uint32_t *far[2]; /* the pile; or NULL */
    word64 most_arcs; /* m */
    uint32_t n;       /* places of a queue */
    int arc_bits;     /* of slot.tail */
    int policy;       /* duplicates */
    bool linear;      /* Q5 */
    bool census;      /* count what costs to count: hash64's misses, blocks' shares of chunks */
};

/* ---- small things ------------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ uint32_t places_of(word64 tail, int arc_bits)
{
    return (uint32_t)(tail >> arc_bits);
}

static __device__ __forceinline__ word64 arcs_of(word64 tail, int arc_bits)
{
    return tail & ((1ull << arc_bits) - 1);
}

static __device__ __forceinline__ slot *slot_of(state *st, unsigned round)
{
    return &st->slots[round % 3];
}

static __device__ __forceinline__ void clear_slot(slot *s)
{
    s->tail = s->kept = 0;
    s->spill = NO_SPILL;
    s->stop = s->again = s->sinks = s->tested = s->conflicts = s->missed = s->children = 0;
    s->most_work = s->base = s->cut = 0;
    s->least_work = 0xffffffffu;
}

/* The part of queue `which` from `base` on. */
template <class Off>
static __device__ __forceinline__ queue<Off> queue_from(const arena<Off> &a, int which, uint32_t base)
{
    const queue<Off> q = {a.q[which].vertex + base, a.q[which].scan + base, a.q[which].shift + base};
    return q;
}

/* Where the next round's part begins. */
template <class Off> static __device__ __forceinline__ uint32_t base_after(const arena<Off> &a, const view &w)
{
    return a.linear ? w.base + w.count : 0;
}

/* ---- the way in -------------------------------------------------------------------------------------------------- */

/* Takes places and arcs of the queue: the tail before, and whether they fit (Q3). One lane calls it. */
template <class Off>
static __device__ __forceinline__ word64 take_places(const arena<Off> &a, const outlet &o, word64 more, unsigned *fits)
{
    *fits = 1;
    if (o.kept)
        return atomicAdd(&o.next->kept, more);
    if (a.policy >= DUP_ATOMIC64)
        return atomicAdd(&o.next->tail, more);
    *fits = 0;
    if (simt_load_relaxed(&o.next->spill) != NO_SPILL)
        return 0; /* once full, always full: the counts stay within their bits */
    const word64 tail = atomicAdd(&o.next->tail, more);
    *fits = places_of(tail + more, a.arc_bits) <= a.n && arcs_of(tail + more, a.arc_bits) <= a.most_arcs;
    if (!*fits)
        (void)atomicMin(&o.next->spill, places_of(tail, a.arc_bits));
    return tail;
}

/* True if hash64 let a duplicate through (where that is counted). */
template <class Off>
static __device__ __forceinline__ bool write_entry(const arena<Off> &a, const outlet &o, uint32_t v, Off begin,
                                                   uint32_t place, Off scan)
{
    const queue<Off> q = a.q[o.to];
    place += o.base;
    __stcs(&q.vertex[place], v);
    __stcs(&q.scan[place], scan);
    __stcs(&q.shift[place], (Off)(begin - scan));
    if (o.kept)
        return false;
    if (a.policy == DUP_TABLE)
        simt_store_relaxed(&a.table[v], place);
    return a.policy == DUP_HASH64 && a.census && atomicExch(&a.table[v], o.stamp) == o.stamp;
}

/* Adds up over the lanes; lane 0 has the box. */
static __device__ __forceinline__ void count_lanes(uint32_t *box, unsigned x)
{
    const unsigned sum = simt_reduce_add(WARP_ALL, x);
    if (simt_lane() == 0)
        *box += sum;
}

/* What a lane has of the warp's entries on their way to the queue. */
template <class Off> struct batch {
    uint32_t v[SINK_EACH];
    Off begin[SINK_EACH], before[SINK_EACH]; /* its arcs, and those of the entries before it */
    unsigned rank[SINK_EACH], queued;
    unsigned places; /* of the warp, so far */
    Off arcs;
};

/* Entry k of every lane, of `many` arcs; 0: it needs no place. All lanes. */
template <class Off>
static __device__ __forceinline__ void add_to_batch(batch<Off> *b, unsigned k, uint32_t v, Off begin, Off many)
{
    const unsigned mask = __ballot_sync(WARP_ALL, many != 0);
    Off all = 0;
    const Off earlier = warp_scan(many, &all);
    b->v[k] = v;
    b->begin[k] = begin;
    b->rank[k] = b->places + __popc(mask & lanes_below());
    b->before[k] = b->arcs + earlier;
    b->queued |= (unsigned)(many != 0) << k;
    b->places += __popc(mask);
    b->arcs += all;
}

/* Takes `count` slots of the warp up, into an empty batch: places << arc_bits | arcs that they need; *bare: this lane's
 * without arcs. All lanes. */
template <class Off>
static __device__ __forceinline__ word64 collect_slots(const arena<Off> &a, const workspace *ws, unsigned count,
                                                       batch<Off> *b, unsigned *bare)
{
    const uint32_t *slots = ws->slots[simt_warp()];
    *bare = 0;
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < SINK_EACH; k++) {
        uint32_t v = 0;
        Off begin = 0, degree = 0;
        if (k * 32 >= count)
            break;
        if (k * 32 + simt_lane() < count) {
            v = slots[k * 32 + simt_lane()];
            begin = __ldcs(&a.off[v]); /* L2 is for labels */
            degree = __ldcs(&a.off[v + 1]) - begin;
            *bare += degree == 0;
        }
        add_to_batch(b, k, v, begin, degree);
    }
    __syncwarp();
    return ((word64)b->places << a.arc_bits) | b->arcs;
}

/* Writes what was taken up to its places from `tail` on, or to the bitmap. All lanes. */
template <class Off>
static __device__ __forceinline__ void write_batch(const arena<Off> &a, outlet &o, const batch<Off> &b, word64 tail,
                                                   unsigned fits)
{
    unsigned missed = 0;
#pragma unroll
    for (unsigned k = 0; k < SINK_EACH; k++) {
        if ((b.queued >> k & 1) == 0)
            continue;
        if (fits)
            missed += write_entry(a, o, b.v[k], b.begin[k], places_of(tail, a.arc_bits) + b.rank[k],
                                  (Off)(arcs_of(tail, a.arc_bits) + b.before[k]));
        else
            (void)atomicOr(&a.bitmap[b.v[k] >> 5], 1u << (b.v[k] & 31));
    }
    if (a.census)
        count_lanes(&o.missed, missed);
}

/* Writes `count` slots of the warp out. All lanes. */
template <class Off>
static __device__ __forceinline__ void flush_slots(const arena<Off> &a, workspace *ws, unsigned count)
{
    outlet &o = ws->out[simt_warp()];
    batch<Off> b = {};
    unsigned fits = 0, bare = 0;
    const word64 need = collect_slots(a, ws, count, &b, &bare);
    word64 tail = 0;
    if (simt_lane() == 0 && need != 0)
        tail = take_places(a, o, need, &fits);
    tail = __shfl_sync(WARP_ALL, tail, 0);
    fits = __shfl_sync(WARP_ALL, fits, 0);
    write_batch(a, o, b, tail, fits);
    count_lanes(&o.sinks, bare);
}

/* BFS-4K, Fig. 11. Whoever drops v has seen a later mark on v in this round; the last mark's thread sees its own, or a
 * conflict, and keeps v. All lanes; false where the vertex is a duplicate. */
static __device__ __forceinline__ bool hash64(workspace *ws, bool want, uint32_t v)
{
    outlet &o = ws->out[simt_warp()];
    word64 *const place = &ws->hash[(v * 2654435761u) >> (32 - HASH_BITS)];
    const word64 mine = ((word64)v << 32) | threadIdx.x;
    if (want)
        simt_store_relaxed(place, mine);
    __syncwarp();
    const word64 found = want ? simt_load_relaxed(place) : mine;
    const bool conflict = (uint32_t)(found >> 32) != v, again = !conflict && found != mine;
    const unsigned tested = __ballot_sync(WARP_ALL, want), conflicts = __ballot_sync(WARP_ALL, conflict);
    const unsigned dropped = __ballot_sync(WARP_ALL, again);
    if (simt_lane() == 0) {
        o.tested += __popc(tested);
        o.conflicts += __popc(conflicts);
        o.again += __popc(dropped);
    }
    return want && !again;
}

typedef struct four {
    uint32_t v[4];
} four;

/* Puts v[k] of every lane whose bit k of `listed` is set into the warp's slots, k < many. All lanes. Off the main path
 * and out of line: most arcs list nothing. */
template <class Off>
static __device__ OUT_OF_LINE void put_listed(const arena<Off> &a, workspace *ws, unsigned listed, four x,
                                              unsigned many)
{
    outlet &o = ws->out[simt_warp()];
    uint32_t *slots = ws->slots[simt_warp()];
    unsigned count = o.count;
    __syncwarp();
#pragma unroll 1
    for (unsigned k = 0; k < many; k++) {
        const uint32_t v = k == 0 ? x.v[0] : k == 1 ? x.v[1] : k == 2 ? x.v[2] : x.v[3];
        bool want = (listed >> k & 1) != 0;
        if (a.policy == DUP_HASH64 && !o.kept)
            want = hash64(ws, want, v);
        const unsigned mask = __ballot_sync(WARP_ALL, want);
        if (count + __popc(mask) > SINK_SLOTS) {
            flush_slots(a, ws, count);
            count = 0;
        }
        if (want)
            slots[count + __popc(mask & lanes_below())] = v;
        count += __popc(mask);
    }
    if (simt_lane() == 0)
        o.count = count;
    __syncwarp();
}

/* put_listed of four, inline up to the point where slots have to be written out: a warp of wide rounds lists a vertex
 * or two at almost every look. All lanes. */
template <class Off>
static __device__ __forceinline__ void put_four(const arena<Off> &a, workspace *ws, unsigned listed, four x)
{
    outlet &o = ws->out[simt_warp()];
    uint32_t *slots = ws->slots[simt_warp()];
    unsigned mask[4], count = o.count, all = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        mask[k] = __ballot_sync(WARP_ALL, (listed >> k & 1) != 0);
        all += __popc(mask[k]);
    }
    if (a.policy == DUP_HASH64 || count + all > SINK_SLOTS) {
        put_listed(a, ws, listed, x, 4);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if ((listed >> k & 1) != 0)
            slots[count + __popc(mask[k] & lanes_below())] = x.v[k];
        count += __popc(mask[k]);
    }
    __syncwarp();
    if (simt_lane() == 0)
        o.count = count;
    __syncwarp();
}

/* One vertex of each lane that wants it. All lanes. */
template <class Off>
static __device__ __forceinline__ void put_one(const arena<Off> &a, workspace *ws, bool want, uint32_t v)
{
    const four x = {{v, 0, 0, 0}};
    if (__any_sync(WARP_ALL, want))
        put_listed(a, ws, want, x, 1);
}

static __device__ __forceinline__ void open_outlet(workspace *ws, slot *next, unsigned stamp, int to, bool kept,
                                                   uint32_t base = 0)
{
    outlet &o = ws->out[simt_warp()];
    if (simt_lane() == 0) {
        o.next = next;
        o.count = o.again = o.tested = o.conflicts = o.missed = o.sinks = 0;
        o.stamp = stamp;
        o.base = base;
        o.to = to;
        o.kept = kept;
    }
    __syncwarp();
}

static __device__ __forceinline__ void add_count(unsigned *to, unsigned x)
{
    if (x != 0)
        (void)atomicAdd(to, x);
}

/* What the warps counted, added to the round's numbers. One warp, after a barrier. */
static __device__ __forceinline__ void add_counts(const workspace *ws)
{
    const bool is = simt_lane() < blockDim.x / 32;
    const outlet &o = ws->out[is ? simt_lane() : 0];
    const unsigned again = simt_reduce_add(WARP_ALL, is ? o.again : 0u);
    const unsigned sinks = simt_reduce_add(WARP_ALL, is ? o.sinks : 0u);
    const unsigned tested = simt_reduce_add(WARP_ALL, is ? o.tested : 0u);
    const unsigned conflicts = simt_reduce_add(WARP_ALL, is ? o.conflicts : 0u);
    if (simt_lane() == 0) {
        add_count(&o.next->again, again);
        add_count(&o.next->sinks, sinks);
        add_count(&o.next->tested, tested);
        add_count(&o.next->conflicts, conflicts);
    }
}

/* Writes out what is left in the block, with one atomic for all of it, and the counts; `again` is each thread's own.
 * All threads of the block; a barrier must lie between this and the next. */
template <class Off> static __device__ OUT_OF_LINE void close_outlet(const arena<Off> &a, workspace *ws, unsigned again)
{
    const unsigned warps = blockDim.x / 32, count = ws->out[simt_warp()].count;
    outlet &o = ws->out[simt_warp()];
    batch<Off> b = {};
    unsigned bare = 0;
    const word64 need = count != 0 ? collect_slots(a, ws, count, &b, &bare) : 0;
    if (count != 0)
        count_lanes(&o.sinks, bare);
    if (__any_sync(WARP_ALL, again != 0))
        count_lanes(&o.again, again);
    if (simt_lane() == 0)
        ws->share[simt_warp()] = need;
    __syncthreads();
    word64 all = 0;
    const word64 before = warp_scan(simt_lane() < warps ? ws->share[simt_lane()] : 0, &all);
    if (simt_warp() == warps - 1)
        add_counts(ws);
    if (all != 0) {
        if (threadIdx.x == 0)
            ws->tail = take_places(a, o, all, &ws->fits);
        __syncthreads();
        write_batch(a, o, b, ws->tail + __shfl_sync(WARP_ALL, before, (int)simt_warp()), ws->fits);
    }
    if (a.census && simt_lane() == 0)
        add_count(&o.next->missed, o.missed);
}

/* ---- from one kind of frontier to another ------------------------------------------------------------------------ */

/* The part of the blocks that work together that this one is. */
typedef struct part {
    unsigned rank, size;
} part;

/* table: of queue `from`, which has `count` entries, those that own their vertex go to the other one. */
template <class Off>
static __device__ void filter_queue(const arena<Off> &a, workspace *ws, part p, slot *next, int from, uint32_t count)
{
    unsigned again = 0;
    open_outlet(ws, next, 0, 1 - from, true);
    const word64 stride = (word64)p.size * blockDim.x;
    for (word64 base = (word64)p.rank * blockDim.x + simt_warp() * 32; base < count; base += stride) {
        const word64 i = base + simt_lane();
        const uint32_t v = i < count ? a.q[from].vertex[i] : 0;
        const bool own = i < count && simt_load_relaxed(&a.table[v]) == (uint32_t)i;
        again += i < count && !own;
        put_one(a, ws, own, v);
    }
    close_outlet(a, ws, again);
}

/* Queue to bitmap: the first `count` entries of queue `from`. */
template <class Off> static __device__ void mark_bitmap(const arena<Off> &a, part p, int from, uint32_t count)
{
    const word64 stride = (word64)p.size * blockDim.x;
    for (word64 i = (word64)p.rank * blockDim.x + threadIdx.x; i < count; i += stride) {
        const uint32_t v = a.q[from].vertex[i];
        (void)atomicOr(&a.bitmap[v >> 5], 1u << (v & 31));
    }
}

/* Bitmap to queue `to`; the bitmap is left empty. */
template <class Off> static __device__ void sweep_bitmap(const arena<Off> &a, workspace *ws, part p, slot *next, int to)
{
    const uint32_t words = (a.n - 1) / 32 + 1;
    const word64 stride = (word64)p.size * blockDim.x;
    open_outlet(ws, next, 0, to, true);
    for (word64 base = (word64)p.rank * blockDim.x + simt_warp() * 32; base < words; base += stride) {
        const word64 i = base + simt_lane();
        uint32_t bits = i < words ? a.bitmap[i] : 0;
        if (bits != 0)
            a.bitmap[i] = 0;
        while (__any_sync(WARP_ALL, bits != 0)) {
            const uint32_t v = (uint32_t)i * 32 + (bits != 0 ? __ffs((int)bits) - 1 : 0);
            put_one(a, ws, bits != 0, v);
            bits &= bits - 1;
        }
    }
    close_outlet(a, ws, 0);
}

} /* namespace SIMT_FLAVOUR */

#endif
