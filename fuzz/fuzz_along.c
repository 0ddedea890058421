/* fuzz_along.c - files that come along with a graph, on arbitrary bytes: coordinates (FUZZ_CO) or a list of sources. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char graph_text[] = "p sp 5 4\na 1 2 5\na 2 3 7\na 3 4 2\na 4 5 1\n";

static const char *graph_file(void)
{
    static char path[64];
    if (path[0] == '\0') {
        const int fd = memfd_create("graph", 0);
        fuzz_require(fd >= 0 && write(fd, graph_text, sizeof graph_text - 1) == sizeof graph_text - 1, "a memory file");
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    return path;
}

static void read_coordinates(nf_context *ctx, const char *path)
{
    nf_graph *graph = NULL;
    const nf_read_options o = {.size = sizeof o, .format = "gr", .coordinates = path, .max_bytes = 1 << 22};
    const nf_status st = nf_graph_read(ctx, graph_file(), &o, &graph);
    if (st != NF_OK) {
        fuzz_require_refusal(st, graph);
        return;
    }
    const double *xy = nf_graph_coordinates(graph);
    fuzz_require(xy != NULL, "coordinates that were read are there");
    for (int i = 0; i < 10; i++)
        fuzz_require(isfinite(xy[i]), "coordinates are finite");
    nf_graph_free(graph);
}

static void read_sources(nf_context *ctx, const char *path)
{
    nf_graph *graph = NULL;
    nf_vid *sources = NULL;
    uint64_t count = 0;
    const nf_read_options o = {.size = sizeof o, .format = "gr"};
    fuzz_require(nf_graph_read(ctx, graph_file(), &o, &graph) == NF_OK, "the graph");
    const nf_status st = nf_sources_read(ctx, graph, path, &sources, &count);
    if (st != NF_OK)
        fuzz_require_refusal(st, sources);
    for (uint64_t i = 0; st == NF_OK && i < count; i++)
        fuzz_require(sources[i] < 5, "sources are vertices");
    nf_free(sources);
    nf_graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nf_context *ctx = fuzz_context();
    const char *path = fuzz_file(data, size, "");
    if (FUZZ_CO)
        read_coordinates(ctx, path);
    else
        read_sources(ctx, path);
    nf_context_free(ctx);
    return 0;
}
