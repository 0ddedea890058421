/* borrowed_csr.c - a program that has its graph in compressed rows already lends the arrays: nothing is copied. */
#include <nearfar.h>
#include <stdio.h>

int main(void)
{
    static const uint32_t off[] = {0, 2, 3, 4, 4};
    static const nf_vid adj[] = {1, 2, 3, 3};
    static const double weights[] = {0.5, 2.0, 4.0, 1.0};
    const nf_csr csr = {.n = 4, .m = 4, .off32 = off, .adj = adj, .weight_type = NF_F64, .weights = weights};
    const nf_build_options lend = {.size = sizeof lend, .flags = NF_BUILD_BORROW};
    nf_graph *graph = NULL;
    nf_result *result = NULL;
    nf_csr view;
    int status = 1;

    if (nf_graph_from_csr(NULL, &csr, &lend, &graph) != NF_OK || nf_graph_view(NULL, graph, &view) != NF_OK
        || nf_sssp(NULL, graph, 0, NULL, &result) != NF_OK) {
        fprintf(stderr, "%s\n", nf_last_error());
        goto done;
    }
    printf("arrays copied: %s\n", view.adj == adj ? "no" : "yes");
    for (nf_vid v = 0; v < 4; v++)
        printf("%u: %g\n", v, nf_result_distance(result, 0, v));
    status = 0;
done:
    nf_result_free(result);
    nf_graph_free(graph); /* before the arrays it borrows go away */
    return status;
}
