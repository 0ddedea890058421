/* sssp_edge_first.cu - what `auto` runs on small graphs with hubs: `bellman-ford-edge`, and `near-far` from the row on
 * that has not ended after PATIENCE rounds. Not listed.
 *
 * Invariants
 *   E1 each method has its own scratch (turn.h);
 *   E2 a row that was left unfinished is made again from its beginning.
 * Cost: PATIENCE (n + m) of `bellman-ford-edge` for a run at most, beside the method that ends its rows; memory that of
 * the one at work.
 */
#include "gpu/sssp.cuh"
#include "gpu/sweeps.cuh"
#include "gpu/turn.h"

namespace SIMT_FLAVOUR
{

#define PATIENCE 48u /* rounds: twice what graphs with hubs were seen to take */

typedef struct pair {
    guest edge, near; /* E1 */
    bool tired;
} pair;

static sweeps *sweeps_of(const pair *p)
{
    return static_cast<sweeps *>(p->edge.scratch);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    pair *p = NULL;
    NF_TRY_ALLOC(p, (pair *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *p));
    run->scratch = p;
    NF_TRY(turn_begin(run, &p->edge, &sssp_bellman_ford_edge));
    sweeps_of(p)->patience = PATIENCE;
done:
    return st;
}

/* E2 */
static nf_status give_up(nf__run *run, pair *p)
{
    nf_status st = NF_OK;
    p->tired = true;
    NF_TRY(device_read_clock(run)); /* what was spent counts */
    turn_finish(run, &p->edge);
    nf__log(run->ctx, NF_LOG_DEBUG, "sssp: labels still fall after %u rounds of all arcs: what is near first",
            PATIENCE);
    NF_TRY(turn_begin(run, &p->near, &sssp_near_far));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    pair *p = (pair *)run->scratch;
    if (!p->tired) {
        NF_TRY(turn_row(run, &p->edge, row));
        if (!sweeps_of(p)->tired)
            return NF_OK;
        NF_TRY(give_up(run, p));
    }
    NF_TRY(turn_row(run, &p->near, row));
done:
    return st;
}

static void end(nf__run *run)
{
    pair *p = (pair *)run->scratch;
    if (p == NULL)
        return;
    turn_finish(run, &p->edge);
    turn_finish(run, &p->near);
    nf__free(p);
    run->scratch = NULL;
}

extern const nf__algorithm sssp_edge_first = {
    .info = {.name = "bellman-ford-edge",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "every arc in every round while that ends soon, what is near first else",
             .paper = "An",
             .memory = "that of bellman-ford-edge, or of near-far where it comes to that",
             .flags = 0,
             .knobs = NULL,
             .knob_count = 0},
    .begin = begin,
    .end = end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
