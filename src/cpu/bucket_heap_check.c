/* bucket_heap_check.c - the invariants H1 .. H7 of bucket_heap.c, looked at one by one.
 *
 * Cost: O(n) time, 16 n bytes.
 */
#include "cpu/bucket_level.h"

static nf_status broken(unsigned invariant, unsigned level, const char *what)
{
    return nf__fail(NF_EINTERNAL, "bucket heap: H%u is broken at level %u: %s", invariant, level, what);
}

static bool ascends(const nf__heap_item *x, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (!(x[i - 1].value < x[i].value))
            return false;
    return true;
}

static nf_status check_order(const nf__bucket_heap *h)
{
    const nf__bucket_level *top = &h->level[0];
    for (uint64_t i = 1; i < top->bucket_count; i++)
        if (!nf__item_before(&top->bucket[i], &top->bucket[i - 1]))
            return broken(1, 0, "the bucket does not descend");
    for (unsigned i = 1; i < h->levels; i++) {
        const nf__bucket_level *l = &h->level[i];
        if (!ascends(l->bucket, l->bucket_count) || !ascends(l->signals, l->signal_count)
            || !ascends(l->passed, l->passed_count))
            return broken(1, i, "a list does not ascend by value");
    }
    return NF_OK;
}

static nf_status check_sizes(const nf__bucket_heap *h)
{
    for (unsigned i = 0; i < h->levels; i++) {
        const nf__bucket_level *l = &h->level[i];
        const uint64_t most = i == 0 ? (uint64_t)3 * h->d : l->full;
        if (l->full != (uint64_t)2 * h->d << (2 * i) || l->bucket_count > most)
            return broken(2, i, "the bucket is too large");
        if (l->signal_count + l->passed_count > l->full)
            return broken(2, i, "too many signals");
        if (nf__level_deep(l) && 6 * l->bucket_count < l->full)
            return broken(6, i, "the bucket ran low");
        if (i > 0 && l->done != h->level[i - 1].done / NF__HEAP_RATE)
            return broken(7, i, "not resolved when it was due");
    }
    return NF_OK;
}

/* Does no item with a priority lie within the bound? */
static bool beyond(const nf__heap_item *bound, const nf__heap_item *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (x[i].kind != NF__SIGNAL_DELETE && !nf__item_before(bound, &x[i]))
            return false;
    return true;
}

static nf_status check_bounds(const nf__bucket_heap *h)
{
    for (unsigned i = 0; i < h->levels; i++) {
        const nf__bucket_level *l = &h->level[i];
        const bool deep = nf__level_deep(l);
        for (uint64_t k = 0; deep && k < l->bucket_count; k++)
            if (nf__item_before(&l->bound, &l->bucket[k]))
                return broken(3, i, "an item is beyond the bound");
        if (!beyond(&l->bound, l->passed, l->passed_count))
            return broken(3, i, "a signal that passed is within the bound");
        for (unsigned j = i + 1; j < h->levels; j++) {
            const nf__bucket_level *b = &h->level[j];
            if (!deep && (b->bucket_count > 0 || b->signal_count > 0 || b->passed_count > 0))
                return broken(5, i, "something lies below");
            if (!beyond(&l->bound, b->bucket, b->bucket_count) || !beyond(&l->bound, b->signals, b->signal_count)
                || !beyond(&l->bound, b->passed, b->passed_count))
                return broken(3, i, "an item further down is within the bound");
        }
    }
    return NF_OK;
}

/* What a list makes of the values found so far. */
static bool replay(nf__heap_item *found, const nf__heap_item *x, uint64_t count, bool bucket)
{
    for (uint64_t i = 0; i < count; i++) {
        nf__heap_item *f = &found[x[i].value];
        const bool there = f->kind != 0;
        const uint32_t kind = bucket ? NF__SIGNAL_INSERT : x[i].kind;
        if ((kind == NF__SIGNAL_INSERT && there) || (kind == NF__SIGNAL_LOWER && !there))
            return false;
        if (kind != NF__SIGNAL_LOWER || x[i].priority < f->priority)
            f->priority = x[i].priority;
        f->kind = kind != NF__SIGNAL_DELETE;
    }
    return true;
}

static nf_status check_places(const nf__bucket_heap *h, nf__heap_item *found)
{
    uint64_t size = 0, on_top = 0;
    for (unsigned i = h->levels; i-- > 0;) {
        const nf__bucket_level *l = &h->level[i];
        if (!replay(found, l->passed, l->passed_count, false) || !replay(found, l->bucket, l->bucket_count, true)
            || !replay(found, l->signals, l->signal_count, false))
            return broken(4, i, "a value has two places, or none");
    }
    for (nf_vid v = 0; v < h->values; v++) {
        size += found[v].kind;
        on_top += (h->state[v] & NF__VALUE_ON_TOP) != 0;
        if ((h->state[v] != 0) != (found[v].kind != 0))
            return broken(4, 0, "a value is said to be in the heap and is not, or the other way round");
    }
    if (size != h->size || on_top != h->level[0].bucket_count)
        return broken(4, 0, "the size is not the number of values");
    for (uint64_t i = 0; i < h->level[0].bucket_count; i++)
        if ((h->state[h->level[0].bucket[i].value] & NF__VALUE_ON_TOP) == 0
            || h->priority[h->level[0].bucket[i].value] != h->level[0].bucket[i].priority)
            return broken(4, 0, "an item on top is not marked so");
    return NF_OK;
}

nf_status nf__bucket_heap_check(const nf__bucket_heap *h)
{
    nf_status st = NF_OK;
    nf__heap_item *found = NULL;
    NF_TRY_ALLOC(found, nf__zalloc(h->mem, h->values, sizeof *found));
    NF_TRY(check_order(h));
    NF_TRY(check_sizes(h));
    NF_TRY(check_bounds(h));
    NF_TRY(check_places(h, found));
done:
    nf__free(found);
    return st;
}
