/* cpu.h - the CPU backend: its table, and its algorithms for each other. */
#ifndef NF_CPU_CPU_H
#define NF_CPU_CPU_H

#include "core/backend.h"

extern const nf__backend nf__cpu_backend;
extern const nf__heap_methods nf__cpu_heaps;                                          /* heap.c */
nf_status nf__cpu_batch(nf_context *ctx, void *device, nf__batch *b);                 /* batch.c */
nf_status nf__cpu_streamed(nf__run *run, const nf__tile_worker *worker, bool shared); /* apsp_streamed.c */

extern const nf__algorithm nf__cpu_bfs_auto, nf__cpu_sssp_auto, nf__cpu_apsp_auto; /* auto.c */
extern const nf__algorithm nf__cpu_bfs_serial;                                     /* bfs_serial.c */
extern const nf__algorithm nf__cpu_bfs_top_down;                                   /* bfs_top_down.c */
extern const nf__algorithm nf__cpu_bfs_direction;                                  /* bfs_direction.c */
extern const nf__algorithm nf__cpu_bfs_bits;                                       /* bfs_bits.c */
extern const nf__algorithm nf__cpu_bfs_edge;                                       /* bfs_edge.c */
extern const nf__algorithm nf__cpu_bfs_matrix;                                     /* bfs_matrix.c */
extern const nf__algorithm nf__cpu_sssp_dijkstra;                                  /* sssp_dijkstra.c */
extern const nf__algorithm nf__cpu_sssp_bellman_ford;                              /* sssp_bellman_ford.c */
extern const nf__algorithm nf__cpu_sssp_dijkstra_4ary;                             /* sssp_dijkstra_4ary.c */
extern const nf__algorithm nf__cpu_sssp_dijkstra_radix;                            /* sssp_dijkstra_radix.c */
extern const nf__algorithm nf__cpu_sssp_dijkstra_buckets;                          /* sssp_dijkstra_buckets.c */
extern const nf__algorithm nf__cpu_sssp_bellman_ford_frontier;                     /* sssp_bellman_ford_frontier.c */
extern const nf__algorithm nf__cpu_sssp_workfront;                                 /* sssp_workfront.c */
extern const nf__algorithm nf__cpu_sssp_delta_stepping;                            /* sssp_delta_stepping.c */
extern const nf__algorithm nf__cpu_sssp_near_far;                                  /* sssp_near_far.c */
extern const nf__algorithm nf__cpu_sssp_stepping;                                  /* sssp_stepping.c */
extern const nf__algorithm nf__cpu_sssp_bucket_heap;                               /* sssp_bucket_heap.c */
extern const nf__algorithm nf__cpu_apsp_floyd_warshall;                            /* apsp_floyd_warshall.c */
extern const nf__algorithm nf__cpu_apsp_johnson;                                   /* apsp_johnson.c */
extern const nf__algorithm nf__cpu_apsp_blocked_floyd_warshall;                    /* apsp_blocked_floyd_warshall.c */
extern const nf__algorithm nf__cpu_apsp_min_plus;                                  /* apsp_min_plus.c */
extern const nf__algorithm nf__cpu_apsp_recursive;                                 /* apsp_recursive.c */
extern const nf__algorithm nf__cpu_apsp_n_sssp;                                    /* apsp_n_sssp.c */
extern const nf__algorithm nf__cpu_apsp_johnson_parallel;                          /* apsp_johnson_parallel.c */
extern const nf__algorithm nf__cpu_apsp_streamed;                                  /* apsp_streamed.c */

/* What a method chosen by auto may take beyond graph and outputs: half the graph's own bytes and 16 a vertex (auto.c).
 */
uint64_t nf__cpu_spare_bytes(const nf__run *run);
/* Do n^3 tiled steps cost less than runs from every vertex (auto.c)? */
bool nf__cpu_loops_pay(const nf__run *run);

extern const nf__algorithm nf__cpu_path_auto;                                        /* auto.c */
extern const nf__algorithm nf__cpu_path_one_way, nf__cpu_path_bidirectional;         /* path_dijkstra.c */
extern const nf__algorithm nf__cpu_path_one_way_bfs, nf__cpu_path_bidirectional_bfs; /* path_bfs.c */

#endif
