/* tree_body.h - nf__tree_parents for one type D; see distance.h and tree.h. */

/* Hangs every v with d[u] < d[v] below a tight u; the number of reached vertices without a parent. */
static uint64_t NAME(hang_strict)(const nf__run *run, nf__row *row)
{
    const nf_csr *c = &run->csr;
    const D *d = row->dist;
    nf_vid *parent = row->parent;
    uint64_t missing = 0;
    const int threads = nf__team_for(run->ctx, c->n + c->m);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, BATCH)
        for (nf_vid u = 0; u < c->n; u++) {
            if (d[u] == UNREACHED)
                continue;
            for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
                const nf_vid v = c->adj[e];
                D sum;
                if (d[u] < d[v] && ADD(d[u], WEIGHT(c, e), &sum) == NF__SUM_OK && sum == d[v])
                    __atomic_store_n(&parent[v], u, __ATOMIC_RELAXED);
            }
        }
#pragma omp for schedule(static) reduction(+ : missing)
        for (nf_vid v = 0; v < c->n; v++)
            missing += d[v] != UNREACHED && parent[v] == NF_NO_VERTEX;
    }
    return missing;
}

/* The arcs of u that add nothing, to vertices without a parent: these get u and go to the end of the queue. */
static uint64_t NAME(hang_equal)(const nf__run *run, nf__row *row, nf_vid u, nf_vid *queue, uint64_t tail)
{
    const nf_csr *c = &run->csr;
    const D *d = row->dist;
    for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
        const nf_vid v = c->adj[e];
        D sum;
        if (row->parent[v] != NF_NO_VERTEX || d[v] != d[u] || ADD(d[u], WEIGHT(c, e), &sum) != NF__SUM_OK
            || sum != d[v])
            continue;
        row->parent[v] = u;
        queue[tail++] = v;
    }
    return tail;
}

static nf_status NAME(tree_parents)(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf_vid *queue = NULL;
    uint64_t head = 0, tail = 0;
    uint64_t missing = NAME(hang_strict)(run, row);
    if (missing == 0)
        goto done;
    NF_TRY_ALLOC(queue, nf__alloc(nf__context_mem(run->ctx), run->csr.n, sizeof *queue));
    for (nf_vid u = 0; u < run->csr.n; u++)
        if (row->parent[u] != NF_NO_VERTEX)
            queue[tail++] = u;
    while (head < tail)
        tail = NAME(hang_equal)(run, row, queue[head++], queue, tail);
done:
    nf__free(queue);
    return st;
}
