/* gen_road.h - the invented country behind the `road` generator: where its vertices are, and which lie on a major road.
 *
 * All lengths are in blocks (100 m). Invariants
 *   C1 points are numbered in the order of placing; points i and i+1 with the same line > 0 are neighbours on one major
 * road; C2 the first `towns` points are the towns' centres, with line 0; C3 everything depends on the seed alone:
 * placing is sequential.
 */
#ifndef NF_GRAPH_GEN_ROAD_H
#define NF_GRAPH_GEN_ROAD_H

#include "graph/generate.h"

enum { NF__ROAD_STREET = 0, NF__ROAD_MAIN = 1, NF__ROAD_MOTORWAY = 2 };

typedef struct nf__town {
    double x, y, radius;
    uint64_t size; /* vertices it should get */
    bool big;
} nf__town;

typedef struct nf__country {
    nf__gen *g;
    double side;        /* of the square */
    double lake, river; /* wavelengths; 0: dry */
    uint64_t counter;   /* of random numbers */
    uint32_t towns;
    nf__town *town;    /* ascending by (x, y) */
    uint32_t n, count; /* points wanted, placed */
    double *x, *y;
    uint32_t *line; /* number of the major road, 0: none (C1) */
    uint8_t *rank;  /* NF__ROAD_* of that road; centres: motorway */
    uint32_t lines;
    double spacing; /* of points along major roads */
    uint32_t cells; /* the square is cut in cells x cells buckets of points */
    uint32_t *head, *next;
} nf__country;

/* ---- gen_road_land.c: the land and its towns --------------------------------------------------------------------- */

double nf__country_random(nf__country *c); /* in [0, 1) */
bool nf__country_water(const nf__country *c, double x, double y);
/* 0 .. 1, smooth: where people farm. */
double nf__country_fields(const nf__country *c, double x, double y);
/* Decides on water and towns; places nothing. */
nf_status nf__country_found(nf__country *c);

/* ---- gen_road_map.c: points -------------------------------------------------------------------------------------- */

/* Places all n points. c must be zeroed but for g and n; free it with nf__country_free, always. */
nf_status nf__country_settle(nf__country *c);
void nf__country_free(nf__country *c);
/* Adds a point unless it is outside or another is nearer than `gap` (major roads: than their clearance). */
bool nf__country_place(nf__country *c, double x, double y, double gap);

/* ---- gen_road_lines.c: major roads ------------------------------------------------------------------------------- */

nf_status nf__country_join_towns(nf__country *c);

#endif
