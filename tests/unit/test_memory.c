/* test_memory.c - what every method of the CPU takes beyond graph and outputs, by a counting allocator, against the
 * formula its file states; and what auto takes, against its bar.
 *
 * The formulas stand here a second time, as code: got <= formula on every graph, and, so that a formula says something,
 * half of it or more on some graph, unless it is the worst of a case that these graphs do not have. A method that is
 * listed without a formula fails. `streamed` takes what it may: test_streamed.c holds it to its limit.
 * The graph's own bytes include its transpose and its sorted list, which are made beforehand where a method keeps them;
 * outputs go to buffers of the test's own.
 * NF_SHOW_MEMORY=1 prints every measurement.
 */
#include <math.h>
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
    bool wide;     /* labels of 64 bits */
    double way;    /* bytes of the path found, which is output */
    unsigned bits; /* of a digit where two of them hold the largest weight */
} size;

/* What any run takes: the result without arrays, blocks' heads, small structs. */
#define ANY_RUN 3072.0
/* All pairs: what a result says of each row, and its sources, which is output. */
#define ROW_FACTS 104.0

typedef double (*formula_fn)(const size *s);

/* A method's formula: bytes a vertex, more where deterministic, more where wide; and what does not fit these. */
typedef struct formula {
    const char *problem, *name;
    double per_vertex, if_deterministic, if_wide;
    formula_fn more;
    bool worst; /* these graphs do not come near it */
} formula;

/* NF__STEP_MEMORY */
static double step_more(const size *s)
{
    const double worth = fmax(1, floor((s->n + s->m) / 4096));
    return 21000 * fmin(s->threads, worth);
}

/* NF__DIGITS_MEMORY without the worst of wide digits; with it. */
static double digits_base(unsigned b)
{
    return 67000 + 512 * (1 + 63 / b) + 4.0 * (1 + 63 / b) * (1u << b);
}

static double radix_more(const size *s)
{
    (void)s;
    return digits_base(3);
}

static double buckets_more(const size *s)
{
    const double lists = (1 + 63 / s->bits) * (double)(1u << s->bits);
    if (2u << s->bits < 190) /* two digits hold the largest weight: no more buckets are in use */
        return digits_base(s->bits);
    return 8.3 * s->n + 2 * digits_base(s->bits) + 256 * fmin(s->n, lists);
}

/* A bucket in use takes 660; there are n / 64 at most, or those of 22 digits of 3 bits. */
static double path_more(const size *s)
{
    return 20000 + 660 * fmax(s->n / 64, s->wide ? 176 : 88) + (s->threads > 1 ? 5 * s->n : 0);
}

static double hops_more(const size *s)
{
    (void)s;
    return 17000;
}

/* bucket-heap: 128 d, d = 1 for a thread, else from the knob's default. */
static double heap_more(const size *s)
{
    return 128 * 64 * s->threads;
}

static double floyd_more(const size *s)
{
    return (8 + (s->deterministic ? 4 : 0)) * s->n * s->n;
}

/* NF__DENSE_MEMORY */
static double dense_more(const size *s)
{
    const double cell = s->wide ? 8 : 4, lots = fmin(s->threads, s->n / 48 + 1);
    return (128 * s->n + 6144 + 6144 * lots) * cell
           + (s->deterministic ? 512 * s->n + 24576 + 16 * s->n * s->threads + 256 * s->threads : 0);
}

/* NF__NSSSP_MEMORY */
static double nsssp_more(const size *s)
{
    return (s->wide ? 16 : 8) * s->m
           + s->threads * ((s->wide ? 81 : 77) * s->n + 39000 + (s->deterministic ? 8 * s->n : 0));
}

static const formula formulas[] = {
    {"bfs", "serial", 4, 0, 0, NULL, false},
    {"bfs", "top-down", 4, 0, 0, NULL, false},
    {"bfs", "direction-optimizing", 8.25, 0, 0, NULL, false},
    {"bfs", "bit-parallel", 8.25, 0, 0, NULL, false}, /* one source: as direction-optimizing */
    {"bfs", "edge", 0, 0, 0, NULL, true},
    {"bfs", "matrix", 0.25, 0, 0, NULL, false},
    {"sssp", "dijkstra", 8, 8, 0, NULL, false},
    {"sssp", "bellman-ford", 12, 8, 0, NULL, false},
    {"sssp", "bellman-ford-frontier", 24, 8, 0, NULL, false},
    {"sssp", "dijkstra-4ary", 16, 8, 16, NULL, false},
    {"sssp", "dijkstra-radix", 8.3, 8, 0, radix_more, false},
    {"sssp", "dijkstra-buckets", 8.3, 8, 0, buckets_more, false},
    {"sssp", "bucket-heap", 185, 8, 0, heap_more, true},
    {"sssp", "workfront", 12, 8, 0, NULL, false},
    {"sssp", "delta-stepping", 8.6, 8, 0, step_more, false},
    {"sssp", "near-far", 8.6, 8, 0, step_more, false},
    {"sssp", "stepping", 8.6, 8, 0, step_more, false},
    {"path", "one-way", 12 + 11, 0, 8, path_more, false},
    {"path", "bidirectional", 8 + 11, 0, 12, path_more, false},
    {"path", "one-way-bfs", 1 + 18, 0, 0, hops_more, false},
    {"path", "bidirectional-bfs", 1 + 18, 0, 0, hops_more, false},
    {"apsp", "floyd-warshall", 20, 0, 0, floyd_more, false},
    {"apsp", "johnson", 16, 0, 0, NULL, false},
    {"apsp", "blocked-floyd-warshall", 12, 0, 0, dense_more, false},
    {"apsp", "min-plus", 12, 0, 0, dense_more, false},
    {"apsp", "recursive", 12, 0, 0, dense_more, false},
    {"apsp", "n-sssp", 0, 0, 0, nsssp_more, false},
    {"apsp", "johnson-parallel", 0, 0, 0, nsssp_more, false},
};

static double nearest[COUNT(formulas)]; /* the largest part of a formula that was seen */

static size_t formula_of(const nf_algorithm_info *a)
{
    for (size_t i = 0; i < COUNT(formulas); i++)
        if (strcmp(formulas[i].name, a->name) == 0 && strcmp(formulas[i].problem, nf_problem_name(a->problem)) == 0)
            return i;
    fail_msg("%s %s has no formula for its memory", nf_problem_name(a->problem), a->name);
    return 0;
}

static double bytes_of(const formula *f, const size *s)
{
    const bool pairs = strcmp(f->problem, "apsp") == 0;
    double a_vertex = f->per_vertex + (s->deterministic ? f->if_deterministic : 0) + (s->wide ? f->if_wide : 0);
    return ANY_RUN + s->way + (a_vertex + (pairs ? ROW_FACTS : 0)) * s->n + (f->more != NULL ? f->more(s) : 0);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

typedef struct graph_of {
    const char *kind;
    nf_type type;
    double most; /* weight */
} graph_of;

static const graph_of graphs[] = {
    {"kronecker", NF_I32, 255}, {"grid2d", NF_I32, 255}, {"uniform", NF_I32, 255}, {"delaunay", NF_I32, 255},
    {"star", NF_I32, 255},      {"path", NF_I32, 255},   {"kronecker", NF_F64, 1}, {"uniform", NF_I32, 1 << 24},
};

typedef struct bench {
    counter counter;
    nf_context *ctx;
    nf_graph *graph;
    const graph_of *of;
    void *distances;
    nf_vid *parents;
    const char *knob; /* or NULL */
    bool sink;        /* rows go to one */
    nf_type type;     /* of the distances; NF_NONE: as the weights have it */
    int threads;
    double way; /* bytes of the path that was found last */
} bench;

static void open_bench(bench *b, const graph_of *of, nf_vid n, int threads, bool pairs)
{
    nf_generate_options o = {.size = sizeof o};
    nf_csr csr;
    nf_coo coo;
    memset(b, 0, sizeof *b);
    b->of = of;
    b->threads = threads;
    const nf_context_options c = {.size = sizeof c,
                                  .device = "cpu",
                                  .threads = threads,
                                  .memory_limit = UINT64_C(1) << 40, /* so that nothing is kept from call to call */
                                  .allocator = {count_alloc, count_free, &b->counter}};
    OK(nf_context_create(&c, &b->ctx));
    OK(nf_generate_defaults(of->kind, &o));
    o.n = n;
    o.weight_min = of->type == NF_F64 ? 0.001 : 1;
    o.weight_max = of->most;
    o.weight_type = of->type;
    o.directed = strcmp(of->kind, "uniform") == 0;
    OK(nf_generate(b->ctx, &o, &b->graph));
    OK(nf_graph_transpose_view(b->ctx, b->graph, &csr));
    OK(nf_graph_coo_view(b->ctx, b->graph, &coo));
    const size_t rows = pairs ? n : 1;
    b->distances = malloc(rows * n * sizeof(int64_t));
    b->parents = malloc(rows * n * sizeof(nf_vid));
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

static nf_status take_tile(void *user, const nf_tile *tile)
{
    (void)user;
    (void)tile;
    return NF_OK;
}

/* The most bytes that the run held beyond what there was before. */
static double measure(bench *b, const nf_algorithm_info *a, bool deterministic, bool hops)
{
    nf_result *r = NULL;
    nf_path *p = NULL;
    nf_run_options o = {.size = sizeof o,
                        .algorithm = a->name,
                        .distances = b->distances,
                        .knobs = &b->knob,
                        .knob_count = b->knob != NULL};
    if (deterministic)
        o.flags = NF_RUN_DETERMINISTIC, o.parents = b->parents;
    o.distance_type = b->type;
    if (b->sink)
        o.sink = take_tile, o.distances = NULL, o.parents = NULL;
    const long long before = atomic_load(&b->counter.live);
    atomic_store(&b->counter.peak, before);
    if (a->problem == NF_PATH) {
        o.distances = NULL;
        o.flags = hops ? NF_RUN_HOPS : 0;
        OK(nf_path_between(b->ctx, b->graph, 0, nf_graph_n(b->graph) - 1, &o, &p));
    } else if (a->problem == NF_APSP)
        OK(nf_apsp(b->ctx, b->graph, &o, &r));
    else
        OK((a->problem == NF_BFS ? nf_bfs : nf_sssp)(b->ctx, b->graph, 0, &o, &r));
    b->way = p != NULL ? (double)p->length * (sizeof(nf_vid) + 8) : 0;
    nf_result_free(r);
    nf_path_free(p);
    return (double)(atomic_load(&b->counter.peak) - before);
}

static unsigned digit_bits(const graph_of *of)
{
    unsigned bits = 4;
    while (bits < 12 && (of->type != NF_I32 || ldexp(1, (int)(2 * bits)) <= of->most))
        bits++;
    return bits;
}

static void hold_against(const bench *b, const nf_algorithm_info *a, bool deterministic, double got, double most)
{
    const double n = nf_graph_n(b->graph);
    const char *how = deterministic ? ", deterministic" : "";
    if (getenv("NF_SHOW_MEMORY") != NULL)
        printf("%-5s %-22s %-10s n %6.0f threads %d%s: %10.0f of %10.0f, %6.2f n\n", nf_problem_name(a->problem),
               a->name, b->of->kind, n, b->threads, how, got, most, got / n);
    if (got > most)
        fail_msg("%s %s on %s, weights up to %g, n = %.0f, %d threads%s: %.0f bytes; the formula says at most %.0f",
                 nf_problem_name(a->problem), a->name, b->of->kind, b->of->most, n, b->threads, how, got, most);
}

static void check(bench *b, const nf_algorithm_info *a, bool deterministic)
{
    const size_t which = formula_of(a);
    const double got = measure(b, a, deterministic, (a->flags & NF_ALG_HOPS) != 0);
    const size s = {.n = nf_graph_n(b->graph),
                    .m = (double)nf_graph_m(b->graph),
                    .threads = b->threads,
                    .deterministic = deterministic,
                    .wide = b->of->type == NF_F64 || b->of->most * nf_graph_n(b->graph) >= 0x1p29,
                    .way = b->way,
                    .bits = digit_bits(b->of)};
    const double most = bytes_of(&formulas[which], &s);
    hold_against(b, a, deterministic, got, most);
    nearest[which] = fmax(nearest[which], got / most);
}

/* auto: half the graph's own bytes and 16 a vertex; and what a small graph cannot do without. The path found is output.
 */
#define TINY 24576.0

static void check_auto(bench *b, const nf_algorithm_info *a, bool hops, bool deterministic)
{
    const double n = nf_graph_n(b->graph), m = (double)nf_graph_m(b->graph);
    const double graph = (n + 1) * 4 + m * (b->of->type == NF_F64 ? 12 : 8);
    const bool pairs = a->problem == NF_APSP;
    const double row = b->sink ? (deterministic ? 12 : 8) * n : 0; /* output, too */
    const double got = measure(b, a, deterministic, hops), least = n < 4096 && !pairs ? TINY : ANY_RUN;
    hold_against(b, a, deterministic, got, 0.5 * graph + (16 + (pairs ? ROW_FACTS : 0)) * n + row + b->way + least);
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void run_all(const graph_of *of, nf_vid n, int threads, bool pairs)
{
    const nf_algorithm_info *a = NULL;
    bench b;
    open_bench(&b, of, n, threads, pairs);
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++) {
        const bool chooses = (a->flags & NF_ALG_AUTO) != 0;
        if (strcmp(a->device, "cpu") != 0 || (a->problem == NF_APSP) != pairs || strcmp(a->name, "streamed") == 0)
            continue;
        if (chooses)
            check_auto(&b, a, false, false);
        if (chooses && pairs)
            check_auto(&b, a, false, true);
        if (chooses && a->problem == NF_PATH)
            check_auto(&b, a, true, false);
        if (chooses)
            continue;
        check(&b, a, false);
        if (a->problem != NF_PATH)
            check(&b, a, true);
    }
    close_bench(&b);
}

static const int thread_counts[] = {1, 2, 8};

static void test_searches(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(graphs); k++)
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            run_all(&graphs[k], 1 << 9, thread_counts[t], false);
            run_all(&graphs[k], 1 << 12, thread_counts[t], false);
        }
}

static void test_large(void **state)
{
    (void)state;
    run_all(&graphs[0], 1 << 15, 2, false);
    run_all(&graphs[1], 1 << 15, 8, false);
    run_all(&graphs[3], 1 << 15, 1, false);
}

/* Between two vertices, with a thread for each side. */
static void test_two_sides(void **state)
{
    (void)state;
    for (size_t k = 1; k < COUNT(graphs); k += 4) {
        const nf_algorithm_info *a = NULL;
        bench b;
        open_bench(&b, &graphs[k], 1 << 17, 2, false);
        for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
            if (strcmp(a->device, "cpu") == 0 && a->problem == NF_PATH && (a->flags & NF_ALG_AUTO) == 0)
                check(&b, a, false);
            else if (strcmp(a->device, "cpu") == 0 && a->problem == NF_PATH)
                check_auto(&b, a, false, false);
        close_bench(&b);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(graphs); k++)
        for (size_t t = 0; t < COUNT(thread_counts); t++)
            run_all(&graphs[k], k < 2 ? 300 : 200, thread_counts[t], true);
}

/* All pairs by auto on graphs of some size: the last rows of a result are made without its help. */
static void test_auto_pairs(void **state)
{
    (void)state;
    static const graph_of many[] = {{"grid2d", NF_I32, 255},   {"kronecker", NF_I32, 255},  {"path", NF_I32, 255},
                                    {"complete", NF_I32, 255}, {"kronecker", NF_F32, 1},    {"complete", NF_F32, 1},
                                    {"uniform", NF_F64, 1},    {"uniform", NF_I32, 1 << 24}};
    const nf_algorithm_info *a = NULL;
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
        if (strcmp(a->device, "cpu") == 0 && a->problem == NF_APSP && (a->flags & NF_ALG_AUTO) != 0)
            break;
    assert_non_null(a);
    for (size_t k = 0; k < COUNT(many); k++)
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            bench b;
            open_bench(&b, &many[k], strcmp(many[k].kind, "complete") == 0 ? 300 : 700, thread_counts[t], true);
            for (unsigned how = 0; how < 3; how++) {
                b.sink = how == 1;
                b.type = how == 2 && many[k].type == NF_I32 && many[k].most < 256 ? NF_I32 : NF_NONE;
                check_auto(&b, a, false, false);
                check_auto(&b, a, false, true);
            }
            close_bench(&b);
        }
}

/* Methods whose lists would outgrow any pool, were stale entries kept: every vertex is listed many times. */
static void test_full_pools(void **state)
{
    (void)state;
    static const graph_of complete = {"complete", NF_I32, 1000000};
    static const char *const runs[][2] = {{"delta-stepping", NULL},        {"delta-stepping", "delta=1"},
                                          {"delta-stepping", "delta=1e9"}, {"near-far", "delta=1"},
                                          {"near-far", "delta=1e9"},       {"dijkstra-radix", NULL},
                                          {"dijkstra-buckets", NULL}};
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        bench b;
        open_bench(&b, &complete, 1000, thread_counts[t], false);
        for (size_t i = 0; i < COUNT(runs); i++) {
            const nf_algorithm_info *a = NULL;
            for (size_t k = 0; (a = nf_algorithm_get(k)) != NULL; k++)
                if (strcmp(a->device, "cpu") == 0 && a->problem == NF_SSSP && strcmp(a->name, runs[i][0]) == 0)
                    break;
            assert_non_null(a);
            b.knob = runs[i][1];
            check(&b, a, false);
        }
        close_bench(&b);
    }
}

/* After the others: no formula is idle talk. */
static void test_formulas_are_near(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(formulas); i++)
        if (nearest[i] < 0.5 && !formulas[i].worst)
            fail_msg("%s %s never took more than %.2f of what its formula says", formulas[i].problem, formulas[i].name,
                     nearest[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),          cmocka_unit_test(test_large),
        cmocka_unit_test(test_two_sides),         cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_auto_pairs),        cmocka_unit_test(test_full_pools),
        cmocka_unit_test(test_formulas_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
