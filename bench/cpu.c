/* cpu.c - BFS and SSSP on the CPU beside what people use today, in one run on one machine: times and ratios.
 *
 * Graphs: kron and uniform (edge factor 16, weights 1..255), a square grid, delaunay, and USA-road-d.NY where
 * NEARFAR_DATA (default ../shared/data) has it. Sources are fixed by seed. Nearfar runs `auto` (or the algorithms named
 * as arguments) with default settings; every answer is compared with the oracle's before its time counts. Rivals run
 * from the same sources on the same graph and must reach as many vertices with the same sum of distances:
 *   GAP    where NEARFAR_GAP names the folder of its programs; SSSP with the best of a sweep of its delta
 *   Boost  where bench_rival_boost was built beside this program (Boost Graph's headers were there)
 *   SciPy  where python3 can import it
 * Printed: the median over the sources of the best of REPEATS, and rival / Nearfar.
 * Usage: bench_cpu [--scale S] [--sources K] [ALGORITHM...]    S: 20 for the full size, smaller for a look
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nearfar.h"

#define REPEATS 3
#define MOST_SOURCES 64
#define SEED 27491

static unsigned scale = 20, sources_wanted = 8;
static char folder[128], beside[512];

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static nf_graph *make(nf_generate_options *o)
{
    nf_graph *g = NULL;
    o->weight_min = 1;
    o->weight_max = 255;
    o->seed = SEED;
    return nf_generate(NULL, o, &g) == NF_OK ? g : NULL;
}

static nf_graph *make_random(const char *kind)
{
    nf_generate_options o = {.size = sizeof o};
    if (nf_generate_defaults(kind, &o) != NF_OK)
        return NULL;
    o.n = 0;
    o.scale = scale;
    o.edge_factor = 16;
    return make(&o);
}

static nf_graph *make_kron(void)
{
    return make_random("kronecker");
}

static nf_graph *make_uniform(void)
{
    return make_random("uniform");
}

static nf_graph *make_grid(void)
{
    nf_generate_options o = {.size = sizeof o};
    if (nf_generate_defaults("grid2d", &o) != NF_OK)
        return NULL;
    o.rows = o.cols = scale >= 20 ? 1448 : 1448u >> ((20 - scale) / 2);
    return make(&o);
}

static nf_graph *make_delaunay(void)
{
    nf_generate_options o = {.size = sizeof o};
    if (nf_generate_defaults("delaunay", &o) != NF_OK)
        return NULL;
    o.n = 0;
    o.scale = scale - 2;
    return make(&o);
}

static nf_graph *read_ny(void)
{
    nf_graph *g = NULL;
    const char *data = getenv("NEARFAR_DATA");
    char path[600];
    snprintf(path, sizeof path, "%s/road/USA-road-d.NY.gr.gz", data != NULL ? data : "../shared/data");
    return nf_graph_read(NULL, path, NULL, &g) == NF_OK ? g : NULL;
}

static const struct {
    const char *name;
    nf_graph *(*make)(void);
} graphs[] = {
    {"kron", make_kron}, {"uniform", make_uniform}, {"grid", make_grid}, {"ny", read_ny}, {"delaunay", make_delaunay}};

/* ---- what is compared -------------------------------------------------------------------------------------------- */

typedef struct work {
    const char *name;
    nf_graph *graph;
    nf_problem problem;
    nf_vid sources[MOST_SOURCES];
    unsigned count;
    uint64_t reached[MOST_SOURCES]; /* by the oracle */
    double sum[MOST_SOURCES];
    int threads;
    char file[256]; /* the graph for rivals */
} work;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, unsigned count)
{
    qsort(ms, count, sizeof *ms, ascending);
    return ms[count / 2];
}

/* Vertices with arcs out, by seed. */
static void draw_sources(work *w)
{
    nf_csr c;
    uint64_t x = SEED;
    w->count = 0;
    if (nf_graph_view(NULL, w->graph, &c) != NF_OK)
        return;
    while (w->count < sources_wanted) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const nf_vid v = (nf_vid)((x >> 33) % c.n);
        if (c.off32[v] != c.off32[v + 1])
            w->sources[w->count++] = v;
    }
}

static nf_status search(nf_context *ctx, const work *w, nf_vid source, const char *algorithm, nf_result **r)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm};
    return w->problem == NF_BFS ? nf_bfs(ctx, w->graph, source, &o, r) : nf_sssp(ctx, w->graph, source, &o, r);
}

static bool ask_oracle(work *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        nf_result *r = NULL;
        nf_row_info info = {.size = sizeof info};
        if (search(NULL, w, w->sources[i], w->problem == NF_BFS ? "serial" : "dijkstra", &r) != NF_OK)
            return false;
        nf_result_row_info(r, 0, &info);
        w->reached[i] = info.reached;
        w->sum[i] = info.sum;
        nf_result_free(r);
    }
    return true;
}

/* ---- Nearfar ----------------------------------------------------------------------------------------------------- */

/* Median time of an algorithm; negative when it fails or is wrong. `chosen` takes the name of what ran. */
static double time_ours(const work *w, const char *algorithm, char *chosen, size_t capacity)
{
    double best[MOST_SOURCES];
    nf_context *ctx = NULL;
    bool good =
        nf_context_create(&(nf_context_options){.size = sizeof(nf_context_options), .threads = w->threads}, &ctx)
        == NF_OK;
    for (unsigned i = 0; good && i < w->count; i++) {
        for (int k = -1; good && k < REPEATS; k++) {
            nf_result *r = NULL;
            nf_run_info run = {.size = sizeof run};
            nf_row_info row = {.size = sizeof row};
            good = search(ctx, w, w->sources[i], algorithm, &r) == NF_OK;
            if (good) {
                nf_result_info(r, &run);
                nf_result_row_info(r, 0, &row);
                good = row.reached == w->reached[i] && row.sum == w->sum[i];
                snprintf(chosen, capacity, "%s", run.algorithm);
                best[i] = k <= 0 || run.run_ms < best[i] ? run.run_ms : best[i];
            }
            nf_result_free(r);
        }
    }
    nf_context_free(ctx);
    return good ? median(best, w->count) : -1;
}

/* ---- rivals ------------------------------------------------------------------------------------------------------ */

/* Runs a program of rival.h's protocol REPEATS times; negative when it is not there or wrong. */
static double time_program(const work *w, const char *program)
{
    double best[MOST_SOURCES];
    char command[2048], line[256];
    for (int k = 0; k < REPEATS; k++) {
        int used = snprintf(command, sizeof command, "OMP_NUM_THREADS=%d %s %s '%s' %d", w->threads, program,
                            nf_problem_name(w->problem), w->file, w->threads);
        for (unsigned i = 0; i < w->count; i++)
            used += snprintf(command + used, sizeof command - (size_t)used, " %u", w->sources[i]);
        snprintf(command + used, sizeof command - (size_t)used, " 2>/dev/null");
        FILE *in = popen(command, "r");
        for (unsigned i = 0; i < w->count; i++) {
            double ms, sum;
            unsigned long long reached;
            if (in == NULL || fgets(line, sizeof line, in) == NULL
                || sscanf(line, "%lf %llu %lf", &ms, &reached, &sum) != 3 || reached != w->reached[i]
                || sum != w->sum[i]) {
                if (in != NULL)
                    pclose(in);
                return -1;
            }
            best[i] = k == 0 || ms < best[i] ? ms : best[i];
        }
        pclose(in);
    }
    return median(best, w->count);
}

/* The best trial of a GAP program from one source, in ms; negative when it is not there. */
static double time_gap_once(const work *w, nf_vid source, long delta, int trials)
{
    char command[1024], line[256];
    double best = -1, seconds;
    snprintf(command, sizeof command, "OMP_NUM_THREADS=%d '%s/%s' -f '%s' -r %u -n %d", w->threads,
             getenv("NEARFAR_GAP"), nf_problem_name(w->problem), w->file, source, trials);
    if (w->problem == NF_SSSP)
        snprintf(command + strlen(command), sizeof command - strlen(command), " -d %ld", delta);
    FILE *in = popen(command, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "Trial Time: %lf", &seconds) == 1 && (best < 0 || seconds * 1e3 < best))
            best = seconds * 1e3;
    if (in != NULL)
        pclose(in);
    return best;
}

static double time_gap(work *w)
{
    double ms[MOST_SOURCES], least = -1;
    long delta = 1;
    if (getenv("NEARFAR_GAP") == NULL)
        return -1;
    if (w->problem == NF_BFS) /* GAP's unweighted file */
        memcpy(strrchr(w->file, '.'), ".sg", 4);
    for (long d = 1; w->problem == NF_SSSP && d <= 1 << 17; d *= 2) {
        const double t = time_gap_once(w, w->sources[0], d, 2);
        if (t > 0 && (least < 0 || t < least)) {
            least = t;
            delta = d;
        }
    }
    bool good = true;
    for (unsigned i = 0; good && i < w->count; i++) {
        ms[i] = time_gap_once(w, w->sources[i], delta, REPEATS + 1);
        good = ms[i] > 0;
    }
    if (w->problem == NF_BFS)
        memcpy(strrchr(w->file, '.'), ".wsg", 5);
    return good ? median(ms, w->count) : -1;
}

static void print_rival(double rival, double ours)
{
    if (rival > 0 && ours > 0)
        printf(" %9.2f %6.2f", rival, rival / ours);
    else
        printf(" %9s %6s", "-", "-");
}

static void compare_rivals(work *w, double ours)
{
    char program[1024];
    print_rival(time_gap(w), ours);
    snprintf(program, sizeof program, "'%s/bench_rival_boost'", beside);
    print_rival(w->threads == 1 ? time_program(w, program) : -1, ours);
    snprintf(program, sizeof program, "python3 '%s/rivals/csgraph.py'", NF_BENCH_FOLDER);
    print_rival(w->threads == 1 ? time_program(w, program) : -1, ours);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static bool report(work *w, const char *algorithm, bool rivals)
{
    char chosen[64] = "";
    const double ours = time_ours(w, algorithm, chosen, sizeof chosen);
    if (ours < 0) {
        printf("%-9s %-4s %2d  %s: wrong: %s\n", w->name, nf_problem_name(w->problem), w->threads, algorithm,
               nf_last_error());
        return false;
    }
    printf("%-9s %-4s %2d  %-22s %9.2f", w->name, nf_problem_name(w->problem), w->threads, chosen, ours);
    if (rivals)
        compare_rivals(w, ours);
    printf("\n");
    fflush(stdout);
    return true;
}

static bool report_graph(work *w, char **algorithms, int count)
{
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    bool good = true;
    for (int p = 0; p < 2; p++) {
        w->problem = p == 0 ? NF_BFS : NF_SSSP;
        if (!ask_oracle(w))
            return false;
        for (w->threads = 1; w->threads <= all; w->threads = w->threads == 1 && all > 1 ? all : all + 1) {
            good = report(w, "auto", true) && good;
            for (int i = 0; i < count; i++)
                for (size_t k = 0; nf_algorithm_get(k) != NULL; k++)
                    if (nf_algorithm_get(k)->problem == w->problem
                        && strcmp(nf_algorithm_get(k)->name, algorithms[i]) == 0)
                        good = report(w, algorithms[i], false) && good;
        }
    }
    return good;
}

/* The graph for the rivals: GAP's two files. */
static bool write_files(work *w)
{
    char plain[256];
    snprintf(w->file, sizeof w->file, "%s/%s.wsg", folder, w->name);
    snprintf(plain, sizeof plain, "%s/%s.sg", folder, w->name);
    return nf_graph_write(NULL, w->graph, w->file, NULL) == NF_OK
           && nf_graph_write(NULL, w->graph, plain, NULL) == NF_OK;
}

static void remove_files(work *w)
{
    (void)unlink(w->file);
    memcpy(strrchr(w->file, '.'), ".sg", 4);
    (void)unlink(w->file);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_cpu [--scale 12..24] [--sources 1..%d] [ALGORITHM...]\n", MOST_SOURCES);
    return 2;
}

int main(int argc, char **argv)
{
    const char *base = getenv("TMPDIR"), *slash = strrchr(argv[0], '/');
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        unsigned *to = strcmp(argv[at], "--scale") == 0     ? &scale
                       : strcmp(argv[at], "--sources") == 0 ? &sources_wanted
                                                            : NULL;
        if (to == NULL)
            return usage();
        *to = (unsigned)strtoul(argv[at + 1], NULL, 10);
    }
    if (scale < 12 || scale > 24 || sources_wanted < 1 || sources_wanted > MOST_SOURCES)
        return usage();
    snprintf(beside, sizeof beside, "%.*s", slash != NULL ? (int)(slash - argv[0]) : 1, slash != NULL ? argv[0] : ".");
    snprintf(folder, sizeof folder, "%s/nearfar-bench-XXXXXX", base != NULL ? base : "/tmp");
    bool good = mkdtemp(folder) != NULL;
    printf("ms, median of %u sources; x: rival / Nearfar, above 1 Nearfar is ahead\n", sources_wanted);
    printf("%-9s %-4s %2s  %-22s %9s %9s %6s %9s %6s %9s %6s\n", "graph", "what", "T", "chosen", "Nearfar", "GAP", "x",
           "Boost", "x", "SciPy", "x");
    for (size_t i = 0; good && i < sizeof graphs / sizeof *graphs; i++) {
        work w = {.name = graphs[i].name, .graph = graphs[i].make()};
        if (w.graph == NULL) {
            printf("%-9s not here\n", w.name);
            continue;
        }
        draw_sources(&w);
        good = write_files(&w) && report_graph(&w, argv + at, argc - at);
        remove_files(&w);
        nf_graph_free(w.graph);
    }
    (void)rmdir(folder);
    return good ? 0 : 1;
}
