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
        if (g->row->parent != NULL)
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

/* Relaxes the arcs of u, whose label is `key`; false: the pool is used up, or 32 bits are (I4). */
static inline bool KNAME(expand)(engine *g, worker *k, nf_vid u, K key, bool alone)
{
    const nf_csr *c = &g->run->csr;
    K *d = g->row->dist;
    const nf_eid end = nf__off(c, u + 1);
    nf_eid e = nf__off(c, u);
    if (KHOT(&g->scale, key)) {
        raise_flag(&g->hot);
        if (KSMALL)
            return false;
    }
    while (e < end) {
        const nf_eid past = end - e < PIECE ? end : e + PIECE;
        if (!nf__stock_ready(&g->pool, &k->stock))
            return false;
        k->relaxed += past - e;
        for (; e < past; e++)
            KNAME(relax)(g, k, d, u, c->adj[e], KSUM(&g->scale, key, c, e), alone);
    }
    return true;
}

static inline void KNAME(fetch)(const engine *g, const nf__chunk *c, uint32_t i)
{
    const nf_csr *csr = &g->run->csr;
    if (i + AHEAD_OFF < c->count) {
        const nf_vid v = c->v[i + AHEAD_OFF];
        if (csr->off32 != NULL)
            __builtin_prefetch(&csr->off32[v]);
        else
            __builtin_prefetch(&csr->off64[v]);
        __builtin_prefetch((const K *)g->row->dist + v);
    }
    if (i + AHEAD_ADJ < c->count) {
        const nf_eid e = nf__off(csr, c->v[i + AHEAD_ADJ]);
        __builtin_prefetch(&csr->adj[e]);
        __builtin_prefetch((const uint32_t *)g->scale.weights + (e & g->scale.mask));
    }
    if (i + AHEAD_DIST < c->count) {
        const nf_vid v = c->v[i + AHEAD_DIST];
        const nf_eid e = nf__off(csr, v), end = nf__off(csr, v + 1), past = end - e < MOST_DIST ? end : e + MOST_DIST;
        for (nf_eid k = e; k < past; k++)
            __builtin_prefetch((const K *)g->row->dist + csr->adj[k]);
    }
}

/* The vertices of a chunk from place `from`; then the chunk is the thread's. False: stopped, the chunk is held. */
static inline bool KNAME(consume)(engine *g, worker *k, uint32_t chunk, uint32_t from, bool alone)
{
    const nf__chunk *c = &g->pool.chunks[chunk];
    K *d = g->row->dist;
    for (uint32_t i = from; i < c->count; i++) {
        const nf_vid u = c->v[i];
        KNAME(fetch)(g, c, i);
        const K key = alone ? d[u] : __atomic_load_n(&d[u], __ATOMIC_RELAXED);
        if (KNAME(bin)(g, key) != g->cur)
            continue; /* stale */
        if (!KNAME(expand)(g, k, u, key, alone)) {
            raise_flag(&g->full);
            k->held = chunk;
            k->held_at = i;
            return false;
        }
    }
    nf__chunk_release(&g->pool, &k->stock, chunk);
    return true;
}

/* The thread's share of a phase: what it held, chunks of all, then its own part while that is short. */
static inline void KNAME(drain)(engine *g, worker *k, bool alone)
{
    const unsigned side = k->phase & 1;
    nf__list *own = &k->bins[g->cur];
    if (k->held != NF__NO_CHUNK) {
        const uint32_t chunk = k->held;
        k->held = NF__NO_CHUNK;
        if (!KNAME(consume)(g, k, chunk, k->held_at, alone))
            return;
    }
    while (may_go_on(g, k) && __atomic_load_n(&g->taken[side], __ATOMIC_RELAXED) < g->tail[side]) {
        const uint32_t i = __atomic_fetch_add(&g->taken[side], 1, __ATOMIC_RELAXED);
        if (i >= g->tail[side])
            break;
        if (!KNAME(consume)(g, k, g->work[i], 0, alone))
            return;
    }
    while (may_go_on(g, k)) {
        if (k->chain == NF__NO_CHUNK && (alone || k->current < g->plan.fuse)) {
            k->chain = own->head;
            own->head = NF__NO_CHUNK;
            k->current = 0;
        }
        const uint32_t chunk = k->chain;
        if (chunk == NF__NO_CHUNK)
            return;
        k->chain = g->pool.chunks[chunk].next;
        if (!KNAME(consume)(g, k, chunk, 0, alone))
            return;
    }
}

/* The least bucket in the thread's far list, and how many vertices lie there; stale entries do not count. */
static uint32_t KNAME(far_min)(const engine *g, const worker *k, uint32_t *count)
{
    const K *d = g->row->dist;
    const uint32_t last = g->plan.open - 1;
    uint32_t least = NONE;
    *count = 0;
    for (uint32_t c = k->bins[last].head; c != NF__NO_CHUNK; c = g->pool.chunks[c].next)
        for (uint32_t i = 0; i < g->pool.chunks[c].count; i++) {
            const uint32_t b = KBIN(&g->scale, d[g->pool.chunks[c].v[i]]);
            if (b - g->base < last)
                continue;
            (*count)++;
            least = b < least ? b : least;
        }
    return least;
}

/* Lists the vertices of a list anew, from the buckets that begin at `base`, without those that were stale before. */
static void KNAME(relist)(engine *g, worker *k, uint32_t b, uint32_t base)
{
    const K *d = g->row->dist;
    const uint32_t last = g->plan.open - 1;
    uint32_t chunk = k->bins[b].head;
    k->bins[b].head = NF__NO_CHUNK;
    while (chunk != NF__NO_CHUNK) {
        const nf__chunk c = g->pool.chunks[chunk];
        nf__chunk_release(&g->pool, &k->stock, chunk);
        for (uint32_t i = 0; i < c.count; i++) {
            const K key = d[c.v[i]];
            if (KNAME(bin)(g, key) != b)
                continue;
            const uint32_t to = KBIN(&g->scale, key) - base;
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
    uint32_t count = 0;
    lower_to(&g->far_min, KNAME(far_min)(g, k, &count));
    k->need = count < g->plan.open ? count : g->plan.open;
    if (!nf__stock_refill(&g->pool, &k->stock, k->need + NF__READY))
        raise_flag(&g->cramped);
#pragma omp barrier
    const uint32_t base = g->far_min;
    if (flag(&g->cramped))
        return false;
    if (base != NONE)
        KNAME(relist)(g, k, g->plan.open - 1, base);
#pragma omp barrier
    *next = base == NONE ? NONE : 0;
    if (k == g->workers) {
        g->base = base != NONE ? base : g->base;
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
        g->tail[side] = g->taken[side] = 0;
        g->row->iterations++;
    }
    if (next != NONE)
        offer(g, k, next, other);
    k->phase++;
#pragma omp barrier
    return !g->done;
}

static void KNAME(region)(engine *g, worker *k)
{
    do
        if (g->threads == 1)
            KNAME(drain)(g, k, true);
        else
            KNAME(drain)(g, k, false);
    while (KNAME(advance)(g, k));
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

/* After the pool was used up: drops stale entries, shares out free chunks, makes more (I4). The current bucket is not
 * done yet: what it still lists may lie before the next bucket that a thread had already looked for. */
static nf_status KNAME(make_room)(engine *g)
{
    for (int t = 0; t < g->threads; t++) {
        g->workers[t].low = g->cur;
        for (uint32_t b = 0; b < g->plan.open; b++)
            if (b != g->cur)
                KNAME(relist)(g, &g->workers[t], b, g->base);
    }
    g->full = g->cramped = 0;
    g->far_min = g->next[0] = g->next[1] = NONE;
    return share_stock(g);
}

static nf_status KNAME(steps)(engine *g)
{
    nf_status st = NF_OK;
    KNAME(seed)(g);
    do {
#pragma omp parallel num_threads(g->threads)
        KNAME(region)(g, &g->workers[omp_get_thread_num()]);
        NF_TRY(nf__progress(g->run->ctx, "sssp", g->row->iterations, 0));
        if (KSMALL && g->hot)
            break;
        if (g->full || g->cramped)
            NF_TRY(KNAME(make_room)(g));
    } while (!g->done);
    for (int t = 0; t < g->threads; t++)
        g->row->edges_relaxed += g->workers[t].relaxed;
done:
    return st;
}
