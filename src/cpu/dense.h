/* dense.h - all pairs on the n x n matrix: what every dense method does around its solver. */
#ifndef NF_CPU_DENSE_H
#define NF_CPU_DENSE_H

#include "cpu/minplus.h"

/* Closes the whole matrix of `core`; *iterations counts its rounds. */
typedef nf_status (*nf__dense_solver)(nf__minplus *core, uint64_t *iterations);

/* A run of APSP: refuses negative cycles, chooses the cell type, fills the matrix, solves, proves that 32 bits were
 * enough or starts again in 64, makes parents and hands out the rows. */
nf_status nf__dense_run(nf__run *run, nf__dense_solver solve, const char *phase);

/* Bytes that a run would take at least beyond graph and result, with the shallowest slices. */
uint64_t nf__dense_bytes(const nf__run *run);

/* The knob of every dense method: which vectors the kernels use. */
extern const nf_knob_info nf__dense_knob;
#define NF__VECTORS_KNOB                                                                                        \
    {                                                                                                           \
        .name = "vectors", .summary = "instructions of the kernels; what the processor lacks becomes portable", \
        .type = NF_KNOB_CHOICE, .default_text = "best", .choices = "best avx512 avx2 neon portable"             \
    }

#define NF__DENSE_MEMORY                                                                                               \
    "128 n + 6,144 + 6,144 a thread, of which there is one for 48 rows, cells of 4 or 8 bytes + 12 n; with parents + " \
    "512 n + 24,576 + 16 n a thread; all but 12 n lies in the result where cells have 4 bytes and results 8; a sink: " \
    "+ n^2 cells, and 4 n^2 for parents"

#endif
