/* gen_rmat.c - recursive-matrix graphs: `rmat` with GTgraph's probabilities, `kronecker` with those of the Graph500.
 *
 * Method: each edge falls through the levels of the adjacency matrix into a quadrant with probabilities a, b, c and
 * 1-a-b-c (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004). Where n is not a
 * power of two, an edge that falls outside is drawn again, and after MOST_TRIES wrapped around.
 *
 * Invariant: edge e uses numbers of its own stream only (N1). Cost: O(m log n).
 */
#include "graph/generate.h"

#define MOST_TRIES 64u

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    const double a = g->o.a, b = g->o.b, c = g->o.c;
    NF_TRY(nf__gen_check_share("a", a));
    NF_TRY(nf__gen_check_share("b", b));
    NF_TRY(nf__gen_check_share("c", c));
    if (a + b + c > 1 + 1e-12)
        st = nf__fail(NF_EINVAL, "a + b + c must be at most 1, not %g", a + b + c);
    NF_TRY(st);
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    NF_TRY(nf__gen_plan_m(g));
done:
    return st;
}

/* The chances as 32-bit thresholds: below a, below a+b, below a+b+c. */
typedef struct thresholds {
    uint64_t a, ab, abc;
} thresholds;

static inline thresholds make_thresholds(const nf_generate_options *o)
{
    const double whole = 0x1.0p32;
    return (thresholds){(uint64_t)(o->a * whole), (uint64_t)((o->a + o->b) * whole),
                        (uint64_t)((o->a + o->b + o->c) * whole)};
}

static inline void step(const thresholds *t, uint64_t r, uint64_t *u, uint64_t *v)
{
    const uint64_t down = r >= t->ab;
    *u = *u << 1 | down;
    *v = *v << 1 | (uint64_t)((r >= t->a) ^ down ^ (r >= t->abc));
}

static void draw(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v)
{
    const thresholds t = make_thresholds(&g->o);
    const uint64_t key = nf__hash64(g->key[NF__KEY_EDGES], e);
    uint32_t levels = 0;
    while ((UINT64_C(1) << levels) < g->n)
        levels++;
    uint64_t a = 0, b = 0, counter = 0;
    for (uint32_t tries = 0; tries < MOST_TRIES; tries++) {
        a = b = 0;
        for (uint32_t level = 0; level < levels; level += 2) {
            const uint64_t bits = nf__hash64(key, counter++);
            step(&t, bits >> 32, &a, &b);
            if (level + 1 < levels)
                step(&t, bits & UINT32_MAX, &a, &b);
        }
        if (a < g->n && b < g->n)
            break;
    }
    *u = (nf_vid)(a % g->n);
    *v = (nf_vid)(b % g->n);
}

static nf_status make(nf__gen *g)
{
    return nf__gen_edges(g, draw);
}

#define PARAMETERS "n scale edges edge_factor a b c directed keep_duplicates permute weights"

const nf__generator nf__gen_rmat = {
    .info = {"rmat", "recursive-matrix graph (R-MAT), skewed degrees; GTgraph's probabilities", PARAMETERS},
    .defaults = {.scale = 16, .edge_factor = 16, .a = 0.45, .b = 0.15, .c = 0.15},
    .plan = plan,
    .make = make,
};

const nf__generator nf__gen_kronecker = {
    .info = {"kronecker", "Kronecker graph of the Graph500: a few vertices of huge degree, short paths", PARAMETERS},
    .defaults = {.scale = 16, .edge_factor = 16, .a = 0.57, .b = 0.19, .c = 0.19, .permute = true},
    .plan = plan,
    .make = make,
};
