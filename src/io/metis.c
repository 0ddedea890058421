/* metis.c - METIS .graph: a header "n m [fmt [ncon]]", then one line a vertex with its neighbours, 1-based; comments
 * begin with %.
 *
 * fmt is three digits: vertex sizes, vertex weights (ncon of them), edge weights; sizes and vertex weights are
 * skipped. A blank line is a vertex without neighbours. As the METIS manual has it, every edge is listed at both ends
 * and m counts edges: an undirected graph, and lists that do not agree are refused. The GAP suite writes directed
 * graphs, with m the number of arcs and fmt 100 without sizes: both are told by the count of numbers.
 *
 * Invariants
 *   M1 line k (comments not counted) is vertex k, so a chunk's first line and first number say where its arcs go;
 *   M2 an undirected result has been checked to be symmetric (a sum of hashes over both directions).
 * Cost: O(bytes / threads) and the build of the graph.
 */
#include "io/text.h"
#include "io/write_text.h"

#define STYLE (NF__COMMENT_PERCENT | NF__COUNT_BLANK | NF__COUNT_NUMBERS)

typedef struct reading {
    uint64_t n, m; /* as promised */
    bool sizes, weighted;
    uint64_t skipped;  /* numbers before the neighbours of a line */
    uint64_t per_arc;  /* 1, or 2 with weights */
    uint64_t capacity; /* arcs that the numbers allow */
    uint64_t arcs, loops;
    const char *m_at, *body;
    nf__pairs pairs;
} reading;

/* ---- header ------------------------------------------------------------------------------------------------------ */

static nf_status read_format(const nf__input *in, const char **pp, reading *r)
{
    nf_status st = NF_OK;
    const char *end = in->data + in->size;
    uint64_t fmt = 0, constraints = 1;
    const char *at = *pp = nf__skip_blanks(*pp, end);
    if (!nf__at_line_end(*pp, end)) {
        NF_TRY(nf__take_count(in, pp, end, 111, "format", &fmt));
        if (fmt % 10 > 1 || fmt / 10 % 10 > 1)
            NF_TRY(
                nf__input_fail(in, at, "format %llu is not known; expected digits 0 and 1", (unsigned long long)fmt));
        *pp = nf__skip_blanks(*pp, end);
        if (!nf__at_line_end(*pp, end))
            NF_TRY(nf__take_count(in, pp, end, 1000, "number of vertex weights", &constraints));
    }
    r->weighted = fmt % 10 == 1;
    r->sizes = fmt / 100 == 1;
    r->skipped = fmt / 10 % 10 == 1 ? constraints : 0;
    r->per_arc = r->weighted ? 2 : 1;
    st = nf__take_line_end(in, pp, end);
done:
    return st;
}

static nf_status read_header(const nf__input *in, reading *r)
{
    nf_status st = NF_OK;
    const char *end = in->data + in->size;
    const char *p = nf__skip_to_data(in->data, end, NF__COMMENT_PERCENT), *n_at = p;
    NF_TRY(nf__take_count(in, &p, end, NF_NO_VERTEX - 1, "number of vertices", &r->n));
    r->m_at = p = nf__skip_blanks(p, end);
    NF_TRY(nf__take_count(in, &p, end, UINT64_MAX, "number of edges", &r->m));
    NF_TRY(read_format(in, &p, r));
    NF_TRY(nf__check_promise(in, n_at, r->n, 0, 1, ""));
    NF_TRY(nf__check_promise(in, r->m_at, r->n, r->m, r->weighted ? 4 : 2, "edges"));
    r->body = p;
done:
    return st;
}

/* Whether sizes are there: as fmt says, unless the numbers fit the promise without them only. */
static void settle_sizes(const nf__text *text, reading *r)
{
    if (!r->sizes)
        return;
    uint64_t bare = text->numbers - r->skipped * r->n, whole = bare - r->n;
    bool with = whole == 2 * r->m * r->per_arc;
    bool without = bare == 2 * r->m * r->per_arc || bare == r->m * r->per_arc;
    if (with || !without)
        r->skipped++;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool parse_arc(const reading *r, nf__chunk *c, const char **pp, uint64_t u, uint64_t i)
{
    uint64_t v = 0;
    if (!nf__take_id(c, pp, c->end, 1, r->n, "vertex", &v))
        return false;
    bool room = i < r->capacity; /* always, unless some line is bad (M1), which then is what is told */
    if (room) {
        r->pairs.src[i] = (nf_vid)u;
        r->pairs.dst[i] = (nf_vid)(v - 1);
    }
    c->loops += u + 1 == v;
    if (!r->weighted)
        return true;
    *pp = nf__skip_blanks(*pp, c->end);
    return nf__take_weight(c, pp, c->end, room ? r->pairs.mode : NF__W_SKIP, r->pairs.w, i);
}

/* A vertex's line; moves *i past its arcs. */
static bool parse_line(const reading *r, nf__chunk *c, const char **pp, uint64_t u, uint64_t *i)
{
    uint64_t ignored;
    if (u >= r->n) {
        if (nf__at_line_end(*pp, c->end))
            return true;
        nf__chunk_fail(c, *pp, "a list after that of the last vertex; expected %llu lists", (unsigned long long)r->n);
        return false;
    }
    for (uint64_t k = 0; k < r->skipped; k++) {
        if (!nf__take_id(c, pp, c->end, 0, UINT64_MAX, "vertex weight or size", &ignored))
            return false;
        *pp = nf__skip_blanks(*pp, c->end);
    }
    while (!nf__at_line_end(*pp, c->end)) {
        if (!parse_arc(r, c, pp, u, (*i)++))
            return false;
        *pp = nf__skip_blanks(*pp, c->end);
    }
    return true;
}

static void parse_chunk(nf__chunk *c, void *arg)
{
    const reading *r = arg;
    uint64_t u = c->first_line, before = r->skipped * (u < r->n ? u : r->n);
    uint64_t first = c->first_number < before ? 0 : (c->first_number - before) / r->per_arc, i = first;
    c->low = INT64_MAX;
    c->high = INT64_MIN;
    c->real = false;
    c->loops = 0;
    const char *p = c->begin;
    while (p < c->end) {
        p = nf__skip_blanks(p, c->end);
        if (p < c->end && nf__is_comment(p, c->end, STYLE)) {
            p = nf__next_line(p, c->end);
            continue;
        }
        if (p == c->end || !parse_line(r, c, &p, u, &i))
            break;
        u++;
        p = p < c->end ? p + 1 : p;
    }
    c->used = i - first;
}

static nf_status parse(nf_context *ctx, nf__text *text, reading *r)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    r->capacity = text->numbers / r->per_arc;
    for (;;) {
        nf__pairs *q = &r->pairs;
        nf__pairs_free(q);
        NF_TRY_ALLOC(q->src, nf__alloc(mem, r->capacity, sizeof *q->src));
        NF_TRY_ALLOC(q->dst, nf__alloc(mem, r->capacity, sizeof *q->dst));
        if (q->mode >= NF__W_AUTO)
            NF_TRY_ALLOC(q->w, nf__alloc(mem, r->capacity, q->mode == NF__W_F64 ? sizeof(double) : sizeof(uint32_t)));
        NF_TRY(nf__text_each(ctx, text, parse_chunk, r));
        q->type = nf__weight_type_found(text, q->mode);
        if (q->mode != NF__W_AUTO || q->type != NF_F64)
            break;
        q->mode = NF__W_F64;
    }
    for (uint64_t i = 0; i < text->count; i++) {
        r->arcs += text->chunks[i].used;
        r->loops += text->chunks[i].loops;
    }
    if (r->arcs > r->capacity)
        st = nf__fail(NF_EINTERNAL, "%s: arcs and numbers do not agree", text->in->name);
    r->pairs.m = r->arcs;
done:
    return st;
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

/* True if every arc has its reverse, with the same weight (M2). */
static bool is_symmetric(const nf_context *ctx, const nf__pairs *q)
{
    const nf_csr weights = {.weight_type = q->type, .weights = q->w};
    uint64_t sum = 0;
#pragma omp parallel for num_threads(nf__context_threads(ctx)) reduction(+ : sum) if (q->m >= NF__PARALLEL_LEAST)
    for (uint64_t i = 0; i < q->m; i++) {
        const double w = nf__weight_f64(&weights, i);
        sum += nf__hash_arc(q->src[i], q->dst[i], w) - nf__hash_arc(q->dst[i], q->src[i], w);
    }
    return sum == 0;
}

/* Names the first arc that has no reverse. The graph is built once more to search it; only bad files come here. */
static nf_status blame_asymmetry(nf_context *ctx, const nf__text *text, const reading *r)
{
    nf_status st = NF_OK;
    nf_graph *g = NULL;
    nf_coo list = {(nf_vid)r->n, r->arcs, r->pairs.src, r->pairs.dst, NF_NONE, NULL};
    NF_TRY(nf_graph_from_coo(ctx, &list, NULL, &g));
    for (uint64_t i = 0; i < r->arcs; i++) {
        nf_vid u = list.src[i], v = list.dst[i];
        nf_eid first, there = 0, back = 0;
        NF_TRY(nf_graph_find_edge(ctx, g, u, v, &first, &there));
        NF_TRY(nf_graph_find_edge(ctx, g, v, u, &first, &back));
        if (there > back)
            NF_TRY(nf__input_fail(
                text->in, nf__number_place(text, i * r->per_arc + r->skipped * ((uint64_t)u + 1)),
                "vertex %llu lists %llu, but %llu does not list %llu; expected every edge at both ends (a "
                "directed reading takes the arcs as listed)",
                (unsigned long long)u + 1, (unsigned long long)v + 1, (unsigned long long)v + 1,
                (unsigned long long)u + 1));
    }
    st = nf__input_fail(text->in, r->m_at, "the two ends of an edge give it different weights; expected the same");
done:
    nf_graph_free(g);
    return st;
}

/* The build flags: undirected as METIS, directed as GAP, or a count that fits neither. */
static nf_status settle_directions(nf_context *ctx, const nf__text *text, const reading *r,
                                   const nf_read_options *options, uint32_t *flags)
{
    bool undirected = r->arcs == 2 * r->m || r->arcs + r->loops == 2 * r->m;
    *flags = 0;
    if (!undirected && r->arcs != r->m)
        return nf__input_fail(text->in, r->m_at,
                              "%llu edges are promised, but %llu neighbours are listed; expected two for every edge",
                              (unsigned long long)r->m, (unsigned long long)r->arcs);
    if ((options->flags & NF_READ_DIRECTED) != 0)
        return NF_OK;
    if (!undirected) {
        *flags = nf__directions(options, false);
        return NF_OK;
    }
    *flags = NF_BUILD_SYMMETRIC;
    return is_symmetric(ctx, &r->pairs) ? NF_OK : blame_asymmetry(ctx, text, r);
}

static nf_status read_metis(nf_context *ctx, nf__input *in, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    reading r = {.n = 0};
    nf__text text = {.chunks = NULL};
    uint32_t flags = 0;
    NF_TRY(read_header(in, &r));
    NF_TRY(nf__text_open(ctx, in, r.body, in->data + in->size, STYLE, &text));
    settle_sizes(&text, &r);
    r.pairs.mode = nf__weight_mode_of(options, r.weighted ? NF__W_AUTO : NF__W_NONE);
    NF_TRY(parse(ctx, &text, &r));
    NF_TRY(settle_directions(ctx, &text, &r, options, &flags));
    NF_TRY(nf__pairs_build(ctx, &r.pairs, (nf_vid)r.n, flags, 1, "metis", out));
done:
    nf__text_free(&text);
    nf__pairs_free(&r.pairs);
    return st;
}

const nf__format nf__format_metis = {
    .info = {.name = "metis",
             .extensions = ".graph .metis",
             .summary = "METIS and Chaco adjacency lists",
             .directed = "undirected, every edge listed at both ends; directed if the header counts arcs (GAP)",
             .weights = "fmt 1: i32 or u32 when all are integers, else f64; otherwise none",
             .zeros = "an arc of weight 0",
             .reads = true,
             .writes = true},
    .read = read_metis,
    .write = nf__write_metis,
};
