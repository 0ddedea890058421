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
 * Where a key is its bucket's number (split_number) pass 1 notes it down in 5 bits, thread by thread of pass 2, which
 * reads that in place of the key, and writes the number of the row's bucket.
 * Launches after pass 1 begin early: pass 2 with the first tile's copies, which are of the input.
 *
 * Invariants
 *   M1 bucket_of(f, key) < 32 and depends on the key alone;
 *   M2 order: by bucket, then by place in the input (stable);
 *   M3 each key is read twice and written once, each value read and written once: 12 bytes a key, 20 a pair of 4 + 4;
 *      a number is read once, and its note written and read: 17.3 bytes a pair of 4 + 4;
 *   M4 counts[b * tiles + tile] = keys of bucket b in the tile; places[tile * 32 + b] = those in the tiles before it;
 *      row `tiles` of the places has the totals;
 *   M5 four barriers a tile: (a) the tile has come, counters are 0, the buffer of the tile before is free; (b) all have
 *      counted; (c) counters are slots; (d) the order is complete;
 *   M6 any block of whole warps up to the shape's THREADS will do: the launcher takes what the device allows;
 *   M7 items that the last tile lacks stand behind the last bucket's, in the tile as in the output: they are ordered,
 *      but no row shows them;
 *   M8 thread t has the words notes[(tile * NOTES + k) * threads + t] of a tile: the number of its item i in the bits
 *      from 5 i on, that of an item that the tile lacks 31.
 * Work of pass 2 for each pair: an eighth of two copies of 16 bytes, 3 loads from and 2 stores to shared memory to find
 * its place, 3 loads and 2 stores to write it; of a number and value half a copy, 2 and 2, 2 and 2. Limit: fewer than
 * 2^32 items. Scratch: 256 bytes a tile, and notes of 0.65 bytes an item.
 */
#ifndef NF_GPU_MULTISPLIT_CUH
#define NF_GPU_MULTISPLIT_CUH

#include "gpu/multisplit_count.cuh"

namespace SIMT_FLAVOUR
{

#define SPLIT_STATIC 16                /* bytes of shared memory beside the dynamic */
#define SPLIT_PAD (62 * SPLIT_BUCKETS) /* slots: up to 31 before a bucket's items and 31 after */
/* Tiles are counted up to this by atomicInc: the compiler makes a sum over the warp of atomicAdd, and waits for it. */
#define TAKEN_MOST 0x7fffffffu
static_assert(SPLIT_THREADS * SPLIT_EACH + SPLIT_PAD <= 1 << 16, "slots take 16 bits");
static_assert(SPLIT_NUMBER_THREADS * SPLIT_NUMBER_EACH + SPLIT_PAD <= 1 << 16, "slots take 16 bits");

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

template <typename F, typename V> static inline __host__ __device__ split_layout layout_of(unsigned threads)
{
    const uint32_t tile = tile_size<F>(threads), slots = tile + SPLIT_PAD, value_bytes = split_value<V>::bytes;
    split_layout l;
    l.values = split_shape<F>::TELLS ? 0 : tile * 4 + 16;
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
    uint2 *rows; /* x: what to add to a slot to have the place in the output; y: first lane, end << 8, bucket << 16 */
    uint16_t *order;
} split_board;

/* ---- pass 2: a tile comes ---------------------------------------------------------------------------------------- */

/* Asks for `many` items: from[i] comes to to[skew_of(from) + i]. */
template <unsigned Each, typename T>
static __device__ __forceinline__ void fetch(T *to, const T *__restrict__ from, uint32_t many, const unsigned threads)
{
    const uint32_t each = 16 / sizeof(T), skew = skew_of(from), head = head_of(from, many);
    const uint32_t lines = (many - head) / each, rest = head + lines * each;
    const T *const source = from + head + threadIdx.x * each;
    T *const target = to + skew + head + threadIdx.x * each;
#pragma unroll
    for (unsigned i = 0; i < (Each - 1) / each + 1; i++)
        if (i * threads + threadIdx.x < lines)
            simt_copy16_async(target + i * threads * each, source + i * threads * each);
    if (threadIdx.x < head)
        to[skew + threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < many - rest)
        to[skew + rest + threadIdx.x] = from[rest + threadIdx.x];
}

template <unsigned Each>
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
template <typename F, typename V>
static __device__ __forceinline__ void fetch_tile(const uint32_t *__restrict__ keys, const V *__restrict__ values,
                                                  uint32_t n, uint32_t tile, const split_layout &l, char *stage,
                                                  const unsigned threads)
{
    const uint32_t size = tile_size<F>(threads), many = items_of(n, size, tile);
    const uint64_t first = (uint64_t)tile * size;
    if constexpr (!split_shape<F>::TELLS)
        fetch<split_shape<F>::EACH>(reinterpret_cast<uint32_t *>(stage), keys + first, many, threads);
    fetch<split_shape<F>::EACH>(reinterpret_cast<V *>(stage + l.values), values_at(values, first), many, threads);
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

/* Finds the counters of this thread's items, keys[0 .. EACH). Items past the end, from `left` on, count as the
 * last bucket's: they come after all others there (M7). `full` is a constant where this is called. */
template <typename F>
static __device__ __forceinline__ void look_at_keys(const F &f, const uint32_t *keys, uint32_t left, const bool full,
                                                    uint32_t *rank, const unsigned threads)
{
#pragma unroll
    for (unsigned i = 0; i < split_shape<F>::EACH; i++)
        rank[i] = counter_of(full || i < left ? bucket_of(f, keys[i]) : SPLIT_BUCKETS - 1, threads);
}

/* A thread's notes on a tile: what pass 1 wrote. */
template <typename F> struct split_noted {
    uint32_t word[split_chunk<F>::NOTES];
};

template <typename F>
static __device__ __forceinline__ split_noted<F> notes_of(const uint32_t *notes, uint32_t tile, const unsigned threads)
{
    const unsigned many = split_chunk<F>::NOTES;
    split_noted<F> mine;
#pragma unroll
    for (unsigned k = 0; k < many; k++)
        mine.word[k] = notes[((uint64_t)tile * many + k) * threads + threadIdx.x];
    return mine;
}

/* The same by notes, in which items past the end are as said (M8). */
template <typename F>
static __device__ __forceinline__ void look_at_notes(const split_noted<F> &noted, uint32_t *rank,
                                                     const unsigned threads)
{
    const unsigned many = split_chunk<F>::NOTES;
#pragma unroll
    for (unsigned i = 0; i < split_shape<F>::EACH; i++) {
        const unsigned at = i * SPLIT_NOTE, k = at / 32, next = k + 1 < many ? k + 1 : k;
        const uint32_t bits = at % 32 > 32 - SPLIT_NOTE ? __funnelshift_r(noted.word[k], noted.word[next], at % 32)
                                                        : noted.word[k] >> at % 32;
        rank[i] = counter_of(bits % SPLIT_BUCKETS, threads);
    }
}

/* Counts this thread's items: rank[i] holds where the counter of item i is and then, in the upper half, its rank among
 * the thread's in its bucket as well. */
template <typename F> static __device__ __forceinline__ void rank_items(uint16_t *halves, uint32_t *rank)
{
#pragma unroll
    for (unsigned i = 0; i < split_shape<F>::EACH; i++) {
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
        const uint2 entry = {place - start, low | high << 8 | simt_lane() << 16};
        rows[row + r] = entry;
    }
    return start;
}

/* Makes slots of a row of counters, in both halves at once; the first thread's are `carry`. No half overflows. The
 * chunks are scanned side by side, so that the shuffles of one do not wait for those of another. */
template <typename F>
static __device__ __forceinline__ void scan_counters(split_counter *row, uint32_t carry, const unsigned threads)
{
    const unsigned most = (split_shape<F>::THREADS + 127) / 128, chunks = pitch_of(threads) / 128;
    uint4 *const quads = reinterpret_cast<uint4 *>(row) + simt_lane(), quad[most] = {};
    uint32_t sum[most];
#pragma unroll
    for (unsigned c = 0; c < most; c++) {
        if (c < chunks)
            quad[c] = quads[c * 32];
        sum[c] = quad[c].x + quad[c].y + quad[c].z + quad[c].w;
    }
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
#pragma unroll
        for (unsigned c = 0; c < most; c++) {
            const uint32_t other = __shfl_up_sync(WARP_ALL, sum[c], step);
            sum[c] += simt_lane() >= step ? other : 0;
        }
#pragma unroll
    for (unsigned c = 0; c < most; c++) {
        const uint32_t w = carry + sum[c] - quad[c].w, z = w - quad[c].z, y = z - quad[c].y, x = y - quad[c].x;
        const uint4 slots = {x, y, z, w};
        if (c < chunks)
            quads[c * 32] = slots;
        carry += __shfl_sync(WARP_ALL, sum[c], 31);
    }
}

/* The same for all rows; `start` as lay_rows returns it. A warp takes a row at a time. */
template <typename F>
static __device__ __forceinline__ void place_counters(split_counter *counters, uint32_t start, const unsigned threads)
{
    for (unsigned r = simt_warp(); r < SPLIT_BUCKETS / 2; r += threads / 32) {
        const uint32_t low = __shfl_sync(WARP_ALL, start, (int)(2 * r));
        const uint32_t high = __shfl_sync(WARP_ALL, start, (int)(2 * r + 1));
        scan_counters<F>(counters + r * pitch_of(threads), low | high << 16, threads);
    }
}

/* Writes this thread's items into the order. */
template <typename F>
static __device__ __forceinline__ void order_items(const uint32_t *rank, const uint16_t *halves, uint16_t *order)
{
#pragma unroll
    for (unsigned i = 0; i < split_shape<F>::EACH; i++)
        order[halves[rank[i] & 0xffffu] + (rank[i] >> 16)] = (uint16_t)(threadIdx.x * split_shape<F>::EACH + i);
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
template <typename F, typename V>
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
        mine[i] = simt_lane() >= (entry.y & 0xffu) && simt_lane() < (entry.y >> 8 & 0xffu);
        key[i] = entry.y >> 16;
        to[i] = entry.x + slot;
        at[i] = mine[i] ? board.order[slot] : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < SPLIT_ROWS_AHEAD; i++) {
        if constexpr (!split_shape<F>::TELLS)
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

static __device__ __forceinline__ split_span span_of(const uint32_t *places, uint32_t tile)
{
    const uint64_t at = (uint64_t)tile * SPLIT_BUCKETS + simt_lane();
    const split_span s = {places[at], places[at + SPLIT_BUCKETS]};
    return s;
}

/* From M5's (a) to (d) and the writing; `base` is where the bucket of this lane's number begins in the output. */
template <typename F, typename V>
static __device__ __forceinline__ void split_tile(const F &f, const uint32_t *keys, const split_noted<F> &noted,
                                                  const V *values, uint32_t many, const split_span &span, uint32_t base,
                                                  const split_board &board, uint32_t *keys_out, V *values_out,
                                                  const unsigned threads)
{
    const uint32_t before = threadIdx.x * split_shape<F>::EACH, left = many > before ? many - before : 0;
    uint16_t *const halves = &board.counters->half[0];
    uint32_t rank[split_shape<F>::EACH], rows;
    if constexpr (split_shape<F>::TELLS)
        look_at_notes(noted, rank, threads);
    else if (many == tile_size<F>(threads))
        look_at_keys(f, keys + before, left, true, rank, threads);
    else
        look_at_keys(f, keys + before, left, false, rank, threads);
    rank_items<F>(halves, rank);
    const uint32_t start = lay_rows(base + span.first, span.end - span.first, board.rows, &rows, threads);
    __syncthreads(); /* (b) */
    place_counters<F>(board.counters, start, threads);
    __syncthreads(); /* (c) */
    order_items<F>(rank, halves, board.order);
    __syncthreads(); /* (d) */
    clear_counters(board.counters, threads);
    for (uint32_t r = simt_warp(); r < rows; r += SPLIT_ROWS_AHEAD * (threads / 32))
        write_rows<F>(keys, values, board, r, rows, keys_out, values_out, threads);
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
static __device__ __forceinline__ void split_tiles(const F &f, const uint32_t *__restrict__ keys, const uint32_t *notes,
                                                   const V *__restrict__ values, uint32_t n, uint32_t tiles,
                                                   const uint32_t *places, uint32_t *taken, uint32_t *keys_out,
                                                   V *values_out, char *memory, uint32_t *ahead, unsigned buckets,
                                                   uint32_t *offsets, const unsigned threads)
{
    const split_layout l = layout_of<F, V>(threads);
    const split_board board = {reinterpret_cast<split_counter *>(memory + l.counters),
                               reinterpret_cast<uint2 *>(memory + l.rows),
                               reinterpret_cast<uint16_t *>(memory + l.order)};
    uint32_t now = 0, took = 0, next, all; /* now: which of the two stages has the tile */
    fetch_tile<F>(keys, values, n, blockIdx.x, l, memory, threads);
    clear_counters(board.counters, threads);
    simt_await_before();
    const uint32_t base = warp_scan(places[(uint64_t)tiles * SPLIT_BUCKETS + simt_lane()], &all);
    split_span span = span_of(places, blockIdx.x), then = span;
    split_noted<F> noted = {}, noted_then = {};
    if constexpr (split_shape<F>::TELLS)
        noted = notes_of<F>(notes, blockIdx.x, threads);
    if (threadIdx.x == 0)
        *ahead = gridDim.x + atomicInc(taken, TAKEN_MOST);
    tell_offsets(base, n, buckets, offsets);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile = next, span = then, noted = noted_then, now = l.stage - now) {
        simt_copy_wait<0>();
        __syncthreads(); /* (a) */
        next = *ahead;
        if (next < tiles) {
            fetch_tile<F>(keys, values, n, next, l, memory + (l.stage - now), threads);
            then = span_of(places, next);
            if constexpr (split_shape<F>::TELLS)
                noted_then = notes_of<F>(notes, next, threads);
            if (threadIdx.x == 0)
                took = atomicInc(taken, TAKEN_MOST);
        }
        const uint32_t *const here = reinterpret_cast<const uint32_t *>(memory + now) + skew_of(keys);
        split_tile(f, here, noted, values_in(values, memory + now + l.values), items_of(n, tile_size<F>(threads), tile),
                   span, base, board, keys_out, values_out, threads);
        if (threadIdx.x == 0)
            *ahead = gridDim.x + took;
    }
}

template <typename F, typename V>
static __global__ void __launch_bounds__(split_shape<F>::THREADS, SPLIT_RESIDENT)
    split_write_kernel(F f, const uint32_t *__restrict__ keys, const uint32_t *notes, const V *__restrict__ values,
                       uint32_t n, uint32_t tiles, const uint32_t *places, uint32_t *taken, uint32_t *keys_out,
                       V *values_out, unsigned buckets, uint32_t *offsets)
{
    SIMT_SHARED_DYNAMIC(char, memory);
    SIMT_SHARED(uint32_t, ahead, 1);
    if (blockDim.x == split_shape<F>::THREADS)
        split_tiles(f, keys, notes, values, n, tiles, places, taken, keys_out, values_out, memory, ahead, buckets,
                    offsets, split_shape<F>::THREADS);
    else
        split_tiles(f, keys, notes, values, n, tiles, places, taken, keys_out, values_out, memory, ahead, buckets,
                    offsets, blockDim.x);
}

/* ---- the launcher ------------------------------------------------------------------------------------------------ */

/* How a split is launched. */
typedef struct split_plan {
    unsigned threads, blocks; /* of pass 2 */
    uint32_t tiles;
    size_t bytes; /* of dynamic shared memory */
} split_plan;

/* Threads as the device allows them, fewer where its shared memory is small. */
template <typename F, typename V> static void split_cut(const device *d, uint32_t n, split_plan *p)
{
    for (p->threads = device_block(d, split_shape<F>::THREADS);; p->threads -= p->threads > 128 ? 128 : 32) {
        p->bytes = layout_of<F, V>(p->threads).bytes;
        if (p->threads < 64 || p->bytes + SPLIT_STATIC <= d->shared_most)
            break;
    }
    p->tiles = device_grid(n, p->threads, split_shape<F>::EACH);
}

/* Every resident block of pass 2 has a tile. Asked for when pass 1 is under way: it takes the host a few us. */
template <typename F, typename V> static nf_status split_blocks(device *d, split_plan *p)
{
    nf_status st = NF_OK;
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
    NF_TRY_CUDA(d, SIMT_LAUNCH_EARLY(split_scan_kernel, blocks, few < most ? few : most, 0, d->stream, counts, tiles,
                                     places, taken));
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
    uint32_t *counts = NULL, *places = NULL, *taken = NULL, *notes = NULL;
    uint64_t words = 0;
    const uint32_t count = (uint32_t)n;
    if (n > UINT32_MAX || buckets > SPLIT_BUCKETS)
        return nf__fail(NF_EINTERNAL, "a split of %llu items into %u buckets", (unsigned long long)n, buckets);
    if (n == 0)
        return offsets != NULL ? device_fill_bytes(d, offsets, 0, (buckets + 1) * sizeof *offsets) : NF_OK;
    split_cut<F, V>(d, count, &p);
    words = split_shape<F>::TELLS ? (uint64_t)p.tiles * split_chunk<F>::NOTES * p.threads : 0;
    NF_TRY(device_alloc(d, SPLIT_BUCKETS * (2 * (uint64_t)p.tiles + 1) + 1 + words, &counts));
    places = counts + SPLIT_BUCKETS * (uint64_t)p.tiles;
    taken = places + SPLIT_BUCKETS * ((uint64_t)p.tiles + 1);
    notes = taken + 1;
    NF_TRY_CUDA(d, SIMT_LAUNCH(split_count_kernel<F>, p.tiles, p.threads, count_bytes<F>(p.threads), d->stream, f, keys,
                               count, counts, notes));
    NF_TRY(split_scan(d, counts, p.tiles, places, taken));
    NF_TRY((split_blocks<F, V>(d, &p)));
    NF_TRY_CUDA(d,
                SIMT_LAUNCH_EARLY((split_write_kernel<F, V>), p.blocks, p.threads, p.bytes, d->stream, f, keys, notes,
                                  values, count, p.tiles, places, taken, keys_out, values_out, buckets, offsets));
done:
    device_free(d, counts);
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
