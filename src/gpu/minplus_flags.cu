/* minplus_flags.cu - the flags of a matrix's squares from its cells, for products that leave out squares without a path
 * (LAZY_TILE; L1 and L2 of minplus_lazy.cuh). Reads every cell once. */
#include "gpu/minplus.h"

namespace SIMT_FLAVOUR
{

#define THREADS 256u

/* A warp has a square. */
template <class Cell>
static __global__ void flag_kernel(const Cell *cells, uint64_t rows, uint64_t pitch, Cell limit, unsigned wide,
                                   uint8_t *finite)
{
    const uint64_t across = pitch / FLAG_SIDE, square = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const uint64_t down = square / across, right = square % across;
    bool some = wide != 0 && down / wide == right / wide;
    if (down >= rows / FLAG_SIDE)
        return;
    cells += down * FLAG_SIDE * pitch + right * FLAG_SIDE + threadIdx.x % 32;
    for (unsigned i = 0; i < FLAG_SIDE; i++)
        some |= cells[i * pitch] < limit;
    some = __any_sync(~0u, some);
    if (threadIdx.x % 32 == 0)
        finite[square] = some ? 1 : 0;
}

template <class Cell>
static nf_status set_flags(const minplus *x, const void *cells, uint64_t rows, uint64_t pitch, unsigned wide,
                           uint8_t *finite)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(x->d, THREADS);
    const unsigned blocks = device_grid(minplus_flags(rows, pitch) * 32, threads, 1);
    NF_TRY_CUDA(x->d, SIMT_LAUNCH(flag_kernel<Cell>, blocks, threads, 0, x->d->stream, static_cast<const Cell *>(cells),
                                  rows, pitch, limit_of(x->positive, Cell()), wide, finite));
done:
    return st;
}

uint64_t minplus_flags(uint64_t rows, uint64_t cols)
{
    return rows / FLAG_SIDE * (cols / FLAG_SIDE);
}

nf_status minplus_set_flags(const minplus *x, const void *cells, uint64_t rows, uint64_t pitch, unsigned square,
                            uint8_t *finite)
{
    const unsigned wide = square / FLAG_SIDE;
    switch (x->cell) {
    case NF_I32: return set_flags<int32_t>(x, cells, rows, pitch, wide, finite);
    case NF_I64: return set_flags<int64_t>(x, cells, rows, pitch, wide, finite);
    case NF_F32: return set_flags<float>(x, cells, rows, pitch, wide, finite);
    default: return set_flags<double>(x, cells, rows, pitch, wide, finite);
    }
}

} /* namespace SIMT_FLAVOUR */
