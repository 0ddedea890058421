/* apsp_n_sssp.c - all pairs by a one-to-all run from every vertex, threads over sources (catalogue A7).
 *
 * Method, invariants and cost: nsssp.c. Exact in floats, too.
 */
#include "cpu/cpu.h"
#include "cpu/nsssp.h"

static nf_status run_n_sssp(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__nsssp_run(run, NULL, false);
}

const nf__algorithm nf__cpu_apsp_n_sssp = {
    .info = {.name = "n-sssp",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "runs from every vertex, a vector lane or a bucket queue each, threads over sources",
             .paper = "Dial 1969; Denardo, Fox 1979; Ortega-Arranz et al. 2013",
             .memory = NF__NSSSP_MEMORY,
             .flags = 0},
    .run = run_n_sssp,
};
