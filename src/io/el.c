/* el.c - the edge lists of the GAP benchmark suite: .el "u v" and .wel "u v w", 0-based, n = the greatest id + 1.
 *
 * Directed, arcs as listed. Weights are i32 or u32 when all are integers of that size, else f64.
 * Cost: O(bytes / threads) and the build of the graph.
 */
#include "io/text.h"
#include "io/write_text.h"

/* Holds the number of vertices that the greatest id asks for against the size of the input. */
static nf_status check_greatest(const nf__text *text, const nf__pairs *pairs, uint64_t n)
{
    uint64_t i = 0;
    if (n == 0)
        return NF_OK;
    while (pairs->src[i] != pairs->max_id && pairs->dst[i] != pairs->max_id)
        i++;
    return nf__check_promise(text->in, nf__line_place(text, i), n, 0, 1, "");
}

static nf_status read_list(nf_context *ctx, nf__input *in, const nf_read_options *options, bool weighted,
                           nf_graph **out)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    nf__pairs pairs = {.high = NF_NO_VERTEX - 2, .style = NF__COMMENT_HASH | NF__COMMENT_PERCENT};
    if (weighted) {
        pairs.weight_column = 3;
        pairs.mode = nf__weight_mode_of(options, NF__W_AUTO);
    }
    NF_TRY(nf__text_open(ctx, in, in->data, in->data + in->size, pairs.style, &text));
    NF_TRY(nf__pairs_read(ctx, &text, &pairs));
    uint64_t n = pairs.m == 0 ? 0 : pairs.max_id + 1;
    NF_TRY(check_greatest(&text, &pairs, n));
    NF_TRY(nf__pairs_build(ctx, &pairs, (nf_vid)n, nf__directions(options, false), 0, weighted ? "wel" : "el", out));
done:
    nf__text_free(&text);
    nf__pairs_free(&pairs);
    return st;
}

static nf_status read_el(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    return read_list(ctx, in, options, false, out);
}

static nf_status read_wel(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    return read_list(ctx, in, options, true, out);
}

const nf__format nf__format_el = {
    .info = {.name = "el",
             .extensions = ".el",
             .summary = "GAP edge list, 0-based",
             .directed = "directed, arcs as listed",
             .weights = "none",
             .zeros = "no weights",
             .reads = true,
             .writes = true},
    .read = read_el,
    .write = nf__write_el,
};

const nf__format nf__format_wel = {
    .info = {.name = "wel",
             .extensions = ".wel",
             .summary = "GAP weighted edge list, 0-based",
             .directed = "directed, arcs as listed",
             .weights = "i32 or u32 when all are integers, else f64",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .read = read_wel,
    .write = nf__write_wel,
};
