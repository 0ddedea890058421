/* minplus_f64.cu - products over (min, +) of 64-bit floats; see minplus.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_f64[2][3] = MINPLUS_RING(ring_f64);

} /* namespace SIMT_FLAVOUR */
