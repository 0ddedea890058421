/* heap.c - nf_heap on the CPU, over bucket_heap.c, with room for every value from the start.
 *
 * Cost and memory are those of bucket_heap.c; items pass through a small array on the stack.
 */
#include "cpu/bucket_heap.h"
#include "cpu/cpu.h"

#define BATCH 128u /* as for Dijkstra's algorithm (sssp_bucket_heap.c) */
#define PIECE 256u /* items copied at a time */

typedef struct store {
    nf_context *ctx;
    nf__bucket_heap *heap;
} store;

static void destroy(void *heap)
{
    store *s = heap;
    if (s == NULL)
        return;
    nf__bucket_heap_free(s->heap);
    nf__free(s);
}

static nf_status create(nf_context *ctx, void *device, nf_vid values, uint32_t batch, void **out)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    store *s = NULL;
    (void)device;
    NF_TRY_ALLOC(s, nf__zalloc(mem, 1, sizeof *s));
    s->ctx = ctx;
    NF_TRY(nf__bucket_heap_create(mem, values, batch != 0 ? batch : BATCH, &s->heap));
    NF_TRY(nf__bucket_heap_reserve(s->heap));
    *out = s;
    s = NULL;
done:
    destroy(s);
    return st;
}

static nf_status update(void *heap, const uint64_t *priorities, const nf_vid *values, uint64_t count)
{
    nf_status st = NF_OK;
    store *s = heap;
    for (uint64_t first = 0; first < count; first += PIECE) {
        nf__heap_item items[PIECE];
        const uint64_t now = count - first < PIECE ? count - first : PIECE;
        for (uint64_t i = 0; i < now; i++)
            items[i] = (nf__heap_item){priorities[first + i], values[first + i], 0};
        NF_TRY(nf__poll(s->ctx));
        NF_TRY(nf__bucket_heap_bulk_update(s->heap, items, now));
    }
done:
    return st;
}

static nf_status take_out(void *heap, const nf_vid *values, uint64_t count)
{
    nf_status st = NF_OK;
    store *s = heap;
    for (uint64_t i = 0; i < count; i++) {
        if (i % PIECE == 0)
            NF_TRY(nf__poll(s->ctx));
        NF_TRY(nf__bucket_heap_delete(s->heap, values[i]));
    }
done:
    return st;
}

static nf_status extract(void *heap, uint64_t count, uint64_t *priorities, nf_vid *values, uint64_t *taken)
{
    nf_status st = NF_OK;
    store *s = heap;
    uint32_t got = 1;
    for (*taken = 0; *taken < count && got > 0; *taken += got) {
        nf__heap_item items[PIECE];
        const uint64_t left = count - *taken;
        NF_TRY(nf__poll(s->ctx));
        got = nf__bucket_heap_extract_min(s->heap, items, left < PIECE ? (uint32_t)left : PIECE);
        for (uint32_t i = 0; i < got; i++) {
            priorities[*taken + i] = items[i].priority;
            values[*taken + i] = items[i].value;
        }
    }
done:
    return st;
}

static uint64_t size(const void *heap)
{
    const store *s = heap;
    return nf__bucket_heap_size(s->heap);
}

const nf__heap_methods nf__cpu_heaps = {create, destroy, update, take_out, extract, size};
