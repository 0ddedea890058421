/* generate.c - the public face of the generators: their list, their defaults, the checks and the steps that all kinds
 * share.
 *
 * Method: check once, here (plan), then make edges, weights and names, then let nf__graph_build do the rest.
 * Invariants: N1 .. N3 of generate.h; nothing is allocated before the memory for all of it was foreseen.
 * Cost: that of the kind, plus O(n + m) for building; memory about three copies of the edges at the peak.
 */
#include "graph/generate.h"

#define MOST_EDGES \
    ((uint64_t)1 << 48) /* beyond this no sum of bytes below can overflow, and no machine can hold it \
                                        */

static const nf__generator *const kinds[] = {
    &nf__gen_rmat,      &nf__gen_kronecker, &nf__gen_uniform,        &nf__gen_forest_fire, &nf__gen_small_world,
    &nf__gen_grid2d,    &nf__gen_grid3d,    &nf__gen_delaunay,       &nf__gen_road,        &nf__gen_complete,
    &nf__gen_bipartite, &nf__gen_star,      &nf__gen_path,           &nf__gen_tree,        &nf__gen_hub,
    &nf__gen_dag_chain, &nf__gen_negative,  &nf__gen_negative_cycle,
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

const nf_generator_info *nf_generator_get(size_t i)
{
    return i < KIND_COUNT ? &kinds[i]->info : NULL;
}

static nf_status find_kind(const char *name, const nf__generator **out)
{
    const char *names[KIND_COUNT];
    char near[128];
    if (name == NULL)
        return nf__fail(NF_EINVAL, "no kind of graph to generate was named");
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i]->info.name;
        if (strcmp(name, names[i]) == 0) {
            *out = kinds[i];
            return NF_OK;
        }
    }
    nf__nearest_names(name, names, KIND_COUNT, near, sizeof near);
    if (near[0] == '\0')
        return nf__fail(NF_ENOTFOUND, "there is no generator '%s'", name);
    return nf__fail(NF_ENOTFOUND, "there is no generator '%s'; did you mean %s?", name, near);
}

nf_status nf_generate_defaults(const char *kind, nf_generate_options *options)
{
    nf_status st = NF_OK;
    const nf__generator *gen = NULL;
    if (options == NULL || options->size < sizeof options->size)
        return nf__fail(NF_EINVAL, "nf_generate_defaults: options must be given with their size set");
    NF_TRY(find_kind(kind, &gen));
    const size_t size = options->size;
    nf_generate_options o = gen->defaults;
    o.kind = gen->info.name;
    if (o.a == 0 && o.b == 0 && o.c == 0) /* unused by this kind; set, so that no shape is all zeros by accident */
        o.a = nf__gen_kronecker.defaults.a, o.b = nf__gen_kronecker.defaults.b, o.c = nf__gen_kronecker.defaults.c;
    memset(options, 0, size);
    memcpy(options, &o, size < sizeof o ? size : sizeof o);
    options->size = size;
done:
    return st;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

nf_status nf__gen_check_share(const char *name, double value)
{
    if (value >= 0 && value <= 1)
        return NF_OK;
    return nf__fail(NF_EINVAL, "%s must be between 0 and 1, not %g", name, value);
}

nf_status nf__gen_plan_n(nf__gen *g, uint64_t most)
{
    uint64_t n = g->o.n;
    if (n == 0 && g->o.scale > 32)
        return nf__fail(NF_EINVAL, "scale must be at most 32, not %u", g->o.scale);
    if (n == 0)
        n = UINT64_C(1) << g->o.scale;
    if (n > most || n >= NF_NO_VERTEX)
        return nf__fail(NF_EINVAL, "%s: %llu vertices are too many; at most %llu", g->o.kind, (unsigned long long)n,
                        (unsigned long long)(most < NF_NO_VERTEX ? most : NF_NO_VERTEX - 1));
    g->n = (nf_vid)n;
    return NF_OK;
}

nf_status nf__gen_plan_m(nf__gen *g)
{
    const double product = g->o.edge_factor * (double)g->n;
    if (g->o.edges > MOST_EDGES)
        return nf__fail(NF_EINVAL, "%llu edges are too many; at most 2^48", (unsigned long long)g->o.edges);
    g->m = g->o.edges;
    if (g->o.edges != 0)
        return NF_OK;
    if (!(product >= 0 && product <= (double)MOST_EDGES))
        return nf__fail(NF_EINVAL, "edge factor %g is out of range: it must be at least 0 and give at most 2^48 edges",
                        g->o.edge_factor);
    g->m = (nf_eid)rint(product);
    return NF_OK;
}

static bool is_whole(double x)
{
    return x == floor(x);
}

/* Settles the type of the weights from what was asked for, and the range where none was. */
static void settle_weights(nf__gen *g, const nf__generator *kind)
{
    const bool own = kind->weight != NULL && (!g->has_range || (kind->flags & NF__GEN_OWN_RANGE) != 0);
    g->weight_type = g->o.weight_type;
    if (g->weight_type == NF_NONE && g->has_range) {
        const bool whole = is_whole(g->lo) && is_whole(g->hi);
        g->weight_type = !whole ? NF_F32 : g->lo >= 0 && g->hi > (double)INT32_MAX ? NF_U32 : NF_I32;
    } else if (g->weight_type == NF_NONE) {
        g->weight_type = kind->own_type;
    } else if (!g->has_range && !own) {
        g->lo = nf__is_float(g->weight_type) ? 0.0 : 1.0;
        g->hi = nf__is_float(g->weight_type) ? 1.0 : 255.0;
    }
}

static nf_status check_weights(nf__gen *g, const nf__generator *kind)
{
    g->lo = g->o.weight_min, g->hi = g->o.weight_max;
    g->has_range = g->lo != 0 || g->hi != 0;
    if (!isfinite(g->lo) || !isfinite(g->hi) || g->lo > g->hi)
        return nf__fail(NF_EINVAL, "the range of weights %g:%g is not a range of finite numbers, least first", g->lo,
                        g->hi);
    if (!nf__is_weight_type(g->o.weight_type))
        return nf__fail(NF_EINVAL, "weights cannot be %s; they can be i32, u32, f32 or f64",
                        nf_type_name(g->o.weight_type));
    settle_weights(g, kind);
    const nf_type type = g->weight_type;
    const double least = type == NF_I32   ? (double)INT32_MIN
                         : type == NF_U32 ? 0.0
                         : type == NF_F32 ? -0x1.fffffep127
                                          : -INFINITY;
    const double most = type == NF_I32   ? (double)INT32_MAX
                        : type == NF_U32 ? (double)UINT32_MAX
                        : type == NF_F32 ? 0x1.fffffep127
                                         : INFINITY;
    if (g->lo < least || g->hi > most || !isfinite(g->hi - g->lo))
        return nf__fail(NF_EINVAL, "weights %g:%g do not fit the type %s", g->lo, g->hi, nf_type_name(type));
    if (!nf__is_float(type) && !(is_whole(g->lo) && is_whole(g->hi)))
        return nf__fail(NF_EINVAL, "weights of type %s need a range of whole numbers, not %g:%g", nf_type_name(type),
                        g->lo, g->hi);
    return NF_OK;
}

static bool shape_is_zero(const nf_generate_options *o)
{
    return o->n == 0 && o->scale == 0 && o->edges == 0 && o->edge_factor == 0 && o->a == 0 && o->b == 0 && o->c == 0
           && o->k == 0 && o->p == 0 && o->forward == 0 && o->backward == 0 && o->rows == 0 && o->cols == 0
           && o->depth == 0 && o->drop == 0;
}

/* Options that name a kind and nothing of its shape mean its defaults, as zeroed options do everywhere. */
static void complete_options(nf_generate_options *o, const nf__generator *kind)
{
    o->kind = kind->info.name;
    if (!shape_is_zero(o))
        return;
    const nf_generate_options given = *o;
    *o = kind->defaults;
    o->size = given.size, o->kind = given.kind, o->seed = given.seed;
    o->directed = given.directed, o->keep_duplicates = given.keep_duplicates;
    o->permute = given.permute || kind->defaults.permute;
    if (given.weight_min != 0 || given.weight_max != 0)
        o->weight_min = given.weight_min, o->weight_max = given.weight_max;
    if (given.weight_type != NF_NONE)
        o->weight_type = given.weight_type;
}

/* Edges as made, the symmetrised copy that building makes of them, and its sorted result. */
static nf_status foresee(const nf__gen *g, bool directed)
{
    const uint64_t width = nf_type_size(g->weight_type);
    const uint64_t arcs = directed ? g->m : 2 * g->m;
    const uint64_t bytes = g->m * (8 + width) + 2 * arcs * (4 + width) + 24 * (uint64_t)g->n + g->extra_bytes;
    return nf__mem_foresee(g->mem, bytes, "the generated graph");
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static nf_status plan(nf__gen *g, const nf__generator *kind)
{
    nf_status st = NF_OK;
    for (uint64_t i = 0; i < NF__KEY_COUNT; i++)
        g->key[i] = nf__hash64(nf__hash64(g->o.seed, 0) ^ UINT64_C(0x6e656172666172), i);
    NF_TRY(check_weights(g, kind));
    NF_TRY(kind->plan(g));
    g->shuffle = nf__shuffle_make(g->key[NF__KEY_PERMUTE], g->n);
    NF_TRY(foresee(g, g->o.directed));
done:
    return st;
}

static nf_status build(nf__gen *g, nf_graph **out)
{
    nf_status st = NF_OK;
    const uint32_t flags =
        (g->o.directed ? 0u : NF_BUILD_UNDIRECTED) | (g->o.keep_duplicates ? 0u : NF_BUILD_DROP_LOOPS);
    nf_graph *graph = NULL;
    nf__free(g->aux);
    g->aux = NULL;
    NF_TRY(nf__graph_build(g->ctx, &g->arcs, flags, g->o.keep_duplicates ? NF_DUP_KEEP : NF_DUP_MIN, &graph));
    if (g->xy != NULL)
        nf__graph_take_coordinates(graph, g->xy);
    g->xy = NULL;
    nf__graph_describe(graph, "generated", "%s, seed %llu, %s, %s weights", g->o.kind, (unsigned long long)g->o.seed,
                       g->o.directed ? "directed" : "undirected",
                       g->weight_type == NF_NONE ? "no" : nf_type_name(g->weight_type));
    *out = graph;
done:
    return st;
}

static nf_status generate(nf__gen *g, const nf__generator *kind, nf_graph **out)
{
    nf_status st = NF_OK;
    if ((kind->flags & NF__GEN_DIRECTED) != 0)
        g->o.directed = true;
    NF_TRY(plan(g, kind));
    NF_TRY(kind->make(g));
    NF_TRY(nf__gen_weigh(g, kind));
    if (g->o.permute)
        NF_TRY(nf__gen_permute(g));
    NF_TRY(build(g, out));
done:
    nf__arcs_free(&g->arcs);
    nf__free(g->xy);
    nf__free(g->aux);
    return st;
}

nf_status nf_generate(nf_context *ctx, const nf_generate_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    const nf__generator *kind = NULL;
    nf__gen g;
    if (out == NULL)
        return nf__fail(NF_EINVAL, "nf_generate: out is NULL");
    *out = NULL;
    if (options == NULL)
        return nf__fail(NF_EINVAL, "nf_generate: options must name a kind");
    memset(&g, 0, sizeof g);
    NF_TAKE_OPTIONS(g.o, options);
    NF_TRY(find_kind(g.o.kind, &kind));
    complete_options(&g.o, kind);
    NF_TRY(nf__enter(&ctx, &owned));
    g.ctx = ctx, g.mem = nf__context_mem(ctx), g.threads = nf__context_threads(ctx);
    st = nf__leave(ctx, owned, generate(&g, kind, out));
done:
    return st;
}
