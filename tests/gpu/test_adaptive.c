/* test_adaptive.c - `auto` for shortest paths with switch=on, on the emulator: turns that its rounds' counters ask for,
 * told by log and reason; none where they do not; the same answers under many schedules. */
#include "trace.h"

#define MOST_TURNS 64

typedef struct turns {
    told t; /* first: hear() */
    unsigned count, round[MOST_TURNS];
    unsigned long long each[MOST_TURNS];
    int width[MOST_TURNS]; /* 2^ that */
    bool none[MOST_TURNS], back[MOST_TURNS];
    char reason[256], algorithm[40];
} turns;

static void hear_turns(void *user, nf_log_level level, const char *text)
{
    turns *w = user;
    const unsigned i = w->count;
    hear(&w->t, level, text);
    if (strncmp(text, "sssp turn ", 10) != 0 || i == MOST_TURNS)
        return;
    assert_int_equal(sscanf(text, "sssp turn %*u, round %u: %llu", &w->round[i], &w->each[i]), 2);
    w->none[i] = strstr(text, "in no order") != NULL;
    w->back[i] = strstr(text, "in order again") != NULL;
    assert_non_null(strstr(text, "width"));
    w->width[i] = (int)strtol(strstr(text, "2^") + 2, NULL, 10);
    w->count++;
}

/* Distances and parents are those of the CPU. */
static turns run_turning(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    static turns w;
    nf_run_info info = {.size = sizeof info};
    memset(&w, 0, sizeof w);
    nf_context *ctx = open_device("emulator", settings, 0, hear_turns, &w);
    nf_result *r = run_by(ctx, g, false, how);
    expect_cpus(g, r, false, how->flags);
    OK(nf_result_info(r, &info));
    snprintf(w.reason, sizeof w.reason, "%s", info.reason);
    snprintf(w.algorithm, sizeof w.algorithm, "%s", info.algorithm);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(w.t.totals);
    return w;
}

/* A chain from vertex 0, then a crowd of `crowd` vertices with `degree` arcs each, then as long a chain again. */
static nf_graph *chain_and_crowd(nf_vid chain, nf_vid crowd, nf_vid degree)
{
    const nf_vid n = 2 * chain + crowd;
    const size_t m = 2 * (size_t)chain + (size_t)crowd * degree;
    const arc_list a = arcs_make(m);
    size_t e = 0;
    uint64_t x = 5;
    for (nf_vid v = 0; v < chain; v++, e++)
        a.src[e] = v, a.dst[e] = v + 1, a.w[e] = 50 + (int32_t)(v * 37 % 101);
    for (nf_vid i = 0; i < chain; i++, e++)
        a.src[e] = i == 0 ? chain : chain + crowd + i - 1, a.dst[e] = chain + crowd + i, a.w[e] = 400;
    for (nf_vid i = 0; i < crowd; i++)
        for (nf_vid k = 0; k < degree; k++, e++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            a.src[e] = chain + i, a.dst[e] = chain + (nf_vid)((x >> 33) % crowd), a.w[e] = 1 + (int32_t)(x >> 20 & 63);
        }
    assert_int_equal(e, m);
    return graph_from(n, m, a, 0);
}

/* The chain's rounds have an arc each: the width doubles, then there is no order; the crowd's frontier puts it back. */
static void it_turns_on_a_chain_and_back_in_a_crowd(void **state)
{
    static const char *const loops[] = {"loop=persistent", "loop=host"};
    nf_graph *g = chain_and_crowd(120, 1200, 12);
    (void)state;
    for (size_t k = 0; k < COUNT(loops); k++) {
        const turns w = run_turning("profile=2x32", g, HOW("auto", TREE, "switch=on", loops[k]));
        assert_string_equal(w.algorithm, "hybrid");
        assert_true(w.count >= 5 && w.t.returns >= 1 && w.t.switches >= 1);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(w.width[i], i + 1);
            assert_true(w.each[i] < 8 && !w.none[i] && !w.back[i]);
        }
        assert_true(w.none[3] && !w.back[3]);
        assert_true(w.back[4] && w.each[4] > 64); /* vertices of the frontier */
        assert_true(w.round[0] < w.round[3] && w.round[3] < w.round[4] && w.round[3] < 120 && w.round[4] > 100);
        assert_non_null(strstr(w.reason, "turns, the first at round "));
        assert_null(strstr(w.reason, "no turn"));
    }
    nf_graph_free(g);
}

/* `parts` times a chain and the crowd it leads to, whose first vertex begins the next chain, far behind the crowd. */
static nf_graph *chains_and_crowds(nf_vid parts, nf_vid chain, nf_vid crowd, nf_vid degree)
{
    const nf_vid each = chain + crowd;
    const size_t m = (size_t)parts * (chain + 1 + (size_t)crowd * degree);
    const arc_list a = arcs_make(m);
    size_t e = 0;
    uint64_t x = 5;
    for (nf_vid base = 0; base < parts * each; base += each) {
        for (nf_vid i = 0; i < chain; i++, e++)
            a.src[e] = base + i, a.dst[e] = base + i + 1, a.w[e] = 100;
        a.src[e] = base + chain, a.dst[e] = (base + each) % (parts * each), a.w[e++] = 4000;
        for (nf_vid i = 0; i < crowd * degree; i++, e++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            a.src[e] = base + chain + i / degree, a.dst[e] = base + chain + (nf_vid)((x >> 33) % crowd);
            a.w[e] = 1 + (int32_t)(x >> 20 & 63);
        }
    }
    assert_int_equal(e, m);
    return graph_from(parts * each, m, a, 0);
}

/* Each chain takes three doublings to no order, each crowd turns back: of more turns than there is room for the first
 * are told, and all are counted. */
static void the_first_turns_are_told(void **state)
{
    enum { PARTS = 9, NOTES = 32 };
    nf_graph *g = chains_and_crowds(PARTS, 60, 500, 12);
    char all[80];
    (void)state;
    const turns w = run_turning("profile=2x32", g, HOW("auto", TREE, "switch=on"));
    snprintf(all, sizeof all, "; %d turns, the first at round %u ", 5 * PARTS, w.round[0]);
    assert_non_null(strstr(w.reason, all));
    assert_true(w.t.returns == PARTS && w.t.switches == PARTS);
    assert_int_equal(w.count, NOTES);
    nf_graph_free(g);
}

/* Rounds that fill the device, few arcs twice: nothing asks for a turn. And by default none may be taken. */
static void it_does_not_turn_without_cause(void **state)
{
    nf_graph *g = generate("rmat", 9, 16, 3), *chain = chain_and_crowd(120, 1200, 12);
    (void)state;
    const turns w = run_turning("profile=1x32", g, HOW("auto", TREE, "switch=on"));
    assert_string_equal(w.algorithm, "hybrid");
    assert_int_equal(w.count, 0);
    assert_int_equal(w.t.switches + w.t.returns, 0);
    assert_non_null(strstr(w.reason, "no turn"));
    const turns same = run_turning("profile=1x32", g, HOW("near-far", TREE, "loop=persistent"));
    assert_int_equal(w.t.all_arcs * 20 / same.t.all_arcs, 20);
    for (int k = 0; k < 2; k++) {
        const turns off = run_turning("profile=2x32", chain,
                                      k == 0 ? PLAIN("auto", TREE) : HOW("auto", TREE, "switch=on", "mapping=thread"));
        assert_string_equal(off.algorithm, "near-far");
        assert_int_equal(off.count + off.t.switches + off.t.returns, 0);
        assert_null(strstr(off.reason, "turn"));
    }
    nf_graph_free(g);
    nf_graph_free(chain);
}

/* Labels fall again and again while rounds are full: the width halves, and that saves work. */
static void it_narrows_where_work_is_wasted(void **state)
{
    nf_graph *g = falling(500);
    (void)state;
    const turns off = run_turning("profile=4x64", g, HOW("auto", TREE, "delta=80")),
                on = run_turning("profile=4x64", g, HOW("auto", TREE, "delta=80", "switch=on"));
    assert_int_equal(off.count, 0);
    assert_true(off.t.all_arcs > 4 * nf_graph_m(g));
    assert_true(on.count > 0 && on.width[0] == -1 && on.each[0] > 16);
    assert_true(on.t.all_arcs < off.t.all_arcs);
    nf_graph_free(g);
}

static nf_graph *crowd_of_type(nf_type type)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    OK(nf_generate_defaults("dag-chain", &o));
    o.n = 150, o.edges = 4000, o.seed = 3, o.permute = true;
    if (type != NF_I32)
        o.weight_type = type, o.weight_min = 0.25, o.weight_max = 3;
    OK(nf_generate(NULL, &o, &g));
    return g;
}

/* Of the CPU's, as they are in memory. */
static void expect_equal_bytes(const nf_graph *g, const char *settings, const nf_run_options *how)
{
    nf_context *ctx = open_device("emulator", settings, 0, NULL, NULL);
    nf_result *r = run_by(ctx, g, false, how), *want = run_on_cpu(g, false, how->flags);
    nf_run_info info = {.size = sizeof info};
    OK(nf_result_info(r, &info));
    assert_memory_equal(nf_result_distances(r, 0), nf_result_distances(want, 0),
                        nf_graph_n(g) * nf_type_size(info.type));
    assert_memory_equal(nf_result_parents(r, 0), nf_result_parents(want, 0), nf_graph_n(g) * sizeof(nf_vid));
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
}

static void any_schedule_gives_the_same(void **state)
{
    nf_graph *g = chain_and_crowd(40, 300, 10), *real = crowd_of_type(NF_F32), *wide = crowd_of_type(NF_F64);
    unsigned turned = 0;
    (void)state;
    for (int seed = 1; seed <= 6; seed++) {
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.2,profile=%dx%d", seed, 1 + seed % 3, 32 << seed % 2);
        turned += run_turning(settings, g, HOW("auto", TREE, "switch=on")).count;
        turned += run_turning(settings, g, HOW("auto", TREE, "switch=on", "loop=host", "delta=30")).count;
        expect_equal_bytes(seed % 2 != 0 ? real : wide, settings, HOW("auto", TREE, "switch=on", "delta=0.5"));
    }
    assert_true(turned > 12);
    nf_graph_free(g);
    nf_graph_free(real);
    nf_graph_free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_turns_on_a_chain_and_back_in_a_crowd),
        cmocka_unit_test(the_first_turns_are_told),
        cmocka_unit_test(it_does_not_turn_without_cause),
        cmocka_unit_test(it_narrows_where_work_is_wasted),
        cmocka_unit_test(any_schedule_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
