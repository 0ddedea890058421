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
static nf_status launch_fold(minplus *x, const fold<typename R::cell> &q, const fold_part &part, cudaStream_t stream)
{
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned threads = T::THREADS, shared = T::SHARED;
    const unsigned blocks =
        part.which == FOLD_CROSS ? part.rows * part.across + part.down * part.cols : part.down * part.across;
    NF_TRY_CUDA(x->d, cudaFuncSetAttribute((const void *)(fold_kernel<R, Form>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    NF_TRY_CUDA(x->d, SIMT_LAUNCH((fold_kernel<R, Form>), blocks, threads, shared, stream, q, part));
done:
    return st;
}

template <class R, int Form>
static nf_status launch_pass(minplus *x, unsigned at, const fold_part *part, cudaStream_t stream)
{
    typedef typename R::cell cell;
    fold<cell> q = fold_at<cell>(x, 0, 0);
    q.a = cell_at<cell>(x, 0, at);
    q.b = cell_at<cell>(x, at, 0);
    q.p_b = parent_at(x, at, 0);
    q.kept = at;
    q.kept_many = q.depth = minplus_span(x, at);
    return launch_fold<R, Form>(x, q, *part, stream);
}

/* With parents a part of the depth at a time (M3). */
template <class R, int Form> static nf_status launch_multiply(minplus *x, const minplus_product *m, cudaStream_t stream)
{
    typedef typename R::cell cell;
    typedef tiling<R, Form> T;
    nf_status st = NF_OK;
    const unsigned deep = m->k1 - m->k0, each = T::FOLLOWS && deep > T::FOLLOW_MOST ? (unsigned)T::FOLLOW_MOST : deep;
    const unsigned across = (m->j1 - m->j0) / T::COLS, down = (m->i1 - m->i0) / T::ROWS;
    const fold_part part = {FOLD_ALL, down, across, 0, 0, 0, 0};
    fold<cell> q = fold_at<cell>(x, m->i0, m->j0);
    q.a = m->a != NULL ? static_cast<const cell *>(m->a) : cell_at<cell>(x, m->i0, m->k0);
    q.b = m->b != NULL ? static_cast<const cell *>(m->b) : cell_at<cell>(x, m->k0, m->j0);
    q.p_b = m->b != NULL ? m->p_b : parent_at(x, m->k0, m->j0);
    q.pitch_a = m->a != NULL ? m->pitch_a : q.pitch_a;
    q.pitch_b = q.pitch_p = m->b != NULL ? m->pitch_b : q.pitch_b;
    q.depth = each;
    q.fell = m->fell;
    for (unsigned k = 0; k < deep; k += each, q.a += each, q.b += each * q.pitch_b) {
        q.depth = deep - k < each ? deep - k : each;
        NF_TRY((launch_fold<R, Form>(x, q, part, stream)));
        q.p_b = q.p_b != NULL ? q.p_b + each * q.pitch_p : NULL;
    }
done:
    return st;
}

#define MINPLUS_METHODS(R, Form)                                                                          \
    {                                                                                                     \
        tiling<R, Form>::ROWS, tiling<R, Form>::COLS, tiling<R, Form>::PIVOT, tiling<R, Form>::THREADS,   \
            tiling<R, Form>::SHARED, launch_close<R, Form>, launch_panels<R, Form>, launch_pass<R, Form>, \
            launch_multiply<R, Form>                                                                      \
    }

/* The table of a ring: without parents, and with. */
#define MINPLUS_RING(R)                                                                                      \
    {                                                                                                        \
        {MINPLUS_METHODS(R, FORM_SMALL), MINPLUS_METHODS(R, FORM_MEDIUM), MINPLUS_METHODS(R, FORM_LARGE)},   \
        {                                                                                                    \
            MINPLUS_METHODS(R, FORM_SMALL | FORM_FOLLOWED), MINPLUS_METHODS(R, FORM_MEDIUM | FORM_FOLLOWED), \
                MINPLUS_METHODS(R, FORM_LARGE | FORM_FOLLOWED)                                               \
        }                                                                                                    \
    }

} /* namespace SIMT_FLAVOUR */

#endif
