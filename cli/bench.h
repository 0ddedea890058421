/* bench.h - what the files of `nearfar bench` share: settings, tables, graphs, timed searches, rivals.
 *
 * A suite (`cpu`, `gpu-bfs`, `gpu-sssp`, `gpu-apsp`) fills tables; bench.c prints them. Rivals are programs of their
 * own, found beside the command, never linked (bench_rivals.c).
 * Invariant: B1 no time is printed of an answer that was not compared with the oracle's, vertex by vertex through a
 * hash; what differs is printed as "wrong".
 */
#ifndef NF_CLI_BENCH_H
#define NF_CLI_BENCH_H

#include "cli.h"

#define BENCH_COLUMNS 16
#define BENCH_THREADS 8
#define BENCH_SOURCES 64
#define BENCH_TABLES 12
#define BENCH_RIVALS 4 /* and GAP */
#define BENCH_MANY 3u  /* bits of bench.problems after those of nf_problem */
#define BENCH_PATH 4u

/* ---- tables (bench_table.c) -------------------------------------------------------------------------------------- */

typedef struct bench_cell {
    char text[256]; /* as printed */
    double value;   /* for JSON; NaN: the text */
} bench_cell;

typedef struct bench_table {
    const char *name, *title; /* the key in JSON; a line above */
    const char *columns[BENCH_COLUMNS];
    size_t column_count;
    bench_cell (*rows)[BENCH_COLUMNS];
    size_t row_count, at; /* `at`: the next cell of the last row */
    char note[1200];      /* a line below; "" for none */
} bench_table;

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* A program around another library (bench/rivals). */
typedef struct bench_rival {
    const char *name, *program;
    bool threads; /* uses more than one */
    bool found;
    char path[1024], version[48];
    /* the process that has the graph at hand */
    int pid; /* 0: none */
    int to, from;
    char line[512]; /* read, not yet used */
    size_t held;
} bench_rival;

typedef struct bench {
    cli_app *app;
    uint64_t seed;
    unsigned scale, source_count, repeats;
    int threads[BENCH_THREADS];
    size_t thread_count;
    uint32_t problems;     /* 1 << nf_problem, or more bits of the suite's own */
    const char *algorithm; /* of ours; NULL: auto */
    bench_table tables[BENCH_TABLES];
    size_t table_count;
    double deadline; /* a run is cancelled past it; 0: none */
    bench_rival rivals[BENCH_RIVALS];
    const char *gap;  /* folder of GAP's programs; NULL: none */
    char folder[256]; /* the rivals' graphs; "": none yet */
    bool wrong;       /* some answer of ours was */
} bench;

/* ---- bench.c ----------------------------------------------------------------------------------------------------- */

/* A line on stderr, unless --quiet or --no-progress. */
void bench_say(const bench *b, const char *format, ...) CLI_PRINTF(2, 3);
/* A context of a device and so many threads (0: all) that ends runs past b->deadline and on Ctrl-C. */
int bench_context(bench *b, const char *device, int threads, nf_context **out);
/* Whether a comma-separated list has this word; NULL has every word. */
bool bench_listed(const char *list, const char *word);

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* A new table; at most BENCH_TABLES. The columns are copied as pointers. */
bench_table *bench_table_add(bench *b, const char *name, const char *title, const char *const *columns, size_t count);
bool bench_row(bench_table *t);
void bench_text(bench_table *t, const char *format, ...) CLI_PRINTF(2, 3);
void bench_number(bench_table *t, double value, int decimals); /* NaN: "-" */
/* The last row as a progress line. */
void bench_say_row(const bench *b, const bench_table *t);
void bench_tables_print(const bench *b, FILE *f, bool markdown);
void bench_tables_json(const bench *b, FILE *f);
/* One table, values with all their digits. */
int bench_table_tsv(const bench *b, const bench_table *t, const char *path);
void bench_tables_free(bench *b);

/* ---- graphs (bench_graphs.c) ------------------------------------------------------------------------------------- */

typedef struct bench_spec {
    const char *name, *kind;
    uint64_t n; /* vertices; 0: 2^scale */
    unsigned scale;
    double edge_factor; /* where the kind has one */
    uint64_t edges;     /* instead of it */
    uint32_t k;
    double p, drop;
    double a, b, c;   /* quadrants of rmat; a = 0: its own */
    double low, high; /* weights; both 0: the kind's own */
    nf_type type;     /* NF_NONE: i32 */
    uint64_t salt;    /* added to the seed */
    bool directed, keep_duplicates;
} bench_spec;

nf_status bench_make(const bench *b, nf_context *ctx, const bench_spec *spec, nf_graph **out);
/* The graphs of the ratio table by name, at b->scale; NULL for the road network where it is not at hand. */
const char *bench_graph_name(size_t i);
nf_status bench_graph_make(const bench *b, nf_context *ctx, const char *name, nf_graph **out);
/* Runs `each` on the graphs asked for, but for those not at hand, at every number of threads. */
int bench_over_graphs(bench *b, bench_table *t,
                      int (*each)(bench *b, const char *name, const nf_graph *g, int threads, bench_table *t));
/* Of seed 003's graph with so many arcs: 30,000 vertices at scale 22. */
bench_spec bench_chain_spec(const bench *b, double arcs);
/* The same with its vertices numbered at random, and weights 1..3, at random, along the chain. */
nf_status bench_chain_hide(const bench *b, nf_context *ctx, const bench_spec *spec, nf_graph **out);
/* Where a search of it begins: vertex 2,465 of 30,000. */
nf_status bench_chain_source(const bench *b, nf_vid n, bool hidden, nf_vid *out);
/* The next of a seed's vertices, each as likely as another. */
nf_vid bench_draw(uint64_t *seed, nf_vid n);
/* Vertices with arcs out, by seed; false when there are none. */
bool bench_sources(const bench *b, const nf_graph *graph, nf_vid *sources, unsigned count);

/* ---- timed searches (bench_search.c) ----------------------------------------------------------------------------- */

typedef struct bench_answer {
    double ms;
    uint64_t reached, hash;
    double sum; /* of the distances */
    uint64_t iterations, edges;
    char chosen[40], reason[256]; /* of auto */
    bool broken;                  /* a rule of the Graph500, where it was asked */
} bench_answer;

typedef struct bench_how {
    const char *algorithm;    /* NULL: auto */
    uint32_t flags;           /* NF_RUN_* */
    const char *const *knobs; /* "NAME=VALUE" */
    size_t knob_count;
    bool check; /* BFS: the result is held against the rules of the Graph500 (tests/check) */
} bench_how;

/* Adds one distance of vertex (or matrix place) `at` to a hash; whole numbers hash alike in every type. */
uint64_t bench_hash(uint64_t hash, uint64_t at, double distance);
/* Adds n distances (or hops) from place `at` on to the answer's hash and count. */
void bench_hash_row(bench_answer *a, const void *distances, nf_type type, bool hops, uint64_t at, uint64_t n);
/* One search by an algorithm, timed (the run alone: no building of views), its distances hashed. source is ignored by
 * NF_APSP; flags: NF_RUN_*. */
nf_status bench_search(nf_context *ctx, const nf_graph *graph, nf_problem problem, nf_vid source, const char *algorithm,
                       uint32_t flags, bench_answer *out);
nf_status bench_search_as(nf_context *ctx, const nf_graph *graph, nf_problem problem, nf_vid source,
                          const bench_how *how, bench_answer *out);
double bench_median(double *values, size_t count); /* sorts them */

/* ---- the machine's price (bench_reads.c) ------------------------------------------------------------------------- */

/* The reads of a search with result r (hops, or distances from weights of type i32) that looked at `looked` arcs. The
 * graph must outlive them. */
typedef struct bench_reads bench_reads;
nf_status bench_reads_create(nf_context *ctx, const nf_graph *g, const nf_result *r, double looked, bench_reads **out);
/* Ms an arc in which the machine reads them, with what must be read beside them, and does nothing else. */
double bench_reads_pass(const bench_reads *x, int threads);
void bench_reads_free(bench_reads *x);

/* ---- rivals (bench_rivals.c, bench_gap.c) ------------------------------------------------------------------------ */

/* Looks for the programs beside the command, under libexec and in $NEARFAR_RIVALS; says which were not found. */
void bench_rivals_find(bench *b);
/* What was found, as "Boost 1.74, ...; not found: ...". */
void bench_rivals_tell(const bench *b, char *text, size_t capacity);
/* Writes the graph for the rivals and starts those that were found; bench_rivals_stop ends them and removes the
 * files. */
int bench_rivals_start(bench *b, const nf_graph *graph);
void bench_rivals_stop(bench *b);
void bench_rivals_close(bench *b);
typedef enum bench_outcome { BENCH_NONE = 0, BENCH_RIGHT, BENCH_FALSE, BENCH_LATE } bench_outcome;
/* One search ("bfs", "sssp", "apsp", "dense") of a rival, which must give the answer `want`. BENCH_NONE: it has none;
 * BENCH_LATE: no answer within limit_ms, and it was ended. */
bench_outcome bench_ask(bench_rival *r, const char *problem, int threads, nf_vid source, const bench_answer *want,
                        double limit_ms, double *ms);
/* GAP from one source: the best of `trials`, checked by its own verifier and the number of vertices reached. */
bench_outcome bench_gap_run(const bench *b, nf_problem problem, int threads, nf_vid source, long delta, unsigned trials,
                            const bench_answer *want, double *ms);
/* The best of GAP's deltas by powers of two, from one source; `from` > 0: near that one only. */
long bench_gap_delta(const bench *b, int threads, nf_vid source, long from);

/* ---- charts (bench_chart.c) -------------------------------------------------------------------------------------- */

#define BENCH_POINTS 48
typedef struct bench_line {
    const char *name;
    size_t count;
    double x[BENCH_POINTS], y[BENCH_POINTS];
} bench_line;

/* Lines over two logarithmic axes; what is not above 0 is left out. The file appears under its name when whole. */
typedef enum bench_style {
    BENCH_LINES = 0,
    BENCH_GUIDE, /* and a dashed guide of slope 1 */
    BENCH_DOTS,  /* no lines between the points */
    BENCH_BARS   /* x is a place in bench_picture.places, y a bar over it */
} bench_style;

typedef struct bench_picture {
    const char *title, *x_name, *y_name;
    bench_style style;
    const bench_line *lines;
    size_t count;
    const char *const *places; /* BENCH_BARS: names along the x axis */
    size_t place_count;
} bench_picture;
int bench_chart(cli_app *app, const char *path, const bench_picture *picture);

/* ---- parts of the suite `cpu` ------------------------------------------------------------------------------------ */

int bench_cpu(bench *b);    /* chooses among these */
int bench_ratios(bench *b); /* BFS and SSSP beside the rivals */
int bench_apsp(bench *b);   /* all pairs, dense and sparse */
int bench_many(bench *b);   /* many sources at once against one by one */
int bench_paths(bench *b);  /* one pair against a whole run */
int bench_growth(bench *b); /* run time against arcs */
/* `auto` against every fixed method of a device on problems (1 << nf_problem); gpu-bfs and gpu-sssp have it too */
int bench_auto_check(bench *b, const char *device, uint32_t problems);

/* ---- a device's methods on a graph (bench_field.c) --------------------------------------------------------------- */

#define BENCH_GPU_GRAPHS 10
#define BENCH_SUITE_GRAPHS 16 /* of any suite, at most */
#define BENCH_CAP_MS 5000.0   /* a run of a method other than auto */
const char *bench_gpu_graph_name(size_t i);
/* NF_ENOTFOUND where its file is not at hand. */
nf_status bench_gpu_make(const bench *b, const char *name, nf_graph **out);

typedef struct bench_field {
    bench *b;
    nf_problem problem;
    const char *name, *device;
    nf_context *ctx; /* of the device */
    nf_graph *graph;
    nf_vid sources[BENCH_SOURCES];
    bench_answer want[BENCH_SOURCES];
    unsigned source_count; /* of auto */
    double input;          /* edges as drawn in the sources' component; NaN: not known */
    double cpu_ms;         /* of the CPU's auto; shortest paths only */
} bench_field;

typedef enum bench_ending { BENCH_ENDED, BENCH_OVER, BENCH_WRONG, BENCH_REFUSED } bench_ending;
typedef struct bench_score {
    bench_ending end[2]; /* distances alone, with parents */
    double ms[2], levels, arcs;
    unsigned runs, checked; /* B2 */
} bench_score;

/* Sources and answers of f->graph. */
int bench_field_answers(bench_field *f);
/* One run from source i under its cap, checked. */
nf_status bench_field_run(bench_field *f, const bench_how *how, unsigned i, bool capped, bench_score *s,
                          bench_answer *got);
/* Mean over the sources of the least of the runs. */
nf_status bench_field_time(bench_field *f, const bench_how *how, unsigned sources, bool capped, bench_score *s);

/* ---- the suites `gpu-bfs` and `gpu-sssp` (bench_gpu.c) ----------------------------------------------------------- */

/* A time, or why there is none. */
void bench_time_cell(bench_table *t, bench_ending end, double ms);
/* Is graph i asked for, or usual? */
bool bench_gpu_wanted(const bench *b, size_t i);
/* bench_frontier.c: a graph's frontier by `auto`, into the file beside --plot, a line and a table; then the picture. */
int bench_frontier(bench *b, const char *device, const char *name, const nf_graph *g, nf_vid source, bench_line *line,
                   bench_table *t);
int bench_frontier_draw(bench *b, const bench_line *lines, size_t count);
int bench_gpu_bfs(bench *b);
int bench_gpu_sssp(bench *b);
/* bench_figures.c: the papers' figures from our runs, into the folder of --figures. */
#define BENCH_FIGURES 12 /* at most */
int bench_figures(bench *b);
size_t bench_figure_names(const char **names, size_t room);

/* ---- the suite `gpu-apsp` (bench_gpu_apsp.c) --------------------------------------------------------------------- */

const char *bench_gpu_apsp_name(size_t i);
int bench_gpu_apsp(bench *b);
/* bench_gpu_batch.c: its table of many small graphs; ctx: the device's. */
int bench_gpu_batch(bench *b, nf_context *ctx, nf_context *cpu);

#endif
