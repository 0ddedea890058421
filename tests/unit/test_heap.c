/* test_heap.c - nf_heap on every device of the build: against a plain table, the same answers everywhere, what it
 * refuses, memory that fails, and its life beside a context's. */
#include "purse.h"
#include "table.h"
#include "unit.h"

enum { N = 300 };

static uint64_t draw(uint64_t *seed, uint64_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % bound;
}

static void extract(nf_heap *h, table *t, uint64_t count)
{
    uint64_t priorities[N + 9], taken = 0;
    nf_vid values[N + 9];
    OK(nf_heap_extract_min(h, count, priorities, values, &taken));
    assert_true(taken == (count < t->size ? count : t->size));
    for (uint64_t i = 0; i < taken; i++) {
        const nf_vid least = table_least(t);
        assert_int_equal(values[i], least);
        assert_true(priorities[i] == t->priority[least]);
        table_delete(t, least);
    }
    assert_true(nf_heap_size(h) == t->size);
}

/* Random operations; span 1: all priorities equal. */
static void play(nf_context *ctx, uint32_t batch, uint64_t span, unsigned steps)
{
    const nf_heap_options o = {.size = sizeof o, .batch = batch};
    nf_heap *h = NULL;
    table t = table_make(N);
    uint64_t seed = batch + span, priorities[40];
    nf_vid values[40];
    OK(nf_heap_create(ctx, N, &o, &h));
    assert_true(nf_heap_size(h) == 0);
    for (unsigned i = 0; i < steps; i++) {
        const uint64_t dice = draw(&seed, 10), count = 1 + draw(&seed, 40);
        for (uint64_t k = 0; k < count; k++)
            priorities[k] = draw(&seed, span), values[k] = (nf_vid)draw(&seed, N);
        if (dice < 3)
            extract(h, &t, dice == 0 ? 1 : count);
        else if (dice < 5) {
            OK(nf_heap_delete(h, values, count));
            for (uint64_t k = 0; k < count; k++)
                table_delete(&t, values[k]);
        } else {
            OK(nf_heap_update(h, priorities, values, count));
            for (uint64_t k = 0; k < count; k++)
                table_update(&t, priorities[k], values[k]);
        }
        assert_true(nf_heap_size(h) == t.size);
    }
    extract(h, &t, N + 9);
    nf_heap_free(h);
    table_free(&t);
}

static nf_context *open_device(const char *device)
{
    const nf_context_options o = {.size = sizeof o, .device = device, .threads = 2};
    nf_context *ctx = NULL;
    const nf_status st = nf_context_create(&o, &ctx);
    if (st != NF_ENODEVICE)
        OK(st);
    return ctx;
}

static const char *const devices[] = {"cpu", "emulator"};

static void test_operations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i]);
        if (ctx == NULL)
            continue; /* built without it */
        play(ctx, 0, 1000, 40);
        play(ctx, 1, 1, 25);
        play(ctx, 3, UINT64_MAX, 25);
        nf_context_free(ctx);
    }
}

/* Without a context a heap has its own; priorities of all 64 bits. */
static void test_alone(void **state)
{
    const uint64_t priorities[] = {UINT64_MAX, 0, 7, UINT64_MAX - 1};
    const nf_vid values[] = {0, 5, 3, 1}, order[] = {5, 3, 1, 0};
    nf_heap *h = NULL;
    (void)state;
    OK(nf_heap_create(NULL, 6, NULL, &h));
    OK(nf_heap_update(h, priorities, values, 4));
    for (size_t i = 0; i < 4; i++) {
        uint64_t priority = 1, taken = 0;
        nf_vid value = NF_NO_VERTEX;
        OK(nf_heap_extract_min(h, 1, &priority, &value, &taken));
        assert_true(taken == 1 && value == order[i]);
    }
    nf_heap_free(h);
    nf_heap_free(NULL);
    assert_true(nf_heap_size(NULL) == 0);
}

static void test_refusals(void **state)
{
    const nf_heap_options large = {.size = sizeof large, .batch = 1048577};
    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        nf_context *ctx = open_device(devices[i]);
        nf_heap *h = NULL;
        uint64_t priority = 1, taken = 9;
        nf_vid value = 10;
        if (ctx == NULL)
            continue;
        FAILS(NF_EINVAL, "out is NULL", nf_heap_create(ctx, 10, NULL, NULL));
        FAILS(NF_EINVAL, "1 to 1073741823 values", nf_heap_create(ctx, 0, NULL, &h));
        FAILS(NF_EINVAL, "not 1073741824", nf_heap_create(ctx, 1u << 30, NULL, &h));
        FAILS(NF_EINVAL, "batch is 1048577", nf_heap_create(ctx, 10, &large, &h));
        assert_null(h);
        OK(nf_heap_create(ctx, 10, NULL, &h));
        FAILS(NF_EINVAL, "value 10 is out of range", nf_heap_update(h, &priority, &value, 1));
        FAILS(NF_EINVAL, "value 10 is out of range", nf_heap_delete(h, &value, 1));
        FAILS(NF_EINVAL, "list of values is NULL", nf_heap_update(h, &priority, NULL, 1));
        FAILS(NF_EINVAL, "list of priorities is NULL", nf_heap_update(h, NULL, &(nf_vid){1}, 1));
        FAILS(NF_EINVAL, "heap is NULL", nf_heap_delete(NULL, &value, 1));
        FAILS(NF_EINVAL, "taken is NULL", nf_heap_extract_min(h, 1, &priority, &value, NULL));
        FAILS(NF_EINVAL, "is NULL", nf_heap_extract_min(h, 1, NULL, &value, &taken));
        assert_true(taken == 0 && nf_heap_size(h) == 0);
        OK(nf_heap_update(h, NULL, NULL, 0));
        OK(nf_heap_extract_min(h, 0, NULL, NULL, &taken));
        nf_context_cancel(ctx);
        FAILS(NF_ECANCELLED, "cancelled", nf_heap_update(h, &priority, &(nf_vid){1}, 1));
        OK(nf_heap_update(h, &priority, &(nf_vid){2}, 1)); /* the context stays usable */
        nf_heap_free(h);
        nf_context_free(ctx);
    }
}

/* The k-th allocation fails: no heap, nothing lost. */
static void test_refused_memory(void **state)
{
    (void)state;
    for (long long k = 0, refused = 1; refused > 0; k++) {
        purse p = {-1, 0, 0};
        nf_context *ctx = purse_context(&p);
        nf_heap *h = NULL;
        p.left = k;
        const nf_status st = nf_heap_create(ctx, 3000, NULL, &h);
        assert_int_equal(st, p.refused > 0 ? NF_ENOMEM : NF_OK);
        assert_true((h == NULL) == (p.refused > 0));
        refused = p.refused;
        nf_heap_free(h);
        nf_context_free(ctx);
        assert_true(p.live == 0);
    }
}

/* A device's memory is asked for before it is taken. */
static void test_device_memory(void **state)
{
    const nf_context_options o = {.size = sizeof o, .device = "emulator", .memory_limit = 1 << 20};
    nf_context *ctx = NULL;
    nf_heap *h = NULL;
    (void)state;
    if (nf_context_create(&o, &ctx) == NF_ENODEVICE)
        return;
    FAILS(NF_EDEVMEM, "", nf_heap_create(ctx, 100000, NULL, &h));
    assert_null(h);
    nf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),     cmocka_unit_test(test_alone),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_memory), cmocka_unit_test(test_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
