/* plot.h - the map between its making (plot.c) and its writing (svg.c). */
#ifndef NF_CLI_PLOT_H
#define NF_CLI_PLOT_H

#include "cli.h"

#define PLOT_CLASSES 64 /* colours from near to far; the class of this number is "unreached" */

typedef struct plot_segment {
    uint32_t a, b; /* grid points, x << 16 | y, a < b */
    uint8_t class;
} plot_segment;

typedef struct plot_map {
    nf_vid n;
    const double *xy;
    float *value;                            /* distances, infinite where unreached */
    double low, high;                        /* over the reached */
    double fx, scale, x0, y1, width, height; /* x = (X - x0) * fx * scale, y = (y1 - Y) * scale, in pixels */
    double grid;                             /* grid points a pixel */
    plot_segment *segments;                  /* sorted by class */
    size_t count;
} plot_map;

int plot_class(const plot_map *map, double value);
/* Where a vertex is on the map, in pixels; false when its coordinates are no numbers. */
bool plot_point(const plot_map *map, nf_vid v, double *x, double *y);
int plot_svg(cli_app *app, const plot_map *map, const cli_plot *plot, const char *path);

#endif
