/* gen_road_map.c - the points of the `road` generator: town centres, major roads, street patterns, farms.
 *
 * Method: a town is a lumpy disc cut into districts (the Voronoi cells of a few seeds), each with a street lattice of
 * its own direction and block shape; blocks become rarer from half the radius outwards. What is left of the n points is
 * scattered over the country, thinner where the field noise is low. Points keep a distance from each other, a larger
 * one from major roads, so that these stay edges of the triangulation.
 *
 * Invariants: C1 .. C3 of gen_road.h. Cost: O(n) expected; 60 bytes a point.
 */
#include "graph/gen_road.h"

#define CELL 2.0        /* blocks; no gap is larger */
#define STREET_GAP 0.55 /* least distance of street crossings */
#define FARM_GAP 1.7
#define FARM_TRIES 60
#define MOST_DISTRICTS 6u
#define NO_POINT UINT32_MAX

typedef struct district {
    double x, y, ux, uy; /* seed; direction of its streets */
    double long_side;    /* of a block; the short one is 1 */
    double jitter;
} district;

typedef struct town_plan {
    const nf__town *town;
    double lump[2], phase[2]; /* of the outline */
    uint64_t key;
    uint32_t count;
    district part[MOST_DISTRICTS];
} town_plan;

static uint32_t cell_at(const nf__country *c, double z)
{
    const double i = z / CELL;
    return i <= 0 ? 0 : i >= c->cells - 1 ? c->cells - 1 : (uint32_t)i;
}

/* True if a point is nearer than gap, or a major road's point nearer than its clearance. */
static bool is_taken(const nf__country *c, double x, double y, double gap)
{
    const double road = fmin(fmax(gap, 0.72 * c->spacing), CELL);
    const uint32_t x0 = cell_at(c, x - CELL), x1 = cell_at(c, x + CELL), y0 = cell_at(c, y - CELL),
                   y1 = cell_at(c, y + CELL);
    for (uint32_t j = y0; j <= y1; j++) {
        for (uint32_t i = x0; i <= x1; i++) {
            for (uint32_t p = c->head[(uint64_t)j * c->cells + i]; p != NO_POINT; p = c->next[p]) {
                const double dx = c->x[p] - x, dy = c->y[p] - y, least = c->line[p] != 0 ? road : gap;
                if (dx * dx + dy * dy < least * least)
                    return true;
            }
        }
    }
    return false;
}

bool nf__country_place(nf__country *c, double x, double y, double gap)
{
    if (c->count >= c->n || x < 0 || y < 0 || x >= c->side || y >= c->side || is_taken(c, x, y, gap))
        return false;
    const uint64_t cell = (uint64_t)cell_at(c, y) * c->cells + cell_at(c, x);
    c->x[c->count] = x, c->y[c->count] = y;
    c->line[c->count] = 0, c->rank[c->count] = NF__ROAD_STREET;
    c->next[c->count] = c->head[cell];
    c->head[cell] = c->count++;
    return true;
}

static void plan_town(nf__country *c, const nf__town *town, uint64_t key, town_plan *plan)
{
    const uint64_t count = 1 + town->size / 600;
    *plan = (town_plan){.town = town, .key = key, .count = (uint32_t)(count < MOST_DISTRICTS ? count : MOST_DISTRICTS)};
    for (int i = 0; i < 2; i++)
        plan->lump[i] = 0.22 * nf__country_random(c), plan->phase[i] = 6.2831853 * nf__country_random(c);
    for (uint32_t i = 0; i < plan->count; i++) {
        district *const d = &plan->part[i];
        const double turn = 6.2831853 * nf__country_random(c), at = 6.2831853 * nf__country_random(c);
        const double r = i == 0 ? 0 : town->radius * (0.35 + 0.5 * nf__country_random(c));
        d->x = town->x + r * cos(at), d->y = town->y + r * sin(at);
        d->ux = cos(turn), d->uy = sin(turn);
        d->long_side = 1 + 0.9 * nf__country_random(c);
        d->jitter = i == 0 ? 0.3 : 0.05 + 0.12 * nf__country_random(c);
    }
}

/* The distance from the centre in units of the outline in that direction. */
static double reach(const town_plan *plan, double x, double y)
{
    const double dx = x - plan->town->x, dy = y - plan->town->y, angle = atan2(dy, dx);
    const double outline =
        1 + plan->lump[0] * sin(2 * angle + plan->phase[0]) + plan->lump[1] * sin(3 * angle + plan->phase[1]);
    return sqrt(dx * dx + dy * dy) / (plan->town->radius * outline);
}

static bool is_nearest(const town_plan *plan, uint32_t i, double x, double y)
{
    const double dx = x - plan->part[i].x, dy = y - plan->part[i].y, own = dx * dx + dy * dy;
    for (uint32_t j = 0; j < plan->count; j++) {
        const double ox = x - plan->part[j].x, oy = y - plan->part[j].y;
        if (ox * ox + oy * oy < own)
            return false;
    }
    return true;
}

/* One crossing of district d's lattice, if it lies in the town and its block is built up. */
static void place_crossing(nf__country *c, const town_plan *plan, uint32_t which, int64_t i, int64_t j)
{
    const district *const d = &plan->part[which];
    const uint64_t bits = nf__hash64(plan->key + which, nf__hash64((uint64_t)i, (uint64_t)j));
    const double a = (double)i + d->jitter * (nf__unit(bits) - 0.5);
    const double b = (double)j * d->long_side + d->jitter * (nf__unit(nf__hash64(bits, 1)) - 0.5);
    const double x = d->x + a * d->ux - b * d->uy, y = d->y + a * d->uy + b * d->ux;
    const double r = reach(plan, x, y);
    if (r > 1.2)
        return;
    const uint64_t block = nf__hash64(plan->key + which, nf__hash64((uint64_t)(i >> 1) + 77, (uint64_t)(j >> 1)));
    const double built = r < 0.5 ? 0.97 : fmax(0.97 - 1.6 * (r - 0.5), 0.1);
    if (nf__unit(block) < built && is_nearest(plan, which, x, y) && !nf__country_water(c, x, y))
        nf__country_place(c, x, y, STREET_GAP);
}

static void build_town(nf__country *c, const nf__town *town, uint64_t key)
{
    town_plan plan;
    plan_town(c, town, key, &plan);
    const int64_t far = (int64_t)(2.1 * town->radius) + 2;
    for (uint32_t which = 0; which < plan.count; which++) {
        const int64_t rows = (int64_t)((double)far / plan.part[which].long_side) + 1;
        for (int64_t j = -rows; j <= rows; j++)
            for (int64_t i = -far; i <= far; i++)
                place_crossing(c, &plan, which, i, j);
    }
}

/* Fills up to n points; when the country is full, anywhere that is not taken already. */
static nf_status scatter_farms(nf__country *c)
{
    nf_status st = NF_OK;
    double gap = FARM_GAP;
    for (uint64_t tries = 0; c->count < c->n; tries++) {
        if (tries % 4096 == 0)
            NF_TRY(nf__progress(c->g->ctx, "settling the country", c->count, c->n));
        if (tries % c->n == c->n - 1 && tries > FARM_TRIES * (uint64_t)c->n / 8)
            gap *= 0.7;
        const double x = c->side * nf__country_random(c), y = c->side * nf__country_random(c);
        const double chance = nf__country_random(c);
        const bool wild =
            gap == FARM_GAP && (chance > 2 * nf__country_fields(c, x, y) - 0.4 || nf__country_water(c, x, y));
        if (!wild)
            nf__country_place(c, x, y, gap);
    }
done:
    return st;
}

static nf_status make_room(nf__country *c)
{
    nf_status st = NF_OK;
    nf__mem *const mem = c->g->mem;
    c->side = 2.5 * sqrt((double)c->n) + 1;
    c->cells = (uint32_t)(c->side / CELL) + 1;
    const uint64_t buckets = (uint64_t)c->cells * c->cells;
    NF_TRY_ALLOC(c->x, nf__alloc(mem, c->n, sizeof *c->x));
    NF_TRY_ALLOC(c->y, nf__alloc(mem, c->n, sizeof *c->y));
    NF_TRY_ALLOC(c->line, nf__alloc(mem, c->n, sizeof *c->line));
    NF_TRY_ALLOC(c->rank, nf__alloc(mem, c->n, sizeof *c->rank));
    NF_TRY_ALLOC(c->next, nf__alloc(mem, c->n, sizeof *c->next));
    NF_TRY_ALLOC(c->head, nf__alloc(mem, buckets, sizeof *c->head));
    memset(c->head, 0xff, buckets * sizeof *c->head);
done:
    return st;
}

nf_status nf__country_settle(nf__country *c)
{
    nf_status st = NF_OK;
    NF_TRY(make_room(c));
    NF_TRY(nf__country_found(c));
    for (uint32_t i = 0; i < c->towns; i++)
        if (nf__country_place(c, c->town[i].x, c->town[i].y, 0))
            c->rank[c->count - 1] = NF__ROAD_MOTORWAY;
    if (c->towns > 1)
        NF_TRY(nf__country_join_towns(c));
    for (uint32_t i = 0; i < c->towns; i++) {
        NF_TRY(nf__progress(c->g->ctx, "building towns", i, c->towns));
        build_town(c, &c->town[i], nf__hash64(c->g->key[NF__KEY_EDGES], i));
    }
    NF_TRY(scatter_farms(c));
done:
    return st;
}

void nf__country_free(nf__country *c)
{
    nf__free(c->town);
    nf__free(c->x);
    nf__free(c->y);
    nf__free(c->line);
    nf__free(c->rank);
    nf__free(c->head);
    nf__free(c->next);
}
