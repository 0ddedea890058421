/* sssp_dijkstra_radix.c - Dijkstra's algorithm with a radix heap (a variant of catalogue S1).
 *
 * Ahuja, Mehlhorn, Orlin and Tarjan 1990. The queue of digits.h with narrow digits: with 1 bit it is the radix heap
 * of the paper, whose buckets double in width; wider digits trade passes over vertices for buckets. Floats are keyed by
 * their bits.
 * Cost: O(m + n log C) for weights up to C; memory as stated in digits.h.
 */
#include "cpu/cpu.h"
#include "cpu/multilevel.h"

static nf_status begin(nf__run *run)
{
    return nf__multilevel_begin(run, (unsigned)nf__knob_number(run, "bits"));
}

static const nf_knob_info knobs[] = {
    {.name = "bits",
     .summary = "bits of a digit; 1 is the radix heap of the paper",
     .type = NF_KNOB_INT,
     .default_text = "3",
     .min = 1,
     .max = NF__DIGIT_MOST},
};

const nf__algorithm nf__cpu_sssp_dijkstra_radix = {
    .info = {.name = "dijkstra-radix",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "radix heap over integer labels or the bits of floats, one thread",
             .paper = "Ahuja, Mehlhorn, Orlin, Tarjan 1990",
             .memory = NF__DIGITS_MEMORY,
             .knobs = knobs,
             .knob_count = 1},
    .begin = begin,
    .end = nf__multilevel_end,
    .run = nf__multilevel_row,
};
