/* bucket_heap.h - a bucket heap in device memory as the host holds it: memory, launches, and operations one by one.
 *
 * Method and invariants are in bucket_heap.cuh and bucket_top.cuh. The store of a heap is made once; a kernel that
 * works with it is launched cooperatively with the grid, threads and shared memory that the store says.
 */
#ifndef NF_GPU_BUCKET_HEAP_H
#define NF_GPU_BUCKET_HEAP_H

#include "gpu/bucket_top.cuh"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

#define HEAP_BATCH 1048576u      /* the largest d */
#define HEAP_STATIC (24u * 1024) /* bytes kept for the static shared memory of kernels over a heap */

template <class K> struct heap_store {
    device *d;
    uint32_t values;
    unsigned threads; /* of a block: a power of two */
    unsigned grid;    /* blocks: the first, and one for every two levels below it, as far as they are resident */
    uint32_t top;     /* entries of B_0 at most */
    size_t shared;    /* dynamic shared memory of a block */
    bool top_shared;  /* B_0 lies there during a launch */
    uint32_t quiet;   /* words there of a bit for each value, or 0 */
    heap<K> *h;       /* on the device */
    heap<K> image;    /* an empty one */
    items<K> x, out;  /* scratch: PER_THREAD * threads entries; as many as B_0 has at most, or the same */
    K *p;             /* what all lists lie in */
    uint32_t *v;
    K *key; /* of each value */
    uint32_t *where;
};

/* Bytes of device memory for so many values and a batch of d. */
template <class K> uint64_t heap_bytes(const device *d, uint32_t values, uint32_t batch);
/* A heap for values below `values` (HEAP_VALUES at most), not yet empty: heap_clear. threads: of a block, or 0. */
template <class K> nf_status heap_open(device *d, uint32_t values, uint32_t batch, unsigned threads, heap_store<K> *s);
void heap_close(heap_store<uint32_t> *s);
void heap_close(heap_store<word64> *s);
template <class K> nf_status heap_clear(heap_store<K> *s);
/* Fits the launch of a kernel over the heap: s->grid, and the kernel's leave to use s->shared. */
template <class K> nf_status heap_fit(heap_store<K> *s, const void *kernel);

typedef enum heap_order { HEAP_UPDATE, HEAP_DELETE, HEAP_EXTRACT } heap_order;

/* One launch: updates (priorities and values) or deletes (values) `count` items of device memory; or extracts `count`
 * into p and v, ascending by (priority, value), and *taken, also there. All that is due has been resolved at its end.
 * Waits for nothing. */
template <class K>
nf_status heap_carry_out(heap_store<K> *s, heap_order order, K *p, uint32_t *v, uint64_t count, uint64_t *taken);

} /* namespace SIMT_FLAVOUR */

#endif
