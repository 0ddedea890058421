/* sssp_bellman_ford_edge.cu - Bellman-Ford that looks at every arc in every round (`bellman-ford-edge`, catalogue S3).
 *
 * Method: An, "Parallelization of shortest path algorithms": one thread an arc, with mask, mask1 and flag, so that arcs
 * out of vertices that have not changed are not relaxed and the rounds end when nothing changed. layout=coo: the list
 * of arcs, sources beside targets (Alg. 6). layout=matrix: the dense matrix, one thread a cell (Algs. 1 to 4).
 * edges-per-thread: so many arcs or cells to a thread, at a stride of all threads, so that neighbouring threads read
 * neighbouring cells (Alg. 5); with loop=persistent, where all threads are resident at once, it is the least a thread
 * has, with loop=host, a launch a round as in the paper, exactly that.
 * Invariants: S1 to S3 of sweeps.cuh.
 *   G1 a round looks at all m arcs, or all n^2 cells, whatever is marked, and relaxes those out of marked vertices;
 *   G2 of parallel arcs the matrix holds the lightest; a loop only where it is negative: no other can lower a label.
 * Cost: O(rounds (n + m)) time, or O(rounds n^2); memory: sweeps.cuh; the sources of arcs, 4 m, stay with the graph;
 * the matrix takes 4 p^2, with p = n rounded up to 32, or 8 p^2 for weights of 64 bits or of 2^31 - 1 and more.
 */
#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

#define MATRIX_TILE 32u /* cells of a row that a warp reads together: rows are that much rounded up */

template <class K> struct coo_method {
    sweep<K> w;
};

template <class K> struct dense_method {
    sweep<K> w;
    const void *cells;
    uint64_t pitch;
    nf_type type; /* of the cells */
};

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

/* Clears the mask after next and counts who is marked now. */
template <class K> static __device__ __forceinline__ void clear_masks(sweep_round<K> &r, uint32_t n)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x) {
        r.after[v] = 0;
        r.marked += r.now[v] != 0;
    }
}

template <class K>
static __device__ __forceinline__ void make_level(const level_search &s, const coo_method<K> &m, unsigned level,
                                                  level_slot *more)
{
    sweep_round<K> r = sweep_open(s, m.w, level);
    unsigned looked = 0;
    clear_masks(r, m.w.n);
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < s.out.m;
         e += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t u = __ldg(&s.src[e]);
        looked++;
        if (r.now[u] != 0)
            sweep_push(r, u, simt_load_relaxed(&r.f.label[u]), sweep_arc(r, s.out, e));
    }
    sweep_close(r, more);
    level_add(&more->count[COUNT_CHECKED], looked);
}

/* The weight in a cell, as step_relax.cuh has weights; false where there is no arc. */
static __device__ __forceinline__ bool read_cell(const void *cells, nf_type type, uint64_t i, word64 *w)
{
    if (type == NF_I32 || type == NF_F32) {
        const uint32_t x = __ldg(static_cast<const uint32_t *>(cells) + i);
        *w = x;
        return x != (type == NF_I32 ? 0x7fffffffu : 0x7f800000u);
    }
    const word64 x = __ldg(static_cast<const word64 *>(cells) + i);
    *w = x;
    return x != (type == NF_I64 ? 0x7fffffffffffffffull : 0x7ff0000000000000ull);
}

template <class K>
static __device__ __forceinline__ void make_level(const level_search &s, const dense_method<K> &m, unsigned level,
                                                  level_slot *more)
{
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t rows = step / m.pitch, rest = step % m.pitch;
    sweep_round<K> r = sweep_open(s, m.w, level);
    uint64_t u = first / m.pitch, v = first % m.pitch;
    unsigned looked = 0;
    clear_masks(r, m.w.n);
    while (u < m.w.n) {
        arc_data c = {(uint32_t)v, 0};
        looked += v < m.w.n;
        if (r.now[u] != 0 && v < m.w.n && read_cell(m.cells, m.type, u * m.pitch + v, &c.w) && (u != v || c.w != 0))
            sweep_push(r, (uint32_t)u, simt_load_relaxed(&r.f.label[u]), c);
        v += rest;
        u += rows + (v >= m.pitch);
        v -= v >= m.pitch ? m.pitch : 0;
    }
    sweep_close(r, more);
    level_add(&more->count[COUNT_CHECKED], looked);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static bool is_dense(const nf__run *run)
{
    return strcmp(nf__knob_choice(run, "layout"), "matrix") == 0;
}

/* The narrowest type whose largest value, or infinity, is no weight. */
static nf_type cell_type(const nf__run *run)
{
    const nf_type type = run->csr.weight_type;
    if (type == NF_F32 || type == NF_F64)
        return type;
    return run->stats.weight_max < 2147483647.0 ? NF_I32 : NF_I64;
}

static nf_status make_matrix(sweeps *w)
{
    const int32_t far32 = INT32_MAX;
    const int64_t far64 = INT64_MAX;
    const float real32 = INFINITY;
    const double real64 = (double)INFINITY;
    const nf_type type = cell_type(w->run);
    const void *const far = type == NF_I32   ? (const void *)&far32
                            : type == NF_I64 ? (const void *)&far64
                            : type == NF_F32 ? (const void *)&real32
                                             : (const void *)&real64;
    return device_graph_matrix(w->run, type, far, 0, MATRIX_TILE, &w->matrix);
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    sweeps *w = (sweeps *)run->scratch;
    static const level_words coo_words = {{"arcs"}, {NULL, NULL, NULL, "lowered"}};
    static const level_words dense_words = {{"cells"}, {NULL, NULL, NULL, "lowered"}};
    if (w->matrix.values != NULL) {
        const dense_method<K> m = {sweep_of<K>(w), w->matrix.values, w->matrix.pitch, cell_type(w->run)};
        return sweep_keys<K>(w, row, m, &dense_words, again);
    }
    const coo_method<K> m = {sweep_of<K>(w)};
    return sweep_keys<K>(w, row, m, &coo_words, again);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t each = (uint64_t)nf__knob_number(run, "edges-per-thread");
    sweeps *w = NULL;
    NF_TRY(sweeps_open(run, sssp_parts(run) | GRAPH_SOURCES, 0, SWEEPS_MASKS | SWEEPS_TREES, &w));
    if (is_dense(run))
        NF_TRY(make_matrix(w));
    w->items = ((is_dense(run) ? run->csr.n * w->matrix.pitch : run->csr.m) + each - 1) / each;
    w->host = strcmp(nf__knob_choice(run, "loop"), "host") == 0;
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return sssp_row(run, row, &((sweeps *)run->scratch)->wide, run_keys<uint32_t>, run_keys<word64>);
}

static const nf_knob_info knobs[] = {
    {"layout", "the list of arcs, or the dense matrix", NF_KNOB_CHOICE, "coo", 0, 0, "coo matrix"},
    {"edges-per-thread", "arcs or cells of a thread; loop=persistent: at least", NF_KNOB_INT, "1", 1, 64, NULL},
    {"loop", "one launch for all rounds, or one for each", NF_KNOB_CHOICE, "persistent", 0, 0, "persistent host"},
};

extern const nf__algorithm sssp_bellman_ford_edge = {
    .info = {.name = "bellman-ford-edge",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "every arc is looked at in every round, a thread each; takes negative weights",
             .paper = "An",
             .memory =
                 "on the device 19 n (distances f32: 11 n), the sources of arcs, 4 m, stay with the graph; parents "
                 "32 n, negative weights 4 n more; the matrix 4 n^2 or 8 n^2",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin,
    .end = sweeps_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
