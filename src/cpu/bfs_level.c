/* bfs_level.c - the common steps of breadth-first search: start, bounds, one level top-down, parents; see bfs.h.
 *
 * Method of a level. On one thread: every target is written at the queue's end and the end moves on if it was new, so
 * that the inner loop has no branch to guess; on grids and roads half of the guesses would be wrong. On several threads
 * a vertex's targets are first sieved the same way into a buffer of candidates, by plain loads, then claimed one by one
 * by compare-and-swap into a buffer of the thread, which is copied to the queue's end when full (Leiserson and Schardl,
 * "A work-efficient parallel breadth-first search algorithm", SPAA 2010, has bags for this; Beamer's GAP the buffers).
 * Invariants: F1, F2 of bfs.h, and
 *   L1 threads take stretches of the frontier from one cursor; only the calling thread polls, all see the stop flag.
 * Cost: O(vertices and arcs of the frontier); buffers on the stacks.
 */
#include "cpu/bfs.h"
#include "cpu/crew.h"

#define POLL_EVERY 4096u /* vertices of a frontier between two looks at the cancel flag, on one thread */
#define STRETCH 64u      /* vertices a thread takes at a time */
#define SIEVE 512u       /* arcs sieved at a time */
#define LOCAL 2048u      /* vertices found before they are copied to the queue */
#define AHEAD 8u         /* vertices between prefetching a row and reading it */
/* A crew is called for frontiers from CREW_VERTICES on, until they fall below half of that: opening a region costs some
 * 10 us. Which of these levels it shares out is found out (crew.h); then a thread comes for each SHARE_VERTICES. On a
 * quiet machine 2 threads gain 20 us on 4096 vertices of a mesh. */
#define CREW_VERTICES 1024u
#define SHARE_VERTICES 512u

/* ---- the start and the bounds ------------------------------------------------------------------------------------ */

#define FEW_LEVELS 16 /* beyond, only so many levels report: a clock costs as much as a tiny level */
#define FILL_BLOCK (UINT64_C(1) << 16)

static void fill(const nf__run *run, int32_t *hop, nf_vid *parent)
{
    const uint64_t n = run->csr.n, blocks = (n + FILL_BLOCK - 1) / FILL_BLOCK;
    const int threads = nf__threads_for(run->ctx, n / 32); /* a vertex is filled in a fraction of the usual time */
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t begin = b * FILL_BLOCK, count = n - begin < FILL_BLOCK ? n - begin : FILL_BLOCK;
        memset(hop + begin, 0xff, count * sizeof *hop); /* NF_NO_HOP is -1, NF_NO_VERTEX all ones */
        if (parent != NULL)
            memset(parent + begin, 0xff, count * sizeof *parent);
    }
}

void nf__bfs_start(const nf__run *run, const nf__row *row, nf__frontier *f)
{
    int32_t *hop = row->dist;
    fill(run, hop, row->parent);
    if (f != NULL)
        f->head = f->tail = 0, f->level = 0;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid s = row->sources[i];
        if (hop[s] == 0)
            continue; /* given twice */
        hop[s] = 0;
        if (row->parent != NULL)
            row->parent[s] = s;
        if (f != NULL)
            f->queue[f->tail++] = s;
    }
}

int64_t nf__bfs_bound(const nf__run *run, const int32_t *hop)
{
    const int64_t cutoff = run->has_cutoff ? run->cutoff_int : INT64_MAX;
    int64_t farthest = 0;
    for (uint64_t i = 0; i < run->target_count; i++) {
        const int32_t h = hop[run->targets[i]];
        if (h == NF_NO_HOP)
            return cutoff;
        farthest = h > farthest ? h : farthest;
    }
    return run->target_count != 0 && farthest < cutoff ? farthest : cutoff;
}

nf_status nf__bfs_next_level(const nf__run *run, nf__row *row, int32_t level, bool *go)
{
    row->iterations++;
    if (level < FEW_LEVELS || level % FEW_LEVELS == 0) {
        const nf_status st = nf__progress(run->ctx, "bfs levels", (uint64_t)level, 0);
        if (st != NF_OK)
            return st;
    }
    *go = !(run->has_cutoff || run->target_count != 0) || level < nf__bfs_bound(run, row->dist);
    if (*go && level == INT32_MAX - 1)
        return nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops");
    return NF_OK;
}

/* ---- one thread -------------------------------------------------------------------------------------------------- */

/* What a thread needs to know of a level. */
typedef struct level {
    const nf_csr *csr;
    int32_t *hop;
    nf_vid *parent; /* NULL when nobody wants them */
    nf_vid *queue;
    uint64_t end; /* of the frontier */
    int32_t next; /* the level being made */
    bool least;   /* deterministic parents */
} level;

static inline void prefetch_offset(const nf_csr *c, nf_vid v)
{
    __builtin_prefetch(c->off32 != NULL ? (const void *)&c->off32[v] : (const void *)&c->off64[v]);
}

static inline void prefetch_row(const level *l, uint64_t i)
{
    if (i + 2 * AHEAD < l->end)
        prefetch_offset(l->csr, l->queue[i + 2 * AHEAD]);
    if (i + AHEAD < l->end)
        __builtin_prefetch(&l->csr->adj[nf__off(l->csr, l->queue[i + AHEAD])]);
}

/* Expands queue[from, to); the new tail. The flags are constants where it is called. */
static inline __attribute__((always_inline)) uint64_t scan_rows(const level *l, uint64_t from, uint64_t to,
                                                                uint64_t tail, uint64_t *arcs, const bool parents,
                                                                const bool least)
{
    int32_t *const hop = l->hop;
    nf_vid *const queue = l->queue, *const parent = l->parent;
    const nf_vid *const adj = l->csr->adj;
    const int32_t next = l->next;
    for (uint64_t i = from; i < to; i++) {
        const nf_vid u = queue[i];
        const nf_eid begin = nf__off(l->csr, u), end = nf__off(l->csr, u + 1);
        prefetch_row(l, i);
        *arcs += end - begin;
        for (nf_eid e = begin; e < end; e++) {
            const nf_vid v = adj[e];
            const int32_t h = hop[v];
            const uint32_t fresh = (uint32_t)(h >> 31); /* all ones if it is -1; masks, as `?:` becomes a branch */
            queue[tail] = v;                            /* F1: counts only if fresh */
            tail += fresh & 1;
            hop[v] = (int32_t)(((uint32_t)h & ~fresh) | ((uint32_t)next & fresh));
            if (parents) {
                const nf_vid p = parent[v];
                const uint32_t take = least ? (fresh | -(uint32_t)(h == next)) & -(uint32_t)(u < p) : fresh;
                parent[v] = (p & ~take) | (u & take);
            }
        }
    }
    return tail;
}

static uint64_t scan_hops(const level *l, uint64_t from, uint64_t to, uint64_t tail, uint64_t *arcs)
{
    return scan_rows(l, from, to, tail, arcs, false, false);
}

static uint64_t scan_parents(const level *l, uint64_t from, uint64_t to, uint64_t tail, uint64_t *arcs)
{
    return scan_rows(l, from, to, tail, arcs, true, false);
}

static uint64_t scan_least(const level *l, uint64_t from, uint64_t to, uint64_t tail, uint64_t *arcs)
{
    return scan_rows(l, from, to, tail, arcs, true, true);
}

static nf_status expand_alone(nf__run *run, const level *l, nf__frontier *f, uint64_t *arcs)
{
    nf_status st = NF_OK;
    uint64_t tail = l->end;
    for (uint64_t from = f->head; from < l->end; from += POLL_EVERY) {
        const uint64_t to = l->end - from < POLL_EVERY ? l->end : from + POLL_EVERY;
        tail = l->parent == NULL ? scan_hops(l, from, to, tail, arcs)
               : l->least        ? scan_least(l, from, to, tail, arcs)
                                 : scan_parents(l, from, to, tail, arcs);
        NF_TRY(nf__poll(run->ctx));
    }
    f->tail = tail;
done:
    return st;
}

/* ---- several threads --------------------------------------------------------------------------------------------- */

typedef struct shared {
    uint64_t cursor, tail, arcs;
    int stop;
} shared;

/* A thread's own finds. One place more than needed, for pushes that do not count. */
typedef struct finds {
    nf_vid item[LOCAL + SIEVE + 1];
    unsigned count;
    nf_vid nowhere; /* takes the parents of vertices that another thread claimed */
} finds;

static void flush(const level *l, shared *s, finds *mine)
{
    const uint64_t at = __atomic_fetch_add(&s->tail, mine->count, __ATOMIC_RELAXED);
    memcpy(l->queue + at, mine->item, mine->count * sizeof(nf_vid));
    mine->count = 0;
}

/* Claims the candidates of u; without branches, as who wins is a coin toss. */
static inline void claim(const level *l, nf_vid u, const nf_vid *candidate, unsigned count, finds *mine)
{
    unsigned found = mine->count;
    for (unsigned k = 0; k < count; k++) {
        const nf_vid v = candidate[k];
        int32_t unseen = NF_NO_HOP;
        const bool won =
            __atomic_compare_exchange_n(&l->hop[v], &unseen, l->next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        mine->item[found] = v;
        found += won;
        if (l->parent != NULL && !l->least)
            *(won ? &l->parent[v] : &mine->nowhere) = u;
    }
    mine->count = found;
}

static inline void scan_shared(const level *l, nf_vid u, shared *s, finds *mine)
{
    const nf_vid *const adj = l->csr->adj;
    nf_vid candidate[SIEVE + 1];
    const nf_eid end = nf__off(l->csr, u + 1);
    for (nf_eid e = nf__off(l->csr, u); e < end;) {
        const nf_eid stop = end - e < SIEVE ? end : e + SIEVE;
        unsigned count = 0;
        for (nf_eid k = e; k < stop; k++) {
            candidate[count] = adj[k];
            count += __atomic_load_n(&l->hop[adj[k]], __ATOMIC_RELAXED) < 0;
        }
        claim(l, u, candidate, count, mine);
        for (nf_eid k = e; l->least && k < stop; k++) /* F2: whoever claimed it, each of its parents comes by */
            if (__atomic_load_n(&l->hop[adj[k]], __ATOMIC_RELAXED) == l->next)
                nf__bfs_least(&l->parent[adj[k]], u);
        if (mine->count >= LOCAL)
            flush(l, s, mine);
        e = stop;
    }
}

/* A level as a piece of work for a crew. */
typedef struct piece {
    nf_context *ctx;
    level l;
    shared s;
} piece;

static void work(void *arg, int me)
{
    piece *p = arg;
    const level *const l = &p->l;
    finds mine;
    uint64_t arcs = 0;
    mine.count = 0;
    for (;;) {
        const uint64_t from = __atomic_fetch_add(&p->s.cursor, STRETCH, __ATOMIC_RELAXED);
        if (from >= l->end || __atomic_load_n(&p->s.stop, __ATOMIC_RELAXED) != 0)
            break;
        const uint64_t to = l->end - from < STRETCH ? l->end : from + STRETCH;
        for (uint64_t i = from; i < to; i++) {
            const nf_vid u = l->queue[i];
            prefetch_row(l, i);
            arcs += nf__off(l->csr, u + 1) - nf__off(l->csr, u);
            scan_shared(l, u, &p->s, &mine);
        }
        if (me == 0 && nf__poll(p->ctx) != NF_OK) /* L1 */
            __atomic_store_n(&p->s.stop, 1, __ATOMIC_RELAXED);
    }
    flush(l, &p->s, &mine);
    __atomic_fetch_add(&p->s.arcs, arcs, __ATOMIC_RELAXED);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* By up to `team` threads; with one the crew is not needed. */
static nf_status expand(nf__run *run, nf__row *row, nf__frontier *f, nf__crew *crew, int team)
{
    nf_status st = NF_OK;
    piece p = {.ctx = run->ctx,
               .l = {.csr = &run->csr,
                     .hop = row->dist,
                     .parent = row->parent,
                     .queue = f->queue,
                     .end = f->tail,
                     .next = f->level + 1,
                     .least = run->deterministic && row->parent != NULL},
               .s = {.cursor = f->head, .tail = f->tail}};
    if (team == 1)
        NF_TRY(expand_alone(run, &p.l, f, &row->edges_relaxed));
    else {
        nf__crew_share(crew, team, work, &p);
        row->edges_relaxed += p.s.arcs;
        f->tail = p.s.tail;
        NF_TRY(nf__poll(run->ctx));
    }
    f->head = p.l.end;
    f->level++;
done:
    return st;
}

/* The search as the master of a crew takes it along. */
typedef struct walk {
    nf__run *run;
    nf__row *row;
    nf__frontier *f;
    const nf__bfs_turn *turn;
    bool *go;
    nf__habit habit;
    bool begun; /* the level has passed nf__bfs_next_level and the turn */
    bool turned;
    nf_status st;
} walk;

/* How many threads a level of so many vertices is for. */
static int team_of(walk *w, uint64_t vertices)
{
    const uint64_t threads = (uint64_t)nf__context_threads(w->run->ctx), worth = vertices / SHARE_VERTICES;
    if (!nf__habit_share(&w->habit, vertices))
        return 1;
    return (int)(worth < 2 ? 2 : worth < threads ? worth : threads);
}

/* Levels while the frontier, if it is not empty, is large enough for a crew; without one, while it is too small. */
static void walk_levels(walk *w, nf__crew *crew)
{
    const bool several = nf__context_threads(w->run->ctx) > 1;
    while (w->f->head < w->f->tail) {
        if (!w->begun) {
            w->st = nf__bfs_next_level(w->run, w->row, w->f->level, w->go);
            if (w->st != NF_OK || !*w->go)
                return;
            w->turned = w->turn != NULL && w->turn->worth(w->turn->arg);
            if (w->turned)
                return;
        }
        const uint64_t vertices = w->f->tail - w->f->head;
        w->begun = crew != NULL ? vertices < CREW_VERTICES / 2 : vertices >= CREW_VERTICES && several;
        if (w->begun)
            return;
        const int team = crew != NULL ? team_of(w, vertices) : 1;
        w->st = expand(w->run, w->row, w->f, crew, team);
        if (crew != NULL)
            nf__habit_note(&w->habit, vertices, team > 1);
        if (w->st != NF_OK)
            return;
    }
}

static void walk_with_crew(nf__crew *crew, void *arg)
{
    walk_levels(arg, crew);
}

nf_status nf__bfs_top_down(nf__run *run, nf__row *row, nf__frontier *f, const nf__bfs_turn *turn, bool *go)
{
    walk w = {.run = run, .row = row, .f = f, .turn = turn, .go = go};
    *go = true;
    while (w.st == NF_OK && *go && !w.turned && f->head < f->tail) {
        walk_levels(&w, NULL);
        if (w.begun)
            nf__crew_run(nf__context_threads(run->ctx), walk_with_crew, &w);
    }
    return w.st;
}

/* ---- parents of finished hops ------------------------------------------------------------------------------------ */

#define PULL_BLOCK 2048u

/* The parent of v, whose hop is above 0; counts the arcs read. */
static nf_vid pull(const nf_csr *in, const int32_t *hop, nf_vid v, bool least, uint64_t *arcs)
{
    const nf_eid begin = nf__off(in, v), end = nf__off(in, v + 1);
    nf_vid best = NF_NO_VERTEX;
    nf_eid e = begin;
    for (; e < end && (least || best == NF_NO_VERTEX); e++) {
        const nf_vid u = in->adj[e];
        best = hop[u] == hop[v] - 1 && u < best ? u : best;
    }
    *arcs += e - begin;
    return best;
}

nf_status nf__bfs_pull_parents(nf__run *run, nf__row *row, const nf_csr *in, uint64_t *arcs)
{
    const int32_t *hop = row->dist;
    const nf_vid n = run->csr.n;
    const uint64_t blocks = ((uint64_t)n + PULL_BLOCK - 1) / PULL_BLOCK;
    const int threads = nf__threads_for(run->ctx, run->csr.m);
    uint64_t sum = 0;
    int stop = 0;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        bool master = false;
#pragma omp master
        master = true;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t b = 0; b < blocks; b++) {
            const nf_vid begin = (nf_vid)(b * PULL_BLOCK), end = n - begin < PULL_BLOCK ? n : begin + PULL_BLOCK;
            if (__atomic_load_n(&stop, __ATOMIC_RELAXED) != 0)
                continue;
            for (nf_vid v = begin; v < end; v++)
                row->parent[v] = hop[v] < 0    ? NF_NO_VERTEX
                                 : hop[v] == 0 ? v
                                               : pull(in, hop, v, run->deterministic, &sum);
            if (master && nf__poll(run->ctx) != NF_OK)
                __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        }
    }
    *arcs += sum;
    return nf__poll(run->ctx);
}
