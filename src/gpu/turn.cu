/* turn.cu - a method for one source in the middle of a run for all pairs (turn.h). */
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

turn turn_take(nf__run *run, const nf__algorithm *other)
{
    const turn t = {run->algorithm, run->knob_count, run->want_parents, run->deterministic, run->has_cutoff};
    run->algorithm = other;
    run->knob_count = 0;
    return t;
}

void turn_end(nf__run *run, const turn &t)
{
    run->algorithm = t.self;
    run->knob_count = t.knobs;
    run->want_parents = t.parents;
    run->deterministic = t.deterministic;
    run->has_cutoff = t.cutoff;
}

const nf__algorithm *turn_choose(nf__run *run)
{
    char reason[sizeof run->reason];
    memcpy(reason, run->reason, sizeof reason);
    const nf__algorithm *const method = sssp_auto.choose(run);
    memcpy(run->reason, reason, sizeof reason);
    return method;
}

/* The guest's scratch for the run's, or back. */
static void change_scratch(nf__run *run, guest *g)
{
    void *const other = run->scratch;
    run->scratch = g->scratch;
    g->scratch = other;
}

nf_status turn_begin(nf__run *run, guest *g, const nf__algorithm *method)
{
    const turn t = turn_take(run, method);
    g->method = method;
    change_scratch(run, g);
    const nf_status st = method->begin != NULL ? method->begin(run) : NF_OK;
    change_scratch(run, g);
    turn_end(run, t);
    return st;
}

nf_status turn_row(nf__run *run, guest *g, nf__row *row)
{
    const turn t = turn_take(run, g->method);
    change_scratch(run, g);
    const nf_status st = g->method->run(run, row);
    change_scratch(run, g);
    turn_end(run, t);
    return st;
}

void turn_finish(nf__run *run, guest *g)
{
    if (g->method == NULL)
        return;
    const turn t = turn_take(run, g->method);
    change_scratch(run, g);
    if (g->method->end != NULL)
        g->method->end(run);
    change_scratch(run, g);
    turn_end(run, t);
    g->method = NULL;
    g->scratch = NULL;
}

nf_status turn_from_everywhere(nf__run *run, void *to, bool *rounded)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const nf__algorithm *const method = turn_choose(run);
    nf_vid *everyone = NULL;
    nf__row row = {};
    turn t;
    NF_TRY_ALLOC(everyone, host_alloc<nf_vid>(d, run->csr.n));
    for (nf_vid v = 0; v < run->csr.n; v++)
        everyone[v] = v;
    row.sources = everyone;
    row.source_count = run->csr.n;
    row.type = run->work_type;
    row.dist = to;
    t = turn_take(run, method);
    run->want_parents = run->deterministic = run->has_cutoff = false;
    st = method->begin(run);
    if (st == NF_OK)
        st = method->run(run, &row);
    method->end(run);
    turn_end(run, t);
    *rounded = row.rounded;
done:
    nf__free(everyone);
    return st;
}

nf_status turn_refuse_cycles(nf__run *run, bool *rounded)
{
    nf_status st = NF_OK;
    void *lengths = NULL;
    *rounded = false;
    if (run->stats.weight_sign >= 0)
        return NF_OK;
    NF_TRY_ALLOC(lengths, nf__alloc(nf__context_mem(run->ctx), run->csr.n, nf_type_size(run->work_type)));
    NF_TRY(turn_from_everywhere(run, lengths, rounded));
done:
    nf__free(lengths);
    return st;
}

} /* namespace SIMT_FLAVOUR */
