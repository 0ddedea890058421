/* graph.h - the graph object and what readers, generators and backends do with it.
 *
 * Invariants of a finished graph
 *   G1 off is non-decreasing, off[0] = 0, off[n] = m; adj[e] < n;
 *   G2 no weight is NaN, infinite or -0.0;
 *   G3 nothing changes after it is handed out, but for caches that are filled once under `lock`, and the
 *      counter `one_way`, which decides when one of them is worth filling;
 *   G4 if directed is false, the arcs are symmetric: (u, v, w) occurs as often as (v, u, w);
 *   G5 n < NF_NO_VERTEX, so that every vertex differs from it;
 *   G6 offsets are 32 bits wide exactly when they were made here and m < 2^32; mapped and borrowed ones keep their
 *      width.
 * A graph mapped from .nfg holds G1, G2 only after nf__graph_check, which every view runs once.
 */
#ifndef NF_GRAPH_GRAPH_H
#define NF_GRAPH_GRAPH_H

#include <pthread.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif

#include "core/base.h"

#ifdef __cplusplus /* src/gpu is C++; it sees views, not the object */
extern "C" {
#endif

/* The arrays of one CSR: nf__alloc blocks, or NULLs. */
typedef struct nf__storage {
    uint32_t *off32; /* one of the two */
    uint64_t *off64;
    nf_vid *adj;
    void *w;
} nf__storage;

/* Frees the four blocks and leaves NULLs. */
void nf__storage_free(nf__storage *s);

typedef struct nf__attachment nf__attachment; /* attach.c */

#ifndef __cplusplus
struct nf_graph {
    nf__mem *mem;
    nf_csr csr;      /* the view; points into `own`, into borrowed arrays or into a mapping */
    nf__storage own; /* what nf_graph_free must nf__free; NULLs when borrowed or mapped */
    bool directed;
    const char *format; /* static text */
    char facts[256];
    uint64_t label_base;
    const uint64_t *labels; /* sorted ascending, n of them; NULL: label_base + v */
    uint64_t *own_labels;
    const double *xy;
    double *own_xy;
    /* called by nf_graph_free before the memory goes, to undo a mapping; release_arg is an nf__alloc block or NULL */
    void (*release)(void *arg);
    void *release_arg;
    char *file; /* the one that is mapped, for messages; an nf__alloc block or NULL */
    /* filled once, under lock (G3) */
    pthread_mutex_t lock;
    atomic_int checked; /* G1, G2 known to hold */
    atomic_int transpose_ready, coo_ready, stats_ready;
    atomic_int negative; /* some weight < 0; known once checked */
    nf__storage t;       /* transpose */
    nf_vid *coo_src, *coo_dst;
    void *coo_w;
    nf_graph_stats stats;
    int64_t diameter; /* -1 until asked for */
    nf__attachment *attachments;
    /* arcs that searches between two vertices relaxed for want of a transpose: enough of them pay for one */
    atomic_uint_fast64_t one_way;
};
#endif

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Arcs on their way into a graph; the arrays are nf__alloc blocks (or NULL). */
typedef struct nf__arcs {
    nf_vid n;
    nf_eid m;
    nf_vid *src, *dst;
    nf_type weight_type;
    void *w;
} nf__arcs;

void nf__arcs_free(nf__arcs *arcs);

/* Builds a graph from arcs with ids already known to be < n and weights not yet checked. The arrays are consumed: freed
 * as soon as they are no longer needed, on failure too. flags: NF_BUILD_*. The result has label base 0 and format
 * "memory". */
nf_status nf__graph_build(nf_context *ctx, nf__arcs *arcs, uint32_t flags, nf_duplicates duplicates, nf_graph **out);

/* Makes a graph of finished arrays (G1 and ids checked by the caller; weights are checked here and may be changed to
 * meet G2; a +infinity makes it rebuild). `own` is consumed: its blocks belong to the graph, or are freed on failure.
 * If symmetric, the graph is marked undirected. */
nf_status nf__graph_adopt(nf_context *ctx, nf_vid n, nf_eid m, nf__storage *own, nf_type weight_type, bool symmetric,
                          nf_graph **out);

/* Checks offsets and targets of a CSR from outside against G1 in one parallel pass: NF_EINVAL with the place. */
nf_status nf__csr_check(nf_context *ctx, const nf_csr *csr);

/* An empty shell whose arrays the caller sets itself (mmap). checked = 0: nf__graph_check will look before first
 * use. */
nf_status nf__graph_shell(nf_context *ctx, nf_graph **out);

/* Applies undirected/loops/duplicates to a graph that a reader made, replacing *g (labels, coordinates, format
 * kept). */
nf_status nf__graph_retouch(nf_context *ctx, nf_graph **g, uint32_t flags, nf_duplicates duplicates);

/* Hands labels over: an nf__alloc block of n strictly ascending numbers, consumed. Consecutive ones become a base. */
void nf__graph_take_labels(nf_graph *g, uint64_t *labels);
/* Hands 2 n coordinates over (an nf__alloc block, consumed). */
void nf__graph_take_coordinates(nf_graph *g, double *xy);
/* The sentence `info` shows; format is static text. */
void nf__graph_describe(nf_graph *g, const char *format, const char *facts, ...) NF_PRINTF(3, 4);

/* ---- using ------------------------------------------------------------------------------------------------------- */

/* The form of a graph that a device holds, kept once for each (context, graph). `mine` is the context's list, which
 * only the thread that runs in the context touches; NULL from _find asks for _add. A graph or a list that is closed
 * detaches what it still holds, whichever comes first. */
typedef void (*nf__detach_fn)(void *attached);
void *nf__attachment_find(nf__attachment **mine, const nf_graph *g);
nf_status nf__attachment_add(nf_context *ctx, nf__attachment **mine, const nf_graph *g, void *attached,
                             nf__detach_fn detach);
void nf__attachments_close_context(nf__attachment *mine);
void nf__attachments_close_graph(nf_graph *g);

/* Verifies G1, G2 of a mapped graph once. Thread-safe. */
nf_status nf__graph_check(nf_context *ctx, const nf_graph *g);

static inline nf_eid nf__off(const nf_csr *csr, nf_vid v)
{
    return csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
}

/* The row of arc e: the v with off[v] <= e < off[v+1]. O(log n). */
nf_vid nf__row_of(const nf_csr *csr, nf_eid e);

/* The weight of arc e in the types that distances are computed in; 1 when unweighted. */
static inline int64_t nf__weight_i64(const nf_csr *csr, nf_eid e)
{
    switch (csr->weight_type) {
    case NF_I32: return ((const int32_t *)csr->weights)[e];
    case NF_U32: return ((const uint32_t *)csr->weights)[e];
    default: return 1;
    }
}

static inline double nf__weight_f64(const nf_csr *csr, nf_eid e)
{
    switch (csr->weight_type) {
    case NF_F32: return (double)((const float *)csr->weights)[e];
    case NF_F64: return ((const double *)csr->weights)[e];
    default: return (double)nf__weight_i64(csr, e);
    }
}

static inline float nf__weight_f32(const nf_csr *csr, nf_eid e)
{
    return csr->weight_type == NF_F32 ? ((const float *)csr->weights)[e] : (float)nf__weight_f64(csr, e);
}

/* A number for an arc: arcs are symmetric when the sum over all u -> v equals that over all v -> u. */
static inline uint64_t nf__hash_arc(nf_vid u, nf_vid v, double w)
{
    uint64_t bits;
    w += 0.0; /* -0.0 is 0.0 */
    memcpy(&bits, &w, sizeof bits);
    return nf__hash64(nf__hash64(bits, 1), (uint64_t)u << 32 | v);
}

static inline bool nf__is_weight_type(nf_type t)
{
    return t == NF_NONE || t == NF_I32 || t == NF_U32 || t == NF_F32 || t == NF_F64;
}

static inline bool nf__is_float(nf_type t)
{
    return t == NF_F32 || t == NF_F64;
}

#ifdef __cplusplus
}
#endif

#endif
