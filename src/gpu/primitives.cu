/* primitives.cu - device-wide primitives (primitives.cuh): CUB's, or plain loops in the emulator.
 *
 * Each CUB call is made twice, as CUB wants it: once to learn what scratch it needs, once to run. The names that differ
 * between the flavours are the run_ templates; the functions below them are the same in both.
 */
#include "gpu/primitives.cuh"

#if defined(__CUDACC__)
/* CUB includes <iostream> and uses none of it; libstdc++ would be needed at run time for its initialiser alone. */
#define _GLIBCXX_IOSTREAM 1
#include <istream>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

namespace SIMT_FLAVOUR
{

#define THREADS 256 /* a block, where the device allows as many */
#define FILL_EACH 4 /* 16-byte stores a thread: blocks enough for every multiprocessor, few enough to start quickly */

#if defined(__CUDACC__)

/* ---- CUB --------------------------------------------------------------------------------------------------------- */

/* Calls `function(scratch, bytes, arguments...)` twice. */
#define RUN_CUB(function, ...)                                  \
    nf_status st = NF_OK;                                       \
    size_t bytes = 0;                                           \
    void *scratch = NULL;                                       \
    NF_TRY_CUDA(d, function((void *)NULL, bytes, __VA_ARGS__)); \
    NF_TRY(device_alloc_bytes(d, bytes, 1, &scratch));          \
    NF_TRY_CUDA(d, function(scratch, bytes, __VA_ARGS__));      \
    done:                                                       \
    device_free(d, scratch);                                    \
    return st

template <typename In, typename Out> static nf_status run_scan(device *d, const In *in, Out *out, uint64_t n)
{
    RUN_CUB(cub::DeviceScan::ExclusiveScan, in, out, cuda::std::plus<Out>(), Out(0), n, d->stream);
}

template <typename In, typename Out> static nf_status run_sum(device *d, const In *in, Out *out, uint64_t n)
{
    RUN_CUB(cub::DeviceReduce::Reduce, in, out, n, cuda::std::plus<Out>(), Out(0), d->stream);
}

template <typename T> static nf_status run_least(device *d, const T *in, T *out, uint64_t n)
{
    RUN_CUB(cub::DeviceReduce::Reduce, in, out, n, cuda::minimum<T>(), T(~T(0)), d->stream);
}

template <typename T> static nf_status run_greatest(device *d, const T *in, T *out, uint64_t n)
{
    RUN_CUB(cub::DeviceReduce::Reduce, in, out, n, cuda::maximum<T>(), T(0), d->stream);
}

static nf_status run_select(device *d, const uint32_t *in, const uint8_t *flags, uint32_t *out, uint64_t n,
                            uint32_t *count)
{
    RUN_CUB(cub::DeviceSelect::Flagged, in, flags, out, count, (int64_t)n, d->stream);
}

static nf_status run_select_indices(device *d, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count)
{
    RUN_CUB(cub::DeviceSelect::Flagged, thrust::counting_iterator<uint32_t>(0), flags, out, count, (int64_t)n,
            d->stream);
}

template <typename K> static nf_status run_sort(device *d, const K *keys, K *keys_out, uint64_t n, int begin, int end)
{
    RUN_CUB(cub::DeviceRadixSort::SortKeys, keys, keys_out, n, begin, end, d->stream);
}

template <typename N, typename K, typename V>
static nf_status sort_pairs_of(device *d, const K *keys, K *keys_out, const V *values, V *values_out, uint64_t n,
                               int begin, int end)
{
    RUN_CUB(cub::DeviceRadixSort::SortPairs, keys, keys_out, values, values_out, (N)n, begin, end, d->stream);
}

/* H200, 2^26 pairs by 5 bits: 0.50 ms with a count of 32 bits, 0.57 with one of 64. */
template <typename K, typename V>
static nf_status run_sort_pairs(device *d, const K *keys, K *keys_out, const V *values, V *values_out, uint64_t n,
                                int begin, int end)
{
    return n <= UINT32_MAX ? sort_pairs_of<uint32_t>(d, keys, keys_out, values, values_out, n, begin, end)
                           : sort_pairs_of<uint64_t>(d, keys, keys_out, values, values_out, n, begin, end);
}

#else

/* ---- loops of one thread ----------------------------------------------------------------------------------------- */

/* Launches a kernel of one thread and returns its status. */
#define RUN_LOOP(kernel, ...)                                             \
    nf_status st = NF_OK;                                                 \
    NF_TRY_CUDA(d, SIMT_LAUNCH(kernel, 1, 1, 0, d->stream, __VA_ARGS__)); \
    done:                                                                 \
    return st

template <typename In, typename Out> static __global__ void scan_loop(const In *in, Out *out, uint64_t n)
{
    Out sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        const Out x = in[i];
        out[i] = sum;
        sum += x;
    }
}

template <typename In, typename Out> static nf_status run_scan(device *d, const In *in, Out *out, uint64_t n)
{
    RUN_LOOP((scan_loop<In, Out>), in, out, n);
}

template <typename In, typename Out> static __global__ void sum_loop(const In *in, Out *out, uint64_t n)
{
    Out sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += in[i];
    *out = sum;
}

template <typename In, typename Out> static nf_status run_sum(device *d, const In *in, Out *out, uint64_t n)
{
    RUN_LOOP((sum_loop<In, Out>), in, out, n);
}

template <typename T> static __global__ void extreme_loop(const T *in, T *out, uint64_t n, bool least)
{
    T best = least ? T(~T(0)) : T(0);
    for (uint64_t i = 0; i < n; i++)
        best = (in[i] < best) == least ? in[i] : best;
    *out = best;
}

template <typename T> static nf_status run_least(device *d, const T *in, T *out, uint64_t n)
{
    RUN_LOOP(extreme_loop<T>, in, out, n, true);
}

template <typename T> static nf_status run_greatest(device *d, const T *in, T *out, uint64_t n)
{
    RUN_LOOP(extreme_loop<T>, in, out, n, false);
}

static __global__ void select_loop(const uint32_t *in, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count)
{
    uint32_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (flags[i] != 0)
            out[kept++] = in != NULL ? in[i] : (uint32_t)i;
    *count = kept;
}

static nf_status run_select(device *d, const uint32_t *in, const uint8_t *flags, uint32_t *out, uint64_t n,
                            uint32_t *count)
{
    RUN_LOOP(select_loop, in, flags, out, n, count);
}

static nf_status run_select_indices(device *d, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count)
{
    const uint32_t *none = NULL;
    RUN_LOOP(select_loop, none, flags, out, n, count);
}

/* A counting sort by `bits` <= 8 bits from `begin` on: from keys to keys_out, and values (NULL: none) likewise. */
template <typename K, typename V>
static __global__ void sort_loop(const K *keys, K *keys_out, const V *values, V *values_out, uint64_t n, int begin,
                                 int bits)
{
    uint64_t place[256], sum = 0;
    const K mask = (K(1) << bits) - 1;
    for (unsigned b = 0; b < 256; b++)
        place[b] = 0;
    for (uint64_t i = 0; i < n; i++)
        place[keys[i] >> begin & mask]++;
    for (unsigned b = 0; b < 256; b++) {
        const uint64_t count = place[b];
        place[b] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t to = place[keys[i] >> begin & mask]++;
        keys_out[to] = keys[i];
        if (values != NULL)
            values_out[to] = values[i];
    }
}

/* Passes of 8 bits back and forth between the output and a scratch copy; the last one writes the output. */
template <typename K, typename V>
static nf_status run_sort_pairs(device *d, const K *keys, K *keys_out, const V *values, V *values_out, uint64_t n,
                                int begin, int end)
{
    nf_status st = NF_OK;
    K *spare_keys = NULL;
    V *spare_values = NULL;
    int passes = end > begin ? (end - begin + 7) / 8 : 1;
    NF_TRY(device_alloc(d, n, &spare_keys));
    NF_TRY(device_alloc(d, n, &spare_values));
    for (int at = begin; passes > 0; passes--, at += 8) {
        const int bits = end - at < 8 ? end - at : 8;
        K *to = passes % 2 != 0 ? keys_out : spare_keys;
        V *values_to = passes % 2 != 0 ? values_out : spare_values;
        NF_TRY_CUDA(d, SIMT_LAUNCH((sort_loop<K, V>), 1, 1, 0, d->stream, keys, to, values, values_to, n, at, bits));
        keys = to;
        values = values != NULL ? values_to : NULL;
    }
done:
    device_free(d, spare_keys);
    device_free(d, spare_values);
    return st;
}

template <typename K> static nf_status run_sort(device *d, const K *keys, K *keys_out, uint64_t n, int begin, int end)
{
    return run_sort_pairs<K, uint32_t>(d, keys, keys_out, NULL, NULL, n, begin, end);
}

#endif

/* ---- sorted search and fill -------------------------------------------------------------------------------------- */

template <typename Out>
static __global__ void bounds_kernel(const uint32_t *__restrict__ sorted, uint64_t n, const uint32_t *keys,
                                     uint64_t count, Out *out)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const uint64_t key = keys != NULL ? keys[i] : i;
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = (Out)low;
}

template <typename Out>
static nf_status run_bounds(device *d, const uint32_t *sorted, uint64_t n, const uint32_t *keys, uint64_t count,
                            Out *out)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(d, THREADS);
    if (count != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(bounds_kernel<Out>, device_grid(count, threads, 1), threads, 0, d->stream, sorted, n,
                                   keys, count, out));
done:
    return st;
}

/* Whole 16 bytes by strides of the grid; the rest, before an aligned place and after the last, by the first threads. */
template <typename T> static __global__ void fill_kernel(T *p, T value, uint64_t n)
{
    const unsigned many = 16 / sizeof(T);
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, me = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t skew = (16 - reinterpret_cast<uintptr_t>(p) % 16) % 16 / sizeof(T);
    const uint64_t head = skew < n ? skew : n, quads = (n - head) / many;
    T same[16 / sizeof(T)];
    uint4 bits;
    for (unsigned k = 0; k < many; k++)
        same[k] = value;
    memcpy(&bits, same, sizeof bits);
    uint4 *wide = reinterpret_cast<uint4 *>(p + head);
    for (uint64_t i = me; i < quads; i += step)
        wide[i] = bits;
    if (me < head)
        p[me] = value;
    if (me < n - head - quads * many)
        p[head + quads * many + me] = value;
}

template <typename T> static nf_status run_fill(device *d, T *p, T value, uint64_t n)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(d, THREADS);
    if (n != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(fill_kernel<T>, device_grid(n * sizeof(T) / 16, threads, FILL_EACH), threads, 0,
                                   d->stream, p, value, n));
done:
    return st;
}

/* ---- the names --------------------------------------------------------------------------------------------------- */

#define DEFINE_SCAN(In, Out)                                             \
    nf_status device_scan(device *d, const In *in, Out *out, uint64_t n) \
    {                                                                    \
        return n == 0 ? NF_OK : run_scan<In, Out>(d, in, out, n);        \
    }
DEFINE_SCAN(uint32_t, uint32_t)
DEFINE_SCAN(uint32_t, uint64_t)
DEFINE_SCAN(uint64_t, uint64_t)

#define DEFINE_REDUCE(name, In, Out)                                       \
    nf_status device_##name(device *d, const In *in, Out *out, uint64_t n) \
    {                                                                      \
        return run_##name(d, in, out, n);                                  \
    }
DEFINE_REDUCE(sum, uint32_t, uint64_t)
DEFINE_REDUCE(sum, uint64_t, uint64_t)
DEFINE_REDUCE(least, uint32_t, uint32_t)
DEFINE_REDUCE(least, uint64_t, uint64_t)
DEFINE_REDUCE(greatest, uint32_t, uint32_t)
DEFINE_REDUCE(greatest, uint64_t, uint64_t)

nf_status device_select(device *d, const uint32_t *in, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count)
{
    return run_select(d, in, flags, out, n, count);
}

nf_status device_select_indices(device *d, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count)
{
    return run_select_indices(d, flags, out, n, count);
}

#define DEFINE_SORT(K)                                                                           \
    nf_status device_sort(device *d, const K *keys, K *keys_out, uint64_t n, int begin, int end) \
    {                                                                                            \
        return n == 0 ? NF_OK : run_sort(d, keys, keys_out, n, begin, end);                      \
    }
DEFINE_SORT(uint32_t)
DEFINE_SORT(uint64_t)

#define DEFINE_SORT_PAIRS(K, V)                                                                                    \
    nf_status device_sort_pairs(device *d, const K *keys, K *keys_out, const V *values, V *values_out, uint64_t n, \
                                int begin, int end)                                                                \
    {                                                                                                              \
        return n == 0 ? NF_OK : run_sort_pairs(d, keys, keys_out, values, values_out, n, begin, end);              \
    }
DEFINE_SORT_PAIRS(uint32_t, uint32_t)
DEFINE_SORT_PAIRS(uint32_t, uint64_t)
DEFINE_SORT_PAIRS(uint64_t, uint32_t)

#define DEFINE_BOUNDS(Out)                                                                                             \
    nf_status device_lower_bounds(device *d, const uint32_t *sorted, uint64_t n, const uint32_t *keys, uint64_t count, \
                                  Out *out)                                                                            \
    {                                                                                                                  \
        return run_bounds(d, sorted, n, keys, count, out);                                                             \
    }
DEFINE_BOUNDS(uint32_t)
DEFINE_BOUNDS(uint64_t)

#define DEFINE_FILL(T)                                          \
    nf_status device_fill(device *d, T *p, T value, uint64_t n) \
    {                                                           \
        return run_fill(d, p, value, n);                        \
    }
DEFINE_FILL(uint32_t)
DEFINE_FILL(uint64_t)
DEFINE_FILL(int32_t)
DEFINE_FILL(int64_t)
DEFINE_FILL(float)
DEFINE_FILL(double)

} /* namespace SIMT_FLAVOUR */
