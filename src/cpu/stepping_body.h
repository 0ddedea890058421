/* stepping_body.h - the bucket engine for one kind of key; see key.h, and stepping.c for method and invariants. */

static inline uint32_t KNAME(place)(const lens *l, K key)
{
    const uint32_t b = KBIN(&l->scale, key) - l->base;
    return b < l->last ? b : l->last;
}

static inline uint32_t KNAME(bin)(const engine *g, K key)
{
    const uint32_t b = KBIN(&g->scale, key) - g->base, last = g->plan.open - 1;
    return b < last ? b : last;
}

static inline NF__INLINE void KNAME(fetch_offset)(const nf_csr *c, nf_vid v)
{
    __builtin_prefetch(c->off32 != NULL ? (const void *)&c->off32[v] : (const void *)&c->off64[v]);
}

/* Lists v, whose label fell from `old` to `key` (I2). Alone without a branch, as whether the bucket changes is hard to
 * guess; if it does not, v is in a list of that bucket. If that is another thread's, an empty chunk may be left. */
static inline NF__INLINE void KNAME(list)(engine *g, worker *k, const lens *l, nf_vid v, K key, K old, bool alone)
{
    const uint32_t b = KNAME(place)(l, key), was = KNAME(place)(l, old);
    const uint32_t reach = alone ? l->reach : __atomic_load_n(&g->reach, __ATOMIC_SEQ_CST);
    const bool anew = (b <= reach) | (old == KINF) | (was != b);
    k->again += (was == l->cur) & (l->end == l->cur + 1); /* in wider phases that is the phase's doing: judge_span */
    if (!alone)
        k->fallen += was <= reach;
    if (l->early)
        KNAME(fetch_offset)(&l->csr, v);
    if (alone || anew)
        nf__list_put(&g->pool, &k->stock, &k->bins[b], v, anew);
}

/* Relaxes u -> v with the label `key` (I1). */
static inline NF__INLINE void KNAME(relax)(engine *g, worker *k, const lens *l, nf_vid u, nf_vid v, K key, bool alone)
{
    K *const d = l->dist;
    K old = alone ? d[v] : __atomic_load_n(&d[v], __ATOMIC_RELAXED);
    if (key >= old || key > (K)l->bound)
        return;
    if (alone) {
        d[v] = key;
        if (l->parent != NULL)
            l->parent[v] = u;
        KNAME(list)(g, k, l, v, key, old, true);
        return;
    }
    while (key < old)
        if (__atomic_compare_exchange_n(&d[v], &old, key, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
            KNAME(list)(g, k, l, v, key, old, false);
            return;
        }
}

/* Deals with the candidates; false: the pool is used up (I4). */
static inline NF__INLINE bool KNAME(deal)(engine *g, worker *k, const lens *l, bool alone)
{
    const K *keys = (const K *)&k->key;
    const uint32_t found = k->found;
    uint32_t i = k->dealt;
    for (; i < found; i++) {
        if (k->stock.count == 0 && !nf__stock_ready(&g->pool, &k->stock))
            break;
        if (!alone && i + CLAIM < found)
            nf__fetch_to_write((const K *)l->dist + k->head[i + CLAIM]);
        KNAME(relax)(g, k, l, k->tail[i], k->head[i], keys[i], alone);
    }
    k->dealt = i == found ? 0 : i;
    k->found = i == found ? 0 : found;
    return i == found;
}

/* Notes arc e of u as a candidate; does it count as one? */
static inline NF__INLINE uint32_t KNAME(note)(worker *k, const lens *l, nf_vid u, K key, nf_eid e, uint32_t at)
{
    const nf_vid v = l->csr.adj[e];
    const K sum = KSUM(&l->scale, key, &l->csr, e);
    k->head[at] = v;
    k->tail[at] = u;
    ((K *)&k->key)[at] = sum;
    return sum < __atomic_load_n((const K *)l->dist + v, __ATOMIC_RELAXED);
}

/* Adds those of the arcs to the candidates that would lower a label, without a branch for each (I6), and without one
 * for how many the last GROUP are: the last arc stands in for those that are missing, and what it added is taken back.
 * At least one arc, at most STRIP. */
static inline NF__INLINE void KNAME(sift)(worker *k, const lens *l, nf_vid u, K key, nf_eid e, nf_eid past)
{
    const nf_eid last = past - 1;
    uint32_t found = k->found;
    for (; past - e > GROUP; e += GROUP) {
        found += KNAME(note)(k, l, u, key, e, found);
        found += KNAME(note)(k, l, u, key, e + 1, found);
        found += KNAME(note)(k, l, u, key, e + 2, found);
        found += KNAME(note)(k, l, u, key, e + 3, found);
    }
    found += KNAME(note)(k, l, u, key, e, found);
    found += KNAME(note)(k, l, u, key, e + 1 < last ? e + 1 : last, found);
    found += KNAME(note)(k, l, u, key, e + 2 < last ? e + 2 : last, found);
    const uint32_t counts = KNAME(note)(k, l, u, key, last, found);
    k->found = found + counts - counts * (GROUP - (uint32_t)(past - e));
}

/* Relaxes the arcs of a batch; false: the pool is used up, or 32 bits are. */
static inline NF__INLINE bool KNAME(scan)(engine *g, worker *k, const lens *l, batch *b, bool alone)
{
    const K *d = l->dist;
    for (; b->at < b->count; b->at++) {
        const nf_vid u = b->u[b->at];
        const nf_eid end = b->end[b->at];
        const K key = __atomic_load_n(&d[u], __ATOMIC_RELAXED);
        if (KHOT(&l->scale, key)) {
            nf__raise_flag(&g->hot);
            if (KSMALL)
                return false;
        }
        for (nf_eid e = b->from[b->at]; e < end;) {
            const nf_eid past = end - e < STRIP ? end : e + STRIP;
            if (k->found > CANDS - STRIP && !KNAME(deal)(g, k, l, alone))
                return false;
            KNAME(sift)(k, l, u, key, e, past);
            k->relaxed += past - e;
            b->from[b->at] = e = past;
        }
    }
    return KNAME(deal)(g, k, l, alone);
}

/* Asks for labels and offsets of a chunk's vertices. */
static inline void KNAME(announce)(const engine *g, uint32_t chunk)
{
    const K *const d = g->row->dist;
    const nf__chunk *c = &g->pool.chunks[chunk];
    const uint32_t count = chunk != NF__NO_CHUNK ? c->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(&d[c->v[i]]);
        KNAME(fetch_offset)(&g->run->csr, c->v[i]);
    }
}

/* Goes on to the next chunk; false: there is none. */
static inline bool KNAME(turn_page)(engine *g, worker *k)
{
    if (k->chunk != NF__NO_CHUNK)
        nf__chunk_release(&g->pool, &k->stock, k->chunk);
    k->at = 0;
    k->chunk = k->ahead;
    k->page = k->page_ahead;
    k->ahead = next_chunk(g, k, &k->page_ahead);
    KNAME(announce)(g, k->ahead);
    if (k->chunk == NF__NO_CHUNK) {
        k->chunk = k->ahead;
        k->page = k->page_ahead;
        k->ahead = NF__NO_CHUNK;
    }
    return k->chunk != NF__NO_CHUNK;
}

static inline NF__INLINE void KNAME(fetch)(const lens *l, nf_eid e)
{
    __builtin_prefetch(&l->csr.adj[e]);
    __builtin_prefetch((const char *)l->scale.weights + ((e & l->scale.mask) << l->weight_shift));
}

/* Takes vertices from a page into a batch, and asks for their arcs; stale ones are written over by the next. */
static inline NF__INLINE nf_eid KNAME(take)(worker *k, const lens *l, batch *b, const nf__chunk *page, nf_eid arcs)
{
    const K *const d = l->dist;
    const uint32_t top = page->count, bucket = k->page;
    uint32_t i = k->at, count = b->count;
    for (; i < top && count < BATCH && arcs < ARCS; i++) {
        const nf_vid u = page->v[i];
        const nf_eid from = nf__off(&l->csr, u), end = nf__off(&l->csr, u + 1);
        const bool live = KNAME(place)(l, __atomic_load_n(&d[u], __ATOMIC_RELAXED)) == bucket;
        b->u[count] = u;
        b->from[count] = from;
        b->end[count] = end;
        count += live;
        arcs += (end - from) & -(nf_eid)live;
        KNAME(fetch)(l, from);
        KNAME(fetch)(l, end - (end > from));
        if (end - from > LINE && live)
            for (nf_eid e = from + LINE; e < end && e < from + FETCH_MOST; e += LINE)
                KNAME(fetch)(l, e);
    }
    k->at = i;
    k->seen += count - b->count;
    k->done += count - b->count;
    b->count = count;
    return arcs;
}

/* Fills a batch with vertices that are not stale. */
static inline NF__INLINE void KNAME(fill)(engine *g, worker *k, const lens *l, batch *b)
{
    nf_eid arcs = 0;
    b->count = b->at = 0;
    while (b->count < BATCH && arcs < ARCS) {
        if ((k->chunk == NF__NO_CHUNK || k->at == g->pool.chunks[k->chunk].count) && !KNAME(turn_page)(g, k))
            break;
        arcs = KNAME(take)(k, l, b, &g->pool.chunks[k->chunk], arcs);
    }
}

static lens KNAME(look)(const engine *g)
{
    return (lens){.csr = g->run->csr,
                  .scale = g->scale,
                  .dist = g->row->dist,
                  .parent = g->threads == 1 ? g->row->parent : NULL,
                  .bound = g->bound < KINF ? g->bound : KINF,
                  .base = g->base,
                  .cur = g->cur,
                  .end = g->end,
                  .reach = g->reach,
                  .early = g->run->stats.degree_mean < EARLY_DEGREE,
                  .weight_shift = nf_type_size(g->run->csr.weight_type) == 8 ? 3 : 2,
                  .last = g->plan.open - 1};
}

/* The thread's share of a phase: a batch is scanned while the arcs of the next are on their way. */
static inline NF__INLINE void KNAME(drain)(engine *g, worker *k, const bool alone)
{
    const lens l = KNAME(look)(g);
    for (;; k->turn++) {
        batch *now = &k->batches[k->turn & 1], *next = &k->batches[~k->turn & 1];
        k->dry = now->at == now->count;
        KNAME(fill)(g, k, &l, next);
        if (k->dry && next->count == 0)
            return;
        if (!KNAME(scan)(g, k, &l, now, alone)) {
            nf__raise_flag(&g->full);
            return;
        }
    }
}

static void KNAME(drain_alone)(engine *g, worker *k)
{
    KNAME(drain)(g, k, true);
}

static void KNAME(drain_shared)(engine *g, worker *k)
{
    KNAME(drain)(g, k, false);
}

/* Looks through the thread's far list: how many vertices lie there, the least bucket among them, and where the width is
 * to change some of their labels. Stale entries do not count. */
static uint32_t KNAME(far_min)(const engine *g, worker *k)
{
    const K *d = g->row->dist;
    const uint32_t last = g->plan.open - 1;
    uint32_t entries = 0;
    K least = KINF;
    for (uint32_t c = k->bins[last].head; g->plan.rho > 0 && c != NF__NO_CHUNK; c = g->pool.chunks[c].next)
        entries += g->pool.chunks[c].count;
    const uint32_t stride = entries / SAMPLE + 1;
    k->far = k->shown = 0;
    for (uint32_t c = k->bins[last].head; c != NF__NO_CHUNK; c = g->pool.chunks[c].next)
        for (uint32_t i = 0; i < g->pool.chunks[c].count; i++) {
            const K key = d[g->pool.chunks[c].v[i]];
            if (KBIN(&g->scale, key) - g->base < last)
                continue;
            if (g->plan.rho > 0 && k->far % stride == 0)
                k->sample[k->shown++] = KREAL(key);
            k->far++;
            least = key < least ? key : least;
        }
    k->least = least;
    k->nearest = KREAL(least);
    return k->far != 0 ? KBIN(&g->scale, least) : NONE;
}

/* The width of the buckets that will be opened, and the first of them (I8); by one thread. */
static uint32_t KNAME(widen)(engine *g)
{
    const double width = width_for(g);
    K least = KINF;
    for (int t = 0; t < g->threads; t++)
        if (g->workers[t].far != 0 && (K)g->workers[t].least < least)
            least = (K)g->workers[t].least;
    if (width > 0)
        nf__scale_make(g->run, KSMALL != 0, width, &g->fresh);
    return least != KINF ? KBIN(&g->fresh, least) : NONE;
}

/* Lists the vertices of a list anew, in the buckets from `base` to the far one, `last`, without those that were stale
 * before. */
static void KNAME(relist)(engine *g, worker *k, uint32_t b, uint32_t base, uint32_t last)
{
    const K *d = g->row->dist;
    uint32_t chunk = k->bins[b].head;
    k->bins[b].head = NF__NO_CHUNK;
    while (chunk != NF__NO_CHUNK) {
        const nf__chunk c = g->pool.chunks[chunk];
        nf__chunk_release(&g->pool, &k->stock, chunk);
        for (uint32_t i = 0; i < c.count; i++) {
            const K key = d[c.v[i]];
            if (KNAME(bin)(g, key) != b)
                continue;
            const uint32_t to = KBIN(&g->fresh, key) - base;
            k->low = to < k->low ? to : k->low;
            nf__list_push(&g->pool, &k->stock, &k->bins[to < last ? to : last], c.v[i]);
        }
        chunk = c.next;
    }
}

/* All buckets after the last label that matters? */
static bool KNAME(is_over)(const engine *g, uint32_t next)
{
    const nf__run *run = g->run;
    const K *d = g->row->dist;
    if (g->bound < KINF && next > KBIN(&g->scale, (K)g->bound))
        return true;
    bool over = run->targets != NULL;
    for (uint64_t i = 0; over && i < run->target_count; i++)
        over = d[run->targets[i]] != KINF && KBIN(&g->scale, d[run->targets[i]]) < next;
    return over;
}

/* The thread's share of a phase of several threads: until nobody has anything left to do. */
static void KNAME(take_part)(engine *g, worker *k)
{
    __atomic_fetch_add(&g->busy, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&g->came, 1, __ATOMIC_SEQ_CST);
    adopt(g, k);
    for (;;) {
        KNAME(drain_shared)(g, k);
        __atomic_fetch_sub(&g->busy, 1, __ATOMIC_SEQ_CST);
        if (!await_offer(g, k))
            break;
        __atomic_fetch_add(&g->busy, 1, __ATOMIC_SEQ_CST);
    }
    k->low = g->cur;
    survey(g, k);
}

/* A piece of work for a crew: the thread's share of a phase, or the far lists of some workers, each done by one thread
 * for the worker it belongs to. The new lists take at most one chunk more than the far list gives back for each. */
static void KNAME(work)(void *arg, int me)
{
    engine *g = arg;
    if (g->piece == DRAIN) {
        KNAME(take_part)(g, &g->workers[me]);
        return;
    }
    for (int t; (t = __atomic_fetch_add(&g->cursor, 1, __ATOMIC_RELAXED)) < g->active;) {
        worker *k = &g->workers[t];
        if (g->piece == RELIST) {
            KNAME(relist)(g, k, g->plan.open - 1, g->far_min, g->plan.open - 1);
            survey(g, k);
            continue;
        }
        lower_to(&g->far_min, KNAME(far_min)(g, k));
        k->need = k->far < g->plan.open ? k->far : g->plan.open;
        if (!nf__stock_refill(&g->pool, &k->stock, k->need + READY))
            nf__raise_flag(&g->cramped);
    }
}

/* All buckets are empty but the far one: opens buckets from the least label in it. False: it is empty as well, or the
 * pool is used up. */
static bool KNAME(reopen)(engine *g, nf__crew *crew)
{
    share(g, crew, LOOK, g->active, KNAME(work));
    if (nf__flag(&g->cramped))
        return false;
    if (g->plan.rho > 0)
        g->far_min = KNAME(widen)(g);
    const uint32_t base = g->far_min;
    g->over = base == NONE;
    if (g->over)
        return false;
    share(g, crew, RELIST, g->active, KNAME(work));
    g->scale = g->fresh;
    g->base = base;
    g->reach = 0;
    g->far_min = NONE;
    return true;
}

/* The current bucket, of so many vertices, and maybe some after it, by as many threads as that is enough for (I7);
 * false: the region must be left. */
static bool KNAME(phase)(engine *g, nf__crew *crew, uint64_t vertices)
{
    const uint64_t work = plan_phase(g, vertices);
    if (g->alone)
        KNAME(drain_alone)(g, g->workers);
    else
        share(g, crew, DRAIN, g->team, KNAME(work));
    for (int t = 0; t < g->active && !interrupted(g); t++) {
        worker *k = &g->workers[t];
        if (!g->alone && k->phase != g->phase && k->first < g->end) /* its thread did not come */
            KNAME(drain_shared)(g, k);
        if (t == 0 || k->first < g->end) {
            k->low = g->cur;
            survey(g, k);
        }
    }
    if (g->threads > 1)
        nf__habit_note(&g->habit, work, !g->alone);
    if (!g->alone)
        judge_span(g);
    return !interrupted(g);
}

/* The master of a crew: bucket after bucket until none is left, or the region must be left. */
static void KNAME(lead)(nf__crew *crew, void *arg)
{
    engine *g = arg;
    uint64_t vertices = 0;
    for (first_of_all(g, &vertices); KNAME(phase)(g, crew, vertices);) {
        uint32_t next = first_of_all(g, &vertices);
        if (next == NONE) {
            if (!KNAME(reopen)(g, crew))
                return;
            next = first_of_all(g, &vertices);
        }
        g->row->iterations++;
        g->cur = next;
        g->over = KNAME(is_over)(g, g->base + next);
        if (g->over)
            return;
    }
}

static void KNAME(seed)(engine *g)
{
    const nf_vid n = g->run->csr.n;
    K *d = g->row->dist;
    nf_vid *parent = g->row->parent;
#pragma omp parallel for num_threads(nf__team_for(g->run->ctx, n))
    for (nf_vid v = 0; v < n; v++) {
        d[v] = KINF;
        if (parent != NULL)
            parent[v] = NF_NO_VERTEX;
    }
    for (uint64_t i = 0; i < g->row->source_count; i++) {
        const nf_vid v = g->row->sources[i];
        if (d[v] == 0)
            continue; /* given twice */
        d[v] = 0;
        if (parent != NULL)
            parent[v] = v;
        nf__stock_ready(&g->pool, &g->workers[0].stock); /* the pool has room for all vertices */
        nf__list_push(&g->pool, &g->workers[0].stock, &g->workers[0].bins[0], v);
    }
    survey(g, g->workers);
}

/* Puts what a chunk of bucket b lists, from `at` on, into the thread's list: each vertex once. */
static void KNAME(keep)(engine *g, worker *k, uint32_t chunk, uint32_t at, uint32_t b)
{
    const K *d = g->row->dist;
    const nf__chunk c = g->pool.chunks[chunk];
    nf__chunk_release(&g->pool, &k->stock, chunk);
    for (; at < c.count; at++) {
        const nf_vid v = c.v[at];
        if (KNAME(bin)(g, d[v]) != b || !nf__bit_claim(g->once, v))
            continue;
        nf__list_push(&g->pool, &k->stock, &k->bins[b], v);
    }
}

static void KNAME(keep_list)(engine *g, worker *k, uint32_t head, uint32_t b)
{
    for (uint32_t c = head, next = 0; c != NF__NO_CHUNK; c = next) {
        next = g->pool.chunks[c].next;
        KNAME(keep)(g, k, c, 0, b);
    }
}

/* All that is left of the thread's part of the phase's buckets becomes its lists. What its batches hold needs no entry:
 * finish. */
static void KNAME(gather)(engine *g, worker *k)
{
    uint32_t bucket = 0;
    for (uint32_t b = g->cur; b < g->end; b++) {
        const uint32_t head = k->bins[b].head;
        k->bins[b].head = NF__NO_CHUNK;
        KNAME(keep_list)(g, k, head, b);
    }
    KNAME(keep_list)(g, k, k->chain, g->cur);
    for (uint32_t c; (c = take_offer(k, &bucket)) != NF__NO_CHUNK;)
        KNAME(keep)(g, k, c, 0, bucket);
    if (k->chunk != NF__NO_CHUNK)
        KNAME(keep)(g, k, k->chunk, k->at, k->page);
    if (k->ahead != NF__NO_CHUNK)
        KNAME(keep)(g, k, k->ahead, 0, k->page_ahead);
    k->chain = k->chunk = k->ahead = NF__NO_CHUNK;
    k->at = 0;
}

/* Does the batches and candidates that threads had when the pool was used up, by one thread. Their vertices have no
 * entries any more, and whoever lowers one of them lists it (I2). False: the pool is used up again. */
static bool KNAME(finish)(engine *g)
{
    lens l = KNAME(look)(g);
    l.reach = NONE;
    for (int t = 0; t < g->threads; t++) {
        worker *k = &g->workers[t];
        if (!KNAME(deal)(g, k, &l, true) || !KNAME(scan)(g, k, &l, &k->batches[k->turn & 1], true)
            || !KNAME(scan)(g, k, &l, &k->batches[~k->turn & 1], true)) {
            g->full = 1;
            return false;
        }
    }
    return true;
}

/* Keeps half as many buckets open: from the current one on, or, if that would open some of what is far now, from as
 * many before the far one as are kept. Each list goes into one list, so no more chunks are taken than given back. */
static void KNAME(close_half)(engine *g)
{
    const uint32_t open = g->plan.open > 4 ? g->plan.open / 2 : 2;
    const uint32_t shift = g->cur < g->plan.open - open ? g->cur : g->plan.open - open, base = g->base + shift;
    for (int t = 0; t < g->threads; t++)
        for (uint32_t b = 0; b < g->plan.open; b++)
            KNAME(relist)(g, &g->workers[t], b, base, open - 1);
    g->base = base;
    g->cur -= shift;
    g->reach -= shift;
    for (int t = 0; t < g->threads; t++)
        g->workers[t].low = g->cur;
    g->plan.open = open;
}

/* After the pool was used up (I4). The current bucket is not done yet: what it still lists may lie before the next
 * bucket that a thread had already looked for. */
static nf_status KNAME(make_room)(engine *g)
{
    nf_status st = NF_OK;
    const uint64_t words = nf__bits_words(g->run->csr.n);
    if (g->once == NULL)
        NF_TRY_ALLOC(g->once, nf__alloc(nf__context_mem(g->run->ctx), words, sizeof *g->once));
    memset(g->once, 0, words * sizeof *g->once);
#pragma omp parallel for num_threads(g->threads) schedule(static, 1) if (g->threads > 1)
    for (int t = 0; t < g->threads; t++) {
        g->workers[t].low = g->cur;
        KNAME(gather)(g, &g->workers[t]);
        for (uint32_t b = 0; b < g->plan.open; b++)
            if (b < g->cur || b >= g->end)
                KNAME(relist)(g, &g->workers[t], b, g->base, g->plan.open - 1);
    }
    while ((g->full || g->cramped) && !share_stock(g) && g->plan.open > 2)
        KNAME(close_half)(g);
    g->full = g->cramped = 0;
    g->far_min = NONE;
done:
    return st;
}

/* Lists all vertices of a worker in the buckets of g->fresh, from `base` on; none of them is stale. */
static void KNAME(recast)(engine *g, worker *k, uint32_t base)
{
    const K *d = g->row->dist;
    const uint32_t last = g->plan.open - 1;
    uint32_t chunk = NF__NO_CHUNK;
    for (uint32_t b = 0; b <= last; b++)
        while (k->bins[b].head != NF__NO_CHUNK) { /* all chunks into one list */
            const uint32_t c = k->bins[b].head;
            k->bins[b].head = g->pool.chunks[c].next;
            g->pool.chunks[c].next = chunk;
            chunk = c;
        }
    while (chunk != NF__NO_CHUNK) {
        const nf__chunk c = g->pool.chunks[chunk];
        nf__chunk_release(&g->pool, &k->stock, chunk);
        for (uint32_t i = 0; i < c.count; i++) {
            const uint32_t to = KBIN(&g->fresh, d[c.v[i]]) - base;
            nf__list_push(&g->pool, &k->stock, &k->bins[to < last ? to : last], c.v[i]);
        }
        chunk = c.next;
    }
    k->low = 0;
}

/* Makes the buckets narrower; after make_room, so that no entry is stale. Later rows begin with the new width. False:
 * they would be too narrow, or there are no chunks for the new lists. */
static bool KNAME(narrow)(engine *g)
{
    const unsigned bits = bits_finer(g);
    const double delta =
        (g->row->type == NF_I64 ? (double)(UINT64_C(1) << g->scale.shift) : g->plan.delta) / (double)(1u << bits);
    bool fits = bits > 0 && delta * g->plan.open > SPAN * g->run->stats.weight_max;
    for (int t = 0; t < g->threads; t++) {
        g->workers[t].seen = g->workers[t].again = 0;
        fits = fits && nf__stock_refill(&g->pool, &g->workers[t].stock, lists_of(g, &g->workers[t]) + READY);
    }
    g->coarse = 0;
    if (!fits)
        return false;
    const uint32_t base = (g->base + g->cur) << bits;
    g->plan.delta = delta;
    nf__scale_make(g->run, KSMALL != 0, delta, &g->fresh);
    for (int t = 0; t < g->threads; t++)
        KNAME(recast)(g, &g->workers[t], base);
    g->scale = g->fresh;
    g->reach = ((g->reach - g->cur + 1) << bits) - 1;
    g->base = base;
    g->cur = 0;
    return true;
}

static nf_status KNAME(steps)(engine *g)
{
    nf_status st = NF_OK;
    KNAME(seed)(g);
    do {
        nf__crew_run(g->threads, KNAME(lead), g);
        NF_TRY(nf__progress(g->run->ctx, "sssp", g->row->iterations, 0));
        if (KSMALL && g->hot)
            break;
        while (g->full || g->cramped || g->coarse) {
            NF_TRY(KNAME(make_room)(g));
            if (KNAME(finish)(g))
                break;
        }
        g->retreat = g->coarse && !KNAME(narrow)(g);
        survey_all(g);
    } while (!g->over && !g->retreat);
    for (int t = 0; t < g->threads; t++)
        g->row->edges_relaxed += g->workers[t].relaxed;
done:
    return st;
}
