/* check.h - one pass over weights, for src/graph. */
#ifndef NF_GRAPH_CHECK_H
#define NF_GRAPH_CHECK_H

#include "graph/graph.h"

typedef struct nf__weight_scan {
    nf_eid first_bad; /* index of the first NaN or -infinity; m when there is none */
    bool infinite;    /* some are +infinity: arcs to drop */
    bool minus_zero;  /* some are -0.0 */
    bool negative;
} nf__weight_scan;

nf__weight_scan nf__weights_scan(nf_context *ctx, nf_type type, const void *w, nf_eid m);

/* NF_EINVAL naming the first NaN or -infinity of a scan. */
nf_status nf__weights_judge(const nf__weight_scan *scan, nf_type type, const void *w, nf_eid m);

#endif
