/* emu_stream.c - streams and events: operations wait in the order they were issued and run when the host asks.
 *
 * A GPU may run what waits in different streams in any order that keeps each stream's and the events' order. So may the
 * emulator: with order=random the next operation is drawn among those that may run, else the oldest runs. At times one
 * stream is slow, for up to SLOW_MOST operations: what waits in it does so while any other may run, so that what forgot
 * to wait for it comes first, however many operations that takes. The default stream (NULL) waits for all others, and
 * they for it.
 *
 * I1 an operation runs after all earlier ones of its stream, after what its events say, and after the default stream;
 * I2 once a kernel has failed, everything that waits is dropped, and every call says so until the device is reset;
 * I3 copies from or to host memory that is not pinned happen before the call returns.
 */
#include "simt/emu_impl.h"

#define CANDIDATES 16  /* streams looked at when one is drawn */
#define SLOW_MOST 128u /* operations that a stream is slow for, when there was a choice */

nf__emu_op *nf__emu_op_take(nf__emu *dev)
{
    nf__emu_op *op = dev->free_ops;
    if (op == NULL)
        return dev->op_high < NF_EMU_OPS ? &dev->ops[dev->op_high++] : NULL;
    dev->free_ops = op->next;
    return op;
}

void nf__emu_op_give(nf__emu *dev, nf__emu_op *op)
{
    op->next = dev->free_ops;
    dev->free_ops = op;
}

void nf__emu_op_issue(nf__emu *dev, nf__emu_op *op)
{
    op->next = NULL;
    *dev->queue_end = op;
    dev->queue_end = &op->next;
    if (op->stream != NULL)
        op->stream->waiting++;
}

void nf__emu_ops_reset(nf__emu *dev)
{
    dev->free_ops = NULL;
    dev->op_high = 0;
    dev->queue = NULL;
    dev->queue_end = &dev->queue;
    dev->children = NULL;
    dev->child_count = 0;
    dev->grid.op = NULL;
    for (int i = 0; i < NF_EMU_STREAMS; i++)
        dev->streams[i].waiting = 0;
    for (int i = 0; i < NF_EMU_EVENTS; i++)
        dev->events[i].done = dev->events[i].issued;
}

/* ---- what may run ------------------------------------------------------------------------------------------------ */

static bool is_open(const nf__emu_op *op)
{
    return op->kind != NF_EMU_OP_WAIT || op->event->done >= op->ticket;
}

/* Collects the links to operations that may run now, at most one of each stream. */
static unsigned candidates(nf__emu *dev, nf__emu_op **links[CANDIDATES])
{
    cudaStream_t seen[CANDIDATES];
    unsigned count = 0, streams = 0;
    for (nf__emu_op **link = &dev->queue; *link != NULL && streams < CANDIDATES; link = &(*link)->next) {
        const nf__emu_op *op = *link;
        bool first = true;
        for (unsigned i = 0; i < streams; i++)
            first = first && seen[i] != op->stream;
        if (op->stream == NULL && link != &dev->queue)
            break;
        if (first) {
            seen[streams++] = op->stream;
            if (is_open(op))
                links[count++] = link;
        }
        if (op->stream == NULL)
            break;
    }
    return count;
}

/* Draws one of the candidates; the slow stream's only if there is no other. One draw, whatever there is to choose
 * from. */
static nf__emu_op **draw(nf__emu *dev, nf__emu_op **links[], unsigned count)
{
    const uint64_t drawn = nf__emu_random(dev);
    if (count > 1 && dev->slow_left-- == 0) {
        const unsigned slow = (unsigned)((drawn >> 32) % (count + 1));
        dev->slow = slow < count ? (*links[slow])->stream : NULL;
        dev->slow_left = (unsigned)((drawn >> 40) % SLOW_MOST);
    }
    for (unsigned i = 0; i < count && count > 1; i++)
        if ((*links[i])->stream == dev->slow)
            links[i] = links[--count];
    return links[drawn % count];
}

static nf__emu_op *next_op(nf__emu *dev)
{
    nf__emu_op **links[CANDIDATES];
    nf__emu_op **link = &dev->queue;
    if (dev->set.order == NF_EMU_RANDOM) {
        const unsigned count = candidates(dev, links);
        if (count > 0)
            link = draw(dev, links, count);
    }
    nf__emu_op *op = *link;
    *link = op->next;
    if (dev->queue_end == &op->next)
        dev->queue_end = link;
    return op;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void count_copy(nf__emu *dev, const nf__emu_op *op)
{
    const uint64_t bytes = (uint64_t)op->width * op->rows;
    const bool to = nf__emu_is_device(dev, op->to), from = nf__emu_is_device(dev, op->from);
    dev->count.bytes_to_device += to && !from ? bytes : 0;
    dev->count.bytes_to_host += from && !to ? bytes : 0;
    dev->count.bytes_on_device += from && to ? bytes : 0;
}

static void run_copy(nf__emu *dev, const nf__emu_op *op)
{
    nf__emu_arena_open(dev);
    for (size_t row = 0; row < op->rows; row++)
        memmove((char *)op->to + row * op->to_pitch, (const char *)op->from + row * op->from_pitch, op->width);
    nf__emu_arena_close(dev);
    count_copy(dev, op);
}

static void run_simple(nf__emu *dev, const nf__emu_op *op)
{
    switch (op->kind) {
    case NF_EMU_OP_COPY: run_copy(dev, op); break;
    case NF_EMU_OP_FILL:
        nf__emu_arena_open(dev);
        memset(op->to, op->value, op->width);
        nf__emu_arena_close(dev);
        break;
    case NF_EMU_OP_FREE: (void)nf__emu_arena_free(dev, op->to); break;
    case NF_EMU_OP_RECORD:
        if (op->event->done < op->ticket)
            op->event->done = op->ticket;
        op->event->ms = nf__emu_seconds() * 1e3;
        break;
    case NF_EMU_OP_CALL: op->call(op->data); break;
    default: break;
    }
}

static void finish(nf__emu *dev, nf__emu_op *op)
{
    if (op->stream != NULL)
        op->stream->waiting--;
    nf__emu_op_give(dev, op);
}

/* The grid has ended: its children come next, then its tails, then what had been waiting. */
static void grid_ended(nf__emu *dev)
{
    nf__emu_grid *grid = &dev->grid;
    nf__emu_op *op = grid->op;
    grid->op = NULL;
    *grid->tails_end = dev->children;
    *grid->children_end = grid->tails;
    dev->children = grid->children;
    if (op->launch.kind == NF_EMU_LAUNCH_CHILD || op->launch.kind == NF_EMU_LAUNCH_TAIL)
        nf__emu_op_give(dev, op);
    else
        dev->parent = op;
    if (dev->children == NULL) {
        finish(dev, dev->parent);
        dev->parent = NULL;
    }
}

static void run_grid(nf__emu *dev, double seconds)
{
    nf__emu_arena_open(dev);
    nf__emu_signals_on(dev);
    const bool ended = nf__emu_resume(dev, seconds);
    nf__emu_signals_off(dev);
    nf__emu_arena_close(dev);
    if (dev->faulted) {
        nf__race_explain(dev);
        nf__emu_stacks_reset(dev);
        nf__emu_ops_reset(dev);
        dev->parent = NULL;
        return;
    }
    if (ended)
        grid_ended(dev);
}

/* Starts what comes next; false when nothing does. */
static bool start_next(nf__emu *dev)
{
    nf__emu_op *op = dev->children;
    if (op != NULL) {
        dev->children = op->next;
        dev->child_count--;
    } else if (dev->queue != NULL) {
        op = next_op(dev);
    } else {
        return false;
    }
    if (op->kind == NF_EMU_OP_LAUNCH) {
        nf__emu_grid_begin(dev, op);
    } else {
        run_simple(dev, op);
        finish(dev, op);
    }
    return true;
}

static bool is_idle(const nf__emu *dev, cudaStream_t stream, bool any)
{
    const bool busy = dev->queue != NULL || dev->grid.op != NULL || dev->children != NULL;
    return any || stream == NULL ? !busy : stream->waiting == 0;
}

cudaError_t nf__emu_drain(nf__emu *dev, cudaStream_t stream, bool any, double seconds)
{
    const double end = nf__emu_seconds() + seconds;
    if (dev->sticky != cudaSuccess)
        return dev->sticky;
    nf__emu *before = nf__emu_use(dev);
    cudaError_t error = cudaSuccess;
    while (dev->sticky == cudaSuccess && !is_idle(dev, stream, any)) {
        const double left = end - nf__emu_seconds();
        if (left <= 0) {
            error = cudaErrorNotReady;
            break;
        }
        if (dev->grid.op != NULL)
            run_grid(dev, left);
        else
            (void)start_next(dev);
    }
    (void)nf__emu_use(before);
    return dev->sticky != cudaSuccess ? nf__emu_say(dev, dev->sticky) : error;
}

/* ---- what every call begins with: the device, or why it is refused ----------------------------------------------- */

static bool is_stream(const nf__emu *dev, cudaStream_t stream)
{
    return stream == NULL || (stream->used && stream->device == dev);
}

static bool is_event(const nf__emu *dev, cudaEvent_t event)
{
    return event != NULL && event->used && event->device == dev;
}

/* The thread's device, which has not failed. */
static cudaError_t ready_device(nf__emu **out)
{
    nf__emu *dev = nf__emu_current();
    *out = dev;
    return dev == NULL ? cudaErrorInitializationError : dev->sticky;
}

/* The thread's device if the stream is one of its own; a failed one too. */
static cudaError_t device_of_stream(cudaStream_t stream, nf__emu **out)
{
    nf__emu *dev = nf__emu_current();
    *out = dev;
    if (dev == NULL)
        return cudaErrorInitializationError;
    return is_stream(dev, stream) ? cudaSuccess : nf__emu_say(dev, cudaErrorInvalidResourceHandle);
}

static cudaError_t device_of_event(cudaEvent_t event, nf__emu **out)
{
    nf__emu *dev = nf__emu_current();
    *out = dev;
    if (dev == NULL)
        return cudaErrorInitializationError;
    return is_event(dev, event) ? cudaSuccess : nf__emu_say(dev, cudaErrorInvalidResourceHandle);
}

/* The thread's device, which has not failed and has both. */
static cudaError_t ready_for_event(cudaEvent_t event, cudaStream_t stream, nf__emu **out)
{
    const cudaError_t error = ready_device(out);
    if (error != cudaSuccess)
        return error;
    return is_event(*out, event) ? device_of_stream(stream, out) : nf__emu_say(*out, cudaErrorInvalidResourceHandle);
}

/* ---- copies and fills -------------------------------------------------------------------------------------------- */

/* A free operation, after running some when all are in use; NULL after a fault. */
static nf__emu_op *need_op(nf__emu *dev, cudaStream_t stream, enum nf__emu_op_kind kind)
{
    nf__emu_op *op = nf__emu_op_take(dev);
    if (op == NULL) {
        (void)nf__emu_drain(dev, NULL, true, 1e9);
        op = nf__emu_op_take(dev);
    }
    op->stream = stream;
    op->kind = kind;
    return op;
}

static bool direction_is_right(const nf__emu *dev, const void *to, const void *from, enum cudaMemcpyKind kind)
{
    const bool to_device = nf__emu_is_device(dev, to), from_device = nf__emu_is_device(dev, from);
    switch (kind) {
    case cudaMemcpyHostToHost: return !to_device && !from_device;
    case cudaMemcpyHostToDevice: return to_device && !from_device;
    case cudaMemcpyDeviceToHost: return !to_device && from_device;
    case cudaMemcpyDeviceToDevice: return to_device && from_device;
    default: return true;
    }
}

static bool range_is_right(const nf__emu *dev, const void *p, size_t pitch, size_t width, size_t rows)
{
    return !nf__emu_is_device(dev, p) || nf__emu_is_allocated(dev, p, pitch * (rows - 1) + width);
}

static bool is_immediate(const nf__emu *dev, const void *p)
{
    return !nf__emu_is_device(dev, p) && !nf__emu_is_pinned(dev, p);
}

cudaError_t nf__emu_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                         enum cudaMemcpyKind kind, cudaStream_t stream, int ordered)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = ready_device(&dev);
    if (refused != cudaSuccess)
        return refused;
    if (width == 0 || rows == 0)
        return cudaSuccess;
    if (rows > 1 && (to_pitch < width || from_pitch < width))
        return nf__emu_say(dev, cudaErrorInvalidPitchValue);
    if (!direction_is_right(dev, to, from, kind) || !range_is_right(dev, to, to_pitch, width, rows)
        || !range_is_right(dev, from, from_pitch, width, rows))
        return nf__emu_say(dev, cudaErrorInvalidValue);
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_COPY);
    op->to = to;
    op->from = from;
    op->to_pitch = to_pitch;
    op->from_pitch = from_pitch;
    op->width = width;
    op->rows = rows;
    nf__emu_op_issue(dev, op);
    if (!ordered || is_immediate(dev, to) || is_immediate(dev, from))
        return nf__emu_drain(dev, stream, false, 1e9);
    return cudaSuccess;
}

cudaError_t nf__emu_fill(void *p, int value, size_t bytes, cudaStream_t stream, int ordered)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = ready_device(&dev);
    if (refused != cudaSuccess)
        return refused;
    if (bytes == 0)
        return cudaSuccess;
    if (!nf__emu_is_allocated(dev, p, bytes))
        return nf__emu_say(dev, cudaErrorInvalidValue);
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_FILL);
    op->to = p;
    op->value = value;
    op->width = bytes;
    nf__emu_op_issue(dev, op);
    return ordered ? cudaSuccess : nf__emu_drain(dev, stream, false, 1e9);
}

cudaError_t nf__emu_free(void *p, cudaStream_t stream, int ordered)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (p == NULL)
        return cudaSuccess;
    if (dev->sticky != cudaSuccess)
        return dev->sticky;
    if (!ordered) {
        const cudaError_t error = nf__emu_drain(dev, NULL, true, 1e9);
        return error != cudaSuccess ? error : nf__emu_arena_free(dev, p);
    }
    if (!nf__emu_is_allocated(dev, p, 1))
        return nf__emu_say(dev, cudaErrorInvalidValue);
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_FREE);
    op->to = p;
    nf__emu_op_issue(dev, op);
    return cudaSuccess;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Time a query gives the device: long enough to get on, short enough for a host that polls. */
#define QUERY_SECONDS 0.004

cudaError_t nf__emu_stream_create(cudaStream_t *out)
{
    nf__emu *dev = nf__emu_current();
    *out = NULL;
    if (dev == NULL)
        return cudaErrorInitializationError;
    for (int i = 0; i < NF_EMU_STREAMS; i++) {
        if (dev->streams[i].used)
            continue;
        dev->streams[i].used = true;
        dev->streams[i].device = dev;
        dev->streams[i].waiting = 0;
        *out = &dev->streams[i];
        return dev->sticky;
    }
    return nf__emu_say(dev, cudaErrorMemoryAllocation);
}

cudaError_t nf__emu_stream_destroy(cudaStream_t stream)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (stream == NULL || !is_stream(dev, stream))
        return nf__emu_say(dev, cudaErrorInvalidResourceHandle);
    const cudaError_t error = nf__emu_drain(dev, stream, false, 1e9);
    stream->used = false;
    return error;
}

cudaError_t nf__emu_stream_sync(cudaStream_t stream)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = device_of_stream(stream, &dev);
    if (refused != cudaSuccess)
        return refused;
    return nf__emu_drain(dev, stream, false, 1e9);
}

cudaError_t nf__emu_stream_query(cudaStream_t stream)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = device_of_stream(stream, &dev);
    if (refused != cudaSuccess)
        return refused;
    return nf__emu_drain(dev, stream, false, QUERY_SECONDS);
}

cudaError_t nf__emu_device_sync(void)
{
    nf__emu *dev = nf__emu_current();
    return dev == NULL ? cudaErrorInitializationError : nf__emu_drain(dev, NULL, true, 1e9);
}

cudaError_t nf__emu_stream_call(cudaStream_t stream, void (*function)(void *data), void *data)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = ready_device(&dev);
    if (refused != cudaSuccess)
        return refused;
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_CALL);
    op->call = function;
    op->data = data;
    nf__emu_op_issue(dev, op);
    return cudaSuccess;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

cudaError_t nf__emu_event_create(cudaEvent_t *out)
{
    nf__emu *dev = nf__emu_current();
    *out = NULL;
    if (dev == NULL)
        return cudaErrorInitializationError;
    for (int i = 0; i < NF_EMU_EVENTS; i++) {
        if (dev->events[i].used)
            continue;
        memset(&dev->events[i], 0, sizeof dev->events[i]);
        dev->events[i].used = true;
        dev->events[i].device = dev;
        *out = &dev->events[i];
        return dev->sticky;
    }
    return nf__emu_say(dev, cudaErrorMemoryAllocation);
}

cudaError_t nf__emu_event_destroy(cudaEvent_t event)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = device_of_event(event, &dev);
    if (refused != cudaSuccess)
        return refused;
    cudaError_t error = event->done < event->issued ? nf__emu_drain(dev, NULL, true, 1e9) : cudaSuccess;
    event->used = false;
    return error;
}

cudaError_t nf__emu_event_record(cudaEvent_t event, cudaStream_t stream)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = ready_for_event(event, stream, &dev);
    if (refused != cudaSuccess)
        return refused;
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_RECORD);
    op->event = event;
    op->ticket = ++event->issued;
    nf__emu_op_issue(dev, op);
    return cudaSuccess;
}

cudaError_t nf__emu_stream_wait(cudaStream_t stream, cudaEvent_t event)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = ready_for_event(event, stream, &dev);
    if (refused != cudaSuccess)
        return refused;
    nf__emu_op *op = need_op(dev, stream, NF_EMU_OP_WAIT);
    op->event = event;
    op->ticket = event->issued;
    nf__emu_op_issue(dev, op);
    return cudaSuccess;
}

cudaError_t nf__emu_event_sync(cudaEvent_t event)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = device_of_event(event, &dev);
    if (refused != cudaSuccess)
        return refused;
    return event->done < event->issued ? nf__emu_drain(dev, NULL, true, 1e9) : dev->sticky;
}

cudaError_t nf__emu_event_query(cudaEvent_t event)
{
    nf__emu *dev = NULL;
    const cudaError_t refused = device_of_event(event, &dev);
    if (refused != cudaSuccess)
        return refused;
    if (event->done < event->issued) {
        const cudaError_t error = nf__emu_drain(dev, NULL, true, QUERY_SECONDS);
        if (error != cudaSuccess && error != cudaErrorNotReady)
            return error;
    }
    return event->done < event->issued ? cudaErrorNotReady : dev->sticky;
}

cudaError_t nf__emu_event_elapsed(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (!is_event(dev, from) || !is_event(dev, to) || from->issued == 0 || to->issued == 0)
        return nf__emu_say(dev, cudaErrorInvalidResourceHandle);
    if (from->done < from->issued || to->done < to->issued)
        return cudaErrorNotReady;
    *ms = (float)(to->ms - from->ms);
    return dev->sticky;
}
