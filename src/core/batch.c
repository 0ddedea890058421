/* batch.c - the public batch of small graphs: arguments checked once, small graphs to the device's own way, the rest
 * one by one.
 *
 * Invariants
 *   B1 what a backend gets is in range: finite weights and "no arc" only, sizes 1 .. NF_BATCH_SMALL;
 *   B2 a graph that the backend is not sure about, and every larger one, is a run of nf_apsp, whose word is final;
 *   B3 the first graph that fails is run alone in any case: for the text, and for the cycle.
 * Cost beyond the backend: one pass over the weights; 16 bytes a graph.
 */
#include "core/context.h"
#include "core/memory.h"
#include "core/registry.h"
#include "core/result.h"

#define NARROW 0x1p29 /* sums below this are made in 32 bits */

typedef struct batch_call {
    nf_context *ctx;
    const nf_batch *in;
    nf_batch_options o;
    nf_type type; /* of the distances */
    char *distances;
    uint64_t cells;
    nf__batch_graph *graphs; /* the small ones */
    uint64_t small;
    nf_batch_info info;
    nf_status first; /* of info.failed */
    char text[320];
} batch_call;

static nf_vid size_of(const nf_batch *b, uint64_t k)
{
    return b->sizes != NULL ? b->sizes[k] : b->n;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static nf_status check_types(batch_call *c)
{
    const nf_type w = c->in->weight_type, asked = c->o.distance_type;
    if (w == NF_NONE || !nf__is_weight_type(w))
        return nf__fail(NF_EINVAL, "a batch takes weights of i32, u32, f32 or f64, not of type %d", (int)w);
    if ((unsigned)asked > NF_F64)
        return nf__fail(NF_EINVAL, "unknown distance type %d", (int)asked);
    c->type = asked != NF_NONE ? asked : nf__is_float(w) ? w : NF_I64;
    if (nf__is_float(w) && !nf__is_float(c->type))
        return nf__fail(NF_EUNSUPPORTED, "%s weights cannot be summed in %s; ask for f32 or f64 distances",
                        nf_type_name(w), nf_type_name(c->type));
    if ((c->o.flags & ~NF_RUN_DETERMINISTIC) != 0)
        return nf__fail(NF_EINVAL, "nf_apsp_batch knows no flags but NF_RUN_DETERMINISTIC");
    return NF_OK;
}

/* Counts elements and small graphs. */
static nf_status count_cells(batch_call *c)
{
    c->cells = c->small = 0;
    for (uint64_t k = 0; k < c->in->count; k++) {
        const uint64_t n = size_of(c->in, k);
        if (__builtin_add_overflow(c->cells, n * n, &c->cells))
            return nf__fail(NF_EINVAL, "the matrices of %llu graphs have more than 2^64 elements",
                            (unsigned long long)c->in->count);
        c->small += n > 0 && n <= NF_BATCH_SMALL;
    }
    if (c->cells != 0 && (c->in->weights == NULL || c->distances == NULL))
        return nf__fail(NF_EINVAL, "nf_apsp_batch: weights or distances is NULL");
    return NF_OK;
}

static void list_small(batch_call *c)
{
    uint64_t at = 0, i = 0;
    for (uint64_t k = 0; k < c->in->count; k++) {
        const nf_vid n = size_of(c->in, k);
        if (n > 0 && n <= NF_BATCH_SMALL)
            c->graphs[i++] = (nf__batch_graph){.at = at, .n = n};
        at += (uint64_t)n * n;
    }
}

/* The largest finite weight by its size, from element `begin` on; *bad: the first that is no weight. */
#define DEFINE_SCAN(name, T, IS_NONE, IS_BAD)                                            \
    static double name(const void *weights, uint64_t begin, uint64_t end, uint64_t *bad) \
    {                                                                                    \
        const T *w = weights;                                                            \
        double most = 0;                                                                 \
        for (uint64_t i = begin; i < end; i++) {                                         \
            if (IS_NONE)                                                                 \
                continue;                                                                \
            if ((IS_BAD) && i < *bad)                                                    \
                *bad = i;                                                                \
            const double size = fabs((double)w[i]);                                      \
            most = size > most ? size : most;                                            \
        }                                                                                \
        return most;                                                                     \
    }
DEFINE_SCAN(scan_i32, int32_t, w[i] == NF_UNREACHED_I32, false)
DEFINE_SCAN(scan_u32, uint32_t, w[i] == NF_UNREACHED_U32, false)
DEFINE_SCAN(scan_f32, float, w[i] == INFINITY, isnan(w[i]) || isinf(w[i]))
DEFINE_SCAN(scan_f64, double, w[i] == (double)INFINITY, isnan(w[i]) || isinf(w[i]))

static nf_status say_bad(const batch_call *c, uint64_t bad)
{
    uint64_t k = 0, at = 0, n = size_of(c->in, 0);
    while (bad - at >= n * n) {
        at += n * n;
        n = size_of(c->in, ++k);
    }
    return nf__fail(NF_EINVAL, "graph %llu: the weight of %llu -> %llu is %s", (unsigned long long)k,
                    (unsigned long long)((bad - at) / n), (unsigned long long)((bad - at) % n),
                    c->in->weight_type == NF_F32 ? (isnan(((const float *)c->in->weights)[bad]) ? "NaN" : "-infinity")
                    : isnan(((const double *)c->in->weights)[bad]) ? "NaN"
                                                                   : "-infinity");
}

/* Looks at all weights, a stretch at a time. */
#define STRETCH (UINT64_C(1) << 20)

static nf_status scan_weights(const batch_call *c, double *most_of)
{
    nf_status st = NF_OK;
    const nf_type w = c->in->weight_type;
    double most = 0;
    uint64_t bad = UINT64_MAX;
    for (uint64_t from = 0; from < c->cells; from += 64 * STRETCH) {
        const uint64_t rest = (c->cells - from - 1) / STRETCH + 1, parts = rest < 64 ? rest : 64;
        NF_TRY(nf__poll(c->ctx));
#pragma omp parallel for schedule(dynamic, 1) num_threads(nf__threads_for(c->ctx, c->cells - from)) reduction(max     \
                                                                                                              : most) \
    reduction(min                                                                                                     \
              : bad)
        for (uint64_t p = 0; p < parts; p++) {
            const uint64_t begin = from + p * STRETCH, end = begin + STRETCH < c->cells ? begin + STRETCH : c->cells;
            const double here = w == NF_I32   ? scan_i32(c->in->weights, begin, end, &bad)
                                : w == NF_U32 ? scan_u32(c->in->weights, begin, end, &bad)
                                : w == NF_F32 ? scan_f32(c->in->weights, begin, end, &bad)
                                              : scan_f64(c->in->weights, begin, end, &bad);
            most = here > most ? here : most;
        }
    }
    if (bad != UINT64_MAX)
        NF_TRY(say_bad(c, bad));
    *most_of = most;
done:
    return st;
}

/* ---- the graphs -------------------------------------------------------------------------------------------------- */

static nf_status run_small(batch_call *c, double most)
{
    const nf__backend *backend = NULL;
    void *device = NULL;
    nf__batch b = {.count = c->small,
                   .graphs = c->graphs,
                   .weight_type = c->in->weight_type,
                   .out_type = c->type,
                   .cell = nf__is_float(c->type)            ? c->type
                           : most * NF_BATCH_SMALL < NARROW ? NF_I32
                                                            : NF_I64,
                   .deterministic = (c->o.flags & NF_RUN_DETERMINISTIC) != 0,
                   .weights = c->in->weights,
                   .distances = c->distances,
                   .parents = c->o.parents};
    nf__context_pick(c->ctx, NF_APSP, "auto", &backend, &device);
    if (backend->batch == NULL)
        return nf__fail(NF_EUNSUPPORTED, "device '%s' takes no batches", backend->name);
    c->info.device = backend->name;
    const nf_status st = c->small == 0 ? NF_OK : backend->batch(c->ctx, device, &b);
    c->info.device_ms = b.device_ms;
    return st;
}

/* Keeps a copy of the cycle of the first graph that fails. */
static nf_status keep_cycle(batch_call *c, const nf_result *r)
{
    uint64_t length = 0;
    const nf_vid *cycle = nf_result_cycle(r, &length);
    if (cycle == NULL || c->info.cycle != NULL)
        return NF_OK;
    c->info.cycle = nf__alloc(c->ctx->mem, length, sizeof *cycle);
    if (c->info.cycle == NULL)
        return NF_ENOMEM;
    memcpy(c->info.cycle, cycle, length * sizeof *cycle);
    c->info.cycle_length = length;
    return NF_OK;
}

/* Is it one graph's failure? */
static bool is_own(nf_status st)
{
    return st == NF_ENEGCYCLE || st == NF_EOVERFLOW;
}

/* B2: graph k, whose elements begin at `at`. Its own failure is in *status. */
static nf_status run_alone(batch_call *c, uint64_t k, uint64_t at, nf_status *status)
{
    nf_status st = NF_OK;
    nf_graph *g = NULL;
    nf_result *r = NULL;
    const nf_vid n = size_of(c->in, k);
    nf_run_options o = {.size = sizeof o, .flags = c->o.flags, .distance_type = c->type};
    o.distances = c->distances + at * nf_type_size(c->type);
    o.parents = c->o.parents != NULL ? c->o.parents + at : NULL;
    if (o.parents == NULL)
        o.flags = 0;
    NF_TRY(nf_graph_from_matrix(c->ctx, n, n, c->in->weight_type,
                                (const char *)c->in->weights + at * nf_type_size(c->in->weight_type), NULL, &g));
    c->info.alone++;
    st = nf_apsp(c->ctx, g, &o, &r);
    *status = st;
    if (!is_own(st))
        goto done;
    st = NF_OK;
    if (c->info.failed == c->in->count) {
        c->info.failed = k;
        c->first = *status;
        snprintf(c->text, sizeof c->text, "%s", nf_last_error());
        NF_TRY(keep_cycle(c, r));
    }
done:
    nf_result_free(r);
    nf_graph_free(g);
    return st;
}

static nf_status finish_graphs(batch_call *c)
{
    nf_status st = NF_OK;
    uint64_t at = 0, i = 0;
    for (uint64_t k = 0; k < c->in->count; k++) {
        const uint64_t n = size_of(c->in, k);
        const bool small = n > 0 && n <= NF_BATCH_SMALL;
        const uint32_t found = small ? c->graphs[i].found : n == 0 ? NF__BATCH_DONE : NF__BATCH_UNSURE;
        nf_status mine = found == NF__BATCH_CYCLE ? NF_ENEGCYCLE : found == NF__BATCH_OVERFLOW ? NF_EOVERFLOW : NF_OK;
        if (found == NF__BATCH_UNSURE || (mine != NF_OK && c->info.failed == c->in->count)) { /* B2, B3 */
            NF_TRY(nf__progress(c->ctx, "batch", k, c->in->count));
            NF_TRY(run_alone(c, k, at, &mine));
        }
        if (c->o.statuses != NULL)
            c->o.statuses[k] = mine;
        i += small;
        at += n * n;
    }
done:
    return st;
}

static nf_status run_batch(batch_call *c)
{
    nf_status st = NF_OK;
    double most = 0;
    c->info.failed = c->in->count;
    NF_TRY(check_types(c));
    NF_TRY(count_cells(c));
    NF_TRY_ALLOC(c->graphs, nf__alloc(c->ctx->mem, c->small, sizeof *c->graphs));
    list_small(c);
    NF_TRY(scan_weights(c, &most));
    NF_TRY(run_small(c, most));
    NF_TRY(finish_graphs(c));
    if (c->info.failed != c->in->count)
        st = nf__fail(c->first, "graph %llu of the batch: %s", (unsigned long long)c->info.failed, c->text);
done:
    nf__free(c->graphs);
    return st;
}

nf_status nf_apsp_batch(nf_context *ctx, const nf_batch *batch, const nf_batch_options *options, void *distances,
                        nf_batch_info *info)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    batch_call c = {.in = batch, .distances = distances, .info = {.size = sizeof c.info}};
    const double start = nf__now_ms();
    NF_TAKE_OPTIONS(c.o, options);
    if (batch == NULL)
        return nf__fail(NF_EINVAL, "nf_apsp_batch: batch is NULL");
    if (info != NULL && info->size < offsetof(nf_batch_info, alone))
        return nf__fail(NF_EINVAL, "nf_apsp_batch: info->size is not set");
    NF_TRY(nf__enter(&ctx, &owned));
    c.ctx = ctx;
    st = run_batch(&c);
    c.info.total_ms = nf__now_ms() - start;
    if (info != NULL && (st == NF_OK || is_own(st))) {
        nf__hand_out(info, &c.info, sizeof c.info);
        c.info.cycle = NULL;
    }
done:
    nf__free(c.info.cycle);
    return nf__leave(ctx, owned, st);
}
