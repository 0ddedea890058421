/* async.cuh - the kernel of `async`: buckets in device memory, a warp that hands work out, warps that do it, no barrier
 * wider than a warp. sssp_async.cu says what the method is and where it comes from.
 *
 * An entry is a word: a vertex and the low half of the key it was lowered to. A pile is an endless row of entries, of
 * which those between `head`, which the manager alone keeps, and `tail` wait. Positions are mapped to segments of
 * memory by a table, as pages are. There are RING piles for buckets, one for what is too far for them, and one for
 * parts of long lists. A worker's mailbox is one word, its answer one bit. What a worker lowers into the bucket of its
 * own job it keeps, as long as there is room, and relaxes itself, a few times over (`chase`): the way by a pile and the
 * manager takes longer than that.
 *
 * Order
 *   O1 the manager acquires the workers' bits, then reads the tails; a worker has raised the tails of all it pushed
 *      before it turns its bit, a fence between. So what an idle worker has pushed is seen with its bit;
 *   O2 a worker that works on an entry of bucket a pushes into buckets >= a: weights are not negative. What it keeps
 *      lies in bucket a, and is done when it answers. The current bucket is left when its pile is empty and nobody
 *      works on it, on parts of lists or on moving entries, so nothing is pushed into a bucket that has been left;
 *      buckets before the current one are final. Workers that had nothing to do may have begun with the next `ahead`
 *      buckets meanwhile;
 *   O3 buckets from the current one to RING - 1 further on have piles of their own; a worker that knows an older
 *      current bucket puts entries into the far pile that need not be there, never into a wrong one;
 *   O4 the current bucket never passes that of far_least. Who pushes to the far pile takes its place first and lowers
 *      far_least then; who empties it sets far_least first and reads the tail then: no entry is there unaccounted for;
 *   O5 base and width of buckets change only while all workers are idle; what is in piles is then moved.
 * End
 *   N1 every label that falls to k is followed by a push of (v, k), or by v's bit among the missed, or is relaxed by
 *      who lowered it, before it answers;
 *   N2 the kernel ends when all workers are idle and, read after that, all piles are empty and nothing was missed: an
 *      idle worker becomes busy by the manager alone, so there is no work and nobody who could make some;
 *   N3 nobody waits for ever. A worker waits for its mail; for an entry whose place is taken, and for a segment whose
 *      first place is taken: both by a warp that is running and waits for nothing before it writes them. The manager
 *      waits for nothing. All blocks are resident (cooperative launch), so every warp makes progress;
 *   N4 labels only fall, and a finite number of times; every entry handed out is taken from its pile, and pushed again
 *      only where a label has fallen, or once by each pass over the far pile, of which each begins at a higher bucket,
 *      or by a change of width, which grow rarer. So work ends.
 * Memory
 *   M1 free segments form a stack whose top counts its changes (no ABA). A segment belongs to one place of one table
 *      from when it is taken to when its last entry has been read, by the count of its entries read;
 *   M2 entries are EMPTY unless written and not yet read; who reads one makes it so before it is counted as read;
 *   M3 when no segment is left, `full` is set and its place in the table says so; what belongs there, and all that is
 *      pushed while `full` is set, becomes bits of `missed`, and whoever sets one of the former sets `full`. When all
 *      else is done the manager clears `full`, lets the piles begin behind such places, and has the bits pushed again:
 *      nothing is lost. All segments but one a pile are free then, so every such pass relaxes entries, and ends by
 *      N4;
 *   M4 the manager leaves a pile alone, until nobody works for it, when its head has come SPAN segments further than
 *      it was when that was last so. A table has room for SPAN, for all segments there are, and for those that entries
 *      are given while `full` is on its way to all workers: no place is taken over while somebody looks for it.
 * Races: labels, entries, tables, tails and mail are atomic or relaxed. With 32-bit keys an entry holds the whole key,
 * so that a worker needs no order between entry and label; with 64-bit keys a fence lies on either side.
 */
#ifndef NF_GPU_ASYNC_CUH
#define NF_GPU_ASYNC_CUH

#include "gpu/runtime.h"
#include "gpu/window.cuh"

namespace SIMT_FLAVOUR
{

enum {
    ASYNC_THREADS = 256,
    ASYNC_WARPS = ASYNC_THREADS / 32,
    PILES = 32, /* one for each lane of the manager */
    PILE_FAR = 30,
    PILE_PARTS = 31,
    RING = 30,
    SEGMENT = 512,       /* entries: 4 KB */
    SPAN = 256,          /* segments (M4) */
    PART_ARCS = 512,     /* longer lists are cut: four trips of a warp to memory */
    LIST_MOST = 1024,    /* that a warp takes whole */
    PARTS_AT_ONCE = 4,   /* of one worker, where all are busy */
    OUT_ROOM = 160,      /* a batch less one, and what 128 arcs may give */
    KEPT_ROOM = 64,      /* that a worker keeps for itself: two batches */
    MOST_WORKERS = 2048, /* two words of bits for each lane of the manager */
    MAIL_WORDS = 4,      /* a sector for each mailbox: pollers do not meet */
    OWNER_MOVE = PILES,
    OWNER_OTHER,
    OWNERS
};

typedef enum async_op { OP_RELAX = 0, OP_PARTS, OP_MOVE, OP_SEED, OP_SWEEP, OP_EXIT } async_op;

#define EMPTY_ENTRY 0xffffffffffffffffull
#define NO_SEGMENT 0xffffffffu
#define ADAPT_STEPS 256u /* of the manager between looks at how busy workers are */
#define BUSY_LEAST 0.25f /* a smaller share: buckets grow wider */
#define BUSY_MOST 0.95f  /* a larger one: narrower */
#define TURNS_MOST 64u   /* changes of width in a run (N4) */

/* A counter alone in its line of the cache. */
typedef struct async_line {
    unsigned x, apart[31];
} async_line;

/* What has happened, over all workers. */
typedef struct async_counts {
    word64 taken, stale, arcs, moved, parts, missed, kept;
} async_counts;

typedef struct async_state {
    async_line tail[PILES];
    word64 top, apart0[15];        /* of the free segments: changes << 32 | segment + 1 */
    word64 base, pace, apart1[14]; /* the key where bucket 0 begins; bits of 1 / width << 32 | current bucket */
    word64 far_least, apart2[15];
    unsigned full, stop, flags, apart3[29];
    async_counts sum;
    unsigned buckets, turns, sweeps, segments; /* passed; changes of width; of missed vertices; live at most */
    unsigned steps, at_once;                   /* of the manager; workers busy at most */
    float width;
    unsigned live; /* segments in use */
} async_state;

template <class K> struct async_task {
    relax_step<K> f;
    async_state *st;
    word64 *entry;  /* segments * SEGMENT */
    word64 *table;  /* PILES * places: number of the segment in its pile << 32 | segment */
    uint32_t *next; /* of free segments: segment + 1, 0: none */
    unsigned *read; /* entries of a segment that have been read */
    word64 *mail;   /* MAIL_WORDS for each worker: parity << 63 | op << 60 | count << 52 | first */
    unsigned *done; /* a bit for each worker, turned with every answer */
    uint32_t *missed;
    const uint32_t *sources, *targets;
    unsigned source_count, target_count;
    unsigned places;         /* of a table, a power of two */
    unsigned workers, spare; /* warps of block 0 that are none */
    unsigned ahead, least;   /* buckets handed out at once; entries of a small job */
    unsigned chase;          /* batches of its own that a worker relaxes after a job */
    uint32_t n;
    bool adapt;
    control *shared;
};

/* A block's shared memory. */
template <class K> struct async_space {
    K key[ASYNC_WARPS][OUT_ROOM]; /* on their way to piles */
    uint32_t vertex[ASYNC_WARPS][OUT_ROOM];
    K kept_key[ASYNC_WARPS][KEPT_ROOM]; /* to be relaxed by who lowered them */
    uint32_t kept_vertex[ASYNC_WARPS][KEPT_ROOM];
    /* the manager's */
    uint8_t owner[MOST_WORKERS]; /* what a busy worker works for: a pile, or OWNER_* */
    unsigned busy[OWNERS];       /* workers by owner */
};

/* A worker: the same in all its lanes. */
template <class K> struct async_worker {
    unsigned id, parity;
    unsigned out, kept; /* entries in shared memory */
    unsigned reach;     /* entries of buckets below this one may be kept */
    bool full;
    key_window<K> w;
    async_counts sum;
};

/* The manager: pile and workers of a lane; what is the same in all of them. */
template <class K> struct async_manager {
    unsigned head, limit;     /* entries before `limit` are to be moved */
    unsigned waiting;         /* entries from head on */
    unsigned number, segment; /* of the head: in its pile (NO_SEGMENT: not known), and in memory */
    unsigned mark;            /* its number when nobody worked for the pile (M4) */
    unsigned given[2], idle[2];
    unsigned other, other_end; /* sources, or words of `missed`, still to be handed out */
    int other_op;
    bool turning, closing;
    key_window<K> w;
    float width, wanted, first; /* first: to begin with */
    unsigned target;
    unsigned watched, wait; /* steps since the last look at the width, and from look to look */
    word64 rest_sum;        /* workers idle in them, summed up */
    int trend;
    unsigned steps, turns, buckets, sweeps, at_once;
    word64 heard;
};

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

/* The pile of a key (O3). */
template <class K> static __device__ __forceinline__ unsigned pile_of(const scale<K> &s, const key_window<K> &w, K key)
{
    const unsigned bucket = bucket_of(s, w, key);
    if (bucket < w.now)
        return w.now % RING;
    return bucket - w.now < RING ? bucket % RING : (unsigned)PILE_FAR;
}

template <class K> static __device__ __forceinline__ key_window<K> read_window(const async_state *st)
{
    const word64 base = simt_load_relaxed(&st->base), pace = simt_load_relaxed(&st->pace);
    const key_window<K> w = {(K)base, __uint_as_float((unsigned)(pace >> 32)), (unsigned)pace};
    return w;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* A free segment, or NO_SEGMENT (M1). */
template <class K> static __device__ __forceinline__ unsigned take_segment(const async_task<K> &t)
{
    word64 top = simt_load_relaxed(&t.st->top);
    for (;;) {
        const unsigned first = (unsigned)top;
        if (first == 0)
            return NO_SEGMENT;
        const word64 rest = ((top >> 32) + 1) << 32 | simt_load_relaxed(&t.next[first - 1]);
        const word64 seen = atomicCAS(&t.st->top, top, rest);
        if (seen == top) {
            __threadfence(); /* behind this its entries are empty (M2) */
            return first - 1;
        }
        top = seen;
    }
}

template <class K> static __device__ __forceinline__ void give_segment(const async_task<K> &t, unsigned segment)
{
    word64 top = simt_load_relaxed(&t.st->top);
    for (;;) {
        simt_store_relaxed(&t.next[segment], (unsigned)top);
        __threadfence();
        const word64 seen = atomicCAS(&t.st->top, top, ((top >> 32) + 1) << 32 | (segment + 1));
        if (seen == top)
            return;
        top = seen;
    }
}

template <class K>
static __device__ __forceinline__ word64 *table_at(const async_task<K> &t, unsigned pile, unsigned number)
{
    return &t.table[(size_t)pile * t.places + (number & (t.places - 1))];
}

/* By whoever has the first place of the pile's segment `number`. */
template <class K>
static __device__ __forceinline__ void open_segment(const async_task<K> &t, unsigned pile, unsigned number)
{
    const unsigned segment = take_segment(t);
    if (segment == NO_SEGMENT) {
        simt_store_relaxed(&t.st->full, 1u);
        __threadfence();
    } else {
        simt_store_relaxed(&t.read[segment], 0u);
        (void)atomicMax(&t.st->segments, atomicAdd(&t.st->live, 1u) + 1);
        __threadfence();
    }
    simt_store_relaxed(table_at(t, pile, number), (word64)number << 32 | segment);
}

/* Waits for it (N3). */
template <class K>
static __device__ __forceinline__ unsigned find_segment(const async_task<K> &t, unsigned pile, unsigned number)
{
    const word64 *at = table_at(t, pile, number);
    word64 x = simt_load_relaxed(at);
    while ((unsigned)(x >> 32) != number) {
        simt_spin();
        x = simt_load_relaxed(at);
    }
    return (unsigned)x;
}

/* Takes an entry out of its segment, waiting for it to be written. */
template <class K> static __device__ __forceinline__ word64 take_entry(const async_task<K> &t, word64 index)
{
    word64 *at = &t.entry[index], x = simt_load_relaxed(at);
    while (x == EMPTY_ENTRY) {
        simt_spin();
        x = simt_load_relaxed(at);
    }
    simt_store_relaxed(at, EMPTY_ENTRY);
    if (sizeof(K) == 8)
        __threadfence();
    return x;
}

/* Counts `count` entries of a segment as read, and frees it when all have been. All lanes, after their take_entry. */
template <class K>
static __device__ __forceinline__ void count_read(const async_task<K> &t, word64 index, unsigned count)
{
    const unsigned segment = (unsigned)(index / SEGMENT);
    __syncwarp();
    if (simt_lane() == 0) {
        __threadfence();
        if (atomicAdd(&t.read[segment], count) + count == SEGMENT) {
            (void)atomicSub(&t.st->live, 1u);
            give_segment(t, segment);
        }
    }
    __syncwarp();
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

template <class K>
static __device__ __forceinline__ void miss(const async_task<K> &t, async_worker<K> &me, bool mine, uint32_t v)
{
    if (mine)
        (void)atomicOr(&t.missed[v >> 5], 1u << (v & 31));
    me.sum.missed += (unsigned)__popc(__ballot_sync(WARP_ALL, mine));
}

/* Up to 32 entries, one a lane, into piles: one atomic for each pile. All lanes. */
template <class K>
static __device__ __forceinline__ void push(const async_task<K> &t, async_worker<K> &me, bool mine, uint32_t v,
                                            uint32_t low, unsigned pile)
{
    if (me.full) {
        miss(t, me, mine, v);
        return;
    }
    const unsigned group = __match_any_sync(WARP_ALL, mine ? pile : (unsigned)PILES);
    const int leader = __ffs((int)group) - 1;
    unsigned position = 0, segment = NO_SEGMENT;
    if (mine && (int)simt_lane() == leader)
        position = atomicAdd(&t.st->tail[pile].x, (unsigned)__popc(group));
    position = __shfl_sync(WARP_ALL, position, leader) + (unsigned)__popc(group & lanes_below());
    if (mine && position % SEGMENT == 0)
        open_segment(t, pile, position / SEGMENT);
    __syncwarp();
    if (mine)
        segment = find_segment(t, pile, position / SEGMENT);
    if (sizeof(K) == 8)
        __threadfence();
    if (mine && segment != NO_SEGMENT)
        simt_store_relaxed(&t.entry[(size_t)segment * SEGMENT + position % SEGMENT], (word64)v << 32 | low);
    if (__any_sync(WARP_ALL, mine && segment == NO_SEGMENT)) {
        if (simt_lane() == 0)
            simt_store_relaxed(&t.st->full, 1u); /* it may have been cleared since that place was refused (M3) */
        miss(t, me, mine && segment == NO_SEGMENT, v);
    }
}

/* Pushes up to 32 of the entries in shared memory, the last ones. */
template <class K>
static __device__ __forceinline__ void flush_some(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me)
{
    const unsigned count = me.out < 32 ? me.out : 32u, first = me.out - count;
    const bool mine = simt_lane() < count;
    uint32_t v = 0;
    K key = 0;
    __syncwarp();
    if (mine) {
        v = ws->vertex[simt_warp()][first + simt_lane()];
        key = ws->key[simt_warp()][first + simt_lane()];
    }
    __syncwarp();
    const unsigned pile = pile_of(t.f.s, me.w, key);
    push(t, me, mine, v, (uint32_t)key, pile);
    if (mine && pile == PILE_FAR && (word64)key < simt_load_relaxed(&t.st->far_least)) /* O4: after its place */
        (void)atomicMin(&t.st->far_least, (word64)key);
    me.out = first;
}

/* Keeps an entry for pushing. All lanes. */
template <class K>
static __device__ __forceinline__ void put_out(async_space<K> *ws, async_worker<K> &me, bool mine, uint32_t v, K key)
{
    unsigned total;
    const unsigned rank = warp_rank(mine, &total);
    if (mine) {
        ws->vertex[simt_warp()][me.out + rank] = v;
        ws->key[simt_warp()][me.out + rank] = key;
    }
    me.out += total;
}

template <class K>
static __device__ __forceinline__ void flush_all(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me,
                                                 unsigned least)
{
    while (me.out >= least && me.out != 0)
        flush_some(t, ws, me);
}

/* Keeps an entry for this worker where it is near enough and there is room, else for pushing. All lanes. */
template <class K>
static __device__ __forceinline__ void keep(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me, bool mine,
                                            uint32_t v, K key)
{
    unsigned total = 0;
    const bool near = mine && me.reach != 0 && bucket_of(t.f.s, me.w, key) < me.reach;
    const unsigned place = me.kept + warp_rank(near, &total);
    const bool kept = near && place < KEPT_ROOM;
    if (kept) {
        ws->kept_vertex[simt_warp()][place] = v;
        ws->kept_key[simt_warp()][place] = key;
    }
    me.kept = me.kept + total < KEPT_ROOM ? me.kept + total : (unsigned)KEPT_ROOM;
    put_out(ws, me, mine && !kept, v, key);
}

/* Up to 32 of the entries that were kept, the last ones; false where there is none, or its label has fallen since. */
template <class K>
static __device__ __forceinline__ bool take_kept(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me,
                                                 uint32_t *v, K *key)
{
    const unsigned count = me.kept < 32 ? me.kept : 32u, first = me.kept - count;
    bool live = simt_lane() < count;
    *v = 0;
    *key = 0;
    __syncwarp();
    if (live) {
        *v = ws->kept_vertex[simt_warp()][first + simt_lane()];
        *key = ws->kept_key[simt_warp()][first + simt_lane()];
        live = simt_load_relaxed(&t.f.label[*v]) >= *key; /* larger: what this warp wrote is on its way */
    }
    __syncwarp();
    me.kept = first;
    me.sum.kept += count;
    me.sum.stale += count - (unsigned)__popc(__ballot_sync(WARP_ALL, live));
    return live;
}

/* What is left of them goes the way of the others. */
template <class K>
static __device__ __forceinline__ void give_kept(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me)
{
    while (me.kept != 0) {
        uint32_t v;
        K key;
        const bool live = take_kept(t, ws, me, &v, &key);
        me.sum.kept -= (unsigned)__popc(__ballot_sync(WARP_ALL, live)); /* counted when it is handed out */
        put_out(ws, me, live, v, key);
        flush_all(t, ws, me, 32);
    }
}

/* ---- relaxing ---------------------------------------------------------------------------------------------------- */

/* The lists of 32 lanes, shared out evenly among them, four arcs of a lane under way (mapping_warp_search.cuh). */
template <class K, class Off>
static __device__ __forceinline__ void relax_lists(const async_task<K> &t, const arena<Off> &a, async_space<K> *ws,
                                                   async_worker<K> &me, uint32_t u, K key, word64 begin, unsigned arcs)
{
    relax_step<K> f = t.f;
    unsigned total;
    const unsigned before = warp_scan(arcs, &total);
    me.sum.arcs += total;
    for (unsigned x = 0; x < total; x += AHEAD * 32) {
        arc_data c[AHEAD] = {};
        K from[AHEAD], sum[AHEAD];
        uint32_t by[AHEAD];
        word64 seen[AHEAD] = {};
        bool live[AHEAD];
        me.full = simt_load_relaxed(&t.st->full) != 0;
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++) {
            const unsigned y = x + k * 32 + simt_lane();
            unsigned owner = 0;
            for (unsigned step = 16; step > 0; step /= 2)
                owner += __shfl_sync(WARP_ALL, before, (int)(owner + step)) <= y ? step : 0;
            const word64 start = __shfl_sync(WARP_ALL, begin, (int)owner);
            const unsigned first = __shfl_sync(WARP_ALL, before, (int)owner);
            from[k] = __shfl_sync(WARP_ALL, key, (int)owner);
            by[k] = __shfl_sync(WARP_ALL, u, (int)owner);
            live[k] = y < total;
            if (live[k])
                load_weighted(f.s, a, start + (y - first), &c[k]);
        }
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++)
            if (live[k])
                seen[k] = peek(f, c[k].v);
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++) {
            word64 old = 0;
            sum[k] = 0;
            if (live[k]) {
                (void)add_weight(f.s, from[k], c[k].w, &sum[k]);
                live[k] = claim(f, by[k], (word64)from[k], c[k], 0, seen[k], &old) && old > (word64)sum[k];
            }
        }
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++)
            keep(t, ws, me, live[k], c[k].v, sum[k]);
        me.full = __any_sync(WARP_ALL, me.full) != 0;
        flush_all(t, ws, me, 32);
    }
}

/* Cuts long lists into parts, for others to take. All lanes; true where the lane's list is gone. */
template <class K>
static __device__ __forceinline__ bool cut_lists(const async_task<K> &t, async_worker<K> &me, uint32_t v, word64 arcs)
{
    const bool mine = arcs > LIST_MOST;
    for (unsigned rest = __ballot_sync(WARP_ALL, mine); rest != 0; rest &= rest - 1) {
        const int lane = __ffs((int)rest) - 1;
        const uint32_t u = __shfl_sync(WARP_ALL, v, lane);
        const word64 parts = (__shfl_sync(WARP_ALL, arcs, lane) + PART_ARCS - 1) / PART_ARCS;
        for (word64 first = 0; first < parts; first += 32) {
            me.full = __any_sync(WARP_ALL, simt_load_relaxed(&t.st->full) != 0) != 0;
            push(t, me, first + simt_lane() < parts, u, (uint32_t)(first + simt_lane()), PILE_PARTS);
        }
        me.sum.parts += parts;
    }
    return mine;
}

/* Entries of a pile: whose label is still what it was pushed for. All lanes; count_read is yet to be called. */
template <class K>
static __device__ __forceinline__ bool take_live(const async_task<K> &t, async_worker<K> &me, word64 first,
                                                 unsigned count, uint32_t *v, K *key)
{
    bool live = false;
    *v = 0;
    *key = 0;
    if (simt_lane() < count) {
        const word64 entry = take_entry(t, first + simt_lane());
        *v = (uint32_t)(entry >> 32);
        *key = simt_load_relaxed(&t.f.label[*v]);
        live = sizeof(K) == 4 ? *key >= (K)(uint32_t)entry : (uint32_t)*key == (uint32_t)entry;
        if (sizeof(K) == 4)
            *key = (K)(uint32_t)entry;
    }
    me.sum.taken += count;
    me.sum.stale += count - (unsigned)__popc(__ballot_sync(WARP_ALL, live));
    return live;
}

/* The lists of up to 32 vertices. All lanes. */
template <class K, class Off>
static __device__ __forceinline__ void relax_batch(const async_task<K> &t, const arena<Off> &a, async_space<K> *ws,
                                                   async_worker<K> &me, bool live, uint32_t v, K key)
{
    word64 begin = 0, arcs = 0;
    if (live) {
        begin = a.off[v];
        arcs = a.off[v + 1] - begin;
    }
    if (__any_sync(WARP_ALL, arcs > LIST_MOST) && cut_lists(t, me, v, arcs))
        arcs = 0;
    relax_lists(t, a, ws, me, v, key, begin, (unsigned)arcs);
}

/* Entries of a bucket, and what they lower within it, as far as `chase` allows. */
template <class K, class Off>
static __device__ __forceinline__ void do_relax(const async_task<K> &t, const arena<Off> &a, async_space<K> *ws,
                                                async_worker<K> &me, word64 first, unsigned count)
{
    uint32_t v;
    K key;
    bool live = take_live(t, me, first, count, &v, &key);
    if (t.chase != 0)
        me.reach = simt_reduce_max(WARP_ALL, live ? bucket_of(t.f.s, me.w, key) + 1 : 0u);
    relax_batch(t, a, ws, me, live, v, key);
    for (unsigned i = 0; i < t.chase && me.kept != 0; i++) {
        live = take_kept(t, ws, me, &v, &key);
        relax_batch(t, a, ws, me, live, v, key);
    }
    me.reach = 0;
    give_kept(t, ws, me);
    count_read(t, first, count);
}

template <class K, class Off>
static __device__ __forceinline__ void do_parts(const async_task<K> &t, const arena<Off> &a, async_space<K> *ws,
                                                async_worker<K> &me, word64 first, unsigned count)
{
    word64 entry = EMPTY_ENTRY, begin = 0, arcs = 0;
    uint32_t v = 0;
    K key = 0;
    if (simt_lane() < count)
        entry = take_entry(t, first + simt_lane());
    count_read(t, first, count);
    if (entry != EMPTY_ENTRY) {
        v = (uint32_t)(entry >> 32);
        key = simt_load_relaxed(&t.f.label[v]);
        begin = a.off[v] + (word64)(uint32_t)entry * PART_ARCS;
        arcs = a.off[v + 1] - begin;
    }
    relax_lists(t, a, ws, me, v, key, begin, (unsigned)(arcs < PART_ARCS ? arcs : (word64)PART_ARCS));
}

template <class K>
static __device__ __forceinline__ void do_move(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me,
                                               word64 first, unsigned count)
{
    uint32_t v;
    K key;
    const bool live = take_live(t, me, first, count, &v, &key);
    count_read(t, first, count);
    me.sum.moved += count;
    put_out(ws, me, live, v, key);
}

template <class K>
static __device__ __forceinline__ void do_seed(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me,
                                               unsigned first, unsigned count)
{
    const uint32_t v = simt_lane() < count ? t.sources[first + simt_lane()] : 0;
    const bool fresh = simt_lane() < count && atomicMin(&t.f.label[v], t.f.s.zero) == t.f.s.infinity;
    put_out(ws, me, fresh, v, t.f.s.zero);
}

/* Words of missed vertices, one a lane (M3). */
template <class K>
static __device__ __forceinline__ void do_sweep(const async_task<K> &t, async_space<K> *ws, async_worker<K> &me,
                                                unsigned first, unsigned count)
{
    unsigned bits = simt_lane() < count ? atomicExch(&t.missed[first + simt_lane()], 0u) : 0;
    while (__any_sync(WARP_ALL, bits != 0)) {
        const uint32_t v = bits != 0 ? (first + simt_lane()) * 32 + (unsigned)__ffs((int)bits) - 1 : 0;
        put_out(ws, me, bits != 0, v, simt_load_relaxed(&t.f.label[v]));
        bits &= bits - 1;
        me.full = __any_sync(WARP_ALL, simt_load_relaxed(&t.st->full) != 0) != 0;
        flush_all(t, ws, me, 32);
    }
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* The next job of a worker; without waiting 0 where there is none. All lanes. */
template <class K>
static __device__ __forceinline__ word64 next_mail(const async_task<K> &t, const async_worker<K> &me, bool waits)
{
    const word64 *at = &t.mail[(size_t)me.id * MAIL_WORDS];
    word64 x = 0;
    if (simt_lane() == 0) {
        x = simt_load_acquire(at);
        while ((unsigned)(x >> 63) == me.parity && waits) {
            simt_spin();
            x = simt_load_acquire(at);
        }
        x = (unsigned)(x >> 63) == me.parity ? 0 : x | 1ull << 63;
    }
    x = __shfl_sync(WARP_ALL, x, 0);
    __syncwarp();
    return x;
}

/* O1. */
template <class K> static __device__ __forceinline__ void answer(const async_task<K> &t, async_worker<K> &me)
{
    me.parity ^= 1;
    __syncwarp();
    if (simt_lane() == 0) {
        __threadfence();
        (void)atomicXor(&t.done[me.id >> 5], 1u << (me.id & 31));
    }
}

template <class K> static __device__ __forceinline__ void add_counts(async_state *st, const async_counts &c)
{
    if (simt_lane() != 0)
        return;
    (void)atomicAdd(&st->sum.taken, c.taken);
    (void)atomicAdd(&st->sum.stale, c.stale);
    (void)atomicAdd(&st->sum.arcs, c.arcs);
    (void)atomicAdd(&st->sum.moved, c.moved);
    (void)atomicAdd(&st->sum.parts, c.parts);
    (void)atomicAdd(&st->sum.missed, c.missed);
    (void)atomicAdd(&st->sum.kept, c.kept);
}

/* One job; false when it was the last. */
template <class K, class Off>
static __device__ __forceinline__ bool work(const async_task<K> &t, const arena<Off> &a, async_space<K> *ws,
                                            async_worker<K> &me, bool waits)
{
    const word64 mail = next_mail(t, me, waits);
    const unsigned op = (unsigned)(mail >> 60) & 7, count = (unsigned)(mail >> 52) & 255;
    const word64 first = mail & ((1ull << 52) - 1);
    if (mail == 0)
        return true;
    if (op == OP_EXIT) {
        add_counts<K>(t.st, me.sum);
        return false;
    }
    me.w = read_window<K>(t.st);
    me.full = __any_sync(WARP_ALL, simt_load_relaxed(&t.st->full) != 0) != 0;
    if (op == OP_RELAX)
        do_relax(t, a, ws, me, first, count);
    else if (op == OP_PARTS)
        do_parts(t, a, ws, me, first, count);
    else if (op == OP_MOVE)
        do_move(t, ws, me, first, count);
    else if (op == OP_SEED)
        do_seed(t, ws, me, (unsigned)first, count);
    else
        do_sweep(t, ws, me, (unsigned)first, count);
    flush_all(t, ws, me, 1);
    answer(t, me);
    return true;
}

} /* namespace SIMT_FLAVOUR */

#endif
