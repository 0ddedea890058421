/* path_dijkstra.c - between two vertices by weights >= 0: Dijkstra's algorithm from both ends, or from one.
 *
 * Pohl, "Bi-directional search", Machine Intelligence 6, 1971. Side 0 goes from the source, side 1 against the arcs
 * from the target; the side with fewer vertices waiting does its next bucket. Whenever a label meets a label of the
 * other side, their sum is the length of a way; `best` is the least of them. Labels of a side are final in ascending
 * order, so the search ends when those still to come, done[0] + done[1], add up to `best` or more. A bucket is 2^shift
 * keys wide and is done again until no label falls into it (as in delta-stepping); so the vertices of a bucket are
 * known beforehand, and what they need is fetched ahead. Buckets wait in the queue of digits.h. As in stepping.c the
 * arcs of a batch of vertices are fetched while those of the batch before are looked through without branches; only
 * those that would lower a label, the candidates, are then dealt with.
 *
 * Invariants: S1, S2 of search.h, and
 *   D1 side i has relaxed the arcs of every vertex with a label below done[i], but for D2; such labels are final;
 *   D2 integers: a vertex is left out where its label and the least that can be left of the way, min(label of the
 *      other side, done of the other side), are not below `best`. On a way shorter than every one found no vertex is
 *      left out: by induction along the way its labels are final on both sides where they are below `done`, so that
 *      minimum does not exceed what is left of it;
 *   D3 floats: labels of side 0 are left-to-right sums, rounded as nf_sssp rounds them, and nothing is left out;
 *      labels of side 1 are sums of max(0, w - 3 half), half being half a unit in the last place of `guess`. One
 *      rounded addition loses or gains at most half a unit, and never makes a sum smaller than it was. On side 0 it may
 *      lose one half, and on side 1 the subtraction and the addition may gain one each, so what D2 calls the least that
 *      can be left bounds from below what any way from v to the target adds to a sum that ends at or below `guess`;
 *   D4 integers above 0: the way to a vertex with an exact label is read off the labels, as every arc that makes up the
 *      difference comes from one with an exact label. Elsewhere parents are kept where a way is read: on side 0, and
 *      with zeros on both. Labels fall by strict improvements only, so parents form trees; and `best` does, so the two
 *      chains from where the sides met have no other vertex in common: it would have had both labels first, with no
 *      larger sum;
 *   D5 what a side deals with at a time comes from labels made before, so no way has more arcs than there were deals;
 *   D6 a long search on two threads or more gives each side one. A side writes its own labels alone; it writes those of
 *      a deal, then a fence, then looks for the other's: of two sides that label a vertex one at least sees both, and
 *      has seen to `best` before it raises its `done`. Whoever reads a `done` sees the labels below it, so D1, D2 and
 *      the end hold whatever is read late: `done` too low, a label or `best` too high only leave less out. D4 holds as
 *      labels are released and acquired;
 *   D7 nothing is allocated by two threads: before a bucket and before a batch a side sees to the free chunks that it
 *      may open. Lacking them both leave, the caller makes room, and they go on where they were.
 * Floats go on after the sides have met: side 0 alone, now leaving out every vertex that lies on no way as short as the
 * one found, until the target's label is final. So the answer is the least left-to-right sum, exactly. If the way found
 * is longer than `guess`, nothing is left out.
 * Cost: as delta-stepping on the vertices seen; 8 n bytes (16 n in 64 bits), 4 n for parents from one end and of
 * floats, 8 n with zeros; 4.2 to 11 a vertex listed and 256 to 660 a bucket in use, of which there are n / 64 at most,
 * or 22 digits of 3 bits; 20 KB; on two threads a free chunk for each list, 4 n in all at most. A vertex may be listed
 * more than once in the bucket at work, as often as its label falls there.
 */
#include <omp.h>

#include "cpu/cpu.h"
#include "cpu/crew.h"
#include "cpu/key.h"
#include "cpu/search.h"
#include "cpu/stepping.h"

/* Vertices settled before each side gets a thread of its own: 0.2 ms of work. It owns a free chunk for each list then,
 * and there are OWN_SHARE vertices for each of those. */
#define SHARE_FROM 4096u
#define OWN_SHARE 128u
#define POLL_EVERY 64u /* batches between two looks at the cancel flag */
#define BATCH 32u      /* vertices whose arcs are on their way while those of BATCH others are scanned */
#define ARCS 256u      /* or fewer, once they have so many arcs */
#define STRIP 256u     /* arcs scanned between two looks at the room for candidates */
#define CANDS 512u     /* room for candidates, at least 2 * STRIP */
/* guess = GUESS * mean weight * sqrt(n): ways across a road network or a mesh are shorter. Too low, and side 0 gets no
 * help from side 1; too high, and `half` weakens its labels: at NY's size it is 0.5 for f32 and a mean weight of 1293.
 * */
#define GUESS 16.0
/* Buckets are as wide as delta-stepping's, factor * mean weight / degree. The mean says little where few weights are so
 * far above it: buckets are then single keys. */
#define WIDTH_FACTOR 8.0
#define UNEVEN 256.0
/* A digit has so many bits at least, but no more than leave LIST_SHARE vertices for each list: in the worst case every
 * list holds a chunk of 256 bytes. */
#define LEAST_BITS 6u
#define FEWEST_BITS 3u
#define LIST_SHARE 64u

/* What a side counts and says. */
typedef struct tally {
    uint64_t waiting;          /* vertices listed */
    uint64_t settled, relaxed; /* vertices and arcs */
    uint64_t deals;            /* D5 */
    uint32_t need;             /* chunks it must own before it goes on */
    bool full;                 /* it does not, and the pool is used up */
    bool hot;                  /* some label was above top */
    bool overflowed;
    nf_status failure; /* of the queue, or a cancel */
    char apart[64];    /* keeps two threads off one cache line */
} tally;

typedef struct quest {
    nf__run *run;
    nf__row *row;
    nf__search *s;
    nf_csr csr[2];
    const void *weights[2]; /* integers */
    nf_eid mask;            /* of arc numbers into them: 0 for unweighted graphs */
    uint64_t top;           /* integers: the largest label that any weight can be added to */
    bool both;              /* from both ends */
    bool alone;             /* one thread does both sides */
    unsigned shift, bits;   /* of a bucket, of a digit */
    double guess, half;     /* D3 */
    double less;            /* three times half */
    float less_f32;
    uint64_t bound; /* labels above it do not matter */
    nf_vid meet;
    int over, leave; /* the search is over; both threads are to leave (D7) */
    tally tally[2];
} quest;

/* Does the side own the chunks that a spread, or so many arcs, may open (D7)? At most one list each is not full. */
static bool has_chunks(quest *q, unsigned side, uint64_t arcs)
{
    nf__digits *queue = &q->s->queue[side];
    tally *t = &q->tally[side];
    t->need = ((uint32_t)queue->count << queue->bits) + (uint32_t)(arcs / NF__CHUNK) + NF__DIGIT_READY;
    t->full = queue->stock.count < t->need && !nf__stock_refill(&queue->pool, &queue->stock, t->need);
    return !t->full;
}

/* Vertices of the bucket at work whose arcs have been asked for. */
typedef struct batch {
    uint32_t count;
    nf_vid u[BATCH];
    nf_eid arcs;
    nf_eid from[BATCH], end[BATCH];
} batch;

/* x + w as nf_sssp rounds it on side 0, bounded from below on side 1 (D3). */
static inline uint32_t sum_f32(const quest *q, unsigned side, uint32_t key, nf_eid e)
{
    const float w = nf__weight_f32(&q->csr[side], e), less = w - q->less_f32;
    return nf__key_f32(nf__f32_of(key) + (side == 0 ? w : less > 0 ? less : 0));
}

static inline uint64_t sum_f64(const quest *q, unsigned side, uint64_t key, nf_eid e)
{
    const double w = nf__weight_f64(&q->csr[side], e), less = w - q->less;
    return nf__key_f64(nf__f64_of(key) + (side == 0 ? w : less > 0 ? less : 0));
}

#define NO_LABEL ((K) ~(K)0) /* S1 */

#define TOTAL uint64_t
#define TOTAL_MOST UINT64_MAX
#define VALUE(k) ((uint64_t)(k))
#define EXACT 1
#define SUM(q, side, k, e) ((K)((k) + ((const uint32_t *)(q)->weights[side])[(e) & (q)->mask]))
#include "cpu/kind_i32.h"
#include "cpu/path_body.h"
#include "cpu/kind_i64.h"
#include "cpu/path_body.h"
#undef TOTAL
#undef TOTAL_MOST
#undef VALUE
#undef EXACT
#undef SUM

#define EXACT 0
#define TOTAL double
#define TOTAL_MOST ((double)INFINITY)
#define VALUE(k) KREAL(k)
#define SUM(q, side, k, e) KNAME(sum)(q, side, k, e)
#include "cpu/kind_f32.h"
#include "cpu/path_body.h"
#include "cpu/kind_f64.h"
#include "cpu/path_body.h"

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Half a unit in the last place of x. */
static double half_unit(double x, bool single)
{
    int exponent = 0;
    (void)frexp(x, &exponent);
    return ldexp(1, exponent - (single ? 25 : 54));
}

/* Are there `share` vertices for each list? */
static bool has_room(const quest *q, unsigned bits, unsigned share)
{
    const bool wide = q->run->work_type == NF_F64 || q->run->stats.weight_max >= (double)UINT32_MAX;
    const unsigned key_bits = (wide || q->shift > 31 ? 64 : 32) - q->shift;
    return ((uint64_t)(key_bits - 1) / bits + 1) << bits <= q->run->csr.n / share;
}

/* Keys are numbers, or bits of floats: those near guess / GUESS grow by `unit`. */
static void choose_buckets(quest *q)
{
    const nf_graph_stats *t = &q->run->stats;
    const double degree =
        t->degree_mean > 1 ? t->degree_mean + t->degree_deviation * t->degree_deviation / t->degree_mean : 1;
    const nf_type type = q->run->work_type;
    const double unit = type == NF_I64 ? 1 : 2 * half_unit(q->guess / GUESS, type == NF_F32);
    const double width = t->weight_max > UNEVEN * t->weight_mean ? unit : nf__step_delta(q->run, WIDTH_FACTOR, degree);
    q->shift = 0;
    while (q->shift < 62 && ldexp(unit, (int)q->shift + 1) <= width)
        q->shift++;
    q->bits = FEWEST_BITS;
    while (q->bits < NF__DIGIT_MOST && has_room(q, q->bits + 1, LIST_SHARE)
           && (q->bits < LEAST_BITS || ldexp(unit, (int)(q->bits + q->shift)) <= t->weight_max))
        q->bits++;
}

/* Sums so large that those of side 1 might be infinite where those of side 0 are not are made from one end. */
static void measure(quest *q)
{
    const nf__run *run = q->run;
    const double n = run->csr.n, most = run->stats.weight_max * n;
    const bool single = run->work_type == NF_F32;
    q->guess = GUESS * run->stats.weight_mean * sqrt(n);
    q->both = q->both && (run->work_type == NF_I64 || most < (single ? (double)FLT_MAX : DBL_MAX) / 4);
    q->half = half_unit(q->guess, single);
    q->less = 3 * q->half;
    q->less_f32 = (float)q->less;
    q->bound = nf__key_bound(run, run->work_type, false);
    choose_buckets(q);
}

static nf_status run_kind(quest *q, bool small, bool *hot)
{
    nf__scale scale;
    nf_status st = NF_OK;
    const unsigned shift = q->shift;
    nf__scale_make(q->run, small, 1, &scale);
    q->shift = (small || q->run->work_type == NF_F32) && shift > 31 ? 31 : shift; /* keys of 32 bits */
    q->top = scale.top;
    q->mask = scale.mask;
    q->weights[0] = scale.weights;
    q->weights[1] = scale.mask != 0 ? q->csr[1].weights : scale.weights;
    q->meet = NF_NO_VERTEX;
    q->over = 0;
    q->alone = nf__context_threads(q->run->ctx) < 2 || !has_room(q, q->bits, OWN_SHARE);
    memset(q->tally, 0, sizeof q->tally);
    if (q->run->work_type != NF_I64)
        st = q->run->work_type == NF_F32 ? search_f32(q) : search_f64(q);
    else
        st = small ? search_k32(q) : search_k64(q);
    q->shift = shift;
    q->row->iterations = q->tally[0].settled + q->tally[1].settled;
    q->row->edges_relaxed = q->tally[0].relaxed + q->tally[1].relaxed;
    q->row->overflowed = q->tally[0].overflowed || q->tally[1].overflowed;
    *hot = q->tally[0].hot || q->tally[1].hot;
    return st;
}

static nf_status run_search(nf__run *run, nf__row *row, bool both)
{
    nf_status st = NF_OK;
    quest q = {.run = run, .row = row, .both = both, .csr = {run->csr, run->csr}};
    const bool small = run->work_type == NF_I64 && run->stats.weight_max < (double)UINT32_MAX;
    measure(&q);
    if (q.both)
        NF_TRY(nf__search_transpose(run, &q.csr[1]));
    bool hot = false;
    st = run_kind(&q, small, &hot);
    if (st == NF_OK && small && hot)
        st = run_kind(&q, false, &hot);
    NF_TRY(st);
    if (hot)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance on the way leaves 64 bits"));
    if (!both)
        nf__search_note(run, row->edges_relaxed);
done:
    return st;
}

static nf_status run_both(nf__run *run, nf__row *row)
{
    return run_search(run, row, true);
}

static nf_status run_one(nf__run *run, nf__row *row)
{
    return run_search(run, row, false);
}

#define MEMORY " + 11 a vertex listed and 660 a bucket in use, at most, + 20,000; labels of 64 bits: + 8 n"

const nf__algorithm nf__cpu_path_bidirectional = {
    .info = {.name = "bidirectional",
             .problem = NF_PATH,
             .device = "cpu",
             .summary = "Dijkstra's algorithm from both ends, in buckets, a thread for each",
             .paper = "Pohl 1971; Meyer, Sanders 2003",
             .memory = "8 n" MEMORY
                       "; floats: + 4 n; weights of 0: + 8 n; two threads: + 5 n; and the transpose of directed graphs",
             .flags = NF_ALG_TRANSPOSE},
    .run = run_both,
};

const nf__algorithm nf__cpu_path_one_way = {
    .info = {.name = "one-way",
             .problem = NF_PATH,
             .device = "cpu",
             .summary = "Dijkstra's algorithm from the source until the target is settled, in buckets, one thread",
             .paper = "Dijkstra 1959; Meyer, Sanders 2003",
             .memory = "12 n" MEMORY},
    .run = run_one,
};
