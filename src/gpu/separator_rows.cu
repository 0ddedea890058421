/* separator_rows.cu - step (3) of `separator`: rows of the result by parts and border, band by band (B2 to B5 of
 * apsp_separator.cu). Memory for a band: band_bytes. */
#include "gpu/courier.h"
#include "gpu/rows.cuh"
#include "gpu/separator.h"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

/* Rows of a band, where memory allows: enough for whole tiles. Other numbers were not tried. */
#define BAND_ROWS 512u
#define THREADS 256u
#define SLACK 4096u /* bytes for what is small, and for alignment */

/* A band's memory. */
typedef struct band {
    uint32_t rows, lines; /* rows at most; in whole tiles */
    uint32_t *vertex;
    void *left, *middle, *through, *cells;
    void *dist, *keys;
    uint32_t *parent, *hop, *queue;
    row_end *end;
    unsigned blocks;   /* of trees */
    uint32_t *sunk;    /* a vertex at -infinity */
    unsigned *cut;     /* a row was cut off */
    nf_vid *by_part;   /* on the host: vertices of the band, part after part, */
    uint32_t *some;    /* how many of each part */
    row_end *host_end; /* and how trees ended */
    courier post;
} band;

/* May cells be cut off, or floats overflow? */
static bool is_unproven(const separator *x)
{
    const double reach = dense_reach(x->run);
    return (x->cell == NF_I32 && reach >= NONE_I32 / 2) || (x->cell == NF_F32 && reach > 0x1p127)
           || (x->cell == NF_F64 && reach > 0x1p1023);
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

static void free_band(separator *x, band *b)
{
    device *d = x->d;
    void *const blocks[] = {b->vertex, b->left, b->middle, b->through, b->cells, b->dist, b->keys,
                            b->parent, b->hop,  b->queue,  b->end,     b->sunk,  b->cut};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(d, blocks[i]);
    courier_close(&b->post);
    nf__free(b->by_part);
    nf__free(b->some);
    nf__free(b->host_end);
}

static uint64_t band_bytes(const separator *x, const band *b)
{
    const uint64_t n = x->p.n, width = nf_type_size(x->run->work_type);
    const uint64_t cells = x->widest + x->pitch + x->slots + x->columns;
    const uint64_t trees = x->run->want_parents ? b->rows * n * (width + 4) + (uint64_t)b->blocks * n * 12 : 0;
    return b->lines * cells * nf_type_size(x->cell) + b->rows * n * width + trees + b->rows * sizeof(row_end) + SLACK;
}

/* As many rows as make good products, or fewer where memory does not hold them. */
template <class Cell> static nf_status choose_rows(separator *x, band *b)
{
    typedef typename handed<Cell>::key key;
    nf_status st = NF_OK;
    const unsigned tile = x->left.tile > x->right.tile ? x->left.tile : x->right.tile;
    const int block = (int)device_block(x->d, ROW_THREADS);
    NF_TRY(device_resident_blocks(x->d, (const void *)trees_kernel<key>, block, 0, &b->blocks));
    b->rows = x->p.n < BAND_ROWS ? x->p.n : BAND_ROWS;
    for (;; b->rows = b->rows / 2 / tile * tile) {
        b->blocks = b->blocks < b->rows ? b->blocks : b->rows;
        b->lines = (uint32_t)whole(b->rows, tile);
        st = device_foresee(x->d, band_bytes(x, b), "a band of rows");
        if (st != NF_EDEVMEM || b->rows < 2 * tile)
            break;
    }
done:
    return st;
}

static nf_status allocate_trees(separator *x, band *b)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const uint64_t n = x->p.n, cells = b->rows * n;
    NF_TRY(device_alloc_bytes(d, cells, nf_type_size(x->run->work_type), &b->keys));
    NF_TRY(device_alloc(d, cells, &b->parent));
    NF_TRY(device_alloc(d, b->blocks * n, &b->hop));
    NF_TRY(device_alloc(d, b->blocks * 2 * n, &b->queue));
    NF_TRY(device_alloc(d, b->rows, &b->end));
    NF_TRY_ALLOC(b->host_end, host_alloc<row_end>(d, b->rows));
done:
    return st;
}

template <class Cell> static nf_status allocate_band(separator *x, band *b)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const size_t width = sizeof(Cell);
    NF_TRY(choose_rows<Cell>(x, b));
    NF_TRY(device_alloc(d, b->rows, &b->vertex));
    NF_TRY(device_alloc_bytes(d, (uint64_t)b->lines * x->widest, width, &b->left));
    NF_TRY(device_alloc_bytes(d, b->lines * x->pitch, width, &b->middle));
    NF_TRY(device_alloc_bytes(d, (uint64_t)b->lines * x->slots, width, &b->through));
    NF_TRY(device_alloc_bytes(d, (uint64_t)b->lines * x->columns, width, &b->cells));
    NF_TRY(device_alloc_bytes(d, (uint64_t)b->rows * x->p.n, nf_type_size(x->run->work_type), &b->dist));
    NF_TRY(device_alloc(d, 1, &b->sunk));
    NF_TRY(device_alloc(d, 1, &b->cut));
    if (x->run->want_parents)
        NF_TRY(allocate_trees(x, b));
    NF_TRY_ALLOC(b->by_part, host_alloc<nf_vid>(d, b->rows));
    NF_TRY_ALLOC(b->some, host_alloc<uint32_t>(d, x->p.parts + 1ull));
    NF_TRY(courier_open(&b->post, x->run, b->rows, false));
done:
    return st;
}

template <class Cell> static band_of<Cell> band_view(const separator *x, const band *b, uint64_t first, uint64_t many)
{
    const band_of<Cell> v = {b->vertex,
                             (uint32_t)many,
                             (uint32_t)first,
                             static_cast<Cell *>(b->left),
                             static_cast<Cell *>(b->middle),
                             static_cast<Cell *>(b->through),
                             static_cast<Cell *>(b->cells),
                             x->widest,
                             x->slots,
                             x->columns};
    return v;
}

/* The band's vertices part after part: b->some[i] is where part i begins. */
static nf_status sort_rows(separator *x, band *b, uint64_t first, uint64_t many)
{
    uint32_t sum = 0;
    memset(b->some, 0, (x->p.parts + 1ull) * sizeof *b->some);
    for (uint64_t i = 0; i < many; i++)
        b->some[x->p.part[first + i] + 1]++;
    for (uint32_t i = 0; i <= x->p.parts; i++)
        sum += b->some[i], b->some[i] = sum;
    for (uint64_t i = 0; i < many; i++)
        b->by_part[b->some[x->p.part[first + i]]++] = (nf_vid)(first + i);
    memmove(b->some + 1, b->some, x->p.parts * sizeof *b->some); /* each has come to the next one's first */
    b->some[0] = 0;
    return device_upload(x->d, b->vertex, b->by_part, many * sizeof *b->vertex, NULL);
}

/* A product that is folded into rows of `cells`, `pitch` wide. */
static nf_status fold_into(minplus *x, void *cells, uint64_t rows, uint64_t pitch, const minplus_product &q)
{
    x->m.values = cells;
    x->m.rows = rows;
    x->m.pitch = pitch;
    return minplus_multiply(x, &q, x->d->stream);
}

/* (3), the first product: rows of one part, to all borders. */
template <class Cell>
static nf_status reach_borders(separator *x, band *b, const band_of<Cell> &v, uint32_t mine, uint32_t from,
                               uint32_t many)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const separated<Cell> s = view_of<Cell>(x);
    const part_place *p = &x->places[mine];
    const uint32_t lines = (uint32_t)whole(many, x->left.tile), side = (uint32_t)x->pitch,
                   deep = (uint32_t)whole(p->border, SLOT);
    const unsigned threads = device_block(d, THREADS);
    const uint64_t cells = (uint64_t)lines * (p->side + v.left_pitch + s.pitch);
    const minplus_product q = {0,         lines,   0,    side, 0,    deep, v.left, s.across + p->first * s.pitch,
                               x->widest, s.pitch, NULL, NULL, NULL, NULL, NULL,   0};
    NF_TRY_CUDA(d, SIMT_LAUNCH(open_rows<Cell>, device_grid(cells, threads, 8), threads, 0, d->stream, s, v, mine, from,
                               many, lines));
    if (p->border == 0)
        return NF_OK;
    NF_TRY(fold_into(&x->left, b->middle, lines, s.pitch, q));
    NF_TRY_CUDA(d, SIMT_LAUNCH(lay_through<Cell>, device_grid((uint64_t)many * s.parts * 32, threads, 4), threads, 0,
                               d->stream, s, v, from, many));
done:
    return st;
}

/* (3), the second one: from all borders into their parts. */
template <class Cell> static nf_status enter_parts(separator *x, band *b, const band_of<Cell> &v)
{
    nf_status st = NF_OK;
    const separated<Cell> s = view_of<Cell>(x);
    for (uint32_t i = 0; i < x->p.parts; i++) {
        const part_place *p = &x->places[i];
        const minplus_product q = {0,
                                   b->lines,
                                   p->column,
                                   p->column + p->side,
                                   0,
                                   (unsigned)whole(p->border, SLOT),
                                   v.through + p->slot,
                                   s.inside + p->cells,
                                   v.through_pitch,
                                   p->side,
                                   NULL,
                                   NULL,
                                   NULL,
                                   NULL,
                                   NULL,
                                   0};
        NF_TRY(nf__poll(x->run->ctx));
        if (p->border != 0)
            NF_TRY(fold_into(&x->right, b->cells, b->lines, v.pitch, q));
    }
done:
    return st;
}

template <class Cell> static nf_status make_band(separator *x, band *b, uint64_t first, uint64_t many)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const band_of<Cell> v = band_view<Cell>(x, b, first, many);
    const unsigned threads = device_block(d, THREADS);
    const uint64_t cells = b->lines * v.pitch, through = b->lines * v.through_pitch;
    const Cell none = none_of(Cell());
    NF_TRY(sort_rows(x, b, first, many));
    NF_TRY(device_start(x->run));
    NF_TRY_CUDA(d, SIMT_LAUNCH(fill_cells<Cell>, device_grid(cells, threads, 8), threads, 0, d->stream, v.cells, cells,
                               none));
    NF_TRY_CUDA(d, SIMT_LAUNCH(fill_cells<Cell>, device_grid(through, threads, 8), threads, 0, d->stream, v.through,
                               through, none));
    for (uint32_t i = 0; i < x->p.parts; i++)
        if (b->some[i + 1] > b->some[i]) {
            NF_TRY(nf__poll(x->run->ctx));
            NF_TRY(reach_borders(x, b, v, i, b->some[i], b->some[i + 1] - b->some[i]));
        }
    NF_TRY(enter_parts(x, b, v));
    x->bands++;
done:
    return st;
}

/* B4 */
template <class Key> static nf_status grow_trees(separator *x, band *b, uint64_t first, uint64_t many)
{
    nf_status st = NF_OK;
    device *d = x->d;
    rows_job<Key> j = {};
    j.g = device_graph_of(x->run)->out;
    j.s = sssp_scale<Key>(x->run);
    j.first = (uint32_t)first;
    j.count = (uint32_t)many;
    j.label = static_cast<Key *>(b->keys);
    j.parent = b->parent;
    j.end = b->end;
    j.queue = b->queue;
    j.hop = b->hop;
    NF_TRY_CUDA(d, SIMT_LAUNCH(trees_kernel<Key>, b->blocks, device_block(d, ROW_THREADS), 0, d->stream, j));
done:
    return st;
}

/* Cells to rows in the graph's order, with trees. *cut: B2. */
template <class Cell> static nf_status finish_band(separator *x, band *b, uint64_t first, uint64_t many, bool *cut)
{
    typedef typename handed<Cell>::key key;
    typedef typename handed<Cell>::work work;
    nf_status st = NF_OK;
    device *d = x->d;
    const device_graph *g = device_graph_of(x->run);
    const separated<Cell> s = view_of<Cell>(x);
    const band_of<Cell> v = band_view<Cell>(x, b, first, many);
    const unsigned threads = device_block(d, THREADS);
    uint32_t sunk = NF_NO_VERTEX;
    unsigned word = 0;
    NF_TRY(device_fill_bytes(d, b->sunk, 0xff, sizeof *b->sunk));
    NF_TRY(device_fill_bytes(d, b->cut, 0, sizeof *b->cut));
    if (is_unproven(x))
        NF_TRY_CUDA(d, SIMT_LAUNCH(find_cut<Cell>, v.rows, threads, 0, d->stream, s, v, g->out, g->sources, b->cut));
    NF_TRY_CUDA(d, SIMT_LAUNCH(hand_rows<Cell>, device_grid(many * s.n, threads, 8), threads, 0, d->stream, s, v,
                               sssp_scale<key>(x->run), static_cast<work *>(b->dist), static_cast<key *>(b->keys),
                               b->sunk));
    if (x->run->want_parents)
        NF_TRY(grow_trees<key>(x, b, first, many));
    NF_TRY(device_finish(d, "rows", x->p.n));
    NF_TRY(device_download(d, &sunk, b->sunk, sizeof sunk));
    NF_TRY(device_download(d, &word, b->cut, sizeof word));
    if (x->run->want_parents)
        NF_TRY(device_download(d, b->host_end, b->end, many * sizeof *b->end));
    *cut = word != 0;
    if (sunk != NF_NO_VERTEX)
        NF_TRY(nf__fail(NF_EOVERFLOW, "a distance to vertex %llu is -infinity",
                        (unsigned long long)nf_graph_label(x->run->graph, sunk)));
done:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A row whose tree has gaps (B4). */
static nf_status make_again(separator *x, nf__row *row)
{
    nf_status st = NF_OK;
    if (x->single.method == NULL)
        NF_TRY(turn_begin(x->run, &x->single, turn_choose(x->run)));
    NF_TRY(turn_row(x->run, &x->single, row));
    x->again++;
done:
    return st;
}

/* Who hands out a band. */
typedef struct herald {
    separator *x;
    const band *b;
    bool overflowed;
} herald;

static nf_status tell_row(void *user, uint64_t i, nf__row *row)
{
    nf_status st = NF_OK;
    const herald *h = static_cast<const herald *>(user);
    separator *x = h->x;
    if (row->parent != NULL && h->b->host_end[i].flags != 0)
        NF_TRY(make_again(x, row));
    row->iterations = row->index == 0 ? x->s.iterations : 0; /* the work is shared: counted once, in the first row */
    row->edges_relaxed = row->index == 0 ? x->s.x.steps + x->left.steps + x->right.steps : 0;
    row->overflowed |= h->overflowed;
    row->rounded |= x->rounded;
done:
    return st;
}

static nf_status hand_out(separator *x, band *b, uint64_t first, uint64_t many, bool overflowed)
{
    const rows_made made = {first, many, b->dist, b->parent};
    herald h = {x, b, overflowed};
    return courier_deliver(&b->post, &made, "rows", tell_row, &h);
}

/* Rows from *at on; *wider: row *at was cut off (B2). */
template <class Cell> static nf_status run_rows(separator *x, uint64_t *at, bool *wider)
{
    nf_status st = NF_OK;
    band b = {};
    NF_TRY(allocate_band<Cell>(x, &b));
    while (*at < x->p.n) {
        const uint64_t rest = x->p.n - *at, many = rest < b.rows ? rest : b.rows;
        bool cut = false;
        NF_TRY(make_band<Cell>(x, &b, *at, many));
        NF_TRY(finish_band<Cell>(x, &b, *at, many, &cut));
        *wider = cut && x->cell == NF_I32;
        if (*wider)
            break;
        NF_TRY(hand_out(x, &b, *at, many, cut));
        *at += many;
    }
    nf__log(
        x->run->ctx, NF_LOG_DEBUG,
        "separator: parts %u, closed %u, by %s, border %u, largest part %u, cells of %u bytes, bands %llu, up to %u "
        "rows, steps inside %llu, through %llu, into %llu, rows made again %llu",
        x->p.parts, x->closed, x->p.by_metis ? nf__partition_library() : "growing", x->p.border, x->p.largest,
        (unsigned)sizeof(Cell), (unsigned long long)x->bands, b.rows, (unsigned long long)x->s.x.steps,
        (unsigned long long)x->left.steps, (unsigned long long)x->right.steps, (unsigned long long)x->again);
done:
    free_band(x, &b);
    return st;
}

nf_status separator_rows(separator *x, uint64_t *at, bool *wider)
{
    *wider = false;
    switch (x->cell) {
    case NF_I32: return run_rows<int32_t>(x, at, wider);
    case NF_I64: return run_rows<int64_t>(x, at, wider);
    case NF_F32: return run_rows<float>(x, at, wider);
    default: return run_rows<double>(x, at, wider);
    }
}

} /* namespace SIMT_FLAVOUR */
