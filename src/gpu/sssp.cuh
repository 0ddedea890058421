/* sssp.cuh - what all methods for shortest paths from a source share: keys, the results of a row, and its tree.
 *
 * A method ends with n final labels, keys of step_relax.cuh, in device memory. From them come the distances and, where
 * it has not kept parents itself, a tree:
 *   - any tree: one pass over all arcs; the source of a tight arc between different labels is a parent. Where lists lie
 *     by weight, a look at the lightest arcs of each vertex instead (pull_tree.cuh). Where lengths are positive every
 *     vertex has such an arc; where some are zero, or vanish in a float, what has none is noticed and the other way is
 *     taken;
 *   - the deterministic tree, and any tree where weights may be negative: breadth first over tight arcs
 *     (step_tight.cuh).
 * A method says what a row is with keys of either width; sssp_row does the rest.
 * Invariants
 *   T1 labels along a chain of parents of the first kind fall strictly, so they end, and only at a source;
 *   T2 integers are summed in 32 bits first; a run that meets a key near the end of the range is done again in 64.
 * Memory: n distances in the working type; with parents 4 n, 4 n more for hops, and the engine's queues.
 */
#ifndef NF_GPU_SSSP_CUH
#define NF_GPU_SSSP_CUH

#include "gpu/engine.cuh"
#include "gpu/step_tight.cuh"

namespace SIMT_FLAVOUR
{

/* Where results of rows lie on the device. */
typedef struct sssp_out {
    engine *e;     /* that grows trees; NULL where nobody wants them and the method has none */
    bool own;      /* it was opened for them */
    void *dist;    /* n distances in the working type */
    uint32_t *hop; /* of a tree that is grown breadth first */
    uint32_t *parent;
    unsigned *lost; /* of 32 bits: a reached vertex has no parent */
} sssp_out;

/* e: the method's engine, or NULL if it has none. Needs GRAPH_TARGETS (no weights) or GRAPH_PAIRS. */
nf_status sssp_open(nf__run *run, engine *e, sssp_out *o);
void sssp_close(nf__run *run, sssp_out *o);

/* How keys of the run are added to; K is uint32_t or word64. */
template <class K> scale<K> sssp_scale(const nf__run *run);
/* The largest key that matters, from the cutoff, rounded up. */
template <class K> K sssp_bound(const nf__run *run, const scale<K> &s);
/* May 32 bits hold the row's sums (T2)? Floats of 32 bits always do. */
bool sssp_is_narrow(const nf__run *run);
template <class K> nf_status sssp_fill(device *d, K *p, uint64_t n, K value);
/* `factor` mean weights over the mean degree: a width of buckets or piles; 001 has 32 of them. */
double sssp_delta(const nf__run *run, double factor);
/* Of the graph: pairs, or bare targets where there are no weights. */
unsigned sssp_parts(const nf__run *run);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* One row with keys of one width; *again: they were not wide enough. */
typedef nf_status (*sssp_keys)(nf__run *run, nf__row *row, bool *again);
/* A row (T2); *wide: 32 bits are not tried, since they were not enough for one before. */
nf_status sssp_row(nf__run *run, nf__row *row, bool *wide, sssp_keys narrow, sssp_keys broad);
/* How it ended: counters, flags (FLAG_*) and stop bits (STOP_*) with keys of so many bytes. NF_EOVERFLOW where 64 bits
 * were not enough. */
nf_status sssp_ended(nf__row *row, size_t bytes, uint64_t rounds, uint64_t arcs, unsigned flags, unsigned stop,
                     bool *again);
/* Looks at who lowered labels last: NF_ENEGCYCLE. *give_up: labels fall that ought not to. pred: on the device. */
nf_status sssp_look_for_cycles(nf__run *run, nf__row *row, const uint32_t *pred, bool *give_up);

/* ---- labels of a method over the engine -------------------------------------------------------------------------- */

typedef struct sssp_labels {
    void *label;     /* n keys of 4 or 8 bytes */
    word64 *word;    /* atomic64 with 32-bit keys */
    uint32_t *stamp; /* exact policies */
    bool wide;       /* 32 bits were not enough */
    uint32_t marks;  /* rounds that words may tell, at most (R4 of step_relax.cuh); set it after labels_open */
    unsigned id_bits;
} sssp_labels;

nf_status labels_open(nf__run *run, engine *e, sssp_labels *l);
void labels_close(device *d, sssp_labels *l);
/* Makes them ready for a row, and a step over them. */
template <class K> nf_status labels_begin(nf__run *run, engine *e, sssp_labels *l, relax_step<K> *f);
/* For a step that is_marking: words tell rounds, as many as they have bits for and l->marks allows. */
template <class K> void labels_mark(const nf__run *run, sssp_labels *l, relax_step<K> *f);
/* After it: words become labels and, where parent is not NULL, parents. */
template <class K> nf_status labels_end(nf__run *run, engine *e, sssp_labels *l, uint32_t *parent);
/* Do the words hold the tree (R5)? */
template <class K> bool labels_hold_tree(const nf__run *run, const sssp_labels *l);
/* Is a tree wanted that words would hold, so that they do for a pass over the arcs? */
bool sssp_wants_words(const nf__run *run);
/* sssp_ended for the engine's rounds, and its report. */
template <class K> nf_status labels_report(engine *e, nf__row *row, bool *again);

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* From final labels to the row: distances and parents, which `tree` says are in o->parent already; stops the device's
 * clock and downloads. *whole: false if rounding of negative floats left a reached vertex without a parent. The
 * method's engine is used for the tree. The row's sources are those of o->e. */
template <class K>
nf_status sssp_hand_out(nf__run *run, nf__row *row, sssp_out *o, const K *label, const scale<K> &s, bool tree,
                        bool *whole);

} /* namespace SIMT_FLAVOUR */

#endif
