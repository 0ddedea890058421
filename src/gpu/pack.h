/* pack.h - the host's share of moving: arrays as the device or the core wants them, by several threads. C, so
 * that both flavours of src/gpu use one compiled copy with OpenMP. */
#ifndef NF_GPU_PACK_H
#define NF_GPU_PACK_H

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes bytes [at, at + bytes) of an image of `source` to `to`. */
typedef void (*nf__pack_fn)(const void *source, uint64_t at, uint64_t bytes, void *to, int threads);

/* source: bytes, as they are. */
void nf__pack_copy(const void *source, uint64_t at, uint64_t bytes, void *to, int threads);
/* source: an nf_csr. The image is m pairs (target, 32 bits of weight); `at` and `bytes` are multiples of 8. Unweighted
 * graphs have weight 1. */
void nf__pack_pairs(const void *source, uint64_t at, uint64_t bytes, void *to, int threads);

/* n hops, UINT32_MAX where unreached, as distances of a type: I32 (hops), I64, F32 or F64. */
void nf__pack_hops(const uint32_t *hops, uint64_t n, nf_type type, void *to, int threads);

#ifdef __cplusplus
}
#endif

#endif
