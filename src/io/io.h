/* io.h - files as the formats see them: bytes in, bytes out, one table entry per format.
 *
 * Invariants
 *   F1 a reader sees the whole uncompressed input as one block of bytes (mapped, or unpacked into memory by
 *      nf__input_open) and never asks for memory that the bytes at hand do not justify: a header's promise is first
 *      held against the input's size;
 *   F2 a reader returns a finished graph or nothing;
 *   F3 a malformed input is NF_EFORMAT with "FILE:LINE:COLUMN: what was wrong; what was expected" (binary: "FILE: at
 *      byte N: ...");
 *   F4 an output appears under its name only in nf__output_close with NF_OK; until then it is a temporary beside it.
 */
#ifndef NF_IO_IO_H
#define NF_IO_IO_H

#include "core/base.h"
#include "graph/graph.h"

/* ---- input (input.c) --------------------------------------------------------------------------------------------- */

typedef struct nf__input {
    const char *name; /* as messages show it: the path, or "standard input" */
    const char *path; /* as the caller gave it; format detection looks at its extension */
    const char *data; /* size bytes; not terminated */
    size_t size;
    const char *packed; /* "gzip", "zstd", "xz" or NULL */
    void *map;          /* internal: what to unmap */
    size_t map_size;
    void *block; /* internal: what to nf__free */
} nf__input;

/* Maps or unpacks a file ("-": standard input). max_bytes bounds the unpacked size (0: memory only). */
nf_status nf__input_open(nf_context *ctx, const char *path, uint64_t max_bytes, nf__input *in);
void nf__input_close(nf__input *in);
/* NF_EFORMAT at a place: computes line and column of `at` (a pointer into in->data). */
nf_status nf__input_fail(const nf__input *in, const char *at, const char *format, ...) NF_PRINTF(3, 4);
/* True if the path, less a compression suffix, ends in one of the space-separated extensions. */
bool nf__has_extension(const char *path, const char *extensions);

/* ---- output (output.c) ------------------------------------------------------------------------------------------- */

typedef struct nf__output nf__output;

/* Opens PATH (by a temporary, F4; "-": standard output); .gz, .zst and .xz compress. */
nf_status nf__output_open(nf_context *ctx, const char *path, nf__output **out);
nf_status nf__output_write(nf__output *out, const void *data, size_t bytes);
nf_status nf__output_printf(nf__output *out, const char *format, ...) NF_PRINTF(2, 3);
/* Ends the output: st = NF_OK flushes, syncs errors and renames; anything else removes the temporary and passes st
 * through. */
nf_status nf__output_close(nf__output *out, nf_status st);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

typedef struct nf__format {
    nf_format_info info;
    /* Certain from content (a magic or header line), whatever the file is called; may be NULL. */
    bool (*sniff)(const nf__input *in);
    /* NULL: not read / not written. Readers honour weight_type, weight_column = -1 and directions; loops and duplicates
     * are applied by nf_graph_read afterwards through nf__graph_retouch. A reader may keep the input's bytes for its
     * graph: it takes over `map` or `block` and sets the field to NULL, so that nf__input_close leaves them alone. */
    nf_status (*read)(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out);
    nf_status (*write)(nf_context *ctx, const nf_graph *graph, nf__output *out);
} nf__format;

extern const nf__format nf__format_gr;     /* gr.c: DIMACS 9 .gr, `p sp` and `p tw` */
extern const nf__format nf__format_mtx;    /* mtx.c */
extern const nf__format nf__format_edges;  /* edges.c: SNAP, TSV, CSV */
extern const nf__format nf__format_el;     /* el.c: GAP .el */
extern const nf__format nf__format_wel;    /* el.c: GAP .wel */
extern const nf__format nf__format_metis;  /* metis.c */
extern const nf__format nf__format_tsplib; /* tsplib.c */
extern const nf__format nf__format_sg;     /* sg.c: GAP .sg */
extern const nf__format nf__format_wsg;    /* sg.c: GAP .wsg */
extern const nf__format nf__format_npz;    /* npz.c */
extern const nf__format nf__format_nfg;    /* nfg.c */

/* co.c: DIMACS coordinates for a graph of n vertices; *xy is an nf__alloc block of 2 n doubles. */
nf_status nf__read_co(nf_context *ctx, const nf__input *in, nf_vid n, double **xy);
nf_status nf__write_co(nf_context *ctx, const nf_graph *graph, nf__output *out);

#endif
