/* .nfg: round trips, lazy checks, checksums, damaged and hostile files. */
#include "files.h"

/* Where things are in the header (docs/formats.md). */
enum {
    VERSION_AT = 8,
    SECTIONS_AT = 12,
    BYTES_AT = 16,
    N_AT = 32,
    M_AT = 40,
    BITS_AT = 48,
    TYPE_AT = 56,
    FLAGS_AT = 64,
    BASE_AT = 72,
    TABLE_AT = 128,
    ENTRY = 24
};

static const char grid_gr[] = "p sp 4 8\na 1 2 3\na 2 1 3\na 2 3 4\na 3 2 4\na 3 4 5\na 4 3 5\na 4 1 6\na 1 4 6\n";
static const char grid_co[] = "p aux sp co 4\nv 1 0 0\nv 2 10 0\nv 3 10 10\nv 4 -7 10\n";

/* A small graph with 1-based labels and coordinates, as .nfg. */
static nf_graph *with_coordinates(folder *f)
{
    char co[256];
    spit(in_folder(f, "g.co"), grid_co, strlen(grid_co));
    (void)snprintf(co, sizeof co, "%s", f->name);
    spit(in_folder(f, "g.gr"), grid_gr, strlen(grid_gr));
    nf_read_options o = {.size = sizeof o, .coordinates = co};
    nf_graph *g = NULL;
    OK(nf_graph_read(NULL, f->name, &o, &g));
    return g;
}

static void test_coordinates(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = with_coordinates(&f), *back = NULL;
    const char *names[] = {"g.nfg", "g.nfg.gz", "g.nfg.zst", "g.nfg.xz"};
    for (size_t i = 0; i < COUNT(names); i++) {
        nf_read_options o = {.size = sizeof o, .flags = NF_READ_CHECKSUMS};
        OK(nf_graph_write(NULL, g, in_folder(&f, names[i]), NULL));
        OK(nf_graph_read(NULL, f.name, &o, &back));
        expect_same(g, back, true, true);
        assert_non_null(nf_graph_coordinates(back));
        assert_true(nf_graph_coordinates(back)[6] == -7);
        assert_int_equal(info_of(back).label_base, 1);
        assert_string_equal(info_of(back).format, "nfg");
        nf_graph_free(back);
    }
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* A graph outlives the file's name: the mapping keeps the bytes. */
static void test_mapped(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = sample_graph(100, 1000, NF_U32, 0, NF_BUILD_UNDIRECTED, 1), *back = NULL;
    OK(nf_graph_write(NULL, g, in_folder(&f, "g.nfg"), NULL));
    OK(nf_graph_read(NULL, f.name, NULL, &back));
    assert_int_equal(folder_remove(&f), 1);
    expect_same(g, back, true, true);
    assert_false(info_of(back).directed);
    nf_graph_free(back);
    nf_graph_free(g);
}

/* Written over the file that it is mapped from. */
static void test_in_place(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = sample_graph(100, 1000, NF_F32, 0, 0, 1), *mapped = NULL, *back = NULL;
    OK(nf_graph_write(NULL, g, in_folder(&f, "g.nfg"), NULL));
    OK(nf_graph_read(NULL, f.name, NULL, &mapped));
    OK(nf_graph_write(NULL, mapped, f.name, NULL));
    OK(nf_graph_read(NULL, f.name, NULL, &back));
    expect_same(g, mapped, true, true);
    expect_same(g, back, true, true);
    nf_graph_free(back);
    nf_graph_free(mapped);
    nf_graph_free(g);
    assert_int_equal(folder_remove(&f), 1);
}

static void test_options(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = sample_graph(50, 300, NF_I32, -20, 0, 1), *back = NULL;
    nf_csr csr, own;
    OK(nf_graph_view(NULL, g, &own));
    OK(nf_graph_write(NULL, g, in_folder(&f, "g.nfg"), NULL));
    nf_read_options o = {.size = sizeof o, .weight_column = -1};
    OK(nf_graph_read(NULL, f.name, &o, &back));
    assert_int_equal(info_of(back).weight_type, NF_NONE);
    assert_false(info_of(back).negative_weights);
    nf_graph_free(back);
    o = (nf_read_options){.size = sizeof o, .weight_type = NF_F64};
    OK(nf_graph_read(NULL, f.name, &o, &back));
    assert_true(info_of(back).negative_weights);
    OK(nf_graph_view(NULL, back, &csr));
    for (nf_eid e = 0; e < csr.m; e++)
        assert_true(((const double *)csr.weights)[e] == ((const int32_t *)own.weights)[e]);
    nf_graph_free(back);
    o.weight_type = NF_U32;
    FAILS(NF_EFORMAT, "which u32 cannot hold", nf_graph_read(NULL, f.name, &o, &back));
    o = (nf_read_options){.size = sizeof o, .flags = NF_READ_UNDIRECTED};
    OK(nf_graph_read(NULL, f.name, &o, &back));
    assert_false(info_of(back).directed);
    assert_true(nf_graph_m(back) > nf_graph_m(g));
    nf_graph_free(back);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* The bytes of a graph with all five sections: sparse labels and coordinates too. */
static bytes full_file(folder *f)
{
    nf_graph *g = with_coordinates(f);
    OK(nf_graph_write(NULL, g, in_folder(f, "g.nfg"), NULL));
    nf_graph_free(g);
    bytes b = slurp(f->name);
    /* make room for labels: the section table has one entry left */
    bytes more = {.size = (b.size + 63) / 64 * 64 + 32};
    more.data = calloc(1, more.size + 1);
    memcpy(more.data, b.data, b.size);
    const uint64_t labels[] = {5, 7, 70, 700};
    uint64_t offset = more.size - 32, size = 32, flags;
    memcpy(more.data + offset, labels, sizeof labels);
    unsigned char *entry = more.data + TABLE_AT + 4 * ENTRY;
    entry[0] = 4;
    memcpy(entry + 8, &offset, 8);
    memcpy(entry + 16, &size, 8);
    more.data[SECTIONS_AT] = 5;
    memcpy(more.data + BYTES_AT, &more.size, 8);
    memcpy(&flags, more.data + FLAGS_AT, 8);
    flags |= 4;
    memcpy(more.data + FLAGS_AT, &flags, 8);
    free(b.data);
    return more;
}

static nf_status open_bytes(folder *f, const bytes *b, uint32_t flags, nf_graph **g)
{
    nf_read_options o = {.size = sizeof o, .format = "nfg", .flags = flags};
    spit(in_folder(f, "bad.nfg"), b->data, b->size);
    return nf_graph_read(NULL, f->name, &o, g);
}

static void put64(bytes *b, size_t at, uint64_t x)
{
    memcpy(b->data + at, &x, sizeof x);
}

/* Overwrites eight bytes, expects the message, puts them back. */
static void expect_bad_field(folder *f, bytes *b, size_t at, uint64_t value, const char *what)
{
    uint64_t old;
    nf_graph *g = NULL;
    memcpy(&old, b->data + at, sizeof old);
    put64(b, at, value);
    FAILS(NF_EFORMAT, what, open_bytes(f, b, 0, &g));
    assert_null(g);
    put64(b, at, old);
}

static void test_hostile_header(void **state)
{
    (void)state;
    folder f = folder_make();
    bytes b = full_file(&f);
    nf_graph *g = NULL;
    OK(open_bytes(&f, &b, 0, &g));
    assert_int_equal(nf_graph_label(g, 3), 700);
    nf_csr csr;
    OK(nf_graph_view(NULL, g, &csr));
    nf_graph_free(g);
    expect_bad_field(&f, &b, 0, 0, "not those of an .nfg graph");
    expect_bad_field(&f, &b, VERSION_AT, 2 | UINT64_C(5) << 32, "version 2");
    expect_bad_field(&f, &b, VERSION_AT, 1 | UINT64_C(6) << 32, "6 sections");
    expect_bad_field(&f, &b, BYTES_AT, b.size + 1, "cut short");
    expect_bad_field(&f, &b, N_AT, UINT32_MAX, "vertices");
    expect_bad_field(&f, &b, N_AT, UINT64_C(1) << 40, "vertices");
    expect_bad_field(&f, &b, N_AT, 5, "the section offsets has");
    expect_bad_field(&f, &b, N_AT, UINT32_MAX - 1, "the section offsets has");
    expect_bad_field(&f, &b, M_AT, 9, "the section targets has");
    expect_bad_field(&f, &b, M_AT, UINT64_C(1) << 62, "32 bits");
    expect_bad_field(&f, &b, BITS_AT, 16, "offsets of 16 bits");
    expect_bad_field(&f, &b, BITS_AT, 64, "the section offsets has");
    expect_bad_field(&f, &b, TYPE_AT, 7, "not a weight type");
    expect_bad_field(&f, &b, TYPE_AT, NF_I64, "not a weight type");
    expect_bad_field(&f, &b, TYPE_AT, NF_F64, "the section weights has");
    expect_bad_field(&f, &b, FLAGS_AT, 1 << 4, "unknown flags");
    expect_bad_field(&f, &b, BASE_AT, UINT64_MAX, "labels");
    for (unsigned i = 0; i < 5; i++) {
        size_t at = TABLE_AT + i * ENTRY;
        expect_bad_field(&f, &b, at, 77, "is missing");
        expect_bad_field(&f, &b, at + 8, 0, "does not lie in the file");
        expect_bad_field(&f, &b, at + 8, 257, "does not lie in the file");
        expect_bad_field(&f, &b, at + 8, UINT64_MAX - 63, "does not lie in the file");
        expect_bad_field(&f, &b, at + 16, UINT64_MAX, "does not lie in the file");
        expect_bad_field(&f, &b, at + 16, 1, "expected");
    }
    /* the offset alone and the length alone would do, but not together */
    expect_bad_field(&f, &b, TABLE_AT + 3 * ENTRY + 8, b.size / 64 * 64, "does not lie in the file");
    /* a number of arcs whose bytes wrap around 64 bits, with offsets that allow it */
    put64(&b, BITS_AT, 64);
    expect_bad_field(&f, &b, M_AT, UINT64_C(1) << 62, "expected");
    free(b.data);
    (void)folder_remove(&f);
}

static void test_cut_short(void **state)
{
    (void)state;
    folder f = folder_make();
    bytes b = full_file(&f);
    nf_graph *g = NULL;
    for (size_t size = 0; size < b.size; size += size < 300 ? 1 : 13) {
        bytes cut = {.data = b.data, .size = size};
        FAILS(NF_EFORMAT, "bad.nfg", open_bytes(&f, &cut, 0, &g));
        assert_null(g);
    }
    free(b.data);
    (void)folder_remove(&f);
}

/* Arrays are looked at on first use, not before. */
static void test_lazy_check(void **state)
{
    (void)state;
    static const struct {
        int section;
        uint32_t value;
    } damage[] = {{0, 1}, {1, 4}, {1, UINT32_MAX}};
    folder f = folder_make();
    bytes b = full_file(&f);
    for (size_t i = 0; i < COUNT(damage); i++) {
        uint64_t at;
        uint32_t old;
        nf_graph *g = NULL;
        nf_csr csr;
        nf_coo coo;
        memcpy(&at, b.data + TABLE_AT + damage[i].section * ENTRY + 8, sizeof at);
        memcpy(&old, b.data + at, sizeof old);
        memcpy(b.data + at, &damage[i].value, sizeof old);
        OK(open_bytes(&f, &b, 0, &g));
        FAILS(NF_EFORMAT, "bad.nfg", nf_graph_view(NULL, g, &csr));
        FAILS(NF_EFORMAT, "bad.nfg", nf_graph_coo_view(NULL, g, &coo));
        FAILS(NF_EFORMAT, "bad.nfg", nf_graph_write(NULL, g, in_folder(&f, "x.gr"), NULL));
        nf_result *r = NULL;
        FAILS(NF_EFORMAT, "bad.nfg", nf_bfs(NULL, g, 0, NULL, &r));
        nf_graph_free(g);
        nf_read_options o = {.size = sizeof o, .flags = NF_READ_UNDIRECTED};
        FAILS(NF_EFORMAT, "bad.nfg", nf_graph_read(NULL, in_folder(&f, "bad.nfg"), &o, &g));
        memcpy(b.data + at, &old, sizeof old);
    }
    free(b.data);
    (void)folder_remove(&f);
}

static void test_checksums(void **state)
{
    (void)state;
    const char *names[] = {"offsets", "targets", "weights", "coordinates"};
    folder f = folder_make();
    nf_graph *g = with_coordinates(&f);
    OK(nf_graph_write(NULL, g, in_folder(&f, "g.nfg"), NULL));
    nf_graph_free(g);
    bytes b = slurp(f.name);
    assert_int_equal(b.data[SECTIONS_AT], 4);
    OK(open_bytes(&f, &b, NF_READ_CHECKSUMS, &g));
    nf_graph_free(g);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at, size;
        memcpy(&at, b.data + TABLE_AT + i * ENTRY + 8, sizeof at);
        memcpy(&size, b.data + TABLE_AT + i * ENTRY + 16, sizeof size);
        b.data[at + size - 1] ^= 1;
        char what[64];
        (void)snprintf(what, sizeof what, "the checksum of the section %s does not match", names[i]);
        FAILS(NF_EFORMAT, what, open_bytes(&f, &b, NF_READ_CHECKSUMS, &g));
        OK(open_bytes(&f, &b, 0, &g));
        nf_graph_free(g);
        b.data[at + size - 1] ^= 1;
    }
    b.data[80] ^= 1; /* the least weight, which nobody relies on */
    FAILS(NF_EFORMAT, "the checksum of the header", open_bytes(&f, &b, NF_READ_CHECKSUMS, &g));
    free(b.data);
    (void)folder_remove(&f);
}

/* Large enough for several blocks of checksum. */
static void test_large(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = sample_graph(100000, 3000000, NF_I32, 1, 0, 6), *back = NULL;
    nf_context *ctx = make_context(3);
    nf_read_options o = {.size = sizeof o, .flags = NF_READ_CHECKSUMS};
    OK(nf_graph_write(ctx, g, in_folder(&f, "g.nfg"), NULL));
    OK(nf_graph_read(ctx, f.name, &o, &back));
    expect_same(g, back, true, true);
    nf_graph_free(back);
    nf_graph_free(g);
    nf_context_free(ctx);
    (void)folder_remove(&f);
}

/* Every byte of the file changed in turn: a graph or a message, nothing worse. */
static void test_every_byte(void **state)
{
    (void)state;
    folder f = folder_make();
    bytes b = full_file(&f);
    nf_context *ctx = make_context(1);
    for (size_t i = 0; i < b.size; i++)
        for (int k = 0; k < 2; k++) {
            unsigned char old = b.data[i];
            nf_graph *g = NULL;
            nf_csr csr;
            b.data[i] = k == 0 ? (unsigned char)(old ^ 0xff) : (unsigned char)(old + 1);
            nf_read_options o = {.size = sizeof o, .format = "nfg"};
            spit(in_folder(&f, "bad.nfg"), b.data, b.size);
            nf_status st = nf_graph_read(ctx, f.name, &o, &g);
            assert_true(st == NF_OK || st == NF_EFORMAT);
            if (st == NF_OK) {
                st = nf_graph_view(ctx, g, &csr);
                assert_true(st == NF_OK || st == NF_EFORMAT);
            }
            nf_graph_free(g);
            b.data[i] = old;
        }
    nf_context_free(ctx);
    free(b.data);
    (void)folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinates), cmocka_unit_test(test_mapped),         cmocka_unit_test(test_options),
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_hostile_header), cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_lazy_check),  cmocka_unit_test(test_checksums),      cmocka_unit_test(test_large),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
