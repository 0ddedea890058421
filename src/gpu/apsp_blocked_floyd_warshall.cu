/* apsp_blocked_floyd_warshall.cu - all pairs by Floyd-Warshall in blocks (`blocked-floyd-warshall`, catalogue A2).
 *
 * Method: Venkataraman, Sahni, Mukhopadhyaya 2003; on GPUs Katz and Kider 2008 (shared memory), Lund and Smith 2010
 * (registers). For every pivot of up to 128 vertices: close its square, in one block; let its rows and columns follow,
 * in place; fold their product into all the rest. The square and the strips of the next pivot are worked on beside the
 * product (ahead=on): its tiles in the next pivot's rows and columns are folded first, and a second stream of higher
 * priority goes on from there.
 * Invariants
 *   F1 after pivot b, d[i][j] is the least length of a path i -> j whose inner vertices are in pivots 0 .. b;
 *   F2 of what the second stream writes, rows and columns of pivot b + 1, the rest of the product of b reads and writes
 *      nothing: its tiles lie in other rows and columns, and so do its operands;
 *   M1 to M4 of minplus.cuh, D1 to D4 of dense.cu.
 * Cost: n^3 steps, and 3 n^2 PIVOT more; n / PIVOT rounds of three launches, four with ahead; memory as DENSE_MEMORY
 * says.
 */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

/* The second stream, and what each waits for. */
typedef struct lookahead {
    cudaStream_t stream;
    cudaEvent_t crossed, closed;
} lookahead;

static nf_status open_lookahead(device *d, lookahead *l)
{
    nf_status st = NF_OK;
    int least = 0, greatest = 0;
    NF_TRY_CUDA(d, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    NF_TRY_CUDA(d, cudaStreamCreateWithPriority(&l->stream, cudaStreamNonBlocking, greatest));
    NF_TRY_CUDA(d, cudaEventCreateWithFlags(&l->crossed, cudaEventDisableTiming));
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
    if (l->crossed != NULL)
        (void)cudaEventDestroy(l->crossed);
    if (l->closed != NULL)
        (void)cudaEventDestroy(l->closed);
}

/* The next pivot's tiles first; then its square and strips on the other stream, the rest of the tiles on this one. */
static nf_status pass_ahead(dense *s, lookahead *l, unsigned at)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    const unsigned next = at + x->pivot;
    NF_TRY(minplus_pass(x, at, FOLD_CROSS, next, s->d->stream));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->crossed, s->d->stream));
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(l->stream, l->crossed, 0));
    NF_TRY(minplus_close(x, next, l->stream));
    NF_TRY(minplus_panels(x, next, l->stream));
    NF_TRY_CUDA(s->d, cudaEventRecord(l->closed, l->stream));
    NF_TRY(minplus_pass(x, at, FOLD_REST, next, s->d->stream)); /* F2 */
    NF_TRY_CUDA(s->d, cudaStreamWaitEvent(s->d->stream, l->closed, 0));
done:
    return st;
}

static nf_status solve(dense *s)
{
    nf_status st = NF_OK;
    minplus *x = &s->x;
    const unsigned rounds = (s->n + x->pivot - 1) / x->pivot; /* no walk passes the padding */
    const bool ahead = strcmp(nf__knob_choice(s->run, "ahead"), "on") == 0;
    lookahead l = {};
    if (ahead)
        NF_TRY(open_lookahead(s->d, &l));
    for (unsigned b = 0; b < rounds; b++) {
        const unsigned at = b * x->pivot;
        if (!ahead || b == 0) {
            NF_TRY(minplus_close(x, at, s->d->stream));
            NF_TRY(minplus_panels(x, at, s->d->stream));
        }
        if (ahead && b + 1 < rounds)
            NF_TRY(pass_ahead(s, &l, at));
        else
            NF_TRY(minplus_pass(x, at, FOLD_ALL, 0, s->d->stream));
        NF_TRY(dense_mark(s, b, rounds));
    }
    s->iterations = rounds;
done:
    close_lookahead(&l);
    return st;
}

static nf_status run_blocked(nf__run *run, nf__row *none)
{
    (void)none;
    return dense_run(run, solve, "blocked-floyd-warshall");
}

static const nf_knob_info knobs[] = {
    DENSE_TILE_KNOB,
    {"ahead", "work on the next pivot beside the product", NF_KNOB_CHOICE, "on", 0, 0, "on off"},
};

extern const nf__algorithm apsp_blocked_floyd_warshall = {
    .info = {.name = "blocked-floyd-warshall",
             .problem = NF_APSP,
             .device = NF_DEVICE_NAME,
             .summary = "Floyd-Warshall in blocks, tiles in registers, the next pivot beside the product",
             .paper = "Venkataraman, Sahni, Mukhopadhyaya 2003; Katz, Kider 2008; Lund, Smith 2010",
             .memory = DENSE_MEMORY,
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
