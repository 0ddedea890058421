/* bfs_direction.c - direction-optimizing breadth-first search (catalogue B8).
 *
 * Method: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012. While the frontier is
 * small it is expanded top-down (bfs_level.c). When its arcs outweigh those of the unseen vertices, each unseen vertex
 * looks for a parent among its incoming arcs instead, and stops at the first (deterministic, rows not sorted: looks at
 * all for the least). Two things differ from the paper:
 *   - a vertex is compared with everything seen before the level, not with the frontier alone: an unseen vertex has no
 *     neighbour in an earlier level, so the answer is the same, and nothing has to be cleared between levels;
 *   - the unseen vertices are kept as lists, one for each stretch of vertices, that shrink from level to level; those
 *     without incoming arcs never enter. A level costs what is left, not n.
 * With order=degree every vertex asks first the neighbour of most arcs, found once for all sources: hubs are seen
 * early, so most rows end after one look (why others sort rows or vertices by degree; this takes 4 n bytes, no copy of
 * the graph). Kronecker scale 18, permuted: 27 % fewer looks, but finding the hubs costs four searches, so it is for
 * runs from many sources and not the default. Where parents must be the least ones the rows' own order counts.
 * Invariants
 *   D1 bottom-up: seen holds exactly the vertices of hop <= level while a level is made; next gets seen and the finds;
 *   D2 a stretch is one thread's during a level: its list, its words of `next`, its hops and parents; only `seen` and
 *      the graph are read across stretches, and nobody writes these;
 *   D3 every unseen vertex with an incoming arc is in the list of its stretch once lists are made; lists may hold seen
 *      ones after top-down levels (then they are dropped when met).
 *   F1, F2 of bfs.h.
 * Arcs of frontiers are counted from degrees, and only where the largest degree does not already rule a switch out.
 * Cost: O(n + m) time, mostly far fewer arcs than m on graphs of small diameter; 8.25 n bytes (12.25 n in order of
 * degree), and the transpose of directed graphs, which stays with the graph.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/bitmap.h"
#include "cpu/cpu.h"

#define WORDS 64u /* words of a stretch: 4096 vertices, lists and bits that stay in the first cache */
#define STRETCH (WORDS * 64u)
#define AHEAD 8u /* vertices between prefetching a row and reading it */
/* A first bottom-up level passes over all n vertices, at a fraction of the cost of an arc looked at top-down. */
#define ALPHA 15
#define BETA 18
#define TEXT(x) #x
#define DEFAULT(x) TEXT(x)
#define SWEEP_SHARE 8u

typedef struct direction {
    nf__frontier f;
    nf_csr in;
    uint64_t *seen, *next;
    nf_vid *list;    /* n: list[STRETCH * s ...] belongs to stretch s */
    uint32_t *count; /* of each list */
    nf_vid *hub;     /* order=degree: of the vertices with an arc to v, the one with most arcs out; NULL otherwise */
    uint64_t stretches;
    uint64_t synced; /* queue[0, synced) is in seen */
    bool listed;     /* lists are made */
    bool stale;      /* lists may hold seen vertices (D3) */
    bool least;      /* bottom-up must look at all arcs for the least parent */
    double alpha, beta;
    uint64_t explored; /* arcs out of the levels before the frontier, as of the last turn; */
    uint64_t looked;   /* row->edges_relaxed then */
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
    const int threads = nf__threads_for(run->ctx, c->m);
    int unsorted = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, STRETCH) reduction(| : unsorted) if (threads > 1)
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
    const int threads = nf__threads_for(run->ctx, d->in.m);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, STRETCH) if (threads > 1)
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
    d->stretches = ((uint64_t)run->csr.n + STRETCH - 1) / STRETCH;
    const bool named = run->algorithm == &nf__cpu_bfs_direction; /* others that borrow it have no such knobs */
    d->alpha = named ? nf__knob_number(run, "alpha") : ALPHA;
    d->beta = named ? nf__knob_number(run, "beta") : BETA;
    NF_TRY_ALLOC(d->f.queue, nf__alloc(mem, (uint64_t)run->csr.n + 1, sizeof(nf_vid)));
    NF_TRY_ALLOC(d->seen, nf__alloc(mem, d->stretches * WORDS, sizeof(uint64_t)));
    NF_TRY_ALLOC(d->next, nf__alloc(mem, d->stretches * WORDS, sizeof(uint64_t)));
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
    const nf_vid first = (nf_vid)(s * STRETCH), end = n - first < STRETCH ? n : first + STRETCH;
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
    nf_vid *const list = d->list + s * STRETCH;
    if (!d->listed)
        d->count[s] = make_list(d, s, run->csr.n, list);
    memcpy(d->next + s * WORDS, d->seen + s * WORDS, WORDS * sizeof(uint64_t));
    if (d->least)
        search_list(d, run, row, list, &d->count[s], t, true);
    else
        search_list(d, run, row, list, &d->count[s], t, false);
}

static nf_status bottom_up_level(direction *d, nf__run *run, nf__row *row, sums *t)
{
    const int threads = nf__threads_for(run->ctx, run->csr.n);
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
static void enter_bottom_up(direction *d)
{
    if (d->synced == 0)
        memset(d->seen, 0, d->stretches * WORDS * sizeof(uint64_t));
    for (uint64_t i = d->synced; i < d->f.tail; i++)
        nf__bit_set(d->seen, d->f.queue[i]);
    d->stale = d->listed;
}

/* The finds of the last level, next without seen, become the frontier. */
static void leave_bottom_up(direction *d)
{
    uint64_t tail = 0;
    for (uint64_t w = 0; w < d->stretches * WORDS; w++)
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
    enter_bottom_up(d);
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

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Is it time to turn round? Frontiers that cannot have arcs enough are not counted. */
static bool worth_turning(void *arg)
{
    direction *d = arg;
    const nf__run *run = d->run;
    const uint64_t size = d->f.tail - d->f.head, explored = d->explored + d->row->edges_relaxed - d->looked;
    const uint64_t unseen = explored < run->csr.m ? run->csr.m - explored : 0;
    const double enough = fmax((double)unseen / d->alpha, (double)run->csr.n / SWEEP_SHARE);
    uint64_t arcs = 0;
    if ((double)size * (double)run->stats.degree_max <= enough)
        return false;
    for (uint64_t i = d->f.head; i < d->f.tail; i++)
        arcs += degree(&run->csr, d->f.queue[i]);
    if ((double)arcs <= enough)
        return false;
    d->explored = explored + arcs;
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
    d->synced = d->explored = 0;
    d->listed = d->stale = false;
    for (;;) {
        d->looked = row->edges_relaxed;
        NF_TRY(nf__bfs_top_down(run, row, &d->f, &turn, &go));
        if (!go || d->f.head == d->f.tail)
            break;
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
