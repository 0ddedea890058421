/* bfs_expand_contract.cu - a level takes vertices and gives vertices, in one step (`expand-contract`, catalogue B7).
 *
 * Method: Merrill, Garland and Grimshaw, "Scalable GPU graph traversal", PPoPP 2012: each block gathers the
 * lists of its vertices and contracts the ends at once, without leaving the chip; what survives is the next vertex
 * queue. The arc frontier is never written.
 * Invariants: L1 to L4 of levels.cuh, M1 to M3 of scan_levels.cuh.
 * Cost: O(n + m) time; on the device 12 n; parents 4 n more.
 */
#include "gpu/scan_levels.cuh"

namespace SIMT_FLAVOUR
{

struct expand_contract_method : scan_method {
};

/* Ends of arcs are contracted where they are gathered. */
typedef struct to_vertices {
    const level_search &s;
    const scan_method &m;
    scan_space *ws;
    uint32_t *to;
    level_slot *next;
    scan_counts *c;
    unsigned level;
} to_vertices;

static __device__ __forceinline__ void take(to_vertices &g, bool live, uint32_t u, uint64_t arc, word64 place)
{
    const uint32_t v = live ? __ldg(&g.s.out.adj[arc]) : 0;
    (void)place;
    warp_append(contract(g.s, g.m, g.ws, g.level, live, u, v, g.c), v, g.to, &g.next->found);
}

static __device__ __forceinline__ unsigned scan_way(const expand_contract_method &m, const level_share *now)
{
    (void)m;
    (void)now;
    return 0;
}

static __device__ __forceinline__ void scan_level(const level_search &s, const expand_contract_method &m,
                                                  scan_space *ws, unsigned level, unsigned way, const level_share *now,
                                                  level_slot *next, scan_counts *c)
{
    (void)way;
    const uint32_t *from = m.vertices[level & 1];
    const uint32_t count = now->found;
    to_vertices g = {s, m, ws, m.vertices[1 - (level & 1)], next, c, level};
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x; base < count; base += (uint64_t)gridDim.x * blockDim.x) {
        const bool has = base + threadIdx.x < count;
        gather(ws, g, list_of(s, has, has ? from[base + threadIdx.x] : 0));
    }
}

static nf_status begin(nf__run *run)
{
    return scan_open(run, 2, 0);
}

extern const nf__algorithm bfs_expand_contract = {
    .info = {.name = "expand-contract",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "vertex queue to vertex queue in one step, lists gathered by block, warp and scan",
             .paper = "Merrill, Garland, Grimshaw 2012",
             .memory = "on the device 12 n; parents 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = scan_knobs,
             .knob_count = SCAN_KNOB_COUNT},
    .begin = begin,
    .end = levels_end,
    .run = scan_row<expand_contract_method>,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
