/* pairs.c - lists of arcs, one a line: "[lead] u v [...] [weight]", the common core of .gr, .mtx, .el, .wel and edge
 * lists.
 *
 * Method: the lines have been counted, so every chunk writes its arcs straight into the final arrays. Integer weights
 * keep their low 32 bits, which read the same as i32 or u32; the range found says which. When a weight turns out to be
 * no such integer, or an id to need 64 bits, the list is parsed a second time with wider arrays; a look at the first
 * line mostly spares that.
 *
 * Invariant P1: arc i is that of data line i, at any number of threads.
 * Cost: O(bytes / threads); 8 bytes an arc (16 when wide) plus its weight.
 */
#include "io/text.h"

nf__weight_mode nf__weight_mode_of(const nf_read_options *options, nf__weight_mode native)
{
    if (native == NF__W_NONE)
        return NF__W_NONE;
    if (options->weight_column < 0)
        return NF__W_SKIP;
    switch (options->weight_type) {
    case NF_I32: return NF__W_I32;
    case NF_U32: return NF__W_U32;
    case NF_F32: return NF__W_F32;
    case NF_F64: return NF__W_F64;
    default: return native;
    }
}

static bool store_id(const nf__pairs *q, nf__chunk *c, nf_vid *narrow, uint64_t *wide, uint64_t i, uint64_t id)
{
    if (id > c->max_id)
        c->max_id = id;
    if (wide != NULL)
        wide[i] = id;
    else if (id - q->low <= UINT32_MAX)
        narrow[i] = (nf_vid)(id - q->low);
    else
        c->wide = true;
    return true;
}

/* The end of a line: nothing more, a comment, or columns that do not matter. */
static bool finish_line(const nf__pairs *q, nf__chunk *c, const char **pp)
{
    const char *p = nf__next_column(q->separators, *pp, c->end);
    if (q->ragged)
        p = nf__next_line(p, c->end);
    else if (nf__at_line_end(p, c->end))
        p = p < c->end ? p + 1 : p;
    else if (nf__is_comment(p, c->end, q->style & ~NF__COMMENT_C))
        p = nf__next_line(p, c->end);
    else {
        nf__chunk_fail(c, p, "'%s' follows; expected the end of the line after %d columns",
                       nf__show_token(p, c->end).text, q->weight_column > 2 ? q->weight_column : 2);
        return false;
    }
    *pp = p;
    return true;
}

static bool take_lead(const nf__pairs *q, nf__chunk *c, const char **pp)
{
    const char *p = *pp;
    if (*p != q->lead || !nf__ends_token(p + 1, c->end)) {
        nf__chunk_fail(c, p, "'%s' is no kind of line; expected '%c' before an arc, or 'c' before a comment",
                       nf__show_token(p, c->end).text, q->lead);
        return false;
    }
    *pp = p + 1;
    return true;
}

static bool parse_line(const nf__pairs *q, nf__chunk *c, const char **pp, uint64_t i)
{
    uint64_t u = 0, v = 0;
    const char *end = c->end;
    if (q->lead != 0 && !take_lead(q, c, pp))
        return false;
    *pp = nf__skip_blanks(*pp, end);
    if (!nf__take_id(c, pp, end, q->low, q->high, "vertex", &u))
        return false;
    *pp = nf__next_column(q->separators, *pp, end);
    if (!nf__take_id(c, pp, end, q->low, q->high, "vertex", &v))
        return false;
    store_id(q, c, q->src, q->wide_src, i, u);
    store_id(q, c, q->dst, q->wide_dst, i, v);
    c->loops += u == v;
    if (q->mode != NF__W_NONE) {
        for (int k = 3; k < q->weight_column; k++)
            *pp = nf__skip_column(nf__next_column(q->separators, *pp, end), end);
        *pp = nf__next_column(q->separators, *pp, end);
        if (!nf__take_weight(c, pp, end, q->mode, q->w, i))
            return false;
    }
    return finish_line(q, c, pp);
}

static void parse_chunk(nf__chunk *c, void *arg)
{
    const nf__pairs *q = arg;
    c->low = INT64_MAX;
    c->high = INT64_MIN;
    c->max_id = c->loops = 0;
    c->real = c->wide = false;
    c->high_at = NULL;
    uint64_t i = c->first_line;
    const char *p = nf__skip_to_data(c->begin, c->end, q->style);
    while (p < c->end && parse_line(q, c, &p, i++))
        p = nf__skip_to_data(p, c->end, q->style);
}

/* Looks at the first arc, to guess whether ids are wide and weights real. */
static void peek(const nf__text *text, nf__pairs *q, bool *wide)
{
    nf__chunk c = {.begin = text->begin, .end = text->end, .low = INT64_MAX, .high = INT64_MIN};
    uint32_t w = 0;
    nf_vid u = 0, v = 0;
    nf__pairs first = *q;
    first.src = &u;
    first.dst = &v;
    first.wide_src = first.wide_dst = NULL;
    first.w = &w;
    const char *p = nf__skip_to_data(c.begin, c.end, q->style);
    if (q->mode != NF__W_AUTO && q->mode != NF__W_NONE && q->mode != NF__W_SKIP)
        first.mode = NF__W_SKIP;
    if (p == c.end || !parse_line(&first, &c, &p, 0))
        return;
    *wide = c.wide;
    if (q->mode == NF__W_AUTO && c.real)
        q->mode = NF__W_F64;
}

static nf_status allocate(nf_context *ctx, nf__pairs *q, uint64_t m, bool wide)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    nf__pairs_free(q);
    if (wide) {
        NF_TRY_ALLOC(q->wide_src, nf__alloc(mem, m, sizeof *q->wide_src));
        NF_TRY_ALLOC(q->wide_dst, nf__alloc(mem, m, sizeof *q->wide_dst));
    } else {
        NF_TRY_ALLOC(q->src, nf__alloc(mem, m, sizeof *q->src));
        NF_TRY_ALLOC(q->dst, nf__alloc(mem, m, sizeof *q->dst));
    }
    if (q->mode >= NF__W_AUTO)
        NF_TRY_ALLOC(q->w, nf__alloc(mem, m, q->mode == NF__W_F64 ? sizeof(double) : sizeof(uint32_t)));
done:
    return st;
}

nf_type nf__weight_type_found(const nf__text *text, nf__weight_mode mode)
{
    switch (mode) {
    case NF__W_NONE:
    case NF__W_SKIP: return NF_NONE;
    case NF__W_I32: return NF_I32;
    case NF__W_U32: return NF_U32;
    case NF__W_F32: return NF_F32;
    case NF__W_F64: return NF_F64;
    default: break;
    }
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint64_t i = 0; i < text->count; i++) {
        if (text->chunks[i].real)
            return NF_F64;
        low = text->chunks[i].low < low ? text->chunks[i].low : low;
        high = text->chunks[i].high > high ? text->chunks[i].high : high;
    }
    if (high <= INT32_MAX)
        return NF_I32;
    return low >= 0 ? NF_U32 : NF_F64;
}

/* Negative weights beside ones above INT32_MAX, in a format that wants 32-bit integers. */
static nf_status mixed_signs(const nf__text *text)
{
    const char *at = text->begin;
    for (uint64_t i = text->count; i-- > 0;)
        at = text->chunks[i].high_at != NULL ? text->chunks[i].high_at : at;
    return nf__input_fail(text->in, at,
                          "weight %s does not fit i32, and others are negative; expected one 32-bit type to hold "
                          "all weights (weight type f64 takes any number)",
                          nf__show_token(at, text->end).text);
}

nf_status nf__pairs_read(nf_context *ctx, nf__text *text, nf__pairs *q)
{
    nf_status st = NF_OK;
    bool wide = false;
    peek(text, q, &wide);
    for (;;) {
        NF_TRY(allocate(ctx, q, text->lines, wide));
        NF_TRY(nf__text_each(ctx, text, parse_chunk, q));
        bool again = false;
        for (uint64_t i = 0; i < text->count; i++) {
            again = again || text->chunks[i].wide;
            q->max_id = text->chunks[i].max_id > q->max_id ? text->chunks[i].max_id : q->max_id;
        }
        wide = wide || again;
        q->type = nf__weight_type_found(text, q->mode);
        if (q->mode == NF__W_INT && q->type == NF_F64)
            NF_TRY(mixed_signs(text));
        if (q->mode == NF__W_AUTO && q->type == NF_F64) {
            q->mode = NF__W_F64;
            again = true;
        }
        if (!again)
            break;
    }
    q->m = text->lines;
done:
    if (st != NF_OK)
        nf__pairs_free(q);
    return st;
}

void nf__pairs_free(nf__pairs *q)
{
    nf__free(q->src);
    nf__free(q->dst);
    nf__free(q->wide_src);
    nf__free(q->wide_dst);
    nf__free(q->w);
    q->src = q->dst = NULL;
    q->wide_src = q->wide_dst = NULL;
    q->w = NULL;
}

/* Twice the list: arc m + i is arc i turned round. */
static nf_status double_list(nf_context *ctx, nf__pairs *q, nf__pairs *twice)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    size_t size = nf_type_size(q->type);
    NF_TRY_ALLOC(twice->src, nf__alloc(mem, 2 * q->m, sizeof *q->src));
    NF_TRY_ALLOC(twice->dst, nf__alloc(mem, 2 * q->m, sizeof *q->dst));
    memcpy(twice->src, q->src, q->m * sizeof *q->src);
    memcpy(twice->src + q->m, q->dst, q->m * sizeof *q->src);
    memcpy(twice->dst, q->dst, q->m * sizeof *q->src);
    memcpy(twice->dst + q->m, q->src, q->m * sizeof *q->src);
    if (q->w != NULL) {
        NF_TRY_ALLOC(twice->w, nf__alloc(mem, 2 * q->m, size));
        memcpy(twice->w, q->w, q->m * size);
        memcpy((char *)twice->w + q->m * size, q->w, q->m * size);
    }
done:
    return st;
}

static void negate(void *w, nf_type type, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        if (type == NF_I32)
            ((uint32_t *)w)[i] = -((uint32_t *)w)[i];
        else if (type == NF_F32)
            ((float *)w)[i] = -((float *)w)[i];
        else if (type == NF_F64)
            ((double *)w)[i] = -((double *)w)[i];
    }
}

nf_status nf__pairs_mirror_negated(nf_context *ctx, nf__pairs *q)
{
    nf_status st = NF_OK;
    nf__pairs twice = {.src = NULL};
    NF_TRY(double_list(ctx, q, &twice));
    negate(twice.w, q->type, q->m, 2 * q->m);
    nf__pairs_free(q);
    q->src = twice.src;
    q->dst = twice.dst;
    q->w = twice.w;
    q->m *= 2;
    twice.src = twice.dst = NULL;
    twice.w = NULL;
done:
    nf__pairs_free(&twice);
    return st;
}
