/* bucket_heap.cu - the memory of a bucket heap on the device, and its operations from the host, one launch each.
 *
 * Method, invariants and cost are in bucket_heap.cuh and bucket_top.cuh. All lists lie in two arrays, of priorities and
 * of words.
 */
#include "gpu/bucket_heap.h"

namespace SIMT_FLAVOUR
{

#define TILE_BATCHES 4u /* of d, in a tile: what a level has at least then are two */

/* ---- operations from the host ------------------------------------------------------------------------------------ */

template <class K> struct errand {
    heap_order order;
    bool top_shared;
    uint32_t quiet;
    items<K> x, out; /* scratch */
    K *p;
    uint32_t *v; /* values */
    uint64_t count;
    uint64_t *taken;
};

/* Changes of any number, a tile at a time. */
template <class K> static __device__ void change_all(bench<K> &w, heap<K> *h, heap_block<K> *b, const errand<K> &e)
{
    for (uint64_t first = 0; first < e.count; first += w.width) {
        const uint32_t now = e.count - first < w.width ? (uint32_t)(e.count - first) : w.width;
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < now; k += blockDim.x) {
            e.x.p[k] = e.order == HEAP_UPDATE ? e.p[first + k] : 0;
            e.x.v[k] = e.v[first + k] << 2;
        }
        __syncthreads();
        heap_change(w, h, b, e.x, now, e.order == HEAP_DELETE);
    }
}

/* Extracts a tile at a time, each sorted by priority. */
template <class K> static __device__ void extract_all(bench<K> &w, heap<K> *h, heap_block<K> *b, const errand<K> &e)
{
    uint64_t taken = 0;
    while (taken < e.count && b->size > 0) {
        const uint64_t left = e.count - taken;
        const uint32_t now = heap_extract(w, h, b, left < w.width ? (uint32_t)left : w.width, e.out);
        for (uint32_t k = threadIdx.x; k < now; k += blockDim.x) {
            w.p[k] = e.out.p[k];
            w.v[k] = e.out.v[k];
        }
        sort_staged(w, now, false);
        for (uint32_t k = threadIdx.x; k < now; k += blockDim.x) {
            e.p[taken + k] = w.p[k];
            e.v[taken + k] = value_of(w.v[k]);
        }
        taken += now;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *e.taken = taken;
}

template <class K>
static __global__ void __launch_bounds__(HEAP_THREADS, 1) heap_kernel(heap<K> *h, const __grid_constant__ errand<K> e)
{
    SIMT_SHARED(heap_block<K>, b, 1);
    SIMT_SHARED_DYNAMIC(unsigned char, memory);
    bench<K> w = open_bench(b, memory);
    if (blockIdx.x != 0)
        resolve_until(w, h, b, WAIT_QUIT);
    else {
        open_top(w, h, b, e.top_shared, e.quiet);
        if (e.order == HEAP_EXTRACT)
            extract_all(w, h, b, e);
        else
            change_all(w, h, b, e);
        resolve_until(w, h, b, WAIT_REST);
        close_top(w, h, b);
        if (threadIdx.x == 0)
            simt_store_release(&h->quit, 1u);
    }
    close_bench(w, h);
}

template <class K>
nf_status heap_carry_out(heap_store<K> *s, heap_order order, K *p, uint32_t *v, uint64_t count, uint64_t *taken)
{
    nf_status st = NF_OK;
    device *d = s->d;
    const errand<K> e = {order, s->top_shared, s->quiet, s->x, s->out, p, v, count, taken};
    NF_TRY(heap_fit(s, (const void *)heap_kernel<K>));
    NF_TRY(device_fill_bytes(d, &s->h->quit, 0, sizeof s->h->quit));
    NF_TRY_CUDA(d, SIMT_LAUNCH_GRID(heap_kernel<K>, s->grid, s->threads, s->shared, d->stream, s->h, e));
done:
    return st;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Threads of a block, a power of two: the sort in shared memory fills the next one up. */
static unsigned choose_threads(const device *d, uint32_t values, uint32_t batch, unsigned asked, size_t item)
{
    const uint64_t items_most = TILE_BATCHES * (uint64_t)(batch < values ? batch : values) / PER_THREAD;
    const uint64_t wanted = asked != 0 ? asked : items_most;
    const unsigned most = device_block(d, wanted < HEAP_THREADS ? (unsigned)wanted : HEAP_THREADS);
    unsigned threads = 32;
    while (2 * threads <= most && (2 * PER_THREAD * 2 * threads + 2) * item + HEAP_STATIC <= d->shared_most)
        threads *= 2;
    return threads;
}

/* Takes `count` entries of the arrays that all lists lie in; p is NULL while they are only counted. */
template <class K> static items<K> take(heap_store<K> *s, uint64_t *at, uint64_t count)
{
    const items<K> x = {s->p != NULL ? s->p + *at : NULL, s->v != NULL ? s->v + *at : NULL};
    *at += count;
    return x;
}

/* Places all lists one after another; how many entries they are. */
template <class K> static uint64_t lay_out(heap_store<K> *s)
{
    const uint64_t d = s->image.d, width = PER_THREAD * (uint64_t)s->threads, values = s->values > 0 ? s->values : 1;
    const uint64_t most = width < TOP_FULL ? width : TOP_FULL, batch = d < width ? d : width;
    uint64_t at = 0;
    level<K> *top = &s->image.levels[0];
    top->full = (uint32_t)(2 * d < most ? 2 * d : most);
    s->top = (uint32_t)(top->full + batch);
    top->bucket = take(s, &at, s->top);
    top->passed = take(s, &at, 2 * d);
    top->left = take(s, &at, 2 * d);
    top->turn = take(s, &at, 2 * d);
    s->image.count = 1;
    for (bool last = false; !last; s->image.count++) {
        level<K> *l = &s->image.levels[s->image.count];
        const uint64_t full = 2 * d << (2 * s->image.count);
        last = full >= values;
        const uint64_t size = last ? values : full;
        l->full = (uint32_t)size;
        l->bucket = take(s, &at, last ? size : 2 * size);
        l->spare = take(s, &at, last ? size : 2 * size);
        l->signals = take(s, &at, size);
        l->turn = take(s, &at, size);
        l->passed = take(s, &at, last ? 0 : size);
        l->left = take(s, &at, last ? 0 : size);
    }
    s->x = take(s, &at, width);
    s->out = take(s, &at, s->top > width ? s->top : width);
    return at;
}

template <class K> uint64_t heap_bytes(const device *d, uint32_t values, uint32_t batch)
{
    heap_store<K> s = {};
    s.values = values;
    s.image.d = batch;
    s.threads = choose_threads(d, values, batch, 0, sizeof(K) + sizeof(uint32_t));
    return (lay_out(&s) + values) * (sizeof(K) + sizeof(uint32_t)) + sizeof(heap<K>);
}

template <class K> nf_status heap_open(device *d, uint32_t values, uint32_t batch, unsigned threads, heap_store<K> *s)
{
    nf_status st = NF_OK;
    const size_t item = sizeof(K) + sizeof(uint32_t);
    uint64_t entries = 0;
    size_t top = 0;
    s->d = d;
    s->values = values;
    s->image.d = batch;
    s->threads = choose_threads(d, values, batch, threads, item);
    s->shared = (2 * PER_THREAD * s->threads + 2) * item;
    entries = lay_out(s);
    top = s->top * item;
    s->top_shared = s->shared + top + HEAP_STATIC <= d->shared_most;
    s->shared += s->top_shared ? top : 0;
    s->quiet = s->top_shared ? (uint32_t)(((uint64_t)values + 31) / 32) : 0;
    s->quiet = s->shared + s->quiet * sizeof(uint32_t) + HEAP_STATIC <= d->shared_most ? s->quiet : 0;
    s->shared += s->quiet * sizeof(uint32_t);
    NF_TRY(device_alloc(d, entries, &s->p));
    NF_TRY(device_alloc(d, entries, &s->v));
    NF_TRY(device_alloc(d, values, &s->key));
    NF_TRY(device_alloc(d, values, &s->where));
    NF_TRY(device_alloc(d, 1, &s->h));
    (void)lay_out(s);
    s->image.key = s->key;
    s->image.where = s->where;
done:
    return st;
}

template <class K> static void close_store(heap_store<K> *s)
{
    if (s->d == NULL)
        return;
    device_free(s->d, s->p);
    device_free(s->d, s->v);
    device_free(s->d, s->key);
    device_free(s->d, s->where);
    device_free(s->d, s->h);
}

void heap_close(heap_store<uint32_t> *s)
{
    close_store(s);
}

void heap_close(heap_store<word64> *s)
{
    close_store(s);
}

template <class K> nf_status heap_clear(heap_store<K> *s)
{
    nf_status st = NF_OK;
    NF_TRY(device_fill_bytes(s->d, s->where, 0, s->values * sizeof *s->where));
    NF_TRY(device_upload(s->d, s->h, &s->image, sizeof s->image, NULL));
done:
    return st;
}

template <class K> nf_status heap_fit(heap_store<K> *s, const void *kernel)
{
    nf_status st = NF_OK;
    const unsigned wanted = 1 + s->image.count / 2;
    unsigned resident = 1;
    NF_TRY_CUDA(s->d, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s->shared));
    NF_TRY(device_resident_blocks(s->d, kernel, (int)s->threads, s->shared, &resident));
    s->grid = wanted < resident ? wanted : resident;
done:
    return st;
}

#define INSTANTIATE(K)                                                                        \
    template uint64_t heap_bytes<K>(const device *, uint32_t, uint32_t);                      \
    template nf_status heap_open<K>(device *, uint32_t, uint32_t, unsigned, heap_store<K> *); \
    template nf_status heap_clear<K>(heap_store<K> *);                                        \
    template nf_status heap_fit<K>(heap_store<K> *, const void *);                            \
    template nf_status heap_carry_out<K>(heap_store<K> *, heap_order, K *, uint32_t *, uint64_t, uint64_t *)

INSTANTIATE(uint32_t);
INSTANTIATE(word64);

} /* namespace SIMT_FLAVOUR */
