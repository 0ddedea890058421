/* bellman.h - the Bellman-Ford algorithm as a step that sssp_bellman_ford.c, its frontier form, Johnson and
 * Floyd-Warshall share. */
#ifndef NF_CPU_BELLMAN_H
#define NF_CPU_BELLMAN_H

#include "core/backend.h"

/* Scratch: 12 n bytes. */
typedef struct nf__bellman {
    nf_vid *parent; /* used when the row has none */
    nf_vid *mark;   /* which walk saw a vertex last */
    nf_vid *cycle;
} nf__bellman;

nf_status nf__bellman_create(nf__mem *mem, nf_vid n, nf__bellman *s);
void nf__bellman_free(nf__bellman *s);

/* Scratch of the frontier form: 12 n bytes more. */
typedef struct nf__frontier {
    nf_vid *front, *next; /* vertices whose labels fell in the last round, in this one */
    nf_vid *listed;       /* the round that listed a vertex last */
} nf__frontier;

/* Fills row->dist and row->parent (when not NULL) from the row's sources, or, from_everywhere, as from one more vertex
 * with an arc of weight 0 to every vertex (potentials). A negative cycle is set on the run: NF_ENEGCYCLE. */
nf_status nf__bellman_row(nf__run *run, nf__row *row, bool from_everywhere, nf__bellman *s);

/* The same from the row's sources, relaxing in each round only the arcs of vertices whose labels fell in the last. */
nf_status nf__bellman_frontier_row(nf__run *run, nf__row *row, nf__bellman *s, nf__frontier *f);

#endif
