/* gen_road.c - road networks: planar, hierarchical, connected, with coordinates and travel times.
 *
 * Method: an invented country (gen_road_land.c, gen_road_lines.c, gen_road_map.c) says where the crossings are. Its
 * Delaunay triangulation, less the longest side of every triangle (Urquhart, "Algorithms for computation of relative
 * neighbourhood graph", Electronics Letters 16, 1980), gives streets and lanes: right-angled on the lattices of towns,
 * irregular in the country. Sides along major roads always stay. A share `drop` of the streets, those across water and
 * very long ones are closed, but for the shortest that keep the network in one piece (Kruskal).
 *
 * Invariants
 *   R1 every edge is an edge of one triangulation, so the graph is planar;
 *   R2 the triangulation less its triangles' longest sides is connected, and Kruskal's step keeps it so;
 *   R3 aux[e] is the rank of edge e until the weights are drawn.
 * Weights: travel time in tenths of a second. Coordinates: metres. Cost: O(n log n) time, some 200 bytes a vertex.
 */
#include "graph/gen_road.h"

#define BLOCK_METRES 100.0
#define LONGEST 11.0 /* blocks: longer lanes are closed */
#define SIDE_BITS 26u

enum { CLOSED = 0, SPARE, OPEN }; /* verdicts on an edge of the triangulation */

typedef struct survey {
    nf__gen *g;
    nf__country country;
    uint32_t *point; /* of vertex v: its number in the country */
    int32_t *x, *y;
    nf__mesh mesh;
    uint8_t *verdict, *rank; /* of edge slots */
    uint32_t *leader;        /* union-find */
} survey;

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_check_share("drop", g->o.drop));
    NF_TRY(nf__gen_plan_n(g, NF__MESH_MOST));
    g->m = 2 * (nf_eid)g->n;
    g->extra_bytes = 200 * (uint64_t)g->n;
done:
    return st;
}

/* Numbers the vertices from west to east, on distinct places of the triangulator's grid. */
static nf_status number_vertices(survey *s)
{
    nf_status st = NF_OK;
    const nf__country *const c = &s->country;
    const uint32_t n = c->n;
    uint64_t *keys = NULL, *spare = NULL;
    uint32_t *spare_point = NULL;
    NF_TRY_ALLOC(keys, nf__alloc(s->g->mem, n, sizeof *keys));
    NF_TRY_ALLOC(spare, nf__alloc(s->g->mem, n, sizeof *spare));
    NF_TRY_ALLOC(spare_point, nf__alloc(s->g->mem, n, sizeof *spare_point));
    const double scale = (NF__MESH_SIDE - 1) / c->side;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (uint64_t)(c->x[i] * scale) << SIDE_BITS | (uint64_t)(c->y[i] * scale);
        s->point[i] = i;
    }
    nf__radix_sort(n, keys, s->point, spare, spare_point, 2 * SIDE_BITS);
    for (uint32_t v = 0; v < n; v++) {
        if (v > 0 && keys[v] <= keys[v - 1])
            keys[v] = keys[v - 1] + 1;
        s->x[v] = (int32_t)(keys[v] >> SIDE_BITS);
        s->y[v] = (int32_t)(keys[v] & ((UINT64_C(1) << SIDE_BITS) - 1));
        s->g->xy[2 * (size_t)v] = BLOCK_METRES * c->x[s->point[v]];
        s->g->xy[2 * (size_t)v + 1] = BLOCK_METRES * c->y[s->point[v]];
    }
done:
    nf__free(keys);
    nf__free(spare);
    nf__free(spare_point);
    return st;
}

/* The rank of the major road that runs along a -> b, NF__ROAD_STREET if none does. */
static uint8_t road_between(const nf__country *c, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (c->line[high] == 0)
        return NF__ROAD_STREET;
    const bool along = high - low == 1 && c->line[low] == c->line[high];
    const bool at_town = low < c->towns;
    return along || at_town ? c->rank[high] : NF__ROAD_STREET;
}

static double length2(const survey *s, uint32_t a, uint32_t b)
{
    const double dx = (double)s->x[a] - s->x[b], dy = (double)s->y[a] - s->y[b];
    return dx * dx + dy * dy;
}

/* Urquhart's rule: is e the longest side of a triangle? */
static bool is_longest(const survey *s, uint32_t e)
{
    const uint32_t a = s->mesh.org[e], b = s->mesh.org[e ^ 1u];
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t apex = nf__mesh_apex(&s->mesh, e ^ side);
        if (apex != NF_NO_VERTEX && length2(s, a, b) > length2(s, a, apex) && length2(s, a, b) > length2(s, b, apex))
            return true;
    }
    return false;
}

static bool crosses_water(const nf__country *c, uint32_t a, uint32_t b)
{
    for (int i = 1; i < 8; i++) {
        const double t = i / 8.0;
        if (nf__country_water(c, c->x[a] + t * (c->x[b] - c->x[a]), c->y[a] + t * (c->y[b] - c->y[a])))
            return true;
    }
    return false;
}

static uint8_t judge(const survey *s, uint32_t e, uint8_t *rank)
{
    const uint32_t a = s->point[s->mesh.org[e]], b = s->point[s->mesh.org[e + 1]];
    const nf__country *const c = &s->country;
    const double dx = c->x[a] - c->x[b], dy = c->y[a] - c->y[b], length = sqrt(dx * dx + dy * dy);
    *rank = road_between(c, a, b);
    if (*rank != NF__ROAD_STREET && length < 3 * c->spacing)
        return OPEN;
    *rank = NF__ROAD_STREET;
    if (is_longest(s, e))
        return CLOSED;
    if (nf__unit(nf__hash64(s->g->key[NF__KEY_DROP], e)) < s->g->o.drop || length > LONGEST)
        return SPARE;
    return length > 2 && crosses_water(c, a, b) ? SPARE : OPEN;
}

static nf_status judge_all(survey *s)
{
    const uint64_t slots = 3 * (uint64_t)s->g->n, slab = (uint64_t)1 << 18;
    for (uint64_t lo = 0; lo < slots; lo += slab) {
        const nf_status st = nf__progress(s->g->ctx, "opening roads", lo, slots);
        if (st != NF_OK)
            return st;
        const uint64_t hi = lo + slab < slots ? lo + slab : slots;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(s->g->threads)
        for (uint64_t i = lo; i < hi; i++)
            s->verdict[i] = s->mesh.org[2 * i] == NF_NO_VERTEX ? CLOSED : judge(s, (uint32_t)(2 * i), &s->rank[i]);
    }
    return NF_OK;
}

static uint32_t leader_of(uint32_t *leader, uint32_t v)
{
    while (leader[v] != v)
        v = leader[v] = leader[leader[v]];
    return v;
}

/* Writes edge slot i; returns false, having done nothing, if `needed` and its ends are joined already. */
static bool open_road(survey *s, uint64_t i, bool needed)
{
    nf__arcs *const arcs = &s->g->arcs;
    const uint32_t u = s->mesh.org[2 * i], v = s->mesh.org[2 * i + 1];
    const uint32_t a = leader_of(s->leader, u), b = leader_of(s->leader, v);
    if (needed && a == b)
        return false;
    s->leader[a] = b;
    arcs->src[arcs->m] = u, arcs->dst[arcs->m] = v;
    ((uint8_t *)s->g->aux)[arcs->m++] = s->rank[i];
    return true;
}

/* Kruskal over the spare edges. */
static nf_status open_spares(survey *s, uint64_t count)
{
    nf_status st = NF_OK;
    uint64_t *keys = NULL, *spare_keys = NULL, at = 0;
    uint32_t *slots = NULL, *spare_slots = NULL;
    NF_TRY_ALLOC(keys, nf__alloc(s->g->mem, count, sizeof *keys));
    NF_TRY_ALLOC(spare_keys, nf__alloc(s->g->mem, count, sizeof *spare_keys));
    NF_TRY_ALLOC(slots, nf__alloc(s->g->mem, count, sizeof *slots));
    NF_TRY_ALLOC(spare_slots, nf__alloc(s->g->mem, count, sizeof *spare_slots));
    for (uint64_t i = 0; i < 3 * (uint64_t)s->g->n; i++) {
        if (s->verdict[i] != SPARE)
            continue;
        keys[at] = (uint64_t)length2(s, s->mesh.org[2 * i], s->mesh.org[2 * i + 1]);
        slots[at++] = (uint32_t)i;
    }
    nf__radix_sort(count, keys, slots, spare_keys, spare_slots, 54);
    for (uint64_t i = 0; i < count; i++)
        open_road(s, slots[i], true);
done:
    nf__free(keys);
    nf__free(spare_keys);
    nf__free(slots);
    nf__free(spare_slots);
    return st;
}

static nf_status open_roads(survey *s)
{
    nf_status st = NF_OK;
    const uint64_t slots = 3 * (uint64_t)s->g->n;
    uint64_t spares = 0, wanted = 0;
    for (uint64_t i = 0; i < slots; i++)
        wanted += s->verdict[i] != CLOSED, spares += s->verdict[i] == SPARE;
    NF_TRY(nf__gen_room(s->g, wanted));
    NF_TRY_ALLOC(s->g->aux, nf__alloc(s->g->mem, wanted, 1));
    NF_TRY_ALLOC(s->leader, nf__alloc(s->g->mem, s->g->n, sizeof *s->leader));
    for (uint32_t v = 0; v < s->g->n; v++)
        s->leader[v] = v;
    s->g->arcs.m = 0;
    for (uint64_t i = 0; i < slots; i++)
        if (s->verdict[i] == OPEN)
            open_road(s, i, false);
    NF_TRY(open_spares(s, spares));
done:
    return st;
}

static nf_status make(nf__gen *g)
{
    nf_status st = NF_OK;
    survey s = {.g = g, .country = {.g = g, .n = g->n}};
    NF_TRY(nf__country_settle(&s.country));
    NF_TRY_ALLOC(g->xy, nf__alloc(g->mem, 2 * (uint64_t)g->n, sizeof *g->xy));
    NF_TRY_ALLOC(s.point, nf__alloc(g->mem, g->n, sizeof *s.point));
    NF_TRY_ALLOC(s.x, nf__alloc(g->mem, g->n, sizeof *s.x));
    NF_TRY_ALLOC(s.y, nf__alloc(g->mem, g->n, sizeof *s.y));
    NF_TRY(number_vertices(&s));
    NF_TRY(nf__mesh_make(g->ctx, g->n, s.x, s.y, &s.mesh));
    NF_TRY_ALLOC(s.verdict, nf__alloc(g->mem, 3 * (uint64_t)g->n, 1));
    NF_TRY_ALLOC(s.rank, nf__zalloc(g->mem, 3 * (uint64_t)g->n, 1));
    NF_TRY(judge_all(&s));
    NF_TRY(open_roads(&s));
done:
    nf__country_free(&s.country);
    nf__mesh_free(&s.mesh);
    nf__free(s.point);
    nf__free(s.x);
    nf__free(s.y);
    nf__free(s.verdict);
    nf__free(s.rank);
    nf__free(s.leader);
    return st;
}

/* Tenths of a second at the speed of the edge's rank. */
static double travel_time(const nf__gen *g, nf_eid e, nf_vid u, nf_vid v)
{
    static const double km_per_hour[] = {40, 80, 130};
    const double dx = g->xy[2 * (size_t)u] - g->xy[2 * (size_t)v],
                 dy = g->xy[2 * (size_t)u + 1] - g->xy[2 * (size_t)v + 1];
    const double time = 36 * sqrt(dx * dx + dy * dy) / km_per_hour[((const uint8_t *)g->aux)[e]];
    return time < 1 ? 1 : time;
}

const nf__generator nf__gen_road = {
    .info = {"road", "road network: towns, main roads, motorways, rivers; coordinates in metres, travel times in 0.1 s",
             "n scale drop directed permute weights"},
    .defaults = {.scale = 16, .drop = 0.08},
    .own_type = NF_I32,
    .plan = plan,
    .make = make,
    .weight = travel_time,
};
