/* dijkstra_body.h - Dijkstra's algorithm for one type D; see distance.h, and sssp_dijkstra.c for method and
 * invariants. */

static void NAME(sift_up)(nf__dijkstra *s, const D *d, nf_vid at)
{
    const nf_vid v = s->heap[at];
    while (at > 0) {
        const nf_vid up = (nf_vid)((at - 1) / s->arity);
        if (!(d[v] < d[s->heap[up]]))
            break;
        s->heap[at] = s->heap[up];
        s->place[s->heap[at]] = at;
        at = up;
    }
    s->heap[at] = v;
    s->place[v] = at;
}

static void NAME(sift_down)(nf__dijkstra *s, const D *d, nf_vid count)
{
    const nf_vid v = s->heap[0];
    nf_vid at = 0;
    for (;;) {
        const uint64_t first = (uint64_t)at * s->arity + 1;
        if (first >= count)
            break;
        const uint64_t past = first + s->arity < count ? first + s->arity : count;
        nf_vid least = (nf_vid)first;
        for (uint64_t k = first + 1; k < past; k++)
            if (d[s->heap[k]] < d[s->heap[least]])
                least = (nf_vid)k;
        if (!(d[s->heap[least]] < d[v]))
            break;
        s->heap[at] = s->heap[least];
        s->place[s->heap[at]] = at;
        at = least;
    }
    s->heap[at] = v;
    s->place[v] = at;
}

static nf_vid NAME(extract_min)(nf__dijkstra *s, const D *d, nf_vid *count)
{
    const nf_vid u = s->heap[0], last = s->heap[--*count];
    if (*count > 0) {
        s->heap[0] = last;
        NAME(sift_down)(s, d, *count);
    }
    s->place[u] = SETTLED;
    return u;
}

/* All labels unreached, sources at 0 and in the heap (equal keys: any order is a heap). */
static nf_vid NAME(seed)(const nf__run *run, nf__row *row, nf__dijkstra *s)
{
    const nf_vid n = run->csr.n;
    D *d = row->dist;
    nf_vid count = 0;
    for (nf_vid v = 0; v < n; v++) {
        d[v] = UNREACHED;
        s->place[v] = n;
        if (row->parent != NULL)
            row->parent[v] = NF_NO_VERTEX;
    }
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid v = row->sources[i];
        if (s->place[v] != n)
            continue; /* given twice */
        d[v] = 0;
        if (row->parent != NULL)
            row->parent[v] = v;
        s->place[v] = count;
        s->heap[count++] = v;
    }
    return count;
}

/* Relaxes the arcs of u, which is settled. */
static nf_status NAME(settle)(const nf__run *run, nf__row *row, const D *w, nf__dijkstra *s, nf_vid u, nf_vid *count)
{
    const nf_csr *c = &run->csr;
    D *d = row->dist, sum;
    for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
        const nf_vid v = c->adj[e];
        const nf__sum how = ADD(d[u], w != NULL ? w[e] : WEIGHT(c, e), &sum);
        row->edges_relaxed++;
        if (how == NF__SUM_OVERFLOW)
            return nf__sum_overflow(run, u, v);
        row->overflowed |= how == NF__SUM_UNREACHED;
        if (how == NF__SUM_UNREACHED || !(sum < d[v]))
            continue;
        d[v] = sum;
        if (row->parent != NULL)
            row->parent[v] = u;
        if (s->place[v] == c->n)
            s->heap[s->place[v] = (*count)++] = v;
        NAME(sift_up)(s, d, s->place[v]);
    }
    return NF_OK;
}

static nf_status NAME(dijkstra)(nf__run *run, nf__row *row, const void *weights, nf__dijkstra *s)
{
    nf_status st = NF_OK;
    const bool bounded = weights == NULL && run->has_cutoff, aimed = weights == NULL && run->targets != NULL;
    const D *d = row->dist;
    uint64_t hit = 0; /* the targets before this one are settled */
    D farthest = UNREACHED;
    nf_vid count = NAME(seed)(run, row, s);
    while (count > 0) {
        const nf_vid u = NAME(extract_min)(s, d, &count);
        if ((bounded && d[u] > CUTOFF(run)) || d[u] > farthest)
            break;
        while (aimed && hit < run->target_count && s->place[run->targets[hit]] == SETTLED)
            hit++;
        if (aimed && farthest == UNREACHED && hit == run->target_count)
            farthest = d[u];
        if (row->iterations++ % POLL_EVERY == 0)
            NF_TRY(nf__progress(run->ctx, nf_problem_name(run->problem),
                                run->problem == NF_APSP ? row->index : row->iterations, run->csr.n));
        NF_TRY(NAME(settle)(run, row, weights, s, u, &count));
    }
done:
    return st;
}
