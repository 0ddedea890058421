/* sssp_relay.cu - what `auto` runs where the first rounds tell more than statistics: a method that has patience for so
 * many rounds, and another from the row on that it has not ended by then. Neither pair is listed.
 *
 *   edge first  small graphs with hubs: `bellman-ford-edge`, which has few rounds there, and else `near-far`;
 *   near first  few vertices with long lists: `near-far`, and where rounds settle few vertices (workfront.cuh, W4)
 *               `one-block`, or, where that has no room, `dijkstra-phases` in one cluster. Rounds over long lists are
 *               the whole grid's and take some 13 us, however few they settle. A chain among heavy arcs has the
 *               statistics of a graph at random.
 * Invariants
 *   E1 each method has its own scratch (turn.h);
 *   E2 a row that was left unfinished is made again from its beginning.
 * Cost: the rounds of the first method's patience, once for a run at most, beside the method that ends its rows; memory
 * that of the one at work.
 */
#include "gpu/sweeps.cuh"
#include "gpu/turn.h"
#include "gpu/workfront.cuh"

namespace SIMT_FLAVOUR
{

/* Two methods, and what they ask of the first one's scratch. */
typedef struct relay {
    const nf__algorithm *first, *then;
    unsigned patience; /* rounds */
    void (*wait)(void *scratch, unsigned patience);
    bool (*is_tired)(const void *scratch, char *why, size_t room); /* of the row it has just been given */
} relay;

typedef struct runners {
    const relay *how;
    guest first, then; /* E1 */
    bool handed_over;
} runners;

/* ---- what the first method has seen ------------------------------------------------------------------------------ */

static void wait_for_sweeps(void *scratch, unsigned patience)
{
    static_cast<sweeps *>(scratch)->patience = patience;
}

static bool are_sweeps_tired(const void *scratch, char *why, size_t room)
{
    const sweeps *w = static_cast<const sweeps *>(scratch);
    snprintf(why, room, "labels still fall after %u rounds of all arcs: what is near first", w->patience);
    return w->tired;
}

static void wait_for_front(void *scratch, unsigned patience)
{
    static_cast<workfront *>(scratch)->patience = patience;
}

static bool is_front_tired(const void *scratch, char *why, size_t room)
{
    const workfront *s = static_cast<const workfront *>(scratch);
    snprintf(why, room, "%u vertices settled by %u rounds: one block or cluster", s->settled, s->patience);
    return s->tired;
}

/* Twice the rounds that graphs with hubs were seen to take. */
static const relay edge_first = {&sssp_bellman_ford_edge, &sssp_near_far, 48, wait_for_sweeps, are_sweeps_tired};
/* Graphs at random end within 100 rounds. */
static const relay near_first = {&sssp_near_far_tuned, &sssp_dijkstra_phases, 192, wait_for_front, is_front_tired};
static const relay near_then_one = {&sssp_near_far_tuned, &sssp_one_block, 192, wait_for_front, is_front_tired};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    runners *r = NULL;
    NF_TRY_ALLOC(r, (runners *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *r));
    r->how = run->algorithm == &sssp_edge_first ? &edge_first : one_block_has_room(run) ? &near_then_one : &near_first;
    run->scratch = r;
    NF_TRY(turn_begin(run, &r->first, r->how->first));
    r->how->wait(r->first.scratch, r->how->patience);
done:
    return st;
}

static nf_status hand_over(nf__run *run, runners *r, const char *why)
{
    nf_status st = NF_OK;
    r->handed_over = true;
    NF_TRY(device_read_clock(run)); /* what was spent counts */
    nf__log(run->ctx, NF_LOG_DEBUG, "sssp: %s", why);
    turn_finish(run, &r->first);
    NF_TRY(turn_begin(run, &r->then, r->how->then));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    runners *r = (runners *)run->scratch;
    char why[100];
    if (!r->handed_over) {
        NF_TRY(turn_row(run, &r->first, row));
        if (!r->how->is_tired(r->first.scratch, why, sizeof why))
            return NF_OK;
        NF_TRY(hand_over(run, r, why));
    }
    NF_TRY(turn_row(run, &r->then, row)); /* E2 */
done:
    return st;
}

static void end(nf__run *run)
{
    runners *r = (runners *)run->scratch;
    if (r == NULL)
        return;
    turn_finish(run, &r->first);
    turn_finish(run, &r->then);
    nf__free(r);
    run->scratch = NULL;
}

#define RELAY(called, words, who, takes)                                              \
    {                                                                                 \
        .info = {.name = called,                                                      \
                 .problem = NF_SSSP,                                                  \
                 .device = NF_DEVICE_NAME,                                            \
                 .summary = words,                                                    \
                 .paper = who,                                                        \
                 .memory = takes,                                                     \
                 .flags = 0,                                                          \
                 .knobs = NULL,                                                       \
                 .knob_count = 0},                                                    \
        .begin = begin, .end = end, .run = run_row, .all_rows = false, .choose = NULL \
    }

extern const nf__algorithm sssp_edge_first =
    RELAY("bellman-ford-edge", "every arc in every round while that ends soon, what is near first else", "An",
          "that of bellman-ford-edge, or of near-far where it comes to that");
extern const nf__algorithm sssp_near_first =
    RELAY("near-far",
          "two piles split at a moving distance while rounds settle many vertices, one block or cluster else",
          "Davidson, Baxter, Garland, Owens 2014; Meyer, Sanders 2003; Crauser, Mehlhorn, Meyer, Sanders 1998",
          "that of near-far, or of one-block or dijkstra-phases where it comes to that");

} /* namespace SIMT_FLAVOUR */
