/* tight_body.h - nf__tight_parents for one type D; see distance.h and tight.h. */

static bool NAME(is_tight)(const nf_csr *c, const D *d, const D *w, nf_vid u, nf_eid e)
{
    D sum;
    const nf_vid v = c->adj[e];
    return d[v] != UNREACHED && ADD(d[u], w != NULL ? w[e] : WEIGHT(c, e), &sum) == NF__SUM_OK && sum == d[v];
}

/* Hops over tight arcs, breadth first; the number of vertices reached. */
static uint64_t NAME(tight_hops)(const nf__run *run, const nf__row *row, const D *w, const nf__tight *t)
{
    const nf_csr *c = &run->csr;
    const D *d = row->dist;
    uint64_t tail = 0;
    for (nf_vid v = 0; v < c->n; v++)
        t->hops[v] = NF_NO_VERTEX;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid s = row->sources[i];
        if (t->hops[s] == 0 || d[s] != 0)
            continue; /* given twice; or, with negative weights, better reached from another source */
        t->hops[s] = 0;
        t->queue[tail++] = s;
    }
    for (uint64_t head = 0; head < tail; head++) {
        const nf_vid u = t->queue[head];
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++)
            if (t->hops[c->adj[e]] == NF_NO_VERTEX && NAME(is_tight)(c, d, w, u, e)) {
                t->hops[c->adj[e]] = t->hops[u] + 1;
                t->queue[tail++] = c->adj[e];
            }
    }
    return tail;
}

static void NAME(tight_parents)(const nf__run *run, const nf__row *row, const void *weights, const nf__tight *t)
{
    const nf_csr *c = &run->csr;
    const D *d = row->dist, *w = weights;
    const uint64_t found = NAME(tight_hops)(run, row, w, t);
    uint64_t wanted = 0;
    for (nf_vid v = 0; v < c->n; v++)
        wanted += row->parent[v] != NF_NO_VERTEX;
    if ((run->stats.weight_sign < 0 || run->problem == NF_APSP) && found < wanted)
        return;
    for (nf_vid v = 0; v < c->n; v++)
        row->parent[v] = t->hops[v] == 0 ? v : NF_NO_VERTEX;
    for (uint64_t i = 0; i < found; i++) {
        const nf_vid u = t->queue[i];
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            const nf_vid v = c->adj[e];
            if (t->hops[v] == t->hops[u] + 1 && u < row->parent[v] && NAME(is_tight)(c, d, w, u, e))
                row->parent[v] = u;
        }
    }
}
