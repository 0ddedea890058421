/* test_generate.c - what all generators share: the list, defaults, seeds and threads, weights, renumbering, refusals,
 * failures. */
#include "generate_help.h"
#include "purse.h"

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

/* A modest graph of every kind, weighted so that every seed shows. */
static nf_generate_options modest(const char *kind)
{
    nf_generate_options o = of_size(kind, strcmp(kind, "complete") == 0 ? 60 : 5000);
    if (!is_negative_kind(kind))
        o.weight_min = 1, o.weight_max = 1000;
    return o;
}

static uint64_t hash_with(const nf_generate_options *o, int threads)
{
    const nf_context_options co = {.size = sizeof co, .device = "cpu", .threads = threads};
    nf_context *ctx = NULL;
    nf_graph *g = NULL;
    assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
    assert_int_equal(nf_generate(ctx, o, &g), NF_OK);
    check_simple(g);
    const uint64_t h = hash_of(g);
    nf_graph_free(g);
    nf_context_free(ctx);
    return h;
}

static void test_same_at_any_thread_count(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        nf_generate_options o = modest(nf_generator_get(i)->name);
        const uint64_t h = hash_with(&o, 1);
        assert_true(hash_with(&o, 2) == h);
        assert_true(hash_with(&o, 8) == h);
        o.permute = !o.permute;
        assert_true(hash_with(&o, 8) != h);
        assert_true(hash_with(&o, 8) == hash_with(&o, 1));
        o.permute = !o.permute;
        o.seed = 2;
        assert_true(hash_with(&o, 2) != h);
    }
}

static void test_list_and_defaults(void **state)
{
    (void)state;
    static const char *const wanted[] = {"rmat",      "kronecker", "uniform",       "forest-fire", "small-world",
                                         "grid2d",    "grid3d",    "delaunay",      "road",        "complete",
                                         "dag-chain", "hub",       "star",          "path",        "tree",
                                         "bipartite", "negative",  "negative-cycle"};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        bool found = false;
        for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
            assert_true(strlen(nf_generator_get(i)->summary) > 10 && strlen(nf_generator_get(i)->parameters) > 0);
            found = found || strcmp(nf_generator_get(i)->name, wanted[w]) == 0;
        }
        assert_true(found);
    }
    assert_null(nf_generator_get(1000));
    const nf_generate_options k = defaults("kronecker");
    assert_true(k.a == 0.57 && k.b == 0.19 && k.c == 0.19 && k.edge_factor == 16 && k.permute);
    const nf_generate_options f = defaults("forest-fire");
    assert_true(f.forward == 0.35 && f.backward == 0.32);
    assert_int_equal(defaults("dag-chain").n, 30000);
}

/* Options that name a kind and no shape mean its defaults. */
static void test_zeroed_options_mean_defaults(void **state)
{
    (void)state;
    const nf_generate_options bare = {.size = sizeof bare, .kind = "complete", .seed = 1}, full = defaults("complete");
    nf_graph *a = generate(&bare), *b = generate(&full);
    assert_int_equal(nf_graph_n(a), 1024);
    assert_true(hash_of(a) == hash_of(b));
    nf_graph_free(a);
    nf_graph_free(b);
}

/* But scale 0, set after the defaults, means one vertex. */
static void test_scale_zero_is_one_vertex(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        nf_generate_options o = defaults(nf_generator_get(i)->name);
        if (strcmp(o.kind, "small-world") == 0 || strcmp(o.kind, "hub") == 0 || strcmp(o.kind, "negative-cycle") == 0)
            continue; /* k must fit n */
        o.n = 0, o.scale = 0;
        nf_graph *g = generate(&o);
        assert_int_equal(nf_graph_n(g), 1);
        assert_int_equal(nf_graph_m(g), 0);
        nf_graph_free(g);
    }
}

/* Structs of an older, shorter header are filled and read up to their size. */
static void test_short_options(void **state)
{
    (void)state;
    nf_generate_options o;
    memset(&o, 0x5a, sizeof o);
    o.size = offsetof(nf_generate_options, a);
    assert_int_equal(nf_generate_defaults("path", &o), NF_OK);
    assert_int_equal(o.size, offsetof(nf_generate_options, a));
    assert_int_equal(((const unsigned char *)&o.a)[0], 0x5a);
    o.n = 10;
    nf_graph *g = generate(&o);
    assert_int_equal(nf_graph_m(g), 18);
    nf_graph_free(g);
}

static void test_smallest_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        const char *kind = nf_generator_get(i)->name;
        for (uint64_t n = 1; n <= 40; n++) {
            nf_generate_options o = of_size(kind, n);
            o.k = o.k > n - 1 ? (uint32_t)(n - 1) / 2 * 2 : o.k;
            if (strcmp(kind, "tree") == 0 || strcmp(kind, "hub") == 0)
                o.k = 1;
            if (strcmp(kind, "negative-cycle") == 0) {
                if (n == 1)
                    continue;
                o.k = 2;
            }
            nf_graph *g = generate(&o);
            assert_true(nf_graph_n(g) <= n && nf_graph_n(g) >= (n + 1) / 2);
            check_simple(g);
            nf_graph_free(g);
        }
    }
}

static void test_no_edges(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rmat", "kronecker", "uniform", "bipartite", "hub", "negative"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nf_generate_options o = of_size(kinds[i], 100);
        o.edge_factor = 0;
        nf_graph *g = generate(&o);
        assert_int_equal(nf_graph_n(g), 100);
        assert_int_equal(nf_graph_m(g), 0);
        nf_graph_free(g);
    }
}

/* ---- weights and names ------------------------------------------------------------------------------------------- */

static void check_range(nf_type type, nf_type expected, double lo, double hi, double lowest_seen, double highest_seen)
{
    nf_generate_options o = of_size("uniform", 2000);
    o.weight_min = lo, o.weight_max = hi, o.weight_type = type;
    nf_graph *g = generate(&o);
    const nf_csr csr = view(g);
    const nf_graph_stats s = stats_of(g);
    assert_int_equal(csr.weight_type, expected);
    assert_true(s.weight_min >= lo && s.weight_max <= hi);
    assert_true(s.weight_min <= lowest_seen && s.weight_max >= highest_seen);
    check_simple(g);
    nf_graph_free(g);
}

static void test_weight_ranges(void **state)
{
    (void)state;
    check_range(NF_NONE, NF_I32, 1, 10, 1, 10);
    check_range(NF_NONE, NF_I32, -5, 5, -5, 5);
    check_range(NF_NONE, NF_F32, 0.25, 0.75, 0.26, 0.74);
    check_range(NF_NONE, NF_U32, 0, 4294967295.0, 1e7, 4.28e9);
    check_range(NF_I32, NF_I32, -2147483648.0, 2147483647.0, -2.1e9, 2.1e9);
    check_range(NF_U32, NF_U32, 7, 9, 7, 9);
    check_range(NF_F32, NF_F32, 1, 2, 1.01, 1.99);
    check_range(NF_F64, NF_F64, -1, 1, -0.99, 0.99);
    check_range(NF_I32, NF_I32, 3, 3, 3, 3);
}

static void test_weight_type_without_range(void **state)
{
    (void)state;
    nf_generate_options o = of_size("grid2d", 10000);
    o.weight_type = NF_U32;
    nf_graph *g = generate(&o);
    assert_true(stats_of(g).weight_min == 1 && stats_of(g).weight_max == 255);
    nf_graph_free(g);
    o.weight_type = NF_F64;
    g = generate(&o);
    assert_true(stats_of(g).weight_min >= 0 && stats_of(g).weight_max <= 1 && stats_of(g).weight_mean > 0.45);
    nf_graph_free(g);
    o = of_size("road", 2000);
    o.weight_type = NF_F64; /* the kind's own weights in another type */
    g = generate(&o);
    assert_int_equal(view(g).weight_type, NF_F64);
    assert_true(stats_of(g).weight_max > 10);
    nf_graph_free(g);
}

static int by_value(const void *a, const void *b)
{
    const nf_eid x = *(const nf_eid *)a, y = *(const nf_eid *)b;
    return (x > y) - (x < y);
}

static nf_eid *sorted_degrees(const nf_graph *g)
{
    const nf_csr csr = view(g);
    nf_eid *d = malloc(csr.n * sizeof *d);
    assert_non_null(d);
    for (nf_vid v = 0; v < csr.n; v++)
        d[v] = degree(&csr, v);
    qsort(d, csr.n, sizeof *d, by_value);
    return d;
}

/* Renumbering keeps degrees, edge lengths and weights. */
static void test_permute(void **state)
{
    (void)state;
    nf_generate_options o = of_size("grid2d", 2500);
    o.weight_min = 1, o.weight_max = 100;
    nf_graph *a = generate(&o);
    o.permute = true;
    nf_graph *b = generate(&o);
    nf_eid *da = sorted_degrees(a), *db = sorted_degrees(b);
    assert_memory_equal(da, db, 2500 * sizeof *da);
    assert_true(stats_of(a).weight_mean == stats_of(b).weight_mean);
    const double *xy = nf_graph_coordinates(b);
    const nf_csr csr = view(b);
    uint64_t moved = 0;
    for (nf_vid u = 0; u < csr.n; u++) {
        moved += xy[2 * u] + 50 * xy[2 * u + 1] != u;
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            const nf_vid v = csr.adj[e];
            assert_true(fabs(xy[2 * u] - xy[2 * v]) + fabs(xy[2 * u + 1] - xy[2 * v + 1]) == 1);
        }
    }
    assert_true(moved > 2400);
    free(da);
    free(db);
    nf_graph_free(a);
    nf_graph_free(b);
}

static void test_directed_and_duplicates(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rmat", "uniform", "hub", "small-world", "bipartite"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nf_generate_options o = of_size(kinds[i], 300);
        o.edges = 3000;
        o.directed = o.keep_duplicates = true;
        nf_graph *g = generate(&o);
        const nf_eid m = strcmp(kinds[i], "small-world") == 0 ? 1500 : 3000;
        assert_int_equal(nf_graph_m(g), m);
        nf_graph_free(g);
        o.keep_duplicates = false;
        g = generate(&o);
        assert_true(nf_graph_m(g) < m && nf_graph_m(g) > m / 2);
        check_simple(g);
        nf_graph_free(g);
    }
}

/* ---- refusals and failures --------------------------------------------------------------------------------------- */

typedef struct bad {
    nf_generate_options o;
    const char *text; /* in the message */
} bad;

static void test_bad_parameters(void **state)
{
    (void)state;
    const bad cases[] = {
        {{.kind = "rmat", .scale = 4, .a = 0.6, .b = 0.3, .c = 0.2}, "a + b + c"},
        {{.kind = "rmat", .scale = 4, .a = -0.1}, "a must be between 0 and 1"},
        {{.kind = "rmat", .scale = 33}, "scale"},
        {{.kind = "rmat", .scale = 32}, "too many"},
        {{.kind = "uniform", .n = UINT64_C(4294967295)}, "too many"},
        {{.kind = "uniform", .n = 10, .edges = UINT64_C(1) << 60}, "too many"},
        {{.kind = "uniform", .n = 10, .edge_factor = -1}, "edge factor"},
        {{.kind = "uniform", .n = 10, .edge_factor = NAN}, "edge factor"},
        {{.kind = "uniform", .n = 10, .edge_factor = INFINITY}, "edge factor"},
        {{.kind = "uniform", .n = 10, .weight_min = 5, .weight_max = 2}, "range"},
        {{.kind = "uniform", .n = 10, .weight_max = INFINITY}, "range"},
        {{.kind = "uniform", .n = 10, .weight_max = 0.5, .weight_type = NF_I32}, "whole"},
        {{.kind = "uniform", .n = 10, .weight_min = -1, .weight_max = 2, .weight_type = NF_U32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e10, .weight_type = NF_I32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e10}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_max = 1e300, .weight_type = NF_F32}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_min = -1e308, .weight_max = 1e308, .weight_type = NF_F64}, "fit"},
        {{.kind = "uniform", .n = 10, .weight_type = NF_I64}, "i64"},
        {{.kind = "uniform", .n = 10, .weight_type = (nf_type)99}, "weights cannot be"},
        {{.kind = "small-world", .n = 100, .k = 3}, "even"},
        {{.kind = "small-world", .n = 10, .k = 10}, "less than n"},
        {{.kind = "small-world", .n = 10, .k = 2, .p = 1.5}, "p must be between"},
        {{.kind = "forest-fire", .n = 10, .forward = 1}, "less than 1"},
        {{.kind = "forest-fire", .n = 10, .backward = -0.5}, "backward"},
        {{.kind = "grid2d", .rows = 100000, .cols = 100000}, "too many"},
        {{.kind = "grid3d", .rows = UINT32_MAX, .cols = UINT32_MAX, .depth = UINT32_MAX}, "too many"},
        {{.kind = "grid2d", .n = 100, .drop = 2}, "drop"},
        {{.kind = "road", .n = 100, .drop = NAN}, "drop"},
        {{.kind = "road", .n = UINT64_C(1) << 30}, "too many"},
        {{.kind = "delaunay", .n = UINT64_C(1) << 30}, "too many"},
        {{.kind = "tree", .n = 100}, "k (children"},
        {{.kind = "hub", .n = 100, .p = 0.5}, "k (the number of hubs)"},
        {{.kind = "hub", .n = 100, .k = 101}, "k (the number of hubs)"},
        {{.kind = "bipartite", .n = 100, .rows = 100}, "leaves none"},
        {{.kind = "complete", .n = UINT64_C(4000000000)}, "2^48"},
        {{.kind = "dag-chain", .n = 100, .edges = 98}, "99 to 4950"},
        {{.kind = "dag-chain", .n = 100, .edges = 4951}, "99 to 4950"},
        {{.kind = "negative", .n = 100, .weight_min = 1, .weight_max = 5}, "below 0"},
        {{.kind = "negative", .n = 100, .weight_min = -5, .weight_max = 2}, "below 0"},
        {{.kind = "negative", .n = 100}, "below 0"},
        {{.kind = "negative-cycle", .n = 100, .k = 1, .weight_min = -5, .weight_max = 9}, "length of the cycle"},
        {{.kind = "negative-cycle", .n = 100, .k = 101, .weight_min = -5, .weight_max = 9}, "length of the cycle"},
        {{.kind = "negative-cycle", .n = 100, .k = 5, .edges = 5, .weight_min = -5, .weight_max = 9},
         "at least 6 edges"},
        {{.kind = NULL, .n = 5}, "kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nf_generate_options o = cases[i].o;
        nf_graph *g = (nf_graph *)&o;
        o.size = sizeof o;
        const nf_status st = nf_generate(NULL, &o, &g);
        if (st != NF_EINVAL || strstr(nf_last_error(), cases[i].text) == NULL)
            print_error("case %zu (%s): %s: %s\n", i, o.kind, nf_status_name(st), nf_last_error());
        assert_int_equal(st, NF_EINVAL);
        assert_null(g);
        assert_non_null(strstr(nf_last_error(), cases[i].text));
    }
}

static void test_bad_calls(void **state)
{
    (void)state;
    nf_generate_options o = {.size = sizeof o, .kind = "kronekcer", .n = 5};
    nf_graph *g = NULL;
    assert_int_equal(nf_generate(NULL, &o, &g), NF_ENOTFOUND);
    assert_non_null(strstr(nf_last_error(), "kronecker"));
    assert_int_equal(nf_generate_defaults("raod", &o), NF_ENOTFOUND);
    assert_non_null(strstr(nf_last_error(), "road"));
    assert_int_equal(nf_generate_defaults(NULL, &o), NF_EINVAL);
    assert_int_equal(nf_generate_defaults("road", NULL), NF_EINVAL);
    assert_int_equal(nf_generate(NULL, NULL, &g), NF_EINVAL);
    assert_int_equal(nf_generate(NULL, &o, NULL), NF_EINVAL);
    o.size = 0;
    assert_int_equal(nf_generate_defaults("road", &o), NF_EINVAL);
}

/* Every allocation of every kind may fail: NF_ENOMEM, nothing leaked. */
static void test_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        nf_generate_options o = modest(nf_generator_get(i)->name);
        o.n = 300, o.permute = true;
        nf_status st = NF_ENOMEM;
        for (int64_t k = 0; st != NF_OK; k++) {
            purse p = {-1, 0, 0};
            nf_context *ctx = purse_context(&p);
            nf_graph *g = NULL;
            const long long before = p.live;
            p.left = k;
            st = nf_generate(ctx, &o, &g);
            assert_true(st == NF_OK || st == NF_ENOMEM);
            assert_true((g != NULL) == (st == NF_OK));
            nf_graph_free(g);
            assert_int_equal(p.live, before);
            nf_context_free(ctx);
            assert_int_equal(p.live, 0);
            assert_true(k < 500);
        }
    }
}

static void test_memory_limit(void **state)
{
    (void)state;
    const nf_context_options co = {.size = sizeof co, .device = "cpu", .memory_limit = 10000000};
    nf_context *ctx = NULL;
    nf_graph *g = NULL;
    assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
    nf_generate_options o = of_size("uniform", 1000000);
    assert_int_equal(nf_generate(ctx, &o, &g), NF_ENOMEM);
    assert_null(g);
    o = of_size("complete", 4000000000 / 250);
    assert_int_equal(nf_generate(ctx, &o, &g), NF_ENOMEM);
    uint64_t peak = 0;
    nf_context_bytes(ctx, &peak);
    assert_true(peak < 1000000);
    nf_context_free(ctx);
}

static bool say_stop(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    ++*(int *)user;
    return true;
}

static void test_cancel(void **state)
{
    (void)state;
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        int calls = 0;
        const nf_context_options co = {.size = sizeof co,
                                       .device = "cpu",
                                       .progress = say_stop,
                                       .progress_user = &calls};
        nf_context *ctx = NULL;
        nf_graph *g = NULL;
        assert_int_equal(nf_context_create(&co, &ctx), NF_OK);
        nf_generate_options o = modest(nf_generator_get(i)->name);
        nf_context_cancel(ctx);
        assert_int_equal(nf_generate(ctx, &o, &g), NF_ECANCELLED);
        assert_null(g);
        nf_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_at_any_thread_count),
        cmocka_unit_test(test_list_and_defaults),
        cmocka_unit_test(test_zeroed_options_mean_defaults),
        cmocka_unit_test(test_scale_zero_is_one_vertex),
        cmocka_unit_test(test_short_options),
        cmocka_unit_test(test_smallest_sizes),
        cmocka_unit_test(test_no_edges),
        cmocka_unit_test(test_weight_ranges),
        cmocka_unit_test(test_weight_type_without_range),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_directed_and_duplicates),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
