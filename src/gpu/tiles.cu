/* tiles.cu - matrices larger than the device's memory, some rows at a time (tiles.h).
 *
 * Method: the rows of a block of vertices K stay on the device; its square is closed by Kleene's recursion, its rows
 * follow. Tiles of other rows come through three slots, each in one stretch: while one is multiplied, the next is on
 * its way here and the one before on its way back (Harish 2009: blocks in streams). A tile's columns K are taken out,
 * follow the square and are put back; then they and the rows of K are multiplied into the whole tile.
 * Invariants
 *   E1 columns K are worked on in buffers of their own, so every operand begins on a whole tile wherever K begins;
 *   E2 products write over none of their operands: the columns before and after the square are two buffers, rows of K
 *      follow the square by way of copies of some columns (K2 of kleene.cu);
 *   E3 a cell of columns K that has fallen is in the tile before the product, with its parent: the product, where the
 *      walk by way of the column's own vertex is no shorter, leaves both;
 *   E4 what lies beyond the rows and columns that came is set to "no path" again each time: cells there may have fallen
 *      by negative lengths;
 *   E5 a slot is filled when what was in it is back on the host, multiplied when it is filled, and fetched when it is
 *      multiplied: events between three streams;
 *   E6 lazily by tiles (minplus_lazy.cuh): the square and the rows of K have flags, set from their cells before
 *      products write them and kept by these (L1), and so have a tile's columns K, once they are taken out; L3 holds,
 *      since `before` and the copies of some columns are copies of what is written. Flags of a slot's other squares
 *      are written and read by nobody: the tile leaves.
 * Cost: a panel of B rows takes B^2 n steps, a tile of R rows R n B and as many bytes each way as it has; flags are a
 * read of (B + R) (B + n) cells of device memory for as many; memory as TILES_MEMORY says.
 */
#include "gpu/tiles.h"

#include "gpu/kleene.h"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

/* On their way here, multiplied, on their way back. */
#define SLOTS 3u
/* Tiles that are timed and waited for one by one. */
#define RING 16u
/* Of a tile: several times what a copy needs to run at the bus's rate. */
#define TILE_BYTES (256ull << 20)
#define SLACK (64ull << 10) /* for what is small, and for alignment */
#define LOCKS 10u           /* of host memory: the rows of K, SLOTS tiles, and their parents */

typedef struct slot {
    char *cells;
    uint32_t *parents;
    cudaEvent_t filled, made, back;
} slot;

typedef struct mill {
    nf__tiles *t;
    dense s;                   /* the matrix in work, for products */
    kleene k;                  /* copies of operands */
    uint64_t wide, deep, high; /* n, rows of a block, rows of a tile: to whole tiles of products */
    unsigned width;            /* of a cell */
    nf_vid k0, k1;
    char *panel, *square; /* the rows of K; their columns K */
    uint32_t *panel_p, *square_p;
    char *before, *after; /* columns K of a tile (E2) */
    uint32_t *after_p;
    uint8_t *panel_f, *square_f, *after_f, *slot_f; /* flags (E6), or NULL */
    slot slots[SLOTS];
    cudaStream_t up, down;
    cudaEvent_t began[RING], ended[RING], gone[RING]; /* of tiles, in turn */
    cudaEvent_t born, last;                           /* the first panel's beginning; the last tile's end */
    bool timed;
    uint64_t started, finished;
    double seconds;
    void *locked[LOCKS];
} mill;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define THREADS 256u

/* E4: all cells of a matrix of `rows` lines but the first `down` x `across`. */
template <class Word>
static __global__ void frame_kernel(Word *cells, uint64_t pitch, uint64_t rows, uint64_t down, uint64_t across,
                                    Word none)
{
    const uint64_t beside = pitch - across, right = down * beside, all = right + (rows - down) * pitch;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (uint64_t)gridDim.x * blockDim.x) {
        if (i < right)
            cells[i / beside * pitch + across + i % beside] = none;
        else
            cells[down * pitch + (i - right)] = none;
    }
}

static nf_status frame(mill *m, char *cells, uint64_t pitch, uint64_t rows, uint64_t down, uint64_t across)
{
    nf_status st = NF_OK;
    device *d = m->s.d;
    const unsigned threads = device_block(d, THREADS);
    const uint64_t many = down * (pitch - across) + (rows - down) * pitch;
    const unsigned blocks = device_grid(many, threads, 8);
    const uint64_t none64 = m->t->cell == NF_I64 ? (uint64_t)NONE_I64 : 0x7ff0000000000000ull;
    const uint32_t none32 = m->t->cell == NF_I32 ? (uint32_t)NONE_I32 : 0x7f800000u;
    if (many == 0)
        return NF_OK;
    if (m->width == 4)
        NF_TRY_CUDA(d, SIMT_LAUNCH(frame_kernel<uint32_t>, blocks, threads, 0, d->stream,
                                   reinterpret_cast<uint32_t *>(cells), pitch, rows, down, across, none32));
    else
        NF_TRY_CUDA(d, SIMT_LAUNCH(frame_kernel<uint64_t>, blocks, threads, 0, d->stream,
                                   reinterpret_cast<uint64_t *>(cells), pitch, rows, down, across, none64));
done:
    return st;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* rows x cols elements of `size` bytes, pitches in elements. */
static nf_status copy(mill *m, void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch, uint64_t rows,
                      uint64_t cols, size_t size, cudaMemcpyKind kind, cudaStream_t stream)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(m->s.d,
                cudaMemcpy2DAsync(to, to_pitch * size, from, from_pitch * size, cols * size, rows, kind, stream));
done:
    return st;
}

/* Inside the device, on its stream: cells, and parents where they are. */
static nf_status move(mill *m, char *to, uint32_t *to_p, uint64_t to_pitch, const char *from, const uint32_t *from_p,
                      uint64_t from_pitch, uint64_t rows, uint64_t cols)
{
    nf_status st = NF_OK;
    const cudaStream_t stream = m->s.d->stream;
    NF_TRY(copy(m, to, to_pitch, from, from_pitch, rows, cols, m->width, cudaMemcpyDeviceToDevice, stream));
    if (to_p != NULL && from_p != NULL)
        NF_TRY(copy(m, to_p, to_pitch, from_p, from_pitch, rows, cols, 4, cudaMemcpyDeviceToDevice, stream));
done:
    return st;
}

/* Rows of the host's matrix to the device, or back. */
static nf_status bring(mill *m, char *cells, uint32_t *parents, const void *d, const nf_vid *p, uint64_t rows,
                       cudaStream_t stream)
{
    nf_status st = NF_OK;
    const uint64_t n = m->s.n;
    NF_TRY(copy(m, cells, m->wide, d, n, rows, n, m->width, cudaMemcpyHostToDevice, stream));
    if (p != NULL)
        NF_TRY(copy(m, parents, m->wide, p, n, rows, n, 4, cudaMemcpyHostToDevice, stream));
done:
    return st;
}

static nf_status send(mill *m, void *d, nf_vid *p, const char *cells, const uint32_t *parents, uint64_t rows,
                      cudaStream_t stream)
{
    nf_status st = NF_OK;
    const uint64_t n = m->s.n;
    NF_TRY(copy(m, d, n, cells, m->wide, rows, n, m->width, cudaMemcpyDeviceToHost, stream));
    if (p != NULL)
        NF_TRY(copy(m, p, n, parents, m->wide, rows, n, 4, cudaMemcpyDeviceToHost, stream));
done:
    return st;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* E6: flags of cells that have come, if they have any; square: as minplus_set_flags. */
static nf_status flag(mill *m, const char *cells, uint64_t rows, uint64_t pitch, unsigned square, uint8_t *flags)
{
    return flags != NULL ? minplus_set_flags(&m->s.x, cells, rows, pitch, square, flags) : NF_OK;
}

/* Products are folded into these cells from here on. */
static void turn_to(mill *m, char *cells, uint32_t *parents, uint8_t *flags, uint64_t rows, uint64_t pitch)
{
    m->s.x.finite = flags;
    m->s.x.m.values = cells;
    m->s.x.m.rows = rows;
    m->s.x.m.pitch = pitch;
    m->s.x.parents = parents;
}

/* Columns j0 .. j1 of the first rows follow a, from its first column on, times b, from its first column on. q: flags of
 * these, and b's parents. */
static nf_status fold_in(mill *m, uint64_t rows, uint64_t j0, uint64_t j1, const char *a, uint64_t pitch_a,
                         const char *b, uint64_t pitch_b, minplus_product q)
{
    q.i1 = (unsigned)rows;
    q.j0 = (unsigned)j0;
    q.j1 = (unsigned)j1;
    q.k1 = (unsigned)whole(m->k1 - m->k0, m->s.x.tile);
    q.a = a;
    q.pitch_a = pitch_a;
    q.b = b;
    q.pitch_b = pitch_b;
    return minplus_multiply(&m->s.x, &q, m->s.d->stream);
}

/* Columns that rows of K follow in at a time: of what the closing of the square copies. */
static uint64_t columns_of(const minplus *x, uint64_t deep)
{
    return whole(deep / 4 + 1, x->tile);
}

static uint64_t copied_cells(const minplus *x, uint64_t deep)
{
    const uint64_t square = kleene_cells(x, deep), strip = deep * columns_of(x, deep);
    return square > strip ? square : strip;
}

/* The square is closed, and the rows of K follow it (E2). */
static nf_status close_rows(mill *m)
{
    nf_status st = NF_OK;
    const uint64_t k = m->k1 - m->k0, down = whole(k, m->s.x.tile), strip = columns_of(&m->s.x, m->deep);
    char *const at = m->panel + m->k0 * m->width;
    uint32_t *const at_p = m->panel_p != NULL ? m->panel_p + m->k0 : NULL;
    minplus_product q = {};
    turn_to(m, m->square, m->square_p, m->square_f, down, m->deep);
    NF_TRY(kleene_close(&m->k, 0, (unsigned)down));
    NF_TRY(move(m, at, at_p, m->wide, m->square, m->square_p, m->deep, k, k));
    NF_TRY(flag(m, m->panel, down, m->wide, 0, m->panel_f));
    turn_to(m, m->panel, m->panel_p, m->panel_f, down, m->wide);
    q.p_b = m->k.copy_parent;
    q.finite_a = m->square_f;
    for (uint64_t j = 0; j < m->wide; j += strip) {
        const uint64_t cols = m->wide - j < strip ? m->wide - j : strip;
        NF_TRY(move(m, m->k.copy, m->k.copy_parent, strip, m->panel + j * m->width,
                    m->panel_p != NULL ? m->panel_p + j : NULL, m->wide, down, cols));
        NF_TRY(fold_in(m, down, j, j + cols, m->square, m->deep, m->k.copy, strip, q));
    }
done:
    return st;
}

static nf_status take_panel(void *self, nf_vid k0, nf_vid k1, void *d, nf_vid *p, bool closed)
{
    nf_status st = NF_OK;
    mill *m = static_cast<mill *>(self);
    const uint64_t k = k1 - k0, down = whole(k, m->s.x.tile), steps = m->s.x.steps;
    m->k0 = k0;
    m->k1 = k1;
    if (!m->timed)
        NF_TRY_CUDA(m->s.d, cudaEventRecord(m->born, m->s.d->stream));
    NF_TRY(bring(m, m->panel, m->panel_p, d, p, k, m->s.d->stream));
    NF_TRY(frame(m, m->panel, m->wide, down, k, m->s.n));
    NF_TRY(move(m, m->square, m->square_p, m->deep, m->panel + k0 * m->width,
                m->panel_p != NULL ? m->panel_p + k0 : NULL, m->wide, k, k));
    NF_TRY(frame(m, m->square, m->deep, down, k, k));
    NF_TRY(flag(m, m->square, down, m->deep, m->s.x.pivot, m->square_f));
    if (closed) {
        NF_TRY(flag(m, m->panel, down, m->wide, 0, m->panel_f));
    } else {
        NF_TRY(close_rows(m));
        NF_TRY(send(m, d, p, m->panel, m->panel_p, k, m->s.d->stream));
    }
    NF_TRY_CUDA(m->s.d, cudaEventRecord(m->last, m->s.d->stream));
    m->timed = true;
    NF_TRY(device_finish(m->s.d, m->s.phase, 0));
    m->t->steps += m->s.x.steps - steps;
    m->t->done += k * k * m->s.n;
done:
    return st;
}

/* A tile in a slot follows the rows of K. */
static nf_status multiply(mill *m, slot *s, uint64_t rows)
{
    nf_status st = NF_OK;
    const uint64_t k = m->k1 - m->k0, down = whole(rows, m->s.x.tile), across = whole(k, m->s.x.tile);
    char *const at = s->cells + m->k0 * m->width;
    uint32_t *const at_p = s->parents != NULL ? s->parents + m->k0 : NULL;
    minplus_product columns = {}, all = {};
    columns.p_b = m->square_p;
    columns.finite_b = m->square_f;
    all.p_b = m->panel_p;
    all.finite_a = m->after_f;
    all.finite_b = m->panel_f;
    NF_TRY(frame(m, s->cells, m->wide, down, rows, m->s.n));
    NF_TRY(move(m, m->before, NULL, m->deep, at, NULL, m->wide, rows, k));
    NF_TRY(frame(m, m->before, m->deep, down, rows, k));
    NF_TRY(move(m, m->after, m->after_p, m->deep, at, at_p, m->wide, rows, k));
    NF_TRY(frame(m, m->after, m->deep, down, rows, k));
    NF_TRY(flag(m, m->after, down, m->deep, 0, m->after_f));
    turn_to(m, m->after, m->after_p, m->after_f, down, m->deep);
    NF_TRY(fold_in(m, down, 0, across, m->before, m->deep, m->square, m->deep, columns));
    NF_TRY(move(m, at, at_p, m->wide, m->after, m->after_p, m->deep, rows, k)); /* E3 */
    turn_to(m, s->cells, s->parents, m->slot_f, down, m->wide);
    NF_TRY(fold_in(m, down, 0, m->wide, m->after, m->deep, m->panel, m->wide, all));
done:
    return st;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static nf_status finish_tiles(void *self, unsigned leave)
{
    nf_status st = NF_OK;
    mill *m = static_cast<mill *>(self);
    for (; m->started - m->finished > leave; m->finished++) {
        const unsigned i = (unsigned)(m->finished % RING);
        float ms = 0;
        NF_TRY_CUDA(m->s.d, cudaEventSynchronize(m->gone[i]));
        NF_TRY_CUDA(m->s.d, cudaEventElapsedTime(&ms, m->began[i], m->ended[i]));
        m->seconds += (double)ms / 1e3;
    }
done:
    return st;
}

/* E5 */
static nf_status start_tile(void *self, nf_vid i0, nf_vid rows, void *d, nf_vid *p)
{
    nf_status st = NF_OK;
    mill *m = static_cast<mill *>(self);
    device *const dev = m->s.d;
    slot *const s = &m->slots[m->started % SLOTS];
    const unsigned i = (unsigned)(m->started % RING);
    const uint64_t steps = m->s.x.steps;
    (void)i0;
    NF_TRY(finish_tiles(m, RING - 1));
    NF_TRY_CUDA(dev, cudaStreamWaitEvent(m->up, s->back, 0));
    NF_TRY(bring(m, s->cells, s->parents, d, p, rows, m->up));
    NF_TRY_CUDA(dev, cudaEventRecord(s->filled, m->up));
    NF_TRY_CUDA(dev, cudaStreamWaitEvent(dev->stream, s->filled, 0));
    NF_TRY_CUDA(dev, cudaEventRecord(m->began[i], dev->stream));
    NF_TRY(multiply(m, s, rows));
    NF_TRY_CUDA(dev, cudaEventRecord(m->ended[i], dev->stream));
    NF_TRY_CUDA(dev, cudaEventRecord(s->made, dev->stream));
    NF_TRY_CUDA(dev, cudaStreamWaitEvent(m->down, s->made, 0));
    NF_TRY(send(m, d, p, s->cells, s->parents, rows, m->down));
    NF_TRY_CUDA(dev, cudaEventRecord(s->back, m->down));
    NF_TRY_CUDA(dev, cudaEventRecord(m->gone[i], m->down));
    NF_TRY_CUDA(dev, cudaEventRecord(m->last, m->down));
    m->started++;
    m->t->steps += m->s.x.steps - steps;
    m->t->done += (uint64_t)rows * m->s.n * (m->k1 - m->k0);
done:
    return st;
}

static double tile_seconds(const void *self)
{
    return static_cast<const mill *>(self)->seconds;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void shape(mill *m, nf__tiles *t)
{
    minplus *x = &m->s.x;
    m->t = t;
    m->s.run = t->run;
    m->s.d = (device *)t->run->device;
    m->s.n = t->run->csr.n;
    m->s.phase = t->run->algorithm->info.name;
    x->d = m->s.d;
    x->cell = t->cell;
    x->positive = t->run->stats.weight_sign >= 0;
    x->follow = t->follow;
    x->lazy = dense_lazy(t->run);
    minplus_shape(x, m->s.n, -1);
    m->width = (unsigned)nf_type_size(t->cell);
    m->wide = whole(m->s.n, x->tile);
    m->deep = whole((uint64_t)t->block * t->tile < m->s.n ? (uint64_t)t->block * t->tile : m->s.n, x->tile);
    m->high = whole(t->tile, x->tile);
}

static uint64_t bytes_of(const mill *m)
{
    const uint64_t both = m->width + (m->t->follow ? sizeof(uint32_t) : 0);
    const uint64_t cells = (m->deep + SLOTS * m->high) * m->wide + m->deep * m->deep + copied_cells(&m->s.x, m->deep);
    const uint64_t flags = m->s.x.lazy == LAZY_TILE ? minplus_flags(m->deep + m->high, m->deep + m->wide) : 0;
    return (cells + m->high * m->deep) * both + m->high * m->deep * m->width + flags + SLACK;
}

/* Do these tiles fit the device, and what the knob says of it? */
static nf_status fits(nf__tiles *t)
{
    mill m = {};
    const uint64_t most = (uint64_t)nf__knob_number(t->run, "memory") << 20;
    shape(&m, t);
    if (most != 0 && bytes_of(&m) > most)
        return nf__fail(NF_EDEVMEM, "tiles of %u rows and blocks of %llu need %llu bytes on the device; %llu are given",
                        t->tile, (unsigned long long)m.deep, (unsigned long long)bytes_of(&m),
                        (unsigned long long)most);
    return device_foresee(m.s.d, bytes_of(&m), "a block and three tiles");
}

/* Tiles of TILE_BYTES, or less; then blocks as large as there is room for. */
static nf_status plan_tiles(nf__tiles *t, uint32_t most)
{
    nf_status st = NF_OK;
    const uint64_t row = (uint64_t)t->run->csr.n * (nf_type_size(t->cell) + (t->follow ? sizeof(uint32_t) : 0));
    const uint32_t asked = (uint32_t)nf__knob_number(t->run, "block");
    uint32_t low = 1, high = 0;
    NF_TRY(device_enter((device *)t->run->device));
    t->tile = t->tile < TILE_BYTES / row + 1 ? t->tile : (uint32_t)(TILE_BYTES / row + 1);
    t->tile = t->tile < most ? t->tile : most;
    t->block = 1;
    while ((st = fits(t)) == NF_EDEVMEM && t->tile > 1)
        t->tile = (t->tile + 1) / 2;
    if (st != NF_OK)
        goto done;
    high = most / t->tile > 1 ? most / t->tile : 1;
    if (high * t->tile < most && most == t->run->csr.n)
        high++; /* the whole matrix */
    high = asked != 0 && asked < high ? asked : high;
    while (low < high) { /* blocks of `low` tiles fit */
        t->block = low + (high - low + 1) / 2;
        if (fits(t) == NF_OK)
            low = t->block;
        else
            high = t->block - 1;
    }
    t->block = low;
done:
    return st;
}

static void lock_memory(void *self, void *p, uint64_t bytes)
{
    mill *m = static_cast<mill *>(self);
    unsigned i = 0;
    while (i < LOCKS && m->locked[i] != NULL)
        i++;
    if (i == LOCKS || bytes == 0)
        return;
    if (cudaHostRegister(p, bytes, 0) == cudaSuccess)
        m->locked[i] = p;
    else
        (void)cudaGetLastError(); /* copies from it are slower, and no less right */
}

static void drop_event(cudaEvent_t event)
{
    if (event != NULL)
        (void)cudaEventDestroy(event);
}

/* What was left out, for those who listen. */
static void tell_lazy(mill *m)
{
    device *const d = m->s.d;
    unsigned long long skipped[2] = {0, 0};
    if (m->s.x.skipped == NULL || d->lost || device_download(d, skipped, m->s.x.skipped, sizeof skipped) != NF_OK)
        return;
    nf__log(d->ctx, NF_LOG_DEBUG, "lazy %s: skipped %llu among %llu", m->s.x.lazy == LAZY_TILE ? "tile" : "op",
            skipped[0], skipped[1]);
}

/* Waits for all that is under way; the run's time by the device's clock. */
static void come_to_rest(mill *m)
{
    device *const d = m->s.d;
    const cudaStream_t streams[] = {d->stream, m->up, m->down};
    float ms = 0;
    for (unsigned i = 0; i < 3; i++)
        if (streams[i] != NULL && !d->lost)
            (void)cudaStreamSynchronize(streams[i]);
    if (m->timed && !d->lost && cudaEventElapsedTime(&ms, m->born, m->last) == cudaSuccess)
        m->t->run->device_ms += (double)ms;
}

static void close_mill(void *self)
{
    mill *m = static_cast<mill *>(self);
    if (m == NULL)
        return;
    device *const d = m->s.d;
    void *const blocks[] = {m->panel,   m->square,  m->panel_p,  m->square_p, m->before, m->after,
                            m->after_p, m->panel_f, m->square_f, m->after_f,  m->slot_f, m->s.x.skipped};
    come_to_rest(m);
    tell_lazy(m);
    for (unsigned i = 0; i < LOCKS; i++)
        if (m->locked[i] != NULL)
            (void)cudaHostUnregister(m->locked[i]);
    for (unsigned i = 0; i < SLOTS; i++) {
        slot *const s = &m->slots[i];
        drop_event(s->filled), drop_event(s->made), drop_event(s->back);
        device_free(d, s->cells);
        device_free(d, s->parents);
    }
    for (unsigned i = 0; i < RING; i++)
        drop_event(m->began[i]), drop_event(m->ended[i]), drop_event(m->gone[i]);
    drop_event(m->born), drop_event(m->last);
    if (m->up != NULL)
        (void)cudaStreamDestroy(m->up);
    if (m->down != NULL)
        (void)cudaStreamDestroy(m->down);
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(d, blocks[i]);
    kleene_free(&m->k);
    nf__free(m);
}

static nf_status make_events(mill *m)
{
    nf_status st = NF_OK;
    device *const d = m->s.d;
    NF_TRY_CUDA(d, cudaEventCreate(&m->born));
    NF_TRY_CUDA(d, cudaEventCreate(&m->last));
    NF_TRY_CUDA(d, cudaStreamCreateWithFlags(&m->up, cudaStreamNonBlocking));
    NF_TRY_CUDA(d, cudaStreamCreateWithFlags(&m->down, cudaStreamNonBlocking));
    for (unsigned i = 0; i < SLOTS; i++) {
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&m->slots[i].filled, cudaEventDisableTiming));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&m->slots[i].made, cudaEventDisableTiming));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&m->slots[i].back, cudaEventDisableTiming));
    }
    for (unsigned i = 0; i < RING; i++) {
        NF_TRY_CUDA(d, cudaEventCreate(&m->began[i]));
        NF_TRY_CUDA(d, cudaEventCreate(&m->ended[i]));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&m->gone[i], cudaEventDisableTiming));
    }
done:
    return st;
}

/* `rows` x `cols` cells, and parents where they are followed. */
static nf_status make_cells(mill *m, uint64_t rows, uint64_t cols, char **cells, uint32_t **parents)
{
    nf_status st = NF_OK;
    NF_TRY(device_alloc(m->s.d, rows * cols * m->width, cells));
    if (m->t->follow && parents != NULL)
        NF_TRY(device_alloc(m->s.d, rows * cols, parents));
done:
    return st;
}

/* E6 */
static nf_status make_flags(mill *m)
{
    nf_status st = NF_OK;
    device *const d = m->s.d;
    if (m->s.x.lazy == LAZY_NONE)
        return NF_OK;
    NF_TRY(device_alloc(d, 2, &m->s.x.skipped));
    NF_TRY(device_fill_bytes(d, m->s.x.skipped, 0, 2 * sizeof *m->s.x.skipped));
    if (m->s.x.lazy != LAZY_TILE)
        return NF_OK;
    NF_TRY(device_alloc(d, minplus_flags(m->deep, m->wide), &m->panel_f));
    NF_TRY(device_alloc(d, minplus_flags(m->deep, m->deep), &m->square_f));
    NF_TRY(device_alloc(d, minplus_flags(m->high, m->deep), &m->after_f));
    NF_TRY(device_alloc(d, minplus_flags(m->high, m->wide), &m->slot_f));
done:
    return st;
}

static nf_status open_mill(nf__tiles *t, void **self)
{
    nf_status st = NF_OK;
    mill *m = NULL;
    device *const d = (device *)t->run->device;
    NF_TRY(device_enter(d));
    NF_TRY_ALLOC(m, static_cast<mill *>(nf__zalloc(nf__context_mem(d->ctx), 1, sizeof *m)));
    shape(m, t);
    NF_TRY(device_foresee(d, bytes_of(m), "a block and three tiles"));
    NF_TRY(make_events(m));
    NF_TRY(make_cells(m, m->deep, m->wide, &m->panel, &m->panel_p));
    NF_TRY(make_cells(m, m->deep, m->deep, &m->square, &m->square_p));
    NF_TRY(make_cells(m, m->high, m->deep, &m->before, NULL));
    NF_TRY(make_cells(m, m->high, m->deep, &m->after, &m->after_p));
    for (unsigned i = 0; i < SLOTS; i++)
        NF_TRY(make_cells(m, m->high, m->wide, &m->slots[i].cells, &m->slots[i].parents));
    NF_TRY(make_flags(m));
    NF_TRY(kleene_open(&m->s, copied_cells(&m->s.x, m->deep), false, &m->k));
    for (unsigned i = 0; i < SLOTS; i++) /* memory is there in the order of the device's stream */
        NF_TRY_CUDA(d, cudaEventRecord(m->slots[i].back, d->stream));
    nf__log(d->ctx, NF_LOG_DEBUG, "tiles: rows %u, block %llu, bytes %llu", t->tile, (unsigned long long)m->deep,
            (unsigned long long)bytes_of(m));
    *self = m;
    m = NULL;
done:
    close_mill(m);
    return st;
}

/* Runs from every vertex, on the device. */
static nf_status run_rows(nf__run *run)
{
    const nf__algorithm *const method = run->stats.weight_sign < 0 ? &apsp_johnson : &apsp_n_sssp;
    const turn t = turn_take(run, method);
    const nf_status st = method->run(run, NULL);
    turn_end(run, t);
    return st;
}

extern const nf__tile_worker tile_worker = {
    .ahead = SLOTS,
    .pays = dense_pays,
    .check = turn_refuse_cycles,
    .plan = plan_tiles,
    .open = open_mill,
    .close = close_mill,
    .panel = take_panel,
    .start = start_tile,
    .finish = finish_tiles,
    .lock = lock_memory,
    .seconds = tile_seconds,
    .rows = run_rows,
};

} /* namespace SIMT_FLAVOUR */
