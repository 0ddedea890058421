/* bfs_edge.cu - breadth-first search over the list of arcs (`edge`, catalogue B4).
 *
 * Method: Jia et al., "Edge v. node parallelism for graph centrality metrics", GPU Computing Gems 2011: in each level
 * every arc u -> v of the list is looked at, one thread an arc; if u has the level and v none, v gets the next. Work is
 * even whatever the degrees, and both ends of neighbouring arcs are read together.
 * Invariants: L1 to L4 of levels.cuh. E1 a level looks at m arcs.
 * Cost: O(m D) time; on the device 4 n bytes, parents 4 n more; the sources of the arcs, 4 m, stay with the graph.
 */
#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

enum { COUNT_TRIED = COUNT_FOURTH };

typedef struct edge_method {
    uint64_t m;
} edge_method;

static __device__ __forceinline__ void make_level(const level_search &s, const edge_method &m, unsigned level,
                                                  level_slot *more)
{
    unsigned arcs = 0, tried = 0, found = 0;
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < m.m; e += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t u = __ldg(&s.src[e]);
        arcs++;
        if (simt_load_relaxed(&s.hop[u]) != level)
            continue;
        tried++;
        found += level_reach(s, u, __ldg(&s.out.adj[e]), level);
    }
    __syncwarp();
    level_add(&more->count[COUNT_ARCS], arcs);
    level_add(&more->count[COUNT_TRIED], tried);
    level_found(more, found);
}

static nf_status begin(nf__run *run)
{
    levels *l = NULL;
    return levels_open(run, GRAPH_TARGETS | GRAPH_SOURCES, 0, &l);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"arcs"}, {NULL, NULL, NULL, "tried"}};
    levels *l = (levels *)run->scratch;
    const edge_method m = {run->csr.m};
    return levels_row(l, row, sweep_levels<edge_method>, m, m.m, &words);
}

extern const nf__algorithm bfs_edge = {
    .info = {.name = "edge",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "every arc is looked at in every level, a thread each",
             .paper = "Jia et al. 2011",
             .memory = "on the device 4 n; parents 4 n more; the sources of arcs, 4 m, stay with the graph",
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
