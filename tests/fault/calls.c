/* calls.c - every public call that can fail for want of memory, with the options it knows (see fault.h). */
#include "fault.h"

#include <stdio.h>
#include <string.h>

static const nf_type weight_types[] = {NF_NONE, NF_I32, NF_U32, NF_F32, NF_F64};

/* ---- building ---------------------------------------------------------------------------------------------------- */

static nf_status run_from_coo(scene *s, const call *c)
{
    const nf_coo coo = {.n = SMALL_N,
                        .m = SMALL_M,
                        .src = small_src,
                        .dst = small_dst,
                        .weight_type = c->type,
                        .weights = small_weights(c->type)};
    const nf_build_options o = {.size = sizeof o, .flags = c->flags, .duplicates = c->duplicates};
    return nf_graph_from_coo(s->ctx, &coo, &o, &s->made_graph);
}

static nf_status run_from_csr(scene *s, const call *c)
{
    static const uint32_t off32[5] = {0, 2, 4, 4, 6};
    static const uint64_t off64[5] = {0, 2, 4, 4, 6};
    static const nf_vid adj[6] = {1, 3, 0, 1, 0, 3};
    static const float weights[6] = {1, 2, 1, 4, 2, 0};
    const nf_csr csr = {.n = 4,
                        .m = 6,
                        .off32 = c->number == 32 ? off32 : NULL,
                        .off64 = c->number == 64 ? off64 : NULL,
                        .adj = adj,
                        .weight_type = c->type,
                        .weights = c->type == NF_F32 ? weights : NULL};
    const nf_build_options o = {.size = sizeof o, .flags = c->flags, .duplicates = c->duplicates};
    return nf_graph_from_csr(s->ctx, &csr, &o, &s->made_graph);
}

static nf_status run_from_matrix(scene *s, const call *c)
{
    static const int32_t i32[9] = {0, 5, NF_UNREACHED_I32, 1, 0, 2, 0, 7, 3};
    static const uint32_t u32[9] = {0, 5, NF_UNREACHED_U32, 1, 0, 2, 0, 7, 3};
    static const float f32[9] = {0, 5, 9, 1, 0, 2, 0, 7, 3};
    static const double f64[9] = {0, 5, 9, 1, 0, 2, 0, 7, 3};
    const void *values = c->type == NF_I32   ? (const void *)i32
                         : c->type == NF_U32 ? u32
                         : c->type == NF_F32 ? f32
                                             : (const void *)f64;
    const nf_build_options o = {.size = sizeof o, .flags = c->flags};
    return nf_graph_from_matrix(s->ctx, 3, 3, c->type, values, &o, &s->made_graph);
}

static nf_status run_transform(scene *s, const call *c)
{
    const nf_build_options o = {.size = sizeof o, .flags = c->flags, .duplicates = c->duplicates};
    return nf_graph_transform(s->ctx, s->graph, &o, &s->made_graph);
}

static call *with(call *c, uint32_t flags, nf_type type, nf_duplicates duplicates)
{
    c->flags = flags, c->type = type, c->duplicates = duplicates;
    return c;
}

void list_build_calls(call_list *list)
{
    for (uint32_t flags = 0; flags < 8; flags++) {
        if ((flags & NF_BUILD_UNDIRECTED) && (flags & NF_BUILD_SYMMETRIC))
            continue;
        for (int dup = NF_DUP_KEEP; dup <= NF_DUP_SUM; dup++) {
            for (size_t t = 0; t < 5 && !(flags & NF_BUILD_SYMMETRIC); t++)
                with(call_list_add(list, run_from_coo, "from_coo flags %u duplicates %d weights %s", flags, dup,
                                   nf_type_name(weight_types[t])),
                     flags, weight_types[t], (nf_duplicates)dup);
            if (!(flags & NF_BUILD_SYMMETRIC))
                with(call_list_add(list, run_transform, "transform flags %u duplicates %d", flags, dup), flags, NF_NONE,
                     (nf_duplicates)dup);
        }
    }
    static const uint32_t csr_flags[] = {0, NF_BUILD_BORROW, NF_BUILD_UNDIRECTED,
                                         NF_BUILD_DROP_LOOPS | NF_BUILD_BORROW};
    for (size_t f = 0; f < 4; f++)
        for (int bits = 32; bits <= 64; bits += 32)
            for (int weighted = 0; weighted < 2; weighted++)
                with(call_list_add(list, run_from_csr, "from_csr flags %u, %d bits, weighted %d", csr_flags[f], bits,
                                   weighted),
                     csr_flags[f], weighted ? NF_F32 : NF_NONE, NF_DUP_KEEP)
                    ->number = bits;
    for (size_t t = 1; t < 5; t++)
        with(call_list_add(list, run_from_matrix, "from_matrix %s", nf_type_name(weight_types[t])), 0, weight_types[t],
             NF_DUP_KEEP);
}

/* ---- views and statistics ---------------------------------------------------------------------------------------- */

static nf_status run_view(scene *s, const call *c)
{
    nf_csr csr;
    nf_coo coo;
    nf_eid first, count;
    switch (c->number) {
    case 0: return nf_graph_view(s->ctx, s->graph, &csr);
    case 1: return nf_graph_transpose_view(s->ctx, s->graph, &csr);
    case 2: return nf_graph_coo_view(s->ctx, s->graph, &coo);
    default: return nf_graph_find_edge(s->ctx, s->graph, 0, 1, &first, &count);
    }
}

static nf_status run_stats(scene *s, const call *c)
{
    nf_graph_stats stats = {.size = sizeof stats};
    return nf_graph_get_stats(s->ctx, s->negative, c->flags, &stats);
}

void list_view_calls(call_list *list)
{
    static const char *const names[] = {"view", "transpose_view", "coo_view", "find_edge"};
    for (int i = 0; i < 4; i++)
        call_list_add(list, run_view, "%s", names[i])->number = i;
    call_list_add(list, run_stats, "get_stats");
    call_list_add(list, run_stats, "get_stats with diameter")->flags = NF_STATS_DIAMETER;
}

/* ---- generators -------------------------------------------------------------------------------------------------- */

static nf_status run_generate(scene *s, const call *c)
{
    nf_generate_options o = {.size = sizeof o};
    nf_status st = nf_generate_defaults(c->text, &o);
    if (st != NF_OK)
        return st;
    o.n = 64;
    o.edges = 0;
    o.permute = (c->flags & 1u) != 0;
    o.directed = (c->flags & 2u) != 0;
    o.keep_duplicates = (c->flags & 4u) != 0;
    if (c->flags & 8u)
        o.weight_type = NF_F32, o.weight_min = o.weight_min < 0 ? -2 : 0.5, o.weight_max = 2.5;
    return nf_generate(s->ctx, &o, &s->made_graph);
}

void list_generate_calls(call_list *list)
{
    const nf_generator_info *kind;
    for (size_t i = 0; (kind = nf_generator_get(i)) != NULL; i++)
        for (uint32_t flags = 0; flags < 16; flags += 5) {
            call *c = call_list_add(list, run_generate, "generate %s flags %u", kind->name, flags);
            c->text = kind->name, c->flags = flags;
        }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

enum { ONE, MANY, NEAREST, TARGETS, SINK, BUFFERS, SHAPES };

static nf_status count_tile(void *user, const nf_tile *tile)
{
    *(uint64_t *)user += tile->rows;
    return NF_OK;
}

static nf_status run_problem(scene *s, const call *c, nf_problem problem, nf_run_options *o)
{
    static const nf_vid sources[3] = {0, 7, 0};
    const nf_graph *g = c->expect == NF_ENEGCYCLE ? s->cycle : c->type == NF_I32 ? s->negative : s->graph;
    if (problem == NF_APSP)
        return nf_apsp(s->ctx, g, o, &s->made_result);
    const bool bfs = problem == NF_BFS;
    if (c->number == MANY || c->number == SINK)
        return (bfs ? nf_bfs_many : nf_sssp_many)(s->ctx, g, sources, 3, o, &s->made_result);
    if (c->number == NEAREST)
        return (bfs ? nf_bfs_nearest : nf_sssp_nearest)(s->ctx, g, sources, 2, o, &s->made_result);
    return (bfs ? nf_bfs : nf_sssp)(s->ctx, g, 0, o, &s->made_result);
}

static nf_status run_algorithm(scene *s, const call *c)
{
    static const nf_vid targets[2] = {9, 4};
    static int64_t distances[SMALL_N * SMALL_N];
    static nf_vid parents[SMALL_N * SMALL_N];
    uint64_t rows = 0;
    const nf_algorithm_info *a = nf_algorithm_get((size_t)c->duplicates);
    nf_run_options o = {.size = sizeof o, .flags = c->flags, .algorithm = a->name, .cutoff = 6};
    if (c->number == TARGETS)
        o.targets = targets, o.target_count = 2;
    if (c->number == SINK)
        o.sink = count_tile, o.sink_user = &rows;
    if (c->number == BUFFERS) {
        o.distances = distances;
        o.parents = (c->flags & NF_RUN_PARENTS) ? parents : NULL;
    }
    return run_problem(s, c, a->problem, &o);
}

static nf_status run_path(scene *s, const call *c)
{
    const nf_run_options o = {.size = sizeof o, .flags = c->flags, .algorithm = c->text, .distance_type = c->type};
    const nf_graph *g = c->number == 2 ? s->cycle : c->number == 1 ? s->negative : s->graph;
    return nf_path_between(s->ctx, g, 0, c->number == 2 ? 1 : 10, &o, &s->made_path);
}

static void list_path(call_list *list, const nf_algorithm_info *a)
{
    static const nf_type types[] = {NF_NONE, NF_U32, NF_F32, NF_F64};
    for (size_t t = 0; t < 4; t++) {
        call *c = call_list_add(list, run_path, "path_between %s %s", a->name, nf_type_name(types[t]));
        with(c, NF_RUN_HOPS, types[t], NF_DUP_KEEP)->text = a->name;
        if ((a->flags & NF_ALG_HOPS) == 0)
            c->flags = 0;
    }
}

static void list_algorithm(call_list *list, const nf_algorithm_info *a, size_t index)
{
    static const uint32_t flags[] = {0, NF_RUN_PARENTS, NF_RUN_PARENTS | NF_RUN_DETERMINISTIC,
                                     NF_RUN_PARENTS | NF_RUN_CUTOFF};
    for (int shape = ONE; shape < SHAPES; shape++)
        for (size_t f = 0; f < 4; f++)
            for (int graph = 0; graph < 2; graph++) {
                if ((graph == 1 && (a->problem == NF_BFS || !(a->flags & NF_ALG_NEGATIVE)))
                    || (a->flags & NF_ALG_UNDIRECTED_ONLY))
                    continue;
                call *c = call_list_add(list, run_algorithm, "%s %s shape %d flags %u graph %d",
                                        nf_problem_name(a->problem), a->name, shape, flags[f], graph);
                with(c, flags[f], graph == 1 ? NF_I32 : NF_NONE, (nf_duplicates)index)->number = shape;
            }
    if (a->problem != NF_BFS && (a->flags & NF_ALG_NEGATIVE)) {
        call *c = call_list_add(list, run_algorithm, "%s %s negative cycle", nf_problem_name(a->problem), a->name);
        with(c, NF_RUN_PARENTS, NF_NONE, (nf_duplicates)index)->expect = NF_ENEGCYCLE;
    }
}

void list_run_calls(call_list *list)
{
    const nf_algorithm_info *a;
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
        if (strcmp(a->device, "cpu") == 0 && a->problem == NF_PATH)
            list_path(list, a);
        else if (strcmp(a->device, "cpu") == 0)
            list_algorithm(list, a, i);
    for (int graph = 0; graph < 3; graph++) {
        call *c = call_list_add(list, run_path, "path_between graph %d", graph);
        c->number = graph, c->expect = graph == 2 ? NF_ENEGCYCLE : NF_OK;
        c = call_list_add(list, run_path, "path_between deterministic graph %d", graph);
        c->number = graph, c->flags = NF_RUN_DETERMINISTIC, c->expect = graph == 2 ? NF_ENEGCYCLE : NF_OK;
    }
}
