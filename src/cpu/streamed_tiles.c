/* streamed_tiles.c - Floyd-Warshall over tiles in a file or in memory: the stages that fill and close the matrix.
 *
 * Method: the rows of a block of vertices K are read and closed: the square K x K first, then its other columns. With
 * them in memory every other tile is read, its columns K are closed with the square, the product of these with the rows
 * of K is folded into its other columns, and it is written (Venkataraman, Sahni, Mukhopadhyaya 2003, in whole rows, so
 * that a tile is one stretch of the file and no block of columns is needed). A worker does the sums: the CPU, or a
 * device that has tiles under way while others are read and written. Shared with it, in memory, the CPU takes rows from
 * the end of the matrix, as many as its speed so far is of both (Matsumoto, Nakasato, Sedukhin 2011).
 * Invariants
 *   P1 after stage 1 + b a cell is the least length of a path whose inner vertices are in blocks 0 .. b;
 *   P2 the tiles of K are recorded together: a stage that goes on finds all of them closed, or none;
 *   P3 what a stage makes of a tile depends on that tile and the rows of K before the stage only;
 *   P4 tiles are written in the order of the stage, however many are under way.
 * Cost: n^3 steps and 4 n T 128 for blocks of T rows; the file is read and written n / T times; memory: T rows and
 * `ahead` tiles of cells (with parents of vertices, too), and the worker's.
 */
#include "cpu/cells.h"
#include "cpu/minplus.h"
#include "cpu/streamed.h"

/* Of tiles under way at once: those that a worker may have ahead. */
#define MOST_AHEAD 4
/* Shared rows: the CPU's part before its speed is known, the least of it (sixteen rows are not worth their packing, and
 * a part of 0 would never be measured again), and the portions of a stage that both get, so that a cancel is seen. */
#define FIRST_SHARE (1.0 / 16)
#define LEAST_ROWS 16u
#define PORTIONS 8u

typedef struct closing {
    nf__streamed *x;
    nf__tiles job;
    void *self; /* the worker's */
    void *mate; /* the CPU's, where rows are shared */
    char *room; /* files: for the rows of K */
    nf_vid *room_p;
    char *tile[MOST_AHEAD]; /* files: for tiles under way */
    nf_vid *tile_p[MOST_AHEAD];
    char *panel; /* the rows of K */
    nf_vid *panel_p;
    uint32_t stage, first, past; /* tiles first .. past-1 are K's */
    nf_vid k0, k1;
    uint32_t begun, ended; /* steps of the stage: tiles begun .. ended are under way */
    uint64_t cpu_rows, rows;
} closing;

static size_t row_bytes(const nf__streamed *x)
{
    return (size_t)x->run->csr.n * nf_type_size(x->cell);
}

static nf_status report(const closing *c)
{
    const nf__run *run = c->x->run;
    return nf__progress(run->ctx, run->algorithm->info.name, c->job.done < c->job.total ? c->job.done : c->job.total,
                        c->job.total);
}

/* Tile t in memory, or room for step i of a stage. */
static char *cells_at(const closing *c, uint32_t t, uint32_t i)
{
    char *at = nf__store_at(&c->x->store, 0, t);
    return at != NULL ? at : c->tile[i % c->x->worker->ahead];
}

static nf_vid *parents_at(const closing *c, uint32_t t, uint32_t i)
{
    char *at = nf__store_at(&c->x->store, 1, t);
    return at != NULL ? (nf_vid *)(void *)at : c->tile_p[i % c->x->worker->ahead];
}

static bool in_memory(const closing *c)
{
    return c->x->store.memory[0] != NULL;
}

static nf_status fill(closing *c)
{
    nf_status st = NF_OK;
    nf__streamed *x = c->x;
    const uint32_t tiles = x->store.tiles;
    const nf_vid n = x->run->csr.n, height = x->store.journal.head.tile;
    for (uint32_t t = 0; t < tiles; t++) {
        const nf_vid count = nf__store_rows(&x->store, t), first = t * height;
        char *cells = cells_at(c, t, 0);
        nf_vid *parents = parents_at(c, t, 0);
        NF_TRY(nf__progress(x->run->ctx, "matrix", t, tiles));
#pragma omp parallel for schedule(dynamic, 8) num_threads(nf__context_threads(x->run->ctx))
        for (nf_vid r = 0; r < count; r++)
            nf__cells_fill(x->run, x->cell, first + r, cells + r * row_bytes(x),
                           parents != NULL ? parents + (size_t)r * n : NULL);
        if (in_memory(c))
            continue;
        NF_TRY(nf__store_reserve(&x->store, 0, t, 1));
        NF_TRY(nf__store_write(&x->store, 0, t, cells, parents));
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

/* P2: as the stage before has left them, and closed then, or closed already. */
static nf_status load_panel(closing *c, bool closed)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    c->panel = in_memory(c) ? nf__store_at(s, 0, c->first) : c->room;
    c->panel_p = in_memory(c) ? (nf_vid *)(void *)nf__store_at(s, 1, c->first) : c->room_p;
    for (uint32_t t = c->first; !in_memory(c) && t < c->past; t++)
        NF_TRY(nf__store_read(s, closed ? c->stage : c->stage - 1, t, panel_of(c, t), panel_parents_of(c, t)));
    NF_TRY(c->x->worker->panel(c->self, c->k0, c->k1, c->panel, c->panel_p, closed));
    if (c->mate != NULL)
        NF_TRY(nf__cpu_tile_worker.panel(c->mate, c->k0, c->k1, c->panel, c->panel_p, true));
    NF_TRY(report(c));
done:
    return st;
}

/* ---- tiles of a file --------------------------------------------------------------------------------------------- */

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

/* P4: waits for tiles until `leave` are under way, and writes them. */
static nf_status end_tiles(closing *c, unsigned leave)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    for (; c->ended - c->begun > leave; c->begun++) {
        const uint32_t tile = nf__store_tile(s, c->stage, c->begun);
        NF_TRY(c->x->worker->finish(c->self, c->ended - c->begun - 1));
        NF_TRY(report(c));
        if (in_memory(c))
            continue;
        s->journal.steps = c->job.steps;
        NF_TRY(nf__store_reserve(s, c->stage, c->begun, 1));
        NF_TRY(nf__store_write(s, c->stage, tile, cells_at(c, tile, c->begun), parents_at(c, tile, c->begun)));
    }
done:
    return st;
}

static nf_status begin_tile(closing *c, uint32_t i)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const uint32_t tile = nf__store_tile(s, c->stage, i);
    char *cells = cells_at(c, tile, i);
    nf_vid *parents = parents_at(c, tile, i);
    if (c->begun == c->ended)
        c->begun = c->ended = i;
    NF_TRY(end_tiles(c, c->x->worker->ahead - 1));
    if (!in_memory(c))
        NF_TRY(nf__store_read(s, c->stage - 1, tile, cells, parents));
    expect_next(c, i);
    NF_TRY(c->x->worker->start(c->self, tile * s->journal.head.tile, nf__store_rows(s, tile), cells, parents));
    c->ended++;
done:
    return st;
}

/* Step i of the stage makes one tile, or those of K: *count of them. */
static nf_status make_tiles(closing *c, uint32_t i, uint32_t *count)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const uint32_t tile = nf__store_tile(s, c->stage, i);
    const bool inside = tile >= c->first && tile < c->past;
    *count = inside ? c->past - c->first : 1;
    if (!inside)
        return begin_tile(c, i);
    NF_TRY(end_tiles(c, 0));
    if (in_memory(c))
        return NF_OK;
    s->journal.steps = c->job.steps;
    NF_TRY(nf__store_reserve(s, c->stage, i, *count));
    for (uint32_t k = 0; k < *count; k++) {
        const uint32_t t = nf__store_tile(s, c->stage, i + k);
        NF_TRY(nf__store_write(s, c->stage, t, panel_of(c, t), panel_parents_of(c, t)));
    }
done:
    return st;
}

/* ---- shared rows ------------------------------------------------------------------------------------------------- */

/* Rows lo .. hi of those outside K, by one of the two; a tile at a time at most, none across K. */
static nf_status follow_rows(closing *c, nf_vid lo, nf_vid hi, bool cpu)
{
    nf_status st = NF_OK;
    const nf__streamed *x = c->x;
    const nf__tile_worker *w = cpu ? &nf__cpu_tile_worker : x->worker;
    const nf_vid across = c->k1 - c->k0;
    for (nf_vid r = lo; r < hi;) {
        const nf_vid most = hi - r < c->job.tile ? hi - r : c->job.tile;
        const nf_vid rows = r < c->k0 && c->k0 - r < most ? c->k0 - r : most, i = r < c->k0 ? r : r + across;
        nf_vid *p = (nf_vid *)(void *)x->store.memory[1];
        NF_TRY(w->start(cpu ? c->mate : c->self, i, rows, x->store.memory[0] + i * row_bytes(x),
                        p != NULL ? p + (size_t)i * x->run->csr.n : NULL));
        r += rows;
    }
done:
    return st;
}

/* The CPU's part of so many rows. */
static nf_vid share_of(const closing *c, nf_vid rows)
{
    const double asked = nf__knob_number(c->x->run, "share"), device = c->x->worker->seconds(c->self);
    const double cpu = nf__cpu_tile_worker.seconds(c->mate), others = (double)(c->rows - c->cpu_rows);
    double part = FIRST_SHARE;
    if (asked >= 0)
        return (nf_vid)(asked / 100 * rows);
    if (cpu > 0 && device > 0) {
        const double mine = (double)c->cpu_rows / cpu, theirs = others / device;
        part = mine / (mine + theirs);
    }
    const nf_vid many = (nf_vid)(part * rows);
    return many > LEAST_ROWS ? many : LEAST_ROWS < rows ? LEAST_ROWS : rows;
}

/* All rows outside K: the worker's from the first on, then the CPU's, in portions that both work on at a time. */
static nf_status run_shared(closing *c)
{
    nf_status st = NF_OK;
    const nf_vid rows = c->x->run->csr.n - (c->k1 - c->k0), mine = share_of(c, rows), theirs = rows - mine;
    for (uint64_t k = 0; k < PORTIONS; k++) {
        const nf_vid lo = (nf_vid)(theirs * k / PORTIONS), hi = (nf_vid)(theirs * (k + 1) / PORTIONS);
        const nf_vid from = theirs + (nf_vid)(mine * k / PORTIONS), to = theirs + (nf_vid)(mine * (k + 1) / PORTIONS);
        NF_TRY(follow_rows(c, lo, hi, false));
        NF_TRY(follow_rows(c, from, to, true));
        NF_TRY(c->x->worker->finish(c->self, 0));
        NF_TRY(report(c));
    }
    c->rows += rows;
    c->cpu_rows += mine;
done:
    return st;
}

/* ---- a stage ----------------------------------------------------------------------------------------------------- */

static nf_status run_stage(closing *c, uint32_t done)
{
    nf_status st = NF_OK;
    nf__store *s = &c->x->store;
    const nf__journal_head *h = &s->journal.head;
    uint32_t count = 0;
    c->first = (c->stage - 1) * h->block;
    c->past = s->tiles - c->first < h->block ? s->tiles : c->first + h->block;
    c->k0 = c->first * h->tile;
    c->k1 = (c->past - 1) * h->tile + nf__store_rows(s, c->past - 1);
    /* where K comes in the order of the stage */
    const bool upwards = nf__store_tile(s, c->stage, 0) == 0;
    const uint32_t begin = upwards ? c->first : s->tiles - c->past;
    c->job.done = (uint64_t)((double)c->job.total / (h->last - 1) * (c->stage - 1 + (double)done / s->tiles));
    nf__log(c->x->run->ctx, NF_LOG_DEBUG, "stage %u of %u: rows %u to %u, from tile %u on", c->stage, h->last - 1,
            c->k0, c->k1 - 1, done);
    NF_TRY(load_panel(c, done > begin));
    if (c->mate != NULL)
        NF_TRY(run_shared(c));
    for (uint32_t i = done; c->mate == NULL && i < s->tiles; i += count)
        NF_TRY(make_tiles(c, i, &count));
    NF_TRY(end_tiles(c, 0));
    s->journal.steps = c->job.steps;
    NF_TRY(nf__store_save(s, c->stage, s->tiles));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Memory for the rows of K and tiles under way, where they come from files. */
static nf_status make_room(closing *c, uint64_t rows, uint64_t height)
{
    nf_status st = NF_OK;
    const nf__streamed *x = c->x;
    nf__mem *mem = nf__context_mem(x->run->ctx);
    const size_t line = (size_t)x->run->csr.n * sizeof(nf_vid);
    NF_TRY_ALLOC(c->room, nf__alloc(mem, rows, row_bytes(x)));
    x->worker->lock(c->self, c->room, rows * row_bytes(x));
    for (unsigned i = 0; i < x->worker->ahead; i++) {
        NF_TRY_ALLOC(c->tile[i], nf__alloc(mem, height, row_bytes(x)));
        x->worker->lock(c->self, c->tile[i], height * row_bytes(x));
    }
    if (!x->follow)
        goto done;
    NF_TRY_ALLOC(c->room_p, nf__alloc(mem, rows, line));
    x->worker->lock(c->self, c->room_p, rows * line);
    for (unsigned i = 0; i < x->worker->ahead; i++) {
        NF_TRY_ALLOC(c->tile_p[i], nf__alloc(mem, height, line));
        x->worker->lock(c->self, c->tile_p[i], height * line);
    }
done:
    return st;
}

static nf_status create(closing *c)
{
    nf_status st = NF_OK;
    nf__streamed *x = c->x;
    nf__store *s = &x->store;
    const nf__journal_head *h = &s->journal.head;
    const uint64_t block = (uint64_t)h->block * h->tile, rows = block < h->n ? block : h->n, n = h->n;
    c->job = (nf__tiles){.run = x->run, .cell = x->cell, .follow = x->follow, .tile = h->tile, .block = h->block};
    c->job.total = n * n * n + (uint64_t)(h->last - 1) * 4 * rows * rows * NF__DEPTH;
    c->job.steps = s->journal.steps;
    NF_TRY(x->worker->open(&c->job, &c->self));
    if (x->shared)
        NF_TRY(nf__cpu_tile_worker.open(&c->job, &c->mate));
    if (!in_memory(c))
        NF_TRY(make_room(c, rows, h->tile < h->n ? h->tile : h->n));
    for (int f = 0; f < 2; f++)
        if (s->memory[f] != NULL)
            x->worker->lock(c->self, s->memory[f], n * (f == 0 ? row_bytes(x) : n * sizeof(nf_vid)));
done:
    return st;
}

static void destroy(closing *c)
{
    if (c->self != NULL) /* first: it may have tiles under way */
        c->x->worker->close(c->self);
    if (c->mate != NULL)
        nf__cpu_tile_worker.close(c->mate);
    nf__free(c->room);
    nf__free(c->room_p);
    for (unsigned i = 0; i < MOST_AHEAD; i++) {
        nf__free(c->tile[i]);
        nf__free(c->tile_p[i]);
    }
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
    if (c.mate != NULL)
        nf__log(x->run->ctx, NF_LOG_DEBUG, "shared: rows %llu, by the CPU %llu", (unsigned long long)c.rows,
                (unsigned long long)c.cpu_rows);
done:
    destroy(&c);
    return st;
}
