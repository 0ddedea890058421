/* multisplit_count.cuh - pass 1 of a split: the keys of each tile by bucket, their numbers noted down in 5 bits where
 * the bucket tells the key, and how many of a bucket come before each tile. Method and invariants: multisplit.cuh. */
#ifndef NF_GPU_MULTISPLIT_COUNT_CUH
#define NF_GPU_MULTISPLIT_COUNT_CUH

#include "gpu/runtime.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

/* Tuning numbers: bench/gpu/primitives.cu is built with others too (scripts/gpu-check tune), measured in
 * docs/results/primitives-h200.md. Threads a block, at most; items a thread and tile, odd, so that the lanes of a warp
 * read different banks; blocks a multiprocessor. */
#ifndef SPLIT_THREADS
#define SPLIT_THREADS 512
#endif
#ifndef SPLIT_EACH
#define SPLIT_EACH 19
#endif
#ifndef SPLIT_NUMBER_THREADS
#define SPLIT_NUMBER_THREADS 384
#endif
#ifndef SPLIT_NUMBER_EACH
#define SPLIT_NUMBER_EACH 37
#endif
#ifndef SPLIT_RESIDENT
#define SPLIT_RESIDENT 1
#endif
#ifndef SPLIT_ROWS_AHEAD
#define SPLIT_ROWS_AHEAD 4 /* rows that a warp gathers at once */
#endif
#define SPLIT_BUCKETS 32 /* one a lane: the method's own limit */
#define SPLIT_NOTE 5     /* bits that tell a bucket */
#define SPLIT_SCAN_THREADS 1024
#define SPLIT_PARTS 4 /* of a bucket's counts, where there are more than a block has threads */

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

/* The key is the bucket's number. */
typedef struct split_number {
} split_number;

static __device__ __forceinline__ unsigned bucket_of(const split_number &, uint32_t key)
{
    SIMT_ASSERT(key < SPLIT_BUCKETS);
    return key;
}

/* The value type of a split of keys alone. */
typedef struct split_nothing {
} split_nothing;

/* How a split by F is cut. TELLS: the bucket tells the key. */
template <typename F> struct split_shape {
    enum { TELLS = false, THREADS = SPLIT_THREADS, EACH = SPLIT_EACH };
};

template <> struct split_shape<split_number> {
    enum { TELLS = true, THREADS = SPLIT_NUMBER_THREADS, EACH = SPLIT_NUMBER_EACH };
};

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* Items of a tile that a block of `threads` puts in order. */
template <typename F> static inline __host__ __device__ uint32_t tile_size(unsigned threads)
{
    return threads * split_shape<F>::EACH;
}

/* Of `size` items that have number `i` among as many each, those that there are of n. */
static __device__ __forceinline__ uint32_t items_of(uint32_t n, uint32_t size, uint32_t i)
{
    const uint64_t before = (uint64_t)i * size;
    return before + size <= n ? size : before < n ? n - (uint32_t)before : 0;
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

/* ---- pass 1: what a warp has in shared memory -------------------------------------------------------------------- */

/* A warp counts the items of 32 threads of pass 2. Counters of a byte: a lane's are 8 words of its own bank, of four
 * buckets each. Numbers of a byte, those of all items, with room for a skew and for reads past the end. */
template <typename F> struct split_chunk {
    enum {
        ITEMS = 32 * split_shape<F>::EACH,
        LOADS = (split_shape<F>::EACH + 3) / 4, /* of 16 bytes, by a lane */
        COLUMNS = SPLIT_BUCKETS / 4 * 32 * 4,
        NUMBERS = split_shape<F>::TELLS ? ITEMS + 16 : 0,
        NOTES = (split_shape<F>::EACH * SPLIT_NOTE + 31) / 32 /* words that a thread of pass 2 has of a tile */
    };
    static_assert(split_shape<F>::EACH % 2 == 1, "an odd number of items a thread");
    static_assert(LOADS * 4 + 2 < 256, "a lane counts in bytes");
};

/* Where a warp counts. */
typedef struct split_tally {
    uint8_t *columns; /* of all warps */
    uint32_t column;  /* of this lane in them, bucket 0 */
    uint8_t *numbers; /* of the warp's items, where they tell the keys */
} split_tally;

/* ---- pass 1: counting -------------------------------------------------------------------------------------------- */

/* Counts a key: its bucket. Bits 0 and 1 of a bucket are those of its place in a column, bits 2 to 4 are 7 to 9. */
template <typename F>
static __device__ __forceinline__ unsigned count_key(const F &f, uint32_t key, const split_tally &t)
{
    const unsigned bucket = bucket_of(f, key);
    t.columns[t.column | (bucket * 33 & 0x383u)]++;
    return bucket;
}

/* Counts four keys, which begin at `at`. */
template <typename F>
static __device__ __forceinline__ void count_quad(const F &f, const uint4 &quad, const split_tally &t, uint32_t at)
{
    const unsigned x = count_key(f, quad.x, t), y = count_key(f, quad.y, t), z = count_key(f, quad.z, t);
    const unsigned w = count_key(f, quad.w, t);
    if constexpr (split_shape<F>::TELLS)
        *reinterpret_cast<uint32_t *>(t.numbers + at) = x | y << 8 | z << 16 | w << 24;
}

/* Counts key `at` of a warp's. */
template <typename F>
static __device__ __forceinline__ void count_one(const F &f, const uint32_t *keys, uint32_t at, const split_tally &t)
{
    const unsigned bucket = count_key(f, keys[at], t);
    if constexpr (split_shape<F>::TELLS)
        t.numbers[at] = (uint8_t)bucket;
}

/* A warp counts its keys, `many`: four at a time but for those before the first border of 16 bytes and after the last.
 */
template <typename F>
static __device__ __forceinline__ void count_keys(const F &f, const uint32_t *keys, uint32_t many, const split_tally &t)
{
    const uint32_t head = head_of(keys, many), quads = (many - head) / 4, rest = head + 4 * quads;
    const unsigned loads = split_chunk<F>::LOADS, lane = simt_lane();
    uint4 quad[split_chunk<F>::LOADS] = {};
#pragma unroll
    for (unsigned i = 0; i < loads; i++)
        if (i * 32 + lane < quads)
            quad[i] = simt_load16_once(keys + head + 4 * (i * 32 + lane));
    if (lane < head)
        count_one(f, keys, lane, t);
    if (lane < many - rest)
        count_one(f, keys, rest + lane, t);
#pragma unroll
    for (unsigned i = 0; i < loads; i++)
        if (i * 32 + lane < quads)
            count_quad(f, quad[i], t, head + 4 * (i * 32 + lane));
}

/* Of a warp's columns: how many the bucket of this lane's number has. Four lanes sum a row of words, two bytes of each
 * at a time; all begin at different banks. */
static __device__ __forceinline__ uint32_t sum_columns(const uint32_t *columns)
{
    const unsigned row = simt_lane() / 4, part = simt_lane() % 4;
    uint32_t even = 0, odd = 0;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t four = columns[row * 32 + part * 8 + (i + row) % 8];
        even += four & 0x00ff00ffu;
        odd += four >> 8 & 0x00ff00ffu;
    }
#pragma unroll
    for (int other = 1; other < 4; other *= 2) {
        even += __shfl_xor_sync(WARP_ALL, even, other);
        odd += __shfl_xor_sync(WARP_ALL, odd, other);
    }
    return (part % 2 == 0 ? even : odd) >> part / 2 * 16 & 0xffffu;
}

/* ---- pass 1: notes ----------------------------------------------------------------------------------------------- */

/* Four bytes below 32 become 20 bits. */
static __device__ __forceinline__ uint32_t close_up(uint32_t bytes)
{
    const uint32_t pairs = bytes - (bytes >> 8 & 0x001f001fu) * (256 - 32);
    return pairs - (pairs >> 16) * (65536 - 1024);
}

/* Items that there are not count as the last bucket's (M7). A warp's. */
template <typename F> static __device__ __forceinline__ void number_missing(uint8_t *numbers, uint32_t many)
{
    for (uint32_t i = many + simt_lane(); i < split_chunk<F>::ITEMS; i += 32)
        numbers[i] = SPLIT_BUCKETS - 1;
}

/* This lane's notes on a warp's numbers, which begin `skew` bytes after the words at `numbers` (M8). What follows its
 * last item in a group of four stands behind it. */
template <typename F>
static __device__ __forceinline__ void write_notes(const uint32_t *numbers, uint32_t skew, uint32_t *notes,
                                                   unsigned threads)
{
    const unsigned each = split_shape<F>::EACH, many = split_chunk<F>::NOTES;
    const uint32_t first = skew + simt_lane() * each, *const from = numbers + first / 4;
    uint32_t word[split_chunk<F>::NOTES] = {}, low = from[0];
#pragma unroll
    for (unsigned i = 0; i < each; i += 4) {
        const uint32_t high = from[i / 4 + 1], at = i * SPLIT_NOTE;
        const uint32_t four = close_up(__funnelshift_r(low, high, first % 4 * 8) & 0x1f1f1f1fu);
        word[at / 32] |= four << at % 32;
        if (at % 32 > 12 && at / 32 + 1 < many)
            word[at / 32 + 1] |= four >> (32 - at % 32);
        low = high;
    }
#pragma unroll
    for (unsigned k = 0; k < many; k++)
        notes[k * threads] = word[k];
}

/* ---- pass 1: the kernel ------------------------------------------------------------------------------------------ */

/* Bytes of shared memory that a block has: its warps' columns, then the sums of its buckets, then their numbers. */
template <typename F> static inline __host__ __device__ uint32_t count_bytes(unsigned threads)
{
    return threads / 32 * (split_chunk<F>::COLUMNS + split_chunk<F>::NUMBERS) + SPLIT_BUCKETS * 4;
}

/* A block counts the tile that one of as many threads puts in order, and notes the numbers where they tell the keys. */
template <typename F>
static __global__ void __launch_bounds__(split_shape<F>::THREADS)
    split_count_kernel(F f, const uint32_t *__restrict__ keys, uint32_t n, uint32_t *counts, uint32_t *notes)
{
    SIMT_SHARED_DYNAMIC(uint32_t, memory);
    const unsigned warps = blockDim.x / 32, columns = split_chunk<F>::COLUMNS / 4, room = split_chunk<F>::NUMBERS / 4;
    const uint32_t chunk = blockIdx.x * warps + simt_warp(), items = split_chunk<F>::ITEMS;
    const uint32_t *const first = keys + (uint64_t)chunk * items;
    const uint32_t many = items_of(n, items, chunk), skew = skew_of(first);
    uint32_t *const mine = memory + simt_warp() * columns, *const sums = memory + warps * columns;
    uint32_t *const numbers = sums + SPLIT_BUCKETS + simt_warp() * room;
    const split_tally t = {reinterpret_cast<uint8_t *>(memory), (simt_warp() * columns + simt_lane()) * 4,
                           reinterpret_cast<uint8_t *>(numbers) + skew};
    simt_let_next();
    for (unsigned i = 0; i < SPLIT_BUCKETS / 4; i++)
        mine[i * 32 + simt_lane()] = 0;
    if (threadIdx.x < SPLIT_BUCKETS)
        sums[threadIdx.x] = 0;
    __syncthreads();
    count_keys(f, first, many, t);
    if constexpr (split_shape<F>::TELLS)
        number_missing<F>(t.numbers, many);
    __syncwarp();
    atomicAdd(&sums[simt_lane()], sum_columns(mine));
    if constexpr (split_shape<F>::TELLS)
        write_notes<F>(numbers, skew, notes + (uint64_t)blockIdx.x * split_chunk<F>::NOTES * blockDim.x + threadIdx.x,
                       blockDim.x);
    __syncthreads();
    if (threadIdx.x < SPLIT_BUCKETS)
        counts[(uint64_t)threadIdx.x * gridDim.x + blockIdx.x] = sums[threadIdx.x];
}

/* ---- between: how many of a bucket come before each tile --------------------------------------------------------- */

/* The sum of `many` counts. */
static __device__ uint32_t sum_counts(const uint32_t *counts, uint32_t many, uint32_t *scratch)
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
    split_scan_kernel(const uint32_t *counts, uint32_t tiles, uint32_t *places, uint32_t *taken)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    simt_let_next();
    simt_await_before();
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

} /* namespace SIMT_FLAVOUR */

#endif
