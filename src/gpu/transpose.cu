/* transpose.cu - the rows of a graph's transpose, made on the device from those of the graph (device_graph.h).
 *
 * Method: the arcs, in the order of their sources, are sorted by target, stably (device_sort_pairs, over the bits that
 * a vertex has); what travels with a target is the source, the pair (source, weight), or the 64-bit weight. The sorted
 * targets give the offsets by a search for each vertex. All of it in stream order, nothing is waited for.
 *
 * Invariants
 *   T1 rows are those of nf_graph_transpose_view, arc by arc: by source, parallel arcs in the order of the graph;
 *   T2 parts that are there already stay; parts that fail are given back.
 * Cost: a sort for each part, ceil(log2(n) / 8) passes. Scratch for m arcs: transpose_scratch, 20 to 28 bytes an arc.
 */
#include "gpu/device_graph.h"
#include "gpu/primitives.cuh"

namespace SIMT_FLAVOUR
{

#define THREADS 256 /* a block, where the device allows as many */

static __global__ void targets_kernel(const uint2 *__restrict__ pairs, uint64_t m, uint32_t *targets)
{
    const uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m)
        targets[e] = pairs[e].x;
}

/* (source, weight) as one word: the source in its lower half, as it lies in a pair. */
static __global__ void reversed_kernel(const uint2 *__restrict__ pairs, const uint32_t *__restrict__ sources,
                                       uint64_t m, uint64_t *reversed)
{
    const uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m)
        reversed[e] = (uint64_t)pairs[e].y << 32 | sources[e];
}

uint64_t transpose_scratch(uint64_t m, unsigned parts)
{
    const uint64_t value = (parts & (GRAPH_PAIRS | GRAPH_WEIGHTS)) != 0 ? 8 : 4;
    const uint64_t reversed = (parts & GRAPH_PAIRS) != 0 ? 8 : 0;
    return m * (3 * sizeof(uint32_t) + reversed + sizeof(uint32_t) + value); /* the last two: the sort's own */
}

/* What a transpose is made from, and the sorted targets. */
typedef struct transposing {
    device *d;
    const device_csr *out;
    const uint32_t *sources;
    const uint32_t *targets; /* of the graph, or taken from its pairs: then `taken` */
    uint32_t *taken, *sorted;
    int bits;
} transposing;

static nf_status take_targets(transposing *t)
{
    nf_status st = NF_OK;
    device *d = t->d;
    const uint64_t m = t->out->m;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY(device_alloc(d, m, &t->sorted));
    t->targets = t->out->adj;
    if (t->targets == NULL) {
        NF_TRY(device_alloc(d, m, &t->taken));
        if (m != 0)
            NF_TRY_CUDA(d, SIMT_LAUNCH(targets_kernel, device_grid(m, threads, 1), threads, 0, d->stream, t->out->pairs,
                                       m, t->taken));
        t->targets = t->taken;
    }
    while (t->bits < 32 && t->out->n > 1 && (t->out->n - 1) >> t->bits != 0)
        t->bits++;
done:
    return st;
}

/* A part of the transpose: `values`, in the order of the sorted targets; loads of 16 bytes may reach past its end. */
template <typename V> static nf_status sort_part(transposing *t, const V *values, const V **out)
{
    nf_status st = NF_OK;
    V *sorted = NULL;
    NF_TRY(device_alloc(t->d, t->out->m + GRAPH_SLACK / sizeof(V), &sorted));
    NF_TRY(device_sort_pairs(t->d, t->targets, t->sorted, values, sorted, t->out->m, 0, t->bits));
    *out = sorted;
    sorted = NULL;
done:
    device_free(t->d, sorted);
    return st;
}

static nf_status sort_pairs_part(transposing *t, const uint2 **out)
{
    nf_status st = NF_OK;
    device *d = t->d;
    const uint64_t m = t->out->m, *sorted = NULL;
    uint64_t *reversed = NULL;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY(device_alloc(d, m, &reversed));
    if (m != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(reversed_kernel, device_grid(m, threads, 1), threads, 0, d->stream, t->out->pairs,
                                   t->sources, m, reversed));
    NF_TRY(sort_part<uint64_t>(t, reversed, &sorted));
    *out = reinterpret_cast<const uint2 *>(sorted);
done:
    device_free(d, reversed);
    return st;
}

template <typename Off> static nf_status make_offsets(transposing *t, const Off **out)
{
    nf_status st = NF_OK;
    const uint64_t count = (uint64_t)t->out->n + 1;
    Off *offsets = NULL;
    NF_TRY(device_alloc(t->d, count + GRAPH_SLACK / sizeof(Off), &offsets));
    NF_TRY(device_lower_bounds(t->d, t->sorted, t->out->m, NULL, count, offsets));
    *out = offsets;
    offsets = NULL;
done:
    device_free(t->d, offsets);
    return st;
}

nf_status transpose_make(device *d, const device_csr *out, const uint32_t *sources, unsigned parts, device_csr *in)
{
    nf_status st = NF_OK;
    transposing t = {};
    const uint64_t *weight = NULL;
    t.d = d;
    t.out = out;
    t.sources = sources;
    NF_TRY(take_targets(&t));
    if ((parts & GRAPH_PAIRS) != 0 && in->pairs == NULL)
        NF_TRY(sort_pairs_part(&t, &in->pairs));
    if ((parts & GRAPH_WEIGHTS) != 0 && in->weight == NULL) {
        NF_TRY(sort_part<uint64_t>(&t, reinterpret_cast<const uint64_t *>(out->weight), &weight));
        in->weight = reinterpret_cast<const double *>(weight);
    }
    if (in->adj == NULL && ((parts & GRAPH_TARGETS) != 0 || (in->pairs == NULL && in->weight == NULL)))
        NF_TRY(sort_part<uint32_t>(&t, sources, &in->adj));
    if (in->off32 == NULL && in->off64 == NULL) {
        if (out->m <= UINT32_MAX) /* as the host has them */
            NF_TRY(make_offsets<uint32_t>(&t, &in->off32));
        else
            NF_TRY(make_offsets<uint64_t>(&t, &in->off64));
    }
done:
    device_free(d, t.taken);
    device_free(d, t.sorted);
    return st;
}

} /* namespace SIMT_FLAVOUR */
