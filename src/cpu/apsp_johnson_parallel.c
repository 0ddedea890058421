/* apsp_johnson_parallel.c - all pairs by Bellman-Ford potentials, then one-to-all runs from every vertex on all threads
 * (catalogue A8).
 *
 * Johnson 1977; J1 and J2 as in apsp_johnson.c, the runs as in nsssp.c. Without negative weights there are no
 * potentials and the rows are exact in floats, too; with negative floats each distance is within about 4 n rounding
 * errors of its size plus the potentials' (NF_ALG_ROUNDED).
 * Cost: O(n m) worst case for the potentials on one thread, then that of nsssp.c; memory: 8 n, and 12 n for the
 * potentials' run before the others begin.
 */
#include "cpu/bellman.h"
#include "cpu/cpu.h"
#include "cpu/nsssp.h"

static nf_status run_johnson_parallel(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    void *h = NULL;
    nf__bellman s = {NULL, NULL, NULL};
    nf__row row = {.type = run->work_type};
    (void)none;
    if (run->stats.weight_sign < 0) {
        NF_TRY_ALLOC(h, nf__alloc(mem, run->csr.n, nf_type_size(run->work_type)));
        NF_TRY(nf__bellman_create(mem, run->csr.n, &s));
        row.dist = h;
        NF_TRY(nf__bellman_row(run, &row, true, &s));
        nf__bellman_free(&s);
        s = (nf__bellman){NULL, NULL, NULL};
    }
    NF_TRY(nf__nsssp_run(run, h, row.rounded));
done:
    nf__bellman_free(&s);
    nf__free(h);
    return st;
}

const nf__algorithm nf__cpu_apsp_johnson_parallel = {
    .info = {.name = "johnson-parallel",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "Bellman-Ford potentials, then bucket-queue runs from every vertex, threads over sources",
             .paper = "Johnson 1977; CLRS 25.3",
             .memory = NF__NSSSP_MEMORY "; negative weights: + 20 n",
             .flags = NF_ALG_NEGATIVE | NF_ALG_ROUNDED},
    .run = run_johnson_parallel,
};
