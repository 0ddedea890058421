/* sssp_dijkstra.c - Dijkstra's algorithm with an indexed d-ary heap: the oracle for weights >= 0 (catalogue S1).
 *
 * Dijkstra 1959; Johnson 1975 for the d-ary heap; CLRS 24.3.
 * Invariants
 *   I1 a vertex leaves the heap once, with its final distance, in ascending order of distance;
 *   I2 place[heap[i]] = i for i < count; a vertex never seen has place n, one that has left the heap has place SETTLED;
 *   I3 d[v] only falls, and only by a strict improvement, so parents cannot form a cycle, zero weights or not: at the
 *      time it is set, the parent has left the heap and v has not;
 *   I4 stopping at a distance above the cutoff or the farthest target leaves every label up to it final (I1).
 * A settled vertex cannot improve (weights >= 0), so its place is not looked at again but by the target test.
 * Cost: O((n + m) log n) time, 8 n bytes (and 8 n more for deterministic parents).
 */
#include "cpu/cpu.h"
#include "cpu/dijkstra.h"
#include "cpu/distance.h"
#include "cpu/tight.h"

#define POLL_EVERY 4096u     /* vertices settled between two looks at the cancel flag */
#define SETTLED NF_NO_VERTEX /* the place of a vertex that has left the heap */

#include "cpu/type_i64.h"
#include "cpu/dijkstra_body.h"

#include "cpu/type_f32.h"
#include "cpu/dijkstra_body.h"

#include "cpu/type_f64.h"
#include "cpu/dijkstra_body.h"

nf_status nf__dijkstra_create(nf__mem *mem, nf_vid n, unsigned arity, nf__dijkstra *s)
{
    nf_status st = NF_OK;
    s->arity = arity;
    NF_TRY_ALLOC(s->heap, nf__alloc(mem, n, sizeof(nf_vid)));
    NF_TRY_ALLOC(s->place, nf__alloc(mem, n, sizeof(nf_vid)));
done:
    return st;
}

void nf__dijkstra_free(nf__dijkstra *s)
{
    nf__free(s->heap);
    nf__free(s->place);
}

nf_status nf__dijkstra_row(nf__run *run, nf__row *row, const void *weights, nf__dijkstra *s)
{
    return NF__BY_TYPE(row->type, dijkstra)(run, row, weights, s);
}

static nf_status run_dijkstra(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf__dijkstra s = {NULL, NULL, 0};
    nf__tight t = {NULL, NULL};
    nf__mem *mem = nf__context_mem(run->ctx);
    NF_TRY(nf__dijkstra_create(mem, run->csr.n, (unsigned)nf__knob_number(run, "arity"), &s));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &t));
    NF_TRY(nf__dijkstra_row(run, row, NULL, &s));
    if (run->deterministic)
        nf__tight_parents(run, row, NULL, &t);
done:
    nf__dijkstra_free(&s);
    nf__tight_free(&t);
    return st;
}

static const nf_knob_info knobs[] = {
    {.name = "arity",
     .summary = "children of a heap node",
     .type = NF_KNOB_INT,
     .default_text = "2",
     .min = 2,
     .max = 64},
};

const nf__algorithm nf__cpu_sssp_dijkstra = {
    .info = {.name = "dijkstra",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "binary heap, one thread; the oracle for weights >= 0",
             .paper = "Dijkstra 1959; CLRS 24.3",
             .memory = "8 n; deterministic: 16 n",
             .flags = NF_ALG_ORACLE,
             .knobs = knobs,
             .knob_count = 1},
    .run = run_dijkstra,
};
