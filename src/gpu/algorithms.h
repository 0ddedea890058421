/* algorithms.h - the algorithms of src/gpu, one .cu each, for the table in backend.cu and for each other. */
#ifndef NF_GPU_ALGORITHMS_H
#define NF_GPU_ALGORITHMS_H

#include "gpu/gpu.h"
#include "simt/simt.h"

/* nf_algorithm_info.device, and the backend's table, of this flavour. */
#if defined(__CUDACC__)
#define NF_DEVICE_NAME "gpu"
#define NF_DEVICE_BACKEND nf__gpu_backend
#else
#define NF_DEVICE_NAME "emulator"
#define NF_DEVICE_BACKEND nf__emulator_backend
#endif

namespace SIMT_FLAVOUR
{

extern const nf__algorithm bfs_auto, sssp_auto;    /* auto.cu */
extern const nf__algorithm apsp_auto;              /* apsp_auto.cu */
extern const nf__algorithm apsp_n_sssp;            /* apsp_n_sssp.cu */
extern const nf__algorithm apsp_floyd_warshall;    /* apsp_floyd_warshall.cu */
extern const nf__algorithm apsp_min_plus;          /* apsp_min_plus.cu */
extern const nf__algorithm apsp_recursive;         /* apsp_recursive.cu */
extern const nf__algorithm apsp_johnson;           /* apsp_johnson.cu */
extern const nf__algorithm apsp_separator;         /* apsp_separator.cu */
extern const nf__algorithm apsp_streamed;          /* apsp_streamed.cu */
extern const nf__algorithm apsp_hybrid;            /* apsp_hybrid.cu */
extern const nf__algorithm bfs_top_down;           /* bfs_top_down.cu */
extern const nf__algorithm bfs_mesh;               /* bfs_mesh.cu */
extern const nf__algorithm sssp_mesh;              /* sssp_mesh.cu */
extern const nf__algorithm sssp_one_block;         /* sssp_one_block.cu */
extern const nf__algorithm bfs_vertex;             /* bfs_vertex.cu */
extern const nf__algorithm bfs_virtual_warp;       /* bfs_virtual_warp.cu */
extern const nf__algorithm bfs_edge;               /* bfs_edge.cu */
extern const nf__algorithm bfs_matrix;             /* bfs_matrix.cu */
extern const nf__algorithm bfs_4k;                 /* bfs_4k.cu */
extern const nf__algorithm bfs_direction;          /* bfs_direction.cu */
extern const nf__algorithm bfs_bit_parallel;       /* bfs_bit_parallel.cu */
extern const nf__algorithm bfs_expand_contract;    /* bfs_expand_contract.cu */
extern const nf__algorithm bfs_contract_expand;    /* bfs_contract_expand.cu */
extern const nf__algorithm bfs_two_phase_scan;     /* bfs_two_phase_scan.cu */
extern const nf__algorithm bfs_scan_hybrid;        /* bfs_scan_hybrid.cu */
extern const nf__algorithm bfs_hierarchical_queue; /* bfs_hierarchical_queue.cu */
extern const nf__algorithm sssp_workfront;         /* sssp_workfront.cu */
extern const nf__algorithm sssp_bellman_ford;      /* sssp_bellman_ford.cu */
extern const nf__algorithm sssp_bellman_ford_edge; /* sssp_bellman_ford_edge.cu */
extern const nf__algorithm sssp_near_far;          /* sssp_near_far.cu */
extern const nf__algorithm sssp_near_far_tuned;    /* the same with the delta of `auto`: not listed */
extern const nf__algorithm sssp_edge_first;        /* sssp_relay.cu: of `auto`, not listed */
extern const nf__algorithm sssp_near_first;        /* sssp_relay.cu: of `auto`, not listed */
extern const nf__algorithm sssp_adaptive;          /* sssp_adaptive.cu: what `auto` runs with switch=on: not listed */
extern const nf__algorithm sssp_dijkstra_phases;   /* sssp_dijkstra_phases.cu */
extern const nf__algorithm sssp_async;             /* sssp_async.cu */
extern const nf__algorithm sssp_bucket_heap;       /* sssp_bucket_heap.cu */
extern const nf__algorithm sssp_h_bf;              /* sssp_h_bf.cu */
extern const nf__algorithm sssp_bucketing;         /* sssp_bucketing.cu */
extern const nf__algorithm sssp_delta_stepping;    /* sssp_delta_stepping.cu */
extern const nf__algorithm sssp_hybrid;            /* sssp_hybrid.cu */

/* apsp_blocked_floyd_warshall.cu */
extern const nf__algorithm apsp_blocked_floyd_warshall;
/* sssp_bellman_ford_streamed.cu */
extern const nf__algorithm sssp_bellman_ford_streamed;

extern const nf__heap_methods heap_methods;                        /* heap.cu */
nf_status apsp_batch(nf_context *ctx, void *device, nf__batch *b); /* apsp_batch.cu */

/* auto.cu: delta as `auto` has it, in mean weights shared among the arcs of a mean vertex. */
double sssp_tuned_factor(const nf__run *run);
/* The same for rounds over records of arcs (sssp_mesh.cu). */
double sssp_mesh_factor(const nf__run *run);
/* sssp_dijkstra_phases.cu: one cluster of eight blocks could hold all labels. */
bool phases_have_room(const nf__run *run);
/* sssp_one_block.cu: the shared memory of one block could hold all labels, and lists can lie by weight. */
bool one_block_has_room(const nf__run *run);
/* apsp_auto.cu: the matrix costs less than a run from every vertex. */
bool dense_pays(const nf__run *run);
/* bfs_bit_parallel.cu: bytes on the device, beside the graph, for `size` sources at once. */
uint64_t bfs_bit_parallel_bytes(const nf__run *run, unsigned size);

} /* namespace SIMT_FLAVOUR */

#endif
