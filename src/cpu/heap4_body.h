/* heap4_body.h - a 4-ary heap of ENTRY words (label above, vertex below) for one kind of key; see sssp_dijkstra_4ary.c.
 */

static inline K KNAME(label)(ENTRY x)
{
    return (K)(x >> (8 * sizeof(K)));
}

static inline void KNAME(sift_up)(ENTRY *h, uint64_t at, ENTRY x)
{
    while (at > 0 && x < h[(at - 1) / 4]) {
        h[at] = h[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    h[at] = x;
}

static inline void KNAME(sift_down)(ENTRY *h, uint64_t count, uint64_t at, ENTRY x)
{
    for (;;) {
        const uint64_t first = 4 * at + 1;
        uint64_t least = first;
        if (first + 3 < count) {
            const uint64_t a = h[first + 1] < h[first] ? first + 1 : first;
            const uint64_t b = h[first + 3] < h[first + 2] ? first + 3 : first + 2;
            least = h[b] < h[a] ? b : a;
        } else
            for (uint64_t k = first + 1; k < count; k++)
                least = h[k] < h[least] ? k : least;
        if (first >= count || !(h[least] < x))
            break;
        h[at] = h[least];
        at = least;
    }
    h[at] = x;
}

/* Drops the stale entries (H2) and makes a heap again. */
static void KNAME(purge)(heap *q, const K *d)
{
    ENTRY *h = q->entry;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < q->count; i++)
        if (KNAME(label)(h[i]) == d[(nf_vid)h[i]])
            h[kept++] = h[i];
    q->count = kept;
    for (uint64_t i = kept / 4 + 1; i-- > 0;)
        if (i < kept)
            KNAME(sift_down)(h, kept, i, h[i]);
}

/* Cannot fail: see H2. d[v] is already the new label. */
static inline nf_status KNAME(push)(heap *q, const K *d, nf_vid v, K key)
{
    if (q->count == q->capacity)
        KNAME(purge)(q, d);
    KNAME(sift_up)(q->entry, q->count++, ((ENTRY)key << (8 * sizeof(K))) | v);
    return NF_OK;
}

static inline bool KNAME(pop)(heap *q, const K *d, nf_vid *u, K *key)
{
    ENTRY *h = q->entry;
    while (q->count > 0) {
        const ENTRY top = h[0];
        q->count--;
        if (q->count > 0)
            KNAME(sift_down)(h, q->count, 0, h[q->count]);
        *u = (nf_vid)top;
        *key = KNAME(label)(top);
        if (*key == d[*u])
            return true;
    }
    return false;
}
