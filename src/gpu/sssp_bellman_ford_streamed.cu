/* sssp_bellman_ford_streamed.cu - Bellman-Ford over a graph that stays in the host's memory
 * (`bellman-ford-streamed`, catalogue S4).
 *
 * Method: An, "Parallelization of shortest path algorithms", section IV.A: the list of arcs is cut into pieces; while
 * one piece is relaxed, the next is copied, by a stream of its own, from page-locked memory. The device holds offsets,
 * labels, masks and two pieces; the row of an arc is found by searching the offsets. The graph's own arrays are locked
 * for the run (memory=pinned) or left as they are (memory=pageable, the paper's comparison); arrays that cannot be
 * locked are copied as pageable ones. What the paper does not have: pieces without an arc out of a marked vertex are
 * not copied (skip=0 copies all). Parents come from final labels, breadth first over tight arcs, in the same way.
 * Invariants: S1 to S3 of sweeps.cuh (a later piece of a round may already use what an earlier one lowered), and
 *   P1 a buffer is written only after the host has waited for the relaxation of the piece that was in it;
 *   P2 a piece is relaxed only after its copy (an event between the streams);
 *   P3 a round ends with both streams empty: masks, counters and the next round's pieces are read then.
 * The log tells pieces, bytes, copies that began before the relaxation of the piece before them had ended, the time of
 * copies and of relaxations by the device's clock, and the share of the time that copies took.
 * Cost: O(rounds m) time and bytes at worst; memory on the device: offsets, 8 n for labels (floats of 32 bits: 4 n),
 * the distances, 3 n for masks, two pieces of 4 bytes an arc and the weight's, 4 n if weights are negative, 8 n for
 * parents, 256 KB for trace and state. Nothing of it grows with m but a byte for each piece.
 */
#include "gpu/sweeps.cuh"

namespace SIMT_FLAVOUR
{

#define PIECE_ARCS (1u << 21) /* 16 MiB of targets and weights: a copy takes long beside a launch. Not measured yet */
#define LEAST_PIECE 1024u     /* arcs: below that a launch takes longer than the copy */
#define STREAM_EACH 4u        /* arcs of a thread: the rows of a block's arcs are searched for once */

/* A piece in a buffer. */
typedef struct stream_piece {
    const uint32_t *adj;
    const void *weight; /* NULL: all 1 */
    uint64_t first, count;
} stream_piece;

/* Two buffers on their way. */
typedef struct conveyor {
    char *buffer[2];
    cudaStream_t copies;
    cudaEvent_t from[2], arrived[2], begun[2], done[2]; /* of the copy; of the relaxation */
    bool busy[2];
    uint64_t issued;
} conveyor;

typedef struct streamed {
    uint64_t piece, pieces; /* arcs; how many */
    size_t weight;          /* bytes of one; 0: none */
    void *locked[2];        /* targets and weights, where they could be */
    uint8_t *active;        /* device: pieces with arcs out of marked vertices */
    uint8_t *active_host;
    bool skip;
    conveyor c;
    uint64_t copies, bytes, skipped, early; /* of a row */
    double copy_ms, relax_ms, all_ms;
} streamed;

template <class K> struct stream_method {
    sweep<K> w;
    streamed *x;
};

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void mark_pieces(const device_csr &g, uint64_t v, uint64_t size, uint8_t *active)
{
    const uint64_t begin = csr_offset(g, (uint32_t)v), end = csr_offset(g, (uint32_t)v + 1);
    for (uint64_t p = begin / size; begin != end && p <= (end - 1) / size; p++)
        simt_store_relaxed(&active[p], (uint8_t)1);
}

/* What a round begins with: the leader's part, marks counted, a mask cleared, pieces to copy found. */
template <class K>
static __global__ void survey_kernel(const __grid_constant__ level_search s, const __grid_constant__ sweep<K> w,
                                     unsigned level, uint64_t size, uint8_t *active)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    const sweep_round<K> r = sweep_open(s, w, level);
    unsigned marked = 0;
    if (level_is_leader())
        level_lead(s, level, 0);
    __syncwarp();
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < w.n; v += step) {
        r.after[v] = 0;
        if (r.now[v] == 0)
            continue;
        marked++;
        mark_pieces(s.out, v, size, active);
    }
    __syncwarp();
    level_add(&level_slot_of(s, level + 1)->count[COUNT_FRONTIER], marked);
}

/* The same for a level of the tree. */
static __global__ void survey_tree(const __grid_constant__ level_search s, unsigned level, uint64_t size,
                                   uint8_t *active)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    if (level_is_leader())
        level_lead(s, level, 0);
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < s.out.n; v += step)
        if (s.hop[v] == level)
            mark_pieces(s.out, v, size, active);
}

static __device__ __forceinline__ arc_data piece_arc(const stream_piece &p, int weights, uint64_t i)
{
    const arc_data c = {p.adj[i], weights == WEIGHT_ONE   ? 1
                                  : weights == WEIGHT_F64 ? static_cast<const word64 *>(p.weight)[i]
                                                          : (word64) static_cast<const uint32_t *>(p.weight)[i]};
    return c;
}

/* The rows between which the arcs of the block lie; one chunk a block. All threads. */
static __device__ __forceinline__ void bound_rows(const device_csr &g, const stream_piece &p, uint64_t from,
                                                  uint64_t end, uint32_t *bound)
{
    if (threadIdx.x < 2)
        bound[threadIdx.x] = csr_row_of(g, p.first + (threadIdx.x == 0 ? from : end - 1), 0, g.n);
    __syncthreads();
}

/* Relaxes a piece. */
template <class K>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    relax_piece(const __grid_constant__ level_search s, const __grid_constant__ sweep<K> w, const stream_piece p,
                unsigned level)
{
    SIMT_SHARED(level_share, share, 1);
    SIMT_SHARED(uint32_t, bound, 2);
    const uint64_t many = (uint64_t)blockDim.x * STREAM_EACH, from = blockIdx.x * many;
    const uint64_t end = from + many < p.count ? from + many : p.count;
    sweep_round<K> r = sweep_open(s, w, level);
    unsigned looked = 0;
    level_open(share);
    bound_rows(s.out, p, from, end, bound);
    for (uint64_t i = from + threadIdx.x; i < end; i += blockDim.x) {
        const uint32_t u = csr_row_of(s.out, p.first + i, bound[0], bound[1] + 1);
        looked++;
        if (r.now[u] != 0)
            sweep_push(r, u, simt_load_relaxed(&r.f.label[u]), piece_arc(p, r.f.s.weights, i));
    }
    sweep_close(r, &share->more);
    level_add(&share->more.count[COUNT_CHECKED], looked);
    level_hand(share, level_slot_of(s, level + 1));
}

/* Tight arcs of a piece out of a level. */
template <class K>
static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    grow_piece(const __grid_constant__ level_search s, const __grid_constant__ sweep<K> w, const stream_piece p,
               unsigned level)
{
    SIMT_SHARED(uint32_t, bound, 2);
    const uint64_t many = (uint64_t)blockDim.x * STREAM_EACH, from = blockIdx.x * many;
    const uint64_t end = from + many < p.count ? from + many : p.count;
    unsigned found = 0;
    bound_rows(s.out, p, from, end, bound);
    for (uint64_t i = from + threadIdx.x; i < end; i += blockDim.x) {
        const uint32_t u = csr_row_of(s.out, p.first + i, bound[0], bound[1] + 1);
        const arc_data c = piece_arc(p, w.f.s.weights, i);
        K sum;
        if (simt_load_relaxed(&s.hop[u]) == level && add_weight(w.f.s, w.f.label[u], c.w, &sum) == SUM_OK
            && sum == w.f.label[c.v])
            found |= level_reach(s, u, c.v, level);
    }
    __syncwarp();
    level_found(level_slot_of(s, level + 1), found);
}

/* Sources that nothing else is nearer to. One block. */
template <class K>
static __global__ void root_tree(const __grid_constant__ level_search s, const __grid_constant__ sweep<K> w,
                                 const uint32_t *sources, uint64_t count)
{
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x)
        if (w.f.label[sources[i]] == w.f.s.zero) {
            simt_store_relaxed(&s.hop[sources[i]], 0u);
            simt_store_relaxed(&s.parent[sources[i]], sources[i]);
        }
    if (threadIdx.x == 0)
        s.st->slots[0].found = 1;
}

/* ---- the conveyor ------------------------------------------------------------------------------------------------ */

static nf_status conveyor_open(device *d, conveyor *c, uint64_t bytes)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(d, cudaStreamCreateWithFlags(&c->copies, cudaStreamNonBlocking));
    for (int b = 0; b < 2; b++) {
        NF_TRY(device_alloc(d, bytes, &c->buffer[b]));
        NF_TRY_CUDA(d, cudaEventCreate(&c->from[b]));
        NF_TRY_CUDA(d, cudaEventCreate(&c->arrived[b]));
        NF_TRY_CUDA(d, cudaEventCreate(&c->begun[b]));
        NF_TRY_CUDA(d, cudaEventCreate(&c->done[b]));
    }
    NF_TRY_CUDA(d, cudaStreamSynchronize(d->stream)); /* the buffers are there for the other stream, too */
done:
    return st;
}

static void conveyor_close(device *d, conveyor *c)
{
    if (c->copies != NULL && !d->lost)
        (void)cudaStreamSynchronize(c->copies);
    for (int b = 0; b < 2; b++) {
        cudaEvent_t const events[] = {c->from[b], c->arrived[b], c->begun[b], c->done[b]};
        for (size_t i = 0; i < sizeof events / sizeof *events && !d->lost; i++)
            if (events[i] != NULL)
                (void)cudaEventDestroy(events[i]);
        device_free(d, c->buffer[b]);
    }
    if (c->copies != NULL && !d->lost)
        (void)cudaStreamDestroy(c->copies);
}

/* Waits for the piece in a buffer (P1) and counts its times. */
static nf_status retire(device *d, streamed *x, unsigned b)
{
    nf_status st = NF_OK;
    conveyor *c = &x->c;
    float copy = 0, relax = 0;
    if (!c->busy[b])
        return NF_OK;
    NF_TRY_CUDA(d, cudaEventSynchronize(c->done[b]));
    NF_TRY_CUDA(d, cudaEventElapsedTime(&copy, c->from[b], c->arrived[b]));
    NF_TRY_CUDA(d, cudaEventElapsedTime(&relax, c->begun[b], c->done[b]));
    x->copy_ms += (double)copy;
    x->relax_ms += (double)relax;
    c->busy[b] = false;
done:
    return st;
}

/* Both buffers; did the copy of the later piece begin before the earlier one was done? */
static nf_status retire_pair(device *d, streamed *x, unsigned b)
{
    nf_status st = NF_OK;
    conveyor *c = &x->c;
    const bool both = c->busy[b] && c->busy[1 - b];
    float ahead = 0;
    NF_TRY(retire(d, x, b));
    if (both) {
        NF_TRY_CUDA(d, cudaEventSynchronize(c->from[1 - b]));
        NF_TRY_CUDA(d, cudaEventElapsedTime(&ahead, c->from[1 - b], c->done[b]));
        x->early += ahead > 0;
    }
done:
    return st;
}

/* Piece i into a buffer, on the stream of copies; *p is what lies there then. */
static nf_status send_piece(sweeps *w, streamed *x, uint64_t i, unsigned b, stream_piece *p)
{
    nf_status st = NF_OK;
    device *d = w->l->d;
    conveyor *c = &x->c;
    const nf_csr *g = &w->run->csr;
    const uint64_t first = i * x->piece, count = g->m - first < x->piece ? g->m - first : x->piece;
    char *weights = c->buffer[b] + (x->piece * sizeof(nf_vid) + 15) / 16 * 16;
    NF_TRY_CUDA(d, cudaEventRecord(c->from[b], c->copies));
    NF_TRY_CUDA(d, cudaMemcpyAsync(c->buffer[b], g->adj + first, count * sizeof(nf_vid), cudaMemcpyHostToDevice,
                                   c->copies));
    if (x->weight != 0)
        NF_TRY_CUDA(d, cudaMemcpyAsync(weights, (const char *)g->weights + first * x->weight, count * x->weight,
                                       cudaMemcpyHostToDevice, c->copies));
    NF_TRY_CUDA(d, cudaEventRecord(c->arrived[b], c->copies));
    NF_TRY_CUDA(d, cudaStreamWaitEvent(d->stream, c->arrived[b], 0)); /* P2 */
    p->adj = reinterpret_cast<const uint32_t *>(c->buffer[b]);
    p->weight = x->weight != 0 ? weights : NULL;
    p->first = first;
    p->count = count;
    x->copies++;
    x->bytes += count * (sizeof(nf_vid) + x->weight);
done:
    return st;
}

/* All pieces of a round that are wanted: while one is under the kernel, the next is on its way. */
template <class K>
static nf_status pass_pieces(sweeps *w, streamed *x, const sweep<K> &s,
                             void (*kernel)(const level_search, const sweep<K>, const stream_piece, unsigned),
                             unsigned level)
{
    nf_status st = NF_OK;
    device *d = w->l->d;
    conveyor *c = &x->c;
    stream_piece p = {};
    NF_TRY(device_download(d, x->active_host, x->active, x->pieces));
    for (uint64_t i = 0; i < x->pieces; i++) {
        const unsigned b = c->issued & 1;
        if (x->skip && x->active_host[i] == 0) {
            x->skipped++;
            continue;
        }
        NF_TRY(nf__progress(d->ctx, "sssp", level, 0));
        NF_TRY(retire_pair(d, x, b));
        NF_TRY(send_piece(w, x, i, b, &p));
        NF_TRY_CUDA(d, cudaEventRecord(c->begun[b], d->stream));
        NF_TRY_CUDA(d, SIMT_LAUNCH(kernel, device_grid(p.count, w->l->block, STREAM_EACH), w->l->block, 0, d->stream,
                                   w->l->s, s, p, level));
        NF_TRY_CUDA(d, cudaEventRecord(c->done[b], d->stream));
        c->busy[b] = true;
        c->issued++;
    }
    NF_TRY(retire_pair(d, x, c->issued & 1)); /* P3 */
    NF_TRY(retire(d, x, 1 - (c->issued & 1)));
    NF_TRY(device_finish(d, "sssp", 0));
done:
    return st;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static unsigned survey_grid(const levels *l, uint64_t n)
{
    const unsigned wanted = device_grid(n, l->block, 8), most = (unsigned)l->d->multiprocessors * 4;
    return wanted < most ? wanted : most;
}

/* Rounds until they end or pause, as sweep_rounds asks for them. */
template <class K> static nf_status sweep_go(sweeps *w, const stream_method<K> &m)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    streamed *x = m.x;
    const double start = nf__now_ms();
    unsigned level = l->s.from;
    level_slot now = {};
    NF_TRY(device_download(l->d, &now, &l->s.st->slots[level % 3], sizeof now));
    while (now.found != 0 && now.stop == 0) {
        NF_TRY(device_fill_bytes(l->d, x->active, 0, x->pieces));
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(survey_kernel<K>, survey_grid(l, m.w.n), l->block, 0, l->d->stream, l->s, m.w,
                                      level, x->piece, x->active));
        NF_TRY(pass_pieces<K>(w, x, m.w, relax_piece<K>, level));
        level++;
        NF_TRY(device_download(l->d, &now, &l->s.st->slots[level % 3], sizeof now));
    }
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(sweep_last, 1, 32, 0, l->d->stream, l->s, level));
    NF_TRY(sweep_wait(w));
    x->all_ms += nf__now_ms() - start;
done:
    return st;
}

/* The tree over tight arcs, breadth first: the one that nearfar.h calls deterministic. */
template <class K> static nf_status grow_tree(sweeps *w, streamed *x, const nf__row *row, const sweep<K> &s)
{
    nf_status st = NF_OK;
    levels *l = w->l;
    level_slot now = {};
    l->s.hop = w->out.hop;
    l->s.parent = w->out.parent;
    l->s.least = true;
    l->s.from = 0;
    l->s.most = s.n;
    NF_TRY(device_fill_bytes(l->d, l->s.hop, 0xff, (uint64_t)s.n * 4));
    NF_TRY(device_fill_bytes(l->d, l->s.parent, 0xff, (uint64_t)s.n * 4));
    NF_TRY(device_fill_bytes(l->d, l->s.st, 0, sizeof *l->s.st));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(root_tree<K>, 1, levels_block(l, row->source_count), 0, l->d->stream, l->s, s,
                                  l->sources, row->source_count));
    now.found = 1;
    for (unsigned level = 0; now.found != 0 && now.stop == 0; level++) {
        NF_TRY(device_fill_bytes(l->d, x->active, 0, x->pieces));
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(survey_tree, survey_grid(l, s.n), l->block, 0, l->d->stream, l->s, level,
                                      x->piece, x->active));
        NF_TRY(pass_pieces<K>(w, x, s, grow_piece<K>, level));
        NF_TRY(device_download(l->d, &now, &l->s.st->slots[(level + 1) % 3], sizeof now));
    }
done:
    return st;
}

static void tell(const sweeps *w, const streamed *x)
{
    const bool pinned = x->locked[0] != NULL && (x->weight == 0 || x->locked[1] != NULL);
    const double busy = x->copy_ms + x->relax_ms, hidden = busy > x->all_ms ? busy - x->all_ms : 0;
    nf__log(w->run->ctx, NF_LOG_INFO,
            "sssp streamed: pieces %llu of %llu arcs, memory %s, copies %llu, skipped %llu, early %llu, bytes %llu, "
            "copies ms %.3f, relaxations ms %.3f, of %.3f ms, hidden ms %.3f, transfer share %.1f %%",
            (unsigned long long)x->pieces, (unsigned long long)x->piece, pinned ? "pinned" : "pageable",
            (unsigned long long)x->copies, (unsigned long long)x->skipped, (unsigned long long)x->early,
            (unsigned long long)x->bytes, x->copy_ms, x->relax_ms, x->all_ms, hidden,
            x->all_ms > 0 ? 100 * x->copy_ms / x->all_ms : 0);
}

template <class K> static nf_status run_keys(nf__run *run, nf__row *row, bool *again)
{
    sweeps *w = (sweeps *)run->scratch;
    static const level_words words = {{"pieces"}, {NULL, NULL, NULL, "lowered"}};
    nf_status st = NF_OK;
    streamed *x = (streamed *)w->l->own;
    const stream_method<K> m = {sweep_of<K>(w), x};
    bool give_up = false;
    x->copies = x->bytes = x->skipped = x->early = 0;
    x->copy_ms = x->relax_ms = x->all_ms = 0;
    NF_TRY(sweep_begin(w, row, m.w));
    NF_TRY(sweep_rounds(w, row, m, &give_up));
    NF_TRY(sweep_judge(w, row, sizeof(K) == 4, &words, &give_up, again));
    if (*again)
        return NF_OK;
    tell(w, x);
    if (row->parent != NULL && !give_up)
        NF_TRY(grow_tree<K>(w, x, row, m.w));
    NF_TRY(sweep_hand(w, row, m.w, true, give_up));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Locks an array, which may lie in a file that is mapped for reading; one that cannot be locked is copied as it is. */
static void *lock(device *d, const void *p, uint64_t bytes)
{
    void *const start = const_cast<void *>(p);
    int for_reading = 0;
    if (bytes == 0 || d->lost)
        return NULL;
    if (cudaDeviceGetAttribute(&for_reading, cudaDevAttrHostRegisterReadOnlySupported, d->index) == cudaSuccess
        && cudaHostRegister(start, bytes, for_reading != 0 ? cudaHostRegisterReadOnly : cudaHostRegisterDefault)
               == cudaSuccess)
        return start;
    (void)cudaGetLastError();
    return NULL;
}

/* Two at least; more where PIECE_ARCS, or the memory that is left, are less than half the arcs. */
static nf_status choose_pieces(sweeps *w, streamed *x)
{
    nf_status st = NF_OK;
    const uint64_t m = w->run->csr.m, asked = (uint64_t)nf__knob_number(w->run, "pieces");
    const uint64_t bytes = sizeof(nf_vid) + x->weight;
    x->piece = asked != 0 ? (m + asked - 1) / asked : (m + 1) / 2 < PIECE_ARCS ? (m + 1) / 2 : PIECE_ARCS;
    x->piece = x->piece == 0 ? 1 : x->piece;
    while (device_foresee(w->l->d, 2 * (x->piece * bytes + 1024) + m / x->piece + 1024, "two pieces") != NF_OK) {
        if (x->piece <= LEAST_PIECE)
            NF_TRY(device_foresee(w->l->d, 2 * (x->piece * bytes + 1024) + m / x->piece + 1024,
                                  "a graph of two pieces of its smallest size"));
        x->piece /= 2;
    }
    x->pieces = (m + x->piece - 1) / x->piece;
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    const nf_csr *g = &run->csr;
    sweeps *w = NULL;
    streamed *x = NULL;
    NF_TRY(sweeps_open(run, 0, 0, SWEEPS_MASKS, &w));
    NF_TRY_ALLOC(x, (streamed *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *x));
    w->l->own = x;
    x->weight = g->weight_type == NF_NONE ? 0 : nf_type_size(g->weight_type);
    x->skip = nf__knob_number(run, "skip") != 0;
    NF_TRY(choose_pieces(w, x));
    NF_TRY(levels_alloc(w->l, x->pieces, &x->active));
    NF_TRY_ALLOC(x->active_host, host_alloc<uint8_t>(w->l->d, x->pieces + 1));
    NF_TRY(conveyor_open(w->l->d, &x->c, (x->piece * sizeof(nf_vid) + 15) / 16 * 16 + x->piece * x->weight));
    if (strcmp(nf__knob_choice(run, "memory"), "pinned") == 0) {
        x->locked[0] = lock(w->l->d, g->adj, g->m * sizeof(nf_vid));
        x->locked[1] = lock(w->l->d, g->weights, g->m * x->weight);
    }
done:
    return st;
}

static void end(nf__run *run)
{
    sweeps *w = (sweeps *)run->scratch;
    streamed *x = w != NULL && w->l != NULL ? (streamed *)w->l->own : NULL;
    if (x != NULL) {
        conveyor_close(w->l->d, &x->c);
        for (int k = 0; k < 2; k++)
            if (x->locked[k] != NULL && !w->l->d->lost)
                (void)cudaHostUnregister(x->locked[k]);
        nf__free(x->active_host);
    }
    sweeps_end(run);
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    return sssp_row(run, row, &((sweeps *)run->scratch)->wide, run_keys<uint32_t>, run_keys<word64>);
}

static const nf_knob_info knobs[] = {
    {"pieces", "how many the arcs are cut into; 0: two, more where memory is short or the graph large", NF_KNOB_INT,
     "0", 0, 65536, NULL},
    {"memory", "what copies come from: the graph's arrays, page-locked for the run or as they are", NF_KNOB_CHOICE,
     "pinned", 0, 0, "pinned pageable"},
    {"skip", "pieces without an arc to relax are not copied", NF_KNOB_INT, "1", 0, 1, NULL},
};

extern const nf__algorithm sssp_bellman_ford_streamed = {
    .info = {.name = "bellman-ford-streamed",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "the graph stays on the host; pieces of it are copied while others are relaxed",
             .paper = "An",
             .memory =
                 "on the device 19 n (distances f32: 11 n) and offsets; parents 8 n, negative weights 4 n more; two "
                 "pieces of arcs, at most 32 MiB (weights f64: 48 MiB), less where memory is short",
             .flags = NF_ALG_NEGATIVE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
