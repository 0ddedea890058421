/* result.h - the result object, for src/core and the result files of src/io.
 *
 * Invariants
 *   R1 dist, parents and owners, where not NULL, hold rows * n, rows * n and n elements; row r begins at r * n;
 *   R2 rows[r] sums up row r over its finite distances; all sums up the rows.
 */
#ifndef NF_CORE_RESULT_H
#define NF_CORE_RESULT_H

#include "core/base.h"

/* Distances of a row in few numbers; integers are exact (n < 2^32 terms below 2^64 fit 128 bits). */
typedef struct nf__tally {
    uint64_t reached;
    __extension__ __int128 int_sum, int_max;
    double real_sum, real_max;
    uint64_t iterations, edges_relaxed;
    double run_ms;
} nf__tally;

struct nf_result {
    nf__mem *mem;
    nf_run_info info; /* its strings are static, or `reason` and `device` below */
    char reason[256], device[32];
    uint64_t source_count;
    nf_vid *sources; /* one a row, or all of a nearest-source run */
    void *dist;      /* info.type; hops for BFS */
    nf_vid *parents, *owners;
    bool borrowed_dist, borrowed_parents; /* the caller's buffers */
    nf__tally *rows;
    nf__tally all;
    nf_vid *cycle;
    uint64_t cycle_length;
};

/* A result with arrays of its own, not yet filled: dist always, parents and owners on request. sources are copied. For
 * SSSP and BFS with owners (nearest-source) rows is 1 and source_count free; otherwise source_count = rows. */
nf_status nf__result_create(nf__mem *mem, nf_problem problem, nf_type type, nf_vid n, uint64_t rows, bool parents,
                            bool owners, const nf_vid *sources, uint64_t source_count, nf_result **out);

/* The same without arrays: what a run that fills them itself begins with. */
nf_status nf__result_shell(nf__mem *mem, nf_problem problem, nf_type type, nf_vid n, uint64_t rows,
                           const nf_vid *sources, uint64_t source_count, nf_result **out);

/* Adds up one row of `type` (BFS hops: is_hops) into *tally, whose counters are left alone; the same sums with any
 * number of threads. */
void nf__tally_row(nf_type type, bool is_hops, const void *dist, nf_vid n, int threads, nf__tally *tally);

/* Copies as much of a struct as the caller has room for, and keeps the caller's size. */
void nf__hand_out(void *to, const void *from, size_t ours);

/* Fills rows[] and all from the arrays. */
void nf__result_summarise(nf_result *r);
/* Adds rows[row] to all. */
void nf__result_add(nf_result *r, uint64_t row);

#endif
