/* test_simt_broken.cu - kernels that are wrong on purpose, each with what must be said of it, by which flavour, under
 * which schedules. A kernel that is not caught fails the test; so does one that hangs or takes the program down.
 */
#include "simt_test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace SIMT_FLAVOUR
{

static __device__ unsigned my_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- rules of barriers and collectives: caught by every flavour, at every seed ----------------------------------- */

/* More bytes than a turn was said to have. */
static __global__ void gate_overrun(int *out)
{
    SIMT_SHARED(uint4, cells, 4);
    SIMT_SHARED(simt_gate, gate, 1);
    if (threadIdx.x == 0) {
        simt_gate_open(gate);
        simt_gate_expect(gate, 32);
        simt_copy_bulk(cells, out, 16, gate);
        simt_copy_bulk(cells + 1, out, 32, gate);
    }
}

static __global__ void gate_begun_twice(int *out)
{
    SIMT_SHARED(simt_gate, gate, 1);
    (void)out;
    if (threadIdx.x == 0) {
        simt_gate_open(gate);
        simt_gate_expect(gate, 32);
        simt_gate_expect(gate, 32);
    }
}

/* A turn so old that its parity is that of one that has not come. */
static __global__ void gate_long_past(int *out)
{
    SIMT_SHARED(uint4, cells, 1);
    SIMT_SHARED(simt_gate, gate, 1);
    if (threadIdx.x == 0) {
        simt_gate_open(gate);
        for (uint32_t turn = 0; turn < 2; turn++) {
            simt_gate_expect(gate, 16);
            simt_copy_bulk(cells, out, 16, gate);
            simt_gate_wait(gate, turn);
        }
        simt_gate_wait(gate, 0);
    }
}

static __global__ void mask_lacks_me(int *out)
{
    out[my_index()] = (int)__ballot_sync(0x0000fffeu, 1);
}

static __global__ void mask_too_wide(int *out)
{
    if (simt_lane() < 16)
        out[my_index()] = __shfl_sync(0xffffffffu, 1, 0);
}

static __global__ void masks_differ(int *out)
{
    out[my_index()] = (int)__ballot_sync(simt_lane() < 16 ? 0xffffffffu : 0xffff0000u, 1);
}

static __global__ void reads_outside_mask(int *out)
{
    if (simt_lane() < 16)
        out[my_index()] = __shfl_sync(0x0000ffffu, 1, 20);
}

static __global__ void calls_differ(int *out)
{
    if (simt_lane() % 2 == 0)
        out[my_index()] = __any_sync(0xffffffffu, 1);
    else
        out[my_index()] = __all_sync(0xffffffffu, 1);
}

/* Two barriers on one line: the same to the eye, not to the emulator. */
static __global__ void divergent_barrier(int *out)
{
    if (threadIdx.x < 64) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[my_index()] = 1;
}

static __global__ void barrier_in_branch(int *out)
{
    if (threadIdx.x < 64)
        __syncthreads();
    out[my_index()] = 1;
}

static __global__ void early_exit_barrier(int *out)
{
    if (threadIdx.x == 77)
        return;
    __syncthreads();
    out[my_index()] = 1;
}

static __global__ void early_exit_lane(int *out)
{
    if (simt_lane() == 3)
        return;
    out[my_index()] = __shfl_xor_sync(0xffffffffu, 1, 1);
}

static __global__ void partial_warp(int *out)
{
    out[my_index()] = __all_sync(0xffffffffu, 1);
}

static __global__ void warp_against_block(int *out)
{
    if (simt_lane() < 16)
        __syncwarp();
    else
        __syncthreads();
    out[my_index()] = 1;
}

static __global__ void grid_sync_by_some(int *out)
{
    if (blockIdx.x == 0)
        simt_grid_sync();
    out[my_index()] = 1;
}

static __global__ void grid_sync_without_grid(int *out)
{
    simt_grid_sync();
    out[my_index()] = 1;
}

static __global__ void block_against_grid(int *out)
{
    if (threadIdx.x < 32)
        simt_grid_sync();
    else
        __syncthreads();
    out[my_index()] = 1;
}

static __global__ void bad_width(int *out)
{
    out[my_index()] = __shfl_sync(0xffffffffu, 1, 0, 12);
}

static __global__ void misaligned_load(int *out)
{
    uint4 four = simt_load16(out + 1);
    out[my_index()] = (int)four.x;
}

static __global__ void misaligned_atomic(int *out)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(out + 1), 1ull);
}

static __global__ void failed_assertion(int *out)
{
    SIMT_ASSERT(out == nullptr);
}

/* ---- waiting for what never comes -------------------------------------------------------------------------------- */

static __global__ void lock_never_released(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        simt_spin();
}

static __global__ void own_barrier(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (simt_load_relaxed(arrived) < gridDim.x)
            simt_spin();
    }
    __syncthreads();
}

static __global__ void polls_without_spin(int *flag)
{
    if (threadIdx.x == 0)
        while (simt_load_relaxed(flag) == 0) {}
    else if (threadIdx.x == 33)
        simt_store_relaxed(flag, 1);
}

static __global__ void loops_for_ever(volatile int *flag)
{
    if (threadIdx.x == 0)
        while (*flag == 0) {}
}

static __global__ void recurses(int *out, int depth)
{
    volatile char big[4096];
    big[depth & 4095] = (char)depth;
    if (out != nullptr)
        recurses(out, depth + 1);
    out[0] = big[depth & 4095];
}

static __global__ void null_pointer(int *out)
{
    out[threadIdx.x] = 1;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static __global__ void shared_overrun(int *out, int n)
{
    SIMT_SHARED(int, cells, 32);
    SIMT_SHARED(int, others, 32);
    for (int i = (int)threadIdx.x; i < n; i += 32)
        cells[i] = i;
    others[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x];
}

static __global__ void dynamic_overrun(int *out, int n)
{
    SIMT_SHARED_DYNAMIC(int, cells);
    for (int i = (int)threadIdx.x; i < n; i += 32)
        cells[i] = i;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x];
}

static __global__ void too_much_shared(int *out)
{
    SIMT_SHARED(int, first, 8192);
    SIMT_SHARED(int, second, 8192);
    first[threadIdx.x] = second[threadIdx.x] = 0;
    out[my_index()] = first[threadIdx.x];
}

static __global__ void writes_at(int *out, long index)
{
    if (threadIdx.x == 0)
        out[index] = 1;
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

/* ---- the table --------------------------------------------------------------------------------------------------- */

struct broken {
    const char *name;
    cudaError_t (*launch)(unsigned grid, unsigned block, int *out);
    unsigned grid, block;
    cudaError_t error;
    const char *says; /* a part of the text */
};

#define PLAIN SIMT_LAUNCH
#define COOPERATIVE SIMT_LAUNCH_GRID
#define BROKEN(kernel, launch, grid, block, error, says)                                                              \
    {                                                                                                                 \
#kernel, [](unsigned g, unsigned b, int *out) { return launch(kernel, g, b, 0, nullptr, out); }, grid, block, \
                                                                                                      error, says     \
    }

static const struct broken rules[] = {
    BROKEN(mask_lacks_me, PLAIN, 1, 64, cudaErrorLaunchFailure, "lacks the lane that calls it"),
    BROKEN(mask_too_wide, PLAIN, 1, 32, cudaErrorLaunchFailure, "0xffffffff"),
    BROKEN(masks_differ, PLAIN, 2, 64, cudaErrorLaunchFailure, "mask 0xffffffff"),
    BROKEN(reads_outside_mask, PLAIN, 1, 32, cudaErrorLaunchFailure, "reads from lane 20"),
    BROKEN(calls_differ, PLAIN, 1, 32, cudaErrorLaunchFailure, "__any_sync"),
    BROKEN(divergent_barrier, PLAIN, 2, 128, cudaErrorLaunchFailure, "divergent barrier"),
    BROKEN(barrier_in_branch, PLAIN, 2, 128, cudaErrorLaunchFailure, "__syncthreads"),
    BROKEN(early_exit_barrier, PLAIN, 2, 128, cudaErrorLaunchFailure, "__syncthreads"),
    BROKEN(early_exit_lane, PLAIN, 1, 64, cudaErrorLaunchFailure, "__shfl_xor_sync"),
    BROKEN(partial_warp, PLAIN, 1, 40, cudaErrorLaunchFailure, "do not exist"),
    BROKEN(warp_against_block, PLAIN, 1, 64, cudaErrorLaunchTimeout, "deadlock"),
    BROKEN(grid_sync_by_some, COOPERATIVE, 4, 64, cudaErrorLaunchFailure, "simt_grid_sync"),
    BROKEN(grid_sync_without_grid, PLAIN, 2, 64, cudaErrorLaunchFailure, "not launched as a cooperative grid"),
    BROKEN(block_against_grid, COOPERATIVE, 2, 64, cudaErrorLaunchTimeout, "deadlock"),
    BROKEN(bad_width, PLAIN, 1, 32, cudaErrorLaunchFailure, "width 12"),
    BROKEN(misaligned_load, PLAIN, 1, 32, cudaErrorIllegalAddress, "unaligned"),
    BROKEN(misaligned_atomic, PLAIN, 1, 32, cudaErrorIllegalAddress, "8 bytes at the address"),
    BROKEN(gate_overrun, PLAIN, 1, 32, cudaErrorLaunchFailure, "a gate that expects 16 of 32 more"),
    BROKEN(gate_begun_twice, PLAIN, 1, 32, cudaErrorLaunchFailure, "before the last one is over"),
    BROKEN(gate_long_past, PLAIN, 1, 32, cudaErrorLaunchFailure, "turn 0 of a gate that has had 2"),
    BROKEN(failed_assertion, PLAIN, 1, 32, cudaErrorAssert, "out == nullptr"),
    BROKEN(too_much_shared, PLAIN, 1, 32, cudaErrorLaunchOutOfResources, "static shared memory"),
};

/* After a fault: the error is sticky, the text names the place, and a reset device computes again. */
static void check_fault(const struct broken *b, const char *order, cudaError_t error)
{
    const char *text = simt_fault_text();
    if (error != b->error || strstr(text, b->says) == nullptr)
        fail_msg("%s under '%s': %s, '%s'; expected %s and '%s'", b->name, order, cudaGetErrorName(error), text,
                 cudaGetErrorName(b->error), b->says);
    assert_non_null(strstr(text, b->name));
    assert_non_null(strstr(text, "block ("));
    assert_non_null(strstr(text, "lane "));
    assert_non_null(strstr(text, "test_simt_broken.cu:"));
}

static __global__ void adds(int *out)
{
    SIMT_SHARED(int, sum, 1);
    if (threadIdx.x == 0)
        sum[0] = 0;
    __syncthreads();
    atomicAdd(&sum[0], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, sum[0]);
}

static void check_usable()
{
    int sum = 0;
    int *out = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(adds, 8, 64, 0, nullptr, out));
    simt_get(&sum, out, 1);
    assert_int_equal(sum, 512);
    SIMT_OK(cudaFree(out));
}

static void run_broken(const struct broken *b, const char *order)
{
    nf__emu *device = simt_open(order);
    int *out = simt_new<int>(1024);
    SIMT_OK(b->launch(b->grid, b->block, out)); /* as on a GPU: a kernel's fault is seen later */
    check_fault(b, order, cudaDeviceSynchronize());
    assert_int_equal(b->launch(1, 32, out), b->error);
    assert_int_equal(cudaGetLastError(), b->error);
    assert_int_equal(cudaGetLastError(), b->error);
    assert_int_equal(cudaMemset(out, 0, 4), b->error);
    SIMT_OK(cudaDeviceReset());
    assert_string_equal(simt_fault_text(), "");
    check_usable();
    simt_close(device);
}

static void test_rules(void **)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        for (int k = 0; k < simt_order_count; k++)
            run_broken(&rules[i], simt_orders[k]);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void expect(cudaError_t error, cudaError_t expected, const char *says)
{
    if (error != expected || strstr(simt_fault_text(), says) == nullptr)
        fail_msg("%s, '%s'; expected %s and '%s'", cudaGetErrorName(error), simt_fault_text(),
                 cudaGetErrorName(expected), says);
}

static void test_lock_never_released(void **)
{
    for (int k = 0; k < simt_order_count; k++) {
        nf__emu *device = simt_open(simt_orders[k]);
        int *lock = simt_new<int>(1);
        SIMT_OK(SIMT_LAUNCH(lock_never_released, 2, 64, 0, nullptr, lock));
        expect(cudaDeviceSynchronize(), cudaErrorLaunchTimeout, "livelock");
        SIMT_OK(cudaDeviceReset());
        check_usable();
        simt_close(device);
    }
}

/* A barrier of one's own over more blocks than are resident never completes; over as many as are, it does. */
static void test_more_blocks_than_resident(void **)
{
    const char *const profiles[] = {"profile=4x256", "profile=2x64", "profile=1x32"};
    const unsigned resident[] = {4, 2, 1}, threads[] = {256, 64, 32};
    for (int k = 0; k < 3; k++) {
        nf__emu *device = simt_open(profiles[k]);
        unsigned *arrived = simt_new<unsigned>(1);
        SIMT_OK(SIMT_LAUNCH(own_barrier, resident[k], threads[k], 0, nullptr, arrived));
        SIMT_OK(cudaDeviceSynchronize());
        SIMT_OK(cudaMemset(arrived, 0, sizeof *arrived));
        assert_int_equal(SIMT_LAUNCH_GRID(own_barrier, resident[k] + 1, threads[k], 0, nullptr, arrived),
                         cudaErrorCooperativeLaunchTooLarge);
        SIMT_OK(SIMT_LAUNCH(own_barrier, resident[k] + 1, threads[k], 0, nullptr, arrived));
        expect(cudaDeviceSynchronize(), cudaErrorLaunchTimeout, "livelock");
        simt_close(device);
    }
}

static void test_polls_without_spin(void **)
{
    nf__emu *device = simt_open("");
    int *flag = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(polls_without_spin, 1, 64, 0, nullptr, flag));
    expect(cudaDeviceSynchronize(), cudaErrorLaunchTimeout, "simt_spin");
    simt_close(device);
    device = simt_open("preempt=0.1,seed=3"); /* with preemption the other thread gets its turn */
    flag = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(polls_without_spin, 1, 64, 0, nullptr, flag));
    SIMT_OK(cudaDeviceSynchronize());
    simt_close(device);
}

static void test_loops_for_ever(void **)
{
    nf__emu *device = simt_open("watchdog=0.2");
    int *flag = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(loops_for_ever, 1, 64, 0, nullptr, flag));
    expect(cudaDeviceSynchronize(), cudaErrorLaunchTimeout, "simt_spin");
    assert_non_null(strstr(simt_fault_text(), "warp 0 lane 0"));
    SIMT_OK(cudaDeviceReset());
    check_usable();
    simt_close(device);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Under ASan a bad access ends the program with a report; here, whether a child process died of it. */
static bool dies(void (*body)(void))
{
    int status = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)freopen("/dev/null", "w", stderr);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

template <void (*body)(cudaError_t *)> static void expect_bad_address(const char *says)
{
    cudaError_t error = cudaSuccess;
    struct local {
        static void run()
        {
            cudaError_t ignored = cudaSuccess;
            body(&ignored);
        }
    };
    if (UNDER_ASAN) {
        assert_true(dies(local::run));
        return;
    }
    nf__emu *device = simt_open("");
    body(&error);
    expect(error, cudaErrorIllegalAddress, says);
    SIMT_OK(cudaDeviceReset());
    check_usable();
    simt_close(device);
}

static nf__emu *device_for_child()
{
    return nf__emu_now.device != nullptr ? nf__emu_now.device : simt_open("");
}

static void overrun_shared(cudaError_t *error)
{
    (void)device_for_child();
    int *out = simt_new<int>(32);
    SIMT_OK(SIMT_LAUNCH(shared_overrun, 1, 32, 0, nullptr, out, 33));
    *error = cudaDeviceSynchronize();
}

static void overrun_dynamic(cudaError_t *error)
{
    (void)device_for_child();
    int *out = simt_new<int>(32);
    SIMT_OK(SIMT_LAUNCH(dynamic_overrun, 1, 32, 128, nullptr, out, 33));
    *error = cudaDeviceSynchronize();
}

static void overrun_global(cudaError_t *error)
{
    (void)device_for_child();
    int *out = simt_new<int>(100);
    SIMT_OK(SIMT_LAUNCH(writes_at, 1, 32, 0, nullptr, out, 100));
    SIMT_OK(cudaDeviceSynchronize());
    *error = cudaFree(out);
}

static void far_global(cudaError_t *error)
{
    (void)device_for_child();
    int *out = simt_new<int>(100);
    SIMT_OK(SIMT_LAUNCH(writes_at, 1, 32, 0, nullptr, out, 1 << 24));
    *error = cudaDeviceSynchronize();
}

static void at_null(cudaError_t *error)
{
    (void)device_for_child();
    SIMT_OK(SIMT_LAUNCH(null_pointer, 1, 32, 0, nullptr, nullptr));
    *error = cudaDeviceSynchronize();
}

static void too_deep(cudaError_t *error)
{
    (void)device_for_child();
    int *out = simt_new<int>(1);
    SIMT_OK(SIMT_LAUNCH(recurses, 1, 1, 0, nullptr, out, 0));
    *error = cudaDeviceSynchronize();
}

static void test_bad_addresses(void **)
{
    expect_bad_address<overrun_shared>("behind the array of 128 bytes");
    expect_bad_address<overrun_dynamic>("behind the 128 dynamic bytes");
    expect_bad_address<overrun_global>("behind the allocation of 400 bytes");
    expect_bad_address<far_global>("outside of every allocation");
    expect_bad_address<at_null>("memory that is not there");
    expect_bad_address<too_deep>("stack overflow");
}

static void host_touches_device_memory()
{
    (void)simt_open("");
    int *p = simt_new<int>(16);
    *reinterpret_cast<volatile int *>(p) = 1;
}

static void test_host_is_kept_out(void **)
{
    assert_true(dies(host_touches_device_memory));
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_lock_never_released),
        cmocka_unit_test(test_more_blocks_than_resident),
        cmocka_unit_test(test_polls_without_spin),
        cmocka_unit_test(test_loops_for_ever),
        cmocka_unit_test(test_bad_addresses),
        cmocka_unit_test(test_host_is_kept_out),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
