/* gen_negative.c - random directed graphs with negative weights: `negative` has no negative cycle, `negative-cycle` has
 * one.
 *
 * Method: Johnson's potentials backwards (Johnson, JACM 24(1), 1977): an arc of weight w >= 0 becomes w + h(u) - h(v)
 * with random h, which leaves the sum around every cycle as it was. The planted cycle has w = 0 all around and one arc
 * that is lower by `dip`.
 *
 * Invariants
 *   W1 weights lie in the range lo .. hi: h in 0 .. -lo, w in 0 .. hi + lo;
 *   W2 all numbers are multiples of one step (1, or a power of two near hi / 2^20), so single weights are exact in
 * every type; W3 the last k+1 edges are the planted cycle and the arc to it from the vertex that will be number 0.
 * Cost: O(n + m).
 */
#include "graph/generate.h"

typedef struct potentials {
    double step;
    uint64_t height, width, dip; /* in steps: h in 0 .. height, w in 0 .. width */
    nf_vid root;
    nf__shuffle places; /* the cycle's vertices are places 0 .. k-1 */
} potentials;

/* The steps of the range; dip is 0 where no cycle is wanted. */
static void measure(const nf__gen *g, bool cycle, potentials *p)
{
    p->step = nf__is_float(g->weight_type) ? exp2(ceil(log2(g->hi)) - 20) : 1.0;
    p->height = (uint64_t)floor(-g->lo / p->step);
    p->width = (uint64_t)floor((g->hi + g->lo) / p->step);
    p->dip = !cycle ? 0 : p->height < 16 ? 1 : p->height / 8;
    p->height = p->height > p->dip ? p->height - p->dip : 0;
}

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    if (!(g->lo < 0 && g->hi >= -g->lo) || g->hi < 1e-30)
        st = nf__fail(NF_EINVAL,
                      "%s: weights must reach from below 0 to at least as far above it, as -50:100, not %g:%g",
                      g->o.kind, g->lo, g->hi);
    NF_TRY(st);
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    NF_TRY(nf__gen_plan_m(g));
done:
    return st;
}

static nf_status plan_cycle(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(plan(g));
    if (g->n < 2 || g->o.k < 2 || g->o.k > g->n)
        st = nf__fail(NF_EINVAL, "negative-cycle: k (the length of the cycle) must be between 2 and n = %u, not %u",
                      g->n, g->o.k);
    else if (g->m < (nf_eid)g->o.k + 1)
        st = nf__fail(NF_EINVAL, "negative-cycle: a cycle of %u needs at least %u edges, not %llu", g->o.k, g->o.k + 1,
                      (unsigned long long)g->m);
done:
    return st;
}

static nf_status prepare(nf__gen *g, bool cycle)
{
    nf_status st = NF_OK;
    potentials *p = NULL;
    NF_TRY_ALLOC(p, nf__zalloc(g->mem, 1, sizeof *p));
    g->aux = p;
    measure(g, cycle, p);
    p->places = nf__shuffle_make(g->key[NF__KEY_PLACES], g->n);
    while (g->o.permute && nf__shuffle_at(&g->shuffle, p->root) != 0)
        p->root++;
done:
    return st;
}

static void draw(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const uint64_t bits = nf__hash64(g->key[NF__KEY_EDGES], e);
    *u = (nf_vid)nf__below(bits, g->n);
    *v = (nf_vid)nf__below(nf__hash64(g->key[NF__KEY_DROP], bits), g->n);
}

static void draw_cycle(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const potentials *const p = g->aux;
    const nf_eid first = g->m - g->o.k - 1;
    if (e < first) {
        draw(g, e, u, v);
        return;
    }
    const uint64_t i = e - first;
    *u = i == g->o.k ? p->root : (nf_vid)nf__shuffle_at(&p->places, i);
    *v = (nf_vid)nf__shuffle_at(&p->places, (i + 1) % g->o.k);
}

static double height_of(const nf__gen *g, nf_vid v)
{
    const potentials *const p = g->aux;
    return (double)nf__below(nf__hash64(g->key[NF__KEY_EXTRA], v), p->height + 1);
}

static double weight(const nf__gen *g, nf_eid e, nf_vid u, nf_vid v)
{
    const potentials *const p = g->aux;
    const double w = (double)nf__below(nf__hash64(g->key[NF__KEY_WEIGHTS], e), p->width + 1);
    return p->step * (w + height_of(g, u) - height_of(g, v));
}

static double weight_cycle(const nf__gen *g, nf_eid e, nf_vid u, nf_vid v)
{
    const potentials *const p = g->aux;
    const nf_eid first = g->m - g->o.k - 1;
    if (e < first || e == g->m - 1)
        return weight(g, e, u, v);
    const double dip = e == g->m - 2 ? (double)p->dip : 0.0;
    return p->step * (height_of(g, u) - height_of(g, v) - dip);
}

static nf_status make(nf__gen *g)
{
    const nf_status st = prepare(g, false);
    return st != NF_OK ? st : nf__gen_edges(g, draw);
}

static nf_status make_cycle(nf__gen *g)
{
    const nf_status st = prepare(g, true);
    return st != NF_OK ? st : nf__gen_edges(g, draw_cycle);
}

const nf__generator nf__gen_negative = {
    .info = {"negative", "random directed graph with negative weights and no negative cycle",
             "n scale edges edge_factor keep_duplicates permute weights"},
    .defaults = {.scale = 12, .edge_factor = 8, .weight_min = -50, .weight_max = 100},
    .flags = NF__GEN_DIRECTED | NF__GEN_OWN_RANGE,
    .own_type = NF_I32,
    .plan = plan,
    .make = make,
    .weight = weight,
};

const nf__generator nf__gen_negative_cycle = {
    .info = {"negative-cycle", "the same with a negative cycle of k arcs within reach of vertex 0",
             "n scale edges edge_factor k keep_duplicates permute weights"},
    .defaults = {.scale = 12, .edge_factor = 8, .k = 5, .weight_min = -50, .weight_max = 100},
    .flags = NF__GEN_DIRECTED | NF__GEN_OWN_RANGE,
    .own_type = NF_I32,
    .plan = plan_cycle,
    .make = make_cycle,
    .weight = weight_cycle,
};
