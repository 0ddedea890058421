/* stepping.c - label-correcting in buckets of width delta, by all threads: the engine of delta-stepping and near-far.
 *
 * Meyer and Sanders, "Delta-stepping", J. Algorithms 49, 2003; bucket fusion from Zhang et al., "Optimizing ordered
 * graph algorithms with GraphIt", CGO 2020. Keys and atomics are those of key.h, lists those of bins.h.
 *
 * Each thread keeps its own buckets. In a phase every thread relaxes the arcs of the vertices it has listed in the
 * current bucket and puts what improves into its buckets. It offers the chunks of a list to all before it takes them
 * itself, and who has nothing left takes what others offer; a phase ends when nobody has anything left. Where the
 * current bucket is not enough for all threads, a phase takes some buckets after it as well, and each thread goes
 * through its own in their order (fusion across buckets). Labels are then sometimes passed on before they are final;
 * phases take fewer buckets where that happens often. At its end every thread looks for the first of its buckets that
 * is not empty, and the master goes on with the least of them. Buckets beyond the `open` ones are one far list, shared
 * out again when the others are empty. With `rho` the width changes then, to one that holds the rho nearest by a sample
 * of the far labels (Dong, Gu, Sun and Zhang, "Efficient stepping algorithms and implementations for parallel shortest
 * paths", SPAA 2021).
 *
 * Memory decides the speed, so nothing is waited for: the offsets of a vertex are fetched when it is listed, again with
 * its label while the chunk before its own is read, the arcs of a batch of vertices while the batch before it is
 * scanned, and the scan itself only collects the arcs that would lower a label, without a branch for each, so that the
 * machine looks up dozens of labels at once. Only those few candidates are then tested again, stored and listed. On
 * roads what is left are branches that nobody can guess: how many arcs a vertex has, whether a label that falls changes
 * its bucket. Neither is a branch here.
 *
 * Invariants
 *   I1 d[v] only falls, by compare-and-swap; whoever lowers it also lists v, unless I2;
 *   I2 v is listed once in every bucket it falls into: an entry is made only when the bucket of d[v] changes, or that
 *      bucket has been begun: it is not after `reach`. An entry whose bucket is not that of d[v] is stale and skipped.
 *      Who begins a bucket raises `reach` before it reads labels, who lowers a label reads `reach` afterwards; both in
 *      one order (sequential consistency), so either v is listed again or its new label is seen. `reach` only grows,
 *      also where a phase was left before its end, until other buckets are opened;
 *   I3 when all threads have left a phase, the labels in its buckets and before them are final (weights >= 0);
 *   I4 a candidate is dealt with only while the thread owns a free chunk, so a push never fails (B3). When the pool is
 *      used up, all threads leave the parallel region, and stale and double entries are dropped: each vertex is then
 *      listed at most once; each thread cleans its own lists. If chunks that are not full take too much room, half of
 *      the open buckets go to the far list, for the rest of the row; with two left there are two such chunks a thread,
 *      and the pool always has room. What the threads had in candidates and batches is then done by one of them;
 *   I5 with one thread parents are written with the label. Each is set by a strict improvement and weights are >= 0, so
 *      they never close a cycle. With more threads they come from final labels (tree.h);
 *   I6 a label that is read while it falls costs a candidate more, never one less: labels only fall (I1);
 *   I7 as many threads take part in a phase as its vertices are enough for, and none is waited for that is not there: a
 *      crew (crew.h). Lists are changed by their thread while it is in a phase; those of threads that were not asked
 *      are taken over by one that was, those of threads that did not come are done by the master, when all are out.
 *      With one thread there are no atomics, and it takes over the lists of all after some such phases; so a row
 *      begins, and so it ends up on paths and chains;
 *   I8 the width changes only while all buckets but the far one are empty, and the far one holds no label below the new
 *      first bucket, so what I3 says of buckets done before still holds;
 *   I9 buckets become narrower by a power of two, so the start of the current one stays the start of one, and no label
 *      that is not final lies before it;
 *  I10 a thread offers chunks only when none of its own are on offer, and places in its ring are numbered on and on, so
 *      that taking one by compare-and-swap fails if the place was used again; only threads counted in `busy` offer, and
 *      they have nothing in the phase's buckets when they no longer count. So all is done when `busy` is 0.
 * Tried and left out, slower or no faster: chunks handed out to all alike (two threads fight over the cache lines of
 * one region: delaunay 18 takes 1.25 times as long), labels of all neighbours fetched ahead of the scan.
 * Cost: O(n + m + sum of buckets) for random weights (Meyer and Sanders). Memory, at most: room for 2 n entries and 3
 * READY chunks a thread, a bit a vertex once the pool was used up, 4 bytes a thread and open bucket and 11,000 a
 * thread: NF__STEP_MEMORY. So a thread's own share is below 4 bytes a vertex and arc (PER_THREAD).
 */
#include "cpu/stepping.h"

#include <omp.h>
#include <stdlib.h>

#include "cpu/bins.h"
#include "cpu/bitmap.h"
#include "cpu/crew.h"
#include "cpu/key.h"
#include "cpu/tight.h"
#include "cpu/tree.h"

#define BATCH 32u      /* vertices whose arcs are on their way while those of BATCH others are scanned */
#define ARCS 256u      /* or fewer, once they have so many arcs */
#define STRIP 256u     /* arcs scanned between two looks at the room for candidates */
#define GROUP 4u       /* arcs looked at without a branch for their number; divides STRIP */
#define CANDS 512u     /* room for candidates, at least 2 * STRIP */
#define FETCH_MOST 64u /* of a vertex's arcs so many are fetched ahead; the machine itself guesses the rest */
#define LINE 16u       /* 32-bit numbers in a cache line */
#define POLL_EVERY 16u /* chunks between two looks at the cancel flag */
#define SHARE 64u      /* vertices of a phase for each thread that takes part */
#define RING 128u      /* chunks that a thread offers to others at once; a power of two */
#define CLAIM 8u       /* candidates between fetching a label to lower it and doing so */
#define SHORT 32u      /* looks after which a helper leaves, where threads are few */
#define LONG 16u       /* chunks of a list for which they are called again */
#define LATE 256u      /* looks for work until threads that have not come are no longer waited for: some 10 us */
/* A phase is to have GRAIN vertices for each thread, or it takes more buckets, SPAN_MOST at most. 16 threads, ms with
 * 512, 1,024 and 2,048, and with one bucket a phase: delaunay 18 6.4, 6.0, 5.8 and 10.5; grid 1448 29.7, 27.5, 27.7 and
 * 45.7; a road map 7.0, 7.1, 7.0 and 14.2; uniform 20 35, 33, 34 and as much; kron 20 26, 27, 27 and as much. More than
 * 16 buckets change nothing. Taking chunks only of those who have 4 on offer gains 8 % on the grid and loses more on
 * the others. */
#define GRAIN 2048u
#define SPAN_MOST 16u
/* Offsets are fetched when a vertex is listed where there are few arcs for each: USA-road-d.NY takes 1.3 times as long
 * without that, uniform graphs with 32 arcs a vertex 1.03 times as long with it. */
#define EARLY_DEGREE 12.0
#define HEFT_MOST 64.0   /* arcs for which a vertex counts, at most; they are those where a random arc begins */
#define PATIENCE 4u      /* phases in a row for one thread after which it takes over the lists of all */
#define READY 8u         /* chunks a thread takes from the pool at once */
#define PER_THREAD 4608u /* vertices and arcs for which a thread is woken: 0.05 ms of work, 18 KB that auto may spend */
#define OPEN_SHARE 16u   /* vertices for each open bucket, where they are few */
#define OPEN_LEAST 64u
#define FREE_SHARE 8u /* of the pool at least so much is free after cleaning, or fewer buckets are kept open */
#define SAMPLE 64u    /* labels a thread shows of its far list when the width is to change */
#define SAMPLE_ALL 1024u
/* Of those that wait at most one in PART is asked for, as the bucket is done to its end. Times with 4, 8 and 32 for
 * weights spread evenly over nine decades, uniform graph, m = 1.6 million, one thread: 21, 20 and 18 ms; kron 16: 11, 9
 * and 8 ms; a fourth relaxes arcs up to 5 times, a 32nd once. */
#define PART 32u
/* Buckets are made 1 << NARROWER times narrower when half of a thread's last expansions, and more than one for
 * COARSE_SHARE vertices of the graph, or COARSE_MOST, were of labels that had fallen within their bucket; 2 to 10 % is
 * usual. */
#define NARROWER 6u
#define SPAN \
    4.0 /* as long as the open ones span so many times the largest weight: else entries pass the far list often */
#define RECENT 65536u
#define COARSE_SHARE 64u
#define COARSE_LEAST 64u
#define COARSE_MOST 512u
#define FINEST 0x1p30 /* buckets are numbered in 31 bits */
#define NONE UINT32_MAX
#define NF__INLINE __attribute__((always_inline))

/* Vertices of the current bucket whose arcs have been asked for. */
typedef struct batch {
    uint32_t count, at; /* those before `at` are done */
    nf_vid u[BATCH];
    nf_eid from[BATCH], end[BATCH]; /* their arcs that are not done */
} batch;

/* One thread's side. */
typedef struct worker {
    nf__stock stock;
    nf__list *bins;            /* `open` lists */
    uint32_t low;              /* no list before this one holds anything */
    uint32_t chain;            /* chunks of the thread's own part of the current bucket that are being done */
    uint32_t chunk, at;        /* the chunk being read, and the next vertex in it */
    uint32_t ahead;            /* the chunk after it, on its way */
    unsigned turn;             /* the batch to scan next */
    bool dry;                  /* no batch is waiting to be scanned */
    uint32_t found, dealt;     /* candidates, and how many of them are done */
    uint32_t far;              /* vertices in the thread's far list when it was last looked at */
    uint32_t need;             /* chunks that the thread lacked to reopen its far list */
    uint32_t looks;            /* at the cancel flag */
    uint32_t page, page_ahead; /* the buckets of `chunk` and `ahead` */
    uint32_t first, waiting;   /* after a phase: the first list that is not empty, or NONE, and its vertices */
    uint64_t phase;            /* the last one that the thread came to */
    uint64_t relaxed;
    uint64_t seen, again;  /* lately: vertices expanded, and labels that fell within their bucket */
    uint64_t done, fallen; /* in this phase: vertices expanded, and labels that fell when they may have been */
    char before[64];       /* what other threads change has a cache line of its own */
    uint64_t offer;        /* the chunks on offer: ring[taken .. past), past << 32 | taken */
    char after[64];
    uint64_t ring[RING]; /* bucket << 32 | chunk */
    batch batches[2];
    nf_vid head[CANDS], tail[CANDS]; /* a candidate: the label of `head` may fall to `key`, by an arc from `tail` */
    union {
        uint32_t k32[CANDS];
        uint64_t k64[CANDS];
    } key;
    uint64_t least;        /* the least key in the far list */
    double nearest;        /* the label it stands for */
    double sample[SAMPLE]; /* some others: `shown` of them */
    uint32_t shown;
    char apart[64]; /* keeps two threads off one cache line */
} worker;

enum piece { DRAIN, LOOK, RELIST }; /* a phase; the far lists: look through them, open them */

typedef struct engine {
    nf__run *run;
    nf__row *row;
    nf__step_plan plan;
    nf__scale scale, fresh; /* fresh: the scale of the buckets that are about to be opened; else the same */
    nf__pool pool;
    nf__tight tight;
    worker *workers;
    nf__list *lists;
    uint64_t *once; /* a bit a vertex, for make_room; NULL before it is needed */
    uint32_t most;  /* buckets open when a row begins */
    uint64_t bound; /* keys above it do not matter */
    uint64_t heft;  /* of a vertex listed, in eighths of one of a grid */
    uint64_t many;  /* labels that fell within their bucket: so many are too many, if they are half */
    int threads;
    bool wide;     /* 32 bits were not enough for an earlier row */
    bool retreat;  /* no width suits this graph: plan.retreat has the rows from now on, */
    void *other;   /* with this scratch; the lists are gone then */
    uint32_t base; /* the first open bucket */
    uint32_t cur;  /* the current one, from base, */
    uint32_t end;  /* and the first one that is not done in the same phase */
    /* shared by the threads of a region; written by the master while the others are out, unless it says so */
    uint64_t phase;  /* its number */
    uint32_t narrow; /* phases in a row for one thread */
    uint32_t span;   /* buckets that a phase may take, at most */
    int team;        /* threads asked for */
    nf__habit habit;
    int active;                  /* threads that may have listed something, the first of all */
    enum piece piece;            /* what threads are called for */
    bool alone;                  /* the master works alone (I7) */
    bool over;                   /* no bucket that matters is left */
    int cursor;                  /* of workers, in pieces of work about their far lists; taken by atomic adds */
    uint32_t far_min;            /* the least bucket in them, lowered by all */
    int full, stop, hot, coarse; /* raised while chunks are consumed, read when all are out or as a hint */
    int cramped;                 /* raised while the far list is reopened, read when all are out */
    _Alignas(64) uint32_t reach; /* the last bucket that somebody has begun in this phase; raised by all */
    _Alignas(64) int busy;       /* threads that have something to do, */
    int came;                    /* and that have come to this phase; */
    int left;                    /* raised: some have left it before its end */
} engine;

/* What the loops over arcs need of the engine: a copy that no store can change, so it stays in registers. */
typedef struct lens {
    nf_csr csr;
    nf__scale scale;
    void *dist;
    nf_vid *parent; /* NULL where they are made at the end (I5) */
    uint64_t bound;
    uint32_t base, cur, end, last;
    uint32_t reach;        /* for one thread alone: up to this bucket each label that falls is listed */
    bool early;            /* offsets are fetched when a vertex is listed */
    unsigned weight_shift; /* a weight has 1 << weight_shift bytes */
} lens;

static void open_bins(engine *g)
{
    g->plan.open = g->most;
    for (size_t i = 0; i < (size_t)g->threads * g->plan.open; i++)
        g->lists[i].head = NF__NO_CHUNK;
    for (int t = 0; t < g->threads; t++) {
        worker *k = &g->workers[t];
        memset(k, 0, sizeof *k);
        k->stock = (nf__stock){NF__NO_CHUNK, 0};
        k->bins = g->lists + (size_t)t * g->plan.open;
        k->chain = k->chunk = k->ahead = NF__NO_CHUNK;
        k->first = NONE;
    }
    g->pool.used = 0;
    g->base = g->cur = g->reach = 0;
    g->end = 1;
    g->span = 1;
    g->far_min = NONE;
    g->habit = (nf__habit){.begun = 0};
    g->narrow = 0;
    g->active = 1;
    g->over = false;
    g->full = g->cramped = g->stop = g->hot = g->coarse = 0;
}

static void lower_to(uint32_t *x, uint32_t value)
{
    uint32_t old = __atomic_load_n(x, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(x, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static bool interrupted(const engine *g)
{
    return nf__flag(&g->stop) || nf__flag(&g->full) || nf__flag(&g->coarse);
}

/* False: the thread must leave its phase. The master also looks at the cancel flag now and then. */
static bool may_go_on(engine *g, worker *k)
{
    if (k == g->workers && ++k->looks % POLL_EVERY == 0 && nf__poll(g->run->ctx) != NF_OK)
        nf__raise_flag(&g->stop);
    if (k->seen > RECENT) {
        k->seen /= 2;
        k->again /= 2;
    }
    if (k->again > g->many && 2 * k->again > k->seen)
        nf__raise_flag(&g->coarse);
    return !interrupted(g);
}

/* Has the worker chunks on offer? */
static inline bool offers(const worker *k)
{
    const uint64_t offer = __atomic_load_n(&k->offer, __ATOMIC_RELAXED);
    return (uint32_t)offer != offer >> 32;
}

/* One of the chunks that `from` has offered, and its bucket; positions only grow, so the swap fails if the place in the
 * ring was used again. */
static inline uint32_t take_offer(worker *from, uint32_t *bucket)
{
    uint64_t offer = __atomic_load_n(&from->offer, __ATOMIC_ACQUIRE);
    while ((uint32_t)offer != offer >> 32) {
        const uint64_t entry = __atomic_load_n(&from->ring[(uint32_t)offer % RING], __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&from->offer, &offer, offer + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            *bucket = (uint32_t)(entry >> 32);
            return (uint32_t)entry;
        }
    }
    return NF__NO_CHUNK;
}

static void raise_to(uint32_t *x, uint32_t value)
{
    uint32_t old = __atomic_load_n(x, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange_n(x, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

/* Offers chunks of the thread's first list in the phase's buckets to all, itself included; there are none on offer. */
static void offer_more(engine *g, worker *k)
{
    uint32_t b = g->cur, past = (uint32_t)(__atomic_load_n(&k->offer, __ATOMIC_RELAXED) >> 32);
    const uint32_t first = past;
    while (b < g->end && k->bins[b].head == NF__NO_CHUNK)
        b++;
    if (b == g->end)
        return;
    raise_to(&g->reach, b);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint32_t c = k->bins[b].head;
    for (; c != NF__NO_CHUNK && past - first < RING; c = g->pool.chunks[c].next)
        __atomic_store_n(&k->ring[past++ % RING], (uint64_t)b << 32 | c, __ATOMIC_RELAXED);
    k->bins[b].head = c;
    __atomic_store_n(&k->offer, (uint64_t)past << 32 | first, __ATOMIC_RELEASE);
}

/* Is the thread's first list in the phase's buckets so long that those who have left should be called again? */
static bool has_long_list(const engine *g, const worker *k)
{
    uint32_t b = g->cur, chunks = 0;
    while (b < g->end && k->bins[b].head == NF__NO_CHUNK)
        b++;
    for (uint32_t c = b < g->end ? k->bins[b].head : NF__NO_CHUNK; c != NF__NO_CHUNK && chunks < LONG;
         c = g->pool.chunks[c].next)
        chunks++;
    return chunks == LONG;
}

/* The next chunk for a thread that works with others: one that it has offered, then of what it has listed itself, once
 * it has scanned all it has taken, then one of another's. */
static uint32_t next_shared(engine *g, worker *k, uint32_t *bucket)
{
    const int me = (int)(k - g->workers);
    uint32_t chunk = take_offer(k, bucket);
    if (chunk == NF__NO_CHUNK && k->dry && !(nf__flag(&g->left) && has_long_list(g, k))) {
        offer_more(g, k);
        chunk = take_offer(k, bucket);
    }
    for (int i = 1; i < g->active && chunk == NF__NO_CHUNK; i++) {
        worker *of = &g->workers[me + i < g->active ? me + i : me + i - g->active];
        if (offers(of))
            chunk = take_offer(of, bucket);
    }
    return chunk;
}

/* The same for a thread that works alone: from one of the lists of the current bucket after the other. */
static uint32_t next_alone(engine *g, worker *k)
{
    for (int t = 0; t < g->active && k->dry && k->chain == NF__NO_CHUNK; t++) {
        k->chain = g->workers[t].bins[g->cur].head;
        g->workers[t].bins[g->cur].head = NF__NO_CHUNK;
    }
    const uint32_t chunk = k->chain;
    if (chunk != NF__NO_CHUNK)
        k->chain = g->pool.chunks[chunk].next;
    return chunk;
}

static uint32_t next_chunk(engine *g, worker *k, uint32_t *bucket)
{
    *bucket = g->cur;
    if (!may_go_on(g, k))
        return NF__NO_CHUNK;
    return g->alone ? next_alone(g, k) : next_shared(g, k, bucket);
}

/* Finds the first of the worker's lists that is not empty, the far one excepted, and counts its vertices. */
static void survey(const engine *g, worker *k)
{
    const uint32_t last = g->plan.open - 1;
    uint32_t b = k->low, count = 0;
    while (b < last && k->bins[b].head == NF__NO_CHUNK)
        b++;
    k->low = b;
    k->first = b < last ? b : NONE;
    if (b < last && g->threads > 1)
        for (uint32_t c = k->bins[b].head; c != NF__NO_CHUNK; c = g->pool.chunks[c].next)
            count += g->pool.chunks[c].count;
    k->waiting = count;
}

static void survey_all(const engine *g)
{
    for (int t = 0; t < g->threads; t++)
        survey(g, &g->workers[t]);
}

/* The first bucket of all threads that is not empty, the far one excepted, and its vertices; by the last surveys. */
static uint32_t first_of_all(const engine *g, uint64_t *vertices)
{
    uint32_t first = NONE;
    *vertices = 0;
    for (int t = 0; t < g->active; t++) {
        const worker *k = &g->workers[t];
        if (k->first < first)
            *vertices = 0;
        first = k->first < first ? k->first : first;
        *vertices += k->first == first && first != NONE ? k->waiting : 0;
    }
    return first;
}

/* Waits until some thread offers chunks; false: all that have come have nothing left to do. Those that have not are
 * waited for a little while. Where threads are few they may be so for want of cores, and a helper leaves after a little
 * while: the master would wait for it even if the machine is not running it any more. */
static bool await_offer(engine *g, const worker *k)
{
    for (unsigned idle = 0; !interrupted(g); idle++) {
        for (int t = 0; t < g->active; t++)
            if (offers(&g->workers[t]))
                return true;
        const bool all = __atomic_load_n(&g->came, __ATOMIC_RELAXED) >= g->team || idle > LATE;
        if (all && __atomic_load_n(&g->busy, __ATOMIC_RELAXED) == 0)
            return false;
        if (idle > SHORT && g->threads < NF__HABIT_MANY && k != g->workers) {
            nf__raise_flag(&g->left);
            return false;
        }
        nf__crew_rest(idle);
    }
    return false;
}

/* Puts a list of one worker before the same list of another. */
static void splice(engine *g, worker *from, worker *to, uint32_t b)
{
    uint32_t *end = &from->bins[b].head;
    while (*end != NF__NO_CHUNK)
        end = &g->pool.chunks[*end].next;
    *end = to->bins[b].head;
    to->bins[b].head = from->bins[b].head;
    from->bins[b].head = NF__NO_CHUNK;
}

/* A thread that has come to a phase also takes over what some that were not asked for have listed in its buckets. */
static void adopt(engine *g, worker *k)
{
    k->phase = g->phase;
    for (int t = (int)(k - g->workers) + g->team; t < g->active; t += g->team) {
        worker *of = &g->workers[t];
        of->phase = g->phase;
        if (of->first >= g->end)
            continue;
        for (uint32_t b = g->cur; b < g->end; b++)
            splice(g, of, k, b);
        survey(g, of);
    }
}

/* All lists become the master's. */
static void merge_lists(engine *g)
{
    worker *master = g->workers;
    for (int t = 1; t < g->active; t++) {
        worker *k = &g->workers[t];
        for (uint32_t b = k->low; b < g->plan.open; b++)
            splice(g, k, master, b);
        master->low = k->low < master->low ? k->low : master->low;
        k->first = NONE;
        k->far = k->shown = 0;
    }
    survey(g, master);
}

/* Those from g->active to `team` take part again. They have stood by since their lists became the master's and do not
 * know how far things have got: their lists are empty, and what they will list lies from the current bucket on. */
static void call_in(engine *g, int team)
{
    for (; g->active < team; g->active++)
        g->workers[g->active].low = g->cur;
}

/* How many threads are to share so much work. */
static int team_of(engine *g, uint64_t work)
{
    const uint64_t most = work / SHARE;
    if (g->threads == 1 || !nf__habit_share(&g->habit, work, g->threads))
        return 1;
    return most < 2 ? 2 : most < (uint64_t)g->threads ? (int)most : g->threads;
}

/* Plans a phase from the current bucket on, which holds so many vertices: how many buckets it takes, and how many
 * threads; how much work it is thought to be. */
static uint64_t plan_phase(engine *g, uint64_t vertices)
{
    const uint64_t work = vertices * g->heft / 8, want = GRAIN * (uint64_t)g->threads;
    const uint32_t room = g->plan.open - 1 - g->cur;
    uint64_t span = work > 0 ? want / work : 1;
    span = span > g->span ? g->span : span;
    span = span > room ? room : span;
    span = span < 1 || g->threads <= 2 ? 1 : span;
    g->narrow = work * span < NF__HABIT_FROM ? g->narrow + 1 : 0;
    g->team = team_of(g, work * span);
    g->alone = g->team == 1;
    g->end = g->cur + (g->alone ? 1 : (uint32_t)span);
    if (g->narrow > PATIENCE && g->active > 1) {
        merge_lists(g);
        g->active = 1;
    }
    call_in(g, g->team);
    g->reach = g->reach > g->cur ? g->reach : g->cur;
    g->came = g->busy = g->left = 0;
    g->phase++;
    return work * span;
}

/* After a phase of several threads: fewer buckets at once where many labels fell too late, more where few did. */
static void judge_span(engine *g)
{
    uint64_t done = 0, fallen = 0;
    for (int t = 0; t < g->active; t++) {
        done += g->workers[t].done;
        fallen += g->workers[t].fallen;
        g->workers[t].done = g->workers[t].fallen = 0;
    }
    const uint32_t span = g->end - g->cur;
    if (fallen * 2 > done)
        g->span = span > 1 ? span / 2 : 1;
    else if (fallen * 4 < done && g->span < SPAN_MOST)
        g->span *= 2;
}

/* Has a piece of work done by up to `team` threads. */
static void share(engine *g, nf__crew *crew, enum piece piece, int team, nf__crew_work work)
{
    g->piece = piece;
    g->cursor = 0;
    if (team > 1)
        nf__crew_share(crew, team, work, g);
    else
        work(g, 0);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A width for which the first bucket holds about rho of the far vertices, by the samples of the threads; 0: none. */
static double width_for(const engine *g)
{
    double all[SAMPLE_ALL], nearest = (double)INFINITY;
    uint32_t shown = 0;
    uint64_t count = 0;
    for (int t = 0; t < g->threads; t++) {
        const worker *k = &g->workers[t];
        const uint32_t room = SAMPLE_ALL - shown, take = k->shown < room ? k->shown : room;
        memcpy(all + shown, k->sample, take * sizeof *all);
        shown += take;
        count += k->far;
        nearest = k->far != 0 && k->nearest < nearest ? k->nearest : nearest;
    }
    if (shown == 0)
        return 0;
    qsort(all, shown, sizeof *all, by_size);
    const uint64_t some = count / PART, want = some < g->plan.rho ? some : g->plan.rho, at = want * shown / count;
    return fmax(all[at] - nearest, nearest / FINEST);
}

/* At most so many lists hold all that a worker has listed. */
static uint32_t lists_of(const engine *g, const worker *k)
{
    uint64_t entries = 0;
    for (uint32_t b = 0; b < g->plan.open; b++)
        for (uint32_t c = k->bins[b].head; c != NF__NO_CHUNK; c = g->pool.chunks[c].next)
            entries += g->pool.chunks[c].count;
    return entries < g->plan.open ? (uint32_t)entries : g->plan.open;
}

/* A number of bits by which the buckets can be made narrower; 0: they cannot. */
static unsigned bits_finer(const engine *g)
{
    const bool whole = g->row->type == NF_I64;
    const unsigned bits = whole && g->scale.shift < NARROWER ? g->scale.shift : NARROWER;
    return (uint64_t)(g->base + g->cur) << bits < (uint64_t)FINEST && g->scale.inverse < FINEST ? bits : 0;
}

/* Free chunks in equal parts to all threads; are they enough (I4)? Outside parallel regions. */
static bool share_stock(engine *g)
{
    nf__stock all = {NF__NO_CHUNK, 0};
    uint32_t need = 0;
    for (int t = 0; t < g->threads; t++) {
        worker *k = &g->workers[t];
        while (k->stock.count > 0)
            nf__chunk_release(&g->pool, &all, nf__stock_take(&g->pool, &k->stock));
        k->need = k->need < g->plan.open ? k->need : g->plan.open;
        need = k->need > need ? k->need : need;
    }
    const uint64_t total = all.count;
    for (int t = 0; all.count > 0; t = (t + 1) % g->threads)
        nf__chunk_release(&g->pool, &g->workers[t].stock, nf__stock_take(&g->pool, &all));
    return g->workers[g->threads - 1].stock.count >= need + 2 * READY && total * FREE_SHARE > g->pool.capacity;
}

#include "cpu/kind_i32.h"
#include "cpu/stepping_body.h"

#include "cpu/kind_i64.h"
#include "cpu/stepping_body.h"

#include "cpu/kind_f32.h"
#include "cpu/stepping_body.h"

#include "cpu/kind_f64.h"
#include "cpu/stepping_body.h"

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static nf_status run_kind(engine *g, bool small)
{
    open_bins(g);
    g->bound = nf__key_bound(g->run, g->row->type, small);
    nf__scale_make(g->run, small, g->plan.delta, &g->scale);
    g->fresh = g->scale;
    if (g->row->type == NF_I64)
        return small ? steps_k32(g) : steps_k64(g);
    return g->row->type == NF_F32 ? steps_f32(g) : steps_f64(g);
}

static void free_lists(engine *g)
{
    nf__pool_free(&g->pool);
    nf__free(g->once);
    nf__free(g->workers);
    nf__free(g->lists);
    nf__tight_free(&g->tight);
    g->once = NULL;
    g->workers = NULL;
    g->lists = NULL;
    g->tight = (nf__tight){NULL, NULL};
}

/* A row by plan.retreat; the first time it takes the place of the lists. What was done before it counts. */
static nf_status retreat_row(nf__run *run, nf__row *row, engine *g)
{
    nf_status st = NF_OK;
    const nf__algorithm *a = g->plan.retreat;
    const uint64_t steps = row->iterations, arcs = row->edges_relaxed;
    free_lists(g);
    run->scratch = g->other;
    if (g->other == NULL)
        NF_TRY(a->begin(run));
    NF_TRY(a->run(run, row));
    row->iterations += steps;
    row->edges_relaxed += arcs;
done:
    g->other = run->scratch;
    run->scratch = g;
    return st;
}

nf_status nf__step_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    engine *g = run->scratch;
    row->iterations = row->edges_relaxed = 0;
    if (g->retreat)
        return retreat_row(run, row, g);
    const bool small = row->type == NF_I64 && !g->wide && run->stats.weight_max < (double)UINT32_MAX;
    g->row = row;
    NF_TRY(run_kind(g, small));
    if (g->retreat)
        return retreat_row(run, row, g);
    if (small && g->hot) {
        g->wide = true;
        NF_TRY(run_kind(g, false));
        if (g->retreat)
            return retreat_row(run, row, g);
    } else if (small)
        nf__widen(run, row->dist);
    if (g->hot)
        NF_TRY(nf__recheck_sums(run, row));
    if (run->deterministic)
        NF_TRY(nf__tight_parents_shared(run, row, &g->tight));
    else if (row->parent != NULL && g->threads > 1)
        NF_TRY(nf__tree_parents(run, row));
done:
    return st;
}

nf_status nf__step_begin(nf__run *run, const nf__step_plan *plan)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    const uint64_t n = run->csr.n, worth = (n + run->csr.m) / PER_THREAD;
    const int most = nf__context_threads(run->ctx), threads = worth < 1                ? 1
                                                              : worth < (uint64_t)most ? (int)worth
                                                                                       : most;
    const uint32_t least = n / OPEN_SHARE > OPEN_LEAST ? (uint32_t)(n / OPEN_SHARE) : OPEN_LEAST;
    engine *g = NULL;
    NF_TRY_ALLOC(g, nf__zalloc(mem, 1, sizeof *g));
    run->scratch = g;
    g->run = run;
    g->plan = *plan;
    g->most = plan->open < least ? plan->open : least;
    g->threads = threads;
    g->many = n / COARSE_SHARE < COARSE_LEAST  ? COARSE_LEAST
              : n / COARSE_SHARE < COARSE_MOST ? n / COARSE_SHARE
                                               : COARSE_MOST;
    const double mean = run->stats.degree_mean, spread = run->stats.degree_deviation;
    g->heft = 4 + (uint64_t)fmin(HEFT_MOST, mean > 0 ? mean + spread * spread / mean : 0);
    g->many = plan->retreat != NULL ? g->many : UINT64_MAX;
    NF_TRY(nf__pool_create(mem, 2 * n / NF__CHUNK + 1 + 3 * READY * (uint64_t)threads, READY, &g->pool));
    NF_TRY_ALLOC(g->workers, nf__alloc(mem, (uint64_t)threads, sizeof *g->workers));
    NF_TRY_ALLOC(g->lists, nf__alloc(mem, (uint64_t)threads * g->most, sizeof *g->lists));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &g->tight));
done:
    return st;
}

void nf__step_end(nf__run *run)
{
    engine *g = run->scratch;
    if (g == NULL)
        return;
    free_lists(g);
    run->scratch = g->other;
    if (g->other != NULL)
        g->plan.retreat->end(run);
    nf__free(g);
    run->scratch = NULL;
}

double nf__step_delta(const nf__run *run, double factor, double degree)
{
    const double delta = factor * run->stats.weight_mean / (degree > 1 ? degree : 1);
    const double least = run->work_type == NF_I64 ? 1 : DBL_MIN;
    return delta > least && delta < DBL_MAX ? delta : least;
}
