/* dijkstra.h - Dijkstra's algorithm as a step that sssp_dijkstra.c and apsp_johnson.c share. */
#ifndef NF_CPU_DIJKSTRA_H
#define NF_CPU_DIJKSTRA_H

#include "core/backend.h"

/* Scratch: the heap and the place of each vertex in it, 8 n bytes. */
typedef struct nf__dijkstra {
    nf_vid *heap;  /* vertices, least distance on top */
    nf_vid *place; /* index in the heap; n: not in it */
    unsigned arity;
} nf__dijkstra;

nf_status nf__dijkstra_create(nf__mem *mem, nf_vid n, unsigned arity, nf__dijkstra *s);
void nf__dijkstra_free(nf__dijkstra *s);

/* Fills row->dist and, when not NULL, row->parent from the row's sources. `weights`, when not NULL, are m non-negative
 * weights of row->type to use in place of the graph's; cutoff and targets are then ignored. */
nf_status nf__dijkstra_row(nf__run *run, nf__row *row, const void *weights, nf__dijkstra *s);

#endif
