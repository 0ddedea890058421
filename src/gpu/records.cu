/* records.cu - the arcs of a graph in records of four (device_graph.h), for searches that wait for latency alone.
 *
 * Whoever knows a vertex knows where its first arcs are, so they can be asked for together with its label, before it is
 * known whether they will be needed: one trip to memory where offsets and a list take two more.
 *
 * Invariants
 *   A1 record v < n begins the list of v. Up to four arcs are all there; of more, three, and the fourth place links to
 *      a tree of records over the rest, whose leaves hold four arcs each and whose other records four links;
 *   A2 every record but the first n has one link to it; records of a list follow each other;
 *   A3 places that are left over are RECORD_NONE, and come last in their record.
 * Cost: 16 bytes a record (32 with weights; 4 more for those that are not the first), n of them and about a third of
 * the arcs beyond three of long lists; two passes over the vertices, one thread for each.
 */
#include "gpu/device_graph.h"

#include "gpu/primitives.cuh"

namespace SIMT_FLAVOUR
{

#define THREADS 256
enum { EACH = 4, FIRST = EACH - 1 };

/* ---- how many ---------------------------------------------------------------------------------------------------- */

/* Records of a list beside its first (A1). */
static __host__ __device__ __forceinline__ uint64_t more_records(uint64_t degree)
{
    uint64_t many = degree > EACH ? (degree - FIRST + EACH - 1) / EACH : 0, sum = many;
    for (; many > 1; sum += many)
        many = (many + EACH - 1) / EACH;
    return sum;
}

static __global__ void count_kernel(const device_csr g, uint32_t *count)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v <= g.n; v += (uint64_t)gridDim.x * blockDim.x)
        count[v] = v < g.n ? (uint32_t)more_records(csr_offset(g, (uint32_t)v + 1) - csr_offset(g, (uint32_t)v)) : 0;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* Up to `many` arcs from e on, as the first places of a record. */
static __device__ __forceinline__ void put_arcs(const device_csr &g, record_quad *to, uint64_t e, unsigned many,
                                                bool weighted)
{
    record_quad t, w;
    for (unsigned k = 0; k < EACH; k++) {
        t.v[k] = k >= many ? RECORD_NONE : g.adj != NULL ? g.adj[e + k] : g.pairs[e + k].x;
        w.v[k] = weighted && k < many ? g.pairs != NULL ? g.pairs[e + k].y : 1u : 0u;
    }
    to[0] = t;
    if (weighted)
        to[1] = w;
}

static __device__ __forceinline__ void put_links(record_quad *to, uint64_t first, unsigned many, bool weighted)
{
    record_quad t, w;
    for (unsigned k = 0; k < EACH; k++) {
        t.v[k] = k < many ? RECORD_LINK | (uint32_t)(first + k) : RECORD_NONE;
        w.v[k] = 0;
    }
    to[0] = t;
    if (weighted)
        to[1] = w;
}

/* The tree over the arcs from e to `end`, in records from `at` on; its root. */
static __device__ __forceinline__ uint64_t put_tree(const device_csr &g, record_quad *quads, uint64_t e, uint64_t end,
                                                    uint64_t at, bool weighted)
{
    const unsigned wide = weighted ? 2 : 1;
    uint64_t many = (end - e + EACH - 1) / EACH;
    for (uint64_t k = 0; k < many; k++, e += EACH)
        put_arcs(g, &quads[(at + k) * wide], e, end - e < EACH ? (unsigned)(end - e) : (unsigned)EACH, weighted);
    while (many > 1) {
        const uint64_t above = (many + EACH - 1) / EACH, from = at;
        at += many;
        for (uint64_t k = 0; k < above; k++) {
            const uint64_t left = many - k * EACH;
            put_links(&quads[(at + k) * wide], from + k * EACH, left < EACH ? (unsigned)left : (unsigned)EACH,
                      weighted);
        }
        many = above;
    }
    return at;
}

/* before: of the vertices in turn, the records of their lists that are not their first; or NULL if there are none. */
static __global__ void fill_kernel(const device_csr g, const uint32_t *before, record_quad *quads, uint32_t *owners,
                                   bool weighted)
{
    const unsigned wide = weighted ? 2 : 1;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t e = csr_offset(g, (uint32_t)v), end = csr_offset(g, (uint32_t)v + 1), degree = end - e;
        put_arcs(g, &quads[v * wide], e, degree <= EACH ? (unsigned)degree : (unsigned)FIRST, weighted);
        if (degree > EACH) {
            const uint64_t root = put_tree(g, quads, e + FIRST, end, (uint64_t)g.n + before[v], weighted);
            quads[v * wide].v[FIRST] = RECORD_LINK | (uint32_t)root;
            for (uint32_t k = before[v]; k < before[v + 1]; k++)
                owners[k] = (uint32_t)v;
        }
    }
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

bool records_fit(const nf__run *run, bool weighted)
{
    const bool wide = weighted && run->csr.weight_type == NF_F64;
    return !wide && (uint64_t)run->csr.n + run->csr.m < RECORD_LINK; /* more_records is below the degree */
}

uint64_t records_bytes(const nf__run *run, bool weighted)
{
    const uint64_t n = run->csr.n, rest = run->stats.degree_max > EACH ? run->csr.m / 2 : 0;
    return (n + rest) * sizeof(record_quad) * (weighted ? 2 : 1) + (rest != 0 ? n + 1 + rest : 0) * sizeof(uint32_t);
}

static nf_status make(device_graph *g, bool weighted, bool long_lists, device_records *r)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const unsigned threads = device_block(d, THREADS);
    const uint64_t n = g->out.n;
    uint32_t *before = NULL, *owners = NULL, more = 0;
    record_quad *quads = NULL;
    if (long_lists) {
        NF_TRY(device_alloc(d, n + 1, &before));
        NF_TRY_CUDA(d,
                    SIMT_LAUNCH(count_kernel, device_grid(n + 1, threads, 1), threads, 0, d->stream, g->out, before));
        NF_TRY(device_scan(d, before, before, n + 1));
        NF_TRY(device_download(d, &more, before + n, sizeof more));
    }
    NF_TRY(
        device_foresee(d, (n + more) * sizeof *quads * (weighted ? 2 : 1) + more * sizeof *owners, "records of arcs"));
    if (more != 0)
        NF_TRY(device_alloc(d, more, &owners));
    NF_TRY(device_alloc(d, (n + more) * (weighted ? 2 : 1), &quads));
    if (n != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(fill_kernel, device_grid(n, threads, 1), threads, 0, d->stream, g->out, before,
                                   quads, owners, weighted));
    NF_TRY(device_finish(d, "records of arcs", 0));
    r->quads = quads;
    r->count = n + more;
    r->owners = owners;
    r->weighted = weighted;
    quads = NULL;
    owners = NULL;
done:
    device_free(d, before);
    device_free(d, owners);
    device_free(d, quads);
    return st;
}

nf_status device_graph_records(nf__run *run, bool weighted, const device_records **out)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    device_records *r = &g->records[weighted];
    double start = 0;
    if (!records_fit(run, weighted))
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "a graph of %u vertices, %llu arcs and %s weights has no records of arcs",
                        g->out.n, (unsigned long long)g->out.m, weighted ? nf_type_name(g->weight_type) : "no"));
    NF_TRY(device_graph_need(run, weighted && g->weight_type != NF_NONE ? GRAPH_PAIRS : GRAPH_TARGETS));
    start = nf__now_ms();
    if (r->quads == NULL) {
        NF_TRY(make(g, weighted, run->stats.degree_max > EACH, r));
        nf__log(run->ctx, NF_LOG_INFO, "arcs in records of four: %llu records, %llu bytes, kept",
                (unsigned long long)r->count,
                (unsigned long long)(r->count * sizeof(record_quad) * (weighted ? 2 : 1)));
    }
    run->upload_ms += nf__now_ms() - start;
    *out = r;
done:
    return st;
}

void records_free(device *d, device_records *r)
{
    device_free(d, const_cast<record_quad *>(r->quads));
    device_free(d, const_cast<uint32_t *>(r->owners));
    r->quads = NULL;
}

} /* namespace SIMT_FLAVOUR */
