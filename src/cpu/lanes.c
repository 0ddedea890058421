/* lanes.c - one-to-all runs from as many sources as a vector has lanes, over one queue.
 *
 * Method: Bellman-Ford with a queue (Moore 1959), on vectors of labels: the arcs of a vertex are read once for all
 * sources, and one add, one comparison and one minimum relax an arc for all of them. It does more relaxations than a
 * priority queue, each of them far cheaper; where vertices fall too often (long, thin graphs) the run gives up and the
 * caller takes the sources one by one.
 * Invariants
 *   L1 a vertex is in the queue once if some label of it fell since it was last relaxed, else not at all;
 *   L2 labels fall strictly; parents are written with them, so every lane's are a tree (S3 of nsssp.c);
 *   L3 sums of labels and weights stay below "no path" + "no path".
 * Cost: O(n m) vector steps at worst; `most` bounds the vertices settled. Memory: 64 n + 5 n bytes.
 */
#include "cpu/lanes.h"

#include "cpu/minplus_kernels.h"

/* Settled vertices between looks at the stop flag. */
#define POLL_EVERY 256

#define JOIN3(x, isa, type) x##_##isa##_##type
#define JOIN(x, isa, type) JOIN3(x, isa, type)
#define JOIN2(x, isa) x##_##isa
#define JOIN_SET(x, isa) JOIN2(x, isa)
#define NAME(x) JOIN(x, ISA, TYPE)

#if defined(__x86_64__)
#include <immintrin.h>

#define ISA avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define BYTES 64
#define LESS_I32(s, c) ((uint32_t)_mm512_cmplt_epi32_mask((__m512i)(s), (__m512i)(c)))
#define LESS_I64(s, c) ((uint32_t)_mm512_cmplt_epi64_mask((__m512i)(s), (__m512i)(c)))
#define LESS_F32(s, c) ((uint32_t)_mm512_cmp_ps_mask((__m512)(s), (__m512)(c), _CMP_LT_OQ))
#define LESS_F64(s, c) ((uint32_t)_mm512_cmp_pd_mask((__m512d)(s), (__m512d)(c), _CMP_LT_OQ))
#define MIN_I32(V, s, c) ((V)_mm512_min_epi32((__m512i)(s), (__m512i)(c)))
#define MIN_I64(V, s, c) ((V)_mm512_min_epi64((__m512i)(s), (__m512i)(c)))
#define MIN_F32(V, s, c) ((V)_mm512_min_ps((__m512)(s), (__m512)(c)))
#define MIN_F64(V, s, c) ((V)_mm512_min_pd((__m512d)(s), (__m512d)(c)))
#include "cpu/lanes_types.h"

#define ISA avx2
#define TARGET __attribute__((target("avx2")))
#define BYTES 32
#define LESS_I32(s, c) ((uint32_t)_mm256_movemask_ps((__m256)((s) < (c))))
#define LESS_I64(s, c) ((uint32_t)_mm256_movemask_pd((__m256d)((s) < (c))))
#define LESS_F32(s, c) ((uint32_t)_mm256_movemask_ps((__m256)((s) < (c))))
#define LESS_F64(s, c) ((uint32_t)_mm256_movemask_pd((__m256d)((s) < (c))))
#define MIN_BLEND(V, s, c) ((V)_mm256_blendv_epi8((__m256i)(c), (__m256i)(s), (__m256i)((s) < (c))))
#define MIN_I32 MIN_BLEND
#define MIN_I64 MIN_BLEND
#define MIN_F32 MIN_BLEND
#define MIN_F64 MIN_BLEND
#include "cpu/lanes_types.h"
#endif

typedef int32_t bits32 __attribute__((vector_size(16)));
typedef int64_t bits64 __attribute__((vector_size(16)));

static inline uint32_t gather32(bits32 m)
{
    return (uint32_t)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

static inline uint32_t gather64(bits64 m)
{
    return (uint32_t)((m[0] & 1) | (m[1] & 2));
}

#define ISA portable
#define TARGET
#define BYTES 16
#define LESS_I32(s, c) gather32((bits32)((s) < (c)))
#define LESS_I64(s, c) gather64((bits64)((s) < (c)))
#define LESS_F32 LESS_I32
#define LESS_F64 LESS_I64
#define MIN_BITS(V, B, s, c) ((V)(((B)(s) & (B)((s) < (c))) | ((B)(c) & ~(B)((s) < (c)))))
#define MIN_I32(V, s, c) MIN_BITS(V, bits32, s, c)
#define MIN_I64(V, s, c) MIN_BITS(V, bits64, s, c)
#define MIN_F32 MIN_I32
#define MIN_F64 MIN_I64
#include "cpu/lanes_types.h"

const nf__lane_kernel *nf__lane_kernel_for(nf_type cell, const char *name)
{
    static const nf__lane_kernel *const sets[] = {
#if defined(__x86_64__)
        kernels_avx512,
        kernels_avx2,
#endif
        kernels_portable,
    };
    const int at = cell == NF_I32 ? 0 : cell == NF_I64 ? 1 : cell == NF_F32 ? 2 : 3;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if ((name == NULL || strcmp(name, sets[i]->name) == 0) && nf__processor_has(sets[i]->name))
            return &sets[i][at];
    return NULL;
}
