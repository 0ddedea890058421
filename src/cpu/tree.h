/* tree.h - some shortest-path tree, from final distances alone, by all threads. */
#ifndef NF_CPU_TREE_H
#define NF_CPU_TREE_H

#include "core/backend.h"

/* Fills row->parent, whose sources point at themselves and all others at NF_NO_VERTEX, from final labels (weights >=
 * 0). An arc u -> v with d[u] + w = d[v] and d[u] < d[v] makes u a parent of v: such parents cannot close a cycle.
 * Vertices that are reached only over arcs that add nothing (weight 0, or a weight that rounding absorbs) are hung on
 * breadth first, below vertices that have a parent. O(n + m); 4 n bytes in that second case only. */
nf_status nf__tree_parents(nf__run *run, nf__row *row);

#endif
