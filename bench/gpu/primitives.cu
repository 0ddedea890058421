/* primitives.cu - multisplit against CUB's radix sort on the same 5-bit keys, by 5 bits of the same 32-bit keys, and
 * the other primitives, on one GPU. The sort is the library's, which calls CUB with a count of 32 bits where it fits;
 * its scratch comes from a pool that keeps it.
 *
 * primitives [--n N]: keys are random; each time is the least and the median of RUNS by CUDA events after a warm-up,
 * the result is compared with the sort's before it is printed. Bytes: what each must move, over the time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/primitives.cuh"

namespace SIMT_FLAVOUR
{

#define RUNS 15

typedef struct arena {
    device *d;
    uint64_t n;
    uint32_t *keys, *numbers, *values, *keys_a, *values_a, *keys_b, *values_b, *offsets;
    uint64_t *wide;
} arena;

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* ---- what is timed ----------------------------------------------------------------------------------------------- */

typedef nf_status (*work_fn)(arena *a);

static nf_status split_pairs(arena *a)
{
    const split_bits f = {0, 31};
    return multisplit(a->d, f, 32, a->n, a->keys, a->keys_b, a->values, a->values_b, a->offsets);
}

static nf_status split_numbers(arena *a)
{
    return multisplit(a->d, split_number(), 32, a->n, a->numbers, a->keys_b, a->values, a->values_b, a->offsets);
}

static nf_status split_keys(arena *a)
{
    const split_bits f = {0, 31};
    return multisplit<split_bits, split_nothing>(a->d, f, 32, a->n, a->keys, a->keys_b, NULL, NULL, a->offsets);
}

static nf_status sort_pairs(arena *a)
{
    return device_sort_pairs(a->d, a->keys, a->keys_a, a->values, a->values_a, a->n, 0, 5);
}

static nf_status sort_numbers(arena *a)
{
    return device_sort_pairs(a->d, a->numbers, a->keys_a, a->values, a->values_a, a->n, 0, 5);
}

static nf_status sort_keys(arena *a)
{
    return device_sort(a->d, a->keys, a->keys_a, a->n, 0, 5);
}

static nf_status copy_pairs(arena *a)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(a->d, cudaMemcpyAsync(a->keys_b, a->keys, a->n * 4, cudaMemcpyDeviceToDevice, a->d->stream));
    NF_TRY_CUDA(a->d, cudaMemcpyAsync(a->values_b, a->values, a->n * 4, cudaMemcpyDeviceToDevice, a->d->stream));
done:
    return st;
}

static nf_status scan(arena *a)
{
    return device_scan(a->d, a->keys, a->wide, a->n);
}

static nf_status fill(arena *a)
{
    return device_fill(a->d, a->keys_b, 7u, a->n);
}

/* ---- timing ------------------------------------------------------------------------------------------------------ */

static nf_status time_work(arena *a, work_fn work, float *least, float *median)
{
    nf_status st = NF_OK;
    float ms[RUNS];
    cudaEvent_t from = NULL, to = NULL;
    NF_TRY_CUDA(a->d, cudaEventCreate(&from));
    NF_TRY_CUDA(a->d, cudaEventCreate(&to));
    for (int i = -2; i < RUNS; i++) {
        NF_TRY_CUDA(a->d, cudaEventRecord(from, a->d->stream));
        NF_TRY(work(a));
        NF_TRY_CUDA(a->d, cudaEventRecord(to, a->d->stream));
        NF_TRY_CUDA(a->d, cudaEventSynchronize(to));
        if (i >= 0)
            NF_TRY_CUDA(a->d, cudaEventElapsedTime(&ms[i], from, to));
    }
    qsort(ms, RUNS, sizeof *ms, compare);
    *least = ms[0];
    *median = ms[RUNS / 2];
done:
    if (from != NULL)
        (void)cudaEventDestroy(from);
    if (to != NULL)
        (void)cudaEventDestroy(to);
    return st;
}

static nf_status report(arena *a, const char *name, work_fn work, unsigned bytes_each, float *median)
{
    float least = 0;
    const nf_status st = time_work(a, work, &least, median);
    if (st == NF_OK)
        printf("| %-34s | %8.3f | %8.3f | %7.0f | %6.1f |\n", name, least, *median,
               (double)a->n * bytes_each / 1e6 / *median, (double)a->n / 1e6 / *median);
    return st;
}

/* ---- the same result --------------------------------------------------------------------------------------------- */

static __global__ void differ_kernel(const uint32_t *x, const uint32_t *y, uint64_t n, unsigned *differences)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] != y[i])
        atomicAdd(differences, 1u);
}

static nf_status compare_arrays(arena *a, const uint32_t *x, const uint32_t *y, const char *what)
{
    nf_status st = NF_OK;
    unsigned differences = 0;
    NF_TRY(device_fill(a->d, a->offsets, 0u, 1));
    NF_TRY_CUDA(a->d,
                SIMT_LAUNCH(differ_kernel, device_grid(a->n, 256, 1), 256, 0, a->d->stream, x, y, a->n, a->offsets));
    NF_TRY(device_download(a->d, &differences, a->offsets, sizeof differences));
    if (differences != 0)
        st = nf__fail(NF_EINTERNAL, "%s: %u of %llu differ", what, differences, (unsigned long long)a->n);
done:
    return st;
}

/* What the sort and the split made. */
static nf_status compare_pairs(arena *a)
{
    nf_status st = NF_OK;
    NF_TRY(compare_arrays(a, a->keys_a, a->keys_b, "keys"));
    NF_TRY(compare_arrays(a, a->values_a, a->values_b, "values"));
done:
    return st;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static __global__ void random_kernel(uint32_t *keys, uint32_t *numbers, uint32_t *values, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    keys[i] = (uint32_t)(z ^ (z >> 31));
    numbers[i] = keys[i] % 32;
    values[i] = (uint32_t)i;
}

static nf_status prepare(arena *a)
{
    nf_status st = NF_OK;
    device *d = a->d;
    uint32_t **arrays[] = {&a->keys, &a->numbers, &a->values, &a->keys_a, &a->values_a, &a->keys_b, &a->values_b};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        NF_TRY(device_alloc(d, a->n, arrays[i]));
    NF_TRY(device_alloc(d, a->n, &a->wide));
    NF_TRY(device_alloc(d, 64, &a->offsets));
    NF_TRY_CUDA(d, SIMT_LAUNCH(random_kernel, device_grid(a->n, 256, 1), 256, 0, d->stream, a->keys, a->numbers,
                               a->values, a->n));
done:
    return st;
}

static nf_status measure(arena *a)
{
    nf_status st = NF_OK;
    float sort = 0, split = 0, other = 0;
    printf("%llu items, split: %d threads, %d items each, of 5-bit keys %d threads, %d items; %d blocks a "
           "multiprocessor\n\n",
           (unsigned long long)a->n, SPLIT_THREADS, SPLIT_EACH, SPLIT_NUMBER_THREADS, SPLIT_NUMBER_EACH,
           SPLIT_RESIDENT);
    printf("| %-34s | %8s | %8s | %7s | %6s |\n|---|---|---|---|---|\n", "work", "least ms", "median", "GB/s",
           "10^9/s");
    NF_TRY(report(a, "copy of the pairs (the floor)", copy_pairs, 16, &other));
    NF_TRY(report(a, "CUB radix sort, 5-bit keys, pairs", sort_numbers, 20, &sort));
    NF_TRY(report(a, "multisplit, 5-bit keys, pairs", split_numbers, 17, &split));
    NF_TRY(compare_pairs(a));
    printf("\n5-bit keys: multisplit is %.2f times as fast as the sort; the same result\n\n", sort / split);
    NF_TRY(report(a, "CUB radix sort, 5 bits, pairs", sort_pairs, 20, &sort));
    NF_TRY(report(a, "multisplit, 32 buckets, pairs", split_pairs, 20, &split));
    NF_TRY(compare_pairs(a));
    printf("\npairs: multisplit is %.2f times as fast as the sort; the same result\n\n", sort / split);
    NF_TRY(report(a, "CUB radix sort, 5 bits, keys", sort_keys, 12, &sort));
    NF_TRY(report(a, "multisplit, 32 buckets, keys", split_keys, 12, &split));
    NF_TRY(compare_arrays(a, a->keys_a, a->keys_b, "keys alone"));
    NF_TRY(report(a, "exclusive scan, 4 to 8 bytes", scan, 12, &other));
    NF_TRY(report(a, "fill, 4 bytes", fill, 4, &other));
    printf("\nkeys: multisplit is %.2f times as fast as the sort; the same result\n", sort / split);
done:
    return st;
}

static int run(uint64_t n)
{
    nf_status st = NF_OK;
    nf_context *ctx = NULL;
    nf_context_options o = {};
    arena a = {};
    o.size = sizeof o;
    o.device = "cpu"; /* the context lends its memory only: the device is opened here */
    a.n = n;
    NF_TRY(nf_context_create(&o, &ctx));
    NF_TRY(device_open(ctx, 0, &a.d));
    NF_TRY(prepare(&a));
    NF_TRY(measure(&a));
done:
    if (st != NF_OK)
        fprintf(stderr, "primitives: %s\n", nf_last_error());
    device_close(a.d);
    nf_context_free(ctx);
    return st == NF_OK ? 0 : 1;
}

} /* namespace SIMT_FLAVOUR */

int main(int argc, char **argv)
{
    const char *absence = "";
    if (SIMT_FLAVOUR::device_count(&absence) == 0) {
        fprintf(stderr, "primitives: no GPU: %s\n", absence);
        return 77;
    }
    return SIMT_FLAVOUR::run(argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)1 << 26);
}
