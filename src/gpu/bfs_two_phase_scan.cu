/* bfs_two_phase_scan.cu - a level expands vertices to arcs, then contracts arcs to vertices (`two-phase-scan`, B7).
 *
 * Method: Merrill, Garland and Grimshaw, "Scalable GPU graph traversal", PPoPP 2012: both frontiers are
 * written, with a barrier of the grid between the two phases, each of which shares out its own work evenly.
 * Invariants: L1 to L4 of levels.cuh, M1 to M3 of scan_levels.cuh.
 * Cost: O(n + m) time; on the device 8 n + 4 m; parents 4 n + 4 m more.
 */
#include "gpu/scan_levels.cuh"

namespace SIMT_FLAVOUR
{

struct two_phase_method : scan_method {
};

static __device__ __forceinline__ unsigned scan_way(const two_phase_method &m, const level_share *now)
{
    (void)m;
    (void)now;
    return 1;
}

static __device__ __forceinline__ void scan_level(const level_search &s, const two_phase_method &m, scan_space *ws,
                                                  unsigned level, unsigned way, const level_share *now,
                                                  level_slot *next, scan_counts *c)
{
    (void)way;
    expand_vertices(s, ws, m.vertices[0], now->found, m.arcs[0], next);
    simt_grid_sync();
    contract_arcs(s, m, ws, level, m.arcs[0],
                  level_tell(&ws->share, threadIdx.x == 0 ? simt_load_relaxed(&next->arcs) : 0), m.vertices[0], next,
                  c);
}

static nf_status begin(nf__run *run)
{
    return scan_open(run, 1, 1);
}

extern const nf__algorithm bfs_two_phase_scan = {
    .info = {.name = "two-phase-scan",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "vertices expanded to an arc queue, then arcs contracted to a vertex queue",
             .paper = "Merrill, Garland, Grimshaw 2012",
             .memory = "on the device 8 n + 4 m; parents 4 n + 4 m more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = scan_knobs,
             .knob_count = SCAN_KNOB_COUNT},
    .begin = begin,
    .end = levels_end,
    .run = scan_row<two_phase_method>,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
