/* minplus_pack.cu - the rows and columns of a block, copied as the tiles of a product read them (minplus.h).
 *
 * Method: a copy is tile by tile of the matrix; in each slice by slice of PACK_DEPTH vertices, in one piece, which one
 * bulk copy brings to shared memory; in each two k by two. There 16 bytes are what a thread needs at once: of columns,
 * two k of two rows that are eight apart; of rows, two columns, and of each the odd k first. So registers that are
 * loaded together alternate between the two banks as k does, a's one way and b's the other, and no addition finds both
 * of its operands in one bank. A thread writes 16 bytes. Worth it for floats that are not negative, in large tiles,
 * whose loop is held by the registers' ports: H200, the product alone, 1e12 steps a second at depths 128 / 256 / 1024
 * 16.4 / 17.1 / 17.7 (n = 8,448), from rows and columns as they lie 14.4 / 15.4 / 16.0 (n = 8,192;
 * docs/results/apsp-h200.md).
 * Invariant: M6 of minplus.cuh. Cost: each cell of the strips read and written once.
 */
#include "gpu/minplus.h"

namespace SIMT_FLAVOUR
{

#define PACK_DEPTH 16u /* of a slice: tiling::DEPTH of cells of four bytes */
#define THREADS 256u
#define BLOCKS_EACH 4u      /* on a multiprocessor */
#define CAPABILITY_LEAST 90 /* bulk copies */

struct packing {
    const uint32_t *rows, *cols; /* of the matrix: from the block's first row, and first column, on */
    uint32_t *to_rows, *to_cols;
    uint64_t pitch, side;
    unsigned deep, tile; /* vertices of the block; rows and columns of a tile */
};

static __global__ void __launch_bounds__(THREADS) pack_kernel(const packing p)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, many = p.side * p.deep / 4;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < 2 * many; i += step) {
        const bool lying = i < many; /* rows first */
        const uint64_t e = lying ? i : i - many, slice = e / (p.tile * PACK_DEPTH / 4);
        const unsigned in = (unsigned)(e % (p.tile * PACK_DEPTH / 4)), slices = p.deep / PACK_DEPTH;
        const uint64_t first = slice / slices * p.tile;
        const unsigned k = (unsigned)(slice % slices) * PACK_DEPTH + in / (p.tile / 2) * 2, at = in % (p.tile / 2);
        uint4 out;
        if (lying) {
            const uint32_t *from = p.rows + k * p.pitch + first + at * 2; /* two columns, of k and the next */
            const uint2 even = *reinterpret_cast<const uint2 *>(from);
            const uint2 odd = *reinterpret_cast<const uint2 *>(from + p.pitch);
            out.x = odd.x, out.y = even.x, out.z = odd.y, out.w = even.y;
        } else {
            const uint32_t *from = p.cols + (first + at / 8 * 16 + at % 8) * p.pitch + k; /* rows eight apart */
            const uint2 upper = *reinterpret_cast<const uint2 *>(from);
            const uint2 lower = *reinterpret_cast<const uint2 *>(from + 8 * p.pitch);
            out.x = upper.x, out.y = upper.y, out.z = lower.x, out.w = lower.y;
        }
        *reinterpret_cast<uint4 *>((lying ? p.to_rows : p.to_cols) + e * 4) = out;
    }
}

nf_status minplus_pack_strips(minplus *x, unsigned at, const minplus_strips *to, cudaStream_t stream)
{
    nf_status st = NF_OK;
    const uint32_t *const cells = static_cast<const uint32_t *>(x->m.values);
    const packing p = {cells + at * x->m.pitch,
                       cells + at,
                       reinterpret_cast<uint32_t *>(to->rows),
                       reinterpret_cast<uint32_t *>(to->cols),
                       x->m.pitch,
                       x->m.rows,
                       minplus_span(x, at),
                       x->tile};
    const unsigned threads = device_block(x->d, THREADS), most = BLOCKS_EACH * (unsigned)x->d->multiprocessors;
    const unsigned wanted = device_grid(p.side * p.deep / 2, threads, 1);
    x->launches++;
    NF_TRY_CUDA(x->d, SIMT_LAUNCH(pack_kernel, wanted < most ? wanted : most, threads, 0, stream, p));
done:
    return st;
}

bool minplus_packs(const minplus *x)
{
    return x->packs && x->d->capability >= CAPABILITY_LEAST;
}

} /* namespace SIMT_FLAVOUR */
