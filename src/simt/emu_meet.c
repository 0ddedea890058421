/* emu_meet.c - where threads meet: barriers of a block, a cluster and a grid, and the collectives of a warp.
 *
 * A thread that arrives leaves what it brought and waits; the last to arrive works out everybody's result and wakes the
 * others. Rules (simt.h) and how they are held:
 *   R1 a collective completes when every lane of its mask stands at one call with that mask; a lane that never comes is
 *      found as a deadlock, a lane that comes with another call or mask at once;
 *   R2 all threads of a barrier's scope meet at one call site; a thread that has ended, or ends, is an error at once;
 *   R3 a mask never names a lane that has ended or does not exist.
 */
#include "simt/emu_impl.h"

static const char *const warp_names[] = {
    [NF_EMU_SYNC] = "__syncwarp",
    [NF_EMU_BALLOT] = "__ballot_sync",
    [NF_EMU_ANY] = "__any_sync",
    [NF_EMU_ALL] = "__all_sync",
    [NF_EMU_SHFL] = "__shfl_sync",
    [NF_EMU_SHFL_UP] = "__shfl_up_sync",
    [NF_EMU_SHFL_DOWN] = "__shfl_down_sync",
    [NF_EMU_SHFL_XOR] = "__shfl_xor_sync",
    [NF_EMU_MATCH_ANY] = "__match_any_sync",
    [NF_EMU_MATCH_ALL] = "__match_all_sync",
    [NF_EMU_REDUCE_ADD] = "simt_reduce_add",
    [NF_EMU_REDUCE_MIN] = "simt_reduce_min",
    [NF_EMU_REDUCE_MAX] = "simt_reduce_max",
    [NF_EMU_REDUCE_MIN_SIGNED] = "simt_reduce_min",
    [NF_EMU_REDUCE_MAX_SIGNED] = "simt_reduce_max",
    [NF_EMU_REDUCE_OR] = "simt_reduce_or",
    [NF_EMU_REDUCE_AND] = "simt_reduce_and",
    [NF_EMU_REDUCE_XOR] = "simt_reduce_xor",
};

const char *nf__emu_warp_op_name(unsigned op)
{
    return warp_names[op];
}

static const char *const scope_names[] = {
    [NF_EMU_BLOCK] = "__syncthreads", [NF_EMU_CLUSTER] = "simt_cluster_sync", [NF_EMU_GRID] = "simt_grid_sync"};

const char *nf__emu_scope_name(unsigned scope)
{
    return scope_names[scope];
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

static unsigned next_lane(unsigned *mask)
{
    const unsigned lane = (unsigned)__builtin_ctz(*mask);
    *mask &= *mask - 1;
    return lane;
}

static uint64_t shuffled(nf__emu *dev, const nf__emu_warp_state *warp, unsigned mask, unsigned lane)
{
    const unsigned width = warp->width[lane], base = lane & ~(width - 1), argument = warp->argument[lane];
    unsigned from = lane;
    switch (warp->op[lane]) {
    case NF_EMU_SHFL: from = base + (argument & (width - 1)); break;
    case NF_EMU_SHFL_UP: from = lane - base >= argument ? lane - argument : lane; break;
    case NF_EMU_SHFL_DOWN: from = argument < width - (lane - base) ? lane + argument : lane; break;
    default: from = (lane ^ argument) < base + width ? lane ^ argument : lane; break;
    }
    if (((mask >> (from & 31u)) & 1u) == 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, warp->threads[lane].site,
                      "%s: lane %u reads from lane %u, which is not in the mask 0x%08x", warp_names[warp->op[lane]],
                      lane, from, mask);
    return warp->value[from];
}

static uint32_t reduced(const nf__emu_warp_state *warp, unsigned op, unsigned mask)
{
    unsigned rest = mask;
    uint32_t out = (uint32_t)warp->value[next_lane(&rest)];
    while (rest != 0) {
        const uint32_t x = (uint32_t)warp->value[next_lane(&rest)];
        switch (op) {
        case NF_EMU_REDUCE_ADD: out += x; break;
        case NF_EMU_REDUCE_MIN: out = x < out ? x : out; break;
        case NF_EMU_REDUCE_MAX: out = x > out ? x : out; break;
        case NF_EMU_REDUCE_MIN_SIGNED: out = (int32_t)x < (int32_t)out ? x : out; break;
        case NF_EMU_REDUCE_MAX_SIGNED: out = (int32_t)x > (int32_t)out ? x : out; break;
        case NF_EMU_REDUCE_OR: out |= x; break;
        case NF_EMU_REDUCE_AND: out &= x; break;
        default: out ^= x; break;
        }
    }
    return out;
}

static unsigned matching(const nf__emu_warp_state *warp, unsigned mask, uint64_t value)
{
    unsigned out = 0;
    while (mask != 0) {
        const unsigned lane = next_lane(&mask);
        out |= warp->value[lane] == value ? 1u << lane : 0;
    }
    return out;
}

/* The lanes whose value is not zero. */
static unsigned balloted(const nf__emu_warp_state *warp, unsigned mask)
{
    return mask & ~matching(warp, mask, 0);
}

/* Results of all lanes of the mask, whose values are all there. */
static void compute(nf__emu *dev, nf__emu_warp_state *warp, unsigned op, unsigned mask)
{
    uint64_t same = 0;
    switch (op) {
    case NF_EMU_SYNC: return;
    case NF_EMU_BALLOT: same = balloted(warp, mask); break;
    case NF_EMU_ANY: same = balloted(warp, mask) != 0; break;
    case NF_EMU_ALL: same = balloted(warp, mask) == mask; break;
    case NF_EMU_MATCH_ALL: same = matching(warp, mask, warp->value[__builtin_ctz(mask)]) == mask ? mask : 0; break;
    case NF_EMU_SHFL:
    case NF_EMU_SHFL_UP:
    case NF_EMU_SHFL_DOWN:
    case NF_EMU_SHFL_XOR:
        for (unsigned rest = mask; rest != 0;) {
            const unsigned lane = next_lane(&rest);
            warp->result[lane] = shuffled(dev, warp, mask, lane);
        }
        return;
    case NF_EMU_MATCH_ANY:
        for (unsigned rest = mask; rest != 0;) {
            const unsigned lane = next_lane(&rest);
            warp->result[lane] = matching(warp, mask, warp->value[lane]);
        }
        return;
    default: same = reduced(warp, op, mask); break;
    }
    for (unsigned rest = mask; rest != 0;)
        warp->result[next_lane(&rest)] = same;
}

/* R1: all of the mask are waiting, this lane last. True when they stand at the same call. */
static bool agreed(nf__emu *dev, const nf__emu_warp_state *warp, const nf__emu_thread *me, unsigned mask)
{
    for (unsigned rest = mask; rest != 0;) {
        const unsigned lane = next_lane(&rest);
        const nf__emu_thread *other = &warp->threads[lane];
        if (warp->mask[lane] == mask && other->site == me->site && warp->op[lane] == warp->op[me->lane])
            continue;
        if (warp->mask[lane] != mask && ((warp->mask[lane] >> me->lane) & 1u) == 0)
            return false; /* it meets others first */
        nf__emu_fault(dev, cudaErrorLaunchFailure, me->site,
                      "%s with mask 0x%08x, but lane %u of the mask stands at %s with mask 0x%08x (%s:%d)",
                      warp_names[warp->op[me->lane]], mask, lane, warp_names[warp->op[lane]], warp->mask[lane],
                      nf__emu_short_path(other->site->file), other->site->line);
    }
    return true;
}

static void check_mask(nf__emu *dev, const nf__emu_thread *me, const nf__emu_site *site, unsigned op, unsigned mask,
                       int width)
{
    if (((mask >> me->lane) & 1u) == 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site, "%s with mask 0x%08x, which lacks the lane that calls it",
                      warp_names[op], mask);
    if ((mask & me->warp->exited) != 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site,
                      "%s with mask 0x%08x, whose lanes 0x%08x have ended or do not exist", warp_names[op], mask,
                      mask & me->warp->exited);
    if (width < 1 || width > NF_EMU_LANES || (width & (width - 1)) != 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site, "%s with width %d; expected 1, 2, 4, 8, 16 or 32",
                      warp_names[op], width);
}

uint64_t nf__emu_warp(const nf__emu_site *site, enum nf__emu_warp_op op, unsigned mask, uint64_t value,
                      unsigned argument, int width)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    nf__emu_warp_state *warp = me->warp;
    const unsigned lane = me->lane;
    dev->count.sync_points++;
    me->site = site;
    check_mask(dev, me, site, op, mask, width);
    warp->mask[lane] = mask;
    warp->op[lane] = (uint8_t)op;
    warp->value[lane] = value;
    warp->argument[lane] = argument;
    warp->width[lane] = (uint8_t)width;
    warp->waiting |= 1u << lane;
    if ((mask & ~warp->waiting) != 0 || !agreed(dev, warp, me, mask)) {
        me->state = NF_EMU_THREAD_AT_WARP;
        nf__emu_wait(dev, me);
        return warp->result[lane];
    }
    compute(dev, warp, op, mask);
    if (op == NF_EMU_SYNC)
        nf__race_warp(dev, warp, mask);
    warp->waiting &= ~mask;
    dev->count.warp_collectives++;
    dev->idle = dev->alone = 0;
    for (unsigned rest = mask & ~(1u << lane); rest != 0;)
        nf__emu_wake(dev, &warp->threads[next_lane(&rest)]);
    return warp->result[lane];
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static nf__emu_meeting *meeting_of(nf__emu *dev, const nf__emu_thread *me, unsigned scope)
{
    if (scope == NF_EMU_BLOCK)
        return &me->self.block->barrier;
    if (scope == NF_EMU_CLUSTER && dev->grid.cluster > 1)
        return &dev->clusters[me->self.block->index / dev->grid.cluster];
    return scope == NF_EMU_GRID ? &dev->grid.barrier : NULL;
}

static void gather(nf__emu_meeting *meeting, int op, int predicate)
{
    if (meeting->arrived == 0)
        meeting->gathered = op == NF_EMU_AND;
    if (op == NF_EMU_AND)
        meeting->gathered &= predicate;
    else
        meeting->gathered = op == NF_EMU_COUNT ? meeting->gathered + predicate : meeting->gathered | predicate;
}

static void wake_block(nf__emu *dev, nf__emu_block *block, const nf__emu_thread *me)
{
    for (unsigned i = 0; i < dev->grid.threads; i++)
        if (&block->threads[i] != me)
            nf__emu_wake(dev, &block->threads[i]);
}

static void wake_scope(nf__emu *dev, const nf__emu_thread *me, unsigned scope)
{
    if (scope == NF_EMU_BLOCK) {
        wake_block(dev, me->self.block, me);
        return;
    }
    const uint64_t cluster = me->self.block->index / dev->grid.cluster;
    for (unsigned s = 0; s < dev->grid.slots; s++)
        if (scope == NF_EMU_GRID || dev->blocks[s].index / dev->grid.cluster == cluster)
            wake_block(dev, &dev->blocks[s], me);
}

/* R2, and that the barrier exists. */
static void check_barrier(nf__emu *dev, const nf__emu_thread *me, const nf__emu_meeting *meeting, unsigned scope,
                          int op)
{
    if (meeting == NULL || (scope == NF_EMU_GRID && !dev->grid.cooperative))
        nf__emu_fault(dev, cudaErrorLaunchFailure, me->site, "%s in a kernel that was not launched as a %s",
                      scope_names[scope], scope == NF_EMU_GRID ? "cooperative grid" : "cluster");
    if (meeting->exited > 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, me->site, "%s after %u threads of its scope have ended",
                      scope_names[scope], meeting->exited);
    if (meeting->arrived > 0 && (meeting->site != me->site || meeting->op != op)) {
        char where[128];
        nf__emu_place(meeting->first, where, sizeof where);
        nf__emu_fault(dev, cudaErrorLaunchFailure, me->site, "divergent barrier: %s here, while %s waits at %s:%d",
                      scope_names[scope], where, nf__emu_short_path(meeting->site->file), meeting->site->line);
    }
}

static void count_barrier(nf__emu *dev, unsigned scope)
{
    dev->count.block_barriers += scope == NF_EMU_BLOCK;
    dev->count.cluster_barriers += scope == NF_EMU_CLUSTER;
    dev->count.grid_barriers += scope == NF_EMU_GRID;
}

int nf__emu_barrier(const nf__emu_site *site, enum nf__emu_scope scope, enum nf__emu_barrier_op op, int predicate)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    nf__emu_meeting *meeting = meeting_of(dev, me, scope);
    dev->count.sync_points++;
    me->site = site;
    check_barrier(dev, me, meeting, scope, (int)op);
    gather(meeting, (int)op, predicate);
    if (meeting->arrived++ == 0) {
        meeting->site = site;
        meeting->first = me;
        meeting->op = (int)op;
    }
    if (meeting->arrived < meeting->expected) {
        me->state = NF_EMU_THREAD_AT_BARRIER;
        me->scope = (uint8_t)scope;
        nf__emu_wait(dev, me);
        return meeting->result;
    }
    meeting->arrived = 0;
    meeting->result = meeting->gathered;
    count_barrier(dev, scope);
    nf__race_barrier(dev, me, scope);
    dev->idle = dev->alone = 0;
    wake_scope(dev, me, scope);
    return meeting->result;
}

/* ---- the end of a thread ----------------------------------------------------------------------------------------- */

static void depart_meeting(nf__emu *dev, const nf__emu_thread *me, nf__emu_meeting *meeting, unsigned scope)
{
    if (meeting == NULL)
        return;
    if (meeting->arrived > 0) {
        char where[128];
        nf__emu_place(meeting->first, where, sizeof where);
        nf__emu_fault(dev, cudaErrorLaunchFailure, me->site, "ended while %s waits for it in %s at %s:%d", where,
                      scope_names[scope], nf__emu_short_path(meeting->site->file), meeting->site->line);
    }
    meeting->exited++;
}

void nf__emu_depart(nf__emu *dev, nf__emu_thread *me)
{
    nf__emu_warp_state *warp = me->warp;
    for (unsigned rest = warp->waiting; rest != 0;) {
        const unsigned lane = next_lane(&rest);
        if (((warp->mask[lane] >> me->lane) & 1u) != 0)
            nf__emu_fault(dev, cudaErrorLaunchFailure, me->site,
                          "ended while lane %u waits for it in %s with mask 0x%08x at %s:%d", lane,
                          warp_names[warp->op[lane]], warp->mask[lane],
                          nf__emu_short_path(warp->threads[lane].site->file), warp->threads[lane].site->line);
    }
    warp->exited |= 1u << me->lane;
    depart_meeting(dev, me, &me->self.block->barrier, NF_EMU_BLOCK);
    depart_meeting(dev, me, meeting_of(dev, me, NF_EMU_CLUSTER), NF_EMU_CLUSTER);
    if (dev->grid.cooperative)
        depart_meeting(dev, me, &dev->grid.barrier, NF_EMU_GRID);
}
