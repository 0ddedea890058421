/* sssp_delta_stepping.cu - delta-stepping over the frontier engine (`delta-stepping`, catalogue S8).
 *
 * Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 2003. Vertices
 * are taken by buckets of width delta. Within a bucket the light arcs, those of weight at most delta, are relaxed round
 * by round until no label in it falls any more; then the heavy arcs of all vertices of the bucket are relaxed once.
 * Instead of an array of buckets there is the current one, the frontier, and the pile of far.cuh: a pass over it takes
 * the settled vertices out with their heavy arcs, another one lists the next bucket that is not empty. All of them are
 * rounds of the persistent kernel: the host takes no part. Light and heavy arcs lie apart, in a copy of the graph's
 * arcs that is made once a run and counts as upload.
 * Invariants: D3 and D4 of step_light.cuh, D1 of step_far.cuh, F5 of far.cuh, T2 of sssp.cuh. When the run ends by its
 * targets, labels below the last limit are final, which theirs are.
 * Cost: two passes over the pile for every bucket, the light arcs of all frontiers, and each heavy arc of what is
 * reached once. On the device the memory of `near-far`; 8 n for offsets (of 64 bits: 16 n), 8 m for arcs (no weights
 * 4 m, f64 12 m), and 8 n while they are made.
 */
#include "gpu/algorithms.h"
#include "gpu/primitives.cuh"
#include "gpu/step_light.cuh"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

/* The width is 001's for its piles, wider than what the paper takes for CPUs: not measured on a GPU yet. */
#define DELTA_FACTOR 32.0

/* ---- light and heavy arcs ---------------------------------------------------------------------------------------- */

/* Where arcs lie apart, and where from. */
typedef struct arcs_apart {
    device_csr from;
    uint32_t *adj;
    uint2 *pairs;
    double *weight;
} arcs_apart;

/* D3. */
template <class K> static __device__ __forceinline__ bool is_light(const scale<K> &s, const arc_data &c, double delta)
{
    if (s.real)
        return (double)weight_as(s.weights, c.w, (decltype(real_of((K)0)))1) <= delta;
    return weight_as(s.weights, c.w, 1.0) <= delta;
}

/* How many of each a vertex has: the light ones, and n further on the heavy ones. A warp a vertex. */
template <class K>
static __global__ void part_kernel(const device_csr g, const __grid_constant__ scale<K> s, double delta,
                                   uint32_t *count)
{
    const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    for (uint64_t v = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); v < g.n; v += warps) {
        const uint64_t begin = csr_offset(g, (uint32_t)v), end = csr_offset(g, (uint32_t)v + 1);
        unsigned light = 0;
        for (uint64_t e = begin + simt_lane(); e < end; e += 32) {
            arc_data c;
            load_weighted_from(s, g.adj, g.pairs, g.weight, e, &c);
            light += is_light(s, c, delta);
        }
        __syncwarp();
        light = simt_reduce_add(WARP_ALL, light);
        if (simt_lane() == 0) {
            count[v] = light;
            count[g.n + v] = (uint32_t)(end - begin) - light;
        }
    }
}

static __device__ __forceinline__ void copy_arc(const arcs_apart &x, uint64_t from, uint64_t to)
{
    if (x.adj != NULL)
        x.adj[to] = x.from.adj[from];
    if (x.pairs != NULL)
        x.pairs[to] = x.from.pairs[from];
    if (x.weight != NULL)
        x.weight[to] = x.from.weight[from];
}

/* Copies them there, each kind in its old order. A warp a vertex. */
template <class K, class Off>
static __global__ void move_kernel(const __grid_constant__ arcs_apart x, const __grid_constant__ scale<K> s,
                                   double delta, const Off *off)
{
    const device_csr &g = x.from;
    const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    for (uint64_t v = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); v < g.n; v += warps) {
        const uint64_t end = csr_offset(g, (uint32_t)v + 1);
        uint64_t light = off[v], heavy = off[g.n + v];
        for (uint64_t base = csr_offset(g, (uint32_t)v); base < end; base += 32) {
            const uint64_t e = base + simt_lane();
            arc_data c = {};
            if (e < end)
                load_weighted_from(s, g.adj, g.pairs, g.weight, e, &c);
            const bool is = e < end && is_light(s, c, delta);
            const unsigned lights = __ballot_sync(WARP_ALL, is), heavies = __ballot_sync(WARP_ALL, e < end && !is);
            if (e < end)
                copy_arc(x, e, is ? light + __popc(lights & lanes_below()) : heavy + __popc(heavies & lanes_below()));
            light += __popc(lights);
            heavy += __popc(heavies);
        }
    }
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct stepping {
    double delta; /* first: workfront_pile */
    uint32_t *off32;
    uint64_t *off64;
    arcs_apart arcs;
} stepping;

static nf_status allocate(stepping *t, device *d, const device_csr &g, nf_type type)
{
    nf_status st = NF_OK;
    const bool bare = type == NF_NONE || type == NF_F64; /* no pairs */
    void *adj = NULL, *pairs = NULL, *weight = NULL;
    t->arcs.from = g;
    if (g.off32 != NULL)
        NF_TRY(device_alloc(d, 2 * (uint64_t)g.n + 1, &t->off32));
    else
        NF_TRY(device_alloc(d, 2 * (uint64_t)g.n + 1, &t->off64));
    if (!bare)
        NF_TRY(device_alloc_bytes(d, g.m * sizeof *g.pairs + GRAPH_SLACK, 1, &pairs));
    t->arcs.pairs = (uint2 *)pairs;
    if (bare)
        NF_TRY(device_alloc_bytes(d, g.m * sizeof *g.adj + GRAPH_SLACK, 1, &adj));
    t->arcs.adj = (uint32_t *)adj;
    if (type == NF_F64)
        NF_TRY(device_alloc_bytes(d, g.m * sizeof *g.weight + GRAPH_SLACK, 1, &weight));
    t->arcs.weight = (double *)weight;
done:
    return st;
}

/* The graph with its arcs apart; K: of the sums, where these are floats. */
template <class K> static nf_status part_arcs(stepping *t, nf__run *run, engine *e)
{
    nf_status st = NF_OK;
    device *d = e->d;
    const device_csr &g = t->arcs.from;
    const scale<K> s = sssp_scale<K>(run);
    const unsigned block = device_block(d, 256), wanted = device_grid(g.n, block / 32, 1);
    const unsigned most = (unsigned)d->multiprocessors * 8, blocks = wanted < most ? wanted : most;
    const uint64_t rows = 2 * (uint64_t)g.n;
    uint32_t *count = NULL;
    NF_TRY(device_alloc(d, rows, &count));
    NF_TRY_CUDA(d, SIMT_LAUNCH(part_kernel<K>, blocks, block, 0, d->stream, g, s, t->delta, count));
    if (t->off32 != NULL) {
        NF_TRY(device_scan(d, count, t->off32, rows));
        NF_TRY(device_fill(d, t->off32 + rows, (uint32_t)g.m, 1));
        NF_TRY_CUDA(d, SIMT_LAUNCH((move_kernel<K, uint32_t>), blocks, block, 0, d->stream, t->arcs, s, t->delta,
                                   (const uint32_t *)t->off32));
    } else {
        NF_TRY(device_scan(d, count, t->off64, rows));
        NF_TRY(device_fill(d, t->off64 + rows, g.m, 1));
        NF_TRY_CUDA(d, SIMT_LAUNCH((move_kernel<K, uint64_t>), blocks, block, 0, d->stream, t->arcs, s, t->delta,
                                   (const uint64_t *)t->off64));
    }
    NF_TRY(device_finish(d, "light arcs", 0));
done:
    device_free(d, count);
    return st;
}

template <class K> static void step_of(const workfront *s, light_step<K> *f)
{
    far_width(f, ((const stepping *)s->own)->delta);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    workfront_targets(run);
    return workfront_row<light_step<uint32_t>, light_step<word64>>(run, row);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    workfront *s = NULL;
    stepping *t = NULL;
    double start = 0;
    NF_TRY(workfront_pile(run, sizeof *t, DELTA_FACTOR, false));
    start = nf__now_ms();
    s = (workfront *)run->scratch;
    t = (stepping *)s->own;
    NF_TRY(allocate(t, s->e->d, s->e->g->out, run->csr.weight_type));
    if (run->work_type == NF_F32)
        NF_TRY(part_arcs<uint32_t>(t, run, s->e));
    else
        NF_TRY(part_arcs<word64>(t, run, s->e));
    {
        const device_csr parted = {run->csr.n,  run->csr.m,    t->off32,      t->off64,
                                   t->arcs.adj, t->arcs.pairs, t->arcs.weight};
        s->e->parted = parted;
    }
    run->upload_ms += nf__now_ms() - start;
done:
    return st;
}

static void end(nf__run *run)
{
    const workfront *s = (const workfront *)run->scratch;
    const stepping *t = s != NULL ? (const stepping *)s->own : NULL;
    if (t != NULL) {
        void *const blocks[] = {t->off32, t->off64, t->arcs.adj, t->arcs.pairs, t->arcs.weight};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            device_free(s->e->d, blocks[i]);
    }
    workfront_end(run);
}

static const nf_knob_info knobs[] = {
    {"delta", "width of a bucket, and the weight of the heaviest light arc; 0: 32 mean weight / mean degree",
     NF_KNOB_REAL, "0", 0, 1e300, NULL},
    PASS_KNOBS,
};

extern const nf__algorithm sssp_delta_stepping = {
    .info = {.name = "delta-stepping",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "buckets of width delta: light arcs until nothing falls, heavy ones once at the end",
             .paper = "Meyer, Sanders 2003",
             .memory =
                 "on the device 60 n + 8 m, 8 n more at the start (64-bit offsets: 84 n; no weights 4 m, f64 12 m); "
                 "parents 8 n more",
             .flags = 0,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
