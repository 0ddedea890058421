/* METIS .graph: formats, blank lines, both meanings of the header, and lists that do not agree. */
#include "reading.h"

static void reads_plain_lists(void **state)
{
    (void)state;
    nf_graph *g = read_text("a.graph", "% c\n4 2\n2 3\n% between\n1\n1\n\n", NULL);
    assert_string_equal(info_of(g).format, "metis");
    assert_int_equal(info_of(g).label_base, 1);
    expect_graph(g, 4, false, NF_NONE, "1>2 1>3 2>1 3>1");
    expect_graph(read_text("a.graph", "4 1\r\n\r\n3\r\n 2 \r\n\r\n\r\n\r\n", NULL), 4, false, NF_NONE, "2>3 3>2");
    expect_graph(read_text("a.graph", "2 1 0\n2\n1", NULL), 2, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.graph", "3 1\n2\n1", NULL), 3, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.graph", "2 0\n", NULL), 2, false, NF_NONE, "");
}

static void reads_weights(void **state)
{
    (void)state;
    expect_graph(read_text("a.graph", "2 1 1\n2 7\n1 7\n", NULL), 2, false, NF_I32, "1>2:7 2>1:7");
    expect_graph(read_text("a.graph", "2 1 001\n2 0.5\n1 0.5\n", NULL), 2, false, NF_F64, "1>2:0.5 2>1:0.5");
    expect_graph(read_text("a.graph", "2 1 10\n99 2\n98 1\n", NULL), 2, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.graph", "2 1 11 2\n9 9 2 7\n8 8 1 7\n", NULL), 2, false, NF_I32, "1>2:7 2>1:7");
    expect_graph(read_text("a.graph", "2 1 100\n5 2\n6 1\n", NULL), 2, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.graph", "2 1 111\n5 9 2 7\n6 8 1 7\n", NULL), 2, false, NF_I32, "1>2:7 2>1:7");
    nf_read_options none = {.size = sizeof none, .weight_column = -1};
    expect_graph(read_text("a.graph", "2 1 1\n2 7\n1 7\n", &none), 2, false, NF_NONE, "1>2 2>1");
}

static void reads_directed_lists(void **state)
{
    (void)state;
    expect_graph(read_text("a.graph", "3 2 100\n2 3\n\n\n", NULL), 3, true, NF_NONE, "1>2 1>3");
    nf_read_options undirected = {.size = sizeof undirected, .flags = NF_READ_UNDIRECTED};
    expect_graph(read_text("a.graph", "3 2\n2 3\n\n\n", &undirected), 3, false, NF_NONE, "1>2 1>3 2>1 3>1");
    nf_read_options directed = {.size = sizeof directed, .flags = NF_READ_DIRECTED};
    expect_graph(read_text("a.graph", "2 1\n2\n1\n", &directed), 2, true, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.graph", "3 1\n2 3\n\n\n", &directed), 3, true, NF_NONE, "1>2 1>3");
    expect_graph(read_text("a.graph", "2 2\n1 2\n1\n", NULL), 2, false, NF_NONE, "1>1 1>2 2>1");
}

static void refuses_lists_that_do_not_agree(void **state)
{
    (void)state;
    expect_bad("a.graph", "3 1\n3\n3\n\n", NULL,
               ":2:1: ", "vertex 1 lists 3, but 3 does not list 1; expected every edge");
    expect_bad("a.graph", "2 1 1\n2 7\n1 8\n", NULL, ":1:3: ", "different weights");
    expect_bad("a.graph", "3 5\n2 3\n1\n1\n", NULL, ":1:3: ", "5 edges are promised, but 4 neighbours are listed");
    expect_bad("a.graph", "3 3\n2 3\n1\n1\n", NULL, ":1:3: ", "3 edges are promised, but 4 neighbours are listed");
}

static void refuses_bad_lines(void **state)
{
    (void)state;
    expect_bad("a.graph", "x\n", NULL, ":1:1: ", "'x' is not a number of vertices");
    expect_bad("a.graph", "2\n", NULL, ":1:2: ", "expected a number of edges");
    expect_bad("a.graph", "2 1 2\n2\n1\n", NULL, ":1:5: ", "format 2 is not known");
    expect_bad("a.graph", "2 1 7777\n2\n1\n", NULL, ":1:5: ", "format 7777 is out of range");
    expect_bad("a.graph", "2 -1\n", NULL, ":1:3: ", "number of edges -1 is out of range");
    expect_bad("a.graph", "2 1000000000000000000\n2\n1\n", NULL,
               ":1:3: ", "1000000000000000000 edges are promised; expected at most");
    expect_bad("a.graph", "4000000000 1\n2\n1\n", NULL, ":1:1: ", "4000000000 vertices are too many; expected at most");
    expect_bad("a.graph", "2 1\n3\n1\n", NULL, ":2:1: ", "vertex 3 is out of range; expected 1 to 2");
    expect_bad("a.graph", "2 1\n2\n0\n", NULL, ":3:1: ", "vertex 0 is out of range; expected 1 to 2");
    expect_bad("a.graph", "2 1\n2\n1\n1\n", NULL, ":4:1: ", "a list after that of the last vertex; expected 2");
    expect_bad("a.graph", "2 1 1\n2 7\n1\n", NULL, ":3:2: ", "expected a weight");
    expect_bad("a.graph", "2 1 1\n2 7\n1 nan\n", NULL, ":3:3: ", "weight nan is refused");
    expect_bad("a.graph", "2 1 10\n5 2\n\n", NULL, ":3:1: ", "expected a vertex weight or size");
}

/* A ring long enough for several chunks, with comments and blank vertices. */
static void reads_long_files_at_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 30000 };
    char *text = malloc((size_t)N * 60);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "%d %d 1\n", 2 * N, N);
    for (unsigned v = 0; v < N; v++) {
        unsigned before = (v + N - 1) % N, after = (v + 1) % N;
        used += (size_t)sprintf(text + used, "%u %u %u %u\n\n", 2 * before + 1, before + 1, 2 * after + 1, v + 1);
        if (v % 11 == 0)
            used += (size_t)sprintf(text + used, "%% %u\n", v);
    }
    file f = file_make("a.graph", text, used);
    for (int threads = 1; threads <= 4; threads++) {
        nf_context *ctx = make_context(threads);
        nf_graph *g = NULL;
        nf_csr csr;
        assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_OK);
        assert_false(info_of(g).directed);
        assert_int_equal(nf_graph_view(ctx, g, &csr), NF_OK);
        assert_int_equal(csr.m, 2 * N);
        for (unsigned v = 0; v < N; v++) {
            assert_int_equal(csr.off32[2 * v + 1], 2 * v + 2);
            assert_int_equal(csr.adj[2 * v + 1], (v + 1) % N * 2);
            assert_int_equal(((const int32_t *)csr.weights)[2 * v + 1], v + 1);
        }
        nf_graph_free(g);
        nf_context_free(ctx);
    }
    file_remove(&f);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_lists),    cmocka_unit_test(reads_weights),
        cmocka_unit_test(reads_directed_lists), cmocka_unit_test(refuses_lists_that_do_not_agree),
        cmocka_unit_test(refuses_bad_lines),    cmocka_unit_test(reads_long_files_at_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
