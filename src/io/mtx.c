/* mtx.c - Matrix Market (Boisvert, Pozo, Remington 1996): entry (i, j) of a square matrix is the arc i -> j.
 *
 * coordinate and array, real, integer and pattern, general, symmetric and skew-symmetric; complex and hermitian
 * matrices are refused. Vertices are 1 .. n. Symmetric matrices are undirected graphs, skew-symmetric ones directed
 * with arcs of both signs. An explicit zero of a coordinate file is an arc of weight 0; in an array file so is every
 * zero off the diagonal. `integer` gives i32 or u32 as the numbers fit, else f64; `real` gives f64. Comments begin
 * with %.
 * Cost: O(bytes / threads) and the build of the graph.
 */
#include "io/text.h"
#include "io/write_text.h"

#define STYLE NF__COMMENT_PERCENT
#define BANNER "%%MatrixMarket"

typedef struct header {
    bool array, pattern, integer, symmetric, skew;
    uint64_t n, m;
    const char *m_at, *body;
} header;

/* Compares without case, as the format demands. */
static bool word_at(const char **pp, const char *end, const char *word)
{
    const char *p = nf__skip_blanks(*pp, end);
    for (; *word != '\0'; word++, p++)
        if (p == end || (*p >= 'A' && *p <= 'Z' ? *p + 32 : *p) != (*word >= 'A' && *word <= 'Z' ? *word + 32 : *word))
            return false;
    if (!nf__ends_token(p, end))
        return false;
    *pp = p;
    return true;
}

static bool sniff(const nf__input *in)
{
    const char *p = in->data, *end = in->data + in->size;
    return word_at(&p, end, BANNER);
}

static nf_status wrong_word(const nf__input *in, const char *p, const char *expected)
{
    const char *end = in->data + in->size;
    p = nf__skip_blanks(p, end);
    return nf__input_fail(in, p, "'%s' is not supported; expected %s", nf__show_token(p, end).text, expected);
}

static nf_status read_banner(const nf__input *in, const char **pp, header *h)
{
    const char *p = *pp, *end = in->data + in->size;
    if (!word_at(&p, end, BANNER))
        return nf__input_fail(in, p, "the file does not begin with its banner; expected '%s matrix ...'", BANNER);
    if (!word_at(&p, end, "matrix"))
        return wrong_word(in, p, "'matrix'");
    h->array = word_at(&p, end, "array");
    if (!h->array && !word_at(&p, end, "coordinate"))
        return wrong_word(in, p, "'coordinate' or 'array'");
    h->integer = word_at(&p, end, "integer") || word_at(&p, end, "unsigned-integer");
    h->pattern = !h->integer && !h->array && word_at(&p, end, "pattern");
    if (!h->integer && !h->pattern && !word_at(&p, end, "real") && !word_at(&p, end, "double"))
        return wrong_word(in, p, h->array ? "'real' or 'integer'" : "'real', 'integer' or 'pattern'");
    h->symmetric = word_at(&p, end, "symmetric");
    h->skew = !h->symmetric && !h->pattern && word_at(&p, end, "skew-symmetric");
    if (!h->symmetric && !h->skew && !word_at(&p, end, "general"))
        return wrong_word(in, p,
                          h->pattern ? "'general' or 'symmetric'" : "'general', 'symmetric' or 'skew-symmetric'");
    *pp = p;
    return nf__take_line_end(in, pp, end);
}

static nf_status read_header(const nf__input *in, header *h)
{
    nf_status st = NF_OK;
    const char *p = in->data, *end = in->data + in->size;
    uint64_t columns = 0;
    NF_TRY(read_banner(in, &p, h));
    const char *n_at = p = nf__skip_to_data(p, end, STYLE);
    NF_TRY(nf__take_count(in, &p, end, NF_NO_VERTEX - 1, "number of rows", &h->n));
    const char *columns_at = p = nf__skip_blanks(p, end);
    NF_TRY(nf__take_count(in, &p, end, UINT64_MAX, "number of columns", &columns));
    if (columns != h->n)
        NF_TRY(nf__input_fail(in, columns_at, "the matrix has %llu rows and %llu columns; expected a square matrix",
                              (unsigned long long)h->n, (unsigned long long)columns));
    h->m_at = p = nf__skip_blanks(p, end);
    if (!h->array)
        NF_TRY(nf__take_count(in, &p, end, UINT64_MAX, "number of entries", &h->m));
    NF_TRY(nf__take_line_end(in, &p, end));
    NF_TRY(nf__check_promise(in, n_at, h->n, 0, 1, ""));
    NF_TRY(nf__check_promise(in, h->m_at, h->n, h->m, h->pattern ? 3 : 5, "entries"));
    h->body = p;
done:
    return st;
}

static nf_status wrong_count(const nf__input *in, const char *at, uint64_t promised, uint64_t found)
{
    return nf__input_fail(in, at, "%llu entries are promised, but %llu follow; expected as many as promised",
                          (unsigned long long)promised, (unsigned long long)found);
}

/* The mode of the numbers as listed, before a skew-symmetric matrix is mirrored. */
static nf_status choose_mode(const nf__input *in, const header *h, const nf_read_options *options,
                             nf__weight_mode *mode)
{
    *mode = nf__weight_mode_of(options, h->pattern ? NF__W_NONE : h->integer ? NF__W_AUTO : NF__W_F64);
    if (h->skew && *mode == NF__W_U32)
        return nf__input_fail(in, in->data,
                              "a skew-symmetric matrix has negative weights; expected another weight type than u32");
    return NF_OK;
}

/* The first of m weights whose negative is none of its type: -2^31 or an infinity; m when there is no such. */
static uint64_t find_unpaired(nf_type type, const void *w, uint64_t m)
{
    for (uint64_t i = 0; i < m; i++)
        if ((type == NF_I32 && ((const int32_t *)w)[i] == INT32_MIN) || (type == NF_F32 && isinf(((const float *)w)[i]))
            || (type == NF_F64 && isinf(((const double *)w)[i])))
            return i;
    return m;
}

static nf_status fail_unpaired(const nf__text *text, nf_type type, const char *at)
{
    return nf__input_fail(text->in, at, "%s of a skew-symmetric matrix has no negative in %s; expected %s",
                          type == NF_I32 ? "weight -2147483648" : "an infinite weight", nf_type_name(type),
                          type == NF_I32 ? "weight type f64" : "a finite number");
}

/* A skew-symmetric matrix has a zero diagonal, and every weight a negative. */
static nf_status check_skew(const nf__text *text, const nf__pairs *q)
{
    for (uint64_t i = 0; i < q->m; i++)
        if (q->src[i] == q->dst[i])
            return nf__input_fail(text->in, nf__line_place(text, i),
                                  "an entry on the diagonal; expected none in a skew-symmetric matrix");
    const uint64_t bad = find_unpaired(q->type, q->w, q->m);
    return bad < q->m ? fail_unpaired(text, q->type, nf__line_place(text, bad)) : NF_OK;
}

static nf_status read_coordinates(nf_context *ctx, const nf__input *in, const header *h, nf__weight_mode mode,
                                  nf__pairs *q)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    q->low = 1;
    q->high = h->n;
    q->style = STYLE;
    q->mode = h->skew && mode == NF__W_AUTO ? NF__W_I32 : mode;
    q->weight_column = h->pattern ? 0 : 3;
    NF_TRY(nf__text_open(ctx, in, h->body, in->data + in->size, STYLE, &text));
    NF_TRY(nf__pairs_read(ctx, &text, q));
    if (q->m != h->m)
        NF_TRY(wrong_count(in, h->m_at, h->m, q->m));
    if (h->skew)
        NF_TRY(check_skew(&text, q));
done:
    nf__text_free(&text);
    return st;
}

/* Column by column; of a symmetric matrix the lower triangle, of a skew-symmetric one without its diagonal. */
static nf_status read_array(nf_context *ctx, const nf__input *in, const header *h, nf__weight_mode mode, nf__pairs *q)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    nf__values values = {.mode = mode == NF__W_SKIP ? NF__W_F64 : h->skew && mode == NF__W_AUTO ? NF__W_I32 : mode};
    nf__stored stored = h->symmetric ? NF__UPPER_DIAG : h->skew ? NF__UPPER : NF__FULL;
    NF_TRY(nf__text_open(ctx, in, h->body, in->data + in->size, STYLE | NF__COUNT_NUMBERS, &text));
    if (text.numbers != nf__stored_count(stored, h->n))
        NF_TRY(wrong_count(in, h->m_at, nf__stored_count(stored, h->n), text.numbers));
    NF_TRY(nf__values_read(ctx, &text, &values));
    const uint64_t bad = h->skew ? find_unpaired(values.type, values.w, text.numbers) : text.numbers;
    if (bad < text.numbers)
        NF_TRY(fail_unpaired(&text, values.type, nf__number_place(&text, bad)));
    NF_TRY(nf__values_to_pairs(ctx, &values, (nf_vid)h->n, stored, true, false, true, q));
    if (mode == NF__W_SKIP) {
        nf__free(q->w);
        q->w = NULL;
        q->type = NF_NONE;
    }
done:
    nf__text_free(&text);
    nf__free(values.w);
    return st;
}

static nf_status read_mtx(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    header h = {.n = 0};
    nf__pairs pairs = {.low = 1};
    nf__weight_mode mode;
    NF_TRY(read_header(in, &h));
    NF_TRY(choose_mode(in, &h, options, &mode));
    NF_TRY(h.array ? read_array(ctx, in, &h, mode, &pairs) : read_coordinates(ctx, in, &h, mode, &pairs));
    if (h.skew && (options->flags & NF_READ_DIRECTED) == 0) {
        NF_TRY(nf__pairs_mirror_negated(ctx, &pairs));
        pairs.note = "skew-symmetric: each entry also stands for its negative";
    }
    NF_TRY(nf__pairs_build(ctx, &pairs, (nf_vid)h.n, nf__directions(options, h.symmetric), 1, "mtx", out));
done:
    nf__pairs_free(&pairs);
    return st;
}

const nf__format nf__format_mtx = {
    .info = {.name = "mtx",
             .extensions = ".mtx",
             .summary = "Matrix Market, coordinate or array",
             .directed = "general and skew-symmetric: directed, row to column; symmetric: undirected",
             .weights = "real: f64; integer: i32 or u32 as they fit, else f64; pattern: none",
             .zeros = "an arc of weight 0 (array: off the diagonal)",
             .reads = true,
             .writes = true},
    .sniff = sniff,
    .read = read_mtx,
    .write = nf__write_mtx,
};
