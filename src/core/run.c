/* run.c - the public calls that run an algorithm, and the life of a run.
 *
 * A run: check the arguments, pick the algorithm (auto picks another), check that it takes this graph, make the result,
 * then row by row: give the algorithm a place to write, let it run, finish the row (rows.c).
 * Cost beyond the algorithm: O(n) a row.
 */
#include "core/run.h"

#include "core/context.h"
#include "core/knobs.h"
#include "core/memory.h"
#include "core/registry.h"

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static nf_status check_vertices(const char *what, const nf_vid *list, uint64_t count, nf_vid n)
{
    if (list == NULL && count != 0)
        return nf__fail(NF_EINVAL, "the list of %ss is NULL", what);
    for (uint64_t i = 0; i < count; i++)
        if (list[i] >= n)
            return nf__fail(NF_EINVAL, "%s %u is out of range; the graph has %u vertices", what, list[i], n);
    return NF_OK;
}

nf_status nf__run_check(const call *c, const nf_run_options *o)
{
    const uint32_t known = NF_RUN_PARENTS | NF_RUN_DETERMINISTIC | NF_RUN_CUTOFF | NF_RUN_RESUME
                           | (c->problem == NF_PATH ? NF_RUN_HOPS : 0u);
    if (c->problem != NF_APSP && c->count == 0)
        return nf__fail(NF_EINVAL, "nf_%s: no source was given", nf_problem_name(c->problem));
    if ((o->flags & ~known) != 0)
        return nf__fail(NF_EINVAL, "unknown bits 0x%x in the flags of the run", o->flags);
    if ((o->flags & NF_RUN_CUTOFF) != 0 && isnan(o->cutoff))
        return nf__fail(NF_EINVAL, "the cutoff is not a number");
    if (o->knob_count != 0 && o->knobs == NULL)
        return nf__fail(NF_EINVAL, "the list of knobs is NULL");
    if (o->sink != NULL && (o->distances != NULL || o->parents != NULL || c->nearest))
        return nf__fail(NF_EINVAL, "a sink excludes buffers of the caller and nearest-source runs");
    if (o->file != NULL && (c->problem != NF_APSP || o->sink != NULL || o->distances != NULL || o->parents != NULL))
        return nf__fail(NF_EINVAL, "a file takes the result of nf_apsp only, and excludes a sink and buffers");
    if ((o->flags & NF_RUN_RESUME) != 0 && o->file == NULL)
        return nf__fail(NF_EINVAL, "NF_RUN_RESUME needs the file of the run to go on with");
    nf_status st = check_vertices("source", c->sources, c->count, c->graph->csr.n);
    return st != NF_OK ? st : check_vertices("target", o->targets, o->target_count, c->graph->csr.n);
}

/* The type of the distances, and the type they are computed in. */
static nf_status choose_types(state *s, nf_type asked)
{
    const nf_type w = s->run.csr.weight_type;
    if ((unsigned)asked > NF_F64)
        return nf__fail(NF_EINVAL, "unknown distance type %d", (int)asked);
    if (s->run.problem == NF_BFS) {
        s->type = s->run.work_type = NF_I32;
        return NF_OK;
    }
    s->type = asked != NF_NONE ? asked : nf__is_float(w) ? w : NF_I64;
    if (nf__is_float(w) && !nf__is_float(s->type))
        return nf__fail(NF_EUNSUPPORTED, "%s weights cannot be summed in %s; ask for f32 or f64 distances",
                        nf_type_name(w), nf_type_name(s->type));
    s->run.work_type = nf__is_float(s->type) ? s->type : NF_I64;
    return NF_OK;
}

static void take_cutoff(state *s, const nf_run_options *o)
{
    nf__run *run = &s->run;
    if ((o->flags & NF_RUN_CUTOFF) == 0 || o->cutoff == (double)INFINITY)
        return;
    const double floor_of = floor(o->cutoff);
    run->has_cutoff = true;
    run->cutoff_real = o->cutoff;
    run->cutoff_int = floor_of >= 0x1p63 ? INT64_MAX : floor_of < -0x1p63 ? INT64_MIN : (int64_t)floor_of;
}

/* ---- the algorithm ----------------------------------------------------------------------------------------------- */

static nf_status check_fit(const nf__run *run)
{
    const nf_algorithm_info *a = &run->algorithm->info;
    if (run->problem != NF_BFS && run->stats.weight_sign < 0 && (a->flags & NF_ALG_NEGATIVE) == 0)
        return nf__fail(NF_EUNSUPPORTED, "%s does not take negative weights; the graph's least weight is %.17g",
                        a->name, run->stats.weight_min);
    if ((a->flags & NF_ALG_UNDIRECTED_ONLY) != 0 && run->graph->directed)
        return nf__fail(NF_EUNSUPPORTED, "%s needs an undirected graph", a->name);
    if (run->file != NULL && !run->algorithm->files)
        return nf__fail(NF_EUNSUPPORTED, "%s does not write to a file by itself; streamed does", a->name);
    if ((a->flags & NF_ALG_HOPS) != 0 && run->csr.weight_type != NF_NONE)
        return nf__fail(NF_EUNSUPPORTED, "%s counts arcs, but these have weights; ask for hops", a->name);
    return NF_OK;
}

static nf_status pick_algorithm(state *s, const nf_run_options *o)
{
    nf_status st = NF_OK;
    nf__run *run = &s->run;
    const nf__algorithm *asked = NULL;
    const char *name = o->algorithm != NULL ? o->algorithm : "auto";
    /* A file is the CPU's unless a device is asked for: a GPU's way to it has not been measured yet. */
    run->backend = run->ctx->backend;
    run->device = run->ctx->device;
    if (o->file == NULL)
        nf__context_pick(run->ctx, run->problem, name, &run->backend, &run->device);
    NF_TRY(nf__registry_algorithm(run->backend, run->problem, name, &asked));
    run->algorithm = asked;
    NF_TRY(nf__knobs_check(&asked->info, o->knobs, o->knob_count));
    run->knobs = o->knobs;
    run->knob_count = o->knob_count;
    run->sparing = asked->choose != NULL;
    if (run->sparing)
        run->algorithm = asked->choose(run);
    else
        snprintf(run->reason, sizeof run->reason, "asked for by name");
    NF_TRY(check_fit(run));
    nf__log(run->ctx, NF_LOG_INFO, "%s: %s (%s)", nf_problem_name(run->problem), run->algorithm->info.name,
            run->reason);
done:
    return st;
}

/* ---- the result and its buffers ---------------------------------------------------------------------------------- */

/* What the outputs and the rows in work will take, asked for before any work starts. */
static nf_status foresee(const state *s, const nf_run_options *o, uint64_t rows)
{
    const nf_vid n = s->run.csr.n;
    __extension__ unsigned __int128 cells = (unsigned __int128)rows * n;
    __extension__ unsigned __int128 bytes = 0;
    const bool elsewhere = o->sink != NULL || o->file != NULL;
    if (!elsewhere && o->distances == NULL)
        bytes += cells * nf_type_size(s->type);
    if (!elsewhere && o->parents == NULL && s->run.want_parents)
        bytes += cells * sizeof(nf_vid);
    const nf_status st =
        nf__mem_foresee(s->run.ctx->mem, bytes > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)bytes, "the result");
    if (st == NF_OK || s->run.problem != NF_APSP)
        return st;
    char text[256];
    snprintf(text, sizeof text, "%s", nf_last_error());
    return nf__fail(st, "%s; a matrix of any size can go to a .npy file (the option file, --output X.npy)", text);
}

static nf_status make_result(state *s, const call *c, const nf_run_options *o)
{
    nf_status st = NF_OK;
    nf__mem *mem = s->run.ctx->mem;
    const nf_vid n = s->run.csr.n;
    const uint64_t rows = s->run.rows;
    nf_vid *everyone = NULL;
    const nf_vid *sources = c->sources;
    NF_TRY(foresee(s, o, rows));
    if (c->problem == NF_APSP) {
        NF_TRY_ALLOC(everyone, nf__alloc(mem, n, sizeof *everyone));
        for (nf_vid v = 0; v < n; v++)
            everyone[v] = v;
        sources = everyone;
    }
    NF_TRY(
        nf__result_shell(mem, c->problem, s->type, n, rows, sources, c->problem == NF_APSP ? n : c->count, &s->result));
    NF_TRY(nf__rows_prepare(s, o));
done:
    nf__free(everyone);
    return st;
}

static void fill_info(state *s, double start)
{
    nf_run_info *info = &s->result->info;
    info->algorithm = s->run.algorithm->info.name;
    snprintf(s->result->reason, sizeof s->result->reason, "%s", s->run.reason);
    snprintf(s->result->device, sizeof s->result->device, "%s", s->run.backend->name);
    info->m = s->run.csr.m;
    info->build_ms = s->build_ms;
    info->total_ms = nf__now_ms() - start;
    info->upload_ms = s->run.upload_ms;
    info->download_ms = s->run.download_ms;
    info->device_ms = s->run.device_ms;
    info->run_ms = info->total_ms - info->build_ms - info->upload_ms - info->download_ms;
    info->iterations = s->result->all.iterations;
    info->edges_relaxed = s->result->all.edges_relaxed;
    nf__mem_used(s->run.ctx->mem, &info->peak_bytes);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static nf_status run_rows(state *s)
{
    nf_status st = NF_OK;
    nf__row row;
    const nf__algorithm *a = s->run.algorithm;
    if (a->begin != NULL)
        NF_TRY(a->begin(&s->run));
    if (s->run.problem == NF_APSP || a->all_rows) {
        st = a->run(&s->run, NULL);
        goto done;
    }
    for (uint64_t i = 0; i < s->result->info.rows; i++) {
        NF_TRY(nf__progress(s->run.ctx, nf_problem_name(s->run.problem), i, s->result->info.rows));
        NF_TRY(nf__row_begin(&s->run, i, &row));
        NF_TRY(a->run(&s->run, &row));
        NF_TRY(nf__row_end(&s->run, &row));
    }
done:
    if (a->end != NULL)
        a->end(&s->run);
    return st;
}

/* The graph as the device holds it, if the backend wants one: from an earlier run, or made now. */
static nf_status attach(nf__run *run)
{
    nf_status st = NF_OK;
    nf_context *ctx = run->ctx;
    void *fresh = NULL;
    const double start = nf__now_ms();
    if (run->backend->attach == NULL)
        return NF_OK;
    run->attached = nf__attachment_find(&ctx->attachments, run->graph);
    if (run->attached != NULL)
        return NF_OK;
    NF_TRY(run->backend->attach(run->device, run->graph, &run->csr, &fresh));
    NF_TRY(nf__attachment_add(ctx, &ctx->attachments, run->graph, fresh, run->backend->detach));
    run->attached = fresh;
    fresh = NULL;
    run->upload_ms += nf__now_ms() - start;
done:
    if (fresh != NULL)
        run->backend->detach(fresh);
    return st;
}

/* Where every arc is to count 1, the run sees a graph without weights. */
static void leave_weights_out(nf__run *run)
{
    run->csr.weight_type = NF_NONE;
    run->csr.weights = NULL;
    run->stats.weight_min = run->stats.weight_max = run->stats.weight_mean = run->csr.m != 0 ? 1 : 0;
    run->stats.weight_sign = 1;
}

nf_status nf__run_open(state *s, nf_context *ctx, const call *c, const nf_run_options *o)
{
    nf_status st = NF_OK;
    const double start = nf__now_ms();
    nf__run *run = &s->run;
    *run = (nf__run){.ctx = ctx, .graph = c->graph, .problem = c->problem, .nearest = c->nearest};
    run->file = o->file;
    run->folder = o->scratch;
    run->resume = (o->flags & NF_RUN_RESUME) != 0;
    NF_TRY(nf_graph_view(ctx, c->graph, &run->csr));
    run->stats.size = sizeof run->stats;
    NF_TRY(nf_graph_get_stats(ctx, c->graph, 0, &run->stats));
    if (c->hops)
        leave_weights_out(run);
    s->build_ms = nf__now_ms() - start;
    run->rows = c->problem == NF_APSP ? run->csr.n : c->nearest ? 1 : c->count;
    NF_TRY(choose_types(s, o->distance_type));
    run->out_type = s->type;
    run->kept = o->sink == NULL && o->file == NULL;
    take_cutoff(s, o);
    run->want_parents = (o->flags & (NF_RUN_PARENTS | NF_RUN_DETERMINISTIC)) != 0 || o->parents != NULL;
    run->deterministic = (o->flags & NF_RUN_DETERMINISTIC) != 0;
    if (c->problem != NF_APSP && o->target_count != 0 && (c->problem == NF_BFS || run->stats.weight_sign >= 0)) {
        run->targets = o->targets;
        run->target_count = o->target_count;
    }
    NF_TRY(pick_algorithm(s, o));
done:
    return st;
}

static nf_status run_call(nf_context *ctx, const call *c, const nf_run_options *options, nf_result **out)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    nf_run_options o;
    state s = {.result = NULL};
    const double start = nf__now_ms();
    NF_TAKE_OPTIONS(o, options);
    if (out != NULL)
        *out = NULL;
    if (c->graph == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_%s: graph or out is NULL", nf_problem_name(c->problem));
    NF_TRY(nf__run_check(c, &o));
    NF_TRY(nf__enter(&ctx, &owned));
    nf__mem_reset_peak(ctx->mem);
    s.sink = o.sink;
    s.sink_user = o.sink_user;
    NF_TRY(nf__run_open(&s, ctx, c, &o));
    NF_TRY(make_result(&s, c, &o));
    NF_TRY(attach(&s.run));
    st = run_rows(&s);
    if (st == NF_OK || (st == NF_ENEGCYCLE && s.result->cycle != NULL)) {
        fill_info(&s, start);
        *out = s.result;
        s.result = NULL;
    }
done:
    nf__rows_release(&s);
    nf_result_free(s.result);
    return nf__leave(ctx, owned, st);
}

nf_status nf__run_set_cycle(nf__run *run, const nf_vid *cycle, uint64_t length)
{
    nf_result *r = ((state *)run)->result;
    nf__free(r->cycle);
    r->cycle = nf__alloc(r->mem, length, sizeof *cycle);
    if (r->cycle == NULL)
        return NF_ENOMEM;
    memcpy(r->cycle, cycle, (size_t)length * sizeof *cycle);
    r->cycle_length = length;
    return nf__fail(NF_ENEGCYCLE, "the graph has a negative cycle of %llu arc%s through vertex %llu",
                    (unsigned long long)length, length == 1 ? "" : "s",
                    (unsigned long long)nf_graph_label(run->graph, cycle[0]));
}

nf_status nf__run_streamed(nf__run *run, const nf__tile_worker *worker, bool shared)
{
    nf_status st = NF_OK;
    const nf__backend *cpu = NULL;
    int index = 0;
    NF_TRY(nf__registry_device("cpu", &cpu, &index));
    NF_TRY(cpu->streamed(run, worker, shared));
done:
    return st;
}

nf_status nf__row_by_cpu(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    const nf__run as_it_was = *run;
    const nf__backend *cpu = NULL;
    const nf__algorithm *a = NULL;
    int index = 0;
    NF_TRY(nf__registry_device("cpu", &cpu, &index));
    NF_TRY(nf__registry_algorithm(cpu, NF_SSSP, "bellman-ford-frontier", &a));
    run->algorithm = a;
    run->scratch = NULL;
    run->knob_count = 0;
    row->iterations = row->edges_relaxed = 0;
    row->overflowed = row->rounded = false;
    if (a->begin != NULL)
        NF_TRY(a->begin(run));
    NF_TRY(a->run(run, row));
done:
    if (a != NULL && a->end != NULL)
        a->end(run);
    run->algorithm = as_it_was.algorithm;
    run->scratch = as_it_was.scratch;
    run->knob_count = as_it_was.knob_count;
    return st;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

#define DEFINE_SOURCE_CALLS(name, problem)                                                                       \
    nf_status nf_##name(nf_context *ctx, const nf_graph *graph, nf_vid source, const nf_run_options *options,    \
                        nf_result **out)                                                                         \
    {                                                                                                            \
        return run_call(ctx, &(call){problem, graph, &source, 1, false, false}, options, out);                   \
    }                                                                                                            \
    nf_status nf_##name##_many(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count,    \
                               const nf_run_options *options, nf_result **out)                                   \
    {                                                                                                            \
        return run_call(ctx, &(call){problem, graph, sources, count, false, false}, options, out);               \
    }                                                                                                            \
    nf_status nf_##name##_nearest(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count, \
                                  const nf_run_options *options, nf_result **out)                                \
    {                                                                                                            \
        return run_call(ctx, &(call){problem, graph, sources, count, true, false}, options, out);                \
    }
DEFINE_SOURCE_CALLS(bfs, NF_BFS)
DEFINE_SOURCE_CALLS(sssp, NF_SSSP)

nf_status nf_apsp(nf_context *ctx, const nf_graph *graph, const nf_run_options *options, nf_result **out)
{
    return run_call(ctx, &(call){NF_APSP, graph, NULL, 0, false, false}, options, out);
}
