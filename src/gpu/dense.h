/* dense.h - all pairs on the n x n matrix: what every dense method of the device does around its solver. */
#ifndef NF_GPU_DENSE_H
#define NF_GPU_DENSE_H

#include "gpu/algorithms.h"
#include "gpu/minplus.h"

namespace SIMT_FLAVOUR
{

typedef struct dense {
    nf__run *run;
    device *d;
    uint32_t n;
    minplus x;
    uint64_t iterations;      /* rounds of the solver */
    const char *phase;        /* for progress */
    int form;                 /* asked for; -1: none */
    bool narrows;             /* the solver closes cells of 16 bits, too */
    bool counts;              /* cells are integers, whole multiples of 2^grain, though distances are floats (D6) */
    int grain;                /* else 0 */
    bool rounded, overflowed; /* of rows: NF_INFO_ROUNDED, from the search for cycles; NF_INFO_FLOAT_OVERFLOW */
    cudaEvent_t reached[2];   /* what the stream has got to: at most two rounds are under way */
    uint64_t marks;
} dense;

/* Closes the matrix of s->x, all on the device's stream. */
typedef nf_status (*dense_solver)(dense *s);

/* A run of APSP: refuses negative cycles, chooses the cells, fills the matrix, solves, proves that 16 or 32 bits were
 * enough or starts again in 32 or 64, and hands out the rows with their parents. form: of tiles, or -1; narrows: the
 * solver may have cells of 16 bits, and the method the knob that says when. */
nf_status dense_run(nf__run *run, dense_solver solve, int form, bool narrows, const char *phase);

/* The form that the knob asks for; -1: by the number of vertices. */
int dense_form(const nf__run *run);

/* May half of the matrix be enough, if it is symmetric? By the knobs, if the method has that of symmetric matrices, and
 * its size. */
bool dense_may_halve(const nf__run *run);
/* Will it, as the graph is undirected? */
bool dense_symmetric(const nf__run *run);

/* What is left out, LAZY_*, by the knob if the method has it, and the arcs of the graph; nothing where half of the
 * matrix is. */
int dense_lazy(const nf__run *run);

/* Ends a round of the solver: waits for the round before the last, polls, and reports done of total. */
nf_status dense_mark(dense *s, uint64_t done, uint64_t total);

/* Floyd-Warshall in blocks of x.deep over the matrix of s->x, whose first s->n vertices count
 * (apsp_blocked_floyd_warshall.cu); ahead: the next block after the product, beside it, and the product in halves, or
 * so where that is worth it. */
enum { AHEAD_OFF, AHEAD_ON, AHEAD_HALVES, AHEAD_AUTO };
nf_status dense_by_blocks(dense *s, int ahead);

/* The most that n - 1 weights add up to, either way. */
double dense_reach(const nf__run *run);

/* Cells to begin with, but for those of 16 bits: 32 where they surely or hopefully do (D2 of dense.cu). */
nf_type dense_cell(const nf__run *run);

/* Bytes on the device that the run would take at most, beside the graph. */
uint64_t dense_bytes(const nf__run *run);

/* The knob of methods that multiply. */
extern const nf_knob_info dense_tile_knob;
#define DENSE_TILE_KNOB                                                                                        \
    {                                                                                                          \
        "tile", "of products: rows and columns that a block keeps in registers", NF_KNOB_CHOICE, "auto", 0, 0, \
            "auto small medium large"                                                                          \
    }

#define DENSE_LAZY_KNOB                                                                                             \
    {                                                                                                               \
        "lazy", "sums with no path left out: each, or by 32 x 32 cells (auto: that, where sparse)", NF_KNOB_CHOICE, \
            "auto", 0, 0, "auto none op tile"                                                                       \
    }
#define DENSE_CELLS_KNOB                                                                                             \
    {                                                                                                                \
        "cells", "bits of integers, or floats; auto: what is fastest if paths fit; with parents 32", NF_KNOB_CHOICE, \
            "auto", 0, 0, "auto 16 32 float"                                                                         \
    }
#define DENSE_SYMMETRIC_KNOB                                                                                 \
    {                                                                                                        \
        "symmetric", "matrices that are: the half above the diagonal, and that mirrored (auto: large ones)", \
            NF_KNOB_CHOICE, "auto", 0, 0, "auto on off"                                                      \
    }
extern const nf_knob_info dense_knobs[3]; /* tile, lazy and cells */

#define DENSE_FLAGS (NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED)
#define DENSE_MEMORY                                                                                               \
    "on the device n^2 cells of 2, 4 or 8 bytes, with parents 4 n^2 + 512 n more; n: to whole tiles; rows 64 MB; " \
    "lazy=tile n^2 / 1,024"

} /* namespace SIMT_FLAVOUR */

#endif
