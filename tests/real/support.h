/* support.h - files, numbers in JSON, SHA-256 and vector comparison for the tests on real graphs. */
#ifndef NF_REAL_SUPPORT_H
#define NF_REAL_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"

/* The folder of the data: NEARFAR_DATA, or the one beside the source tree. */
const char *data_folder(void);
/* The path of a file there, in static storage of four; NULL, with a word on standard output, when it is absent. */
const char *data_path(const char *name);
/* A whole file, terminated; the caller frees it. NULL when it cannot be read. */
char *slurp(const char *path);

/* The number after "key": behind `from`, which moves past it; NAN when there is none. */
double json_number(const char **from, const char *key);
/* The text after "key": "..." behind `from`. */
void json_text(const char **from, const char *key, char *text, size_t capacity);

/* SHA-256 (FIPS 180-4) of a block, in hex. */
void sha256_hex(const void *data, size_t bytes, char hex[65]);

/* Reads a graph that must be readable. */
nf_graph *must_read(const char *path, const nf_read_options *options);
void must_have(const nf_graph *graph, nf_vid n, nf_eid m);
/* Fails the test, with the report's message, unless the result is right. */
void must_be_right(const nf_graph *graph, const nf_result *result, const nf_check_options *options);

/* TSPLIB's matrices: files, and their vertices. */
typedef struct matrix_file {
    const char *file;
    nf_vid n;
} matrix_file;
#define MATRIX_FILES 5
extern const matrix_file matrix_files[MATRIX_FILES];

/* Skips the test when the file is absent. */
#define NEED(path, name)                \
    const char *path = data_path(name); \
    if (path == NULL)                   \
    skip()

/* vectors.c: tests on small graphs with published or computed answers. */
void test_ldbc_edges(void **state);
void test_ldbc_lists(void **state);
void test_gapbs(void **state);
void test_lagraph_sizes(void **state);
void test_lagraph_paths(void **state);
void test_negative_small(void **state);

#endif
