/* gen_delaunay.c - the Delaunay triangulation of random points in the unit square.
 *
 * Method: n points of a 2^26 x 2^26 grid, numbered from left to right, triangulated exactly (gen_triangulate.c).
 *
 * Invariant: points that fell together are moved apart by grid steps, so the triangulator's T2 holds.
 * Cost: O(n log n) time, some 100 bytes a vertex.
 */
#include "graph/generate.h"

#define SIDE_BITS 26u

static nf_status plan(nf__gen *g)
{
    const nf_status st = nf__gen_plan_n(g, NF__MESH_MOST);
    g->m = 3 * (nf_eid)g->n;
    g->extra_bytes = 96 * (uint64_t)g->n;
    return st;
}

/* Distinct places x << 26 | y, ascending. */
static nf_status draw_places(const nf__gen *g, uint64_t *places)
{
    nf_status st = NF_OK;
    uint64_t *spare = NULL;
    NF_TRY_ALLOC(spare, nf__alloc(g->mem, g->n, sizeof *spare));
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (nf_vid i = 0; i < g->n; i++)
        places[i] = nf__hash64(g->key[NF__KEY_PLACES], i) >> (64 - 2 * SIDE_BITS);
    nf__radix_sort(g->n, places, NULL, spare, NULL, 2 * SIDE_BITS);
    for (nf_vid i = 1; i < g->n; i++)
        if (places[i] <= places[i - 1])
            places[i] = places[i - 1] + 1;
done:
    nf__free(spare);
    return st;
}

/* Turns the half-edges in use into edges. */
static nf_status take_edges(nf__gen *g, const nf__mesh *mesh)
{
    nf_status st = NF_OK;
    nf_eid m = 0;
    NF_TRY(nf__gen_room(g, g->m));
    for (uint64_t e = 0; e < 6 * (uint64_t)g->n; e += 2) {
        if (mesh->org[e] == NF_NO_VERTEX)
            continue;
        g->arcs.src[m] = mesh->org[e];
        g->arcs.dst[m++] = mesh->org[e + 1];
    }
    g->arcs.m = m;
done:
    return st;
}

static nf_status make(nf__gen *g)
{
    nf_status st = NF_OK;
    nf__mesh mesh = {0};
    uint64_t *places = NULL;
    int32_t *x = NULL, *y = NULL;
    NF_TRY_ALLOC(places, nf__alloc(g->mem, g->n, sizeof *places));
    NF_TRY(draw_places(g, places));
    NF_TRY_ALLOC(x, nf__alloc(g->mem, g->n, sizeof *x));
    NF_TRY_ALLOC(y, nf__alloc(g->mem, g->n, sizeof *y));
    NF_TRY_ALLOC(g->xy, nf__alloc(g->mem, 2 * (uint64_t)g->n, sizeof *g->xy));
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (nf_vid i = 0; i < g->n; i++) {
        x[i] = (int32_t)(places[i] >> SIDE_BITS);
        y[i] = (int32_t)(places[i] & ((UINT64_C(1) << SIDE_BITS) - 1));
        g->xy[2 * (size_t)i] = (double)x[i] / NF__MESH_SIDE;
        g->xy[2 * (size_t)i + 1] = (double)y[i] / NF__MESH_SIDE;
    }
    nf__free(places);
    places = NULL;
    NF_TRY(nf__mesh_make(g->ctx, g->n, x, y, &mesh));
    NF_TRY(take_edges(g, &mesh));
done:
    nf__mesh_free(&mesh);
    nf__free(places);
    nf__free(x);
    nf__free(y);
    return st;
}

const nf__generator nf__gen_delaunay = {
    .info = {"delaunay", "Delaunay triangulation of random points, with coordinates",
             "n scale directed permute weights"},
    .defaults = {.scale = 16},
    .plan = plan,
    .make = make,
};
