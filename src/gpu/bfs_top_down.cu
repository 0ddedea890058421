/* bfs_top_down.cu - breadth-first search from the frontier outwards, over the frontier engine (`top-down`).
 *
 * Each round visits every arc out of the frontier; a vertex seen for the first time gets its level and joins the next.
 * Mappings: Harish and Narayanan 2007; Hong et al. 2011; Merrill et al. 2012; Busato and Bombieri 2015 (engine.cuh).
 * Invariants: B1 to B3 of step_bfs.cuh. Rounds end at the cutoff, or in the round after all targets are reached.
 * Cost: O(n + m), one look at every arc out of a reached vertex; on the device the engine's memory (12 n; policies that
 * may queue a vertex twice 24 n) and 4 n bytes for levels, 4 n for parents, 8 n more under atomic64.
 */
#include "gpu/algorithms.h"
#include "gpu/cutoff.h"
#include "gpu/measure.cuh"

namespace SIMT_FLAVOUR
{

typedef struct search {
    engine *e;
    uint32_t *hop, *parent;
    word64 *word;
} search;

static __global__ void split_kernel(const word64 *word, uint32_t n, uint32_t *hop, uint32_t *parent)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x) {
        hop[v] = (uint32_t)(word[v] >> 32);
        if (parent != NULL)
            parent[v] = (uint32_t)word[v];
    }
}

static nf_status measure(search *s, unsigned repeats)
{
    return s->e->g->out.off32 != NULL ? engine_measure<uint32_t>(s->e, s->hop, repeats)
                                      : engine_measure<uint64_t>(s->e, s->hop, repeats);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    search *s = NULL;
    NF_TRY_ALLOC(s, (search *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    NF_TRY(device_graph_need(run, GRAPH_TARGETS));
    NF_TRY(engine_open(run, &s->e));
    NF_TRY(device_alloc(s->e->d, n, &s->hop));
    if (run->want_parents || run->nearest)
        NF_TRY(device_alloc(s->e->d, n, &s->parent));
    if (s->e->policy == DUP_ATOMIC64)
        NF_TRY(device_alloc(s->e->d, n, &s->word));
    if (nf__knob_number(run, "measure") > 0)
        NF_TRY(measure(s, (unsigned)nf__knob_number(run, "measure")));
done:
    return st;
}

static void end(nf__run *run)
{
    search *s = (search *)run->scratch;
    if (s == NULL)
        return;
    if (s->e != NULL) {
        device_free(s->e->d, s->hop);
        device_free(s->e->d, s->parent);
        device_free(s->e->d, s->word);
    }
    engine_close(s->e);
    nf__free(s);
    run->scratch = NULL;
}

static nf_status search_levels(search *s, const nf__run *run, const nf__row *row)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const uint64_t n = run->csr.n;
    const unsigned most = levels_allowed(run, INT32_MAX);
    uint32_t *const parent = row->parent != NULL ? s->parent : NULL;
    bfs_step f = {s->hop, s->word == NULL ? parent : NULL, s->word, 0, e->policy >= DUP_ATOMIC64, run->deterministic};
    NF_TRY(device_fill_bytes(e->d, s->word != NULL ? (void *)s->word : (void *)s->hop, 0xff,
                             n * (s->word != NULL ? 8 : 4)));
    if (f.parent != NULL)
        NF_TRY(device_fill_bytes(e->d, f.parent, 0xff, n * 4));
    e->pl.targets = e->targets;
    e->pl.target_count = (unsigned)run->target_count;
    if (e->g->out.off32 != NULL)
        NF_TRY((engine_loop<bfs_step, uint32_t>(e, f, row->source_count, e->policy, most, "bfs")));
    else
        NF_TRY((engine_loop<bfs_step, uint64_t>(e, f, row->source_count, e->policy, most, "bfs")));
    if (s->word != NULL) {
        NF_TRY_CUDA(e->d,
                    SIMT_LAUNCH(split_kernel, e->grid, e->block, 0, e->d->stream, s->word, run->csr.n, s->hop, parent));
        NF_TRY(device_stop(e->d));
    }
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    search *s = (search *)run->scratch;
    engine *e = s->e;
    NF_TRY(engine_sources(e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    NF_TRY(search_levels(s, run, row));
    row->iterations = e->last.round;
    row->edges_relaxed = e->last.arcs;
    if (engine_unfinished(e) && e->last.round == INT32_MAX)
        NF_TRY(nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops"));
    NF_TRY(device_results(run, row->dist, s->hop, (uint64_t)run->csr.n * 4));
    if (row->parent != NULL)
        NF_TRY(device_results(run, row->parent, s->parent, (uint64_t)run->csr.n * 4));
    NF_TRY(engine_report(e, "bfs"));
done:
    return st;
}

extern const nf__algorithm bfs_top_down = {
    .info = {.name = "top-down",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "levels from the frontier outwards; ten mappings of arcs to threads, two loops",
             .paper = "Harish, Narayanan 2007; Merrill, Garland, Grimshaw 2012; Busato, Bombieri 2015",
             .memory =
                 "on the device 16 n (64-bit offsets: 24 n); duplicates that may be queued twice 12.125 n (20.125 n), "
                 "table, hash64 4 n, atomic64 8 n, parents 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = engine_knobs,
             .knob_count = BFS_KNOB_COUNT},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
