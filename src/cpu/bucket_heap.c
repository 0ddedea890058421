/* bucket_heap.c - the bucket heap: a hierarchy of buckets and signal buffers that is only ever scanned.
 *
 * Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU architectures", sections
 * 2 and 3; Brodal, Fagerberg, Meyer and Zeh, "Cache-oblivious data structures and algorithms for undirected
 * breadth-first search and shortest paths", 2004. Level i has a bucket B_i and a buffer S_i of signals for it. Small
 * priorities are in the upper buckets; an operation leaves a signal on top, which sinks with others until it meets its
 * value or finds its place. RESOLVE(i) empties S_i into B_i, hands what passed B_i to S_(i+1) and, when B_i has lost a
 * quarter, fills it from B_(i+1).
 *
 * Level 0 is the paper's "internal memory": operations are carried out on B_0 at once, O_0 is a log in order of time,
 * and RESOLVE(0) comes after every d items. RESOLVE(i) comes after every fourth RESOLVE(i-1) (Theorem 1) and must end
 * before the next RESOLVE(i-1) begins; since it touches levels i and i+1 only, levels that are not neighbours resolve
 * at the same time. The contents depend on the operations alone, so a team and a single thread give the same answers.
 *
 * Beyond the paper: the order is by (priority, value) and SELECT is exact; a value that stays in B_i sends a DELETE
 * down, so that no older copy of it can come up; signals that have met B_i while B_(i-1) was filled wait in O_i, for
 * S_(i+1) belongs to RESOLVE(i+1); whether a value is in the heap is kept in a byte, so its size is known and values
 * that are not there cost nothing.
 *
 * Invariants (nf__bucket_heap_check)
 *   H1 B_0 descends by (priority, value); all other lists but O_0 ascend by value and have no value twice;
 *   H2 |B_0| <= 3 d, |B_i| <= 2 d 4^i, |S_i| + |O_i| <= 2 d 4^i: an item sends down one LOWER or DELETE and pushes one
 *      item out of each level at most;
 *   H3 B_i <= bound_i < every priority in O_i and further down, while anything may be there (level i is deep);
 *   H4 the lists read from the oldest (B, S of the last level) to the newest (O_0, B_0) give every value at most one
 *      place, and exactly the values and the size that the heap says it has;
 *   H5 below a level that is not deep there is nothing;
 *   H6 a deep level has |B_i| >= d 4^i / 3: it had 3/2 d 4^i after its last RESOLVE, and has lost at most one for every
 *      item since then and the d 4^j / 2 that each level j above may have lacked; so no bucket runs dry;
 *   H7 RESOLVE(i) has run once for every four of RESOLVE(i-1).
 * Cost: O(log4(n / d)) amortised for each item, in scans. Memory: 9 n bytes, 192 d 4^i for each level i but the last
 * possible one (2 d 4^i >= n), which takes 48 n; levels are made as the heap fills. In all at most 185 n + 112 d.
 */
#include "cpu/bucket_heap.h"

#include "cpu/bucket_level.h"

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* Weight is an upper bound of the items a bucket may come to hold: a LOWER or REPLACE becomes an item and a DELETE. */
static uint64_t weight(const nf__bucket_heap *h)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < h->levels; i++) {
        const nf__bucket_level *l = &h->level[i];
        sum += l->bucket_count + 2 * (l->signal_count + l->passed_count);
    }
    return sum;
}

/* What may still be put in before the last level's bucket could overflow. */
static void measure_room(nf__bucket_heap *h)
{
    const uint64_t full = h->level[h->levels - 1].full, used = weight(h);
    h->room = full >= h->values ? UINT64_MAX : full > used ? full - used : 0;
}

static nf_status add_level(nf__bucket_heap *h)
{
    nf_status st = NF_OK;
    const unsigned i = h->levels;
    nf__bucket_level *l = &h->level[i];
    const uint64_t full = (uint64_t)2 * h->d << (2 * i);
    const bool last = full >= h->values;
    const uint64_t size = last ? h->values : full;
    NF_TRY_ALLOC(l->block, nf__alloc(h->mem, size, (last ? 3 : 6) * sizeof(nf__heap_item)));
    l->full = full;
    l->bucket = l->block;
    l->signals = l->bucket + size;
    l->merged = l->signals + size;
    l->passed = last ? NULL : l->merged + 2 * size;
    l->left = last ? NULL : l->passed + size;
    l->done = h->level[i - 1].done / NF__HEAP_RATE;
    h->levels++;
    measure_room(h);
done:
    return st;
}

static nf_status add_top(nf__bucket_heap *h)
{
    nf_status st = NF_OK;
    nf__bucket_level *l = &h->level[0];
    const uint64_t d = h->d;
    NF_TRY_ALLOC(l->block, nf__alloc(h->mem, 7 * d, sizeof(nf__heap_item)));
    l->full = 2 * d;
    l->bucket = l->block; /* 3 d */
    l->passed = l->bucket + 3 * d;
    l->merged = l->passed + 2 * d;
    h->levels = 1;
done:
    return st;
}

/* Sees to room for `count` more items. */
static nf_status make_room(nf__bucket_heap *h, uint64_t count)
{
    nf_status st = NF_OK;
    uint64_t more = 0;
    if (__builtin_mul_overflow(count, 2, &more))
        more = UINT64_MAX - 1;
    if (more > h->room)
        measure_room(h);
    if (more > h->room && h->team)
        return nf__fail(NF_EINTERNAL, "a bucket heap was not reserved before a team came to it");
    while (more > h->room)
        NF_TRY(add_level(h));
    h->room -= h->room == UINT64_MAX ? 0 : more;
done:
    return st;
}

/* ---- level 0 ----------------------------------------------------------------------------------------------------- */

static void log_signal(nf__bucket_level *top, uint64_t priority, nf_vid value, uint32_t kind)
{
    top->passed[top->passed_count++] = (nf__heap_item){priority, value, kind};
}

/* The items over 2 d leave B_0 for the log. */
static void shed_top(nf__bucket_heap *h)
{
    nf__bucket_level *top = &h->level[0];
    if (top->bucket_count <= top->full)
        return;
    const uint64_t over = top->bucket_count - top->full;
    for (uint64_t i = 0; i < over; i++) {
        log_signal(top, top->bucket[i].priority, top->bucket[i].value, NF__SIGNAL_INSERT);
        h->state[top->bucket[i].value] = NF__VALUE_THERE;
    }
    memmove(top->bucket, top->bucket + over, top->full * sizeof *top->bucket);
    top->bucket_count = top->full;
    top->bound = top->bucket[0];
}

/* The log, sorted and joined, goes to S_1. */
static void send_log(nf__bucket_heap *h)
{
    nf__bucket_level *top = &h->level[0];
    nf__heap_item *log = top->passed;
    uint64_t count = 0;
    if (top->passed_count == 0)
        return;
    nf__items_sort_value(log, top->passed_count, top->merged);
    for (uint64_t i = 0; i < top->passed_count; i++) {
        if (count > 0 && log[count - 1].value == log[i].value)
            log[count - 1] = nf__signal_join(log[count - 1], log[i]);
        else
            log[count++] = log[i];
    }
    nf__level_receive(&h->level[1], log, count);
    top->passed_count = 0;
    top->below = true;
}

static void fill_top(nf__bucket_heap *h)
{
    nf__bucket_level *top = &h->level[0], *next = &h->level[1];
    if (!nf__level_low(top))
        return;
    const uint64_t count = nf__level_pull(top, next, top->full - top->bucket_count);
    nf__items_sort_priority(next->merged, count, top->merged);
    memmove(top->bucket + count, top->bucket, top->bucket_count * sizeof *top->bucket);
    for (uint64_t i = 0; i < count; i++) {
        top->bucket[i] = next->merged[count - 1 - i];
        h->state[top->bucket[i].value] = NF__VALUE_THERE | NF__VALUE_ON_TOP;
        h->priority[top->bucket[i].value] = top->bucket[i].priority;
    }
    top->bucket_count += count;
}

/* RESOLVE(0); without a team, then all that is due below. */
static void resolve_top(nf__bucket_heap *h)
{
    nf__heap_begin_top(h);
    shed_top(h);
    send_log(h);
    fill_top(h);
    h->operations = 0;
    nf__heap_end_top(h);
}

/* Counts one more item towards the next RESOLVE(0). */
static inline void count_item(nf__bucket_heap *h)
{
    if (h->operations == h->d)
        resolve_top(h);
    h->operations++;
}

/* Where an item is in B_0, or belongs. */
static inline uint64_t place_on_top(const nf__bucket_level *top, nf__heap_item item)
{
    const nf__heap_item *x = top->bucket;
    uint64_t low = 0; /* items before it are greater; `left` more are to be looked at */
    for (uint64_t left = top->bucket_count; left > 0;) {
        const uint64_t half = (left + 1) / 2;
        low = nf__item_before(&item, &x[low + half - 1]) ? low + half : low;
        left -= half;
    }
    return low;
}

/* Puts an item that is within the bound into B_0, in its place. */
static inline void insert_top(nf__bucket_heap *h, nf__heap_item item)
{
    nf__bucket_level *top = &h->level[0];
    const uint64_t at = place_on_top(top, item);
    memmove(top->bucket + at + 1, top->bucket + at, (top->bucket_count - at) * sizeof item);
    top->bucket[at] = item;
    top->bucket_count++;
    h->state[item.value] = NF__VALUE_THERE | NF__VALUE_ON_TOP;
    h->priority[item.value] = item.priority;
}

/* Lowers the priority of an item of B_0. */
static void lower_top(nf__bucket_heap *h, nf__heap_item item)
{
    nf__bucket_level *top = &h->level[0];
    const nf__heap_item old = {h->priority[item.value], item.value, 0};
    if (old.priority <= item.priority)
        return;
    const uint64_t from = place_on_top(top, old), to = place_on_top(top, item) - 1;
    memmove(top->bucket + from, top->bucket + from + 1, (to - from) * sizeof item);
    top->bucket[to] = item;
    h->priority[item.value] = item.priority;
}

static void remove_top(nf__bucket_heap *h, nf_vid value)
{
    nf__bucket_level *top = &h->level[0];
    const uint64_t at = place_on_top(top, (nf__heap_item){h->priority[value], value, 0});
    top->bucket_count--;
    memmove(top->bucket + at, top->bucket + at + 1, (top->bucket_count - at) * sizeof *top->bucket);
}

static void put(nf__bucket_heap *h, uint64_t priority, nf_vid value)
{
    nf__bucket_level *top = &h->level[0];
    const nf__heap_item item = {priority, value, NF__SIGNAL_INSERT};
    count_item(h); /* may move the value */
    const uint8_t state = h->state[value];
    h->size += state == 0;
    if ((state & NF__VALUE_ON_TOP) != 0) {
        lower_top(h, item);
        return;
    }
    const bool deep = nf__level_deep(top);
    if (deep && nf__item_before(&top->bound, &item)) {
        h->state[value] = NF__VALUE_THERE;
        log_signal(top, priority, value, state == 0 ? NF__SIGNAL_INSERT : NF__SIGNAL_LOWER);
        return;
    }
    insert_top(h, item);
    if (state != 0)
        log_signal(top, 0, value, NF__SIGNAL_DELETE); /* it was further down */
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

nf_status nf__bucket_heap_create(nf__mem *mem, nf_vid values, uint32_t d, nf__bucket_heap **out)
{
    nf_status st = NF_OK;
    nf__bucket_heap *h = NULL;
    NF_TRY_ALLOC(h, nf__zalloc(mem, 1, sizeof *h));
    h->mem = mem;
    h->d = d;
    h->values = values;
    NF_TRY_ALLOC(h->state, nf__zalloc(mem, values, sizeof *h->state));
    NF_TRY_ALLOC(h->priority, nf__alloc(mem, values, sizeof *h->priority));
    NF_TRY(add_top(h));
    NF_TRY(add_level(h));
    *out = h;
    h = NULL;
done:
    nf__bucket_heap_free(h);
    return st;
}

void nf__bucket_heap_free(nf__bucket_heap *h)
{
    if (h == NULL)
        return;
    for (unsigned i = 0; i < NF__HEAP_LEVELS; i++)
        nf__free(h->level[i].block);
    nf__free(h->state);
    nf__free(h->priority);
    nf__free(h);
}

void nf__bucket_heap_clear(nf__bucket_heap *h)
{
    for (unsigned i = 0; i < h->levels; i++) {
        nf__bucket_level *l = &h->level[i];
        l->bucket_count = l->signal_count = l->passed_count = l->done = l->moved = 0;
        l->below = false;
    }
    memset(h->state, 0, h->values);
    h->size = h->operations = 0;
    h->counters = (nf__heap_counters){0};
    measure_room(h);
}

nf_status nf__bucket_heap_reserve(nf__bucket_heap *h)
{
    nf_status st = NF_OK;
    while (h->room != UINT64_MAX)
        NF_TRY(add_level(h));
done:
    return st;
}

nf_status nf__bucket_heap_bulk_update(nf__bucket_heap *h, const nf__heap_item *items, uint64_t count)
{
    nf_status st = NF_OK;
    NF_TRY(make_room(h, count));
    for (uint64_t i = 0; i < count; i++)
        put(h, items[i].priority, items[i].value);
    h->counters.updates += count;
done:
    return st;
}

nf_status nf__bucket_heap_update(nf__bucket_heap *h, uint64_t priority, nf_vid value)
{
    const nf__heap_item item = {priority, value, 0};
    return nf__bucket_heap_bulk_update(h, &item, 1);
}

nf_status nf__bucket_heap_delete(nf__bucket_heap *h, nf_vid value)
{
    nf_status st = NF_OK;
    if (h->state[value] == 0)
        return NF_OK;
    NF_TRY(make_room(h, 1));
    count_item(h);
    if ((h->state[value] & NF__VALUE_ON_TOP) != 0)
        remove_top(h, value);
    else
        log_signal(&h->level[0], 0, value, NF__SIGNAL_DELETE);
    h->state[value] = 0;
    h->size--;
    h->counters.deletes++;
done:
    return st;
}

uint32_t nf__bucket_heap_extract_min(nf__bucket_heap *h, nf__heap_item *items, uint32_t count)
{
    nf__bucket_level *top = &h->level[0];
    uint32_t wanted = count < h->d ? count : h->d;
    wanted = wanted < h->size ? wanted : (uint32_t)h->size;
    if (h->operations + wanted > h->d)
        resolve_top(h);
    for (uint32_t i = 0; i < wanted; i++) {
        items[i] = top->bucket[--top->bucket_count];
        h->state[items[i].value] = 0;
    }
    h->operations += wanted;
    h->size -= wanted;
    h->counters.extracts += wanted;
    return wanted;
}

uint64_t nf__bucket_heap_size(const nf__bucket_heap *h)
{
    return h->size;
}

bool nf__bucket_heap_empty(const nf__bucket_heap *h)
{
    return h->size == 0;
}

nf__heap_counters nf__bucket_heap_counters(const nf__bucket_heap *h)
{
    nf__heap_counters c = h->counters;
    c.levels = h->levels;
    for (unsigned i = 0; i < h->levels; i++) {
        c.resolves[i] = h->level[i].done;
        c.moved += h->level[i].moved;
    }
    return c;
}
