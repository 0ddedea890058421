/* sssp_path.c - shortest paths by weight with a tree, and the walk to one vertex read off it. */
#include <nearfar.h>
#include <stdio.h>

int main(void)
{
    const nf_vid src[] = {0, 0, 1, 2, 2, 3}, dst[] = {1, 2, 3, 1, 3, 4};
    const int32_t minutes[] = {10, 3, 2, 4, 8, 5};
    const nf_coo arcs = {.n = 5, .m = 6, .src = src, .dst = dst, .weight_type = NF_I32, .weights = minutes};
    const nf_run_options options = {.size = sizeof options, .flags = NF_RUN_PARENTS};
    nf_graph *graph = NULL;
    nf_result *result = NULL;
    nf_vid path[5];
    uint64_t length = 0;
    int status = 1;

    if (nf_graph_from_coo(NULL, &arcs, NULL, &graph) != NF_OK || nf_sssp(NULL, graph, 0, &options, &result) != NF_OK
        || nf_result_path(result, 0, 4, path, 5, &length) != NF_OK) {
        fprintf(stderr, "%s\n", nf_last_error());
        goto done;
    }
    const int64_t *distances = nf_result_distances(result, 0); /* integer weights: 64-bit distances */
    printf("from 0 to 4 in %lld minutes:", (long long)distances[4]);
    for (uint64_t i = 0; i < length; i++)
        printf(" %u", path[i]);
    printf("\n");
    status = 0;
done:
    nf_result_free(result);
    nf_graph_free(graph);
    return status;
}
