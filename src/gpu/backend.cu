/* backend.cu - the table of the device: `gpu` under nvcc, `emulator` under the host compiler. */
#include "gpu/algorithms.h"
#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

static int count_devices(void)
{
    const char *reason = "";
    return device_count(&reason);
}

static const char *say_absence(void)
{
    const char *reason = "it is there";
    (void)device_count(&reason);
    return reason;
}

static nf_status open_device(nf_context *ctx, int index, void **out)
{
    device *d = NULL;
    const nf_status st = device_open(ctx, index, &d);
    *out = d;
    return st;
}

static void close_device(void *d)
{
    device_close(static_cast<device *>(d));
}

/* Every run passes here or has passed: a lost device, and one whose thread has changed, is noticed in
 * device_graph_need. */
static nf_status attach_graph(void *d, const nf_graph *graph, const nf_csr *csr, void **out)
{
    device_graph *g = NULL;
    const nf_status st = device_graph_attach(static_cast<device *>(d), graph, csr, &g);
    *out = g;
    return st;
}

static void detach_graph(void *g)
{
    device_graph_detach(static_cast<device_graph *>(g));
}

static const nf__algorithm *const algorithms[] = {
    &bfs_auto,
    &sssp_auto,
    &apsp_auto,
    &apsp_n_sssp,
    &apsp_blocked_floyd_warshall,
    &apsp_floyd_warshall,
    &apsp_min_plus,
    &apsp_recursive,
    &apsp_johnson,
    &apsp_separator,
    &apsp_streamed,
    &apsp_hybrid,
    &bfs_top_down,
    &bfs_mesh,
    &sssp_workfront,
    &sssp_bellman_ford,
    &sssp_bellman_ford_edge,
    &sssp_near_far,
    &sssp_mesh,
    &sssp_one_block,
    &sssp_dijkstra_phases,
    &sssp_async,
    &sssp_bucket_heap,
    &sssp_bellman_ford_streamed,
    &sssp_h_bf,
    &sssp_bucketing,
    &sssp_delta_stepping,
    &sssp_hybrid,
    &bfs_vertex,
    &bfs_virtual_warp,
    &bfs_edge,
    &bfs_matrix,
    &bfs_4k,
    &bfs_direction,
    &bfs_bit_parallel,
    &bfs_expand_contract,
    &bfs_contract_expand,
    &bfs_two_phase_scan,
    &bfs_scan_hybrid,
    &bfs_hierarchical_queue,
    NULL, /* ends the list */
};

} /* namespace SIMT_FLAVOUR */

extern "C" const nf__backend NF_DEVICE_BACKEND = {
    .abi = NF__BACKEND_ABI,
    .name = NF_DEVICE_NAME,
    .device_count = SIMT_FLAVOUR::count_devices,
    .device_info = SIMT_FLAVOUR::device_describe,
    .open = SIMT_FLAVOUR::open_device,
    .close = SIMT_FLAVOUR::close_device,
    .attach = SIMT_FLAVOUR::attach_graph,
    .detach = SIMT_FLAVOUR::detach_graph,
    .absence = SIMT_FLAVOUR::say_absence,
    .algorithms = SIMT_FLAVOUR::algorithms,
    .algorithm_count = sizeof SIMT_FLAVOUR::algorithms / sizeof *SIMT_FLAVOUR::algorithms - 1,
    .heaps = &SIMT_FLAVOUR::heap_methods,
    .batch = SIMT_FLAVOUR::apsp_batch,
};
