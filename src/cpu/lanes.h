/* lanes.h - one-to-all runs from several sources at once, a lane of a vector each. */
#ifndef NF_CPU_LANES_H
#define NF_CPU_LANES_H

#include "core/backend.h"

/* Arcs and their weights, wherever they lie: arc e leads to to[e * to_step], its weight is weights[e * weight_step]. */
typedef struct nf__strided {
    const nf_vid *to;
    const void *weights;
    size_t to_step, weight_step;
} nf__strided;

/* A run. Labels lie as labels[v * lanes + lane]; "no path" is NF__NONE_I32, NF__NONE_I64 or infinity, and no sum may
 * come near it (T1 of minplus_kernels.c). */
typedef struct nf__lanes {
    const nf_csr *csr;
    nf__strided arcs; /* weights >= 0, of the cell type */
    void *labels;     /* 64 bytes a vertex, aligned so */
    nf_vid *queue;    /* n + 1 */
    uint8_t *listed;  /* n */
    nf_vid first;     /* sources first .. first+count-1 */
    unsigned count;
    nf_vid *const *parents; /* one row a lane, all NF_NO_VERTEX but for the source; or NULL */
    bool (*stop)(void *arg);
    void *stop_arg;
    uint64_t most;             /* settled vertices after which to give up */
    uint64_t settled, relaxed; /* out */
} nf__lanes;

typedef struct nf__lane_kernel {
    const char *name;
    unsigned lanes;
    bool (*run)(nf__lanes *x); /* false: gave up, or was stopped */
} nf__lane_kernel;

/* As nf__kernels_for. */
const nf__lane_kernel *nf__lane_kernel_for(nf_type cell, const char *name);

#endif
