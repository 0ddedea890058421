/* minplus.c - packing, tiling and threads around the kernels, and blocked closure.
 *
 * Method: Goto and van de Geijn 2008 for the product; Venkataraman, Sahni, Mukhopadhyaya 2003 for the closure: the
 * diagonal block first, then its rows and columns, then everything else by one product. The diagonal block is closed by
 * the same three phases with smaller blocks, and those by three loops.
 * Invariants
 *   M1 every cell is at all times the length of some walk, or "no path";
 *   M2 rows k are packed before the first cell changes, and a barrier stands between; a thread packs columns k of a lot
 *      of rows before it changes that lot, which nobody else reads or changes;
 *   M3 each cell is changed by one thread in each piece.
 * Cost: one kernel step per (i, j, k); packing adds 1 / depth and 1 / cols of that in copies.
 */
#include "cpu/minplus.h"

#include <assert.h>
#include <omp.h>

/* Block of the closure inside a diagonal block, and the size that plain loops close. */
#define SMALL_BLOCK 32
/* Rows of a are handed to threads in lots of so many strips: 48 rows of 8, about 1 ms for 4,096 columns. */
#define STRIPS_A_LOT 6
_Static_assert(STRIPS_A_LOT * 8 <= NF__LOT_ROWS, "strips have 8 rows at most");
/* Steps below which waking threads costs more than it saves. */
#define SERIAL_STEPS (1 << 18)

typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* A block of the room, or block i of its own. */
static void *take_block(nf__minplus *core, unsigned i, uint64_t count, uint64_t size)
{
    const uint64_t bytes = (count * size + 63) / 64 * 64;
    if (core->room == NULL || bytes > core->roomy)
        return core->own[i] = nf__alloc(nf__context_mem(core->ctx), count, (size_t)size);
    char *block = core->room;
    core->room += bytes;
    core->roomy -= bytes;
    return block;
}

nf_status nf__minplus_create(nf__minplus *core, bool positive, const char *kernels)
{
    nf_status st = NF_OK;
    const nf__kernels *set = nf__kernels_for(core->cell, positive, kernels);
    core->a = core->b = core->b_p = NULL;
    core->own[0] = core->own[1] = core->own[2] = NULL;
    core->depth = core->depth != 0 ? core->depth : NF__DEPTH;
    if (set == NULL)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "this processor has no %s", kernels));
    core->width = nf_type_size(core->cell);
    core->tiler = core->p != NULL ? &set->tracking : &set->plain;
    assert(core->tiler->rows <= 8);
    core->cols = divide_up(core->cols != 0 ? core->cols : core->n, core->tiler->cols) * core->tiler->cols;
    const size_t lot = STRIPS_A_LOT * core->tiler->rows, lots = divide_up(core->n, lot);
    const size_t threads = (size_t)nf__context_threads(core->ctx);
    core->team = (int)(threads < lots ? threads : lots);
    NF_TRY_ALLOC(core->a, take_block(core, 0, (uint64_t)core->team * lot, core->depth * core->width));
    NF_TRY_ALLOC(core->b, take_block(core, 1, core->cols, core->depth * core->width));
    if (core->p != NULL)
        NF_TRY_ALLOC(core->b_p, take_block(core, 2, core->cols, core->depth * sizeof(nf_vid)));
done:
    return st;
}

void nf__minplus_free(nf__minplus *core)
{
    for (unsigned i = 0; i < 3; i++)
        nf__free(core->own[i]);
}

static char *row_of(const nf__minplus *c, size_t i)
{
    return c->d + (i - c->top) * c->n * c->width;
}

static const char *k_row_of(const nf__minplus *c, size_t k)
{
    return c->k_d != NULL ? c->k_d + (k - c->k_top) * c->n * c->width : row_of(c, k);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* One strip of rows i .. i+rows-1 (beyond i1: "no path"), as a[k][r]; one of columns, as b[k][x]. Cells are words. */
#define DEFINE_PACK(bits)                                                                                     \
    static void pack_a_##bits(const nf__minplus *c, const nf__product *q, size_t i, void *a, word##bits none) \
    {                                                                                                         \
        const size_t rows = c->tiler->rows, depth = q->k1 - q->k0;                                            \
        word##bits *to = a;                                                                                   \
        for (size_t r = 0; r < rows; r++) {                                                                   \
            const word##bits *from = (const word##bits *)(const void *)row_of(c, i + r) + q->k0;              \
            for (size_t k = 0; k < depth; k++)                                                                \
                to[k * rows + r] = i + r < q->i1 ? from[k] : none;                                            \
        }                                                                                                     \
    }                                                                                                         \
    static void pack_b_##bits(const nf__minplus *c, const nf__product *q, size_t j, word##bits none)          \
    {                                                                                                         \
        const size_t cols = c->tiler->cols, depth = q->k1 - q->k0;                                            \
        const size_t real = j + cols <= q->j1 ? cols : q->j1 - j;                                             \
        word##bits *to = (word##bits *)c->b + (j - q->j0) * depth;                                            \
        for (size_t k = 0; k < depth; k++, to += cols) {                                                      \
            memcpy(to, k_row_of(c, q->k0 + k) + j * sizeof none, real * sizeof none);                         \
            for (size_t x = real; x < cols; x++)                                                              \
                to[x] = none;                                                                                 \
        }                                                                                                     \
    }
DEFINE_PACK(32)
DEFINE_PACK(64)

/* The bits of the cell's "no path", which stands for what is past the edge. */
static uint64_t none_of(const nf__minplus *c)
{
    const float f = INFINITY;
    const double g = (double)INFINITY;
    uint32_t none32 = NF__NONE_I32;
    uint64_t none64 = NF__NONE_I64;
    if (c->cell == NF_F32)
        memcpy(&none32, &f, sizeof f);
    if (c->cell == NF_F64)
        memcpy(&none64, &g, sizeof g);
    return c->width == 4 ? none32 : none64;
}

static void pack_rows(const nf__minplus *c, const nf__product *q, size_t i, void *a)
{
    if (c->width == 4)
        pack_a_32(c, q, i, a, (uint32_t)none_of(c));
    else
        pack_a_64(c, q, i, a, none_of(c));
}

static void pack_cols(const nf__minplus *c, const nf__product *q, size_t j)
{
    if (c->width == 4)
        pack_b_32(c, q, j, (uint32_t)none_of(c));
    else
        pack_b_64(c, q, j, none_of(c));
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* p[i][j] = the parent of j in the row of the k that won (parents of packed rows: M2). */
static void follow(const nf__minplus *c, const nf__product *q, size_t i, size_t j, size_t rows, size_t cols,
                   const uint32_t *which)
{
    const size_t pitch = q->j1 - q->j0;
    for (size_t r = 0; r < rows; r++)
        for (size_t x = 0; x < cols; x++) {
            const uint32_t k = which[r * c->tiler->cols + x];
            if (k != UINT32_MAX)
                c->p[(i + r - c->top) * c->n + j + x] = c->b_p[k * pitch + (j - q->j0) + x];
        }
}

/* The tile at (i, j), of which rows x cols are inside, with its packed strip of a; where it is cut off, by way of a
 * whole one. */
static bool fold_tile(const nf__minplus *c, const nf__product *q, const char *a, size_t i, size_t j, size_t rows,
                      size_t cols)
{
    _Alignas(64) char room[NF__TILE_BYTES];
    uint32_t which[NF__TILE_CELLS];
    const nf__tiler *t = c->tiler;
    const size_t depth = q->k1 - q->k0, w = c->width;
    const char *b = (const char *)c->b + (j - q->j0) * depth * w;
    char *d = row_of(c, i) + j * w, *tile = d;
    size_t ld = c->n;
    const bool whole = rows == t->rows && cols == t->cols;
    if (!whole) {
        memset(room, 0x80, t->rows * t->cols * w); /* below "no path": nothing wins past the edge */
        for (size_t r = 0; r < rows; r++)
            memcpy(room + r * t->cols * w, d + r * ld * w, cols * w);
        tile = room, ld = t->cols;
    }
    const bool fell = t->plain != NULL ? t->plain(a, b, depth, tile, ld) : t->tracking(a, b, depth, tile, ld, which);
    for (size_t r = 0; !whole && r < rows; r++)
        memcpy(d + r * c->n * w, room + r * t->cols * w, cols * w);
    if (fell && t->plain == NULL)
        follow(c, q, i, j, rows, cols, which);
    return fell;
}

/* Is from .. from+count-1 all in the slice's own range, which `outside` leaves out? */
static bool left_out(const nf__product *q, size_t from, size_t count)
{
    return q->outside && from >= q->k0 && from + count <= q->k1;
}

/* A lot of strips of rows against every strip of columns, by thread `me`; returns the steps made. */
static uint64_t fold_lot(const nf__minplus *c, const nf__product *q, size_t lot, int me, bool *fell)
{
    const nf__tiler *t = c->tiler;
    const size_t most = STRIPS_A_LOT * t->rows, first = q->i0 + lot * most, depth = q->k1 - q->k0;
    const size_t past = q->i1 - first < most ? q->i1 : first + most;
    char *const a = (char *)c->a + (size_t)me * most * c->depth * c->width;
    uint64_t steps = 0;
    for (size_t i = first; i < past; i += t->rows)
        pack_rows(c, q, i, a + (i - first) * depth * c->width);
    for (size_t j = q->j0; j < q->j1; j += t->cols) {
        const size_t cols = q->j1 - j < t->cols ? q->j1 - j : t->cols;
        if (left_out(q, j, cols))
            continue;
        for (size_t i = first; i < past; i += t->rows) {
            const size_t rows = past - i < t->rows ? past - i : t->rows;
            if (left_out(q, i, rows))
                continue;
            *fell |= fold_tile(c, q, a + (i - first) * depth * c->width, i, j, rows, cols);
            steps += (uint64_t)rows * cols * depth;
        }
    }
    return steps;
}

static const nf_vid *k_parents(const nf__minplus *c, size_t k)
{
    return c->k_p != NULL ? c->k_p + (k - c->k_top) * c->n : c->p + (k - c->top) * c->n;
}

/* ---- a piece ----------------------------------------------------------------------------------------------------- */

static nf_status fold_piece(nf__minplus *c, const nf__product *q, bool *any)
{
    const size_t height = q->i1 - q->i0, breadth = q->j1 - q->j0, depth = q->k1 - q->k0;
    const size_t b_strips = divide_up(breadth, c->tiler->cols), lots = divide_up(height, STRIPS_A_LOT * c->tiler->rows);
    const int threads = height * breadth * depth < SERIAL_STEPS ? 1 : c->team;
    uint64_t steps = 0;
    bool fell = false, stop = false;
    nf_status st = NF_OK; /* of the thread that called */
#pragma omp parallel num_threads(threads) reduction(+ : steps) reduction(|| : fell)
    {
#pragma omp for schedule(static) nowait
        for (size_t s = 0; s < b_strips; s++)
            pack_cols(c, q, q->j0 + s * c->tiler->cols);
#pragma omp for schedule(static)
        for (size_t k = 0; k < (c->p != NULL ? depth : 0); k++)
            memcpy(c->b_p + k * breadth, k_parents(c, q->k0 + k) + q->j0, breadth * sizeof(nf_vid));
#pragma omp for schedule(dynamic, 1) /* after a barrier: M2 */
        for (size_t lot = 0; lot < lots; lot++) {
            bool stopped, mine = false;
            const int me = omp_get_thread_num();
            const uint64_t made = c->done + steps < c->total ? c->done + steps : c->total; /* some are made twice */
            if (me == 0 && (st = nf__progress(c->ctx, c->phase, made, c->total)) != NF_OK) {
#pragma omp atomic write
                stop = true;
            }
#pragma omp atomic read
            stopped = stop;
            if (stopped)
                continue;
            steps += fold_lot(c, q, lot, me, &mine);
            fell = fell || mine;
        }
    }
    c->steps += steps;
    c->done += steps;
    c->blocks++;
    *any |= fell;
    return st;
}

nf_status nf__minplus_fold(nf__minplus *core, nf__product q, bool *fell)
{
    nf_status st = NF_OK;
    bool any = false;
    if (q.i0 >= q.i1 || q.j0 >= q.j1)
        return NF_OK;
    for (size_t k = q.k0; k < q.k1; k += core->depth)
        for (size_t j = q.j0; j < q.j1; j += core->cols) {
            nf__product piece = q;
            piece.k0 = k;
            piece.k1 = q.k1 - k < core->depth ? q.k1 : k + core->depth;
            piece.j0 = j;
            piece.j1 = q.j1 - j < core->cols ? q.j1 : j + core->cols;
            NF_TRY(fold_piece(core, &piece, &any));
        }
    if (fell != NULL)
        *fell |= any;
done:
    return st;
}

/* ---- closure ----------------------------------------------------------------------------------------------------- */

#define DEFINE_LOOPS(name, D)                                              \
    static void name(const nf__minplus *c, size_t lo, size_t hi)           \
    {                                                                      \
        const size_t n = c->n, top = c->top;                               \
        for (size_t k = lo; k < hi; k++)                                   \
            for (size_t i = lo; i < hi; i++) {                             \
                D *d = (D *)(void *)row_of(c, i);                          \
                const D *from = (const D *)(void *)row_of(c, k);           \
                for (size_t j = lo; j < hi; j++) {                         \
                    const D sum = d[k] + from[j];                          \
                    if (!(sum < d[j]))                                     \
                        continue;                                          \
                    d[j] = sum;                                            \
                    if (c->p != NULL)                                      \
                        c->p[(i - top) * n + j] = c->p[(k - top) * n + j]; \
                }                                                          \
            }                                                              \
    }
DEFINE_LOOPS(loops_i32, int32_t)
DEFINE_LOOPS(loops_i64, int64_t)
DEFINE_LOOPS(loops_f32, float)
DEFINE_LOOPS(loops_f64, double)

static void close_by_loops(nf__minplus *c, size_t lo, size_t hi)
{
    const uint64_t size = hi - lo;
    switch (c->cell) {
    case NF_I32: loops_i32(c, lo, hi); break;
    case NF_I64: loops_i64(c, lo, hi); break;
    case NF_F32: loops_f32(c, lo, hi); break;
    default: loops_f64(c, lo, hi); break;
    }
    c->steps += size * size * size;
}

static nf_status close_in_blocks(nf__minplus *c, size_t lo, size_t hi, size_t block)
{
    nf_status st = NF_OK;
    for (size_t k = lo; k < hi; k += block) {
        const size_t past = hi - k < block ? hi : k + block;
        if (block > SMALL_BLOCK)
            NF_TRY(close_in_blocks(c, k, past, SMALL_BLOCK));
        else
            close_by_loops(c, k, past);
        if (k == lo && past == hi)
            break;
        NF_TRY(nf__minplus_fold(c, (nf__product){k, past, lo, hi, k, past, false}, NULL));
        NF_TRY(nf__minplus_fold(c, (nf__product){lo, hi, k, past, k, past, false}, NULL));
        NF_TRY(nf__minplus_fold(c, (nf__product){lo, hi, lo, hi, k, past, true}, NULL));
    }
done:
    return st;
}

nf_status nf__minplus_close(nf__minplus *core, size_t lo, size_t hi)
{
    return close_in_blocks(core, lo, hi, core->depth);
}
