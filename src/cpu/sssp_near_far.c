/* sssp_near_far.c - the Near-Far pile (catalogue S6).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014. Two piles: near holds what lies in the current interval of width delta, far the rest; when near is empty, far
 * is split again, from the least label in it. The engine of stepping.c with two buckets. A vertex is listed
 * once in a pile, which is the paper's duplicate removal.
 * Cost: O(m) and a pass over the far pile for every interval; memory as stated in stepping.c.
 */
#include "cpu/cpu.h"
#include "cpu/stepping.h"

#define PILES 2u
#define DELTA_FACTOR 32.0 /* the paper's */

static nf_status begin(nf__run *run)
{
    const double asked = nf__knob_number(run, "delta");
    const nf__step_plan plan = {asked > 0 ? asked : nf__step_delta(run, DELTA_FACTOR, run->stats.degree_mean), PILES,
                                NULL, 0};
    return nf__step_begin(run, &plan);
}

static const nf_knob_info knobs[] = {
    {.name = "delta",
     .summary = "width of the near pile (integers: rounded down to a power of two); 0: 32 mean weight / mean degree",
     .type = NF_KNOB_REAL,
     .default_text = "0",
     .min = 0,
     .max = 1e300},
};

const nf__algorithm nf__cpu_sssp_near_far = {
    .info = {.name = "near-far",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "two piles split at a moving distance, in parallel",
             .paper = "Davidson, Baxter, Garland, Owens 2014",
             .memory = NF__STEP_MEMORY,
             .knobs = knobs,
             .knob_count = 1},
    .begin = begin,
    .end = nf__step_end,
    .run = nf__step_row,
};
