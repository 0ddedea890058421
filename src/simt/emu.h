/* emu.h - the host half of simt.h: CUDA's vocabulary for the host C++ compiler, over the emulator's runtime
 * (emu_abi.h). Every CUDA thread is a fiber. docs/emulator.md says what that shows and what it cannot show.
 *
 * Whatever can block, race or be wrong carries its call site: such names are macros that pass SIMT_SITE, a constant
 * of its own at each place in the source, to an inline function. Templates serve the host's and the kernel's types
 * only; the runtime is C.
 */
#ifndef NF_SIMT_EMU_H
#define NF_SIMT_EMU_H

#include <math.h>
#include <string.h>

#include "simt/emu_abi.h"

#define SIMT_FLAVOUR nf_emulator
#define SIMT_EMULATOR 1

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__ /* a kernel's argument that is only read, so that its address may be taken */
#define __align__(n) __attribute__((aligned(n)))

#define SIMT_SITE                                                            \
    (__extension__({                                                         \
        static const nf__emu_site nf__here = {__FILE__, __func__, __LINE__}; \
        &nf__here;                                                           \
    }))

/* ---- who am I ---------------------------------------------------------------------------------------------------- */

#define threadIdx (nf__emu_now.self->thread_index)
#define blockIdx (nf__emu_now.self->block_index)
#define blockDim (nf__emu_now.self->block_dim)
#define gridDim (nf__emu_now.self->grid_dim)
#define warpSize 32

static inline unsigned simt_lane()
{
    return nf__emu_now.self->linear & 31u;
}

static inline unsigned simt_warp()
{
    return nf__emu_now.self->linear >> 5;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

#define SIMT_SHARED(T, name, N) T(&name)[N] = *static_cast<T(*)[N]>(nf__emu_shared(SIMT_SITE, sizeof(T[N]), alignof(T)))
#define SIMT_SHARED_DYNAMIC(T, name) T *name = static_cast<T *>(nf__emu_now.self->dynamic)

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

#define __syncthreads() ((void)nf__emu_barrier(SIMT_SITE, NF_EMU_BLOCK, NF_EMU_PLAIN, 0))
#define __syncthreads_or(p) nf__emu_barrier(SIMT_SITE, NF_EMU_BLOCK, NF_EMU_OR, (p) != 0)
#define __syncthreads_and(p) nf__emu_barrier(SIMT_SITE, NF_EMU_BLOCK, NF_EMU_AND, (p) != 0)
#define __syncthreads_count(p) nf__emu_barrier(SIMT_SITE, NF_EMU_BLOCK, NF_EMU_COUNT, (p) != 0)
#define __syncwarp(...) nf__emu_syncwarp(SIMT_SITE, ##__VA_ARGS__)
#define simt_grid_sync() ((void)nf__emu_barrier(SIMT_SITE, NF_EMU_GRID, NF_EMU_PLAIN, 0))
#define simt_cluster_sync() ((void)nf__emu_barrier(SIMT_SITE, NF_EMU_CLUSTER, NF_EMU_PLAIN, 0))
#define simt_cluster_rank() (nf__emu_now.self->cluster_rank)
#define simt_cluster_size() nf__emu_cluster_size()
#define simt_cluster_at(mine, rank) nf__emu_at(SIMT_SITE, mine, rank)
#define simt_spin() nf__emu_spin(SIMT_SITE)
#define simt_doze() nf__emu_spin(SIMT_SITE)
#define simt_clock() ((unsigned long long)nf__emu_clock())
#define __nanosleep(ns) ((void)(ns), nf__emu_spin(SIMT_SITE))
#define SIMT_ASSERT(condition) ((condition) ? (void)0 : nf__emu_assert(SIMT_SITE, #condition))

static inline void nf__emu_syncwarp(const nf__emu_site *site, unsigned mask = 0xffffffffu)
{
    (void)nf__emu_warp(site, NF_EMU_SYNC, mask, 0, 0, 32);
}

template <typename T> static inline T *nf__emu_at(const nf__emu_site *site, T *mine, unsigned rank)
{
    return static_cast<T *>(nf__emu_cluster_at(site, mine, rank));
}

/* ---- values as bit patterns -------------------------------------------------------------------------------------- */

template <typename T> static inline uint64_t nf__emu_bits(T value)
{
    static_assert(sizeof(T) <= 8, "a value of at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> static inline T nf__emu_value(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- warp collectives -------------------------------------------------------------------------------------------- */

/* A lane or a mask of lanes is an int, a distance unsigned, as in CUDA. */
template <typename T>
static inline T nf__emu_shuffle_by(const nf__emu_site *site, nf__emu_warp_op op, unsigned mask, T value,
                                   unsigned distance, int width = 32)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    return nf__emu_value<T>(nf__emu_warp(site, op, mask, nf__emu_bits(value), distance, width));
}

template <typename T>
static inline T nf__emu_shuffle(const nf__emu_site *site, nf__emu_warp_op op, unsigned mask, T value, int lane,
                                int width = 32)
{
    return nf__emu_shuffle_by(site, op, mask, value, (unsigned)lane, width);
}

template <typename T> static inline unsigned nf__emu_match(const nf__emu_site *site, unsigned mask, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes are matched");
    return (unsigned)nf__emu_warp(site, NF_EMU_MATCH_ANY, mask, nf__emu_bits(value), 0, 32);
}

template <typename T>
static inline unsigned nf__emu_match_all(const nf__emu_site *site, unsigned mask, T value, int *same)
{
    unsigned found = (unsigned)nf__emu_warp(site, NF_EMU_MATCH_ALL, mask, nf__emu_bits(value), 0, 32);
    *same = found != 0;
    return found;
}

static inline unsigned nf__emu_reduce(const nf__emu_site *site, nf__emu_warp_op op, nf__emu_warp_op, unsigned mask,
                                      unsigned value)
{
    return (unsigned)nf__emu_warp(site, op, mask, value, 0, 32);
}

static inline int nf__emu_reduce(const nf__emu_site *site, nf__emu_warp_op, nf__emu_warp_op with_sign, unsigned mask,
                                 int value)
{
    return (int)(unsigned)nf__emu_warp(site, with_sign, mask, (unsigned)value, 0, 32);
}

#define __shfl_sync(mask, value, ...) nf__emu_shuffle(SIMT_SITE, NF_EMU_SHFL, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) nf__emu_shuffle_by(SIMT_SITE, NF_EMU_SHFL_UP, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) nf__emu_shuffle_by(SIMT_SITE, NF_EMU_SHFL_DOWN, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...) nf__emu_shuffle(SIMT_SITE, NF_EMU_SHFL_XOR, mask, value, __VA_ARGS__)
#define __ballot_sync(mask, p) ((unsigned)nf__emu_warp(SIMT_SITE, NF_EMU_BALLOT, mask, (p) != 0, 0, 32))
#define __any_sync(mask, p) ((int)nf__emu_warp(SIMT_SITE, NF_EMU_ANY, mask, (p) != 0, 0, 32))
#define __all_sync(mask, p) ((int)nf__emu_warp(SIMT_SITE, NF_EMU_ALL, mask, (p) != 0, 0, 32))
#define __match_any_sync(mask, value) nf__emu_match(SIMT_SITE, mask, value)
#define __match_all_sync(mask, value, same) nf__emu_match_all(SIMT_SITE, mask, value, same)
#define simt_reduce_add(mask, x) nf__emu_reduce(SIMT_SITE, NF_EMU_REDUCE_ADD, NF_EMU_REDUCE_ADD, mask, x)
#define simt_reduce_min(mask, x) nf__emu_reduce(SIMT_SITE, NF_EMU_REDUCE_MIN, NF_EMU_REDUCE_MIN_SIGNED, mask, x)
#define simt_reduce_max(mask, x) nf__emu_reduce(SIMT_SITE, NF_EMU_REDUCE_MAX, NF_EMU_REDUCE_MAX_SIGNED, mask, x)
#define simt_reduce_or(mask, x) nf__emu_reduce(SIMT_SITE, NF_EMU_REDUCE_OR, NF_EMU_REDUCE_OR, mask, x)
#define simt_reduce_and(mask, x) nf__emu_reduce(SIMT_SITE, NF_EMU_REDUCE_AND, NF_EMU_REDUCE_AND, mask, x)

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

static inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}

static inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

static inline unsigned __brev(unsigned x)
{
    x = (x >> 16) | (x << 16);
    x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
    x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
    return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

static inline unsigned long long __brevll(unsigned long long x)
{
    return ((unsigned long long)__brev((unsigned)x) << 32) | __brev((unsigned)(x >> 32));
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((((unsigned long long)high << 32) | low) << (shift & 31u)) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((unsigned long long)high << 32) | low) >> (shift & 31u));
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a * b) >> 32);
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

#define NF_EMU_SAME_BITS(name, From, To)           \
    static inline To name(From x)                  \
    {                                              \
        return nf__emu_value<To>(nf__emu_bits(x)); \
    }
NF_EMU_SAME_BITS(__float_as_int, float, int)
NF_EMU_SAME_BITS(__int_as_float, int, float)
NF_EMU_SAME_BITS(__float_as_uint, float, unsigned)
NF_EMU_SAME_BITS(__uint_as_float, unsigned, float)
NF_EMU_SAME_BITS(__double_as_longlong, double, long long)
NF_EMU_SAME_BITS(__longlong_as_double, long long, double)
#undef NF_EMU_SAME_BITS

#define NF_EMU_MIN_MAX(T)         \
    static inline T min(T a, T b) \
    {                             \
        return b < a ? b : a;     \
    }                             \
    static inline T max(T a, T b) \
    {                             \
        return a < b ? b : a;     \
    }
NF_EMU_MIN_MAX(int)
NF_EMU_MIN_MAX(unsigned)
NF_EMU_MIN_MAX(long)
NF_EMU_MIN_MAX(unsigned long)
NF_EMU_MIN_MAX(long long)
NF_EMU_MIN_MAX(unsigned long long)
#undef NF_EMU_MIN_MAX

/* min(a + b, c), wrapping as the hardware does. */
static inline int simt_addmin(int a, int b, int c)
{
    int sum = (int)((unsigned)a + (unsigned)b);
    return sum < c ? sum : c;
}

static inline unsigned simt_addmin2(unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        short sum = (short)(unsigned short)((a >> shift) + (b >> shift)), other = (short)(unsigned short)(c >> shift);
        out |= (unsigned)(unsigned short)(sum < other ? sum : other) << shift;
    }
    return out;
}

static inline unsigned simt_twice(unsigned pair, int i)
{
    return (i == 0 ? pair & 0xffffu : pair >> 16) * 0x10001u;
}

static inline unsigned simt_set_byte(unsigned word, int i, unsigned byte)
{
    return (word & ~(0xffu << 8 * i)) | (byte & 0xffu) << 8 * i;
}

static inline int simt_min3(int a, int b, int c)
{
    return min(min(a, b), c);
}

static inline unsigned simt_min3_2(unsigned a, unsigned b, unsigned c)
{
    return simt_addmin2(a, 0, simt_addmin2(b, 0, c));
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

template <typename T> struct nf__emu_numbers;
template <typename T> struct nf__emu_as {
    typedef T type;
};
#define NF_EMU_NUMBER(T, code)                     \
    template <> struct nf__emu_numbers<T> {        \
        static const nf__emu_number number = code; \
    };
NF_EMU_NUMBER(int, NF_EMU_I32)
NF_EMU_NUMBER(unsigned, NF_EMU_U32)
NF_EMU_NUMBER(long, NF_EMU_I64)
NF_EMU_NUMBER(unsigned long, NF_EMU_U64)
NF_EMU_NUMBER(long long, NF_EMU_I64)
NF_EMU_NUMBER(unsigned long long, NF_EMU_U64)
NF_EMU_NUMBER(float, NF_EMU_F32)
NF_EMU_NUMBER(double, NF_EMU_F64)
#undef NF_EMU_NUMBER

template <typename T>
static inline T nf__emu_atomically(const nf__emu_site *site, nf__emu_atomic_op op, T *p, typename nf__emu_as<T>::type a)
{
    return nf__emu_value<T>(nf__emu_atomic(site, p, op, nf__emu_numbers<T>::number, nf__emu_bits(a), 0));
}

template <typename T>
static inline T nf__emu_cas(const nf__emu_site *site, T *p, typename nf__emu_as<T>::type expected,
                            typename nf__emu_as<T>::type desired)
{
    return nf__emu_value<T>(
        nf__emu_atomic(site, p, NF_EMU_CAS, nf__emu_numbers<T>::number, nf__emu_bits(expected), nf__emu_bits(desired)));
}

#define atomicAdd(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_ADD, p, __VA_ARGS__)
#define atomicSub(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_SUB, p, __VA_ARGS__)
#define atomicMin(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_MIN, p, __VA_ARGS__)
#define atomicMax(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_MAX, p, __VA_ARGS__)
#define atomicOr(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_BIT_OR, p, __VA_ARGS__)
#define atomicAnd(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_BIT_AND, p, __VA_ARGS__)
#define atomicXor(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_BIT_XOR, p, __VA_ARGS__)
#define atomicExch(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_EXCH, p, __VA_ARGS__)
#define atomicInc(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_INC, p, __VA_ARGS__)
#define atomicDec(p, ...) nf__emu_atomically(SIMT_SITE, NF_EMU_DEC, p, __VA_ARGS__)
#define atomicCAS(p, ...) nf__emu_cas(SIMT_SITE, p, __VA_ARGS__)

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define __threadfence() nf__emu_fence(SIMT_SITE, NF_EMU_GRID)
#define __threadfence_block() nf__emu_fence(SIMT_SITE, NF_EMU_BLOCK)
#define __threadfence_system() nf__emu_fence(SIMT_SITE, NF_EMU_GRID)

template <typename T> struct nf__emu_bare {
    typedef T type;
};
template <typename T> struct nf__emu_bare<const T> {
    typedef T type;
};
template <typename T> struct nf__emu_bare<volatile T> {
    typedef T type;
};
template <typename T> struct nf__emu_bare<const volatile T> {
    typedef T type;
};

template <typename T>
static inline typename nf__emu_bare<T>::type nf__emu_load_as(const nf__emu_site *site, T *p, nf__emu_order order)
{
    return nf__emu_value<typename nf__emu_bare<T>::type>(
        nf__emu_load(site, const_cast<const typename nf__emu_bare<T>::type *>(p), sizeof(T), order));
}

template <typename T>
static inline void nf__emu_store_as(const nf__emu_site *site, T *p, typename nf__emu_bare<T>::type value,
                                    nf__emu_order order)
{
    nf__emu_store(site, const_cast<typename nf__emu_bare<T>::type *>(p), sizeof(T), order, nf__emu_bits(value));
}

#define simt_load_relaxed(p) nf__emu_load_as(SIMT_SITE, p, NF_EMU_RELAXED)
#define simt_load_nearby(p) simt_load_relaxed(p)
#define simt_load_acquire(p) nf__emu_load_as(SIMT_SITE, p, NF_EMU_ACQUIRE)
#define simt_store_relaxed(p, ...) nf__emu_store_as(SIMT_SITE, p, __VA_ARGS__, NF_EMU_RELAXED)
#define simt_store_release(p, ...) nf__emu_store_as(SIMT_SITE, p, __VA_ARGS__, NF_EMU_RELEASE)

static inline unsigned long long simt_add_acq_rel(unsigned long long *p, unsigned long long x)
{
    __threadfence();
    const unsigned long long old = atomicAdd(p, x);
    __threadfence();
    return old;
}

#if defined(SIMT_RACE)
#define NF_EMU_READ_ONLY(site, p, size) nf__emu_read_only(site, p, size)
#else
#define NF_EMU_READ_ONLY(site, p, size) ((void)(site))
#endif

template <typename T> static inline T nf__emu_ldg(const nf__emu_site *site, const T *p)
{
    NF_EMU_READ_ONLY(site, p, sizeof(T));
    return *p;
}

static inline uint4 nf__emu_load16(const nf__emu_site *site, const void *p)
{
    if (((uintptr_t)p & 15u) != 0)
        nf__emu_misaligned(site, p, 16);
    return *static_cast<const uint4 *>(p);
}

#define __ldg(p) nf__emu_ldg(SIMT_SITE, p)
#define __ldcs(p) (*(p))
#define __ldcg(p) (*(p))
#define __stcs(p, x) ((void)(*(p) = (x)))
#define simt_prefetch(p) ((void)(p))
#define simt_await_before() ((void)0)
#define simt_let_next() ((void)0)
#define simt_load16(p) nf__emu_load16(SIMT_SITE, p)
#define simt_load16_once(p) nf__emu_load16(SIMT_SITE, p)
#define simt_load_once(p) __ldg(p)
#define simt_copy16_async(shared, global) nf__emu_copy16(SIMT_SITE, shared, global)
#define simt_copy_commit() nf__emu_copy_commit()

template <int N> static inline void simt_copy_wait()
{
    nf__emu_copy_wait(N);
}

#define simt_gate_open(gate) nf__emu_gate_open(SIMT_SITE, gate)
#define simt_gate_expect(gate, bytes) nf__emu_gate_expect(SIMT_SITE, gate, bytes)
#define simt_copy_bulk(shared, global, bytes, gate) nf__emu_copy_bulk(SIMT_SITE, shared, global, bytes, gate)
#define simt_gate_wait(gate, turn)                              \
    do {                                                        \
        while (!nf__emu_gate_passed(SIMT_SITE, (gate), (turn))) \
            simt_spin();                                        \
    } while (0)

#include "simt/emu_runtime.h"

#endif
