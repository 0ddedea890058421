/* zero_cost_plain.cu - the kernels of zero_cost_layer.cu as a CUDA programmer writes them, without the layer. */
#include <cooperative_groups.h>
#include <stdint.h>

extern "C" __global__ void pack(const uint32_t *in, uint32_t n, uint32_t *out, uint32_t *length, const uint32_t *limit)
{
    __shared__ uint32_t sums[32];
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i < n ? in[i] : 0;
    const uint32_t sum = __reduce_add_sync(0xffffffffu, x);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x >> 5] = sum;
    __syncthreads();
    const uint32_t most = __reduce_max_sync(0xffffffffu, sums[threadIdx.x & 31]);
    const bool keep = x > *(const volatile uint32_t *)limit + most;
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    uint32_t start = 0;
    if ((threadIdx.x & 31) == 0)
        start = atomicAdd(length, (uint32_t)__popc(votes));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (keep)
        out[start + __popc(votes & ((1u << (threadIdx.x & 31)) - 1u))] = x;
}

static __device__ uint32_t acquire(const uint32_t *p)
{
    uint32_t x;
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

extern "C" __global__ void spread(uint32_t *word, uint32_t rounds, uint32_t *stop)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (uint32_t r = 0; r < rounds && acquire(stop) == 0; r++) {
        if (threadIdx.x == 0)
            atomicAdd(&word[r & 1], blockIdx.x);
        grid.sync();
        if (blockIdx.x == 0 && threadIdx.x == 0 && *(volatile uint32_t *)&word[r & 1] == 0)
            asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(stop), "r"(1u) : "memory");
    }
}

static __device__ void copy16(void *to, const void *from)
{
    const unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
}

extern "C" __global__ void tile(const int *a, const int *b, int *c, int n)
{
    extern __shared__ __align__(16) unsigned char memory[]; /* as usual where kernels differ in type */
    int4 *shared = reinterpret_cast<int4 *>(memory);
    const int *tiles = reinterpret_cast<const int *>(shared);
    copy16(&shared[threadIdx.x], a + 4 * threadIdx.x);
    copy16(&shared[256 + threadIdx.x], b + 4 * threadIdx.x);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    int best = c[threadIdx.x];
    for (int k = 0; k < n; k++)
        best = __viaddmin_s32(tiles[threadIdx.x / 32 * 32 + k], tiles[1024 + k * 32 + threadIdx.x % 32], best);
    c[threadIdx.x] = __vimin3_s32(best, c[threadIdx.x + 256], c[threadIdx.x + 512]);
}
