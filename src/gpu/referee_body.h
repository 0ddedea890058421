/* referee_body.h - referee.c for one type D; the macros are set there. */

static D NAME(least_arc)(const nf_csr *c, nf_vid a, nf_vid b)
{
    D least = UNREACHED;
    for (nf_eid e = nf__off(c, a); e < nf__off(c, a + 1); e++)
        if (c->adj[e] == b && WEIGHT(c, e) < least)
            least = WEIGHT(c, e);
    return least;
}

/* The rule of nearfar.h, for the closed walk cycle[0] -> ... -> cycle[length - 1] -> cycle[0]. */
static bool NAME(is_negative)(const nf_csr *c, const nf_vid *cycle, uint64_t length)
{
    long double sum = 0, size = 0;
    for (uint64_t i = 0; i < length; i++) {
        const long double w = (long double)NAME(least_arc)(c, cycle[i], cycle[i + 1 < length ? i + 1 : 0]);
        sum += w;
        size += fabsl(w);
    }
    return sum < -(long double)length * (long double)EPSILON * size;
}

/* Relaxes arc e of u. Once the row is known to suffer from rounding, no arc may close a cycle of parents (J3). */
static nf_status NAME(relax)(trial *t, nf_vid u, nf_eid e, bool *fell)
{
    const nf_csr *c = &t->run->csr;
    const nf_vid v = c->adj[e];
    D *d = t->row->dist, sum = 0;
    const int how = ADD(d[u], WEIGHT(c, e), &sum);
    t->row->edges_relaxed++;
    if (how == SUM_OVER)
        return nf__fail(NF_EOVERFLOW, "a distance by way of vertex %llu leaves 64 bits, or is -infinity",
                        (unsigned long long)nf_graph_label(t->run->graph, u));
    t->row->overflowed |= how == SUM_NONE;
    if (how == SUM_NONE || !(sum < d[v]))
        return NF_OK;
    if (u == v || t->row->rounded) {
        const uint64_t length = walk_back(t, u, v);
        if (length != 0 && NAME(is_negative)(c, t->cycle, length))
            return nf__run_set_cycle(t->run, t->cycle, length);
        if (length != 0)
            return NF_OK;
    }
    d[v] = sum;
    t->parent[v] = u;
    *fell = true;
    return NF_OK;
}

static uint64_t NAME(start)(trial *t)
{
    const nf_vid n = t->run->csr.n;
    D *d = t->row->dist;
    uint64_t count = 0;
    for (nf_vid v = 0; v < n; v++) {
        d[v] = UNREACHED;
        t->parent[v] = NF_NO_VERTEX;
        t->listed[v] = 0;
    }
    for (uint64_t i = 0; i < t->row->source_count; i++) {
        const nf_vid s = t->row->sources[i];
        if (t->parent[s] != s)
            t->front[count++] = s;
        d[s] = 0;
        t->parent[s] = s;
    }
    t->row->iterations = 0;
    return count;
}

static nf_status NAME(round)(trial *t, uint64_t *count)
{
    nf_status st = NF_OK;
    const nf_csr *c = &t->run->csr;
    const nf_vid stamp = (nf_vid)++t->row->iterations;
    uint64_t tail = 0;
    for (uint64_t i = 0; i < *count; i++) {
        const nf_vid u = t->front[i];
        if (i % POLL_EVERY == 0)
            NF_TRY(nf__progress(t->run->ctx, "sssp", t->row->iterations, c->n));
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            bool fell = false;
            NF_TRY(NAME(relax)(t, u, e, &fell));
            if (fell && t->listed[c->adj[e]] != stamp) {
                t->listed[c->adj[e]] = stamp;
                t->next[tail++] = c->adj[e];
            }
        }
    }
    nf_vid *const swap = t->front;
    t->front = t->next;
    t->next = swap;
    *count = tail;
done:
    return st;
}

static nf_status NAME(row)(trial *t)
{
    nf_status st = NF_OK;
    const nf_vid n = t->run->csr.n;
    uint64_t seen = 0, count = NAME(start)(t);
    bool noise = false;
    for (uint64_t k = 0; count > 0 && k <= n; k++) { /* J1 */
        NF_TRY(NAME(round)(t, &count));
        if (t->row->rounded || t->row->edges_relaxed - seen < n / 2)
            continue;
        seen = t->row->edges_relaxed;
        NF_TRY(look(t->run, t->row->type, t->parent, t->mark, t->cycle, true, &noise)); /* J2 */
        if (noise) {
            t->row->rounded = true;
            k = 0;
            count = NAME(start)(t);
        }
    }
    if (count > 0 && !t->row->rounded)
        NF_TRY(look(t->run, t->row->type, t->parent, t->mark, t->cycle, true, &noise));
    if (count > 0 && EPSILON == 0)
        NF_TRY(nf__fail(NF_EINTERNAL, "labels still fall after n rounds without a cycle"));
    t->row->rounded |= count > 0;
done:
    return st;
}

static bool NAME(is_tight)(const nf_csr *c, const D *d, nf_vid u, nf_eid e)
{
    D sum = 0;
    return d[c->adj[e]] != UNREACHED && ADD(d[u], WEIGHT(c, e), &sum) == SUM_FINE && sum == d[c->adj[e]];
}

/* The deterministic tree of nearfar.h, where every reached vertex has a tight way from a source; else the tree stays.
 * */
static void NAME(tree)(trial *t)
{
    const nf_csr *c = &t->run->csr;
    const D *d = t->row->dist;
    nf_vid *hops = t->mark, *queue = t->front;
    uint64_t tail = 0, wanted = 0;
    for (nf_vid v = 0; v < c->n; v++) {
        hops[v] = NF_NO_VERTEX;
        wanted += t->parent[v] != NF_NO_VERTEX;
    }
    for (uint64_t i = 0; i < t->row->source_count; i++) {
        const nf_vid s = t->row->sources[i];
        if (hops[s] != 0 && d[s] == 0) {
            hops[s] = 0;
            queue[tail++] = s;
        }
    }
    for (uint64_t head = 0; head < tail; head++)
        for (nf_eid e = nf__off(c, queue[head]); e < nf__off(c, queue[head] + 1); e++)
            if (hops[c->adj[e]] == NF_NO_VERTEX && NAME(is_tight)(c, d, queue[head], e)) {
                hops[c->adj[e]] = hops[queue[head]] + 1;
                queue[tail++] = c->adj[e];
            }
    if (tail < wanted)
        return;
    for (nf_vid v = 0; v < c->n; v++)
        t->parent[v] = hops[v] == 0 ? v : NF_NO_VERTEX;
    for (uint64_t i = 0; i < tail; i++)
        for (nf_eid e = nf__off(c, queue[i]); e < nf__off(c, queue[i] + 1); e++) {
            const nf_vid v = c->adj[e];
            if (hops[v] == hops[queue[i]] + 1 && queue[i] < t->parent[v] && NAME(is_tight)(c, d, queue[i], e))
                t->parent[v] = queue[i];
        }
}

#undef D
#undef NAME
#undef UNREACHED
#undef WEIGHT
#undef ADD
#undef EPSILON
