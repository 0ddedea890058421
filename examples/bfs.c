/* bfs.c - the simplest program: a graph from a list of arcs, and how many arcs away everything is. */
#include <nearfar.h>
#include <stdio.h>

int main(void)
{
    /* 0 -> 1 -> 2 -> 3, a short cut 0 -> 2, and vertex 4 on its own */
    const nf_vid src[] = {0, 1, 2, 0}, dst[] = {1, 2, 3, 2};
    const nf_coo arcs = {.n = 5, .m = 4, .src = src, .dst = dst};
    nf_graph *graph = NULL;
    nf_result *result = NULL;
    int status = 1;

    if (nf_graph_from_coo(NULL, &arcs, NULL, &graph) != NF_OK || nf_bfs(NULL, graph, 0, NULL, &result) != NF_OK) {
        fprintf(stderr, "%s\n", nf_last_error());
        goto done;
    }
    const int32_t *hops = nf_result_hops(result, 0);
    for (nf_vid v = 0; v < nf_graph_n(graph); v++) {
        if (hops[v] == NF_NO_HOP)
            printf("%u: no way\n", v);
        else
            printf("%u: %d\n", v, hops[v]);
    }
    status = 0;
done:
    nf_result_free(result);
    nf_graph_free(graph);
    return status;
}
