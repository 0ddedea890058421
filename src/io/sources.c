/* sources.c - nf_sources_read: lists of vertices as DIMACS .ss (`p aux sp ss k`, then "s v") or as one label a line.
 *
 * In both, numbers are labels of the graph. Comments: lines beginning with c in .ss, anything after # otherwise.
 * Cost: O(bytes) and a search a label; lists are short, so one thread reads them.
 */
#include "io/text.h"

typedef struct listing {
    const nf__input *in;
    const nf_graph *graph;
    bool ss;
    unsigned style;
    const char *body, *count_at;
    uint64_t promised;
} listing;

static nf_status read_header(listing *l)
{
    nf_status st = NF_OK;
    const char *end = l->in->data + l->in->size;
    const char *p = nf__skip_to_data(l->in->data, end, NF__COMMENT_C);
    l->body = l->in->data;
    l->style = NF__COMMENT_HASH;
    if (!nf__take_word(&p, end, "p"))
        return NF_OK;
    l->ss = true;
    l->style = NF__COMMENT_C;
    if (!nf__take_word(&p, end, "aux") || !nf__take_word(&p, end, "sp") || !nf__take_word(&p, end, "ss")) {
        p = nf__skip_blanks(p, end);
        return nf__input_fail(l->in, p, "'%s' is no header of sources; expected 'p aux sp ss COUNT'",
                              nf__show_token(p, end).text);
    }
    l->count_at = p = nf__skip_blanks(p, end);
    NF_TRY(nf__take_count(l->in, &p, end, UINT64_MAX, "number of sources", &l->promised));
    NF_TRY(nf__take_line_end(l->in, &p, end));
    l->body = p;
done:
    return st;
}

static nf_status take_vertex(const listing *l, const char **pp, const char *end, nf_vid *out)
{
    nf_status st = NF_OK;
    uint64_t label = 0;
    if (l->ss && !nf__take_word(pp, end, "s"))
        NF_TRY(nf__input_fail(l->in, *pp,
                              "'%s' is no kind of line; expected 's' before a vertex, or 'c' before a comment",
                              nf__show_token(*pp, end).text));
    const char *at = *pp = nf__skip_blanks(*pp, end);
    NF_TRY(nf__take_count(l->in, pp, end, UINT64_MAX, "vertex", &label));
    if (nf_graph_find(l->graph, label, out) != NF_OK)
        NF_TRY(nf__input_fail(l->in, at, "vertex %llu is not in the graph; expected one of its labels",
                              (unsigned long long)label));
    *pp = nf__skip_blanks(*pp, end);
    if (*pp < end && **pp == '#')
        *pp = nf__next_line(*pp, end);
    else
        NF_TRY(nf__take_line_end(l->in, pp, end));
done:
    return st;
}

static nf_status read_list(nf_context *ctx, const listing *l, nf_vid **out, uint64_t *count)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    nf_vid *list = NULL;
    uint64_t k = 0;
    const char *end = l->in->data + l->in->size;
    NF_TRY(nf__text_open(ctx, l->in, l->body, end, l->style, &text));
    NF_TRY_ALLOC(list, nf__alloc(nf__context_mem(ctx), text.lines, sizeof *list));
    const char *p = nf__skip_to_data(l->body, end, l->style);
    while (p < end) {
        NF_TRY(take_vertex(l, &p, end, &list[k++]));
        p = nf__skip_to_data(p, end, l->style);
        if ((k & 0xfff) == 0)
            NF_TRY(nf__poll(ctx));
    }
    if (l->ss && k != l->promised)
        NF_TRY(nf__input_fail(l->in, l->count_at,
                              "%llu sources are promised, but %llu follow; expected as many as promised",
                              (unsigned long long)l->promised, (unsigned long long)k));
    if (k == 0)
        NF_TRY(nf__input_fail(l->in, p, "the list names no vertex; expected at least one"));
    *out = list;
    *count = k;
    list = NULL;
done:
    nf__free(list);
    nf__text_free(&text);
    return st;
}

nf_status nf_sources_read(nf_context *ctx, const nf_graph *graph, const char *path, nf_vid **out, uint64_t *count)
{
    nf_context *owned = NULL;
    nf__input in;
    if (graph == NULL || path == NULL || out == NULL || count == NULL)
        return nf__fail(NF_EINVAL, "nf_sources_read: graph, path, out and count must not be NULL");
    nf_status st = nf__enter(&ctx, &owned);
    if (st != NF_OK)
        return st;
    st = nf__input_open(ctx, path, 0, &in);
    if (st != NF_OK)
        return nf__leave(ctx, owned, st);
    listing l = {.in = &in, .graph = graph};
    NF_TRY(read_header(&l));
    NF_TRY(read_list(ctx, &l, out, count));
done:
    nf__input_close(&in);
    return nf__leave(ctx, owned, st);
}
