/* npy.h - NumPy's .npy: the header before an array, read and made. Used by .npz graphs and .npy results. */
#ifndef NF_IO_NPY_H
#define NF_IO_NPY_H

#include "io/convert.h"

#define NF__NPY_HEADER 128 /* bytes that nf__npy_header makes */
#define NF__NPY_DIMS 2

typedef struct nf__npy {
    char text_kind;      /* 'S' or 'U' for an array of text, else 0 */
    uint64_t text_width; /* characters of such an element */
    nf__array array;     /* else the numbers, in C order */
    int dims;
    uint64_t shape[NF__NPY_DIMS];
    const char *data;
    uint64_t bytes;
} nf__npy;

/* Reads a whole .npy (versions 1 to 3) of at most two dimensions; `name` is for messages. All of the array must be
 * there, and nothing after it. O(1). */
nf_status nf__npy_parse(const char *name, const char *bytes, uint64_t size, nf__npy *npy);

/* The header of an array: text_width 0 for numbers, else that many bytes of text. */
void nf__npy_header(char header[NF__NPY_HEADER], nf__element element, unsigned text_width, int dims,
                    const uint64_t *shape);

#endif
