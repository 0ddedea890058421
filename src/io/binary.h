/* binary.h - what the readers of binary formats share: arrays from a file into a graph, and the directions asked
 * for. */
#ifndef NF_IO_BINARY_H
#define NF_IO_BINARY_H

#include "io/convert.h"

/* Weights for a graph read from a file: type NF_NONE takes nf__array_weight_type; *w becomes an nf__alloc block
 * (NULL when there are no weights) and *type what it holds. NF_EFORMAT names the input and the weight that does not
 * fit. */
nf_status nf__array_weights(nf_context *ctx, const nf__input *in, const nf__array *array, nf_type *type, void **w);

/* Copies offsets (count = n + 1) into own.off32 or own.off64, whichever m calls for; NF_EFORMAT unless they rise
 * from 0 to m. */
nf_status nf__array_offsets(nf_context *ctx, const nf__input *in, const nf__array *array, uint64_t m, nf__storage *own);

/* Copies targets into an nf__alloc block; NF_EFORMAT unless they are in 0 .. n-1. */
nf_status nf__array_targets(nf_context *ctx, const nf__input *in, const nf__array *array, nf_vid n, nf_vid **adj);

/* nf__graph_adopt with the name of the input in the message: bad weights are NF_EFORMAT. `own` is consumed and left
 * empty. */
nf_status nf__adopt_named(nf_context *ctx, const nf__input *in, nf_vid n, nf_eid m, nf__storage *own,
                          nf_type weight_type, bool symmetric, nf_graph **out);

/* NF_READ_DIRECTED takes the arcs as they are, NF_READ_UNDIRECTED adds the reverses to a directed graph; may
 * replace *g. */
nf_status nf__apply_directions(nf_context *ctx, const nf_read_options *options, nf_graph **g);

/* True if every arc (u, v, w) has its reverse (v, u, w), by comparing two sums of hashes: a graph that fails is not
 * symmetric, one that passes is, but for a chance of 2^-64. One parallel pass. */
bool nf__is_symmetric(nf_context *ctx, const nf_csr *csr);

#endif
