/* scan_levels.cuh - queues by prefix sums: what the methods of Merrill, Garland and Grimshaw have in common.
 *
 * Method: "Scalable GPU graph traversal", PPoPP 2012. A vertex queue holds the frontier, an arc queue the ends of the
 * arcs out of it (and their beginnings, where parents are wanted). Expansion gathers lists: those of a block's length
 * and more by the whole block, of a warp's and more by a warp, the rest through a block's prefix sum into shared
 * memory, one arc a thread. Contraction lets one of many ends through: it drops what is seen, then duplicates within
 * the warp (warp culling), then what the block has met before and still remembers (history culling), and what is left
 * takes the level. A block takes its places in a queue by one prefix sum and one atomic.
 * Two things differ from the paper. A vertex is won by an atomic, where the paper lets duplicates through that culling
 * has missed: so queues of n vertices and m arcs suffice, and culling only saves atomics. And warp culling asks the
 * warp itself (match.any, which finds every duplicate), where the paper hashes into shared memory.
 * Invariants: L1 to L4 of levels.cuh.
 *   M1 every arc out of the frontier is contracted once: seen, culled by warp, by history, lost and won add up to arcs;
 *   M2 culling never drops the last candidate of a vertex: somebody of the warp, or a thread that has left its mark in
 *      the block's history, goes on to the atomic;
 *   M3 slot.found is the tail of the vertex queue, slot.arcs that of the arc queue, that the level fills.
 * With deterministic parents every candidate lowers the parent before it may be culled.
 * Cost: O(n + m) time, two to four words of queue traffic an arc; memory is said by each method.
 */
#ifndef NF_GPU_SCAN_LEVELS_CUH
#define NF_GPU_SCAN_LEVELS_CUH

#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

enum { GATHER_SLOTS = LEVEL_THREADS, HISTORY_SLOTS = 1024 };
enum { COUNT_BY_WARP = COUNT_FOURTH, COUNT_BY_HISTORY, COUNT_LOST };

/* Ends of arcs. */
typedef struct arc_queue {
    uint32_t *v, *u; /* u: or NULL */
} arc_queue;

typedef struct scan_method {
    uint32_t *vertices[2];
    arc_queue arcs[2];
    bool by_warp, by_history; /* culling */
    bool from_arcs;           /* levels begin with the arc queue */
} scan_method;

/* A list on its way to the threads that gather it. */
typedef struct scan_list {
    uint64_t begin, degree;
    word64 place;
    uint32_t u;
} scan_list;

typedef struct scan_space {
    level_share share;
    scan_list list;
    word64 wide[SCAN_SCRATCH];
    uint64_t arc[GATHER_SLOTS];
    word64 place[GATHER_SLOTS];
    uint32_t u[GATHER_SLOTS];
    uint32_t history[HISTORY_SLOTS];
    unsigned sums[SCAN_SCRATCH];
    unsigned owner;
} scan_space;

/* What a thread has met. */
typedef struct scan_counts {
    unsigned arcs, seen, by_warp, by_history, lost, won;
} scan_counts;

/* ---- contraction ------------------------------------------------------------------------------------------------- */

/* The candidate u -> v of each lane that wants: true where it has won v. All lanes. */
static __device__ __forceinline__ bool contract(const level_search &s, const scan_method &m, scan_space *ws,
                                                unsigned level, bool want, uint32_t u, uint32_t v, scan_counts *c)
{
    const uint32_t hop = want ? simt_load_relaxed(&s.hop[v]) : 0;
    bool fresh = want && hop == UNSEEN;
    c->arcs += want;
    c->seen += want && !fresh;
    if (want && s.least && (fresh || hop == level + 1))
        level_parent(s, u, v);
    if (m.by_warp) {
        const unsigned same = __match_any_sync(WARP_ALL, fresh ? v : UNSEEN);
        const bool culled = fresh && __ffs((int)same) - 1 != (int)simt_lane();
        c->by_warp += culled;
        fresh = fresh && !culled;
    }
    if (m.by_history && fresh) {
        const bool culled = atomicExch(&ws->history[v % HISTORY_SLOTS], v) == v;
        c->by_history += culled;
        fresh = !culled;
    }
    const bool won = fresh && atomicCAS(&s.hop[v], UNSEEN, level + 1) == UNSEEN;
    c->lost += fresh && !won;
    c->won += won;
    if (won && !s.least)
        level_parent(s, u, v);
    __syncwarp();
    return won;
}

/* ---- expansion --------------------------------------------------------------------------------------------------- */

/* Gathers the list of each thread, `degree` arcs from `begin` on; take(g, live, u, arc, place) is called by whole
 * warps. All threads of the block. */
template <class G> static __device__ __forceinline__ void gather(scan_space *ws, G &g, const scan_list &mine)
{
    uint64_t degree = mine.degree;
    while (__syncthreads_or(degree >= blockDim.x)) { /* by the block */
        if (degree >= blockDim.x)
            simt_store_relaxed(&ws->owner, threadIdx.x);
        __syncthreads();
        if (degree >= blockDim.x && simt_load_relaxed(&ws->owner) == threadIdx.x) {
            ws->list = mine;
            degree = 0;
        }
        __syncthreads();
        const scan_list l = ws->list;
        for (uint64_t x = simt_warp() * 32; x < l.degree; x += blockDim.x)
            take(g, x + simt_lane() < l.degree, l.u, l.begin + x + simt_lane(), l.place + x + simt_lane());
    }
    for (unsigned rest; (rest = __ballot_sync(WARP_ALL, degree >= 32)) != 0;) { /* by the warp */
        const int owner = __ffs((int)rest) - 1;
        const scan_list l = {__shfl_sync(WARP_ALL, mine.begin, owner), __shfl_sync(WARP_ALL, degree, owner),
                             __shfl_sync(WARP_ALL, mine.place, owner), __shfl_sync(WARP_ALL, mine.u, owner)};
        for (uint64_t x = simt_lane(); x < (l.degree + 31) / 32 * 32; x += 32)
            take(g, x < l.degree, l.u, l.begin + x, l.place + x);
        degree = (int)simt_lane() == owner ? 0 : degree;
    }
    unsigned total, done = 0;
    const unsigned before = block_scan((unsigned)degree, ws->sums, &total);
    for (unsigned base = 0; base < total; base += GATHER_SLOTS) { /* by the scan */
        for (; done < degree && before + done < base + GATHER_SLOTS; done++) {
            ws->arc[before + done - base] = mine.begin + done;
            ws->place[before + done - base] = mine.place + done;
            ws->u[before + done - base] = mine.u;
        }
        __syncthreads();
        const unsigned count = total - base < GATHER_SLOTS ? total - base : (unsigned)GATHER_SLOTS;
        for (unsigned x = simt_warp() * 32; x < count; x += blockDim.x) {
            const unsigned i = x + simt_lane() < count ? x + simt_lane() : 0;
            take(g, x + simt_lane() < count, ws->u[i], ws->arc[i], ws->place[i]);
        }
        __syncthreads();
    }
}

static __device__ __forceinline__ scan_list list_of(const level_search &s, bool has, uint32_t u)
{
    const uint64_t begin = has ? csr_offset(s.out, u) : 0;
    const scan_list l = {begin, has ? csr_offset(s.out, u + 1) - begin : 0, 0, u};
    return l;
}

/* Ends of arcs go to their places in an arc queue. */
typedef struct to_arcs {
    const uint32_t *adj;
    arc_queue q;
} to_arcs;

static __device__ __forceinline__ void take(to_arcs &g, bool live, uint32_t u, uint64_t arc, word64 place)
{
    if (!live)
        return;
    g.q.v[place] = __ldg(&g.adj[arc]);
    if (g.q.u != NULL)
        g.q.u[place] = u;
}

/* The list of each thread to the arc queue (M3). All threads of the block. */
static __device__ __forceinline__ void expand_to_arcs(const level_search &s, scan_space *ws, scan_list mine,
                                                      const arc_queue &to, level_slot *next)
{
    to_arcs g = {s.out.adj, {to.v, s.parent != NULL ? to.u : NULL}};
    mine.place = block_reserve((word64)mine.degree, &next->arcs, ws->wide);
    gather(ws, g, mine);
}

/* ---- the phases, each by all threads of the grid ----------------------------------------------------------------- */

/* Vertex queue to arc queue. */
static __device__ __forceinline__ void expand_vertices(const level_search &s, scan_space *ws, const uint32_t *from,
                                                       uint32_t count, const arc_queue &to, level_slot *next)
{
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x; base < count; base += (uint64_t)gridDim.x * blockDim.x) {
        const bool has = base + threadIdx.x < count;
        expand_to_arcs(s, ws, list_of(s, has, has ? from[base + threadIdx.x] : 0), to, next);
    }
}

/* Arc queue to vertex queue. */
static __device__ __forceinline__ void contract_arcs(const level_search &s, const scan_method &m, scan_space *ws,
                                                     unsigned level, const arc_queue &from, word64 count, uint32_t *to,
                                                     level_slot *next, scan_counts *c)
{
    for (word64 base = (word64)blockIdx.x * blockDim.x; base < count; base += (word64)gridDim.x * blockDim.x) {
        const word64 i = base + threadIdx.x;
        const uint32_t v = i < count ? from.v[i] : 0, u = i < count && s.parent != NULL ? from.u[i] : 0;
        const bool won = contract(s, m, ws, level, i < count, u, v, c);
        block_append(won, v, to, &next->found, ws->sums);
    }
}

/* Arc queue to arc queue. */
static __device__ __forceinline__ void contract_expand(const level_search &s, const scan_method &m, scan_space *ws,
                                                       unsigned level, const arc_queue &from, word64 count,
                                                       const arc_queue &to, level_slot *next, scan_counts *c)
{
    const unsigned before = c->won;
    for (word64 base = (word64)blockIdx.x * blockDim.x; base < count; base += (word64)gridDim.x * blockDim.x) {
        const word64 i = base + threadIdx.x;
        const uint32_t v = i < count ? from.v[i] : 0, u = i < count && s.parent != NULL ? from.u[i] : 0;
        const bool won = contract(s, m, ws, level, i < count, u, v, c);
        expand_to_arcs(s, ws, list_of(s, won, v), to, next);
    }
    level_found(&ws->share.more, c->won - before);
}

/* What was met, to the log's counters. All lanes. */
static __device__ __forceinline__ void tell_counts(const scan_counts &c, level_slot *more)
{
    level_add(&more->count[COUNT_ARCS], c.arcs);
    level_add(&more->count[COUNT_CHECKED], c.seen);
    level_add(&more->count[COUNT_BY_WARP], c.by_warp);
    level_add(&more->count[COUNT_BY_HISTORY], c.by_history);
    level_add(&more->count[COUNT_LOST], c.lost);
}

/* M is a scan_method; scan_way(m, now) is the way of a level, scan_level(...) makes it. */
template <class M>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    scan_kernel(const __grid_constant__ level_search s, const __grid_constant__ M m)
{
    SIMT_SHARED(scan_space, ws, 1);
    unsigned level = 0;
    for (unsigned i = threadIdx.x; i < HISTORY_SLOTS; i += blockDim.x)
        ws->history[i] = UNSEEN;
    level_open(&ws->share);
    for (; level_begin(s, &ws->share, level); level++) {
        const level_share *now = &ws->share;
        level_slot *next = level_slot_of(s, level + 1);
        const unsigned way = scan_way(m, now);
        scan_counts c = {0, 0, 0, 0, 0, 0};
        if (level_is_leader()) {
            level_lead(s, level, way);
            (void)atomicAdd(&next->count[COUNT_FRONTIER], (word64)now->found);
        }
        __syncwarp();
        scan_level(s, m, ws, level, way, now, next, &c);
        tell_counts(c, &ws->share.more);
        level_hand(&ws->share, next);
        simt_grid_sync();
    }
    if (level_is_leader())
        level_end(s, level);
}

/* ---- on the host (scan_levels.cu) -------------------------------------------------------------------------------- */

#define SCAN_KNOB_COUNT 2
extern const nf_knob_info scan_knobs[SCAN_KNOB_COUNT];
extern const level_words scan_words;

/* levels_open, and l->own a scan_method with so many queues of each kind; with two arc queues levels begin with one. */
nf_status scan_open(nf__run *run, int vertex_queues, int arc_queues);
/* The arcs out of the sources into the first arc queue, after levels_start. */
nf_status scan_first_arcs(levels *l, const scan_method *m);

/* A row by the method M. */
template <class M> static inline nf_status scan_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    levels *l = (levels *)run->scratch;
    const M m = {*(const scan_method *)l->own};
    NF_TRY(levels_start(l, row));
    if (m.from_arcs)
        NF_TRY(scan_first_arcs(l, &m));
    NF_TRY(levels_launch(l, scan_kernel<M>, m, run->csr.m));
    NF_TRY(levels_finish(l, row, &scan_words));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
