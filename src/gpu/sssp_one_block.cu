/* sssp_one_block.cu - delta-stepping by one block with all labels in its shared memory (`one-block`), for few
 * vertices in a long chain: `auto` goes over to it where rounds of the whole grid settle few vertices.
 *
 * The buckets are those of Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of
 * Algorithms 2003; light are the arcs that stay within the bucket. How a step is made: one_block.cuh.
 * Rows whose labels take 64 bits, graphs of more vertices than a block has room for, of 2^31 arcs, without weights of
 * 32 bits or with negative ones are the frontier engine's, as `near-far` has them.
 * Invariants: B1 to B3 of one_block.cuh, D1 of step_far.cuh, T2 of sssp.cuh. When the run ends by its targets, labels
 * below the last limit are final, which theirs are.
 * Cost: one multiprocessor's; O(n / threads) a bucket, one trip to memory a step, each arc about once. On the device
 * the memory of `near-far`, and 128 n for the lightest arcs; lists by weight (8 m + 8 n) stay with the graph.
 */
#include "gpu/algorithms.h"
#include "gpu/one_block.cuh"
#include "gpu/own_rounds.cuh"

namespace SIMT_FLAVOUR
{

/* Of near-far, which has the rows that are not one block's. */
#define DELTA_FACTOR 32.0
#define HOPS 8u
/* Arcs of a mean vertex that stay within its bucket: a warp reads 32 together. By counting; to be measured. */
#define LIGHT_ARCS 8.0
#define WIDE \
    32.0 /* mean weights, where lists are so short that all of them is light: a bucket costs a look at all labels */

typedef struct chain {
    double delta; /* first: workfront_pile */
    double width;
    const device_ordered *lists; /* NULL: not one block's */
    uint2 *heads;
} chain;

template <class K> static void step_of(const workfront *s, far_step<K> *f)
{
    far_width(f, ((const chain *)s->own)->delta);
}

/* ---- does it fit? ------------------------------------------------------------------------------------------------ */

bool one_block_has_room(const nf__run *run)
{
    const device *d = (const device *)run->device;
    return order_fits(run) && sssp_is_narrow(run) && run->csr.n != 0 && run->csr.m < UINT32_MAX / 2
           && one_bytes(run->csr.n) + sizeof(one_share) <= d->shared_most;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static nf_status launch_one(workfront *s, const far_step<uint32_t> &f, const nf__row *row)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const size_t bytes = one_bytes(e->g->out.n);
    const chain *c = (const chain *)s->own;
    one_method m = {f, e->g->out, c->heads, e->sources, row->source_count, e->st};
    m.g.pairs = c->lists->pairs;
    memset(&e->last, 0, sizeof e->last);
    NF_TRY(device_fill_bytes(e->d, e->st, 0, sizeof *e->st));
    NF_TRY_CUDA(e->d, cudaFuncSetAttribute((const void *)one_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)bytes));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(one_kernel, 1, device_block(e->d, ONE_THREADS), bytes, e->d->stream, m, e->pl));
    NF_TRY(device_finish(e->d, "sssp", 0));
    NF_TRY(device_download(e->d, &e->last, e->st, sizeof e->last));
done:
    return st;
}

static nf_status relax_in_one(nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    const chain *c = (const chain *)s->own;
    far_step<uint32_t> f = {};
    if (c->lists == NULL)
        return workfront_keys<far_step<uint32_t>>(run, row, again);
    NF_TRY(labels_begin<uint32_t>(run, s->e, &s->labels, &f));
    far_width(&f, c->width);
    NF_TRY(launch_one(s, f, row));
    NF_TRY(own_rounds_end(run, row, f, again));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return own_rounds_row(run, row, HOPS, relax_in_one, workfront_keys<far_step<word64>>);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static nf_status make_heads(const workfront *s, chain *c)
{
    nf_status st = NF_OK;
    device *d = s->e->d;
    device_csr g = s->e->g->out;
    const unsigned threads = device_block(d, 256);
    g.pairs = c->lists->pairs;
    NF_TRY(device_alloc(d, (uint64_t)g.n * ONE_HEAD, &c->heads));
    NF_TRY_CUDA(d, SIMT_LAUNCH(heads_kernel, device_grid((uint64_t)g.n * ONE_HEAD, threads, 4), threads, 0, d->stream,
                               g, c->heads));
done:
    return st;
}

static void end(nf__run *run)
{
    const workfront *s = (const workfront *)run->scratch;
    if (s != NULL && s->own != NULL)
        device_free((device *)run->device, ((chain *)s->own)->heads);
    workfront_end(run);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const device_ordered *lists = NULL;
    chain *c = NULL;
    const nf_graph_stats *g = &run->stats;
    if (one_block_has_room(run))
        NF_TRY(device_graph_order(run, &lists));
    NF_TRY(workfront_pile(run, sizeof(chain), DELTA_FACTOR, false));
    c = (chain *)((workfront *)run->scratch)->own;
    c->lists = lists;
    if (lists != NULL)
        NF_TRY(make_heads((workfront *)run->scratch, c));
    c->width = nf__knob_number(run, "delta");
    if (!(c->width > 0)) /* as if weights were spread evenly from none to twice the mean */
        c->width =
            g->degree_mean > LIGHT_ARCS ? 2 * g->weight_mean * LIGHT_ARCS / g->degree_mean : WIDE * g->weight_mean;
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {"delta", "width of a bucket; 0: eight arcs of a mean vertex stay within it", NF_KNOB_REAL, "0", 0, 1e300, NULL},
};

extern const nf__algorithm sssp_one_block = {
    .info = {.name = "one-block",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "buckets by one block with all labels in its shared memory, for few vertices in a long chain",
             .paper = "Meyer, Sanders 2003",
             .memory = "on the device 180 n; parents 8 n more; lists by weight, 8 m + 8 n, stay with "
                       "the graph and take 3 m (4.5 m) more while they are made",
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
