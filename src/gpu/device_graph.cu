/* device_graph.cu - a graph as the device holds it (device_graph.h).
 *
 * Offsets, targets and weights are uploaded through pinned memory, packed on the way; the list of sources, the
 * transpose (transpose.cu) and the dense matrix are made on the device from what is there.
 *
 * Invariants: G1 .. G3 of device_graph.h.
 * Cost: upload max(packing, bus); sources O(m log(rows of a block)); matrix O(n^2 + m).
 */
#include "gpu/device_graph.h"

#include "gpu/lower.cuh"

namespace SIMT_FLAVOUR
{

#define THREADS 256 /* a block, where the device allows as many */
#define ARCS_EACH 4 /* arcs a thread of sources_kernel writes; a block's share is then searched once for 1,024 arcs */

nf_status device_graph_attach(device *d, const nf_graph *graph, const nf_csr *csr, device_graph **out)
{
    nf_graph_info info = {};
    info.size = sizeof info;
    *out = NULL;
    nf_status st = device_enter(d);
    if (st == NF_OK)
        st = nf_graph_get_info(graph, &info);
    if (st != NF_OK)
        return st;
    device_graph *g = static_cast<device_graph *>(nf__zalloc(nf__context_mem(d->ctx), 1, sizeof(device_graph)));
    if (g == NULL)
        return NF_ENOMEM;
    g->d = d;
    g->graph = graph;
    g->host = *csr;
    g->weight_type = csr->weight_type;
    g->symmetric = !info.directed;
    g->out.n = g->in.n = csr->n;
    g->out.m = g->in.m = csr->m;
    *out = g;
    return NF_OK;
}

static void drop(device *d, const void *p)
{
    device_free(d, const_cast<void *>(p));
}

static void drop_csr(device *d, device_csr *c)
{
    drop(d, c->off32);
    drop(d, c->off64);
    drop(d, c->adj);
    drop(d, c->pairs);
    drop(d, c->weight);
}

void device_graph_detach(device_graph *g)
{
    if (g == NULL)
        return;
    drop_csr(g->d, &g->out);
    if (!g->symmetric)
        drop_csr(g->d, &g->in);
    drop(g->d, g->sources);
    if (!g->symmetric)
        drop(g->d, g->sources_in);
    relabelled_free(g->d, &g->by_degree);
    records_free(g->d, &g->records[0]);
    records_free(g->d, &g->records[1]);
    ordered_free(g->d, &g->by_weight);
    nf__free(g);
}

/* ---- uploading --------------------------------------------------------------------------------------------------- */

/* A block with an image of `source`; it is freed again when the upload fails. */
template <typename T>
static nf_status upload(device *d, uint64_t count, const void *source, nf__pack_fn pack, const T **out)
{
    T *p = NULL;
    nf_status st = device_alloc(d, count + GRAPH_SLACK / sizeof(T), &p);
    if (st == NF_OK)
        st = device_upload(d, p, source, count * sizeof(T), pack);
    if (st != NF_OK)
        device_free(d, p);
    else
        *out = p;
    return st;
}

/* The parts as this graph has them: f64 weights do not fit into pairs, others are there alone. */
static unsigned translate(const device_graph *g, unsigned parts)
{
    if (g->weight_type == NF_F64)
        return (parts & GRAPH_PAIRS) != 0 ? (parts & ~GRAPH_PAIRS) | GRAPH_TARGETS | GRAPH_WEIGHTS : parts;
    return (parts & GRAPH_WEIGHTS) != 0 ? (parts & ~GRAPH_WEIGHTS) | GRAPH_PAIRS : parts;
}

static uint64_t missing_bytes(const device_csr *c, const nf_csr *host, const uint32_t *sources, unsigned parts)
{
    uint64_t bytes = 0;
    if (c->off32 == NULL && c->off64 == NULL)
        bytes += ((uint64_t)host->n + 1) * (host->off32 != NULL ? 4 : 8);
    if ((parts & GRAPH_TARGETS) != 0 && c->adj == NULL)
        bytes += host->m * sizeof(uint32_t);
    if ((parts & GRAPH_PAIRS) != 0 && c->pairs == NULL)
        bytes += host->m * sizeof(uint2);
    if ((parts & GRAPH_WEIGHTS) != 0 && c->weight == NULL)
        bytes += host->m * sizeof(double);
    if ((parts & GRAPH_SOURCES) != 0 && sources == NULL)
        bytes += host->m * sizeof(uint32_t);
    return bytes;
}

/* By the pointers: parts of a graph without arcs have no bytes. */
static bool all_there(const device_csr *c, const uint32_t *sources, unsigned parts)
{
    return (c->off32 != NULL || c->off64 != NULL) && ((parts & GRAPH_TARGETS) == 0 || c->adj != NULL)
           && ((parts & GRAPH_PAIRS) == 0 || c->pairs != NULL) && ((parts & GRAPH_WEIGHTS) == 0 || c->weight != NULL)
           && ((parts & GRAPH_SOURCES) == 0 || sources != NULL);
}

static nf_status upload_parts(device *d, device_csr *c, const nf_csr *host, unsigned parts)
{
    nf_status st = NF_OK;
    if (c->off32 == NULL && c->off64 == NULL) {
        if (host->off32 != NULL)
            NF_TRY(upload(d, (uint64_t)host->n + 1, host->off32, NULL, &c->off32));
        else
            NF_TRY(upload(d, (uint64_t)host->n + 1, host->off64, NULL, &c->off64));
    }
    if ((parts & GRAPH_TARGETS) != 0 && c->adj == NULL)
        NF_TRY(upload(d, host->m, host->adj, NULL, &c->adj));
    if ((parts & GRAPH_PAIRS) != 0 && c->pairs == NULL)
        NF_TRY(upload(d, host->m, host, nf__pack_pairs, &c->pairs));
    if ((parts & GRAPH_WEIGHTS) != 0 && c->weight == NULL)
        NF_TRY(upload(d, host->m, host->weights, NULL, &c->weight));
done:
    return st;
}

/* ---- the row of each arc ----------------------------------------------------------------------------------------- */

/* A block takes ARCS_EACH arcs a thread: two threads find its first and last row, the others search between these. */
static __global__ void sources_kernel(device_csr g, uint32_t *sources)
{
    SIMT_SHARED(uint32_t, bound, 2);
    const uint64_t share = (uint64_t)blockDim.x * ARCS_EACH, first = blockIdx.x * share;
    const uint64_t end = first + share < g.m ? first + share : g.m;
    if (threadIdx.x < 2)
        bound[threadIdx.x] = csr_row_of(g, threadIdx.x == 0 ? first : end - 1, 0, g.n);
    __syncthreads();
    for (uint64_t e = first + threadIdx.x; e < end; e += blockDim.x)
        sources[e] = csr_row_of(g, e, bound[0], bound[1] + 1);
}

nf_status device_csr_sources(device *d, const device_csr *c, const uint32_t **out)
{
    nf_status st = NF_OK;
    uint32_t *sources = NULL;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY(device_alloc(d, c->m, &sources));
    if (c->m != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(sources_kernel, device_grid(c->m, threads, ARCS_EACH), threads, 0, d->stream, *c,
                                   sources));
    *out = sources;
    sources = NULL;
done:
    device_free(d, sources);
    return st;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static nf_status need_sources(device *d, const device_csr *c, unsigned parts, const uint32_t **sources)
{
    return (parts & GRAPH_SOURCES) != 0 && *sources == NULL ? device_csr_sources(d, c, sources) : NF_OK;
}

static nf_status need_out(device_graph *g, unsigned parts)
{
    nf_status st = NF_OK;
    if (all_there(&g->out, g->sources, parts))
        return NF_OK;
    NF_TRY(device_foresee(g->d, missing_bytes(&g->out, &g->host, g->sources, parts), "the graph"));
    NF_TRY(upload_parts(g->d, &g->out, &g->host, parts));
    NF_TRY(need_sources(g->d, &g->out, parts, &g->sources));
    if (g->symmetric) {
        g->in = g->out;
        g->sources_in = g->sources;
    }
done:
    return st;
}

/* What of the graph its transpose is made from: any part has the targets. */
static unsigned parts_for(const device_graph *g, unsigned parts)
{
    const unsigned same = parts & (GRAPH_TARGETS | GRAPH_PAIRS | GRAPH_WEIGHTS);
    const bool has_targets = (same & (GRAPH_TARGETS | GRAPH_PAIRS)) != 0 || g->out.adj != NULL || g->out.pairs != NULL;
    return same | (has_targets ? 0 : GRAPH_TARGETS);
}

/* On the device: NF_EDEVMEM, and parts that are whole or missing, where the memory is too short for it. */
static nf_status make_in(device_graph *g, unsigned parts, uint64_t bytes)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const unsigned from = parts_for(g, parts);
    const uint32_t *sources = g->sources;
    bytes += missing_bytes(&g->out, &g->host, NULL, from) + transpose_scratch(g->host.m, parts);
    NF_TRY(device_foresee(d, bytes, "the transpose"));
    NF_TRY(need_out(g, from));
    if (sources == NULL)
        NF_TRY(device_csr_sources(d, &g->out, &sources));
    NF_TRY(transpose_make(d, &g->out, sources, parts, &g->in));
    g->in_made = true;
done:
    if (sources != g->sources)
        drop(d, sources);
    return st;
}

static nf_status need_in(device_graph *g, unsigned parts)
{
    nf_status st = NF_OK;
    nf_csr host = g->host;
    uint64_t bytes = 0;
    if (all_there(&g->in, g->sources_in, parts))
        return NF_OK;
    bytes = missing_bytes(&g->in, &host, g->sources_in, parts);
    NF_TRY(device_foresee(g->d, bytes, "the graph"));
    if (!all_there(&g->in, NULL, parts & ~GRAPH_SOURCES)) {
        st = make_in(g, parts, bytes);
        if (st == NF_EDEVMEM) {
            NF_TRY(nf_graph_transpose_view(g->d->ctx, g->graph, &host));
            st = upload_parts(g->d, &g->in, &host, parts);
        }
        NF_TRY(st);
    }
    NF_TRY(need_sources(g->d, &g->in, parts, &g->sources_in));
done:
    return st;
}

nf_status device_graph_need(nf__run *run, unsigned parts)
{
    device_graph *g = device_graph_of(run);
    const double start = nf__now_ms();
    nf_status st = device_enter(g->d);
    if (st == NF_OK)
        st = (parts & GRAPH_IN) != 0 && !g->symmetric ? need_in(g, translate(g, parts))
                                                      : need_out(g, translate(g, parts));
    run->upload_ms += nf__now_ms() - start;
    return st;
}

/* ---- order within rows ------------------------------------------------------------------------------------------- */

/* Targets that are less than the one before them in memory, but for those that begin a row: *falls is 0 at the end iff
 * every row ascends. Whatever falls where a row begins is counted by both loops. */
static __global__ void falls_kernel(device_csr g, unsigned long long *falls)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, me = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long count = 0;
    for (uint64_t e = me + 1; e < g.m; e += step)
        count += g.adj[e] < g.adj[e - 1];
    for (uint64_t v = me; v < g.n; v += step) {
        const uint64_t begin = csr_offset(g, (uint32_t)v), end = csr_offset(g, (uint32_t)v + 1);
        count -= begin != 0 && begin != end && g.adj[begin] < g.adj[begin - 1];
    }
    if (count != 0)
        (void)atomicAdd(falls, (unsigned long long)count);
}

static nf_status look_at_order(device_graph *g)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const unsigned threads = device_block(d, THREADS);
    unsigned long long *falls = NULL, host = 0;
    NF_TRY(device_alloc(d, 1, &falls));
    NF_TRY(device_fill_bytes(d, falls, 0, sizeof *falls));
    NF_TRY_CUDA(d, SIMT_LAUNCH(falls_kernel, device_grid(g->out.m > g->out.n ? g->out.m : g->out.n, threads, 16),
                               threads, 0, d->stream, g->out, falls));
    NF_TRY(device_download(d, &host, falls, sizeof host));
    g->ascending = host == 0;
done:
    device_free(d, falls);
    return st;
}

nf_status device_graph_ascending(nf__run *run, bool *yes)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    double start = 0;
    NF_TRY(device_graph_need(run, GRAPH_TARGETS | GRAPH_IN));
    start = nf__now_ms();
    if (!g->order_known && g->symmetric)
        NF_TRY(look_at_order(g));
    else if (!g->order_known)
        g->ascending = true; /* T1 of transpose.cu */
    g->order_known = true;
    run->upload_ms += nf__now_ms() - start;
    *yes = g->ascending;
done:
    return st;
}

/* ---- weights that are whole multiples ---------------------------------------------------------------------------- */

/* Of a weight above 0 that is finite: the exponent of its last bit. */
static __device__ __forceinline__ int last_bit(double x)
{
    const uint64_t bits = (uint64_t)__double_as_longlong(x), low = bits & ((1ull << 52) - 1);
    const int scale = (int)(bits >> 52);
    return scale == 0 ? __ffsll((long long)low) - 1075 : scale + __ffsll((long long)(low | 1ull << 52)) - 1076;
}

#define NO_GRAIN 0x7f7f7f7f /* its bytes are alike; above every exponent */

static __global__ void grain_kernel(device_csr g, nf_type type, int *least)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    int mine = NO_GRAIN;
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < g.m; e += step) {
        const double w = fabs(weight_of<double>(g, type, e));
        const int bit = w > 0 ? last_bit(w) : NO_GRAIN;
        mine = bit < mine ? bit : mine;
    }
    if (mine < simt_load_relaxed(least))
        (void)atomicMin(least, mine);
}

static nf_status look_at_weights(device_graph *g)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const unsigned threads = device_block(d, THREADS);
    int *least = NULL, host = NO_GRAIN;
    NF_TRY(device_alloc(d, 1, &least));
    NF_TRY(device_fill_bytes(d, least, NO_GRAIN & 0xff, sizeof *least));
    NF_TRY_CUDA(d, SIMT_LAUNCH(grain_kernel, device_grid(g->out.m, threads, 16), threads, 0, d->stream, g->out,
                               g->weight_type, least));
    NF_TRY(device_download(d, &host, least, sizeof host));
    g->grain = host == NO_GRAIN ? 0 : host;
done:
    device_free(d, least);
    return st;
}

nf_status device_graph_grain(nf__run *run, int *exponent)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    const double start = nf__now_ms();
    if (!g->grain_known && (g->weight_type == NF_F32 || g->weight_type == NF_F64) && g->out.m != 0) {
        NF_TRY(device_graph_need(run, GRAPH_PAIRS));
        NF_TRY(look_at_weights(g));
        run->upload_ms += nf__now_ms() - start;
    }
    g->grain_known = true;
    *exponent = g->grain;
done:
    return st;
}

/* ---- the dense matrix -------------------------------------------------------------------------------------------- */

template <typename T>
static __global__ void blank_kernel(T *values, uint64_t pitch, uint64_t cells, uint32_t n, T infinity)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    const uint64_t u = i / pitch, v = i % pitch;
    values[i] = u == v && u < n ? T(0) : infinity;
}

/* The weight of arc e; as an integer times `scale`, where it is a float. */
template <typename T>
static __device__ __forceinline__ T scaled_weight(const device_csr &g, nf_type type, double scale, uint64_t e)
{
    if constexpr (T(1) / 2 == 0) /* an integer */
        if (type == NF_F32 || type == NF_F64)
            return (T)(weight_of<double>(g, type, e) * scale);
    return weight_of<T>(g, type, e);
}

template <typename T, typename Bits>
static __global__ void scatter_kernel(device_csr g, const uint32_t *sources, nf_type type, double scale, T *values,
                                      uint64_t pitch)
{
    const uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= g.m)
        return;
    const uint32_t v = g.pairs != NULL ? g.pairs[e].x : g.adj[e];
    lower<T, Bits>(&values[sources[e] * pitch + v], scaled_weight<T>(g, type, scale, e));
}

template <typename T, typename Bits>
static nf_status fill_matrix(const device_graph *g, const void *infinity, double scale, const device_matrix *a)
{
    nf_status st = NF_OK;
    device *d = g->d;
    T *values = static_cast<T *>(a->values);
    const uint64_t cells = a->rows * a->pitch;
    const unsigned threads = device_block(d, THREADS);
    T far;
    memcpy(&far, infinity, sizeof far);
    if (cells != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(blank_kernel<T>, device_grid(cells, threads, 1), threads, 0, d->stream, values,
                                   a->pitch, cells, g->out.n, far));
    if (g->out.m != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH((scatter_kernel<T, Bits>), device_grid(g->out.m, threads, 1), threads, 0, d->stream,
                                   g->out, g->sources, g->weight_type, scale, values, a->pitch));
done:
    return st;
}

typedef nf_status (*matrix_filler)(const device_graph *g, const void *infinity, double scale, const device_matrix *a);

static nf_status make_matrix(nf__run *run, matrix_filler fill, size_t width, const void *infinity, int grain,
                             unsigned tile, device_matrix *out)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    const uint64_t side = ((uint64_t)g->out.n + tile - 1) / tile * tile;
    device_matrix a = {};
    out->values = NULL;
    NF_TRY(device_graph_need(run, GRAPH_PAIRS | GRAPH_SOURCES));
    a.rows = a.pitch = side;
    NF_TRY(device_foresee(g->d, side * side * width, "the matrix"));
    NF_TRY(device_alloc_bytes(g->d, side * side, width, &a.values));
    NF_TRY(fill(g, infinity, ldexp(1.0, -grain), &a));
    *out = a;
    a.values = NULL;
done:
    device_free(g->d, a.values);
    return st;
}

nf_status device_graph_matrix(nf__run *run, nf_type type, const void *infinity, int grain, unsigned tile,
                              device_matrix *out)
{
    const size_t width = nf_type_size(type);
    switch (type) {
    case NF_I32: return make_matrix(run, fill_matrix<int32_t, uint32_t>, width, infinity, grain, tile, out);
    case NF_I64: return make_matrix(run, fill_matrix<int64_t, uint64_t>, width, infinity, grain, tile, out);
    case NF_F32: return make_matrix(run, fill_matrix<float, uint32_t>, width, infinity, grain, tile, out);
    case NF_F64: return make_matrix(run, fill_matrix<double, uint64_t>, width, infinity, grain, tile, out);
    default: return nf__fail(NF_EINTERNAL, "no matrix of type %s", nf_type_name(type));
    }
}

nf_status device_graph_matrix16(nf__run *run, int16_t infinity, int grain, unsigned tile, device_matrix *out)
{
    return make_matrix(run, fill_matrix<int16_t, uint16_t>, sizeof infinity, &infinity, grain, tile, out);
}

} /* namespace SIMT_FLAVOUR */
