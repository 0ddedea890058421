/* read.c - how fast text is read: MB/s of nf_graph_read for every text format, on one thread and on all.
 *
 * Without arguments a graph of about a million arcs (fixed seed) is written in each format to a temporary folder and
 * read back; with arguments the named files are read. "parse" leaves out the build of the graph (the library logs how
 * long that took), "whole" is the whole call. Where NEARFAR_GAP names the folder of the GAP benchmark suite's
 * programs, the read time that its `converter` reports for the same file stands beside (one thread reads there). One
 * warm-up, then the minimum and the median of five; sizes are checked before a time is printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nearfar.h"

#define REPEATS 5
#define ARCS 1000000u
#define VERTICES (ARCS / 8)

typedef struct timing {
    double parse[REPEATS], whole[REPEATS]; /* ms, sorted */
} timing;

/* ---- the files --------------------------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void write_arcs(FILE *out, const char *pattern, uint32_t base, bool real)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < ARCS; i++) {
        uint32_t u = draw(&state) % VERTICES + base, v = draw(&state) % VERTICES + base, w = draw(&state);
        if (i == 0)
            v = VERTICES - 1 + base; /* the greatest id occurs */
        if (real)
            fprintf(out, pattern, u, v, w / 3e6);
        else
            fprintf(out, pattern, u, v, w % 1000 + 1);
    }
}

static void write_gr(FILE *out)
{
    fprintf(out, "p sp %u %u\n", VERTICES, ARCS);
    write_arcs(out, "a %u %u %u\n", 1, false);
}

static void write_mtx(FILE *out)
{
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%u %u %u\n", VERTICES, VERTICES, ARCS);
    write_arcs(out, "%u %u %.17g\n", 1, true);
}

static void write_snap(FILE *out)
{
    fprintf(out, "# Nodes: %u Edges: %u\n", VERTICES, ARCS);
    write_arcs(out, "%u\t%u\n", 0, false);
}

static void write_csv(FILE *out)
{
    fprintf(out, "source,target,weight\n");
    write_arcs(out, "%u,%u,%.6f\n", 0, true);
}

static void write_el(FILE *out)
{
    write_arcs(out, "%u %u\n", 0, false);
}

static void write_wel(FILE *out)
{
    write_arcs(out, "%u %u %u\n", 0, false);
}

/* Each vertex joined to those at distances 1, 7, 49 and 343 around a ring. */
static void write_metis(FILE *out)
{
    fprintf(out, "%u %u\n", VERTICES, 4 * VERTICES);
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t step = 1; step <= 343; step *= 7)
            fprintf(out, "%u %u ", (v + step) % VERTICES + 1, (v + VERTICES - step) % VERTICES + 1);
        fputc('\n', out);
    }
}

static void write_tsplib(FILE *out)
{
    uint64_t state = 1;
    fprintf(out,
            "NAME: bench\nTYPE: ATSP\nDIMENSION: 1000\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
            "EDGE_WEIGHT_SECTION\n");
    for (uint32_t i = 0; i < 1000 * 1000; i++)
        fprintf(out, "%u%c", draw(&state) % 100000, i % 20 == 19 ? '\n' : ' ');
    fprintf(out, "EOF\n");
}

static const struct {
    const char *name;
    void (*write)(FILE *out);
    uint64_t n, m;
} files[] = {
    {"bench.gr", write_gr, VERTICES, ARCS},       {"bench.mtx", write_mtx, VERTICES, ARCS},
    {"bench.txt", write_snap, 0, ARCS},           {"bench.csv", write_csv, 0, ARCS},
    {"bench.el", write_el, VERTICES, ARCS},       {"bench.wel", write_wel, VERTICES, ARCS},
    {"bench.graph", write_metis, VERTICES, ARCS}, {"bench.tsp", write_tsplib, 1000, 999000},
};

/* ---- timing ------------------------------------------------------------------------------------------------------ */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void hear_build(void *user, nf_log_level level, const char *text)
{
    (void)level;
    (void)sscanf(text, "built in %lf ms", (double *)user);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Reads the file REPEATS + 1 times; n and m of 0 are not checked. */
static bool measure(const char *path, int threads, uint64_t n, uint64_t m, timing *t)
{
    double build = 0;
    nf_context *ctx = NULL;
    nf_context_options o = {
        .size = sizeof o, .device = "cpu", .threads = threads, .log = hear_build, .log_user = &build};
    if (nf_context_create(&o, &ctx) != NF_OK)
        return false;
    bool good = true;
    for (int i = -1; good && i < REPEATS; i++) {
        nf_graph *g = NULL;
        build = 0;
        double start = now_ms();
        good = nf_graph_read(ctx, path, NULL, &g) == NF_OK;
        double took = now_ms() - start;
        good = good && (n == 0 || nf_graph_n(g) == n) && (m == 0 || nf_graph_m(g) == m);
        nf_graph_free(g);
        if (i >= 0) {
            t->whole[i] = took;
            t->parse[i] = took - build;
        }
    }
    qsort(t->whole, REPEATS, sizeof t->whole[0], compare);
    qsort(t->parse, REPEATS, sizeof t->parse[0], compare);
    nf_context_free(ctx);
    return good;
}

/* The seconds that GAP's converter spends reading, or a negative number. */
static double measure_gap(const char *path)
{
    const char *folder = getenv("NEARFAR_GAP");
    const char *dot = strrchr(path, '.');
    char command[1400], line[256];
    double seconds = -1;
    if (folder == NULL || dot == NULL || strstr(".gr .mtx .el .wel .graph", dot) == NULL)
        return -1;
    bool weighted = strcmp(dot, ".gr") == 0 || strcmp(dot, ".wel") == 0;
    (void)snprintf(command, sizeof command, "'%s/converter' -f '%s' %s -b /dev/null 2>&1", folder, path,
                   weighted ? "-w" : "");
    FILE *in = popen(command, "r");
    if (in == NULL)
        return -1;
    while (fgets(line, sizeof line, in) != NULL)
        (void)sscanf(line, "Read Time: %lf", &seconds);
    (void)pclose(in);
    return seconds;
}

static bool report(const char *path, uint64_t n, uint64_t m)
{
    struct stat about;
    timing one, all;
    if (stat(path, &about) != 0 || !measure(path, 1, n, m, &one) || !measure(path, 0, n, m, &all)) {
        printf("%s: wrong: %s\n", path, nf_last_error());
        return false;
    }
    double mb = (double)about.st_size * 1e-6, gap = measure_gap(path);
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    printf("%-24s %7.1f | %7.0f %7.0f %7.0f | %7.0f %7.0f %7.0f | ", name, mb, mb / one.parse[0] * 1e3,
           mb / one.parse[REPEATS / 2] * 1e3, mb / one.whole[REPEATS / 2] * 1e3, mb / all.parse[0] * 1e3,
           mb / all.parse[REPEATS / 2] * 1e3, mb / all.whole[REPEATS / 2] * 1e3);
    if (gap > 0)
        printf("%7.0f\n", mb / gap);
    else
        printf("%7s\n", "-");
    return true;
}

static bool report_made(const char *folder)
{
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[160];
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *out = fopen(path, "w");
        if (out == NULL)
            return false;
        files[i].write(out);
        good = fclose(out) == 0 && report(path, files[i].n, files[i].m) && good;
        (void)unlink(path);
    }
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    printf("%-24s %7s | %23s | %23s | %7s\n", "MB/s", "", "one thread", "all threads", "GAP");
    printf("%-24s %7s | %7s %7s %7s | %7s %7s %7s | %7s\n", "file", "MB", "parse+", "parse", "whole", "parse+", "parse",
           "whole", "read");
    for (int i = 1; i < argc; i++)
        good = report(argv[i], 0, 0) && good;
    if (argc == 1) {
        const char *base = getenv("TMPDIR");
        char folder[128];
        (void)snprintf(folder, sizeof folder, "%s/nearfar-bench-XXXXXX", base != NULL ? base : "/tmp");
        good = mkdtemp(folder) != NULL && report_made(folder);
        (void)rmdir(folder);
    }
    printf("parse+: the best of %d, the others the median; whole includes the build of the graph\n", REPEATS);
    return good ? 0 : 1;
}
