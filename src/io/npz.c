/* npz.c - sparse matrices as scipy.sparse.save_npz writes them: CSR, and CSC and COO read as well.
 *
 * Entry (i, j) is the arc i -> j, a stored zero an arc of weight 0. The members are .npy arrays: format, shape,
 * data, and indices with indptr, or row with col. Written files are CSR, uncompressed, with 32-bit indices where
 * these suffice, as SciPy chooses.
 *
 * Invariants
 *   Q1 arrays have the lengths that shape and indptr call for before anything is copied;
 *   Q2 the number of vertices of a COO matrix is held against the input's size (CSR and CSC list their offsets).
 * Cost: O(n + m), the arrays are copied once into the graph's own types.
 */

#include "io/binary.h"
#include "io/box.h"
#include "io/emit.h"
#include "io/npy.h"
#include "io/zip.h"
#include "io/packers.h"

#define VERTICES_FREE ((uint64_t)1 << 20) /* Q2 */
#define VERTICES_A_BYTE 1024

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A loaded matrix: the arrays of the file, before any conversion. */
typedef struct matrix {
    char format[4];
    uint64_t n, m;
    nf__member member[5];
    nf__npy shape, data, first, second; /* indptr and indices, or row and col */
} matrix;

static void matrix_free(matrix *x)
{
    for (size_t i = 0; i < sizeof x->member / sizeof x->member[0]; i++)
        nf__member_free(&x->member[i]);
}

static nf_status load_array(nf_context *ctx, const nf__zip *zip, const char *name, uint64_t max_bytes,
                            nf__member *member, nf__npy *npy)
{
    nf_status st = NF_OK;
    bool found = false;
    char label[512];
    NF_TRY(nf__zip_load(ctx, zip, name, max_bytes, member, &found));
    if (!found)
        return nf__fail(NF_EFORMAT,
                        "%s: there is no member %s; expected a matrix as "
                        "scipy.sparse.save_npz writes it",
                        zip->in->name, name);
    snprintf(label, sizeof label, "%s: %s", zip->in->name, name);
    NF_TRY(nf__npy_parse(label, member->data, member->size, npy));
done:
    return st;
}

static nf_status load_format(nf_context *ctx, const nf__zip *zip, matrix *x)
{
    nf_status st = NF_OK;
    nf__npy npy;
    NF_TRY(load_array(ctx, zip, "format.npy", 0, &x->member[0], &npy));
    size_t stride = npy.text_kind == 'U' ? 4 : 1;
    if (npy.text_kind == 0 || npy.text_width != 3 || npy.dims != 0)
        return nf__fail(NF_EFORMAT, "%s: format.npy: expected the text csr, csc or coo", zip->in->name);
    for (size_t i = 0; i < 3; i++)
        x->format[i] = npy.data[i * stride];
    if (strcmp(x->format, "csr") != 0 && strcmp(x->format, "csc") != 0 && strcmp(x->format, "coo") != 0)
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: a matrix in another sparse format; save it as CSR "
                        "(matrix.tocsr())",
                        zip->in->name);
done:
    return st;
}

static nf_status read_shape(nf_context *ctx, const nf__input *in, matrix *x)
{
    uint64_t shape[2];
    const nf__npy *npy = &x->shape;
    if (npy->text_kind != 0 || npy->dims != 1 || npy->array.count != 2
        || nf__array_convert(ctx, &npy->array, NF_U64, shape) < 2)
        return nf__fail(NF_EFORMAT, "%s: shape.npy: expected two counts", in->name);
    if (shape[0] != shape[1] || shape[0] >= NF_NO_VERTEX)
        return nf__fail(NF_EFORMAT,
                        "%s: shape.npy: a matrix of %llu x %llu; expected a square "
                        "one with fewer than %u rows",
                        in->name, (unsigned long long)shape[0], (unsigned long long)shape[1], NF_NO_VERTEX);
    x->n = shape[0];
    return NF_OK;
}

static bool is_list(const nf__npy *npy, uint64_t least)
{
    return npy->text_kind == 0 && npy->dims == 1 && npy->array.count >= least;
}

/* Q1, Q2. SciPy allows arrays longer than the matrix uses; the rest of them is cut off. */
static nf_status check_lengths(nf_context *ctx, const nf__input *in, matrix *x)
{
    bool coo = strcmp(x->format, "coo") == 0;
    x->m = x->first.array.count;
    if (!coo) {
        if (!is_list(&x->first, x->n + 1) || x->first.array.count != x->n + 1)
            return nf__fail(NF_EFORMAT, "%s: indptr.npy: expected a list of %llu offsets", in->name,
                            (unsigned long long)x->n + 1);
        nf__array last = x->first.array;
        last.data = (const char *)last.data + x->n * nf__element_size(last.element);
        last.count = 1;
        if (nf__array_convert(ctx, &last, NF_U64, &x->m) < 1)
            return nf__fail(NF_EFORMAT, "%s: indptr.npy: the last offset is not a count", in->name);
    } else if (x->n > VERTICES_FREE + in->size * VERTICES_A_BYTE) {
        return nf__fail(NF_EFORMAT, "%s: shape.npy: %llu rows are promised by a file of %zu bytes", in->name,
                        (unsigned long long)x->n, in->size);
    }
    if (!is_list(&x->second, x->m) || !is_list(&x->data, x->m) || (coo && !is_list(&x->first, x->m)))
        return nf__fail(NF_EFORMAT, "%s: expected lists of %llu indices and of as many values", in->name,
                        (unsigned long long)x->m);
    x->second.array.count = x->m;
    x->data.array.count = x->m;
    return NF_OK;
}

static nf_status load_matrix(nf_context *ctx, const nf__input *in, uint64_t max_bytes, matrix *x)
{
    nf_status st = NF_OK;
    nf__zip zip;
    NF_TRY(nf__zip_open(in, &zip));
    NF_TRY(load_format(ctx, &zip, x));
    bool coo = strcmp(x->format, "coo") == 0;
    NF_TRY(load_array(ctx, &zip, "shape.npy", max_bytes, &x->member[1], &x->shape));
    NF_TRY(load_array(ctx, &zip, "data.npy", max_bytes, &x->member[2], &x->data));
    NF_TRY(load_array(ctx, &zip, coo ? "row.npy" : "indptr.npy", max_bytes, &x->member[3], &x->first));
    NF_TRY(load_array(ctx, &zip, coo ? "col.npy" : "indices.npy", max_bytes, &x->member[4], &x->second));
    NF_TRY(read_shape(ctx, in, x));
    NF_TRY(check_lengths(ctx, in, x));
done:
    return st;
}

/* The row of every entry of a CSR, or the column of one of a CSC. */
static nf_status spread_offsets(nf_context *ctx, const nf__storage *own, nf_vid n, nf_eid m, nf_vid **rows)
{
    nf_status st = NF_OK;
    int threads = nf__threads_for(ctx, m);
    nf_csr csr = {.n = n, .m = m, .off32 = own->off32, .off64 = own->off64};
    NF_TRY_ALLOC(*rows, nf__alloc(nf__context_mem(ctx), m, sizeof **rows));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (nf_vid u = 0; u < n; u++)
        for (nf_eid e = nf__off(&csr, u); e < nf__off(&csr, u + 1); e++)
            (*rows)[e] = u;
done:
    return st;
}

/* CSC and COO: a list of arcs. */
static nf_status build_from_list(nf_context *ctx, const nf__input *in, const matrix *x, nf_type type, void **w,
                                 nf_graph **out)
{
    nf_status st = NF_OK;
    nf__storage own = {0};
    nf_vid n = (nf_vid)x->n;
    nf__arcs arcs = {.n = n, .m = x->m, .weight_type = type, .w = *w};
    *w = NULL;
    if (strcmp(x->format, "coo") == 0) {
        NF_TRY(nf__array_targets(ctx, in, &x->first.array, n, &arcs.src));
        NF_TRY(nf__array_targets(ctx, in, &x->second.array, n, &arcs.dst));
    } else {
        NF_TRY(nf__array_targets(ctx, in, &x->second.array, n, &arcs.src));
        NF_TRY(nf__array_offsets(ctx, in, &x->first.array, x->m, &own));
        NF_TRY(spread_offsets(ctx, &own, n, x->m, &arcs.dst));
    }
    st = nf__graph_build(ctx, &arcs, 0, NF_DUP_KEEP, out);
    arcs = (nf__arcs){0};
    if (st == NF_EINVAL) {
        char why[256];
        snprintf(why, sizeof why, "%s", nf_last_error());
        st = nf__fail(NF_EFORMAT, "%s: %s", in->name, why);
    }
done:
    nf__arcs_free(&arcs);
    nf__free(own.off32);
    nf__free(own.off64);
    return st;
}

static nf_status build_from_rows(nf_context *ctx, const nf__input *in, const matrix *x, nf_type type, void **w,
                                 nf_graph **out)
{
    nf_status st = NF_OK;
    nf__storage own = {.w = *w};
    *w = NULL;
    NF_TRY(nf__array_offsets(ctx, in, &x->first.array, x->m, &own));
    NF_TRY(nf__array_targets(ctx, in, &x->second.array, (nf_vid)x->n, &own.adj));
    NF_TRY(nf__adopt_named(ctx, in, (nf_vid)x->n, x->m, &own, type, false, out));
done:
    nf__free(own.off32);
    nf__free(own.off64);
    nf__free(own.adj);
    nf__free(own.w);
    return st;
}

static nf_status read_npz(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    matrix x;
    nf_graph *g = NULL;
    void *w = NULL;
    nf_type type = options->weight_type;
    memset(&x, 0, sizeof x);
    NF_TRY(load_matrix(ctx, in, options->max_bytes, &x));
    if (options->weight_column < 0)
        type = NF_NONE;
    else
        NF_TRY(nf__array_weights(ctx, in, &x.data.array, &type, &w));
    if (strcmp(x.format, "csr") == 0)
        NF_TRY(build_from_rows(ctx, in, &x, type, &w, &g));
    else
        NF_TRY(build_from_list(ctx, in, &x, type, &w, &g));
    nf__graph_describe(g, "npz",
                       "Directed: entry (i, j) of the %s matrix of %s is the arc "
                       "i -> j; a stored 0 is an arc of weight 0.",
                       x.format, nf__element_name(x.data.array.element));
    NF_TRY(nf__apply_directions(ctx, options, &g));
    *out = g, g = NULL;
done:
    nf__free(w);
    nf_graph_free(g);
    matrix_free(&x);
    return st;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static char *format_targets64(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const nf_csr *csr = arg;
    for (uint64_t e = lo; e < hi; e++, p += sizeof(uint64_t)) {
        uint64_t x = csr->adj[e];
        memcpy(p, &x, sizeof x);
    }
    return p;
}

static char *format_offsets64(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const nf_csr *csr = arg;
    for (uint64_t v = lo; v < hi; v++, p += sizeof(uint64_t)) {
        uint64_t x = nf__off(csr, (nf_vid)v);
        memcpy(p, &x, sizeof x);
    }
    return p;
}

static char *format_offsets32(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const nf_csr *csr = arg;
    for (uint64_t v = lo; v < hi; v++, p += sizeof(uint32_t)) {
        uint32_t x = (uint32_t)nf__off(csr, (nf_vid)v);
        memcpy(p, &x, sizeof x);
    }
    return p;
}

static char *format_trues(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    (void)arg;
    memset(p, 1, (size_t)(hi - lo));
    return p + (hi - lo);
}

/* An array on its way into the file: as it lies in memory, or made piece by piece. */
typedef struct source {
    const char *name;
    nf__element element;
    unsigned text_width;
    int dims;
    uint64_t count, item_bytes;
    const void *data;
    nf__emit_fn make; /* when data is NULL */
} source;

/* The checksum of an array that is made piece by piece. */
static nf_status crc_of_pieces(nf_context *ctx, const nf_csr *csr, const source *s, uint32_t *crc)
{
    nf_status st = NF_OK;
    char *piece = NULL;
    NF_TRY_ALLOC(piece, nf__alloc(nf__context_mem(ctx), NF__EMIT_ITEMS, (size_t)s->item_bytes));
    for (uint64_t lo = 0; lo < s->count; lo += NF__EMIT_ITEMS) {
        uint64_t hi = s->count - lo < NF__EMIT_ITEMS ? s->count : lo + NF__EMIT_ITEMS;
        const char *end = s->make(csr, lo, hi, piece);
        *crc = (uint32_t)crc32_z(*crc, (const Bytef *)piece, (z_size_t)(end - piece));
        NF_TRY(nf__poll(ctx));
    }
done:
    nf__free(piece);
    return st;
}

static nf_status write_array(nf_context *ctx, nf__zip_writer *zip, const nf_csr *csr, const source *s)
{
    nf_status st = NF_OK;
    char header[NF__NPY_HEADER];
    uint64_t bytes = s->count * s->item_bytes;
    nf__npy_header(header, s->element, s->text_width, s->dims, &s->count);
    uint32_t crc = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const Bytef *)header, sizeof header);
    if (s->data != NULL)
        crc = (uint32_t)crc32_combine(crc, nf__crc32(ctx, s->data, bytes), (z_off_t)bytes);
    else
        NF_TRY(crc_of_pieces(ctx, csr, s, &crc));
    NF_TRY(nf__zip_begin(zip, s->name, bytes + sizeof header, crc));
    NF_TRY(nf__output_write(zip->out, header, sizeof header));
    if (s->data != NULL)
        NF_TRY(nf__emit_bytes(ctx, zip->out, s->data, bytes));
    else
        NF_TRY(nf__emit(ctx, zip->out, s->count, (size_t)s->item_bytes, s->make, csr));
done:
    return st;
}

static nf_status write_npz(nf_context *ctx, const nf_graph *g, nf__output *out)
{
    nf_status st = NF_OK;
    nf__zip_writer zip = {.out = out};
    NF_TRY(nf__graph_check(ctx, g));
    const nf_csr *csr = &g->csr;
    bool narrow = csr->n <= INT32_MAX && csr->m <= INT32_MAX, weighted = csr->weight_type != NF_NONE;
    const int64_t shape[2] = {csr->n, csr->n};
    nf__element index = narrow ? NF__E_I32 : NF__E_I64;
    uint64_t width = nf__element_size(index), n1 = (uint64_t)csr->n + 1;
    source indices = {"indices.npy", index, 0, 1, csr->m, width, narrow ? csr->adj : NULL, format_targets64};
    source indptr = {
        "indptr.npy", index, 0, 1, n1, width, narrow ? csr->off32 : NULL, narrow ? format_offsets32 : format_offsets64};
    source format = {"format.npy", NF__E_U8, 3, 0, 1, 3, "csr", NULL};
    source size = {"shape.npy", NF__E_I64, 0, 1, 2, sizeof shape[0], shape, NULL};
    source data = {"data.npy", NF__E_BOOL, 0, 1, csr->m, 1, NULL, format_trues};
    if (weighted) {
        data.element = nf__element_of(csr->weight_type);
        data.item_bytes = nf_type_size(csr->weight_type);
        data.data = csr->weights;
    }
    NF_TRY(write_array(ctx, &zip, csr, &indices));
    NF_TRY(write_array(ctx, &zip, csr, &indptr));
    NF_TRY(write_array(ctx, &zip, csr, &format));
    NF_TRY(write_array(ctx, &zip, csr, &size));
    NF_TRY(write_array(ctx, &zip, csr, &data));
    NF_TRY(nf__zip_end(&zip));
done:
    return st;
}

static bool is_npz(const nf__input *in)
{
    return in->size >= 4 && memcmp(in->data, "PK\x03\x04", 4) == 0;
}

const nf__format nf__format_npz = {
    .info = {.name = "npz",
             .extensions = ".npz",
             .summary = "SciPy sparse matrix (scipy.sparse.save_npz)",
             .directed = "directed: entry (i, j) is the arc i -> j",
             .weights = "as the array: i32, u32, f32, f64; booleans: none",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .sniff = is_npz,
    .read = read_npz,
    .write = write_npz,
};
