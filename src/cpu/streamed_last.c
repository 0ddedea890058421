/* streamed_last.c - the last stage: closed tiles become rows of the result, with parents and in the type asked for.
 *
 * Invariants
 *   L1 cells become distances as in dense.c (D2), a row is tidied and its parents made or mended as in dense.c (D3);
 *   L2 rows that an earlier run has handed out to the file are read, checked and counted, not made again.
 * Cost: O(n^2 + m), with parents from tight arcs O(n m), threads over the rows of a tile; memory: a tile of cells, one
 * of the result and one of parents, and 16 n a thread for parents.
 */
#include <omp.h>

#include "cpu/cells.h"
#include "cpu/streamed.h"

static nf_vid tile_first(const nf__streamed *x)
{
    return x->tile * x->store.journal.head.tile;
}

static char *cells_of(const nf__streamed *x, nf_vid r)
{
    return x->cells + (size_t)r * x->run->csr.n * nf_type_size(x->cell);
}

static nf_vid *parents_of(const nf__streamed *x, nf_vid r)
{
    return x->parents != NULL ? x->parents + (size_t)r * x->run->csr.n : NULL;
}

/* ---- rows to the file -------------------------------------------------------------------------------------------- */

static nf_status take_row(nf__run *run, const nf__row *row, const void *distances)
{
    nf_status st = NF_OK;
    nf__streamed *x = run->taker;
    nf__store *s = &x->store;
    const nf_vid n = run->csr.n, r = (nf_vid)row->index - tile_first(x);
    const size_t width = (size_t)n * nf_type_size(x->type);
    memcpy(x->out + r * width, distances, width);
    if (row->parent != NULL)
        memcpy(parents_of(x, r), row->parent, n * sizeof(nf_vid));
    s->journal.flags |= row->overflowed ? NF__STREAMED_OVERFLOWED : 0;
    if (r + 1 < nf__store_rows(s, x->tile))
        return NF_OK;
    NF_TRY(nf__store_reserve(s, s->journal.head.last, x->tile, 1));
    NF_TRY(nf__store_write(s, s->journal.head.last, x->tile, x->out, x->parents));
    x->tile++;
done:
    return st;
}

nf_status nf__streamed_take_rows(nf__streamed *x)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(x->run->ctx);
    const nf__journal_head *h = &x->store.journal.head;
    const uint64_t height = h->tile < h->n ? h->tile : h->n;
    if (x->run->want_parents)
        NF_TRY_ALLOC(x->parents, nf__alloc(mem, height, (size_t)h->n * sizeof(nf_vid)));
    if (x->run->file == NULL)
        return NF_OK;
    NF_TRY_ALLOC(x->out, nf__alloc(mem, height, (size_t)h->n * nf_type_size(x->type)));
    x->run->taker = x;
    x->run->take = take_row;
done:
    return st;
}

nf_status nf__streamed_count_known(nf__streamed *x)
{
    nf_status st = NF_OK;
    nf__store *s = &x->store;
    const uint32_t last = s->journal.head.last, known = s->journal.stage == last ? s->journal.done : 0;
    for (x->tile = 0; x->tile < known; x->tile++) { /* L2 */
        NF_TRY(nf__progress(x->run->ctx, "check", x->tile, known));
        if (x->tile + 1 < known)
            nf__store_expect(s, last, x->tile + 1);
        NF_TRY(nf__store_read(s, last, x->tile, x->out, x->parents));
        for (nf_vid r = 0; r < nf__store_rows(s, x->tile); r++) {
            nf__row row = {.index = (uint64_t)tile_first(x) + r, .rounded = x->rounded};
            row.iterations = row.index == 0 ? last : 0;
            row.edges_relaxed = row.index == 0 ? s->journal.steps : 0;
            row.overflowed = (s->journal.flags & NF__STREAMED_OVERFLOWED) != 0;
            nf__row_known(x->run, &row, x->out + (size_t)r * x->run->csr.n * nf_type_size(x->type));
        }
    }
    x->run->first_row = tile_first(x);
done:
    return st;
}

/* ---- a closed tile ----------------------------------------------------------------------------------------------- */

/* Rounding may have left a diagonal a little below 0, or a sum at -infinity. */
static nf_status tidy(const nf__streamed *x, nf_vid r)
{
    const nf_vid n = x->run->csr.n, i = tile_first(x) + r;
    float *f = (float *)(void *)cells_of(x, r);
    double *g = (double *)(void *)cells_of(x, r);
    if (x->run->work_type == NF_I64)
        return NF_OK;
    if (x->cell == NF_F32)
        f[i] = 0;
    else
        g[i] = 0;
    if (x->parents != NULL)
        parents_of(x, r)[i] = i;
    for (nf_vid j = 0; x->run->stats.weight_sign < 0 && j < n; j++)
        if (x->cell == NF_F32 ? f[j] == -INFINITY : g[j] == -(double)INFINITY)
            return nf__fail(NF_EOVERFLOW, "a distance to vertex %llu is -infinity",
                            (unsigned long long)nf_graph_label(x->run->graph, j));
    return NF_OK;
}

/* By the thread that calls. In floats only what is tight already; the rest is seen to when the row is handed out. */
static void make_parents(const nf__streamed *x, nf_vid r)
{
    const nf__run *run = x->run;
    const int me = omp_get_thread_num();
    const nf_vid n = run->csr.n, i = tile_first(x) + r;
    const bool whole = run->work_type == NF_I64;
    nf_vid *parent = parents_of(x, r);
    int64_t *dist = x->rows + (size_t)me * n;
    nf__row row = {.type = run->work_type, .dist = dist, .parent = parent, .sources = &i, .source_count = 1};
    if (whole && x->follow && nf__is_tree(parent, n, x->tight[me].queue))
        return;
    if (whole)
        nf__cells_read(run, x->cell, cells_of(x, r), dist);
    else
        row.dist = cells_of(x, r);
    for (nf_vid j = 0; whole && j < n; j++)
        parent[j] = dist[j] == NF_UNREACHED_I64 ? NF_NO_VERTEX : i;
    nf__tight_parents(run, &row, NULL, &x->tight[me]);
}

static nf_status read_tile(nf__streamed *x)
{
    nf_status st = NF_OK;
    nf__store *s = &x->store;
    const uint32_t from = s->journal.head.last - 1;
    const nf_vid count = nf__store_rows(s, x->tile);
    bool stop = false;
    NF_TRY(nf__store_read(s, from, x->tile, x->cells, x->follow ? x->parents : NULL));
    if (x->tile + 1 < s->tiles)
        nf__store_expect(s, from, x->tile + 1);
    for (nf_vid r = 0; r < count; r++)
        NF_TRY(tidy(x, r));
#pragma omp parallel for schedule(dynamic, 1) num_threads(nf__context_threads(x->run->ctx)) if (x->tight != NULL)
    for (nf_vid r = 0; r < (x->tight != NULL ? count : 0); r++) {
        bool stopped;
        if (omp_get_thread_num() == 0
            && (st = nf__progress(x->run->ctx, "rows", tile_first(x) + r, x->run->csr.n)) != NF_OK) {
#pragma omp atomic write
            stop = true;
        }
#pragma omp atomic read
        stopped = stop;
        if (!stopped)
            make_parents(x, r);
    }
done:
    return st;
}

/* Could a float sum have reached infinity? */
static bool may_overflow(const nf__streamed *x)
{
    const double bound = nf__cells_reach(x->run);
    return (x->cell == NF_F32 && bound > 0x1p127) || (x->cell == NF_F64 && bound > 0x1p1023);
}

static nf_status hand_out_row(nf__streamed *x, nf_vid r)
{
    nf_status st = NF_OK;
    nf__run *run = x->run;
    nf__row row;
    const nf_vid n = run->csr.n, i = tile_first(x) + r;
    NF_TRY(nf__progress(run->ctx, "rows", i, n));
    NF_TRY(nf__row_begin(run, i, &row));
    nf__cells_read(run, x->cell, cells_of(x, r), row.dist);
    if (row.parent != NULL)
        memcpy(row.parent, parents_of(x, r), n * sizeof(nf_vid));
    if (row.parent != NULL && run->work_type != NF_I64 && !nf__is_tree(row.parent, n, x->bellman.mark)) {
        NF_TRY(nf__bellman_row(run, &row, false, &x->bellman));
        if (run->deterministic)
            nf__tight_parents(run, &row, NULL, &x->tight[0]);
    }
    row.iterations = i == 0 ? x->store.journal.head.last : 0; /* the work is shared: counted once, in the first row */
    row.edges_relaxed = i == 0 ? x->store.journal.steps : 0;
    row.overflowed |= may_overflow(x) && nf__cells_cut(run, x->cell, cells_of(x, r));
    row.rounded |= x->rounded;
    NF_TRY(nf__row_end(run, &row));
done:
    return st;
}

static nf_status create(nf__streamed *x)
{
    nf_status st = NF_OK;
    const nf__run *run = x->run;
    nf__mem *mem = nf__context_mem(run->ctx);
    const nf__journal_head *h = &x->store.journal.head;
    const uint64_t threads = (uint64_t)nf__context_threads(run->ctx);
    NF_TRY_ALLOC(x->cells, nf__alloc(mem, h->tile < h->n ? h->tile : h->n, (size_t)h->n * nf_type_size(x->cell)));
    NF_TRY(nf__streamed_take_rows(x));
    if (!run->want_parents || (run->work_type != NF_I64 && !run->deterministic))
        return NF_OK;
    NF_TRY_ALLOC(x->rows, nf__alloc(mem, threads * h->n, sizeof *x->rows));
    NF_TRY_ALLOC(x->tight, nf__zalloc(mem, threads, sizeof *x->tight));
    for (uint64_t t = 0; t < threads; t++)
        NF_TRY(nf__tight_create(mem, h->n, &x->tight[t]));
done:
    return st;
}

nf_status nf__streamed_hand_out(nf__streamed *x)
{
    nf_status st = NF_OK;
    nf__store *s = &x->store;
    NF_TRY(create(x));
    NF_TRY(nf__streamed_count_known(x));
    for (uint32_t t = x->tile; t < s->tiles; t++) {
        x->tile = t;
        NF_TRY(read_tile(x));
        for (nf_vid r = 0; r < nf__store_rows(s, t); r++) {
            x->tile = t;
            NF_TRY(hand_out_row(x, r));
        }
    }
    NF_TRY(nf__store_save(s, s->journal.head.last, s->tiles));
    NF_TRY(nf__store_finish(s));
done:
    return st;
}

void nf__streamed_free(nf__streamed *x)
{
    for (int t = 0; x->tight != NULL && t < nf__context_threads(x->run->ctx); t++)
        nf__tight_free(&x->tight[t]);
    nf__free(x->tight);
    nf__free(x->rows);
    nf__free(x->cells);
    nf__free(x->parents);
    nf__free(x->out);
    nf__bellman_free(&x->bellman);
}
