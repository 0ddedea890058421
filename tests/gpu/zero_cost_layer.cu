/* zero_cost_layer.cu - three kernels written against src/simt; zero_cost_plain.cu has the same in plain CUDA, and
 * zero_cost.py compares their machine code. */
#include "simt/simt.h"

using namespace nf_gpu;

/* Sums and packs: shared memory, shuffles, reductions, ballots, an append with one atomic a warp, relaxed loads. */
extern "C" __global__ void pack(const uint32_t *in, uint32_t n, uint32_t *out, uint32_t *length, const uint32_t *limit)
{
    SIMT_SHARED(uint32_t, sums, 32);
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i < n ? in[i] : 0;
    const uint32_t sum = simt_reduce_add(0xffffffffu, x);
    if (simt_lane() == 0)
        sums[simt_warp()] = sum;
    __syncthreads();
    const uint32_t most = simt_reduce_max(0xffffffffu, sums[simt_lane()]);
    const bool keep = x > simt_load_relaxed(limit) + most;
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    uint32_t start = 0;
    if (simt_lane() == 0)
        start = atomicAdd(length, (uint32_t)__popc(votes));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (keep)
        out[start + __popc(votes & ((1u << simt_lane()) - 1u))] = x;
}

/* A persistent loop: grid barrier, release and acquire, a word that stops it. */
extern "C" __global__ void spread(uint32_t *word, uint32_t rounds, uint32_t *stop)
{
    for (uint32_t r = 0; r < rounds && simt_load_acquire(stop) == 0; r++) {
        if (threadIdx.x == 0)
            atomicAdd(&word[r & 1], blockIdx.x);
        simt_grid_sync();
        if (blockIdx.x == 0 && threadIdx.x == 0 && simt_load_relaxed(&word[r & 1]) == 0)
            simt_store_release(stop, 1u);
    }
}

/* A tile of a min-plus product: dynamic shared memory, cp.async, DPX. */
extern "C" __global__ void tile(const int *a, const int *b, int *c, int n)
{
    SIMT_SHARED_DYNAMIC(int4, shared);
    const int *tiles = reinterpret_cast<const int *>(shared);
    simt_copy16_async(&shared[threadIdx.x], a + 4 * threadIdx.x);
    simt_copy16_async(&shared[256 + threadIdx.x], b + 4 * threadIdx.x);
    simt_copy_commit();
    simt_copy_wait<0>();
    __syncthreads();
    int best = c[threadIdx.x];
    for (int k = 0; k < n; k++)
        best = simt_addmin(tiles[threadIdx.x / 32 * 32 + k], tiles[1024 + k * 32 + threadIdx.x % 32], best);
    c[threadIdx.x] = simt_min3(best, c[threadIdx.x + 256], c[threadIdx.x + 512]);
}
