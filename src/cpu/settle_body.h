/* settle_body.h - Dijkstra's loop for one kind of key over any queue; see key.h.
 *
 * The file that includes this has defined the queue: QUEUE (its type), PUSH(q, v, key, old) as an nf_status, and
 * KNAME(pop)(q, d, &u, &key), which gives vertices in ascending order of label and skips stale entries.
 * Invariants
 *   I1 keys leave the queue in ascending order, and a label up to the last of them is final;
 *   I2 d[v] and parent[v] change by strict improvements only, so parents form a tree (zero weights and absorbed sums
 *      included);
 *   I3 with targets the loop goes on through labels equal to the farthest of them.
 */

/* All labels unreached, the sources at 0 and in the queue. */
static nf_status KNAME(seed)(QUEUE *q, nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    K *d = row->dist;
    for (nf_vid v = 0; v < run->csr.n; v++)
        d[v] = KINF;
    for (nf_vid v = 0; row->parent != NULL && v < run->csr.n; v++)
        row->parent[v] = NF_NO_VERTEX;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid v = row->sources[i];
        if (d[v] == 0)
            continue; /* given twice */
        d[v] = 0;
        if (row->parent != NULL)
            row->parent[v] = v;
        NF_TRY(PUSH(q, d, v, 0, KINF));
    }
done:
    return st;
}

static inline nf_status KNAME(expand)(QUEUE *q, const nf__scale *scale, nf__run *run, nf__row *row, nf_vid u, K key,
                                      K bound)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    K *d = row->dist;
    const nf_eid end = nf__off(c, u + 1);
    nf_eid e = nf__off(c, u);
    (void)scale; /* floats do not need it */
    row->edges_relaxed += end - e;
    for (; e < end; e++) {
        const nf_vid v = c->adj[e];
        const K sum = KSUM(scale, key, c, e), old = d[v];
        if (sum >= old || sum > bound)
            continue;
        d[v] = sum;
        if (row->parent != NULL)
            row->parent[v] = u;
        NF_TRY(PUSH(q, d, v, sum, old));
    }
done:
    return st;
}

/* *hot: some label was so large that sums must be looked at again; in 32 bits the row is then void. */
static nf_status KNAME(settle)(QUEUE *q, nf__run *run, nf__row *row, const nf__scale *scale, bool *hot)
{
    nf_status st = NF_OK;
    const uint64_t limit = nf__key_bound(run, row->type, KSMALL != 0);
    K bound = limit < KINF ? (K)limit : KINF - 1, key = 0;
    const K *d = row->dist;
    uint64_t hit = 0; /* the targets before this one are settled */
    nf_vid u = 0;
    row->iterations = row->edges_relaxed = 0;
    NF_TRY(KNAME(seed)(q, run, row));
    while (KNAME(pop)(q, d, &u, &key) && key <= bound) {
        if (row->iterations++ % POLL_EVERY == 0)
            NF_TRY(nf__progress(run->ctx, "sssp", row->iterations, run->csr.n));
        if (run->targets != NULL && hit < run->target_count) {
            while (hit < run->target_count && d[run->targets[hit]] <= key)
                hit++;
            bound = hit == run->target_count ? key : bound; /* I3 */
        }
        if (KHOT(scale, key)) {
            *hot = true;
            if (KSMALL)
                break;
        }
        NF_TRY(KNAME(expand)(q, scale, run, row, u, key, bound));
    }
    NF_TRY(q->common.failure);
done:
    return st;
}
