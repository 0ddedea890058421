/* registry.h - the list of backends, for src/core only. */
#ifndef NF_CORE_REGISTRY_H
#define NF_CORE_REGISTRY_H

#include "core/backend.h"

/* The backend and the device index behind a name: "cpu", "gpu", "gpu:1"; the CPU for "auto" and NULL.
 * NF_ENODEVICE with the reason. */
nf_status nf__registry_device(const char *name, const nf__backend **backend, int *index);

/* What `auto` takes before the CPU for a problem and the algorithm asked for: a GPU that is there and has it; else
 * NULL. */
const nf__backend *nf__registry_faster(nf_problem problem, const char *name);

/* The algorithm of a backend for a problem; NF_ENOTFOUND with the nearest names. */
nf_status nf__registry_algorithm(const nf__backend *backend, nf_problem problem, const char *name,
                                 const nf__algorithm **out);

#endif
