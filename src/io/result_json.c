/* result_json.c - results in .json, read back: a strict parser for the one object that nf_result_write makes.
 *
 * Method: one pass over the object notes where the value of each key begins and checks the grammar; the values are
 * then read in the order that they depend on each other: problem, type, vertices, sources, distances, parents,
 * owners. Keys may come in any order; unknown ones are skipped; vertices may be listed in any order.
 *
 * Invariant K1: order[j] is the vertex of column j, a permutation.
 * Cost: O(bytes), n vertices of memory beside the result; nesting is bounded by DEEPEST.
 */
#include "io/result_io.h"
#include "io/text.h"

#define DEEPEST 64

enum { PROBLEM = 0, TYPE, VERTICES, SOURCES, DISTANCES, PARENTS, OWNERS, KEYS };
static const char *const keys[KEYS] = {"problem", "type", "vertices", "sources", "distances", "parents", "owners"};

typedef struct reader {
    nf__result_in *from;
    const char *p, *end;
    const char *value[KEYS]; /* where each begins, NULL: not there */
    nf_vid n;
    nf_vid *order; /* K1 */
    uint8_t *seen;
    nf_result *r;
} reader;

/* ---- grammar ----------------------------------------------------------------------------------------------------- */

static void skip_space(reader *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t' || *t->p == '\r'))
        t->p++;
}

static bool take(reader *t, char c)
{
    skip_space(t);
    if (t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

static nf_status need(reader *t, char c)
{
    if (take(t, c))
        return NF_OK;
    return nf__input_fail(t->from->in, t->p, "expected '%c' here", c);
}

static bool ends_value(const char *p, const char *end)
{
    return p == end || *p == ',' || *p == ']' || *p == '}' || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r';
}

static bool take_null(reader *t)
{
    skip_space(t);
    if (t->end - t->p < 4 || memcmp(t->p, "null", 4) != 0 || !ends_value(t->p + 4, t->end))
        return false;
    t->p += 4;
    return true;
}

/* A string; escapes are skipped, not decoded (no key of ours has any). */
static nf_status take_string(reader *t, const char **text, size_t *length)
{
    nf_status st = NF_OK;
    NF_TRY(need(t, '"'));
    *text = t->p;
    while (t->p < t->end && *t->p != '"' && (unsigned char)*t->p >= 0x20)
        t->p += *t->p == '\\' && t->end - t->p > 1 ? 2 : 1;
    *length = (size_t)(t->p - *text);
    if (t->p >= t->end || *t->p != '"')
        return nf__input_fail(t->from->in, *text, "the string does not end");
    t->p++;
done:
    return st;
}

static nf_status skip_scalar(reader *t)
{
    static const char *const words[] = {"null", "true", "false"};
    const char *text;
    size_t length;
    double x;
    bool overflow = false;
    if (t->p < t->end && *t->p == '"')
        return take_string(t, &text, &length);
    for (size_t i = 0; i < 3; i++)
        if ((size_t)(t->end - t->p) >= strlen(words[i]) && memcmp(t->p, words[i], strlen(words[i])) == 0) {
            t->p += strlen(words[i]);
            return NF_OK;
        }
    const char *start = t->p;
    bool number = t->p < t->end && (*t->p == '-' || (*t->p >= '0' && *t->p <= '9'));
    const char *stop = t->p;
    while (!ends_value(stop, t->end))
        stop++;
    if (!number || !nf__scan_f64(&t->p, stop, &x, &overflow) || t->p != stop)
        return nf__input_fail(t->from->in, start, "expected a JSON value here");
    return NF_OK;
}

/* Any value, without recursion: open holds the kind of bracket at each depth. */
static nf_status skip_value(reader *t)
{
    nf_status st = NF_OK;
    char open[DEEPEST];
    const char *text;
    size_t length;
    int depth = 0;
    do {
        skip_space(t);
        bool opens = t->p < t->end && (*t->p == '[' || *t->p == '{'), empty = false;
        if (opens) {
            if (depth == DEEPEST)
                return nf__input_fail(t->from->in, t->p, "brackets nested too deeply");
            open[depth++] = *t->p++;
            empty = take(t, open[depth - 1] == '[' ? ']' : '}');
            depth -= empty;
        } else {
            NF_TRY(skip_scalar(t));
        }
        while (depth > 0 && (!opens || empty) && !take(t, ',')) {
            NF_TRY(need(t, open[depth - 1] == '[' ? ']' : '}'));
            depth--;
        }
        if (depth > 0 && open[depth - 1] == '{') {
            NF_TRY(take_string(t, &text, &length));
            NF_TRY(need(t, ':'));
        }
    } while (depth > 0);
done:
    return st;
}

static nf_status find_values(reader *t)
{
    nf_status st = NF_OK;
    NF_TRY(need(t, '{'));
    if (take(t, '}'))
        goto done;
    do {
        const char *name = NULL;
        size_t length = 0;
        NF_TRY(take_string(t, &name, &length));
        NF_TRY(need(t, ':'));
        skip_space(t);
        for (int k = 0; k < KEYS; k++)
            if (strlen(keys[k]) == length && memcmp(keys[k], name, length) == 0) {
                if (t->value[k] != NULL)
                    return nf__input_fail(t->from->in, name, "the key %s comes twice", keys[k]);
                t->value[k] = t->p;
            }
        NF_TRY(skip_value(t));
    } while (take(t, ','));
    NF_TRY(need(t, '}'));
    skip_space(t);
    if (t->p != t->end)
        return nf__input_fail(t->from->in, t->p, "text after the end of the object");
done:
    return st;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static nf_status go_to(reader *t, int key)
{
    if (t->value[key] == NULL)
        return nf__fail(NF_EFORMAT, "%s: the object has no \"%s\"", t->from->in->name, keys[key]);
    t->p = t->value[key];
    return NF_OK;
}

static nf_status read_names(reader *t)
{
    nf_status st = NF_OK;
    const char *text = NULL;
    size_t length = 0;
    NF_TRY(go_to(t, PROBLEM));
    NF_TRY(take_string(t, &text, &length));
    int problem = NF_BFS;
    while (problem <= NF_APSP
           && (strlen(nf_problem_name((nf_problem)problem)) != length
               || memcmp(nf_problem_name((nf_problem)problem), text, length) != 0))
        problem++;
    if (problem > NF_APSP)
        return nf__input_fail(t->from->in, text, "expected bfs, sssp or apsp");
    NF_TRY(go_to(t, TYPE));
    NF_TRY(take_string(t, &text, &length));
    int type = NF_I32;
    while (type <= NF_F64
           && (strlen(nf_type_name((nf_type)type)) != length || memcmp(nf_type_name((nf_type)type), text, length) != 0))
        type++;
    if (type > NF_F64)
        return nf__input_fail(t->from->in, text, "expected i32, u32, i64, u64, f32 or f64");
    t->from->problem = (nf_problem)problem;
    t->from->type = (nf_type)type;
done:
    return st;
}

static nf_status take_label(reader *t, bool may_lack, nf_vid *v)
{
    uint64_t label = 0;
    bool overflow = false;
    if (may_lack && take_null(t)) {
        *v = NF_NO_VERTEX;
        return NF_OK;
    }
    skip_space(t);
    const char *start = t->p;
    if (!nf__scan_u64(&t->p, t->end, &label, &overflow) || overflow || !ends_value(t->p, t->end)
        || nf_graph_find(t->from->graph, label, v) != NF_OK)
        return nf__input_fail(t->from->in, start, "expected a vertex of the graph here");
    return NF_OK;
}

/* K1. */
static nf_status read_vertices(reader *t)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(t->from->ctx);
    NF_TRY_ALLOC(t->order, nf__alloc(mem, t->n, sizeof *t->order));
    NF_TRY_ALLOC(t->seen, nf__zalloc(mem, t->n, 1));
    NF_TRY(go_to(t, VERTICES));
    NF_TRY(need(t, '['));
    for (nf_vid j = 0; j < t->n; j++) {
        if (j > 0)
            NF_TRY(need(t, ','));
        NF_TRY(take_label(t, false, &t->order[j]));
        if (t->seen[t->order[j]] != 0)
            return nf__input_fail(t->from->in, t->p, "a vertex comes twice");
        t->seen[t->order[j]] = 1;
    }
    NF_TRY(need(t, ']'));
done:
    return st;
}

/* The number of elements of an array, whose grammar is known to be right. */
static nf_status count_elements(reader *t, int key, uint64_t *count)
{
    nf_status st = NF_OK;
    *count = 0;
    NF_TRY(go_to(t, key));
    NF_TRY(need(t, '['));
    if (take(t, ']'))
        goto done;
    do {
        NF_TRY(skip_value(t));
        ++*count;
    } while (take(t, ','));
done:
    return st;
}

/* One array of n elements: distances, or vertices into `column`. */
static nf_status read_row(reader *t, uint64_t row, nf_vid *column)
{
    nf_status st = NF_OK;
    nf_result *r = t->r;
    bool hops = r->info.problem == NF_BFS;
    NF_TRY(need(t, '['));
    for (nf_vid j = 0; j < t->n; j++) {
        uint64_t i = row * t->n + t->order[j];
        if (j > 0)
            NF_TRY(need(t, ','));
        if (column != NULL) {
            NF_TRY(take_label(t, true, &column[i]));
        } else if (take_null(t)) {
            nf__set_unreached(r->info.type, hops, r->dist, i);
        } else {
            skip_space(t);
            const char *start = t->p, *stop = t->p;
            while (!ends_value(stop, t->end))
                stop++;
            if (!nf__scan_distance(&t->p, stop, r->info.type, hops, r->dist, i) || t->p != stop)
                return nf__input_fail(t->from->in, start, "expected a distance of type %s, or null",
                                      nf_type_name(r->info.type));
        }
    }
    NF_TRY(need(t, ']'));
    NF_TRY(nf__poll(t->from->ctx));
done:
    return st;
}

static nf_status read_rows(reader *t, int key, nf_vid *column)
{
    nf_status st = NF_OK;
    NF_TRY(go_to(t, key));
    NF_TRY(need(t, '['));
    for (uint64_t row = 0; row < t->r->info.rows; row++) {
        if (row > 0)
            NF_TRY(need(t, ','));
        NF_TRY(read_row(t, row, column));
    }
    NF_TRY(need(t, ']'));
done:
    return st;
}

static nf_status read_sources(reader *t)
{
    nf_status st = NF_OK;
    nf_vid *sources = NULL;
    uint64_t count = 0, rows = t->r->info.rows;
    NF_TRY(count_elements(t, SOURCES, &count));
    NF_TRY_ALLOC(sources, nf__alloc(nf__context_mem(t->from->ctx), count, sizeof *sources));
    NF_TRY(go_to(t, SOURCES));
    NF_TRY(need(t, '['));
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            NF_TRY(need(t, ','));
        NF_TRY(take_label(t, false, &sources[i]));
    }
    if (t->r->owners != NULL || (rows == 1 && count > 1))
        NF_TRY(nf__result_set_nearest(t->r, sources, count));
    else if (count != rows)
        st = nf__input_fail(t->from->in, t->value[SOURCES], "%llu sources for %llu rows", (unsigned long long)count,
                            (unsigned long long)rows);
    else if (rows > 0)
        memcpy(t->r->sources, sources, (size_t)rows * sizeof *sources);
done:
    nf__free(sources);
    return st;
}

nf_status nf__read_result_json(nf__result_in *from, nf_result **out)
{
    nf_status st = NF_OK;
    reader t = {.from = from,
                .p = from->in->data,
                .end = from->in->data + from->in->size,
                .n = nf_graph_n(from->graph)};
    uint64_t rows = 0;
    NF_TRY(find_values(&t));
    NF_TRY(read_names(&t));
    NF_TRY(read_vertices(&t));
    NF_TRY(count_elements(&t, DISTANCES, &rows));
    if (t.n > 0 && rows > from->in->size / t.n)
        NF_TRY(nf__input_fail(from->in, t.value[DISTANCES], "%llu rows, but not %u distances in each",
                              (unsigned long long)rows, t.n));
    NF_TRY(nf__result_draft(from, rows, t.value[PARENTS] != NULL, t.value[OWNERS] != NULL, &t.r));
    if (t.r->owners != NULL && rows != 1)
        NF_TRY(nf__input_fail(from->in, t.value[OWNERS], "owners with %llu rows; expected one row",
                              (unsigned long long)rows));
    NF_TRY(read_rows(&t, DISTANCES, NULL));
    if (t.r->parents != NULL)
        NF_TRY(read_rows(&t, PARENTS, t.r->parents));
    if (t.r->owners != NULL) {
        NF_TRY(go_to(&t, OWNERS));
        NF_TRY(read_row(&t, 0, t.r->owners));
    }
    NF_TRY(read_sources(&t));
    *out = t.r, t.r = NULL;
done:
    nf_result_free(t.r);
    nf__free(t.seen);
    nf__free(t.order);
    return st;
}
