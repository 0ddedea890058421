/* phases.cuh - what both forms of `dijkstra-phases` know of a vertex: its lightest arcs, and what follows from them. */
#ifndef NF_GPU_PHASES_CUH
#define NF_GPU_PHASES_CUH

#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

enum { COUNT_SETTLED = COUNT_FOURTH };
enum { CRITERION_MIN = 0, CRITERION_OUT = 1, CRITERION_IN = 2, CRITERION_BOTH = 3 };

#define FARTHEST ~0ull

/* The lightest arc out of, or into, each vertex: its bits, in 4 bytes or, of 64-bit weights, in 8; all set: none. */
typedef struct lightest {
    void *bits;
    bool wide;
} lightest;

static __device__ __forceinline__ word64 get_lightest(const lightest &l, uint32_t v)
{
    if (l.wide)
        return static_cast<const word64 *>(l.bits)[v];
    const uint32_t x = static_cast<const uint32_t *>(l.bits)[v];
    return x == UNSEEN ? FARTHEST : x;
}

static __device__ __forceinline__ void put_lightest(const lightest &l, uint32_t v, word64 w)
{
    if (l.wide)
        (void)atomicMin(static_cast<word64 *>(l.bits) + v, w);
    else /* all bits set are none: a weight of so many counts as one less, which settles nothing too early */
        (void)atomicMin(static_cast<uint32_t *>(l.bits) + v, (uint32_t)(w < UNSEEN ? w : UNSEEN - 1));
}

/* The key of a label plus a lightest arc; infinity where there is none, or the sum is beyond the range (C3). */
template <class K> static __device__ __forceinline__ K reach_of(const scale<K> &s, K key, word64 w)
{
    K sum;
    return w != FARTHEST && add_weight(s, key, w, &sum) == SUM_OK ? sum : s.infinity;
}

template <class K> static __device__ __forceinline__ K warp_least(K x)
{
    for (int step = 16; step != 0; step /= 2) {
        const K other = __shfl_xor_sync(WARP_ALL, x, step);
        x = other < x ? other : x;
    }
    return x;
}

} /* namespace SIMT_FLAVOUR */

#endif
