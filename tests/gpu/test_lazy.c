/* test_lazy.c - sums left out by the dense methods on the emulator: by operation and by squares without a path, as many
 * as the test counts itself; the answers are the CPU's under any schedule, with parents, with negative weights, in
 * integers and floats; flags follow products and squares of several pivots; what lazy=auto takes. */
#include "all_pairs.h"

#define SQUARE 32u

/* ---- counts made here -------------------------------------------------------------------------------------------- */

typedef struct counts {
    unsigned long long skipped, among;
} counts;

/* Weights of the graph, `side` a row, -1: none. */
static int32_t *matrix_of(const nf_graph *g, unsigned side)
{
    int32_t *d = malloc(sizeof *d * side * side);
    nf_csr c = {.n = 0};
    assert_non_null(d);
    OK(nf_graph_view(NULL, g, &c));
    for (unsigned i = 0; i < side * side; i++)
        d[i] = i / side == i % side && i / side < c.n ? 0 : -1;
    for (nf_vid u = 0; u < c.n; u++)
        for (nf_eid e = c.off32[u]; e < c.off32[u + 1]; e++) {
            int32_t *cell = &d[u * side + c.adj[e]], w = ((const int32_t *)c.weights)[e];
            *cell = *cell < 0 || w < *cell ? w : *cell;
        }
    return d;
}

/* d = min(d, d * d); has anything changed? */
static bool square_matrix(int32_t *d, unsigned side)
{
    int32_t *was = malloc(sizeof *d * side * side);
    bool fell = false;
    assert_non_null(was);
    memcpy(was, d, sizeof *d * side * side);
    for (unsigned i = 0; i < side; i++)
        for (unsigned k = 0; k < side; k++)
            for (unsigned j = 0; was[i * side + k] >= 0 && j < side; j++) {
                const int32_t b = was[k * side + j], sum = was[i * side + k] + b;
                int32_t *cell = &d[i * side + j];
                if (b >= 0 && (*cell < 0 || sum < *cell))
                    *cell = sum, fell = true;
            }
    free(was);
    return fell;
}

/* Has a rectangle a path? Pivots' squares count as having one (L2). */
static bool has_path(const int32_t *d, unsigned side, unsigned pivot, unsigned row, unsigned rows, unsigned col,
                     unsigned cols)
{
    for (unsigned i = row; i < row + rows; i++)
        for (unsigned j = col; j < col + cols; j++)
            if (d[i * side + j] >= 0 || i / pivot == j / pivot)
                return true;
    return false;
}

/* Slabs of a squaring by tiles of so many rows and columns. */
static void count_slabs(const int32_t *d, unsigned side, unsigned rows, unsigned cols, unsigned pivot, counts *c)
{
    for (unsigned i = 0; i < side; i += rows)
        for (unsigned j = 0; j < side; j += cols)
            for (unsigned k = 0; k < side; k += SQUARE, c->among++)
                c->skipped +=
                    !has_path(d, side, pivot, i, rows, k, SQUARE) || !has_path(d, side, pivot, k, SQUARE, j, cols);
}

/* Sums of a squaring that are left out by operation: a thread's columns are twice four, 16 apart. */
static void count_sums(const int32_t *d, unsigned side, counts *c)
{
    c->among += (unsigned long long)side * side * side;
    for (unsigned k = 0; k < side; k++)
        for (unsigned j = 0; j < side; j += j % 16 == 12 ? 20 : 4) {
            bool any = false;
            for (unsigned v = 0; v < 4; v++)
                any |= d[k * side + j + v] >= 0 || d[k * side + j + 16 + v] >= 0;
            for (unsigned i = 0; i < side; i++)
                c->skipped += !any || d[i * side + k] < 0 ? 8 : 0;
        }
}

/* What squaring until nothing falls leaves out; large tiles with parents have half the rows. */
static counts count_squares(const nf_graph *g, const matrix_told *t, bool tiles, bool parents)
{
    const unsigned side = (unsigned)t->side, tile = t->tile == 128 && side == 128 ? 64 : t->tile; /* one is too few */
    const unsigned rows = tile == 128 && parents ? 64 : tile;
    int32_t *d = matrix_of(g, side);
    counts c = {0, 0};
    bool fell = true;
    for (uint64_t arcs = 1; fell && arcs < nf_graph_n(g); arcs *= 2) {
        if (tiles)
            count_slabs(d, side, rows, tile, t->pivot, &c);
        else
            count_sums(d, side, &c);
        fell = square_matrix(d, side);
    }
    free(d);
    return c;
}

static void expect_counts(const matrix_told *t, const char *lazy, unsigned long long skipped, unsigned long long among)
{
    assert_string_equal(t->lazy, lazy);
    if (t->skipped != skipped || t->among != among)
        fail_msg("lazy %s: skipped %llu of %llu, not %llu of %llu", lazy, t->skipped, t->among, skipped, among);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void halves_leave_out_most(void **state)
{
    enum { EACH = 64, CUBE = 32 * 32 * 32 };
    static const char *const aheads[] = {"ahead=on", "ahead=off"};
    nf_graph *g = cliques_of(2, EACH);
    matrix_told t;
    (void)state;
    t = all_pairs("", g, HOW("min-plus", 0, "tile=small", "lazy=tile"));
    expect_counts(&t, "tile", 64 - 2 * 8, 64); /* 16 tiles of 4 slabs; alive: tile and slab in one half */
    t = all_pairs("", g, HOW("min-plus", 0, "tile=small", "lazy=op"));
    expect_counts(&t, "op", 48 * CUBE, 64 * CUBE);
    for (size_t i = 0; i < COUNT(aheads); i++) {
        /* a pivot: 6 strips, 4 of the other half; 9 tiles, but for one in its half all of the other */
        t = all_pairs("seed=5", g, HOW("blocked-floyd-warshall", 0, "tile=small", "lazy=tile", aheads[i]));
        expect_counts(&t, "tile", 4 * 12, 4 * 15);
        t = all_pairs("seed=5", g, HOW("blocked-floyd-warshall", 0, "tile=small", "lazy=op", aheads[i]));
        expect_counts(&t, "op", 4 * 12 * CUBE, 4 * 15 * CUBE);
    }
    t = all_pairs("", g, HOW("floyd-warshall", 0, "lazy=op")); /* rows of the other half, for every vertex */
    expect_counts(&t, "op", 2ull * EACH * EACH * 2 * EACH, 0);
    t = all_pairs("", g, HOW("blocked-floyd-warshall", 0, "lazy=none"));
    expect_counts(&t, "none", 0, 0);
    nf_graph_free(g);
}

/* Round by round the test knows the matrix, and so the squares that have a path by then. */
static void squarings_leave_out_what_is_counted(void **state)
{
    static const char *const tiles[] = {"tile=small", "tile=medium", "tile=large"};
    nf_graph *graphs[] = {ladder_of(200, 1), generate("uniform", 7, 1, 3)};
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++)
        for (size_t k = 0; k < COUNT(tiles); k++) {
            for (unsigned flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS) {
                const matrix_told t = all_pairs("", graphs[i], HOW("min-plus", flags, "lazy=tile", tiles[k]));
                const counts c = count_squares(graphs[i], &t, true, flags != 0);
                expect_counts(&t, "tile", c.skipped, c.among);
                assert_true(i != 0 || k != 0 || (c.skipped > c.among / 2 && c.skipped < c.among));
            }
            const matrix_told t = all_pairs("", graphs[i], HOW("min-plus", 0, "lazy=op", tiles[k]));
            const counts c = count_squares(graphs[i], &t, false, false);
            expect_counts(&t, "op", c.skipped, c.among);
        }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* Every method, by both ways, in any order of threads; several pivots at once read copies of what they write (L3). */
static void schedules_change_nothing(void **state)
{
    static const char *const settings[] = {"order=lifo", "seed=3,order=random,preempt=0.2", "profile=1x32"};
    static const char *const ways[] = {"lazy=op", "lazy=tile"};
    nf_graph *graphs[] = {ladder_of(130, 1), grid_of(9, 11)};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t k = 0; k < COUNT(ways); k++)
            for (size_t j = 0; j < COUNT(graphs); j++) {
                const nf_graph *g = graphs[j];
                const unsigned flags = (i + j) % 2 == 0 ? NF_RUN_PARENTS : 0;
                (void)all_pairs(settings[i], g,
                                HOW("blocked-floyd-warshall", flags, "tile=small", "pivots=3", ways[k]));
                (void)all_pairs(settings[i], g, HOW("blocked-floyd-warshall", flags, "tile=medium", ways[k]));
                (void)all_pairs(settings[i], g, HOW("recursive", flags, "tile=small", ways[k]));
                (void)all_pairs(settings[i], g, HOW("min-plus", flags, "tile=small", ways[k]));
            }
    for (size_t i = 0; i < COUNT(graphs); i++)
        nf_graph_free(graphs[i]);
}

/* Large tiles, whose strips are of other forms; negative weights, where "none" is a range; wide sums. */
static void other_tiles_and_weights(void **state)
{
    static const char *const ways[] = {"lazy=op", "lazy=tile"};
    nf_graph *plain = ladder_of(300, 1), *negative = ladder_of(150, -3), *wide = ladder_of(200, 30000000);
    (void)state;
    for (size_t k = 0; k < COUNT(ways); k++) {
        for (unsigned flags = 0; flags <= NF_RUN_PARENTS; flags += NF_RUN_PARENTS) {
            (void)all_pairs("", plain, HOW("blocked-floyd-warshall", flags, "tile=large", ways[k]));
            (void)all_pairs("", negative, HOW("blocked-floyd-warshall", flags, "tile=small", ways[k]));
            (void)all_pairs("", negative, HOW("recursive", flags, "tile=medium", ways[k]));
            const matrix_told t = all_pairs("", wide, HOW("blocked-floyd-warshall", flags, ways[k]));
            assert_int_equal(t.bytes, 8);
        }
        (void)all_pairs("", plain, HOW("blocked-floyd-warshall", 0, "tile=large", "pivots=2", ways[k]));
        (void)all_pairs("", plain, HOW("recursive", 0, "tile=large", ways[k]));
    }
    nf_graph_free(plain);
    nf_graph_free(negative);
    nf_graph_free(wide);
}

/* Floats, both rings: the sums of these weights are exact. */
static void floats_are_the_same(void **state)
{
    static const char *const ways[] = {"lazy=none", "lazy=op", "lazy=tile"};
    static const nf_type types[] = {NF_F32, NF_F64};
    nf_context *ctx = emulator("seed=2", NULL);
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t i = 0; i < COUNT(types); i++) {
            nf_graph *g = ladder_of(150, 3 * sign);
            nf_result *r[COUNT(ways)] = {NULL};
            const size_t bytes = 150 * 150 * (types[i] == NF_F32 ? 4 : 8);
            for (size_t k = 0; k < COUNT(ways); k++) {
                nf_run_options how = *HOW("blocked-floyd-warshall", 0, "tile=small", ways[k]);
                how.distance_type = types[i];
                OK(nf_apsp(ctx, g, &how, &r[k]));
                assert_memory_equal(nf_result_distances(r[k], 0), nf_result_distances(r[0], 0), bytes);
            }
            for (size_t k = 0; k < COUNT(ways); k++)
                nf_result_free(r[k]);
            nf_graph_free(g);
        }
    nf_context_free(ctx);
}

/* By the arcs in a square of 32 x 32 cells: 200^2 / 1024 = 39. */
static void auto_asks_how_sparse_it_is(void **state)
{
    nf_graph *few = sparse_of(200, 38, true, 0), *more = sparse_of(200, 40, true, 0);
    (void)state;
    assert_string_equal(all_pairs("", few, PLAIN("blocked-floyd-warshall", 0)).lazy, "tile");
    assert_string_equal(all_pairs("", more, PLAIN("blocked-floyd-warshall", 0)).lazy, "none");
    nf_graph_free(few);
    nf_graph_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_leave_out_most),    cmocka_unit_test(squarings_leave_out_what_is_counted),
        cmocka_unit_test(schedules_change_nothing), cmocka_unit_test(other_tiles_and_weights),
        cmocka_unit_test(floats_are_the_same),      cmocka_unit_test(auto_asks_how_sparse_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
