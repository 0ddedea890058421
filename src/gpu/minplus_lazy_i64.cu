/* minplus_lazy_i64.cu - lazy products over (min, +) of 64-bit integers; see minplus_lazy.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_lazy_i64[2][3] = MINPLUS_LAZY_RING(ring_i64);

} /* namespace SIMT_FLAVOUR */
