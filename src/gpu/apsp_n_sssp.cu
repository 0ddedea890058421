/* apsp_n_sssp.cu - all pairs by runs from every vertex (`n-sssp`, catalogue A7).
 *
 * Method: a graph without weights is searched from up to 256 vertices at once, a bit each (bfs_bit_parallel.cuh); with
 * weights a block makes a row, as many at a time as are resident (rows.cuh, rows_mesh.cuh). Where weights are negative
 * a cycle is looked for first, from all vertices at once, and then every row is a run of the device's own choice for
 * shortest paths, whose scratch serves them all.
 * Invariants
 *   N1 rows come in order, and each is made by a method that keeps the contract of core/backend.h: labels, parents and
 *      cutoff are that method's own;
 *   N2 while it runs, run->algorithm is that method, whose knobs have their defaults.
 * Cost: n / 256 batches of O(n + m) words for each of their levels; with weights, n runs. Memory is that of the method:
 * at most as many rows on the device as it has room for.
 */
#include "gpu/rows.cuh"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

/* Rows one by one. */
static nf_status run_each(nf__run *run, const nf__algorithm *method, bool rounded)
{
    nf_status st = NF_OK;
    for (uint64_t i = run->first_row; i < run->rows; i++) {
        nf__row row;
        NF_TRY(nf__progress(run->ctx, "all pairs", i, run->rows));
        NF_TRY(nf__row_begin(run, i, &row));
        NF_TRY(method->run(run, &row));
        row.rounded |= rounded;
        NF_TRY(nf__row_end(run, &row));
    }
done:
    return st;
}

/* Rows by a search of bits, or one after another (N2). */
static nf_status run_by_method(nf__run *run)
{
    nf_status st = NF_OK;
    const nf__algorithm *const method = run->csr.weight_type == NF_NONE ? &bfs_bit_parallel : turn_choose(run);
    bool rounded = false;
    turn t;
    NF_TRY(turn_refuse_cycles(run, &rounded));
    nf__log(run->ctx, NF_LOG_DEBUG, "apsp rows by %s", method->info.name);
    t = turn_take(run, method);
    if (method->begin != NULL)
        st = method->begin(run);
    if (st == NF_OK)
        st = method->all_rows ? method->run(run, NULL) : run_each(run, method, rounded);
    if (method->end != NULL)
        method->end(run);
    turn_end(run, t);
done:
    return st;
}

static nf_status run_all(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    rows_graph x = {};
    (void)none;
    if (run->rows == 0)
        return NF_OK;
    if (run->csr.weight_type == NF_NONE || run->stats.weight_sign < 0)
        return run_by_method(run);
    NF_TRY(rows_graph_own(run, &x));
    NF_TRY(rows_run(run, &x));
done:
    return st;
}

extern const nf__algorithm apsp_n_sssp = {
    .info = {.name = "n-sssp",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "runs from every vertex, a block each; without weights up to 256 at once, a bit each",
             .paper = "Ortega-Arranz et al. 2013; Then et al. 2014",
             .memory = ROWS_MEMORY "; without weights that of bit-parallel, 8 n or 1 MB more on the host; negative "
                                   "weights: that of auto for sssp",
             .flags = NF_ALG_TRANSPOSE | NF_ALG_NEGATIVE,
             .knobs = rows_knobs,
             .knob_count = ROWS_KNOB_COUNT},
    .begin = NULL,
    .end = NULL,
    .run = run_all,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
