/* bfs_virtual_warp.cu - breadth-first search by static virtual warps over all vertices (`virtual-warp`, catalogue B3).
 *
 * Method: Hong, Kim, Oguntebi and Olukotun, "Accelerating CUDA graph algorithms at maximum warp", PPoPP 2011. A warp is
 * cut into virtual warps of N lanes. Each takes a chunk of N vertices, reads their levels together, and then handles
 * those in the frontier one after another, all N lanes on one list of arcs. The paper copies the chunk to shared
 * memory; here lanes vote on it and hand it round by shuffles. N stays the same over the run (knob width).
 * Invariants: L1 to L4 of levels.cuh.
 *   W1 a level checks n vertices, and looks at the arcs out of the frontier only;
 *   W2 a list of d arcs takes ceil(d / N) steps of its virtual warp; steps are counted.
 * Cost: O(n D + m) time; on the device 4 n bytes, parents 4 n more.
 */
#include "gpu/levels.cuh"

#include <stdlib.h>

namespace SIMT_FLAVOUR
{

enum { COUNT_STEPS = COUNT_FOURTH };

typedef struct warp_method {
    uint32_t n;
    unsigned width; /* N: 1, 2, 4 ... 32 */
} warp_method;

/* The lists of a chunk, one after another. `mine`: the vertices of this virtual warp's lanes that are in the frontier.
 * All lanes of the warp. */
static __device__ __forceinline__ unsigned walk_chunk(const level_search &s, uint32_t v, unsigned width, unsigned mine,
                                                      unsigned level, unsigned *steps)
{
    const unsigned within = simt_lane() & (width - 1);
    unsigned found = 0;
    while (__any_sync(WARP_ALL, mine != 0)) {
        const int owner = mine != 0 ? __ffs((int)mine) - 1 : (int)simt_lane();
        const uint32_t u = __shfl_sync(WARP_ALL, v, owner);
        if (mine == 0)
            continue;
        const uint64_t begin = csr_offset(s.out, u), end = csr_offset(s.out, u + 1);
        for (uint64_t e = begin + within; e < end; e += width)
            found += level_reach(s, u, __ldg(&s.out.adj[e]), level);
        *steps += within == 0 ? (unsigned)((end - begin + width - 1) / width) : 0;
        mine &= mine - 1;
    }
    return found;
}

static __device__ __forceinline__ void make_level(const level_search &s, const warp_method &m, unsigned level,
                                                  level_slot *more)
{
    const unsigned group =
        m.width == 32 ? WARP_ALL : ((1u << m.width) - 1u) << (simt_lane() & ~(m.width - 1)); /* lanes of mine */
    unsigned checked = 0, frontier = 0, arcs = 0, found = 0, steps = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t v = (uint32_t)(base + simt_lane());
        const bool there = base + simt_lane() < m.n, in = there && simt_load_relaxed(&s.hop[v]) == level;
        const unsigned votes = __ballot_sync(WARP_ALL, in);
        checked += there;
        frontier += in;
        arcs += in ? (unsigned)(csr_offset(s.out, v + 1) - csr_offset(s.out, v)) : 0;
        if (votes != 0)
            found += walk_chunk(s, v, m.width, votes & group, level, &steps);
    }
    level_add(&more->count[COUNT_CHECKED], checked);
    level_add(&more->count[COUNT_FRONTIER], frontier);
    level_add(&more->count[COUNT_ARCS], arcs);
    level_add(&more->count[COUNT_STEPS], steps);
    level_found(more, found);
}

static nf_status begin(nf__run *run)
{
    levels *l = NULL;
    return levels_open(run, GRAPH_TARGETS, 0, &l);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"vertices"}, {NULL, NULL, NULL, "steps"}};
    levels *l = (levels *)run->scratch;
    const char *width = nf__knob_choice(run, "width");
    const warp_method m = {run->csr.n, strcmp(width, "auto") == 0 ? levels_mean_width(run) : (unsigned)atoi(width)};
    return levels_row(l, row, sweep_levels<warp_method>, m, m.n, &words);
}

static const nf_knob_info knobs[] = {
    {"width", "lanes of a virtual warp; auto: the power of two next below the mean degree", NF_KNOB_CHOICE, "auto", 0,
     0, "auto 1 2 4 8 16 32"},
};

extern const nf__algorithm bfs_virtual_warp = {
    .info = {.name = "virtual-warp",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "every vertex is checked in every level, lists of arcs by groups of lanes",
             .paper = "Hong, Kim, Oguntebi, Olukotun 2011",
             .memory = "on the device 4 n; parents 4 n more",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
