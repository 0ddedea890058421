/* minplus_mirror.cu - cells of a symmetric matrix on the other side of its diagonal (minplus.h).
 *
 * Method: squares of SIDE x SIDE cells through shared memory, so that rows are read and written whole. A cell is moved
 * as the bytes it is.
 * Invariants
 *   S1 nobody reads a cell that is written: those written lie below the diagonal, or in columns, those read above it,
 *      or in rows, outside the square where both meet;
 *   S2 between two blocks of Floyd and Warshall's loop the cells above the diagonal, and in tiles that it passes
 *      through, are what they would be in a loop over all; the others are what they were when they were mirrored last.
 * Cost: each cell read and written once.
 */
#include "gpu/minplus.h"

#include <assert.h>

namespace SIMT_FLAVOUR
{

#define SIDE 32u
#define THREADS 256u
#define BLOCKS_EACH 8u /* on a multiprocessor */

/* Squares of the matrix to be written: from row0, col0 on. */
struct mirrored {
    uint64_t pitch;
    unsigned row0, rows, col0, cols;
    bool below;      /* only cells below the diagonal */
    unsigned lo, hi; /* else: rows of the matrix in between are left alone */
};

template <class Bits> static __global__ void __launch_bounds__(THREADS) mirror_kernel(Bits *cells, const mirrored m)
{
    SIMT_SHARED(Bits, square, (SIDE * (SIDE + 1)));
    const unsigned many = m.rows * m.cols;
    for (unsigned i = blockIdx.x; i < many; i += gridDim.x) {
        const unsigned row0 = m.row0 + i / m.cols * SIDE, col0 = m.col0 + i % m.cols * SIDE;
        if (m.below ? col0 > row0 : row0 - m.lo < m.hi - m.lo)
            continue;
        for (unsigned e = threadIdx.x; e < SIDE * SIDE; e += blockDim.x)
            square[e / SIDE * (SIDE + 1) + e % SIDE] = cells[(col0 + e / SIDE) * m.pitch + row0 + e % SIDE];
        __syncthreads();
        for (unsigned e = threadIdx.x; e < SIDE * SIDE; e += blockDim.x) {
            const unsigned row = row0 + e / SIDE, col = col0 + e % SIDE;
            if (!m.below || col < row)
                cells[row * m.pitch + col] = square[e % SIDE * (SIDE + 1) + e / SIDE];
        }
        __syncthreads();
    }
}

/* Sets *differ where a cell is not what its mirror is. Blocks look whether one was found before each square. */
template <class Bits>
static __global__ void __launch_bounds__(THREADS)
    compare_kernel(const Bits *cells, uint64_t pitch, unsigned side, unsigned *differ)
{
    SIMT_SHARED(Bits, square, (SIDE * (SIDE + 1)));
    for (unsigned i = blockIdx.x; i < side * side; i += gridDim.x) {
        const unsigned row0 = i / side * SIDE, col0 = i % side * SIDE;
        int bad = 0;
        if (col0 > row0)
            continue;
        for (unsigned e = threadIdx.x; e < SIDE * SIDE; e += blockDim.x)
            square[e / SIDE * (SIDE + 1) + e % SIDE] = cells[(col0 + e / SIDE) * pitch + row0 + e % SIDE];
        __syncthreads();
        for (unsigned e = threadIdx.x; e < SIDE * SIDE; e += blockDim.x)
            bad |= cells[(row0 + e / SIDE) * pitch + col0 + e % SIDE] != square[e % SIDE * (SIDE + 1) + e / SIDE];
        if (bad)
            simt_store_relaxed(differ, 1u);
        bad = __syncthreads_or(bad || simt_load_relaxed(differ) != 0);
        if (bad)
            return;
    }
}

template <class Bits> static nf_status launch_compare(minplus *x, unsigned *differ)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(x->d, THREADS), most = BLOCKS_EACH * (unsigned)x->d->multiprocessors;
    const unsigned side = (unsigned)x->m.rows / SIDE, blocks = side * side < most ? side * side : most;
    NF_TRY_CUDA(x->d, SIMT_LAUNCH(compare_kernel<Bits>, blocks, threads, 0, x->d->stream,
                                  static_cast<const Bits *>(x->m.values), x->m.pitch, side, differ));
done:
    return st;
}

nf_status minplus_is_symmetric(minplus *x, bool *is)
{
    nf_status st = NF_OK;
    unsigned *differ = NULL, found = 0;
    NF_TRY(device_alloc(x->d, 1, &differ));
    NF_TRY(device_fill_bytes(x->d, differ, 0, sizeof *differ));
    switch (minplus_width(x)) {
    case 2: NF_TRY(launch_compare<uint16_t>(x, differ)); break;
    case 4: NF_TRY(launch_compare<uint32_t>(x, differ)); break;
    default: NF_TRY(launch_compare<uint64_t>(x, differ)); break;
    }
    NF_TRY(device_download(x->d, &found, differ, sizeof found));
    *is = found == 0;
done:
    device_free(x->d, differ);
    return st;
}

template <class Bits> static nf_status launch_mirror(minplus *x, const mirrored &m, cudaStream_t stream)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(x->d, THREADS), most = BLOCKS_EACH * (unsigned)x->d->multiprocessors;
    const unsigned many = m.rows * m.cols, blocks = many < most ? many : most;
    NF_TRY_CUDA(x->d,
                SIMT_LAUNCH(mirror_kernel<Bits>, blocks, threads, 0, stream, static_cast<Bits *>(x->m.values), m));
done:
    return st;
}

static nf_status mirror(minplus *x, const mirrored &m, cudaStream_t stream)
{
    x->launches++;
    switch (minplus_width(x)) {
    case 2: return launch_mirror<uint16_t>(x, m, stream);
    case 4: return launch_mirror<uint32_t>(x, m, stream);
    default: return launch_mirror<uint64_t>(x, m, stream);
    }
}

nf_status minplus_mirror_rows(minplus *x, unsigned lo, unsigned hi, bool square, cudaStream_t stream)
{
    const mirrored m = {x->m.pitch, lo, (hi - lo) / SIDE, 0, (square ? hi : lo) / SIDE, true, 0, 0};
    assert(lo % SIDE == 0 && hi % SIDE == 0);
    return mirror(x, m, stream);
}

nf_status minplus_mirror_cols(minplus *x, unsigned lo, unsigned hi, cudaStream_t stream)
{
    const mirrored m = {x->m.pitch, 0, (unsigned)x->m.rows / SIDE, lo, (hi - lo) / SIDE, false, lo, hi};
    assert(lo % SIDE == 0 && hi % SIDE == 0);
    return mirror(x, m, stream);
}

} /* namespace SIMT_FLAVOUR */
