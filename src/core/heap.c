/* heap.c - the public bucket heap: arguments checked once, then the device's own.
 *
 * Invariant: whatever is passed on to a backend is in range, so that its methods fail only for want of memory, a fault
 * of the device or a cancel. Cost beyond the backend: O(count) for the check.
 */
#include "core/context.h"
#include "core/memory.h"
#include "core/registry.h"

struct nf_heap {
    nf_context *ctx, *owned; /* owned: made for this heap, where the caller gave none */
    const nf__heap_methods *methods;
    void *own; /* the backend's */
    nf_vid values;
};

nf_status nf_heap_create(nf_context *ctx, nf_vid values, const nf_heap_options *options, nf_heap **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_heap *h = NULL;
    nf_heap_options o;
    if (out == NULL)
        return nf__fail(NF_EINVAL, "nf_heap_create: out is NULL");
    *out = NULL;
    NF_TAKE_OPTIONS(o, options);
    if (values == 0 || values > NF__HEAP_VALUES)
        return nf__fail(NF_EINVAL, "a heap takes 1 to %u values, not %u", NF__HEAP_VALUES, values);
    if (o.batch > NF__HEAP_BATCH_MOST)
        return nf__fail(NF_EINVAL, "batch is %u; expected 0 (the device's own) to %u", o.batch, NF__HEAP_BATCH_MOST);
    NF_TRY(nf__enter(&ctx, &owned));
    if (ctx->backend->heaps == NULL)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "device '%s' has no heap", ctx->backend->name));
    NF_TRY_ALLOC(h, nf__zalloc(ctx->mem, 1, sizeof *h));
    h->ctx = ctx;
    h->methods = ctx->backend->heaps;
    h->values = values;
    NF_TRY(h->methods->create(ctx, ctx->device, values, o.batch, &h->own));
    h->owned = owned;
    *out = h;
    return NF_OK;
done:
    nf__free(h);
    return nf__leave(ctx, owned, st);
}

void nf_heap_free(nf_heap *heap)
{
    if (heap == NULL)
        return;
    nf_context *owned = heap->owned;
    heap->methods->destroy(heap->own);
    nf__free(heap);
    nf_context_free(owned);
}

/* Arrays that are there, and values in range. */
static nf_status check_items(const nf_heap *heap, const char *call, const nf_vid *values, uint64_t count)
{
    if (heap == NULL)
        return nf__fail(NF_EINVAL, "%s: the heap is NULL", call);
    if (values == NULL && count != 0)
        return nf__fail(NF_EINVAL, "%s: the list of values is NULL", call);
    for (uint64_t i = 0; i < count; i++)
        if (values[i] >= heap->values)
            return nf__fail(NF_EINVAL, "%s: value %u is out of range; the heap takes values below %u", call, values[i],
                            heap->values);
    return NF_OK;
}

nf_status nf_heap_update(nf_heap *heap, const uint64_t *priorities, const nf_vid *values, uint64_t count)
{
    nf_status st = NF_OK;
    NF_TRY(check_items(heap, "nf_heap_update", values, count));
    if (priorities == NULL && count != 0)
        return nf__fail(NF_EINVAL, "nf_heap_update: the list of priorities is NULL");
    if (count != 0)
        st = nf__leave(heap->ctx, NULL, heap->methods->update(heap->own, priorities, values, count));
done:
    return st;
}

nf_status nf_heap_delete(nf_heap *heap, const nf_vid *values, uint64_t count)
{
    nf_status st = NF_OK;
    NF_TRY(check_items(heap, "nf_heap_delete", values, count));
    if (count != 0)
        st = nf__leave(heap->ctx, NULL, heap->methods->remove(heap->own, values, count));
done:
    return st;
}

nf_status nf_heap_extract_min(nf_heap *heap, uint64_t count, uint64_t *priorities, nf_vid *values, uint64_t *taken)
{
    nf_status st = NF_OK;
    if (taken == NULL)
        return nf__fail(NF_EINVAL, "nf_heap_extract_min: taken is NULL");
    *taken = 0;
    NF_TRY(check_items(heap, "nf_heap_extract_min", NULL, 0));
    if ((priorities == NULL || values == NULL) && count != 0)
        return nf__fail(NF_EINVAL, "nf_heap_extract_min: priorities or values is NULL");
    if (count != 0)
        st = nf__leave(heap->ctx, NULL, heap->methods->extract(heap->own, count, priorities, values, taken));
done:
    return st;
}

uint64_t nf_heap_size(const nf_heap *heap)
{
    return heap == NULL ? 0 : heap->methods->size(heap->own);
}
