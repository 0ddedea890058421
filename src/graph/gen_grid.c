/* gen_grid.c - meshes: `grid2d` (4 neighbours, with coordinates) and `grid3d` (6 neighbours).
 *
 * Method: vertex (r, c) is number r * cols + c, vertex (d, r, c) is (d * rows + r) * cols + c; every edge is left out
 * with probability `drop`. Directed grids keep the arcs to the next column, row and layer only.
 *
 * Invariant: whether edge i of vertex v is there depends on (v, i) only (N1). Cost: O(n).
 */
#include "graph/generate.h"

/* Sides that the caller left open are settled so that the product comes near n. */
static nf_status settle_sides(nf__gen *g, bool solid)
{
    nf_status st = NF_OK;
    uint64_t side[3] = {g->o.rows, g->o.cols, solid ? g->o.depth : 1};
    uint64_t known = 1;
    int open = 0;
    for (int i = 0; i < 3; i++) {
        open += side[i] == 0;
        known = side[i] == 0 ? known : known > NF_NO_VERTEX ? known : known * side[i];
    }
    if (open > 0)
        NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    for (int i = 0; i < 3; i++) {
        if (side[i] != 0)
            continue;
        const uint64_t left = known > g->n ? 1 : g->n / known;
        uint64_t s = open == 1 ? left : (uint64_t)(open == 2 ? sqrt((double)left) : cbrt((double)left) + 1e-9);
        side[i] = s < 1 ? 1 : s;
        known *= side[i];
        open--;
    }
    g->rows = side[0], g->cols = side[1], g->depth = side[2];
    g->o.n = known;
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    g->m = (nf_eid)g->n * (solid ? 3 : 2);
done:
    return st;
}

static nf_status plan_flat(nf__gen *g)
{
    const nf_status st = nf__gen_check_share("drop", g->o.drop);
    return st != NF_OK ? st : settle_sides(g, false);
}

static nf_status plan_solid(nf__gen *g)
{
    const nf_status st = nf__gen_check_share("drop", g->o.drop);
    return st != NF_OK ? st : settle_sides(g, true);
}

/* Writes the arc to v if direction i of u is neither at the border nor dropped. */
static inline uint64_t put(const nf__gen *g, nf_vid u, uint64_t i, bool inside, uint64_t v, nf_vid *dst)
{
    if (!inside || nf__unit(nf__hash64(g->key[NF__KEY_DROP], 4 * (uint64_t)u + i)) < g->o.drop)
        return 0;
    if (dst != NULL)
        *dst = (nf_vid)v;
    return 1;
}

static uint64_t row(const nf__gen *g, nf_vid u, nf_vid *dst)
{
    const uint64_t layer = g->rows * g->cols, r = u % layer / g->cols, c = u % g->cols, d = u / layer;
    uint64_t count = put(g, u, 0, c + 1 < g->cols, (uint64_t)u + 1, dst);
    count += put(g, u, 1, r + 1 < g->rows, u + g->cols, dst == NULL ? NULL : dst + count);
    return count + put(g, u, 2, d + 1 < g->depth, u + layer, dst == NULL ? NULL : dst + count);
}

static nf_status make_solid(nf__gen *g)
{
    return nf__gen_rows(g, row);
}

static nf_status make_flat(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_rows(g, row));
    NF_TRY_ALLOC(g->xy, nf__alloc(g->mem, 2 * (uint64_t)g->n, sizeof *g->xy));
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (nf_vid v = 0; v < g->n; v++) {
        g->xy[2 * (size_t)v] = (double)(v % g->cols);
        g->xy[2 * (size_t)v + 1] = (double)(v / g->cols);
    }
done:
    return st;
}

const nf__generator nf__gen_grid2d = {
    .info = {"grid2d", "rectangular mesh with 4 neighbours and coordinates",
             "n scale rows cols drop directed permute weights"},
    .defaults = {.scale = 16},
    .plan = plan_flat,
    .make = make_flat,
};

const nf__generator nf__gen_grid3d = {
    .info = {"grid3d", "box mesh with 6 neighbours", "n scale rows cols depth drop directed permute weights"},
    .defaults = {.scale = 15},
    .plan = plan_solid,
    .make = make_solid,
};
