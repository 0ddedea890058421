/* stepping_body.h - the bucket engine for one kind of key; see key.h, and stepping.c for method and invariants. */

static inline uint32_t KNAME(bin)(const engine *g, K key)
{
    const uint32_t b = KBIN(&g->scale, key) - g->base, last = g->plan.open - 1;
    return b < last ? b : last;
}

/* Lists v, whose label fell from `old` to `key` (I2). */
static inline void KNAME(list)(engine *g, worker *k, nf_vid v, K key, K old)
{
    const uint32_t b = KNAME(bin)(g, key);
    if (b != g->cur && old != KINF && KNAME(bin)(g, old) == b)
        return;
    k->current += b == g->cur;
    nf__list_push(&g->pool, &k->stock, &k->bins[b], v);
}

/* Relaxes u -> v with the label `key` (I1). */
static inline void KNAME(relax)(engine *g, worker *k, K *d, nf_vid u, nf_vid v, K key, bool alone)
{
    K old = alone ? d[v] : __atomic_load_n(&d[v], __ATOMIC_RELAXED);
    if (key >= old || key > g->bound)
        return;
    if (alone) {
        d[v] = key;
        if (g->threads == 1 && g->row->parent != NULL)
            g->row->parent[v] = u;
        KNAME(list)(g, k, v, key, old);
        return;
    }
    while (key < old)
        if (__atomic_compare_exchange_n(&d[v], &old, key, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            KNAME(list)(g, k, v, key, old);
            return;
        }
}

/* Deals with the candidates; false: the pool is used up (I4). */
static inline bool KNAME(deal)(engine *g, worker *k, bool alone)
{
    const K *keys = (const K *)&k->key;
    while (k->dealt < k->found) {
        const uint32_t past = k->found - k->dealt < READY ? k->found : k->dealt + READY;
        if (!nf__stock_ready(&g->pool, &k->stock))
            return false;
        for (uint32_t i = k->dealt; i < past; i++)
            KNAME(relax)(g, k, g->row->dist, k->tail[i], k->head[i], keys[i], alone);
        k->dealt = past;
    }
    k->dealt = k->found = 0;
    return true;
}

/* Adds those of the arcs to the candidates that would lower a label, without a branch for each (I6). */
static inline void KNAME(sift)(const engine *g, worker *k, nf_vid u, K key, nf_eid e, nf_eid past)
{
    const nf_csr *c = &g->run->csr;
    const K *d = g->row->dist;
    K *keys = (K *)&k->key;
    uint32_t found = k->found;
    for (; e < past; e++) {
        const nf_vid v = c->adj[e];
        const K sum = KSUM(&g->scale, key, c, e);
        k->head[found] = v;
        keys[found] = sum;
        found += sum < __atomic_load_n(&d[v], __ATOMIC_RELAXED);
    }
    for (uint32_t i = k->found; i < found; i++)
        k->tail[i] = u;
    k->found = found;
}

/* Relaxes the arcs of a batch; false: the pool is used up, or 32 bits are. */
static inline bool KNAME(scan)(engine *g, worker *k, batch *b, bool alone)
{
    const K *d = g->row->dist;
    for (; b->at < b->count; b->at++) {
        const nf_vid u = b->u[b->at];
        const nf_eid end = b->end[b->at];
        const K key = __atomic_load_n(&d[u], __ATOMIC_RELAXED);
        if (KHOT(&g->scale, key)) {
            raise_flag(&g->hot);
            if (KSMALL)
                return false;
        }
        for (nf_eid e = b->from[b->at]; e < end;) {
            const nf_eid past = end - e < STRIP ? end : e + STRIP;
            if (k->found > CANDS - STRIP && !KNAME(deal)(g, k, alone))
                return false;
            KNAME(sift)(g, k, u, key, e, past);
            k->relaxed += past - e;
            b->from[b->at] = e = past;
        }
    }
    return KNAME(deal)(g, k, alone);
}

/* Asks for labels and offsets of a chunk's vertices. */
static inline void KNAME(announce)(const engine *g, uint32_t chunk)
{
    const nf_csr *csr = &g->run->csr;
    const nf__chunk *c = &g->pool.chunks[chunk];
    for (uint32_t i = 0; chunk != NF__NO_CHUNK && i < c->count; i++) {
        __builtin_prefetch((const K *)g->row->dist + c->v[i]);
        if (csr->off32 != NULL)
            __builtin_prefetch(&csr->off32[c->v[i]]);
        else
            __builtin_prefetch(&csr->off64[c->v[i]]);
    }
}

/* Goes on to the next chunk; false: there is none. */
static inline bool KNAME(turn_page)(engine *g, worker *k)
{
    if (k->chunk != NF__NO_CHUNK)
        nf__chunk_release(&g->pool, &k->stock, k->chunk);
    k->at = 0;
    k->chunk = k->ahead;
    k->ahead = next_chunk(g, k);
    KNAME(announce)(g, k->ahead);
    if (k->chunk == NF__NO_CHUNK) {
        k->chunk = k->ahead;
        k->ahead = NF__NO_CHUNK;
    }
    return k->chunk != NF__NO_CHUNK;
}

/* Fills a batch with vertices that are not stale, and asks for their arcs. */
static inline void KNAME(fill)(engine *g, worker *k, batch *b)
{
    const nf_csr *c = &g->run->csr;
    const K *d = g->row->dist;
    nf_eid arcs = 0;
    b->count = b->at = 0;
    while (b->count < BATCH && arcs < ARCS) {
        if ((k->chunk == NF__NO_CHUNK || k->at == g->pool.chunks[k->chunk].count) && !KNAME(turn_page)(g, k))
            break;
        const nf_vid u = g->pool.chunks[k->chunk].v[k->at++];
        if (KNAME(bin)(g, __atomic_load_n(&d[u], __ATOMIC_RELAXED)) != g->cur)
            continue;
        const nf_eid from = nf__off(c, u), end = nf__off(c, u + 1),
                     past = end - from < FETCH_MOST ? end : from + FETCH_MOST;
        b->u[b->count] = u;
        b->from[b->count] = from;
        b->end[b->count++] = end;
        arcs += end - from;
        for (nf_eid e = from; e < past; e += LINE) {
            __builtin_prefetch(&c->adj[e]);
            __builtin_prefetch((const uint32_t *)g->scale.weights + (e & g->scale.mask));
        }
    }
}

/* The thread's share of a phase: a batch is scanned while the arcs of the next are on their way. Begins with what was
 * left when the pool was used up. */
static inline void KNAME(drain)(engine *g, worker *k, bool alone)
{
    for (bool good = KNAME(deal)(g, k, alone);; k->turn++) {
        batch *now = &k->batches[k->turn & 1], *next = &k->batches[~k->turn & 1];
        k->dry = now->at == now->count;
        if (good && next->at == next->count)
            KNAME(fill)(g, k, next);
        if (good && k->dry && next->count == 0)
            return;
        if (!good || !KNAME(scan)(g, k, now, alone)) {
            raise_flag(&g->full);
            return;
        }
    }
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

/* All buckets are empty but the far one: opens buckets from the least label in it. False: it is empty as well, or the
 * pool is used up. The new lists take at most one chunk more than the far list gives back for each of
 * them. */
static bool KNAME(reopen)(engine *g, worker *k, uint32_t *next)
{
    lower_to(&g->far_min, KNAME(far_min)(g, k));
    k->need = k->far < g->plan.open ? k->far : g->plan.open;
    if (!nf__stock_refill(&g->pool, &k->stock, k->need + READY))
        raise_flag(&g->cramped);
#pragma omp barrier
    if (flag(&g->cramped))
        return false;
    if (g->plan.rho > 0) {
        if (k == g->workers)
            g->far_min = KNAME(widen)(g);
#pragma omp barrier
    }
    const uint32_t base = g->far_min;
    if (base != NONE)
        KNAME(relist)(g, k, g->plan.open - 1, base, g->plan.open - 1);
#pragma omp barrier
    *next = base == NONE ? NONE : 0;
    if (k == g->workers) {
        g->base = base != NONE ? base : g->base;
        g->scale = g->fresh;
        g->far_min = NONE;
    }
    return true;
}

/* Agrees on the next bucket; false: there is none, or the region must be left. Two barriers, or four. */
static bool KNAME(advance)(engine *g, worker *k)
{
    const unsigned side = k->phase & 1, other = side ^ 1;
    lower_to(&g->next[side], first_bin(g, k));
#pragma omp barrier
    if (flag(&g->full) || flag(&g->stop))
        return false;
    uint32_t next = g->next[side];
    if (next == NONE && !KNAME(reopen)(g, k, &next))
        return false;
    if (k == g->workers) {
        g->done = next == NONE || KNAME(is_over)(g, g->base + next);
        g->cur = next == NONE ? 0 : next;
        g->next[other] = NONE;
        g->narrow = g->listed[side] < NARROW * (uint64_t)g->threads ? g->narrow + 1 : 0;
        g->solo = g->narrow >= PATIENCE;
        g->tail[side] = 0;
        g->listed[side] = 0;
        g->row->iterations++;
    }
    if (next != NONE)
        offer(g, k, next, other);
    k->phase++;
#pragma omp barrier
    return !g->done;
}

/* As reopen, for the master alone. */
static bool KNAME(reopen_solo)(engine *g, worker *k, uint32_t *next)
{
    uint32_t base = KNAME(far_min)(g, k);
    k->need = k->far < g->plan.open ? k->far : g->plan.open;
    if (!nf__stock_refill(&g->pool, &k->stock, k->need + READY)) {
        raise_flag(&g->cramped);
        return false;
    }
    if (base == NONE)
        return true;
    if (g->plan.rho > 0)
        base = KNAME(widen)(g);
    KNAME(relist)(g, k, g->plan.open - 1, base, g->plan.open - 1);
    g->scale = g->fresh;
    g->base = base;
    *next = 0;
    return true;
}

/* The master alone, bucket after bucket, until one is wide (I7); false: none is left, or the region must be left. */
static bool KNAME(solo)(engine *g, worker *k)
{
    g->shares = g->threads; /* what was offered last */
    merge_lists(g);
    for (;;) {
        KNAME(drain)(g, k, true);
        if (flag(&g->full) || flag(&g->stop))
            return false;
        g->shares = 0;
        uint32_t next = first_bin(g, k);
        if (next == NONE && !KNAME(reopen_solo)(g, k, &next))
            return false;
        g->row->iterations++;
        g->over = next == NONE || KNAME(is_over)(g, g->base + next);
        if (g->over)
            return false;
        g->cur = next;
        if (is_wide(g, &k->bins[next]))
            break;
        k->chain = k->bins[next].head;
        k->bins[next].head = NF__NO_CHUNK;
        k->current = 0;
    }
    const unsigned side = k->phase & 1;
    g->tail[side] = 0;
    g->listed[side] = 0;
    g->shares = g->threads;
    offer(g, k, g->cur, side);
    return true;
}

static void KNAME(region)(engine *g, worker *k)
{
    do {
        if (g->solo) {
            if (k == g->workers)
                g->leave = !KNAME(solo)(g, k);
#pragma omp barrier
            if (g->leave)
                return;
        }
        KNAME(drain)(g, k, false);
    } while (KNAME(advance)(g, k));
}

static void KNAME(seed)(engine *g)
{
    const nf_vid n = g->run->csr.n;
    K *d = g->row->dist;
    nf_vid *parent = g->row->parent;
#pragma omp parallel for num_threads(nf__threads_for(g->run->ctx, n))
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
}

/* Puts what a chunk of the current bucket lists, from `at` on, into the thread's list: each vertex once. */
static void KNAME(keep)(engine *g, worker *k, uint32_t chunk, uint32_t at)
{
    const K *d = g->row->dist;
    const nf__chunk c = g->pool.chunks[chunk];
    nf__chunk_release(&g->pool, &k->stock, chunk);
    for (; at < c.count; at++) {
        const nf_vid v = c.v[at];
        if (KNAME(bin)(g, d[v]) != g->cur || nf__bit(g->once, v))
            continue;
        nf__bit_set(g->once, v);
        nf__list_push(&g->pool, &k->stock, &k->bins[g->cur], v);
        k->current++;
    }
}

/* All that is left of the thread's part of the current bucket becomes its list. A vertex in a batch that is scanned
 * later needs no entry: whoever lowers its label meanwhile lists it again. */
static void KNAME(gather)(engine *g, worker *k)
{
    const uint32_t heads[2] = {k->bins[g->cur].head, k->chain}, count = k->past - k->first;
    k->bins[g->cur].head = NF__NO_CHUNK;
    k->current = 0;
    for (int i = 0; i < 2; i++)
        for (uint32_t c = heads[i], next = 0; c != NF__NO_CHUNK; c = next) {
            next = g->pool.chunks[c].next;
            KNAME(keep)(g, k, c, 0);
        }
    for (uint32_t i = k->taken; i < count; i++)
        KNAME(keep)(g, k, g->work[k->first + i], 0);
    if (k->chunk != NF__NO_CHUNK)
        KNAME(keep)(g, k, k->chunk, k->at);
    if (k->ahead != NF__NO_CHUNK)
        KNAME(keep)(g, k, k->ahead, 0);
    k->chain = k->chunk = k->ahead = NF__NO_CHUNK;
    k->at = k->taken = k->first = k->past = 0;
}

/* Keeps half as many buckets open, from the current one on. */
static void KNAME(close_half)(engine *g)
{
    const uint32_t open = g->plan.open > 4 ? g->plan.open / 2 : 2, base = g->base + g->cur;
    for (int t = 0; t < g->threads; t++)
        for (uint32_t b = 0; b < g->plan.open; b++)
            KNAME(relist)(g, &g->workers[t], b, base, open - 1);
    for (int t = 0; t < g->threads; t++)
        g->workers[t].low = 0;
    g->base = base;
    g->cur = 0;
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
    for (int t = 0; t < g->threads; t++) {
        g->workers[t].low = g->cur;
        KNAME(gather)(g, &g->workers[t]);
        for (uint32_t b = 0; b < g->plan.open; b++)
            if (b != g->cur)
                KNAME(relist)(g, &g->workers[t], b, g->base, g->plan.open - 1);
    }
    while (!share_stock(g) && g->plan.open > 2)
        KNAME(close_half)(g);
    if (g->solo) { /* goes on with the bucket; all threads would share it out anew */
        g->workers[0].chain = g->workers[0].bins[g->cur].head;
        g->workers[0].bins[g->cur].head = NF__NO_CHUNK;
        g->workers[0].current = 0;
    }
    g->full = g->cramped = 0;
    g->far_min = g->next[0] = g->next[1] = NONE;
done:
    return st;
}

static nf_status KNAME(steps)(engine *g)
{
    nf_status st = NF_OK;
    KNAME(seed)(g);
    do {
#pragma omp parallel num_threads(g->threads)
        KNAME(region)(g, &g->workers[omp_get_thread_num()]);
        NF_TRY(nf__progress(g->run->ctx, "sssp", g->row->iterations, 0));
        g->solo &= g->leave; /* a phase of all that was left is gone on with by all */
        if (KSMALL && g->hot)
            break;
        if (g->full || g->cramped)
            NF_TRY(KNAME(make_room)(g));
    } while (!g->done && !g->over);
    for (int t = 0; t < g->threads; t++)
        g->row->edges_relaxed += g->workers[t].relaxed;
done:
    return st;
}
