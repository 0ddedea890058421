/* run.h - one run of a search, between running (run.c) and reporting (report.c). */
#ifndef NF_CLI_RUN_H
#define NF_CLI_RUN_H

#include "cli.h"

typedef struct cli_run {
    nf_problem problem;
    nf_vid *sources; /* none for apsp */
    uint64_t source_count;
    nf_vid *targets; /* as many as args.target.count */
    nf_result *result;
    bool verified;
    double verify_ms;
} cli_run;

/* The paths to the targets in row 0, one a target (length 0: unreached); NULL when there are no targets or parents. */
int cli_run_walks(cli_app *app, const cli_run *run, cli_walk **out);
void cli_walks_free(cli_walk *walks, size_t count);

int cli_report_run(cli_app *app, const cli_run *run);
int cli_report_path(cli_app *app, const cli_run *run);

#endif
