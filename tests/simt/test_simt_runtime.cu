/* test_simt_runtime.cu - the emulated device as the host sees it: settings, properties and occupancy, memory, streams
 * and events, slices, counters, replay by seed, planted failures, several devices, errors that leave it usable.
 */
#include "simt_test.h"

#include <pthread.h>
#include <string.h>

namespace SIMT_FLAVOUR
{

static __global__ void add(int *p, int n, int by)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i] += by;
}

/* The order in which threads come by. */
static __global__ void sign_in(unsigned *count, unsigned *list)
{
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    list[atomicAdd(count, 1u)] = me;
    __syncthreads();
    list[atomicAdd(count, 1u)] = me;
}

/* One thread asks the host and tells the others: what each read for itself could differ. */
static __global__ void until_told(int *stop, int *told, unsigned long long *rounds)
{
    for (int now = 0; now == 0;) {
        if (threadIdx.x == 0 && blockIdx.x == 0) {
            *rounds += 1;
            *told = simt_load_relaxed(stop);
        }
        simt_grid_sync();
        now = *told;
        simt_grid_sync();
    }
}

static __global__ void wait_for_host(int *stop, int *seen)
{
    while (simt_load_relaxed(stop) == 0) {
        simt_store_relaxed(seen, simt_load_relaxed(seen) ^ 1);
        simt_spin();
    }
}

static __global__ void count_things(int *p)
{
    SIMT_SHARED(int, cell, 64);
    cell[threadIdx.x] = 1;
    __syncthreads();
    __syncthreads();
    (void)__ballot_sync(0xffffffffu, 1);
    __syncwarp();
    atomicAdd(p, cell[63 - threadIdx.x]);
    simt_store_relaxed(p + 1, simt_load_relaxed(p + 1));
    __threadfence();
    simt_grid_sync();
}

static __global__ void child(int *depth)
{
    const int now = atomicAdd(depth, 1);
    if (now < 5)
        SIMT_LAUNCH_CHILD(child, 1, 1, 0, depth);
}

static __global__ void too_many_children(int *p, int *refused)
{
    for (int i = 0; i < 3000; i++)
        if (SIMT_LAUNCH_CHILD(add, 1, 1, 0, p, 1, 1) == cudaErrorLaunchPendingCountExceeded)
            *refused += 1;
}

static __global__ void empty()
{
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

/* ---- settings and properties ------------------------------------------------------------------------------------- */

static void test_settings(void **)
{
    const char *const wrong[] = {"seed",          "seed=",     "seed=-1",       "order=up",     "preempt=2",
                                 "preempt=x",     "profile=4", "profile=4x33",  "profile=0x32", "profile=4x256z",
                                 "memory=0",      "memory=1T", "idle=0",        "protect=2",    "nonsense=1",
                                 "seed=1,order=", ",",         "preempt=0.1.2", "watchdog=-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256] = "";
        nf__emu *device = (nf__emu *)text;
        assert_int_equal(nf__emu_open(wrong[i], &device, text, sizeof text), cudaErrorInvalidValue);
        assert_null(device);
        if (strstr(text, "expected") == nullptr)
            fail_msg("%s: '%s'", wrong[i], text);
    }
    nf__emu *device = nullptr;
    assert_int_equal(nf__emu_open(nullptr, &device, nullptr, 0), cudaSuccess);
    nf__emu_close(device);
    nf__emu_close(nullptr);
}

static void test_no_device(void **)
{
    int *p = nullptr;
    cudaStream_t stream;
    cudaDeviceProp prop;
    assert_int_equal(cudaMalloc(&p, 4), cudaErrorInitializationError);
    assert_int_equal(cudaStreamCreate(&stream), cudaErrorInitializationError);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorInitializationError);
    assert_int_equal(SIMT_LAUNCH(empty, 1, 1, 0, nullptr), cudaErrorInitializationError);
    assert_int_equal(cudaGetDeviceProperties(&prop, 1), cudaErrorInvalidDevice);
    SIMT_OK(cudaGetDeviceProperties(&prop, 0));
    assert_int_equal(prop.multiProcessorCount, 4);
    assert_string_equal(simt_fault_text(), "");
    assert_string_equal(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady");
}

/* What the device says of itself, what occupancy says and what a cooperative launch takes agree. */
static void check_profile(const char *profile, int sms, int threads)
{
    nf__emu *device = simt_open(profile);
    cudaDeviceProp prop;
    int value = 0;
    SIMT_OK(cudaGetDeviceProperties(&prop, 0));
    assert_int_equal(prop.multiProcessorCount, sms);
    assert_int_equal(prop.maxThreadsPerMultiProcessor, threads);
    SIMT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    assert_int_equal(value, sms);
    for (int block = 32; block <= threads; block *= 2) {
        int per_sm = 0;
        SIMT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, empty, block, 0));
        assert_int_equal(per_sm, threads / block < 32 ? threads / block : 32);
        SIMT_OK(SIMT_LAUNCH_GRID(empty, (unsigned)(per_sm * sms), (unsigned)block, 0, nullptr));
        SIMT_OK(cudaDeviceSynchronize());
        assert_int_equal(SIMT_LAUNCH_GRID(empty, (unsigned)(per_sm * sms + 1), (unsigned)block, 0, nullptr),
                         cudaErrorCooperativeLaunchTooLarge);
        assert_int_equal(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
        assert_int_equal(cudaGetLastError(), cudaSuccess); /* not sticky */
    }
    assert_int_equal(SIMT_LAUNCH(empty, 1, (unsigned)threads + 32, 0, nullptr), cudaErrorInvalidConfiguration);
    simt_close(device);
}

static void test_profiles(void **)
{
    check_profile("profile=4x256", 4, 256);
    check_profile("profile=1x32", 1, 32);
    check_profile("profile=2x64", 2, 64);
    check_profile("profile=16x256", 16, 256);
    check_profile("profile=3x1024", 3, 1024);
}

static void test_bad_launches(void **)
{
    int blocks = 0;
    nf__emu *device = simt_open("");
    assert_int_equal(SIMT_LAUNCH(empty, 0, 32, 0, nullptr), cudaErrorInvalidConfiguration);
    assert_int_equal(SIMT_LAUNCH(empty, 1, 0, 0, nullptr), cudaErrorInvalidConfiguration);
    assert_int_equal(SIMT_LAUNCH(empty, dim3(1, 65536), 32, 0, nullptr), cudaErrorInvalidConfiguration);
    assert_int_equal(SIMT_LAUNCH(empty, 1, 32, 49153, nullptr), cudaErrorInvalidValue);
    assert_int_equal(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449),
                     cudaErrorInvalidValue);
    SIMT_OK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    SIMT_OK(SIMT_LAUNCH(empty, 1, 32, 100000, nullptr));
    SIMT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 32, 100000));
    assert_int_equal(blocks, 2); /* 228 KB a multiprocessor */
    assert_int_equal(SIMT_LAUNCH_CLUSTER(empty, 3, 4, 32, 0, nullptr), cudaErrorInvalidClusterSize);
    assert_int_equal(SIMT_LAUNCH_CHILD(empty, 1, 1, 0), cudaErrorNotSupported);
    SIMT_OK(cudaDeviceSynchronize());
    simt_close(device);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void test_memory(void **)
{
    size_t free_bytes = 0, total = 0;
    unsigned char bytes[256];
    nf__emu *device = simt_open("memory=1M");
    char *p = nullptr, *q = nullptr, *r = nullptr;
    SIMT_OK(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes == 1 << 20 && total == 1 << 20);
    SIMT_OK(cudaMalloc(&p, 1000));
    SIMT_OK(cudaMallocAsync(&q, 1 << 19, nullptr));
    assert_int_equal((size_t)p % 256, 0);
    SIMT_OK(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes == (1 << 20) - 1024 - (1 << 19));
    assert_int_equal(cudaMalloc(&r, 1 << 19), cudaErrorMemoryAllocation);
    assert_null(r);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    simt_get(bytes, (unsigned char *)p, 256);
    for (int i = 0; i < 256; i++)
        assert_int_equal(bytes[i], 0xCB); /* fresh memory is no zero */
    assert_int_equal(cudaMemcpy(p, bytes, 1001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(p, bytes, 100, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaMemset(p + 900, 0, 101), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(p + 256), cudaErrorInvalidValue);
    SIMT_OK(cudaFreeAsync(q, nullptr));
    SIMT_OK(cudaFree(p));
    assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
    SIMT_OK(cudaFree(nullptr));
    SIMT_OK(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes == 1 << 20);
    assert_true(nf__emu_count(device).bytes_peak == 1024 + (1 << 19));
    simt_close(device);
}

/* Many pieces come and go, and none lies in another. */
static void test_many_allocations(void **)
{
    enum { PIECES = 300 };
    char *pieces[PIECES] = {};
    size_t sizes[PIECES] = {};
    unsigned x = 1;
    nf__emu *device = simt_open("memory=64M");
    for (int step = 0; step < 4000; step++) {
        x = x * 1664525u + 1013904223u;
        const unsigned i = (x >> 16) % PIECES;
        if (pieces[i] != nullptr) {
            unsigned char byte = 0;
            simt_get(&byte, (unsigned char *)pieces[i] + sizes[i] - 1, 1);
            assert_int_equal(byte, i & 255);
            SIMT_OK(cudaFree(pieces[i]));
            pieces[i] = nullptr;
            continue;
        }
        sizes[i] = 1 + (x >> 8) % 5000;
        SIMT_OK(cudaMalloc(&pieces[i], sizes[i]));
        SIMT_OK(cudaMemset(pieces[i], (int)(i & 255), sizes[i]));
    }
    for (int i = 0; i < PIECES; i++)
        SIMT_OK(cudaFree(pieces[i]));
    assert_true(nf__emu_count(device).bytes_used == 0);
    simt_close(device);
}

static void test_pitch(void **)
{
    int in[5][7], out[5][7];
    size_t pitch = 0;
    char *p = nullptr;
    nf__emu *device = simt_open("");
    for (int i = 0; i < 35; i++)
        in[i / 7][i % 7] = i;
    SIMT_OK(cudaMallocPitch(&p, &pitch, sizeof in[0], 5));
    SIMT_OK(cudaMemcpy2D(p, pitch, in, sizeof in[0], sizeof in[0], 5, cudaMemcpyHostToDevice));
    SIMT_OK(cudaMemcpy2D(out, sizeof out[0], p, pitch, sizeof out[0], 5, cudaMemcpyDeviceToHost));
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(cudaMemcpy2D(out, 4, p, pitch, sizeof out[0], 5, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidPitchValue);
    simt_close(device);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Work waits in its stream until the host asks: a pinned buffer read too early still holds what it held. */
static void test_asynchronous(void **)
{
    nf__emu *device = simt_open("");
    cudaStream_t stream;
    int *pinned = nullptr;
    int *p = simt_new<int>(64);
    SIMT_OK(cudaStreamCreate(&stream));
    SIMT_OK(cudaMallocHost(&pinned, 64 * sizeof(int)));
    pinned[5] = -1;
    SIMT_OK(SIMT_LAUNCH(add, 1, 64, 0, stream, p, 64, 7));
    SIMT_OK(cudaMemcpyAsync(pinned, p, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    assert_int_equal(pinned[5], -1);
    SIMT_OK(cudaStreamSynchronize(stream));
    assert_int_equal(pinned[5], 7);
    SIMT_OK(cudaStreamQuery(stream));
    assert_int_equal(cudaFreeHost(pinned + 1), cudaErrorInvalidValue);
    SIMT_OK(cudaFreeHost(pinned));
    SIMT_OK(cudaStreamDestroy(stream));
    assert_int_equal(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    simt_close(device);
}

/* Two streams without an event between them run in either order, with one in its order; over the seeds both show. */
static void test_stream_order(void **)
{
    int first_last = 0, last_first = 0;
    for (int seed = 1; seed <= 40; seed++) {
        char settings[64];
        int got[2];
        cudaStream_t a, b;
        cudaEvent_t done;
        (void)snprintf(settings, sizeof settings, "order=random,seed=%d", seed);
        nf__emu *device = simt_open(settings);
        int *p = simt_new<int>(2);
        SIMT_OK(cudaStreamCreate(&a));
        SIMT_OK(cudaStreamCreate(&b));
        SIMT_OK(cudaEventCreate(&done));
        SIMT_OK(cudaMemsetAsync(p, 1, 4, a));
        SIMT_OK(cudaMemsetAsync(p, 2, 4, b));
        SIMT_OK(cudaMemsetAsync(p + 1, 1, 4, a));
        SIMT_OK(cudaEventRecord(done, a));
        SIMT_OK(cudaStreamWaitEvent(b, done));
        SIMT_OK(cudaMemsetAsync(p + 1, 2, 4, b));
        SIMT_OK(cudaDeviceSynchronize());
        simt_get(got, p, 2);
        first_last += got[0] == 0x01010101;
        last_first += got[0] == 0x02020202;
        assert_int_equal(got[1], 0x02020202);
        simt_close(device);
    }
    assert_true(first_last > 0 && last_first > 0);
}

/* A stream may be so slow that another does all it has first: even draws would not show that of 40 operations. */
static void test_slow_stream(void **)
{
    int early = 0, late = 0;
    for (int seed = 1; seed <= 60; seed++) {
        char settings[64];
        uint8_t got[2];
        cudaStream_t a, b;
        (void)snprintf(settings, sizeof settings, "order=random,seed=%d", seed);
        nf__emu *device = simt_open(settings);
        uint8_t *p = simt_new<uint8_t>(2);
        SIMT_OK(cudaStreamCreate(&a));
        SIMT_OK(cudaStreamCreate(&b));
        for (int i = 1; i <= 40; i++)
            SIMT_OK(cudaMemsetAsync(p, i, 1, a));
        SIMT_OK(cudaMemcpyAsync(p + 1, p, 1, cudaMemcpyDeviceToDevice, b));
        SIMT_OK(cudaDeviceSynchronize());
        simt_get(got, p, 2);
        early += got[1] < 5;
        late += got[1] == 40;
        simt_close(device);
    }
    assert_true(early > 0 && late > 0);
}

static void test_events(void **)
{
    float ms = -1;
    nf__emu *device = simt_open("");
    cudaEvent_t from, to, never;
    int *p = simt_new<int>(64);
    SIMT_OK(cudaEventCreate(&from));
    SIMT_OK(cudaEventCreate(&to));
    SIMT_OK(cudaEventCreate(&never));
    SIMT_OK(cudaEventRecord(from));
    SIMT_OK(SIMT_LAUNCH(add, 1, 64, 0, nullptr, p, 64, 7));
    SIMT_OK(cudaEventRecord(to));
    assert_int_equal(cudaEventElapsedTime(&ms, from, to), cudaErrorNotReady);
    SIMT_OK(cudaEventSynchronize(to));
    SIMT_OK(cudaEventQuery(to));
    SIMT_OK(cudaEventElapsedTime(&ms, from, to));
    assert_true(ms >= 0);
    assert_int_equal(cudaEventElapsedTime(&ms, from, never), cudaErrorInvalidResourceHandle);
    SIMT_OK(cudaEventDestroy(never));
    assert_int_equal(cudaEventRecord(never), cudaErrorInvalidResourceHandle);
    simt_close(device);
}

static void note(void *data)
{
    *static_cast<int *>(data) += 1;
}

static void test_host_calls(void **)
{
    int calls = 0;
    nf__emu *device = simt_open("");
    SIMT_OK(cudaLaunchHostFunc(nullptr, note, &calls));
    assert_int_equal(calls, 0);
    SIMT_OK(cudaDeviceSynchronize());
    assert_int_equal(calls, 1);
    simt_close(device);
}

/* A host that polls can stop a kernel that waits for it: the kernel runs in slices. */
static void test_slices(void **)
{
    for (int k = 0; k < 3; k++) {
        nf__emu *device = simt_open(simt_orders[k]);
        int *stop = nullptr, asked = 0;
        unsigned long long *rounds = nullptr;
        int *told = simt_new<int>(1);
        cudaError_t state = cudaErrorNotReady;
        SIMT_OK(cudaMallocHost(&stop, sizeof *stop));
        SIMT_OK(cudaMallocHost(&rounds, sizeof *rounds));
        *stop = 0;
        *rounds = 0;
        SIMT_OK(SIMT_LAUNCH_GRID(until_told, 4, 64, 0, nullptr, stop, told, rounds));
        while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady && asked++ < 1000)
            if (asked == 5)
                __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
        SIMT_OK(state);
        assert_true(asked >= 5 && *rounds > 0);
        *stop = 0;
        SIMT_OK(SIMT_LAUNCH(wait_for_host, 1, 1, 0, nullptr, stop, stop + 1));
        assert_int_equal(cudaStreamQuery(nullptr), cudaErrorNotReady);
        __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
        SIMT_OK(cudaStreamSynchronize(nullptr));
        simt_close(device);
    }
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static void test_children(void **)
{
    int got[2];
    nf__emu *device = simt_open("");
    int *p = simt_new<int>(2);
    SIMT_OK(SIMT_LAUNCH(child, 1, 1, 0, nullptr, p));
    simt_get(got, p, 1);
    assert_int_equal(got[0], 6);
    SIMT_OK(cudaMemset(p, 0, 8));
    SIMT_OK(SIMT_LAUNCH(too_many_children, 1, 1, 0, nullptr, p, p + 1));
    simt_get(got, p, 2);
    assert_int_equal(got[0], 2048);
    assert_int_equal(got[1], 3000 - 2048);
    simt_close(device);
}

/* ---- counters, replay -------------------------------------------------------------------------------------------- */

static void test_counters(void **)
{
    nf__emu *device = simt_open("");
    int *p = simt_new<int>(2);
    const nf__emu_counters before = nf__emu_count(device);
    SIMT_OK(SIMT_LAUNCH_GRID(count_things, 3, 64, 0, nullptr, p));
    SIMT_OK(cudaDeviceSynchronize());
    const nf__emu_counters c = nf__emu_count(device);
    assert_int_equal(c.launches - before.launches, 1);
    assert_int_equal(c.blocks, 3);
    assert_int_equal(c.threads, 192);
    assert_int_equal(c.block_barriers, 6);
    assert_int_equal(c.grid_barriers, 1);
    assert_int_equal(c.warp_collectives, 12);
    assert_int_equal(c.sync_points, 192 * 5);
    assert_int_equal(c.atomics, 192);
    assert_int_equal(c.relaxed, 2 * 192);
    assert_int_equal(c.fences, 192);
    int back[2];
    simt_get(back, p, 2);
    simt_put(p, back, 1);
    SIMT_OK(cudaMemcpy(p, p + 1, 4, cudaMemcpyDeviceToDevice));
    const nf__emu_counters d = nf__emu_count(device);
    assert_int_equal(d.bytes_to_host - c.bytes_to_host, 8);
    assert_int_equal(d.bytes_to_device - c.bytes_to_device, 4);
    assert_int_equal(d.bytes_on_device - c.bytes_on_device, 4);
    simt_close(device);
}

enum { SIGNED_IN = 2 * 8 * 64 };

static void sign_in_under(const char *settings, unsigned *list)
{
    nf__emu *device = simt_open(settings);
    unsigned *count = simt_new<unsigned>(1), *out = simt_new<unsigned>(SIGNED_IN);
    SIMT_OK(SIMT_LAUNCH(sign_in, 8, 64, 0, nullptr, count, out));
    simt_get(list, out, SIGNED_IN);
    simt_close(device);
}

/* The same seed gives the same schedule, another seed another; FIFO and LIFO are what they say. */
static void test_replay(void **)
{
    static unsigned one[SIGNED_IN], two[SIGNED_IN];
    int alike = 0;
    for (int seed = 1; seed <= 10; seed++) {
        char settings[64];
        (void)snprintf(settings, sizeof settings, "seed=%d,order=random,preempt=0.3", seed);
        sign_in_under(settings, one);
        sign_in_under(settings, two);
        assert_memory_equal(one, two, sizeof one);
        (void)snprintf(settings, sizeof settings, "seed=%d,order=random,preempt=0.3", seed + 100);
        sign_in_under(settings, two);
        alike += memcmp(one, two, sizeof one) == 0;
    }
    assert_int_equal(alike, 0);
    sign_in_under("order=fifo", one);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(one[i], i);
    sign_in_under("order=lifo", one);
    assert_true(one[0] > one[1] && one[62] > one[63]);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_planted(void **)
{
    for (int k = 1; k <= 4; k++) {
        char settings[64];
        int *p[4] = {};
        (void)snprintf(settings, sizeof settings, "fail_alloc=%d", k);
        nf__emu *device = simt_open(settings);
        for (int i = 0; i < 4; i++)
            assert_int_equal(cudaMalloc(&p[i], 100), i + 1 == k ? cudaErrorMemoryAllocation : cudaSuccess);
        simt_close(device);
        (void)snprintf(settings, sizeof settings, "fail_launch=%d", k);
        device = simt_open(settings);
        p[0] = simt_new<int>(64);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(SIMT_LAUNCH(add, 1, 64, 0, nullptr, p[0], 64, 1),
                             i + 1 > k ? cudaErrorIllegalAddress : cudaSuccess);
            const cudaError_t error = cudaDeviceSynchronize();
            assert_int_equal(error, i + 1 >= k ? cudaErrorIllegalAddress : cudaSuccess);
        }
        assert_non_null(strstr(simt_fault_text(), "planted"));
        SIMT_OK(cudaDeviceReset());
        p[0] = simt_new<int>(64);
        SIMT_OK(SIMT_LAUNCH(add, 1, 64, 0, nullptr, p[0], 64, 1));
        SIMT_OK(cudaDeviceSynchronize());
        simt_close(device);
    }
}

static void *other_thread(void *result)
{
    int got[64] = {};
    nf__emu *device = simt_open("seed=5");
    int *p = simt_new<int>(64);
    for (int i = 0; i < 50; i++)
        SIMT_OK(SIMT_LAUNCH(add, 1, 64, 0, nullptr, p, 64, 1));
    simt_get(got, p, 64);
    *static_cast<int *>(result) = got[63];
    simt_close(device);
    return nullptr;
}

/* Two host threads, each with its own device, at once; and two devices in turn on one thread. */
static void test_two_devices(void **)
{
    pthread_t threads[2];
    int results[2] = {}, got = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], nullptr, other_thread, &results[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], nullptr), 0);
    assert_true(results[0] == 50 && results[1] == 50);
    nf__emu *one = simt_open(""), *two = simt_open("");
    int *p = simt_new<int>(64);
    assert_ptr_equal(nf__emu_use(one), two);
    int *q = simt_new<int>(64);
    assert_int_equal(cudaMemset(p, 0, 4), cudaErrorInvalidValue); /* the other device's */
    SIMT_OK(SIMT_LAUNCH(add, 1, 64, 0, nullptr, q, 64, 3));
    simt_get(&got, q, 1);
    assert_int_equal(got, 3);
    nf__emu_close(two);
    simt_close(one);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),     cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_profiles),     cmocka_unit_test(test_bad_launches),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_many_allocations),
        cmocka_unit_test(test_pitch),        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_stream_order), cmocka_unit_test(test_slow_stream),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_host_calls),
        cmocka_unit_test(test_slices),       cmocka_unit_test(test_children),
        cmocka_unit_test(test_counters),     cmocka_unit_test(test_replay),
        cmocka_unit_test(test_planted),      cmocka_unit_test(test_two_devices),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
