/* sssp_hybrid.cu - Workfront Sweep while parallelism is short, Near-Far while it is ample (`hybrid`, catalogue S11).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014, section VII, propose it and did not build it: begin with Workfront Sweep until the queue of vertices saturates
 * the GPU; go on with Near-Far, where work efficiency is more important; when most of the graph has been explored and
 * parallelism is short again, finish with Workfront Sweep. Here a frontier of more vertices than `ample` times the
 * threads that are resident turns to Near-Far; a pile of at most half as many, with nothing near left, turns back. Both
 * turns are rounds of the persistent kernel (F6 of far.cuh), and there may be several of each.
 * Invariants: those of step_switch.cuh, step_far.cuh and far.cuh; T2 of sssp.cuh. When the run ends by its targets they
 * lie below the last limit; without a limit they do not end it.
 * Cost: between those of `workfront` and `near-far`, and a pass over all vertices at every turn to Near-Far. On the
 * device the memory of `near-far`.
 */
#include "gpu/algorithms.h"
#include "gpu/step_switch.cuh"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

#define DELTA_FACTOR 32.0 /* near-far's */

typedef struct turns {
    double delta; /* first: workfront_pile */
    uint32_t ample;
} turns;

template <class K> static void step_of(const workfront *s, switch_step<K> *f)
{
    const turns *t = (const turns *)s->own;
    far_width(f, t->delta);
    f->ample = t->ample;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    workfront_targets(run);
    return workfront_row<switch_step<uint32_t>, switch_step<word64>>(run, row);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const workfront *s = NULL;
    double ample = 0;
    NF_TRY(workfront_pile(run, sizeof(turns), DELTA_FACTOR, false));
    s = (const workfront *)run->scratch;
    ample = nf__knob_number(run, "ample") * s->e->grid * s->e->block;
    ((turns *)s->own)->ample = ample < UINT32_MAX ? (uint32_t)ample : UINT32_MAX;
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {"delta", "how far the limit of near vertices moves; 0: 32 mean weight / mean degree", NF_KNOB_REAL, "0", 0, 1e300,
     NULL},
    {"ample", "vertices of a frontier for each resident thread from which on it is taken in order", NF_KNOB_REAL, "1",
     0, 1e6, NULL},
    PASS_KNOBS,
};

extern const nf__algorithm sssp_hybrid = {
    .info = HYBRID_INFO("rounds in no order while frontiers are small, two piles while they are large, and back"),
    .begin = begin,
    .end = workfront_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
