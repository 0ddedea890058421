/* DIMACS .gr: what is read, what is refused and where, and the same answer at any number of threads. */
#include "reading.h"

static void reads_arcs(void **state)
{
    (void)state;
    nf_graph *g = read_text("a.gr", "c hello\np sp 3 3\nc between\na 1 2 5\na 2 3 0\nc\na 3 1 7\n", NULL);
    assert_string_equal(info_of(g).format, "gr");
    assert_int_equal(info_of(g).label_base, 1);
    expect_graph(g, 3, true, NF_I32, "1>2:5 2>3:0 3>1:7");
}

static void takes_any_line_ends(void **state)
{
    (void)state;
    expect_graph(read_text("a.gr", "p sp 2 2\r\na 1 2 5\r\n\r\na\t2 1  6\r\n", NULL), 2, true, NF_I32, "1>2:5 2>1:6");
    expect_graph(read_text("a.gr", "p sp 2 1\na 1 2 5", NULL), 2, true, NF_I32, "1>2:5");
    expect_graph(read_text("a.gr", "\xef\xbb\xbfp sp 2 1\n  a 1 2 5  ", NULL), 2, true, NF_I32, "1>2:5");
    expect_graph(read_text("a.gr", "p sp 2 0", NULL), 2, true, NF_I32, "");
    expect_graph(read_text("a.gr", "p sp 0 0\n", NULL), 0, true, NF_I32, "");
}

static void keeps_loops_and_parallel_arcs(void **state)
{
    (void)state;
    const char *text = "p sp 2 4\na 1 1 3\na 1 2 9\na 1 2 4\na 2 1 1\n";
    expect_graph(read_text("a.gr", text, NULL), 2, true, NF_I32, "1>1:3 1>2:9 1>2:4 2>1:1");
    nf_read_options o = {.size = sizeof o, .flags = NF_READ_DROP_LOOPS, .duplicates = NF_DUP_MIN};
    expect_graph(read_text("a.gr", text, &o), 2, true, NF_I32, "1>2:4 2>1:1");
}

static void reads_tree_width_files(void **state)
{
    (void)state;
    nf_read_options o = {.size = sizeof o, .flags = NF_READ_DIRECTED};
    const char *text = "c pace\np tw 4 3\n1 2\nc\n2 3\n3 3\n";
    expect_graph(read_text("a.gr", text, NULL), 4, false, NF_NONE, "1>2 2>1 2>3 3>2 3>3");
    expect_graph(read_text("a.gr", text, &o), 4, true, NF_NONE, "1>2 2>3 3>3");
}

static void honours_options(void **state)
{
    (void)state;
    const char *text = "p sp 2 1\na 1 2 5\n";
    nf_read_options o = {.size = sizeof o, .flags = NF_READ_UNDIRECTED, .weight_type = NF_F32};
    expect_graph(read_text("a.gr", text, &o), 2, false, NF_F32, "1>2:5 2>1:5");
    nf_read_options none = {.size = sizeof none, .weight_column = -1};
    expect_graph(read_text("a.gr", text, &none), 2, true, NF_NONE, "1>2");
    nf_read_options named = {.size = sizeof named, .format = "gr"};
    expect_graph(read_text("noname", text, &named), 2, true, NF_I32, "1>2:5");
    expect_graph(read_text("noname", text, NULL), 2, true, NF_I32, "1>2:5");
    nf_read_options real = {.size = sizeof real, .weight_type = NF_F64};
    expect_graph(read_text("a.gr", "p sp 2 2\na 1 2 2.5\na 2 1 inf\n", &real), 2, true, NF_F64, "1>2:2.5");
    nf_read_options whole = {.size = sizeof whole, .weight_type = NF_I32};
    expect_graph(read_text("a.gr", "p sp 2 1\na 1 2 2e3\n", &whole), 2, true, NF_I32, "1>2:2000");
}

static void chooses_the_weight_type(void **state)
{
    (void)state;
    expect_graph(read_text("a.gr", "p sp 2 1\na 1 2 2147483647\n", NULL), 2, true, NF_I32, "1>2:2147483647");
    expect_graph(read_text("a.gr", "p sp 2 1\na 1 2 -2147483648\n", NULL), 2, true, NF_I32, "1>2:-2147483648");
    expect_graph(read_text("a.gr", "p sp 2 1\na 1 2 4294967295\n", NULL), 2, true, NF_U32, "1>2:4294967295");
    expect_bad("a.gr", "p sp 2 1\na 1 2 4294967296\n", NULL, ":2:7: ", "weight 4294967296 does not fit; expected");
    expect_bad("a.gr", "p sp 2 1\na 1 2 99999999999999999999999\n", NULL,
               ":2:7: ", "expected a whole number of 32 bits");
    expect_bad("a.gr", "p sp 2 2\na 1 2 3000000000\na 2 1 -1\n", NULL, ":2:7: ", "weight type f64");
    expect_bad("a.gr", "p sp 2 1\na 1 2 1.5\n", NULL, ":2:7: ", "weight type f64");
    nf_read_options u = {.size = sizeof u, .weight_type = NF_U32};
    expect_bad("a.gr", "p sp 2 1\na 1 2 -1\n", &u, ":2:7: ", "expected a whole number from 0 to 4294967295");
    nf_read_options i = {.size = sizeof i, .weight_type = NF_I32};
    expect_bad("a.gr", "p sp 2 1\na 1 2 2147483648\n", &i, ":2:7: ", "2147483647");
    expect_bad("a.gr", "p sp 2 1\na 1 2 1.25\n", &i, ":2:7: ", "weight 1.25 does not fit");
}

static void refuses_bad_headers(void **state)
{
    (void)state;
    expect_bad("a.gr", "a 1 2 3\n", NULL, ":1:1: ", "expected 'p sp VERTICES ARCS'");
    expect_bad("a.gr", "p xx 1 2\n", NULL, ":1:3: ", "expected 'p sp' or 'p tw'");
    expect_bad("a.gr", "p sp -3 2\n", NULL, ":1:6: ", "number of vertices -3 is out of range");
    expect_bad("a.gr", "p sp 3 -2\n", NULL, ":1:8: ", "number of arcs -2 is out of range");
    expect_bad("a.gr", "p sp 3\n", NULL, ":1:7: ", "the line ends too soon; expected a number of arcs");
    expect_bad("a.gr", "p sp 3 2x\n", NULL, ":1:8: ", "'2x' is not a number of arcs; expected a whole number");
    expect_bad("a.gr", "p sp 99999999999999999999 2\n", NULL, ":1:6: ", "out of range");
    expect_bad("a.gr", "p sp 4294967295 0\n", NULL, ":1:6: ", "out of range");
    expect_bad("a.gr", "p sp 3 2 7\n", NULL, ":1:10: ", "'7' follows; expected the end of the line");
    expect_bad("a.gr", "c\np aux sp co 3\nv 1 2 3\n", NULL, ":2:1: ", "auxiliary");
}

static void refuses_empty_promises(void **state)
{
    (void)state;
    expect_bad("a.gr", "p sp 3 1000000000000000000\na 1 2 3\n", NULL,
               ":1:8: ", "1000000000000000000 arcs are promised; expected at most");
    expect_bad("a.gr", "p sp 4000000000 1\na 1 2 3\n", NULL,
               ":1:6: ", "4000000000 vertices are too many; expected at most");
    expect_bad("a.gr", "p sp 3 3\na 1 2 3\na 2 1 3\n", NULL, ":1:8: ", "3 arcs are promised, but 2 follow");
    expect_bad("a.gr", "p sp 3 1\na 1 2 3\na 2 1 3\n", NULL, ":1:8: ", "1 arcs are promised, but 2 follow");
    nf_context_options c = {.size = sizeof c, .memory_limit = 1 << 20};
    nf_context *ctx = NULL;
    nf_graph *g = NULL;
    assert_int_equal(nf_context_create(&c, &ctx), NF_OK);
    file f = file_make("a.gr", "p sp 9 1000000000000000000\n", 27);
    assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_EFORMAT);
    uint64_t peak = 0;
    (void)nf_context_bytes(ctx, &peak);
    assert_true(peak < 1 << 16);
    file_remove(&f);
    nf_context_free(ctx);
}

static void refuses_bad_arcs(void **state)
{
    (void)state;
    expect_bad("a.gr", "p sp 3 2\na 1 2 3\na 1 4 3\n", NULL, ":3:5: ", "vertex 4 is out of range; expected 1 to 3");
    expect_bad("a.gr", "p sp 3 1\na 0 2 3\n", NULL, ":2:3: ", "vertex 0 is out of range; expected 1 to 3");
    expect_bad("a.gr", "p sp 3 1\na -1 2 3\n", NULL, ":2:3: ", "vertex -1 is out of range; expected 1 to 3");
    expect_bad("a.gr", "p sp 3 1\na 1 18446744073709551617 3\n", NULL, ":2:5: ", "out of range");
    expect_bad("a.gr", "p sp 3 1\na 1 x 3\n", NULL, ":2:5: ", "'x' is not a vertex; expected a whole number (1 to 3)");
    expect_bad("a.gr", "p sp 3 1\na 1 2\n", NULL, ":2:6: ", "the line ends too soon; expected a weight");
    expect_bad("a.gr", "p sp 3 1\na 1", NULL, ":2:4: ", "the line ends too soon; expected a vertex");
    expect_bad("a.gr", "p sp 3 1\na 1 2 3 4\n", NULL, ":2:9: ", "'4' follows; expected the end of the line");
    expect_bad("a.gr", "p sp 3 1\ne 1 2 3\n", NULL, ":2:1: ", "'e' is no kind of line; expected 'a'");
    expect_bad("a.gr", "p sp 3 1\na1 2 3\n", NULL, ":2:1: ", "'a1' is no kind of line");
    expect_bad("a.gr", "p sp 3 1\na 1 2 nan\n", NULL, ":2:7: ", "weight nan is refused");
    expect_bad("a.gr", "p sp 3 1\na 1 2 -inf\n", NULL, ":2:7: ", "weight -inf is refused");
    expect_bad("a.gr", "p sp 3 1\na 1 2 ,\n", NULL, ":2:7: ", "',' is not a weight");
    expect_bad("a.gr", "p sp 0 1\na 1 1 1\n", NULL, ":2:3: ", "0 vertices");
}

/* A file of several chunks: m arcs i -> i+1 of weight i, with comments strewn in. */
static char *long_file(unsigned m, size_t *size)
{
    char *text = malloc((size_t)m * 40 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "p sp %u %u\n", m + 1, m);
    for (unsigned i = 1; i <= m; i++) {
        used += (size_t)sprintf(text + used, "a %u %u %u%s\n", i, i + 1, i, i % 5 == 0 ? "\r" : "");
        if (i % 7 == 0)
            used += (size_t)sprintf(text + used, "c comment %u\n\n", i);
    }
    *size = used;
    return text;
}

static void is_the_same_at_any_number_of_threads(void **state)
{
    (void)state;
    enum { M = 60000 };
    size_t size;
    char *text = long_file(M, &size);
    file f = file_make("a.gr", text, size);
    for (int threads = 1; threads <= 5; threads += 2) {
        nf_context *ctx = make_context(threads);
        nf_graph *g = NULL;
        nf_csr csr;
        assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_OK);
        assert_int_equal(nf_graph_view(ctx, g, &csr), NF_OK);
        assert_int_equal(csr.m, M);
        for (unsigned i = 0; i < M; i++) {
            assert_int_equal(csr.adj[i], i + 1);
            assert_int_equal(((const int32_t *)csr.weights)[i], i + 1);
        }
        nf_graph_free(g);
        nf_context_free(ctx);
    }
    file_remove(&f);
    free(text);
}

static void blames_the_first_bad_line_at_any_number_of_threads(void **state)
{
    (void)state;
    size_t size;
    char *text = long_file(60000, &size), first[512] = "";
    char *early = strstr(text, "a 30000 "), *late = strstr(text, "a 50000 ");
    early[2] = 'x';
    late[2] = 'y';
    file f = file_make("a.gr", text, size);
    for (int threads = 1; threads <= 8; threads++) {
        nf_context *ctx = make_context(threads);
        nf_graph *g = NULL;
        assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_EFORMAT);
        if (threads == 1)
            (void)snprintf(first, sizeof first, "%s", nf_last_error());
        assert_string_equal(nf_last_error(), first);
        assert_non_null(strstr(first, ":3: 'x0000' is not a vertex"));
        nf_context_free(ctx);
    }
    file_remove(&f);
    free(text);
}

static void can_be_cancelled(void **state)
{
    (void)state;
    nf_context *ctx = make_context(2);
    size_t size;
    char *text = long_file(60000, &size);
    file f = file_make("a.gr", text, size);
    nf_graph *g = NULL;
    nf_context_cancel(ctx);
    assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_ECANCELLED);
    assert_null(g);
    assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_OK);
    assert_int_equal(nf_graph_m(g), 60000);
    nf_graph_free(g);
    nf_context_free(ctx);
    file_remove(&f);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_arcs),
        cmocka_unit_test(takes_any_line_ends),
        cmocka_unit_test(keeps_loops_and_parallel_arcs),
        cmocka_unit_test(reads_tree_width_files),
        cmocka_unit_test(honours_options),
        cmocka_unit_test(chooses_the_weight_type),
        cmocka_unit_test(refuses_bad_headers),
        cmocka_unit_test(refuses_empty_promises),
        cmocka_unit_test(refuses_bad_arcs),
        cmocka_unit_test(is_the_same_at_any_number_of_threads),
        cmocka_unit_test(blames_the_first_bad_line_at_any_number_of_threads),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
