/* test_simt_kernels.cu - kernels that are right: their results under every schedule and profile, and, in the race
 * flavour, no false alarm. Each shows one way in which CUDA code orders its memory.
 */
#include "bfs_kernel.cuh"
#include "simt_test.h"

#include <string.h>

namespace SIMT_FLAVOUR
{

enum { THREADS = 64 };

/* Sum of a block by shared memory and barriers; buffer used twice. */
static __global__ void block_sums(const int *in, int *out)
{
    SIMT_SHARED(int, cells, THREADS);
    for (int round = 0; round < 2; round++) {
        cells[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x] + round;
        __syncthreads();
        for (unsigned step = THREADS / 2; step > 0; step /= 2) {
            if (threadIdx.x < step)
                cells[threadIdx.x] += cells[threadIdx.x + step];
            __syncthreads();
        }
        if (threadIdx.x == 0)
            out[2 * blockIdx.x + (unsigned)round] = cells[0];
        __syncthreads();
    }
}

/* The last block to finish adds up what all have left: fence, counter, fence. */
static __global__ void last_block_adds(const int *in, int *partial, unsigned *count, int *out)
{
    SIMT_SHARED(int, sum, 1);
    SIMT_SHARED(bool, last, 1);
    if (threadIdx.x == 0)
        sum[0] = 0;
    __syncthreads();
    atomicAdd(&sum[0], in[blockIdx.x * THREADS + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum[0];
        __threadfence();
        last[0] = atomicAdd(count, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last[0] && threadIdx.x == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += partial[b];
        *out = total;
    }
}

static __global__ void locked_counter(int *lock, int *count)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            simt_spin();
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* A block hands a buffer to the next through a flag, thread 0 for all: release, acquire, barriers around. */
static __global__ void relay(int *data, int *flags)
{
    const unsigned b = blockIdx.x;
    if (b > 0) {
        if (threadIdx.x == 0)
            while (simt_load_acquire(&flags[b - 1]) == 0)
                simt_spin();
        __syncthreads();
    }
    data[b * THREADS + threadIdx.x] = b == 0 ? (int)threadIdx.x : data[(b - 1) * THREADS + (threadIdx.x + 1) % THREADS];
    __syncthreads();
    if (threadIdx.x == 0)
        simt_store_release(&flags[b], 1);
}

/* One block hands words to another, that looks at the flags first and acquires when it likes what it sees. Of what it
 * has looked at, never acquired, nothing is left in the way of what comes later. */
static __global__ void look_then_acquire(int *data, int *flags)
{
    int *const hint = flags, *const seen = flags + 1, *const ready = flags + 2;
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 1;
        simt_store_release(hint, 1);
        while (simt_load_relaxed(seen) == 0)
            simt_spin();
        simt_store_release(hint, 2);
        data[1] = 2;
        simt_store_release(ready, 1);
    } else {
        while (simt_load_relaxed(hint) == 0)
            simt_spin();
        simt_store_relaxed(seen, 1);
        while (simt_load_acquire(ready) == 0)
            simt_spin();
        data[2] = data[0] + data[1];
    }
}

/* The same flag twice. */
static __global__ void look_twice(int *data, int *flags)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 3;
        simt_store_release(flags, 1);
    } else {
        while (simt_load_relaxed(flags) == 0)
            simt_spin();
        (void)simt_load_acquire(flags);
        data[2] = data[0];
    }
}

/* Groups of eight lanes rotate values through shared memory, each in step with itself only. */
static __global__ void rotate_in_groups(int *out)
{
    SIMT_SHARED(int, cells, 32);
    const unsigned lane = simt_lane(), first = lane & ~7u;
    const unsigned mask = 0xffu << first;
    cells[lane] = (int)lane;
    __syncwarp(mask);
    for (unsigned round = 0; round < first / 8 + 1; round++) {
        const int next = cells[first + (lane + 1) % 8];
        __syncwarp(mask);
        cells[lane] = next;
        __syncwarp(mask);
    }
    __syncwarp();
    out[lane] = cells[31 - lane];
}

/* Neighbouring bytes belong to different threads. */
static __global__ void bytes(unsigned char *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)i;
    out[i] = (unsigned char)(out[i] + 1);
}

static __global__ void cluster_ring(int *out)
{
    SIMT_SHARED(int, mine, THREADS);
    const unsigned size = simt_cluster_size(), rank = simt_cluster_rank();
    mine[threadIdx.x] = (int)(rank * THREADS + threadIdx.x);
    simt_cluster_sync();
    const int *other = simt_cluster_at(mine, (rank + 1) % size);
    const int got = other[threadIdx.x];
    simt_cluster_sync();
    out[blockIdx.x * THREADS + threadIdx.x] = got;
}

static __global__ void pipelined_copy(const uint4 *in, int *out, int rounds)
{
    SIMT_SHARED(uint4, cells, 2 * THREADS);
    simt_copy16_async(&cells[threadIdx.x], &in[threadIdx.x]);
    simt_copy_commit();
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (round + 1 < rounds)
            simt_copy16_async(&cells[(unsigned)((round + 1) % 2) * THREADS + threadIdx.x],
                              &in[(unsigned)(round + 1) * THREADS + threadIdx.x]);
        simt_copy_commit();
        simt_copy_wait<1>();
        __syncthreads();
        sum += (int)cells[(unsigned)(round % 2) * THREADS + (THREADS - 1 - threadIdx.x)].y;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* The same by bulk copies, two pieces a round, at the gates of two stages. */
static __global__ void gated_copy(const uint4 *in, int *out, int rounds)
{
    SIMT_SHARED(uint4, cells, 2 * THREADS);
    SIMT_SHARED(simt_gate, gates, 2);
    const unsigned half = THREADS / 2;
    int sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++)
            simt_gate_open(&gates[i]);
    for (int round = -1; round < rounds; round++) {
        const unsigned next = (unsigned)(round + 1), side = next % 2 * THREADS;
        if (threadIdx.x == 0 && round + 1 < rounds) {
            simt_gate_expect(&gates[next % 2], THREADS * 16);
            simt_copy_bulk(&cells[side], &in[next * THREADS], half * 16, &gates[next % 2]);
            simt_copy_bulk(&cells[side + half], &in[next * THREADS + half], half * 16, &gates[next % 2]);
        }
        if (round < 0) {
            __syncthreads();
            continue;
        }
        simt_gate_wait(&gates[round % 2], (uint32_t)round / 2);
        sum += (int)cells[(unsigned)(round % 2) * THREADS + (THREADS - 1 - threadIdx.x)].y;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

static __global__ void volatile_flag(volatile int *flag, int *data)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 7;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (*flag == 0)
            simt_spin();
        __threadfence();
        data[1] = *data;
    }
}

static __global__ void child_adds(int *sum, int by)
{
    atomicAdd(sum, by);
}

/* Children run before the parent's launch counts as done, tails after them: 1 -> 8 * 1 + 1 -> times ten. */
static __global__ void child_times_ten(int *sum)
{
    *sum *= 10;
}

static __global__ void parent(int *sum)
{
    if (threadIdx.x == 0) {
        SIMT_LAUNCH_TAIL(child_times_ten, 1, 1, 0, sum);
        SIMT_LAUNCH_CHILD(child_adds, 2, 32, 0, sum, (int)blockIdx.x + 1);
    }
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

/* Runs a test under every order, and some more seeds. */
static void each_order(void (*body)(const char *settings))
{
    for (int k = 0; k < simt_order_count; k++)
        body(simt_orders[k]);
    for (int seed = 10; seed < 22; seed++) {
        char settings[64];
        (void)snprintf(settings, sizeof settings, "order=random,preempt=0.2,seed=%d", seed);
        body(settings);
    }
}

static void block_sums_under(const char *settings)
{
    int in[8 * THREADS], got[16];
    nf__emu *device = simt_open(settings);
    for (int i = 0; i < 8 * THREADS; i++)
        in[i] = i * i % 101;
    int *from = simt_new<int>(8 * THREADS), *out = simt_new<int>(16);
    simt_put(from, in, 8 * THREADS);
    SIMT_OK(SIMT_LAUNCH(block_sums, 8, THREADS, 0, nullptr, from, out));
    simt_get(got, out, 16);
    for (int b = 0; b < 8; b++) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += in[b * THREADS + i];
        assert_int_equal(got[2 * b], sum);
        assert_int_equal(got[2 * b + 1], sum + THREADS);
    }
    simt_close(device);
}

static void last_block_under(const char *settings)
{
    int got = 0, ones[16 * THREADS];
    nf__emu *device = simt_open(settings);
    for (int i = 0; i < 16 * THREADS; i++)
        ones[i] = 1;
    int *in = simt_new<int>(16 * THREADS), *partial = simt_new<int>(16), *out = simt_new<int>(1);
    unsigned *count = simt_new<unsigned>(1);
    simt_put(in, ones, 16 * THREADS);
    SIMT_OK(SIMT_LAUNCH(last_block_adds, 16, THREADS, 0, nullptr, in, partial, count, out));
    simt_get(&got, out, 1);
    assert_int_equal(got, 16 * THREADS);
    simt_close(device);
}

static void lock_under(const char *settings)
{
    int got = 0;
    nf__emu *device = simt_open(settings);
    int *words = simt_new<int>(2);
    SIMT_OK(SIMT_LAUNCH_GRID(locked_counter, 4, 128, 0, nullptr, words, words + 1));
    simt_get(&got, words + 1, 1);
    assert_int_equal(got, 16);
    simt_close(device);
}

static void relay_under(const char *settings)
{
    int got[4 * THREADS];
    nf__emu *device = simt_open(settings);
    int *data = simt_new<int>(4 * THREADS), *flags = simt_new<int>(4);
    SIMT_OK(SIMT_LAUNCH_GRID(relay, 4, THREADS, 0, nullptr, data, flags));
    simt_get(got, data, 4 * THREADS);
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(got[b * THREADS + i], (i + b) % THREADS);
    simt_close(device);
}

static void look_under(const char *settings)
{
    for (int twice = 0; twice < 2; twice++) {
        int got = 0;
        nf__emu *device = simt_open(settings);
        int *words = simt_new<int>(6);
        SIMT_OK(twice ? SIMT_LAUNCH_GRID(look_twice, 2, 32, 0, nullptr, words, words + 3)
                      : SIMT_LAUNCH_GRID(look_then_acquire, 2, 32, 0, nullptr, words, words + 3));
        simt_get(&got, words + 2, 1);
        assert_int_equal(got, 3);
        simt_close(device);
    }
}

static void groups_under(const char *settings)
{
    int got[32];
    nf__emu *device = simt_open(settings);
    int *out = simt_new<int>(32);
    SIMT_OK(SIMT_LAUNCH(rotate_in_groups, 1, 32, 0, nullptr, out));
    simt_get(got, out, 32);
    for (int i = 0; i < 32; i++) {
        const int lane = 31 - i, first = lane / 8 * 8;
        assert_int_equal(got[i], first + (lane - first + first / 8 + 1) % 8);
    }
    simt_close(device);
}

static void bytes_under(const char *settings)
{
    unsigned char got[4 * THREADS];
    nf__emu *device = simt_open(settings);
    unsigned char *out = simt_new<unsigned char>(4 * THREADS);
    SIMT_OK(SIMT_LAUNCH(bytes, 4, THREADS, 0, nullptr, out));
    simt_get(got, out, 4 * THREADS);
    for (int i = 0; i < 4 * THREADS; i++)
        assert_int_equal(got[i], (i + 1) & 255);
    simt_close(device);
}

static void cluster_under(const char *settings)
{
    int got[4 * THREADS];
    nf__emu *device = simt_open(settings);
    int *out = simt_new<int>(4 * THREADS);
    SIMT_OK(SIMT_LAUNCH_CLUSTER(cluster_ring, 2, 4, THREADS, 0, nullptr, out));
    simt_get(got, out, 4 * THREADS);
    for (int i = 0; i < 4 * THREADS; i++)
        assert_int_equal(got[i], ((i / THREADS + 1) % 2) * THREADS + i % THREADS);
    simt_close(device);
}

static void copy_under(const char *settings)
{
    const unsigned ROUNDS = 5;
    unsigned in[ROUNDS * THREADS * 4];
    int got[THREADS];
    nf__emu *device = simt_open(settings);
    for (unsigned i = 0; i < ROUNDS * THREADS * 4; i++)
        in[i] = i * 7 % 1009;
    unsigned *from = simt_new<unsigned>(ROUNDS * THREADS * 4);
    int *out = simt_new<int>(THREADS);
    simt_put(from, in, ROUNDS * THREADS * 4);
    for (int gated = 0; gated < 2; gated++) {
        SIMT_OK(gated ? SIMT_LAUNCH(gated_copy, 1, THREADS, 0, nullptr, (const uint4 *)from, out, (int)ROUNDS)
                      : SIMT_LAUNCH(pipelined_copy, 1, THREADS, 0, nullptr, (const uint4 *)from, out, (int)ROUNDS));
        simt_get(got, out, THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            unsigned sum = 0;
            for (unsigned r = 0; r < ROUNDS; r++)
                sum += in[4 * (r * THREADS + THREADS - 1 - i) + 1];
            assert_int_equal(got[i], sum);
        }
    }
    simt_close(device);
}

static void volatile_under(const char *settings)
{
    int got[2];
    nf__emu *device = simt_open(settings);
    int *words = simt_new<int>(4);
    SIMT_OK(SIMT_LAUNCH_GRID(volatile_flag, 2, 32, 0, nullptr, words, words + 1));
    simt_get(got, words + 1, 2);
    assert_int_equal(got[1], 7);
    simt_close(device);
}

static void children_under(const char *settings)
{
    int got = 0;
    nf__emu *device = simt_open(settings);
    int *sum = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(parent, 1, 32, 0, nullptr, sum));
    SIMT_OK(SIMT_LAUNCH(child_adds, 1, 1, 0, nullptr, sum, 5));
    simt_get(&got, sum, 1);
    assert_int_equal(got, 2 * 32 * 10 + 5);
    assert_int_equal(nf__emu_count(device).child_launches, 2);
    simt_close(device);
}

/* ---- BFS --------------------------------------------------------------------------------------------------------- */

static void run_bfs(const char *settings, unsigned n, unsigned degree, unsigned block)
{
    nf__emu *device = simt_open(settings);
    int per_sm = 0;
    cudaDeviceProp prop;
    unsigned *off = (unsigned *)calloc(n + 1, 4), *adj = (unsigned *)calloc((size_t)n * degree, 4);
    unsigned *queue = (unsigned *)calloc(n, 4);
    int *expected = (int *)calloc(n, 4), *got = (int *)calloc(n, 4);
    bfs_random_graph(n, degree, 5, off, adj);
    bfs_on_host(n, off, adj, 3, expected, queue);
    SIMT_OK(cudaGetDeviceProperties(&prop, 0));
    SIMT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, bfs_persistent, (int)block, 0));
    unsigned *goff = simt_new<unsigned>(n + 1), *gadj = simt_new<unsigned>((size_t)n * degree);
    bfs_graph g = {n, goff, gadj};
    bfs_state s = {simt_new<int>(n, 0xff), {simt_new<unsigned>(n), simt_new<unsigned>(n)}, simt_new<unsigned>(3)};
    simt_put(goff, off, n + 1);
    simt_put(gadj, adj, (size_t)n * degree);
    SIMT_OK(
        SIMT_LAUNCH_GRID(bfs_persistent, (unsigned)(per_sm * prop.multiProcessorCount), block, 0, nullptr, g, s, 3u));
    simt_get(got, s.depth, n);
    assert_memory_equal(got, expected, n * sizeof *got);
    free(off), free(adj), free(queue), free(expected), free(got);
    simt_close(device);
}

static void test_bfs(void **)
{
    for (int k = 0; k < simt_order_count; k++)
        run_bfs(simt_orders[k], 700, 4, 128);
    run_bfs("profile=1x32,seed=3", 500, 3, 32);
    run_bfs("profile=2x64,seed=4,preempt=0.3", 500, 3, 64);
    run_bfs("profile=16x256,seed=5", 3000, 3, 256);
    run_bfs("", 20000, 8, 256);
}

static void test_order(void **)
{
    each_order(block_sums_under);
    each_order(last_block_under);
    each_order(lock_under);
    each_order(relay_under);
    each_order(look_under);
    each_order(groups_under);
    each_order(bytes_under);
    each_order(cluster_under);
    each_order(copy_under);
    each_order(volatile_under);
    each_order(children_under);
}

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_bfs)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
