/* minplus.cu - products over (min, +) on the device: the host's side of minplus.cuh. */
#include "gpu/minplus.cuh"

namespace SIMT_FLAVOUR
{

/* Up to here the medium form, up to there the small one: the large one has too few tiles for the device. */
#define MEDIUM_MOST 1536u
#define SMALL_MOST 160u

/* The kernels of a ring and a form. */
typedef struct minplus_methods {
    unsigned rows, cols, pivot, threads, shared; /* of a tile */
    nf_status (*close)(minplus *x, unsigned at, cudaStream_t stream);
    nf_status (*panels)(minplus *x, unsigned at, cudaStream_t stream);
    nf_status (*pass)(minplus *x, unsigned at, fold_part part, unsigned blocks, cudaStream_t stream);
    nf_status (*multiply)(minplus *x, const minplus_product *q, cudaStream_t stream);
} minplus_methods;

static const minplus_methods *methods_of(nf_type cell, bool positive, int form);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The matrix from a cell on. */
template <class Cell> static Cell *cell_at(const minplus *x, uint64_t row, uint64_t col)
{
    return static_cast<Cell *>(x->m.values) + row * x->m.pitch + col;
}

static uint32_t *parent_at(const minplus *x, uint64_t row, uint64_t col)
{
    return x->parents == NULL ? NULL : x->parents + row * x->m.pitch + col;
}

/* In place, all pitches those of the matrix. */
template <class Cell> static fold<Cell> fold_at(const minplus *x, uint64_t row, uint64_t col)
{
    fold<Cell> q = {};
    q.in = q.out = cell_at<Cell>(x, row, col);
    q.p = parent_at(x, row, col);
    q.pitch = q.pitch_a = q.pitch_b = q.pitch_p = x->m.pitch;
    q.depth = x->pivot;
    return q;
}

template <class R, int Form> static nf_status launch_close(minplus *x, unsigned at, cudaStream_t stream)
{
    typedef typename R::cell cell;
    nf_status st = NF_OK;
    const fold<cell> q = fold_at<cell>(x, at, at);
    const unsigned threads = closing<R, Form>::THREADS;
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((close_kernel<R, Form>), 1, threads, 0, stream, q));
done:
    return st;
}

template <class R, int Form> static nf_status launch_panels(minplus *x, unsigned at, cudaStream_t stream)
{
    typedef typename R::cell cell;
    typedef typename strips<R, Form>::rows Rows;
    typedef typename strips<R, Form>::cols Cols;
    nf_status st = NF_OK;
    const unsigned side = (unsigned)x->m.rows, many = side / Rows::COLS, threads = Rows::THREADS;
    const int shared = (int)Rows::SHARED > (int)Cols::SHARED ? (int)Rows::SHARED : (int)Cols::SHARED;
    const uint64_t bytes = (uint64_t)x->pivot * x->m.pitch * sizeof(uint32_t);
    fold<cell> rows = fold_at<cell>(x, at, 0), cols = fold_at<cell>(x, 0, at);
    rows.pivot = cols.pivot = at;
    rows.a = cols.b = cell_at<cell>(x, at, at);
    rows.b = rows.in;
    cols.a = cols.in;
    rows.p_b = x->before;
    cols.p_b = parent_at(x, at, at);
    if (x->parents != NULL)
        NF_TRY_CUDA(x->d, cudaMemcpyAsync(x->before, parent_at(x, at, 0), bytes, cudaMemcpyDeviceToDevice, stream));
    NF_TRY_CUDA(x->d, cudaFuncSetAttribute((const void *)(panel_kernel<R, Form>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((panel_kernel<R, Form>), many + side / Cols::ROWS, threads, (size_t)shared, stream,
                                  rows, cols, many));
done:
    return st;
}

template <class R, int Form>
static nf_status launch_fold(minplus *x, const fold<typename R::cell> &q, fold_part part, unsigned blocks,
                             cudaStream_t stream)
{
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned threads = T::THREADS, shared = T::SHARED;
    NF_TRY_CUDA(x->d, cudaFuncSetAttribute((const void *)(fold_kernel<R, Form>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((fold_kernel<R, Form>), blocks, threads, shared, stream, q, part));
done:
    return st;
}

template <class R, int Form>
static nf_status launch_pass(minplus *x, unsigned at, fold_part part, unsigned blocks, cudaStream_t stream)
{
    typedef typename R::cell cell;
    fold<cell> q = fold_at<cell>(x, 0, 0);
    q.a = cell_at<cell>(x, 0, at);
    q.b = cell_at<cell>(x, at, 0);
    q.p_b = parent_at(x, at, 0);
    q.kept = at;
    q.kept_many = x->pivot;
    return launch_fold<R, Form>(x, q, part, blocks, stream);
}

/* With parents a pivot's depth at a time (M3). */
template <class R, int Form> static nf_status launch_multiply(minplus *x, const minplus_product *m, cudaStream_t stream)
{
    typedef typename R::cell cell;
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned deep = m->k1 - m->k0, each = x->parents != NULL && deep > T::PIVOT ? (unsigned)T::PIVOT : deep;
    const unsigned across = (m->j1 - m->j0) / T::COLS, down = (m->i1 - m->i0) / T::ROWS;
    const fold_part part = {FOLD_ALL, across, 0, 0};
    fold<cell> q = fold_at<cell>(x, m->i0, m->j0);
    q.a = m->a != NULL ? static_cast<const cell *>(m->a) : cell_at<cell>(x, m->i0, m->k0);
    q.b = m->b != NULL ? static_cast<const cell *>(m->b) : cell_at<cell>(x, m->k0, m->j0);
    q.p_b = m->b != NULL ? m->p_b : parent_at(x, m->k0, m->j0);
    q.pitch_a = m->a != NULL ? m->pitch_a : q.pitch_a;
    q.pitch_b = q.pitch_p = m->b != NULL ? m->pitch_b : q.pitch_b;
    q.depth = each;
    q.fell = m->fell;
    for (unsigned k = 0; k < deep; k += each, q.a += each, q.b += each * q.pitch_b) {
        NF_TRY((launch_fold<R, Form>(x, q, part, across * down, stream)));
        q.p_b = q.p_b != NULL ? q.p_b + each * q.pitch_p : NULL;
    }
done:
    return st;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

#define METHODS(R, Form)                                                                                  \
    {                                                                                                     \
        tiling<R, Form>::ROWS, tiling<R, Form>::COLS, tiling<R, Form>::PIVOT, tiling<R, Form>::THREADS,   \
            tiling<R, Form>::SHARED, launch_close<R, Form>, launch_panels<R, Form>, launch_pass<R, Form>, \
            launch_multiply<R, Form>                                                                      \
    }
#define RING(R)                                                                 \
    {                                                                           \
        METHODS(R, FORM_SMALL), METHODS(R, FORM_MEDIUM), METHODS(R, FORM_LARGE) \
    }

static const minplus_methods *methods_of(nf_type cell, bool positive, int form)
{
    static const minplus_methods all[5][3] = {RING(ring_i32), RING(ring_i64), RING(ring_p32), RING(ring_f32),
                                              RING(ring_f64)};
    switch (cell) {
    case NF_I32: return &all[0][form];
    case NF_I64: return &all[1][form];
    case NF_F32: return &all[positive ? 2 : 3][form];
    default: return &all[4][form];
    }
}

static const minplus_methods *methods(const minplus *x)
{
    return methods_of(x->cell, x->positive, x->form);
}

/* ---- for methods ------------------------------------------------------------------------------------------------- */

void minplus_shape(minplus *x, uint64_t n, int asked)
{
    x->form = asked >= 0 ? asked : n <= SMALL_MOST ? FORM_SMALL : n <= MEDIUM_MOST ? FORM_MEDIUM : FORM_LARGE;
    while (x->form > FORM_SMALL && (methods(x)->threads > x->d->block_most || methods(x)->shared > x->d->shared_most))
        x->form--;
    x->pivot = methods(x)->pivot;
    x->tile = methods(x)->cols;
}

uint64_t minplus_bytes(const minplus *x, uint64_t n, bool parents)
{
    const uint64_t side = (n + x->tile - 1) / x->tile * x->tile;
    return side * side * (nf_type_size(x->cell) + (parents ? sizeof(uint32_t) : 0))
           + (parents ? x->pivot * side * sizeof(uint32_t) : 0);
}

nf_status minplus_close(minplus *x, unsigned at, cudaStream_t stream)
{
    x->steps += (uint64_t)x->pivot * x->pivot * x->pivot;
    x->launches++;
    return methods(x)->close(x, at, stream);
}

nf_status minplus_panels(minplus *x, unsigned at, cudaStream_t stream)
{
    x->steps += 2 * (uint64_t)(x->m.rows - x->pivot) * x->pivot * x->pivot;
    x->launches++;
    return methods(x)->panels(x, at, stream);
}

nf_status minplus_pass(minplus *x, unsigned at, int which, unsigned next, cudaStream_t stream)
{
    const minplus_methods *const m = methods(x);
    const unsigned side = (unsigned)x->m.rows, across = side / m->cols, down = side / m->rows;
    const fold_part part = {which, across, next / m->rows, next / m->cols};
    const uint64_t rest = side - x->pivot;
    if (which != FOLD_CROSS) /* counted once for a pivot */
        x->steps += rest * rest * x->pivot;
    x->launches++;
    return m->pass(x, at, part, which == FOLD_CROSS ? across + down : across * down, stream);
}

nf_status minplus_multiply(minplus *x, const minplus_product *q, cudaStream_t stream)
{
    const minplus_methods *m = methods(x);
    const unsigned down = q->i1 - q->i0, across = q->j1 - q->j0;
    if (x->form == FORM_LARGE
        && (down % m->rows != 0 || across % m->cols != 0
            || down / m->rows * (across / m->cols) < (unsigned)x->d->multiprocessors))
        m = methods_of(x->cell, x->positive, FORM_MEDIUM);
    x->steps += (uint64_t)down * across * (q->k1 - q->k0);
    x->launches++;
    return m->multiply(x, q, stream);
}

} /* namespace SIMT_FLAVOUR */
