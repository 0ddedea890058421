/* emu_arena.c - the memory of an emulated device, and pinned host memory.
 *
 * Device memory is one range of addresses, reserved when the device is opened and handed out first fit, in pieces with
 * a gap behind each. The list of pieces lies outside of it.
 *
 * I1 spans cover [0, arena_high) in order, without holes, and no two free ones touch;
 * I2 new memory is 0xCB, a gap 0xA7; a gap that has changed when its piece is freed is an error;
 * I3 with the setting `protect`, the range is out of reach between arena_close and arena_open, so that host code that
 *    touches a device pointer faults; under ASan gaps and free pieces are poisoned;
 * I4 bytes_used counts what was asked for, rounded up to 256; the gaps are not counted, the limit is exact.
 * Time: linear in the number of pieces for each call.
 */
#include "simt/emu_impl.h"

#include <sys/mman.h>

#define FRESH 0xCB
#define CANARY 0xA7
#define UNIT 256
#define GAP 256
#define PAGE 4096
/* Address space reserved beyond the limit, for gaps and holes. */
#define SLACK (UINT64_C(1) << 30)

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + (bytes == 0) + UNIT - 1) / UNIT * UNIT;
}

bool nf__emu_arena_map(nf__emu *dev)
{
    dev->arena_bytes = dev->set.memory + dev->set.memory / 2 + SLACK;
    void *p = mmap(NULL, dev->arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    dev->arena = p == MAP_FAILED ? NULL : p;
    return dev->arena != NULL;
}

void nf__emu_arena_unmap(nf__emu *dev)
{
    for (unsigned i = 0; i < dev->pinned_count; i++)
        if (dev->pinned[i].owned)
            nf__emu_unmap(dev->pinned[i].p, dev->pinned[i].bytes);
    dev->pinned_count = 0;
    if (dev->arena == NULL)
        return;
    NF_EMU_UNPOISON(dev->arena, dev->arena_high);
    nf__emu_unmap(dev->arena, dev->arena_bytes);
    dev->arena = NULL;
    dev->arena_high = 0;
    dev->span_count = 0;
    dev->count.bytes_used = 0;
}

void nf__emu_arena_open(nf__emu *dev)
{
    if (dev->open_depth++ == 0 && dev->set.protect && dev->arena_high > 0)
        (void)mprotect(dev->arena, dev->arena_high, PROT_READ | PROT_WRITE);
}

void nf__emu_arena_close(nf__emu *dev)
{
    if (--dev->open_depth == 0 && dev->set.protect && dev->arena_high > 0)
        (void)mprotect(dev->arena, dev->arena_high, PROT_NONE);
}

bool nf__emu_is_device(const nf__emu *dev, const void *p)
{
    return (const char *)p >= dev->arena && (const char *)p < dev->arena + dev->arena_bytes;
}

/* The span that holds an offset below arena_high. */
static unsigned span_at(const nf__emu *dev, uint64_t offset)
{
    unsigned low = 0, high = dev->span_count;
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        if (dev->spans[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const nf__emu_span *nf__emu_span_of(const nf__emu *dev, const void *p)
{
    return &dev->spans[span_at(dev, (uint64_t)((const char *)p - dev->arena))];
}

bool nf__emu_is_allocated(const nf__emu *dev, const void *p, size_t bytes)
{
    if (!nf__emu_is_device(dev, p))
        return false;
    const uint64_t offset = (uint64_t)((const char *)p - dev->arena);
    if (offset >= dev->arena_high)
        return false;
    const nf__emu_span *span = &dev->spans[span_at(dev, offset)];
    return span->asked > 0 && bytes <= span->asked && offset - span->offset <= span->asked - bytes;
}

static void insert_span(nf__emu *dev, unsigned at, nf__emu_span span)
{
    memmove(&dev->spans[at + 1], &dev->spans[at], (dev->span_count - at) * sizeof span);
    dev->spans[at] = span;
    dev->span_count++;
}

static void remove_span(nf__emu *dev, unsigned at)
{
    dev->span_count--;
    memmove(&dev->spans[at], &dev->spans[at + 1], (dev->span_count - at) * sizeof dev->spans[at]);
}

/* Brings more of the range within reach; false when the range or the machine's memory ends. */
static bool grow(nf__emu *dev, uint64_t bytes)
{
    const uint64_t more = (bytes + PAGE - 1) / PAGE * PAGE;
    if (dev->arena_high + more > dev->arena_bytes)
        return false;
    if (mprotect(dev->arena + dev->arena_high, more, PROT_READ | PROT_WRITE) != 0)
        return false;
    NF_EMU_POISON(dev->arena + dev->arena_high, more);
    nf__emu_span *last = dev->span_count > 0 ? &dev->spans[dev->span_count - 1] : NULL;
    if (last != NULL && last->asked == 0) {
        last->bytes += more;
    } else {
        nf__emu_span span = {.offset = dev->arena_high, .bytes = more};
        insert_span(dev, dev->span_count, span);
    }
    dev->arena_high += more;
    return true;
}

/* The first free span of at least so many bytes; span_count when there is none. */
static unsigned find_free(const nf__emu *dev, uint64_t bytes)
{
    unsigned at = 0;
    while (at < dev->span_count && (dev->spans[at].asked > 0 || dev->spans[at].bytes < bytes))
        at++;
    return at;
}

static void *carve(nf__emu *dev, unsigned at, uint64_t asked)
{
    nf__emu_span *span = &dev->spans[at];
    const uint64_t bytes = rounded(asked) + GAP;
    if (span->bytes > bytes) {
        nf__emu_span rest = {.offset = span->offset + bytes, .bytes = span->bytes - bytes};
        span->bytes = bytes;
        insert_span(dev, at + 1, rest);
    }
    span->asked = asked;
    char *p = dev->arena + span->offset;
    NF_EMU_UNPOISON(p, bytes);
    memset(p, FRESH, asked);
    memset(p + asked, CANARY, bytes - asked);
    NF_EMU_POISON(p + asked, bytes - asked);
    dev->count.bytes_used += rounded(asked);
    if (dev->count.bytes_used > dev->count.bytes_peak)
        dev->count.bytes_peak = dev->count.bytes_used;
    return p;
}

static void *allocate(nf__emu *dev, uint64_t asked)
{
    const uint64_t bytes = rounded(asked) + GAP;
    if (dev->count.bytes_used + rounded(asked) > dev->set.memory || dev->span_count + 2 > NF_EMU_SPANS)
        return NULL;
    unsigned at = find_free(dev, bytes);
    if (at == dev->span_count) {
        if (!grow(dev, bytes))
            return NULL;
        at = find_free(dev, bytes);
    }
    return carve(dev, at, asked);
}

cudaError_t nf__emu_malloc(void **p, size_t bytes, cudaStream_t stream, int ordered)
{
    nf__emu *dev = nf__emu_current();
    (void)stream, (void)ordered;
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (dev->sticky != cudaSuccess)
        return dev->sticky;
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > dev->set.memory || ++dev->allocations == dev->set.fail_alloc)
        return nf__emu_say(dev, cudaErrorMemoryAllocation);
    nf__emu_arena_open(dev);
    *p = allocate(dev, bytes);
    nf__emu_arena_close(dev);
    return *p != NULL ? cudaSuccess : nf__emu_say(dev, cudaErrorMemoryAllocation);
}

static bool gap_is_whole(const char *gap, uint64_t bytes)
{
    NF_EMU_UNPOISON(gap, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        if ((unsigned char)gap[i] != CANARY)
            return false;
    return true;
}

static void merge_free(nf__emu *dev, unsigned at)
{
    if (at + 1 < dev->span_count && dev->spans[at + 1].asked == 0) {
        dev->spans[at].bytes += dev->spans[at + 1].bytes;
        remove_span(dev, at + 1);
    }
    if (at > 0 && dev->spans[at - 1].asked == 0) {
        dev->spans[at - 1].bytes += dev->spans[at].bytes;
        remove_span(dev, at);
    }
}

cudaError_t nf__emu_arena_free(nf__emu *dev, void *p)
{
    if (!nf__emu_is_allocated(dev, p, 1))
        return nf__emu_say(dev, cudaErrorInvalidValue);
    const uint64_t offset = (uint64_t)((char *)p - dev->arena);
    const unsigned at = span_at(dev, offset);
    nf__emu_span *span = &dev->spans[at];
    if (span->offset != offset)
        return nf__emu_say(dev, cudaErrorInvalidValue);
    nf__emu_arena_open(dev);
    const bool whole = gap_is_whole((char *)p + span->asked, span->bytes - span->asked);
    memset(p, FRESH, span->asked);
    NF_EMU_POISON(p, span->bytes);
    nf__emu_arena_close(dev);
    if (!whole)
        nf__emu_record_overrun(dev, p, span->asked);
    dev->count.bytes_used -= rounded(span->asked);
    span->asked = 0;
    merge_free(dev, at);
    return dev->sticky;
}

cudaError_t nf__emu_memory_info(size_t *free_bytes, size_t *total)
{
    const nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    *free_bytes = dev->set.memory - dev->count.bytes_used;
    *total = dev->set.memory;
    return dev->sticky;
}

/* ---- pinned host memory ------------------------------------------------------------------------------------------ */

static unsigned pinned_at(const nf__emu *dev, const void *p)
{
    for (unsigned i = 0; i < dev->pinned_count; i++)
        if ((const char *)p >= dev->pinned[i].p && (const char *)p < dev->pinned[i].p + dev->pinned[i].bytes)
            return i;
    return dev->pinned_count;
}

bool nf__emu_is_pinned(const nf__emu *dev, const void *p)
{
    return pinned_at(dev, p) < dev->pinned_count;
}

static cudaError_t pin(nf__emu *dev, void *p, size_t bytes, bool owned)
{
    if (p == NULL || dev->pinned_count == NF_EMU_PINNED)
        return nf__emu_say(dev, cudaErrorMemoryAllocation);
    nf__emu_pinned piece = {.p = p, .bytes = bytes, .owned = owned};
    dev->pinned[dev->pinned_count++] = piece;
    return cudaSuccess;
}

cudaError_t nf__emu_host_malloc(void **p, size_t bytes)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (dev->sticky != cudaSuccess)
        return dev->sticky;
    const size_t whole = (bytes + PAGE) / PAGE * PAGE;
    *p = NULL;
    if (++dev->allocations == dev->set.fail_alloc)
        return nf__emu_say(dev, cudaErrorMemoryAllocation);
    void *fresh = nf__emu_map(whole);
    const cudaError_t error = pin(dev, fresh, whole, true);
    if (error != cudaSuccess) {
        nf__emu_unmap(fresh, whole);
        return error;
    }
    memset(fresh, FRESH, bytes);
    *p = fresh;
    return cudaSuccess;
}

static void unpin(nf__emu *dev, unsigned at)
{
    if (dev->pinned[at].owned)
        nf__emu_unmap(dev->pinned[at].p, dev->pinned[at].bytes);
    dev->pinned[at] = dev->pinned[--dev->pinned_count];
}

cudaError_t nf__emu_host_free(void *p)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (p == NULL)
        return cudaSuccess;
    const cudaError_t error = nf__emu_drain(dev, NULL, true, 1e9);
    const unsigned at = pinned_at(dev, p);
    if (at == dev->pinned_count || dev->pinned[at].p != p || !dev->pinned[at].owned)
        return nf__emu_say(dev, cudaErrorInvalidValue);
    unpin(dev, at);
    return error;
}

cudaError_t nf__emu_host_register(void *p, size_t bytes, int on)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (on)
        return bytes == 0 ? nf__emu_say(dev, cudaErrorInvalidValue) : pin(dev, p, bytes, false);
    const cudaError_t error = nf__emu_drain(dev, NULL, true, 1e9);
    const unsigned at = pinned_at(dev, p);
    if (at == dev->pinned_count || dev->pinned[at].p != p || dev->pinned[at].owned)
        return nf__emu_say(dev, cudaErrorInvalidValue);
    unpin(dev, at);
    return error;
}

cudaError_t nf__emu_host_device_pointer(void **out, void *host)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    *out = nf__emu_is_pinned(dev, host) ? host : NULL;
    return *out != NULL ? cudaSuccess : nf__emu_say(dev, cudaErrorInvalidValue);
}

cudaError_t nf__emu_pool_attribute(enum cudaMemPoolAttr attribute, uint64_t *value, int set)
{
    const nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (set)
        return cudaSuccess;
    switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *value = dev->count.bytes_used; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *value = dev->count.bytes_peak; break;
    default: *value = 0; break;
    }
    return cudaSuccess;
}
