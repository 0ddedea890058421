/* nearest.c - which of several facilities is nearest to each place, and how far it is: one run for all of them. */
#include <nearfar.h>
#include <stdio.h>

enum { PLACES = 8 };

int main(void)
{
    /* a street of eight houses, both ways; the blocks differ in length */
    nf_vid src[PLACES - 1], dst[PLACES - 1];
    const uint32_t metres[PLACES - 1] = {100, 80, 120, 60, 90, 200, 50};
    const nf_vid stations[] = {1, 6};
    for (nf_vid i = 0; i + 1 < PLACES; i++)
        src[i] = i, dst[i] = i + 1;
    const nf_coo street = {
        .n = PLACES, .m = PLACES - 1, .src = src, .dst = dst, .weight_type = NF_U32, .weights = metres};
    const nf_build_options both_ways = {.size = sizeof both_ways, .flags = NF_BUILD_UNDIRECTED};
    nf_graph *graph = NULL;
    nf_result *result = NULL;
    int status = 1;

    if (nf_graph_from_coo(NULL, &street, &both_ways, &graph) != NF_OK
        || nf_sssp_nearest(NULL, graph, stations, 2, NULL, &result) != NF_OK) {
        fprintf(stderr, "%s\n", nf_last_error());
        goto done;
    }
    const nf_vid *owners = nf_result_owners(result);
    for (nf_vid v = 0; v < PLACES; v++)
        printf("house %u: station %u, %g m\n", v, owners[v], nf_result_distance(result, 0, v));
    status = 0;
done:
    nf_result_free(result);
    nf_graph_free(graph);
    return status;
}
