/* closures.c - closures of TSPLIB's explicit matrices: every method for all pairs of the device, and of the CPU, gives
 * the distances of the CPU's floyd-warshall, in integers and in floats (the sums are whole and below 2^24, so exact in
 * both), and trees that the checker finds right.
 *
 * The device is the emulator, or what NEARFAR_TEST_DEVICE names. The data is not part of the repository: without its
 * folder, or without the device, the program ends with status 77.
 */
#include <unistd.h>

#include "support.h"

#include "../unit/must.h"

static const char *test_device(void)
{
    const char *named = getenv("NEARFAR_TEST_DEVICE");
    return named != NULL && named[0] != '\0' ? named : "emulator";
}

/* As numbers, whatever their types. */
static void expect_oracles(const char *file, const nf_graph *g, const nf_result *got, const nf_result *want)
{
    nf_run_info info = {.size = sizeof info};
    OK(nf_result_info(got, &info));
    for (nf_vid u = 0; u < nf_graph_n(g); u++)
        for (nf_vid v = 0; v < nf_graph_n(g); v++)
            if (nf_result_distance(got, u, v) != nf_result_distance(want, u, v))
                fail_msg("%s by %s on %s: %u to %u: %g, not %g", file, info.algorithm, info.device, u, v,
                         nf_result_distance(got, u, v), nf_result_distance(want, u, v));
    if (nf_result_parents(got, 0) != NULL)
        must_be_right(g, got, NULL);
}

/* One method: distances in three types, and with parents; on the emulator larger matrices only so. */
static void close_by(nf_context *ctx, const char *file, const nf_graph *g, const char *algorithm, const nf_result *want)
{
    static const nf_type types[] = {NF_NONE, NF_F32, NF_F64, NF_NONE};
    const bool slow = nf_graph_n(g) > 64 && strcmp(test_device(), "emulator") == 0;
    for (size_t i = slow ? 3 : 0; i < COUNT(types); i++) {
        const nf_run_options how = {.size = sizeof how,
                                    .algorithm = algorithm,
                                    .flags = i == 3 ? NF_RUN_PARENTS : 0,
                                    .distance_type = types[i]};
        nf_result *got = NULL;
        OK(nf_apsp(ctx, g, &how, &got));
        expect_oracles(file, g, got, want);
        nf_result_free(got);
    }
}

/* Every method of a device that takes any graph; how many there are. */
static unsigned close_on(const char *device, const char *file, const nf_graph *g, const nf_result *want)
{
    const nf_algorithm_info *a = NULL;
    const nf_context_options o = {.size = sizeof o, .device = device, .threads = 2};
    const size_t kind = strcspn(device, ":"); /* gpu of gpu:0 */
    nf_context *ctx = NULL;
    unsigned methods = 0;
    OK(nf_context_create(&o, &ctx));
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
        if (a->problem == NF_APSP && strlen(a->device) == kind && strncmp(a->device, device, kind) == 0
            && (a->flags & NF_ALG_UNDIRECTED_ONLY) == 0) {
            close_by(ctx, file, g, a->name, want);
            methods++;
        }
    nf_context_free(ctx);
    return methods;
}

/* Arcs that closing makes shorter: without any, a method that does nothing would pass. */
static nf_eid shortened(const nf_graph *g, const nf_result *closed)
{
    nf_csr c = {.n = 0};
    nf_eid many = 0;
    OK(nf_graph_view(NULL, g, &c));
    for (nf_vid u = 0; u < c.n; u++)
        for (nf_eid e = c.off32[u]; e < c.off32[u + 1]; e++)
            many += c.adj[e] != u && nf_result_distance(closed, u, c.adj[e]) < ((const int32_t *)c.weights)[e];
    return many;
}

static void closures_are_the_oracles(void **state)
{
    const nf_context_options o = {.size = sizeof o, .device = "cpu"};
    const nf_run_options oracle = {.size = sizeof oracle, .algorithm = "floyd-warshall", .flags = NF_RUN_PARENTS};
    nf_context *cpu = NULL;
    nf_eid shorter = 0;
    (void)state;
    OK(nf_context_create(&o, &cpu));
    for (size_t i = 0; i < MATRIX_FILES; i++) {
        NEED(path, matrix_files[i].file);
        nf_graph *g = must_read(path, NULL);
        nf_result *want = NULL;
        assert_int_equal(nf_graph_n(g), matrix_files[i].n);
        OK(nf_apsp(cpu, g, &oracle, &want));
        must_be_right(g, want, NULL);
        shorter += shortened(g, want);
        assert_true(close_on(test_device(), matrix_files[i].file, g, want) >= 5); /* the four on the matrix, and auto */
        assert_true(close_on("cpu", matrix_files[i].file, g, want) >= 5);
        nf_result_free(want);
        nf_graph_free(g);
    }
    assert_true(shorter > 0);
    nf_context_free(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closures_are_the_oracles),
    };
    const nf_context_options o = {.size = sizeof o, .device = test_device()};
    nf_context *ctx = NULL;
    if (access(data_folder(), R_OK) != 0) {
        printf("skipped: the data folder %s is not here\n", data_folder());
        return 77;
    }
    if (nf_context_create(&o, &ctx) != NF_OK) {
        printf("skipped: %s\n", nf_last_error());
        return 77;
    }
    nf_context_free(ctx);
    return cmocka_run_group_tests_name("tsplib", tests, NULL, NULL);
}
