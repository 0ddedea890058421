/* sort.h - arcs grouped by source: the one sorting primitive that building, transposing and ordering stand on. */
#ifndef NF_GRAPH_SORT_H
#define NF_GRAPH_SORT_H

#include "graph/graph.h"

/* Where arcs come from: a list (src set) or the rows of a CSR (csr set). Weights may be absent. */
typedef struct nf__arc_source {
    nf_vid n;
    nf_eid m;
    const nf_vid *src; /* NULL: arc e comes from the row of csr that holds e */
    const nf_csr *csr;
    const nf_vid *dst;
    nf_type weight_type;
    const void *w;
    bool reverse; /* take v -> u for every u -> v */
    bool both;    /* take v -> u as well, but a loop once */
    bool drop_loops;
    bool drop_infinite; /* leave out arcs of weight +infinity */
} nf__arc_source;

/* Groups arcs by source, keeping their order within it (stable), into fresh arrays; -0.0 becomes 0.0. If `consumed` is
 * not NULL its arrays (those the source points at) are freed as soon as they have been read. *m is the number of arcs
 * that stayed. Offsets are 32 bits wide when *m < 2^32. */
nf_status nf__sort_arcs(nf_context *ctx, const nf__arc_source *from, nf__arcs *consumed, nf__storage *out, nf_eid *m);

/* A view of storage. */
nf_csr nf__storage_view(const nf__storage *s, nf_vid n, nf_eid m, nf_type weight_type);

#endif
