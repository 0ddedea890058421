/* bucket_top.cuh - level 0 of the bucket heap on the device, and the operations: the work of the first block.
 *
 * The other levels work in batches that are merged; level 0 is met by every operation, so that it has an index instead.
 * A word for each value says whether it is in the heap, at which place of B_0 it lies, and which signal waits for it in
 * O_0; its key is in an array. An update of a value in B_0 lowers the entry where it lies. One that is within the bound
 * enters at the end of B_0, with a DELETE for what may lie below. Another waits in O_0; when the value waits already,
 * only its key changes and the kinds are joined (join_pair of bucket_level.cuh): nothing is sorted or merged. B_0 and
 * O_0 have no order; a place that was left is taken by B_0's last entry. RESOLVE(0) sorts O_0 by value and gives it its
 * keys, sends it to S_1, and fills B_0. It comes only when O_0 or B_0 would have no room (H2), or B_0 is empty (H6).
 * B_0 lies in shared memory where it fits, and is never longer than two tiles.
 *
 * Invariants, beside the heap's
 *   A1 a value's word has a place exactly when B_0 has the value there, and a waiting signal exactly when O_0 has it;
 *   A2 of a value in B_0 nothing waits but a DELETE, and then the entry's word says so (TOP_OWES);
 *   A3 key[v] is the priority of every v in the heap, wherever it lies;
 *   A4 where shared memory has room for a bit for each value, it says whether the value is quiet: in the heap, not in
 *      B_0, and waiting. Its key is all that an update beyond the bound changes then.
 * Cost, of T threads: a change of at most PER_THREAD T unique values is 2 barriers and one atomic in shared memory for
 * a warp that has anything new, the loads of words and keys side by side, and stores that nobody waits for; of values
 * that may come twice 2 barriers, an atomic minimum and a claim more. EXTRACTMIN of the least value reads B_0's
 * priorities twice (2 |B_0| / T loads of shared memory a thread) and has 3 barriers, of several equal ones 7. A
 * RESOLVE(0) sorts |O_0| entries (78 barriers for a tile of 4,096, log2 of the tiles merges) and reads B_1 some six
 * times.
 */
#ifndef NF_GPU_BUCKET_TOP_CUH
#define NF_GPU_BUCKET_TOP_CUH

#include "gpu/bucket_heap.cuh"

namespace SIMT_FLAVOUR
{

/* B_0, at most: an extraction reads this twice, and a RESOLVE(0) comes after about as many. By counting: 4 loads of
 * each of 512 threads. Other sizes have not been measured. */
#define TOP_FULL 2048u
#define TOP_OWES 1u /* in the kind of an entry of B_0 */

/* A value's word. */
#define VALUE_THERE 1u
#define WAITS_SHIFT 1
#define PLACE_SHIFT 4
#define VALUE_CLAIMED (1u << 31) /* during a change only; places are smaller */

/* Entries of a change, in one word that is summed up: those that enter B_0 or leave it, and that wait in O_0. */
#define TALLY_ENTERS 1u
#define TALLY_WAITS (1u << 16)

/* The signal that waits, + 1; 0: none. */
static __device__ __forceinline__ unsigned waits_of(uint32_t word)
{
    return word >> WAITS_SHIFT & 7u;
}

/* The place in B_0, + 1; 0: none. */
static __device__ __forceinline__ uint32_t place_of(uint32_t word)
{
    return word >> PLACE_SHIFT;
}

/* The word of a value that lies in B_0 at `place`, its entry being this. */
static __device__ __forceinline__ uint32_t word_at(uint32_t entry, uint32_t place)
{
    const unsigned waits = (entry & TOP_OWES) != 0 ? 1 + SIGNAL_DELETE : 0;
    return VALUE_THERE | waits << WAITS_SHIFT | (place + 1) << PLACE_SHIFT;
}

/* A4 of a value: by its word, by its bit; and its bit, when that changes. */
static __device__ __forceinline__ bool is_quiet_word(uint32_t word)
{
    return (word & VALUE_THERE) != 0 && waits_of(word) != 0 && place_of(word) == 0;
}

template <class K> static __device__ __forceinline__ bool is_quiet(const heap_block<K> *b, uint32_t v)
{
    return b->quiet_words != 0 && (b->quiet[v / 32] >> v % 32 & 1u) != 0;
}

template <class K> static __device__ __forceinline__ void flip_quiet(heap_block<K> *b, uint32_t v)
{
    if (b->quiet_words != 0)
        (void)atomicXor(&b->quiet[v / 32], 1u << v % 32);
}

/* Nothing is quiet. All threads; a barrier must follow. */
template <class K> static __device__ __forceinline__ void clear_quiet(heap_block<K> *b)
{
    for (uint32_t k = threadIdx.x; k < b->quiet_words; k += blockDim.x)
        b->quiet[k] = 0;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

/* Begins a block's work; `memory`: its dynamic shared memory. */
template <class K> static __device__ __forceinline__ bench<K> open_bench(heap_block<K> *b, unsigned char *memory)
{
    const uint32_t width = PER_THREAD * blockDim.x, staged = 2 * width + 2;
    const bench<K> w = {&b->scratch, (K *)memory, (uint32_t *)(memory + staged * sizeof(K)), width, 0, 0};
    return w;
}

/* Level 0 moves to where the first block works: B_0 into shared memory, if `shared` places it there. All threads. */
template <class K>
static __device__ void open_top(bench<K> &w, heap<K> *h, heap_block<K> *b, bool shared, uint32_t quiet_words)
{
    copy_level(&b->own, &h->levels[0]);
    __syncthreads();
    if (threadIdx.x == 0) {
        b->size = h->size;
        b->d = h->d;
        b->key = h->key;
        b->where = h->where;
        b->batch = h->d < w.width ? h->d : w.width;
        b->room = b->own.full + b->batch;
        b->home = b->own.bucket;
        b->change = b->fresh = b->found = 0;
        if (shared) {
            b->own.bucket.p = (K *)(w.v + 2 * w.width + 2);
            b->own.bucket.v = (uint32_t *)(b->own.bucket.p + b->room);
        }
        b->quiet = b->own.bucket.v + b->room;
        b->quiet_words = quiet_words;
    }
    __syncthreads();
    clear_quiet(b);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < b->own.bucket_count; k += blockDim.x) {
        const uint32_t v = value_of(b->home.v[k]);
        b->own.bucket.p[k] = b->home.p[k];
        b->own.bucket.v[k] = v << 2 | (waits_of(h->where[v]) != 0 ? TOP_OWES : 0u);
    }
    for (uint32_t k = threadIdx.x; k < b->own.passed_count; k += blockDim.x)
        if (is_quiet_word(h->where[value_of(b->own.passed.v[k])]))
            flip_quiet(b, value_of(b->own.passed.v[k]));
    __syncthreads();
}

/* And back; O_0 gets its keys and kinds. All threads. */
template <class K> static __device__ void close_top(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    (void)w;
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < b->own.bucket_count; k += blockDim.x) {
        b->home.p[k] = b->own.bucket.p[k];
        b->home.v[k] = b->own.bucket.v[k] & ~3u;
    }
    for (uint32_t k = threadIdx.x; k < b->own.passed_count; k += blockDim.x) {
        const uint32_t v = value_of(b->own.passed.v[k]);
        b->own.passed.p[k] = h->key[v];
        b->own.passed.v[k] = v << 2 | (waits_of(h->where[v]) - 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        b->own.bucket = b->home;
        h->size = b->size;
    }
    __syncthreads();
    copy_level(&h->levels[0], &b->own);
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

/* ---- B_0 --------------------------------------------------------------------------------------------------------- */

/* Closes the `gone` places of B_0 that were left (HEAP_NONE) with its last entries. */
template <class K> HEAP_PASS void close_places(bench<K> &w, heap<K> *h, heap_block<K> *b, uint32_t gone)
{
    level<K> *const l = &b->own;
    const uint32_t count = l->bucket_count, left = count - gone;
    unsigned mine = 0, total;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        if ((l->bucket.v[k] == HEAP_NONE) == (k < left))
            mine += k < left ? 1u : 1u << 16;
    const unsigned before = block_scan(mine, w.room->scan, &total);
    uint32_t hole = before & 0xffffu, last = before >> 16;
    for (uint32_t k = threadIdx.x; k < left; k += blockDim.x)
        if (l->bucket.v[k] == HEAP_NONE)
            w.v[hole++] = k;
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        if (k >= left && l->bucket.v[k] != HEAP_NONE) {
            const uint32_t to = w.v[last++], entry = l->bucket.v[k];
            l->bucket.p[to] = l->bucket.p[k];
            l->bucket.v[to] = entry;
            h->where[value_of(entry)] = word_at(entry, to);
        }
    if (threadIdx.x == 0)
        l->bucket_count = left;
    __syncthreads();
}

/* The greatest leave B_0 for O_0, as many as it has too many. */
template <class K> HEAP_PASS void shed_top(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    level<K> *const l = &b->own;
    const uint32_t count = l->bucket_count, full = l->full;
    if (count <= full)
        return;
    const mark<K> bound = select_rank(w, l->bucket, count, full);
    unsigned mine = 0, total;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        mine += is_beyond(bound, l->bucket.p[k], value_of(l->bucket.v[k])) && (l->bucket.v[k] & TOP_OWES) == 0;
    uint32_t to = l->passed_count + block_scan(mine, w.room->scan, &total);
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        const uint32_t entry = l->bucket.v[k], v = value_of(entry);
        if (!is_beyond(bound, l->bucket.p[k], v))
            continue;
        const bool owes = (entry & TOP_OWES) != 0;
        h->where[v] = VALUE_THERE | (1u + (owes ? SIGNAL_REPLACE : SIGNAL_INSERT)) << WAITS_SHIFT;
        flip_quiet(b, v);
        l->bucket.v[k] = HEAP_NONE;
        if (!owes)
            l->passed.v[to++] = v << 2;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        l->passed_count += total;
        l->bound = bound;
    }
    w.moved += count;
    close_places(w, h, b, count - full);
}

/* ---- RESOLVE(0) -------------------------------------------------------------------------------------------------- */

/* O_0 as the other levels have theirs, ascending by value with keys and kinds; where it lies. Nothing waits then. */
template <class K> HEAP_PASS items<K> sort_waiting(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    level<K> *const l = &b->own;
    const uint32_t count = l->passed_count;
    for (uint32_t k = threadIdx.x; k < count && b->quiet_words != 0; k += blockDim.x)
        SIMT_ASSERT(is_quiet(b, value_of(l->passed.v[k]))
                    == is_quiet_word(h->where[value_of(l->passed.v[k])])); /* A4 */
    __syncthreads();
    clear_quiet(b);
    items<K> from = l->left, to = l->turn;
    for (uint32_t base = 0; base < count; base += w.width) {
        const uint32_t now = count - base < w.width ? count - base : w.width;
        const items<K> staged = {w.p, w.v};
        for (uint32_t k = threadIdx.x; k < now; k += blockDim.x) {
            const uint32_t v = value_of(l->passed.v[base + k]), word = h->where[v];
            w.p[k] = h->key[v];
            w.v[k] = v << 2 | (waits_of(word) - 1);
            h->where[v] = word & ~(7u << WAITS_SHIFT);
        }
        __syncthreads();
        if (!is_ascending(staged, now))
            sort_staged(w, now, true);
        copy_list(w, staged, now, list_from(from, base));
    }
    for (uint64_t run = w.width; run < count; run *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * run) {
            const uint32_t base = (uint32_t)at, rest = count - base, first = rest < run ? rest : (uint32_t)run;
            const uint32_t second = rest - first < run ? rest - first : (uint32_t)run;
            (void)join_lists(w, list_from(from, base), first, list_from(from, base + first), second,
                             list_from(to, base));
        }
        swap_lists(&from, &to);
    }
    for (uint32_t k = threadIdx.x; k < l->bucket_count; k += blockDim.x)
        l->bucket.v[k] &= ~3u; /* A2 */
    __syncthreads();
    return from;
}

/* FILL of level 0. */
template <class K> HEAP_PASS void fill_top(bench<K> &w, heap<K> *h, level<K> *l, level<K> *next)
{
    uint32_t count;
    const uint32_t first = l->bucket_count;
    if (!is_wanting(l))
        return;
    const items<K> pulled = pull_least(w, l, next, &count);
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        const uint32_t entry = pulled.v[k];
        SIMT_ASSERT(h->key[value_of(entry)] == pulled.p[k]); /* A3 */
        l->bucket.p[first + k] = pulled.p[k];
        l->bucket.v[first + k] = entry;
        h->where[value_of(entry)] = word_at(entry, first + k);
    }
    w.moved += count;
    __syncthreads();
    if (threadIdx.x == 0)
        l->bucket_count = first + count;
    __syncthreads();
}

/* RESOLVE(0). */
template <class K> HEAP_PASS void resolve_top(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    resolve_until(w, h, b, WAIT_TOP);
    if (threadIdx.x == 0)
        begin_resolve(h, 0);
    copy_level(&b->next, &h->levels[1]);
    __syncthreads();
    shed_top(w, h, b);
    if (b->own.passed_count > 0)
        send_passed(w, &b->own, sort_waiting(w, h, b), &b->next);
    fill_top(w, h, &b->own, &b->next);
    copy_level(&h->levels[1], &b->next);
    __syncthreads();
    if (threadIdx.x == 0)
        end_resolve(h, 0);
    __syncthreads();
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* Can level 0 send what so many changed values leave there at most, and what is there (H2)? */
template <class K> static __device__ __forceinline__ bool can_send(const heap_block<K> *b, uint32_t count)
{
    const level<K> *const l = &b->own;
    const uint32_t over = l->bucket_count > l->full ? l->bucket_count - l->full : 0;
    return l->passed_count + over + 2 * count <= 2 * b->d;
}

/* Is there room for a change of `count` values? */
template <class K> static __device__ __forceinline__ bool has_room(const heap_block<K> *b, uint32_t count)
{
    return count <= b->batch && can_send(b, count) && b->own.bucket_count + count <= b->room;
}

/* Room for a change of `count` values, at most b->batch. All threads. */
template <class K>
static __device__ __forceinline__ void make_room(bench<K> &w, heap<K> *h, heap_block<K> *b, uint32_t count)
{
    const level<K> *const l = &b->own;
    if (!can_send(b, count))
        resolve_top(w, h, b);
    else if (l->bucket_count + count > b->room)
        shed_top(w, h, b);
}

/* What an update of a value to p makes of its word (but for the place), and where it goes (TALLY_*). */
template <class K>
static __device__ __forceinline__ uint32_t judge_update(bench<K> &w, bool deep, const mark<K> &bound, K p, uint32_t v,
                                                        uint32_t *word)
{
    const bool there = (*word & VALUE_THERE) != 0, enters = !deep || !is_beyond(bound, p, v);
    const unsigned waits = waits_of(*word);
    unsigned next = waits;
    w.pairs += waits != 0 || place_of(*word) != 0 ? 1u : 0u;
    if (place_of(*word) != 0)
        return 0;
    if (enters)
        next = deep && there ? 1 + SIGNAL_DELETE : waits;
    else if (waits == 0)
        next = there ? 1 + SIGNAL_LOWER : 1 + SIGNAL_INSERT;
    else if (!there)
        next = 1 + SIGNAL_REPLACE; /* it can only be a DELETE that waits */
    *word = VALUE_THERE | next << WAITS_SHIFT;
    return (enters ? TALLY_ENTERS : 0u) + (waits == 0 && next != 0 ? TALLY_WAITS : 0u);
}

/* Places for a thread's entries of a change, in no order: one atomic for a warp that has any. */
template <class K>
static __device__ __forceinline__ uint32_t take_places(heap_block<K> *b, uint32_t mine, unsigned fresh)
{
    if (__ballot_sync(WARP_ALL, (mine | fresh) != 0) == 0)
        return 0;
    fresh = simt_reduce_add(WARP_ALL, fresh);
    if (simt_lane() == 0 && fresh != 0)
        (void)atomicAdd(&b->fresh, fresh);
    return warp_reserve(mine, &b->change);
}

/* Of the entries of a change that are less than their values' keys, where values may come twice: those with the least
 * priority, one for each value, which then has the key already, and is claimed. */
template <class K>
static __device__ __forceinline__ unsigned heap_claim(bench<K> &w, heap_block<K> *b, const K (&p)[PER_THREAD],
                                                      const uint32_t (&v)[PER_THREAD], uint32_t (&word)[PER_THREAD],
                                                      unsigned live)
{
    K *const key = b->key;
    uint32_t *const where = b->where;
    unsigned won = 0;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0)
            (void)atomicMin(&key[v[k]], p[k]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0 && simt_load_relaxed(&key[v[k]]) == p[k]) {
            word[k] = atomicOr(&where[v[k]], VALUE_CLAIMED);
            won |= (word[k] & VALUE_CLAIMED) == 0 ? 1u << k : 0u;
        }
    w.pairs += (unsigned)__popc(live & ~won);
    __syncthreads();
    return won;
}

/* BULKUPDATE with priorities that are all lower, or values that are not there: of each thread those entries that have
 * their bit in `live`, with the words of their values; no value twice (or claimed), for which there is room. */
template <class K>
static __device__ __forceinline__ void heap_lower(bench<K> &w, heap_block<K> *b, const K (&p)[PER_THREAD],
                                                  const uint32_t (&v)[PER_THREAD], uint32_t (&word)[PER_THREAD],
                                                  unsigned live, bool claimed)
{
    level<K> *const l = &b->own;
    const bool deep = is_deep_level(l);
    const mark<K> bound = l->bound;
    unsigned enters = 0, waits = 0, same = 0, flips = 0, fresh = 0;
    uint32_t mine = 0;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0) {
            const uint32_t old = word[k], goes = judge_update(w, deep, bound, p[k], v[k], &word[k]);
            enters |= (goes & TALLY_ENTERS) != 0 ? 1u << k : 0u;
            waits |= (goes & TALLY_WAITS) != 0 ? 1u << k : 0u;
            same |= !claimed && word[k] == old && (goes & TALLY_ENTERS) == 0 ? 1u << k : 0u;
            flips |= is_quiet_word(old) == ((goes & TALLY_ENTERS) != 0 || !is_quiet_word(word[k])) ? 1u << k : 0u;
            fresh += (old & VALUE_THERE) == 0 ? 1u : 0u;
            mine += goes;
        }
    const uint32_t before = take_places(b, mine, fresh);
    uint32_t at = l->bucket_count + (before & 0xffffu), to = l->passed_count + (before >> 16);
    const items<K> bucket = l->bucket;
    uint32_t *const passed = l->passed.v, *const where = b->where;
    K *const key = b->key;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0) {
            key[v[k]] = p[k];
            if (place_of(word[k]) != 0)
                bucket.p[place_of(word[k]) - 1] = p[k];
            if ((enters >> k & 1u) != 0) {
                bucket.p[at] = p[k];
                bucket.v[at] = v[k] << 2 | (waits_of(word[k]) != 0 ? TOP_OWES : 0u);
                word[k] |= ++at << PLACE_SHIFT;
            }
            if ((waits >> k & 1u) != 0)
                passed[to++] = v[k] << 2;
            if ((same >> k & 1u) == 0)
                where[v[k]] = word[k];
            if ((flips >> k & 1u) != 0)
                flip_quiet(b, v[k]);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        l->bucket_count += b->change & 0xffffu;
        l->passed_count += b->change >> 16;
        b->size += b->fresh;
        b->change = b->fresh = 0;
    }
    __syncthreads();
}

/* DELETE of values that are there; as above. */
template <class K>
static __device__ __forceinline__ void heap_remove(bench<K> &w, heap<K> *h, heap_block<K> *b,
                                                   const uint32_t (&v)[PER_THREAD], const uint32_t (&word)[PER_THREAD],
                                                   unsigned live)
{
    level<K> *const l = &b->own;
    uint32_t mine = 0, gone;
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0)
            mine += place_of(word[k]) != 0 ? TALLY_ENTERS : waits_of(word[k]) == 0 ? TALLY_WAITS : 0u;
    uint32_t to = l->passed_count + (take_places(b, mine, (unsigned)__popc(live)) >> 16);
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; k++)
        if ((live >> k & 1u) != 0) {
            const bool inside = place_of(word[k]) != 0;
            h->where[v[k]] = (inside ? waits_of(word[k]) : 1u + SIGNAL_DELETE) << WAITS_SHIFT;
            if (inside)
                l->bucket.v[place_of(word[k]) - 1] = HEAP_NONE;
            else if (waits_of(word[k]) == 0)
                l->passed.v[to++] = v[k] << 2;
            if (is_quiet_word(word[k]))
                flip_quiet(b, v[k]);
            w.pairs += inside || waits_of(word[k]) != 0 ? 1u : 0u;
        }
    __syncthreads();
    gone = b->change & 0xffffu;
    __syncthreads();
    if (threadIdx.x == 0) {
        l->passed_count += b->change >> 16;
        b->size -= b->fresh;
        b->change = b->fresh = 0;
    }
    __syncthreads();
    if (gone != 0)
        close_places(w, h, b, gone);
}

/* BULKUPDATE: lowers values to these priorities, or puts them in; or takes them out. At most `width` entries, of any
 * order; x is changed. All threads. */
template <class K>
HEAP_PASS void heap_change(bench<K> &w, heap<K> *h, heap_block<K> *b, items<K> x, uint32_t count, bool remove)
{
    __syncthreads();
    if (!is_ascending(x, count))
        count = sort_unique(w, x, count);
    for (uint32_t first = 0; first < count; first += b->batch) {
        const uint32_t now = count - first < b->batch ? count - first : b->batch;
        K p[PER_THREAD];
        uint32_t v[PER_THREAD], word[PER_THREAD];
        unsigned live = 0;
        make_room(w, h, b, now);
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            const uint32_t at = k * blockDim.x + threadIdx.x;
            if (at >= now)
                continue;
            p[k] = x.p[first + at];
            v[k] = value_of(x.v[first + at]);
            word[k] = h->where[v[k]];
            const bool there = (word[k] & VALUE_THERE) != 0;
            live |= (remove ? there : !there || p[k] < h->key[v[k]]) ? 1u << k : 0u;
        }
        if (remove)
            heap_remove(w, h, b, v, word, live);
        else
            heap_lower(w, b, p, v, word, live, false);
    }
}

/* ---- extractions ------------------------------------------------------------------------------------------------- */

/* B_0 is not empty after this, but for a heap that is (H6). */
template <class K> static __device__ __forceinline__ void want_top(bench<K> &w, heap<K> *h, heap_block<K> *b)
{
    while (b->own.bucket_count == 0 && b->size > 0)
        resolve_top(w, h, b);
}

/* Takes the items within the bound out of B_0, to `to`, in no order; b->found is 0 and becomes their number. If they
 * are several, their places are still to be closed. */
template <class K>
static __device__ __forceinline__ uint32_t take_found(bench<K> &w, heap_block<K> *b, const mark<K> &bound, items<K> to)
{
    level<K> *const l = &b->own;
    const uint32_t count = l->bucket_count, last = count - 1;
    const items<K> bucket = l->bucket;
    uint32_t *const where = b->where;
    uint32_t place = HEAP_NONE;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        const uint32_t entry = bucket.v[k];
        if (is_beyond(bound, bucket.p[k], value_of(entry)))
            continue;
        const uint32_t at = atomicAdd(&b->found, 1u);
        to.p[at] = bucket.p[k];
        to.v[at] = entry & ~3u;
        if (at == 0)
            b->alone = value_of(entry);
        where[value_of(entry)] = ((entry & TOP_OWES) != 0 ? 1u + SIGNAL_DELETE : 0u) << WAITS_SHIFT;
        bucket.v[k] = HEAP_NONE;
        place = k;
    }
    w.moved += 2 * count;
    __syncthreads();
    const uint32_t found = b->found;
    if (found == 1 && place != HEAP_NONE) { /* the place is closed at once, by the thread that left it */
        const uint32_t entry = bucket.v[last];
        if (place != last) {
            bucket.p[place] = bucket.p[last];
            bucket.v[place] = entry;
            where[value_of(entry)] = word_at(entry, place);
        }
        l->bucket_count = last;
        b->size--;
    } else if (found > 1 && threadIdx.x == 0)
        b->size -= found;
    __syncthreads();
    return found;
}

template <class K>
HEAP_PASS uint32_t take_within(bench<K> &w, heap<K> *h, heap_block<K> *b, const mark<K> &bound, items<K> to)
{
    const uint32_t found = take_found(w, b, bound, to);
    if (found > 1)
        close_places(w, h, b, found);
    return found;
}

/* EXTRACTMIN of `count` items at once, as far as B_0 has them, to `to`, in no order; how many. All threads. */
template <class K>
static __device__ uint32_t heap_extract(bench<K> &w, heap<K> *h, heap_block<K> *b, uint32_t count, items<K> to)
{
    want_top(w, h, b);
    const uint32_t there = b->own.bucket_count, now = count < there ? count : there;
    if (now == 0)
        return 0;
    if (threadIdx.x == 0)
        b->found = 0;
    const mark<K> bound = select_rank(w, b->own.bucket, there, now);
    return take_within(w, h, b, bound, to);
}

/* EXTRACTMIN of all items of B_0, which is not empty, that have the least priority; how many. `to` as above; a single
 * one is b->alone, too; the places of several are still to be closed. All threads. */
template <class K>
static __device__ __forceinline__ uint32_t heap_take_equal(bench<K> &w, heap_block<K> *b, items<K> to, K *priority)
{
    K least = (K) ~(K)0;
    const K *const p = b->own.bucket.p;
    const uint32_t count = b->own.bucket_count;
    if (threadIdx.x == 0)
        b->found = 0;
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        least = p[k] < least ? p[k] : least;
    least = block_least(b->least, least);
    const mark<K> bound = {least, HEAP_NONE};
    *priority = least;
    return take_found(w, b, bound, to);
}

} /* namespace SIMT_FLAVOUR */

#endif
