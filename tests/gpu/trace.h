/* trace.h - contexts on the emulator with chosen settings, small graphs, and the numbers a run leaves in the log. */
#ifndef NF_TESTS_GPU_TRACE_H
#define NF_TESTS_GPU_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nearfar.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A call that must succeed, with the library's own words when it does not. */
#define OK(call)                                                                       \
    do {                                                                               \
        const nf_status ok_status = (call);                                            \
        if (ok_status != NF_OK)                                                        \
            fail_msg("%s: %s: %s", #call, nf_status_name(ok_status), nf_last_error()); \
    } while (0)

#define MOST_ROUNDS 512

/* What the log said of the latest run. */
typedef struct told {
    unsigned rounds, frontier[MOST_ROUNDS], duplicates[MOST_ROUNDS];
    unsigned long long arcs[MOST_ROUNDS];
    char mapping[MOST_ROUNDS][32], scope[MOST_ROUNDS][16];
    unsigned long long all_arcs, all_duplicates, tested, conflicts, missed, sinks, children;
    unsigned spills, pauses, least, most, splits;
    bool totals;
} told;

static inline void hear(void *user, nf_log_level level, const char *text)
{
    told *t = user;
    unsigned round = 0, frontier = 0, duplicates = 0;
    unsigned long long arcs = 0;
    char mapping[32] = "", scope[16] = "";
    const char *totals = strstr(text, " totals: ");
    if (level != NF_LOG_DEBUG)
        return;
    const char *line = strstr(text, " round ");
    if (line != NULL
        && sscanf(line, " round %u: frontier %u, arcs %llu, duplicates %u, mapping %31[^,], scope %15s", &round,
                  &frontier, &arcs, &duplicates, mapping, scope)
               == 6
        && t->rounds < MOST_ROUNDS) {
        t->frontier[t->rounds] = frontier, t->duplicates[t->rounds] = duplicates, t->arcs[t->rounds] = arcs;
        memcpy(t->mapping[t->rounds], mapping, sizeof mapping);
        memcpy(t->scope[t->rounds], scope, sizeof scope);
        t->rounds++;
    }
    if (totals != NULL) {
        t->totals = sscanf(totals,
                           " totals: rounds %*u, arcs %llu, duplicates %llu, tested %llu, conflicts %llu, missed %llu, "
                           "sinks %llu, children %llu, spills %u, pauses %u, chunks %u to %u, splits %u",
                           &t->all_arcs, &t->all_duplicates, &t->tested, &t->conflicts, &t->missed, &t->sinks,
                           &t->children, &t->spills, &t->pauses, &t->least, &t->most, &t->splits)
                    == 12;
    }
}

/* settings: of the emulator; t NULL: nobody listens. */
static inline nf_context *emulator(const char *settings, told *t)
{
    nf_context *ctx = NULL;
    const nf_context_options o = {.size = sizeof o,
                                  .device = "emulator",
                                  .log = t != NULL ? hear : NULL,
                                  .log_user = t};
    assert_int_equal(setenv("NEARFAR_EMULATOR", settings, 1), 0);
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

static inline nf_graph *generate(const char *kind, uint32_t scale, double factor, uint64_t seed)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults(kind, &o));
    o.n = 0, o.scale = scale, o.edge_factor = factor, o.seed = seed, o.weight_min = 1, o.weight_max = 255;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

static inline nf_graph *grid_of(uint32_t rows, uint32_t cols)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("grid2d", &o));
    o.rows = rows, o.cols = cols, o.seed = 7, o.weight_min = 1, o.weight_max = 9;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

/* A star of `arms`, its hub vertex 0, undirected; with 64-bit offsets if asked for. */
static inline nf_graph *star_of(nf_vid arms)
{
    nf_vid *src = malloc(arms * sizeof *src), *dst = malloc(arms * sizeof *dst);
    int32_t *w = malloc(arms * sizeof *w);
    nf_graph *g = NULL;
    assert_true(src != NULL && dst != NULL && w != NULL);
    for (nf_vid i = 0; i < arms; i++)
        src[i] = 0, dst[i] = i + 1, w[i] = (int32_t)(i % 17);
    const nf_coo coo = {.n = arms + 1, .m = arms, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    const nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    free(src);
    free(dst);
    free(w);
    return g;
}

/* A tree from vertex 0: `fan` children each, `depth` levels of them, a tail of so many vertices behind one of the last;
 * undirected, every arc of weight 1. */
static inline nf_graph *tree_of(nf_vid fan, nf_vid depth, nf_vid tail)
{
    nf_vid level = 1, n = 1;
    for (nf_vid i = 0; i < depth; i++)
        level *= fan, n += level;
    const nf_vid m = n - 1 + tail;
    nf_vid *src = malloc(m * sizeof *src), *dst = malloc(m * sizeof *dst);
    int32_t *w = malloc(m * sizeof *w);
    nf_graph *g = NULL;
    assert_true(src != NULL && dst != NULL && w != NULL);
    for (nf_vid i = 0; i < m; i++)
        src[i] = i + 1 < n ? i / fan : i, dst[i] = i + 1, w[i] = 1;
    const nf_coo coo = {.n = m + 1, .m = m, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    const nf_build_options o = {.size = sizeof o, .flags = NF_BUILD_UNDIRECTED};
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    free(src);
    free(dst);
    free(w);
    return g;
}

/* Every arc from lower to higher numbers of a complete graph, the longer the dearer per step: labels fall often. */
static inline nf_graph *falling(nf_vid n)
{
    const size_t m = (size_t)n * (n - 1) / 2;
    nf_vid *src = malloc(m * sizeof *src), *dst = malloc(m * sizeof *dst);
    int32_t *w = malloc(m * sizeof *w);
    nf_graph *g = NULL;
    size_t e = 0;
    assert_true(src != NULL && dst != NULL && w != NULL);
    for (nf_vid u = 0; u < n; u++)
        for (nf_vid v = u + 1; v < n; v++, e++)
            src[e] = u, dst[e] = v, w[e] = v == u + 1 ? 1 : (int32_t)(2 * (v - u));
    const nf_coo coo = {.n = n, .m = m, .src = src, .dst = dst, .weight_type = NF_I32, .weights = w};
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    free(src);
    free(dst);
    free(w);
    return g;
}

/* By the methods that are one step of the frontier engine and nothing else. */
static inline nf_result *run_on(nf_context *ctx, const nf_graph *g, bool bfs, nf_vid source, uint32_t flags,
                                const char *const *knobs, size_t count)
{
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = bfs ? "top-down" : "workfront",
                              .flags = flags,
                              .knobs = knobs,
                              .knob_count = count};
    OK(bfs ? nf_bfs(ctx, g, source, &o, &r) : nf_sssp(ctx, g, source, &o, &r));
    return r;
}

static inline nf_context *open_cpu(void)
{
    const nf_context_options o = {.size = sizeof o, .device = "cpu"};
    nf_context *ctx = NULL;
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

/* Parents are vertices of the level before with an arc to their child. */
static inline void check_tree(const nf_graph *g, const int32_t *hops, const nf_vid *parents)
{
    for (nf_vid v = 0; v < nf_graph_n(g); v++) {
        nf_eid first = 0, arcs = 0;
        if (hops[v] <= 0) {
            assert_int_equal(parents[v], hops[v] == 0 ? v : NF_NO_VERTEX);
            continue;
        }
        assert_int_equal(hops[parents[v]], hops[v] - 1);
        OK(nf_graph_find_edge(NULL, g, parents[v], v, &first, &arcs));
        assert_true(arcs > 0);
    }
}

#endif
