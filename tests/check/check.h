/* check.h - whether a result is right, told from the graph and the result alone.
 *
 * The checkers know properties, not algorithms: nothing here computes a shortest path to compare with. They use
 * nearfar.h only. The first five rules are those of the Graph500 validator (Graph 500 benchmark specification), in
 * their directed, weighted form; the others cover what Nearfar promises beyond it.
 *
 * Every function returns NF_OK when it could look, whatever it saw: report->ok tells. NF_ENOMEM, NF_EINVAL and failures
 * of the graph's views mean that nothing was checked; report->message then says why. The report holds the first error
 * found.
 * Time O(n + m) a row, memory O(n).
 */
#ifndef NF_CHECK_H
#define NF_CHECK_H

#include "nearfar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, text): the text says what holds when the rule is kept. */
#define NF_CHECK_RULE_MAP(X)                                                                             \
    X(NF_CHECK_NONE, 0, "nothing is wrong")                                                              \
    X(NF_CHECK_TREE, 1, "the parents form a tree rooted at the source")                                  \
    X(NF_CHECK_LEVEL, 2, "a tree arc is tight: it leads from a vertex's parent exactly to its distance") \
    X(NF_CHECK_ARC, 3, "no arc leads to a vertex by a shorter way")                                      \
    X(NF_CHECK_SPAN, 4, "every vertex that an arc leads to from a reached one is reached")               \
    X(NF_CHECK_JOINED, 5, "a vertex and its parent are joined by an arc of the graph")                   \
    X(NF_CHECK_SOURCE, 6, "the source is at distance 0")                                                 \
    X(NF_CHECK_SUPPORT, 7, "tight arcs lead from the source to every reached vertex")                    \
    X(NF_CHECK_LIMIT, 8, "no distance exceeds the cutoff")                                               \
    X(NF_CHECK_DETERMINISTIC, 9, "the parent is the smallest tight predecessor with the fewest hops")    \
    X(NF_CHECK_OWNER, 10, "the owner is the source at the root of a shortest way")                       \
    X(NF_CHECK_SHAPE, 11, "the result fits the graph")                                                   \
    X(NF_CHECK_SUMMARY, 12, "counts, maxima and sums are those of the distances")                        \
    X(NF_CHECK_PATH, 13, "the path follows arcs from its source to its target")                          \
    X(NF_CHECK_LENGTH, 14, "the path is as long as it says")                                             \
    X(NF_CHECK_CYCLE, 15, "the cycle follows arcs and comes back")                                       \
    X(NF_CHECK_NEGATIVE, 16, "the cycle's sum is negative")                                              \
    X(NF_CHECK_EQUAL, 17, "the two results are the same")                                                \
    X(NF_CHECK_LDBC, 18, "the two results match as LDBC Graphalytics has it")

typedef enum nf_check_rule {
#define NF_CHECK_RULE_ENUM(name, number, text) name = number,
    NF_CHECK_RULE_MAP(NF_CHECK_RULE_ENUM)
#undef NF_CHECK_RULE_ENUM
} nf_check_rule;

const char *nf_check_rule_name(nf_check_rule rule); /* "NF_CHECK_TREE" */
const char *nf_check_rule_text(nf_check_rule rule);

typedef struct nf_check_report {
    bool ok;
    nf_check_rule rule; /* the one that is broken; NF_CHECK_NONE when ok */
    uint64_t row;       /* of the result */
    nf_vid vertex;      /* where; NF_NO_VERTEX when the error is nowhere in particular */
    nf_vid from;        /* the other end of the arc or the parent at fault, else NF_NO_VERTEX */
    uint64_t rows;      /* how many rows were looked at */
    char message[320];  /* one line in vertex numbers (not labels); "" when ok */
} nf_check_report;

/* Flags of nf_check_options. */
#define NF_CHECK_WITH_CUTOFF 1u        /* the run had a cutoff: the field is meant */
#define NF_CHECK_WITH_DETERMINISTIC 2u /* the run had NF_RUN_DETERMINISTIC: parents are checked against its rule */
#define NF_CHECK_WITH_PARENTS 4u       /* nf_check_equal: parents must be equal too */

/* How the result came to be. Zero (or NULL) everywhere: a plain run, checked exactly. */
typedef struct nf_check_options {
    size_t size;
    uint32_t flags; /* NF_CHECK_WITH_* */
    double cutoff;  /* as in nf_run_options. With negative weights a cutoff only filters, so what led to a kept vertex
                              may be gone: rules 1, 2, 5, 7, 9 and 10 then look only at what is left */
    const nf_vid *targets; /* as in nf_run_options */
    uint64_t target_count;
    /* Floats: relative error allowed in "equal" and "less", for methods flagged NF_ALG_ROUNDED. Relative to the numbers
     * compared; with negative weights, to the largest distance or weight of the row. 0: exact. */
    double tolerance;
} nf_check_options;

/* One row as arrays, for results that are not (or not yet) an nf_result. */
typedef struct nf_check_row {
    nf_problem problem;
    nf_type type;          /* of the distances; ignored for BFS (int32_t hops) */
    const void *distances; /* n of them */
    const nf_vid *parents; /* n, or NULL */
    const nf_vid *owners;  /* n, or NULL */
    const nf_vid *sources; /* one; several mean nearest-source */
    uint64_t source_count;
} nf_check_row;

nf_status nf_check_labels(nf_context *ctx, const nf_graph *graph, const nf_check_row *row,
                          const nf_check_options *options, nf_check_report *report);

/* One row of a BFS, SSSP or APSP result (rules 1 to 11). A result of nf_*_nearest has one row. NF_EINVAL when the
 * result is of another problem, has no such row, or gave its distances to a sink. */
nf_status nf_check_bfs(nf_context *ctx, const nf_graph *graph, const nf_result *result, uint64_t row,
                       const nf_check_options *options, nf_check_report *report);
nf_status nf_check_sssp(nf_context *ctx, const nf_graph *graph, const nf_result *result, uint64_t row,
                        const nf_check_options *options, nf_check_report *report);
/* All rows: row i belongs to vertex i, the diagonal is 0, d(i,v) <= d(i,u) + w(u,v) for every arc, and every finite
 * pair has a tight last arc. O(n (n + m)). */
nf_status nf_check_apsp(nf_context *ctx, const nf_graph *graph, const nf_result *result,
                        const nf_check_options *options, nf_check_report *report);
/* Any result, all rows, and the summary of each (rule 12). This is `nearfar verify`. Of a result that holds a negative
 * cycle, the cycle. */
nf_status nf_check_result(nf_context *ctx, const nf_graph *graph, const nf_result *result,
                          const nf_check_options *options, nf_check_report *report);

/* A path from source to target: its arcs exist and its distance is the left-to-right sum, in `type` (NF_NONE: the
 * default of the graph's weights), of the lightest arcs between its vertices. Length 0 must come with distance
 * +infinity. Whether it is a shortest one is for its distance to tell. O(length log m). */
nf_status nf_check_path(nf_context *ctx, const nf_graph *graph, const nf_path *path, nf_vid source, nf_vid target,
                        nf_type type, nf_check_report *report);
/* A cycle as nf_result_cycle gives it: its arcs exist, and its sum is negative; for float weights or a float `type`,
 * below -(length * epsilon) times the sum of |w|. O(length log m). */
nf_status nf_check_cycle(nf_context *ctx, const nf_graph *graph, const nf_vid *cycle, uint64_t length, nf_type type,
                         nf_check_report *report);

/* Exact equality of two results' problem, rows and distances as numbers (types may differ), and with
 * NF_CHECK_WITH_PARENTS of parents and owners. tolerance > 0 allows floats that relative error. O(rows * n). */
nf_status nf_check_equal(const nf_result *got, const nf_result *want, const nf_check_options *options,
                         nf_check_report *report);
/* LDBC Graphalytics equivalence: BFS depths are equal; SSSP distances are both
 * infinite, or differ from the expected by at most 0.0001 times it. */
nf_status nf_check_ldbc(const nf_result *got, const nf_result *want, nf_check_report *report);

#ifdef __cplusplus
}
#endif
#endif
