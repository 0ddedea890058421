/* minplus_lazy.cuh - minima that are left out because an operand is no path, in the tiles of
 * minplus.cuh.
 *
 * Method: Harish, Vineet, Narayanan 2009 leave out the minimum where an operand is infinite. By operation (LAZY_OP): a
 * thread asks for every k whether any of its cells of b's row is a path, and for each of its rows whether a's cell is.
 * By tiles (LAZY_TILE): a slab is FLAG_SIDE values of k; a block lists the slabs that have a path in its rows of a and
 * one in its columns of b, by the flags of the squares there, and reads and multiplies only these. A tile without any
 * is neither read nor written. Kernels without FORM_LAZY have none of this in them.
 * Invariants
 *   L1 flags only go from 0 to 1. When a launch begins, a square whose flag is 0 has no cell that is a path; the flag
 *      of a square that the launch writes is set by the warp that writes it, if a cell of it is a path then;
 *   L2 the squares inside the pivots' squares have flag 1 from the start: what closes these looks at no flags;
 *   L3 an operand of a launch is written by nobody else in it (M2), or is a copy made before it of cells that only
 *      fall. So a flag that is 0 whenever it is read was 0 when the launch began, and the operand has no path in that
 *      square: stale flags only cost time. One warp reads the flags and the block follows its list: all threads agree;
 *   L4 a sum with an operand that is no path is none either: without negative weights, and in floats, it is no less
 *      than any cell; with them it is above NONE - B, D2 of dense.cu, as the cell that it might have lowered.
 * Cost: a byte for 1,024 cells; (ROWS + COLS) / 1,024 bytes read for each k of a tile, and a compare for each cell.
 */
#ifndef NF_GPU_MINPLUS_LAZY_CUH
#define NF_GPU_MINPLUS_LAZY_CUH

#include "gpu/minplus_tile.cuh"

namespace SIMT_FLAVOUR
{

/* Is there a path in the tile's rows of a, and one in its columns of b, in a slab? */
template <class T>
static __device__ __forceinline__ bool slab_lives(const fold<typename T::cell> &q, const spot &s, unsigned slab)
{
    unsigned a = 0, b = 0;
    for (unsigned i = 0; i < T::ROWS / FLAG_SIDE; i++)
        a |= simt_load_relaxed(&q.finite_a[(s.row0 / FLAG_SIDE + i) * q.pitch_finite_a + slab]);
    for (unsigned i = 0; i < T::COLS / FLAG_SIDE; i++)
        b |= simt_load_relaxed(&q.finite_b[slab * q.pitch_finite_b + s.col0 / FLAG_SIDE + i]);
    return a != 0 && b != 0;
}

/* Lists the slabs that are alive, behind their number, which it returns. All threads. */
template <class T>
static __device__ __forceinline__ unsigned find_live(const fold<typename T::cell> &q, const spot &s, uint16_t *live)
{
    const unsigned slabs = q.depth / FLAG_SIDE, lane = threadIdx.x % 32;
    SIMT_ASSERT(slabs <= SLABS_MOST && q.depth % FLAG_SIDE == 0);
    if (threadIdx.x < 32) {
        unsigned many = 0;
        for (unsigned base = 0; base < slabs; base += 32) {
            const unsigned slab = base + lane;
            const bool lives = slab < slabs && (q.finite == NULL || slab_lives<T>(q, s, slab));
            const unsigned all = __ballot_sync(~0u, lives);
            if (lives)
                live[1 + many + (unsigned)__popc(all & ((1u << lane) - 1))] = (uint16_t)slab;
            many += (unsigned)__popc(all);
        }
        if (lane == 0) {
            live[0] = (uint16_t)many;
            if (q.finite != NULL) {
                atomicAdd(&q.skipped[0], (unsigned long long)(slabs - many));
                atomicAdd(&q.skipped[1], (unsigned long long)slabs);
            }
        }
    }
    __syncthreads();
    return live[0];
}

/* A slice, in groups of k as for parents; sums that are left out. `first`: the slice's first group. */
template <class T>
static __device__ __forceinline__ unsigned multiply_by_op(const typename T::cell *stage, const spot &s,
                                                          typename T::cell limit, unsigned first, held<T> &mine)
{
    typedef typename T::cell cell;
    const cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
    unsigned skipped = 0;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k++) {
        const unsigned group = first + (unsigned)k / T::GROUP;
        cell b[T::EACH_COLS];
        bool any = false;
        load_cols<T>(b_at + k * T::COLS, b);
#pragma unroll
        for (int j = 0; j < T::EACH_COLS; j++)
            any |= b[j] < limit;
        if (!any) {
            skipped += T::EACH_ROWS * T::EACH_COLS;
            continue;
        }
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++) {
            const cell a = a_at[r * 8 * T::A_PITCH + k];
            if (!(a < limit)) {
                skipped += T::EACH_COLS;
                continue;
            }
#pragma unroll
            for (int j = 0; j < T::EACH_COLS; j++) {
                const cell x = T::ring::sum(a, b[j]);
                if (T::FOLLOWS)
                    note_fall(mine, r, j, x, group);
                mine.c[r][j] = x < mine.c[r][j] ? x : mine.c[r][j];
            }
        }
    }
    return skipped;
}

/* Sets the flags of the warp's squares (L1), or counts the sums that its threads left out. All threads. */
template <class T>
static __device__ __forceinline__ void end_lazily(const fold<typename T::cell> &q, const spot &s, const held<T> &mine,
                                                  unsigned skipped)
{
    const unsigned lane = threadIdx.x % 32, col = s.col0 + s.col - lane % 4 * T::VEC;
    if (q.finite == NULL) {
        for (unsigned step = 16; step > 0; step /= 2)
            skipped += __shfl_down_sync(~0u, skipped, step);
        if (lane == 0)
            atomicAdd(&q.skipped[0], (unsigned long long)skipped);
        if (threadIdx.x == 0)
            atomicAdd(&q.skipped[1], (unsigned long long)T::ROWS * T::COLS * q.depth);
        return;
    }
#pragma unroll
    for (int u = 0; u < T::EACH_ROWS * 8; u += (int)FLAG_SIDE) {
        const unsigned row = s.row0 + s.row - lane / 4 + (unsigned)u;
        bool some = false;
#pragma unroll
        for (int r = u / 8; r < (u + (int)FLAG_SIDE) / 8; r++)
#pragma unroll
            for (int j = 0; j < T::EACH_COLS; j++)
                some |= mine.c[r][j] < q.limit;
        some = __any_sync(~0u, some) && row - q.kept >= q.kept_many && col - q.kept >= q.kept_many;
        if (some && lane == 0)
            simt_store_relaxed(&q.finite[row / FLAG_SIDE * q.pitch_finite + col / FLAG_SIDE], (uint8_t)1);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
