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

bool nf__is_tree(const nf_vid *parent, nf_vid n, nf_vid *mark)
{
    for (nf_vid v = 0; v < n; v++)
        mark[v] = NF_NO_VERTEX;
    for (nf_vid v = 0; v < n; v++) {
        nf_vid u = v;
        while (parent[u] != NF_NO_VERTEX && parent[u] != u && mark[u] == NF_NO_VERTEX) {
            mark[u] = v;
            u = parent[u];
        }
        if (parent[u] == NF_NO_VERTEX ? u != v : parent[u] != u && mark[u] == v)
            return false; /* a chain into nothing, or a cycle */
    }
    return true;
}
