/* nsssp_body.h - the one-to-all run of one thread, for labels of type D; see nsssp.c, which defines
 *   D, NAME(x), NONE    the label, its names, its "unreached"       WORK      the working type of the rows
 *   WEIGHT(c, e)        the weight of an arc                        BUCKET(t, d)  the bucket of a label
 *   WORK_NONE           "unreached" of the working type
 * No guard: it is included once for every type. */
typedef struct NAME(arc) {
    nf_vid v;
    D w;
} NAME(arc);

/* The (reduced) weight of arc e, which leads from u. */
static inline D NAME(weight_of)(const team *t, nf_vid u, nf_eid e)
{
    const nf_csr *c = &t->run->csr;
    const WORK *h = t->potentials;
    const WORK w = h != NULL ? WEIGHT(c, e) + h[u] - h[c->adj[e]] : WEIGHT(c, e);
    return (D)(w > 0 ? w : 0); /* below 0 by rounding only */
}

/* Packs the arcs of u with their (reduced) weights, if there is a place for them; adds them to *sum and *top. False if
 * one is not finite. */
static bool NAME(pack_arcs)(const team *t, nf_vid u, double *sum, double *top)
{
    const nf_csr *c = &t->run->csr;
    NAME(arc) *arcs = t->packed;
    bool ok = true;
    for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
        const D w = NAME(weight_of)(t, u, e);
        if (arcs != NULL)
            arcs[e] = (NAME(arc)){c->adj[e], w};
        if (!((double)w < (double)INFINITY)) { /* f64 weights in f32: an arc that is never taken */
            ok = ok && t->potentials == NULL;
            continue;
        }
        *sum += (double)w;
        *top = (double)w > *top ? (double)w : *top;
    }
    return ok;
}

/* Takes v out of its list and puts it at the end of bucket b's. */
static inline void NAME(relink)(const worker *k, nf_vid v, nf_vid tail_of)
{
    const nf_vid last = k->prev[tail_of];
    k->next[last] = v;
    k->prev[v] = last;
    k->next[v] = tail_of;
    k->prev[tail_of] = v;
}

/* The packed arcs, or those of the graph. */
static nf__strided NAME(arcs_of)(const team *t)
{
    const NAME(arc) *a = t->packed;
    const nf_csr *c = &t->run->csr;
    if (a == NULL)
        return (nf__strided){c->adj, t->native ? c->weights : NULL, 1, 1};
    return (nf__strided){&a->v, &a->w, sizeof *a / sizeof a->v, sizeof *a / sizeof a->w};
}

/* S1, S2. Labels are left in k->labels. */
static void NAME(search)(team *t, const worker *k, nf__row *row)
{
    const nf_csr *c = &t->run->csr;
    const nf_vid n = c->n, source = *row->sources;
    const nf__strided a = t->arcs;
    const nf_vid *to = a.to;
    const D *weights = a.weights;
    nf_vid *parent = row->parent, *next = k->next, *prev = k->prev;
    D *d = k->labels;
    uint64_t live = 1, bucket = 0, relaxed = 0, settled = 0;
    for (nf_vid v = 0; v < n; v++)
        d[v] = NONE, next[v] = NF_NO_VERTEX;
    for (nf_vid v = 0; parent != NULL && v < n; v++)
        parent[v] = NF_NO_VERTEX;
    for (nf_vid b = n; b < n + t->buckets; b++)
        next[b] = prev[b] = b;
    d[source] = 0;
    if (parent != NULL)
        parent[source] = source;
    NAME(relink)(k, source, n);
    while (live > 0) {
        const nf_vid list = n + (nf_vid)(bucket & (t->buckets - 1)), u = next[list];
        if (u == list) {
            bucket++;
            continue;
        }
        next[list] = next[u];
        prev[next[u]] = list;
        next[u] = NF_NO_VERTEX;
        live--;
        if (++settled % POLL_EVERY == 0 && must_stop(t, row->index))
            break;
        const nf_eid past = nf__off(c, u + 1);
        relaxed += past - nf__off(c, u);
        for (nf_eid e = nf__off(c, u); e < past; e++) {
            const nf_vid v = to[e * a.to_step];
            const D sum = d[u] + (weights != NULL ? weights[e * a.weight_step] : NAME(weight_of)(t, u, e));
            if (!(sum < d[v])) {
                row->overflowed |= !(sum < NONE);
                continue;
            }
            if ((double)sum > t->cutoff)
                continue;
            const uint64_t into = BUCKET(t, sum);
            const bool listed = next[v] != NF_NO_VERTEX;
            const bool same = listed && BUCKET(t, d[v]) == into;
            d[v] = sum;
            if (parent != NULL)
                parent[v] = u;
            if (same)
                continue;
            if (listed) {
                next[prev[v]] = next[v];
                prev[next[v]] = prev[v];
            }
            live += !listed;
            NAME(relink)(k, v, n + (nf_vid)(into & (t->buckets - 1)));
        }
    }
    row->iterations = settled;
    row->edges_relaxed = relaxed;
}

/* S4: a queue for arcs that all weigh 1. */
static void NAME(search_hops)(team *t, const worker *k, nf__row *row)
{
    const nf_csr *c = &t->run->csr;
    const nf_vid n = c->n, source = *row->sources;
    nf_vid *parent = row->parent, *queue = k->next, tail = 1;
    D *d = k->labels;
    uint64_t relaxed = 0;
    for (nf_vid v = 0; v < n; v++)
        d[v] = NONE;
    for (nf_vid v = 0; parent != NULL && v < n; v++)
        parent[v] = NF_NO_VERTEX;
    d[source] = 0;
    queue[0] = source;
    if (parent != NULL)
        parent[source] = source;
    for (nf_vid head = 0; head < tail; head++) {
        const nf_vid u = queue[head];
        const D level = d[u] + 1;
        if ((double)level > t->cutoff || (head % POLL_EVERY == POLL_EVERY - 1 && must_stop(t, row->index)))
            break;
        row->iterations++;
        relaxed += nf__off(c, u + 1) - nf__off(c, u);
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            const nf_vid v = c->adj[e];
            if (d[v] != NONE)
                continue;
            d[v] = level;
            if (parent != NULL)
                parent[v] = u;
            queue[tail++] = v;
        }
    }
    row->edges_relaxed = relaxed;
}

/* The labels of a lane as if `search` had made them. */
static void NAME(take_lane)(const team *t, const worker *k, unsigned lane, D none)
{
    const D *from = k->lanes;
    D *d = k->labels;
    for (nf_vid v = 0; v < t->run->csr.n; v++) {
        const D label = from[(size_t)v * t->kernel->lanes + lane];
        d[v] = label == none ? NONE : label;
    }
}

/* The labels as a row of the working type; without the potentials (J2). False if a distance is not finite. */
static bool NAME(store)(const team *t, const worker *k, nf__row *row)
{
    const D *d = k->labels;
    const WORK *h = t->potentials;
    WORK *to = row->dist;
    const nf_vid n = t->run->csr.n, source = *row->sources;
    bool ok = true;
    for (nf_vid v = 0; v < n; v++)
        to[v] = d[v] == NONE ? WORK_NONE : (WORK)d[v];
    for (nf_vid v = 0; h != NULL && v < n; v++) {
        to[v] = d[v] == NONE ? WORK_NONE : v == source ? 0 : (WORK)d[v] - h[source] + h[v];
        ok = ok && (d[v] == NONE || fabs((double)to[v]) < (double)INFINITY);
    }
    return ok;
}
