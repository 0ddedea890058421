/* bfs_matrix.c - breadth-first search as sparse matrix-vector products (catalogue B5).
 *
 * Method: Deng et al., "Taming irregular EDA applications on GPUs", ICCAD 2009: with x the set of the frontier as a
 * vector of bits, y = A^T x over (or, and) is the set of its neighbours; what is new of y is the next x. A row of A^T
 * is the incoming arcs of a vertex; 64 rows make a word of y. Where parents are wanted the product is over (min, first)
 * instead: y[v] = the least u of x with an arc u -> v, which is the deterministic parent.
 * Invariants
 *   P1 each product reads all m entries of the matrix, whatever x is;
 *   P2 a word of y, and the hops and parents of its 64 vertices, are written by one thread; x is only read.
 * Cost: O(n + m) time a level, O((n + m) D) in all; n / 4 bytes, and the transpose of directed graphs.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/bitmap.h"
#include "cpu/cpu.h"

#define BLOCK 16u /* words of y a thread takes at a time */

typedef struct product {
    nf_csr in; /* A^T by rows */
    uint64_t *x, *y;
    uint64_t words;
} product;

static void end_matrix(nf__run *run)
{
    product *p = run->scratch;
    if (p == NULL)
        return;
    nf__free(p->x);
    nf__free(p->y);
    nf__free(p);
}

static nf_status begin_matrix(nf__run *run)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    product *p = NULL;
    NF_TRY_ALLOC(p, nf__zalloc(mem, 1, sizeof *p));
    run->scratch = p;
    p->words = nf__bits_words(run->csr.n);
    NF_TRY_ALLOC(p->x, nf__alloc(mem, p->words, sizeof(uint64_t)));
    NF_TRY_ALLOC(p->y, nf__alloc(mem, p->words, sizeof(uint64_t)));
    NF_TRY(nf_graph_transpose_view(run->ctx, run->graph, &p->in));
done:
    return st;
}

/* Row v of the product over (or, and). */
static uint64_t any_of(const product *p, nf_vid v)
{
    const nf_eid end = nf__off(&p->in, v + 1);
    uint64_t y = 0;
    for (nf_eid e = nf__off(&p->in, v); e < end; e++)
        y |= p->x[p->in.adj[e] >> 6] >> (p->in.adj[e] & 63);
    return y & 1;
}

/* Row v of the product over (min, first); NF_NO_VERTEX is its zero. */
static nf_vid least_of(const product *p, nf_vid v)
{
    const nf_eid end = nf__off(&p->in, v + 1);
    nf_vid y = NF_NO_VERTEX;
    for (nf_eid e = nf__off(&p->in, v); e < end; e++) {
        const nf_vid u = p->in.adj[e];
        y = nf__bit(p->x, u) && u < y ? u : y;
    }
    return y;
}

/* Word w of y, without what was reached before; hops and parents of the rest (P2). Adds the entries read. */
static uint64_t multiply_word(const product *p, const nf__row *row, uint64_t w, nf_vid n, int32_t level, uint64_t *read)
{
    int32_t *const hop = row->dist;
    const nf_vid first = (nf_vid)(w * 64), end = n - first < 64 ? n : first + 64;
    uint64_t word = 0;
    for (nf_vid v = first; v < end; v++) {
        const nf_vid u = row->parent != NULL ? least_of(p, v) : NF_NO_VERTEX;
        const uint64_t y = row->parent != NULL ? u != NF_NO_VERTEX : any_of(p, v);
        if (y == 0 || hop[v] != NF_NO_HOP)
            continue;
        word |= y << (v - first);
        hop[v] = level;
        if (row->parent != NULL)
            row->parent[v] = u;
    }
    *read += nf__off(&p->in, end) - nf__off(&p->in, first);
    return word;
}

/* x = what is new in A^T x; *found when there is something. */
static nf_status multiply(nf__run *run, nf__row *row, product *p, int32_t level, bool *found)
{
    const int threads = nf__team_for(run->ctx, run->csr.m);
    uint64_t read = 0, any = 0;
    int stop = 0;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(+ : read) reduction(| : any) if (threads > 1)
    {
        const bool master = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, BLOCK)
        for (uint64_t w = 0; w < p->words; w++) {
            if (__atomic_load_n(&stop, __ATOMIC_RELAXED) != 0)
                continue;
            p->y[w] = multiply_word(p, row, w, run->csr.n, level, &read);
            any |= p->y[w];
            if (master && nf__poll(run->ctx) != NF_OK)
                __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        }
    }
    row->edges_relaxed += read;
    *found = any != 0;
    uint64_t *const x = p->x;
    p->x = p->y;
    p->y = x;
    return nf__poll(run->ctx);
}

static nf_status run_matrix(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    product *p = run->scratch;
    bool go = true, found = true;
    nf__bfs_start(run, row, NULL);
    memset(p->x, 0, p->words * sizeof *p->x);
    for (uint64_t i = 0; i < row->source_count; i++)
        nf__bit_set(p->x, row->sources[i]);
    for (int32_t level = 0; found; level++) {
        NF_TRY(nf__bfs_next_level(run, row, level, &go));
        if (!go)
            break;
        NF_TRY(multiply(run, row, p, level + 1, &found));
    }
done:
    return st;
}

const nf__algorithm nf__cpu_bfs_matrix = {
    .info = {.name = "matrix",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "each level a sparse matrix-vector product over (or, and)",
             .paper = "Deng et al. 2009",
             .memory = "n / 4, and the transpose of directed graphs",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE},
    .begin = begin_matrix,
    .end = end_matrix,
    .run = run_matrix,
};
