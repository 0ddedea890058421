/* minplus_f32.cu - products over (min, +) of 32-bit floats; see minplus.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_f32[2][3] = MINPLUS_RING(ring_f32);

} /* namespace SIMT_FLAVOUR */
