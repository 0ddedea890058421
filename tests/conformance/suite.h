/* suite.h - what the parts of the conformance suite share.
 *
 * A subject is one algorithm on one device facing one graph. A request is one call with its options; `perform` makes
 * the call, derives what must come out from the reference rows (reference.h), and compares: status, distances, parents,
 * owners, listings, summaries, and the property checkers of tests/check. So a variant is no more than a request.
 */
#ifndef NF_CONFORMANCE_SUITE_H
#define NF_CONFORMANCE_SUITE_H

#include <stdio.h>

#include "check.h"
#include "corpus.h"
#include "reference.h"

#define MAX_SOURCES 8

/* Counts of one (algorithm, device) pair. */
typedef struct tally {
    int largest; /* a size_class; -1: none yet */
    uint64_t graphs, checks, failures, requests;
    double seconds;
} tally;

/* One graph with everything known about it. */
typedef struct scene {
    corpus_graph item;
    nf_csr csr;
    nf_graph_info info;
    bool real;                       /* float weights */
    nf_vid sources[MAX_SOURCES + 1]; /* the one after the last is the first again: runs of many take it twice */
    uint64_t source_count;           /* 0 for the graph without vertices */
    ref_row **single[4];             /* by arithmetic and source; NULL until asked for */
    ref_row *nearest[4];
} scene;

typedef struct suite {
    uint64_t seed;
    int threads;
    bool quick;
    const char *without; /* a knob setting that is left out, or NULL */
    uint64_t sample;     /* of this many requests one is made; 1: all */
    uint64_t passed, failed, skipped;
} suite;

typedef struct subject {
    suite *suite;
    scene *scene;
    nf_context *ctx;
    const char *device;
    const nf_algorithm_info *alg;
    tally *tally;
} subject;

typedef enum call { CALL_ONE, CALL_MANY, CALL_NEAREST, CALL_ALL } call;

typedef struct request {
    const char *variant;
    call call;
    nf_vid source;  /* CALL_ONE; the others take the scene's sources */
    nf_type type;   /* NF_NONE: the default */
    uint32_t flags; /* NF_RUN_* */
    double cutoff;
    const nf_vid *targets;
    uint64_t target_count;
    bool buffers, sink;
    const char *knob; /* "name=value" or NULL */
} request;

/* scene.c */
bool scene_open(nf_context *ctx, const suite *suite, corpus_graph *item, scene *scene); /* takes the graph over */
void scene_close(scene *scene);
/* The reference row of one source, or of all the scene's sources together; NULL when memory ran out. */
const ref_row *scene_row(scene *scene, bool hops, nf_type arithmetic, nf_vid source);
const ref_row *scene_nearest(scene *scene, bool hops, nf_type arithmetic);

/* perform.c: makes the call and judges it, unless the suite takes a sample and this request is not in it. */
void perform(subject *s, const request *q);
/* Records one check; prints a line when it failed. `vertex` may be NF_NO_VERTEX. Returns ok. */
bool verdict(subject *s, const request *q, bool ok, nf_vid source, nf_vid vertex, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* The relative error that is right: 0 for exact. */
double tolerance_of(const subject *s, nf_type type);
/* The status any run with this distance type and this row must end with, overflow apart. */
nf_status status_of(const subject *s, const ref_row *want);
nf_type default_type(const scene *scene, nf_problem problem, nf_type asked);
nf_type arithmetic_of(nf_type type);

/* paths.c: what is asked of a method that goes between two vertices; all: in every way. */
void run_paths_of(subject *s, bool all);

/* variants.c: every variant that the size of the graph and the cost of the problem allow. */
void run_variants(subject *s);

#endif
