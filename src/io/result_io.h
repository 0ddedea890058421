/* result_io.h - what the writers and readers of results share.
 *
 * The text forms, exactly (docs/formats.md says the same for users; labels are the graph's):
 *   .txt   lines "vertex distance [parent]". Several rows: each begins with a line "# source LABEL". Nearest-source: a
 *          first line "# nearest LABEL LABEL ..." and one more column, the owner. Unreached: "inf", and "-" for parent
 *          and owner.
 *   .tsv   a header line, then columns: source (not for nearest-source), vertex, hops or distance, parent, owner.
 *   .json  one object: problem, type, sources, vertices, distances (an array for each row), parents, owners; null for
 *          unreached.
 * A row's vertices may come in any order when read, each exactly once.
 */
#ifndef NF_IO_RESULT_IO_H
#define NF_IO_RESULT_IO_H

#include "core/result.h"
#include "io/io.h"

/* A file of results while it is read. */
typedef struct nf__result_in {
    nf_context *ctx;
    const nf__input *in;
    const nf_graph *graph;
    nf_problem problem; /* as the caller says; files that know better overrule it */
    nf_type type;       /* of distances in text; never NF_NONE */
} nf__result_in;

nf_status nf__read_result_text(nf__result_in *from, nf_result **out); /* .txt, .tsv, LDBC */
nf_status nf__read_result_json(nf__result_in *from, nf_result **out);
nf_status nf__read_result_npy(nf__result_in *from, nf_result **out);
nf_status nf__read_result_nfd(nf__result_in *from, nf_result **out);

bool nf__is_nfd(const nf__input *in);
nf_status nf__write_result_nfd(nf_context *ctx, const nf_result *result, nf__output *out);

/* A result of that shape for the graph, its sources unknown (NF_NO_VERTEX). */
nf_status nf__result_draft(nf__result_in *from, uint64_t rows, bool parents, bool owners, nf_result **out);
/* Replaces the sources of a nearest-source result (copied) and marks it as such. */
nf_status nf__result_set_nearest(nf_result *r, const nf_vid *sources, uint64_t count);
/* Checks values, finds the sources that the file did not name, sums up. What every reader ends with. */
nf_status nf__result_settle(nf__result_in *from, nf_result *r);

/* True if element i of a result's distances is its "unreached". */
bool nf__is_unreached(nf_type type, bool hops, const void *dist, uint64_t i);
void nf__set_unreached(nf_type type, bool hops, void *dist, uint64_t i);
/* A distance as text, at *p: a number of the type, inf or infinity. false when it is none or does not fit. */
bool nf__scan_distance(const char **p, const char *end, nf_type type, bool hops, void *dist, uint64_t i);

/* "out.npy" -> "out.parents.npy", "out.npy.gz" -> "out.parents.npy.gz"; an nf__alloc block or NULL. */
char *nf__parents_path(nf__mem *mem, const char *path);

#endif
