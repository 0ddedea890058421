/* sssp.cu - keys, results and trees of shortest paths (sssp.cuh). */
#include "gpu/pull_tree.cuh"
#include "gpu/sssp.cuh"
#include "gpu/step_parent.cuh"

namespace SIMT_FLAVOUR
{

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <class T> static __global__ void fill_kernel(T *p, uint32_t n, T value)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x)
        p[v] = value;
}

static __device__ __forceinline__ void write_real(void *out, uint64_t v, uint32_t key)
{
    static_cast<float *>(out)[v] = real_of(key);
}

static __device__ __forceinline__ void write_real(void *out, uint64_t v, word64 key)
{
    static_cast<double *>(out)[v] = real_of(key);
}

/* Keys to distances. */
template <class K>
static __global__ void distance_kernel(const K *label, uint32_t n, const __grid_constant__ scale<K> s, void *out)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x) {
        if (s.real)
            write_real(out, v, label[v]);
        else
            static_cast<int64_t *>(out)[v] =
                label[v] == s.infinity ? NF_UNREACHED_I64 : (int64_t)((word64)label[v] - (word64)s.zero);
    }
}

/* parent: or NULL; ids: the bits of a vertex. */
static __global__ void unpack_kernel(const word64 *word, uint32_t n, uint32_t ids, uint32_t *label, uint32_t *parent)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x) {
        label[v] = (uint32_t)(word[v] >> 32);
        if (parent != NULL)
            parent[v] = (uint32_t)word[v] == NF_NO_VERTEX ? NF_NO_VERTEX : (uint32_t)word[v] & ids;
    }
}

/* The sources are their own parents, if nothing is nearer. */
template <class K>
static __global__ void root_kernel(const K *label, K zero, const uint32_t *sources, uint64_t count, uint32_t *parent)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
        if (label[sources[i]] == zero)
            simt_store_relaxed(&parent[sources[i]], sources[i]);
}

template <class K>
static __global__ void lost_kernel(const K *label, K infinity, uint32_t n, const uint32_t *parent, unsigned *lost)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x)
        if (label[v] != infinity && parent[v] == NF_NO_VERTEX)
            simt_store_relaxed(lost, 1u);
}

/* A state before its first round. */
static __global__ void clear_kernel(state *st)
{
    if (threadIdx.x < 3)
        clear_slot(&st->slots[threadIdx.x]);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static int weights_of(nf_type type)
{
    return type == NF_I32   ? WEIGHT_I32
           : type == NF_U32 ? WEIGHT_U32
           : type == NF_F32 ? WEIGHT_F32
           : type == NF_F64 ? WEIGHT_F64
                            : WEIGHT_ONE;
}

/* The bits from the top of K that are the exponent's of a float, all set: those of +infinity. */
template <class K> static K infinite_bits()
{
    return sizeof(K) == 4 ? (K)0x7f800000u : (K)0x7ff0000000000000ull;
}

template <class K> scale<K> sssp_scale(const nf__run *run)
{
    const K top = (K) ~(K)0, half = (K)1 << (sizeof(K) * 8 - 1);
    const bool negative = run->stats.weight_sign < 0;
    scale<K> s = {};
    s.weights = weights_of(run->csr.weight_type);
    s.real = run->work_type != NF_I64;
    if (s.real) {
        s.zero = half;
        s.infinity = infinite_bits<K>() | half;
        return s;
    }
    const K above = run->stats.weight_max > 0 ? (K)(uint64_t)run->stats.weight_max : 0;
    const K most = sizeof(K) == 8 && !negative ? half - 2 : top - 1; /* of 64 bits: what NF_I64 holds */
    s.low = run->stats.weight_min < 0 ? (K)(uint64_t)-run->stats.weight_min : 0;
    s.span = most - above - s.low;
    s.zero = negative ? half : 0;
    s.infinity = top;
    return s;
}

static void bits_of_real(double x, uint32_t *key)
{
    const float y = (float)x;
    memcpy(key, &y, sizeof *key);
}

static void bits_of_real(double x, word64 *key)
{
    memcpy(key, &x, sizeof *key);
}

template <class K> K sssp_bound(const nf__run *run, const scale<K> &s)
{
    K bits = 0;
    if (!run->has_cutoff || run->stats.weight_sign < 0)
        return (K) ~(K)0;
    if (!s.real) {
        const uint64_t cutoff = run->cutoff_int > 0 ? (uint64_t)run->cutoff_int : 0;
        return cutoff < (uint64_t)(s.infinity - s.zero) ? (K)(s.zero + (K)cutoff) : s.infinity;
    }
    bits_of_real(run->cutoff_real > 0 ? run->cutoff_real : 0, &bits);
    return bits < infinite_bits<K>() ? (K)(s.zero + bits + 1) : s.infinity;
}

bool sssp_is_narrow(const nf__run *run)
{
    if (run->work_type != NF_I64)
        return run->work_type == NF_F32;
    const double most = run->stats.weight_sign < 0 ? 0x1p30 : 4294967294.0;
    return run->stats.weight_max < most && run->stats.weight_min > -0x1p30;
}

double sssp_delta(const nf__run *run, double factor)
{
    const nf_graph_stats *s = &run->stats;
    return factor * s->weight_mean / (s->degree_mean > 1 ? s->degree_mean : 1);
}

unsigned sssp_parts(const nf__run *run)
{
    return run->csr.weight_type == NF_NONE ? GRAPH_TARGETS : GRAPH_PAIRS;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

nf_status sssp_row(nf__run *run, nf__row *row, bool *wide, sssp_keys narrow, sssp_keys broad)
{
    nf_status st = NF_OK;
    bool again = *wide || !sssp_is_narrow(run);
    if (!again) {
        NF_TRY(narrow(run, row, &again));
        *wide = again;
    }
    if (again)
        NF_TRY(broad(run, row, &again));
done:
    return st;
}

nf_status sssp_ended(nf__row *row, size_t bytes, uint64_t rounds, uint64_t arcs, unsigned flags, unsigned stop,
                     bool *again)
{
    row->iterations = rounds;
    row->edges_relaxed = arcs;
    row->overflowed = (flags & FLAG_INFINITE) != 0;
    *again = bytes == 4 && (stop & STOP_HOT) != 0;
    return (stop & STOP_HOT) != 0 && !*again ? nf__fail(NF_EOVERFLOW, "a distance leaves 64 bits") : NF_OK;
}

nf_status sssp_look_for_cycles(nf__run *run, nf__row *row, const uint32_t *pred, bool *give_up)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const uint64_t n = run->csr.n;
    nf_vid *host = NULL, *mark = NULL, *cycle = NULL;
    NF_TRY_ALLOC(host, host_alloc<nf_vid>(d, n));
    NF_TRY_ALLOC(mark, host_alloc<nf_vid>(d, n));
    NF_TRY_ALLOC(cycle, host_alloc<nf_vid>(d, n));
    NF_TRY(device_download(d, host, pred, n * sizeof *host));
    NF_TRY(nf__cycle_inspect(run, row->type, host, false, mark, cycle, give_up));
done:
    nf__free(host);
    nf__free(mark);
    nf__free(cycle);
    return st;
}

/* ---- labels of any method ---------------------------------------------------------------------------------------- */

template <class K> nf_status sssp_fill(device *d, K *p, uint64_t n, K value)
{
    nf_status st = NF_OK;
    const unsigned block = device_block(d, 256), blocks = device_grid(n, block, 4);
    NF_TRY_CUDA(d, SIMT_LAUNCH(fill_kernel<K>, blocks, block, 0, d->stream, p, (uint32_t)n, value));
done:
    return st;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Words of more vertices than these do not fit L2 (H200, 60 MB): by counting, beyond that was not measured. */
#define WORDS_MOST (1u << 23)

nf_status labels_open(nf__run *run, engine *e, sssp_labels *l)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    NF_TRY(device_alloc_bytes(e->d, n, run->work_type == NF_F32 ? 4 : 8, &l->label));
    if (e->policy == DUP_ATOMIC64 && run->work_type != NF_F64)
        NF_TRY(device_alloc(e->d, n, &l->word));
    if (e->policy >= DUP_ATOMIC64)
        NF_TRY(device_alloc(e->d, n, &l->stamp));
    l->marks = UINT32_MAX;
done:
    return st;
}

void labels_close(device *d, sssp_labels *l)
{
    device_free(d, l->label);
    device_free(d, l->word);
    device_free(d, l->stamp);
}

template <class K> nf_status labels_begin(nf__run *run, engine *e, sssp_labels *l, relax_step<K> *f)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n;
    f->s = sssp_scale<K>(run);
    f->bound = sssp_bound(run, f->s);
    f->label = (K *)l->label;
    f->word = sizeof(K) == 4 ? l->word : NULL;
    f->stamp = e->policy >= DUP_ATOMIC64 ? l->stamp : NULL;
    f->flags = &e->st->flags;
    f->marks = 0;
    f->id_bits = l->id_bits = 32;
    if (f->word != NULL)
        NF_TRY(sssp_fill(e->d, f->word, n, ((word64)f->s.infinity << 32) | NF_NO_VERTEX));
    else
        NF_TRY(sssp_fill(e->d, f->label, n, (K)f->s.infinity));
    if (f->stamp != NULL)
        NF_TRY(device_fill_bytes(e->d, f->stamp, 0, n * 4));
done:
    return st;
}

template <class K> void labels_mark(const nf__run *run, sssp_labels *l, relax_step<K> *f)
{
    const unsigned bits = bits_of(run->csr.n);
    if (f->word == NULL || bits >= 31)
        return;
    const uint32_t most = (1u << (32 - bits)) - 1; /* all ones are those of no vertex */
    f->id_bits = l->id_bits = bits;
    f->marks = l->marks < most ? l->marks : most;
    f->unmarked = f->s.infinity;
}

template <class K> nf_status labels_end(nf__run *run, engine *e, sssp_labels *l, uint32_t *parent)
{
    nf_status st = NF_OK;
    if (sizeof(K) == 4 && l->word != NULL)
        NF_TRY_CUDA(e->d,
                    SIMT_LAUNCH(unpack_kernel, e->grid, e->block, 0, e->d->stream, l->word, run->csr.n,
                                l->id_bits < 32 ? (1u << l->id_bits) - 1 : UINT32_MAX, (uint32_t *)l->label, parent));
done:
    return st;
}

/* Not the deterministic tree; and arcs of length 0, or that rounding makes so, may close a ring of vertices that name
 * each other. */
static bool words_hold_trees(const nf__run *run)
{
    return !run->deterministic && run->work_type == NF_I64
           && (run->csr.weight_type == NF_NONE || run->stats.weight_min > 0);
}

bool sssp_wants_words(const nf__run *run)
{
    return (run->want_parents || run->nearest) && words_hold_trees(run) && run->csr.n <= WORDS_MOST;
}

template <class K> bool labels_hold_tree(const nf__run *run, const sssp_labels *l)
{
    return sizeof(K) == 4 && l->word != NULL && words_hold_trees(run);
}

template <class K> nf_status labels_report(engine *e, nf__row *row, bool *again)
{
    const nf_status st =
        sssp_ended(row, sizeof(K), e->last.round, e->last.arcs, e->last.flags, engine_stopped(e), again);
    return st != NF_OK || *again ? st : engine_report(e, "sssp");
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* The tree of step_tight.cuh. */
template <class K, class Off>
static nf_status grow_breadth_first(nf__row *row, sssp_out *o, const K *label, const scale<K> &s)
{
    nf_status st = NF_OK;
    engine *e = o->e;
    const uint64_t n = e->run->csr.n;
    const tight_step<K> f = {label, o->hop, o->parent, s, 0};
    NF_TRY(device_fill_bytes(e->d, o->hop, 0xff, n * 4));
    NF_TRY(device_fill_bytes(e->d, o->parent, 0xff, n * 4));
    e->pl.target_count = 0; /* the method's affair, not the tree's */
    NF_TRY((engine_loop<tight_step<K>, Off>(e, f, row->source_count, DUP_EXACT, UINT32_MAX, "sssp parents")));
done:
    return st;
}

/* Any tree, in one pass (T1). *lost: it does not reach all, because of arcs of no length. */
template <class K, class Off>
static nf_status grow_at_once(nf__row *row, sssp_out *o, const K *label, const scale<K> &s, bool *lost)
{
    nf_status st = NF_OK;
    engine *e = o->e;
    device *d = e->d;
    const nf__run *run = e->run;
    const arena<Off> a = engine_arena<Off>(e, e->g->out, DUP_EXACT);
    const parent_step<K> f = {label, o->parent, s};
    plan pl = plan_alone(e);
    unsigned found = 0;
    pl.t.mapping = is_lean(pl.t.mapping) ? pl.t.mapping : (int)MAP_TWO_PHASE;
    NF_TRY(device_fill_bytes(d, o->parent, 0xff, (uint64_t)run->csr.n * 4));
    NF_TRY(device_fill_bytes(d, e->st, 0, sizeof *e->st));
    NF_TRY_CUDA(d, SIMT_LAUNCH(clear_kernel, 1, 32, 0, d->stream, e->st));
    if (has_pull_tree(e))
        NF_TRY((pull_tree<K, Off>(e, label, s, o->parent)));
    else {
        NF_TRY_CUDA(d, SIMT_LAUNCH(all_kernel<Off>, e->grid, e->block, 0, d->stream, a));
        NF_TRY_CUDA(d, launch_round(e, e->grid, a, f, pl, 0, 0));
    }
    NF_TRY_CUDA(d, SIMT_LAUNCH(root_kernel<K>, device_grid(row->source_count, e->block, 1), e->block, 0, d->stream,
                               label, s.zero, e->sources, row->source_count, o->parent));
    if (s.real || (s.weights != WEIGHT_ONE && run->stats.weight_min <= 0)) {
        NF_TRY(device_fill_bytes(d, o->lost, 0, sizeof *o->lost));
        NF_TRY_CUDA(d, SIMT_LAUNCH(lost_kernel<K>, e->grid, e->block, 0, d->stream, label, s.infinity, run->csr.n,
                                   o->parent, o->lost));
        NF_TRY(device_download(d, &found, o->lost, sizeof found));
    }
    *lost = found != 0;
done:
    return st;
}

/* The tree, from final labels. */
template <class K, class Off> static nf_status grow_tree(nf__row *row, sssp_out *o, const K *label, const scale<K> &s)
{
    nf_status st = NF_OK;
    const nf__run *run = o->e->run;
    bool again = run->deterministic || run->stats.weight_sign < 0;
    if (!again)
        NF_TRY((grow_at_once<K, Off>(row, o, label, s, &again)));
    if (again)
        NF_TRY((grow_breadth_first<K, Off>(row, o, label, s)));
done:
    return st;
}

/* Does every reached vertex have a parent? With negative floats rounding may leave some without. */
static bool is_whole(const nf__run *run, const nf__row *row)
{
    if (row->type == NF_I64 || run->stats.weight_sign >= 0)
        return true;
    for (nf_vid v = 0; v < run->csr.n; v++) {
        const double d = row->type == NF_F32 ? (double)((const float *)row->dist)[v] : ((const double *)row->dist)[v];
        if (!isinf(d) && row->parent[v] == NF_NO_VERTEX)
            return false;
    }
    return true;
}

/* ---- a row's results --------------------------------------------------------------------------------------------- */

template <class K>
nf_status sssp_hand_out(nf__run *run, nf__row *row, sssp_out *o, const K *label, const scale<K> &s, bool tree,
                        bool *whole)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const uint32_t n = run->csr.n;
    const unsigned block = device_block(d, 256);
    *whole = true;
    NF_TRY_CUDA(d,
                SIMT_LAUNCH(distance_kernel<K>, device_grid(n, block, 4), block, 0, d->stream, label, n, s, o->dist));
    if (row->parent != NULL && !tree) {
        if (o->own)
            NF_TRY(engine_sources(o->e, row->sources, row->source_count));
        if (o->e->g->out.off32 != NULL)
            NF_TRY((grow_tree<K, uint32_t>(row, o, label, s)));
        else
            NF_TRY((grow_tree<K, uint64_t>(row, o, label, s)));
    }
    NF_TRY(device_stop(d));
    NF_TRY(device_results(run, row->dist, o->dist, (uint64_t)n * nf_type_size(row->type)));
    if (row->parent != NULL) {
        NF_TRY(device_results(run, row->parent, o->parent, (uint64_t)n * 4));
        *whole = is_whole(run, row);
    }
done:
    return st;
}

nf_status sssp_open(nf__run *run, engine *e, sssp_out *o)
{
    nf_status st = NF_OK;
    device *d = (device *)run->device;
    const uint64_t n = run->csr.n;
    const bool parents = run->want_parents || run->nearest;
    o->e = e;
    o->own = e == NULL && parents;
    if (o->own)
        NF_TRY(engine_open_plain(run, &o->e));
    NF_TRY(device_alloc_bytes(d, n, nf_type_size(run->work_type), &o->dist));
    if (parents) {
        NF_TRY(device_alloc(d, n, &o->hop));
        NF_TRY(device_alloc(d, n, &o->parent));
        NF_TRY(device_alloc(d, 1, &o->lost));
    }
done:
    return st;
}

void sssp_close(nf__run *run, sssp_out *o)
{
    device *d = (device *)run->device;
    device_free(d, o->dist);
    device_free(d, o->hop);
    device_free(d, o->parent);
    device_free(d, o->lost);
    if (o->own)
        engine_close(o->e);
}

#define INSTANTIATE(K)                                                                       \
    template nf_status labels_begin<K>(nf__run *, engine *, sssp_labels *, relax_step<K> *); \
    template void labels_mark<K>(const nf__run *, sssp_labels *, relax_step<K> *);           \
    template nf_status labels_end<K>(nf__run *, engine *, sssp_labels *, uint32_t *);        \
    template bool labels_hold_tree<K>(const nf__run *, const sssp_labels *);                 \
    template nf_status labels_report<K>(engine *, nf__row *, bool *);                        \
    OTHERS(K)

#define OTHERS(K)                                                \
    template scale<K> sssp_scale<K>(const nf__run *);            \
    template K sssp_bound<K>(const nf__run *, const scale<K> &); \
    template nf_status sssp_fill<K>(device *, K *, uint64_t, K); \
    template nf_status sssp_hand_out<K>(nf__run *, nf__row *, sssp_out *, const K *, const scale<K> &, bool, bool *)

INSTANTIATE(uint32_t);
INSTANTIATE(word64);

} /* namespace SIMT_FLAVOUR */
