/* conformance.c - every algorithm the library lists, on every device of this machine, over the whole corpus.
 *
 * The suite walks nf_algorithm_get and nf_device_get, so nothing can be added without being tested; what an algorithm
 * must give comes from reference.c, and the property checkers look at it too. An algorithm leaves out a graph only if
 * `caps` says so. It ends with one table: for each (problem, algorithm, device, flavour) the largest class run, graphs,
 * checks, failures.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define FLAVOUR "asan"
#elif defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define FLAVOUR "tsan"
#else
#define FLAVOUR "plain"
#endif

/* The largest class each may run; the first line that matches counts, "*" matches all. This is the only place where
 * anything is left out. All pairs stop at 400 vertices, since their output and the reference are n^2. */
typedef struct cap {
    const char *problem, *algorithm, *device, *flavour;
    size_class largest;
} cap;

static const cap caps[] = {
    {"apsp", "*", "emulator", "*", SIZE_TINY},
    {"apsp", "*", "gpu", "*", SIZE_TINY}, /* with weights a row is a launch */
    {"apsp", "*", "*", "tsan", SIZE_TINY},
    {"apsp", "*", "*", "*", SIZE_SMALL},
    {"bfs", "vertex", "emulator", "*", SIZE_SMALL}, /* all vertices, or all arcs, in every level */
    {"bfs", "virtual-warp", "emulator", "*", SIZE_SMALL},
    {"bfs", "edge", "emulator", "*", SIZE_SMALL},
    {"bfs", "matrix", "emulator", "*", SIZE_SMALL},
    {"bfs", "expand-contract", "emulator", "*", SIZE_SMALL}, /* several barriers of a block for each of its vertices */
    {"bfs", "contract-expand", "emulator", "*", SIZE_SMALL},
    {"bfs", "two-phase-scan", "emulator", "*", SIZE_SMALL},
    {"bfs", "scan-hybrid", "emulator", "*", SIZE_SMALL},
    {"bfs", "bit-parallel", "emulator", "*", SIZE_SMALL}, /* all blocks in every level, for one source too */
    {"*", "*", "emulator", "plain", SIZE_MEDIUM},
    {"*", "*", "emulator", "*", SIZE_SMALL},
    {"*", "*", "*", "plain", SIZE_LARGE},
    {"*", "*", "*", "*", SIZE_MEDIUM},
};

#define MOST_DEVICES 16
#define MOST_ALGORITHMS 256

typedef struct options {
    const char *algorithm, *device, *graph;
    int threads;
    uint64_t seed, sample;
    bool quick;
    size_class largest;  /* graphs above it are left out */
    const char *without; /* "name=value" of a knob that is left out */
    size_t part, parts;  /* graph i is taken if i % parts == part */
} options;

static bool matches(const char *pattern, const char *text)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, text) == 0;
}

/* "gpu" of "gpu:1". */
static void device_kind(const char *device, char kind[32])
{
    snprintf(kind, 32, "%.*s", (int)strcspn(device, ":"), device);
}

static size_class largest_of(const nf_algorithm_info *alg, const char *kind)
{
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        if (matches(caps[i].problem, nf_problem_name(alg->problem)) && matches(caps[i].algorithm, alg->name)
            && matches(caps[i].device, kind) && matches(caps[i].flavour, FLAVOUR))
            return caps[i].largest;
    return SIZE_LARGE;
}

/* ---- devices and their tallies ----------------------------------------------------------------------------------- */

typedef struct bench {
    nf_device_info info;
    char kind[32];
    nf_context *ctx;
    tally tallies[MOST_ALGORITHMS];
} bench;

static size_t open_devices(const options *o, suite *su, bench *benches)
{
    size_t count = 0;
    nf_device_info info;
    for (size_t i = 0; count < MOST_DEVICES && nf_device_get(i, &info) == NF_OK; i++) {
        bench *b = &benches[count];
        if (o->device != NULL && strcmp(o->device, info.name) != 0)
            continue;
        const nf_context_options c = {.size = sizeof c, .device = info.name, .threads = o->threads};
        b->info = info;
        device_kind(info.name, b->kind);
        if (nf_context_create(&c, &b->ctx) != NF_OK) {
            printf("FAIL device=%s cannot be opened: %s\n", info.name, nf_last_error());
            su->failed++;
            continue;
        }
        for (size_t k = 0; k < MOST_ALGORITHMS; k++)
            b->tallies[k].largest = -1;
        count++;
    }
    return count;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void face(const options *o, suite *su, scene *sc, bench *b)
{
    const nf_algorithm_info *alg = NULL;
    for (size_t i = 0; i < MOST_ALGORITHMS && (alg = nf_algorithm_get(i)) != NULL; i++) {
        if (strcmp(alg->device, b->kind) != 0 || (o->algorithm != NULL && strcmp(o->algorithm, alg->name) != 0)
            || sc->item.size > largest_of(alg, b->kind))
            continue;
        subject s = {
            .suite = su, .scene = sc, .ctx = b->ctx, .device = b->info.name, .alg = alg, .tally = &b->tallies[i]};
        const double start = now();
        run_variants(&s);
        s.tally->seconds += now() - start;
        s.tally->graphs++;
        if ((int)sc->item.size > s.tally->largest)
            s.tally->largest = (int)sc->item.size;
    }
}

static void run_graph(const options *o, suite *su, bench *benches, size_t devices, size_t i)
{
    corpus_graph item;
    scene sc;
    const nf_status st = corpus_get(benches[0].ctx, i, su->seed, &item);
    if (item.size > o->largest || (o->graph != NULL && strncmp(o->graph, item.name, strlen(o->graph)) != 0)) {
        nf_graph_free(item.graph);
        return;
    }
    if (st != NF_OK || nf_graph_n(item.graph) > size_class_limit(item.size)) {
        printf("FAIL graph=%s cannot be made or outgrows its class: %s\n", item.name,
               st != NF_OK ? nf_last_error() : "");
        su->failed++;
        nf_graph_free(item.graph);
        return;
    }
    if (scene_open(benches[0].ctx, su, &item, &sc)) {
        for (size_t d = 0; d < devices; d++)
            face(o, su, &sc, &benches[d]);
    } else {
        printf("FAIL graph=%s cannot be looked at: %s\n", sc.item.name, nf_last_error());
        su->failed++;
    }
    scene_close(&sc);
}

static void print_table(const options *o, const bench *benches, size_t devices)
{
    const nf_algorithm_info *alg = NULL;
    printf("\n| %-5s %-24s %-10s %-7s %-8s %7s %9s %8s %8s\n", "", "algorithm", "device", "flavour", "largest",
           "graphs", "checks", "failures", "seconds");
    for (size_t d = 0; d < devices; d++) {
        for (size_t i = 0; i < MOST_ALGORITHMS && (alg = nf_algorithm_get(i)) != NULL; i++) {
            const tally *t = &benches[d].tallies[i];
            if (strcmp(alg->device, benches[d].kind) != 0
                || (o->algorithm != NULL && strcmp(o->algorithm, alg->name) != 0))
                continue;
            printf("| %-5s %-24s %-10s %-7s %-8s %7llu %9llu %8llu %8.1f\n", nf_problem_name(alg->problem), alg->name,
                   benches[d].info.name, FLAVOUR, t->largest < 0 ? "none" : size_class_name((size_class)t->largest),
                   (unsigned long long)t->graphs, (unsigned long long)t->checks, (unsigned long long)t->failures,
                   t->seconds);
        }
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void usage(void)
{
    puts("usage: conformance [--algorithm NAME] [--device NAME] [--graph PREFIX] [--largest CLASS]\n"
         "                   [--without KNOB=VALUE] [--threads N] [--seed N] [--quick] [--part K/N]\n"
         "                   [--sample K] [--list]\n"
         "Runs every algorithm on every device over the corpus; --quick takes fewer sources and variants;\n"
         "--part takes every N-th graph from the K-th on, so that N runs side by side do the work of one;\n"
         "--sample makes one request of K, drawn by the seed.");
}

static int list_corpus(void)
{
    for (size_t i = 0; i < corpus_count(); i++) {
        corpus_graph item;
        const nf_status st = corpus_get(NULL, i, 1, &item);
        printf("%-32s %-7s", item.name, size_class_name(item.size));
        if (st == NF_OK)
            printf(" n %u m %llu\n", nf_graph_n(item.graph), (unsigned long long)nf_graph_m(item.graph));
        else
            printf(" %s\n", nf_last_error());
        nf_graph_free(item.graph);
    }
    return 0;
}

static bool find_class(const char *name, size_class *size)
{
    for (*size = SIZE_TINY; *size < SIZE_LARGE && strcmp(size_class_name(*size), name) != 0; (*size)++)
        ;
    return strcmp(size_class_name(*size), name) == 0;
}

/* "2/3": the second of three parts. */
static bool find_part(const char *text, options *o)
{
    char *end = NULL;
    const unsigned long part = strtoul(text, &end, 10);
    o->parts = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    o->part = part - 1;
    return *end == '\0' && part >= 1 && part <= o->parts;
}

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--list") == 0)
            return list_corpus();
        if (strcmp(argv[i], "--help") == 0) {
            usage();
            return 0;
        }
        if (strcmp(argv[i], "--quick") == 0) {
            o->quick = true;
            continue;
        }
        if (value == NULL) {
            usage();
            return 2;
        }
        i++;
        if (strcmp(argv[i - 1], "--algorithm") == 0)
            o->algorithm = value;
        else if (strcmp(argv[i - 1], "--device") == 0)
            o->device = value;
        else if (strcmp(argv[i - 1], "--graph") == 0)
            o->graph = value;
        else if (strcmp(argv[i - 1], "--without") == 0)
            o->without = value;
        else if (strcmp(argv[i - 1], "--largest") == 0 && find_class(value, &o->largest))
            continue;
        else if (strcmp(argv[i - 1], "--part") == 0 && find_part(value, o))
            continue;
        else if (strcmp(argv[i - 1], "--threads") == 0)
            o->threads = atoi(value);
        else if (strcmp(argv[i - 1], "--seed") == 0)
            o->seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--sample") == 0 && strtoull(value, NULL, 10) > 0)
            o->sample = strtoull(value, NULL, 10);
        else {
            usage();
            return 2;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    options o = {.threads = 2, .seed = 1, .largest = SIZE_LARGE, .parts = 1, .sample = 1};
    const int done = parse(argc, argv, &o);
    if (done >= 0)
        return done;
    setvbuf(stdout, NULL, _IOLBF, 0);
    suite su = {.seed = o.seed, .threads = o.threads, .quick = o.quick, .without = o.without, .sample = o.sample};
    bench *benches = calloc(MOST_DEVICES, sizeof *benches);
    if (benches == NULL)
        return 2;
    const size_t devices = open_devices(&o, &su, benches);
    for (size_t i = o.part; devices > 0 && i < corpus_count(); i += o.parts)
        run_graph(&o, &su, benches, devices, i);
    print_table(&o, benches, devices);
    for (size_t d = 0; d < devices; d++)
        nf_context_free(benches[d].ctx);
    free(benches);
    if (devices == 0 || su.passed == 0) {
        puts("nothing ran: no such device, algorithm or graph");
        su.failed++;
    }
    printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)su.passed, (unsigned long long)su.failed,
           (unsigned long long)su.skipped);
    return su.failed == 0 ? 0 : 1;
}
