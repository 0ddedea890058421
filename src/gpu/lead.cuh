/* lead.cuh - what rounds of every scope have in common: plan, barriers, and the work of the one thread that leads.
 *
 * The leader adds up in the shared memory of its block, the first, which takes part in every round; global memory sees
 * the sums when the launch ends. So it waits for no more than the others do.
 */
#ifndef NF_GPU_LEAD_CUH
#define NF_GPU_LEAD_CUH

#include "gpu/expand.cuh"
#include "gpu/runtime.h"

namespace SIMT_FLAVOUR
{

#define LISTEN_NS 2000000ull /* a look over the bus takes about 2 us: a thousandth of this */

typedef enum scope_kind { SCOPE_AUTO = 0, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_GRID, SCOPE_HOST } scope_kind;

/* What stays the same over the rounds of a run. */
typedef struct plan {
    tuning t;
    int scope;           /* SCOPE_AUTO, or the only one to use */
    unsigned cluster;    /* blocks in one, 1: none */
    word64 block_arcs;   /* up to so many arcs a frontier is a block's, */
    word64 cluster_arcs; /* a cluster's */
    unsigned rounds;     /* at most */
    word64 most_arcs;    /* a frontier of more pauses the loop, unless a ceiling has been chosen for it; 0: none does */
    word64 most_in_all;  /* steps that are capped: arcs after which it pauses as well; 0: never */
    bool resumes;        /* where the launch before it ended: that is in the state */
    unsigned phase;      /* of the pile, when the loop begins */
    unsigned hops;       /* rounds out of step: between meetings of the grid (loose.cuh) */
    const uint32_t *targets; /* stop when all are reached; or NULL */
    unsigned target_count;
    control *shared; /* host memory; NULL: nobody listens */
    trace *ring;
    unsigned ring_size;
} plan;

/* Where the loop is, the same in all threads that work. */
typedef struct place {
    unsigned round, naps;
    int front;
    unsigned phase;  /* of the pile (far.cuh); mod 6 after a nap */
    unsigned visits; /* to rounds of the whole grid in shared memory (near.cuh) */
} place;

static __device__ __forceinline__ void meet(int scope)
{
    if (scope == SCOPE_BLOCK)
        __syncthreads();
    else if (scope == SCOPE_CLUSTER)
        simt_cluster_sync();
    else
        simt_grid_sync();
}

/* A cut of lists costs a barrier and some trips to memory, as long as so many arcs take that are read and passed
 * over. */
#define CUT_ARCS (1u << 16)

/* C4 of ceiling.cuh. */
static __host__ __device__ __forceinline__ bool is_to_be_cut(const view &w)
{
    return w.bound != NO_CEILING && (w.cut & CUT_DONE) == 0 && w.arcs > CUT_ARCS;
}

/* Who works on a frontier, when `now` did on the one before: what is narrower is not taken before it is half full. */
static __device__ __forceinline__ int choose_scope(const plan &pl, const view &w, int now)
{
    if (pl.scope != SCOPE_AUTO)
        return pl.scope;
    if (w.arcs <= (now > SCOPE_BLOCK ? pl.block_arcs / 2 : pl.block_arcs))
        return SCOPE_BLOCK;
    return pl.cluster > 1 && w.arcs <= (now > SCOPE_CLUSTER ? pl.cluster_arcs / 2 : pl.cluster_arcs) ? SCOPE_CLUSTER
                                                                                                     : SCOPE_GRID;
}

static __device__ __forceinline__ bool is_leader(part p)
{
    return p.rank == 0 && threadIdx.x == blockDim.x - 32; /* of the warp that is last to get work */
}

/* The ledger is the leader's alone: from global memory when a launch begins, and back when it ends. */
static __device__ __forceinline__ void open_ledger(const state *st, ledger *l)
{
    const ledger now = {st->arcs,     st->again, st->sinks,  st->tested, st->conflicts, st->missed,
                        st->children, st->heard, st->spills, st->target, st->most_work, st->least_work};
    *l = now;
}

static __device__ __forceinline__ void close_ledger(state *st, const ledger *l)
{
    st->arcs = l->arcs + simt_load_relaxed(&st->loose_arcs);
    st->again = l->again + simt_load_relaxed(&st->loose_again);
    st->sinks = l->sinks + simt_load_relaxed(&st->loose_sinks);
    st->loose_arcs = st->loose_again = st->loose_sinks = 0;
    st->tested = l->tested;
    st->conflicts = l->conflicts;
    st->missed = l->missed;
    st->children = l->children;
    st->heard = l->heard;
    st->spills = l->spills;
    st->target = l->target;
    st->most_work = l->most_work;
    st->least_work = l->least_work;
}

/* Cancel word and progress (P3). */
static __device__ __forceinline__ unsigned listen(const plan &pl, ledger *l, unsigned round)
{
    const word64 now = pl.shared != NULL ? simt_clock() : 0;
    if (pl.shared == NULL || now - l->heard < LISTEN_NS)
        return 0;
    l->heard = now;
    simt_store_relaxed(&pl.shared->progress, (uint64_t)round);
    return simt_load_relaxed(&pl.shared->cancel) != 0 ? STOP_CANCEL : 0;
}

/* Is this the last round, and why: limit, targets, and, where `listens`, the host. */
template <class F, class Space>
static __device__ __forceinline__ unsigned end_of(const F &f, const plan &pl, Space *ws, unsigned round, bool listens)
{
    unsigned stop = round + 1 >= pl.rounds ? STOP_LIMIT : 0, target = ws->sum.target;
    if (pl.target_count != 0) {
        while (target < pl.target_count && is_reached(f, pl.targets[target]))
            target++;
        ws->sum.target = target;
        stop |= target == pl.target_count ? STOP_TARGETS : 0;
    }
    return listens ? stop | listen(pl, &ws->sum, round) : stop;
}

} /* namespace SIMT_FLAVOUR */

#endif
