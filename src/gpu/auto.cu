/* auto.cu - the methods of the device that choose methods, from statistics, with the reason in a sentence. */
#include "gpu/algorithms.h"
#include "gpu/engine.cuh"

namespace SIMT_FLAVOUR
{

/* H200: 64 searches in a batch take a quarter of what they take one by one, a batch of one twice to thrice a search. */
#define MANY_ROWS 16u

/* Many sources at once, unless a setting of the frontier engine is asked for or memory is short. */
static bool takes_batch(const nf__run *run)
{
    device *d = (device *)run->device;
    const uint64_t graph = ((uint64_t)run->csr.n + 1) * 16 + run->csr.m * 8; /* both directions */
    return run->rows >= MANY_ROWS && run->knob_count == 0 && device_enter(d) == NF_OK
           && device_foresee(d, graph + bfs_bit_parallel_bytes(run, 32), "bit-parallel") == NF_OK;
}

static const nf__algorithm *choose_bfs(nf__run *run)
{
    if (takes_batch(run)) {
        snprintf(run->reason, sizeof run->reason, "%llu sources (>= %u): one look at an arc serves all of a batch",
                 (unsigned long long)run->rows, MANY_ROWS);
        return &bfs_bit_parallel;
    }
    const bool thin = run->stats.degree_max <= SHORT_LISTS && run->stats.degree_mean <= FEW_ARCS;
    const bool down = thin || run->knob_count != 0;
    snprintf(run->reason, sizeof run->reason, "largest degree %llu%s%u, mean %.3g%s%u: %s",
             (unsigned long long)run->stats.degree_max, run->stats.degree_max <= SHORT_LISTS ? " <= " : " > ",
             SHORT_LISTS, run->stats.degree_mean, run->stats.degree_mean <= FEW_ARCS ? " <= " : " > ", FEW_ARCS,
             thin   ? "small frontiers, kept in shared memory"
             : down ? "levels from the frontier outwards, as the knobs ask for"
                    : "few levels, and large ones from the unseen vertices");
    return down ? &bfs_top_down : &bfs_direction;
}

/* Is the method to change during the run? By default it is not: that has not been measured on a GPU yet. Rounds out of
 * step (thin graphs) have no common round to count; other knobs of the engine are for the methods that have them. */
static bool takes_turns(const nf__run *run)
{
    bool only = run->algorithm == &sssp_auto; /* a run for all pairs may ask, too: its knobs are others */
    for (size_t i = 0; i < run->knob_count; i++)
        only = only
               && (strncmp(run->knobs[i], "switch=", 7) == 0 || strncmp(run->knobs[i], "delta=", 6) == 0
                   || strncmp(run->knobs[i], "loop=", 5) == 0);
    return only && strcmp(nf__knob_choice(run, "switch"), "on") == 0;
}

static double delta_of(const nf__run *run, bool thin)
{
    const double asked = run->algorithm == &sssp_auto ? nf__knob_number(run, "delta") : 0;
    return asked > 0 ? asked : sssp_near_far_delta(run, thin);
}

static const nf__algorithm *choose_sssp(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    if (s->weight_sign < 0 || s->weight_min == s->weight_max) {
        snprintf(run->reason, sizeof run->reason,
                 "weights from %.6g to %.6g: rounds over the vertices whose labels fell", s->weight_min, s->weight_max);
        return &sssp_workfront;
    }
    const bool thin = s->degree_max <= SHORT_LISTS && s->degree_mean <= FEW_ARCS;
    if (!thin && takes_turns(run)) {
        snprintf(run->reason, sizeof run->reason,
                 "no negative weights, mean %.6g; mean degree %.3g: what is near first, delta %.6g until rounds count",
                 s->weight_mean, s->degree_mean, delta_of(run, false));
        return &sssp_adaptive;
    }
    snprintf(run->reason, sizeof run->reason,
             "no negative weights, mean %.6g; largest degree %llu%s%u, mean %.3g%s%u: what is near first, delta %.6g",
             s->weight_mean, (unsigned long long)s->degree_max, s->degree_max <= SHORT_LISTS ? " <= " : " > ",
             SHORT_LISTS, s->degree_mean, s->degree_mean <= FEW_ARCS ? " <= " : " > ", FEW_ARCS, delta_of(run, thin));
    return thin ? &sssp_near_far_wide : &sssp_near_far;
}

#define AUTO_INFO(which, list, count)                                                                                 \
    {                                                                                                                 \
        .name = "auto", .problem = which, .device = NF_DEVICE_NAME, .summary = "chooses from the graph's statistics", \
        .paper = "", .memory = "that of the method chosen", .flags = NF_ALG_AUTO | NF_ALG_NEGATIVE, .knobs = list,    \
        .knob_count = count                                                                                           \
    }

extern const nf__algorithm bfs_auto = {.info = AUTO_INFO(NF_BFS, engine_knobs, BFS_KNOB_COUNT),
                                       .begin = NULL,
                                       .end = NULL,
                                       .run = NULL,
                                       .all_rows = false,
                                       .choose = choose_bfs};
extern const nf__algorithm sssp_auto = {.info = AUTO_INFO(NF_SSSP, auto_knobs, AUTO_KNOB_COUNT),
                                        .begin = NULL,
                                        .end = NULL,
                                        .run = NULL,
                                        .all_rows = false,
                                        .choose = choose_sssp};

} /* namespace SIMT_FLAVOUR */
