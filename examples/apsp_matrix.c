/* apsp_matrix.c - a dense matrix of road lengths in, the matrix of all distances out, in the caller's own memory. */
#include <math.h>
#include <nearfar.h>
#include <stdio.h>

enum { N = 4 };

int main(void)
{
    const float no = INFINITY; /* no direct road */
    const float roads[N][N] = {{0, 3, no, 7}, {8, 0, 2, no}, {5, no, 0, 1}, {2, no, no, 0}};
    float all[N][N];
    const nf_run_options options = {.size = sizeof options, .distances = all};
    nf_graph *graph = NULL;
    nf_result *result = NULL;
    int status = 1;

    if (nf_graph_from_matrix(NULL, N, N, NF_F32, roads, NULL, &graph) != NF_OK
        || nf_apsp(NULL, graph, &options, &result) != NF_OK) {
        fprintf(stderr, "%s\n", nf_last_error());
        goto done;
    }
    for (int u = 0; u < N; u++)
        printf("%g %g %g %g\n", (double)all[u][0], (double)all[u][1], (double)all[u][2], (double)all[u][3]);
    status = 0;
done:
    nf_result_free(result);
    nf_graph_free(graph);
    return status;
}
