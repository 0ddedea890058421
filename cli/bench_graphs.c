/* bench_graphs.c - the graphs that are measured, and the sources, by seed.
 *
 * The ratio table has kron and uniform (2^scale vertices, edge factor 16), a square grid (1448 x 1448 at scale 20), the
 * roads of New York (a file, as it is) and delaunay (2^(scale - 2)), weights 1..255 but for the roads. Other parts make
 * theirs from a bench_spec.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define ROAD_FILE "road/USA-road-d.NY.gr.gz"
#define GRID_SIDE 1448.0 /* at scale 20 */
#define CHAIN 30000.0    /* vertices of seed 003's graph at scale 22 */
#define CHAIN_SOURCE 2465.0

nf_status bench_make(const bench *b, nf_context *ctx, const bench_spec *spec, nf_graph **out)
{
    nf_generate_options o = {.size = sizeof o};
    nf_status st = nf_generate_defaults(spec->kind, &o);
    if (st != NF_OK)
        return st;
    o.n = spec->n;
    o.scale = spec->scale;
    o.edge_factor = spec->edge_factor > 0 ? spec->edge_factor : o.edge_factor;
    o.edges = spec->edges;
    o.k = spec->k > 0 ? spec->k : o.k;
    o.p = spec->p > 0 ? spec->p : o.p;
    o.drop = spec->drop;
    if (spec->a > 0)
        o.a = spec->a, o.b = spec->b, o.c = spec->c;
    o.weight_min = spec->low;
    o.weight_max = spec->high;
    o.weight_type = spec->type;
    o.seed = b->seed + spec->salt;
    o.directed = o.directed || spec->directed;
    o.keep_duplicates = o.keep_duplicates || spec->keep_duplicates;
    return nf_generate(ctx, &o, out);
}

/* ---- seed 003's graph -------------------------------------------------------------------------------------------- */

bench_spec bench_chain_spec(const bench *b, double arcs)
{
    const uint64_t n = (uint64_t)lround(CHAIN * exp2(((double)b->scale - 22) / 2)), most = n * (n - 1) / 2;
    const bench_spec spec = {.name = "dag",
                             .kind = "dag-chain",
                             .n = n,
                             .edges = arcs > (double)most ? most
                                      : arcs < (double)n  ? n
                                                          : (uint64_t)arcs};
    return spec;
}

/* Numbers for n vertices, by seed; NULL when there is no memory. */
static nf_vid *shuffled(const bench *b, nf_vid n)
{
    nf_vid *name = malloc(((size_t)n + 1) * sizeof *name);
    uint64_t x = b->seed;
    for (nf_vid v = 0; name != NULL && v < n; v++) {
        const nf_vid at = bench_draw(&x, v + 1);
        if (at != v)
            name[v] = name[at];
        name[at] = v;
    }
    return name;
}

nf_status bench_chain_source(const bench *b, nf_vid n, bool hidden, nf_vid *out)
{
    const nf_vid v = (nf_vid)(CHAIN_SOURCE / CHAIN * n);
    nf_vid *name = hidden ? shuffled(b, n) : NULL;
    *out = name != NULL ? name[v] : v;
    free(name);
    return hidden && name == NULL ? NF_ENOMEM : NF_OK;
}

/* Arcs under new names, into arrays of g->m each. */
static void rename_arcs(const bench *b, const nf_csr *g, const nf_vid *name, nf_vid *from, nf_vid *to, int32_t *weight)
{
    uint64_t x = b->seed + 1;
    for (nf_vid u = 0; u < g->n; u++) {
        const uint64_t end = g->off32 != NULL ? g->off32[u + 1] : g->off64[u + 1];
        for (uint64_t e = g->off32 != NULL ? g->off32[u] : g->off64[u]; e < end; e++) {
            const int32_t w = ((const int32_t *)g->weights)[e];
            from[e] = name[u];
            to[e] = name[g->adj[e]];
            weight[e] = g->adj[e] == u + 1 && w == 1 ? 1 + (int32_t)bench_draw(&x, 3) : w;
        }
    }
}

nf_status bench_chain_hide(const bench *b, nf_context *ctx, const bench_spec *spec, nf_graph **out)
{
    nf_graph *plain = NULL;
    nf_csr g = {.n = 0};
    nf_status st = bench_make(b, ctx, spec, &plain);
    if (st == NF_OK)
        st = nf_graph_view(ctx, plain, &g);
    nf_vid *name = shuffled(b, g.n), *from = malloc((g.m + 1) * sizeof *from), *to = malloc((g.m + 1) * sizeof *to);
    int32_t *weight = malloc((g.m + 1) * sizeof *weight);
    if (st == NF_OK && (name == NULL || from == NULL || to == NULL || weight == NULL))
        st = NF_ENOMEM;
    if (st == NF_OK) {
        const nf_coo coo = {
            .n = g.n, .m = g.m, .src = from, .dst = to, .weight_type = g.weight_type, .weights = weight};
        rename_arcs(b, &g, name, from, to, weight);
        st = nf_graph_from_coo(ctx, &coo, NULL, out);
    }
    free(name);
    free(from);
    free(to);
    free(weight);
    nf_graph_free(plain);
    return st;
}

/* ---- the ratio table's ------------------------------------------------------------------------------------------- */

static const char *const names[] = {"kron", "uniform", "grid", "ny", "delaunay"};

const char *bench_graph_name(size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* $NEARFAR_DATA, else ../shared/data, else the folder itself. */
static nf_status read_roads(nf_context *ctx, nf_graph **out)
{
    const char *folders[] = {getenv("NEARFAR_DATA"), "../shared/data", "."};
    char path[4096];
    for (size_t i = 0; i < 3; i++) {
        if (folders[i] == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folders[i], ROAD_FILE);
        if (access(path, R_OK) == 0)
            return nf_graph_read(ctx, path, NULL, out);
    }
    return NF_ENOTFOUND;
}

nf_status bench_graph_make(const bench *b, nf_context *ctx, const char *name, nf_graph **out)
{
    const double side = GRID_SIDE * exp2(((double)b->scale - 20.0) / 2.0);
    const bench_spec specs[] = {
        {.name = "kron", .kind = "kronecker", .scale = b->scale, .edge_factor = 16, .low = 1, .high = 255},
        {.name = "uniform", .kind = "uniform", .scale = b->scale, .edge_factor = 16, .low = 1, .high = 255},
        {.name = "grid", .kind = "grid2d", .n = (uint64_t)(lround(side) * lround(side)), .low = 1, .high = 255},
        {.name = "delaunay", .kind = "delaunay", .scale = b->scale - 2, .low = 1, .high = 255}};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        if (strcmp(specs[i].name, name) == 0)
            return bench_make(b, ctx, &specs[i], out);
    return read_roads(ctx, out);
}

nf_vid bench_draw(uint64_t *seed, nf_vid n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (nf_vid)((*seed >> 33) % n);
}

bool bench_sources(const bench *b, const nf_graph *graph, nf_vid *sources, unsigned count)
{
    nf_csr g;
    uint64_t x = b->seed;
    if (nf_graph_view(NULL, graph, &g) != NF_OK || g.n == 0 || g.m == 0)
        return false;
    for (unsigned i = 0; i < count;) {
        const nf_vid v = bench_draw(&x, g.n);
        const bool out = g.off32 != NULL ? g.off32[v] != g.off32[v + 1] : g.off64[v] != g.off64[v + 1];
        if (out)
            sources[i++] = v;
    }
    return true;
}

int bench_over_graphs(bench *b, bench_table *t,
                      int (*each)(bench *b, const char *name, const nf_graph *g, int threads, bench_table *t))
{
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && bench_graph_name(i) != NULL; i++) {
        const char *name = bench_graph_name(i);
        nf_graph *g = NULL;
        if (!bench_listed(b->app->args.graphs, name))
            continue;
        const nf_status st = bench_graph_make(b, b->app->ctx, name, &g);
        if (st != NF_OK && st != NF_ENOTFOUND)
            code = cli_fail(b->app, st);
        for (size_t k = 0; code == CLI_OK && st == NF_OK && k < b->thread_count; k++)
            code = each(b, name, g, b->threads[k], t);
        nf_graph_free(g);
    }
    return code;
}
