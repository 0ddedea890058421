/* path_body.h - the search of path_dijkstra.c for one kind of key; see key.h, and path_dijkstra.c for method and
 * invariants. */

typedef struct KNAME(cell) {
    K label[2];
    nf_vid parent[2];
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

/* v gets a label by way of u. */
static inline nf_status KNAME(improve)(KNAME(front) * f, unsigned side, nf_vid u, nf_vid v, K label)
{
    nf_status st = NF_OK;
    nf__search *s = f->q->s;
    KNAME(cell) *c = &f->cells[v];
    const K old = c->label[side], other = c->label[!side];
    if (KNAME(is_aside)(f, c, side, label))
        return NF_OK;
    if (old == NO_LABEL)
        NF_TRY(nf__seen_add(s->mem, &s->seen[side], v));
    c->label[side] = label;
    c->parent[side] = u;
    if (other != NO_LABEL && VALUE(label) + VALUE(other) < f->best) {
        f->best = VALUE(label) + VALUE(other);
        f->q->meet = v;
    }
    NF_TRY(KNAME(list)(f, side, v, label, old));
done:
    return st;
}

static nf_status KNAME(begin_side)(KNAME(front) * f, unsigned side, nf_vid v)
{
    nf_status st = NF_OK;
    KNAME(cell) *c = &f->cells[v];
    nf__search *s = f->q->s;
    c->label[side] = 0;
    c->parent[side] = v;
    if (c->label[!side] != NO_LABEL) {
        f->best = 0;
        f->q->meet = v;
    }
    NF_TRY(nf__seen_add(s->mem, &s->seen[side], v));
    NF_TRY(KNAME(list)(f, side, v, 0, NO_LABEL));
done:
    return st;
}

/* ---- a bucket ---------------------------------------------------------------------------------------------------- */

static inline nf_status KNAME(expand)(KNAME(front) * f, unsigned side, nf_vid u, K key)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    const nf_csr *c = &q->csr[side];
    const nf_eid begin = nf__off(c, u), end = nf__off(c, u + 1);
    q->row->iterations++;
    q->row->edges_relaxed += end - begin;
    for (nf_eid e = begin; e < end; e++) {
        const nf_vid v = c->adj[e];
        const K sum = SUM(q, side, key, e);
        if (sum >= f->cells[v].label[side] || sum > q->bound)
            continue;
        if (!EXACT && sum >= KINF)
            q->row->overflowed = true;
        else
            NF_TRY(KNAME(improve)(f, side, u, v, sum));
    }
done:
    return st;
}

/* Fetches what the vertices after batch[i] will need. */
static inline void KNAME(look_ahead)(const KNAME(front) * f, unsigned side, const nf_vid *batch, uint64_t i,
                                     uint64_t count)
{
    const nf_csr *c = &f->q->csr[side];
    if (i + AHEAD_OFF < count) {
        const nf_vid v = batch[i + AHEAD_OFF];
        __builtin_prefetch(c->off32 != NULL ? (const void *)&c->off32[v] : (const void *)&c->off64[v]);
        __builtin_prefetch(&f->cells[v]);
    }
    if (i + AHEAD_ADJ < count) {
        const nf_eid e = nf__off(c, batch[i + AHEAD_ADJ]);
        __builtin_prefetch(&c->adj[e]);
        if (EXACT)
            __builtin_prefetch((const uint32_t *)f->q->weights[side] + (e & f->q->mask));
    }
    if (i + AHEAD_CELL < count) {
        const nf_vid v = batch[i + AHEAD_CELL];
        const nf_eid begin = nf__off(c, v), end = nf__off(c, v + 1);
        for (nf_eid e = begin; e < end && e < begin + MOST_CELLS; e++)
            __builtin_prefetch(&f->cells[c->adj[e]]);
    }
}

/* Takes the vertices listed in bucket `at` and relaxes their arcs. */
static nf_status KNAME(clear_bucket)(KNAME(front) * f, unsigned side, uint32_t at)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    nf__digits *queue = &q->s->queue[side];
    uint64_t count = 0;
    NF_TRY(nf__search_gather(q->s, queue, at, &count));
    q->waiting[side] -= count;
    for (uint64_t i = 0; i < count; i++) {
        const nf_vid u = q->s->batch.list[i];
        KNAME(look_ahead)(f, side, q->s->batch.list, i, count);
        const K key = f->cells[u].label[side];
        if (key >> q->shift != queue->last || KNAME(is_aside)(f, &f->cells[u], side, key))
            continue; /* it has gone to an earlier bucket, or D2 */
        if (EXACT && key > q->top)
            q->hot = true;
        else
            NF_TRY(KNAME(expand)(f, side, u, key));
        if (q->row->iterations % POLL_EVERY == 0)
            NF_TRY(nf__progress(q->run->ctx, "path", q->row->iterations, 0));
    }
done:
    return st;
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

/* Clears the bucket until nothing falls into it any more. */
static nf_status KNAME(settle_bucket)(KNAME(front) * f, unsigned side, uint32_t at)
{
    nf_status st = NF_OK;
    nf__digits *queue = &f->q->s->queue[side];
    while (queue->lists[at].head != NF__NO_CHUNK && !f->q->hot)
        NF_TRY(KNAME(clear_bucket)(f, side, at));
    f->done[side] = (K)((queue->last + 1) << f->q->shift);
done:
    return st;
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
static double way_at_most(const front_f64 *f)
{
    const quest *q = f->q;
    nf_vid v = q->meet;
    uint64_t arcs = 0;
    for (; f->cells[v].parent[1] != v; arcs++)
        v = f->cells[v].parent[1];
    /* an arc lost at most `half` on side 1, and gains at most that on side 0; the rest covers the sums made here */
    const double sum = f->best + 2 * q->half * (double)arcs;
    const double most = sum * (1 + 0x1p-50 + (double)q->run->csr.n * 0x1p-51);
    return most <= q->guess ? most : (double)INFINITY;
}

/* Side 0 alone, until the target's label is final. */
static nf_status go_on(front_f64 *f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    const nf_vid target = q->run->targets[0];
    uint32_t at = 0;
    f->most = way_at_most(f);
    while (next_bucket_f64(f, 0, &at) && f->done[0] <= f->cells[target].label[0]) {
        NF_TRY(settle_bucket_f64(f, 0, at));
        NF_TRY(nf__poll(q->run->ctx));
    }
    NF_TRY(q->failure);
    q->meet = f->cells[target].label[0] != UINT64_MAX ? target : NF_NO_VERTEX;
done:
    return st;
}
#endif

static nf_status KNAME(tell_way)(const KNAME(front) * f)
{
    nf_status st = NF_OK;
    quest *q = f->q;
    nf_vid *vertices = NULL;
    void *dist = NULL;
    uint64_t at = 0, length = 0;
    if (EXACT && f->best >= (TOTAL)NF_UNREACHED_I64)
        NF_TRY(nf__fail(NF_EOVERFLOW, "the length of the way leaves 64 bits"));
    NF_TRY(nf__search_way(q->run, q->s, q->meet, &vertices, &dist, &at, &length));
    for (uint64_t i = 0; i < length; i++) {
        const KNAME(cell) *c = &f->cells[vertices[i]];
        const TOTAL d = i <= at ? VALUE(c->label[0]) : f->best - VALUE(c->label[1]);
        if (q->run->work_type == NF_I64)
            ((int64_t *)dist)[i] = (int64_t)d;
        else if (q->single)
            ((float *)dist)[i] = (float)d;
        else
            ((double *)dist)[i] = (double)d;
    }
done:
    return st;
}

static nf_status KNAME(search)(quest *q)
{
    nf_status st = NF_OK;
    KNAME(front) f = {.q = q, .best = TOTAL_MOST, .most = TOTAL_MOST};
    NF_TRY(nf__search_open(q->run, sizeof(KNAME(cell)), &q->s));
    f.cells = (KNAME(cell) *)(void *)q->s->cells;
    for (unsigned side = 0; side < 2; side++)
        NF_TRY(nf__digits_open(q->s->mem, q->bits, 0, &q->s->queue[side]));
    NF_TRY(KNAME(begin_side)(&f, 0, q->row->sources[0]));
    NF_TRY(KNAME(begin_side)(&f, 1, q->run->targets[0]));
    NF_TRY(KNAME(meet_halfway)(&f));
#if !EXACT
    if (q->meet != NF_NO_VERTEX)
        NF_TRY(go_on(&f));
#endif
    if (q->meet != NF_NO_VERTEX && !q->hot)
        NF_TRY(KNAME(tell_way)(&f));
done:
    if (q->s != NULL)
        nf__search_close(q->s, st == NF_OK);
    return st;
}
