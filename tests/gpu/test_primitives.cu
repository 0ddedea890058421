/* test_primitives.cu - device-wide primitives, and prefix sums in warps and blocks, against loops on the host. */
#include "gpu_test.h"

#include "gpu/primitives.cuh"

namespace SIMT_FLAVOUR
{

static const uint64_t sizes[] = {0, 1, 31, 32, 33, 1000, 4096, 4097, 20000};

static uint32_t *random_numbers(uint64_t n, uint32_t mask)
{
    uint32_t *x = static_cast<uint32_t *>(calloc(n + 1, sizeof *x));
    for (uint64_t i = 0; i < n; i++)
        x[i] = random32(i) & mask;
    return x;
}

/* ---- scan and reduce --------------------------------------------------------------------------------------------- */

static void scan_once(device *d, uint64_t n)
{
    uint32_t *x = random_numbers(n, UINT32_MAX), *in = put(d, x, n), *narrow = NULL;
    uint64_t *wide = NULL, *totals = NULL, sum = 0;
    OK(device_alloc(d, n, &narrow));
    OK(device_alloc(d, n, &wide));
    OK(device_alloc(d, 4, &totals));
    OK(device_scan(d, in, wide, n));
    OK(device_scan(d, in, narrow, n));
    OK(device_sum(d, in, totals, n));
    OK(device_least(d, in, reinterpret_cast<uint32_t *>(totals + 1), n));
    OK(device_greatest(d, in, reinterpret_cast<uint32_t *>(totals + 2), n));
    OK(device_sum(d, wide, totals + 3, n));
    uint64_t *got = get(d, wide, n), *total = get(d, totals, 4), sum_of_sums = 0;
    uint32_t *got_narrow = get(d, narrow, n), least = UINT32_MAX, greatest = 0, found[2];
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(got[i], sum);
        assert_int_equal(got_narrow[i], (uint32_t)sum);
        sum_of_sums += sum;
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    memcpy(&found[0], &total[1], 4);
    memcpy(&found[1], &total[2], 4);
    assert_int_equal(total[0], sum);
    assert_int_equal(total[3], sum_of_sums);
    assert_int_equal(found[0], least);
    assert_int_equal(found[1], greatest);
    device_free(d, in), device_free(d, narrow), device_free(d, wide), device_free(d, totals);
    free(x), free(got), free(got_narrow), free(total);
}

static void test_scan(void **)
{
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(sizes); i++)
        scan_once(b.d, sizes[i]);
    end_bed(b);
}

/* ---- select, search, fill ---------------------------------------------------------------------------------------- */

static void select_once(device *d, uint64_t n, uint32_t one_in)
{
    uint32_t *x = random_numbers(n, UINT32_MAX), *in = put(d, x, n), *out = NULL, *indices = NULL, *counts = NULL;
    uint8_t *keep = static_cast<uint8_t *>(calloc(n + 1, 1));
    for (uint64_t i = 0; i < n; i++)
        keep[i] = random32(i + 999) % one_in == 0;
    uint8_t *flags = put(d, keep, n);
    OK(device_alloc(d, n, &out));
    OK(device_alloc(d, n, &indices));
    OK(device_alloc(d, 2, &counts));
    OK(device_select(d, in, flags, out, n, counts));
    OK(device_select_indices(d, flags, indices, n, counts + 1));
    uint32_t *got = get(d, out, n), *places = get(d, indices, n), *count = get(d, counts, 2), kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (keep[i] != 0) {
            assert_int_equal(got[kept], x[i]);
            assert_int_equal(places[kept], i);
            kept++;
        }
    assert_int_equal(count[0], kept);
    assert_int_equal(count[1], kept);
    device_free(d, in), device_free(d, out), device_free(d, indices), device_free(d, counts), device_free(d, flags);
    free(x), free(keep), free(got), free(places), free(count);
}

static void test_select(void **)
{
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        select_once(b.d, sizes[i], 3);
        select_once(b.d, sizes[i], 1);
        select_once(b.d, sizes[i], 1000000);
    }
    end_bed(b);
}

static void test_bounds(void **)
{
    bed b = make_bed(0);
    const uint32_t list[] = {0, 0, 3, 3, 3, 7, 9, 4000000000u}, keys[] = {0, 1, 3, 4, 9, 10, 4000000000u, UINT32_MAX};
    const uint64_t want[] = {0, 2, 2, 5, 6, 7, 7, 8}, offsets[] = {0, 2, 2, 2, 5};
    uint32_t *sorted = put(b.d, list, COUNT(list)), *asked = put(b.d, keys, COUNT(keys)), *narrow = NULL;
    uint64_t *wide = NULL;
    OK(device_alloc(b.d, COUNT(keys), &narrow));
    OK(device_alloc(b.d, COUNT(keys), &wide));
    OK(device_lower_bounds(b.d, sorted, COUNT(list), asked, COUNT(keys), wide));
    OK(device_lower_bounds(b.d, sorted, COUNT(list), NULL, COUNT(offsets), narrow));
    uint64_t *got = get(b.d, wide, COUNT(keys));
    uint32_t *got_narrow = get(b.d, narrow, COUNT(offsets));
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_int_equal(got[i], want[i]);
    for (size_t i = 0; i < COUNT(offsets); i++)
        assert_int_equal(got_narrow[i], offsets[i]);
    device_free(b.d, sorted), device_free(b.d, asked), device_free(b.d, narrow), device_free(b.d, wide);
    free(got), free(got_narrow);
    end_bed(b);
}

/* Every start within 16 bytes and many lengths; the neighbours stay as they were. */
static void test_fill(void **)
{
    bed b = make_bed(0);
    uint32_t *p = NULL;
    const uint64_t lengths[] = {0, 1, 2, 3, 4, 5, 8, 63, 64, 1000};
    OK(device_alloc(b.d, 1024, &p));
    for (unsigned skew = 0; skew < 5; skew++)
        for (size_t k = 0; k < COUNT(lengths); k++) {
            OK(device_fill(b.d, p, 0u, 1024));
            OK(device_fill(b.d, p + skew, 0xabcd1234u, lengths[k]));
            uint32_t *got = get(b.d, p, 1024);
            for (uint64_t i = 0; i < 1024; i++)
                assert_int_equal(got[i], i >= skew && i < skew + lengths[k] ? 0xabcd1234u : 0u);
            free(got);
        }
    OK(device_fill(b.d, reinterpret_cast<double *>(p) + 1, -2.5, 3));
    double *reals = get(b.d, reinterpret_cast<double *>(p), 4);
    assert_true(reals[1] == -2.5 && reals[2] == -2.5 && reals[3] == -2.5);
    free(reals);
    device_free(b.d, p);
    end_bed(b);
}

/* ---- sort -------------------------------------------------------------------------------------------------------- */

/* Pairs sorted by bits [begin, end), held against a stable insertion by counting. */
static void sort_once(device *d, uint64_t n, int begin, int end)
{
    uint32_t *x = random_numbers(n, UINT32_MAX), *in = put(d, x, n), *out = NULL, *alone = NULL, *to = NULL;
    uint32_t *place = static_cast<uint32_t *>(calloc(n + 1, sizeof *place));
    for (uint64_t i = 0; i < n; i++)
        place[i] = (uint32_t)i;
    uint32_t *from = put(d, place, n);
    OK(device_alloc(d, n, &out));
    OK(device_alloc(d, n, &alone));
    OK(device_alloc(d, n, &to));
    OK(device_sort_pairs(d, in, out, from, to, n, begin, end));
    OK(device_sort(d, in, alone, n, begin, end));
    uint32_t *keys = get(d, out, n), *values = get(d, to, n), *same = get(d, alone, n);
    const uint32_t mask = end - begin == 32 ? UINT32_MAX : (1u << (end - begin)) - 1;
    for (uint64_t i = 0; i < n; i++) {
        assert_true(values[i] < n);
        assert_int_equal(keys[i], x[values[i]]);
        assert_int_equal(keys[i], same[i]);
        if (i > 0) {
            const uint32_t a = keys[i - 1] >> begin & mask, z = keys[i] >> begin & mask;
            assert_true(a < z || (a == z && values[i - 1] < values[i]));
        }
    }
    device_free(d, in), device_free(d, out), device_free(d, alone), device_free(d, to), device_free(d, from);
    free(x), free(place), free(keys), free(values), free(same);
}

static void test_sort(void **)
{
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        sort_once(b.d, sizes[i], 0, 32);
        sort_once(b.d, sizes[i], 3, 8);
        sort_once(b.d, sizes[i], 0, 17);
    }
    end_bed(b);
}

static void test_sort_wide(void **)
{
    bed b = make_bed(0);
    const uint64_t n = 3000;
    uint64_t *x = static_cast<uint64_t *>(calloc(n, sizeof *x)), *out = NULL;
    uint32_t *place = static_cast<uint32_t *>(calloc(n, sizeof *place)), *to = NULL;
    for (uint64_t i = 0; i < n; i++) {
        x[i] = nf__hash64(5, i % 1500);
        place[i] = (uint32_t)i;
    }
    uint64_t *in = put(b.d, x, n);
    uint32_t *from = put(b.d, place, n);
    OK(device_alloc(b.d, n, &out));
    OK(device_alloc(b.d, n, &to));
    OK(device_sort_pairs(b.d, in, out, from, to, n, 0, 64));
    uint64_t *keys = get(b.d, out, n);
    uint32_t *values = get(b.d, to, n);
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(keys[i], x[values[i]]);
        assert_true(i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
    }
    device_free(b.d, in), device_free(b.d, out), device_free(b.d, from), device_free(b.d, to);
    free(x), free(place), free(keys), free(values);
    end_bed(b);
}

/* ---- multisplit -------------------------------------------------------------------------------------------------- */

/* The host's answer: order[i] = which input item comes i-th; begin[b] = where bucket b begins. */
static uint32_t *split_on_host(const uint32_t *bucket, uint64_t n, unsigned buckets, uint32_t *begin)
{
    uint32_t *order = static_cast<uint32_t *>(calloc(n + 1, sizeof *order)), at = 0;
    for (unsigned k = 0; k < buckets; k++) {
        begin[k] = at;
        for (uint64_t i = 0; i < n; i++)
            if (bucket[i] == k)
                order[at++] = (uint32_t)i;
    }
    begin[buckets] = at;
    return order;
}

template <typename F>
static void split_once(device *d, const F &f, unsigned buckets, uint64_t n, const uint32_t *x, const uint32_t *bucket)
{
    uint32_t begin[33], *order = split_on_host(bucket, n, buckets, begin);
    uint32_t *in = put(d, x, n), *out = NULL, *alone = NULL, *offsets = NULL;
    uint64_t *tags = static_cast<uint64_t *>(calloc(n + 1, sizeof *tags)), *to = NULL;
    for (uint64_t i = 0; i < n; i++)
        tags[i] = i << 32 | x[i];
    uint64_t *from = put(d, tags, n);
    OK(device_alloc(d, n, &out));
    OK(device_alloc(d, n, &alone));
    OK(device_alloc(d, n, &to));
    OK(device_alloc(d, buckets + 1, &offsets));
    OK(multisplit(d, f, buckets, n, in, out, from, to, offsets));
    OK((multisplit<F, split_nothing>(d, f, buckets, n, in, alone, NULL, NULL, NULL)));
    uint32_t *keys = get(d, out, n), *same = get(d, alone, n), *got = get(d, offsets, buckets + 1);
    uint64_t *values = get(d, to, n);
    for (unsigned k = 0; k <= buckets; k++)
        assert_int_equal(got[k], begin[k]);
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(keys[i], x[order[i]]);
        assert_int_equal(same[i], x[order[i]]);
        assert_int_equal(values[i], tags[order[i]]);
    }
    device_free(d, in), device_free(d, out), device_free(d, alone), device_free(d, offsets);
    device_free(d, from), device_free(d, to);
    free(order), free(tags), free(keys), free(same), free(got), free(values);
}

static void split_bits_once(device *d, uint64_t n, unsigned shift, unsigned width, uint32_t key_mask)
{
    const split_bits f = {shift, (1u << width) - 1};
    uint32_t *x = random_numbers(n, key_mask);
    uint32_t *bucket = static_cast<uint32_t *>(calloc(n + 1, sizeof *bucket));
    for (uint64_t i = 0; i < n; i++)
        bucket[i] = x[i] >> shift & f.mask;
    split_once(d, f, 1u << width, n, x, bucket);
    free(x), free(bucket);
}

/* Keys that are the numbers of buckets. */
static void split_numbers_once(device *d, uint64_t n, uint32_t key_mask)
{
    uint32_t *x = random_numbers(n, key_mask);
    split_once(d, split_number(), 32, n, x, x);
    free(x);
}

static void test_multisplit(void **)
{
    bed b = make_bed(0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        split_bits_once(b.d, sizes[i], 0, 5, UINT32_MAX);
        split_bits_once(b.d, sizes[i], 7, 1, UINT32_MAX);
        split_bits_once(b.d, sizes[i], 2, 3, UINT32_MAX);
        split_numbers_once(b.d, sizes[i], 31);
    }
    split_bits_once(b.d, 9000, 0, 5, 0);  /* one bucket takes all */
    split_bits_once(b.d, 9000, 0, 5, 16); /* two of 32 */
    split_numbers_once(b.d, 15000, 0);
    split_numbers_once(b.d, 15000, 16);
    end_bed(b);
}

/* Values of 4 bytes, keys and values from any place within 16 bytes, many tiles to a block; `fixed` bits are set in
 * every key, which has none but those of `mask`. */
template <typename F>
static void split_narrow_by(device *d, const F &f, uint64_t n, uint32_t skew, uint32_t value_skew, uint32_t fixed,
                            uint32_t mask)
{
    uint32_t *x = random_numbers(n + skew, mask), *place = static_cast<uint32_t *>(calloc(n + value_skew + 1, 4));
    uint32_t *bucket = static_cast<uint32_t *>(calloc(n + 1, 4)), begin[33], *out = NULL, *to = NULL;
    for (uint64_t i = 0; i < n; i++) {
        x[skew + i] |= fixed;
        bucket[i] = x[skew + i] & 31;
        place[value_skew + i] = (uint32_t)i;
    }
    uint32_t *order = split_on_host(bucket, n, 32, begin), *in = put(d, x, n + skew);
    uint32_t *from = put(d, place, n + value_skew);
    OK(device_alloc(d, n, &out));
    OK(device_alloc(d, n, &to));
    OK(multisplit(d, f, 32, n, in + skew, out, from + value_skew, to, static_cast<uint32_t *>(NULL)));
    uint32_t *keys = get(d, out, n), *values = get(d, to, n);
    assert_memory_equal(values, order, n * sizeof *values);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(keys[i], x[skew + order[i]]);
    device_free(d, in), device_free(d, from), device_free(d, out), device_free(d, to);
    free(x), free(place), free(bucket), free(order), free(keys), free(values);
}

/* By five bits of a key, and keys that are numbers of buckets. */
static void split_narrow_once(device *d, uint64_t n, uint32_t skew, uint32_t value_skew, uint32_t fixed)
{
    const split_bits bits = {0, 31};
    split_narrow_by(d, bits, n, skew, value_skew, fixed, UINT32_MAX);
    split_narrow_by(d, split_number(), n, skew, value_skew, fixed, 31);
}

static void test_multisplit_narrow(void **)
{
    bed b = make_bed(0);
    for (uint32_t skew = 0; skew < 4; skew++)
        for (uint32_t value_skew = 0; value_skew < 4; value_skew++)
            split_narrow_once(b.d, 1 + 3331 * (skew + value_skew), skew, value_skew, 0);
    split_narrow_once(b.d, 2, 3, 2, 0); /* fewer than come before the next 16 bytes */
    split_narrow_once(b.d, 90001, 1, 2, 0);
    split_narrow_once(b.d, 8193, 0, 0, 31); /* all in the last bucket, where the items that a tile lacks stand too */
    split_narrow_once(b.d, 8193, 0, 0, 30);
    end_bed(b);
}

/* Devices that allow few threads a block, or little shared memory. */
static void test_multisplit_small(void **)
{
    bed b = make_bed(0);
    const unsigned threads = b.d->block_most;
    for (unsigned block = 32; block <= 160 && block <= threads; block += 64) {
        b.d->block_most = block;
        split_narrow_once(b.d, 30011, 1, 3, 0);
        split_bits_once(b.d, 5003, 2, 3, UINT32_MAX);
    }
    b.d->block_most = threads;
    b.d->shared_most = 40000;
    split_narrow_once(b.d, 30011, 0, 1, 0);
    split_bits_once(b.d, 5003, 0, 5, UINT32_MAX);
    end_bed(b);
}

static void test_multisplit_steps(void **)
{
    bed b = make_bed(0);
    const split_steps f = {1000, 300, 6};
    const uint64_t n = 5000;
    uint32_t *x = random_numbers(n, 4095), *bucket = static_cast<uint32_t *>(calloc(n, sizeof *bucket));
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t step = x[i] < 1000 ? 0 : (x[i] - 1000) / 300;
        bucket[i] = step < 6 ? step : 6;
    }
    split_once(b.d, f, 7, n, x, bucket);
    FAILS(NF_EINTERNAL, "33 buckets", (multisplit<split_steps, split_nothing>(b.d, f, 33, 1, x, x, NULL, NULL, NULL)));
    free(x), free(bucket);
    end_bed(b);
}

/* ---- launches that begin early ----------------------------------------------------------------------------------- */

/* Item i goes to the other end, so that a block writes what another one reads in the next launch. The last one is 20 us
 * late: who does not wait for it reads what was there before. */
static __global__ void step_kernel(const uint32_t *from, uint32_t *to, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    simt_let_next();
    simt_await_before();
    const uint64_t begun = simt_clock();
    while (blockIdx.x == gridDim.x - 1 && simt_clock() - begun < 20000)
        simt_spin();
    if (i < n)
        to[n - 1 - i] = 3 * from[i] + i;
}

/* Each launch reads what the one before it wrote, and writes what that one read, whenever it began. */
static void test_early(void **)
{
    enum { N = 20001, STEPS = 30 };
    bed b = make_bed(0);
    const unsigned threads = device_block(b.d, 64);
    uint32_t *want[2] = {random_numbers(N, UINT32_MAX), random_numbers(N, 0)}, *x[2];
    for (int i = 0; i < 2; i++)
        x[i] = put(b.d, want[i], N);
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(SIMT_LAUNCH_EARLY(step_kernel, device_grid(N, threads, 1), threads, 0, b.d->stream,
                                           static_cast<const uint32_t *>(x[k % 2]), x[1 - k % 2], (uint32_t)N),
                         cudaSuccess);
        for (uint32_t i = 0; i < N; i++)
            want[1 - k % 2][N - 1 - i] = 3 * want[k % 2][i] + i;
    }
    uint32_t *got = get(b.d, x[STEPS % 2], N);
    assert_memory_equal(got, want[STEPS % 2], N * sizeof *got);
    device_free(b.d, x[0]), device_free(b.d, x[1]);
    free(want[0]), free(want[1]), free(got);
    end_bed(b);
}

/* ---- in a block -------------------------------------------------------------------------------------------------- */

typedef unsigned long long word64; /* the one of two 64-bit types that CUDA's atomics take */

/* out[0 ..]: block_scan of the input; then block_rank of its lowest bit; then the totals. */
static __global__ void block_kernel(const uint32_t *in, uint32_t *out, word64 *length, word64 *places)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    SIMT_SHARED(word64, wide, SCAN_SCRATCH);
    const uint32_t x = in[threadIdx.x];
    uint32_t total, ones;
    out[threadIdx.x] = block_scan(x, scratch, &total);
    out[blockDim.x + threadIdx.x] = block_rank((x & 1) != 0, scratch, &ones);
    places[threadIdx.x] = block_reserve((word64)(x & 7), length, wide);
    if (threadIdx.x == 0) {
        out[2 * blockDim.x] = total;
        out[2 * blockDim.x + 1] = ones;
    }
}

static void block_once(device *d, unsigned threads)
{
    uint32_t *x = random_numbers(threads, 0xffff), *in = put(d, x, threads), *out = NULL, sum = 0, ones = 0;
    word64 *length = NULL, *places = NULL, sevens = 5;
    nf_status st = NF_OK;
    OK(device_alloc(d, 2 * threads + 2, &out));
    OK(device_alloc(d, 1, &length));
    OK(device_alloc(d, threads, &places));
    OK(device_fill(d, reinterpret_cast<uint64_t *>(length), (uint64_t)5, 1));
    NF_TRY_CUDA(d, SIMT_LAUNCH(block_kernel, 1, threads, 0, d->stream, in, out, length, places));
done:
    OK(st);
    uint32_t *got = get(d, out, 2 * threads + 2);
    word64 *got_places = get(d, places, threads), *got_length = get(d, length, 1);
    for (unsigned i = 0; i < threads; i++) {
        assert_int_equal(got[i], sum);
        assert_int_equal(got[threads + i], ones);
        assert_int_equal(got_places[i], sevens);
        sum += x[i];
        ones += x[i] & 1;
        sevens += x[i] & 7;
    }
    assert_int_equal(got[2 * threads], sum);
    assert_int_equal(got[2 * threads + 1], ones);
    assert_int_equal(got_length[0], sevens);
    device_free(d, in), device_free(d, out), device_free(d, length), device_free(d, places);
    free(x), free(got), free(got_places), free(got_length);
}

static void test_block(void **)
{
    bed b = make_bed(0);
    block_once(b.d, 32);
    block_once(b.d, device_block(b.d, 64));
    end_bed(b);
}

/* Each thread that has an odd number appends it, by warps and by blocks, and to a place that its warp reserved. */
static __global__ void append_kernel(const uint32_t *in, uint32_t n, uint32_t *by_warp, uint32_t *by_block,
                                     uint32_t *by_place, uint32_t *lengths)
{
    SIMT_SHARED(uint32_t, scratch, SCAN_SCRATCH);
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i < n ? in[i] : 0;
    warp_append((x & 1) != 0, x, by_warp, &lengths[0]);
    block_append((x & 1) != 0, x, by_block, &lengths[1], scratch);
    const uint32_t place = warp_reserve(x & 1, &lengths[2]);
    if ((x & 1) != 0)
        by_place[place] = x;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *static_cast<const uint32_t *>(a), y = *static_cast<const uint32_t *>(b);
    return x < y ? -1 : x > y;
}

static void test_append(void **)
{
    bed b = make_bed(0);
    const uint32_t n = 5000;
    uint32_t *x = random_numbers(n, UINT32_MAX), *in = put(b.d, x, n), *lists[3] = {}, *lengths = NULL;
    const unsigned threads = device_block(b.d, 64);
    uint32_t odd = 0;
    nf_status st = NF_OK;
    for (int k = 0; k < 3; k++)
        OK(device_alloc(b.d, n, &lists[k]));
    OK(device_alloc(b.d, 3, &lengths));
    OK(device_fill(b.d, lengths, 0u, 3));
    NF_TRY_CUDA(b.d, SIMT_LAUNCH(append_kernel, device_grid(n, threads, 1), threads, 0, b.d->stream, in, n, lists[0],
                                 lists[1], lists[2], lengths));
done:
    OK(st);
    uint32_t *length = get(b.d, lengths, 3);
    for (uint32_t i = 0; i < n; i++)
        if ((x[i] & 1) != 0)
            x[odd++] = x[i];
    qsort(x, odd, sizeof *x, compare_numbers);
    for (int k = 0; k < 3; k++) {
        uint32_t *got = get(b.d, lists[k], n);
        assert_int_equal(length[k], odd);
        qsort(got, odd, sizeof *got, compare_numbers);
        assert_memory_equal(x, got, odd * sizeof *x);
        device_free(b.d, lists[k]);
        free(got);
    }
    device_free(b.d, in), device_free(b.d, lengths);
    free(x), free(length);
    end_bed(b);
}

/* Each thread adds its number to a sum of its block. */
static __global__ void halves_kernel(const unsigned long long *in, uint32_t n, unsigned long long *out)
{
    SIMT_SHARED(unsigned long long, sum, 1);
    if (threadIdx.x == 0)
        *sum = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        add_by_halves(sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = *sum;
}

static void test_add_by_halves(void **)
{
    bed b = make_bed(0);
    enum { COUNT = 300 };
    unsigned long long x[COUNT], expected = 0;
    nf_status st = NF_OK;
    for (int i = 0; i < COUNT; i++) { /* small ones, halves that carry, whole words */
        x[i] = i % 3 == 0   ? (unsigned long long)i
               : i % 3 == 1 ? 0xffffff00ull + (unsigned)i
                            : 0x1fffffff0ull * (unsigned)i;
        expected += x[i];
    }
    unsigned long long *in = put(b.d, x, COUNT), *out = NULL;
    OK(device_alloc(b.d, 1, &out));
    NF_TRY_CUDA(b.d, SIMT_LAUNCH(halves_kernel, 1, device_block(b.d, 64), 0, b.d->stream, in, (uint32_t)COUNT, out));
done:
    OK(st);
    unsigned long long *got = get(b.d, out, 1);
    assert_true(*got == expected && expected >> 33 != 0);
    device_free(b.d, in), device_free(b.d, out);
    free(got);
    end_bed(b);
}

} /* namespace SIMT_FLAVOUR */

int main(void)
{
    using namespace SIMT_FLAVOUR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_sort_wide),
        cmocka_unit_test(test_multisplit),
        cmocka_unit_test(test_multisplit_steps),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_add_by_halves),
        cmocka_unit_test(test_multisplit_narrow),
        cmocka_unit_test(test_multisplit_small),
        cmocka_unit_test(test_early),
    };
    return RUN_GPU_TESTS(tests);
}
