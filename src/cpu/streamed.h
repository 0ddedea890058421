/* streamed.h - the parts of `streamed`: what a run is (apsp_streamed.c), its stages over tiles (streamed_tiles.c), the
 * CPU's work on them (streamed_fold.c), and the rows it hands out (streamed_last.c). */
#ifndef NF_CPU_STREAMED_H
#define NF_CPU_STREAMED_H

#include "core/backend.h"
#include "cpu/bellman.h"
#include "cpu/store.h"
#include "cpu/tight.h"

typedef struct nf__streamed {
    nf__run *run;
    nf__store store;
    nf_type cell; /* NF_I32, NF_I64, NF_F32 or NF_F64 */
    nf_type type; /* of the distances handed out */
    bool follow;  /* parents are kept in every stage (D3 of dense.c) */
    bool rounded; /* NF_INFO_ROUNDED, from the search for cycles */
    bool whole;   /* the matrix lies in memory */
    bool shared;  /* the CPU takes its part of the worker's tiles */
    const nf__tile_worker *worker;
    nf__bellman bellman;
    /* the last stage */
    char *cells;      /* a tile of the closed matrix */
    nf_vid *parents;  /* and of its parents, made or read */
    char *out;        /* a tile of the result, when it goes to a file */
    nf__tight *tight; /* one a thread */
    int64_t *rows;    /* n a thread */
    uint32_t tile;    /* in work */
} nf__streamed;

/* The CPU's own. */
extern const nf__tile_worker nf__cpu_tile_worker;

/* Flags of the journal's records. */
#define NF__STREAMED_OVERFLOWED 1u

/* All stages but the last: fills the matrix and closes it, or goes on where the journal says. */
nf_status nf__streamed_close_matrix(nf__streamed *x);
/* The last stage, and the end: rows to the caller, the sink or the file. */
nf_status nf__streamed_hand_out(nf__streamed *x);
/* What the last stage of a resumed run had done: counts those rows into the result. */
nf_status nf__streamed_count_known(nf__streamed *x);
/* Sets run->take: rows go to x->out and, a tile at a time, to the store. */
nf_status nf__streamed_take_rows(nf__streamed *x);
void nf__streamed_free(nf__streamed *x);

#endif
