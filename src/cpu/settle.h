/* settle.h - what Dijkstra's variants share around their loop (settle_body.h). */
#ifndef NF_CPU_SETTLE_H
#define NF_CPU_SETTLE_H

#include "cpu/key.h"
#include "cpu/tight.h"

/* What a variant keeps in run->scratch, first. */
typedef struct nf__settle {
    nf__tight tight;   /* deterministic runs */
    nf_status failure; /* of a pop */
    bool wide;         /* 32 bits were not enough for an earlier row */
} nf__settle;

/* The loop of one kind: 0 i32, 1 i64, 2 f32, 3 f64. */
typedef nf_status (*nf__settle_kind)(nf__run *run, nf__row *row, bool *hot);

/* Runs a row: 32 bits first where they may do, then 64; looks at sums again where they were near the end of the type;
 * deterministic parents. */
nf_status nf__settle_row(nf__run *run, nf__row *row, nf__settle *s, const nf__settle_kind kinds[4]);

#endif
