/* apsp_hybrid.cu - all pairs by CPU and device together (`hybrid`, catalogue A6).
 *
 * Method: Matsumoto, Nakasato, Sedukhin 2011. The matrix lies in the host's memory. For every block of vertices the
 * device closes the block's rows (tiles.cu); then device and CPU multiply them into the other rows at the same time,
 * each as many of these as its speed so far is of both (src/cpu/streamed_tiles.c).
 * Invariants: those of tiles.cu, and P1 to P3 of the CPU's streamed.
 * Cost: n^3 steps between them, n^2 cells each way for every block of rows; memory as TILES_MEMORY says, and on the
 * host 128 (n + B) cells, with parents 512 n bytes, for the CPU's products.
 */
#include "gpu/dense.h"
#include "gpu/tiles.h"

namespace SIMT_FLAVOUR
{

static nf_status run_hybrid(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__run_streamed(run, &tile_worker, true);
}

static const nf_knob_info knobs[] = {
    {"share", "of the rows outside a block, in percent, that the CPU takes; -1: by measured speed", NF_KNOB_REAL, "-1",
     -1, 100, NULL},
    TILES_KNOBS,
    DENSE_LAZY_KNOB,
};

extern const nf__algorithm apsp_hybrid = {
    .info = {.name = "hybrid",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "CPU and device share the product of blocked Floyd-Warshall, by measured speed",
             .paper = "Matsumoto, Nakasato, Sedukhin 2011",
             .memory = TILES_MEMORY "; host: + 128 (n + B) cells, with parents 512 n",
             .flags = DENSE_FLAGS,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_hybrid,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
