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
    bool automatic; /* runs may go to `fast`, a GPU, which is opened by the first that can use it */
    bool fast_tried;
    const nf__backend *fast;
    void *fast_device;
    nf__attachment *attachments; /* graphs the device holds */
};

/* The backend and device a run takes: those of the context; for `auto`, the GPU's if it has the algorithm. */
void nf__context_pick(nf_context *ctx, nf_problem problem, const char *algorithm, const nf__backend **backend,
                      void **device);

#endif
