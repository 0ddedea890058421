/* measure.cuh - a mapping by itself: how long it takes to write every arc's vertex (Graph Algorithms on GPUs, Figs. 12
 * to 15), and to look at the label of every arc's target, over a frontier of all vertices.
 *
 * The first checks itself: each arc must hold the vertex it belongs to. Times are the device's own (events), the least
 * of several, and go to the log at level info.
 */
#ifndef NF_GPU_MEASURE_CUH
#define NF_GPU_MEASURE_CUH

#include "gpu/engine.cuh"
#include "gpu/step_bfs.cuh"
#include "gpu/step_ids.cuh"

namespace SIMT_FLAVOUR
{

/* Counts arcs that do not hold their vertex. */
template <class Off>
static __global__ void check_ids_kernel(const Off *off, const uint32_t *out, uint32_t n, unsigned *wrong)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (uint64_t)gridDim.x * blockDim.x)
        for (Off e = off[v]; e < off[v + 1]; e++)
            if (out[e] != (uint32_t)v)
                (void)atomicAdd(wrong, 1u);
}

/* One round over all vertices, `repeats` times after one to warm up; the least time in ms. */
template <class F, class Off>
static nf_status time_round(engine *e, const arena<Off> &a, const F &f, unsigned repeats, double *least)
{
    nf_status st = NF_OK;
    cudaEvent_t from = NULL, to = NULL;
    const plan pl = plan_alone(e);
    float ms = 0;
    NF_TRY_CUDA(e->d, cudaEventCreate(&from));
    NF_TRY_CUDA(e->d, cudaEventCreate(&to));
    for (unsigned i = 0; i <= repeats; i++) {
        NF_TRY_CUDA(e->d, cudaEventRecord(from, e->d->stream));
        NF_TRY_CUDA(e->d, launch_round(e, e->grid, a, f, pl, 0, 0));
        NF_TRY_CUDA(e->d, cudaEventRecord(to, e->d->stream));
        NF_TRY(device_finish(e->d, "measuring", 0));
        NF_TRY_CUDA(e->d, cudaEventElapsedTime(&ms, from, to));
        *least = i == 1 || (i > 1 && (double)ms < *least) ? (double)ms : *least;
    }
done:
    if (from != NULL)
        (void)cudaEventDestroy(from);
    if (to != NULL)
        (void)cudaEventDestroy(to);
    return st;
}

/* hop: n words, which are overwritten. */
template <class Off> static nf_status engine_measure(engine *e, uint32_t *hop, unsigned repeats)
{
    nf_status st = NF_OK;
    const arena<Off> a = engine_arena<Off>(e, e->g->out, DUP_EXACT);
    const bfs_step look = {hop, NULL, NULL, 0, true, false};
    ids_step write = {NULL};
    unsigned wrong = 0;
    double alone = 0, arcs = 0;
    NF_TRY(device_alloc(e->d, a.most_arcs, &write.out));
    NF_TRY(device_fill_bytes(e->d, write.out, 0xff, a.most_arcs * 4));
    NF_TRY(device_fill_bytes(e->d, hop, 0, (uint64_t)a.n * 4));
    NF_TRY(device_fill_bytes(e->d, e->st, 0, sizeof *e->st));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH((seed_kernel<bfs_step, Off>), 1, e->block, 0, e->d->stream, a, look, e->sources, 0));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(all_kernel<Off>, e->grid, e->block, 0, e->d->stream, a));
    NF_TRY(time_round(e, a, write, repeats, &alone));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH(check_ids_kernel<Off>, e->grid, e->block, 0, e->d->stream, a.off, write.out, a.n,
                                  &e->st->flags));
    NF_TRY(device_download(e->d, &wrong, &e->st->flags, sizeof wrong));
    NF_TRY(time_round(e, a, look, repeats, &arcs));
    if (wrong != 0)
        NF_TRY(nf__fail(NF_EINTERNAL, "mapping %s missed %u arcs", mapping_name(e->pl.t.mapping), wrong));
    nf__log(e->run->ctx, NF_LOG_INFO, "measured mapping %s: alone %.6f ms, all arcs %.6f ms, %llu arcs",
            mapping_name(e->pl.t.mapping), alone, arcs, (unsigned long long)a.most_arcs);
done:
    device_free(e->d, write.out);
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
