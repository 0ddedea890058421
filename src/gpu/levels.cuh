/* levels.cuh - what every breadth-first search of src/gpu has in common: levels made one after another in one
 * cooperative launch, counted and traced, with sources, targets, depth limit, parents and cancelling.
 *
 * A method's kernel is a loop: while level_begin, the leader calls level_lead, all threads make the level, level_hand
 * gives away what the block counted, and the grid meets. What a level counts (level_add) goes to the log: a line for
 * each level, and one with the totals.
 * A method's host part is levels_open, levels_alloc for its own arrays, and for each row levels_start, a launch
 * (levels_launch) and levels_finish.
 *
 * Invariants
 *   L1 hop[v] goes from UNSEEN to the level once; every thread that writes it in a level writes the same value;
 *   L2 parent[v] is a vertex of the level before with an arc to v; with `least` the smallest, since each such vertex
 *      comes by and lowers it while hop[v] is UNSEEN or the level being made;
 *   L3 level i reads slot i mod 3, counts into slot i + 1 mod 3, and its leader clears slot i + 2 mod 3, which nobody
 *      has looked at since the barrier that began level i: one barrier a level is enough;
 *   L4 what ends the loop is read from a slot that nobody writes in that level, so all blocks decide alike;
 *   L5 one thread of a block reads a slot for all, and one addition a number and block fills it: thousands of warps at
 *      one word of L2 would wait for each other longer than a level takes;
 *   L6 each level has a vertex of its own, so a search makes at most n of them: the loop ends even if a method errs.
 * Memory on the device: 4 n for levels, 4 n for parents, 4 for each source and target, 256 KB for trace and state.
 */
#ifndef NF_GPU_LEVELS_CUH
#define NF_GPU_LEVELS_CUH

#include "gpu/algorithms.h"
#include "gpu/device_graph.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

typedef unsigned long long word64; /* the type CUDA's 64-bit atomics take */

#define UNSEEN 0xffffffffu

enum { LEVEL_THREADS = 512, LEVEL_WARPS = LEVEL_THREADS / 32, LEVEL_RING = 4096 };

/* What a level counts. The first three mean the same everywhere; a method names the others. */
enum { COUNT_FRONTIER = 0, COUNT_ARCS, COUNT_CHECKED, COUNT_FOURTH, COUNT_FIFTH, COUNT_SIXTH, COUNT_KINDS };

typedef struct level_slot {
    word64 count[COUNT_KINDS]; /* of the level before, which filled this slot */
    word64 arcs;               /* out of the vertices found, where the method wants them */
    unsigned found;            /* vertices; 0 ends the search. Duplicates may be counted in */
    unsigned stop;             /* why to end: LEVEL_STOP_* */
} level_slot;

/* A level as a block sees it, in shared memory: what it begins with, and what the block counts. */
typedef struct level_share {
    level_slot more;
    word64 arcs, told;
    word64 looked; /* arcs that the level before looked at */
    unsigned found, stop;
} level_share;

/* The numbers of the frontier engine's STOP_*; shortest paths have two more. */
enum { LEVEL_STOP_CANCEL = 1, LEVEL_STOP_LIMIT = 4, LEVEL_STOP_TARGETS = 8 };

typedef struct level_trace {
    word64 count[COUNT_KINDS];
    word64 ended;        /* when, ns */
    unsigned level, way; /* of the method: which of its ways the level took */
} level_trace;

typedef struct level_state {
    level_slot slots[3];
    word64 total[COUNT_KINDS];
    word64 heard;       /* when the host was last listened to, ns */
    unsigned level;     /* levels made */
    unsigned target;    /* targets before this one are reached */
    unsigned way[3];    /* of the levels, by slot they fill */
    unsigned cells[17]; /* free for the method; zero when a row starts */
} level_state;

/* A search as kernels see it. */
typedef struct level_search {
    device_csr out, in;     /* in: where asked for */
    const uint32_t *src;    /* GRAPH_SOURCES, where asked for */
    uint32_t *hop, *parent; /* parent: or NULL */
    uint32_t *first;        /* where the sources go, each once, slots[0].found of them; NULL: nowhere */
    const uint32_t *targets;
    level_state *st;
    level_trace *ring;
    control *shared;
    unsigned target_count;
    unsigned from; /* the level to begin with: 0, or where a loop paused */
    unsigned most; /* levels to make, those before included */
    bool least;
} level_search;

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

#define LISTEN_EVERY_NS 2000000ull /* a look over the bus takes about 2 us: a thousandth of this */

static __device__ __forceinline__ level_slot *level_slot_of(const level_search &s, unsigned level)
{
    return &s.st->slots[level % 3];
}

/* Clears what the block counts; once, before the first level. A barrier follows in level_begin. */
static __device__ __forceinline__ void level_open(level_share *b)
{
    if (threadIdx.x < COUNT_KINDS)
        b->more.count[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        b->more.arcs = 0;
        b->more.found = b->more.stop = 0;
    }
}

/* Is there a level to make? The same for all threads (L4, L5). All threads of the block. */
static __device__ __forceinline__ bool level_begin(const level_search &s, level_share *b, unsigned level)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const level_slot *now = level_slot_of(s, level);
        b->found = simt_load_relaxed(&now->found);
        b->stop = simt_load_relaxed(&now->stop);
        b->arcs = simt_load_relaxed(&now->arcs);
        b->looked = simt_load_relaxed(&now->count[COUNT_ARCS]);
    }
    __syncthreads();
    return b->found != 0 && b->stop == 0;
}

/* The first thread's x, to all threads of the block. */
static __device__ __forceinline__ word64 level_tell(level_share *b, word64 x)
{
    __syncthreads();
    if (threadIdx.x == 0)
        b->told = x;
    __syncthreads();
    return b->told;
}

static __device__ __forceinline__ void level_pass(word64 *from, word64 *to)
{
    if (*from != 0)
        (void)atomicAdd(to, *from);
    *from = 0;
}

/* What the block counted goes to the slot of the next level. All threads of the block; a barrier of the grid, or of the
 * block if it works alone, follows. */
static __device__ __forceinline__ void level_hand(level_share *b, level_slot *next)
{
    const unsigned k = threadIdx.x;
    __syncthreads();
    if (k < COUNT_KINDS)
        level_pass(&b->more.count[k], &next->count[k]);
    else if (k == COUNT_KINDS)
        level_pass(&b->more.arcs, &next->arcs);
    else if (k == COUNT_KINDS + 1) {
        const unsigned found = simt_load_relaxed(&b->more.found); /* not ahead of the branch, by other threads */
        if (found != 0)
            (void)atomicAdd(&next->found, found);
        b->more.found = 0;
    }
}

/* What the level before did, into the trace and the totals. */
static __device__ __forceinline__ void level_note(const level_search &s, unsigned level)
{
    const level_slot *now = level_slot_of(s, level);
    level_trace *t = &s.ring[(level - 1) % LEVEL_RING];
    for (int k = 0; k < COUNT_KINDS; k++) {
        t->count[k] = now->count[k];
        s.st->total[k] += now->count[k];
    }
    t->ended = simt_clock();
    t->level = level - 1;
    t->way = s.st->way[level % 3];
}

static __device__ __forceinline__ unsigned level_listen(const level_search &s, unsigned level)
{
    const word64 now = simt_clock();
    if (now - s.st->heard < LISTEN_EVERY_NS)
        return 0;
    s.st->heard = now;
    simt_store_relaxed(&s.shared->progress, (uint64_t)level);
    return simt_load_relaxed(&s.shared->cancel) != 0 ? LEVEL_STOP_CANCEL : 0;
}

/* The leader's part of a level: one thread, while the others make it. */
static __device__ __forceinline__ void level_lead(const level_search &s, unsigned level, unsigned way)
{
    level_state *st = s.st;
    level_slot *after = level_slot_of(s, level + 2);
    unsigned stop = level + 1 >= s.most ? LEVEL_STOP_LIMIT : 0;
    if (level != s.from)
        level_note(s, level);
    for (int k = 0; k < COUNT_KINDS; k++)
        after->count[k] = 0;
    after->arcs = 0;
    after->found = after->stop = 0;
    st->way[(level + 1) % 3] = way;
    while (st->target < s.target_count && simt_load_relaxed(&s.hop[s.targets[st->target]]) != UNSEEN)
        st->target++;
    if (s.target_count != 0 && st->target == s.target_count)
        stop |= LEVEL_STOP_TARGETS;
    stop |= level_listen(s, level);
    if (stop != 0)
        (void)atomicOr(&level_slot_of(s, level + 1)->stop, stop);
}

static __device__ __forceinline__ bool level_is_leader()
{
    return blockIdx.x == 0 && threadIdx.x == blockDim.x - 32; /* of the warp that is last to get work */
}

/* After the last level; one thread. */
static __device__ __forceinline__ void level_end(const level_search &s, unsigned level)
{
    if (level != s.from)
        level_note(s, level);
    s.st->level = level;
}

/* Adds up a number over the lanes of a warp. All lanes. */
static __device__ __forceinline__ void level_add(word64 *to, unsigned x)
{
    const unsigned sum = simt_reduce_add(WARP_ALL, x);
    if (simt_lane() == 0 && sum != 0)
        add_by_halves(to, sum);
}

static __device__ __forceinline__ void level_found(level_slot *next, unsigned x)
{
    const unsigned sum = simt_reduce_add(WARP_ALL, x);
    if (simt_lane() == 0 && sum != 0)
        (void)atomicAdd(&next->found, sum);
}

/* u is a parent of v (L2). */
static __device__ __forceinline__ void level_parent(const level_search &s, uint32_t u, uint32_t v)
{
    if (s.parent == NULL)
        return;
    if (!s.least)
        simt_store_relaxed(&s.parent[v], u);
    else if (u < simt_load_relaxed(&s.parent[v]))
        (void)atomicMin(&s.parent[v], u);
}

/* The arc u -> v out of `level`: true if v was unseen. Several threads may be told so of one vertex. */
static __device__ __forceinline__ bool level_reach(const level_search &s, uint32_t u, uint32_t v, unsigned level)
{
    const uint32_t hop = simt_load_relaxed(&s.hop[v]);
    if (hop == UNSEEN)
        simt_store_relaxed(&s.hop[v], level + 1);
    if (hop == UNSEEN || (s.least && hop == level + 1))
        level_parent(s, u, v);
    return hop == UNSEEN;
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

enum { LEVEL_ARRAYS = 12 };

typedef struct levels {
    nf__run *run;
    device *d;
    level_search s;
    uint32_t *hop, *parent, *sources, *targets;
    uint64_t source_room;
    void *arrays[LEVEL_ARRAYS]; /* of the method */
    unsigned array_count;
    unsigned block;
    const uint32_t *rank; /* the search's number of each vertex; NULL: its own */
    uint32_t *zero;       /* words of the method that are zero when a row starts; or NULL */
    uint64_t zeros;
    void *own; /* of the method, freed with nf__free */
} levels;

/* How a method's numbers are called in the log. */
typedef struct level_words {
    const char *way[4];             /* none: levels are not traced */
    const char *count[COUNT_KINDS]; /* of COUNT_FOURTH and after; NULL: not counted */
} level_words;

/* Makes run->scratch; the graph has `parts` then, and those of `parts_in` (with GRAPH_IN) unless that is 0. Hops and
 * parents have room for so many rows. */
nf_status levels_open_rows(nf__run *run, unsigned parts, unsigned parts_in, uint64_t rows, levels **out);
nf_status levels_open(nf__run *run, unsigned parts, unsigned parts_in, levels **out); /* for one row */
void levels_end(nf__run *run);
/* The search goes over the copy from now on: sources and targets are renamed; results are not. */
nf_status levels_relabel(levels *l, const device_relabelled *r);
/* An array that goes with the search. */
nf_status levels_alloc_bytes(levels *l, uint64_t count, size_t size, void **out);
/* Uploads sources to l->sources. */
nf_status levels_sources(levels *l, const nf_vid *sources, uint64_t count);
/* Clears hop, parent and state of so many rows. */
nf_status levels_clear(levels *l, bool parents, uint64_t rows);
/* Both for one row, and starts at its sources. */
nf_status levels_start(levels *l, const nf__row *row);
/* A line for each level and one with the totals, for those who listen. */
nf_status levels_report(levels *l, const level_state *end, const level_words *words);
/* Waits; what happened into *end and the log. */
nf_status levels_wait(levels *l, const level_words *words, level_state *end);
/* Waits; results and counters into the row, what happened into the log. */
nf_status levels_finish(levels *l, nf__row *row, const level_words *words);
/* Can `level` levels be, of which the last left `found` vertices? */
nf_status levels_check(const levels *l, unsigned level, uint64_t found);
/* levels_check, and hops and parents into the row. */
nf_status levels_results(levels *l, nf__row *row, unsigned level, uint64_t found);
nf_status levels_download(levels *l, nf__row *row, const uint32_t *hop, const uint32_t *parent);

/* The power of two next below the mean degree, at most 32: with so many lanes a mean list is done in a step or two. */
unsigned levels_mean_width(const nf__run *run);

/* Threads of a block for so many items: whole warps, at least two of them where the device has them. */
static inline unsigned levels_block(const levels *l, uint64_t items)
{
    return items >= l->block || l->block <= 64 ? l->block : items <= 64 ? 64 : ((unsigned)items + 31) / 32 * 32;
}

template <typename T> static inline nf_status levels_alloc(levels *l, uint64_t count, T **out)
{
    void *p = NULL;
    const nf_status st = levels_alloc_bytes(l, count, sizeof(T), &p);
    *out = static_cast<T *>(p);
    return st;
}

/* One cooperative launch, unless no level is asked for: as many threads as there are items in the largest level, all
 * resident at once. */
template <class M>
static inline nf_status levels_launch(levels *l, void (*kernel)(const level_search, const M), const M &m,
                                      uint64_t items)
{
    nf_status st = NF_OK;
    const unsigned block = levels_block(l, items), wanted = device_grid(items, block, 1);
    unsigned blocks = 1;
    if (l->s.most == 0)
        return NF_OK;
    NF_TRY(device_resident_blocks(l->d, (const void *)kernel, (int)block, 0, &blocks));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH_GRID(kernel, wanted < blocks ? wanted : blocks, block, 0, l->d->stream, l->s, m));
done:
    return st;
}

/* A whole row of a method that needs no more than its kernel. */
template <class M>
static inline nf_status levels_row(levels *l, nf__row *row, void (*kernel)(const level_search, const M), const M &m,
                                   uint64_t items, const level_words *words)
{
    nf_status st = NF_OK;
    NF_TRY(levels_start(l, row));
    NF_TRY(levels_launch(l, kernel, m, items));
    NF_TRY(levels_finish(l, row, words));
done:
    return st;
}

/* A method whose level is one sweep, make_level(s, m, level, more), by all threads, which count into `more`. */
template <class M>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    sweep_levels(const __grid_constant__ level_search s, const __grid_constant__ M m)
{
    SIMT_SHARED(level_share, share, 1);
    unsigned level = s.from;
    level_open(share);
    for (; level_begin(s, share, level); level++) {
        if (level_is_leader())
            level_lead(s, level, 0);
        __syncwarp();
        make_level(s, m, level, &share->more);
        level_hand(share, level_slot_of(s, level + 1));
        simt_grid_sync();
    }
    if (level_is_leader())
        level_end(s, level);
}

} /* namespace SIMT_FLAVOUR */

#endif
