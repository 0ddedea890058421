/* sssp_stepping.c - stepping with buckets whose width follows the frontier.
 *
 * Dong, Gu, Sun and Zhang, "Efficient stepping algorithms and implementations for parallel shortest paths", SPAA 2021:
 * rho-stepping. A step takes about the rho nearest of the vertices that wait, up to a threshold read off a sample of
 * their labels, and all that falls below the threshold meanwhile. The engine of stepping.c, with `open` buckets at a
 * time: their width is chosen anew, from a sample, whenever all but the far list are empty. So the width follows the
 * labels where the weights of a graph have no common scale, and no delta is needed.
 * Where it leads (auto.c has the ratios): weights spread over several decades, on kronecker, uniform, small-world and
 * grid graphs, 1.2 to 5 times as fast as delta-stepping and 1.5 to 3 times as a radix heap. Where weights are of one
 * size it is level with delta-stepping at best; on a road map it takes 1.5 times as long, as its steps are short.
 * Cost: O(m) for a step at worst, and a pass over the frontier for every `open` - 1 steps; memory: NF__STEP_MEMORY.
 */
#include "cpu/cpu.h"
#include "cpu/stepping.h"

/* open: of 2, 8, 64 and 256 the last two are level on graphs with weights spread over nine decades, and up to 1.5 times
 * as fast as 8; rho: 1,024 and 4,096 are level. */

static nf_status begin(nf__run *run)
{
    const nf__step_plan plan = {run->stats.weight_min, (uint32_t)nf__knob_number(run, "open"), NULL,
                                (uint64_t)nf__knob_number(run, "rho")};
    return nf__step_begin(run, &plan);
}

static const nf_knob_info knobs[] = {
    {.name = "rho",
     .summary = "vertices a step takes, about",
     .type = NF_KNOB_INT,
     .default_text = "1024",
     .min = 1,
     .max = 1e9},
    {.name = "open",
     .summary = "buckets of one width, the last of them for all that lies farther",
     .type = NF_KNOB_INT,
     .default_text = "64",
     .min = 2,
     .max = 65536},
};

const nf__algorithm nf__cpu_sssp_stepping = {
    .info = {.name = "stepping",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "buckets in parallel whose width follows a sample of the labels that wait",
             .paper = "Dong, Gu, Sun, Zhang 2021",
             .memory = NF__STEP_MEMORY,
             .knobs = knobs,
             .knob_count = 2},
    .begin = begin,
    .end = nf__step_end,
    .run = nf__step_row,
};
