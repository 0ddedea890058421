/* engine.cuh - the frontier engine as algorithms use it: knobs, memory, and the two loops.
 *
 * An algorithm opens an engine for its run, describes its step (step_*.cuh) and calls engine_loop; what happened is
 * then in e->last and, for those who listen, in the log at level debug: a line for every round (size of the frontier,
 * arcs, duplicates, mapping, scope) and one with the totals.
 *
 * Loops
 *   host        one launch a round; the host reads the next frontier's size and launches for it
 *   persistent  one cooperative launch (loop.cuh), of one of three kernels: for every mapping; for those that `auto`
 *               takes, smaller (lean); for roads and meshes, with frontiers in shared memory (deep, near.cuh)
 * dynamic-parallelism needs the host's loop: nobody on the device can wait for a child.
 * Memory on the device: 2 n (4 + 2 offsets) bytes for queues (breadth-first search under an exact policy: half of it),
 * 4 n for table or stamps, n / 8 for a bitmap unless the policy is exact, 128 KB for the trace.
 */
#ifndef NF_GPU_ENGINE_CUH
#define NF_GPU_ENGINE_CUH

#include "gpu/device_graph.h"
#include "gpu/loop.cuh"

namespace SIMT_FLAVOUR
{

/* Where a wider scope pays, by counting: a multiprocessor takes a sector of 32 bytes from L2 in half a clock, an arc
 * needs two or three, so 512 arcs keep it busy for as long as the two barriers that a cluster adds (0.4 us); and 2,048
 * each the blocks of a cluster for as long as the barrier over the grid and the longer way through its queue (2 us).
 * H200: a block and a cluster take as long for 512 arcs, 2.3 us (docs/results/bfs-h200.md). */
enum { CLUSTER_ARCS_EACH = 2048 };

typedef enum loop_kind { LOOP_HOST = 0, LOOP_PERSISTENT } loop_kind;

typedef struct engine {
    nf__run *run;
    device *d;
    device_graph *g;
    device_csr
        parted; /* of steps that are parted: light arcs, then heavy ones (F5 of far.cuh); of those that are capped:
                        * lists by weight (ordered.cu) */
    plan pl;
    int loop, policy;
    bool census, linear; /* linear: Q5 */
    bool plain;          /* the run's method has no knobs of the engine */
    bool bare;           /* there are no queues */
    unsigned block;      /* threads */
    unsigned grid;       /* blocks resident at once */
    int arc_bits;
    void *vertex[2], *scan[2], *shift[2]; /* queues */
    state *st;
    trace *ring;
    uint32_t *bitmap, *table, *sources, *targets;
    uint32_t *far[2]; /* engine_pile */
    uint64_t source_room;
    state last; /* how the latest loop ended */
} engine;

/* The knobs of every frontier method. */
#define ENGINE_KNOB_COUNT 16 /* without `measure`, which only BFS has */
#define BFS_KNOB_COUNT 17
#define FAR_KNOB_COUNT 19  /* `delta`, `hops`, `ceiling`, and the engine's */
#define AUTO_KNOB_COUNT 20 /* `switch`, and near-far's */
extern const nf_knob_info auto_knobs[AUTO_KNOB_COUNT + 1];
#define far_knobs (auto_knobs + 1)
#define engine_knobs (auto_knobs + 4)

/* Knobs that the method does not list have their defaults. */
nf_status engine_open(nf__run *run, engine **out);
/* The same for a method that has none of its knobs: all at their defaults. */
nf_status engine_open_plain(nf__run *run, engine **out);
/* The same without queues, for rounds that have their own (mesh.cuh). */
nf_status engine_open_bare(nf__run *run, engine **out);
void engine_close(engine *e);
/* Room for steps that put vertices off (far.cuh): 8 n bytes. */
nf_status engine_pile(engine *e);
/* Copies the sources of a row to the device. */
nf_status engine_sources(engine *e, const nf_vid *sources, uint64_t count);
/* Tells the log what the latest loop did. */
nf_status engine_report(engine *e, const char *what);
/* Why it ended; STOP_*, 0 when the frontier was empty. */
unsigned engine_stopped(const engine *e);
/* Did it end with vertices still to expand? */
bool engine_unfinished(const engine *e);
const char *mapping_name(int mapping);

/* ---- templates over the width of offsets ------------------------------------------------------------------------- */

static inline const uint32_t *offsets_of(const device_csr &c, const uint32_t *)
{
    return c.off32;
}

static inline const uint64_t *offsets_of(const device_csr &c, const uint64_t *)
{
    return c.off64;
}

/* A graph alone. */
template <class Off> static inline arena<Off> graph_arena(const device_csr &c)
{
    arena<Off> a = {};
    a.off = offsets_of(c, (const Off *)NULL);
    a.adj = c.adj;
    a.arc = c.pairs;
    a.weight64 = c.weight;
    a.most_arcs = c.m;
    a.n = c.n;
    return a;
}

/* The arcs that a step sees. */
template <class F> static inline const device_csr &graph_for(const engine *e)
{
    return is_parted<F>::value || is_capped<F>::value ? e->parted : e->g->out;
}

template <class Off> static inline arena<Off> engine_arena(const engine *e, const device_csr &g, int policy)
{
    arena<Off> a = graph_arena<Off>(g);
    for (int k = 0; k < 2; k++) {
        a.q[k].vertex = (uint32_t *)e->vertex[k];
        a.q[k].scan = (Off *)e->scan[k];
        a.q[k].shift = (Off *)e->shift[k];
    }
    a.st = e->st;
    a.bitmap = e->bitmap;
    a.table = e->table;
    a.far[0] = e->far[0];
    a.far[1] = e->far[1];
    a.arc_bits = e->arc_bits;
    a.policy = policy;
    a.linear = e->linear;
    a.census = e->census;
    return a;
}

/* Defined in frontier_child.cu, which alone may launch from kernels. */
template <class F, class Off>
cudaError_t launch_children(unsigned grid, unsigned block, cudaStream_t stream, const arena<Off> &a, const F &f,
                            const plan &pl, unsigned round, int front);

/* Blocks for a frontier in the host's loop. */
static inline unsigned blocks_for(const engine *e, const view &w)
{
    const unsigned by_arcs = device_grid(w.arcs, e->block, AHEAD), by_vertices = device_grid(w.count, e->block, 1);
    const unsigned by_far = device_grid(w.far, e->block, 1), most = by_arcs > by_vertices ? by_arcs : by_vertices;
    const unsigned wanted = most > by_far ? most : by_far;
    return wanted < e->grid ? wanted : e->grid;
}

/* The frontier of a round, read back. */
template <class Off> static inline nf_status read_slot(engine *e, const arena<Off> &a, unsigned round, slot *s, view *w)
{
    const nf_status st = device_download(e->d, s, &e->st->slots[round % 3], sizeof *s);
    const bool filtered = a.policy == DUP_TABLE || s->kept != 0 || s->spill != NO_SPILL;
    const word64 front = filtered ? s->kept : s->tail;
    w->count = (uint32_t)(front >> a.arc_bits);
    w->arcs = front & ((1ull << a.arc_bits) - 1);
    w->stop = s->stop;
    w->base = s->base;
    w->far = 0;
    w->cut = s->cut;
    w->bound = e->last.ceiling;
    return st;
}

/* Filters duplicates out where the policy or a full queue asks for it. */
template <class Off>
static nf_status settle_from_host(engine *e, const arena<Off> &a, unsigned round, int *front, slot *s, view *w)
{
    nf_status st = NF_OK;
    cudaStream_t stream = e->d->stream;
    const uint32_t raw = (uint32_t)(s->tail >> a.arc_bits);
    if (a.policy >= DUP_ATOMIC64 || (s->spill == NO_SPILL && a.policy != DUP_TABLE)) {
        *front = 1 - *front;
        return NF_OK;
    }
    if (s->spill == NO_SPILL) {
        const view all = {raw, 0, raw, 0, 0, 0, 0, 0, NO_CEILING};
        NF_TRY_CUDA(e->d, SIMT_LAUNCH(filter_kernel<Off>, blocks_for(e, all), e->block, 0, stream, a, round, *front));
    } else {
        NF_TRY_CUDA(e->d, SIMT_LAUNCH(mark_kernel<Off>, e->grid, e->block, 0, stream, a, 1 - *front, s->spill));
        NF_TRY_CUDA(e->d, SIMT_LAUNCH(sweep_kernel<Off>, e->grid, e->block, 0, stream, a, round, *front));
    }
    NF_TRY(read_slot(e, a, round + 1, s, w));
done:
    return st;
}

template <class F, class Off>
static cudaError_t launch_round(const engine *e, unsigned grid, const arena<Off> &a, const F &f, const plan &pl,
                                unsigned round, int front)
{
    if constexpr (F::EVERY_MAPPING) {
        if (pl.t.mapping == MAP_CHILDREN)
            return launch_children(grid, e->block, e->d->stream, a, f, pl, round, front);
        if (is_lean(pl.t.mapping))
            return launch_round(e, grid, a, lean<F>{f}, pl, round, front);
    }
    return SIMT_LAUNCH((loop_kernel<F, Off>), grid, e->block, 0, e->d->stream, a, f, pl, round, front);
}

/* For one round of its own, that nobody listens to. */
static inline plan plan_alone(const engine *e)
{
    plan pl = e->pl;
    pl.scope = SCOPE_HOST;
    pl.shared = NULL;
    pl.rounds = UINT32_MAX;
    pl.target_count = 0;
    pl.ring_size = 0;
    return pl;
}

/* The pile of a phase, where nothing else is left or the step may want one; *switches: it does (F6 of far.cuh). */
template <class F>
static nf_status read_pile(engine *e, const F &f, unsigned phase, unsigned round, view *w, bool *switches)
{
    far_side side = {};
    const bool reads = F::PILES && (w->count == 0 || is_switching<F>::value);
    const nf_status st = reads ? device_download(e->d, &side, &e->st->far[phase % 3], sizeof side) : NF_OK;
    w->far = w->count == 0 ? side.count : 0;
    w->limit = side.limit;
    *switches = takes_up_order(f, *w) && side.round != round;
    return st;
}

/* C4 of ceiling.cuh. */
template <class F> static inline bool cuts_lists(const view &w)
{
    return is_capped<F>::value && is_to_be_cut(w);
}

template <class F, class Off>
static nf_status host_rounds(engine *e, const arena<Off> &a, const F &f, plan *pl, const char *phase, unsigned *round,
                             int *front)
{
    nf_status st = NF_OK;
    slot s;
    view w = {};
    bool switches = false;
    NF_TRY(read_slot(e, a, *round, &s, &w));
    NF_TRY(read_pile(e, f, pl->phase, *round, &w, &switches));
    while (!is_over(*pl, w)) {
        const bool splits = w.count == 0 || switches, cuts = !splits && cuts_lists<F>(w);
        const unsigned blocks = switches ? e->grid : blocks_for(e, w);
        plan now = *pl;
        now.t.mapping = splits ? (int)MAP_AUTO : now.t.mapping; /* of no account: there is nothing to expand */
        NF_TRY_CUDA(e->d, launch_round(e, blocks, a, f, now, *round, *front));
        NF_TRY(device_finish(e->d, phase, 0));
        NF_TRY(read_slot(e, a, *round + 1, &s, &w));
        if (splits) {
            *front = 1 - *front;
            pl->phase++;
        } else if (cuts)
            *front = 1 - *front;
        else
            NF_TRY(settle_from_host(e, a, *round, front, &s, &w));
        ++*round;
        NF_TRY(read_pile(e, f, pl->phase, *round, &w, &switches));
        e->d->shared->progress = *round;
    }
done:
    return st;
}

/* One launch, in clusters where the device has them. */
template <class F, class Off>
static nf_status launch_persistent(engine *e, const arena<Off> &a, const F &f, const plan &asked, unsigned round,
                                   int front)
{
    nf_status st = NF_OK;
    plan pl = asked;
    unsigned blocks = 1;
    int clusters = 0;
    if constexpr (F::LISTS && is_plain<F>::value && sizeof(Off) == 4 /* larger graphs have larger frontiers */
                  && !is_parted<F>::value && !is_switching<F>::value)
        if (is_lean(pl.t.mapping) && is_for_deep(pl.t)) {
            if constexpr (F::PILES && F::KEYED) /* out of step the grid meets rarely: nobody needs to sleep */
                pl.scope = pl.scope == SCOPE_AUTO && f.word == NULL ? (int)SCOPE_GRID : pl.scope;
            return launch_persistent(e, a, deep<F>{f}, pl, round, front);
        }
    if constexpr (F::EVERY_MAPPING)
        if (is_lean(pl.t.mapping))
            return launch_persistent(e, a, lean<F>{f}, asked, round, front);
    NF_TRY(device_resident_blocks(e->d, (const void *)(loop_kernel<F, Off>), (int)e->block, 0, &blocks));
    pl.cluster = 1;
    for (unsigned size = MOST_CLUSTER; size > 1 && pl.cluster == 1; size /= 2) {
        if (e->d->capability < 90 || size * 2 > blocks)
            continue;
        device_fit *fit = device_fit_of(e->d, (const void *)(loop_kernel<F, Off>), (int)e->block, 0, size);
        if (fit->many < 0)
            NF_TRY_CUDA(e->d, simt_max_clusters(&fit->many, (loop_kernel<F, Off>), size, (int)e->block, 0));
        clusters = fit->many;
        /* At most a tenth of the device is given up for clusters; a quarter where they do most of the work. */
        if ((unsigned)clusters * size * 20 >= blocks * (is_deep<F>::value ? 15 : 18)) {
            pl.cluster = size;
            blocks = (unsigned)clusters * size;
        }
    }
    if (pl.cluster_arcs == 0)
        pl.cluster_arcs = (word64)CLUSTER_ARCS_EACH * pl.cluster;
    if (pl.cluster > 1)
        NF_TRY_CUDA(e->d, SIMT_LAUNCH_CLUSTER((loop_kernel<F, Off>), pl.cluster, blocks, e->block, 0, e->d->stream, a,
                                              f, pl, round, front));
    else {
        pl.scope = pl.scope == SCOPE_CLUSTER ? SCOPE_GRID : pl.scope;
        NF_TRY_CUDA(e->d,
                    SIMT_LAUNCH_GRID((loop_kernel<F, Off>), blocks, e->block, 0, e->d->stream, a, f, pl, round, front));
    }
done:
    return st;
}

/* Goes on with the frontier that is there, for at most `rounds` rounds in all; e->last tells how it ended. */
template <class F, class Off>
static nf_status engine_go_on(engine *e, const F &f, int policy, unsigned rounds, const char *phase)
{
    nf_status st = NF_OK;
    const arena<Off> a = engine_arena<Off>(e, graph_for<F>(e), policy);
    plan pl = e->pl;
    unsigned round = e->last.round;
    int front = (int)e->last.front;
    pl.rounds = rounds;
    pl.phase = e->last.phase;
    if (!F::EVERY_MAPPING && !is_lean(pl.t.mapping))
        pl.t.mapping = MAP_TWO_PHASE;
    if (round != 0) { /* after a pause */
        NF_TRY(device_fill_bytes(e->d, &e->st->slots[round % 3].stop, 0, sizeof(unsigned)));
        NF_TRY(device_fill_bytes(e->d, &e->st->wake, 0, sizeof e->st->wake));
    }
    if (e->loop == LOOP_HOST) {
        pl.scope = SCOPE_HOST;
        pl.shared = NULL;
        NF_TRY(host_rounds(e, a, f, &pl, phase, &round, &front));
    } else {
        NF_TRY(launch_persistent(e, a, f, pl, round, front));
        NF_TRY(device_finish(e->d, phase, 0));
    }
    NF_TRY(device_download(e->d, &e->last, e->st, sizeof e->last));
    if (e->loop == LOOP_HOST) {
        e->last.round = round;
        e->last.front = (unsigned)front;
        e->last.phase = pl.phase;
    }
done:
    return st;
}

/* The sources of engine_sources are the first frontier. */
template <class F, class Off> static nf_status engine_seed(engine *e, const F &f, uint64_t source_count, int policy)
{
    nf_status st = NF_OK;
    const arena<Off> a = engine_arena<Off>(e, graph_for<F>(e), policy);
    memset(&e->last, 0, sizeof e->last);
    e->last.ceiling = NO_CEILING;
    NF_TRY(device_fill_bytes(e->d, e->st, 0, sizeof *e->st));
    if (policy == DUP_TABLE || policy == DUP_HASH64)
        NF_TRY(device_fill_bytes(e->d, e->table, 0xff, (uint64_t)a.n * sizeof *e->table));
    NF_TRY_CUDA(e->d, SIMT_LAUNCH((seed_kernel<F, Off>), 1, e->block, 0, e->d->stream, a, f, e->sources, source_count));
done:
    return st;
}

/* From the sources of engine_sources on. */
template <class F, class Off>
static nf_status engine_loop(engine *e, const F &f, uint64_t source_count, int policy, unsigned rounds,
                             const char *phase)
{
    nf_status st = NF_OK;
    NF_TRY((engine_seed<F, Off>(e, f, source_count, policy)));
    if (rounds != 0)
        NF_TRY((engine_go_on<F, Off>(e, f, policy, rounds, phase)));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */

#endif
