/* lower.cuh - cells of matrices as arcs fill them: any type of weight, and 16 bits, by atomic minimum. */
#ifndef NF_GPU_LOWER_CUH
#define NF_GPU_LOWER_CUH

#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

/* *cell = value if it still is `seen`; what it was. */
static __device__ __forceinline__ uint16_t exchange(uint16_t *cell, uint16_t seen, uint16_t value)
{
    uint32_t *const word = reinterpret_cast<uint32_t *>(reinterpret_cast<uintptr_t>(cell) & ~(uintptr_t)3);
    const unsigned shift = (reinterpret_cast<uintptr_t>(cell) & 2) != 0 ? 16 : 0;
    uint32_t now = simt_load_relaxed(word);
    while ((uint16_t)(now >> shift) == seen) {
        const uint32_t before = atomicCAS(word, now, (now & ~(0xffffu << shift)) | (uint32_t)value << shift);
        if (before == now)
            return seen;
        now = before;
    }
    return (uint16_t)(now >> shift);
}

static __device__ __forceinline__ uint32_t exchange(uint32_t *cell, uint32_t seen, uint32_t value)
{
    return atomicCAS(cell, seen, value);
}

static __device__ __forceinline__ uint64_t exchange(uint64_t *cell, uint64_t seen, uint64_t value)
{
    return atomicCAS(reinterpret_cast<unsigned long long *>(cell), (unsigned long long)seen, (unsigned long long)value);
}

/* *cell = min(*cell, x), for every type of weight; Bits is the unsigned integer of its size. */
template <typename T, typename Bits> static __device__ void lower(T *cell, T x)
{
    Bits *bits = reinterpret_cast<Bits *>(cell);
    Bits seen = simt_load_relaxed(bits), mine;
    T value;
    memcpy(&mine, &x, sizeof mine);
    for (memcpy(&value, &seen, sizeof value); x < value; memcpy(&value, &seen, sizeof value)) {
        const Bits before = exchange(bits, seen, mine);
        if (before == seen)
            return;
        seen = before;
    }
}

/* The weight of arc e. */
template <typename T> static __device__ T weight_of(const device_csr &g, nf_type type, uint64_t e)
{
    float f;
    switch (type) {
    case NF_I32: return static_cast<T>(static_cast<int32_t>(g.pairs[e].y));
    case NF_U32: return static_cast<T>(g.pairs[e].y);
    case NF_F32: memcpy(&f, &g.pairs[e].y, sizeof f); return static_cast<T>(f);
    case NF_F64: return static_cast<T>(g.weight[e]);
    default: return T(1);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
