/* fuzz_run.c - bytes become a graph of up to 24 vertices; every algorithm runs on it, agrees with the oracle of its
 * problem, and the checkers find nothing wrong. Ways between two vertices are held against the oracle's row; `streamed`
 * also runs over tiles of a few rows, which so small a graph would not make it do by itself.
 *
 * Bytes: number of vertices, weight type, options, source, cutoff (and target); then three bytes an arc: from, to,
 * weight. Weights are small numbers, or come from a table of zeros, extremes and denormals, or are small and of either
 * sign.
 */
#include "fuzz.h"
#include "tests/check/check.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-4 /* relative; 24 vertices, f32 */
enum { MOST_VERTICES = 24, MOST_ARCS = 120, HEADER = 5 };

typedef struct trial {
    nf_context *ctx;
    nf_graph *graph;
    bool negative, real;
    nf_vid source, target;
    nf_run_options options;
    nf_check_options check;
} trial;

/* ---- bytes to graph ---------------------------------------------------------------------------------------------- */

static double weight_of(uint8_t byte, nf_type type, bool negative)
{
    static const double odd_floats[] = {0, 1e-45, FLT_MIN, 0.1, 1e30, 3e38, 1e-7, 16777216};
    static const double odd_ints[] = {0, 2147483646, 1073741824, 16777217, 2147483000, 1, 65536, 0};
    if (negative) /* small multiples of 1/4: sums are exact, so results must be, potentials or not */
        return (byte % 16 == 15 ? -1 : 1) * (double)(byte / 16) * (type == NF_I32 ? 1 : 0.25);
    return byte < 240 ? byte % 16 : (type == NF_F32 || type == NF_F64 ? odd_floats : odd_ints)[byte % 8];
}

static void put_weight(void *weights, nf_type type, size_t i, double w)
{
    switch (type) {
    case NF_I32: ((int32_t *)weights)[i] = (int32_t)w; break;
    case NF_U32: ((uint32_t *)weights)[i] = (uint32_t)w; break;
    case NF_F32: ((float *)weights)[i] = (float)w; break;
    case NF_F64: ((double *)weights)[i] = w; break;
    default: break;
    }
}

static bool make_graph(trial *t, const uint8_t *data, size_t size)
{
    static const nf_type types[] = {NF_NONE, NF_I32, NF_U32, NF_F32, NF_F64};
    nf_vid src[MOST_ARCS], dst[MOST_ARCS];
    union {
        double align;
        unsigned char bytes[8 * MOST_ARCS];
    } weights;
    const nf_vid n = 1 + data[0] % MOST_VERTICES;
    const nf_type type = types[data[1] % 5];
    const bool negative = (data[1] & 128u) != 0 && type != NF_U32 && type != NF_NONE;
    size_t m = 0;
    for (const uint8_t *p = data + HEADER; p + 3 <= data + size && m < MOST_ARCS; p += 3, m++) {
        src[m] = p[0] % n, dst[m] = p[1] % n;
        put_weight(weights.bytes, type, m, weight_of(p[2], type, negative));
    }
    const nf_coo coo = {
        .n = n, .m = m, .src = src, .dst = dst, .weight_type = type, .weights = type == NF_NONE ? NULL : &weights};
    nf_build_options o = {.size = sizeof o, .flags = (data[2] & 1u) != 0 ? NF_BUILD_UNDIRECTED : 0};
    o.duplicates = (data[2] & 2u) != 0 ? NF_DUP_MIN : NF_DUP_KEEP;
    const nf_status st = nf_graph_from_coo(t->ctx, &coo, &o, &t->graph);
    fuzz_require(st == NF_OK, "a small graph is built");
    nf_graph_info info = {.size = sizeof info};
    fuzz_require(nf_graph_get_info(t->graph, &info) == NF_OK, "information");
    t->negative = info.negative_weights;
    t->real = type == NF_F32 || type == NF_F64;
    t->source = data[3] % n;
    t->target = data[4] % n;
    return true;
}

static void make_options(trial *t, const uint8_t *data)
{
    t->options = (nf_run_options){.size = sizeof t->options};
    t->check = (nf_check_options){.size = sizeof t->check};
    if (data[2] & 4u)
        t->options.flags |= NF_RUN_PARENTS;
    if (data[2] & 8u) {
        t->options.flags |= NF_RUN_PARENTS | NF_RUN_DETERMINISTIC;
        t->check.flags |= NF_CHECK_WITH_DETERMINISTIC;
    }
    if (data[2] & 16u) {
        t->options.flags |= NF_RUN_CUTOFF;
        t->check.flags |= NF_CHECK_WITH_CUTOFF;
        t->options.cutoff = t->check.cutoff = data[4] / 2.0;
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static nf_status solve(const trial *t, const nf_algorithm_info *a, nf_result **out)
{
    static const char *const tiles[] = {"by=tiles", "tile=3"};
    nf_run_options o = t->options;
    o.algorithm = a->name;
    if (strcmp(a->name, "streamed") == 0 && t->source % 2 == 0) {
        o.knobs = tiles;
        o.knob_count = 2;
    }
    switch (a->problem) {
    case NF_BFS: return nf_bfs(t->ctx, t->graph, t->source, &o, out);
    case NF_SSSP: return nf_sssp(t->ctx, t->graph, t->source, &o, out);
    default: return nf_apsp(t->ctx, t->graph, &o, out);
    }
}

static bool fits(const trial *t, const nf_algorithm_info *a)
{
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(t->graph, &info);
    const bool weights = a->problem == NF_BFS || !t->negative || (a->flags & (NF_ALG_NEGATIVE | NF_ALG_AUTO));
    return weights && (!info.directed || !(a->flags & NF_ALG_UNDIRECTED_ONLY));
}

static void require_report(nf_status st, const nf_check_report *report, const nf_algorithm_info *a, const char *what)
{
    if (st == NF_OK && report->ok)
        return;
    fprintf(stderr, "%s %s, %s: %s\n", nf_problem_name(a->problem), a->name, what, report->message);
    abort();
}

static void compare(const trial *t, const nf_algorithm_info *a, const nf_result *got, const nf_result *want)
{
    nf_check_report report;
    nf_check_options o = t->check;
    const bool loose = t->real && !t->negative && (a->flags & NF_ALG_ROUNDED);
    if (loose) { /* equal up to rounding: so is "tight", and with it the tree */
        o.tolerance = ROUNDING;
        o.flags &= ~NF_CHECK_WITH_DETERMINISTIC;
    }
    nf_status st = nf_check_result(t->ctx, t->graph, got, &o, &report);
    require_report(st, &report, a, "checked");
    if (loose && (o.flags & NF_CHECK_WITH_CUTOFF))
        return; /* rounding may carry a distance across the cutoff */
    if ((t->options.flags & NF_RUN_DETERMINISTIC) && o.tolerance == 0)
        o.flags |= NF_CHECK_WITH_PARENTS;
    st = nf_check_equal(got, want, &o, &report);
    require_report(st, &report, a, "compared with the oracle");
}

/* Of float weights >= 0, all pairs by runs from every vertex (johnson): exact, where the matrix oracle rounds. */
static const nf_algorithm_info *find_oracle(const trial *t, nf_problem problem)
{
    const nf_algorithm_info *a;
    const bool exact = t->real && !t->negative;
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
        if (a->problem == problem && (a->flags & NF_ALG_ORACLE) && fits(t, a) && !(exact && (a->flags & NF_ALG_DENSE)))
            return a;
    return NULL;
}

static void try_problem(const trial *t, nf_problem problem)
{
    const nf_algorithm_info *oracle = find_oracle(t, problem), *a;
    nf_result *want = NULL;
    fuzz_require(oracle != NULL, "every problem has an oracle");
    const nf_status expected = solve(t, oracle, &want);
    fuzz_require(expected == NF_OK || expected == NF_ENEGCYCLE || expected == NF_EOVERFLOW, "the oracle answers");
    fuzz_require(expected != NF_ENEGCYCLE || t->negative, "a negative cycle needs a negative weight");
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++) {
        nf_result *got = NULL;
        if (a->problem != problem || strcmp(a->device, "cpu") != 0)
            continue;
        const nf_status st = solve(t, a, &got);
        if (!fits(t, a))
            fuzz_require(st == NF_EUNSUPPORTED && got == NULL, "what an algorithm cannot do is refused");
        else if (st != expected)
            fprintf(stderr, "%s: %s, oracle %s: %s\n", a->name, nf_status_name(st), oracle->name,
                    nf_status_name(expected)),
                abort();
        else if (st == NF_OK)
            compare(t, a, got, want);
        else if (st == NF_ENEGCYCLE) {
            nf_check_report report;
            uint64_t length = 0;
            const nf_vid *cycle = nf_result_cycle(got, &length);
            require_report(nf_check_cycle(t->ctx, t->graph, cycle, length, NF_NONE, &report), &report, a, "its cycle");
        }
        nf_result_free(got);
    }
    nf_result_free(want);
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* The oracle's distance to the target in *d; its status. */
static nf_status expected_way(const trial *t, bool hops, double *d)
{
    const nf_algorithm_info *oracle = find_oracle(t, hops ? NF_BFS : NF_SSSP);
    nf_result *row = NULL;
    fuzz_require(oracle != NULL, "every problem has an oracle");
    const nf_status st = solve(t, oracle, &row);
    *d = st == NF_OK ? nf_result_distance(row, 0, t->target) : 0;
    nf_result_free(row);
    return st;
}

static void check_way(const trial *t, const nf_algorithm_info *a, const nf_path *p, bool hops, double want)
{
    nf_check_report report;
    const nf_status st = nf_check_path(t->ctx, t->graph, p, t->source, t->target, NF_NONE, &report);
    const bool apart = report.rule == NF_CHECK_LENGTH && hops; /* weights do not count */
    if (st != NF_OK || (!report.ok && !apart))
        require_report(st, &report, a, hops ? "its way by hops" : "its way");
    if (p->distance != want && !(t->real && t->negative && !hops)) {
        fprintf(stderr, "path %s%s: distance %.17g, oracle %.17g\n", a->name, hops ? " by hops" : "", p->distance,
                want);
        abort();
    }
    fuzz_require(!hops || p->length == 0 || (double)(p->length - 1) == want, "as many arcs as hops");
}

/* A method that counts hops alone refuses weights, one without negative weights those; auto takes everything. */
static bool way_fits(const trial *t, const nf_algorithm_info *a, bool hops)
{
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(t->graph, &info);
    const bool counts = hops || info.weight_type == NF_NONE;
    if (a->flags & NF_ALG_AUTO)
        return true;
    return (counts || !(a->flags & NF_ALG_HOPS)) && (counts || !t->negative || (a->flags & NF_ALG_NEGATIVE))
           && !(t->options.flags & NF_RUN_DETERMINISTIC);
}

static void try_ways(const trial *t, bool hops)
{
    const nf_algorithm_info *a;
    double want = 0;
    const nf_status expected = expected_way(t, hops, &want);
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++) {
        nf_run_options o = t->options;
        nf_path *p = NULL;
        if (a->problem != NF_PATH || strcmp(a->device, "cpu") != 0)
            continue;
        o.algorithm = a->name;
        o.flags |= hops ? NF_RUN_HOPS : 0;
        const nf_status st = nf_path_between(t->ctx, t->graph, t->source, t->target, &o, &p);
        const bool fits = way_fits(t, a, hops);
        if (st != (fits ? expected : NF_EUNSUPPORTED)) {
            fprintf(stderr, "path %s%s: %s, expected %s: %s\n", a->name, hops ? " by hops" : "", nf_status_name(st),
                    nf_status_name(fits ? expected : NF_EUNSUPPORTED), nf_last_error());
            abort();
        }
        if (st == NF_OK)
            check_way(t, a, p, hops, want);
        nf_path_free(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER)
        return 0;
    trial t = {.ctx = fuzz_context()};
    make_graph(&t, data, size);
    make_options(&t, data);
    try_problem(&t, NF_BFS);
    try_problem(&t, NF_SSSP);
    try_problem(&t, NF_APSP);
    try_ways(&t, false);
    try_ways(&t, true);
    nf_graph_free(t.graph);
    nf_context_free(t.ctx);
    return 0;
}
