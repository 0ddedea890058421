/* gen_road_land.c - lakes, rivers and the places of towns for the `road` generator.
 *
 * Method: lakes are the low parts of a smooth random field (value noise on a lattice), rivers the places within a fixed
 * distance of a contour line of another. Towns take cells of a coarse lattice in random order, at a random place in
 * each; the sizes follow Zipf's law.
 *
 * Invariants: C3 of gen_road.h. Cost: O(towns); O(1) a question about water.
 */
#include "graph/gen_road.h"

#define VERTICES_A_TOWN 600u
#define TOWN_SHARE 0.62 /* of all vertices */
#define LAKE_WAVE 170.0 /* blocks */
#define RIVER_WAVE 300.0
#define LAKE_LEVEL 0.27 /* of a field between 0 and 1: about a twentieth of the land */
#define RIVER_WIDTH 1.6
#define TOWN_FILL 0.42 /* of a town's disc that its street pattern fills (gen_road_map.c) */

double nf__country_random(nf__country *c)
{
    return nf__unit(nf__hash64(c->g->key[NF__KEY_PLACES], c->counter++));
}

static double lattice_value(uint64_t key, int64_t i, int64_t j)
{
    return nf__unit(nf__hash64(key, nf__hash64((uint64_t)i, (uint64_t)j)));
}

/* One octave of value noise: random values on a lattice, joined smoothly. */
static double octave(uint64_t key, double x, double y)
{
    const double fx = floor(x), fy = floor(y);
    const int64_t i = (int64_t)fx, j = (int64_t)fy;
    const double tx = x - fx, ty = y - fy;
    const double sx = tx * tx * (3 - 2 * tx), sy = ty * ty * (3 - 2 * ty);
    const double low = lattice_value(key, i, j) * (1 - sx) + lattice_value(key, i + 1, j) * sx;
    const double high = lattice_value(key, i, j + 1) * (1 - sx) + lattice_value(key, i + 1, j + 1) * sx;
    return low * (1 - sy) + high * sy;
}

static double field(uint64_t key, double x, double y)
{
    return (4 * octave(key, x, y) + 2 * octave(key + 1, 2 * x + 0.3, 2 * y + 0.7)
            + octave(key + 2, 4 * x + 0.1, 4 * y + 0.9))
           / 7;
}

double nf__country_fields(const nf__country *c, double x, double y)
{
    return field(nf__hash64(c->g->key[NF__KEY_EXTRA], 3), x / 60, y / 60);
}

/* About the distance to the nearest contour line of the river field. */
static double river_distance(const nf__country *c, double x, double y)
{
    const uint64_t key = nf__hash64(c->g->key[NF__KEY_EXTRA], 2);
    const double step = 0.5, w = c->river;
    const double here = field(key, x / w, y / w);
    const double dx = (field(key, (x + step) / w, y / w) - here) / step;
    const double dy = (field(key, x / w, (y + step) / w) - here) / step;
    return fabs(here - 0.5) / (sqrt(dx * dx + dy * dy) + 0.1 / w);
}

bool nf__country_water(const nf__country *c, double x, double y)
{
    if (c->lake > 0 && field(nf__hash64(c->g->key[NF__KEY_EXTRA], 1), x / c->lake, y / c->lake) < LAKE_LEVEL)
        return true;
    return c->river > 0 && river_distance(c, x, y) < RIVER_WIDTH;
}

/* Small maps get smaller lakes; one that comes out too wet is left dry. */
static void fill_waters(nf__country *c)
{
    int wet = 0;
    c->lake = fmin(LAKE_WAVE, c->side / 2);
    c->river = fmin(RIVER_WAVE, c->side);
    for (int i = 0; i < 400; i++)
        wet += nf__country_water(c, (i % 20 + 0.5) * c->side / 20, (i / 20 + 0.5) * c->side / 20);
    if (wet > 100 || c->n < 200)
        c->lake = c->river = 0;
}

static void size_towns(nf__country *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->towns; i++)
        sum += pow(i + 2.0, -0.95);
    for (uint32_t i = 0; i < c->towns; i++) {
        nf__town *const t = &c->town[i];
        t->size = (uint64_t)(TOWN_SHARE * c->n * pow(i + 2.0, -0.95) / sum);
        t->radius = sqrt((double)t->size / (TOWN_FILL * 3.14159265358979));
        t->big = i < (c->towns + 4) / 5 + 1;
    }
}

/* Town i takes the i-th cell of a shuffled lattice; water is avoided if a few tries can. */
static void place_towns(nf__country *c)
{
    const uint32_t cells = (uint32_t)ceil(sqrt((double)c->towns));
    const nf__shuffle order = nf__shuffle_make(c->g->key[NF__KEY_EXTRA], (uint64_t)cells * cells);
    const double cell = c->side / cells;
    for (uint32_t i = 0; i < c->towns; i++) {
        const uint64_t at = nf__shuffle_at(&order, i);
        nf__town *const t = &c->town[i];
        for (int tries = 0; tries < 12; tries++) {
            t->x = ((double)(at % cells) + 0.12 + 0.76 * nf__country_random(c)) * cell;
            t->y = ((double)(at / cells) + 0.12 + 0.76 * nf__country_random(c)) * cell;
            if (!nf__country_water(c, t->x, t->y))
                break;
        }
    }
}

/* Puts the towns in the order the triangulator wants. */
static nf_status sort_towns(nf__country *c)
{
    nf_status st = NF_OK;
    nf__mem *const mem = c->g->mem;
    uint64_t *keys = NULL, *spare = NULL;
    uint32_t *items = NULL, *spare_items = NULL;
    nf__town *sorted = NULL;
    NF_TRY_ALLOC(keys, nf__alloc(mem, c->towns, sizeof *keys));
    NF_TRY_ALLOC(spare, nf__alloc(mem, c->towns, sizeof *spare));
    NF_TRY_ALLOC(items, nf__alloc(mem, c->towns, sizeof *items));
    NF_TRY_ALLOC(spare_items, nf__alloc(mem, c->towns, sizeof *spare_items));
    NF_TRY_ALLOC(sorted, nf__alloc(mem, c->towns, sizeof *sorted));
    for (uint32_t i = 0; i < c->towns; i++)
        keys[i] = (uint64_t)(c->town[i].x / c->side * NF__MESH_SIDE) << 26
                  | (uint64_t)(c->town[i].y / c->side * NF__MESH_SIDE),
        items[i] = i;
    nf__radix_sort(c->towns, keys, items, spare, spare_items, 52);
    for (uint32_t i = 0; i < c->towns; i++)
        sorted[i] = c->town[items[i]];
    nf__free(c->town);
    c->town = sorted, sorted = NULL;
done:
    nf__free(keys);
    nf__free(spare);
    nf__free(items);
    nf__free(spare_items);
    nf__free(sorted);
    return st;
}

nf_status nf__country_found(nf__country *c)
{
    nf_status st = NF_OK;
    fill_waters(c);
    c->towns = c->n < 100 ? 0 : c->n < 5 * VERTICES_A_TOWN ? 5 : c->n / VERTICES_A_TOWN;
    NF_TRY_ALLOC(c->town, nf__zalloc(c->g->mem, c->towns, sizeof *c->town));
    size_towns(c);
    place_towns(c);
    NF_TRY(sort_towns(c));
done:
    return st;
}
