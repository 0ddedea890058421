/* apsp_separator.cu - all pairs by parts with small borders (`separator`, catalogue A9).
 *
 * Method: Djidjev, Thulasidasan, Chapuis, Andonov, Lavenier 2014. The graph is cut into parts (partition.h); the border
 * are the vertices with an arc to or from another part. (1) Each part's matrix is closed, independently of the others;
 * (2) the border graph - arcs between parts, and ways inside a part between vertices of its border - is closed; (3) for
 * u of part i and v of part j the distance is the least d_i(u, b) + D(b, c) + d_j(c, v) over b, c of their borders, and
 * d_i(u, v) where i = j: two products over (min, +) for a band of rows. All of it runs over the core (minplus.cuh,
 * dense_by_blocks).
 * Invariants
 *   B1 a shortest path that leaves its part passes the border where it leaves and where it enters; between these its
 *      pieces inside parts are arcs of the border graph. So D holds true distances, and (3) the least of all ways;
 *   B2 cells as D2 of dense.cu has them: 32 bits where a bound proves them, or where weights are positive and no arc
 *      leads from a finite cell of a row to none. A band that has such an arc, and the rows after it, are made again
 *      from the start in 64 bits; rows before it stand;
 *   B3 columns of operands beyond a border are none, so whatever rows they meet;
 *   B4 trees are grown breadth first over tight arcs of finished rows (trees_kernel), the deterministic ones; a row
 *      whose sums rounding left loose is made again by the device's choice for one source;
 *   B5 only parts, border and one band of rows are on the device.
 * Negative cycles are looked for first, as in dense.cu. Floats: sums in another order (NF_ALG_ROUNDED).
 * Cost: with k parts of s vertices and b of border, B in all: k s^3 + B^3 + n b (B + n) steps. Memory: SEPARATOR_MEMORY
 * and, on the host, 24 n and, while the graph is cut, 8 (n + m), directed 8 (n + 2 m), and that of METIS.
 */
#include "gpu/dense.h"
#include "gpu/partition.h"
#include "gpu/rows.cuh"
#include "gpu/separator.cuh"
#include "gpu/sssp.cuh"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

#define SEPARATOR_MEMORY                                                                                              \
    "on the device cells of 4 or 8 bytes: the squares of all parts and of the border (to whole tiles), and for each " \
    "row of a band (up to 512, at least a tile) n and three borders; 8 n (f32: 4 n) for it, with parents 12 n (8 n) " \
    "more, and 12 n a block; 8 n. On the host 24 n + 16 m, METIS 96 n + 64 m"

/* Rows of a band, where memory allows: enough for whole tiles. Not measured on a GPU yet. */
#define BAND_ROWS 512u
/* Without a number of parts: sqrt(n) times this, which makes parts of 2 sqrt(n) vertices: on planar graphs the squares
 * of parts and border then take about the same room. Not measured on a GPU yet. */
#define PARTS_FACTOR 0.5
/* With more arcs a vertex the border is nearly everything: one part, without a look. */
#define DEGREE_MOST 32.0
/* A border of this share of all vertices leaves nothing to gain: one part. */
#define BORDER_MOST 0.75
/* Without a proof beforehand 32 bits are tried when paths of so many arcs fit surely (as in dense.cu). */
#define HOPEFUL_ARCS 16
#define THREADS 256u
#define SLACK 4096u /* bytes for what is small, and for alignment */

typedef struct separator {
    nf__run *run;
    device *d;
    nf__partition p;
    nf_type cell;
    dense s;                     /* the matrix that is being closed */
    minplus part, border;        /* shapes */
    minplus left, right;         /* of products: by way of the border matrix, and of a part's */
    part_place *places, *placed; /* parts + 1 on the host, and on the device */
    uint32_t *part_of, *place_of;
    void *inside, *across;
    uint64_t cells, pitch;           /* of the parts' matrices; of the border matrix */
    uint32_t slots, columns, widest; /* of a band: slots, columns; of the widest border, in slots */
    uint64_t iterations;
    unsigned closed; /* parts so far */
    uint64_t again;  /* rows that were made again */
    uint64_t bands;
    const nf__algorithm *single; /* that makes them, once it has begun */
    bool rounded;
} separator;

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
} band;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void bounds_of(const separator *x, int32_t *none, int32_t *limit)
{
    *none = NONE_I32;
    *limit = x->part.positive ? NONE_I32 : NONE_I32 / 2 + 1;
}
static void bounds_of(const separator *, int64_t *none, int64_t *limit)
{
    *none = NONE_I64;
    *limit = NONE_I64 / 2 + 1;
}
static void bounds_of(const separator *, float *none, float *limit)
{
    *none = *limit = INFINITY;
}
static void bounds_of(const separator *, double *none, double *limit)
{
    *none = *limit = (double)INFINITY;
}

/* B2 */
static nf_type first_cell(const nf__run *run)
{
    const double half = NONE_I32 / 2;
    if (run->work_type != NF_I64)
        return run->work_type;
    const bool hopeful = run->stats.weight_sign >= 0 && run->stats.weight_max * HOPEFUL_ARCS < half;
    return dense_reach(run) < half || hopeful ? NF_I32 : NF_I64;
}

/* May cells be cut off, or floats overflow? */
static bool is_unproven(const separator *x)
{
    const double reach = dense_reach(x->run);
    return (x->cell == NF_I32 && reach >= NONE_I32 / 2) || (x->cell == NF_F32 && reach > 0x1p127)
           || (x->cell == NF_F64 && reach > 0x1p1023);
}

template <class Cell> static separated<Cell> view_of(const separator *x)
{
    separated<Cell> s = {};
    s.n = x->p.n;
    s.parts = x->p.parts;
    s.places = x->placed;
    s.part = x->part_of;
    s.place = x->place_of;
    s.inside = static_cast<Cell *>(x->inside);
    s.across = static_cast<Cell *>(x->across);
    s.pitch = x->pitch;
    bounds_of(x, &s.none, &s.limit);
    return s;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static uint32_t whole(uint64_t many, unsigned unit)
{
    return (uint32_t)((many + unit - 1) / unit * unit);
}

/* The form for so many vertices; products of a band have few rows, so no larger one than the medium. */
static void shape_for(const separator *x, uint64_t n, bool product, minplus *to)
{
    *to = minplus();
    to->d = x->d;
    to->cell = x->cell;
    to->positive = x->run->stats.weight_sign >= 0;
    minplus_shape(to, n, -1);
    if (product && to->form > FORM_MEDIUM)
        minplus_shape(to, n, FORM_MEDIUM);
}

static void set_places(separator *x)
{
    const nf__partition *p = &x->p;
    uint64_t columns = 0;
    uint32_t first = 0, slots = 0;
    shape_for(x, p->largest, false, &x->part);
    shape_for(x, p->border, false, &x->border);
    shape_for(x, p->largest, true, &x->right);
    shape_for(x, p->border, true, &x->left);
    x->cells = 0;
    x->widest = 0;
    for (uint32_t i = 0; i < p->parts; i++) {
        const uint32_t side = whole(p->size[i], x->part.tile), wide = whole(p->border_of[i], SLOT);
        const part_place at = {x->cells, side, p->size[i], p->border_of[i], first, slots, (uint32_t)columns};
        x->places[i] = at;
        x->cells += (uint64_t)side * side;
        first += p->border_of[i];
        slots += wide;
        columns += side;
        x->widest = wide > x->widest ? wide : x->widest;
    }
    /* operands take whole slots of rows: up to SLOT - 1 after the last */
    x->pitch = p->border == 0 ? 0 : whole((uint64_t)p->border + SLOT - 1, x->border.tile);
    const part_place border = {0, (uint32_t)x->pitch, p->border, 0, 0, 0, 0};
    x->places[p->parts] = border;
    x->slots = slots;
    x->columns = columns <= UINT32_MAX ? (uint32_t)columns : 0;
}

static void free_matrices(separator *x)
{
    device_free(x->d, x->inside);
    device_free(x->d, x->across);
    x->inside = x->across = NULL;
}

static void close_separator(separator *x)
{
    turn_finish(x->run, x->single);
    free_matrices(x);
    device_free(x->d, x->placed);
    device_free(x->d, x->part_of);
    device_free(x->d, x->place_of);
    nf__free(x->places);
    nf__partition_free(&x->p);
    for (int i = 0; i < 2; i++)
        if (x->s.reached[i] != NULL)
            (void)cudaEventDestroy(x->s.reached[i]);
}

/* ---- (1) and (2) ------------------------------------------------------------------------------------------------- */

static nf_status allocate_matrices(separator *x)
{
    nf_status st = NF_OK;
    const uint64_t width = nf_type_size(x->cell);
    free_matrices(x);
    set_places(x);
    if (x->columns == 0)
        NF_TRY(nf__fail(NF_EDEVMEM, "%u parts, %u vertices: rows of a band leave 32 bits", x->p.parts, x->p.n));
    NF_TRY(device_foresee(x->d, (x->cells + x->pitch * x->pitch) * width, "parts and border"));
    NF_TRY(device_alloc_bytes(x->d, x->cells, width, &x->inside));
    NF_TRY(device_alloc_bytes(x->d, x->pitch * x->pitch, width, &x->across));
    NF_TRY(device_upload(x->d, x->placed, x->places, (x->p.parts + 1ull) * sizeof *x->places, NULL));
done:
    return st;
}

template <class Cell, class Bits> static nf_status fill_matrices(separator *x)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const device_graph *g = device_graph_of(x->run);
    const separated<Cell> s = view_of<Cell>(x);
    const unsigned threads = device_block(d, THREADS), parts = x->p.parts;
    const unsigned slices = parts < 1024 ? 1024 / parts : 1;
    NF_TRY_CUDA(d, SIMT_LAUNCH(blank_places<Cell>, parts * slices, threads, 0, d->stream, s.places, slices, s.none,
                               s.inside));
    if (x->pitch != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(blank_places<Cell>, 1024, threads, 0, d->stream, s.places + parts, 1024, s.none,
                                   s.across));
    if (g->out.m != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH((place_arcs<Cell, Bits>), device_grid(g->out.m, threads, 1), threads, 0, d->stream,
                                   s, g->out, g->sources, g->weight_type));
done:
    return st;
}

/* A matrix of `n` vertices, closed. */
static nf_status close_matrix(separator *x, const minplus *shape, void *cells, uint64_t side, uint32_t n, bool ahead)
{
    nf_status st = NF_OK;
    const uint64_t steps = x->s.x.steps, launches = x->s.x.launches;
    x->s.x = *shape;
    x->s.x.steps = steps;
    x->s.x.launches = launches;
    x->s.x.m.values = cells;
    x->s.x.m.rows = x->s.x.m.pitch = side;
    x->s.n = n;
    NF_TRY(dense_by_blocks(&x->s, ahead));
done:
    return st;
}

static nf_status close_parts(separator *x)
{
    nf_status st = NF_OK;
    const uint64_t width = nf_type_size(x->cell);
    x->s.phase = "parts";
    for (uint32_t i = 0; i < x->p.parts; i++) {
        const part_place *p = &x->places[i];
        NF_TRY(nf__progress(x->run->ctx, "parts", i, x->p.parts));
        if (p->n > 1)
            NF_TRY(close_matrix(x, &x->part, static_cast<char *>(x->inside) + p->cells * width, p->side, p->n, false));
        x->closed++;
    }
done:
    return st;
}

template <class Cell, class Bits> static nf_status solve(separator *x)
{
    nf_status st = NF_OK;
    device *d = x->d;
    const unsigned threads = device_block(d, THREADS);
    NF_TRY(allocate_matrices(x));
    NF_TRY((fill_matrices<Cell, Bits>(x)));
    NF_TRY(device_start(x->run));
    x->s.marks = 0;
    NF_TRY(close_parts(x));
    if (x->pitch != 0) {
        x->s.phase = "border";
        NF_TRY_CUDA(d, SIMT_LAUNCH(join_border<Cell>, x->p.parts, threads, 0, d->stream, view_of<Cell>(x)));
        NF_TRY(close_matrix(x, &x->border, x->across, x->pitch, x->p.border, true));
    }
    NF_TRY(device_finish(d, "border", 0));
done:
    return st;
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

static void free_band(separator *x, band *b)
{
    device *d = x->d;
    void *const blocks[] = {b->vertex, b->left, b->middle, b->through, b->cells, b->dist, b->keys,
                            b->parent, b->hop,  b->queue,  b->end,     b->sunk,  b->cut};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_free(d, blocks[i]);
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
        b->lines = whole(b->rows, tile);
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
    const uint32_t lines = whole(many, x->left.tile), side = (uint32_t)x->pitch, deep = whole(p->border, SLOT);
    const unsigned threads = device_block(d, THREADS);
    const uint64_t cells = (uint64_t)lines * (p->side + v.left_pitch + s.pitch);
    const minplus_product q = {0,         lines,   0,    side, 0, deep, v.left, s.across + p->first * s.pitch,
                               x->widest, s.pitch, NULL, NULL};
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
                                   whole(p->border, SLOT),
                                   v.through + p->slot,
                                   s.inside + p->cells,
                                   v.through_pitch,
                                   p->side,
                                   NULL,
                                   NULL};
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
    Cell none, limit;
    bounds_of(x, &none, &limit);
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
    if (x->single == NULL) {
        x->single = turn_choose(x->run);
        NF_TRY(turn_begin(x->run, x->single));
    }
    NF_TRY(turn_row(x->run, x->single, row));
    x->again++;
done:
    return st;
}

static nf_status hand_out(separator *x, band *b, uint64_t first, uint64_t many, bool overflowed)
{
    nf_status st = NF_OK;
    nf__run *run = x->run;
    const rows_made made = {first, many, b->dist, b->parent};
    bool together = false;
    nf__row row;
    NF_TRY(rows_fetch(run, &made, &together));
    for (uint64_t i = 0; i < many; i++) {
        NF_TRY(nf__progress(run->ctx, "rows", first + i, x->p.n));
        NF_TRY(nf__row_begin(run, first + i, &row));
        if (row.parent != NULL && b->host_end[i].flags != 0)
            NF_TRY(make_again(x, &row));
        else if (!together)
            NF_TRY(rows_fetch_row(run, &made, &row));
        row.iterations = first + i == 0 ? x->s.iterations : 0; /* the work is shared: counted once, in the first row */
        row.edges_relaxed = first + i == 0 ? x->s.x.steps + x->left.steps + x->right.steps : 0;
        row.overflowed |= overflowed;
        row.rounded |= x->rounded;
        NF_TRY(nf__row_end(run, &row));
    }
done:
    return st;
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

template <class Cell, class Bits> static nf_status run_cells(separator *x, uint64_t *at, bool *wider)
{
    nf_status st = NF_OK;
    *wider = false;
    NF_TRY((solve<Cell, Bits>(x)));
    NF_TRY(run_rows<Cell>(x, at, wider));
done:
    return st;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static nf_status divide(separator *x)
{
    nf_status st = NF_OK;
    nf__run *run = x->run;
    const char *how = nf__knob_choice(run, "partition");
    const nf__partitioner by = strcmp(how, "metis") == 0  ? NF__PARTITION_METIS
                               : strcmp(how, "grow") == 0 ? NF__PARTITION_GROW
                                                          : NF__PARTITION_AUTO;
    const bool crowded = (double)run->csr.m > DEGREE_MOST * run->csr.n;
    const double asked = nf__knob_number(run, "parts"), wanted = asked > 0 ? asked
                                                                 : crowded ? 1
                                                                           : sqrt(run->csr.n) * PARTS_FACTOR;
    const uint32_t parts = wanted < 1 ? 1 : wanted < run->csr.n ? (uint32_t)wanted : run->csr.n;
    const bool directed = !device_graph_of(run)->symmetric;
    NF_TRY(nf__partition_make(run->ctx, &run->csr, directed, parts, by, &x->p));
    if (asked == 0 && x->p.border > BORDER_MOST * run->csr.n) {
        nf__partition_free(&x->p);
        NF_TRY(nf__partition_make(run->ctx, &run->csr, directed, 1, by, &x->p));
    }
    NF_TRY_ALLOC(x->places, host_alloc<part_place>(x->d, x->p.parts + 1ull));
    NF_TRY(device_alloc(x->d, x->p.parts + 1ull, &x->placed));
    NF_TRY(device_alloc(x->d, x->p.n, &x->part_of));
    NF_TRY(device_alloc(x->d, x->p.n, &x->place_of));
    NF_TRY(device_upload(x->d, x->part_of, x->p.part, x->p.n * sizeof *x->part_of, NULL));
    NF_TRY(device_upload(x->d, x->place_of, x->p.place, x->p.n * sizeof *x->place_of, NULL));
done:
    return st;
}

static nf_status run_cell(separator *x, uint64_t *at, bool *wider)
{
    switch (x->cell) {
    case NF_I32: return run_cells<int32_t, uint32_t>(x, at, wider);
    case NF_I64: return run_cells<int64_t, uint64_t>(x, at, wider);
    case NF_F32: return run_cells<float, uint32_t>(x, at, wider);
    default: return run_cells<double, uint64_t>(x, at, wider);
    }
}

static nf_status run_separator(nf__run *run, nf__row *none)
{
    nf_status st = NF_OK;
    separator x = {};
    uint64_t at = 0;
    bool wider = false;
    (void)none;
    if (run->csr.n == 0)
        return NF_OK;
    x.run = x.s.run = run;
    x.d = x.s.d = (device *)run->device;
    x.cell = first_cell(run);
    NF_TRY(device_enter(x.d));
    for (int i = 0; i < 2; i++)
        NF_TRY_CUDA(x.d, cudaEventCreateWithFlags(&x.s.reached[i], cudaEventDisableTiming));
    if (run->work_type == NF_I64 && dense_reach(run) >= (double)(NONE_I64 / 2))
        NF_TRY(nf__fail(NF_EOVERFLOW, "%u vertices and weights of up to %g may leave 62 bits", run->csr.n,
                        run->stats.weight_max));
    NF_TRY(turn_refuse_cycles(run, &x.rounded));
    NF_TRY(device_graph_need(run, GRAPH_PAIRS | GRAPH_SOURCES));
    if (run->want_parents)
        NF_TRY(device_graph_need(run, sssp_parts(run)));
    NF_TRY(divide(&x));
    NF_TRY(run_cell(&x, &at, &wider));
    if (wider) {
        x.cell = NF_I64;
        NF_TRY(run_cell(&x, &at, &wider));
    }
done:
    close_separator(&x);
    return st;
}

extern const nf__algorithm apsp_separator = {
    .info = {.name = "separator",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "parts with small borders, each closed alone, then the graph of borders, then both together",
             .paper = "Djidjev, Thulasidasan, Chapuis, Andonov, Lavenier 2014; Karypis, Kumar 1998",
             .memory = SEPARATOR_MEMORY,
             .flags = NF_ALG_NEGATIVE | NF_ALG_ROUNDED,
             .knobs = nf__partition_knobs,
             .knob_count = NF__PARTITION_KNOB_COUNT},
    .begin = NULL,
    .end = NULL,
    .run = run_separator,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
