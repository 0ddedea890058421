/* apsp_min_plus.cu - all pairs by repeated squaring of the distance matrix over (min, +) (`min-plus`, catalogue A4).
 *
 * Method: d = min(d, d * d) until nothing falls (Tran 2010; An, Alg. 9). product=
 *   core        the tiles of minplus.cuh;
 *   naive       An, Alg. 13: a thread a cell, all of it from device memory;
 *   tiled       An, Alg. 14: a thread a cell, tiles of 32 x 32 of both operands in shared memory;
 *   transposed  An, V.B: the same with the second operand transposed beforehand. The paper does so because reading its
 *               tile is not coalesced; as Alg. 14 is written it is, so here it only costs the transposition.
 * Invariants
 *   Q1 after round r, d[i][j] is at most the least length of a path i -> j of up to 2^r arcs, and is the length of some
 *      path; so ceil(log2(n - 1)) rounds close the matrix, and a round in which nothing falls shows that it is closed;
 *   Q2 a round reads one matrix and writes another: no sum depends on the order of blocks;
 *   M1 to M4 of minplus.cuh, L1 to L4 of minplus_lazy.cuh, D1 to D5 of dense.cu. Each matrix has flags of its own.
 * Cost: n^3 steps a round, 1 + log2(longest shortest path in arcs) rounds at most; memory twice what DENSE_MEMORY says,
 * for transposed n^2 cells more.
 */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

#define TILE 32
#define THREADS 256u

enum { PRODUCT_CORE, PRODUCT_NAIVE, PRODUCT_TILED, PRODUCT_TRANSPOSED };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* A squaring: from d and p to out and p_out; p NULL: no parents. */
template <class Cell> struct squaring {
    const Cell *d, *turned; /* turned: d transposed, or NULL */
    Cell *out;
    const uint32_t *p;
    uint32_t *p_out;
    uint64_t pitch;
    unsigned *fell;
};

/* A cell's new value, by way of k, or none where it did not fall. */
template <class Cell>
static __device__ __forceinline__ void put_cell(const squaring<Cell> &q, uint64_t i, uint64_t j, Cell value, uint32_t k)
{
    q.out[i * q.pitch + j] = value;
    if (q.p != NULL)
        q.p_out[i * q.pitch + j] = q.p[(k != NF_NO_VERTEX ? k : i) * q.pitch + j];
    if (k != NF_NO_VERTEX)
        simt_store_relaxed(q.fell, 1u);
}

template <class Cell> static __global__ void naive_kernel(const __grid_constant__ squaring<Cell> q)
{
    const uint64_t cell = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, i = cell / q.pitch, j = cell % q.pitch;
    if (i >= q.pitch)
        return;
    Cell least = q.d[cell];
    uint32_t middle = NF_NO_VERTEX;
    for (uint32_t k = 0; k < q.pitch; k++) {
        const Cell x = q.d[i * q.pitch + k] + q.d[k * q.pitch + j];
        middle = x < least ? k : middle;
        least = x < least ? x : least;
    }
    put_cell(q, i, j, least, middle);
}

/* Each of the block's threads has `Each` cells of a column of the tile; 1 where blocks may have 1,024 threads. */
template <class Cell, int Each> static __global__ void tiled_kernel(const __grid_constant__ squaring<Cell> q)
{
    enum { STEP = TILE / Each };
    SIMT_SHARED(Cell, a, TILE * TILE);
    SIMT_SHARED(Cell, b, TILE * (TILE + 1));
    const unsigned tiles = (unsigned)(q.pitch / TILE), x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const uint64_t row0 = (uint64_t)(blockIdx.x / tiles) * TILE, col0 = (uint64_t)(blockIdx.x % tiles) * TILE;
    Cell least[Each];
    uint32_t middle[Each];
#pragma unroll
    for (int e = 0; e < Each; e++) {
        least[e] = q.d[(row0 + y + e * STEP) * q.pitch + col0 + x];
        middle[e] = NF_NO_VERTEX;
    }
    for (uint32_t m = 0; m < q.pitch; m += TILE) {
        __syncthreads();
#pragma unroll
        for (int e = 0; e < Each; e++) {
            const unsigned line = y + e * STEP;
            a[line * TILE + x] = q.d[(row0 + line) * q.pitch + m + x];
            if (q.turned != NULL)
                b[x * (TILE + 1) + line] = q.turned[(col0 + line) * q.pitch + m + x];
            else
                b[line * (TILE + 1) + x] = q.d[(m + line) * q.pitch + col0 + x];
        }
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++)
#pragma unroll
            for (int e = 0; e < Each; e++) {
                const Cell sum = a[(y + e * STEP) * TILE + k] + b[k * (TILE + 1) + x];
                middle[e] = sum < least[e] ? m + k : middle[e];
                least[e] = sum < least[e] ? sum : least[e];
            }
    }
#pragma unroll
    for (int e = 0; e < Each; e++)
        put_cell(q, row0 + y + e * STEP, col0 + x, least[e], middle[e]);
}

/* to = the transpose of d, by way of a tile in shared memory (Ruetsch, Micikevicius 2009). */
template <class Cell, int Each> static __global__ void turn_kernel(const Cell *d, Cell *to, uint64_t pitch)
{
    enum { STEP = TILE / Each };
    SIMT_SHARED(Cell, tile, TILE * (TILE + 1));
    const unsigned tiles = (unsigned)(pitch / TILE), x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const uint64_t row0 = (uint64_t)(blockIdx.x / tiles) * TILE, col0 = (uint64_t)(blockIdx.x % tiles) * TILE;
    for (int e = 0; e < Each; e++)
        tile[(y + e * STEP) * (TILE + 1) + x] = d[(row0 + y + e * STEP) * pitch + col0 + x];
    __syncthreads();
    for (int e = 0; e < Each; e++)
        to[(col0 + y + e * STEP) * pitch + row0 + x] = tile[x * (TILE + 1) + y + e * STEP];
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

typedef struct squares {
    dense *s;
    int product;
    void *other;      /* the matrix that a round writes; then the two change places */
    uint32_t *parent; /* and its parents, or NULL */
    void *turned;
    unsigned *fell;
    uint8_t *finite; /* the other matrix's flags, or NULL */
} squares;

template <class Cell, int Each> static nf_status launch_tiled(const squares *x, const squaring<Cell> &q)
{
    nf_status st = NF_OK;
    device *d = x->s->d;
    const unsigned tiles = (unsigned)(q.pitch / TILE), threads = TILE * TILE / Each;
    if (x->turned != NULL)
        NF_TRY_CUDA(d, SIMT_LAUNCH((turn_kernel<Cell, Each>), tiles * tiles, threads, 0, d->stream, q.d,
                                   static_cast<Cell *>(x->turned), q.pitch));
    NF_TRY_CUDA(d, SIMT_LAUNCH((tiled_kernel<Cell, Each>), tiles * tiles, threads, 0, d->stream, q));
done:
    return st;
}

template <class Cell> static nf_status square_as_written(squares *x)
{
    nf_status st = NF_OK;
    minplus *m = &x->s->x;
    device *d = x->s->d;
    const unsigned threads = device_block(d, THREADS);
    const squaring<Cell> q = {static_cast<const Cell *>(m->m.values),
                              static_cast<const Cell *>(x->turned),
                              static_cast<Cell *>(x->other),
                              m->parents,
                              x->parent,
                              m->m.pitch,
                              x->fell};
    m->steps += m->m.rows * m->m.pitch * m->m.pitch;
    if (x->product == PRODUCT_NAIVE)
        NF_TRY_CUDA(d, SIMT_LAUNCH(naive_kernel<Cell>, device_grid(q.pitch * q.pitch, threads, 1), threads, 0,
                                   d->stream, q));
    else if (d->block_most >= 1024)
        NF_TRY((launch_tiled<Cell, 1>(x, q)));
    else if (d->block_most >= 256)
        NF_TRY((launch_tiled<Cell, 4>(x, q)));
    else
        NF_TRY((launch_tiled<Cell, 32>(x, q)));
done:
    return st;
}

/* Q2 over the core: a copy, into which the product of the matrix with itself is folded. */
static nf_status square_by_core(squares *x)
{
    nf_status st = NF_OK;
    minplus *m = &x->s->x;
    device *d = x->s->d;
    const uint64_t cells = m->m.rows * m->m.pitch;
    const unsigned side = (unsigned)m->m.rows;
    void *const from = m->m.values;
    uint32_t *const from_parent = m->parents;
    uint8_t *const from_finite = m->finite;
    const minplus_product q = {0,          side,       0,           side,    0,           side,        from, from,
                               m->m.pitch, m->m.pitch, from_parent, x->fell, from_finite, from_finite, NULL, 0};
    NF_TRY_CUDA(d, cudaMemcpyAsync(x->other, from, cells * minplus_width(m), cudaMemcpyDeviceToDevice, d->stream));
    if (x->parent != NULL)
        NF_TRY_CUDA(d, cudaMemcpyAsync(x->parent, from_parent, cells * 4, cudaMemcpyDeviceToDevice, d->stream));
    if (x->finite != NULL)
        NF_TRY_CUDA(d, cudaMemcpyAsync(x->finite, from_finite, minplus_flags(side, side), cudaMemcpyDeviceToDevice,
                                       d->stream));
    m->m.values = x->other; /* the product's place for a moment */
    m->parents = x->parent;
    m->finite = x->finite;
    st = minplus_multiply(m, &q, d->stream);
    m->m.values = from;
    m->parents = from_parent;
    m->finite = from_finite;
done:
    return st;
}

static nf_status square(squares *x)
{
    if (x->product == PRODUCT_CORE)
        return square_by_core(x);
    switch (x->s->x.cell) {
    case NF_I32: return square_as_written<int32_t>(x);
    case NF_I64: return square_as_written<int64_t>(x);
    case NF_F32: return square_as_written<float>(x);
    default: return square_as_written<double>(x);
    }
}

static void change_places(squares *x)
{
    minplus *m = &x->s->x;
    void *const cells = m->m.values;
    uint32_t *const parent = m->parents;
    uint8_t *const finite = m->finite;
    m->m.values = x->other;
    m->parents = x->parent;
    m->finite = x->finite;
    x->other = cells;
    x->parent = parent;
    x->finite = finite;
}

static nf_status open_squares(dense *s, squares *x)
{
    nf_status st = NF_OK;
    const char *asked = nf__knob_choice(s->run, "product");
    const uint64_t cells = s->x.m.rows * s->x.m.pitch, width = minplus_width(&s->x);
    x->s = s;
    x->product = strcmp(asked, "core") == 0    ? PRODUCT_CORE
                 : strcmp(asked, "naive") == 0 ? PRODUCT_NAIVE
                 : strcmp(asked, "tiled") == 0 ? PRODUCT_TILED
                                               : PRODUCT_TRANSPOSED;
    NF_TRY(device_foresee(s->d,
                          cells * (width * (x->product == PRODUCT_TRANSPOSED ? 2 : 1) + (s->x.parents != NULL ? 4 : 0)),
                          "a second matrix"));
    NF_TRY(device_alloc_bytes(s->d, cells, width, &x->other));
    if (s->x.parents != NULL)
        NF_TRY(device_alloc(s->d, cells, &x->parent));
    if (x->product == PRODUCT_TRANSPOSED)
        NF_TRY(device_alloc_bytes(s->d, cells, width, &x->turned));
    if (s->x.finite != NULL)
        NF_TRY(device_alloc(s->d, minplus_flags(s->x.m.rows, s->x.m.pitch), &x->finite));
    NF_TRY(device_alloc(s->d, 1, &x->fell));
done:
    return st;
}

static nf_status solve(dense *s)
{
    nf_status st = NF_OK;
    squares x = {};
    unsigned fell = 1;
    NF_TRY(open_squares(s, &x));
    for (uint64_t arcs = 1; fell != 0 && arcs < s->n; arcs *= 2) { /* Q1 */
        NF_TRY(device_fill_bytes(s->d, x.fell, 0, sizeof fell));
        NF_TRY(square(&x));
        change_places(&x);
        NF_TRY(device_download(s->d, &fell, x.fell, sizeof fell));
        NF_TRY(nf__progress(s->run->ctx, s->phase, arcs, s->n));
        s->iterations++;
    }
done:
    device_free(s->d, x.other);
    device_free(s->d, x.parent);
    device_free(s->d, x.turned);
    device_free(s->d, x.finite);
    device_free(s->d, x.fell);
    return st;
}

static nf_status run_min_plus(nf__run *run, nf__row *none)
{
    const bool core = strcmp(nf__knob_choice(run, "product"), "core") == 0; /* the others: in 32 bits */
    (void)none;
    return dense_run(run, solve, dense_form(run), core, "min-plus");
}

static const nf_knob_info knobs[] = {
    DENSE_TILE_KNOB,
    DENSE_LAZY_KNOB,
    DENSE_CELLS_KNOB,
    {"product", "tiles in registers; or as An wrote it: from device memory, tiled, transposed", NF_KNOB_CHOICE, "core",
     0, 0, "core naive tiled transposed"},
};

extern const nf__algorithm apsp_min_plus = {
    .info = {.name = "min-plus",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "repeated squaring over (min, +)",
             .paper = "Tran 2010; An",
             .memory = "twice " DENSE_MEMORY "; transposed n^2 cells more",
             .flags = DENSE_FLAGS,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_min_plus,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
