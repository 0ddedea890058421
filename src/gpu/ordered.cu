/* ordered.cu - pairs of target and weight with every list by weight, the least first (device_graph.h), for searches
 * that know how heavy an arc may be to matter: they read the beginning of a list and leave the rest.
 *
 * Method: arcs are sorted by (row, weight), in one number where that has 32 bits, stably, some rows at a time. How many
 * arcs of a vertex are no heavier than each of a few weights, shares of a sample, is then searched for once and kept in
 * eight bytes.
 *
 * Invariants
 *   O1 a list has the arcs it had, parallel ones too, in the order of their weights; equals stay in their order;
 *   O2 the first ceil(degree * share / 255) arcs of a list include all that are no heavier than that share's weight.
 * Cost: a sort over the bits that rows and weights have, once for a graph. Kept: 8 bytes an arc and 8 a vertex; beside
 * that, while it is made, ordered_scratch: 36 bytes for an arc of a piece (24 where row and weight fit 32 bits
 * together), of which there are PIECES unless a row has more.
 */
#include "gpu/device_graph.h"

#include "gpu/primitives.cuh"

#include <stdlib.h>

namespace SIMT_FLAVOUR
{

#define THREADS 256
#define ARCS_EACH 4u /* a thread of keys_kernel */
#define PIECES 8u
#define SAMPLE 1024u /* weights that cuts are drawn from */

/* Shares of the sample at which lists are cut: a search that pays leaves most of a list. */
static const double cut_shares[CUTS] = {1 / 32., 1 / 16., 3 / 32., 1 / 8., 3 / 16., 1 / 4., 3 / 8., 1 / 2.};

bool order_fits(const nf__run *run)
{
    const nf_type t = run->csr.weight_type;
    return run->csr.m != 0 && (t == NF_I32 || t == NF_U32 || t == NF_F32) && run->stats.weight_min >= 0;
}

/* ---- the sort ---------------------------------------------------------------------------------------------------- */

/* Bits that numbers up to `most` have. */
static int bits_up_to(uint32_t most)
{
    int bits = 0;
    while (bits < 32 && most >> bits != 0)
        bits++;
    return bits;
}

/* The bits of a weight, as pairs have them: as they are not negative, in the order of the weights. */
static uint32_t weight_bits(nf_type type, double w)
{
    const float real = (float)w;
    uint32_t bits = (uint32_t)w;
    if (type == NF_F32)
        memcpy(&bits, &real, sizeof bits);
    return bits;
}

static int row_bits(const nf__run *run)
{
    return bits_up_to(run->csr.n > 1 ? run->csr.n - 1 : 1);
}

static int most_bits(const nf__run *run)
{
    return bits_up_to(weight_bits(run->csr.weight_type, run->stats.weight_max));
}

/* Rows [low, high), whose arcs are [from, to). */
typedef struct piece {
    uint32_t low, high;
    uint64_t from, to;
} piece;

/* A block takes ARCS_EACH arcs a thread: two threads find its first and last row, the others search between these. */
template <class Key>
static __global__ void keys_kernel(const device_csr g, const piece p, int bits, Key *keys, uint32_t *targets)
{
    SIMT_SHARED(uint32_t, bound, 2);
    const uint64_t share = (uint64_t)blockDim.x * ARCS_EACH, first = p.from + blockIdx.x * share;
    const uint64_t end = first + share < p.to ? first + share : p.to;
    if (threadIdx.x < 2)
        bound[threadIdx.x] = csr_row_of(g, threadIdx.x == 0 ? first : end - 1, p.low, p.high);
    __syncthreads();
    for (uint64_t e = first + threadIdx.x; e < end; e += blockDim.x) {
        const uint64_t row = csr_row_of(g, e, bound[0], bound[1] + 1);
        const uint2 x = g.pairs[e];
        keys[e - p.from] = (Key)(row << bits | x.y);
        targets[e - p.from] = x.x;
    }
}

template <class Key>
static __global__ void pairs_kernel(const Key *keys, const uint32_t *targets, uint64_t m, int bits, uint2 *pairs)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; e < m; e += step) {
        const uint2 x = {targets[e], (uint32_t)(keys[e] & (((Key)1 << bits) - 1))};
        pairs[e] = x;
    }
}

template <class Key> static nf_status sort_lists(const nf__run *run, device_graph *g, const piece &p, uint2 *out)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const uint64_t m = p.to - p.from;
    const int bits = most_bits(run);
    const unsigned threads = device_block(d, THREADS), blocks = device_grid(m, threads, ARCS_EACH);
    Key *keys = NULL, *sorted = NULL;
    uint32_t *targets = NULL, *moved = NULL;
    NF_TRY(device_alloc(d, m, &keys));
    NF_TRY(device_alloc(d, m, &targets));
    NF_TRY_CUDA(d, SIMT_LAUNCH(keys_kernel<Key>, blocks, threads, 0, d->stream, g->out, p, bits, keys, targets));
    NF_TRY(device_alloc(d, m, &sorted));
    NF_TRY(device_alloc(d, m, &moved));
    NF_TRY(device_sort_pairs(d, keys, sorted, targets, moved, m, 0, row_bits(run) + bits));
    NF_TRY_CUDA(d, SIMT_LAUNCH(pairs_kernel<Key>, blocks, threads, 0, d->stream, sorted, moved, m, bits, out + p.from));
done:
    device_free(d, keys);
    device_free(d, sorted);
    device_free(d, targets);
    device_free(d, moved);
    return st;
}

static uint64_t offset_of(const nf_csr *g, nf_vid v)
{
    return g->off32 != NULL ? g->off32[v] : g->off64[v];
}

/* The rows from `low` on that have as many arcs as a piece is to have, and one row at least; none at the end. */
static piece piece_from(const nf_csr *g, nf_vid low)
{
    const uint64_t from = offset_of(g, low), to = from + g->m / PIECES + 1;
    nf_vid high = low, end = g->n;
    while (high < end) { /* the last row that begins before `to` */
        const nf_vid middle = high + (end - high + 1) / 2;
        if (middle < g->n && offset_of(g, middle) < to)
            high = middle;
        else
            end = middle - 1;
    }
    const nf_vid next = low < g->n ? high + 1 : low;
    const piece p = {low, next, from, offset_of(g, next)};
    return p;
}

static bool is_short(const nf__run *run)
{
    return row_bits(run) + most_bits(run) <= 32;
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

static int by_bits(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The weights that lists are cut at, from arcs at even distances. */
static void draw_cuts(const nf_csr *g, uint32_t weight[CUTS])
{
    uint32_t seen[SAMPLE];
    for (unsigned i = 0; i < SAMPLE; i++)
        seen[i] = weight_bits(g->weight_type, nf__weight_f64(g, (nf_eid)((double)g->m / SAMPLE * i)));
    qsort(seen, SAMPLE, sizeof *seen, by_bits);
    for (unsigned k = 0; k < CUTS; k++)
        weight[k] = seen[(unsigned)(cut_shares[k] * SAMPLE)];
}

/* Arcs of [begin, end) that are no heavier than `most`. */
static __device__ __forceinline__ uint64_t count_light(const uint2 *pairs, uint64_t begin, uint64_t end, uint32_t most)
{
    uint64_t low = begin, high = end;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (pairs[middle].y <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low - begin;
}

static __global__ void shares_kernel(const device_csr g, device_ordered o, uint2 *shares)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += step) {
        const uint64_t begin = csr_offset(g, (uint32_t)v), end = csr_offset(g, (uint32_t)v + 1), degree = end - begin;
        uint32_t half[2] = {0, 0};
        for (unsigned k = 0; k < CUTS && degree != 0; k++) {
            const uint64_t light = count_light(o.pairs, begin, end, o.weight[k]);
            half[k / 4] |= (uint32_t)((light * 255 + degree - 1) / degree) << k % 4 * 8;
        }
        const uint2 x = {half[0], half[1]};
        shares[v] = x;
    }
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

uint64_t ordered_bytes(const nf__run *run)
{
    return run->csr.m * sizeof(uint2) + (uint64_t)run->csr.n * sizeof(uint2);
}

uint64_t ordered_scratch(const nf__run *run)
{
    const uint64_t most = run->csr.m / PIECES + 1 + run->stats.degree_max;
    return (most < run->csr.m ? most : run->csr.m) * 3 * (is_short(run) ? 8 : 12); /* keys and targets, sorted, and the
                                                                                    * sort's own */
}

static nf_status make(const nf__run *run, device_graph *g, device_ordered *o)
{
    nf_status st = NF_OK;
    device *d = g->d;
    const unsigned threads = device_block(d, THREADS);
    piece p = piece_from(&run->csr, 0);
    uint2 *pairs = NULL, *shares = NULL;
    NF_TRY(device_foresee(d, ordered_bytes(run) + ordered_scratch(run), "lists by weight"));
    NF_TRY(device_alloc(d, g->out.m + GRAPH_SLACK / sizeof *pairs, &pairs));
    NF_TRY(device_alloc(d, g->out.n, &shares));
    for (; p.low < p.high; p = piece_from(&run->csr, p.high))
        if (p.from < p.to)
            NF_TRY(is_short(run) ? sort_lists<uint32_t>(run, g, p, pairs) : sort_lists<uint64_t>(run, g, p, pairs));
    draw_cuts(&run->csr, o->weight);
    o->pairs = pairs;
    NF_TRY_CUDA(d, SIMT_LAUNCH(shares_kernel, device_grid(g->out.n, threads, 1), threads, 0, d->stream, g->out, *o,
                               shares));
    NF_TRY(device_finish(d, "lists by weight", 0));
    o->shares = shares;
    pairs = shares = NULL;
done:
    if (st != NF_OK)
        o->pairs = NULL;
    device_free(d, pairs);
    device_free(d, shares);
    return st;
}

nf_status device_graph_order(nf__run *run, const device_ordered **out)
{
    nf_status st = NF_OK;
    device_graph *g = device_graph_of(run);
    double start = 0;
    NF_TRY(device_graph_need(run, GRAPH_PAIRS));
    start = nf__now_ms();
    if (g->by_weight.pairs == NULL) {
        NF_TRY(make(run, g, &g->by_weight));
        nf__log(run->ctx, NF_LOG_INFO, "lists by weight: %llu bytes, kept, made in %.1f ms",
                (unsigned long long)ordered_bytes(run), nf__now_ms() - start);
    }
    run->upload_ms += nf__now_ms() - start;
    *out = &g->by_weight;
done:
    return st;
}

void ordered_free(device *d, device_ordered *o)
{
    device_free(d, const_cast<uint2 *>(o->pairs));
    device_free(d, const_cast<uint2 *>(o->shares));
    o->pairs = NULL;
}

} /* namespace SIMT_FLAVOUR */
