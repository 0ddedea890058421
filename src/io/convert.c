/* convert.c - see convert.h. Elements pass through 65-bit integers or doubles; every loop is one parallel pass.
 *
 * Invariants
 *   C1 a value is converted exactly or reported, but for rounding to f32 and of 64-bit integers to f64;
 *   C2 loads go through memcpy: files align nothing.
 * Cost: O(count) time, no memory.
 */
#include "io/convert.h"

#include "io/put.h"

size_t nf__element_size(nf__element element)
{
    static const uint8_t size[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return size[element];
}

const char *nf__element_name(nf__element element)
{
    static const char *const name[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                       "uint32", "int64", "uint64", "float32", "float64"};
    return name[element];
}

nf__element nf__element_of(nf_type type)
{
    switch (type) {
    case NF_I32: return NF__E_I32;
    case NF_U32: return NF__E_U32;
    case NF_I64: return NF__E_I64;
    case NF_U64: return NF__E_U64;
    case NF_F32: return NF__E_F32;
    default: return NF__E_F64;
    }
}

/* ---- one element as an integer or a float ------------------------------------------------------------------------ */

#define LOAD(type, data, i)                                             \
    ({                                                                  \
        type x_;                                                        \
        memcpy(&x_, (const char *)(data) + (i) * sizeof x_, sizeof x_); \
        x_;                                                             \
    })

static inline double load_f64(nf__element element, const void *data, uint64_t i)
{
    return element == NF__E_F32 ? (double)LOAD(float, data, i) : LOAD(double, data, i);
}

/* Integers as 65 bits: the value, and whether it is negative (then it is the two's complement). */
static inline uint64_t load_int(nf__element element, const void *data, uint64_t i, bool *negative)
{
    int64_t x = 0;
    *negative = false;
    switch (element) {
    case NF__E_BOOL: return LOAD(uint8_t, data, i) != 0;
    case NF__E_U8: return LOAD(uint8_t, data, i);
    case NF__E_U16: return LOAD(uint16_t, data, i);
    case NF__E_U32: return LOAD(uint32_t, data, i);
    case NF__E_U64: return LOAD(uint64_t, data, i);
    case NF__E_I8: x = LOAD(int8_t, data, i); break;
    case NF__E_I16: x = LOAD(int16_t, data, i); break;
    case NF__E_I32: x = LOAD(int32_t, data, i); break;
    default: x = LOAD(int64_t, data, i); break;
    }
    *negative = x < 0;
    return (uint64_t)x;
}

/* A whole float as such an integer; false for fractions, NaN and what is out of 64 bits. */
static inline bool whole_f64(double x, uint64_t *bits, bool *negative)
{
    if (!(x > -0x1.0p63 && x < 0x1.0p64) || trunc(x) != x)
        return false;
    *negative = x < 0;
    *bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    return true;
}

static inline bool store_int(nf_type type, void *to, uint64_t i, uint64_t bits, bool negative)
{
    switch (type) {
    case NF_I32:
        ((int32_t *)to)[i] = (int32_t)(uint32_t)bits;
        return negative ? (int64_t)bits >= INT32_MIN : bits <= INT32_MAX;
    case NF_U32: ((uint32_t *)to)[i] = (uint32_t)bits; return !negative && bits <= UINT32_MAX;
    case NF_I64: ((int64_t *)to)[i] = (int64_t)bits; return negative || bits <= INT64_MAX;
    default: ((uint64_t *)to)[i] = bits; return !negative;
    }
}

static inline bool store_f64(nf_type type, void *to, uint64_t i, double x)
{
    if (type == NF_F64) {
        ((double *)to)[i] = x;
        return true;
    }
    ((float *)to)[i] = (float)x;
    return !(isfinite(x) && !isfinite((float)x));
}

static inline bool convert_one(const nf__array *array, uint64_t i, nf_type type, void *to)
{
    bool from_float = array->element >= NF__E_F32, negative = false;
    if (nf__is_float(type) && from_float)
        return store_f64(type, to, i, load_f64(array->element, array->data, i));
    uint64_t bits = 0;
    if (from_float && !whole_f64(load_f64(array->element, array->data, i), &bits, &negative))
        return false;
    if (!from_float)
        bits = load_int(array->element, array->data, i, &negative);
    if (nf__is_float(type))
        return store_f64(type, to, i, negative ? (double)(int64_t)bits : (double)bits);
    return store_int(type, to, i, bits, negative);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

uint64_t nf__array_convert(nf_context *ctx, const nf__array *array, nf_type type, void *to)
{
    uint64_t bad = array->count;
    int threads = nf__threads_for(ctx, array->count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = 0; i < array->count; i++)
        if (!convert_one(array, i, type, to) && i < bad)
            bad = i;
    return bad;
}

nf_type nf__array_weight_type(nf_context *ctx, const nf__array *array)
{
    nf__element element = array->element;
    if (element == NF__E_F32)
        return NF_F32;
    if (element == NF__E_F64)
        return NF_F64;
    if (element == NF__E_U32)
        return NF_U32;
    if (element != NF__E_BOOL && element != NF__E_I64 && element != NF__E_U64)
        return NF_I32;
    unsigned below = 0, above = 0, ones = 1; /* i32's least and greatest; all 1 */
    int threads = nf__threads_for(ctx, array->count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : below, above) reduction(& : ones)
    for (uint64_t i = 0; i < array->count; i++) {
        bool negative;
        uint64_t bits = load_int(element, array->data, i, &negative);
        below |= negative;
        above |= !negative && bits > INT32_MAX;
        ones &= bits == 1;
    }
    if (element == NF__E_BOOL && ones != 0)
        return NF_NONE;
    return above != 0 && below == 0 ? NF_U32 : NF_I32;
}

void nf__array_text(const nf__array *array, uint64_t i, char *text, size_t capacity)
{
    char digits[NF__PUT_MAX + 1];
    bool negative = false;
    char *end;
    if (array->element >= NF__E_F32) {
        end = nf__put_f64(digits, load_f64(array->element, array->data, i));
    } else {
        uint64_t bits = load_int(array->element, array->data, i, &negative);
        end = negative ? nf__put_i64(digits, (int64_t)bits) : nf__put_u64(digits, bits);
    }
    *end = '\0';
    snprintf(text, capacity, "%s", digits);
}
