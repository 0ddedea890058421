/* step_classes.cuh - the step of `h-bf`: relaxation that treats arcs by their class, so that most need less than an
 * atomic and a place in the queue.
 *
 * Classes, each to be switched off (Busato, Bombieri 2016; Graph Algorithms on GPUs, section 3.2)
 *   in1     the target has one arc in: nobody else lowers it, so a store does for the atomic
 *   loops   an arc from a vertex to itself shortens nothing: not relaxed (lengths >= 0)
 *   sinks   the target has no arc out: its label falls, it is not listed
 *   leaves  the target's one arc out leads back to its one neighbour, where it cannot help: not listed (lengths >= 0)
 * Invariants
 *   R1 to R5 of step_relax.cuh;
 *   H1 a round shows each arc of the frontier once (E1), so a target with one arc in is lowered by one thread a round,
 *      from a label that this thread alone has written since the row began, and listed once;
 *   H2 what is not listed would have lowered nothing.
 */
#ifndef NF_GPU_STEP_CLASSES_CUH
#define NF_GPU_STEP_CLASSES_CUH

#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

/* Classes of a vertex as a target; CLASS_LOOPS is the run's alone. */
enum { CLASS_IN1 = 1, CLASS_SINK = 2, CLASS_LEAF = 4, CLASS_LOOPS = 8 };

/* What was done, counted where asked for. */
enum { DONE_STORES = 0, DONE_ATOMICS, DONE_LOOPS, DONE_SINKS, DONE_LEAVES, DONE_KINDS };

template <class K> struct class_step : relax_step<K> {
    const uint8_t *kind; /* CLASS_* of each vertex */
    unsigned classes;    /* CLASS_* that are switched on */
    word64 *done;        /* DONE_*, or NULL */
};

template <class K> struct is_marking<class_step<K>> {
    static const bool value = true;
};

/* H200, rounds without classes, a launch each, uniform graph of 2^22 vertices and 2^26 edges, two-phase:
 * 512 threads of 64 registers spill, and take 16.7 ms for what 384 of 80 do in 14.7 (docs/results/sssp-h200.md). */
#define CLASS_THREADS 384

template <class K> struct threads_under<class_step<K>> {
    static const int value = CLASS_THREADS;
};

template <class K> static __device__ __forceinline__ void count_done(const class_step<K> &f, int what)
{
    if (f.done != NULL)
        (void)atomicAdd(&f.done[what], 1ull);
}

/* The classes of a target that are switched on; nothing is read where none is. */
template <class K> static __device__ __forceinline__ unsigned kind_of(const class_step<K> &f, uint32_t v)
{
    const unsigned asked = f.classes & (CLASS_IN1 | CLASS_SINK | CLASS_LEAF);
    return asked != 0 ? __ldg(&f.kind[v]) & asked : 0;
}

template <class K>
static __device__ __forceinline__ bool claim(class_step<K> &f, uint32_t u, word64 source, arc_data c, word64 e,
                                             word64 seen, word64 *old)
{
    K sum;
    (void)e;
    if (c.v == u && (f.classes & CLASS_LOOPS) != 0) {
        count_done(f, DONE_LOOPS);
        return false;
    }
    const int how = add_weight(f.s, (K)source, c.w, &sum);
    if (how != SUM_OK) {
        refuse_sum(f, how);
        return false;
    }
    if (sum >= (K)(f.word != NULL ? seen >> 32 : seen) || sum > f.bound)
        return false;
    if ((kind_of(f, c.v) & CLASS_IN1) != 0) { /* H1 */
        *old = seen;
        if (f.word != NULL)
            simt_store_relaxed(&f.word[c.v], word_by(f, u, sum));
        else
            simt_store_relaxed(&f.label[c.v], sum);
        count_done(f, DONE_STORES);
        return true;
    }
    *old = f.word != NULL ? atomicMin(&f.word[c.v], word_by(f, u, sum)) : atomicMin(&f.label[c.v], sum);
    count_done(f, DONE_ATOMICS);
    return true;
}

template <class K>
static __device__ __forceinline__ unsigned judge(class_step<K> &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    const unsigned kind = kind_of(f, c.v);
    K sum;
    (void)seen;
    (void)add_weight(f.s, (K)source, c.w, &sum);
    if (old <= (f.word != NULL ? word_by(f, u, sum) : (word64)sum))
        return VERDICT_NO;
    if (f.pred != NULL)
        simt_store_relaxed(&f.pred[c.v], u);
    if ((kind & (CLASS_SINK | CLASS_LEAF)) != 0) { /* H2 */
        count_done(f, (kind & CLASS_SINK) != 0 ? DONE_SINKS : DONE_LEAVES);
        return VERDICT_NO;
    }
    return (kind & CLASS_IN1) != 0 ? (unsigned)VERDICT_LIST : list_once(f, u, c.v, sum, old);
}

} /* namespace SIMT_FLAVOUR */

#endif
