/* knobs.h - checking "name=value" against an algorithm's list; for src/core. */
#ifndef NF_CORE_KNOBS_H
#define NF_CORE_KNOBS_H

#include "core/base.h"

/* NF_EINVAL for a text that is not name=value, a name that is none of the algorithm's, or a value out of range. */
nf_status nf__knobs_check(const nf_algorithm_info *algorithm, const char *const *knobs, size_t count);

#endif
