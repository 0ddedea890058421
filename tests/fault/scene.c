/* scene.c - the failing allocator, the small graphs, the input files (see fault.h). */
#define _GNU_SOURCE
#include "fault.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the allocator ----------------------------------------------------------------------------------------------- */

static void *faulty_alloc(void *user, size_t bytes)
{
    faults *f = user;
    if (atomic_load(&f->left) >= 0 && atomic_fetch_sub(&f->left, 1) == 0) {
        atomic_fetch_add(&f->fired, 1);
        return NULL;
    }
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (p != NULL) {
        atomic_fetch_add(&f->live, 1);
        atomic_fetch_add(&f->made, 1);
    }
    return p;
}

static void faulty_free(void *user, void *block)
{
    faults *f = user;
    if (block != NULL)
        atomic_fetch_sub(&f->live, 1);
    free(block);
}

void faults_arm(faults *f, long long k)
{
    atomic_store(&f->fired, 0);
    atomic_store(&f->made, 0);
    atomic_store(&f->left, k);
}

void faults_disarm(faults *f)
{
    atomic_store(&f->left, -1);
}

nf_allocator faults_allocator(faults *f)
{
    return (nf_allocator){.alloc = faulty_alloc, .free = faulty_free, .user = f};
}

/* ---- the small graph --------------------------------------------------------------------------------------------- */

/* Two clusters, a bridge, a loop at 3, parallel arcs 0 -> 1, a zero weight, vertex 11 isolated. */
const nf_vid small_src[SMALL_M] = {0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 2};
const nf_vid small_dst[SMALL_M] = {1, 1, 2, 2, 3, 4, 3, 5, 5, 6, 6, 0, 7, 8, 8, 9, 9, 6, 10, 7, 9, 0};

const void *small_weights(nf_type type)
{
    static const int32_t i32[SMALL_M] = {4, 2, 7, 1, 9, 3, 0, 2, 5, 1, 0, 8, 6, 6, 2, 3, 1, 7, 2, 5, 4, 3};
    static const uint32_t u32[SMALL_M] = {4, 2, 7, 1, 9, 3, 0, 2, 5, 1, 0, 8, 6, 6, 2, 3, 1, 7, 2, 5, 4, 3};
    static const float f32[SMALL_M] = {4, 2, 7, 1, 9, 3, 0, 2.5f, 5, 1, 0, 8, 6, 6, 2, 3, 1.25f, 7, 2, 5, 4, 3};
    static const double f64[SMALL_M] = {4, 2, 7, 1, 9, 3, 0, 2.5, 5, 1, 0, 8, 6, 6, 2, 3, 1.25, 7, 2, 5, 4, 3};
    switch (type) {
    case NF_I32: return i32;
    case NF_U32: return u32;
    case NF_F32: return f32;
    case NF_F64: return f64;
    default: return NULL;
    }
}

static nf_graph *make_graph(nf_context *ctx, const int32_t *weights)
{
    const nf_coo coo = {
        .n = SMALL_N, .m = SMALL_M, .src = small_src, .dst = small_dst, .weight_type = NF_I32, .weights = weights};
    nf_graph *graph = NULL;
    assert_int_equal(nf_graph_from_coo(ctx, &coo, NULL, &graph), NF_OK);
    return graph;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

void scene_open(scene *s, const char *folder, const nf_context_options *options)
{
    /* 2 -> 4 weighs -2: no cycle through it is negative. 7 -> 8 -> 9 -> 7 sums to 2 + 1 - 9. */
    int32_t shifted[SMALL_M], cyclic[SMALL_M];
    memcpy(shifted, small_weights(NF_I32), sizeof shifted);
    memcpy(cyclic, small_weights(NF_I32), sizeof cyclic);
    shifted[5] = -2;
    cyclic[19] = -9;
    memset(s, 0, sizeof *s);
    faults_disarm(&s->faults);
    s->folder = folder;
    nf_context_options o = {.size = sizeof o, .threads = 2};
    if (options != NULL)
        o = *options;
    o.allocator = faults_allocator(&s->faults);
    assert_int_equal(nf_context_create(&o, &s->ctx), NF_OK);
    s->graph = make_graph(s->ctx, small_weights(NF_I32));
    s->negative = make_graph(s->ctx, shifted);
    s->cycle = make_graph(s->ctx, cyclic);
    const nf_run_options run = {.size = sizeof run, .flags = NF_RUN_PARENTS};
    assert_int_equal(nf_sssp(s->ctx, s->graph, 0, &run, &s->result), NF_OK);
}

void scene_drop(scene *s)
{
    nf_graph_free(s->made_graph), s->made_graph = NULL;
    nf_result_free(s->made_result), s->made_result = NULL;
    nf_path_free(s->made_path), s->made_path = NULL;
    nf_free(s->made_array), s->made_array = NULL;
}

void scene_close(scene *s)
{
    scene_drop(s);
    nf_result_free(s->result);
    nf_graph_free(s->graph);
    nf_graph_free(s->negative);
    nf_graph_free(s->cycle);
    nf_context_free(s->ctx);
}

/* ---- lists of calls ---------------------------------------------------------------------------------------------- */

call *call_list_add(call_list *list, nf_status (*run)(scene *s, const call *c), const char *name, ...)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        assert_non_null(list->items);
    }
    call *c = &list->items[list->count++];
    memset(c, 0, sizeof *c);
    c->run = run;
    va_list args;
    va_start(args, name);
    vsnprintf(c->name, sizeof c->name, name, args);
    va_end(args);
    return c;
}

void call_list_free(call_list *list)
{
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void put_text(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void put_texts(const char *folder)
{
    put_text(folder, "in.gr", "c roads\np sp 4 5\na 1 2 5\na 2 3 7\na 3 1 2\na 1 2 9\na 3 3 1\n");
    put_text(folder, "in.co", "p aux sp co 4\nv 1 10 20\nv 2 30 40\nv 3 -5 6\nv 4 0 0\n");
    put_text(folder, "in.ss", "p aux sp ss 2\ns 1\ns 3\n");
    put_text(folder, "in.mtx",
             "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 5\n3 2 7\n3 3 1\n4 1 2\n");
    put_text(folder, "in.txt", "# from to\n10 20\n20 40\n40 10\n30 30\n");
    put_text(folder, "in.csv", "from,to,weight\n1,2,5\n2,3,7.5\n3,1,2\n");
    put_text(folder, "in.el", "0 1\n1 2\n2 0\n3 3\n");
    put_text(folder, "in.wel", "0 1 5\n1 2 7\n2 0 1\n3 3 2\n");
    put_text(folder, "in.graph", "4 3 001\n2 5 4 1\n1 5 3 7\n2 7\n1 1\n");
    put_text(folder, "in.tsp",
             "NAME: t\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
             "EDGE_WEIGHT_SECTION\n0 5 9\n4 0 7\n2 6 0\nEOF\n");
}

static void put_binaries(const char *folder)
{
    static const char *const names[] = {"in.sg",    "in.wsg",     "in.npz",    "in.nfg",
                                        "in.gr.gz", "in.wel.zst", "in.mtx.xz", "in.nfg.gz"};
    scene s;
    scene_open(&s, folder, NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (nf_graph_write(s.ctx, s.graph, path, NULL) != NF_OK)
            fail_msg("%s: %s", names[i], nf_last_error());
    }
    static const char *const results[] = {"res.txt", "res.tsv", "res.json", "res.npy", "res.nfd"};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, results[i]);
        if (nf_result_write(s.ctx, s.result, s.graph, path, NULL) != NF_OK)
            fail_msg("%s: %s", results[i], nf_last_error());
    }
    scene_close(&s);
}

char *files_create(void)
{
    const char *place = getenv("TMPDIR");
    char *folder = NULL;
    assert_true(asprintf(&folder, "%s/nearfar-fault-XXXXXX", place != NULL ? place : P_tmpdir) > 0);
    assert_non_null(mkdtemp(folder));
    put_texts(folder);
    put_binaries(folder);
    return folder;
}

int files_count(const char *folder, const char *prefix)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(dir);
    return count;
}

void files_clear(const char *folder, const char *prefix)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
            && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            unlink(path);
    }
    closedir(dir);
}

void files_remove(char *folder)
{
    files_clear(folder, "");
    rmdir(folder);
    free(folder);
}
