/* bfs_bit_parallel.cu - the host's half of `bit-parallel` (bfs_bit_parallel.cuh): how many sources at once, memory,
 * batches, rows.
 *
 * A batch is one launch and one wait; then its rows are fetched, short ones several at a time. Sources at once are as
 * many as the rows need and the memory holds: with little of it there are more batches of fewer rows.
 * All pairs come this way too (apsp_n_sssp.cu): rows are those of all vertices, and hops are widened on the host.
 * Memory on the host: 1 MB (2 with parents) where rows travel together; 4 n (8 n) where longer ones are widened.
 */
#include "gpu/bfs_bit_parallel.cuh"
#include "gpu/pack.h"

namespace SIMT_FLAVOUR
{

#define PULL_SHARE "4"       /* as on the CPU */
#define LONG_ARCS "1024"     /* 8 to 64 steps of a warp, by the number of words */
#define FETCH_BYTES 1048576u /* rows are fetched together up to this: a copy that takes longer than waiting for it */

/* The host's part. */
typedef struct bits_batch {
    bits_method m;
    uint64_t size;            /* sources at once */
    uint64_t together;        /* rows fetched at a time */
    bool direct;              /* one at a time, straight to where they belong */
    uint32_t *hops, *parents; /* of so many rows */
} bits_batch;

static unsigned words_for(uint64_t size)
{
    unsigned words = 1;
    while (words * 32 < size)
        words *= 2;
    return words;
}

uint64_t bfs_bit_parallel_bytes(const nf__run *run, unsigned size)
{
    const uint64_t rows = run->rows < size ? run->rows : size, n = run->csr.n;
    const uint64_t row = run->want_parents || run->nearest ? 8 : 4, queues = run->csr.off32 != NULL ? 20 : 28;
    return n * (16 * words_for(rows) + queues + row * rows) + n / 2 + run->csr.m / 32 + (264 << 10);
}

/* Sources at once: as many as the knob says or, when it says nothing, as there is memory for. */
static nf_status choose_size(nf__run *run, uint64_t *size)
{
    const unsigned asked = (unsigned)nf__knob_number(run, "width");
    unsigned most = MOST_WORDS * 32;
    nf_status st = NF_OK;
    while (asked != 0 && most > asked)
        most /= 2;
    for (; most > 1 && most / 2 >= run->rows; most /= 2) {}
    for (; asked == 0 && most > 1; most /= 2)
        if ((st = device_foresee((device *)run->device, bfs_bit_parallel_bytes(run, most), "bit-parallel"))
            != NF_EDEVMEM)
            break;
    *size = run->rows < most ? run->rows : most;
    return st == NF_EDEVMEM ? NF_OK : st;
}

static nf_status allocate(levels *l, bits_method *m)
{
    nf_status st = NF_OK;
    const uint64_t n = m->n, words = (n + 31) / 32;
    NF_TRY(levels_alloc(l, 3 * n, &m->q.vertex));
    if (l->s.out.off32 != NULL)
        NF_TRY(levels_alloc(l, 2 * n, &m->q.before32));
    else
        NF_TRY(levels_alloc(l, 2 * n, &m->q.before64));
    NF_TRY(levels_alloc(l, n * m->words, &m->seen));
    NF_TRY(levels_alloc(l, 3 * n * m->words, &m->front));
    NF_TRY(levels_alloc(l, 3 * words, &m->mark));
    NF_TRY(levels_alloc(l, 1, &m->st));
    NF_TRY(levels_alloc(l, 2 + 3 * m->m / m->most, &m->pieces));
done:
    return st;
}

static nf_status fill_method(nf__run *run, levels *l, bits_batch *b)
{
    nf_status st = NF_OK;
    bits_method *m = &b->m;
    const char *only = nf__knob_choice(run, "direction");
    bool ascending = true;
    m->n = run->csr.n;
    m->m = run->csr.m;
    m->words = words_for(b->size);
    m->q.arc_bits = bits_of(m->m);
    m->share = nf__knob_number(run, "share");
    m->only = strcmp(only, "pull") == 0 ? WAY_PULL : strcmp(only, "push") == 0 ? WAY_PUSH : -1;
    m->targets = l->targets;
    m->target_count = l->s.target_count;
    l->s.target_count = 0; /* not one row's: all_arrived */
    if (m->q.arc_bits + bits_of(m->n) > 64)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "a graph of %llu vertices and %llu arcs is too large for bit-parallel",
                        (unsigned long long)m->n, m->m));
    if (run->deterministic && m->only != WAY_PUSH)
        NF_TRY(device_graph_ascending(run, &ascending));
    m->whole = !ascending;
    m->most = (uint32_t)nf__knob_number(run, "long") & ~1u;
    NF_TRY(allocate(l, m));
    NF_TRY(device_fill_bytes(l->d, m->pieces, 0, sizeof *m->pieces));
    if (m->only != WAY_PUSH)
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(find_pieces, device_grid(m->n, l->block, 1), levels_block(l, m->n), 0,
                                      l->d->stream, l->s, *m));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    levels *l = NULL;
    bits_batch *b = NULL;
    nf__mem *mem = nf__context_mem(run->ctx);
    const unsigned parts_in = strcmp(nf__knob_choice(run, "direction"), "push") != 0 ? GRAPH_TARGETS : 0;
    uint64_t size = 0;
    NF_TRY(device_graph_need(run, GRAPH_TARGETS));
    if (parts_in != 0)
        NF_TRY(device_graph_need(run, parts_in | GRAPH_IN));
    NF_TRY(choose_size(run, &size));
    NF_TRY(levels_open_rows(run, GRAPH_TARGETS, parts_in, size, &l));
    NF_TRY_ALLOC(b, (bits_batch *)nf__zalloc(mem, 1, sizeof *b));
    l->own = b;
    b->size = size;
    NF_TRY(fill_method(run, l, b));
    b->together = FETCH_BYTES / sizeof(uint32_t) / run->csr.n;
    b->together = b->together < 1 ? 1 : b->together < size ? b->together : size;
    b->direct = b->together == 1 && run->problem == NF_BFS;
    if (!b->direct) {
        NF_TRY_ALLOC(b->hops, (uint32_t *)nf__alloc(mem, b->together * run->csr.n, sizeof(uint32_t)));
        if (l->parent != NULL)
            NF_TRY_ALLOC(b->parents, (uint32_t *)nf__alloc(mem, b->together * run->csr.n, sizeof(uint32_t)));
    }
done:
    return st;
}

static void end(nf__run *run)
{
    levels *l = (levels *)run->scratch;
    bits_batch *b = l != NULL ? (bits_batch *)l->own : NULL;
    if (b != NULL) {
        nf__free(b->hops);
        nf__free(b->parents);
    }
    levels_end(run);
}

/* Rows [first, first + count), from their sources to the end of their levels. */
static nf_status search(nf__run *run, levels *l, bits_batch *b, uint64_t first, uint64_t count, level_state *last)
{
    static const level_words words = {{"push", "pull"}, {NULL, NULL, NULL, "bits"}};
    nf_status st = NF_OK;
    bits_method *m = &b->m;
    nf_vid some[MOST_WORDS * 32];
    const nf_vid *sources = some;
    uint64_t source_count = count;
    nf__row row;
    const uint64_t bytes = (uint64_t)m->n * m->words * sizeof(uint32_t);
    memset(m->full, 0, sizeof m->full);
    for (uint64_t i = 0; i < count; i++) {
        if (run->problem == NF_BFS)
            NF_TRY(nf__row_begin(run, first + i, &row));
        some[i] = run->problem == NF_BFS ? row.sources[0] : (nf_vid)(first + i);
        m->full[i / 32] |= 1u << (i % 32);
    }
    if (run->nearest) {
        sources = row.sources;
        source_count = row.source_count;
    }
    NF_TRY(levels_sources(l, sources, source_count));
    NF_TRY(levels_clear(l, l->parent != NULL, count));
    NF_TRY(device_fill_bytes(l->d, m->seen, 0, bytes));
    NF_TRY(device_fill_bytes(l->d, m->front, 0, 3 * bytes));
    NF_TRY(device_fill_bytes(l->d, m->mark, 0, ((uint64_t)m->n + 31) / 32 * 3 * sizeof(uint32_t)));
    NF_TRY(device_fill_bytes(l->d, m->st, 0, sizeof *m->st));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(bits_start, device_grid(source_count, l->block, 1), levels_block(l, source_count), 0,
                                  l->d->stream, l->s, *m, l->sources, source_count, run->nearest));
    NF_TRY(levels_launch(l, bits_kernel, *m, (m->n > m->m ? m->n : m->m) * m->words));
    NF_TRY(levels_wait(l, &words, last));
    NF_TRY(levels_check(l, last->level, last->slots[last->level % 3].found));
done:
    return st;
}

/* Hops and parents of row i of a batch of `count`; several rows travel together where they are short. */
static nf_status fetch(const levels *l, const bits_batch *b, uint64_t i, uint64_t count, nf__row *row)
{
    nf_status st = NF_OK;
    const uint64_t n = b->m.n, at = i % b->together, rows = count - i < b->together ? count - i : b->together;
    const bool direct = b->direct;
    if (at == 0) {
        NF_TRY(device_results(l->run, direct ? row->dist : b->hops, l->hop + i * n, rows * n * sizeof(uint32_t)));
        if (row->parent != NULL)
            NF_TRY(device_results(l->run, direct ? row->parent : b->parents, l->parent + i * n,
                                  rows * n * sizeof(uint32_t)));
    }
    if (!direct)
        nf__pack_hops(b->hops + at * n, n, row->type, row->dist, nf__context_threads(l->run->ctx));
    if (!direct && row->parent != NULL)
        memcpy(row->parent, b->parents + at * n, n * sizeof(uint32_t));
done:
    return st;
}

static nf_status run_rows(nf__run *run, nf__row *unused)
{
    nf_status st = NF_OK;
    levels *l = (levels *)run->scratch;
    bits_batch *b = (bits_batch *)l->own;
    level_state last;
    nf__row row;
    (void)unused;
    for (uint64_t first = run->first_row; first < run->rows; first += b->size) {
        const uint64_t count = run->rows - first < b->size ? run->rows - first : b->size;
        NF_TRY(search(run, l, b, first, count, &last));
        const uint64_t arcs = last.total[COUNT_ARCS];
        for (uint64_t i = 0; i < count; i++) {
            NF_TRY(nf__progress(run->ctx, "bfs rows", first + i, run->rows));
            NF_TRY(nf__row_begin(run, first + i, &row));
            NF_TRY(fetch(l, b, i, count, &row));
            row.iterations = last.level;
            row.edges_relaxed = arcs / count + (i < arcs % count); /* shared work, shared out */
            NF_TRY(nf__row_end(run, &row));
        }
    }
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {"width", "most sources at once, a power of two up to 256; 0: as many as there is memory for", NF_KNOB_INT, "0", 0,
     MOST_WORDS * 32, NULL},
    {"direction", "the only way to go: push from the frontier, pull to what misses bits", NF_KNOB_CHOICE, "auto", 0, 0,
     "auto push pull"},
    {"share", "pull when the frontier's arcs exceed m / share", NF_KNOB_REAL, PULL_SHARE, 0.001, 1e9, NULL},
    {"long", "arcs of a list that one warp gathers from alone; longer ones are shared out", NF_KNOB_INT, LONG_ARCS, 64,
     1 << 30, NULL},
};

extern const nf__algorithm bfs_bit_parallel = {
    .info = {.name = "bit-parallel",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "up to 256 sources at once, a bit each, in one launch",
             .paper = "Then et al. 2014; Liu, Huang, Hu 2016",
             .memory =
                 "on the device (16 W + 20.375 + 4 R) n for R sources at once, W = R / 32 rounded up to 2^k (64-bit "
                 "offsets: 8 n more); parents 4 R n more; the transpose of directed graphs stays with the graph",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin,
    .end = end,
    .run = run_rows,
    .all_rows = true,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
