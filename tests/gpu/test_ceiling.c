/* test_ceiling.c - `near-far` under a ceiling on the emulator: what it passes over and lifts, told by the log; the same
 * answers under every loop, policy and schedule; where there is none; the memory it takes.
 */
#include "trace.h"

/* What a run told of its ceilings. */
typedef struct ceilings {
    told rounds;
    unsigned long long count, lifted, passed;
    bool told;
} ceilings;

static void hear_ceilings(void *user, nf_log_level level, const char *text)
{
    ceilings *c = user;
    hear(&c->rounds, level, text);
    if (strncmp(text, "sssp ceilings ", 14) != 0)
        return;
    c->count = number_in(text, "ceilings");
    c->lifted = number_in(text, "lifted");
    c->passed = number_in(text, "passed");
    c->told = true;
}

/* Distances, and parents if they are deterministic, are the CPU's; other parents are a tree. */
static ceilings run_under(const char *settings, const nf_graph *g, const nf_run_options *how)
{
    static ceilings c;
    nf_context *ctx = open_device("emulator", settings, 0, hear_ceilings, memset(&c, 0, sizeof c));
    nf_result *r = run_by(ctx, g, false, how);
    expect_cpus(g, r, false, how->flags);
    if ((how->flags & (NF_RUN_PARENTS | NF_RUN_DETERMINISTIC)) == NF_RUN_PARENTS)
        expect_tree(g, r, 0, 0);
    nf_result_free(r);
    nf_context_free(ctx);
    assert_true(c.rounds.totals);
    return c;
}

#define NEAR_FAR(settings, g, flags, ...) run_under(settings, g, HOW("near-far", flags, "census=1", __VA_ARGS__))

/* Few sums are looked up where order is narrow, no more arcs are relaxed than without, and few rounds are added. */
static void most_sums_are_passed_over(void **state)
{
    nf_graph *g = generate("kronecker", 10, 16, 5);
    const nf_eid m = nf_graph_m(g);
    (void)state;
    const ceilings off = NEAR_FAR("", g, TREE, "delta=8"), on = NEAR_FAR("", g, TREE, "delta=8", "ceiling=on");
    assert_false(off.told);
    assert_true(on.told && on.count >= 1 && on.lifted > 0 && on.lifted < on.count * nf_graph_n(g));
    assert_true(on.passed > m / 3);
    assert_true(on.rounds.all_arcs <= off.rounds.all_arcs * 11 / 10);
    assert_true(on.rounds.rounds < off.rounds.rounds * 3 / 2);
    nf_graph_free(g);
}

static void every_loop_and_policy_agrees(void **state)
{
    static const char *const knobs[][2] = {
        {"loop=host", "duplicates=auto"},           {"loop=persistent", "duplicates=none"},
        {"loop=host", "duplicates=table"},          {"loop=persistent", "duplicates=hash64"},
        {"loop=persistent", "duplicates=atomic64"}, {"loop=host", "duplicates=atomic64"},
        {"mapping=virtual-warp:4", "threads=32"},   {"mapping=two-phase", "scope=grid"},
        {"mapping=block-search", "loop=host"}}; /* one that it has not: two-phase in its place */
    nf_graph *g = generate("kronecker", 9, 16, 6);
    (void)state;
    for (size_t i = 0; i < COUNT(knobs); i++)
        for (unsigned parents = 0; parents < 3; parents++) {
            const uint32_t flags = parents == 0 ? 0 : parents == 1 ? NF_RUN_PARENTS : TREE;
            const ceilings c = NEAR_FAR("", g, flags, "delta=12", "ceiling=on", knobs[i][0], knobs[i][1]);
            assert_true(c.count >= 1 && c.lifted > 0);
        }
    nf_graph_free(g);
}

static void any_schedule_gives_the_same(void **state)
{
    static const char *const profiles[] = {"4x256", "2x64", "1x32"};
    nf_graph *g = generate("kronecker", 9, 16, 6);
    char settings[64];
    (void)state;
    for (int seed = 1; seed <= 9; seed++) {
        snprintf(settings, sizeof settings, "seed=%d,preempt=0.05,profile=%s", seed, profiles[seed % 3]);
        const ceilings c = NEAR_FAR(settings, g, NF_RUN_PARENTS, "delta=12", "ceiling=on");
        assert_true(c.count >= 1 && c.lifted > 0);
    }
    nf_graph_free(g);
}

/* Hubs 0 and 1, light arcs between them and to `near` vertices, and behind heavy ones, the less so the farther these
 * are: vertices with long lists, others that only those reach, and some that nobody does. */
static nf_graph *hills(nf_vid near, nf_vid high)
{
    const size_t most = 2 * (size_t)near + (size_t)high * (near / 2 + 1) + 1;
    const arc_list a = arcs_make(most);
    nf_eid m = 0;
    a.src[m] = 0, a.dst[m] = 1, a.w[m++] = 1;
    for (nf_vid v = 2; v < near + 2; v++) {
        a.src[m] = 0, a.dst[m] = v, a.w[m++] = 1 + (int32_t)(v % 3);
        a.src[m] = 1, a.dst[m] = v, a.w[m++] = 200;
    }
    for (nf_vid h = 0; h < high; h++) {
        for (nf_vid v = 2; v < near / 2 + 2; v++)
            a.src[m] = v, a.dst[m] = near + 2 + h, a.w[m++] = 250 - 10 * (int32_t)(v % 3) + (int32_t)(h % 4);
        a.src[m] = near + 2 + h, a.dst[m] = near + 2 + high + h, a.w[m++] = 3;
    }
    return graph_from(near + 2 + 2 * high + 5, m, a, NF_BUILD_UNDIRECTED);
}

/* What is above has long lists, pulled by warps, or is reached from above only. */
static void what_is_above_is_found_again(void **state)
{
    nf_graph *g = hills(150, 2);
    static const char *const loops[] = {"loop=host", "loop=persistent"};
    (void)state;
    for (size_t i = 0; i < COUNT(loops); i++) {
        const ceilings c = NEAR_FAR("", g, TREE, "delta=1", "ceiling=on", loops[i]);
        assert_true(c.count >= 1 && c.lifted >= 2);
        assert_true(c.passed >= 50 * 2); /* the heavy arcs from below, but those of the nearest third at most */
    }
    nf_graph_free(g);
}

/* Directed graphs have no arcs to pull by, unit weights nothing to pass over, roads are another's; targets would be
 * taken for final. All of these are answered all the same. */
static void others_go_without(void **state)
{
    const nf_vid targets[] = {3, 5};
    nf_run_options o = {.size = sizeof o, .algorithm = "near-far", .targets = targets, .target_count = 2};
    static const char *const on[] = {"ceiling=on"};
    nf_graph *directed = falling(40), *units = tree_of(9, 3, 5), *road = grid_of(12, 12);
    nf_graph *const graphs[] = {directed, units, road};
    nf_graph *g = generate("kronecker", 8, 16, 7);
    static ceilings c;
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        assert_false(NEAR_FAR("", graphs[i], TREE, "ceiling=on").told);
        nf_graph_free(graphs[i]);
    }
    o.knobs = on, o.knob_count = 1;
    nf_context *ctx = open_device("emulator", "", 0, hear_ceilings, memset(&c, 0, sizeof c));
    nf_result *r = run_by(ctx, g, false, &o), *want = run_on_cpu(g, false, 0);
    assert_false(c.told);
    for (size_t i = 0; i < COUNT(targets); i++)
        assert_true(nf_result_distance(r, 0, targets[i]) == nf_result_distance(want, 0, targets[i]));
    nf_result_free(r);
    nf_result_free(want);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* What a split drops because it is above comes to the pile again when it falls below (C1 of ceiling.cuh). */
static void what_is_dropped_comes_back(void **state)
{
    static const char *const widths[] = {"delta=2", "delta=8", "delta=32"};
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed += 2) {
        nf_graph *g = generate("kronecker", 12, 16, seed);
        for (size_t i = 0; i < COUNT(widths); i++)
            assert_true(NEAR_FAR("", g, NF_RUN_PARENTS, widths[i], "ceiling=on").count >= 1);
        nf_graph_free(g);
    }
}

/* Frontiers of many arcs are cut: most of what is passed over is not read (C4). */
static void lists_are_cut(void **state)
{
    nf_graph *g = generate("kronecker", 13, 32, 4);
    (void)state;
    const ceilings off = NEAR_FAR("", g, NF_RUN_PARENTS, "ceiling=off"),
                   on = NEAR_FAR("", g, NF_RUN_PARENTS, "ceiling=on");
    assert_true(!off.told && on.count >= 1 && on.lifted > 0);
    assert_true(2 * on.rounds.all_arcs < off.rounds.all_arcs);
    unsigned cuts = 0;
    for (unsigned k = 0; k < on.rounds.rounds; k++)
        cuts += on.rounds.frontier[k] == 0;
    assert_true(cuts > on.rounds.splits); /* a round each */
    nf_graph_free(g);
}

/* Once: where lists are long a frontier has more arcs than are worth a cut after it, too. */
static void what_is_cut_is_not_cut_again(void **state)
{
    nf_graph *g = generate("kronecker", 13, 64, 4);
    bool large = false;
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        const ceilings c = NEAR_FAR("", g, 0, "ceiling=on", loop == 0 ? "loop=host" : "loop=persistent");
        for (unsigned k = 1; k < c.rounds.rounds; k++)
            large |= c.rounds.frontier[k - 1] == 0 && c.rounds.arcs[k] > 1 << 16;
        assert_true(large);
    }
    nf_graph_free(g);
}

/* A cutoff below, within and above what is lifted. */
static void cutoffs_hold(void **state)
{
    nf_graph *g = generate("kronecker", 9, 16, 6);
    nf_context *ctx = emulator("", NULL), *cpu = open_cpu();
    static const char *const knobs[] = {"ceiling=on", "delta=12"};
    (void)state;
    for (double cutoff = 5; cutoff < 700; cutoff *= 2) {
        nf_run_options o = {.size = sizeof o, .flags = NF_RUN_CUTOFF, .cutoff = cutoff};
        nf_result *want = run_by(cpu, g, false, &o);
        o.algorithm = "near-far", o.knobs = knobs, o.knob_count = 2;
        nf_result *r = run_by(ctx, g, false, &o);
        expect_same(g, r, want, false, 0);
        nf_result_free(r);
        nf_result_free(want);
    }
    nf_context_free(ctx);
    nf_context_free(cpu);
    nf_graph_free(g);
}

/* Weights as floats, and as integers whose sums leave 32 bits. */
static void every_type_is_exact(void **state)
{
    nf_context *ctx = emulator("", NULL);
    const nf_run_options *const how = HOW("near-far", NF_RUN_PARENTS, "ceiling=on");
    (void)state;
    expect_type(ctx, NF_F32, 255, how);
    expect_type(ctx, NF_F64, 255, how);
    expect_type(ctx, NF_U32, 4e9, how);
    expect_type(ctx, NF_I32, 2e9, how);
    nf_context_free(ctx);
}

/* 11,288 bytes more than without, and lists by weight: six blocks that begin at multiples of 256. */
static void memory_is_what_is_said(void **state)
{
    nf_graph *g = star_of(2000);
    (void)state;
    assert_true(NEAR_FAR("", g, 0, "ceiling=on").told);
    const double off = least_bytes(g, PLAIN("near-far", 0)), on = least_bytes(g, HOW("near-far", 0, "ceiling=on"));
    const double more = 11288 + 8 * ((double)nf_graph_m(g) + 2 + nf_graph_n(g));
    assert_true(on - off >= more - 64 && on - off <= more + 6 * 256 + 64);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_sums_are_passed_over),
        cmocka_unit_test(every_loop_and_policy_agrees),
        cmocka_unit_test(any_schedule_gives_the_same),
        cmocka_unit_test(what_is_above_is_found_again),
        cmocka_unit_test(what_is_dropped_comes_back),
        cmocka_unit_test(lists_are_cut),
        cmocka_unit_test(others_go_without),
        cmocka_unit_test(cutoffs_hold),
        cmocka_unit_test(every_type_is_exact),
        cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(what_is_cut_is_not_cut_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
