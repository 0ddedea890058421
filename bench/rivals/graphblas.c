/* graphblas.c - SuiteSparse:GraphBLAS as its users write the searches: BFS by masked products over (any, pair), push
 * while the frontier is small and pull while it is large; SSSP by products over (min, plus) with the vertices whose
 * distance fell (Bellman-Ford); see rival.h. */
#include <GraphBLAS.h>

#include "rival.h"

#define PULL 16 /* a frontier of more than n / PULL vertices is pulled */

typedef struct graph {
    GrB_Matrix a, at; /* weights; the transpose (the same matrix where the graph is undirected) */
    GrB_Index n;
} graph;

static int build(const rival_graph *raw, graph *out)
{
    GrB_Index *from = malloc((size_t)raw->m * sizeof *from), *to = malloc((size_t)raw->m * sizeof *to);
    int32_t *w = malloc((size_t)raw->m * sizeof *w);
    out->n = (GrB_Index)raw->n;
    if (from == NULL || to == NULL || w == NULL)
        return 0;
    for (int64_t u = 0; u < raw->n; u++)
        for (int64_t e = raw->off[u]; e < raw->off[u + 1]; e++) {
            from[e] = (GrB_Index)u;
            to[e] = (GrB_Index)raw->pair[2 * e];
            w[e] = raw->pair[2 * e + 1];
        }
    GrB_Info good = GrB_Matrix_new(&out->a, GrB_INT32, out->n, out->n);
    if (good == GrB_SUCCESS) /* the shortest of parallel arcs */
        good = GrB_Matrix_build_INT32(out->a, from, to, w, (GrB_Index)raw->m, GrB_MIN_INT32);
    free(from);
    free(to);
    free(w);
    out->at = out->a;
    if (good == GrB_SUCCESS && raw->directed) {
        good = GrB_Matrix_new(&out->at, GrB_INT32, out->n, out->n);
        if (good == GrB_SUCCESS)
            good = GrB_transpose(out->at, NULL, NULL, out->a, NULL);
    }
    return good == GrB_SUCCESS;
}

static GrB_Info bfs(const graph *g, GrB_Index source, GrB_Vector level)
{
    GrB_Vector q = NULL;
    GrB_Index count = 1;
    GrB_Info st = GrB_Vector_new(&q, GrB_BOOL, g->n);
    if (st == GrB_SUCCESS)
        st = GrB_Vector_setElement_BOOL(q, true, source);
    for (int32_t depth = 0; st == GrB_SUCCESS && count > 0; depth++) {
        st = GrB_Vector_assign_INT32(level, q, NULL, depth, GrB_ALL, g->n, GrB_DESC_S);
        if (st == GrB_SUCCESS)
            st = count > g->n / PULL ? GrB_mxv(q, level, NULL, GxB_ANY_PAIR_BOOL, g->at, q, GrB_DESC_RSC)
                                     : GrB_vxm(q, level, NULL, GxB_ANY_PAIR_BOOL, q, g->a, GrB_DESC_RSC);
        if (st == GrB_SUCCESS)
            st = GrB_Vector_nvals(&count, q);
    }
    GrB_Vector_free(&q);
    return st;
}

static GrB_Info sssp(const graph *g, GrB_Index source, GrB_Vector d)
{
    GrB_Vector q = NULL, t = NULL, less = NULL;
    GrB_Index count = 1;
    GrB_Info st = GrB_Vector_new(&q, GrB_INT32, g->n);
    if (st == GrB_SUCCESS)
        st = GrB_Vector_new(&t, GrB_INT32, g->n);
    if (st == GrB_SUCCESS)
        st = GrB_Vector_new(&less, GrB_BOOL, g->n);
    if (st == GrB_SUCCESS) /* a full vector of "far", so that every comparison has two sides */
        st = GrB_Vector_assign_INT32(d, NULL, NULL, INT32_MAX, GrB_ALL, g->n, NULL);
    if (st == GrB_SUCCESS)
        st = GrB_Vector_setElement_INT32(d, 0, source);
    if (st == GrB_SUCCESS)
        st = GrB_Vector_setElement_INT32(q, 0, source);
    while (st == GrB_SUCCESS && count > 0) {
        st = GrB_vxm(t, NULL, NULL, GrB_MIN_PLUS_SEMIRING_INT32, q, g->a, NULL);
        if (st == GrB_SUCCESS)
            st = GrB_Vector_eWiseMult_BinaryOp(less, NULL, NULL, GrB_LT_INT32, t, d, NULL);
        if (st == GrB_SUCCESS) /* what fell is the next frontier */
            st = GrB_Vector_assign(q, less, NULL, t, GrB_ALL, g->n, GrB_DESC_R);
        if (st == GrB_SUCCESS)
            st = GrB_Vector_assign(d, q, NULL, q, GrB_ALL, g->n, GrB_DESC_S);
        if (st == GrB_SUCCESS)
            st = GrB_Vector_nvals(&count, q);
    }
    GrB_Vector_free(&q);
    GrB_Vector_free(&t);
    GrB_Vector_free(&less);
    return st;
}

static int add_all(GrB_Vector d, GrB_Index n, rival_answer *a)
{
    GrB_Index count = n, *at = malloc((size_t)n * sizeof *at);
    int32_t *x = malloc((size_t)n * sizeof *x);
    const int good = at != NULL && x != NULL && GrB_Vector_extractTuples_INT32(at, x, &count, d) == GrB_SUCCESS;
    for (GrB_Index i = 0; good && i < count; i++)
        if (x[i] != INT32_MAX)
            rival_add(a, at[i], x[i]);
    free(at);
    free(x);
    return good;
}

static int answer(void *data, const char *problem, int threads, uint32_t source, rival_answer *a)
{
    const graph *g = data;
    GrB_Vector d = NULL;
    const int is_bfs = strcmp(problem, "bfs") == 0;
    if (!is_bfs && strcmp(problem, "sssp") != 0)
        return 0;
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads);
    if (GrB_Vector_new(&d, GrB_INT32, g->n) != GrB_SUCCESS)
        return 0;
    const double start = rival_now_ms();
    int good = (is_bfs ? bfs(g, source, d) : sssp(g, source, d)) == GrB_SUCCESS
               && GrB_Vector_wait(d, GrB_MATERIALIZE) == GrB_SUCCESS;
    a->ms = rival_now_ms() - start;
    good = good && add_all(d, g->n, a);
    GrB_Vector_free(&d);
    return good;
}

int main(int argc, char **argv)
{
    rival_graph raw;
    graph g;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("GraphBLAS %d.%d.%d\n", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR,
                      GxB_IMPLEMENTATION_SUB)
               < 0;
    if (argc != 2 || GrB_init(GrB_NONBLOCKING) != GrB_SUCCESS || !rival_read(argv[1], &raw) || !build(&raw, &g))
        return 2;
    free(raw.off);
    free(raw.pair);
    return rival_serve(&g, answer);
}
