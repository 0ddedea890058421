/* floyd_body.h - Floyd and Warshall's loops for one type D; see distance.h, and apsp_floyd_warshall.c for the
 * invariants. */

static void NAME(fill_matrix)(const nf_csr *c, D *d, nf_vid *p)
{
    const size_t n = c->n;
    for (size_t i = 0; i < n * n; i++) {
        d[i] = UNREACHED;
        if (p != NULL)
            p[i] = NF_NO_VERTEX;
    }
    for (nf_vid u = 0; u < c->n; u++) {
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            const size_t at = u * n + c->adj[e];
            if (!(WEIGHT(c, e) < d[at]))
                continue;
            d[at] = WEIGHT(c, e);
            if (p != NULL)
                p[at] = u;
        }
        d[u * n + u] = 0;
        if (p != NULL)
            p[u * n + u] = u;
    }
}

/* Row i by way of k. */
static nf_status NAME(relax_row)(const nf__run *run, matrix *x, nf_vid i, nf_vid k)
{
    const size_t n = x->n;
    D *di = (D *)x->d + i * n, sum;
    const D *dk = (const D *)x->d + k * n;
    for (nf_vid j = 0; j < x->n; j++) {
        if (dk[j] == UNREACHED || i == j) /* F2 */
            continue;
        x->steps++;
        const nf__sum how = ADD(di[k], dk[j], &sum);
        if (how == NF__SUM_OVERFLOW)
            return nf__sum_overflow(run, k, j);
        x->overflowed |= how == NF__SUM_UNREACHED;
        if (how == NF__SUM_UNREACHED || !(sum < di[j]))
            continue;
        di[j] = sum;
        if (x->p != NULL)
            x->p[i * n + j] = x->p[k * n + j];
    }
    return NF_OK;
}

static nf_status NAME(floyd)(nf__run *run, matrix *x)
{
    nf_status st = NF_OK;
    NAME(fill_matrix)(&run->csr, x->d, x->p);
    for (nf_vid k = 0; k < x->n; k++) {
        NF_TRY(nf__progress(run->ctx, "floyd-warshall", k, x->n));
        for (nf_vid i = 0; i < x->n; i++)
            if (((const D *)x->d)[(size_t)i * x->n + k] != UNREACHED && i != k)
                NF_TRY(NAME(relax_row)(run, x, i, k));
    }
done:
    return st;
}
