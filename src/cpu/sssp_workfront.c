/* sssp_workfront.c - Workfront Sweep: the vertices whose labels fell make the next front (catalogue S5).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014. Each round relaxes the arcs of the whole front, whatever the labels; a vertex enters the next front once, by a
 * lookup table of the round that listed it last.
 * Invariants
 *   I1 d[v] only falls, by compare-and-swap, and whoever lowers it lists v, unless the table says it is listed;
 *   I2 a label that falls after its vertex was read in a round is listed for the next, so at the end no arc is too
 *   long; I3 after round k no label is above the least sum over walks of at most k arcs, so there are at most n rounds.
 * Labels are final only at the end: targets do not stop it early; what lies beyond the cutoff is never listed.
 * Cost: O(n m) at worst, O(rounds * front); memory 12 n bytes (deterministic: 20 n).
 */
#include <omp.h>

#include "cpu/cpu.h"
#include "cpu/key.h"
#include "cpu/tight.h"
#include "cpu/tree.h"

#define SHELF 128u       /* vertices a thread collects before it appends them to the next front */
#define BATCH 64         /* vertices of the front a thread takes at once */
#define POLL_EVERY 64u   /* vertices between two looks at the cancel flag */
#define PER_THREAD 1024u /* vertices and arcs for which a thread is woken */

typedef struct sweep {
    nf__run *run;
    nf__row *row;
    nf__scale scale;
    nf__tight tight;
    nf_vid *front, *next;
    uint32_t *listed; /* the round that listed a vertex last */
    uint64_t bound, count, tail, relaxed;
    uint32_t round;
    int threads, stop, hot;
    bool wide;
} sweep;

typedef struct shelf {
    nf_vid v[SHELF];
    uint32_t count, looks;
    uint64_t relaxed;
} shelf;

static void empty_shelf(sweep *s, shelf *b)
{
    const uint64_t at = __atomic_fetch_add(&s->tail, b->count, __ATOMIC_RELAXED);
    memcpy(s->next + at, b->v, b->count * sizeof *b->v);
    b->count = 0;
}

static void list_once(sweep *s, shelf *b, nf_vid v)
{
    if (__atomic_load_n(&s->listed[v], __ATOMIC_RELAXED) == s->round
        || __atomic_exchange_n(&s->listed[v], s->round, __ATOMIC_RELAXED) == s->round)
        return;
    b->v[b->count++] = v;
    if (b->count == SHELF)
        empty_shelf(s, b);
}

/* False once the round is void: cancelled, or 32 bits were not enough. */
static bool may_go_on(sweep *s, shelf *b, bool master)
{
    if (master && ++b->looks % POLL_EVERY == 0 && nf__poll(s->run->ctx) != NF_OK)
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&s->stop, __ATOMIC_RELAXED) == 0;
}

#include "cpu/kind_i32.h"
#include "cpu/workfront_body.h"

#include "cpu/kind_i64.h"
#include "cpu/workfront_body.h"

#include "cpu/kind_f32.h"
#include "cpu/workfront_body.h"

#include "cpu/kind_f64.h"
#include "cpu/workfront_body.h"

static nf_status run_kind(sweep *s, bool small)
{
    nf__scale_make(s->run, small, 1, &s->scale);
    s->bound = nf__key_bound(s->run, s->row->type, small);
    s->stop = s->hot = 0;
    s->relaxed = s->row->iterations = 0;
    if (s->row->type == NF_I64)
        return small ? sweep_k32(s) : sweep_k64(s);
    return s->row->type == NF_F32 ? sweep_f32(s) : sweep_f64(s);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    sweep *s = run->scratch;
    const bool small = row->type == NF_I64 && !s->wide && run->stats.weight_max < (double)UINT32_MAX;
    s->row = row;
    NF_TRY(run_kind(s, small));
    if (small && s->hot) {
        s->wide = true;
        NF_TRY(run_kind(s, false));
    } else if (small)
        nf__widen(run, row->dist);
    row->edges_relaxed = s->relaxed;
    if (s->hot)
        NF_TRY(nf__recheck_sums(run, row));
    if (run->deterministic)
        nf__tight_parents(run, row, NULL, &s->tight);
    else if (row->parent != NULL)
        NF_TRY(nf__tree_parents(run, row));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    const nf_vid n = run->csr.n;
    const uint64_t worth = (n + run->csr.m) / PER_THREAD + 1;
    const int most = nf__context_threads(run->ctx);
    sweep *s = NULL;
    NF_TRY_ALLOC(s, nf__zalloc(mem, 1, sizeof *s));
    run->scratch = s;
    s->run = run;
    s->threads = worth < (uint64_t)most ? (int)worth : most;
    NF_TRY_ALLOC(s->front, nf__alloc(mem, n, sizeof *s->front));
    NF_TRY_ALLOC(s->next, nf__alloc(mem, n, sizeof *s->next));
    NF_TRY_ALLOC(s->listed, nf__alloc(mem, n, sizeof *s->listed));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, n, &s->tight));
done:
    return st;
}

static void end(nf__run *run)
{
    sweep *s = run->scratch;
    if (s == NULL)
        return;
    nf__free(s->front);
    nf__free(s->next);
    nf__free(s->listed);
    nf__tight_free(&s->tight);
    nf__free(s);
    run->scratch = NULL;
}

const nf__algorithm nf__cpu_sssp_workfront = {
    .info = {.name = "workfront",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "rounds over the vertices that changed, in parallel, each listed once",
             .paper = "Davidson, Baxter, Garland, Owens 2014",
             .memory = "12 n; deterministic: 20 n; parents over arcs of weight 0: 4 n more"},
    .begin = begin,
    .end = end,
    .run = run_row,
};
