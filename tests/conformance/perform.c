/* perform.c - one call, and everything that must be true of what comes back.
 *
 * What is expected follows from the reference rows alone: which vertices a cutoff or targets leave, whether every
 * distance fits the type, whether there is a negative cycle, whether the method takes the graph at all.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* Bounds for results that are not exact: methods flagged NF_ALG_ROUNDED, and negative float weights. */
#define TOLERANCE_F32 2e-5
#define TOLERANCE_F64 1e-12

/* Failures beyond this many are counted but not printed. */
#define MOST_LINES 60

bool verdict(subject *s, const request *q, bool ok, nf_vid source, nf_vid vertex, const char *format, ...)
{
    s->tally->checks++;
    if (ok) {
        s->suite->passed++;
        return true;
    }
    s->tally->failures++;
    if (s->suite->failed++ < MOST_LINES) {
        char text[400];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        printf("FAIL graph=%s problem=%s algorithm=%s device=%s variant=%s source=%d vertex=%d %s\n",
               s->scene->item.name, nf_problem_name(s->alg->problem), s->alg->name, s->device, q->variant, (int)source,
               (int)vertex, text);
    }
    return false;
}

nf_type default_type(const scene *sc, nf_problem problem, nf_type asked)
{
    if (problem == NF_BFS)
        return NF_I32;
    return asked != NF_NONE ? asked : sc->real ? sc->info.weight_type : NF_I64;
}

nf_type arithmetic_of(nf_type type)
{
    return type == NF_F32 || type == NF_F64 ? type : NF_I64;
}

double tolerance_of(const subject *s, nf_type type)
{
    const bool loose = (s->alg->flags & NF_ALG_ROUNDED) != 0 || s->scene->info.negative_weights;
    if (s->alg->problem == NF_BFS || arithmetic_of(type) == NF_I64 || !loose)
        return 0;
    return type == NF_F32 ? TOLERANCE_F32 : TOLERANCE_F64;
}

nf_status status_of(const subject *s, const ref_row *want)
{
    const uint32_t flags = s->alg->flags;
    if ((flags & NF_ALG_UNDIRECTED_ONLY) != 0 && s->scene->info.directed)
        return NF_EUNSUPPORTED;
    if (s->alg->problem != NF_BFS && s->scene->info.negative_weights && (flags & (NF_ALG_NEGATIVE | NF_ALG_AUTO)) == 0)
        return NF_EUNSUPPORTED;
    return want != NULL ? want->status : NF_OK;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* A call on its way: what was asked for, what must come, what came. */
typedef struct trial {
    subject *s;
    const request *q;
    nf_type type; /* of the distances */
    uint64_t rows;
    char *d; /* rows * n elements, when buffers or a sink are used */
    nf_vid *p;
    uint64_t sunk; /* rows that came through the sink */
    nf_result *result;
} trial;

static bool is_bfs(const trial *t)
{
    return t->s->alg->problem == NF_BFS;
}

static nf_vid source_of(const trial *t, uint64_t row)
{
    if (t->q->call == CALL_ALL)
        return (nf_vid)row;
    if (t->q->call == CALL_ONE)
        return t->q->source;
    return t->q->call == CALL_NEAREST ? NF_NO_VERTEX : t->s->scene->sources[row];
}

static const ref_row *wanted(const trial *t, uint64_t row)
{
    const nf_type arithmetic = arithmetic_of(t->type);
    return t->q->call == CALL_NEAREST ? scene_nearest(t->s->scene, is_bfs(t), arithmetic)
                                      : scene_row(t->s->scene, is_bfs(t), arithmetic, source_of(t, row));
}

static nf_status take_tile(void *user, const nf_tile *tile)
{
    trial *t = user;
    const nf_vid n = t->s->scene->csr.n;
    const size_t size = nf_type_size(t->type);
    bool ok = tile->type == t->type && tile->row0 <= t->sunk && tile->row0 + tile->rows <= t->rows
              && tile->col0 + tile->cols <= n;
    for (uint64_t i = 0; ok && i < tile->rows; i++) {
        const uint64_t row = tile->row0 + i;
        const nf_vid source = source_of(t, row);
        ok = source == NF_NO_VERTEX || tile->sources[i] == source;
        memcpy(t->d + (row * n + tile->col0) * size, (const char *)tile->distances + i * tile->stride * size,
               tile->cols * size);
        if (tile->parents != NULL)
            memcpy(t->p + row * n + tile->col0, tile->parents + i * tile->stride, tile->cols * sizeof(nf_vid));
    }
    if (ok && tile->col0 + tile->cols == n)
        t->sunk = tile->row0 + tile->rows;
    verdict(t->s, t->q, ok, NF_NO_VERTEX, NF_NO_VERTEX, "a tile of rows %llu+%llu that does not fit the run",
            (unsigned long long)tile->row0, (unsigned long long)tile->rows);
    return ok ? NF_OK : NF_EINTERNAL;
}

static nf_status make_call(trial *t)
{
    const request *q = t->q;
    const scene *sc = t->s->scene;
    nf_context *ctx = t->s->ctx;
    const nf_graph *g = sc->item.graph;
    const bool bfs = is_bfs(t);
    nf_run_options o = {.size = sizeof o,
                        .flags = q->flags,
                        .distance_type = q->type,
                        .algorithm = t->s->alg->name,
                        .knobs = &q->knob,
                        .knob_count = q->knob != NULL,
                        .cutoff = q->cutoff,
                        .targets = q->targets,
                        .target_count = q->target_count};
    if (q->buffers) {
        o.distances = t->d;
        o.parents = (q->flags & NF_RUN_PARENTS) != 0 ? t->p : NULL;
    }
    if (q->sink) {
        o.sink = take_tile;
        o.sink_user = t;
    }
    switch (q->call) {
    case CALL_ONE: return bfs ? nf_bfs(ctx, g, q->source, &o, &t->result) : nf_sssp(ctx, g, q->source, &o, &t->result);
    case CALL_MANY:
        return bfs ? nf_bfs_many(ctx, g, sc->sources, sc->source_count + 1, &o, &t->result)
                   : nf_sssp_many(ctx, g, sc->sources, sc->source_count + 1, &o, &t->result);
    case CALL_NEAREST:
        return bfs ? nf_bfs_nearest(ctx, g, sc->sources, sc->source_count + 1, &o, &t->result)
                   : nf_sssp_nearest(ctx, g, sc->sources, sc->source_count + 1, &o, &t->result);
    default: return nf_apsp(ctx, g, &o, &t->result);
    }
}

/* ---- what must come ---------------------------------------------------------------------------------------------- */

/* The farthest distance that stays, from the cutoff and the targets. */
static double limit_of(const trial *t, const ref_row *want)
{
    const request *q = t->q;
    double limit = INFINITY;
    if ((q->flags & NF_RUN_CUTOFF) != 0)
        limit = want->type == NF_I64 ? floor(q->cutoff) : q->cutoff;
    if (q->target_count == 0 || q->call == CALL_ALL || (!is_bfs(t) && t->s->scene->info.negative_weights))
        return limit;
    double far = -INFINITY;
    for (uint64_t k = 0; k < q->target_count; k++) {
        const double d = ref_value(want, q->targets[k]);
        far = fmax(far, d <= limit ? d : INFINITY);
    }
    return fmin(limit, far);
}

static bool stays(const ref_row *want, double limit, nf_vid v)
{
    return ref_reached(want, v) && ref_value(want, v) <= limit;
}

static bool fits(nf_type type, const ref_row *want, double limit)
{
    for (nf_vid v = 0; v < want->n && want->type == NF_I64; v++) {
        if (!stays(want, limit, v))
            continue;
        const int64_t d = want->i[v];
        if ((type == NF_I32 && (d >= NF_UNREACHED_I32 || d < INT32_MIN)) || (type == NF_U64 && d < 0)
            || (type == NF_U32 && (d >= (int64_t)NF_UNREACHED_U32 || d < 0)))
            return false;
    }
    return true;
}

static nf_status expected_status(const trial *t)
{
    nf_status st = status_of(t->s, NULL);
    for (uint64_t row = 0; st == NF_OK && row < t->rows; row++) {
        const ref_row *want = wanted(t, row);
        if (want == NULL)
            return NF_ENOMEM;
        st = status_of(t->s, want);
        if (st == NF_OK && !fits(is_bfs(t) ? NF_I64 : t->type, want, limit_of(t, want)))
            st = NF_EOVERFLOW;
    }
    /* a negative cycle in any row comes before an overflow in another */
    for (uint64_t row = 0; st == NF_EOVERFLOW && t->q->call == CALL_ALL && row < t->rows; row++)
        st = wanted(t, row)->status == NF_ENEGCYCLE ? NF_ENEGCYCLE : st;
    return st;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

typedef struct label {
    bool reached;
    int64_t i;
    double f;
} label;

static label read_label(const trial *t, const void *d, nf_vid v)
{
    label a = {.reached = true};
    switch (t->type) {
    case NF_I32:
        a.i = ((const int32_t *)d)[v];
        a.reached = is_bfs(t) ? a.i != NF_NO_HOP : a.i != NF_UNREACHED_I32;
        break;
    case NF_U32: a.i = ((const uint32_t *)d)[v], a.reached = a.i != (int64_t)NF_UNREACHED_U32; break;
    case NF_I64: a.i = ((const int64_t *)d)[v], a.reached = a.i != NF_UNREACHED_I64; break;
    case NF_U64:
        a.i = (int64_t)((const uint64_t *)d)[v], a.reached = ((const uint64_t *)d)[v] != NF_UNREACHED_U64;
        break;
    case NF_F32: a.f = (double)((const float *)d)[v], a.reached = a.f != (double)INFINITY; break;
    default: a.f = ((const double *)d)[v], a.reached = a.f != (double)INFINITY; break;
    }
    return a;
}

static bool same_label(const trial *t, label got, const ref_row *want, double limit, nf_vid v)
{
    const double tolerance = tolerance_of(t->s, t->type);
    const double number = ref_value(want, v);
    const double slack = tolerance * fmax(want->scale, isfinite(number) ? fabs(number) : 0);
    if (tolerance > 0 && isfinite(limit) && fabs(number - limit) <= slack)
        return true; /* either side of the cutoff will do */
    if (!stays(want, limit, v) || !got.reached)
        return got.reached == stays(want, limit, v);
    if (want->type == NF_I64)
        return got.i == want->i[v];
    return tolerance > 0 ? fabs(got.f - want->f[v]) <= slack : got.f == want->f[v];
}

static bool compare_distances(const trial *t, uint64_t row, const void *d, const ref_row *want, double limit)
{
    for (nf_vid v = 0; v < want->n; v++) {
        const label got = read_label(t, d, v);
        if (same_label(t, got, want, limit, v))
            continue;
        const bool whole = want->type == NF_I64;
        const double w = stays(want, limit, v) ? ref_value(want, v) : INFINITY;
        const double g = !got.reached ? INFINITY : whole ? (double)got.i : got.f;
        return verdict(t->s, t->q, false, source_of(t, row), v, "distance got=%.17g want=%.17g", g, w);
    }
    return verdict(t->s, t->q, true, 0, 0, " ");
}

static bool compare_ids(const trial *t, uint64_t row, const char *what, const nf_vid *got, const nf_vid *ids,
                        const ref_row *want, double limit)
{
    for (nf_vid v = 0; v < want->n; v++) {
        const nf_vid w = stays(want, limit, v) ? ids[v] : NF_NO_VERTEX;
        if (got[v] != w)
            return verdict(t->s, t->q, false, source_of(t, row), v, "%s got=%d want=%d", what, (int)got[v], (int)w);
    }
    return verdict(t->s, t->q, true, 0, 0, " ");
}

/* The property checkers on the arrays as they came. */
static void check_properties(const trial *t, uint64_t row, const void *d, const nf_vid *p)
{
    const request *q = t->q;
    const nf_vid one = source_of(t, row);
    const bool nearest = q->call == CALL_NEAREST;
    nf_check_report report;
    nf_check_row labels = {.problem = t->s->alg->problem,
                           .type = t->type,
                           .distances = d,
                           .parents = p,
                           .sources = nearest ? t->s->scene->sources : &one,
                           .source_count = nearest ? t->s->scene->source_count + 1 : 1};
    nf_check_options o = {.size = sizeof o, .cutoff = q->cutoff, .tolerance = 4 * tolerance_of(t->s, t->type)};
    if (nearest && !q->sink)
        labels.owners = nf_result_owners(t->result);
    if ((q->flags & NF_RUN_CUTOFF) != 0)
        o.flags |= NF_CHECK_WITH_CUTOFF;
    if ((q->flags & NF_RUN_DETERMINISTIC) != 0 && o.tolerance == 0)
        o.flags |= NF_CHECK_WITH_DETERMINISTIC;
    if (q->call != CALL_ALL)
        o.targets = q->targets, o.target_count = q->target_count;
    const nf_status st = nf_check_labels(t->s->ctx, t->s->scene->item.graph, &labels, &o, &report);
    verdict(t->s, t->q, st == NF_OK && report.ok, one, report.vertex, "checker: rule %d %s: %s", (int)report.rule,
            nf_check_rule_name(report.rule), report.message);
}

static void compare_row(const trial *t, uint64_t row)
{
    const request *q = t->q;
    const ref_row *want = wanted(t, row);
    const double limit = limit_of(t, want);
    const nf_vid n = want->n;
    const void *d = t->d != NULL ? t->d + row * n * nf_type_size(t->type)
                    : is_bfs(t)  ? (const void *)nf_result_hops(t->result, row)
                                 : nf_result_distances(t->result, row);
    const nf_vid *p = (q->flags & NF_RUN_PARENTS) == 0 ? NULL
                      : t->p != NULL                   ? t->p + row * n
                                                       : nf_result_parents(t->result, row);
    if (!verdict(t->s, q, d != NULL && (p != NULL) == ((q->flags & NF_RUN_PARENTS) != 0), source_of(t, row),
                 NF_NO_VERTEX, "the result lacks an array"))
        return;
    const bool exact = tolerance_of(t->s, t->type) == 0 && !want->loose;
    const bool deterministic = (q->flags & NF_RUN_DETERMINISTIC) != 0 && exact;
    const nf_vid *owners = q->call == CALL_NEAREST && !q->sink ? nf_result_owners(t->result) : NULL;
    bool ok = compare_distances(t, row, d, want, limit);
    if (ok && p != NULL && deterministic)
        ok = compare_ids(t, row, "parent", p, want->parents, want, limit);
    if (ok && owners != NULL && deterministic)
        ok = compare_ids(t, row, "owner", owners, want->owners, want, limit);
    if (ok)
        check_properties(t, row, d, p);
}

/* ---- what a result says of itself -------------------------------------------------------------------------------- */

/* Whether some walk could add up to +infinity. The flag must be there when a vertex is unreached for that reason, and
 * may be there when only a longer way to a reached one overflowed. */
static bool may_overflow(const trial *t)
{
    const nf_csr *csr = &t->s->scene->csr;
    double top = 0;
    for (nf_eid e = 0; e < csr->m && t->s->scene->real; e++)
        top = fmax(top, csr->weight_type == NF_F32 ? (double)((const float *)csr->weights)[e]
                                                   : ((const double *)csr->weights)[e]);
    return top * csr->n > (t->type == NF_F32 ? (double)FLT_MAX : DBL_MAX);
}

static void compare_info(const trial *t)
{
    const scene *sc = t->s->scene;
    const subject *s = t->s;
    nf_run_info info = {.size = sizeof info};
    bool overflow = false;
    const nf_status st = nf_result_info(t->result, &info);
    verdict(t->s, t->q,
            st == NF_OK && info.problem == s->alg->problem && info.n == sc->csr.n && info.m == sc->csr.m
                && info.rows == t->rows && info.type == t->type
                && ((info.flags & NF_INFO_NEAREST) != 0) == (t->q->call == CALL_NEAREST),
            NF_NO_VERTEX, NF_NO_VERTEX, "nf_result_info: problem %s n %u m %llu rows %llu type %s flags %u",
            nf_problem_name(info.problem), info.n, (unsigned long long)info.m, (unsigned long long)info.rows,
            nf_type_name(info.type), info.flags);
    if ((s->alg->flags & NF_ALG_AUTO) == 0)
        verdict(t->s, t->q, info.algorithm != NULL && strcmp(info.algorithm, s->alg->name) == 0, NF_NO_VERTEX,
                NF_NO_VERTEX, "ran %s instead", info.algorithm != NULL ? info.algorithm : "nothing");
    for (uint64_t row = 0; row < t->rows; row++)
        overflow |= wanted(t, row)->overflow;
    const bool flagged = (info.flags & NF_INFO_FLOAT_OVERFLOW) != 0, whole = t->q->target_count == 0;
    if (tolerance_of(s, t->type) == 0 && (t->q->flags & NF_RUN_CUTOFF) == 0 && whole)
        verdict(t->s, t->q, flagged ? may_overflow(t) : !overflow, NF_NO_VERTEX, NF_NO_VERTEX,
                "NF_INFO_FLOAT_OVERFLOW got=%d want=%d", flagged, overflow);
}

static void compare_summaries(const trial *t)
{
    nf_check_report report;
    nf_check_options o = {.size = sizeof o,
                          .flags = (t->q->flags & NF_RUN_CUTOFF) != 0 ? NF_CHECK_WITH_CUTOFF : 0,
                          .cutoff = t->q->cutoff,
                          .targets = t->q->targets,
                          .target_count = t->q->target_count,
                          .tolerance = 4 * tolerance_of(t->s, t->type)};
    const nf_status st = nf_check_result(t->s->ctx, t->s->scene->item.graph, t->result, &o, &report);
    verdict(t->s, t->q, st == NF_OK && report.ok, NF_NO_VERTEX, report.vertex, "nf_check_result: row %llu: %s: %s",
            (unsigned long long)report.row, nf_check_rule_name(report.rule), report.message);
}

/* The cycle of NF_ENEGCYCLE is a real one and can be reached from a source. */
static void compare_cycle(const trial *t)
{
    uint64_t length = 0;
    nf_check_report report;
    const nf_vid *cycle = t->result != NULL ? nf_result_cycle(t->result, &length) : NULL;
    const nf_status st = nf_check_cycle(t->s->ctx, t->s->scene->item.graph, cycle, length, t->type, &report);
    if (!verdict(t->s, t->q, st == NF_OK && report.ok, t->q->source, report.vertex, "cycle of %llu: %s",
                 (unsigned long long)length, report.message))
        return;
    bool reachable = false;
    for (uint64_t row = 0; row < t->rows && !reachable; row++)
        reachable = wanted(t, row)->walked[cycle[0]];
    verdict(t->s, t->q, reachable, t->q->source, cycle[0], "the cycle is out of reach");
}

static uint64_t rows_of(const trial *t)
{
    switch (t->q->call) {
    case CALL_MANY: return t->s->scene->source_count + 1;
    case CALL_ALL: return t->s->scene->csr.n;
    default: return 1;
    }
}

static void judge(trial *t, nf_status st)
{
    const nf_status want = expected_status(t);
    if (!verdict(t->s, t->q, st == want, t->q->source, NF_NO_VERTEX, "status got=%s want=%s (%s)", nf_status_name(st),
                 nf_status_name(want), st != NF_OK ? nf_last_error() : ""))
        return;
    if (st == NF_ENEGCYCLE)
        compare_cycle(t);
    else
        verdict(t->s, t->q, (t->result != NULL) == (st == NF_OK), t->q->source, NF_NO_VERTEX,
                "a result in spite of the status");
    if (st != NF_OK)
        return;
    if (t->q->sink)
        verdict(t->s, t->q, t->sunk == t->rows, t->q->source, NF_NO_VERTEX, "the sink got %llu rows of %llu",
                (unsigned long long)t->sunk, (unsigned long long)t->rows);
    const uint64_t before = t->s->suite->failed;
    for (uint64_t row = 0; row < t->rows && t->s->suite->failed == before; row++)
        compare_row(t, row);
    compare_info(t);
    if (!t->q->sink && t->q->call != CALL_ALL)
        compare_summaries(t);
}

/* Which requests a sample takes follows from the seed and a count: the same each time, others with another seed. */
static bool in_sample(subject *s)
{
    uint64_t z = (s->suite->seed << 32) + s->tally->requests++;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % s->suite->sample == 0;
}

void perform(subject *s, const request *q)
{
    if (!in_sample(s))
        return;
    trial t = {.s = s, .q = q, .type = default_type(s->scene, s->alg->problem, q->type)};
    t.rows = rows_of(&t);
    if (q->buffers || q->sink) {
        const size_t cells = (size_t)(t.rows * s->scene->csr.n) + 1;
        t.d = malloc(cells * nf_type_size(t.type));
        t.p = malloc(cells * sizeof *t.p);
    }
    if ((q->buffers || q->sink) && (t.d == NULL || t.p == NULL))
        verdict(s, q, false, q->source, NF_NO_VERTEX, "out of memory in the suite");
    else
        judge(&t, make_call(&t));
    nf_result_free(t.result);
    free(t.d);
    free(t.p);
}
