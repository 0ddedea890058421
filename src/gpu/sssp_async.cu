/* sssp_async.cu - asynchronous delta-stepping in one persistent kernel (`async`, catalogue S13).
 *
 * Method: after Wang, Fussell and Lin, "A fast work-efficient SSSP algorithm for GPUs" (ADDS), PPoPP 2021: vertices
 * whose labels fall go at once into one of many buckets by their label; a manager hands entries of the lowest buckets
 * to workers as they become free, so that there are no rounds and no barrier; buckets take their memory from an
 * allocator on the device; and the width of a bucket follows how busy the workers are. What differs from the paper: a
 * worker is a warp, not a block, since roads offer few entries at a time; an entry is the vertex with its label, so
 * that one which is out of date is known by one look; a worker goes on by itself within the bucket of its job; long
 * lists are cut into parts; and the manager looks at counters
 * and at a bit of each worker, never at what is in the buckets, which is what its end (N1 to N4) is proven from.
 *
 * Invariants: those of async.cuh (order, end, memory), and R1 to R3 of step_relax.cuh.
 * Targets end the run when they lie in buckets that have been left; nothing beyond the cutoff is pushed.
 * Cost: every entry is handed out once for each time its label falls, and moved now and then; on the device 16 n bytes
 * of segments, their tables 1 n to 2 n and 1 MB, 8 n for labels (floats of 32 bits: 4 n), n / 8 for missed vertices,
 * the results, and the engine's memory where parents are wanted.
 */
#include "gpu/algorithms.h"
#include "gpu/async_manager.cuh"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

#define FEW_BLOCKS 8u /* where there are more, the manager has a block to itself */

typedef struct async_run {
    device *d;
    device_graph *g;
    void *label;
    async_state *st;
    word64 *entry, *table, *mail;
    uint32_t *next, *missed, *sources, *targets;
    unsigned *read, *done;
    uint64_t source_room;
    unsigned segments, places;
    unsigned block, grid;
    sssp_out out;
    bool wide;  /* 32 bits were not enough */
    bool clean; /* all entries are empty: no row has ended early */
} async_run;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static __global__ void open_kernel(async_state *st, uint32_t *next, unsigned segments)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < segments; i += gridDim.x * blockDim.x)
        next[i] = i + 1 < segments ? i + 2 : 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        st->top = 1;
        st->far_least = EMPTY_ENTRY;
    }
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static nf_status prepare(async_run *r, nf__run *run)
{
    nf_status st = NF_OK;
    device *d = r->d;
    const unsigned block = device_block(d, 256);
    NF_TRY(device_fill_bytes(d, r->st, 0, sizeof *r->st));
    if (!r->clean)
        NF_TRY(device_fill_bytes(d, r->entry, 0xff, (uint64_t)r->segments * SEGMENT * sizeof *r->entry));
    NF_TRY(device_fill_bytes(d, r->table, 0xff, (uint64_t)r->places * PILES * sizeof *r->table));
    NF_TRY(device_fill_bytes(d, r->mail, 0, (uint64_t)MOST_WORKERS * MAIL_WORDS * sizeof *r->mail));
    NF_TRY(device_fill_bytes(d, r->done, 0, MOST_WORKERS / 8));
    NF_TRY(device_fill_bytes(d, r->missed, 0, ((uint64_t)run->csr.n + 31) / 32 * sizeof *r->missed));
    NF_TRY_CUDA(d, SIMT_LAUNCH(open_kernel, device_grid(r->segments, block, 4), block, 0, d->stream, r->st, r->next,
                               r->segments));
    r->clean = false;
done:
    return st;
}

/* The width of a bucket to begin with: `ahead` of them are 001's delta, 32 mean weights over the mean degree. */
static float first_width(const nf__run *run, unsigned ahead)
{
    const double asked = nf__knob_number(run, "delta"), width = asked > 0 ? asked : sssp_delta(run, 32) / ahead;
    if (!(width > 0))
        return 1;
    return (float)(width < 1e-30 ? 1e-30 : width > 1e30 ? 1e30 : width);
}

template <class K> static async_task<K> make_task(async_run *r, nf__run *run, const nf__row *row, const scale<K> &s)
{
    async_task<K> t = {};
    const unsigned warps = r->block / 32;
    t.f.label = (K *)r->label;
    t.f.flags = &r->st->flags;
    t.f.stop = &r->st->stop;
    t.f.s = s;
    t.f.bound = sssp_bound(run, s);
    t.st = r->st;
    t.entry = r->entry;
    t.table = r->table;
    t.next = r->next;
    t.read = r->read;
    t.mail = r->mail;
    t.done = r->done;
    t.missed = r->missed;
    t.sources = r->sources;
    t.targets = r->targets;
    t.source_count = (unsigned)row->source_count;
    t.target_count = (unsigned)run->target_count;
    t.places = r->places;
    t.spare = r->grid * warps == 1 ? 0 : r->grid > FEW_BLOCKS ? warps : 1;
    t.workers = r->grid * warps - t.spare;
    t.ahead = (unsigned)nf__knob_number(run, "ahead");
    t.least = (unsigned)nf__knob_number(run, "job");
    t.chase = (unsigned)nf__knob_number(run, "chase");
    t.n = run->csr.n;
    t.adapt = nf__knob_number(run, "adapt") != 0;
    t.shared = r->d->shared_device;
    return t;
}

/* Levels are buckets that have been left. */
static void report(const async_run *r, nf__run *run, const async_state *e, unsigned workers, float width,
                   uint64_t barriers)
{
    nf__log(
        run->ctx, NF_LOG_DEBUG,
        "sssp totals: levels %u, arcs %llu, entries %llu, kept %llu, stale %llu, moved %llu, parts %llu, missed %llu, "
        "sweeps %u, width %g to %g, changes %u, segments %u of %u, workers %u, busy %u, steps %u, barriers %llu",
        e->buckets, e->sum.arcs, e->sum.taken + e->sum.kept, e->sum.kept, e->sum.stale, e->sum.moved, e->sum.parts,
        e->sum.missed, e->sweeps, (double)width, (double)e->width, e->turns, e->segments, r->segments, workers,
        e->at_once, e->steps, (unsigned long long)barriers);
}

template <class K, class Off>
static nf_status relax_all(async_run *r, nf__run *run, nf__row *row, const scale<K> &s, async_state *end)
{
    nf_status st = NF_OK;
    const async_task<K> t = make_task(r, run, row, s);
    const float width = first_width(run, t.ahead);
    const uint64_t barriers = device_grid_barriers(r->d);
    const arena<Off> a = graph_arena<Off>(r->g->out);
    NF_TRY(sssp_fill(r->d, t.f.label, run->csr.n, s.infinity));
    NF_TRY(prepare(r, run));
    NF_TRY_CUDA(r->d, SIMT_LAUNCH_GRID((async_kernel<K, Off>), r->grid, r->block, 0, r->d->stream, t, a, width));
    NF_TRY(device_finish(r->d, "sssp", 0));
    NF_TRY(device_download(r->d, end, r->st, sizeof *end));
    r->clean = end->stop == 0 && run->target_count == 0;
    report(r, run, end, t.workers, width, device_grid_barriers(r->d) - barriers);
done:
    return st;
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    async_run *r = (async_run *)run->scratch;
    const scale<K> s = sssp_scale<K>(run);
    async_state end;
    bool whole = true;
    if (r->g->out.off32 != NULL)
        NF_TRY((relax_all<K, uint32_t>(r, run, row, s, &end)));
    else
        NF_TRY((relax_all<K, uint64_t>(r, run, row, s, &end)));
    NF_TRY(sssp_ended(row, sizeof(K), end.buckets, end.sum.arcs, end.flags, end.stop, again));
    if (!*again)
        NF_TRY(sssp_hand_out(run, row, &r->out, (const K *)r->label, s, false, &whole));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    async_run *r = (async_run *)run->scratch;
    NF_TRY(device_list(r->d, row->sources, row->source_count, &r->sources, &r->source_room));
    NF_TRY(device_start(run));
    NF_TRY(sssp_row(run, row, &r->wide, run_keys<uint32_t>, run_keys<word64>));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Blocks: one a multiprocessor, or as many as are asked for and fit the manager's lists. */
static nf_status choose_launch(async_run *r, const nf__run *run)
{
    nf_status st = NF_OK;
    const unsigned each = (unsigned)nf__knob_number(run, "blocks");
    const bool wide = r->g->out.off32 == NULL;
    const void *kernel =
        wide ? (const void *)(async_kernel<word64, uint64_t>) : (const void *)(async_kernel<word64, uint32_t>);
    unsigned fit = 1;
    r->block = device_block(r->d, ASYNC_THREADS);
    NF_TRY(device_resident_blocks(r->d, kernel, (int)r->block, 0, &fit));
    r->grid = (unsigned)r->d->multiprocessors * each;
    r->grid = r->grid < fit ? r->grid : fit;
    if (r->grid * (r->block / 32) > MOST_WORKERS)
        r->grid = MOST_WORKERS / (r->block / 32);
done:
    return st;
}

static nf_status allocate(async_run *r, nf__run *run)
{
    nf_status st = NF_OK;
    device *d = r->d;
    const uint64_t n = run->csr.n, entries = (uint64_t)(nf__knob_number(run, "room") * (double)n);
    const uint64_t loose = (uint64_t)MOST_WORKERS * (OUT_ROOM + 32) / SEGMENT + 2 * PILES; /* M4 */
    const uint64_t segments = (entries + SEGMENT - 1) / SEGMENT + PILES + 1;
    uint64_t places = 1;
    while (places < segments + SPAN + loose)
        places *= 2;
    r->segments = (unsigned)segments;
    r->places = (unsigned)places;
    NF_TRY(device_alloc_bytes(d, n, run->work_type == NF_F32 ? 4 : 8, &r->label));
    NF_TRY(device_alloc(d, 1, &r->st));
    NF_TRY(device_alloc(d, segments * SEGMENT, &r->entry));
    NF_TRY(device_alloc(d, places * PILES, &r->table));
    NF_TRY(device_alloc(d, segments, &r->next));
    NF_TRY(device_alloc(d, segments, &r->read));
    NF_TRY(device_alloc(d, (uint64_t)MOST_WORKERS * MAIL_WORDS, &r->mail));
    NF_TRY(device_alloc(d, MOST_WORKERS / 32, &r->done));
    NF_TRY(device_alloc(d, (n + 31) / 32, &r->missed));
    if (run->target_count != 0) {
        NF_TRY(device_alloc(d, run->target_count, &r->targets));
        NF_TRY(device_upload(d, r->targets, run->targets, run->target_count * sizeof(uint32_t), NULL));
    }
    NF_TRY(sssp_open(run, NULL, &r->out));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    async_run *r = NULL;
    NF_TRY_ALLOC(r, (async_run *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *r));
    run->scratch = r;
    r->d = (device *)run->device;
    NF_TRY(device_graph_need(run, sssp_parts(run)));
    r->g = device_graph_of(run);
    NF_TRY(choose_launch(r, run));
    NF_TRY(allocate(r, run));
done:
    return st;
}

static void end(nf__run *run)
{
    async_run *r = (async_run *)run->scratch;
    if (r == NULL)
        return;
    void *const blocks[] = {r->label, r->st,   r->entry,  r->table,   r->next,   r->read,
                            r->mail,  r->done, r->missed, r->sources, r->targets};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(r->d, blocks[i]);
    sssp_close(run, &r->out);
    nf__free(r);
    run->scratch = NULL;
}

static const nf_knob_info knobs[] = {
    {"delta", "width of a bucket to begin with; 0: 32 mean weights over the mean degree, shared by `ahead` buckets",
     NF_KNOB_REAL, "0", 0, 1e30, NULL},
    {"adapt", "1: the width follows how busy the workers are", NF_KNOB_INT, "1", 0, 1, NULL},
    {"ahead", "buckets that idle workers may begin with, the current one counted", NF_KNOB_INT, "4", 1, RING, NULL},
    {"job", "entries that a worker gets at least, if there are so many", NF_KNOB_INT, "8", 1, 32, NULL},
    {"chase", "batches that a worker relaxes of what it lowers within its bucket, before it answers; 0: all is pushed",
     NF_KNOB_INT, "8", 0, 1024, NULL},
    {"blocks", "of a multiprocessor, each of eight workers", NF_KNOB_INT, "1", 1, 2, NULL},
    {"room", "entries a vertex that there is memory for; what has no room waits as a bit", NF_KNOB_REAL, "2", 0, 16,
     NULL},
};

extern const nf__algorithm sssp_async = {
    .info = {.name = "async",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "many buckets in one kernel without barriers: a manager hands entries to workers",
             .paper = "Wang, Fussell, Lin 2021 (ADDS)",
             .memory = "on the device 35 n and 1 MB; parents 32 n more (64-bit offsets: 48 n)",
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
