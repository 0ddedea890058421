/* sweeps.cuh - Bellman-Ford without a queue: rounds that look at every vertex or every arc, in one cooperative launch
 * over levels.cuh, or in one launch each.
 *
 * A vertex whose label falls in a round is marked, and the next round relaxes the arcs out of marked vertices only; a
 * round that marks none is the last (mask, mask1 and flag of An, "Parallelization of shortest path algorithms"). A
 * method gives make_level for its struct M, which begins with a sweep<K>; its row is sweep_begin, sweep_rounds and
 * sweep_end.
 * Invariants
 *   R1 to R3 of step_relax.cuh, L3 to L5 of levels.cuh, T2 of sssp.cuh, and
 *   S1 there are three masks, a byte a vertex: round i reads mask i mod 3, marks in mask i + 1 mod 3 and clears mask
 *      i + 2 mod 3, which nobody has read since the barrier that began the round: nothing has to be swapped;
 *   S2 what is compared with the candidate is what the atomic found (errata of the paper's Algs. 3, 5, 6, 8: a label
 *      read again may have fallen further, and the mark of the one who lowered it would be lost);
 *   S3 after round k no label is above the least sum over walks of at most k arcs: without negative weights round n
 *      finds nothing; with them a label that falls in round n + 1 means a negative cycle (or, of floats, rounding).
 *      Then the loop pauses after 64, 128, 256, ... rounds and the host looks for a cycle among who lowered labels
 *      last; rows that come to no end are left to the CPU.
 * Labels are final only at the end, so targets do not stop it; what lies beyond the cutoff is never marked.
 * Memory on the device: 8 n for labels (floats of 32 bits: 4 n), the distances, 3 n for masks, 4 n if weights are
 * negative (and then 12 n on the host), 32 n for parents (64-bit offsets: 48 n), 256 KB for trace and state.
 */
#ifndef NF_GPU_SWEEPS_CUH
#define NF_GPU_SWEEPS_CUH

#include "gpu/levels.cuh"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

#define FIRST_LOOK_LEVELS 64u /* rounds before the first look for negative cycles (S3) */

/* A warp that walks a list together is paid for by the lanes that have none: a list as long as the warp is wide fills
 * it once. Not measured on a GPU yet. */
#define LONG_LIST 32u

enum { COUNT_LOWERED = COUNT_FOURTH, COUNT_LOOKED = COUNT_FIFTH };

/* Rounds as kernels see them. */
template <class K> struct sweep {
    relax_step<K> f;
    uint8_t *mask; /* 3 n (S1) */
    uint32_t n;
};

/* A round of a method, for its threads. */
template <class K> struct sweep_round {
    relax_step<K> f;
    const uint8_t *now;
    uint8_t *next, *after;
    unsigned marked, arcs, lowered; /* by this thread */
};

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

template <class K>
static __device__ __forceinline__ sweep_round<K> sweep_open(const level_search &s, const sweep<K> &w, unsigned level)
{
    sweep_round<K> r = {w.f,
                        w.mask + (uint64_t)(level % 3) * w.n,
                        w.mask + (uint64_t)((level + 1) % 3) * w.n,
                        w.mask + (uint64_t)((level + 2) % 3) * w.n,
                        0,
                        0,
                        0};
    r.f.stop = &level_slot_of(s, level + 1)->stop;
    return r;
}

/* The target and weight of arc e. */
template <class K>
static __device__ __forceinline__ arc_data sweep_arc(const sweep_round<K> &r, const device_csr &g, uint64_t e)
{
    arc_data c;
    load_weighted_from(r.f.s, g.adj, g.pairs, g.weight, e, &c);
    return c;
}

/* A list of arcs that a lane has; empty where it has none. */
typedef struct stretch {
    uint64_t begin, end;
} stretch;

static __device__ __forceinline__ stretch list_of(const device_csr &g, uint64_t v, bool there)
{
    const stretch none = {0, 0};
    if (!there)
        return none;
    const stretch s = {csr_offset(g, (uint32_t)v), csr_offset(g, (uint32_t)v + 1)};
    return s;
}

/* The list of one lane, for all. */
static __device__ __forceinline__ stretch list_from(const stretch &s, int lane)
{
    const stretch all = {__shfl_sync(WARP_ALL, (word64)s.begin, lane), __shfl_sync(WARP_ALL, (word64)s.end, lane)};
    return all;
}

/* Lowers the end of an arc out of u, and marks it (S2). */
template <class K>
static __device__ __forceinline__ void sweep_push(sweep_round<K> &r, uint32_t u, K key, const arc_data &c)
{
    const word64 seen = peek(r.f, c.v);
    word64 old = 0;
    r.arcs++;
    if (!claim(r.f, u, key, c, 0, seen, &old) || judge(r.f, u, key, c, seen, old) != VERDICT_LIST)
        return;
    simt_store_relaxed(&r.next[c.v], (uint8_t)1);
    r.lowered++;
}

/* What a thread counted, to the block. All lanes. */
template <class K> static __device__ __forceinline__ void sweep_close(const sweep_round<K> &r, level_slot *more)
{
    __syncwarp();
    level_add(&more->count[COUNT_FRONTIER], r.marked);
    level_add(&more->count[COUNT_ARCS], r.arcs);
    level_add(&more->count[COUNT_LOWERED], r.lowered);
    level_found(more, r.lowered != 0);
}

/* One round of a launch of its own. */
template <class M>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    sweep_once(const __grid_constant__ level_search s, const __grid_constant__ M m, unsigned level)
{
    SIMT_SHARED(level_share, share, 1);
    level_open(share);
    __syncthreads();
    if (level_is_leader())
        level_lead(s, level, 0);
    __syncwarp();
    make_level(s, m, level, &share->more);
    level_hand(share, level_slot_of(s, level + 1));
}

static __global__ void sweep_last(const level_search s, unsigned level)
{
    if (threadIdx.x == 0)
        level_end(s, level);
}

/* Sources: distance 0, and marked. One block. */
template <class K>
static __global__ void sweep_seed(const level_search s, const __grid_constant__ sweep<K> w, const uint32_t *sources,
                                  uint64_t count)
{
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x) {
        simt_store_relaxed(&w.f.label[sources[i]], w.f.s.zero);
        simt_store_relaxed(&w.mask[sources[i]], (uint8_t)1);
    }
    if (threadIdx.x == 0)
        s.st->slots[0].found = 1;
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct sweeps {
    nf__run *run;
    levels *l;
    sssp_out out;
    void *label; /* n keys of 4 or 8 bytes */
    uint8_t *mask;
    uint32_t *pred;    /* negative weights */
    bool wide;         /* 32 bits were not enough */
    bool host;         /* a launch for each round */
    unsigned patience; /* rounds after which a row is left as it is, and `tired` set; 0: never */
    bool tired;
    device_matrix matrix; /* of the method; or empty */
    uint64_t items;       /* threads that a round wants */
    level_state end;      /* how the latest rounds ended */
} sweeps;

#define SWEEPS_MASKS 1u
#define SWEEPS_TREES 2u /* by sssp.cuh, from the graph on the device; else there is room for parents and hops */

/* Makes run->scratch; the graph has `parts` then, and `parts_in` of its transpose unless that is 0. */
nf_status sweeps_open(nf__run *run, unsigned parts, unsigned parts_in, unsigned wants, sweeps **out);
void sweeps_end(nf__run *run);

/* Keys of the run. */
template <class K> static inline sweep<K> sweep_of(const sweeps *w)
{
    sweep<K> s = {};
    s.f.label = (K *)w->label;
    s.f.pred = w->pred;
    s.f.flags = &w->l->s.st->cells[0];
    s.f.s = sssp_scale<K>(w->run);
    s.f.bound = sssp_bound<K>(w->run, s.f.s);
    s.mask = w->mask;
    s.n = w->run->csr.n;
    return s;
}

/* Labels, masks and state before the sources are there; these are in l->sources. */
template <class K> static inline nf_status sweep_clear(sweeps *w, const nf__row *row, const sweep<K> &s)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    const uint64_t n = s.n;
    NF_TRY(levels_sources(l, row->sources, row->source_count));
    NF_TRY(device_start(w->run));
    NF_TRY(device_fill_bytes(l->d, l->s.st, 0, sizeof *l->s.st));
    if (s.mask != NULL)
        NF_TRY(device_fill_bytes(l->d, s.mask, 0, 3 * n));
    if (w->pred != NULL)
        NF_TRY(device_fill_bytes(l->d, w->pred, 0xff, 4 * n));
    NF_TRY(sssp_fill<K>(l->d, s.f.label, n, s.f.s.infinity));
done:
    return st;
}

template <class K> static inline nf_status sweep_begin(sweeps *w, const nf__row *row, const sweep<K> &s)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    NF_TRY(sweep_clear(w, row, s));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(sweep_seed<K>, 1, levels_block(l, row->source_count), 0, l->d->stream, l->s, s,
                                  l->sources, row->source_count));
done:
    return st;
}

/* A launch for each round. */
template <class M> static inline nf_status sweep_from_host(sweeps *w, const M &m)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    const unsigned block = levels_block(l, w->items), grid = device_grid(w->items, block, 1);
    unsigned level = l->s.from;
    level_slot now = {};
    NF_TRY(device_download(l->d, &now, &l->s.st->slots[level % 3], sizeof now));
    while (now.found != 0 && now.stop == 0) {
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(sweep_once<M>, grid, block, 0, l->d->stream, l->s, m, level));
        NF_TRY(device_finish(l->d, "sssp", 0));
        level++;
        NF_TRY(device_download(l->d, &now, &l->s.st->slots[level % 3], sizeof now));
    }
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(sweep_last, 1, 32, 0, l->d->stream, l->s, level));
done:
    return st;
}

/* Waits; w->end tells how it ended. */
static inline nf_status sweep_wait(sweeps *w)
{
    const nf_status st = device_finish(w->l->d, "sssp", 0);
    return st != NF_OK ? st : device_download(w->l->d, &w->end, w->l->s.st, sizeof w->end);
}

/* Rounds until they end or pause. */
template <class M> static inline nf_status sweep_go(sweeps *w, const M &m)
{
    nf_status st = NF_OK;
    if (w->host)
        NF_TRY(sweep_from_host(w, m));
    else
        NF_TRY(levels_launch(w->l, sweep_levels<M>, m, w->items));
    NF_TRY(sweep_wait(w));
done:
    return st;
}

/* All rounds of a row (S3). */
template <class M> static inline nf_status sweep_rounds(sweeps *w, nf__row *row, const M &m, bool *give_up)
{
    nf_status st = NF_OK;
    level_search *s = &w->l->s;
    const bool negative = w->run->stats.weight_sign < 0;
    const unsigned n = w->run->csr.n, most = n < UINT32_MAX ? n + 1 : n;
    const level_slot *last = NULL;
    s->from = 0;
    s->most = negative ? FIRST_LOOK_LEVELS : w->patience != 0 && w->patience < most ? w->patience : most;
    for (;;) {
        NF_TRY(sweep_go(w, m));
        last = &w->end.slots[w->end.level % 3];
        if (last->found == 0 || last->stop != LEVEL_STOP_LIMIT)
            break;
        w->tired = !negative && s->most < most;
        if (w->tired)
            break;
        if (!negative)
            NF_TRY(nf__fail(NF_EINTERNAL, "labels fell in more rounds than there are vertices"));
        NF_TRY(sssp_look_for_cycles(w->run, row, w->pred, give_up));
        *give_up |= w->end.level > n;
        if (*give_up)
            break;
        NF_TRY(device_fill_bytes(w->l->d, &s->st->slots[w->end.level % 3].stop, 0, sizeof(unsigned)));
        s->from = w->end.level;
        s->most = s->most > most / 2 ? most : s->most * 2;
    }
    if (negative && row->type != NF_I64 && !*give_up) /* labels may have come to rest around a cycle of rounding */
        NF_TRY(sssp_look_for_cycles(w->run, row, w->pred, give_up));
done:
    return st;
}

/* Counters and the log, unless 32 bits were not enough (*again). */
static inline nf_status sweep_judge(sweeps *w, nf__row *row, bool narrow, const level_words *words, bool *give_up,
                                    bool *again)
{
    nf_status st = NF_OK;
    const level_state *end = &w->end;
    const unsigned stop = end->slots[end->level % 3].stop;
    NF_TRY(sssp_ended(row, narrow ? 4 : 8, end->level, end->total[COUNT_ARCS], end->cells[0], stop, again));
    if (*again)
        return NF_OK;
    *give_up |= (stop & STOP_LOW) != 0;
    NF_TRY(levels_report(w->l, end, words));
done:
    return st;
}

/* Results; `tree`: parents are in w->out already. */
template <class K>
static inline nf_status sweep_hand(sweeps *w, nf__row *row, const sweep<K> &s, bool tree, bool give_up)
{
    nf_status st = NF_OK;
    bool whole = true;
    if (!give_up)
        NF_TRY(sssp_hand_out<K>(w->run, row, &w->out, s.f.label, s.f.s, tree, &whole));
    if (give_up || !whole)
        NF_TRY(nf__row_by_cpu(w->run, row));
done:
    return st;
}

template <class K>
static inline nf_status sweep_end(sweeps *w, nf__row *row, const sweep<K> &s, const level_words *words, bool give_up,
                                  bool *again)
{
    const nf_status st = sweep_judge(w, row, sizeof(K) == 4, words, &give_up, again);
    return st != NF_OK || *again ? st : sweep_hand(w, row, s, false, give_up);
}

/* A row with keys K of a method that needs no more than make_level. */
template <class K, class M>
static inline nf_status sweep_keys(sweeps *w, nf__row *row, const M &m, const level_words *words, bool *again)
{
    nf_status st = NF_OK;
    bool give_up = false;
    NF_TRY(sweep_begin(w, row, m.w));
    NF_TRY(sweep_rounds(w, row, m, &give_up));
    if (!w->tired)
        NF_TRY(sweep_end<K>(w, row, m.w, words, give_up, again));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
