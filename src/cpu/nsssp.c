/* nsssp.c - one-to-all runs from every vertex, threads over sources.
 *
 * Method: each thread takes the next source and runs alone, with its own scratch: a bucket queue (Dial 1969; Denardo,
 * Fox 1979) of lists through the vertices, first in first out, label-correcting inside a bucket; breadth first without
 * weights. Arcs are packed (target, weight) side by side once where there is room, labels are 32 bits wide where n - 1
 * weights fit.
 * Invariants
 *   S1 an unlisted label has been relaxed since it fell; listed ones are in the bucket of their label;
 *   S2 no label in a later bucket is below one in the current bucket, and all are less than a ring of buckets ahead: a
 *      sum exceeds its label by 2 weights at most, rounding included;
 *   S3 a parent is written when a label falls; weights >= 0 and falls that are strict make the parents a tree;
 *   S4 with weights of 1 a first label is final;
 *   S5 several sources share a run, a lane each, as long as that pays (lanes.h);
 *   S6 chosen by auto, rows that stay in the result are made in stages: all but the last ones with all threads,
 *      lanes and packed arcs, in scratch that lies where the last ones will be; these in the same way as long as that
 *      pays, then with what half the graph's bytes and 16 n hold: fewer threads, no lanes, the graph's own arcs. Other
 *      rows are all made so.
 * Labels are minima of left-to-right sums, so floats are exact, too (not with potentials). A thread stops when the one
 * that called sees a cancel.
 * Cost: about n (n + m) steps, over the threads; memory as NF__NSSSP_MEMORY says.
 */
#include "cpu/nsssp.h"

#include <omp.h>

#include "cpu/cpu.h"
#include "cpu/lanes.h"
#include "cpu/minplus_kernels.h"
#include "cpu/tight.h"

/* Bucket width: so many mean weights, shared among the arcs of a mean vertex: 3 % of the vertices are settled twice on
 * a uniform graph of degree 32. */
#define WIDTH_FACTOR 4.0
#define MOST_BUCKETS 4096
#define LEAST_BUCKETS 64
/* Settled vertices between looks at the stop flag. */
#define POLL_EVERY 1024
/* Rows a thread makes before they are handed out; four times as many where they are made in place. */
#define ROWS_A_THREAD 16
/* What lanes gain (2 on a uniform graph of 4,096 vertices and degree 32, 8 on a kronecker one of 512), and packed arcs
 * (0 to 12 %). */
#define LANES_GAIN 3.0
#define PACKED_GAIN 1.1
/* Visits a vertex may take in a run of 16 lanes before lanes are given up for one source at a time. 6.4 visits
 * (uniform, degree 32) cost half of 16 single runs, 11.6 (a grid) six tenths. */
#define LANES_WORTH 16
/* Hops up to here are exact in f32. */
#define MOST_HOPS (1u << 24)

typedef struct worker {
    void *labels;        /* n */
    nf_vid *next, *prev; /* n + buckets; next[v] = NF_NO_VERTEX: not listed */
    void *lanes;         /* 64 n bytes, and */
    uint8_t *listed;     /* n, for lanes.h */
    nf__tight tight;
} worker;

/* How the rows of a stage are made. */
typedef struct plan {
    int threads;
    bool lanes, packed;
    nf_vid batch; /* rows */
} plan;

typedef struct team {
    nf__run *run;
    const void *potentials;
    bool hops, narrow, rounded; /* breadth first; 32-bit labels for 64-bit rows */
    bool native;                /* the graph's own weights are of the labels' type */
    void *packed;               /* arcs of that type, or NULL */
    nf__strided arcs;           /* as the runs of the stage read them */
    nf_vid buckets;             /* a power of two */
    double scale;               /* buckets per unit of distance */
    double cutoff;
    const nf__lane_kernel *kernel; /* NULL: one source at a time */
    bool gave_up;                  /* lanes were no gain */
    bool in_place;                 /* rows are made where they stay */
    plan plan;                     /* of the stage, and what it needs: */
    worker *workers;
    nf__row *rows; /* of a batch */
    nf_vid *ids;
    bool *bad;
    char *dist; /* of a batch, when rows are not made in place */
    nf_vid *parents;
    bool stop;
    nf_status st; /* of the thread that called */
} team;

/* Whether to stop; the calling thread asks, the others look. */
static bool must_stop(team *t, uint64_t done)
{
    bool stop;
    if (omp_get_thread_num() == 0) {
        const nf_status st = nf__progress(t->run->ctx, t->run->algorithm->info.name, done, t->run->csr.n);
        if (st != NF_OK) {
            t->st = st;
#pragma omp atomic write
            t->stop = true;
        }
    }
#pragma omp atomic read
    stop = t->stop;
    return stop;
}

#define BUCKET(t, d) ((uint64_t)((double)(d) * (t)->scale))

#define D int32_t
#define NAME(x) x##_i32
#define NONE INT32_MAX
#define WORK int64_t
#define WORK_NONE NF_UNREACHED_I64
#define WEIGHT nf__weight_i64
#include "cpu/nsssp_body.h"
#undef D
#undef NAME
#undef NONE

#define D int64_t
#define NAME(x) x##_i64
#define NONE NF_UNREACHED_I64
#include "cpu/nsssp_body.h"
#undef D
#undef NAME
#undef NONE
#undef WORK
#undef WORK_NONE
#undef WEIGHT

#define D float
#define NAME(x) x##_f32
#define NONE INFINITY
#define WORK float
#define WORK_NONE INFINITY
#define WEIGHT nf__weight_f32
#include "cpu/nsssp_body.h"
#undef D
#undef NAME
#undef NONE
#undef WORK
#undef WORK_NONE
#undef WEIGHT

#define D double
#define NAME(x) x##_f64
#define NONE ((double)INFINITY)
#define WORK double
#define WORK_NONE ((double)INFINITY)
#define WEIGHT nf__weight_f64
#include "cpu/nsssp_body.h"
#undef D
#undef NAME
#undef NONE
#undef WORK
#undef WORK_NONE
#undef WEIGHT

#define BY_LABEL(t, f)                         \
    ((t)->run->work_type == NF_F32   ? f##_f32 \
     : (t)->run->work_type == NF_F64 ? f##_f64 \
     : (t)->narrow                   ? f##_i32 \
                                     : f##_i64)

/* ---- the arcs and the buckets ------------------------------------------------------------------------------------ */

static void choose_buckets(team *t, double mean, double top)
{
    const double degree = fmax(1, t->run->stats.degree_mean);
    double width = WIDTH_FACTOR * mean / degree;
    const bool whole = t->run->work_type == NF_I64;
    nf_vid most = LEAST_BUCKETS;
    while (most < MOST_BUCKETS && most * 8 <= t->run->csr.n) /* buckets take no more than 2 n bytes */
        most *= 2;
    width = fmax(width, 2 * top / (most - 4));
    width = fmax(width, whole ? 1 : 1e-290); /* the scale stays finite */
    t->scale = 1 / width;
    for (t->buckets = 4; t->buckets < 2 * top * t->scale + 4;) /* S2 */
        t->buckets *= 2;
}

static size_t arc_size(const team *t)
{
    return t->run->work_type == NF_F64 || (t->run->work_type == NF_I64 && !t->narrow) ? sizeof(arc_i64)
                                                                                      : sizeof(arc_i32);
}

/* Looks at all arcs, and packs them if there is a place for that; false if a weight is not finite. */
static bool pack_all_arcs(team *t, double *sum_of, double *top_of)
{
    const nf_csr *c = &t->run->csr;
    double sum = 0, top = 0;
    bool ok = true;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(nf__threads_for(t->run->ctx, c->m)) \
    reduction(+ : sum) reduction(max : top) reduction(&& : ok)
    for (nf_vid u = 0; u < c->n; u++)
        ok = BY_LABEL(t, pack_arcs)(t, u, &sum, &top) && ok;
    *sum_of = sum;
    *top_of = top;
    return ok;
}

static nf_status measure_arcs(team *t)
{
    const double m = (double)t->run->csr.m;
    double sum, top;
    t->buckets = 4;
    if (t->hops)
        return NF_OK;
    if (!pack_all_arcs(t, &sum, &top))
        return nf__fail(NF_EOVERFLOW, "a reduced weight is not finite");
    choose_buckets(t, m > 0 ? sum / m : 0, top);
    return NF_OK;
}

/* Lanes need sums that stay away from "no path", and a run without a cutoff to prune it. */
static void choose_kernel(team *t, double bound)
{
    const nf_type work = t->run->work_type;
    const double most = work == NF_F32 ? 0x1p126 : work == NF_F64 ? 0x1p1022 : 0x1p60;
    if (!t->hops && t->cutoff == (double)INFINITY && bound < most)
        t->kernel = nf__lane_kernel_for(t->narrow ? NF_I32 : work, NULL);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The next block of a stage's scratch; `at` counts bytes whether there is a base or not. */
static void *carve(char *base, uint64_t *at, uint64_t count, uint64_t size)
{
    char *block = base != NULL ? base + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return block;
}

static void lay_out_worker(const team *t, worker *k, char *base, uint64_t *at)
{
    const uint64_t n = t->run->csr.n, links = n + t->buckets;
    const size_t width = t->narrow ? 4 : nf_type_size(t->run->work_type);
    worker w = {.labels = carve(base, at, n, width)};
    w.next = carve(base, at, links, sizeof(nf_vid));
    w.prev = carve(base, at, t->hops ? 0 : links, sizeof(nf_vid));
    w.lanes = carve(base, at, t->plan.lanes ? n : 0, 64);
    w.listed = carve(base, at, t->plan.lanes ? n : 0, 1);
    w.tight.hops = carve(base, at, t->run->deterministic ? n : 0, sizeof(nf_vid));
    w.tight.queue = carve(base, at, t->run->deterministic ? n : 0, sizeof(nf_vid));
    if (k != NULL)
        *k = w;
}

/* Lays the scratch of the plan out from `base` on, which is aligned to 64 bytes or NULL; the bytes it takes. */
static uint64_t lay_out(team *t, char *base)
{
    const plan *p = &t->plan;
    const uint64_t n = t->run->csr.n, batch = p->batch;
    uint64_t at = 0;
    t->workers = carve(base, &at, (uint64_t)p->threads, sizeof *t->workers);
    for (int i = 0; i < p->threads; i++)
        lay_out_worker(t, t->workers != NULL ? &t->workers[i] : NULL, base, &at);
    t->rows = carve(base, &at, batch, sizeof *t->rows);
    t->ids = carve(base, &at, batch, sizeof *t->ids);
    t->bad = carve(base, &at, batch, sizeof *t->bad);
    t->packed = carve(base, &at, p->packed ? t->run->csr.m : 0, arc_size(t));
    const bool direct = t->in_place || batch == 1; /* one row at a time can be made where it is handed out from */
    t->dist = direct ? NULL : carve(base, &at, batch, n * nf_type_size(t->run->work_type));
    t->parents = direct || !t->run->want_parents ? NULL : carve(base, &at, batch, n * sizeof(nf_vid));
    if (!p->packed)
        t->packed = NULL;
    t->arcs = BY_LABEL(t, arcs_of)(t);
    return at;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static double speed_of(const plan *p)
{
    return p->threads * (p->lanes ? LANES_GAIN : 1) * (p->packed ? PACKED_GAIN : 1);
}

/* Plan number i of PLANS for so many threads; false if there is none. The last is the least. */
#define PLANS 6

static bool plan_of(const team *t, int i, int threads, plan *p)
{
    const unsigned rows = i == PLANS - 1 ? 1 : ROWS_A_THREAD * (t->in_place && i < 3 ? 4 : 1);
    *p = (plan){.threads = threads, .lanes = i < 2 || i == 3, .packed = (i == 0 || i == 2) && !t->hops};
    p->batch = (nf_vid)threads * rows < t->run->csr.n ? (nf_vid)threads * rows : t->run->csr.n;
    return !p->lanes || (t->kernel != NULL && (p->packed || t->native));
}

static int most_threads(const team *t)
{
    const int threads = nf__context_threads(t->run->ctx);
    return (nf_vid)threads < t->run->csr.n ? threads : (int)t->run->csr.n;
}

/* The fastest plan for `rows` rows with scratch in the place of the last of them, which `last` then makes; *kept is how
 * many these are. False if `last` alone is better. */
static bool plan_first(team *t, const plan *last, uint64_t rows, plan *best, uint64_t *kept)
{
    const uint64_t row = (uint64_t)t->run->csr.n * nf_type_size(t->run->out_type);
    double least = (double)rows / speed_of(last);
    bool found = false;
    for (int i = 0; i < PLANS - 1; i++)
        for (int threads = most_threads(t); threads > 0; threads--) {
            if (!plan_of(t, i, threads, &t->plan))
                break;
            const uint64_t keep = (lay_out(t, NULL) + 63) / row + 1; /* 63: to align */
            const double time =
                keep < rows ? (double)(rows - keep) / speed_of(&t->plan) + (double)keep / speed_of(last) : least;
            if (time >= least)
                continue;
            least = time;
            *best = t->plan;
            *kept = keep;
            found = true;
        }
    return found;
}

/* The fastest plan whose scratch takes no more than `room`; the least one if none does. */
static plan plan_within(team *t, uint64_t room)
{
    plan best = {.threads = 1, .batch = 1};
    for (int i = 0; i < PLANS; i++)
        for (int threads = most_threads(t); threads > 0; threads--)
            if (plan_of(t, i, threads, &t->plan) && speed_of(&t->plan) > speed_of(&best) && lay_out(t, NULL) <= room)
                best = t->plan;
    return best;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Stores the labels of row i of the batch. */
static void finish_row(team *t, const worker *k, nf_vid i)
{
    nf__row *row = &t->rows[i];
    t->bad[i] = !BY_LABEL(t, store)(t, k, row);
    row->rounded = t->rounded;
    if (t->run->deterministic)
        nf__tight_parents(t->run, row, NULL, &k->tight);
}

static void make_row(team *t, nf_vid i)
{
    const worker *k = &t->workers[omp_get_thread_num()];
    nf__row *row = &t->rows[i];
    if (must_stop(t, row->index))
        return;
    if (t->hops)
        BY_LABEL(t, search_hops)(t, k, row);
    else
        BY_LABEL(t, search)(t, k, row);
    finish_row(t, k, i);
}

static bool stop_lanes(void *team_of)
{
    team *t = team_of;
    return must_stop(t, t->rows[0].index);
}

static void take_lane(const team *t, const worker *k, unsigned lane)
{
    switch (t->run->work_type) {
    case NF_F32: take_lane_f32(t, k, lane, INFINITY); break;
    case NF_F64: take_lane_f64(t, k, lane, (double)INFINITY); break;
    default:
        if (t->narrow)
            take_lane_i32(t, k, lane, NF__NONE_I32);
        else
            take_lane_i64(t, k, lane, NF__NONE_I64);
    }
}

/* Rows i .. i+count-1 of the batch in the lanes of one run; false if it gave up or was stopped. */
static bool make_rows_in_lanes(team *t, nf_vid i, unsigned count)
{
    const worker *k = &t->workers[omp_get_thread_num()];
    const nf_vid n = t->run->csr.n;
    nf_vid *parents[64 / sizeof(int32_t)];
    nf__lanes x = {&t->run->csr, t->arcs, k->lanes, k->next, k->listed, t->ids[i], count, NULL, stop_lanes, t, 0, 0, 0};
    x.most = (uint64_t)n * t->kernel->lanes * LANES_WORTH / 16;
    for (unsigned l = 0; t->run->want_parents && l < count; l++) {
        parents[l] = t->rows[i + l].parent;
        for (nf_vid v = 0; v < n; v++)
            parents[l][v] = NF_NO_VERTEX;
        parents[l][t->ids[i + l]] = t->ids[i + l];
        x.parents = parents;
    }
    if (!t->kernel->run(&x))
        return false;
    for (unsigned l = 0; l < count; l++) {
        t->rows[i + l].iterations = l == 0 ? x.settled : 0;
        t->rows[i + l].edges_relaxed = l == 0 ? x.relaxed : 0;
        take_lane(t, k, l);
        finish_row(t, k, i + l);
    }
    return true;
}

/* Rows i .. i+count-1 of the batch. */
static void make_rows(team *t, nf_vid i, unsigned count)
{
    bool gave_up;
#pragma omp atomic read
    gave_up = t->gave_up;
    if (t->plan.lanes && !gave_up) {
        if (make_rows_in_lanes(t, i, count))
            return;
#pragma omp atomic write
        t->gave_up = true;
    }
    for (unsigned l = 0; l < count; l++)
        make_row(t, i + l);
}

static nf_status begin_batch(team *t, nf_vid first, nf_vid count)
{
    nf_status st = NF_OK;
    const size_t n = t->run->csr.n, width = nf_type_size(t->run->work_type);
    for (nf_vid i = 0; i < count; i++) {
        NF_TRY(nf__row_begin(t->run, first + i, &t->rows[i]));
        t->ids[i] = first + i;
        t->rows[i].sources = &t->ids[i];
        if (t->dist != NULL)
            t->rows[i].dist = t->dist + i * n * width;
        if (t->parents != NULL)
            t->rows[i].parent = t->parents + i * n;
        else if (t->dist != NULL)
            t->rows[i].parent = NULL;
    }
done:
    return st;
}

static nf_status end_batch(team *t, nf_vid count)
{
    nf_status st = NF_OK;
    nf_vid good = 0;
    while (good < count && !t->bad[good])
        good++;
    NF_TRY(nf__rows_end(t->run, t->rows, good));
    if (good < count)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance from vertex %llu is not finite",
                        (unsigned long long)nf_graph_label(t->run->graph, t->ids[good])));
done:
    return st;
}

/* Rows first .. last-1 by the plan, with scratch at `base`. */
static nf_status run_stage(team *t, char *base, uint64_t first, uint64_t last)
{
    nf_status st = NF_OK;
    const nf_vid step = t->plan.lanes ? t->kernel->lanes : 1;
    double sum, top;
    lay_out(t, base);
    if (t->plan.packed)
        (void)pack_all_arcs(t, &sum, &top); /* they were found to be finite */
    for (; first < last; first += t->plan.batch) {
        const nf_vid count = (nf_vid)(last - first < t->plan.batch ? last - first : t->plan.batch);
        NF_TRY(nf__progress(t->run->ctx, t->run->algorithm->info.name, first, t->run->csr.n));
        NF_TRY(begin_batch(t, (nf_vid)first, count));
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->plan.threads)
        for (nf_vid i = 0; i < count; i += step)
            make_rows(t, i, count - i < step ? count - i : step);
        NF_TRY(t->st);
        NF_TRY(end_batch(t, count));
    }
done:
    return st;
}

/* What the last stage may take: what auto's bar leaves beside potentials and the row that is being converted. */
static uint64_t room_to_spare(const team *t)
{
    const nf__run *run = t->run;
    const uint64_t spare = nf__cpu_spare_bytes(run), row = run->csr.n * (uint64_t)nf_type_size(run->work_type);
    const uint64_t taken = (t->potentials != NULL ? row : 0) + (run->out_type != run->work_type ? row : 0);
    if (!run->sparing || run->file != NULL)
        return UINT64_MAX;
    return spare > taken ? spare - taken : 0;
}

/* S6 */
static nf_status run_stages(team *t)
{
    nf_status st = NF_OK;
    nf__run *run = t->run;
    char *scratch = NULL;
    const uint64_t n = run->csr.n, row = n * nf_type_size(run->out_type);
    uint64_t first = run->first_row, kept = 0;
    const plan last = plan_within(t, room_to_spare(t));
    plan before;
    while (run->kept && plan_first(t, &last, n - first, &before, &kept)) {
        char *base = (char *)nf__run_place(run).dist + (n - kept) * row;
        t->plan = before;
        NF_TRY(run_stage(t, base + (64 - (uintptr_t)base % 64) % 64, first, n - kept));
        first = n - kept;
    }
    t->plan = last;
    NF_TRY_ALLOC(scratch, nf__alloc(nf__context_mem(run->ctx), lay_out(t, NULL), 1));
    NF_TRY(run_stage(t, scratch, first, n));
done:
    nf__free(scratch);
    return st;
}

/* Weights that are read as labels without any change: integers as they are where sums fit 31 bits. */
static bool is_native(const nf__run *run, bool narrow)
{
    const nf_type w = run->csr.weight_type;
    return narrow ? w == NF_I32 || w == NF_U32 : w == run->work_type;
}

nf_status nf__nsssp_run(nf__run *run, const void *potentials, bool rounded)
{
    nf_status st = NF_OK;
    team t = {.run = run, .potentials = potentials, .rounded = rounded, .cutoff = (double)INFINITY};
    /* reduced weights and sums: a weight and two potentials, each at most n - 1 weights */
    const double top = fmax(fabs(run->stats.weight_min), fabs(run->stats.weight_max));
    const double bound = (potentials != NULL ? 4.0 : 1.0) * top * run->csr.n;
    const nf__place place = nf__run_place(run);
    t.hops = run->csr.weight_type == NF_NONE && run->csr.n <= MOST_HOPS;
    t.narrow = run->work_type == NF_I64 && bound < NF__NONE_I32 / 2;
    t.native = potentials == NULL && is_native(run, t.narrow);
    t.in_place = place.dist != NULL && place.type == run->work_type;
    if (run->has_cutoff && potentials == NULL)
        t.cutoff = run->work_type == NF_I64 ? (double)run->cutoff_int : run->cutoff_real;
    if (run->csr.n == 0)
        return NF_OK;
    if (run->work_type == NF_I64 && bound >= 0x1p61)
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 61 bits", run->csr.n, top));
    choose_kernel(&t, bound);
    NF_TRY(measure_arcs(&t));
    NF_TRY(run_stages(&t));
done:
    return st;
}
