/* bucket_heap.cuh - the parallel bucket heap on the device: its levels, and the blocks that resolve them. The first
 * block has the operations and level 0 (bucket_top.cuh), the others the levels below, two neighbouring ones each.
 *
 * Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU architectures", sections
 * 2 and 3; Brodal, Fagerberg, Meyer and Zeh 2004. Level i has a bucket B_i and a list S_i of signals for it. Small
 * priorities are in the upper buckets; an operation leaves a signal on top, which sinks with others until it meets its
 * value or finds its place. RESOLVE(i) empties S_i into B_i, hands what passed B_i to S_(i+1) and, when B_i has lost a
 * quarter, fills it from B_(i+1). RESOLVE(0) comes when level 0 has no more room, or nothing left, RESOLVE(i) after
 * every fourth RESOLVE(i-1) (Theorem 1), and must end before the next RESOLVE(i-1) begins; since it touches levels i
 * and i+1 only, levels that are not neighbours resolve at the same time. The CPU's heap (cpu/bucket_heap.c) is the same
 * structure and says what goes beyond the paper.
 *
 * Invariants, between operations (H1 to H7 of the CPU's heap, but for level 0)
 *   H1 all lists have no value twice, and below level 0 they ascend by value;
 *   H2 |B_0| <= 3 d, |B_i| <= 2 d 4^i, |S_i| + |O_i| <= 2 d 4^i; |O_0| and what B_0 has beyond its full size together
 *      <= 2 d: that is what a RESOLVE(0) sends at most;
 *   H3 B_i <= bound_i < every priority in O_i and further down, while anything may be there (level i is deep);
 *   H4 the lists read from the oldest (B, S of the last level) to the newest (O_0, B_0) give every value at most one
 *      place, and exactly the values and the size that the heap says it has;
 *   H5 below a level that is not deep there is nothing;
 *   H6 an extraction that finds B_0 empty resolves until it is not: every fourth time brings RESOLVE(1) on, and so
 *      forth, so that what lies below comes up;
 *   H7 RESOLVE(i) has run once for every four of RESOLVE(i-1);
 * and while they run
 *   T1 Res_i(k) runs once, after Res_(i-1)(4 k) and before Res_(i-1)(4 k + 1): neighbours never at the same time;
 *   T2 a block reads a level's record and lists after it has seen (acquire) the counts that say that they are its own;
 *   T3 every block waits for counts of neighbours only, and the one that is furthest behind can always go on: no block
 *      of its own is needed for a level, one block alone can serve all (the first then resolves where it would wait).
 * Cost: O(log4(n / d)) amortised for each signal that leaves level 0, in scans by a block. Memory: items of 8 or 12
 * bytes (keys of 32, 64 bits); 12 d at most for level 0, 8 times 2 d 4^i for each level between, 4 n for the last, and
 * a key and a word for each value.
 */
#ifndef NF_GPU_BUCKET_HEAP_CUH
#define NF_GPU_BUCKET_HEAP_CUH

#include "gpu/bucket_level.cuh"

namespace SIMT_FLAVOUR
{

#define HEAP_LEVELS 18u  /* 2 d 4^i passes 2^32 before this */
#define HEAP_RATE 4u     /* RESOLVE(i) for one RESOLVE(i+1): capacities grow by as much */
#define HEAP_THREADS 512 /* of a block, at most: then a thread may have 128 registers */

template <class K> struct level {
    items<K> bucket, spare;   /* B_i, and what a pass writes; they change places */
    items<K> signals, passed; /* S_i; O_i: signals that have met B_i and are to go to S_(i+1) */
    items<K> left, turn;      /* scratch of O_i; of S_i and O_i */
    uint32_t bucket_count, signal_count, passed_count;
    uint32_t full;  /* 2 d 4^i, or the values of the heap; of level 0 less, where its lists would be too long */
    uint32_t below; /* S_(i+1), B_(i+1) or levels further down may hold something */
    uint32_t pad;
    mark<K> bound; /* B_i <= bound < everything below; counts only while the level is deep */
};

/* In device memory, one. */
template <class K> struct heap {
    level<K> levels[HEAP_LEVELS];
    K *key;                     /* of each value in the heap: its priority */
    uint32_t *where;            /* of each value: is it in the heap, and what has level 0 of it (bucket_top.cuh) */
    uint32_t count, d;          /* levels; items of a batch */
    uint32_t size;              /* values in the heap */
    uint32_t done[HEAP_LEVELS]; /* RESOLVE(i) finished so far */
    uint32_t running;           /* bit i: RESOLVE(i) is under way */
    uint32_t quit;
    uint32_t overlaps;  /* times a RESOLVE(i) began while RESOLVE(i - 2) or RESOLVE(i + 2) was under way */
    uint32_t conflicts; /* the same for neighbours: always 0 */
    word64 moved, pairs;
};

/* A block's shared memory for the heap. */
template <class K> struct heap_block {
    heap_room scratch;
    level<K> below[2]; /* the records RESOLVE works on, of lower levels */
    int what;
    /* the first block's */
    level<K> own, next; /* level 0's record, for good; level 1's during RESOLVE(0) */
    K *key;             /* as in heap */
    uint32_t *where;
    items<K> home; /* where B_0 lies between launches */
    uint32_t size, d;
    uint32_t batch, room;   /* entries of a change, and of B_0, at most */
    uint32_t change, fresh; /* of the change under way: entries for B_0, and for O_0 << 16; new values */
    uint32_t *quiet;        /* A4, quiet_words of them, 0 where they do not fit */
    uint32_t quiet_words;
    uint32_t found, alone; /* by the extraction under way: how many; the value, if there is one only */
    K least[SCAN_SCRATCH];
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

/* O_i, which is in `list`, on top of the signals of the next level. */
template <class K> HEAP_PASS void send_passed(bench<K> &w, level<K> *l, items<K> list, level<K> *next)
{
    uint32_t count = l->passed_count;
    if (count == 0)
        return;
    const bool fresh = next->signal_count == 0;
    if (fresh)
        copy_list(w, list, count, next->signals);
    else
        count = join_lists(w, next->signals, next->signal_count, list, count, next->turn);
    if (threadIdx.x == 0) {
        if (!fresh)
            swap_lists(&next->signals, &next->turn);
        next->signal_count = count;
        l->passed_count = 0;
        l->below = 1;
    }
    __syncthreads();
}

/* Has B_i lost a quarter, and is there anything to fill it from? */
template <class K> static __device__ __forceinline__ bool is_wanting(const level<K> *l)
{
    return l->below != 0 && 4 * (uint64_t)l->bucket_count < 3 * (uint64_t)l->full;
}

/* Takes the least of B_(i+1), as many as B_i lacks, for B_i, whose bound follows; where they lie until `next` is used
 * again, and how many. */
template <class K> HEAP_PASS items<K> pull_least(bench<K> &w, level<K> *l, level<K> *next, uint32_t *count)
{
    apply_signals(w, next);
    const uint32_t wanted = l->full - l->bucket_count, there = next->bucket_count;
    const bool some = wanted < there;
    mark<K> bound = next->bound;
    if (some) {
        bound = select_rank(w, next->bucket, there, wanted);
        (void)split_list(w, next->bucket, there, bound, l->turn, next->spare);
    }
    const items<K> pulled = some ? l->turn : next->bucket;
    __syncthreads();
    if (threadIdx.x == 0) {
        l->bound = bound;
        if (some)
            swap_lists(&next->bucket, &next->spare);
        else
            l->below = is_deep_level(next) ? 1 : 0;
        next->bucket_count = some ? there - wanted : 0;
    }
    __syncthreads();
    *count = some ? wanted : there;
    return pulled;
}

/* FILL: the least of B_(i+1) come up. Not before B_i has lost a quarter: it reads four times as much below. */
template <class K> static __device__ void fill_level(bench<K> &w, level<K> *l, level<K> *next)
{
    uint32_t count;
    if (!is_wanting(l))
        return;
    const items<K> pulled = pull_least(w, l, next, &count);
    const uint32_t sum = join_lists(w, l->bucket, l->bucket_count, pulled, count, l->spare);
    if (threadIdx.x == 0) {
        swap_lists(&l->bucket, &l->spare);
        l->bucket_count = sum;
    }
    __syncthreads();
}

/* RESOLVE(i). next is NULL when nothing can leave l. */
template <class K> HEAP_PASS void resolve_level(bench<K> &w, level<K> *l, level<K> *next)
{
    apply_signals(w, l);
    if (next == NULL)
        return;
    send_passed(w, l, l->passed, next);
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

} /* namespace SIMT_FLAVOUR */

#endif
