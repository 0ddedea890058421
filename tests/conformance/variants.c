/* variants.c - the requests made of an algorithm on a graph: plain, parents, deterministic, cutoffs, targets, types,
 * buffers, sink, many sources, nearest source, knobs, paths.
 *
 * How many of them are made follows from the size class (`effort`) and the device, never from the algorithm.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define PARENTS NF_RUN_PARENTS
#define TREE (NF_RUN_PARENTS | NF_RUN_DETERMINISTIC)

/* All pairs cost n rows: only graphs up to this many vertices get more than the plain run. */
#define APSP_ALL_VARIANTS 40
#define APSP_PARENTS 250
#define APSP_ALL_QUICKLY 4 /* on the emulator with --quick, where a row takes a launch */
#define APSP_PARENTS_QUICKLY 30

typedef enum effort { EFFORT_LEAST, EFFORT_SOME, EFFORT_ALL } effort;

static effort effort_of(const subject *s)
{
    const size_class size = s->scene->item.size;
    if (size == SIZE_LARGE || (s->suite->quick && size == SIZE_MEDIUM))
        return EFFORT_LEAST;
    return size == SIZE_MEDIUM || (s->suite->quick && size == SIZE_SMALL) ? EFFORT_SOME : EFFORT_ALL;
}

/* ---- marks of a row: vertices near, half way, far and out of reach ----------------------------------------------- */

typedef struct marks {
    nf_vid half, far, none; /* NF_NO_VERTEX when there is none */
    double half_d, far_d, least_d;
} marks;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static marks find_marks(const ref_row *row)
{
    marks k = {.half = NF_NO_VERTEX, .far = NF_NO_VERTEX, .none = NF_NO_VERTEX};
    double *sorted = malloc(((size_t)row->n + 1) * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return k;
    for (nf_vid v = 0; v < row->n; v++) {
        if (ref_reached(row, v))
            sorted[count++] = ref_value(row, v);
        else
            k.none = v;
    }
    if (count > 0) {
        qsort(sorted, count, sizeof *sorted, by_value);
        k.least_d = sorted[0], k.half_d = sorted[count / 2], k.far_d = sorted[count - 1];
        for (nf_vid v = 0; v < row->n; v++) {
            k.half = ref_value(row, v) == k.half_d ? v : k.half;
            k.far = ref_value(row, v) == k.far_d ? v : k.far;
        }
    }
    free(sorted);
    return k;
}

/* ---- one source -------------------------------------------------------------------------------------------------- */

static void run_cutoffs(subject *s, call how, nf_vid source, const marks *k, effort much)
{
    const double between = s->alg->problem == NF_BFS || !s->scene->real ? k->half_d + 0.5 : k->half_d * 0.999;
    const double values[] = {k->half_d, 0, between, k->far_d, k->far_d * 2 + 1, INFINITY, k->least_d};
    const size_t count = much == EFFORT_ALL ? sizeof values / sizeof values[0] : 1;
    for (size_t i = 0; i < count; i++) {
        const bool below = values[i] < 0; /* only with negative weights */
        if (below && how != CALL_ONE)
            continue;
        perform(s,
                &(request){
                    .variant = "cutoff", .call = how, .source = source, .flags = NF_RUN_CUTOFF, .cutoff = values[i]});
        perform(s, &(request){.variant = "cutoff-tree",
                              .call = how,
                              .source = source,
                              .flags = NF_RUN_CUTOFF | TREE,
                              .cutoff = values[i]});
    }
}

static void run_targets(subject *s, call how, nf_vid source, const marks *k, effort much)
{
    const nf_vid lists[][2] = {{k->half, k->half}, {source, source},   {k->far, source},
                               {k->half, k->none}, {k->none, k->none}, {k->half, k->far}};
    const size_t count = much == EFFORT_ALL ? sizeof lists / sizeof lists[0] : 1;
    for (size_t i = 0; i < count; i++) {
        if (lists[i][0] == NF_NO_VERTEX || lists[i][1] == NF_NO_VERTEX)
            continue;
        request q = {.variant = "targets", .call = how, .source = source, .targets = lists[i], .target_count = 2};
        perform(s, &q);
        q.variant = "targets-tree", q.flags = TREE, q.target_count = 1;
        perform(s, &q);
        q.variant = "targets-cutoff", q.flags = NF_RUN_CUTOFF, q.cutoff = k->half_d;
        perform(s, &q);
    }
}

static void run_types(subject *s, call how, nf_vid source, const marks *k)
{
    static const nf_type types[] = {NF_I32, NF_U32, NF_I64, NF_U64, NF_F32, NF_F64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (s->scene->real && arithmetic_of(types[i]) == NF_I64)
            continue;
        perform(s, &(request){.variant = nf_type_name(types[i]), .call = how, .source = source, .type = types[i]});
        perform(s, &(request){.variant = "type-tree",
                              .call = how,
                              .source = source,
                              .type = types[i],
                              .flags = TREE,
                              .buffers = true});
        /* what the cutoff leaves out need not fit */
        perform(s, &(request){.variant = "type-cutoff",
                              .call = how,
                              .source = source,
                              .type = types[i],
                              .flags = NF_RUN_CUTOFF,
                              .cutoff = fmin(k->half_d, 2147483646.0)});
    }
}

/* Float weights in an integer type are refused, and so is a sink for a nearest-source run, whose owners it could not
 * take. */
static nf_status swallow(void *user, const nf_tile *tile)
{
    (void)user;
    (void)tile;
    return NF_OK;
}

static void run_refusals(subject *s, nf_vid source)
{
    const request q = {.variant = "refusals", .source = source};
    const nf_graph *g = s->scene->item.graph;
    nf_result *r = NULL;
    nf_run_options o = {.size = sizeof o, .algorithm = s->alg->name, .distance_type = NF_I64};
    nf_status st = s->scene->real ? nf_sssp(s->ctx, g, source, &o, &r) : NF_EUNSUPPORTED;
    verdict(s, &q, st == NF_EUNSUPPORTED && r == NULL, source, NF_NO_VERTEX,
            "float weights in i64: got=%s want=NF_EUNSUPPORTED", nf_status_name(st));
    nf_result_free(r);
    r = NULL;
    o.distance_type = NF_NONE;
    o.sink = swallow;
    st = nf_sssp_nearest(s->ctx, g, &source, 1, &o, &r);
    verdict(s, &q, st == NF_EINVAL && r == NULL, source, NF_NO_VERTEX, "a sink for nearest: got=%s want=NF_EINVAL",
            nf_status_name(st));
    nf_result_free(r);
}

/* A path to a vertex is a path, as long as the row says; and the same out of a result's parents. */
static void run_path(subject *s, nf_vid source, nf_vid target, const ref_row *row)
{
    const request q = {.variant = "path", .source = source};
    const nf_type type = default_type(s->scene, NF_SSSP, NF_NONE);
    nf_path *path = NULL;
    nf_check_report report = {0};
    nf_run_options o = {.size = sizeof o, .algorithm = s->alg->name};
    nf_status st = nf_path_between(s->ctx, s->scene->item.graph, source, target, &o, &path);
    if (!verdict(s, &q, st == NF_OK && path != NULL, source, target, "nf_path_between: %s", nf_status_name(st)))
        return;
    const double want = ref_value(row, target),
                 slack = tolerance_of(s, type) * fmax(row->scale, isfinite(want) ? fabs(want) : 0);
    verdict(s, &q, path->distance == want || fabs(path->distance - want) <= slack, source, target,
            "path got=%.17g want=%.17g", path->distance, want);
    st = nf_check_path(s->ctx, s->scene->item.graph, path, source, target, type, &report);
    verdict(s, &q, st == NF_OK && (report.ok || (report.rule == NF_CHECK_LENGTH && slack > 0)), source, target,
            "checker: %s", report.message);
    nf_path_free(path);
}

static void run_result_path(subject *s, nf_vid source, nf_vid target, const ref_row *row)
{
    const request q = {.variant = "result-path", .source = source};
    const nf_type type = default_type(s->scene, NF_SSSP, NF_NONE);
    nf_result *r = NULL;
    nf_check_report report = {0};
    nf_path path = {.distance = ref_value(row, target)};
    nf_run_options o = {.size = sizeof o, .algorithm = s->alg->name, .flags = PARENTS};
    if (nf_sssp(s->ctx, s->scene->item.graph, source, &o, &r) != NF_OK)
        return;
    nf_status st = nf_result_path(r, 0, target, NULL, 0, &path.length);
    path.vertices = malloc((path.length + 1) * sizeof *path.vertices);
    if (st == NF_OK && path.vertices != NULL)
        st = nf_result_path(r, 0, target, path.vertices, path.length, &path.length);
    if (verdict(s, &q, st == NF_OK, source, target, "nf_result_path: %s", nf_status_name(st))) {
        st = nf_check_path(s->ctx, s->scene->item.graph, &path, source, target, type, &report);
        verdict(s, &q, st == NF_OK && (report.ok || (report.rule == NF_CHECK_LENGTH && tolerance_of(s, type) > 0)),
                source, target, "checker: %s", report.message);
    }
    free(path.vertices);
    nf_result_free(r);
}

static void run_paths(subject *s, nf_vid source, const marks *k, const ref_row *row)
{
    const nf_vid targets[] = {k->far, k->half, k->none, source};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (targets[i] == NF_NO_VERTEX)
            continue;
        run_path(s, source, targets[i], row);
        run_result_path(s, source, targets[i], row);
    }
}

static void run_single(subject *s, nf_vid source, effort much)
{
    const nf_problem problem = s->alg->problem;
    const nf_type arithmetic = arithmetic_of(default_type(s->scene, problem, NF_NONE));
    const ref_row *row = scene_row(s->scene, problem == NF_BFS, arithmetic, source);
    perform(s, &(request){.variant = "plain", .source = source});
    perform(s, &(request){.variant = "deterministic", .source = source, .flags = TREE});
    if (row == NULL || status_of(s, row) != NF_OK || much == EFFORT_LEAST)
        return;
    const marks k = find_marks(row);
    perform(s, &(request){.variant = "parents", .source = source, .flags = PARENTS});
    run_cutoffs(s, CALL_ONE, source, &k, much);
    run_targets(s, CALL_ONE, source, &k, much);
    if (much != EFFORT_ALL)
        return;
    perform(s, &(request){.variant = "buffers", .source = source, .flags = TREE, .buffers = true});
    perform(s, &(request){.variant = "sink", .source = source, .flags = TREE, .sink = true});
    if (problem == NF_SSSP) {
        run_types(s, CALL_ONE, source, &k);
        run_paths(s, source, &k, row);
        run_refusals(s, source);
    }
}

/* ---- several sources --------------------------------------------------------------------------------------------- */

static void run_several(subject *s, effort much)
{
    const nf_problem problem = s->alg->problem;
    const ref_row *row =
        scene_nearest(s->scene, problem == NF_BFS, arithmetic_of(default_type(s->scene, problem, NF_NONE)));
    perform(s, &(request){.variant = "nearest-deterministic", .call = CALL_NEAREST, .flags = TREE});
    perform(s, &(request){.variant = "many", .call = CALL_MANY, .flags = TREE});
    if (row == NULL || status_of(s, row) != NF_OK || much != EFFORT_ALL)
        return;
    const marks k = find_marks(row);
    perform(s, &(request){.variant = "nearest", .call = CALL_NEAREST});
    perform(s, &(request){.variant = "nearest-parents", .call = CALL_NEAREST, .flags = PARENTS});
    perform(s, &(request){.variant = "many-sink", .call = CALL_MANY, .flags = TREE, .sink = true});
    perform(s, &(request){.variant = "many-buffers", .call = CALL_MANY, .buffers = true});
    run_cutoffs(s, CALL_NEAREST, 0, &k, much);
    run_cutoffs(s, CALL_MANY, 0, &k, EFFORT_SOME);
    run_targets(s, CALL_NEAREST, s->scene->sources[0], &k, much);
    run_targets(s, CALL_MANY, s->scene->sources[0], &k, EFFORT_SOME);
}

/* ---- all pairs --------------------------------------------------------------------------------------------------- */

static void run_all_pairs(subject *s)
{
    const nf_vid n = s->scene->csr.n;
    const bool few = s->suite->quick && strcmp(s->device, "emulator") == 0;
    perform(s, &(request){.variant = "plain", .call = CALL_ALL});
    if (n <= (few ? APSP_PARENTS_QUICKLY : APSP_PARENTS))
        perform(s, &(request){.variant = "deterministic", .call = CALL_ALL, .flags = TREE});
    if (n > (few ? APSP_ALL_QUICKLY : APSP_ALL_VARIANTS))
        return;
    perform(s, &(request){.variant = "parents", .call = CALL_ALL, .flags = PARENTS});
    perform(s, &(request){.variant = "buffers", .call = CALL_ALL, .flags = TREE, .buffers = true});
    perform(s, &(request){.variant = "sink", .call = CALL_ALL, .flags = TREE, .sink = true});
    if (n == 0)
        return;
    const ref_row *row = scene_row(s->scene, false, arithmetic_of(default_type(s->scene, NF_APSP, NF_NONE)), 0);
    if (row == NULL || status_of(s, row) != NF_OK)
        return;
    const marks k = find_marks(row);
    run_cutoffs(s, CALL_ALL, 0, &k, EFFORT_ALL);
    run_targets(s, CALL_ALL, 0, &k, EFFORT_SOME);
    run_types(s, CALL_ALL, 0, &k);
}

/* ---- knobs ------------------------------------------------------------------------------------------------------- */

static void run_knob(subject *s, const char *name, const char *value)
{
    char text[160];
    snprintf(text, sizeof text, "%s=%s", name, value);
    if (s->suite->without != NULL && strcmp(s->suite->without, text) == 0)
        return;
    perform(s, &(request){.variant = text,
                          .call = s->alg->problem == NF_APSP ? CALL_ALL : CALL_ONE,
                          .source = s->scene->sources[0],
                          .flags = TREE,
                          .knob = text});
}

/* Both ends of every range, every choice, and the default written out. */
static void run_knobs(subject *s)
{
    for (size_t i = 0; i < s->alg->knob_count; i++) {
        const nf_knob_info *knob = &s->alg->knobs[i];
        char text[64];
        run_knob(s, knob->name, knob->default_text);
        if (knob->type == NF_KNOB_INT || knob->type == NF_KNOB_REAL) {
            snprintf(text, sizeof text, "%.17g", knob->min);
            run_knob(s, knob->name, text);
            snprintf(text, sizeof text, "%.17g", knob->max);
            run_knob(s, knob->name, text);
        } else if (knob->type == NF_KNOB_BOOL) {
            run_knob(s, knob->name, "0");
            run_knob(s, knob->name, "1");
        }
        for (const char *at = knob->type == NF_KNOB_CHOICE ? knob->choices : ""; *at != '\0'; at += at[0] == ' ') {
            const size_t length = strcspn(at, " ");
            snprintf(text, sizeof text, "%.*s", (int)length, at);
            run_knob(s, knob->name, text);
            at += length;
        }
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* A graph without vertices has no source to start from. */
static void run_sourceless(subject *s)
{
    const request q = {.variant = "no-vertices"};
    nf_result *r = NULL;
    nf_run_options o = {.size = sizeof o, .algorithm = s->alg->name};
    const nf_graph *g = s->scene->item.graph;
    const nf_status st = s->alg->problem == NF_BFS ? nf_bfs(s->ctx, g, 0, &o, &r) : nf_sssp(s->ctx, g, 0, &o, &r);
    verdict(s, &q, st == NF_EINVAL && r == NULL, 0, NF_NO_VERTEX, "status got=%s want=NF_EINVAL", nf_status_name(st));
    nf_result_free(r);
}

void run_variants(subject *s)
{
    const effort much = effort_of(s);
    const scene *sc = s->scene;
    if (s->alg->problem == NF_PATH) {
        run_paths_of(s, much == EFFORT_ALL);
    } else if (s->alg->problem == NF_APSP) {
        run_all_pairs(s);
    } else if (sc->source_count == 0) {
        run_sourceless(s);
    } else {
        for (uint64_t i = 0; i < sc->source_count; i++)
            run_single(s, sc->sources[i], much);
        if (much != EFFORT_LEAST)
            run_several(s, much);
    }
    if (sc->item.size == SIZE_TINY && sc->csr.n > 0)
        run_knobs(s);
}
