/* rival.h - what the programs around other libraries share: reading the graph, answering questions, hashing distances.
 *
 * `rival --version` prints the library's name and version. `rival GRAPH.wsg` loads the graph, prints "ready", and then
 * answers each line "PROBLEM THREADS SOURCE" on its standard input (bfs, sssp; apsp and dense without a source, written
 * 0) with a line "MS REACHED HASH": the time of the search alone in milliseconds, the vertices (or pairs) reached and
 * the hash of their distances; or with "no" where the library has no such search. The end of its input is its own.
 * The file is GAP's serialised weighted graph: a byte that says whether it is directed, 64-bit numbers of arcs and
 * vertices, 64-bit offsets, (target, weight) pairs. A C++ program must be able to include this header.
 */
#ifndef NF_BENCH_RIVAL_H
#define NF_BENCH_RIVAL_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct rival_graph {
    int64_t n, m;
    int directed;
    int64_t *off;
    int32_t *pair; /* target, weight, target, weight, ... */
} rival_graph;

typedef struct rival_answer {
    double ms;
    uint64_t reached, hash;
} rival_answer;

/* Fills the answer; 0: there is no such search. */
typedef int (*rival_search)(void *graph, const char *problem, int threads, uint32_t source, rival_answer *answer);

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
    g->directed = directed;
    g->off = (int64_t *)malloc((size_t)(g->n + 1) * sizeof *g->off);
    g->pair = (int32_t *)malloc((size_t)g->m * 2 * sizeof *g->pair);
    const int good = g->off != NULL && g->pair != NULL && fread(g->off, 8, (size_t)g->n + 1, f) == (size_t)g->n + 1
                     && fread(g->pair, 8, (size_t)g->m, f) == (size_t)g->m;
    fclose(f);
    return good;
}

/* One reached vertex, or pair at place row * n + column, into the answer. */
static inline void rival_add(rival_answer *a, uint64_t at, int64_t distance)
{
    uint64_t x = ((uint64_t)distance + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ at * UINT64_C(0xc2b2ae3d27d4eb4f);
    x = (x ^ x >> 32) * UINT64_C(0x165667b19e3779f9);
    a->hash += x ^ x >> 29;
    a->reached++;
}

static inline int rival_serve(void *graph, rival_search search)
{
    char line[256], problem[16];
    int threads;
    unsigned source;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        rival_answer a = {0, 0, 0};
        if (sscanf(line, "%15s %d %u", problem, &threads, &source) == 3 && search(graph, problem, threads, source, &a))
            printf("%.6f %" PRIu64 " %" PRIu64 "\n", a.ms, a.reached, a.hash);
        else
            printf("no\n");
        fflush(stdout);
    }
    return 0;
}

#endif
