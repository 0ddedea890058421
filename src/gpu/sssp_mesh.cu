/* sssp_mesh.cu - the Near-Far pile out of step over records of arcs, for roads and meshes (`mesh`).
 *
 * The piles are those of `near-far` (Davidson, Baxter, Garland and Owens, IPDPS 2014, section IV.D); what is different
 * is how near vertices are worked on: each block goes on by itself, one trip to memory a round (mesh.cuh).
 * Rows whose labels take 64 bits, and graphs that have no records (weights of 64 bits, 2^31 vertices and arcs), are the
 * frontier engine's, as `near-far` has them.
 * Invariants: M1 to M4 of mesh.cuh, D1 of step_far.cuh, F1 to F3 of far.cuh; T2 of sssp.cuh.
 * Cost: a pass over the pile for every delta, and the arcs of all entries. On the device the memory of `near-far`, and
 * 8 bytes for every record beyond n; records of arcs (32 bytes a vertex, more for lists of more than four) stay with
 * the graph.
 */
#include "gpu/algorithms.h"
#include "gpu/mesh_launch.cuh"
#include "gpu/own_rounds.cuh"
#include "gpu/step_mesh.cuh"

#include <assert.h>

namespace SIMT_FLAVOUR
{

/* Where records lie in L2 rounds wait for latency alone, and what costs no round is free: limits are wide. Elsewhere
 * arcs count, too. H200, by factor of mean weight / mean degree: a road network of 8 MB takes 1.50, 1.45, 1.43, 1.45 ms
 * with 192, 256, 384, 512, a grid of 2^24 vertices 13.5, 13.2, 13.5, 14.2 with 48, 64, 96, 128. */
#define CACHED_FACTOR 2.0 /* times that of rounds out of step in general */
#define OTHER_FACTOR 0.5

/* By what can be known before records are made: a list of d > 3 arcs has about (d - 3) / 3 beside its first. */
double sssp_mesh_factor(const nf__run *run)
{
    const double more = run->stats.degree_mean > 3 ? (run->stats.degree_mean - 3) / 3 : 0;
    const double bytes = run->csr.n * (1 + more) * 2 * sizeof(record_quad);
    return sssp_tuned_factor(run) * (bytes <= (double)MESH_CACHED ? CACHED_FACTOR : OTHER_FACTOR);
}

typedef struct piles {
    double delta;                  /* first: workfront_pile */
    const device_records *records; /* or NULL */
    mesh_memory pool;
} piles;

template <class K> static void step_of(const workfront *s, far_step<K> *f)
{
    far_width(f, ((const piles *)s->own)->delta);
}

/* f, with the type of its labels compiled in. */
template <bool REAL>
static nf_status relax_by(workfront *s, const far_step<uint32_t> &f, const piles *p, uint64_t source_count)
{
    const mesh_step<REAL> step = {f};
    assert(f.word == NULL);
    return mesh_loop(s->e, step, p->records, &p->pool, source_count, "sssp");
}

static nf_status relax_in_records(nf__run *run, nf__row *row, bool *again)
{
    nf_status st = NF_OK;
    workfront *s = (workfront *)run->scratch;
    const piles *p = (const piles *)s->own;
    far_step<uint32_t> f = {};
    if (p->records == NULL)
        return workfront_keys<far_step<uint32_t>>(run, row, again);
    NF_TRY(labels_begin<uint32_t>(run, s->e, &s->labels, &f));
    step_of(s, &f);
    NF_TRY(f.s.real ? relax_by<true>(s, f, p, row->source_count) : relax_by<false>(s, f, p, row->source_count));
    NF_TRY(own_rounds_end(run, row, f, again));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    const unsigned hops = (unsigned)nf__knob_number(run, "hops");
    return own_rounds_row(run, row, hops != 0 ? hops : MESH_HOPS, relax_in_records, workfront_keys<far_step<word64>>);
}

/* Queues and stamps of the engine's rounds, which are wide rows', do for the pool. */
static void lend(const nf__run *run, const workfront *s, piles *p)
{
    p->pool.pool[0] = (uint32_t *)s->e->vertex[0];
    p->pool.pool[1] = (uint32_t *)s->e->vertex[1];
    if (s->labels.stamp == NULL || 2 * mesh_words(p->records) > run->csr.n)
        return;
    p->pool.has[0] = s->labels.stamp;
    p->pool.has[1] = s->labels.stamp + mesh_words(p->records);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    piles *p = NULL;
    NF_TRY(workfront_pile(run, sizeof(piles), sssp_mesh_factor(run), false));
    p = (piles *)((workfront *)run->scratch)->own;
    if (records_fit(run, true) && sssp_is_narrow(run)) {
        NF_TRY(device_graph_records(run, true, &p->records));
        lend(run, (workfront *)run->scratch, p);
        NF_TRY(mesh_open((device *)run->device, p->records, run->csr.n, &p->pool));
    }
done:
    return st;
}

static void end(nf__run *run)
{
    const workfront *s = (const workfront *)run->scratch;
    if (s != NULL && s->own != NULL)
        mesh_end((device *)run->device, &((piles *)s->own)->pool);
    workfront_end(run);
}

static const nf_knob_info knobs[] = {
    {"delta", "how far the limit of near vertices moves; 0: 16 to 256 mean weight / mean degree, by the graph",
     NF_KNOB_REAL, "0", 0, 1e300, NULL},
    MESH_KNOBS("512"),
};

extern const nf__algorithm sssp_mesh = {
    .info = {.name = "mesh",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "two piles, near vertices out of step over records of four arcs, for roads and meshes",
             .paper = "Davidson, Baxter, Garland, Owens 2014",
             .memory =
                 "on the device 60.25 n (64-bit offsets: 76.25 n); parents 8 n more; 8.25 for every four arcs beyond "
                 "three of a list; records of arcs, 32 n and more, stay with the graph",
             .flags = 0,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof knobs[0]},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
