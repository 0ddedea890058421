/* options.c - the table of options and the parser it drives.
 *
 * Options are written --name VALUE or --name=VALUE, a few also by letter (-o FILE, -oFILE); "--" ends them;
 * everything else is an operand. Numbers are taken only as a whole and in range. A name that is none is answered with
 * the nearest ones.
 * Invariant: O1 every field of cli_args but the operands has exactly one row in the table.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define F(field) offsetof(cli_args, field)
#define FLAG(name, letter, field, commands, help)                        \
    {                                                                    \
        name, letter, NULL, K_FLAG, F(field), commands, 0, 0, NULL, help \
    }
#define TEXT(name, letter, value, field, commands, help)                  \
    {                                                                     \
        name, letter, value, K_TEXT, F(field), commands, 0, 0, NULL, help \
    }
#define LIST(name, value, field, commands, help)                     \
    {                                                                \
        name, 0, value, K_LIST, F(field), commands, 0, 0, NULL, help \
    }
#define COUNT(name, value, field, commands, min, max, help)               \
    {                                                                     \
        name, 0, value, K_COUNT, F(field), commands, min, max, NULL, help \
    }
#define REAL(name, value, field, commands, help)                     \
    {                                                                \
        name, 0, value, K_REAL, F(field), commands, 0, 0, NULL, help \
    }
#define CHOICE(name, value, field, commands, choices, help)               \
    {                                                                     \
        name, 0, value, K_CHOICE, F(field), commands, 0, 0, choices, help \
    }

enum { C_SOURCED = C_BFS | C_SSSP, C_SEARCH = C_RUN | C_PATH };

static const cli_option options[] = {
    /* what to compute */
    LIST("source", "V", source, C_SOURCED | C_PATH | C_VERIFY,
         "start here: a label, max-degree, or random:SEED (a vertex with an arc out); bfs and sssp take it several "
         "times"),
    TEXT("sources", 0, "FILE", sources, C_SOURCED, "start at every vertex listed: DIMACS .ss, or a label a line"),
    FLAG("nearest", 0, nearest, C_SOURCED, "one row: the distance to the nearest source, and which one that is"),
    LIST("target", "V", target, C_SOURCED | C_PATH | C_VERIFY,
         "stop once this vertex is settled; bfs and sssp take it several times; verify: the run had this target"),
    REAL("cutoff", "X", cutoff, C_SEARCH | C_VERIFY, "leave out what is farther than X (X itself is in)"),
    FLAG("parents", 0, parents, C_RUN, "also find the shortest-path tree"),
    FLAG("deterministic", 0, deterministic, C_SEARCH | C_VERIFY,
         "the tree of smallest parents: the same for every algorithm and device"),
    FLAG("hops", 0, hops, C_PATH, "fewest arcs instead of least weight"),
    CHOICE("distance-type", "T", distance_type, C_SSSP | C_APSP | C_PATH | C_VERIFY, "i32 u32 i64 u64 f32 f64",
           "type of the distances: i32, u32, i64, u64, f32 or f64"),
    /* how */
    TEXT("algorithm", 0, "NAME", algorithm, C_SEARCH | C_BENCH,
         "which method (see `nearfar algorithms`); default auto"),
    LIST("set", "KNOB=VALUE", set, C_SEARCH | C_BENCH,
         "turn a knob of the algorithm; may be given several times (bench: of the one that --algorithm names)"),
    FLAG("verify", 0, verify, C_SEARCH, "check the result before reporting it; exit 1 if it is wrong"),
    FLAG("explain", 0, explain, C_SEARCH, "say what the choice of algorithm was based on"),
    CHOICE("problem", "P", problem, C_VERIFY, "bfs sssp apsp",
           "what the result holds, when its file does not say: bfs, sssp or apsp"),
    TEXT("against", 0, "FILE", against, C_VERIFY,
         "also compare with this result, as LDBC Graphalytics has it: levels equal, distances within 0.01%"),
    REAL("tolerance", "E", tolerance, C_VERIFY, "floats: relative error allowed; default 0, exact"),
    /* where to */
    TEXT("output", 'o', "FILE", output, C_RUN | C_GENERATE,
         "write the result (.txt .tsv .json .npy .nfd) or graph (any format) by name; - is standard output"),
    TEXT("output", 'o', "FILE", output, C_BENCH, "also write the tables, as Markdown (.md) or JSON (.json)"),
    FLAG("resume", 0, resume, C_APSP, "go on with what an interrupted run has left of --output X.npy"),
    TEXT("plot", 0, "FILE.svg", plot, C_SOURCED | C_PATH, "draw the distances over the graph's coordinates"),
    CHOICE("projection", "P", projection, C_SOURCED | C_PATH, "auto plain lonlat",
           "what coordinates are, for --plot: plain, lonlat (degrees or millionths), or auto"),
    FLAG("all", 0, all, C_PATH, "print every vertex of a long path, also on a terminal"),
    TEXT("to", 0, "FORMAT", to, C_CONVERT | C_GENERATE, "format of the output, when its name does not say"),
    /* generate */
    COUNT("n", "N", n, C_GENERATE, 0, UINT32_MAX, "number of vertices"),
    COUNT("scale", "S", scale, C_GENERATE | C_BENCH, 0, 31, "2^S vertices; bench: 20 by default (gpu: 22), 6 at least"),
    COUNT("edges", "M", edges, C_GENERATE | C_BENCH, 0, UINT64_MAX, "number of edges, before reverses are added"),
    REAL("edge-factor", "F", edge_factor, C_GENERATE, "F edges a vertex"),
    TEXT("abc", 0, "A,B,C", abc, C_GENERATE, "rmat, kronecker: quadrant probabilities, for instance 0.57,0.19,0.19"),
    COUNT("k", "K", k, C_GENERATE, 0, UINT32_MAX, "small-world: neighbours of a vertex; tree: children; hub: hubs"),
    REAL("p", "P", p, C_GENERATE, "small-world: probability of rewiring"),
    REAL("forward", "F", forward, C_GENERATE, "forest-fire: forward burning probability"),
    REAL("backward", "B", backward, C_GENERATE, "forest-fire: backward burning probability"),
    COUNT("rows", "R", rows, C_GENERATE, 0, UINT32_MAX, "grids: rows"),
    COUNT("cols", "C", cols, C_GENERATE, 0, UINT32_MAX, "grids: columns"),
    COUNT("depth", "D", depth, C_GENERATE, 0, UINT32_MAX, "grid3d: layers"),
    REAL("drop", "P", drop, C_GENERATE, "grids, road: share of edges left out"),
    FLAG("keep-duplicates", 0, keep_duplicates, C_GENERATE, "keep parallel edges and loops"),
    FLAG("permute", 0, permute, C_GENERATE, "number the vertices at random"),
    TEXT("weights", 0, "LO:HI", weights, C_GENERATE, "draw weights uniformly from LO to HI, both included"),
    COUNT("seed", "S", seed, C_GENERATE | C_BENCH, 0, UINT64_MAX, "the same seed gives the same graph"),
    FLAG("kinds", 0, kinds, C_GENERATE, "list the kinds and what each can be told"),
    /* bench */
    TEXT("graphs", 0, "LIST", graphs, C_BENCH,
         "of kron,uniform,grid,ny,delaunay (gpu: rmat,uniform,grid,ny, and kron26,grid7k,kron24,road,dag,"
         "dag-permuted if named); default: all"),
    TEXT("problems", 0, "LIST", problems, C_BENCH, "of bfs,sssp,apsp,many,path; default: all"),
    TEXT("threads", 0, "LIST", thread_list, C_BENCH, "numbers of threads, up to 8 of them; default 1,2"),
    COUNT("sources", "N", source_number, C_BENCH, 1, 64, "so many sources, drawn by the seed"),
    COUNT("repeats", "N", repeats, C_BENCH, 1, 100, "the best of N runs from a source counts; default 3"),
    TEXT("gap", 0, "DIR", gap, C_BENCH, "folder of the programs of the GAP benchmark suite: a rival as well"),
    TEXT("rivals", 0, "LIST", rivals, C_BENCH,
         "of GAP,Boost,igraph,SciPy,GraphBLAS, or none; default: all that are found"),
    FLAG("auto-check", 0, auto_check, C_BENCH,
         "hold the choice of `auto` against every fixed method on graphs of other families"),
    FLAG("growth", 0, growth, C_BENCH, "run time against the number of arcs, from 10^4 up to --edges (default 10^8)"),
    TEXT("plot", 0, "FILE.svg", plot, C_BENCH,
         "--growth: draw it, in FILE-bfs.svg and FILE-sssp.svg; gpu-bfs: frontiers, in FILE-frontier.svg and .tsv"),
    TEXT("figures", 0, "DIR", figures, C_BENCH,
         "gpu-sssp: the figures of the papers from runs of this device, as DIR/NAME.svg and DIR/NAME.tsv"),
    TEXT("only", 0, "LIST", only, C_BENCH,
         "--figures: these only, of work,traversals,fronts,times,delta,dag,threads,pinned,ways"),
    /* info */
    FLAG("diameter", 0, diameter, C_INFO, "also estimate the diameter, in hops"),
    FLAG("formats", 0, formats, C_INFO, "list the file formats and how each is read"),
    /* reading */
    TEXT("format", 0, "FORMAT", format, C_READ,
         "format of the graph file (see `nearfar info --formats`); default: by content and name"),
    FLAG("directed", 0, directed, C_WORK, "take arcs as listed (generate: as drawn), whatever the format says"),
    FLAG("undirected", 0, undirected, C_READ, "add the reverse of every arc"),
    TEXT("weight-column", 0, "N", weight_column, C_READ,
         "edge lists: the column of the weight, from 1; none: ignore weights"),
    CHOICE("weight-type", "T", weight_type, C_WORK, "none i32 u32 f32 f64",
           "type of the weights: none, i32, u32, f32 or f64"),
    CHOICE("duplicates", "HOW", duplicates, C_READ, "keep min max sum",
           "parallel arcs: keep (default), min, max or sum"),
    FLAG("drop-loops", 0, drop_loops, C_READ, "leave out arcs from a vertex to itself"),
    TEXT("coordinates", 0, "FILE", coordinates, C_READ,
         "read coordinates from a .co file; --plot finds X.co beside X.gr itself"),
    FLAG("checksums", 0, checksums, C_READ, ".nfg: verify the checksums"),
    /* everywhere */
    TEXT("device", 0, "D", device, C_SEARCH | C_ALGORITHMS | C_BENCH,
         "auto, cpu, gpu, gpu:K or emulator (see `nearfar devices`)"),
    COUNT("threads", "N", threads, C_WORK, 1, 4096, "CPU threads; default: all"),
    {"memory", 0, "LIMIT", K_BYTES, F(memory), C_WORK, 0, 0, NULL, "use no more host memory than this: 4G, 512M, ..."},
    FLAG("json", 0, json, C_ALL, "print JSON"),
    FLAG("quiet", 'q', quiet, C_ALL, "print nothing but errors, and JSON when asked for"),
    FLAG("verbose", 0, verbose, C_WORK, "print what the library notes as it works: levels, rounds, choices"),
    FLAG("no-progress", 0, no_progress, C_WORK | C_BENCH, "no progress bar"),
    CHOICE("color", "WHEN", color, C_ALL, "auto always never", "colours: auto (on a terminal), always or never"),
    FLAG("words", 0, words, C_HELP, "list names only, for completion scripts"),
    FLAG("help", 'h', help, C_ALL, "print this help"),
};

const cli_option *cli_option_get(size_t i)
{
    return i < sizeof options / sizeof options[0] ? &options[i] : NULL;
}

bool cli_choice_get(const char *choices, int i, char *text, size_t capacity)
{
    const char *at = choices;
    for (; at != NULL && i > 0; i--) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL)
        return false;
    snprintf(text, capacity, "%.*s", (int)strcspn(at, " "), at);
    return true;
}

nf_type cli_type_of(const char *name)
{
    for (int t = NF_I32; t <= NF_F64; t++)
        if (strcmp(nf_type_name((nf_type)t), name) == 0)
            return (nf_type)t;
    return NF_NONE;
}

bool cli_read_count(const char *text, uint64_t *out)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *out = value;
    return true;
}

bool cli_read_real(const char *text, double *out)
{
    char *end = NULL;
    if (text[0] == '\0' || strspn(text, "+-0123456789.eE") != strlen(text))
        return false;
    double value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}

/* 4G, 512MiB, 1.5GB, 1000: binary units. */
static bool read_bytes(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789.");
    char number[32];
    double value;
    if (digits == 0 || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    const char *unit = text + digits;
    const char *found = *unit != '\0' ? strchr(units, *unit & ~0x20) : NULL;
    double factor = found != NULL ? ldexp(1.0, 10 * (int)(found - units + 1)) : 1.0;
    unit += found != NULL;
    if (!cli_read_real(number, &value) || (strcmp(unit, "") != 0 && strcmp(unit, "B") != 0 && strcmp(unit, "iB") != 0))
        return false;
    if (value * factor < 1.0 || value * factor >= 0x1.0p63)
        return false;
    *out = (uint64_t)(value * factor);
    return true;
}

static int add_item(cli_app *app, cli_list *list, const char *text)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL)
        return cli_error(app, CLI_MEMORY, "out of memory");
    list->items = items;
    list->items[list->count++] = text;
    return CLI_OK;
}

static int set_choice(cli_app *app, const cli_option *o, cli_choice *choice, const char *text)
{
    char names[16][16], near[64];
    const char *list[16];
    int count = 0;
    for (; count < 16 && cli_choice_get(o->choices, count, names[count], sizeof names[0]); count++) {
        list[count] = names[count];
        if (strcmp(names[count], text) == 0) {
            *choice = (cli_choice){.given = true, .index = count};
            snprintf(choice->text, sizeof choice->text, "%s", text);
            return CLI_OK;
        }
    }
    cli_nearest(text, list, (size_t)count, near, sizeof near);
    return cli_usage(app, "--%s: \"%s\" is none of: %s%s%s%s", o->name, text, o->choices,
                     near[0] ? "; did you mean " : "", near, near[0] ? "?" : "");
}

static int set_count(cli_app *app, const cli_option *o, cli_count *count, const char *text)
{
    if (!cli_read_count(text, &count->value) || count->value < o->min || count->value > o->max)
        return cli_usage(app, "--%s: \"%s\" is not a whole number from %llu to %llu", o->name, text,
                         (unsigned long long)o->min, (unsigned long long)o->max);
    count->given = true;
    return CLI_OK;
}

/* Stores a value in the option's field. */
static int set_option(cli_app *app, const cli_option *o, const char *text)
{
    void *field = (char *)&app->args + o->offset;
    switch (o->kind) {
    case K_FLAG: *(bool *)field = true; return CLI_OK;
    case K_TEXT:
        if (text[0] == '\0')
            return cli_usage(app, "--%s: the value is empty", o->name);
        *(const char **)field = text;
        return CLI_OK;
    case K_LIST: return add_item(app, field, text);
    case K_COUNT: return set_count(app, o, field, text);
    case K_REAL:
        if (!cli_read_real(text, &((cli_real *)field)->value))
            return cli_usage(app, "--%s: \"%s\" is not a number", o->name, text);
        ((cli_real *)field)->given = true;
        return CLI_OK;
    case K_BYTES:
        if (!read_bytes(text, &((cli_count *)field)->value))
            return cli_usage(app, "--%s: \"%s\" is not an amount of memory such as 4G or 512M", o->name, text);
        ((cli_count *)field)->given = true;
        return CLI_OK;
    case K_CHOICE:
    default: return set_choice(app, o, field, text);
    }
}

static const cli_option *find_option(uint32_t commands, const char *name, size_t length)
{
    for (size_t i = 0; cli_option_get(i) != NULL; i++) {
        const cli_option *o = cli_option_get(i);
        if ((o->commands & commands) != 0 && strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

static const cli_option *find_letter(uint32_t commands, char letter)
{
    for (size_t i = 0; cli_option_get(i) != NULL; i++)
        if ((options[i].commands & commands) != 0 && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static int unknown_option(cli_app *app, const char *word, size_t length)
{
    const char *names[sizeof options / sizeof options[0]];
    char wrong[64], near[160];
    size_t count = 0;
    snprintf(wrong, sizeof wrong, "%.*s", (int)length, word);
    if (word[0] == '-' && word[1] == '-' && find_option(C_ALL, word + 2, length - 2) != NULL)
        return cli_usage(app, "%s takes no option %s; see `nearfar %s --help`", app->command->name, wrong,
                         app->command->name);
    for (size_t i = 0; cli_option_get(i) != NULL; i++)
        if ((options[i].commands & app->command->bit) != 0)
            names[count++] = options[i].name;
    cli_nearest(wrong + strspn(wrong, "-"), names, count, near, sizeof near);
    if (near[0] != '\0')
        return cli_usage(app, "unknown option %s; the nearest: %s", wrong, near);
    return cli_usage(app, "unknown option %s; see `nearfar %s --help`", wrong, app->command->name);
}

/* Takes the option at argv[*at] and, where it has one apart, its value. */
static int take_option(cli_app *app, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const cli_option *o =
        is_long ? find_option(app->command->bit, word + 2, length - 2) : find_letter(app->command->bit, word[1]);
    const char *value = equals != NULL ? equals + 1 : !is_long && word[2] != '\0' ? word + 2 : NULL;
    if (o == NULL)
        return unknown_option(app, word, length);
    if (o->value == NULL)
        return value == NULL ? set_option(app, o, "") : cli_usage(app, "--%s takes no value", o->name);
    if (value == NULL) {
        const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
        if (next == NULL
            || (next[0] == '-' && next[1] == '-' && find_option(app->command->bit, next + 2, strcspn(next + 2, "="))))
            return cli_usage(app, "--%s needs a value: --%s %s", o->name, o->name, o->value);
        value = next;
        ++*at;
    }
    return set_option(app, o, value);
}

int cli_parse(cli_app *app, int argc, char **argv)
{
    const cli_command *c = app->command;
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            int code = take_option(app, argc, argv, &i);
            if (code != CLI_OK)
                return code;
        } else if (app->args.operands >= c->max) {
            return cli_usage(app, "%s takes %s%s; \"%s\" is one word too many", c->name,
                             c->max == 0 ? "no operands" : "only ", c->max == 0 ? "" : c->operands, word);
        } else {
            app->args.operand[app->args.operands++] = word;
        }
    }
    if (app->args.operands < c->min && !app->args.help && !app->args.formats && !app->args.kinds)
        return cli_usage(app, "%s needs %s; see `nearfar %s --help`", c->name, c->operands, c->name);
    if (app->args.directed && app->args.undirected)
        return cli_usage(app, "--directed and --undirected contradict each other");
    return CLI_OK;
}

void cli_args_clear(cli_args *args)
{
    free(args->source.items);
    free(args->target.items);
    free(args->set.items);
}
