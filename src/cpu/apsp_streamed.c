/* apsp_streamed.c - all pairs in a file, for results that are larger than memory (catalogue A5, on a CPU); and what the
 * devices' methods of tiles share with it (nf__run_streamed).
 *
 * Method: dense graphs by Floyd-Warshall over tiles of whole rows in the file itself (streamed_tiles.c); sparse ones by
 * runs from every vertex (nsssp.c), whose rows are written as they come. Which of the two: as auto does. A run can be
 * killed at any moment and resumed (store.c, journal.c), on another device if need be. For a device the matrix may lie
 * in memory instead: where the result will be, if its cells are as wide, at the end of that if they are wider, else by
 * itself.
 * Invariants
 *   O1 tiles: negative cycles are looked for first (D1 of dense.c), 32-bit cells are used only where n - 1 weights fit
 *      (the safe half of D2), so the matrix is closed once;
 *   O2 the height of tiles and blocks comes from the memory that is left when the run begins, and is then that of all
 *      runs that resume it; blocks are at most an eighth of the rows, so that much of the work is recorded early and
 *      the file is larger than the matrix by an eighth (small ones are twice as large);
 *   O3 nothing but the rows handed to the caller depends on whether there is a file with a name or a temporary one.
 * Rows by runs are exact in floats as n-sssp's are; tiles, and potentials for negative floats, round (NF_ALG_ROUNDED).
 * Cost: that of streamed_tiles.c and streamed_last.c, or of nsssp.c; memory: as NF__STREAMED_MEMORY says, disk as
 * store.c says.
 */
#include "cpu/cells.h"
#include "cpu/cpu.h"
#include "cpu/dense.h"
#include "cpu/nsssp.h"
#include "cpu/streamed.h"

#define NF__STREAMED_MEMORY                                                                                          \
    "(B + R + 128) n cells of 4 or 8 bytes for blocks of B and tiles of R rows, kept parents: + 4 (B + R + 128) n; " \
    "chosen to fit what is left of the limit; by rows: R rows and as n-sssp"

/* Rows of a tile: the most, and the least share of the memory that blocks leave them. Packing the rows of a block costs
 * as much as 10 / R of a product: 256 make it small. */
#define MOST_ROWS 256u
#define SHARE 6u
/* Blocks are at most this part of the matrix (O2). Records are written so often a stage, but not for fewer bytes: each
 * waits for the disk, 10 to 50 ms on the SSD it was measured on. */
#define LEAST_BLOCKS 8u
#define RECORDS 16u
#define RECORD_BYTES ((uint64_t)256 << 20)
/* Rows that runs write at once. */
#define ROWS_BYTES ((uint64_t)32 << 20)
/* Kept free of the memory that is left, and the part of a machine's free memory that is taken without a limit. */
#define SLACK ((uint64_t)256 << 10)
#define FREE_SHARE 2u

/* ---- what a run is ----------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const nf__run *run, const void *data, uint64_t bytes)
{
    return data != NULL ? nf__crc32(run->ctx, data, bytes) : 0;
}

/* The arcs in their order, and their weights. */
static uint64_t fingerprint(const nf__run *run)
{
    const nf_csr *c = &run->csr;
    uint64_t degrees = 0;
#pragma omp parallel for schedule(static) reduction(+ : degrees) num_threads(nf__threads_for(run->ctx, c->n))
    for (nf_vid v = 0; v < c->n; v++)
        degrees += nf__hash64(nf__off(c, v + 1), v);
    const uint64_t targets = hash_bytes(run, c->adj, c->m * sizeof *c->adj);
    const uint64_t weights = hash_bytes(run, c->weights, c->m * nf_type_size(c->weight_type));
    return nf__hash64(nf__hash64(degrees, targets), nf__hash64(weights, (uint64_t)c->weight_type));
}

static uint64_t asked(const nf__run *run)
{
    uint64_t cutoff = 0;
    memcpy(&cutoff, &run->cutoff_real, sizeof cutoff);
    return nf__hash64(cutoff, (run->has_cutoff ? 2u : 0u) + (run->deterministic ? 1u : 0u));
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Bytes of the host's memory that this run may take; the knob of a device is about its own. */
static uint64_t budget(const nf__streamed *x)
{
    nf__mem *mem = nf__context_mem(x->run->ctx);
    const bool cpu = x->worker == &nf__cpu_tile_worker;
    const uint64_t knob = cpu ? (uint64_t)nf__knob_number(x->run, "memory") << 20 : 0, room = nf__mem_room(mem);
    const bool limited = nf__mem_limit(mem) != 0;
    const uint64_t given = limited ? room : room / FREE_SHARE;
    const uint64_t most = knob != 0 ? smaller(knob, room) : given;
    return most > SLACK ? most - SLACK : 0;
}

/* Records, once the tiles are known: a matrix of this many bytes a row. */
static void plan_records(const nf__run *run, nf__journal_head *h, uint64_t row)
{
    const uint64_t knob = (uint64_t)nf__knob_number(run, "gap");
    const uint64_t tiles = ((uint64_t)h->n + h->tile - 1) / h->tile, tile = h->tile * row + 1;
    uint64_t gap = (tiles + RECORDS - 1) / RECORDS;
    gap = gap * tile < RECORD_BYTES ? RECORD_BYTES / tile : gap;
    gap = smaller(knob != 0 ? knob : gap, tiles);
    gap = gap > h->block ? gap : h->block;
    h->gap = gap > 0 ? (uint32_t)gap : 1;
}

static void plan_rows(const nf__streamed *x, nf__journal_head *h)
{
    const uint64_t n = h->n, knob = (uint64_t)nf__knob_number(x->run, "tile");
    const uint64_t row = (n + 1) * (nf_type_size(x->type) + (x->run->want_parents ? sizeof(nf_vid) : 0));
    const uint64_t fits = smaller(ROWS_BYTES, budget(x) / SHARE) / row;
    const uint64_t rows = smaller(knob != 0 ? knob : fits, n);
    h->tile = rows > 0 ? (uint32_t)rows : 1;
    h->block = 1;
    plan_records(x->run, h, row);
}

/* Blocks and tiles that fit the device and `fits` rows of the host's memory, which holds blocks of files alone. */
static nf_status plan_device(const nf__streamed *x, nf__journal_head *h, uint64_t fits, uint64_t eighth)
{
    nf_status st = NF_OK;
    const uint64_t n = h->n, ahead = x->worker->ahead, knob = (uint64_t)nf__knob_number(x->run, "tile");
    const uint64_t row = n * (nf_type_size(x->cell) + (x->follow ? sizeof(nf_vid) : 0));
    const uint64_t half = fits / (2 * ahead) > 0 ? fits / (2 * ahead) : 1, asked = knob != 0 ? knob : n;
    nf__tiles t = {.run = x->run, .cell = x->cell, .follow = x->follow};
    t.tile = (uint32_t)smaller(smaller(asked, n), half);
    NF_TRY(x->worker->plan(&t, (uint32_t)(x->whole ? n : smaller(eighth, fits / 2))));
    h->tile = t.tile;
    h->block = t.block;
    const uint64_t block = (uint64_t)h->block * h->tile;
    h->last = 1 + (uint32_t)((n + block - 1) / block);
    if (!x->whole)
        plan_records(x->run, h, row);
done:
    return st;
}

/* O2 */
static nf_status plan_tiles(const nf__streamed *x, nf__journal_head *h)
{
    const uint64_t n = h->n, width = nf_type_size(x->cell), knob = (uint64_t)nf__knob_number(x->run, "tile");
    const uint64_t depth = x->shared || x->worker->plan == NULL ? NF__DEPTH : 0; /* of slices that the CPU packs */
    const uint64_t row = n * (width + (x->follow ? sizeof(nf_vid) : 0));
    const uint64_t threads = (uint64_t)nf__context_threads(x->run->ctx), lots = n / NF__LOT_ROWS + 1;
    const uint64_t packed = depth * (row + smaller(threads, lots) * NF__LOT_ROWS * width);
    const uint64_t fixed = packed + (x->run->want_parents ? 16 * n * threads : 0) + n / 64 * 4096;
    const uint64_t has = budget(x), fits = has > fixed ? (has - fixed) / row : 0;
    const uint64_t eighth = (n + LEAST_BLOCKS - 1) / LEAST_BLOCKS;
    if (fits < 2)
        return nf__fail(NF_ENOMEM, "streamed needs %llu bytes for 2 rows at least; %llu are left",
                        (unsigned long long)(fixed + 2 * row + SLACK), (unsigned long long)(has + SLACK));
    if (x->worker->plan != NULL)
        return plan_device(x, h, fits, eighth);
    uint64_t rows = smaller(MOST_ROWS, eighth);
    while (rows > 1 && rows * SHARE > fits)
        rows /= 2;
    if (knob != 0)
        rows = smaller(smaller(knob, n), fits / 2);
    const uint64_t blocks = (fits - rows) / rows, most = (eighth + rows - 1) / rows;
    h->tile = (uint32_t)rows;
    h->block = (uint32_t)(blocks < 1 ? 1 : smaller(blocks, most));
    const uint64_t block = (uint64_t)h->block * rows;
    h->last = 1 + (uint32_t)((n + block - 1) / block);
    plan_records(x->run, h, row);
    return NF_OK;
}

/* The safe half of D2. */
static nf_type choose_cell(const nf__run *run)
{
    if (run->work_type != NF_I64)
        return run->work_type;
    return nf__cells_reach(run) < NF__NONE_I32 / 2 ? NF_I32 : NF_I64;
}

static bool by_tiles(const nf__run *run, const nf__tile_worker *worker)
{
    const char *by = nf__knob_choice(run, "by");
    return strcmp(by, "auto") == 0 ? worker->pays(run) : strcmp(by, "tiles") == 0;
}

/* For a device: may the matrix lie in memory, and where in the result? *at NULL: by itself. */
static bool lies_in_memory(const nf__streamed *x, void **at, nf_vid **parents)
{
    const nf__run *run = x->run;
    const nf__place to = nf__run_place(run);
    const char *store = x->shared ? "memory" : nf__knob_choice(run, "store");
    const uint64_t n = run->csr.n, out = nf_type_size(to.type), width = nf_type_size(x->cell);
    *at = to.dist != NULL && out >= width ? (char *)to.dist + n * n * (out - width) : NULL;
    *parents = x->follow ? to.parents : NULL;
    const uint64_t own = n * n * ((*at == NULL ? width : 0) + (x->follow && *parents == NULL ? sizeof(nf_vid) : 0));
    return run->file == NULL && strcmp(store, "file") != 0 && (strcmp(store, "memory") == 0 || own <= budget(x) / 2);
}

static nf_status open_store(nf__streamed *x, bool tiles)
{
    nf_status st = NF_OK;
    const nf__run *run = x->run;
    nf__journal_head head = {.n = run->csr.n, .tile = 1, .block = 1, .gap = 1, .type = x->type, .cell = x->cell};
    void *at = NULL;
    nf_vid *parents = NULL;
    head.flags = (run->want_parents ? NF__STORE_PARENTS : 0) | (tiles && x->follow ? NF__STORE_FOLLOW : 0);
    if (run->file != NULL) {
        head.graph = fingerprint(run);
        head.asked = asked(run);
    }
    x->whole = tiles && x->worker->plan != NULL && lies_in_memory(x, &at, &parents);
    if (tiles && head.n > 0)
        NF_TRY(plan_tiles(x, &head));
    else if (head.n > 0)
        plan_rows(x, &head);
    if (x->whole)
        NF_TRY(nf__store_open_memory(&x->store, run->ctx, &head, at, parents));
    else
        NF_TRY(nf__store_open(&x->store, run->ctx, run->file, run->folder, run->resume, &head));
done:
    return st;
}

/* How the work is cut, for whoever asks why. */
static void tell(nf__streamed *x)
{
    const nf__journal *j = &x->store.journal;
    const size_t used = strlen(x->run->reason);
    char *more = x->run->reason + used;
    const size_t room = sizeof x->run->reason - used;
    if (j->head.last > 0)
        snprintf(more, room, "; tiles of %u rows, %u times over the %s", j->head.tile, j->head.last,
                 x->whole ? "matrix" : "file");
    else
        snprintf(more, room, "; runs from every vertex, %u rows at a time", j->head.tile);
    if (x->store.resumed)
        nf__log(x->run->ctx, NF_LOG_INFO, "streamed: resumed at stage %u of %u, tile %u of %u", j->stage, j->head.last,
                j->done, x->store.tiles);
}

/* ---- the two ways ------------------------------------------------------------------------------------------------ */

/* Potentials from everywhere: they find negative cycles (D1), and runs need them (J1 of apsp_johnson.c). */
static nf_status find_potentials(nf__streamed *x, void **h)
{
    nf_status st = NF_OK;
    nf__run *run = x->run;
    NF_TRY_ALLOC(*h, nf__alloc(nf__context_mem(run->ctx), run->csr.n, nf_type_size(run->work_type)));
    nf__row row = {.type = run->work_type, .dist = *h};
    NF_TRY(nf__bellman_row(run, &row, true, &x->bellman));
    x->rounded = row.rounded;
done:
    return st;
}

static nf_status run_tiles(nf__streamed *x)
{
    nf_status st = NF_OK;
    const nf__run *run = x->run;
    if (run->work_type == NF_I64 && nf__cells_reach(run) >= (double)(NF__NONE_I64 / 2))
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 62 bits", run->csr.n,
                        run->stats.weight_max));
    if (x->store.tiles > 0)
        NF_TRY(nf__streamed_close_matrix(x));
    NF_TRY(nf__streamed_hand_out(x));
done:
    return st;
}

static nf_status run_rows(nf__streamed *x, const void *potentials)
{
    nf_status st = NF_OK;
    nf__store *s = &x->store;
    if (x->run->file != NULL) {
        NF_TRY(nf__streamed_take_rows(x));
        NF_TRY(nf__streamed_count_known(x));
    }
    if (x->worker->rows != NULL)
        NF_TRY(x->worker->rows(x->run));
    else
        NF_TRY(nf__nsssp_run(x->run, potentials, x->rounded));
    if (x->run->file != NULL) {
        NF_TRY(nf__store_save(s, s->journal.head.last, s->tiles));
        NF_TRY(nf__store_finish(s));
    }
done:
    return st;
}

/* Negative cycles (D1), by the device, or by the CPU with what its runs need. */
static nf_status refuse_cycles(nf__streamed *x, void **potentials)
{
    if (x->run->stats.weight_sign >= 0)
        return NF_OK;
    return x->worker->check != NULL ? x->worker->check(x->run, &x->rounded) : find_potentials(x, potentials);
}

nf_status nf__cpu_streamed(nf__run *run, const nf__tile_worker *worker, bool shared)
{
    nf_status st = NF_OK;
    nf__streamed x = {.run = run, .type = nf__run_place(run).type, .store = {.journal = {.fd = -1}, .fd = {-1, -1}}};
    void *h = NULL;
    bool tiles = shared || by_tiles(run, worker);
    x.worker = worker;
    x.shared = shared;
    x.cell = choose_cell(run);
    x.follow = nf__cells_follow(run);
    NF_TRY(nf__bellman_create(nf__context_mem(run->ctx), run->csr.n, &x.bellman));
    NF_TRY(refuse_cycles(&x, &h));
    if (tiles || run->file != NULL) {
        NF_TRY(open_store(&x, tiles));
        tiles = x.store.journal.head.last > 0; /* a run that is resumed goes on as it began */
        x.follow = (x.store.journal.head.flags & NF__STORE_FOLLOW) != 0;
        tell(&x);
    }
    if (tiles) {
        nf__free(h);
        h = NULL;
    }
    NF_TRY(tiles ? run_tiles(&x) : run_rows(&x, h));
done:
    run->take = NULL;
    nf__store_close(&x.store, st == NF_EOVERFLOW);
    nf__streamed_free(&x);
    nf__free(h);
    return st;
}

static nf_status run_streamed(nf__run *run, nf__row *none)
{
    (void)none;
    return nf__cpu_streamed(run, &nf__cpu_tile_worker, false);
}

static const nf_knob_info knobs[] = {
    {.name = "by",
     .summary = "tiles: Floyd-Warshall over the file; rows: runs from every vertex; auto: by density",
     .type = NF_KNOB_CHOICE,
     .default_text = "auto",
     .choices = "auto rows tiles"},
    {.name = "tile",
     .summary = "rows of a tile; 0: from memory",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = 65536},
    {.name = "gap",
     .summary = "tiles between two records, and to spare in the file; 0: a sixteenth, or 256 MiB",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = 65536},
    {.name = "memory",
     .summary = "MiB to work in; 0: what the context's limit leaves or, without one, half of what is free",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = 1 << 24},
    NF__VECTORS_KNOB,
};

const nf__algorithm nf__cpu_apsp_streamed = {
    .info = {.name = "streamed",
             .problem = NF_APSP,
             .device = "cpu",
             .summary = "for results larger than memory: tiles in a file, checksummed, resumable after a crash",
             .paper = "Venkataraman, Sahni, Mukhopadhyaya 2003; Harish 2009",
             .memory = NF__STREAMED_MEMORY,
             .flags = NF_ALG_NEGATIVE | NF_ALG_DENSE | NF_ALG_ROUNDED,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .run = run_streamed,
    .files = true,
};
