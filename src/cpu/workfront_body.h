/* workfront_body.h - Workfront Sweep for one kind of key; see key.h, and sssp_workfront.c for method and invariants. */

static void KNAME(expand)(sweep *s, shelf *b, nf_vid u)
{
    const nf_csr *c = &s->run->csr;
    K *d = s->row->dist;
    const K key = __atomic_load_n(&d[u], __ATOMIC_RELAXED);
    if (KHOT(&s->scale, key)) {
        __atomic_store_n(&s->hot, 1, __ATOMIC_RELAXED);
        if (KSMALL) {
            __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    const nf_eid end = nf__off(c, u + 1);
    b->relaxed += end - nf__off(c, u);
    for (nf_eid e = nf__off(c, u); e < end; e++) {
        const nf_vid v = c->adj[e];
        const K sum = KSUM(&s->scale, key, c, e);
        K old = __atomic_load_n(&d[v], __ATOMIC_RELAXED);
        while (sum < old && sum <= s->bound)
            if (__atomic_compare_exchange_n(&d[v], &old, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                list_once(s, b, v);
                break;
            }
    }
}

static void KNAME(round)(sweep *s)
{
#pragma omp parallel num_threads(s->threads)
    {
        shelf b = {.count = 0, .looks = 0, .relaxed = 0};
        const bool master = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, BATCH)
        for (uint64_t i = 0; i < s->count; i++)
            if (may_go_on(s, &b, master))
                KNAME(expand)(s, &b, s->front[i]);
        empty_shelf(s, &b);
        __atomic_fetch_add(&s->relaxed, b.relaxed, __ATOMIC_RELAXED);
    }
}

static void KNAME(seed)(sweep *s)
{
    K *d = s->row->dist;
    s->count = 0;
    for (nf_vid v = 0; v < s->run->csr.n; v++) {
        d[v] = KINF;
        s->listed[v] = 0;
        if (s->row->parent != NULL)
            s->row->parent[v] = NF_NO_VERTEX;
    }
    for (uint64_t i = 0; i < s->row->source_count; i++) {
        const nf_vid v = s->row->sources[i];
        if (d[v] != 0)
            s->front[s->count++] = v;
        d[v] = 0;
        if (s->row->parent != NULL)
            s->row->parent[v] = v;
    }
}

static nf_status KNAME(sweep)(sweep *s)
{
    nf_status st = NF_OK;
    KNAME(seed)(s);
    for (s->round = 1; s->count > 0; s->round++) {
        s->tail = 0;
        s->row->iterations++;
        KNAME(round)(s);
        NF_TRY(nf__progress(s->run->ctx, "sssp", s->row->iterations, 0));
        if (s->stop)
            break; /* 32 bits were not enough */
        nf_vid *const swap = s->front;
        s->front = s->next;
        s->next = swap;
        s->count = s->tail;
    }
done:
    return st;
}
