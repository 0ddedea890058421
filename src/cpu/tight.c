/* tight.c - deterministic parents; method and meaning in tight.h. */
#include "cpu/tight.h"

#include "cpu/distance.h"

#include "cpu/type_i64.h"
#include "cpu/tight_body.h"

#include "cpu/type_f32.h"
#include "cpu/tight_body.h"

#include "cpu/type_f64.h"
#include "cpu/tight_body.h"

nf_status nf__tight_create(nf__mem *mem, nf_vid n, nf__tight *t)
{
    nf_status st = NF_OK;
    NF_TRY_ALLOC(t->hops, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(t->queue, nf__alloc(mem, n, sizeof(nf_vid)));
done:
    return st;
}

void nf__tight_free(nf__tight *t)
{
    nf__free(t->hops);
    nf__free(t->queue);
}

void nf__tight_parents(const nf__run *run, const nf__row *row, const void *weights, const nf__tight *t)
{
    NF__BY_TYPE(row->type, tight_parents)(run, row, weights, t);
}
