/* multilevel_body.h - push and pop of the bucket queue for one kind of key; see key.h, and multilevel.c. */

/* Lists v, whose label fell from `old` to `key` (M3). */
static inline nf_status KNAME(push)(multilevel *q, nf_vid v, K key, K old)
{
    nf_status st = NF_OK;
    const uint32_t at = place(q, key);
    if (old != KINF && place(q, old) == at)
        return NF_OK;
    if (q->stock.count == 0)
        NF_TRY(more_chunks(q));
    put(q, at, v);
done:
    return st;
}

/* The vertices of a bucket above level 0 go down, after its least key has become the last one. */
static nf_status KNAME(spread)(multilevel *q, const K *d, uint32_t at)
{
    nf_status st = NF_OK;
    const unsigned bottom = (at >> q->bits) * q->bits; /* keys of the bucket agree with each other above this bit */
    const uint32_t head = q->lists[at].head;
    K least = KINF;
    for (uint32_t c = head; c != NF__NO_CHUNK; c = q->pool.chunks[c].next)
        for (uint32_t i = 0; i < q->pool.chunks[c].count; i++) {
            const K key = d[q->pool.chunks[c].v[i]];
            if (key < least && place(q, key) == at)
                least = key;
        }
    vacate(q, at);
    if (least != KINF)
        q->last = least;
    for (uint32_t chunk = head; chunk != NF__NO_CHUNK;) {
        const nf__chunk c = q->pool.chunks[chunk];
        nf__chunk_release(&q->pool, &q->stock, chunk);
        chunk = c.next;
        NF_TRY(more_chunks(q)); /* each vertex may open a list */
        for (uint32_t i = 0; i < c.count; i++) {
            const K key = d[c.v[i]];
            if (least != KINF && key >= least && key >> bottom == least >> bottom)
                put(q, place(q, key), c.v[i]);
        }
    }
done:
    return st;
}

static inline bool KNAME(pop)(multilevel *q, const K *d, nf_vid *u, K *key)
{
    while (q->levels != 0) {
        const uint32_t at = lowest(q);
        if (at >> q->bits != 0) {
            q->common.failure = KNAME(spread)(q, d, at);
            if (q->common.failure != NF_OK)
                return false;
            continue;
        }
        nf__chunk *c = &q->pool.chunks[q->lists[at].head];
        const uint32_t head = q->lists[at].head;
        const nf_vid v = c->v[--c->count];
        q->last = (q->last & ~((UINT64_C(1) << q->bits) - 1)) | at;
        if (c->count == 0) {
            const uint32_t rest = c->next;
            nf__chunk_release(&q->pool, &q->stock, head);
            if (rest == NF__NO_CHUNK)
                vacate(q, at);
            else
                q->lists[at].head = rest;
        }
        *u = v;
        *key = d[v];
        if (*key == (K)q->last)
            return true;
    }
    return false;
}
