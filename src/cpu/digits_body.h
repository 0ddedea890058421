/* digits_body.h - push and pop of the queue of digits.h for one kind of key; see key.h.
 *
 * The file that includes this has defined LABELS, the type through which labels are read, and LABEL(d, v).
 */

/* Drops the stale entries of a list (M5). */
static void KNAME(digits_clean)(nf__digits *q, LABELS d, uint32_t at)
{
    uint32_t chunk = q->lists[at].head;
    q->lists[at].head = NF__NO_CHUNK;
    while (chunk != NF__NO_CHUNK) {
        const nf__chunk c = q->pool.chunks[chunk];
        nf__chunk_release(&q->pool, &q->stock, chunk);
        for (uint32_t i = 0; i < c.count; i++)
            if (nf__digits_place(q, LABEL(d, c.v[i])) == at)
                nf__list_push(&q->pool, &q->stock, &q->lists[at], c.v[i]);
        chunk = c.next;
    }
    if (q->lists[at].head == NF__NO_CHUNK)
        nf__digits_vacate(q, at);
}

/* Drops the stale entries of all lists. Vertices in no list are not touched. */
static void KNAME(digits_tidy)(nf__digits *q, LABELS d)
{
    for (uint64_t levels = q->levels; levels != 0; levels &= levels - 1) {
        const uint32_t level = (uint32_t)__builtin_ctzll(levels);
        for (uint64_t words = q->summary[level]; words != 0; words &= words - 1) {
            const uint32_t word = (uint32_t)__builtin_ctzll(words);
            for (uint64_t bits = q->words[level * 64 + word]; bits != 0; bits &= bits - 1)
                KNAME(digits_clean)(q, d, (level << q->bits) + word * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
}

/* Sees to READY free chunks. */
static nf_status KNAME(digits_more)(nf__digits *q, LABELS d, bool spreads)
{
    if (nf__stock_ready(&q->pool, &q->stock))
        return NF_OK;
    KNAME(digits_tidy)(q, d);
    return nf__digits_room(q, spreads);
}

/* Lists v, whose label fell from `old` to `key` (M3). */
static inline nf_status KNAME(digits_push)(nf__digits *q, LABELS d, nf_vid v, K key, K old)
{
    nf_status st = NF_OK;
    const uint32_t at = nf__digits_place(q, key);
    if (old != KINF && nf__digits_place(q, old) == at)
        return NF_OK;
    if (q->stock.count == 0)
        NF_TRY(KNAME(digits_more)(q, d, false));
    nf__digits_put(q, at, v);
done:
    return st;
}

/* The vertices of a bucket above level 0 go down, after its least key has become the last one. */
static nf_status KNAME(digits_spread)(nf__digits *q, LABELS d, uint32_t at)
{
    nf_status st = NF_OK;
    const unsigned bottom = (at >> q->bits) * q->bits; /* keys of the bucket agree with each other above this bit */
    const uint32_t head = q->lists[at].head;
    K least = KINF;
    for (uint32_t c = head; c != NF__NO_CHUNK; c = q->pool.chunks[c].next)
        for (uint32_t i = 0; i < q->pool.chunks[c].count; i++) {
            const K key = LABEL(d, q->pool.chunks[c].v[i]);
            if (key < least && nf__digits_place(q, key) == at)
                least = key;
        }
    nf__digits_vacate(q, at);
    if (least != KINF)
        q->last = least;
    for (uint32_t chunk = head; chunk != NF__NO_CHUNK;) {
        const nf__chunk c = q->pool.chunks[chunk];
        nf__chunk_release(&q->pool, &q->stock, chunk);
        chunk = c.next;
        for (uint32_t i = 0; i < c.count; i++) {
            const K key = LABEL(d, c.v[i]);
            if (q->stock.count == 0)
                NF_TRY(KNAME(digits_more)(q, d, true));
            if (least != KINF && key >= least && key >> bottom == least >> bottom)
                nf__digits_put(q, nf__digits_place(q, key), c.v[i]);
        }
    }
done:
    return st;
}

/* Finds the first bucket of level 0, whose key becomes the last one; false: there is none, or *failure says why it
 * cannot be had. */
static inline bool KNAME(digits_ground)(nf__digits *q, LABELS d, uint32_t *at, nf_status *failure)
{
    while (q->levels != 0) {
        *at = nf__digits_lowest(q);
        if (*at >> q->bits == 0) {
            q->last = (q->last & ~((UINT64_C(1) << q->bits) - 1)) | *at;
            return true;
        }
        *failure = KNAME(digits_spread)(q, d, *at);
        if (*failure != NF_OK)
            return false;
    }
    return false;
}

/* The next vertex in ascending order of label. */
static inline bool KNAME(digits_pop)(nf__digits *q, LABELS d, nf_vid *u, K *key, nf_status *failure)
{
    uint32_t at = 0;
    while (KNAME(digits_ground)(q, d, &at, failure)) {
        nf__chunk *c = &q->pool.chunks[q->lists[at].head];
        const uint32_t head = q->lists[at].head;
        const nf_vid v = c->v[--c->count];
        if (c->count == 0) {
            const uint32_t rest = c->next;
            nf__chunk_release(&q->pool, &q->stock, head);
            if (rest == NF__NO_CHUNK)
                nf__digits_vacate(q, at);
            else
                q->lists[at].head = rest;
        }
        *u = v;
        *key = LABEL(d, v);
        if (*key == (K)q->last)
            return true;
    }
    return false;
}
