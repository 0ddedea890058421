/* test_limit.c - the memory limit of a context: what is held is counted, what would exceed the limit is refused with
 * the bytes asked for and available, and no header's promise makes the library ask for memory that its file does not
 * justify. */
#define _GNU_SOURCE
#include "fault.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static nf_context *limited(uint64_t bytes)
{
    const nf_context_options o = {.size = sizeof o, .threads = 2, .memory_limit = bytes};
    nf_context *ctx = NULL;
    assert_int_equal(nf_context_create(&o, &ctx), NF_OK);
    return ctx;
}

static nf_graph *path_graph(nf_context *ctx, uint64_t n)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *graph = NULL;
    assert_int_equal(nf_generate_defaults("path", &o), NF_OK);
    o.n = n;
    const nf_status st = nf_generate(ctx, &o, &graph);
    if (st != NF_OK)
        fail_msg("%s", nf_last_error());
    return graph;
}

/* The text of an NF_ENOMEM holds two numbers at least: asked and available. */
static void expect_bytes_in_text(void)
{
    int numbers = 0;
    for (const char *p = nf_last_error(); *p != '\0';)
        if (isdigit((unsigned char)*p)) {
            numbers++;
            strtod(p, (char **)(uintptr_t)&p);
        } else {
            p++;
        }
    if (numbers < 2)
        fail_msg("asked and available are not both in: %s", nf_last_error());
}

static void test_accounting(void **state)
{
    (void)state;
    nf_context *ctx = limited(0);
    uint64_t peak = 0;
    const uint64_t before = nf_context_bytes(ctx, NULL);
    nf_graph *graph = path_graph(ctx, 100000);
    const uint64_t with_graph = nf_context_bytes(ctx, &peak);
    assert_true(with_graph >= before + 100000 * 4);
    assert_true(peak >= with_graph);
    nf_graph_free(graph);
    assert_int_equal(nf_context_bytes(ctx, NULL), before);
    nf_context_free(ctx);
}

static void test_apsp_too_large(void **state)
{
    (void)state;
    nf_context *ctx = limited(16 << 20);
    nf_graph *graph = path_graph(ctx, 5000);
    nf_result *result = NULL;
    assert_int_equal(nf_apsp(ctx, graph, NULL, &result), NF_ENOMEM); /* 200 MB */
    assert_null(result);
    expect_bytes_in_text();
    assert_int_equal(nf_bfs(ctx, graph, 0, NULL, &result), NF_OK);
    assert_int_equal(nf_result_hops(result, 0)[4999], 4999);
    nf_result_free(result);
    nf_graph_free(graph);
    nf_context_free(ctx);
}

static void test_graph_too_large(void **state)
{
    (void)state;
    nf_context *ctx = limited(1 << 20);
    nf_graph *graph = NULL;
    nf_generate_options o = {.size = sizeof o};
    assert_int_equal(nf_generate_defaults("path", &o), NF_OK);
    o.n = 10000000;
    assert_int_equal(nf_generate(ctx, &o, &graph), NF_ENOMEM);
    assert_null(graph);
    expect_bytes_in_text();
    assert_true(nf_context_bytes(ctx, NULL) < 1 << 20);
    graph = path_graph(ctx, 100);
    nf_graph_free(graph);
    nf_context_free(ctx);
}

/* Small files that promise the world. None may be read; none may make the library hold more than a megabyte or two. */
static void test_promises(void **state)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"big.gr", "p sp 4 1000000000000000000\na 1 2 3\n"},
        {"big2.gr", "p sp 4000000000 5\na 1 2 3\n"},
        {"big.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 1000000000000000000\n1 2 3\n"},
        {"big2.mtx", "%%MatrixMarket matrix coordinate integer general\n99999999999 99999999999 1\n1 2 3\n"},
        {"big.graph", "4 1000000000000000000\n2\n1\n\n\n"},
        {"big.tsp", "TYPE: TSP\nDIMENSION: 2000000000\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
                    "EDGE_WEIGHT_SECTION\n0 1\n"},
    };
    const char *folder = *state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[600];
        uint64_t peak = 0;
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(files[i].text, file);
        fclose(file);
        nf_context *ctx = limited(0);
        nf_graph *graph = NULL;
        const nf_status st = nf_graph_read(ctx, path, NULL, &graph);
        nf_context_bytes(ctx, &peak);
        if (st != NF_EFORMAT || graph != NULL || peak > 2 << 20)
            fail_msg("%s: %s, peak %llu bytes (%s)", files[i].name, nf_status_name(st), (unsigned long long)peak,
                     nf_last_error());
        nf_context_free(ctx);
        unlink(path);
    }
}

/* A megabyte of zeros in a kilobyte of gzip, read with max_bytes. */
static void test_unpacking_bomb(void **state)
{
    char path[600], command[1400];
    snprintf(path, sizeof path, "%s/bomb.gr.gz", (const char *)*state);
    snprintf(command, sizeof command, "head -c 20000000 /dev/zero | gzip -9 > '%s'", path);
    if (system(command) != 0)
        skip();
    nf_context *ctx = limited(0);
    nf_graph *graph = NULL;
    uint64_t peak = 0;
    const nf_read_options o = {.size = sizeof o, .max_bytes = 1 << 20};
    const nf_status st = nf_graph_read(ctx, path, &o, &graph);
    nf_context_bytes(ctx, &peak);
    assert_true(st == NF_EFORMAT || st == NF_ENOMEM);
    assert_null(graph);
    assert_true(peak < 4 << 20);
    unlink(path);
    nf_context_free(ctx);
}

static int create_folder(void **state)
{
    *state = files_create();
    return 0;
}

static int remove_folder(void **state)
{
    files_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounting),      cmocka_unit_test(test_apsp_too_large),
        cmocka_unit_test(test_graph_too_large), cmocka_unit_test(test_promises),
        cmocka_unit_test(test_unpacking_bomb),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
