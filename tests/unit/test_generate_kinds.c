/* test_generate_kinds.c - the shape of each kind of generated graph.
 *
 * What is checked is stated as a property of the graph (degrees, distances, empty circles), never as a recorded output.
 */
#include "generate_help.h"

/* ---- one kind each ----------------------------------------------------------------------------------------------- */

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

/* ---- delaunay and road ------------------------------------------------------------------------------------------- */

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
                         - (__int128)(bx * bx + by * by) * (ax * cy - ay * cx)
                         + (__int128)(cx * cx + cy * cy) * (ax * by - ay * bx);
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
            if (coo.src[f] > coo.dst[f] || coo.src[f] == coo.src[e] || coo.src[f] == coo.dst[e]
                || coo.dst[f] == coo.src[e] || coo.dst[f] == coo.dst[e])
                continue;
            const double *a = xy + 2 * coo.src[e], *b = xy + 2 * coo.dst[e], *c = xy + 2 * coo.src[f],
                         *d = xy + 2 * coo.dst[f];
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
