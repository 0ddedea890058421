/* test_bucket_heap.cu - the bucket heap on the device against a plain table, operation by operation, its invariants
 * after each; equal priorities; levels that resolve at the same time; duplicates; memory. */
#include "heap_check.h"

#include "../unit/table.h"

namespace SIMT_FLAVOUR
{

/* The race detector looks at every access. */
#if defined(SIMT_RACE)
enum { LESS = 3 };
#else
enum { LESS = 1 };
#endif

/* ---- a heap and its table ---------------------------------------------------------------------------------------- */

enum { MOST = 4096 }; /* items of an operation */

template <class K> struct scene {
    heap_store<K> s;
    heap<K> seen; /* as the latest check found it */
    table t;
    K *p;
    uint32_t *v;
    uint64_t *taken;
    K host_p[MOST];
    uint32_t host_v[MOST];
    uint64_t seed, next;
};

template <class K> static scene<K> *open_scene(device *d, uint32_t n, uint32_t batch, uint64_t seed)
{
    scene<K> *c = (scene<K> *)calloc(1, sizeof *c);
    OK(heap_open(d, n, batch, 0, &c->s));
    OK(heap_clear(&c->s));
    OK(device_alloc(d, (uint64_t)MOST, &c->p));
    OK(device_alloc(d, (uint64_t)MOST, &c->v));
    OK(device_alloc(d, 1, &c->taken));
    c->t = table_make(n);
    c->seed = seed;
    return c;
}

template <class K> static void close_scene(scene<K> *c)
{
    device *d = c->s.d;
    device_free(d, c->p), device_free(d, c->v), device_free(d, c->taken);
    heap_close(&c->s);
    table_free(&c->t);
    free(c);
}

template <class K> static uint64_t draw(scene<K> *c, uint64_t bound)
{
    return nf__below(nf__hash64(c->seed, c->next++), bound);
}

template <class K> static void send(scene<K> *c, heap_order order, uint32_t count)
{
    OK(device_upload(c->s.d, c->p, c->host_p, count * sizeof(K), NULL));
    OK(device_upload(c->s.d, c->v, c->host_v, count * sizeof(uint32_t), NULL));
    OK(heap_carry_out(&c->s, order, c->p, c->v, count, c->taken));
    OK(device_finish(c->s.d, "heap", 0));
    for (uint32_t k = 0; k < count; k++)
        if (order == HEAP_UPDATE)
            table_update(&c->t, c->host_p[k], c->host_v[k]);
        else
            table_delete(&c->t, c->host_v[k]);
}

template <class K> static void extract(scene<K> *c, uint32_t count)
{
    const uint64_t want = count < c->t.size ? count : c->t.size;
    uint64_t got = 0;
    OK(heap_carry_out(&c->s, HEAP_EXTRACT, c->p, c->v, (uint64_t)count, c->taken));
    OK(device_finish(c->s.d, "heap", 0));
    OK(device_download(c->s.d, &got, c->taken, sizeof got));
    OK(device_download(c->s.d, c->host_p, c->p, count * sizeof(K)));
    OK(device_download(c->s.d, c->host_v, c->v, count * sizeof(uint32_t)));
    assert_int_equal(got, want);
    for (uint64_t k = 0; k < got; k++) {
        const uint32_t least = table_least(&c->t);
        assert_int_equal(c->host_v[k], least);
        assert_true((uint64_t)c->host_p[k] == c->t.priority[least]);
        table_delete(&c->t, least);
    }
}

template <class K> static void look(scene<K> *c)
{
    check_heap(&c->s, c->t.there, c->t.priority, &c->seen);
}

/* ---- random operations ------------------------------------------------------------------------------------------- */

typedef struct mix {
    uint32_t n, d;
    uint64_t span;                 /* priorities are below this; 1: all equal */
    unsigned deletes, extractions; /* in a hundred; the rest are updates */
    unsigned most;                 /* items of an operation */
    unsigned steps;
} mix;

template <class K> static void play(device *d, const mix *m, uint64_t seed)
{
    scene<K> *c = open_scene<K>(d, m->n, m->d, seed);
    look(c);
    for (unsigned i = 0; i < m->steps / LESS; i++) {
        const uint64_t dice = draw(c, 100);
        const uint32_t count = 1 + (uint32_t)draw(c, m->most);
        const uint32_t range = draw(c, 2) == 0 ? m->n : m->n / 8 + 1; /* narrow: many values twice */
        if (dice < m->extractions)
            extract(c, count);
        else {
            for (uint32_t k = 0; k < count; k++) {
                c->host_p[k] = (K)draw(c, m->span);
                c->host_v[k] = (uint32_t)draw(c, range);
            }
            send(c, dice < m->extractions + m->deletes ? HEAP_DELETE : HEAP_UPDATE, count);
        }
        look(c);
    }
    while (c->t.size > 0) {
        extract(c, 1 + (uint32_t)draw(c, 2 * m->most));
        look(c);
    }
    close_scene(c);
}

static const mix mixes[] = {
    {40, 1, 1000, 10, 40, 3, 30},         {200, 1, 1, 20, 20, 20, 16},      {200, 3, 4, 30, 20, 30, 16},
    {400, 2, UINT32_MAX, 15, 20, 60, 16}, {400, 8, 1 << 20, 5, 55, 40, 16}, {1, 4, 9, 20, 30, 3, 10},
    {1000, 4096, 50, 20, 20, 700, 6},
};

static void test_random_operations(void **)
{
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(mixes); i++) {
        play<uint32_t>(b.d, &mixes[i], 1 + i);
        mix wide = mixes[i];
        wide.span = wide.span > 1000 ? UINT64_MAX : wide.span;
        play<word64>(b.d, &wide, 11 + i);
    }
    end_bed(b);
}

/* ---- one thing at a time ----------------------------------------------------------------------------------------- */

/* Descending, ascending and equal priorities through all levels; then all come out in order. */
static void test_growth(void **)
{
    enum { N = 1200 / LESS };
    bed b = make_bed(0);
    for (unsigned order = 0; order < 3; order++) {
        scene<word64> *c = open_scene<word64>(b.d, N, 2, 0);
        for (uint32_t v = 0; v < N; v++) {
            c->host_p[v] = order == 0 ? N - v : order == 1 ? v : 7;
            c->host_v[v] = v;
        }
        send(c, HEAP_UPDATE, N);
        look(c);
        assert_true(c->seen.count >= 4);
        extract(c, N / 2);
        look(c);
        extract(c, N);
        look(c);
        assert_int_equal(c->seen.size, 0);
        close_scene(c);
    }
    end_bed(b);
}

/* Updates of values that are there, lower each time: the duplicates they leave on the way down are removed, and every
 * value comes out once. */
static void test_duplicates(void **)
{
    enum { N = 500, TIMES = 6 };
    bed b = make_bed(0);
    scene<uint32_t> *c = open_scene<uint32_t>(b.d, N, 4, 0);
    for (uint32_t time = 0; time < TIMES; time++) {
        for (uint32_t v = 0; v < N; v++) {
            c->host_p[v] = (TIMES - time) * 1000 + v % 7;
            c->host_v[v] = v;
        }
        send(c, HEAP_UPDATE, N);
        look(c);
        assert_int_equal(c->seen.size, N);
    }
    assert_true(c->seen.pairs >= N); /* most of the five updates of a value have met the one before */
    extract(c, N + 5);
    look(c);
    close_scene(c);
    end_bed(b);
}

/* One launch with many resolves: levels that are not neighbours work at the same time, those that are never do; one
 * block does all alone and gives the same. */
static void test_overlap(void **)
{
    enum { N = 1500 / LESS };
    bed b = make_bed(0);
    unsigned overlaps = 0;
    scene<uint32_t> *c = open_scene<uint32_t>(b.d, N, 1, 5);
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t v = 0; v < N; v++) {
            c->host_p[v] = (uint32_t)draw(c, 1 << 20);
            c->host_v[v] = v;
        }
        send(c, HEAP_UPDATE, N);
        look(c);
        overlaps = c->seen.overlaps;
        extract(c, N / 3);
    }
    look(c);
    for (unsigned i = 1; i < c->seen.count; i++)
        assert_true(c->seen.done[i] > 0 || c->seen.done[i - 1] < HEAP_RATE);
    const char *order = getenv("NEARFAR_EMULATOR"); /* last in, first out: one block goes on as long as it can */
    if (c->s.grid == 1)
        assert_int_equal(overlaps, 0);
    else if (c->s.grid > 2 && (order == NULL || strstr(order, "lifo") == NULL))
        assert_true(overlaps > 0);
    close_scene(c);
    end_bed(b);
}

/* What a heap takes is what heap_bytes foretells, and that is what its file says. */
static void test_memory(void **)
{
    const uint32_t sizes[] = {1, 100, 5000, 70000}, batches[] = {1, 128, 4096};
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < COUNT(batches); k++) {
            heap_store<word64> s = {};
            const uint64_t before = device_used(b.d, NULL), n = sizes[i], d = batches[k];
            OK(heap_open(b.d, sizes[i], batches[k], 0, &s));
            const uint64_t used = device_used(b.d, NULL) - before;
            const uint64_t told = heap_bytes<word64>(b.d, sizes[i], batches[k]);
            assert_true(told <= used && used <= told + 5 * 512); /* five blocks, rounded up */
            assert_true(used <= 188 * n + 144 * d + 12 * 2 * PER_THREAD * s.threads + 4608);
            heap_close(&s);
        }
    end_bed(b);
}

} /* namespace SIMT_FLAVOUR */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(SIMT_FLAVOUR::test_random_operations),
        cmocka_unit_test(SIMT_FLAVOUR::test_growth),
        cmocka_unit_test(SIMT_FLAVOUR::test_duplicates),
        cmocka_unit_test(SIMT_FLAVOUR::test_overlap),
        cmocka_unit_test(SIMT_FLAVOUR::test_memory),
    };
    return RUN_GPU_TESTS(tests);
}
