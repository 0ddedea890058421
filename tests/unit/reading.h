/* reading.h - what the tests of readers share: files made of a string, graphs as lists of arcs, messages with their
 * place.
 *
 * Everything is static inline, so that each test program stays one file; only the public header is used.
 */
#ifndef NF_TESTS_READING_H
#define NF_TESTS_READING_H

#include "unit.h"

#include <unistd.h>

/* A file in a folder of its own, so that its name can end in anything. */
typedef struct file {
    char folder[64];
    char path[160];
} file;

static inline file file_make(const char *name, const void *data, size_t size)
{
    file f;
    (void)snprintf(f.folder, sizeof f.folder, "/tmp/nearfar-read-XXXXXX");
    assert_non_null(mkdtemp(f.folder));
    (void)snprintf(f.path, sizeof f.path, "%s/%s", f.folder, name);
    FILE *out = fopen(f.path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    return f;
}

static inline void file_remove(const file *f)
{
    (void)unlink(f->path);
    (void)rmdir(f->folder);
}

/* Reads `text` as a file of that name; fails the test when that fails. */
static inline nf_graph *read_bytes(const char *name, const void *data, size_t size, const nf_read_options *options)
{
    file f = file_make(name, data, size);
    nf_graph *g = NULL;
    nf_status st = nf_graph_read(NULL, f.path, options, &g);
    file_remove(&f);
    if (st != NF_OK)
        fail_msg("%s: %s: %s", name, nf_status_name(st), nf_last_error());
    assert_non_null(g);
    return g;
}

static inline nf_graph *read_text(const char *name, const char *text, const nf_read_options *options)
{
    return read_bytes(name, text, strlen(text), options);
}

/* Expects a failure whose message is FILE + `place` + text that holds `what`; place is ":LINE:COLUMN: " or ": ". */
static inline void expect_failure(const char *name, const void *data, size_t size, const nf_read_options *options,
                                  nf_status status, const char *place, const char *what)
{
    file f = file_make(name, data, size);
    nf_graph *g = NULL;
    nf_status st = nf_graph_read(NULL, f.path, options, &g);
    const char *message = nf_last_error();
    size_t skip = strlen(f.path);
    if (st != status)
        fail_msg("%s: %s instead of %s: %s", name, nf_status_name(st), nf_status_name(status),
                 st == NF_OK ? "" : message);
    if (strncmp(message, f.path, skip) != 0 || strncmp(message + skip, place, strlen(place)) != 0
        || strstr(message, what) == NULL)
        fail_msg("%s: expected '%s ... %s', got '%s'", name, place, what, message);
    assert_null(strchr(message, '\n'));
    assert_null(g);
    file_remove(&f);
}

static inline void expect_bad(const char *name, const char *text, const nf_read_options *options, const char *place,
                              const char *what)
{
    expect_failure(name, text, strlen(text), options, NF_EFORMAT, place, what);
}

/* The arcs by source, then target, in labels: "1>2:803 2>1:803"; weights only if there are some. */
static inline void arcs_text(const nf_graph *g, char *text, size_t capacity)
{
    nf_coo coo;
    OK(nf_graph_coo_view(NULL, g, &coo));
    size_t used = 0;
    text[0] = '\0';
    for (nf_eid e = 0; e < coo.m && used < capacity; e++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%llu>%llu", e == 0 ? "" : " ",
                                 (unsigned long long)nf_graph_label(g, coo.src[e]),
                                 (unsigned long long)nf_graph_label(g, coo.dst[e]));
        if (used >= capacity || coo.weight_type == NF_NONE)
            continue;
        double w = coo.weight_type == NF_I32   ? ((const int32_t *)coo.weights)[e]
                   : coo.weight_type == NF_U32 ? ((const uint32_t *)coo.weights)[e]
                   : coo.weight_type == NF_F32 ? (double)((const float *)coo.weights)[e]
                                               : ((const double *)coo.weights)[e];
        used += (size_t)snprintf(text + used, capacity - used, ":%.17g", w);
    }
}

/* Checks all there is to a small graph, and frees it. */
static inline void expect_graph(nf_graph *g, nf_vid n, bool directed, nf_type type, const char *arcs)
{
    char text[4096];
    nf_graph_info info = info_of(g);
    arcs_text(g, text, sizeof text);
    assert_string_equal(text, arcs);
    assert_int_equal(info.n, n);
    assert_int_equal(info.directed, directed);
    assert_string_equal(nf_type_name(info.weight_type), nf_type_name(type));
    assert_true(strlen(info.facts) > 0);
    nf_graph_free(g);
}

#endif
