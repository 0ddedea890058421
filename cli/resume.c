/* resume.c - all-pairs matrices that the library writes itself, by the method `streamed`: when, and how to go on.
 *
 * Invariant: U1 a run that could be resumed ends with the command line that does so.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* Bytes of the matrix, and of its parents. */
static double matrix_bytes(const cli_app *app)
{
    const cli_args *a = &app->args;
    nf_graph_info g = {.size = sizeof g};
    nf_graph_get_info(app->graph, &g);
    const nf_type asked = cli_type_of(a->distance_type.text);
    const size_t width = asked != NF_NONE ? nf_type_size(asked) : g.weight_type == NF_F32 ? 4 : 8;
    return (double)g.n * g.n * (double)(width + (a->parents || a->deterministic ? sizeof(nf_vid) : 0));
}

static double memory_left(const cli_app *app)
{
    nf_device_info d;
    if (app->args.memory.given)
        return (double)app->args.memory.value - (double)nf_context_bytes(app->ctx, NULL);
    for (size_t i = 0; nf_device_get(i, &d) == NF_OK; i++)
        if (strcmp(d.name, "cpu") == 0 && d.memory_free != 0)
            return (double)d.memory_free;
    return 1e300;
}

int cli_resume_plan(cli_app *app, cli_run *run)
{
    const cli_args *a = &app->args;
    const char *name = a->algorithm != NULL ? a->algorithm : "auto";
    if (run->problem != NF_APSP || a->verify || !cli_stream_fits(a->output))
        return CLI_OK;
    if (strcmp(name, "auto") != 0 && strcmp(name, "streamed") != 0)
        return a->resume ? cli_usage(app, "--resume goes with --algorithm streamed or auto, not %s", name) : CLI_OK;
    run->filed = a->resume || strcmp(name, "streamed") == 0 || matrix_bytes(app) > memory_left(app);
    return CLI_OK;
}

/* Appends a word as a shell takes it. */
static void add_word(char *line, size_t capacity, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
    const bool quoted = word[0] == '\0' || strspn(word, plain) != strlen(word);
    size_t used = strlen(line);
    used += (size_t)snprintf(line + used, capacity - used, "%s%s", used > 0 ? " " : "", quoted ? "'" : "");
    for (const char *c = word; *c != '\0' && used + 8 < capacity; c++)
        used += (size_t)snprintf(line + used, capacity - used, *c == '\'' ? "'\\''" : "%c", *c);
    if (quoted && used + 2 < capacity)
        snprintf(line + used, capacity - used, "'");
}

int cli_resume_fail(cli_app *app, const cli_run *run, nf_status status)
{
    char line[1500] = "", more[1600];
    const bool ended = status != NF_ECANCELLED && status != NF_EIO && status != NF_ENOMEM;
    (void)run;
    snprintf(more, sizeof more, "%s.nfj", app->args.output);
    if (ended || access(more, F_OK) != 0)
        return cli_fail(app, status);
    for (int i = 0; i < app->argc && strlen(line) + 300 < sizeof line; i++)
        if (strcmp(app->argv[i], "--resume") != 0)
            add_word(line, sizeof line, app->argv[i]);
    add_word(line, sizeof line, "--resume");
    snprintf(more, sizeof more, "; to go on: %s", line);
    return cli_fail_with(app, status, more);
}
