/* TSPLIB: every explicit form gives the same graph, and what is refused. */
#include "reading.h"

static nf_graph *read_form(const char *type, int n, const char *form, const char *numbers,
                           const nf_read_options *options)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "NAME: x\nTYPE : %s (somebody)\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: %s \n"
                   "EDGE_WEIGHT_SECTION\n%s\nEOF\n",
                   type, n, form, numbers);
    return read_text("a.tsp", text, options);
}

static void reads_every_form(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"FULL_MATRIX", "9 12 13 14\n12 9 23 24\n13 23 9 34 14 24 34 9"},
        {"UPPER_ROW", "12 13 14 23 24 34"},
        {"LOWER_ROW", "12\n13 23\n14 24 34"},
        {"UPPER_DIAG_ROW", "0 12 13 14 0 23 24 0 34 0"},
        {"LOWER_DIAG_ROW", "0 12 0 13\n23 0 14 24 34 0"},
        {"UPPER_COL", "12 13 23 14 24 34"},
        {"LOWER_COL", "12 13 14 23 24 34"},
        {"UPPER_DIAG_COL", "0 12 0 13 23 0 14 24 34 0"},
        {"LOWER_DIAG_COL", "0 12 13 14 0 23 24 0 34 0"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        nf_graph *g = read_form("TSP", 4, forms[i][0], forms[i][1], NULL);
        assert_string_equal(info_of(g).format, "tsplib");
        assert_int_equal(info_of(g).label_base, 1);
        expect_graph(g, 4, false, NF_I32,
                     "1>2:12 1>3:13 1>4:14 2>1:12 2>3:23 2>4:24 3>1:13 3>2:23 3>4:34 4>1:14 4>2:24 4>3:34");
    }
}

static void reads_directed_matrices(void **state)
{
    (void)state;
    const char *numbers = "99 1 2\n3 99 0\n5 6 99";
    expect_graph(read_form("ATSP", 3, "FULL_MATRIX", numbers, NULL), 3, true, NF_I32,
                 "1>2:1 1>3:2 2>1:3 2>3:0 3>1:5 3>2:6");
    nf_read_options directed = {.size = sizeof directed, .flags = NF_READ_DIRECTED};
    expect_graph(read_form("TSP", 3, "UPPER_ROW", "12 13 23", &directed), 3, true, NF_I32, "1>2:12 1>3:13 2>3:23");
    expect_graph(read_form("TSP", 3, "LOWER_COL", "12 13 23", &directed), 3, true, NF_I32, "2>1:12 3>1:13 3>2:23");
    nf_read_options none = {.size = sizeof none, .weight_column = -1};
    expect_graph(read_form("TSP", 3, "UPPER_ROW", "12 13 23", &none), 3, false, NF_NONE, "1>2 1>3 2>1 2>3 3>1 3>2");
    expect_graph(read_form("TSP", 3, "UPPER_ROW", "0.5 13 23", NULL), 3, false, NF_F64,
                 "1>2:0.5 1>3:13 2>1:0.5 2>3:23 3>1:13 3>2:23");
}

#define HEAD "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"

static void refuses_bad_files(void **state)
{
    (void)state;
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\nEOF\n", NULL,
               ":2:12: ", "3 vertices need 3 numbers, but 2 follow");
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3 4\nEOF\n", NULL,
               ":2:12: ", "3 vertices need 3 numbers, but 4 follow");
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 x\nEOF\n", NULL,
               ":6:5: ", "'x' is not a weight");
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: FUNCTION\n", NULL,
               ":4:21: ", "'FUNCTION' is no known form; expected");
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 4 0\nEOF\n", NULL,
               ":8:3: ", "entry (3, 2) differs from its mirror image");
    expect_bad("a.tsp", HEAD "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEOF\n", NULL, ":5:1: ", "expected EDGE_WEIGHT_SECTION");
    expect_bad("a.tsp", "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n", NULL, ":3:19: ", "expected EXPLICIT");
    expect_bad("a.tsp", "NAME: x\nTYPE: TOUR\n", NULL, ":2:7: ", "type 'TOUR' is not read; expected TSP or ATSP");
    expect_bad("a.tsp", "TYPE: TSP\nDIMENSION: -3\n", NULL, ":2:12: ", "number of vertices -3 is out of range");
    expect_bad("a.tsp", "TYPE: TSP\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1\n", NULL,
               ":3:1: ", "DIMENSION");
    expect_bad("a.tsp",
               "TYPE: TSP\nDIMENSION: 4000000000\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
               "EDGE_WEIGHT_SECTION\n1 2\n",
               NULL, ":2:12: ", "4000000000 vertices are promised");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(reads_directed_matrices),
        cmocka_unit_test(refuses_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
