/* apsp_blocked_floyd_warshall.c - all pairs by Floyd-Warshall in blocks (catalogue A2).
 *
 * Method: Venkataraman, Sahni, Mukhopadhyaya 2003: for every block of 128 vertices close the diagonal block, then its
 * rows and columns, then fold one min-plus product into all the rest, with the register-tiled kernels of minplus.h.
 * Invariants
 *   F1 after block b, d[i][j] is the least length of a path i -> j whose inner vertices are in blocks 0 .. b;
 *   and D1 to D4 of dense.c.
 * Cost: n^3 steps, each once, and 3 n^2 128 more for rows, columns and diagonals; memory as NF__DENSE_MEMORY says.
 */
#include "cpu/cpu.h"
#include "cpu/dense.h"

static nf_status solve(nf__minplus *core, uint64_t *iterations)
{
    *iterations = (core->n + core->depth - 1) / core->depth;
    return nf__minplus_close(core, 0, core->n);
}

static nf_status run_blocked(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__dense_run(run, solve, "blocked-floyd-warshall");
}

const nf__algorithm nf__cpu_apsp_blocked_floyd_warshall = {
    .info = {.name = "blocked-floyd-warshall",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "Floyd-Warshall in blocks, register-tiled, on all threads",
             .paper = "Venkataraman, Sahni, Mukhopadhyaya 2003; Goto, van de Geijn 2008",
             .memory = NF__DENSE_MEMORY,
             .flags = NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED,
             .knobs = &nf__dense_knob,
             .knob_count = 1},
    .run = run_blocked,
};
