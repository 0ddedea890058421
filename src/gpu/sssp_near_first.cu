/* sssp_near_first.cu - what `auto` runs on small graphs of long lists: `near-far`, and `dijkstra-phases` from the row
 * on in which rounds settle few vertices. Not listed.
 *
 * Rounds over long lists are the whole grid's and take some 13 us, however few vertices they settle; a phase of one
 * cluster takes 3.6 and settles one at least. Which of the two a graph needs is not seen in its statistics: a chain
 * among heavy arcs has those of a graph at random. So the first rounds tell (workfront.cuh, W4).
 * Invariants
 *   E1 each method has its own scratch (turn.h);
 *   E2 a row that was left unfinished is made again from its beginning.
 * Cost: PATIENCE rounds of `near-far` for a run at most, beside the method that ends its rows; memory that of the one
 * at work.
 */
#include "gpu/step_far.cuh"
#include "gpu/turn.h"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

#define PATIENCE 192u /* rounds: graphs at random end within 100 */

typedef struct pair {
    guest near, phases; /* E1 */
    bool tired;
} pair;

static workfront *front_of(const pair *p)
{
    return static_cast<workfront *>(p->near.scratch);
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    pair *p = NULL;
    NF_TRY_ALLOC(p, (pair *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *p));
    run->scratch = p;
    NF_TRY(turn_begin(run, &p->near, &sssp_near_far_tuned));
    front_of(p)->patience = PATIENCE;
done:
    return st;
}

/* E2 */
static nf_status give_up(nf__run *run, pair *p)
{
    nf_status st = NF_OK;
    p->tired = true;
    NF_TRY(device_read_clock(run)); /* what was spent counts */
    nf__log(run->ctx, NF_LOG_DEBUG, "sssp: %u vertices settled by %u rounds: the least label first",
            front_of(p)->settled, PATIENCE);
    turn_finish(run, &p->near);
    NF_TRY(turn_begin(run, &p->phases, &sssp_dijkstra_phases));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    pair *p = (pair *)run->scratch;
    if (!p->tired) {
        NF_TRY(turn_row(run, &p->near, row));
        if (!front_of(p)->tired)
            return NF_OK;
        NF_TRY(give_up(run, p));
    }
    NF_TRY(turn_row(run, &p->phases, row));
done:
    return st;
}

static void end(nf__run *run)
{
    pair *p = (pair *)run->scratch;
    if (p == NULL)
        return;
    turn_finish(run, &p->near);
    turn_finish(run, &p->phases);
    nf__free(p);
    run->scratch = NULL;
}

extern const nf__algorithm sssp_near_first = {
    .info = {.name = "near-far",
             .problem = NF_SSSP,
             .device = NF_DEVICE_NAME,
             .summary = "two piles split at a moving distance while rounds settle many vertices, one cluster else",
             .paper = "Davidson, Baxter, Garland, Owens 2014; Crauser, Mehlhorn, Meyer, Sanders 1998",
             .memory = "that of near-far, or of dijkstra-phases where it comes to that",
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
