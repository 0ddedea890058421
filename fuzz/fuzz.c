/* fuzz.c - bytes as files, and the properties of accepted and refused input (see fuzz.h). */
#define _GNU_SOURCE
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_LIMIT = 256 << 20 };

static void remove_link(void);
static char link_folder[256], link_path[300]; /* a name with an extension for the memory file, made once */

static void remove_link(void)
{
    unlink(link_path);
    rmdir(link_folder);
}

static const char *linked(int fd, const char *extension)
{
    char target[64];
    if (link_path[0] != '\0')
        return link_path;
    const char *place = getenv("TMPDIR");
    snprintf(link_folder, sizeof link_folder, "%s/nearfar-fuzz-XXXXXX", place != NULL ? place : P_tmpdir);
    fuzz_require(mkdtemp(link_folder) != NULL, "a folder for the input's name");
    snprintf(link_path, sizeof link_path, "%s/input%s", link_folder, extension);
    snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
    fuzz_require(symlink(target, link_path) == 0, "a name for the input");
    atexit(remove_link);
    return link_path;
}

const char *fuzz_file(const uint8_t *data, size_t size, const char *extension)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0)
        fd = memfd_create("input", 0);
    fuzz_require(fd >= 0 && ftruncate(fd, 0) == 0, "a memory file");
    for (size_t at = 0; at < size;) {
        const ssize_t wrote = pwrite(fd, data + at, size - at, (off_t)at);
        fuzz_require(wrote > 0, "the input written");
        at += (size_t)wrote;
    }
    if (extension[0] != '\0')
        return linked(fd, extension);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

nf_context *fuzz_context(void)
{
    const nf_context_options o = {.size = sizeof o, .threads = 2, .memory_limit = MEMORY_LIMIT};
    nf_context *ctx = NULL;
    fuzz_require(nf_context_create(&o, &ctx) == NF_OK, "a context");
    return ctx;
}

void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "property broken: %s; last error: %s\n", what, nf_last_error());
    abort();
}

void fuzz_require_refusal(nf_status st, const void *out)
{
    const bool expected =
        st == NF_EFORMAT || st == NF_ENOMEM || st == NF_EUNSUPPORTED || st == NF_EOVERFLOW || st == NF_ENOTFOUND;
    fuzz_require(expected, nf_status_name(st));
    fuzz_require(out == NULL, "nothing handed over by a failed call");
    fuzz_require(nf_last_error()[0] != '\0' && strchr(nf_last_error(), '\n') == NULL, "one line of text");
}

static void require_rows(const nf_csr *csr)
{
    nf_eid last = 0;
    fuzz_require((csr->off32 != NULL) != (csr->off64 != NULL), "one kind of offsets");
    for (uint64_t v = 0; v <= csr->n; v++) {
        const nf_eid off = csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
        fuzz_require(off >= last && (v > 0 || off == 0), "offsets rise from 0");
        last = off;
    }
    fuzz_require(last == csr->m, "offsets end at m");
    for (nf_eid e = 0; e < csr->m; e++)
        fuzz_require(csr->adj[e] < csr->n, "targets are vertices");
}

static void require_weights(const nf_csr *csr)
{
    for (nf_eid e = 0; e < csr->m; e++) {
        if (csr->weight_type == NF_F32)
            fuzz_require(isfinite(((const float *)csr->weights)[e]), "weights are finite");
        if (csr->weight_type == NF_F64)
            fuzz_require(isfinite(((const double *)csr->weights)[e]), "weights are finite");
    }
}

bool fuzz_require_graph(nf_context *ctx, const nf_graph *graph)
{
    nf_csr csr, transpose;
    nf_coo coo;
    nf_graph_stats stats = {.size = sizeof stats};
    nf_status st = nf_graph_view(ctx, graph, &csr);
    if (st != NF_OK) {
        fuzz_require_refusal(st, NULL);
        return false;
    }
    require_rows(&csr);
    require_weights(&csr);
    if (nf_graph_transpose_view(ctx, graph, &transpose) == NF_OK) {
        require_rows(&transpose);
        fuzz_require(transpose.m == csr.m && transpose.n == csr.n, "the transpose is as large");
    }
    if (nf_graph_coo_view(ctx, graph, &coo) == NF_OK)
        for (nf_eid e = 1; e < coo.m; e++)
            fuzz_require(coo.src[e - 1] < coo.src[e] || (coo.src[e - 1] == coo.src[e] && coo.dst[e - 1] <= coo.dst[e]),
                         "the list is sorted");
    st = nf_graph_get_stats(ctx, graph, NF_STATS_DIAMETER, &stats);
    fuzz_require(st == NF_OK || st == NF_ENOMEM, "statistics");
    for (nf_vid v = 0; v < csr.n && v < 64; v++) {
        nf_vid found = NF_NO_VERTEX;
        fuzz_require(nf_graph_find(graph, nf_graph_label(graph, v), &found) == NF_OK && found == v,
                     "labels are found again");
    }
    return true;
}
