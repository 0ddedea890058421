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
#include "gpu/separator.h"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

#define SEPARATOR_MEMORY                                                                                              \
    "on the device cells of 4 or 8 bytes: the squares of all parts and of the border (to whole tiles), and for each " \
    "row of a band (up to 512, at least a tile) n and three borders; 8 n (f32: 4 n) for it, with parents 12 n (8 n) " \
    "more, and 12 n a block; 8 n; from a border of 6,144 vertices on 256 times as many cells more. On the host "      \
    "24 n + 16 m, METIS 96 n + 64 m + 2 KB a part. Rows made again: that of auto for sssp"

/* Without a number of parts: sqrt(n) times this, which makes parts of 2 sqrt(n) vertices: on planar graphs the squares
 * of parts and border then take about the same room. Other numbers were not tried. */
#define PARTS_FACTOR 0.5
/* With more arcs a vertex the border is nearly everything: one part, without a look. */
#define DEGREE_MOST 32.0
/* A border of this share of all vertices leaves nothing to gain: one part. */
#define BORDER_MOST 0.75
#define THREADS 256u

/* ---- places ------------------------------------------------------------------------------------------------------ */

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
        const uint32_t side = (uint32_t)whole(p->size[i], x->part.tile), wide = (uint32_t)whole(p->border_of[i], SLOT);
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
    turn_finish(x->run, &x->single);
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
    const unsigned slices = device_grid(x->cells / parts, threads, 8),
                   across = device_grid(x->pitch * x->pitch, threads, 8);
    NF_TRY_CUDA(d, SIMT_LAUNCH(blank_places<Cell>, parts * slices, threads, 0, d->stream, s.places, slices, s.none,
                               s.inside));
    if (x->pitch != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH(blank_places<Cell>, across, threads, 0, d->stream, s.places + parts, across, s.none,
                                   s.across));
    if (g->out.m != 0)
        NF_TRY_CUDA(d, SIMT_LAUNCH((place_arcs<Cell, Bits>), device_grid(g->out.m, threads, 1), threads, 0, d->stream,
                                   s, g->out, g->sources, g->weight_type));
done:
    return st;
}

/* A matrix of `n` vertices, closed. */
static nf_status close_matrix(separator *x, const minplus *shape, void *cells, uint64_t side, uint32_t n, int ahead)
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
            NF_TRY(
                close_matrix(x, &x->part, static_cast<char *>(x->inside) + p->cells * width, p->side, p->n, AHEAD_OFF));
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
        NF_TRY(close_matrix(x, &x->border, x->across, x->pitch, x->p.border, AHEAD_AUTO));
    }
    NF_TRY(device_finish(d, "border", 0));
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
    nf_status st = NF_OK;
    switch (x->cell) {
    case NF_I32: NF_TRY((solve<int32_t, uint32_t>(x))); break;
    case NF_I64: NF_TRY((solve<int64_t, uint64_t>(x))); break;
    case NF_F32: NF_TRY((solve<float, uint32_t>(x))); break;
    default: NF_TRY((solve<double, uint64_t>(x))); break;
    }
    NF_TRY(separator_rows(x, at, wider));
done:
    return st;
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
    x.cell = dense_cell(run); /* B2 */
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
