/* test_generate.c - the generators through the public API: shape of every kind, weights, seeds and threads, bad parameters, failures.
 *
 * What is checked is stated as a property of the graph (degrees, distances, empty circles), never as a recorded output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nearfar.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------------- */

static nf_generate_options defaults(const char *kind)
{
    nf_generate_options o = {.size = sizeof o};
    assert_int_equal(nf_generate_defaults(kind, &o), NF_OK);
    assert_string_equal(o.kind, kind);
    o.seed = 1;
    return o;
}

static nf_generate_options of_size(const char *kind, uint64_t n)
{
    nf_generate_options o = defaults(kind);
    o.n = n;
    return o;
}

static nf_graph *generate(const nf_generate_options *o)
{
    nf_graph *g = NULL;
    const nf_status st = nf_generate(NULL, o, &g);
    if (st != NF_OK)
        print_error("%s: %s\n", o->kind, nf_last_error());
    assert_int_equal(st, NF_OK);
    assert_non_null(g);
    return g;
}

static nf_csr view(const nf_graph *g)
{
    nf_csr csr;
    assert_int_equal(nf_graph_view(NULL, g, &csr), NF_OK);
    return csr;
}

static nf_eid off(const nf_csr *csr, nf_vid v)
{
    return csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
}

static nf_eid degree(const nf_csr *csr, nf_vid v)
{
    return off(csr, v + 1) - off(csr, v);
}

static double weight(const nf_csr *csr, nf_eid e)
{
    switch (csr->weight_type) {
    case NF_I32: return ((const int32_t *)csr->weights)[e];
    case NF_U32: return ((const uint32_t *)csr->weights)[e];
    case NF_F32: return (double)((const float *)csr->weights)[e];
    case NF_F64: return ((const double *)csr->weights)[e];
    default: return 1;
    }
}

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

static uint64_t hash_of(const nf_graph *g)
{
    const nf_csr csr = view(g);
    uint64_t h = mix(UINT64_C(14695981039346656037), &csr.n, sizeof csr.n);
    for (nf_vid v = 0; v < csr.n; v++) {
        const nf_eid d = degree(&csr, v);
        h = mix(h, &d, sizeof d);
    }
    h = mix(h, csr.adj, csr.m * sizeof *csr.adj);
    h = mix(h, csr.weights, csr.m * nf_type_size(csr.weight_type));
    const double *xy = nf_graph_coordinates(g);
    return xy == NULL ? h : mix(h, xy, 2 * (size_t)csr.n * sizeof *xy);
}

/* The arc u -> v of a graph with sorted rows, or m. */
static nf_eid find_arc(const nf_csr *csr, nf_vid u, nf_vid v)
{
    nf_eid lo = off(csr, u), hi = off(csr, u + 1);
    while (lo < hi) {
        const nf_eid mid = lo + (hi - lo) / 2;
        if (csr->adj[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < off(csr, u + 1) && csr->adj[lo] == v ? lo : csr->m;
}

/* No loops, no duplicates, rows sorted; if undirected, every arc has its twin of the same weight. */
static void check_simple(const nf_graph *g)
{
    const nf_csr csr = view(g);
    nf_graph_info info = {.size = sizeof info};
    assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
    assert_string_equal(info.format, "generated");
    for (nf_vid u = 0; u < csr.n; u++) {
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            assert_true(csr.adj[e] < csr.n && csr.adj[e] != u);
            assert_true(e == off(&csr, u) || csr.adj[e - 1] < csr.adj[e]);
            if (info.directed)
                continue;
            const nf_eid twin = find_arc(&csr, csr.adj[e], u);
            assert_true(twin < csr.m);
            assert_true(weight(&csr, twin) == weight(&csr, e));
        }
    }
}

static uint64_t reached_from(const nf_graph *g, nf_vid source)
{
    nf_result *r = NULL;
    nf_row_info info = {.size = sizeof info};
    assert_int_equal(nf_bfs(NULL, g, source, NULL, &r), NF_OK);
    assert_int_equal(nf_result_row_info(r, 0, &info), NF_OK);
    nf_result_free(r);
    return info.reached;
}

static nf_graph_stats stats_of(const nf_graph *g)
{
    nf_graph_stats s = {.size = sizeof s};
    assert_int_equal(nf_graph_get_stats(NULL, g, 0, &s), NF_OK);
    return s;
}

static bool is_negative_kind(const char *kind)
{
    return strncmp(kind, "negative", 8) == 0;
}

/* ---- all kinds --------------------------------------------------------------------------------------------------------- */

/* A modest graph of every kind, weighted so that every seed shows. */
static nf_generate_options modest(const char *kind)
{
    nf_generate_options o = of_size(kind, strcmp(kind, "complete") == 0 ? 60 : 5000);
    if (!is_negative_kind(kind))
        o.weight_min = 1, o.weight_max = 1000;
    return o;
}

static uint64_t hash_with(const nf_generate_options *o, int threads)
{
    const nf_context_options co = {.size = sizeof co, .device = "cpu", .threads = threads};
    nf_context *ctx = NULL;
    nf_graph *g = NULL;
    assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
    assert_int_equal(nf_generate(ctx, o, &g), NF_OK);
    check_simple(g);
    const uint64_t h = hash_of(g);
    nf_graph_free(g);
    nf_context_free(ctx);
    return h;
}

static void test_same_at_any_thread_count(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        nf_generate_options o = modest(nf_generator_get(i)->name);
        const uint64_t h = hash_with(&o, 1);
        assert_true(hash_with(&o, 2) == h);
        assert_true(hash_with(&o, 8) == h);
        o.permute = !o.permute;
        assert_true(hash_with(&o, 8) != h);
        assert_true(hash_with(&o, 8) == hash_with(&o, 1));
        o.permute = !o.permute;
        o.seed = 2;
        assert_true(hash_with(&o, 2) != h);
    }
}

static void test_list_and_defaults(void **state)
{
    (void)state;
    static const char *const wanted[] = {"rmat", "kronecker", "uniform", "forest-fire", "small-world", "grid2d", "grid3d",
                                         "delaunay", "road", "complete", "dag-chain", "hub", "star", "path", "tree", "bipartite",
                                         "negative", "negative-cycle"};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        bool found = false;
        for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
            assert_true(strlen(nf_generator_get(i)->summary) > 10 && strlen(nf_generator_get(i)->parameters) > 0);
            found = found || strcmp(nf_generator_get(i)->name, wanted[w]) == 0;
        }
        assert_true(found);
    }
    assert_null(nf_generator_get(1000));
    const nf_generate_options k = defaults("kronecker");
    assert_true(k.a == 0.57 && k.b == 0.19 && k.c == 0.19 && k.edge_factor == 16 && k.permute);
    const nf_generate_options f = defaults("forest-fire");
    assert_true(f.forward == 0.35 && f.backward == 0.32);
    assert_int_equal(defaults("dag-chain").n, 30000);
}

/* Options that name a kind and no shape mean its defaults. */
static void test_zeroed_options_mean_defaults(void **state)
{
    (void)state;
    const nf_generate_options bare = {.size = sizeof bare, .kind = "complete", .seed = 1}, full = defaults("complete");
    nf_graph *a = generate(&bare), *b = generate(&full);
    assert_int_equal(nf_graph_n(a), 1024);
    assert_true(hash_of(a) == hash_of(b));
    nf_graph_free(a);
    nf_graph_free(b);
}

/* Structs of an older, shorter header are filled and read up to their size. */
static void test_short_options(void **state)
{
    (void)state;
    nf_generate_options o;
    memset(&o, 0x5a, sizeof o);
    o.size = offsetof(nf_generate_options, a);
    assert_int_equal(nf_generate_defaults("path", &o), NF_OK);
    assert_int_equal(o.size, offsetof(nf_generate_options, a));
    assert_int_equal(((const unsigned char *)&o.a)[0], 0x5a);
    o.n = 10;
    nf_graph *g = generate(&o);
    assert_int_equal(nf_graph_m(g), 18);
    nf_graph_free(g);
}

static void test_smallest_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        const char *kind = nf_generator_get(i)->name;
        for (uint64_t n = 1; n <= 40; n++) {
            nf_generate_options o = of_size(kind, n);
            o.k = o.k > n - 1 ? (uint32_t)(n - 1) / 2 * 2 : o.k;
            if (strcmp(kind, "tree") == 0 || strcmp(kind, "hub") == 0)
                o.k = 1;
            if (strcmp(kind, "negative-cycle") == 0) {
                if (n == 1)
                    continue;
                o.k = 2;
            }
            nf_graph *g = generate(&o);
            assert_true(nf_graph_n(g) <= n && nf_graph_n(g) >= (n + 1) / 2);
            check_simple(g);
            nf_graph_free(g);
        }
    }
}

static void test_no_edges(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rmat", "kronecker", "uniform", "bipartite", "hub", "negative"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nf_generate_options o = of_size(kinds[i], 100);
        o.edge_factor = 0;
        nf_graph *g = generate(&o);
        assert_int_equal(nf_graph_n(g), 100);
        assert_int_equal(nf_graph_m(g), 0);
        nf_graph_free(g);
    }
}

/* ---- weights and names ------------------------------------------------------------------------------------------------- */

static void check_range(nf_type type, nf_type expected, double lo, double hi, double lowest_seen, double highest_seen)
{
    nf_generate_options o = of_size("uniform", 2000);
    o.weight_min = lo, o.weight_max = hi, o.weight_type = type;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const nf_graph_stats s = stats_of(g);
    assert_int_equal(csr.weight_type, expected);
    assert_true(s.weight_min >= lo && s.weight_max <= hi);
    assert_true(s.weight_min <= lowest_seen && s.weight_max >= highest_seen);
    check_simple(g);
    nf_graph_free(g);
}

static void test_weight_ranges(void **state)
{
    (void)state;
    check_range(NF_NONE, NF_I32, 1, 10, 1, 10);
    check_range(NF_NONE, NF_I32, -5, 5, -5, 5);
    check_range(NF_NONE, NF_F32, 0.25, 0.75, 0.26, 0.74);
    check_range(NF_NONE, NF_U32, 0, 4294967295.0, 1e7, 4.28e9);
    check_range(NF_I32, NF_I32, -2147483648.0, 2147483647.0, -2.1e9, 2.1e9);
    check_range(NF_U32, NF_U32, 7, 9, 7, 9);
    check_range(NF_F32, NF_F32, 1, 2, 1.01, 1.99);
    check_range(NF_F64, NF_F64, -1, 1, -0.99, 0.99);
    check_range(NF_I32, NF_I32, 3, 3, 3, 3);
}

static void test_weight_type_without_range(void **state)
{
    (void)state;
    nf_generate_options o = of_size("grid2d", 10000);
    o.weight_type = NF_U32;
    nf_graph *g = generate(&o);
    assert_true(stats_of(g).weight_min == 1 && stats_of(g).weight_max == 255);
    nf_graph_free(g);
    o.weight_type = NF_F64;
    g = generate(&o);
    assert_true(stats_of(g).weight_min >= 0 && stats_of(g).weight_max <= 1 && stats_of(g).weight_mean > 0.45);
    nf_graph_free(g);
    o = of_size("road", 2000);
    o.weight_type = NF_F64; /* the kind's own weights in another type */
    g = generate(&o);
    assert_int_equal(view(g).weight_type, NF_F64);
    assert_true(stats_of(g).weight_max > 10);
    nf_graph_free(g);
}

static int by_value(const void *a, const void *b)
{
    const nf_eid x = *(const nf_eid *)a, y = *(const nf_eid *)b;
    return (x > y) - (x < y);
}

static nf_eid *sorted_degrees(const nf_graph *g)
{
    const nf_csr csr = view(g);
    nf_eid *d = malloc(csr.n * sizeof *d);
    assert_non_null(d);
    for (nf_vid v = 0; v < csr.n; v++)
        d[v] = degree(&csr, v);
    qsort(d, csr.n, sizeof *d, by_value);
    return d;
}

/* Renumbering keeps degrees, edge lengths and weights. */
static void test_permute(void **state)
{
    (void)state;
    nf_generate_options o = of_size("grid2d", 2500);
    o.weight_min = 1, o.weight_max = 100;
    nf_graph *a = generate(&o);
    o.permute = true;
    nf_graph *b = generate(&o);
    nf_eid *da = sorted_degrees(a), *db = sorted_degrees(b);
    assert_memory_equal(da, db, 2500 * sizeof *da);
    assert_true(stats_of(a).weight_mean == stats_of(b).weight_mean);
    const double *xy = nf_graph_coordinates(b);
    const nf_csr csr = view(b);
    uint64_t moved = 0;
    for (nf_vid u = 0; u < csr.n; u++) {
        moved += xy[2 * u] + 50 * xy[2 * u + 1] != u;
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            const nf_vid v = csr.adj[e];
            assert_true(fabs(xy[2 * u] - xy[2 * v]) + fabs(xy[2 * u + 1] - xy[2 * v + 1]) == 1);
        }
    }
    assert_true(moved > 2400);
    free(da);
    free(db);
    nf_graph_free(a);
    nf_graph_free(b);
}

static void test_directed_and_duplicates(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rmat", "uniform", "hub", "small-world", "bipartite"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nf_generate_options o = of_size(kinds[i], 300);
        o.edges = 3000;
        o.directed = o.keep_duplicates = true;
        nf_graph *g = generate(&o);
        const nf_eid m = strcmp(kinds[i], "small-world") == 0 ? 1500 : 3000;
        assert_int_equal(nf_graph_m(g), m);
        nf_graph_free(g);
        o.keep_duplicates = false;
        g = generate(&o);
        assert_true(nf_graph_m(g) < m && nf_graph_m(g) > m / 2);
        check_simple(g);
        nf_graph_free(g);
    }
}

/* ---- one kind each ----------------------------------------------------------------------------------------------------- */

static void test_rmat(void **state)
{
    (void)state;
    nf_generate_options o = defaults("kronecker");
    o.scale = 12;
    nf_graph *g = generate(&o);
    assert_int_equal(nf_graph_n(g), 4096);
    assert_true(nf_graph_m(g) > 4096 * 16 && nf_graph_m(g) <= 2 * 4096 * 16);
    const nf_graph_stats s = stats_of(g);
    assert_true(s.degree_deviation > 2 * s.degree_mean && (double)s.degree_max > 20 * s.degree_mean);
    nf_graph_free(g);
    o.a = o.b = o.c = 0.25; /* no skew: a uniform graph */
    g = generate(&o);
    assert_true((double)stats_of(g).degree_max < 3 * stats_of(g).degree_mean);
    nf_graph_free(g);
    o.a = o.b = o.c = 0; /* all edges in the last corner, which lies outside when n is no power of two */
    o.n = 3000;
    g = generate(&o);
    assert_int_equal(nf_graph_m(g), 0);
    nf_graph_free(g);
}

/* The share of arcs in each quadrant of the matrix is a, b, c, d. */
static void test_rmat_quadrants(void **state)
{
    (void)state;
    nf_generate_options o = of_size("rmat", 1024);
    o.a = 0.4, o.b = 0.3, o.c = 0.2, o.edges = 200000;
    o.directed = o.keep_duplicates = true;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    double seen[4] = {0};
    for (nf_vid u = 0; u < csr.n; u++)
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++)
            seen[2 * (u >= 512) + (csr.adj[e] >= 512)] += 1.0 / 200000;
    assert_true(fabs(seen[0] - 0.4) < 0.01 && fabs(seen[1] - 0.3) < 0.01 && fabs(seen[2] - 0.2) < 0.01);
    nf_graph_free(g);
}

static void test_uniform(void **state)
{
    (void)state;
    nf_generate_options o = of_size("uniform", 3000);
    o.edges = 30000;
    nf_graph *g = generate(&o);
    const nf_graph_stats s = stats_of(g);
    assert_true(nf_graph_m(g) > 59000 && nf_graph_m(g) <= 60000);
    assert_true(fabs(s.degree_deviation * s.degree_deviation / s.degree_mean - 1) < 0.15); /* Poisson */
    nf_graph_free(g);
}

static void test_forest_fire(void **state)
{
    (void)state;
    nf_generate_options o = of_size("forest-fire", 20000);
    o.directed = true;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    for (nf_vid u = 0; u < csr.n; u++) {
        assert_true(u == 0 || degree(&csr, u) >= 1);
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++)
            assert_true(csr.adj[e] < u);
    }
    assert_true(csr.m > 40000 && csr.m < 400000);
    nf_graph_free(g);
    o.directed = false;
    g = generate(&o);
    assert_int_equal(reached_from(g, 0), 20000);
    assert_true((double)stats_of(g).degree_max > 20 * stats_of(g).degree_mean);
    nf_graph_free(g);
    o.forward = o.backward = 0; /* only ambassadors: a random tree */
    g = generate(&o);
    assert_int_equal(nf_graph_m(g), 2 * 19999);
    nf_graph_free(g);
}

static void test_small_world(void **state)
{
    (void)state;
    nf_generate_options o = of_size("small-world", 10000);
    o.p = 0;
    nf_graph *g = generate(&o);
    nf_csr csr = view(g);
    for (nf_vid v = 0; v < csr.n; v++)
        assert_int_equal(degree(&csr, v), 10);
    nf_graph_free(g);
    o.p = 0.3;
    g = generate(&o);
    csr = view(g);
    uint64_t far = 0;
    for (nf_vid u = 0; u < csr.n; u++)
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            const nf_vid gap = u > csr.adj[e] ? u - csr.adj[e] : csr.adj[e] - u;
            far += gap > 5 && gap < csr.n - 5;
        }
    assert_true(fabs(stats_of(g).degree_mean - 10) < 0.05);
    assert_true(fabs((double)far / (double)csr.m - 0.3) < 0.02);
    nf_graph_free(g);
}

static void test_grid2d(void **state)
{
    (void)state;
    nf_generate_options o = defaults("grid2d");
    o.rows = 30, o.cols = 70;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const double *xy = nf_graph_coordinates(g);
    assert_int_equal(csr.n, 2100);
    assert_int_equal(csr.m, 2 * (30 * 69 + 29 * 70));
    for (nf_vid v = 0; v < csr.n; v++) {
        const nf_vid r = v / 70, c = v % 70;
        assert_int_equal(degree(&csr, v), 4 - (r == 0) - (r == 29) - (c == 0) - (c == 69));
        assert_true(xy[2 * v] == c && xy[2 * v + 1] == r);
    }
    assert_int_equal(reached_from(g, 0), 2100);
    nf_graph_free(g);
    o.drop = 0.25;
    g = generate(&o);
    assert_true(fabs((double)nf_graph_m(g) / (2 * (30 * 69 + 29 * 70)) - 0.75) < 0.04);
    nf_graph_free(g);
    o.drop = 1;
    g = generate(&o);
    assert_int_equal(nf_graph_m(g), 0);
    nf_graph_free(g);
}

static void test_grid3d(void **state)
{
    (void)state;
    nf_generate_options o = defaults("grid3d");
    o.rows = 5, o.cols = 6, o.depth = 7;
    nf_graph *g = generate(&o);
    assert_int_equal(nf_graph_n(g), 210);
    assert_int_equal(nf_graph_m(g), 2 * (4 * 42 + 5 * 35 + 6 * 30));
    nf_graph_free(g);
    o.rows = o.cols = o.depth = 0;
    o.n = 1000;
    g = generate(&o);
    assert_int_equal(nf_graph_n(g), 1000);
    assert_int_equal(nf_graph_m(g), 2 * 3 * 900);
    nf_graph_free(g);
}

static void test_trees(void **state)
{
    (void)state;
    nf_generate_options o = of_size("star", 1000);
    nf_graph *g = generate(&o);
    nf_csr csr = view(g);
    assert_int_equal(degree(&csr, 0), 999);
    for (nf_vid v = 1; v < 1000; v++)
        assert_int_equal(degree(&csr, v), 1);
    nf_graph_free(g);
    o = of_size("path", 1000);
    g = generate(&o);
    csr = view(g);
    for (nf_vid v = 0; v < 1000; v++)
        assert_int_equal(degree(&csr, v), v == 0 || v == 999 ? 1 : 2);
    assert_int_equal(reached_from(g, 0), 1000);
    nf_graph_free(g);
    o = of_size("tree", 1000);
    o.k = 3;
    g = generate(&o);
    csr = view(g);
    assert_int_equal(csr.m, 2 * 999);
    assert_int_equal(reached_from(g, 0), 1000);
    for (nf_vid v = 0; v < 333; v++)
        assert_int_equal(degree(&csr, v), v == 0 ? 3 : 4);
    nf_graph_free(g);
}

static void test_complete(void **state)
{
    (void)state;
    nf_generate_options o = of_size("complete", 100);
    nf_graph *g = generate(&o);
    assert_int_equal(nf_graph_m(g), 100 * 99);
    assert_int_equal(view(g).weight_type, NF_I32);
    check_simple(g);
    nf_graph_free(g);
    o.directed = true;
    g = generate(&o);
    const nf_csr csr = view(g);
    assert_int_equal(csr.m, 100 * 99);
    uint64_t differ = 0;
    for (nf_vid u = 0; u < 100; u++)
        for (nf_vid v = 0; v < u; v++)
            differ += weight(&csr, find_arc(&csr, u, v)) != weight(&csr, find_arc(&csr, v, u));
    assert_true(differ > 4000);
    nf_graph_free(g);
}

static void test_bipartite(void **state)
{
    (void)state;
    nf_generate_options o = defaults("bipartite");
    o.rows = 100, o.cols = 400;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    assert_int_equal(csr.n, 500);
    assert_true(csr.m > 6000);
    for (nf_vid u = 0; u < csr.n; u++)
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++)
            assert_true((u < 100) != (csr.adj[e] < 100));
    nf_graph_free(g);
}

static void test_hub(void **state)
{
    (void)state;
    nf_generate_options o = of_size("hub", 20000);
    o.k = 3;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const nf_graph_stats s = stats_of(g);
    uint64_t hubs = 0;
    for (nf_vid v = 0; v < csr.n; v++)
        hubs += (double)degree(&csr, v) > 100 * s.degree_mean;
    assert_int_equal(hubs, 3);
    assert_true(s.degree_mean < 6 && s.degree_max > 2500);
    nf_graph_free(g);
}

static void check_dag_chain(uint64_t n, uint64_t edges)
{
    nf_generate_options o = of_size("dag-chain", n);
    o.edges = edges;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    nf_eid least = n, most = 0;
    assert_int_equal(csr.m, edges);
    for (nf_vid u = 0; u < csr.n; u++) {
        const nf_eid d = degree(&csr, u), room = n - 1 - u;
        assert_true(d <= room);
        if (d < room)
            least = d < least ? d : least;
        most = d > most ? d : most;
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            assert_true(csr.adj[e] > u);
            assert_true(weight(&csr, e) == (csr.adj[e] == u + 1 ? 1 : 2.0 * (csr.adj[e] - u)));
        }
    }
    assert_true(least == n || most - least <= 1);
    nf_result *r = NULL;
    assert_int_equal(nf_sssp(NULL, g, 0, NULL, &r), NF_OK);
    for (nf_vid v = 0; v < csr.n; v++)
        assert_true(nf_result_distance(r, 0, v) == v);
    nf_result_free(r);
    nf_graph_free(g);
}

static void test_dag_chain(void **state)
{
    (void)state;
    check_dag_chain(3000, 2999);
    check_dag_chain(3000, 3500);
    check_dag_chain(3000, 50000);
    check_dag_chain(300, 30000);
    check_dag_chain(300, 300 * 299 / 2);
    check_dag_chain(1, 0);
    check_dag_chain(2, 1);
}

static void test_negative(void **state)
{
    (void)state;
    static const nf_type types[] = {NF_NONE, NF_F32, NF_F64};
    for (size_t i = 0; i < 3; i++) {
        nf_generate_options o = of_size("negative", 2000);
        o.weight_type = types[i];
        nf_graph *g = generate(&o);
        const nf_graph_stats s = stats_of(g);
        assert_true(s.weight_min < -10 && s.weight_min >= -50 && s.weight_max > 50 && s.weight_max <= 100);
        nf_result *r = NULL;
        assert_int_equal(nf_sssp(NULL, g, 0, NULL, &r), NF_OK);
        nf_result_free(r);
        nf_graph_free(g);
    }
}

static void test_negative_cycle(void **state)
{
    (void)state;
    static const nf_type types[] = {NF_NONE, NF_F32, NF_F64, NF_I32};
    for (uint32_t i = 0; i < 8; i++) {
        nf_generate_options o = of_size("negative-cycle", 2000);
        o.weight_type = types[i % 4], o.permute = i >= 4, o.seed = i;
        o.k = 2 + 3 * i;
        nf_graph *g = generate(&o);
        const nf_graph_stats s = stats_of(g);
        assert_true(s.weight_min < 0 && s.weight_min >= -50 && s.weight_max <= 100);
        nf_result *r = NULL;
        uint64_t length = 0;
        assert_int_equal(nf_sssp(NULL, g, 0, NULL, &r), NF_ENEGCYCLE);
        assert_non_null(nf_result_cycle(r, &length));
        assert_true(length >= 2);
        nf_result_free(r);
        nf_graph_free(g);
    }
}

/* ---- delaunay and road ------------------------------------------------------------------------------------------------- */

#define GRID 67108864.0

static int64_t grid_x(const double *xy, nf_vid v)
{
    return (int64_t)(xy[2 * v] * GRID);
}

static int64_t grid_y(const double *xy, nf_vid v)
{
    return (int64_t)(xy[2 * v + 1] * GRID);
}

static int64_t turn(const double *xy, nf_vid a, nf_vid b, nf_vid c)
{
    return (grid_x(xy, b) - grid_x(xy, a)) * (grid_y(xy, c) - grid_y(xy, a))
        - (grid_y(xy, b) - grid_y(xy, a)) * (grid_x(xy, c) - grid_x(xy, a));
}

static bool is_inside(const double *xy, nf_vid a, nf_vid b, nf_vid c, nf_vid d)
{
    const int64_t ax = grid_x(xy, a) - grid_x(xy, d), ay = grid_y(xy, a) - grid_y(xy, d);
    const int64_t bx = grid_x(xy, b) - grid_x(xy, d), by = grid_y(xy, b) - grid_y(xy, d);
    const int64_t cx = grid_x(xy, c) - grid_x(xy, d), cy = grid_y(xy, c) - grid_y(xy, d);
    const __int128 det = (__int128)(ax * ax + ay * ay) * (bx * cy - by * cx)
        - (__int128)(bx * bx + by * by) * (ax * cy - ay * cx) + (__int128)(cx * cx + cy * cy) * (ax * by - ay * bx);
    return turn(xy, a, b, c) > 0 ? det > 0 : det < 0;
}

static bool circle_is_empty(const double *xy, nf_vid n, nf_vid a, nf_vid b, nf_vid c)
{
    for (nf_vid d = 0; d < n; d++)
        if (d != a && d != b && d != c && is_inside(xy, a, b, c, d))
            return false;
    return true;
}

/* The corners of the convex hull of points that are sorted by x (Andrew's chains). */
static uint64_t hull_size(const double *xy, nf_vid n)
{
    nf_vid *chain = malloc(n * sizeof *chain);
    uint64_t total = 0;
    assert_non_null(chain);
    for (int side = -1; side <= 1; side += 2) {
        uint64_t top = 0;
        for (nf_vid v = 0; v < n; v++) {
            while (top >= 2 && side * turn(xy, chain[top - 2], chain[top - 1], v) <= 0)
                top--;
            chain[top++] = v;
        }
        total += top - 1;
    }
    free(chain);
    return total;
}

/* An edge count of 3n-3-h and 2n-2-h triangles with empty circles: only the Delaunay triangulation has both. */
static void check_delaunay(nf_vid n, uint64_t seed)
{
    nf_generate_options o = of_size("delaunay", n);
    o.seed = seed;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const double *xy = nf_graph_coordinates(g);
    const uint64_t h = hull_size(xy, n);
    uint64_t triangles = 0;
    assert_int_equal(csr.m / 2, 3 * (uint64_t)n - 3 - h);
    for (nf_vid a = 0; a < n; a++)
        for (nf_eid e = off(&csr, a); e < off(&csr, a + 1); e++)
            for (nf_eid f = e + 1; csr.adj[e] > a && f < off(&csr, a + 1); f++)
                if (find_arc(&csr, csr.adj[e], csr.adj[f]) < csr.m)
                    triangles += circle_is_empty(xy, n, a, csr.adj[e], csr.adj[f]);
    assert_int_equal(triangles, 2 * (uint64_t)n - 2 - h);
    assert_int_equal(reached_from(g, 0), n);
    nf_graph_free(g);
}

static void test_delaunay(void **state)
{
    (void)state;
    for (nf_vid n = 3; n < 60; n++)
        check_delaunay(n, n);
    check_delaunay(4500, 1); /* several pieces, merged in levels */
}

static void test_road(void **state)
{
    (void)state;
    static const nf_vid sizes[] = {150, 1000, 30000};
    for (size_t i = 0; i < 3; i++) {
        nf_generate_options o = of_size("road", sizes[i]);
        nf_graph *g = generate(&o);
        const nf_csr csr = view(g);
        const double *xy = nf_graph_coordinates(g);
        const nf_graph_stats s = stats_of(g);
        assert_int_equal(csr.n, sizes[i]);
        assert_int_equal(csr.weight_type, NF_I32);
        assert_true(s.weight_min >= 1 && s.degree_mean > 2 && s.degree_mean < 4 && s.degree_max < 20);
        assert_int_equal(reached_from(g, 0), sizes[i]);
        for (uint64_t c = 0; c < 2 * (uint64_t)csr.n; c++)
            assert_true(isfinite(xy[c]) && xy[c] >= 0);
        check_simple(g);
        nf_graph_free(g);
    }
}

static double side_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* No two roads cross: all pairs of edges of a small map. */
static void test_road_is_planar(void **state)
{
    (void)state;
    nf_generate_options o = of_size("road", 2000);
    nf_graph *g = generate(&o);
    nf_coo coo;
    assert_int_equal(nf_graph_coo_view(NULL, g, &coo), NF_OK);
    const double *xy = nf_graph_coordinates(g);
    for (nf_eid e = 0; e < coo.m; e++) {
        for (nf_eid f = e + 1; coo.src[e] < coo.dst[e] && f < coo.m; f++) {
            if (coo.src[f] > coo.dst[f] || coo.src[f] == coo.src[e] || coo.src[f] == coo.dst[e] || coo.dst[f] == coo.src[e]
                || coo.dst[f] == coo.dst[e])
                continue;
            const double *a = xy + 2 * coo.src[e], *b = xy + 2 * coo.dst[e], *c = xy + 2 * coo.src[f], *d = xy + 2 * coo.dst[f];
            assert_false(side_of(a, b, c) * side_of(a, b, d) < 0 && side_of(c, d, a) * side_of(c, d, b) < 0);
        }
    }
    nf_graph_free(g);
}

/* Fast roads exist, and no road is faster than 130 km/h. */
static void test_road_has_ranks(void **state)
{
    (void)state;
    nf_generate_options o = of_size("road", 20000);
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const double *xy = nf_graph_coordinates(g);
    uint64_t seen[3] = {0};
    for (nf_vid u = 0; u < csr.n; u++) {
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            const nf_vid v = csr.adj[e];
            const double speed = 36 * hypot(xy[2 * u] - xy[2 * v], xy[2 * u + 1] - xy[2 * v + 1]) / weight(&csr, e);
            assert_true(speed < 135);
            seen[speed > 110 ? 2 : speed > 60 ? 1 : 0]++;
        }
    }
    assert_true(seen[2] > csr.m / 100 && seen[1] > csr.m / 50 && seen[0] > csr.m / 2);
    nf_graph_free(g);
}

/* ---- refusals and failures --------------------------------------------------------------------------------------------- */

typedef struct bad {
    nf_generate_options o;
    const char *text; /* in the message */
} bad;

static void test_bad_parameters(void **state)
{
    (void)state;
    const bad cases[] = {
        {{.kind = "rmat", .scale = 4, .a = 0.6, .b = 0.3, .c = 0.2}, "a + b + c"},
        {{.kind = "rmat", .scale = 4, .a = -0.1}, "a must be between 0 and 1"},
        {{.kind = "rmat", .scale = 33}, "scale"},
        {{.kind = "rmat", .scale = 32}, "too many"},
        {{.kind = "uniform", .n = UINT64_C(4294967295)}, "too many"},
        {{.kind = "uniform", .n = 10, .edges = UINT64_C(1) << 60}, "too many"},
        {{.kind = "uniform", .n = 10, .edge_factor = -1}, "edge factor"},
        {{.kind = "uniform", .n = 10, .edge_factor = NAN}, "edge factor"},
        {{.kind = "uniform", .n = 10, .edge_factor = INFINITY}, "edge factor"},
        {{.kind = "uniform", .n = 10, .weight_min = 5, .weight_max = 2}, "range"},
        {{.kind = "uniform", .n = 10, .weight_max = INFINITY}, "range"},
        {{.kind = "uniform", .n = 10, .weight_max = 0.5, .weight_type = NF_I32}, "whole"},
        {{.kind = "uniform", .n = 10, .weight_min = -1, .weight_max = 2, .weight_type = NF_U32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e10, .weight_type = NF_I32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e10}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e300, .weight_type = NF_F32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_min = -1e308, .weight_max = 1e308, .weight_type = NF_F64}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_type = NF_I64}, "i64"},
        {{.kind = "uniform", .n = 10, .weight_type = (nf_type)99}, "weights cannot be"},
        {{.kind = "small-world", .n = 100, .k = 3}, "even"},
        {{.kind = "small-world", .n = 10, .k = 10}, "less than n"},
        {{.kind = "small-world", .n = 10, .k = 2, .p = 1.5}, "p must be between"},
        {{.kind = "forest-fire", .n = 10, .forward = 1}, "less than 1"},
        {{.kind = "forest-fire", .n = 10, .backward = -0.5}, "backward"},
        {{.kind = "grid2d", .rows = 100000, .cols = 100000}, "too many"},
        {{.kind = "grid3d", .rows = UINT32_MAX, .cols = UINT32_MAX, .depth = UINT32_MAX}, "too many"},
        {{.kind = "grid2d", .n = 100, .drop = 2}, "drop"},
        {{.kind = "road", .n = 100, .drop = NAN}, "drop"},
        {{.kind = "road", .n = UINT64_C(1) << 30}, "too many"},
        {{.kind = "delaunay", .n = UINT64_C(1) << 30}, "too many"},
        {{.kind = "tree", .n = 100}, "k (children"},
        {{.kind = "hub", .n = 100, .p = 0.5}, "k (the number of hubs)"},
        {{.kind = "hub", .n = 100, .k = 101}, "k (the number of hubs)"},
        {{.kind = "bipartite", .n = 100, .rows = 100}, "leaves none"},
        {{.kind = "complete", .n = UINT64_C(4000000000)}, "2^48"},
        {{.kind = "dag-chain", .n = 100, .edges = 98}, "99 to 4950"},
        {{.kind = "dag-chain", .n = 100, .edges = 4951}, "99 to 4950"},
        {{.kind = "negative", .n = 100, .weight_min = 1, .weight_max = 5}, "below 0"},
        {{.kind = "negative", .n = 100, .weight_min = -5, .weight_max = 2}, "below 0"},
        {{.kind = "negative", .n = 100}, "below 0"},
        {{.kind = "negative-cycle", .n = 100, .k = 1, .weight_min = -5, .weight_max = 9}, "length of the cycle"},
        {{.kind = "negative-cycle", .n = 100, .k = 101, .weight_min = -5, .weight_max = 9}, "length of the cycle"},
        {{.kind = "negative-cycle", .n = 100, .k = 5, .edges = 5, .weight_min = -5, .weight_max = 9}, "at least 6 edges"},
        {{.kind = NULL, .n = 5}, "kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nf_generate_options o = cases[i].o;
        nf_graph *g = (nf_graph *)&o;
        o.size = sizeof o;
        const nf_status st = nf_generate(NULL, &o, &g);
        if (st != NF_EINVAL || strstr(nf_last_error(), cases[i].text) == NULL)
            print_error("case %zu (%s): %s: %s\n", i, o.kind, nf_status_name(st), nf_last_error());
        assert_int_equal(st, NF_EINVAL);
        assert_null(g);
        assert_non_null(strstr(nf_last_error(), cases[i].text));
    }
}

static void test_bad_calls(void **state)
{
    (void)state;
    nf_generate_options o = {.size = sizeof o, .kind = "kronekcer", .n = 5};
    nf_graph *g = NULL;
    assert_int_equal(nf_generate(NULL, &o, &g), NF_ENOTFOUND);
    assert_non_null(strstr(nf_last_error(), "kronecker"));
    assert_int_equal(nf_generate_defaults("raod", &o), NF_ENOTFOUND);
    assert_non_null(strstr(nf_last_error(), "road"));
    assert_int_equal(nf_generate_defaults(NULL, &o), NF_EINVAL);
    assert_int_equal(nf_generate_defaults("road", NULL), NF_EINVAL);
    assert_int_equal(nf_generate(NULL, NULL, &g), NF_EINVAL);
    assert_int_equal(nf_generate(NULL, &o, NULL), NF_EINVAL);
    o.size = 0;
    assert_int_equal(nf_generate_defaults("road", &o), NF_EINVAL);
}

typedef struct ledger {
    int64_t blocks, calls, fail_at; /* fail_at: the call that gets nothing, -1 none */
} ledger;

static void *ledger_alloc(void *user, size_t bytes)
{
    ledger *l = user;
    if (l->calls++ == l->fail_at)
        return NULL;
    void *p = malloc(bytes);
    l->blocks += p != NULL;
    return p;
}

static void ledger_free(void *user, void *block)
{
    ledger *l = user;
    l->blocks -= block != NULL;
    free(block);
}

/* Every allocation of every kind may fail: NF_ENOMEM, nothing leaked. */
static void test_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        nf_generate_options o = modest(nf_generator_get(i)->name);
        o.n = 300, o.permute = true;
        nf_status st = NF_ENOMEM;
        for (int64_t k = 0; st != NF_OK; k++) {
            ledger l = {.fail_at = -1};
            const nf_context_options co = {.size = sizeof co, .device = "cpu", .threads = 1,
                                           .allocator = {ledger_alloc, ledger_free, &l}};
            nf_context *ctx = NULL;
            nf_graph *g = NULL;
            assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
            const int64_t before = l.blocks;
            l.fail_at = l.calls + k;
            st = nf_generate(ctx, &o, &g);
            assert_true(st == NF_OK || st == NF_ENOMEM);
            assert_true((g != NULL) == (st == NF_OK));
            nf_graph_free(g);
            assert_int_equal(l.blocks, before);
            nf_context_free(ctx);
            assert_int_equal(l.blocks, 0);
            assert_true(k < 500);
        }
    }
}

static void test_memory_limit(void **state)
{
    (void)state;
    const nf_context_options co = {.size = sizeof co, .device = "cpu", .memory_limit = 10000000};
    nf_context *ctx = NULL;
    nf_graph *g = NULL;
    assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
    nf_generate_options o = of_size("uniform", 1000000);
    assert_int_equal(nf_generate(ctx, &o, &g), NF_ENOMEM);
    assert_null(g);
    o = of_size("complete", 4000000000 / 250);
    assert_int_equal(nf_generate(ctx, &o, &g), NF_ENOMEM);
    uint64_t peak = 0;
    nf_context_bytes(ctx, &peak);
    assert_true(peak < 1000000);
    nf_context_free(ctx);
}

static bool say_stop(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    ++*(int *)user;
    return true;
}

static void test_cancel(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        int calls = 0;
        const nf_context_options co = {.size = sizeof co, .device = "cpu", .progress = say_stop, .progress_user = &calls};
        nf_context *ctx = NULL;
        nf_graph *g = NULL;
        assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
        nf_generate_options o = modest(nf_generator_get(i)->name);
        nf_context_cancel(ctx);
        assert_int_equal(nf_generate(ctx, &o, &g), NF_ECANCELLED);
        assert_null(g);
        nf_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_and_defaults),
        cmocka_unit_test(test_zeroed_options_mean_defaults),
        cmocka_unit_test(test_short_options),
        cmocka_unit_test(test_same_at_any_thread_count),
        cmocka_unit_test(test_smallest_sizes),
        cmocka_unit_test(test_no_edges),
        cmocka_unit_test(test_weight_ranges),
        cmocka_unit_test(test_weight_type_without_range),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_directed_and_duplicates),
        cmocka_unit_test(test_rmat),
        cmocka_unit_test(test_rmat_quadrants),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_forest_fire),
        cmocka_unit_test(test_small_world),
        cmocka_unit_test(test_grid2d),
        cmocka_unit_test(test_grid3d),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_bipartite),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_dag_chain),
        cmocka_unit_test(test_negative),
        cmocka_unit_test(test_negative_cycle),
        cmocka_unit_test(test_delaunay),
        cmocka_unit_test(test_road),
        cmocka_unit_test(test_road_is_planar),
        cmocka_unit_test(test_road_has_ranks),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
