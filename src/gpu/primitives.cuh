/* primitives.cuh - device-wide primitives: scan, reduce, select, sort, sorted search, fill, multisplit.
 *
 * All work in stream order on arrays in device memory and take their scratch from the device's pool for the time of the
 * call. Under nvcc scan, reduce, select and sort are CUB's; in the emulator they are loops of one thread. Search, fill
 * and multisplit are ours in both. Input and output may not overlap, scans apart.
 *
 * Cost: one pass over the data for fill, scan, reduce, select; a pass over keys and two over pairs for 8 bits of a
 * sort; O(log n) reads a key for the search; see multisplit.cuh for the rest.
 */
#ifndef NF_GPU_PRIMITIVES_CUH
#define NF_GPU_PRIMITIVES_CUH

#include "gpu/multisplit.cuh"
#include "gpu/runtime.h"
#include "gpu/scan.cuh"

namespace SIMT_FLAVOUR
{

/* out[i] = in[0] + ... + in[i - 1]; the total is not written. */
nf_status device_scan(device *d, const uint32_t *in, uint32_t *out, uint64_t n);
nf_status device_scan(device *d, const uint32_t *in, uint64_t *out, uint64_t n);
nf_status device_scan(device *d, const uint64_t *in, uint64_t *out, uint64_t n);

/* One number to *out, in device memory: the sum, the least (the type's largest for n = 0), the greatest (0). */
nf_status device_sum(device *d, const uint32_t *in, uint64_t *out, uint64_t n);
nf_status device_sum(device *d, const uint64_t *in, uint64_t *out, uint64_t n);
nf_status device_least(device *d, const uint32_t *in, uint32_t *out, uint64_t n);
nf_status device_least(device *d, const uint64_t *in, uint64_t *out, uint64_t n);
nf_status device_greatest(device *d, const uint32_t *in, uint32_t *out, uint64_t n);
nf_status device_greatest(device *d, const uint64_t *in, uint64_t *out, uint64_t n);

/* Keeps the items, or the indices, whose flag is not 0, in order; their number goes to *count in device memory. */
nf_status device_select(device *d, const uint32_t *in, const uint8_t *flags, uint32_t *out, uint64_t n,
                        uint32_t *count);
nf_status device_select_indices(device *d, const uint8_t *flags, uint32_t *out, uint64_t n, uint32_t *count);

/* Stable, by bits [begin, end) of the key. */
nf_status device_sort(device *d, const uint32_t *keys, uint32_t *keys_out, uint64_t n, int begin, int end);
nf_status device_sort(device *d, const uint64_t *keys, uint64_t *keys_out, uint64_t n, int begin, int end);
nf_status device_sort_pairs(device *d, const uint32_t *keys, uint32_t *keys_out, const uint32_t *values,
                            uint32_t *values_out, uint64_t n, int begin, int end);
nf_status device_sort_pairs(device *d, const uint32_t *keys, uint32_t *keys_out, const uint64_t *values,
                            uint64_t *values_out, uint64_t n, int begin, int end);
nf_status device_sort_pairs(device *d, const uint64_t *keys, uint64_t *keys_out, const uint32_t *values,
                            uint32_t *values_out, uint64_t n, int begin, int end);

/* out[i] = how many of the n sorted numbers are less than keys[i]. keys NULL: i itself, so that sorted rows become
 * offsets. Neighbouring keys are best near each other. */
nf_status device_lower_bounds(device *d, const uint32_t *sorted, uint64_t n, const uint32_t *keys, uint64_t count,
                              uint32_t *out);
nf_status device_lower_bounds(device *d, const uint32_t *sorted, uint64_t n, const uint32_t *keys, uint64_t count,
                              uint64_t *out);

nf_status device_fill(device *d, uint32_t *p, uint32_t value, uint64_t n);
nf_status device_fill(device *d, uint64_t *p, uint64_t value, uint64_t n);
nf_status device_fill(device *d, int32_t *p, int32_t value, uint64_t n);
nf_status device_fill(device *d, int64_t *p, int64_t value, uint64_t n);
nf_status device_fill(device *d, float *p, float value, uint64_t n);
nf_status device_fill(device *d, double *p, double value, uint64_t n);

} /* namespace SIMT_FLAVOUR */

#endif
