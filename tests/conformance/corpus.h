/* corpus.h - the graphs of the conformance suite, each with a name and a size class.
 *
 * Small ones are written out arc by arc or drawn from a seed, the rest made by a formula or by the library's
 * generators, every one of which is in the corpus. All are built through the public API.
 */
#ifndef NF_CONFORMANCE_CORPUS_H
#define NF_CONFORMANCE_CORPUS_H

#include "nearfar.h"

typedef enum size_class { SIZE_TINY = 0, SIZE_SMALL, SIZE_MEDIUM, SIZE_LARGE } size_class;

const char *size_class_name(size_class size);
/* The most vertices a graph of the class has. */
nf_vid size_class_limit(size_class size);

typedef struct corpus_graph {
    char name[48];
    size_class size;
    nf_graph *graph;
} corpus_graph;

/* How many graphs there are, and the i-th of them; NF_ENOTFOUND past the end. The seed makes the "seeded" ones. The
 * caller frees graph->graph. */
size_t corpus_count(void);
nf_status corpus_get(nf_context *ctx, size_t i, uint64_t seed, corpus_graph *graph);

#endif
