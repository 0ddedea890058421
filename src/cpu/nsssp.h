/* nsssp.h - one-to-all runs from every vertex, threads over sources: the engine of apsp_n_sssp.c and
 * apsp_johnson_parallel.c. */
#ifndef NF_CPU_NSSSP_H
#define NF_CPU_NSSSP_H

#include "core/backend.h"

/* Makes all rows. `potentials` (n of the working type, J1 of apsp_johnson.c) make every weight >= 0, or are NULL. */
nf_status nf__nsssp_run(nf__run *run, const void *potentials, bool rounded);

#define NF__NSSSP_MEMORY                                                                                        \
    "8 m (16 m for 64-bit sums) and, a thread, 77 n (81 n) + 39,000; deterministic: + 8 n a thread; a sink or " \
    "another type: + 16 rows of 12 n a thread; chosen by auto: half the graph's own bytes + 16 n"

#endif
