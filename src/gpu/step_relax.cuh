/* step_relax.cuh - the step of shortest paths by relaxation: a vertex whose label falls is listed.
 *
 * Labels are keys: unsigned integers K (32 or 64 bits) of the same order as the distances, so that integer atomics
 * serve all types. Integers: distance + bias, the bias being half the range where weights may be negative. Floats: the
 * bits, all of them flipped for negative numbers and the first for others. The largest key (integers), or that of
 * +infinity, is "unreached".
 *
 * Invariants
 *   R1 label[v] only falls, by atomic minimum, and whoever lowers it says so: v is listed for the next round by one of
 *      those who lowered it in this;
 *   R2 integers: arcs are relaxed only from keys that any weight can be added to; another key ends the run (STOP_HOT),
 *      and it is done again in 64 bits. Nothing wraps;
 *   R3 floats are added in their own type; a sum of +infinity is no way (noted in *flags), -infinity ends the run;
 *   R4 atomic64 with 32-bit keys: the word is (key, vertex it came from), lowered by 64-bit atomic minimum as in H-BF
 *      (Busato, Bombieri 2016). There who lowered it looks whether its pair is still in place, and lists v if so, which
 *      may happen again when a later pair of the same round is lower still. Here, as with wider keys and under `exact`,
 *      who lowered it and is first to set the stamp of the round lists v: once, and for one look less at the word.
 *      Steps that mark (is_marking) need no stamp in the first rounds: each lowering that lists, that is to a key below
 *      `unmarked`, leaves its round in the bits of the word that a vertex has no use for, so what the atomic gives back
 *      tells whether v has fallen in this round before, and is listed. Later rounds, which those bits cannot count,
 *      have stamps;
 *   R5 so when the rounds end, the second half of v's word is a vertex with a tight arc to v: a parent.
 */
#ifndef NF_GPU_STEP_RELAX_CUH
#define NF_GPU_STEP_RELAX_CUH

#include "gpu/step_bfs.cuh"

namespace SIMT_FLAVOUR
{

enum { FLAG_INFINITE = 1 };

typedef enum weight_kind { WEIGHT_ONE = 0, WEIGHT_I32, WEIGHT_U32, WEIGHT_F32, WEIGHT_F64 } weight_kind;

/* How keys of a run are added to. */
template <class K> struct scale {
    K low, span; /* integers: keys from low to low + span take any weight */
    K zero;      /* the key of distance 0 */
    K infinity;  /* the key of unreached */
    int weights; /* weight_kind */
    bool real;
};

template <class K> struct relax_step {
    static const bool LISTS = true, EVERY_MAPPING = true, BLIND = false, PILES = false, KEYED = false;
    K *label;        /* or NULL, when word is used */
    word64 *word;    /* atomic64 with 32-bit keys (R4); else NULL */
    uint32_t *stamp; /* exact and atomic64: the round that listed v last; else NULL */
    uint32_t *pred;  /* who lowered v, roughly: for the search for negative cycles; or NULL */
    unsigned *flags; /* FLAG_* */
    unsigned *stop;  /* of the next round */
    scale<K> s;
    K bound; /* keys above are not worth a place */
    uint32_t round;
    K unmarked;           /* R4: keys from this one on carry no round */
    uint32_t marks, mark; /* R4: rounds below this one are told in words; this one's, shifted, or 0 */
    unsigned id_bits;     /* of the vertex in a word; what is above is the round */
};

/* R4: for steps all of whose lowerings below `unmarked` are judged by list_once, or never listed. */
template <class F> struct is_marking {
    static const bool value = false;
};

template <class K> struct is_marking<relax_step<K>> {
    static const bool value = true;
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float real_of(uint32_t k)
{
    return __uint_as_float(k >> 31 != 0 ? k ^ 0x80000000u : ~k);
}

static __device__ __forceinline__ double real_of(word64 k)
{
    return __longlong_as_double((long long)(k >> 63 != 0 ? k ^ 0x8000000000000000ull : ~k));
}

static __device__ __forceinline__ uint32_t key_of(float x)
{
    const uint32_t b = __float_as_uint(x);
    return b >> 31 != 0 ? ~b : b ^ 0x80000000u;
}

static __device__ __forceinline__ word64 key_of(double x)
{
    const word64 b = (word64)__double_as_longlong(x);
    return b >> 63 != 0 ? ~b : b ^ 0x8000000000000000ull;
}

/* A weight in the type of the sum; the one that is given tells which. */
static __device__ __forceinline__ float weight_as(int kind, word64 w, float one)
{
    switch (kind) {
    case WEIGHT_I32: return (float)(int32_t)(uint32_t)w;
    case WEIGHT_U32: return (float)(uint32_t)w;
    case WEIGHT_F32: return __uint_as_float((uint32_t)w);
    case WEIGHT_F64: return (float)__longlong_as_double((long long)w);
    default: return one;
    }
}

static __device__ __forceinline__ double weight_as(int kind, word64 w, double one)
{
    switch (kind) {
    case WEIGHT_I32: return (double)(int32_t)(uint32_t)w;
    case WEIGHT_U32: return (double)(uint32_t)w;
    case WEIGHT_F32: return (double)__uint_as_float((uint32_t)w);
    case WEIGHT_F64: return __longlong_as_double((long long)w);
    default: return one;
    }
}

typedef enum sum_kind { SUM_OK = 0, SUM_HOT, SUM_INFINITE, SUM_LOW } sum_kind;

/* The key of the distance of `key` plus a weight. */
template <class K> static __device__ __forceinline__ int add_weight(const scale<K> &s, K key, word64 w, K *sum)
{
    if (!s.real) {
        const K more = s.weights == WEIGHT_I32   ? (K)(int64_t)(int32_t)(uint32_t)w
                       : s.weights == WEIGHT_U32 ? (K)(uint32_t)w
                                                 : (K)1;
        *sum = key + more;
        return (K)(key - s.low) > s.span ? SUM_HOT : SUM_OK;
    }
    const auto from = real_of(key);
    const auto x = from + weight_as(s.weights, w, (decltype(real_of(key)))1);
    *sum = key_of(x);
    if (*sum >= s.infinity)
        return SUM_INFINITE;
    return *sum <= ~s.infinity ? SUM_LOW : SUM_OK; /* the key of -infinity */
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

template <class K> static __device__ __forceinline__ void begin_round(relax_step<K> &f, unsigned round, slot *next)
{
    f.round = round + 1;
    f.mark = f.round < f.marks ? f.round << f.id_bits : 0;
    f.stop = &next->stop;
}

/* The word of a key that u brings (R4). */
template <class K> static __device__ __forceinline__ word64 word_by(const relax_step<K> &f, uint32_t u, K key)
{
    return (word64)key << 32 | (key < f.unmarked ? f.mark : 0) | u;
}

template <class K> static __device__ __forceinline__ word64 peek(const relax_step<K> &f, uint32_t v)
{
    return f.word != NULL ? simt_load_relaxed(&f.word[v]) : (word64)simt_load_relaxed(&f.label[v]);
}

template <class K>
static __device__ __forceinline__ bool is_worth_a_look(const relax_step<K> &, word64, const arc_data &)
{
    return true; /* labels are asked for together with those of sources */
}

template <class K> static __device__ __forceinline__ word64 source_of(const relax_step<K> &f, uint32_t u)
{
    return f.word != NULL ? peek(f, u) >> 32 : peek(f, u);
}

template <class K> static __device__ __forceinline__ bool is_reached(const relax_step<K> &f, uint32_t v)
{
    return (K)source_of(f, v) != f.s.infinity;
}

/* Target and weight, side by side where weights have 32 bits; once: no neighbour is asked for later. */
template <class K>
static __device__ __forceinline__ void load_weighted_from(const scale<K> &s, const uint32_t *adj, const uint2 *pairs,
                                                          const double *weight64, word64 e, arc_data *c,
                                                          bool once = false)
{
    if (s.weights == WEIGHT_ONE || s.weights == WEIGHT_F64) {
        c->v = __ldg(&adj[e]);
        c->w = s.weights == WEIGHT_F64 ? (word64)__double_as_longlong(__ldg(&weight64[e])) : 1;
        return;
    }
    /* First to leave L2 again, since labels are to stay there; and, where nobody comes back for the rest of a sector,
     * without a place in L1. */
    const uint2 both = once ? simt_load_once(&pairs[e]) : __ldcs(&pairs[e]);
    c->v = both.x;
    c->w = both.y;
}

template <class K, class Off>
static __device__ __forceinline__ void load_weighted(const scale<K> &s, const arena<Off> &a, word64 e, arc_data *c,
                                                     bool once = false)
{
    load_weighted_from(s, a.adj, a.arc, a.weight64, e, c, once);
}

template <class K, class Off>
static __device__ __forceinline__ void load_weighted_arcs(const scale<K> &s, const arena<Off> &a, word64 e,
                                                          arc_data c[AHEAD])
{
    if (s.weights == WEIGHT_ONE || s.weights == WEIGHT_F64) {
        load_targets(a, e, c);
        for (int k = 0; k < AHEAD; k++)
            c[k].w = 1;
        for (int k = 0; k < AHEAD && s.weights == WEIGHT_F64; k += 2) {
            const uint4 x = simt_load16_once(&a.weight64[e + k]);
            c[k].w = ((word64)x.y << 32) | x.x;
            c[k + 1].w = ((word64)x.w << 32) | x.z;
        }
        return;
    }
    for (int k = 0; k < AHEAD; k += 2) {
        const uint4 x = simt_load16_once(&a.arc[e + k]);
        c[k].v = x.x;
        c[k].w = x.y;
        c[k + 1].v = x.z;
        c[k + 1].w = x.w;
    }
}

template <class K, class Off>
static __device__ __forceinline__ void load_arc(const relax_step<K> &f, const arena<Off> &a, word64 e, arc_data *c,
                                                bool once = false)
{
    load_weighted(f.s, a, e, c, once);
}

template <class K, class Off>
static __device__ __forceinline__ void load_arcs(const relax_step<K> &f, const arena<Off> &a, word64 e,
                                                 arc_data c[AHEAD])
{
    load_weighted_arcs(f.s, a, e, c);
}

template <class K, class Off>
static __device__ __forceinline__ void prefetch_weighted(const scale<K> &s, const arena<Off> &a, word64 e)
{
    if (s.weights == WEIGHT_ONE || s.weights == WEIGHT_F64)
        simt_prefetch(&a.adj[e]);
    else
        simt_prefetch(&a.arc[e]);
}

template <class K, class Off>
static __device__ __forceinline__ void prefetch_arcs(const relax_step<K> &f, const arena<Off> &a, word64 e)
{
    prefetch_weighted(f.s, a, e);
}

/* A sum that is no distance (R2, R3). */
template <class K> static __device__ __forceinline__ void refuse_sum(const relax_step<K> &f, int how)
{
    if (how == SUM_INFINITE && (simt_load_relaxed(f.flags) & FLAG_INFINITE) == 0)
        (void)atomicOr(f.flags, (unsigned)FLAG_INFINITE);
    if (how == SUM_HOT || how == SUM_LOW)
        (void)atomicOr(f.stop, (unsigned)(how == SUM_HOT ? STOP_HOT : STOP_LOW));
}

/* Lowers v to the sum where that is less (R1). */
template <class K>
static __device__ __forceinline__ bool claim(relax_step<K> &f, uint32_t u, word64 source, arc_data c, word64 e,
                                             word64 seen, word64 *old)
{
    K sum;
    const int how = add_weight(f.s, (K)source, c.w, &sum);
    (void)e;
    if (how != SUM_OK) {
        refuse_sum(f, how);
        return false;
    }
    if (sum >= (K)(f.word != NULL ? seen >> 32 : seen) || sum > f.bound)
        return false;
    *old = f.word != NULL ? atomicMin(&f.word[c.v], word_by(f, u, sum)) : atomicMin(&f.label[c.v], sum);
    return true;
}

/* Is a vertex that u lowered to `sum` to be listed? (R4) */
template <class K>
static __device__ __forceinline__ unsigned list_once(const relax_step<K> &f, uint32_t u, uint32_t v, K sum, word64 old)
{
    const word64 mine = f.word != NULL ? word_by(f, u, sum) : (word64)sum;
    if (old <= mine)
        return VERDICT_NO;
    if (f.mark != 0)
        return (uint32_t)old >> f.id_bits == f.round ? (unsigned)VERDICT_AGAIN : (unsigned)VERDICT_LIST;
    if (f.stamp == NULL)
        return VERDICT_LIST;
    return atomicExch(&f.stamp[v], f.round) == f.round ? (unsigned)VERDICT_AGAIN : (unsigned)VERDICT_LIST;
}

template <class K>
static __device__ __forceinline__ unsigned judge(relax_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    K sum;
    (void)seen;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    const unsigned verdict = list_once(f, u, c.v, sum, old);
    if (verdict != VERDICT_NO && f.pred != NULL)
        simt_store_relaxed(&f.pred[c.v], u);
    return verdict;
}

template <class K> static __device__ __forceinline__ bool seed(relax_step<K> &f, uint32_t v)
{
    if (f.word != NULL)
        return atomicMin(&f.word[v], ((word64)f.s.zero << 32) | v) >> 32 == f.s.infinity;
    return atomicMin(&f.label[v], f.s.zero) == f.s.infinity;
}

} /* namespace SIMT_FLAVOUR */

#endif
