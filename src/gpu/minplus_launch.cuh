/* minplus_launch.cuh - how the kernels of minplus.cuh are launched, and the table of a ring's. Each ring has a file of
 * its own (minplus_i32.cu and its kin), so that they are compiled side by side. */
#ifndef NF_GPU_MINPLUS_LAUNCH_CUH
#define NF_GPU_MINPLUS_LAUNCH_CUH

#include "gpu/minplus.cuh"

namespace SIMT_FLAVOUR
{

/* The matrix from a cell on. */
template <class Cell> static Cell *cell_at(const minplus *x, uint64_t row, uint64_t col)
{
    return static_cast<Cell *>(x->m.values) + row * x->m.pitch + col;
}

static inline uint32_t *parent_at(const minplus *x, uint64_t row, uint64_t col)
{
    return x->parents == NULL ? NULL : x->parents + row * x->m.pitch + col;
}

template <class R> static typename R::cell ring_limit(const minplus *x)
{
    return limit_of(x->positive, typename R::cell());
}

template <> inline int32_t ring_limit<ring_p32>(const minplus *)
{
    return 0x7f800000; /* infinity's bits */
}

/* The flag of a cell's square. */
static inline uint64_t flag_at(const minplus *x, uint64_t row, uint64_t col)
{
    return row / FLAG_SIDE * (x->m.pitch / FLAG_SIDE) + col / FLAG_SIDE;
}

/* The squares of the operands: from those of a cell for a and of a cell for b on. */
template <class Cell> static void flag_operands(fold<Cell> *q, const uint8_t *finite, uint64_t a, uint64_t b)
{
    q->finite_a = finite != NULL ? finite + a : NULL;
    q->finite_b = finite != NULL ? finite + b : NULL;
}

/* Those of a product from the k-th of its depth on, where its operands have flags of their own. */
template <class Cell> static void flag_product(fold<Cell> *q, const minplus *x, const minplus_product *m, unsigned k)
{
    flag_operands(q, x->finite, flag_at(x, m->i0, m->k0 + k), flag_at(x, m->k0 + k, m->j0));
    if (m->finite_a != NULL) {
        q->pitch_finite_a = m->pitch_a / FLAG_SIDE;
        q->finite_a = m->finite_a + k / FLAG_SIDE;
    }
    if (m->finite_b != NULL) {
        q->pitch_finite_b = m->pitch_b / FLAG_SIDE;
        q->finite_b = m->finite_b + k / FLAG_SIDE * q->pitch_finite_b;
    }
}

/* In place, all pitches those of the matrix. */
template <class R> static fold<typename R::cell> fold_at(const minplus *x, uint64_t row, uint64_t col)
{
    typedef typename R::cell Cell;
    fold<Cell> q = {};
    q.in = q.out = cell_at<Cell>(x, row, col);
    q.limit = ring_limit<R>(x);
    q.finite = x->finite != NULL ? x->finite + flag_at(x, row, col) : NULL;
    q.pitch_finite = q.pitch_finite_a = q.pitch_finite_b = x->m.pitch / FLAG_SIDE;
    q.skipped = x->skipped;
    q.p = parent_at(x, row, col);
    q.pitch = q.pitch_a = q.pitch_b = q.pitch_p = x->m.pitch;
    q.depth = x->pivot;
    q.one = 1;
    return q;
}

template <class R, int Form>
static nf_status launch_close(minplus *x, unsigned at, const unsigned *past, cudaStream_t stream)
{
    typedef typename R::cell cell;
    nf_status st = NF_OK;
    fold<cell> q = fold_at<R>(x, at, at);
    const unsigned threads = closing<R, Form>::THREADS;
    if (past != NULL) {
        q.a = cell_at<cell>(x, at, *past);
        q.b = cell_at<cell>(x, *past, at);
        q.p_b = parent_at(x, *past, at);
    }
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((close_kernel<R, Form>), 1, threads, 0, stream, q));
done:
    return st;
}

/* Squares from so many tiles of the matrix a multiprocessor on. */
#define SQUARES_TILES 4u

template <class R, class Strips> static nf_status launch_strips(minplus *x, unsigned at, cudaStream_t stream)
{
    typedef typename R::cell cell;
    typedef typename Strips::rows Rows;
    typedef typename Strips::cols Cols;
    nf_status st = NF_OK;
    const unsigned side = (unsigned)x->m.rows, many = side / Rows::COLS, threads = Rows::THREADS;
    const int shared = (int)Rows::SHARED > (int)Cols::SHARED ? (int)Rows::SHARED : (int)Cols::SHARED;
    const uint64_t bytes = (uint64_t)x->pivot * x->m.pitch * sizeof(uint32_t);
    fold<cell> rows = fold_at<R>(x, at, 0), cols = fold_at<R>(x, 0, at);
    rows.pivot = cols.pivot = at;
    rows.pivot_many = x->pivot;
    rows.a = cols.b = cell_at<cell>(x, at, at);
    rows.b = rows.in;
    cols.a = cols.in;
    flag_operands(&rows, x->finite, flag_at(x, at, at), flag_at(x, at, 0));
    flag_operands(&cols, x->finite, flag_at(x, 0, at), flag_at(x, at, at));
    rows.p_b = x->before;
    cols.p_b = parent_at(x, at, at);
    if (x->symmetric) {
        rows.p_back = parent_at(x, 0, at);
        rows.p_b_back = parent_at(x, at, at);
        rows.pitch_back = x->m.pitch;
    }
    if (x->parents != NULL)
        NF_TRY_CUDA(x->d, cudaMemcpyAsync(x->before, parent_at(x, at, 0), bytes, cudaMemcpyDeviceToDevice, stream));
    NF_TRY_CUDA(x->d, cudaFuncSetAttribute((const void *)(panel_kernel<R, Strips>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((panel_kernel<R, Strips>), many + (x->symmetric ? 0 : side / Cols::ROWS), threads,
                                  (size_t)shared, stream, rows, cols, many));
done:
    return st;
}

template <class R, int Form> static nf_status launch_panels(minplus *x, unsigned at, cudaStream_t stream)
{
    if constexpr (squares<R, Form>::FIT) {
        const uint64_t across = x->m.rows / tiling<R, Form>::PIVOT, tiles = across * across / (x->symmetric ? 2 : 1);
        if (tiles >= SQUARES_TILES * (uint64_t)x->d->multiprocessors)
            return launch_strips<R, squares<R, Form>>(x, at, stream);
    }
    return launch_strips<R, strips<R, Form>>(x, at, stream);
}

template <class R, int Form>
static nf_status launch_fold(minplus *x, const fold<typename R::cell> &q, const fold_part &part, cudaStream_t stream)
{
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned threads = T::THREADS, shared = T::SHARED;
    NF_TRY_CUDA(x->d, cudaFuncSetAttribute((const void *)(fold_kernel<R, Form>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((fold_kernel<R, Form>), grid_of<T>(part), threads, shared, stream, q, part));
done:
    return st;
}

/* Which products take packed strips. */
template <class R, int Form> struct packs {
    enum { YES = Form == FORM_LARGE && loads_ahead<R>::YES };
};

template <class R, int Form>
static nf_status launch_pass(minplus *x, unsigned at, const fold_part *part, const minplus_strips *from,
                             cudaStream_t stream)
{
    typedef typename R::cell cell;
    fold<cell> q = fold_at<R>(x, 0, 0);
    q.a = from != NULL ? reinterpret_cast<const cell *>(from->cols) : cell_at<cell>(x, 0, at);
    q.b = from != NULL ? reinterpret_cast<const cell *>(from->rows) : cell_at<cell>(x, at, 0);
    q.p_b = from != NULL ? from->parents : parent_at(x, at, 0);
    q.pitch_a = from != NULL ? minplus_span(x, at) : q.pitch_a;
    flag_operands(&q, x->finite, flag_at(x, 0, at), flag_at(x, at, 0));
    q.kept = at;
    q.kept_many = q.depth = minplus_span(x, at);
    if (x->symmetric) {
        q.p_back = parent_at(x, 0, 0);
        q.p_b_back = q.p_b;
        q.pitch_back = q.pitch_p;
        q.upper = true;
    }
    if constexpr (packs<R, Form>::YES)
        if (from != NULL && from->packed)
            return launch_fold<R, Form | FORM_PACKED>(x, q, *part, stream);
    return launch_fold<R, Form>(x, q, *part, stream);
}

/* With parents a part of the depth at a time (M3), lazily what the list of slabs holds. */
template <class R, int Form> static nf_status launch_multiply(minplus *x, const minplus_product *m, cudaStream_t stream)
{
    typedef typename R::cell cell;
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned most = T::FOLLOWS ? (unsigned)T::FOLLOW_MOST : T::LAZY ? SLABS_MOST * FLAG_SIDE : ~0u;
    const unsigned deep = m->k1 - m->k0, each = deep > most ? most : deep;
    const unsigned across = (m->j1 - m->j0) / T::COLS, down = (m->i1 - m->i0) / T::ROWS;
    const fold_part part = {FOLD_ALL, 0, down, across, 0, 0, 0, 0, 0, 0, 0, 0, false, false};
    fold<cell> q = fold_at<R>(x, m->i0, m->j0);
    q.a = m->a != NULL ? static_cast<const cell *>(m->a) : cell_at<cell>(x, m->i0, m->k0);
    q.b = m->b != NULL ? static_cast<const cell *>(m->b) : cell_at<cell>(x, m->k0, m->j0);
    q.p_b = m->b != NULL ? m->p_b : parent_at(x, m->k0, m->j0);
    q.pitch_a = m->a != NULL ? m->pitch_a : q.pitch_a;
    q.pitch_b = q.pitch_p = m->b != NULL ? m->pitch_b : q.pitch_b;
    q.depth = each;
    q.fell = m->fell;
    q.p_b_back = m->p_back;
    q.pitch_back = m->pitch_back;
    if (m->p_back != NULL) {
        q.p_back = parent_at(x, m->j0, m->i0);
        q.pivot = m->i0 - m->j0;
        q.pivot_many = m->i1 - m->i0;
    }
    for (unsigned k = 0; k < deep; k += each, q.a += each, q.b += each * q.pitch_b) {
        q.depth = deep - k < each ? deep - k : each;
        flag_product(&q, x, m, k);
        NF_TRY((launch_fold<R, Form>(x, q, part, stream)));
        q.p_b = q.p_b != NULL ? q.p_b + each * q.pitch_p : NULL;
        q.p_b_back = q.p_b_back != NULL ? q.p_b_back + each * q.pitch_back : NULL;
    }
done:
    return st;
}

static constexpr unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Threads of a form's largest block: of its products, its strips and the closing of its pivot. */
template <class R, int Form> struct widest {
    static const unsigned THREADS =
        larger(larger(tiling<R, Form>::THREADS, strips<R, Form>::rows::THREADS), closing<R, Form>::THREADS);
};

#define MINPLUS_METHODS(R, Form, close)                                                                         \
    {                                                                                                           \
        tiling<R, Form>::ROWS, tiling<R, Form>::COLS, tiling<R, Form>::PIVOT, tiling<R, Form>::SHARED,          \
            widest<R, Form>::THREADS, packs<R, Form>::YES, close, launch_panels<R, Form>, launch_pass<R, Form>, \
            launch_multiply<R, Form>                                                                            \
    }

/* The tables of a ring: without parents, and with; plain, and lazy. */
#define MINPLUS_CLOSING(R, Form) MINPLUS_METHODS(R, Form, (launch_close<R, Form>))
#define MINPLUS_LAZILY(R, Form) MINPLUS_METHODS(R, Form | FORM_LAZY, NULL)
#define MINPLUS_PLAIN(ONE, R)                                        \
    {                                                                \
        ONE(R, FORM_SMALL), ONE(R, FORM_MEDIUM), ONE(R, FORM_LARGE), \
    }
#define MINPLUS_TABLE(ONE, R)                                                        \
    {                                                                                \
        MINPLUS_PLAIN(ONE, R),                                                       \
        {                                                                            \
            ONE(R, FORM_SMALL | FORM_FOLLOWED), ONE(R, FORM_MEDIUM | FORM_FOLLOWED), \
                ONE(R, FORM_LARGE | FORM_FOLLOWED)                                   \
        }                                                                            \
    }
#define MINPLUS_RING(R) MINPLUS_TABLE(MINPLUS_CLOSING, R)
#define MINPLUS_LAZY_RING(R) MINPLUS_TABLE(MINPLUS_LAZILY, R)

} /* namespace SIMT_FLAVOUR */

#endif
