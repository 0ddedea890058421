/* fuzz_read.c - one graph reader, FUZZ_FORMAT (a string; "" lets content decide), on arbitrary bytes: it refuses them
 * with a text, or makes a graph that holds every invariant, whatever the options. The options come from the input's
 * size, so that the bytes stay a file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t flags[] = {0, NF_READ_CHECKSUMS, NF_READ_UNDIRECTED, NF_READ_DIRECTED | NF_READ_DROP_LOOPS};
    static const nf_type types[] = {NF_NONE, NF_NONE, NF_F32, NF_I32, NF_F64};
    nf_context *ctx = fuzz_context();
    nf_graph *graph = NULL;
    const nf_read_options o = {
        .size = sizeof o,
        .format = FUZZ_FORMAT[0] != '\0' ? FUZZ_FORMAT : NULL,
        .flags = flags[size % 4],
        .weight_type = types[size % 5],
        .weight_column = size % 7 == 6 ? -1 : 0,
        .duplicates = size % 3 == 2 ? NF_DUP_MIN : NF_DUP_KEEP,
        .max_bytes = 1 << 22,
    };
    const nf_status st = nf_graph_read(ctx, fuzz_file(data, size, ""), &o, &graph);
    if (st != NF_OK)
        fuzz_require_refusal(st, graph);
    else
        fuzz_require_graph(ctx, graph);
    nf_graph_free(graph);
    nf_context_free(ctx);
    return 0;
}
