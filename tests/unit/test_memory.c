/* test_memory.c - what every method of the CPU, but for all pairs, takes beyond graph and outputs, by a counting
 * allocator, against the formula its file states.
 *
 * The formulas stand here a second time, as code. A method that is listed without one fails. The graph's own bytes
 * include its transpose and its sorted list, which are made beforehand where a method keeps them; outputs go to buffers
 * of the test's own.
 */
#include <stdatomic.h>

#include "unit.h"

/* ---- the allocator ----------------------------------------------------------------------------------------------- */

typedef struct counter {
    atomic_llong live, peak;
} counter;

#define HEAD 64 /* keeps the alignment of malloc */

static void *count_alloc(void *user, size_t bytes)
{
    counter *c = user;
    char *block = malloc(bytes + HEAD);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    const long long now = atomic_fetch_add(&c->live, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&c->peak);
    while (now > peak && !atomic_compare_exchange_weak(&c->peak, &peak, now))
        ;
    return block + HEAD;
}

static void count_free(void *user, void *block)
{
    counter *c = user;
    size_t bytes = 0;
    memcpy(&bytes, (char *)block - HEAD, sizeof bytes);
    atomic_fetch_sub(&c->live, (long long)bytes);
    free((char *)block - HEAD);
}

/* ---- the formulas ------------------------------------------------------------------------------------------------ */

typedef struct size {
    double n, m, threads;
    bool deterministic;
    bool negative;
} size;

/* What any run takes: the result without arrays, blocks' heads, small structs. */
#define ANY_RUN 8192.0
#define ROW_FACTS 160.0 /* all pairs: what a result says of each row, which is output */

/* The terms of a formula. */
typedef struct formula {
    const char *problem, *name;
    double per_vertex, if_deterministic, per_thread, constant, per_arc, per_thread_vertex;
    bool grows; /* a pool that doubles when more than 2 n vertices wait: the old and the new one are held together */
} formula;

static const formula formulas[] = {
    {"bfs", "serial", 4, 0, 0, 0, 0, 0, false},
    {"bfs", "top-down", 4, 0, 0, 0, 0, 0, false},
    {"bfs", "direction-optimizing", 8.25, 0, 0, 0, 0, 0, false},
    {"bfs", "bit-parallel", 8.25, 0, 0, 0, 0, 0, false}, /* one source: as direction-optimizing */
    {"bfs", "edge", 0, 0, 0, 0, 0, 0, false},
    {"bfs", "matrix", 0.25, 0, 0, 0, 0, 0, false},
    {"sssp", "dijkstra", 8, 8, 0, 0, 0, 0, false},
    {"sssp", "bellman-ford", 12, 8, 0, 0, 0, 0, false},
    {"sssp", "bellman-ford-frontier", 24, 8, 0, 0, 0, 0, false},
    {"sssp", "dijkstra-4ary", 16, 8, 0, 0, 0, 0, false},
    {"sssp", "dijkstra-radix", 8.3, 8, 0, 100000, 0, 0, true},
    {"sssp", "dijkstra-buckets", 8.3, 8, 0, 150000, 0, 0, true},
    {"sssp", "bucket-heap", 185, 8, 0, 0, 0, 0, false},
    {"sssp", "workfront", 12, 8, 0, 0, 0, 0, false},
    {"sssp", "delta-stepping", 8.4, 8, 65000, 0, 0, 0, true},
    {"sssp", "near-far", 8.4, 8, 61000, 0, 0, 0, true},
    {"path", "one-way", 24 + 2 * 26, 0, 0, 300000, 0, 0, false},
    {"path", "bidirectional", 24 + 2 * 26, 0, 0, 300000, 0, 0, false},
    {"path", "one-way-bfs", 1 + 2 * 16, 0, 0, 0, 0, 0, false},
    {"path", "bidirectional-bfs", 1 + 2 * 16, 0, 0, 0, 0, 0, false},
};

static const formula *formula_of(const nf_algorithm_info *a)
{
    for (size_t i = 0; i < COUNT(formulas); i++)
        if (strcmp(formulas[i].name, a->name) == 0 && strcmp(formulas[i].problem, nf_problem_name(a->problem)) == 0)
            return &formulas[i];
    fail_msg("%s %s has no formula for its memory", nf_problem_name(a->problem), a->name);
    return NULL;
}

static double bytes_of(const formula *f, const size *s)
{
    double bytes = ANY_RUN + (f->per_vertex + (s->deterministic ? f->if_deterministic : 0)) * s->n
                   + (f->per_thread + f->per_thread_vertex * s->n) * s->threads + f->constant + f->per_arc * s->m;
    if (f->grows)
        bytes += 2 * (f->per_vertex * s->n + f->per_thread * s->threads);
    if (strcmp(f->problem, "apsp") == 0)
        bytes += ROW_FACTS * s->n;
    if (strcmp(f->name, "floyd-warshall") == 0)
        bytes += 8 * s->n * s->n;
    return bytes;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static const unsigned largest[] = {12, 12, 12, 12, 12, 12};
static const char *const kinds[] = {"kronecker", "grid2d", "uniform", "delaunay", "star", "path"};

typedef struct bench {
    counter counter;
    nf_context *ctx;
    nf_graph *graph;
    void *distances;
    nf_vid *parents;
    int threads;
} bench;

static void open_bench(bench *b, const char *kind, nf_vid n, int threads)
{
    nf_generate_options o = {.size = sizeof o};
    nf_csr csr;
    nf_coo coo;
    memset(b, 0, sizeof *b);
    b->threads = threads;
    const nf_context_options c = {.size = sizeof c,
                                  .device = "cpu",
                                  .threads = threads,
                                  .memory_limit = UINT64_C(1) << 40, /* so that nothing is kept from call to call */
                                  .allocator = {count_alloc, count_free, &b->counter}};
    OK(nf_context_create(&c, &b->ctx));
    OK(nf_generate_defaults(kind, &o));
    o.n = n;
    o.weight_min = 1;
    o.weight_max = 255;
    o.weight_type = NF_I32;
    o.directed = strcmp(kind, "uniform") == 0;
    OK(nf_generate(b->ctx, &o, &b->graph));
    OK(nf_graph_transpose_view(b->ctx, b->graph, &csr));
    OK(nf_graph_coo_view(b->ctx, b->graph, &coo));
    b->distances = malloc((size_t)n * n <= 1 << 20 ? (size_t)n * n * 8 : (size_t)n * 8);
    b->parents = malloc((size_t)n * sizeof(nf_vid));
    assert_true(b->distances != NULL && b->parents != NULL);
}

static void close_bench(bench *b)
{
    nf_graph_free(b->graph);
    nf_context_free(b->ctx);
    assert_true(atomic_load(&b->counter.live) == 0);
    free(b->distances);
    free(b->parents);
}

/* The most bytes that the run held beyond what there was before. */
static double measure(bench *b, const nf_algorithm_info *a, bool deterministic)
{
    nf_result *r = NULL;
    nf_path *p = NULL;
    nf_run_options o = {.size = sizeof o, .algorithm = a->name, .distances = b->distances};
    if (deterministic)
        o.flags = NF_RUN_DETERMINISTIC, o.parents = b->parents;
    const long long before = atomic_load(&b->counter.live);
    atomic_store(&b->counter.peak, before);
    if (a->problem == NF_PATH) {
        o.distances = NULL;
        o.flags = (a->flags & NF_ALG_HOPS) != 0 ? NF_RUN_HOPS : 0;
        OK(nf_path_between(b->ctx, b->graph, 0, nf_graph_n(b->graph) - 1, &o, &p));
    } else if (a->problem == NF_APSP)
        OK(nf_apsp(b->ctx, b->graph, &o, &r));
    else
        OK((a->problem == NF_BFS ? nf_bfs : nf_sssp)(b->ctx, b->graph, 0, &o, &r));
    nf_result_free(r);
    nf_path_free(p);
    return (double)(atomic_load(&b->counter.peak) - before);
}

static void check(bench *b, const nf_algorithm_info *a, const char *kind, bool deterministic)
{
    const size s = {.n = nf_graph_n(b->graph),
                    .m = (double)nf_graph_m(b->graph),
                    .threads = b->threads,
                    .deterministic = deterministic};
    const double got = measure(b, a, deterministic), most = bytes_of(formula_of(a), &s);
    if (getenv("NF_SHOW_MEMORY") != NULL)
        printf("%-5s %-22s %-10s n %6.0f threads %d%s: %10.0f of %10.0f, %6.2f n\n", nf_problem_name(a->problem),
               a->name, kind, s.n, b->threads, deterministic ? " det" : "    ", got, most, got / s.n);
    if (got > most)
        fail_msg("%s %s on %s, n = %.0f, %d threads%s: %.0f bytes, the formula says at most %.0f",
                 nf_problem_name(a->problem), a->name, kind, s.n, b->threads, deterministic ? ", deterministic" : "",
                 got, most);
}

static const int thread_counts[] = {1, 2, 8};

static bool is_meant(const nf_algorithm_info *a, bool chooses, bool pairs)
{
    return strcmp(a->device, "cpu") == 0 && ((a->flags & NF_ALG_AUTO) != 0) == chooses
           && (a->problem == NF_APSP) == pairs && !(pairs && strcmp(a->name, "streamed") == 0);
}

static void check_auto(bench *b, const nf_algorithm_info *a, const char *kind, bool small);

static void run_scale(const char *kind, unsigned scale, int threads, bool pairs)
{
    const nf_algorithm_info *a = NULL;
    bench b;
    open_bench(&b, kind, 1u << scale, threads);
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++) {
        const bool rows = a->problem == NF_BFS || a->problem == NF_SSSP;
        if (is_meant(a, false, pairs))
            check(&b, a, kind, false);
        if (is_meant(a, false, pairs) && rows)
            check(&b, a, kind, true);
        if (is_meant(a, true, false) && rows && !pairs)
            check_auto(&b, a, kind, scale < 15);
    }
    close_bench(&b);
}

static void run_all(bool pairs)
{
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t t = 0; t < COUNT(thread_counts); t++)
            for (unsigned scale = pairs ? 8 : 12; scale <= largest[k] && (!pairs || scale == 8); scale += 3)
                run_scale(kinds[k], scale, thread_counts[t], pairs);
}

static void test_searches(void **state)
{
    (void)state;
    run_all(false);
}

/* auto: half the graph's own bytes and 16 a vertex. Small graphs: and what a thread has for itself. */
#define THREAD_BYTES 65000.0

static void check_auto(bench *b, const nf_algorithm_info *a, const char *kind, bool small)
{
    const double n = nf_graph_n(b->graph), got = measure(b, a, false);
    const double graph = (n + 1) * 4 + (double)nf_graph_m(b->graph) * 8;
    const double most = 0.5 * graph + 16 * n + ANY_RUN + (small ? THREAD_BYTES * b->threads : 0);
    if (got > most)
        fail_msg("%s auto on %s, n = %.0f, %d threads: %.0f bytes, more than %.0f", nf_problem_name(a->problem), kind,
                 n, b->threads, got, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
