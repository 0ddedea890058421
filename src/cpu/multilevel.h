/* multilevel.h - Dijkstra's algorithm over a monotone bucket queue, with digits of any width; see multilevel.c. */
#ifndef NF_CPU_MULTILEVEL_H
#define NF_CPU_MULTILEVEL_H

#include "cpu/digits.h"

/* begin and end of a method whose digits have `bits` bits; the row. */
nf_status nf__multilevel_begin(nf__run *run, unsigned bits);
void nf__multilevel_end(nf__run *run);
nf_status nf__multilevel_row(nf__run *run, nf__row *row);

#endif
