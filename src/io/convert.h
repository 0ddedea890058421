/* convert.h - arrays of numbers from files, of any NumPy element type, into the types that graphs and results hold. */
#ifndef NF_IO_CONVERT_H
#define NF_IO_CONVERT_H

#include "io/io.h"

/* Element types of arrays in files; all little-endian. */
typedef enum nf__element {
    NF__E_BOOL = 0,
    NF__E_I8,
    NF__E_U8,
    NF__E_I16,
    NF__E_U16,
    NF__E_I32,
    NF__E_U32,
    NF__E_I64,
    NF__E_U64,
    NF__E_F32,
    NF__E_F64
} nf__element;

typedef struct nf__array {
    nf__element element;
    uint64_t count;
    const void *data; /* need not be aligned */
} nf__array;

size_t nf__element_size(nf__element element);
const char *nf__element_name(nf__element element);
nf__element nf__element_of(nf_type type); /* not for NF_NONE */

/* The type that weights of this array get when nobody asks for one: the array's own where we have it; 64-bit
 * integers become i32 or, when they do not fit, u32; booleans that are all true are no weights. */
nf_type nf__array_weight_type(nf_context *ctx, const nf__array *array);

/* Converts into `to`, an array of count elements of `type` (not NF_NONE), in parallel. Returns the index of the
 * first element that `type` cannot hold (fractions and out-of-range values for integers, finite values beyond f32),
 * or count when all is well. */
uint64_t nf__array_convert(nf_context *ctx, const nf__array *array, nf_type type, void *to);

/* Element i as text for messages. */
void nf__array_text(const nf__array *array, uint64_t i, char *text, size_t capacity);

#endif
