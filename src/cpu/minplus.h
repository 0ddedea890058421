/* minplus.h - min-plus products inside one n x n matrix, packed, tiled and parallel: the core that blocked
 * Floyd-Warshall, repeated squaring and Kleene's recursion share. */
#ifndef NF_CPU_MINPLUS_H
#define NF_CPU_MINPLUS_H

#include "cpu/minplus_kernels.h"

/* Of packed slices, and the block of the closure: 128 keeps a strip of b in the first cache. */
#define NF__DEPTH 128
/* The most rows of a that a thread packs at a time. */
#define NF__LOT_ROWS 48

typedef struct nf__minplus {
    nf_context *ctx;
    nf_type cell; /* NF_I32, NF_I64, NF_F32 or NF_F64 */
    size_t width; /* of a cell in bytes */
    size_t n;     /* rows, columns, and cells from row to row */
    char *d;      /* the matrix from row `top` on; borrowed */
    nf_vid *p;    /* parents that follow it, or NULL; borrowed */
    size_t top;
    const char *k_d; /* where the rows k of products are, from row `k_top` on; NULL: in d and p */
    const nf_vid *k_p;
    size_t k_top;
    const nf__tiler *tiler;
    size_t depth;    /* of packed slices; 0: NF__DEPTH */
    size_t cols;     /* columns of b that are packed at a time; 0: n */
    char *room;      /* memory to use before its own, aligned to 64 bytes; borrowed */
    uint64_t roomy;  /* bytes of it that are free */
    int team;        /* threads that share a piece, at most */
    void *own[3];    /* blocks of its own */
    void *a, *b;     /* packed: a lot of a for each thread, some columns of b */
    nf_vid *b_p;     /* parents of what is packed of b; NULL without p */
    uint64_t steps;  /* sums compared so far */
    uint64_t blocks; /* products of one packed depth so far */
    const char *phase;
    uint64_t done, total; /* for progress, in steps */
} nf__minplus;

/* A product to fold into the matrix: d[i][j] = min(d[i][j], d[i][k] + d[k][j]) for i, j, k in the three half-open
 * ranges. `outside` leaves out the rows and columns of k. */
typedef struct nf__product {
    size_t i0, i1, j0, j1, k0, k1;
    bool outside;
} nf__product;

/* Scratch: depth (cols + 48 a thread, for n / 48 of them at most) cells, with parents depth cols vertices more; depth
 * is 128 and cols n unless told otherwise. core->{ctx, cell, n, p, depth, cols, room, roomy} are set by the caller, d
 * and p may move later; `positive` as in nf__kernels_for; `kernels` names an instruction set, NULL the best. */
nf_status nf__minplus_create(nf__minplus *core, bool positive, const char *kernels);
void nf__minplus_free(nf__minplus *core);

/* Folds a product in, `depth` values of k and `cols` columns at a time: what such a piece is made of is as it was
 * before the piece changed anything, so the outcome does not depend on threads; pieces see what earlier ones changed,
 * and the ranges may overlap as long as every cell is the length of some walk. With parents, p[i][j] follows the k that
 * gave the least sum, the first of equals. *fell (may be NULL) is set when a cell fell. */
nf_status nf__minplus_fold(nf__minplus *core, nf__product q, bool *fell);

/* Floyd and Warshall's loops over the square lo .. hi, in blocks: all paths inside it. */
nf_status nf__minplus_close(nf__minplus *core, size_t lo, size_t hi);

#endif
