/* cancel.c - long work that reports how far it is and is stopped by its callback; the context goes on working. */
#include <nearfar.h>
#include <stdio.h>

static bool enough(void *user, const char *phase, uint64_t done, uint64_t total)
{
    int *left = user;
    (void)phase, (void)done, (void)total; /* a progress bar would show these */
    return *left > 0 && --*left == 0;     /* true stops the run */
}

int main(void)
{
    int left = 0, status = 1;
    const nf_context_options settings = {.size = sizeof settings, .progress = enough, .progress_user = &left};
    nf_generate_options grid = {.size = sizeof grid};
    nf_context *context = NULL;
    nf_graph *graph = NULL;
    nf_result *result = NULL;

    if (nf_context_create(&settings, &context) != NF_OK || nf_generate_defaults("grid2d", &grid) != NF_OK)
        goto done;
    grid.n = 5000;
    if (nf_generate(context, &grid, &graph) != NF_OK)
        goto done;
    left = 2;
    const nf_status stopped = nf_apsp(context, graph, NULL, &result);
    printf("all pairs: %s\n", nf_status_text(stopped));
    if (stopped != NF_ECANCELLED || nf_bfs(context, graph, 0, NULL, &result) != NF_OK)
        goto done;
    printf("then a search: %s\n", nf_result_hops(result, 0)[0] == 0 ? "done" : "wrong");
    status = 0;
done:
    if (status != 0)
        fprintf(stderr, "%s\n", nf_last_error());
    nf_result_free(result);
    nf_graph_free(graph);
    nf_context_free(context);
    return status;
}
