/* sssp_workfront.cu - Workfront Sweep over the frontier engine (`workfront`, catalogue S5): frontier Bellman-Ford with
 * duplicates removed.
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014; with negative weights as in Busato and Bombieri, "An efficient implementation of the Bellman-Ford algorithm for
 * Kepler GPU architectures", TPDS 2016. Each round relaxes the arcs of all vertices whose labels fell in the last.
 * Invariants: R1 to R5 of step_relax.cuh, W2 and W3 of workfront.cuh, T2 of sssp.cuh. Cost: that of workfront.cuh.
 */
#include "gpu/algorithms.h"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

template <class K> static void step_of(const workfront *s, relax_step<K> *f)
{
    (void)s;
    (void)f;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return workfront_row<relax_step<uint32_t>, relax_step<word64>>(run, row);
}

extern const nf__algorithm sssp_workfront = {
    .info = {.name = "workfront",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "rounds over the vertices whose labels fell; takes negative weights, returns negative cycles",
             .paper = "Davidson, Baxter, Garland, Owens 2014; Busato, Bombieri 2016",
             .memory =
                 "on the device 44 n (64-bit offsets: 60 n); atomic64 8 n, parents 8 n, negative weights 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = engine_knobs,
             .knob_count = ENGINE_KNOB_COUNT},
    .begin = workfront_begin,
    .end = workfront_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
