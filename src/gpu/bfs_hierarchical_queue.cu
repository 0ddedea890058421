/* bfs_hierarchical_queue.cu - queues of three levels (`hierarchical-queue`, catalogue B6).
 *
 * Method: Luo, Wong and Hwu, "An effective GPU implementation of breadth-first search", DAC 2010: a thread takes a
 * vertex of the frontier; what it finds goes to one of a few warp queues in shared memory, chosen by the thread's
 * number so that neighbours do not meet at one counter; the warp queues of a block, one behind the other, are its
 * block queue, which takes its places in the global queue by one atomic and is written in whole lines. Frontiers that
 * one block can hold are passed from level to level by that block alone, with its own barrier; larger ones by all
 * blocks, with a barrier between blocks.
 * Three things differ from the paper. A vertex is won by an atomic on its level, so that it is queued once. What a warp
 * queue has no room for goes to the global queue directly (the paper does not say). And its third layer, a launch for
 * each level of the largest frontiers, is gone: a barrier of the whole grid costs less today.
 *
 * Invariants: L1 to L4 of levels.cuh, and
 *   H1 whoever raises a warp queue's count gets a slot of its own, or spills; counts are cleared behind the barrier
 *      after they are read;
 *   H2 queued and spilled vertices add up to those found;
 *   H3 all blocks have read a level's size before one block goes on alone, and read its level after it is back.
 * Cost: O(n + m) time, the longest list being one thread's; on the device 12 n bytes, parents 4 n more.
 */
#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

enum { QUEUE_SLOTS = 4096, QUEUES_MOST = 32 }; /* of a block: 16 KB of shared memory, so that two blocks fit anywhere */
enum { COUNT_QUEUED = COUNT_FOURTH, COUNT_SPILLED };
enum { WAY_ONE_BLOCK = 0, WAY_GRID };
#define ONE_BLOCK_CELL 0 /* of level_state: the level at which one block has ended */

typedef struct queue_method {
    uint32_t *queue[2];
    unsigned queues, room; /* warp queues of a block, slots of each */
    unsigned alone;        /* the largest frontier of one block */
} queue_method;

typedef struct queue_space {
    level_share share;
    uint32_t slot[QUEUE_SLOTS];
    unsigned count[QUEUES_MOST];      /* beyond the room where vertices spilled */
    unsigned before[QUEUES_MOST + 1]; /* vertices in the queues before */
    unsigned base;                    /* of the block queue, in the global one */
} queue_space;

/* What a thread has met. */
typedef struct queue_counts {
    unsigned arcs, seen, spilled;
} queue_counts;

/* A found vertex into the thread's warp queue, or past it (H1). */
static __device__ __forceinline__ void put(const queue_method &m, queue_space *ws, uint32_t v, uint32_t *to,
                                           level_slot *next, queue_counts *c)
{
    const unsigned q = threadIdx.x % m.queues, at = atomicAdd(&ws->count[q], 1u);
    if (at < m.room) {
        ws->slot[q * m.room + at] = v;
    } else {
        to[atomicAdd(&next->found, 1u)] = v;
        c->spilled++;
    }
}

static __device__ __forceinline__ void visit(const level_search &s, const queue_method &m, queue_space *ws,
                                             unsigned level, uint32_t u, uint32_t *to, level_slot *next,
                                             queue_counts *c)
{
    const uint64_t end = csr_offset(s.out, u + 1);
    for (uint64_t e = csr_offset(s.out, u); e < end; e++) {
        const uint32_t v = __ldg(&s.out.adj[e]), hop = simt_load_relaxed(&s.hop[v]);
        const bool fresh = hop == UNSEEN;
        c->arcs++;
        c->seen += !fresh;
        if (s.least && (fresh || hop == level + 1))
            level_parent(s, u, v);
        if (!fresh || atomicCAS(&s.hop[v], UNSEEN, level + 1) != UNSEEN)
            continue;
        if (!s.least)
            level_parent(s, u, v);
        put(m, ws, v, to, next, c);
    }
}

/* The block queue to the global one. All threads, after a barrier. */
static __device__ __forceinline__ void hand_over(const queue_method &m, queue_space *ws, uint32_t *to, level_slot *next)
{
    if (threadIdx.x < 32) {
        const unsigned count = simt_lane() < m.queues ? ws->count[simt_lane()] : 0;
        unsigned total;
        const unsigned before = warp_scan(count < m.room ? count : m.room, &total);
        if (simt_lane() < m.queues)
            ws->before[simt_lane()] = before;
        if (simt_lane() == 0) {
            ws->before[m.queues] = total;
            ws->base = total != 0 ? atomicAdd(&next->found, total) : 0;
            if (total != 0)
                (void)atomicAdd(&next->count[COUNT_QUEUED], (word64)total);
        }
    }
    __syncthreads();
    if (threadIdx.x < m.queues)
        ws->count[threadIdx.x] = 0;
    for (unsigned q = 0; q < m.queues; q++)
        for (unsigned i = ws->before[q] + threadIdx.x; i < ws->before[q + 1]; i += blockDim.x)
            to[ws->base + i] = ws->slot[q * m.room + i - ws->before[q]];
}

/* One level by `blocks` blocks, of which this is number `block`. */
static __device__ __forceinline__ void queue_level(const level_search &s, const queue_method &m, queue_space *ws,
                                                   unsigned level, unsigned block, unsigned blocks, unsigned way)
{
    level_slot *next = level_slot_of(s, level + 1), *more = &ws->share.more;
    const uint32_t *from = m.queue[level & 1];
    const unsigned size = ws->share.found;
    queue_counts c = {0, 0, 0};
    if (level_is_leader()) {
        level_lead(s, level, way);
        (void)atomicAdd(&next->count[COUNT_FRONTIER], (word64)size);
    }
    __syncwarp();
    for (uint64_t i = (uint64_t)block * blockDim.x + threadIdx.x; i < size; i += (uint64_t)blocks * blockDim.x)
        visit(s, m, ws, level, from[i], m.queue[1 - (level & 1)], next, &c);
    __syncthreads();
    hand_over(m, ws, m.queue[1 - (level & 1)], next);
    level_add(&more->count[COUNT_ARCS], c.arcs);
    level_add(&more->count[COUNT_CHECKED], c.seen);
    level_add(&more->count[COUNT_SPILLED], c.spilled);
    level_hand(&ws->share, next);
}

static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    queue_kernel(const __grid_constant__ level_search s, const __grid_constant__ queue_method m)
{
    SIMT_SHARED(queue_space, ws, 1);
    unsigned level = 0;
    if (threadIdx.x < QUEUES_MOST)
        ws->count[threadIdx.x] = 0;
    level_open(&ws->share);
    while (level_begin(s, &ws->share, level)) {
        if (ws->share.found > m.alone) {
            queue_level(s, m, ws, level++, blockIdx.x, gridDim.x, WAY_GRID);
            simt_grid_sync();
            continue;
        }
        simt_grid_sync(); /* H3 */
        if (blockIdx.x == 0) {
            do {
                queue_level(s, m, ws, level++, 0, 1, WAY_ONE_BLOCK);
                __syncthreads();
            } while (level_begin(s, &ws->share, level) && ws->share.found <= m.alone);
            if (threadIdx.x == 0)
                s.st->cells[ONE_BLOCK_CELL] = level;
        }
        simt_grid_sync();
        level = s.st->cells[ONE_BLOCK_CELL];
    }
    if (level_is_leader())
        level_end(s, level);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static const nf_knob_info knobs[] = {
    {"warp-queues", "queues in shared memory that the threads of a block share", NF_KNOB_INT, "8", 1, QUEUES_MOST,
     NULL},
    {"one-block", "frontiers of up to so many vertices are one block's", NF_KNOB_INT, "512", 0, 1 << 20, NULL},
};

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    levels *l = NULL;
    queue_method *own = NULL;
    NF_TRY(levels_open(run, GRAPH_TARGETS, 0, &l));
    NF_TRY_ALLOC(own, (queue_method *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *own));
    l->own = own;
    for (int k = 0; k < 2; k++)
        NF_TRY(levels_alloc(l, run->csr.n, &own->queue[k]));
    own->queues = (unsigned)nf__knob_number(run, "warp-queues");
    own->room = QUEUE_SLOTS / own->queues;
    own->alone = (unsigned)nf__knob_number(run, "one-block");
    l->s.first = own->queue[0];
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"one-block", "grid"}, {NULL, NULL, NULL, "queued", "spilled", NULL}};
    levels *l = (levels *)run->scratch;
    const queue_method m = *(const queue_method *)l->own;
    return levels_row(l, row, queue_kernel, m, run->csr.n, &words);
}

extern const nf__algorithm bfs_hierarchical_queue = {
    .info = {.name = "hierarchical-queue",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "queues of warps and blocks in shared memory before the global one",
             .paper = "Luo, Wong, Hwu 2010",
             .memory = "on the device 12 n; parents 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
