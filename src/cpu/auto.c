/* auto.c - the methods that choose methods, from statistics, with the reason in a sentence. */
#include "cpu/bfs.h"
#include "cpu/cpu.h"

/* ---- BFS --------------------------------------------------------------------------------------------------------- */

/* Measured on kronecker and uniform graphs of 2^20 vertices, delaunay of 2^18, one thread: a batch costs as much as
 * about 17 single searches where degrees are large (mean 32), and more than 64 where they are small (mean 6). */
#define BATCH_ROWS 24u
#define BATCH_DEGREE 12.0
/* Where no degree is above this (grids, roads, chains) levels grow too slowly for bottom-up ever to pay. */
#define BOUNDED_DEGREE 8u
/* A transpose costs as much as several searches top-down: it is made for so many rows. */
#define TRANSPOSE_ROWS 8u

static const nf__algorithm *choose_bfs(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    const unsigned long long rows = run->rows, most = s->degree_max;
    const bool reversible =
        !run->graph->directed || atomic_load(&run->graph->transpose_ready) != 0 || rows >= TRANSPOSE_ROWS;
    if (rows >= BATCH_ROWS && s->degree_mean >= BATCH_DEGREE && !run->want_parents
        && nf__bfs_bits_bytes(run, 1) <= nf__bfs_spare_bytes(run)) {
        snprintf(run->reason, sizeof run->reason,
                 "%llu sources (>= %u), mean degree %.3g (>= %g), no parents: one look at an arc serves 64 sources",
                 rows, BATCH_ROWS, s->degree_mean, BATCH_DEGREE);
        return &nf__cpu_bfs_bits;
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

static const nf__algorithm *choose_sssp(nf__run *run)
{
    const bool negative = run->stats.weight_sign < 0;
    snprintf(run->reason, sizeof run->reason, "%s weights (the least is %.6g)", negative ? "negative" : "no negative",
             run->stats.weight_min);
    return negative ? &nf__cpu_sssp_bellman_ford : &nf__cpu_sssp_dijkstra;
}

/* Johnson's n heap runs cost about n (n + m) log2 n, Floyd and Warshall's loops n^3 simpler steps. */
static const nf__algorithm *choose_apsp(nf__run *run)
{
    const double n = run->csr.n, m = (double)run->csr.m;
    const double heaps = n * (n + m) * log2(n + 2), loops = n * n * n;
    const bool dense = heaps > loops;
    snprintf(run->reason, sizeof run->reason, "density %.3g: n^3 = %.3g steps %s n (n + m) log n = %.3g",
             run->stats.density, loops, dense ? "<" : ">=", heaps);
    return dense ? &nf__cpu_apsp_floyd_warshall : &nf__cpu_apsp_johnson;
}

#define AUTO_INFO(which, more)                                                                               \
    {                                                                                                        \
        .name = "auto", .problem = which, .device = "cpu", .summary = "chooses from the graph's statistics", \
        .paper = "", .memory = "that of the method chosen", .flags = NF_ALG_AUTO | NF_ALG_NEGATIVE | (more)  \
    }

const nf__algorithm nf__cpu_bfs_auto = {.info = AUTO_INFO(NF_BFS, 0), .choose = choose_bfs};
const nf__algorithm nf__cpu_sssp_auto = {.info = AUTO_INFO(NF_SSSP, 0), .choose = choose_sssp};
const nf__algorithm nf__cpu_apsp_auto = {.info = AUTO_INFO(NF_APSP, NF_ALG_ROUNDED), .choose = choose_apsp};
