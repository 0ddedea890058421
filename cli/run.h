/* run.h - one run of a search, between running (run.c) and reporting (report.c). */
#ifndef NF_CLI_RUN_H
#define NF_CLI_RUN_H

#include "cli.h"

/* Rows of distances that go to their file one by one (stream.c). */
typedef struct cli_stream {
    uint64_t rows;
    nf_vid n;
    const char *path;
    char part[4096]; /* its name until it is whole */
    int file;        /* -1: none */
    nf_type type;    /* NF_NONE until the first tile */
    int error;       /* errno of the first failure */
} cli_stream;

typedef struct cli_run {
    nf_problem problem;
    nf_vid *sources; /* none for apsp */
    uint64_t source_count;
    nf_vid *targets;   /* as many as args.target.count */
    nf_result *result; /* path: only where --plot or --verify wants the distances around it */
    nf_path *path;     /* path only */
    bool verified;
    double verify_ms;
    bool limited; /* path with negative weights: the target alone is held against the cutoff, which is `limit` */
    double limit;
    bool streamed;
    cli_stream stream;
    bool filed; /* the library writes the file itself, by the method `streamed` (resume.c) */
} cli_run;

/* The paths to the targets in row 0, one a target (length 0: unreached); NULL when there are no targets or parents. */
int cli_run_walks(cli_app *app, const cli_run *run, cli_walk **out);
void cli_walks_free(cli_walk *walks, size_t count);

/* Whether the matrix is to be written by the method `streamed`: it was asked for, or memory is too small. */
int cli_resume_plan(cli_app *app, cli_run *run);
/* Reports the end of such a run, with the line that goes on with it where there is something left. */
int cli_resume_fail(cli_app *app, const cli_run *run, nf_status status);

/* Whether the output of --resume is there and finished, and that of this graph as far as some of its rows tell. */
bool cli_whole(cli_app *app);
int cli_report_whole(cli_app *app);

/* Whether a file of this name can be written by tiles. */
bool cli_stream_fits(const char *path);
int cli_stream_open(cli_app *app, const char *path, uint64_t rows, cli_stream *stream);
nf_status cli_stream_tile(void *user, const nf_tile *tile); /* an nf_sink_fn; user is the stream */
/* Gives the file its name, or removes it: result is that of the finished run, NULL when the run failed. */
int cli_stream_close(cli_app *app, cli_stream *stream, const nf_result *result);

int cli_report_run(cli_app *app, const cli_run *run);
int cli_report_path(cli_app *app, const cli_run *run);

#endif
