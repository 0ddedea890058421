/* gen_road_lines.c - main roads and motorways between the towns of the `road` generator.
 *
 * Method: main roads follow the Gabriel graph of the towns (Gabriel and Sokal, 1969; edges of the Delaunay
 * triangulation whose diametral circle is empty). Motorways follow the routes between big towns that are neighbours in
 * the Gabriel graph of the big towns alone; a route walks the triangulation greedily towards its end, which always
 * arrives (Bose and Morin, 2004). Each road is a gentle curve of points.
 *
 * Invariants: C1 of gen_road.h; roads meet at towns only, but for curves that touch.
 * Cost: O(towns log towns + points).
 */
#include "graph/gen_road.h"

#define PI 3.14159265358979

/* The towns (all, or the big ones), triangulated. */
typedef struct network {
    uint32_t n;
    int32_t *x, *y;
    uint32_t *town;  /* index of each */
    uint32_t *first; /* a half-edge out of each */
    nf__mesh mesh;
} network;

static void network_free(network *t)
{
    nf__mesh_free(&t->mesh);
    nf__free(t->x);
    nf__free(t->y);
    nf__free(t->town);
    nf__free(t->first);
}

static nf_status network_make(const nf__country *c, bool big_only, network *t)
{
    nf_status st = NF_OK;
    nf__mem *const mem = c->g->mem;
    NF_TRY_ALLOC(t->x, nf__alloc(mem, c->towns, sizeof *t->x));
    NF_TRY_ALLOC(t->y, nf__alloc(mem, c->towns, sizeof *t->y));
    NF_TRY_ALLOC(t->town, nf__alloc(mem, c->towns, sizeof *t->town));
    NF_TRY_ALLOC(t->first, nf__alloc(mem, c->towns, sizeof *t->first));
    for (uint32_t i = 0; i < c->towns; i++) {
        if (big_only && !c->town[i].big)
            continue;
        t->x[t->n] = (int32_t)(c->town[i].x / c->side * NF__MESH_SIDE);
        t->y[t->n] = (int32_t)(c->town[i].y / c->side * NF__MESH_SIDE);
        t->town[t->n] = i;
        t->first[t->n++] = NF_NO_VERTEX;
    }
    NF_TRY(nf__mesh_make(c->g->ctx, t->n, t->x, t->y, &t->mesh));
    for (uint32_t e = 0; e < 6 * t->n; e++)
        if (t->mesh.org[e] != NF_NO_VERTEX)
            t->first[t->mesh.org[e]] = e;
done:
    return st;
}

static double square(double x)
{
    return x * x;
}

static double distance2(const network *t, uint32_t a, uint32_t b)
{
    return square((double)t->x[a] - t->x[b]) + square((double)t->y[a] - t->y[b]);
}

/* True if neither triangle at the edge has its third corner inside the diametral circle. */
static bool is_gabriel(const network *t, uint32_t e)
{
    const uint32_t a = t->mesh.org[e], b = t->mesh.org[e ^ 1u];
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t apex = nf__mesh_apex(&t->mesh, e ^ side);
        if (apex != NF_NO_VERTEX && distance2(t, a, apex) + distance2(t, b, apex) < distance2(t, a, b))
            return false;
    }
    return true;
}

/* Marks the way from one town to another as a motorway. */
static void mark_route(const network *t, uint8_t *rank, uint32_t from, uint32_t to)
{
    while (from != to) {
        uint32_t best = t->first[from], e = best;
        do {
            if (distance2(t, t->mesh.org[e ^ 1u], to) < distance2(t, t->mesh.org[best ^ 1u], to))
                best = e;
            e = t->mesh.onext[e];
        } while (e != t->first[from]);
        rank[best / 2] = NF__ROAD_MOTORWAY;
        from = t->mesh.org[best ^ 1u];
    }
}

/* rank[i] becomes 1 + NF__ROAD_... for edges that carry a road: here main and motorway only, 0 for none. */
static nf_status choose_roads(const nf__country *c, const network *all, uint8_t *rank)
{
    nf_status st = NF_OK;
    network big = {0};
    NF_TRY(network_make(c, true, &big));
    for (uint32_t e = 0; e < 6 * all->n; e += 2)
        if (all->mesh.org[e] != NF_NO_VERTEX && is_gabriel(all, e))
            rank[e / 2] = NF__ROAD_MAIN;
    for (uint32_t e = 0; e < 6 * big.n; e += 2)
        if (big.mesh.org[e] != NF_NO_VERTEX && is_gabriel(&big, e))
            mark_route(all, rank, big.town[big.mesh.org[e]], big.town[big.mesh.org[e + 1]]);
done:
    network_free(&big);
    return st;
}

/* Places the points of one road: a straight line swayed by three sines. */
static void draw_road(nf__country *c, const nf__town *a, const nf__town *b, uint8_t rank)
{
    const double dx = b->x - a->x, dy = b->y - a->y, length = sqrt(dx * dx + dy * dy);
    const double sway[3] = {0.16 * (nf__country_random(c) - 0.5), 0.1 * (nf__country_random(c) - 0.5),
                            0.05 * (nf__country_random(c) - 0.5)};
    const uint64_t steps = (uint64_t)(length / c->spacing);
    const uint32_t line = ++c->lines;
    for (uint64_t i = 1; i < steps; i++) {
        const double t = (double)i / (double)steps;
        const double off = sway[0] * sin(PI * t) + sway[1] * sin(2 * PI * t) + sway[2] * sin(3 * PI * t);
        if (!nf__country_place(c, a->x + t * dx - off * dy, a->y + t * dy + off * dx, 0.6 * c->spacing))
            continue;
        c->line[c->count - 1] = line;
        c->rank[c->count - 1] = rank;
    }
}

static double length_of_roads(const nf__country *c, const network *all, const uint8_t *rank)
{
    double sum = 0;
    for (uint32_t e = 0; e < 6 * all->n; e += 2)
        if (all->mesh.org[e] != NF_NO_VERTEX && rank[e / 2] != 0)
            sum += sqrt(distance2(all, all->mesh.org[e], all->mesh.org[e + 1])) * c->side / NF__MESH_SIDE;
    return sum;
}

nf_status nf__country_join_towns(nf__country *c)
{
    nf_status st = NF_OK;
    network all = {0};
    uint8_t *rank = NULL;
    NF_TRY(network_make(c, false, &all));
    NF_TRY_ALLOC(rank, nf__zalloc(c->g->mem, 3 * (uint64_t)all.n, sizeof *rank));
    NF_TRY(choose_roads(c, &all, rank));
    c->spacing = fmax(1.4, length_of_roads(c, &all, rank) / (0.18 * c->n));
    for (uint8_t pass = NF__ROAD_MOTORWAY; pass >= NF__ROAD_MAIN; pass--)
        for (uint32_t e = 0; e < 6 * all.n; e += 2)
            if (all.mesh.org[e] != NF_NO_VERTEX && rank[e / 2] == pass)
                draw_road(c, &c->town[all.mesh.org[e]], &c->town[all.mesh.org[e + 1]], pass);
done:
    network_free(&all);
    nf__free(rank);
    return st;
}
