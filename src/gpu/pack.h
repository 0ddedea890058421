/* pack.h - the host's share of an upload: arrays as the device wants them, a piece at a time, by several threads. C, so
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

#ifdef __cplusplus
}
#endif

#endif
