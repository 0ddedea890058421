/* scan.cuh - prefix sums inside a warp and a block, and what stands on them: ranks, appending to a queue, and
 * finding the owner of a place; and sums of a block.
 *
 * The exclusive prefix sum has two levels (Davidson et al. 2014, "Work-efficient parallel GPU methods for single-source
 * shortest paths", section 5.1, which takes it from Harris): each warp scans by shuffles, the sums of the warps are
 * scanned by every warp again, so that one barrier lies between. Its binary form counts flags with one ballot and popc
 * instead of five shuffles. An append takes one atomic for a warp or a block, and neighbouring lanes write neighbouring
 * places.
 *
 * Invariants
 *   S1 all 32 lanes of a warp call a warp_ function, all threads of a block a block_ function: whole warps only;
 *   S2 a block_ function leaves `scratch` free for the next: it ends with a barrier;
 *   S3 ranks follow the thread's index: appended items keep the order of their threads.
 * Cost: warp 5 shuffles (flags: 1 ballot); block 2 barriers and twice that. scratch: SCAN_SCRATCH elements of shared
 * memory.
 */
#ifndef NF_GPU_SCAN_CUH
#define NF_GPU_SCAN_CUH

#include "simt/simt.h"

namespace SIMT_FLAVOUR
{

#define WARP_ALL 0xffffffffu
#define SCAN_SCRATCH 32 /* one for each warp of the largest block */

static __device__ __forceinline__ unsigned lanes_below()
{
    return (1u << simt_lane()) - 1u;
}

/* ---- a warp ------------------------------------------------------------------------------------------------------ */

/* The sum over the lanes before this one, and over all. */
template <typename T> static __device__ __forceinline__ T warp_scan(T x, T *total)
{
    T sum = x;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(WARP_ALL, sum, step);
        if (simt_lane() >= step)
            sum += other;
    }
    *total = __shfl_sync(WARP_ALL, sum, 31);
    return sum - x;
}

/* The flags set in lanes before this one, and in all. */
static __device__ __forceinline__ unsigned warp_rank(bool flag, unsigned *total)
{
    const unsigned votes = __ballot_sync(WARP_ALL, flag);
    *total = (unsigned)__popc(votes);
    return (unsigned)__popc(votes & lanes_below());
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

/* From a warp's own sum: the sum over the warps before it, and over all. The total must be the same in all its lanes.
 */
template <typename T> static __device__ __forceinline__ T block_base(T warp_total, T *scratch, T *total)
{
    const unsigned warps = (blockDim.x + 31) / 32;
    if (simt_lane() == 0)
        scratch[simt_warp()] = warp_total;
    __syncthreads();
    const T mine = simt_lane() < warps ? scratch[simt_lane()] : T(0);
    const T base = warp_scan(mine, total);
    __syncthreads();
    return __shfl_sync(WARP_ALL, base, (int)simt_warp());
}

/* The sum over the threads before this one, and over the block. */
template <typename T> static __device__ __forceinline__ T block_scan(T x, T *scratch, T *total)
{
    T warp_total;
    const T before = warp_scan(x, &warp_total);
    return block_base(warp_total, scratch, total) + before;
}

/* The flags set in threads before this one, and in the block. */
static __device__ __forceinline__ unsigned block_rank(bool flag, unsigned *scratch, unsigned *total)
{
    unsigned warp_total;
    const unsigned before = warp_rank(flag, &warp_total);
    return block_base(warp_total, scratch, total) + before;
}

/* ---- appending --------------------------------------------------------------------------------------------------- */

/* Places at the end of a queue of *length items, for `count` items of this lane; one atomic for the warp. */
template <typename T> static __device__ __forceinline__ T warp_reserve(T count, T *length)
{
    T total, start = 0;
    const T before = warp_scan(count, &total);
    if (simt_lane() == 0 && total != 0)
        start = atomicAdd(length, total);
    return __shfl_sync(WARP_ALL, start, 0) + before;
}

/* The same for a block; `scratch` as in block_scan. */
template <typename T> static __device__ __forceinline__ T block_reserve(T count, T *length, T *scratch)
{
    T total;
    const T before = block_scan(count, scratch, &total);
    if (threadIdx.x == 0)
        scratch[0] = total != 0 ? atomicAdd(length, total) : T(0);
    __syncthreads();
    const T start = scratch[0];
    __syncthreads();
    return start + before;
}

/* Appends the items of the lanes that have one to queue[*length ...]; one ballot, one atomic for the warp. */
template <typename T> static __device__ __forceinline__ void warp_append(bool has, T item, T *queue, unsigned *length)
{
    unsigned total, start = 0;
    const unsigned before = warp_rank(has, &total);
    if (simt_lane() == 0 && total != 0)
        start = atomicAdd(length, total);
    start = __shfl_sync(WARP_ALL, start, 0);
    if (has)
        queue[start + before] = item;
}

/* The same for a block: one atomic for all its threads. */
template <typename T>
static __device__ __forceinline__ void block_append(bool has, T item, T *queue, unsigned *length, unsigned *scratch)
{
    unsigned total;
    const unsigned before = block_rank(has, scratch, &total);
    if (threadIdx.x == 0)
        scratch[0] = total != 0 ? atomicAdd(length, total) : 0u;
    __syncthreads();
    if (has)
        queue[scratch[0] + before] = item;
    __syncthreads();
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Adds to a sum, of a block mostly, that is read behind a barrier. By halves: in shared memory chips have no addition
 * of 64 bits but a loop of reading, comparing and swapping. */
static __device__ __forceinline__ void add_by_halves(unsigned long long *sum, unsigned long long x)
{
    unsigned *const half = (unsigned *)sum;
    const unsigned before = atomicAdd(&half[0], (unsigned)x);
    const unsigned more = (unsigned)(x >> 32) + (before + (unsigned)x < before ? 1 : 0);
    if (more != 0)
        (void)atomicAdd(&half[1], more);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* The last i in [0, count) with key[i] <= x; key[0] <= x. */
template <class T>
static __device__ __forceinline__ uint32_t search_sorted(const T *key, uint32_t count, unsigned long long x)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if ((unsigned long long)key[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

} /* namespace SIMT_FLAVOUR */

#endif
