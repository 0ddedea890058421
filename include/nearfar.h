/* nearfar.h - breadth-first search, single-source and all-pairs shortest paths.
 *
 * This header is the reference documentation of the C library. It is staged: part 1 is all that most programs need,
 * part 2 says how to steer a run, part 3 builds and inspects graphs, part 4 files, part 5 generators, part 6 contexts
 * and listings, part 7 a priority queue, part 8 batches of small graphs.
 *
 * Conventions
 *   Vertices are 0-based nf_vid; results are indexed by them, isolated vertices included. Files may number their
 *   vertices otherwise: nf_graph_label and nf_graph_find translate.
 *   An edge u -> v is walked from u to v. An undirected graph stores both arcs; m counts stored arcs.
 *   A function that can fail returns nf_status and, on failure, leaves a sentence in nf_last_error(); its output
 *   pointers are then NULL or untouched (the one exception: NF_ENEGCYCLE delivers a result that holds the cycle).
 *   Objects come from nf_*_create, nf_graph_from_*, nf_*_read, nf_generate or a run and are released by the matching
 *   nf_*_free, which accepts NULL. Pointers from accessors are borrowed: they live as long as their object.
 *   Option structs begin with their size: `nf_run_options o = {.size = sizeof o};` and zero means the default
 *   everywhere, so programs compiled against an older header keep working. NULL options mean all defaults.
 *   A NULL context means default settings for that one call.
 *   The library never prints, exits or aborts, and keeps no mutable globals. Graphs and results are immutable and may
 *   be shared between threads; a context serves one call at a time (nf_context_cancel excepted).
 */
#ifndef NEARFAR_H
#define NEARFAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NF_API __attribute__((visibility("default")))
#else
#define NF_API
#endif

#define NF_VERSION_MAJOR 0
#define NF_VERSION_MINOR 1
#define NF_VERSION_PATCH 0
#define NF_VERSION_STRING "0.1.0"

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 1. The simple calls
 * ------------------------------------------------------------------------------------------------------------------ */

typedef uint32_t nf_vid; /* a vertex, 0 .. n-1 */
typedef uint64_t nf_eid; /* an arc, 0 .. m-1 */

#define NF_NO_VERTEX UINT32_MAX /* the parent of an unreached vertex */
#define NF_NO_HOP (-1)          /* the BFS level of an unreached vertex */
#define NF_UNREACHED_I32 INT32_MAX
#define NF_UNREACHED_U32 UINT32_MAX
#define NF_UNREACHED_I64 INT64_MAX
#define NF_UNREACHED_U64 UINT64_MAX
/* For f32 and f64 distances, unreached is +infinity. */

/* The type of weights and of distances. As a weight type NF_NONE means unweighted (1 an arc); as a distance type it
 * means the default: i64 for integer or absent weights, f32 for f32, f64 for f64. */
typedef enum nf_type { NF_NONE = 0, NF_I32, NF_U32, NF_I64, NF_U64, NF_F32, NF_F64 } nf_type;

/* Status codes, made from one table: X(name, number, text). */
#define NF_STATUS_MAP(X)                                   \
    X(NF_OK, 0, "success")                                 \
    X(NF_EINVAL, 1, "invalid argument")                    \
    X(NF_ENOMEM, 2, "out of memory")                       \
    X(NF_EIO, 3, "input or output failed")                 \
    X(NF_EFORMAT, 4, "malformed input")                    \
    X(NF_EUNSUPPORTED, 5, "not supported")                 \
    X(NF_EOVERFLOW, 6, "a distance does not fit its type") \
    X(NF_ENEGCYCLE, 7, "negative cycle")                   \
    X(NF_ECANCELLED, 8, "cancelled")                       \
    X(NF_ENOTFOUND, 9, "not found")                        \
    X(NF_ENODEVICE, 10, "no such device on this machine")  \
    X(NF_EDEVMEM, 11, "out of device memory")              \
    X(NF_ECUDA, 12, "the GPU reported a fault")            \
    X(NF_EMPI, 13, "MPI reported a fault")                 \
    X(NF_EINTERNAL, 14, "internal error")

typedef enum nf_status {
#define NF_STATUS_ENUM(name, number, text) name = number,
    NF_STATUS_MAP(NF_STATUS_ENUM)
#undef NF_STATUS_ENUM
} nf_status;

typedef struct nf_context nf_context; /* settings, memory accounting and devices; part 6 */
typedef struct nf_graph nf_graph;     /* an immutable graph; part 3 */
typedef struct nf_result nf_result;   /* what a run found; below and part 2 */

typedef struct nf_run_options nf_run_options;   /* part 2 */
typedef struct nf_read_options nf_read_options; /* part 4 */

/* The name ("NF_EINVAL") and the general meaning of a status; both static. Unknown numbers give "NF_?". O(1). */
NF_API const char *nf_status_name(nf_status status);
NF_API const char *nf_status_text(nf_status status);

/* What went wrong in this thread's last failed call: one line, no newline, "" before any failure. It stays valid until
 * the next failing call in the same thread. */
NF_API const char *nf_last_error(void);

/* Reads a graph from a file, or from standard input when path is "-". The format is told by content and name;
 * compressed files (gzip, zstd, xz) are told by content. The caller frees *out. Time O(n + m), parallel; .nfg is mapped
 * in O(1). */
NF_API nf_status nf_graph_read(nf_context *ctx, const char *path, const nf_read_options *options, nf_graph **out);

/* Releases a graph; NULL is fine. No call may still be using it. */
NF_API void nf_graph_free(nf_graph *graph);

/* Breadth-first search: the fewest arcs from source to every vertex, along arc direction, weights ignored.
 * Unreached vertices have hop NF_NO_HOP. The caller frees *out. Time O(n + m), memory O(n); "auto" on a CPU, one
 * source: at most half the graph's own bytes and 16 n beyond graph and outputs (and 24 KiB where n < 4096). */
NF_API nf_status nf_bfs(nf_context *ctx, const nf_graph *graph, nf_vid source, const nf_run_options *options,
                        nf_result **out);

/* Single-source shortest paths: the least sum of weights from source to every vertex, along arc direction; an
 * unweighted graph counts 1 an arc. Unreached vertices have distance NF_UNREACHED_* or infinity. Negative weights are
 * allowed; a reachable negative cycle gives NF_ENEGCYCLE and *out holds it (nf_result_cycle). The caller frees *out.
 * Time O((n + m) log n) for weights >= 0, O(n m) with negative ones; memory O(n), "auto" within the
 * bound of nf_bfs unless weights are negative or, in small graphs (100 KB), some are far above their mean. */
NF_API nf_status nf_sssp(nf_context *ctx, const nf_graph *graph, nf_vid source, const nf_run_options *options,
                         nf_result **out);

/* All-pairs shortest paths: row u of the result holds the distances from u. Memory O(n^2) unless a sink or a file
 * takes the rows; time O(n^3) or O(n (n + m) log n), whichever method is chosen. Negative cycles as in nf_sssp. The
 * caller frees *out. */
NF_API nf_status nf_apsp(nf_context *ctx, const nf_graph *graph, const nf_run_options *options, nf_result **out);

/* The distance from the source of `row` to v as a double, +infinity when unreached or when there is no such row or
 * vertex, or when the distances went to a sink; of a BFS result, the hops. A single-source result has row 0 only.
 * O(1). */
NF_API double nf_result_distance(const nf_result *result, uint64_t row, nf_vid v);

/* Releases a result; NULL is fine. */
NF_API void nf_result_free(nf_result *result);

/* A walk from one vertex to another. Freed by nf_path_free. */
typedef struct nf_path {
    uint64_t length;       /* number of vertices; 0 when there is no way */
    nf_vid *vertices;      /* source first, target last */
    double distance;       /* its length, +infinity when there is no way */
    nf_type type;          /* of the distances */
    void *distances;       /* `length` elements of `type`: the distance from the source to each vertex of the path */
    uint64_t cycle_length; /* after NF_ENEGCYCLE: the cycle, as in nf_result_cycle; else 0 */
    nf_vid *cycle;
} nf_path;

/* A shortest path between two vertices, along arc direction. "No way" is not an error: the path then has length 0. The
 * search stops as soon as the answer is known, and goes from both ends where the transpose is at hand: the graph is
 * undirected, or one was made before, or earlier calls on the graph had work enough to pay for one (it is then made and
 * kept). It touches what lies between the two vertices, not the whole graph; a context keeps the memory of its searches
 * for the next one (unless it has a memory limit), so that only the first pays O(n) to make it ready.
 * The distance is that of nf_sssp, bit for bit, for floats too: they are summed from the source on. Which of several
 * shortest paths comes back may differ from call to call; it passes no vertex twice.
 * options->algorithm: a method of the problem NF_PATH, or one of NF_SSSP (with NF_RUN_HOPS, of NF_BFS), which then runs
 * with the target. Such a run is also made, by auto's choice, for NF_RUN_DETERMINISTIC (the path in that tree) and with
 * negative weights; there a cutoff looks at the target alone, and all distances must fit their type. A negative cycle
 * is NF_ENEGCYCLE, and *out is a path of length 0 that holds it. Buffers and sinks are NF_EINVAL, targets are ignored.
 * Time and memory at most about twice those of nf_sssp. */
NF_API nf_status nf_path_between(nf_context *ctx, const nf_graph *graph, nf_vid source, nf_vid target,
                                 const nf_run_options *options, nf_path **out);
NF_API void nf_path_free(nf_path *path);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 2. Steering a run, and all that a result holds
 * ------------------------------------------------------------------------------------------------------------------ */

NF_API const char *nf_type_name(nf_type type); /* "none", "i32", ... */
NF_API size_t nf_type_size(nf_type type);      /* in bytes; 0 for NF_NONE */

/* NF_PATH: between two vertices (nf_path_between). */
typedef enum nf_problem { NF_BFS = 0, NF_SSSP, NF_APSP, NF_PATH } nf_problem;

NF_API const char *nf_problem_name(nf_problem problem); /* "bfs", "sssp", "apsp", "path" */

/* Flags of nf_run_options. */
#define NF_RUN_PARENTS 1u /* also return a shortest-path tree */
/* parent[v] = the smallest tight predecessor with fewest hops: the same on every method. Of float APSP by a method that
 * is flagged NF_ALG_ROUNDED this holds where its sums are tight; elsewhere it is some shortest-path tree. */
#define NF_RUN_DETERMINISTIC 2u
#define NF_RUN_CUTOFF 4u /* the field `cutoff` is meant */
#define NF_RUN_RESUME 8u /* go on with what an earlier run of the same call left of `file` */
#define NF_RUN_HOPS 16u  /* nf_path_between alone: every arc counts 1, whatever it weighs */

/* A block of a result on its way to a sink: rows row0 .. row0+rows-1 (row i belongs to source sources[i]), columns col0
 * .. col0+cols-1; element (i, j) of the block is at index i * stride + j. Borrowed for the duration of the call. */
typedef struct nf_tile {
    uint64_t row0, rows, col0, cols, stride;
    const nf_vid *sources;
    nf_type type;          /* of the distances; NF_I32 for BFS hops */
    const void *distances; /* BFS: hops, NF_NO_HOP where unreached */
    const nf_vid *parents; /* NULL unless asked for */
} nf_tile;

/* Receives tiles in order of rows; anything but NF_OK ends the run with that status. */
typedef nf_status (*nf_sink_fn)(void *user, const nf_tile *tile);

struct nf_run_options {
    size_t size;
    uint32_t flags; /* NF_RUN_* */
    /* NF_NONE: the default for the weights. Sums are made in this type. Float weights with an integer type are
     * NF_EUNSUPPORTED. BFS ignores it. */
    nf_type distance_type;
    const char *algorithm; /* NULL: "auto". Names: nf_algorithm_get */
    /* Knobs of the algorithm, each "name=value". Unknown names and values out of range are NF_EINVAL. */
    const char *const *knobs;
    size_t knob_count;
    /* Vertices farther than this are unreached; inclusive (<=). BFS: hops. Integers: rounded down. With negative
     * weights it filters at the end. */
    double cutoff;
    /* Stop once all these are settled: the answer is that of a cutoff at the largest target distance (if some target
     * cannot be reached, there is no cutoff). Ignored with negative weights and by nf_apsp. */
    const nf_vid *targets;
    uint64_t target_count;
    /* Where results go instead of memory of the result's own: rows * n elements each. BFS: int32_t hops. */
    void *distances;
    nf_vid *parents;
    /* Or a sink: rows are handed over as they are done and not kept. Not together with buffers, nor nearest-source. */
    nf_sink_fn sink;
    void *sink_user;
    /* nf_apsp, and not together with buffers or a sink: the matrix goes to this file, NumPy's .npy, and its parents to
     * NAME.parents.npy, by the method `streamed`, which needs memory for a few rows only. While the run is not over the
     * file is called NAME.npy.part, and NAME.npy.nfj is its journal: a run that was cancelled, killed or ran out of
     * disk is taken up from there by the same call with NF_RUN_RESUME, and ends with the same bytes. Without
     * NF_RUN_RESUME a journal that is there is not overwritten (NF_EINVAL). Graph, type, flags and cutoff must be those
     * of the first call (NF_EINVAL); damage is NF_EFORMAT, a disk that is too small NF_EIO before the work begins. */
    const char *file;
    /* Where `streamed` keeps its temporary file when there is no `file`; NULL: the folder TMPDIR names, or /tmp. */
    const char *scratch;
};

/* One row per source, in the order given; the same source may come twice. Time: count times the single-source call. */
NF_API nf_status nf_bfs_many(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count,
                             const nf_run_options *options, nf_result **out);
NF_API nf_status nf_sssp_many(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count,
                              const nf_run_options *options, nf_result **out);

/* The distance to the nearest of several sources, in one row, with the owning source of each vertex (nf_result_owners):
 * the root of its shortest-path tree. Among equally near sources the owner is that of the parent; with
 * NF_RUN_DETERMINISTIC it is the same on every method. Time: that of one single-source call. */
NF_API nf_status nf_bfs_nearest(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count,
                                const nf_run_options *options, nf_result **out);
NF_API nf_status nf_sssp_nearest(nf_context *ctx, const nf_graph *graph, const nf_vid *sources, uint64_t count,
                                 const nf_run_options *options, nf_result **out);

/* Flags of nf_run_info. */
#define NF_INFO_NEAREST 1u /* one row, many sources */
/* some float sum reached +infinity, so a vertex may be unreached for that reason alone; which sums are tried, and so
 * whether a longer way to a reached vertex sets it, is the method's affair */
#define NF_INFO_FLOAT_OVERFLOW 2u
/* rounding made a zero cycle of negative float weights look negative; it was ignored */
#define NF_INFO_ROUNDED 4u

typedef struct nf_run_info {
    size_t size; /* set by the caller */
    nf_problem problem;
    uint32_t flags; /* NF_INFO_* */
    const char *algorithm, *reason, *device;
    nf_vid n;
    nf_eid m;
    uint64_t rows;
    nf_type type; /* of the distances; NF_I32 for BFS hops */
    double build_ms, upload_ms, run_ms, download_ms, total_ms;
    uint64_t iterations, edges_relaxed, peak_bytes;
    double device_ms; /* of run_ms: the device at work, by its own clock, results left on it; 0 on the CPU */
} nf_run_info;

/* What is known of one row, or of all of them together with row = NF_ALL_ROWS. */
#define NF_ALL_ROWS UINT64_MAX
typedef struct nf_row_info {
    size_t size;      /* set by the caller */
    nf_vid source;    /* NF_NO_VERTEX for all rows, and for nearest-source */
    uint64_t reached; /* finite distances */
    double max, sum;  /* over finite distances; 0 when there are none (never the case for a source's row) */
    char max_text[32], sum_text[48]; /* the same, exact: decimal integers for integer distances, 17 digits for floats */
    uint64_t iterations, edges_relaxed;
    double run_ms;
} nf_row_info;

/* O(1). `info->size` must be set. */
NF_API nf_status nf_result_info(const nf_result *result, nf_run_info *info);
NF_API nf_status nf_result_row_info(const nf_result *result, uint64_t row, nf_row_info *info);
/* The same of a path that nf_path_between made; its texts live as long as the path. */
NF_API nf_status nf_path_info(const nf_path *path, nf_run_info *info);

/* Arrays of n elements for a row; NULL when the row or the array does not exist (not asked for, other problem, or given
 * to a sink). nf_result_hops is for BFS, nf_result_distances for SSSP and APSP, in the type nf_result_info tells. Rows
 * are consecutive in memory. */
NF_API const int32_t *nf_result_hops(const nf_result *result, uint64_t row);
NF_API const void *nf_result_distances(const nf_result *result, uint64_t row);
NF_API const nf_vid *nf_result_parents(const nf_result *result, uint64_t row);
NF_API const nf_vid *nf_result_owners(const nf_result *result);                   /* nearest-source runs only */
NF_API nf_vid nf_result_source(const nf_result *result, uint64_t row);            /* NF_NO_VERTEX: no such row */
NF_API const nf_vid *nf_result_sources(const nf_result *result, uint64_t *count); /* all of them, as given */

/* The negative cycle of a run that ended with NF_ENEGCYCLE: length vertices, each with an arc to the next and the last
 * with an arc to the first; NULL and 0 otherwise. For floats a cycle counts as negative when its sum is below
 * -(length * epsilon) times the sum of |w| along it, epsilon being that of the distance type. */
NF_API const nf_vid *nf_result_cycle(const nf_result *result, uint64_t *length);

/* Follows parents from target back to its source and writes the walk, source first. *length is its number of vertices,
 * 0 when the target is unreached; at most `capacity` vertices are written, so a call with capacity 0 asks for the
 * length. Needs parents. NF_EUNSUPPORTED when a cutoff took away a part of the way, as it may with negative weights
 * only. O(length). */
NF_API nf_status nf_result_path(const nf_result *result, uint64_t row, nf_vid target, nf_vid *path, uint64_t capacity,
                                uint64_t *length);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 3. Graphs: build, look at, transform
 * ------------------------------------------------------------------------------------------------------------------ */

/* Arcs as a list. weights: m elements of weight_type, NULL for NF_NONE. Weight types: none, i32, u32, f32, f64. */
typedef struct nf_coo {
    nf_vid n;
    nf_eid m;
    const nf_vid *src, *dst;
    nf_type weight_type;
    const void *weights;
} nf_coo;

/* Compressed rows: the arcs of u are off[u] .. off[u+1]-1. Exactly one of off32 and off64 is set (n + 1 elements; off32
 * needs m < 2^32). */
typedef struct nf_csr {
    nf_vid n;
    nf_eid m;
    const uint32_t *off32;
    const uint64_t *off64;
    const nf_vid *adj;
    nf_type weight_type;
    const void *weights;
} nf_csr;

typedef enum nf_duplicates { NF_DUP_KEEP = 0, NF_DUP_MIN, NF_DUP_MAX, NF_DUP_SUM } nf_duplicates;

/* Flags of nf_build_options. */
#define NF_BUILD_UNDIRECTED 1u /* add the reverse of every arc (a self-loop once) and mark the graph undirected */
#define NF_BUILD_SYMMETRIC 2u  /* the arcs given are already symmetric: mark the graph undirected, add nothing */
#define NF_BUILD_DROP_LOOPS 4u /* leave self-loops out */
/* nf_graph_from_csr: use the caller's arrays, which must outlive the graph. Arrays that need a change (other flags,
 * -0.0 or +infinity among the weights) are copied all the same */
#define NF_BUILD_BORROW 8u

typedef struct nf_build_options {
    size_t size;
    uint32_t flags; /* NF_BUILD_* */
    /* parallel arcs: kept (default), or one with the least, greatest or summed weight. An unweighted graph keeps one
     * for all but KEEP. A sum that leaves the weight type is NF_EOVERFLOW */
    nf_duplicates duplicates;
} nf_build_options;

/* All builders copy (but for NF_BUILD_BORROW), check every id and weight once, keep the order of arcs within a vertex
 * (sorted by target when duplicates are reduced), drop arcs of weight +infinity, make -0.0 into 0.0, and refuse NaN and
 * -infinity. Time O(n + m), parallel; extra memory about one copy of the arcs. The caller frees *out. */
NF_API nf_status nf_graph_from_coo(nf_context *ctx, const nf_coo *coo, const nf_build_options *options, nf_graph **out);
NF_API nf_status nf_graph_from_csr(nf_context *ctx, const nf_csr *csr, const nf_build_options *options, nf_graph **out);
/* A dense matrix, row u at values + u * pitch elements (pitch >= n), type i32, u32, f32 or f64. +infinity, or for
 * integers the type's NF_UNREACHED_*, means no arc; a 0 on the diagonal means no loop; any other 0 is an arc of weight
 * 0. O(n^2). */
NF_API nf_status nf_graph_from_matrix(nf_context *ctx, nf_vid n, uint64_t pitch, nf_type type, const void *values,
                                      const nf_build_options *options, nf_graph **out);
/* A new graph from an existing one: symmetrised, loops or duplicates removed. Labels and coordinates come along. */
NF_API nf_status nf_graph_transform(nf_context *ctx, const nf_graph *graph, const nf_build_options *options,
                                    nf_graph **out);

typedef struct nf_graph_info {
    size_t size; /* set by the caller */
    nf_vid n;
    nf_eid m; /* stored arcs; of an undirected graph each edge counts twice, a loop once */
    bool directed;
    nf_type weight_type;
    bool negative_weights;
    bool has_coordinates;
    bool sparse_labels;  /* labels are listed one by one, not counted from label_base */
    uint64_t label_base; /* the label of vertex 0 when labels are consecutive */
    int offset_bits;     /* 32 or 64 */
    uint64_t bytes;      /* memory or mapping held, cached views included */
    const char *format;  /* the file format it came from, or "memory", or "generated" */
    const char *facts;   /* how that format's directions, weights and explicit zeros were read: a sentence or two */
} nf_graph_info;

NF_API nf_status nf_graph_get_info(const nf_graph *graph, nf_graph_info *info);
NF_API nf_vid nf_graph_n(const nf_graph *graph); /* vertices */
NF_API nf_eid nf_graph_m(const nf_graph *graph); /* stored arcs */

/* Views borrow from the graph and live as long as it does. The first transpose or sorted list is built (O(n + m) time
 * and memory) and cached; later calls are O(1). Any thread may call. A graph mapped from .nfg is checked here, once, on
 * first use: NF_EFORMAT when its arrays are not a graph. */
NF_API nf_status nf_graph_view(nf_context *ctx, const nf_graph *graph, nf_csr *out);
NF_API nf_status nf_graph_transpose_view(nf_context *ctx, const nf_graph *graph, nf_csr *out); /* incoming arcs */
/* by source, then target */
NF_API nf_status nf_graph_coo_view(nf_context *ctx, const nf_graph *graph, nf_coo *out);

/* The number of arcs u -> v and, where there is one, the index of the first in the sorted list of nf_graph_coo_view.
 * O(log m) once that list exists. */
NF_API nf_status nf_graph_find_edge(nf_context *ctx, const nf_graph *graph, nf_vid u, nf_vid v, nf_eid *first,
                                    nf_eid *count);

/* Labels: the numbers the graph's file gives its vertices. nf_graph_find gives NF_ENOTFOUND for a label that is none.
 * O(1); O(log n) when sparse. */
NF_API uint64_t nf_graph_label(const nf_graph *graph, nf_vid v);
NF_API nf_status nf_graph_find(const nf_graph *graph, uint64_t label, nf_vid *out);

/* Coordinates x[0], y[0], x[1], y[1], ...; NULL when the graph has none. */
NF_API const double *nf_graph_coordinates(const nf_graph *graph);

#define NF_STATS_DIAMETER 1u /* also estimate the diameter by a double sweep: two breadth-first searches more */
typedef struct nf_graph_stats {
    size_t size; /* set by the caller */
    double degree_mean, degree_deviation;
    uint64_t degree_max;
    nf_vid degree_max_vertex; /* the smallest of them; NF_NO_VERTEX for n = 0 */
    uint64_t isolated;        /* vertices with no arc in or out */
    uint64_t sinks;           /* vertices with no arc out */
    uint64_t loops;
    double density;                             /* m / n^2 */
    double weight_min, weight_max, weight_mean; /* 1 when unweighted, 0 when there are no arcs */
    int weight_sign;  /* -1: some are negative; 0: none negative, some zero; 1: all positive */
    int64_t diameter; /* a lower bound in hops, from vertex degree_max_vertex; -1 when not asked for */
    uint64_t forward; /* arcs to a vertex of a larger number; all m of them: a directed graph without cycles */
} nf_graph_stats;

/* One parallel pass, O(n + m), cached in the graph; the diameter is found on request. `stats->size` must be set. */
NF_API nf_status nf_graph_get_stats(nf_context *ctx, const nf_graph *graph, uint32_t flags, nf_graph_stats *stats);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 4. Files
 * ------------------------------------------------------------------------------------------------------------------ */

/* Flags of nf_read_options. */
#define NF_READ_DIRECTED 1u   /* take the arcs as listed, whatever the format says */
#define NF_READ_UNDIRECTED 2u /* add the reverse of every arc */
#define NF_READ_DROP_LOOPS 4u
#define NF_READ_CHECKSUMS 8u /* .nfg: verify checksums now (reads the whole file) */

struct nf_read_options {
    size_t size;
    uint32_t flags;      /* NF_READ_* */
    const char *format;  /* a name of nf_format_get; NULL: by content and file name */
    nf_type weight_type; /* NF_NONE: as the format or its numbers say */
    /* text edge lists: 1-based column of the weight; 0: the third if there is one; -1: no weights (in every format) */
    int weight_column;
    nf_duplicates duplicates; /* parallel arcs: kept by default */
    const char *coordinates;  /* a .co file to read along */
    uint64_t max_bytes;       /* refuse input that unpacks to more; 0: no bound but memory */
};

typedef struct nf_format_info {
    const char *name;       /* what --format takes: "gr", "mtx", ... */
    const char *extensions; /* space-separated, with dots */
    const char *summary;
    const char *directed; /* how directions are read */
    const char *weights;  /* weight types */
    const char *zeros;    /* what an explicit zero means */
    bool reads, writes;
} nf_format_info;

/* The formats, i = 0, 1, ...; NULL past the end. Static. */
NF_API const nf_format_info *nf_format_get(size_t i);

/* Writes a graph; format NULL: by file name. A name ending in .gz, .zst or .xz is compressed; "-" is standard output.
 * Labels are written where the format can hold them. A name ending in .co, or the format "co", writes the coordinates
 * alone. The file appears under its name only when it is whole. O(n + m). */
NF_API nf_status nf_graph_write(nf_context *ctx, const nf_graph *graph, const char *path, const char *format);

/* Writes distances, parents and owners with the graph's labels (graph NULL: vertex numbers). Formats by name: .txt
 * ("label distance [parent]"), .tsv (with a header line), .json, .npy (distances; parents beside it as
 * NAME.parents.npy), .nfd (all, binary). Unreached: "inf" in .txt and .tsv, null in .json, the type's value in .npy and
 * .nfd. */
NF_API nf_status nf_result_write(nf_context *ctx, const nf_result *result, const nf_graph *graph, const char *path,
                                 const char *format);
/* Reads what nf_result_write wrote (all five formats), or LDBC Graphalytics output, for the given graph. `problem` is
 * what the file holds when it does not say itself (.txt, .npy); text distances are read in distance_type (NF_NONE: the
 * default for the graph). Sources that the file does not name are the vertices at distance 0 of each row. */
NF_API nf_status nf_result_read(nf_context *ctx, const nf_graph *graph, const char *path, nf_problem problem,
                                nf_type distance_type, nf_result **out);

/* Reads a list of vertices for `--sources`: DIMACS .ss, or one label per line (text after # ignored), compressed or
 * not, in the graph's labels. The caller frees *out with nf_free. */
NF_API nf_status nf_sources_read(nf_context *ctx, const nf_graph *graph, const char *path, nf_vid **out,
                                 uint64_t *count);

/* Releases an array that the library handed over as such. */
NF_API void nf_free(void *array);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 5. Generators
 * ------------------------------------------------------------------------------------------------------------------ */

/* All that a generator may be told. Fill it with nf_generate_defaults, then change what you like. The same seed gives
 * the same graph at any number of threads. Fields a kind does not use are ignored. */
typedef struct nf_generate_options {
    size_t size;
    const char *kind; /* a name of nf_generator_get */
    uint64_t seed;
    uint64_t n;     /* vertices; 0: 2^scale */
    uint32_t scale; /* used when n is 0 */
    uint64_t edges; /* edges before symmetrising; 0: edge_factor * n */
    double edge_factor;
    double a, b, c;                /* rmat, kronecker: quadrant probabilities; the fourth is the rest */
    uint32_t k;                    /* small-world: neighbours of a vertex (even); tree: children; hub: number of hubs;
                                 negative-cycle: its length */
    double p;                      /* small-world: probability of rewiring; hub: share of the edges that hubs have */
    double forward, backward;      /* forest-fire: burning probabilities */
    uint32_t rows, cols, depth;    /* grids; 0: square or cubic of about n vertices. bipartite: vertices on each side */
    double drop;                   /* grids, road: share of edges left out */
    bool directed;                 /* keep arcs as drawn instead of adding their reverses */
    bool keep_duplicates;          /* keep parallel arcs and loops */
    bool permute;                  /* renumber the vertices at random */
    double weight_min, weight_max; /* drawn uniformly from the closed range; both 0: the kind's own (often none) */
    nf_type weight_type; /* NF_NONE: unweighted, unless a range is given (then i32, or f32 if it is not whole) */
} nf_generate_options;

typedef struct nf_generator_info {
    const char *name, *summary, *parameters; /* parameters: the fields it reads, space-separated */
} nf_generator_info;

/* The generators, i = 0, 1, ...; NULL past the end. Static. */
NF_API const nf_generator_info *nf_generator_get(size_t i);
/* Sets every field for a kind; NF_ENOTFOUND names the nearest kinds. options->size must be set. */
NF_API nf_status nf_generate_defaults(const char *kind, nf_generate_options *options);
/* Makes the graph. Time O(n + m) but for delaunay and road, O(n log n). Parameters out of range: NF_EINVAL. */
NF_API nf_status nf_generate(nf_context *ctx, const nf_generate_options *options, nf_graph **out);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 6. Contexts, devices, algorithms, version
 * ------------------------------------------------------------------------------------------------------------------ */

/* Memory comes from these when set (all three together); they must be thread-safe. alloc may return NULL. */
typedef struct nf_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*free)(void *user, void *block);
    void *user;
} nf_allocator;

typedef enum nf_log_level { NF_LOG_ERROR = 0, NF_LOG_WARNING, NF_LOG_INFO, NF_LOG_DEBUG } nf_log_level;
typedef void (*nf_log_fn)(void *user, nf_log_level level, const char *text);

/* Called from the calling thread at most every 50 ms or so during long work: `done` of `total` units of `phase` (total
 * 0: unknown). A return of true cancels the run (NF_ECANCELLED). */
typedef bool (*nf_progress_fn)(void *user, const char *phase, uint64_t done, uint64_t total);

typedef struct nf_context_options {
    size_t size;
    const char *device; /* "auto" (NULL), "cpu", "gpu", "gpu:1", "emulator" */
    int threads;        /* 0: all that OpenMP offers */
    /* host bytes the context and what it made may hold, and device bytes, counted apart; 0: no limit */
    uint64_t memory_limit;
    nf_allocator allocator;
    nf_log_fn log;
    void *log_user;
    nf_progress_fn progress;
    void *progress_user;
} nf_context_options;

/* NF_ENODEVICE when the device is not there, with the reason. What a context made (graphs, results) may outlive it. */
NF_API nf_status nf_context_create(const nf_context_options *options, nf_context **out);
NF_API void nf_context_free(nf_context *ctx);
/* Makes the call that is running in this context (or the next one) end soon with NF_ECANCELLED; the context stays
 * usable. Safe from any thread and from a signal handler. */
NF_API void nf_context_cancel(nf_context *ctx);
/* Bytes held now, and the most that were held, by the context and what it made. */
NF_API uint64_t nf_context_bytes(const nf_context *ctx, uint64_t *peak);

typedef struct nf_device_info {
    char name[32];                      /* what --device takes: "cpu", "gpu:0", "emulator" */
    char description[128];              /* "AMD EPYC, 2 threads" */
    uint64_t memory_total, memory_free; /* bytes; 0 when unknown */
    int threads;                        /* hardware threads, or multiprocessors */
} nf_device_info;

/* The devices of this machine, i = 0, 1, ...; NF_ENOTFOUND past the end. */
NF_API nf_status nf_device_get(size_t i, nf_device_info *info);

typedef enum nf_knob_type { NF_KNOB_INT = 0, NF_KNOB_REAL, NF_KNOB_BOOL, NF_KNOB_CHOICE } nf_knob_type;
typedef struct nf_knob_info {
    const char *name, *summary;
    nf_knob_type type;
    const char *default_text; /* as --set takes it */
    double min, max;          /* numbers: the closed range */
    const char *choices;      /* choices, space-separated */
} nf_knob_info;

/* What an algorithm needs and allows. */
#define NF_ALG_NEGATIVE 1u        /* takes negative weights */
#define NF_ALG_UNDIRECTED_ONLY 2u /* needs an undirected graph */
#define NF_ALG_DENSE 4u           /* works on the n x n matrix */
#define NF_ALG_TRANSPOSE 8u       /* builds and keeps the transpose */
#define NF_ALG_ORACLE 16u         /* textbook code that the others are tested against */
#define NF_ALG_ROUNDED 32u        /* float results within a stated bound, not bit for bit */
#define NF_ALG_AUTO 64u           /* chooses another algorithm */
#define NF_ALG_HOPS 128u          /* NF_PATH: counts arcs; needs an unweighted graph, or NF_RUN_HOPS */

typedef struct nf_algorithm_info {
    const char *name; /* what --algorithm takes */
    nf_problem problem;
    const char *device; /* "cpu", "gpu", ... */
    const char *summary;
    const char *paper;
    const char *memory; /* bytes beyond graph and outputs, as a formula */
    uint32_t flags;     /* NF_ALG_* */
    const nf_knob_info *knobs;
    size_t knob_count;
} nf_algorithm_info;

/* The algorithms of every device, i = 0, 1, ...; NULL past the end. Static. */
NF_API const nf_algorithm_info *nf_algorithm_get(size_t i);

/* The version of the library at run time, "0.1.0". */
NF_API const char *nf_version(void);

/* The libraries that this build has and could do without, a space between them: "zlib liblzma libzstd METIS". */
NF_API const char *nf_libraries(void);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 7. The bucket heap: a priority queue that works in batches
 *
 * The parallel bucket heap of Berney, Iacono, Karsin and Sitchinava, the one under the method `bucket-heap`, as a data
 * structure of its own, on the context's device: on a GPU and on the emulator it lives in device memory, its levels are
 * resolved by blocks in parallel, and every call is one launch for each 65,536 items. It holds values 0 .. values - 1,
 * each at most once, with 64-bit priorities, in the order of (priority, value): what comes out is determined by the
 * calls alone, on every device. A heap serves one call at a time, in no other call's way of its context, and is freed
 * before its context.
 * Cost: O(log(values / batch)) amortised an item, in scans; memory, all of it taken by nf_heap_create: on the CPU at
 * most 185 * values + 128 * batch bytes, on a device 188 * values + 72 * batch and 2 MB.
 * ------------------------------------------------------------------------------------------------------------------ */

typedef struct nf_heap nf_heap;

typedef struct nf_heap_options {
    size_t size;
    uint32_t
        batch; /* the paper's d: the first bucket holds at most twice that; at most 1,048,576; 0: the device's own */
} nf_heap_options;

/* An empty heap for values below `values` (1 .. 1,073,741,823) on the context's device ("auto": the CPU). */
NF_API nf_status nf_heap_create(nf_context *ctx, nf_vid values, const nf_heap_options *options, nf_heap **out);
NF_API void nf_heap_free(nf_heap *heap);

/* Puts each value in with its priority or, if it is there, lowers its priority to this; a higher one changes nothing. A
 * value may occur more than once: the least counts. A value that is out of range is NF_EINVAL, and nothing is done.
 * NF_ECANCELLED, or a fault of the device, may leave a part of the items done. */
NF_API nf_status nf_heap_update(nf_heap *heap, const uint64_t *priorities, const nf_vid *values, uint64_t count);
/* Takes values out; those that are not there are passed over. Errors as above. */
NF_API nf_status nf_heap_delete(nf_heap *heap, const nf_vid *values, uint64_t count);
/* Takes out the `count` least items, in ascending order, or all if there are fewer; *taken: how many. priorities and
 * values have room for `count`; with count 1 this is the plain extract-min. After NF_ECANCELLED *taken are out. */
NF_API nf_status nf_heap_extract_min(nf_heap *heap, uint64_t count, uint64_t *priorities, nf_vid *values,
                                     uint64_t *taken);
/* Values in the heap now; 0 for NULL. O(1). */
NF_API uint64_t nf_heap_size(const nf_heap *heap);

/* ---------------------------------------------------------------------------------------------------------------------
 * Part 8. All pairs of many small graphs in one call
 *
 * For thousands of graphs of a few dozen vertices: molecules, scenes, time windows, simple temporal networks. Graphs of
 * up to NF_BATCH_SMALL vertices are closed by Floyd and Warshall's loops, on a CPU a thread for each graph, on a GPU
 * and on the emulator a block for each, all of them in one launch between one copy there and one back, if the device's
 * memory allows. Larger ones in the same batch are answered one after another, as nf_apsp would.
 * ------------------------------------------------------------------------------------------------------------------ */

#define NF_BATCH_SMALL 64u

/* The graphs, as matrices without gaps, one after another, each row by row: the weight of u -> v in a graph of n
 * vertices is its element u * n + v. +infinity, or for integers the type's NF_UNREACHED_*, means no arc; NaN and
 * -infinity are NF_EINVAL. Elements on the diagonal are loops, which matter only if they are negative. */
typedef struct nf_batch {
    uint64_t count;      /* graphs */
    nf_vid n;            /* vertices of each, */
    const nf_vid *sizes; /* or, if not NULL, `count` numbers of vertices; 0 is fine */
    nf_type weight_type; /* i32, u32, f32 or f64 */
    const void *weights;
} nf_batch;

typedef struct nf_batch_options {
    size_t size;
    uint32_t flags;        /* NF_RUN_DETERMINISTIC, of the parents, or 0 */
    nf_type distance_type; /* NF_NONE: the default for the weights, as in nf_run_options */
    nf_vid *parents;       /* where shortest-path trees go, laid out as the distances; NULL: nowhere */
    nf_status *statuses;   /* where the status of each graph goes; NULL: nowhere */
} nf_batch_options;

typedef struct nf_batch_info {
    size_t size;           /* set by the caller */
    uint64_t failed;       /* the first graph that could not be answered; `count` if there is none */
    uint64_t cycle_length; /* after NF_ENEGCYCLE: a negative cycle of that graph, as in nf_result_cycle, */
    nf_vid *cycle;         /* which the caller frees with nf_free; NULL otherwise */
    uint64_t alone;        /* graphs that took a run of their own */
    const char *device;    /* "cpu", "gpu" or "emulator"; static */
    double total_ms;
    double device_ms; /* of it: the device at work on small graphs, by its own clock; 0 on the CPU */
} nf_batch_info;

/* Distances between all vertices of each graph, in `distances`: as many elements as there are weights, laid out in the
 * same way, of the distance type; not in the place of the weights. Integers are those of nf_apsp; floats differ from
 * the least left-to-right sum by up to n rounding errors, and so may parents (as with NF_ALG_ROUNDED). A graph with a
 * negative cycle (NF_ENEGCYCLE), or with a distance that does not fit its type (NF_EOVERFLOW), leaves its own elements
 * undefined and the others as they should be: the call answers all the rest, names the first such graph in
 * nf_last_error() and `info`, and returns its status. After any other failure nothing is defined.
 * `info` may be NULL. Time O(n^3) for each small graph; memory beside the arrays: 16 bytes a graph and 69 KB a thread,
 * and on a GPU at most the arrays of all small graphs; with less room there are more launches. */
NF_API nf_status nf_apsp_batch(nf_context *ctx, const nf_batch *batch, const nf_batch_options *options, void *distances,
                               nf_batch_info *info);

#ifdef __cplusplus
}
#endif
#endif
