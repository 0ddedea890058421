/* test_cells.c - narrow cells of the dense methods on the emulator, of 16 bits and floats for integers, and integers
 * for floats that are whole multiples of a power of two: taken where distances surely or hopefully fit, in every form
 * of tile and every method of the core, under any schedule, with the CPU's distances; they give way to 32 bits at the
 * very bound and with parents, those of 16 bits where sums are left out, too; half the memory. */
#include "all_pairs.h"

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* A path of `arcs` arcs of a weight, and one more of weight `last`. */
static nf_graph *path_of(nf_vid arcs, int32_t weight, int32_t last)
{
    const arc_list a = arcs_make(arcs + 1);
    for (nf_vid v = 0; v <= arcs; v++)
        a.src[v] = v, a.dst[v] = v + 1, a.w[v] = v < arcs ? weight : last;
    return graph_from(arcs + 2, arcs + 1, a, 0);
}

/* All arcs between n vertices, most of them twice, of weights from `least` on; in an order that spreads the second. */
static nf_graph *all_arcs(nf_vid n, int32_t least, int32_t range)
{
    const arc_list a = arcs_make(2 * (size_t)n * (n - 1));
    const nf_build_options keep = {.size = sizeof keep};
    nf_graph *g = NULL;
    nf_eid m = 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (nf_vid u = 0; u < n; u++)
            for (nf_vid v = 0; v < n; v++)
                if (u != v && (turn == 0 || (u + v) % 3 != 0)) {
                    a.src[m] = u, a.dst[m] = v;
                    a.w[m++] = least + (int32_t)((u * 7919 + v * 104729 + turn * 31) % (unsigned)range);
                }
    const nf_coo coo = {n, m, a.src, a.dst, NF_I32, a.w};
    OK(nf_graph_from_coo(NULL, &coo, &keep, &g));
    free(a.src), free(a.dst), free(a.w);
    return g;
}

static void expect_bytes(const nf_graph *g, const nf_run_options *how, unsigned bytes)
{
    const matrix_told t = all_pairs("seed=3", g, how);
    if (t.bytes != bytes)
        fail_msg("%s: cells of %u bytes, not %u", how->algorithm, t.bytes, bytes);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Blocks of one pivot and of several, the next one ahead and not, copies, squarings: in every form. */
static void every_method_and_form(void **state)
{
    static const char *const tiles[] = {"tile=small", "tile=medium", "tile=large"};
    nf_graph *graphs[] = {generate("uniform", 8, 3, 5), grid_of(15, 20), all_arcs(70, 1, 100)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++)
        for (size_t k = 0; k < COUNT(tiles); k++) {
            const nf_graph *g = graphs[i];
            expect_bytes(g, HOW("blocked-floyd-warshall", 0, tiles[k], "symmetric=off"), 2);
            expect_bytes(g, HOW("blocked-floyd-warshall", 0, tiles[k], "pivots=2", "ahead=off", "symmetric=off"), 2);
            expect_bytes(g, HOW("blocked-floyd-warshall", 0, tiles[k], "pivots=3", "symmetric=off"), 2);
            expect_bytes(g, HOW("recursive", 0, tiles[k]), 2);
            expect_bytes(g, HOW("min-plus", 0, tiles[k]), 2);
        }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* A tile of the large form has twice the columns: the matrix is filled up to them, and the steps are the method's. */
static void launches_and_steps(void **state)
{
    nf_graph *g = grid_of(15, 20); /* 300 vertices */
    (void)state;
    const matrix_told wide =
        all_pairs("", g, HOW("blocked-floyd-warshall", 0, "tile=large", "ahead=off", "symmetric=off"));
    assert_true(wide.side == 512 && wide.tile == 256 && wide.pivot == 128 && wide.deep == 128 && wide.bytes == 2);
    assert_true(wide.launches == 3 * 3 && wide.steps == 3ull * 128 * 512 * 512);
    const matrix_told twice =
        all_pairs("", g, HOW("blocked-floyd-warshall", 0, "tile=large", "cells=32", "ahead=off", "symmetric=off"));
    assert_true(twice.side == 384 && twice.bytes == 4);
    nf_graph_free(g);
}

static void schedules_change_nothing(void **state)
{
    static const char *const settings[] = {"order=lifo", "seed=3,order=random,preempt=0.2", "profile=1x32"};
    nf_graph *graphs[] = {grid_of(9, 11), all_arcs(40, 1, 60)};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(graphs); k++) {
            const nf_graph *g = graphs[k];
            assert_int_equal(all_pairs(settings[i], g,
                                       HOW("blocked-floyd-warshall", 0, "tile=small", "pivots=3", "symmetric=off"))
                                 .bytes,
                             2);
            assert_int_equal(all_pairs(settings[i], g, HOW("recursive", 0, "tile=small")).bytes, 2);
            assert_int_equal(all_pairs(settings[i], g, HOW("min-plus", 0, "tile=medium")).bytes, 2);
        }
    for (size_t k = 0; k < COUNT(graphs); k++)
        nf_graph_free(graphs[k]);
}

/* The greatest distance and weight add up to 16382, to 16383, and to sums that were cut off. */
static void they_give_way_at_the_bound(void **state)
{
    static const char *const methods[] = {"blocked-floyd-warshall", "recursive", "min-plus"};
    nf_graph *within = path_of(31, 511, 30), *at = path_of(31, 511, 31), *beyond = path_of(70, 511, 511);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        expect_bytes(within, PLAIN(methods[i], 0), 2);
        expect_bytes(at, PLAIN(methods[i], 0), 4);
        expect_bytes(beyond, PLAIN(methods[i], 0), 4);
    }
    const matrix_told once = all_pairs("", beyond, HOW("blocked-floyd-warshall", 0, "cells=32", "lazy=none"));
    const matrix_told again = all_pairs("", beyond, HOW("blocked-floyd-warshall", 0, "lazy=none"));
    assert_true(once.bytes == 4 && again.bytes == 4 && again.steps == 2 * once.steps); /* both runs are counted */
    nf_graph_free(within);
    nf_graph_free(at);
    nf_graph_free(beyond);
}

/* What `auto` hopes for: paths of 16 arcs, or 2 where half of all arcs are there. cells=16: that weights fit. */
static void what_is_hoped_for(void **state)
{
    nf_graph *sparse = path_of(4, 512, 512), *likely = path_of(4, 511, 511);
    nf_graph *dense = all_arcs(20, 3000, 1095), *heavy = all_arcs(20, 4000, 1000), *huge = all_arcs(20, 9000, 7383);
    nf_graph *wider = all_arcs(20, 9000, 7384);
    (void)state;
    expect_bytes(sparse, PLAIN("blocked-floyd-warshall", 0), 2); /* five arcs fit surely */
    nf_graph_free(sparse);
    sparse = path_of(20, 512, 512);
    expect_bytes(sparse, PLAIN("blocked-floyd-warshall", 0), 4);
    expect_bytes(sparse, HOW("blocked-floyd-warshall", 0, "cells=16"), 2);
    expect_bytes(likely, HOW("blocked-floyd-warshall", 0, "cells=32"), 4);
    expect_bytes(dense, PLAIN("min-plus", 0), 2);
    expect_bytes(heavy, PLAIN("min-plus", 0), 4);
    expect_bytes(heavy, HOW("min-plus", 0, "cells=16"), 2);
    expect_bytes(huge, HOW("min-plus", 0, "cells=16"), 4);  /* 16382 is a weight; with a path it is too much */
    expect_bytes(wider, HOW("min-plus", 0, "cells=16"), 4); /* 16383 is none */
    nf_graph_free(sparse), nf_graph_free(likely), nf_graph_free(dense);
    nf_graph_free(heavy), nf_graph_free(huge), nf_graph_free(wider);
}

/* Negative weights: only with the proof beforehand, "none" being a range. */
static void negative_weights(void **state)
{
    nf_graph *fits = lowered(40, 7, 5), *may = lowered(80, 7, 5); /* weights within 5 n + 4 */
    (void)state;
    expect_bytes(fits, HOW("blocked-floyd-warshall", 0, "tile=small"), 2);
    expect_bytes(fits, HOW("recursive", 0, "tile=small"), 2);
    expect_bytes(fits, PLAIN("min-plus", 0), 2);
    expect_bytes(may, PLAIN("blocked-floyd-warshall", 0), 4);
    expect_bytes(may, HOW("blocked-floyd-warshall", 0, "cells=16"), 4);
    nf_graph_free(fits);
    nf_graph_free(may);
}

/* What has no kernels of 16 bits. */
static void others_keep_32_bits(void **state)
{
    static const char *const lazy[] = {"lazy=op", "lazy=tile"}, *const products[] = {"naive", "tiled", "transposed"};
    nf_graph *g = grid_of(6, 7), *few = sparse_of(200, 38, true, 0);
    char product[32];
    (void)state;
    expect_bytes(g, HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "cells=16"), 4);
    expect_bytes(g, PLAIN("floyd-warshall", 0), 4);
    for (size_t i = 0; i < COUNT(lazy); i++)
        expect_bytes(g, HOW("recursive", 0, "cells=16", lazy[i]), 4);
    for (size_t i = 0; i < COUNT(products); i++) {
        snprintf(product, sizeof product, "product=%s", products[i]);
        expect_bytes(g, HOW("min-plus", 0, "cells=16", product), 4);
    }
    expect_bytes(few, PLAIN("blocked-floyd-warshall", 0), 4); /* left out by tiles, since it is sparse */
    const matrix_told asked = all_pairs("", few, HOW("blocked-floyd-warshall", 0, "cells=16"));
    assert_int_equal(asked.bytes, 2);
    assert_string_equal(asked.lazy, "none");
    nf_graph_free(g);
    nf_graph_free(few);
}

/* No weights: hops. Graphs of no arc, and of one vertex. */
static void small_ones(void **state)
{
    nf_graph *none = graph_of(1, 0, NULL, NULL, NULL, 0), *apart = graph_of(5, 0, NULL, NULL, NULL, 0);
    nf_graph *plain = graph_of(3, 2, (nf_vid[]){0, 1}, (nf_vid[]){1, 2}, NULL, 0);
    (void)state;
    expect_bytes(none, HOW("blocked-floyd-warshall", 0, "lazy=none"), 2);
    expect_bytes(apart, HOW("recursive", 0, "lazy=none"), 2);
    expect_bytes(plain, PLAIN("min-plus", 0), 2);
    nf_graph_free(none);
    nf_graph_free(apart);
    nf_graph_free(plain);
}

static void expect_kind(const nf_graph *g, const nf_run_options *how, const char *kind)
{
    const matrix_told t = all_pairs("seed=3", g, how);
    if (strcmp(t.kind, kind) != 0)
        fail_msg("%s: cells as %s, not %s", how->algorithm, t.kind, kind);
}

/* Integers in floats, if asked for: in every method and form, exact up to 2^24 - 1 as distance and weight together;
 * else, with negative weights, parents and greater weights 32 bits or more. */
static void floats_hold_integers(void **state)
{
    static const char *const methods[] = {"blocked-floyd-warshall", "recursive", "min-plus"},
                             *const tiles[] = {"tile=small", "tile=medium", "tile=large"};
    enum { TOP = 1 << 24 };
    nf_graph *g = generate("uniform", 7, 3, 5), *within = all_arcs(20, TOP / 16, 10);
    nf_graph *at = path_of(3, TOP / 4, TOP / 4), *beyond = path_of(9, TOP / 4 + 1, 3), *negative = lowered(40, 7, 5);
    nf_graph *heavy = path_of(3, TOP, 5);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        for (size_t k = 0; k < COUNT(tiles); k++)
            expect_kind(g, HOW(methods[i], 0, "cells=float", tiles[k]), "f32");
        expect_kind(g, HOW(methods[i], 0, "cells=float", "lazy=tile"), "f32");
        expect_kind(g, HOW(methods[i], NF_RUN_PARENTS, "cells=float"), "i32");
        expect_kind(within, HOW(methods[i], 0, "cells=float"), "f32"); /* 19 arcs may leave 2^24: paths are seen to */
        expect_kind(at, HOW(methods[i], 0, "cells=float"), "i32");     /* 2^24 is a distance */
        expect_kind(beyond, HOW(methods[i], 0, "cells=float"), "i32");
        expect_kind(negative, HOW(methods[i], 0, "cells=float"), "i32");
        expect_kind(heavy, HOW(methods[i], 0, "cells=float"), "i32");
    }
    expect_kind(g, PLAIN("recursive", 0), "i16"); /* so few vertices are no faster in floats */
    nf_graph_free(g), nf_graph_free(within), nf_graph_free(at);
    nf_graph_free(beyond), nf_graph_free(negative), nf_graph_free(heavy);
}

/* The graph with its weights times `unit`, as floats. */
static nf_graph *in_units(nf_graph *g, nf_type type, double unit)
{
    nf_csr csr = {0};
    nf_graph *out = NULL;
    OK(nf_graph_view(NULL, g, &csr));
    float *narrow = malloc(csr.m * sizeof *narrow + 1);
    double *wide = malloc(csr.m * sizeof *wide + 1);
    assert_true(narrow != NULL && wide != NULL);
    for (nf_eid e = 0; e < csr.m; e++) {
        wide[e] = ((const int32_t *)csr.weights)[e] * unit;
        narrow[e] = (float)wide[e];
    }
    csr.weight_type = type;
    csr.weights = type == NF_F32 ? (const void *)narrow : wide;
    OK(nf_graph_from_csr(NULL, &csr, NULL, &out));
    free(narrow), free(wide);
    nf_graph_free(g);
    return out;
}

/* Floats in integers, if they are whole multiples of a power of two and paths fit; every method and form. */
static void integers_hold_floats(void **state)
{
    static const char *const methods[] = {"blocked-floyd-warshall", "recursive", "min-plus"},
                             *const tiles[] = {"tile=small", "tile=medium", "tile=large"};
    static const double units[] = {1, 0.125, 1024};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        for (size_t k = 0; k < COUNT(tiles); k++)
            for (int wide = 0; wide < 2; wide++) {
                nf_graph *g = in_units(all_arcs(40, 1, 100), wide ? NF_F64 : NF_F32, units[k]);
                expect_kind(g, HOW(methods[i], 0, tiles[k]), "i16");
                expect_kind(g, HOW(methods[i], 0, tiles[k], "cells=32"), "i32");
                expect_kind(g, HOW(methods[i], 0, tiles[k], "cells=float"), wide ? "f64" : "f32");
                expect_kind(g, HOW(methods[i], NF_RUN_PARENTS, tiles[k]), wide ? "i32" : "f32");
                nf_graph_free(g);
            }
}

/* They give way to 32 bits, where floats have 64, and to floats; each time the CPU's distances come out. */
static void floats_that_do_not_fit(void **state)
{
    const struct {
        nf_graph *g;
        const char *kind;
    } cases[] = {
        {in_units(path_of(31, 511, 30), NF_F32, 0.5), "i16"},
        {in_units(path_of(31, 511, 31), NF_F32, 0.5), "f32"}, /* 2^14 - 1 with the greatest weight */
        {in_units(path_of(31, 511, 31), NF_F64, 0.5), "i32"}, /* so 32 bits */
        {in_units(all_arcs(20, 1, 60), NF_F32, 0.1), "f32"},  /* no power of two */
        {in_units(all_arcs(20, 1, 60), NF_F64, 0.1), "f64"},
        {in_units(all_arcs(20, 1 << 20, 60), NF_F32, 1), "f32"}, /* whole, but 32 bits of integers gain nothing */
        {in_units(all_arcs(20, 1 << 20, 60), NF_F64, 0.25), "i32"},
        {in_units(path_of(40, 1 << 25, 5), NF_F64, 0.25), "f64"}, /* 2^30 and more */
        {in_units(lowered(40, 7, 5), NF_F64, 0.5), "f64"},        /* negative weights */
        {in_units(all_arcs(20, 1, 60), NF_F32, 0x1p-140), "f32"}, /* distances below the least normal float */
        {in_units(all_arcs(20, 1, 60), NF_F32, 0x1p100), "f32"},  /* or near the greatest */
    };
    nf_graph *inexact = in_units(path_of(40, (1 << 19) - 4, 5), NF_F32, 1),
             *exact = in_units(path_of(30, 1 << 18, 5), NF_F32, 1);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_kind(cases[i].g, HOW("blocked-floyd-warshall", 0, "lazy=none"), cases[i].kind);
        nf_graph_free(cases[i].g);
    }
    expect_kind(exact, HOW("blocked-floyd-warshall", 0, "cells=32"), "i32");
    expect_kind(inexact, HOW("blocked-floyd-warshall", 0, "cells=32"), "f32"); /* 2^24 and more: floats round */
    nf_graph_free(exact), nf_graph_free(inexact);
}

/* Trees of counts are those of the integers. */
static void counts_have_trees(void **state)
{
    nf_graph *g = all_arcs(40, 1, 9), *halves = in_units(all_arcs(40, 1, 9), NF_F64, 0.5);
    nf_context *ctx = emulator("seed=5", NULL);
    nf_result *want = NULL, *got = NULL;
    (void)state;
    OK(nf_apsp(ctx, g, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS), &want));
    OK(nf_apsp(ctx, halves, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS), &got));
    expect_trees(g, want);
    assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), 40 * 40 * sizeof(nf_vid));
    nf_result_free(want), nf_result_free(got);
    nf_context_free(ctx);
    nf_graph_free(g), nf_graph_free(halves);
}

static nf_status drop_rows(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

/* Two bytes a cell are enough, and four are not asked for unless 32 bits are. */
static void half_the_memory(void **state)
{
    nf_graph *g = generate("uniform", 8, 3, 5);
    const double n = 256, graph = 12 * (double)nf_graph_m(g) + 4 * n + 4096, band = 8 * n * n;
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        nf_run_options how = *HOW("blocked-floyd-warshall", 0, wide ? "cells=32" : "cells=auto");
        nf_context *ctx = open_device("emulator", "", graph + 2 * n * n + band + 32768, NULL, NULL);
        nf_result *r = NULL;
        how.sink = drop_rows;
        assert_int_equal(nf_apsp(ctx, g, &how, &r), wide ? NF_EDEVMEM : NF_OK);
        nf_result_free(r);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_and_form),    cmocka_unit_test(launches_and_steps),
        cmocka_unit_test(schedules_change_nothing), cmocka_unit_test(they_give_way_at_the_bound),
        cmocka_unit_test(what_is_hoped_for),        cmocka_unit_test(negative_weights),
        cmocka_unit_test(others_keep_32_bits),      cmocka_unit_test(small_ones),
        cmocka_unit_test(floats_hold_integers),     cmocka_unit_test(integers_hold_floats),
        cmocka_unit_test(floats_that_do_not_fit),   cmocka_unit_test(counts_have_trees),
        cmocka_unit_test(half_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
