/* sssp_near_far.cu - the Near-Far pile over the frontier engine (`near-far`, catalogue S6).
 *
 * Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
 * 2014, section IV.D. Vertices whose labels fall below the limit are worked on at once, round by round; those beyond
 * wait in the far pile. When nothing near is left, the limit moves up by delta and the pile is split. The paper drops
 * invalid and duplicate entries at each split; here a vertex comes to the pile once (far.cuh), and what has been
 * settled meanwhile is dropped. Splits are rounds of the persistent kernel: the host takes no part.
 * Invariants: those of step_far.cuh and far.cuh; T2 of sssp.cuh. When the run ends by its targets, labels below the
 * last limit are final (D1), which theirs are.
 * Cost: a pass over the pile for every delta, and the arcs of all frontiers: with a small delta Dijkstra's m, with a
 * large one Bellman-Ford's. On the device the engine's memory, 8 n for labels (floats of 32 bits: 4 n), 4 n for stamps
 * or 8 n for words (atomic64), 8 n for the pile, the results, 8 n for a tree.
 */
#include "gpu/algorithms.h"
#include "gpu/sssp.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

#define DELTA_FACTOR 32.0 /* the paper's */
/* Rounds out of step (loose.cuh) are bound by latency, so work that costs no round is free. H200: ny 6.8 ms with a
 * factor of 32, 5.1 with 64, 4.2 with 128; grid4k 41 with 32, 31 with 144. */
#define WIDE_FACTOR 128.0

typedef struct piles {
    engine *e;
    sssp_labels labels;
    sssp_out out;
    double delta;
} piles;

/* One row with keys K; *again: 32 bits were not enough. */
template <class K, class Off> static nf_status row_of_keys(piles *s, nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    far_step<K> f = {};
    bool whole = true;
    NF_TRY(labels_begin<K>(run, e, &s->labels, &f));
    f.width = s->delta < (double)(f.s.infinity / 2) ? (K)(s->delta < 1 ? 1 : s->delta) : f.s.infinity / 2;
    f.reals = s->delta;
    NF_TRY((engine_loop<far_step<K>, Off>(e, f, row->source_count, e->policy, UINT32_MAX, "sssp")));
    NF_TRY(labels_end<K>(run, e, &s->labels, s->out.parent));
    NF_TRY(labels_report<K>(e, row, &s->labels, again));
    if (!*again)
        NF_TRY(sssp_hand_out(run, row, &s->out, (const K *)s->labels.label, f.s, labels_hold_tree(run, &s->labels, f.s),
                             &whole));
done:
    return st;
}

template <class Off> static nf_status row_of_offsets(piles *s, nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    bool again = !sssp_is_narrow(run) || s->labels.wide;
    if (!again)
        NF_TRY((row_of_keys<uint32_t, Off>(s, run, row, &again)));
    if (again)
        NF_TRY((row_of_keys<word64, Off>(s, run, row, &again)));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    piles *s = (piles *)run->scratch;
    NF_TRY(engine_sources(s->e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    s->e->pl.hops = (unsigned)nf__knob_number(run, "hops");
    s->e->pl.targets = s->e->targets;
    s->e->pl.target_count = (unsigned)run->target_count;
    if (s->e->g->out.off32 != NULL)
        NF_TRY(row_of_offsets<uint32_t>(s, run, row));
    else
        NF_TRY(row_of_offsets<uint64_t>(s, run, row));
done:
    return st;
}

double sssp_near_far_delta(const nf__run *run, bool wide)
{
    const nf_graph_stats *s = &run->stats;
    return (wide ? WIDE_FACTOR : DELTA_FACTOR) * s->weight_mean / (s->degree_mean > 1 ? s->degree_mean : 1);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    piles *s = NULL;
    NF_TRY_ALLOC(s, (piles *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    s->delta = nf__knob_number(run, "delta");
    if (!(s->delta > 0))
        s->delta = sssp_near_far_delta(run, run->algorithm == &sssp_near_far_wide);
    NF_TRY(device_graph_need(run, run->csr.weight_type == NF_NONE ? GRAPH_TARGETS : GRAPH_PAIRS));
    NF_TRY(engine_open(run, &s->e));
    NF_TRY(engine_pile(s->e));
    NF_TRY(labels_open(run, s->e, &s->labels));
    NF_TRY(sssp_open(run, s->e, &s->out));
done:
    return st;
}

static void end(nf__run *run)
{
    piles *s = (piles *)run->scratch;
    if (s == NULL)
        return;
    if (s->e != NULL) {
        labels_close(s->e->d, &s->labels);
        sssp_close(run, &s->out);
    }
    engine_close(s->e);
    nf__free(s);
    run->scratch = NULL;
}

#define NEAR_FAR                                                                                        \
    {                                                                                                   \
        .info = {.name = "near-far",                                                                    \
                 .problem = NF_SSSP,                                                                    \
                 .device = NF_DEVICE_NAME,                                                              \
                 .summary = "two piles split at a moving distance",                                     \
                 .paper = "Davidson, Baxter, Garland, Owens 2014",                                      \
                 .memory = "on the device 52 n (64-bit offsets: 68 n); atomic64 8 n, parents 8 n more", \
                 .flags = 0,                                                                            \
                 .knobs = far_knobs,                                                                    \
                 .knob_count = FAR_KNOB_COUNT},                                                         \
        .begin = begin, .end = end, .run = run_row, .all_rows = false, .choose = NULL                   \
    }

extern const nf__algorithm sssp_near_far = NEAR_FAR;
extern const nf__algorithm sssp_near_far_wide = NEAR_FAR;

} /* namespace SIMT_FLAVOUR */
