/* bench.c - `nearfar bench SUITE`: settings, the suites, and their tables on stdout and in a file.
 *
 * Progress lines go to stderr as rows are done; stdout gets the tables at the end.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define SEED 27491u

static const struct {
    const char *name;
    int (*run)(bench *b);
    const char *(*graph)(size_t i); /* the names --graphs may have */
    unsigned scale;                 /* unless told */
} suites[] = {{"cpu", bench_cpu, bench_graph_name, 20},
              {"gpu-bfs", bench_gpu_bfs, bench_gpu_graph_name, 22},
              {"gpu-sssp", bench_gpu_sssp, bench_gpu_graph_name, 22},
              {"gpu-apsp", bench_gpu_apsp, bench_gpu_apsp_name, 14}};

const char *cli_suite(size_t i)
{
    return i < sizeof suites / sizeof suites[0] ? suites[i].name : NULL;
}

void bench_say(const bench *b, const char *format, ...)
{
    va_list list;
    if (b->app->args.quiet || b->app->args.no_progress)
        return;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static bool out_of_time(void *user, const char *phase, uint64_t done, uint64_t total)
{
    const bench *b = user;
    (void)phase, (void)done, (void)total;
    return cli_interrupted() || (b->deadline > 0 && cli_now_ms() > b->deadline);
}

int bench_context(bench *b, const char *device, int threads, nf_context **out)
{
    const nf_context_options o = {
        .size = sizeof o, .device = device, .threads = threads, .progress = out_of_time, .progress_user = b};
    nf_status st = nf_context_create(&o, out);
    return st == NF_OK ? CLI_OK : cli_fail(b->app, st);
}

bool bench_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && memcmp(at, word, length) == 0)
            return true;
    return list == NULL;
}

/* Every word of the list is one of the names. */
static int check_list(cli_app *app, const char *option, const char *list, const char *const *names, size_t count)
{
    char word[32], near[96];
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        bool known = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(names[i], word) == 0;
        if (known)
            continue;
        cli_nearest(word, names, count, near, sizeof near);
        return cli_usage(app, "--%s: \"%s\" is none of its names%s%s; see `nearfar bench --help`", option, word,
                         near[0] ? "; the nearest: " : "", near);
    }
    return CLI_OK;
}

static int read_threads(bench *b, const char *list)
{
    char word[16];
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        uint64_t value = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (!cli_read_count(word, &value) || value < 1 || value > 4096 || b->thread_count == BENCH_THREADS)
            return cli_usage(b->app, "--threads: \"%s\" is not a list of up to %d numbers of threads, such as 1,2",
                             list, BENCH_THREADS);
        b->threads[b->thread_count++] = (int)value;
    }
    return CLI_OK;
}

static int check_words(bench *b, size_t suite)
{
    static const char *const problems[] = {"bfs", "sssp", "apsp", "many", "path"};
    static const char *const rivals[] = {"GAP", "Boost", "igraph", "SciPy", "GraphBLAS", "none"};
    const cli_args *a = &b->app->args;
    const char *graphs[BENCH_SUITE_GRAPHS], *figures[BENCH_FIGURES],
        *dot = a->output != NULL ? strrchr(a->output, '.') : NULL;
    size_t count = 0;
    for (; count < BENCH_SUITE_GRAPHS && suites[suite].graph(count) != NULL; count++)
        graphs[count] = suites[suite].graph(count);
    int code = check_list(b->app, "graphs", a->graphs, graphs, count);
    if (code == CLI_OK)
        code = check_list(b->app, "problems", a->problems, problems, 5);
    if (code == CLI_OK)
        code = check_list(b->app, "rivals", a->rivals, rivals, 6);
    if (code == CLI_OK)
        code = check_list(b->app, "only", a->only, figures, bench_figure_names(figures, BENCH_FIGURES));
    if (code == CLI_OK)
        code = read_threads(b, a->thread_list != NULL              ? a->thread_list
                               : sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "1,2"
                                                                   : "1");
    for (uint32_t p = 0; code == CLI_OK && p < 5; p++)
        b->problems |= bench_listed(a->problems, problems[p]) ? 1u << p : 0u;
    if (code == CLI_OK && a->plot != NULL
        && (strlen(a->plot) < 4 || strcmp(a->plot + strlen(a->plot) - 4, ".svg") != 0))
        code = cli_usage(b->app, "--plot %s: pictures are SVG; the name must end in .svg", a->plot);
    if (code == CLI_OK && a->output != NULL && (dot == NULL || (strcmp(dot, ".md") != 0 && strcmp(dot, ".json") != 0)))
        code = cli_usage(b->app, "--output %s: the name must end in .md or .json", a->output);
    return code;
}

static int write_file(const bench *b)
{
    const char *path = b->app->args.output;
    FILE *f = fopen(path, "w");
    bool written = f != NULL;
    if (written && strcmp(strrchr(path, '.'), ".json") == 0)
        bench_tables_json(b, f);
    else if (written)
        bench_tables_print(b, f, true);
    written = written && ferror(f) == 0;
    if (f != NULL)
        written = fclose(f) == 0 && written;
    return written ? CLI_OK : cli_error(b->app, CLI_INPUT, "%s: cannot be written: %s", path, strerror(errno));
}

static int report(const bench *b)
{
    int code = b->app->args.output != NULL ? write_file(b) : CLI_OK;
    if (code != CLI_OK)
        return code;
    if (b->app->args.json)
        bench_tables_json(b, stdout);
    else if (!b->app->args.quiet)
        bench_tables_print(b, stdout, false);
    if (b->wrong)
        cli_complain(b->app, "an answer of Nearfar's own was wrong");
    return b->wrong ? CLI_WRONG : CLI_OK;
}

int cli_cmd_bench(cli_app *app)
{
    const cli_args *a = &app->args;
    bench b = {.app = app,
               .seed = a->seed.given ? a->seed.value : SEED,
               .source_count = a->source_number.given ? (unsigned)a->source_number.value : 0,
               .repeats = a->repeats.given ? (unsigned)a->repeats.value : 3,
               .algorithm = a->algorithm};
    size_t suite = 0;
    while (cli_suite(suite) != NULL && strcmp(cli_suite(suite), a->operand[0]) != 0)
        suite++;
    if (cli_suite(suite) == NULL)
        return cli_usage(app, "bench: no suite is called \"%s\"; there are: cpu, gpu-bfs, gpu-sssp, gpu-apsp",
                         a->operand[0]);
    b.scale = a->scale.given ? (unsigned)a->scale.value : suites[suite].scale;
    int code = check_words(&b, suite);
    if (code == CLI_OK && suite == 0 && a->device != NULL && strcmp(a->device, "cpu") != 0)
        code =
            cli_usage(app, "--device: the suite cpu measures the CPU; gpu-bfs, gpu-sssp and gpu-apsp measure devices");
    if (code == CLI_OK && a->set.count > 0 && (suite == 0 || a->algorithm == NULL))
        code =
            cli_usage(app, "--set: gpu-bfs, gpu-sssp and gpu-apsp turn the knobs of the method that --algorithm names");
    if (code == CLI_OK && a->figures != NULL && suites[suite].run != bench_gpu_sssp)
        code = cli_usage(app, "--figures: the suite gpu-sssp draws them");
    if (code == CLI_OK && (b.scale < 6 || b.scale > 26))
        code = cli_usage(app, "--scale: benchmarks take 6 to 26");
    if (code == CLI_OK)
        code = suites[suite].run(&b);
    if (code == CLI_OK)
        code = report(&b);
    bench_tables_free(&b);
    return code;
}
