/* runtime.cu - opening and closing a device, memory in stream order, faults, transfers (runtime.h).
 *
 * Memory comes from a pool of the context's own, which keeps what is freed until the context is closed: an allocation
 * in a later run costs microseconds. Uploads go through two pinned pieces; the host packs one while the other travels.
 *
 * Invariants: D1 .. D4 of runtime.h, and
 *   D5 a piece of staging is written by the host only after the event of its last copy has come.
 * Cost: 2 * STAGING_BYTES of pinned memory once something large is uploaded; an upload takes max(packing, bus).
 */
#include "gpu/runtime.h"

#include "gpu/algorithms.h"

#include <stdlib.h>
#include <time.h>

namespace SIMT_FLAVOUR
{

#define STAGING_BYTES ((uint64_t)8 << 20) /* 0.15 ms of a 55 GB/s bus: longer than a copy takes to start */
#define BLOCK_GRAIN ((uint64_t)256)       /* the alignment cudaMalloc promises */
#define SPIN_MS 0.2                       /* device_finish polls without sleeping for so long: most runs end within */
#define SLEEP_NS 50000                    /* and then sleeps between polls */

struct piece {
    void *p;
    uint64_t bytes;
    piece *next;
};

struct staging {
    void *piece[2];
    cudaEvent_t sent[2];
};

/* ---- what the two flavours do differently ------------------------------------------------------------------------ */

#if defined(__CUDACC__)

/* True if CUDA still answers in this process. */
static bool answers(void)
{
    (void)cudaGetLastError(); /* forget what can be forgotten */
    return cudaDeviceSynchronize() == cudaSuccess;
}

static cudaError_t select_device(device *d)
{
    return cudaSetDevice(d->index);
}

/* Makes the device current and a pool on it. A fault of an earlier context of this process is cleared by resetting the
 * device, which nothing that still works can notice: the fault has taken every context on it. */
static cudaError_t open_flavour(device *d, char *text, size_t capacity)
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool = NULL;
    uint64_t keep = UINT64_MAX;
    cudaError_t e = cudaSetDevice(d->index);
    if (e != cudaSuccess || !answers()) {
        (void)cudaDeviceReset();
        (void)cudaGetLastError();
        e = cudaSetDevice(d->index);
    }
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = d->index;
    if (e == cudaSuccess)
        e = cudaMemPoolCreate(&pool, &properties);
    d->own = pool;
    if (e == cudaSuccess)
        e = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    if (e != cudaSuccess)
        snprintf(text, capacity, "%s (%s)", cudaGetErrorName(e), cudaGetErrorString(e));
    return e;
}

/* The pool takes along what was left in it. A reset frees what the process holds on a device that no longer answers;
 * nobody else can still use it. */
static void close_flavour(device *d)
{
    if (cudaSetDevice(d->index) != cudaSuccess || !answers())
        (void)cudaDeviceReset();
    else if (d->own != NULL && !d->lost)
        (void)cudaMemPoolDestroy(static_cast<cudaMemPool_t>(d->own));
    (void)cudaGetLastError();
}

static cudaError_t take_memory(device *d, void **p, uint64_t bytes)
{
    return cudaMallocFromPoolAsync(p, bytes, static_cast<cudaMemPool_t>(d->own), d->stream);
}

/* Bytes the pool holds and nobody uses. */
static uint64_t kept_bytes(device *d)
{
    uint64_t reserved = 0, used = 0;
    cudaMemPool_t pool = static_cast<cudaMemPool_t>(d->own);
    if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess
        || cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess || used > reserved)
        return 0;
    return reserved - used;
}

/* CUDA's calls may come from any thread. */
static bool may_free_here(const device *d)
{
    (void)d;
    return true;
}

uint64_t device_grid_barriers(const device *d)
{
    (void)d;
    return 0;
}

static void describe_flavour(int index, int capability, nf_device_info *info)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess)
        snprintf(properties.name, sizeof properties.name, "CUDA device");
    snprintf(info->name, sizeof info->name, "gpu:%d", index);
    snprintf(info->description, sizeof info->description, "%.60s, %d multiprocessors, compute capability %d.%d",
             properties.name, info->threads, capability / 10, capability % 10);
}

#else

static bool answers(void)
{
    return cudaGetLastError() == cudaSuccess && simt_fault_text()[0] == '\0';
}

static cudaError_t select_device(device *d)
{
    (void)nf__emu_use(static_cast<nf__emu *>(d->own));
    return cudaSuccess;
}

static cudaError_t open_flavour(device *d, char *text, size_t capacity)
{
    nf__emu *emulated = NULL;
    const cudaError_t e = nf__emu_open(nf__emu_environment(), &emulated, text, capacity);
    d->own = emulated;
    return e != cudaSuccess ? e : select_device(d);
}

static void close_flavour(device *d)
{
    nf__emu *emulated = static_cast<nf__emu *>(d->own);
    if (nf__emu_use(NULL) != emulated) /* the emulator's own check that a device in use is not closed */
        (void)nf__emu_use(NULL);
    nf__emu_close(emulated);
}

static cudaError_t take_memory(device *d, void **p, uint64_t bytes)
{
    return cudaMallocAsync(p, bytes, d->stream);
}

static uint64_t kept_bytes(device *d)
{
    (void)d;
    return 0;
}

/* An emulated device belongs to the thread that runs on it. */
static bool may_free_here(const device *d)
{
    return pthread_equal(d->owner, pthread_self()) != 0;
}

uint64_t device_grid_barriers(const device *d)
{
    return nf__emu_count(static_cast<const nf__emu *>(d->own)).grid_barriers;
}

static void describe_flavour(int index, int capability, nf_device_info *info)
{
    (void)index;
    (void)capability;
    snprintf(info->name, sizeof info->name, "emulator");
    snprintf(info->description, sizeof info->description, "GPU code on the CPU, for tests: %d small multiprocessor%s",
             info->threads, info->threads == 1 ? "" : "s");
}

#endif

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static nf_status say_lost(device *d)
{
    return nf__fail(NF_ECUDA, "the context lost its device: %s; create a new context", d->lost_text);
}

nf_status device_check(device *d, cudaError_t error, const char *call)
{
    size_t free_bytes = 0, total = 0;
    if (error == cudaSuccess)
        return NF_OK;
    (void)cudaGetLastError();
    if (error == cudaErrorMemoryAllocation) {
        if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess)
            free_bytes = 0;
        return nf__fail(NF_EDEVMEM, "device memory ran out in %.60s; %llu bytes are free", call,
                        (unsigned long long)free_bytes);
    }
    snprintf(d->lost_text, sizeof d->lost_text, "%s (%s) from %.60s%s%s", cudaGetErrorName(error),
             cudaGetErrorString(error), call, simt_fault_text()[0] != '\0' ? ": " : "", simt_fault_text());
    d->lost = !answers();
    if (d->lost)
        return nf__fail(NF_ECUDA, "the GPU reported a fault: %s; the context has lost its device", d->lost_text);
    return nf__fail(NF_ECUDA, "%s", d->lost_text);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

int device_count(const char **absence)
{
    int count = 0;
    const cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaSuccess && count > 0)
        return count;
    (void)cudaGetLastError();
    *absence = e == cudaErrorInsufficientDriver             ? "no NVIDIA driver that this build's CUDA can use"
               : e == cudaErrorNoDevice || e == cudaSuccess ? "the driver finds no CUDA device"
                                                            : cudaGetErrorString(e);
    return 0;
}

static cudaError_t read_attributes(int index, int *multiprocessors, int *capability)
{
    int major = 0, minor = 0;
    cudaError_t e = cudaDeviceGetAttribute(multiprocessors, cudaDevAttrMultiProcessorCount, index);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index);
    *capability = 10 * major + minor;
    return e;
}

static cudaError_t read_block_limits(device *d)
{
    int threads = 0, shared = 0;
    cudaError_t e = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, d->index);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->index);
    d->block_most = (unsigned)threads / 32 * 32;
    d->shared_most = (size_t)shared;
    return e;
}

nf_status device_describe(int index, nf_device_info *info)
{
    nf_status st = NF_OK;
    int capability = 0;
    size_t free_bytes = 0, total = 0;
    char text[160] = "";
    device d = {};
    memset(info, 0, sizeof *info);
    d.index = index;
    if (open_flavour(&d, text, sizeof text) != cudaSuccess)
        st = nf__fail(NF_ENODEVICE, "device '%s': %s", NF_DEVICE_NAME, text);
    else if (read_attributes(index, &info->threads, &capability) != cudaSuccess
             || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess)
        st = nf__fail(NF_ECUDA, "device '%s' does not say what it is", NF_DEVICE_NAME);
    describe_flavour(index, capability, info);
    info->memory_total = total;
    info->memory_free = free_bytes;
    close_flavour(&d);
    return st;
}

static cudaError_t make_stream(device *d)
{
    void *words = NULL, *theirs = NULL;
    cudaError_t e = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking);
    if (e == cudaSuccess)
        e = cudaHostAlloc(&words, sizeof(control), cudaHostAllocMapped);
    if (e == cudaSuccess)
        e = cudaHostGetDevicePointer(&theirs, words, 0);
    d->shared = static_cast<control *>(words);
    d->shared_device = static_cast<control *>(theirs);
    if (e == cudaSuccess)
        memset(d->shared, 0, sizeof(control));
    return e;
}

nf_status device_open(nf_context *ctx, int index, device **out)
{
    nf_status st = NF_OK;
    size_t free_bytes = 0, total = 0;
    const char *plant = getenv("NEARFAR_GPU_FAULT");
    char text[160] = "";
    device *d = static_cast<device *>(nf__zalloc(nf__context_mem(ctx), 1, sizeof(device)));
    if (d == NULL)
        return NF_ENOMEM;
    d->ctx = ctx;
    d->index = index;
    d->owner = pthread_self();
    d->limit = nf__mem_limit(nf__context_mem(ctx));
    d->plant = plant != NULL ? atoi(plant) : 0;
    if (pthread_mutex_init(&d->lock, NULL) != 0) {
        nf__free(d);
        return nf__fail(NF_ENOMEM, "no mutex could be had for a device");
    }
    if (open_flavour(d, text, sizeof text) != cudaSuccess) {
        st = nf__fail(NF_ENODEVICE, "device '%s': %s", NF_DEVICE_NAME, text);
        goto done;
    }
    NF_TRY_CUDA(d, read_attributes(index, &d->multiprocessors, &d->capability));
    NF_TRY_CUDA(d, read_block_limits(d));
    NF_TRY_CUDA(d, cudaMemGetInfo(&free_bytes, &total));
    NF_TRY_CUDA(d, make_stream(d));
    d->memory_total = total;
    *out = d;
    d = NULL;
done:
    device_close(d);
    return st;
}

static void free_staging(staging *s)
{
    for (int i = 0; s != NULL && i < 2; i++) {
        if (s->sent[i] != NULL)
            (void)cudaEventDestroy(s->sent[i]);
        if (s->piece[i] != NULL)
            (void)cudaFreeHost(s->piece[i]);
    }
    nf__free(s);
}

/* The records alone: the pool, or the emulated device, takes the memory along. */
static void free_list(piece *b)
{
    while (b != NULL) {
        piece *next = b->next;
        nf__free(b);
        b = next;
    }
}

void device_close(device *d)
{
    if (d == NULL)
        return;
    if (!d->lost && select_device(d) == cudaSuccess && answers()) {
        if (d->began != NULL)
            (void)cudaEventDestroy(d->began);
        if (d->ended != NULL)
            (void)cudaEventDestroy(d->ended);
        free_staging(d->stage);
        d->stage = NULL;
        if (d->shared != NULL)
            (void)cudaFreeHost(d->shared);
        if (d->stream != NULL)
            (void)cudaStreamDestroy(d->stream);
    }
    close_flavour(d);
    nf__free(d->stage);
    free_list(d->pieces);
    free_list(d->orphans);
    pthread_mutex_destroy(&d->lock);
    nf__free(d);
}

/* ---- the test hook ----------------------------------------------------------------------------------------------- */

/* A kernel that fails while it runs: an instruction that stops it, or for the emulator a lane that never arrives. */
static __global__ void faulty_kernel()
{
#if defined(__CUDACC__)
    __trap();
#else
    if (threadIdx.x == 0)
        __syncwarp(0xffffffffu);
#endif
}

/* Frees what other threads have let go. */
static void free_orphans(device *d)
{
    pthread_mutex_lock(&d->lock);
    piece *b = d->orphans;
    d->orphans = NULL;
    pthread_mutex_unlock(&d->lock);
    while (b != NULL) {
        piece *next = b->next;
        (void)cudaFreeAsync(b->p, d->stream);
        nf__free(b);
        b = next;
    }
}

nf_status device_enter(device *d)
{
    nf_status st = NF_OK;
    if (d->lost)
        return say_lost(d);
    d->owner = pthread_self();
    NF_TRY_CUDA(d, select_device(d));
    free_orphans(d);
    d->shared->cancel = 0;
    if (d->plant > 0 && --d->plant == 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(faulty_kernel, 1, 32, 0, d->stream));
done:
    return st;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

nf_status device_finish(device *d, const char *phase, uint64_t total)
{
    nf_status cancelled = NF_OK;
    const nf_status stopped = d->lost ? NF_OK : device_stop(d);
    const double start = nf__now_ms();
    const struct timespec nap = {0, SLEEP_NS};
    cudaError_t e;
    if (d->lost)
        return say_lost(d);
    if (stopped != NF_OK)
        return stopped;
    while ((e = cudaStreamQuery(d->stream)) == cudaErrorNotReady) {
        const uint64_t done = __atomic_load_n(&d->shared->progress, __ATOMIC_RELAXED);
        if (cancelled == NF_OK)
            cancelled = nf__progress(d->ctx, phase, done, total);
        if (cancelled != NF_OK)
            __atomic_store_n(&d->shared->cancel, 1u, __ATOMIC_RELAXED);
        if (nf__now_ms() - start > SPIN_MS)
            nanosleep(&nap, NULL);
    }
    if (e != cudaSuccess)
        return device_check(d, e, "the kernels of the run");
    /* work that is done before anybody looks is reported and cancelled, too */
    return cancelled != NF_OK ? cancelled : nf__progress(d->ctx, phase, d->shared->progress, total);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Bytes that could still be had: what the device has free, and what the pool keeps unused. */
static uint64_t available(device *d)
{
    size_t free_bytes = 0, total = 0;
    if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess)
        (void)cudaGetLastError();
    return free_bytes + kept_bytes(d);
}

/* What the limit leaves, UINT64_MAX without one. Under d->lock. */
static uint64_t left(const device *d)
{
    return d->limit == 0 ? UINT64_MAX : d->used > d->limit ? 0 : d->limit - d->used;
}

nf_status device_foresee(device *d, uint64_t bytes, const char *what)
{
    if (d->lost)
        return say_lost(d);
    pthread_mutex_lock(&d->lock);
    const uint64_t rest = left(d);
    pthread_mutex_unlock(&d->lock);
    if (bytes > rest)
        return nf__fail(NF_EDEVMEM, "%s needs %llu bytes on the device; %llu of the memory limit of %llu are left",
                        what, (unsigned long long)bytes, (unsigned long long)rest, (unsigned long long)d->limit);
    const uint64_t free_bytes = available(d);
    if (bytes > free_bytes)
        return nf__fail(NF_EDEVMEM, "%s needs %llu bytes on the device; %llu are free", what, (unsigned long long)bytes,
                        (unsigned long long)free_bytes);
    return NF_OK;
}

static nf_status out_of_memory(device *d, uint64_t bytes)
{
    pthread_mutex_lock(&d->lock);
    const uint64_t rest = left(d), used = d->used;
    pthread_mutex_unlock(&d->lock);
    if (rest < bytes)
        return nf__fail(NF_EDEVMEM,
                        "%llu bytes of device memory were asked for; %llu of the memory limit of %llu are left",
                        (unsigned long long)bytes, (unsigned long long)rest, (unsigned long long)d->limit);
    return nf__fail(NF_EDEVMEM, "%llu bytes of device memory were asked for; %llu are free, the context holds %llu",
                    (unsigned long long)bytes, (unsigned long long)available(d), (unsigned long long)used);
}

/* Enters a block in the list; false when the limit forbids it. */
static bool enter_piece(device *d, piece *b)
{
    pthread_mutex_lock(&d->lock);
    const bool fits = b->bytes <= left(d);
    if (fits) {
        b->next = d->pieces;
        d->pieces = b;
        d->used += b->bytes;
        d->peak = d->used > d->peak ? d->used : d->peak;
    }
    pthread_mutex_unlock(&d->lock);
    return fits;
}

/* Takes the block at p out of the list and uncounts it; NULL when there is none. */
static piece *leave_piece(device *d, const void *p)
{
    piece *found = NULL;
    pthread_mutex_lock(&d->lock);
    for (piece **at = &d->pieces; *at != NULL && found == NULL; at = &(*at)->next)
        if ((*at)->p == p) {
            found = *at;
            *at = found->next;
            d->used -= found->bytes;
            break;
        }
    pthread_mutex_unlock(&d->lock);
    return found;
}

nf_status device_alloc_bytes(device *d, uint64_t count, size_t size, void **out)
{
    const uint64_t most = UINT64_MAX / 2 / size;
    const uint64_t bytes = count > most ? UINT64_MAX / 2 : count == 0 ? size : count * size;
    *out = NULL;
    if (d->lost)
        return say_lost(d);
    piece *b = static_cast<piece *>(nf__zalloc(nf__context_mem(d->ctx), 1, sizeof(piece)));
    if (b == NULL)
        return NF_ENOMEM;
    b->bytes = (bytes + BLOCK_GRAIN - 1) / BLOCK_GRAIN * BLOCK_GRAIN;
    if (!enter_piece(d, b)) {
        const nf_status st = out_of_memory(d, b->bytes);
        nf__free(b);
        return st;
    }
    void *p = NULL;
    const cudaError_t e = b->bytes > d->memory_total ? cudaErrorMemoryAllocation : take_memory(d, &p, b->bytes);
    pthread_mutex_lock(&d->lock);
    b->p = p;
    pthread_mutex_unlock(&d->lock);
    if (e == cudaSuccess) {
        *out = p;
        return NF_OK;
    }
    (void)leave_piece(d, NULL); /* the one without an address is this one: a device allocates from one thread */
    const uint64_t asked = b->bytes;
    nf__free(b);
    if (e != cudaErrorMemoryAllocation)
        return device_check(d, e, "an allocation");
    (void)cudaGetLastError();
    return out_of_memory(d, asked);
}

void device_free(device *d, void *p)
{
    piece *b = p != NULL ? leave_piece(d, p) : NULL;
    if (b == NULL)
        return;
    if (!may_free_here(d)) { /* the owner will: see device_enter */
        pthread_mutex_lock(&d->lock);
        b->next = d->orphans;
        d->orphans = b;
        pthread_mutex_unlock(&d->lock);
        return;
    }
    nf__free(b);
    if (!d->lost && select_device(d) == cudaSuccess && cudaFreeAsync(p, d->stream) != cudaSuccess)
        (void)cudaGetLastError(); /* a fault under way: device_finish will name it */
}

uint64_t device_used(device *d, uint64_t *peak)
{
    pthread_mutex_lock(&d->lock);
    const uint64_t used = d->used;
    if (peak != NULL)
        *peak = d->peak;
    pthread_mutex_unlock(&d->lock);
    return used;
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

static nf_status make_staging(device *d)
{
    nf_status st = NF_OK;
    staging *s = NULL;
    if (d->stage != NULL)
        return NF_OK;
    NF_TRY_ALLOC(s, static_cast<staging *>(nf__zalloc(nf__context_mem(d->ctx), 1, sizeof(staging))));
    for (int i = 0; i < 2; i++) {
        NF_TRY_CUDA(d, cudaHostAlloc(&s->piece[i], STAGING_BYTES, cudaHostAllocDefault));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&s->sent[i], cudaEventDisableTiming));
    }
    d->stage = s;
    s = NULL;
done:
    free_staging(s);
    return st;
}

nf_status device_upload(device *d, void *to, const void *source, uint64_t bytes, nf__pack_fn pack)
{
    nf_status st = NF_OK;
    const int threads = nf__context_threads(d->ctx);
    if (d->lost)
        return say_lost(d);
    if (pack == NULL)
        pack = nf__pack_copy;
    NF_TRY(make_staging(d));
    for (uint64_t at = 0, i = 0; at < bytes; at += STAGING_BYTES, i++) {
        staging *s = d->stage;
        const uint64_t size = bytes - at < STAGING_BYTES ? bytes - at : STAGING_BYTES;
        NF_TRY(nf__poll(d->ctx));
        NF_TRY_CUDA(d, cudaEventSynchronize(s->sent[i % 2])); /* D5; an event never recorded has come */
        pack(source, at, size, s->piece[i % 2], threads);
        NF_TRY_CUDA(d, cudaMemcpyAsync(static_cast<char *>(to) + at, s->piece[i % 2], size, cudaMemcpyHostToDevice,
                                       d->stream));
        NF_TRY_CUDA(d, cudaEventRecord(s->sent[i % 2], d->stream));
    }
done:
    return st;
}

nf_status device_list(device *d, const uint32_t *from, uint64_t count, uint32_t **list, uint64_t *room)
{
    nf_status st = NF_OK;
    if (count > *room) {
        device_free(d, *list);
        *list = NULL;
        *room = 0;
        NF_TRY(device_alloc(d, count, list));
        *room = count;
    }
    NF_TRY(device_upload(d, *list, from, count * sizeof(uint32_t), NULL));
done:
    return st;
}

nf_status device_download(device *d, void *to, const void *from, uint64_t bytes)
{
    nf_status st = NF_OK;
    if (d->lost)
        return say_lost(d);
    NF_TRY_CUDA(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d->stream));
    NF_TRY_CUDA(d, cudaStreamSynchronize(d->stream));
done:
    return st;
}

nf_status device_start(nf__run *run)
{
    nf_status st = NF_OK;
    device *d = static_cast<device *>(run->device);
    if (d->began == NULL)
        NF_TRY_CUDA(d, cudaEventCreate(&d->began));
    if (d->ended == NULL)
        NF_TRY_CUDA(d, cudaEventCreate(&d->ended));
    NF_TRY_CUDA(d, cudaEventRecord(d->began, d->stream));
    d->timing = true;
    d->stopped = false;
done:
    return st;
}

nf_status device_stop(device *d)
{
    nf_status st = NF_OK;
    if (!d->timing)
        return NF_OK;
    NF_TRY_CUDA(d, cudaEventRecord(d->ended, d->stream));
    d->stopped = true;
done:
    return st;
}

nf_status device_read_clock(nf__run *run)
{
    nf_status st = NF_OK;
    device *d = static_cast<device *>(run->device);
    float ms = 0;
    if (!d->timing)
        return NF_OK;
    if (!d->stopped)
        NF_TRY(device_stop(d));
    d->timing = false;
    NF_TRY_CUDA(d, cudaEventSynchronize(d->ended));
    NF_TRY_CUDA(d, cudaEventElapsedTime(&ms, d->began, d->ended));
    run->device_ms += (double)ms;
done:
    return st;
}

/* Piece i travels while piece i - 1 is copied on. */
static nf_status download_pieces(device *d, char *to, const char *from, uint64_t bytes)
{
    nf_status st = NF_OK;
    const int threads = nf__context_threads(d->ctx);
    staging *s = d->stage;
    const uint64_t pieces = (bytes + STAGING_BYTES - 1) / STAGING_BYTES;
    for (uint64_t i = 0; i <= pieces; i++) {
        const uint64_t at = i * STAGING_BYTES, before = at - STAGING_BYTES;
        if (i < pieces) {
            NF_TRY_CUDA(d, cudaMemcpyAsync(s->piece[i % 2], from + at,
                                           bytes - at < STAGING_BYTES ? bytes - at : STAGING_BYTES,
                                           cudaMemcpyDeviceToHost, d->stream));
            NF_TRY_CUDA(d, cudaEventRecord(s->sent[i % 2], d->stream));
        }
        if (i == 0)
            continue;
        NF_TRY_CUDA(d, cudaEventSynchronize(s->sent[(i - 1) % 2]));
        nf__pack_copy(s->piece[(i - 1) % 2], 0, bytes - before < STAGING_BYTES ? bytes - before : STAGING_BYTES,
                      to + before, threads);
    }
done:
    return st;
}

nf_status device_results(nf__run *run, void *to, const void *from, uint64_t bytes)
{
    nf_status st = NF_OK;
    device *d = static_cast<device *>(run->device);
    double start = 0;
    if (d->lost)
        return say_lost(d);
    NF_TRY(device_read_clock(run));
    NF_TRY(make_staging(d));
    start = nf__now_ms();
    NF_TRY(download_pieces(d, static_cast<char *>(to), static_cast<const char *>(from), bytes));
    run->download_ms += nf__now_ms() - start;
done:
    return st;
}

nf_status device_fill_bytes(device *d, void *p, int value, uint64_t bytes)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(d, cudaMemsetAsync(p, value, bytes, d->stream));
done:
    return st;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

device_fit *device_fit_of(device *d, const void *kernel, int block, size_t shared, unsigned cluster)
{
    for (unsigned i = 0; i < d->fit_count && i < FITS; i++) {
        device_fit *f = &d->fits[i];
        if (f->kernel == kernel && f->block == block && f->shared == shared && f->cluster == cluster)
            return f;
    }
    device_fit *f = &d->fits[d->fit_count++ % FITS];
    const device_fit fresh = {kernel, shared, block, cluster, -1};
    *f = fresh;
    return f;
}

nf_status device_resident_blocks(device *d, const void *kernel, int threads, size_t shared, unsigned *blocks)
{
    nf_status st = NF_OK;
    device_fit *fit = device_fit_of(d, kernel, threads, shared, 1);
    int each = 0;
    if (fit->many < 0) {
        NF_TRY_CUDA(d, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared));
        fit->many = each > 0 ? each * d->multiprocessors : 1;
    }
    *blocks = (unsigned)fit->many;
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
