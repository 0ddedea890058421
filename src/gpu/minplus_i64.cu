/* minplus_i64.cu - products over (min, +) of 64-bit integers; see minplus.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_i64[2][3] = MINPLUS_RING(ring_i64);

} /* namespace SIMT_FLAVOUR */
