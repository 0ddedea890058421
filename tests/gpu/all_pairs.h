/* all_pairs.h - all pairs on the matrix on the emulator, held against the CPU's, and what the run told of itself. */
#ifndef NF_TESTS_GPU_ALL_PAIRS_H
#define NF_TESTS_GPU_ALL_PAIRS_H

#include "trace.h"

typedef struct matrix_told {
    unsigned long long side, launches, steps, skipped, among;
    unsigned tile, pivot, deep, bytes, again, runs;
    char lazy[8];
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
    assert_int_equal(sscanf(strstr(text, "lazy "), "lazy %7[^:]", t->lazy), 1);
}

/* All pairs on the emulator with its log; the answer is the CPU's. */
static inline matrix_told all_pairs(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    const uint64_t n = nf_graph_n(g);
    matrix_told t = {0};
    nf_graph_info info = {.size = sizeof info};
    nf_context *ctx = open_device("emulator", settings, 0, hear_matrix, &t), *cpu = open_cpu();
    nf_result *got = NULL, *want = NULL;
    OK(nf_apsp(ctx, g, how, &got));
    OK(nf_graph_get_info(g, &info));
    OK(nf_apsp(cpu, g, PLAIN(info.negative_weights ? "floyd-warshall" : "n-sssp", how->flags), &want));
    assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), n * n * sizeof(int64_t));
    if ((how->flags & NF_RUN_PARENTS) != 0)
        expect_trees(g, got);
    if ((how->flags & NF_RUN_DETERMINISTIC) != 0)
        assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), n * n * sizeof(nf_vid));
    assert_int_equal(t.runs, 1);
    nf_result_free(got);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    return t;
}

#endif
