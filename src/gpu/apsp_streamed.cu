/* apsp_streamed.cu - all pairs of a matrix larger than the device's memory (`streamed`, catalogue A5).
 *
 * Method: the matrix lies in the host's memory or in a file, and goes through the device some rows at a time (tiles.cu;
 * Harish 2009). Stages, files, records and resuming are the CPU's (src/cpu/apsp_streamed.c), and a run that one of the
 * two began the other can end. Sparse graphs: runs from every vertex on the device, whose rows go to the file.
 * Invariants: those of tiles.cu, and of the CPU's streamed.
 * Cost: n^3 steps, n^2 cells each way for every block of rows; memory as TILES_MEMORY says.
 */
#include "gpu/dense.h"
#include "gpu/tiles.h"

namespace SIMT_FLAVOUR
{

static nf_status run_streamed(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__run_streamed(run, &tile_worker, false);
}

static const nf_knob_info knobs[] = {
    {"by", "tiles: Floyd-Warshall over tiles; rows: runs from every vertex; auto: the quicker by estimate",
     NF_KNOB_CHOICE, "auto", 0, 0, "auto rows tiles"},
    {"store", "of the matrix, when the result does not go to a file; auto: memory if there is room", NF_KNOB_CHOICE,
     "auto", 0, 0, "auto memory file"},
    {"gap", "tiles between two records, and to spare in the file; 0: a sixteenth, or 256 MiB", NF_KNOB_INT, "0", 0,
     65536, NULL},
    TILES_KNOBS,
    DENSE_LAZY_KNOB,
};

extern const nf__algorithm apsp_streamed = {
    .info = {.name = "streamed",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "matrices larger than the device's memory, in the host's or in a file, some rows at a time",
             .paper = "Harish, Narayanan 2009; Venkataraman, Sahni, Mukhopadhyaya 2003",
             .memory = TILES_MEMORY "; by rows: as n-sssp or johnson",
             .flags = DENSE_FLAGS | NF_ALG_TRANSPOSE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_streamed,
    .all_rows = false,
    .files = true,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
