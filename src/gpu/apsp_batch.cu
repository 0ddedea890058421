/* apsp_batch.cu - all pairs of many small graphs, a block each, one launch for all (nf_apsp_batch on the device).
 *
 * Method: Floyd 1962, Warshall 1962. A thread keeps a tile of 4 x 4 cells in registers for the whole run; in step k
 * those that own them put row and column k into shared memory, in one of two places by turns, and after one barrier
 * everybody relaxes its tile from there.
 * Invariants
 *   B1 before step k a negative d[k][k] is the first trace of a negative cycle: without one, every cell is the length
 *      of a path and no larger than n weights. Integers end there; floats, where rounding may do it, leave it to the
 *      core, and so do parents that are no tree;
 *   B2 row and column k do not change in step k: what was put down serves the whole step;
 *   B3 what step k reads was put down before its barrier, and is written over after that of step k + 1 at the earliest;
 *   B4 the deterministic parents of a row: breadth first over tight arcs by a warp, sets of vertices as 64 bits. In
 *      floats a row whose tight arcs do not reach all keeps the parents of the loops.
 * Cost: n^3 / 16 relaxations a thread and n barriers; weights are read once, distances written once. Memory on the
 * device: weights, distances and parents of the graphs of a launch, 16 bytes a graph; in a block 2.2 KB of shared
 * memory, with parents 4 KB more, for deterministic ones 37 KB.
 */
#include "gpu/algorithms.h"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

enum {
    TILE = 4,
    LINE = NF_BATCH_SMALL, /* cells of a row */
    NOBODY = 255
};

typedef struct batch_job {
    nf__batch_graph *graphs;
    uint64_t first; /* the element that the arrays begin with */
    const void *weights;
    void *distances;
    uint32_t *parents;
    nf_type weight_type, out_type;
    bool deterministic;
    control *shared;
} batch_job;

/* A thread's part of the matrix. */
template <class S> struct batch_tile {
    S d[TILE][TILE];
    uint32_t p[TILE][TILE]; /* predecessors */
    unsigned row, col;      /* of its first cell */
    bool there;
};

/* Shared memory of a block. */
template <class S> struct batch_lines {
    S row[2][LINE], col[2][LINE];
    uint32_t pred[2][LINE];
    unsigned found, stop;
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

template <class S> struct cell {
    enum { REAL = 0 };
    static __device__ __forceinline__ S none(void)
    {
        return sizeof(S) == 4 ? (S)NF__BATCH_NONE_I32 : (S)NF__BATCH_NONE_I64;
    }
    static __device__ __forceinline__ bool is_none(S d)
    {
        return d > none() / 2;
    }
};

template <class S> struct real_cell {
    enum { REAL = 1 };
    static __device__ __forceinline__ S none(void)
    {
        return (S)INFINITY;
    }
    static __device__ __forceinline__ bool is_none(S d)
    {
        return d == none();
    }
};

template <> struct cell<float> : real_cell<float> {
};
template <> struct cell<double> : real_cell<double> {
};

template <class S, class T> static __device__ __forceinline__ S cell_from(T w, T no_arc)
{
    return w == no_arc ? cell<S>::none() : (S)w + (S)0; /* -0.0 becomes 0.0 */
}

/* The weight at place i of the launch. */
template <class S> static __device__ __forceinline__ S weight_at(const batch_job &j, uint64_t i)
{
    switch (j.weight_type) {
    case NF_I32: return cell_from<S, int32_t>(((const int32_t *)j.weights)[i], NF_UNREACHED_I32);
    case NF_U32: return cell_from<S, uint32_t>(((const uint32_t *)j.weights)[i], NF_UNREACHED_U32);
    case NF_F32: return cell_from<S, float>(((const float *)j.weights)[i], INFINITY);
    default: return cell_from<S, double>(((const double *)j.weights)[i], (double)INFINITY);
    }
}

template <class T>
static __device__ __forceinline__ unsigned put_integer(T *to, int64_t d, bool none, int64_t low, T no)
{
    *to = none ? no : (T)d;
    return none || (d >= low && (d < 0 || (uint64_t)d < (uint64_t)no)) ? NF__BATCH_DONE : NF__BATCH_OVERFLOW;
}

/* Hands a cell out; what is wrong with it. */
template <class S>
static __device__ __forceinline__ unsigned put_cell(const batch_job &j, uint64_t i, S d, bool diagonal)
{
    const bool none = cell<S>::is_none(d);
    if (cell<S>::REAL) {
        ((S *)j.distances)[i] = d;
        return d == -cell<S>::none() || (diagonal && d < 0) ? NF__BATCH_UNSURE : NF__BATCH_DONE;
    }
    switch (j.out_type) {
    case NF_I32: return put_integer((int32_t *)j.distances + i, (int64_t)d, none, INT32_MIN, NF_UNREACHED_I32);
    case NF_U32: return put_integer((uint32_t *)j.distances + i, (int64_t)d, none, 0, NF_UNREACHED_U32);
    case NF_U64: return put_integer((uint64_t *)j.distances + i, (int64_t)d, none, 0, NF_UNREACHED_U64);
    default: return put_integer((int64_t *)j.distances + i, (int64_t)d, none, INT64_MIN, NF_UNREACHED_I64);
    }
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

template <class S>
static __device__ __forceinline__ void load_tile(const batch_job &j, uint64_t at, unsigned n, batch_tile<S> *t)
{
#pragma unroll
    for (unsigned a = 0; a < TILE; a++)
#pragma unroll
        for (unsigned b = 0; b < TILE; b++) {
            const unsigned u = t->row + a, v = t->col + b;
            S d = t->there && u < n && v < n ? weight_at<S>(j, at + u * n + v) : cell<S>::none();
            t->p[a][b] = cell<S>::is_none(d) && u != v ? (uint32_t)NOBODY : u;
            if (u == v && !(d < 0))
                d = 0;
            t->d[a][b] = d;
        }
}

/* Row and column k = 4 * tile + c, from those who own them, for all. */
template <class S, bool PARENTS>
static __device__ __forceinline__ void put_lines(batch_lines<S> *l, const batch_tile<S> &t, unsigned k, unsigned c)
{
    const unsigned place = k % 2;
    if (t.there && t.row == k - c)
#pragma unroll
        for (unsigned b = 0; b < TILE; b++) {
            l->row[place][t.col + b] = t.d[c][b];
            if (PARENTS)
                l->pred[place][t.col + b] = t.p[c][b];
        }
    if (t.there && t.col == k - c)
#pragma unroll
        for (unsigned a = 0; a < TILE; a++)
            l->col[place][t.row + a] = t.d[a][c];
}

template <class S, bool PARENTS>
static __device__ __forceinline__ void relax_tile(const batch_lines<S> *l, batch_tile<S> *t, unsigned k)
{
    const S *row = l->row[k % 2] + t->col, *col = l->col[k % 2] + t->row;
    const uint32_t *pred = l->pred[k % 2] + t->col;
    if (!t->there)
        return;
#pragma unroll
    for (unsigned a = 0; a < TILE; a++)
#pragma unroll
        for (unsigned b = 0; b < TILE; b++) {
            const S sum = col[a] + row[b];
            if (PARENTS && sum < t->d[a][b])
                t->p[a][b] = pred[b];
            t->d[a][b] = sum < t->d[a][b] ? sum : t->d[a][b];
        }
}

/* False if there is a negative cycle, or in floats may be (B1); the same for all threads. */
template <class S, bool PARENTS>
static __device__ __forceinline__ bool close_matrix(batch_lines<S> *l, batch_tile<S> *t, unsigned n)
{
    for (unsigned tile = 0; tile < n; tile += TILE) {
#pragma unroll
        for (unsigned c = 0; c < TILE; c++) {
            const unsigned k = tile + c;
            if (k >= n)
                break;
            put_lines<S, PARENTS>(l, *t, k, c);
            __syncthreads();
            if (l->row[k % 2][k] < 0)
                return false;
            relax_tile<S, PARENTS>(l, t, k); /* B2, B3 */
        }
    }
    return true;
}

/* ---- parents ----------------------------------------------------------------------------------------------------- */

/* Who may come before v in a row: a bit each. */
template <class S>
static __device__ __forceinline__ uint64_t tight_set(const batch_job &j, uint64_t at, unsigned n, const S *row,
                                                     unsigned v)
{
    uint64_t set = 0;
    for (unsigned u = 0; v < n && u < n; u++) {
        const S w = weight_at<S>(j, at + u * n + v);
        if (!cell<S>::is_none(row[u]) && !cell<S>::is_none(w) && !cell<S>::is_none(row[v]) && row[u] + w == row[v])
            set |= (uint64_t)1 << u;
    }
    return set;
}

/* The sets of two vertices a lane, as one. All lanes. */
static __device__ __forceinline__ uint64_t warp_set(bool low, bool high)
{
    const uint64_t first = __ballot_sync(0xffffffffu, low);
    return first | (uint64_t)__ballot_sync(0xffffffffu, high) << 32;
}

/* B4 for the row of `source`, by a warp. */
template <class S>
static __device__ void grow_row(const batch_job &j, uint64_t at, unsigned n, const S *row, unsigned source,
                                unsigned char *pred)
{
    const unsigned v0 = simt_lane(), v1 = v0 + 32;
    const uint64_t set0 = tight_set(j, at, n, row, v0), set1 = tight_set(j, at, n, row, v1);
    const uint64_t all = warp_set(v0 < n && !cell<S>::is_none(row[v0]), v1 < n && !cell<S>::is_none(row[v1]));
    uint64_t front = (uint64_t)1 << source, seen = front;
    unsigned p0 = v0 == source ? source : (unsigned)NOBODY, p1 = v1 == source ? source : (unsigned)NOBODY;
    while (front != 0) {
        const uint64_t from0 = (seen >> v0 & 1) != 0 ? 0 : set0 & front,
                       from1 = (seen >> v1 & 1) != 0 ? 0 : set1 & front;
        if (from0 != 0)
            p0 = (unsigned)__ffsll((long long)from0) - 1;
        if (from1 != 0)
            p1 = (unsigned)__ffsll((long long)from1) - 1;
        front = warp_set(from0 != 0, from1 != 0);
        seen |= front;
    }
    if (seen == all && v0 < n)
        pred[v0] = (unsigned char)p0;
    if (seen == all && v1 < n)
        pred[v1] = (unsigned char)p1;
}

/* Does the chain of parents of v end at the source of its row? */
static __device__ __forceinline__ bool ends_well(const unsigned char *pred, unsigned n, unsigned source, unsigned v)
{
    unsigned steps = 0;
    if (pred[v] == NOBODY)
        return true;
    for (; v != source && steps < n; steps++) {
        v = pred[v];
        if (v == NOBODY)
            return false;
    }
    return v == source;
}

/* Parents of all rows, from the predecessors of the loops. All threads. */
template <class S>
static __device__ void put_parents(const batch_job &j, uint64_t at, unsigned n, const batch_tile<S> &t, S *rows,
                                   unsigned char *pred, unsigned *found)
{
#pragma unroll
    for (unsigned a = 0; a < TILE; a++)
#pragma unroll
        for (unsigned b = 0; b < TILE; b++) {
            const unsigned u = t.row + a, v = t.col + b;
            if (!t.there || u >= n || v >= n)
                continue;
            pred[u * n + v] = (unsigned char)(cell<S>::is_none(t.d[a][b]) ? (unsigned)NOBODY : t.p[a][b]);
            if (j.deterministic)
                rows[u * n + v] = t.d[a][b];
        }
    __syncthreads();
    if (j.deterministic) {
        for (unsigned u = simt_warp(); u < n; u += blockDim.x / 32)
            grow_row(j, at, n, rows + u * n, u, pred + u * n);
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < n * n; i += blockDim.x) {
        const unsigned u = i / n, v = i % n, p = pred[i];
        j.parents[at + i] = p == NOBODY ? NF_NO_VERTEX : p;
        if (!ends_well(pred + u * n, n, u, v))
            atomicMax(found, (unsigned)NF__BATCH_UNSURE);
    }
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

template <class S, bool PARENTS> static __global__ void __launch_bounds__(256) batch_kernel(batch_job j)
{
    SIMT_SHARED(batch_lines<S>, l, 1);
    SIMT_SHARED_DYNAMIC(unsigned char, memory); /* PARENTS: rows of cells, where they are wanted, and predecessors */
    const uint64_t at = j.graphs[blockIdx.x].at - j.first;
    const unsigned n = j.graphs[blockIdx.x].n, side = (n + TILE - 1) / TILE;
    batch_tile<S> t;
    t.row = threadIdx.x / side * TILE;
    t.col = threadIdx.x % side * TILE;
    t.there = threadIdx.x < side * side;
    if (threadIdx.x == 0) {
        l->found = NF__BATCH_DONE;
        l->stop = simt_load_relaxed(&j.shared->cancel);
    }
    __syncthreads();
    if (l->stop != 0)
        return;
    if (side * side > blockDim.x) { /* a device of small blocks */
        if (threadIdx.x == 0)
            j.graphs[blockIdx.x].found = NF__BATCH_UNSURE;
        return;
    }
    load_tile(j, at, n, &t);
    if (!close_matrix<S, PARENTS>(l, &t, n)) {
        if (threadIdx.x == 0)
            j.graphs[blockIdx.x].found = cell<S>::REAL ? NF__BATCH_UNSURE : NF__BATCH_CYCLE;
        return;
    }
    unsigned found = NF__BATCH_DONE;
#pragma unroll
    for (unsigned a = 0; a < TILE; a++)
#pragma unroll
        for (unsigned b = 0; b < TILE; b++)
            if (t.there && t.row + a < n && t.col + b < n)
                found |= put_cell(j, at + (t.row + a) * n + t.col + b, t.d[a][b], t.row + a == t.col + b);
    if (found != NF__BATCH_DONE)
        atomicMax(&l->found, found);
    if (PARENTS)
        put_parents(j, at, n, t, (S *)memory, memory + (j.deterministic ? n * n * sizeof(S) : 0), &l->found);
    __syncthreads();
    if (threadIdx.x == 0)
        j.graphs[blockIdx.x].found = l->found;
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct launch_plan {
    unsigned block;
    size_t shared;
} launch_plan;

/* What the largest of these graphs needs. */
static launch_plan plan_for(const device *d, const nf__batch *b, const nf__batch_graph *graphs, uint64_t count)
{
    unsigned n = 1;
    for (uint64_t i = 0; i < count; i++)
        n = graphs[i].n > n ? graphs[i].n : n;
    const unsigned side = (n + TILE - 1) / TILE;
    launch_plan p = {device_block(d, (side * side + 31) / 32 * 32), 0};
    if (b->parents != NULL)
        p.shared = (size_t)n * n * (1 + (b->deterministic ? nf_type_size(b->cell) : 0));
    return p;
}

template <class S>
static cudaError_t launch(const launch_plan &p, unsigned count, cudaStream_t stream, const batch_job &j)
{
    if (j.parents != NULL)
        return SIMT_LAUNCH((batch_kernel<S, true>), count, p.block, p.shared, stream, j);
    return SIMT_LAUNCH((batch_kernel<S, false>), count, p.block, p.shared, stream, j);
}

static cudaError_t launch_cells(nf_type cell_type, const launch_plan &p, unsigned count, cudaStream_t stream,
                                const batch_job &j)
{
    switch (cell_type) {
    case NF_I32: return launch<int32_t>(p, count, stream, j);
    case NF_I64: return launch<int64_t>(p, count, stream, j);
    case NF_F32: return launch<float>(p, count, stream, j);
    default: return launch<double>(p, count, stream, j);
    }
}

static uint64_t end_of(const nf__batch_graph *g)
{
    return g->at + (uint64_t)g->n * g->n;
}

static size_t bytes_a_cell(const nf__batch *b)
{
    return nf_type_size(b->weight_type) + nf_type_size(b->out_type) + (b->parents != NULL ? sizeof(uint32_t) : 0);
}

/* How many graphs, from `first` on, lie without a gap and take no more than `most` elements; one at least. */
static uint64_t stretch_of(const nf__batch *b, uint64_t first, uint64_t most)
{
    uint64_t i = first + 1;
    while (i < b->count && i - first < 0x7fffffffu && b->graphs[i].at == end_of(&b->graphs[i - 1])
           && end_of(&b->graphs[i]) - b->graphs[first].at <= most)
        i++;
    return i - first;
}

/* Elements of a launch: all, or what there is memory for. */
static nf_status choose_most(device *d, const nf__batch *b, uint64_t *most)
{
    nf_status st = NF_OK;
    uint64_t cells = end_of(&b->graphs[b->count - 1]) - b->graphs[0].at;
    const uint64_t least = (uint64_t)LINE * LINE;
    for (;; cells /= 2) {
        cells = cells > least ? cells : least;
        const uint64_t graphs = cells < b->count ? cells : b->count;
        st = device_foresee(d, cells * bytes_a_cell(b) + graphs * sizeof *b->graphs + 4096, "a batch");
        if (st != NF_EDEVMEM || cells == least)
            break;
    }
    *most = cells;
    return st;
}

static nf_status make_stretch(nf__run *run, nf__batch *b, nf__batch_graph *graphs, uint64_t count, const batch_job &j)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const uint64_t first = graphs[0].at, cells = end_of(&graphs[count - 1]) - first;
    const size_t in = nf_type_size(b->weight_type), out = nf_type_size(b->out_type);
    NF_TRY(device_upload(d, j.graphs, graphs, count * sizeof *graphs, NULL));
    NF_TRY(device_upload(d, (void *)j.weights, (const char *)b->weights + first * in, cells * in, NULL));
    NF_TRY(device_start(run));
    NF_TRY_CUDA(d, launch_cells(b->cell, plan_for(d, b, graphs, count), (unsigned)count, d->stream, j));
    NF_TRY(device_finish(d, "batch", 0));
    NF_TRY(device_results(run, graphs, j.graphs, count * sizeof *graphs));
    NF_TRY(device_results(run, (char *)b->distances + first * out, j.distances, cells * out));
    if (b->parents != NULL)
        NF_TRY(device_results(run, b->parents + first, j.parents, cells * sizeof *j.parents));
done:
    return st;
}

nf_status apsp_batch(nf_context *ctx, void *device_of, nf__batch *b)
{
    nf_status st = NF_OK;
    device *d = (device *)device_of;
    batch_job j = {};
    nf__run run = {}; /* for its clocks */
    void *weights = NULL;
    uint64_t most = 0, count = 0, longest = 0;
    run.ctx = ctx;
    run.device = d;
    j.weight_type = b->weight_type;
    j.out_type = b->out_type;
    j.deterministic = b->deterministic && b->parents != NULL;
    j.shared = d->shared_device;
    NF_TRY(device_enter(d));
    NF_TRY(choose_most(d, b, &most));
    for (uint64_t i = 0; i < b->count; i += count) {
        count = stretch_of(b, i, most);
        longest = count > longest ? count : longest;
    }
    NF_TRY(device_alloc(d, longest, &j.graphs));
    NF_TRY(device_alloc_bytes(d, most, nf_type_size(b->weight_type), &weights));
    NF_TRY(device_alloc_bytes(d, most, nf_type_size(b->out_type), &j.distances));
    if (b->parents != NULL)
        NF_TRY(device_alloc(d, most, &j.parents));
    j.weights = weights;
    for (uint64_t i = 0; i < b->count; i += count) {
        NF_TRY(nf__progress(ctx, "batch", i, b->count));
        count = stretch_of(b, i, most);
        j.first = b->graphs[i].at;
        nf__log(ctx, NF_LOG_DEBUG, "batch: a launch of %llu graphs", (unsigned long long)count);
        NF_TRY(make_stretch(&run, b, b->graphs + i, count, j));
    }
    b->device_ms = run.device_ms;
done:
    device_free(d, j.graphs);
    device_free(d, weights);
    device_free(d, j.distances);
    device_free(d, j.parents);
    return st;
}

} /* namespace SIMT_FLAVOUR */
