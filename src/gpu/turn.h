/* turn.h - a method for one source in the middle of a run for all pairs. */
#ifndef NF_GPU_TURN_H
#define NF_GPU_TURN_H

#include "gpu/algorithms.h"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

/* What the run was before. */
typedef struct turn {
    const nf__algorithm *self;
    size_t knobs;
    bool parents, deterministic, cutoff;
} turn;

/* Until turn_end the run is `other`'s, whose knobs have their defaults. */
turn turn_take(nf__run *run, const nf__algorithm *other);
void turn_end(nf__run *run, const turn &t);

/* The device's choice for one source; the run's reason stays. */
const nf__algorithm *turn_choose(nf__run *run);

/* Rows by such a method, with a scratch of its own: it begins, makes them, and finishes (whenever it began, well or
 * not; nothing where it has not). */
typedef struct guest {
    const nf__algorithm *method; /* NULL: it has not begun */
    void *scratch;               /* run->scratch, while it works */
} guest;
nf_status turn_begin(nf__run *run, guest *g, const nf__algorithm *method);
nf_status turn_row(nf__run *run, guest *g, nf__row *row);
void turn_finish(nf__run *run, guest *g);

/* Distances from all vertices at once, 0 or less, into `to`: n of the working type. NF_ENEGCYCLE, with the cycle, if
 * the graph has one anywhere; *rounded: as in nf__row. */
nf_status turn_from_everywhere(nf__run *run, void *to, bool *rounded);

/* The same for its verdict alone; nothing where no weight is negative. */
nf_status turn_refuse_cycles(nf__run *run, bool *rounded);

} /* namespace SIMT_FLAVOUR */

#endif
