/* scan_levels.cu - the host's half of scan_levels.cuh: knobs and queues. */
#include "gpu/scan_levels.cuh"

namespace SIMT_FLAVOUR
{

const nf_knob_info scan_knobs[SCAN_KNOB_COUNT] = {
    {"warp-culling", "drop duplicates within a warp before the atomic", NF_KNOB_INT, "1", 0, 1, NULL},
    {"history-culling", "drop vertices that the block remembers before the atomic", NF_KNOB_INT, "1", 0, 1, NULL},
};

extern const level_words scan_words = {{"one-kernel", "two-phase"},
                                       {NULL, NULL, NULL, "by-warp", "by-history", "lost"}};

static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    first_arcs(const __grid_constant__ level_search s, const __grid_constant__ scan_method m)
{
    SIMT_SHARED(scan_space, ws, 1);
    level_slot *first = level_slot_of(s, 0);
    expand_vertices(s, ws, m.vertices[0], first->found, m.arcs[0], first);
}

nf_status scan_open(nf__run *run, int vertex_queues, int arc_queues)
{
    nf_status st = NF_OK;
    const uint64_t n = run->csr.n, m = run->csr.m;
    levels *l = NULL;
    scan_method *own = NULL;
    NF_TRY(levels_open(run, GRAPH_TARGETS, 0, &l));
    NF_TRY_ALLOC(own, (scan_method *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *own));
    l->own = own;
    for (int k = 0; k < vertex_queues; k++)
        NF_TRY(levels_alloc(l, n, &own->vertices[k]));
    for (int k = 0; k < arc_queues; k++) {
        NF_TRY(levels_alloc(l, m, &own->arcs[k].v));
        if (l->parent != NULL)
            NF_TRY(levels_alloc(l, m, &own->arcs[k].u));
    }
    own->from_arcs = arc_queues == 2;
    own->by_warp = nf__knob_number(run, "warp-culling") != 0;
    own->by_history = nf__knob_number(run, "history-culling") != 0;
    l->s.first = own->vertices[0];
done:
    return st;
}

nf_status scan_first_arcs(levels *l, const scan_method *m)
{
    nf_status st = NF_OK;
    const unsigned block = levels_block(l, l->source_room);
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(first_arcs, device_grid(l->source_room, block, 1), block, 0, l->d->stream, l->s, *m));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
