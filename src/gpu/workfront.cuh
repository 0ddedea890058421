/* workfront.cuh - rounds over the vertices whose labels fell, over the frontier engine, for any weights: what
 * `workfront`, `h-bf`, `near-far`, `delta-stepping` and `hybrid` have in common. Each is a step.
 *
 * Invariants
 *   W2 after round k no label is above the least sum over walks of at most k arcs: a label that falls in round n + 1
 *      means a negative cycle (or, of floats, rounding);
 *   W3 with negative weights the loop pauses after 64, 128, 256, ... rounds and the host looks for a negative cycle
 *      among those who lowered labels last; every cycle it reports is one. Rows that do not end in n + 1 rounds, or
 *      whose tree does not reach all vertices because of rounding, are left to the CPU (nf__row_by_cpu).
 *   W4 with patience, a row pauses after so many rounds; if they have settled fewer than SETTLED_EACH vertices each, it
 *      is left as it is (`tired`), else it goes on. For steps that know what is settled (is_patient).
 * Parents come from final labels (sssp.cuh); under atomic64, where weights are positive integers and the deterministic
 * tree is not asked for, from the labels' own words (R5), without another look at the arcs. near-far takes them by
 * itself then.
 * Labels are final only at the end, so targets do not stop it; what lies beyond the cutoff is never listed.
 * Cost: O(n m) at worst, O(rounds + arcs of all frontiers) in fact; on the device the engine's memory, 8 n for labels
 * (floats of 32 bits: 4 n), 4 n for stamps or 8 n for words (atomic64), the results, 8 n for a tree, 4 n if weights are
 * negative (and then 12 n on the host).
 */
#ifndef NF_GPU_WORKFRONT_CUH
#define NF_GPU_WORKFRONT_CUH

#include "gpu/ceiling.cuh"
#include "gpu/sssp.cuh"
#include "gpu/step_far.cuh"

namespace SIMT_FLAVOUR
{

/* Of a step's labels. */
template <class F> using key_type = decltype(F::bound);

#define FIRST_LOOK 64u /* rounds before the first look for negative cycles (W3) */
/* W4: what else could settle one vertex at a time takes a quarter of a round of the whole grid for it (H200: 3.6 us of
 * 13). */
#define SETTLED_EACH 4u

typedef struct workfront {
    engine *e;
    sssp_labels labels;
    uint32_t *pred; /* negative weights */
    sssp_out out;
    state relaxed;     /* how the row's rounds ended: the engine may have grown a tree since */
    unsigned patience; /* rounds; 0: without end (W4) */
    unsigned settled;  /* vertices, when it was at its end */
    bool tired;
    ceiling *top; /* of far_step's rows; or NULL */
    void *own;    /* of the method: what step_of wants */
} workfront;

/* Does the step know what is settled when a row pauses, by limit_before and set_settled? */
template <class F> struct is_patient {
    static const bool value = false;
};

template <class K> struct is_patient<far_step<K>> {
    static const bool value = true;
};

/* A method is a step F, and beside it: void step_of(const workfront *, F *), which fills in what relax_step has not;
 * that is there by then. */

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* W3. *give_up: labels fall that ought not to. */
template <class F, class Off>
static nf_status watch_for_cycles(workfront *s, nf__run *run, nf__row *row, const F &f, bool *give_up)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const uint64_t n = run->csr.n;
    unsigned rounds = FIRST_LOOK;
    while (engine_stopped(e) == STOP_LIMIT && engine_unfinished(e) && !*give_up) {
        NF_TRY(sssp_look_for_cycles(run, row, s->pred, give_up));
        *give_up |= e->last.round > n; /* W2 */
        rounds = rounds <= n ? rounds * 2 : (unsigned)n + 1;
        if (!*give_up)
            NF_TRY((engine_go_on<F, Off>(e, f, e->policy, rounds, "sssp")));
    }
    if (f.s.real && !*give_up) /* labels may have come to rest around a cycle of rounding */
        NF_TRY(sssp_look_for_cycles(run, row, s->pred, give_up));
done:
    return st;
}

/* Vertices whose labels are final at the limit that the step has. */
template <class F> static __global__ void settled_kernel(const F step, word64 limit, uint32_t n, unsigned *count)
{
    F f = step;
    unsigned mine = 0;
    set_settled(f, limit_before(f, limit));
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x)
        mine += is_reached(f, (uint32_t)v);
    __syncwarp();
    mine = simt_reduce_add(WARP_ALL, mine);
    if (simt_lane() == 0 && mine != 0)
        (void)atomicAdd(count, mine);
}

/* W4 */
template <class F, class Off> static nf_status take_stock(workfront *s, const F &f)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const uint32_t n = e->run->csr.n;
    unsigned *count = NULL;
    s->tired = false;
    if (engine_stopped(e) != STOP_LIMIT)
        return NF_OK;
    NF_TRY(device_alloc(e->d, 1, &count));
    NF_TRY(device_fill_bytes(e->d, count, 0, sizeof *count));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(settled_kernel<F>, device_grid(n, e->block, 1), e->block, 0, e->d->stream, f,
                                  e->last.far[e->last.phase % 3].limit, n, count));
    NF_TRY(device_download(e->d, &s->settled, count, sizeof *count));
    s->tired = s->settled < SETTLED_EACH * s->patience;
    if (!s->tired)
        NF_TRY((engine_go_on<F, Off>(e, f, e->policy, UINT32_MAX, "sssp")));
done:
    device_free(e->d, count);
    return st;
}

/* The row's rounds, up to the first pause that is the method's own. */
template <class F, class Off> static nf_status relax_rounds(workfront *s, nf__row *row, F *f, unsigned first)
{
    if constexpr (is_cappable<F>::value)
        if (s->top != NULL && s->patience == 0)
            return rounds_under_ceilings<key_type<F>, Off>(s->e, s->top, *f, row->source_count);
    return engine_loop<F, Off>(s->e, *f, row->source_count, s->e->policy, first, "sssp");
}

template <class F, class Off> static nf_status relax_all(workfront *s, nf__run *run, nf__row *row, F *f, bool *give_up)
{
    nf_status st = NF_OK;
    engine *e = s->e;
    const bool negative = run->stats.weight_sign < 0;
    const unsigned first = negative ? FIRST_LOOK : s->patience != 0 ? s->patience : UINT32_MAX;
    f->pred = s->pred;
    NF_TRY(labels_begin<key_type<F>>(run, e, &s->labels, f));
    if (is_marking<F>::value)
        labels_mark<key_type<F>>(run, &s->labels, f);
    step_of(s, f);
    if (negative)
        NF_TRY(device_fill_bytes(e->d, f->pred, 0xff, (uint64_t)run->csr.n * 4));
    NF_TRY((relax_rounds<F, Off>(s, row, f, first)));
    if (negative)
        NF_TRY((watch_for_cycles<F, Off>(s, run, row, *f, give_up)));
    if constexpr (is_patient<F>::value)
        if (s->patience != 0)
            NF_TRY((take_stock<F, Off>(s, *f)));
    NF_TRY(labels_end<key_type<F>>(run, e, &s->labels, s->out.parent));
done:
    return st;
}

template <class F, class Off> static nf_status relax_and_hand_out(nf__run *run, nf__row *row, bool *again)
{
    typedef key_type<F> K;
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    F f = {};
    bool give_up = false, whole = true;
    NF_TRY((relax_all<F, Off>(s, run, row, &f, &give_up)));
    if (s->tired)
        goto done;
    s->relaxed = s->e->last;
    NF_TRY(labels_report<K>(s->e, row, again));
    if (*again)
        goto done;
    give_up |= (engine_stopped(s->e) & STOP_LOW) != 0;
    if (!give_up)
        NF_TRY(sssp_hand_out(run, row, &s->out, (const K *)s->labels.label, f.s, labels_hold_tree<K>(run, &s->labels),
                             &whole));
    if (give_up || !whole)
        NF_TRY(nf__row_by_cpu(run, row));
done:
    return st;
}

/* One row by a step; *again: 32 bits were not enough. */
template <class F> static nf_status workfront_keys(nf__run *run, nf__row *row, bool *again)
{
    return device_graph_of(run)->out.off32 != NULL ? relax_and_hand_out<F, uint32_t>(run, row, again)
                                                   : relax_and_hand_out<F, uint64_t>(run, row, again);
}

/* A row by the step of narrow keys, or else by that of wide ones. */
template <class Narrow, class Wide> static nf_status workfront_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    NF_TRY(engine_sources(s->e, row->sources, row->source_count));
    NF_TRY(device_start(run));
    NF_TRY(sssp_row(run, row, &s->labels.wide, workfront_keys<Narrow>, workfront_keys<Wide>));
done:
    return st;
}

/* Targets end the rounds of a row: for methods that know which labels are final. */
static inline void workfront_targets(nf__run *run)
{
    engine *e = ((workfront *)run->scratch)->e;
    e->pl.targets = e->targets;
    e->pl.target_count = (unsigned)run->target_count; /* a tree of the row before took them away */
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Which methods have words for labels, where no policy is asked for: none; those that a tree is wanted of, which words
 * hold, unless rounds go out of step, which words cannot (loose.cuh); all but those of graphs with lists that are
 * neither few nor uneven. H200, frontier Bellman-Ford: a uniform graph of 2^22 vertices and 2^26 edges takes 15.4 ms
 * without words and 17.3 with them, an rmat graph of that size 5.2 and 4.7. */
typedef enum words_rule { WORDS_NEVER = 0, WORDS_FOR_TREES, WORDS_FOR_UNEVEN } words_rule;

#define UNEVEN 16u /* longest list / mean */

static inline bool workfront_wants_words(const nf__run *run, const tuning &t, words_rule rule)
{
    return rule == WORDS_FOR_TREES    ? !is_for_deep(t) && sssp_wants_words(run)
           : rule == WORDS_FOR_UNEVEN ? is_for_deep(t) || t.degree_most / UNEVEN > t.degree_mean
                                      : false;
}

static inline nf_status workfront_open(nf__run *run, words_rule rule)
{
    nf_status st = NF_OK;
    workfront *s = NULL;
    NF_TRY_ALLOC(s, (workfront *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *s));
    run->scratch = s;
    NF_TRY(device_graph_need(run, sssp_parts(run)));
    NF_TRY(engine_open(run, &s->e));
    if (s->e->policy == DUP_EXACT && workfront_wants_words(run, s->e->pl.t, rule))
        s->e->policy = DUP_ATOMIC64;
    NF_TRY(labels_open(run, s->e, &s->labels));
    if (run->stats.weight_sign < 0)
        NF_TRY(device_alloc(s->e->d, run->csr.n, &s->pred));
    NF_TRY(sssp_open(run, s->e, &s->out));
done:
    return st;
}

static inline nf_status workfront_begin(nf__run *run)
{
    return workfront_open(run, WORDS_NEVER);
}

/* workfront_open for methods with a far pile. own: bytes of what the method keeps, whose first member is delta, a
 * double: the knob's, or else `factor` times mean weight / mean degree. */
static inline nf_status workfront_pile(nf__run *run, size_t own, double factor, bool words)
{
    nf_status st = NF_OK;
    workfront *s = NULL;
    double *delta = NULL;
    NF_TRY(workfront_open(run, words ? WORDS_FOR_TREES : WORDS_NEVER));
    s = (workfront *)run->scratch;
    NF_TRY_ALLOC(s->own, nf__zalloc(nf__context_mem(run->ctx), 1, own));
    delta = (double *)s->own;
    *delta = nf__knob_number(run, "delta");
    if (!(*delta > 0))
        *delta = sssp_delta(run, factor);
    NF_TRY(engine_pile(s->e));
done:
    return st;
}

/* The tables of the two that turn between rounds in order and in none. */
#define HYBRID_INFO(words)                                                                                   \
    {                                                                                                        \
        .name = "hybrid", .problem = NF_SSSP, .device = NF_DEVICE_NAME, .summary = words,                    \
        .paper = "Davidson, Baxter, Garland, Owens 2014, section VII",                                       \
        .memory = "on the device 52 n (64-bit offsets: 68 n); parents 8 n more", .flags = 0, .knobs = knobs, \
        .knob_count = sizeof knobs / sizeof knobs[0]                                                         \
    }

#define PASS_KNOBS                                                                                                     \
    {"mapping", "how arcs are given to threads", NF_KNOB_CHOICE, "auto", 0, 0, "auto dynamic-virtual-warp two-phase"}, \
    {                                                                                                                  \
        "loop", "who drives the rounds", NF_KNOB_CHOICE, "auto", 0, 0, "auto host persistent"                          \
    }

static inline void workfront_end(nf__run *run)
{
    workfront *s = (workfront *)run->scratch;
    if (s == NULL)
        return;
    if (s->e != NULL) {
        labels_close(s->e->d, &s->labels);
        device_free(s->e->d, s->pred);
        sssp_close(run, &s->out);
        ceiling_close(s->top);
    }
    engine_close(s->e);
    nf__free(s->own);
    nf__free(s);
    run->scratch = NULL;
}

} /* namespace SIMT_FLAVOUR */

#endif
