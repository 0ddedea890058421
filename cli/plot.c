/* plot.c - from a result and coordinates to coloured line segments on a grid of screen points.
 *
 * Method: vertices are snapped to a grid a fraction of a pixel wide; an edge becomes an unordered pair of grid points
 * with the colour class of its mean distance; edges that fall on one point or on one another are drawn once. While
 * more than SEGMENT_LIMIT remain, the grid is made coarser (streets too dense to be told apart merge), and where that
 * does not help (long random edges) a fixed share is drawn. Segments of one class are then strung into polylines.
 * Invariants
 *   P1 a segment's ends differ and a < b, so that a pair of points is one key;
 *   P2 classes 0 .. PLOT_CLASSES-1 go from near to far; PLOT_CLASSES is "unreached".
 * Cost: O(n + m) time a grid tried, memory O(n + SEGMENT_LIMIT).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

#define SEGMENT_LIMIT 600000u
#define TABLE_SIZE (1u << 21) /* a power of two, more than three times the limit */
#define MAP_SIDE 1000.0       /* longer side of the map in pixels */
#define MAP_LEAST 160.0       /* shorter side, at least */
#define SLACK 0.01            /* what rounding may move a point out of the frame, in pixels */
#define EMPTY UINT64_MAX

/* ---- values and the frame ---------------------------------------------------------------------------------------- */

static void take_values(plot_map *map, const cli_plot *plot)
{
    map->low = INFINITY;
    map->high = -INFINITY;
    for (nf_vid v = 0; v < map->n; v++) {
        double d = nf_result_distance(plot->result, plot->row, v);
        map->value[v] = (float)d;
        if (!isfinite(d))
            continue;
        map->low = d < map->low ? d : map->low;
        map->high = d > map->high ? d : map->high;
    }
    if (!(map->low <= map->high))
        map->low = 0.0, map->high = 1.0;
}

int plot_class(const plot_map *map, double value)
{
    if (!isfinite(value))
        return PLOT_CLASSES;
    if (map->high <= map->low)
        return 0;
    int class = (int)((value - map->low) / (map->high - map->low) * PLOT_CLASSES);
    return class < 0 ? 0 : class >= PLOT_CLASSES ? PLOT_CLASSES - 1 : class;
}

/* The factor on x: cos(latitude) where coordinates are degrees or millionths of them. */
static double x_factor(const cli_app *app, const double box[4])
{
    double x = fmax(fabs(box[0]), fabs(box[2])), y = fmax(fabs(box[1]), fabs(box[3]));
    bool asked = app->args.projection.index == 2, never = app->args.projection.index == 1;
    bool millionths = x <= 180e6 && y <= 90e6 && fmax(x, y) > 1e6;
    bool degrees = x <= 180.0 && y <= 90.0 && asked;
    if (never || (!millionths && !degrees))
        return 1.0;
    double latitude = (box[1] + box[3]) / 2.0 * (millionths ? 1e-6 : 1.0);
    return fmax(cos(latitude * 3.14159265358979323846 / 180.0), 0.05);
}

static void fit_frame(const cli_app *app, plot_map *map)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (nf_vid v = 0; v < map->n; v++) {
        double x = map->xy[2 * (size_t)v], y = map->xy[2 * (size_t)v + 1];
        if (!isfinite(x) || !isfinite(y))
            continue;
        box[0] = fmin(box[0], x), box[1] = fmin(box[1], y);
        box[2] = fmax(box[2], x), box[3] = fmax(box[3], y);
    }
    if (!(box[0] <= box[2]))
        box[0] = box[1] = 0.0, box[2] = box[3] = 1.0;
    map->fx = x_factor(app, box);
    double w = (box[2] - box[0]) * map->fx, h = box[3] - box[1], side = fmax(w, h);
    map->scale = side > 0.0 ? MAP_SIDE / side : 1.0;
    if (!isfinite(side) || !isfinite(map->scale)) /* no map can show that: everything on one point */
        w = h = 0.0, map->scale = 1.0;
    map->width = fmax(w * map->scale, MAP_LEAST);
    map->height = fmax(h * map->scale, MAP_LEAST);
    map->x0 = box[0] - (map->width - w * map->scale) / 2.0 / (map->scale * map->fx);
    map->y1 = box[3] + (map->height - h * map->scale) / 2.0 / map->scale;
}

bool plot_point(const plot_map *map, nf_vid v, double *x, double *y)
{
    *x = (map->xy[2 * (size_t)v] - map->x0) * map->fx * map->scale;
    *y = (map->y1 - map->xy[2 * (size_t)v + 1]) * map->scale;
    return *x > -SLACK && *x<map->width + SLACK && * y> - SLACK && *y < map->height + SLACK; /* false for NaN */
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t snap(const plot_map *map, nf_vid v)
{
    double x, y;
    if (!plot_point(map, v, &x, &y))
        return UINT32_MAX;
    return (uint32_t)lround(x * map->grid) << 16 | (uint32_t)lround(y * map->grid);
}

/* Adds a segment unless it is there; false when the limit is reached. */
static bool add_segment(plot_map *map, uint64_t *table, uint32_t a, uint32_t b, uint8_t class, uint64_t mask)
{
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, hash = mix(key);
    if (a == b || a == UINT32_MAX || b == UINT32_MAX || (hash >> 32 & mask) != 0)
        return true;
    size_t at = hash & (TABLE_SIZE - 1);
    for (; table[at] != EMPTY; at = (at + 1) & (TABLE_SIZE - 1)) {
        plot_segment *s = &map->segments[table[at]];
        if (((uint64_t)s->a << 32 | s->b) == key) {
            s->class = class < s->class ? class : s->class;
            return true;
        }
    }
    if (map->count == SEGMENT_LIMIT)
        return false;
    table[at] = map->count;
    map->segments[map->count++] = (plot_segment){(uint32_t)(key >> 32), (uint32_t)key, class};
    return true;
}

/* All edges on the present grid, one in mask + 1 of them; false when they are too many. */
static bool collect(plot_map *map, const nf_csr *g, uint64_t *table, uint64_t mask)
{
    map->count = 0;
    for (size_t i = 0; i < TABLE_SIZE; i++)
        table[i] = EMPTY;
    for (nf_vid u = 0; u < g->n; u++) {
        uint64_t from = g->off32 != NULL ? g->off32[u] : g->off64[u],
                 to = g->off32 != NULL ? g->off32[u + 1] : g->off64[u + 1];
        uint32_t a = from < to ? snap(map, u) : 0;
        for (uint64_t e = from; e < to; e++) {
            nf_vid v = g->adj[e];
            int class = plot_class(map, ((double)map->value[u] + (double)map->value[v]) / 2.0);
            if (!add_segment(map, table, a, snap(map, v), (uint8_t) class, mask))
                return false;
        }
    }
    return true;
}

static int compare_segments(const void *p, const void *q)
{
    const plot_segment *a = p, *b = q;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static int make_segments(cli_app *app, plot_map *map)
{
    static const double grids[] = {4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5, 0.35};
    uint64_t *table = malloc(TABLE_SIZE * sizeof *table), mask = 0;
    nf_csr g;
    size_t level = 0;
    map->segments = malloc(SEGMENT_LIMIT * sizeof *map->segments);
    if (table == NULL || map->segments == NULL) {
        free(table);
        return cli_error(app, CLI_MEMORY, "out of memory");
    }
    nf_status st = nf_graph_view(app->ctx, app->graph, &g);
    map->grid = grids[0];
    while (st == NF_OK && !collect(map, &g, table, mask)) {
        if (cli_interrupted())
            st = NF_ECANCELLED;
        else if (level + 1 < sizeof grids / sizeof grids[0])
            map->grid = grids[++level];
        else
            mask = 2 * mask + 1;
    }
    free(table);
    if (st != NF_OK)
        return cli_fail(app, st);
    qsort(map->segments, map->count, sizeof *map->segments, compare_segments);
    return CLI_OK;
}

/* ---- the command's side ------------------------------------------------------------------------------------------ */

int cli_plot_ready(cli_app *app)
{
    if (nf_graph_coordinates(app->graph) != NULL)
        return CLI_OK;
    return cli_error(app, CLI_UNSUPPORTED, "--plot: %s has no coordinates; give them with --coordinates FILE.co",
                     app->graph_name);
}

int cli_plot_write(cli_app *app, const cli_plot *plot, const char *path)
{
    plot_map map = {.n = nf_graph_n(app->graph), .xy = nf_graph_coordinates(app->graph)};
    int code = CLI_OK;
    map.value = malloc(((size_t)map.n + 1) * sizeof *map.value);
    if (map.value == NULL)
        return cli_error(app, CLI_MEMORY, "out of memory");
    take_values(&map, plot);
    fit_frame(app, &map);
    code = make_segments(app, &map);
    if (code == CLI_OK)
        code = plot_svg(app, &map, plot, path);
    free(map.value);
    free(map.segments);
    return code;
}
