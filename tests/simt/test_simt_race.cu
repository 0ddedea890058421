/* test_simt_race.cu - kernels with races. The race flavour must catch each under every schedule, naming both accesses;
 * of the other flavours each row says what they see: a wrong result under some seeds, or nothing.
 */
#include "simt_test.h"

#include <string.h>

namespace SIMT_FLAVOUR
{

enum { THREADS = 64 };

static __global__ void missing_barrier(int *out)
{
    SIMT_SHARED(int, cells, THREADS);
    cells[threadIdx.x] = (int)threadIdx.x + 1;
    out[threadIdx.x] = cells[THREADS - 1 - threadIdx.x];
}

/* The second barrier of a loop that reuses its buffer. */
static __global__ void missing_second_barrier(int *out)
{
    SIMT_SHARED(int, cells, THREADS);
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        cells[threadIdx.x] = round;
        __syncthreads();
        sum += cells[(threadIdx.x + 32) % THREADS];
    }
    out[threadIdx.x] = sum + 1;
}

static __global__ void lost_updates(int *out)
{
    out[0] = out[0] + 1;
}

static __global__ void ballot_as_barrier(int *out)
{
    SIMT_SHARED(int, cells, 32);
    if (threadIdx.x < 32) {
        cells[threadIdx.x] = (int)threadIdx.x + 1;
        (void)__ballot_sync(0xffffffffu, 1);
        out[threadIdx.x] = cells[31 - threadIdx.x];
    }
}

static __global__ void shuffle_as_barrier(int *out)
{
    SIMT_SHARED(int, cells, 32);
    if (threadIdx.x < 32) {
        cells[threadIdx.x] = (int)threadIdx.x + 1;
        const int other = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 1);
        out[threadIdx.x] = cells[other];
    }
}

static __global__ void half_a_warp_synced(int *out)
{
    SIMT_SHARED(int, cells, 32);
    if (threadIdx.x < 32) {
        const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
        cells[threadIdx.x] = (int)threadIdx.x + 1;
        __syncwarp(mask);
        out[threadIdx.x] = cells[31 - threadIdx.x];
    }
}

/* One block hands data to another through a flag; the fences are there or not. */
template <int release, int acquire> static __global__ void hand_over(int *out)
{
    int *data = out, *flag = out + 1;
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        if (release == 1)
            __threadfence();
        else if (release == 2)
            __threadfence_block();
        simt_store_relaxed(flag, 1);
    } else {
        while (simt_load_relaxed(flag) == 0)
            simt_spin();
        if (acquire)
            __threadfence();
        out[2] = data[0];
    }
}

static __global__ void ldg_of_written(int *out)
{
    if (blockIdx.x == 0)
        out[threadIdx.x] = 1;
    simt_grid_sync();
    if (blockIdx.x == 1)
        out[128 + threadIdx.x] = __ldg(&out[threadIdx.x]);
}

static __global__ void missing_grid_sync(int *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = 1;
    __syncthreads();
    out[512 + threadIdx.x] = out[(gridDim.x - 1 - blockIdx.x) * THREADS + threadIdx.x];
}

static __global__ void plain_read_of_counter(int *out)
{
    atomicAdd(&out[0], 1);
    if (threadIdx.x == 40)
        out[1] = out[0];
}

static __global__ void plain_start_of_counter(int *out)
{
    SIMT_SHARED(int, sum, 1);
    if (threadIdx.x == 0)
        sum[0] = 0;
    atomicAdd(&sum[0], 1);
    __syncthreads();
    out[threadIdx.x] = sum[0];
}

static __global__ void missing_cluster_sync(int *out)
{
    SIMT_SHARED(int, mine, 1);
    if (threadIdx.x == 0)
        mine[0] = (int)simt_cluster_rank() + 1;
    __syncthreads();
    const int *other = simt_cluster_at(&mine[0], simt_cluster_rank() ^ 1u);
    const int got = *other;
    simt_cluster_sync();
    out[blockIdx.x * THREADS + threadIdx.x] = got;
}

static __global__ void async_copy_without_barrier(int *out)
{
    SIMT_SHARED(uint4, cells, THREADS);
    simt_copy16_async(&cells[threadIdx.x], out + 4 * threadIdx.x);
    simt_copy_commit();
    simt_copy_wait<0>();
    out[512 + threadIdx.x] = (int)cells[THREADS - 1 - threadIdx.x].x;
}

/* Bytes are sent, in the second turn of a gate, over those that others may still read. */
static __global__ void gate_without_barrier(int *out)
{
    SIMT_SHARED(uint4, cells, 2 * THREADS);
    SIMT_SHARED(simt_gate, gates, 2);
    const uint32_t bytes = sizeof(uint4) * THREADS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            simt_gate_open(&gates[i]);
            simt_gate_expect(&gates[i], bytes);
            simt_copy_bulk(cells + i * THREADS, out, bytes, &gates[i]);
        }
        simt_gate_wait(&gates[1], 0);
    }
    __syncthreads();
    simt_gate_wait(&gates[0], 0);
    out[512 + threadIdx.x] = (int)cells[THREADS - 1 - threadIdx.x].x;
    if (threadIdx.x == 0) {
        simt_gate_expect(&gates[1], bytes);
        simt_copy_bulk(cells, out, bytes, &gates[1]);
    }
}

static __global__ void neighbours_overlap(int *out)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = 1;
    out[i + 1] = 2;
}

static __global__ void lock_without_fences(int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&out[0], 0, 1) != 0)
            simt_spin();
        out[1] = out[1] + 1;
        atomicExch(&out[0], 0);
    }
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

struct racy {
    const char *name;
    cudaError_t (*launch)(int *out);
    const char *says;
};

#define RACY(kernel, grid, says)                                                                         \
    {                                                                                                    \
#kernel, [](int *out) { return SIMT_LAUNCH_GRID(kernel, grid, THREADS, 0, nullptr, out); }, says \
    }
#define RACY_CLUSTER(kernel, grid, says)                                                                       \
    {                                                                                                          \
#kernel, [](int *out) { return SIMT_LAUNCH_CLUSTER(kernel, 2, grid, THREADS, 0, nullptr, out); }, says \
    }

static const struct racy racy_kernels[] = {
    RACY(missing_barrier, 1, "shared array"),
    RACY(missing_second_barrier, 1, "shared array"),
    RACY(lost_updates, 2, "byte 0 of an allocation"),
    RACY(ballot_as_barrier, 1, "shared array"),
    RACY(shuffle_as_barrier, 1, "shared array"),
    RACY(half_a_warp_synced, 1, "shared array"),
    RACY((hand_over<0, 1>), 2, "byte 0 of an allocation"),
    RACY((hand_over<1, 0>), 2, "byte 0 of an allocation"),
    RACY((hand_over<2, 1>), 2, "byte 0 of an allocation"),
    RACY(ldg_of_written, 2, "__ldg"),
    RACY(missing_grid_sync, 4, "allocation"),
    RACY(plain_read_of_counter, 2, "byte 0 of an allocation"),
    RACY(plain_start_of_counter, 1, "shared array"),
    RACY_CLUSTER(missing_cluster_sync, 4, "shared array"),
    RACY(async_copy_without_barrier, 1, "shared array"),
    RACY(gate_without_barrier, 1, "shared array"),
    RACY(neighbours_overlap, 4, "allocation"),
    RACY(lock_without_fences, 4, "allocation"),
};

static void run_racy(const struct racy *r, const char *order)
{
    nf__emu *device = simt_open(order);
    int *out = simt_new<int>(1024);
    SIMT_OK(r->launch(out));
    const cudaError_t error = cudaDeviceSynchronize();
    const char *text = simt_fault_text();
    if (error != cudaErrorLaunchFailure || strstr(text, r->says) == nullptr)
        fail_msg("%s under '%s': %s, '%s'; expected '%s'", r->name, order, cudaGetErrorName(error), text, r->says);
    assert_non_null(strstr(text, "test_simt_race.cu:"));
    assert_non_null(strstr(text, "warp "));
    SIMT_OK(cudaDeviceReset());
    simt_close(device);
}

static void test_caught(void **)
{
    if (!nf__emu_checks_races())
        skip();
    for (size_t i = 0; i < sizeof racy_kernels / sizeof racy_kernels[0]; i++)
        for (int k = 0; k < simt_order_count; k++)
            run_racy(&racy_kernels[i], simt_orders[k]);
}

/* The schedules alone show a missing barrier as a wrong result under at least one of two orders. */
static void test_missing_barrier_shows(void **)
{
    int wrong = 0;
    if (nf__emu_checks_races())
        skip();
    for (int k = 0; k < 2; k++) {
        int got[THREADS];
        nf__emu *device = simt_open(simt_orders[k]);
        int *out = simt_new<int>(THREADS);
        SIMT_OK(SIMT_LAUNCH(missing_barrier, 1, THREADS, 0, nullptr, out));
        simt_get(got, out, THREADS);
        for (int i = 0; i < THREADS; i++)
            wrong += got[i] != THREADS - i;
        simt_close(device);
    }
    assert_true(wrong > 0);
}

static __global__ void gate_not_waited_for(int *out)
{
    SIMT_SHARED(uint4, cells, THREADS);
    SIMT_SHARED(simt_gate, gate, 1);
    if (threadIdx.x == 0) {
        simt_gate_open(gate);
        simt_gate_expect(gate, sizeof(uint4) * THREADS);
        simt_copy_bulk(cells, out, sizeof(uint4) * THREADS, gate);
    }
    __syncthreads();
    out[512 + threadIdx.x] = (int)cells[threadIdx.x].x;
}

/* Bytes that nobody waits for are not there, under every schedule. */
static void test_missing_wait_shows(void **)
{
    for (int k = 0; k < simt_order_count; k++) {
        int got[THREADS];
        nf__emu *device = simt_open(simt_orders[k]);
        int *out = simt_new<int>(1024);
        SIMT_OK(SIMT_LAUNCH(gate_not_waited_for, 1, THREADS, 0, nullptr, out));
        simt_get(got, out + 512, THREADS);
        for (int i = 0; i < THREADS; i++)
            assert_int_not_equal(got[i], 0);
        simt_close(device);
    }
}

/* Read, let others run at the atomic in between, write: preemption loses updates where plain schedules do not. */
static __global__ void lost_between_atomics(int *count, int *ticket)
{
    const int before = simt_load_relaxed(count);
    atomicAdd(ticket, 1);
    simt_store_relaxed(count, before + 1);
}

static void test_preemption_shows(void **)
{
    int lost = 0;
    for (int seed = 1; seed <= 20; seed++) {
        char settings[64];
        int got[2];
        (void)snprintf(settings, sizeof settings, "order=random,preempt=0.1,seed=%d", seed);
        nf__emu *device = simt_open(settings);
        int *out = simt_new<int>(2);
        SIMT_OK(SIMT_LAUNCH(lost_between_atomics, 2, 256, 0, nullptr, out, out + 1));
        simt_get(got, out, 2);
        assert_int_equal(got[1], 512);
        lost += got[0] != 512;
        simt_close(device);
    }
    assert_true(lost >= 19);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caught),
        cmocka_unit_test(test_missing_barrier_shows),
        cmocka_unit_test(test_missing_wait_shows),
        cmocka_unit_test(test_preemption_shows),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
