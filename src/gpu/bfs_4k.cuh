/* bfs_4k.cuh - a level of BFS-4K inside a kernel (Busato and Bombieri 2015, sections 5.1, 5.2, 5.4, 5.6 and 6): prefix
 * sums, hash64, local queues and the way out of them, virtual warps, edge-discover.
 *
 * Every arc out of the frontier is looked at once. Whoever finds its target unseen writes level and parent and puts it,
 * past hash64, into a queue of its own. Full queues are written out by their warp, the rest by the block at the end of
 * the level: a prefix sum of the warps' counts, each a prefix sum of its lanes' counts, and one atomic a block.
 *
 * Invariants
 *   V1 hop[v] goes from UNSEEN to its level once; all who write it in a level write the same (an intended race);
 *   V2 parent[v] is a vertex of the level before (an intended race); with `least` the smallest, since each comes by;
 *   V3 hash64 drops v only where another thread's mark on v came later in this level; the last to mark v sees its own
 *      mark or a conflict, and keeps v (intended races, in shared memory). A vertex is a candidate in one level only,
 *      so what older levels left in the table does no harm;
 *   V4 lanes of a warp stay together; all threads of a block meet in close_level;
 *   V5 where offsets have 32 bits, edge-discover is used only if 32 rows, duplicates or not, have fewer than 2^31 arcs.
 * Where the port departs from Kepler, and why, is said in bfs_4k.cu.
 */
#ifndef NF_GPU_BFS_4K_CUH
#define NF_GPU_BFS_4K_CUH

#include "gpu/bfs_4k.h"

namespace SIMT_FLAVOUR
{

enum {
    BATCH = 4,          /* arcs of a thread under way */
    MOST_THREADS = 1024 /* of a block */
};

/* The shared memory of a block. */
typedef struct desk4k {
    word64 *hash, *place;   /* place: where the block's part of the next frontier begins */
    unsigned char *scratch; /* of this warp, for prefix sums in shared memory */
    unsigned *count;        /* COUNTS of this warp */
    unsigned *sums;         /* of block_base */
    uint32_t *front;        /* two of them */
    uint32_t *local;        /* [slot][thread]: neighbouring threads in neighbouring banks */
    unsigned slots, hash_bits;
} desk4k;

/* A level as a thread works on it. */
typedef struct work4k {
    desk4k d;
    slot4k *next;
    uint32_t *near, *far; /* the next frontier: places below `cap` are near, in shared memory */
    unsigned cap;
    uint32_t level; /* of the vertices found */
    unsigned held;  /* vertices in this thread's queue */
    word64 arcs;
    bool distinct; /* the frontier has no duplicates */
    bool quiet;    /* what is found is marked, not queued: a sweep follows */
} work4k;

/* The arcs of one vertex. */
template <class Off> struct row4k {
    Off begin, end;
    uint32_t u;
};

/* Warps that share a level, and this one's place among them. */
typedef struct crew4k {
    word64 warp, warps;
} crew4k;

/* ---- a block's desk ---------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ desk4k open_desk(const layout4k &l, unsigned char *memory)
{
    const unsigned warps = blockDim.x / 32;
    desk4k d;
    d.hash = (word64 *)memory;
    d.place = d.hash + (1u << l.hash_bits);
    d.scratch = (unsigned char *)(d.place + 1) + simt_warp() * l.scratch;
    unsigned *const words = (unsigned *)((unsigned char *)(d.place + 1) + warps * l.scratch);
    d.sums = words;
    d.count = words + SCAN_SCRATCH + simt_warp() * COUNTS;
    d.front = words + SCAN_SCRATCH + warps * COUNTS;
    d.local = d.front + 2 * l.front;
    d.slots = l.slots;
    d.hash_bits = l.hash_bits;
    if (simt_lane() < COUNTS)
        d.count[simt_lane()] = 0;
    __syncwarp();
    return d;
}

/* x is the same in all lanes. */
static __device__ __forceinline__ void count_4k(const setting4k &k, const desk4k &d, int which, unsigned x)
{
    if (k.census && simt_lane() == 0)
        d.count[which] += x;
}

/* Adds up what the threads of a kernel counted. All lanes. */
template <class Off> static __device__ __forceinline__ void close_desk(const search4k<Off> &g, const work4k &w)
{
    word64 arcs = 0;
    (void)warp_scan(w.arcs, &arcs);
    if (simt_lane() == 0 && arcs != 0)
        (void)atomicAdd(&g.st->arcs, arcs);
    if (!g.k.census)
        return;
    __syncwarp();
    if (simt_lane() < COUNTS && w.d.count[simt_lane()] != 0)
        (void)atomicAdd(&g.st->count[simt_lane()], (word64)w.d.count[simt_lane()]);
}

/* ---- prefix sums (5.1) ------------------------------------------------------------------------------------------- */

/* What shuffles are compared with: up and down a tree in shared memory, twice the steps. All lanes. */
template <typename T> static __device__ T scan_in_shared(T *s, T x, T *total)
{
    const unsigned lane = simt_lane();
    __syncwarp();
    s[lane] = x;
    for (unsigned d = 1; d < 32; d *= 2) {
        __syncwarp();
        if ((lane + 1) % (2 * d) == 0)
            s[lane] += s[lane - d];
    }
    __syncwarp();
    *total = s[31];
    __syncwarp();
    if (lane == 31)
        s[31] = 0;
    for (unsigned d = 16; d > 0; d /= 2) {
        __syncwarp();
        if ((lane + 1) % (2 * d) == 0) {
            const T left = s[lane - d];
            s[lane - d] = s[lane];
            s[lane] += left;
        }
    }
    __syncwarp();
    return s[lane];
}

/* The sum over the lanes before this one, and over all: by ballot where no lane has more than one. All lanes. */
template <typename T> static __device__ __forceinline__ T prefix_sum(const setting4k &k, const desk4k &d, T x, T *total)
{
    if (k.binary && !__any_sync(WARP_ALL, x > 1)) {
        unsigned sum = 0;
        const unsigned before = warp_rank(x != 0, &sum);
        count_4k(k, d, COUNT_BINARY, 1);
        *total = sum;
        return before;
    }
    count_4k(k, d, k.shuffles ? COUNT_SHUFFLE : COUNT_SHARED, 1);
    return k.shuffles ? warp_scan(x, total) : scan_in_shared((T *)d.scratch, x, total);
}

/* ---- the way out (5.6) ------------------------------------------------------------------------------------------- */

/* Where `total` vertices of the next frontier go (K2). One thread. */
template <class Off>
static __device__ __forceinline__ word64 take_places(const search4k<Off> &g, const work4k &w, unsigned total)
{
    return total == 0 ? g.s.out.n : atomicAdd(&w.next->count, (word64)total);
}

template <class Off>
static __device__ __forceinline__ void put_vertex(const search4k<Off> &g, const work4k &w, word64 place, uint32_t v)
{
    if (place < w.cap)
        w.near[place] = v;
    else if (place < g.s.out.n)
        w.far[place] = v;
    else {
        (void)atomicOr(&g.bitmap[v >> 5], 1u << (v & 31));
        simt_store_relaxed(&w.next->over, 1u);
    }
    if (g.stamp != NULL && atomicExch(&g.stamp[v], w.level) == w.level)
        (void)atomicAdd(&w.d.count[COUNT_MISSED], 1u);
}

/* The queues of a warp to places base ..., `before` of them ahead of this lane's. First, where the queues are long
 * enough (K7), as many rows as the shortest has entries: one entry of every lane, side by side (Fig. 9). All lanes. */
template <class Off>
static __device__ __forceinline__ void write_queues(const search4k<Off> &g, work4k &w, word64 base, unsigned before,
                                                    unsigned total)
{
    const uint32_t *const mine = w.d.local + threadIdx.x;
    unsigned rows = 0;
    if (g.k.writes && total >= g.k.k7 * 32)
        rows = simt_reduce_min(WARP_ALL, w.held);
    for (unsigned i = 0; i < rows; i++)
        put_vertex(g, w, base + i * 32 + simt_lane(), mine[i * blockDim.x]);
    for (unsigned i = rows; i < w.held; i++)
        put_vertex(g, w, base + rows * 32 + (before - simt_lane() * rows) + (i - rows), mine[i * blockDim.x]);
    count_4k(g.k, w.d, COUNT_ROWS, rows);
    count_4k(g.k, w.d, COUNT_SINGLE, total - rows * 32);
    w.held = 0;
}

/* A warp's queues, with an atomic of its own. All lanes. */
template <class Off> static __device__ __forceinline__ void flush_warp(const search4k<Off> &g, work4k &w)
{
    unsigned total = 0;
    word64 base = 0;
    const unsigned before = prefix_sum(g.k, w.d, w.held, &total);
    if (simt_lane() == 0)
        base = take_places(g, w, total);
    base = __shfl_sync(WARP_ALL, base, 0);
    write_queues(g, w, base, before, total);
}

/* A block's queues, at the end of a level: both levels of the prefix sum, one atomic. All threads. */
template <class Off> static __device__ __forceinline__ void close_level(const search4k<Off> &g, work4k &w)
{
    unsigned total = 0, all = 0;
    const unsigned before = prefix_sum(g.k, w.d, w.held, &total);
    const unsigned earlier = block_base(total, w.d.sums, &all);
    if (threadIdx.x == 0)
        *w.d.place = take_places(g, w, all);
    __syncthreads();
    write_queues(g, w, *w.d.place + earlier, before, total);
    __syncthreads();
}

/* ---- arcs -------------------------------------------------------------------------------------------------------- */

/* Fig. 11. False where v is a duplicate (V3). All lanes. */
template <class Off>
static __device__ __forceinline__ bool hash64_4k(const search4k<Off> &g, work4k &w, bool want, uint32_t v)
{
    word64 *const place = &w.d.hash[(v * 2654435761u) >> (32 - w.d.hash_bits)];
    const word64 mine = ((word64)v << 32) | threadIdx.x;
    if (want)
        simt_store_relaxed(place, mine);
    __syncwarp();
    const word64 found = want ? simt_load_relaxed(place) : mine;
    const bool conflict = (uint32_t)(found >> 32) != v, again = !conflict && found != mine;
    if (g.k.census) {
        const unsigned dropped = __popc(__ballot_sync(WARP_ALL, again));
        count_4k(g.k, w.d, COUNT_VALID, __popc(__ballot_sync(WARP_ALL, want && found == mine)));
        count_4k(g.k, w.d, COUNT_DUPLICATE, dropped);
        count_4k(g.k, w.d, COUNT_CONFLICT, __popc(__ballot_sync(WARP_ALL, conflict)));
        if (simt_lane() == 0 && dropped != 0)
            (void)atomicAdd(&w.next->again, dropped);
    }
    return want && !again;
}

/* Puts v[k] of every lane whose bit k of `listed` is set into the lane's queue. All lanes. */
template <class Off>
static __device__ __forceinline__ void keep_listed(const search4k<Off> &g, work4k &w, unsigned listed,
                                                   const uint32_t v[BATCH])
{
    if (__any_sync(WARP_ALL, w.held + BATCH > w.d.slots))
        flush_warp(g, w);
    if (g.k.census)
        count_4k(g.k, w.d, COUNT_CANDIDATES, simt_reduce_add(WARP_ALL, (unsigned)__popc(listed)));
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        bool want = (listed >> k & 1) != 0;
        if (g.k.hash64 && __any_sync(WARP_ALL, want))
            want = hash64_4k(g, w, want, v[k]);
        if (want)
            w.d.local[w.held++ * blockDim.x + threadIdx.x] = v[k];
    }
}

/* Looks at up to BATCH arcs of each thread. All lanes. */
template <class Off>
static __device__ __forceinline__ void look_at_arcs(const search4k<Off> &g, work4k &w, const bool live[BATCH],
                                                    const uint32_t u[BATCH], const Off e[BATCH])
{
    uint32_t v[BATCH], seen[BATCH];
    unsigned listed = 0;
#pragma unroll
    for (int k = 0; k < BATCH; k++)
        v[k] = live[k] ? __ldg(&g.adj[e[k]]) : 0;
#pragma unroll
    for (int k = 0; k < BATCH; k++)
        seen[k] = live[k] ? simt_load_relaxed(&g.s.hop[v[k]]) : 0;
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        const bool fresh = live[k] && seen[k] == UNSEEN;
        if (fresh)
            simt_store_relaxed(&g.s.hop[v[k]], w.level);
        if (fresh || (live[k] && g.s.least && seen[k] == w.level))
            level_parent(g.s, u[k], v[k]);
        listed |= (unsigned)fresh << k;
    }
    if (!w.quiet && __any_sync(WARP_ALL, listed != 0))
        keep_listed(g, w, listed, v);
}

/* The row by `threads` threads, whole warps, of which this is the `me`-th: strides of their number. What is left is
 * counted, since places past the end of the arcs may not be numbers any more. All lanes. */
template <class Off>
static __device__ __forceinline__ void walk_row(const search4k<Off> &g, work4k &w, const row4k<Off> &r, Off threads,
                                                Off me)
{
    const uint32_t u[BATCH] = {r.u, r.u, r.u, r.u};
    Off at = r.begin + me, left = r.end - r.begin;
    left = me < left ? left - me : 0;
    while (__any_sync(WARP_ALL, left != 0)) {
        const Off e[BATCH] = {at, at + threads, at + 2 * threads, at + 3 * threads};
        const bool live[BATCH] = {left > 0, left > threads, left > 2 * threads, left > 3 * threads};
        look_at_arcs(g, w, live, u, e);
        at += BATCH * threads;
        left = left > BATCH * threads ? left - BATCH * threads : 0;
    }
}

/* Entry i of the frontier; an empty row of no vertex past its end. */
template <class Off>
static __device__ __forceinline__ row4k<Off> read_row(const search4k<Off> &g, const uint32_t *from, word64 count,
                                                      word64 i)
{
    row4k<Off> r = {0, 0, UNSEEN};
    if (i < count) {
        r.u = from[i];
        r.begin = g.off[r.u];
        r.end = g.off[r.u + 1];
    }
    return r;
}

/* K3. */
template <class Off> static __device__ __forceinline__ bool is_taken(const search4k<Off> &g, uint32_t u)
{
    const uint32_t bit = 1u << (u & 31);
    return (atomicOr(&g.taken[u >> 5], bit) & bit) != 0;
}

/* Is the row not to be walked by its warp: none, walked before, or the children's? Asked by one lane for a row, which
 * counts its arcs. */
template <class C, class Off>
static __device__ __forceinline__ bool leaves(const search4k<Off> &g, work4k &w, const row4k<Off> &r)
{
    const Off degree = r.end - r.begin;
    if (r.u == UNSEEN)
        return true;
    if (!w.distinct && (g.k.once || (g.k.parts && degree > g.k.child_degree)) && is_taken(g, r.u)) {
        if (g.k.census)
            (void)atomicAdd(&w.d.count[COUNT_TWICE], 1u);
        return true;
    }
    w.arcs += degree;
    return C::take(g, w, r);
}

/* ---- vertices to warps (5.2, 5.4, 5.6) --------------------------------------------------------------------------- */

/* Nobody is launched; bfs_4k_child.cu has the other kind. */
struct no_children {
    template <class Off>
    static __device__ __forceinline__ bool take(const search4k<Off> &g, const work4k &w, const row4k<Off> &r)
    {
        (void)g;
        (void)w;
        (void)r;
        return false;
    }
};

/* 5.2: a row for each `width` lanes. */
template <class C, class Off>
static __device__ __forceinline__ void visit_by_virtual_warps(const search4k<Off> &g, work4k &w, crew4k c,
                                                              const uint32_t *from, word64 count, unsigned width)
{
    const unsigned groups = 32 / width, within = simt_lane() & (width - 1);
    for (word64 base = c.warp * groups; base < count; base += c.warps * groups) {
        row4k<Off> r = read_row(g, from, count, base + simt_lane() / width);
        const bool gone = within == 0 && leaves<C>(g, w, r);
        if (__shfl_sync(WARP_ALL, (int)gone, (int)(simt_lane() - within)) != 0)
            r.end = r.begin;
        walk_row(g, w, r, (Off)width, (Off)within);
    }
}

/* 5.6: 32 vertices and their ends in one load each, passed on by shuffles; the warp takes one row after another. */
template <class C, class Off>
static __device__ __forceinline__ void visit_with_shared_reads(const search4k<Off> &g, work4k &w, crew4k c,
                                                               const uint32_t *from, word64 count)
{
    for (word64 base = c.warp * 32; base < count; base += c.warps * 32) {
        row4k<Off> mine = read_row(g, from, count, base + simt_lane());
        if (leaves<C>(g, w, mine))
            mine.end = mine.begin;
        __syncwarp();
        count_4k(g.k, w.d, COUNT_READS, 1);
        for (unsigned left = __ballot_sync(WARP_ALL, mine.begin < mine.end); left != 0; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const row4k<Off> r = {__shfl_sync(WARP_ALL, mine.begin, owner), __shfl_sync(WARP_ALL, mine.end, owner),
                                  __shfl_sync(WARP_ALL, mine.u, owner)};
            walk_row(g, w, r, (Off)32, (Off)simt_lane());
        }
    }
}

/* The first lane whose end is above x; ends grow with the lane. All lanes. */
template <class Off> static __device__ __forceinline__ unsigned search_lanes(Off end, Off x)
{
    unsigned low = 0;
    for (unsigned step = 16; step > 0; step /= 2)
        low += __shfl_sync(WARP_ALL, end, low + step - 1) <= x ? step : 0;
    return low;
}

/* Arcs x ... of the warp's `total`, BATCH a lane, each with its owner found by binary search; the last one's owner. */
template <class Off>
static __device__ __forceinline__ unsigned discover_edges(const search4k<Off> &g, work4k &w, const row4k<Off> &mine,
                                                          Off end, Off x, Off total)
{
    uint32_t u[BATCH];
    Off e[BATCH];
    bool live[BATCH];
    unsigned owner = 0;
#pragma unroll
    for (unsigned k = 0; k < BATCH; k++) {
        const Off y = x + k * 32 + simt_lane();
        live[k] = y < total;
        u[k] = 0;
        e[k] = 0;
        if (x + k * 32 >= total) /* the same for all lanes */
            continue;
        owner = search_lanes(end, live[k] ? y : total - 1);
        u[k] = __shfl_sync(WARP_ALL, mine.u, owner);
        e[k] = y + __shfl_sync(WARP_ALL, mine.end - end, owner);
        count_4k(g.k, w.d, COUNT_SEARCHES, 1);
    }
    look_at_arcs(g, w, live, u, e);
    return __shfl_sync(WARP_ALL, owner, 31);
}

/* The arcs of 32 rows, shared out evenly. EXT: while the last lane is inside a row with more than a warp of arcs left,
 * the warp goes on in that row without searching. V5. */
template <class Off>
static __device__ __forceinline__ void share_edges(const search4k<Off> &g, work4k &w, const row4k<Off> &mine)
{
    const Off degree = mine.end - mine.begin;
    Off total = 0;
    const Off end = prefix_sum(g.k, w.d, degree, &total) + degree;
    for (Off x = 0; x < total;) {
        const unsigned last = discover_edges(g, w, mine, end, x, total);
        const Off stop = __shfl_sync(WARP_ALL, end, last), finish = __shfl_sync(WARP_ALL, mine.end, last);
        x += BATCH * 32;
        if (!g.k.ext || x + 32 >= stop)
            continue;
        const row4k<Off> tail = {finish - (stop - x), finish, __shfl_sync(WARP_ALL, mine.u, last)};
        count_4k(g.k, w.d, COUNT_EXT, 1);
        walk_row(g, w, tail, (Off)32, (Off)simt_lane());
        x = stop;
    }
}

/* 5.4: 32 rows a warp; fewer where warps would have none, of which today's chips have nine times the paper's. */
template <class C, class Off>
static __device__ __forceinline__ void visit_by_edges(const search4k<Off> &g, work4k &w, crew4k c, const uint32_t *from,
                                                      word64 count)
{
    const word64 share = (count - 1) / c.warps + 1, rows = share < 32 ? share : 32;
    for (word64 base = c.warp * rows; base < count; base += c.warps * rows) {
        row4k<Off> mine = read_row(g, from, count, simt_lane() < rows ? base + simt_lane() : count);
        if (leaves<C>(g, w, mine))
            mine.end = mine.begin;
        __syncwarp();
        share_edges(g, w, mine);
    }
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

/* The width of virtual warps for a frontier; 0: edge-discover. Threads: those that may work on it at once. */
static __device__ __forceinline__ unsigned choose_width(const setting4k &k, word64 count, unsigned threads)
{
    if (k.k4 != 0 && count < threads / k.k4)
        return 0;
    if (k.warps != WARPS_DYNAMIC)
        return k.warps == WARPS_FIXED ? k.k1 : 1;
    const unsigned share = count < threads ? (unsigned)(threads / count) : 1;
    const unsigned lower = share >= 32 ? 32 : 1u << (31 - __clz((int)share));
    return lower < k.k1 ? k.k1 : lower;
}

template <class C, class Off>
static __device__ __forceinline__ void visit_frontier(const search4k<Off> &g, work4k &w, crew4k c, const uint32_t *from,
                                                      word64 count, unsigned width, unsigned threads)
{
    if (width == 0)
        visit_by_edges<C>(g, w, c, from, count);
    else if (g.k.reads && width == 32 && count > threads)
        visit_with_shared_reads<C>(g, w, c, from, count);
    else
        visit_by_virtual_warps<C>(g, w, c, from, count, width);
}

/* Why the search ends after this level; 0 if it goes on. */
template <class Off> static __device__ __forceinline__ unsigned find_reason(const search4k<Off> &g, unsigned level)
{
    ledger4k *const st = g.st;
    const level_search &s = g.s;
    unsigned stop = level + 1 >= s.most ? LEVEL_STOP_LIMIT : 0;
    if (s.target_count != 0) {
        while (st->target < s.target_count && simt_load_relaxed(&s.hop[s.targets[st->target]]) != UNSEEN)
            st->target++;
        if (st->target == s.target_count)
            stop |= LEVEL_STOP_TARGETS;
    }
    return stop | level_listen(s, level);
}

/* What one thread does for all in a level. It waits for few of its reads: numbers that nobody looks at before the end
 * are added to without being read. */
template <class Off>
static __device__ __forceinline__ void lead_level(const search4k<Off> &g, slot4k *slots, unsigned level, int kernel,
                                                  unsigned width, bool swept)
{
    const slot4k *now = &slots[level % 3];
    const slot4k empty = {};
    const trace4k t = {level, (uint32_t)now->count, now->again, now->children, (uint16_t)kernel, (uint16_t)width};
    slots[(level + 2) % 3] = empty;
    g.ring[level % RING_4K] = t;
    (void)atomicAdd(&g.st->levels[kernel], 1u);
    g.st->heavy = 0;
    if (swept)
        (void)atomicAdd(&g.st->sweeps, 1u);
    if (t.children != 0) {
        (void)atomicAdd(&g.st->children, (word64)t.children);
        (void)atomicAdd(&g.st->parts, (word64)now->parts);
    }
    slots[(level + 1) % 3].distinct = swept;
    slots[(level + 1) % 3].stop = find_reason(g, level);
}

/* The first lane of the warp that is last to get work, of the block and of the grid. */
static __device__ __forceinline__ bool leads()
{
    return blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 32;
}

static __device__ __forceinline__ crew4k crew_of_grid()
{
    const unsigned warps = blockDim.x / 32;
    const crew4k c = {(word64)blockIdx.x * warps + simt_warp(), (word64)gridDim.x * warps};
    return c;
}

/* The frontier of a level by all blocks of a grid; what they found is in their queues, or marked. */
template <class C, class Off>
static __device__ __forceinline__ void visit_level(const search4k<Off> &g, work4k &w, unsigned level, int front,
                                                   int kernel)
{
    const slot4k *const now = &g.st->slots[level % 3];
    const word64 count = now->count;
    const unsigned width = choose_width(g.k, count, g.k.resident);
    w.next = &g.st->slots[(level + 1) % 3];
    w.near = NULL;
    w.far = g.queue[1 - front];
    w.cap = 0;
    w.level = level + 1;
    w.distinct = now->distinct != 0;
    w.quiet = kernel == KERNEL_MULTI && count >= g.k.sweep; /* small frontiers are queued sooner */
    if (leads())
        lead_level(g, g.st->slots, level, kernel, width, w.quiet);
    __syncwarp();
    visit_frontier<C>(g, w, crew_of_grid(), g.queue[front], count, width, g.k.resident);
}

} /* namespace SIMT_FLAVOUR */

#endif
