/* heap_check.h - the invariants H1 to H7 of a bucket heap on the device (gpu/bucket_heap.cuh) and A1 to A3 of its level
 * 0 (gpu/bucket_top.cuh), looked at one by one from the host, between launches. */
#ifndef NF_TESTS_HEAP_CHECK_H
#define NF_TESTS_HEAP_CHECK_H

#include "gpu/bucket_heap.h"

#include "gpu_test.h"

namespace SIMT_FLAVOUR
{

/* A list on the host. */
template <class K> struct listing {
    K *p;
    uint32_t *v;
    uint32_t count;
};

template <class K> struct floor_of {
    level<K> l;
    listing<K> bucket, signals, passed;
    bool deep;
};

template <class K> static listing<K> fetch(device *d, items<K> x, uint32_t count)
{
    const listing<K> l = {get(d, x.p, count), get(d, x.v, count), count};
    return l;
}

template <class K> static void drop(listing<K> l)
{
    free(l.p);
    free(l.v);
}

template <class K> static void check_ascends(const listing<K> &x) /* H1 */
{
    for (uint32_t k = 1; k < x.count; k++)
        assert_true(x.v[k - 1] >> 2 < x.v[k] >> 2);
}

/* H3: is everything with a priority beyond (`within`: within) the bound? */
template <class K> static void check_side(const mark<K> &bound, const listing<K> &x, bool within)
{
    for (uint32_t k = 0; k < x.count; k++)
        if ((x.v[k] & 3) != SIGNAL_DELETE || within) {
            const bool beyond = x.p[k] > bound.p || (x.p[k] == bound.p && x.v[k] >> 2 > bound.v);
            assert_true(beyond != within);
        }
}

template <class K> static void check_sizes(const heap<K> *h, const floor_of<K> *f)
{
    const level<K> *top = &f[0].l;
    const uint32_t over = top->bucket_count > top->full ? top->bucket_count - top->full : 0;
    assert_true(top->passed_count + over <= 2 * h->d); /* H2 */
    for (unsigned i = 0; i < h->count; i++) {
        const level<K> *l = &f[i].l;
        assert_true(l->bucket_count <= (i == 0 ? 3 * h->d : l->full)); /* H2 */
        if (i > 0)
            assert_true(l->signal_count + l->passed_count <= l->full);
        if (i > 0)
            assert_int_equal(h->done[i], h->done[i - 1] / HEAP_RATE); /* H7 */
        for (uint32_t k = 0; k < l->bucket_count; k++)
            assert_int_equal(f[i].bucket.v[k] & 3, SIGNAL_INSERT);
    }
}

template <class K> static void check_bounds(const heap<K> *h, const floor_of<K> *f)
{
    for (unsigned i = 0; i < h->count; i++) {
        if (f[i].deep)
            check_side(f[i].l.bound, f[i].bucket, true);
        check_side(f[i].l.bound, f[i].passed, false);
        for (unsigned j = i + 1; j < h->count; j++) {
            if (!f[i].deep) /* H5 */
                assert_int_equal(f[j].bucket.count + f[j].signals.count + f[j].passed.count, 0);
            check_side(f[i].l.bound, f[j].bucket, false);
            check_side(f[i].l.bound, f[j].signals, false);
            check_side(f[i].l.bound, f[j].passed, false);
        }
    }
}

/* What a list makes of the values found so far (H4). */
template <class K> static void replay(bool *there, K *priority, const listing<K> &x)
{
    for (uint32_t k = 0; k < x.count; k++) {
        const uint32_t v = x.v[k] >> 2, kind = x.v[k] & 3;
        assert_true(kind != SIGNAL_INSERT || !there[v]);
        assert_true(kind != SIGNAL_LOWER || there[v]);
        if (kind != SIGNAL_LOWER || x.p[k] < priority[v])
            priority[v] = x.p[k];
        there[v] = kind != SIGNAL_DELETE;
    }
}

/* A1 to A3: the words and keys of all values. */
template <class K>
static void check_words(const floor_of<K> *top, uint32_t values, const uint32_t *where, const K *key, const bool *there)
{
    uint32_t *want = (uint32_t *)calloc(values + 1, sizeof *want);
    for (uint32_t k = 0; k < top->passed.count; k++) {
        const uint32_t v = top->passed.v[k] >> 2;
        assert_int_equal(want[v], 0); /* H1 */
        want[v] = (1 + (top->passed.v[k] & 3)) << WAITS_SHIFT;
        assert_true(key[v] == top->passed.p[k]);
    }
    for (uint32_t k = 0; k < top->bucket.count; k++) {
        const uint32_t v = top->bucket.v[k] >> 2;
        assert_true(want[v] == 0 || want[v] == (1 + SIGNAL_DELETE) << WAITS_SHIFT); /* A2 */
        want[v] |= (k + 1) << PLACE_SHIFT;
        assert_true(key[v] == top->bucket.p[k]);
    }
    for (uint32_t v = 0; v < values; v++)
        assert_int_equal(where[v], want[v] | (there[v] ? VALUE_THERE : 0));
    free(want);
}

/* want_there, want: what the heap ought to hold. */
template <class K>
static void check_places(device *d, const heap<K> *h, const floor_of<K> *f, uint32_t values, const bool *want_there,
                         const uint64_t *want)
{
    bool *there = (bool *)calloc(values + 1, sizeof *there);
    K *priority = (K *)calloc(values + 1, sizeof *priority);
    uint32_t *where = get(d, h->where, values);
    K *key = get(d, h->key, values);
    uint32_t size = 0;
    for (unsigned i = h->count; i-- > 0;) {
        replay(there, priority, f[i].passed);
        replay(there, priority, f[i].bucket);
        replay(there, priority, f[i].signals);
    }
    for (uint32_t v = 0; v < values; v++) {
        size += there[v] ? 1 : 0;
        assert_int_equal(there[v], want_there[v]);
        assert_true(!there[v] || ((uint64_t)priority[v] == want[v] && priority[v] == key[v])); /* A3 */
    }
    check_words(&f[0], values, where, key, there);
    assert_int_equal(size, h->size);
    free(there);
    free(priority);
    free(where);
    free(key);
}

/* Every invariant; the heap is at rest, its launches have ended. Its counters come back in *out. */
template <class K> static void check_heap(heap_store<K> *s, const bool *want_there, const uint64_t *want, heap<K> *out)
{
    floor_of<K> f[HEAP_LEVELS];
    OK(device_download(s->d, out, s->h, sizeof *out));
    for (unsigned i = 0; i < out->count; i++) {
        const level<K> &l = out->levels[i];
        f[i].l = l;
        f[i].bucket = fetch(s->d, l.bucket, l.bucket_count);
        f[i].signals = fetch(s->d, l.signals, l.signal_count);
        f[i].passed = fetch(s->d, l.passed, l.passed_count);
        f[i].deep = l.below != 0 || l.passed_count > 0;
        if (i > 0) {
            check_ascends(f[i].bucket);
            check_ascends(f[i].signals);
            check_ascends(f[i].passed);
        }
    }
    check_sizes(out, f);
    check_bounds(out, f);
    check_places(s->d, out, f, s->values, want_there, want);
    assert_int_equal(out->conflicts, 0);
    assert_int_equal(out->running, 0);
    for (unsigned i = 0; i < out->count; i++) {
        drop(f[i].bucket);
        drop(f[i].signals);
        drop(f[i].passed);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
