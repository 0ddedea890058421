/* bfs_vertex.cu - breadth-first search that looks at every vertex in every level (`vertex`, catalogue B2).
 *
 * Method: Harish and Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007: one thread a
 * vertex; whoever finds its vertex in the frontier walks its arcs. There is no queue. Two things differ from the paper:
 * the level itself is the mask of the frontier (the paper keeps three arrays and a second kernel to update them), and
 * the levels follow each other inside one cooperative launch, where the paper returns to the host for each.
 * Invariants: L1 to L4 of levels.cuh. V1 a level checks n vertices, and looks at the arcs out of the frontier only.
 * Cost: O(n D + m) time; on the device 4 n bytes, parents 4 n more.
 */
#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

typedef struct vertex_method {
    uint32_t n;
} vertex_method;

static __device__ __forceinline__ void make_level(const level_search &s, const vertex_method &m, unsigned level,
                                                  level_slot *more)
{
    unsigned checked = 0, frontier = 0, arcs = 0, found = 0;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < m.n; v += (uint64_t)gridDim.x * blockDim.x) {
        checked++;
        if (simt_load_relaxed(&s.hop[v]) != level)
            continue;
        const uint64_t begin = csr_offset(s.out, (uint32_t)v), end = csr_offset(s.out, (uint32_t)v + 1);
        frontier++;
        arcs += (unsigned)(end - begin);
        for (uint64_t e = begin; e < end; e++)
            found += level_reach(s, (uint32_t)v, __ldg(&s.out.adj[e]), level);
    }
    __syncwarp();
    level_add(&more->count[COUNT_CHECKED], checked);
    level_add(&more->count[COUNT_FRONTIER], frontier);
    level_add(&more->count[COUNT_ARCS], arcs);
    level_found(more, found);
}

static nf_status begin(nf__run *run)
{
    levels *l = NULL;
    return levels_open(run, GRAPH_TARGETS, 0, &l);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"vertices"}, {}};
    levels *l = (levels *)run->scratch;
    const vertex_method m = {run->csr.n};
    return levels_row(l, row, sweep_levels<vertex_method>, m, m.n, &words);
}

extern const nf__algorithm bfs_vertex = {
    .info = {.name = "vertex",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "every vertex is checked in every level, a thread each",
             .paper = "Harish, Narayanan 2007",
             .memory = "on the device 4 n; parents 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = NULL,
             .knob_count = 0},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
