/* apsp_floyd_warshall.c - all pairs by three loops, serial: the oracle for APSP (catalogue A1 on one thread).
 *
 * Floyd 1962, Warshall 1962; CLRS 25.2.
 * Invariants
 *   F1 after step k, d[i][j] is the least length of a path i -> j whose inner vertices are <= k;
 *   F2 the graph has no negative cycle (looked for first, with Bellman-Ford from everywhere, when there are negative
 *      weights), so the diagonal is 0 and is never touched;
 *   F3 p[i][j] is the last vertex before j on that path; row i of p is a tree. In floats, sums of different bracketing
 *      may break the tree: a row whose parents are not one is made again by Bellman-Ford.
 * Floats: sums are not left to right, so they may differ from SSSP's by n rounding errors (NF_ALG_ROUNDED).
 * Cost: n^3 steps; n^2 distances (and n^2 parents), and 20 n bytes.
 */
#include "cpu/bellman.h"
#include "cpu/cpu.h"
#include "cpu/distance.h"
#include "cpu/tight.h"

typedef struct matrix {
    nf_vid n;
    void *d;   /* n * n of the working type */
    nf_vid *p; /* n * n, or NULL */
    uint64_t steps;
    bool overflowed, rounded;
} matrix;

#include "cpu/type_i64.h"
#include "cpu/floyd_body.h"

#include "cpu/type_f32.h"
#include "cpu/floyd_body.h"

#include "cpu/type_f64.h"
#include "cpu/floyd_body.h"

/* F2: ends with NF_ENEGCYCLE when there is a negative cycle anywhere. x->d is room for the potentials. */
static nf_status refuse_cycles(nf__run *run, matrix *x, nf__bellman *s)
{
    nf__row row = {.type = run->work_type, .dist = x->d};
    const nf_status st = nf__bellman_row(run, &row, true, s);
    x->rounded = row.rounded;
    return st;
}

static nf_status hand_out_row(nf__run *run, const matrix *x, nf_vid i, nf__bellman *s, const nf__tight *t)
{
    nf_status st = NF_OK;
    nf__row row;
    const size_t width = nf_type_size(run->work_type), n = x->n;
    NF_TRY(nf__row_begin(run, i, &row));
    memcpy(row.dist, (const char *)x->d + i * n * width, n * width);
    if (row.parent != NULL)
        memcpy(row.parent, x->p + i * n, n * sizeof(nf_vid));
    if (row.parent != NULL && run->work_type != NF_I64 && !nf__is_tree(row.parent, x->n, s->mark))
        NF_TRY(nf__bellman_row(run, &row, false, s));
    if (run->deterministic)
        nf__tight_parents(run, &row, NULL, t);
    row.iterations = i == 0 ? x->n : 0; /* the loops are shared: counted once, in the first row */
    row.edges_relaxed = i == 0 ? x->steps : 0;
    row.overflowed |= x->overflowed;
    row.rounded |= x->rounded;
    NF_TRY(nf__row_end(run, &row));
done:
    return st;
}

static nf_status run_floyd_warshall(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    matrix x = {.n = run->csr.n};
    nf__bellman s = {NULL, NULL, NULL};
    nf__tight t = {NULL, NULL};
    (void)none;
    NF_TRY_ALLOC(x.d, nf__alloc(mem, x.n, x.n * nf_type_size(run->work_type)));
    if (run->want_parents)
        NF_TRY_ALLOC(x.p, nf__alloc(mem, x.n, x.n * sizeof(nf_vid)));
    NF_TRY(nf__bellman_create(mem, x.n, &s));
    NF_TRY(nf__tight_create(mem, x.n, &t));
    if (run->stats.weight_sign < 0)
        NF_TRY(refuse_cycles(run, &x, &s));
    NF_TRY(NF__BY_TYPE(run->work_type, floyd)(run, &x));
    for (nf_vid i = 0; i < x.n; i++)
        NF_TRY(hand_out_row(run, &x, i, &s, &t));
done:
    nf__bellman_free(&s);
    nf__tight_free(&t);
    nf__free(x.d);
    nf__free(x.p);
    return st;
}

const nf__algorithm nf__cpu_apsp_floyd_warshall = {
    .info = {.name = "floyd-warshall",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "three loops, one thread; the oracle for all pairs",
             .paper = "Floyd 1962; Warshall 1962; CLRS 25.2",
             .memory = "8 n^2 (4 n^2 in f32) + 20 n; parents: + 4 n^2",
             .flags = NF_ALG_ORACLE | NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED},
    .run = run_floyd_warshall,
};
