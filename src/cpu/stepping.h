/* stepping.h - the bucket engine that delta-stepping, near-far and others share; see stepping.c. */
#ifndef NF_CPU_STEPPING_H
#define NF_CPU_STEPPING_H

#include "core/backend.h"

/* How a method uses the engine. */
typedef struct nf__step_plan {
    double delta;  /* width of a bucket, > 0 */
    uint32_t open; /* buckets open at once, the last of them for all that lies farther; >= 2 */
    /* Not NULL: buckets become narrower where labels in them fall again and again; where they would become too narrow
     * for what the weights span, the rows are left to this method. */
    const nf__algorithm *retreat;
    uint64_t rho; /* > 0: buckets opened anew are so wide that the first holds about so many vertices */
} nf__step_plan;

/* What a run takes, at most. */
#define NF__STEP_MEMORY                                                                                               \
    "8.4 n + 22,000 a thread, of which there is one for 4,608 vertices and arcs; deterministic: + 8 n; parents over " \
    "arcs of weight 0: + 4 n"

/* Makes run->scratch for nf__step_row; freed by nf__step_end. */
nf_status nf__step_begin(nf__run *run, const nf__step_plan *plan);
void nf__step_end(nf__run *run);

/* Fills the row. Weights must not be negative. */
nf_status nf__step_row(nf__run *run, nf__row *row);

/* factor * mean weight / degree; never 0, at least 1 for integers. */
double nf__step_delta(const nf__run *run, double factor, double degree);

/* The delta that delta-stepping takes when none is asked for. */
double nf__delta_of(const nf__run *run);

#endif
