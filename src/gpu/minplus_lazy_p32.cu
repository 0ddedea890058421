/* minplus_lazy_p32.cu - lazy products over (min, +) of 32-bit floats that are not negative; see minplus_lazy.cuh. */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_lazy_p32[2][3] = MINPLUS_LAZY_RING(ring_p32);

} /* namespace SIMT_FLAVOUR */
