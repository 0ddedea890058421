/* mesh_launch.cuh - rounds over records (mesh.cuh) in the place of the frontier engine's loop: its state serves. */
#ifndef NF_GPU_MESH_LAUNCH_CUH
#define NF_GPU_MESH_LAUNCH_CUH

#include "gpu/engine.cuh"
#include "gpu/mesh.cuh"

namespace SIMT_FLAVOUR
{

/* Records of more bytes are not all in L2 (H200: 60 MB) when they are wanted. H200: fetching what lies around an entry
 * takes 8.4 to 7.1 ms on a grid of 2^24 vertices, and from 0.70 to 0.75 on a road network of 4 MB. */
#define MESH_CACHED (32ull << 20)
#define MESH_AHEAD 256u /* bytes */

static inline bool are_cached(const device_records *r)
{
    return r->count * sizeof(record_quad) * (r->weighted ? 2 : 1) <= MESH_CACHED;
}

/* Rounds between meetings. H200, shortest paths: a road network of 8 MB takes 1.57, 1.56, 1.57 ms with 16, 24 and 32, a
 * grid of 2^24 vertices 15.0, 14.3, 14.4 and, with 48, 15.1; levels: the roads 0.58, 0.58, 0.60, the grid 6.8, 6.4,
 * 6.3 and 6.1. */
#define MESH_HOPS 24u
#define MESH_HOPS_LEVELS 48u /* of graphs that are not cached */

#define MESH_KNOBS(threads)                                                                                  \
    {"hops", "rounds of a block between meetings of the grid; 0: by size", NF_KNOB_INT, "0", 0, 1024, NULL}, \
    {                                                                                                        \
        "threads", "threads of a block", NF_KNOB_INT, threads, 32, MESH_THREADS, NULL                        \
    }

/* What the rounds need beside the engine's state (M2 of mesh.cuh). What is there when it is opened is lent. */
typedef struct mesh_memory {
    uint32_t *pool[2], *rest[2], *has[2];
    bool lent_pool, lent_bits;
} mesh_memory;

static inline uint64_t mesh_words(const device_records *r)
{
    return r->count / 32 + 1;
}

static inline nf_status mesh_open(device *d, const device_records *r, uint64_t n, mesh_memory *m)
{
    nf_status st = NF_OK;
    m->lent_pool = m->pool[0] != NULL;
    m->lent_bits = m->has[0] != NULL;
    for (int k = 0; k < 2; k++) {
        if (!m->lent_pool)
            NF_TRY(device_alloc(d, n, &m->pool[k]));
        if (!m->lent_bits)
            NF_TRY(device_alloc(d, mesh_words(r), &m->has[k]));
        if (r->count > n)
            NF_TRY(device_alloc(d, r->count - n, &m->rest[k]));
    }
done:
    return st;
}

static inline void mesh_end(device *d, mesh_memory *m)
{
    for (int k = 0; k < 2; k++) {
        if (!m->lent_pool)
            device_free(d, m->pool[k]);
        if (!m->lent_bits)
            device_free(d, m->has[k]);
        device_free(d, m->rest[k]);
    }
}

/* From the sources of engine_sources on; e->last tells how it ended. */
template <class F>
static nf_status mesh_loop(engine *e, const F &f, const device_records *r, const mesh_memory *m, uint64_t source_count,
                           const char *phase)
{
    nf_status st = NF_OK;
    const unsigned threads = device_block(e->d, (unsigned)nf__knob_number(e->run, "threads") / 32 * 32);
    const unsigned most = (unsigned)e->d->multiprocessors;
    const uint64_t bytes = sizeof(record_quad) * (r->weighted ? 2 : 1);
    mesh_arena a = {};
    plan pl = e->pl;
    unsigned blocks = 1;
    a.records = r->quads;
    a.owners = r->owners;
    a.far[0] = e->far[0];
    a.far[1] = e->far[1];
    a.st = e->st;
    a.n = e->run->csr.n;
    a.ahead = are_cached(r) ? 0 : (uint32_t)(MESH_AHEAD / bytes);
    pl.hops = (unsigned)nf__knob_number(e->run, "hops");
    if (pl.hops == 0)
        pl.hops = r->weighted || are_cached(r) ? MESH_HOPS : MESH_HOPS_LEVELS;
    pl.rounds = UINT32_MAX;
    memset(&e->last, 0, sizeof e->last);
    for (int k = 0; k < 2; k++) {
        a.pool[k] = m->pool[k];
        a.rest[k] = m->rest[k];
        a.has[k] = m->has[k];
        NF_TRY(device_fill_bytes(e->d, m->has[k], 0, mesh_words(r) * sizeof *m->has[k]));
    }
    NF_TRY(device_fill_bytes(e->d, e->st, 0, sizeof *e->st));
    NF_TRY(device_resident_blocks(e->d, (const void *)(mesh_kernel<F>), (int)threads, 0, &blocks));
    blocks = blocks < most ? blocks : most;
    blocks = blocks < MESH_MOST_BLOCKS ? blocks : (unsigned)MESH_MOST_BLOCKS;
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(mesh_seed_kernel<F>, 1, threads, 0, e->d->stream, a, f, e->sources, source_count));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH_GRID(mesh_kernel<F>, blocks, threads, 0, e->d->stream, a, f, pl));
    NF_TRY(device_finish(e->d, phase, 0));
    NF_TRY(device_download(e->d, &e->last, e->st, sizeof e->last));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
