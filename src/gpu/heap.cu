/* heap.cu - nf_heap on the device, over bucket_heap.cu: items travel in pieces, one launch each.
 *
 * Cost and memory are those of bucket_heap.cuh, and two arrays of a piece.
 */
#include "gpu/algorithms.h"
#include "gpu/bucket_heap.h"

namespace SIMT_FLAVOUR
{

#define BATCH 512u   /* level 0 then lies in shared memory on every chip from sm_80; not measured on a GPU yet */
#define PIECE 65536u /* items of a launch */

typedef struct owned_heap {
    heap_store<word64> store;
    word64 *p;
    uint32_t *v;
    uint64_t *taken;
    uint32_t size; /* after the latest call */
} owned_heap;

static void destroy(void *heap_of)
{
    owned_heap *o = (owned_heap *)heap_of;
    if (o == NULL)
        return;
    device *d = o->store.d;
    if (d != NULL) {
        device_free(d, o->p);
        device_free(d, o->v);
        device_free(d, o->taken);
        heap_close(&o->store);
    }
    nf__free(o);
}

static nf_status create(nf_context *ctx, void *device_of, nf_vid values, uint32_t batch, void **out)
{
    nf_status st = NF_OK;
    device *d = (device *)device_of;
    owned_heap *o = NULL;
    NF_TRY(device_enter(d));
    NF_TRY_ALLOC(o, (owned_heap *)nf__zalloc(nf__context_mem(ctx), 1, sizeof *o));
    NF_TRY(device_foresee(d, heap_bytes<word64>(d, values, batch != 0 ? batch : BATCH), "the heap"));
    NF_TRY(heap_open(d, values, batch != 0 ? batch : BATCH, 0, &o->store));
    NF_TRY(device_alloc(d, (uint64_t)PIECE, &o->p));
    NF_TRY(device_alloc(d, (uint64_t)PIECE, &o->v));
    NF_TRY(device_alloc(d, 1, &o->taken));
    NF_TRY(heap_clear(&o->store));
    *out = o;
    o = NULL;
done:
    destroy(o);
    return st;
}

/* Carries one piece out, and takes note of the size. *cancelled: somebody asked to; the piece was carried out all the
 * same. */
static nf_status carry_out(owned_heap *o, heap_order order, uint64_t count, bool *cancelled)
{
    nf_status st = NF_OK;
    device *d = o->store.d;
    NF_TRY(heap_carry_out(&o->store, order, o->p, o->v, count, o->taken));
    st = device_finish(d, "heap", 0);
    *cancelled = st == NF_ECANCELLED;
    if (st != NF_OK && !*cancelled)
        goto done;
    NF_TRY(device_download(d, &o->size, &o->store.h->size, sizeof o->size));
    st = NF_OK;
done:
    return st;
}

/* priorities: NULL for deletions. */
static nf_status change(owned_heap *o, heap_order order, const uint64_t *priorities, const nf_vid *values,
                        uint64_t count)
{
    nf_status st = NF_OK;
    device *d = o->store.d;
    bool cancelled = false;
    NF_TRY(device_enter(d));
    for (uint64_t first = 0; first < count; first += PIECE) {
        const uint64_t now = count - first < PIECE ? count - first : PIECE;
        if (priorities != NULL)
            NF_TRY(device_upload(d, o->p, priorities + first, now * sizeof *o->p, NULL));
        NF_TRY(device_upload(d, o->v, values + first, now * sizeof *o->v, NULL));
        NF_TRY(carry_out(o, order, now, &cancelled));
        if (cancelled)
            NF_TRY(nf__fail(NF_ECANCELLED, "cancelled"));
    }
done:
    return st;
}

static nf_status update(void *heap_of, const uint64_t *priorities, const nf_vid *values, uint64_t count)
{
    return change((owned_heap *)heap_of, HEAP_UPDATE, priorities, values, count);
}

static nf_status take_out(void *heap_of, const nf_vid *values, uint64_t count)
{
    return change((owned_heap *)heap_of, HEAP_DELETE, NULL, values, count);
}

static nf_status extract(void *heap_of, uint64_t count, uint64_t *priorities, nf_vid *values, uint64_t *taken)
{
    nf_status st = NF_OK;
    owned_heap *o = (owned_heap *)heap_of;
    device *d = o->store.d;
    bool cancelled = false;
    NF_TRY(device_enter(d));
    while (*taken < count && o->size > 0) {
        const uint64_t left = count - *taken, most = left < o->size ? left : o->size;
        const uint64_t now = most < PIECE ? most : PIECE;
        NF_TRY(carry_out(o, HEAP_EXTRACT, now, &cancelled));
        NF_TRY(device_download(d, priorities + *taken, o->p, now * sizeof *o->p));
        NF_TRY(device_download(d, values + *taken, o->v, now * sizeof *o->v));
        *taken += now;
        if (cancelled)
            NF_TRY(nf__fail(NF_ECANCELLED, "cancelled"));
    }
done:
    return st;
}

static uint64_t size(const void *heap_of)
{
    return ((const owned_heap *)heap_of)->size;
}

extern const nf__heap_methods heap_methods = {create, destroy, update, take_out, extract, size};

} /* namespace SIMT_FLAVOUR */
