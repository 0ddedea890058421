/* run.h - a run and its rows in work, shared by run.c and rows.c. */
#ifndef NF_CORE_RUN_H
#define NF_CORE_RUN_H

#include "core/backend.h"
#include "core/result.h"

/* What the caller asked for. */
typedef struct call {
    nf_problem problem;
    const nf_graph *graph;
    const nf_vid *sources;
    uint64_t count;
    bool nearest;
    bool hops; /* NF_PATH: weights are left out of it */
} call;

/* A run with what only the core sees. `run` is first, so that an nf__run * is a state *. */
typedef struct state {
    nf__run run;
    nf_result *result;
    nf_type type; /* of the distances handed out */
    nf_sink_fn sink;
    void *sink_user;
    double build_ms;
    double row_start;
    void *work_row;     /* n of work_type, where a row is not made in its final place */
    void *out_row;      /* n of type, for the sink */
    nf_vid *parent_row; /* for the sink, and for owners when nobody wants parents */
    bool keep_parents;  /* parents go to the result */
    nf_path *path;      /* NF_PATH: what comes of it */
} state;

/* Checks sources, targets and options of a call. */
nf_status nf__run_check(const call *c, const nf_run_options *o);
/* Makes s->run ready: views, statistics, types, cutoff, targets, the algorithm. ctx and graph are not NULL. */
nf_status nf__run_open(state *s, nf_context *ctx, const call *c, const nf_run_options *o);

/* Allocates what rows need (result arrays or scratch), and releases the scratch. */
nf_status nf__rows_prepare(state *s, const nf_run_options *o);
void nf__rows_release(state *s);

#endif
