/* all_pairs.h - all pairs on the matrix on the emulator, held against the CPU's, and what the run told of itself. */
#ifndef NF_TESTS_GPU_ALL_PAIRS_H
#define NF_TESTS_GPU_ALL_PAIRS_H

#include "trace.h"

typedef struct matrix_told {
    unsigned long long side, launches, steps, skipped, among;
    unsigned tile, pivot, deep, bytes, again, runs;
    char lazy[8], kind[4]; /* of cells: i16, i32, ... */
    bool half;             /* above the diagonal alone */
} matrix_told;

static inline void hear_matrix(void *user, nf_log_level level, const char *text)
{
    matrix_told *t = user;
    if (level != NF_LOG_DEBUG || strncmp(text, "matrix: ", 8) != 0)
        return;
    t->runs++;
    t->side = number_in(text, "side"), t->launches = number_in(text, "launches"), t->steps = number_in(text, "steps");
    t->tile = (unsigned)number_in(text, "tile"), t->pivot = (unsigned)number_in(text, "pivot");
    t->deep = (unsigned)number_in(text, "deep"), t->bytes = (unsigned)number_in(text, "of");
    t->again = (unsigned)number_in(text, "again");
    t->skipped = number_in(text, "skipped"), t->among = number_in(text, "among");
    t->half = strstr(text, "half of it") != NULL;
    assert_int_equal(sscanf(strstr(text, "lazy "), "lazy %7[^:]", t->lazy), 1);
    assert_int_equal(sscanf(strstr(text, " as "), " as %3[a-z0-9]", t->kind), 1);
}

/* All pairs on the emulator with its log; the answer is the CPU's. */
static inline matrix_told all_pairs(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    matrix_told t = {0};
    nf_context *ctx = open_device("emulator", settings, 0, hear_matrix, &t);
    expect_all_pairs(ctx, g, how, false);
    assert_int_equal(t.runs, 1);
    nf_context_free(ctx);
    return t;
}

#endif
