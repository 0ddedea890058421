/* emu_runtime.h - the part of emu.h for host code: launches and the subset of the CUDA runtime the library uses, under
 * CUDA's names, as inline C++ functions over emu_abi.h. A part of emu.h; not to be included by itself.
 *
 * The device is asynchronous as a GPU is: launches and stream-ordered copies wait in their stream until the host
 * synchronises or asks; cudaStreamQuery runs a slice of a kernel and says cudaErrorNotReady while there is more. A
 * kernel's failure is reported by the next synchronisation and is sticky, as CUDA's is; simt_fault_text() says what was
 * wrong.
 */
#ifndef NF_SIMT_EMU_RUNTIME_H
#define NF_SIMT_EMU_RUNTIME_H

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A kernel's arguments, kept until each thread is called with them. */
template <typename... P> struct nf__emu_pack;

template <> struct nf__emu_pack<> {
    template <typename F, typename... A> void call(F function, const A &...a) const
    {
        function(a...);
    }
};

template <typename H, typename... T> struct nf__emu_pack<H, T...> {
    H head;
    nf__emu_pack<T...> tail;

    nf__emu_pack(const H &h, const T &...t) : head(h), tail{t...}
    {
    }
    template <typename F, typename... A> void call(F function, const A &...a) const
    {
        tail.call(function, a..., head);
    }
};

template <typename... P> struct nf__emu_frame {
    void (*kernel)(P...);
    nf__emu_pack<P...> arguments;

    static void enter(const void *frame)
    {
        const nf__emu_frame *f = static_cast<const nf__emu_frame *>(frame);
        f->arguments.call(f->kernel);
    }
};

template <typename... P>
static inline cudaError_t nf__emu_launch_as(nf__emu_launch_spec spec, void (*kernel)(P...),
                                            typename nf__emu_as<P>::type... arguments)
{
    const nf__emu_frame<P...> frame = {kernel, nf__emu_pack<P...>{arguments...}};
    spec.function = reinterpret_cast<const void *>(kernel);
    spec.enter = nf__emu_frame<P...>::enter;
    spec.arguments = &frame;
    spec.argument_bytes = sizeof frame;
    return nf__emu_launch(&spec);
}

static inline nf__emu_launch_spec nf__emu_spec(const char *name, const nf__emu_site *site, nf__emu_launch_kind kind,
                                               dim3 grid, dim3 block, unsigned cluster, size_t shared,
                                               cudaStream_t stream)
{
    nf__emu_launch_spec spec = {name, site, kind, nullptr, nullptr, nullptr, 0, grid, block, cluster, shared, stream};
    return spec;
}

#define NF_EMU_LAUNCH(kind, kernel, cluster, grid, block, shared, stream, ...)                              \
    nf__emu_launch_as(nf__emu_spec(#kernel, SIMT_SITE, kind, grid, block, cluster, shared, stream), kernel, \
                      ##__VA_ARGS__)
#define SIMT_LAUNCH(kernel, grid, block, shared, stream, ...) \
    NF_EMU_LAUNCH(NF_EMU_LAUNCH_PLAIN, kernel, 1, grid, block, shared, stream, ##__VA_ARGS__)
#define SIMT_LAUNCH_EARLY SIMT_LAUNCH /* what comes before has ended */
#define SIMT_LAUNCH_GRID(kernel, grid, block, shared, stream, ...) \
    NF_EMU_LAUNCH(NF_EMU_LAUNCH_COOPERATIVE, kernel, 1, grid, block, shared, stream, ##__VA_ARGS__)
#define SIMT_LAUNCH_CLUSTER(kernel, cluster, grid, block, shared, stream, ...) \
    NF_EMU_LAUNCH(NF_EMU_LAUNCH_CLUSTER, kernel, cluster, grid, block, shared, stream, ##__VA_ARGS__)
#define SIMT_LAUNCH_CHILD(kernel, grid, block, shared, ...) \
    NF_EMU_LAUNCH(NF_EMU_LAUNCH_CHILD, kernel, 1, grid, block, shared, nullptr, ##__VA_ARGS__)
#define SIMT_LAUNCH_TAIL(kernel, grid, block, shared, ...) \
    NF_EMU_LAUNCH(NF_EMU_LAUNCH_TAIL, kernel, 1, grid, block, shared, nullptr, ##__VA_ARGS__)

template <typename F> static inline cudaError_t cudaFuncSetAttribute(F function, cudaFuncAttribute attribute, int value)
{
    return nf__emu_set_attribute(reinterpret_cast<const void *>(function), attribute, value);
}

template <typename F> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, F function)
{
    return nf__emu_get_attributes(out, reinterpret_cast<const void *>(function));
}

template <typename F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F function, int threads,
                                                                        size_t shared)
{
    return nf__emu_occupancy(blocks, reinterpret_cast<const void *>(function), threads, shared);
}

/* Clusters of `cluster` blocks resident at once: cudaOccupancyMaxActiveClusters without its launch configuration. */
template <typename F>
static inline cudaError_t simt_max_clusters(int *clusters, F function, unsigned cluster, int threads, size_t shared)
{
    return nf__emu_cluster_occupancy(clusters, reinterpret_cast<const void *>(function), cluster, threads, shared);
}

/* ---- device and errors ------------------------------------------------------------------------------------------- */

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int index)
{
    return index == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static inline cudaError_t cudaGetDevice(int *index)
{
    *index = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int index)
{
    return nf__emu_properties(out, index);
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int index)
{
    return nf__emu_device_attribute(value, attribute, index);
}

static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaGetLastError()
{
    return nf__emu_last_error(1);
}

static inline cudaError_t cudaPeekAtLastError()
{
    return nf__emu_last_error(0);
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
    return nf__emu_error_text(error);
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
    return nf__emu_error_name(error);
}

/* What was wrong in the last kernel that failed on the device in use; "" when nothing was or nobody knows. */
static inline const char *simt_fault_text()
{
    return nf__emu_fault_text(nf__emu_now.device);
}

static inline cudaError_t cudaDeviceSynchronize()
{
    return nf__emu_device_sync();
}

static inline cudaError_t cudaDeviceReset()
{
    return nf__emu_device_reset();
}

static inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaCtxResetPersistingL2Cache()
{
    return cudaSuccess;
}

static inline cudaError_t simt_stream_keep(cudaStream_t, const void *, size_t, float)
{
    return cudaSuccess;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return nf__emu_malloc(reinterpret_cast<void **>(p), bytes, nullptr, 0);
}

template <typename T> static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream)
{
    return nf__emu_malloc(reinterpret_cast<void **>(p), bytes, stream, 1);
}

template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t, cudaStream_t stream)
{
    return nf__emu_malloc(reinterpret_cast<void **>(p), bytes, stream, 1);
}

template <typename T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t rows)
{
    *pitch = (width + 511) / 512 * 512;
    return nf__emu_malloc(reinterpret_cast<void **>(p), *pitch * rows, nullptr, 0);
}

static inline cudaError_t cudaFree(void *p)
{
    return nf__emu_free(p, nullptr, 0);
}

static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    return nf__emu_free(p, stream, 1);
}

template <typename T> static inline cudaError_t cudaMallocHost(T **p, size_t bytes)
{
    return nf__emu_host_malloc(reinterpret_cast<void **>(p), bytes);
}

template <typename T> static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned)
{
    return nf__emu_host_malloc(reinterpret_cast<void **>(p), bytes);
}

static inline cudaError_t cudaFreeHost(void *p)
{
    return nf__emu_host_free(p);
}

static inline cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    return nf__emu_host_register(p, bytes, 1);
}

static inline cudaError_t cudaHostUnregister(void *p)
{
    return nf__emu_host_register(p, 0, 0);
}

template <typename T> static inline cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned)
{
    return nf__emu_host_device_pointer(reinterpret_cast<void **>(out), host);
}

static inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return nf__emu_memory_info(free_bytes, total);
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return nf__emu_copy(to, bytes, from, bytes, bytes, 1, kind, nullptr, 0);
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream = nullptr)
{
    return nf__emu_copy(to, bytes, from, bytes, bytes, 1, kind, stream, 1);
}

static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                       size_t rows, cudaMemcpyKind kind)
{
    return nf__emu_copy(to, to_pitch, from, from_pitch, width, rows, kind, nullptr, 0);
}

static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t rows, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr)
{
    return nf__emu_copy(to, to_pitch, from, from_pitch, width, rows, kind, stream, 1);
}

static inline cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return nf__emu_fill(p, value, bytes, nullptr, 0);
}

static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream = nullptr)
{
    return nf__emu_fill(p, value, bytes, stream, 1);
}

/* The one memory pool of the device: created, destroyed and trimmed without effect. */
static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
    *pool = nullptr;
    return cudaSuccess;
}

static inline cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    *pool = nullptr;
    return cudaSuccess;
}

static inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value)
{
    return nf__emu_pool_attribute(attribute, static_cast<uint64_t *>(value), 1);
}

static inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value)
{
    return nf__emu_pool_attribute(attribute, static_cast<uint64_t *>(value), 0);
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

static inline cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return nf__emu_stream_create(out);
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned)
{
    return nf__emu_stream_create(out);
}

/* One for all: kernels run one after the other here. */
static inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned, int)
{
    return nf__emu_stream_create(out);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return nf__emu_stream_destroy(stream);
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return nf__emu_stream_sync(stream);
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return nf__emu_stream_query(stream);
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0)
{
    return nf__emu_stream_wait(stream, event);
}

static inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data)
{
    return nf__emu_stream_call(stream, function, data);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return nf__emu_event_create(out);
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned)
{
    return nf__emu_event_create(out);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return nf__emu_event_destroy(event);
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr)
{
    return nf__emu_event_record(event, stream);
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return nf__emu_event_sync(event);
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return nf__emu_event_query(event);
}

static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return nf__emu_event_elapsed(ms, from, to);
}

#endif
