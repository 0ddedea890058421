/* sssp_adaptive.cu - Near-Far that changes its width, and the method, during a run, as `auto` runs it with switch=on:
 * not listed, and called `hybrid`, which it is (Davidson, Baxter, Garland and Owens, IPDPS 2014, section VII).
 *
 * Where `hybrid` turns by the size of the frontier and the pile, this one counts: step_adapt.cuh. Both ways of turning
 * are rounds of the persistent kernel: nothing is lost, and the host takes no part.
 * Invariants: those of step_adapt.cuh; T2 of sssp.cuh. Targets end it as they end `hybrid`.
 * Cost: between those of `workfront` and `near-far`, and a pass over all vertices at every turn back. On the device the
 * memory of `near-far`.
 */
#include "gpu/algorithms.h"
#include "gpu/step_adapt.cuh"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

#define DELTA_FACTOR 32.0 /* near-far's */
/* By counting; other numbers were not tried: an H200 has 135,168 resident threads and looks at 53e9 arcs a second; a
 * barrier of the grid with the way through a queue takes 2 us (engine.cuh), as long as 100,000 arcs. */
#define FEW_EACH 0.25  /* arcs a round for each resident thread: below, the barrier is most of a round's time */
#define MANY_EACH 0.5  /* above, its arcs are a third at least */
#define WASTE 4.0      /* arcs looked at / m; rmat22 has 2.0 in all and uniform22 1.4, dag 31.7 */
#define AMPLE_EACH 1.0 /* vertices of a frontier for each resident thread: hybrid's */

typedef struct turning {
    double delta; /* first: workfront_pile */
    uint32_t ample;
    word64 few, many, waste;
    bool told; /* the reason has it */
} turning;

template <class K> static void step_of(const workfront *s, adapt_step<K> *f)
{
    const turning *t = (const turning *)s->own;
    far_width(f, t->delta);
    f->ample = t->ample;
    f->few = t->few;
    f->many = t->many;
    f->waste = t->waste;
}

/* Adds to the reason what the first row was decided to be, and when. */
static void tell_turns(nf__run *run, const state *last, turning *t)
{
    const size_t used = strlen(run->reason), room = sizeof run->reason - used;
    const turn_note *first = &last->turns[0];
    if (t->told)
        return;
    t->told = true;
    if (last->turn_count == 0)
        snprintf(run->reason + used, room, "; no turn");
    else
        snprintf(run->reason + used, room,
                 "; %u turns, the first at round %u (%llu arcs a round), %u to no order, %u back", last->turn_count,
                 first->round, (unsigned long long)first->each, last->returns, last->switches);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    workfront_targets(run);
    NF_TRY((workfront_row<adapt_step<uint32_t>, adapt_step<word64>>(run, row)));
    tell_turns(run, &s->relaxed, (turning *)s->own);
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const workfront *s = NULL;
    turning *t = NULL;
    double resident = 0;
    NF_TRY(workfront_pile(run, sizeof(turning), DELTA_FACTOR, false));
    s = (const workfront *)run->scratch;
    t = (turning *)s->own;
    resident = (double)s->e->grid * s->e->block;
    t->ample = (uint32_t)(AMPLE_EACH * resident);
    t->few = (word64)(FEW_EACH * resident);
    t->many = (word64)(MANY_EACH * resident);
    t->waste = (word64)(WASTE * (double)run->csr.m);
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {"delta", "how far the limit of near vertices moves at first; 0: 32 mean weight / mean degree", NF_KNOB_REAL, "0",
     0, 1e300, NULL},
    PASS_KNOBS,
};

extern const nf__algorithm sssp_adaptive = {
    .info = HYBRID_INFO("two piles whose width follows from what rounds count, or rounds in no order, and back"),
    .begin = begin,
    .end = workfront_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
