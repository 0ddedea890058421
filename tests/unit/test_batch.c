/* test_batch.c - nf_apsp_batch on every device of the build: against nf_apsp of each graph, in every type, with trees,
 * negative weights and cycles, graphs that are too large for a block, what it refuses, memory that fails, a cancel. */
#include <time.h>

#include "purse.h"
#include "unit.h"

static const char *const devices[] = {"cpu", "emulator"};

static nf_context *open_device(const char *device, const nf_allocator *allocator)
{
    nf_context_options o = {.size = sizeof o, .device = device, .threads = 2};
    nf_context *ctx = NULL;
    if (allocator != NULL)
        o.allocator = *allocator;
    const nf_status st = nf_context_create(&o, &ctx);
    if (st != NF_ENODEVICE)
        OK(st);
    return ctx;
}

static uint64_t draw(uint64_t *seed, uint64_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % bound;
}

/* ---- a batch of random graphs ------------------------------------------------------------------------------------ */

enum { GRAPHS = 14, LARGE = 66 };
static const nf_vid all_small[GRAPHS] = {5, 1, 64, 0, 33, 2, 4, 7, 17, 40, 32, 3, 0, 20};
static const nf_vid with_large[GRAPHS] = {5, 1, 64, 0, 33, 2, 4, LARGE, 17, 63, 32, 3, 0, 20};

typedef struct scene {
    nf_batch batch;
    nf_type out;
    uint64_t cells;
    void *weights, *distances;
    nf_vid *parents;
    nf_status statuses[GRAPHS];
} scene;

static void put(void *to, nf_type type, uint64_t i, double x)
{
    switch (type) {
    case NF_I32: ((int32_t *)to)[i] = isinf(x) ? NF_UNREACHED_I32 : (int32_t)x; break;
    case NF_U32: ((uint32_t *)to)[i] = isinf(x) ? NF_UNREACHED_U32 : (uint32_t)x; break;
    case NF_F32: ((float *)to)[i] = (float)x; break;
    default: ((double *)to)[i] = x; break;
    }
}

static double get(const void *from, nf_type type, uint64_t i)
{
    switch (type) {
    case NF_I32: return ((const int32_t *)from)[i] == NF_UNREACHED_I32 ? (double)INFINITY : ((const int32_t *)from)[i];
    case NF_U32:
        return ((const uint32_t *)from)[i] == NF_UNREACHED_U32 ? (double)INFINITY : ((const uint32_t *)from)[i];
    case NF_I64:
        return ((const int64_t *)from)[i] == NF_UNREACHED_I64 ? (double)INFINITY : (double)((const int64_t *)from)[i];
    case NF_U64:
        return ((const uint64_t *)from)[i] == NF_UNREACHED_U64 ? (double)INFINITY : (double)((const uint64_t *)from)[i];
    case NF_F32: return (double)((const float *)from)[i];
    default: return ((const double *)from)[i];
    }
}

/* Weights of 0 .. most; `share` of 100 arcs are there. potential: the weights of u -> v are lowered by h(u) - h(v),
 * which makes many negative and no cycle. Halves, in floats. */
static scene make_scene(nf_type type, nf_type out, uint64_t most, unsigned share, bool potential, uint64_t seed)
{
    const nf_vid *sizes = seed == 0 ? with_large : all_small;
    scene s = {.batch = {.count = GRAPHS, .sizes = sizes, .weight_type = type}, .out = out};
    const bool real = type == NF_F32 || type == NF_F64;
    uint64_t at = 0;
    for (int k = 0; k < GRAPHS; k++)
        s.cells += (uint64_t)sizes[k] * sizes[k];
    s.weights = malloc(s.cells * 8);
    s.distances = malloc(s.cells * 8);
    s.parents = malloc(s.cells * sizeof(nf_vid));
    assert_true(s.weights != NULL && s.distances != NULL && s.parents != NULL);
    for (int k = 0; k < GRAPHS; k++) {
        double h[LARGE];
        for (nf_vid v = 0; v < sizes[k]; v++)
            h[v] = potential ? (double)draw(&seed, most + 1) : 0;
        for (nf_vid i = 0; i < sizes[k] * sizes[k]; i++) {
            const double w = (double)draw(&seed, most + 1) / (real && !potential ? 3 : 1);
            const bool there = draw(&seed, 100) < share;
            put(s.weights, type, at + i, there ? w - h[i / sizes[k]] + h[i % sizes[k]] : (double)INFINITY);
        }
        at += (uint64_t)sizes[k] * sizes[k];
    }
    s.batch.weights = s.weights;
    return s;
}

static void free_scene(scene *s)
{
    free(s->weights);
    free(s->distances);
    free(s->parents);
}

/* Parents of a row make a tree whose arcs add up to the distances. */
static void check_tree(const scene *s, uint64_t at, nf_vid n, nf_vid source, double slack)
{
    const nf_vid *parent = s->parents + at + (uint64_t)source * n;
    for (nf_vid v = 0; v < n; v++) {
        const double d = get(s->distances, s->out, at + (uint64_t)source * n + v);
        nf_vid steps = 0, u = v;
        double sum = 0;
        if (isinf(d)) {
            assert_true(parent[v] == NF_NO_VERTEX);
            continue;
        }
        for (; u != source && steps <= n; u = parent[u], steps++) {
            assert_true(parent[u] < n);
            sum += get(s->weights, s->batch.weight_type, at + (uint64_t)parent[u] * n + u);
        }
        assert_true(u == source && parent[source] == source);
        assert_true(fabs(sum - d) <= slack);
    }
}

/* Each graph against nf_apsp on the CPU; slack 0: bit for bit. */
static void check_scene(const scene *s, bool parents, bool deterministic, double slack)
{
    const nf_vid *sizes = s->batch.sizes;
    nf_context *cpu = open_device("cpu", NULL);
    uint64_t at = 0;
    for (int k = 0; k < GRAPHS; k++) {
        const nf_vid n = sizes[k];
        nf_run_options o = {.size = sizeof o,
                            .flags = deterministic ? NF_RUN_DETERMINISTIC : 0,
                            .distance_type = s->out,
                            .algorithm = "johnson"};
        nf_graph *g = NULL;
        nf_result *r = NULL;
        OK(nf_graph_from_matrix(cpu, n, n, s->batch.weight_type,
                                (const char *)s->weights + at * nf_type_size(s->batch.weight_type), NULL, &g));
        OK(nf_apsp(cpu, g, &o, &r));
        for (nf_vid u = 0; u < n; u++) {
            for (nf_vid v = 0; v < n; v++) {
                const double mine = get(s->distances, s->out, at + (uint64_t)u * n + v);
                const double theirs = nf_result_distance(r, u, v);
                assert_true(mine == theirs || fabs(mine - theirs) <= slack);
            }
            if (parents)
                check_tree(s, at, n, u, slack);
            if (deterministic && slack == 0)
                assert_memory_equal(s->parents + at + (uint64_t)u * n, nf_result_parents(r, u), n * sizeof(nf_vid));
        }
        nf_result_free(r);
        nf_graph_free(g);
        at += (uint64_t)n * n;
    }
    nf_context_free(cpu);
}

typedef struct kind {
    nf_type type, out;
    uint64_t most;
    unsigned share;
    bool potential;
    double slack;
    bool wide;
} kind;

static const kind kinds[] = {
    {NF_I32, NF_I64, 20, 60, false, 0, false},       {NF_I32, NF_I32, 3, 20, true, 0, false},
    {NF_I32, NF_I64, 1000000000, 8, true, 0, true},  {NF_U32, NF_U64, 4294967294, 8, false, 0, true},
    {NF_U32, NF_U32, 1, 10, false, 0, false},        {NF_F32, NF_F32, 1000, 15, false, 1e-2, false},
    {NF_F32, NF_F64, 1000, 100, false, 1e-9, false}, {NF_F64, NF_F64, 50, 15, true, 0, false},
    {NF_I32, NF_F32, 9, 30, true, 0, false},
};

static void test_against_apsp(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i], NULL);
        if (ctx == NULL)
            continue; /* built without it */
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const kind *q = &kinds[k];
            scene s = make_scene(q->type, q->out, q->most, q->share, q->potential, k);
            nf_batch_options o = {.size = sizeof o, .distance_type = q->out, .statuses = s.statuses};
            nf_batch_info info = {.size = sizeof info};
            memset(s.statuses, 0xff, sizeof s.statuses);
            OK(nf_apsp_batch(ctx, &s.batch, &o, s.distances, &info));
            check_scene(&s, false, false, q->slack);
            assert_true(info.failed == GRAPHS && info.cycle == NULL && strcmp(info.device, devices[i]) == 0);
            if (q->slack == 0) /* all but the large one in a block */
                assert_true(info.alone == (k == 0));
            for (int g = 0; g < GRAPHS; g++)
                assert_int_equal(s.statuses[g], NF_OK);
            o.parents = s.parents;
            OK(nf_apsp_batch(ctx, &s.batch, &o, s.distances, &info));
            check_scene(&s, true, false, q->slack);
            o.flags = NF_RUN_DETERMINISTIC;
            OK(nf_apsp_batch(ctx, &s.batch, &o, s.distances, &info));
            check_scene(&s, true, true, q->slack);
            if (q->slack == 0)
                assert_true(info.alone == (k == 0));
            free_scene(&s);
        }
        nf_context_free(ctx);
    }
}

/* ---- many of one size, and those that fail ----------------------------------------------------------------------- */

enum { MANY = 200, SIDE = 6, CELLS = SIDE * SIDE };

/* Rings 0 -> 1 -> ... -> 0 of weight 1; the one of `bad` has an arc of weight `w` back. */
static void make_rings(int32_t *weights, nf_vid bad, int32_t w)
{
    for (nf_vid k = 0; k < MANY; k++)
        for (nf_vid i = 0; i < CELLS; i++) {
            const nf_vid u = i / SIDE, v = i % SIDE;
            weights[k * CELLS + i] = v == (u + 1) % SIDE ? 1 : NF_UNREACHED_I32;
            if (k == bad && u == 3 && v == 1)
                weights[k * CELLS + i] = w;
        }
}

static void check_rings(const int64_t *d, const nf_status *statuses, nf_vid bad)
{
    for (nf_vid k = 0; k < MANY; k++) {
        assert_int_equal(statuses[k] == NF_OK, k != bad);
        for (nf_vid i = 0; k != bad && i < CELLS; i++)
            assert_true(d[k * CELLS + i] == (int64_t)(i % SIDE + SIDE - i / SIDE) % SIDE);
    }
}

static void test_failing_graphs(void **state)
{
    static int32_t weights[MANY * CELLS];
    static int64_t distances[MANY * CELLS];
    static double reals[MANY * CELLS], real_distances[MANY * CELLS];
    const nf_batch b = {.count = MANY, .n = SIDE, .weight_type = NF_I32, .weights = weights};
    const nf_batch rb = {.count = MANY, .n = SIDE, .weight_type = NF_F64, .weights = reals};
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i], NULL);
        nf_status statuses[MANY];
        nf_batch_options o = {.size = sizeof o, .statuses = statuses};
        nf_batch_info info = {.size = sizeof info};
        if (ctx == NULL)
            continue;
        make_rings(weights, 117, -3);
        FAILS(NF_ENEGCYCLE, "graph 117 of the batch: the graph has a negative cycle of 3 arcs",
              nf_apsp_batch(ctx, &b, &o, distances, &info));
        check_rings(distances, statuses, 117);
        assert_int_equal(statuses[117], NF_ENEGCYCLE);
        assert_true(info.failed == 117 && info.cycle_length == 3 && info.alone == 1);
        for (int k = 0; k < 3; k++)
            assert_true(info.cycle[k] == info.cycle[0] % 3 + 1 || k == 0 || info.cycle[k] == info.cycle[k - 1] % 3 + 1);
        nf_free(info.cycle);
        FAILS(NF_ENEGCYCLE, "graph 117", nf_apsp_batch(ctx, &b, NULL, distances, NULL));
        for (uint64_t k = 0; k < MANY * CELLS; k++)
            reals[k] = weights[k] == NF_UNREACHED_I32 ? (double)INFINITY : weights[k] / 10.0;
        FAILS(NF_ENEGCYCLE, "graph 117", nf_apsp_batch(ctx, &rb, &o, real_distances, &info));
        assert_true(info.failed == 117 && info.cycle_length == 3 && statuses[116] == NF_OK);
        nf_free(info.cycle);
        make_rings(weights, 42, 7); /* 3 -> 1 the long way is 4 */
        OK(nf_apsp_batch(ctx, &b, &o, distances, &info));
        check_rings(distances, statuses, NF_NO_VERTEX);
        make_rings(weights, 42, -2); /* a cycle of length 0 */
        o.distance_type = NF_U32;    /* and 2 -> 1 is -1 */
        FAILS(NF_EOVERFLOW, "graph 42 of the batch: the distance -1 of vertex 1 does not fit u32",
              nf_apsp_batch(ctx, &b, &o, distances, &info));
        assert_true(info.failed == 42 && info.cycle == NULL && statuses[42] == NF_EOVERFLOW && statuses[43] == NF_OK);
        weights[0] = -1; /* a loop */
        o.distance_type = NF_NONE;
        FAILS(NF_ENEGCYCLE, "graph 0", nf_apsp_batch(ctx, &b, &o, distances, NULL));
        nf_context_free(ctx);
    }
}

/* Rounding makes a cycle of length 0 look negative: it is none. */
static void test_rounded_cycle(void **state)
{
    const double no = (double)INFINITY;
    const double weights[] = {no, 0.1, no, no, no, 0.2, -0.3, no, no}; /* 0.1 + 0.2 > 0.3 in f64, so turned round: */
    const double other[] = {no, -0.1, no, no, no, -0.2, 0.3, no, no};
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i], NULL);
        double d[9];
        nf_batch b = {.count = 1, .n = 3, .weight_type = NF_F64, .weights = weights};
        if (ctx == NULL)
            continue;
        OK(nf_apsp_batch(ctx, &b, NULL, d, NULL));
        assert_true(d[0] == 0 && fabs(d[2] - 0.3) < 1e-9);
        b.weights = other;
        OK(nf_apsp_batch(ctx, &b, NULL, d, NULL));
        assert_true(d[0] == 0 && fabs(d[2] + 0.3) < 1e-9);
        nf_context_free(ctx);
    }
}

static void test_refusals(void **state)
{
    const float weights[] = {0, 1, 2, 0, 0, 1, NAN, 0};
    const float low[] = {0, 1, 2, -INFINITY};
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i], NULL);
        float d[8];
        nf_batch b = {.count = 2, .n = 2, .weight_type = NF_F32, .weights = weights};
        nf_batch_options o = {.size = sizeof o};
        nf_batch_info info = {.size = 0};
        if (ctx == NULL)
            continue;
        FAILS(NF_EINVAL, "batch is NULL", nf_apsp_batch(ctx, NULL, NULL, d, NULL));
        FAILS(NF_EINVAL, "distances is NULL", nf_apsp_batch(ctx, &b, NULL, NULL, NULL));
        FAILS(NF_EINVAL, "info->size", nf_apsp_batch(ctx, &b, NULL, d, &info));
        FAILS(NF_EINVAL, "graph 1: the weight of 1 -> 0 is NaN", nf_apsp_batch(ctx, &b, NULL, d, NULL));
        b.weights = low;
        b.count = 1;
        FAILS(NF_EINVAL, "graph 0: the weight of 1 -> 1 is -infinity", nf_apsp_batch(ctx, &b, NULL, d, NULL));
        b.weights = weights;
        o.flags = NF_RUN_CUTOFF;
        FAILS(NF_EINVAL, "no flags but", nf_apsp_batch(ctx, &b, &o, d, NULL));
        o.flags = 0;
        o.distance_type = NF_I64;
        FAILS(NF_EUNSUPPORTED, "cannot be summed", nf_apsp_batch(ctx, &b, &o, d, NULL));
        b.weight_type = NF_I64;
        FAILS(NF_EINVAL, "i32, u32, f32 or f64", nf_apsp_batch(ctx, &b, NULL, d, NULL));
        b = (nf_batch){.count = 3, .n = 0, .weight_type = NF_F32};
        info.size = sizeof info;
        OK(nf_apsp_batch(ctx, &b, NULL, NULL, &info));
        assert_true(info.failed == 3 && info.alone == 0);
        b.count = 0;
        OK(nf_apsp_batch(ctx, &b, NULL, NULL, NULL));
        nf_context_free(ctx);
    }
}

/* ---- refused memory and a cancel --------------------------------------------------------------------------------- */

/* The k-th allocation fails: nothing lost. The batch has a graph that is run alone, and one with a cycle. */
static void test_refused_memory(void **state)
{
    const int32_t no = NF_UNREACHED_I32;
    int32_t weights[65 * 65 + 4 + 4];
    int64_t distances[COUNT(weights)];
    const nf_vid three[] = {65, 2, 2};
    (void)state;
    for (size_t i = 0; i < COUNT(weights); i++)
        weights[i] = i % 5 == 0 ? 1 : no;
    weights[65 * 65] = no, weights[65 * 65 + 1] = -1, weights[65 * 65 + 2] = -1;
    for (size_t i = 0; i < COUNT(devices); i++)
        for (long long k = 0, refused = 1; refused > 0; k++) {
            purse p = {-1, 0, 0};
            const nf_allocator a = {purse_alloc, purse_free, &p};
            nf_context *ctx = open_device(devices[i], &a);
            nf_batch_info info = {.size = sizeof info};
            const size_t first = i == 0 ? 0 : 1; /* 65 runs are long on an emulator */
            const nf_batch b = {.count = 3 - first,
                                .sizes = three + first,
                                .weight_type = NF_I32,
                                .weights = weights + first * 65 * 65};
            if (ctx == NULL)
                break;
            p.left = k;
            const nf_status st = nf_apsp_batch(ctx, &b, NULL, distances, &info);
            assert_int_equal(st, p.refused > 0 ? NF_ENOMEM : NF_ENEGCYCLE);
            assert_true((info.cycle == NULL) == (p.refused > 0));
            refused = p.refused;
            nf_free(info.cycle);
            nf_context_free(ctx);
            assert_true(p.live == 0);
        }
}

/* With little device memory there are more launches; with too little there is none. */
static void count_launches(void *user, nf_log_level level, const char *text)
{
    (void)level;
    *(unsigned *)user += strstr(text, "batch: a launch of") != NULL;
}

static void test_device_memory(void **state)
{
    static int32_t weights[MANY * CELLS];
    static int64_t distances[MANY * CELLS];
    const uint64_t limits[] = {0, 100000, 70000, 30000};
    const nf_batch b = {.count = MANY, .n = SIDE, .weight_type = NF_I32, .weights = weights};
    unsigned launches[COUNT(limits)] = {0};
    (void)state;
    make_rings(weights, NF_NO_VERTEX, 0);
    for (size_t i = 0; i < COUNT(limits); i++) {
        nf_status statuses[MANY];
        const nf_batch_options bo = {.size = sizeof bo, .statuses = statuses};
        const nf_context_options o = {.size = sizeof o,
                                      .device = "emulator",
                                      .memory_limit = limits[i],
                                      .log = count_launches,
                                      .log_user = &launches[i]};
        nf_context *ctx = NULL;
        if (nf_context_create(&o, &ctx) == NF_ENODEVICE)
            return;
        if (i == 3)
            FAILS(NF_EDEVMEM, "a batch needs", nf_apsp_batch(ctx, &b, &bo, distances, NULL));
        else {
            memset(distances, 0, sizeof distances);
            OK(nf_apsp_batch(ctx, &b, &bo, distances, NULL));
            check_rings(distances, statuses, NF_NO_VERTEX);
        }
        nf_context_free(ctx);
    }
    assert_true(launches[0] == 1 && launches[1] == 1 && launches[2] > 1 && launches[3] == 0);
}

static bool cancel_at_once(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    return ++*(unsigned *)user > 0;
}

static void test_cancel(void **state)
{
    static int32_t weights[MANY * CELLS];
    static int64_t distances[MANY * CELLS];
    const nf_batch b = {.count = MANY, .n = SIDE, .weight_type = NF_I32, .weights = weights};
    (void)state;
    make_rings(weights, NF_NO_VERTEX, 0);
    for (size_t i = 0; i < COUNT(devices); i++) {
        unsigned calls = 0;
        const nf_context_options o = {
            .size = sizeof o, .device = devices[i], .threads = 2, .progress = cancel_at_once, .progress_user = &calls};
        nf_context *ctx = NULL;
        if (nf_context_create(&o, &ctx) == NF_ENODEVICE)
            continue;
        nf_context_cancel(ctx);
        FAILS(NF_ECANCELLED, "cancelled", nf_apsp_batch(ctx, &b, NULL, distances, NULL));
        nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL); /* it is not asked more often than every 50 ms */
        FAILS(NF_ECANCELLED, "cancelled", nf_apsp_batch(ctx, &b, NULL, distances, NULL));
        assert_true(calls == 1);
        nf_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_apsp),   cmocka_unit_test(test_failing_graphs),
        cmocka_unit_test(test_rounded_cycle),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_memory), cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
