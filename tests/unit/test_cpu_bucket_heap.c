/* test_cpu_bucket_heap.c - the bucket heap against a plain table, operation by operation, its invariants after each;
 * teams; overlapping resolves; refused memory; and Dijkstra's algorithm over it. */
#include "purse.h"
#include "table.h"
#include "unit.h"

#include <float.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "cpu/bucket_heap.h"

/* ---- random operations ------------------------------------------------------------------------------------------- */

typedef struct mix {
    nf_vid n;
    uint32_t d;
    uint64_t span;                          /* priorities are below this; 1: all equal */
    unsigned updates, deletes, extractions; /* in a hundred; the rest are bulk updates */
    unsigned steps, check_every;
    uint64_t seed;
} mix;

typedef struct scene {
    nf__bucket_heap *heap;
    table t;
    nf__heap_item *items;
    uint64_t seed, next;
    const mix *m;
} scene;

static uint64_t draw(scene *s, uint64_t bound)
{
    return nf__below(nf__hash64(s->seed, s->next++), bound);
}

static void expect_sound(const scene *s)
{
    OK(nf__bucket_heap_check(s->heap));
    assert_true(nf__bucket_heap_size(s->heap) == s->t.size);
    assert_true(nf__bucket_heap_empty(s->heap) == (s->t.size == 0));
}

static void step_bulk(scene *s)
{
    const uint64_t count = draw(s, 3 * (uint64_t)s->m->d + 1);
    const uint64_t range = draw(s, 2) == 0 ? s->m->n : s->m->n / 8 + 1; /* narrow: many values twice */
    for (uint64_t i = 0; i < count; i++) {
        s->items[i] = (nf__heap_item){.priority = draw(s, s->m->span), .value = (nf_vid)draw(s, range)};
        table_update(&s->t, s->items[i].priority, s->items[i].value);
    }
    OK(nf__bucket_heap_bulk_update(s->heap, s->items, count));
}

static void step_extract(scene *s)
{
    const uint32_t wanted = 1 + (uint32_t)draw(s, s->m->d);
    const uint32_t got = nf__bucket_heap_extract_min(s->heap, s->items, wanted);
    assert_int_equal(got, wanted < s->t.size ? wanted : s->t.size);
    for (uint32_t i = 0; i < got; i++) {
        const nf_vid least = table_least(&s->t);
        assert_int_equal(s->items[i].value, least);
        assert_true(s->items[i].priority == s->t.priority[least]);
        table_delete(&s->t, least);
    }
}

static void step(scene *s)
{
    const uint64_t dice = draw(s, 100);
    const nf_vid v = (nf_vid)draw(s, s->m->n);
    if (dice < s->m->updates) {
        const uint64_t priority = draw(s, s->m->span);
        table_update(&s->t, priority, v);
        OK(nf__bucket_heap_update(s->heap, priority, v));
    } else if (dice < s->m->updates + s->m->deletes) {
        table_delete(&s->t, v);
        OK(nf__bucket_heap_delete(s->heap, v));
    } else if (dice < s->m->updates + s->m->deletes + s->m->extractions)
        step_extract(s);
    else
        step_bulk(s);
}

static void play(nf_context *ctx, const mix *m)
{
    scene s = {NULL, table_make(m->n), NULL, m->seed, 0, m};
    s.items = malloc((3 * (size_t)m->d + 1) * sizeof *s.items);
    assert_non_null(s.items);
    OK(nf__bucket_heap_create(nf__context_mem(ctx), m->n, m->d, &s.heap));
    for (unsigned i = 0; i < m->steps; i++) {
        step(&s);
        if (i % m->check_every == 0)
            expect_sound(&s);
    }
    while (s.t.size > 0) {
        step_extract(&s);
        if (s.next++ % m->check_every == 0)
            expect_sound(&s);
    }
    expect_sound(&s);
    assert_int_equal(nf__bucket_heap_extract_min(s.heap, s.items, 1), 0);
    nf__bucket_heap_free(s.heap);
    free(s.items);
    table_free(&s.t);
}

static const mix mixes[] = {
    {.n = 40, .d = 1, .span = 1000, .updates = 40, .deletes = 10, .extractions = 40, .steps = 3000, .check_every = 1},
    {.n = 300, .d = 1, .span = 1, .updates = 50, .deletes = 20, .extractions = 20, .steps = 3000, .check_every = 1},
    {.n = 300, .d = 3, .span = 4, .updates = 30, .deletes = 30, .extractions = 10, .steps = 3000, .check_every = 1},
    {.n = 900,
     .d = 2,
     .span = UINT64_MAX,
     .updates = 30,
     .deletes = 20,
     .extractions = 20,
     .steps = 3000,
     .check_every = 1},
    {.n = 900,
     .d = 8,
     .span = 1 << 20,
     .updates = 10,
     .deletes = 5,
     .extractions = 55,
     .steps = 3000,
     .check_every = 1},
    {.n = 5000,
     .d = 1,
     .span = 1 << 12,
     .updates = 60,
     .deletes = 38,
     .extractions = 1,
     .steps = 9000,
     .check_every = 11},
    {.n = 5000, .d = 5, .span = 3, .updates = 50, .deletes = 0, .extractions = 30, .steps = 4000, .check_every = 7},
    {.n = 1, .d = 4, .span = 9, .updates = 40, .deletes = 20, .extractions = 30, .steps = 200, .check_every = 1},
    {.n = 2000, .d = 4096, .span = 50, .updates = 40, .deletes = 30, .extractions = 10, .steps = 300, .check_every = 1},
};

static void test_random_operations(void **state)
{
    (void)state;
    nf_context *ctx = make_context(1);
    for (size_t i = 0; i < COUNT(mixes); i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            mix m = mixes[i];
            m.seed = seed;
            play(ctx, &m);
        }
    nf_context_free(ctx);
}

/* ---- one thing at a time ----------------------------------------------------------------------------------------- */

/* Descending, ascending and equal priorities, through as many levels as there can be; then all come out in order. */
static void test_growth(void **state)
{
    (void)state;
    enum { N = 40000 };
    nf_context *ctx = make_context(1);
    for (unsigned order = 0; order < 3; order++) {
        nf__bucket_heap *h = NULL;
        nf__heap_item least;
        OK(nf__bucket_heap_create(nf__context_mem(ctx), N, 1, &h));
        for (nf_vid v = 0; v < N; v++) {
            OK(nf__bucket_heap_update(h, order == 0 ? N - v : order == 1 ? v : 7, v));
            if (v % 4001 == 0)
                OK(nf__bucket_heap_check(h));
        }
        assert_true(nf__bucket_heap_counters(h).levels >= 8);
        for (nf_vid i = 0; i < N; i++) {
            assert_int_equal(nf__bucket_heap_extract_min(h, &least, 1), 1);
            assert_int_equal(least.value, order == 0 ? N - 1 - i : i);
            if (i % 4001 == 0)
                OK(nf__bucket_heap_check(h));
        }
        const nf__heap_counters c = nf__bucket_heap_counters(h);
        for (unsigned i = 1; i < c.levels; i++)
            assert_true(c.resolves[i] == c.resolves[i - 1] / 4);
        assert_true(c.updates == N && c.extracts == N && c.deletes == 0 && c.overlaps == 0 && c.conflicts == 0);
        nf__bucket_heap_free(h);
    }
    nf_context_free(ctx);
}

/* A value that was deleted, or extracted, comes back with a higher priority; one that is there keeps the lower. */
static void test_back_and_forth(void **state)
{
    (void)state;
    enum { N = 2000, ROUNDS = 6 };
    nf_context *ctx = make_context(1);
    nf__bucket_heap *h = NULL;
    nf__heap_item least;
    OK(nf__bucket_heap_create(nf__context_mem(ctx), N, 2, &h));
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (nf_vid v = 0; v < N; v++)
            OK(nf__bucket_heap_update(h, round * 10000 + v, v));
        for (nf_vid v = 0; v < N; v++) {
            OK(nf__bucket_heap_update(h, UINT64_MAX, v)); /* no change */
            if (v % 3 == 0)
                OK(nf__bucket_heap_delete(h, v));
            if (v % 3 == 1)
                OK(nf__bucket_heap_update(h, v, v));
        }
        OK(nf__bucket_heap_check(h));
        for (nf_vid v = 1; v < N; v += 3) {
            assert_int_equal(nf__bucket_heap_extract_min(h, &least, 1), 1);
            assert_true(least.value == v && least.priority == v);
        }
        OK(nf__bucket_heap_check(h));
        for (nf_vid v = 2; v < N; v += 3) {
            assert_int_equal(nf__bucket_heap_extract_min(h, &least, 1), 1);
            assert_true(least.value == v && least.priority == round * 10000 + v);
        }
        assert_true(nf__bucket_heap_empty(h));
        OK(nf__bucket_heap_delete(h, 5)); /* not there */
        OK(nf__bucket_heap_check(h));
    }
    nf__bucket_heap_clear(h);
    OK(nf__bucket_heap_check(h));
    nf__bucket_heap_free(h);
    nf_context_free(ctx);
}

static void test_keys(void **state)
{
    (void)state;
    const int64_t whole[] = {INT64_MIN, -5, -1, 0, 1, INT32_MAX, UINT32_MAX, INT64_MAX};
    const double real[] = {-INFINITY, -1e300, -1, -1e-310, 0, 1e-310, 0.5, 1, (double)FLT_MAX, 1e300, INFINITY};
    for (size_t i = 0; i < COUNT(whole); i++) {
        assert_true(nf__heap_i64_of(nf__heap_key_i64(whole[i])) == whole[i]);
        assert_true(i == 0 || nf__heap_key_i64(whole[i - 1]) < nf__heap_key_i64(whole[i]));
    }
    for (size_t i = 0; i < COUNT(real); i++) {
        const double back = nf__heap_f64_of(nf__heap_key_f64(real[i]));
        assert_memory_equal(&back, &real[i], sizeof back);
        assert_true(i == 0 || nf__heap_key_f64(real[i - 1]) < nf__heap_key_f64(real[i]));
    }
    assert_true(nf__heap_key_f64(-0.0) == nf__heap_key_f64(0.0));
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

/* The k-th allocation fails: the heap stays as it was, and goes on when there is memory again. */
static bool fail_at(long long k)
{
    enum { N = 3000 };
    purse p = {-1, 0, 0};
    nf_context *ctx = purse_context(&p);
    nf__bucket_heap *h = NULL;
    p.left = k;
    if (nf__bucket_heap_create(nf__context_mem(ctx), N, 2, &h) != NF_OK) {
        assert_null(h);
        OK(nf__bucket_heap_create(nf__context_mem(ctx), N, 2, &h));
    }
    for (nf_vid v = 0; v < N; v++)
        if (nf__bucket_heap_update(h, v * 7 % 11, v) != NF_OK) {
            assert_true(nf__bucket_heap_size(h) == v);
            OK(nf__bucket_heap_check(h));
            OK(nf__bucket_heap_update(h, v * 7 % 11, v));
        }
    const bool refused = p.refused > 0;
    p.left = -1;
    assert_true(nf__bucket_heap_size(h) == N);
    OK(nf__bucket_heap_check(h));
    nf__bucket_heap_free(h);
    nf_context_free(ctx);
    assert_true(p.live == 0);
    return refused;
}

static void test_refused_memory(void **state)
{
    (void)state;
    long long k = 0;
    while (fail_at(k))
        k++;
    assert_true(k >= 8); /* heap, states, and each of the levels */
}

/* ---- teams ------------------------------------------------------------------------------------------------------- */

enum { TEAM_N = 30000, TEAM_D = 2, TEAM_STEPS = 60000 };

/* A fixed play whose every answer is folded into a sum. */
typedef struct script {
    nf__bucket_heap *heap;
    uint64_t seed, sum;
} script;

static void run_script(void *arg)
{
    script *s = arg;
    nf__heap_item items[TEAM_D];
    for (uint64_t i = 0; i < TEAM_STEPS; i++) {
        const uint64_t bits = nf__hash64(s->seed, i);
        const nf_vid v = (nf_vid)nf__below(bits, TEAM_N);
        const unsigned dice = bits & 15;
        if (dice == 0)
            OK(nf__bucket_heap_delete(s->heap, v));
        else if (dice < 6) {
            const uint32_t got = nf__bucket_heap_extract_min(s->heap, items, 1 + (dice & 1));
            for (uint32_t k = 0; k < got; k++)
                s->sum = nf__hash64(s->sum ^ items[k].priority, items[k].value);
        } else
            OK(nf__bucket_heap_update(s->heap, nf__hash64(s->seed + 1, i) >> 40, v));
        s->sum += nf__bucket_heap_size(s->heap);
    }
}

static void test_team_gives_the_same(void **state)
{
    (void)state;
    nf_context *ctx = make_context(8);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        script alone = {NULL, seed, 0};
        OK(nf__bucket_heap_create(nf__context_mem(ctx), TEAM_N, TEAM_D, &alone.heap));
        run_script(&alone);
        const nf__heap_counters want = nf__bucket_heap_counters(alone.heap);
        for (int threads = 1; threads <= 8; threads *= 2) {
            script s = {NULL, seed, 0};
            OK(nf__bucket_heap_create(nf__context_mem(ctx), TEAM_N, TEAM_D, &s.heap));
            OK(nf__bucket_heap_reserve(s.heap));
            nf__bucket_heap_team(s.heap, threads, run_script, &s);
            OK(nf__bucket_heap_check(s.heap));
            const nf__heap_counters got = nf__bucket_heap_counters(s.heap);
            assert_true(s.sum == alone.sum);
            assert_true(got.conflicts == 0 && got.moved == want.moved && got.extracts == want.extracts);
            for (unsigned i = 0; i < want.levels; i++)
                assert_true(got.resolves[i] == want.resolves[i]);
            nf__bucket_heap_free(s.heap);
        }
        nf__bucket_heap_free(alone.heap);
    }
    nf_context_free(ctx);
}

/* Makes a Resolve(3) of the helper and a Resolve(1) of the owner meet, if the schedule lets them: the owner begins no
 * Resolve(0) while a Resolve(3) is due that nobody has begun; the helper does not end it before they have met.
 * The owner may take up to four Resolve(1) in that time, so neither waits in vain, however loaded the machine is. */
#define MOST_MS 60000.0

typedef struct meeting {
    atomic_int inside[NF__HEAP_LEVELS];
    atomic_int met, neighbours, due;
    unsigned twos; /* Resolve(2) ended; there is one at a time */
    double deadline;
} meeting;

static void wait_for_helper(meeting *m)
{
    while (atomic_load(&m->due) != 0 && atomic_load(&m->met) == 0 && nf__now_ms() < m->deadline)
        sched_yield();
}

static void wait_for_owner(meeting *m)
{
    atomic_store(&m->due, 0);
    do {
        if (atomic_load(&m->inside[1]) > 0)
            atomic_store(&m->met, 1);
        sched_yield();
    } while (omp_get_thread_num() != 0 && atomic_load(&m->met) == 0 && nf__now_ms() < m->deadline);
}

static void watch(void *arg, unsigned level, bool begin)
{
    meeting *m = arg;
    atomic_fetch_add(&m->inside[level], begin ? 1 : -1);
    if (!begin && level == 2 && ++m->twos % 4 == 0)
        atomic_store(&m->due, 1);
    if (!begin)
        return;
    if ((level > 0 && atomic_load(&m->inside[level - 1]) > 0) || atomic_load(&m->inside[level + 1]) > 0)
        atomic_fetch_add(&m->neighbours, 1);
    if (level == 1 && atomic_load(&m->inside[3]) > 0)
        atomic_store(&m->met, 1);
    if (level == 0)
        wait_for_helper(m);
    if (level == 3)
        wait_for_owner(m);
}

static void test_resolves_overlap(void **state)
{
    (void)state;
    nf_context *ctx = make_context(2);
    meeting *m = calloc(1, sizeof *m);
    script s = {NULL, 3, 0};
    assert_non_null(m);
    m->deadline = nf__now_ms() + MOST_MS;
    OK(nf__bucket_heap_create(nf__context_mem(ctx), TEAM_N, TEAM_D, &s.heap));
    OK(nf__bucket_heap_reserve(s.heap));
    nf__bucket_heap_trace(s.heap, watch, m);
    nf__bucket_heap_team(s.heap, 2, run_script, &s);
    const nf__heap_counters c = nf__bucket_heap_counters(s.heap);
    assert_true(atomic_load(&m->met) > 0);
    assert_true(c.overlaps > 0);
    assert_int_equal(atomic_load(&m->neighbours), 0);
    assert_true(c.conflicts == 0);
    nf__bucket_heap_free(s.heap);
    free(m);
    nf_context_free(ctx);
}

/* ---- Dijkstra's algorithm over it -------------------------------------------------------------------------------- */

static nf_graph *uniform(nf_context *ctx, nf_vid n, nf_type type)
{
    nf_graph *g = NULL;
    nf_generate_options o = {.size = sizeof o};
    OK(nf_generate_defaults("uniform", &o));
    o.n = n;
    o.weight_type = type;
    o.weight_min = 1;
    o.weight_max = 255;
    o.seed = 5;
    OK(nf_generate(ctx, &o, &g));
    return g;
}

static nf_result *solve(nf_context *ctx, const nf_graph *g, const char *name, const char *knobs[2])
{
    nf_result *r = NULL;
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = name,
                              .flags = NF_RUN_DETERMINISTIC,
                              .knobs = knobs,
                              .knob_count = knobs != NULL ? 2 : 0};
    OK(nf_sssp(ctx, g, 0, &o, &r));
    return r;
}

/* Every batch size, alone or in a team: each vertex settled once, each arc relaxed once, the oracle's distances. */
static void test_sssp(void **state)
{
    (void)state;
    enum { N = 4000 };
    static const char *const ds[] = {"d=1", "d=3", "d=64", "d=5000"};
    static const char *const teams[] = {"resolve=alone", "resolve=team", "resolve=auto"};
    static const nf_type types[] = {NF_I32, NF_U32, NF_F32, NF_F64};
    nf_context *ctx = make_context(3);
    for (size_t t = 0; t < COUNT(types); t++) {
        nf_graph *g = uniform(ctx, N, types[t]);
        nf_result *want = solve(ctx, g, "dijkstra", NULL);
        nf_run_info must = {.size = sizeof must}, is = {.size = sizeof is};
        OK(nf_result_info(want, &must));
        for (size_t i = 0; i < COUNT(ds) * COUNT(teams); i++) {
            const char *knobs[2] = {ds[i / COUNT(teams)], teams[i % COUNT(teams)]};
            nf_result *got = solve(ctx, g, "bucket-heap", knobs);
            OK(nf_result_info(got, &is));
            assert_int_equal(is.iterations, must.iterations);
            assert_int_equal(is.edges_relaxed, must.edges_relaxed);
            assert_memory_equal(nf_result_distances(got, 0), nf_result_distances(want, 0),
                                N * (types[t] == NF_F32 ? sizeof(float) : sizeof(int64_t)));
            assert_memory_equal(nf_result_parents(got, 0), nf_result_parents(want, 0), N * sizeof(nf_vid));
            nf_result_free(got);
        }
        nf_result_free(want);
        nf_graph_free(g);
    }
    nf_context_free(ctx);
}

/* The formula of its entry: 185 n + 128 d, and fixed parts. */
static void test_sssp_memory(void **state)
{
    (void)state;
    enum { N = 33000 };
    static int64_t dist[N];
    for (int threads = 1; threads <= 2; threads++) {
        nf_context *ctx = make_context(threads);
        nf_graph *g = uniform(ctx, N, NF_I32);
        const char *knobs[2] = {"d=64", "resolve=team"};
        nf_result *r = NULL;
        nf_run_info info = {.size = sizeof info};
        const nf_run_options o = {
            .size = sizeof o, .algorithm = "bucket-heap", .distances = dist, .knobs = knobs, .knob_count = 2};
        OK(nf_sssp(ctx, g, 0, &o, &r));
        OK(nf_result_info(r, &info));
        const uint64_t graph = 4 * (N + 1) + 8 * nf_graph_m(g);
        assert_true(info.peak_bytes <= graph + UINT64_C(185) * N + 128 * 64 + 16384);
        nf_result_free(r);
        nf_graph_free(g);
        nf_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_back_and_forth),    cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refused_memory),    cmocka_unit_test(test_team_gives_the_same),
        cmocka_unit_test(test_resolves_overlap),  cmocka_unit_test(test_sssp),
        cmocka_unit_test(test_sssp_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
