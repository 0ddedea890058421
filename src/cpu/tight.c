/* tight.c - deterministic parents; method and meaning in tight.h. */
#include "cpu/tight.h"

#include "cpu/distance.h"

#define WIDE_LEVEL 1024u /* vertices of a level for which threads are woken: a few times what waking them costs */
#define POCKET 256u      /* vertices a thread keeps before it adds them to the queue */

/* The level being made: queue[head .. tail). */
typedef struct level {
    const nf__tight *t;
    uint64_t head, tail;
} level;

typedef struct pocket {
    uint32_t count;
    nf_vid v[POCKET];
} pocket;

static void empty_pocket(level *l, pocket *p)
{
    const uint64_t to = __atomic_fetch_add(&l->tail, p->count, __ATOMIC_RELAXED);
    memcpy(l->t->queue + to, p->v, p->count * sizeof *p->v);
    p->count = 0;
}

static inline void put(level *l, pocket *p, nf_vid v)
{
    if (p->count == POCKET)
        empty_pocket(l, p);
    p->v[p->count++] = v;
}

static inline void lower_parent(nf_vid *parent, nf_vid u)
{
    nf_vid old = __atomic_load_n(parent, __ATOMIC_RELAXED);
    while (u < old && !__atomic_compare_exchange_n(parent, &old, u, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

#include "cpu/type_i64.h"
#include "cpu/tight_body.h"
#include "cpu/tight_shared_body.h"

#include "cpu/type_f32.h"
#include "cpu/tight_body.h"
#include "cpu/tight_shared_body.h"

#include "cpu/type_f64.h"
#include "cpu/tight_body.h"
#include "cpu/tight_shared_body.h"

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

nf_status nf__tight_parents_shared(nf__run *run, const nf__row *row, const nf__tight *t)
{
    const int threads = nf__team_for(run->ctx, (uint64_t)run->csr.n + run->csr.m);
    return NF__BY_TYPE(row->type, tight_shared)(run, row, t, threads);
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
