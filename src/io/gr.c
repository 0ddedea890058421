/* gr.c - DIMACS graphs: `p sp n m` with arcs "a u v w", and `p tw n m` with edges "u v" (PACE), comments "c ..."
 * anywhere.
 *
 * Vertices are 1 .. n. `sp` is directed with 32-bit integer weights (the types i32 or u32, whichever holds them all),
 * `tw` is undirected and unweighted. The number of arcs must be the one promised.
 * Cost: O(bytes / threads) and the build of the graph.
 */
#include "io/text.h"
#include "io/write_text.h"

#define ARC_BYTES 7  /* "a 1 1 0" */
#define EDGE_BYTES 3 /* "1 1" */

typedef struct header {
    bool tw;
    uint64_t n, m;
    const char *m_at, *body;
} header;

static bool sniff(const nf__input *in)
{
    const char *end = in->data + in->size;
    const char *p = nf__skip_to_data(in->data, end, NF__COMMENT_C);
    return nf__take_word(&p, end, "p")
           && (nf__take_word(&p, end, "sp") || nf__take_word(&p, end, "tw") || nf__take_word(&p, end, "aux"));
}

static nf_status read_header(const nf__input *in, header *h)
{
    nf_status st = NF_OK;
    const char *end = in->data + in->size;
    const char *p = nf__skip_to_data(in->data, end, NF__COMMENT_C), *at = p;
    if (!nf__take_word(&p, end, "p"))
        return nf__input_fail(in, p, "'%s' comes before the header; expected 'p sp VERTICES ARCS'",
                              nf__show_token(p, end).text);
    if (nf__take_word(&p, end, "aux"))
        return nf__input_fail(
            in, at, "this is a DIMACS auxiliary file (coordinates or sources); expected 'p sp VERTICES ARCS'");
    h->tw = nf__take_word(&p, end, "tw");
    if (!h->tw && !nf__take_word(&p, end, "sp")) {
        p = nf__skip_blanks(p, end);
        return nf__input_fail(in, p, "'%s' is no known problem; expected 'p sp' or 'p tw'",
                              nf__show_token(p, end).text);
    }
    p = nf__skip_blanks(p, end);
    const char *n_at = p;
    NF_TRY(nf__take_count(in, &p, end, NF_NO_VERTEX - 1, "number of vertices", &h->n));
    h->m_at = p = nf__skip_blanks(p, end);
    NF_TRY(nf__take_count(in, &p, end, UINT64_MAX, "number of arcs", &h->m));
    NF_TRY(nf__take_line_end(in, &p, end));
    NF_TRY(nf__check_promise(in, n_at, h->n, 0, 1, ""));
    NF_TRY(nf__check_promise(in, h->m_at, h->n, h->m, h->tw ? EDGE_BYTES : ARC_BYTES, "arcs"));
    h->body = p;
done:
    return st;
}

static nf_status read_gr(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    header h = {.n = 0};
    nf__text text = {.chunks = NULL};
    nf__pairs pairs = {.low = 1, .style = NF__COMMENT_C};
    NF_TRY(read_header(in, &h));
    pairs.high = h.n;
    if (!h.tw) {
        pairs.lead = 'a';
        pairs.weight_column = 3;
        pairs.mode = nf__weight_mode_of(options, NF__W_INT);
    }
    NF_TRY(nf__text_open(ctx, in, h.body, in->data + in->size, pairs.style, &text));
    NF_TRY(nf__pairs_read(ctx, &text, &pairs));
    if (pairs.m != h.m)
        NF_TRY(nf__input_fail(in, h.m_at, "%llu arcs are promised, but %llu follow; expected as many as promised",
                              (unsigned long long)h.m, (unsigned long long)pairs.m));
    NF_TRY(nf__pairs_build(ctx, &pairs, (nf_vid)h.n, nf__directions(options, h.tw), 1, "gr", out));
done:
    nf__text_free(&text);
    nf__pairs_free(&pairs);
    return st;
}

const nf__format nf__format_gr = {
    .info = {.name = "gr",
             .extensions = ".gr",
             .summary = "DIMACS shortest-path challenge (p sp) and PACE (p tw)",
             .directed = "p sp: directed, arcs as listed; p tw: undirected",
             .weights = "p sp: integers, i32 or u32 as they fit; p tw: none",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .sniff = sniff,
    .read = read_gr,
    .write = nf__write_gr,
};
