/* apsp_blocked_floyd_warshall.cu - all pairs by Floyd-Warshall in blocks (`blocked-floyd-warshall`, catalogue A2).
 *
 * Method: Venkataraman, Sahni, Mukhopadhyaya 2003; on GPUs Katz and Kider 2008 (shared memory), Lund and Smith 2010
 * (registers). For every block of `deep` vertices: close its square; let its rows and columns follow; fold their
 * product into all the rest. Blocks are one pivot, closed in one thread block, with strips in place, or several pivots,
 * closed by Kleene's recursion (kleene.cu). The next block is worked on beside the product (ahead=on), on a second
 * stream of higher priority: the tiles in its rows and columns first, then its square and strips.
 * Invariants
 *   F1 after block b, d[i][j] is the least length of a path i -> j whose inner vertices are in blocks 0 .. b;
 *   F2 of what the second stream writes, rows and columns of block b + 1, the rest of the product of b reads and writes
 *      nothing: its tiles lie in other rows and columns, and so do its operands;
 *   M1 to M4 of minplus.cuh, L1 to L4 of minplus_lazy.cuh, D1 to D5 of dense.cu.
 * Cost: n^3 steps, and 3 n^2 deep more; memory as DENSE_MEMORY says; where deep is above the pivot, (n + deep) deep
 * cells (and parents) more.
 */
#include "gpu/kleene.h"

namespace SIMT_FLAVOUR
{

/* The second stream, and what each waits for. */
typedef struct lookahead {
    cudaStream_t stream;
    cudaEvent_t folded, closed;
    kleene k; /* where blocks are several pivots */
} lookahead;

static nf_status open_lookahead(device *d, lookahead *l)
{
    nf_status st = NF_OK;
    int least = 0, greatest = 0;
    NF_TRY_CUDA(d, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    NF_TRY_CUDA(d, cudaStreamCreateWithPriority(&l->stream, cudaStreamNonBlocking, greatest));
    NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->folded, cudaEventDisableTiming));
    NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->closed, cudaEventDisableTiming));
done:
    return st;
}

static void close_lookahead(lookahead *l)
{
    if (l->stream != NULL) {
        (void)cudaStreamSynchronize(l->stream);
        (void)cudaStreamDestroy(l->stream);
    }
    if (l->folded != NULL)
        (void)cudaEventDestroy(l->folded);
    if (l->closed != NULL)
        (void)cudaEventDestroy(l->closed);
}

/* The block's square, and its rows and columns. */
static nf_status prepare(dense *s, lookahead *l, unsigned at, cudaStream_t stream)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    if (x->deep == x->pivot) {
        NF_TRY(minplus_close(x, at, stream));
        NF_TRY(minplus_panels(x, at, stream));
        return NF_OK;
    }
    l->k.stream = stream;
    NF_TRY(kleene_close(&l->k, at, at + minplus_span(x, at)));
    NF_TRY(kleene_strips(&l->k, at));
done:
    return st;
}

/* All that passes the block `at`; the next one is prepared meanwhile. */
static nf_status pass_ahead(dense *s, lookahead *l, unsigned at)
{
    nf_status st = NF_OK;
    const unsigned next = at + s->x.deep;
    NF_TRY_CUDA(s->d, cudaEventRecord(l->folded, s->d->stream));
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->stream, l->folded, 0));
    NF_TRY(minplus_pass(&s->x, at, FOLD_CROSS, next, l->stream));
    NF_TRY(prepare(s, l, next, l->stream));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->closed, l->stream));
    NF_TRY(minplus_pass(&s->x, at, FOLD_REST, next, s->d->stream)); /* F2 */
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(s->d->stream, l->closed, 0));
done:
    return st;
}

nf_status dense_by_blocks(dense *s, bool ahead)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    lookahead l = {};
    if (ahead)
        NF_TRY(open_lookahead(s->d, &l));
    if (x->deep > x->pivot)
        NF_TRY(kleene_open(s, x->deep * x->m.pitch, true, &l.k));
    NF_TRY(prepare(s, &l, 0, s->d->stream));
    for (unsigned at = 0; at < s->n; at += x->deep) { /* no walk passes the padding */
        const bool last = at + x->deep >= s->n;
        if (ahead && !last)
            NF_TRY(pass_ahead(s, &l, at));
        else
            NF_TRY(minplus_pass(x, at, FOLD_ALL, at, s->d->stream));
        if (!ahead && !last)
            NF_TRY(prepare(s, &l, at + x->deep, s->d->stream));
        NF_TRY(dense_mark(s, at, s->n));
        s->iterations++;
    }
done:
    close_lookahead(&l);
    kleene_free(&l.k);
    return st;
}

static nf_status solve(dense *s)
{
    const unsigned pivots = (unsigned)nf__knob_number(s->run, "pivots");
    s->x.deep = pivots != 0 ? pivots * s->x.pivot : s->x.deep;
    return dense_by_blocks(s, strcmp(nf__knob_choice(s->run, "ahead"), "on") == 0);
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
    {"pivots", "of a block; 0: by the number of vertices", NF_KNOB_INT, "0", 0, 4, NULL},
    {"ahead", "work on the next block beside the product", NF_KNOB_CHOICE, "on", 0, 0, "on off"},
};

extern const nf__algorithm apsp_blocked_floyd_warshall = {
    .info = {.name = "blocked-floyd-warshall",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Floyd-Warshall in blocks, tiles in registers, the next block beside the product",
             .paper = "Venkataraman, Sahni, Mukhopadhyaya 2003; Katz, Kider 2008; Lund, Smith 2010",
             .memory = DENSE_MEMORY "; from n = 6,144 on 256 n cells more, with parents 512 n and as many parents",
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
