/* Graphs written and read back in every format, and what each format refuses. */
#include "files.h"

typedef struct format_case {
    const char *format, *file;
    bool keeps_direction; /* else the reader is told */
    bool weights, floats, negatives, loops, directed, isolated;
} format_case;

static const format_case cases[] = {
    /* format, file, keeps_direction, weights, floats, negatives, loops, directed, isolated */
    {"gr", "g.gr", false, true, false, true, true, true, true},
    {"mtx", "g.mtx", true, true, true, true, true, true, true},
    {"edges", "g.tsv", false, true, true, true, true, true, false},
    {"edges", "g.csv", false, true, true, true, true, true, false},
    {"el", "g.el", false, false, false, false, true, true, false},
    {"wel", "g.wel", false, true, true, true, true, true, false},
    {"metis", "g.graph", true, true, false, false, false, false, true},
    {"sg", "g.sg", true, false, false, false, true, true, true},
    {"wsg", "g.wsg", true, true, false, true, true, true, true},
    {"npz", "g.npz", false, true, true, true, true, true, true},
    {"nfg", "g.nfg", true, true, true, true, true, true, true},
};

/* Written, read with the type and arcs as they are, compared. */
static void round_trip(const format_case *c, const nf_graph *g, const char *suffix, int threads)
{
    folder f = folder_make();
    nf_context *ctx = make_context(threads);
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s", c->file, suffix);
    const char *path = in_folder(&f, name);
    OK(nf_graph_write(ctx, g, path, c->format));
    nf_read_options o = {.size = sizeof o, .weight_type = info_of(g).weight_type};
    if (info_of(g).weight_type == NF_NONE)
        o.weight_column = -1;
    if (!c->keeps_direction)
        o.flags = NF_READ_DIRECTED;
    nf_graph *back = NULL;
    OK(nf_graph_read(ctx, path, &o, &back));
    expect_same(g, back, false, c->keeps_direction);
    nf_graph_free(back);
    nf_context_free(ctx);
    assert_int_equal(folder_remove(&f), 1);
}

/* Whether a graph of that kind is for the format. */
static bool takes(const format_case *c, nf_type type, bool directed)
{
    bool real = type == NF_F32 || type == NF_F64;
    return (type == NF_NONE || c->weights) && (!real || c->floats) && (!directed || c->directed);
}

static void test_round_trips(void **state)
{
    (void)state;
    const nf_type types[] = {NF_NONE, NF_I32, NF_U32, NF_F32, NF_F64};
    int done = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (int undirected = 0; undirected < 2; undirected++) {
                const format_case *c = &cases[i];
                if (!takes(c, types[t], undirected == 0))
                    continue;
                bool negative = c->negatives && undirected == 0 && types[t] != NF_U32;
                uint32_t flags = (undirected != 0 ? NF_BUILD_UNDIRECTED : 0) | (c->loops ? 0 : NF_BUILD_DROP_LOOPS);
                nf_graph *g = sample_graph(60, c->isolated ? 90 : 900, types[t], negative ? -50 : 1, flags, 7);
                round_trip(c, g, "", 2);
                nf_graph_free(g);
                done++;
            }
    assert_int_equal(done, 79);
}

static void test_many_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const format_case *c = &cases[i];
        uint32_t flags = c->directed ? 0 : NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS;
        nf_graph *g = sample_graph(5000, 80000, c->weights ? NF_I32 : NF_NONE, 1, flags, 3);
        round_trip(c, g, "", 4);
        nf_graph_free(g);
    }
}

/* The bytes do not depend on the number of threads. */
static void test_threads(void **state)
{
    (void)state;
    nf_graph *g = sample_graph(3000, 100000, NF_F64, 0.5, 0, 5);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!cases[i].floats)
            continue;
        folder f = folder_make();
        bytes b[2];
        for (int k = 0; k < 2; k++) {
            nf_context *ctx = make_context(k == 0 ? 1 : 3);
            const char *path = in_folder(&f, cases[i].file);
            OK(nf_graph_write(ctx, g, path, NULL));
            b[k] = slurp(path);
            nf_context_free(ctx);
        }
        assert_int_equal(b[0].size, b[1].size);
        assert_memory_equal(b[0].data, b[1].data, b[0].size);
        free(b[0].data);
        free(b[1].data);
        (void)folder_remove(&f);
    }
    nf_graph_free(g);
}

static void test_compressed(void **state)
{
    (void)state;
    const char *suffixes[] = {".gz", ".zst", ".xz"};
    const unsigned char magics[3][2] = {{0x1f, 0x8b}, {0x28, 0xb5}, {0xfd, '7'}};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < 3; k++) {
            const format_case *c = &cases[i];
            uint32_t flags = c->directed ? 0 : NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS;
            nf_graph *g = sample_graph(300, 4000, c->weights ? NF_I32 : NF_NONE, 1, flags, 3);
            round_trip(c, g, suffixes[k], 2);
            folder f = folder_make();
            char name[64];
            (void)snprintf(name, sizeof name, "%s%s", c->file, suffixes[k]);
            OK(nf_graph_write(NULL, g, in_folder(&f, name), NULL));
            bytes b = slurp(f.name);
            assert_memory_equal(b.data, magics[k], 2);
            free(b.data);
            (void)folder_remove(&f);
            nf_graph_free(g);
        }
}

static void test_tiny(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (nf_vid n = 0; n < 2; n++) {
            if (!cases[i].isolated)
                continue;
            nf_coo coo = {.n = n};
            nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
            nf_graph *g = NULL;
            OK(nf_graph_from_coo(NULL, &coo, &o, &g));
            round_trip(&cases[i], g, "", 2);
            nf_graph_free(g);
        }
}

/* ---- the very text ----------------------------------------------------------------------------------------------- */

static nf_graph *three_arcs(nf_type type, const void *weights, uint32_t flags)
{
    static const nf_vid src[] = {0, 2, 0}, dst[] = {1, 0, 2};
    nf_coo coo = {.n = 4, .m = 3, .src = src, .dst = dst, .weight_type = type, .weights = weights};
    nf_build_options o = {.size = sizeof o, .flags = flags};
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    return g;
}

static void expect_file(const nf_graph *g, const char *name, const char *text)
{
    folder f = folder_make();
    OK(nf_graph_write(NULL, g, in_folder(&f, name), NULL));
    expect_text(f.name, text);
    (void)folder_remove(&f);
}

static void test_text(void **state)
{
    (void)state;
    const int32_t w[] = {5, -7, 0};
    nf_graph *g = three_arcs(NF_I32, w, 0);
    expect_file(g, "g.gr", "p sp 4 3\na 1 2 5\na 1 3 0\na 3 1 -7\n");
    expect_file(g, "g.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 5\n1 3 0\n3 1 -7\n");
    expect_file(g, "g.tsv", "# Directed graph: each line is an arc\n# Nodes: 4 Edges: 3\n0\t1\t5\n0\t2\t0\n2\t0\t-7\n");
    expect_file(g, "g.csv", "0,1,5\n0,2,0\n2,0,-7\n");
    expect_file(g, "g.el", "0 1\n0 2\n2 0\n");
    expect_file(g, "g.wel", "0 1 5\n0 2 0\n2 0 -7\n");
    nf_graph_free(g);
    const int32_t whole[] = {5, 7, 9};
    g = three_arcs(NF_I32, whole, NF_BUILD_UNDIRECTED);
    expect_file(g, "g.graph", "4 3 001\n2 5 3 7 3 9\n1 5\n1 7 1 9\n\n");
    expect_file(g, "g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 5\n3 1 7\n3 1 9\n");
    nf_graph_free(g);
    g = three_arcs(NF_NONE, NULL, NF_BUILD_UNDIRECTED);
    expect_file(g, "g.graph", "4 3\n2 3 3\n1\n1 1\n\n");
    expect_file(g, "g.gr", "p sp 4 6\na 1 2 1\na 1 3 1\na 1 3 1\na 2 1 1\na 3 1 1\na 3 1 1\n");
    nf_graph_free(g);
}

static void test_floats(void **state)
{
    (void)state;
    const double w[] = {0.1, 1e300, 0.30000000000000004};
    nf_graph *g = three_arcs(NF_F64, w, 0);
    expect_file(g, "g.wel", "0 1 0.1\n0 2 0.30000000000000004\n2 0 1e+300\n");
    nf_graph_free(g);
    const double more[] = {12, 5e-324, -2.5};
    g = three_arcs(NF_F64, more, 0);
    expect_file(g, "g.wel", "0 1 12.0\n0 2 -2.5\n2 0 4.94065645841247e-324\n");
    nf_graph_free(g);
    const float single[] = {0.1f, 16777216.0f, 1e-30f};
    g = three_arcs(NF_F32, single, 0);
    expect_file(g, "g.csv", "0,1,0.1\n0,2,1e-30\n2,0,16777216.0\n");
    nf_graph_free(g);
}

/* Any float comes back bit for bit, through a format of text. */
static void test_float_bits(void **state)
{
    (void)state;
    enum { M = 40000 };
    static nf_vid src[M], dst[M];
    static double w[M];
    static float s[M];
    uint64_t x = 99;
    for (int e = 0; e < M; e++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = x ^ x >> 29;
        uint32_t half = (uint32_t)(bits >> 16);
        memcpy(&w[e], &bits, sizeof w[e]);
        memcpy(&s[e], &half, sizeof s[e]);
        if (!isfinite(w[e]))
            w[e] = e / 3.0;
        if (!isfinite(s[e]))
            s[e] = (float)e / 3;
        if (e % 3 == 0) {
            w[e] = (double)(int64_t)(x % 2000000) / 1000;
            s[e] = (float)(x % 200000) / 100;
        }
        src[e] = (nf_vid)e;
        dst[e] = (nf_vid)((e + 1) % M);
    }
    nf_coo coo = {.n = M, .m = M, .src = src, .dst = dst, .weight_type = NF_F64, .weights = w};
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    round_trip(&cases[1], g, "", 2);
    nf_graph_free(g);
    coo.weight_type = NF_F32;
    coo.weights = s;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    round_trip(&cases[1], g, "", 2);
    nf_graph_free(g);
}

static void test_labels(void **state)
{
    (void)state;
    folder f = folder_make();
    const char *text = "1000000000007 3\n3 42\n42 1000000000007\n";
    spit(in_folder(&f, "in.txt"), text, strlen(text));
    nf_graph *g = NULL, *back = NULL;
    nf_read_options o = {.size = sizeof o, .format = "edges"};
    OK(nf_graph_read(NULL, f.name, &o, &g));
    assert_true(info_of(g).sparse_labels);
    OK(nf_graph_write(NULL, g, in_folder(&f, "out.tsv"), NULL));
    OK(nf_graph_read(NULL, f.name, &o, &back));
    expect_same(g, back, true, true);
    nf_graph_free(back);
    OK(nf_graph_write(NULL, g, in_folder(&f, "out.nfg"), NULL));
    OK(nf_graph_read(NULL, f.name, NULL, &back));
    expect_same(g, back, true, true);
    nf_graph_free(back);
    OK(nf_graph_write(NULL, g, in_folder(&f, "out.gr"), NULL));
    expect_text(f.name, "p sp 3 3\na 1 2 1\na 2 3 1\na 3 1 1\n");
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refuse(const nf_graph *g, const char *name, const char *why)
{
    folder f = folder_make();
    FAILS(NF_EUNSUPPORTED, why, nf_graph_write(NULL, g, in_folder(&f, name), NULL));
    assert_int_equal(folder_remove(&f), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    const float real[] = {1, 2, 3};
    nf_graph *g = three_arcs(NF_F32, real, 0);
    refuse(g, "g.gr", "whole weights");
    refuse(g, "g.wsg", "whole weights");
    refuse(g, "g.graph", "undirected");
    nf_graph_free(g);
    g = three_arcs(NF_F32, real, NF_BUILD_UNDIRECTED);
    refuse(g, "g.graph", "whole weights");
    nf_graph_free(g);
    const int32_t zero[] = {1, 0, 3};
    g = three_arcs(NF_I32, zero, NF_BUILD_UNDIRECTED);
    refuse(g, "g.graph", "above 0");
    nf_graph_free(g);
    const uint32_t large[] = {1, 2147483648u, 3};
    g = three_arcs(NF_U32, large, 0);
    refuse(g, "g.wsg", "up to 2147483647");
    nf_graph_free(g);
    static const nf_vid loop[] = {0};
    nf_coo coo = {.n = 1, .m = 1, .src = loop, .dst = loop};
    nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    refuse(g, "g.graph", "self-loops");
    refuse(g, "g.tsp", "not written");
    FAILS(NF_EINVAL, "tells no graph format", nf_graph_write(NULL, g, "/tmp/nearfar.xyz", NULL));
    FAILS(NF_EINVAL, "tells no graph format", nf_graph_write(NULL, g, "-", NULL));
    FAILS(NF_ENOTFOUND, "mtx", nf_graph_write(NULL, g, "-", "mtz"));
    FAILS(NF_EINVAL, "needs a graph", nf_graph_write(NULL, NULL, "x.gr", NULL));
    nf_graph_free(g);
}

/* ---- memory and cancelling --------------------------------------------------------------------------------------- */

typedef struct errand {
    const nf_graph *graph;
    const char *path;
} errand;

static nf_status write_and_read(nf_context *ctx, void *arg)
{
    errand *e = arg;
    nf_graph *g = NULL;
    nf_status st = nf_graph_write(ctx, e->graph, e->path, NULL);
    if (st == NF_OK)
        st = nf_graph_read(ctx, e->path, NULL, &g);
    nf_graph_free(g);
    return st;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const char *files[] = {"g.nfg",    "g.sg",      "g.wsg", "g.npz", "g.npz.gz",
                           "g.mtx.xz", "g.nfg.zst", "g.gr",  "g.csv", "g.graph"};
    for (size_t i = 0; i < COUNT(files); i++) {
        folder f = folder_make();
        uint32_t flags = strstr(files[i], ".graph") != NULL ? NF_BUILD_UNDIRECTED | NF_BUILD_DROP_LOOPS : 0;
        nf_graph *g = sample_graph(20, 60, NF_I32, 1, flags, 9);
        nf_csr t;
        OK(nf_graph_transpose_view(NULL, g, &t)); /* .sg needs it; a view belongs to the context that makes it */
        errand e = {g, in_folder(&f, files[i])};
        fail_each(write_and_read, &e);
        nf_graph_free(g);
        assert_int_equal(folder_remove(&f), 1);
    }
}

static bool stop(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return true;
}

static void test_cancelled(void **state)
{
    (void)state;
    nf_graph *g = sample_graph(3000, 200000, NF_I32, 1, 0, 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!cases[i].directed)
            continue;
        folder f = folder_make();
        nf_context_options o = {.size = sizeof o, .progress = stop};
        nf_context *ctx = NULL;
        OK(nf_context_create(&o, &ctx));
        nf_context_cancel(ctx);
        FAILS(NF_ECANCELLED, "", nf_graph_write(ctx, g, in_folder(&f, cases[i].file), NULL));
        nf_context_free(ctx);
        assert_int_equal(folder_remove(&f), 0);
    }
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_many_blocks),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_compressed),  cmocka_unit_test(test_tiny),          cmocka_unit_test(test_text),
        cmocka_unit_test(test_floats),      cmocka_unit_test(test_float_bits),    cmocka_unit_test(test_labels),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
