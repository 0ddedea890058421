/* rows.cu - the host's half of rows.cuh: memory, launches, rows on their way back.
 *
 * Where there are several launches, and room for the rows of two, the device makes rows while those before them are
 * handed out.
 * Rows of 32-bit keys over the run's own graph are made over records of arcs (rows_mesh.cuh) where its lists are short;
 * the other rows, and those of other weights, over lists (rows.cuh).
 * Invariant: while rows are under way (`flying`), the device writes their side only, and nothing else is asked of its
 * stream; a run that ends early tells them to end, and waits.
 */
#include "gpu/rows_mesh.cuh"

#include "gpu/courier.h"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

/* Rows of a launch for each resident block: the last ones of a launch leave blocks idle, a quarter of a row each on
 * average. */
#define ROWS_A_BLOCK 4u
/* Delta in mean weights, shared among the arcs of a mean vertex: on roads about as many vertices are near as a block
 * has threads. H200, the roads of New York, rows a second (docs/results/apsp-h200.md): over records 33,000 with 8 and
 * 29,600 with 32, over lists 20,100 with 8. */
#define DELTA_FACTOR 8.0
#define LIST_THREADS 128u
#define RECORD_THREADS 256u
#define RECORD_HOPS 64u /* rounds between looks at the pool, which is the block's own */
/* Records are for graphs of lists as short as this. */
#define RECORD_MEAN 5.0
#define SLACK 4096u /* bytes for what is small, and for alignment */

extern const nf_knob_info rows_knobs[ROWS_KNOB_COUNT] = {
    {"delta", "width of the near part, in units of distance; 0: from mean weight and degree", NF_KNOB_REAL, "0", 0,
     1e300, NULL},
    {"threads", "of a block, that is, of a row; 0: 256 over records, 128 over lists", NF_KNOB_INT, "0", 0, ROW_THREADS,
     NULL},
    {"arcs", "rows over records of four arcs, or lists (auto: records, where lists are short)", NF_KNOB_CHOICE, "auto",
     0, 0, "auto records lists"},
};
static_assert((int)MESH_ROW_THREADS <= (int)ROW_THREADS, "a block of either kind makes the trees");

/* ---- distances --------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float real_plus(uint32_t key, const void *h, uint32_t s, uint32_t v)
{
    return (real_of(key) - ((const float *)h)[s]) + ((const float *)h)[v];
}

static __device__ __forceinline__ double real_plus(word64 key, const void *h, uint32_t s, uint32_t v)
{
    return (real_of(key) - ((const double *)h)[s]) + ((const double *)h)[v];
}

static __device__ __forceinline__ void put_real(void *out, uint64_t i, float x)
{
    ((float *)out)[i] = x;
}

static __device__ __forceinline__ void put_real(void *out, uint64_t i, double x)
{
    ((double *)out)[i] = x;
}

/* An integer as it is handed out; where it does not fit, the first such place is told. */
static __device__ __forceinline__ void put_whole(void *out, uint64_t i, bool reached, int64_t d, nf_type to,
                                                 unsigned long long *unfit)
{
    const int64_t far = to == NF_I32 ? NF_UNREACHED_I32 : to == NF_U32 ? (int64_t)NF_UNREACHED_U32 : NF_UNREACHED_I64;
    const int64_t low = to == NF_I32 ? INT32_MIN : to == NF_I64 ? INT64_MIN : 0;
    if (to == NF_I32 || to == NF_U32)
        ((uint32_t *)out)[i] = (uint32_t)(reached ? d : far);
    else
        ((uint64_t *)out)[i] = reached ? (uint64_t)d : to == NF_U64 ? NF_UNREACHED_U64 : (uint64_t)far;
    if (reached && (d < low || (to != NF_I64 && to != NF_U64 && d >= far)) && i < simt_load_relaxed(unfit))
        (void)atomicMin(unfit, (unsigned long long)i);
}

/* The distance of a key that is a float, in the row of s, with potentials; *bad: it is not finite. */
template <class K>
static __device__ __forceinline__ void put_restored(void *out, uint64_t i, K key, const scale<K> &s, const void *h,
                                                    uint32_t from, uint32_t v, unsigned *bad)
{
    if (key == s.infinity || from == v) {
        put_real(out, i, real_of(from == v ? s.zero : key));
        return;
    }
    const auto x = real_plus(key, h, from, v);
    put_real(out, i, x);
    if (!isfinite(x))
        simt_store_relaxed(bad, 1u);
}

/* The whole distance of a key, with potentials or without. */
template <class K> static __device__ __host__ __forceinline__ int64_t whole_of(K key, K zero, int64_t from, int64_t to)
{
    return (int64_t)((word64)key - (word64)zero - (word64)from + (word64)to);
}

/* Keys of a launch to distances of type `to`. */
template <class K>
static __global__ void rows_distances(const __grid_constant__ rows_job<K> j, const void *h, nf_type to, void *out,
                                      unsigned *bad, unsigned long long *unfit)
{
    const uint64_t cells = (uint64_t)j.count * j.g.n;
    const int64_t *const p = (const int64_t *)h;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < cells;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t from = j.first + (uint32_t)(i / j.g.n), v = (uint32_t)(i % j.g.n);
        const K key = j.label[i];
        if (!j.s.real)
            put_whole(out, i, key != j.s.infinity,
                      whole_of(key, j.s.zero, h != NULL ? p[from] : 0, h != NULL ? p[v] : 0), to, unfit);
        else if (h != NULL)
            put_restored(out, i, key, j.s, h, from, v, bad);
        else
            put_real(out, i, real_of(key));
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The rows of a launch. */
template <class K> struct rows_side {
    K *label;                 /* batch * n */
    row_end *end;             /* batch */
    uint32_t *parent;         /* batch * n; or NULL */
    void *dist;               /* batch * n of the type that travels */
    row_end *ends;            /* on the host */
    unsigned long long unfit; /* the first of these that does not fit it */
    uint64_t first, count;
};

/* Launches of keys K. */
template <class K> struct rows_bench {
    nf__run *run;
    const rows_graph *x;
    device *d;
    rows_job<K> j;
    unsigned block, blocks; /* threads; blocks of a launch */
    uint64_t batch;         /* rows of a launch */
    rows_side<K> side[2];   /* the second: where there is room */
    /* Over records; j.queue and j.bits are the blocks' pools, piles and bits. */
    const device_records *records; /* or NULL */
    uint64_t more, words;          /* of them, beyond n; words of a bit each */
    uint32_t *rest;                /* 2 * more a block */
    state *states;                 /* one a block */
    unsigned *bad;
    unsigned long long *unfit;
    nf_type type; /* that rows travel in */
    courier post;
    bool flying; /* a launch that nobody has waited for */
};

template <class K> static uint64_t side_bytes(const rows_bench<K> *b)
{
    const uint64_t n = b->run->csr.n, tree = b->run->want_parents ? 4 * n : 0;
    return b->batch * (n * (sizeof(K) + nf_type_size(b->type)) + tree + sizeof(row_end)) + SLACK;
}

template <class K> static uint64_t bytes_of(const rows_bench<K> *b)
{
    const uint64_t n = b->run->csr.n, tree = b->run->want_parents ? 4 * n : 0;
    const uint64_t over = b->records != NULL ? 8 * b->more + sizeof(state) : 0;
    return b->blocks * (16 * n + 8 * b->words + tree + over) + side_bytes(b);
}

/* What rows are made by. */
template <class K> static const void *kernel_of(const rows_bench<K> *b)
{
    if constexpr (sizeof(K) == 4)
        if (b->records != NULL)
            return b->j.s.real ? (const void *)mesh_rows_kernel<true> : (const void *)mesh_rows_kernel<false>;
    return (const void *)rows_kernel<K>;
}

/* As many blocks as are resident, and rows as they make in good time, or fewer where memory does not hold them. */
template <class K> static nf_status choose_size(rows_bench<K> *b)
{
    nf_status st = NF_OK;
    const uint64_t rows = b->run->rows;
    NF_TRY(device_resident_blocks(b->d, kernel_of(b), (int)b->block, 0, &b->blocks));
    b->blocks = b->blocks < rows ? b->blocks : (unsigned)rows;
    b->batch = (uint64_t)b->blocks * ROWS_A_BLOCK < rows ? (uint64_t)b->blocks * ROWS_A_BLOCK : rows;
    while ((st = device_foresee(b->d, bytes_of(b), "a launch of rows")) == NF_EDEVMEM && b->batch > 1) {
        b->batch = (b->batch + 1) / 2;
        b->blocks = b->blocks < b->batch ? b->blocks : (unsigned)b->batch;
    }
done:
    return st;
}

template <class K> static nf_status allocate_side(rows_bench<K> *b, rows_side<K> *s)
{
    nf_status st = NF_OK;
    const uint64_t n = b->run->csr.n;
    NF_TRY(device_alloc(b->d, b->batch * n, &s->label));
    NF_TRY(device_alloc(b->d, b->batch, &s->end));
    NF_TRY(device_alloc_bytes(b->d, b->batch * n, nf_type_size(b->type), &s->dist));
    if (b->run->want_parents)
        NF_TRY(device_alloc(b->d, b->batch * n, &s->parent));
    NF_TRY_ALLOC(s->ends, host_alloc<row_end>(b->d, b->batch));
done:
    return st;
}

template <class K> static void release_side(rows_bench<K> *b, rows_side<K> *s)
{
    device_free(b->d, s->label);
    device_free(b->d, s->end);
    device_free(b->d, s->dist);
    device_free(b->d, s->parent);
    nf__free(s->ends);
    *s = {};
}

/* Room for the rows of a second launch, unless there is none, or no use for it. */
template <class K> static nf_status allocate_second(rows_bench<K> *b, uint64_t rows)
{
    nf_status st = NF_OK;
    bool apart = false;
    if (rows <= b->batch || device_foresee(b->d, side_bytes(b), "the rows of another launch") != NF_OK)
        return NF_OK;
    NF_TRY(courier_part(&b->post, &apart));
    if (!apart)
        return NF_OK;
    st = allocate_side(b, &b->side[1]);
    if (st == NF_EDEVMEM || st == NF_ENOMEM) {
        release_side(b, &b->side[1]);
        st = NF_OK; /* one after another, then */
    }
done:
    return st;
}

template <class K> static nf_status allocate(rows_bench<K> *b, uint64_t rows)
{
    nf_status st = NF_OK;
    const uint64_t n = b->run->csr.n;
    NF_TRY(choose_size(b));
    NF_TRY(device_alloc(b->d, b->blocks * 4 * n, &b->j.queue));
    NF_TRY(device_alloc(b->d, b->blocks * 2 * b->words, &b->j.bits));
    if (b->records != NULL)
        NF_TRY(device_alloc(b->d, b->blocks, &b->states));
    if (b->more != 0)
        NF_TRY(device_alloc(b->d, b->blocks * 2 * b->more, &b->rest));
    NF_TRY(device_alloc(b->d, 1, &b->j.next));
    NF_TRY(device_alloc(b->d, 1, &b->bad));
    NF_TRY(device_alloc(b->d, 1, &b->unfit));
    if (b->run->want_parents)
        NF_TRY(device_alloc(b->d, b->blocks * n, &b->j.hop));
    NF_TRY(allocate_side(b, &b->side[0]));
    NF_TRY(device_fill_bytes(b->d, b->bad, 0, sizeof *b->bad));
    NF_TRY(courier_open(&b->post, b->run, b->batch, b->type != b->run->work_type));
    NF_TRY(allocate_second(b, rows));
done:
    return st;
}

template <class K> static void release(rows_bench<K> *b)
{
    if (b->flying) {
        __atomic_store_n(&b->d->shared->cancel, 1u, __ATOMIC_RELAXED);
        (void)cudaStreamSynchronize(b->d->stream); /* what went wrong is known already */
    }
    courier_close(&b->post);
    device_free(b->d, b->j.queue);
    device_free(b->d, b->j.bits);
    device_free(b->d, b->states);
    device_free(b->d, b->rest);
    device_free(b->d, b->j.next);
    device_free(b->d, b->bad);
    device_free(b->d, b->unfit);
    device_free(b->d, b->j.hop);
    release_side(b, &b->side[0]);
    release_side(b, &b->side[1]);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The launch's rows over records, and their trees. */
template <bool REAL> static nf_status launch_mesh(const rows_bench<uint32_t> *b, unsigned blocks)
{
    nf_status st = NF_OK;
    device *d = b->d;
    mesh_rows<REAL> j = {};
    j.a.records = b->records->quads;
    j.a.owners = b->records->owners;
    j.a.pool[0] = b->j.queue;
    j.a.rest[0] = b->rest;
    j.a.has[0] = b->j.bits;
    j.a.st = b->states;
    j.a.n = b->run->csr.n;
    j.step.label = b->j.label;
    j.step.s = b->j.s;
    j.step.bound = b->j.bound;
    far_width(&j.step, b->j.delta);
    j.pl.hops = RECORD_HOPS;
    j.pl.rounds = UINT32_MAX;
    j.pl.shared = b->j.shared;
    j.more = b->more;
    j.words = b->words;
    j.first = b->j.first;
    j.count = b->j.count;
    j.end = b->j.end;
    j.next = b->j.next;
    NF_TRY_CUDA(d, SIMT_LAUNCH(mesh_rows_kernel<REAL>, blocks, b->block, 0, d->stream, j));
    if (b->j.parent != NULL)
        NF_TRY_CUDA(d, SIMT_LAUNCH(grow_kernel<uint32_t>, blocks, b->block, 0, d->stream, b->j));
done:
    return st;
}

template <class K> static nf_status launch_rows(const rows_bench<K> *b, unsigned blocks)
{
    nf_status st = NF_OK;
    if constexpr (sizeof(K) == 4)
        if (b->records != NULL)
            return b->j.s.real ? launch_mesh<true>(b, blocks) : launch_mesh<false>(b, blocks);
    NF_TRY_CUDA(b->d, SIMT_LAUNCH(rows_kernel<K>, blocks, b->block, 0, b->d->stream, b->j));
done:
    return st;
}

/* The rows from `first` on set out, as many as a launch has. */
template <class K> static nf_status start_rows(rows_bench<K> *b, rows_side<K> *s, uint64_t first)
{
    nf_status st = NF_OK;
    device *d = b->d;
    const uint64_t rest = b->run->rows - first, count = rest < b->batch ? rest : b->batch;
    const uint64_t cells = count * b->run->csr.n;
    const unsigned blocks = count < b->blocks ? (unsigned)count : b->blocks;
    s->first = first;
    s->count = count;
    b->j.first = (uint32_t)first;
    b->j.count = (uint32_t)count;
    b->j.label = s->label;
    b->j.end = s->end;
    b->j.parent = s->parent;
    NF_TRY(device_start(b->run));
    b->flying = true;
    NF_TRY(device_fill_bytes(d, b->j.next, 0, sizeof *b->j.next));
    NF_TRY(device_fill_bytes(d, b->unfit, 0xff, sizeof *b->unfit));
    NF_TRY(launch_rows(b, blocks));
    NF_TRY_CUDA(d, SIMT_LAUNCH(rows_distances<K>, device_grid(cells, device_block(d, 256), 8), device_block(d, 256), 0,
                               d->stream, b->j, b->x->potential, b->type, s->dist, b->bad, b->unfit));
done:
    return st;
}

/* They are made. */
template <class K> static nf_status finish_rows(rows_bench<K> *b, rows_side<K> *s)
{
    nf_status st = NF_OK;
    NF_TRY(device_finish(b->d, "all pairs", b->run->rows));
    b->flying = false;
    NF_TRY(device_download(b->d, s->ends, s->end, s->count * sizeof *s->ends));
    NF_TRY(device_download(b->d, &s->unfit, b->unfit, sizeof s->unfit));
    if (b->post.apart != NULL)
        NF_TRY(device_read_clock(b->run));
done:
    return st;
}

/* What a block counted of its row. */
template <class K> struct rows_herald {
    const rows_side<K> *side;
    bool rounded;
};

template <class K> static nf_status tell_row(void *user, uint64_t i, nf__row *row)
{
    const rows_herald<K> *h = static_cast<const rows_herald<K> *>(user);
    row->iterations = h->side->ends[i].rounds;
    row->edges_relaxed = h->side->ends[i].arcs;
    row->overflowed = (h->side->ends[i].flags & ROW_INFINITE) != 0;
    row->rounded = h->rounded;
    return NF_OK;
}

template <class K> static nf_status hand_out(rows_bench<K> *b, const rows_side<K> *s, uint64_t count)
{
    const rows_made made = {s->first, count, s->dist, s->parent};
    rows_herald<K> h = {s, b->x->rounded};
    return courier_deliver(&b->post, &made, "all pairs", tell_row<K>, &h);
}

/* How many rows of the launch are good: up to the first that 32 bits were not enough for. */
template <class K> static nf_status count_good(const rows_bench<K> *b, const rows_side<K> *s, uint64_t *good)
{
    nf_status st = NF_OK;
    unsigned bad = 0;
    for (*good = 0; *good < s->count && (s->ends[*good].flags & ROW_HOT) == 0; ++*good) {}
    if (*good < s->count && sizeof(K) == 8)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance leaves 64 bits"));
    if (b->x->potential != NULL && b->j.s.real)
        NF_TRY(device_download(b->d, &bad, b->bad, sizeof bad));
    if (bad != 0)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance is not finite"));
done:
    return st;
}

/* Rows that fit their type: those before the first distance that does not. */
template <class K> static uint64_t count_fit(const rows_bench<K> *b, const rows_side<K> *s, uint64_t good)
{
    const uint64_t n = b->run->csr.n, fit = s->unfit / n;
    return fit < good ? fit : good;
}

/* What is wrong with the row after them. */
template <class K> static nf_status refuse_unfit(const rows_bench<K> *b, const rows_side<K> *s)
{
    nf_status st = NF_OK;
    const uint64_t n = b->run->csr.n, row = s->unfit / n, v = s->unfit % n;
    int64_t h[2] = {0, 0};
    K key = 0;
    NF_TRY(device_download(b->d, &key, s->label + s->unfit, sizeof key));
    if (b->x->potential != NULL) {
        NF_TRY(device_download(b->d, &h[0], (const int64_t *)b->x->potential + s->first + row, sizeof h[0]));
        NF_TRY(device_download(b->d, &h[1], (const int64_t *)b->x->potential + v, sizeof h[1]));
    }
    NF_TRY(nf__row_unfit(b->run, whole_of(key, b->j.s.zero, h[0], h[1]), (nf_vid)v));
done:
    return st;
}

static void say_rows(const nf__run *run, const row_end *ends, uint64_t count)
{
    uint64_t arcs = 0, rounds = 0, raised = 0;
    for (uint64_t i = 0; i < count; i++) {
        arcs += ends[i].arcs;
        rounds += ends[i].rounds;
        raised += ends[i].raised;
    }
    nf__log(run->ctx, NF_LOG_DEBUG, "rows: %llu in a launch, arcs %llu, rounds %llu, threshold raised %llu times",
            (unsigned long long)count, (unsigned long long)arcs, (unsigned long long)rounds,
            (unsigned long long)raised);
}

/* Rows from *at on; *again: 32 bits were not enough for row *at. */
template <class K> static nf_status make_rows(rows_bench<K> *b, uint64_t *at, bool *again)
{
    nf_status st = NF_OK;
    const unsigned two = b->side[1].label != NULL ? 1 : 0;
    for (unsigned k = 0; *at < b->run->rows && !*again; k = (k + 1) & two) {
        rows_side<K> *s = &b->side[k];
        uint64_t good = 0, fit = 0;
        if (!b->flying)
            NF_TRY(start_rows(b, s, *at));
        NF_TRY(finish_rows(b, s));
        NF_TRY(count_good(b, s, &good));
        say_rows(b->run, s->ends, good);
        fit = count_fit(b, s, good);
        *again = good < s->count;
        if (two != 0 && !*again && fit == good && *at + good < b->run->rows)
            NF_TRY(start_rows(b, &b->side[1 - k], *at + good));
        NF_TRY(hand_out(b, s, fit));
        if (fit < good)
            NF_TRY(refuse_unfit(b, s));
        *at += good;
    }
done:
    return st;
}

/* Rows from *at on with keys K; *again: 32 bits were not enough for row *at. */
template <class K> static nf_status run_keys(nf__run *run, const rows_graph *x, uint64_t *at, bool *again)
{
    nf_status st = NF_OK;
    rows_bench<K> b = {};
    *again = false;
    b.run = run;
    b.x = x;
    b.d = (device *)run->device;
    b.records = sizeof(K) == 4 ? x->records : NULL;
    b.more = b.records != NULL ? b.records->count - run->csr.n : 0;
    b.words = (run->csr.n + b.more + 31) / 32;
    b.block = device_block(b.d, x->threads != 0     ? (x->threads + 31) / 32 * 32
                                : b.records != NULL ? RECORD_THREADS
                                                    : LIST_THREADS);
    b.j.g = x->g;
    b.j.s = sssp_scale<K>(&x->view);
    b.j.bound = sssp_bound<K>(&x->view, b.j.s);
    b.j.delta = x->delta > 0 ? x->delta : sssp_delta(&x->view, DELTA_FACTOR);
    b.j.shared = b.d->shared_device;
    b.type = courier_type(run, !b.j.s.real && courier_can_be_final(run));
    if (x->whole64)
        b.j.s.weights = WEIGHT_WHOLE;
    NF_TRY(allocate(&b, run->rows - *at));
    nf__log(run->ctx, NF_LOG_DEBUG, "rows: %u blocks of %u threads, keys of %u bits, up to %llu rows in a launch, %s%s",
            b.blocks, b.block, (unsigned)sizeof(K) * 8, (unsigned long long)b.batch,
            b.records != NULL ? "over records" : "over lists",
            b.side[1].label != NULL ? ", while others are handed out" : "");
    NF_TRY(make_rows(&b, at, again));
done:
    release(&b);
    return st;
}

nf_status rows_run(nf__run *run, const rows_graph *x)
{
    nf_status st = NF_OK;
    uint64_t at = run->first_row;
    bool again = !sssp_is_narrow(&x->view) || x->whole64;
    if (!again)
        NF_TRY(run_keys<uint32_t>(run, x, &at, &again));
    if (again)
        NF_TRY(run_keys<word64>(run, x, &at, &again));
done:
    return st;
}

/* Records of arcs, if they are asked for, or else are for this graph and there is room for them. Not where weights are
 * negative: others are taken in their place. */
static nf_status take_records(nf__run *run, rows_graph *x)
{
    nf_status st = NF_OK;
    const char *asked = nf__knob_choice(run, "arcs");
    const bool shall = strcmp(asked, "records") == 0;
    const bool may = strcmp(asked, "auto") == 0 && run->stats.degree_mean <= RECORD_MEAN && records_fit(run, true)
                     && device_foresee((device *)run->device, records_bytes(run, true), "records of arcs") == NF_OK;
    if ((shall || may) && run->stats.weight_sign >= 0 && sssp_is_narrow(run))
        NF_TRY(device_graph_records(run, true, &x->records));
done:
    return st;
}

nf_status rows_graph_own(nf__run *run, rows_graph *x)
{
    nf_status st = NF_OK;
    NF_TRY(device_graph_need(run, sssp_parts(run)));
    NF_TRY(take_records(run, x));
    x->g = device_graph_of(run)->out;
    x->view = *run;
    x->delta = nf__knob_number(run, "delta");
    x->threads = (unsigned)nf__knob_number(run, "threads");
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
