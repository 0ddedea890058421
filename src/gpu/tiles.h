/* tiles.h - the device as the worker of `streamed` and `hybrid` (nf__tile_worker of core/backend.h): matrices that lie
 * in the host's memory or in a file go through it, some rows at a time. */
#ifndef NF_GPU_TILES_H
#define NF_GPU_TILES_H

#include "gpu/algorithms.h"

namespace SIMT_FLAVOUR
{

extern const nf__tile_worker tile_worker;

/* What the driver of the two methods asks for (core/backend.h), and the device's room. */
#define TILES_KNOBS                                                                                                 \
    {"tile", "rows of a tile; 0: from memory", NF_KNOB_INT, "0", 0, 65536, NULL},                                   \
        {"block", "tiles of a block, at most; 0: from memory", NF_KNOB_INT, "0", 0, 65536, NULL},                   \
    {                                                                                                               \
        "memory", "MiB of the device to work in; 0: what it has free, and the context's limit leaves", NF_KNOB_INT, \
            "0", 0, 1 << 24, NULL                                                                                   \
    }

#define TILES_MEMORY                                                                                          \
    "on the device (B + 3 R) n + B (1.25 B + 2 R) cells for blocks of B and tiles of R rows, with parents "   \
    "4 ((B + 3 R) n + B (1.25 B + R)) more, n, B, R: to whole tiles of products; lazy=tile a byte for 1,024 " \
    "cells of (B + R) (B + n); chosen to fit; on the host n^2 "                                               \
    "cells (4 n^2 for parents) unless the result has room for them, or B + 3 R rows for a file"

} /* namespace SIMT_FLAVOUR */

#endif
