/* minplus_lazy_f64.cu - lazy products over (min, +) of 64-bit floats; see minplus_lazy.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_lazy_f64[2][3] = MINPLUS_LAZY_RING(ring_f64);

} /* namespace SIMT_FLAVOUR */
