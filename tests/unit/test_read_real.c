/* Real graphs, where they are at hand: sizes as their publishers and reference.json give them. Skipped where they are
 * not: NEARFAR_DATA names the folder, or ../shared/data beside the source folder holds them. */
#include "reading.h"

typedef struct expectation {
    const char *path;
    const char *format;
    nf_vid n;
    nf_eid m;
    bool directed;
    nf_type type;
    double low, high; /* of the weights */
    uint64_t label0;
} expectation;

static const expectation expected[] = {
    {"road/USA-road-d.NY.gr.gz", "gr", 264346, 733846, true, NF_I32, 1, 36946, 1},
    {"road/rome99.gr.gz", "gr", 3353, 8870, true, NF_I32, 1, 12711, 1},
    {"road/FLA.gr.xz", "gr", 1070376, 2 * 1343951, false, NF_NONE, 1, 1, 1},
    {"road/luxembourg_osm.mtx.xz", "mtx", 114599, 2 * 119666, false, NF_NONE, 1, 1, 1},
    {"social/wiki-Vote.txt.gz", "edges", 7115, 103689, true, NF_NONE, 1, 1, 3},
    {"social/email-Enron.txt.gz", "edges", 36692, 367662, true, NF_NONE, 1, 1, 0},
    {"social/ca-GrQc.txt.gz", "edges", 5242, 28980, true, NF_NONE, 1, 1, 13},
    {"social/facebook_combined.txt.gz", "edges", 4039, 88234, true, NF_NONE, 1, 1, 0},
    {"social/p2p-Gnutella31.txt.gz", "edges", 62586, 147892, true, NF_NONE, 1, 1, 0},
    {"social/soc-sign-bitcoinotc.csv.gz", "edges", 5881, 35592, true, NF_I32, -10, 10, 1},
    {"mesh/delaunay_n15.graph.xz", "metis", 32768, 2 * 98274, false, NF_NONE, 1, 1, 1},
    {"mesh/rgg_n_2_15_s0.graph.xz", "metis", 32768, 2 * 160240, false, NF_NONE, 1, 1, 1},
    {"mesh/4elt.graph.xz", "metis", 15606, 2 * 45878, false, NF_NONE, 1, 1, 1},
    {"dense/br17.atsp.xz", "tsplib", 17, 17 * 16, true, NF_I32, 0, 74, 1},
    {"dense/ftv170.atsp.xz", "tsplib", 171, 171 * 170, true, NF_I32, 4, 368, 1},
    {"dense/gr48.tsp.xz", "tsplib", 48, 48 * 47, false, NF_I32, 21, 1083, 1},
    {"dense/si175.tsp.xz", "tsplib", 175, 175 * 174, false, NF_I32, 70, 416, 1},
    {"dense/swiss42.tsp.xz", "tsplib", 42, 42 * 41, false, NF_I32, 4, 323, 1},
    {"vectors/lagraph/karate.mtx", "mtx", 34, 156, false, NF_NONE, 1, 1, 1},
    {"vectors/lagraph/west0067.mtx", "mtx", 67, 294, true, NF_F64, -1.8633539, 1.8633539, 1},
    {"vectors/lagraph/test_BF.mtx", "mtx", 7, 12, true, NF_F64, 1, 9, 1},
    {"vectors/lagraph/test_FW_1000.mtx.xz", "mtx", 1000, 3996, true, NF_F64, 0, 457, 1},
    {"vectors/lagraph/jagmesh7.mtx.xz", "mtx", 1138, 7450, false, NF_NONE, 1, 1, 1},
    {"vectors/lagraph/pushpull.mtx.xz", "mtx", 4000, 196305, false, NF_NONE, 1, 1, 1},
    {"vectors/lagraph/cryg2500.mtx.xz", "mtx", 2500, 12349, true, NF_F64, -5679.83753948, 4615.5324875, 1},
    {"vectors/lagraph/ldbc-directed-example.mtx", "mtx", 10, 17, true, NF_F64, 0.1, 0.83, 1},
    {"vectors/lagraph/ldbc-undirected-example.mtx", "mtx", 9, 24, false, NF_F64, 0.12, 0.9, 1},
    {"vectors/ldbc/example/example-directed.e", "edges", 10, 17, true, NF_F64, 0.1, 0.83, 1},
    {"vectors/ldbc/example/example-undirected.e", "edges", 9, 12, true, NF_F64, 0.12, 0.9, 2},
    {"vectors/gapbs/graphs/4.el", "el", 14, 256, true, NF_NONE, 1, 1, 0},
    {"vectors/gapbs/graphs/4.wel", "wel", 14, 256, true, NF_I32, 1, 254, 0},
    {"vectors/gapbs/graphs/4.gr", "gr", 14, 256, true, NF_I32, 1, 254, 1},
    {"vectors/gapbs/graphs/4.mtx", "mtx", 14, 256, true, NF_NONE, 1, 1, 1},
    {"vectors/gapbs/graphs/4w.mtx", "mtx", 14, 256, true, NF_I32, 1, 254, 1},
    {"vectors/gapbs/graphs/4.graph", "metis", 14, 53, true, NF_NONE, 1, 1, 1},
    {"vectors/gapbs/graphs/4w.graph", "metis", 14, 53, true, NF_I32, 1, 251, 1},
};

static const char *data_folder(void)
{
    const char *named = getenv("NEARFAR_DATA");
    return named != NULL ? named : "../shared/data";
}

static bool data_path(const char *name, char *path, size_t capacity)
{
    (void)snprintf(path, capacity, "%s/%s", data_folder(), name);
    return access(path, R_OK) == 0;
}

static void reads_every_real_graph(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const expectation *x = &expected[i];
        char path[512];
        nf_graph *g = NULL;
        nf_graph_stats stats = {.size = sizeof stats};
        if (!data_path(x->path, path, sizeof path))
            continue;
        found++;
        if (nf_graph_read(NULL, path, NULL, &g) != NF_OK)
            fail_msg("%s", nf_last_error());
        nf_graph_info info = info_of(g);
        assert_int_equal(nf_graph_get_stats(NULL, g, 0, &stats), NF_OK);
        if (info.n != x->n || info.m != x->m || info.directed != x->directed || info.weight_type != x->type
            || strcmp(info.format, x->format) != 0 || nf_graph_label(g, 0) != x->label0)
            fail_msg("%s: n %u, m %llu, %s, %s", path, info.n, (unsigned long long)info.m, info.format,
                     nf_type_name(info.weight_type));
        if (stats.weight_min < x->low - 1e-5 || stats.weight_min > x->low + 1e-5 || stats.weight_max < x->high - 1e-5
            || stats.weight_max > x->high + 1e-5)
            fail_msg("%s: weights %.17g to %.17g", path, stats.weight_min, stats.weight_max);
        nf_graph_free(g);
    }
    if (found == 0)
        skip();
}

static void reads_new_york_with_coordinates(void **state)
{
    (void)state;
    char graph[512], co[512];
    nf_graph *g = NULL;
    if (!data_path("road/USA-road-d.NY.gr.gz", graph, sizeof graph)
        || !data_path("road/USA-road-d.NY.co.gz", co, sizeof co))
        skip();
    nf_read_options o = {.size = sizeof o, .coordinates = co};
    assert_int_equal(nf_graph_read(NULL, graph, &o, &g), NF_OK);
    const double *xy = nf_graph_coordinates(g);
    assert_non_null(xy);
    assert_true(xy[0] == -73530767 && xy[1] == 41085396);
    nf_graph_free(g);
}

/* GAP's graph is one graph in seven files: without loops and duplicates all have its 53 arcs. */
static void reads_one_graph_from_seven_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"4.el", "4.wel", "4.gr", "4.mtx", "4w.mtx", "4.graph", "4w.graph"};
    char first[4096] = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512], name[64], text[4096] = "";
        (void)snprintf(name, sizeof name, "vectors/gapbs/graphs/%s", names[i]);
        if (!data_path(name, path, sizeof path))
            skip();
        nf_read_options o = {.size = sizeof o,
                             .flags = NF_READ_DROP_LOOPS,
                             .duplicates = NF_DUP_MIN,
                             .weight_column = -1};
        nf_graph *g = NULL;
        nf_coo coo;
        assert_int_equal(nf_graph_read(NULL, path, &o, &g), NF_OK);
        assert_int_equal(nf_graph_coo_view(NULL, g, &coo), NF_OK);
        assert_int_equal(coo.m, 53);
        for (nf_eid e = 0; e < coo.m; e++)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%u>%u ", coo.src[e], coo.dst[e]);
        if (i == 0)
            (void)snprintf(first, sizeof first, "%s", text);
        assert_string_equal(text, first);
        nf_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_real_graph),
        cmocka_unit_test(reads_new_york_with_coordinates),
        cmocka_unit_test(reads_one_graph_from_seven_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
