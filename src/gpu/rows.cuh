/* rows.cuh - many runs for shortest paths at once, a block for each source, for all pairs. (Graphs of short lists have
 * rounds over records of arcs: rows_mesh.cuh.)
 *
 * Method: concurrent SSSP (Ortega-Arranz et al. 2013, "A tuned, concurrent-kernel approach to speed up the APSP
 * problem"), without their streams: one launch, whose blocks stay and take the next source from a counter. Inside a
 * block: near-far (Davidson et al. 2014) over queues of the block's own; the arcs of a tile of the queue are laid side
 * by side, so that every thread has one whatever the degrees. Weights are not negative.
 * Invariants
 *   R1 label[v] only falls, by atomic minimum; whoever lowers it below the threshold puts v into the next queue, above
 *      it onto the pile, unless a bit says that it is there;
 *   R2 the bits of a queue are cleared, with a barrier after, before its vertices are relaxed: who lowers a label from
 *      then on lists it again. So queues and pile hold a vertex once, and n places do;
 *   R3 below the threshold every label outside the queue has been relaxed since it fell; the queue being empty, the
 *      threshold goes up to the least label of the pile plus delta. What is on the pile below the old one is stale;
 *   R4 integers are added within the bounds of scale (step_relax.cuh); a row that meets a key near the end of the range
 *      ends (ROW_HOT), and the host makes it again in 64 bits;
 *   R5 a tree is the deterministic one: breadth first over tight arcs, the least tight vertex of the hop before. All
 *      final labels have tight ways to the source: they are sums from it.
 * Cost: about that of near-far for each row, over the blocks that are resident. Memory on the device: for each of these
 * 16.25 n bytes, with parents 4 n more; for each row of a launch 4 n or 8 n, the distances, and with parents 4 n.
 */
#ifndef NF_GPU_ROWS_CUH
#define NF_GPU_ROWS_CUH

#include "gpu/device_graph.h"
#include "gpu/scan.cuh"
#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

enum { ROW_THREADS = 256 }; /* of a block at most */

#define LISTEN_ROUNDS 64u  /* a fifth of a millisecond of small rounds, */
#define LISTEN_ARCS 65536u /* or of large ones */

enum { ROW_INFINITE = 1, ROW_HOT = 2, ROW_CANCEL = 4, ROW_LOST = 8 };

/* weight_kind of whole weights of 64 bits, beside the targets. */
enum { WEIGHT_WHOLE = 16 };

typedef struct row_end {
    uint64_t arcs;
    uint32_t rounds, raised; /* raised: how often the threshold was */
    unsigned flags;          /* ROW_* */
} row_end;

/* A launch. */
template <class K> struct rows_job {
    device_csr g;
    scale<K> s;
    K bound;      /* keys above are not worth a place */
    double delta; /* in units of distance */
    uint32_t first, count;
    K *label;         /* count * n */
    uint32_t *parent; /* count * n; or NULL */
    row_end *end;     /* count */
    uint32_t *queue;  /* 4 n a block: two queues, two halves of the pile */
    uint32_t *bits;   /* of the next queue and of the pile, n bits each, a block */
    uint32_t *hop;    /* with parents: n a block */
    unsigned *next;   /* the next row to be taken */
    control *shared;
};

/* A block's shared memory. */
template <class K> struct rows_share {
    word64 first[ROW_THREADS]; /* of each vertex of a tile: its first arc, */
    word64 place[ROW_THREADS]; /* where its arcs begin among those of all, */
    K key[ROW_THREADS];
    uint32_t from[ROW_THREADS];
    word64 scan[SCAN_SCRATCH];
    K least;
    unsigned next, far, row; /* lengths, and the row */
    row_end end;
    uint64_t heard; /* arcs at the latest look at the host's word */
};

/* A row as the threads of its block see it. */
template <class K> struct row_state {
    K *label;
    uint32_t *queue, *next;     /* of this round and the next */
    uint32_t *pile, *kept;      /* kept: what a split leaves */
    uint32_t *in_next, *in_far; /* bits */
    K threshold;
};

static __device__ __forceinline__ void row_swap(uint32_t *&a, uint32_t *&b)
{
    uint32_t *const c = a;
    a = b;
    b = c;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

template <class K> static __device__ __forceinline__ arc_data row_arc(const rows_job<K> &j, uint64_t e)
{
    arc_data c;
    if (j.s.weights != WEIGHT_WHOLE) {
        load_weighted_from(j.s, j.g.adj, j.g.pairs, j.g.weight, e, &c);
        return c;
    }
    c.v = __ldg(&j.g.adj[e]);
    c.w = (word64)__double_as_longlong(__ldg(&j.g.weight[e]));
    return c;
}

template <class K> static __device__ __forceinline__ int row_sum(const scale<K> &s, K key, word64 w, K *sum)
{
    if (s.weights != WEIGHT_WHOLE)
        return add_weight(s, key, w, sum);
    *sum = key + (K)w;
    return (K)(key - s.low) > s.span ? SUM_HOT : SUM_OK;
}

static __device__ __forceinline__ uint32_t real_above(uint32_t key, double delta)
{
    return key_of(real_of(key) + (float)delta);
}

static __device__ __forceinline__ word64 real_above(word64 key, double delta)
{
    return key_of(real_of(key) + delta);
}

/* A threshold that is above a key by delta, and by something at least (R3). */
template <class K> static __device__ __forceinline__ K threshold_above(const rows_job<K> &j, K key)
{
    K up;
    if (j.s.real)
        up = real_above(key, j.delta);
    else
        up = j.delta < (double)(j.s.infinity - key) ? (K)(key + (K)j.delta) : j.s.infinity;
    up = up > key ? up : key + 1;
    return up < j.s.infinity ? up : j.s.infinity;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Sets the bit of v; was it clear? */
static __device__ __forceinline__ bool row_enter(uint32_t *bits, uint32_t v)
{
    const uint32_t bit = 1u << v % 32;
    return (simt_load_relaxed(&bits[v / 32]) & bit) == 0 && (atomicOr(&bits[v / 32], bit) & bit) == 0;
}

static __device__ __forceinline__ void row_leave(uint32_t *bits, uint32_t v)
{
    (void)atomicAnd(&bits[v / 32], ~(1u << v % 32));
}

/* ---- arcs of a tile ---------------------------------------------------------------------------------------------- */

/* Lays the arcs of at most blockDim.x vertices side by side; how many. All threads. */
template <class K>
static __device__ word64 rows_lay(const rows_job<K> &j, rows_share<K> *sh, const K *label, const uint32_t *queue,
                                  unsigned some)
{
    word64 begin = 0, end = 0, total;
    __syncthreads();
    if (threadIdx.x < some) {
        const uint32_t u = queue[threadIdx.x];
        begin = csr_offset(j.g, u);
        end = csr_offset(j.g, u + 1);
        sh->from[threadIdx.x] = u;
        sh->key[threadIdx.x] = simt_load_relaxed(&label[u]);
    }
    const word64 before = block_scan(end - begin, sh->scan, &total);
    if (threadIdx.x < some) {
        sh->first[threadIdx.x] = begin;
        sh->place[threadIdx.x] = before;
    }
    __syncthreads();
    return total;
}

/* ---- relaxing ---------------------------------------------------------------------------------------------------- */

/* Relaxes one arc (R1). *near, *far: its end is to be listed there. */
template <class K>
static __device__ __forceinline__ uint32_t relax_arc(const rows_job<K> &j, rows_share<K> *sh, const row_state<K> &r,
                                                     unsigned some, word64 at, bool *near, bool *far)
{
    const unsigned i = search_sorted(sh->place, some, at);
    const arc_data c = row_arc(j, sh->first[i] + (at - sh->place[i]));
    const K seen = simt_load_relaxed(&r.label[c.v]);
    K sum;
    const int how = row_sum(j.s, sh->key[i], c.w, &sum);
    if (how != SUM_OK)
        (void)atomicOr(&sh->end.flags, (unsigned)(how == SUM_HOT ? ROW_HOT : ROW_INFINITE));
    else if (sum < seen && sum <= j.bound && atomicMin(&r.label[c.v], sum) > sum) {
        *near = sum < r.threshold && row_enter(r.in_next, c.v);
        *far = sum >= r.threshold && row_enter(r.in_far, c.v);
    }
    return c.v;
}

/* A round over the `count` vertices of the queue. All threads. */
template <class K>
static __device__ void relax_queue(const rows_job<K> &j, rows_share<K> *sh, const row_state<K> &r, unsigned count)
{
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        row_leave(r.in_next, r.queue[i]); /* R2: rows_lay begins with a barrier */
    for (unsigned from = 0; from < count; from += blockDim.x) {
        const unsigned some = count - from < blockDim.x ? count - from : blockDim.x;
        const word64 total = rows_lay(j, sh, r.label, r.queue + from, some);
        if (threadIdx.x == 0)
            sh->end.arcs += total;
        for (word64 base = simt_warp() * 32; base < total; base += blockDim.x) {
            const word64 at = base + simt_lane();
            bool near = false, far = false;
            uint32_t v = 0;
            if (at < total)
                v = relax_arc(j, sh, r, some, at, &near, &far);
            __syncwarp();
            warp_append(near, v, r.next, &sh->next);
            warp_append(far, v, r.pile, &sh->far);
        }
    }
    __syncthreads();
}

/* ---- the pile ---------------------------------------------------------------------------------------------------- */

/* The least label of the pile that is not stale, for all threads. */
template <class K>
static __device__ K least_of_pile(const rows_job<K> &j, rows_share<K> *sh, const row_state<K> &r, unsigned count)
{
    K least = j.s.infinity;
    if (threadIdx.x == 0)
        sh->least = least;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const K key = simt_load_relaxed(&r.label[r.pile[i]]);
        least = key >= r.threshold && key < least ? key : least;
    }
    __syncwarp();
    for (int step = 16; step != 0; step /= 2) {
        const K other = __shfl_xor_sync(WARP_ALL, least, step);
        least = other < least ? other : least;
    }
    if (simt_lane() == 0)
        (void)atomicMin(&sh->least, least);
    __syncthreads();
    return sh->least;
}

/* Moves what lies below the new threshold from the pile to the queue, drops what is stale, keeps the rest (R3). */
template <class K> static __device__ void split_pile(rows_share<K> *sh, row_state<K> &r, unsigned count, K old)
{
    const uint32_t *from = r.pile;
    if (threadIdx.x == 0)
        sh->far = sh->next = 0;
    __syncthreads();
    for (unsigned base = simt_warp() * 32; base < count; base += blockDim.x) {
        const unsigned i = base + simt_lane();
        const uint32_t v = i < count ? from[i] : 0;
        const K key = i < count ? simt_load_relaxed(&r.label[v]) : 0;
        const bool keep = i < count && key >= r.threshold;
        if (i < count && !keep)
            row_leave(r.in_far, v);
        __syncwarp();
        warp_append(i < count && key >= old && !keep, v, r.queue, &sh->next);
        warp_append(keep, v, r.kept, &sh->far);
    }
    row_swap(r.pile, r.kept);
    __syncthreads();
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

template <class K> static __device__ row_state<K> row_arrays(const rows_job<K> &j, unsigned row)
{
    const uint64_t n = j.g.n, words = (n + 31) / 32;
    row_state<K> r;
    r.label = j.label + row * n;
    r.queue = j.queue + (uint64_t)blockIdx.x * 4 * n;
    r.next = r.queue + n;
    r.pile = r.next + n;
    r.kept = r.pile + n;
    r.in_next = j.bits + (uint64_t)blockIdx.x * 2 * words;
    r.in_far = r.in_next + words;
    r.threshold = threshold_above(j, j.s.zero);
    return r;
}

/* Labels, bits and the queue before the first round. */
template <class K>
static __device__ void begin_row(const rows_job<K> &j, rows_share<K> *sh, const row_state<K> &r, uint32_t source)
{
    const row_end none = {0, 0, 0, 0};
    for (uint32_t v = threadIdx.x; v < j.g.n; v += blockDim.x)
        simt_store_relaxed(&r.label[v], j.s.infinity);
    for (uint32_t i = threadIdx.x; i < (j.g.n + 31) / 32; i += blockDim.x)
        r.in_next[i] = r.in_far[i] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        simt_store_relaxed(&r.label[source], j.s.zero);
        r.queue[0] = source;
        sh->next = sh->far = 0;
        sh->end = none;
        sh->heard = 0;
    }
    __syncthreads();
}

/* A look at the host's word now and then: it lies on the other side of the bus. */
template <class K> static __device__ void listen(const rows_job<K> &j, rows_share<K> *sh)
{
    if (sh->end.rounds % LISTEN_ROUNDS != 0 && sh->end.arcs - sh->heard < LISTEN_ARCS)
        return;
    sh->heard = sh->end.arcs;
    if (simt_load_relaxed(&j.shared->cancel) != 0)
        sh->end.flags |= (unsigned)ROW_CANCEL;
}

/* Rounds until the queue is empty; false if the row is not to go on. */
template <class K>
static __device__ bool settle_queue(const rows_job<K> &j, rows_share<K> *sh, row_state<K> &r, unsigned count)
{
    while (count > 0) {
        relax_queue(j, sh, r, count);
        count = sh->next;
        row_swap(r.queue, r.next);
        __syncthreads();
        if (threadIdx.x == 0) {
            sh->next = 0;
            sh->end.rounds++;
            listen(j, sh);
        }
        __syncthreads();
        if ((sh->end.flags & (ROW_HOT | ROW_CANCEL)) != 0)
            return false;
    }
    return true;
}

/* Final labels; false if it did not come to that. */
template <class K>
static __device__ bool settle_row(const rows_job<K> &j, rows_share<K> *sh, row_state<K> &r, uint32_t source)
{
    unsigned count = 1;
    begin_row(j, sh, r, source);
    for (;;) {
        if (!settle_queue(j, sh, r, count))
            return false;
        const unsigned piled = sh->far;
        const K old = r.threshold, least = least_of_pile(j, sh, r, piled);
        if (least == j.s.infinity)
            return true;
        r.threshold = threshold_above(j, least);
        split_pile(sh, r, piled, old);
        count = sh->next;
        __syncthreads();
        if (threadIdx.x == 0) {
            sh->next = 0;
            sh->end.raised++;
        }
        __syncthreads();
    }
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Looks at one arc out of hop `level` (R5). Is its end new? */
template <class K>
static __device__ __forceinline__ bool tree_arc(const rows_job<K> &j, const rows_share<K> *sh, const K *label,
                                                uint32_t *hop, uint32_t *parent, unsigned some, word64 at,
                                                uint32_t level, uint32_t *v)
{
    const unsigned i = search_sorted(sh->place, some, at);
    const arc_data c = row_arc(j, sh->first[i] + (at - sh->place[i]));
    uint32_t there = simt_load_relaxed(&hop[c.v]);
    K sum;
    *v = c.v;
    if (there <= level || row_sum(j.s, sh->key[i], c.w, &sum) != SUM_OK || sum != simt_load_relaxed(&label[c.v]))
        return false;
    if (there == NF_NO_VERTEX)
        there = atomicCAS(&hop[c.v], NF_NO_VERTEX, level + 1);
    (void)atomicMin(&parent[c.v], sh->from[i]);
    return there == NF_NO_VERTEX;
}

template <class K>
static __device__ void grow_row(const rows_job<K> &j, rows_share<K> *sh, row_state<K> &r, uint32_t source,
                                uint32_t *parent)
{
    uint32_t *hop = j.hop + (uint64_t)blockIdx.x * j.g.n;
    unsigned count = 1;
    for (uint32_t v = threadIdx.x; v < j.g.n; v += blockDim.x) {
        simt_store_relaxed(&hop[v], v == source ? 0u : NF_NO_VERTEX);
        simt_store_relaxed(&parent[v], v == source ? source : NF_NO_VERTEX);
    }
    if (threadIdx.x == 0) {
        r.queue[0] = source;
        sh->next = 0;
    }
    __syncthreads();
    for (uint32_t level = 0; count > 0; level++) {
        for (unsigned from = 0; from < count; from += blockDim.x) {
            const unsigned some = count - from < blockDim.x ? count - from : blockDim.x;
            const word64 total = rows_lay(j, sh, r.label, r.queue + from, some);
            for (word64 base = simt_warp() * 32; base < total; base += blockDim.x) {
                const word64 at = base + simt_lane();
                uint32_t v = 0;
                const bool fresh = at < total && tree_arc(j, sh, r.label, hop, parent, some, at, level, &v);
                __syncwarp();
                warp_append(fresh, v, r.next, &sh->next);
            }
        }
        __syncthreads();
        count = sh->next;
        row_swap(r.queue, r.next);
        __syncthreads();
        if (threadIdx.x == 0)
            sh->next = 0;
        __syncthreads();
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <class K>
static __global__ void __launch_bounds__(ROW_THREADS, 4) rows_kernel(const __grid_constant__ rows_job<K> j)
{
    SIMT_SHARED(rows_share<K>, sh, 1);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            sh->row = atomicAdd(j.next, 1u);
            simt_store_relaxed(&j.shared->progress, (uint64_t)j.first + sh->row);
        }
        __syncthreads();
        const unsigned row = sh->row;
        if (row >= j.count)
            return;
        row_state<K> r = row_arrays(j, row);
        const bool whole = settle_row(j, sh, r, j.first + row);
        if (whole && j.parent != NULL)
            grow_row(j, sh, r, j.first + row, j.parent + (uint64_t)row * j.g.n);
        if (threadIdx.x == 0)
            j.end[row] = sh->end;
    }
}

/* The tree of a row whose labels are final. j.queue: 2 n a block. All threads. */
template <class K>
static __device__ __forceinline__ void tree_of_row(const rows_job<K> &j, rows_share<K> *sh, unsigned row)
{
    const uint64_t n = j.g.n;
    row_state<K> r = {};
    r.label = j.label + row * n;
    r.queue = j.queue + (uint64_t)blockIdx.x * 2 * n;
    r.next = r.queue + n;
    __syncthreads();
    grow_row(j, sh, r, j.first + row, j.parent + row * n);
}

/* Trees of rows whose labels came without them. */
template <class K>
static __global__ void __launch_bounds__(ROW_THREADS, 4) grow_kernel(const __grid_constant__ rows_job<K> j)
{
    SIMT_SHARED(rows_share<K>, sh, 1);
    for (unsigned row = blockIdx.x; row < j.count; row += gridDim.x)
        tree_of_row(j, sh, row);
}

/* The same for labels that may be no sums from their source; j.end: ROW_LOST where one has no tight way to it, as
 * rounding may have it. */
template <class K>
static __global__ void __launch_bounds__(ROW_THREADS, 4) trees_kernel(const __grid_constant__ rows_job<K> j)
{
    SIMT_SHARED(rows_share<K>, sh, 1);
    for (unsigned row = blockIdx.x; row < j.count; row += gridDim.x) {
        const K *const label = j.label + (uint64_t)row * j.g.n;
        const uint32_t *const parent = j.parent + (uint64_t)row * j.g.n;
        int lost = 0;
        tree_of_row(j, sh, row);
        for (uint32_t v = threadIdx.x; v < j.g.n; v += blockDim.x)
            lost |= simt_load_relaxed(&parent[v]) == NF_NO_VERTEX && label[v] < j.s.infinity;
        lost = __syncthreads_or(lost);
        if (threadIdx.x == 0)
            j.end[row].flags = lost != 0 ? (unsigned)ROW_LOST : 0u;
    }
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

/* What rows are made over: the run's graph, or one with other weights. */
typedef struct rows_graph {
    device_csr g;
    nf__run view; /* the run with the type and statistics of these weights; no cutoff where it cannot be used */
    bool whole64; /* WEIGHT_WHOLE */
    const device_records *records; /* of the run's own graph: rows of 32-bit keys are made over them; or NULL */
    const void *potential;         /* n of the working type, on the device: rows are d'(s, v) - h(s) + h(v); or NULL */
    bool rounded;                  /* NF_INFO_ROUNDED */
    double delta;                  /* 0: from the statistics */
    unsigned threads;              /* of a block; 0: by what rows are made over */
} rows_graph;

/* The run's own graph, with weights that are not negative; asks for it. */
nf_status rows_graph_own(nf__run *run, rows_graph *x);
/* Makes all rows of the run, in order. */
nf_status rows_run(nf__run *run, const rows_graph *x);

#define ROWS_KNOB_COUNT 3
extern const nf_knob_info rows_knobs[ROWS_KNOB_COUNT];
#define ROWS_MEMORY                                                                                                  \
    "on the device 16.25 n for each resident block, with parents 20.25 n; for each row of a launch 16 n (distances " \
    "f32: 8 n), with parents 4 n more; the rows of two launches where there is room; over records of arcs 8.25 "     \
    "bytes for every four arcs beyond three of a list and each resident block; records, 32 n and more, stay"

} /* namespace SIMT_FLAVOUR */

#endif
