/* cutoff.h - the cutoff of a run in levels. */
#ifndef NF_GPU_CUTOFF_H
#define NF_GPU_CUTOFF_H

#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

/* Levels that it lets in, `most` of them where there is none. */
static inline unsigned levels_allowed(const nf__run *run, int64_t most)
{
    return !run->has_cutoff || run->cutoff_int > most ? (unsigned)most
           : run->cutoff_int < 0                      ? 0
                                                      : (unsigned)run->cutoff_int;
}

} /* namespace SIMT_FLAVOUR */

#endif
