/* streamed_tiles.c - Floyd-Warshall over tiles in a file: the stages that fill and close the matrix.
 *
 * Method: the rows of a block of vertices K are read and closed: the square K x K first, then its other columns. With
 * them in memory every other tile is read, its columns K are closed with the square, the product of these with the rows
 * of K is folded into its other columns, and it is written (Venkataraman, Sahni, Mukhopadhyaya 2003, in whole rows, so
 * that a tile is one stretch of the file and no block of columns is needed).
 * Invariants
 *   P1 after stage 1 + b a cell is the least length of a path whose inner vertices are in blocks 0 .. b;
 *   P2 the tiles of K are recorded together: a stage that goes on finds all of them closed, or none;
 *   P3 what a stage makes of a tile depends on that tile and the rows of K before the stage only, not on threads.
 * Cost: n^3 steps and 4 n T 128 for blocks of T rows; the file is read and written n / T times; memory: T rows and a
 * tile of cells (with parents of vertices, too), and 128 (n + T) cells, with parents 128 n vertices.
 */
#include "cpu/cells.h"
#include "cpu/minplus.h"
#include "cpu/streamed.h"

typedef struct closing {
    nf__streamed *x;
    nf__minplus core;
    char *panel; /* the rows of K */
    nf_vid *panel_p;
    char *tile;
    nf_vid *tile_p;
    uint32_t stage, first, past; /* tiles first .. past-1 are K's */
    size_t k0, k1;
} closing;

static size_t row_bytes(const nf__streamed *x)
{
    return (size_t)x->run->csr.n * nf_type_size(x->cell);
}

static nf_status fill(closing *c)
{
    nf_status st = NF_OK;
    nf__streamed *x = c->x;
    const uint32_t tiles = x->store.tiles;
    const nf_vid n = x->run->csr.n, height = x->store.journal.head.tile;
    for (uint32_t t = 0; t < tiles; t++) {
        const nf_vid count = nf__store_rows(&x->store, t), first = t * height;
        NF_TRY(nf__progress(x->run->ctx, "matrix", t, tiles));
#pragma omp parallel for schedule(dynamic, 8) num_threads(nf__context_threads(x->run->ctx))
        for (nf_vid r = 0; r < count; r++)
            nf__cells_fill(x->run, x->cell, first + r, c->tile + r * row_bytes(x),
                           c->tile_p != NULL ? c->tile_p + (size_t)r * n : NULL);
        NF_TRY(nf__store_reserve(&x->store, 0, t, 1));
        NF_TRY(nf__store_write(&x->store, 0, t, c->tile, c->tile_p));
    }
    NF_TRY(nf__store_save(&x->store, 0, tiles));
done:
    return st;
}

/* ---- the rows of K ----------------------------------------------------------------------------------------------- */

static char *panel_of(const closing *c, uint32_t tile)
{
    return c->panel + (tile - c->first) * c->x->store.journal.head.tile * row_bytes(c->x);
}

static nf_vid *panel_parents_of(const closing *c, uint32_t tile)
{
    const size_t rows = (size_t)(tile - c->first) * c->x->store.journal.head.tile;
    return c->panel_p != NULL ? c->panel_p + rows * c->x->run->csr.n : NULL;
}

static nf_status close_panel(closing *c)
{
    nf_status st = NF_OK;
    const size_t n = c->core.n, k0 = c->k0, k1 = c->k1;
    c->core.d = c->panel;
    c->core.p = c->panel_p;
    c->core.top = k0;
    c->core.k_d = NULL;
    c->core.k_p = NULL;
    NF_TRY(nf__minplus_close(&c->core, k0, k1));
    NF_TRY(nf__minplus_fold(&c->core, (nf__product){k0, k1, 0, k0, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&c->core, (nf__product){k0, k1, k1, n, k0, k1, false}, NULL));
done:
    return st;
}

/* P2: as the stage before has left them, and closed then, or closed already. */
static nf_status load_panel(closing *c, bool closed)
{
    nf_status st = NF_OK;
    for (uint32_t t = c->first; t < c->past; t++)
        NF_TRY(
            nf__store_read(&c->x->store, closed ? c->stage : c->stage - 1, t, panel_of(c, t), panel_parents_of(c, t)));
    if (!closed)
        NF_TRY(close_panel(c));
done:
    return st;
}

/* ---- a stage ----------------------------------------------------------------------------------------------------- */

static nf_status close_tile(closing *c, uint32_t tile)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const size_t n = c->core.n, k0 = c->k0, k1 = c->k1, i0 = (size_t)tile * s->journal.head.tile;
    const size_t i1 = i0 + nf__store_rows(s, tile);
    c->core.d = c->tile;
    c->core.p = c->tile_p;
    c->core.top = i0;
    c->core.k_d = c->panel;
    c->core.k_p = c->panel_p;
    c->core.k_top = k0;
    NF_TRY(nf__minplus_fold(&c->core, (nf__product){i0, i1, k0, k1, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&c->core, (nf__product){i0, i1, 0, k0, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&c->core, (nf__product){i0, i1, k1, n, k0, k1, false}, NULL));
done:
    return st;
}

/* Tells the system of the next tile that will be read. */
static void expect_next(const closing *c, uint32_t i)
{
    const nf__store *s = &c->x->store;
    for (i++; i < s->tiles; i++) {
        const uint32_t tile = nf__store_tile(s, c->stage, i);
        if (tile >= c->first && tile < c->past)
            continue;
        nf__store_expect(s, c->stage - 1, tile);
        return;
    }
}

/* Step i of the stage writes one tile, or those of K: *count of them. */
static nf_status make_tiles(closing *c, uint32_t i, uint32_t *count)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const uint32_t tile = nf__store_tile(s, c->stage, i);
    const bool inside = tile >= c->first && tile < c->past;
    *count = inside ? c->past - c->first : 1;
    s->journal.steps = c->core.steps;
    NF_TRY(nf__store_reserve(s, c->stage, i, *count));
    for (uint32_t k = 0; inside && k < *count; k++) {
        const uint32_t t = nf__store_tile(s, c->stage, i + k);
        NF_TRY(nf__store_write(s, c->stage, t, panel_of(c, t), panel_parents_of(c, t)));
    }
    if (inside)
        return NF_OK;
    NF_TRY(nf__store_read(s, c->stage - 1, tile, c->tile, c->tile_p));
    expect_next(c, i);
    NF_TRY(close_tile(c, tile));
    NF_TRY(nf__store_write(s, c->stage, tile, c->tile, c->tile_p));
done:
    return st;
}

static nf_status run_stage(closing *c, uint32_t done)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const nf__journal_head *h = &s->journal.head;
    uint32_t count = 0;
    c->first = (c->stage - 1) * h->block;
    c->past = s->tiles - c->first < h->block ? s->tiles : c->first + h->block;
    c->k0 = (size_t)c->first * h->tile;
    c->k1 = (size_t)(c->past - 1) * h->tile + nf__store_rows(s, c->past - 1);
    /* where K comes in the order of the stage */
    const bool upwards = nf__store_tile(s, c->stage, 0) == 0;
    const uint32_t begin = upwards ? c->first : s->tiles - c->past;
    c->core.done = (uint64_t)((double)c->core.total / (h->last - 1) * (c->stage - 1 + (double)done / s->tiles));
    NF_TRY(load_panel(c, done > begin));
    for (uint32_t i = done; i < s->tiles; i += count)
        NF_TRY(make_tiles(c, i, &count));
    s->journal.steps = c->core.steps;
    NF_TRY(nf__store_save(s, c->stage, s->tiles));
done:
    return st;
}

static nf_status create(closing *c)
{
    nf_status st = NF_OK;
    nf__streamed *x = c->x;
    nf__mem *mem = nf__context_mem(x->run->ctx);
    const nf__journal_head *h = &x->store.journal.head;
    const uint64_t block = (uint64_t)h->block * h->tile, rows = block < h->n ? block : h->n;
    const uint64_t height = h->tile < h->n ? h->tile : h->n;
    NF_TRY_ALLOC(c->panel, nf__alloc(mem, rows, row_bytes(x)));
    NF_TRY_ALLOC(c->tile, nf__alloc(mem, height, row_bytes(x)));
    if (x->follow) {
        NF_TRY_ALLOC(c->panel_p, nf__alloc(mem, rows, (size_t)h->n * sizeof(nf_vid)));
        NF_TRY_ALLOC(c->tile_p, nf__alloc(mem, height, (size_t)h->n * sizeof(nf_vid)));
    }
    c->core = (nf__minplus){.ctx = x->run->ctx, .cell = x->cell, .n = h->n, .rows = rows, .phase = "streamed"};
    c->core.p = c->panel_p;
    c->core.total = (uint64_t)h->n * h->n * h->n + (uint64_t)(h->last - 1) * 4 * rows * rows * NF__DEPTH;
    c->core.steps = x->store.journal.steps;
    NF_TRY(nf__minplus_create(&c->core, x->run->stats.weight_sign >= 0, nf__cells_vectors(x->run, x->cell)));
done:
    return st;
}

nf_status nf__streamed_close_matrix(nf__streamed *x)
{
    nf_status st = NF_OK;
    closing c = {.x = x};
    const nf__journal *j = &x->store.journal;
    uint32_t done = j->done;
    if (j->stage >= j->head.last)
        return NF_OK;
    NF_TRY(create(&c));
    if (j->stage == 0 && done < x->store.tiles) /* filling costs little: from the beginning */
        NF_TRY(fill(&c));
    c.stage = j->stage;
    if (j->stage == 0 || j->done == x->store.tiles) {
        c.stage = j->stage + 1;
        done = 0;
    }
    for (; c.stage < j->head.last; c.stage++, done = 0)
        NF_TRY(run_stage(&c, done));
done:
    nf__free(c.panel);
    nf__free(c.panel_p);
    nf__free(c.tile);
    nf__free(c.tile_p);
    nf__minplus_free(&c.core);
    return st;
}
