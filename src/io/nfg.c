/* nfg.c - our binary graph format: the arrays of the graph as they lie in memory, mapped instead of read.
 *
 * The container is that of box.h. Opening looks at the header and at the lengths of sections only; offsets, targets
 * and weights are checked by nf__graph_check before their first use, checksums when NF_READ_CHECKSUMS asks for
 * them. docs/formats.md has the layout.
 *
 * Invariants
 *   N1 every array of a mapped graph lies inside the input's bytes and has the length that n and m call for;
 *   N2 the graph owns these bytes (the mapping or the block) until its release function runs.
 * Cost: opening O(1), with checksums O(file); writing O(n + m), no memory.
 */
#include <sys/mman.h>

#include "io/binary.h"
#include "io/box.h"

static const char magic[8] = {'\x89', 'N', 'F', 'G', '\r', '\n', '\x1a', '\n'};

#define VERSION 1

/* Parameters of the header. */
enum { P_N = 0, P_M, P_OFFSET_BITS, P_WEIGHT_TYPE, P_FLAGS, P_LABEL_BASE, P_WEIGHT_MIN };

#define FLAG_DIRECTED UINT64_C(1)
#define FLAG_NEGATIVE UINT64_C(2)
#define FLAG_LABELS UINT64_C(4) /* sparse: listed in a section */
#define FLAG_COORDINATES UINT64_C(8)
#define ALL_FLAGS UINT64_C(15)

enum { S_OFFSETS = 1, S_TARGETS, S_WEIGHTS, S_LABELS, S_COORDINATES };
static const char *const section_names[] = {"none", "offsets", "targets", "weights", "labels", "coordinates"};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static double least_weight(nf_context *ctx, const nf_csr *csr)
{
    double least = csr->m == 0 ? 0 : nf__weight_f64(csr, 0);
    int threads = nf__threads_for(ctx, csr->m);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : least)
    for (nf_eid e = 0; e < csr->m; e++) {
        double w = nf__weight_f64(csr, e);
        if (w < least)
            least = w;
    }
    return least;
}

static nf_status write_nfg(nf_context *ctx, const nf_graph *g, nf__output *out)
{
    nf_status st = NF_OK;
    NF_TRY(nf__graph_check(ctx, g));
    const nf_csr *csr = &g->csr;
    const void *data[NF__BOX_SECTIONS];
    nf__box box = {.version = VERSION};
    memcpy(box.magic, magic, sizeof magic);
    double least = csr->weight_type == NF_NONE ? 1 : least_weight(ctx, csr);
    size_t offset_size = csr->off32 != NULL ? sizeof(uint32_t) : sizeof(uint64_t);
    box.param[P_N] = csr->n;
    box.param[P_M] = csr->m;
    box.param[P_OFFSET_BITS] = offset_size * 8;
    box.param[P_WEIGHT_TYPE] = (uint64_t)csr->weight_type;
    box.param[P_FLAGS] = (g->directed ? FLAG_DIRECTED : 0) | (least < 0 ? FLAG_NEGATIVE : 0)
                         | (g->labels != NULL ? FLAG_LABELS : 0) | (g->xy != NULL ? FLAG_COORDINATES : 0);
    box.param[P_LABEL_BASE] = g->label_base;
    memcpy(&box.param[P_WEIGHT_MIN], &least, sizeof least);
    const void *offsets = csr->off32 != NULL ? (const void *)csr->off32 : (const void *)csr->off64;
    nf__box_add(&box, data, S_OFFSETS, offsets, ((uint64_t)csr->n + 1) * offset_size);
    nf__box_add(&box, data, S_TARGETS, csr->adj, csr->m * sizeof *csr->adj);
    if (csr->weight_type != NF_NONE)
        nf__box_add(&box, data, S_WEIGHTS, csr->weights, csr->m * nf_type_size(csr->weight_type));
    if (g->labels != NULL)
        nf__box_add(&box, data, S_LABELS, g->labels, csr->n * sizeof *g->labels);
    if (g->xy != NULL)
        nf__box_add(&box, data, S_COORDINATES, g->xy, (uint64_t)csr->n * 2 * sizeof *g->xy);
    NF_TRY(nf__box_write(ctx, &box, data, out));
done:
    return st;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct kept_bytes {
    void *map;
    size_t map_size;
    void *block;
} kept_bytes;

static void release_bytes(void *arg)
{
    kept_bytes *kept = arg;
    if (kept->map != NULL)
        munmap(kept->map, kept->map_size);
    nf__free(kept->block);
}

static nf_status check_params(const nf__input *in, const nf__box *box)
{
    const uint64_t *p = box->param;
    if (p[P_N] >= NF_NO_VERTEX)
        return nf__fail(NF_EFORMAT, "%s: at byte 32: %llu vertices; expected fewer than %u", in->name,
                        (unsigned long long)p[P_N], NF_NO_VERTEX);
    if (p[P_OFFSET_BITS] != 32 && p[P_OFFSET_BITS] != 64)
        return nf__fail(NF_EFORMAT, "%s: at byte 48: offsets of %llu bits; expected 32 or 64", in->name,
                        (unsigned long long)p[P_OFFSET_BITS]);
    if (p[P_OFFSET_BITS] == 32 && p[P_M] > UINT32_MAX)
        return nf__fail(NF_EFORMAT, "%s: at byte 40: %llu arcs do not fit offsets of 32 bits", in->name,
                        (unsigned long long)p[P_M]);
    if (p[P_WEIGHT_TYPE] > NF_F64 || !nf__is_weight_type((nf_type)p[P_WEIGHT_TYPE]))
        return nf__fail(NF_EFORMAT, "%s: at byte 56: %llu is not a weight type", in->name,
                        (unsigned long long)p[P_WEIGHT_TYPE]);
    if ((p[P_FLAGS] & ~ALL_FLAGS) != 0)
        return nf__fail(NF_EFORMAT, "%s: at byte 64: unknown flags 0x%llx", in->name, (unsigned long long)p[P_FLAGS]);
    if (p[P_LABEL_BASE] > UINT64_MAX - p[P_N])
        return nf__fail(NF_EFORMAT, "%s: at byte 72: labels from %llu on leave 64 bits", in->name,
                        (unsigned long long)p[P_LABEL_BASE]);
    return NF_OK;
}

/* Points the graph's arrays into the input (N1). */
static nf_status place_arrays(const nf__input *in, const nf__box *box, nf_graph *g)
{
    nf_status st = NF_OK;
    nf_csr *csr = &g->csr;
    const void *off = NULL, *adj = NULL, *w = NULL, *labels = NULL, *xy = NULL;
    uint64_t flags = box->param[P_FLAGS];
    csr->n = (nf_vid)box->param[P_N];
    csr->m = box->param[P_M];
    csr->weight_type = (nf_type)box->param[P_WEIGHT_TYPE];
    NF_TRY(nf__box_section(in, box, S_OFFSETS, "offsets", (uint64_t)csr->n + 1, box->param[P_OFFSET_BITS] / 8, &off));
    NF_TRY(nf__box_section(in, box, S_TARGETS, "targets", csr->m, sizeof(nf_vid), &adj));
    if (csr->weight_type != NF_NONE)
        NF_TRY(nf__box_section(in, box, S_WEIGHTS, "weights", csr->m, nf_type_size(csr->weight_type), &w));
    if ((flags & FLAG_LABELS) != 0)
        NF_TRY(nf__box_section(in, box, S_LABELS, "labels", csr->n, sizeof(uint64_t), &labels));
    if ((flags & FLAG_COORDINATES) != 0)
        NF_TRY(nf__box_section(in, box, S_COORDINATES, "coordinates", csr->n, 2 * sizeof(double), &xy));
    csr->off32 = box->param[P_OFFSET_BITS] == 32 ? off : NULL;
    csr->off64 = box->param[P_OFFSET_BITS] == 64 ? off : NULL;
    csr->adj = adj;
    csr->weights = w;
    g->labels = labels;
    g->xy = xy;
    g->label_base = box->param[P_LABEL_BASE];
    g->directed = (flags & FLAG_DIRECTED) != 0;
    atomic_store(&g->negative, (flags & FLAG_NEGATIVE) != 0);
done:
    return st;
}

/* Leaves the weights out or copies them into another type, as the options say. */
static nf_status choose_weights(nf_context *ctx, const nf__input *in, const nf_read_options *options, nf_graph *g)
{
    nf_status st = NF_OK;
    nf_csr *csr = &g->csr;
    nf_type want = options->weight_type;
    if (options->weight_column < 0) {
        csr->weight_type = NF_NONE;
        csr->weights = NULL;
        atomic_store(&g->negative, 0);
    } else if (want != NF_NONE && csr->weight_type != NF_NONE && want != csr->weight_type) {
        nf__array array = {.element = nf__element_of(csr->weight_type), .count = csr->m, .data = csr->weights};
        NF_TRY(nf__array_weights(ctx, in, &array, &want, &g->own.w));
        csr->weight_type = want;
        csr->weights = g->own.w;
    }
done:
    return st;
}

/* Hands the bytes of the input to the graph (N2). */
static nf_status take_bytes(nf_context *ctx, nf__input *in, nf_graph *g)
{
    nf__mem *mem = nf__context_mem(ctx);
    g->file = nf__strdup(mem, in->name);
    kept_bytes *kept = nf__alloc(mem, 1, sizeof *kept);
    if (kept == NULL || g->file == NULL) {
        nf__free(kept);
        return NF_ENOMEM;
    }
    *kept = (kept_bytes){.map = in->map, .map_size = in->map_size, .block = in->block};
    g->release = release_bytes;
    g->release_arg = kept;
    in->map = NULL;
    in->block = NULL;
    return NF_OK;
}

static nf_status read_nfg(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_graph *g = NULL;
    nf__box box;
    NF_TRY(nf__box_parse(in, magic, VERSION, "an .nfg graph", &box));
    NF_TRY(check_params(in, &box));
    if ((options->flags & NF_READ_CHECKSUMS) != 0)
        NF_TRY(nf__box_verify(ctx, in, &box, section_names, sizeof section_names / sizeof section_names[0]));
    NF_TRY(nf__graph_shell(ctx, &g));
    NF_TRY(place_arrays(in, &box, g));
    NF_TRY(choose_weights(ctx, in, options, g));
    NF_TRY(take_bytes(ctx, in, g));
    nf__graph_describe(g, "nfg",
                       "Mapped from .nfg: directions, weights and labels as they "
                       "were written; a stored 0 is an arc of weight 0.");
    NF_TRY(nf__apply_directions(ctx, options, &g));
    *out = g, g = NULL;
done:
    nf_graph_free(g);
    return st;
}

static bool is_nfg(const nf__input *in)
{
    return in->size >= sizeof magic && memcmp(in->data, magic, sizeof magic) == 0;
}

const nf__format nf__format_nfg = {
    .info = {.name = "nfg",
             .extensions = ".nfg",
             .summary = "Nearfar binary graph, mapped in milliseconds",
             .directed = "as written",
             .weights = "none, i32, u32, f32, f64",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .sniff = is_nfg,
    .read = read_nfg,
    .write = write_nfg,
};
