/* test_alloc.c - the k-th allocation fails, for every k, in every public call.
 *
 * For each call of the list and k = 0, 1, 2, ...: in a fresh scene the k-th allocation of the call is refused. Then
 *   the call ends with NF_ENOMEM and a text, hands over nothing, and leaves no file, whole or partial;
 *   the same call succeeds at once in the same context;
 *   nothing is held once everything is freed.
 * k grows until the call gets through without meeting the refusal.
 */
#include "fault.h"

#include <stdio.h>
#include <string.h>

enum { TOO_MANY = 20000 };

static void expect_nothing_made(const scene *s, const call *c, long long k)
{
    if (s->made_graph || s->made_result || s->made_path || s->made_array)
        fail_msg("%s, allocation %lld: failed, but handed something over", c->name, k);
    if (nf_last_error()[0] == '\0')
        fail_msg("%s, allocation %lld: no text", c->name, k);
    if (c->writes && files_count(s->folder, "out") != 0)
        fail_msg("%s, allocation %lld: left a file behind", c->name, k);
}

/* True once the call got through. */
static bool fail_at(const char *folder, const call *c, long long k)
{
    scene s;
    scene_open(&s, folder, NULL);
    faults_arm(&s.faults, k);
    nf_status st = c->run(&s, c);
    const bool fired = atomic_load(&s.faults.fired) > 0;
    faults_disarm(&s.faults);
    if (st != (fired ? NF_ENOMEM : c->expect))
        fail_msg("%s, allocation %lld%s: %s (%s)", c->name, k, fired ? " refused" : "", nf_status_name(st),
                 nf_last_error());
    if (fired) {
        expect_nothing_made(&s, c, k);
        scene_drop(&s);
        st = c->run(&s, c);
        if (st != c->expect)
            fail_msg("%s, after allocation %lld failed: %s (%s)", c->name, k, nf_status_name(st), nf_last_error());
    }
    files_clear(folder, "out");
    scene_close(&s);
    if (atomic_load(&s.faults.live) != 0)
        fail_msg("%s, allocation %lld: %lld blocks leaked", c->name, k, atomic_load(&s.faults.live));
    return !fired;
}

static void fail_everywhere(const char *folder, call_list *list)
{
    long long total = 0;
    assert_true(list->count > 0);
    for (size_t i = 0; i < list->count; i++) {
        long long k = 0;
        while (!fail_at(folder, &list->items[i], k))
            if (++k > TOO_MANY)
                fail_msg("%s: more than %d allocations", list->items[i].name, TOO_MANY);
        total += k;
    }
    print_message("%zu calls, %lld allocations refused\n", list->count, total);
    assert_true(total > 0);
    call_list_free(list);
}

static void with_list(void **state, void (*fill)(call_list *))
{
    call_list list = {0};
    fill(&list);
    fail_everywhere(*state, &list);
}

static void test_build(void **state)
{
    with_list(state, list_build_calls);
}
static void test_views(void **state)
{
    with_list(state, list_view_calls);
}
static void test_generate(void **state)
{
    with_list(state, list_generate_calls);
}
static void test_runs(void **state)
{
    with_list(state, list_run_calls);
}
static void test_read(void **state)
{
    with_list(state, list_read_calls);
}
static void test_write(void **state)
{
    with_list(state, list_write_calls);
}
static void test_results(void **state)
{
    with_list(state, list_result_calls);
}

static void test_context(void **state)
{
    (void)state;
    for (long long k = 0;; k++) {
        faults f = {0};
        nf_context_options o = {.size = sizeof o, .allocator = faults_allocator(&f)};
        nf_context *ctx = NULL;
        faults_arm(&f, k);
        const nf_status st = nf_context_create(&o, &ctx);
        const bool fired = atomic_load(&f.fired) > 0;
        assert_int_equal(st, fired ? NF_ENOMEM : NF_OK);
        assert_true(fired == (ctx == NULL));
        nf_context_free(ctx);
        assert_int_equal(atomic_load(&f.live), 0);
        if (!fired)
            break;
    }
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
        cmocka_unit_test(test_context),  cmocka_unit_test(test_build),   cmocka_unit_test(test_views),
        cmocka_unit_test(test_generate), cmocka_unit_test(test_runs),    cmocka_unit_test(test_read),
        cmocka_unit_test(test_write),    cmocka_unit_test(test_results),
    };
    return cmocka_run_group_tests(tests, create_files, remove_files);
}
