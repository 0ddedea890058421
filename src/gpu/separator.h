/* separator.h - a run of `separator` on the host: what apsp_separator.cu, which makes parts and border, hands to
 * separator_rows.cu, which makes rows of them. */
#ifndef NF_GPU_SEPARATOR_H
#define NF_GPU_SEPARATOR_H

#include "gpu/dense.h"
#include "gpu/partition.h"
#include "gpu/separator.cuh"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

typedef struct separator {
    nf__run *run;
    device *d;
    nf__partition p;
    nf_type cell;
    dense s;                     /* the matrix that is being closed */
    minplus part, border;        /* shapes */
    minplus left, right;         /* of products: by way of the border matrix, and of a part's */
    part_place *places, *placed; /* parts + 1 on the host, and on the device */
    uint32_t *part_of, *place_of;
    void *inside, *across;
    uint64_t cells, pitch;           /* of the parts' matrices; of the border matrix */
    uint32_t slots, columns, widest; /* of a band: slots, columns; of the widest border, in slots */
    unsigned closed;                 /* parts so far */
    uint64_t again;                  /* rows that were made again */
    uint64_t bands;
    guest single; /* that makes them, once it has begun */
    bool rounded;
} separator;

/* Makes rows from *at on and hands them out; *wider: cells of 32 bits were not enough for row *at (B2). */
nf_status separator_rows(separator *x, uint64_t *at, bool *wider);

template <class Cell> static separated<Cell> view_of(const separator *x)
{
    separated<Cell> s = {};
    s.n = x->p.n;
    s.parts = x->p.parts;
    s.places = x->placed;
    s.part = x->part_of;
    s.place = x->place_of;
    s.inside = static_cast<Cell *>(x->inside);
    s.across = static_cast<Cell *>(x->across);
    s.pitch = x->pitch;
    s.none = none_of(Cell());
    s.limit = limit_of(x->part.positive, Cell());
    return s;
}

} /* namespace SIMT_FLAVOUR */

#endif
