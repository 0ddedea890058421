/* cli.h - what the files of the command share.
 *
 * The command stands on the public header only, plus the checkers of tests/check for `verify` and `--verify`.
 *
 * Invariants
 *   C1 one table of commands (main.c) and one of options (options.c) drive parsing, help and completion;
 *   C2 functions named cli_* that can fail have told the user (one line on stderr, and a JSON object on stdout with
 *      --json) before they return an exit code other than 0;
 *   C3 vertices are named by the graph's labels in everything a user reads or writes;
 *   C4 nothing is printed on stdout before the work has succeeded, so that a failure leaves no half answer.
 */
#ifndef NF_CLI_H
#define NF_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nearfar.h"

#define CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Exit codes; nearfar.1 documents them. */
enum {
    CLI_OK = 0,
    CLI_WRONG = 1,       /* a result failed its check */
    CLI_USAGE = 2,       /* the command line is wrong */
    CLI_INPUT = 3,       /* a file cannot be read, is malformed, or cannot be written */
    CLI_NEGCYCLE = 4,    /* the graph has a reachable negative cycle */
    CLI_MEMORY = 5,      /* out of memory */
    CLI_UNSUPPORTED = 6, /* not supported, not found, or a distance that does not fit */
    CLI_DEVICE = 7,      /* no such device, or it failed */
    CLI_INTERNAL = 8,    /* a bug */
    CLI_CANCELLED = 130  /* Ctrl-C */
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Which commands take an option. */
enum {
    C_INFO = 1,
    C_BFS = 2,
    C_SSSP = 4,
    C_APSP = 8,
    C_PATH = 16,
    C_GENERATE = 32,
    C_CONVERT = 64,
    C_VERIFY = 128,
    C_ALGORITHMS = 256,
    C_DEVICES = 512,
    C_VERSION = 1024,
    C_HELP = 2048,
    C_BENCH = 4096,
    C_RUN = C_BFS | C_SSSP | C_APSP,
    C_READ = C_INFO | C_RUN | C_PATH | C_CONVERT | C_VERIFY,
    C_WORK = C_READ | C_GENERATE,
    C_ALL = C_WORK | C_ALGORITHMS | C_DEVICES | C_VERSION | C_HELP | C_BENCH
};

typedef enum cli_kind { K_FLAG, K_TEXT, K_LIST, K_COUNT, K_REAL, K_BYTES, K_CHOICE } cli_kind;

typedef struct cli_count {
    bool given;
    uint64_t value;
} cli_count;
typedef struct cli_real {
    bool given;
    double value;
} cli_real;
typedef struct cli_choice {
    bool given;
    int index;
    char text[16];
} cli_choice; /* index into the option's choices */
typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

typedef struct cli_args {
    const char *operand[2];
    size_t operands;
    /* everywhere */
    bool help, json, quiet, verbose, no_progress;
    cli_choice color;
    const char *device;
    cli_count threads, memory;
    /* reading a graph */
    const char *format, *weight_column, *coordinates;
    bool directed, undirected, drop_loops, checksums;
    cli_choice weight_type, duplicates;
    /* runs */
    cli_list source, target, set;
    const char *sources, *algorithm, *output, *plot;
    bool nearest, parents, deterministic, verify, explain, all, hops, resume;
    cli_real cutoff;
    cli_choice distance_type, projection, problem;
    /* generate */
    cli_count n, scale, edges, k, rows, cols, depth, seed;
    cli_real edge_factor, p, forward, backward, drop;
    const char *abc, *weights;
    bool keep_duplicates, permute;
    /* bench */
    const char *graphs, *problems, *thread_list, *gap, *rivals, *figures, *only;
    cli_count source_number, repeats;
    bool auto_check, growth;
    /* the rest */
    const char *to, *against;
    cli_real tolerance;
    bool diameter, formats, kinds, words;
} cli_args;

typedef struct cli_option {
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* what help calls the value; NULL for a flag */
    cli_kind kind;
    size_t offset; /* of the field in cli_args */
    uint32_t commands;
    uint64_t min, max;   /* counts: the closed range */
    const char *choices; /* K_CHOICE: space-separated, index 0 first */
    const char *help;
} cli_option;

typedef struct cli_app cli_app;

typedef struct cli_command {
    const char *name;
    uint32_t bit;
    const char *operands; /* as the synopsis shows them */
    size_t min, max;      /* how many */
    const char *summary, *about, *examples;
    int (*run)(cli_app *app);
} cli_command;

/* The i-th option; NULL past the end. */
const cli_option *cli_option_get(size_t i);
/* Fills app->args from the words after the command's name. */
int cli_parse(cli_app *app, int argc, char **argv);
void cli_args_clear(cli_args *args);
/* The i-th choice of a space-separated list copied into text; false past the end. */
bool cli_choice_get(const char *choices, int i, char *text, size_t capacity);
/* The type of that name; NF_NONE when there is none. */
nf_type cli_type_of(const char *name);
/* Strict numbers: the whole text, in range. */
bool cli_read_count(const char *text, uint64_t *out);
bool cli_read_real(const char *text, double *out);

/* ---- the running command (app.c) --------------------------------------------------------------------------------- */

struct cli_app {
    const cli_command *command;
    int argc; /* the words of the command line */
    char **argv;
    cli_args args;
    nf_context *ctx;
    nf_graph *graph;
    const char *graph_name; /* file name without its folders */
    double read_ms;
    bool colour_out, colour_err;
    /* the progress bar */
    bool bar_wanted, bar_drawn;
    const char *bar_phase;
    double open_ms, phase_ms; /* when the command and the phase began */
};

const cli_command *cli_command_get(size_t i);
const cli_command *cli_command_find(const char *name);

double cli_now_ms(void);
/* Colours and the context, after parsing; cli_close undoes it. */
int cli_open(cli_app *app);
void cli_close(cli_app *app);
/* The signal that asked for an end, 0 when none did (signals.c). */
int cli_interrupted(void);
/* From now on Ctrl-C and SIGTERM cancel what runs in the context. */
void cli_catch_signals(nf_context *ctx);
void cli_forget_context(void);
/* Around work of the checkers, which cannot be cancelled and has nothing to clean up. */
void cli_still_begin(const cli_app *app);
void cli_still_end(void);
/* Forgets the bar once a long call is over. */
void cli_bar_end(cli_app *app);

/* Each reports one line and gives the exit code. cli_fail reports the library's last error. */
int cli_fail(cli_app *app, nf_status status);
/* The same with more words after the text, "" for none. */
int cli_fail_with(cli_app *app, nf_status status, const char *more);
int cli_error(cli_app *app, int code, const char *format, ...) CLI_PRINTF(3, 4);
int cli_usage(cli_app *app, const char *format, ...) CLI_PRINTF(2, 3);
void cli_warn(const cli_app *app, const char *format, ...) CLI_PRINTF(2, 3);
/* A failure whose JSON object the caller prints itself: only the line on stderr. */
void cli_complain(const cli_app *app, const char *format, ...) CLI_PRINTF(2, 3);
int cli_exit_code(nf_status status);

/* Reads the graph of operand 0 as the reading options say; with coordinates when asked for and to be had. */
int cli_load(cli_app *app, bool coordinates);
/* The length of a path without .gz, .zst or .xz. */
size_t cli_unpacked(const char *path);
/* One vertex from a label, "max-degree" or "random:SEED". */
int cli_vertex(cli_app *app, const char *option, const char *text, nf_vid *out);
/* The vertices of --target, to be freed; NULL when there are none. */
int cli_targets(cli_app *app, nf_vid **out);

/* Up to three names near `wrong`, as "a, b or c", into text; "" when none is near. */
void cli_nearest(const char *wrong, const char *const *names, size_t count, char *text, size_t capacity);

/* ---- printing (print.c) ------------------------------------------------------------------------------------------ */

/* JSON on stdout: one value after another; the writer puts the commas. */
typedef struct cli_json {
    FILE *file;
    int depth;
    bool comma[16];
} cli_json;

void cli_json_begin(cli_json *j, const char *key, char bracket); /* '{' or '['; key NULL inside arrays */
void cli_json_end(cli_json *j, char bracket);
void cli_json_text(cli_json *j, const char *key, const char *text); /* NULL: null */
void cli_json_count(cli_json *j, const char *key, uint64_t value);
void cli_json_int(cli_json *j, const char *key, int64_t value);
void cli_json_real(cli_json *j, const char *key, double value); /* null when not finite */
void cli_json_ms(cli_json *j, const char *key, double value);   /* three decimals */
void cli_json_bool(cli_json *j, const char *key, bool value);
void cli_json_number(cli_json *j, const char *key, const char *digits); /* as written; null unless a number */
void cli_json_label(cli_json *j, const char *key, const nf_graph *graph, nf_vid v); /* null for NF_NO_VERTEX */
void cli_json_finish(cli_json *j);

/* Bytes of the UTF-8 character at text; 0 when it is none. */
size_t cli_utf8(const char *text);
/* 1234567 as 1,234,567; capacity >= 32. Returns text. */
char *cli_grouped(uint64_t value, char *text);
char *cli_bytes(uint64_t bytes, char *text);
char *cli_ms(double ms, char *text);
/* d[i], a distance of the type, exact: "inf" for "unreached". capacity >= 32. Returns text. */
char *cli_number(nf_type type, const void *d, uint64_t i, char *text);
/* A distance of a result, exact: "inf" when unreached. capacity >= 32. Returns text. */
char *cli_distance(const nf_result *result, uint64_t row, nf_vid v, char *text);
/* One aligned line "  name   value" of a summary. */
void cli_line(FILE *f, const char *name, const char *format, ...) CLI_PRINTF(3, 4);
const char *cli_bold(const cli_app *app);
const char *cli_plain(const cli_app *app);

void cli_help_overview(FILE *f);
void cli_help_command(FILE *f, const cli_command *command);

/* ---- pictures (plot.c, svg.c) ------------------------------------------------------------------------------------ */

typedef struct cli_walk {
    const nf_vid *vertices;
    uint64_t length;
} cli_walk;

typedef struct cli_plot {
    const nf_result *result;
    uint64_t row;
    const nf_vid *sources;
    uint64_t source_count;
    const cli_walk *walks; /* paths to draw in contrast */
    size_t walk_count;
    const char *title, *subtitle;
} cli_plot;

/* True, or one line that says what is missing. */
int cli_plot_ready(cli_app *app);
int cli_plot_write(cli_app *app, const cli_plot *plot, const char *path);

/* ---- checking (check.c) ------------------------------------------------------------------------------------------ */

/* Runs the checkers over every row; text gets the rule that failed and where. `ok` tells the outcome. */
int cli_check(cli_app *app, const nf_result *result, bool *ok, char *text, size_t capacity);
/* The same for a path that is not part of a result's tree: that it follows arcs and is as long as `distance`. */
int cli_check_walk(cli_app *app, const nf_result *result, const cli_walk *walk, double distance, bool *ok, char *text,
                   size_t capacity);

/* The entry of the list; device "gpu:0" matches "gpu". NULL when there is none. */
const nf_algorithm_info *cli_algorithm(nf_problem problem, const char *device, const char *name);

/* ---- commands ---------------------------------------------------------------------------------------------------- */

int cli_cmd_info(cli_app *app);
int cli_cmd_run(cli_app *app);
int cli_cmd_path(cli_app *app);
int cli_cmd_generate(cli_app *app);
int cli_cmd_convert(cli_app *app);
int cli_cmd_verify(cli_app *app);
int cli_cmd_algorithms(cli_app *app);
int cli_cmd_devices(cli_app *app);
int cli_cmd_version(cli_app *app);
int cli_cmd_help(cli_app *app);
int cli_cmd_bench(cli_app *app);
/* The suites of `bench`, i = 0, 1, ...; NULL past the end. */
const char *cli_suite(size_t i);

#endif
