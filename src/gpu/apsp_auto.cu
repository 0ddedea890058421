/* apsp_auto.cu - which method of the device makes all pairs: the matrix, or a run from every vertex; from statistics,
 * with the reason in a sentence.
 *
 * Method: both times are estimated from n, m and symmetry by rates measured on an H200 (docs/results/apsp-h200.md), and
 * the matrix is taken where it is quicker: on the device if it has room there, else streamed through it, as are results
 * that go to a file. Negative weights outside the matrix: johnson.
 */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

/* The matrix: steps a second. Runs: seconds for a vertex of a row (1.1e-10 on ny, 1.4e-10 on a grid of 65,536 vertices,
 * the host's part included; smaller grids a little more), and for an arc (uniform graphs of 4,096 and 8,192 vertices,
 * complete ones of 1,024). */
#define STEP_RATE 1.4e13
#define HALF_LEAST 3072u /* dense_knobs.cu */
#define VERTEX_SECONDS 2e-10
#define ARC_SECONDS 1e-11

/* All of it, or half. */
static double matrix_seconds(const nf__run *run, bool half)
{
    const double n = run->csr.n;
    return n * n * n / (half ? 2 : 1) / STEP_RATE;
}

static double run_seconds(const nf__run *run)
{
    const double n = run->csr.n, m = (double)run->csr.m;
    return n * (n * VERTEX_SECONDS + m * ARC_SECONDS);
}

bool dense_pays(const nf__run *run)
{
    return run->csr.weight_type != NF_NONE && matrix_seconds(run, false) < run_seconds(run);
}

static bool undirected(const nf__run *run)
{
    nf_graph_info info = {};
    info.size = sizeof info;
    return nf_graph_get_info(run->graph, &info) == NF_OK && !info.directed;
}

static const nf__algorithm *choose(nf__run *run)
{
    device *d = (device *)run->device;
    const bool room = device_enter(d) == NF_OK && device_foresee(d, dense_bytes(run), "the matrix") == NF_OK;
    const bool negative = run->stats.weight_sign < 0, file = run->file != NULL;
    const bool half = room && !file && run->csr.n >= HALF_LEAST && undirected(run);
    const double matrix = matrix_seconds(run, half), runs = run_seconds(run);
    const bool pays = run->csr.weight_type != NF_NONE && matrix < runs;
    if (run->csr.weight_type == NF_NONE && !file) {
        snprintf(run->reason, sizeof run->reason, "no weights: runs from up to 256 vertices at once, a bit each");
        return &apsp_n_sssp;
    }
    snprintf(run->reason, sizeof run->reason,
             "%s%u vertices, %llu arcs: about %.2g s by the matrix%s, %.2g s by runs from every vertex%s",
             file ? "the result goes to a file: " : "", run->csr.n, (unsigned long long)run->csr.m, matrix,
             !room  ? ", which has no room on the device"
             : half ? ", half of it, as it is symmetric"
                    : "",
             runs, !pays && negative ? ", on lengths made positive" : "");
    if (file || (pays && !room))
        return &apsp_streamed;
    return pays ? &apsp_blocked_floyd_warshall : negative ? &apsp_johnson : &apsp_n_sssp;
}

extern const nf__algorithm apsp_auto = {
    .info = {.name = "auto",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "chooses from the graph's statistics",
             .paper = "",
             .memory = "that of the method chosen",
             .flags = NF_ALG_AUTO | NF_ALG_TRANSPOSE | NF_ALG_NEGATIVE | NF_ALG_ROUNDED,
             .knobs = NULL,
             .knob_count = 0},
    .begin = NULL,
    .end = NULL,
    .run = NULL,
    .all_rows = false,
    .choose = choose,
};

} /* namespace SIMT_FLAVOUR */
