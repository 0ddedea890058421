/* tsplib.c - TSPLIB instances with an explicit matrix (Reinelt 1991) as complete graphs without loops.
 *
 * TYPE TSP is undirected, ATSP directed; cities are 1 .. n; the diagonal, whatever stands there, is left out. All
 * explicit forms are read: FULL_MATRIX and the UPPER, LOWER, _DIAG_, _ROW and _COL ones. Weights are i32 or u32 when
 * all are integers, else f64; a 0 off the diagonal is an arc of weight 0.
 * Cost: O(bytes / threads), O(n^2) memory, and the build of the graph.
 */
#include "io/text.h"

typedef struct header {
    uint64_t n;
    bool directed, has_type, has_format;
    nf__stored stored;
    bool swap;
    const char *n_at, *body, *body_end;
} header;

/* True if the line at p begins with the keyword, then a colon, a blank or the line's end; *value is what follows. */
static bool key_at(const char *p, const char *end, const char *key, const char **value)
{
    size_t size = strlen(key);
    if ((size_t)(end - p) < size || memcmp(p, key, size) != 0)
        return false;
    p = nf__skip_blanks(p + size, end);
    if (p < end && *p == ':')
        p = nf__skip_blanks(p + 1, end);
    else if (p < end && *p != '\n' && !nf__is_blank(p[-1]))
        return false;
    *value = p;
    return true;
}

static bool sniff(const nf__input *in)
{
    const char *end = in->data + in->size, *value;
    const char *p = nf__skip_to_data(in->data, end, 0);
    if (!key_at(p, end, "NAME", &value) && !key_at(p, end, "TYPE", &value) && !key_at(p, end, "COMMENT", &value)
        && !key_at(p, end, "DIMENSION", &value))
        return false;
    for (int lines = 0; lines < 64 && p < end; lines++) {
        if (key_at(p, end, "EDGE_WEIGHT_TYPE", &value) || key_at(p, end, "EDGE_WEIGHT_SECTION", &value))
            return true;
        p = nf__skip_to_data(nf__next_line(p, end), end, 0);
    }
    return false;
}

static bool value_is(const char *p, const char *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - p) >= size && memcmp(p, word, size) == 0 && nf__ends_token(p + size, end);
}

static nf_status read_format(const nf__input *in, const char *value, const char *end, header *h)
{
    /* a triangle by columns is the other one by rows, turned round */
    static const struct {
        const char *word;
        nf__stored stored;
        bool swap;
    } forms[] = {{"FULL_MATRIX", NF__FULL, false},
                 {"UPPER_ROW", NF__UPPER, false},
                 {"LOWER_ROW", NF__LOWER, false},
                 {"UPPER_DIAG_ROW", NF__UPPER_DIAG, false},
                 {"LOWER_DIAG_ROW", NF__LOWER_DIAG, false},
                 {"UPPER_COL", NF__LOWER, true},
                 {"LOWER_COL", NF__UPPER, true},
                 {"UPPER_DIAG_COL", NF__LOWER_DIAG, true},
                 {"LOWER_DIAG_COL", NF__UPPER_DIAG, true}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (value_is(value, end, forms[i].word)) {
            h->stored = forms[i].stored;
            h->swap = forms[i].swap;
            h->has_format = true;
            return NF_OK;
        }
    return nf__input_fail(in, value,
                          "'%s' is no known form; expected FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, "
                          "LOWER_DIAG_ROW, or these with _COL",
                          nf__show_token(value, end).text);
}

static nf_status read_key(const nf__input *in, const char *p, const char *end, header *h)
{
    const char *value;
    if (key_at(p, end, "TYPE", &value)) {
        h->directed = value_is(value, end, "ATSP");
        h->has_type = true;
        if (!h->directed && !value_is(value, end, "TSP"))
            return nf__input_fail(in, value, "type '%s' is not read; expected TSP or ATSP",
                                  nf__show_token(value, end).text);
    } else if (key_at(p, end, "DIMENSION", &value)) {
        h->n_at = value;
        return nf__take_count(in, &value, end, NF_NO_VERTEX - 1, "number of vertices", &h->n);
    } else if (key_at(p, end, "EDGE_WEIGHT_TYPE", &value)) {
        if (!value_is(value, end, "EXPLICIT"))
            return nf__input_fail(in, value,
                                  "weights of type '%s' are not read; expected EXPLICIT, a matrix written out",
                                  nf__show_token(value, end).text);
    } else if (key_at(p, end, "EDGE_WEIGHT_FORMAT", &value)) {
        return read_format(in, value, end, h);
    }
    return NF_OK;
}

/* The numbers end where a line begins with a capital letter: EOF or another section. */
static const char *section_end(const char *p, const char *end)
{
    while (p < end) {
        const char *word = nf__skip_blanks(p, end);
        if (word < end && *word >= 'A' && *word <= 'Z')
            return p;
        p = nf__next_line(p, end);
    }
    return end;
}

static nf_status read_header(const nf__input *in, header *h)
{
    nf_status st = NF_OK;
    const char *end = in->data + in->size, *value = NULL;
    const char *p = nf__skip_to_data(in->data, end, 0);
    while (p < end && !key_at(p, end, "EDGE_WEIGHT_SECTION", &value)) {
        if (key_at(p, end, "EOF", &value))
            break;
        NF_TRY(read_key(in, p, end, h));
        p = nf__skip_to_data(nf__next_line(p, end), end, 0);
    }
    if (p == end || !key_at(p, end, "EDGE_WEIGHT_SECTION", &value))
        NF_TRY(nf__input_fail(in, p, "the file ends without a matrix; expected EDGE_WEIGHT_SECTION"));
    if (!h->has_type || h->n_at == NULL || !h->has_format)
        NF_TRY(nf__input_fail(in, p,
                              "the matrix comes before %s; expected TYPE, DIMENSION and EDGE_WEIGHT_FORMAT first",
                              !h->has_type      ? "TYPE"
                              : h->n_at == NULL ? "DIMENSION"
                                                : "EDGE_WEIGHT_FORMAT"));
    NF_TRY(nf__take_line_end(in, &value, end));
    h->body = value;
    h->body_end = section_end(value, end);
    if (h->n > in->size || nf__stored_count(h->stored, h->n) > in->size)
        NF_TRY(nf__input_fail(in, h->n_at, "%llu vertices are promised; expected fewer in an input of %zu bytes",
                              (unsigned long long)h->n, in->size));
done:
    return st;
}

static nf_status read_matrix(nf_context *ctx, const nf__input *in, const header *h, nf__text *text, nf__values *values)
{
    nf_status st = NF_OK;
    uint64_t promised = nf__stored_count(h->stored, h->n);
    NF_TRY(nf__text_open(ctx, in, h->body, h->body_end, NF__COUNT_NUMBERS, text));
    NF_TRY(nf__values_read(ctx, text, values));
    if (text->numbers != promised)
        NF_TRY(
            nf__input_fail(in, h->n_at, "%llu vertices need %llu numbers, but %llu follow; expected as many as needed",
                           (unsigned long long)h->n, (unsigned long long)promised, (unsigned long long)text->numbers));
    if (h->stored == NF__FULL && !h->directed) {
        uint64_t at = nf__values_asymmetry(values, h->n);
        if (at != UINT64_MAX)
            NF_TRY(nf__input_fail(
                in, nf__number_place(text, at),
                "entry (%llu, %llu) differs from its mirror image; expected a symmetric matrix in a TSP file",
                (unsigned long long)(at / h->n + 1), (unsigned long long)(at % h->n + 1)));
    }
done:
    return st;
}

static nf_status read_tsplib(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    header h = {.n = 0};
    nf__text text = {.chunks = NULL};
    nf__values values = {.w = NULL};
    nf__pairs pairs = {.low = 1, .note = "the diagonal is left out"};
    NF_TRY(read_header(in, &h));
    uint32_t flags = nf__directions(options, !h.directed);
    values.mode = nf__weight_mode_of(options, NF__W_AUTO);
    bool drop = values.mode == NF__W_SKIP;
    if (drop)
        values.mode = NF__W_F64;
    NF_TRY(read_matrix(ctx, in, &h, &text, &values));
    bool half = h.stored == NF__FULL && !h.directed && flags != 0;
    NF_TRY(nf__values_to_pairs(ctx, &values, (nf_vid)h.n, h.stored, h.swap, half, false, &pairs));
    if (drop) {
        nf__free(pairs.w);
        pairs.w = NULL;
        pairs.type = NF_NONE;
    }
    NF_TRY(nf__pairs_build(ctx, &pairs, (nf_vid)h.n, flags, 1, "tsplib", out));
done:
    nf__text_free(&text);
    nf__free(values.w);
    nf__pairs_free(&pairs);
    return st;
}

const nf__format nf__format_tsplib = {
    .info = {.name = "tsplib",
             .extensions = ".tsp .atsp",
             .summary = "TSPLIB explicit matrix",
             .directed = "TSP: undirected; ATSP: directed",
             .weights = "i32 or u32 when all are integers, else f64",
             .zeros = "an arc of weight 0; the diagonal is left out",
             .reads = true,
             .writes = false},
    .sniff = sniff,
    .read = read_tsplib,
};
