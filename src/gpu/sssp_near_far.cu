/* sssp_near_far.cu - the Near-Far pile over the frontier engine (`near-far`, catalogue S6).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014, section IV.D. Vertices whose labels fall below the limit are worked on at once, round by round; those beyond
 * wait in the far pile. When nothing near is left, the limit moves up by delta and the pile is split. The paper drops
 * invalid and duplicate entries at each split; here a vertex comes to the pile once (far.cuh), and what has been
 * settled meanwhile is dropped. Splits are rounds of the persistent kernel: the host takes no part.
 * Where any tree is wanted and words hold it, labels are words that tell rounds (R4, R5 of step_relax.cuh), unless
 * lists are short: then no pass over the arcs has to find it.
 * With `ceiling`, sums that are too long to matter are not looked up (ceiling.h), and trees come from the lists that it
 * has by weight (pull_tree.cuh) instead of words.
 * Invariants: those of step_far.cuh, far.cuh and ceiling.cuh; T2 of sssp.cuh. When the run ends by its targets, labels
 * below the last limit are final (D1), which theirs are.
 * Cost: a pass over the pile for every delta, and the arcs of all frontiers: with a small delta Dijkstra's m, with a
 * large one Bellman-Ford's. On the device the engine's memory, 8 n for labels (floats of 32 bits: 4 n), 4 n for stamps
 * or 8 n for words (atomic64), 8 n for the pile, the results, 8 n for a tree.
 */
#include "gpu/algorithms.h"
#include "gpu/step_far.cuh"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

#define DELTA_FACTOR 32.0 /* the paper's */

template <class K> static void step_of(const workfront *s, far_step<K> *f)
{
    far_width(f, *(const double *)s->own);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    ((workfront *)run->scratch)->e->pl.hops = (unsigned)nf__knob_number(run, "hops");
    workfront_targets(run);
    return workfront_row<far_step<uint32_t>, far_step<word64>>(run, row);
}

/* By itself only for `auto`, where it pays by the look of the graph; frontiers in shared memory (deep) have none. */
static bool takes_ceiling(nf__run *run, bool tuned)
{
    const char *const asked = nf__knob_choice(run, "ceiling");
    const bool thin = run->stats.degree_max <= SHORT_LISTS && run->stats.degree_mean <= FEW_ARCS;
    return ceiling_fits(run) && !thin
           && (strcmp(asked, "on") == 0 || (strcmp(asked, "auto") == 0 && tuned && ceiling_pays(run)));
}

/* Under a ceiling order matters less where hubs are near everything. H200, rmat of 2^22 vertices: 2.45 ms with a
 * factor of 32, 2.33 with 72, 2.30 with 240; uniform: 4.4 with 16, 4.3 with 32, far more with 75. */
#define SKEWED_FACTOR 128.0
#define SKEW 100.0 /* largest degree / mean degree */

static double choose_factor(const nf__run *run, bool tuned, bool capped)
{
    const bool skewed = (double)run->stats.degree_max > SKEW * run->stats.degree_mean;
    return !tuned ? DELTA_FACTOR : capped && skewed ? SKEWED_FACTOR : sssp_tuned_factor(run);
}

static void tell_ceiling(nf__run *run)
{
    const size_t used = strlen(run->reason);
    snprintf(run->reason + used, sizeof run->reason - used,
             "; %llu arcs: lists by weight, sums above a ceiling left out", (unsigned long long)run->csr.m);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const bool tuned = run->algorithm == &sssp_near_far_tuned;
    ceiling *top = NULL;
    if (takes_ceiling(run, tuned))
        NF_TRY(ceiling_open(run, &top)); /* first: what making lists takes is given back before the rest is needed */
    NF_TRY(workfront_pile(run, sizeof(double), choose_factor(run, tuned, top != NULL), top == NULL));
    ((workfront *)run->scratch)->top = top;
    if (top != NULL && tuned)
        tell_ceiling(run);
    top = NULL;
done:
    ceiling_close(top);
    return st;
}

#define MEMORY                                                                                            \
    "on the device 52 n (64-bit offsets: 68 n); atomic64 8 n, parents 8 n (words: 16 n), ceiling 11,288 " \
    "more; its lists by weight, 8 m + 8 n, stay with the graph and take 3 m (4.5 m) more while they are made"

#define NEAR_FAR                                                                                \
    {                                                                                           \
        .info = {.name = "near-far",                                                            \
                 .problem = NF_SSSP,                                                            \
                 .device = NF_DEVICE_NAME,                                                      \
                 .summary = "two piles split at a moving distance",                             \
                 .paper = "Davidson, Baxter, Garland, Owens 2014",                              \
                 .memory = MEMORY,                                                              \
                 .flags = 0,                                                                    \
                 .knobs = far_knobs,                                                            \
                 .knob_count = FAR_KNOB_COUNT},                                                 \
        .begin = begin, .end = workfront_end, .run = run_row, .all_rows = false, .choose = NULL \
    }

extern const nf__algorithm sssp_near_far = NEAR_FAR;
extern const nf__algorithm sssp_near_far_tuned = NEAR_FAR;

} /* namespace SIMT_FLAVOUR */
