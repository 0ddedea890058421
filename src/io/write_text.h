/* write_text.h - writers of the text formats (write_text.c), as the format tables of the readers name them.
 *
 * Each writes the whole graph with its labels where the format can hold them, in O(n + m), and leaves opening,
 * compressing and closing the output to its caller.
 */
#ifndef NF_IO_WRITE_TEXT_H
#define NF_IO_WRITE_TEXT_H

#include "io/io.h"

nf_status nf__write_gr(nf_context *ctx, const nf_graph *graph, nf__output *out);
nf_status nf__write_mtx(nf_context *ctx, const nf_graph *graph, nf__output *out);
nf_status nf__write_edges(nf_context *ctx, const nf_graph *graph, nf__output *out);
nf_status nf__write_el(nf_context *ctx, const nf_graph *graph, nf__output *out);
nf_status nf__write_wel(nf_context *ctx, const nf_graph *graph, nf__output *out);
nf_status nf__write_metis(nf_context *ctx, const nf_graph *graph, nf__output *out);

#endif
