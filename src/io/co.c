/* co.c - DIMACS coordinates: `p aux sp co n`, then "v id x y" for every vertex 1 .. n; comments "c ..." anywhere.
 *
 * Invariant C1: every vertex gets its coordinates exactly once (n lines, and none left out).
 * Cost: O(bytes / threads), 16 bytes a vertex.
 */
#include "io/put.h"
#include "io/text.h"

typedef struct reading {
    uint64_t n;
    uint64_t *bits; /* the coordinates' bits; all ones where none was read yet */
} reading;

static nf_status read_header(const nf__input *in, nf_vid n, const char **body)
{
    nf_status st = NF_OK;
    const char *end = in->data + in->size;
    const char *p = nf__skip_to_data(in->data, end, NF__COMMENT_C), *at = p;
    uint64_t promised = 0;
    if (!nf__take_word(&p, end, "p") || !nf__take_word(&p, end, "aux") || !nf__take_word(&p, end, "sp")
        || !nf__take_word(&p, end, "co"))
        NF_TRY(nf__input_fail(in, at, "'%s' is no header of coordinates; expected 'p aux sp co VERTICES'",
                              nf__show_token(at, end).text));
    p = at = nf__skip_blanks(p, end);
    NF_TRY(nf__take_count(in, &p, end, UINT64_MAX, "number of vertices", &promised));
    if (promised != n)
        NF_TRY(nf__input_fail(in, at, "%llu vertices are promised; expected the graph's %llu",
                              (unsigned long long)promised, (unsigned long long)n));
    NF_TRY(nf__take_line_end(in, &p, end));
    *body = p;
done:
    return st;
}

static bool take_coordinate(nf__chunk *c, const char **pp, uint64_t *bits)
{
    const char *p = *pp = nf__skip_blanks(*pp, c->end);
    double v = 0;
    bool overflow = false;
    if (nf__at_line_end(p, c->end)) {
        nf__chunk_fail(c, p, "the line ends too soon; expected a coordinate");
        return false;
    }
    if (!nf__scan_f64(&p, c->end, &v, &overflow) || !nf__ends_token(p, c->end) || !isfinite(v)) {
        nf__chunk_fail(c, *pp, "'%s' is not a coordinate; expected a finite number", nf__show_token(*pp, c->end).text);
        return false;
    }
    *pp = p;
    memcpy(bits, &v, sizeof v);
    return true;
}

static bool parse_line(const reading *r, nf__chunk *c, const char **pp)
{
    uint64_t v = 0, x = 0, y = 0;
    if (!nf__take_word(pp, c->end, "v")) {
        nf__chunk_fail(c, *pp, "'%s' is no kind of line; expected 'v' before a vertex, or 'c' before a comment",
                       nf__show_token(*pp, c->end).text);
        return false;
    }
    *pp = nf__skip_blanks(*pp, c->end);
    if (!nf__take_id(c, pp, c->end, 1, r->n, "vertex", &v) || !take_coordinate(c, pp, &x)
        || !take_coordinate(c, pp, &y))
        return false;
    *pp = nf__skip_blanks(*pp, c->end);
    if (!nf__at_line_end(*pp, c->end)) {
        nf__chunk_fail(c, *pp, "'%s' follows; expected the end of the line", nf__show_token(*pp, c->end).text);
        return false;
    }
    __atomic_store_n(&r->bits[2 * (v - 1)], x, __ATOMIC_RELAXED);
    __atomic_store_n(&r->bits[2 * (v - 1) + 1], y, __ATOMIC_RELAXED);
    return true;
}

static void parse_chunk(nf__chunk *c, void *arg)
{
    const char *p = nf__skip_to_data(c->begin, c->end, NF__COMMENT_C);
    while (p < c->end && parse_line(arg, c, &p))
        p = nf__skip_to_data(p, c->end, NF__COMMENT_C);
}

static nf_status check_complete(const nf__text *text, const reading *r)
{
    if (text->lines != r->n)
        return nf__input_fail(text->in, text->begin,
                              "%llu vertices are promised, but %llu follow; expected as many as promised",
                              (unsigned long long)r->n, (unsigned long long)text->lines);
    for (uint64_t v = 0; v < r->n; v++)
        if (r->bits[2 * v] == UINT64_MAX)
            return nf__input_fail(text->in, text->end,
                                  "vertex %llu has no coordinates and another has them twice; expected "
                                  "every vertex once",
                                  (unsigned long long)v + 1);
    return NF_OK;
}

nf_status nf__read_co(nf_context *ctx, const nf__input *in, nf_vid n, double **xy)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    reading r = {n, NULL};
    const char *body = NULL;
    NF_TRY(read_header(in, n, &body));
    NF_TRY_ALLOC(r.bits, nf__alloc(nf__context_mem(ctx), 2 * (uint64_t)n, sizeof *r.bits));
    memset(r.bits, 0xff, 2 * (size_t)n * sizeof *r.bits);
    NF_TRY(nf__text_open(ctx, in, body, in->data + in->size, NF__COMMENT_C, &text));
    NF_TRY(nf__text_each(ctx, &text, parse_chunk, &r));
    NF_TRY(check_complete(&text, &r));
    *xy = (double *)(void *)r.bits;
    r.bits = NULL;
done:
    nf__text_free(&text);
    nf__free(r.bits);
    return st;
}

nf_status nf__write_co(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    nf_status st = NF_OK;
    const double *xy = graph->xy;
    if (xy == NULL)
        return nf__fail(NF_EINVAL, "the graph has no coordinates to write");
    NF_TRY(nf__output_printf(out, "p aux sp co %u\n", graph->csr.n));
    for (nf_vid v = 0; v < graph->csr.n; v++) {
        char line[4 * NF__PUT_MAX] = "v ", *p = nf__put_u64(line + 2, (uint64_t)v + 1);
        *p++ = ' ';
        p = nf__put_f64(p, xy[2 * (size_t)v]);
        *p++ = ' ';
        p = nf__put_f64(p, xy[2 * (size_t)v + 1]);
        *p++ = '\n';
        NF_TRY(nf__output_write(out, line, (size_t)(p - line)));
        if ((v & 0xfff) == 0)
            NF_TRY(nf__progress(ctx, "write", v, graph->csr.n));
    }
done:
    return st;
}
