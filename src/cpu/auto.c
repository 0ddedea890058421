/* auto.c - the methods that choose methods, from statistics, with the reason in a sentence. */
#include <stdlib.h>

#include "cpu/bfs.h"
#include "cpu/cpu.h"
#include "cpu/dense.h"
#include "cpu/search.h"
#include "cpu/stepping.h"

/* ---- BFS --------------------------------------------------------------------------------------------------------- */

/* Measured on kronecker and uniform graphs of 2^20 vertices, delaunay of 2^18, one thread: a batch costs as much as
 * about 17 single searches where degrees are large (mean 32), and more than 64 where they are small (mean 6). */
#define BATCH_ROWS 24u
#define BATCH_DEGREE 12.0
/* Where no degree is above this (grids, roads, chains) levels grow too slowly for bottom-up ever to pay. */
#define BOUNDED_DEGREE 8u
/* A transpose costs as much as several searches top-down: it is made for so many rows. */
#define TRANSPOSE_ROWS 8u

/* On one thread bottom-up pays where a level soon reaches most vertices: with degrees like those of a random graph, not
 * of a lattice. Measured on 2^17 vertices, top-down / direction-optimizing: uniform with mean degree 4: 0.56, 8: 1.5,
 * 12: 3.2; kronecker (m over the vertices with arcs: 11): 1.8; few hubs (4.8): 0.64; star: 0.67; rewired ring (8,
 * variance 0.8): 0.61; delaunay (6, variance 1.8): 0.95. With two threads direction-optimizing leads on all of these.
 */
#define SPREADING_DEGREE 6.0
#define LATTICE_DEGREE 12.0
#define LATTICE_VARIANCE 0.5 /* below that share of the mean; random graphs have 1 */

static bool spreads_slowly(const nf_graph_stats *s, nf_vid n)
{
    const double linked = (double)n - (double)s->isolated, mean = s->degree_mean;
    const double variance = s->degree_deviation * s->degree_deviation;
    return mean * (double)n < SPREADING_DEGREE * linked
           || (mean < LATTICE_DEGREE && variance < LATTICE_VARIANCE * mean);
}

uint64_t nf__cpu_spare_bytes(const nf__run *run)
{
    const nf_csr *c = &run->csr;
    const uint64_t graph = ((uint64_t)c->n + 1) * (c->off32 != NULL ? 4 : 8)
                           + c->m * (sizeof(nf_vid) + (c->weights != NULL ? nf_type_size(c->weight_type) : 0));
    return graph / 2 + 16 * (uint64_t)c->n;
}

static const nf__algorithm *choose_bfs(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    const unsigned long long rows = run->rows, most = s->degree_max;
    const bool reversible =
        !run->graph->directed || atomic_load(&run->graph->transpose_ready) != 0 || rows >= TRANSPOSE_ROWS;
    if (rows >= BATCH_ROWS && s->degree_mean >= BATCH_DEGREE && !run->want_parents
        && nf__bfs_bits_bytes(run, 1) <= nf__cpu_spare_bytes(run)) {
        snprintf(run->reason, sizeof run->reason,
                 "%llu sources (>= %u), mean degree %.3g (>= %g), no parents: one look at an arc serves 64 sources",
                 rows, BATCH_ROWS, s->degree_mean, BATCH_DEGREE);
        return &nf__cpu_bfs_bits;
    }
    if (most <= 1 || (most == 2 && !run->graph->directed)) {
        snprintf(run->reason, sizeof run->reason, "largest degree %llu: a level has at most two vertices of a chain",
                 most);
        return &nf__cpu_bfs_serial;
    }
    if (most > BOUNDED_DEGREE && reversible && nf__context_threads(run->ctx) == 1 && spreads_slowly(s, run->csr.n)) {
        snprintf(run->reason, sizeof run->reason,
                 "one thread; mean degree %.3g, deviation %.3g: levels spread too slowly for bottom-up to pay",
                 s->degree_mean, s->degree_deviation);
        return &nf__cpu_bfs_top_down;
    }
    if (most <= BOUNDED_DEGREE || !reversible) {
        if (most <= BOUNDED_DEGREE)
            snprintf(run->reason, sizeof run->reason,
                     "largest degree %llu (<= %u): frontiers stay small, bottom-up never pays", most, BOUNDED_DEGREE);
        else
            snprintf(run->reason, sizeof run->reason,
                     "directed without a transpose, %llu source%s (< %u), m = %llu: making one would cost more", rows,
                     rows == 1 ? "" : "s", TRANSPOSE_ROWS, (unsigned long long)run->csr.m);
        return &nf__cpu_bfs_top_down;
    }
    snprintf(run->reason, sizeof run->reason,
             "largest degree %llu (> %u), mean %.3g, %llu source%s: levels may outgrow "
             "what is left",
             most, BOUNDED_DEGREE, s->degree_mean, rows, rows == 1 ? "" : "s");
    return &nf__cpu_bfs_direction;
}

/* ---- SSSP and APSP ----------------------------------------------------------------------------------------------- */

/* Delta-stepping leads on kronecker, uniform, grid, delaunay and road graphs at one thread (docs/results/cpu.md). Its
 * buckets rest on the mean weight, so weights that few arcs dominate go to a queue that does not care; where "few"
 * begins was not measured. */
#define HEAVY_TAIL 65536.0
/* Weights without a common scale, where most are far below the mean: no one width fits them. delta-stepping / stepping,
 * weights spread evenly over the decades up to 10^2 (the mean is 2.2 medians), 10^3 (4.6), 10^4 (11), 10^6 (72): kron
 * 16, one thread: 1.0, 1.1, 1.2, 2.3; uniform, m = 1.6 million, two threads: 1.3, 2.6, 3.6, 5.0. Where weights are even
 * or a road map's (the mean is 1 to 1.5 medians) delta-stepping leads, by up to 1.9. */
#define SKEWED 3.0
#define SAMPLE 255u /* arcs whose weights are looked at */
/* One vertex with so large a share of the arcs is near all others: a few rounds. */
#define HUB_SHARE 0.25

/* A graph whose labels are set once, whatever the order: the queue that does least is the best. Times of delta-stepping
 * and of the method taken, one thread: chain of 60,000 vertices 3.4 and 1.0 ms, binary tree of 100,000 2.8 and 1.4 ms,
 * star of 300,000 8.3 and 3.3 ms. Targets and cutoffs stop delta-stepping early, so they keep it. */
static const nf__algorithm *choose_for_tree(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    const unsigned long long n = run->csr.n, m = run->csr.m, most = s->degree_max;
    const bool directed = run->graph->directed;
    if (most <= 1 || (most == 2 && !directed)) {
        snprintf(run->reason, sizeof run->reason, "largest degree %llu: at most two vertices of a chain wait at a time",
                 most);
        return &nf__cpu_sssp_dijkstra_4ary;
    }
    if (directed || m + 2 > 2 * n || run->targets != NULL || run->has_cutoff)
        return NULL;
    if ((double)most >= HUB_SHARE * (double)m) {
        snprintf(run->reason, sizeof run->reason,
                 "undirected, m = %llu <= 2 (n - 1), largest degree %llu: as many arcs as a star has, a few rounds do",
                 m, most);
        return &nf__cpu_sssp_workfront;
    }
    snprintf(run->reason, sizeof run->reason,
             "undirected, m = %llu <= 2 (n - 1): no more arcs than a tree has, so labels seldom fall twice", m);
    return &nf__cpu_sssp_bellman_ford_frontier;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of some weights, evenly spaced among the arcs; with few arcs, or none weighted, the mean. */
static double median_weight(const nf__run *run)
{
    const nf_csr *c = &run->csr;
    double some[SAMPLE];
    if (c->weight_type == NF_NONE || c->m < SAMPLE)
        return run->stats.weight_mean;
    for (unsigned i = 0; i < SAMPLE; i++) {
        const nf_eid e = c->m / SAMPLE * i;
        switch (c->weight_type) {
        case NF_I32: some[i] = ((const int32_t *)c->weights)[e]; break;
        case NF_U32: some[i] = ((const uint32_t *)c->weights)[e]; break;
        case NF_F32: some[i] = (double)((const float *)c->weights)[e]; break;
        default: some[i] = ((const double *)c->weights)[e]; break;
        }
    }
    qsort(some, SAMPLE, sizeof *some, by_size);
    return some[SAMPLE / 2];
}

static const nf__algorithm *choose_sssp(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    const bool sorted = run->graph->directed && s->forward == run->csr.m;
    if (s->weight_sign < 0) {
        snprintf(run->reason, sizeof run->reason, "negative weights (the least is %.6g)%s", s->weight_min,
                 sorted ? "; every arc leads to a larger number, so one round does" : "");
        return sorted ? &nf__cpu_sssp_bellman_ford : &nf__cpu_sssp_bellman_ford_frontier;
    }
    const nf__algorithm *tree = choose_for_tree(run);
    if (tree != NULL)
        return tree;
    if (sorted) {
        snprintf(run->reason, sizeof run->reason,
                 "every arc leads to a larger number: long chains below short cuts would pass wide buckets many times");
        return &nf__cpu_sssp_dijkstra_radix;
    }
    const double median = median_weight(run);
    if (s->weight_mean > SKEWED * median) {
        snprintf(run->reason, sizeof run->reason,
                 "the mean weight, %.6g, is far above the median of a sample, %.6g: widths follow the labels",
                 s->weight_mean, median);
        return &nf__cpu_sssp_stepping;
    }
    if (s->weight_max > HEAVY_TAIL * s->weight_mean) {
        snprintf(run->reason, sizeof run->reason, "the largest weight, %.6g, is far above the mean, %.6g",
                 s->weight_max, s->weight_mean);
        return &nf__cpu_sssp_dijkstra_radix;
    }
    snprintf(run->reason, sizeof run->reason,
             "no negative weights; mean weight %.6g, degrees %.3g with deviation %.3g: delta %.6g", s->weight_mean,
             s->degree_mean, s->degree_deviation, nf__delta_of(run));
    return &nf__cpu_sssp_delta_stepping;
}

/* Seconds a thread takes for one step of the register-tiled loops in 32 bits (64 take twice that), and for one vertex
 * and one arc of a run from one source; weights above WIDE slow the runs down, as their queues hold fewer equal labels.
 * Of further threads the runs gain RUNS_GAIN each, the loops n / LOOPS_WHOLE: small matrices have few tiles to share.
 * Fitted on an AMD EPYC with AVX-512 to `nearfar bench cpu --auto-check` (n = 400 to 1,000) and n = 4,096 with 130,000
 * arcs: within 1.5 of each measured time. */
#define DENSE_STEP 3.5e-11
#define SPARSE_VERTEX 14e-9
#define SPARSE_ARC 0.6e-9
#define WIDE 4096.0
#define WIDE_FACTOR 2.0
#define RUNS_GAIN 0.8
#define LOOPS_WHOLE 2048.0

static double seconds_of_loops(const nf__run *run, bool narrow)
{
    const double n = run->csr.n, more = nf__context_threads(run->ctx) - 1;
    return n * n * n * DENSE_STEP * (narrow ? 1 : 2) / (1 + fmin(1, n / LOOPS_WHOLE) * more);
}

static double seconds_of_runs(const nf__run *run)
{
    const double n = (double)run->csr.n - (double)run->stats.isolated, m = (double)run->csr.m;
    const double more = nf__context_threads(run->ctx) - 1, wide = run->stats.weight_max > WIDE ? WIDE_FACTOR : 1;
    return n * (n * SPARSE_VERTEX + m * SPARSE_ARC) * wide / (1 + RUNS_GAIN * more);
}

bool nf__cpu_loops_pay(const nf__run *run)
{
    const double top = fmax(fabs(run->stats.weight_min), fabs(run->stats.weight_max));
    const bool narrow = run->work_type == NF_F32 || (run->work_type == NF_I64 && top * run->csr.n < 0x1p29);
    return seconds_of_loops(run, narrow) < seconds_of_runs(run);
}

/* Runs from every vertex take about n (n + m) steps, Floyd-Warshall in blocks n^3 that are far cheaper; it needs the
 * matrix, too, even where the result is not kept. */
static const nf__algorithm *choose_apsp(nf__run *run)
{
    const double n = run->csr.n, m = (double)run->csr.m;
    const bool loops = nf__cpu_loops_pay(run);
    nf__mem *mem = nf__context_mem(run->ctx);
    const bool fits = nf__mem_foresee(mem, (uint64_t)(n * n) * 8, "the matrix") == NF_OK;
    if (run->file != NULL) {
        snprintf(run->reason, sizeof run->reason,
                 "the result goes to a file: n^2 = %.6g distances, %llu bytes of memory", n * n,
                 (unsigned long long)nf__mem_room(mem));
        return &nf__cpu_apsp_streamed;
    }
    const bool spares = nf__dense_bytes(run) <= nf__cpu_spare_bytes(run);
    if (loops && fits && spares) {
        snprintf(run->reason, sizeof run->reason,
                 "density %.3g, n = %.0f: n^3 = %.3g tiled steps cost less than n (n + m) = %.3g", run->stats.density,
                 n, n * n * n, n * (n + m));
        return &nf__cpu_apsp_blocked_floyd_warshall;
    }
    snprintf(run->reason, sizeof run->reason,
             "density %.3g, n = %.0f: n (n + m) = %.3g steps %s n^3 = %.3g tiled ones%s", run->stats.density, n,
             n * (n + m),
             !loops  ? "cost less than"
             : !fits ? "need no matrix, unlike"
                     : "need less memory than",
             n * n * n, run->stats.weight_sign < 0 ? "; negative weights" : "");
    return run->stats.weight_sign < 0 ? &nf__cpu_apsp_johnson_parallel : &nf__cpu_apsp_n_sssp;
}

/* ---- between two vertices ---------------------------------------------------------------------------------------- */

/* From both ends where that needs no transpose, has one or has paid for one: making it costs more than a search that
 * does without. */
static const nf__algorithm *choose_path(nf__run *run)
{
    const nf_graph *g = run->graph;
    const bool plain = run->csr.weight_type == NF_NONE, ready = !g->directed || atomic_load(&g->transpose_ready) != 0;
    const uint64_t bytes = (uint64_t)run->csr.m * (sizeof(nf_vid) + nf_type_size(g->csr.weight_type)) * 2;
    const bool both =
        ready || (nf__search_pays(run) && nf__mem_foresee(nf__context_mem(run->ctx), bytes, "a transpose") == NF_OK);
    if (!both)
        snprintf(run->reason, sizeof run->reason,
                 "directed without a transpose, m = %llu: making one would cost more than a search from the source",
                 (unsigned long long)run->csr.m);
    else
        snprintf(run->reason, sizeof run->reason, "%s, %s: from both ends",
                 plain ? "every arc counts 1" : "no negative weights",
                 !g->directed ? "undirected"
                 : ready      ? "its transpose is at hand"
                              : "enough was searched from one end to pay for a transpose");
    if (plain)
        return both ? &nf__cpu_path_bidirectional_bfs : &nf__cpu_path_one_way_bfs;
    return both ? &nf__cpu_path_bidirectional : &nf__cpu_path_one_way;
}

#define AUTO_INFO(which, more)                                                                                      \
    {                                                                                                               \
        .name = "auto", .problem = which, .device = "cpu", .summary = "chooses from the graph's statistics",        \
        .paper = "", .memory = "half the graph's own bytes + 16 n", .flags = NF_ALG_AUTO | NF_ALG_NEGATIVE | (more) \
    }

const nf__algorithm nf__cpu_bfs_auto = {.info = AUTO_INFO(NF_BFS, 0), .choose = choose_bfs};
const nf__algorithm nf__cpu_sssp_auto = {.info = AUTO_INFO(NF_SSSP, 0), .choose = choose_sssp};
const nf__algorithm nf__cpu_apsp_auto = {.info = AUTO_INFO(NF_APSP, NF_ALG_ROUNDED), .choose = choose_apsp};
const nf__algorithm nf__cpu_path_auto = {.info = AUTO_INFO(NF_PATH, 0), .choose = choose_path};
