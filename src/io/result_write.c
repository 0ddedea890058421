/* result_write.c - nf_result_write: distances, parents and owners as text, TSV, JSON, .npy or .nfd.
 *
 * The text forms format all rows * n elements through nf__emit, element i being vertex i mod n of row i / n.
 * result_io.h has the forms.
 *
 * Invariant X1: a line is at most LINE_LENGTH bytes, the row's own line before it included.
 * Cost: O(rows * n), memory of nf__emit.
 */
#include <unistd.h>

#include "io/emit.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/put.h"
#include "io/result_io.h"

#define LINE_LENGTH (6 * 24 + NF__PUT_MAX)

/* A result ready to be formatted. */
typedef struct sheet {
    const nf_graph *graph; /* NULL: vertex numbers */
    const nf_result *result;
    nf_run_info info;
    const void *dist;
    const nf_vid *parents, *owners;
    bool hops, many;      /* many: rows are marked with their source */
    char *beside;         /* .npy: the finished file of parents, to be removed if the distances fail after it; owned */
    const nf_vid *column; /* JSON: parents or owners being listed; NULL: distances */
} sheet;

static char *put_text(char *p, const char *text)
{
    size_t length = strlen(text);
    memcpy(p, text, length);
    return p + length;
}

static char *put_label(const sheet *s, char *p, nf_vid v)
{
    return nf__put_u64(p, s->graph != NULL ? nf_graph_label(s->graph, v) : v);
}

static char *put_vertex(const sheet *s, char *p, nf_vid v, const char *none)
{
    return v == NF_NO_VERTEX ? put_text(p, none) : put_label(s, p, v);
}

static char *put_distance(const sheet *s, char *p, uint64_t i, const char *unreached)
{
    if (nf__is_unreached(s->info.type, s->hops, s->dist, i))
        return put_text(p, unreached);
    return nf__put_element(p, s->info.type, s->dist, i);
}

/* ---- .txt and .tsv ----------------------------------------------------------------------------------------------- */

static char *put_columns(const sheet *s, char *p, uint64_t i, nf_vid v, char separator)
{
    p = put_label(s, p, v);
    *p++ = separator;
    p = put_distance(s, p, i, "inf");
    if (s->parents != NULL) {
        *p++ = separator;
        p = put_vertex(s, p, s->parents[i], "-");
    }
    if (s->owners != NULL) {
        *p++ = separator;
        p = put_vertex(s, p, s->owners[v], "-");
    }
    *p++ = '\n';
    return p;
}

static char *format_txt(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const sheet *s = arg;
    for (uint64_t i = lo; i < hi; i++) {
        nf_vid v = (nf_vid)(i % s->info.n);
        if (v == 0 && s->many) {
            p = put_text(p, "# source ");
            p = put_label(s, p, nf_result_source(s->result, i / s->info.n));
            *p++ = '\n';
        }
        p = put_columns(s, p, i, v, ' ');
    }
    return p;
}

static char *format_tsv(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const sheet *s = arg;
    bool nearest = (s->info.flags & NF_INFO_NEAREST) != 0;
    for (uint64_t i = lo; i < hi; i++) {
        if (!nearest) {
            p = put_label(s, p, nf_result_source(s->result, i / s->info.n));
            *p++ = '\t';
        }
        p = put_columns(s, p, i, (nf_vid)(i % s->info.n), '\t');
    }
    return p;
}

/* All sources in a line of their own, each after `separator`. */
static nf_status write_sources(const sheet *s, const char *separator, nf__output *out)
{
    nf_status st = NF_OK;
    uint64_t count = 0;
    const nf_vid *sources = nf_result_sources(s->result, &count);
    for (uint64_t i = 0; i < count; i++) {
        char text[NF__PUT_MAX + 8], *p = text;
        if (i > 0 || separator[0] == ' ')
            p = put_text(p, separator);
        p = put_label(s, p, sources[i]);
        NF_TRY(nf__output_write(out, text, (size_t)(p - text)));
    }
done:
    return st;
}

static nf_status write_txt(nf_context *ctx, const sheet *s, nf__output *out)
{
    nf_status st = NF_OK;
    if ((s->info.flags & NF_INFO_NEAREST) != 0) {
        NF_TRY(nf__output_printf(out, "# nearest"));
        NF_TRY(write_sources(s, " ", out));
        NF_TRY(nf__output_printf(out, "\n"));
    }
    NF_TRY(nf__emit(ctx, out, s->info.rows * s->info.n, LINE_LENGTH, format_txt, s));
done:
    return st;
}

static nf_status write_tsv(nf_context *ctx, const sheet *s, nf__output *out)
{
    nf_status st = NF_OK;
    bool nearest = (s->info.flags & NF_INFO_NEAREST) != 0;
    NF_TRY(nf__output_printf(out, "%svertex\t%s%s%s\n", nearest ? "" : "source\t", s->hops ? "hops" : "distance",
                             s->parents != NULL ? "\tparent" : "", s->owners != NULL ? "\towner" : ""));
    NF_TRY(nf__emit(ctx, out, s->info.rows * s->info.n, LINE_LENGTH, format_tsv, s));
done:
    return st;
}

/* ---- .json ------------------------------------------------------------------------------------------------------- */

/* Rows of distances, or of a column of vertices. */
static char *format_rows(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const sheet *s = arg;
    for (uint64_t i = lo; i < hi; i++) {
        nf_vid v = (nf_vid)(i % s->info.n);
        *p++ = v == 0 ? '[' : ',';
        p = s->column != NULL ? put_vertex(s, p, s->column[i], "null") : put_distance(s, p, i, "null");
        if (v == s->info.n - 1) {
            *p++ = ']';
            if (i + 1 < s->info.rows * s->info.n)
                p = put_text(p, ",\n");
        }
    }
    return p;
}

static char *format_labels(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const sheet *s = arg;
    for (uint64_t v = lo; v < hi; v++) {
        if (v > 0)
            *p++ = ',';
        p = put_label(s, p, (nf_vid)v);
    }
    return p;
}

static nf_status write_rows(nf_context *ctx, sheet *s, const char *key, const nf_vid *column, nf__output *out)
{
    nf_status st = NF_OK;
    s->column = column;
    NF_TRY(nf__output_printf(out, ",\n\"%s\":[", key));
    NF_TRY(nf__emit(ctx, out, s->info.rows * s->info.n, LINE_LENGTH, format_rows, s));
    NF_TRY(nf__output_printf(out, "]"));
done:
    return st;
}

static nf_status write_json(nf_context *ctx, sheet *s, nf__output *out)
{
    nf_status st = NF_OK;
    NF_TRY(nf__output_printf(out, "{\"problem\":\"%s\",\"type\":\"%s\",\n\"sources\":[",
                             nf_problem_name(s->info.problem), nf_type_name(s->info.type)));
    NF_TRY(write_sources(s, ",", out));
    NF_TRY(nf__output_printf(out, "],\n\"vertices\":["));
    NF_TRY(nf__emit(ctx, out, s->info.n, LINE_LENGTH, format_labels, s));
    NF_TRY(nf__output_printf(out, "]"));
    NF_TRY(write_rows(ctx, s, "distances", NULL, out));
    if (s->parents != NULL)
        NF_TRY(write_rows(ctx, s, "parents", s->parents, out));
    if (s->owners != NULL) {
        s->column = s->owners;
        NF_TRY(nf__output_printf(out, ",\n\"owners\":"));
        NF_TRY(nf__emit(ctx, out, s->info.n, LINE_LENGTH, format_rows, s));
    }
    NF_TRY(nf__output_printf(out, "}\n"));
done:
    return st;
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

char *nf__parents_path(nf__mem *mem, const char *path)
{
    size_t length = strlen(path), room = length + 16, stem = length;
    const char *ends[] = {".gz", ".zst", ".xz"};
    for (size_t i = 0; i < 3; i++)
        if (stem > strlen(ends[i]) && strcmp(path + stem - strlen(ends[i]), ends[i]) == 0) {
            stem -= strlen(ends[i]);
            break;
        }
    if (stem > 4 && strncmp(path + stem - 4, ".npy", 4) == 0)
        stem -= 4;
    char *text = nf__alloc(mem, room, 1);
    if (text != NULL) {
        memcpy(text, path, stem);
        snprintf(text + stem, room - stem, ".parents%s", stem == length ? ".npy" : path + stem);
    }
    return text;
}

static nf_status write_array(nf_context *ctx, const sheet *s, nf__element element, const void *data, nf__output *out)
{
    nf_status st = NF_OK;
    char header[NF__NPY_HEADER];
    bool flat = s->info.rows == 1 && s->info.problem != NF_APSP;
    const uint64_t shape[2] = {s->info.rows, s->info.n};
    nf__npy_header(header, element, 0, flat ? 1 : 2, flat ? shape + 1 : shape);
    NF_TRY(nf__output_write(out, header, sizeof header));
    NF_TRY(nf__emit_bytes(ctx, out, data, s->info.rows * s->info.n * nf__element_size(element)));
done:
    return st;
}

/* The parents go into a second file, which is finished before the first: whoever sees the distances has the parents. */
static nf_status write_npy(nf_context *ctx, sheet *s, nf__output *out)
{
    nf_status st = NF_OK;
    char *path = NULL;
    nf__output *beside = NULL;
    NF_TRY(write_array(ctx, s, nf__element_of(s->info.type), s->dist, out));
    if (s->parents == NULL || strcmp(nf__output_path(out), "-") == 0)
        goto done;
    NF_TRY_ALLOC(path, nf__parents_path(nf__context_mem(ctx), nf__output_path(out)));
    NF_TRY(nf__output_open(ctx, path, &beside));
    st = write_array(ctx, s, NF__E_U32, s->parents, beside);
    NF_TRY(nf__output_close(beside, st));
    s->beside = path, path = NULL;
done:
    nf__free(path);
    return st;
}

/* ---- the public call --------------------------------------------------------------------------------------------- */

static const char *const formats[] = {"txt", "tsv", "json", "npy", "nfd"};
static const char *const extensions[] = {".txt", ".tsv", ".json", ".npy", ".nfd"};
enum { TXT = 0, TSV, JSON, NPY, NFD, FORMATS };

static nf_status find_format(const char *path, const char *name, int *format)
{
    for (int i = 0; i < FORMATS; i++)
        if (name != NULL ? strcmp(name, formats[i]) == 0 : nf__has_extension(path, extensions[i])) {
            *format = i;
            return NF_OK;
        }
    if (name != NULL)
        return nf__fail(NF_ENOTFOUND, "there is no result format '%s'; expected txt, tsv, json, npy or nfd", name);
    return nf__fail(NF_EINVAL, "%s: the name tells no result format; expected .txt, .tsv, .json, .npy or .nfd", path);
}

static nf_status open_sheet(const nf_result *result, const nf_graph *graph, sheet *s)
{
    nf_status st = NF_OK;
    memset(s, 0, sizeof *s);
    s->info.size = sizeof s->info;
    NF_TRY(nf_result_info(result, &s->info));
    s->graph = graph;
    s->result = result;
    s->hops = s->info.problem == NF_BFS;
    s->many = (s->info.rows > 1 || s->info.problem == NF_APSP) && (s->info.flags & NF_INFO_NEAREST) == 0;
    s->dist = s->hops ? (const void *)nf_result_hops(result, 0) : nf_result_distances(result, 0);
    s->parents = nf_result_parents(result, 0);
    s->owners = nf_result_owners(result);
    if (s->dist == NULL && s->info.rows * s->info.n > 0)
        return nf__fail(NF_EINVAL, "the result holds no distances to write: they went to a sink, or the run failed");
    if (graph != NULL && nf_graph_n(graph) != s->info.n)
        return nf__fail(NF_EINVAL, "the result has %u vertices, the graph %u: they do not belong together", s->info.n,
                        nf_graph_n(graph));
done:
    return st;
}

static nf_status write_sheet(nf_context *ctx, sheet *s, int format, nf__output *out)
{
    switch (format) {
    case TXT: return write_txt(ctx, s, out);
    case TSV: return write_tsv(ctx, s, out);
    case JSON: return write_json(ctx, s, out);
    case NPY: return write_npy(ctx, s, out);
    default: return nf__write_result_nfd(ctx, s->result, out);
    }
}

nf_status nf_result_write(nf_context *ctx, const nf_result *result, const nf_graph *graph, const char *path,
                          const char *format)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf__output *out = NULL;
    sheet s;
    int to = TXT;
    if (result == NULL || path == NULL)
        return nf__fail(NF_EINVAL, "nf_result_write needs a result and a path");
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(find_format(path, format, &to));
    NF_TRY(open_sheet(result, graph, &s));
    NF_TRY(nf__output_open(ctx, path, &out));
    st = write_sheet(ctx, &s, to, out);
    st = nf__output_close(out, st);
    if (st != NF_OK && s.beside != NULL)
        (void)unlink(s.beside);
    nf__free(s.beside);
done:
    return nf__leave(ctx, owned, st);
}
