/* multilevel.h - Dijkstra's algorithm over a monotone bucket queue, with digits of any width; see multilevel.c. */
#ifndef NF_CPU_MULTILEVEL_H
#define NF_CPU_MULTILEVEL_H

#include "cpu/digits.h"

/* What it takes, at most; the second part when more than 190 buckets are in use at once. */
#define NF__DIGITS_MEMORY                                                                                          \
    "8.3 n + 67,000 + 512 (1 + 63 / b) + 4 B for B = (1 + 63 / b) 2^b buckets of b-bit digits, where b > 3 twice " \
    "that + 256 min(n, B) at worst; deterministic: + 8 n"

/* begin and end of a method whose digits have `bits` bits; the row. */
nf_status nf__multilevel_begin(nf__run *run, unsigned bits);
void nf__multilevel_end(nf__run *run);
nf_status nf__multilevel_row(nf__run *run, nf__row *row);

#endif
