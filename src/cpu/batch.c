/* batch.c - all pairs of many small graphs, threads over graphs (nf_apsp_batch on the CPU).
 *
 * Floyd 1962, Warshall 1962, on a matrix that stays in the first-level cache.
 * Invariants
 *   B1 before step k a negative d[k][k] is the first trace of a negative cycle: without one, every cell is the length
 *      of a path and no larger than n weights. Integers end there; floats, where rounding may do it, leave it to the
 *      core, and so do parents that are no tree;
 *   B2 row and column k do not change in step k;
 *   B3 the deterministic parents of a row: breadth first over tight arcs, sets of vertices as 64 bits. In floats a row
 *      whose tight arcs do not reach all keeps the parents of the loops.
 * Cost: n^3 steps a graph, as many again for deterministic parents; memory: 69,632 bytes a thread.
 */
#include <omp.h>

#include "cpu/cpu.h"

#define SMALL NF_BATCH_SMALL
#define NOBODY UINT8_MAX
#define POLL_EVERY 16 /* graphs a thread makes between looks */

typedef struct bench {
    _Alignas(64) char cells[SMALL * SMALL * 8];   /* of the cell type */
    _Alignas(64) char weights[SMALL * SMALL * 8]; /* the same, as it was */
    uint8_t pred[SMALL * SMALL];
} bench;

#define COPY_WEIGHTS(T, NO_ARC)                                    \
    do {                                                           \
        const T *w = (const T *)b->weights + g->at;                \
        for (unsigned i = 0; i < g->n * g->n; i++)                 \
            to[i] = w[i] == (NO_ARC) ? NONE : (D)((D)w[i] + (D)0); \
    } while (0)

/* Does every chain of a row's parents end at its source? */
static bool is_tree(const uint8_t *pred, unsigned n, unsigned source)
{
    uint64_t known = UINT64_C(1) << source;
    for (unsigned v = 0; v < n; v++) {
        uint64_t way = 0;
        unsigned u = v;
        if (pred[v] == NOBODY)
            continue;
        for (; (known >> u & 1) == 0; u = pred[u]) {
            if (pred[u] == NOBODY || (way >> u & 1) != 0)
                return false;
            way |= UINT64_C(1) << u;
        }
        known |= way;
    }
    return true;
}

#define NARROW_CELLS(T, LOW, UNREACHED)                                                              \
    do {                                                                                             \
        T *to = (T *)b->distances + g->at;                                                           \
        for (unsigned i = 0; i < cells; i++) {                                                       \
            const int64_t d = (int64_t)from[i];                                                      \
            const bool none = from[i] > NONE / 2;                                                    \
            fits = fits && (none || (d >= (LOW) && (d < 0 || (uint64_t)d < (uint64_t)(UNREACHED)))); \
            to[i] = none ? (UNREACHED) : (T)d;                                                       \
        }                                                                                            \
    } while (0)

/* Hands the cells out; what is wrong with them, or NF__BATCH_DONE. */
#define DEFINE_STORE_INTEGERS                                                          \
    static uint32_t NAME(store)(const nf__batch *b, const nf__batch_graph *g, D *from) \
    {                                                                                  \
        const unsigned cells = g->n * g->n;                                            \
        bool fits = true;                                                              \
        switch (b->out_type) {                                                         \
        case NF_I32: NARROW_CELLS(int32_t, INT32_MIN, NF_UNREACHED_I32); break;        \
        case NF_U32: NARROW_CELLS(uint32_t, 0, NF_UNREACHED_U32); break;               \
        case NF_U64: NARROW_CELLS(uint64_t, 0, NF_UNREACHED_U64); break;               \
        default: NARROW_CELLS(int64_t, INT64_MIN, NF_UNREACHED_I64); break;            \
        }                                                                              \
        return fits ? NF__BATCH_DONE : NF__BATCH_OVERFLOW;                             \
    }

#define DEFINE_STORE_REALS                                                               \
    static uint32_t NAME(store)(const nf__batch *b, const nf__batch_graph *g, D *from)   \
    {                                                                                    \
        const unsigned cells = g->n * g->n;                                              \
        bool sure = true;                                                                \
        for (unsigned i = 0; i < cells; i++)                                             \
            sure = sure && !(from[i] == -NONE) && !(i % (g->n + 1) == 0 && from[i] < 0); \
        memcpy((D *)b->distances + g->at, from, cells * sizeof *from);                   \
        return sure ? NF__BATCH_DONE : NF__BATCH_UNSURE;                                 \
    }

#define D int32_t
#define NAME(x) x##_i32
#define NONE NF__BATCH_NONE_I32
#define IS_NONE(d) ((d) > NONE / 2)
#define BROKEN NF__BATCH_CYCLE
DEFINE_STORE_INTEGERS
#include "cpu/batch_body.h"

#define D int64_t
#define NAME(x) x##_i64
#define NONE NF__BATCH_NONE_I64
#define IS_NONE(d) ((d) > NONE / 2)
#define BROKEN NF__BATCH_CYCLE
DEFINE_STORE_INTEGERS
#include "cpu/batch_body.h"

#define D float
#define NAME(x) x##_f32
#define NONE INFINITY
#define IS_NONE(d) ((d) == NONE)
#define BROKEN NF__BATCH_UNSURE
DEFINE_STORE_REALS
#include "cpu/batch_body.h"

#define D double
#define NAME(x) x##_f64
#define NONE ((double)INFINITY)
#define IS_NONE(d) ((d) == NONE)
#define BROKEN NF__BATCH_UNSURE
DEFINE_STORE_REALS
#include "cpu/batch_body.h"

static uint32_t solve(const nf__batch *b, const nf__batch_graph *g, bench *w)
{
    switch (b->cell) {
    case NF_I32: return solve_i32(b, g, w);
    case NF_I64: return solve_i64(b, g, w);
    case NF_F32: return solve_f32(b, g, w);
    default: return solve_f64(b, g, w);
    }
}

nf_status nf__cpu_batch(nf_context *ctx, void *device, nf__batch *b)
{
    nf_status st = NF_OK; /* of the thread that called */
    const uint64_t wanted = (uint64_t)nf__context_threads(ctx);
    const int threads = (int)(wanted < b->count ? wanted : b->count);
    bench *benches = NULL;
    bool stop = false;
    (void)device;
    NF_TRY_ALLOC(benches, nf__alloc(nf__context_mem(ctx), (uint64_t)threads, sizeof *benches));
    NF_TRY(nf__progress(ctx, "batch", 0, b->count));
#pragma omp parallel for schedule(dynamic, POLL_EVERY) num_threads(threads)
    for (uint64_t i = 0; i < b->count; i++) {
        bool stopped;
        if (i % POLL_EVERY == 0 && omp_get_thread_num() == 0
            && (st = nf__progress(ctx, "batch", i, b->count)) != NF_OK) {
#pragma omp atomic write
            stop = true;
        }
#pragma omp atomic read
        stopped = stop;
        if (!stopped)
            b->graphs[i].found = solve(b, &b->graphs[i], &benches[omp_get_thread_num()]);
    }
done:
    nf__free(benches);
    return st;
}
