/* reference.h - what a row must be, found the plainest way: relax every arc until nothing changes.
 *
 * Invariants
 *   R1 integers and floats with weights >= 0: the row is exact (the least left-to-right rounded sum), so are its
 *      deterministic parents and owners;
 *   R2 floats with negative weights (`loose`): distances are computed in long double and are to be compared within a
 *      bound; there are no parents to compare.
 * Cost: O(n m) in the worst case, a few passes over the arcs as a rule.
 */
#ifndef NF_CONFORMANCE_REFERENCE_H
#define NF_CONFORMANCE_REFERENCE_H

#include "nearfar.h"

typedef struct ref_row {
    nf_status status; /* NF_OK, or NF_ENEGCYCLE */
    nf_type type;     /* NF_I64, NF_F32, NF_F64: the arithmetic */
    nf_vid n;
    int64_t *i;      /* NF_I64: NF_UNREACHED_I64 where unreached */
    double *f;       /* floats: +infinity where unreached */
    nf_vid *parents; /* deterministic */
    nf_vid *owners;
    bool *walked;  /* reachable along arcs, whatever they weigh */
    bool loose;    /* R2 */
    bool overflow; /* floats: something reachable is at +infinity */
    double scale;  /* loose: the largest magnitude among weights and distances */
} ref_row;

/* hops: every arc counts 1 and type is NF_I64. False when memory ran out. */
bool ref_solve(const nf_csr *csr, bool hops, nf_type type, const nf_vid *sources, uint64_t count, ref_row *row);
void ref_free(ref_row *row);

bool ref_reached(const ref_row *row, nf_vid v);
/* The label of v as a number; +infinity where unreached. Exact for integers below 2^53. */
double ref_value(const ref_row *row, nf_vid v);

static inline nf_eid ref_off(const nf_csr *csr, nf_vid v)
{
    return csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
}

#endif
