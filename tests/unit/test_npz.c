/* .npz and GAP's .sg and .wsg: files that SciPy and GAP made, and damaged ones. */
#include "files.h"

/* tests/data/npz: the matrix [[., 1.5, .], [-2, ., 0 stored], [., ., .]] as SciPy 1.17 saves it. */
static void expect_matrix(const char *path, nf_type type)
{
    nf_graph *g = NULL;
    nf_coo coo;
    OK(nf_graph_read(NULL, path, NULL, &g));
    assert_true(info_of(g).directed);
    OK(nf_graph_coo_view(NULL, g, &coo));
    assert_int_equal(coo.n, 3);
    assert_int_equal(coo.m, 3);
    assert_int_equal(coo.weight_type, type);
    const nf_vid src[] = {0, 1, 1}, dst[] = {1, 0, 2};
    assert_memory_equal(coo.src, src, sizeof src);
    assert_memory_equal(coo.dst, dst, sizeof dst);
    const double real[] = {1.5, -2, 0};
    const int32_t whole[] = {1, -2, 0};
    if (type == NF_F64)
        assert_memory_equal(coo.weights, real, sizeof real);
    else
        assert_memory_equal(coo.weights, whole, sizeof whole);
    nf_graph_free(g);
}

static void test_scipy_files(void **state)
{
    (void)state;
    expect_matrix("tests/data/npz/csr-deflated.npz", NF_F64);
    expect_matrix("tests/data/npz/csr-stored.npz", NF_F64);
    expect_matrix("tests/data/npz/csc.npz", NF_F64);
    expect_matrix("tests/data/npz/coo.npz", NF_F64);
    expect_matrix("tests/data/npz/csr-array-int64.npz", NF_I32);
}

static void test_npz_options(void **state)
{
    (void)state;
    nf_graph *g = NULL;
    nf_read_options o = {.size = sizeof o, .weight_column = -1, .flags = NF_READ_UNDIRECTED};
    OK(nf_graph_read(NULL, "tests/data/npz/csr-deflated.npz", &o, &g));
    assert_int_equal(info_of(g).weight_type, NF_NONE);
    assert_false(info_of(g).directed);
    assert_int_equal(nf_graph_m(g), 6);
    nf_graph_free(g);
    o = (nf_read_options){.size = sizeof o, .weight_type = NF_I32};
    FAILS(NF_EFORMAT, "is 1.5, which i32 cannot hold", nf_graph_read(NULL, "tests/data/npz/csr-stored.npz", &o, &g));
    o = (nf_read_options){.size = sizeof o, .max_bytes = 20};
    FAILS(NF_EFORMAT, "", nf_graph_read(NULL, "tests/data/npz/csr-deflated.npz", &o, &g));
}

/* Every byte changed in turn, and every length: a graph or a message. */
static void torture(const char *source, const char *format, nf_status also)
{
    folder f = folder_make();
    bytes b = slurp(source);
    nf_context *ctx = make_context(1);
    nf_read_options o = {.size = sizeof o, .format = format};
    nf_graph *g = NULL;
    for (size_t i = 0; i < b.size; i++)
        for (int k = 0; k < 3; k++) {
            unsigned char old = b.data[i];
            b.data[i] = k == 0   ? (unsigned char)(old ^ 0xff)
                        : k == 1 ? (unsigned char)(old + 1)
                                 : (unsigned char)(old ^ 0x80);
            spit(in_folder(&f, "bad"), b.data, b.size);
            nf_status st = nf_graph_read(ctx, f.name, &o, &g);
            if (st != NF_OK && st != NF_EFORMAT && st != also)
                fail_msg("byte %zu of %s: %s: %s", i, source, nf_status_name(st), nf_last_error());
            if (st != NF_OK)
                assert_null(g);
            nf_graph_free(g);
            g = NULL;
            b.data[i] = old;
        }
    for (size_t size = 0; size < b.size; size++) {
        spit(in_folder(&f, "bad"), b.data, size);
        FAILS(NF_EFORMAT, "bad", nf_graph_read(ctx, f.name, &o, &g));
        assert_null(g);
    }
    nf_context_free(ctx);
    free(b.data);
    (void)folder_remove(&f);
}

static void test_npz_damage(void **state)
{
    (void)state;
    torture("tests/data/npz/csr-stored.npz", "npz", NF_EUNSUPPORTED);
    torture("tests/data/npz/csr-deflated.npz", "npz", NF_EUNSUPPORTED);
    torture("tests/data/npz/coo.npz", "npz", NF_EUNSUPPORTED);
    folder f = folder_make();
    nf_graph *g = sample_graph(4, 6, NF_U32, 3, 0, 1);
    OK(nf_graph_write(NULL, g, in_folder(&f, "ours.npz"), NULL));
    nf_graph_free(g);
    torture(f.name, "npz", NF_EUNSUPPORTED);
    (void)folder_remove(&f);
}

/* ---- messages of .npz -------------------------------------------------------------------------------------------- */

static void test_npz_messages(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = NULL;
    nf_read_options o = {.size = sizeof o, .format = "npz"};
    spit(in_folder(&f, "bad.npz"), "PK", 2);
    FAILS(NF_EFORMAT, "ends before a zip directory", nf_graph_read(NULL, f.name, &o, &g));
    static const char nothing[22] = "PK\5\6";
    spit(f.name, nothing, sizeof nothing);
    FAILS(NF_EFORMAT, "no member format.npy", nf_graph_read(NULL, f.name, &o, &g));
    char noise[100];
    memset(noise, 'x', sizeof noise);
    spit(f.name, noise, sizeof noise);
    FAILS(NF_EFORMAT, "no zip directory", nf_graph_read(NULL, f.name, &o, &g));
    bytes b = slurp("tests/data/npz/csr-stored.npz");
    for (size_t i = 0; i + 8 < b.size; i++)
        if (memcmp(b.data + i, "NUMPY", 5) == 0) {
            b.data[i] ^= 1;
            spit(f.name, b.data, b.size);
            FAILS(NF_EFORMAT, "the checksum of", nf_graph_read(NULL, f.name, &o, &g));
            b.data[i] ^= 1;
        }
    free(b.data);
    b = slurp("tests/data/npz/csr-deflated.npz");
    for (size_t i = 0; i + 46 < b.size; i++)
        if (memcmp(b.data + i, "PK\1\2", 4) == 0) { /* every entry claims to unpack to nearly 4 GB */
            const uint32_t huge = 0xfffffff0u;
            memcpy(b.data + i + 24, &huge, sizeof huge);
        }
    spit(f.name, b.data, b.size);
    FAILS(NF_EFORMAT, "more than is possible", nf_graph_read(NULL, f.name, &o, &g));
    free(b.data);
    (void)folder_remove(&f);
}

/* ---- .sg and .wsg ------------------------------------------------------------------------------------------------ */

/* 0 -> 1, 1 -> 2, 0 -> 2 with weights 5, 6, 7, as GAP's converter writes them. */
static const unsigned char gap_wsg[] = {
    1, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, /* directed, arcs, vertices */
    0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, /* outgoing */
    1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, /* incoming */
    0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0,
};

static void test_wsg(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = NULL;
    nf_csr csr;
    spit(in_folder(&f, "g.wsg"), gap_wsg, sizeof gap_wsg);
    OK(nf_graph_read(NULL, f.name, NULL, &g));
    OK(nf_graph_view(NULL, g, &csr));
    const nf_vid adj[] = {1, 2, 2};
    const int32_t w[] = {5, 7, 6};
    assert_int_equal(csr.m, 3);
    assert_memory_equal(csr.adj, adj, sizeof adj);
    assert_memory_equal(csr.weights, w, sizeof w);
    OK(nf_graph_write(NULL, g, in_folder(&f, "out.wsg"), NULL));
    bytes b = slurp(f.name);
    assert_int_equal(b.size, sizeof gap_wsg);
    assert_memory_equal(b.data, gap_wsg, sizeof gap_wsg);
    free(b.data);
    nf_graph_free(g);
    nf_read_options o = {.size = sizeof o, .weight_type = NF_F32};
    OK(nf_graph_read(NULL, in_folder(&f, "g.wsg"), &o, &g));
    OK(nf_graph_view(NULL, g, &csr));
    assert_true(((const float *)csr.weights)[1] == 7);
    nf_graph_free(g);
    o = (nf_read_options){.size = sizeof o, .weight_column = -1, .flags = NF_READ_UNDIRECTED};
    OK(nf_graph_read(NULL, f.name, &o, &g));
    assert_int_equal(nf_graph_m(g), 6);
    assert_int_equal(info_of(g).weight_type, NF_NONE);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

static void expect_bad_wsg(folder *f, size_t at, unsigned char value, const char *what)
{
    unsigned char copy[sizeof gap_wsg];
    nf_graph *g = NULL;
    memcpy(copy, gap_wsg, sizeof copy);
    copy[at] = value;
    spit(in_folder(f, "bad.wsg"), copy, sizeof copy);
    FAILS(NF_EFORMAT, what, nf_graph_read(NULL, f->name, NULL, &g));
    assert_null(g);
}

static void test_sg_damage(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = NULL;
    expect_bad_wsg(&f, 0, 2, "neither 0");
    expect_bad_wsg(&f, 0, 0, "do not go with a file");
    expect_bad_wsg(&f, 1, 4, "do not go with a file");
    expect_bad_wsg(&f, 8, 0x80, "do not go with a file");
    expect_bad_wsg(&f, 8, 0x20, "do not go with a file"); /* arcs * 8 wraps */
    expect_bad_wsg(&f, 9, 4, "do not go with a file");
    expect_bad_wsg(&f, 16, 0x80, "vertices");
    expect_bad_wsg(&f, 17, 1, "offset number 0 is 1");
    expect_bad_wsg(&f, 25, 4, "offset number 2 is 3");
    expect_bad_wsg(&f, 32, 0x80, "offset number 1");
    expect_bad_wsg(&f, 41, 2, "offset number 3 is 2");
    expect_bad_wsg(&f, 49, 3, "target of arc number 0 is 3");
    expect_bad_wsg(&f, 52, 0x80, "target of arc number 0 is -");
    spit(in_folder(&f, "g.wsg"), gap_wsg, sizeof gap_wsg);
    torture(f.name, "wsg", NF_EFORMAT);
    /* undirected, but 0 -> 1 has no reverse */
    static const unsigned char lopsided[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    spit(in_folder(&f, "g.sg"), lopsided, sizeof lopsided);
    FAILS(NF_EFORMAT, "has no reverse", nf_graph_read(NULL, f.name, NULL, &g));
    (void)folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scipy_files),  cmocka_unit_test(test_npz_options), cmocka_unit_test(test_npz_damage),
        cmocka_unit_test(test_npz_messages), cmocka_unit_test(test_wsg),         cmocka_unit_test(test_sg_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
