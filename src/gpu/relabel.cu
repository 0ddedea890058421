/* relabel.cu - a copy of a graph whose vertices are numbered by degree, made on the device, and results carried back
 * (device_graph.h).
 *
 * Vertices are sorted by the number of their arcs, in and out, the most first and equals in the graph's order; those
 * without arcs come last, so that sweeps over vertices end before them. The words and labels that searches touch most
 * then lie together. Rows are copied in the new order, and the transpose of that copy (transpose.cu) has its rows in
 * order too: who looks for any parent meets the largest first. Undirected graphs keep the transpose alone, which is the
 * graph itself in order.
 * Deterministic parents are those of the graph's own numbers: they are found afterwards, from the hops, among its own
 * incoming arcs.
 *
 * Invariants
 *   R1 order and rank are inverse to each other; vertices [0, reach) of the copy have arcs, the others none;
 *   R2 it is made once for each (context, graph), and goes with the attachment; a failure leaves nothing behind.
 * Cost: a sort of n pairs and one of m, 4 passes over arcs, one number to the host. Kept: 8 n bytes, offsets and 4 m;
 * for directed graphs offsets and 4 m twice. Scratch: 16 n and 24 m bytes. Back: 12 n bytes a row, at random; least
 * parents 4 bytes of targets and a sector of hops for each arc looked at, at most m.
 */
#include "gpu/device_graph.h"
#include "gpu/primitives.cuh"

namespace SIMT_FLAVOUR
{

#define THREADS 256      /* a block, where the device allows as many */
#define OWN_ARCS 16      /* of a list, which a lane looks at by itself before its warp does */
#define NONE 0xffffffffu /* no vertex, no hop; the key of a vertex without arcs */

/* ---- making ------------------------------------------------------------------------------------------------------ */

static __global__ void count_incoming(device_csr g, uint32_t *count)
{
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < g.m; e += (uint64_t)gridDim.x * blockDim.x)
        (void)atomicAdd(&count[g.adj[e]], 1u);
}

/* Keys that ascend as degrees fall. `incoming` NULL: the graph is its own transpose. */
static __global__ void make_keys(device_csr g, const uint32_t *incoming, uint32_t *keys, uint32_t *vertices)
{
    const uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n)
        return;
    const uint64_t degree =
        csr_offset(g, (uint32_t)v + 1) - csr_offset(g, (uint32_t)v) + (incoming != NULL ? incoming[v] : 0);
    keys[v] = NONE - (uint32_t)(degree < NONE ? degree : NONE);
    vertices[v] = (uint32_t)v;
}

/* rank, the degrees of the copy's rows (n + 1 places, the last 0), and where vertices without arcs begin. */
static __global__ void make_rank(device_csr g, const uint32_t *keys, const uint32_t *order, uint32_t *rank,
                                 uint32_t *degree, uint32_t *reach)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i > g.n)
        return;
    const uint32_t v = i < g.n ? order[i] : 0;
    degree[i] = i < g.n ? (uint32_t)(csr_offset(g, v + 1) - csr_offset(g, v)) : 0;
    if (i == g.n)
        return;
    rank[v] = (uint32_t)i;
    if (keys[i] != NONE && (i + 1 == g.n || keys[i + 1] == NONE))
        *reach = (uint32_t)i + 1;
}

/* The targets of the copy, `rows` being the row of each of its arcs. */
static __global__ void copy_targets(device_csr g, device_csr copy, const uint32_t *rows, const uint32_t *order,
                                    const uint32_t *rank, uint32_t *adj)
{
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < g.m; e += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t row = rows[e];
        adj[e] = rank[g.adj[csr_offset(g, order[row]) + (e - csr_offset(copy, row))]];
    }
}

/* What is on its way. */
typedef struct relabelling {
    device *d;
    const device_csr *g;
    bool symmetric;
    device_relabelled r;
    uint32_t *keys, *sorted, *vertices, *degree, *reach;
    const uint32_t *rows;
} relabelling;

static void drop(device *d, const void *p)
{
    device_free(d, const_cast<void *>(p));
}

static void drop_csr(device *d, const device_csr *c)
{
    drop(d, c->off32);
    drop(d, c->off64);
    drop(d, c->adj);
}

void relabelled_free(device *d, device_relabelled *r)
{
    drop_csr(d, &r->out);
    if (r->in.adj != r->out.adj)
        drop_csr(d, &r->in);
    drop(d, r->order);
    drop(d, r->rank);
    memset(r, 0, sizeof *r);
}

/* order, rank, the degrees of rows, reach. */
static nf_status sort_vertices(relabelling *x)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const uint64_t n = x->g->n;
    const unsigned threads = device_block(d, THREADS);
    uint32_t *order = NULL, *rank = NULL;
    NF_TRY(device_alloc(d, n + 1, &x->degree));
    NF_TRY(device_alloc(d, n, &x->keys));
    NF_TRY(device_alloc(d, n, &x->sorted));
    NF_TRY(device_alloc(d, n, &x->vertices));
    NF_TRY(device_alloc(d, 1, &x->reach));
    NF_TRY(device_alloc(d, n, &order));
    x->r.order = order;
    NF_TRY(device_alloc(d, n, &rank));
    x->r.rank = rank;
    NF_TRY(device_fill_bytes(d, x->reach, 0, sizeof *x->reach));
    if (!x->symmetric) {
        NF_TRY(device_fill_bytes(d, x->degree, 0, n * sizeof *x->degree));
        NF_TRY_CUDA(d, SIMT_LAUNCH(count_incoming, device_grid(x->g->m, threads, 4), threads, 0, d->stream, *x->g,
                                   x->degree));
    }
    NF_TRY_CUDA(d, SIMT_LAUNCH(make_keys, device_grid(n, threads, 1), threads, 0, d->stream, *x->g,
                               x->symmetric ? NULL : x->degree, x->keys, x->vertices));
    NF_TRY(device_sort_pairs(d, x->keys, x->sorted, x->vertices, order, n, 0, 32));
    NF_TRY_CUDA(d, SIMT_LAUNCH(make_rank, device_grid(n + 1, threads, 1), threads, 0, d->stream, *x->g, x->sorted,
                               order, rank, x->degree, x->reach));
    NF_TRY(device_download(d, &x->r.reach, x->reach, sizeof x->r.reach));
done:
    return st;
}

template <typename Off> static nf_status scan_degrees(relabelling *x, const Off **out)
{
    nf_status st = NF_OK;
    const uint64_t count = (uint64_t)x->g->n + 1;
    Off *offsets = NULL;
    NF_TRY(device_alloc(x->d, count + GRAPH_SLACK / sizeof(Off), &offsets));
    *out = offsets;
    NF_TRY(device_scan(x->d, x->degree, offsets, count));
done:
    return st;
}

/* The rows of the copy, and their transpose. */
static nf_status copy_rows(relabelling *x)
{
    nf_status st = NF_OK;
    device *d = x->d;
    device_csr *out = &x->r.out, *in = &x->r.in;
    const unsigned threads = device_block(d, THREADS);
    uint32_t *adj = NULL;
    out->n = in->n = x->g->n;
    out->m = in->m = x->g->m;
    if (x->g->off32 != NULL)
        NF_TRY(scan_degrees(x, &out->off32));
    else
        NF_TRY(scan_degrees(x, &out->off64));
    NF_TRY(device_alloc(d, out->m + GRAPH_SLACK / sizeof *adj, &adj));
    out->adj = adj;
    NF_TRY(device_csr_sources(d, out, &x->rows));
    NF_TRY_CUDA(d, SIMT_LAUNCH(copy_targets, device_grid(out->m, threads, 4), threads, 0, d->stream, *x->g, *out,
                               x->rows, x->r.order, x->r.rank, adj));
    NF_TRY(transpose_make(d, out, x->rows, GRAPH_TARGETS, in));
    if (x->symmetric) {
        drop_csr(d, out);
        *out = *in;
    }
done:
    return st;
}

static uint64_t bytes_for(const device_csr *g)
{
    const uint64_t offsets = ((uint64_t)g->n + 1) * (g->off32 != NULL ? 4 : 8);
    return (uint64_t)g->n * 24 + 2 * offsets + g->m * 12 + transpose_scratch(g->m, GRAPH_TARGETS);
}

static nf_status make(device_graph *g)
{
    nf_status st = NF_OK;
    relabelling x = {};
    x.d = g->d;
    x.g = &g->out;
    x.symmetric = g->symmetric;
    NF_TRY(device_foresee(x.d, bytes_for(x.g), "the graph numbered by degree"));
    NF_TRY(sort_vertices(&x));
    NF_TRY(copy_rows(&x));
    g->by_degree = x.r;
    g->by_degree.made = true;
    memset(&x.r, 0, sizeof x.r);
done:
    drop(x.d, x.keys);
    drop(x.d, x.sorted);
    drop(x.d, x.vertices);
    drop(x.d, x.degree);
    drop(x.d, x.reach);
    drop(x.d, x.rows);
    relabelled_free(x.d, &x.r);
    return st;
}

nf_status device_graph_relabel(nf__run *run, const device_relabelled **out)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    double start = 0;
    if (run->stats.degree_max > UINT32_MAX)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "a vertex with %llu arcs cannot be numbered by degree",
                        (unsigned long long)run->stats.degree_max));
    NF_TRY(device_graph_need(run, GRAPH_TARGETS));
    start = nf__now_ms();
    if (!g->by_degree.made) {
        NF_TRY(make(g));
        nf__log(run->ctx, NF_LOG_INFO, "the graph numbered by degree: %u of %u vertices have arcs; %llu bytes, kept",
                g->by_degree.reach, g->out.n,
                (unsigned long long)((uint64_t)g->out.n * 8
                                     + (g->symmetric ? 1u : 2u) * (g->out.m * 4 + ((uint64_t)g->out.n + 1) * 4)));
    }
    run->upload_ms += nf__now_ms() - start;
    *out = &g->by_degree;
done:
    return st;
}

/* ---- back -------------------------------------------------------------------------------------------------------- */

static __global__ void carry_back(uint32_t n, const uint32_t *rank, const uint32_t *order, const uint32_t *hop,
                                  const uint32_t *parent, uint32_t *hop_out, uint32_t *parent_out)
{
    const uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const uint32_t i = rank[v], p = parent != NULL ? parent[i] : NONE;
    hop_out[v] = hop[i];
    if (parent != NULL)
        parent_out[v] = p != NONE ? order[p] : NONE;
}

/* The least of [from, to) that is one hop nearer than `hop`, by the whole warp. */
static __device__ __forceinline__ uint32_t least_together(const device_csr &in, const uint32_t *hops, bool whole,
                                                          uint64_t from, uint64_t to, uint32_t hop, unsigned *looked)
{
    uint32_t best = NONE;
    for (uint64_t e = from; e < to && (best == NONE || whole); e += 32) {
        const uint32_t u = e + simt_lane() < to ? __ldg(&in.adj[e + simt_lane()]) : NONE;
        const uint32_t least = simt_reduce_min(WARP_ALL, u != NONE && hops[u] + 1 == hop ? u : NONE);
        best = least < best ? least : best;
        *looked += u != NONE;
    }
    return best;
}

/* Where `whole` is false, incoming arcs ascend: the first is the least. A warp has 32 vertices. */
static __global__ void least_parents(device_csr in, const uint32_t *hops, bool whole, uint32_t *parent,
                                     unsigned long long *arcs)
{
    unsigned looked = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < in.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t v = base + simt_lane();
        const uint32_t hop = v < in.n ? hops[v] : NONE;
        const bool open = hop != NONE && hop != 0;
        uint64_t e = open ? csr_offset(in, (uint32_t)v) : 0;
        const uint64_t end = open ? csr_offset(in, (uint32_t)v + 1) : 0, own = end - e < OWN_ARCS ? end : e + OWN_ARCS;
        uint32_t best = hop == 0 ? (uint32_t)v : NONE;
        while (e < own && (best == NONE || whole)) {
            const uint32_t u = __ldg(&in.adj[e++]);
            best = hops[u] + 1 == hop && u < best ? u : best;
            looked++;
        }
        __syncwarp();
        unsigned rest = __ballot_sync(WARP_ALL, e < end && (best == NONE || whole));
        for (; rest != 0; rest &= rest - 1) {
            const int owner = __ffs((int)rest) - 1;
            const uint64_t from = __shfl_sync(WARP_ALL, e, owner), to = __shfl_sync(WARP_ALL, end, owner);
            const uint32_t wanted = __shfl_sync(WARP_ALL, hop, owner);
            const uint32_t other = least_together(in, hops, whole, from, to, wanted, &looked);
            if ((int)simt_lane() == owner)
                best = other < best ? other : best;
        }
        if (v < in.n)
            parent[v] = best;
    }
    looked = simt_reduce_add(WARP_ALL, looked);
    if (simt_lane() == 0 && looked != 0)
        (void)atomicAdd(arcs, (unsigned long long)looked);
}

nf_status relabelled_back(device *d, const device_relabelled *r, const uint32_t *hop, const uint32_t *parent,
                          uint32_t *hop_out, uint32_t *parent_out)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY_CUDA(d, SIMT_LAUNCH(carry_back, device_grid(r->out.n, threads, 1), threads, 0, d->stream, r->out.n, r->rank,
                               r->order, hop, parent, hop_out, parent_out));
done:
    return st;
}

nf_status device_least_parents(device *d, const device_csr *in, bool ascending, const uint32_t *hop, uint32_t *parent,
                               unsigned long long *arcs)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY_CUDA(d, SIMT_LAUNCH(least_parents, device_grid(in->n, threads, 1), threads, 0, d->stream, *in, hop,
                               !ascending, parent, arcs));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
