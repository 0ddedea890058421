/* bfs_kernel.cuh - a breadth-first search in one cooperative launch, for the tests and the benchmark of the emulator.
 *
 * Level by level over two queues: a thread takes a vertex, claims its unseen neighbours with compare-and-swap after a
 * plain look, and a warp reserves room in the next queue with one atomic. Barriers of the grid part the levels.
 */
#ifndef NF_TESTS_SIMT_BFS_KERNEL_CUH
#define NF_TESTS_SIMT_BFS_KERNEL_CUH

#include "simt/simt.h"

namespace SIMT_FLAVOUR
{

struct bfs_graph {
    unsigned n;
    const unsigned *off, *adj;
};

struct bfs_state {
    int *depth;
    unsigned *queues[2];
    unsigned *tails; /* three, used in turn: this level's, the next one's, the one being cleared */
};

/* Appends the vertices of the lanes that have one; all lanes of the warp call it. */
static __device__ void bfs_push(unsigned *queue, unsigned *tail, bool has, unsigned v)
{
    const unsigned found = __ballot_sync(0xffffffffu, has);
    if (found == 0)
        return;
    unsigned base = 0;
    if (simt_lane() == 0)
        base = atomicAdd(tail, (unsigned)__popc(found));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (has)
        queue[base + (unsigned)__popc(found & ((1u << simt_lane()) - 1))] = v;
}

static __device__ void bfs_vertex(bfs_graph g, bfs_state s, bool active, unsigned u, unsigned *queue, unsigned *tail,
                                  int level)
{
    unsigned e = active ? g.off[u] : 0;
    const unsigned end = active ? g.off[u + 1] : 0;
    while (__any_sync(0xffffffffu, e < end)) {
        bool has = false;
        unsigned v = 0;
        if (e < end) {
            v = g.adj[e++];
            has = simt_load_relaxed(&s.depth[v]) == -1 && atomicCAS(&s.depth[v], -1, level + 1) == -1;
        }
        bfs_push(queue, tail, has, v);
    }
}

static __global__ void bfs_persistent(bfs_graph g, bfs_state s, unsigned source)
{
    const unsigned stride = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me == 0) {
        s.depth[source] = 0;
        s.queues[0][0] = source;
        s.tails[0] = 1;
        s.tails[1] = s.tails[2] = 0;
    }
    simt_grid_sync();
    unsigned count = 1;
    for (int level = 0; count > 0; level++) {
        unsigned *next = &s.tails[(level + 1) % 3];
        if (me == 0)
            s.tails[(level + 2) % 3] = 0;
        for (unsigned base = 0; base < count; base += stride) {
            const bool active = base + me < count;
            const unsigned u = active ? s.queues[level & 1][base + me] : 0;
            bfs_vertex(g, s, active, u, s.queues[(level + 1) & 1], next, level);
        }
        simt_grid_sync();
        count = *next;
    }
}

} // namespace SIMT_FLAVOUR

/* ---- on the host ------------------------------------------------------------------------------------------------- */

/* A random graph of n vertices and `degree` arcs from each. off has n + 1 entries, adj n * degree. */
static inline void bfs_random_graph(unsigned n, unsigned degree, unsigned seed, unsigned *off, unsigned *adj)
{
    unsigned long long x = seed * 2ull + 1;
    for (unsigned i = 0; i <= n; i++)
        off[i] = i * degree;
    for (unsigned i = 0; i < n * degree; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        adj[i] = (unsigned)((x >> 33) % n);
    }
}

/* The depths by a queue on the host; `queue` has room for n. */
static inline void bfs_on_host(unsigned n, const unsigned *off, const unsigned *adj, unsigned source, int *depth,
                               unsigned *queue)
{
    unsigned head = 0, tail = 0;
    for (unsigned i = 0; i < n; i++)
        depth[i] = -1;
    depth[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        const unsigned u = queue[head++];
        for (unsigned e = off[u]; e < off[u + 1]; e++) {
            if (depth[adj[e]] == -1) {
                depth[adj[e]] = depth[u] + 1;
                queue[tail++] = adj[e];
            }
        }
    }
}

#endif
