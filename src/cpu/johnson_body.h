/* johnson_body.h - reweighting for one type D; see distance.h, and apsp_johnson.c for the invariants. */

/* J1: w[e] = weight + h[u] - h[v]. */
static nf_status NAME(reweight)(const nf__run *run, const void *potentials, void *weights)
{
    const nf_csr *c = &run->csr;
    const D *h = potentials;
    D *w = weights;
    for (nf_vid u = 0; u < c->n; u++)
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            D sum;
            if (ADD(WEIGHT(c, e), h[u], &sum) != NF__SUM_OK || ADD(sum, -h[c->adj[e]], &sum) != NF__SUM_OK)
                return nf__sum_overflow(run, u, c->adj[e]);
            w[e] = sum > 0 ? sum : 0; /* below 0 by rounding only */
        }
    return NF_OK;
}

/* J2: d[v] = d'[v] - h[s] + h[v]. */
static nf_status NAME(restore)(const nf__run *run, const void *potentials, nf_vid s, void *distances)
{
    const D *h = potentials;
    D *d = distances;
    for (nf_vid v = 0; v < run->csr.n; v++) {
        D sum;
        if (d[v] == UNREACHED)
            continue;
        if (v == s) {
            d[v] = 0;
            continue;
        }
        if (ADD(d[v], -h[s], &sum) != NF__SUM_OK || ADD(sum, h[v], &sum) != NF__SUM_OK)
            return nf__sum_overflow(run, s, v);
        d[v] = sum;
    }
    return NF_OK;
}
