/* bucket_level.cuh - the passes of a bucket heap over its lists, each the work of one block: MERGE, DELETEDUPLICATES,
 * SELECT.
 *
 * Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU architectures", Algorithm
 * 1; merging by diagonals as in Green, McColl and Bader, "GPU merge path", ICS 2012. A list holds priorities and, in
 * words of their own, value << 2 | kind, ascending by value, no value twice. Lists may lie in shared or in global
 * memory; a tile of both inputs is staged in shared memory, each thread finds its diagonal there and walks over
 * PER_THREAD places of the merged order. Of two entries of one value the newer list's decides, and one remains.
 * SELECT is exact: by digits of the priority from the highest that differs, then, among equals, of the value.
 *
 * Invariants
 *   L1 all threads of the block call a pass, with the same arguments; it ends with a barrier, so that what it wrote may
 *      be read by all;
 *   L2 outputs never overlap inputs;
 *   L3 nothing depends on the number of threads but the time.
 * Cost: a pass reads its items once, a digit of SELECT once each; 2 * width + 1 items of shared memory.
 */
#ifndef NF_GPU_BUCKET_LEVEL_CUH
#define NF_GPU_BUCKET_LEVEL_CUH

#include "gpu/frontier.cuh"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

#define PER_THREAD 8u /* places of the merged order, arcs */
#define DIGIT_BITS 8
/* A pass is code of its own: it is called in many places, and a copy in each would be more than the instruction cache
 * holds. */
#define HEAP_PASS static __device__ __attribute__((noinline))
#define HEAP_NONE 0xffffffffu         /* no entry: value and kind */
#define HEAP_VALUES ((1u << 30) - 1u) /* values are below this: two bits are the kind's */

/* What an entry of a signal list asks for; in a bucket it is SIGNAL_INSERT. */
enum {
    SIGNAL_INSERT = 0, /* put the value in: it is nowhere below, or signals on the way see to that */
    SIGNAL_LOWER,      /* the value is below: lower its priority to this */
    SIGNAL_DELETE,     /* take the value out, below */
    SIGNAL_REPLACE     /* DELETE, then INSERT */
};

template <class K> struct items {
    K *p;
    uint32_t *v; /* value << 2 | kind */
};

/* A (priority, value). */
template <class K> struct mark {
    K p;
    uint32_t v;
};

/* What the block shares during a pass. */
typedef struct heap_room {
    unsigned scan[SCAN_SCRATCH];
    unsigned bins[1 << DIGIT_BITS];
    word64 wide[SCAN_SCRATCH];
    unsigned number[4];
} heap_room;

/* A block's means. */
template <class K> struct bench {
    heap_room *room;
    K *p; /* 2 * width + 1 staged entries */
    uint32_t *v;
    uint32_t width; /* PER_THREAD * blockDim.x */
    uint32_t pairs; /* of this thread: duplicates it has removed */
    uint64_t moved; /* items the block has read */
};

static __device__ __forceinline__ uint32_t value_of(uint32_t word)
{
    return word >> 2;
}

static __device__ __forceinline__ unsigned kind_of(uint32_t word)
{
    return word & 3u;
}

template <class K> static __device__ __forceinline__ bool is_beyond(const mark<K> &bound, K p, uint32_t value)
{
    return p > bound.p || (p == bound.p && value > bound.v);
}

template <class K> static __device__ __forceinline__ items<K> list_from(items<K> x, uint32_t first)
{
    const items<K> rest = {x.p + first, x.v + first};
    return rest;
}

/* ---- over the block ---------------------------------------------------------------------------------------------- */

/* The bitwise or of the block's words. All threads. */
static __device__ __forceinline__ word64 block_or(heap_room *r, word64 x)
{
    const unsigned warps = (blockDim.x + 31) / 32;
    for (unsigned step = 16; step > 0; step /= 2)
        x |= __shfl_xor_sync(WARP_ALL, x, step);
    if (simt_lane() == 0)
        r->wide[simt_warp()] = x;
    __syncthreads();
    x = r->wide[simt_lane() < warps ? simt_lane() : 0];
    for (unsigned step = 16; step > 0; step /= 2)
        x |= __shfl_xor_sync(WARP_ALL, x, step);
    __syncthreads();
    return x;
}

static __device__ __forceinline__ uint32_t warp_least(uint32_t x)
{
    return simt_reduce_min(WARP_ALL, x);
}

static __device__ __forceinline__ word64 warp_least(word64 x)
{
    for (unsigned step = 16; step > 0; step /= 2) {
        const word64 other = __shfl_xor_sync(WARP_ALL, x, step);
        x = other < x ? other : x;
    }
    return x;
}

/* The least of the block's keys; `scratch`, one for each warp, is free again after the next barrier. All threads. */
template <class K> static __device__ __forceinline__ K block_least(K *scratch, K x)
{
    const unsigned warps = (blockDim.x + 31) / 32;
    x = warp_least(x);
    if (simt_lane() == 0)
        scratch[simt_warp()] = x;
    __syncthreads();
    return warp_least(scratch[simt_lane() < warps ? simt_lane() : 0]);
}

/* ---- MERGE ------------------------------------------------------------------------------------------------------- */

/* Where a merge writes, and by which rule. join: two lists of signals, the second the newer, into `kept`. Else signals,
 * the second list, over a bucket: what stays within the bound goes to `kept`, what goes on to the levels below to
 * `left`. */
template <class K> struct sluice {
    items<K> kept, left;
    mark<K> bound;
    bool join;
    bool deep; /* something may lie below: only then the bound counts and anything is left */
};

/* What becomes of an entry; kept and left: words, or HEAP_NONE. */
template <class K> struct verdict {
    K p;
    uint32_t kept, left;
};

/* An entry of the newer list whose value the older one has not. What stays leaves a DELETE for what may lie below. */
template <class K> static __device__ __forceinline__ verdict<K> pass_alone(const sluice<K> &o, K p, uint32_t word)
{
    verdict<K> d = {p, HEAP_NONE, HEAP_NONE};
    const unsigned kind = kind_of(word);
    if (o.join) {
        d.kept = word;
        return d;
    }
    const bool stays = kind != SIGNAL_DELETE && (!o.deep || !is_beyond(o.bound, p, value_of(word)));
    if (stays)
        d.kept = word & ~3u;
    if (o.deep && !(stays && kind == SIGNAL_INSERT))
        d.left = stays ? (word & ~3u) | SIGNAL_DELETE : word;
    return d;
}

/* The signal that does what the older and then the newer would do. */
template <class K> static __device__ __forceinline__ verdict<K> join_pair(K old_p, uint32_t old, K p, uint32_t word)
{
    verdict<K> d = {p, word, HEAP_NONE};
    if (kind_of(word) == SIGNAL_LOWER) {
        d.kept = old;
        d.p = old_p < p ? old_p : p;
    } else if (kind_of(word) == SIGNAL_INSERT)
        d.kept = word | SIGNAL_REPLACE; /* the older one can only be a DELETE */
    return d;
}

/* A signal whose value is in the bucket: it ends here, but for a REPLACE beyond the bound, which has nothing more to
 * delete. */
template <class K>
static __device__ __forceinline__ verdict<K> meet_pair(const sluice<K> &o, K old_p, uint32_t old, K p, uint32_t word)
{
    verdict<K> d = {p, HEAP_NONE, HEAP_NONE};
    if (o.join)
        return join_pair(old_p, old, p, word);
    if (kind_of(word) == SIGNAL_DELETE)
        return d;
    if (kind_of(word) == SIGNAL_LOWER)
        d.p = old_p < p ? old_p : p;
    if (!o.deep || !is_beyond(o.bound, d.p, value_of(word)))
        d.kept = word & ~3u;
    else
        d.left = word & ~3u;
    return d;
}

/* A tile: `a` has one entry before its first, if `before`. */
template <class K> struct tile {
    const K *ap, *bp;
    const uint32_t *av, *bv;
    uint32_t a_count, b_count;
    bool before;
};

template <class K>
static __device__ __forceinline__ tile<K> stage_tile(const bench<K> &w, items<K> a, uint32_t a_first, uint32_t a_all,
                                                     items<K> b, uint32_t b_first, uint32_t b_all)
{
    const uint32_t a_rest = a_all - a_first, b_rest = b_all - b_first;
    tile<K> t = {w.p + 1,
                 w.p + 1 + w.width,
                 w.v + 1,
                 w.v + 1 + w.width,
                 a_rest < w.width ? a_rest : w.width,
                 b_rest < w.width ? b_rest : w.width,
                 a_first > 0};
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < t.a_count; k += blockDim.x) {
        w.p[1 + k] = a.p[a_first + k];
        w.v[1 + k] = a.v[a_first + k];
    }
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < t.b_count; k += blockDim.x) {
        w.p[1 + w.width + k] = b.p[b_first + k];
        w.v[1 + w.width + k] = b.v[b_first + k];
    }
    if (threadIdx.x == 0 && t.before) {
        w.p[0] = a.p[a_first - 1];
        w.v[0] = a.v[a_first - 1];
    }
    __syncthreads();
    return t;
}

/* How many of the first `place` of the merged order are from a; of equal values a's comes first. */
template <class K> static __device__ __forceinline__ uint32_t find_diagonal(const tile<K> &t, uint32_t place)
{
    uint32_t low = place > t.b_count ? place - t.b_count : 0, high = place < t.a_count ? place : t.a_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (value_of(t.av[middle]) <= value_of(t.bv[place - 1 - middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entry at (i, j) of the merged order; i or j goes on. */
template <class K>
static __device__ __forceinline__ verdict<K> next_entry(bench<K> &w, const sluice<K> &o, const tile<K> &t, uint32_t *i,
                                                        uint32_t *j)
{
    const bool from_a =
        *i < t.a_count && (*j >= t.b_count || value_of(t.av[*i]) <= value_of(t.bv[*j])); /* ties: a first */
    if (from_a) {
        const uint32_t k = (*i)++;
        const bool paired = *j < t.b_count && value_of(t.bv[*j]) == value_of(t.av[k]);
        const verdict<K> d = {t.ap[k], paired ? HEAP_NONE : t.av[k], HEAP_NONE};
        return d;
    }
    const uint32_t k = (*j)++;
    const int last = (int)*i - 1; /* a's entry before: -1 is the one before the tile */
    if ((*i > 0 || t.before) && value_of(t.av[last]) == value_of(t.bv[k])) {
        w.pairs++;
        return meet_pair(o, t.ap[last], t.av[last], t.bp[k], t.bv[k]);
    }
    return pass_alone(o, t.bp[k], t.bv[k]);
}

/* Merges two lists by the sluice's rule; how many were kept, and left. */
template <class K>
HEAP_PASS void merge_lists(bench<K> &w, items<K> a, uint32_t a_all, items<K> b, uint32_t b_all, const sluice<K> &o,
                           uint32_t *kept, uint32_t *left)
{
    uint32_t a_first = 0, b_first = 0, kept_all = 0, left_all = 0;
    __syncthreads();
    while (a_first < a_all || b_first < b_all) {
        const tile<K> t = stage_tile(w, a, a_first, a_all, b, b_first, b_all);
        const uint32_t both = t.a_count + t.b_count, total = both < w.width ? both : w.width;
        const uint32_t mine = PER_THREAD * threadIdx.x, place = mine < total ? mine : total;
        uint32_t i = find_diagonal(t, place), j = place - i;
        unsigned counts = 0, sum;
        verdict<K> d[PER_THREAD];
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            d[k].kept = d[k].left = HEAP_NONE;
            if (mine + k < total)
                d[k] = next_entry(w, o, t, &i, &j);
            counts += (d[k].kept != HEAP_NONE ? 1u : 0u) + (d[k].left != HEAP_NONE ? 1u << 16 : 0u);
        }
        if (mine < total && mine + PER_THREAD >= total) {
            w.room->number[0] = i;
            w.room->number[1] = j;
        }
        const unsigned before = block_scan(counts, w.room->scan, &sum);
        uint32_t to_kept = kept_all + (before & 0xffffu), to_left = left_all + (before >> 16);
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            if (d[k].kept != HEAP_NONE) {
                o.kept.p[to_kept] = d[k].p;
                o.kept.v[to_kept++] = d[k].kept;
            }
            if (d[k].left != HEAP_NONE) {
                o.left.p[to_left] = d[k].p;
                o.left.v[to_left++] = d[k].left;
            }
        }
        kept_all += sum & 0xffffu;
        left_all += sum >> 16;
        a_first += w.room->number[0];
        b_first += w.room->number[1];
    }
    __syncthreads();
    w.moved += a_all + b_all;
    *kept = kept_all;
    *left = left_all;
}

/* Signals, or items of different values, of two lists into one; its length. */
template <class K>
static __device__ __forceinline__ uint32_t join_lists(bench<K> &w, items<K> older, uint32_t older_count, items<K> newer,
                                                      uint32_t newer_count, items<K> to)
{
    const sluice<K> o = {to, to, {0, 0}, true, false};
    uint32_t kept, left;
    merge_lists(w, older, older_count, newer, newer_count, o, &kept, &left);
    return kept;
}

template <class K>
static __device__ __forceinline__ void copy_list(bench<K> &w, items<K> from, uint32_t count, items<K> to)
{
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        to.p[k] = from.p[k];
        to.v[k] = from.v[k];
    }
    w.moved += count;
    __syncthreads();
}

/* ---- SELECT ------------------------------------------------------------------------------------------------------ */

/* After the counting: the bin that the rank-th item falls into; *rank becomes its rank there, *size the items there. */
static __device__ __forceinline__ unsigned find_bin(heap_room *r, uint32_t *rank, uint32_t *size)
{
    __syncthreads();
    if (simt_warp() == 0) {
        const unsigned each = (1u << DIGIT_BITS) / 32, first = simt_lane() * each;
        unsigned mine = 0, total;
        for (unsigned k = 0; k < each; k++)
            mine += r->bins[first + k];
        unsigned before = warp_scan(mine, &total);
        if (before < *rank && *rank <= before + mine) {
            unsigned k = first;
            for (; before + r->bins[k] < *rank; k++)
                before += r->bins[k];
            r->number[0] = k;
            r->number[1] = *rank - before;
            r->number[2] = r->bins[k];
        }
    }
    __syncthreads();
    *rank = r->number[1];
    *size = r->number[2];
    return r->number[0];
}

static __device__ __forceinline__ void clear_bins(heap_room *r)
{
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 1u << DIGIT_BITS; k += blockDim.x)
        r->bins[k] = 0;
    __syncthreads();
}

/* The bits in which the priorities differ. */
template <class K> static __device__ __forceinline__ K differing_bits(bench<K> &w, items<K> x, uint32_t count, K first)
{
    K differ = 0;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        differ |= x.p[k] ^ first;
    w.moved += count;
    return (K)block_or(w.room, (word64)differ);
}

/* Among items of priority p: the value of the rank-th, by digits again. */
template <class K> HEAP_PASS mark<K> select_value(bench<K> &w, items<K> x, uint32_t count, K p, uint32_t rank)
{
    mark<K> bound = {p, 0};
    for (int shift = 32 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
        uint32_t size;
        clear_bins(w.room);
        for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
            const uint32_t rest = (value_of(x.v[k]) ^ bound.v) >> shift;
            if (x.p[k] == p && rest < 1u << DIGIT_BITS)
                (void)atomicAdd(&w.room->bins[rest], 1u);
        }
        w.moved += count;
        bound.v |= find_bin(w.room, &rank, &size) << shift;
    }
    return bound;
}

/* A (priority, value) that exactly the `rank` least items do not exceed; 1 <= rank <= count. */
template <class K> HEAP_PASS mark<K> select_rank(bench<K> &w, items<K> x, uint32_t count, uint32_t rank)
{
    const K first = x.p[0], differ = differing_bits(w, x, count, first);
    int high = differ == 0 ? 0 : 64 - __clzll((long long)(word64)differ);
    K prefix = high == 8 * (int)sizeof(K) ? 0 : (K)(first >> high << high);
    while (high > 0) {
        const int bits = high < DIGIT_BITS ? high : DIGIT_BITS, shift = high - bits;
        uint32_t size;
        clear_bins(w.room);
        for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
            const K rest = (K)((x.p[k] ^ prefix) >> shift);
            if (rest < (K)1 << bits)
                (void)atomicAdd(&w.room->bins[(unsigned)rest], 1u);
        }
        w.moved += count;
        prefix |= (K)find_bin(w.room, &rank, &size) << shift;
        if (rank == size) {
            const mark<K> whole = {(K)(prefix | (((K)1 << shift) - 1)), HEAP_NONE};
            return whole;
        }
        high = shift;
    }
    return select_value(w, x, count, prefix, rank);
}

/* Items within the bound to `in`, the others to `out`, in order; how many are within. */
template <class K>
HEAP_PASS uint32_t split_list(bench<K> &w, items<K> x, uint32_t count, const mark<K> &bound, items<K> in, items<K> out)
{
    uint32_t inside = 0;
    __syncthreads();
    for (uint32_t base = 0; base < count; base += w.width) {
        const uint32_t first = base + PER_THREAD * threadIdx.x;
        K p[PER_THREAD];
        uint32_t v[PER_THREAD];
        unsigned within = 0, total;
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            p[k] = first + k < count ? x.p[first + k] : 0;
            v[k] = first + k < count ? x.v[first + k] : 0;
        }
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++)
            within += first + k < count && !is_beyond(bound, p[k], value_of(v[k])) ? 1u : 0u;
        uint32_t at = inside + block_scan(within, w.room->scan, &total);
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            if (first + k >= count)
                continue;
            const bool stays = !is_beyond(bound, p[k], value_of(v[k]));
            const uint32_t to = stays ? at : first + k - at;
            (stays ? in : out).p[to] = p[k];
            (stays ? in : out).v[to] = v[k];
            at += stays ? 1u : 0u;
        }
        inside += total;
    }
    w.moved += count;
    __syncthreads();
    return inside;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

/* Do the values ascend, none twice? */
template <class K> static __device__ __forceinline__ bool is_ascending(items<K> x, uint32_t count)
{
    bool wrong = false;
    for (uint32_t k = 1 + threadIdx.x; k < count; k += blockDim.x)
        wrong |= value_of(x.v[k - 1]) >= value_of(x.v[k]);
    return __syncthreads_or(wrong ? 1 : 0) == 0;
}

/* Sorts at most `width` entries in shared memory, by value, then priority; or by priority, then value (the first word
 * compares first). Bitonic; the rest of the power of two is filled with entries that come last. */
template <class K> static __device__ __forceinline__ void sort_staged(const bench<K> &w, uint32_t count, bool by_value)
{
    uint32_t size = 1;
    while (size < count)
        size *= 2;
    for (uint32_t k = count + threadIdx.x; k < size; k += blockDim.x) {
        w.p[k] = (K) ~(K)0;
        w.v[k] = HEAP_NONE;
    }
    __syncthreads();
    for (uint32_t run = 2; run <= size; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
            for (uint32_t k = threadIdx.x; k < size / 2; k += blockDim.x) {
                const uint32_t low = 2 * k - (k & (step - 1)), high = low + step;
                const K lp = w.p[low], hp = w.p[high];
                const uint32_t lv = w.v[low], hv = w.v[high];
                const bool after = by_value ? lv > hv || (lv == hv && lp > hp) : lp > hp || (lp == hp && lv > hv);
                if (after == ((low & run) == 0)) {
                    w.p[low] = hp;
                    w.p[high] = lp;
                    w.v[low] = hv;
                    w.v[high] = lv;
                }
            }
            __syncthreads();
        }
}

/* Sorts at most `width` entries of one kind by value; of several of one value the least stays. How many remain. */
template <class K> HEAP_PASS uint32_t sort_unique(bench<K> &w, items<K> x, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        w.p[k] = x.p[k];
        w.v[k] = x.v[k];
    }
    sort_staged(w, count, true);
    for (uint32_t base = 0; base < count; base += blockDim.x) {
        const uint32_t k = base + threadIdx.x;
        const bool first = k < count && (k == 0 || value_of(w.v[k - 1]) != value_of(w.v[k]));
        unsigned total;
        const unsigned at = kept + block_rank(first, w.room->scan, &total);
        if (first) {
            x.p[at] = w.p[k];
            x.v[at] = w.v[k];
        }
        w.pairs += k < count && !first ? 1u : 0u;
        kept += total;
    }
    w.moved += count;
    __syncthreads();
    return kept;
}

} /* namespace SIMT_FLAVOUR */

#endif
