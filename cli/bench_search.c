/* bench_search.c - one search of ours, timed, hashed and, where asked, held against the Graph500's rules.
 *
 * The hash of a distance vector is the sum of a mix of (place, distance) over the reached places: it does not depend on
 * the order in which a rival goes through them, and bench/rivals/rival.h has the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "check.h"

uint64_t bench_hash(uint64_t hash, uint64_t at, double distance)
{
    uint64_t bits;
    if (distance == floor(distance) && fabs(distance) < 0x1p53)
        bits = (uint64_t)(int64_t)distance;
    else
        memcpy(&bits, &distance, sizeof bits);
    uint64_t x = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ at * UINT64_C(0xc2b2ae3d27d4eb4f);
    x = (x ^ x >> 32) * UINT64_C(0x165667b19e3779f9);
    return hash + (x ^ x >> 29);
}

/* The part of a row from `from` on, of any type; unreached places are left out. */
#define HASH_ROW(T, UNREACHED)                                          \
    for (uint64_t v = 0; v < n; v++)                                    \
        if (((const T *)d)[v] != (UNREACHED)) {                         \
            reached++;                                                  \
            hash = bench_hash(hash, at + v, (double)((const T *)d)[v]); \
        }

void bench_hash_row(bench_answer *a, const void *d, nf_type type, bool hops, uint64_t at, uint64_t n)
{
    uint64_t hash = a->hash, reached = a->reached;
    if (hops) {
        HASH_ROW(int32_t, NF_NO_HOP)
    } else if (type == NF_I32) {
        HASH_ROW(int32_t, NF_UNREACHED_I32)
    } else if (type == NF_I64) {
        HASH_ROW(int64_t, NF_UNREACHED_I64)
    } else if (type == NF_F32) {
        HASH_ROW(float, INFINITY)
    } else if (type == NF_F64) {
        HASH_ROW(double, (double)INFINITY)
    }
    a->hash = hash;
    a->reached = reached;
}

static nf_status start(nf_context *ctx, const nf_graph *graph, nf_problem problem, nf_vid source,
                       const nf_run_options *o, nf_result **r)
{
    switch (problem) {
    case NF_BFS: return nf_bfs(ctx, graph, source, o, r);
    case NF_SSSP: return nf_sssp(ctx, graph, source, o, r);
    case NF_APSP:
    default: return nf_apsp(ctx, graph, o, r);
    }
}

/* Time, counters and hash of a result. */
static void take_answer(const nf_result *r, const nf_run_info *info, bench_answer *out)
{
    nf_row_info all = {.size = sizeof all};
    const bool hops = info->problem == NF_BFS;
    out->ms = info->device_ms > 0 ? info->device_ms : info->run_ms;
    out->iterations = info->iterations, out->edges = info->edges_relaxed;
    nf_result_row_info(r, NF_ALL_ROWS, &all);
    out->sum = all.sum;
    snprintf(out->chosen, sizeof out->chosen, "%s", info->algorithm);
    snprintf(out->reason, sizeof out->reason, "%s", info->reason);
    for (uint64_t row = 0; row < info->rows; row++)
        bench_hash_row(out, hops ? (const void *)nf_result_hops(r, row) : nf_result_distances(r, row), info->type, hops,
                       row * info->n, info->n);
}

nf_status bench_search_as(nf_context *ctx, const nf_graph *graph, nf_problem problem, nf_vid source,
                          const bench_how *how, bench_answer *out)
{
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = how->algorithm,
                              .flags = how->flags,
                              .knobs = how->knobs,
                              .knob_count = how->knob_count};
    nf_run_info info = {.size = sizeof info};
    nf_check_report report = {.ok = true};
    nf_result *r = NULL;
    nf_status st = start(ctx, graph, problem, source, &o, &r);
    *out = (bench_answer){.ms = 0};
    if (st == NF_OK)
        st = nf_result_info(r, &info);
    if (st == NF_OK)
        take_answer(r, &info, out);
    if (st == NF_OK && how->check)
        st = nf_check_bfs(ctx, graph, r, 0, NULL, &report);
    out->broken = !report.ok;
    nf_result_free(r);
    return st;
}

nf_status bench_search(nf_context *ctx, const nf_graph *graph, nf_problem problem, nf_vid source, const char *algorithm,
                       uint32_t flags, bench_answer *out)
{
    const bench_how how = {.algorithm = algorithm, .flags = flags};
    return bench_search_as(ctx, graph, problem, source, &how, out);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
