/* minplus_p32.cu - products over (min, +) of 32-bit floats that are not negative; see minplus.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_p32[2][3] = MINPLUS_RING(ring_p32);

} /* namespace SIMT_FLAVOUR */
