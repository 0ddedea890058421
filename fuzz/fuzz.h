/* fuzz.h - what the fuzz targets share: bytes as a file that the public API can open, and properties that must hold.
 *
 * A target states a property by aborting when it is broken; the sanitizers watch the rest.
 */
#ifndef NF_FUZZ_H
#define NF_FUZZ_H

#include "nearfar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path whose file holds just these bytes, with the extension given ("" or ".npy"); valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size, const char *extension);

/* A context with one or two threads and a limit on memory, so that promises of huge graphs are refused, not swapped
 * in. */
nf_context *fuzz_context(void);

/* Aborts with the text unless `holds`. */
void fuzz_require(bool holds, const char *what);

/* A failed call: the status is one that input can cause, there is a text on one line, and nothing was handed over. */
void fuzz_require_refusal(nf_status st, const void *out);

/* A graph that was accepted: offsets rise to m, targets are below n, weights are numbers, and all views can be made.
 * Frees nothing. A mapped graph may still be refused here, with NF_EFORMAT; the return value then is false. */
bool fuzz_require_graph(nf_context *ctx, const nf_graph *graph);

#endif
