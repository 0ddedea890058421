/* cells.h - the cells of a distance matrix, a row at a time: what they hold at first, and what they mean in the end. */
#ifndef NF_CPU_CELLS_H
#define NF_CPU_CELLS_H

#include "cpu/minplus_kernels.h"

/* The most that n - 1 weights add up to, either way. */
double nf__cells_reach(const nf__run *run);

/* Should the solver keep parents, or are they made from tight arcs in the end (D3 of dense.c)? */
bool nf__cells_follow(const nf__run *run);

/* Row i of the matrix before the first step: the arcs of i, 0 to itself, else "no path". p: parents, or NULL. */
void nf__cells_fill(const nf__run *run, nf_type cell, nf_vid i, void *row, nf_vid *p);

/* Does an arc lead from a finite cell of the row to "no path"? Then some sum was cut off. O(m). */
bool nf__cells_cut(const nf__run *run, nf_type cell, const void *row);

/* A closed row in the working type; `to` may be the row, or begin before it as D4 of dense.c has it. */
void nf__cells_read(const nf__run *run, nf_type cell, const void *row, void *to);

/* The knob "vectors" as a name for nf__kernels_for. */
const char *nf__cells_vectors(const nf__run *run, nf_type cell);

#endif
