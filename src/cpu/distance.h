/* distance.h - the three types that distances are computed in, and how they add.
 *
 * Integers (i64) never wrap: a sum that leaves 64 bits is NF__SUM_OVERFLOW. Floats are added left to right in their own
 * type; a sum that reaches +infinity counts as unreached (NF__SUM_UNREACHED), one that reaches -infinity is
 * NF__SUM_OVERFLOW.
 *
 * An algorithm is written once, in a *_body.h, and included after each of type_i64.h, type_f32.h and type_f64.h. In a
 * body
 *   D            the type                         NAME(x)      x_i64, x_f32 or x_f64
 *   UNREACHED    its "unreached"                  WEIGHT(c, e) the weight of arc e in D
 *   ADD(d, w, s) *s = d + w; an nf__sum           CUTOFF(run)  the cutoff, comparable with D
 *   EPSILON      the rounding unit, 0 for integers
 * and NF__BY_TYPE(type, f) is f_i64, f_f32 or f_f64.
 */
#ifndef NF_CPU_DISTANCE_H
#define NF_CPU_DISTANCE_H

#include <float.h>

#include "core/backend.h"

#define NF__BY_TYPE(type, f) ((type) == NF_I64 ? f##_i64 : (type) == NF_F32 ? f##_f32 : f##_f64)

typedef enum nf__sum { NF__SUM_OK = 0, NF__SUM_UNREACHED, NF__SUM_OVERFLOW } nf__sum;

static inline nf__sum nf__add_i64(int64_t d, int64_t w, int64_t *sum)
{
    return __builtin_add_overflow(d, w, sum) || *sum == NF_UNREACHED_I64 ? NF__SUM_OVERFLOW : NF__SUM_OK;
}

static inline nf__sum nf__add_f32(float d, float w, float *sum)
{
    *sum = d + w;
    return !isinf(*sum) ? NF__SUM_OK : *sum > 0 ? NF__SUM_UNREACHED : NF__SUM_OVERFLOW;
}

static inline nf__sum nf__add_f64(double d, double w, double *sum)
{
    *sum = d + w;
    return !isinf(*sum) ? NF__SUM_OK : *sum > 0 ? NF__SUM_UNREACHED : NF__SUM_OVERFLOW;
}

/* NF_EOVERFLOW for a sum along u -> v; messages are for people, so they name labels. */
static inline nf_status nf__sum_overflow(const nf__run *run, nf_vid u, nf_vid v)
{
    return nf__fail(NF_EOVERFLOW, "the distance by way of vertex %llu to vertex %llu leaves 64 bits, or is -infinity",
                    (unsigned long long)nf_graph_label(run->graph, u),
                    (unsigned long long)nf_graph_label(run->graph, v));
}

#endif
