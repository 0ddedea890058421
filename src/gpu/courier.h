/* courier.h - rows of all pairs on their way from the device to the caller. */
#ifndef NF_GPU_COURIER_H
#define NF_GPU_COURIER_H

#include "gpu/algorithms.h"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

/* Rows as they lie on the device, ready to be handed out. */
typedef struct rows_made {
    uint64_t first, count;
    const void *dist;       /* count * n of courier_type */
    const uint32_t *parent; /* count * n; or NULL */
} rows_made;

/* Some rows travel while those before them are handed out. */
typedef struct courier {
    nf__run *run;
    size_t width; /* of a distance on its way */
    nf__band bands[2];
    void *locked[2][2]; /* of each: distances and parents, where they are page-locked */
    cudaEvent_t sent[2];
    cudaStream_t apart; /* of its own, where rows travel while the device makes others; else NULL */
} courier;

/* Opened for a run, for rows made at most `most` at a time; closed whether it was opened well or not. final: rows are
 * made in the type that is handed out, in which they fit, and there are no bounds to be kept. */
nf_status courier_open(courier *c, nf__run *run, uint64_t most, bool final);
/* The type of rows on their way: that, or the working one. */
nf_type courier_type(const nf__run *run, bool final);
/* Would it pay, and may rows be final? They are of another type, and no bound is the host's to keep. */
bool courier_can_be_final(const nf__run *run);
void courier_close(courier *c);

/* Has rows travel in a stream of their own, if both bands are page-locked: *can. Then rows must have been made, and the
 * device's clock read, before they are delivered. */
nf_status courier_part(courier *c, bool *can);

/* Rows that have come, `i` counted from the first of those made, before they are handed out: counters and flags are
 * filled in, and a row may be made again. */
typedef nf_status (*courier_tell)(void *user, uint64_t i, nf__row *row);

/* Hands out all rows, in order. */
nf_status courier_deliver(courier *c, const rows_made *made, const char *phase, courier_tell tell, void *user);

} /* namespace SIMT_FLAVOUR */

#endif
