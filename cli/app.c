/* app.c - the running command: context, progress bar, errors, and reading the graph.
 *
 * The bar appears on a terminal after the command's first second and is erased at the end of each call.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define BAR_AFTER_MS 1000.0
#define BAR_CELLS 24

double cli_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

int cli_exit_code(nf_status status)
{
    switch (status) {
    case NF_OK: return CLI_OK;
    case NF_EINVAL: return CLI_USAGE;
    case NF_ENOMEM:
    case NF_EDEVMEM: return CLI_MEMORY;
    case NF_EIO:
    case NF_EFORMAT: return CLI_INPUT;
    case NF_EUNSUPPORTED:
    case NF_EOVERFLOW:
    case NF_ENOTFOUND: return CLI_UNSUPPORTED;
    case NF_ENEGCYCLE: return CLI_NEGCYCLE;
    case NF_ECANCELLED: return cli_interrupted() == SIGTERM ? 128 + SIGTERM : CLI_CANCELLED;
    case NF_ENODEVICE:
    case NF_ECUDA:
    case NF_EMPI: return CLI_DEVICE;
    case NF_EINTERNAL:
    default: return CLI_INTERNAL;
    }
}

static void print_line(const cli_app *app, const char *kind, const char *text)
{
    const char *colour = app->colour_err ? "\033[1;31m" : "", *plain = app->colour_err ? "\033[0m" : "";
    fprintf(stderr, "%snearfar: %s%s", colour, kind, plain);
    for (const char *c = text; *c != '\0'; c++) /* one line, and no control characters from a file on the terminal */
        fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, stderr);
    fputc('\n', stderr);
}

static void print_error(cli_app *app, const char *status, int code, const char *text)
{
    cli_bar_end(app);
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_begin(&j, "error", '{');
        cli_json_text(&j, "status", status);
        cli_json_text(&j, "message", text);
        cli_json_int(&j, "exit", code);
        cli_json_end(&j, '}');
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    }
    print_line(app, "", text);
}

int cli_fail_with(cli_app *app, nf_status status, const char *more)
{
    int code = cli_exit_code(status);
    char text[2048];
    const char *known = nf_last_error()[0] != '\0' ? nf_last_error() : nf_status_text(status);
    snprintf(text, sizeof text, "%s%s", status == NF_ECANCELLED ? "interrupted" : known, more);
    if (status == NF_EIO && strstr(text, strerror(EPIPE)) != NULL) { /* the reader has gone: no complaint */
        cli_bar_end(app);
        return code;
    }
    print_error(app, nf_status_name(status), code, text);
    return code;
}

int cli_fail(cli_app *app, nf_status status)
{
    return cli_fail_with(app, status, "");
}

static const char *status_of(int code)
{
    switch (code) {
    case CLI_USAGE: return "NF_EINVAL";
    case CLI_INPUT: return "NF_EIO";
    case CLI_MEMORY: return "NF_ENOMEM";
    case CLI_UNSUPPORTED: return "NF_ENOTFOUND";
    case CLI_CANCELLED: return "NF_ECANCELLED";
    default: return "NF_EINTERNAL";
    }
}

int cli_error(cli_app *app, int code, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_error(app, status_of(code), code, text);
    return code;
}

int cli_usage(cli_app *app, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_error(app, "NF_EINVAL", CLI_USAGE, text);
    return CLI_USAGE;
}

void cli_complain(const cli_app *app, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_line(app, "", text);
}

void cli_warn(const cli_app *app, const char *format, ...)
{
    char text[1024];
    va_list list;
    if (app->args.quiet)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_line(app, "warning: ", text);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Edit distance of two names, both cut at 31 letters: insert, delete, replace, swap of neighbours. */
static int edit_distance(const char *a, const char *b)
{
    int row[3][33];
    size_t la = strnlen(a, 31), lb = strnlen(b, 31);
    for (size_t j = 0; j <= lb; j++)
        row[1][j] = (int)j;
    for (size_t i = 1; i <= la; i++) {
        int *before = row[i % 3], *now = row[(i + 1) % 3];
        const int *old = row[(i + 2) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= lb; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && old[j - 2] + 1 < best)
                best = old[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[(la + 1) % 3][lb];
}

void cli_nearest(const char *wrong, const char *const *names, size_t count, char *text, size_t capacity)
{
    const char *best[3] = {NULL, NULL, NULL};
    int far[3] = {99, 99, 99}, most = 1 + (int)strnlen(wrong, 31) / 3, found = 0;
    for (size_t i = 0; i < count; i++) {
        bool begins = wrong[0] != '\0' && strncmp(names[i], wrong, strlen(wrong)) == 0;
        int d = begins ? 0 : edit_distance(wrong, names[i]), at = 3;
        while (at > 0 && d < far[at - 1])
            at--;
        if (d > most || at == 3)
            continue;
        for (int j = 2; j > at; j--)
            best[j] = best[j - 1], far[j] = far[j - 1];
        best[at] = names[i], far[at] = d;
        found = found < 3 ? found + 1 : 3;
    }
    text[0] = '\0';
    for (int i = 0; i < found; i++) {
        size_t used = strlen(text);
        snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : i + 1 == found ? " or " : ", ", best[i]);
    }
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void draw_bar(const char *phase, double elapsed_ms, uint64_t done, uint64_t total)
{
    char cells[BAR_CELLS + 1];
    double share = total > 0 ? (double)done / (double)total : 0.0;
    share = share > 1.0 ? 1.0 : share;
    if (total == 0) {
        fprintf(stderr, "\r\033[K%-10s %.0f s", phase, elapsed_ms / 1e3);
        return;
    }
    for (int i = 0; i < BAR_CELLS; i++)
        cells[i] = (double)i < share * BAR_CELLS ? '#' : '.';
    cells[BAR_CELLS] = '\0';
    fprintf(stderr, "\r\033[K%-10s [%s] %3.0f%%", phase, cells, 100.0 * share);
    if (share > 0.01) {
        long left = (long)(elapsed_ms / 1e3 * (1.0 - share) / share + 0.5);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
}

static bool on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    cli_app *app = user;
    double now = cli_now_ms();
    if (!app->bar_wanted)
        return cli_interrupted() != 0;
    if (app->bar_phase == NULL || strcmp(app->bar_phase, phase) != 0) {
        app->bar_phase = phase;
        app->phase_ms = now;
    }
    if (now - app->open_ms > BAR_AFTER_MS) {
        draw_bar(phase, now - app->phase_ms, done, total);
        app->bar_drawn = true;
    }
    return cli_interrupted() != 0;
}

void cli_bar_end(cli_app *app)
{
    if (app->bar_drawn)
        fputs("\r\033[K", stderr);
    app->bar_drawn = false;
    app->bar_phase = NULL;
}

static void on_log(void *user, nf_log_level level, const char *text)
{
    cli_app *app = user;
    (void)level;
    cli_bar_end(app);
    fprintf(stderr, "%s\n", text);
}

int cli_open(cli_app *app)
{
    const char *plain = getenv("NO_COLOR"), *term = getenv("TERM");
    bool never = app->args.color.index == 2, always = app->args.color.index == 1;
    bool allowed = !never && (plain == NULL || plain[0] == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
    app->colour_out = always || (allowed && isatty(STDOUT_FILENO));
    app->colour_err = always || (allowed && isatty(STDERR_FILENO));
    app->bar_wanted = !app->args.no_progress && !app->args.quiet && isatty(STDERR_FILENO);
    app->open_ms = cli_now_ms();
    cli_catch_signals(NULL);
    if ((app->command->bit & C_WORK) == 0)
        return CLI_OK;
    nf_context_options o = {.size = sizeof o};
    o.device = app->args.device;
    o.threads = (int)app->args.threads.value;
    o.memory_limit = app->args.memory.value;
    o.progress = on_progress;
    o.progress_user = app;
    o.log = app->args.verbose ? on_log : NULL;
    o.log_user = app;
    nf_status st = nf_context_create(&o, &app->ctx);
    if (st != NF_OK)
        return cli_fail(app, st);
    cli_catch_signals(app->ctx);
    return CLI_OK;
}

void cli_close(cli_app *app)
{
    cli_bar_end(app);
    cli_forget_context();
    nf_graph_free(app->graph);
    nf_context_free(app->ctx);
    cli_args_clear(&app->args);
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

size_t cli_unpacked(const char *path)
{
    static const char *const packed[] = {".gz", ".zst", ".xz"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
        if (length > strlen(packed[i]) && strcmp(path + length - strlen(packed[i]), packed[i]) == 0)
            return length - strlen(packed[i]);
    return length;
}

/* X.co, X.co.gz, ... beside X.gr[.gz]; false when there is none. */
static bool find_coordinates(const char *path, char *out, size_t capacity)
{
    static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
    size_t length = cli_unpacked(path);
    if (length < 3 || memcmp(path + length - 3, ".gr", 3) != 0)
        return false;
    for (size_t i = 0; i < 4; i++) {
        int written = snprintf(out, capacity, "%.*s.co%s", (int)(length - 3), path, packed[i]);
        if (written > 0 && (size_t)written < capacity && access(out, R_OK) == 0)
            return true;
    }
    return false;
}

static int read_options(cli_app *app, nf_read_options *o)
{
    const cli_args *a = &app->args;
    uint64_t column = 0;
    *o = (nf_read_options){.size = sizeof *o, .format = a->format, .coordinates = a->coordinates};
    o->flags = (a->directed ? NF_READ_DIRECTED : 0u) | (a->undirected ? NF_READ_UNDIRECTED : 0u)
               | (a->drop_loops ? NF_READ_DROP_LOOPS : 0u) | (a->checksums ? NF_READ_CHECKSUMS : 0u);
    o->duplicates = (nf_duplicates)a->duplicates.index;
    o->weight_type = cli_type_of(a->weight_type.text);
    if (a->weight_type.given && o->weight_type == NF_NONE)
        o->weight_column = -1;
    if (a->weight_column == NULL)
        return CLI_OK;
    if (strcmp(a->weight_column, "none") == 0)
        o->weight_column = -1;
    else if (cli_read_count(a->weight_column, &column) && column >= 1 && column <= 1000000)
        o->weight_column = (int)column;
    else
        return cli_usage(app, "--weight-column: \"%s\" is neither a column, counted from 1, nor none",
                         a->weight_column);
    return CLI_OK;
}

int cli_load(cli_app *app, bool coordinates)
{
    const char *path = app->args.operand[0];
    char beside[4096];
    nf_read_options o;
    int code = read_options(app, &o);
    if (code != CLI_OK)
        return code;
    if (coordinates && o.coordinates == NULL && find_coordinates(path, beside, sizeof beside))
        o.coordinates = beside;
    const char *slash = strrchr(path, '/');
    app->graph_name = strcmp(path, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : path;
    double start = cli_now_ms();
    nf_status st = nf_graph_read(app->ctx, path, &o, &app->graph);
    app->read_ms = cli_now_ms() - start;
    cli_bar_end(app);
    if (st == NF_OK && cli_interrupted())
        st = NF_ECANCELLED;
    return st == NF_OK ? CLI_OK : cli_fail(app, st);
}

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The first vertex with an arc out at or after a random place: the same for a seed everywhere. */
static int random_vertex(cli_app *app, uint64_t seed, nf_vid *out)
{
    nf_csr g;
    nf_status st = nf_graph_view(app->ctx, app->graph, &g);
    if (st != NF_OK)
        return cli_fail(app, st);
    nf_vid at = (nf_vid)(mix(seed) % (g.n > 0 ? g.n : 1));
    for (nf_vid i = 0; i < g.n; i++, at = at + 1 < g.n ? at + 1 : 0)
        if (g.off32 != NULL ? g.off32[at + 1] > g.off32[at] : g.off64[at + 1] > g.off64[at]) {
            *out = at;
            return CLI_OK;
        }
    return cli_error(app, CLI_UNSUPPORTED, "%s: no vertex has an arc out, so none can be drawn at random",
                     app->graph_name);
}

static int no_such_vertex(cli_app *app, const char *option, const char *text)
{
    nf_vid n = nf_graph_n(app->graph);
    nf_graph_info info = {.size = sizeof info};
    nf_graph_get_info(app->graph, &info);
    if (n == 0)
        return cli_error(app, CLI_UNSUPPORTED, "--%s %s: %s has no vertices", option, text, app->graph_name);
    return cli_error(app, CLI_UNSUPPORTED,
                     "--%s %s: %s has no such vertex; its %u vertices are numbered %s%llu to %llu", option, text,
                     app->graph_name, n, info.sparse_labels ? "with gaps from " : "",
                     (unsigned long long)nf_graph_label(app->graph, 0),
                     (unsigned long long)nf_graph_label(app->graph, n - 1));
}

int cli_vertex(cli_app *app, const char *option, const char *text, nf_vid *out)
{
    uint64_t number;
    if (strcmp(text, "max-degree") == 0) {
        nf_graph_stats stats = {.size = sizeof stats};
        nf_status st = nf_graph_get_stats(app->ctx, app->graph, 0, &stats);
        if (st != NF_OK)
            return cli_fail(app, st);
        *out = stats.degree_max_vertex;
        return *out != NF_NO_VERTEX ? CLI_OK : no_such_vertex(app, option, text);
    }
    if (strncmp(text, "random:", 7) == 0 && cli_read_count(text + 7, &number))
        return random_vertex(app, number, out);
    if (!cli_read_count(text, &number))
        return cli_usage(app, "--%s: \"%s\" is not a vertex: a label (a whole number), max-degree or random:SEED",
                         option, text);
    return nf_graph_find(app->graph, number, out) == NF_OK ? CLI_OK : no_such_vertex(app, option, text);
}

int cli_targets(cli_app *app, nf_vid **out)
{
    const cli_list *list = &app->args.target;
    int code = CLI_OK;
    *out = NULL;
    if (list->count == 0)
        return CLI_OK;
    nf_vid *targets = calloc(list->count, sizeof *targets);
    if (targets == NULL)
        return cli_error(app, CLI_MEMORY, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < list->count; i++)
        code = cli_vertex(app, "target", list->items[i], &targets[i]);
    if (code == CLI_OK)
        *out = targets;
    else
        free(targets);
    return code;
}
