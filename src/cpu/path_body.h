/* path_body.h - the search of path_dijkstra.c for one kind of key; see key.h, and path_dijkstra.c for method and
 * invariants. */

typedef struct KNAME(cell) {
    K label[2];
} KNAME(cell);

/* Labels as one side's queue sees them: by their buckets. */
typedef struct KNAME(labels) {
    const KNAME(cell) * cells;
    unsigned side, shift;
} KNAME(labels);

#define LABELS KNAME(labels)
#define LABEL(d, v) ((K)((d).cells[v].label[(d).side] >> (d).shift))
#include "cpu/digits_body.h"
#undef LABELS
#undef LABEL

typedef struct KNAME(front) {
    quest *q;
    KNAME(cell) * cells;
    K done[2];  /* labels below are final, their arcs relaxed (D1) */
    TOTAL best; /* the shortest way yet */
    TOTAL most; /* floats, side 0: what lies on no way of at most this length is left out */
    /* the bucket at work */
    uint32_t chunk, at; /* the chunk being read, and the next vertex in it */
    bool dry;           /* no batch is waiting to be scanned */
    batch batches[2];
    uint32_t found; /* candidates: the label of `head` may fall to `key`, by an arc from `tail` */
    nf_vid head[CANDS], tail[CANDS];
    K key[CANDS];
} KNAME(front);

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Lists v in its bucket, unless it waits there already; in the bucket at work it may have had its turn. */
static inline nf_status KNAME(list)(KNAME(front) * f, unsigned side, nf_vid v, K label, K old)
{
    nf_status st = NF_OK;
    nf__digits *queue = &f->q->s->queue[side];
    const unsigned shift = f->q->shift;
    const uint32_t at = nf__digits_place(queue, label >> shift);
    if (old != NO_LABEL && (label >> shift) != queue->last && nf__digits_place(queue, old >> shift) == at)
        return NF_OK;
    if (queue->stock.count == 0)
        NF_TRY(KNAME(digits_more)(queue, (KNAME(labels)){f->cells, side, shift}, false));
    nf__digits_put(queue, at, v);
    f->q->waiting[side]++;
done:
    return st;
}

/* A bound from below for what is left of a way that side i has brought to v (D2). */
static inline TOTAL KNAME(rest)(const KNAME(front) * f, const KNAME(cell) * c, unsigned side)
{
    const K other = c->label[!side], done = f->done[!side];
    return VALUE(other < done ? other : done);
}

static inline bool KNAME(is_aside)(const KNAME(front) * f, const KNAME(cell) * c, unsigned side, K label)
{
    if (EXACT)
        return VALUE(label) + KNAME(rest)(f, c, side) >= f->best;
    return side == 0 && VALUE(label) + KNAME(rest)(f, c, side) > f->most;
}

/* v gets a label by way of u, if that is a better one. */
static inline nf_status KNAME(improve)(KNAME(front) * f, unsigned side, nf_vid u, nf_vid v, K label)
{
    nf_status st = NF_OK;
    nf__search *s = f->q->s;
    KNAME(cell) *c = &f->cells[v];
    const K old = c->label[side], other = c->label[!side];
    if (label >= old || label > f->q->bound || KNAME(is_aside)(f, c, side, label))
        return NF_OK;
    if (!EXACT && label >= KINF) {
        f->q->row->overflowed = true;
        return NF_OK;
    }
    c->label[side] = label;
    nf__search_touch(s, v);
    if (s->parent[side] != NULL)
        s->parent[side][v] = u;
    if (other != NO_LABEL && VALUE(label) + VALUE(other) < f->best) {
        f->best = VALUE(label) + VALUE(other);
        f->q->meet = v;
    }
    NF_TRY(KNAME(list)(f, side, v, label, old));
done:
    return st;
}

/* ---- a bucket ---------------------------------------------------------------------------------------------------- */

static inline nf_status KNAME(deal)(KNAME(front) * f, unsigned side)
{
    nf_status st = NF_OK;
    f->q->deals[side] += f->found != 0;
    for (uint32_t i = 0; i < f->found; i++)
        NF_TRY(KNAME(improve)(f, side, f->tail[i], f->head[i], f->key[i]));
    f->found = 0;
done:
    return st;
}

/* Adds those of the arcs to the candidates that would lower a label, without a branch for each. */
static inline void KNAME(sift)(KNAME(front) * f, unsigned side, nf_vid u, K key, nf_eid e, nf_eid past)
{
    const nf_vid *const adj = f->q->csr[side].adj;
    const KNAME(cell) *const cells = f->cells;
    const nf_eid first = e;
    uint32_t found = f->found;
    for (; e < past; e++) {
        const nf_vid v = adj[e];
        const K sum = SUM(f->q, side, key, e);
        f->head[found] = v;
        f->tail[found] = u;
        f->key[found] = sum;
        found += sum < cells[v].label[side];
    }
    f->found = found;
    f->q->row->edges_relaxed += past - first;
}

/* Relaxes the arcs of a batch. */
static inline nf_status KNAME(scan)(KNAME(front) * f, unsigned side, const batch *b)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    for (uint32_t i = 0; i < b->count; i++) {
        const nf_vid u = b->u[i];
        const K key = f->cells[u].label[side];
        if (EXACT && key > q->top) {
            q->hot = true;
            continue;
        }
        for (nf_eid e = b->from[i], past; e < b->end[i]; e = past) {
            past = b->end[i] - e < STRIP ? b->end[i] : e + STRIP;
            if (f->found > CANDS - STRIP)
                NF_TRY(KNAME(deal)(f, side));
            KNAME(sift)(f, side, u, key, e, past);
        }
    }
    NF_TRY(KNAME(deal)(f, side));
done:
    return st;
}

/* Asks for cells and offsets of a chunk's vertices. */
static inline void KNAME(announce)(const KNAME(front) * f, unsigned side, uint32_t chunk)
{
    const nf_csr *csr = &f->q->csr[side];
    const nf__chunk *c = &f->q->s->queue[side].pool.chunks[chunk];
    for (uint32_t i = 0; chunk != NF__NO_CHUNK && i < c->count; i++) {
        const nf_vid v = c->v[i];
        __builtin_prefetch(csr->off32 != NULL ? (const void *)&csr->off32[v] : (const void *)&csr->off64[v]);
        __builtin_prefetch(&f->cells[v]);
    }
}

/* Goes on to the next chunk of the bucket; false: there is none. */
static inline bool KNAME(turn_page)(KNAME(front) * f, unsigned side, uint32_t bucket)
{
    nf__digits *queue = &f->q->s->queue[side];
    uint32_t next = NF__NO_CHUNK;
    if (f->chunk != NF__NO_CHUNK) {
        next = queue->pool.chunks[f->chunk].next;
        f->q->waiting[side] -= queue->pool.chunks[f->chunk].count;
        nf__chunk_release(&queue->pool, &queue->stock, f->chunk);
    }
    if (next == NF__NO_CHUNK && f->dry && queue->lists[bucket].head != NF__NO_CHUNK) {
        next = queue->lists[bucket].head;
        nf__digits_vacate(queue, bucket);
        KNAME(announce)(f, side, next);
    }
    f->chunk = next;
    f->at = 0;
    if (next != NF__NO_CHUNK)
        KNAME(announce)(f, side, queue->pool.chunks[next].next);
    return next != NF__NO_CHUNK;
}

/* Fills a batch with vertices of the bucket, and asks for their arcs. */
static inline void KNAME(fill)(KNAME(front) * f, unsigned side, uint32_t bucket, batch *b)
{
    quest *q = f->q;
    const nf__digits *queue = &q->s->queue[side];
    const nf_csr *c = &q->csr[side];
    nf_eid arcs = 0;
    b->count = 0;
    while (b->count < BATCH && arcs < ARCS) {
        if ((f->chunk == NF__NO_CHUNK || f->at == queue->pool.chunks[f->chunk].count)
            && !KNAME(turn_page)(f, side, bucket))
            break;
        const nf_vid u = queue->pool.chunks[f->chunk].v[f->at++];
        const K key = f->cells[u].label[side];
        if (key >> q->shift != queue->last || KNAME(is_aside)(f, &f->cells[u], side, key))
            continue; /* it has gone to an earlier bucket, or D2 */
        const nf_eid from = nf__off(c, u), end = nf__off(c, u + 1);
        b->u[b->count] = u;
        b->from[b->count] = from;
        b->end[b->count++] = end;
        arcs += end - from;
        __builtin_prefetch(&c->adj[from]);
        if (c->weights != NULL)
            __builtin_prefetch((const char *)c->weights + from * (EXACT ? 4 : sizeof(K)));
    }
}

/* The side's next bucket that is not empty becomes its ground; false: there is none. */
static bool KNAME(next_bucket)(KNAME(front) * f, unsigned side, uint32_t *at)
{
    quest *q = f->q;
    const KNAME(labels) d = {f->cells, side, q->shift};
    if (KNAME(digits_ground)(&q->s->queue[side], d, at, &q->failure)) {
        f->done[side] = (K)(q->s->queue[side].last << q->shift);
        return true;
    }
    f->done[side] = NO_LABEL;
    return false;
}

/* Relaxes the arcs of the bucket's vertices until none is left: a batch is scanned while the arcs of the next are on
 * their way. */
static inline __attribute__((always_inline)) nf_status KNAME(settle)(KNAME(front) * f, const unsigned side, uint32_t at)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    f->chunk = NF__NO_CHUNK;
    f->batches[0].count = f->batches[1].count = 0;
    for (unsigned turn = 0; !q->hot; turn++) {
        batch *now = &f->batches[turn & 1], *next = &f->batches[~turn & 1];
        f->dry = now->count == 0;
        KNAME(fill)(f, side, at, next);
        if (f->dry && next->count == 0)
            break;
        NF_TRY(KNAME(scan)(f, side, now));
        q->row->iterations += now->count;
        if (turn % POLL_EVERY == POLL_EVERY - 1)
            NF_TRY(nf__progress(q->run->ctx, "path", q->row->iterations, 0));
    }
    f->done[side] = (K)((q->s->queue[side].last + 1) << q->shift);
done:
    return st;
}

static nf_status KNAME(settle_bucket)(KNAME(front) * f, unsigned side, uint32_t at)
{
    return side == 0 ? KNAME(settle)(f, 0, at) : KNAME(settle)(f, 1, at);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static nf_status KNAME(meet_halfway)(KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    uint32_t at = 0;
    while (!q->hot) {
        const unsigned side = q->both && q->waiting[1] < q->waiting[0];
        if (!KNAME(next_bucket)(f, side, &at) || VALUE(f->done[0]) + VALUE(f->done[1]) >= f->best)
            break;
        NF_TRY(KNAME(settle_bucket)(f, side, at));
        NF_TRY(nf__poll(q->run->ctx));
    }
    NF_TRY(q->failure);
done:
    return st;
}

#if !EXACT
/* The length of the way found as nf_sssp would sum it, or more; +infinity where D3 says nothing of it. */
static double KNAME(way_at_most)(const KNAME(front) * f)
{
    const quest *q = f->q;
    /* D5: not more arcs than deals; one lost at most 5 `half` on side 1, and gains at most one on side 0; the factor
     * covers the sums made here */
    const double most = (f->best + 6 * q->half * (double)q->deals[1]) * (1 + 0x1p-50);
    return most <= q->guess ? most : (double)INFINITY;
}

/* Side 0 alone, until the target's label is final. */
static nf_status KNAME(go_on)(KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    const nf_vid target = q->run->targets[0];
    uint32_t at = 0;
    f->most = KNAME(way_at_most)(f);
    while (KNAME(next_bucket)(f, 0, &at) && f->done[0] <= f->cells[target].label[0]) {
        NF_TRY(KNAME(settle_bucket)(f, 0, at));
        NF_TRY(nf__poll(q->run->ctx));
    }
    NF_TRY(q->failure);
    q->meet = f->cells[target].label[0] != NO_LABEL ? target : NF_NO_VERTEX;
done:
    return st;
}
#endif

/* ---- the way ----------------------------------------------------------------------------------------------------- */

/* The vertex before v on its side's way to it; v itself where that begins (D4). */
static nf_vid KNAME(before)(const KNAME(front) * f, unsigned side, nf_vid v)
{
    const quest *q = f->q;
    const nf_csr *c = &q->csr[!side];
    const K label = f->cells[v].label[side];
    if (q->s->parent[side] != NULL)
        return q->s->parent[side][v];
    for (nf_eid e = nf__off(c, v); label != 0 && e < nf__off(c, v + 1); e++) {
        const K from = f->cells[c->adj[e]].label[side];
        if (from < label && SUM(q, !side, from, e) == label)
            return c->adj[e];
    }
    return v;
}

/* Arcs of the side's way to v. */
static uint64_t KNAME(length)(const KNAME(front) * f, unsigned side, nf_vid v)
{
    uint64_t arcs = 0;
    for (nf_vid u = KNAME(before)(f, side, v); u != v; u = KNAME(before)(f, side, v), arcs++)
        v = u;
    return arcs;
}

static nf_status KNAME(tell_way)(const KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    nf_vid *vertices = NULL, v = q->meet;
    void *dist = NULL;
    if (EXACT && f->best >= (TOTAL)NF_UNREACHED_I64)
        NF_TRY(nf__fail(NF_EOVERFLOW, "the length of the way leaves 64 bits"));
    const uint64_t at = KNAME(length)(f, 0, v), length = at + KNAME(length)(f, 1, v) + 1;
    NF_TRY(nf__run_path(q->run, length, &vertices, &dist));
    for (uint64_t i = at + 1; i-- > 0; v = KNAME(before)(f, 0, v))
        vertices[i] = v;
    v = q->meet;
    for (uint64_t i = at; i < length; i++, v = KNAME(before)(f, 1, v))
        vertices[i] = v;
    for (uint64_t i = 0; i < length; i++) {
        const KNAME(cell) *c = &f->cells[vertices[i]];
        const TOTAL d = i <= at ? VALUE(c->label[0]) : f->best - VALUE(c->label[1]);
        if (q->run->work_type == NF_I64)
            ((int64_t *)dist)[i] = (int64_t)d;
        else if (q->run->work_type == NF_F32)
            ((float *)dist)[i] = (float)d;
        else
            ((double *)dist)[i] = (double)d;
    }
done:
    return st;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static nf_status KNAME(begin_side)(KNAME(front) * f, unsigned side, nf_vid v)
{
    nf__search *s = f->q->s;
    KNAME(cell) *c = &f->cells[v];
    c->label[side] = 0;
    nf__search_touch(s, v);
    if (s->parent[side] != NULL)
        s->parent[side][v] = v;
    if (c->label[!side] != NO_LABEL) {
        f->best = 0;
        f->q->meet = v;
    }
    return KNAME(list)(f, side, v, 0, NO_LABEL);
}

static nf_status KNAME(search)(quest *q)
{
    nf_status st = NF_OK;
    KNAME(front) f = {.q = q, .best = TOTAL_MOST, .most = TOTAL_MOST};
    const bool zeros = q->run->stats.weight_min <= 0;
    NF_TRY(nf__search_open(q->run, sizeof(KNAME(cell)), &q->s));
    f.cells = (KNAME(cell) *)(void *)q->s->cells;
    NF_TRY(nf__search_parents(q->s, 0, !EXACT || zeros || !q->both));
    NF_TRY(nf__search_parents(q->s, 1, EXACT && zeros && q->both));
    for (unsigned side = 0; side < 2; side++)
        NF_TRY(nf__digits_open(q->s->mem, 8 * (unsigned)sizeof(K) - q->shift, q->bits, 0, &q->s->queue[side]));
    NF_TRY(KNAME(begin_side)(&f, 0, q->row->sources[0]));
    NF_TRY(KNAME(begin_side)(&f, 1, q->run->targets[0]));
    NF_TRY(KNAME(meet_halfway)(&f));
#if !EXACT
    if (q->meet != NF_NO_VERTEX)
        NF_TRY(KNAME(go_on)(&f));
#endif
    if (q->meet != NF_NO_VERTEX && !q->hot)
        NF_TRY(KNAME(tell_way)(&f));
done:
    if (q->s != NULL)
        nf__search_close(q->s, st == NF_OK);
    return st;
}
