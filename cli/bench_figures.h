/* bench_figures.h - what the files of `bench gpu-sssp --figures` share: an album of figures.
 *
 * A figure is a table, written as DIR/NAME.tsv, and one or more pictures of its numbers, DIR/NAME-PART.svg.
 */
#ifndef NF_CLI_BENCH_FIGURES_H
#define NF_CLI_BENCH_FIGURES_H

#include "bench.h"

#define ALBUM_LINES 16

typedef struct album {
    bench_field f;      /* the device, and the graph at hand */
    const char *figure; /* the one that is made: the start of its files' names */
    bench_table *table;
    bench_line lines[ALBUM_LINES]; /* of the next picture */
    char names[ALBUM_LINES][32];
    size_t line_count;
    const char *places[BENCH_GPU_GRAPHS]; /* of bars */
    size_t place_count;
} album;

/* Sets a figure's table up. */
void album_table(album *a, const char *name, const char *title, const char *const *columns, size_t count);
/* A point of a line, which is begun where there is none of that name. Not above 0: not drawn. */
void album_point(album *a, const char *line, double x, double y);
/* Draws the lines there are, and forgets them. */
int album_draw(album *a, const char *part, const char *title, const char *x_name, const char *y_name,
               bench_style style);
/* Writes the table. */
int album_write(const album *a);
/* Makes a graph and its answers from so many sources; album_drop ends it. */
int album_take(album *a, const char *name, nf_status made, unsigned sources);
void album_drop(album *a);
/* Runs `each` on every graph of the suite that is asked for and at hand; its number is that of its place. */
int album_over_graphs(album *a, int (*each)(album *a, size_t place));
/* "method" or "method knob=value ..." as one search; the words are kept in the buffer. */
#define ALBUM_KNOBS 4
typedef struct album_how {
    bench_how how;
    char text[128];
    const char *knobs[ALBUM_KNOBS];
} album_how;
void album_how_of(album_how *h, const char *words);
/* A run of its own, with the log going to `hear`. */
int album_listen(album *a, const char *words, nf_vid source, nf_log_fn hear, void *user);

int figure_work(album *a);       /* 001: Table III and Fig. 6 */
int figure_traversals(album *a); /* 001: Fig. 3 */
int figure_fronts(album *a);     /* 001: Fig. 4 */
int figure_times(album *a);      /* 001: Fig. 5 */
int figure_delta(album *a);      /* 001: Fig. 7 */
int figure_dag(album *a);        /* 003: Fig. 3 */
int figure_threads(album *a);    /* 004: Figs. 1.1 and 1.2 */
int figure_pinned(album *a);     /* 004: transfer time and share */
int figure_ways(album *a);       /* 004: Fig. 2 */

#endif
