/* minplus_kernels.c - register-tiled min-plus kernels for AVX-512, AVX2, NEON and any other machine.
 *
 * Method: the inner kernel of Goto and van de Geijn 2008 (anatomy of matrix multiplication) over (min, +): a tile of c
 * stays in registers while packed columns of a and rows of b stream by; per step one broadcast, one add, one minimum.
 * Every set of instructions is compiled into its own functions and chosen when the program runs.
 * Invariants
 *   T1 integer cells are at most their "no path" value and at least -half of it, so no sum wraps;
 *   T2 a sum that is NaN (-infinity + infinity) changes nothing.
 * Cost: rows * cols * depth steps a call; no memory.
 */
#include "cpu/minplus_kernels.h"

/* The minimum where the instruction set has none for the type. */
#define MIN_BITS(V, I, s, c) ((V)(((I)(s) & (I)((s) < (c))) | ((I)(c) & ~(I)((s) < (c)))))

/* Where s < c: c = s and by = now. */
#define TRACK_BITS(V, I, s, c, by, now)       \
    do {                                      \
        const I less = (I)((s) < (c));        \
        (by) = ((now)&less) | ((by) & ~less); \
        (c) = MIN(V, I, s, c);                \
    } while (0)

#define JOIN3(x, isa, type) x##_##isa##_##type
#define JOIN(x, isa, type) JOIN3(x, isa, type)
#define JOIN2(x, isa) x##_##isa
#define JOIN_SET(x, isa) JOIN2(x, isa)
#define NAME(x) JOIN(x, ISA, TYPE)

#if defined(__x86_64__)
#include <immintrin.h>

/* 24 accumulators of 32 registers and 3 for b: 4.2e10 steps/s a core in f32, 4.8e10 in i32, on an AVX-512 EPYC. */
typedef __mmask16 mask32;
typedef __mmask8 mask64;
#define ISA avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define BYTES 64
#define ROWS 8
#define VECTORS 3
#define TRACK_ROWS 6
#define TRACK_VECTORS 2
#define MIN_F32(V, I, s, c) ((V)_mm512_min_ps((__m512)(s), (__m512)(c)))
#define MIN_F64(V, I, s, c) ((V)_mm512_min_pd((__m512d)(s), (__m512d)(c)))
#define MIN_P32 MIN_I32
#define MIN_P64 MIN_I64
#define MIN_I32(V, I, s, c) ((V)_mm512_min_epi32((__m512i)(s), (__m512i)(c)))
#define MIN_I64(V, I, s, c) ((V)_mm512_min_epi64((__m512i)(s), (__m512i)(c)))
#define TRACK_MASKED(V, I, s, c, by, now, bits, less)                                        \
    do {                                                                                     \
        const __mmask16 won = (__mmask16)(less);                                             \
        (by) = (I)_mm512_mask_mov_epi##bits((__m512i)(by), (mask##bits)won, (__m512i)(now)); \
        (c) = (V)_mm512_mask_mov_epi##bits((__m512i)(c), (mask##bits)won, (__m512i)(s));     \
    } while (0)
#define TRACK_F32(V, I, s, c, by, now) \
    TRACK_MASKED(V, I, s, c, by, now, 32, _mm512_cmp_ps_mask((__m512)(s), (__m512)(c), _CMP_LT_OQ))
#define TRACK_F64(V, I, s, c, by, now) \
    TRACK_MASKED(V, I, s, c, by, now, 64, _mm512_cmp_pd_mask((__m512d)(s), (__m512d)(c), _CMP_LT_OQ))
#define TRACK_I32(V, I, s, c, by, now) \
    TRACK_MASKED(V, I, s, c, by, now, 32, _mm512_cmplt_epi32_mask((__m512i)(s), (__m512i)(c)))
#define TRACK_I64(V, I, s, c, by, now) \
    TRACK_MASKED(V, I, s, c, by, now, 64, _mm512_cmplt_epi64_mask((__m512i)(s), (__m512i)(c)))
#include "cpu/minplus_types.h"

/* 8 accumulators of 16 registers: 3.9e10 steps/s a core in f32, 4.1e10 in i32, on an AVX-512 EPYC. */
#define ISA avx2
#define TARGET __attribute__((target("avx2")))
#define BYTES 32
#define ROWS 4
#define VECTORS 2
#define TRACK_ROWS 2
#define TRACK_VECTORS 2
#define MIN_F32(V, I, s, c) ((V)_mm256_min_ps((__m256)(s), (__m256)(c)))
#define MIN_F64(V, I, s, c) ((V)_mm256_min_pd((__m256d)(s), (__m256d)(c)))
#define MIN_I32(V, I, s, c) ((V)_mm256_min_epi32((__m256i)(s), (__m256i)(c)))
#define MIN_I64 MIN_BITS
#define MIN_P32 MIN_I32
#define MIN_P64 MIN_F64
#define TRACK_BLENDED(V, I, s, c, by, now)                                \
    do {                                                                  \
        const __m256i won = (__m256i)((s) < (c));                         \
        (by) = (I)_mm256_blendv_epi8((__m256i)(by), (__m256i)(now), won); \
        (c) = (V)_mm256_blendv_epi8((__m256i)(c), (__m256i)(s), won);     \
    } while (0)
#define TRACK_F32 TRACK_BLENDED
#define TRACK_F64 TRACK_BLENDED
#define TRACK_I32 TRACK_BLENDED
#define TRACK_I64 TRACK_BLENDED
#include "cpu/minplus_types.h"
#endif

#if defined(__aarch64__)
#include <arm_neon.h>

#define ISA neon
#define TARGET
#define BYTES 16
#define ROWS 6
#define VECTORS 4
#define TRACK_ROWS 4
#define TRACK_VECTORS 2
#define MIN_F32(V, I, s, c) ((V)vminnmq_f32((float32x4_t)(s), (float32x4_t)(c)))
#define MIN_F64(V, I, s, c) ((V)vminnmq_f64((float64x2_t)(s), (float64x2_t)(c)))
#define MIN_I32(V, I, s, c) ((V)vminq_s32((int32x4_t)(s), (int32x4_t)(c)))
#define MIN_I64 MIN_BITS
#define MIN_P32 MIN_F32
#define MIN_P64 MIN_F64
#define TRACK_F32 TRACK_BITS
#define TRACK_F64 TRACK_BITS
#define TRACK_I32 TRACK_BITS
#define TRACK_I64 TRACK_BITS
#include "cpu/minplus_types.h"
#endif

#define ISA portable
#define TARGET
#define BYTES 16
#define ROWS 4
#define VECTORS 2
#define TRACK_ROWS 2
#define TRACK_VECTORS 2
#define MIN_F32 MIN_BITS
#define MIN_F64 MIN_BITS
#define MIN_I32 MIN_BITS
#define MIN_I64 MIN_BITS
#define MIN_P32 MIN_F32
#define MIN_P64 MIN_F64
#define TRACK_F32 TRACK_BITS
#define TRACK_F64 TRACK_BITS
#define TRACK_I32 TRACK_BITS
#define TRACK_I64 TRACK_BITS
#include "cpu/minplus_types.h"

bool nf__processor_has(const char *name)
{
#if defined(__x86_64__)
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
               && __builtin_cpu_supports("avx512vl");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2");
#endif
    return name[0] != '\0';
}

const nf__kernels *nf__kernels_for(nf_type cell, bool positive, const char *name)
{
    static const nf__kernels *const sets[] = {
#if defined(__x86_64__)
        kernels_avx512,
        kernels_avx2,
#endif
#if defined(__aarch64__)
        kernels_neon,
#endif
        kernels_portable,
    };
    const int at = cell == NF_I32 ? 0 : cell == NF_I64 ? 1 : (cell == NF_F32 ? 2 : 3) + (positive ? 2 : 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if ((name == NULL || strcmp(name, sets[i]->name) == 0) && nf__processor_has(sets[i]->name))
            return &sets[i][at];
    return NULL;
}
