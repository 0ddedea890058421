/* sweeps.cu - the memory of sweeps.cuh. */
#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

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

} /* namespace SIMT_FLAVOUR */
