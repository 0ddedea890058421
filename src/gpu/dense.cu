/* dense.cu - all pairs on the n x n matrix of the device, around a solver that closes it (dense.h).
 *
 * Invariants
 *   D1 no negative cycle: looked for first, by a run from all vertices at once, when there are negative weights;
 *   D2 integers: with B the most that n - 1 weights add up to: if B < NONE / 2, finite cells are within B and the
 *      others above NONE - B, negative weights or not. Without negative weights a 32-bit run is right even when B is
 *      larger, if NONE means unreached in the end: the least sums, cut off at NONE, are closed under min and +. It does
 *      if no arc leads from a finite cell of a row to NONE, and surely if the greatest finite cell and the greatest
 *      weight add up to less than NONE: the cell at the arc's end is no more than that. The same in 16 bits, one level
 *      below: they give way to 32 unless the second proof holds, since the first costs n m reads, of which a dense
 *      graph has as many as steps. No sum leaves a type: both operands are between -NONE / 2 and NONE.
 *      Cells may be floats: sums below 2^24 are exact, and no sum of such numbers that is not can be rounded to less.
 *      So what is said of NONE holds of 2^24, too, without negative weights, and 32 bits make it again else;
 *   D3 parents follow the solver (M4 of minplus.cuh): the walk to j by way of its parent is no longer than the cell. So
 *      with positive weights, and no rounding, they are trees. Elsewhere it is seen for each row: parents are nearer
 *      than their vertices, or else all lead to the row's own vertex. Rows that are no tree, and deterministic ones,
 *      are made again by the device's own choice for one source;
 *   D4 rows leave in bands, in the working type; the band is on the host before the next is made;
 *   D5 the flags of squares (minplus_lazy.cuh, L1 and L2) are set from the matrix before the solver begins;
 *   D6 floats that are whole multiples of a power of two, none negative, are counted in it: while sums have no more
 *      bits than a float's 24 or 53, which the proof of D2 says with 2^14, 2^24 and 2^30 - 1 in the place of NONE,
 *      additions of floats are exact, and so the counts are the floats, bit for bit. What does not fit is made again in
 *      floats.
 * Floats: sums are not left to right, so they differ from SSSP's by up to n rounding errors (NF_ALG_ROUNDED).
 * Cost: the solver's, and O(n^2) memory traffic; memory as DENSE_MEMORY says.
 */
#include "gpu/dense.h"

#include "gpu/courier.h"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

/* Without a proof beforehand 16 and 32 bits are tried when paths of so many arcs fit surely, in a graph that has half
 * of all arcs, or not. */
#define HOPEFUL_DENSE 2
#define HOPEFUL_ARCS 16
/* Whole numbers below are exact in floats of 32 bits, whose core is faster from so many vertices on. H200, ms of
 * integers': n = 2,048 1.32 of 1.36, 4,096 5.13 of 5.16, 8,192 35.9 of 36.2, 16,384 278 of 280. */
#define FLOAT_EXACT (1 << 24)
#define FLOAT_LEAST 4096u
/* Exponents of a grain (D6) whose multiples, up to the largest that are counted, are floats, and doubles. */
#define GRAIN_F32 126
#define GRAIN_F64 1022
#define COUNT_BITS 31 /* of a count, at most */
/* Of rows on their way to the host. */
#define BAND_BYTES (64ull << 20)

enum { ROW_TREE = 0, ROW_UNSURE = 1, ROW_BROKEN = 2 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define THREADS 256u

template <class Cell>
static __global__ void seed_parents(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, uint32_t *parents)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < pitch * pitch; i += step) {
        const uint64_t u = i / pitch, v = i % pitch;
        parents[i] = u < n && v < n && (u == v || cells[i] < limit) ? (uint32_t)u : NF_NO_VERTEX;
    }
}

/* Rounding may have left a diagonal a little below 0. */
template <class Cell> static __global__ void tidy_kernel(Cell *cells, uint64_t pitch, uint32_t n, uint32_t *parents)
{
    const uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    cells[v * pitch + v] = 0;
    if (parents != NULL)
        parents[v * pitch + v] = (uint32_t)v;
}

/* D2: an arc from a finite cell to none. A row of the matrix for each block in turn, its threads over the arcs. */
template <class Cell>
static __global__ void cut_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, device_csr g,
                                  const uint32_t *sources, unsigned *cut)
{
    for (uint64_t row = blockIdx.x; row < n; row += gridDim.x)
        for (uint64_t e = threadIdx.x; e < g.m; e += blockDim.x) {
            const uint32_t v = g.pairs != NULL ? g.pairs[e].x : g.adj[e];
            if (cells[row * pitch + sources[e]] < limit && !(cells[row * pitch + v] < limit))
                simt_store_relaxed(cut, 1u);
        }
}

/* D2: the greatest cell that is a path; none is negative. */
template <class Cell>
static __global__ void top_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, int32_t *top)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    int32_t most = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n * pitch; i += step)
        most = cells[i] < limit && cells[i] > most ? (int32_t)cells[i] : most;
    if (most > simt_load_relaxed(top))
        atomicMax(top, most);
}

/* A sum of floats at -infinity. */
template <class Cell>
static __global__ void sunk_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell bottom, uint32_t *at)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n * pitch; i += step)
        if (i % pitch < n && cells[i] == bottom)
            simt_store_relaxed(at, (uint32_t)(i % pitch));
}

/* D3: are all parents strictly nearer? A block a row. */
template <class Cell>
static __global__ void nearer_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, const uint32_t *parents,
                                     uint8_t *rows)
{
    const uint64_t row = blockIdx.x, at = row * pitch;
    int bad = 0;
    for (uint32_t v = threadIdx.x; v < n; v += blockDim.x) {
        const Cell mine = cells[at + v];
        if (v != row && mine < limit) {
            const uint32_t u = parents[at + v];
            bad |= u >= n || !(cells[at + u] < mine);
        }
    }
    bad = __syncthreads_or(bad);
    if (threadIdx.x == 0)
        rows[row] = bad != 0 ? ROW_UNSURE : ROW_TREE;
}

/* D3: do all parents lead to the row's vertex, in rows that are unsure? Each points on to its parent's parent; a ring
 * never gets there, and ceil(log2 n) turns are enough for a tree. A block a row, from `first` on; jump: n words each.
 */
template <class Cell>
static __global__ void tree_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, const uint32_t *parents,
                                   uint32_t first, uint32_t *jump, uint8_t *rows)
{
    const uint32_t row = first + blockIdx.x;
    int lost = 0;
    if (rows[row] != ROW_UNSURE)
        return;
    cells += row * pitch;
    parents += row * pitch;
    jump += (uint64_t)blockIdx.x * n;
    for (uint32_t v = threadIdx.x; v < n; v += blockDim.x) {
        const bool there = cells[v] < limit && v != row;
        lost |= there && parents[v] >= n;
        simt_store_relaxed(&jump[v], there && parents[v] < n ? parents[v] : row);
    }
    for (uint32_t reach = 1; reach < n; reach *= 2) {
        __syncthreads();
        for (uint32_t v = threadIdx.x; v < n; v += blockDim.x)
            simt_store_relaxed(&jump[v], simt_load_relaxed(&jump[simt_load_relaxed(&jump[v])]));
    }
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < n; v += blockDim.x)
        lost |= simt_load_relaxed(&jump[v]) != row;
    lost = __syncthreads_or(lost);
    if (threadIdx.x == 0)
        rows[row] = lost != 0 ? ROW_BROKEN : ROW_TREE;
}

/* D4: a band of rows as they are handed out; floats of integers times `unit` (D6). */
template <class Cell>
static __global__ void band_kernel(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, uint64_t many, nf_type to,
                                   double unit, void *out)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < many * n; i += step) {
        const Cell x = cells[i / n * pitch + i % n];
        if (to == NF_I64)
            static_cast<int64_t *>(out)[i] = x < limit ? (int64_t)x : NF_UNREACHED_I64;
        else if (to == NF_F32)
            static_cast<float *>(out)[i] = x < limit ? (float)((double)x * unit) : INFINITY;
        else
            static_cast<double *>(out)[i] = x < limit ? (double)x * unit : (double)INFINITY;
    }
}

template <class Cell>
static __global__ void band_parents(const Cell *cells, uint64_t pitch, uint32_t n, Cell limit, uint64_t many,
                                    const uint32_t *parents, uint32_t *out)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < many * n; i += step) {
        const uint64_t at = i / n * pitch + i % n;
        out[i] = cells[at] < limit ? parents[at] : NF_NO_VERTEX;
    }
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

double dense_reach(const nf__run *run)
{
    const double top = fmax(fabs(run->stats.weight_min), fabs(run->stats.weight_max));
    return run->csr.n > 1 ? top * (run->csr.n - 1) : top; /* a loop lies in a cell, even of one vertex */
}

/* D2: surely, or hopefully, within half of `none`, in units of 2^grain. */
static bool may_fit(const nf__run *run, int grain, int32_t none)
{
    const double n = run->csr.n, half = ldexp(none / 2, grain);
    const double arcs = (double)run->csr.m * 2 >= n * n ? HOPEFUL_DENSE : HOPEFUL_ARCS;
    return dense_reach(run) < half || (run->stats.weight_sign >= 0 && run->stats.weight_max * arcs < half);
}

nf_type dense_cell(const nf__run *run)
{
    return run->work_type != NF_I64 ? run->work_type : may_fit(run, 0, NONE_I32) ? NF_I32 : NF_I64;
}

static unsigned blocks_for(uint64_t items, unsigned threads)
{
    const unsigned blocks = device_grid(items, threads, 8);
    return blocks < 4096 ? blocks : 4096;
}

/* Cells of 16 bits to begin with? What is left out by the graph's sparsity gives way where they are asked for. */
static bool begin_narrow(const dense *s)
{
    const nf__run *run = s->run;
    if (!s->narrows || (run->work_type != NF_I64 && !s->counts) || run->want_parents)
        return false;
    const char *cells = nf__knob_choice(run, "cells"), *lazy = nf__knob_choice(run, "lazy");
    const bool asked = strcmp(cells, "16") == 0;
    if ((!asked && strcmp(cells, "auto") != 0)
        || (dense_lazy(run) != LAZY_NONE && !(asked && strcmp(lazy, "auto") == 0)))
        return false;
    return may_fit(run, s->grain, NONE_I16)
           || (asked && run->stats.weight_sign >= 0 && run->stats.weight_max < ldexp(NONE_I16, s->grain));
}

/* Counts of 32 bits below it are exact in the floats that they stand for, too (D6). */
static int32_t exact_counts(const dense *s)
{
    return s->run->work_type == NF_F32 ? FLOAT_EXACT : NONE_I32;
}

/* Counts in cells of 32 bits? Floats as wide are as fast; 64 bits are not. */
static bool begin_counts(const dense *s)
{
    const nf__run *run = s->run;
    const bool asked = strcmp(nf__knob_choice(run, "cells"), "32") == 0;
    return s->counts && (asked || run->work_type == NF_F64) && may_fit(run, s->grain, exact_counts(s));
}

/* D6: may cells be counts though distances are floats? */
static nf_status find_grain(dense *s)
{
    nf_status st = NF_OK;
    nf__run *run = s->run;
    const int most = run->work_type == NF_F32 ? GRAIN_F32 : GRAIN_F64;
    s->counts = false;
    s->grain = 0;
    if (!s->narrows || run->work_type == NF_I64 || run->stats.weight_sign < 0
        || strcmp(nf__knob_choice(run, "cells"), "float") == 0)
        return NF_OK;
    NF_TRY(device_graph_grain(run, &s->grain));
    s->counts = s->grain >= -most && s->grain + COUNT_BITS <= most;
    s->grain = s->counts ? s->grain : 0;
done:
    return st;
}

/* Integers in cells of floats to begin with? */
static bool begin_real(const dense *s)
{
    const nf__run *run = s->run;
    if (!s->narrows || run->work_type != NF_I64 || s->x.cell != NF_I32 || run->want_parents
        || run->stats.weight_sign < 0)
        return false;
    const char *cells = nf__knob_choice(run, "cells");
    if (strcmp(cells, "float") == 0)
        return run->stats.weight_max < FLOAT_EXACT;
    return strcmp(cells, "auto") == 0 && s->n >= FLOAT_LEAST && dense_lazy(run) == LAZY_NONE
           && may_fit(run, 0, 2 * FLOAT_EXACT);
}

static void shape(dense *s)
{
    s->x.lazy = s->x.narrow ? LAZY_NONE : dense_lazy(s->run);
    s->x.symmetric = dense_symmetric(s->run);
    s->x.d = s->d;
    s->x.positive = s->run->stats.weight_sign >= 0;
    s->x.follow = s->run->want_parents;
    minplus_shape(&s->x, s->n, s->form);
}

static uint64_t bytes_of(const nf__run *run, nf_type cell)
{
    minplus x = {};
    x.d = (device *)run->device;
    x.cell = cell;
    x.positive = run->stats.weight_sign >= 0;
    x.follow = run->want_parents;
    x.lazy = LAZY_TILE; /* at most */
    minplus_shape(&x, run->csr.n, -1);
    return minplus_bytes(&x, run->csr.n) + BAND_BYTES;
}

uint64_t dense_bytes(const nf__run *run)
{
    const nf_type cell = dense_cell(run);
    const bool again = cell == NF_I32 && dense_reach(run) >= NONE_I32 / 2; /* perhaps in 64 bits (D2) */
    return bytes_of(run, again ? NF_I64 : cell);
}

/* ---- the solution ------------------------------------------------------------------------------------------------ */

static void free_matrix(dense *s)
{
    device_free(s->d, s->x.m.values);
    device_free(s->d, s->x.parents);
    device_free(s->d, s->x.before);
    device_free(s->d, s->x.finite);
    device_free(s->d, s->x.skipped);
    s->x.m.values = NULL;
    s->x.finite = NULL;
    s->x.skipped = NULL;
    s->x.parents = s->x.before = NULL;
}

/* D5, and what is left out is counted. */
static nf_status prepare_lazily(dense *s)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    if (x->lazy == LAZY_NONE)
        return NF_OK;
    NF_TRY(device_alloc(s->d, 2, &x->skipped));
    NF_TRY(device_fill_bytes(s->d, x->skipped, 0, 2 * sizeof *x->skipped));
    if (x->lazy != LAZY_TILE)
        return NF_OK;
    NF_TRY(device_alloc(s->d, minplus_flags(x->m.rows, x->m.pitch), &x->finite));
    NF_TRY(minplus_set_flags(x, x->m.values, x->m.rows, x->m.pitch, x->pivot, x->finite));
done:
    return st;
}

template <class Cell> static nf_status fill_matrix(dense *s, Cell none)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    const unsigned threads = device_block(s->d, THREADS);
    uint64_t cells = 0;
    NF_TRY(device_foresee(s->d, minplus_bytes(x, s->n), "the matrix"));
    NF_TRY(device_graph_matrix(s->run, x->cell, &none, s->grain, x->tile, &x->m));
    cells = x->m.rows * x->m.pitch;
    if (s->run->want_parents) {
        NF_TRY(device_alloc(s->d, cells, &x->parents));
        NF_TRY(device_alloc(s->d, x->pivot * x->m.pitch, &x->before));
        NF_TRY_CUDA(s->d, SIMT_LAUNCH(seed_parents<Cell>, blocks_for(cells, threads), threads, 0, s->d->stream,
                                      static_cast<const Cell *>(x->m.values), x->m.pitch, s->n, none, x->parents));
    }
    NF_TRY(prepare_lazily(s));
done:
    return st;
}

static nf_status fill_narrow(dense *s)
{
    nf_status st = NF_OK;
    NF_TRY(device_foresee(s->d, minplus_bytes(&s->x, s->n), "the matrix"));
    NF_TRY(device_graph_matrix16(s->run, NONE_I16, s->grain, s->x.tile, &s->x.m));
done:
    return st;
}

nf_status dense_mark(dense *s, uint64_t done, uint64_t total)
{
    nf_status st = NF_OK;
    const unsigned side = (unsigned)(s->marks++ & 1);
    if (s->marks > 2)
        NF_TRY_CUDA(s->d, cudaEventSynchronize(s->reached[side]));
    NF_TRY_CUDA(s->d, cudaEventRecord(s->reached[side], s->d->stream));
    NF_TRY(nf__progress(s->run->ctx, s->phase, done, total));
done:
    return st;
}

template <class Cell> static nf_status tidy(dense *s)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(s->d, THREADS);
    Cell *const cells = static_cast<Cell *>(s->x.m.values);
    uint32_t *at = NULL, sunk = NF_NO_VERTEX;
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(tidy_kernel<Cell>, device_grid(s->n, threads, 1), threads, 0, s->d->stream, cells,
                                  s->x.m.pitch, s->n, s->x.parents));
    if (s->run->stats.weight_sign >= 0)
        return NF_OK;
    NF_TRY(device_alloc(s->d, 1, &at));
    NF_TRY(device_fill_bytes(s->d, at, 0xff, sizeof *at));
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(sunk_kernel<Cell>, blocks_for(s->n * s->x.m.pitch, threads), threads, 0, s->d->stream,
                                  cells, s->x.m.pitch, s->n, (Cell)-INFINITY, at));
    NF_TRY(device_download(s->d, &sunk, at, sizeof sunk));
    if (sunk != NF_NO_VERTEX)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance to vertex %llu is -infinity",
                        (unsigned long long)nf_graph_label(s->run->graph, sunk)));
done:
    device_free(s->d, at);
    return st;
}

static nf_status solve_once(dense *s, dense_solver solve)
{
    nf_status st = NF_OK;
    free_matrix(s);
    shape(s);
    switch (s->x.cell) {
    case NF_I32: NF_TRY(s->x.narrow ? fill_narrow(s) : fill_matrix<int32_t>(s, NONE_I32)); break;
    case NF_I64: NF_TRY(fill_matrix<int64_t>(s, NONE_I64)); break;
    case NF_F32: NF_TRY(fill_matrix<float>(s, INFINITY)); break;
    default: NF_TRY(fill_matrix<double>(s, (double)INFINITY)); break;
    }
    NF_TRY(device_start(s->run));
    s->marks = 0;
    NF_TRY(solve(s));
    if (s->x.cell == NF_F32)
        NF_TRY(tidy<float>(s));
    if (s->x.cell == NF_F64)
        NF_TRY(tidy<double>(s));
    NF_TRY(device_finish(s->d, s->phase, 0));
done:
    return st;
}

/* D2 */
template <class Cell> static nf_status find_cut(dense *s, bool *found)
{
    nf_status st = NF_OK;
    const device_graph *g = device_graph_of(s->run);
    const unsigned threads = device_block(s->d, THREADS);
    unsigned *cut = NULL, word = 0;
    NF_TRY(device_alloc(s->d, 1, &cut));
    NF_TRY(device_fill_bytes(s->d, cut, 0, sizeof *cut));
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(cut_kernel<Cell>, s->n < 4096 ? s->n : 4096, threads, 0, s->d->stream,
                                  static_cast<const Cell *>(s->x.m.values), s->x.m.pitch, s->n,
                                  limit_of(s->x.positive, Cell()), g->out, g->sources, cut));
    NF_TRY(device_download(s->d, &word, cut, sizeof word));
    *found = word != 0;
done:
    device_free(s->d, cut);
    return st;
}

/* D2, by the greatest cell: may a sum have been cut off at `none`, which so many bits bound? */
template <class Cell> static nf_status suspect_cut(dense *s, Cell none, unsigned bits, bool *cut)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(s->d, THREADS);
    int32_t *top = NULL, word = 0;
    NF_TRY(device_alloc(s->d, 1, &top));
    NF_TRY(device_fill_bytes(s->d, top, 0, sizeof *top));
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(top_kernel<Cell>, blocks_for(s->n * s->x.m.pitch, threads), threads, 0, s->d->stream,
                                  static_cast<const Cell *>(s->x.m.values), s->x.m.pitch, s->n, none, top));
    NF_TRY(device_download(s->d, &word, top, sizeof word));
    *cut = word + ldexp(s->run->stats.weight_max, -s->grain) >= none;
    if (*cut)
        nf__log(s->run->ctx, NF_LOG_DEBUG, "cells: paths of %d and weights of up to %g may leave %u bits", word,
                ldexp(s->run->stats.weight_max, -s->grain), bits);
done:
    device_free(s->d, top);
    return st;
}

/* Integers in 16 bits, or in floats, or 32 bits if those are not enough; or cells as they are. */
static nf_status solve_cells(dense *s, dense_solver solve)
{
    nf_status st = NF_OK;
    const double bound = dense_reach(s->run);
    bool real = false, cut = false;
    s->x.narrow = begin_narrow(s);
    real = !s->x.narrow && begin_real(s);
    if (real)
        s->x.cell = NF_F32;
    NF_TRY(solve_once(s, solve));
    if (s->x.narrow && bound >= NONE_I16 / 2)
        NF_TRY(suspect_cut<int16_t>(s, NONE_I16, 16, &cut));
    if (real && bound >= FLOAT_EXACT)
        NF_TRY(suspect_cut<float>(s, FLOAT_EXACT, 24, &cut));
    if (cut) {
        s->x.narrow = false;
        s->x.cell = NF_I32;
        NF_TRY(solve_once(s, solve));
    }
done:
    return st;
}

/* D6: floats by counts of 16 bits, of 32 if those are not enough; *done: so they were. */
static nf_status solve_counts(dense *s, dense_solver solve, bool *done)
{
    nf_status st = NF_OK;
    const double bound = ldexp(dense_reach(s->run), -s->grain);
    bool cut = true;
    s->x.cell = NF_I32;
    s->x.narrow = begin_narrow(s);
    if (s->x.narrow) {
        NF_TRY(solve_once(s, solve));
        cut = false;
        if (bound >= NONE_I16 / 2)
            NF_TRY(suspect_cut<int16_t>(s, NONE_I16, 16, &cut));
    }
    if (cut && begin_counts(s)) {
        s->x.narrow = cut = false;
        NF_TRY(solve_once(s, solve));
        if (bound >= exact_counts(s) / 2)
            NF_TRY(suspect_cut<int32_t>(s, exact_counts(s), s->run->work_type == NF_F32 ? 24 : 32, &cut));
    }
    *done = !cut;
done:
    return st;
}

static nf_status solve_matrix(dense *s, dense_solver solve)
{
    nf_status st = NF_OK;
    const double bound = dense_reach(s->run);
    bool cut = false, done = false;
    NF_TRY(find_grain(s));
    if (s->counts)
        NF_TRY(solve_counts(s, solve, &done));
    if (done)
        return NF_OK;
    s->counts = false;
    s->grain = 0;
    s->x.cell = dense_cell(s->run);
    if (s->run->work_type == NF_I64 && bound >= (double)(NONE_I64 / 2))
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 62 bits", s->n,
                        s->run->stats.weight_max));
    NF_TRY(solve_cells(s, solve));
    if (s->x.cell == NF_I32 && !s->x.narrow && bound >= NONE_I32 / 2) {
        NF_TRY(suspect_cut<int32_t>(s, NONE_I32, 32, &cut));
        if (cut)
            NF_TRY(find_cut<int32_t>(s, &cut));
        if (cut) {
            s->x.cell = NF_I64;
            NF_TRY(solve_once(s, solve));
        }
    }
    if (s->x.cell == NF_F32 && bound > 0x1p127)
        NF_TRY(find_cut<float>(s, &s->overflowed));
    if (s->x.cell == NF_F64 && bound > 0x1p1023)
        NF_TRY(find_cut<double>(s, &s->overflowed));
done:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Rows on their way out. */
typedef struct bands {
    uint64_t rows; /* in a band */
    void *dist;    /* on the device, in the working type */
    uint32_t *parent;
    uint8_t *verdicts; /* n: ROW_* */
    uint8_t *host_verdicts;
    courier post;
    guest again;     /* for rows that are no trees; not begun if there are none */
    unsigned broken; /* rows that were made again */
} bands;

static void free_bands(dense *s, bands *b)
{
    device_free(s->d, b->dist);
    device_free(s->d, b->parent);
    device_free(s->d, b->verdicts);
    nf__free(b->host_verdicts);
    courier_close(&b->post);
}

static nf_status make_bands(dense *s, bands *b)
{
    nf_status st = NF_OK;
    const uint64_t each = (uint64_t)s->n * (nf_type_size(s->run->work_type) + (s->run->want_parents ? 4 : 0));
    b->rows = BAND_BYTES / each < 1 ? 1 : BAND_BYTES / each < s->n ? BAND_BYTES / each : s->n;
    NF_TRY(device_alloc_bytes(s->d, b->rows * s->n, nf_type_size(s->run->work_type), &b->dist));
    NF_TRY(courier_open(&b->post, s->run, b->rows, false));
    if (!s->run->want_parents)
        goto done;
    NF_TRY(device_alloc(s->d, b->rows * s->n, &b->parent));
    NF_TRY(device_alloc(s->d, s->n, &b->verdicts));
    NF_TRY_ALLOC(b->host_verdicts, host_alloc<uint8_t>(s->d, s->n));
done:
    return st;
}

/* D3: which rows are trees. */
template <class Cell> static nf_status judge_rows(dense *s, bands *b)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(s->d, THREADS);
    const Cell *const cells = static_cast<const Cell *>(s->x.m.values), limit = limit_of(s->x.positive, Cell());
    const uint64_t pitch = s->x.m.pitch;
    const bool sure = (s->run->work_type == NF_I64 || s->counts) && s->run->stats.weight_min > 0;
    memset(b->host_verdicts, s->run->deterministic ? ROW_BROKEN : ROW_TREE, s->n);
    if (s->run->deterministic || sure)
        return NF_OK;
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(nearer_kernel<Cell>, s->n, threads, 0, s->d->stream, cells, pitch, s->n, limit,
                                  s->x.parents, b->verdicts));
    for (uint32_t i = 0; i < s->n; i += (uint32_t)b->rows) { /* the band's parents are not there yet: room to jump */
        const unsigned many = s->n - i < b->rows ? s->n - i : (unsigned)b->rows;
        NF_TRY_CUDA(s->d, SIMT_LAUNCH(tree_kernel<Cell>, many, threads, 0, s->d->stream, cells, pitch, s->n, limit,
                                      s->x.parents, i, b->parent, b->verdicts));
    }
    NF_TRY(device_download(s->d, b->host_verdicts, b->verdicts, s->n));
done:
    return st;
}

/* D4 */
template <class Cell> static nf_status bring_band(dense *s, bands *b, uint64_t first, uint64_t many)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(s->d, THREADS), blocks = blocks_for(many * s->n, threads);
    const Cell *const cells = static_cast<const Cell *>(s->x.m.values) + first * s->x.m.pitch;
    const Cell limit = limit_of(s->x.positive, Cell());
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(band_kernel<Cell>, blocks, threads, 0, s->d->stream, cells, s->x.m.pitch, s->n, limit,
                                  many, s->run->work_type, ldexp(1.0, s->grain), b->dist));
    if (!s->run->want_parents)
        goto done;
    NF_TRY_CUDA(s->d, SIMT_LAUNCH(band_parents<Cell>, blocks, threads, 0, s->d->stream, cells, s->x.m.pitch, s->n,
                                  limit, many, s->x.parents + first * s->x.m.pitch, b->parent));
done:
    return st;
}

static nf_status bring(dense *s, bands *b, uint64_t first, uint64_t many)
{
    switch (s->x.cell) {
    case NF_I32: return s->x.narrow ? bring_band<int16_t>(s, b, first, many) : bring_band<int32_t>(s, b, first, many);
    case NF_I64: return bring_band<int64_t>(s, b, first, many);
    case NF_F32: return bring_band<float>(s, b, first, many);
    default: return bring_band<double>(s, b, first, many);
    }
}

static nf_status judge(dense *s, bands *b)
{
    switch (s->x.cell) {
    case NF_I32: return judge_rows<int32_t>(s, b);
    case NF_I64: return judge_rows<int64_t>(s, b);
    case NF_F32: return judge_rows<float>(s, b);
    default: return judge_rows<double>(s, b);
    }
}

/* Who hands out a band. */
typedef struct herald {
    dense *s;
    bands *b;
} herald;

static nf_status tell_row(void *user, uint64_t i, nf__row *row)
{
    nf_status st = NF_OK;
    const herald *h = static_cast<const herald *>(user);
    const dense *s = h->s;
    (void)i;
    if (row->parent != NULL && h->b->host_verdicts[row->index] != ROW_TREE) {
        NF_TRY(turn_row(s->run, &h->b->again, row));
        h->b->broken++;
    }
    row->iterations = row->index == 0 ? s->iterations : 0; /* the work is shared: counted once, in the first row */
    row->edges_relaxed = row->index == 0 ? s->x.steps : 0;
    row->overflowed |= s->overflowed;
    row->rounded |= s->rounded;
done:
    return st;
}

static nf_status hand_out(dense *s, bands *b)
{
    nf_status st = NF_OK;
    herald h = {s, b};
    for (uint64_t i = 0; i < s->n; i += b->rows) {
        const rows_made made = {i, s->n - i < b->rows ? s->n - i : b->rows, b->dist, b->parent};
        NF_TRY(bring(s, b, i, made.count));
        NF_TRY(courier_deliver(&b->post, &made, "rows", tell_row, &h));
    }
done:
    return st;
}

/* The method for rows that are no trees, begun. */
static nf_status begin_again(dense *s, bands *b)
{
    nf__run *run = s->run;
    if (!run->want_parents || memchr(b->host_verdicts, ROW_BROKEN, s->n) == NULL)
        return NF_OK;
    return turn_begin(run, &b->again, turn_choose(run));
}

static nf_status hand_out_rows(dense *s, bands *b)
{
    nf_status st = NF_OK;
    if (s->run->want_parents)
        NF_TRY(judge(s, b));
    st = begin_again(s, b);
    if (st == NF_OK)
        st = hand_out(s, b);
    turn_finish(s->run, &b->again);
done:
    return st;
}

/* What the run was, for those who listen. */
static nf_status tell(dense *s, const bands *b)
{
    static const char *const ways[] = {"none", "op", "tile"};
    nf_status st = NF_OK;
    unsigned long long skipped[2] = {0, 0};
    if (s->x.skipped != NULL)
        NF_TRY(device_download(s->d, skipped, s->x.skipped, sizeof skipped));
    nf__log(s->run->ctx, NF_LOG_DEBUG,
            "matrix: side %llu, tile %u, pivot %u, deep %u, cells of %u bytes as %s, grain %d, %s, launches %llu, "
            "steps %llu, rows made again %u, lazy %s: skipped %llu among %llu",
            (unsigned long long)s->x.m.rows, s->x.tile, s->x.pivot, s->x.deep, minplus_width(&s->x),
            s->x.narrow ? "i16" : nf_type_name(s->x.cell), s->grain, s->x.symmetric ? "half of it" : "all of it",
            (unsigned long long)s->x.launches, (unsigned long long)s->x.steps, b->broken, ways[s->x.lazy], skipped[0],
            skipped[1]);
done:
    return st;
}

nf_status dense_run(nf__run *run, dense_solver solve, int form, bool narrows, const char *phase)
{
    nf_status st = NF_OK;
    dense s = {};
    bands b = {};
    s.run = run;
    s.d = (device *)run->device;
    s.n = run->csr.n;
    s.form = form;
    s.narrows = narrows;
    s.phase = phase;
    if (s.n == 0)
        return NF_OK;
    NF_TRY(device_enter(s.d));
    for (int i = 0; i < 2; i++)
        NF_TRY_CUDA(s.d, cudaEventCreateWithFlags(&s.reached[i], cudaEventDisableTiming));
    NF_TRY(turn_refuse_cycles(run, &s.rounded));
    NF_TRY(solve_matrix(&s, solve));
    NF_TRY(make_bands(&s, &b));
    NF_TRY(hand_out_rows(&s, &b));
    NF_TRY(tell(&s, &b));
done:
    free_bands(&s, &b);
    free_matrix(&s);
    for (int i = 0; i < 2; i++)
        if (s.reached[i] != NULL)
            (void)cudaEventDestroy(s.reached[i]);
    return st;
}

} /* namespace SIMT_FLAVOUR */
