/* test_dense.c - all pairs on the matrix on the emulator: every form of tile gives the CPU's distances and true trees,
 * blocks of one pivot and of several, with the next one ahead and without; launches and steps are those of the method;
 * sums that leave 32 bits are made again in 64; rows that are no trees are made again; memory is what is said;
 * what auto takes; a cancel. All of the matrix: test_symmetric.c has undirected graphs by half of it. */
#include "all_pairs.h"

/* Weights that are no whole multiples of a large power of two. */
static nf_graph *generate_f32(const char *kind, nf_vid n, double factor, uint64_t seed)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults(kind, &o));
    o.n = n, o.edge_factor = factor, o.seed = seed, o.weight_min = 0.1, o.weight_max = 9, o.weight_type = NF_F32;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static void a_pivot_takes_three_launches(void **state)
{
    nf_graph *g = grid_of(13, 15); /* 195 vertices */
    (void)state;
    const matrix_told small =
        all_pairs("seed=2", g, HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=off", "symmetric=off"));
    const matrix_told ahead =
        all_pairs("seed=2", g, HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=on", "symmetric=off"));
    const matrix_told halves =
        all_pairs("seed=2", g, HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=halves", "symmetric=off"));
    const matrix_told lazy =
        all_pairs("seed=2", g, HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=halves", "lazy=tile"));
    const matrix_told medium =
        all_pairs("seed=2", g, HOW("blocked-floyd-warshall", 0, "tile=medium", "ahead=off", "symmetric=off"));
    assert_true(small.side == 224 && small.pivot == 32 && small.deep == 32 && small.bytes == 2);
    assert_true(small.launches == 3 * 7 && small.steps == 7ull * 32 * 224 * 224);          /* each step once */
    assert_true(ahead.launches == 3 * 7 + 6 && ahead.steps == small.steps);                /* the cross apart */
    assert_true(halves.launches == ahead.launches + 6 + 7 && halves.steps == small.steps); /* lower halves, copies */
    assert_true(lazy.launches == ahead.launches);                                          /* no halves */
    assert_true(medium.side == 256 && medium.pivot == 64 && medium.launches == 3 * 4);
    nf_graph_free(g);
}

/* The large form: strips of their own forms; blocks of two pivots over Kleene's recursion. */
static void large_tiles_and_several_pivots(void **state)
{
    static const char *const pivots[] = {"pivots=1", "pivots=2"};
    nf_graph *g = generate("uniform", 8, 3, 5), *more = grid_of(15, 20); /* 256 and 300 vertices */
    (void)state;
    for (unsigned flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS)
        for (size_t i = 0; i < COUNT(pivots); i++) {
            const nf_graph *of = i == 0 ? g : more;
            const matrix_told t =
                all_pairs("", of, HOW("blocked-floyd-warshall", flags, "tile=large", pivots[i], "symmetric=off"));
            assert_int_equal(t.pivot, 128);
            assert_int_equal(t.deep, i == 0 ? 128 : 256);
            assert_int_equal(t.again, 0);
        }
    const matrix_told kleene = all_pairs("", g, HOW("recursive", NF_RUN_PARENTS, "tile=large"));
    assert_true(kleene.launches == 2 + 6 && kleene.steps == 2ull * 128 * 128 * 128 * 4); /* two leaves, six products */
    nf_graph_free(g);
    nf_graph_free(more);
}

/* Products of the large form in cells of every kind: three pivots, and the rest of the matrix by each; on a device with
 * one multiprocessor, for which these are many tiles, strips in squares. */
static void large_tiles_in_all_cells(void **state)
{
    static const char *const cells[] = {"cells=auto", "cells=32", "cells=float"};
    nf_graph *g = grid_of(15, 20);
    (void)state;
    for (size_t i = 0; i < COUNT(cells); i++) {
        (void)all_pairs("", g, HOW("blocked-floyd-warshall", 0, "tile=large", "pivots=1", cells[i], "symmetric=off"));
        const matrix_told t =
            all_pairs("profile=1x256", g,
                      HOW("blocked-floyd-warshall", 0, "tile=large", "pivots=1", cells[i], "symmetric=off"));
        assert_true(t.pivot == 128 && t.side >= 3 * 128);
    }
    nf_graph_free(g);
}

/* Floats that are not negative, in large tiles: operands are packed, one launch more a block, in any order of threads,
 * for blocks of one pivot and of several, the last one shorter; with little memory they are read where they lie. */
static void packed_operands(void **state)
{
    static const char *const settings[] = {"", "order=lifo", "seed=4,order=random,preempt=0.2", "seed=5,order=random"};
    static const char *const aheads[] = {"ahead=off", "ahead=on", "ahead=halves"};
    const double n = 300, side = 384, matrix = 4 * side * side, rows = 4 * n * n;
    nf_graph *g = generate_f32("uniform", 300, 3, 5);
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(aheads); k++) {
            const matrix_told t =
                all_pairs(settings[i], g,
                          HOW("blocked-floyd-warshall", 0, "tile=large", "pivots=1", aheads[k], "symmetric=off"));
            const unsigned more[] = {0, 2, 4}; /* crosses, lower halves */
            assert_string_equal(t.kind, "f32");
            assert_int_equal(t.launches, 3 * 4 + more[k]);
            (void)all_pairs(settings[i], g,
                            HOW("blocked-floyd-warshall", 0, "tile=large", "pivots=2", aheads[k], "symmetric=off"));
        }
    matrix_told t = {0};
    nf_context *ctx = open_device("emulator", "", 14 * (double)nf_graph_m(g) + matrix + rows + 65536, hear_matrix, &t);
    expect_all_pairs(ctx, g, HOW("blocked-floyd-warshall", 0, "tile=large", "ahead=off", "symmetric=off"), false);
    assert_int_equal(t.launches, 3 * 3);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* The product in halves: an odd number of rows of tiles, few of them, blocks of one pivot and of several, cells of
 * every kind and parents, in any order of threads. */
static void halves_follow_each_other(void **state)
{
    static const char *const settings[] = {"", "order=lifo", "seed=4,order=random,preempt=0.2", "profile=1x32"};
    static const char *const cells[] = {"cells=auto", "cells=32", "cells=float"};
    static const char *const pivots[] = {"pivots=1", "pivots=2", "pivots=3"};
    nf_graph *odd = grid_of(9, 24), *few = grid_of(3, 11), *one = grid_of(3, 7); /* 7 rows of tiles, 2, and 1 */
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(pivots); k++) {
            const matrix_told t = all_pairs(settings[i], odd,
                                            HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "tile=small", "ahead=halves",
                                                pivots[k], "symmetric=off"));
            assert_true(t.side == 224 && t.again == 0);
            (void)all_pairs(settings[i], odd,
                            HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=halves", pivots[k], cells[k],
                                "symmetric=off"));
            (void)all_pairs(settings[i], few,
                            HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "tile=small", "ahead=halves", pivots[k],
                                "symmetric=off"));
        }
    (void)all_pairs("", one,
                    HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "tile=small", "ahead=halves", "symmetric=off"));
    (void)all_pairs("", odd,
                    HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "tile=large", "ahead=halves", "symmetric=off"));
    nf_graph_free(odd);
    nf_graph_free(few);
    nf_graph_free(one);
}

/* What the streams of halves wait for: their work in any order that this leaves open. Paths pass vertices of all
 * blocks, in no order. */
static void halves_wait_for_each_other(void **state)
{
    enum { N = 200 };
    const arc_list a = arcs_make(N - 1);
    (void)state;
    for (nf_vid i = 0; i + 1 < N; i++)
        a.src[i] = i * 77 % N, a.dst[i] = (i + 1) * 77 % N, a.w[i] = (int32_t)(1 + i % 5); /* 77 and 200 are coprime */
    nf_graph *g = graph_from(N, N - 1, a, NF_BUILD_UNDIRECTED);
    for (int seed = 1; seed <= 24; seed++) {
        char settings[32];
        snprintf(settings, sizeof settings, "order=random,seed=%d", seed);
        (void)all_pairs(settings, g, HOW("blocked-floyd-warshall", 0, "tile=small", "ahead=halves", "symmetric=off"));
    }
    nf_graph_free(g);
}

/* A block of several pivots in the small form, next to the end of the matrix, in any order of threads. */
static void schedules_change_nothing(void **state)
{
    static const char *const settings[] = {"order=lifo", "seed=3,order=random,preempt=0.2", "profile=1x32"};
    nf_graph *g = grid_of(9, 11); /* 99 vertices: 128 in fours of 32 */
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const matrix_told t =
            all_pairs(settings[i], g,
                      HOW("blocked-floyd-warshall", NF_RUN_PARENTS, "tile=small", "pivots=3", "symmetric=off"));
        assert_true(t.deep == 96 && t.side == 128 && t.again == 0);
        (void)all_pairs(settings[i], g, HOW("recursive", NF_RUN_PARENTS, "tile=small"));
        (void)all_pairs(settings[i], g, HOW("min-plus", NF_RUN_PARENTS, "tile=small", "product=core"));
        (void)all_pairs(settings[i], g, HOW("min-plus", NF_RUN_PARENTS, "product=transposed"));
        (void)all_pairs(settings[i], g, PLAIN("floyd-warshall", NF_RUN_PARENTS));
    }
    nf_graph_free(g);
}

/* Squares: as many rounds as the longest path asks for, and one that changes nothing. */
static void squares_double_the_arcs(void **state)
{
    enum { N = 33 };
    arc_list a = arcs_make(N - 1);
    nf_context *ctx = emulator("", NULL);
    nf_result *r = NULL;
    nf_run_info info = {.size = sizeof info};
    (void)state;
    for (nf_vid v = 0; v + 1 < N; v++)
        a.src[v] = v, a.dst[v] = v + 1, a.w[v] = 3;
    nf_graph *g = graph_of(N, N - 1, a.src, a.dst, a.w, 0);
    OK(nf_apsp(ctx, g, PLAIN("min-plus", 0), &r));
    OK(nf_result_info(r, &info));
    assert_int_equal(info.iterations, 6); /* 2, 4, 8, 16, 32 arcs, and what shows that it is over; 32 of 33 are all */
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
    free(a.src), free(a.dst), free(a.w);
}

/* A path whose sum is above 2^30: cut off in 32 bits, noticed, made again. */
static void sums_beyond_32_bits(void **state)
{
    enum { N = 40 };
    arc_list a = arcs_make(N - 1);
    (void)state;
    for (nf_vid v = 0; v + 1 < N; v++)
        a.src[v] = v, a.dst[v] = v + 1, a.w[v] = 30000000;
    nf_graph *g = graph_of(N, N - 1, a.src, a.dst, a.w, 0);
    const matrix_told wide = all_pairs("", g, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS));
    assert_int_equal(wide.bytes, 8);
    nf_graph_free(g);
    for (nf_vid v = 0; v + 1 < N; v++)
        a.w[v] = 20000000; /* may leave 2^29, does not leave 2^30 */
    g = graph_of(N, N - 1, a.src, a.dst, a.w, 0);
    const matrix_told narrow = all_pairs("", g, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS));
    assert_int_equal(narrow.bytes, 4);
    nf_graph_free(g);
    free(a.src), free(a.dst), free(a.w);
}

/* A loop that no path takes, longer than 31 bits. */
static void a_long_loop_of_one_vertex(void **state)
{
    const nf_vid vertex = 0;
    const uint32_t length = 3000000000u;
    const nf_coo coo = {1, 1, &vertex, &vertex, NF_U32, &length};
    const nf_build_options keep = {.size = sizeof keep};
    nf_graph *g = NULL;
    (void)state;
    OK(nf_graph_from_coo(NULL, &coo, &keep, &g));
    assert_int_equal(nf_graph_m(g), 1);
    (void)all_pairs("", g, PLAIN("blocked-floyd-warshall", 0));
    nf_graph_free(g);
}

/* Arcs of length 0 may close rings of parents; deterministic trees are made row by row. */
static void rows_that_are_made_again(void **state)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *zero = NULL, *g = grid_of(6, 7);
    (void)state;
    OK(nf_generate_defaults("uniform", &o));
    o.n = 60, o.edge_factor = 4, o.seed = 3, o.weight_min = 0, o.weight_max = 1;
    OK(nf_generate(NULL, &o, &zero));
    (void)all_pairs("seed=4", zero, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS));
    (void)all_pairs("seed=4", zero, PLAIN("recursive", NF_RUN_PARENTS));
    const matrix_told t = all_pairs("", g, PLAIN("blocked-floyd-warshall", NF_RUN_PARENTS | NF_RUN_DETERMINISTIC));
    assert_int_equal(t.again, 42);
    nf_graph_free(zero);
    nf_graph_free(g);
}

static nf_status drop_rows(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

/* Within what the formula says, and not in a little less than the matrix. */
static void memory_is_what_is_said(void **state)
{
    nf_graph *g = generate("uniform", 8, 3, 5);
    const double n = 256, graph = 12 * (double)nf_graph_m(g) + 4 * n + 4096, band = 8 * n * n;
    const double needs[] = {2 * n * n + band, 8 * n * n + 512 * n + band + 4 * n * n};
    (void)state;
    for (int parents = 0; parents < 2; parents++) {
        const nf_run_options how = {.size = sizeof how,
                                    .algorithm = "blocked-floyd-warshall",
                                    .flags = parents ? NF_RUN_PARENTS : 0,
                                    .sink = drop_rows};
        nf_context *ctx = open_device("emulator", "", graph + needs[parents] + 65536, NULL, NULL);
        nf_result *r = NULL;
        OK(nf_apsp(ctx, g, &how, &r));
        nf_result_free(r);
        nf_context_free(ctx);
        ctx = open_device("emulator", "", (parents ? 8 : 2) * n * n - 65536, NULL, NULL);
        assert_int_equal(nf_apsp(ctx, g, &how, &r), NF_EDEVMEM);
        nf_context_free(ctx);
    }
    nf_graph_free(g);
}

/* What the log says was chosen, which is enough: the run is cancelled. */
typedef struct choice {
    nf_context *ctx;
    char name[64];
} choice;

static void hear_choice(void *user, nf_log_level level, const char *text)
{
    choice *c = user;
    if (level != NF_LOG_INFO || strncmp(text, "apsp: ", 6) != 0)
        return;
    (void)snprintf(c->name, sizeof c->name, "%.*s", (int)strcspn(text + 6, " "), text + 6);
    nf_context_cancel(c->ctx);
}

static void expect_taken(const nf_graph *g, double limit, const char *name)
{
    choice c = {.name = ""};
    nf_run_options how = *PLAIN("auto", 0);
    nf_result *r = NULL;
    c.ctx = open_device("emulator", "", limit, hear_choice, &c);
    how.sink = drop_rows;
    assert_int_equal(nf_apsp(c.ctx, g, &how, &r), NF_ECANCELLED);
    assert_string_equal(c.name, name);
    nf_result_free(r);
    nf_context_free(c.ctx);
}

/* The matrix where it is quicker, streamed where the device has no room for it; else runs, over potentials where
 * lengths are negative. */
static void auto_weighs_matrix_and_runs(void **state)
{
    static const nf_vid sizes[] = {400, 60000};
    nf_generate_options o = {.size = sizeof o};
    nf_graph *negative[2] = {NULL, NULL}, *g[2] = {grid_of(20, 20), grid_of(240, 250)};
    (void)state;
    OK(nf_generate_defaults("negative", &o));
    for (int i = 0; i < 2; i++) {
        o.n = sizes[i], o.edge_factor = 3, o.seed = 4;
        OK(nf_generate(NULL, &o, &negative[i]));
    }
    expect_taken(g[0], 0, "blocked-floyd-warshall");
    expect_taken(negative[0], 0, "blocked-floyd-warshall");
    expect_taken(g[0], 1 << 20, "streamed");
    expect_taken(negative[0], 1 << 20, "streamed");
    expect_taken(g[1], 0, "n-sssp");
    expect_taken(negative[1], 0, "johnson");
    for (int i = 0; i < 2; i++) {
        nf_graph_free(negative[i]);
        nf_graph_free(g[i]);
    }
}

static void a_cancel_ends_it(void **state)
{
    static const char *const methods[] = {"blocked-floyd-warshall", "recursive", "floyd-warshall", "min-plus"};
    nf_graph *g = grid_of(22, 22);
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        expect_cancelled(g, PLAIN(methods[i], 0));
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pivot_takes_three_launches), cmocka_unit_test(large_tiles_and_several_pivots),
        cmocka_unit_test(large_tiles_in_all_cells),     cmocka_unit_test(packed_operands),
        cmocka_unit_test(halves_follow_each_other),     cmocka_unit_test(halves_wait_for_each_other),
        cmocka_unit_test(schedules_change_nothing),     cmocka_unit_test(squares_double_the_arcs),
        cmocka_unit_test(sums_beyond_32_bits),          cmocka_unit_test(a_long_loop_of_one_vertex),
        cmocka_unit_test(rows_that_are_made_again),     cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(auto_weighs_matrix_and_runs),  cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
