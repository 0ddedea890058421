/* ceiling.h - a label above which sums need not be looked up, for `near-far` where a weight is long beside the paths.
 *
 * A sum can only lower a label that is above it. On random and skewed graphs most vertices have a label after a few
 * rounds, far below the sums over most arcs that are still to come, and looking at the label at the end of each of
 * these is what the device waits for. So sums above a ceiling are passed over without a look, and those few vertices
 * whose labels are above it in the end look at their neighbours themselves (Chakaravarthy, Checconi, Murali, Petrini,
 * Sabharwal, "Scalable single source shortest path algorithms for massively parallel systems", IPDPS 2014, pull long
 * arcs towards what is not settled). Where it is best is found out by a sample: the vertices that some arcs lead to, so
 * that each stands for as many arcs as every other.
 */
#ifndef NF_GPU_CEILING_H
#define NF_GPU_CEILING_H

#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

#define TIPS 1024u        /* arcs of the sample */
#define WEIGHT_PARTS 256u /* of the range of weights */

/* A label of the sample: below 0 where it is final, infinite where there is none. */
typedef struct tip {
    double label;
    unsigned long long key;
} tip;

typedef struct ceiling {
    device *d;
    uint32_t *to;                  /* on the device: where the arcs of the sample lead to */
    tip *tips;                     /* on the device */
    unsigned long long *passed;    /* on the device: a count */
    tip seen[TIPS];                /* their copy */
    float below[WEIGHT_PARTS + 1]; /* share of the weights that are at most so many parts of the largest */
    double parts;                  /* of the largest weight in a unit */
    unsigned count, lifted;        /* for the log: ceilings there were, vertices that were above them */
} ceiling;

/* Can the run have one? Arcs are to lead both ways, weights not to be negative; targets are not known to be final. */
bool ceiling_fits(const nf__run *run);
/* Draws the sample; freed by ceiling_close. */
nf_status ceiling_open(nf__run *run, ceiling **out);
void ceiling_close(ceiling *c);

/* The best ceiling below `now` by the labels seen, which it sorts: its place among them, or TIPS if none is worth it.
 */
unsigned ceiling_choose(ceiling *c, double now);

} /* namespace SIMT_FLAVOUR */

#endif
