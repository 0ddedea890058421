/* sssp_h_bf.cu - H-BF over the frontier engine (`h-bf`, catalogue S9): frontier Bellman-Ford with classes of arcs.
 *
 * Busato and Bombieri, "An efficient implementation of the Bellman-Ford algorithm for Kepler GPU architectures", TPDS
 * 2016, as "Graph Algorithms on GPUs", section 3.2, tells it: a frontier of the vertices whose labels fell; 64-bit
 * atomics on (distance, vertex it came from), which also keep duplicates out; edge classification
 * (step_classes.cuh); warp shuffles and read-only loads (the engine's); dynamic parallelism for the longest lists
 * (mapping=dynamic-parallelism). Negative weights are taken, a negative cycle is found and returned.
 * Classes are found once a run, by a pass over the arcs that counts as upload. Where no arc belongs to any, rounds are
 * those of `workfront`, which ask for none; the words of the atomics are left to graphs with long lists, and to roads
 * and meshes, where they pay (words_rule of workfront.cuh).
 *
 * Invariants: H1 and H2 of step_classes.cuh, R1 to R5 of step_relax.cuh, W2 and W3 of workfront.cuh, T2 of sssp.cuh.
 * Cost: that of workfront.cuh; n bytes for classes more, and 4 n while they are made.
 */
#include "gpu/algorithms.h"
#include "gpu/step_classes.cuh"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

/* ---- classes ----------------------------------------------------------------------------------------------------- */

typedef struct classes {
    uint8_t *kind;
    word64 *done; /* census, or NULL */
    unsigned on;
} classes;

static __device__ __forceinline__ uint32_t target_of(const device_csr &g, uint64_t e)
{
    return g.adj != NULL ? __ldg(&g.adj[e]) : __ldg(&g.pairs[e]).x;
}

static __global__ void in_degree_kernel(const device_csr g, uint32_t *in)
{
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < g.m; e += (uint64_t)gridDim.x * blockDim.x)
        (void)atomicAdd(&in[target_of(g, e)], 1u);
}

/* Tells `present` of classes that a thread has met. All lanes. */
static __device__ __forceinline__ void tell_classes(unsigned met, unsigned *present)
{
    __syncwarp();
    met = simt_reduce_or(WARP_ALL, met);
    if (simt_lane() == 0 && met != 0)
        (void)atomicOr(present, met);
}

/* Marks the leaves and sinks, and targets of one arc. A leaf's neighbour is asked by each of its arcs: the one that
 * comes from there. */
static __global__ void kind_kernel(const device_csr g, const uint32_t *in, uint8_t *kind, unsigned *present)
{
    unsigned met = 0;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t degree = csr_offset(g, (uint32_t)v + 1) - csr_offset(g, (uint32_t)v);
        const unsigned of_v = (in[v] == 1 ? (unsigned)CLASS_IN1 : 0) | (degree == 0 ? (unsigned)CLASS_SINK : 0);
        kind[v] = (uint8_t)of_v;
        met |= of_v;
    }
    tell_classes(met, present);
}

static __global__ void leaf_kernel(const device_csr g, const uint32_t *in, uint8_t *kind, unsigned *present)
{
    unsigned met = 0;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < g.n; u += (uint64_t)gridDim.x * blockDim.x)
        for (uint64_t e = csr_offset(g, (uint32_t)u); e < csr_offset(g, (uint32_t)u + 1); e++) {
            const uint32_t v = target_of(g, e);
            const uint64_t first = csr_offset(g, v);
            met |= v == u ? (unsigned)CLASS_LOOPS : 0;
            if (in[v] == 1 && csr_offset(g, v + 1) - first == 1 && target_of(g, first) == u) {
                kind[v] |= CLASS_LEAF; /* by this arc alone */
                met |= CLASS_LEAF;
            }
        }
    tell_classes(met, present);
}

/* Which classes are asked for; some would hide negative cycles. */
static unsigned classes_on(const nf__run *run)
{
    const bool negative = run->stats.weight_sign < 0;
    unsigned on = 0;
    on |= nf__knob_number(run, "in1") != 0 ? (unsigned)CLASS_IN1 : 0;
    on |= nf__knob_number(run, "sinks") != 0 ? (unsigned)CLASS_SINK : 0;
    on |= nf__knob_number(run, "leaves") != 0 && !negative ? (unsigned)CLASS_LEAF : 0;
    on |= nf__knob_number(run, "loops") != 0 && !negative ? (unsigned)CLASS_LOOPS : 0;
    return on;
}

static nf_status find_classes(classes *c, nf__run *run, device *d)
{
    nf_status st = NF_OK;
    const device_csr g = device_graph_of(run)->out;
    const unsigned block = device_block(d, 256), most = (unsigned)d->multiprocessors * 8;
    const unsigned by_arcs = device_grid(g.m, block, 4), by_vertices = device_grid(g.n, block, 1);
    uint32_t *in = NULL;
    unsigned *present = NULL, met = 0;
    const double start = nf__now_ms();
    NF_TRY(device_alloc(d, g.n, &in));
    NF_TRY(device_alloc(d, 1, &present));
    NF_TRY(device_alloc(d, g.n, &c->kind));
    NF_TRY(device_fill_bytes(d, present, 0, sizeof *present));
    NF_TRY(device_fill_bytes(d, in, 0, (uint64_t)g.n * sizeof *in));
    NF_TRY_CUDA(d, SIMT_LAUNCH(in_degree_kernel, by_arcs < most ? by_arcs : most, block, 0, d->stream, g, in));
    NF_TRY_CUDA(d, SIMT_LAUNCH(kind_kernel, by_vertices < most ? by_vertices : most, block, 0, d->stream, g, in,
                               c->kind, present));
    NF_TRY_CUDA(d, SIMT_LAUNCH(leaf_kernel, by_vertices < most ? by_vertices : most, block, 0, d->stream, g, in,
                               c->kind, present));
    if (nf__knob_number(run, "census") != 0)
        NF_TRY(device_alloc(d, DONE_KINDS, &c->done));
    NF_TRY(device_finish(d, "classes", 0));
    NF_TRY(device_download(d, &met, present, sizeof met));
    c->on &= met; /* what no arc belongs to is not asked for at every arc */
    run->upload_ms += nf__now_ms() - start;
done:
    device_free(d, present);
    device_free(d, in);
    return st;
}

template <class K> static void step_of(const workfront *s, class_step<K> *f)
{
    const classes *c = (const classes *)s->own;
    f->kind = c->kind;
    f->classes = c->on;
    f->done = c->done;
}

/* Is there anything to ask at an arc? */
static bool has_classes(const classes *c)
{
    return c->on != 0 || c->done != NULL;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    const workfront *s = (const workfront *)run->scratch;
    const classes *c = (const classes *)s->own;
    word64 done[DONE_KINDS];
    if (!has_classes(c))
        return sssp_workfront.run(run, row);
    if (c->done != NULL)
        NF_TRY(device_fill_bytes(s->e->d, c->done, 0, sizeof done));
    NF_TRY((workfront_row<class_step<uint32_t>, class_step<word64>>(run, row)));
    if (c->done != NULL) {
        NF_TRY(device_download(s->e->d, done, c->done, sizeof done));
        nf__log(run->ctx, NF_LOG_DEBUG, "sssp classes: stores %llu, atomics %llu, loops %llu, sinks %llu, leaves %llu",
                done[DONE_STORES], done[DONE_ATOMICS], done[DONE_LOOPS], done[DONE_SINKS], done[DONE_LEAVES]);
    }
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Blocks as the step wants them; and arcs shared out evenly even where lists are all short, unless they are few. H200,
 * the rounds of CLASS_THREADS: 14.7 ms, by virtual warps 17.1. */
static void tune(engine *e)
{
    e->block = e->block < CLASS_THREADS ? e->block : CLASS_THREADS;
    if (e->pl.t.mapping == MAP_AUTO && !is_for_deep(e->pl.t))
        e->pl.t.mapping = MAP_TWO_PHASE;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    workfront *s = NULL;
    classes *c = NULL;
    NF_TRY(workfront_open(run, WORDS_FOR_UNEVEN));
    s = (workfront *)run->scratch;
    s->labels.marks = (uint32_t)nf__knob_number(run, "marks");
    NF_TRY_ALLOC(c, (classes *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *c));
    s->own = c;
    c->on = classes_on(run);
    NF_TRY(find_classes(c, run, s->e->d));
    if (has_classes(c))
        tune(s->e);
done:
    return st;
}

static void end(nf__run *run)
{
    const workfront *s = (const workfront *)run->scratch;
    const classes *c = s != NULL ? (const classes *)s->own : NULL;
    if (c != NULL) {
        device_free(s->e->d, c->kind);
        device_free(s->e->d, c->done);
    }
    workfront_end(run);
}

static const nf_knob_info knobs[] = {
    {"in1", "1: targets with one arc in are lowered without an atomic", NF_KNOB_INT, "1", 0, 1, NULL},
    {"loops", "1: arcs from a vertex to itself are not relaxed, unless weights are negative", NF_KNOB_INT, "1", 0, 1,
     NULL},
    {"sinks", "1: vertices without an arc out are not listed", NF_KNOB_INT, "1", 0, 1, NULL},
    {"leaves", "1: vertices whose one arc leads back are not listed, unless weights are negative", NF_KNOB_INT, "1", 0,
     1, NULL},
    {"duplicates", "policy against duplicates in a frontier; auto: atomic64, but for graphs of short lists",
     NF_KNOB_CHOICE, "auto", 0, 0, "auto none table hash64 atomic64"},
    {"mapping", "how arcs are given to threads", NF_KNOB_CHOICE, "auto", 0, 0,
     "auto dynamic-virtual-warp dynamic-parallelism two-phase"},
    {"loop", "who drives the rounds", NF_KNOB_CHOICE, "auto", 0, 0, "auto host persistent"},
    {"marks", "atomic64: rounds that words tell, as far as they have bits; later ones are told by stamps", NF_KNOB_INT,
     "1048576", 0, 1048576, NULL},
    {"census", "1: stores, atomics and what was not listed are counted, and told to the log", NF_KNOB_INT, "0", 0, 1,
     NULL},
};

extern const nf__algorithm sssp_h_bf = {
    .info = {.name = "h-bf",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "frontier Bellman-Ford with classes of arcs and 64-bit atomics; returns negative cycles",
             .paper = "Busato, Bombieri 2016",
             .memory =
                 "on the device 53 n, 4 n more at the start (64-bit offsets: 69 n); parents 8 n, negative weights "
                 "4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
