/* Edge lists (SNAP, TSV, CSV) with their labels, and GAP's .el and .wel. */
#include "reading.h"

static void reads_snap(void **state)
{
    (void)state;
    nf_graph *g = read_text("a.txt", "# Nodes: 3 Edges: 2\n# From\tTo\n30\t1412\n30\t3\n% x\n// y\n\n", NULL);
    nf_graph_info info = info_of(g);
    nf_vid v = 0;
    assert_string_equal(info.format, "edges");
    assert_true(info.sparse_labels);
    assert_int_equal(nf_graph_find(g, 1412, &v), NF_OK);
    assert_int_equal(v, 2);
    assert_int_equal(nf_graph_find(g, 4, &v), NF_ENOTFOUND);
    expect_graph(g, 3, true, NF_NONE, "30>3 30>1412");
}

static void reads_csv(void **state)
{
    (void)state;
    const char *text = "source,target,rating,time\n6,2,4,1289241912\n6, 5,-2,1289241942\n2,6,10,1\n";
    expect_graph(read_text("a.csv", text, NULL), 3, true, NF_I32, "2>6:10 6>2:4 6>5:-2");
    expect_graph(read_text("any", text, NULL), 3, true, NF_I32, "2>6:10 6>2:4 6>5:-2");
    nf_read_options fourth = {.size = sizeof fourth, .weight_column = 4};
    expect_graph(read_text("a.csv", text, &fourth), 3, true, NF_I32, "2>6:1 6>2:1289241912 6>5:1289241942");
    nf_read_options none = {.size = sizeof none, .weight_column = -1, .flags = NF_READ_UNDIRECTED};
    expect_graph(read_text("a.csv", text, &none), 3, false, NF_NONE, "2>6 2>6 5>6 6>2 6>2 6>5");
    expect_graph(read_text("a.csv", "\"from\";\"to\"\r\n1;2\r\n2 ; 3", NULL), 3, true, NF_NONE, "1>2 2>3");
    expect_graph(read_text("a.tsv", "1\t2\tfriend\n2\t3\tfoe\n", NULL), 3, true, NF_NONE, "1>2 2>3");
    expect_graph(read_text("a.txt", "1 2 # note\n2 1\n", NULL), 2, true, NF_NONE, "1>2 2>1");
}

static void chooses_the_weight_type(void **state)
{
    (void)state;
    expect_graph(read_text("a.txt", "1 2 3\n2 1 0\n", NULL), 2, true, NF_I32, "1>2:3 2>1:0");
    expect_graph(read_text("a.txt", "1 2 3\n2 1 0.5\n", NULL), 2, true, NF_F64, "1>2:3 2>1:0.5");
    expect_graph(read_text("a.txt", "1 2 0.5\n2 1 3\n", NULL), 2, true, NF_F64, "1>2:0.5 2>1:3");
    expect_graph(read_text("a.txt", "1 2 3000000000\n2 1 3\n", NULL), 2, true, NF_U32, "1>2:3000000000 2>1:3");
    expect_graph(read_text("a.txt", "1 2 3000000000\n2 1 -3\n", NULL), 2, true, NF_F64, "1>2:3000000000 2>1:-3");
    expect_graph(read_text("a.txt", "1 2 5\n2 1 99999999999999\n", NULL), 2, true, NF_F64, "1>2:5 2>1:99999999999999");
    expect_graph(read_text("a.txt", "1 2 5\n2 1 inf\n", NULL), 2, true, NF_F64, "1>2:5");
}

static void keeps_any_ids(void **state)
{
    (void)state;
    expect_graph(read_text("a.txt", "18446744073709551615 0\n0 1000000000000\n", NULL), 3, true, NF_NONE,
                 "0>1000000000000 18446744073709551615>0");
    expect_graph(read_text("a.txt", "4294967295 1\n1 4294967296 \n", NULL), 3, true, NF_NONE,
                 "1>4294967296 4294967295>1");
    expect_graph(read_text("a.txt", "4000000000 1\n1 3000000000\n", NULL), 3, true, NF_NONE,
                 "1>3000000000 4000000000>1");
    nf_graph *g = read_text("a.txt", "5 6\n6 7\n", NULL);
    assert_false(info_of(g).sparse_labels);
    assert_int_equal(info_of(g).label_base, 5);
    expect_graph(g, 3, true, NF_NONE, "5>6 6>7");
}

/* Ids that need the sort (spread over 64 or 32 bits) or the bitmap, in files of several chunks: labels ascend, arcs
 * are kept. */
static void check_many_ids(uint64_t mask)
{
    enum { M = 40000 };
    char *text = malloc((size_t)M * 60);
    uint64_t *ids = malloc(2 * M * sizeof *ids), x = 1;
    size_t used = 0;
    assert_non_null(text);
    assert_non_null(ids);
    for (unsigned i = 0; i < M; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        ids[2 * i] = (x ^ (x >> 31)) & mask;
        x = x * 6364136223846793005u + 1442695040888963407u;
        ids[2 * i + 1] = i % 3 == 0 ? ids[i] : (x ^ (x >> 29)) & mask;
        used += (size_t)sprintf(text + used, "%llu %llu %u\n", (unsigned long long)ids[2 * i],
                                (unsigned long long)ids[2 * i + 1], i);
    }
    nf_graph *g = read_bytes("a.txt", text, used, NULL);
    nf_coo coo;
    unsigned seen = 0;
    assert_int_equal(nf_graph_coo_view(NULL, g, &coo), NF_OK);
    assert_int_equal(coo.m, M);
    for (unsigned e = 0; e < M; e++) {
        unsigned i = ((const uint32_t *)coo.weights)[e];
        seen += nf_graph_label(g, coo.src[e]) == ids[2 * i] && nf_graph_label(g, coo.dst[e]) == ids[2 * i + 1];
    }
    assert_int_equal(seen, M);
    for (nf_vid v = 1; v < nf_graph_n(g); v++)
        assert_true(nf_graph_label(g, v - 1) < nf_graph_label(g, v));
    nf_graph_free(g);
    free(ids);
    free(text);
}

static void numbers_many_ids(void **state)
{
    (void)state;
    check_many_ids(UINT64_MAX);
    check_many_ids(UINT32_MAX);
    check_many_ids(0xfffff);
    check_many_ids(0xff);
    check_many_ids(0xff00000000000000);
}

static void refuses_bad_lists(void **state)
{
    (void)state;
    expect_bad("a.txt", "1 2\n3\n", NULL, ":2:2: ", "the line ends too soon; expected a vertex");
    expect_bad("a.txt", "1 2\n3 x\n", NULL, ":2:3: ", "'x' is not a vertex");
    expect_bad("a.txt", "1 2\n-3 4\n", NULL, ":2:1: ", "vertex -3 is out of range");
    expect_bad("a.txt", "1 2\n1.5 4\n", NULL, ":2:1: ", "'1.5' is not a vertex");
    expect_bad("a.txt", "1 2\n4 18446744073709551616\n", NULL, ":2:3: ", "out of range");
    expect_bad("a.txt", "1 2\n1 2 3\n", NULL, ":2:5: ", "expected the end of the line after 2 columns");
    expect_bad("a.txt", "1 2 3\n1 2\n", NULL, ":2:4: ", "the line ends too soon; expected a weight");
    expect_bad("a.txt", "1 2 3\n1 2 x\n", NULL, ":2:5: ", "'x' is not a weight; expected a number");
    expect_bad("a.txt", "1 2 3\n1 2 NaN\n", NULL, ":2:5: ", "weight NaN is refused");
    expect_bad("a.csv", "1,,2\n", NULL, ":1:3: ", "',' is not a vertex");
    expect_bad("a.csv", "x,2\n1,2\n", NULL, ":1:1: ", "'x' is not a vertex");
    nf_read_options fourth = {.size = sizeof fourth, .weight_column = 4},
                    second = {.size = sizeof second, .weight_column = 2};
    expect_bad("a.txt", "1 2 3\n", &fourth, ":1:1: ", "expected a weight in column 4");
    expect_failure("a.txt", "1 2 3\n", 6, &second, NF_EINVAL, ": ", "column 2 holds ids");
}

static void reads_gap_lists(void **state)
{
    (void)state;
    nf_graph *g = read_text("a.el", "0 3\n3 0\n1 1", NULL);
    assert_string_equal(info_of(g).format, "el");
    expect_graph(g, 4, true, NF_NONE, "0>3 1>1 3>0");
    expect_graph(read_text("a.wel", "0 3 5\n3 0 -6\n", NULL), 4, true, NF_I32, "0>3:5 3>0:-6");
    expect_graph(read_text("a.wel", "0 3 5\n3 0 0.25\n", NULL), 4, true, NF_F64, "0>3:5 3>0:0.25");
    expect_bad("a.el", "0 1 2\n", NULL, ":1:5: ", "'2' follows");
    expect_bad("a.el", "0,1\n", NULL, ":1:2: ", "',' is not a vertex");
    expect_bad("a.wel", "0 1\n", NULL, ":1:4: ", "expected a weight");
    expect_bad("a.el", "0 4294967295\n", NULL, ":1:3: ", "out of range");
    expect_bad("a.el", "0 1\n0 4000000000\n", NULL, ":2:1: ", "4000000001 vertices are too many; expected at most");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_snap),
        cmocka_unit_test(reads_csv),
        cmocka_unit_test(chooses_the_weight_type),
        cmocka_unit_test(keeps_any_ids),
        cmocka_unit_test(numbers_many_ids),
        cmocka_unit_test(refuses_bad_lists),
        cmocka_unit_test(reads_gap_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
