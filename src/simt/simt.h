/* simt.h - the layer GPU code is written against. Under nvcc it is CUDA and costs nothing; under a host C++ compiler
 * the same sources become the `emulator` device (emu.h, docs/emulator.md), where every CUDA thread is a fiber.
 *
 * The vocabulary is CUDA's own. What a .cu file may use:
 *   keywords     __global__ __device__ __forceinline__ __launch_bounds__ __restrict__ __align__
 *                __grid_constant__
 *   indices      threadIdx blockIdx blockDim gridDim, dim3; warps are 32 wide, x first
 *   barriers     __syncthreads, __syncthreads_or/_and/_count, __syncwarp(mask)
 *   warp         __shfl_sync, __shfl_up_sync, __shfl_down_sync, __shfl_xor_sync, __ballot_sync, __any_sync, __all_sync,
 *                __match_any_sync; always with a mask whose every lane calls it; never __activemask
 *   bits         __popc __popcll __ffs __ffsll __clz __clzll __brev
 *   atomics      atomicAdd Min Max Or And Exch CAS on 32- and 64-bit integers, atomicInc on 32-bit ones, atomicAdd on
 *                float and double
 *   memory       __threadfence, __threadfence_block, __threadfence_system, __ldg, __ldcs, __stcs, vector types
 *   runtime      the subset of the CUDA runtime that emu_runtime.h lists, under CUDA's names: cudaMallocAsync,
 *                cudaMemcpyAsync, cudaStreamCreate, cudaEventRecord, cudaGetLastError, cudaFuncSetAttribute, ...
 * What CUDA has no portable word for goes through the names below; each half defines them all:
 *   SIMT_FLAVOUR                        the namespace every .cu and .cuh file wraps its code in: nf_gpu or nf_emulator
 *   SIMT_SHARED(T, name, N)             T name[N] in shared memory (static)
 *   SIMT_SHARED_DYNAMIC(T, name)        T *name: the dynamic shared memory of the launch, 16-byte aligned
 *   SIMT_LAUNCH(kernel, grid, block, shared, stream, ...)         cudaError_t; grid and block are dim3 or numbers
 *   SIMT_LAUNCH_GRID(kernel, grid, block, shared, stream, ...)    cooperative: all blocks resident, simt_grid_sync
 *   SIMT_LAUNCH_CLUSTER(kernel, cluster, grid, block, shared, stream, ...)
 *                                       cooperative too; clusters of `cluster` blocks
 *   SIMT_LAUNCH_EARLY(kernel, grid, block, shared, stream, ...)   may begin when all blocks of the launch before it in
 *                                       the stream have begun and called simt_let_next, or ended. All its threads call
 *                                       simt_await_before before they touch what that launch, or those before it that
 *                                       began early, write or read. Pointers to that are not __restrict__: the compiler
 *                                       may read through those whenever it likes
 *   SIMT_LAUNCH_CHILD(kernel, grid, block, shared, ...)           from a kernel: fire and forget; runs before the
 *                                       parent launch counts as complete; nobody can wait for it
 *   SIMT_LAUNCH_TAIL(kernel, grid, block, shared, ...)            from a kernel: starts when the parent and its
 *                                       children end
 *   simt_lane() simt_warp()             index in the warp, index of the warp in the block (1-D blocks)
 *   simt_grid_sync()                    barrier over a cooperative grid
 *   simt_await_before() simt_let_next() see SIMT_LAUNCH_EARLY; nothing before sm_90 and in the emulator, where launches
 *                                       of a stream begin in order
 *   simt_cluster_sync() simt_cluster_rank() simt_cluster_size()
 *   simt_cluster_at(T *mine, rank)      the same shared variable in another block of the cluster
 *   simt_reduce_add/min/max/or(mask, x) 32-bit; __reduce_*_sync from sm_80, shuffles before
 *   simt_load_relaxed(p) simt_store_relaxed(p, x)
 *                                       an intended race: a value some other thread may be writing; never torn, never
 *                                       cached stale for ever, orders nothing
 *   simt_load_nearby(p)                 simt_load_relaxed of 4 or 8 bytes that L1 may answer: a value may be as old as
 *                                       the latest barrier or acquire that this block has passed, and no older
 *   simt_load_acquire(p) simt_store_release(p, x)  the same, ordering device-wide
 *   simt_add_acq_rel(p, x)               64-bit atomic addition, ordering device-wide both ways
 *   simt_prefetch(p)                    fetches a line of global memory to L2; waits for nothing
 *   simt_load16(p)                      16 bytes at once, aligned, as uint4; simt_load16_once: and not kept in L1
 *   simt_load_once(p)                   __ldg of a uint32_t or uint2 that is not kept in L1
 *   simt_copy16_async(shared, global), simt_copy_commit(), simt_copy_wait<N>()   cp.async
 *   simt_gate                           in shared memory: says that bytes have arrived there (mbarrier), in turns
 *   simt_gate_open(gate)                one thread, before a barrier of the block
 *   simt_copy_bulk(shared, global, bytes, gate), simt_gate_expect(gate, bytes)
 *                                       one thread sends bytes, whole sixteens, aligned so (cp.async.bulk), in up to
 *                                       SIMT_GATE_COPIES pieces a turn; it says first how many a turn has. Before sm_90
 *                                       it moves them itself: such chips are better off with simt_copy16_async
 *   simt_gate_wait(gate, turn)          every thread that reads them; turns are numbered from 0, and nobody waits for
 *                                       one when the next but one has begun
 *   simt_addmin(a, b, c)                min(a + b, c), 32 bits (DPX __viaddmin_s32); simt_addmin2 for pairs of int16
 *   simt_twice(pair, i)                 half i of a pair of int16, in both halves (one PRMT)
 *   simt_set_byte(word, i, byte)        the word with its byte i replaced by the last of another (one PRMT)
 *   simt_min3(a, b, c)                  signed three-way minimum (__vimin3_s32); simt_min3_2 for pairs of int16
 *   simt_spin()                         in every loop that waits for another thread; the emulator yields there
 *   simt_doze()                         the same where the wait is long and half a microsecond late does no harm
 *   simt_clock()                        nanoseconds on the device
 *   SIMT_ASSERT(condition)              ends the kernel with cudaErrorAssert in the emulator; nothing under nvcc
 *   simt_stream_keep(stream, pointer, bytes, share)
 *                                       host: L2 access policy; keeps `share` of those bytes resident in L2
 *   simt_max_clusters(&count, kernel, cluster, threads, shared)   host: clusters resident at once
 *   simt_fault_text()                   host: what was wrong in the kernel that failed (in the emulator: kernel, block,
 *                                       warp, lane, call site); "" when nobody knows
 * An emulated device is opened with nf__emu_open and chosen for the host thread with nf__emu_use (emu_abi.h) where CUDA
 * has cudaSetDevice. It is asynchronous as a GPU is: a kernel runs when the host synchronises, or in slices when it
 * asks cudaStreamQuery, so that a host loop that polls can cancel it.
 *
 * Rules the emulator enforces and a GPU does not: R1 every lane of a mask arrives; R2 a barrier is reached by all
 * threads of its scope, none of which has exited; R3 no lane of a mask has exited; R4 shared memory is written before
 * it is read (it starts as 0xCD); R5 a plain access never races (race flavour): intended races use simt_load_relaxed
 * and its kin, or atomics; R6 a kernel that waits for another block is launched cooperatively; R7 kernel code is plain
 * data and functions, nothing that needs a destructor.
 */
#ifndef NF_SIMT_SIMT_H
#define NF_SIMT_SIMT_H

#if defined(__CUDACC__)
#include "simt/cuda.h"
#else
#include "simt/emu.h"
#endif

#endif
