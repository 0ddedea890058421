/* tight_shared_body.h - nf__tight_parents_shared for one type D; see distance.h and tight.h.
 *
 * Breadth first over tight arcs, a level at a time: hops are claimed by compare-and-swap, parents fall by an atomic
 * minimum.
 * Invariants
 *   S1 hops[v] is set once, by the first level that reaches v; which thread sets it does not matter;
 *   S2 all tight u one hop before v are in one level, so parent[v] is the least of them when the level is done;
 *   S3 a level's vertices lie side by side in the queue, in any order: nothing depends on it.
 */

/* The arcs of u, which lies `hop` hops from a source: new vertices go to the queue through the thread's pocket. */
static void NAME(hang_below)(const nf__run *run, const nf__row *row, nf_vid u, nf_vid hop, level *l, pocket *p)
{
    const nf_csr *c = &run->csr;
    for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
        const nf_vid v = c->adj[e];
        nf_vid was = __atomic_load_n(&l->t->hops[v], __ATOMIC_RELAXED);
        if (was <= hop || !NAME(is_tight)(c, row->dist, NULL, u, e))
            continue;
        if (was == NF_NO_VERTEX
            && __atomic_compare_exchange_n(&l->t->hops[v], &was, hop + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            put(l, p, v);
        lower_parent(&row->parent[v], u);
    }
}

static nf_status NAME(tight_shared)(nf__run *run, const nf__row *row, const nf__tight *t, int threads)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    const D *d = row->dist;
    level l = {t, 0, 0};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (nf_vid v = 0; v < c->n; v++)
        t->hops[v] = row->parent[v] = NF_NO_VERTEX;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid s = row->sources[i];
        if (t->hops[s] == 0 || d[s] != 0)
            continue; /* given twice */
        t->hops[s] = 0;
        row->parent[s] = s;
        t->queue[l.tail++] = s;
    }
    for (nf_vid hop = 0; l.head < l.tail; hop++) {
        const uint64_t head = l.head, tail = l.tail;
        const int many = tail - head < WIDE_LEVEL ? 1 : threads;
        (void)many;
        NF_TRY(nf__poll(run->ctx));
#pragma omp parallel num_threads(many) if (many > 1)
        {
            pocket p = {.count = 0};
#pragma omp for schedule(dynamic, 64) nowait
            for (uint64_t i = head; i < tail; i++)
                NAME(hang_below)(run, row, t->queue[i], hop, &l, &p);
            empty_pocket(&l, &p);
        }
        l.head = tail;
    }
done:
    return st;
}
