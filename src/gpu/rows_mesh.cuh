/* rows_mesh.cuh - rows of all pairs over records of arcs: the rounds of mesh.cuh, a block for each row.
 *
 * A block is the whole grid of its search: its gate is passed by itself, its pool takes what shared memory has no room
 * for. Rows are as many as blocks are resident; while one waits for memory the others of its multiprocessor go on.
 * Invariants
 *   M1 to M5 of mesh.cuh, with one block; D1 of step_far.cuh;
 *   O1 a block clears its state, bits and labels before a row, so that a row that ended early leaves nothing behind;
 *   O2 a row that meets a key near the end of the range tells ROW_HOT, and the host makes it again in 64 bits (R4 of
 *      rows.cuh).
 * Trees are those of rows.cuh, made when the launch's labels are final.
 */
#ifndef NF_GPU_ROWS_MESH_CUH
#define NF_GPU_ROWS_MESH_CUH

#include "gpu/mesh.cuh"
#include "gpu/rows.cuh"
#include "gpu/step_mesh.cuh"

namespace SIMT_FLAVOUR
{

enum { MESH_ROW_THREADS = 256, MESH_ROW_BLOCKS = 3 }; /* of a block at most; blocks of a multiprocessor */

/* The step of a row. */
template <bool REAL> struct row_step : mesh_step<REAL> {
};

template <bool REAL> struct is_one_of_many<row_step<REAL>> {
    static const bool value = true;
};

/* A launch. */
template <bool REAL> struct mesh_rows {
    mesh_arena a;        /* of block 0: those of the others follow, n and `more` words apart */
    row_step<REAL> step; /* of row 0 */
    plan pl;
    uint64_t more, words; /* records beyond n; words of their bits */
    uint32_t first, count;
    row_end *end;   /* count */
    unsigned *next; /* the next row to be taken */
};

/* What the block works on. Its pool and its pile lie side by side. */
template <bool REAL> static __device__ __forceinline__ mesh_arena mesh_row_arena(const mesh_rows<REAL> &j)
{
    mesh_arena a = j.a;
    const uint64_t b = blockIdx.x, n = j.a.n;
    for (unsigned k = 0; k < 2; k++) {
        a.pool[k] = j.a.pool[0] + (4 * b + k) * n;
        a.far[k] = j.a.pool[0] + (4 * b + 2 + k) * n;
        a.rest[k] = j.a.rest[0] + (2 * b + k) * j.more;
        a.has[k] = j.a.has[0] + (2 * b + k) * j.words;
    }
    a.st = j.a.st + b;
    return a;
}

/* O1, and the source is in the pool. All threads. */
template <bool REAL>
static __device__ __forceinline__ void mesh_row_begin(const mesh_arena &a, row_step<REAL> &f, uint64_t words,
                                                      uint32_t source)
{
    for (uint32_t v = threadIdx.x; v < a.n; v += blockDim.x)
        simt_store_relaxed(&f.label[v], f.s.infinity);
    for (uint64_t i = threadIdx.x; i < words; i += blockDim.x)
        a.has[0][i] = a.has[1][i] = 0;
    for (unsigned i = threadIdx.x; i < sizeof(state) / sizeof(uint32_t); i += blockDim.x)
        reinterpret_cast<uint32_t *>(a.st)[i] = 0;
    __syncthreads();
    mesh_seed(a, f, &source, 1);
    __syncthreads();
}

/* How it ended. One thread, after a barrier. */
static __device__ __forceinline__ row_end mesh_row_end(const state *st)
{
    const unsigned stop = simt_load_relaxed(&st->slots[0].stop), flags = simt_load_relaxed(&st->flags);
    const row_end e = {simt_load_relaxed(&st->arcs), st->round, st->phase,
                       ((stop & STOP_HOT) != 0 ? (unsigned)ROW_HOT : 0u)
                           | ((stop & STOP_CANCEL) != 0 ? (unsigned)ROW_CANCEL : 0u)
                           | ((flags & FLAG_INFINITE) != 0 ? (unsigned)ROW_INFINITE : 0u)};
    return e;
}

template <bool REAL>
static __global__ void __launch_bounds__(MESH_ROW_THREADS, MESH_ROW_BLOCKS)
    mesh_rows_kernel(const __grid_constant__ mesh_rows<REAL> j)
{
    SIMT_SHARED(mesh_space<true>, ws, 1);
    SIMT_SHARED(unsigned, taken, 1);
    const mesh_arena a = mesh_row_arena(j);
    const part whole = {0, 1};
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            *taken = atomicAdd(j.next, 1u);
            simt_store_relaxed(&j.pl.shared->progress, (uint64_t)j.first + *taken);
        }
        __syncthreads();
        const unsigned row = *taken;
        if (row >= j.count)
            return;
        row_step<REAL> f = j.step;
        f.label += (uint64_t)row * a.n;
        f.flags = &a.st->flags;
        mesh_row_begin(a, f, j.words, j.first + row);
        mesh_rounds(a, f, j.pl, ws, whole);
        __syncthreads();
        if (threadIdx.x == 0)
            j.end[row] = mesh_row_end(a.st);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
