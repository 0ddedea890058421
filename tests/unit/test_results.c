/* Results written and read back in all five forms, LDBC output, and files that are no results. */
#include "files.h"

static const char *const names[] = {"r.txt", "r.tsv", "r.json", "r.npy", "r.nfd", "r.txt.gz", "r.npy.zst", "r.json.xz"};

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static nf_run_info run_info(const nf_result *r)
{
    nf_run_info info = {.size = sizeof info};
    OK(nf_result_info(r, &info));
    return info;
}

static void expect_same_rows(const nf_result *a, const nf_result *b, bool parents)
{
    nf_run_info x = run_info(a), y = run_info(b);
    assert_int_equal(x.problem, y.problem);
    assert_string_equal(nf_type_name(x.type), nf_type_name(y.type));
    assert_int_equal(x.n, y.n);
    assert_int_equal(x.rows, y.rows);
    size_t width = nf_type_size(x.type);
    for (uint64_t row = 0; row < x.rows; row++) {
        nf_row_info p = {.size = sizeof p}, q = {.size = sizeof q};
        const void *d = x.problem == NF_BFS ? (const void *)nf_result_hops(a, row) : nf_result_distances(a, row);
        const void *e = x.problem == NF_BFS ? (const void *)nf_result_hops(b, row) : nf_result_distances(b, row);
        assert_memory_equal(d, e, x.n * width);
        if (parents)
            assert_memory_equal(nf_result_parents(a, row), nf_result_parents(b, row), x.n * sizeof(nf_vid));
        OK(nf_result_row_info(a, row, &p));
        OK(nf_result_row_info(b, row, &q));
        assert_int_equal(p.source, q.source);
        assert_int_equal(p.reached, q.reached);
        assert_string_equal(p.max_text, q.max_text);
        assert_string_equal(p.sum_text, q.sum_text);
    }
}

/* Into every form and back. */
static void round_trips(const nf_graph *g, const nf_result *r, bool parents, bool owners)
{
    nf_run_info info = run_info(r);
    for (size_t i = 0; i < COUNT(names); i++) {
        folder f = folder_make();
        nf_result *back = NULL;
        OK(nf_result_write(NULL, r, g, in_folder(&f, names[i]), NULL));
        OK(nf_result_read(NULL, g, f.name, info.problem, info.problem == NF_BFS ? NF_NONE : info.type, &back));
        bool npy = strstr(names[i], ".npy") != NULL;
        if (npy && owners) { /* .npy does not hold the owners */
            nf_result_free(back);
            (void)folder_remove(&f);
            continue;
        }
        expect_same_rows(r, back, parents);
        if (owners) {
            uint64_t p = 0, q = 0;
            assert_memory_equal(nf_result_owners(r), nf_result_owners(back), info.n * sizeof(nf_vid));
            assert_true((run_info(back).flags & NF_INFO_NEAREST) != 0);
            (void)nf_result_sources(r, &p);
            (void)nf_result_sources(back, &q);
            if (strstr(names[i], ".tsv") == NULL) /* there only the owners are known */
                assert_int_equal(p, q);
        }
        nf_result_free(back);
        assert_int_equal(folder_remove(&f), npy && parents ? 2 : 1);
    }
}

static void test_single(void **state)
{
    (void)state;
    const nf_type weights[] = {NF_NONE, NF_I32, NF_U32, NF_F32, NF_F64};
    const nf_type distances[] = {NF_I32, NF_U32, NF_I64, NF_U64, NF_F32, NF_F64};
    for (size_t t = 0; t < COUNT(weights); t++) {
        nf_graph *g = sample_graph(200, 350, weights[t], 1, 0, 11);
        for (unsigned flags = 0; flags < 2; flags++) { /* NF_RUN_PARENTS or not */
            nf_run_options o = {.size = sizeof o, .flags = flags};
            nf_result *r = NULL;
            OK(nf_bfs(NULL, g, 3, &o, &r));
            round_trips(g, r, flags != 0, false);
            nf_result_free(r);
            for (size_t d = weights[t] >= NF_F32 ? 4 : 0; d < COUNT(distances); d++) {
                o.distance_type = distances[d];
                OK(nf_sssp(NULL, g, 3, &o, &r));
                round_trips(g, r, flags != 0, false);
                nf_result_free(r);
            }
        }
        nf_graph_free(g);
    }
}

static void test_many(void **state)
{
    (void)state;
    nf_graph *g = sample_graph(60, 150, NF_I32, 1, 0, 12);
    const nf_vid sources[] = {5, 2, 5, 59};
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS};
    nf_result *r = NULL;
    OK(nf_sssp_many(NULL, g, sources, 4, &o, &r));
    round_trips(g, r, true, false);
    nf_result_free(r);
    OK(nf_bfs_many(NULL, g, sources, 4, &o, &r));
    round_trips(g, r, true, false);
    nf_result_free(r);
    OK(nf_apsp(NULL, g, NULL, &r));
    round_trips(g, r, false, false);
    nf_result_free(r);
    OK(nf_sssp_nearest(NULL, g, sources, 4, &o, &r));
    round_trips(g, r, true, true);
    nf_result_free(r);
    o.flags = 0;
    OK(nf_bfs_nearest(NULL, g, sources, 4, &o, &r));
    round_trips(g, r, false, true);
    nf_result_free(r);
    nf_graph_free(g);
}

/* ---- the very text ----------------------------------------------------------------------------------------------- */

/* 10 -> 20 (5), 20 -> 30 (0); 40 is not reached from 10: it only leads to 10. */
static nf_graph *labelled(folder *f)
{
    const char *text = "10 20 5\n20 30 0\n40 10 1\n";
    nf_read_options o = {.size = sizeof o, .format = "edges", .flags = NF_READ_DIRECTED};
    nf_graph *g = NULL;
    spit(in_folder(f, "g.txt"), text, strlen(text));
    OK(nf_graph_read(NULL, f->name, &o, &g));
    return g;
}

static void expect_form(const nf_result *r, const nf_graph *g, const char *format, const char *text)
{
    folder f = folder_make();
    OK(nf_result_write(NULL, r, g, in_folder(&f, "out"), format));
    expect_text(f.name, text);
    (void)folder_remove(&f);
}

static void test_text(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS};
    nf_result *r = NULL;
    OK(nf_sssp(NULL, g, 0, &o, &r));
    expect_form(r, g, "txt", "10 0 10\n20 5 10\n30 5 20\n40 inf -\n");
    expect_form(r, NULL, "txt", "0 0 0\n1 5 0\n2 5 1\n3 inf -\n");
    expect_form(r, g, "tsv",
                "source\tvertex\tdistance\tparent\n10\t10\t0\t10\n10\t20\t5\t10\n10\t30\t5\t20\n10\t40\tinf\t-\n");
    expect_form(r, g, "json",
                "{\"problem\":\"sssp\",\"type\":\"i64\",\n\"sources\":[10],\n\"vertices\":[10,20,30,40],\n"
                "\"distances\":[[0,5,5,null]],\n\"parents\":[[10,10,20,null]]}\n");
    nf_result_free(r);
    o.flags = 0;
    const nf_vid sources[] = {1, 3};
    OK(nf_bfs_many(NULL, g, sources, 2, &o, &r));
    expect_form(r, g, "txt", "# source 20\n10 inf\n20 0\n30 1\n40 inf\n# source 40\n10 1\n20 2\n30 3\n40 0\n");
    expect_form(r, g, "json",
                "{\"problem\":\"bfs\",\"type\":\"i32\",\n\"sources\":[20,40],\n\"vertices\":[10,20,30,40],\n"
                "\"distances\":[[null,0,1,null],\n[1,2,3,0]]}\n");
    nf_result_free(r);
    OK(nf_bfs_nearest(NULL, g, sources, 2, &o, &r));
    expect_form(r, g, "txt", "# nearest 20 40\n10 1 40\n20 0 20\n30 1 20\n40 0 40\n");
    expect_form(r, g, "tsv", "vertex\thops\towner\n10\t1\t40\n20\t0\t20\n30\t1\t20\n40\t0\t40\n");
    nf_result_free(r);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* The header of a .npy is what NumPy writes, but for its length. */
static void test_npy(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    nf_result *r = NULL;
    OK(nf_bfs(NULL, g, 0, NULL, &r));
    OK(nf_result_write(NULL, r, g, in_folder(&f, "r.npy"), NULL));
    bytes b = slurp(f.name);
    const char *header = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }";
    const int32_t hops[] = {0, 1, 2, -1};
    assert_int_equal(b.size, 128 + sizeof hops);
    assert_memory_equal(b.data, "\x93NUMPY\1\0\x76\0", 10);
    assert_memory_equal(b.data + 10, header, strlen(header));
    assert_int_equal(b.data[127], '\n');
    assert_memory_equal(b.data + 128, hops, sizeof hops);
    free(b.data);
    nf_result_free(r);
    OK(nf_apsp(NULL, g, NULL, &r));
    OK(nf_result_write(NULL, r, g, f.name, NULL));
    b = slurp(f.name);
    assert_non_null(strstr((char *)b.data + 10, "'<i8', 'fortran_order': False, 'shape': (4, 4), }"));
    free(b.data);
    nf_result_free(r);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* ---- what others wrote ------------------------------------------------------------------------------------------- */

static nf_result *read_form(const nf_graph *g, const char *text, nf_problem problem, nf_type type)
{
    folder f = folder_make();
    nf_result *r = NULL;
    spit(in_folder(&f, "r"), text, strlen(text));
    OK(nf_result_read(NULL, g, f.name, problem, type, &r));
    (void)folder_remove(&f);
    return r;
}

static void test_ldbc(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    nf_result *r = read_form(g, "10 0\n20 1\n30 2\n40 9223372036854775807\n", NF_BFS, NF_NONE);
    const int32_t hops[] = {0, 1, 2, -1};
    assert_memory_equal(nf_result_hops(r, 0), hops, sizeof hops);
    assert_int_equal(nf_result_source(r, 0), 0);
    nf_result_free(r);
    r = read_form(g, "40 infinity\r\n30 5.0\r\n20 5.0E0\r\n10 0.0\r\n", NF_SSSP, NF_NONE);
    const int64_t whole[] = {0, 5, 5, INT64_MAX};
    assert_memory_equal(nf_result_distances(r, 0), whole, sizeof whole);
    nf_result_free(r);
    r = read_form(g, "40 Infinity\n30 5.25\n\n20 5\n10 0", NF_SSSP, NF_F64);
    const double real[] = {0, 5, 5.25, (double)INFINITY};
    assert_memory_equal(nf_result_distances(r, 0), real, sizeof real);
    nf_result_free(r);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* Without names, the sources are the vertices at distance 0. */
#define ROW(source) source "\t10\t0\n" source "\t20\t1\n" source "\t30\t2\n" source "\t40\tinf\n"

static void test_sources(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    uint64_t count = 0;
    nf_result *r = read_form(g, "10 0\n20 inf\n30 1\n40 0\n", NF_BFS, NF_NONE);
    const nf_vid *sources = nf_result_sources(r, &count);
    assert_int_equal(count, 2);
    assert_int_equal(sources[0], 0);
    assert_int_equal(sources[1], 3);
    assert_true((run_info(r).flags & NF_INFO_NEAREST) != 0);
    nf_result_free(r);
    /* a parent that is the vertex itself names the source among several zeros */
    r = read_form(g, "10 0 20\n20 0 20\n30 0 20\n40 inf -\n", NF_SSSP, NF_NONE);
    assert_int_equal(nf_result_source(r, 0), 1);
    nf_result_free(r);
    /* with a column of sources, "# source" is a comment: it does not say how many rows there are */
    r = read_form(g, "source\tvertex\thops\n# source 10\n" ROW("10") ROW("20") ROW("30") ROW("40"), NF_BFS, NF_NONE);
    assert_int_equal(run_info(r).rows, 4);
    assert_int_equal(nf_result_source(r, 3), 3);
    nf_result_free(r);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* ---- what is no result ------------------------------------------------------------------------------------------- */

typedef struct bad_case {
    nf_problem problem;
    const char *text, *message;
} bad_case;

#define JSON(sources, vertices, distances)                                                                             \
    "{\"problem\":\"bfs\",\"type\":\"i32\",\"sources\":" sources ",\"vertices\":" vertices ",\"distances\":" distances \
    "}"
#define ALL "[10,20,30,40]"

static const bad_case bad_cases[] = {
    {NF_BFS, "10 0\n20 x\n30 1\n40 1\n", ":2:4: 'x' where a distance (hops)"},
    {NF_BFS, "10 0\n20 -1\n30 1\n40 1\n", ":2:4: '-1' where"},
    {NF_BFS, "10 0\n20 1.5\n30 1\n40 1\n", ":2:4: '1.5' where"},
    {NF_BFS, "10 0\n20 3000000000\n30 1\n40 1\n", ":2:4: '3000000000' where"},
    {NF_SSSP, "10 0\n20 nan\n30 1\n40 1\n", ":2:4: 'nan' where"},
    {NF_SSSP, "10 0\n20 9223372036854775808\n30 1\n40 1\n", ":2:4: '9223372036854775808' where"},
    {NF_BFS, "10 0\n25 1\n30 1\n40 1\n", ":2:1: 25 where a vertex was expected; the graph has no such vertex"},
    {NF_BFS, "10 0\n20 1\n20 1\n40 1\n", ":3:1: vertex 20 comes twice"},
    {NF_BFS, "10 0\n20 1\n40 1\n", "vertex 30 is missing"},
    {NF_BFS, "", "vertex 10 is missing"},
    {NF_BFS, "10 0\n20 1\n30 1\n40 1\n40 1\n", ":5:1: vertex 40 comes twice"},
    {NF_BFS, "10 0\n20 1 10 7\n30 1\n40 1\n", ":2:6: '10' where the end of the line was expected"},
    {NF_BFS, "10 0 10\n20 1\n30 1 10\n40 1 10\n", ":2:5: '' where a parent was expected"},
    {NF_BFS, "10 1\n20 1\n30 1\n40 1\n", "no vertex is at distance 0"},
    {NF_BFS, "# source 11\n10 0\n20 1\n30 1\n40 1\n", ":1:10: 11 where a source"},
    {NF_BFS, "# source 10\n10 0\n20 1\n# source 20\n30 1\n40 1\n30 1\n40 1\n10 1\n20 1\n",
     ":4:1: the row ends here, but vertex 30"},
    {NF_BFS, "10 0\n# source 10\n20 1\n30 1\n40 1\n", ":1:1: '10' where a line '# source LABEL'"},
    {NF_BFS, "# source 10\n# source 20\n10 0\n20 1\n30 1\n40 1\n", "lines for 2 rows"},
    {NF_BFS, "# nearest\n10 0 10\n20 1 10\n30 1 10\n40 1 10\n", "no source"},
    {NF_BFS, "source\tvertex\n10\t10\t0\n", ":1:1: the header"},
    {NF_BFS, "vertex\tsource\thops\n", ":1:8: 'source' where a column"},
    {NF_BFS, "source\tvertex\thops\n10\t10\t0\n20\t20\t0\n10\t30\t1\n10\t40\t1\n", ":3:1: the row ends here"},
    {NF_BFS, "source\tvertex\thops\n# nearest 10\n" ROW("10") ROW("20"), "2 rows; distances to the nearest source"},
    {NF_APSP, "10 0\n20 1\n30 1\n40 1\n", "all pairs of this graph have 4"},
    {NF_BFS, "{", "expected '\"' here"},
    {NF_BFS, "{}", "no \"problem\""},
    {NF_BFS, "{\"problem\":\"bfs\",\"type\":\"i33\"}", "expected i32"},
    {NF_BFS, "{\"problem\":\"xyz\",\"type\":\"i32\"}", "expected bfs"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,2,null]]") "x", "text after"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,2,null],]"), "expected a JSON value"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,2]]"), "expected ','"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,2,3,4]]"), "expected ']'"},
    {NF_BFS, JSON("[10]", "[10,20,30,30]", "[[0,1,2,null]]"), "comes twice"},
    {NF_BFS, JSON("[10]", "[10,20,30,50]", "[[0,1,2,null]]"), "expected a vertex"},
    {NF_BFS, JSON("[10]", "[10,20,30]", "[[0,1,2,null]]"), "expected ','"},
    {NF_BFS, JSON("[10,20]", ALL, "[[0,1,2,null],[0,1,2,3],[0,1,2,3]]"), "2 sources for 3 rows"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,2.5,null]]"), "expected a distance"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,\"2\",null]]"), "expected a distance"},
    {NF_BFS, JSON("[10]", ALL, "[[0,1,tru,null]]"), "expected a JSON value"},
    {NF_BFS, "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
     "nested too deeply"},
    {NF_BFS, "{\"a", "does not end"},
};

static void test_bad_text(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    for (size_t i = 0; i < COUNT(bad_cases); i++) {
        nf_result *r = NULL;
        spit(in_folder(&f, "r"), bad_cases[i].text, strlen(bad_cases[i].text));
        FAILS(NF_EFORMAT, bad_cases[i].message, nf_result_read(NULL, g, f.name, bad_cases[i].problem, NF_NONE, &r));
        assert_null(r);
        assert_non_null(strstr(nf_last_error(), f.name));
        assert_null(strchr(nf_last_error(), '\n'));
    }
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* Every byte changed in turn and every length, in every form: a result or a message. */
static void test_damage(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS};
    const nf_vid sources[] = {0, 3};
    nf_context *ctx = make_context(1);
    nf_result *r = NULL, *back = NULL;
    OK(nf_sssp_nearest(ctx, g, sources, 2, &o, &r));
    for (size_t i = 0; i < 5; i++) {
        OK(nf_result_write(ctx, r, g, in_folder(&f, names[i]), NULL));
        bytes b = slurp(f.name);
        for (size_t k = 0; k < b.size; k++) {
            unsigned char old = b.data[k];
            b.data[k] = (unsigned char)(old ^ (k % 2 == 0 ? 0xff : 0x01));
            spit(in_folder(&f, "bad"), b.data, b.size);
            nf_status st = nf_result_read(ctx, g, f.name, NF_SSSP, NF_NONE, &back);
            assert_true(st == NF_OK || st == NF_EFORMAT || st == NF_EUNSUPPORTED);
            if (strcmp(names[i], "r.nfd") == 0 && !(k >= 256 && st == NF_OK)) /* bytes between sections are free */
                assert_int_equal(st, NF_EFORMAT);
            nf_result_free(back);
            back = NULL;
            b.data[k] = old;
            spit(f.name, b.data, k);
            st = nf_result_read(ctx, g, f.name, NF_SSSP, NF_NONE, &back);
            assert_true(st == NF_OK || st == NF_EFORMAT);
            nf_result_free(back);
            back = NULL;
        }
        free(b.data);
    }
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
    (void)folder_remove(&f);
}

/* A result for another graph, a sink's result, bad arguments, a full disk. */
static nf_status swallow(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

static void test_refusals(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f), *other = sample_graph(5, 9, NF_F32, 1, 0, 1);
    nf_result *r = NULL, *back = NULL;
    OK(nf_sssp(NULL, g, 0, NULL, &r));
    FAILS(NF_EINVAL, "do not belong together", nf_result_write(NULL, r, other, in_folder(&f, "r.txt"), NULL));
    FAILS(NF_EINVAL, "no result format", nf_result_write(NULL, r, g, in_folder(&f, "r.xyz"), NULL));
    FAILS(NF_ENOTFOUND, "no result format 'xml'", nf_result_write(NULL, r, g, f.name, "xml"));
    const char *formats[] = {"txt", "tsv", "json", "npy", "nfd"};
    for (size_t i = 0; i < COUNT(formats); i++) {
        FAILS(NF_EIO, "No space left", nf_result_write(NULL, r, g, "/dev/full", formats[i]));
        OK(nf_result_write(NULL, r, g, in_folder(&f, "r.out"), formats[i]));
        FAILS(NF_EFORMAT, "", nf_result_read(NULL, other, f.name, NF_SSSP, NF_NONE, &back));
    }
    FAILS(NF_EINVAL, "distances need f32 or f64", nf_result_read(NULL, other, f.name, NF_SSSP, NF_I64, &back));
    FAILS(NF_EIO, "No such file", nf_result_read(NULL, g, "/tmp/nearfar-no-such-file", NF_SSSP, NF_NONE, &back));
    nf_result_free(r);
    nf_run_options o = {.size = sizeof o, .sink = swallow};
    OK(nf_sssp(NULL, g, 0, &o, &r));
    FAILS(NF_EINVAL, "went to a sink", nf_result_write(NULL, r, g, in_folder(&f, "r.txt"), NULL));
    nf_result_free(r);
    nf_graph_free(other);
    nf_graph_free(g);
    assert_int_equal(folder_remove(&f), 2);
}

typedef struct errand {
    const nf_graph *graph;
    const nf_result *result;
    const char *path;
} errand;

static nf_status write_and_read(nf_context *ctx, void *arg)
{
    errand *e = arg;
    nf_result *r = NULL;
    nf_status st = nf_result_write(ctx, e->result, e->graph, e->path, NULL);
    if (st == NF_OK)
        st = nf_result_read(ctx, e->graph, e->path, NF_SSSP, NF_NONE, &r);
    nf_result_free(r);
    return st;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    folder f = folder_make();
    nf_graph *g = labelled(&f);
    nf_run_options o = {.size = sizeof o, .flags = NF_RUN_PARENTS};
    const nf_vid sources[] = {0, 3};
    nf_result *r = NULL;
    OK(nf_sssp_nearest(NULL, g, sources, 2, &o, &r));
    for (size_t i = 0; i < 5; i++) {
        errand e = {g, r, in_folder(&f, names[i])};
        fail_each(write_and_read, &e);
    }
    nf_result_free(r);
    nf_graph_free(g);
    assert_int_equal(folder_remove(&f), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),        cmocka_unit_test(test_many),   cmocka_unit_test(test_text),
        cmocka_unit_test(test_npy),           cmocka_unit_test(test_ldbc),   cmocka_unit_test(test_sources),
        cmocka_unit_test(test_bad_text),      cmocka_unit_test(test_damage), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
