/* bfs_contract_expand.cu - a level takes arcs and gives arcs, in one step (`contract-expand`, catalogue B7).
 *
 * Method: Merrill, Garland and Grimshaw, "Scalable GPU graph traversal", PPoPP 2012: each block contracts
 * its part of the arc queue and gathers the lists of the vertices it has won into the next arc queue. Vertices stay on
 * the chip; every thread begins with one arc, so that small and uneven frontiers are well shared out.
 * Invariants: L1 to L4 of levels.cuh, M1 to M3 of scan_levels.cuh.
 * Cost: O(n + m) time; on the device 8 n + 8 m; parents 4 n + 8 m more.
 */
#include "gpu/scan_levels.cuh"

namespace SIMT_FLAVOUR
{

struct contract_expand_method : scan_method {
};

static __device__ __forceinline__ unsigned scan_way(const contract_expand_method &m, const level_share *now)
{
    (void)m;
    (void)now;
    return 0;
}

static __device__ __forceinline__ void scan_level(const level_search &s, const contract_expand_method &m,
                                                  scan_space *ws, unsigned level, unsigned way, const level_share *now,
                                                  level_slot *next, scan_counts *c)
{
    (void)way;
    contract_expand(s, m, ws, level, m.arcs[level & 1], now->arcs, m.arcs[1 - (level & 1)], next, c);
}

static nf_status begin(nf__run *run)
{
    return scan_open(run, 1, 2);
}

extern const nf__algorithm bfs_contract_expand = {
    .info = {.name = "contract-expand",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "arc queue to arc queue in one step",
             .paper = "Merrill, Garland, Grimshaw 2012",
             .memory = "on the device 8 n + 8 m; parents 4 n + 8 m more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = scan_knobs,
             .knob_count = SCAN_KNOB_COUNT},
    .begin = begin,
    .end = levels_end,
    .run = scan_row<contract_expand_method>,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
