/* bfs_level.c - the common steps of breadth-first search: start, bounds, one level top-down, parents; see bfs.h.
 *
 * Method of a level. On one thread: every target is written at the queue's end and the end moves on if it was new, so
 * that the inner loop has no branch to guess (L3). On several threads each takes a part of the frontier, gathers the
 * targets of many vertices into a batch while their hops are on the way to its cache, claims what is new by
 * compare-and-swap into a buffer of its own, and copies that to the queue's end (Leiserson and Schardl, "A
 * work-efficient parallel breadth-first search algorithm", SPAA 2010, has bags for this; Beamer's GAP the buffers).
 * Invariants: F1, F2 of bfs.h, and
 *   L1 threads take stretches of a part from its cursor; only the calling thread polls, all see the stop flag;
 *   L2 a thread's part is what it found in the level before, so that rows and hops stay in its cache from level to
 *      level; parts are equal where that is not known. Who is done with its own part helps with the others';
 *   L3 where rows are alike and in order (grids) branches are guessed right, and run ahead of the loads: 38 ms instead
 *      of 49 on a grid of 1448 x 1448; on roads half of the guesses are wrong and cost twice the time. So levels of one
 *      thread try both loops, and later ones take the better;
 *   L4 hops that fit into a core's cache are looked at when a target is gathered, others fetched for writing.
 * Cost: O(vertices and arcs of the frontier); buffers on the stacks.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/crew.h"

#define POLL_EVERY 4096u /* vertices of a frontier between two looks at the cancel flag, on one thread */
#define STRETCH 64u      /* vertices a thread takes at a time */
#define BATCH 256u       /* targets looked at together; a grid at 2 threads: 31 ms with 128, 28 with 256 and 512 */
#define LOCAL 8192u      /* vertices found before they are copied to the queue: one copy a level keeps them together */
#define PARTS 64u        /* of a frontier; further threads only help others */
#define AHEAD 8u         /* vertices between prefetching a row and reading it; 16 and 32 are slower on a grid */
#define NEAR_VERTICES 131072u /* hops in half of an L2 of 1 MB */
/* Levels of so many vertices are timed: a clock costs as much as a few of them. Each loop is tried so many times, and
 * the worse one again after so many levels. */
#define GUESS_VERTICES 64u
#define GUESS_TRIES 4u
#define GUESS_AGAIN 64u
/* A crew is called for frontiers from CREW_VERTICES over the number of threads on, CREW_LEAST at least, until they fall
 * below half of that: opening a region costs some 10 us. Which of these levels it shares out is found out (crew.h);
 * then a thread comes for each SHARE_VERTICES. On a quiet machine 2 threads gain 20 us on 4096 vertices of a mesh. 16
 * threads of another, from 1,024 vertices on and a thread for 512, or from 256 on and a thread for 64: delaunay 2^18
 * 4.7 and 3.3 ms, a grid of 1448 x 1448 17.2 and 14.4. */
#define CREW_VERTICES 2048u
#define CREW_LEAST 256u
#define SHARE_VERTICES 64u

/* ---- the start and the bounds ------------------------------------------------------------------------------------ */

#define FEW_LEVELS 16 /* beyond, only so many levels report: a clock costs as much as a tiny level */
#define FILL_BLOCK (UINT64_C(1) << 16)

static void fill(const nf__run *run, int32_t *hop, nf_vid *parent)
{
    const uint64_t n = run->csr.n, blocks = (n + FILL_BLOCK - 1) / FILL_BLOCK;
    const int threads = nf__team_for(run->ctx, n / 32); /* a vertex is filled in a fraction of the usual time */
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
    bool guess;   /* L3 */
    bool near;    /* L4 */
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
                                                                const bool least, const bool guess)
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
            if (guess) {
                if (h < 0) {
                    queue[tail++] = v;
                    hop[v] = next;
                    if (parents)
                        parent[v] = u;
                }
                continue;
            }
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

typedef uint64_t (*scan_fn)(const level *l, uint64_t from, uint64_t to, uint64_t tail, uint64_t *arcs);

#define DEFINE_SCAN(name, parents, least, guess)                                                    \
    static uint64_t name(const level *l, uint64_t from, uint64_t to, uint64_t tail, uint64_t *arcs) \
    {                                                                                               \
        return scan_rows(l, from, to, tail, arcs, parents, least, guess);                           \
    }
DEFINE_SCAN(scan_hops, false, false, false)
DEFINE_SCAN(scan_parents, true, false, false)
DEFINE_SCAN(scan_least, true, true, false)
DEFINE_SCAN(guess_hops, false, false, true)
DEFINE_SCAN(guess_parents, true, false, true)

static scan_fn scan_of(const level *l)
{
    if (l->least)
        return scan_least;
    if (l->parent != NULL)
        return l->guess ? guess_parents : scan_parents;
    return l->guess ? guess_hops : scan_hops;
}

static nf_status expand_alone(nf__run *run, const level *l, nf__frontier *f, uint64_t *arcs)
{
    nf_status st = NF_OK;
    const scan_fn scan = scan_of(l);
    uint64_t tail = l->end;
    for (uint64_t from = f->head; from < l->end; from += POLL_EVERY) {
        tail = scan(l, from, l->end - from < POLL_EVERY ? l->end : from + POLL_EVERY, tail, arcs);
        NF_TRY(nf__poll(run->ctx));
    }
    f->tail = tail;
done:
    return st;
}

/* ---- several threads --------------------------------------------------------------------------------------------- */

/* A part of the frontier, which is one thread's before it is anybody's (L2), and what that thread found. */
typedef struct part {
    _Alignas(64) uint64_t next; /* the first vertex that nobody has taken */
    uint64_t end;
    _Alignas(64) uint64_t found, found_end; /* in the queue; */
    bool scattered;                         /* not all of it in one place */
} part;

/* A level as a piece of work for a crew. */
typedef struct piece {
    nf_context *ctx;
    level l;
    unsigned parts; /* in use */
    int stop;
    part part[PARTS];
    _Alignas(64) uint64_t tail;
    uint64_t arcs;
} piece;

/* A thread's own finds. */
typedef struct finds {
    nf_vid item[LOCAL + BATCH + 1]; /* one more than needed, for pushes that do not count */
    unsigned count;
    nf_vid nowhere; /* takes the parents of vertices that another thread claimed */
    part *mine;     /* NULL for threads without a part */
} finds;

static void flush(piece *p, finds *f)
{
    const uint64_t at = __atomic_fetch_add(&p->tail, f->count, __ATOMIC_RELAXED);
    memcpy(p->l.queue + at, f->item, f->count * sizeof(nf_vid));
    if (f->mine != NULL && f->count != 0) {
        f->mine->scattered |= f->mine->found != f->mine->found_end;
        f->mine->found = at;
        f->mine->found_end = at + f->count;
    }
    f->count = 0;
}

/* Targets of the frontier's arcs on their way to be looked at, and where the arcs come from. */
typedef struct batch {
    nf_vid target[BATCH], from[BATCH];
    unsigned count;
} batch;

/* Adds arcs e .. end-1 of u to the batch as long as there is room; where it stopped. Where hops are near (L4) it looks
 * at once and leaves out what is seen. */
static inline nf_eid gather(const level *l, nf_vid u, nf_eid e, nf_eid end, batch *b, const bool parents,
                            const bool least)
{
    const nf_vid *const adj = l->csr->adj;
    const nf_eid stop = end - e < BATCH - b->count ? end : e + (BATCH - b->count);
    unsigned count = b->count;
    for (nf_eid k = e; l->near && k < stop; k++) {
        const int32_t h = __atomic_load_n(&l->hop[adj[k]], __ATOMIC_RELAXED);
        b->target[count] = adj[k];
        if (parents)
            b->from[count] = u;
        count += (h < 0) | (least & (h == l->next));
    }
    for (nf_eid k = e; !l->near && k < stop; k++, count++) {
        __builtin_prefetch(&l->hop[adj[k]], 1);
        b->target[count] = adj[k];
        if (parents)
            b->from[count] = u;
    }
    b->count = count;
    return stop;
}

/* Claims what is new among the batch's targets, by branches. A look comes first: a claim that fails costs as much as
 * one that does not. */
static inline void claim_by_guess(const level *l, const batch *b, finds *f, const bool parents)
{
    for (unsigned k = 0; k < b->count; k++) {
        const nf_vid v = b->target[k];
        int32_t unseen = NF_NO_HOP;
        if (__atomic_load_n(&l->hop[v], __ATOMIC_RELAXED) >= 0
            || !__atomic_compare_exchange_n(&l->hop[v], &unseen, l->next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        f->item[f->count++] = v;
        if (parents)
            l->parent[v] = b->from[k];
    }
}

/* The same without branches: first the looks, which leave the new ones in front, then the claims. */
static inline void claim_by_sieve(const level *l, batch *b, finds *f, const bool parents)
{
    unsigned count = 0, found = f->count;
    for (unsigned k = 0; k < b->count; k++) {
        const nf_vid v = b->target[k];
        b->target[count] = v;
        if (parents)
            b->from[count] = b->from[k];
        count += __atomic_load_n(&l->hop[v], __ATOMIC_RELAXED) < 0;
    }
    for (unsigned k = 0; k < count; k++) {
        const nf_vid v = b->target[k];
        int32_t unseen = NF_NO_HOP;
        const bool won =
            __atomic_compare_exchange_n(&l->hop[v], &unseen, l->next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        f->item[found] = v;
        found += won;
        if (parents)
            *(won ? &l->parent[v] : &f->nowhere) = b->from[k];
    }
    f->count = found;
}

static inline __attribute__((always_inline)) void claim_batch(piece *p, batch *b, finds *f, const bool parents,
                                                              const bool least)
{
    const level *const l = &p->l;
    if (l->guess || least)
        claim_by_guess(l, b, f, parents && !least);
    else
        claim_by_sieve(l, b, f, parents);
    for (unsigned k = 0; least && k < b->count; k++) /* F2: whoever claimed it, each of its parents comes by */
        if (__atomic_load_n(&l->hop[b->target[k]], __ATOMIC_RELAXED) == l->next)
            nf__bfs_least(&l->parent[b->target[k]], b->from[k]);
    b->count = 0;
    if (f->count >= LOCAL)
        flush(p, f);
}

/* Expands queue[from, to). */
static inline __attribute__((always_inline)) void share_rows(piece *p, uint64_t from, uint64_t to, finds *f,
                                                             uint64_t *arcs, const bool parents, const bool least)
{
    const level *const l = &p->l;
    batch b;
    b.count = 0;
    for (uint64_t i = from; i < to; i++) {
        const nf_vid u = l->queue[i];
        const nf_eid begin = nf__off(l->csr, u), end = nf__off(l->csr, u + 1);
        prefetch_row(l, i);
        *arcs += end - begin;
        for (nf_eid e = begin; e < end;) {
            e = gather(l, u, e, end, &b, parents, least);
            if (b.count == BATCH)
                claim_batch(p, &b, f, parents, least);
        }
    }
    claim_batch(p, &b, f, parents, least);
}

static void share_hops(piece *p, uint64_t from, uint64_t to, finds *f, uint64_t *arcs)
{
    share_rows(p, from, to, f, arcs, false, false);
}

static void share_parents(piece *p, uint64_t from, uint64_t to, finds *f, uint64_t *arcs)
{
    share_rows(p, from, to, f, arcs, true, false);
}

static void share_least(piece *p, uint64_t from, uint64_t to, finds *f, uint64_t *arcs)
{
    share_rows(p, from, to, f, arcs, true, true);
}

/* Takes stretches of a part until nothing is left of it. */
static void empty_part(piece *p, part *of, finds *f, int me, uint64_t *arcs)
{
    const level *const l = &p->l;
    while (__atomic_load_n(&of->next, __ATOMIC_RELAXED) < of->end) {
        const uint64_t from = __atomic_fetch_add(&of->next, STRETCH, __ATOMIC_RELAXED);
        if (from >= of->end || __atomic_load_n(&p->stop, __ATOMIC_RELAXED) != 0)
            return;
        const uint64_t to = of->end - from < STRETCH ? of->end : from + STRETCH;
        if (l->parent == NULL)
            share_hops(p, from, to, f, arcs);
        else
            (l->least ? share_least : share_parents)(p, from, to, f, arcs);
        if (me == 0 && nf__poll(p->ctx) != NF_OK) /* L1 */
            __atomic_store_n(&p->stop, 1, __ATOMIC_RELAXED);
    }
}

static void work(void *arg, int me)
{
    piece *p = arg;
    finds f;
    uint64_t arcs = 0;
    f.count = 0;
    f.mine = (unsigned)me < p->parts ? &p->part[me] : NULL;
    for (unsigned k = 0; k < p->parts; k++)
        empty_part(p, &p->part[((unsigned)me + k) % p->parts], &f, me, &arcs);
    flush(p, &f);
    __atomic_fetch_add(&p->arcs, arcs, __ATOMIC_RELAXED);
}

/* Deals the frontier out to `team` threads: to each what it found itself, or equal parts (L2). */
static void deal(piece *p, uint64_t head, uint64_t tail, unsigned team)
{
    uint64_t known = 0;
    for (unsigned k = 0; k < p->parts; k++)
        known += p->part[k].scattered ? 0 : p->part[k].found_end - p->part[k].found;
    team = team < PARTS ? team : PARTS;
    const bool own = p->parts == team && known == tail - head;
    for (unsigned k = 0; k < team; k++) {
        part *x = &p->part[k];
        x->next = own ? x->found : head + (tail - head) * k / team;
        x->end = own ? x->found_end : head + (tail - head) * (k + 1) / team;
        x->found = x->found_end = 0;
        x->scattered = false;
    }
    p->parts = team;
    p->tail = tail;
    p->arcs = 0;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* Whether guesses pay (L3), found out on levels of one thread: seconds an arc without and with them. */
typedef struct custom {
    double cost[2];
    unsigned count;
} custom;

static bool guesses_pay(custom *c)
{
    const unsigned i = c->count++;
    return i < 2 * GUESS_TRIES ? i % 2 == 1 : (c->cost[1] < c->cost[0]) ^ (i % GUESS_AGAIN == 0);
}

static void note_guess(custom *c, bool guess, double seconds, uint64_t arcs)
{
    const double took = seconds / (double)(arcs + 1);
    double *cost = &c->cost[guess];
    *cost = *cost == 0 ? took : *cost + (took - *cost) * (took < *cost ? 0.5 : 0.125); /* as nf__habit_note */
}

/* The search as the master of a crew takes it along. */
typedef struct walk {
    nf__run *run;
    nf__row *row;
    nf__frontier *f;
    const nf__bfs_turn *turn;
    bool *go;
    nf__habit habit;
    custom custom;
    piece piece;
    bool begun; /* the level has passed nf__bfs_next_level and the turn */
    bool turned;
    nf_status st;
} walk;

/* A level on one thread; from GUESS_VERTICES on it tells which loop is the better one. */
static nf_status expand_and_note(walk *w)
{
    nf_status st = NF_OK;
    const bool timed = w->f->tail - w->f->head >= GUESS_VERTICES && !w->piece.l.least;
    const uint64_t before = w->row->edges_relaxed;
    if (!timed)
        return expand_alone(w->run, &w->piece.l, w->f, &w->row->edges_relaxed);
    const double begun = omp_get_wtime();
    w->piece.l.guess = guesses_pay(&w->custom);
    NF_TRY(expand_alone(w->run, &w->piece.l, w->f, &w->row->edges_relaxed));
    note_guess(&w->custom, w->piece.l.guess, omp_get_wtime() - begun, w->row->edges_relaxed - before);
    w->piece.l.guess = w->custom.count >= 2 * GUESS_TRIES && w->custom.cost[1] < w->custom.cost[0];
done:
    return st;
}

/* A level by up to `team` threads; with one the crew is not needed. */
static nf_status expand(walk *w, nf__crew *crew, int team)
{
    nf_status st = NF_OK;
    nf__frontier *const f = w->f;
    piece *const p = &w->piece;
    p->l.end = f->tail;
    p->l.next = f->level + 1;
    if (team == 1) {
        p->parts = 0;
        NF_TRY(expand_and_note(w));
    } else {
        deal(p, f->head, f->tail, (unsigned)team);
        nf__crew_share(crew, team, work, p);
        w->row->edges_relaxed += p->arcs;
        f->tail = p->tail;
        NF_TRY(nf__poll(w->run->ctx));
    }
    f->head = p->l.end;
    f->level++;
done:
    return st;
}

/* How many threads a level of so many vertices is for. */
static int team_of(walk *w, uint64_t vertices)
{
    const uint64_t threads = (uint64_t)nf__context_threads(w->run->ctx), worth = vertices / SHARE_VERTICES;
    if (!nf__habit_share(&w->habit, vertices, (int)threads))
        return 1;
    return (int)(worth < 2 ? 2 : worth < threads ? worth : threads);
}

/* Levels while the frontier, if it is not empty, is large enough for a crew; without one, while it is too small. */
static void walk_levels(walk *w, nf__crew *crew)
{
    const unsigned threads = (unsigned)nf__context_threads(w->run->ctx), share = CREW_VERTICES / threads;
    const uint64_t from = share > CREW_LEAST ? share : CREW_LEAST;
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
        w->begun = crew != NULL ? vertices < from / 2 : vertices >= from && threads > 1;
        if (w->begun)
            return;
        const int team = crew != NULL ? team_of(w, vertices) : 1;
        w->st = expand(w, crew, team);
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
    walk w;
    w.run = run, w.row = row, w.f = f, w.turn = turn, w.go = go;
    w.habit = (nf__habit){.begun = 0};
    w.custom = (custom){.count = 0};
    w.begun = w.turned = false;
    w.st = NF_OK;
    w.piece.ctx = run->ctx;
    w.piece.l = (level){.csr = &run->csr,
                        .hop = row->dist,
                        .parent = row->parent,
                        .queue = f->queue,
                        .near = run->csr.n <= NEAR_VERTICES,
                        .least = run->deterministic && row->parent != NULL};
    w.piece.parts = 0;
    w.piece.stop = 0;
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
    const int threads = nf__team_for(run->ctx, run->csr.m);
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
