/* gpu.h - the two backends made from src/gpu: the same sources compiled by nvcc (`gpu`) and by the host compiler over
 * the emulator of src/simt (`emulator`). Which of them a build has, NF_HAS_GPU and NF_HAS_EMULATOR say.
 */
#ifndef NF_GPU_GPU_H
#define NF_GPU_GPU_H

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const nf__backend nf__gpu_backend, nf__emulator_backend;

#ifdef __cplusplus
}
#endif

#endif
