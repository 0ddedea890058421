/* trace.h - what the tests of methods on the emulator share: contexts with chosen settings, small graphs, runs held
 * against the CPU's or within so much memory, and the numbers a run leaves in the log. */
#ifndef NF_TESTS_GPU_TRACE_H
#define NF_TESTS_GPU_TRACE_H

#include "../unit/must.h"

#define MOST_ROUNDS 512

/* What the log said of the latest run. */
typedef struct told {
    unsigned rounds, frontier[MOST_ROUNDS], duplicates[MOST_ROUNDS];
    unsigned long long arcs[MOST_ROUNDS];
    char mapping[MOST_ROUNDS][32], scope[MOST_ROUNDS][16];
    unsigned long long all_arcs, all_duplicates, tested, conflicts, missed, sinks, children;
    unsigned spills, pauses, least, most, splits, gathers, switches, returns;
    unsigned piles; /* rounds that told of one */
    unsigned long long heavy;
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
        && sscanf(line, " round %u: frontier %u, arcs %llu, duplicates %u, mapping %31[^,], scope %15[^,]", &round,
                  &frontier, &arcs, &duplicates, mapping, scope)
               == 6
        && t->rounds < MOST_ROUNDS) {
        t->frontier[t->rounds] = frontier, t->duplicates[t->rounds] = duplicates, t->arcs[t->rounds] = arcs;
        memcpy(t->mapping[t->rounds], mapping, sizeof mapping);
        memcpy(t->scope[t->rounds], scope, sizeof scope);
        t->rounds++;
        t->piles += strstr(line, ", pile ") != NULL;
    }
    if (totals != NULL) {
        t->totals = sscanf(totals,
                           " totals: rounds %*u, arcs %llu, duplicates %llu, tested %llu, conflicts %llu, missed %llu, "
                           "sinks %llu, children %llu, spills %u, pauses %u, chunks %u to %u, splits %u, gathers %u, "
                           "heavy %llu, switches %u, returns %u",
                           &t->all_arcs, &t->all_duplicates, &t->tested, &t->conflicts, &t->missed, &t->sinks,
                           &t->children, &t->spills, &t->pauses, &t->least, &t->most, &t->splits, &t->gathers,
                           &t->heavy, &t->switches, &t->returns)
                    == 16;
    }
}

/* A number of a line by the name before it. */
static inline unsigned long long number_in(const char *line, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, " %s ", name);
    const char *at = strstr(line, key);
    if (at == NULL)
        fail_msg("no '%s' in '%s'", name, line);
    return strtoull(at + strlen(key), NULL, 10);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* settings: of the emulator; bytes: how much it has, 0: enough; log NULL: nobody listens. */
static inline nf_context *open_device(const char *device, const char *settings, double limit, nf_log_fn log, void *user)
{
    nf_context *ctx = NULL;
    const nf_context_options o = {
        .size = sizeof o, .device = device, .memory_limit = (uint64_t)limit, .log = log, .log_user = user};
    assert_int_equal(setenv("NEARFAR_EMULATOR", settings, 1), 0);
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

/* t NULL: nobody listens. */
static inline nf_context *emulator(const char *settings, told *t)
{
    return open_device("emulator", settings, 0, t != NULL ? hear : NULL, t);
}

static inline nf_context *open_cpu(void)
{
    const nf_context_options o = {.size = sizeof o, .device = "cpu"};
    nf_context *ctx = NULL;
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

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

/* w NULL: no weights; flags: NF_BUILD_... */
static inline nf_graph *graph_of(nf_vid n, nf_eid m, const nf_vid *src, const nf_vid *dst, const int32_t *w,
                                 uint32_t flags)
{
    const nf_coo coo = {.n = n, .m = m, .src = src, .dst = dst, .weight_type = w ? NF_I32 : NF_NONE, .weights = w};
    const nf_build_options o = {.size = sizeof o, .flags = flags};
    nf_graph *g = NULL;
    OK(nf_graph_from_coo(NULL, &coo, &o, &g));
    return g;
}

/* Arcs to be filled in. */
typedef struct arc_list {
    nf_vid *src, *dst;
    int32_t *w;
} arc_list;

static inline arc_list arcs_make(size_t m)
{
    const arc_list a = {malloc(m * sizeof *a.src), malloc(m * sizeof *a.dst), malloc(m * sizeof *a.w)};
    assert_true(a.src != NULL && a.dst != NULL && a.w != NULL);
    return a;
}

/* The graph of these arcs, which it frees. */
static inline nf_graph *graph_from(nf_vid n, nf_eid m, arc_list a, uint32_t flags)
{
    nf_graph *g = graph_of(n, m, a.src, a.dst, a.w, flags);
    free(a.src);
    free(a.dst);
    free(a.w);
    return g;
}

/* A star of `arms`, its hub vertex 0, undirected. */
static inline nf_graph *star_of(nf_vid arms)
{
    const arc_list a = arcs_make(arms);
    for (nf_vid i = 0; i < arms; i++)
        a.src[i] = 0, a.dst[i] = i + 1, a.w[i] = (int32_t)(i % 17);
    return graph_from(arms + 1, arms, a, NF_BUILD_UNDIRECTED);
}

/* A tree from vertex 0: `fan` children each, `depth` levels of them, a tail of so many vertices behind one of the last;
 * undirected, every arc of weight 1. */
static inline nf_graph *tree_of(nf_vid fan, nf_vid depth, nf_vid tail)
{
    nf_vid level = 1, n = 1;
    for (nf_vid i = 0; i < depth; i++)
        level *= fan, n += level;
    const nf_vid m = n - 1 + tail;
    const arc_list a = arcs_make(m);
    for (nf_vid i = 0; i < m; i++)
        a.src[i] = i + 1 < n ? i / fan : i, a.dst[i] = i + 1, a.w[i] = 1;
    return graph_from(m + 1, m, a, NF_BUILD_UNDIRECTED);
}

/* Every arc from lower to higher numbers of a complete graph, the longer the dearer per step: labels fall often. */
static inline nf_graph *falling(nf_vid n)
{
    const size_t m = (size_t)n * (n - 1) / 2;
    const arc_list a = arcs_make(m);
    size_t e = 0;
    for (nf_vid u = 0; u < n; u++)
        for (nf_vid v = u + 1; v < n; v++, e++)
            a.src[e] = u, a.dst[e] = v, a.w[e] = v == u + 1 ? 1 : (int32_t)(2 * (v - u));
    return graph_from(n, m, a, 0);
}

/* `n` vertices, a path of `length` arcs, at most 40, through the first of them, of weights 1, 2, ... if it has any. */
static inline nf_graph *sparse_of(nf_vid n, nf_vid length, bool weighted, uint32_t flags)
{
    nf_vid at[41];
    int32_t w[40];
    assert_true(length < COUNT(at) && length < n);
    at[0] = 0;
    for (nf_vid i = 0; i < length; i++)
        at[i + 1] = i + 1, w[i] = (int32_t)i + 1;
    return graph_of(n, length, at, at + 1, weighted ? w : NULL, flags);
}

/* DROPPED vertices at 1000 by an arc from 0, and at 2 by way of 1; from each an arc of 2000 to one more, and from that
 * one to 0: of these DROPPED_ARCS. */
enum { DROPPED = 40, DROPPED_ARCS = 3 * DROPPED + 2 };
static inline nf_graph *reached_sooner(void)
{
    const arc_list a = arcs_make(DROPPED_ARCS);
    size_t m = 0;
    a.src[m] = 0, a.dst[m] = 1, a.w[m++] = 1;
    for (nf_vid v = 2; v < DROPPED + 2; v++) {
        a.src[m] = 0, a.dst[m] = v, a.w[m++] = 1000;
        a.src[m] = 1, a.dst[m] = v, a.w[m++] = 1;
        a.src[m] = v, a.dst[m] = DROPPED + 2, a.w[m++] = 2000;
    }
    a.src[m] = DROPPED + 2, a.dst[m] = 0, a.w[m++] = 1;
    return graph_from(DROPPED + 3, m, a, 0);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Options of a run: a method, flags, and knobs where there are any. */
#define PLAIN(name, with) \
    (&(const nf_run_options){.size = sizeof(nf_run_options), .algorithm = (name), .flags = (with)})
#define HOW(name, with, ...)                                              \
    (&(const nf_run_options){.size = sizeof(nf_run_options),              \
                             .algorithm = (name),                         \
                             .flags = (with),                             \
                             .knobs = (const char *const[]){__VA_ARGS__}, \
                             .knob_count = COUNT(((const char *const[]){__VA_ARGS__}))})
#define TREE (NF_RUN_PARENTS | NF_RUN_DETERMINISTIC)

/* From vertex 0. */
static inline nf_result *run_by(nf_context *ctx, const nf_graph *g, bool bfs, const nf_run_options *how)
{
    nf_result *r = NULL;
    const nf_status st = bfs ? nf_bfs(ctx, g, 0, how, &r) : nf_sssp(ctx, g, 0, how, &r);
    if (st != NF_OK)
        fail_msg("%s: %s: %s", how->algorithm != NULL ? how->algorithm : "auto", nf_status_name(st), nf_last_error());
    return r;
}

/* By the methods that are one step of the frontier engine and nothing else. */
static inline nf_result *run_on(nf_context *ctx, const nf_graph *g, bool bfs, uint32_t flags, const char *const *knobs,
                                size_t count)
{
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = bfs ? "top-down" : "workfront",
                              .flags = flags,
                              .knobs = knobs,
                              .knob_count = count};
    return run_by(ctx, g, bfs, &o);
}

/* The CPU's answer, by a method that takes negative weights too. */
static inline nf_result *run_on_cpu(const nf_graph *g, bool bfs, uint32_t flags)
{
    nf_context *cpu = open_cpu();
    nf_result *r = run_by(cpu, g, bfs, PLAIN(bfs ? "serial" : NULL, flags));
    nf_context_free(cpu);
    return r;
}

/* Hops or distances are the same, and deterministic parents if these are asked for; 64-bit distances. */
static inline void expect_same(const nf_graph *g, const nf_result *r, const nf_result *want, bool bfs, uint32_t flags)
{
    const size_t n = nf_graph_n(g);
    nf_run_info info = {.size = sizeof info};
    OK(nf_result_info(r, &info));
    const bool same = bfs ? memcmp(nf_result_hops(r, 0), nf_result_hops(want, 0), n * sizeof(int32_t)) == 0
                          : memcmp(nf_result_distances(r, 0), nf_result_distances(want, 0), n * sizeof(int64_t)) == 0;
    if (!same
        || ((flags & NF_RUN_DETERMINISTIC) != 0
            && memcmp(nf_result_parents(r, 0), nf_result_parents(want, 0), n * sizeof(nf_vid)) != 0))
        fail_msg("%s under \"%s\": %s differ", info.algorithm, getenv("NEARFAR_EMULATOR"),
                 same ? "parents" : "distances");
}

static inline void expect_cpus(const nf_graph *g, const nf_result *r, bool bfs, uint32_t flags)
{
    nf_result *want = run_on_cpu(g, bfs, flags);
    expect_same(g, r, want, bfs, flags);
    nf_result_free(want);
}

/* A run for shortest paths on the emulator and what it told; distances and parents are those of the CPU. */
static inline told run_told(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    static told t;
    nf_context *ctx = emulator(settings, memset(&t, 0, sizeof t));
    nf_result *r = run_by(ctx, g, false, how);
    expect_cpus(g, r, false, how->flags);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(t.totals);
    return t;
}

/* What a run ends with on a device of so many bytes. */
static inline nf_status run_within(const nf_graph *g, bool bfs, const nf_run_options *how, double limit)
{
    nf_context *ctx = open_device("emulator", "", limit, NULL, NULL);
    nf_result *r = NULL;
    const nf_status st = bfs ? nf_bfs(ctx, g, 0, how, &r) : nf_sssp(ctx, g, 0, how, &r);
    nf_result_free(r);
    nf_context_free(ctx);
    return st;
}

/* The least that a run takes by weights takes on the device, to 64 bytes. */
static inline double least_bytes(const nf_graph *g, const nf_run_options *how)
{
    double low = 1 << 16, high = 1 << 24;
    OK(run_within(g, false, how, high));
    while (high - low > 64) {
        const double middle = (double)(uint64_t)((low + high) / 2);
        const nf_status st = run_within(g, false, how, middle);
        assert_true(st == NF_OK || st == NF_EDEVMEM);
        low = st == NF_OK ? low : middle;
        high = st == NF_OK ? middle : high;
    }
    return high;
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

/* Parents of a row lead back to its source u over arcs that are tight. */
static inline void expect_tree(const nf_graph *g, const nf_result *r, uint64_t row, nf_vid u)
{
    const nf_vid n = nf_graph_n(g);
    const int64_t *d = nf_result_distances(r, row);
    const nf_vid *p = nf_result_parents(r, row);
    nf_csr c = {.n = 0};
    OK(nf_graph_view(NULL, g, &c));
    for (nf_vid v = 0; v < n; v++) {
        if (d[v] == NF_UNREACHED_I64 || v == u) {
            assert_int_equal(p[v], v == u ? u : NF_NO_VERTEX);
            continue;
        }
        int64_t least = INT64_MAX;
        assert_true(p[v] < n);
        for (nf_eid e = c.off32[p[v]]; e < c.off32[p[v] + 1]; e++)
            if (c.adj[e] == v && ((const int32_t *)c.weights)[e] < least)
                least = ((const int32_t *)c.weights)[e];
        assert_true(least != INT64_MAX && d[p[v]] + least == d[v]);
        nf_vid x = v, steps = 0;
        while (x != u && steps++ < n)
            x = p[x];
        assert_int_equal(x, u);
    }
}

/* All pairs: a tree in every row. */
static inline void expect_trees(const nf_graph *g, const nf_result *r)
{
    for (nf_vid u = 0; u < nf_graph_n(g); u++)
        expect_tree(g, r, u, u);
}

/* A directed ring with chords from i to i * times + 3, every weight lowered by h(u) - h(v), h of `step` times the
 * number: no negative cycle. */
static inline nf_graph *lowered(nf_vid n, nf_vid times, int32_t step)
{
    const arc_list a = arcs_make((size_t)2 * n);
    for (nf_vid i = 0; i < 2 * n; i++) {
        a.src[i] = i / 2;
        a.dst[i] = i % 2 == 0 ? (i / 2 + 1) % n : (i / 2 * times + 3) % n;
        a.w[i] = (int32_t)(i % 5) + step * ((int32_t)(a.src[i] * 5 % n) - (int32_t)(a.dst[i] * 5 % n));
    }
    return graph_from(n, 2 * n, a, 0);
}

/* `parts` complete graphs of `each` vertices beside each other, every arc of weight 1: closed already. */
static inline nf_graph *cliques_of(nf_vid parts, nf_vid each)
{
    const arc_list a = arcs_make((size_t)parts * each * (each - 1));
    nf_eid m = 0;
    for (nf_vid u = 0; u < parts * each; u++)
        for (nf_vid v = u / each * each; v < (u / each + 1) * each; v++)
            if (u != v)
                a.src[m] = u, a.dst[m] = v, a.w[m] = 1, m++;
    return graph_from(parts * each, m, a, 0);
}

/* Arcs from lower to higher numbers, few of them and not far: most squares have no path, and others get theirs late. */
static inline nf_graph *ladder_of(nf_vid n, int32_t least)
{
    const arc_list a = arcs_make(2 * (size_t)n);
    nf_eid m = 0;
    for (nf_vid u = 0; u + 7 < n; u++) {
        if (u % 50 == 49) /* a gap */
            continue;
        a.src[m] = u, a.dst[m] = u + 1, a.w[m] = least + (int32_t)(u % 5), m++;
        a.src[m] = u, a.dst[m] = u + 7, a.w[m] = least * 7 + (int32_t)(u % 11), m++;
    }
    return graph_from(n, m, a, 0);
}

/* All pairs, held against the CPU's: integers and deterministic trees (`least`: all trees are) exactly, other trees
 * by their arcs, floats nearly. */
static inline void expect_all_pairs(nf_context *ctx, const nf_graph *g, const nf_run_options *how, bool least)
{
    const uint64_t n = nf_graph_n(g);
    const bool parents = (how->flags & NF_RUN_PARENTS) != 0;
    nf_run_options plain = {.size = sizeof plain, .algorithm = "johnson", .distance_type = how->distance_type};
    nf_run_info info = {.size = sizeof info};
    nf_context *cpu = open_cpu();
    nf_result *got = NULL, *want = NULL;
    plain.flags = parents ? NF_RUN_PARENTS | NF_RUN_DETERMINISTIC : 0;
    OK(nf_apsp(ctx, g, how, &got));
    OK(nf_apsp(cpu, g, &plain, &want));
    OK(nf_result_info(got, &info));
    if (info.type != NF_F32 && info.type != NF_F64)
        assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0), n * n * nf_type_size(info.type));
    for (uint64_t u = 0; (info.type == NF_F32 || info.type == NF_F64) && u < n; u++)
        for (nf_vid v = 0; v < n; v++) {
            const double d = nf_result_distance(got, u, v), e = nf_result_distance(want, u, v);
            if (!(d == e || (d - e < 1e-4 && e - d < 1e-4)))
                fail_msg("%s: from %u to %u: %g, not %g", how->algorithm, (unsigned)u, v, d, e);
        }
    if (parents && (least || (how->flags & NF_RUN_DETERMINISTIC) != 0))
        assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), n * n * sizeof(nf_vid));
    else if (parents && info.type == NF_I64)
        expect_trees(g, got);
    nf_result_free(got);
    nf_result_free(want);
    nf_context_free(cpu);
}

/* All pairs of a graph with a negative cycle of three vertices. */
static inline void expect_cycle(const nf_run_options *how)
{
    const nf_vid src[] = {0, 1, 2, 3, 4}, dst[] = {1, 2, 3, 1, 0};
    const int32_t w[] = {4, 2, -5, 2, 1};
    nf_graph *g = graph_of(6, 5, src, dst, w, 0);
    nf_context *ctx = emulator("seed=5", NULL);
    nf_result *r = NULL;
    uint64_t length = 0;
    assert_int_equal(nf_apsp(ctx, g, how, &r), NF_ENEGCYCLE);
    const nf_vid *cycle = nf_result_cycle(r, &length);
    assert_true(length == 3 && cycle != NULL);
    for (uint64_t i = 0; i < length; i++)
        assert_true(cycle[(i + 1) % 3] == cycle[i] % 3 + 1);
    nf_result_free(r);
    nf_graph_free(g);
    nf_context_free(ctx);
}

/* Distances on a skewed graph with weights of a type, from 1 to `most`, are those of the CPU's textbook method. */
static inline void expect_type(nf_context *ctx, nf_type type, double most, const nf_run_options *how)
{
    nf_context *cpu = open_cpu();
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("kronecker", &o));
    o.scale = 8, o.edge_factor = 16, o.seed = 3, o.weight_min = 1, o.weight_max = most, o.weight_type = type;
    OK(nf_generate(NULL, &o, &g));
    nf_result *r = run_by(ctx, g, false, how), *want = run_by(cpu, g, false, PLAIN("dijkstra", 0));
    for (nf_vid v = 0; v < nf_graph_n(g); v++)
        assert_true(nf_result_distance(r, 0, v) == nf_result_distance(want, 0, v));
    nf_result_free(r);
    nf_result_free(want);
    nf_graph_free(g);
    nf_context_free(cpu);
}

/* user: NULL, or a count of the calls. */
static inline bool stop_at_once(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    if (user != NULL)
        ++*(unsigned *)user;
    return true;
}

/* All pairs of a graph that takes long enough for a report of progress, which asks for the end. */
static inline void expect_cancelled(const nf_graph *g, const nf_run_options *how)
{
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .progress = stop_at_once};
    nf_context *ctx = NULL;
    nf_result *r = NULL;
    assert_int_equal(setenv("NEARFAR_EMULATOR", "", 1), 0);
    OK(nf_context_create(&o, &ctx));
    assert_int_equal(nf_apsp(ctx, g, how, &r), NF_ECANCELLED);
    assert_null(r);
    nf_context_free(ctx);
}

#endif
