/* minplus_kernels.h - the innermost loops of min-plus products, one set per cell type, for the widest vectors that this
 * processor has. */
#ifndef NF_CPU_MINPLUS_KERNELS_H
#define NF_CPU_MINPLUS_KERNELS_H

#include "core/backend.h"

/* The internal "no path" of integer cells: twice it still fits, and no finite distance is within half of it. */
#define NF__NONE_I32 INT32_C(0x3fffffff)
#define NF__NONE_I64 INT64_C(0x3fffffffffffffff)

/* The largest tile of any kernel, in cells and in bytes. */
#define NF__TILE_CELLS 512
#define NF__TILE_BYTES 4096

/* c[r][x] = min(c[r][x], a[k][r] + b[k][x]) for k < depth, r < rows, x < cols: a and b packed and aligned to 64 bytes,
 * c with ld cells from row to row, of any alignment. True if some c fell.
 * The tracking form also leaves in which[r * cols + x] the k that gave the new c, or UINT32_MAX where it stayed. */
typedef bool (*nf__tile_fn)(const void *a, const void *b, size_t depth, void *c, size_t ld);
typedef bool (*nf__tile_tracking_fn)(const void *a, const void *b, size_t depth, void *c, size_t ld, uint32_t *which);

typedef struct nf__tiler {
    unsigned rows, cols;
    nf__tile_fn plain; /* one of the two */
    nf__tile_tracking_fn tracking;
} nf__tiler;

typedef struct nf__kernels {
    const char *name; /* "avx512", "avx2", "neon" or "portable" */
    nf__tiler plain, tracking;
} nf__kernels;

/* The kernels for cells of a type (NF_I32, NF_I64, NF_F32, NF_F64) by name; NULL: the best of this processor. NULL
 * comes back for a name that this processor or build does not have. `positive` promises that no float is below 0: their
 * bit patterns are then in order as integers, and the minimum runs beside the additions on other ports. */
const nf__kernels *nf__kernels_for(nf_type cell, bool positive, const char *name);

/* Whether this processor runs code for "avx512", "avx2", "neon", "portable" (of those that are in this build). */
bool nf__processor_has(const char *name);

#endif
