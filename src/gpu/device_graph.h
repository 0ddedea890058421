/* device_graph.h - a graph as the device holds it, made once for each (context, graph) and filled as algorithms ask.
 *
 * Offsets are 32 or 64 bits wide, as the host's graph has them. Targets lie bare (BFS) or packed with their 32-bit
 * weight in pairs of 8 bytes (SSSP), whichever is asked for; 64-bit weights lie apart. Undirected graphs are their own
 * transpose; that of others is made on the device from the graph's parts, which are uploaded for it, or, where memory
 * is too short for that, by the host.
 *
 * Invariants
 *   G1 what a part needs is held against the memory limit and the device's free memory before anything of it is
 * uploaded; G2 parts never change once they are there; they go with the attachment; G3 of off32 and off64 exactly one
 * is set. Cost: offsets 4 or 8 bytes a vertex; targets 4, pairs 8, 64-bit weights 8, sources 4 bytes an arc; transposes
 * the same.
 */
#ifndef NF_GPU_DEVICE_GRAPH_H
#define NF_GPU_DEVICE_GRAPH_H

#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

/* Rows of arcs, in device memory, to be passed to kernels by value. */
typedef struct device_csr {
    uint32_t n;
    uint64_t m;
    const uint32_t *off32; /* n + 1 of one of the two */
    const uint64_t *off64;
    const uint32_t *adj;  /* GRAPH_TARGETS; NULL otherwise */
    const uint2 *pairs;   /* GRAPH_PAIRS: x the target, y the bits of an i32, u32 or f32 weight (1 when unweighted) */
    const double *weight; /* GRAPH_WEIGHTS: f64 weights; NULL for every other type */
} device_csr;

/* What an algorithm may ask for; offsets come with everything. */
#define GRAPH_TARGETS 1u
#define GRAPH_PAIRS 2u   /* of an f64 graph: GRAPH_TARGETS and GRAPH_WEIGHTS instead */
#define GRAPH_WEIGHTS 4u /* nothing, where weights are 32 bits wide: they are in the pairs */
#define GRAPH_SOURCES 8u /* the row of each arc: with targets or pairs, the list of arcs (COO) */
#define GRAPH_IN 16u     /* the parts of the transpose instead: one call for each direction */

#define GRAPH_SLACK 16 /* bytes that loads of 16 may reach past the last arc */

/* A copy numbered by degree (relabel.cu), bare targets only. Undirected graphs: in == out. */
typedef struct device_relabelled {
    bool made;
    device_csr out, in;
    const uint32_t *order, *rank; /* the graph's number of a vertex of the copy, and the other way round */
    uint32_t reach;               /* vertices before this one have arcs, the others have none */
} device_relabelled;

/* Four words that are read and written together. */
typedef struct __align__(16) record_quad
{
    uint32_t v[4];
}
record_quad;

/* Arcs in records of four (records.cu): record v begins the list of vertex v, so nobody asks for offsets. */
typedef struct device_records {
    const record_quad *quads; /* count records of targets; with weights each is followed by theirs */
    uint64_t count;           /* n, and those that lists of more than four go on in */
    const uint32_t *owners;   /* of these, the vertex; NULL if there are none */
    bool weighted;
} device_records;

#define RECORD_NONE 0xffffffffu /* a place without an arc */
#define RECORD_LINK 0x80000000u /* this bit: not a target, the number of a record that belongs to the same list */

/* Pairs with every list by weight, the least first (ordered.cu), and how much of a list is light enough. */
#define CUTS 8u /* weights at which a vertex tells how many of its arcs are no heavier */
typedef struct device_ordered {
    const uint2 *pairs;
    const uint2 *shares;   /* of each vertex: byte k, in 255ths of its arcs and rounded up, those up to weight[k] */
    uint32_t weight[CUTS]; /* bits of the weights, ascending */
} device_ordered;

typedef struct device_graph {
    device *d;
    const nf_graph *graph;
    nf_csr host;         /* the view that runs use */
    nf_type weight_type; /* none, i32, u32, f32, f64 */
    bool symmetric;      /* in == out */
    bool in_made;        /* parts of `in` were made on the device */
    bool order_known;    /* `ascending` has been found out */
    bool ascending;      /* incoming arcs lie in the order of their sources */
    bool grain_known;    /* `grain` has been found out */
    int grain;           /* see device_graph_grain */
    device_csr out, in;
    const uint32_t *sources, *sources_in; /* GRAPH_SOURCES */
    device_relabelled by_degree;
    device_records records[2]; /* without weights and with */
    device_ordered by_weight;
} device_graph;

nf_status device_graph_attach(device *d, const nf_graph *graph, const nf_csr *csr, device_graph **out);
void device_graph_detach(device_graph *g);

/* Makes sure that the run's graph has these parts; what is missing is uploaded or made now and counts as upload time.
 * NF_EDEVMEM before anything is moved if they do not fit. */
nf_status device_graph_need(nf__run *run, unsigned parts);

/* Do the incoming arcs of every vertex lie in the order of their sources? Transposes do; undirected graphs are looked
 * at once, O(n + m). Needs GRAPH_TARGETS | GRAPH_IN, which it asks for itself. */
nf_status device_graph_ascending(nf__run *run, bool *yes);

/* The largest power of two, as its exponent, that all weights are whole multiples of: of integers 0, of floats found
 * once, O(m); 0 if no weight is above 0. Needs GRAPH_PAIRS, which it asks for itself. */
nf_status device_graph_grain(nf__run *run, int *exponent);

/* The row of each arc, to be freed by the caller. */
nf_status device_csr_sources(device *d, const device_csr *c, const uint32_t **out);

/* relabel.cu: the copy numbered by degree, made now if it is not there; counts as upload time. NF_EDEVMEM before
 * anything is made if it does not fit. */
nf_status device_graph_relabel(nf__run *run, const device_relabelled **out);
void relabelled_free(device *d, device_relabelled *r);
/* Hops and parents (or NULL) of the copy in the graph's numbers; none may overlap. */
nf_status relabelled_back(device *d, const device_relabelled *r, const uint32_t *hop, const uint32_t *parent,
                          uint32_t *hop_out, uint32_t *parent_out);
/* The deterministic tree from final hops: the least vertex one hop nearer. The arcs looked at are added to *arcs, in
 * device memory. */
nf_status device_least_parents(device *d, const device_csr *in, bool ascending, const uint32_t *hop, uint32_t *parent,
                               unsigned long long *arcs);

/* records.cu: the arcs in records of four, made now if they are not there; counts as upload time. NF_EDEVMEM before
 * anything is made if they do not fit; NF_EUNSUPPORTED where links have no room for their number or weights have 64
 * bits. */
nf_status device_graph_records(nf__run *run, bool weighted, const device_records **out);
void records_free(device *d, device_records *r);
/* Can there be records of this graph? Their bytes are another matter. */
bool records_fit(const nf__run *run, bool weighted);
/* The bytes that they take at most, as it can be told without a pass over the degrees. */
uint64_t records_bytes(const nf__run *run, bool weighted);

/* ordered.cu: lists by weight, made now if they are not there; counts as upload time. NF_EDEVMEM before anything is
 * made if they do not fit. For graphs that order_fits. */
nf_status device_graph_order(nf__run *run, const device_ordered **out);
void ordered_free(device *d, device_ordered *o);
/* There are arcs, weights have 32 bits, and none is negative. */
bool order_fits(const nf__run *run);
/* The bytes that are kept, and those that making them takes besides, but for a few megabytes of the sort's. */
uint64_t ordered_bytes(const nf__run *run);
uint64_t ordered_scratch(const nf__run *run);

/* transpose.cu: makes the parts that `in` lacks (targets, pairs, weights, offsets) from the same ones of `out` (targets
 * or pairs for the targets) and the row of each of its arcs. NF_EDEVMEM leaves whole parts or none. */
nf_status transpose_make(device *d, const device_csr *out, const uint32_t *sources, unsigned parts, device_csr *in);
/* The most bytes it takes besides its result, but for a few megabytes of the sort's. */
uint64_t transpose_scratch(uint64_t m, unsigned parts);

static inline device_graph *device_graph_of(const nf__run *run)
{
    return static_cast<device_graph *>(run->attached);
}

/* Rows of `pitch` elements: the matrix of a dense method, in the working type. The caller frees values. */
typedef struct device_matrix {
    void *values;
    uint64_t rows, pitch; /* both multiples of the tile asked for */
} device_matrix;

/* The weight matrix: 0 on the diagonal (less where a loop is negative), the least of parallel arcs, `infinity` where
 * there is no arc and in the padding. type: i32, i64, f32 or f64; infinity points to one of them. Where weights are
 * floats and cells integers, these count whole multiples of 2^grain. Needs GRAPH_SOURCES with pairs or with targets and
 * weights: it asks for them itself. O(n^2 + m). */
nf_status device_graph_matrix(nf__run *run, nf_type type, const void *infinity, int grain, unsigned tile,
                              device_matrix *out);
/* The same in 16 bits, in which all weights are. */
nf_status device_graph_matrix16(nf__run *run, int16_t infinity, int grain, unsigned tile, device_matrix *out);

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint64_t csr_offset(const device_csr &g, uint32_t v)
{
    return g.off32 != NULL ? g.off32[v] : g.off64[v];
}

/* The row of arc e, known to lie in [low, high): the last v with off[v] <= e. */
static __device__ __forceinline__ uint32_t csr_row_of(const device_csr &g, uint64_t e, uint32_t low, uint32_t high)
{
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (csr_offset(g, middle) <= e)
            low = middle;
        else
            high = middle;
    }
    return low;
}

} /* namespace SIMT_FLAVOUR */

#endif
