/* apsp_johnson.c - all pairs by Bellman-Ford potentials and Dijkstra from every vertex, serial (catalogue A8 on one
 * thread).
 *
 * Johnson 1977; CLRS 25.3.
 * Invariants
 *   J1 with h the distances from everywhere, w'(u, v) = w(u, v) + h(u) - h(v) >= 0;
 *   J2 d(s, v) = d'(s, v) - h(s) + h(v); an arc is tight for d' and w' exactly if it is for d and w.
 * Without negative weights h is not computed: the rows are plain Dijkstra rows, exact in floats too. With negative
 * floats J1 and
 * J2 round: each distance is within about 4 n rounding errors of its size plus the potentials' (NF_ALG_ROUNDED).
 * Cost: O(n m + n (n + m) log n) time; 16 n bytes, with negative weights 8 m + 20 n more.
 */
#include "cpu/bellman.h"
#include "cpu/cpu.h"
#include "cpu/dijkstra.h"
#include "cpu/distance.h"
#include "cpu/tight.h"

#include "cpu/type_i64.h"
#include "cpu/johnson_body.h"

#include "cpu/type_f32.h"
#include "cpu/johnson_body.h"

#include "cpu/type_f64.h"
#include "cpu/johnson_body.h"

typedef struct johnson {
    void *h, *w; /* potentials and reweighted arcs of the working type; NULL without negative weights */
    bool rounded;
    nf__dijkstra heap;
    nf__tight tight;
} johnson;

static nf_status find_potentials(nf__run *run, johnson *j)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    const size_t width = nf_type_size(run->work_type);
    nf__bellman s = {NULL, NULL, NULL};
    NF_TRY_ALLOC(j->h, nf__alloc(mem, run->csr.n, width));
    NF_TRY_ALLOC(j->w, nf__alloc(mem, run->csr.m, width));
    NF_TRY(nf__bellman_create(mem, run->csr.n, &s));
    nf__row row = {.type = run->work_type, .dist = j->h};
    NF_TRY(nf__bellman_row(run, &row, true, &s));
    j->rounded = row.rounded;
    NF_TRY(NF__BY_TYPE(run->work_type, reweight)(run, j->h, j->w));
done:
    nf__bellman_free(&s);
    return st;
}

static nf_status make_row(nf__run *run, johnson *j, nf_vid s)
{
    nf_status st = NF_OK;
    nf__row row;
    NF_TRY(nf__row_begin(run, s, &row));
    NF_TRY(nf__dijkstra_row(run, &row, j->w, &j->heap));
    if (run->deterministic)
        nf__tight_parents(run, &row, j->w, &j->tight); /* J2 */
    if (j->h != NULL)
        NF_TRY(NF__BY_TYPE(run->work_type, restore)(run, j->h, s, row.dist));
    row.rounded |= j->rounded;
    NF_TRY(nf__row_end(run, &row));
done:
    return st;
}

static nf_status run_johnson(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    johnson j = {.h = NULL};
    (void)none;
    NF_TRY(nf__dijkstra_create(mem, run->csr.n, 2, &j.heap));
    NF_TRY(nf__tight_create(mem, run->csr.n, &j.tight));
    if (run->stats.weight_sign < 0)
        NF_TRY(find_potentials(run, &j));
    for (nf_vid s = 0; s < run->csr.n; s++)
        NF_TRY(make_row(run, &j, s));
done:
    nf__dijkstra_free(&j.heap);
    nf__tight_free(&j.tight);
    nf__free(j.h);
    nf__free(j.w);
    return st;
}

const nf__algorithm nf__cpu_apsp_johnson = {
    .info = {.name = "johnson",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "Bellman-Ford potentials, then Dijkstra from every vertex, one thread",
             .paper = "Johnson 1977; CLRS 25.3",
             .memory = "16 n; negative weights: + 8 m + 20 n",
             .flags = NF_ALG_ORACLE | NF_ALG_NEGATIVE | NF_ALG_ROUNDED},
    .run = run_johnson,
};
