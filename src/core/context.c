/* context.c - contexts: settings, cancelling, progress, logging, and the frame of every public call. */
#include "core/context.h"

#include <omp.h>
#include <time.h>

#include "core/memory.h"
#include "core/registry.h"

#define REPORT_MS 50.0 /* between two calls of the progress callback: a person sees no more than 20 a second */
#define MOST_THREADS 4096
#define ITEMS_PER_THREAD 16384 /* some 10 us of a simple pass: what waking a thread costs */

double nf__now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static nf_status check_options(const nf_context_options *o)
{
    if (o->threads < 0 || o->threads > MOST_THREADS)
        return nf__fail(NF_EINVAL, "threads is %d; expected 0 (all) to %d", o->threads, MOST_THREADS);
    if ((o->allocator.alloc == NULL) != (o->allocator.free == NULL))
        return nf__fail(NF_EINVAL, "the allocator has only one of alloc and free; expected both or none");
    return NF_OK;
}

nf_status nf_context_create(const nf_context_options *options, nf_context **out)
{
    nf_status st = NF_OK;
    nf_context *ctx = NULL;
    nf__mem *mem = NULL;
    const nf__backend *backend = NULL;
    nf_context_options o;
    int index = 0;
    if (out == NULL)
        return nf__fail(NF_EINVAL, "nf_context_create: out is NULL");
    *out = NULL;
    NF_TAKE_OPTIONS(o, options);
    NF_TRY(check_options(&o));
    NF_TRY(nf__registry_device(o.device, &backend, &index));
    mem = nf__mem_create(&o.allocator, o.memory_limit);
    if (mem == NULL)
        return nf__fail(NF_ENOMEM, "no memory for a context");
    NF_TRY_ALLOC(ctx, nf__zalloc(mem, 1, sizeof *ctx));
    ctx->mem = mem;
    ctx->threads = o.threads != 0 ? o.threads : omp_get_max_threads();
    ctx->log = o.log;
    ctx->log_user = o.log_user;
    ctx->progress = o.progress;
    ctx->progress_user = o.progress_user;
    ctx->last_report = nf__now_ms();
    atomic_init(&ctx->cancel, 0);
    ctx->automatic = o.device == NULL || strcmp(o.device, "auto") == 0;
    NF_TRY(backend->open(ctx, index, &ctx->device));
    ctx->backend = backend;
    *out = ctx;
    ctx = NULL;
    mem = NULL;
done:
    nf__free(ctx);
    nf__mem_release(mem);
    return st;
}

void nf_context_free(nf_context *ctx)
{
    if (ctx == NULL)
        return;
    nf__mem *mem = ctx->mem;
    nf__attachments_close_context(ctx->attachments);
    if (ctx->fast != NULL)
        ctx->fast->close(ctx->fast_device);
    ctx->backend->close(ctx->device);
    nf__free(ctx);
    nf__mem_release(mem);
}

void nf__context_pick(nf_context *ctx, nf_problem problem, const char *algorithm, const nf__backend **backend,
                      void **device)
{
    const nf__backend *fast = ctx->automatic ? nf__registry_faster(problem, algorithm) : NULL;
    if (fast != NULL && !ctx->fast_tried) {
        ctx->fast_tried = true;
        if (fast->open(ctx, 0, &ctx->fast_device) == NF_OK)
            ctx->fast = fast;
        else
            nf__log(ctx, NF_LOG_WARNING, "the CPU runs it: %s", nf_last_error());
    }
    *backend = fast != NULL && ctx->fast != NULL ? ctx->fast : ctx->backend;
    *device = *backend == ctx->backend ? ctx->device : ctx->fast_device;
}

void nf_context_cancel(nf_context *ctx)
{
    if (ctx != NULL)
        atomic_store(&ctx->cancel, 1);
}

uint64_t nf_context_bytes(const nf_context *ctx, uint64_t *peak)
{
    if (peak != NULL)
        *peak = 0;
    return ctx == NULL ? 0 : nf__mem_used(ctx->mem, peak);
}

nf__mem *nf__context_mem(const nf_context *ctx)
{
    return ctx->mem;
}

int nf__context_threads(const nf_context *ctx)
{
    return ctx->threads;
}

int nf__threads_for(const nf_context *ctx, uint64_t items)
{
    const uint64_t worth = items / ITEMS_PER_THREAD + 1;
    return worth < (uint64_t)ctx->threads ? (int)worth : ctx->threads;
}

int nf__team_for(const nf_context *ctx, uint64_t items)
{
    return items < ITEMS_PER_THREAD ? 1 : ctx->threads;
}

nf_status nf__poll(nf_context *ctx)
{
    if (atomic_load_explicit(&ctx->cancel, memory_order_relaxed) != 0)
        return nf__fail(NF_ECANCELLED, "cancelled");
    return NF_OK;
}

nf_status nf__progress(nf_context *ctx, const char *phase, uint64_t done, uint64_t total)
{
    if (ctx->progress != NULL && atomic_load_explicit(&ctx->cancel, memory_order_relaxed) == 0) {
        const double now = nf__now_ms();
        if (now - ctx->last_report >= REPORT_MS) {
            ctx->last_report = now;
            if (ctx->progress(ctx->progress_user, phase, done, total))
                nf_context_cancel(ctx);
        }
    }
    return nf__poll(ctx);
}

bool nf__log_wanted(const nf_context *ctx)
{
    return ctx->log != NULL;
}

void nf__log(const nf_context *ctx, nf_log_level level, const char *format, ...)
{
    char text[512];
    va_list args;
    if (ctx->log == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->log(ctx->log_user, level, text);
}

nf_status nf__enter(nf_context **ctx, nf_context **owned)
{
    *owned = NULL;
    if (*ctx != NULL)
        return NF_OK;
    nf_status st = nf_context_create(NULL, owned);
    *ctx = *owned;
    return st;
}

nf_status nf__leave(nf_context *ctx, nf_context *owned, nf_status st)
{
    if (ctx != NULL && st == NF_ECANCELLED)
        atomic_store(&ctx->cancel, 0);
    nf_context_free(owned);
    return st;
}
