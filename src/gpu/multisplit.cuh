/* multisplit.cuh - keys (and their values) sorted into up to 32 buckets, in order within each: the primitive that
 * Davidson et al. 2014 (section 4.3) missed on GPUs and made do without by sorting.
 *
 * Method (after Ashkiani et al. 2016, "GPU Multisplit", and the one-sweep radix sorts): the input is cut into tiles.
 * Pass 1 counts each tile's keys by bucket, 16 bytes a load, in columns of shared memory that no two threads share.
 * Some blocks for each bucket scan its counts. In pass 2 as many blocks as are resident walk over the tiles side by
 * side, so that what they write at one time lies together, bucket by bucket. A tile comes to shared memory by
 * asynchronous copies while the one before it is put in order. A thread counts its own neighbouring items in 16-bit
 * counters of its own, which are scanned along the threads, bucket by bucket: an item's place is then two additions.
 * The order is written down as indices, each bucket from a row of 32 slots of its own on, shifted so that a slot's lane
 * is that of its place in the output: a warp gathers and writes a row at a time, which is a whole line of 128 bytes but
 * for a bucket's first and last.
 *
 * Invariants
 *   M1 bucket_of(f, key) < 32 and depends on the key alone;
 *   M2 order: by bucket, then by place in the input (stable);
 *   M3 each key is read twice and written once, each value read and written once: 12 bytes a key, 20 a pair of 4 + 4;
 *   M4 counts[b * tiles + tile] = keys of bucket b in the tile; places[tile * 32 + b] = those in the tiles before it;
 *      row `tiles` of the places has the totals;
 *   M5 four barriers a tile: (a) the tile has come, counters are 0, the buffer of the tile before is free; (b) all have
 *      counted; (c) counters are slots; (d) the order is complete;
 *   M6 any block of whole warps up to SPLIT_THREADS will do: the launcher takes what the device allows;
 *   M7 items that the last tile lacks stand behind the last bucket's, in the tile as in the output: they are ordered,
 *      but no row shows them.
 * Work of pass 2 for each pair: an eighth of two copies of 16 bytes, 3 loads from and 2 stores to shared memory to find
 * its place, 3 loads and 2 stores to write it. Limit: fewer than 2^32 items. Scratch: 256 bytes a tile.
 */
#ifndef NF_GPU_MULTISPLIT_CUH
#define NF_GPU_MULTISPLIT_CUH

#include "gpu/runtime.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

/* Tuning numbers: bench/gpu/primitives.cu is built with others too (scripts/gpu-check tune). H200, 2^26 pairs / keys in
 * ms (docs/results/primitives-h200.md): 512 x 19 x 1: 0.373 / 0.301; 384 x 27 x 1: 0.373 / 0.310; 384 x 25 x 1: 0.375 /
 * 0.309; 640 x 15 x 1: 0.379 / 0.312. */
#ifndef SPLIT_THREADS
#define SPLIT_THREADS 512 /* at most, a block */
#endif
#ifndef SPLIT_EACH
#define SPLIT_EACH 19 /* items a thread and tile; odd, so that the lanes of a warp read different banks */
#endif
#ifndef SPLIT_RESIDENT
#define SPLIT_RESIDENT 1 /* blocks a multiprocessor */
#endif
#define SPLIT_BUCKETS 32                           /* one a lane: the method's own limit */
#define SPLIT_STATIC 16                            /* bytes of shared memory beside the dynamic */
#define SPLIT_PAD (62 * SPLIT_BUCKETS)             /* slots: up to 31 before a bucket's items and 31 after */
#define SPLIT_CHUNKS ((SPLIT_THREADS + 127) / 128) /* of 128 counters, in a row of them */
#ifndef SPLIT_ROWS_AHEAD
#define SPLIT_ROWS_AHEAD 4 /* rows that a warp gathers at once */
#endif
#ifndef SPLIT_COUNT_THREADS
#define SPLIT_COUNT_THREADS 256
#endif
#ifndef SPLIT_COUNT_BATCH
#define SPLIT_COUNT_BATCH 10 /* loads of 16 bytes that a thread of pass 1 has under way */
#endif
#define SPLIT_SCAN_THREADS 1024
#define SPLIT_PARTS 4 /* of a bucket's counts, where there are more than a block has threads */
static_assert(SPLIT_EACH % 2 == 1, "an odd number of items a thread");
static_assert(SPLIT_THREADS * SPLIT_EACH + SPLIT_PAD <= 1 << 16, "slots take 16 bits");

/* ---- which bucket ------------------------------------------------------------------------------------------------ */

/* Bits [shift, shift + width) of the key; width <= 5. */
typedef struct split_bits {
    unsigned shift, mask;
} split_bits;

static __device__ __forceinline__ unsigned bucket_of(const split_bits &f, uint32_t key)
{
    return (key >> f.shift) & f.mask;
}

/* Steps of `width` from `first` on; keys below it are in bucket 0, those past the end in the last. */
typedef struct split_steps {
    uint32_t first, width, last;
} split_steps;

static __device__ __forceinline__ unsigned bucket_of(const split_steps &f, uint32_t key)
{
    const uint32_t step = key > f.first ? (key - f.first) / f.width : 0;
    return step < f.last ? step : f.last;
}

/* The value type of a split of keys alone. */
typedef struct split_nothing {
} split_nothing;

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* Items of a tile that a block of `threads` puts in order. */
static inline __host__ __device__ uint32_t tile_size(unsigned threads)
{
    return threads * SPLIT_EACH;
}

/* Items of a tile: `size`, or fewer in the last. */
static __device__ __forceinline__ uint32_t items_of(uint32_t n, uint32_t size, uint32_t tile)
{
    const uint32_t left = n - tile * size;
    return left < size ? left : size;
}

/* Items of T from the last border of 16 bytes to p. */
template <typename T> static __device__ __forceinline__ uint32_t skew_of(const T *p)
{
    static_assert(16 % sizeof(T) == 0, "a whole number of items in 16 bytes");
    return (uint32_t)(reinterpret_cast<uintptr_t>(p) % 16 / sizeof(T));
}

/* Items of T before the next border of 16 bytes. */
template <typename T> static __device__ __forceinline__ uint32_t head_of(const T *p, uint32_t many)
{
    const uint32_t head = (uint32_t)(16 / sizeof(T) - skew_of(p)) % (16 / sizeof(T));
    return head < many ? head : many;
}

/* ---- pass 1: counting -------------------------------------------------------------------------------------------- */

template <typename F> static __device__ __forceinline__ void count_quad(const F &f, const uint4 &quad, uint32_t *column)
{
    column[bucket_of(f, quad.x) * 32]++;
    column[bucket_of(f, quad.y) * 32]++;
    column[bucket_of(f, quad.z) * 32]++;
    column[bucket_of(f, quad.w) * 32]++;
}

/* Counts `many` groups of four keys. */
template <typename F>
static __device__ __forceinline__ void count_quads(const F &f, const uint4 *quads, uint32_t many, uint32_t *column)
{
    for (uint32_t at = threadIdx.x; at < many; at += SPLIT_COUNT_BATCH * blockDim.x) {
        uint4 batch[SPLIT_COUNT_BATCH] = {};
#pragma unroll
        for (unsigned i = 0; i < SPLIT_COUNT_BATCH; i++)
            if (at + i * blockDim.x < many)
                batch[i] = simt_load16_once(quads + at + i * blockDim.x);
#pragma unroll
        for (unsigned i = 0; i < SPLIT_COUNT_BATCH; i++)
            if (at + i * blockDim.x < many)
                count_quad(f, batch[i], column);
    }
}

/* Of a warp's columns: the sum of the row of this lane's number; lanes begin at different banks. */
static __device__ __forceinline__ uint32_t sum_row(const uint32_t *columns)
{
    uint32_t sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        sum += columns[simt_lane() * 32 + (i + simt_lane()) % 32];
    return sum;
}

/* A block counts a tile of `size` keys. */
template <typename F>
static __global__ void __launch_bounds__(SPLIT_COUNT_THREADS)
    split_count_kernel(F f, const uint32_t *__restrict__ keys, uint32_t n, uint32_t size, uint32_t *counts)
{
    SIMT_SHARED(uint32_t, columns, SPLIT_COUNT_THREADS * SPLIT_BUCKETS); /* [warp][bucket][lane] */
    SIMT_SHARED(uint32_t, sums, SPLIT_COUNT_THREADS);                    /* [warp][bucket] */
    const uint32_t *const first = keys + (uint64_t)blockIdx.x * size;
    const uint32_t many = items_of(n, size, blockIdx.x), head = head_of(first, many);
    const uint32_t quads = (many - head) / 4, tail = many - head - 4 * quads;
    uint32_t *const mine = columns + simt_warp() * (SPLIT_BUCKETS * 32), *const column = mine + simt_lane();
    for (unsigned b = 0; b < SPLIT_BUCKETS; b++)
        column[b * 32] = 0;
    if (threadIdx.x < head)
        column[bucket_of(f, first[threadIdx.x]) * 32]++;
    if (threadIdx.x < tail)
        column[bucket_of(f, first[many - tail + threadIdx.x]) * 32]++;
    count_quads(f, reinterpret_cast<const uint4 *>(first + head), quads, column);
    __syncwarp();
    sums[threadIdx.x] = sum_row(mine);
    __syncthreads();
    if (simt_warp() == 0) {
        uint32_t sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            sum += sums[w * 32 + simt_lane()];
        counts[(uint64_t)simt_lane() * gridDim.x + blockIdx.x] = sum;
    }
}

/* ---- between: how many of a bucket come before each tile --------------------------------------------------------- */

/* The sum of `many` counts. */
static __device__ uint32_t sum_counts(const uint32_t *__restrict__ counts, uint32_t many, uint32_t *scratch)
{
    uint32_t sum = 0, total;
    for (uint32_t i = threadIdx.x; i < many; i += blockDim.x)
        sum += counts[i];
    (void)block_scan(sum, scratch, &total);
    return total;
}

/* As many blocks for each bucket as it has parts: one sums what comes before its part, and scans that. *taken becomes
 * 0. */
static __global__ void __launch_bounds__(SPLIT_SCAN_THREADS)
    split_scan_kernel(const uint32_t *__restrict__ counts, uint32_t tiles, uint32_t *places, uint32_t *taken)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    const uint32_t bucket = blockIdx.x % SPLIT_BUCKETS, part = blockIdx.x / SPLIT_BUCKETS;
    const uint32_t parts = gridDim.x / SPLIT_BUCKETS, each = (tiles - 1) / parts + 1;
    const uint32_t first = part * each < tiles ? part * each : tiles;
    const uint32_t end = first + each < tiles ? first + each : tiles;
    const uint32_t *const mine = counts + (uint64_t)bucket * tiles;
    uint32_t place = first != 0 ? sum_counts(mine, first, scratch) : 0, total;
    for (uint32_t chunk = first; chunk < end; chunk += blockDim.x) {
        const uint32_t tile = chunk + threadIdx.x;
        const uint32_t before = block_scan(tile < end ? mine[tile] : 0, scratch, &total);
        if (tile < end)
            places[(uint64_t)tile * SPLIT_BUCKETS + bucket] = place + before;
        place += total;
    }
    if (part == parts - 1 && threadIdx.x == 0)
        places[(uint64_t)tiles * SPLIT_BUCKETS + bucket] = place;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *taken = 0;
}

/* ---- pass 2: what a block has in shared memory ------------------------------------------------------------------- */

template <typename V> struct split_value {
    static const unsigned bytes = sizeof(V);
};

template <> struct split_value<split_nothing> {
    static const unsigned bytes = 0;
};

/* Two counters: a thread's items of bucket 2 r and, in the other half, of bucket 2 r + 1; r is the row. */
typedef union split_counter {
    uint32_t both;
    uint16_t half[2];
} split_counter;

/* Where things begin, in bytes. Twice: keys, values (each with room for a skew); then counters, 16 rows of them with
 * one a thread; rows; the order, an index within the tile for each slot. */
typedef struct split_layout {
    uint32_t values, stage, counters, rows, order, bytes;
} split_layout;

/* Counters in a row: whole groups of 4 a lane. */
static inline __host__ __device__ uint32_t pitch_of(unsigned threads)
{
    return (threads + 127) / 128 * 128;
}

static inline __host__ __device__ split_layout layout_of(unsigned threads, unsigned value_bytes)
{
    const uint32_t tile = tile_size(threads), slots = tile + SPLIT_PAD;
    split_layout l;
    l.values = tile * 4 + 16;
    l.stage = l.values + (value_bytes != 0 ? tile * value_bytes + 16 : 0);
    l.counters = 2 * l.stage;
    l.rows = l.counters + SPLIT_BUCKETS / 2 * pitch_of(threads) * (uint32_t)sizeof(split_counter);
    l.order = l.rows + slots / 32 * (uint32_t)sizeof(uint2);
    l.bytes = l.order + slots * (uint32_t)sizeof(uint16_t);
    return l;
}

/* The same as pointers. */
typedef struct split_board {
    split_counter *counters;
    uint2 *rows; /* x: what to add to a slot to have the place in the output; y: first lane, end << 8 */
    uint16_t *order;
} split_board;

/* ---- pass 2: a tile comes ---------------------------------------------------------------------------------------- */

/* Asks for `many` items: from[i] comes to to[skew_of(from) + i]. */
template <typename T>
static __device__ __forceinline__ void fetch(T *to, const T *__restrict__ from, uint32_t many, const unsigned threads)
{
    const uint32_t each = 16 / sizeof(T), skew = skew_of(from), head = head_of(from, many);
    const uint32_t lines = (many - head) / each, rest = head + lines * each;
    const T *const source = from + head + threadIdx.x * each;
    T *const target = to + skew + head + threadIdx.x * each;
#pragma unroll
    for (unsigned i = 0; i < (SPLIT_EACH - 1) / each + 1; i++)
        if (i * threads + threadIdx.x < lines)
            simt_copy16_async(target + i * threads * each, source + i * threads * each);
    if (threadIdx.x < head)
        to[skew + threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < many - rest)
        to[skew + rest + threadIdx.x] = from[rest + threadIdx.x];
}

static __device__ __forceinline__ void fetch(split_nothing *, const split_nothing *, uint32_t, unsigned)
{
}

template <typename V> static __device__ __forceinline__ const V *values_at(const V *values, uint64_t i)
{
    return values + i;
}

static __device__ __forceinline__ const split_nothing *values_at(const split_nothing *, uint64_t)
{
    return NULL;
}

/* This tile's values, in shared memory from `at` on. */
template <typename V> static __device__ __forceinline__ const V *values_in(const V *values, const char *at)
{
    return reinterpret_cast<const V *>(at) + skew_of(values);
}

static __device__ __forceinline__ const split_nothing *values_in(const split_nothing *, const char *)
{
    return NULL;
}

/* Asks for a tile; `stage` is where it comes to. */
template <typename V>
static __device__ __forceinline__ void fetch_tile(const uint32_t *__restrict__ keys, const V *__restrict__ values,
                                                  uint32_t n, uint32_t tile, const split_layout &l, char *stage,
                                                  const unsigned threads)
{
    const uint32_t size = tile_size(threads), many = items_of(n, size, tile);
    const uint64_t first = (uint64_t)tile * size;
    fetch(reinterpret_cast<uint32_t *>(stage), keys + first, many, threads);
    fetch(reinterpret_cast<V *>(stage + l.values), values_at(values, first), many, threads);
    simt_copy_commit();
}

/* ---- pass 2: the order of a tile --------------------------------------------------------------------------------- */

/* Where the halves of all counters have this thread's of a bucket. */
static __device__ __forceinline__ uint32_t counter_of(uint32_t bucket, const unsigned threads)
{
    return bucket * pitch_of(threads) - bucket % 2 * (pitch_of(threads) - 1) + 2 * threadIdx.x;
}

/* All counters are 0: before a barrier. */
static __device__ __forceinline__ void clear_counters(split_counter *counters, const unsigned threads)
{
    const uint4 zero = {0, 0, 0, 0};
    for (uint32_t i = threadIdx.x; i < SPLIT_BUCKETS / 2 * pitch_of(threads) / 4; i += threads)
        reinterpret_cast<uint4 *>(counters)[i] = zero;
}

/* Counts this thread's items, keys[0 .. SPLIT_EACH): rank[i] holds the rank of item i among the thread's in its bucket
 * and, in the lower half, where that bucket's counter is. Items past the end, from `left` on, count as the last
 * bucket's: they come after all others there (M7). `full` is a constant where this is called. */
template <typename F>
static __device__ __forceinline__ void rank_items(const F &f, const uint32_t *keys, uint32_t left, const bool full,
                                                  uint16_t *halves, uint32_t *rank, const unsigned threads)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        rank[i] = counter_of(full || i < left ? bucket_of(f, keys[i]) : SPLIT_BUCKETS - 1, threads);
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++) {
        const uint32_t before = halves[rank[i]];
        halves[rank[i]] = (uint16_t)(before + 1);
        rank[i] |= before << 16;
    }
}

/* For the bucket of this lane's number, of which the tile has `sum` items that go to `place` and on: the slot where
 * they begin. *many is how many rows the tile has. */
static __device__ __forceinline__ uint32_t lay_rows(uint32_t place, uint32_t sum, uint2 *rows, uint32_t *many,
                                                    const unsigned threads)
{
    const uint32_t phase = place % 32, mine = sum != 0 ? (phase + sum + 31) / 32 : 0;
    const uint32_t row = warp_scan(mine, many), start = row * 32 + phase;
    for (uint32_t r = simt_warp(); r < mine; r += threads / 32) {
        const uint32_t low = r == 0 ? phase : 0, high = r + 1 == mine ? phase + sum - 32 * r : 32;
        const uint2 entry = {place - start, low | high << 8};
        rows[row + r] = entry;
    }
    return start;
}

/* Makes slots of a row of counters, in both halves at once; the first thread's are `carry`. No half overflows. The
 * chunks are scanned side by side, so that the shuffles of one do not wait for those of another. */
static __device__ __forceinline__ void scan_counters(split_counter *row, uint32_t carry, const unsigned threads)
{
    const uint32_t chunks = pitch_of(threads) / 128;
    uint4 *const quads = reinterpret_cast<uint4 *>(row) + simt_lane(), quad[SPLIT_CHUNKS] = {};
    uint32_t sum[SPLIT_CHUNKS];
#pragma unroll
    for (unsigned c = 0; c < SPLIT_CHUNKS; c++) {
        if (c < chunks)
            quad[c] = quads[c * 32];
        sum[c] = quad[c].x + quad[c].y + quad[c].z + quad[c].w;
    }
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
#pragma unroll
        for (unsigned c = 0; c < SPLIT_CHUNKS; c++) {
            const uint32_t other = __shfl_up_sync(WARP_ALL, sum[c], step);
            sum[c] += simt_lane() >= step ? other : 0;
        }
#pragma unroll
    for (unsigned c = 0; c < SPLIT_CHUNKS; c++) {
        const uint32_t w = carry + sum[c] - quad[c].w, z = w - quad[c].z, y = z - quad[c].y, x = y - quad[c].x;
        const uint4 slots = {x, y, z, w};
        if (c < chunks)
            quads[c * 32] = slots;
        carry += __shfl_sync(WARP_ALL, sum[c], 31);
    }
}

/* The same for all rows; `start` as lay_rows returns it. A warp takes a row at a time. */
static __device__ __forceinline__ void place_counters(split_counter *counters, uint32_t start, const unsigned threads)
{
    for (unsigned r = simt_warp(); r < SPLIT_BUCKETS / 2; r += threads / 32) {
        const uint32_t low = __shfl_sync(WARP_ALL, start, (int)(2 * r));
        const uint32_t high = __shfl_sync(WARP_ALL, start, (int)(2 * r + 1));
        scan_counters(counters + r * pitch_of(threads), low | high << 16, threads);
    }
}

/* Writes this thread's items into the order. */
static __device__ __forceinline__ void order_items(const uint32_t *rank, const uint16_t *halves, uint16_t *order)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        order[halves[rank[i] & 0xffffu] + (rank[i] >> 16)] = (uint16_t)(threadIdx.x * SPLIT_EACH + i);
}

/* ---- pass 2: writing --------------------------------------------------------------------------------------------- */

template <typename V> static __device__ __forceinline__ V load_value(const V *values, uint32_t i)
{
    return values[i];
}

static __device__ __forceinline__ split_nothing load_value(const split_nothing *, uint32_t)
{
    return split_nothing();
}

template <typename V> static __device__ __forceinline__ void write_value(V *values, uint32_t to, V value)
{
    values[to] = value;
}

static __device__ __forceinline__ void write_value(split_nothing *, uint32_t, split_nothing)
{
}

/* Writes the rows r, r + warps, ... of a warp, as many as SPLIT_ROWS_AHEAD: neighbouring places of one bucket each. */
template <typename V>
static __device__ __forceinline__ void write_rows(const uint32_t *keys, const V *values, const split_board &board,
                                                  uint32_t r, uint32_t many, uint32_t *keys_out, V *values_out,
                                                  const unsigned threads)
{
    uint32_t to[SPLIT_ROWS_AHEAD], at[SPLIT_ROWS_AHEAD], key[SPLIT_ROWS_AHEAD];
    bool mine[SPLIT_ROWS_AHEAD];
    V value[SPLIT_ROWS_AHEAD];
#pragma unroll
    for (unsigned i = 0; i < SPLIT_ROWS_AHEAD; i++) {
        const uint32_t row = r + i * (threads / 32), slot = row * 32 + simt_lane();
        const uint2 none = {0, 0}, entry = row < many ? board.rows[row] : none;
        mine[i] = simt_lane() >= (entry.y & 0xffu) && simt_lane() < entry.y >> 8;
        to[i] = entry.x + slot;
        at[i] = mine[i] ? board.order[slot] : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < SPLIT_ROWS_AHEAD; i++) {
        key[i] = keys[at[i]];
        value[i] = load_value(values, at[i]);
    }
#pragma unroll
    for (unsigned i = 0; i < SPLIT_ROWS_AHEAD; i++)
        if (mine[i]) {
            keys_out[to[i]] = key[i];
            write_value(values_out, to[i], value[i]);
        }
}

/* Where bucket b of the tile begins and ends, less what is in the buckets before b; b is this lane's number. */
typedef struct split_span {
    uint32_t first, end;
} split_span;

static __device__ __forceinline__ split_span span_of(const uint32_t *__restrict__ places, uint32_t tile)
{
    const uint64_t at = (uint64_t)tile * SPLIT_BUCKETS + simt_lane();
    const split_span s = {places[at], places[at + SPLIT_BUCKETS]};
    return s;
}

/* From M5's (a) to (d) and the writing; `base` is where the bucket of this lane's number begins in the output. */
template <typename F, typename V>
static __device__ __forceinline__ void split_tile(const F &f, const uint32_t *keys, const V *values, uint32_t many,
                                                  const split_span &span, uint32_t base, const split_board &board,
                                                  uint32_t *keys_out, V *values_out, const unsigned threads)
{
    const uint32_t before = threadIdx.x * SPLIT_EACH, left = many > before ? many - before : 0;
    uint16_t *const halves = &board.counters->half[0];
    uint32_t rank[SPLIT_EACH], rows;
    if (many == tile_size(threads))
        rank_items(f, keys + before, left, true, halves, rank, threads);
    else
        rank_items(f, keys + before, left, false, halves, rank, threads);
    const uint32_t start = lay_rows(base + span.first, span.end - span.first, board.rows, &rows, threads);
    __syncthreads(); /* (b) */
    place_counters(board.counters, start, threads);
    __syncthreads(); /* (c) */
    order_items(rank, halves, board.order);
    __syncthreads(); /* (d) */
    clear_counters(board.counters, threads);
    for (uint32_t r = simt_warp(); r < rows; r += SPLIT_ROWS_AHEAD * (threads / 32))
        write_rows(keys, values, board, r, rows, keys_out, values_out, threads);
}

/* Block 0 tells where the buckets begin: offsets[b] for each, offsets[buckets] = n. */
static __device__ __forceinline__ void tell_offsets(uint32_t base, uint32_t n, unsigned buckets, uint32_t *offsets)
{
    if (offsets == NULL || blockIdx.x != 0)
        return;
    if (threadIdx.x < buckets)
        offsets[threadIdx.x] = base;
    if (threadIdx.x == 0)
        offsets[buckets] = n;
}

/* The tiles of a block. The first is that of its number; thread 0 takes the others, two tiles ahead, from *taken on:
 * some multiprocessors are quicker than others. `threads` is a constant where this is called for the usual block. */
template <typename F, typename V>
static __device__ __forceinline__ void split_tiles(const F &f, const uint32_t *__restrict__ keys,
                                                   const V *__restrict__ values, uint32_t n, uint32_t tiles,
                                                   const uint32_t *__restrict__ places, uint32_t *taken,
                                                   uint32_t *keys_out, V *values_out, char *memory, uint32_t *ahead,
                                                   uint32_t base, const unsigned threads)
{
    const split_layout l = layout_of(threads, split_value<V>::bytes);
    const split_board board = {reinterpret_cast<split_counter *>(memory + l.counters),
                               reinterpret_cast<uint2 *>(memory + l.rows),
                               reinterpret_cast<uint16_t *>(memory + l.order)};
    uint32_t now = 0, took = 0, next; /* now: which of the two stages has the tile */
    split_span span = span_of(places, blockIdx.x), then = span;
    if (threadIdx.x == 0)
        *ahead = gridDim.x + atomicAdd(taken, 1u);
    fetch_tile(keys, values, n, blockIdx.x, l, memory, threads);
    clear_counters(board.counters, threads);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile = next, span = then, now = l.stage - now) {
        simt_copy_wait<0>();
        __syncthreads(); /* (a) */
        next = *ahead;
        if (next < tiles) {
            fetch_tile(keys, values, n, next, l, memory + (l.stage - now), threads);
            then = span_of(places, next);
            if (threadIdx.x == 0)
                took = atomicAdd(taken, 1u);
        }
        const uint32_t *const here = reinterpret_cast<const uint32_t *>(memory + now) + skew_of(keys);
        split_tile(f, here, values_in(values, memory + now + l.values), items_of(n, tile_size(threads), tile), span,
                   base, board, keys_out, values_out, threads);
        if (threadIdx.x == 0)
            *ahead = gridDim.x + took;
    }
}

template <typename F, typename V>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_RESIDENT)
    split_write_kernel(F f, const uint32_t *__restrict__ keys, const V *__restrict__ values, uint32_t n, uint32_t tiles,
                       const uint32_t *__restrict__ places, uint32_t *taken, uint32_t *keys_out, V *values_out,
                       unsigned buckets, uint32_t *offsets)
{
    SIMT_SHARED_DYNAMIC(char, memory);
    SIMT_SHARED(uint32_t, ahead, 1);
    uint32_t all;
    const uint32_t base = warp_scan(places[(uint64_t)tiles * SPLIT_BUCKETS + simt_lane()], &all);
    tell_offsets(base, n, buckets, offsets);
    if (blockDim.x == SPLIT_THREADS)
        split_tiles(f, keys, values, n, tiles, places, taken, keys_out, values_out, memory, ahead, base, SPLIT_THREADS);
    else
        split_tiles(f, keys, values, n, tiles, places, taken, keys_out, values_out, memory, ahead, base, blockDim.x);
}

/* ---- the launcher ------------------------------------------------------------------------------------------------ */

/* How a split is launched. */
typedef struct split_plan {
    unsigned threads, blocks; /* of pass 2 */
    uint32_t tiles;
    size_t bytes; /* of dynamic shared memory */
} split_plan;

/* Threads as the device allows them, fewer where its shared memory is small; every resident block has a tile. */
template <typename F, typename V> static nf_status split_plan_for(device *d, uint32_t n, split_plan *p)
{
    nf_status st = NF_OK;
    for (p->threads = device_block(d, SPLIT_THREADS);; p->threads -= p->threads > 128 ? 128 : 32) {
        p->bytes = layout_of(p->threads, split_value<V>::bytes).bytes;
        if (p->threads < 64 || p->bytes + SPLIT_STATIC <= d->shared_most)
            break;
    }
    p->tiles = device_grid(n, p->threads, SPLIT_EACH);
    NF_TRY_CUDA(d, cudaFuncSetAttribute(split_write_kernel<F, V>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)p->bytes));
    NF_TRY(device_resident_blocks(d, reinterpret_cast<const void *>(split_write_kernel<F, V>), (int)p->threads,
                                  p->bytes, &p->blocks));
    p->blocks = p->blocks < p->tiles ? p->blocks : p->tiles;
done:
    return st;
}

static nf_status split_scan(device *d, const uint32_t *counts, uint32_t tiles, uint32_t *places, uint32_t *taken)
{
    nf_status st = NF_OK;
    const unsigned most = device_block(d, SPLIT_SCAN_THREADS), few = (tiles + 31) / 32 * 32;
    const unsigned blocks = SPLIT_BUCKETS * (tiles > most ? SPLIT_PARTS : 1u);
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_scan_kernel, blocks, few < most ? few : most, 0, d->stream, counts, tiles, places,
                               taken));
done:
    return st;
}

/* Splits n pairs by bucket_of(f, key), buckets <= 32; offsets (buckets + 1, on the device) may be NULL. Input and
 * output must not overlap. For keys alone, V is split_nothing and the pointers to values are NULL. */
template <typename F, typename V>
static nf_status multisplit(device *d, F f, unsigned buckets, uint64_t n, const uint32_t *keys, uint32_t *keys_out,
                            const V *values, V *values_out, uint32_t *offsets)
{
    nf_status st = NF_OK;
    split_plan p = {};
    uint32_t *counts = NULL, *places = NULL, *taken = NULL;
    const uint32_t count = (uint32_t)n;
    if (n > UINT32_MAX || buckets > SPLIT_BUCKETS)
        return nf__fail(NF_EINTERNAL, "a split of %llu items into %u buckets", (unsigned long long)n, buckets);
    if (n == 0)
        return offsets != NULL ? device_fill_bytes(d, offsets, 0, (buckets + 1) * sizeof *offsets) : NF_OK;
    NF_TRY((split_plan_for<F, V>(d, count, &p)));
    NF_TRY(device_alloc(d, SPLIT_BUCKETS * (2 * (uint64_t)p.tiles + 1) + 1, &counts));
    places = counts + SPLIT_BUCKETS * (uint64_t)p.tiles;
    taken = places + SPLIT_BUCKETS * ((uint64_t)p.tiles + 1);
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_count_kernel<F>, p.tiles, device_block(d, SPLIT_COUNT_THREADS), 0, d->stream, f,
                               keys, count, tile_size(p.threads), counts));
    NF_TRY(split_scan(d, counts, p.tiles, places, taken));
    NF_TRY_CUDA(d, SIMT_LAUNCH((split_write_kernel<F, V>), p.blocks, p.threads, p.bytes, d->stream, f, keys, values,
                               count, p.tiles, places, taken, keys_out, values_out, buckets, offsets));
done:
    device_free(d, counts);
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
