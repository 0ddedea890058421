/* runtime.h - an open device as the rest of src/gpu sees it: stream, memory, faults, transfers.
 *
 * A run works on one stream. Work is asynchronous; device_finish is the run's one synchronisation, and where a fault of
 * a kernel surfaces. After a fault that CUDA cannot recover from the device is lost: every later call says so.
 *
 * Invariants
 *   D1 every CUDA call is checked (NF_TRY_CUDA), and what went wrong becomes an nf_status here and nowhere else;
 *   D2 used = the sum of bytes of live blocks from device_alloc; it never exceeds limit (0: none);
 *   D3 blocks are freed in stream order: what was launched before the free may still use the block;
 *   D4 a lost device makes no further CUDA call but those that close it.
 * In C++ a jump may not pass an initialisation: functions with NF_TRY declare their variables on top.
 */
#ifndef NF_GPU_RUNTIME_H
#define NF_GPU_RUNTIME_H

#include "gpu/gpu.h"
#include "gpu/pack.h"
#include "simt/simt.h"

namespace SIMT_FLAVOUR
{

/* Words the host and a running kernel share, in pinned memory both can reach. */
typedef struct control {
    uint32_t cancel;   /* host -> kernel: end soon */
    uint32_t phase;    /* kernel -> host: free for the algorithm */
    uint64_t progress; /* kernel -> host: what has been done */
} control;

typedef struct staging staging; /* pinned buffers on their way; runtime.cu */
typedef struct piece piece;     /* one block of device memory; runtime.cu */

/* How many blocks or clusters of a kernel are resident at once: asking CUDA takes longer than some runs. */
typedef struct device_fit {
    const void *kernel;
    size_t shared;
    int block;
    unsigned cluster; /* 1: blocks */
    int many;         /* -1: not known yet */
} device_fit;

enum { FITS = 64 };

typedef struct device {
    nf_context *ctx;
    int index;
    int multiprocessors;
    int capability;        /* 90 for 9.0 */
    unsigned block_most;   /* threads a block may have: whole warps */
    size_t shared_most;    /* bytes of shared memory a block may have when it asks */
    uint64_t memory_total; /* bytes */
    cudaStream_t stream;
    control *shared;        /* the host's address of the control words, */
    control *shared_device; /* and the kernels' */
    /* private to runtime.cu */
    void *own; /* cudaMemPool_t; the emulated device */
    staging *stage;
    cudaEvent_t began, ended; /* of a row's work */
    bool timing, stopped;     /* began; and ended, once at least */
    device_fit fits[FITS];
    unsigned fit_count;
    piece *pieces, *orphans; /* orphans: given back by other threads, and not yet freed */
    pthread_t owner;         /* the thread that runs in the context */
    pthread_mutex_t lock;    /* of pieces and counts: graphs are detached from other threads */
    uint64_t limit, used, peak;
    bool lost;
    char lost_text[800];
    int plant; /* test hook: the run, counted from 1, that a faulty kernel precedes; 0: none */
} device;

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* How many there are; 0 when there is no driver or no device, and then *absence says why (static text). */
int device_count(const char **absence);
nf_status device_describe(int index, nf_device_info *info);
nf_status device_open(nf_context *ctx, int index, device **out);
void device_close(device *d);
/* To be called where a thread begins to work with the device: NF_ECUDA if it is lost. */
nf_status device_enter(device *d);

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The status of a CUDA call, with the text set and the device marked lost where it is. NF_OK for cudaSuccess. */
nf_status device_check(device *d, cudaError_t error, const char *call);

/* Leaves for `done:` with the status unless the CUDA call (or launch) succeeds. */
#define NF_TRY_CUDA(d, call)                       \
    do {                                           \
        const cudaError_t error_ = (call);         \
        if (error_ != cudaSuccess) {               \
            st = device_check((d), error_, #call); \
            goto done;                             \
        }                                          \
    } while (0)

/* Waits for the stream: the run's one synchronisation. Polls for cancelling and reports progress meanwhile: a cancel is
 * passed on in shared->cancel, the kernel is waited for all the same, and the status is NF_ECANCELLED. `phase` names
 * the work for progress reports. */
nf_status device_finish(device *d, const char *phase, uint64_t total);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* count * size bytes in stream order; NF_EDEVMEM with the bytes asked and free. A zero count gives a valid block. */
nf_status device_alloc_bytes(device *d, uint64_t count, size_t size, void **out);
void device_free(device *d, void *p);
/* NF_EDEVMEM if `bytes` more would break the limit or the device's memory; nothing is allocated. */
nf_status device_foresee(device *d, uint64_t bytes, const char *what);
/* Bytes in use, and the most that were. */
uint64_t device_used(device *d, uint64_t *peak);

template <typename T> static inline nf_status device_alloc(device *d, uint64_t count, T **out)
{
    void *p = NULL;
    const nf_status st = device_alloc_bytes(d, count, sizeof(T), &p);
    *out = static_cast<T *>(p);
    return st;
}

/* nf__alloc with a type. */
template <typename T> static inline T *host_alloc(device *d, uint64_t count)
{
    return static_cast<T *>(nf__alloc(nf__context_mem(d->ctx), count, sizeof(T)));
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

/* Uploads `bytes` through pinned memory: while one piece travels, the next is packed. The source may be changed or
 * freed when this returns; the copies are then in the stream. NULL packs by copying. Cancelling is polled. */
nf_status device_upload(device *d, void *to, const void *source, uint64_t bytes, nf__pack_fn pack);
/* Uploads a list of vertices to *list, which has room for *room of them and is made anew where that is too little. */
nf_status device_list(device *d, const uint32_t *from, uint64_t count, uint32_t **list, uint64_t *room);
/* Downloads to any host memory and waits for it (the stream is synchronised). */
nf_status device_download(device *d, void *to, const void *from, uint64_t bytes);
/* The device's work on a row begins: what the stream does from here to the latest device_stop is run->device_ms.
 * device_finish stops too, before it waits. */
nf_status device_start(nf__run *run);
nf_status device_stop(device *d);
/* Waits for that, and adds it to run->device_ms; device_results does, too. Nothing where no work has begun since. */
nf_status device_read_clock(nf__run *run);
/* Downloads a result to any host memory through pinned pieces, copied on by several threads; run->download_ms. */
nf_status device_results(nf__run *run, void *to, const void *from, uint64_t bytes);
nf_status device_fill_bytes(device *d, void *p, int value, uint64_t bytes);

/* Barriers over a whole grid so far, where the device counts them: the emulator does, a GPU gives 0. */
uint64_t device_grid_barriers(const device *d);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Blocks of a cooperative launch that are resident at once on the whole device; at least 1. */
nf_status device_resident_blocks(device *d, const void *kernel, int block, size_t shared, unsigned *blocks);

/* What is known of a kernel; the caller fills `many` in where it is -1. */
device_fit *device_fit_of(device *d, const void *kernel, int block, size_t shared, unsigned cluster);

/* Threads of a block: as many as are wanted (whole warps), or what the device allows. */
static inline unsigned device_block(const device *d, unsigned wanted)
{
    return wanted < d->block_most ? wanted : d->block_most;
}

/* Blocks of `block` threads for so many items, each thread taking `each`; at least 1, at most 2^31 - 1. */
static inline unsigned device_grid(uint64_t items, unsigned block, unsigned each)
{
    const uint64_t per_block = (uint64_t)block * each;
    const uint64_t blocks = items == 0 ? 1 : (items - 1) / per_block + 1;
    return blocks > 0x7fffffffu ? 0x7fffffffu : (unsigned)blocks;
}

/* Bits that a count up to x takes. */
static inline int bits_of(uint64_t x)
{
    int bits = 0;
    for (; x != 0; x >>= 1)
        bits++;
    return bits;
}

} /* namespace SIMT_FLAVOUR */

#endif
