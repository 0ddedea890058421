/* bucket_heap.cuh - the parallel bucket heap on the device: persistent blocks, the first for the operations and level
 * 0, the others for the levels below, two neighbouring ones each.
 *
 * Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU architectures", sections
 * 2 and 3; Brodal, Fagerberg, Meyer and Zeh 2004. Level i has a bucket B_i and a list S_i of signals for it. Small
 * priorities are in the upper buckets; an operation leaves a signal on top, which sinks with others until it meets its
 * value or finds its place. RESOLVE(i) empties S_i into B_i, hands what passed B_i to S_(i+1) and, when B_i has lost a
 * quarter, fills it from B_(i+1). RESOLVE(0) comes after every d items, RESOLVE(i) after every fourth RESOLVE(i-1)
 * (Theorem 1), and must end before the next RESOLVE(i-1) begins; since it touches levels i and i+1 only, levels that
 * are not neighbours resolve at the same time. The CPU's heap (cpu/bucket_heap.c) is the same structure and says what
 * goes beyond the paper; here level 0 works in batches as the others do: an operation is a sorted list of signals that
 * is merged with B_0, and what passes waits in O_0. Level 0 lies in the first block's shared memory where it fits.
 *
 * Invariants, between operations (H1 to H7 of the CPU's heap)
 *   H1 all lists ascend by value and have no value twice;
 *   H2 |B_0| <= 3 d, |B_i| <= 2 d 4^i, |S_i| + |O_i| <= 2 d 4^i;
 *   H3 B_i <= bound_i < every priority in O_i and further down, while anything may be there (level i is deep);
 *   H4 the lists read from the oldest (B, S of the last level) to the newest (O_0, B_0) give every value at most one
 *      place, and exactly the values and the size that the heap says it has;
 *   H5 below a level that is not deep there is nothing;
 *   H6 a deep level has |B_i| >= d 4^i / 3, so no bucket runs dry;
 *   H7 RESOLVE(i) has run once for every four of RESOLVE(i-1);
 * and while they run
 *   T1 Res_i(k) runs once, after Res_(i-1)(4 k) and before Res_(i-1)(4 k + 1): neighbours never at the same time;
 *   T2 a block reads a level's record and lists after it has seen (acquire) the counts that say that they are its own;
 *   T3 every block waits for counts of neighbours only, and the one that is furthest behind can always go on: no block
 *      of its own is needed for a level, one block alone can serve all (the first then resolves where it would wait).
 * Cost: O(log4(n / d)) amortised for each item, in scans by a block. Memory: items of 8 or 12 bytes (keys of 32, 64
 * bits); 12 d for level 0, 8 times 2 d 4^i for each level between, 4 n for the last, and n bytes.
 */
#ifndef NF_GPU_BUCKET_HEAP_CUH
#define NF_GPU_BUCKET_HEAP_CUH

#include "gpu/bucket_level.cuh"

namespace SIMT_FLAVOUR
{

#define HEAP_LEVELS 18u    /* 2 d 4^i passes 2^32 before this */
#define HEAP_RATE 4u       /* RESOLVE(i) for one RESOLVE(i+1): capacities grow by as much */
#define HEAP_THREADS 512   /* of a block, at most: then a thread may have 128 registers */
#define HEAP_TOP_LISTS 12u /* level 0's lists together, in units of d */

template <class K> struct level {
    items<K> bucket, spare;   /* B_i, and what a pass writes; they change places */
    items<K> signals, passed; /* S_i; O_i: signals that have met B_i and are to go to S_(i+1) */
    items<K> left, turn;      /* scratch of O_i; of S_i and O_i */
    uint32_t bucket_count, signal_count, passed_count;
    uint32_t full;  /* 2 d 4^i, or the values of the heap */
    uint32_t below; /* S_(i+1), B_(i+1) or levels further down may hold something */
    uint32_t pad;
    mark<K> bound; /* B_i <= bound < everything below; counts only while the level is deep */
};

/* In device memory, one. */
template <class K> struct heap {
    level<K> levels[HEAP_LEVELS];
    uint8_t *there;             /* of each value: is it in the heap? */
    uint32_t count, d;          /* levels; items of a batch */
    uint32_t size, operations;  /* values in the heap; items since the last RESOLVE(0) */
    uint32_t done[HEAP_LEVELS]; /* RESOLVE(i) finished so far */
    uint32_t running;           /* bit i: RESOLVE(i) is under way */
    uint32_t quit;
    uint32_t overlaps;  /* times a RESOLVE(i) began while RESOLVE(i - 2) or RESOLVE(i + 2) was under way */
    uint32_t conflicts; /* the same for neighbours: always 0 */
    word64 moved, pairs;
};

/* A block's shared memory for the heap. */
template <class K> struct heap_block {
    heap_room room;
    level<K> own, next; /* the records RESOLVE works on; of the first block, own is level 0's for good */
    level<K> below[2];  /* the first block's, when it resolves lower levels itself */
    uint32_t size, operations, d;
    int what;
};

/* ---- a level ----------------------------------------------------------------------------------------------------- */

/* May anything of this level or above still lie below it? Then it takes only what is within its bound. */
template <class K> static __device__ __forceinline__ bool is_deep_level(const level<K> *l)
{
    return l->below != 0 || l->passed_count > 0;
}

template <class K> static __device__ __forceinline__ void swap_lists(items<K> *a, items<K> *b)
{
    const items<K> x = *a;
    *a = *b;
    *b = x;
}

/* Adds count entries of l->left, newer than O_i's, to O_i. */
template <class K> HEAP_PASS void pass_left(bench<K> &w, level<K> *l, uint32_t count)
{
    if (count == 0)
        return;
    const bool fresh = l->passed_count == 0;
    const uint32_t joined = fresh ? count : join_lists(w, l->passed, l->passed_count, l->left, count, l->turn);
    __syncthreads();
    if (threadIdx.x == 0) {
        swap_lists(&l->passed, fresh ? &l->left : &l->turn);
        l->passed_count = joined;
    }
    __syncthreads();
}

/* Signals over B_i; what does not stay goes to O_i. */
template <class K> HEAP_PASS void meet_signals(bench<K> &w, level<K> *l, items<K> signals, uint32_t count)
{
    const sluice<K> o = {l->spare, l->left, l->bound, false, is_deep_level(l)};
    uint32_t kept, left;
    merge_lists(w, l->bucket, l->bucket_count, signals, count, o, &kept, &left);
    if (threadIdx.x == 0) {
        swap_lists(&l->bucket, &l->spare);
        l->bucket_count = kept;
    }
    __syncthreads();
    pass_left(w, l, left);
}

/* Where B_i has too many, the greatest leave. */
template <class K> HEAP_PASS void shed(bench<K> &w, level<K> *l)
{
    const uint32_t full = l->full, over = l->bucket_count > full ? l->bucket_count - full : 0;
    if (over == 0)
        return;
    const mark<K> bound = select_rank(w, l->bucket, l->bucket_count, full);
    (void)split_list(w, l->bucket, l->bucket_count, bound, l->spare, l->left);
    if (threadIdx.x == 0) {
        swap_lists(&l->bucket, &l->spare);
        l->bucket_count = full;
        l->bound = bound;
    }
    __syncthreads();
    pass_left(w, l, over);
}

/* Empties S_i into B_i (EMPTY of the paper). */
template <class K> HEAP_PASS void apply_signals(bench<K> &w, level<K> *l)
{
    if (l->signal_count > 0) {
        meet_signals(w, l, l->signals, l->signal_count);
        if (threadIdx.x == 0)
            l->signal_count = 0;
        __syncthreads();
    }
    shed(w, l);
}

/* O_i, on top of the signals of the next level. */
template <class K> static __device__ void send_passed(bench<K> &w, level<K> *l, level<K> *next)
{
    uint32_t count = l->passed_count;
    if (count == 0)
        return;
    const bool fresh = next->signal_count == 0;
    if (fresh)
        copy_list(w, l->passed, count, next->signals);
    else
        count = join_lists(w, next->signals, next->signal_count, l->passed, count, next->turn);
    if (threadIdx.x == 0) {
        if (!fresh)
            swap_lists(&next->signals, &next->turn);
        next->signal_count = count;
        l->passed_count = 0;
        l->below = 1;
    }
    __syncthreads();
}

/* FILL: the least of B_(i+1) come up. Not before B_i has lost a quarter: it reads four times as much below. */
template <class K> static __device__ void fill_level(bench<K> &w, level<K> *l, level<K> *next)
{
    if (l->below == 0 || 4 * (uint64_t)l->bucket_count >= 3 * (uint64_t)l->full)
        return;
    apply_signals(w, next);
    const uint32_t wanted = l->full - l->bucket_count, there = next->bucket_count;
    const bool some = wanted < there;
    mark<K> bound = next->bound;
    if (some) {
        bound = select_rank(w, next->bucket, there, wanted);
        (void)split_list(w, next->bucket, there, bound, l->turn, next->spare);
    }
    const items<K> pulled = some ? l->turn : next->bucket;
    const uint32_t sum = join_lists(w, l->bucket, l->bucket_count, pulled, some ? wanted : there, l->spare);
    if (threadIdx.x == 0) {
        swap_lists(&l->bucket, &l->spare);
        l->bucket_count = sum;
        l->bound = bound;
        if (some)
            swap_lists(&next->bucket, &next->spare);
        else
            l->below = is_deep_level(next) ? 1 : 0;
        next->bucket_count = some ? there - wanted : 0;
    }
    __syncthreads();
}

/* RESOLVE(i). next is NULL when nothing can leave l. */
template <class K> HEAP_PASS void resolve_level(bench<K> &w, level<K> *l, level<K> *next)
{
    apply_signals(w, l);
    if (next == NULL)
        return;
    send_passed(w, l, next);
    fill_level(w, l, next);
}

/* ---- who resolves when ------------------------------------------------------------------------------------------- */

/* The next RESOLVE(i) is due, and its lower neighbour has finished the one before it (T1). */
template <class K> static __device__ __forceinline__ bool is_ready(const heap<K> *h, unsigned i)
{
    const uint32_t k = simt_load_acquire(&h->done[i]);
    return (i == 0 || simt_load_acquire(&h->done[i - 1]) >= HEAP_RATE * (k + 1))
           && (i + 1 >= h->count || simt_load_acquire(&h->done[i + 1]) >= k / HEAP_RATE);
}

/* One thread. */
template <class K> static __device__ void begin_resolve(heap<K> *h, unsigned i)
{
    const unsigned bit = 1u << i, others = atomicOr(&h->running, bit);
    if ((others & (bit << 2 | bit >> 2)) != 0)
        (void)atomicAdd(&h->overlaps, 1u);
    if ((others & (bit << 1 | bit >> 1)) != 0)
        (void)atomicAdd(&h->conflicts, 1u);
}

/* One thread, after a barrier. */
template <class K> static __device__ void end_resolve(heap<K> *h, unsigned i)
{
    const uint32_t k = simt_load_relaxed(&h->done[i]);
    (void)atomicAnd(&h->running, ~(1u << i));
    __threadfence();
    simt_store_release(&h->done[i], k + 1);
}

/* The whole block copies a record. */
template <class K> static __device__ __forceinline__ void copy_level(level<K> *to, const level<K> *from)
{
    static_assert(sizeof(level<K>) % 8 == 0, "records are copied by words");
    for (unsigned k = threadIdx.x; k < sizeof *to / 8; k += blockDim.x)
        reinterpret_cast<word64 *>(to)[k] = reinterpret_cast<const word64 *>(from)[k];
}

/* RESOLVE(i), i > 0, that is_ready has said may run; records: two in shared memory. All threads. */
template <class K> HEAP_PASS void resolve_below(bench<K> &w, heap<K> *h, level<K> *records, unsigned i)
{
    const bool last = i + 1 >= h->count;
    __syncthreads();
    if (threadIdx.x == 0)
        begin_resolve(h, i);
    copy_level(&records[0], &h->levels[i]);
    if (!last)
        copy_level(&records[1], &h->levels[i + 1]);
    __syncthreads();
    resolve_level(w, &records[0], last ? (level<K> *)NULL : &records[1]);
    copy_level(&h->levels[i], &records[0]);
    if (!last)
        copy_level(&h->levels[i + 1], &records[1]);
    __syncthreads();
    if (threadIdx.x == 0)
        end_resolve(h, i);
}

/* The block that serves a level: neighbours never resolve at once, so two of them lose nothing in one. */
static __device__ __forceinline__ unsigned server_of(unsigned i)
{
    return gridDim.x == 1 ? 0 : 1 + (i - 1) / 2 % (gridDim.x - 1);
}

/* A level of this block that is ready, the upper ones first: others wait for them soonest; 0: none. One thread. */
template <class K> static __device__ unsigned find_ready(const heap<K> *h)
{
    for (unsigned i = 1; i < h->count; i++)
        if (server_of(i) == blockIdx.x && is_ready(h, i))
            return i;
    return 0;
}

/* Have all levels done what is due? One thread. */
template <class K> static __device__ bool is_at_rest(const heap<K> *h)
{
    for (unsigned i = 1; i < h->count; i++)
        if (simt_load_acquire(&h->done[i]) != simt_load_acquire(&h->done[i - 1]) / HEAP_RATE)
            return false;
    return true;
}

/* What a block waits for. */
enum { WAIT_TOP, WAIT_REST, WAIT_QUIT };

/* Is it there? One thread. */
template <class K> static __device__ __forceinline__ bool is_over(const heap<K> *h, int wait)
{
    return wait == WAIT_TOP ? is_ready(h, 0) : wait == WAIT_REST ? is_at_rest(h) : simt_load_acquire(&h->quit) != 0;
}

/* Resolves the levels that this block serves until RESOLVE(0) may begin or nothing is due (the first block), or until
 * the first block quits (the others). All threads. */
template <class K> static __device__ void resolve_until(bench<K> &w, heap<K> *h, heap_block<K> *b, int wait)
{
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            b->what = -1;
            while (b->what < 0) {
                const unsigned ready = find_ready(h);
                if (is_over(h, wait))
                    b->what = 0;
                else if (ready != 0)
                    b->what = (int)ready;
                else
                    simt_spin();
            }
        }
        __syncthreads();
        if (b->what == 0)
            return;
        resolve_below(w, h, b->below, (unsigned)b->what);
    }
}

/* ---- level 0 ----------------------------------------------------------------------------------------------------- */

/* Begins a block's work; `memory`: its dynamic shared memory. */
template <class K> static __device__ __forceinline__ bench<K> open_bench(heap_block<K> *b, unsigned char *memory)
{
    const uint32_t width = PER_THREAD * blockDim.x, staged = 2 * width + 2;
    const bench<K> w = {&b->room, (K *)memory, (uint32_t *)(memory + staged * sizeof(K)), width, 0, 0};
    return w;
}

/* The lists of level 0 in so many places from `p` and `v` on. */
template <class K> static __device__ __forceinline__ void place_top(level<K> *l, K *p, uint32_t *v, uint32_t d)
{
    items<K> *const lists[5] = {&l->bucket, &l->spare, &l->passed, &l->left, &l->turn};
    uint32_t at = 0;
    for (unsigned k = 0; k < 5; k++) {
        lists[k]->p = p + at;
        lists[k]->v = v + at;
        at += k < 2 ? 3 * d : 2 * d;
    }
}

/* Level 0 moves to where the first block works: into shared memory, if `shared` places it there. All threads. */
template <class K> static __device__ void open_top(bench<K> &w, heap<K> *h, heap_block<K> *b, bool shared)
{
    level<K> *const from = &b->below[0];
    copy_level(&b->own, &h->levels[0]);
    copy_level(from, &h->levels[0]);
    if (threadIdx.x == 0) {
        b->size = h->size;
        b->operations = h->operations;
        b->d = h->d;
    }
    __syncthreads();
    if (!shared)
        return;
    if (threadIdx.x == 0) {
        const uint32_t places = HEAP_TOP_LISTS * b->d;
        K *const p = (K *)(w.v + 2 * w.width + 2);
        place_top(&b->own, p, (uint32_t *)(p + places), b->d);
    }
    __syncthreads();
    copy_list(w, from->bucket, from->bucket_count, b->own.bucket);
    copy_list(w, from->passed, from->passed_count, b->own.passed);
}

/* And back. All threads. */
template <class K> static __device__ void close_top(bench<K> &w, heap<K> *h, heap_block<K> *b, bool shared)
{
    level<K> *const to = &b->below[0];
    __syncthreads();
    if (shared) {
        copy_level(to, &h->levels[0]);
        __syncthreads();
        copy_list(w, b->own.bucket, b->own.bucket_count, to->bucket);
        copy_list(w, b->own.passed, b->own.passed_count, to->passed);
        if (threadIdx.x == 0) {
            to->bucket_count = b->own.bucket_count;
            to->passed_count = b->own.passed_count;
            to->below = b->own.below;
            to->bound = b->own.bound;
        }
        __syncthreads();
        copy_level(&h->levels[0], to);
    } else
        copy_level(&h->levels[0], &b->own);
    if (threadIdx.x == 0) {
        h->size = b->size;
        h->operations = b->operations;
    }
    __syncthreads();
}

/* The sums of a block's threads, when it ends. */
template <class K> static __device__ void close_bench(const bench<K> &w, heap<K> *h)
{
    if (w.pairs != 0)
        (void)atomicAdd(&h->pairs, (word64)w.pairs);
    if (threadIdx.x == 0)
        (void)atomicAdd(&h->moved, (word64)w.moved);
}

/* RESOLVE(0). */
template <class K> HEAP_PASS void resolve_top(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    resolve_until(w, h, b, WAIT_TOP);
    if (threadIdx.x == 0)
        begin_resolve(h, 0);
    copy_level(&b->next, &h->levels[1]);
    __syncthreads();
    resolve_level(w, &b->own, &b->next);
    copy_level(&h->levels[1], &b->next);
    __syncthreads();
    if (threadIdx.x == 0) {
        b->operations = 0;
        end_resolve(h, 0);
    }
    __syncthreads();
}

/* Counts items towards the next RESOLVE(0), which comes first if they are too many; how many of them may come now. */
template <class K> static __device__ uint32_t count_items(bench<K> &w, heap<K> *h, heap_block<K> *b, uint32_t count)
{
    const uint32_t d = b->d, now = count < d ? count : d;
    if (b->operations + now > d)
        resolve_top(w, h, b);
    __syncthreads();
    if (threadIdx.x == 0)
        b->operations += now;
    __syncthreads();
    return now;
}

/* Gives entries, at most `width`, sorted by value or not, their kinds: updates (or, `remove`, deletions) of values as
 * they are now. How many remain. */
template <class K>
HEAP_PASS uint32_t make_signals(bench<K> &w, heap<K> *h, heap_block<K> *b, items<K> x, uint32_t count, bool remove)
{
    uint32_t change = 0;
    unsigned total;
    __syncthreads();
    if (!is_ascending(x, count))
        count = sort_unique(w, x, count);
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        const uint32_t value = value_of(x.v[k]);
        const bool was = h->there[value] != 0;
        change += was == remove ? 1u : 0u;
        if (was == remove)
            h->there[value] = remove ? 0 : 1;
        x.v[k] = (value << 2) | (remove ? SIGNAL_DELETE : was ? SIGNAL_LOWER : SIGNAL_INSERT);
    }
    (void)block_scan(change, w.room->scan, &total);
    if (threadIdx.x == 0)
        b->size = remove ? b->size - total : b->size + total;
    __syncthreads();
    return count;
}

/* BULKUPDATE: lowers values to these priorities, or puts them in; or takes them out. At most `width` entries, of any
 * order; x is changed. All threads. */
template <class K>
static __device__ void heap_change(bench<K> &w, heap<K> *h, heap_block<K> *b, items<K> x, uint32_t count, bool remove)
{
    count = make_signals(w, h, b, x, count, remove);
    for (uint32_t first = 0; first < count;) {
        const uint32_t now = count_items(w, h, b, count - first);
        meet_signals(w, &b->own, list_from(x, first), now);
        first += now;
    }
}

/* Takes the items within the bound out of B_0, to `to`, ascending by value. */
template <class K>
HEAP_PASS uint32_t take_within(bench<K> &w, heap<K> *h, heap_block<K> *b, const mark<K> &bound, items<K> to)
{
    level<K> *l = &b->own;
    const uint32_t taken = split_list(w, l->bucket, l->bucket_count, bound, to, l->spare);
    if (threadIdx.x == 0) {
        swap_lists(&l->bucket, &l->spare);
        l->bucket_count -= taken;
        b->size -= taken;
    }
    for (uint32_t k = threadIdx.x; k < taken; k += blockDim.x)
        h->there[value_of(to.v[k])] = 0;
    __syncthreads();
    return taken;
}

/* EXTRACTMIN of `count` items at once, at most d, to `to`, ascending by value; how many. All threads. */
template <class K>
static __device__ uint32_t heap_extract(bench<K> &w, heap<K> *h, heap_block<K> *b, uint32_t count, items<K> to)
{
    count = count < b->size ? count : b->size;
    if (count == 0)
        return 0;
    count = count_items(w, h, b, count);
    const mark<K> bound = select_rank(w, b->own.bucket, b->own.bucket_count, count);
    return take_within(w, h, b, bound, to);
}

/* The least priority of B_0, and how many items have it. */
template <class K> HEAP_PASS K find_least(bench<K> &w, const level<K> *l, uint32_t *equal)
{
    const uint32_t count = l->bucket_count;
    K least = (K) ~(K)0;
    unsigned mine = 0;
    SIMT_ASSERT(count > 0); /* H6 */
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        least = l->bucket.p[k] < least ? l->bucket.p[k] : least;
    least = (K)block_fold(w.room, (word64)least, true);
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        mine += l->bucket.p[k] == least ? 1u : 0u;
    (void)block_scan(mine, w.room->scan, equal);
    w.moved += 2 * count;
    return least;
}

/* EXTRACTMIN of all items of B_0 that have the least priority, at most d: those of least value. `to` as above. The heap
 * is not empty. All threads. */
template <class K>
static __device__ uint32_t heap_extract_equal(bench<K> &w, heap<K> *h, heap_block<K> *b, items<K> to, K *priority)
{
    uint32_t equal;
    K least = find_least(w, &b->own, &equal);
    if (b->operations > 0 && equal > b->d - b->operations) {
        resolve_top(w, h, b);
        least = find_least(w, &b->own, &equal);
    }
    const uint32_t room = b->d - b->operations;
    mark<K> bound = {least, HEAP_NONE};
    if (equal > room)
        bound = select_value(w, b->own.bucket, b->own.bucket_count, least, room);
    const uint32_t taken = take_within(w, h, b, bound, to);
    if (threadIdx.x == 0)
        b->operations += taken;
    __syncthreads();
    *priority = least;
    return taken;
}

} /* namespace SIMT_FLAVOUR */

#endif
