/* bfs_scan_hybrid.cu - contract-expand while the frontier is small, two phases while it is large (`scan-hybrid`, B7).
 *
 * Method: Merrill, Garland and Grimshaw, "Scalable GPU graph traversal", PPoPP 2012: levels whose arcs the
 * resident threads take in one go are made in one step, arcs to arcs; larger ones in two phases, arcs to vertices and
 * vertices to arcs.
 * Invariants: L1 to L4 of levels.cuh, M1 to M3 of scan_levels.cuh.
 * Cost: O(n + m) time; on the device 8 n + 8 m; parents 4 n + 8 m more.
 */
#include "gpu/scan_levels.cuh"

namespace SIMT_FLAVOUR
{

struct hybrid_method : scan_method {
};

static __device__ __forceinline__ unsigned scan_way(const hybrid_method &m, const level_share *now)
{
    (void)m;
    return now->arcs <= (word64)gridDim.x * blockDim.x ? 0 : 1;
}

static __device__ __forceinline__ void scan_level(const level_search &s, const hybrid_method &m, scan_space *ws,
                                                  unsigned level, unsigned way, const level_share *now,
                                                  level_slot *next, scan_counts *c)
{
    const arc_queue from = m.arcs[level & 1], to = m.arcs[1 - (level & 1)];
    if (way == 0) {
        contract_expand(s, m, ws, level, from, now->arcs, to, next, c);
        return;
    }
    contract_arcs(s, m, ws, level, from, now->arcs, m.vertices[0], next, c);
    simt_grid_sync();
    expand_vertices(s, ws, m.vertices[0],
                    (uint32_t)level_tell(&ws->share, threadIdx.x == 0 ? simt_load_relaxed(&next->found) : 0), to, next);
}

static nf_status begin(nf__run *run)
{
    return scan_open(run, 1, 2);
}

extern const nf__algorithm bfs_scan_hybrid = {
    .info = {.name = "scan-hybrid",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "arc queue to arc queue, in one step where small and in two phases where large",
             .paper = "Merrill, Garland, Grimshaw 2012",
             .memory = "on the device 8 n + 8 m; parents 4 n + 8 m more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = scan_knobs,
             .knob_count = SCAN_KNOB_COUNT},
    .begin = begin,
    .end = levels_end,
    .run = scan_row<hybrid_method>,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
