/* write_text.c - graphs as text: DIMACS .gr, Matrix Market, edge lists, GAP .el/.wel, METIS.
 *
 * Every writer is a header line and a function that formats a range of items; nf__emit runs it on all threads. An
 * item is an arc, found by its index (its row by binary search once a range, then by walking), or for METIS an arc
 * or the end of a line.
 *
 * Invariants
 *   W1 a line's length never exceeds the item_bytes passed to nf__emit (LINE_LENGTH below);
 *   W2 formats that hold an edge once (symmetric Matrix Market) get the arcs with target <= source of an
 *      undirected graph: every edge once, by G4, and every loop.
 * Cost: O(n + m) time, memory of nf__emit.
 */
#include "io/write_text.h"

#include "io/emit.h"
#include "io/output.h"
#include "io/put.h"

#define LINE_LENGTH (20 + 1 + 20 + 1 + NF__PUT_MAX + 4) /* two labels, a weight, separators (W1) */

/* How an arc becomes a line. */
typedef struct arc_style {
    const nf_graph *graph;
    nf_csr csr;
    const char *start; /* "a " for .gr */
    char separator;
    uint64_t base; /* added to vertex numbers */
    bool labels;   /* the graph's labels instead of numbers */
    bool weights;
    bool once; /* W2 */
} arc_style;

static char *put_vertex(const arc_style *style, char *p, nf_vid v)
{
    return nf__put_u64(p, style->labels ? nf_graph_label(style->graph, v) : v + style->base);
}

static char *format_arcs(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const arc_style *style = arg;
    const nf_csr *csr = &style->csr;
    nf_vid u = nf__row_of(csr, lo);
    nf_eid end = nf__off(csr, u + 1);
    for (nf_eid e = lo; e < hi; e++) {
        while (e >= end)
            end = nf__off(csr, ++u + 1);
        if (style->once && csr->adj[e] > u)
            continue;
        for (const char *s = style->start; *s != '\0'; s++)
            *p++ = *s;
        p = put_vertex(style, p, u);
        *p++ = style->separator;
        p = put_vertex(style, p, csr->adj[e]);
        if (style->weights) {
            *p++ = style->separator;
            p = nf__put_element(p, csr->weight_type, csr->weights, e);
        }
        *p++ = '\n';
    }
    return p;
}

static nf_status write_arcs(nf_context *ctx, const arc_style *style, nf__output *out)
{
    return nf__emit(ctx, out, style->csr.m, LINE_LENGTH, format_arcs, style);
}

/* ---- DIMACS .gr -------------------------------------------------------------------------------------------------- */

nf_status nf__write_gr(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    nf_status st = NF_OK;
    arc_style style = {.graph = graph, .csr = graph->csr, .start = "a ", .separator = ' ', .base = 1, .weights = true};
    NF_TRY(nf__graph_check(ctx, graph));
    if (nf__is_float(style.csr.weight_type))
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: .gr holds whole weights only, this graph has %s; "
                        "write .mtx, .tsv or .nfg, or read the "
                        "graph with an integer weight type",
                        nf__output_path(out), nf_type_name(style.csr.weight_type));
    NF_TRY(nf__output_printf(out, "p sp %u %llu\n", style.csr.n, (unsigned long long)style.csr.m));
    NF_TRY(write_arcs(ctx, &style, out));
done:
    return st;
}

/* ---- Matrix Market ----------------------------------------------------------------------------------------------- */

static uint64_t count_once(nf_context *ctx, const nf_csr *csr)
{
    uint64_t count = 0;
    int threads = nf__threads_for(ctx, csr->m);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(+ : count)
    for (nf_vid u = 0; u < csr->n; u++)
        for (nf_eid e = nf__off(csr, u); e < nf__off(csr, u + 1); e++)
            count += csr->adj[e] <= u;
    return count;
}

nf_status nf__write_mtx(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    nf_status st = NF_OK;
    arc_style style = {
        .graph = graph, .csr = graph->csr, .start = "", .separator = ' ', .base = 1, .once = !graph->directed};
    NF_TRY(nf__graph_check(ctx, graph));
    nf_type type = style.csr.weight_type;
    style.weights = type != NF_NONE;
    const char *field = type == NF_NONE ? "pattern" : nf__is_float(type) ? "real" : "integer";
    uint64_t entries = style.once ? count_once(ctx, &style.csr) : style.csr.m;
    NF_TRY(nf__output_printf(out, "%%%%MatrixMarket matrix coordinate %s %s\n%u %u %llu\n", field,
                             style.once ? "symmetric" : "general", style.csr.n, style.csr.n,
                             (unsigned long long)entries));
    NF_TRY(write_arcs(ctx, &style, out));
done:
    return st;
}

/* ---- edge lists -------------------------------------------------------------------------------------------------- */

nf_status nf__write_edges(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    nf_status st = NF_OK;
    bool csv = nf__has_extension(nf__output_path(out), ".csv");
    arc_style style = {.graph = graph, .csr = graph->csr, .start = "", .separator = csv ? ',' : '\t', .labels = true};
    NF_TRY(nf__graph_check(ctx, graph));
    style.weights = style.csr.weight_type != NF_NONE;
    if (!csv)
        NF_TRY(nf__output_printf(out, "# %s: each line is an arc%s\n# Nodes: %u Edges: %llu\n",
                                 graph->directed ? "Directed graph" : "Undirected graph",
                                 graph->directed ? "" : ", each edge is listed both ways", style.csr.n,
                                 (unsigned long long)style.csr.m));
    NF_TRY(write_arcs(ctx, &style, out));
done:
    return st;
}

static nf_status write_gap_list(nf_context *ctx, const nf_graph *graph, bool weights, nf__output *out)
{
    nf_status st = NF_OK;
    arc_style style = {.graph = graph, .csr = graph->csr, .start = "", .separator = ' ', .weights = weights};
    NF_TRY(nf__graph_check(ctx, graph));
    NF_TRY(write_arcs(ctx, &style, out));
done:
    return st;
}

nf_status nf__write_el(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    return write_gap_list(ctx, graph, false, out);
}

nf_status nf__write_wel(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    return write_gap_list(ctx, graph, true, out);
}

/* ---- METIS ------------------------------------------------------------------------------------------------------- */

/* The file as n + m items: the arcs of vertex 0, its end of line, the arcs of vertex 1, ... Item off[v] + v is v's
 * first. */
static nf_vid vertex_of_item(const nf_csr *csr, uint64_t item)
{
    nf_vid lo = 0, hi = csr->n; /* item(lo) <= item < item(hi) */
    while (hi - lo > 1) {
        nf_vid mid = lo + (hi - lo) / 2;
        if (nf__off(csr, mid) + mid <= item)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static char *format_metis(const void *arg, uint64_t lo, uint64_t hi, char *p)
{
    const arc_style *style = arg;
    const nf_csr *csr = &style->csr;
    nf_vid v = vertex_of_item(csr, lo);
    for (uint64_t item = lo; item < hi; item++) {
        nf_eid e = item - v;
        if (e == nf__off(csr, v + 1)) {
            *p++ = '\n';
            v++;
            continue;
        }
        if (e != nf__off(csr, v))
            *p++ = ' ';
        p = nf__put_u64(p, (uint64_t)csr->adj[e] + 1);
        if (style->weights) {
            *p++ = ' ';
            p = nf__put_i64(p, nf__weight_i64(csr, e));
        }
    }
    return p;
}

static nf_status check_metis(nf_context *ctx, const nf_graph *graph, const nf__output *out)
{
    const char *name = nf__output_path(out);
    const nf_csr *csr = &graph->csr;
    if (graph->directed)
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: a METIS file holds an undirected graph, this one is "
                        "directed; make it undirected first",
                        name);
    if (nf__is_float(csr->weight_type))
        return nf__fail(NF_EUNSUPPORTED, "%s: a METIS file holds whole weights, this graph has %s", name,
                        nf_type_name(csr->weight_type));
    uint64_t loops = 0, small = 0;
    int threads = nf__threads_for(ctx, csr->m);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(+ : loops, small)
    for (nf_vid u = 0; u < csr->n; u++)
        for (nf_eid e = nf__off(csr, u); e < nf__off(csr, u + 1); e++) {
            loops += csr->adj[e] == u;
            small += nf__weight_i64(csr, e) <= 0;
        }
    if (loops > 0)
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: a METIS file holds no self-loops, this graph has "
                        "%llu; drop them first",
                        name, (unsigned long long)loops);
    if (small > 0)
        return nf__fail(NF_EUNSUPPORTED,
                        "%s: a METIS file holds weights above 0, this graph has "
                        "%llu arcs of weight 0 or less",
                        name, (unsigned long long)small);
    return nf__poll(ctx);
}

nf_status nf__write_metis(nf_context *ctx, const nf_graph *graph, nf__output *out)
{
    nf_status st = NF_OK;
    arc_style style = {.graph = graph, .csr = graph->csr};
    NF_TRY(nf__graph_check(ctx, graph));
    NF_TRY(check_metis(ctx, graph, out));
    style.weights = style.csr.weight_type != NF_NONE;
    NF_TRY(nf__output_printf(out, "%u %llu%s\n", style.csr.n, (unsigned long long)(style.csr.m / 2),
                             style.weights ? " 001" : ""));
    NF_TRY(nf__emit(ctx, out, style.csr.m + style.csr.n, LINE_LENGTH, format_metis, &style));
done:
    return st;
}
