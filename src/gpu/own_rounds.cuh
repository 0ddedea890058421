/* own_rounds.cuh - rows of a method that has rounds of its own in the place of the frontier engine's, and whose rows
 * that these cannot make are the engine's, as `near-far` has them: `mesh` and `one-block`. */
#ifndef NF_GPU_OWN_ROUNDS_CUH
#define NF_GPU_OWN_ROUNDS_CUH

#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

/* After the rounds, whose state e->last is: counters, distances and the tree; *again: 32 bits were not enough. */
static inline nf_status own_rounds_end(nf__run *run, nf__row *row, const far_step<uint32_t> &f, bool *again)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    bool whole = true;
    s->relaxed = s->e->last;
    NF_TRY(labels_report<uint32_t>(s->e, row, again));
    if (!*again)
        NF_TRY(sssp_hand_out(run, row, &s->out, f.label, f.s, false, &whole));
    if (!whole)
        NF_TRY(nf__row_by_cpu(run, row));
done:
    return st;
}

/* A row by `narrow`, or else by the engine; hops: between meetings of the engine's rounds out of step. */
static inline nf_status own_rounds_row(nf__run *run, nf__row *row, unsigned hops, sssp_keys narrow, sssp_keys broad)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    s->e->pl.hops = hops;
    workfront_targets(run);
    NF_TRY(engine_sources(s->e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    NF_TRY(sssp_row(run, row, &s->labels.wide, narrow, broad));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
