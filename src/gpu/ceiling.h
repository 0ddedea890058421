/* ceiling.h - a label above which sums need not be looked up, for `near-far` where a weight is long beside the paths.
 *
 * A sum can only lower a label that is above it. On random and skewed graphs most vertices have a label after a few
 * rounds, far below the sums over most arcs that are still to come, and looking at the label at the end of each of
 * these is what the device waits for. So sums above a ceiling are passed over, and those few vertices whose labels are
 * above it in the end look at their neighbours themselves (Chakaravarthy, Checconi, Murali, Petrini, Sabharwal,
 * "Scalable single source shortest path algorithms for massively parallel systems", IPDPS 2014, pull long arcs towards
 * what is not settled). Lists lie by weight (ordered.cu), so that most of what is passed over is not even read.
 * Where it is best is found out by a sample: the vertices that some arcs lead to, so that each stands for as many arcs
 * as every other, with the labels that they would have after one more round.
 */
#ifndef NF_GPU_CEILING_H
#define NF_GPU_CEILING_H

#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

#define TIPS 512u         /* arcs of the sample */
#define WEIGHT_PARTS 256u /* of the range of weights */
#define TIP_TRIES 64u     /* labels of it that are tried as ceilings */
#define TIP_PULL \
    2.0f               /* what a vertex above costs for each of its arcs: it is looked for from its own end, and has its
                           * arcs still before it */
#define TIP_WORTH 0.8f /* a new ceiling is to cost at most so much of the one there is */

/* A label of the sample: below 0 where it is final, infinite where there is none. */
typedef struct tip {
    unsigned long long key;
    float label;
} tip;

/* A vertex that waits with a label below a ceiling will look at the ends of those of its arcs that are short enough. */
typedef struct tip_prices {
    float below[WEIGHT_PARTS + 1]; /* share of the weights that are at most so many parts of the largest */
    float parts;                   /* of the largest weight in a unit */
} tip_prices;

/* All of it on the device. */
typedef struct ceiling {
    device *d;
    const device_ordered *lists;
    uint32_t *to; /* where the arcs of the sample lead to */
    tip *tips;
    tip_prices *prices;
    unsigned long long *passed; /* counts: arcs passed over, vertices lifted */
} ceiling;

/* Can the run have one? Arcs are to lead both ways, weights of 32 bits not to be negative, nor sums infinite; targets
 * are not known to be final. */
bool ceiling_fits(const nf__run *run);
/* Is it likely to pay for making lists by weight, and is there room for them? */
bool ceiling_pays(const nf__run *run);
/* Draws the sample and asks for lists by weight; freed by ceiling_close. */
nf_status ceiling_open(nf__run *run, ceiling **out);
void ceiling_close(ceiling *c);

} /* namespace SIMT_FLAVOUR */

#endif
