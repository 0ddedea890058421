/* bfs_serial.c - breadth-first search with one queue: the oracle (catalogue B1).
 *
 * Moore 1959; Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", 22.2.
 * Invariants
 *   I1 the queue holds vertices in order of hop, each once; I2 hop[v] is set when v enters the queue and never changes;
 *   I3 every arc from level k to level k + 1 is looked at, so the least parent is found by comparing.
 * Cost: O(n + m) time, 4 n bytes.
 */
#include "cpu/cpu.h"

#define POLL_EVERY 8192u /* vertices between two looks at the cancel flag: well under a millisecond */

/* The hops beyond which nothing matters: the cutoff and, once all targets are reached, the farthest of them. */
static int64_t bound_of(const nf__run *run, const int32_t *hop)
{
    const int64_t cutoff = run->has_cutoff ? run->cutoff_int : INT64_MAX;
    int64_t farthest = 0;
    for (uint64_t i = 0; i < run->target_count; i++) {
        const int32_t h = hop[run->targets[i]];
        if (h == NF_NO_HOP)
            return cutoff;
        farthest = h > farthest ? h : farthest;
    }
    return run->target_count != 0 && farthest < cutoff ? farthest : cutoff;
}

static uint64_t seed_queue(const nf__run *run, const nf__row *row, int32_t *hop, nf_vid *queue)
{
    uint64_t tail = 0;
    for (nf_vid v = 0; v < run->csr.n; v++)
        hop[v] = NF_NO_HOP;
    for (nf_vid v = 0; row->parent != NULL && v < run->csr.n; v++)
        row->parent[v] = NF_NO_VERTEX;
    for (uint64_t i = 0; i < row->source_count; i++) {
        const nf_vid s = row->sources[i];
        if (hop[s] == 0)
            continue; /* given twice */
        hop[s] = 0;
        if (row->parent != NULL)
            row->parent[s] = s;
        queue[tail++] = s;
    }
    return tail;
}

/* Looks at every arc of u; returns the new tail of the queue. */
static uint64_t expand(const nf__run *run, nf__row *row, int32_t *hop, nf_vid *queue, uint64_t tail, nf_vid u)
{
    const nf_eid end = nf__off(&run->csr, u + 1);
    for (nf_eid e = nf__off(&run->csr, u); e < end; e++) {
        const nf_vid v = run->csr.adj[e];
        row->edges_relaxed++;
        if (hop[v] == NF_NO_HOP) {
            hop[v] = hop[u] + 1;
            queue[tail++] = v;
            if (row->parent != NULL)
                row->parent[v] = u;
        } else if (run->deterministic && hop[v] == hop[u] + 1 && u < row->parent[v])
            row->parent[v] = u; /* I3 */
    }
    return tail;
}

static nf_status search(nf__run *run, nf__row *row, int32_t *hop, nf_vid *queue)
{
    nf_status st = NF_OK;
    uint64_t tail = seed_queue(run, row, hop, queue);
    int64_t bound = INT64_MAX;
    for (uint64_t head = 0, level_end = 0; head < tail; head++) {
        const nf_vid u = queue[head];
        if (head == level_end) { /* I1: the rest of the queue is the next level */
            level_end = tail;
            bound = bound_of(run, hop);
            row->iterations++;
        }
        if (hop[u] >= bound)
            break;
        if (hop[u] == INT32_MAX - 1)
            NF_TRY(nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops"));
        if (head % POLL_EVERY == 0)
            NF_TRY(nf__progress(run->ctx, "bfs", head, run->csr.n));
        tail = expand(run, row, hop, queue, tail, u);
    }
done:
    return st;
}

static nf_status run_serial(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf_vid *queue = NULL;
    NF_TRY_ALLOC(queue, nf__alloc(nf__context_mem(run->ctx), run->csr.n, sizeof *queue));
    NF_TRY(search(run, row, row->dist, queue));
done:
    nf__free(queue);
    return st;
}

const nf__algorithm nf__cpu_bfs_serial = {
    .info = {.name = "serial",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "one queue, one thread; the oracle",
             .paper = "Moore 1959; CLRS 22.2",
             .memory = "4 n",
             .flags = NF_ALG_ORACLE | NF_ALG_NEGATIVE},
    .run = run_serial,
};
