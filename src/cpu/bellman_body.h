/* bellman_body.h - Bellman-Ford for one type D; see distance.h, and sssp_bellman_ford.c for method and invariants. */

/* Relaxes e = u -> v; true in *changed when a label fell. */
static nf_status NAME(relax)(nf__run *run, nf__row *row, nf_vid *parent, nf__bellman *s, nf_vid u, nf_eid e,
                             bool *changed)
{
    const nf_csr *c = &run->csr;
    const nf_vid v = c->adj[e];
    D *d = row->dist, sum;
    const nf__sum how = ADD(d[u], WEIGHT(c, e), &sum);
    row->edges_relaxed++;
    if (how == NF__SUM_OVERFLOW)
        return nf__sum_overflow(run, u, v);
    row->overflowed |= how == NF__SUM_UNREACHED;
    if (how == NF__SUM_UNREACHED || !(sum < d[v]))
        return NF_OK;
    if (u == v || row->rounded) {
        /* would the arc close a cycle of parents (I2)? */
        const uint64_t length = nf__cycle_closed_by(c->n, parent, u, v, s->cycle);
        if (length != 0 && nf__cycle_is_negative(c, row->type, s->cycle, length))
            return nf__run_set_cycle(run, s->cycle, length);
        if (length != 0)
            return NF_OK; /* noise: the label stays */
    }
    d[v] = sum;
    parent[v] = u;
    *changed = true;
    return NF_OK;
}

static void NAME(start)(const nf__run *run, const nf__row *row, bool from_everywhere, nf_vid *parent)
{
    D *d = row->dist;
    for (nf_vid v = 0; v < run->csr.n; v++) {
        d[v] = from_everywhere ? 0 : UNREACHED;
        parent[v] = from_everywhere ? v : NF_NO_VERTEX;
    }
    for (uint64_t i = 0; i < row->source_count; i++) {
        d[row->sources[i]] = 0;
        parent[row->sources[i]] = row->sources[i];
    }
}

static nf_status NAME(sweep)(nf__run *run, nf__row *row, nf_vid *parent, nf__bellman *s, bool *changed)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    const D *d = row->dist;
    *changed = false;
    row->iterations++;
    for (nf_vid u = 0; u < c->n; u++) {
        if (u % POLL_EVERY == 0)
            NF_TRY(nf__progress(run->ctx, "bellman-ford", row->iterations, c->n));
        if (d[u] == UNREACHED)
            continue;
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++)
            NF_TRY(NAME(relax)(run, row, parent, s, u, e, changed));
    }
done:
    return st;
}

static nf_status NAME(bellman)(nf__run *run, nf__row *row, bool from_everywhere, nf__bellman *s)
{
    nf_status st = NF_OK;
    nf_vid *parent = row->parent != NULL ? row->parent : s->parent;
    bool changed = true, noise = false;
    NAME(start)(run, row, from_everywhere, parent);
    for (uint64_t round = 0; changed && round <= run->csr.n; round++) { /* I1 */
        NF_TRY(NAME(sweep)(run, row, parent, s, &changed));
        if (changed && run->stats.weight_sign < 0 && !row->rounded)
            NF_TRY(nf__cycle_inspect(run, row->type, parent, true, s->mark, s->cycle, &noise));
        if (noise && !row->rounded) { /* I4 */
            row->rounded = true;
            round = 0;
            NAME(start)(run, row, from_everywhere, parent);
        }
    }
    if (changed && !row->rounded && EPSILON == 0)
        NF_TRY(nf__fail(NF_EINTERNAL, "bellman-ford: labels still fall after n rounds without a cycle"));
    row->rounded |= changed;
done:
    return st;
}

/* ---- the frontier form ------------------------------------------------------------------------------------------- */

static uint64_t NAME(first_front)(const nf__row *row, nf__frontier *f, nf_vid n)
{
    uint64_t count = 0;
    for (nf_vid v = 0; v < n; v++)
        f->listed[v] = 0;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid v = row->sources[i];
        if (f->listed[v] == 0)
            f->front[count++] = v;
        f->listed[v] = NF_NO_VERTEX; /* a round that never comes */
    }
    return count;
}

/* One round: relaxes the arcs of the front and makes the next one of the vertices whose labels fell, each once. */
static nf_status NAME(front_sweep)(nf__run *run, nf__row *row, nf_vid *parent, nf__bellman *s, nf__frontier *f,
                                   uint64_t *count)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    const nf_vid round = (nf_vid)++row->iterations;
    uint64_t tail = 0;
    for (uint64_t i = 0; i < *count; i++) {
        const nf_vid u = f->front[i];
        if (i % POLL_EVERY == 0)
            NF_TRY(nf__progress(run->ctx, "bellman-ford", row->iterations, c->n));
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            bool changed = false;
            NF_TRY(NAME(relax)(run, row, parent, s, u, e, &changed));
            if (!changed || f->listed[c->adj[e]] == round)
                continue;
            f->listed[c->adj[e]] = round;
            f->next[tail++] = c->adj[e];
        }
    }
    nf_vid *const swap = f->front;
    f->front = f->next;
    f->next = swap;
    *count = tail;
done:
    return st;
}

/* The parents are looked at after every n + m relaxed arcs or so (I2 asks for it now and then), and at the end. */
static nf_status NAME(frontier)(nf__run *run, nf__row *row, nf__bellman *s, nf__frontier *f)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    nf_vid *parent = row->parent != NULL ? row->parent : s->parent;
    uint64_t seen = 0, count = NAME(first_front)(row, f, c->n);
    bool noise = false;
    NAME(start)(run, row, false, parent);
    for (uint64_t round = 0; count > 0 && round <= c->n; round++) { /* I1 */
        NF_TRY(NAME(front_sweep)(run, row, parent, s, f, &count));
        if (run->stats.weight_sign >= 0 || row->rounded || row->edges_relaxed - seen < c->n / 2)
            continue;
        seen = row->edges_relaxed;
        NF_TRY(nf__cycle_inspect(run, row->type, parent, true, s->mark, s->cycle, &noise));
        if (noise) { /* I4 */
            row->rounded = true;
            round = row->iterations = 0;
            NAME(start)(run, row, false, parent);
            count = NAME(first_front)(row, f, c->n);
        }
    }
    if (count > 0 && !row->rounded && run->stats.weight_sign < 0) {
        NF_TRY(nf__cycle_inspect(run, row->type, parent, true, s->mark, s->cycle, &noise));
        if (EPSILON == 0)
            NF_TRY(nf__fail(NF_EINTERNAL, "bellman-ford-frontier: labels still fall after n rounds without a cycle"));
    }
    row->rounded |= count > 0;
done:
    return st;
}
