/* sssp_bellman_ford.cu - Bellman-Ford that looks at every vertex in every round (`bellman-ford`, catalogue S2).
 *
 * Method: Harish and Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007 (outgoing), and
 * Hajela and Pandey, "Parallel implementations for solving shortest path problem using Bellman-Ford", IJCA 2014
 * (incoming), as in An, "Parallelization of shortest path algorithms", Algs. 8 and 7, over lists of arcs and not a
 * matrix. direction=outgoing: a marked vertex pushes its label over its arcs by atomic minimum. direction=incoming:
 * every vertex pulls the least over its incoming arcs from marked vertices; nobody else writes its label, so there is
 * no atomic, and what it marks is itself (Alg. 7 marks the other end). A thread a vertex; lists of LONG_LIST
 * arcs or more are walked by the whole warp.
 * Invariants: S1 to S3 of sweeps.cuh.
 *   F1 a round checks n vertices. Outgoing: it relaxes the arcs out of marked ones; incoming: it looks at all m arcs.
 * Cost: O(rounds (n + arcs)) time, rounds <= n; memory: sweeps.cuh, and for incoming the transpose of directed graphs,
 * which stays with the graph.
 */
#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct outgoing_method {
    sweep<K> w;
};

template <class K> struct incoming_method {
    sweep<K> w;
};

/* The least that a vertex may fall to, and from where. */
template <class K> struct fall {
    K key;
    uint32_t from;
};

/* ---- outgoing ---------------------------------------------------------------------------------------------------- */

/* Each lane has a marked vertex or an empty list. All lanes. */
template <class K>
static __device__ __forceinline__ void push_lists(sweep_round<K> &r, const device_csr &g, uint32_t v, const stretch &s)
{
    const bool is_long = s.end - s.begin >= LONG_LIST;
    K key = s.end != s.begin ? simt_load_relaxed(&r.f.label[v]) : 0;
    for (uint64_t e = s.begin; !is_long && e < s.end; e++)
        sweep_push(r, v, key, sweep_arc(r, g, e));
    for (unsigned rest = __ballot_sync(WARP_ALL, is_long); rest != 0; rest &= rest - 1) {
        const int lane = __ffs((int)rest) - 1;
        const stretch all = list_from(s, lane);
        const uint32_t u = __shfl_sync(WARP_ALL, v, lane);
        const K from = __shfl_sync(WARP_ALL, key, lane);
        for (uint64_t e = all.begin + simt_lane(); e < all.end; e += 32)
            sweep_push(r, u, from, sweep_arc(r, g, e));
        __syncwarp();
    }
}

template <class K>
static __device__ __forceinline__ void make_level(const level_search &s, const outgoing_method<K> &m, unsigned level,
                                                  level_slot *more)
{
    sweep_round<K> r = sweep_open(s, m.w, level);
    unsigned checked = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.w.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t v = base + simt_lane();
        const bool there = v < m.w.n, marked = there && r.now[v] != 0;
        if (there)
            r.after[v] = 0;
        checked += there;
        r.marked += marked;
        push_lists(r, s.out, (uint32_t)v, list_of(s.out, v, marked));
    }
    sweep_close(r, more);
    level_add(&more->count[COUNT_CHECKED], checked);
}

/* ---- incoming ---------------------------------------------------------------------------------------------------- */

template <class K>
static __device__ __forceinline__ void pull_arc(sweep_round<K> &r, const device_csr &g, uint64_t e, fall<K> *best)
{
    const arc_data c = sweep_arc(r, g, e); /* of the transpose: c.v is where the arc comes from */
    K sum;
    if (r.now[c.v] == 0)
        return;
    r.arcs++;
    const int how = add_weight(r.f.s, simt_load_relaxed(&r.f.label[c.v]), c.w, &sum);
    if (how != SUM_OK)
        refuse_sum(r.f, how);
    else if (sum < best->key && sum <= r.f.bound) {
        best->key = sum;
        best->from = c.v;
    }
}

/* The least over the lanes. All lanes. */
template <class K> static __device__ __forceinline__ fall<K> least_fall(fall<K> mine)
{
    for (int step = 16; step != 0; step /= 2) {
        const K key = __shfl_xor_sync(WARP_ALL, mine.key, step);
        const uint32_t from = __shfl_xor_sync(WARP_ALL, mine.from, step);
        if (key < mine.key) {
            mine.key = key;
            mine.from = from;
        }
    }
    return mine;
}

/* The lane's vertex over its incoming arcs. All lanes. */
template <class K>
static __device__ __forceinline__ fall<K> pull_lists(sweep_round<K> &r, const device_csr &g, const stretch &s, K now)
{
    const bool is_long = s.end - s.begin >= LONG_LIST;
    fall<K> best = {now, NF_NO_VERTEX};
    for (uint64_t e = s.begin; !is_long && e < s.end; e++)
        pull_arc(r, g, e, &best);
    for (unsigned rest = __ballot_sync(WARP_ALL, is_long); rest != 0; rest &= rest - 1) {
        const int lane = __ffs((int)rest) - 1;
        const stretch all = list_from(s, lane);
        fall<K> mine = {__shfl_sync(WARP_ALL, now, lane), NF_NO_VERTEX};
        for (uint64_t e = all.begin + simt_lane(); e < all.end; e += 32)
            pull_arc(r, g, e, &mine);
        __syncwarp();
        mine = least_fall(mine);
        if ((int)simt_lane() == lane)
            best = mine;
    }
    return best;
}

template <class K>
static __device__ __forceinline__ void make_level(const level_search &s, const incoming_method<K> &m, unsigned level,
                                                  level_slot *more)
{
    sweep_round<K> r = sweep_open(s, m.w, level);
    unsigned checked = 0, looked = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.w.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t v = base + simt_lane();
        const bool there = v < m.w.n;
        const stretch mine = list_of(s.in, v, there);
        const K now = there ? simt_load_relaxed(&r.f.label[v]) : 0;
        const fall<K> best = pull_lists(r, s.in, mine, now);
        checked += there;
        looked += (unsigned)(mine.end - mine.begin);
        if (!there)
            continue;
        r.after[v] = 0;
        r.marked += r.now[v] != 0;
        if (best.key >= now)
            continue;
        simt_store_relaxed(&r.f.label[v], best.key);
        r.next[v] = 1;
        r.lowered++;
        if (r.f.pred != NULL)
            r.f.pred[v] = best.from;
    }
    sweep_close(r, more);
    level_add(&more->count[COUNT_CHECKED], checked);
    level_add(&more->count[COUNT_LOOKED], looked);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static bool is_incoming(const nf__run *run)
{
    return strcmp(nf__knob_choice(run, "direction"), "incoming") == 0;
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    sweeps *w = (sweeps *)run->scratch;
    static const level_words out_words = {{"outgoing"}, {NULL, NULL, NULL, "lowered"}};
    static const level_words in_words = {{"incoming"}, {NULL, NULL, NULL, "lowered", "looked"}};
    if (is_incoming(w->run)) {
        const incoming_method<K> m = {sweep_of<K>(w)};
        return sweep_keys<K>(w, row, m, &in_words, again);
    }
    const outgoing_method<K> m = {sweep_of<K>(w)};
    return sweep_keys<K>(w, row, m, &out_words, again);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const unsigned parts = sssp_parts(run);
    sweeps *w = NULL;
    NF_TRY(sweeps_open(run, parts, is_incoming(run) ? parts : 0, SWEEPS_MASKS | SWEEPS_TREES, &w));
    w->items = run->csr.n;
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return sssp_row(run, row, &((sweeps *)run->scratch)->wide, run_keys<uint32_t>, run_keys<word64>);
}

static const nf_knob_info knobs[] = {
    {"direction", "who lowers labels: a marked vertex those of its targets, or every vertex its own", NF_KNOB_CHOICE,
     "outgoing", 0, 0, "outgoing incoming"},
};

extern const nf__algorithm sssp_bellman_ford = {
    .info = {.name = "bellman-ford",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "every vertex is checked in every round, a thread each; takes negative weights",
             .paper = "Harish, Narayanan 2007; Hajela, Pandey 2014; An",
             .memory = "on the device 19 n (distances f32: 11 n); parents 32 n, negative weights 4 n more; incoming: "
                       "the transpose of directed graphs stays with the graph",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = 1},
    .begin = begin,
    .end = sweeps_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
