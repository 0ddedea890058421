/* auto.c - the methods that choose methods, from statistics, with the reason in a sentence. */
#include "cpu/cpu.h"

static const nf__algorithm *choose_bfs(nf__run *run)
{
    snprintf(run->reason, sizeof run->reason, "the one BFS of this device");
    return &nf__cpu_bfs_serial;
}

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
