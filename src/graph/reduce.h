/* reduce.h - parallel arcs made one, for src/graph. */
#ifndef NF_GRAPH_REDUCE_H
#define NF_GRAPH_REDUCE_H

#include "graph/graph.h"

/* Sorts the rows of a CSR by target, keeping the order of equal targets, into fresh arrays. */
nf_status nf__sort_rows(nf_context *ctx, const nf_csr *csr, nf__storage *out);

/* Replaces the arcs of *s by one for each (source, target): least, greatest or summed weight. Rows come out sorted. A
 * sum that leaves the weight type is NF_EOVERFLOW. */
nf_status nf__reduce_duplicates(nf_context *ctx, nf_vid n, nf_type weight_type, nf_duplicates how, nf__storage *s,
                                nf_eid *m);

#endif
