/* gpu_test.h - what the tests of src/gpu share: cmocka, an open device, arrays there and back. Built for the emulator
 * and, by nvcc, for a GPU; without one a program ends with 77. */
#ifndef NF_TESTS_GPU_TEST_H
#define NF_TESTS_GPU_TEST_H

#include "gpu/algorithms.h"
#include "gpu/runtime.h"

#include "../unit/must.h"

namespace SIMT_FLAVOUR
{

/* A device with a context of its own, which lends host memory and settings. */
typedef struct bed {
    nf_context *ctx;
    device *d;
} bed;

static inline bed make_bed(uint64_t limit)
{
    bed b = {NULL, NULL};
    nf_context_options o = {};
    o.size = sizeof o;
    o.device = "cpu";
    o.threads = 2;
    o.memory_limit = limit;
    OK(nf_context_create(&o, &b.ctx));
    OK(device_open(b.ctx, 0, &b.d));
    OK(device_enter(b.d));
    return b;
}

/* Everything on the device has been given back; the context is empty but for itself. */
static inline void end_bed(bed b)
{
    assert_int_equal(device_used(b.d, NULL), 0);
    device_close(b.d);
    nf_context_free(b.ctx);
}

template <typename T> static inline T *put(device *d, const T *from, uint64_t count)
{
    T *p = NULL;
    OK(device_alloc(d, count, &p));
    OK(device_upload(d, p, from, count * sizeof(T), NULL));
    return p;
}

template <typename T> static inline T *get(device *d, const T *from, uint64_t count)
{
    T *p = static_cast<T *>(calloc(count + 1, sizeof(T)));
    if (count != 0)
        OK(device_download(d, p, from, count * sizeof(T)));
    return p;
}

static inline uint32_t random32(uint64_t i)
{
    return (uint32_t)(nf__hash64(11, i) >> 32);
}

/* 77 where there is no device, as ctest expects it. */
static inline bool has_device(void)
{
    const char *absence = "";
    if (device_count(&absence) > 0)
        return true;
    printf("no %s: %s\n", NF_DEVICE_NAME, absence);
    return false;
}

} /* namespace SIMT_FLAVOUR */

#define RUN_GPU_TESTS(tests) \
    (SIMT_FLAVOUR::has_device() ? cmocka_run_group_tests_name(NF_DEVICE_NAME, tests, NULL, NULL) : 77)

#endif
