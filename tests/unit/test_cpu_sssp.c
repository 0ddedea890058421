/* test_cpu_sssp.c - the mechanisms of the CPU's single-source methods, by counts that only they can give. */
#include "unit.h"

static const char *const exact[] = {"dijkstra-4ary", "dijkstra-radix", "dijkstra-buckets"};
static const char *const all[] = {"dijkstra-4ary",  "dijkstra-radix", "dijkstra-buckets", "near-far",
                                  "delta-stepping", "stepping",       "workfront",        "bellman-ford-frontier"};

static nf_context *context(int threads)
{
    nf_context *ctx = NULL;
    const nf_context_options o = {.size = sizeof o, .device = "cpu", .threads = threads};
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

static nf_graph *make(nf_context *ctx, const char *kind, nf_vid n)
{
    nf_graph *g = NULL;
    nf_generate_options o = {.size = sizeof o};
    OK(nf_generate_defaults(kind, &o));
    o.n = n;
    o.weight_type = NF_I32;
    o.weight_min = 1;
    o.weight_max = 255;
    o.seed = 5;
    OK(nf_generate(ctx, &o, &g));
    return g;
}

static nf_graph *uniform(nf_context *ctx, nf_vid n)
{
    return make(ctx, "uniform", n);
}

static nf_vid first_with_arcs(const nf_graph *g)
{
    nf_csr c;
    nf_vid v = 0;
    OK(nf_graph_view(NULL, g, &c));
    while (v + 1 < c.n && nf_graph_m(g) > 0 && (c.off32 != NULL ? c.off32[v + 1] == 0 : c.off64[v + 1] == 0))
        v++;
    return v;
}

static nf_result *run(nf_context *ctx, const nf_graph *g, const char *name, const char *knob, uint32_t flags)
{
    nf_result *r = NULL;
    const nf_run_options o = {
        .size = sizeof o, .algorithm = name, .flags = flags, .knobs = &knob, .knob_count = knob != NULL};
    OK(nf_sssp(ctx, g, first_with_arcs(g), &o, &r));
    return r;
}

static nf_run_info facts_of(nf_result *r)
{
    nf_run_info info = {.size = sizeof info};
    OK(nf_result_info(r, &info));
    return info;
}

static nf_run_info counts(nf_context *ctx, const nf_graph *g, const char *name, const char *knob)
{
    nf_result *r = run(ctx, g, name, knob, 0);
    const nf_run_info info = facts_of(r);
    nf_result_free(r);
    return info;
}

/* Dijkstra's variants settle every reached vertex once and relax every arc of it once. */
static void test_label_setting(void **state)
{
    (void)state;
    nf_context *ctx = context(1);
    nf_graph *g = uniform(ctx, 3000);
    const nf_run_info want = counts(ctx, g, "dijkstra", NULL);
    for (size_t i = 0; i < COUNT(exact); i++) {
        const nf_run_info got = counts(ctx, g, exact[i], NULL);
        assert_int_equal(got.iterations, want.iterations);
        assert_int_equal(got.edges_relaxed, want.edges_relaxed);
    }
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Order saves work: near-far relaxes fewer arcs than workfront; narrower buckets relax fewer arcs in more phases. */
static void test_order_saves_work(void **state)
{
    (void)state;
    nf_context *ctx = context(1);
    nf_graph *g = uniform(ctx, 20000);
    const nf_run_info sweep = counts(ctx, g, "workfront", NULL), near = counts(ctx, g, "near-far", NULL);
    const nf_run_info narrow = counts(ctx, g, "delta-stepping", "delta=1");
    const nf_run_info wide = counts(ctx, g, "delta-stepping", "delta=4096");
    const nf_run_info least = counts(ctx, g, "dijkstra", NULL);
    assert_true(near.edges_relaxed < sweep.edges_relaxed);
    assert_true(near.iterations > wide.iterations);
    assert_true(narrow.iterations > wide.iterations);
    assert_true(narrow.edges_relaxed < wide.edges_relaxed);
    assert_int_equal(narrow.edges_relaxed, least.edges_relaxed); /* every bucket holds equal labels */
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Buckets so wide that far more entries wait than the pool has room for: it is cleaned. */
static void test_pool_used_up(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 9; threads += 4) {
        nf_context *ctx = context(threads);
        nf_graph *g = uniform(ctx, 30000);
        nf_result *want = run(ctx, g, "dijkstra", NULL, 0), *got = run(ctx, g, "delta-stepping", "delta=1e9", 0);
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), 30000 * sizeof(int64_t));
        nf_result_free(got);
        got = run(ctx, g, "near-far", "delta=1", 0);
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), 30000 * sizeof(int64_t));
        nf_result_free(want);
        nf_result_free(got);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* A pool that is used up in the midst of a bucket: what the rest of it lists before the next bucket is not lost. Few
 * vertices over many buckets use up the pool at once; a source in four was wrong before. */
static void test_pool_used_up_amid_bucket(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        nf_context *ctx = context(threads);
        nf_graph *g = NULL;
        nf_generate_options o = {.size = sizeof o};
        OK(nf_generate_defaults("complete", &o));
        o.n = 1500;
        o.weight_min = 1;
        o.weight_max = 1000000;
        OK(nf_generate(ctx, &o, &g));
        for (nf_vid source = 0; source < 16; source++) {
            nf_result *want = NULL, *got = NULL;
            OK(nf_sssp(ctx, g, source, &(nf_run_options){.size = sizeof(nf_run_options), .algorithm = "dijkstra-4ary"},
                       &want));
            OK(nf_sssp(ctx, g, source, &(nf_run_options){.size = sizeof(nf_run_options), .algorithm = "delta-stepping"},
                       &got));
            assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), 1500 * sizeof(int64_t));
            nf_result_free(want);
            nf_result_free(got);
        }
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* The graph with a long chain, the chain's arcs of weight 1 to 3, its vertex v by the name of v * 1009 % n. */
static nf_graph *uneven_chain(nf_context *ctx, nf_vid n, uint64_t arcs)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *even = NULL, *g = NULL;
    nf_csr c;
    OK(nf_generate_defaults("dag-chain", &o));
    o.n = n;
    o.edges = arcs;
    OK(nf_generate(ctx, &o, &even));
    OK(nf_graph_view(ctx, even, &c));
    nf_vid *src = malloc(c.m * sizeof *src), *dst = malloc(c.m * sizeof *dst);
    int32_t *w = malloc(c.m * sizeof *w);
    assert_true(src != NULL && dst != NULL && w != NULL);
    for (nf_vid u = 0; u < c.n; u++)
        for (nf_eid e = c.off32[u]; e < c.off32[u + 1]; e++) {
            src[e] = u * 1009 % n, dst[e] = c.adj[e] * 1009 % n;
            w[e] = c.adj[e] == u + 1 ? 1 + (int32_t)(u * 7919 % 10007 % 3) : ((const int32_t *)c.weights)[e];
        }
    const nf_coo coo = {.n = n, .m = c.m, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    OK(nf_graph_from_coo(ctx, &coo, NULL, &g));
    free(src);
    free(dst);
    free(w);
    nf_graph_free(even);
    return g;
}

/* A pool that is used up when what is far is to be opened, and all buckets but the last are behind: fewer of them stay
 * open, and none of what is far comes near by that. Many threads, each with lists of its own, and few vertices. */
static void test_pool_used_up_by_far_list(void **state)
{
    const nf_vid n = 3750;
    nf_context *ctx = context(16);
    nf_graph *g = uneven_chain(ctx, n, 1475000);
    (void)state;
    for (nf_vid source = 0; source < 6; source++) { /* the chain's first, and others */
        nf_result *want = NULL, *got = NULL;
        OK(nf_sssp(ctx, g, source, &(nf_run_options){.size = sizeof(nf_run_options), .algorithm = "dijkstra-4ary"},
                   &want));
        OK(nf_sssp(ctx, g, source, &(nf_run_options){.size = sizeof(nf_run_options), .algorithm = "delta-stepping"},
                   &got));
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), n * sizeof(int64_t));
        nf_result_free(want);
        nf_result_free(got);
    }
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Sums that pass 2^32 are found out and made in 64 bits. */
static void test_beyond_32_bits(void **state)
{
    (void)state;
    nf_vid src[8], dst[8];
    uint32_t w[8];
    nf_graph *g = NULL;
    for (nf_vid i = 0; i < 8; i++)
        src[i] = i, dst[i] = i + 1, w[i] = i == 0 ? 1 : 4000000000u;
    const nf_coo coo = {9, 8, src, dst, NF_U32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    for (size_t i = 0; i < COUNT(all); i++) {
        nf_result *r = run(NULL, g, all[i], NULL, 0);
        const int64_t *d = nf_result_distances(r, 0);
        for (int64_t v = 1; v < 9; v++)
            assert_true(d[v] == 1 + (v - 1) * INT64_C(4000000000));
        nf_result_free(r);
    }
    nf_graph_free(g);
}

/* Parents over a cycle of weight 0, and over floats that adding does not change, still lead to the source. */
static void test_plateaus(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    static nf_vid src[2 * LENGTH], dst[2 * LENGTH];
    static float w[2 * LENGTH];
    nf_graph *g = NULL;
    for (nf_vid i = 0; i < LENGTH; i++) {
        src[i] = i, dst[i] = (i + 1) % LENGTH, w[i] = i == 0 ? 1e9f : i % 2 ? 0.0f : 1.0f;
        src[LENGTH + i] = (i + 1) % LENGTH, dst[LENGTH + i] = i, w[LENGTH + i] = i == LENGTH - 1 ? 2e9f : 0.0f;
    }
    const nf_coo coo = {LENGTH, 2 * LENGTH, src, dst, NF_F32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    for (int threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < COUNT(all); i++) {
            nf_context *ctx = context(threads);
            nf_result *r = run(ctx, g, all[i], NULL, NF_RUN_PARENTS);
            const nf_vid *parent = nf_result_parents(r, 0);
            for (nf_vid v = 0; v < LENGTH; v++) {
                nf_vid u = v, steps = 0;
                for (; u != 0 && steps <= LENGTH; steps++)
                    u = parent[u];
                assert_int_equal(u, 0);
            }
            nf_result_free(r);
            nf_context_free(ctx);
        }
    nf_graph_free(g);
}

/* The tree of a deterministic run is the oracle's, bit for bit, however many threads hang it; levels are wide enough
 * for all of them, and every third weight is 0. */
static void test_shared_tree(void **state)
{
    (void)state;
    enum { N = 20000, M = 200000 };
    static nf_vid src[M], dst[M];
    static float w[M];
    uint64_t x = 1;
    nf_graph *g = NULL;
    for (size_t e = 0; e < M; e++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        src[e] = (nf_vid)((x >> 33) % N);
        dst[e] = (nf_vid)((x >> 11) % N);
        w[e] = e % 3 == 0 ? 0.0f : (float)((x >> 40) % 4);
    }
    const nf_coo coo = {N, M, src, dst, NF_F32, w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    nf_result *want = run(NULL, g, "dijkstra", NULL, NF_RUN_DETERMINISTIC);
    for (int threads = 1; threads <= 8; threads *= 2) {
        nf_context *ctx = context(threads);
        nf_result *got = run(ctx, g, "delta-stepping", NULL, NF_RUN_DETERMINISTIC);
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), N * sizeof(float));
        assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), N * sizeof(nf_vid));
        nf_result_free(got);
        nf_context_free(ctx);
    }
    nf_result_free(want);
    nf_graph_free(g);
}

/* What auto takes beyond graph and result: at most half the graph and 16 bytes a vertex. */
static void test_auto_memory(void **state)
{
    (void)state;
    enum { N = 50000 };
    nf_context *ctx = context(2);
    nf_graph *g = uniform(ctx, N);
    static int64_t d[N];
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o, .distances = d};
    OK(nf_sssp(ctx, g, 0, &o, &r));
    const uint64_t graph = 4 * (N + 1) + 8 * nf_graph_m(g);
    assert_true(facts_of(r).peak_bytes <= graph * 3 / 2 + UINT64_C(16) * N);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Weights 2^0 to 2^29, evenly spread over the exponents. */
static nf_graph *skewed(nf_context *ctx, nf_vid n)
{
    nf_graph *plain = make(ctx, "kronecker", n), *g = NULL;
    nf_csr c;
    OK(nf_graph_view(ctx, plain, &c));
    uint32_t *w = malloc(c.m * sizeof *w);
    assert_non_null(w);
    for (nf_eid e = 0; e < c.m; e++)
        w[e] = UINT32_C(1) << (e * UINT64_C(2654435761) >> 7) % 30;
    c.weights = w;
    c.weight_type = NF_U32;
    OK(nf_graph_from_csr(ctx, &c, NULL, &g));
    free(w);
    nf_graph_free(plain);
    return g;
}

/* Steps of the widest buckets with which delta-stepping relaxes at most so many arcs. */
static uint64_t steps_of_one_width(nf_context *ctx, const nf_graph *g, uint64_t most)
{
    char knob[32];
    nf_run_info got = {.edges_relaxed = UINT64_MAX};
    for (int shift = 29; shift >= 0 && got.edges_relaxed > most; shift--) {
        snprintf(knob, sizeof knob, "delta=%lu", 1ul << shift);
        got = counts(ctx, g, "delta-stepping", knob);
    }
    return got.iterations;
}

/* The width follows the labels: on skewed weights fewer steps than buckets of one width take for as few arcs; and more
 * steps the fewer vertices one is to take. On several threads the samples, and with them the steps, follow from who
 * lists what first: 111 to 135 for rho = 4,096 and 115 to 154 for rho = 1, so rho is told by one thread. */
static void test_width_follows_labels(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        nf_context *ctx = context(threads);
        nf_graph *g = skewed(ctx, 16384);
        const nf_run_info want = counts(ctx, g, "dijkstra", NULL), got = counts(ctx, g, "stepping", NULL);
        const nf_run_info fixed = counts(ctx, g, "delta-stepping", "delta=1048576");
        const nf_run_info few = counts(ctx, g, "stepping", "rho=1"), many = counts(ctx, g, "stepping", "rho=4096");
        assert_true(want.edges_relaxed > nf_graph_m(g) / 2);
        assert_true(2 * got.edges_relaxed < 3 * want.edges_relaxed);
        assert_true(fixed.edges_relaxed > 2 * got.edges_relaxed);
        assert_true(steps_of_one_width(ctx, g, want.edges_relaxed * 3 / 2) > got.iterations);
        assert_true(threads > 1 || few.iterations > many.iterations);
        assert_string_equal(counts(ctx, g, "auto", NULL).algorithm, "stepping");
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* A chain of arcs of weight 1 under arcs that skip j <= reach vertices and weigh 2 j; numbered at random, but for the
 * first. All shortest paths follow the chain. */
static nf_graph *chain(nf_context *ctx, nf_vid n, nf_vid reach, nf_type type)
{
    enum { DEGREE = 8 };
    const nf_eid m = (nf_eid)n * DEGREE;
    nf_vid *src = malloc(m * sizeof *src), *dst = malloc(m * sizeof *dst);
    int32_t *whole = malloc(m * sizeof *whole);
    double *real = malloc(m * sizeof *real);
    nf_eid e = 0;
    nf_graph *g = NULL;
    for (nf_vid i = 0; i < n; i++)
        for (nf_vid k = 0; k < DEGREE; k++) {
            const nf_vid j = k == 0 ? 1 : 2 + (nf_vid)((i * UINT64_C(2654435761) + k * UINT64_C(40503)) >> 5) % reach;
            if (i + j >= n)
                continue;
            src[e] = (nf_vid)(i * UINT64_C(7919) % n);
            dst[e] = (nf_vid)((i + j) * UINT64_C(7919) % n);
            whole[e] = k == 0 ? 1 : 2 * (int32_t)j;
            real[e] = whole[e];
            e++;
        }
    const nf_coo coo = {.n = n,
                        .m = e,
                        .src = src,
                        .dst = dst,
                        .weight_type = type,
                        .weights = type == NF_I32 ? (const void *)whole : real};
    OK(nf_graph_from_coo(ctx, &coo, NULL, &g));
    free(src);
    free(dst);
    free(whole);
    free(real);
    return g;
}

/* Where labels fall again and again within their bucket, delta-stepping makes the buckets narrower (short skips) or
 * leaves the row to a queue (long ones), and the answers stay. A width that was asked for is kept. */
static void test_coarse_buckets(void **state)
{
    (void)state;
    static const nf_vid reach[] = {34, 4000, 16, 4000};
    static const nf_type types[] = {NF_I32, NF_F64};
    for (int i = 0; i < 8; i++) {
        const bool far = i % 2 == 1;
        nf_context *ctx = context(1 + i / 4);
        nf_graph *g = chain(ctx, 20000, reach[i % 4], types[i / 2 % 2]);
        const nf_run_info own = counts(ctx, g, "delta-stepping", NULL);
        const nf_run_info asked = counts(ctx, g, "delta-stepping", far ? "delta=2048" : "delta=16");
        const nf_run_info want = counts(ctx, g, "dijkstra", NULL);
        assert_true(asked.edges_relaxed > 2 * want.edges_relaxed);
        assert_true(own.edges_relaxed < want.edges_relaxed * 5 / 4);
        nf_result *r = run(ctx, g, "delta-stepping", NULL, NF_RUN_DETERMINISTIC);
        nf_result *oracle = run(ctx, g, "dijkstra", NULL, NF_RUN_DETERMINISTIC);
        for (nf_vid v = 0; v < 20000; v++) {
            assert_true(nf_result_distance(r, 0, v) == nf_result_distance(oracle, 0, v));
            assert_int_equal(nf_result_parents(r, 0)[v], nf_result_parents(oracle, 0)[v]);
        }
        nf_result_free(r);
        nf_result_free(oracle);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* Graphs whose labels fall once, or again and again in wide buckets, are not left to delta-stepping; sums agree with
 * Dijkstra's, and targets keep the method that stops early. */
static void test_auto_choice(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *want, *why;
    } cases[] = {{"path", "dijkstra-4ary", "chain"},
                 {"star", "workfront", "star"},
                 {"tree", "bellman-ford-frontier", "tree"},
                 {"dag-chain", "dijkstra-radix", "larger number"},
                 {"uniform", "delta-stepping", "delta"}};
    nf_context *ctx = context(2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        nf_generate_options o = {.size = sizeof o};
        nf_graph *g = NULL;
        nf_row_info got = {.size = sizeof got}, want = {.size = sizeof want};
        OK(nf_generate_defaults(cases[i].kind, &o));
        o.n = 2000;
        OK(nf_generate(ctx, &o, &g));
        nf_result *r = run(ctx, g, "auto", NULL, 0), *oracle = run(ctx, g, "dijkstra", NULL, 0);
        assert_string_equal(facts_of(r).algorithm, cases[i].want);
        assert_non_null(strstr(facts_of(r).reason, cases[i].why));
        OK(nf_result_row_info(r, 0, &got));
        OK(nf_result_row_info(oracle, 0, &want));
        assert_string_equal(got.sum_text, want.sum_text);
        nf_result_free(r);
        nf_result_free(oracle);
        const nf_run_options stop = {.size = sizeof stop, .targets = (const nf_vid[]){1}, .target_count = 1};
        OK(nf_sssp(ctx, g, 0, &stop, &r));
        assert_string_not_equal(facts_of(r).algorithm, "workfront");
        assert_string_not_equal(facts_of(r).algorithm, "bellman-ford-frontier");
        nf_result_free(r);
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

/* A wide layer full of arcs, of which few lead on, all to one vertex, then a path; again and again: threads are called
 * in for the layer, sent away on the path, and called in again, and any of them may be the one that lists what comes
 * next. */
#define LAYER 3000u
#define WITHIN 16u
#define PATH 40u
#define BEADS 12u
static nf_graph *beads(nf_context *ctx)
{
    const nf_vid each = LAYER + PATH, n = BEADS * each + 1;
    const size_t room = (size_t)BEADS * (LAYER * (2 + WITHIN) + PATH);
    nf_vid *src = malloc(room * sizeof *src), *dst = malloc(room * sizeof *dst);
    int32_t *weight = malloc(room * sizeof *weight);
    nf_graph *g = NULL;
    size_t m = 0;
    assert_true(src != NULL && dst != NULL && weight != NULL);
    for (nf_vid b = 0; b < BEADS; b++) {
        const nf_vid start = b * each, layer = start + 1, path = layer + LAYER;
        for (nf_vid i = 0; i < LAYER; i++) {
            src[m] = start, dst[m++] = layer + i;
            for (nf_vid k = 1; k <= WITHIN; k++)
                src[m] = layer + i, dst[m++] = layer + (i + k * 97) % LAYER;
            if (i > LAYER / 4 && i < LAYER / 4 * 3 && i % 50 == 0)
                src[m] = layer + i, dst[m++] = path;
        }
        for (nf_vid i = 0; i < PATH; i++) /* the last is the next start */
            src[m] = path + i, dst[m++] = path + i + 1;
    }
    for (size_t e = 0; e < m; e++)
        weight[e] = 1;
    const nf_coo coo = {.n = n + 1, .m = m, .src = src, .dst = dst, .weights = weight, .weight_type = NF_I32};
    const nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
    OK(nf_graph_from_coo(ctx, &coo, &o, &g));
    free(src);
    free(dst);
    free(weight);
    return g;
}

/* Nothing is lost that a thread lists after it was sent away and called in again. */
static void test_called_in_again(void **state)
{
    static const char *const names[] = {"delta-stepping", "stepping", "near-far"};
    (void)state;
    for (int threads = 2; threads <= 4; threads += 2) {
        nf_context *ctx = context(threads);
        nf_graph *g = beads(ctx);
        nf_result *want = run(ctx, g, "dijkstra", NULL, 0);
        for (int k = 0; k < 24; k++) {
            nf_result *got = run(ctx, g, names[k % 3], k % 3 == 0 ? "delta=1" : NULL, 0);
            for (nf_vid v = 0; v < nf_graph_n(g); v++)
                assert_true(nf_result_distance(got, 0, v) == nf_result_distance(want, 0, v));
            nf_result_free(got);
        }
        nf_result_free(want);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

/* delta-stepping from some sources against Dijkstra; adds up its phases. */
static void compare_rows(nf_context *ctx, const nf_graph *g, nf_vid sources, uint64_t *phases)
{
    const nf_run_options plain = {.size = sizeof plain, .algorithm = "dijkstra-4ary"};
    const nf_run_options steps = {.size = sizeof steps, .algorithm = "delta-stepping"};
    for (nf_vid i = 0; i < sources; i++) {
        const nf_vid source = (nf_vid)((uint64_t)nf_graph_n(g) * (i + 1) / (sources + 2));
        nf_run_info info = {.size = sizeof info};
        nf_result *want = NULL, *got = NULL;
        OK(nf_sssp(ctx, g, source, &plain, &want));
        OK(nf_sssp(ctx, g, source, &steps, &got));
        OK(nf_result_info(got, &info));
        *phases += info.iterations;
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), nf_graph_n(g) * sizeof(int64_t));
        nf_result_free(want);
        nf_result_free(got);
    }
}

/* Where a bucket is too little for many threads a phase takes several, and what falls in those that were begun is not
 * lost; nor where the pool is used up amid them, as on the second graph: few vertices in many buckets. */
static void test_buckets_at_once(void **state)
{
    static const char *const kinds[] = {"grid2d", "kronecker"};
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        nf_generate_options o = {.size = sizeof o};
        nf_context *one = context(1), *ctx = context(16);
        nf_graph *g = NULL;
        uint64_t alone = 0, together = 0;
        OK(nf_generate_defaults(kinds[i], &o));
        if (i == 0)
            o.n = UINT64_C(300) * 300;
        else
            o.scale = 14, o.edge_factor = 16;
        o.weight_type = NF_I32, o.weight_min = 1, o.weight_max = 255, o.seed = 7;
        OK(nf_generate(ctx, &o, &g));
        compare_rows(one, g, 2, &alone);
        compare_rows(ctx, g, 2, &together);
        assert_true(i != 0 || together < alone);
        compare_rows(ctx, g, 12, &together);
        nf_graph_free(g);
        nf_context_free(ctx);
        nf_context_free(one);
    }
}

/* So many labels that several threads widen them from 32 bits (key.c), half of them unreached. */
static void test_many_labels(void **state)
{
    (void)state;
    nf_generate_options o = {.size = sizeof o};
    nf_context *ctx = context(4), *one = context(1);
    nf_graph *half = NULL, *g = NULL;
    nf_csr c;
    OK(nf_generate_defaults("grid2d", &o));
    o.rows = 601, o.cols = 611, o.weight_type = NF_I32, o.weight_min = 1, o.weight_max = 9, o.seed = 3;
    OK(nf_generate(ctx, &o, &half));
    OK(nf_graph_view(ctx, half, &c));
    uint32_t *off = calloc((size_t)c.n * 2, sizeof *off); /* the other half, less one vertex, has no arcs */
    memcpy(off, c.off32, ((size_t)c.n + 1) * sizeof *off);
    for (nf_vid v = c.n + 1; v < 2 * c.n; v++)
        off[v] = (uint32_t)c.m;
    const nf_csr both = {
        .n = 2 * c.n - 1, .m = c.m, .off32 = off, .adj = c.adj, .weight_type = NF_I32, .weights = c.weights};
    OK(nf_graph_from_csr(ctx, &both, NULL, &g));
    nf_result *want = run(one, g, "dijkstra", NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        static const char *const some[] = {"dijkstra-radix", "delta-stepping", "workfront"};
        nf_result *r = run(ctx, g, some[i], NULL, 0);
        assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0), (size_t)both.n * sizeof(int64_t));
        nf_result_free(r);
    }
    nf_result_free(want);
    free(off);
    nf_graph_free(g);
    nf_graph_free(half);
    nf_context_free(one);
    nf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_setting),
        cmocka_unit_test(test_order_saves_work),
        cmocka_unit_test(test_shared_tree),
        cmocka_unit_test(test_pool_used_up),
        cmocka_unit_test(test_pool_used_up_amid_bucket),
        cmocka_unit_test(test_pool_used_up_by_far_list),
        cmocka_unit_test(test_beyond_32_bits),
        cmocka_unit_test(test_plateaus),
        cmocka_unit_test(test_auto_memory),
        cmocka_unit_test(test_auto_choice),
        cmocka_unit_test(test_width_follows_labels),
        cmocka_unit_test(test_coarse_buckets),
        cmocka_unit_test(test_called_in_again),
        cmocka_unit_test(test_buckets_at_once),
        cmocka_unit_test(test_many_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
