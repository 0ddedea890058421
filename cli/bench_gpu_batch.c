/* bench_gpu_batch.c - many small graphs in one call (nf_apsp_batch), on a device and on the CPU: the part `batch` of
 * the suite `gpu-apsp`.
 *
 * BATCH graphs, fewer below scale 14, of 16, 32 and 64 vertices, a quarter of the arcs there, weights 1..255, in i32
 * and f32, with and without parents. A time is the least of the runs: of the device by its own clock, and of the whole
 * call, copies included. Steps are n^3 for each graph.
 * Invariant: B1 (bench.h): distances are those of the CPU, byte for byte (these f32 are whole numbers).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define BATCH 10000u
#define WIDTH 4u /* bytes of a weight, and of a distance */

/* One size and type. */
typedef struct lot {
    bench *b;
    nf_batch batch;
    uint64_t cells; /* of all graphs */
    void *weights, *got, *want;
    nf_vid *parents;
} lot;

static void drop_lot(lot *l)
{
    free(l->weights);
    free(l->got);
    free(l->want);
    free(l->parents);
}

static bool make_lot(lot *l, nf_vid n, nf_type type)
{
    const unsigned less = l->b->scale < 14 ? 14 - l->b->scale : 0;
    uint64_t seed = l->b->seed + n;
    l->batch = (nf_batch){.count = less < 13 ? BATCH >> less : 1, .n = n, .weight_type = type};
    l->cells = l->batch.count * n * n;
    l->weights = malloc(l->cells * WIDTH);
    l->got = malloc(l->cells * WIDTH);
    l->want = malloc(l->cells * WIDTH);
    l->parents = malloc(l->cells * sizeof *l->parents);
    if (l->weights == NULL || l->got == NULL || l->want == NULL || l->parents == NULL)
        return false;
    for (uint64_t i = 0; i < l->cells; i++) {
        const bool arc = bench_draw(&seed, 4) == 0;
        const int32_t w = 1 + (int32_t)bench_draw(&seed, 255);
        if (type == NF_I32)
            ((int32_t *)l->weights)[i] = arc ? w : NF_UNREACHED_I32;
        else
            ((float *)l->weights)[i] = arc ? (float)w : INFINITY;
    }
    l->batch.weights = l->weights;
    return true;
}

/* Least times of a context, ms: of the device, and of the call. */
static nf_status time_lot(lot *l, nf_context *ctx, void *distances, nf_vid *parents, double ms[2])
{
    const nf_batch_options o = {.size = sizeof o, .distance_type = l->batch.weight_type, .parents = parents};
    nf_status st = NF_OK;
    ms[0] = ms[1] = (double)INFINITY;
    for (unsigned k = 0; st == NF_OK && k <= l->b->repeats; k++) { /* run 0 warms up */
        nf_batch_info info = {.size = sizeof info};
        st = nf_apsp_batch(ctx, &l->batch, &o, distances, &info);
        if (k > 0 || l->b->repeats == 0) {
            ms[0] = fmin(ms[0], info.device_ms);
            ms[1] = fmin(ms[1], info.total_ms);
        }
    }
    return st;
}

static nf_status add_lot(lot *l, nf_context *ctx, nf_context *cpu, bool parents, bench_table *t)
{
    double ours[2], theirs[2];
    nf_vid *tree = parents ? l->parents : NULL;
    nf_status st = time_lot(l, cpu, l->want, tree, theirs);
    if (st == NF_OK)
        st = time_lot(l, ctx, l->got, tree, ours);
    if (st != NF_OK || !bench_row(t))
        return st;
    const double n = l->batch.n, steps = (double)l->batch.count * n * n * n;
    const bool wrong = memcmp(l->got, l->want, l->cells * WIDTH) != 0;
    l->b->wrong |= wrong;
    bench_number(t, (double)l->batch.count, 0);
    bench_number(t, n, 0);
    bench_text(t, "%s", nf_type_name(l->batch.weight_type));
    bench_text(t, parents ? "yes" : "no");
    if (wrong)
        bench_text(t, "wrong");
    else
        bench_number(t, ours[0], 3);
    bench_number(t, ours[1], 3);
    bench_number(t, steps / ours[0] * 1e-9, 3);
    bench_number(t, theirs[1], 3);
    bench_number(t, theirs[1] / ours[1], 2);
    bench_say_row(l->b, t);
    return NF_OK;
}

int bench_gpu_batch(bench *b, nf_context *ctx, nf_context *cpu)
{
    static const char *const columns[] = {"graphs",       "n",      "weights", "parents", "ms on the device", "ms",
                                          "1e12 steps/s", "CPU ms", "x CPU"};
    static const nf_vid sizes[] = {16, 32, 64};
    static const nf_type types[] = {NF_I32, NF_F32};
    bench_table *t =
        bench_table_add(b, "batch", "Many small graphs in one call", columns, sizeof columns / sizeof *columns);
    nf_status st = NF_OK;
    for (size_t i = 0; st == NF_OK && i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; st == NF_OK && k < sizeof types / sizeof *types; k++) {
            lot l = {.b = b};
            st = make_lot(&l, sizes[i], types[k]) ? NF_OK : NF_ENOMEM;
            for (int parents = 0; st == NF_OK && parents < 2; parents++)
                st = cli_interrupted() ? NF_ECANCELLED : add_lot(&l, ctx, cpu, parents != 0, t);
            drop_lot(&l);
        }
    return st == NF_OK ? CLI_OK : cli_fail(b->app, st);
}
