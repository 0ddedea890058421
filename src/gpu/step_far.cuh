/* step_far.cuh - relaxation in the order of distance, roughly: a vertex whose label falls below the limit is listed,
 * one that is reached for the first time, beyond it, is put off (far.cuh).
 *
 * Invariants
 *   R1 to R5 of step_relax.cuh, for labels below the limit;
 *   D1 weights are not negative: when nothing below the limit is listed, labels below it are final;
 *   D2 in shared memory (near.cuh) entries of 32-bit keys carry the key they were listed with. Each comes from an
 *      atomic that lowered the label, so the keys of a vertex differ, and the least is its label: that entry is valid,
 *      the others are stale. So duplicates need no stamp there; what goes to the queue takes one (Q2).
 */
#ifndef NF_GPU_STEP_FAR_CUH
#define NF_GPU_STEP_FAR_CUH

#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct far_step : relax_step<K> {
    static const bool BLIND = true, PILES = true, KEYED = sizeof(K) == 4;
    K limit;      /* keys below are near */
    K settled;    /* labels below are final */
    K width;      /* integers: from limit to limit */
    double reals; /* floats: the same */
};

/* What is put off is not marked: when it falls again below the limit, in the same round, it is listed. */
template <class K> struct is_marking<far_step<K>> {
    static const bool value = true;
};

/* Sets the width that limits move by, in a step whose scale is known. */
template <class K> static inline void far_width(far_step<K> *f, double delta)
{
    f->width = delta < (double)(f->s.infinity / 2) ? (K)(delta < 1 ? 1 : delta) : f->s.infinity / 2;
    f->reals = delta;
}

template <class K> static __device__ __forceinline__ void set_limit(far_step<K> &f, word64 limit)
{
    f.limit = f.unmarked = (K)limit; /* R4 */
}

template <class K> static __device__ __forceinline__ void set_settled(far_step<K> &f, word64 limit)
{
    f.settled = (K)limit;
}

template <class K> static __device__ __forceinline__ word64 zero_key(const far_step<K> &f)
{
    return f.s.zero;
}

/* The limit that is one width above a key; infinity at most. */
template <class K> static __device__ __forceinline__ word64 limit_after(const far_step<K> &f, word64 from)
{
    const K key = (K)from;
    if (!f.s.real)
        return f.s.infinity - key > f.width ? key + f.width : f.s.infinity;
    const K next = key_of((decltype(real_of(key)))(real_of(key) + f.reals));
    return next > f.s.infinity ? f.s.infinity : next > key ? next : key + 1;
}

/* One width below a limit: labels below that are final (D1), as the limit was set that far above the least that
 * waited. */
template <class K> static __device__ __forceinline__ word64 limit_before(const far_step<K> &f, word64 limit)
{
    const K key = (K)limit;
    if (!f.s.real)
        return key - f.s.zero > f.width ? key - f.width : f.s.zero;
    return key_of((decltype(real_of(key)))(real_of(key) - f.reals));
}

/* Of the sources' phase. */
template <class K> static __device__ __forceinline__ word64 first_limit(const far_step<K> &f)
{
    return limit_after(f, zero_key(f));
}

/* Final ones only. */
template <class K> static __device__ __forceinline__ bool is_reached(const far_step<K> &f, uint32_t v)
{
    return (K)source_of(f, v) < f.settled;
}

/* Of a label that fell from `before` to `sum`. */
template <class K>
static __device__ __forceinline__ bool is_put_off(const far_step<K> &f, K sum, K before, unsigned *verdict)
{
    *verdict = before == f.s.infinity ? VERDICT_FAR : VERDICT_NO; /* F1 */
    return sum >= f.limit;
}

template <class K>
static __device__ __forceinline__ unsigned judge(far_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    K sum;
    unsigned verdict;
    (void)seen;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    if (old <= (f.word != NULL ? word_by(f, u, sum) : (word64)sum))
        return VERDICT_NO;
    if (is_put_off(f, sum, (K)(f.word != NULL ? old >> 32 : old), &verdict))
        return verdict;
    return list_once(f, u, c.v, sum, old);
}

/* ---- in shared memory -------------------------------------------------------------------------------------------- */

/* What v held before; 0 where the sum is no distance. */
template <class K>
static __device__ __forceinline__ word64 claim_blindly(far_step<K> &f, uint32_t u, word64 source, const arc_data &c)
{
    K sum;
    const int how = add_weight(f.s, (K)source, c.w, &sum);
    if (how != SUM_OK)
        refuse_sum(f, how);
    if (how != SUM_OK || sum > f.bound)
        return 0;
    return f.word != NULL ? atomicMin(&f.word[c.v], word_by(f, u, sum)) : (word64)atomicMin(&f.label[c.v], sum);
}

template <class K>
static __device__ __forceinline__ unsigned judge_blindly(far_step<K> &f, uint32_t u, word64 source, const arc_data &c,
                                                         word64 old)
{
    K sum;
    unsigned verdict;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    if (old <= (f.word != NULL ? word_by(f, u, sum) : (word64)sum))
        return VERDICT_NO;
    if (is_put_off(f, sum, (K)(f.word != NULL ? old >> 32 : old), &verdict))
        return verdict;
    return sizeof(K) == 4 && f.word == NULL ? (unsigned)VERDICT_LIST : list_once(f, u, c.v, sum, old);
}

template <class K> static __device__ __forceinline__ void mesh_aim(far_step<K> &f, unsigned *stop)
{
    f.stop = stop;
}

template <class K> static __device__ __forceinline__ const void *label_at(const far_step<K> &f, uint32_t v)
{
    return f.word != NULL ? (const void *)&f.word[v] : (const void *)&f.label[v];
}

/* D2; words list once by themselves. */
template <class K> static __device__ __forceinline__ bool is_valid(const far_step<K> &f, word64 source, uint32_t key)
{
    return f.word != NULL || (uint32_t)source == key;
}

template <class K> static __device__ __forceinline__ bool is_latest(const far_step<K> &f, uint32_t v, uint32_t key)
{
    return is_valid(f, source_of(f, v), key);
}

/* Of those who list v for this round in the queue. */
template <class K> static __device__ __forceinline__ bool is_first(const far_step<K> &f, uint32_t v, unsigned round)
{
    return f.word != NULL || f.stamp == NULL || atomicExch(&f.stamp[v], round) != round;
}

template <class K>
static __device__ __forceinline__ uint32_t key_after(const far_step<K> &f, word64 source, const arc_data &c)
{
    K sum;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    return (uint32_t)sum;
}

} /* namespace SIMT_FLAVOUR */

#endif
