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

/* What one side has at work. */
typedef struct KNAME(wing) {
    uint32_t bucket;    /* the bucket at work */
    bool busy;          /* it is not done yet */
    bool dry;           /* no batch is waiting to be scanned */
    unsigned turn;      /* the batch to scan next */
    uint32_t chunk, at; /* the chunk being read, and the next vertex in it */
    batch batches[2];
    uint32_t found; /* candidates: the label of `head` may fall to `key`, by an arc from `tail` */
    nf_vid head[CANDS], tail[CANDS];
    K key[CANDS];
    char apart[64]; /* keeps two threads off one cache line */
} KNAME(wing);

typedef struct KNAME(front) {
    quest *q;
    KNAME(cell) * cells;
    K done[2];   /* labels below are final, their arcs relaxed (D1) */
    TOTAL best;  /* the shortest way yet */
    TOTAL most;  /* floats, side 0: what lies on no way of at most this length is left out */
    bool shared; /* each side has a thread of its own */
    char apart[64];
    KNAME(wing) wing[2];
} KNAME(front);

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static inline TOTAL KNAME(best)(const KNAME(front) * f)
{
    TOTAL best;
    __atomic_load(&f->best, &best, __ATOMIC_RELAXED);
    return best;
}

static inline K KNAME(label_of_other)(const KNAME(cell) * c, unsigned side)
{
    return __atomic_load_n(&c->label[!side], __ATOMIC_ACQUIRE);
}

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
    f->q->tally[side].waiting++;
done:
    return st;
}

/* A bound from below for what is left of a way that side i has brought to v (D2); `done` is read first (D6). */
static inline TOTAL KNAME(rest)(const KNAME(front) * f, const KNAME(cell) * c, unsigned side)
{
    const K done = __atomic_load_n(&f->done[!side], __ATOMIC_ACQUIRE), other = KNAME(label_of_other)(c, side);
    return VALUE(other < done ? other : done);
}

static inline bool KNAME(is_aside)(const KNAME(front) * f, const KNAME(cell) * c, unsigned side, K label)
{
    if (EXACT)
        return VALUE(label) + KNAME(rest)(f, c, side) >= KNAME(best)(f);
    return side == 0 && VALUE(label) + KNAME(rest)(f, c, side) > f->most;
}

/* v gets a label by way of u, if that is a better one; *better says so. */
static inline nf_status KNAME(improve)(KNAME(front) * f, unsigned side, nf_vid u, nf_vid v, K label, bool *better)
{
    const nf__search *s = f->q->s;
    KNAME(cell) *c = &f->cells[v];
    const K old = c->label[side];
    *better = false;
    if (label >= old || label > f->q->bound || KNAME(is_aside)(f, c, side, label))
        return NF_OK;
    if (!EXACT && label >= KINF) {
        f->q->tally[side].overflowed = true;
        return NF_OK;
    }
    *better = true;
    __atomic_store_n(&c->label[side], label, __ATOMIC_RELEASE);
    nf__search_touch(s, v);
    if (s->parent[side] != NULL)
        s->parent[side][v] = u;
    return KNAME(list)(f, side, v, label, old);
}

/* v has labels of both sides: the way through it may be the shortest yet. */
static void KNAME(join)(KNAME(front) * f, nf_vid v, TOTAL length)
{
#pragma omp critical(nf__path_best)
    if (length < f->best) {
        __atomic_store(&f->best, &length, __ATOMIC_RELAXED);
        f->q->meet = v;
    }
}

/* ---- a bucket ---------------------------------------------------------------------------------------------------- */

/* Deals with the candidates: first their labels, then what the other side has for those that fell (D6). */
static inline nf_status KNAME(deal)(KNAME(front) * f, unsigned side)
{
    nf_status st = NF_OK;
    KNAME(wing) *w = &f->wing[side];
    uint32_t kept = 0;
    bool better = false;
    f->q->tally[side].deals += w->found != 0;
    for (uint32_t i = 0; i < w->found; i++) {
        NF_TRY(KNAME(improve)(f, side, w->tail[i], w->head[i], w->key[i], &better));
        w->head[kept] = w->head[i];
        w->key[kept] = w->key[i];
        kept += better;
    }
    if (f->shared)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < kept; i++) {
        const K other = KNAME(label_of_other)(&f->cells[w->head[i]], side);
        if (other != NO_LABEL && VALUE(w->key[i]) + VALUE(other) < KNAME(best)(f))
            KNAME(join)(f, w->head[i], VALUE(w->key[i]) + VALUE(other));
    }
    w->found = 0;
done:
    return st;
}

/* Adds those of the arcs to the candidates that would lower a label, without a branch for each. */
static inline void KNAME(sift)(KNAME(front) * f, unsigned side, nf_vid u, K key, nf_eid e, nf_eid past)
{
    const nf_vid *const adj = f->q->csr[side].adj;
    const KNAME(cell) *const cells = f->cells;
    KNAME(wing) *const w = &f->wing[side];
    uint32_t found = w->found;
    f->q->tally[side].relaxed += past - e;
    for (; e < past; e++) {
        const nf_vid v = adj[e];
        const K sum = SUM(f->q, side, key, e);
        w->head[found] = v;
        w->tail[found] = u;
        w->key[found] = sum;
        found += sum < cells[v].label[side];
    }
    w->found = found;
}

/* Relaxes the arcs of a batch. */
static inline nf_status KNAME(scan)(KNAME(front) * f, unsigned side, batch *b)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    for (uint32_t i = 0; i < b->count; i++) {
        const nf_vid u = b->u[i];
        const K key = f->cells[u].label[side];
        if (EXACT && key > q->top) {
            q->tally[side].hot = true;
            continue;
        }
        for (nf_eid e = b->from[i], past; e < b->end[i]; e = past) {
            past = b->end[i] - e < STRIP ? b->end[i] : e + STRIP;
            if (f->wing[side].found > CANDS - STRIP)
                NF_TRY(KNAME(deal)(f, side));
            KNAME(sift)(f, side, u, key, e, past);
        }
    }
    NF_TRY(KNAME(deal)(f, side));
    q->tally[side].settled += b->count;
    b->count = 0;
    b->arcs = 0;
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
static inline bool KNAME(turn_page)(KNAME(front) * f, unsigned side)
{
    nf__digits *queue = &f->q->s->queue[side];
    KNAME(wing) *w = &f->wing[side];
    uint32_t next = NF__NO_CHUNK;
    if (w->chunk != NF__NO_CHUNK) {
        next = queue->pool.chunks[w->chunk].next;
        f->q->tally[side].waiting -= queue->pool.chunks[w->chunk].count;
        nf__chunk_release(&queue->pool, &queue->stock, w->chunk);
    }
    if (next == NF__NO_CHUNK && w->dry && queue->lists[w->bucket].head != NF__NO_CHUNK) {
        next = queue->lists[w->bucket].head;
        nf__digits_vacate(queue, w->bucket);
        KNAME(announce)(f, side, next);
    }
    w->chunk = next;
    w->at = 0;
    if (next != NF__NO_CHUNK)
        KNAME(announce)(f, side, queue->pool.chunks[next].next);
    return next != NF__NO_CHUNK;
}

/* Fills a batch with vertices of the bucket, and asks for their arcs. */
static inline void KNAME(fill)(KNAME(front) * f, unsigned side, batch *b)
{
    quest *q = f->q;
    KNAME(wing) *w = &f->wing[side];
    const nf__digits *queue = &q->s->queue[side];
    const nf_csr *c = &q->csr[side];
    while (b->count < BATCH && b->arcs < ARCS) {
        if ((w->chunk == NF__NO_CHUNK || w->at == queue->pool.chunks[w->chunk].count) && !KNAME(turn_page)(f, side))
            break;
        const nf_vid u = queue->pool.chunks[w->chunk].v[w->at++];
        const K key = f->cells[u].label[side];
        if (key >> q->shift != queue->last || KNAME(is_aside)(f, &f->cells[u], side, key))
            continue; /* it has gone to an earlier bucket, or D2 */
        const nf_eid from = nf__off(c, u), end = nf__off(c, u + 1);
        b->u[b->count] = u;
        b->from[b->count] = from;
        b->end[b->count++] = end;
        b->arcs += end - from;
        __builtin_prefetch(&c->adj[from]);
        if (c->weights != NULL)
            __builtin_prefetch((const char *)c->weights + from * (EXACT ? 4 : sizeof(K)));
    }
}

/* The side's next bucket that is not empty becomes its ground; false: there is none. */
static bool KNAME(next_bucket)(KNAME(front) * f, unsigned side)
{
    quest *q = f->q;
    KNAME(wing) *w = &f->wing[side];
    nf__digits *queue = &q->s->queue[side];
    const KNAME(labels) d = {f->cells, side, q->shift};
    const bool found = KNAME(digits_ground)(queue, d, &w->bucket, &q->tally[side].failure);
    const K done = found ? (K)(queue->last << q->shift) : NO_LABEL;
    __atomic_store_n(&f->done[side], done, __ATOMIC_RELEASE);
    w->chunk = NF__NO_CHUNK;
    w->busy = found;
    return found;
}

/* Is there an end to it: a side without labels, or none to come that makes a shorter way? */
static bool KNAME(is_over)(const KNAME(front) * f)
{
    const K done[2] = {__atomic_load_n(&f->done[0], __ATOMIC_ACQUIRE), __atomic_load_n(&f->done[1], __ATOMIC_ACQUIRE)};
    return VALUE(done[0]) + VALUE(done[1]) >= KNAME(best)(f);
}

/* Relaxes the arcs of the bucket's vertices until none is left: a batch is scanned while the arcs of the next are on
 * their way. Where the side has a thread of its own it may leave with the bucket still busy, to be gone on with (D7).
 */
static inline __attribute__((always_inline)) nf_status KNAME(settle)(KNAME(front) * f, const unsigned side)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    KNAME(wing) *w = &f->wing[side];
    for (; !q->tally[side].hot; w->turn++) {
        batch *now = &w->batches[w->turn & 1], *next = &w->batches[~w->turn & 1];
        if (f->shared && (nf__flag(&q->leave) || !has_chunks(q, side, now->arcs)))
            return NF_OK;
        w->dry = now->count == 0;
        KNAME(fill)(f, side, next);
        if (w->dry && next->count == 0)
            break;
        NF_TRY(KNAME(scan)(f, side, now));
        if (w->turn % POLL_EVERY == 0 && (side == 0 || !f->shared))
            NF_TRY(nf__progress(q->run->ctx, "path", q->tally[side].settled, 0));
    }
    w->busy = false;
    __atomic_store_n(&f->done[side], (K)((q->s->queue[side].last + 1) << q->shift), __ATOMIC_RELEASE);
done:
    return st;
}

static nf_status KNAME(settle_bucket)(KNAME(front) * f, unsigned side)
{
    return side == 0 ? KNAME(settle)(f, 0) : KNAME(settle)(f, 1);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* One side on a thread of its own, until the search is over, is to be stopped, or chunks run out (D7). */
static void KNAME(go_alone)(KNAME(front) * f, unsigned side)
{
    quest *q = f->q;
    tally *t = &q->tally[side];
    while (!nf__flag(&q->leave)) {
        if (side == 0)
            t->failure = nf__poll(q->run->ctx);
        if (!f->wing[side].busy && has_chunks(q, side, 0) && (!KNAME(next_bucket)(f, side) || KNAME(is_over)(f)))
            nf__raise_flag(&q->over);
        if (t->failure == NF_OK && f->wing[side].busy && !nf__flag(&q->over))
            t->failure = KNAME(settle_bucket)(f, side);
        if (t->failure != NF_OK || t->full || t->hot || nf__flag(&q->over))
            nf__raise_flag(&q->leave);
    }
}

/* Makes room for the chunks that the side may open next. */
static nf_status KNAME(reserve)(const KNAME(front) * f, unsigned side)
{
    nf_status st = NF_OK;
    nf__digits *queue = &f->q->s->queue[side];
    tally *t = &f->q->tally[side];
    const batch *b = &f->wing[side].batches[f->wing[side].turn & 1];
    if (has_chunks(f->q, side, b->arcs))
        return NF_OK;
    KNAME(digits_tidy)(queue, (KNAME(labels)){f->cells, side, f->q->shift});
    if (!has_chunks(f->q, side, b->arcs))
        NF_TRY(nf__pool_grow(queue->mem, queue->pool.capacity + t->need, &queue->pool));
    t->full = false;
done:
    return st;
}

/* Both sides at once. */
static nf_status KNAME(go_together)(KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    while (!q->over && !q->tally[0].hot && !q->tally[1].hot && !q->alone) {
        for (unsigned side = 0; side < 2; side++)
            NF_TRY(KNAME(reserve)(f, side));
        q->leave = 0;
        f->shared = true;
#pragma omp parallel num_threads(2)
        {
            if (omp_get_num_threads() == 2)
                KNAME(go_alone)(f, (unsigned)omp_get_thread_num());
            else
                q->alone = true;
        }
        f->shared = false;
        NF_TRY(q->tally[0].failure);
        NF_TRY(q->tally[1].failure);
        NF_TRY(nf__progress(q->run->ctx, "path", q->tally[0].settled, 0));
    }
done:
    return st;
}

static nf_status KNAME(meet_halfway)(KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    tally *t = q->tally;
    while (!t[0].hot && !t[1].hot && !q->over) {
        if (q->both && !q->alone && t[0].settled + t[1].settled > SHARE_FROM)
            NF_TRY(KNAME(go_together)(f));
        if (q->over)
            break;
        const unsigned side = f->wing[1].busy || (!f->wing[0].busy && q->both && t[1].waiting < t[0].waiting);
        if (!f->wing[side].busy)
            q->over = !KNAME(next_bucket)(f, side) || KNAME(is_over)(f);
        if (!q->over)
            NF_TRY(KNAME(settle_bucket)(f, side));
        NF_TRY(nf__poll(q->run->ctx));
    }
    NF_TRY(t[0].failure);
    NF_TRY(t[1].failure);
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
    const double most = (f->best + 6 * q->half * (double)q->tally[1].deals) * (1 + 0x1p-50);
    return most <= q->guess ? most : (double)INFINITY;
}

/* Side 0 alone, until the target's label is final. */
static nf_status KNAME(go_on)(KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    const nf_vid target = q->run->targets[0];
    f->most = KNAME(way_at_most)(f);
    while ((f->wing[0].busy || KNAME(next_bucket)(f, 0)) && f->done[0] <= f->cells[target].label[0]) {
        NF_TRY(KNAME(settle_bucket)(f, 0));
        NF_TRY(nf__poll(q->run->ctx));
    }
    NF_TRY(q->tally[0].failure);
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
    KNAME(front) f;
    memset(&f, 0, sizeof f);
    f.q = q;
    f.best = f.most = TOTAL_MOST;
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
    if (q->meet != NF_NO_VERTEX && !q->tally[0].hot && !q->tally[1].hot)
        NF_TRY(KNAME(tell_way)(&f));
done:
    if (q->s != NULL)
        nf__search_close(q->s, st == NF_OK);
    return st;
}
