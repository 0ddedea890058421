/* key.h - distances >= 0 as unsigned integers of the same order, so that one body and integer atomics serve all types.
 *
 * Four kinds, each a header to include before a body:
 *   kind_i32.h  integers in 32 bits: tried first for integer weights
 *   kind_i64.h  integers in 64 bits: NF_I64 as it is, when 32 bits do not hold the sums
 *   kind_f32.h  the bit patterns of floats >= 0, which order as the floats do
 *   kind_f64.h  the same for doubles
 * In a body
 *   K              the key's type              KNAME(x)     x_k32, x_k64, x_f32 or x_f64
 *   KINF           the key of "unreached"      KSUM(k, c, e, mask) the key of k + the weight of arc e
 *   KHOT(s, k)     can k plus some weight reach KINF or wrap? Only then must sums be checked one by one
 *   KBIN(s, k)     the bucket of width delta that k lies in; monotone, at most NF__BIN_TOP
 *   KREAL(k)       the distance that k stands for, as a double
 *   KSMALL         1 where a failed KHOT means "again in 64 bits"
 * A key of kind_i32 never wraps: arcs are relaxed only from keys that are not hot.
 */
#ifndef NF_CPU_KEY_H
#define NF_CPU_KEY_H

#include "core/backend.h"
#include "cpu/distance.h"

#define NF__BIN_TOP (UINT32_C(1) << 31)

/* What the macros above need to know about a graph and a delta. */
typedef struct nf__scale {
    uint64_t top;     /* integers: the largest key that any weight can be added to */
    float weight_f32; /* the largest weight */
    double weight_f64;
    unsigned shift; /* integers: delta is 2^shift */
    double inverse; /* floats: 1 / delta */
    nf_eid mask;    /* of arc numbers into weights: 0 for unweighted graphs */
    const void *weights;
} nf__scale;

static inline float nf__f32_of(uint32_t k)
{
    float x;
    memcpy(&x, &k, sizeof x);
    return x;
}

static inline uint32_t nf__key_f32(float x)
{
    uint32_t k;
    memcpy(&k, &x, sizeof k);
    return k;
}

static inline double nf__f64_of(uint64_t k)
{
    double x;
    memcpy(&x, &k, sizeof x);
    return x;
}

static inline uint64_t nf__key_f64(double x)
{
    uint64_t k;
    memcpy(&k, &x, sizeof k);
    return k;
}

static inline uint32_t nf__bin_of_real(double x)
{
    return x < (double)NF__BIN_TOP ? (uint32_t)x : NF__BIN_TOP;
}

static inline uint32_t nf__bin_of_int(uint64_t x)
{
    return x < NF__BIN_TOP ? (uint32_t)x : NF__BIN_TOP;
}

/* Fetches a line to be written to: a plain prefetch leaves it shared, and the write waits for it again. */
static inline void nf__fetch_to_write(const void *p)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
#else
    __builtin_prefetch(p, 1);
#endif
}

/* Fills a scale for the run's graph; small: for kind_i32. delta > 0. */
void nf__scale_make(const nf__run *run, bool small, double delta, nf__scale *s);

/* The largest key that matters, from the cutoff, rounded up: nothing above it need be pushed. */
uint64_t nf__key_bound(const nf__run *run, nf_type type, bool small);

/* Widens the run's n 32-bit keys, kept in the first half of an array of n int64_t, into that array. */
void nf__widen(const nf__run *run, void *dist);

/* NF_EOVERFLOW if some arc out of a vertex with a label <= bound leaves 64 bits (integers); floats: notes in
 * row->overflowed whether a sum reached +infinity. To be called when a hot label was met. */
nf_status nf__recheck_sums(const nf__run *run, nf__row *row);

#endif
