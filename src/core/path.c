/* path.c - between two vertices: the public call, by a method of NF_PATH or by a whole run with a target.
 *
 * A method of NF_PATH finds a path and no tree. Where a tree is asked for (deterministic), where weights are negative,
 * where a single-source method is named and where the backend lists no such method, the path is read out of the parents
 * of a single-source run.
 * Invariants
 *   P1 the distance is that of nf_sssp (nf_bfs with NF_RUN_HOPS), bit for bit;
 *   P2 a path that goes out is the first member of a `made`, so that nf_path_info finds the rest.
 * Cost beyond the method: O(length).
 */
#include "core/context.h"
#include "core/memory.h"
#include "core/registry.h"
#include "core/run.h"

typedef struct made {
    nf_path path; /* P2 */
    nf_run_info info;
    char reason[256], device[32];
} made;

static nf_status path_create(nf__mem *mem, nf_path **out)
{
    made *m = nf__zalloc(mem, 1, sizeof *m);
    if (m == NULL)
        return NF_ENOMEM;
    m->path.distance = (double)INFINITY;
    *out = &m->path;
    return NF_OK;
}

void nf_path_free(nf_path *path)
{
    if (path == NULL)
        return;
    nf__free(path->vertices);
    nf__free(path->distances);
    nf__free(path->cycle);
    nf__free(path);
}

nf_status nf_path_info(const nf_path *path, nf_run_info *info)
{
    if (path == NULL || info == NULL || info->size < sizeof(size_t))
        return nf__fail(NF_EINVAL, "nf_path_info: path or info is NULL, or info->size is not set");
    nf__hand_out(info, &((const made *)path)->info, sizeof *info);
    return NF_OK;
}

static void set_info(nf_path *path, const nf_run_info *info)
{
    made *m = (made *)path;
    m->info = *info;
    snprintf(m->reason, sizeof m->reason, "%s", info->reason);
    snprintf(m->device, sizeof m->device, "%s", info->device);
    m->info.reason = m->reason;
    m->info.device = m->device;
    path->type = info->type;
}

/* The i-th distance as a number. */
static double distance_at(const nf_path *path, uint64_t i)
{
    switch (path->type) {
    case NF_I32: return ((const int32_t *)path->distances)[i];
    case NF_U32: return ((const uint32_t *)path->distances)[i];
    case NF_I64: return (double)((const int64_t *)path->distances)[i];
    case NF_U64: return (double)((const uint64_t *)path->distances)[i];
    case NF_F32: return (double)((const float *)path->distances)[i];
    default: return ((const double *)path->distances)[i];
    }
}

/* ---- by a method of NF_PATH -------------------------------------------------------------------------------------- */

nf_status nf__run_path(nf__run *run, uint64_t length, nf_vid **vertices, void **dist)
{
    nf_status st = NF_OK;
    nf_path *path = ((state *)run)->path;
    nf__mem *mem = run->ctx->mem;
    NF_TRY_ALLOC(path->vertices, nf__alloc(mem, length, sizeof(nf_vid)));
    NF_TRY_ALLOC(path->distances, nf__alloc(mem, length, nf_type_size(run->work_type)));
    path->length = length;
    *vertices = path->vertices;
    *dist = path->distances;
done:
    return st;
}

static void drop_way(nf_path *path)
{
    nf__free(path->vertices);
    nf__free(path->distances);
    path->vertices = NULL;
    path->distances = NULL;
    path->length = 0;
    path->distance = (double)INFINITY;
}

/* Is the target beyond the cutoff? Exact in the working type. */
static bool too_far(const nf__run *run, const nf_path *path)
{
    if (!run->has_cutoff || path->length == 0)
        return false;
    if (run->work_type == NF_I64)
        return ((const int64_t *)path->distances)[path->length - 1] > run->cutoff_int;
    return (run->work_type == NF_F32 ? (double)((const float *)path->distances)[path->length - 1]
                                     : ((const double *)path->distances)[path->length - 1])
           > run->cutoff_real;
}

/* From 64-bit integers >= 0, which rise along the path, to the type asked for, in place: none is wider. */
static nf_status narrow(const state *s, nf_path *path)
{
    const uint64_t top = s->type == NF_I32   ? (uint64_t)NF_UNREACHED_I32
                         : s->type == NF_U32 ? (uint64_t)NF_UNREACHED_U32
                                             : UINT64_MAX;
    const int64_t *from = path->distances;
    if (s->type == s->run.work_type || path->length == 0)
        return NF_OK;
    if ((uint64_t)from[path->length - 1] >= top)
        return nf__fail(NF_EOVERFLOW, "the distance %lld of vertex %llu does not fit %s; ask for a wider type",
                        (long long)from[path->length - 1],
                        (unsigned long long)nf_graph_label(s->run.graph, path->vertices[path->length - 1]),
                        nf_type_name(s->type));
    if (s->type != NF_U64)
        for (uint64_t i = 0; i < path->length; i++) {
            const uint32_t d = (uint32_t)from[i];
            memcpy((char *)path->distances + i * sizeof d, &d, sizeof d);
        }
    return NF_OK;
}

static void tell(state *s, const nf__row *row, double start)
{
    const nf__run *run = &s->run;
    nf_run_info info = {.size = sizeof info, .problem = NF_PATH, .n = run->csr.n, .m = run->csr.m, .rows = 1};
    info.flags = row->overflowed ? NF_INFO_FLOAT_OVERFLOW : 0;
    info.algorithm = run->algorithm->info.name;
    info.reason = run->reason;
    info.device = run->backend->name;
    info.type = s->type;
    info.build_ms = s->build_ms;
    info.total_ms = nf__now_ms() - start;
    info.run_ms = info.total_ms - info.build_ms;
    info.iterations = row->iterations;
    info.edges_relaxed = row->edges_relaxed;
    nf__mem_used(run->ctx->mem, &info.peak_bytes);
    set_info(s->path, &info);
}

static nf_status search(nf_context *ctx, const call *c, const nf_run_options *o, nf_path **out)
{
    nf_status st = NF_OK;
    const double start = nf__now_ms();
    state s = {.result = NULL};
    nf__row row = {.sources = c->sources, .source_count = 1};
    nf__mem_reset_peak(ctx->mem);
    NF_TRY(nf__run_open(&s, ctx, c, o));
    if (s.run.deterministic)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "%s finds some shortest path, not that of the deterministic tree",
                        s.run.algorithm->info.name));
    NF_TRY(path_create(ctx->mem, &s.path));
    row.type = s.run.work_type;
    NF_TRY(s.run.algorithm->run(&s.run, &row));
    if (too_far(&s.run, s.path))
        drop_way(s.path);
    NF_TRY(narrow(&s, s.path));
    tell(&s, &row, start);
    if (s.path->length != 0)
        s.path->distance = distance_at(s.path, s.path->length - 1);
    *out = s.path;
    s.path = NULL;
done:
    nf_path_free(s.path);
    return st;
}

/* ---- by a whole run ---------------------------------------------------------------------------------------------- */

static nf_status read_way(nf__mem *mem, const nf_result *r, nf_vid target, nf_path *path)
{
    nf_status st = NF_OK;
    const size_t width = nf_type_size(r->info.type);
    uint64_t length = 0;
    NF_TRY(nf_result_path(r, 0, target, NULL, 0, &length));
    if (length == 0)
        return NF_OK;
    NF_TRY_ALLOC(path->vertices, nf__alloc(mem, length, sizeof(nf_vid)));
    NF_TRY_ALLOC(path->distances, nf__alloc(mem, length, width));
    NF_TRY(nf_result_path(r, 0, target, path->vertices, length, &path->length));
    for (uint64_t i = 0; i < length; i++)
        memcpy((char *)path->distances + i * width, (const char *)r->dist + (size_t)path->vertices[i] * width, width);
    path->distance = distance_at(path, length - 1);
done:
    return st;
}

static nf_status copy_cycle(nf__mem *mem, const nf_result *r, nf_path *path)
{
    path->cycle = nf__alloc(mem, r->cycle_length, sizeof(nf_vid));
    if (path->cycle == NULL)
        return NF_ENOMEM;
    memcpy(path->cycle, r->cycle, (size_t)r->cycle_length * sizeof(nf_vid));
    path->cycle_length = r->cycle_length;
    return NF_ENEGCYCLE;
}

/* With negative weights the way may lead through what a cutoff takes away: it then looks at the target alone (`late`).
 */
static nf_status run_whole(nf_context *ctx, const call *c, nf_run_options o, bool late, nf_path **out)
{
    nf_status st = NF_OK;
    nf_result *r = NULL;
    nf_path *path = NULL;
    const nf_vid target = o.targets[0];
    o.flags = (o.flags | NF_RUN_PARENTS) & ~(NF_RUN_HOPS | (late ? NF_RUN_CUTOFF : 0u));
    st = c->hops ? nf_bfs(ctx, c->graph, *c->sources, &o, &r) : nf_sssp(ctx, c->graph, *c->sources, &o, &r);
    if (st != NF_OK && r == NULL)
        return st;
    const nf_status ended = st;
    NF_TRY(path_create(ctx->mem, &path));
    set_info(path, &r->info);
    NF_TRY(ended == NF_OK ? read_way(ctx->mem, r, target, path) : copy_cycle(ctx->mem, r, path));
    if (late && path->distance > o.cutoff)
        drop_way(path);
done:
    if (st == ended) {
        *out = path;
        path = NULL;
    }
    nf_path_free(path);
    nf_result_free(r);
    return st;
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

/* Is there a method of NF_PATH for this call? */
static bool is_searched(nf_context *ctx, const nf_run_options *o, bool negative)
{
    const nf__algorithm *found = NULL;
    const nf__backend *backend = NULL;
    void *device = NULL;
    const bool open = o->algorithm == NULL || strcmp(o->algorithm, "auto") == 0;
    if (open && (negative || (o->flags & NF_RUN_DETERMINISTIC) != 0))
        return false;
    nf__context_pick(ctx, NF_PATH, open ? "auto" : o->algorithm, &backend, &device);
    return nf__registry_algorithm(backend, NF_PATH, open ? "auto" : o->algorithm, &found) == NF_OK;
}

nf_status nf_path_between(nf_context *ctx, const nf_graph *graph, nf_vid source, nf_vid target,
                          const nf_run_options *options, nf_path **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_graph_stats stats = {.size = sizeof stats};
    nf_run_options o;
    NF_TAKE_OPTIONS(o, options);
    if (graph == NULL || out == NULL || o.sink != NULL || o.distances != NULL || o.parents != NULL)
        return nf__fail(NF_EINVAL, "nf_path_between: graph or out is NULL, or a sink or buffers were given");
    *out = NULL;
    o.targets = &target;
    o.target_count = 1;
    const call c = {NF_PATH, graph, &source, 1, false, (o.flags & NF_RUN_HOPS) != 0};
    NF_TRY(nf__run_check(&c, &o));
    NF_TRY(nf__enter(&ctx, &owned));
    NF_TRY(nf_graph_get_stats(ctx, graph, 0, &stats));
    const bool negative = !c.hops && stats.weight_sign < 0;
    if (is_searched(ctx, &o, negative))
        NF_TRY(search(ctx, &c, &o, out));
    else
        NF_TRY(run_whole(ctx, &c, o, negative && (o.flags & NF_RUN_CUTOFF) != 0, out));
done:
    return nf__leave(ctx, owned, st);
}
