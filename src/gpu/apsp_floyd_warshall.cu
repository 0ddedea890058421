/* apsp_floyd_warshall.cu - all pairs by Floyd and Warshall's loop, a launch for each vertex (`floyd-warshall`,
 * catalogue A1).
 *
 * Method: Harish and Narayanan 2007. Launch k lets every path pass vertex k: a thread has 16 bytes of a row's cells and
 * goes through rows, with its part of row k in registers.
 * Invariants
 *   F1 after launch k, d[i][j] is the least length of a path i -> j whose inner vertices are among 0 .. k;
 *   F2 row k and column k do not change in launch k, and are not written: d[k][k] is 0;
 *   F3 lazy=op: a row whose cell of column k is no path is left alone in launch k (Harish, Vineet, Narayanan 2009); its
 *      sums would be no paths, L4 of minplus_lazy.cuh;
 *   D1 to D4 of dense.cu.
 * Cost: n launches of n^2 steps, each of which reads its cell from device memory: 4.26e12 bytes a second are a limit of
 * about 1e12 steps; memory as DENSE_MEMORY says.
 */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

#define THREADS 256u
/* Launches between two looks at the stream. */
#define MARK_EVERY 64u

template <class Cell> struct __align__(16) part
{
    Cell x[16 / sizeof(Cell)];
};

template <class Cell, bool Lazy>
static __global__ void pass_kernel(Cell *cells, uint64_t pitch, uint32_t n, uint32_t k, uint32_t *parents, Cell limit,
                                   unsigned long long *skipped)
{
    enum { VEC = 16 / sizeof(Cell) };
    const uint64_t col = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * VEC;
    unsigned rows = 0;
    if (col >= pitch)
        return;
    const part<Cell> b = *reinterpret_cast<const part<Cell> *>(cells + k * pitch + col);
    for (uint64_t i = blockIdx.y; i < n; i += gridDim.y) {
        part<Cell> *const at = reinterpret_cast<part<Cell> *>(cells + i * pitch + col);
        if (i == k) /* F2 */
            continue;
        const Cell a = cells[i * pitch + k];
        if (Lazy && !(a < limit)) { /* F3 */
            rows++;
            continue;
        }
        part<Cell> c = *at;
        unsigned fell = 0;
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            const Cell x = a + b.x[v];
            fell |= x < c.x[v] && col + v != k ? 1u << v : 0;
            c.x[v] = x < c.x[v] ? x : c.x[v];
        }
        for (int v = 0; v < VEC; v++)
            if ((fell >> v & 1) != 0) {
                cells[i * pitch + col + v] = c.x[v];
                if (parents != NULL)
                    parents[i * pitch + col + v] = parents[k * pitch + col + v];
            }
    }
    if (Lazy && col == 0 && rows != 0)
        atomicAdd(skipped, rows * pitch);
}

template <class Cell, bool Lazy> static nf_status pass_all(dense *s)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(s->d, THREADS), each = 16 / sizeof(Cell);
    const unsigned across = device_grid(s->x.m.pitch, threads, each);
    const unsigned wanted = (unsigned)s->d->multiprocessors * 16 / across + 1, down = wanted < s->n ? wanted : s->n;
    for (uint32_t k = 0; k < s->n; k++) {
        NF_TRY_CUDA(s->d, SIMT_LAUNCH((pass_kernel<Cell, Lazy>), dim3(across, down), threads, 0, s->d->stream,
                                      static_cast<Cell *>(s->x.m.values), s->x.m.pitch, s->n, k, s->x.parents,
                                      limit_of(s->x.positive, Cell()), s->x.skipped));
        if (k % MARK_EVERY == 0)
            NF_TRY(dense_mark(s, k, s->n));
    }
    s->x.steps += (uint64_t)s->n * s->n * s->n;
    s->iterations = s->n;
done:
    return st;
}

template <class Cell> static nf_status pass(dense *s)
{
    return s->x.lazy == LAZY_NONE ? pass_all<Cell, false>(s) : pass_all<Cell, true>(s);
}

static nf_status solve(dense *s)
{
    switch (s->x.cell) {
    case NF_I32: return pass<int32_t>(s);
    case NF_I64: return pass<int64_t>(s);
    case NF_F32: return pass<float>(s);
    default: return pass<double>(s);
    }
}

static nf_status run_floyd(nf__run *run, nf__row *none)
{
    (void)none;
    return dense_run(run, solve, FORM_SMALL, false, "floyd-warshall"); /* no tiles: the least padding */
}

static const nf_knob_info knobs[] = {
    {"lazy", "rows that have no path to the vertex are left alone", NF_KNOB_CHOICE, "none", 0, 0, "none op"},
};

extern const nf__algorithm apsp_floyd_warshall = {
    .info = {.name = "floyd-warshall",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Floyd and Warshall's loop, a launch for each vertex that paths may pass",
             .paper = "Harish, Narayanan 2007; Floyd 1962",
             .memory = DENSE_MEMORY,
             .flags = DENSE_FLAGS,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_floyd,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
