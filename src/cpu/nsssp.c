/* nsssp.c - one-to-all runs from every vertex, threads over sources.
 *
 * Method: each thread takes the next source and runs alone, with its own scratch: a bucket queue (Dial 1969; Denardo,
 * Fox 1979) of lists through the vertices, first in first out, label-correcting inside a bucket; breadth first without
 * weights. Arcs are packed (target, weight) side by side once, labels are 32 bits wide where n - 1 weights fit.
 * Invariants
 *   S1 an unlisted label has been relaxed since it fell; listed ones are in the bucket of their label;
 *   S2 no label in a later bucket is below one in the current bucket, and all are less than a ring of buckets ahead: a
 *      sum exceeds its label by 2 weights at most, rounding included;
 *   S3 a parent is written when a label falls; weights >= 0 and falls that are strict make the parents a tree;
 *   S4 with weights of 1 a first label is final;
 *   S5 several sources share a run, a lane each, as long as that pays (lanes.h).
 * Labels are minima of left-to-right sums, so floats are exact, too (not with potentials). A thread stops when the one
 * that called sees a cancel.
 * Cost: about n (n + m) steps, over the threads; memory as NF__NSSSP_MEMORY says.
 */
#include "cpu/nsssp.h"

#include <omp.h>

#include "cpu/lanes.h"
#include "cpu/minplus_kernels.h"
#include "cpu/tight.h"

/* Bucket width: so many mean weights, shared among the arcs of a mean vertex: 3 % of the vertices are settled twice on
 * a uniform graph of degree 32. */
#define WIDTH_FACTOR 4.0
#define MOST_BUCKETS 4096
/* Settled vertices between looks at the stop flag. */
#define POLL_EVERY 1024
/* Rows a thread makes before they are handed out. */
#define ROWS_A_THREAD 16
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

typedef struct team {
    nf__run *run;
    const void *potentials;
    bool hops, narrow, rounded; /* breadth first; 32-bit labels for 64-bit rows */
    void *arcs;
    nf_vid buckets; /* a power of two */
    double scale;   /* buckets per unit of distance */
    double cutoff;
    const nf__lane_kernel *kernel; /* NULL: one source at a time */
    bool gave_up;                  /* lanes were no gain */
    worker *workers;
    int threads;
    nf__row *rows; /* of a batch */
    nf_vid *ids;
    bool *bad;
    char *dist; /* of a batch, when rows are not made in place */
    nf_vid *parents;
    nf_vid batch;
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
    width = fmax(width, 2 * top / (MOST_BUCKETS - 4));
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

static nf_status pack_all_arcs(team *t)
{
    nf_status st = NF_OK;
    const nf_csr *c = &t->run->csr;
    double sum = 0, top = 0;
    bool ok = true;
    t->buckets = 4;
    if (t->hops)
        return NF_OK;
    NF_TRY_ALLOC(t->arcs, nf__alloc(nf__context_mem(t->run->ctx), c->m, arc_size(t)));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(nf__threads_for(t->run->ctx, c->m)) \
    reduction(+ : sum) reduction(max : top) reduction(&& : ok)
    for (nf_vid u = 0; u < c->n; u++)
        ok = BY_LABEL(t, pack_arcs)(t, u, &sum, &top) && ok;
    if (!ok)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a reduced weight is not finite"));
    choose_buckets(t, c->m > 0 ? sum / (double)c->m : 0, top);
done:
    return st;
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

static nf_status create_workers(team *t)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(t->run->ctx);
    const uint64_t n = t->run->csr.n, links = n + t->buckets;
    const size_t width = t->narrow ? 4 : nf_type_size(t->run->work_type);
    NF_TRY_ALLOC(t->workers, nf__zalloc(mem, (uint64_t)t->threads, sizeof *t->workers));
    for (int i = 0; i < t->threads; i++) {
        worker *k = &t->workers[i];
        NF_TRY_ALLOC(k->labels, nf__alloc(mem, n, width));
        NF_TRY_ALLOC(k->next, nf__alloc(mem, links, sizeof(nf_vid)));
        NF_TRY_ALLOC(k->prev, nf__alloc(mem, t->hops ? 0 : links, sizeof(nf_vid)));
        if (t->kernel != NULL) {
            NF_TRY_ALLOC(k->lanes, nf__alloc(mem, n, 64));
            NF_TRY_ALLOC(k->listed, nf__alloc(mem, n, 1));
        }
        if (t->run->deterministic)
            NF_TRY(nf__tight_create(mem, (nf_vid)n, &k->tight));
    }
done:
    return st;
}

static nf_status create_batch(team *t)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(t->run->ctx);
    const nf__place place = nf__run_place(t->run);
    const nf_vid n = t->run->csr.n;
    const bool in_place = place.dist != NULL && place.type == t->run->work_type;
    t->batch = (nf_vid)t->threads * (in_place ? 4 : 1) * ROWS_A_THREAD;
    t->batch = t->batch < n ? t->batch : n;
    NF_TRY_ALLOC(t->rows, nf__alloc(mem, t->batch, sizeof *t->rows));
    NF_TRY_ALLOC(t->ids, nf__alloc(mem, t->batch, sizeof *t->ids));
    NF_TRY_ALLOC(t->bad, nf__alloc(mem, t->batch, sizeof *t->bad));
    if (!in_place)
        NF_TRY_ALLOC(t->dist, nf__alloc(mem, t->batch, n * nf_type_size(t->run->work_type)));
    if (!in_place && t->run->want_parents)
        NF_TRY_ALLOC(t->parents, nf__alloc(mem, t->batch, n * sizeof(nf_vid)));
done:
    return st;
}

static void free_team(team *t)
{
    for (int i = 0; t->workers != NULL && i < t->threads; i++) {
        nf__free(t->workers[i].labels);
        nf__free(t->workers[i].next);
        nf__free(t->workers[i].prev);
        nf__free(t->workers[i].lanes);
        nf__free(t->workers[i].listed);
        nf__tight_free(&t->workers[i].tight);
    }
    nf__free(t->workers);
    nf__free(t->arcs);
    nf__free(t->rows);
    nf__free(t->ids);
    nf__free(t->bad);
    nf__free(t->dist);
    nf__free(t->parents);
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
    if (t->kernel != NULL && !gave_up) {
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
    const size_t n = t->run->csr.n, width = nf_type_size(t->run->work_type);
    for (nf_vid i = 0; i < count; i++) {
        nf__row *made = &t->rows[i], row = *made;
        if (t->bad[i])
            NF_TRY(nf__fail(NF_EOVERFLOW, "a distance from vertex %llu is not finite",
                            (unsigned long long)nf_graph_label(t->run->graph, t->ids[i])));
        if (t->dist != NULL) {
            NF_TRY(nf__row_begin(t->run, made->index, &row));
            memcpy(row.dist, made->dist, n * width);
            if (row.parent != NULL && made->parent != NULL)
                memcpy(row.parent, made->parent, n * sizeof(nf_vid));
            row.iterations = made->iterations;
            row.edges_relaxed = made->edges_relaxed;
            row.overflowed = made->overflowed;
            row.rounded = made->rounded;
        }
        NF_TRY(nf__row_end(t->run, &row));
    }
done:
    return st;
}

static nf_status run_batches(team *t)
{
    nf_status st = NF_OK;
    const nf_vid n = t->run->csr.n, step = t->kernel != NULL ? t->kernel->lanes : 1;
    for (nf_vid first = (nf_vid)t->run->first_row; first < n; first += t->batch) {
        const nf_vid count = n - first < t->batch ? n - first : t->batch;
        NF_TRY(nf__progress(t->run->ctx, t->run->algorithm->info.name, first, n));
        NF_TRY(begin_batch(t, first, count));
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->threads)
        for (nf_vid i = 0; i < count; i += step)
            make_rows(t, i, count - i < step ? count - i : step);
        NF_TRY(t->st);
        NF_TRY(end_batch(t, count));
    }
done:
    return st;
}

nf_status nf__nsssp_run(nf__run *run, const void *potentials, bool rounded)
{
    nf_status st = NF_OK;
    team t = {.run = run, .potentials = potentials, .rounded = rounded, .cutoff = (double)INFINITY};
    /* reduced weights and sums: a weight and two potentials, each at most n - 1 weights */
    const double top = fmax(fabs(run->stats.weight_min), fabs(run->stats.weight_max));
    const double bound = (potentials != NULL ? 4.0 : 1.0) * top * run->csr.n;
    t.hops = run->csr.weight_type == NF_NONE && run->csr.n <= MOST_HOPS;
    t.narrow = run->work_type == NF_I64 && bound < NF__NONE_I32 / 2;
    t.threads = nf__context_threads(run->ctx);
    t.threads = (nf_vid)t.threads < run->csr.n ? t.threads : (int)run->csr.n;
    if (run->has_cutoff && potentials == NULL)
        t.cutoff = run->work_type == NF_I64 ? (double)run->cutoff_int : run->cutoff_real;
    if (run->csr.n == 0)
        return NF_OK;
    if (run->work_type == NF_I64 && bound >= 0x1p61)
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 61 bits", run->csr.n, top));
    choose_kernel(&t, bound);
    NF_TRY(pack_all_arcs(&t));
    NF_TRY(create_workers(&t));
    NF_TRY(create_batch(&t));
    NF_TRY(run_batches(&t));
done:
    free_team(&t);
    return st;
}
