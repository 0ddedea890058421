/* gpu_mappings.c - the ten mappings of arcs to threads, each on five graphs, for BFS and SSSP on a GPU.
 *
 * gpu_mappings [--device gpu] [--scale S] [--graphs DIR] [--loop host|persistent] [--only GRAPH] [--without MAPPING]
 * [--once 1]:
 * S = 22 makes the graphs of the tables: rmat22 (0.57, 0.19, 0.19; symmetric, without loops and duplicates) and
 * uniform22, both of 2^S vertices and 16 edges each, and grid4k, 4096 x 4096 with a tenth of the edges dropped;
 * DIR/ny.* is read where it exists, else a road network is made. A column is a graph, a row a mapping, a cell the least
 * of RUNS in ms (one run where it takes more than LONG_MS), by the device's clock, from the vertex of highest degree.
 * --once makes one run of each and no measurement: for tools that watch the kernels. Every answer is held against that
 * of the first mapping before its time is printed. Mappings are those the library lists. Then the mapping by itself,
 * over all vertices at once: how long it takes to write every arc's vertex, and to look at the label of every arc's
 * target; and what a round of the persistent loop costs in each scope, along a path, where a frontier is one vertex.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearfar.h"

#define RUNS 4 /* the first warms up */
#define LONG_MS 500.0
#define MOST_GRAPHS 8
#define MOST_MAPPINGS 32

typedef struct options {
    const char *device, *graphs, *loop, *only, *without;
    unsigned scale;
    int runs; /* RUNS, or 1 */
} options;

typedef struct subject {
    const char *name;
    nf_graph *graph;
    nf_vid source;
    double ms[MOST_MAPPINGS]; /* negative: it failed */
    double upload_ms;
    uint64_t edges;
} subject;

static int give_up(const char *what)
{
    fprintf(stderr, "gpu_mappings: %s: %s\n", what, nf_last_error());
    return 1;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static nf_status make_kind(const char *kind, unsigned scale, nf_graph **out)
{
    nf_generate_options o = {.size = sizeof o};
    nf_status st = nf_generate_defaults(kind, &o);
    if (st != NF_OK)
        return st;
    o.seed = 7;
    o.scale = scale;
    o.edge_factor = 16;
    o.weight_min = 1;
    o.weight_max = 255;
    if (strcmp(kind, "rmat") == 0) {
        o.a = 0.57;
        o.b = o.c = 0.19;
    } else if (strcmp(kind, "grid2d") == 0) {
        o.rows = o.cols = 1u << (scale / 2 + 1);
        o.drop = 0.1;
        o.weight_max = 1000;
    } else if (strcmp(kind, "hub") == 0) { /* like a circuit: few arcs each, a few vertices with very many */
        o.edge_factor = 3;
        o.k = 5;
        o.p = 0.2;
    } else if (strcmp(kind, "road") == 0) {
        o.n = scale < 18 ? (uint64_t)1 << scale : 264346; /* as many as ny */
    }
    return nf_generate(NULL, &o, out);
}

static nf_status open_ny(const options *o, nf_graph **out)
{
    static const char *const names[] = {"ny.nfg", "ny.gr", "ny.gr.gz", "USA-road-d.NY.gr.gz", "USA-road-d.NY.gr"};
    char path[1024];
    for (size_t i = 0; o->graphs != NULL && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", o->graphs, names[i]);
        FILE *f = fopen(path, "rb");
        if (f == NULL)
            continue;
        fclose(f);
        return nf_graph_read(NULL, path, NULL, out);
    }
    return make_kind("road", o->scale, out);
}

static nf_status make_graphs(const options *o, subject *s, size_t *count)
{
    static const char *const kinds[] = {"rmat", "uniform", "grid2d", "road", "hub"};
    static const char *const names[] = {"rmat", "uniform", "grid", "ny", "circuit"};
    nf_status st = NF_OK;
    for (size_t i = 0; st == NF_OK && i < sizeof kinds / sizeof *kinds; i++) {
        nf_graph_stats stats = {.size = sizeof stats};
        subject *g = &s[*count];
        if (o->only != NULL && strcmp(o->only, names[i]) != 0)
            continue;
        st = strcmp(kinds[i], "road") == 0 ? open_ny(o, &g->graph) : make_kind(kinds[i], o->scale, &g->graph);
        if (st == NF_OK)
            st = nf_graph_get_stats(NULL, g->graph, 0, &stats);
        g->name = names[i];
        g->source = stats.degree_max_vertex;
        *count += 1;
        if (st == NF_OK)
            printf("%-8s n %u, arcs %llu, mean degree %.1f, greatest %llu, from vertex %u\n", names[i],
                   nf_graph_n(g->graph), (unsigned long long)nf_graph_m(g->graph), stats.degree_mean,
                   (unsigned long long)stats.degree_max, g->source);
        fflush(stdout);
    }
    return st;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* The algorithm whose knobs include `mapping`, and the list of its choices. */
static const nf_algorithm_info *find_mapped(const char *device, nf_problem problem, const char **choices)
{
    const nf_algorithm_info *a = NULL;
    for (size_t i = 0; (a = nf_algorithm_get(i)) != NULL; i++)
        for (size_t k = 0; a->problem == problem && k < a->knob_count; k++)
            if (strncmp(a->device, device, strlen(a->device)) == 0 && strcmp(a->name, "auto") != 0
                && strcmp(a->knobs[k].name, "mapping") == 0) {
                *choices = a->knobs[k].choices;
                return a;
            }
    return NULL;
}

static nf_status run_once(nf_context *ctx, const nf_algorithm_info *a, const options *o, const char *mapping,
                          const subject *s, nf_result **r)
{
    char first[96], second[64];
    const char *knobs[2] = {first, second};
    snprintf(first, sizeof first, "mapping=%s", mapping);
    snprintf(second, sizeof second, "loop=%s", o->loop != NULL ? o->loop : "auto");
    nf_run_options run = {.size = sizeof run, .algorithm = a->name, .knobs = knobs, .knob_count = 2};
    return a->problem == NF_BFS ? nf_bfs(ctx, s->graph, s->source, &run, r)
                                : nf_sssp(ctx, s->graph, s->source, &run, r);
}

static bool same_rows(const nf_result *a, const nf_result *b)
{
    nf_row_info x = {.size = sizeof x}, y = {.size = sizeof y};
    return nf_result_row_info(a, 0, &x) == NF_OK && nf_result_row_info(b, 0, &y) == NF_OK && x.reached == y.reached
           && strcmp(x.sum_text, y.sum_text) == 0 && strcmp(x.max_text, y.max_text) == 0;
}

/* The least run time of one mapping on one graph; *first is the answer to compare with, kept from the first mapping. */
static double time_mapping(nf_context *ctx, const nf_algorithm_info *a, const options *o, const char *mapping,
                           subject *s, nf_result **first)
{
    double least = -1;
    for (int k = 0; k < o->runs; k++) {
        nf_result *r = NULL;
        nf_run_info info = {.size = sizeof info};
        if (run_once(ctx, a, o, mapping, s, &r) != NF_OK || nf_result_info(r, &info) != NF_OK
            || (*first != NULL && !same_rows(*first, r))) {
            fprintf(stderr, "%s, %s: %s\n", s->name, mapping, r != NULL ? "another answer" : nf_last_error());
            nf_result_free(r);
            return -1;
        }
        const bool counts = k > 0 || o->runs == 1 || info.device_ms > LONG_MS;
        if (counts && (least < 0 || info.device_ms < least))
            least = info.device_ms;
        if (k == 0 && info.upload_ms > s->upload_ms)
            s->upload_ms = info.upload_ms;
        s->edges = info.edges_relaxed;
        if (*first == NULL)
            *first = r;
        else
            nf_result_free(r);
        if (least > LONG_MS)
            break;
    }
    return least;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void print_row(const char *mapping, const subject *s, size_t count, size_t column)
{
    printf("| %-22s |", mapping);
    for (size_t g = 0; g < count; g++)
        if (s[g].ms[column] < 0)
            printf(" %9s |", "failed");
        else
            printf(" %9.3f |", s[g].ms[column]);
    printf("\n");
    fflush(stdout);
}

static int table(nf_context *ctx, const options *o, nf_problem problem, subject *s, size_t count)
{
    const char *at = NULL;
    const nf_algorithm_info *a = find_mapped(o->device, problem, &at);
    nf_result *first[MOST_GRAPHS] = {NULL};
    int failures = 0;
    if (a == NULL) {
        printf("\nno %s method of %s has mappings\n", nf_problem_name(problem), o->device);
        return 0;
    }
    printf("\n%s %s, ms, loop %s\n\n| %-22s |", nf_problem_name(problem), a->name, o->loop != NULL ? o->loop : "auto",
           "mapping");
    for (size_t g = 0; g < count; g++)
        printf(" %9s |", s[g].name);
    printf("\n|---|");
    for (size_t g = 0; g < count; g++)
        printf("---|");
    printf("\n");
    for (size_t row = 0; row < MOST_MAPPINGS && *at != '\0'; row++) {
        char mapping[64];
        snprintf(mapping, sizeof mapping, "%.*s", (int)strcspn(at, " "), at);
        at += strcspn(at, " ");
        at += *at == ' ';
        if (o->without != NULL && strcmp(mapping, o->without) == 0)
            continue;
        for (size_t g = 0; g < count; g++) {
            s[g].ms[row] = time_mapping(ctx, a, o, mapping, &s[g], &first[g]);
            failures += s[g].ms[row] < 0;
        }
        print_row(mapping, s, count, row);
    }
    printf("| %-22s |", "(upload, once)");
    for (size_t g = 0; g < count; g++)
        printf(" %9.3f |", s[g].upload_ms);
    printf("\n| %-22s |", "(arcs visited, 10^6)");
    for (size_t g = 0; g < count; g++) {
        printf(" %9.3f |", (double)s[g].edges / 1e6);
        nf_result_free(first[g]);
    }
    printf("\n");
    return failures;
}

/* ---- the mapping by itself --------------------------------------------------------------------------------------- */

typedef struct measured {
    double alone, arcs; /* ms */
} measured;

static void hear(void *user, nf_log_level level, const char *text)
{
    measured *m = user;
    (void)level;
    const char *at = strstr(text, ": alone ");
    if (at != NULL)
        (void)sscanf(at, ": alone %lf ms, all arcs %lf ms", &m->alone, &m->arcs);
}

static measured measure(nf_context *ctx, measured *heard, const nf_algorithm_info *a, const char *mapping,
                        const subject *s)
{
    char first[96];
    const char *knobs[2] = {first, "measure=5"};
    nf_result *r = NULL;
    snprintf(first, sizeof first, "mapping=%s", mapping);
    nf_run_options run = {.size = sizeof run, .algorithm = a->name, .knobs = knobs, .knob_count = 2};
    *heard = (measured){-1, -1};
    if (nf_bfs(ctx, s->graph, s->source, &run, &r) != NF_OK)
        fprintf(stderr, "%s, %s: %s\n", s->name, mapping, nf_last_error());
    nf_result_free(r);
    return *heard;
}

static int tables_alone(const options *o, const subject *s, size_t count)
{
    const char *at = NULL;
    const nf_algorithm_info *a = find_mapped(o->device, NF_BFS, &at);
    measured heard = {0, 0};
    nf_context *ctx = NULL;
    int failures = 0;
    const nf_context_options c = {.size = sizeof c, .device = o->device, .log = hear, .log_user = &heard};
    if (a == NULL)
        return 0;
    if (nf_context_create(&c, &ctx) != NF_OK)
        return give_up("no device");
    printf("\nthe mapping alone (ms to write every arc's vertex) and a look at every arc's target (10^9 arcs/s)\n\n");
    printf("| %-22s |", "mapping");
    for (size_t g = 0; g < count; g++)
        printf(" %9s | %9s |", s[g].name, "G arcs/s");
    printf("\n|---|");
    for (size_t g = 0; g < 2 * count; g++)
        printf("---|");
    while (*at != '\0') {
        char mapping[64];
        snprintf(mapping, sizeof mapping, "%.*s", (int)strcspn(at, " "), at);
        at += strcspn(at, " ");
        at += *at == ' ';
        printf("\n| %-22s |", mapping);
        for (size_t g = 0; g < count; g++) {
            const measured m = measure(ctx, &heard, a, mapping, &s[g]);
            failures += m.alone < 0;
            printf(" %9.3f | %9.2f |", m.alone, (double)nf_graph_m(s[g].graph) / m.arcs / 1e6);
        }
        fflush(stdout);
    }
    printf("\n");
    nf_context_free(ctx);
    return failures;
}

/* A path of 2^(scale/2+4) vertices: what a round costs by itself. */
static int rounds_alone(nf_context *ctx, const options *o)
{
    static const char *const scopes[] = {"scope=block", "scope=cluster", "scope=grid"};
    nf_generate_options g = {.size = sizeof g};
    nf_graph *path = NULL;
    int failures = 0;
    if (nf_generate_defaults("grid2d", &g) != NF_OK)
        return give_up("no path");
    g.rows = 1;
    g.cols = o->runs == 1 ? 64 : 1u << (o->scale / 2 + 4);
    if (nf_generate(NULL, &g, &path) != NF_OK)
        return give_up("no path");
    printf("\na round of the persistent loop with one vertex, us\n\n| scope | us |\n|---|---|\n");
    for (size_t i = 0; i < 3; i++) {
        const char *const knobs[2] = {scopes[i], "loop=persistent"};
        const nf_run_options run = {.size = sizeof run, .algorithm = "top-down", .knobs = knobs, .knob_count = 2};
        double least = -1;
        for (int k = 0; k < o->runs; k++) {
            nf_result *r = NULL;
            nf_run_info info = {.size = sizeof info};
            if (nf_bfs(ctx, path, 0, &run, &r) == NF_OK && nf_result_info(r, &info) == NF_OK && (k > 0 || o->runs == 1)
                && (least < 0 || info.device_ms / (double)info.iterations < least))
                least = info.device_ms / (double)info.iterations;
            nf_result_free(r);
        }
        failures += least < 0;
        printf("| %s | %.3f |\n", scopes[i] + 6, least * 1e3);
    }
    nf_graph_free(path);
    return failures;
}

int main(int argc, char **argv)
{
    options o = {.device = "gpu", .scale = 22, .runs = RUNS};
    subject s[MOST_GRAPHS] = {{.name = NULL}};
    size_t count = 0;
    nf_context *ctx = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            o.device = argv[i + 1];
        else if (strcmp(argv[i], "--scale") == 0)
            o.scale = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--graphs") == 0)
            o.graphs = argv[i + 1];
        else if (strcmp(argv[i], "--loop") == 0)
            o.loop = argv[i + 1];
        else if (strcmp(argv[i], "--only") == 0)
            o.only = argv[i + 1];
        else if (strcmp(argv[i], "--without") == 0)
            o.without = argv[i + 1];
        else if (strcmp(argv[i], "--once") == 0)
            o.runs = atoi(argv[i + 1]) != 0 ? 1 : RUNS;
    }
    const nf_context_options c = {.size = sizeof c, .device = o.device};
    if (nf_context_create(&c, &ctx) != NF_OK)
        return give_up("no device");
    if (make_graphs(&o, s, &count) != NF_OK)
        return give_up("no graph");
    const int failures = table(ctx, &o, NF_BFS, s, count) + table(ctx, &o, NF_SSSP, s, count)
                         + (o.runs == 1 ? 0 : tables_alone(&o, s, count)) + rounds_alone(ctx, &o);
    nf_context_free(ctx);
    for (size_t i = 0; i < count; i++)
        nf_graph_free(s[i].graph);
    return failures == 0 ? 0 : 1;
}
