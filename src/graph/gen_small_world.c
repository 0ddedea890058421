/* gen_small_world.c - the small world of Watts and Strogatz.
 *
 * Method: a ring where each vertex is joined to its k/2 next neighbours on either side; the far end of every edge
 * moves, with probability p, to a random vertex ("Collective dynamics of small-world networks", Nature 393, 1998). An
 * edge that moves onto another one merges with it unless duplicates are kept. SNAP's generator counts k on one side:
 * its k is 2 k here.
 *
 * Invariant: edge (u, j) uses numbers of its own stream only (N1). Cost: O(n k).
 */
#include "graph/generate.h"

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_check_share("p", g->o.p));
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    if (g->o.k % 2 != 0 || (g->o.k >= g->n && g->o.k != 0))
        st = nf__fail(NF_EINVAL, "small-world: k (neighbours of a vertex) must be even and less than n = %u, not %u",
                      g->n, g->o.k);
    NF_TRY(st);
    g->m = (nf_eid)g->n * (g->o.k / 2);
done:
    return st;
}

static void draw(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const uint32_t side = g->o.k / 2;
    const uint64_t from = e / side, bits = nf__hash64(g->key[NF__KEY_EDGES], e);
    uint64_t hop = e % side + 1;
    if (nf__unit(bits) < g->o.p)
        hop = 1 + nf__below(nf__hash64(g->key[NF__KEY_EXTRA], e), (uint64_t)g->n - 1);
    *u = (nf_vid)from;
    *v = (nf_vid)((from + hop) % g->n);
}

static nf_status make(nf__gen *g)
{
    return nf__gen_edges(g, draw);
}

const nf__generator nf__gen_small_world = {
    .info = {"small-world", "Watts-Strogatz ring of k neighbours, edges rewired with probability p",
             "n scale k p directed keep_duplicates permute weights"},
    .defaults = {.scale = 16, .k = 10, .p = 0.3},
    .plan = plan,
    .make = make,
};
