/* minplus_lazy_i32.cu - lazy products over (min, +) of 32-bit integers; see minplus_lazy.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_lazy_i32[2][3] = MINPLUS_LAZY_RING(ring_i32);

} /* namespace SIMT_FLAVOUR */
