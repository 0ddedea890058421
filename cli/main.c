/* main.c - the table of commands, and the way from the command line to one of them.
 *
 * Invariant: M1 whatever a command has printed is known to have arrived (or the exit code says that it has not):
 * stdout is flushed and its errors are looked at once, here, at the end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_command commands[] = {
    {"info", C_INFO, "GRAPH", 1, 1, "what a graph file holds and how it was read", "",
     "  nearfar info USA-road-d.NY.gr.gz\n  nearfar info graph.mtx --diameter --json\n  nearfar info --formats\n",
     cli_cmd_info},
    {"bfs", C_BFS, "GRAPH", 1, 1, "fewest arcs from a source to every vertex",
     "Weights are ignored. Several sources give a row each, or with --nearest one row for all.\n",
     "  nearfar bfs wiki-Vote.txt.gz --source 30\n  nearfar bfs graph.el --source max-degree --verify --json\n"
     "  nearfar bfs graph.nfg --source 1 --source 7 --nearest --output owners.tsv\n",
     cli_cmd_run},
    {"sssp", C_SSSP, "GRAPH", 1, 1, "least sum of weights from a source to every vertex",
     "Negative weights are fine; a negative cycle that can be reached is printed, with exit code 4.\n",
     "  nearfar sssp USA-road-d.NY.gr.gz --source 1 --plot map.svg\n"
     "  nearfar sssp graph.wel --source random:7 --parents --output tree.tsv\n"
     "  nearfar sssp graph.nfg --sources list.ss --algorithm dijkstra --verify --json\n"
     "  nearfar sssp graph.mtx --source 1 --cutoff 25 --output - | sort -k2n | head\n",
     cli_cmd_run},
    {"apsp", C_APSP, "GRAPH", 1, 1, "shortest paths between all pairs of vertices",
     "Without --output only the totals are kept, so memory for all pairs is not needed by every method.\n",
     "  nearfar apsp ftv170.atsp.xz\n  nearfar apsp small.gr --algorithm floyd-warshall --output distances.npy\n"
     "  nearfar apsp large.nfg --memory 4G --output distances.npy --resume\n",
     cli_cmd_run},
    {"path", C_PATH, "GRAPH", 1, 1, "a shortest path between two vertices",
     "Prints its vertices, each with the distance so far. Exit code 6 when there is no way.\n",
     "  nearfar path USA-road-d.NY.gr.gz --source 1 --target 264346\n"
     "  nearfar path road.nfg --source 0 --target 99 --plot way.svg\n  nearfar path graph.csv --source 12 --target 99 "
     "--hops --json\n",
     cli_cmd_path},
    {"generate", C_GENERATE, "KIND", 1, 1, "make a graph: road, rmat, grid2d, ...",
     "The same seed gives the same graph at any number of threads. `nearfar generate --kinds` lists the kinds.\n",
     "  nearfar generate road --n 100000 --seed 1 -o road.nfg\n"
     "  nearfar generate rmat --scale 20 --edge-factor 16 --weights 1:255 -o rmat.wsg\n"
     "  nearfar generate grid2d --rows 100 --cols 200 --drop 0.1 -o grid.gr.gz\n",
     cli_cmd_generate},
    {"convert", C_CONVERT, "IN OUT", 2, 2, "read a graph in one format and write it in another",
     "Formats go by name and content; .gz, .zst and .xz are packed and unpacked. IN and OUT may be -.\n",
     "  nearfar convert USA-road-d.NY.gr.gz ny.nfg\n  nearfar convert - graph.mtx < edges.txt\n"
     "  nearfar convert a.csv b.wel --undirected --duplicates min\n",
     cli_cmd_convert},
    {"verify", C_VERIFY, "GRAPH RESULT", 2, 2, "check a result against its graph, rule by rule",
     "RESULT is what --output wrote, or LDBC Graphalytics output. Exit code 1 when a rule is broken.\n",
     "  nearfar verify graph.gr distances.tsv\n  nearfar verify graph.mtx levels.txt --problem bfs --source 1\n",
     cli_cmd_verify},
    {"algorithms", C_ALGORITHMS, "", 0, 0, "list the algorithms and their knobs", "",
     "  nearfar algorithms\n  nearfar algorithms --device cpu --json\n", cli_cmd_algorithms},
    {"bench", C_BENCH, "SUITE", 1, 1, "measure: Nearfar beside the rivals found on this machine",
     "The suite `cpu` runs Nearfar and its rivals in turns on the same graphs from the same sources,\n"
     "compares every answer with the textbook's, and prints times and ratios. `--auto-check` holds `auto`\n"
     "against every fixed method. `gpu-bfs`, `gpu-sssp` and `gpu-apsp` time every method of a device (--device,\n"
     "gpu by default).\n",
     "  nearfar bench cpu --scale 16 --sources 4\n  nearfar bench cpu --gap gapbs --graphs kron,grid -o ratios.md\n"
     "  nearfar bench cpu --auto-check --problems bfs,sssp -o auto.md\n",
     cli_cmd_bench},
    {"devices", C_DEVICES, "", 0, 0, "list the devices of this machine", "", "  nearfar devices --json\n",
     cli_cmd_devices},
    {"version", C_VERSION, "", 0, 0, "print the version", "", "  nearfar version\n", cli_cmd_version},
    {"help", C_HELP, "[COMMAND]", 0, 2, "explain a command", "", "  nearfar help sssp\n", cli_cmd_help},
};

const cli_command *cli_command_get(size_t i)
{
    return i < sizeof commands / sizeof commands[0] ? &commands[i] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    for (size_t i = 0; cli_command_get(i) != NULL; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(cli_app *app, const char *word)
{
    const char *names[sizeof commands / sizeof commands[0]];
    char near[160];
    for (size_t i = 0; cli_command_get(i) != NULL; i++)
        names[i] = commands[i].name;
    if (word[0] == '-')
        return cli_usage(app, "the command comes first: nearfar COMMAND ... %s; see `nearfar help`", word);
    cli_nearest(word, names, sizeof names / sizeof names[0], near, sizeof near);
    if (near[0] != '\0')
        return cli_usage(app, "no command is called \"%s\"; the nearest: %s", word, near);
    return cli_usage(app, "no command is called \"%s\"; see `nearfar help`", word);
}

/* Whether whoever read our output has gone: then there is nobody to complain to. */
static bool pipe_closed(int error)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return error == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0);
}

/* M1. */
static int close_stdout(cli_app *app, int code)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0;
    int error = errno;
    if (flushed && ferror(stdout) == 0)
        return code;
    if (!pipe_closed(error)) {
        app->args.json = false; /* stdout takes no object */
        cli_error(app, CLI_INPUT, "cannot write standard output: %s", error != 0 ? strerror(error) : "a write failed");
    }
    return code == CLI_OK ? CLI_INPUT : code;
}

static int run_command(cli_app *app, int argc, char **argv)
{
    if (argc < 2) {
        cli_help_overview(stderr);
        return CLI_USAGE;
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0;
         i++) /* known early, so that wrong options too are told in JSON */
        app->args.json = app->args.json || strcmp(argv[i], "--json") == 0;
    app->command = cli_command_find(argv[1]);
    if (app->command == NULL)
        return unknown_command(app, argv[1]);
    int code = cli_parse(app, argc - 2, argv + 2);
    if (code != CLI_OK)
        return code;
    if (app->args.help) {
        cli_help_command(stdout, app->command);
        return CLI_OK;
    }
    code = cli_open(app);
    return code == CLI_OK ? app->command->run(app) : code;
}

int main(int argc, char **argv)
{
    cli_app app = {0};
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file grown too large are write errors like others */
    signal(SIGXFSZ, SIG_IGN);
    app.argc = argc;
    app.argv = argv;
    int code = run_command(&app, argc, argv);
    code = close_stdout(&app, code);
    cli_close(&app);
    return code;
}
