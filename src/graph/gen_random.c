/* gen_random.c - graphs of independent random edges: `uniform`, `bipartite`, `hub`.
 *
 * Method: uniform draws m pairs (the "random" graph of GTgraph; Erdos and Renyi's G(n, m) with replacement); bipartite
 * draws one end on each side; hub gives each of k hubs an equal part of a share p of the edges and lays the rest
 * between near neighbours, as the nets of a circuit do (supply lines touch everything, signals stay local).
 *
 * Invariant: edge e uses numbers of its own stream only (N1). Cost: O(m).
 */
#include "graph/generate.h"

#define HUB_REACH 16u /* local edges of `hub` span at most this many places */

static nf_status plan_uniform(nf__gen *g)
{
    const nf_status st = nf__gen_plan_n(g, NF_NO_VERTEX);
    return st != NF_OK ? st : nf__gen_plan_m(g);
}

static void draw_uniform(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const uint64_t bits = nf__hash64(g->key[NF__KEY_EDGES], e);
    *u = (nf_vid)nf__below(bits, g->n);
    *v = (nf_vid)nf__below(nf__hash64(g->key[NF__KEY_EXTRA], bits), g->n);
}

static nf_status make_uniform(nf__gen *g)
{
    return nf__gen_edges(g, draw_uniform);
}

/* rows left vertices 0 .. rows-1, cols right ones after them. */
static nf_status plan_bipartite(nf__gen *g)
{
    nf_status st = NF_OK;
    g->rows = g->o.rows, g->cols = g->o.cols;
    if (g->rows == 0 || g->cols == 0) {
        NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
        if (g->rows >= g->n || g->cols >= g->n)
            st = nf__fail(NF_EINVAL, "bipartite: one side has %llu of %u vertices, which leaves none for the other",
                          (unsigned long long)(g->rows > g->cols ? g->rows : g->cols), g->n);
        NF_TRY(st);
        if (g->rows == 0)
            g->rows = g->cols == 0 ? g->n / 2 : g->n - g->cols;
        g->cols = g->n - g->rows;
    }
    g->o.n = g->rows + g->cols;
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    NF_TRY(nf__gen_plan_m(g));
    if (g->rows == 0 || g->cols == 0)
        g->m = 0;
done:
    return st;
}

static void draw_bipartite(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const uint64_t bits = nf__hash64(g->key[NF__KEY_EDGES], e);
    *u = (nf_vid)nf__below(bits, g->rows);
    *v = (nf_vid)(g->rows + nf__below(nf__hash64(g->key[NF__KEY_EXTRA], bits), g->cols));
}

static nf_status make_bipartite(nf__gen *g)
{
    return nf__gen_edges(g, draw_bipartite);
}

static nf_status plan_hub(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_check_share("p (the share of edges at hubs)", g->o.p));
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    if (g->o.k > g->n || (g->o.k == 0 && g->o.p > 0))
        st = nf__fail(NF_EINVAL, "hub: k (the number of hubs) must be between 1 and n = %u, not %u", g->n, g->o.k);
    NF_TRY(st);
    NF_TRY(nf__gen_plan_m(g));
done:
    return st;
}

/* The first share p of the edges belongs to the hubs in turn; the rest is local, one edge for each vertex before any
 * has two. */
static void draw_hub(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const uint64_t bits = nf__hash64(g->key[NF__KEY_EDGES], e), at_hubs = (uint64_t)(g->o.p * (double)g->m);
    if (e < at_hubs) {
        const nf__shuffle places = nf__shuffle_make(g->key[NF__KEY_PLACES], g->n);
        *u = (nf_vid)nf__shuffle_at(&places, e % g->o.k);
        *v = (nf_vid)nf__below(bits, g->n);
        return;
    }
    const uint64_t from = (e - at_hubs) % g->n;
    *u = (nf_vid)from;
    *v = (nf_vid)((from + 1 + nf__below(bits, HUB_REACH)) % g->n);
}

static nf_status make_hub(nf__gen *g)
{
    return nf__gen_edges(g, draw_hub);
}

const nf__generator nf__gen_uniform = {
    .info = {"uniform", "m random pairs of vertices, as GTgraph's random graphs",
             "n scale edges edge_factor directed keep_duplicates permute weights"},
    .defaults = {.scale = 16, .edge_factor = 16},
    .plan = plan_uniform,
    .make = make_uniform,
};

const nf__generator nf__gen_bipartite = {
    .info = {"bipartite", "random edges between `rows` left and `cols` right vertices",
             "n scale rows cols edges edge_factor directed keep_duplicates permute weights"},
    .defaults = {.scale = 16, .edge_factor = 8},
    .plan = plan_bipartite,
    .make = make_bipartite,
};

const nf__generator nf__gen_hub = {
    .info = {"hub", "low mean degree and k vertices of huge degree, like a circuit; p is the hubs' share of the edges",
             "n scale edges edge_factor k p directed keep_duplicates permute weights"},
    .defaults = {.scale = 16, .edge_factor = 2.5, .k = 4, .p = 0.2},
    .plan = plan_hub,
    .make = make_hub,
};
