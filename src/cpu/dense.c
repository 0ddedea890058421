/* dense.c - all pairs on the n x n matrix, around a solver that closes it; see dense.h.
 *
 * The matrix lies in the result where its cells fit there: n^2 cells of 4 bytes in the upper half of 8-byte results are
 * widened row by row, and never overtaken (D4).
 * Invariants
 *   D1 no negative cycle: looked for first, by Bellman-Ford from everywhere, when there are negative weights;
 *   D2 integers: "no path" is the cell's NONE, (2^30 - 1) or (2^62 - 1). With B the most that n - 1 weights add up to:
 *      if B < NONE / 2, finite cells are within B and the others above NONE - B, negative weights or not. Without
 *      negative weights a 32-bit run is right even when B is larger, if NONE means unreached in the end: the least
 *      sums, cut off at NONE, are closed under min and +. It does if no arc leads from a finite cell of a row to NONE;
 *   D3 parents: in integers from tight arcs (tight.h), or, if there are many arcs, by following the solver. A row whose
 *      parents are not a tree (zero cycles; sums of different bracketing) is made again: from tight arcs, in floats by
 *      Bellman-Ford;
 *   D4 cell x of the matrix begins at 4 n^2 + 4 x, cell x of the result at 8 x: x < n^2 is read before it is written
 *      over. What is before the matrix serves as scratch until rows are handed out.
 * Floats: sums are not left to right, so they differ from SSSP's by up to n rounding errors (NF_ALG_ROUNDED).
 * Cost: the solver's, O(n^2 + m), and with tight arcs O(n m), threads over rows; memory as NF__DENSE_MEMORY says.
 */
#include "cpu/dense.h"

#include <omp.h>

#include "cpu/bellman.h"
#include "cpu/cells.h"
#include "cpu/cpu.h"
#include "cpu/tight.h"

/* Without a proof beforehand 32 bits are tried when paths of so many arcs fit surely. */
#define HOPEFUL_ARCS 16

/* Chosen by auto, slices are as deep and as wide as its bar of memory lets them be: narrower ones first, down to
 * FEW_COLS, which cost little, then shallower ones. */
#define LEAST_DEPTH 32u
#define FEW_COLS 256u
#define LEAST_COLS 96u
/* Columns with which a tile is filled up, at most. */
#define EDGE 48u

typedef struct dense {
    nf__run *run;
    nf_vid n;
    nf_type cell;
    void *d; /* n * n cells */
    void *own_d;
    nf_vid *p; /* n * n, or NULL */
    nf_vid *own_p;
    bool follow;     /* the solver keeps p */
    bool rounded;    /* NF_INFO_ROUNDED, from the search for cycles */
    bool overflowed; /* some float sum was +infinity */
    uint64_t steps, iterations;
    nf__bellman bellman;
    nf__tight *tight; /* one a thread */
    int64_t *rows;    /* n a thread, for nf__tight_parents and is_tree, and n for `tight`; in the result or */
    int64_t *own_rows;
    int threads;
} dense;

static size_t at(const dense *x, nf_vid i)
{
    return (size_t)i * x->n;
}

static char *row_of(const dense *x, nf_vid i)
{
    return (char *)x->d + at(x, i) * nf_type_size(x->cell);
}

/* ---- the cells --------------------------------------------------------------------------------------------------- */

/* D2 */
static nf_type choose_cell(const nf__run *run)
{
    const double half = NF__NONE_I32 / 2;
    if (run->work_type != NF_I64)
        return run->work_type;
    const bool hopeful = run->stats.weight_sign >= 0 && run->stats.weight_max * HOPEFUL_ARCS < half;
    return nf__cells_reach(run) < half || hopeful ? NF_I32 : NF_I64;
}

/* Bytes before the matrix in the result, free for any use until rows are handed out (D4). */
static uint64_t room_before(const nf__run *run, nf_type cell)
{
    const size_t width = nf_type_size(cell), room = nf_type_size(run->out_type);
    return run->kept && room > width ? (uint64_t)run->csr.n * run->csr.n * (room - width) : 0;
}

/* What of a block does not fit into *room. */
static uint64_t outside(uint64_t *room, uint64_t bytes)
{
    if (bytes > *room)
        return bytes;
    *room -= bytes;
    return 0;
}

/* How much is packed at a time. */
typedef struct slices {
    uint64_t depth, cols;
} slices;

/* Bytes of the solver's slices, the search for cycles and parents that lie outside the result. */
static uint64_t bytes_outside(const nf__run *run, nf_type cell, slices s)
{
    const uint64_t n = run->csr.n, width = nf_type_size(cell), threads = (uint64_t)nf__context_threads(run->ctx);
    const uint64_t before = room_before(run, cell), lots = n / NF__LOT_ROWS + 1, team = threads < lots ? threads : lots;
    uint64_t room = before > 64 ? before - 64 : 0, bytes = 0; /* 64: to align */
    bytes += outside(&room, team * NF__LOT_ROWS * s.depth * width + 64);
    bytes += outside(&room, (s.cols + EDGE) * s.depth * width + 64);
    bytes += outside(&room, run->want_parents ? (s.cols + EDGE) * s.depth * sizeof(nf_vid) + 64 : 0);
    if (run->want_parents && (run->work_type == NF_I64 || run->deterministic) && before < 16 * n * threads + 64)
        bytes += 16 * n * threads;
    if (!run->kept || nf_type_size(run->out_type) < width)
        bytes += n * n * (width + (run->want_parents ? sizeof(nf_vid) : 0));
    return bytes + 12 * n;
}

/* The largest that keep to the bar of `auto`, or the least there are. */
static slices choose_slices(const nf__run *run, nf_type cell)
{
    slices s = {NF__DEPTH, run->csr.n};
    while (run->sparing && bytes_outside(run, cell, s) > nf__cpu_spare_bytes(run)) {
        if (s.cols > FEW_COLS || (s.depth == LEAST_DEPTH && s.cols > LEAST_COLS))
            s.cols = s.cols / 2 > LEAST_COLS ? s.cols / 2 : LEAST_COLS;
        else if (s.depth > LEAST_DEPTH)
            s.depth /= 2;
        else
            break;
    }
    return s;
}

uint64_t nf__dense_bytes(const nf__run *run)
{
    const nf_type cell = choose_cell(run);
    const bool again = cell == NF_I32 && nf__cells_reach(run) >= NF__NONE_I32 / 2; /* perhaps in 64 bits (D2) */
    const slices least = {LEAST_DEPTH, run->csr.n < LEAST_COLS ? run->csr.n : LEAST_COLS};
    const uint64_t once = bytes_outside(run, cell, least);
    const uint64_t twice = again ? bytes_outside(run, NF_I64, least) : 0;
    return once > twice ? once : twice;
}

/* The room before the matrix, aligned. */
static char *room_of(const dense *x, uint64_t *bytes)
{
    char *base = nf__run_place(x->run).dist;
    const uint64_t room = room_before(x->run, x->cell), skip = (64 - (uintptr_t)base % 64) % 64;
    *bytes = room > skip ? room - skip : 0;
    return *bytes > 0 ? base + skip : NULL;
}

static nf_status place_matrix(dense *x)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(x->run->ctx);
    const nf__place place = nf__run_place(x->run);
    const size_t width = nf_type_size(x->cell), room = nf_type_size(place.type), cells = (size_t)x->n * x->n;
    nf__free(x->own_d);
    x->own_d = NULL;
    if (place.dist != NULL && room >= width)
        x->d = (char *)place.dist + cells * (room - width);
    else {
        NF_TRY_ALLOC(x->own_d, nf__alloc(mem, x->n, x->n * width));
        x->d = x->own_d;
    }
    if (x->run->want_parents && x->p == NULL) {
        x->p = place.parents;
        if (x->p == NULL)
            NF_TRY_ALLOC(x->own_p, nf__alloc(mem, x->n, x->n * sizeof(nf_vid)));
        x->p = x->p != NULL ? x->p : x->own_p;
    }
done:
    return st;
}

static nf_status find_cut(const dense *x, bool *found)
{
    nf_status st = NF_OK; /* of the thread that called */
    bool cut = false, stop = false;
#pragma omp parallel for schedule(dynamic, 8) num_threads(x->threads) reduction(|| : cut)
    for (nf_vid i = 0; i < x->n; i++) {
        bool stopped;
        if (omp_get_thread_num() == 0 && (st = nf__progress(x->run->ctx, "proof", i, x->n)) != NF_OK) {
#pragma omp atomic write
            stop = true;
        }
#pragma omp atomic read
        stopped = stop;
        cut = cut || (!stopped && nf__cells_cut(x->run, x->cell, row_of(x, i)));
    }
    *found = cut;
    return st;
}

/* Row i in the working type; `to` may be its own place in the result (D4). */
static void read_row(const dense *x, nf_vid i, void *to)
{
    nf__cells_read(x->run, x->cell, row_of(x, i), to);
}

/* ---- the solution ------------------------------------------------------------------------------------------------ */

/* D1 */
static nf_status refuse_cycles(dense *x)
{
    nf_status st = NF_OK;
    void *potentials = NULL;
    if (x->run->stats.weight_sign >= 0)
        return NF_OK;
    NF_TRY_ALLOC(potentials, nf__alloc(nf__context_mem(x->run->ctx), x->n, nf_type_size(x->run->work_type)));
    nf__row row = {.type = x->run->work_type, .dist = potentials};
    NF_TRY(nf__bellman_row(x->run, &row, true, &x->bellman));
    x->rounded = row.rounded;
done:
    nf__free(potentials);
    return st;
}

/* Rounding may have left a diagonal a little below 0, or a sum at -infinity. */
static nf_status tidy(const dense *x)
{
    if (x->run->work_type == NF_I64)
        return NF_OK;
    for (nf_vid i = 0; i < x->n; i++) {
        if (x->cell == NF_F32)
            ((float *)x->d)[at(x, i) + i] = 0;
        else
            ((double *)x->d)[at(x, i) + i] = 0;
        if (x->p != NULL)
            x->p[at(x, i) + i] = i;
    }
    for (size_t k = 0; x->run->stats.weight_sign < 0 && k < at(x, x->n); k++)
        if (x->cell == NF_F32 ? ((const float *)x->d)[k] == -INFINITY : ((const double *)x->d)[k] == -(double)INFINITY)
            return nf__fail(NF_EOVERFLOW, "a distance to vertex %llu is -infinity",
                            (unsigned long long)nf_graph_label(x->run->graph, (nf_vid)(k % x->n)));
    return NF_OK;
}

static nf_status solve_once(dense *x, nf__dense_solver solve, const char *phase)
{
    nf_status st = NF_OK;
    nf__minplus core = {.ctx = x->run->ctx, .cell = x->cell, .n = x->n, .phase = phase};
    NF_TRY(place_matrix(x));
    const slices s = choose_slices(x->run, x->cell);
    core.depth = s.depth;
    core.cols = s.cols;
    core.room = room_of(x, &core.roomy);
    core.d = x->d;
    core.p = x->follow ? x->p : NULL;
    core.total = (uint64_t)x->n * x->n * x->n;
    NF_TRY(nf__minplus_create(&core, x->run->stats.weight_sign >= 0, nf__cells_vectors(x->run, x->cell)));
#pragma omp parallel for schedule(dynamic, 64) num_threads(x->threads)
    for (nf_vid i = 0; i < x->n; i++)
        nf__cells_fill(x->run, x->cell, i, row_of(x, i), x->follow ? x->p + at(x, i) : NULL);
    NF_TRY(solve(&core, &x->iterations));
    NF_TRY(tidy(x));
done:
    x->steps += core.steps;
    nf__minplus_free(&core);
    return st;
}

static nf_status solve_matrix(dense *x, nf__dense_solver solve, const char *phase)
{
    nf_status st = NF_OK;
    const double bound = nf__cells_reach(x->run);
    bool cut = false;
    x->cell = choose_cell(x->run);
    if (x->run->work_type == NF_I64 && bound >= (double)(NF__NONE_I64 / 2))
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 62 bits", x->n,
                        x->run->stats.weight_max));
    NF_TRY(solve_once(x, solve, phase));
    if (x->cell == NF_I32 && bound >= NF__NONE_I32 / 2) { /* D2 */
        NF_TRY(find_cut(x, &cut));
        x->cell = cut ? NF_I64 : NF_I32;
        if (cut)
            NF_TRY(solve_once(x, solve, phase));
    }
    if ((x->cell == NF_F32 && bound > 0x1p127) || (x->cell == NF_F64 && bound > 0x1p1023))
        NF_TRY(find_cut(x, &x->overflowed));
done:
    return st;
}

/* ---- parents ----------------------------------------------------------------------------------------------------- */

/* D3, by the thread that calls. In floats only what is tight already; the rest is seen to when the row is handed out.
 * */
static void make_parents(const dense *x, nf_vid i)
{
    const int me = omp_get_thread_num();
    const bool whole = x->run->work_type == NF_I64;
    nf_vid *parent = x->p + at(x, i);
    int64_t *dist = x->rows + (size_t)me * 2 * x->n;
    nf__row row = {.type = x->run->work_type, .dist = dist, .parent = parent, .sources = &i, .source_count = 1};
    if (whole && x->follow && nf__is_tree(parent, x->n, x->tight[me].queue))
        return;
    if (whole)
        read_row(x, i, dist);
    else
        row.dist = row_of(x, i);
    for (nf_vid j = 0; whole && j < x->n; j++)
        parent[j] = dist[j] == NF_UNREACHED_I64 ? NF_NO_VERTEX : i;
    nf__tight_parents(x->run, &row, NULL, &x->tight[me]);
}

static nf_status make_all_parents(dense *x)
{
    nf_status st = NF_OK;
    bool stop = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(x->threads)
    for (nf_vid i = 0; i < x->n; i++) {
        bool stopped;
        if (omp_get_thread_num() == 0 && (st = nf__progress(x->run->ctx, "parents", i, x->n)) != NF_OK) {
#pragma omp atomic write
            stop = true;
        }
#pragma omp atomic read
        stopped = stop;
        if (!stopped)
            make_parents(x, i);
    }
    return st;
}

static nf_status create_parents(dense *x)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(x->run->ctx);
    if (!x->run->want_parents || (x->run->work_type != NF_I64 && !x->run->deterministic))
        return NF_OK;
    const uint64_t each = 2 * (uint64_t)x->n;
    uint64_t roomy = 0;
    char *room = room_of(x, &roomy);
    x->rows = (int64_t *)(void *)room;
    if (roomy < (uint64_t)x->threads * each * sizeof(int64_t)) {
        NF_TRY_ALLOC(x->own_rows, nf__alloc(mem, (uint64_t)x->threads * each, sizeof *x->rows));
        x->rows = x->own_rows;
    }
    NF_TRY_ALLOC(x->tight, nf__zalloc(mem, (uint64_t)x->threads, sizeof *x->tight));
    for (int t = 0; t < x->threads; t++) {
        nf_vid *more = (nf_vid *)(void *)(x->rows + (uint64_t)t * each + x->n);
        x->tight[t] = (nf__tight){.hops = more, .queue = more + x->n};
    }
done:
    return st;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static nf_status hand_out_row(dense *x, nf_vid i)
{
    nf_status st = NF_OK;
    nf__row row;
    NF_TRY(nf__progress(x->run->ctx, "rows", i, x->n));
    NF_TRY(nf__row_begin(x->run, i, &row));
    read_row(x, i, row.dist);
    if (row.parent != NULL && row.parent != x->p + at(x, i))
        memcpy(row.parent, x->p + at(x, i), x->n * sizeof(nf_vid));
    if (row.parent != NULL && x->run->work_type != NF_I64 && !nf__is_tree(row.parent, x->n, x->bellman.mark)) {
        NF_TRY(nf__bellman_row(x->run, &row, false, &x->bellman));
        if (x->run->deterministic)
            nf__tight_parents(x->run, &row, NULL, &x->tight[0]);
    }
    row.iterations = i == 0 ? x->iterations : 0; /* the work is shared: counted once, in the first row */
    row.edges_relaxed = i == 0 ? x->steps : 0;
    row.overflowed |= x->overflowed;
    row.rounded |= x->rounded;
    NF_TRY(nf__row_end(x->run, &row));
done:
    return st;
}

static void free_dense(dense *x)
{
    nf__free(x->tight);
    nf__free(x->own_rows);
    nf__free(x->own_d);
    nf__free(x->own_p);
    nf__bellman_free(&x->bellman);
}

nf_status nf__dense_run(nf__run *run, nf__dense_solver solve, const char *phase)
{
    nf_status st = NF_OK;
    dense x = {.run = run, .n = run->csr.n, .threads = nf__context_threads(run->ctx)};
    x.follow = nf__cells_follow(run);
    NF_TRY(nf__bellman_create(nf__context_mem(run->ctx), x.n, &x.bellman));
    NF_TRY(refuse_cycles(&x));
    NF_TRY(solve_matrix(&x, solve, phase));
    NF_TRY(create_parents(&x));
    if (x.tight != NULL)
        NF_TRY(make_all_parents(&x));
    for (nf_vid i = 0; i < x.n; i++)
        NF_TRY(hand_out_row(&x, i));
done:
    free_dense(&x);
    return st;
}
