/* backend.h - what a backend is to the core: one const table with one list of algorithms; and a run as algorithms see
 * it.
 *
 * A run of BFS or SSSP is a sequence of rows. For each row the core fills nf__row with the source(s) and calls the
 * algorithm's `run`, which writes distances (and parents) in the working type. For APSP the core calls `run` once and
 * the algorithm asks for its rows itself, in order, with nf__row_begin and nf__row_end. nf__row_end filters, converts,
 * sums up and stores the row or hands it to the sink, so no algorithm knows about cutoffs beyond stopping early, result
 * types or sinks.
 * For NF_PATH the core calls `run` once with one source and one target and a row without arrays; the algorithm asks for
 * room with nf__run_path when it has found a way. Where every arc is to count 1 it sees a graph without weights.
 *
 * Contract of an algorithm
 *   A1 row->dist holds the working type's "unreached" where no path was found (BFS: hops, -1);
 *   A2 every label <= cutoff, and every label <= the largest target distance when all targets are reached, is final;
 *      others may be anything that is above these bounds;
 *   A3 row->parent, when not NULL, is a shortest-path tree over the final labels: parent[source] = source, NF_NO_VERTEX
 *      where unreached; when run->deterministic it is the tree nearfar.h defines;
 *   A4 row->iterations and row->edges_relaxed are counted by the mechanism itself;
 *   A5 nf__poll is called at least every few milliseconds;
 *   A6 on a reachable negative cycle: NF_ENEGCYCLE, after nf__run_set_cycle;
 *   A7 run->file is set only for a method with `files`, which then takes the rows itself (run->take).
 */
#ifndef NF_CORE_BACKEND_H
#define NF_CORE_BACKEND_H

#include "core/base.h"
#include "graph/graph.h"

#ifdef __cplusplus /* src/gpu is C++ */
extern "C" {
#endif

#define NF__BACKEND_ABI 5

typedef struct nf__run nf__run;
typedef struct nf__algorithm nf__algorithm;
typedef struct nf__backend nf__backend;

/* One row of a result while it is made. */
typedef struct nf__row {
    uint64_t index;
    const nf_vid *sources; /* one; several for nearest-source */
    uint64_t source_count;
    nf_type type;   /* the working type: NF_I64, NF_F32 or NF_F64; NF_I32 for BFS */
    void *dist;     /* n elements, not initialised */
    nf_vid *parent; /* n elements, not initialised; NULL when nobody wants them */
    uint64_t iterations, edges_relaxed;
    bool rounded;    /* NF_INFO_ROUNDED */
    bool overflowed; /* NF_INFO_FLOAT_OVERFLOW */
} nf__row;

struct nf__run {
    nf_context *ctx;
    const nf_graph *graph;
    nf_csr csr;           /* checked view of the graph */
    nf_graph_stats stats; /* always there */
    nf_problem problem;
    const nf__backend *backend;
    const nf__algorithm *algorithm; /* the one that runs; for auto, the one chosen */
    void *device;                   /* what open() gave */
    void *attached;                 /* what attach() gave: the graph as the device holds it */
    double upload_ms;               /* attach, and what algorithms upload later: not part of the run's time */
    double download_ms;             /* results on their way back, likewise */
    double device_ms;               /* of the run's time: what the device's clock says */
    void *scratch;                  /* what begin() made */
    nf_type work_type;              /* of row->dist */
    nf_type out_type;               /* of the distances handed out */
    bool kept;                      /* they stay in memory: neither a sink nor a file takes them */
    bool sparing;                   /* chosen by auto, which keeps to a bar of memory beyond graph and outputs */
    uint64_t rows;                  /* how many there will be: sources, n for APSP, 1 for nearest-source */
    bool want_parents, deterministic, nearest;
    bool has_cutoff;
    int64_t cutoff_int;    /* work_type NF_I64, BFS */
    double cutoff_real;    /* work_type NF_F32, NF_F64; exact in the type */
    const nf_vid *targets; /* early stop wanted when not NULL; never with negative weights */
    uint64_t target_count;
    const char *const *knobs; /* "name=value", checked against the algorithm's list */
    size_t knob_count;
    const char *file;   /* APSP: where the result goes instead of memory; NULL: not to a file */
    const char *folder; /* of temporary files; NULL: TMPDIR */
    bool resume;        /* go on with what an earlier run left of `file` */
    uint64_t first_row; /* APSP: rows before this one are there already (nf__row_known) */
    /* Set by an algorithm that writes `file`: takes each row as it is handed out, at the end of nf__row_end. */
    nf_status (*take)(struct nf__run *run, const nf__row *row, const void *distances);
    void *taker;
    char reason[256];
};

/* APSP: a row to fill (row->sources is set), and its completion. Rows come in order 0 .. n-1. */
nf_status nf__row_begin(nf__run *run, uint64_t index, nf__row *row);
nf_status nf__row_end(nf__run *run, nf__row *row);
/* A row that an earlier run made: counts its distances, as they were handed out, into the result. Of `row` only index,
 * counters and flags are read. */
void nf__row_known(nf__run *run, const nf__row *row, const void *distances);

/* Rows that were begun and made one beside another end together, on all threads; sinks see them one by one, in order.
 * `parent` may be memory of the caller's own, and so may `dist` of rows that are not made in their place: of another
 * type than the result's, or for a sink or a file. */
nf_status nf__rows_end(nf__run *run, nf__row *rows, uint64_t count);

/* The same with memory for them, for who has none: opened for `most` rows, or for fewer where memory does not hold
 * them; closed whether it was opened well or not. Neither is for nearest-source. */
typedef struct nf__band {
    uint64_t most, count; /* rows there is room for; rows under way */
    bool final;           /* set before it is opened: rows come in the type that is handed out, and within bounds */
    nf__row *rows;        /* as after nf__row_begin: of nf__band_begin */
    void *dist, *out;     /* most * n: of the working type, where rows are not made in their place; for the sink */
    nf_vid *parents;      /* likewise */
    double start;
} nf__band;
nf_status nf__band_open(nf__run *run, uint64_t most, nf__band *b);
void nf__band_close(nf__band *b);
/* Rows first .. first + count - 1. Rows of a band lie one after another: dist and parent of rows[0] begin all of
 * them. */
nf_status nf__band_begin(nf__run *run, nf__band *b, uint64_t first, uint64_t count);
nf_status nf__band_end(nf__run *run, nf__band *b);
/* NF_EOVERFLOW with its reason: a distance that does not fit the type asked for. */
nf_status nf__row_unfit(const nf__run *run, int64_t distance, nf_vid v);

/* APSP: where the n * n cells of the result will lie, for methods that compute in place; until a row's nf__row_end its
 * cells are free for any use. NULLs where nobody keeps them (a sink, or no parents asked for). */
typedef struct nf__place {
    void *dist;   /* of `type`, which may differ from the working type */
    nf_type type; /* of the distances handed out */
    nf_vid *parents;
} nf__place;
nf__place nf__run_place(const nf__run *run);

/* NF_PATH: room for the way that was found, to be filled: `length` vertices, source first, and the distance of each in
 * run->work_type. Not called when there is no way. */
nf_status nf__run_path(nf__run *run, uint64_t length, nf_vid **vertices, void **dist);

/* Keeps a copy of a negative cycle for the result; NF_ENEGCYCLE, or NF_ENOMEM. */
nf_status nf__run_set_cycle(nf__run *run, const nf_vid *cycle, uint64_t length);

/* Negative cycles (cycle.c). Is the closed walk cycle[0] -> ... -> cycle[length - 1] -> cycle[0] negative by the rule
 * of nearfar.h? `type` is that of the row. O(the arcs of its vertices). */
bool nf__cycle_is_negative(const nf_csr *c, nf_type type, const nf_vid *cycle, uint64_t length);
/* Would the arc u -> v close a cycle of predecessors? If so it is left in `cycle` (n places), v first; its length, or
 * 0. */
uint64_t nf__cycle_closed_by(nf_vid n, const nf_vid *pred, nf_vid u, nf_vid v, nf_vid *cycle);
/* Looks for cycles among predecessors (NF_NO_VERTEX: none; pred[v] = v: with `roots` a source, else a loop), each of
 * which follows arcs. A negative one is set on the run: NF_ENEGCYCLE. *noise: there are others. mark and cycle: n
 * places each. O(n), and the arcs of the vertices of cycles. */
nf_status nf__cycle_inspect(nf__run *run, nf_type type, const nf_vid *pred, bool roots, nf_vid *mark, nf_vid *cycle,
                            bool *noise);

/* SSSP: makes a row that a device gives up on (labels that fall for ever, rounding among negative floats) with the
 * CPU's method for any weights, one thread. */
nf_status nf__row_by_cpu(nf__run *run, nf__row *row);

/* The value of a knob, from the user or the default of the algorithm's list. */
double nf__knob_number(const nf__run *run, const char *name);
const char *nf__knob_choice(const nf__run *run, const char *name);

struct nf__algorithm {
    nf_algorithm_info info;
    /* Optional: makes run->scratch once for all rows, and frees it (called whenever begin was, failed or not). */
    nf_status (*begin)(nf__run *run);
    void (*end)(nf__run *run);
    nf_status (*run)(nf__run *run, nf__row *row); /* row is NULL for APSP, and when all_rows is set */
    bool all_rows; /* BFS, SSSP: one call makes every row, with nf__row_begin and nf__row_end, as in APSP */
    bool files;    /* APSP: writes run->file */
    /* auto only: the algorithm to run instead; fills run->reason with the statistics that decided. */
    const nf__algorithm *(*choose)(nf__run *run);
};

/* All pairs in the host's memory or in a file, past a device that works on some rows at a time (`streamed`, `hybrid`):
 * the run's tiles, as the device sees them. The matrix goes through in blocks of vertices K: the rows of K are closed,
 * then every tile of other rows follows them. Cells hold 2^30 - 1, 2^62 - 1 or infinity for "no path". */
typedef struct nf__tiles {
    nf__run *run;
    nf_type cell;         /* NF_I32, NF_I64, NF_F32 or NF_F64 */
    bool follow;          /* parents come along */
    uint32_t tile, block; /* rows of a tile; tiles of a block */
    uint64_t steps;       /* sums compared so far */
    uint64_t done, total; /* for progress, in steps */
} nf__tiles;

typedef struct nf__tile_worker {
    unsigned ahead; /* tiles that may be started before the first of them is finished; at least 1 */
    /* Do tiles cost less than a run from every vertex? */
    bool (*pays)(const nf__run *run);
    /* Before anything else, where there are negative weights: NF_ENEGCYCLE, with the cycle. check, plan and rows are
     * NULL for the CPU's own, which has its ways. */
    nf_status (*check)(nf__run *run, bool *rounded);
    /* Lowers t->tile, the most rows of a tile, to what the device has room for, and sets t->block: a block has at most
     * `most` rows, but a tile at least. */
    nf_status (*plan)(nf__tiles *t, uint32_t most);
    nf_status (*open)(nf__tiles *t, void **self);
    void (*close)(void *self);
    /* The rows of K = k0 .. k1-1 are closed, in d and p (NULL without parents), unless they are already, and kept for
     * the tiles. All tiles are finished. d and p stay until the next panel. */
    nf_status (*panel)(void *self, nf_vid k0, nf_vid k1, void *d, nf_vid *p, bool closed);
    /* Rows i0 .. i0+rows-1 begin to follow K, in d and p. */
    nf_status (*start)(void *self, nf_vid i0, nf_vid rows, void *d, nf_vid *p);
    /* Waits for the tiles that were started, in their order, but for the last `leave`. */
    nf_status (*finish)(void *self, unsigned leave);
    /* Memory that d and p will lie in; until close. */
    void (*lock)(void *self, void *p, uint64_t bytes);
    /* At work on tiles that are finished, so far. */
    double (*seconds)(const void *self);
    /* Runs from every vertex, from run->first_row on. */
    nf_status (*rows)(nf__run *run);
} nf__tile_worker;

/* A run of all pairs over tiles by the CPU's `streamed`; `shared`: the CPU takes its part of the tiles. Of the knobs of
 * run->algorithm it reads by, store, gap and tile or, where it is shared, share and tile. */
nf_status nf__run_streamed(nf__run *run, const nf__tile_worker *worker, bool shared);

/* Heaps of their own (nf_heap): the core has checked all arguments; values are below NF__HEAP_VALUES. */
#define NF__HEAP_VALUES ((UINT32_C(1) << 30) - 1)
#define NF__HEAP_BATCH_MOST 1048576u

typedef struct nf__heap_methods {
    /* batch 0: the backend's choice. All memory that the heap will ever need is taken here. */
    nf_status (*create)(nf_context *ctx, void *device, nf_vid values, uint32_t batch, void **heap);
    void (*destroy)(void *heap);
    nf_status (*update)(void *heap, const uint64_t *priorities, const nf_vid *values, uint64_t count);
    nf_status (*remove)(void *heap, const nf_vid *values, uint64_t count);
    /* Ascending by (priority, value); *taken: how many there were, also when it fails. */
    nf_status (*extract)(void *heap, uint64_t count, uint64_t *priorities, nf_vid *values, uint64_t *taken);
    uint64_t (*size)(const void *heap);
} nf__heap_methods;

/* All pairs of small graphs (nf_apsp_batch): the core has checked all arguments, and takes larger graphs itself. */
enum {
    NF__BATCH_DONE = 0,
    NF__BATCH_CYCLE,    /* integers: a negative cycle */
    NF__BATCH_OVERFLOW, /* integers: a distance does not fit */
    NF__BATCH_UNSURE    /* rounding leaves it open, or parents are no tree: to be run alone */
};

typedef struct nf__batch_graph {
    uint64_t at;    /* its first element in weights, distances and parents */
    uint32_t n;     /* 1 .. NF_BATCH_SMALL */
    uint32_t found; /* out: NF__BATCH_* */
} nf__batch_graph;

typedef struct nf__batch {
    uint64_t count;          /* at least 1 */
    nf__batch_graph *graphs; /* by `at` */
    nf_type weight_type, out_type;
    nf_type cell; /* that sums are made in: NF_I32 (then n weights stay below 2^29), NF_I64, or the float out_type */
    bool deterministic;
    const void *weights;
    void *distances;
    nf_vid *parents;  /* NULL: not wanted */
    double device_ms; /* out: the device at work, by its own clock */
} nf__batch;

/* "No arc" among cells that are integers; finite ones are below a half of it. */
#define NF__BATCH_NONE_I32 ((INT32_C(1) << 30) - 1)
#define NF__BATCH_NONE_I64 ((INT64_C(1) << 62) - 1)

struct nf__backend {
    uint32_t abi;
    const char *name;
    int (*device_count)(void); /* 0: not on this machine */
    nf_status (*device_info)(int index, nf_device_info *info);
    nf_status (*open)(nf_context *ctx, int index, void **device);
    void (*close)(void *device);
    /* Optional: the device's form of a graph, made once for each (context, graph) and kept until either is freed. It
     * may begin empty and fill as algorithms ask. detach may come from another thread than the one that runs in the
     * context, in the middle of a run over another graph. */
    nf_status (*attach)(void *device, const nf_graph *graph, const nf_csr *csr, void **attached);
    void (*detach)(void *attached);
    /* Optional: why device_count is 0, one clause for `device 'gpu': ...`. */
    const char *(*absence)(void);
    const nf__algorithm *const *algorithms;
    size_t algorithm_count;
    const nf__heap_methods *heaps;
    nf_status (*batch)(nf_context *ctx, void *device, nf__batch *b);                 /* fills graphs[].found */
    nf_status (*streamed)(nf__run *run, const nf__tile_worker *worker, bool shared); /* the CPU's alone has it */
};

#ifdef __cplusplus
}
#endif

#endif
