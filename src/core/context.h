/* context.h - the context object, for src/core only. */
#ifndef NF_CORE_CONTEXT_H
#define NF_CORE_CONTEXT_H

#include <stdatomic.h>

#include "core/backend.h"

struct nf_context {
    nf__mem *mem;
    int threads;
    nf_log_fn log;
    void *log_user;
    nf_progress_fn progress;
    void *progress_user;
    double last_report; /* ms; the callback is not called more often than REPORT_MS */
    atomic_int cancel;
    const nf__backend *backend;
    void *device;
    char device_name[32];
};

#endif
