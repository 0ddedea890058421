/* simt_test.h - what the tests of the SIMT layer share: opening an emulated device, running a kernel, its error.
 *
 * The sources are CUDA's dialect built by the host C++ compiler, as src/gpu is; cmocka runs them.
 */
#ifndef NF_TESTS_SIMT_TEST_H
#define NF_TESTS_SIMT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "simt/simt.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

/* Schedules every kernel has to be right under; settings of nf__emu_open. */
static const char *const simt_orders[] = {
    "",
    "order=lifo",
    "order=random,seed=1",
    "order=random,seed=2",
    "order=random,seed=3,preempt=0.1",
    "order=random,seed=4,preempt=0.5",
    "order=random,seed=5,preempt=1",
    "order=lifo,preempt=0.3,seed=6",
};
static const int simt_order_count = (int)(sizeof simt_orders / sizeof simt_orders[0]);

/* Opens a device and makes it the one in use. All have the watchdog and keep the host out of their memory. */
static inline nf__emu *simt_open(const char *settings)
{
    char all[256], text[256] = "";
    nf__emu *device = nullptr;
    (void)snprintf(all, sizeof all, "watchdog=5,protect=1,idle=1000000%s%s", settings[0] != '\0' ? "," : "", settings);
    if (nf__emu_open(all, &device, text, sizeof text) != cudaSuccess)
        fail_msg("%s", text);
    (void)nf__emu_use(device);
    return device;
}

static inline void simt_close(nf__emu *device)
{
    (void)nf__emu_use(nullptr);
    nf__emu_close(device);
}

#define SIMT_OK(call)                                                                       \
    do {                                                                                    \
        const cudaError_t simt_error = (call);                                              \
        if (simt_error != cudaSuccess)                                                      \
            fail_msg("%s: %s; %s", #call, cudaGetErrorName(simt_error), simt_fault_text()); \
    } while (0)

/* Memory of the device, filled with one byte. */
template <typename T> static inline T *simt_new(size_t count, int byte = 0)
{
    T *p = nullptr;
    SIMT_OK(cudaMalloc(&p, count * sizeof(T)));
    SIMT_OK(cudaMemset(p, byte, count * sizeof(T)));
    return p;
}

template <typename T> static inline void simt_get(T *to, const T *from, size_t count)
{
    SIMT_OK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

template <typename T> static inline void simt_put(T *to, const T *from, size_t count)
{
    SIMT_OK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
}

#endif
