/* gpu_features.c - what each part of BFS-4K contributes on a GPU (Busato and Bombieri 2015, Fig. 14), and how many
 * duplicates each way of visiting makes and hash64 finds (Figs. 12, 13).
 *
 * gpu_features [--device gpu] [--scale S]: rmat, uniform and hub graphs of 2^S vertices, a grid of as many times four;
 * S = 22 unless told. The first table starts with every part switched off and adds them one by one, the second takes
 * each away from the whole; a cell is the least of RUNS in ms, from the vertex of highest degree. Methods to compare
 * with come first. Every answer is held against the first one before its time is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearfar.h"

#define RUNS 4 /* the first warms up */
#define GRAPHS 4
#define MOST_KNOBS 32

typedef struct subject {
    const char *name;
    nf_graph *graph;
    nf_vid source;
    nf_result *first; /* the answer to compare with */
} subject;

/* A part, and the knobs that switch it on and off. */
typedef struct part {
    const char *name, *on, *off;
} part;

static const part parts[] = {
    {"prefix sums by shuffles", "scan=shuffles", "scan=shared"},
    {"binary prefix sums", "binary=1", "binary=0"},
    {"virtual warps of K1", "virtual-warps=fixed", "virtual-warps=off"},
    {"dynamic virtual warps", "virtual-warps=dynamic", "virtual-warps=fixed"},
    {"coalesced reads", "reads=1", "reads=0"},
    {"coalesced writes", "writes=1", "writes=0"},
    {"edge-discover", "k4=-1", "k4=0"},
    {"EXT", "ext=1", "ext=0"},
    {"single-block kernel", "k5=-1", "k5=0"},
    {"dynamic parallelism", "k2=0.15", "k2=0"},
    {"hash64", "hash64=1", "hash64=0"},
    {"lists walked once", "once=1", "once=0"},
    {"swept frontiers", "sweep=auto", "sweep=off"},
    {"cluster kernel", "cluster=-1", "cluster=0"},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* What the log says of duplicates. */
typedef struct heard {
    unsigned long long duplicate, conflict, missed;
} heard;

static int give_up(const char *what)
{
    fprintf(stderr, "gpu_features: %s: %s\n", what, nf_last_error());
    return 1;
}

static nf_status make_graphs(unsigned scale, subject s[GRAPHS])
{
    static const char *const kinds[GRAPHS] = {"rmat", "uniform", "grid2d", "hub"};
    nf_status st = NF_OK;
    for (size_t i = 0; st == NF_OK && i < GRAPHS; i++) {
        nf_generate_options o = {.size = sizeof o};
        nf_graph_stats stats = {.size = sizeof stats};
        st = nf_generate_defaults(kinds[i], &o);
        o.seed = 7, o.scale = scale, o.edge_factor = 16;
        if (strcmp(kinds[i], "grid2d") == 0)
            o.rows = o.cols = 1u << (scale / 2 + 1), o.drop = 0.1;
        else if (strcmp(kinds[i], "hub") == 0) /* few arcs each, a few vertices with very many */
            o.edge_factor = 3, o.k = 5, o.p = 0.2;
        st = st == NF_OK ? nf_generate(NULL, &o, &s[i].graph) : st;
        st = st == NF_OK ? nf_graph_get_stats(NULL, s[i].graph, 0, &stats) : st;
        s[i].name = kinds[i];
        s[i].source = stats.degree_max_vertex;
        if (st == NF_OK)
            printf("%-8s n %u, arcs %llu, mean degree %.1f, deviation %.1f, greatest %llu\n", kinds[i],
                   nf_graph_n(s[i].graph), (unsigned long long)nf_graph_m(s[i].graph), stats.degree_mean,
                   stats.degree_deviation, (unsigned long long)stats.degree_max);
    }
    return st;
}

static bool same_rows(const nf_result *a, const nf_result *b)
{
    nf_row_info x = {.size = sizeof x}, y = {.size = sizeof y};
    return nf_result_row_info(a, 0, &x) == NF_OK && nf_result_row_info(b, 0, &y) == NF_OK && x.reached == y.reached
           && strcmp(x.sum_text, y.sum_text) == 0 && strcmp(x.max_text, y.max_text) == 0;
}

/* The least run time of `runs` in ms; negative: it failed. */
static double time_runs(nf_context *ctx, subject *s, const char *algorithm, const char *const *knobs, size_t count,
                        int runs)
{
    const nf_run_options o = {.size = sizeof o, .algorithm = algorithm, .knobs = knobs, .knob_count = count};
    double least = -1;
    for (int k = 0; k < runs; k++) {
        nf_result *r = NULL;
        nf_run_info info = {.size = sizeof info};
        if (nf_bfs(ctx, s->graph, s->source, &o, &r) != NF_OK || nf_result_info(r, &info) != NF_OK
            || (s->first != NULL && !same_rows(s->first, r))) {
            fprintf(stderr, "%s, %s: %s\n", s->name, algorithm, r != NULL ? "another answer" : nf_last_error());
            nf_result_free(r);
            return -1;
        }
        if ((k > 0 || runs == 1) && (least < 0 || info.device_ms < least))
            least = info.device_ms;
        if (s->first == NULL)
            s->first = r;
        else
            nf_result_free(r);
    }
    return least;
}

static int print_row(nf_context *ctx, subject s[GRAPHS], const char *name, const char *algorithm,
                     const char *const *knobs, size_t count)
{
    int failures = 0;
    printf("| %-28s |", name);
    for (size_t g = 0; g < GRAPHS; g++) {
        const double ms = time_runs(ctx, &s[g], algorithm, knobs, count, RUNS);
        failures += ms < 0;
        printf(" %9.3f |", ms);
    }
    printf("\n");
    fflush(stdout);
    return failures;
}

static void print_head(const char *title, const subject s[GRAPHS])
{
    printf("\n%s\n\n| %-28s |", title, "");
    for (size_t g = 0; g < GRAPHS; g++)
        printf(" %9s |", s[g].name);
    printf("\n|---|---|---|---|---|\n");
}

/* Fig. 14: the parts one after another, and the whole without each. Later knobs override earlier ones. */
static int tables_of_parts(nf_context *ctx, subject s[GRAPHS])
{
    static const char *const others[] = {"vertex", "edge", "virtual-warp", "top-down"};
    const char *knobs[MOST_KNOBS];
    char name[64];
    size_t count = 0;
    int failures = 0;
    print_head("BFS-4K, ms: the parts one after another", s);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        failures += print_row(ctx, s, others[i], others[i], NULL, 0);
    for (size_t i = PARTS; i-- > 0;)
        knobs[count++] = parts[i].off;
    failures += print_row(ctx, s, "bfs-4k, every part off", "bfs-4k", knobs, count);
    for (size_t i = 0; i < PARTS; i++) {
        knobs[count++] = parts[i].on;
        snprintf(name, sizeof name, "+ %s", parts[i].name);
        failures += print_row(ctx, s, name, "bfs-4k", knobs, count);
    }
    print_head("BFS-4K, ms: the whole, and without each part", s);
    failures += print_row(ctx, s, "the whole", "bfs-4k", NULL, 0);
    for (size_t i = 0; i < PARTS; i++) {
        snprintf(name, sizeof name, "- %s", parts[i].name);
        failures += print_row(ctx, s, name, "bfs-4k", &parts[i].off, 1);
    }
    return failures;
}

static void hear(void *user, nf_log_level level, const char *text)
{
    heard *h = user;
    const char *at = strstr(text, "bfs-4k totals:");
    (void)level;
    if (at == NULL)
        return;
    (void)sscanf(strstr(at, ", duplicate "), ", duplicate %llu, conflict %llu, missed %llu", &h->duplicate,
                 &h->conflict, &h->missed);
}

/* Figs. 12, 13: found / conflicts / not found. */
static int table_of_duplicates(const char *device, subject s[GRAPHS])
{
    static const char *const ways[][2] = {{"k1=1", "k4=0"}, {"k1=4", "k4=0"}, {"k1=32", "k4=0"}, {"k1=4", "k4=1"}};
    static const char *const names[] = {"virtual warps of 1", "virtual warps of 4", "virtual warps of 32",
                                        "edge-discover"};
    heard h = {0, 0, 0};
    nf_context *ctx = NULL;
    int failures = 0;
    const nf_context_options c = {.size = sizeof c, .device = device, .log = hear, .log_user = &h};
    if (nf_context_create(&c, &ctx) != NF_OK)
        return give_up("no device");
    printf("\nduplicates: found by hash64 / conflicts / let into a frontier\n\n| |");
    for (size_t g = 0; g < GRAPHS; g++)
        printf(" %s |", s[g].name);
    printf("\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < 8; i++) {
        const char *const knobs[] = {
            ways[i / 2][0], ways[i / 2][1], "virtual-warps=fixed", "census=1",
            "once=0",       "sweep=off",    "cluster=0",           i % 2 == 0 ? "hash64=0" : "hash64=1"};
        printf("| %s%s |", names[i / 2], i % 2 == 0 ? "" : " + hash64");
        for (size_t g = 0; g < GRAPHS; g++) {
            failures += time_runs(ctx, &s[g], "bfs-4k", knobs, sizeof knobs / sizeof *knobs, 1) < 0;
            printf(" %llu / %llu / %llu |", h.duplicate, h.conflict, h.missed);
        }
        printf("\n");
    }
    nf_context_free(ctx);
    return failures;
}

int main(int argc, char **argv)
{
    const char *device = "gpu";
    unsigned scale = 22;
    subject s[GRAPHS] = {{.name = NULL}};
    nf_context *ctx = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            device = argv[i + 1];
        else if (strcmp(argv[i], "--scale") == 0)
            scale = (unsigned)atoi(argv[i + 1]);
    }
    const nf_context_options c = {.size = sizeof c, .device = device};
    if (nf_context_create(&c, &ctx) != NF_OK)
        return give_up("no device");
    if (make_graphs(scale, s) != NF_OK)
        return give_up("no graph");
    const int failures = tables_of_parts(ctx, s) + table_of_duplicates(device, s);
    nf_context_free(ctx);
    for (size_t i = 0; i < GRAPHS; i++) {
        nf_result_free(s[i].first);
        nf_graph_free(s[i].graph);
    }
    return failures == 0 ? 0 : 1;
}
