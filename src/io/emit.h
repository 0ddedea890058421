/* emit.h - many small items formatted in parallel and written in order.
 *
 * Cost: time O(items), memory for 2^18 items, or for NF__EMIT_ITEMS a thread if that is more.
 */
#ifndef NF_IO_EMIT_H
#define NF_IO_EMIT_H

#include "io/io.h"

#define NF__EMIT_ITEMS 16384 /* the least that is worth a thread's while */

/* Formats items lo .. hi-1 at p and returns the end; called by several threads at once. */
typedef char *(*nf__emit_fn)(const void *arg, uint64_t lo, uint64_t hi, char *p);

/* Writes `count` items of at most item_bytes each. */
nf_status nf__emit(nf_context *ctx, nf__output *out, uint64_t count, size_t item_bytes, nf__emit_fn format,
                   const void *arg);

/* Writes an array as it lies in memory, reporting progress. */
nf_status nf__emit_bytes(nf_context *ctx, nf__output *out, const void *data, uint64_t bytes);

#endif
