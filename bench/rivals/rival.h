/* rival.h - what the programs around other libraries share: reading a GAP .wsg file and printing times.
 *
 * A rival is called as `rival bfs|sssp GRAPH.wsg THREADS SOURCE...` and prints one line for each source: milliseconds
 * of the search alone, vertices reached, sum of their distances. The file is GAP's serialised weighted graph: a byte
 * that says whether it is directed, 64-bit numbers of arcs and vertices, 64-bit offsets, (target, weight) pairs.
 */
#ifndef NF_BENCH_RIVAL_H
#define NF_BENCH_RIVAL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct rival_graph {
    int64_t n, m;
    int64_t *off;
    int32_t *pair; /* target, weight, target, weight, ... */
} rival_graph;

static inline double rival_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline int rival_read(const char *path, rival_graph *g)
{
    unsigned char directed = 0;
    FILE *f = fopen(path, "rb");
    memset(g, 0, sizeof *g);
    if (f == NULL || fread(&directed, 1, 1, f) != 1 || fread(&g->m, 8, 1, f) != 1 || fread(&g->n, 8, 1, f) != 1)
        return 0;
    g->off = (int64_t *)malloc((size_t)(g->n + 1) * sizeof *g->off);
    g->pair = (int32_t *)malloc((size_t)g->m * 2 * sizeof *g->pair);
    const int good = g->off != NULL && g->pair != NULL && fread(g->off, 8, (size_t)g->n + 1, f) == (size_t)g->n + 1
                     && fread(g->pair, 8, (size_t)g->m, f) == (size_t)g->m;
    fclose(f);
    return good;
}

static inline void rival_print(double ms, uint64_t reached, double sum)
{
    printf("%.4f %llu %.0f\n", ms, (unsigned long long)reached, sum);
}

#endif
