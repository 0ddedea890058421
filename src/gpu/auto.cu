/* auto.cu - the methods of the device that choose methods, from statistics, with the reason in a sentence. */
#include "gpu/algorithms.h"
#include "gpu/engine.cuh"

namespace SIMT_FLAVOUR
{

static const nf__algorithm *choose_bfs(nf__run *run)
{
    snprintf(run->reason, sizeof run->reason, "largest degree %llu, mean %.3g: %s",
             (unsigned long long)run->stats.degree_max, run->stats.degree_mean, "levels from the frontier outwards");
    return &bfs_top_down;
}

static const nf__algorithm *choose_sssp(nf__run *run)
{
    snprintf(run->reason, sizeof run->reason, "weights from %.6g to %.6g: rounds over the vertices whose labels fell",
             run->stats.weight_min, run->stats.weight_max);
    return &sssp_workfront;
}

#define AUTO_INFO(which, count)                                                                                       \
    {                                                                                                                 \
        .name = "auto", .problem = which, .device = NF_DEVICE_NAME, .summary = "chooses from the graph's statistics", \
        .paper = "", .memory = "that of the method chosen", .flags = NF_ALG_AUTO | NF_ALG_NEGATIVE,                   \
        .knobs = engine_knobs, .knob_count = count                                                                    \
    }

extern const nf__algorithm bfs_auto = {.info = AUTO_INFO(NF_BFS, BFS_KNOB_COUNT),
                                       .begin = NULL,
                                       .end = NULL,
                                       .run = NULL,
                                       .all_rows = false,
                                       .choose = choose_bfs};
extern const nf__algorithm sssp_auto = {.info = AUTO_INFO(NF_SSSP, ENGINE_KNOB_COUNT),
                                        .begin = NULL,
                                        .end = NULL,
                                        .run = NULL,
                                        .all_rows = false,
                                        .choose = choose_sssp};

} /* namespace SIMT_FLAVOUR */
