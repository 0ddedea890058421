/* gpu_rounds.c - what a round of the persistent loop costs, by scope and by the size of the frontier.
 *
 * gpu_rounds [--device gpu] [--scale S] [--graphs DIR]: strips of w x L vertices, searched from a corner, have
 * frontiers of w vertices for L rounds: one row for each w, a column for each scope, us a round (the difference between
 * a long and a short strip, so that memory, launch and copies cancel out). w = 1 is a round with next to nothing in it.
 * The table says where a wider scope begins to pay: the knobs block-arcs and cluster-arcs (an entry has 4 arcs). Then
 * whole searches, ms: `ny` from DIR or a road network made to its size, and a grid with a tenth of its edges dropped,
 * in every scope and as `auto` chooses. Every answer is held against the first scope's. S = 22: 4096 x 4096.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearfar.h"

#define RUNS 4 /* the first warms up */

typedef struct options {
    const char *device, *graphs;
    unsigned scale;
} options;

static const char *const scopes[] = {"scope=block", "scope=cluster", "scope=grid", "scope=auto"};
#define SCOPES (sizeof scopes / sizeof *scopes)

/* The least time of a search in ms; negative when one failed, or its distances are not those in *right. */
static double time_search(nf_context *ctx, const nf_graph *g, nf_vid source, bool bfs, const char *scope,
                          nf_result **right, uint32_t *rounds)
{
    const char *const knobs[2] = {scope, "loop=persistent"};
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = bfs ? "top-down" : "workfront",
                              .knobs = knobs,
                              .knob_count = 2};
    double least = -1;
    for (int k = 0; k < RUNS; k++) {
        nf_result *r = NULL;
        nf_run_info run = {.size = sizeof run};
        nf_row_info info = {.size = sizeof info}, first = {.size = sizeof first};
        if ((bfs ? nf_bfs(ctx, g, source, &o, &r) : nf_sssp(ctx, g, source, &o, &r)) != NF_OK
            || nf_result_row_info(r, 0, &info) != NF_OK || nf_result_info(r, &run) != NF_OK) {
            fprintf(stderr, "gpu_rounds: %s: %s\n", scope, nf_last_error());
            nf_result_free(r);
            return -1;
        }
        *rounds = (uint32_t)info.iterations;
        if (k > 0 && (least < 0 || run.device_ms < least))
            least = run.device_ms;
        if (*right == NULL) {
            *right = r;
            continue;
        }
        if (nf_result_row_info(*right, 0, &first) != NF_OK || info.reached != first.reached
            || strcmp(info.sum_text, first.sum_text) != 0) {
            fprintf(stderr, "gpu_rounds: %s: another answer\n", scope);
            least = -2;
        }
        nf_result_free(r);
        if (least < -1)
            return -1;
    }
    return least;
}

static nf_graph *make_strip(uint32_t rows, uint32_t cols, double drop)
{
    nf_generate_options o = {.size = sizeof o};
    nf_graph *g = NULL;
    if (nf_generate_defaults("grid2d", &o) != NF_OK)
        return NULL;
    o.rows = rows, o.cols = cols, o.drop = drop, o.seed = 7, o.weight_min = 1, o.weight_max = 1000;
    if (nf_generate(NULL, &o, &g) != NF_OK)
        fprintf(stderr, "gpu_rounds: no strip: %s\n", nf_last_error());
    return g;
}

/* One row: us of a round over w vertices, in every scope. */
static int row_of_rounds(nf_context *ctx, uint32_t w, uint32_t length)
{
    nf_graph *strip[2] = {make_strip(w, w + length / 8, 0), make_strip(w, w + length, 0)};
    nf_result *right[2] = {NULL, NULL};
    int failures = 0;
    printf("| %u |", w);
    for (size_t k = 0; k < SCOPES; k++) {
        double ms[2] = {-1, -1};
        uint32_t rounds[2] = {0, 0};
        for (int i = 0; i < 2; i++)
            if (strip[i] != NULL)
                ms[i] = time_search(ctx, strip[i], 0, true, scopes[k], &right[i], &rounds[i]);
        failures += ms[0] < 0 || ms[1] < 0;
        printf(" %.3f |", (ms[1] - ms[0]) * 1e3 / (rounds[1] > rounds[0] ? rounds[1] - rounds[0] : 1));
        fflush(stdout);
    }
    printf("\n");
    for (int i = 0; i < 2; i++) {
        nf_result_free(right[i]);
        nf_graph_free(strip[i]);
    }
    return failures;
}

static int table_of_rounds(nf_context *ctx, const options *o)
{
    static const uint32_t widths[] = {1, 16, 64, 128, 256, 512, 1024, 2048};
    const uint32_t most = 1u << o->scale / 2, length = 1u << (o->scale / 2 + 1);
    int failures = 0;
    printf("a round of the persistent loop over w vertices, us\n\n| w | block | cluster | grid | auto |\n");
    printf("|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof widths / sizeof *widths && widths[i] <= most; i++)
        failures += row_of_rounds(ctx, widths[i], length);
    return failures;
}

static nf_graph *make_road(const options *o)
{
    nf_generate_options g = {.size = sizeof g};
    nf_graph *out = NULL;
    char path[1024];
    if (o->graphs != NULL) {
        snprintf(path, sizeof path, "%s/ny.nfg", o->graphs);
        if (nf_graph_read(NULL, path, NULL, &out) == NF_OK)
            return out;
    }
    if (nf_generate_defaults("road", &g) != NF_OK)
        return NULL;
    g.n = o->scale < 18 ? (uint64_t)1 << o->scale : 264346; /* as many as ny */
    g.seed = 7, g.weight_min = 1, g.weight_max = 1000;
    return nf_generate(NULL, &g, &out) == NF_OK ? out : NULL;
}

/* From the vertex of highest degree. */
static int row_of_searches(nf_context *ctx, const char *name, const nf_graph *g, bool bfs)
{
    nf_graph_stats stats = {.size = sizeof stats};
    nf_result *right = NULL;
    uint32_t rounds = 0;
    int failures = 0;
    if (g == NULL || nf_graph_get_stats(NULL, g, 0, &stats) != NF_OK)
        return 1;
    printf("| %s %s |", bfs ? "bfs" : "sssp", name);
    for (size_t k = 0; k < SCOPES; k++) {
        const double ms = time_search(ctx, g, stats.degree_max_vertex, bfs, scopes[k], &right, &rounds);
        failures += ms < 0;
        printf(" %.3f |", ms);
        fflush(stdout);
    }
    printf(" %u |\n", rounds);
    nf_result_free(right);
    return failures;
}

int main(int argc, char **argv)
{
    options o = {.device = "gpu", .scale = 22};
    nf_context *ctx = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            o.device = argv[i + 1];
        else if (strcmp(argv[i], "--scale") == 0)
            o.scale = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--graphs") == 0)
            o.graphs = argv[i + 1];
    }
    const nf_context_options c = {.size = sizeof c, .device = o.device};
    if (nf_context_create(&c, &ctx) != NF_OK) {
        fprintf(stderr, "gpu_rounds: no device: %s\n", nf_last_error());
        return 1;
    }
    const uint32_t side = 1u << (o.scale / 2 + 1);
    int failures = table_of_rounds(ctx, &o);
    printf("\na search, ms\n\n| | block | cluster | grid | auto | rounds |\n|---|---|---|---|---|---|\n");
    nf_graph *road = make_road(&o), *grid = make_strip(side, side, 0.1);
    failures += row_of_searches(ctx, "ny", road, true) + row_of_searches(ctx, "ny", road, false);
    failures += row_of_searches(ctx, "grid", grid, true);
    nf_graph_free(road);
    nf_graph_free(grid);
    nf_context_free(ctx);
    return failures == 0 ? 0 : 1;
}
