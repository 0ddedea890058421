/* gen_dag_chain.c - the acyclic graph of the heap experiments: a chain that is every shortest path, hidden under random
 * edges.
 *
 * Method: arcs i -> i+1 of weight 1, and arcs u -> v to random later vertices of weight 2 (v - u), so that the distance
 * from 0 to i stays i. The m arcs are shared out evenly over the vertices, but vertex i has no more than its n-1-i
 * possible targets; targets are distinct. (Random graphs of the parallel bucket heap's evaluation: n = 30,000, m up to
 * n (n-1) / 2.)
 *
 * Invariants
 *   D1 vertex i has min(D, n-1-i) arcs, and the first `rest` vertices, spread evenly, that can take one have one more;
 *   D2 the chain's arc is the first of each vertex, so an arc is of the chain exactly when v = u + 1.
 * Cost: O(n + m).
 */
#include "graph/generate.h"

#define MOST_VERTICES ((uint64_t)1 << 30) /* weights up to 2 n fit i32 */

typedef struct shares {
    uint64_t degree; /* D */
    uint64_t rest;   /* arcs left once every vertex has min(D, n-1-i) */
    uint64_t able;   /* vertices with room for one more: 0 .. able-1 */
} shares;

/* Arcs when every vertex has d of them where it can. */
static uint64_t arcs_with(uint64_t n, uint64_t d)
{
    return d >= n ? n * (n - 1) / 2 : (n - d) * d + d * (d - 1) / 2;
}

static shares share_out(uint64_t n, uint64_t m)
{
    uint64_t lo = 0, hi = n;
    while (hi - lo > 1) {
        const uint64_t mid = lo + (hi - lo) / 2;
        if (arcs_with(n, mid) <= m)
            lo = mid;
        else
            hi = mid;
    }
    return (shares){.degree = lo, .rest = m - arcs_with(n, lo), .able = n - 1 - lo};
}

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_plan_n(g, MOST_VERTICES));
    NF_TRY(nf__gen_plan_m(g));
    const uint64_t most = (uint64_t)g->n * (g->n - 1) / 2;
    if (g->o.edges == 0 && g->m > most)
        g->m = most;
    if (g->o.edges == 0 && g->m < (uint64_t)g->n - 1)
        g->m = (uint64_t)g->n - 1;
    if (g->m < (uint64_t)g->n - 1 || g->m > most)
        st = nf__fail(NF_EINVAL, "dag-chain: %u vertices take %u to %llu edges, not %llu", g->n, g->n - 1,
                      (unsigned long long)most, (unsigned long long)g->m);
done:
    return st;
}

/* count distinct numbers of 0 .. range-1, plus `base`: by going through them all when many are wanted, else by a
 * bijection. */
static void choose(uint64_t key, uint64_t range, uint64_t count, nf_vid base, nf_vid *dst)
{
    if (2 * count > range) {
        for (uint64_t i = 0; count > 0; i++) {
            if (nf__below(nf__hash64(key, i), range - i) < count) {
                *dst++ = base + (nf_vid)i;
                count--;
            }
        }
        return;
    }
    const nf__shuffle s = nf__shuffle_make(key, range);
    for (uint64_t i = 0; i < count; i++)
        dst[i] = base + (nf_vid)nf__shuffle_at(&s, i);
}

static uint64_t row(const nf__gen *g, nf_vid u, nf_vid *dst)
{
    const shares *const s = g->aux;
    const uint64_t room = g->n - 1 - u;
    uint64_t count = room < s->degree ? room : s->degree;
    if (u < s->able)
        count += (u + 1) * s->rest / s->able - u * s->rest / s->able;
    if (dst != NULL && count > 0) {
        dst[0] = u + 1;
        choose(nf__hash64(g->key[NF__KEY_EDGES], u), room - 1, count - 1, u + 2, dst + 1);
    }
    return count;
}

static nf_status make(nf__gen *g)
{
    nf_status st = NF_OK;
    shares *s = NULL;
    NF_TRY_ALLOC(s, nf__alloc(g->mem, 1, sizeof *s));
    g->aux = s;
    *s = share_out(g->n, g->m);
    NF_TRY(nf__gen_rows(g, row));
done:
    return st;
}

static double weight(const nf__gen *g, nf_eid e, nf_vid u, nf_vid v)
{
    (void)g, (void)e;
    return v == u + 1 ? 1.0 : 2.0 * (double)(v - u);
}

const nf__generator nf__gen_dag_chain = {
    .info = {"dag-chain", "directed chain of weight 1 under random forward arcs of weight 2 (v - u); diameter n - 1",
             "n scale edges edge_factor permute weights"},
    .defaults = {.n = 30000, .edge_factor = 16},
    .flags = NF__GEN_DIRECTED,
    .own_type = NF_I32,
    .plan = plan,
    .make = make,
    .weight = weight,
};
