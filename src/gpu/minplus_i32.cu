/* minplus_i32.cu - products over (min, +) of 32-bit integers; see minplus.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_i32[2][3] = MINPLUS_RING(ring_i32);

} /* namespace SIMT_FLAVOUR */
