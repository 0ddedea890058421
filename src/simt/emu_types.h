/* emu_types.h - CUDA's types as the emulator knows them: vector types, dim3, errors, properties, flags. C and C++.
 *
 * The names and the numbers are CUDA's, so that the host code of src/gpu reads alike in both halves; only what that
 * code uses is here. Nothing here is linked by name: the library may hold the real CUDA runtime next to the emulator.
 */
#ifndef NF_SIMT_EMU_TYPES_H
#define NF_SIMT_EMU_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

#define NF_EMU_VECTORS(T, name, a2, a4)                      \
    typedef struct __attribute__((aligned(a2))) name##2      \
    {                                                        \
        T x, y;                                              \
    }                                                        \
    name##2;                                                 \
    typedef struct name##3                                   \
    {                                                        \
        T x, y, z;                                           \
    }                                                        \
    name##3;                                                 \
    typedef struct __attribute__((aligned(a4))) name##4      \
    {                                                        \
        T x, y, z, w;                                        \
    }                                                        \
    name##4;                                                 \
    static inline name##2 make_##name##2(T x, T y)           \
    {                                                        \
        name##2 v = {x, y};                                  \
        return v;                                            \
    }                                                        \
    static inline name##3 make_##name##3(T x, T y, T z)      \
    {                                                        \
        name##3 v = {x, y, z};                               \
        return v;                                            \
    }                                                        \
    static inline name##4 make_##name##4(T x, T y, T z, T w) \
    {                                                        \
        name##4 v = {x, y, z, w};                            \
        return v;                                            \
    }

NF_EMU_VECTORS(signed char, char, 2, 4)
NF_EMU_VECTORS(unsigned char, uchar, 2, 4)
NF_EMU_VECTORS(short, short, 4, 8)
NF_EMU_VECTORS(unsigned short, ushort, 4, 8)
NF_EMU_VECTORS(int, int, 8, 16)
NF_EMU_VECTORS(unsigned, uint, 8, 16)
NF_EMU_VECTORS(long long, longlong, 16, 16)
NF_EMU_VECTORS(unsigned long long, ulonglong, 16, 16)
NF_EMU_VECTORS(float, float, 8, 16)
NF_EMU_VECTORS(double, double, 16, 16)
#undef NF_EMU_VECTORS

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz)
    {
    }
#endif
} dim3;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* X(name, number, text) */
#define NF_EMU_ERRORS(X)                                                                                  \
    X(cudaSuccess, 0, "no error")                                                                         \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                       \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                      \
    X(cudaErrorInitializationError, 3, "initialization error")                                            \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                 \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                           \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                        \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                           \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")    \
    X(cudaErrorLaunchPendingCountExceeded, 69, "launch would exceed the limit of pending child launches") \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                      \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                       \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                              \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                     \
    X(cudaErrorNotReady, 600, "device not ready")                                                         \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                           \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                      \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                             \
    X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                           \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                               \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                          \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                   \
    X(cudaErrorNotSupported, 801, "operation not supported")                                              \
    X(cudaErrorInvalidClusterSize, 912, "invalid cluster size")                                           \
    X(cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError {
#define NF_EMU_ONE(name, number, text) name = number,
    NF_EMU_ERRORS(NF_EMU_ONE)
#undef NF_EMU_ONE
} cudaError_t;

/* ---- devices ----------------------------------------------------------------------------------------------------- */

typedef struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
    size_t memPitch;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int l2CacheSize, persistingL2CacheMaxSize, accessPolicyMaxWindowSize;
    int concurrentKernels, cooperativeLaunch, clusterLaunch, memoryPoolsSupported, canMapHostMemory, unifiedAddressing;
    int asyncEngineCount, memoryBusWidth, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
} cudaDeviceProp;

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize = 109,
    cudaDevAttrHostRegisterReadOnlySupported = 113,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
} cudaFuncAttributes;

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitPersistingL2CacheSize = 6
};

/* ---- memory, streams, events ------------------------------------------------------------------------------------- */

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct nf__emu_stream *cudaStream_t;
typedef struct nf__emu_event *cudaEvent_t;
typedef struct nf__emu_pool *cudaMemPool_t;

#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#define cudaEventDefault 0u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaHostAllocDefault 0u
#define cudaHostAllocPortable 1u
#define cudaHostAllocMapped 2u
#define cudaHostAllocWriteCombined 4u
#define cudaHostRegisterDefault 0u
#define cudaHostRegisterReadOnly 8u

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1 };

typedef struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
} cudaMemLocation;

typedef struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    size_t maxSize;
} cudaMemPoolProps;

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};

#endif
