/* apsp_blocked_floyd_warshall.cu - all pairs by Floyd-Warshall in blocks (`blocked-floyd-warshall`, catalogue A2).
 *
 * Method: Venkataraman, Sahni, Mukhopadhyaya 2003; on GPUs Katz and Kider 2008 (shared memory), Lund and Smith 2010
 * (registers). For every block of `deep` vertices: close its square; let its rows and columns follow; fold their
 * product into all the rest. Blocks are one pivot, closed in one thread block, with strips in place, or several pivots,
 * closed by Kleene's recursion (kleene.cu). The next block is worked on beside the product (ahead=on), on a second
 * stream of higher priority: the tiles in its rows and columns first, then its square and strips.
 * Beyond (ahead=halves), so that no round ends with a device that is half empty: the rest is two products, of the upper
 * rows and of the lower, each on a stream of its own: while the last tiles of one half are folded, those of the other's
 * next round are begun.
 * Symmetric matrices (symmetric=auto: undirected graphs, and others that turn out to be): tiles below the diagonal are
 * left out. The rows of a block are made whole from the columns above them before its square is closed, follow it, and
 * are its columns then (minplus_mirror.cu); all that lies below the diagonal is mirrored in the end. Half the steps.
 * Invariants
 *   F1 after block b, d[i][j] is the least length of a path i -> j whose inner vertices are in blocks 0 .. b;
 *   F2 of what the second stream writes, rows and columns of block b + 1, the rest of the product of b reads and writes
 *      nothing: its tiles lie in other rows and columns, and so do its operands;
 *   F3 halves, and floats whose operands are packed (minplus_pack.cu), read copies of a block's rows and columns, made
 *      when these are done: one half of round b + 1 writes over them while the other's round b still reads. There are
 *      two copies in turn: that of b + 1 is made after the tiles of the cross of b, and so after both halves of b - 1,
 *      which read the same;
 *   F4 a symmetric matrix: ways and their ways back are of one length, so F1 holds of the cells above the diagonal by
 *      themselves, S2 of minplus_mirror.cu of the others. F2 and F3 hold of what is mirrored: it lies in rows and
 *      columns of the next block;
 *   F5 where blocks are one pivot and whole tiles, the next square follows the block and is closed on a third stream,
 *      beside the tiles of the next block's rows and columns: these read and write nothing of it. It waits for what the
 *      second stream waits for, and that one for it before rows and columns follow;
 *   M1 to M6 of minplus.cuh, L1 to L4 of minplus_lazy.cuh, D1 to D5 of dense.cu.
 * Cost: n^3 steps, and 3 n^2 deep more, half of both where the matrix is symmetric; memory as DENSE_MEMORY says; where
 * deep is above the pivot, (n + deep) deep cells (and parents) more; in halves, and packed, 4 n deep cells (and 2 n
 * deep parents) more.
 */
#include "gpu/kleene.h"

namespace SIMT_FLAVOUR
{

/* From so many tiles a multiprocessor on, halves; a tile with parents counts twice, one of 64 bits three times. With
 * fewer the next block waits too long for room between their tiles. H200, ms of halves and of one product (tiles
 * counted so): n = 4,096 f32 5.7 of 5.3 (8), with parents 10.2 of 11.2 (31), f64 18.1 of 19.1 (47), with parents 28.8
 * of 32.6 (47); 8,192 i16 20.3 of 19.8 (16), f32 35.6 of 36.3 (31). */
#define HALVES_TILES 24u
#define COPIES 2 /* F3 */

/* The streams beside the device's own, and what they wait for. */
typedef struct lookahead {
    cudaStream_t stream; /* of the next block */
    cudaStream_t square; /* of its square, where that is closed beside the tiles of its rows and columns; or NULL */
    cudaStream_t lower;  /* of the lower half; NULL: the rest is one product */
    cudaEvent_t folded, folded_lower, ready, squared, closed;
    minplus_strips strips[COPIES]; /* of blocks in turn; or NULL */
    kleene k;                      /* where blocks are several pivots */
} lookahead;

/* past: minplus_closes_past. */
static nf_status open_lookahead(device *d, bool past, lookahead *l)
{
    nf_status st = NF_OK;
    int least = 0, greatest = 0;
    NF_TRY_CUDA(d, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    NF_TRY_CUDA(d, cudaStreamCreateWithPriority(&l->stream, cudaStreamNonBlocking, greatest));
    if (past) {
        NF_TRY_CUDA(d, cudaStreamCreateWithPriority(&l->square, cudaStreamNonBlocking, greatest));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->ready, cudaEventDisableTiming));
        NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->squared, cudaEventDisableTiming));
    }
    NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->folded, cudaEventDisableTiming));
    NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->closed, cudaEventDisableTiming));
done:
    return st;
}

/* Bytes of the copies. */
static uint64_t strips_bytes(const minplus *x)
{
    return COPIES * x->m.rows * x->deep * (2 * minplus_width(x) + (x->follow ? sizeof(uint32_t) : 0));
}

static nf_status open_strips(dense *s, lookahead *l)
{
    nf_status st = NF_OK;
    const uint64_t cells = s->x.m.rows * s->x.deep;
    NF_TRY(device_foresee(s->d, strips_bytes(&s->x), "copies of rows and columns"));
    for (int i = 0; i < COPIES; i++) {
        l->strips[i].packed = minplus_packs(&s->x);
        NF_TRY(device_alloc(s->d, cells * minplus_width(&s->x), &l->strips[i].rows));
        NF_TRY(device_alloc(s->d, cells * minplus_width(&s->x), &l->strips[i].cols));
        if (s->x.follow)
            NF_TRY(device_alloc(s->d, cells, &l->strips[i].parents));
    }
done:
    return st;
}

static nf_status open_halves(dense *s, lookahead *l)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(s->d, cudaEventCreateWithFlags(&l->folded_lower, cudaEventDisableTiming));
    NF_TRY_CUDA(s->d, cudaStreamCreateWithFlags(&l->lower, cudaStreamNonBlocking));
done:
    return st;
}

static void close_stream(cudaStream_t stream)
{
    if (stream != NULL) {
        (void)cudaStreamSynchronize(stream);
        (void)cudaStreamDestroy(stream);
    }
}

static void close_lookahead(device *d, lookahead *l)
{
    cudaEvent_t const events[] = {l->folded, l->folded_lower, l->ready, l->squared, l->closed};
    close_stream(l->square);
    close_stream(l->stream);
    close_stream(l->lower);
    for (int i = 0; i < 5; i++)
        if (events[i] != NULL)
            (void)cudaEventDestroy(events[i]);
    for (int i = 0; i < COPIES; i++) {
        device_free(d, l->strips[i].rows);
        device_free(d, l->strips[i].cols);
        device_free(d, l->strips[i].parents);
    }
}

/* The copies that the product of a block reads; NULL: none, the matrix itself. */
static const minplus_strips *strips_of(const dense *s, const lookahead *l, unsigned at)
{
    const minplus_strips *const strips = &l->strips[at / s->x.deep % COPIES];
    return strips->rows != NULL ? strips : NULL;
}

/* The block's square, unless it is closed elsewhere, and its rows and columns. */
static nf_status prepare(dense *s, lookahead *l, unsigned at, bool closed, cudaStream_t stream)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    const unsigned end = at + minplus_span(x, at);
    if (x->symmetric)
        NF_TRY(minplus_mirror_rows(x, at, end, !closed, stream));
    if (closed)
        NF_TRY_CUDA(s->d, cudaStreamWaitEvent(stream, l->squared, 0));
    if (x->deep == x->pivot) {
        if (!closed)
            NF_TRY(minplus_close(x, at, NULL, stream));
        NF_TRY(minplus_panels(x, at, stream));
    } else {
        l->k.stream = stream;
        NF_TRY(kleene_close(&l->k, at, end));
        NF_TRY(kleene_strips(&l->k, at));
    }
    if (x->symmetric)
        NF_TRY(minplus_mirror_cols(x, at, end, stream));
    if (strips_of(s, l, at) != NULL)
        NF_TRY(minplus_copy_strips(x, at, strips_of(s, l, at), stream));
done:
    return st;
}

/* What comes next on `to` waits for all that is on `from` now. */
static nf_status follow(device *d, cudaStream_t to, cudaEvent_t event, cudaStream_t from)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(d, cudaEventRecord(event, from));
    NF_TRY_CUDA(d, cudaStreamWaitEvent(to, event, 0));
done:
    return st;
}

/* The square of the next block follows the one at `at` and is closed (F5). The rest of the product begins a moment
 * later: its tiles would take all places, and the square, which wants a multiprocessor, would wait for the last. */
static nf_status close_ahead(dense *s, lookahead *l, unsigned at, unsigned next)
{
    nf_status st = NF_OK;
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->square, l->folded, 0));
    if (l->lower != NULL)
        NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->square, l->folded_lower, 0));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->ready, l->square));
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(s->d->stream, l->ready, 0));
    if (l->lower != NULL)
        NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->lower, l->ready, 0));
    NF_TRY(minplus_close(&s->x, next, &at, l->square));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->squared, l->square));
done:
    return st;
}

/* All that passes the block `at`; the next one is prepared meanwhile. */
static nf_status pass_ahead(dense *s, lookahead *l, unsigned at)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    const unsigned next = at + x->deep;
    const int half = l->lower != NULL ? HALF_UPPER : HALF_BOTH;
    const minplus_strips *const from = strips_of(s, l, at);
    const bool past = l->square != NULL;
    NF_TRY(follow(s->d, l->stream, l->folded, s->d->stream));
    if (l->lower != NULL)
        NF_TRY(follow(s->d, l->stream, l->folded_lower, l->lower));
    if (past)
        NF_TRY(close_ahead(s, l, at, next));
    NF_TRY(minplus_pass(x, at, FOLD_CROSS, next, HALF_BOTH, past, from, l->stream));
    NF_TRY(prepare(s, l, next, past, l->stream));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->closed, l->stream));
    NF_TRY(minplus_pass(x, at, FOLD_REST, next, half, false, from, s->d->stream)); /* F2 */
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(s->d->stream, l->closed, 0));
    if (l->lower != NULL) {
        NF_TRY(minplus_pass(x, at, FOLD_REST, next, HALF_LOWER, false, from, l->lower));
        NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->lower, l->closed, 0));
    }
done:
    return st;
}

/* Is the rest to be two products? Where sums are left out it is not: their flags are read and written in place. */
static bool in_halves(const dense *s, int ahead)
{
    const minplus *x = &s->x;
    const uint64_t slow = (minplus_width(x) == 8 ? 3 : 1) * (x->follow ? 2 : 1);
    if (x->lazy != LAZY_NONE || (ahead != AHEAD_HALVES && ahead != AHEAD_AUTO))
        return false;
    return ahead == AHEAD_HALVES
           || (minplus_tiles(x) / (x->symmetric ? 2 : 1) * slow >= HALVES_TILES * (uint64_t)s->d->multiprocessors
               && device_foresee(s->d, strips_bytes(x), "copies of rows and columns") == NF_OK);
}

nf_status dense_by_blocks(dense *s, int ahead)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    lookahead l = {};
    const bool packed =
        minplus_packs(x) && device_foresee(s->d, strips_bytes(x), "copies of rows and columns") == NF_OK;
    if (ahead != AHEAD_OFF)
        NF_TRY(open_lookahead(s->d, minplus_closes_past(x), &l));
    if (x->deep > x->pivot)
        NF_TRY(kleene_open(s, x->deep * x->m.pitch, true, &l.k));
    if (in_halves(s, ahead) || packed)
        NF_TRY(open_strips(s, &l));
    if (in_halves(s, ahead))
        NF_TRY(open_halves(s, &l));
    NF_TRY(prepare(s, &l, 0, false, s->d->stream));
    if (l.lower != NULL)
        NF_TRY(follow(s->d, l.lower, l.closed, s->d->stream));
    for (unsigned at = 0; at < s->n; at += x->deep) { /* no walk passes the padding */
        const bool last = at + x->deep >= s->n;
        if (last && l.lower != NULL)
            NF_TRY(follow(s->d, s->d->stream, l.folded_lower, l.lower));
        if (ahead != AHEAD_OFF && !last)
            NF_TRY(pass_ahead(s, &l, at));
        else
            NF_TRY(minplus_pass(x, at, FOLD_ALL, at, HALF_BOTH, false, strips_of(s, &l, at), s->d->stream));
        if (ahead == AHEAD_OFF && !last)
            NF_TRY(prepare(s, &l, at + x->deep, false, s->d->stream));
        NF_TRY(dense_mark(s, at, s->n));
        s->iterations++;
    }
    if (x->symmetric)
        NF_TRY(minplus_mirror_rows(x, 0, (unsigned)x->m.rows, true, s->d->stream));
done:
    close_lookahead(s->d, &l);
    kleene_free(&l.k);
    return st;
}

/* Of a graph that does not say whether it is symmetric: is it? */
static nf_status find_symmetry(dense *s)
{
    const bool may = s->x.lazy == LAZY_NONE && dense_may_halve(s->run);
    return s->x.symmetric || !may ? NF_OK : minplus_is_symmetric(&s->x, &s->x.symmetric);
}

static nf_status solve(dense *s)
{
    nf_status st = NF_OK;
    const unsigned pivots = (unsigned)nf__knob_number(s->run, "pivots");
    const char *ahead = nf__knob_choice(s->run, "ahead");
    s->x.deep = pivots != 0 ? pivots * s->x.pivot : s->x.deep;
    NF_TRY(find_symmetry(s));
    NF_TRY(dense_by_blocks(s, strcmp(ahead, "off") == 0      ? AHEAD_OFF
                              : strcmp(ahead, "on") == 0     ? AHEAD_ON
                              : strcmp(ahead, "halves") == 0 ? AHEAD_HALVES
                                                             : AHEAD_AUTO));
done:
    return st;
}

static nf_status run_blocked(nf__run *run, nf__row *none)
{
    (void)none;
    return dense_run(run, solve, dense_form(run), true, "blocked-floyd-warshall");
}

static const nf_knob_info knobs[] = {
    DENSE_TILE_KNOB,
    DENSE_LAZY_KNOB,
    DENSE_CELLS_KNOB,
    {"pivots", "of a block; 0: by the number of vertices", NF_KNOB_INT, "0", 0, 8, NULL},
    {"ahead",
     "work on the next block beside the product; halves: which is two, and rounds overlap (auto: large matrices)",
     NF_KNOB_CHOICE, "auto", 0, 0, "auto halves on off"},
    DENSE_SYMMETRIC_KNOB,
};

#define BLOCKS_MEMORY                                                                                             \
    "; from n = 6,144 on 256 n cells more, with parents, and f32 from 12,288 on, 512 n and as many parents; in "  \
    "halves, and for f32 from n = 1,537 on, where there is room, 4 n cells and 2 n parents more for each vertex " \
    "passed at once"

extern const nf__algorithm apsp_blocked_floyd_warshall = {
    .info = {.name = "blocked-floyd-warshall",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Floyd-Warshall in blocks, tiles in registers, the next block beside the product",
             .paper = "Venkataraman, Sahni, Mukhopadhyaya 2003; Katz, Kider 2008; Lund, Smith 2010",
             .memory = DENSE_MEMORY BLOCKS_MEMORY,
             .flags = DENSE_FLAGS,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = NULL,
    .end = NULL,
    .run = run_blocked,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
