/* bfs_direction.c - direction-optimizing breadth-first search (catalogue B8).
 *
 * Method: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012. While the frontier is
 * small it is expanded top-down (bfs_level.c). When its arcs outweigh those of the unseen vertices, each unseen vertex
 * looks for a parent among its incoming arcs instead, and stops at the first (deterministic, rows not sorted: looks at
 * all for the least). Three things differ from the paper:
 *   - a vertex is compared with everything seen before the level, not with the frontier alone: an unseen vertex has no
 *     neighbour in an earlier level, so the answer is the same, and nothing has to be cleared between levels;
 *   - the unseen vertices are kept as lists, one for each stretch of vertices, that shrink from level to level; those
 *     without incoming arcs never enter. A level costs what is left, not n;
 *   - between the two, a level whose arcs are many, but not enough to turn round, is pushed into bitmaps (no parents
 *     wanted): each thread marks its targets in one of its own, seen or not, so hops are written once and in order, no
 *     line of the cache goes from core to core, and no vertex is claimed. Uniform scale 20, two threads: 9 ms instead
 *     of 22 for the whole search.
 * With order=degree every vertex asks first the neighbour of most arcs, found once for all sources: hubs are seen
 * early, so most rows end after one look (why others sort rows or vertices by degree; this takes 4 n bytes, no copy of
 * the graph). Kronecker scale 18, permuted: 27 % fewer looks, but finding the hubs costs four searches, so it is for
 * runs from many sources and not the default. Where parents must be the least ones the rows' own order counts.
 * Invariants
 *   D1 bottom-up: seen holds exactly the vertices of hop <= level while a level is made; next gets seen and the finds;
 *   D2 a stretch is one thread's during a level: its list, its words of `next`, its hops and parents; only `seen` and
 *      the graph are read across stretches, and nobody writes these;
 *   D3 every unseen vertex with an incoming arc is in the list of its stretch once lists are made; lists may hold seen
 *      ones after top-down levels (then they are dropped when met);
 *   D4 a pushed level: until lists are made their memory holds bitmaps, one a thread; `seen` changes only in the words
 *      of the thread that has them, after all targets are marked.
 *   F1, F2 of bfs.h.
 * Tried and left out: bottom-up looking at four arcs without a branch for each (uniform, n = 98,821: 1.03 ms instead of
 * 1.30, but 312,500: 6.7 instead of 6.1, kron 17: 0.67 instead of 0.63).
 * Arcs of frontiers are counted from degrees (of large ones from a sample), and only where the largest degree does not
 * already rule a switch out.
 * Cost: O(n + m) time, mostly far fewer arcs than m on graphs of small diameter; 8.25 n bytes (12.25 n in order of
 * degree), and the transpose of directed graphs, which stays with the graph.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/bitmap.h"
#include "cpu/cpu.h"

#define STRETCH_MOST 64u /* words of a stretch: 4096 vertices, lists and bits that stay in the first cache */
#define STRETCH_LEAST 8u /* a line of the cache */
#define HUB_BLOCK 4096u  /* vertices handed out at a time in passes over all arcs */
#define LOOKS 16u        /* arcs looked at bottom-up in the time that a vertex of a simple pass takes */
#define STRETCHES 8u     /* for a thread, or shorter ones are made */
#define AHEAD 8u         /* vertices between prefetching a row and reading it */
/* A first bottom-up level passes over all n vertices, at a fraction of the cost of an arc looked at top-down. */
#define ALPHA 15
#define BETA 18
/* Below GROWTH times the frontier before it a frontier is a front that moves on, as in meshes: bottom-up would look at
 * the arcs of all that is left, level after level. It must have SLOW times as many arcs, then; also to be pushed. Looks
 * for each arc without this and with it, and us, 2 threads: delaunay, n = 1,666: 4.0 and 1.0, 88 and 20; 5,270: 4.7 and
 * 1.0, 280 and 42; 16,666: 4.5 and 1.0, 700 and 185. A ring rewired at 2 %: 2.3 and 0.9. */
#define GROWTH 2.0
#define SLOW 7.5
#define PUSHERS 33     /* threads that push: bitmaps lie in `next` and in the lists, which hold 32 of them */
#define PUSH_SHARE 4.0 /* arcs a vertex of the graph from which on a level is pushed */
#define SAMPLE 16384u  /* vertices of a frontier whose arcs are counted */
#define POLL_ARCS 65536u
#define TEXT(x) #x
#define DEFAULT(x) TEXT(x)
#define SWEEP_SHARE 8u

typedef struct direction {
    nf__frontier f;
    nf_csr in;
    uint64_t *seen, *next;
    nf_vid *list;    /* n: list[64 * width * s ...] belongs to stretch s */
    uint32_t *count; /* of each list */
    nf_vid *hub;     /* order=degree: of the vertices with an arc to v, the one with most arcs out; NULL otherwise */
    uint64_t stretches;
    uint64_t width;  /* of a stretch, in words */
    uint64_t words;  /* of a bitmap */
    uint64_t synced; /* queue[0, synced) is in seen */
    bool listed;     /* lists are made */
    bool stale;      /* lists may hold seen vertices (D3) */
    bool least;      /* bottom-up must look at all arcs for the least parent */
    double alpha, beta;
    uint64_t explored;      /* arcs out of the levels before the frontier, as of the last turn; */
    uint64_t looked;        /* row->edges_relaxed then */
    uint64_t out, out_tail; /* arcs out of the frontier that ends there, if it is known */
    uint64_t size;          /* of the frontier at the last question whether to turn */
    bool push;              /* the turn is for a level pushed into bitmaps, not for going bottom-up */
    const nf__run *run;
    const nf__row *row;
} direction;

/* What a bottom-up level found: vertices and the arcs out of them; and the arcs it looked at, the vertices left. */
typedef struct sums {
    uint64_t found, out, arcs, left;
} sums;

void nf__bfs_direction_end(nf__run *run)
{
    direction *d = run->scratch;
    if (d == NULL)
        return;
    nf__free(d->f.queue);
    nf__free(d->seen);
    nf__free(d->next);
    nf__free(d->list);
    nf__free(d->count);
    nf__free(d->hub);
    nf__free(d);
    run->scratch = NULL;
}

/* In sorted rows the first parent is the least. One pass over the arcs, far cheaper than bottom-up levels without early
 * ends. */
static bool rows_are_sorted(const nf__run *run, const nf_csr *c)
{
    const int threads = nf__team_for(run->ctx, c->m);
    int unsorted = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, HUB_BLOCK) reduction(| : unsorted) if (threads > 1)
    for (nf_vid v = 0; v < c->n; v++) {
        const nf_eid begin = nf__off(c, v), end = nf__off(c, v + 1);
        for (nf_eid e = begin + 1; e < end; e++)
            unsorted |= c->adj[e - 1] > c->adj[e];
    }
    return unsorted == 0;
}

static inline nf_eid degree(const nf_csr *c, nf_vid v)
{
    return nf__off(c, v + 1) - nf__off(c, v);
}

static void find_hubs(const nf__run *run, direction *d)
{
    const int threads = nf__team_for(run->ctx, d->in.m);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, HUB_BLOCK) if (threads > 1)
    for (nf_vid v = 0; v < d->in.n; v++) {
        const nf_eid begin = nf__off(&d->in, v), end = nf__off(&d->in, v + 1);
        nf_vid best = begin < end ? d->in.adj[begin] : v;
        for (nf_eid e = begin + 1; e < end; e++)
            best = degree(&run->csr, d->in.adj[e]) > degree(&run->csr, best) ? d->in.adj[e] : best;
        d->hub[v] = best;
    }
}

nf_status nf__bfs_direction_begin(nf__run *run)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    direction *d = NULL;
    NF_TRY_ALLOC(d, nf__zalloc(mem, 1, sizeof *d));
    run->scratch = d;
    d->width = STRETCH_MOST;
    while (d->width > STRETCH_LEAST && run->csr.n < 64 * d->width * STRETCHES * (uint64_t)nf__context_threads(run->ctx))
        d->width /= 2;
    d->stretches = ((uint64_t)run->csr.n + 64 * d->width - 1) / (64 * d->width);
    d->words = d->stretches * d->width;
    const bool named = run->algorithm == &nf__cpu_bfs_direction; /* others that borrow it have no such knobs */
    d->alpha = named ? nf__knob_number(run, "alpha") : ALPHA;
    d->beta = named ? nf__knob_number(run, "beta") : BETA;
    NF_TRY_ALLOC(d->f.queue, nf__alloc(mem, (uint64_t)run->csr.n + 1, sizeof(nf_vid)));
    NF_TRY_ALLOC(d->seen, nf__alloc(mem, d->words, sizeof(uint64_t)));
    NF_TRY_ALLOC(d->next, nf__alloc(mem, d->words, sizeof(uint64_t)));
    NF_TRY_ALLOC(d->list, nf__alloc(mem, run->csr.n, sizeof(nf_vid)));
    NF_TRY_ALLOC(d->count, nf__alloc(mem, d->stretches, sizeof(uint32_t)));
    NF_TRY(nf_graph_transpose_view(run->ctx, run->graph, &d->in));
    d->least = run->deterministic && !rows_are_sorted(run, &d->in);
    if (named && !run->deterministic && strcmp(nf__knob_choice(run, "order"), "degree") == 0) {
        NF_TRY_ALLOC(d->hub, nf__alloc(mem, run->csr.n, sizeof(nf_vid)));
        find_hubs(run, d);
    }
done:
    return st;
}

/* ---- bottom-up --------------------------------------------------------------------------------------------------- */

/* A seen vertex with an arc to v: the first, or the least; NF_NO_VERTEX when there is none. */
static inline __attribute__((always_inline)) nf_vid find_parent(const direction *d, nf_vid v, uint64_t *arcs,
                                                                const bool least)
{
    const nf_vid *const adj = d->in.adj;
    const nf_eid begin = nf__off(&d->in, v), end = nf__off(&d->in, v + 1);
    nf_vid best = NF_NO_VERTEX;
    nf_eid e = begin;
    if (d->hub != NULL && nf__bit(d->seen, d->hub[v])) {
        *arcs += 1;
        return d->hub[v];
    }
    while (e < end) {
        const nf_vid u = adj[e++];
        if (!nf__bit(d->seen, u))
            continue;
        best = u < best ? u : best;
        if (!least)
            break;
    }
    *arcs += e - begin + (d->hub != NULL);
    return best;
}

/* Makes the list of a stretch: its unseen vertices that have incoming arcs. */
static uint32_t make_list(const direction *d, uint64_t s, nf_vid n, nf_vid *list)
{
    const uint64_t size = 64 * d->width;
    const nf_vid first = (nf_vid)(s * size), end = n - first < size ? n : first + (nf_vid)size;
    uint32_t count = 0;
    nf_eid from = nf__off(&d->in, first);
    for (nf_vid v = first; v < end; v++) {
        const nf_eid to = nf__off(&d->in, v + 1);
        list[count] = v; /* counts only if it belongs here; never past the stretch, as v - first >= count */
        count += (to != from) & !nf__bit(d->seen, v);
        from = to;
    }
    return count;
}

static inline __attribute__((always_inline)) void search_list(const direction *d, const nf__run *run, nf__row *row,
                                                              nf_vid *list, uint32_t *length, sums *t, const bool least)
{
    int32_t *const hop = row->dist;
    const int32_t level = d->f.level + 1;
    const uint32_t count = *length;
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const nf_vid v = list[i];
        if (i + AHEAD < count)
            __builtin_prefetch(&d->in.adj[nf__off(&d->in, list[i + AHEAD])]);
        if (d->stale && nf__bit(d->seen, v))
            continue;
        const nf_vid u = find_parent(d, v, &t->arcs, least);
        if (u == NF_NO_VERTEX) {
            list[left++] = v;
            continue;
        }
        hop[v] = level;
        if (row->parent != NULL)
            row->parent[v] = u;
        nf__bit_set(d->next, v);
        t->found++;
        t->out += degree(&run->csr, v);
    }
    *length = left;
    t->left += left;
}

/* One stretch of a bottom-up level (D2). */
static void search_stretch(const direction *d, const nf__run *run, nf__row *row, uint64_t s, sums *t)
{
    nf_vid *const list = d->list + s * 64 * d->width;
    if (!d->listed)
        d->count[s] = make_list(d, s, run->csr.n, list);
    memcpy(d->next + s * d->width, d->seen + s * d->width, d->width * sizeof(uint64_t));
    if (d->least)
        search_list(d, run, row, list, &d->count[s], t, true);
    else
        search_list(d, run, row, list, &d->count[s], t, false);
}

/* Vertices are few in dense graphs, and their arcs may all be looked at. */
static nf_status bottom_up_level(direction *d, nf__run *run, nf__row *row, sums *t)
{
    const uint64_t unseen = d->explored < run->csr.m ? run->csr.m - d->explored : 0;
    const int threads = nf__team_for(run->ctx, run->csr.n + unseen / LOOKS);
    uint64_t found = 0, out = 0, arcs = 0, left = 0;
    int stop = 0;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(+ : found, out, arcs, left) if (threads > 1)
    {
        sums mine = {0, 0, 0, 0};
        const bool master = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t s = 0; s < d->stretches; s++) {
            if (__atomic_load_n(&stop, __ATOMIC_RELAXED) != 0)
                continue;
            search_stretch(d, run, row, s, &mine);
            if (master && nf__poll(run->ctx) != NF_OK)
                __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        }
        found += mine.found;
        out += mine.out;
        arcs += mine.arcs;
        left += mine.left;
    }
    *t = (sums){found, out, arcs, left};
    row->edges_relaxed += arcs;
    d->listed = true;
    d->stale = false;
    d->f.level++;
    return nf__poll(run->ctx);
}

/* ---- between the two --------------------------------------------------------------------------------------------- */

/* Everything the queue has seen goes into the bitmap. */
static void sync_seen(direction *d)
{
    if (d->synced == 0)
        memset(d->seen, 0, d->words * sizeof(uint64_t));
    for (uint64_t i = d->synced; i < d->f.tail; i++)
        nf__bit_set(d->seen, d->f.queue[i]);
    d->synced = d->f.tail;
}

/* The finds of the last level, next without seen, become the frontier. */
static void leave_bottom_up(direction *d)
{
    uint64_t tail = 0;
    for (uint64_t w = 0; w < d->words; w++)
        for (uint64_t bits = d->next[w] & ~d->seen[w]; bits != 0; bits &= bits - 1)
            d->f.queue[tail++] = (nf_vid)(w * 64 + (uint64_t)__builtin_ctzll(bits));
    d->f.head = 0;
    d->f.tail = d->synced = tail;
}

static void swap_bitmaps(direction *d)
{
    uint64_t *const x = d->seen;
    d->seen = d->next;
    d->next = x;
}

/* Bottom-up levels until the frontier is small again or nothing is found; *go as nf__bfs_next_level says. */
static nf_status go_bottom_up(direction *d, nf__run *run, nf__row *row, bool *go)
{
    nf_status st = NF_OK;
    sums t;
    sync_seen(d);
    d->stale = d->listed;
    for (uint64_t before = d->f.tail - d->f.head;; before = t.found) {
        NF_TRY(bottom_up_level(d, run, row, &t));
        if (t.found == 0 || (t.found < before && (double)t.found < (double)run->csr.n / d->beta))
            break;
        d->explored += t.out;
        swap_bitmaps(d);
        NF_TRY(nf__bfs_next_level(run, row, d->f.level, go));
        if (!*go)
            goto done;
    }
    leave_bottom_up(d);
    swap_bitmaps(d);
done:
    return st;
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

/* What the threads of a pushed level share. */
typedef struct push {
    uint64_t *bits[PUSHERS]; /* a bitmap for each thread */
    uint64_t found[PUSHERS];
    int threads, stop;
} push;

static inline void push_row(const nf_csr *c, nf_vid u, uint64_t *bits)
{
    const nf_eid end = nf__off(c, u + 1);
    for (nf_eid e = nf__off(c, u); e < end; e++)
        nf__bit_set(bits, c->adj[e]);
}

/* The targets of the frontier's arcs into the bitmap of thread `me`; the arcs. */
static uint64_t push_rows(const direction *d, push *p, int me)
{
    const nf_csr *const c = &d->run->csr;
    const nf_vid *const queue = d->f.queue;
    uint64_t arcs = 0, polled = 0;
    memset(p->bits[me], 0, d->words * sizeof(uint64_t));
#pragma omp for schedule(dynamic, 256)
    for (uint64_t i = d->f.head; i < d->f.tail; i++) {
        if (i + AHEAD < d->f.tail)
            __builtin_prefetch(&c->adj[nf__off(c, queue[i + AHEAD])]);
        if (__atomic_load_n(&p->stop, __ATOMIC_RELAXED) != 0)
            continue;
        push_row(c, queue[i], p->bits[me]);
        arcs += degree(c, queue[i]);
        if (me == 0 && arcs - polled > POLL_ARCS) {
            polled = arcs;
            if (nf__poll(d->run->ctx) != NF_OK)
                __atomic_store_n(&p->stop, 1, __ATOMIC_RELAXED);
        }
    }
    return arcs;
}

/* Words from .. to-1: what is new there goes to bits[0]; how many vertices. */
static uint64_t merge(const direction *d, const push *p, uint64_t from, uint64_t to)
{
    uint64_t found = 0;
    for (uint64_t w = from; w < to; w++) {
        uint64_t all = 0;
        for (int k = 0; k < p->threads; k++)
            all |= p->bits[k][w];
        p->bits[0][w] = all & ~d->seen[w];
        found += (uint64_t)__builtin_popcountll(p->bits[0][w]);
    }
    return found;
}

/* The finds of words from .. to-1 get their hops and places in the queue from `at` on; the arcs out of them. */
static uint64_t emit(const direction *d, const push *p, uint64_t from, uint64_t to, uint64_t at)
{
    int32_t *const hop = d->row->dist;
    const int32_t next = d->f.level + 1;
    uint64_t out = 0;
    for (uint64_t w = from; w < to; w++) {
        for (uint64_t bits = p->bits[0][w]; bits != 0; bits &= bits - 1) {
            const nf_vid v = (nf_vid)(w * 64 + (uint64_t)__builtin_ctzll(bits));
            hop[v] = next;
            d->f.queue[at++] = v;
            out += degree(&d->run->csr, v);
        }
        d->seen[w] |= p->bits[0][w];
    }
    return out;
}

/* One level: every thread marks targets in a bitmap of its own, without looking whether they are new, then the threads
 * share out the words (D4). */
static nf_status push_level(direction *d, nf__run *run, nf__row *row)
{
    push p = {.threads = 1};
    const uint64_t words = d->words, tail = d->f.tail;
    const uint64_t room = 1 + (uint64_t)run->csr.n / 2 / words; /* bitmaps: next, and what the lists hold */
    const int threads = nf__team_for(run->ctx, run->csr.n);
    const int most = (uint64_t)threads < room ? threads : (int)room;
    uint64_t arcs = 0, out = 0, found = 0;
    sync_seen(d);
    for (int k = 0; k < most; k++)
        p.bits[k] = k == 0 ? d->next : (uint64_t *)(void *)d->list + (uint64_t)(k - 1) * words;
#pragma omp parallel num_threads(most) reduction(+ : arcs, out) if (most > 1)
    {
        const int me = omp_get_thread_num(), team = omp_get_num_threads();
#pragma omp single
        p.threads = team;
        arcs += push_rows(d, &p, me);
        const uint64_t from = words * (uint64_t)me / (uint64_t)team, to = words * (uint64_t)(me + 1) / (uint64_t)team;
        p.found[me] = merge(d, &p, from, to);
#pragma omp barrier
        uint64_t at = tail;
        for (int k = 0; k < me; k++)
            at += p.found[k];
        out += emit(d, &p, from, to, at);
    }
    for (int k = 0; k < p.threads; k++)
        found += p.found[k];
    row->edges_relaxed += arcs;
    d->explored += arcs;
    d->f.head = tail;
    d->f.tail = d->synced = d->out_tail = tail + found;
    d->out = out;
    d->f.level++;
    return nf__poll(run->ctx);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The arcs out of the frontier; of a large one an estimate from a sample. */
static uint64_t count_arcs(const direction *d)
{
    const uint64_t size = d->f.tail - d->f.head, stride = 1 + size / SAMPLE;
    uint64_t arcs = 0, looked = 0;
    if (d->out_tail == d->f.tail)
        return d->out;
    for (uint64_t i = d->f.head; i < d->f.tail; i += stride, looked++)
        arcs += degree(&d->run->csr, d->f.queue[i]);
    return stride == 1 ? arcs : (uint64_t)((double)arcs * (double)size / (double)looked);
}

/* Is it time to turn round, or to push a level into bitmaps? Frontiers that cannot have arcs enough are not counted. */
static bool worth_turning(void *arg)
{
    direction *d = arg;
    const nf__run *run = d->run;
    const uint64_t size = d->f.tail - d->f.head, explored = d->explored + d->row->edges_relaxed - d->looked;
    const uint64_t unseen = explored < run->csr.m ? run->csr.m - explored : 0;
    const double more = (double)size < GROWTH * (double)d->size ? SLOW : 1;
    const double enough = fmax(more * (double)unseen / d->alpha, (double)run->csr.n / SWEEP_SHARE);
    const double many = more * (double)run->csr.n / PUSH_SHARE;
    const bool pushes = !d->listed && d->row->parent == NULL;
    d->size = size;
    if ((double)size * (double)run->stats.degree_max <= (pushes ? fmin(enough, many) : enough))
        return false;
    const uint64_t arcs = count_arcs(d);
    d->push = (double)arcs <= enough;
    if (d->push && (!pushes || (double)arcs <= many))
        return false;
    d->explored = d->push ? explored : explored + arcs;
    return true;
}

nf_status nf__bfs_direction_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    direction *d = run->scratch;
    const nf__bfs_turn turn = {worth_turning, d};
    bool go = true;
    d->run = run;
    d->row = row;
    nf__bfs_start(run, row, &d->f);
    d->synced = d->explored = d->out_tail = d->size = 0;
    d->listed = d->stale = false;
    for (;;) {
        d->looked = row->edges_relaxed;
        NF_TRY(nf__bfs_top_down(run, row, &d->f, &turn, &go));
        if (!go || d->f.head == d->f.tail)
            break;
        if (d->push)
            NF_TRY(push_level(d, run, row));
        else
            NF_TRY(go_bottom_up(d, run, row, &go));
        if (!go || d->f.head == d->f.tail)
            break;
    }
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {.name = "alpha",
     .summary = "bottom-up when the frontier's arcs exceed the unseen vertices' arcs / alpha",
     .type = NF_KNOB_REAL,
     .default_text = DEFAULT(ALPHA),
     .min = 0.001,
     .max = 1e9},
    {.name = "beta",
     .summary = "top-down again when the frontier shrinks below n / beta vertices",
     .type = NF_KNOB_REAL,
     .default_text = DEFAULT(BETA),
     .min = 0.001,
     .max = 1e9},
    {.name = "order",
     .summary = "bottom-up asks neighbours as rows have them, or the one of most arcs first",
     .type = NF_KNOB_CHOICE,
     .default_text = "rows",
     .choices = "rows degree"},
};

const nf__algorithm nf__cpu_bfs_direction = {
    .info = {.name = "direction-optimizing",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "top-down while the frontier is small, bottom-up while it is large",
             .paper = "Beamer, Asanovic, Patterson 2012",
             .memory = "8.25 n, 12.25 n with order=degree, and the transpose of directed graphs",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = nf__bfs_direction_begin,
    .end = nf__bfs_direction_end,
    .run = nf__bfs_direction_row,
};
