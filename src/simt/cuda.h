/* cuda.h - the CUDA half of simt.h: every name of the layer as CUDA's own construct, so that the machine code is that
 * of plain CUDA (tests/simt/check-zero-cost compares it). Chips that lack an instruction get a twin with the same
 * result: warp reductions and cp.async before sm_80, clusters before sm_90 (a cluster then is one block).
 *
 * Invariants
 *   I1 a macro or inline function here adds no instruction to what a CUDA programmer would have written by hand;
 *   I2 a launch returns its own error, cudaSuccess otherwise; nothing here waits for the device;
 *   I3 device-side launch exists only in files compiled with relocatable device code (src/gpu/<name>_child.cu).
 */
#ifndef NF_SIMT_CUDA_H
#define NF_SIMT_CUDA_H

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#define SIMT_FLAVOUR nf_gpu

/* ---- memory spaces ----------------------------------------------------------------------------------------------- */

#define SIMT_SHARED(T, name, N) __shared__ T name[N]
#define SIMT_SHARED_DYNAMIC(T, name)                                     \
    extern __shared__ __align__(16) unsigned char simt_dynamic_memory[]; \
    T *name = reinterpret_cast<T *>(simt_dynamic_memory)

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A kernel with several template arguments goes in parentheses, so that the preprocessor sees one argument. */
/* clang-format off */
#define SIMT_LAUNCH(kernel, grid, block, shared, stream, ...) \
    ((kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__), cudaGetLastError())
#define SIMT_LAUNCH_GRID(kernel, grid, block, shared, stream, ...) \
    nf_gpu::simt_launch_together(1, (grid), (block), (shared), (stream), (kernel), ##__VA_ARGS__)
#define SIMT_LAUNCH_CLUSTER(kernel, cluster, grid, block, shared, stream, ...) \
    nf_gpu::simt_launch_together((cluster), (grid), (block), (shared), (stream), (kernel), ##__VA_ARGS__)
#define SIMT_LAUNCH_EARLY(kernel, grid, block, shared, stream, ...) \
    nf_gpu::simt_launch_early((grid), (block), (shared), (stream), (kernel), ##__VA_ARGS__)
#if defined(__CUDACC_RDC__)
#define SIMT_LAUNCH_CHILD(kernel, grid, block, shared, ...) \
    ((kernel)<<<(grid), (block), (shared), cudaStreamFireAndForget>>>(__VA_ARGS__), cudaGetLastError())
#define SIMT_LAUNCH_TAIL(kernel, grid, block, shared, ...) \
    ((kernel)<<<(grid), (block), (shared), cudaStreamTailLaunch>>>(__VA_ARGS__), cudaGetLastError())
#endif
/* clang-format on */

#define SIMT_ASSERT(condition) ((void)0)

namespace nf_gpu
{

/* A cooperative launch, in clusters where `cluster` > 1. More than 8 blocks a cluster need the kernel's consent. */
template <typename... Parameters, typename... Arguments>
static inline cudaError_t simt_launch_together(unsigned cluster, dim3 grid, dim3 block, size_t shared,
                                               cudaStream_t stream, void (*kernel)(Parameters...),
                                               Arguments &&...arguments)
{
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = cluster;
    attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : 1;
    if (cluster > 8) {
        const cudaError_t e = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                   cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (e != cudaSuccess)
            return e;
    }
    return cudaLaunchKernelEx(&config, kernel, static_cast<Arguments &&>(arguments)...);
}

/* A launch that may begin before what comes before it in the stream has ended, if the kernel's code knows how to wait
 * for that: code for older chips does not, also where it is made fit for a new one. */
template <typename... Parameters, typename... Arguments>
static inline cudaError_t simt_launch_early(dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                                            void (*kernel)(Parameters...), Arguments &&...arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    cudaFuncAttributes code = {};
    const cudaError_t e = cudaFuncGetAttributes(&code, reinterpret_cast<const void *>(kernel));
    if (e != cudaSuccess)
        return e;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Arguments &&>(arguments)...);
}

/* Clusters of `cluster` blocks resident at once. */
template <typename F>
static inline cudaError_t simt_max_clusters(int *clusters, F function, unsigned cluster, int threads, size_t shared)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(cluster);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cluster > 8) {
        const cudaError_t e = cudaFuncSetAttribute(reinterpret_cast<const void *>(function),
                                                   cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (e != cudaSuccess)
            return e;
    }
    return cudaOccupancyMaxActiveClusters(clusters, function, &config);
}

static inline const char *simt_fault_text()
{
    return ""; /* compute-sanitizer knows more; the error's name is all the runtime says */
}

/* ---- where am I -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned simt_lane()
{
    return threadIdx.x & 31u;
}

static __device__ __forceinline__ unsigned simt_warp()
{
    return threadIdx.x >> 5;
}

/* ---- barriers wider than a block --------------------------------------------------------------------------------- */

static __device__ __forceinline__ void simt_grid_sync()
{
    cooperative_groups::this_grid().sync();
}

static __device__ __forceinline__ void simt_cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __syncthreads();
#endif
}

static __device__ __forceinline__ unsigned simt_cluster_rank()
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().block_rank();
#else
    return 0;
#endif
}

static __device__ __forceinline__ unsigned simt_cluster_size()
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().num_blocks();
#else
    return 1;
#endif
}

template <typename T> static __device__ __forceinline__ T *simt_cluster_at(T *mine, unsigned rank)
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(mine, rank);
#else
    (void)rank;
    return mine;
#endif
}

/* ---- warp reductions --------------------------------------------------------------------------------------------- */

#if __CUDA_ARCH__ >= 800
#define SIMT_REDUCE(name, T, intrinsic, a_op_b)                                \
    static __device__ __forceinline__ T simt_reduce_##name(unsigned mask, T x) \
    {                                                                          \
        return intrinsic(mask, x);                                             \
    }
#else
/* The twin walks over the lanes of the mask: right for every mask, 32 steps for a full one. */
#define SIMT_REDUCE(name, T, intrinsic, a_op_b)                                \
    static __device__ __forceinline__ T simt_reduce_##name(unsigned mask, T x) \
    {                                                                          \
        T a = __shfl_sync(mask, x, __ffs((int)mask) - 1);                      \
        for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1) { \
            const T b = __shfl_sync(mask, x, __ffs((int)rest) - 1);            \
            a = a_op_b;                                                        \
        }                                                                      \
        return a;                                                              \
    }
#endif
SIMT_REDUCE(add, unsigned, __reduce_add_sync, a + b)
SIMT_REDUCE(add, int, __reduce_add_sync, a + b)
SIMT_REDUCE(min, unsigned, __reduce_min_sync, (b < a ? b : a))
SIMT_REDUCE(min, int, __reduce_min_sync, (b < a ? b : a))
SIMT_REDUCE(max, unsigned, __reduce_max_sync, (b > a ? b : a))
SIMT_REDUCE(max, int, __reduce_max_sync, (b > a ? b : a))
SIMT_REDUCE(or, unsigned, __reduce_or_sync, a | b)
#undef SIMT_REDUCE

/* ---- intended races, ordering ------------------------------------------------------------------------------------ */

/* A volatile access is a relaxed one of device scope or wider in PTX's memory model (for types of 1 to 8 bytes), and,
 * unlike inline PTX, one the compiler can see. */
template <typename T> static __device__ __forceinline__ T simt_load_relaxed(const T *p)
{
    return *const_cast<const volatile T *>(p);
}

template <typename T, typename U> static __device__ __forceinline__ void simt_store_relaxed(T *p, U x)
{
    *const_cast<volatile T *>(p) = static_cast<T>(x);
}

/* Of block scope: L1 is coherent within a block, and the acquire of a barrier empties it. */
template <typename T> static __device__ __forceinline__ T simt_load_nearby(const T *p)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "nearby loads take 4 or 8 bytes");
    T x;
    if (sizeof(T) == 4) {
        uint32_t bits;
        asm volatile("ld.relaxed.cta.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
        memcpy(&x, &bits, sizeof x);
    } else {
        uint64_t bits;
        asm volatile("ld.relaxed.cta.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
        memcpy(&x, &bits, sizeof x);
    }
    return x;
}

template <typename T> static __device__ __forceinline__ T simt_load_acquire(const T *p)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "acquire loads take 4 or 8 bytes");
    T x;
    if (sizeof(T) == 4) {
        uint32_t bits;
        asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
        memcpy(&x, &bits, sizeof x);
    } else {
        uint64_t bits;
        asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
        memcpy(&x, &bits, sizeof x);
    }
    return x;
}

template <typename T, typename U> static __device__ __forceinline__ void simt_store_release(T *p, U value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "release stores take 4 or 8 bytes");
    const T x = static_cast<T>(value);
    if (sizeof(T) == 4) {
        uint32_t bits;
        memcpy(&bits, &x, sizeof x);
        asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(bits) : "memory");
    } else {
        uint64_t bits;
        memcpy(&bits, &x, sizeof x);
        asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
    }
}

/* Adds, ordering device-wide both ways: what was written before is seen by whoever sees the sum, and what they wrote by
 * whoever adds after them. The value before. */
static __device__ __forceinline__ unsigned long long simt_add_acq_rel(unsigned long long *p, unsigned long long x)
{
    unsigned long long old;
    asm volatile("atom.add.acq_rel.gpu.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(x) : "memory");
    return old;
}

/* ---- wide and asynchronous loads --------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint4 simt_load16(const void *p)
{
    return *static_cast<const uint4 *>(p);
}

/* For data no thread of this launch writes: read once, so not worth a place in L1. */
static __device__ __forceinline__ uint4 simt_load16_once(const void *p)
{
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p));
    return v;
}

static __device__ __forceinline__ uint32_t simt_load_once(const uint32_t *p)
{
    uint32_t v;
    asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

static __device__ __forceinline__ uint2 simt_load_once(const uint2 *p)
{
    uint2 v;
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}

static __device__ __forceinline__ void simt_copy16_async(void *shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#else
    *static_cast<uint4 *>(shared) = *static_cast<const uint4 *>(global);
#endif
}

static __device__ __forceinline__ void simt_copy_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most N of this thread's groups are under way; others see the bytes after a barrier. */
template <int N> static __device__ __forceinline__ void simt_copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

struct __align__(8) simt_gate
{
    uint32_t turns, left; /* before sm_90: turns that are over, bytes to come */
};

#define SIMT_GATE_COPIES 4

static __device__ __forceinline__ uint32_t simt_shared_address(const void *shared)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

static __device__ __forceinline__ void simt_gate_open(simt_gate *gate)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(simt_shared_address(gate)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); /* seen by what copies, too */
#else
    gate->turns = gate->left = 0;
#endif
}

static __device__ __forceinline__ void simt_gate_expect(simt_gate *gate, uint32_t bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(simt_shared_address(gate)), "r"(bytes)
                 : "memory");
#else
    gate->left = bytes;
#endif
}

static __device__ __forceinline__ void simt_copy_bulk(void *shared, const void *global, uint32_t bytes, simt_gate *gate)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     simt_shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(simt_shared_address(gate))
                 : "memory");
#else
    for (uint32_t i = 0; i < bytes / 16; i++)
        static_cast<uint4 *>(shared)[i] = static_cast<const uint4 *>(global)[i];
    gate->left -= bytes;
    __threadfence_block();
    if (gate->left == 0)
        *const_cast<volatile uint32_t *>(&gate->turns) = gate->turns + 1;
#endif
}

static __device__ __forceinline__ void simt_gate_wait(simt_gate *gate, uint32_t turn)
{
#if __CUDA_ARCH__ >= 900
    uint32_t over;
    do
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(over)
                     : "r"(simt_shared_address(gate)), "r"(turn & 1)
                     : "memory");
    while (over == 0);
#else
    while (*const_cast<volatile uint32_t *>(&gate->turns) <= turn)
        ;
    __threadfence_block();
#endif
}

/* ---- min-plus ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ int simt_addmin(int a, int b, int c)
{
    return __viaddmin_s32(a, b, c);
}

static __device__ __forceinline__ unsigned simt_addmin2(unsigned a, unsigned b, unsigned c)
{
    return __viaddmin_s16x2(a, b, c);
}

static __device__ __forceinline__ unsigned simt_twice(unsigned pair, int i)
{
    return __byte_perm(pair, 0, i == 0 ? 0x1010 : 0x3232);
}

static __device__ __forceinline__ unsigned simt_set_byte(unsigned word, int i, unsigned byte)
{
    return __byte_perm(word, byte, i == 0 ? 0x3214 : i == 1 ? 0x3240 : i == 2 ? 0x3410 : 0x4210);
}

static __device__ __forceinline__ int simt_min3(int a, int b, int c)
{
    return __vimin3_s32(a, b, c);
}

static __device__ __forceinline__ unsigned simt_min3_2(unsigned a, unsigned b, unsigned c)
{
    return __vimin3_s16x2(a, b, c);
}

/* ---- waiting, time, caches --------------------------------------------------------------------------------------- */

#define SIMT_SPIN_NS 20  /* far below a trip to L2 (150 ns): a waiting warp loses little and lets others issue */
#define SIMT_DOZE_NS 500 /* a long wait of many blocks: what they ask of L2 is lost to those at work */

static __device__ __forceinline__ void simt_spin()
{
    __nanosleep(SIMT_SPIN_NS);
}

static __device__ __forceinline__ void simt_doze()
{
    __nanosleep(SIMT_DOZE_NS);
}

static __device__ __forceinline__ uint64_t simt_clock()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ __forceinline__ void simt_await_before(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ __forceinline__ void simt_let_next(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Asks for a line to be fetched to L2, and does not wait for it. */
static __device__ __forceinline__ void simt_prefetch(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* Keeps `share` (0 .. 1) of these bytes in the part of L2 set aside for it; 0 bytes ends it. Chips without that part
 * (before sm_80) ignore it. */
static inline cudaError_t simt_stream_keep(cudaStream_t stream, void *pointer, size_t bytes, float share)
{
    int device = 0, set_aside = 0, window = 0;
    cudaStreamAttrValue value = {};
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&set_aside, cudaDevAttrMaxPersistingL2CacheSize, device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, device);
    if (e != cudaSuccess || set_aside <= 0)
        return e;
    if (bytes != 0)
        e = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<size_t>(set_aside));
    value.accessPolicyWindow.base_ptr = pointer;
    value.accessPolicyWindow.num_bytes = bytes < static_cast<size_t>(window) ? bytes : static_cast<size_t>(window);
    value.accessPolicyWindow.hitRatio = share;
    value.accessPolicyWindow.hitProp = bytes != 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
    value.accessPolicyWindow.missProp = bytes != 0 ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
    return e != cudaSuccess ? e : cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

} /* namespace nf_gpu */

#endif
