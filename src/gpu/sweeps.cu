/* sweeps.cu - the parts of sweeps.cuh that know nothing of keys: memory, and the search for negative cycles. */
#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

unsigned sweeps_parts(const nf__run *run)
{
    return run->csr.weight_type == NF_NONE ? GRAPH_TARGETS : GRAPH_PAIRS;
}

static nf_status allocate(sweeps *w, unsigned wants)
{
    nf_status st = NF_OK;
    const nf__run *run = w->run;
    const uint64_t n = run->csr.n;
    NF_TRY(levels_alloc_bytes(w->l, n, run->work_type == NF_F32 ? 4 : 8, &w->label));
    if ((wants & SWEEPS_MASKS) != 0)
        NF_TRY(levels_alloc(w->l, 3 * n, &w->mask));
    if (run->stats.weight_sign < 0)
        NF_TRY(levels_alloc(w->l, n, &w->pred));
done:
    return st;
}

/* What sssp_open makes, but for an engine. */
static nf_status open_results(sweeps *w)
{
    nf_status st = NF_OK;
    device *d = w->l->d;
    const uint64_t n = w->run->csr.n;
    NF_TRY(device_alloc_bytes(d, n, nf_type_size(w->run->work_type), &w->out.dist));
    if (w->run->want_parents || w->run->nearest) {
        NF_TRY(device_alloc(d, n, &w->out.hop));
        NF_TRY(device_alloc(d, n, &w->out.parent));
    }
done:
    return st;
}

nf_status sweeps_open(nf__run *run, unsigned parts, unsigned parts_in, unsigned wants, sweeps **out)
{
    nf_status st = NF_OK;
    sweeps *w = NULL;
    NF_TRY_ALLOC(w, (sweeps *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *w));
    *out = w;
    w->run = run;
    st = levels_open_rows(run, parts, parts_in, 0, &w->l);
    run->scratch = w;
    NF_TRY(st);
    w->l->s.target_count = 0;
    NF_TRY(allocate(w, wants));
    if ((wants & SWEEPS_TREES) != 0)
        NF_TRY(sssp_open(run, NULL, &w->out));
    else
        NF_TRY(open_results(w));
done:
    return st;
}

void sweeps_end(nf__run *run)
{
    sweeps *w = (sweeps *)run->scratch;
    if (w == NULL)
        return;
    sssp_close(run, &w->out);
    device_free((device *)run->device, w->matrix.values);
    run->scratch = w->l;
    levels_end(run);
    nf__free(w);
}

nf_status sweeps_look(nf__run *run, nf__row *row, const uint32_t *pred, bool *give_up)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const uint64_t n = run->csr.n;
    nf_vid *host = NULL, *mark = NULL, *cycle = NULL;
    NF_TRY_ALLOC(host, host_alloc<nf_vid>(d, n));
    NF_TRY_ALLOC(mark, host_alloc<nf_vid>(d, n));
    NF_TRY_ALLOC(cycle, host_alloc<nf_vid>(d, n));
    NF_TRY(device_download(d, host, pred, n * sizeof *host));
    NF_TRY(nf__cycle_inspect(run, row->type, host, false, mark, cycle, give_up));
done:
    nf__free(host);
    nf__free(mark);
    nf__free(cycle);
    return st;
}

} /* namespace SIMT_FLAVOUR */
