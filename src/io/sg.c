/* sg.c - the serialized graphs of the GAP benchmark suite: .sg (unweighted) and .wsg (weights).
 *
 * Layout, little-endian, unaligned: bool directed; int64 arcs; int64 vertices; int64 offsets[n + 1]; arcs as int32
 * targets (.sg) or {int32 target, int32 weight} (.wsg); for a directed graph offsets and arcs of the incoming side
 * follow (Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015). An undirected file holds both arcs of an
 * edge. The incoming side is not looked at.
 *
 * Invariants
 *   S1 the size of the file is exactly what the header's counts call for, known before memory is asked for;
 *   S2 a graph called undirected is symmetric.
 * Cost: O(n + m); writing a directed graph builds its transpose.
 */
#include "io/binary.h"
#include "io/emit.h"
#include "io/output.h"

#define HEADER 17 /* bytes before the offsets */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct sg_header {
    bool directed;
    uint64_t m, n;
    const char *offsets, *arcs;
} sg_header;

static uint64_t load_u64(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* S1. */
static nf_status read_header(const nf__input *in, size_t arc_size, sg_header *h)
{
    if (in->size < HEADER)
        return nf__fail(NF_EFORMAT, "%s: at byte %zu: the file ends inside its header; expected %d bytes", in->name,
                        in->size, HEADER);
    if (in->data[0] != 0 && in->data[0] != 1)
        return nf__fail(NF_EFORMAT, "%s: at byte 0: %d is neither 0 (undirected) nor 1 (directed)", in->name,
                        in->data[0]);
    h->directed = in->data[0] != 0;
    h->m = load_u64(in->data + 1);
    h->n = load_u64(in->data + 9);
    if (h->n > INT32_MAX)
        return nf__fail(NF_EFORMAT, "%s: at byte 9: %lld vertices; expected 0 to %d", in->name, (long long)h->n,
                        INT32_MAX);
    uint64_t sides = h->directed ? 2 : 1, offset_bytes = (h->n + 1) * sizeof(int64_t), arc_bytes = 0, all = 0;
    bool wraps = __builtin_mul_overflow(h->m, (uint64_t)arc_size, &arc_bytes);
    wraps |= __builtin_add_overflow(arc_bytes, offset_bytes, &all);
    wraps |= __builtin_mul_overflow(all, sides, &all);
    wraps |= __builtin_add_overflow(all, (uint64_t)HEADER, &all);
    if (wraps || all != in->size)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte 1: %lld arcs and %lld vertices do not go with "
                        "a file of %zu bytes; it is cut short or "
                        "no .%s file",
                        in->name, (long long)h->m, (long long)h->n, in->size, arc_size == 4 ? "sg" : "wsg");
    h->offsets = in->data + HEADER;
    h->arcs = h->offsets + offset_bytes;
    return NF_OK;
}

/* Takes {target, weight} pairs apart. */
static nf_status split_pairs(nf_context *ctx, const sg_header *h, int32_t **adj, int32_t **w)
{
    nf_status st = NF_OK;
    int threads = nf__threads_for(ctx, h->m);
    NF_TRY_ALLOC(*adj, nf__alloc(nf__context_mem(ctx), h->m, sizeof **adj));
    NF_TRY_ALLOC(*w, nf__alloc(nf__context_mem(ctx), h->m, sizeof **w));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t e = 0; e < h->m; e++) {
        memcpy(*adj + e, h->arcs + e * 8, sizeof **adj);
        memcpy(*w + e, h->arcs + e * 8 + 4, sizeof **w);
    }
done:
    return st;
}

static nf_status read_arcs(nf_context *ctx, const nf__input *in, const nf_read_options *options, bool pairs,
                           const sg_header *h, nf__storage *own, nf_type *type)
{
    nf_status st = NF_OK;
    int32_t *adj = NULL, *w = NULL;
    nf__array offsets = {.element = NF__E_I64, .count = h->n + 1, .data = h->offsets};
    nf__array targets = {.element = NF__E_I32, .count = h->m, .data = h->arcs};
    NF_TRY(nf__array_offsets(ctx, in, &offsets, h->m, own));
    if (pairs) {
        NF_TRY(split_pairs(ctx, h, &adj, &w));
        targets.data = adj;
    }
    NF_TRY(nf__array_targets(ctx, in, &targets, (nf_vid)h->n, &own->adj));
    *type = NF_NONE;
    if (pairs && options->weight_column >= 0) {
        nf__array weights = {.element = NF__E_I32, .count = h->m, .data = w};
        *type = options->weight_type;
        NF_TRY(nf__array_weights(ctx, in, &weights, type, &own->w));
    }
done:
    nf__free(adj);
    nf__free(w);
    return st;
}

static nf_status read_graph(nf_context *ctx, const nf__input *in, const nf_read_options *options, bool pairs,
                            nf_graph **out)
{
    nf_status st = NF_OK;
    sg_header h;
    nf__storage own = {0};
    nf_type type = NF_NONE;
    nf_graph *g = NULL;
    NF_TRY(read_header(in, pairs ? 8 : 4, &h));
    NF_TRY(read_arcs(ctx, in, options, pairs, &h, &own, &type));
    NF_TRY(nf__adopt_named(ctx, in, (nf_vid)h.n, h.m, &own, type, !h.directed, &g));
    if (!h.directed && !nf__is_symmetric(ctx, &g->csr)) {
        st = nf__fail(NF_EFORMAT,
                      "%s: at byte 0: the graph is called undirected, but some arc "
                      "has no reverse",
                      in->name);
        goto done;
    }
    nf__graph_describe(g, pairs ? "wsg" : "sg", "%s as its first byte says%s; a stored 0 is an arc of weight 0.",
                       h.directed ? "Directed" : "Undirected", pairs ? "; whole weights" : "; no weights");
    NF_TRY(nf__apply_directions(ctx, options, &g));
    *out = g, g = NULL;
done:
    nf_graph_free(g);
    nf__free(own.off32);
    nf__free(own.off64);
    nf__free(own.adj);
    nf__free(own.w);
    return st;
}

static nf_status read_sg(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    return read_graph(ctx, in, options, false, out);
}

static nf_status read_wsg(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    return read_graph(ctx, in, options, true, out);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static char *format_offsets(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const nf_csr *csr = arg;
    for (uint64_t v = lo; v < hi; v++, p += sizeof(uint64_t)) {
        uint64_t x = nf__off(csr, (nf_vid)v);
        memcpy(p, &x, sizeof x);
    }
    return p;
}

static char *format_pairs(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const nf_csr *csr = arg;
    for (nf_eid e = lo; e < hi; e++, p += 8) {
        int32_t w = (int32_t)nf__weight_i64(csr, e);
        memcpy(p, &csr->adj[e], sizeof csr->adj[e]);
        memcpy(p + 4, &w, sizeof w);
    }
    return p;
}

static nf_status write_side(nf_context *ctx, const nf_csr *csr, bool pairs, nf__output *out)
{
    nf_status st = NF_OK;
    NF_TRY(nf__emit(ctx, out, (uint64_t)csr->n + 1, sizeof(uint64_t), format_offsets, csr));
    if (pairs)
        NF_TRY(nf__emit(ctx, out, csr->m, 8, format_pairs, csr));
    else
        NF_TRY(nf__emit_bytes(ctx, out, csr->adj, csr->m * sizeof *csr->adj));
done:
    return st;
}

/* The format has 32-bit signed vertices and weights. */
static nf_status check_fits(nf_context *ctx, const nf_csr *csr, bool pairs, const nf__output *out)
{
    const char *name = nf__output_path(out);
    if (csr->n > INT32_MAX)
        return nf__fail(NF_EUNSUPPORTED, "%s: %u vertices; GAP's files hold at most %d", name, csr->n, INT32_MAX);
    if (pairs && nf__is_float(csr->weight_type))
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: .wsg holds whole weights, this graph has %s; read it "
                        "with weight type i32 first",
                        name, nf_type_name(csr->weight_type));
    if (!pairs || csr->weight_type != NF_U32)
        return NF_OK;
    uint64_t large = 0;
    int threads = nf__threads_for(ctx, csr->m);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : large)
    for (nf_eid e = 0; e < csr->m; e++)
        large += nf__weight_i64(csr, e) > INT32_MAX;
    if (large > 0)
        return nf__fail(NF_EUNSUPPORTED, "%s: .wsg holds weights up to %d, %llu arcs of this graph have more", name,
                        INT32_MAX, (unsigned long long)large);
    return NF_OK;
}

static nf_status write_graph(nf_context *ctx, const nf_graph *g, bool pairs, nf__output *out)
{
    nf_status st = NF_OK;
    char header[HEADER];
    nf_csr t;
    NF_TRY(nf__graph_check(ctx, g));
    NF_TRY(check_fits(ctx, &g->csr, pairs, out));
    uint64_t n = g->csr.n, m = g->csr.m;
    header[0] = (char)g->directed;
    memcpy(header + 1, &m, sizeof m);
    memcpy(header + 9, &n, sizeof n);
    NF_TRY(nf__output_write(out, header, sizeof header));
    NF_TRY(write_side(ctx, &g->csr, pairs, out));
    if (g->directed) {
        NF_TRY(nf_graph_transpose_view(ctx, g, &t));
        NF_TRY(write_side(ctx, &t, pairs, out));
    }
done:
    return st;
}

static nf_status write_sg(nf_context *ctx, const nf_graph *g, nf__output *out)
{
    return write_graph(ctx, g, false, out);
}

static nf_status write_wsg(nf_context *ctx, const nf_graph *g, nf__output *out)
{
    return write_graph(ctx, g, true, out);
}

const nf__format nf__format_sg = {
    .info = {.name = "sg",
             .extensions = ".sg",
             .summary = "GAP serialized graph",
             .directed = "as its first byte says",
             .weights = "none",
             .zeros = "no weights are stored",
             .reads = true,
             .writes = true},
    .read = read_sg,
    .write = write_sg,
};

const nf__format nf__format_wsg = {
    .info = {.name = "wsg",
             .extensions = ".wsg",
             .summary = "GAP serialized graph with weights",
             .directed = "as its first byte says",
             .weights = "i32",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .read = read_wsg,
    .write = write_wsg,
};
