/* Where bytes come from and what they are: compression, pipes, missing files, detection, coordinates, source lists. */
#include "reading.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#define GRAPH "p sp 3 2\na 1 2 5\na 2 3 6\n"
#define ARCS "1>2:5 2>3:6"

typedef size_t (*pack_fn)(const char *data, size_t size, char *out, size_t room);

static size_t pack_gzip(const char *data, size_t size, char *out, size_t room)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t packed = room - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    return packed;
}

static size_t pack_zstd(const char *data, size_t size, char *out, size_t room)
{
    size_t packed = ZSTD_compress(out, room, data, size, 3);
    assert_false(ZSTD_isError(packed));
    return packed;
}

static size_t pack_xz(const char *data, size_t size, char *out, size_t room)
{
    size_t used = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)data, size, (uint8_t *)out,
                                             &used, room),
                     LZMA_OK);
    return used;
}

static const struct {
    pack_fn pack;
    const char *name;
} packers[] = {{pack_gzip, "gzip"}, {pack_zstd, "zstd"}, {pack_xz, "xz"}};
#define PACKERS (sizeof packers / sizeof packers[0])

static void unpacks_by_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKERS; i++) {
        char bytes[1024];
        size_t size = packers[i].pack(GRAPH, strlen(GRAPH), bytes, sizeof bytes);
        expect_graph(read_bytes("no-suffix", bytes, size, NULL), 3, true, NF_I32, ARCS);
        expect_graph(read_bytes("wrong.gr.gz", bytes, size, NULL), 3, true, NF_I32, ARCS);
    }
}

static void unpacks_concatenated_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKERS; i++) {
        char bytes[1024];
        size_t half = strlen(GRAPH) / 2;
        size_t size = packers[i].pack(GRAPH, half, bytes, sizeof bytes);
        size += packers[i].pack(&GRAPH[half], strlen(GRAPH) - half, bytes + size, sizeof bytes - size);
        expect_graph(read_bytes("a", bytes, size, NULL), 3, true, NF_I32, ARCS);
    }
}

static void skips_zstd_frames_that_say_so(void **state)
{
    (void)state;
    char bytes[1024] = "\x53\x2a\x4d\x18\x04\0\0\0more";
    size_t size = 12 + pack_zstd(GRAPH, strlen(GRAPH), bytes + 12, sizeof bytes - 12);
    expect_graph(read_bytes("a", bytes, size, NULL), 3, true, NF_I32, ARCS);
}

static void refuses_truncated_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKERS; i++) {
        char bytes[1024];
        size_t size = packers[i].pack(GRAPH, strlen(GRAPH), bytes, sizeof bytes);
        for (size_t cut = 6; cut < size; cut++)
            expect_failure("a.gr", bytes, cut, NULL, NF_EFORMAT, ": at byte ", "expected a whole");
        expect_failure("a.gr", bytes, size - 3, NULL, NF_EFORMAT, ": at byte ", packers[i].name);
    }
}

static void refuses_damaged_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKERS; i++) {
        char bytes[1024];
        size_t size = packers[i].pack(GRAPH, strlen(GRAPH), bytes, sizeof bytes);
        memcpy(bytes + size, "garbage!", 8);
        expect_failure("a.gr", bytes, size + 8, NULL, NF_EFORMAT, ": at byte ", packers[i].name);
    }
    char bytes[1024];
    size_t size = pack_gzip(GRAPH, strlen(GRAPH), bytes, sizeof bytes);
    bytes[size - 6] = (char)(bytes[size - 6] ^ 1); /* its checksum */
    expect_failure("a.gr", bytes, size, NULL, NF_EFORMAT, ": at byte ", "expected a whole gzip stream");
    memset(bytes + size, 0, 100); /* but padding with zeros is common */
    bytes[size - 6] = (char)(bytes[size - 6] ^ 1);
    expect_graph(read_bytes("a.gr", bytes, size + 100, NULL), 3, true, NF_I32, ARCS);
}

/* A body much larger than its packed form: the growth of the block and the bound on it. */
static void bounds_what_is_unpacked(void **state)
{
    (void)state;
    size_t size = 8u << 20;
    char *text = malloc(size), *packed = malloc(size);
    assert_non_null(text);
    assert_non_null(packed);
    memset(text, '\n', size);
    memcpy(text, GRAPH, strlen(GRAPH));
    for (size_t i = 0; i < PACKERS; i++) {
        size_t packed_size = packers[i].pack(text, size, packed, size);
        nf_read_options bound = {.size = sizeof bound, .max_bytes = size - 1},
                        enough = {.size = sizeof enough, .max_bytes = size};
        expect_graph(read_bytes("a", packed, packed_size, &enough), 3, true, NF_I32, ARCS);
        expect_failure("a", packed, packed_size, &bound, NF_EFORMAT, ": the input holds more than", "expected at most");
    }
    nf_read_options bound = {.size = sizeof bound, .max_bytes = 10};
    expect_failure("a", GRAPH, strlen(GRAPH), &bound, NF_EFORMAT, ": the input holds more than", "10 bytes");
    free(text);
    free(packed);
}

static void reads_pipes_and_standard_input(void **state)
{
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    nf_graph *g = NULL;
    assert_true(saved >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], GRAPH, strlen(GRAPH)), strlen(GRAPH));
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(nf_graph_read(NULL, "-", NULL, &g), NF_OK);
    expect_graph(g, 3, true, NF_I32, ARCS);
    assert_int_equal(nf_graph_read(NULL, "-", NULL, &g), NF_EFORMAT);
    assert_string_equal(nf_last_error(), "standard input:1:1: the input is empty; expected a graph");
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(saved), 0);
}

static void explains_what_cannot_be_read(void **state)
{
    (void)state;
    nf_graph *g = NULL;
    expect_bad("empty.gr", "", NULL, ":1:1: ", "the input is empty; expected a graph");
    assert_int_equal(nf_graph_read(NULL, "/nonexistent/file.gr", NULL, &g), NF_EIO);
    assert_non_null(strstr(nf_last_error(), "/nonexistent/file.gr: cannot open: "));
    assert_non_null(strstr(nf_last_error(), strerror(ENOENT)));
    assert_int_equal(nf_graph_read(NULL, "/", NULL, &g), NF_EIO);
    assert_non_null(strstr(nf_last_error(), strerror(EISDIR)));
    if (geteuid() != 0) {
        file f = file_make("a.gr", GRAPH, strlen(GRAPH));
        assert_int_equal(chmod(f.path, 0), 0);
        assert_int_equal(nf_graph_read(NULL, f.path, NULL, &g), NF_EIO);
        assert_non_null(strstr(nf_last_error(), strerror(EACCES)));
        file_remove(&f);
    }
    assert_int_equal(nf_graph_read(NULL, NULL, NULL, &g), NF_EINVAL);
    nf_read_options both = {.size = sizeof both, .flags = NF_READ_DIRECTED | NF_READ_UNDIRECTED};
    assert_int_equal(nf_graph_read(NULL, "/", &both, &g), NF_EINVAL);
    nf_read_options type = {.size = sizeof type, .weight_type = NF_I64};
    assert_int_equal(nf_graph_read(NULL, "/", &type, &g), NF_EINVAL);
    nf_read_options column = {.size = sizeof column, .weight_column = -2};
    assert_int_equal(nf_graph_read(NULL, "/", &column, &g), NF_EINVAL);
    assert_null(g);
}

static void finds_the_format(void **state)
{
    (void)state;
    /* content before name, name before looks */
    expect_graph(read_text("a.mtx", GRAPH, NULL), 3, true, NF_I32, ARCS);
    expect_graph(read_text("a.graph", "2 1\n2\n1\n", NULL), 2, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.GRAPH", "2 1\n2\n1\n", NULL), 2, false, NF_NONE, "1>2 2>1");
    expect_graph(read_text("a.unknown", "# x\na,b\n2 1\n", NULL), 2, true, NF_NONE, "2>1");
    nf_read_options edges = {.size = sizeof edges, .format = "edges"}, typo = {.size = sizeof typo, .format = "mtz"};
    expect_graph(read_text("a.graph", "2 1\n1 2\n", &edges), 2, true, NF_NONE, "1>2 2>1");
    expect_bad("a.unknown", "hello world, this is no graph\n", NULL, ":1:1: ", "expected one of gr, mtx");
    expect_bad("a.unknown",
               "\x7f"
               "ELF....",
               NULL, ":1:1: ", "neither content nor name tell the format");
    file f = file_make("a.gr", GRAPH, strlen(GRAPH));
    nf_graph *g = NULL;
    assert_int_equal(nf_graph_read(NULL, f.path, &typo, &g), NF_ENOTFOUND);
    assert_non_null(strstr(nf_last_error(), "did you mean"));
    assert_non_null(strstr(nf_last_error(), "mtx"));
    file_remove(&f);
}

static void lists_the_formats(void **state)
{
    (void)state;
    size_t count = 0, read = 0;
    for (const nf_format_info *info; (info = nf_format_get(count)) != NULL; count++) {
        assert_true(strlen(info->name) > 0 && strlen(info->summary) > 0 && info->extensions[0] == '.');
        assert_true(strlen(info->directed) > 0 && strlen(info->weights) > 0 && strlen(info->zeros) > 0);
        read += info->reads;
    }
    assert_int_equal(count, 11);
    assert_int_equal(read, 11);
}

static void try_coordinates(const char *coordinates, nf_status status, const char *what)
{
    file graph = file_make("a.gr", GRAPH, strlen(GRAPH)), co = file_make("a.co", coordinates, strlen(coordinates));
    nf_read_options o = {.size = sizeof o, .coordinates = co.path};
    nf_graph *g = NULL;
    assert_int_equal(nf_graph_read(NULL, graph.path, &o, &g), status);
    if (status == NF_OK) {
        const double *xy = nf_graph_coordinates(g);
        assert_non_null(xy);
        assert_true(info_of(g).has_coordinates);
        assert_true(xy[0] == 1.5 && xy[1] == -2 && xy[4] == 5 && xy[5] == 6);
        nf_graph_free(g);
    } else {
        char place[300];
        (void)snprintf(place, sizeof place, "%s%s", co.path, what);
        if (strncmp(nf_last_error(), place, strlen(place)) != 0)
            fail_msg("expected '%s', got '%s'", place, nf_last_error());
        assert_null(g);
    }
    file_remove(&graph);
    file_remove(&co);
}

static void reads_coordinates(void **state)
{
    (void)state;
    try_coordinates("c x\np aux sp co 3\nv 3 5 6\nc y\nv 1 1.5 -2\r\nv 2 0 0\n", NF_OK, "");
    try_coordinates("p aux sp co 4\n", NF_EFORMAT, ":1:13: 4 vertices are promised; expected the graph's 3");
    try_coordinates("p aux sp co 3\nv 1 1 1\nv 2 1 1\n", NF_EFORMAT, ":2:1: 3 vertices are promised, but 2 follow");
    try_coordinates("p aux sp co 3\nv 1 1 1\nv 2 1 1\nv 1 1 1\n", NF_EFORMAT, ":5:1: vertex 3 has no coordinates");
    try_coordinates("p aux sp co 3\nv 1 1 1\nv 4 1 1\n", NF_EFORMAT, ":3:3: vertex 4 is out of range; expected 1 to 3");
    try_coordinates("p aux sp co 3\nv 1 1 nan\n", NF_EFORMAT, ":2:7: 'nan' is not a coordinate");
    try_coordinates("p aux sp co 3\nv 1 1\n", NF_EFORMAT, ":2:6: the line ends too soon; expected a coordinate");
    try_coordinates("p aux sp co 3\nw 1 1 1\n", NF_EFORMAT, ":2:1: 'w' is no kind of line");
    try_coordinates("p sp 3 3\n", NF_EFORMAT, ":1:1: 'p' is no header of coordinates");
}

static void try_sources(const char *list, const char *expected, const char *place)
{
    file f = file_make("list", list, strlen(list));
    nf_graph *g = read_text("a.txt", "10 20\n20 30\n", NULL);
    nf_vid *out = NULL;
    uint64_t count = 0;
    nf_status st = nf_sources_read(NULL, g, f.path, &out, &count);
    if (place == NULL) {
        char text[200] = "";
        assert_int_equal(st, NF_OK);
        for (uint64_t i = 0; i < count; i++)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", out[i]);
        assert_string_equal(text, expected);
    } else {
        assert_int_equal(st, NF_EFORMAT);
        if (strncmp(nf_last_error() + strlen(f.path), place, strlen(place)) != 0
            || strstr(nf_last_error(), expected) == NULL)
            fail_msg("expected '%s ... %s', got '%s'", place, expected, nf_last_error());
        assert_null(out);
    }
    nf_free(out);
    nf_graph_free(g);
    file_remove(&f);
}

static void reads_source_lists(void **state)
{
    (void)state;
    try_sources("# some\n10\n30 # the last\n\n10\n", "0 2 0 ", NULL);
    try_sources("20", "1 ", NULL);
    try_sources("c x\np aux sp ss 2\ns 20\r\nc y\ns 10\n", "1 0 ", NULL);
    try_sources("10\n11\n", "vertex 11 is not in the graph", ":2:1: ");
    try_sources("10 20\n", "'20' follows", ":1:4: ");
    try_sources("x\n", "'x' is not a vertex", ":1:1: ");
    try_sources("p aux sp ss 3\ns 20\n", "3 sources are promised, but 1 follow", ":1:13: ");
    try_sources("p aux sp co 1\nv 1 1 1\n", "no header of sources", ":1:10: ");
    try_sources("p aux sp ss 1\nx 20\n", "expected 's' before a vertex", ":2:1: ");
    try_sources("# none\n", "expected at least one", ":2:1: ");
}

/* Two errors, chunks apart: the first by position is reported whatever the threads do. */
static void reports_the_first_error(void **state)
{
    (void)state;
    enum { LINES = 60000, FIRST = 20000, SECOND = 55000 };
    char *text = malloc(LINES * 12), *p = text;
    assert_non_null(text);
    for (int i = 1; i <= LINES; i++)
        p += sprintf(p, i == FIRST || i == SECOND ? "%d x\n" : "%d 7\n", i % 1000);
    file f = file_make("two.el", text, (size_t)(p - text));
    free(text);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int again = 0; again < 5; again++) {
            nf_context *ctx = make_context(threads);
            nf_graph *g = NULL;
            assert_int_equal(nf_graph_read(ctx, f.path, NULL, &g), NF_EFORMAT);
            if (strstr(nf_last_error(), "two.el:20000:3: ") == NULL)
                fail_msg("%d threads: %s", threads, nf_last_error());
            nf_context_free(ctx);
        }
    }
    file_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_by_content),
        cmocka_unit_test(unpacks_concatenated_streams),
        cmocka_unit_test(skips_zstd_frames_that_say_so),
        cmocka_unit_test(refuses_truncated_streams),
        cmocka_unit_test(refuses_damaged_streams),
        cmocka_unit_test(bounds_what_is_unpacked),
        cmocka_unit_test(reads_pipes_and_standard_input),
        cmocka_unit_test(explains_what_cannot_be_read),
        cmocka_unit_test(finds_the_format),
        cmocka_unit_test(lists_the_formats),
        cmocka_unit_test(reads_coordinates),
        cmocka_unit_test(reads_source_lists),
        cmocka_unit_test(reports_the_first_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
