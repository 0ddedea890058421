/* test_auto.c - what `auto` takes for one source on a device, and why: by how a graph spreads, by hubs and size; and
 * what it does when it was wrong. */
#include "trace.h"

/* A run of auto from vertex 0, the answer the CPU's: what it took, and why. */
typedef struct choice {
    char algorithm[40], reason[256];
    unsigned tired;
    unsigned chains; /* taken for one */
} choice;

static void hear_choice(void *user, nf_log_level level, const char *text)
{
    choice *c = user;
    c->tired += level == NF_LOG_DEBUG && strstr(text, "labels still fall after") != NULL;
    c->chains += level == NF_LOG_DEBUG && strstr(text, "one block or cluster") != NULL;
}

static choice choose(const nf_graph *g, bool bfs, const nf_run_options *how)
{
    choice c = {.tired = 0};
    nf_run_info info = {.size = sizeof info};
    nf_context *ctx = open_device("emulator", "seed=1", 0, hear_choice, &c);
    nf_result *r = run_by(ctx, g, bfs, how);
    expect_cpus(g, r, bfs, how->flags);
    OK(nf_result_info(r, &info));
    snprintf(c.algorithm, sizeof c.algorithm, "%s", info.algorithm);
    snprintf(c.reason, sizeof c.reason, "%s", info.reason);
    nf_result_free(r);
    nf_context_free(ctx);
    return c;
}

/* Rows of auto from several sources are the CPU's; what was said meanwhile. */
static choice choose_for_rows(const nf_graph *g, const nf_vid *sources, size_t count)
{
    choice c = {.tired = 0};
    nf_context *ctx = open_device("emulator", "seed=2", 0, hear_choice, &c), *cpu = open_cpu();
    nf_result *got = NULL, *want = NULL;
    OK(nf_sssp_many(ctx, g, sources, count, PLAIN("auto", TREE), &got));
    OK(nf_sssp_many(cpu, g, sources, count, PLAIN("dijkstra", TREE), &want));
    const size_t n = nf_graph_n(g);
    assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), count * n * 8);
    assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), count * n * sizeof(nf_vid));
    nf_result_free(got);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_context_free(cpu);
    return c;
}

/* Delta is so many mean weights, shared among the arcs of a mean vertex. */
static void expect_delta(const choice *c, const nf_graph *g, double factor)
{
    nf_graph_stats s = {.size = sizeof s};
    const char *at = strstr(c->reason, "delta ");
    assert_non_null(at);
    OK(nf_graph_get_stats(NULL, g, 0, &s));
    const double ratio = strtod(at + 6, NULL) / (factor * s.weight_mean / s.degree_mean);
    assert_true(ratio > 0.999 && ratio < 1.001);
}

/* Eight times the paper's delta, and rounds out of step, where frontiers stay small; not where they grow by a factor,
 * though lists are as short. Targets end levels that are in step; knobs are the engine's; and records take room. */
static void spread_decides(void **state)
{
    nf_graph *plane = grid_of(40, 40), *random = generate("uniform", 12, 2, 3), *few = grid_of(5, 5);
    nf_graph_stats s = {.size = sizeof s};
    (void)state;
    const choice p = choose(plane, false, PLAIN("auto", TREE)), r = choose(random, false, PLAIN("auto", TREE)),
                 f = choose(few, false, PLAIN("auto", TREE));
    assert_string_equal(p.algorithm, "mesh");
    assert_string_equal(r.algorithm, "near-far");
    assert_string_equal(choose(plane, false, HOW("auto", TREE, "delta=5")).algorithm, "near-far");
    assert_non_null(strstr(p.reason, ", 64 vertices within "));
    assert_non_null(strstr(f.reason, ", fewer than 1024 vertices around it"));
    expect_delta(&p, plane, 256); /* records that L2 holds */
    expect_delta(&r, random, 32);
    expect_delta(&f, few, 256);
    OK(nf_graph_get_stats(NULL, random, 0, &s));
    assert_true(s.degree_max <= 64 && s.degree_mean <= 8);
    assert_string_equal(choose(plane, true, PLAIN("auto", TREE)).algorithm, "mesh");
    assert_string_equal(choose(plane, true, HOW("auto", TREE, "loop=persistent")).algorithm, "top-down");
    assert_string_equal(choose(random, true, PLAIN("auto", TREE)).algorithm, "direction-optimizing");
    nf_graph_free(plane);
    nf_graph_free(random);
    nf_graph_free(few);
}

/* Where frontiers stay small and lists are longer than a record: buckets without a barrier if they are uneven, and
 * levels in step; out of step over records if none has more than two. */
static void longer_lists_take_buckets(void **state)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL, *even = NULL;
    (void)state;
    OK(nf_generate_defaults("delaunay", &o));
    o.n = 3000, o.seed = 7, o.weight_min = 1, o.weight_max = 9;
    OK(nf_generate(NULL, &o, &g));
    OK(nf_generate_defaults("grid3d", &o));
    o.rows = o.cols = o.depth = 14, o.seed = 7, o.weight_min = 1, o.weight_max = 9;
    OK(nf_generate(NULL, &o, &even));
    assert_string_equal(choose(even, false, PLAIN("auto", TREE)).algorithm, "mesh");
    assert_string_equal(choose(even, true, PLAIN("auto", TREE)).algorithm, "mesh");
    nf_graph_free(even);
    const choice c = choose(g, false, PLAIN("auto", TREE));
    assert_string_equal(c.algorithm, "async");
    assert_non_null(strstr(c.reason, "buckets without a barrier"));
    assert_string_equal(choose(g, false, HOW("auto", TREE, "delta=5")).algorithm, "near-far");
    assert_string_equal(choose(g, true, PLAIN("auto", TREE)).algorithm, "top-down");
    nf_graph_free(g);
}

/* Half of it where lists are long. */
static void long_lists_are_looked_at_once(void **state)
{
    nf_graph *g = falling(600);
    (void)state;
    const choice c = choose(g, false, PLAIN("auto", TREE));
    expect_delta(&c, g, 16);
    nf_graph_free(g);
}

/* So many layers of `width` vertices, each with `copies` arcs to every one of the next. */
static nf_graph *strand(nf_vid width, nf_vid layers, nf_vid copies)
{
    const nf_vid n = width * layers, m = (n - width) * width * copies;
    const arc_list a = arcs_make(m);
    for (nf_vid i = 0; i < m; i++) {
        a.src[i] = i / (width * copies);
        a.dst[i] = (a.src[i] / width + 1) * width + i / copies % width;
        a.w[i] = i == 0 ? 6 : 5;
    }
    return graph_from(n, m, a, 0);
}

/* A chain of light arcs, and beside it from every vertex `arcs` heavy ones to those after the next. */
static nf_graph *chain_under(nf_vid n, nf_vid arcs)
{
    const arc_list a = arcs_make((size_t)n * (arcs + 1));
    nf_eid m = 0;
    for (nf_vid u = 0; u + 1 < n; u++)
        for (nf_vid k = 0; k <= arcs && u + 1 + k < n; k++, m++)
            a.src[m] = u, a.dst[m] = u + 1 + k, a.w[m] = k == 0 ? 1 : (int32_t)(2 * (k + 1));
    return graph_from(n, m, a, 0);
}

/* Rounds are dear where lists are long: those that settle few vertices are left for one block, for that row and
 * those after it; those that settle many go on. */
static void rounds_that_settle_few_are_left(void **state)
{
    nf_graph *thin = falling(600), *thick = strand(24, 130, 11), *shorter = chain_under(600, 140),
             *short_ones = chain_under(600, 40);
    const nf_vid sources[] = {0, 7, 300};
    (void)state;
    assert_int_equal(choose(shorter, false, PLAIN("auto", TREE)).chains, 1);
    assert_int_equal(choose(short_ones, false, PLAIN("auto", TREE)).chains, 0);
    nf_graph_free(shorter), nf_graph_free(short_ones);
    const choice few = choose(thin, false, PLAIN("auto", TREE)), many = choose(thick, false, PLAIN("auto", TREE));
    assert_string_equal(few.algorithm, "near-far");
    assert_non_null(strstr(few.reason, "one block or cluster if rounds settle few"));
    assert_non_null(strstr(many.reason, "one block or cluster if rounds settle few"));
    assert_true(few.chains == 1 && many.chains == 0);
    assert_int_equal(choose_for_rows(thin, sources, COUNT(sources)).chains, 1);
    assert_null(strstr(choose(thin, false, HOW("auto", TREE, "delta=5")).reason, "cluster"));
    nf_graph_free(thin);
    nf_graph_free(thick);
}

/* A hub of `arms` arms, and behind the last of them a path of `length`; weights fall along it. */
static nf_graph *kite(nf_vid arms, nf_vid length)
{
    const nf_vid m = arms + length;
    const arc_list a = arcs_make(m);
    for (nf_vid i = 0; i < m; i++)
        a.src[i] = i < arms ? 0 : i, a.dst[i] = i + 1, a.w[i] = (int32_t)(1 + i % 3);
    return graph_from(m + 1, m, a, NF_BUILD_UNDIRECTED);
}

/* Hubs in small graphs: all arcs in every round; if these do not end soon, what is near first, for that row and those
 * after it. */
static void hubs_take_all_arcs(void **state)
{
    nf_graph *star = kite(700, 3), *tail = kite(700, 90);
    const nf_vid sources[] = {0, 5, 701, 790};
    (void)state;
    const choice s = choose(star, false, PLAIN("auto", TREE)), t = choose(tail, false, PLAIN("auto", TREE));
    assert_string_equal(s.algorithm, "bellman-ford-edge");
    assert_non_null(strstr(s.reason, "all of them in each of few rounds"));
    assert_true(s.tired == 0 && t.tired == 1);
    assert_int_equal(choose_for_rows(tail, sources, COUNT(sources)).tired, 1);
    assert_string_equal(choose(star, false, HOW("auto", TREE, "delta=5")).algorithm, "near-far"); /* as it is asked */
    nf_graph_free(star);
    nf_graph_free(tail);
}

/* Beyond the graph, the forms of it that are kept included, and the outputs: 32 bytes a vertex and 8 an arc, where
 * there are two arcs a vertex or more, are enough for what it takes. */
static void memory_keeps_to_the_bar(void **state)
{
    const struct {
        nf_graph *g;
        const char *method;
        double kept;  /* bytes a vertex: records of four arcs; sources of arcs */
        double slack; /* trace, state and alignment; what async gives out */
    } cases[] = {{grid_of(200, 200), "mesh", 32, 192 << 10},
                 {strand(2, 20000, 1), "mesh", 32, 192 << 10}, /* two arcs a vertex */
                 {generate("uniform", 15, 8, 3), "near-far", 0, 192 << 10},
                 {generate("delaunay", 14, 1, 3), "async", 0, 1216 << 10},
                 {star_of(40000), "bellman-ford-edge", 8, 192 << 10}};
    static const uint32_t flags[] = {0, NF_RUN_PARENTS};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        nf_graph *g = cases[i].g;
        const double n = nf_graph_n(g), m = (double)nf_graph_m(g), bar = 32 * n + 8 * m;
        const double graph = 4 * (n + 1) + 8 * m + cases[i].kept * n;
        for (int k = 0; k < 2; k++) {
            const double limit = graph + (k == 0 ? 8 : 12) * n + bar + cases[i].slack;
            assert_string_equal(choose(g, false, PLAIN("auto", flags[k])).algorithm, cases[i].method);
            OK(run_within(g, false, PLAIN(cases[i].method, flags[k]), limit));
        }
        nf_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_decides),
        cmocka_unit_test(longer_lists_take_buckets),
        cmocka_unit_test(long_lists_are_looked_at_once),
        cmocka_unit_test(memory_keeps_to_the_bar),
        cmocka_unit_test(rounds_that_settle_few_are_left),
        cmocka_unit_test(hubs_take_all_arcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
