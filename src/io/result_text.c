/* result_text.c - results in .txt, .tsv and the LDBC Graphalytics form ("vertex value"), read back.
 *
 * Method: one look counts the data lines, which gives the number of rows; a second parses them. A row is a run of
 * lines that names every vertex once; it ends when all have been seen, and a marker or another source before that
 * is an error.
 *
 * Invariants
 *   L1 seen[v] is 1 exactly for the vertices of the row at hand; left counts the others;
 *   L2 row < rows: rows end with markers, and are then as many, or by a column of sources after n lines each.
 * Cost: O(bytes + rows * n), n bytes beside the result.
 */
#include "io/result_io.h"

#include <assert.h>

#include "io/text.h"

typedef struct reader {
    nf__result_in *from;
    const char *p, *end, *line;             /* where we are, and its line's beginning */
    bool has_source, has_parent, has_owner; /* columns */
    bool marked;                            /* rows begin with "# source"; never with a column of sources */
    nf_vid *nearest;                        /* from "# nearest" */
    uint64_t nearest_count;
    uint64_t lines, markers;
    nf_result *r;
    uint8_t *seen; /* L1 */
    nf_vid left;
    uint64_t row;  /* the row at hand */
    nf_vid source; /* of the row at hand, or NF_NO_VERTEX */
} reader;

/* ---- small pieces ------------------------------------------------------------------------------------------------ */

static bool starts(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0;
}

static nf_status fail_here(const reader *t, const char *p, const char *what)
{
    return nf__input_fail(t->from->in, p, "'%s' where %s was expected", nf__show_token(p, t->end).text, what);
}

/* A label at *p, or "-" for none where that is allowed. */
static nf_status take_vertex(reader *t, bool may_lack, const char *what, nf_vid *v)
{
    t->p = nf__skip_blanks(t->p, t->end);
    const char *start = t->p;
    uint64_t label = 0;
    bool overflow = false;
    if (may_lack && t->p < t->end && *t->p == '-' && nf__ends_token(t->p + 1, t->end)) {
        t->p++;
        *v = NF_NO_VERTEX;
        return NF_OK;
    }
    if (!nf__scan_u64(&t->p, t->end, &label, &overflow) || overflow || !nf__ends_token(t->p, t->end))
        return fail_here(t, start, what);
    if (nf_graph_find(t->from->graph, label, v) != NF_OK)
        return nf__input_fail(t->from->in, start, "%llu where %s was expected; the graph has no such vertex",
                              (unsigned long long)label, what);
    return NF_OK;
}

static nf_status end_line(reader *t)
{
    t->p = nf__skip_blanks(t->p, t->end);
    if (!nf__at_line_end(t->p, t->end))
        return fail_here(t, t->p, "the end of the line");
    if (t->p < t->end)
        t->p++;
    return NF_OK;
}

/* The row at hand lacks a vertex: name the first. */
static nf_status fail_missing(const reader *t, const char *p)
{
    nf_vid v = 0;
    while (v < t->r->info.n && t->seen[v] != 0)
        v++;
    return nf__input_fail(t->from->in, p, "the row ends here, but vertex %llu is missing",
                          (unsigned long long)nf_graph_label(t->from->graph, v));
}

/* ---- the look before: header, markers, counts -------------------------------------------------------------------- */

/* The .tsv header; without it p stays. */
static nf_status read_header(reader *t)
{
    const char *end = nf__next_line(t->p, t->end), *start = t->p;
    if (!starts(t->p, end, "source\t") && !starts(t->p, end, "vertex\t"))
        return NF_OK;
    static const char *const names[] = {"source", "vertex", "hops", "distance", "parent", "owner"};
    unsigned found = 0;
    while (t->p < end && *t->p != '\n' && *t->p != '\r') {
        unsigned i = 0;
        while (i < 6 && !(starts(t->p, end, names[i]) && nf__ends_token(t->p + strlen(names[i]), end)))
            i++;
        if (i == 6 || found >> i != 0)
            return fail_here(t, t->p, "a column among source, vertex, hops or distance, parent, owner, in this order");
        found |= 1u << i;
        t->p += strlen(names[i]);
        t->p += t->p < end && *t->p == '\t';
    }
    if ((found & 2u) == 0 || ((found & 4u) != 0) == ((found & 8u) != 0))
        return nf__input_fail(t->from->in, start, "the header names no vertex column, or not one of hops and distance");
    t->p = end;
    t->has_source = (found & 1u) != 0;
    t->has_parent = (found & 16u) != 0;
    t->has_owner = (found & 32u) != 0;
    if ((found & 4u) != 0)
        t->from->problem = NF_BFS;
    else if (t->from->problem == NF_BFS)
        t->from->problem = NF_SSSP;
    return NF_OK;
}

static nf_status read_nearest(reader *t, const char *p, const char *end)
{
    nf_status st = NF_OK;
    uint64_t room = (uint64_t)(end - p) / 2 + 1;
    if (t->nearest != NULL)
        return nf__input_fail(t->from->in, p, "a second list of nearest sources");
    NF_TRY_ALLOC(t->nearest, nf__alloc(nf__context_mem(t->from->ctx), room, sizeof *t->nearest));
    for (t->p = nf__skip_blanks(p, end); !nf__at_line_end(t->p, end); t->p = nf__skip_blanks(t->p, end))
        NF_TRY(take_vertex(t, false, "a source", &t->nearest[t->nearest_count++]));
done:
    return st;
}

/* Counts data lines and markers; the columns of a .txt are those of its first data line. */
static nf_status look_ahead(reader *t)
{
    nf_status st = NF_OK;
    const char *body = t->p;
    uint64_t columns = 0;
    for (const char *p = body, *next; p < t->end; p = next) {
        next = nf__next_line(p, t->end);
        p = nf__skip_blanks(p, next);
        if (nf__at_line_end(p, next))
            continue;
        if (*p != '#') {
            t->lines++;
            for (; t->lines == 1 && !nf__at_line_end(p, next); columns++) {
                while (!nf__at_line_end(p, next) && !nf__is_blank(*p))
                    p++;
                p = nf__skip_blanks(p, next);
            }
        } else if (starts(p, next, "# source ")) {
            t->markers++;
        } else if (starts(p, next, "# nearest")) {
            NF_TRY(read_nearest(t, p + strlen("# nearest"), next));
        }
    }
    t->p = body;
    if (!t->has_source && !t->has_parent && !t->has_owner) {
        t->has_owner = t->nearest != NULL && columns > 2;
        t->has_parent = columns > (t->has_owner ? 3u : 2u);
    }
    t->marked = t->markers > 0 && !t->has_source;
done:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Leaves the row at hand, which must be whole, for the next one. */
static nf_status next_row(reader *t, const char *p)
{
    if (t->left > 0)
        return fail_missing(t, p);
    t->row++;
    assert(t->row < t->r->info.rows); /* L2 */
    t->left = t->r->info.n;
    memset(t->seen, 0, t->left);
    t->source = NF_NO_VERTEX;
    return NF_OK;
}

/* A "# source LABEL" line. */
static nf_status read_marker(reader *t, bool *begun)
{
    nf_status st = NF_OK;
    if (*begun)
        NF_TRY(next_row(t, t->line));
    t->p += strlen("# source ");
    NF_TRY(take_vertex(t, false, "a source", &t->source));
    t->r->sources[t->row] = t->source;
    *begun = true;
done:
    return st;
}

static nf_status take_source(reader *t)
{
    nf_status st = NF_OK;
    const char *start = t->p;
    nf_vid source = 0;
    NF_TRY(take_vertex(t, false, "a source", &source));
    if (t->left == 0)
        NF_TRY(next_row(t, start));
    if (t->source != NF_NO_VERTEX && source != t->source)
        NF_TRY(fail_missing(t, start));
    t->source = source;
    t->r->sources[t->row] = source;
done:
    return st;
}

static nf_status read_line(reader *t)
{
    nf_status st = NF_OK;
    nf_result *r = t->r;
    bool hops = r->info.problem == NF_BFS;
    nf_vid v = 0;
    if (t->has_source)
        NF_TRY(take_source(t));
    const char *start = t->p = nf__skip_blanks(t->p, t->end);
    NF_TRY(take_vertex(t, false, "a vertex", &v));
    if (t->seen[v] != 0)
        return nf__input_fail(t->from->in, start, "vertex %llu comes twice in a row",
                              (unsigned long long)nf_graph_label(t->from->graph, v));
    t->seen[v] = 1;
    t->left--;
    uint64_t i = t->row * r->info.n + v;
    const char *at = t->p = nf__skip_blanks(t->p, t->end);
    if (!nf__scan_distance(&t->p, t->end, r->info.type, hops, r->dist, i) || !nf__ends_token(t->p, t->end))
        return nf__input_fail(t->from->in, at, "'%s' where a distance (%s) or inf was expected",
                              nf__show_token(at, t->end).text, hops ? "hops" : nf_type_name(r->info.type));
    if (t->has_parent)
        NF_TRY(take_vertex(t, true, "a parent", &r->parents[i]));
    if (t->has_owner)
        NF_TRY(take_vertex(t, true, "an owner", &r->owners[v]));
    NF_TRY(end_line(t));
done:
    return st;
}

static nf_status read_rows(reader *t)
{
    nf_status st = NF_OK;
    bool begun = !t->marked;
    for (uint64_t count = 0; t->p < t->end; count++) {
        t->line = t->p;
        t->p = nf__skip_blanks(t->p, t->end);
        if (t->p == t->end)
            break;
        if ((count & 0xffff) == 0)
            NF_TRY(nf__progress(t->from->ctx, "read", (uint64_t)(t->p - t->from->in->data), t->from->in->size));
        if (*t->p == '\n' || *t->p == '#') {
            if (t->marked && starts(t->p, t->end, "# source "))
                NF_TRY(read_marker(t, &begun));
            t->p = nf__next_line(t->p, t->end);
        } else if (!begun) {
            NF_TRY(fail_here(t, t->p, "a line '# source LABEL'"));
        } else {
            NF_TRY(read_line(t));
        }
    }
    if (t->left > 0 && t->r->info.rows > 0)
        NF_TRY(fail_missing(t, t->end));
done:
    return st;
}

/* As many rows as the lines can fill; what does not come out even is found, with its place, while reading. */
static uint64_t count_rows(const reader *t)
{
    nf_vid n = nf_graph_n(t->from->graph);
    if (n == 0)
        return 0;
    if (t->marked)
        return t->markers;
    return t->has_source && t->lines > n ? (t->lines + n - 1) / n : 1;
}

nf_status nf__read_result_text(nf__result_in *from, nf_result **out)
{
    nf_status st = NF_OK;
    reader t = {.from = from, .p = from->in->data, .end = from->in->data + from->in->size, .source = NF_NO_VERTEX};
    NF_TRY(read_header(&t));
    NF_TRY(look_ahead(&t));
    uint64_t rows = count_rows(&t), lines_a_row = nf_graph_n(from->graph);
    if (t.marked && rows > 0 && t.lines / rows < lines_a_row)
        NF_TRY(nf__input_fail(from->in, t.end, "%llu lines for %llu rows; each has %llu vertices",
                              (unsigned long long)t.lines, (unsigned long long)rows, (unsigned long long)lines_a_row));
    if (rows == 0 && t.lines > 0)
        NF_TRY(nf__input_fail(from->in, from->in->data, "distances, but the graph has no vertices"));
    NF_TRY(nf__result_draft(from, rows, t.has_parent, t.has_owner, &t.r));
    t.left = nf_graph_n(from->graph);
    NF_TRY_ALLOC(t.seen, nf__zalloc(nf__context_mem(from->ctx), t.left, 1));
    NF_TRY(read_rows(&t));
    if (t.nearest != NULL)
        NF_TRY(nf__result_set_nearest(t.r, t.nearest, t.nearest_count));
    *out = t.r, t.r = NULL;
done:
    nf_result_free(t.r);
    nf__free(t.seen);
    nf__free(t.nearest);
    return st;
}
