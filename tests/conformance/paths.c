/* paths.c - the requests made of a method that goes between two vertices (NF_PATH).
 *
 * What must come out follows from the reference row of the source: the distance, bit for bit where it is exact, also of
 * every vertex on the way; the way follows arcs and passes no vertex twice.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

typedef struct errand {
    subject *s;
    request q; /* for its variant, source, type, flags and cutoff */
    nf_vid target;
    const ref_row *want; /* of the source */
    nf_type type;        /* of the distances */
} errand;

static bool counts_hops(const errand *e)
{
    return (e->q.flags & NF_RUN_HOPS) != 0 || e->s->scene->info.weight_type == NF_NONE;
}

static bool is_exact(const errand *e)
{
    return !(e->want->loose && !counts_hops(e));
}

static bool is_there(const errand *e)
{
    const double limit = (e->q.flags & NF_RUN_CUTOFF) == 0 ? INFINITY
                         : e->want->type == NF_I64         ? floor(e->q.cutoff)
                                                           : e->q.cutoff;
    return ref_reached(e->want, e->target) && ref_value(e->want, e->target) <= limit;
}

static nf_status expected(const errand *e)
{
    const uint32_t flags = e->s->alg->flags;
    const bool chooses = (flags & NF_ALG_AUTO) != 0;
    if ((flags & NF_ALG_HOPS) != 0 && !counts_hops(e))
        return NF_EUNSUPPORTED;
    if (!chooses && !counts_hops(e) && e->s->scene->info.negative_weights && (flags & NF_ALG_NEGATIVE) == 0)
        return NF_EUNSUPPORTED;
    if (!chooses && (e->q.flags & NF_RUN_DETERMINISTIC) != 0)
        return NF_EUNSUPPORTED;
    if (e->want->status != NF_OK || !is_there(e) || e->want->type != NF_I64)
        return e->want->status;
    const int64_t d = e->want->i[e->target];
    const bool fits = e->type == NF_I32   ? d < NF_UNREACHED_I32 && d >= INT32_MIN
                      : e->type == NF_U32 ? d >= 0 && d < (int64_t)NF_UNREACHED_U32
                                          : e->type != NF_U64 || d >= 0;
    return fits ? NF_OK : NF_EOVERFLOW;
}

static double number_at(const nf_path *p, uint64_t i)
{
    switch (p->type) {
    case NF_I32: return ((const int32_t *)p->distances)[i];
    case NF_U32: return ((const uint32_t *)p->distances)[i];
    case NF_I64: return (double)((const int64_t *)p->distances)[i];
    case NF_U64: return (double)((const uint64_t *)p->distances)[i];
    case NF_F32: return (double)((const float *)p->distances)[i];
    default: return ((const double *)p->distances)[i];
    }
}

static int by_id(const void *a, const void *b)
{
    const nf_vid x = *(const nf_vid *)a, y = *(const nf_vid *)b;
    return (x > y) - (x < y);
}

/* No vertex twice. */
static bool is_simple(const nf_path *p)
{
    if (p->length == 0)
        return true;
    nf_vid *sorted = malloc(p->length * sizeof *sorted);
    bool simple = sorted != NULL;
    if (!simple)
        return false;
    memcpy(sorted, p->vertices, p->length * sizeof *sorted);
    qsort(sorted, p->length, sizeof *sorted, by_id);
    for (uint64_t i = 1; i < p->length; i++)
        simple &= sorted[i - 1] != sorted[i];
    free(sorted);
    return simple;
}

/* Every vertex of the way is as far as the row says, and in the deterministic tree where that was asked for. */
static void compare_way(const errand *e, const nf_path *p)
{
    const bool tree = (e->q.flags & NF_RUN_DETERMINISTIC) != 0;
    for (uint64_t i = 0; i < p->length && is_exact(e); i++) {
        const nf_vid v = p->vertices[i];
        if (number_at(p, i) != ref_value(e->want, v)) {
            verdict(e->s, &e->q, false, e->q.source, v, "on the way got=%.17g want=%.17g", number_at(p, i),
                    ref_value(e->want, v));
            return;
        }
        if (tree && i > 0 && e->want->parents[v] != p->vertices[i - 1]) {
            verdict(e->s, &e->q, false, e->q.source, v, "comes from %u, in the tree from %u", p->vertices[i - 1],
                    e->want->parents[v]);
            return;
        }
    }
    verdict(e->s, &e->q, is_simple(p), e->q.source, e->target, "the way passes a vertex twice");
}

static void compare_path(const errand *e, const nf_path *p)
{
    const double want = is_there(e) ? ref_value(e->want, e->target) : INFINITY;
    const double slack = is_exact(e) ? 0 : (e->type == NF_F32 ? 2e-5 : 1e-12) * fmax(e->want->scale, fabs(want));
    nf_check_report report = {0};
    nf_run_info info = {.size = sizeof info};
    if (!verdict(e->s, &e->q, p->distance == want || fabs(p->distance - want) <= slack, e->q.source, e->target,
                 "path got=%.17g want=%.17g", p->distance, want))
        return;
    const nf_status st = nf_check_path(e->s->ctx, e->s->scene->item.graph, p, e->q.source, e->target, e->type, &report);
    const bool forgiven = report.rule == NF_CHECK_LENGTH && (slack > 0 || (e->q.flags & NF_RUN_HOPS) != 0);
    verdict(e->s, &e->q, st == NF_OK && (report.ok || forgiven), e->q.source, e->target, "checker: %s", report.message);
    if (counts_hops(e) && p->length > 0)
        verdict(e->s, &e->q, (double)(p->length - 1) == want, e->q.source, e->target, "%llu vertices for %g arcs",
                (unsigned long long)p->length, want);
    compare_way(e, p);
    verdict(e->s, &e->q,
            nf_path_info(p, &info) == NF_OK && info.n == e->s->scene->csr.n && info.reason[0] != '\0'
                && ((e->s->alg->flags & NF_ALG_AUTO) != 0 || strcmp(info.algorithm, e->s->alg->name) == 0),
            e->q.source, e->target, "nf_path_info");
}

static void run_errand(const errand *e)
{
    nf_path *p = NULL;
    nf_check_report report = {0};
    nf_run_options o = {.size = sizeof o,
                        .algorithm = e->s->alg->name,
                        .flags = e->q.flags,
                        .cutoff = e->q.cutoff,
                        .distance_type = e->q.type};
    const nf_graph *g = e->s->scene->item.graph;
    const nf_status st = nf_path_between(e->s->ctx, g, e->q.source, e->target, &o, &p), want = expected(e);
    if (verdict(e->s, &e->q, st == want, e->q.source, e->target, "status got=%s want=%s (%s)", nf_status_name(st),
                nf_status_name(want), st != NF_OK ? nf_last_error() : "")) {
        if (st == NF_OK)
            compare_path(e, p);
        else if (st == NF_ENEGCYCLE)
            verdict(e->s, &e->q,
                    p != NULL && nf_check_cycle(e->s->ctx, g, p->cycle, p->cycle_length, e->type, &report) == NF_OK
                        && report.ok && p->length == 0,
                    e->q.source, e->target, "the cycle: %s", report.message);
        else
            verdict(e->s, &e->q, p == NULL, e->q.source, e->target, "a path in spite of the status");
    }
    nf_path_free(p);
}

/* One target, asked for in several ways. `hops` makes an errand of NF_RUN_HOPS. */
static void run_target(subject *s, nf_vid source, nf_vid target, bool hops, bool all)
{
    static const nf_type types[] = {NF_I32, NF_U32, NF_U64, NF_F32, NF_F64};
    errand e = {.s = s, .target = target, .type = default_type(s->scene, NF_PATH, NF_NONE)};
    if (hops)
        e.type = NF_I64;
    e.want = scene_row(s->scene, hops, arithmetic_of(e.type), source);
    if (e.want == NULL)
        return;
    e.q = (request){.variant = hops ? "hops" : "path", .source = source, .flags = hops ? NF_RUN_HOPS : 0};
    run_errand(&e);
    const double d = ref_value(e.want, target);
    if (!all || e.want->status != NF_OK)
        return;
    const double cutoffs[] = {isfinite(d) ? d : 1, isfinite(d) ? d - 1 : 0, isfinite(d) ? d * 0.5 : 0, -1};
    const uint32_t flags = e.q.flags;
    for (size_t i = 0; i < sizeof cutoffs / sizeof cutoffs[0] && is_exact(&e); i++) {
        e.q.variant = "path-cutoff", e.q.flags = flags | NF_RUN_CUTOFF, e.q.cutoff = cutoffs[i];
        run_errand(&e);
    }
    e.q.flags = flags;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && !hops && !s->scene->info.negative_weights; i++) {
        if (s->scene->real && arithmetic_of(types[i]) == NF_I64)
            continue;
        e.q.variant = "path-type", e.q.type = e.type = types[i];
        e.want = scene_row(s->scene, false, arithmetic_of(types[i]), source);
        if (e.want != NULL)
            run_errand(&e);
    }
}

static void run_tree(subject *s, nf_vid source, nf_vid target, bool hops)
{
    errand e = {.s = s, .target = target, .type = hops ? NF_I64 : default_type(s->scene, NF_PATH, NF_NONE)};
    e.want = scene_row(s->scene, hops, arithmetic_of(e.type), source);
    e.q =
        (request){.variant = "path-tree", .source = source, .flags = NF_RUN_DETERMINISTIC | (hops ? NF_RUN_HOPS : 0u)};
    if (e.want != NULL)
        run_errand(&e);
}

/* The farthest vertex, one that cannot be reached, and some others. */
static size_t pick_targets(const subject *s, nf_vid source, const ref_row *row, bool all, nf_vid *targets)
{
    const nf_vid n = s->scene->csr.n;
    nf_vid far = source, none = NF_NO_VERTEX;
    size_t count = 0;
    for (nf_vid v = 0; v < n; v++) {
        if (!ref_reached(row, v))
            none = v;
        else if (ref_value(row, v) > ref_value(row, far))
            far = v;
    }
    targets[count++] = far;
    if (all) {
        targets[count++] = source;
        targets[count++] = n / 2;
        targets[count++] = n - 1;
    }
    if (none != NF_NO_VERTEX)
        targets[count++] = none;
    return count;
}

void run_paths_of(subject *s, bool all)
{
    const scene *sc = s->scene;
    for (uint64_t i = 0; i < sc->source_count; i++) {
        const nf_vid source = sc->sources[i];
        nf_vid targets[5];
        const ref_row *row = scene_row(s->scene, true, NF_I64, source);
        const size_t count = row != NULL ? pick_targets(s, source, row, all, targets) : 0;
        for (size_t k = 0; k < count; k++) {
            run_target(s, source, targets[k], false, all);
            run_target(s, source, targets[k], true, all);
            run_tree(s, source, targets[k], false);
            run_tree(s, source, targets[k], true);
        }
    }
    if (sc->source_count == 0) {
        nf_path *p = NULL;
        const request q = {.variant = "no-vertices"};
        const nf_status st = nf_path_between(s->ctx, sc->item.graph, 0, 0, NULL, &p);
        verdict(s, &q, st == NF_EINVAL && p == NULL, 0, 0, "status got=%s want=NF_EINVAL", nf_status_name(st));
    }
}
