/* apsp_johnson.cu - all pairs by potentials and runs over weights that are not negative (`johnson`, catalogue A8).
 *
 * Method: Johnson 1977; CLRS 25.3. The potentials are distances from everywhere, by the device's method for negative
 * weights (a frontier form of Bellman and Ford), which returns a negative cycle; the rows are those of rows.cuh over
 * the reduced weights.
 * Invariants
 *   J1 with h the distances from everywhere, w'(u, v) = w(u, v) + h(u) - h(v) >= 0; in floats what rounding leaves
 *      below 0 is 0;
 *   J2 d(s, v) = d'(s, v) - h(s) + h(v); an arc is tight for d' and w' exactly if it is for d and w;
 *   J3 reduced integers have 32 bits if they all fit, else 64.
 * Without negative weights there are no potentials: the rows are those of `n-sssp`, exact in floats, too. With negative
 * floats each distance is within about 4 n rounding errors of its size plus the potentials' (NF_ALG_ROUNDED). A cutoff
 * filters at the end.
 * Cost: a run with negative weights, two passes over the arcs, and the rows. Memory on the device beside the rows': 8 m
 * (64-bit weights: 12 m) and 8 n; before that, what the run takes.
 */
#include "gpu/rows.cuh"
#include "gpu/sssp.cuh"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

/* What the first pass over the arcs finds. */
typedef struct reduced {
    word64 most; /* integers: the largest */
    double sum;
    unsigned bad; /* one is not finite */
} reduced;

/* Arcs with reduced weights, beside the graph's own. */
typedef struct johnson {
    device *d;
    void *h; /* n potentials of the working type */
    uint2 *pairs;
    double *weight; /* or, of 64 bits, their bits */
    reduced *found;
} johnson;

/* ---- the arcs ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ int64_t reduce_weight(int kind, word64 w, int64_t from, int64_t to)
{
    (void)kind; /* of negative integers there is one */
    return (int64_t)(int32_t)(uint32_t)w + from - to;
}

static __device__ __forceinline__ float reduce_weight(int kind, word64 w, float from, float to)
{
    const float x = (weight_as(kind, w, 1.0f) + from) - to;
    return x < 0 ? 0 : x;
}

static __device__ __forceinline__ double reduce_weight(int kind, word64 w, double from, double to)
{
    const double x = (weight_as(kind, w, 1.0) + from) - to;
    return x < 0 ? 0 : x;
}

/* J1 for arc e out of u. */
template <class T>
static __device__ __forceinline__ T reduced_arc(const device_csr &g, int kind, const T *h, uint32_t u, uint64_t e,
                                                uint32_t *v)
{
    const scale<uint32_t> s = {0, 0, 0, 0, kind, false};
    arc_data c;
    load_weighted_from(s, g.adj, g.pairs, g.weight, e, &c);
    *v = c.v;
    return reduce_weight(kind, c.w, h[u], h[c.v]);
}

static __device__ __forceinline__ void note_weight(reduced *mine, int64_t w)
{
    mine->most = (word64)w > mine->most ? (word64)w : mine->most;
    mine->sum += (double)w;
}

static __device__ __forceinline__ void note_weight(reduced *mine, double w)
{
    mine->bad |= !isfinite(w);
    mine->sum += w;
}

static __device__ __forceinline__ void note_weight(reduced *mine, float w)
{
    note_weight(mine, (double)w);
}

/* A warp for each vertex. */
template <class T> static __global__ void measure_arcs(const device_csr g, int kind, const T *h, reduced *found)
{
    reduced mine = {0, 0, 0};
    for (uint64_t u = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); u < g.n;
         u += (uint64_t)gridDim.x * (blockDim.x / 32))
        for (uint64_t e = csr_offset(g, (uint32_t)u) + simt_lane(); e < csr_offset(g, (uint32_t)u + 1); e += 32) {
            uint32_t v;
            note_weight(&mine, reduced_arc(g, kind, h, (uint32_t)u, e, &v));
        }
    (void)atomicMax(&found->most, mine.most);
    (void)atomicAdd(&found->sum, mine.sum);
    if (mine.bad != 0)
        (void)atomicOr(&found->bad, 1u);
}

static __device__ __forceinline__ uint32_t bits32(int64_t w)
{
    return (uint32_t)w;
}
static __device__ __forceinline__ uint32_t bits32(float w)
{
    return __float_as_uint(w);
}
static __device__ __forceinline__ uint32_t bits32(double)
{
    return 0; /* never asked for */
}
static __device__ __forceinline__ double bits64(int64_t w)
{
    return __longlong_as_double(w);
}
static __device__ __forceinline__ double bits64(double w)
{
    return w;
}

/* pairs, or else weight, is written. */
template <class T>
static __global__ void write_arcs(const device_csr g, int kind, const T *h, uint2 *pairs, double *weight)
{
    for (uint64_t u = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); u < g.n;
         u += (uint64_t)gridDim.x * (blockDim.x / 32))
        for (uint64_t e = csr_offset(g, (uint32_t)u) + simt_lane(); e < csr_offset(g, (uint32_t)u + 1); e += 32) {
            uint32_t v;
            const T w = reduced_arc(g, kind, h, (uint32_t)u, e, &v);
            if (pairs != NULL) {
                const uint2 both = {v, bits32(w)};
                pairs[e] = both;
            } else
                weight[e] = bits64((sizeof(T) == 8 ? w : (T)0));
        }
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

/* Distances from everywhere, on the device; NF_ENEGCYCLE. */
static nf_status find_potentials(nf__run *run, johnson *j, bool *rounded)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n, width = nf_type_size(run->work_type);
    void *h = NULL;
    NF_TRY_ALLOC(h, nf__alloc(nf__context_mem(run->ctx), n, width));
    NF_TRY(turn_from_everywhere(run, h, rounded));
    NF_TRY(device_alloc_bytes(j->d, n, width, &j->h));
    NF_TRY(device_upload(j->d, j->h, h, n * width, NULL));
done:
    nf__free(h);
    return st;
}

/* The statistics and the type of the reduced weights. */
static nf_status describe(nf__run *run, const reduced &found, rows_graph *x)
{
    const double m = (double)run->csr.m;
    if (found.bad != 0)
        return nf__fail(NF_EOVERFLOW, "a reduced weight is not finite");
    x->view.has_cutoff = false;
    x->view.stats.weight_sign = 0;
    x->view.stats.weight_min = 0;
    x->view.stats.weight_max = (double)found.most;
    x->view.stats.weight_mean = m > 0 ? found.sum / m : 0;
    x->whole64 = run->work_type == NF_I64 && !sssp_is_narrow(&x->view);
    x->view.csr.weight_type = run->work_type == NF_I64 ? NF_U32 : run->work_type;
    return NF_OK;
}

template <class T> static nf_status reduce_arcs(nf__run *run, johnson *j, rows_graph *x)
{
    nf_status st = NF_OK;
    device *d = j->d;
    const int kind = sssp_scale<uint32_t>(run).weights;
    const unsigned block = device_block(d, 256), blocks = device_grid((uint64_t)run->csr.n * 32, block, 4);
    const T *h = (const T *)j->h;
    reduced found = {0, 0, 0};
    bool wide = false;
    NF_TRY(device_alloc(d, 1, &j->found));
    NF_TRY(device_fill_bytes(d, j->found, 0, sizeof found));
    NF_TRY_CUDA(d, SIMT_LAUNCH(measure_arcs<T>, blocks, block, 0, d->stream, x->g, kind, h, j->found));
    NF_TRY(device_finish(d, "reduced weights", 0));
    NF_TRY(device_download(d, &found, j->found, sizeof found));
    NF_TRY(describe(run, found, x));
    wide = x->whole64 || run->work_type == NF_F64;
    if (wide) {
        NF_TRY(device_graph_need(run, GRAPH_TARGETS));
        NF_TRY(device_alloc(d, run->csr.m, &j->weight));
    } else
        NF_TRY(device_alloc(d, run->csr.m, &j->pairs));
    NF_TRY_CUDA(d, SIMT_LAUNCH(write_arcs<T>, blocks, block, 0, d->stream, x->g, kind, h, j->pairs, j->weight));
    x->g.adj = device_graph_of(run)->out.adj;
    x->g.pairs = j->pairs;
    x->g.weight = j->weight;
done:
    return st;
}

static nf_status run_all(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    johnson j = {};
    rows_graph x = {};
    j.d = (device *)run->device;
    if (run->rows == 0 || run->stats.weight_sign >= 0)
        return apsp_n_sssp.run(run, none);
    NF_TRY(find_potentials(run, &j, &x.rounded));
    NF_TRY(rows_graph_own(run, &x));
    x.potential = j.h;
    NF_TRY(run->work_type == NF_I64   ? reduce_arcs<int64_t>(run, &j, &x)
           : run->work_type == NF_F32 ? reduce_arcs<float>(run, &j, &x)
                                      : reduce_arcs<double>(run, &j, &x));
    NF_TRY(rows_run(run, &x));
done:
    device_free(j.d, j.h);
    device_free(j.d, j.pairs);
    device_free(j.d, j.weight);
    device_free(j.d, j.found);
    return st;
}

extern const nf__algorithm apsp_johnson = {
    .info = {.name = "johnson",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "potentials by Bellman-Ford, then runs from every vertex over reduced weights, a block each",
             .paper = "Johnson 1977; CLRS 25.3; Ortega-Arranz et al. 2013",
             .memory = "that of n-sssp; negative weights: + 8 m + 8 n (f64, and reduced weights beyond 32 bits: + 4 m)",
             .flags = NF_ALG_TRANSPOSE | NF_ALG_NEGATIVE | NF_ALG_ROUNDED,
             .knobs = rows_knobs,
             .knob_count = ROWS_KNOB_COUNT},
    .begin = NULL,
    .end = NULL,
    .run = run_all,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
