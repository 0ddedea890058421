/* gen_simple.c - graphs without chance in their shape: `complete`, `star`, `path`, `tree`.
 *
 * Method: the edges of each vertex are known in closed form. A directed complete graph has both arcs of every pair,
 * each with a weight of its own; a directed star points outwards, a path forwards, a tree away from its root.
 *
 * Invariant: vertex 0 is the centre, the start, the root. Cost: O(n + m).
 */
#include "graph/generate.h"

static nf_status plan_complete(nf__gen *g)
{
    const nf_status st = nf__gen_plan_n(g, NF_NO_VERTEX);
    const uint64_t arcs = (uint64_t)g->n * (g->n == 0 ? 0 : g->n - 1);
    g->m = g->o.directed ? arcs : arcs / 2;
    if (st == NF_OK && g->m > (UINT64_C(1) << 48))
        return nf__fail(NF_EINVAL, "complete: %u vertices give more than 2^48 edges", g->n);
    return st;
}

static uint64_t row_complete(const nf__gen *g, nf_vid u, nf_vid *dst)
{
    uint64_t count = 0;
    if (dst == NULL)
        return g->o.directed ? g->n - 1 : g->n - 1 - u;
    for (nf_vid v = g->o.directed ? 0 : u + 1; v < g->n; v++)
        if (v != u)
            dst[count++] = v;
    return count;
}

static nf_status make_complete(nf__gen *g)
{
    return nf__gen_rows(g, row_complete);
}

/* Star, path and tree: n - 1 edges, edge e leads to vertex e + 1. */
static nf_status plan_tree(nf__gen *g)
{
    const nf_status st = nf__gen_plan_n(g, NF_NO_VERTEX);
    g->m = g->n == 0 ? 0 : g->n - 1;
    return st;
}

static nf_status plan_k_tree(nf__gen *g)
{
    if (g->o.k == 0)
        return nf__fail(NF_EINVAL, "tree: k (children of a vertex) must be at least 1");
    return plan_tree(g);
}

static void draw_star(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    (void)g;
    *u = 0, *v = (nf_vid)e + 1;
}

static void draw_path(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    (void)g;
    *u = (nf_vid)e, *v = (nf_vid)e + 1;
}

static void draw_tree(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    *u = (nf_vid)(e / g->o.k), *v = (nf_vid)e + 1;
}

static nf_status make_star(nf__gen *g)
{
    return nf__gen_edges(g, draw_star);
}

static nf_status make_path(nf__gen *g)
{
    return nf__gen_edges(g, draw_path);
}

static nf_status make_tree(nf__gen *g)
{
    return nf__gen_edges(g, draw_tree);
}

const nf__generator nf__gen_complete = {
    .info = {"complete", "every pair of vertices joined, with random weights", "n scale directed permute weights"},
    .defaults = {.scale = 10, .weight_min = 1, .weight_max = 255},
    .plan = plan_complete,
    .make = make_complete,
};

const nf__generator nf__gen_star = {
    .info = {"star", "one centre joined to all others", "n scale directed permute weights"},
    .defaults = {.scale = 16},
    .plan = plan_tree,
    .make = make_star,
};

const nf__generator nf__gen_path = {
    .info = {"path", "one line through all vertices", "n scale directed permute weights"},
    .defaults = {.scale = 16},
    .plan = plan_tree,
    .make = make_path,
};

const nf__generator nf__gen_tree = {
    .info = {"tree", "complete tree with k children a vertex", "n scale k directed permute weights"},
    .defaults = {.scale = 16, .k = 2},
    .plan = plan_k_tree,
    .make = make_tree,
};
