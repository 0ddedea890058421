/* bitmap.h - sets of vertices, one bit each, in 64-bit words. */
#ifndef NF_CPU_BITMAP_H
#define NF_CPU_BITMAP_H

#include "core/base.h"

static inline uint64_t nf__bits_words(uint64_t n)
{
    return (n + 63) / 64;
}

static inline bool nf__bit(const uint64_t *bits, nf_vid v)
{
    return (bits[v >> 6] >> (v & 63) & 1) != 0;
}

static inline void nf__bit_set(uint64_t *bits, nf_vid v)
{
    bits[v >> 6] |= UINT64_C(1) << (v & 63);
}

/* Sets the bit and tells whether it was this call that did; looks before it writes. Any thread. */
static inline bool nf__bit_claim(uint64_t *bits, nf_vid v)
{
    const uint64_t bit = UINT64_C(1) << (v & 63);
    return (__atomic_load_n(&bits[v >> 6], __ATOMIC_RELAXED) & bit) == 0
           && (__atomic_fetch_or(&bits[v >> 6], bit, __ATOMIC_RELAXED) & bit) == 0;
}

#endif
