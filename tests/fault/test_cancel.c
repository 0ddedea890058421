/* test_cancel.c - work that is told to stop: by the progress callback at each of its calls, by nf_context_cancel before
 * the call and from another thread. It ends soon with NF_ECANCELLED, leaks nothing, and the context serves the next
 * call. */
#define _GNU_SOURCE
#include "fault.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG_N = 3000, MOST_CALLS = 6 };

typedef struct brake {
    long long calls, stop_at; /* cancel at this call; -1: never */
} brake;

static bool on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    brake *b = user;
    assert_non_null(phase);
    assert_true(total == 0 || done <= total);
    return b->calls++ == b->stop_at;
}

/* Of this process: on a loaded machine it may wait long for its turn. */
static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static nf_graph *long_graph(nf_context *ctx)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *graph = NULL;
    assert_int_equal(nf_generate_defaults("grid2d", &o), NF_OK);
    o.n = LONG_N;
    o.weight_type = NF_I32, o.weight_min = 1, o.weight_max = 100;
    if (nf_generate(ctx, &o, &graph) != NF_OK)
        fail_msg("%s", nf_last_error());
    return graph;
}

/* A run of a second or so whose rows are dropped. */
static nf_status drop_tile(void *user, const nf_tile *tile)
{
    (void)user, (void)tile;
    return NF_OK;
}

static nf_status long_run(nf_context *ctx, const nf_graph *graph, const char *algorithm)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .sink = drop_tile};
    nf_result *result = NULL;
    const nf_status st = nf_apsp(ctx, graph, &o, &result);
    assert_true(st == NF_OK || result == NULL);
    nf_result_free(result);
    return st;
}

static void expect_usable(nf_context *ctx, const nf_graph *graph)
{
    nf_result *result = NULL;
    assert_int_equal(nf_sssp(ctx, graph, 0, NULL, &result), NF_OK);
    nf_result_free(result);
}

static void test_callback(void **state)
{
    (void)state;
    for (brake b = {.stop_at = 0}; b.stop_at < MOST_CALLS; b.stop_at++) {
        faults f = {0};
        const long long stop_at = b.stop_at;
        nf_context_options o = {.size = sizeof o,
                                .threads = 2,
                                .progress = on_progress,
                                .progress_user = &b,
                                .allocator = faults_allocator(&f)};
        nf_context *ctx = NULL;
        faults_disarm(&f);
        b.stop_at = -1;
        assert_int_equal(nf_context_create(&o, &ctx), NF_OK);
        nf_graph *graph = long_graph(ctx);
        b.calls = 0, b.stop_at = stop_at;
        const nf_status st = long_run(ctx, graph, NULL);
        if (stop_at == 0)
            assert_true(b.calls > 0); /* such a run reports */
        assert_int_equal(st, b.calls > stop_at ? NF_ECANCELLED : NF_OK);
        assert_true(b.calls <= stop_at + 1); /* and not again once told to stop */
        b.stop_at = -1;
        expect_usable(ctx, graph);
        b.stop_at = stop_at;
        nf_graph_free(graph);
        nf_context_free(ctx);
        assert_int_equal(atomic_load(&f.live), 0);
    }
}

/* Every call, told before it begins: it may be over before it looks, but it may end in no other way. */
static void cancel_before(const char *folder, void (*fill)(call_list *), bool must)
{
    call_list list = {0};
    size_t cancelled = 0;
    fill(&list);
    for (size_t i = 0; i < list.count; i++) {
        const call *c = &list.items[i];
        scene s;
        scene_open(&s, folder, NULL);
        nf_context_cancel(s.ctx);
        nf_status st = c->run(&s, c);
        if (st != NF_ECANCELLED && (must || st != c->expect))
            fail_msg("%s after a cancel: %s", c->name, nf_status_name(st));
        if (st == NF_ECANCELLED && c->writes && files_count(folder, "out") != 0)
            fail_msg("%s after a cancel: left a file behind", c->name);
        cancelled += st == NF_ECANCELLED;
        scene_drop(&s);
        st = c->run(&s, c);
        if (st != c->expect)
            fail_msg("%s, the call after the cancelled one: %s", c->name, nf_status_name(st));
        files_clear(folder, "out");
        scene_close(&s);
        if (atomic_load(&s.faults.live) != 0)
            fail_msg("%s after a cancel: %lld blocks leaked", c->name, atomic_load(&s.faults.live));
    }
    print_message("%zu of %zu calls ended as cancelled\n", cancelled, list.count);
    call_list_free(&list);
}

static void test_before(void **state)
{
    cancel_before(*state, list_run_calls, true);
    cancel_before(*state, list_build_calls, false);
    cancel_before(*state, list_generate_calls, false);
    cancel_before(*state, list_read_calls, false);
    cancel_before(*state, list_write_calls, false);
    cancel_before(*state, list_result_calls, false);
}

typedef struct canceller {
    nf_context *ctx;
    double at_ms; /* out: the process's time when it was done */
} canceller;

static void *cancel_later(void *arg)
{
    canceller *c = arg;
    usleep(60000);
    c->at_ms = cpu_ms();
    nf_context_cancel(c->ctx);
    return NULL;
}

static void test_other_thread(void **state)
{
    static const char *const algorithms[] = {"floyd-warshall", "johnson"};
    (void)state;
    nf_context_options o = {.size = sizeof o, .threads = 2};
    nf_context *ctx = NULL;
    assert_int_equal(nf_context_create(&o, &ctx), NF_OK);
    nf_graph *graph = long_graph(ctx);
    for (size_t i = 0; i < 2; i++) {
        canceller c = {.ctx = ctx};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
        const nf_status st = long_run(ctx, graph, algorithms[i]);
        const double end = cpu_ms();
        pthread_join(thread, NULL);
        if (st != NF_ECANCELLED)
            fail_msg("%s: %s", algorithms[i], nf_status_name(st));
        if (end - c.at_ms > 1000) /* 100 ms without sanitizers */
            fail_msg("%s went on for %.0f ms of work after the cancel", algorithms[i], end - c.at_ms);
        expect_usable(ctx, graph);
    }
    nf_graph_free(graph);
    nf_context_free(ctx);
}

static int create_files(void **state)
{
    *state = files_create();
    return 0;
}

static int remove_files(void **state)
{
    files_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_before),
        cmocka_unit_test(test_other_thread),
    };
    return cmocka_run_group_tests(tests, create_files, remove_files);
}
