/* minplus.cu - products over (min, +) on the device: which kernels serve a matrix, and what is counted. */
#include "gpu/minplus.h"

#include <assert.h>

namespace SIMT_FLAVOUR
{

/* Up to here the medium form, up to there the small one: the large one has too few tiles for the device. */
#define MEDIUM_MOST 1536u
#define SMALL_MOST 160u
/* From here on two pivots are passed at once, four with parents: what a tile's cells cost to read and write is spread
 * over more steps, but the square costs more to close. H200, f32, ms by one, two and four: n = 4096 5.7, 7.5, 9.3; 8192
 * 43.0, 40.6, 42.1; 16384 329, 306, 305; with parents 952, 1012, 921. With packed strips, by two, four and eight: 8192
 * 35.0, 39.2, 43.1; 16384 261.5, 257.1, 258.5; symmetric, by one, two, four and eight: 8192 19.5, 20.1, 24.3, 27.7;
 * 16384 141, 134, 132, 144; with parents 8192 49.5, 42.1, 50.1, 59.3; 16384 362, 294, 278, 293.
 */
#define DEEP_LEAST 6144u
/* From so many tiles a multiprocessor on, the next square of a symmetric matrix is closed beside those of its rows and
 * columns. With fewer there is room for all, and the tiles of the core are quicker than a block by itself; in all of a
 * matrix the rest of the product takes longer than the next block anyway. H200, f32, ms with and without: n = 2,048
 * 1.59, 1.44 (2 tiles); 4,096 3.51, 4.21 (8), with parents 8.7, 9.9; all of it 5.04, 5.03, with parents 11.6, 11.1. */
#define PAST_TILES 6u

/* ---- strips ------------------------------------------------------------------------------------------------------ */

#define COPY_THREADS 256u

/* So many rows of so many bytes, whole sixteens; from: `pitch` apart, to: side by side. */
struct strip_copy {
    const char *from;
    char *to;
    uint64_t pitch, bytes, rows;
};

static __device__ void copy_strip(const strip_copy &s)
{
    const uint64_t each = s.bytes / 16, step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < each * s.rows; i += step)
        *reinterpret_cast<uint4 *>(s.to + i * 16) = simt_load16(s.from + i / each * s.pitch + i % each * 16);
}

static __global__ void __launch_bounds__(COPY_THREADS)
    copy_kernel(const strip_copy rows, const strip_copy cols, const strip_copy parents)
{
    copy_strip(rows);
    copy_strip(cols);
    if (parents.from != NULL)
        copy_strip(parents);
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

static const minplus_methods *plain_of(const minplus *x, int form)
{
    const int follow = x->follow;
    switch (x->cell) {
    case NF_I32: return !x->narrow ? &minplus_i32[follow][form] : x->positive ? &minplus_n16[form] : &minplus_i16[form];
    case NF_I64: return &minplus_i64[follow][form];
    case NF_F32: return x->positive ? &minplus_p32[follow][form] : &minplus_f32[follow][form];
    default: return &minplus_f64[follow][form];
    }
}

static const minplus_methods *lazy_of(const minplus *x, int form)
{
    const int follow = x->follow;
    switch (x->cell) {
    case NF_I32: return &minplus_lazy_i32[follow][form];
    case NF_I64: return &minplus_lazy_i64[follow][form];
    case NF_F32: return x->positive ? &minplus_lazy_p32[follow][form] : &minplus_lazy_f32[follow][form];
    default: return &minplus_lazy_f64[follow][form];
    }
}

static const minplus_methods *methods_of(const minplus *x, int form)
{
    return x->lazy == LAZY_NONE ? plain_of(x, form) : lazy_of(x, form);
}

static const minplus_methods *methods(const minplus *x)
{
    return methods_of(x, x->form);
}

unsigned minplus_width(const minplus *x)
{
    return x->narrow ? (unsigned)sizeof(int16_t) : (unsigned)nf_type_size(x->cell);
}

/* Pivots that are passed at once. */
static unsigned pivots_of(const minplus *x, uint64_t n)
{
    const bool large = n >= DEEP_LEAST, very = n >= 2 * DEEP_LEAST;
    if (x->symmetric)
        return very ? (x->follow || x->packs ? 4 : 2) : large && x->follow ? 2 : 1;
    return very && x->packs ? 4 : large ? (x->follow ? 4 : 2) : 1;
}

void minplus_shape(minplus *x, uint64_t n, int asked)
{
    assert(!x->narrow || (x->cell == NF_I32 && !x->follow && x->lazy == LAZY_NONE));
    x->form = asked >= 0 ? asked : n <= SMALL_MOST ? FORM_SMALL : n <= MEDIUM_MOST ? FORM_MEDIUM : FORM_LARGE;
    while (x->form > FORM_SMALL && (methods(x)->threads > x->d->block_most || methods(x)->shared > x->d->shared_most))
        x->form--;
    x->packs = methods(x)->packs;
    x->pivot = methods(x)->pivot;
    x->deep = x->pivot;
    if (x->form == FORM_LARGE)
        x->deep = pivots_of(x, n) * x->pivot;
    x->tile = methods(x)->rows > methods(x)->cols ? methods(x)->rows : methods(x)->cols;
}

uint64_t minplus_bytes(const minplus *x, uint64_t n)
{
    const uint64_t side = whole(n, x->tile);
    const uint64_t copies = x->deep > x->pivot ? (side + x->deep) * x->deep : 0; /* of strips (kleene.cu) */
    return (side * side + copies) * (minplus_width(x) + (x->follow ? sizeof(uint32_t) : 0))
           + (x->follow ? x->pivot * side * sizeof(uint32_t) : 0)
           + (x->lazy == LAZY_TILE ? minplus_flags(side, side) : 0);
}

uint64_t minplus_tiles(const minplus *x)
{
    return x->m.rows / methods(x)->rows * (x->m.rows / methods(x)->cols);
}

unsigned minplus_span(const minplus *x, unsigned at)
{
    const uint64_t rest = x->m.rows - at;
    return rest < x->deep ? (unsigned)rest : x->deep;
}

nf_status minplus_close(minplus *x, unsigned at, const unsigned *past, cudaStream_t stream)
{
    x->steps += (uint64_t)x->pivot * x->pivot * x->pivot; /* what follows another counts with the rest */
    x->launches++;
    return plain_of(x, x->form)->close(x, at, past, stream);
}

bool minplus_closes_past(const minplus *x)
{
    return x->symmetric && x->deep == x->pivot && x->pivot % methods(x)->rows == 0 && x->pivot % methods(x)->cols == 0
           && minplus_tiles(x) >= PAST_TILES * (uint64_t)x->d->multiprocessors;
}

nf_status minplus_panels(minplus *x, unsigned at, cudaStream_t stream)
{
    x->steps += (x->symmetric ? 1 : 2) * (uint64_t)(x->m.rows - x->pivot) * x->pivot * x->pivot;
    x->launches++;
    return methods(x)->panels(x, at, stream);
}

/* The row of tiles that the lower half begins with: as many tiles above it as below. */
static unsigned middle_of(const minplus *x, unsigned rows, unsigned cols)
{
    const unsigned tiles = (unsigned)x->m.rows / rows, across = (unsigned)x->m.rows / cols;
    uint64_t all = 0, above = 0;
    unsigned middle = 0;
    for (unsigned row = 0; row < tiles; row++)
        all += across - (x->symmetric ? first_upper(row, rows, cols) : 0);
    for (; middle < tiles && 2 * above < all; middle++)
        above += across - (x->symmetric ? first_upper(middle, rows, cols) : 0);
    return middle;
}

/* Cells of the tiles that pass a block. */
static uint64_t cells_of(const minplus *x, const fold_part &part, unsigned rows, unsigned cols)
{
    const unsigned tiles = (unsigned)x->m.rows / rows, end = part.kept_col + part.kept_cols;
    uint64_t many = 0;
    for (unsigned row = 0; row < tiles; row++) {
        const unsigned first = first_upper(row, rows, cols), from = first > part.kept_col ? first : part.kept_col;
        if (row - part.kept_row >= part.kept_rows)
            many += part.across - first - (from < end ? end - from : 0);
    }
    return many * rows * cols;
}

nf_status minplus_pass(minplus *x, unsigned at, int which, unsigned next, int half, bool apart,
                       const minplus_strips *from, cudaStream_t stream)
{
    const minplus_methods *const m = methods(x);
    const unsigned side = (unsigned)x->m.rows, row = next / m->rows, col = next / m->cols;
    const unsigned deep = minplus_span(x, at), last = next + minplus_span(x, next) - 1;
    const unsigned tiles = side / m->rows, middle = middle_of(x, m->rows, m->cols);
    const unsigned top = half == HALF_LOWER ? middle : 0;
    const fold_part part = {which,
                            top,
                            (half == HALF_UPPER ? middle : tiles) - top,
                            side / m->cols,
                            row,
                            last / m->rows - row + 1,
                            col,
                            last / m->cols - col + 1,
                            at / m->rows,
                            at % m->rows == 0 ? deep / m->rows : 0,
                            at / m->cols,
                            at % m->cols == 0 ? deep / m->cols : 0,
                            x->symmetric,
                            apart};
    const uint64_t rest = side - deep;
    assert(half == HALF_BOTH || which != FOLD_CROSS);
    if (which != FOLD_CROSS && half != HALF_LOWER) /* counted once */
        x->steps += (x->symmetric ? cells_of(x, part, m->rows, m->cols) : rest * rest) * deep;
    x->launches++;
    return m->pass(x, at, &part, from, stream);
}

nf_status minplus_copy_strips(minplus *x, unsigned at, const minplus_strips *to, cudaStream_t stream)
{
    nf_status st = NF_OK;
    const uint64_t side = x->m.rows, deep = minplus_span(x, at), row = x->m.pitch * minplus_width(x);
    if (to->packed)
        return minplus_pack_strips(x, at, to, stream);
    const strip_copy all[] = {{static_cast<const char *>(x->m.values) + at * row, to->rows, row, row, deep},
                              {static_cast<const char *>(x->m.values) + (uint64_t)at * minplus_width(x), to->cols, row,
                               deep * minplus_width(x), side},
                              {x->parents != NULL ? reinterpret_cast<const char *>(x->parents + at * x->m.pitch) : NULL,
                               reinterpret_cast<char *>(to->parents), x->m.pitch * 4, x->m.pitch * 4, deep}};
    const unsigned threads = device_block(x->d, COPY_THREADS), blocks = (unsigned)x->d->multiprocessors;
    x->launches++;
    NF_TRY_CUDA(x->d, SIMT_LAUNCH(copy_kernel, blocks, threads, 0, stream, all[0], all[1], all[2]));
done:
    return st;
}

nf_status minplus_multiply(minplus *x, const minplus_product *q, cudaStream_t stream)
{
    const minplus_methods *m = methods(x);
    const unsigned down = q->i1 - q->i0, across = q->j1 - q->j0;
    if (x->form == FORM_LARGE
        && (down % m->rows != 0 || across % m->cols != 0
            || down / m->rows * (across / m->cols) < (unsigned)x->d->multiprocessors))
        m = methods_of(x, FORM_MEDIUM);
    x->steps += (uint64_t)down * across * (q->k1 - q->k0);
    x->launches++;
    return m->multiply(x, q, stream);
}

} /* namespace SIMT_FLAVOUR */
