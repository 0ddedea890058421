/* sssp_dijkstra_buckets.c - Dijkstra's algorithm with two levels of buckets (a variant of catalogue S1).
 *
 * Denardo and Fox 1979; Cherkassky, Goldberg and Silverstein 1999. The queue of digits.h with digits so wide that
 * two of them hold the largest weight: nearly all vertices wait in the two lowest levels, a bucket of the upper one is
 * spread over the lower one when its turn comes, and each bucket of the lower one holds equal labels.
 * Cost: O(m + n + the buckets passed over); memory as stated in digits.h.
 */
#include "cpu/cpu.h"
#include "cpu/multilevel.h"

static nf_status begin(nf__run *run)
{
    return nf__multilevel_begin(run, nf__digits_width(run));
}

const nf__algorithm nf__cpu_sssp_dijkstra_buckets = {
    .info = {.name = "dijkstra-buckets",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "two-level buckets, the width from the largest weight, one thread",
             .paper = "Denardo, Fox 1979; Cherkassky, Goldberg, Silverstein 1999",
             .memory = NF__DIGITS_MEMORY},
    .begin = begin,
    .end = nf__multilevel_end,
    .run = nf__multilevel_row,
};
