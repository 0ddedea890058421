/* bfs_matrix.cu - breadth-first search as sparse matrix-vector products (`matrix`, catalogue B5).
 *
 * Method: Deng, Wang and Mu, "Taming irregular EDA applications on GPUs", ICCAD 2009: with x the set of the frontier as
 * a vector of bits, y = A^T x over (or, and) is the set of its neighbours; what is new of y is the next x. A row of A^T
 * is the incoming arcs of a vertex; N lanes multiply it, and 32 rows, a warp's, make a word of y. Where parents are
 * wanted the product is over (min, first) instead: y[v] = the least u of x with an arc u -> v, which is the
 * deterministic parent.
 * Invariants: L1, L3, L4 of levels.cuh.
 *   P1 each product reads all m entries of the matrix, whatever x is;
 *   P2 a word of y, and the hops and parents of its 32 vertices, are written by one warp; x is only read.
 * Cost: O((n + m) D) time; on the device 4.25 n bytes, parents 4 n more, and the transpose of directed graphs, which
 * stays with the graph.
 */
#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

typedef struct matrix_method {
    uint32_t n;
    unsigned width; /* lanes to a row */
    uint32_t *x[2]; /* level i reads x[i mod 2] and writes the other */
} matrix_method;

/* A row times x by a group of lanes, each taking every width-th entry: the least u of x, UNSEEN when there is none. All
 * lanes of the warp; every lane of the group gets the answer. */
static __device__ __forceinline__ uint32_t multiply_row(const device_csr &a, const uint32_t *x, uint32_t v, bool there,
                                                        unsigned width, unsigned *entries)
{
    const uint64_t begin = there ? csr_offset(a, v) : 0, end = there ? csr_offset(a, v + 1) : 0;
    uint32_t least = UNSEEN;
    for (uint64_t e = begin + (simt_lane() & (width - 1)); e < end; e += width) {
        const uint32_t u = __ldg(&a.adj[e]);
        const bool in = (x[u >> 5] >> (u & 31) & 1) != 0;
        least = in && u < least ? u : least;
        *entries += 1;
    }
    __syncwarp();
    for (unsigned step = width / 2; step != 0; step /= 2) {
        const uint32_t other = __shfl_xor_sync(WARP_ALL, least, (int)step);
        least = other < least ? other : least;
    }
    return least;
}

/* Row base + lane, for each lane: the rows are multiplied 32 / width at a time. */
static __device__ __forceinline__ uint32_t multiply_rows(const level_search &s, const matrix_method &m,
                                                         const uint32_t *x, uint64_t base, unsigned *entries)
{
    const unsigned groups = 32 / m.width;
    uint32_t mine = UNSEEN;
    for (unsigned k = 0; k < m.width; k++) {
        const unsigned row = k * groups + simt_lane() / m.width;
        const uint32_t least = multiply_row(s.in, x, (uint32_t)(base + row), base + row < m.n, m.width, entries);
        const uint32_t given = __shfl_sync(WARP_ALL, least, (int)((simt_lane() % groups) * m.width));
        mine = simt_lane() / groups == k ? given : mine;
    }
    return mine;
}

static __device__ __forceinline__ void make_level(const level_search &s, const matrix_method &m, unsigned level,
                                                  level_slot *more)
{
    const uint32_t *x = m.x[level & 1];
    uint32_t *y = m.x[1 - (level & 1)];
    unsigned entries = 0, frontier = 0, found = 0, rows = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t least = multiply_rows(s, m, x, base, &entries);
        const uint64_t v = base + simt_lane();
        const bool fresh = v < m.n && least != UNSEEN && s.hop[v] == UNSEEN;
        const unsigned word = __ballot_sync(WARP_ALL, fresh);
        if (fresh) {
            simt_store_relaxed(&s.hop[v], level + 1); /* the leader may look at it as a target */
            if (s.parent != NULL)
                s.parent[v] = least;
        }
        if (simt_lane() == 0) {
            frontier += __popc(x[base / 32]);
            y[base / 32] = word;
        }
        rows += v < m.n;
        found += fresh;
    }
    level_add(&more->count[COUNT_ARCS], entries);
    level_add(&more->count[COUNT_CHECKED], rows);
    level_add(&more->count[COUNT_FRONTIER], frontier);
    level_found(more, found);
}

/* x of level 0: the sources. */
static __global__ void first_vector(const level_search s, const matrix_method m)
{
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t v = base + simt_lane();
        const unsigned word = __ballot_sync(WARP_ALL, v < m.n && s.hop[v] == 0);
        if (simt_lane() == 0)
            m.x[0][base / 32] = word;
    }
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    levels *l = NULL;
    matrix_method *m = NULL;
    NF_TRY(levels_open(run, GRAPH_TARGETS, GRAPH_TARGETS, &l));
    NF_TRY_ALLOC(m, (matrix_method *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *m));
    l->own = m;
    m->n = run->csr.n;
    m->width = levels_mean_width(run);
    for (int k = 0; k < 2; k++)
        NF_TRY(levels_alloc(l, ((uint64_t)m->n + 31) / 32, &m->x[k]));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"product"}, {}};
    nf_status st = NF_OK;
    levels *l = (levels *)run->scratch;
    const matrix_method m = *(const matrix_method *)l->own;
    NF_TRY(levels_start(l, row));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(first_vector, device_grid(m.n, l->block, 1), levels_block(l, m.n), 0, l->d->stream,
                                  l->s, m));
    NF_TRY(levels_launch(l, sweep_levels<matrix_method>, m, m.n));
    NF_TRY(levels_finish(l, row, &words));
done:
    return st;
}

extern const nf__algorithm bfs_matrix = {
    .info = {.name = "matrix",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "each level is a sparse matrix-vector product over all arcs",
             .paper = "Deng, Wang, Mu 2009",
             .memory = "on the device 4.25 n; parents 4 n more; the transpose of directed graphs stays with the graph",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE,
             .knobs = NULL,
             .knob_count = 0},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
