/* multisplit.cuh - keys (and their values) sorted into up to 32 buckets, in order within each: the primitive that
 * Davidson et al. 2014 (section 4.3) missed on GPUs and made do without by sorting.
 *
 * Method (after Ashkiani et al. 2016, "GPU Multisplit", and the one-sweep radix sorts): the input is cut into one
 * stretch a block. Pass 1 counts each stretch's keys by bucket, 16 bytes a load, in columns of shared memory that no
 * two threads share. One block scans the counts, bucket by bucket. Pass 2 walks its stretch tile by tile: five ballots
 * tell each lane which lanes hold the bucket of that lane's number, so a key's rank is two shuffles and a population
 * count. The tile is put in order in shared memory, each bucket from a row of 32 slots of its own on, shifted so that a
 * slot's lane is that of its place in the output: a warp writes a row at a time, which is a whole line of 128 bytes
 * but for a bucket's first and last. The keys of the next tile are asked for before the rows are written, the values
 * before the ranks are worked out, so that both loads pass behind work.
 *
 * Invariants
 *   M1 bucket_of(f, key) < 32 and depends on the key alone;
 *   M2 order: by bucket, then by place in the input (stable);
 *   M3 each key is read twice and written once, each value read and written once: 12 bytes a key, 20 a pair of 4 + 4;
 *   M4 counts[b * stretches + s] = keys of bucket b in stretch s; after the scan, where the first of them goes;
 *   M5 two barriers a tile: counts are read before the second and written after it; ordered items and rows are written
 *      after the first and read before the next tile's first;
 *   M6 any block of whole warps up to SPLIT_THREADS will do: the launcher takes what the device allows;
 *   M7 items that the last tile lacks stand behind the last bucket's, in the tile as in the output: they are ordered,
 *      but no row shows them.
 * Work of pass 2 for each pair: 2 loads, 5 ballots, 3 shuffles, 2 population counts, a store to and a load from shared
 * memory, 2 stores. Limit: fewer than 2^32 items. Scratch: 128 bytes a stretch, at most one stretch for each block that
 * is resident.
 */
#ifndef NF_GPU_MULTISPLIT_CUH
#define NF_GPU_MULTISPLIT_CUH

#include "gpu/runtime.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

/* Tuning numbers: bench/gpu/primitives.cu is built with others too (scripts/gpu-check tune). H200, 2^26 pairs / keys in
 * ms, of 18 sets: 768 x 18 x 1: 0.428 / 0.352; 896 x 14 x 1: 0.426 / 0.368; 640 x 20 x 1: 0.433 / 0.353; 512 x 14 x 2:
 * 0.444 / 0.342; 512 x 16 x 2: 0.464 / 0.345; 384 x 12 x 3: 0.479 / 0.352; 256 x 16 x 4: 0.517 / 0.356. Longer runs of
 * a bucket pay more than a second block does. */
#ifndef SPLIT_THREADS
#define SPLIT_THREADS 768 /* at most, a block */
#endif
#ifndef SPLIT_EACH
#define SPLIT_EACH 18 /* items a thread and tile: 13,824 a tile, so a bucket's run is 1.7 KB on average */
#endif
#ifndef SPLIT_LATE
#define SPLIT_LATE 0 /* 1: values are asked for after ranking (fewer registers); values over 4 bytes always are */
#endif
#ifndef SPLIT_RESIDENT
#define SPLIT_RESIDENT 1 /* blocks a multiprocessor: 85 registers a thread */
#endif
#define SPLIT_BUCKETS 32 /* one a lane: the method's own limit */
#define SPLIT_WARPS (SPLIT_THREADS / 32)
#define SPLIT_PAD (62 * SPLIT_BUCKETS) /* slots: up to 31 before a bucket's items and 31 after */
#define SPLIT_ROWS ((SPLIT_THREADS * SPLIT_EACH + SPLIT_PAD) / 32)
#define SPLIT_RANK_BITS 10 /* of a rank within a warp; its bucket lies above it */
static_assert(SPLIT_EACH * 32 <= 1 << SPLIT_RANK_BITS, "ranks are too wide");
#define SPLIT_BATCH 4 /* loads of 16 bytes that a thread of pass 1 has under way */
#define SPLIT_SCAN_THREADS 1024

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

/* ---- a stretch --------------------------------------------------------------------------------------------------- */

/* Items of a tile. */
static __device__ __forceinline__ uint32_t tile_size()
{
    return blockDim.x * SPLIT_EACH;
}

/* The tiles [first, end) of a block: all blocks have as many, or one more. */
typedef struct split_stretch {
    uint32_t first, end;
} split_stretch;

static __device__ __forceinline__ split_stretch stretch_of(uint32_t n)
{
    const uint32_t tiles = (n - 1) / tile_size() + 1, each = tiles / gridDim.x, more = tiles % gridDim.x;
    const uint32_t first = blockIdx.x * each + (blockIdx.x < more ? blockIdx.x : more);
    split_stretch s = {first, first + each + (blockIdx.x < more ? 1u : 0u)};
    return s;
}

/* ---- pass 1: counting -------------------------------------------------------------------------------------------- */

/* Columns: columns[(warp * 32 + bucket) * 32 + lane]. Sums them: a warp takes a bucket at a time. */
static __device__ void sum_columns(const uint32_t *columns, uint32_t *counts)
{
    const unsigned warps = blockDim.x / 32;
    for (unsigned bucket = simt_warp(); bucket < SPLIT_BUCKETS; bucket += warps) {
        uint32_t sum = 0;
        for (unsigned w = 0; w < warps; w++)
            sum += columns[(w * SPLIT_BUCKETS + bucket) * 32 + simt_lane()];
        sum = simt_reduce_add(WARP_ALL, sum);
        if (simt_lane() == 0)
            counts[bucket * gridDim.x + blockIdx.x] = sum;
    }
}

template <typename F> static __device__ __forceinline__ void count_quad(const F &f, const uint4 &quad, uint32_t *column)
{
    column[bucket_of(f, quad.x) * 32]++;
    column[bucket_of(f, quad.y) * 32]++;
    column[bucket_of(f, quad.z) * 32]++;
    column[bucket_of(f, quad.w) * 32]++;
}

static __device__ __forceinline__ void load_quads(const uint4 *quads, uint32_t first, uint4 *batch)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_BATCH; i++)
        batch[i] = simt_load16_once(quads + first + i * blockDim.x);
}

/* Counts `many` groups of four keys; a batch is counted while the next one is on its way. */
template <typename F>
static __device__ __forceinline__ void count_quads(const F &f, const uint4 *quads, uint32_t many, uint32_t *column)
{
    const uint32_t step = SPLIT_BATCH * blockDim.x, rounds = many / step;
    uint32_t at = threadIdx.x;
    uint4 batch[SPLIT_BATCH], next[SPLIT_BATCH];
    if (rounds > 0)
        load_quads(quads, at, next);
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (unsigned i = 0; i < SPLIT_BATCH; i++)
            batch[i] = next[i];
        at += step;
        if (round + 1 < rounds)
            load_quads(quads, at, next);
#pragma unroll
        for (unsigned i = 0; i < SPLIT_BATCH; i++)
            count_quad(f, batch[i], column);
    }
    for (; at < many; at += blockDim.x)
        count_quad(f, simt_load16_once(quads + at), column);
}

template <typename F>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_RESIDENT)
    split_count_kernel(F f, const uint32_t *__restrict__ keys, uint32_t n, uint32_t *counts)
{
    SIMT_SHARED_DYNAMIC(uint32_t, columns);
    const split_stretch stretch = stretch_of(n);
    const uint64_t first = (uint64_t)stretch.first * tile_size(), end = (uint64_t)stretch.end * tile_size();
    const uint32_t size = (uint32_t)((end < n ? end : n) - first);
    const uint32_t skew = (uint32_t)((16 - reinterpret_cast<uintptr_t>(keys + first) % 16) % 16 / sizeof *keys);
    const uint32_t head = skew < size ? skew : size, quads = (size - head) / 4, tail = size - head - 4 * quads;
    uint32_t *column = columns + simt_warp() * (SPLIT_BUCKETS * 32) + simt_lane();
    for (unsigned b = 0; b < SPLIT_BUCKETS; b++)
        column[b * 32] = 0;
    if (threadIdx.x < head)
        column[bucket_of(f, keys[first + threadIdx.x]) * 32]++;
    if (threadIdx.x < tail)
        column[bucket_of(f, keys[first + size - tail + threadIdx.x]) * 32]++;
    count_quads(f, reinterpret_cast<const uint4 *>(keys + first + head), quads, column);
    __syncthreads();
    sum_columns(columns, counts);
}

/* ---- between: where each stretch's buckets begin ----------------------------------------------------------------- */

/* One block; a thread takes `each` neighbouring counts. offsets[b] = where bucket b begins, offsets[buckets] = n. */
static __global__ void __launch_bounds__(SPLIT_SCAN_THREADS)
    split_scan_kernel(uint32_t *counts, uint32_t stretches, uint32_t n, unsigned buckets, uint32_t *offsets)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    const uint32_t cells = SPLIT_BUCKETS * stretches, each = (cells - 1) / blockDim.x + 1;
    const uint32_t first = threadIdx.x * each < cells ? threadIdx.x * each : cells;
    const uint32_t end = first + each < cells ? first + each : cells;
    uint32_t sum = 0, total;
    for (uint32_t i = first; i < end; i++)
        sum += counts[i];
    uint32_t place = block_scan(sum, scratch, &total);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t count = counts[i];
        counts[i] = place;
        if (offsets != NULL && i % stretches == 0 && i / stretches < buckets)
            offsets[i / stretches] = place;
        place += count;
    }
    if (offsets != NULL && threadIdx.x == 0)
        offsets[buckets] = n;
}

/* ---- pass 2: ranks and writing ----------------------------------------------------------------------------------- */

/* The lanes whose bucket is this lane's own number. */
static __device__ __forceinline__ unsigned lanes_of_mine(unsigned bucket)
{
    unsigned mask = WARP_ALL;
#pragma unroll
    for (unsigned bit = 0; bit < 5; bit++) {
        const unsigned votes = __ballot_sync(WARP_ALL, (bucket >> bit & 1u) != 0);
        mask &= (simt_lane() >> bit & 1u) != 0 ? votes : ~votes;
    }
    return mask;
}

/* Ranks the warp's items: rank[i / 2] holds, in the half i % 2, the rank of item i among the warp's in its bucket, and
 * that bucket above it. Items past the end count as the last bucket's: they come after all others there (M7). Returns
 * how many items of the warp are in the bucket of this lane's number. `full` is a constant where this is called. */
template <typename F>
static __device__ __forceinline__ uint32_t rank_items(const F &f, const uint32_t *key, uint32_t left, const bool full,
                                                      uint32_t *rank)
{
    uint32_t count = 0;
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++) {
        const unsigned bucket = full || i * 32 + simt_lane() < left ? bucket_of(f, key[i]) : SPLIT_BUCKETS - 1;
        const unsigned mine = lanes_of_mine(bucket);
        const unsigned peers = __shfl_sync(WARP_ALL, mine, (int)bucket);
        const uint32_t before = __shfl_sync(WARP_ALL, count, (int)bucket);
        const uint32_t place = before + (uint32_t)__popc(peers & lanes_below()) + (bucket << SPLIT_RANK_BITS);
        rank[i / 2] = i % 2 == 0 ? place : rank[i / 2] | place << 16;
        count += (uint32_t)__popc(mine);
    }
    return count;
}

/* What the warps of a block tell each other about a tile. */
typedef struct split_board {
    uint32_t counts[SPLIT_WARPS][SPLIT_BUCKETS]; /* warps that the block does not have keep zeros */
    uint2 rows[SPLIT_ROWS]; /* x: what to add to a slot to have the place in the output; y: first lane, end << 8 */
} split_board;

/* For the bucket of this lane's number: the slot where this warp's items begin. `next`, the place of the stretch's next
 * item of that bucket in the output, moves on; *rows is how many rows the tile has. Holds M5's first barrier. */
static __device__ __forceinline__ uint32_t place_buckets(uint32_t count, uint32_t n, split_board *board, uint32_t *next,
                                                         uint32_t *rows)
{
    uint32_t before = 0, sum = 0;
    board->counts[simt_warp()][simt_lane()] = count;
    __syncthreads();
#pragma unroll
    for (unsigned w = 0; w < SPLIT_WARPS; w++) {
        const uint32_t theirs = board->counts[w][simt_lane()];
        before += w < simt_warp() ? theirs : 0;
        sum += theirs;
    }
    sum = sum < n - *next ? sum : n - *next; /* M7 */
    const uint32_t phase = *next % 32, mine = sum != 0 ? (phase + sum + 31) / 32 : 0;
    const uint32_t row = warp_scan(mine, rows), start = row * 32 + phase;
    for (uint32_t r = simt_warp(); r < mine; r += blockDim.x / 32) {
        const uint32_t low = r == 0 ? phase : 0, high = r + 1 == mine ? phase + sum - 32 * r : 32;
        const uint2 entry = {*next - start, low | high << 8};
        board->rows[row + r] = entry;
    }
    *next += sum;
    return start + before;
}

/* ---- items with and without values ------------------------------------------------------------------------------- */

template <typename V> struct split_item {
    uint32_t key;
    V value;
};

template <> struct split_item<split_nothing> {
    uint32_t key;
};

template <typename V> static __device__ __forceinline__ V load_value(const V *values, uint32_t i)
{
    return __ldcs(values + i);
}

static __device__ __forceinline__ split_nothing load_value(const split_nothing *, uint32_t)
{
    return split_nothing();
}

template <typename V> static __device__ __forceinline__ void put_item(split_item<V> *at, uint32_t key, V value)
{
    split_item<V> item = {key, value};
    *at = item;
}

static __device__ __forceinline__ void put_item(split_item<split_nothing> *at, uint32_t key, split_nothing)
{
    at->key = key;
}

template <typename V>
static __device__ __forceinline__ void write_item(const split_item<V> &item, uint32_t *keys, V *values, uint32_t to)
{
    keys[to] = item.key;
    values[to] = item.value;
}

static __device__ __forceinline__ void write_item(const split_item<split_nothing> &item, uint32_t *keys,
                                                  split_nothing *, uint32_t to)
{
    keys[to] = item.key;
}

/* The keys of this warp's part of a tile; `keys` is this lane's first of them. `full` is a constant where this is
 * called, so that whole tiles are free of comparisons. */
static __device__ __forceinline__ void load_keys(const uint32_t *__restrict__ keys, uint32_t left, const bool full,
                                                 uint32_t *key)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        key[i] = full || i * 32 + simt_lane() < left ? __ldcs(keys + i * 32) : 0;
}

template <typename V>
static __device__ __forceinline__ void load_values(const V *__restrict__ values, uint32_t left, const bool full,
                                                   V *value)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        value[i] = full || i * 32 + simt_lane() < left ? load_value(values, i * 32) : V();
}

/* Loads the values and ranks the keys of this warp's part of a tile; as rank_items. */
template <typename F, typename V>
static __device__ __forceinline__ uint32_t rank_part(const F &f, const uint32_t *key, const V *__restrict__ values,
                                                     uint32_t left, const bool full, uint32_t *rank, V *value)
{
    const bool late = SPLIT_LATE != 0 || sizeof(V) > 4;
    if (!late)
        load_values(values, left, full, value);
    const uint32_t count = rank_items(f, key, left, full, rank);
    if (late)
        load_values(values, left, full, value);
    return count;
}

/* Puts this warp's items where they belong among the tile's in order. start: of the bucket of this lane's number. */
template <typename V>
static __device__ __forceinline__ void put_items(const uint32_t *key, const V *value, const uint32_t *rank,
                                                 uint32_t start, split_item<V> *ordered)
{
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++) {
        const uint32_t half = rank[i / 2] >> 16 * (i % 2) & 0xffffu;
        const uint32_t first = __shfl_sync(WARP_ALL, start, (int)(half >> SPLIT_RANK_BITS));
        put_item(&ordered[first + (half & ((1u << SPLIT_RANK_BITS) - 1u))], key[i], value[i]);
    }
}

/* A warp writes a row at a time: neighbouring places of one bucket. */
template <typename V>
static __device__ __forceinline__ void write_rows(const split_item<V> *ordered, const uint2 *rows, uint32_t many,
                                                  uint32_t *keys_out, V *values_out)
{
    for (uint32_t r = simt_warp(); r < many; r += blockDim.x / 32) {
        const uint2 row = rows[r];
        const uint32_t slot = r * 32 + simt_lane();
        if (simt_lane() >= (row.y & 0xffu) && simt_lane() < row.y >> 8)
            write_item(ordered[slot], keys_out, values_out, row.x + slot);
    }
}

/* Where this warp stands in a tile. */
typedef struct split_part {
    uint64_t first; /* this lane's first item in the input */
    uint32_t left;  /* items from this warp's first on; 0 past the end */
    bool full;      /* the whole tile is there: the same for all threads of the block */
} split_part;

static __device__ __forceinline__ split_part part_of(uint32_t n, uint32_t tile)
{
    const uint64_t begin = (uint64_t)tile * tile_size(), mine = begin + simt_warp() * (SPLIT_EACH * 32);
    split_part p = {mine + simt_lane(), n > mine ? (uint32_t)(n - mine) : 0, n - begin >= tile_size()};
    return p;
}

template <typename F, typename V>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_RESIDENT)
    split_write_kernel(F f, const uint32_t *__restrict__ keys, const V *__restrict__ values, uint32_t n,
                       const uint32_t *counts, uint32_t *keys_out, V *values_out)
{
    SIMT_SHARED_DYNAMIC(split_item<V>, ordered);
    SIMT_SHARED(split_board, board, 1);
    const split_stretch stretch = stretch_of(n);
    split_part part = part_of(n, stretch.first);
    uint32_t next = counts[simt_lane() * gridDim.x + blockIdx.x], count, rows;
    uint32_t key[SPLIT_EACH], rank[(SPLIT_EACH + 1) / 2];
    V value[SPLIT_EACH];
    for (unsigned w = simt_warp() + blockDim.x / 32; w < SPLIT_WARPS; w += blockDim.x / 32)
        board[0].counts[w][simt_lane()] = 0;
    load_keys(keys + part.first, part.left, false, key);
    for (uint32_t tile = stretch.first; tile < stretch.end; tile++) {
        if (part.full)
            count = rank_part(f, key, values + part.first, part.left, true, rank, value);
        else
            count = rank_part(f, key, values + part.first, part.left, false, rank, value);
        const uint32_t start = place_buckets(count, n, board, &next, &rows);
        put_items(key, value, rank, start, ordered);
        if (tile + 1 < stretch.end) {
            part = part_of(n, tile + 1);
            if (part.full)
                load_keys(keys + part.first, part.left, true, key);
            else
                load_keys(keys + part.first, part.left, false, key);
        }
        __syncthreads();
        write_rows(ordered, board[0].rows, rows, keys_out, values_out);
    }
}

/* ---- the launcher ------------------------------------------------------------------------------------------------ */

/* How a split is launched. */
typedef struct split_plan {
    unsigned threads, stretches;
    size_t count_bytes, write_bytes; /* of dynamic shared memory */
} split_plan;

/* Threads as the device allows them, fewer where its shared memory is small; every resident block has a stretch, and
 * none is without a tile. */
template <typename F, typename V> static nf_status split_plan_for(device *d, uint32_t n, split_plan *p)
{
    nf_status st = NF_OK;
    unsigned tiles = 0;
    p->threads = device_block(d, SPLIT_THREADS);
    for (;; p->threads = p->threads / 64 * 32) {
        p->count_bytes = (size_t)p->threads * SPLIT_BUCKETS * sizeof(uint32_t);
        p->write_bytes = ((size_t)p->threads * SPLIT_EACH + SPLIT_PAD) * sizeof(split_item<V>);
        if (p->threads < 64 || p->write_bytes + sizeof(split_board) <= d->shared_most)
            break;
    }
    tiles = device_grid(n, p->threads, SPLIT_EACH);
    NF_TRY_CUDA(d, cudaFuncSetAttribute(split_count_kernel<F>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)p->count_bytes));
    NF_TRY_CUDA(d, cudaFuncSetAttribute(split_write_kernel<F, V>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)p->write_bytes));
    NF_TRY(device_resident_blocks(d, reinterpret_cast<const void *>(split_write_kernel<F, V>), (int)p->threads,
                                  p->write_bytes, &p->stretches));
    p->stretches = p->stretches < tiles ? p->stretches : tiles;
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
    uint32_t *counts = NULL;
    const uint32_t count = (uint32_t)n;
    if (n > UINT32_MAX || buckets > SPLIT_BUCKETS)
        return nf__fail(NF_EINTERNAL, "a split of %llu items into %u buckets", (unsigned long long)n, buckets);
    if (n == 0)
        return offsets != NULL ? device_fill_bytes(d, offsets, 0, (buckets + 1) * sizeof *offsets) : NF_OK;
    NF_TRY((split_plan_for<F, V>(d, count, &p)));
    NF_TRY(device_alloc(d, (uint64_t)SPLIT_BUCKETS * p.stretches, &counts));
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_count_kernel<F>, p.stretches, p.threads, p.count_bytes, d->stream, f, keys, count,
                               counts));
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_scan_kernel, 1, device_block(d, SPLIT_SCAN_THREADS), 0, d->stream, counts,
                               p.stretches, count, buckets, offsets));
    NF_TRY_CUDA(d, SIMT_LAUNCH((split_write_kernel<F, V>), p.stretches, p.threads, p.write_bytes, d->stream, f, keys,
                               values, count, counts, keys_out, values_out));
done:
    device_free(d, counts);
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
