/* multisplit.cuh - keys (and their values) sorted into up to 32 buckets, in order within each: the primitive that
 * Davidson et al. 2014 (section 4.3) missed on GPUs and made do without by sorting.
 *
 * Method (after Ashkiani et al. 2016, "GPU Multisplit", and the one-sweep radix sorts): the input is cut into one
 * stretch a block. Pass 1 counts each stretch's keys by bucket, in columns of shared memory that no two threads share.
 * One block scans the counts, bucket by bucket. Pass 2 walks its stretch tile by tile: five ballots tell each lane
 * which lanes hold the bucket of that lane's number, so a key's rank is two shuffles and a population count; the tile
 * is put in order in shared memory and written out in runs, each of which goes on where the stretch's last one in that
 * bucket ended.
 *
 * Invariants
 *   M1 bucket_of(f, key) < 32 and depends on the key alone;
 *   M2 order: by bucket, then by place in the input (stable);
 *   M3 each key is read twice and written once, each value read and written once: 12 bytes a key, 20 a pair of 4 + 4;
 *   M4 counts[b * stretches + s] = keys of bucket b in stretch s; after the scan, where the first of them goes.
 * Limit: fewer than 2^32 items. Scratch: 128 bytes a stretch, at most one stretch for each block that is resident.
 */
#ifndef NF_GPU_MULTISPLIT_CUH
#define NF_GPU_MULTISPLIT_CUH

#include "gpu/runtime.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

#define SPLIT_BUCKETS 32 /* one a lane: the method's own limit */
#define SPLIT_WARPS (SPLIT_THREADS / 32)
#define SPLIT_TILE (SPLIT_THREADS * SPLIT_EACH)
/* Chosen by bench/gpu/primitives.cu, which is built with others too. */
#ifndef SPLIT_THREADS
#define SPLIT_THREADS 256
#endif
#ifndef SPLIT_EACH
#define SPLIT_EACH 16 /* items a thread and tile: 4,096 a tile, so a bucket's run is 512 bytes on average */
#endif
#ifndef SPLIT_LATE
#define SPLIT_LATE \
    1 /* values are asked for after ranking (fewer registers) rather than with the keys (more in flight) */
#endif
#ifndef SPLIT_RESIDENT
#define SPLIT_RESIDENT 4 /* blocks a multiprocessor: 64 registers a thread */
#endif

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

/* The tiles [first, end) of a block: all blocks have as many, or one more. */
typedef struct split_stretch {
    uint32_t first, end;
} split_stretch;

static __device__ __forceinline__ split_stretch stretch_of(uint32_t n)
{
    const uint32_t tiles = (n - 1) / SPLIT_TILE + 1, each = tiles / gridDim.x, more = tiles % gridDim.x;
    const uint32_t first = blockIdx.x * each + (blockIdx.x < more ? blockIdx.x : more);
    split_stretch s = {first, first + each + (blockIdx.x < more ? 1u : 0u)};
    return s;
}

/* ---- pass 1: counting -------------------------------------------------------------------------------------------- */

/* Sums the columns: a warp takes a bucket at a time. */
static __device__ void sum_columns(const uint32_t *columns, uint32_t *counts)
{
    for (unsigned bucket = simt_warp(); bucket < SPLIT_BUCKETS; bucket += SPLIT_WARPS) {
        uint32_t sum = 0;
        for (unsigned i = simt_lane(); i < SPLIT_THREADS; i += 32)
            sum += columns[bucket * SPLIT_THREADS + i];
        sum = simt_reduce_add(WARP_ALL, sum);
        if (simt_lane() == 0)
            counts[bucket * gridDim.x + blockIdx.x] = sum;
    }
}

/* `full` is a constant where this is called, so that whole tiles are free of comparisons. */
template <typename F>
static __device__ __forceinline__ void count_tile(const F &f, const uint32_t *__restrict__ keys, uint32_t left,
                                                  const bool full, uint32_t *column)
{
    uint32_t key[SPLIT_EACH];
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        key[i] = full || i * SPLIT_THREADS + threadIdx.x < left ? keys[i * SPLIT_THREADS + threadIdx.x] : 0;
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        if (full || i * SPLIT_THREADS + threadIdx.x < left)
            column[bucket_of(f, key[i]) * SPLIT_THREADS]++;
}

template <typename F>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_count_kernel(F f, const uint32_t *__restrict__ keys, uint32_t n, uint32_t *counts)
{
    SIMT_SHARED(uint32_t, columns, SPLIT_BUCKETS * SPLIT_THREADS);
    const split_stretch stretch = stretch_of(n);
    for (unsigned b = 0; b < SPLIT_BUCKETS; b++)
        columns[b * SPLIT_THREADS + threadIdx.x] = 0;
    for (uint32_t tile = stretch.first; tile < stretch.end; tile++) {
        const uint32_t left = n - tile * SPLIT_TILE;
        if (left >= SPLIT_TILE)
            count_tile(f, keys + (uint64_t)tile * SPLIT_TILE, left, true, columns + threadIdx.x);
        else
            count_tile(f, keys + (uint64_t)tile * SPLIT_TILE, left, false, columns + threadIdx.x);
    }
    __syncthreads();
    sum_columns(columns, counts);
}

/* ---- between: where each stretch's buckets begin ----------------------------------------------------------------- */

#define SPLIT_SCAN_THREADS 256

/* One block; a thread takes `each` neighbouring counts. offsets[b] = where bucket b begins, offsets[buckets] = n. */
static __global__ void __launch_bounds__(SPLIT_SCAN_THREADS)
    split_scan_kernel(uint32_t *counts, uint32_t stretches, uint32_t n, unsigned buckets, uint32_t *offsets)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    const uint32_t cells = SPLIT_BUCKETS * stretches, each = (cells - 1) / SPLIT_SCAN_THREADS + 1;
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

/* The lanes whose bucket is this lane's own number; buckets of lanes that have no item do not count. */
static __device__ __forceinline__ unsigned lanes_of_mine(unsigned bucket, bool full, bool has)
{
    unsigned mask = full ? WARP_ALL : __ballot_sync(WARP_ALL, has);
#pragma unroll
    for (unsigned bit = 0; bit < 5; bit++) {
        const unsigned votes = __ballot_sync(WARP_ALL, (bucket >> bit & 1u) != 0);
        mask &= (simt_lane() >> bit & 1u) != 0 ? votes : ~votes;
    }
    return mask;
}

/* Ranks the warp's items: rank[i / 2] holds, in the half i % 2, the rank of item i among the warp's in its bucket.
 * Returns how many items of the warp are in the bucket of this lane's number. */
template <typename F>
static __device__ __forceinline__ uint32_t rank_items(const F &f, const uint32_t *key, uint32_t left, const bool full,
                                                      uint32_t *rank)
{
    uint32_t count = 0;
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++) {
        const unsigned bucket = bucket_of(f, key[i]);
        const unsigned mine = lanes_of_mine(bucket, full, i * 32 + simt_lane() < left);
        const unsigned peers = __shfl_sync(WARP_ALL, mine, (int)bucket);
        const uint32_t before = __shfl_sync(WARP_ALL, count, (int)bucket);
        const uint32_t place = before + (uint32_t)__popc(peers & lanes_below());
        rank[i / 2] = i % 2 == 0 ? place : rank[i / 2] | place << 16;
        count += (uint32_t)__popc(mine);
    }
    return count;
}

/* What the warps of a block tell each other about a tile. */
typedef struct split_board {
    uint32_t counts[SPLIT_WARPS][SPLIT_BUCKETS];
    uint32_t shift[SPLIT_BUCKETS]; /* what to add to a place in the tile to have the place in the output */
} split_board;

/* For the bucket of this lane's number: where this warp's items begin in the tile in order. `next`, the place of the
 * stretch's next item of that bucket in the output, moves on (it is kept by warp 0). Ends after a barrier. */
static __device__ __forceinline__ uint32_t place_buckets(uint32_t count, split_board *board, uint32_t *next)
{
    uint32_t before = 0, sum = 0, total;
    board->counts[simt_warp()][simt_lane()] = count;
    __syncthreads();
#pragma unroll
    for (unsigned w = 0; w < SPLIT_WARPS; w++) {
        const uint32_t theirs = board->counts[w][simt_lane()];
        before += w < simt_warp() ? theirs : 0;
        sum += theirs;
    }
    const uint32_t start = warp_scan(sum, &total);
    if (simt_warp() == 0) {
        board->shift[simt_lane()] = *next - start;
        *next += sum;
    }
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
    return values[i];
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

/* Puts one tile of `size` items, which begins at `keys` and `values`, in order in shared memory. `full` is a constant
 * where this is called. */
template <typename F, typename V>
static __device__ __forceinline__ void order_tile(const F &f, const uint32_t *__restrict__ keys,
                                                  const V *__restrict__ values, uint32_t size, const bool full,
                                                  split_board *board, uint32_t *next, split_item<V> *ordered)
{
    const uint32_t mine = simt_warp() * (SPLIT_EACH * 32), left = size > mine ? size - mine : 0;
    const uint32_t first = mine + simt_lane();
    uint32_t key[SPLIT_EACH], rank[(SPLIT_EACH + 1) / 2], count = 0;
    V value[SPLIT_EACH];
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        key[i] = full || i * 32 + simt_lane() < left ? keys[first + i * 32] : 0;
    if (SPLIT_LATE)
        count = rank_items(f, key, left, full, rank);
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++)
        if (full || i * 32 + simt_lane() < left)
            value[i] = load_value(values, first + i * 32);
    if (!SPLIT_LATE)
        count = rank_items(f, key, left, full, rank);
    const uint32_t start = place_buckets(count, board, next);
#pragma unroll
    for (unsigned i = 0; i < SPLIT_EACH; i++) {
        const uint32_t half = rank[i / 2] >> 16 * (i % 2) & 0xffffu;
        const uint32_t at = __shfl_sync(WARP_ALL, start, (int)bucket_of(f, key[i])) + half;
        if (full || i * 32 + simt_lane() < left)
            put_item(&ordered[at], key[i], value[i]);
    }
}

template <typename F, typename V>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_RESIDENT)
    split_write_kernel(F f, const uint32_t *__restrict__ keys, const V *__restrict__ values, uint32_t n,
                       const uint32_t *counts, uint32_t *keys_out, V *values_out)
{
    SIMT_SHARED_DYNAMIC(split_item<V>, ordered);
    SIMT_SHARED(split_board, board, 1);
    const split_stretch stretch = stretch_of(n);
    uint32_t next = simt_warp() == 0 ? counts[simt_lane() * gridDim.x + blockIdx.x] : 0;
    for (uint32_t tile = stretch.first; tile < stretch.end; tile++) {
        const uint64_t begin = (uint64_t)tile * SPLIT_TILE;
        const uint32_t size = n - begin < SPLIT_TILE ? (uint32_t)(n - begin) : SPLIT_TILE;
        if (size == SPLIT_TILE)
            order_tile(f, keys + begin, values + begin, size, true, board, &next, ordered);
        else
            order_tile(f, keys + begin, values + begin, size, false, board, &next, ordered);
        __syncthreads();
#pragma unroll 4
        for (uint32_t at = threadIdx.x; at < size; at += SPLIT_THREADS) {
            const split_item<V> item = ordered[at];
            write_item(item, keys_out, values_out, board[0].shift[bucket_of(f, item.key)] + at);
        }
        __syncthreads();
    }
}

/* ---- the launcher ------------------------------------------------------------------------------------------------ */

/* Stretches for n items: every resident block has one, and none is without a tile. */
template <typename F, typename V> static nf_status split_stretches(device *d, uint32_t n, unsigned *stretches)
{
    const size_t shared = SPLIT_TILE * sizeof(split_item<V>);
    const unsigned tiles = device_grid(n, SPLIT_THREADS, SPLIT_EACH);
    nf_status st = NF_OK;
    NF_TRY_CUDA(d, cudaFuncSetAttribute(split_write_kernel<F, V>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)shared));
    NF_TRY(device_resident_blocks(d, reinterpret_cast<const void *>(split_write_kernel<F, V>), SPLIT_THREADS, shared,
                                  stretches));
    *stretches = *stretches < tiles ? *stretches : tiles;
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
    unsigned stretches = 1;
    uint32_t *counts = NULL;
    const uint32_t count = (uint32_t)n;
    if (n > UINT32_MAX || buckets > SPLIT_BUCKETS)
        return nf__fail(NF_EINTERNAL, "a split of %llu items into %u buckets", (unsigned long long)n, buckets);
    if (n == 0)
        return offsets != NULL ? device_fill_bytes(d, offsets, 0, (buckets + 1) * sizeof *offsets) : NF_OK;
    NF_TRY((split_stretches<F, V>(d, count, &stretches)));
    NF_TRY(device_alloc(d, (uint64_t)SPLIT_BUCKETS * stretches, &counts));
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_count_kernel<F>, stretches, SPLIT_THREADS, 0, d->stream, f, keys, count, counts));
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_scan_kernel, 1, SPLIT_SCAN_THREADS, 0, d->stream, counts, stretches, count,
                               buckets, offsets));
    NF_TRY_CUDA(d, SIMT_LAUNCH((split_write_kernel<F, V>), stretches, SPLIT_THREADS, SPLIT_TILE * sizeof(split_item<V>),
                               d->stream, f, keys, values, count, counts, keys_out, values_out));
done:
    device_free(d, counts);
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
