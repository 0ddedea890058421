/* fuzz_result.c - one result reader (by the extension FUZZ_EXTENSION) on arbitrary bytes: it refuses them with a text,
 * or makes a result that fits the graph and that the checkers can look at without harm, right or wrong. */
#include "fuzz.h"
#include "tests/check/check.h"

static nf_graph *small_graph(nf_context *ctx)
{
    static const nf_vid src[] = {0, 1, 2, 0}, dst[] = {1, 2, 3, 2};
    static const int32_t weights[] = {5, 7, 2, 1};
    const nf_coo coo = {.n = 5, .m = 4, .src = src, .dst = dst, .weight_type = NF_I32, .weights = weights};
    nf_graph *graph = NULL;
    fuzz_require(nf_graph_from_coo(ctx, &coo, NULL, &graph) == NF_OK, "the graph");
    return graph;
}

static void look(nf_context *ctx, const nf_graph *graph, const nf_result *result)
{
    nf_run_info info = {.size = sizeof info};
    nf_check_report report;
    uint64_t length = 0, sources = 0;
    fuzz_require(nf_result_info(result, &info) == NF_OK && info.n == 5, "the result fits the graph");
    nf_result_sources(result, &sources);
    for (uint64_t row = 0; row < info.rows; row++)
        for (nf_vid v = 0; v < 5; v++) {
            nf_result_distance(result, row, v);
            if (nf_result_parents(result, row) != NULL)
                nf_result_path(result, row, v, NULL, 0, &length);
        }
    nf_check_result(ctx, graph, result, NULL, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const nf_problem problems[] = {NF_SSSP, NF_BFS, NF_APSP};
    static const nf_type types[] = {NF_NONE, NF_F64, NF_U32};
    nf_context *ctx = fuzz_context();
    nf_graph *graph = small_graph(ctx);
    nf_result *result = NULL;
    const char *path = fuzz_file(data, size, FUZZ_EXTENSION);
    const nf_status st = nf_result_read(ctx, graph, path, problems[size % 3], types[size / 3 % 3], &result);
    if (st != NF_OK)
        fuzz_require_refusal(st, result);
    else
        look(ctx, graph, result);
    nf_result_free(result);
    nf_graph_free(graph);
    nf_context_free(ctx);
    return 0;
}
