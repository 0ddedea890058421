/* Matrix Market: every kind that is read, the ones that are refused, and numbers that are exact. */
#include "reading.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#define BANNER "%%MatrixMarket matrix coordinate "

static void reads_general(void **state)
{
    (void)state;
    const char *text = BANNER "real general\n% c\n\n3 3 3\n1 2 0.5\n% in between\n\n2 3 0\n3 3 -1e2";
    nf_graph *g = read_text("a.mtx", text, NULL);
    assert_string_equal(info_of(g).format, "mtx");
    assert_int_equal(info_of(g).label_base, 1);
    expect_graph(g, 3, true, NF_F64, "1>2:0.5 2>3:0 3>3:-100");
    expect_graph(read_text("any", BANNER "integer general\r\n2 2 1\r\n1 2 7\r\n", NULL), 2, true, NF_I32, "1>2:7");
    expect_graph(read_text("a.mtx", BANNER "integer general\n2 2 1\n1 2 3000000000\n", NULL), 2, true, NF_U32,
                 "1>2:3000000000");
    expect_graph(read_text("a.mtx", BANNER "integer general\n2 2 2\n1 2 3000000000\n2 1 -1\n", NULL), 2, true, NF_F64,
                 "1>2:3000000000 2>1:-1");
    expect_graph(read_text("a.mtx", "%%matrixmarket MATRIX Coordinate PATTERN General\n2 2 1\n2 1\n", NULL), 2, true,
                 NF_NONE, "2>1");
}

static void reads_symmetric(void **state)
{
    (void)state;
    const char *text = BANNER "integer symmetric\n3 3 3\n2 1 5\n3 3 9\n3 2 6\n";
    nf_read_options directed = {.size = sizeof directed, .flags = NF_READ_DIRECTED};
    expect_graph(read_text("a.mtx", text, NULL), 3, false, NF_I32, "1>2:5 2>1:5 2>3:6 3>2:6 3>3:9");
    expect_graph(read_text("a.mtx", text, &directed), 3, true, NF_I32, "2>1:5 3>2:6 3>3:9");
    expect_graph(read_text("a.mtx", BANNER "pattern symmetric\n2 2 1\n2 1\n", NULL), 2, false, NF_NONE, "1>2 2>1");
}

static void reads_skew(void **state)
{
    (void)state;
    const char *text = BANNER "real skew-symmetric\n3 3 2\n2 1 5\n3 2 -6\n";
    nf_read_options directed = {.size = sizeof directed, .flags = NF_READ_DIRECTED};
    expect_graph(read_text("a.mtx", text, NULL), 3, true, NF_F64, "1>2:-5 2>1:5 2>3:6 3>2:-6");
    expect_graph(read_text("a.mtx", text, &directed), 3, true, NF_F64, "2>1:5 3>2:-6");
    expect_graph(read_text("a.mtx", BANNER "integer skew-symmetric\n2 2 1\n2 1 5\n", NULL), 2, true, NF_I32,
                 "1>2:-5 2>1:5");
    expect_bad("a.mtx", BANNER "real skew-symmetric\n3 3 2\n2 1 5\n2 2 1\n", NULL, ":4:1: ", "diagonal; expected none");
    expect_bad("a.mtx", BANNER "real skew-symmetric\n3 3 2\n2 1 5\n3 2 inf\n", NULL,
               ":4:1: ", "expected a finite number");
    expect_bad("a.mtx", BANNER "integer skew-symmetric\n2 2 1\n2 1 -2147483648\n", NULL, ":3:1: ", "weight type f64");
}

static void reads_arrays(void **state)
{
    (void)state;
    const char *general = "%%MatrixMarket matrix array real general\n2 2\n0\n3\n2\n4\n";
    expect_graph(read_text("a.mtx", general, NULL), 2, true, NF_F64, "1>2:2 2>1:3 2>2:4");
    const char *symmetric = "%%MatrixMarket matrix array integer symmetric\n3 3\n0 1 2\n0\n3 0\n";
    expect_graph(read_text("a.mtx", symmetric, NULL), 3, false, NF_I32, "1>2:1 1>3:2 2>1:1 2>3:3 3>1:2 3>2:3");
    const char *skew = "%%MatrixMarket matrix array integer skew-symmetric\n2 2\n5\n";
    expect_graph(read_text("a.mtx", skew, NULL), 2, true, NF_I32, "1>2:-5 2>1:5");
    expect_bad("a.mtx", "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n5 6\n-2147483648\n", NULL,
               ":4:1: ", "weight type f64");
    expect_bad("a.mtx", "%%MatrixMarket matrix array real skew-symmetric\n2 2\ninf\n", NULL,
               ":3:1: ", "expected a finite number");
    const char *one = "%%MatrixMarket matrix array integer general\n1 1\n5\n";
    expect_graph(read_text("a.mtx", one, NULL), 1, true, NF_I32, "1>1:5");
    expect_bad("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", NULL,
               ":2:4: ", "4 entries are promised, but 3 follow");
}

static void honours_weight_options(void **state)
{
    (void)state;
    const char *text = BANNER "real general\n2 2 1\n1 2 2.0\n";
    nf_read_options i = {.size = sizeof i, .weight_type = NF_I32}, f = {.size = sizeof f, .weight_type = NF_F32};
    nf_read_options none = {.size = sizeof none, .weight_column = -1};
    expect_graph(read_text("a.mtx", text, &i), 2, true, NF_I32, "1>2:2");
    expect_graph(read_text("a.mtx", text, &f), 2, true, NF_F32, "1>2:2");
    expect_graph(read_text("a.mtx", text, &none), 2, true, NF_NONE, "1>2");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 1e39\n", &f, ":3:5: ", "weight 1e39 does not fit; expected");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 2.5\n", &i, ":3:5: ", "weight 2.5 does not fit; expected");
}

static void refuses_bad_banners(void **state)
{
    (void)state;
    expect_bad("a.mtx", "2 2 1\n1 2 1\n", NULL, ":1:1: ", "does not begin with its banner");
    expect_bad("a.mtx", BANNER "complex general\n1 1 0\n", NULL,
               ":1:34: ", "'complex' is not supported; expected 'real'");
    expect_bad("a.mtx", BANNER "real hermitian\n1 1 0\n", NULL, ":1:39: ", "'hermitian' is not supported; expected");
    expect_bad("a.mtx", "%%MatrixMarket vector coordinate real general\n", NULL, ":1:16: ", "expected 'matrix'");
    expect_bad("a.mtx", BANNER "pattern skew-symmetric\n1 1 0\n", NULL, ":1:42: ", "expected 'general' or 'symmetric'");
}

static void refuses_bad_sizes(void **state)
{
    (void)state;
    expect_bad("a.mtx", BANNER "real general\n2 3 1\n1 2 1\n", NULL,
               ":2:3: ", "2 rows and 3 columns; expected a square");
    expect_bad("a.mtx", BANNER "real general\n", NULL, ":2:1: ", "the line ends too soon; expected a number of rows");
    expect_bad("a.mtx", BANNER "real general\n2 2 1000000000000000000\n1 2 1\n", NULL,
               ":2:5: ", "1000000000000000000 entries are promised; expected at most");
    expect_bad("a.mtx", BANNER "real general\n2 2 -1\n", NULL, ":2:5: ", "number of entries -1 is out of range");
    expect_bad("a.mtx", BANNER "real general\n2 2 2\n1 2 1\n", NULL, ":2:5: ", "2 entries are promised, but 1 follow");
    expect_bad("a.mtx", BANNER "real general\n2 2 0\n1 2 1\n", NULL, ":2:5: ", "0 entries are promised, but 1 follow");
}

static void refuses_bad_entries(void **state)
{
    (void)state;
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 3 1\n", NULL,
               ":3:3: ", "vertex 3 is out of range; expected 1 to 2");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 nan\n", NULL, ":3:5: ", "weight nan is refused");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 -Infinity\n", NULL, ":3:5: ", "weight -Infinity is refused");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 1e999\n", NULL,
               ":3:5: ", "weight 1e999 does not fit; expected");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 0x10\n", NULL, ":3:5: ", "'0x10' is not a weight");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 1e\n", NULL, ":3:5: ", "'1e' is not a weight");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2 .\n", NULL, ":3:5: ", "'.' is not a weight");
    expect_bad("a.mtx", BANNER "real general\n2 2 1\n1 2\n", NULL, ":3:4: ", "expected a weight");
    expect_bad("a.mtx", BANNER "pattern general\n2 2 1\n1 2 3\n", NULL, ":3:5: ", "'3' follows; expected the end");
    expect_graph(read_text("a.mtx", BANNER "real general\n2 2 2\n1 2 inf\n2 1 1\n", NULL), 2, true, NF_F64, "2>1:1");
}

/* Reads one number as a weight of a file. */
static void check_numbers(char *const *numbers, unsigned count)
{
    char *text = malloc((size_t)count * 1400 + 200);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "%sreal general\n%u %u %u\n", BANNER, count + 1, count + 1, count);
    for (unsigned i = 0; i < count; i++)
        used += (size_t)sprintf(text + used, "%u %u %s\n", i + 1, i + 2, numbers[i]);
    nf_graph *g = read_bytes("a.mtx", text, used, NULL);
    nf_csr csr;
    assert_int_equal(nf_graph_view(NULL, g, &csr), NF_OK);
    assert_int_equal(csr.m, count);
    for (unsigned i = 0; i < count; i++) {
        double want = strtod(numbers[i], NULL), got = ((const double *)csr.weights)[i];
        if (want != got)
            fail_msg("'%s' is %.17g, read as %.17g", numbers[i], want, got);
    }
    nf_graph_free(g);
    free(text);
}

static void reads_decimals_exactly(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static const char *const forms[] = {"%.17g", "%.6g", "%.16e", "%.3f", "%.19e", "%.40e"};
    char **numbers = calloc(COUNT, sizeof *numbers);
    uint64_t seed = 88172645463325252u;
    assert_non_null(numbers);
    for (unsigned i = 0; i < COUNT; i++) {
        double v;
        do {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            uint64_t bits = seed;
            if (i % 2 == 0) /* near 1, where files mostly are */
                bits = (bits & 0x803fffffffffffff) | 0x3fc0000000000000;
            memcpy(&v, &bits, sizeof v);
        } while (!isfinite(v) || (fabs(v) > 1e300 && i % 6 == 3));
        numbers[i] = malloc(400);
        assert_non_null(numbers[i]);
        (void)snprintf(numbers[i], 400, forms[i % 6], v);
    }
    check_numbers(numbers, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        free(numbers[i]);
    free(numbers);
}

static void reads_hard_decimals_exactly(void **state)
{
    (void)state;
    static char halfway[900];
    static char beyond[900];
    (void)snprintf(halfway, sizeof halfway, "%.767e", DBL_MIN); /* as many digits as any double has */
    /* half the least double, which rounds to 0, and a digit far behind that makes it more than half */
    (void)snprintf(beyond, sizeof beyond, "%.800Le", ldexpl(1, -1075));
    *(strchr(beyond, 'e') - 1) = '1';
    char *numbers[] = {"9007199254740993",
                       "9007199254740992.5",
                       "9007199254740993.00000000000000000000000000000001",
                       "0.1",
                       "1e23",
                       "8.5e22",
                       "123456789012345678901234567890",
                       "0.000000000000000000000000000000000000001",
                       "4.9e-324",
                       "2.4703282292062328e-324",
                       "2.2250738585072011e-308",
                       "1.7976931348623157e308",
                       "1e-400",
                       "000000000000000000000000000000000001.5",
                       "1.5000000000000000000000000000000000000",
                       "+3",
                       "5.",
                       ".5",
                       "1E5",
                       "18446744073709551615",
                       "18446744073709551616",
                       "6.0221407600000000000e+23",
                       halfway,
                       beyond,
                       "9.639421256644951735e-9"};
    check_numbers(numbers, sizeof numbers / sizeof numbers[0]);
}

static void does_not_care_about_the_locale(void **state)
{
    (void)state;
    bool other = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
    nf_graph *g = read_text("a.mtx", BANNER "real general\n2 2 1\n1 2 1.2345678901234567890123e-30\n", NULL);
    nf_csr csr;
    assert_int_equal(nf_graph_view(NULL, g, &csr), NF_OK);
    (void)setlocale(LC_NUMERIC, "C");
    assert_true(((const double *)csr.weights)[0] == 1.2345678901234567890123e-30);
    nf_graph_free(g);
    if (!other)
        print_message("de_DE.UTF-8 is not installed: only the C locale was tried\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_general),
        cmocka_unit_test(reads_symmetric),
        cmocka_unit_test(reads_skew),
        cmocka_unit_test(reads_arrays),
        cmocka_unit_test(honours_weight_options),
        cmocka_unit_test(refuses_bad_banners),
        cmocka_unit_test(refuses_bad_sizes),
        cmocka_unit_test(refuses_bad_entries),
        cmocka_unit_test(reads_decimals_exactly),
        cmocka_unit_test(reads_hard_decimals_exactly),
        cmocka_unit_test(does_not_care_about_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
