/* test_symmetric.c - undirected graphs by half of the matrix on the emulator: every form, kind of cell, number of
 * pivots and way to work ahead gives the CPU's distances, the same both ways, and true trees from every vertex;
 * launches and steps are those of the tiles above the diagonal; directed graphs, lazy minima and symmetric=off have the
 * whole. */
#include <math.h>

#include "all_pairs.h"

#define BLOCKED "blocked-floyd-warshall"

static const char *const tiles[] = {"tile=small", "tile=medium", "tile=large"};
static const char *const aheads[] = {"ahead=off", "ahead=on", "ahead=halves"};
static const char *const pivots[] = {"pivots=1", "pivots=2", "pivots=3"};

/* A ring through all vertices in no order of theirs, with chords: paths pass vertices of all blocks. `type` NF_NONE:
 * integers; else weights that are no multiples of a large power of two. Lengths of 0 among them, if so. */
static nf_graph *ring_of(nf_vid n, nf_type type, bool zero)
{
    const nf_eid m = n + n / 3;
    const arc_list a = arcs_make(m);
    float *narrow = malloc(m * sizeof *narrow);
    double *wide = malloc(m * sizeof *wide);
    nf_graph *g = NULL;
    assert_true(narrow != NULL && wide != NULL && n % 7 != 0);
    for (nf_eid i = 0; i < m; i++) {
        const bool chord = i >= n;
        a.src[i] = (nf_vid)((chord ? (i - n) * 3 : i) * 7 % n);
        a.dst[i] = (nf_vid)((chord ? (i - n) * 5 + 11 : i + 1) * 7 % n);
        a.w[i] = (int32_t)(zero && i % 4 == 0 ? 0 : chord ? 9 + i % 13 : 1 + i % 5);
        wide[i] = a.w[i] * 0.1;
        narrow[i] = (float)wide[i];
    }
    const nf_coo coo = {.n = n,
                        .m = m,
                        .src = a.src,
                        .dst = a.dst,
                        .weight_type = type == NF_NONE ? NF_I32 : type,
                        .weights = type == NF_NONE  ? (const void *)a.w
                                   : type == NF_F32 ? (const void *)narrow
                                                    : (const void *)wide};
    const nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    free(a.src), free(a.dst), free(a.w), free(narrow), free(wide);
    return g;
}

/* By half of the matrix, as the CPU has it, and in cells of that kind (NULL: any). */
static matrix_told expect_half(const char *settings, const nf_graph *g, const nf_run_options *how, const char *kind)
{
    const char *knobs[8] = {"symmetric=on"}; /* graphs are too small for auto */
    nf_run_options o = *how;
    assert_true(how->knob_count < COUNT(knobs));
    for (size_t i = 0; i < how->knob_count; i++)
        knobs[i + 1] = how->knobs[i];
    o.knobs = knobs;
    o.knob_count = how->knob_count + 1;
    const matrix_told t = all_pairs(settings, g, &o);
    assert_true(t.half);
    if (kind != NULL)
        assert_string_equal(t.kind, kind);
    return t;
}

/* The length of the lightest arc u -> v. */
static double arc_of(const nf_csr *csr, nf_vid u, nf_vid v)
{
    double least = (double)INFINITY;
    for (nf_eid e = csr->off32[u]; e < csr->off32[u + 1]; e++)
        if (csr->adj[e] == v)
            least = fmin(least, csr->weight_type == NF_F32 ? (double)((const float *)csr->weights)[e]
                                                           : ((const double *)csr->weights)[e]);
    return least;
}

/* Of floats: every vertex is as far as the arcs of its way in the tree add up to, but for rounding. */
static void expect_real_trees(const nf_graph *g, const nf_result *r)
{
    nf_csr csr = {0};
    OK(nf_graph_view(NULL, g, &csr));
    for (nf_vid u = 0; u < csr.n; u++)
        for (nf_vid v = 0; v < csr.n; v++) {
            double sum = 0;
            nf_vid at = v;
            for (nf_vid i = 0; at != u && i < csr.n; i++) {
                const nf_vid p = nf_result_parents(r, u)[at];
                assert_true(p < csr.n);
                sum += arc_of(&csr, p, at);
                at = p;
            }
            assert_true(at == u && fabs(sum - nf_result_distance(r, u, v)) <= 1e-5 * (1 + sum));
        }
}

static void half_of_the_steps(void **state)
{
    enum { CUBE = 32 * 32 * 32, ALL = 7 * 8 / 2 }; /* tiles of seven rows on the diagonal and above it */
    nf_graph *g = grid_of(13, 15);                 /* 195 vertices: 224 */
    (void)state;
    for (size_t i = 0; i < COUNT(aheads); i++) {
        const matrix_told t = expect_half("seed=2", g, HOW(BLOCKED, 0, "tile=small", aheads[i]), "i16");
        /* a block: rows mirrored, closed, its rows, columns mirrored, the rest; the whole mirrored in the end. Ahead
         * the cross apart; in halves a lower one, and copies */
        const unsigned more[] = {0, 6, 6 + 6 + 7};
        assert_int_equal(t.side, 224);
        assert_int_equal(t.launches, 7 * 5 + 1 + more[i]);
        /* a block: its square, six strips, and of all tiles those that are not in its row or column */
        assert_int_equal(t.steps, 7ull * CUBE * (1 + 6 + ALL - 7));
    }
    nf_graph_free(g);
}

/* Tiles that are higher than wide (64 bits), or wider than high (16, and parents): those that the diagonal passes
 * through count whole. */
static void steps_of_oblong_tiles(void **state)
{
    enum { SIDE = 512, CUBE = 128 * 128 * 128 };
    nf_graph *g = ring_of(500, NF_NONE, false);
    (void)state;
    const matrix_told t = expect_half("", g, HOW(BLOCKED, 0, "tile=large", "pivots=1", "cells=32"), "i32");
    const matrix_told narrow = expect_half("", g, HOW(BLOCKED, 0, "tile=large", "pivots=1", "cells=16"), "i16");
    assert_true(t.side == SIDE && t.steps == 4ull * CUBE * (1 + 3 + 10 - 4));
    /* 4 rows of tiles of 128 x 256, two tiles each, six that are not below; with one row left out in turn */
    assert_true(narrow.side == SIDE);
    assert_int_equal(narrow.steps, CUBE * (4ull * (1 + 3) + 2 * (4 + 4 + 5 + 5)));
    nf_graph_free(g);
}

static void every_form_and_cell(void **state)
{
    nf_graph *whole = ring_of(195, NF_NONE, false), *real = ring_of(195, NF_F32, false),
             *wide = ring_of(195, NF_F64, false);
    (void)state;
    for (size_t i = 0; i < COUNT(tiles); i++)
        for (size_t k = 0; k < COUNT(aheads); k++) {
            const char *const p = pivots[(i + k) % COUNT(pivots)];
            (void)expect_half("", whole, HOW(BLOCKED, 0, tiles[i], aheads[k], p), "i16");
            (void)expect_half("", whole, HOW(BLOCKED, 0, tiles[i], aheads[k], p, "cells=32"), "i32");
            (void)expect_half("", whole, HOW(BLOCKED, NF_RUN_PARENTS, tiles[i], aheads[k], p), "i32");
            (void)expect_half("", real, HOW(BLOCKED, 0, tiles[i], aheads[k], p), "f32");
            (void)expect_half("", wide, HOW(BLOCKED, 0, tiles[i], aheads[k], p), "f64");
        }
    nf_graph_free(whole), nf_graph_free(real), nf_graph_free(wide);
}

/* Parents in cells of 64 bits and in floats, of one pivot and of several; what is short of a whole block. */
static void trees_of_wide_cells(void **state)
{
    nf_context *ctx = emulator("seed=3", NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(tiles); i++)
        for (int real = 0; real < 3; real++) {
            nf_graph *g = ring_of(150, real == 0 ? NF_NONE : real == 1 ? NF_F32 : NF_F64, false);
            nf_result *r = NULL;
            OK(nf_apsp(ctx, g, HOW(BLOCKED, NF_RUN_PARENTS, tiles[i], pivots[i], "symmetric=on"), &r));
            if (real == 0)
                expect_trees(g, r);
            else
                expect_real_trees(g, r);
            nf_result_free(r);
            nf_graph_free(g);
        }
    enum { N = 40 };
    const arc_list a = arcs_make(N - 1);
    for (nf_vid v = 0; v + 1 < N; v++)
        a.src[v] = v * 7 % N, a.dst[v] = (v + 1) * 7 % N, a.w[v] = 30000000; /* sums leave 32 bits */
    nf_graph *g = graph_from(N, N - 1, a, NF_BUILD_UNDIRECTED);
    (void)expect_half("", g, HOW(BLOCKED, NF_RUN_PARENTS, "tile=medium"), "i64");
    (void)expect_half("", g, HOW(BLOCKED, NF_RUN_PARENTS, "tile=small", "pivots=2"), "i64");
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Rings of arcs of length 0, and trees that are to be the least: rows made again. */
static void rows_that_are_made_again(void **state)
{
    nf_graph *zero = ring_of(60, NF_NONE, true), *g = grid_of(6, 7);
    (void)state;
    (void)expect_half("seed=4", zero, HOW(BLOCKED, NF_RUN_PARENTS, "tile=small"), NULL);
    assert_int_equal(expect_half("", g, PLAIN(BLOCKED, TREE), NULL).again, 42);
    nf_graph_free(zero);
    nf_graph_free(g);
}

static void schedules_change_nothing(void **state)
{
    static const char *const settings[] = {"", "order=lifo", "seed=4,order=random,preempt=0.2", "profile=1x32"};
    nf_graph *odd = grid_of(9, 24), *few = grid_of(3, 11), *one = grid_of(3, 7); /* 7 rows of tiles, 2, and 1 */
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(pivots); k++) {
            const matrix_told t =
                expect_half(settings[i], odd, HOW(BLOCKED, NF_RUN_PARENTS, "tile=small", "ahead=halves", pivots[k]),
                            "i32");
            assert_true(t.side == 224 && t.again == 0);
            (void)expect_half(settings[i], odd, HOW(BLOCKED, NF_RUN_PARENTS, "tile=small", aheads[k % 2], pivots[k]),
                              "i32");
            (void)expect_half(settings[i], few, HOW(BLOCKED, NF_RUN_PARENTS, "tile=small", aheads[k], pivots[k]),
                              "i32");
            (void)expect_half(settings[i], one, HOW(BLOCKED, 0, "tile=small", aheads[k], pivots[k]), NULL);
        }
    nf_graph_free(odd), nf_graph_free(few), nf_graph_free(one);
}

/* What the streams wait for: their work in any order that this leaves open. */
static void streams_wait_for_each_other(void **state)
{
    nf_graph *g = ring_of(200, NF_NONE, false);
    (void)state;
    for (int seed = 1; seed <= 24; seed++) {
        char settings[32];
        snprintf(settings, sizeof settings, "order=random,seed=%d", seed);
        (void)expect_half(settings, g,
                          HOW(BLOCKED, seed % 3 == 0 ? NF_RUN_PARENTS : 0, "tile=small", aheads[1 + seed % 2]), NULL);
    }
    nf_graph_free(g);
}

/* Both ways are of one length, to the last bit of a float. */
static void both_ways_are_one(void **state)
{
    nf_graph *g = ring_of(100, NF_F32, false);
    nf_context *ctx = emulator("seed=6", NULL);
    nf_result *r = NULL;
    (void)state;
    OK(nf_apsp(ctx, g, HOW(BLOCKED, 0, "tile=small", "pivots=2", "symmetric=on"), &r));
    for (nf_vid u = 0; u < 100; u++)
        for (nf_vid v = 0; v < u; v++)
            assert_true(nf_result_distance(r, u, v) == nf_result_distance(r, v, u));
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* Arcs that are symmetric in a graph that does not say so; one arc of another length, or one that is missing. */
static void symmetry_is_found(void **state)
{
    enum { N = 90 };
    static const char *const settings[] = {"", "order=lifo", "seed=9,order=random,preempt=0.2", "profile=1x32"};
    (void)state;
    for (int other = 0; other < 4; other++) {
        const arc_list a = arcs_make(N * (N - 1));
        nf_eid m = 0;
        for (nf_vid u = 0; u < N; u++)
            for (nf_vid v = 0; v < N; v++)
                if (u != v && (other != 3 || u != N - 1 || v != 0))
                    a.src[m] = u, a.dst[m] = v, a.w[m++] = 1 + (int32_t)(u * v + u + v) % 90;
        if (other == 1 || other == 2)
            a.w[other == 1 ? 0 : m - 1]++; /* 0 -> 1, or back from the last vertex */
        nf_graph *g = graph_from(N, m, a, 0);
        for (size_t i = 0; i < COUNT(settings); i++) {
            assert_int_equal(all_pairs(settings[i], g, HOW(BLOCKED, 0, "tile=small", "symmetric=on")).half, other == 0);
            assert_int_equal(all_pairs(settings[i], g, HOW(BLOCKED, NF_RUN_PARENTS, "symmetric=on")).half, other == 0);
        }
        assert_false(all_pairs("", g, HOW(BLOCKED, 0, "symmetric=off")).half);
        nf_graph_free(g);
    }
}

static void others_have_the_whole(void **state)
{
    nf_graph *directed = falling(24), *g = grid_of(9, 11);
    (void)state;
    assert_false(all_pairs("", directed, HOW(BLOCKED, NF_RUN_PARENTS, "symmetric=on")).half);
    assert_false(all_pairs("", g, PLAIN(BLOCKED, 0)).half); /* so few vertices are no faster */
    assert_false(all_pairs("", g, HOW(BLOCKED, 0, "symmetric=off")).half);
    assert_false(all_pairs("", g, HOW(BLOCKED, 0, "lazy=tile", "symmetric=on")).half);
    assert_false(all_pairs("", g, HOW(BLOCKED, NF_RUN_PARENTS, "lazy=op", "symmetric=on")).half);
    assert_false(all_pairs("", g, PLAIN("recursive", 0)).half);
    assert_true(all_pairs("", g, HOW(BLOCKED, 0, "lazy=none", "symmetric=on")).half);
    nf_graph_free(directed), nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_steps),           cmocka_unit_test(steps_of_oblong_tiles),
        cmocka_unit_test(every_form_and_cell),         cmocka_unit_test(trees_of_wide_cells),
        cmocka_unit_test(rows_that_are_made_again),    cmocka_unit_test(schedules_change_nothing),
        cmocka_unit_test(streams_wait_for_each_other), cmocka_unit_test(both_ways_are_one),
        cmocka_unit_test(symmetry_is_found),           cmocka_unit_test(others_have_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
