/* minplus_n16.cu - products over (min, +) of 16-bit integers that are not negative, two in a register; see minplus.cuh.
 */
#include "gpu/minplus_launch.cuh"

namespace SIMT_FLAVOUR
{

extern const minplus_methods minplus_n16[3] = MINPLUS_PLAIN(MINPLUS_CLOSING, ring_n16);

} /* namespace SIMT_FLAVOUR */
