/* bfs_mesh.cu - breadth-first search out of step, for roads and meshes (`mesh`).
 *
 * Levels are labels that fall, like distances: blocks go on from what they have found without waiting for the others,
 * and the grid meets every few rounds (mesh.cuh). Where all blocks are as fast as each other hardly a vertex is listed
 * twice; where they are not, levels that were too high are lowered later.
 * Invariants: M1 to M4 of mesh.cuh, H1 and H2 of step_hop.cuh. Targets do not end it: levels are final at the end only.
 * Cost: O(n + m) where blocks keep pace, O(n m) at worst; on the device 4 n bytes for levels and 8.25 a record for the
 * pool; parents 4 n, and 8 n for words; records of arcs (16 bytes a vertex, more for lists of more than four) stay with
 * the graph.
 */
#include "gpu/algorithms.h"
#include "gpu/cutoff.h"
#include "gpu/mesh_launch.cuh"
#include "gpu/step_hop.cuh"

namespace SIMT_FLAVOUR
{

typedef struct mesh_search {
    engine *e;
    const device_records *records;
    uint32_t *hop, *parent, *deepest;
    word64 *word;
    mesh_memory pool;
} mesh_search;

/* Levels and, from words, parents (NULL: not wanted); the deepest level of all. */
static __global__ void close_kernel(const word64 *word, uint32_t n, uint32_t *hop, uint32_t *parent, uint32_t *deepest)
{
    uint32_t most = 0;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x) {
        const word64 w = word != NULL ? word[v] : (word64)hop[v] << 32;
        const uint32_t level = (uint32_t)(w >> 32);
        most = level != UNSEEN && level > most ? level : most;
        if (word != NULL)
            hop[v] = level;
        if (parent != NULL)
            parent[v] = (uint32_t)w;
    }
    __syncwarp();
    most = simt_reduce_max(WARP_ALL, most);
    if (simt_lane() == 0)
        (void)atomicMax(deepest, most);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    const bool tree = run->want_parents || run->nearest;
    mesh_search *s = NULL;
    NF_TRY_ALLOC(s, (mesh_search *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    NF_TRY(device_graph_records(run, false, &s->records));
    NF_TRY(engine_open_bare(run, &s->e));
    NF_TRY(mesh_open(s->e->d, s->records, n, &s->pool));
    NF_TRY(device_alloc(s->e->d, n, &s->hop));
    NF_TRY(device_alloc(s->e->d, 1, &s->deepest));
    if (tree) {
        NF_TRY(device_alloc(s->e->d, n, &s->parent));
        NF_TRY(device_alloc(s->e->d, n, &s->word));
    }
done:
    return st;
}

static void end(nf__run *run)
{
    mesh_search *s = (mesh_search *)run->scratch;
    if (s == NULL)
        return;
    if (s->e != NULL) {
        mesh_end(s->e->d, &s->pool);
        device_free(s->e->d, s->hop);
        device_free(s->e->d, s->parent);
        device_free(s->e->d, s->deepest);
        device_free(s->e->d, s->word);
    }
    engine_close(s->e);
    nf__free(s);
    run->scratch = NULL;
}

template <bool TREE> static nf_status search_by(mesh_search *s, nf__run *run, const nf__row *row)
{
    const hop_step<TREE> f = {s->hop, s->word, levels_allowed(run, INT32_MAX)};
    return mesh_loop(s->e, f, s->records, &s->pool, row->source_count, "bfs");
}

static nf_status search_levels(mesh_search *s, nf__run *run, const nf__row *row)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const uint64_t n = run->csr.n;
    const bool tree = row->parent != NULL;
    NF_TRY(device_fill_bytes(e->d, tree ? (void *)s->word : (void *)s->hop, 0xff, n * (tree ? 8 : 4)));
    NF_TRY(device_fill_bytes(e->d, s->deepest, 0, sizeof *s->deepest));
    NF_TRY(tree ? search_by<true>(s, run, row) : search_by<false>(s, run, row));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(close_kernel, e->grid, e->block, 0, e->d->stream, tree ? s->word : (word64 *)NULL,
                                  run->csr.n, s->hop, tree ? s->parent : (uint32_t *)NULL, s->deepest));
    NF_TRY(device_stop(e->d));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    mesh_search *s = (mesh_search *)run->scratch;
    engine *e = s->e;
    uint32_t deepest = 0;
    NF_TRY(engine_sources(e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    NF_TRY(search_levels(s, run, row));
    NF_TRY(device_download(e->d, &deepest, s->deepest, sizeof deepest));
    row->iterations = (uint64_t)deepest + 1;
    row->edges_relaxed = e->last.arcs;
    if (deepest == INT32_MAX)
        NF_TRY(nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops"));
    NF_TRY(device_results(run, row->dist, s->hop, (uint64_t)run->csr.n * 4));
    if (row->parent != NULL)
        NF_TRY(device_results(run, row->parent, s->parent, (uint64_t)run->csr.n * 4));
    NF_TRY(engine_report(e, "bfs out of step,")); /* meetings are no levels */
done:
    return st;
}

static const nf_knob_info knobs[] = {MESH_KNOBS("256")};

extern const nf__algorithm bfs_mesh = {
    .info =
        {.name = "mesh",
         .problem = NF_BFS,
         .device = NF_DEVICE_NAME,
         .summary = "levels out of step over records of four arcs, for roads and meshes",
         .paper = "",
         .memory =
             "on the device 12.25 n; parents 12 n more; 8.25 for every four arcs beyond three of a list; records of "
             "arcs, 16 n and more, stay with the graph",
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
