/* sssp_dijkstra_phases.cu - Dijkstra's method that settles many vertices at once (`dijkstra-phases`, catalogue S14).
 *
 * Method: Crauser, Mehlhorn, Meyer and Sanders, "A parallelization of Dijkstra's shortest path algorithm", MFCS 1998;
 * on GPUs: Martin, Torres and Gavilanes, "CUDA solutions for the SSSP problem", ICCS 2009, and Ortega-Arranz et al., "A
 * new GPU-based approach to the shortest path problem", HPCS 2013. The queue holds the vertices that are reached and
 * not settled; M is the least label in it. A phase looks through the queue twice: once for M and for
 * L = min over u of (label of u + lightest arc out of u), once to settle, and relax the arcs of, every v that is final:
 *   criterion=min    its label is M;
 *   criterion=out    its label <= L: whatever comes out of the queue is at least L long;
 *   criterion=in     its label <= M + the lightest arc into v: whatever comes to v comes over such an arc;
 *   criterion=inout  one of the two.
 * The others, and those reached for the first time, are the next queue.
 * Invariants: R1 to R3 of step_relax.cuh, L3 to L5 of levels.cuh, T2 of sssp.cuh, and
 *   C1 a settled label is final, also in floats: their sums never fall when a term grows, so the criteria hold for sums
 *      as they are rounded, and they are made with the same additions as labels are;
 *   C2 a vertex enters the queue once, by who found its label infinite, and leaves it once: each arc is relaxed once;
 *   C3 M's vertex is settled in its phase: there are at most n phases. A sum beyond the range counts as infinite: who
 *      waits for it is settled, and if it has an arc the run ends there (R2).
 * Where targets are asked for it ends when all have labels below M: what is nearer than M is settled.
 * A thread an entry; lists of LONG_LIST arcs or more are walked by the whole warp.
 * Where vertices are few and lists are long, all of it is one cluster's (form=cluster; phases_cluster.cuh): it knows
 * the criteria min and out, and keys of 32 bits. Rows that outgrow these are the grid's.
 * Cost: O(m + sum of queues) time; memory on the device: 8 n for labels (floats of 32 bits: 4 n), the distances, 8 n
 * for queues, 8 n for lightest arcs (weights of 64 bits: 16 n), 32 n for parents (64-bit offsets: 48 n), 256 KB for
 * trace and state. One cluster: no queues, and half as much for lightest arcs.
 */
#include "gpu/phases_cluster.cuh"

namespace SIMT_FLAVOUR
{

template <class K> struct phase_method {
    relax_step<K> f;
    uint32_t *queue[2]; /* phase i reads queue i mod 2 and writes the other */
    lightest out, in;
    word64 *least; /* M and L of phase i at 2 (i mod 3) */
    int criterion;
};

/* ---- lightest arcs ----------------------------------------------------------------------------------------------- */

/* Weights are not negative, so their bits are ordered as they are, but for a zero of negative sign. */
static __device__ __forceinline__ word64 ordered_bits(int weights, word64 w)
{
    if ((weights == WEIGHT_F32 && (uint32_t)w == 0x80000000u) || (weights == WEIGHT_F64 && w == 1ull << 63))
        return 0;
    return w;
}

/* A warp a vertex. */
template <class K>
static __global__ void lightest_kernel(const __grid_constant__ device_csr g, const __grid_constant__ scale<K> s,
                                       const lightest out, const lightest in)
{
    const uint64_t step = (uint64_t)gridDim.x * (blockDim.x / 32);
    for (uint64_t v = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); v < g.n; v += step) {
        const uint64_t end = csr_offset(g, (uint32_t)v + 1);
        word64 mine = FARTHEST;
        for (uint64_t e = csr_offset(g, (uint32_t)v) + simt_lane(); e < end; e += 32) {
            arc_data c;
            load_weighted_from(s, g.adj, g.pairs, g.weight, e, &c);
            const word64 w = ordered_bits(s.weights, c.w);
            if (in.bits != NULL)
                put_lightest(in, c.v, w);
            mine = w < mine ? w : mine;
        }
        if (mine != FARTHEST)
            put_lightest(out, (uint32_t)v, mine);
    }
}

/* ---- a phase ----------------------------------------------------------------------------------------------------- */

/* M and L of the queue, by way of the block's `low`. All threads. */
template <class K>
static __device__ __forceinline__ void find_least(const phase_method<K> &m, const uint32_t *queue, unsigned count,
                                                  word64 *low, word64 *least)
{
    K first = m.f.s.infinity, second = m.f.s.infinity;
    if (threadIdx.x < 2)
        low[threadIdx.x] = FARTHEST;
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t v = queue[i];
        const K key = simt_load_relaxed(&m.f.label[v]), reach = reach_of(m.f.s, key, get_lightest(m.out, v));
        first = key < first ? key : first;
        second = reach < second ? reach : second;
    }
    __syncwarp();
    first = warp_least(first);
    second = warp_least(second);
    if (simt_lane() == 0) {
        (void)atomicMin(&low[0], (word64)first);
        (void)atomicMin(&low[1], (word64)second);
    }
    __syncthreads();
    if (threadIdx.x < 2)
        (void)atomicMin(&least[threadIdx.x], low[threadIdx.x]);
}

template <class K>
static __device__ __forceinline__ bool is_final(const phase_method<K> &m, uint32_t v, K key, const word64 *low)
{
    const K first = (K)low[0];
    if (key == first || ((m.criterion & CRITERION_OUT) != 0 && key <= (K)low[1]))
        return true;
    return (m.criterion & CRITERION_IN) != 0 && key <= reach_of(m.f.s, first, get_lightest(m.in, v));
}

/* An arc of each lane that has one; who reaches its end first lists it (C2). All lanes. */
template <class K>
static __device__ __forceinline__ void relax_arc(relax_step<K> &f, const device_csr &g, uint32_t *queue,
                                                 unsigned *length, bool has, uint32_t u, K key, uint64_t e)
{
    arc_data c = {0, 0};
    bool fresh = false;
    if (has) {
        word64 old = 0;
        load_weighted_from(f.s, g.adj, g.pairs, g.weight, e, &c);
        fresh = claim(f, u, key, c, e, peek(f, c.v), &old) && (K)old == f.s.infinity;
    }
    warp_append(fresh, c.v, queue, length);
}

/* The arcs of each lane's vertex. All lanes. */
template <class K>
static __device__ __forceinline__ void relax_lists(relax_step<K> &f, const device_csr &g, uint32_t *queue,
                                                   unsigned *length, uint32_t v, K key, const stretch &s)
{
    const bool is_long = s.end - s.begin >= LONG_LIST;
    const unsigned mine = is_long ? 0 : (unsigned)(s.end - s.begin), most = simt_reduce_max(WARP_ALL, mine);
    for (unsigned k = 0; k < most; k++)
        relax_arc(f, g, queue, length, k < mine, v, key, s.begin + k);
    for (unsigned rest = __ballot_sync(WARP_ALL, is_long); rest != 0; rest &= rest - 1) {
        const int lane = __ffs((int)rest) - 1;
        const stretch all = list_from(s, lane);
        const uint32_t u = __shfl_sync(WARP_ALL, v, lane);
        const K from = __shfl_sync(WARP_ALL, key, lane);
        for (uint64_t e = all.begin; e < all.end; e += 32)
            relax_arc(f, g, queue, length, e + simt_lane() < all.end, u, from, e + simt_lane());
    }
}

/* Settles what is final of the queue; the rest goes to the next one. All threads. */
template <class K>
static __device__ __forceinline__ void settle_queue(const level_search &s, const phase_method<K> &m, unsigned level,
                                                    unsigned count, const word64 *low, level_slot *more)
{
    const uint32_t *queue = m.queue[level & 1];
    uint32_t *to = m.queue[1 - (level & 1)];
    level_slot *next = level_slot_of(s, level + 1);
    relax_step<K> f = m.f;
    unsigned looked = 0, settled = 0, arcs = 0;
    f.stop = &next->stop;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < count;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const bool there = base + simt_lane() < count;
        const uint32_t v = there ? queue[base + simt_lane()] : 0;
        const K key = simt_load_relaxed(&f.label[v]);
        const bool final = there && is_final(m, v, key, low);
        const stretch mine = list_of(s.out, v, final);
        looked += there;
        settled += final;
        arcs += (unsigned)(mine.end - mine.begin);
        warp_append(there && !final, v, to, &next->found);
        relax_lists(f, s.out, to, &next->found, v, key, mine);
    }
    level_add(&more->count[COUNT_FRONTIER], looked);
    level_add(&more->count[COUNT_CHECKED], looked);
    level_add(&more->count[COUNT_SETTLED], settled);
    level_add(&more->count[COUNT_ARCS], arcs);
}

/* The leader: targets are done when all have labels below the M of the phase before; and the M and L after next. */
template <class K>
static __device__ __forceinline__ void lead_phase(const level_search &s, const phase_method<K> &m,
                                                  const uint32_t *targets, unsigned count, unsigned level)
{
    word64 *before = &m.least[(level + 2) % 3 * 2];
    level_lead(s, level, 0);
    while (level != 0 && s.st->target < count
           && simt_load_relaxed(&m.f.label[targets[s.st->target]]) < (K)simt_load_relaxed(before))
        s.st->target++;
    if (count != 0 && s.st->target == count)
        (void)atomicOr(&level_slot_of(s, level + 1)->stop, (unsigned)LEVEL_STOP_TARGETS);
    simt_store_relaxed(&before[0], FARTHEST);
    simt_store_relaxed(&before[1], FARTHEST);
}

/* All phases, in one cooperative launch. */
template <class K>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    phase_kernel(const __grid_constant__ level_search s, const __grid_constant__ phase_method<K> m,
                 const uint32_t *targets, unsigned target_count)
{
    SIMT_SHARED(level_share, share, 1);
    SIMT_SHARED(word64, low, 2);
    unsigned level = 0;
    level_open(share);
    for (; level_begin(s, share, level); level++) {
        word64 *least = &m.least[level % 3 * 2];
        if (level_is_leader())
            lead_phase(s, m, targets, target_count, level);
        __syncwarp();
        find_least(m, m.queue[level & 1], share->found, low, least);
        simt_grid_sync();
        if (threadIdx.x < 2)
            low[threadIdx.x] = simt_load_relaxed(&least[threadIdx.x]);
        __syncthreads();
        settle_queue(s, m, level, share->found, low, &share->more);
        level_hand(share, level_slot_of(s, level + 1));
        simt_grid_sync();
    }
    if (level_is_leader())
        level_end(s, level);
}

/* The sources, each once. One block. */
template <class K>
static __global__ void phase_seed(const level_search s, const __grid_constant__ phase_method<K> m,
                                  const uint32_t *sources, uint64_t count)
{
    if (threadIdx.x < 6)
        m.least[threadIdx.x] = FARTHEST;
    for (uint64_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? sources[i] : 0;
        warp_append(i < count && atomicMin(&m.f.label[v], m.f.s.zero) == m.f.s.infinity, v, m.queue[0],
                    &s.st->slots[0].found);
    }
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct phases {
    uint32_t *queue[2];
    lightest out, in;
    word64 *least;
    uint32_t *targets;
    int criterion;
    unsigned shift; /* form=cluster: of 2^shift blocks; 0: the grid's */
} phases;

template <class K> static nf_status launch_phases(sweeps *w, const nf__row *row, const phase_method<K> &m)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    const phases *p = (const phases *)l->own;
    const unsigned block = levels_block(l, w->items), wanted = device_grid(w->items, block, 1);
    unsigned blocks = 1;
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(phase_seed<K>, 1, levels_block(l, row->source_count), 0, l->d->stream, l->s, m,
                                  l->sources, row->source_count));
    NF_TRY(device_resident_blocks(l->d, (const void *)(phase_kernel<K>), (int)block, 0, &blocks));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH_GRID(phase_kernel<K>, wanted < blocks ? wanted : blocks, block, 0, l->d->stream, l->s,
                                       m, p->targets, (unsigned)w->run->target_count));
    NF_TRY(sweep_wait(w));
done:
    return st;
}

/* ---- one cluster ------------------------------------------------------------------------------------------------- */

static unsigned home_block(const levels *l)
{
    return l->block < HOME_THREADS ? l->block : (unsigned)HOME_THREADS;
}

static uint32_t home_places(const nf__run *run, unsigned shift)
{
    return (uint32_t)(((uint64_t)run->csr.n + (1u << shift) - 1) >> shift);
}

/* Does a cluster of 2^shift blocks have room for all labels? */
static nf_status fits_home(levels *l, unsigned shift, bool *fits)
{
    nf_status st = NF_OK;
    device *d = l->d;
    const unsigned block = home_block(l);
    const uint32_t places = home_places(l->run, shift);
    const size_t bytes = home_bytes(places);
    const void *kernel = (const void *)home_kernel;
    *fits = bytes + sizeof(home_share) <= d->shared_most && places <= (uint64_t)block * HOME_PLACES;
    if (*fits) {
        device_fit *fit = device_fit_of(d, kernel, (int)block, bytes, 1u << shift);
        NF_TRY_CUDA(d, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
        if (fit->many < 0)
            NF_TRY_CUDA(d, simt_max_clusters(&fit->many, home_kernel, 1u << shift, (int)block, bytes));
        *fits = fit->many > 0;
    }
done:
    return st;
}

/* The largest cluster that the device has and that takes all vertices; none: p->shift = 0. */
static nf_status find_home(levels *l, phases *p)
{
    nf_status st = NF_OK;
    const bool can = l->d->capability >= 90 && device_graph_of(l->run)->out.off32 != NULL && l->run->csr.n != 0;
    const unsigned asked = (unsigned)nf__knob_number(l->run, "blocks"),
                   blocks = asked != 0 ? asked : (unsigned)HOME_BLOCKS;
    unsigned most = 0;
    bool fits = false;
    while ((2u << most) <= blocks)
        most++;
    for (unsigned shift = most; can && shift > 0 && !fits; shift--) {
        NF_TRY(fits_home(l, shift, &fits));
        p->shift = fits ? shift : 0;
    }
done:
    return st;
}

bool phases_have_room(const nf__run *run)
{
    const device *d = (const device *)run->device;
    const uint32_t places = home_places(run, 3); /* any chip with clusters has them of eight */
    return d->capability >= 90 && sssp_is_narrow(run) && run->csr.m < UINT32_MAX
           && places <= (uint64_t)HOME_THREADS * HOME_PLACES
           && home_bytes(places) + sizeof(home_share) <= d->shared_most;
}

static nf_status launch_home(sweeps *w, const nf__row *row, const sweep<uint32_t> &s)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    const phases *p = (const phases *)l->own;
    const uint32_t places = home_places(w->run, p->shift);
    const size_t bytes = home_bytes(places);
    const home_method m = {s.f,
                           p->out,
                           l->sources,
                           p->targets,
                           row->source_count,
                           (unsigned)w->run->target_count,
                           p->shift,
                           places,
                           (p->criterion & CRITERION_OUT) != 0};
    NF_TRY_CUDA(l->d, cudaFuncSetAttribute((const void *)home_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)bytes));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH_CLUSTER(home_kernel, 1u << p->shift, 1u << p->shift, home_block(l), bytes,
                                          l->d->stream, l->s, m));
    NF_TRY(sweep_wait(w));
done:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static nf_status find_lightest(sweeps *w, phases *p, bool both);

/* What the grid needs, once: a cluster's rows may come to it with keys that it does not take. */
static nf_status prepare_grid(sweeps *w, phases *p)
{
    nf_status st = NF_OK;
    if (p->in.bits != NULL)
        return NF_OK;
    for (int k = 0; k < 2; k++)
        NF_TRY(levels_alloc(w->l, w->run->csr.n, &p->queue[k]));
    NF_TRY(levels_alloc(w->l, 6, &p->least));
    NF_TRY(find_lightest(w, p, true));
done:
    return st;
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    sweeps *w = (sweeps *)run->scratch;
    static const level_words words = {{"phase"}, {NULL, NULL, NULL, "settled"}},
                             quiet = {{NULL}, {NULL, NULL, NULL, "settled"}};
    nf_status st = NF_OK;
    phases *p = (phases *)w->l->own;
    const sweep<K> s = sweep_of<K>(w);
    const bool together = sizeof(K) == 4 && p->shift != 0; /* in one cluster */
    w->l->s.most = s.n < UINT32_MAX ? s.n + 1 : s.n;
    if (!together)
        NF_TRY(prepare_grid(w, p));
    NF_TRY(sweep_clear(w, row, s));
    if constexpr (sizeof(K) == 4)
        if (together)
            NF_TRY(launch_home(w, row, s));
    if (!together) {
        const phase_method<K> m = {s.f, {p->queue[0], p->queue[1]}, p->out, p->in, p->least, p->criterion};
        NF_TRY(launch_phases(w, row, m));
    }
    if (w->end.slots[w->end.level % 3].stop == LEVEL_STOP_LIMIT)
        NF_TRY(nf__fail(NF_EINTERNAL, "more phases than vertices"));
    NF_TRY(sweep_end<K>(w, row, s, together ? &quiet : &words, false, again));
done:
    return st;
}

/* Once for all rows; both: into vertices, too, and again where the others were there. */
static nf_status find_lightest(sweeps *w, phases *p, bool both)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    const bool wide = w->run->csr.weight_type == NF_F64;
    const uint64_t n = w->run->csr.n, bytes = n * (wide ? 8 : 4);
    const scale<word64> s = sssp_scale<word64>(w->run);
    p->out.wide = p->in.wide = wide;
    if (p->out.bits == NULL)
        NF_TRY(levels_alloc_bytes(l, bytes, 1, &p->out.bits));
    NF_TRY(device_fill_bytes(l->d, p->out.bits, 0xff, bytes));
    if (both) {
        NF_TRY(levels_alloc_bytes(l, bytes, 1, &p->in.bits));
        NF_TRY(device_fill_bytes(l->d, p->in.bits, 0xff, bytes));
    }
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(lightest_kernel<word64>, device_grid(n, l->block / 32, 8), l->block, 0, l->d->stream,
                                  l->s.out, s, p->out, p->in));
done:
    return st;
}

static int read_criterion(const nf__run *run)
{
    const char *text = nf__knob_choice(run, "criterion");
    return strcmp(text, "min") == 0   ? CRITERION_MIN
           : strcmp(text, "out") == 0 ? CRITERION_OUT
           : strcmp(text, "in") == 0  ? CRITERION_IN
                                      : CRITERION_BOTH;
}

/* A phase of one cluster is that of one vertex: its list ought to be worth the cluster's warps. */
#define HOME_DEGREE 128.0

static bool takes_home(const nf__run *run)
{
    const char *form = nf__knob_choice(run, "form");
    return sssp_is_narrow(run)
           && (strcmp(form, "cluster") == 0 || (strcmp(form, "auto") == 0 && run->stats.degree_mean >= HOME_DEGREE));
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    sweeps *w = NULL;
    phases *p = NULL;
    NF_TRY(sweeps_open(run, sssp_parts(run), 0, SWEEPS_TREES, &w));
    NF_TRY_ALLOC(p, (phases *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *p));
    w->l->own = p;
    w->items = run->csr.n;
    p->targets = w->l->targets;
    p->criterion = read_criterion(run);
    if (takes_home(run))
        NF_TRY(find_home(w->l, p));
    if (p->shift == 0)
        NF_TRY(prepare_grid(w, p));
    else
        NF_TRY(find_lightest(w, p, false));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return sssp_row(run, row, &((sweeps *)run->scratch)->wide, run_keys<uint32_t>, run_keys<word64>);
}

static const nf_knob_info knobs[] = {
    {"criterion", "what settles a vertex: the least label, lightest arcs out of the queue, into the vertex, or both",
     NF_KNOB_CHOICE, "inout", 0, 0, "inout in out min"},
    {"form",
     "who works: one cluster with all labels in shared memory (where they fit; criteria out and min), or the grid",
     NF_KNOB_CHOICE, "auto", 0, 0, "auto cluster grid"},
    {"blocks", "form=cluster: blocks of the cluster, at most; 0: as many as it may have", NF_KNOB_INT, "0", 0, 16,
     NULL},
};

extern const nf__algorithm sssp_dijkstra_phases = {
    .info = {.name = "dijkstra-phases",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "phases that settle every vertex whose label is provably final; each arc is relaxed once",
             .paper =
                 "Crauser, Mehlhorn, Meyer, Sanders 1998; Martin, Torres, Gavilanes 2009; Ortega-Arranz et al. 2013",
             .memory = "on the device 32 n (distances f32: 24 n); weights f64 8 n, parents 32 n more",
             .flags = 0,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = sweeps_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
