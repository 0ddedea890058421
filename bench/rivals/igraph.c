/* igraph.c - igraph's distances: unweighted, by Dijkstra (also for all pairs), by Floyd-Warshall; see rival.h. */
#include <igraph/igraph.h>

#include "rival.h"

typedef struct graph {
    igraph_t g;
    igraph_vector_t weights;
    igraph_integer_t n;
} graph;

static int build(const rival_graph *raw, graph *out)
{
    igraph_vector_int_t arcs;
    out->n = raw->n;
    if (igraph_vector_int_init(&arcs, 2 * raw->m) != IGRAPH_SUCCESS
        || igraph_vector_init(&out->weights, raw->m) != IGRAPH_SUCCESS)
        return 0;
    for (int64_t u = 0; u < raw->n; u++)
        for (int64_t e = raw->off[u]; e < raw->off[u + 1]; e++) {
            VECTOR(arcs)[2 * e] = u;
            VECTOR(arcs)[2 * e + 1] = raw->pair[2 * e];
            VECTOR(out->weights)[e] = raw->pair[2 * e + 1];
        }
    const int good = igraph_create(&out->g, &arcs, raw->n, IGRAPH_DIRECTED) == IGRAPH_SUCCESS;
    igraph_vector_int_destroy(&arcs);
    return good;
}

static void add_rows(const igraph_matrix_t *d, rival_answer *a)
{
    const igraph_integer_t rows = igraph_matrix_nrow(d), n = igraph_matrix_ncol(d);
    for (igraph_integer_t u = 0; u < rows; u++)
        for (igraph_integer_t v = 0; v < n; v++)
            if (MATRIX(*d, u, v) < IGRAPH_INFINITY)
                rival_add(a, (uint64_t)(u * n + v), (int64_t)MATRIX(*d, u, v));
}

static igraph_error_t distances(graph *g, const char *problem, uint32_t source, igraph_matrix_t *d)
{
    const igraph_vs_t all = igraph_vss_all();
    const int every = strcmp(problem, "apsp") == 0;
    if (strcmp(problem, "bfs") == 0)
        return igraph_distances(&g->g, d, igraph_vss_1(source), all, IGRAPH_OUT);
    if (every || strcmp(problem, "sssp") == 0)
        return igraph_distances_dijkstra(&g->g, d, every ? all : igraph_vss_1(source), all, &g->weights, IGRAPH_OUT);
#if IGRAPH_VERSION_MAJOR > 0 || IGRAPH_VERSION_MINOR > 10 || (IGRAPH_VERSION_MINOR == 10 && IGRAPH_VERSION_PATCH >= 5)
    if (strcmp(problem, "dense") == 0)
        return igraph_distances_floyd_warshall(&g->g, d, all, all, &g->weights, IGRAPH_OUT,
                                               IGRAPH_FLOYD_WARSHALL_AUTOMATIC);
#else
    if (strcmp(problem, "dense") == 0)
        return igraph_distances_floyd_warshall(&g->g, d, &g->weights, IGRAPH_OUT);
#endif
    return IGRAPH_EINVAL;
}

static int answer(void *data, const char *problem, int threads, uint32_t source, rival_answer *a)
{
    graph *g = data;
    igraph_matrix_t d;
    if (threads != 1 || igraph_matrix_init(&d, 0, 0) != IGRAPH_SUCCESS)
        return 0;
    const double start = rival_now_ms();
    const int good = distances(g, problem, source, &d) == IGRAPH_SUCCESS;
    a->ms = rival_now_ms() - start;
    if (good)
        add_rows(&d, a);
    igraph_matrix_destroy(&d);
    return good;
}

int main(int argc, char **argv)
{
    rival_graph raw;
    graph g;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("igraph %s\n", IGRAPH_VERSION) < 0;
    igraph_set_error_handler(igraph_error_handler_ignore);
    if (argc != 2 || !rival_read(argv[1], &raw) || !build(&raw, &g))
        return 2;
    free(raw.off);
    free(raw.pair);
    return rival_serve(&g, answer);
}
