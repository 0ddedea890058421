/* fault.h - the stage on which public calls are made to fail: an allocator that says no at a chosen moment and counts
 * what is still held, a few small graphs and files, and a list of every public call with the options it knows.
 *
 * Invariants of a scene
 *   S1 everything in it is made in its context, so the allocator sees all of the library's memory;
 *   S2 after scene_close nothing of that memory is left: faults.live is 0, or the library leaks.
 */
#ifndef NF_FAULT_H
#define NF_FAULT_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearfar.h"

/* An allocator that fails once, after `left` more allocations; -1: never. */
typedef struct faults {
    atomic_llong left;
    atomic_llong live;  /* blocks held */
    atomic_llong fired; /* allocations refused since faults_arm */
    atomic_llong made;  /* allocations granted since faults_arm */
} faults;

void faults_arm(faults *f, long long k);
void faults_disarm(faults *f);
nf_allocator faults_allocator(faults *f);

typedef struct scene {
    faults faults;
    nf_context *ctx;
    nf_graph *graph;    /* directed, i32 weights >= 0, a loop and parallel arcs, an isolated vertex */
    nf_graph *negative; /* the same shape, some weights < 0, no negative cycle */
    nf_graph *cycle;    /* with a negative cycle */
    nf_result *result;  /* of an SSSP with parents on `graph` */
    const char *folder; /* holds the input files */
    char target[512];   /* where writers write */
    /* what a call made */
    nf_graph *made_graph;
    nf_result *made_result;
    nf_path *made_path;
    nf_vid *made_array;
} scene;

/* One public call. The fields mean what `run` makes of them. */
typedef struct call call;
struct call {
    char name[160];
    nf_status (*run)(scene *s, const call *c);
    nf_status expect; /* without faults; NF_OK but for negative cycles */
    const char *text; /* a format, kind, file name, algorithm */
    uint32_t flags;
    int number;
    nf_type type;
    nf_duplicates duplicates;
    bool writes; /* leaves a file at scene.target */
};

typedef struct call_list {
    call *items;
    size_t count, capacity;
} call_list;

/* Fills the lists; items are malloc'ed and freed by call_list_free. */
void list_build_calls(call_list *list);
void list_view_calls(call_list *list);
void list_generate_calls(call_list *list);
void list_run_calls(call_list *list);
void list_read_calls(call_list *list);
void list_write_calls(call_list *list);
void list_result_calls(call_list *list);
void call_list_free(call_list *list);
/* Appends a call; name is a printf format. */
call *call_list_add(call_list *list, nf_status (*run)(scene *s, const call *c), const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* A fresh folder with one input file of every kind; removed with all that is in it. */
char *files_create(void);
void files_remove(char *folder);
/* The number of files in `folder` whose name begins with `prefix`. */
int files_count(const char *folder, const char *prefix);
/* Removes them. */
void files_clear(const char *folder, const char *prefix);

void scene_open(scene *s, const char *folder, const nf_context_options *options);
/* Frees what the last call made. */
void scene_drop(scene *s);
void scene_close(scene *s);

/* Arrays of the small graph, for calls that build. */
enum { SMALL_N = 12, SMALL_M = 22 };
extern const nf_vid small_src[SMALL_M], small_dst[SMALL_M];
const void *small_weights(nf_type type);

#endif
