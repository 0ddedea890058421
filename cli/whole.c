/* whole.c - `--resume` of a matrix that is finished: the same line, given once more, has nothing left to do.
 *
 * A finished matrix has no journal, so its file is looked at: the head and the size must be those of this run's matrix,
 * and some of its rows those of the graph, which are found anew. A file that differs is left to the library, which
 * refuses to overwrite it.
 * Invariant: W1 nothing is written.
 * Cost: SAMPLES searches; memory: two rows.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

enum { HEAD = 128, SAMPLES = 3 };

/* NumPy's head of n x n elements, as `streamed` writes it; the file has this head and is as long as it says. */
static bool is_matrix(int file, nf_type type, nf_vid n)
{
    static const char *const kinds[] = {"", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"};
    char has[HEAD], want[HEAD];
    struct stat info;
    const int used =
        snprintf(want, sizeof want, "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u), }", kinds[type], n, n);
    return fstat(file, &info) == 0 && (uint64_t)info.st_size == HEAD + (uint64_t)n * n * nf_type_size(type)
           && pread(file, has, HEAD, 0) == HEAD && memcmp(has, "\x93NUMPY", 6) == 0
           && memcmp(has + 10, want, (size_t)used) == 0;
}

static bool read_row(int file, void *row, size_t bytes, uint64_t at)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(file, (char *)row + done, bytes - done, (off_t)(at + done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static double real_at(nf_type type, const void *row, nf_vid v)
{
    return type == NF_F32 ? (double)((const float *)row)[v] : ((const double *)row)[v];
}

/* Integers are equal; floats up to the rounding of sums made in another order. */
static bool same_row(nf_type type, const void *a, const void *b, nf_vid n)
{
    double scale = 0;
    if (type != NF_F32 && type != NF_F64)
        return memcmp(a, b, nf_type_size(type) * n) == 0;
    for (nf_vid v = 0; v < n; v++)
        scale = isfinite(real_at(type, b, v)) ? fmax(scale, fabs(real_at(type, b, v))) : scale;
    for (nf_vid v = 0; v < n; v++) {
        const double x = real_at(type, a, v), y = real_at(type, b, v);
        if (x != y && !(fabs(x - y) <= (type == NF_F32 ? 1e-4 : 1e-10) * scale))
            return false;
    }
    return true;
}

static bool row_holds(cli_app *app, int file, nf_vid source)
{
    const cli_args *a = &app->args;
    const nf_vid n = nf_graph_n(app->graph);
    const nf_run_options o = {.size = sizeof o,
                              .flags = a->cutoff.given ? NF_RUN_CUTOFF : 0u,
                              .cutoff = a->cutoff.value,
                              .distance_type = cli_type_of(a->distance_type.text)};
    nf_run_info info = {.size = sizeof info};
    nf_result *result = NULL;
    void *row = NULL;
    bool holds = nf_sssp(app->ctx, app->graph, source, &o, &result) == NF_OK && nf_result_info(result, &info) == NF_OK
                 && is_matrix(file, info.type, n) && (row = malloc(nf_type_size(info.type) * n)) != NULL;
    if (holds) {
        const size_t bytes = nf_type_size(info.type) * n;
        holds = read_row(file, row, bytes, HEAD + (uint64_t)source * bytes)
                && same_row(info.type, row, nf_result_distances(result, 0), n);
    }
    free(row);
    nf_result_free(result);
    return holds;
}

/* NAME.parents.npy is there, and of the right size, where it was asked for. */
static bool parents_hold(const cli_app *app)
{
    const char *name = app->args.output;
    char path[4096];
    if (!app->args.parents && !app->args.deterministic)
        return true;
    snprintf(path, sizeof path, "%.*s.parents.npy", (int)(strlen(name) - 4), name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool holds = file >= 0 && is_matrix(file, NF_U32, nf_graph_n(app->graph));
    if (file >= 0)
        close(file);
    return holds;
}

bool cli_whole(cli_app *app)
{
    char journal[4096];
    const nf_vid n = nf_graph_n(app->graph);
    snprintf(journal, sizeof journal, "%s.nfj", app->args.output);
    if (n == 0 || access(journal, F_OK) == 0)
        return false;
    const int file = open(app->args.output, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && parents_hold(app);
    for (nf_vid i = 0; whole && i < SAMPLES; i++)
        whole = row_holds(app, file, (nf_vid)((uint64_t)(n - 1) * i / (SAMPLES - 1)));
    cli_bar_end(app);
    if (file >= 0)
        close(file);
    return whole;
}

int cli_report_whole(cli_app *app)
{
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_text(&j, "problem", "apsp");
        cli_json_count(&j, "n", nf_graph_n(app->graph));
        cli_json_text(&j, "output", app->args.output);
        cli_json_bool(&j, "whole", true);
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    } else if (!app->args.quiet)
        printf("%s is whole already: nothing is left to do\n", app->args.output);
    return CLI_OK;
}
