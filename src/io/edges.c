/* edges.c - edge lists as SNAP, KONECT and spreadsheets write them: two ids a line, a weight where there is one.
 *
 * Columns are separated by blanks, a comma or a semicolon; lines that begin with #, % or // are comments; a first line
 * of words is a header. Ids are any whole numbers of 64 bits and become labels: the vertices are the ids that occur,
 * in ascending order. The third column of the first line, if it is a number, is the weight, unless the options name
 * another; the columns after the weight are ignored. Directed, arcs as listed. Weights are i32 or u32 when all are
 * integers of that size, else f64.
 * Cost: O(bytes / threads), then labels.c and the build of the graph.
 */
#include "io/text.h"
#include "io/edges.h"
#include "io/write_text.h"

#define STYLE (NF__COMMENT_HASH | NF__COMMENT_PERCENT | NF__COMMENT_SLASHES)

static bool is_number(const char *p, const char *end)
{
    double v;
    bool overflow = false;
    return nf__scan_f64(&p, end, &v, &overflow) && nf__ends_token(p, end);
}

/* True if p begins a line of words, none of them a number. */
static bool is_header(const char *p, const char *end)
{
    while (!nf__at_line_end(p, end)) {
        if (nf__ends_token(p, end) || is_number(p, end) || *p == '-' || (*p >= '0' && *p <= '9'))
            return false;
        p = nf__next_column(true, nf__skip_column(p, end), end);
    }
    return true;
}

/* The first line of numbers. */
static const char *first_line(const nf__input *in)
{
    const char *end = in->data + in->size;
    const char *p = nf__skip_to_data(in->data, end, STYLE);
    if (p < end && is_header(p, end))
        p = nf__skip_to_data(nf__next_line(p, end), end, STYLE);
    return p;
}

/* Columns of a line, up to a comment; *third is where the third begins. */
static int count_columns(const char *p, const char *end, const char **third)
{
    int count = 0;
    while (!nf__at_line_end(p, end) && !nf__is_comment(p, end, STYLE)) {
        count++;
        if (count == 3)
            *third = p;
        p = nf__skip_column(p, end);
        p = nf__next_column(true, p, end);
        if (count == 1 << 20)
            break;
    }
    return count;
}

bool nf__looks_like_edges(const nf__input *in)
{
    const char *end = in->data + in->size, *p = first_line(in);
    uint64_t v;
    bool overflow = false;
    if (!nf__scan_u64(&p, end, &v, &overflow) || !nf__ends_token(p, end))
        return false;
    p = nf__next_column(true, p, end);
    return nf__scan_u64(&p, end, &v, &overflow) && nf__ends_token(p, end);
}

/* Finds the column of the weight, and with it how strict lines are. */
static nf_status choose_columns(const nf__input *in, const char *line, const nf_read_options *options, nf__pairs *q)
{
    const char *end = in->data + in->size, *third = NULL;
    int columns = count_columns(line, end, &third);
    int wanted = options->weight_column;
    if (wanted == 1 || wanted == 2)
        return nf__fail(NF_EINVAL, "%s: column %d holds ids; expected a weight column of 3 or more", in->name, wanted);
    if (wanted > columns && line < end)
        return nf__input_fail(in, line, "the line has %d columns; expected a weight in column %d", columns, wanted);
    q->ragged = columns > 2;
    if (wanted == 0 && third != NULL && is_number(third, end))
        wanted = 3;
    if (wanted >= 3) {
        q->weight_column = wanted;
        q->mode = nf__weight_mode_of(options, NF__W_AUTO);
    }
    return NF_OK;
}

static nf_status read_edges(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf__text text = {.chunks = NULL};
    nf__pairs pairs = {.separators = true, .high = UINT64_MAX, .style = STYLE};
    uint64_t *labels = NULL;
    nf_vid n = 0;
    char note[80];
    const char *line = first_line(in);
    NF_TRY(choose_columns(in, line, options, &pairs));
    NF_TRY(nf__text_open(ctx, in, line, in->data + in->size, STYLE, &text));
    NF_TRY(nf__pairs_read(ctx, &text, &pairs));
    nf__text_free(&text);
    NF_TRY(nf__labels_compact(ctx, in, &pairs, &n, &labels));
    (void)snprintf(note, sizeof note, "vertices are the ids that occur");
    if (pairs.type != NF_NONE)
        (void)snprintf(note, sizeof note, "weights from column %d; vertices are the ids that occur",
                       pairs.weight_column);
    pairs.note = note;
    NF_TRY(nf__pairs_build(ctx, &pairs, n, nf__directions(options, false), 0, "edges", out));
    nf__graph_take_labels(*out, labels);
    labels = NULL;
done:
    nf__text_free(&text);
    nf__pairs_free(&pairs);
    nf__free(labels);
    return st;
}

const nf__format nf__format_edges = {
    .info = {.name = "edges",
             .extensions = ".txt .tsv .csv .edges .edgelist .e .ncol",
             .summary = "edge list (SNAP, TSV, CSV): two ids a line, then columns",
             .directed = "directed, arcs as listed",
             .weights = "the third column (--weight-column), i32 or u32 when all are integers, else f64",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .read = read_edges,
    .write = nf__write_edges,
};
