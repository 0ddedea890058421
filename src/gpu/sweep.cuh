/* sweep.cuh - frontier Bellman-Ford over the frontier engine: rounds over the vertices whose labels fell, for any
 * weights. `workfront` and `h-bf` are steps of it.
 *
 * Invariants
 *   W2 after round k no label is above the least sum over walks of at most k arcs: a label that falls in round n + 1
 *      means a negative cycle (or, of floats, rounding);
 *   W3 with negative weights the loop pauses after 64, 128, 256, ... rounds and the host looks for a negative cycle
 *      among those who lowered labels last; every cycle it reports is one. Rows that do not end in n + 1 rounds, or
 *      whose tree does not reach all vertices because of rounding, are left to the CPU (nf__row_by_cpu).
 * Parents come from final labels (sssp.cuh); under atomic64, where weights are positive integers and the deterministic
 * tree is not asked for, from the labels' own words (R5), without another look at the arcs.
 * Labels are final only at the end, so targets do not stop it; what lies beyond the cutoff is never listed.
 * Cost: O(n m) at worst, O(rounds + arcs of all frontiers) in fact; on the device the engine's memory, 8 n for labels
 * (floats of 32 bits: 4 n), 4 n for stamps or 8 n for words (atomic64), the results, 8 n for a tree, 4 n if weights are
 * negative (and then 12 n on the host).
 */
#ifndef NF_GPU_SWEEP_CUH
#define NF_GPU_SWEEP_CUH

#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

/* Of a step's labels. */
template <class F> using key_type = decltype(F::bound);

#define FIRST_LOOK 64u /* rounds before the first look for negative cycles (W3) */

typedef struct sweep {
    engine *e;
    sssp_labels labels;
    uint32_t *pred; /* negative weights */
    sssp_out out;
    void *own; /* of the method: what step_of wants */
} sweep;

/* A method is a step F, and beside it: void step_of(const sweep *, F *), which fills in what relax_step has not. */

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* W3: looks at who lowered labels last. *give_up: labels fall that ought not to. */
template <class F, class Off>
static nf_status watch_for_cycles(sweep *s, nf__run *run, nf__row *row, const F &f, bool *give_up)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const uint64_t n = run->csr.n;
    nf_vid *pred = NULL, *mark = NULL, *cycle = NULL;
    unsigned rounds = FIRST_LOOK;
    NF_TRY_ALLOC(pred, host_alloc<nf_vid>(e->d, n));
    NF_TRY_ALLOC(mark, host_alloc<nf_vid>(e->d, n));
    NF_TRY_ALLOC(cycle, host_alloc<nf_vid>(e->d, n));
    while (engine_stopped(e) == STOP_LIMIT && engine_unfinished(e) && !*give_up) {
        NF_TRY(device_download(e->d, pred, s->pred, n * sizeof *pred));
        NF_TRY(nf__cycle_inspect(run, row->type, pred, false, mark, cycle, give_up));
        *give_up |= e->last.round > n; /* W2 */
        rounds = rounds <= n ? rounds * 2 : (unsigned)n + 1;
        if (!*give_up)
            NF_TRY((engine_go_on<F, Off>(e, f, e->policy, rounds, "sssp")));
    }
    if (f.s.real && !*give_up) { /* labels may have come to rest around a cycle of rounding */
        NF_TRY(device_download(e->d, pred, s->pred, n * sizeof *pred));
        NF_TRY(nf__cycle_inspect(run, row->type, pred, false, mark, cycle, give_up));
    }
done:
    nf__free(pred);
    nf__free(mark);
    nf__free(cycle);
    return st;
}

template <class F, class Off> static nf_status relax_all(sweep *s, nf__run *run, nf__row *row, F *f, bool *give_up)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const bool negative = run->stats.weight_sign < 0;
    f->pred = s->pred;
    step_of(s, f);
    NF_TRY(labels_begin<key_type<F>>(run, e, &s->labels, f));
    if (negative)
        NF_TRY(device_fill_bytes(e->d, f->pred, 0xff, (uint64_t)run->csr.n * 4));
    NF_TRY((engine_loop<F, Off>(e, *f, row->source_count, e->policy, negative ? FIRST_LOOK : UINT32_MAX, "sssp")));
    if (negative)
        NF_TRY((watch_for_cycles<F, Off>(s, run, row, *f, give_up)));
    NF_TRY(labels_end<key_type<F>>(run, e, &s->labels, s->out.parent));
done:
    return st;
}

/* One row by a step; *again: 32 bits were not enough. */
template <class F, class Off> static nf_status sweep_keys(sweep *s, nf__run *run, nf__row *row, bool *again)
{
    typedef key_type<F> K;
    nf_status st = NF_OK;
    F f = {};
    bool give_up = false, whole = true;
    NF_TRY((relax_all<F, Off>(s, run, row, &f, &give_up)));
    NF_TRY(labels_report<K>(s->e, row, &s->labels, again));
    if (*again)
        goto done;
    give_up |= (engine_stopped(s->e) & STOP_LOW) != 0;
    if (!give_up)
        NF_TRY(sssp_hand_out(run, row, &s->out, (const K *)s->labels.label, f.s, labels_hold_tree(run, &s->labels, f.s),
                             &whole));
    if (give_up || !whole)
        NF_TRY(nf__row_by_cpu(run, row));
done:
    return st;
}

/* A row by the step of narrow keys, or else by that of wide ones. */
template <class Narrow, class Wide> static nf_status sweep_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    sweep *s = (sweep *)run->scratch;
    bool again = !sssp_is_narrow(run) || s->labels.wide;
    const bool small = s->e->g->out.off32 != NULL;
    NF_TRY(engine_sources(s->e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    if (!again)
        NF_TRY(small ? (sweep_keys<Narrow, uint32_t>(s, run, row, &again))
                     : (sweep_keys<Narrow, uint64_t>(s, run, row, &again)));
    if (again)
        NF_TRY(small ? (sweep_keys<Wide, uint32_t>(s, run, row, &again))
                     : (sweep_keys<Wide, uint64_t>(s, run, row, &again)));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static inline nf_status sweep_begin(nf__run *run)
{
    nf_status st = NF_OK;
    sweep *s = NULL;
    NF_TRY_ALLOC(s, (sweep *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    NF_TRY(device_graph_need(run, run->csr.weight_type == NF_NONE ? GRAPH_TARGETS : GRAPH_PAIRS));
    NF_TRY(engine_open(run, &s->e));
    NF_TRY(labels_open(run, s->e, &s->labels));
    if (run->stats.weight_sign < 0)
        NF_TRY(device_alloc(s->e->d, run->csr.n, &s->pred));
    NF_TRY(sssp_open(run, s->e, &s->out));
done:
    return st;
}

static inline void sweep_end(nf__run *run)
{
    sweep *s = (sweep *)run->scratch;
    if (s == NULL)
        return;
    if (s->e != NULL) {
        labels_close(s->e->d, &s->labels);
        device_free(s->e->d, s->pred);
        sssp_close(run, &s->out);
    }
    engine_close(s->e);
    nf__free(s->own);
    nf__free(s);
    run->scratch = NULL;
}

} /* namespace SIMT_FLAVOUR */

#endif
