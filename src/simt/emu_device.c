/* emu_device.c - an emulated device: its settings, its life, what it says of itself, its errors.
 *
 * I1 all memory a device needs but its arena is one mapping, made when it is opened: what nobody touches costs nothing;
 * I2 nothing is shared between devices, so two host threads may use two of them at once.
 */
#include "simt/emu_impl.h"

#include <stdio.h>
#include <stdlib.h>

__thread nf__emu_running nf__emu_now;

/* Yields in a row that count as livelock: about half a second of them. */
#define IDLE_LIMIT 30000000

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static bool read_whole(const char *value, uint64_t *out)
{
    char *end = NULL;
    if (value[0] < '0' || value[0] > '9')
        return false;
    *out = strtoull(value, &end, 10);
    if (*end == 'K' || *end == 'M' || *end == 'G')
        *out <<= *end++ == 'K' ? 10 : end[-1] == 'M' ? 20 : 30;
    return *end == '\0';
}

static bool read_share(const char *value, double limit, double *out)
{
    uint64_t whole = 0, part = 0, scale = 1;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && whole < 1000000; at++)
        whole = whole * 10 + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && scale < 1000000000; at++, scale *= 10)
            part = part * 10 + (uint64_t)(*at - '0');
    *out = (double)whole + (double)part / (double)scale;
    return at != value && *at == '\0' && *out <= limit;
}

static bool read_profile(const char *value, nf__emu_settings *out)
{
    unsigned sms = 0, threads = 0;
    char rest = 0;
    if (sscanf(value, "%ux%u%c", &sms, &threads, &rest) != 2)
        return false;
    out->sms = sms;
    out->sm_threads = threads;
    return sms >= 1 && sms <= 256 && threads >= 32 && threads <= 2048 && threads % 32 == 0;
}

static bool read_order(const char *value, enum nf__emu_schedule *out)
{
    static const char *const names[] = {"fifo", "lifo", "random"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (enum nf__emu_schedule)i;
            return true;
        }
    }
    return false;
}

static bool read_switch(const char *value, bool *out)
{
    *out = strcmp(value, "1") == 0;
    return *out || strcmp(value, "0") == 0;
}

/* One name=value; a text that says what was expected when it is wrong. */
static const char *read_one(const char *name, const char *value, nf__emu_settings *out)
{
    if (strcmp(name, "seed") == 0)
        return read_whole(value, &out->seed) ? NULL : "a whole number";
    if (strcmp(name, "order") == 0)
        return read_order(value, &out->order) ? NULL : "fifo, lifo or random";
    if (strcmp(name, "preempt") == 0)
        return read_share(value, 1, &out->preempt) ? NULL : "a number from 0 to 1";
    if (strcmp(name, "profile") == 0)
        return read_profile(value, out) ? NULL : "BLOCKSxTHREADS, such as 4x256 (threads a multiple of 32)";
    if (strcmp(name, "memory") == 0)
        return read_whole(value, &out->memory) && out->memory > 0 ? NULL : "bytes, such as 512M";
    if (strcmp(name, "idle") == 0)
        return read_whole(value, &out->idle) && out->idle > 0 ? NULL : "a whole number above 0";
    if (strcmp(name, "watchdog") == 0)
        return read_share(value, 1e6, &out->watchdog) ? NULL : "seconds";
    if (strcmp(name, "protect") == 0)
        return read_switch(value, &out->protect) ? NULL : "0 or 1";
    if (strcmp(name, "fail_alloc") == 0)
        return read_whole(value, &out->fail_alloc) ? NULL : "a whole number";
    if (strcmp(name, "fail_launch") == 0)
        return read_whole(value, &out->fail_launch) ? NULL : "a whole number";
    return "one of seed, order, preempt, profile, memory, idle, watchdog, protect, fail_alloc, fail_launch as the name";
}

cudaError_t nf__emu_settings_read(const char *list, nf__emu_settings *out, char *text, size_t capacity)
{
    const nf__emu_settings fresh = {.sms = 4, .sm_threads = 256, .memory = UINT64_C(1) << 30, .idle = IDLE_LIMIT};
    *out = fresh;
    while (list != NULL && *list != '\0') {
        char one[128] = "";
        const size_t length = strcspn(list, ",");
        if (length < sizeof one)
            memcpy(one, list, length);
        char *value = strchr(one, '=');
        if (value != NULL)
            *value++ = '\0';
        const char *expected = value == NULL ? "name=value" : read_one(one, value, out);
        if (expected != NULL) {
            if (text != NULL)
                (void)snprintf(text, capacity, "emulator setting '%.*s': expected %s", (int)(length & 0xff), list,
                               expected);
            return cudaErrorInvalidValue;
        }
        list += length + (list[length] == ',');
    }
    if (out->seed != 0 && out->order == NF_EMU_FIFO && out->preempt == 0)
        out->order = NF_EMU_RANDOM;
    return cudaSuccess;
}

const char *nf__emu_environment(void)
{
    const char *value = getenv("NEARFAR_EMULATOR");
    return value != NULL ? value : "";
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Gives out parts of the one mapping, or only counts when there is none yet. */
typedef struct layout {
    char *base;
    size_t used;
} layout;

static void *part(layout *at, size_t count, size_t size)
{
    char *p = at->base != NULL ? at->base + at->used : NULL;
    at->used += (count * size + 4095) / 4096 * 4096;
    return p;
}

static void lay_out(nf__emu *dev, layout *at)
{
    const unsigned ring = dev->ready_mask + 1;
    dev->threads = part(at, dev->max_threads, sizeof *dev->threads);
    dev->warps = part(at, dev->max_threads / NF_EMU_LANES, sizeof *dev->warps);
    dev->blocks = part(at, dev->max_slots, sizeof *dev->blocks);
    dev->clusters = part(at, dev->max_slots, sizeof *dev->clusters);
    dev->copies = part(at, (size_t)dev->max_threads * NF_EMU_COPIES, sizeof *dev->copies);
    dev->ready = part(at, ring, sizeof *dev->ready);
    dev->free_stacks = part(at, dev->max_threads + 1, sizeof *dev->free_stacks);
    dev->ops = part(at, NF_EMU_OPS, sizeof *dev->ops);
    dev->streams = part(at, NF_EMU_STREAMS, sizeof *dev->streams);
    dev->events = part(at, NF_EMU_EVENTS, sizeof *dev->events);
    dev->functions = part(at, NF_EMU_FUNCTIONS, sizeof *dev->functions);
    dev->spans = part(at, NF_EMU_SPANS, sizeof *dev->spans);
    dev->pinned = part(at, NF_EMU_PINNED, sizeof *dev->pinned);
    dev->alt_stack = part(at, NF_EMU_ALT_STACK, 1);
    dev->shared = part(at, dev->max_slots, NF_EMU_SHARED_SLOT);
}

static void size_up(nf__emu *dev)
{
    const unsigned blocks = dev->set.sm_threads / NF_EMU_LANES;
    dev->max_threads = dev->set.sms * dev->set.sm_threads;
    dev->max_slots = dev->set.sms * (blocks > NF_EMU_BLOCKS_PER_SM ? NF_EMU_BLOCKS_PER_SM : blocks);
    dev->ready_mask = 1;
    while (dev->ready_mask < dev->max_threads)
        dev->ready_mask *= 2;
    dev->ready_mask = dev->ready_mask * 2 - 1;
}

/* Brings an opened device to its first state, keeping its mapping. */
static void refresh(nf__emu *dev)
{
    dev->sticky = dev->last = cudaSuccess;
    dev->faulted = false;
    dev->random = (dev->set.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    dev->function_count = 0;
    dev->parent = NULL;
    dev->slow = NULL;
    dev->slow_left = 0;
    memset(dev->streams, 0, NF_EMU_STREAMS * sizeof *dev->streams);
    memset(dev->events, 0, NF_EMU_EVENTS * sizeof *dev->events);
    nf__emu_ops_reset(dev);
}

cudaError_t nf__emu_open(const char *settings, nf__emu **device, char *text, size_t capacity)
{
    nf__emu small = {0};
    *device = NULL;
    const cudaError_t error = nf__emu_settings_read(settings, &small.set, text, capacity);
    if (error != cudaSuccess)
        return error;
    size_up(&small);
    layout counting = {NULL, (sizeof small + 4095) / 4096 * 4096};
    layout placing = {NULL, counting.used};
    lay_out(&small, &counting);
    small.bytes = counting.used;
    nf__emu *dev = nf__emu_map(small.bytes);
    if (dev != NULL) {
        *dev = small;
        placing.base = (char *)dev;
        lay_out(dev, &placing);
    }
    if (dev == NULL || !nf__emu_stacks_map(dev) || !nf__emu_arena_map(dev) || !nf__race_open(dev)) {
        if (text != NULL)
            (void)snprintf(text, capacity, "no address space for an emulated device of %llu bytes",
                           (unsigned long long)small.set.memory);
        nf__emu_close(dev);
        return cudaErrorMemoryAllocation;
    }
    refresh(dev);
    *device = dev;
    return cudaSuccess;
}

void nf__emu_close(nf__emu *device)
{
    if (device == NULL)
        return;
    if (nf__emu_now.device == device)
        nf__emu_now.device = NULL;
    nf__race_close(device);
    nf__emu_arena_unmap(device);
    nf__emu_stacks_unmap(device);
    NF_EMU_UNPOISON(device, device->bytes);
    nf__emu_unmap(device, device->bytes);
}

cudaError_t nf__emu_device_reset(void)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    nf__emu_arena_unmap(dev);
    nf__emu_stacks_reset(dev);
    refresh(dev);
    dev->text[0] = '\0';
    nf__race_close(dev);
    return nf__emu_arena_map(dev) && nf__race_open(dev) ? cudaSuccess : nf__emu_say(dev, cudaErrorMemoryAllocation);
}

nf__emu *nf__emu_use(nf__emu *device)
{
    nf__emu *before = nf__emu_now.device;
    nf__emu_now.device = device;
    return before;
}

nf__emu *nf__emu_current(void)
{
    return nf__emu_now.device;
}

nf__emu_counters nf__emu_count(const nf__emu *device)
{
    return device->count;
}

int nf__emu_checks_races(void)
{
#if defined(SIMT_RACE)
    return 1;
#else
    return 0;
#endif
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

const char *nf__emu_fault_text(const nf__emu *device)
{
    return device != NULL ? device->text : "";
}

cudaError_t nf__emu_say(nf__emu *dev, cudaError_t error)
{
    dev->last = error;
    return error;
}

cudaError_t nf__emu_last_error(int clear)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    const cudaError_t error = dev->sticky != cudaSuccess ? dev->sticky : dev->last;
    if (clear)
        dev->last = cudaSuccess;
    return error;
}

const char *nf__emu_error_name(cudaError_t error)
{
    switch (error) {
#define NF_EMU_ONE(name, number, text) \
    case name: return #name;
        NF_EMU_ERRORS(NF_EMU_ONE)
#undef NF_EMU_ONE
    default: return "unrecognized error code";
    }
}

const char *nf__emu_error_text(cudaError_t error)
{
    switch (error) {
#define NF_EMU_ONE(name, number, text) \
    case name: return text;
        NF_EMU_ERRORS(NF_EMU_ONE)
#undef NF_EMU_ONE
    default: return "unrecognized error code";
    }
}

/* ---- what the device says of itself ------------------------------------------------------------------------------ */

static void describe(const nf__emu_settings *set, cudaDeviceProp *out)
{
    memset(out, 0, sizeof *out);
    (void)snprintf(out->name, sizeof out->name, "emulator (%u x %u threads)", set->sms, set->sm_threads);
    out->totalGlobalMem = set->memory;
    out->sharedMemPerBlock = NF_EMU_SHARED_STATIC;
    out->sharedMemPerBlockOptin = NF_EMU_SHARED_OPTIN;
    out->sharedMemPerMultiprocessor = NF_EMU_SHARED_SM;
    out->totalConstMem = 65536;
    out->memPitch = INT32_MAX;
    out->regsPerBlock = 65536;
    out->warpSize = NF_EMU_LANES;
    out->maxThreadsPerBlock = set->sm_threads < 1024 ? (int)set->sm_threads : 1024;
    out->maxThreadsDim[0] = out->maxThreadsDim[1] = out->maxThreadsDim[2] = out->maxThreadsPerBlock;
    out->maxGridSize[0] = INT32_MAX;
    out->maxGridSize[1] = out->maxGridSize[2] = 65535;
    out->major = 9;
    out->multiProcessorCount = (int)set->sms;
    out->maxThreadsPerMultiProcessor = (int)set->sm_threads;
    out->maxBlocksPerMultiProcessor = NF_EMU_BLOCKS_PER_SM;
    out->l2CacheSize = 1 << 20;
    out->persistingL2CacheMaxSize = out->accessPolicyMaxWindowSize = 1 << 19;
    out->concurrentKernels = out->cooperativeLaunch = out->clusterLaunch = 1;
    out->memoryPoolsSupported = out->canMapHostMemory = out->unifiedAddressing = out->asyncEngineCount = 1;
    out->memoryBusWidth = 64;
}

cudaError_t nf__emu_properties(cudaDeviceProp *out, int index)
{
    const nf__emu *dev = nf__emu_current();
    nf__emu_settings set;
    if (index != 0)
        return cudaErrorInvalidDevice;
    if (dev == NULL) {
        const cudaError_t error = nf__emu_settings_read(nf__emu_environment(), &set, NULL, 0);
        if (error != cudaSuccess)
            return error;
    }
    describe(dev != NULL ? &dev->set : &set, out);
    return cudaSuccess;
}

cudaError_t nf__emu_device_attribute(int *value, enum cudaDeviceAttr attribute, int index)
{
    cudaDeviceProp prop;
    const cudaError_t error = nf__emu_properties(&prop, index);
    *value = 0;
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = prop.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)prop.sharedMemPerBlock; break;
    case cudaDevAttrWarpSize: *value = prop.warpSize; break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrMultiProcessorCount: *value = prop.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = prop.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = prop.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = prop.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = prop.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)prop.sharedMemPerMultiprocessor; break;
    case cudaDevAttrCooperativeLaunch: *value = prop.cooperativeLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)prop.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = prop.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxPersistingL2CacheSize: *value = prop.persistingL2CacheMaxSize; break;
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = prop.accessPolicyMaxWindowSize; break;
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrMemoryPoolsSupported: *value = prop.memoryPoolsSupported; break;
    case cudaDevAttrClusterLaunch: *value = prop.clusterLaunch; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}
