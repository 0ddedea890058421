/* bfs_4k.cu - breadth-first search as BFS-4K does it (`bfs-4k`): Busato and Bombieri, "BFS-4K: an efficient
 * implementation of BFS for Kepler GPU architectures", 2015. Every part can be switched off by a knob.
 *
 * Kernels take turns. While the frontier has at most F_Threshold = K5 * threads vertices, one block keeps it in shared
 * memory and goes from level to level by itself; larger ones are visited by a cluster of blocks, and the largest by the
 * multi-block kernel, in blocks of K6 threads. In all, a frontier of fewer than threads / K4 vertices is visited by
 * edges (edge-discover), a larger one by virtual warps; the longest lists go to child kernels (bfs_4k_child.cu), or are
 * cut into parts for all warps (bfs_4k_wide.cuh); what is found passes hash64 and local queues on its way to the next
 * frontier (bfs_4k.cuh), or is swept together.
 *
 * Where the port departs from the paper, and why
 *   - Local queues lie in shared memory, not in registers: a register array with an index known at run time is put into
 *     local memory by today's compilers, and a block may have far more than Kepler's 48 KB.
 *   - Warps no longer run in lock step: hash64's write and read are parted by __syncwarp. Banks are 4 bytes wide again;
 *     a 64-bit word is still read and written in one piece, which is all that hash64 needs.
 *   - Nobody on the device can wait for a child kernel any more, and launching a thousand of them takes a millisecond:
 *     unless children=launch asks for kernels, the rows that K2 picks are cut into parts of K3 arcs a lane, which all
 *     warps take when the level's other rows are done. With kernels, levels are driven by the host, at most 1,024
 *     children each; a child has at least one full block, so lists of fewer than K3 * K6 arcs never go to one. Either
 *     way the single-block kernel leaves a frontier that holds such a row to the others.
 *   - Levels pass a barrier of the whole grid inside one cooperative launch (sync=grid): that costs less than a launch.
 *     The paper's inter-block barrier was written by hand, CUDA has one now. It takes 2.2 us with eight blocks on each
 *     multiprocessor and 1 us with two: K6 is 1,024, not 128. Changing kernels does cost a launch and a look by the
 *     host, so the grid keeps a frontier that has fallen below a threshold until it is half of that.
 *   - Between one block and all of them there are clusters now, whose barrier takes 0.2 us: frontiers of up to two
 *     vertices a thread are one cluster's (cluster=0: nobody's), the smallest ones included: one block saves less than
 *     it costs to change kernels (H200, a road network: 2.46 ms with it, 2.23 without). Where K5 asks for it all the
 *     same it has 256 threads, not 1,024.
 *   - An atomic is no longer dear: each row is taken once, by a bit for each vertex (once=1), so that duplicates which
 *     hash64 misses cost no second walk, and breed none.
 *   - Memory is read at 4 TB/s: where a level looks at a good part of the vertices, the next frontier is swept from all
 *     labels, in order (sweep=auto), instead of being queued.
 *   - A frontier visited by edges is shared by all warps, not by those of its first 32 vertices each.
 *   - The width of virtual warps follows from the four arcs that a thread has under way, and from the mean alone where
 *     long rows are cut: K1 is the power of two from mean / 4 up.
 *   - Above a mean of eight the single block's levels take longer than a launch: K5 is 0 there, too.
 *   - The shortest queue of a warp is found by one instruction (sm_80 and later), not by five shuffles.
 *   - K7 counts vertices a queue holds in the mean of its warp; the paper does not say what it compares.
 *   - Each thread has four arcs under way: today's memory wants more loads in flight than a thread's next one.
 *   - The paper does not say what happens when duplicates fill a queue: here it becomes a bitmap and a queue again.
 * Speed, part by part: docs/results/bfs-h200.md.
 *
 * Invariants: K1 to K3 of bfs_4k.h, V1 to V5 of bfs_4k.cuh, P1 and P2 of bfs_4k_wide.cuh.
 * Cost: O(n + m), one look at every arc out of a reached vertex; with once=0 those of duplicates hash64 missed again.
 * On the device 8 n bytes for queues, 4 n for levels, n / 4 for bits, 4 n for parents, 4 n more under census; for
 * parts m / (4 K3) and 8 for each row that is cut.
 */
#include "gpu/algorithms.h"
#include "gpu/bfs_4k_wide.cuh"

namespace SIMT_FLAVOUR
{

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* How many sources there are, from levels_start. One thread. */
static __global__ void first_level_kernel(const level_state *from, ledger4k *to)
{
    to->slots[0].count = from->slots[0].found;
}

/* Has the block's frontier a vertex for children? All threads. */
template <class Off>
static __device__ __forceinline__ bool is_heavy(const search4k<Off> &g, const uint32_t *from, word64 count)
{
    int heavy = 0;
    if (g.k.child_degree == UINT32_MAX)
        return false;
    for (word64 i = threadIdx.x; i < count; i += blockDim.x)
        heavy |= g.off[from[i] + 1] - g.off[from[i]] > g.k.child_degree;
    return __syncthreads_or(heavy) != 0;
}

/* Levels by one block, frontiers in shared memory, while they fit; what it leaves is in queue 1 - front. */
template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    single_block_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    SIMT_SHARED(slot4k, slots, 3);
    work4k w = {open_desk(g.one, memory), NULL, NULL, g.queue[1 - front], g.one.front, 0, 0, 0, false, false};
    const crew4k c = {simt_warp(), blockDim.x / 32};
    unsigned now = 0;
    bool heavy = false;
    if (threadIdx.x < 3)
        slots[threadIdx.x] = g.st->slots[threadIdx.x];
    __syncthreads();
    for (word64 i = threadIdx.x; i < slots[level % 3].count; i += blockDim.x)
        w.d.front[i] = g.queue[front][i];
    __syncthreads();
    for (;; now = 1 - now, level++) {
        const word64 count = slots[level % 3].count;
        if (count == 0 || count > w.cap || slots[level % 3].stop != 0)
            break;
        heavy = is_heavy(g, w.d.front + now * w.cap, count);
        if (heavy)
            break;
        const unsigned width = choose_width(g.k, count, blockDim.x);
        w.next = &slots[(level + 1) % 3];
        w.near = w.d.front + (1 - now) * w.cap;
        w.level = level + 1;
        w.distinct = slots[level % 3].distinct != 0;
        if (leads())
            lead_level(g, slots, level, KERNEL_SINGLE, width, false);
        __syncwarp();
        visit_frontier<no_children>(g, w, c, w.d.front + now * w.cap, count, width, blockDim.x);
        close_level(g, w);
    }
    for (word64 i = threadIdx.x; i < slots[level % 3].count && i < w.cap; i += blockDim.x)
        w.far[i] = w.d.front[now * w.cap + i];
    if (threadIdx.x < 3)
        g.st->slots[threadIdx.x] = slots[threadIdx.x];
    if (threadIdx.x == 0) {
        g.st->level = level;
        g.st->front = (unsigned)(1 - front);
        g.st->heavy = heavy;
    }
    close_desk(g, w);
}

/* One level by many blocks: first all rows but the longest, then the parts of these, then the sweep; a launch each. */
template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    multi_block_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    work4k w = {open_desk(g.many, memory), NULL, NULL, NULL, 0, 0, 0, 0, false, false};
    visit_level<shared_children>(g, w, level, front, KERNEL_MULTI);
    close_level(g, w);
    close_desk(g, w);
}

template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    parts_4k_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front, bool swept)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    slot4k *const next = &g.st->slots[(level + 1) % 3];
    work4k w = {open_desk(g.many, memory), next, NULL, g.queue[1 - front], 0, level + 1, 0, 0, false, swept};
    visit_parts(g, w, crew_of_grid());
    close_level(g, w);
    close_desk(g, w);
}

template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    next_front_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    slot4k *const next = &g.st->slots[(level + 1) % 3];
    work4k w = {open_desk(g.many, memory), next, NULL, g.queue[1 - front], 0, level + 1, 0, 0, false, true};
    sweep_levels_4k(g, w, crew_of_grid());
}

/* A full queue, all n places of it, into the bitmap (K2). */
template <class Off> static __device__ void settle_mark(const search4k<Off> &g, slot4k *s, int queue)
{
    const word64 stride = (word64)gridDim.x * blockDim.x;
    for (word64 i = (word64)blockIdx.x * blockDim.x + threadIdx.x; i < g.s.out.n; i += stride) {
        const uint32_t v = g.queue[queue][i];
        (void)atomicOr(&g.bitmap[v >> 5], 1u << (v & 31));
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s->count = 0;
        g.st->spills++;
    }
}

/* And back, once each; the bitmap is left empty. */
template <class Off> static __device__ void settle_sweep(const search4k<Off> &g, slot4k *s, int queue)
{
    const uint32_t words = (g.s.out.n - 1) / 32 + 1;
    const word64 stride = (word64)gridDim.x * blockDim.x;
    for (word64 base = (word64)blockIdx.x * blockDim.x + simt_warp() * 32; base < words; base += stride) {
        const word64 i = base + simt_lane();
        uint32_t bits = i < words ? g.bitmap[i] : 0;
        word64 place = warp_reserve((word64)__popc(bits), &s->count);
        if (bits != 0)
            g.bitmap[i] = 0;
        for (; bits != 0; bits &= bits - 1)
            g.queue[queue][place++] = (uint32_t)i * 32 + (uint32_t)__ffs((int)bits) - 1;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        s->over = 0;
}

template <class Off>
static __global__ void mark_4k_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int queue)
{
    settle_mark(g, &g.st->slots[level % 3], queue);
}

template <class Off>
static __global__ void sweep_4k_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int queue)
{
    settle_sweep(g, &g.st->slots[level % 3], queue);
}

/* Who meets between levels. */
struct whole_grid {
    static __device__ __forceinline__ void meet()
    {
        simt_grid_sync();
    }
};

struct one_cluster {
    static __device__ __forceinline__ void meet()
    {
        simt_cluster_sync();
    }
};

/* A level by the blocks that meet, to its end. */
template <class S, class Off>
static __device__ __forceinline__ void make_level_4k(const search4k<Off> &g, work4k &w, unsigned level, int front,
                                                     int kernel)
{
    visit_level<shared_children>(g, w, level, front, kernel);
    if (g.k.parts) {
        S::meet();
        visit_parts(g, w, crew_of_grid());
    }
    if (w.quiet) {
        S::meet();
        sweep_levels_4k(g, w, crew_of_grid());
    } else
        close_level(g, w);
    S::meet();
    if (w.next->over == 0)
        return;
    settle_mark(g, w.next, 1 - front);
    S::meet();
    settle_sweep(g, w.next, 1 - front);
    S::meet();
}

/* Levels by all blocks of a launch, one at least, while frontiers are above `low` and up to `high`. */
template <class S, class Off>
static __device__ __forceinline__ void go_levels(const search4k<Off> &g, work4k &w, unsigned level, int front,
                                                 int kernel, word64 low, word64 high)
{
    const unsigned first = level;
    for (;; front = 1 - front, level++) {
        const slot4k *const s = &g.st->slots[level % 3];
        if (s->count == 0 || s->count > high || s->stop != 0 || (s->count <= low && level != first))
            break;
        make_level_4k<S>(g, w, level, front, kernel);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        g.st->level = level;
        g.st->front = (unsigned)front;
    }
    close_desk(g, w);
}

/* With barriers of the grid: launched cooperatively, for a frontier that is too large for the others. */
template <class Off>
static __global__ void __launch_bounds__(MOST_THREADS)
    grid_levels_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    work4k w = {open_desk(g.many, memory), NULL, NULL, NULL, 0, 0, 0, 0, false, false};
    go_levels<whole_grid>(g, w, level, front, KERNEL_MULTI, (g.few_front != 0 ? g.few_front : g.one.front) / 2, ~0ull);
}

/* One cluster, launched alone. */
template <class Off>
static __global__ void __launch_bounds__(FEW_THREADS)
    cluster_levels_kernel(const __grid_constant__ search4k<Off> g, unsigned level, int front)
{
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    work4k w = {open_desk(g.few, memory), NULL, NULL, NULL, 0, 0, 0, 0, false, false};
    go_levels<one_cluster>(g, w, level, front, KERNEL_CLUSTER, g.one.front / 2, g.few_front);
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

/* Kept in levels.own. */
typedef struct visit4k {
    plan4k p;
    unsigned grid; /* blocks of the multi-block kernel resident at once */
    uint32_t *queue[2], *bitmap, *taken, *stamp;
    part4k *parts;
    ledger4k *st, last;
    bool known; /* the host knows without asking what is in `last` */
    trace4k *ring;
} visit4k;

static inline const uint32_t *rows_of(const device_csr &c, const uint32_t *)
{
    return c.off32;
}

static inline const uint64_t *rows_of(const device_csr &c, const uint64_t *)
{
    return c.off64;
}

template <class Off> static search4k<Off> search_of(const levels *l)
{
    const visit4k *v = (const visit4k *)l->own;
    search4k<Off> g = {};
    g.off = rows_of(l->s.out, (const Off *)NULL);
    g.adj = l->s.out.adj;
    g.s = l->s;
    g.queue[0] = v->queue[0];
    g.queue[1] = v->queue[1];
    g.bitmap = v->bitmap;
    g.taken = v->taken;
    g.parts = v->parts;
    g.stamp = v->stamp;
    g.st = v->st;
    g.ring = v->ring;
    g.k = v->p.k;
    g.one = v->p.one;
    g.few = v->p.few;
    g.many = v->p.many;
    g.few_front = v->p.few_front;
    return g;
}

/* A level by kernels of one level, which leave where the search is to the host. */
template <class Off>
static cudaError_t launch_level(visit4k *v, cudaStream_t stream, const search4k<Off> &g, unsigned level, int front)
{
    const plan4k *p = &v->p;
    const uint64_t count = v->last.slots[level % 3].count;
    const unsigned wanted = device_grid(count * 32, p->block, 1), grid = wanted < v->grid ? wanted : v->grid;
    const bool swept = count >= p->k.sweep;
    v->last.level = level + 1;
    v->last.front = (unsigned)(1 - front);
    if (p->launched)
        return launch_4k_children(grid, p->block, stream, g, level, front);
    cudaError_t e = SIMT_LAUNCH(multi_block_kernel<Off>, grid, p->block, p->many.bytes, stream, g, level, front);
    if (e == cudaSuccess && p->k.parts)
        e = SIMT_LAUNCH(parts_4k_kernel<Off>, v->grid, p->block, p->many.bytes, stream, g, level, front, swept);
    if (e == cudaSuccess && swept)
        e = SIMT_LAUNCH(next_front_kernel<Off>, v->grid, p->block, p->many.bytes, stream, g, level, front);
    return e;
}

/* The kernel that the frontier asks for; all but those of one level go on for many levels. */
template <class Off>
static cudaError_t launch_levels(visit4k *v, cudaStream_t stream, const search4k<Off> &g, unsigned level, int front)
{
    const plan4k *p = &v->p;
    const uint64_t count = v->last.slots[level % 3].count;
    if (count <= p->one.front && v->last.heavy == 0)
        return SIMT_LAUNCH(single_block_kernel<Off>, 1, p->one_block, p->one.bytes, stream, g, level, front);
    if (count <= p->few_front)
        return SIMT_LAUNCH_CLUSTER(cluster_levels_kernel<Off>, p->cluster, p->cluster, p->few_block, p->few.bytes,
                                   stream, g, level, front);
    if (p->by_grid)
        return SIMT_LAUNCH_GRID(grid_levels_kernel<Off>, v->grid, p->block, p->many.bytes, stream, g, level, front);
    return launch_level(v, stream, g, level, front);
}

/* After a launch: where the search is. A kernel of one level leaves that to the host. */
static nf_status read_ledger(levels *l, visit4k *v)
{
    nf_status st = NF_OK;
    const unsigned level = v->last.level, front = v->last.front;
    NF_TRY(device_download(l->d, &v->last, v->st, sizeof v->last));
    if (v->last.level < level) {
        v->last.level = level;
        v->last.front = front;
    }
done:
    return st;
}

/* A full queue is settled (K2). */
template <class Off> static nf_status settle(levels *l, visit4k *v, const search4k<Off> &g)
{
    nf_status st = NF_OK;
    const unsigned level = v->last.level;
    const int queue = (int)v->last.front;
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(mark_4k_kernel<Off>, v->grid, v->p.block, 0, l->d->stream, g, level, queue));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(sweep_4k_kernel<Off>, v->grid, v->p.block, 0, l->d->stream, g, level, queue));
    NF_TRY(read_ledger(l, v));
done:
    return st;
}

template <class Off> static nf_status visit_levels(levels *l, visit4k *v)
{
    nf_status st = NF_OK;
    const search4k<Off> g = search_of<Off>(l);
    const slot4k *now = NULL;
    for (;; v->known = false) {
        if (!v->known)
            NF_TRY(read_ledger(l, v));
        now = &v->last.slots[v->last.level % 3];
        if (now->over != 0)
            NF_TRY(settle(l, v, g));
        if (now->count == 0 || now->stop != 0 || l->s.most == 0)
            break;
        NF_TRY_CUDA(l->d, launch_levels(v, l->d->stream, g, v->last.level, (int)v->last.front));
        NF_TRY(device_finish(l->d, "bfs", 0));
        l->d->shared->progress = v->last.level;
    }
done:
    return st;
}

/* The largest cluster that the device has; 0: none. */
template <class Off> static nf_status find_cluster(device *d, const plan4k *p, unsigned *out)
{
    nf_status st = NF_OK;
    *out = 0;
    for (unsigned size = MOST_FEW; size > 1 && *out == 0 && d->capability >= 90; size /= 2) {
        const void *kernel = (const void *)cluster_levels_kernel<Off>;
        device_fit *fit = device_fit_of(d, kernel, (int)p->few_block, p->few.bytes, size);
        if (fit->many < 0)
            NF_TRY_CUDA(d, simt_max_clusters(&fit->many, cluster_levels_kernel<Off>, size, (int)p->few_block,
                                             p->few.bytes));
        if (fit->many > 0)
            *out = size;
    }
done:
    return st;
}

/* What the kernels need of the device: shared memory, and how many blocks there may be. */
template <class Off> static nf_status prepare_kernels(nf__run *run, device *d, visit4k *v)
{
    nf_status st = NF_OK;
    unsigned cluster = 0;
    NF_TRY(find_cluster<Off>(d, &v->p, &cluster));
    NF_TRY(plan_4k_clusters(run, d, cluster, &v->p));
    NF_TRY_CUDA(d, cudaFuncSetAttribute((const void *)single_block_kernel<Off>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)v->p.one.bytes));
    NF_TRY(
        device_resident_blocks(d, (const void *)grid_levels_kernel<Off>, (int)v->p.block, v->p.many.bytes, &v->grid));
    v->p.k.resident = v->grid * v->p.block;
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    levels *l = NULL;
    visit4k *v = NULL;
    NF_TRY(levels_open(run, GRAPH_TARGETS, 0, &l));
    NF_TRY_ALLOC(v, (visit4k *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *v));
    l->own = v;
    NF_TRY(plan_4k(run, l->d, &v->p));
    NF_TRY(l->s.out.off32 != NULL ? prepare_kernels<uint32_t>(run, l->d, v) : prepare_kernels<uint64_t>(run, l->d, v));
    NF_TRY(levels_alloc(l, n, &v->queue[0]));
    NF_TRY(levels_alloc(l, n, &v->queue[1]));
    NF_TRY(levels_alloc(l, (n + 31) / 32, &v->bitmap));
    NF_TRY(device_fill_bytes(l->d, v->bitmap, 0, (n + 31) / 32 * 4));
    NF_TRY(levels_alloc(l, (n + 31) / 32, &v->taken));
    if (v->p.k.parts)
        NF_TRY(levels_alloc(l, v->p.part_count, &v->parts));
    if (v->p.k.census)
        NF_TRY(levels_alloc(l, n, &v->stamp));
    NF_TRY(levels_alloc(l, 1, &v->st));
    NF_TRY(levels_alloc(l, RING_4K, &v->ring));
    l->s.first = v->queue[0];
    l->zero = v->taken;
    l->zeros = (n + 31) / 32;
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    levels *l = (levels *)run->scratch;
    visit4k *v = (visit4k *)l->own;
    memset(&v->last, 0, sizeof v->last);
    v->last.slots[0].count = 1;
    v->known = row->source_count == 1;
    NF_TRY(device_fill_bytes(l->d, v->st, 0, sizeof *v->st));
    if (v->stamp != NULL)
        NF_TRY(device_fill_bytes(l->d, v->stamp, 0xff, (uint64_t)run->csr.n * sizeof *v->stamp));
    NF_TRY(levels_start(l, row));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(first_level_kernel, 1, 1, 0, l->d->stream, l->s.st, v->st));
    NF_TRY(l->s.out.off32 != NULL ? visit_levels<uint32_t>(l, v) : visit_levels<uint64_t>(l, v));
    v->last.children += v->last.slots[v->last.level % 3].children; /* the others are added up one level later */
    v->last.parts += v->last.slots[v->last.level % 3].parts;
    row->iterations = v->last.level;
    row->edges_relaxed = v->last.arcs;
    NF_TRY(levels_results(l, row, v->last.level, v->last.slots[v->last.level % 3].count));
    NF_TRY(report_4k(run, l->d, &v->p, &v->last, v->ring));
done:
    return st;
}

extern const nf__algorithm bfs_4k = {
    .info = {.name = "bfs-4k",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "one block or many by turns, virtual warps or edges, child kernels, hash64; all switchable",
             .paper = "Busato, Bombieri 2015",
             .memory =
                 "on the device 12 n + n / 4, parents 4 n, census 4 n more; rows cut m / (4 k3) and 8 each; 336 KB",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs_4k,
             .knob_count = KNOBS_4K},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
