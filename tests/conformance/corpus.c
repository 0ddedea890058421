/* corpus.c - the tables the corpus is made of.
 *
 * Lists, one after the other: `written` (arcs as text), `pools` (weights to draw from), `formed` (a shape, a size and a
 * weight rule), and every generator of the library in several sizes and weights.
 */
#include "corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *size_class_name(size_class size)
{
    static const char *const names[] = {"tiny", "small", "medium", "large"};
    return names[size];
}

nf_vid size_class_limit(size_class size)
{
    static const nf_vid limits[] = {40, 400, 6000, 70000};
    return limits[size];
}

static uint64_t mix(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * UINT64_C(0x2545f4914f6cdd1d) + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 29)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 32);
}

/* ---- arcs on their way into a graph ------------------------------------------------------------------------------ */

typedef struct arcs {
    nf_vid *src, *dst;
    double *w;
    size_t count, room;
} arcs;

static bool arcs_add(arcs *a, nf_vid u, nf_vid v, double w)
{
    if (a->count == a->room) {
        const size_t room = a->room * 2 + 64;
        nf_vid *src = realloc(a->src, room * sizeof *src);
        a->src = src != NULL ? src : a->src;
        nf_vid *dst = realloc(a->dst, room * sizeof *dst);
        a->dst = dst != NULL ? dst : a->dst;
        double *weights = realloc(a->w, room * sizeof *weights);
        a->w = weights != NULL ? weights : a->w;
        if (src == NULL || dst == NULL || weights == NULL)
            return false;
        a->room = room;
    }
    a->src[a->count] = u, a->dst[a->count] = v, a->w[a->count] = w;
    a->count++;
    return true;
}

static void arcs_free(arcs *a)
{
    free(a->src);
    free(a->dst);
    free(a->w);
}

static void store(void *out, nf_type type, size_t i, double w)
{
    switch (type) {
    case NF_I32: ((int32_t *)out)[i] = (int32_t)w; break;
    case NF_U32: ((uint32_t *)out)[i] = (uint32_t)w; break;
    case NF_F32: ((float *)out)[i] = (float)w; break;
    default: ((double *)out)[i] = w; break;
    }
}

typedef enum way { BY_COO = 0, BY_CSR32, BY_CSR64, BY_MATRIX } way;

/* Arcs already sorted by source become rows as they are. */
static nf_status build_csr(nf_context *ctx, const nf_coo *coo, way how, const nf_build_options *o, nf_graph **out)
{
    uint64_t *off = calloc((size_t)coo->n + 1, sizeof *off);
    uint32_t *off32 = calloc((size_t)coo->n + 1, sizeof *off32);
    nf_status st = NF_ENOMEM;
    if (off != NULL && off32 != NULL) {
        for (nf_eid e = 0; e < coo->m; e++)
            off[coo->src[e] + 1]++;
        for (nf_vid v = 0; v < coo->n; v++)
            off[v + 1] += off[v];
        for (nf_vid v = 0; v <= coo->n; v++)
            off32[v] = (uint32_t)off[v];
        const nf_csr csr = {.n = coo->n,
                            .m = coo->m,
                            .off32 = how == BY_CSR32 ? off32 : NULL,
                            .off64 = how == BY_CSR32 ? NULL : off,
                            .adj = coo->dst,
                            .weight_type = coo->weight_type,
                            .weights = coo->weights};
        st = nf_graph_from_csr(ctx, &csr, o, out);
    }
    free(off);
    free(off32);
    return st;
}

/* A matrix one column wider than it need be. */
static nf_status build_matrix(nf_context *ctx, nf_vid n, const arcs *a, nf_type type, nf_graph **out)
{
    const size_t pitch = (size_t)n + 1;
    void *cells = malloc((pitch * n + 1) * nf_type_size(type));
    if (cells == NULL)
        return NF_ENOMEM;
    const double none = type == NF_I32 ? NF_UNREACHED_I32 : type == NF_U32 ? NF_UNREACHED_U32 : (double)INFINITY;
    for (size_t i = 0; i < pitch * n; i++)
        store(cells, type, i, none);
    for (size_t e = 0; e < a->count; e++)
        store(cells, type, a->src[e] * pitch + a->dst[e], a->w[e]);
    const nf_status st = nf_graph_from_matrix(ctx, n, pitch, type, cells, NULL, out);
    free(cells);
    return st;
}

static nf_status build(nf_context *ctx, nf_vid n, const arcs *a, nf_type type, uint32_t flags, way how, nf_graph **out)
{
    if (how == BY_MATRIX)
        return build_matrix(ctx, n, a, type, out);
    void *w = malloc((a->count + 1) * 8);
    if (w == NULL)
        return NF_ENOMEM;
    for (size_t e = 0; e < a->count && type != NF_NONE; e++)
        store(w, type, e, a->w[e]);
    const nf_coo coo = {.n = n,
                        .m = a->count,
                        .src = a->src,
                        .dst = a->dst,
                        .weight_type = type,
                        .weights = type != NF_NONE ? w : NULL};
    const nf_build_options o = {.size = sizeof o, .flags = flags};
    const nf_status st = how == BY_COO ? nf_graph_from_coo(ctx, &coo, &o, out) : build_csr(ctx, &coo, how, &o, out);
    free(w);
    return st;
}

/* ---- graphs written out ------------------------------------------------------------------------------------------ */

#define UND NF_BUILD_UNDIRECTED

/* arcs: "u v w" triples; w is there in unweighted graphs too and ignored. */
typedef struct written {
    const char *name;
    nf_vid n;
    nf_type type;
    uint32_t flags;
    way how;
    const char *arcs;
} written;

static const written written_graphs[] = {
    {"empty", 0, NF_NONE, 0, BY_COO, ""},
    {"empty-weighted", 0, NF_F32, UND, BY_COO, ""},
    {"one-vertex", 1, NF_NONE, 0, BY_COO, ""},
    {"one-loop", 1, NF_I32, 0, BY_COO, "0 0 3"},
    {"loops-only", 4, NF_U32, 0, BY_COO, "0 0 1 1 1 0 3 3 7 3 3 2"},
    {"two-vertices", 2, NF_I32, 0, BY_COO, ""},
    {"one-arc", 2, NF_I32, 0, BY_COO, "0 1 5"},
    {"one-arc-back", 2, NF_NONE, 0, BY_CSR32, "1 0 1"},
    {"parallel", 4, NF_I32, 0, BY_COO, "0 1 9 0 1 2 0 1 5 1 2 4 1 2 4 2 3 1 2 3 0 0 3 6 0 3 8"},
    {"parallel-undirected", 4, NF_F64, UND, BY_COO, "0 1 .9 1 0 .2 1 2 .5 1 2 .25 2 2 .1 3 2 4 2 3 3"},
    {"all-zero", 6, NF_I32, 0, BY_COO, "0 1 0 1 2 0 2 0 0 2 3 0 3 4 0 4 3 0 4 5 0"},
    {"zero-cycles", 8, NF_U32, 0, BY_COO, "0 1 3 1 2 0 2 3 0 3 1 0 3 4 1 4 5 0 5 4 0 5 6 2 6 0 0 2 7 1 7 2 0 1 7 1"},
    {"zero-cycle-apart", 6, NF_I32, 0, BY_COO, "0 1 1 3 4 0 4 3 0 4 5 0 5 1 0"},
    {"zero-f32", 5, NF_F32, UND, BY_COO, "0 1 0 1 2 0 2 3 .5 3 4 0 0 4 .5"},
    {"disconnected", 9, NF_I32, UND, BY_COO, "0 1 4 1 2 5 3 4 1 4 5 1 5 3 1 7 8 2"},
    {"sink-source", 5, NF_I32, 0, BY_COO, "1 0 1 2 0 1 3 2 2 4 1 5 4 3 1"},
    {"isolated-source", 6, NF_NONE, 0, BY_COO, "1 2 1 2 3 1 3 1 1 4 5 1"},
    {"diamond-ties", 8, NF_I32, 0, BY_COO, "0 3 1 0 2 1 0 1 1 3 4 1 2 4 1 1 4 1 4 7 2 4 6 1 6 7 1 5 7 1 4 5 1 7 0 1"},
    {"ties-by-hops", 7, NF_I32, 0, BY_COO, "0 6 4 0 1 1 1 2 1 2 3 1 3 4 1 6 4 0 6 5 1 4 5 1 2 5 3"},
    {"matrix-i32", 5, NF_I32, 0, BY_MATRIX, "0 1 3 0 4 9 1 2 0 2 0 5 2 2 4 2 4 1 3 4 2 4 3 7"},
    {"matrix-f32", 4, NF_F32, 0, BY_MATRIX, "0 1 1.5 1 2 .25 2 3 .125 0 3 3 3 0 1"},
    {"matrix-u32", 3, NF_U32, 0, BY_MATRIX, "0 1 4294967294 1 2 1 2 0 0"},
    {"csr-32", 5, NF_F64, 0, BY_CSR32, "0 1 1 0 2 .1 2 1 .3 2 3 .7 3 1 .2 4 0 1"},
    {"csr-64", 5, NF_I32, 0, BY_CSR64, "0 1 1 0 2 1 2 1 3 2 3 7 3 1 2 4 0 1"},
    {"i32-max", 5, NF_I32, 0, BY_COO, "0 1 2147483647 1 2 2147483647 2 3 2147483647 3 4 2147483647 0 4 2147483647"},
    {"i32-max-less-one", 3, NF_I32, 0, BY_COO, "0 1 2147483646 1 2 0"},
    {"i32-just-over", 3, NF_I32, 0, BY_COO, "0 1 2147483646 1 2 1"},
    {"u32-max", 5, NF_U32, 0, BY_COO, "0 1 4294967295 1 2 4294967295 2 3 4294967295 3 4 4294967295 1 0 0"},
    {"u32-just-fits", 3, NF_U32, 0, BY_COO, "0 1 4294967293 1 2 1"},
    {"i32-min", 5, NF_I32, 0, BY_COO,
     "0 1 -2147483648 1 2 -2147483648 2 3 -2147483648 3 4 -2147483648 0 4 2147483647 4 0 2147483647 0 2 -5"},
    {"i32-min-exactly", 3, NF_I32, 0, BY_COO, "0 1 -2147483647 1 2 -1"},
    {"f32-denormal", 5, NF_F32, 0, BY_COO, "0 1 0x1p-149 1 2 0x1p-149 2 3 0x1p-148 0 3 0x1p-146 3 4 0x1p-126"},
    {"f64-denormal", 4, NF_F64, 0, BY_COO, "0 1 0x1p-1074 1 2 0x1p-1074 2 3 0x1p-1022 0 3 0x1.8p-1022"},
    {"f32-huge", 6, NF_F32, 0, BY_COO, "0 1 3e38 1 2 3e38 2 3 1 0 4 1e38 4 5 1e38 5 3 3e38"},
    {"f64-huge", 5, NF_F64, 0, BY_COO, "0 1 1e308 1 2 1e308 2 3 1e308 3 4 0 1 4 5e307"},
    {"f32-absorb", 7, NF_F32, 0, BY_COO, "0 1 1e8 1 2 1 2 3 1 3 4 1 4 1 1 4 5 1 0 5 1e8 5 6 4 3 6 5"},
    {"f64-absorb", 6, NF_F64, 0, BY_COO, "0 1 1e16 1 2 .5 2 3 .5 3 1 .5 3 4 1 4 5 1 2 5 2"},
    {"f32-orders", 7, NF_F32, 0, BY_COO, "0 1 .1 1 2 .2 2 3 .3 0 4 .3 4 5 .2 5 3 .1 0 3 .6 3 6 .7 2 6 1"},
    {"f32-infinite-arc", 4, NF_F32, 0, BY_COO, "0 1 1 1 2 inf 0 2 5 2 3 inf"},
    {"f64-minus-zero", 4, NF_F64, UND, BY_COO, "0 1 -0 1 2 -0 2 3 1"},
    {"negative-dag", 6, NF_I32, 0, BY_COO, "0 1 4 0 2 7 1 2 -3 2 3 -2 1 3 5 3 4 -6 2 4 1 5 0 -1"},
    {"negative-positive-cycle", 5, NF_I32, 0, BY_COO, "0 1 2 1 2 -3 2 3 4 3 1 1 3 4 -2 0 4 9"},
    {"negative-zero-cycle", 5, NF_I32, 0, BY_COO, "0 1 2 1 2 -3 2 3 1 3 1 2 3 4 1 4 0 0"},
    {"negative-cycle", 5, NF_I32, 0, BY_COO, "0 1 2 1 2 -3 2 3 1 3 1 1 3 4 1"},
    {"negative-cycle-apart", 7, NF_I32, 0, BY_COO, "0 1 2 1 2 -1 0 2 4 3 4 -5 4 5 2 5 3 2 5 2 1 6 3 1"},
    {"negative-loop", 3, NF_I32, 0, BY_COO, "0 1 1 1 1 -1 1 2 1"},
    {"negative-edge-undirected", 4, NF_I32, UND, BY_COO, "0 1 3 1 2 -1 2 3 3"},
    {"negative-source-cycle", 4, NF_I32, 0, BY_COO, "0 0 -2147483648 0 1 1 2 3 -4"},
    {"negative-f32-dag", 6, NF_F32, 0, BY_COO, "0 1 4 0 2 7.5 1 2 -3.25 2 3 -2 1 3 5 3 4 -6.5 2 4 1 5 0 -1"},
    {"negative-f64-cycle", 4, NF_F64, 0, BY_COO, "0 1 1 1 2 -.75 2 1 .5 2 3 1"},
    {"negative-f64-zero-cycle", 4, NF_F64, 0, BY_COO, "0 1 1 1 2 .1 2 3 .2 3 1 -.3"},
    {"negative-f32-zero-cycle", 4, NF_F32, 0, BY_COO, "0 1 1 1 2 .1 2 3 .2 3 1 -.3"},
    {"ldbc-directed", 10, NF_F64, 0, BY_COO,
     "0 2 .5 0 4 .3 1 3 .1 1 4 .3 1 9 .12 2 0 .53 2 4 .62 2 7 .21 2 9 .52 4 2 .69 4 3 .53 4 7 .1 5 2 .23 5 3 .39 6 3 "
     ".83 "
     "7 0 .39 8 3 .69"},
};

static bool parse_arcs(const char *text, arcs *a)
{
    char *end = NULL;
    for (const char *at = text; *at != '\0'; at = end) {
        const nf_vid u = (nf_vid)strtoul(at, &end, 10);
        const nf_vid v = (nf_vid)strtoul(end, &end, 10);
        const double w = strtod(end, &end);
        if (!arcs_add(a, u, v, w))
            return false;
    }
    return true;
}

static nf_status make_written(nf_context *ctx, const written *g, corpus_graph *out)
{
    arcs a = {0};
    snprintf(out->name, sizeof out->name, "%s", g->name);
    out->size = SIZE_TINY;
    const nf_status st =
        parse_arcs(g->arcs, &a) ? build(ctx, g->n, &a, g->type, g->flags, g->how, &out->graph) : NF_ENOMEM;
    arcs_free(&a);
    return st;
}

/* ---- graphs by formula ------------------------------------------------------------------------------------------- */

typedef enum shape {
    STAR_OUT,
    STAR_IN,
    PATH,
    PATH_BACK,
    RING,
    COMPLETE,
    BIPARTITE,
    LADDER,
    RANDOM,
    POTENTIAL,
    ABSORBING
} shape;

typedef struct formed {
    const char *name;
    size_class size;
    shape shape;
    nf_vid n;
    uint32_t degree; /* RANDOM, POTENTIAL: arcs a vertex */
    nf_type type;
    uint32_t flags;
    double low, high; /* weights; whole numbers in integer types */
} formed;

static const formed formed_graphs[] = {
    {"star-out", SIZE_SMALL, STAR_OUT, 300, 0, NF_I32, 0, 1, 50},
    {"star-in", SIZE_SMALL, STAR_IN, 300, 0, NF_I32, 0, 1, 50},
    {"path-5000", SIZE_MEDIUM, PATH, 5000, 0, NF_I32, 0, 1, 2147483647},
    {"path-5000-undirected", SIZE_MEDIUM, PATH, 5000, 0, NF_NONE, UND, 1, 1},
    {"path-back", SIZE_SMALL, PATH_BACK, 400, 0, NF_U32, 0, 0, 9},
    {"ring", SIZE_SMALL, RING, 400, 0, NF_F32, UND, 0, 1},
    {"complete-40", SIZE_TINY, COMPLETE, 40, 0, NF_I32, 0, 0, 30},
    {"complete-200", SIZE_SMALL, COMPLETE, 200, 0, NF_F32, 0, 0, 1},
    {"bipartite-90", SIZE_SMALL, BIPARTITE, 90, 0, NF_I32, UND, 1, 3},
    {"ladder-zeros", SIZE_SMALL, LADDER, 300, 0, NF_I32, UND, 0, 1},
    {"random-none", SIZE_SMALL, RANDOM, 300, 3, NF_NONE, 0, 1, 1},
    {"random-equal", SIZE_SMALL, RANDOM, 300, 4, NF_I32, UND, 7, 7},
    {"random-i32", SIZE_SMALL, RANDOM, 400, 4, NF_I32, 0, 0, 100},
    {"random-u32-full", SIZE_SMALL, RANDOM, 250, 4, NF_U32, 0, 0, 4294967295.0},
    {"random-f32", SIZE_SMALL, RANDOM, 400, 4, NF_F32, 0, 0, 1},
    {"random-f64", SIZE_SMALL, RANDOM, 400, 3, NF_F64, UND, 0, 1e9},
    {"random-sparse", SIZE_SMALL, RANDOM, 400, 1, NF_I32, 0, 1, 9},
    {"negative-random-i32", SIZE_SMALL, POTENTIAL, 300, 4, NF_I32, 0, 0, 60},
    {"negative-random-f64", SIZE_SMALL, POTENTIAL, 200, 4, NF_F64, 0, 0, 60},
    {"absorbing-f32", SIZE_SMALL, ABSORBING, 300, 3, NF_F32, UND, 0, 3},
    {"random-medium", SIZE_MEDIUM, RANDOM, 5000, 5, NF_I32, 0, 0, 1000},
    {"random-medium-f32", SIZE_MEDIUM, RANDOM, 5000, 5, NF_F32, UND, 0, 1},
    {"negative-medium", SIZE_MEDIUM, POTENTIAL, 3000, 4, NF_I32, 0, 0, 1000},
};

static double draw(const formed *g, uint64_t i)
{
    const double unit = (double)(mix(g->n + g->degree, i) >> 11) * 0x1.0p-53;
    const bool whole = g->type == NF_I32 || g->type == NF_U32;
    return whole ? g->low + floor(unit * (g->high - g->low + 1)) : g->low + unit * (g->high - g->low);
}

/* A weight that no cycle can make negative: w >= 0 plus the difference of two potentials. */
static double tilt(nf_vid u, nf_vid v)
{
    return (double)(mix(77, u) % 512) - (double)(mix(77, v) % 512);
}

static bool form_random(const formed *g, arcs *a)
{
    bool ok = true;
    for (uint64_t i = 0; i < (uint64_t)g->n * g->degree && ok; i++) {
        const nf_vid u = (nf_vid)(mix(g->n, 2 * i) % g->n), v = (nf_vid)(mix(g->n, 2 * i + 1) % g->n);
        double w = draw(g, i);
        if (g->shape == POTENTIAL)
            w = (g->type == NF_F64 ? floor(w * 8) / 8 : w) + tilt(u, v);
        if (g->shape == ABSORBING && i % 3 == 0)
            w = 1e8 + 8 * floor(w);
        ok = arcs_add(a, u, v, w);
    }
    return ok;
}

static bool form_regular(const formed *g, arcs *a)
{
    bool ok = true;
    const nf_vid n = g->n, half = n / 2;
    for (nf_vid i = 0; i + 1 < n && ok; i++) {
        switch (g->shape) {
        case STAR_OUT: ok = arcs_add(a, 0, i + 1, draw(g, i)); break;
        case STAR_IN: ok = arcs_add(a, i + 1, 0, draw(g, i)); break;
        case PATH: ok = arcs_add(a, i, i + 1, draw(g, i)); break;
        case PATH_BACK: ok = arcs_add(a, n - 1 - i, n - 2 - i, draw(g, i)); break;
        case RING: ok = arcs_add(a, i, i + 1, draw(g, i)) && (i > 0 || arcs_add(a, n - 1, 0, draw(g, n))); break;
        default:
            ok = (i % 2 != 0 || arcs_add(a, i, i + 1, draw(g, i)))
                 && (i + 2 >= n || arcs_add(a, i, i + 2, draw(g, n + i)));
            break;
        }
    }
    for (nf_vid u = 0; u < n && (g->shape == COMPLETE || g->shape == BIPARTITE); u++)
        for (nf_vid v = g->shape == COMPLETE ? 0 : half; v < n && (g->shape == COMPLETE || u < half) && ok; v++)
            ok = u == v || arcs_add(a, u, v, draw(g, (uint64_t)u * n + v));
    return ok;
}

static nf_status make_formed(nf_context *ctx, const formed *g, corpus_graph *out)
{
    arcs a = {0};
    const bool random = g->shape == RANDOM || g->shape == POTENTIAL || g->shape == ABSORBING;
    snprintf(out->name, sizeof out->name, "%s", g->name);
    out->size = g->size;
    const bool ok = random ? form_random(g, &a) : form_regular(g, &a);
    const nf_status st = ok ? build(ctx, g->n, &a, g->type, g->flags, BY_COO, &out->graph) : NF_ENOMEM;
    arcs_free(&a);
    return st;
}

/* ---- generators -------------------------------------------------------------------------------------------------- */

/* Every generator in small, with its own weights and with ties: integers from 0 to 9. */
#define GENERATOR_VARIANTS 2

typedef struct grown {
    const char *kind;
    size_class size;
    uint64_t n;
    nf_type type;
    double low, high;
} grown;

static const grown grown_graphs[] = {
    {"rmat", SIZE_MEDIUM, 4096, NF_I32, 1, 255},
    {"road", SIZE_MEDIUM, 4000, NF_I32, 1, 1000},
    {"grid2d", SIZE_MEDIUM, 4096, NF_F32, 0, 1},
    {"delaunay", SIZE_MEDIUM, 3000, NF_F64, 0, 1},
    {"hub", SIZE_MEDIUM, 4000, NF_U32, 0, 4294967295.0},
    {"small-world", SIZE_MEDIUM, 4000, NF_NONE, 0, 0},
    {"rmat", SIZE_LARGE, 32768, NF_I32, 1, 255},
    {"road", SIZE_LARGE, 50000, NF_F32, 1, 1000},
    {"grid2d", SIZE_LARGE, 65536, NF_U32, 0, 4294967295.0},
};

static size_t generator_count(void)
{
    size_t count = 0;
    while (nf_generator_get(count) != NULL)
        count++;
    return count;
}

static nf_status make_generated(nf_context *ctx, size_t i, corpus_graph *out)
{
    const char *kind = nf_generator_get(i / GENERATOR_VARIANTS)->name;
    const bool tied = i % GENERATOR_VARIANTS == 1 && strncmp(kind, "negative", 8) != 0;
    nf_generate_options o = {.size = sizeof o};
    nf_status st = nf_generate_defaults(kind, &o);
    o.n = strcmp(kind, "complete") == 0 || strcmp(kind, "bipartite") == 0 ? 60 : 250;
    o.seed = 11 + i;
    if (tied) {
        o.weight_type = NF_I32;
        o.weight_min = 0, o.weight_max = 9;
        o.directed = true;
    }
    snprintf(out->name, sizeof out->name, "gen-%s-%s", kind, i % GENERATOR_VARIANTS == 1 ? "2" : "1");
    out->size = SIZE_SMALL;
    return st == NF_OK ? nf_generate(ctx, &o, &out->graph) : st;
}

static nf_status make_grown(nf_context *ctx, const grown *g, corpus_graph *out)
{
    nf_generate_options o = {.size = sizeof o};
    nf_status st = nf_generate_defaults(g->kind, &o);
    o.n = g->n;
    o.seed = 5;
    o.weight_type = g->type;
    o.weight_min = g->low, o.weight_max = g->high;
    snprintf(out->name, sizeof out->name, "gen-%s-%s-%s", g->kind, size_class_name(g->size), nf_type_name(g->type));
    out->size = g->size;
    return st == NF_OK ? nf_generate(ctx, &o, &out->graph) : st;
}

/* ---- drawn from the seed ----------------------------------------------------------------------------------------- */

/* Tiny graphs with weights from short lists that make ties, zero cycles, rounding and negative cycles likely. */
#define SEEDED 32

typedef struct pool {
    nf_type type;
    size_t count;
    double w[6];
} pool;

static const pool pools[] = {
    {NF_NONE, 1, {1}},
    {NF_I32, 3, {0, 1, 2}},
    {NF_U32, 4, {0, 1, 4294967295.0, 2147483648.0}},
    {NF_I32, 5, {0, 1, 2147483647, 2147483646, 1073741824}},
    {NF_F32, 6, {0, .1, .2, 1e8, 0x1p-149, 3e38}},
    {NF_F64, 6, {0, .1, .3, 1e16, .5, 1e308}},
    {NF_I32, 6, {-2, -1, 0, 1, 3, 5}},
    {NF_F64, 6, {-.3, .1, .2, -.1, .7, .4}},
    {NF_F32, 6, {-.3, .1, .2, -.1, .7, .4}},
    {NF_I32, 2, {0, 1}}, /* tilted by potentials: many zero-sum cycles, no negative one */
    {NF_F64, 2, {0, .5}},
};
#define POOLS (sizeof pools / sizeof pools[0])

static nf_status make_seeded(nf_context *ctx, size_t i, uint64_t seed, corpus_graph *out)
{
    const pool *p = &pools[i % POOLS];
    const uint64_t stream = seed * SEEDED + i;
    const nf_vid n = (nf_vid)(2 + mix(stream, 0) % 13);
    const uint64_t m = mix(stream, 1) % (4 * n);
    const bool tilted = i % POOLS >= POOLS - 2;
    const uint32_t flags = !tilted && mix(stream, 2) % 4 == 0 ? UND : 0;
    arcs a = {0};
    bool ok = true;
    for (uint64_t e = 0; e < m && ok; e++) {
        const nf_vid u = (nf_vid)(mix(stream, 3 * e + 3) % n), v = (nf_vid)(mix(stream, 3 * e + 4) % n);
        ok = arcs_add(&a, u, v, p->w[mix(stream, 3 * e + 5) % p->count] + (tilted ? tilt(u, v) : 0));
    }
    snprintf(out->name, sizeof out->name, "seeded-%zu", i);
    out->size = SIZE_TINY;
    const nf_status st = ok ? build(ctx, n, &a, p->type, flags, BY_COO, &out->graph) : NF_ENOMEM;
    arcs_free(&a);
    return st;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

#define WRITTEN (sizeof written_graphs / sizeof written_graphs[0])
#define FORMED (sizeof formed_graphs / sizeof formed_graphs[0])
#define GROWN (sizeof grown_graphs / sizeof grown_graphs[0])

size_t corpus_count(void)
{
    return WRITTEN + SEEDED + FORMED + GENERATOR_VARIANTS * generator_count() + GROWN;
}

nf_status corpus_get(nf_context *ctx, size_t i, uint64_t seed, corpus_graph *graph)
{
    const size_t generated = GENERATOR_VARIANTS * generator_count();
    memset(graph, 0, sizeof *graph);
    if (i < WRITTEN)
        return make_written(ctx, &written_graphs[i], graph);
    i -= WRITTEN;
    if (i < SEEDED)
        return make_seeded(ctx, i, seed, graph);
    i -= SEEDED;
    if (i < FORMED)
        return make_formed(ctx, &formed_graphs[i], graph);
    i -= FORMED;
    if (i < generated)
        return make_generated(ctx, i, graph);
    i -= generated;
    return i < GROWN ? make_grown(ctx, &grown_graphs[i], graph) : NF_ENOTFOUND;
}
