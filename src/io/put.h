/* put.h - numbers as text: decimal integers, and floats with the digits that bring the same float back.
 *
 * Every function writes at `p`, without a terminator, and returns the end. At most NF__PUT_MAX bytes are written.
 * The decimal point is a point in every locale. Floats always show that they are floats ("12.0", not "12"), so that
 * a file keeps its type.
 */
#ifndef NF_IO_PUT_H
#define NF_IO_PUT_H

#include "core/base.h"

#define NF__PUT_MAX 32

static inline char *nf__put_u64(char *p, uint64_t x)
{
    char digits[20];
    int k = 0;
    do {
        digits[k++] = (char)('0' + x % 10);
        x /= 10;
    } while (x != 0);
    while (k > 0)
        *p++ = digits[--k];
    return p;
}

static inline char *nf__put_i64(char *p, int64_t x)
{
    if (x < 0) {
        *p++ = '-';
        return nf__put_u64(p, (uint64_t)0 - (uint64_t)x);
    }
    return nf__put_u64(p, (uint64_t)x);
}

/* Infinities are "inf" and "-inf". */
char *nf__put_f32(char *p, float x);
char *nf__put_f64(char *p, double x);

/* Element i of an array of `type`; NF_NONE gives 1. */
static inline char *nf__put_element(char *p, nf_type type, const void *array, uint64_t i)
{
    switch (type) {
    case NF_I32: return nf__put_i64(p, ((const int32_t *)array)[i]);
    case NF_U32: return nf__put_u64(p, ((const uint32_t *)array)[i]);
    case NF_I64: return nf__put_i64(p, ((const int64_t *)array)[i]);
    case NF_U64: return nf__put_u64(p, ((const uint64_t *)array)[i]);
    case NF_F32: return nf__put_f32(p, ((const float *)array)[i]);
    case NF_F64: return nf__put_f64(p, ((const double *)array)[i]);
    default: *p++ = '1'; return p;
    }
}

#endif
