/* bucket_level.c - the passes over one level of a bucket heap, each a scan of arrays sorted by value.
 *
 * MERGE, DELETEDUPLICATES and SELECT of Berney et al., Algorithm 1; meaning and invariants in bucket_heap.c. Signals of
 * one value are joined in order of age, and those that come from above are the newer ones. SELECT is exact: by digits
 * of the priority from the highest that differs, ties by value, which is the order the items lie in; so it is linear
 * whatever the priorities are.
 * Cost of each function: linear in the items it reads.
 */
#include "cpu/bucket_level.h"

#define DIGIT_SMALL 8u  /* bits of a digit of SELECT */
#define DIGIT_LARGE 11u /* and from so many items on, where clearing 2,048 counters is a small part */
#define LARGE 16384u
#define RUN 12u /* items sorted by insertion before runs are merged */

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static inline bool precedes(const nf__heap_item *a, const nf__heap_item *b, bool by_value)
{
    return by_value ? a->value < b->value : nf__item_before(a, b);
}

static inline void sort_run(nf__heap_item *x, uint64_t count, bool by_value)
{
    for (uint64_t i = 1; i < count; i++) {
        const nf__heap_item item = x[i];
        uint64_t at = i;
        for (; at > 0 && precedes(&item, &x[at - 1], by_value); at--)
            x[at] = x[at - 1];
        x[at] = item;
    }
}

/* Merge sort from runs up; the two arrays take turns. */
static inline void sort(nf__heap_item *x, uint64_t count, nf__heap_item *scratch, bool by_value)
{
    nf__heap_item *from = x, *to = scratch;
    for (uint64_t i = 0; i < count; i += RUN)
        sort_run(x + i, count - i < RUN ? count - i : RUN, by_value);
    for (uint64_t width = RUN; width < count; width *= 2) {
        for (uint64_t i = 0; i < count; i += 2 * width) {
            const uint64_t middle = i + width < count ? i + width : count;
            const uint64_t end = middle + width < count ? middle + width : count;
            uint64_t a = i, b = middle, out = i;
            while (a < middle && b < end) {
                const bool second = precedes(&from[b], &from[a], by_value);
                to[out++] = second ? from[b] : from[a];
                b += second;
                a += !second;
            }
            memcpy(to + out, from + a, (middle - a) * sizeof *to);
            memcpy(to + out + (middle - a), from + b, (end - b) * sizeof *to);
        }
        nf__heap_item *const turn = from;
        from = to;
        to = turn;
    }
    if (from != x)
        memcpy(x, from, count * sizeof *x);
}

void nf__items_sort_value(nf__heap_item *x, uint64_t count, nf__heap_item *scratch)
{
    sort(x, count, scratch, true);
}

void nf__items_sort_priority(nf__heap_item *x, uint64_t count, nf__heap_item *scratch)
{
    sort(x, count, scratch, false);
}

/* ---- SELECT ------------------------------------------------------------------------------------------------------ */

/* The bin that the rank-th item that agrees with `prefix` above the digit at `shift` falls into; *rank becomes its rank
 * there, *size the items there. */
static uint64_t select_bin(const nf__heap_item *x, uint64_t count, uint64_t prefix, unsigned shift, unsigned bits,
                           uint64_t *rank, uint64_t *size)
{
    uint32_t bins[1u << DIGIT_LARGE];
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    memset(bins, 0, (last + 1) * sizeof *bins);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t rest = (x[i].priority ^ prefix) >> shift;
        bins[rest & last] += rest <= last;
    }
    uint64_t bin = 0;
    while (*rank > bins[bin])
        *rank -= bins[bin++];
    *size = bins[bin];
    return bin;
}

/* A (priority, value) that exactly the `rank` least of count items, sorted by value, do not exceed; 1 <= rank. */
static nf__heap_item select_rank(const nf__heap_item *x, uint64_t count, uint64_t rank)
{
    const unsigned digit = count < LARGE ? DIGIT_SMALL : DIGIT_LARGE;
    uint64_t differ = 0;
    for (uint64_t i = 0; i < count; i++)
        differ |= x[i].priority ^ x[0].priority;
    unsigned high = differ == 0 ? 0 : 64 - (unsigned)__builtin_clzll(differ);
    uint64_t prefix = high == 64 ? 0 : x[0].priority >> high << high;
    while (high > 0) {
        const unsigned bits = high < digit ? high : digit, shift = high - bits;
        uint64_t size = 0;
        prefix |= select_bin(x, count, prefix, shift, bits, &rank, &size) << shift;
        if (rank == size)
            return (nf__heap_item){prefix | ((UINT64_C(1) << shift) - 1), NF_NO_VERTEX, 0};
        high = shift;
    }
    for (uint64_t i = 0;; i++)
        if (x[i].priority == prefix && --rank == 0)
            return x[i];
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

nf__heap_item nf__signal_join(nf__heap_item older, nf__heap_item newer)
{
    nf__heap_item s = newer;
    if (newer.kind == NF__SIGNAL_LOWER) {
        s.kind = older.kind;
        s.priority = older.priority < newer.priority ? older.priority : newer.priority;
    } else if (newer.kind == NF__SIGNAL_INSERT)
        s.kind = NF__SIGNAL_REPLACE; /* the older one can only be a DELETE */
    return s;
}

/* Joins two lists sorted by value into `to`, b's signals being the newer; how many. */
static uint64_t join_lists(const nf__heap_item *a, uint64_t a_count, const nf__heap_item *b, uint64_t b_count,
                           nf__heap_item *to)
{
    uint64_t i = 0, j = 0, out = 0;
    while (i < a_count && j < b_count) { /* the order of values is a coin's: moves, not branches */
        const nf__heap_item *x = &a[i], *y = &b[j];
        const nf_vid xv = x->value, yv = y->value;
        to[out] = *(yv <= xv ? y : x);
        if (xv == yv)
            to[out] = nf__signal_join(*x, *y);
        out++;
        i += xv <= yv;
        j += yv <= xv;
    }
    memcpy(to + out, a + i, (a_count - i) * sizeof *to);
    out += a_count - i;
    memcpy(to + out, b + j, (b_count - j) * sizeof *to);
    return out + b_count - j;
}

void nf__level_receive(nf__bucket_level *l, const nf__heap_item *newer, uint64_t count)
{
    l->moved += l->signal_count + count;
    if (l->signal_count == 0) {
        memcpy(l->signals, newer, count * sizeof *newer);
        l->signal_count = count;
        return;
    }
    l->signal_count = join_lists(l->signals, l->signal_count, newer, count, l->merged);
    memcpy(l->signals, l->merged, l->signal_count * sizeof *newer);
}

/* ---- EMPTY ------------------------------------------------------------------------------------------------------- */

/* Where a pass of signals over a bucket writes. */
typedef struct outlet {
    nf__heap_item *kept, *left;
    uint64_t kept_count, left_count;
    nf__heap_item bound;
    bool deep;
} outlet;

static inline bool within(const outlet *o, const nf__heap_item *s)
{
    return !o->deep || !nf__item_before(&o->bound, s);
}

/* A signal whose value is not in the bucket. One that stays leaves a DELETE for what may lie below. */
static inline void pass_signal(outlet *o, nf__heap_item s)
{
    const bool stays = s.kind != NF__SIGNAL_DELETE && within(o, &s);
    const bool goes_on = o->deep && !(stays && s.kind == NF__SIGNAL_INSERT);
    o->kept[o->kept_count] = (nf__heap_item){s.priority, s.value, NF__SIGNAL_INSERT};
    o->kept_count += stays;
    if (goes_on) {
        if (stays)
            s.kind = NF__SIGNAL_DELETE;
        o->left[o->left_count++] = s;
    }
}

/* A signal whose value is in the bucket: it ends here, but for a REPLACE beyond the bound, which has nothing more to
 * delete. */
static inline void meet_signal(outlet *o, nf__heap_item b, nf__heap_item s)
{
    if (s.kind == NF__SIGNAL_DELETE)
        return;
    if (s.kind == NF__SIGNAL_LOWER)
        s.priority = s.priority < b.priority ? s.priority : b.priority;
    s.kind = NF__SIGNAL_INSERT;
    if (within(o, &s))
        o->kept[o->kept_count++] = s;
    else
        o->left[o->left_count++] = s;
}

/* Merges S_i with B_i by value. */
static void scan_level(const nf__bucket_level *l, outlet *result)
{
    outlet local = *result, *const o = &local; /* in registers: nothing that is written can be part of it */
    const nf__heap_item *bucket = l->bucket, *signals = l->signals;
    const uint64_t b_count = l->bucket_count, s_count = l->signal_count;
    uint64_t b = 0, s = 0;
    while (b < b_count && s < s_count) {
        const nf_vid bv = bucket[b].value, sv = signals[s].value;
        if (bv < sv)
            o->kept[o->kept_count++] = bucket[b++];
        else if (sv < bv)
            pass_signal(o, signals[s++]);
        else
            meet_signal(o, bucket[b++], signals[s++]);
    }
    memcpy(o->kept + o->kept_count, bucket + b, (b_count - b) * sizeof *bucket);
    o->kept_count += b_count - b;
    while (s < s_count)
        pass_signal(o, signals[s++]);
    *result = local;
}

/* Splits count items at a bound: those within it to `in`, the others to `out`; either may be x itself. Number within.
 */
static uint64_t split(const nf__heap_item *x, uint64_t count, const nf__heap_item *bound, nf__heap_item *in,
                      nf__heap_item *out)
{
    uint64_t inside = 0, outside = 0;
    for (uint64_t i = 0; i < count; i++) {
        const nf__heap_item item = x[i];
        if (nf__item_before(bound, &item))
            out[outside++] = item;
        else
            in[inside++] = item;
    }
    return inside;
}

/* B_i has too many: the greatest leave, after the signals that were left over. */
static void shed(nf__bucket_level *l, outlet *o)
{
    const nf__heap_item bound = select_rank(o->kept, o->kept_count, l->full);
    const uint64_t over = o->kept_count - l->full;
    split(o->kept, o->kept_count, &bound, l->bucket, o->kept);
    o->left_count = join_lists(o->left, o->left_count, o->kept, over, o->kept + over);
    o->left = o->kept + over;
    l->bound = bound;
    l->bucket_count = l->full;
}

void nf__level_apply(nf__bucket_level *l)
{
    if (l->signal_count == 0)
        return;
    outlet o = {l->merged, l->left, 0, 0, l->bound, nf__level_deep(l)};
    l->moved += l->bucket_count + l->signal_count;
    scan_level(l, &o);
    l->signal_count = 0;
    if (o.kept_count > l->full)
        shed(l, &o);
    else {
        memcpy(l->bucket, o.kept, o.kept_count * sizeof *o.kept);
        l->bucket_count = o.kept_count;
    }
    if (o.left_count == 0)
        return;
    if (l->passed_count == 0) {
        memcpy(l->passed, o.left, o.left_count * sizeof *o.left);
        l->passed_count = o.left_count;
        return;
    }
    nf__heap_item *to = o.left == l->left ? l->merged : l->left;
    l->passed_count = join_lists(l->passed, l->passed_count, o.left, o.left_count, to);
    memcpy(l->passed, to, l->passed_count * sizeof *to);
}

/* ---- FILL and RESOLVE -------------------------------------------------------------------------------------------- */

uint64_t nf__level_pull(nf__bucket_level *l, nf__bucket_level *from, uint64_t count)
{
    nf__level_apply(from);
    from->moved += from->bucket_count;
    if (count < from->bucket_count) {
        l->bound = select_rank(from->bucket, from->bucket_count, count);
        split(from->bucket, from->bucket_count, &l->bound, from->merged, from->bucket);
        from->bucket_count -= count;
        return count;
    }
    count = from->bucket_count;
    memcpy(from->merged, from->bucket, count * sizeof *from->bucket);
    from->bucket_count = 0;
    l->below = nf__level_deep(from);
    l->bound = from->bound;
    return count;
}

void nf__level_resolve(nf__bucket_level *l, nf__bucket_level *next)
{
    nf__level_apply(l);
    if (l->passed_count > 0) {
        nf__level_receive(next, l->passed, l->passed_count);
        l->passed_count = 0;
        l->below = true;
    }
    if (!nf__level_low(l))
        return;
    const uint64_t count = nf__level_pull(l, next, l->full - l->bucket_count);
    l->moved += l->bucket_count + count;
    l->bucket_count = join_lists(l->bucket, l->bucket_count, next->merged, count, l->merged);
    memcpy(l->bucket, l->merged, l->bucket_count * sizeof *l->bucket);
}
