/* frontier_child.cu - the mapping that launches kernels from kernels, for every step; a file of its own, since such
 * code is compiled apart (mapping_children.cuh). */
#include "gpu/engine.cuh"
#include "gpu/mapping_children.cuh"
#include "gpu/step_classes.cuh"
#include "gpu/step_far.cuh"
#include "gpu/step_ids.cuh"

namespace SIMT_FLAVOUR
{

template <class F, class Off>
cudaError_t launch_children(unsigned grid, unsigned block, cudaStream_t stream, const arena<Off> &a, const F &f,
                            const plan &pl, unsigned round, int front)
{
    return SIMT_LAUNCH((parent_kernel<F, Off>), grid, block, 0, stream, a, f, pl, round, front);
}

#define LAUNCHER(F, Off)                                                                                          \
    template cudaError_t launch_children<F, Off>(unsigned, unsigned, cudaStream_t, const arena<Off> &, const F &, \
                                                 const plan &, unsigned, int);
LAUNCHER(ids_step, uint32_t)
LAUNCHER(ids_step, uint64_t)
LAUNCHER(bfs_step, uint32_t)
LAUNCHER(bfs_step, uint64_t)
LAUNCHER(relax_step<uint32_t>, uint32_t)
LAUNCHER(relax_step<uint32_t>, uint64_t)
LAUNCHER(relax_step<word64>, uint32_t)
LAUNCHER(relax_step<word64>, uint64_t)
LAUNCHER(class_step<uint32_t>, uint32_t)
LAUNCHER(class_step<uint32_t>, uint64_t)
LAUNCHER(class_step<word64>, uint32_t)
LAUNCHER(class_step<word64>, uint64_t)
LAUNCHER(far_step<uint32_t>, uint32_t)
LAUNCHER(far_step<uint32_t>, uint64_t)
LAUNCHER(far_step<word64>, uint32_t)
LAUNCHER(far_step<word64>, uint64_t)

} /* namespace SIMT_FLAVOUR */
