/* window.cuh - buckets of equal width from a key on, for keys of every kind: which one is a key in?
 *
 * Invariant: a larger key is never in a smaller bucket, whatever the rounding; keys up to the base are in bucket 0, and
 * those beyond LAST_BUCKET in that.
 */
#ifndef NF_GPU_WINDOW_CUH
#define NF_GPU_WINDOW_CUH

#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

#define LAST_BUCKET 0x3fffffffu

template <class K> struct key_window {
    K base;
    float rate;   /* 1 / width */
    unsigned now; /* the current bucket, where there is one */
};

template <class K>
static __device__ __forceinline__ unsigned bucket_of(const scale<K> &s, const key_window<K> &w, K key)
{
    if (key <= w.base)
        return 0;
    if (s.real) {
        const auto x = (real_of(key) - real_of(w.base)) * w.rate;
        return x < (float)LAST_BUCKET ? (unsigned)x : LAST_BUCKET;
    }
    if (sizeof(K) == 4) {
        const float x = (float)(key - w.base) * w.rate;
        return x < (float)LAST_BUCKET ? (unsigned)x : LAST_BUCKET;
    }
    const double x = (double)(key - w.base) * (double)w.rate;
    return x < (double)LAST_BUCKET ? (unsigned)x : LAST_BUCKET;
}

} /* namespace SIMT_FLAVOUR */

#endif
