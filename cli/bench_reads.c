/* bench_reads.c - the machine's price of a search: the reads that it cannot do without, and nothing else.
 *
 * Outward (top-down, and all methods for shortest paths): the rows of the reached vertices are read in the order in
 * which a search meets them, by distance, and with each arc (and its weight) the label of the vertex it leads to.
 * Inward (breadth-first search that looked at few arcs): as many arcs as the search looked at are read, the first ones
 * of every row, in the order of the vertices, with each a bit, and every vertex gets a label. There are no queues, no
 * decisions and nothing to wait for: offsets, rows and labels are fetched ahead. What grows faster than the number of
 * reads does so because of caches, pages and memory.
 * The arrays are those of the graph, and labels in pages like the library's. A pass is made by one thread and
 * by all that the search has, and the better one counts.
 * Cost: O(n + m) and 8 n bytes.
 */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define OFFSETS_AHEAD 24u /* vertices between fetching an offset, a row, the labels of a row, and reading them */
#define ROWS_AHEAD 16u
#define LABELS_AHEAD 6u
#define LABELS_MOST 32u /* of a row fetched ahead; in a longer one the machine runs ahead by itself */
#define BLOCK 1024u     /* vertices handed out at a time, at most */
/* A breadth-first search that looked at fewer of the arcs went bottom-up for the most part. */
#define INWARD_SHARE 0.75

struct bench_reads {
    nf_csr csr;
    bool weights; /* are read, too; they are int32_t */
    nf_vid *order;
    nf_vid count; /* of it */
    uint32_t *label;
    uint64_t looks; /* inward: of every row */
};

/* As memory of the library: in huge pages where there are such. */
static void *take(size_t bytes)
{
    void *block = NULL;
    if (posix_memalign(&block, bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64, bytes + 64) != 0)
        return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * HUGE_PAGE)
        (void)madvise(block, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return block;
}

static inline nf_eid offset(const nf_csr *c, nf_vid v)
{
    return c->off32 != NULL ? c->off32[v] : c->off64[v];
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Hops or distances as labels, UINT32_MAX for what is not reached; false: they are no such numbers. */
static bool take_labels(const nf_result *r, uint32_t *label)
{
    nf_run_info info = {.size = sizeof info};
    if (nf_result_info(r, &info) != NF_OK)
        return false;
    const int32_t *hop = nf_result_hops(r, 0);
    const int64_t *far = info.type == NF_I64 ? nf_result_distances(r, 0) : NULL;
    if (hop == NULL && far == NULL)
        return false;
    for (nf_vid v = 0; v < info.n; v++) {
        const int64_t d = hop != NULL ? hop[v] : far[v] == NF_UNREACHED_I64 ? -1 : far[v];
        label[v] = d >= 0 && d < UINT32_MAX ? (uint32_t)d : UINT32_MAX;
    }
    return true;
}

/* The reached vertices by label, equal ones by number; false: no memory. */
static bool sort(bench_reads *x)
{
    uint32_t most = 0;
    for (nf_vid v = 0; v < x->csr.n; v++)
        most = x->label[v] != UINT32_MAX && x->label[v] > most ? x->label[v] : most;
    nf_vid *at = calloc((size_t)most + 2, sizeof *at);
    if (at == NULL)
        return false;
    for (nf_vid v = 0; v < x->csr.n; v++)
        if (x->label[v] != UINT32_MAX)
            at[x->label[v] + 1]++;
    for (uint32_t d = 0; d <= most; d++)
        at[d + 1] += at[d];
    for (nf_vid v = 0; v < x->csr.n; v++)
        if (x->label[v] != UINT32_MAX)
            x->order[at[x->label[v]]++] = v;
    x->count = at[most];
    free(at);
    return true;
}

/* ---- the reads --------------------------------------------------------------------------------------------------- */

static inline void fetch_ahead(const bench_reads *x, nf_vid i)
{
    const nf_csr *c = &x->csr;
    const nf_vid left = x->count - i;
    if (OFFSETS_AHEAD < left) {
        const nf_vid v = x->order[i + OFFSETS_AHEAD];
        __builtin_prefetch(c->off32 != NULL ? (const void *)&c->off32[v] : (const void *)&c->off64[v]);
    }
    if (ROWS_AHEAD < left) {
        const nf_eid e = offset(c, x->order[i + ROWS_AHEAD]);
        __builtin_prefetch(&c->adj[e]);
        if (x->weights)
            __builtin_prefetch((const int32_t *)c->weights + e);
    }
    if (LABELS_AHEAD < left) {
        const nf_vid v = x->order[i + LABELS_AHEAD];
        const nf_eid from = offset(c, v), end = offset(c, v + 1);
        for (nf_eid e = from; e < end && e < from + LABELS_MOST; e++)
            __builtin_prefetch(&x->label[c->adj[e]]);
    }
}

/* Outward: the rows of order[from, to); adds the arcs read to *arcs. The sum is there so that nothing is left out. */
static uint64_t read_out(const bench_reads *x, nf_vid from, nf_vid to, uint64_t *arcs)
{
    const nf_csr *c = &x->csr;
    const int32_t *w = c->weights;
    uint64_t sum = 0;
    for (nf_vid i = from; i < to; i++) {
        const nf_eid begin = offset(c, x->order[i]), end = offset(c, x->order[i] + 1);
        fetch_ahead(x, i);
        for (nf_eid e = begin; e < end; e++)
            sum += x->label[c->adj[e]] + (x->weights ? (uint32_t)w[e] : 0u);
        *arcs += end - begin;
    }
    return sum;
}

/* Inward: the first arcs of rows from .. to-1, a bit for each. The labels' own array has the bits, in its first n / 8
 * bytes; the order's takes the new labels. */
static uint64_t read_in(const bench_reads *x, nf_vid from, nf_vid to, uint64_t *arcs)
{
    const nf_csr *c = &x->csr;
    uint64_t sum = 0;
    for (nf_vid v = from; v < to; v++) {
        const nf_eid begin = offset(c, v), whole = offset(c, v + 1) - begin;
        const nf_eid end = begin + (whole < x->looks ? whole : x->looks);
        uint32_t seen = 0;
        for (nf_eid e = begin; e < end; e++)
            seen += x->label[c->adj[e] / 32] >> c->adj[e] % 32 & 1;
        x->order[v] = seen;
        sum += seen;
        *arcs += end - begin;
    }
    return sum;
}

/* Seconds of one pass; *arcs: how many it read. */
static double pass(const bench_reads *x, int threads, uint64_t *arcs)
{
    const nf_vid count = x->looks > 0 ? x->csr.n : x->count, share = count / ((nf_vid)threads * 16) + 1;
    const nf_vid block = share < BLOCK ? share : BLOCK, blocks = (count + block - 1) / block;
    uint64_t read = 0, sum = 0;
    const double begun = omp_get_wtime();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : read, sum) if (threads > 1)
    for (nf_vid b = 0; b < blocks; b++) {
        const nf_vid from = b * block, to = count - from < block ? count : from + block;
        sum += x->looks > 0 ? read_in(x, from, to, &read) : read_out(x, from, to, &read);
    }
    const double seconds = omp_get_wtime() - begun;
    volatile uint64_t kept = sum;
    (void)kept;
    *arcs = read;
    return seconds;
}

nf_status bench_reads_create(nf_context *ctx, const nf_graph *g, const nf_result *r, double looked, bench_reads **out)
{
    bench_reads *x = calloc(1, sizeof *x);
    nf_status st = x != NULL ? nf_graph_view(ctx, g, &x->csr) : NF_ENOMEM;
    if (st == NF_OK) {
        const size_t bytes = (size_t)x->csr.n * sizeof(uint32_t);
        x->weights = nf_result_hops(r, 0) == NULL;
        x->label = take(bytes);
        x->order = take(bytes);
        if (x->label == NULL || x->order == NULL)
            st = NF_ENOMEM;
        else if (!take_labels(r, x->label))
            st = NF_EINVAL;
        else if (!sort(x))
            st = NF_ENOMEM;
        if (!x->weights && looked < INWARD_SHARE * (double)x->csr.m)
            x->looks = 1 + (uint64_t)(looked / (double)x->csr.n);
    }
    if (st != NF_OK) {
        bench_reads_free(x);
        x = NULL;
    }
    *out = x;
    return st;
}

double bench_reads_pass(const bench_reads *x, int threads)
{
    double best = (double)INFINITY;
    for (int k = 1; k <= threads; k += threads > 1 ? threads - 1 : 1) {
        uint64_t arcs = 0;
        const double took = pass(x, k, &arcs);
        best = fmin(best, took * 1e3 / (double)(arcs > 0 ? arcs : 1));
    }
    return best;
}

void bench_reads_free(bench_reads *x)
{
    if (x == NULL)
        return;
    free(x->label);
    free(x->order);
    free(x);
}
