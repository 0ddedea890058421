/* emu_sched.c - who runs next: the ready queue, waiting and waking, the life of threads, blocks and the grid.
 *
 * A thread that must wait picks its successor and switches to it directly; a thread that ends lets the next new one run
 * on its own stack, so a kernel without barriers never switches. The order is the setting's: first in first out, last
 * in first out, or drawn from the seed; the same settings and calls give the same schedule.
 *
 * I1 nobody waits on an empty queue: when no thread can run and some have not ended, that is a deadlock and an error;
 * I2 yields without any event between them are counted; past the limit that is a livelock and an error;
 * I3 blocks beyond the residency wait: a block that spins on one that has not started is a livelock, as on a GPU.
 * Cost: a switch and a few queue operations for each sync point, about 30 ns.
 */
#include "simt/emu_impl.h"

/* Runtime calls between looks at the clock when nothing is preempted: about a millisecond's worth. */
#define POINTS_PER_LOOK (1u << 16)
/* A loop that asks memory and never yields may do so many calls for each yield another may. */
#define CALLS_PER_YIELD 16
/* Choices between looks at the clock. */
#define CHOICES_PER_LOOK (1u << 14)

/* xorshift64* (Vigna 2016). */
uint64_t nf__emu_random(nf__emu *dev)
{
    uint64_t x = dev->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    dev->random = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(nf__emu *dev, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)nf__emu_random(dev) * bound) >> 64);
}

/* Calls until the next preemption: geometric with the chance asked for. */
void nf__emu_gap_draw(nf__emu *dev)
{
    if (dev->set.preempt <= 0) {
        dev->gap = POINTS_PER_LOOK;
        return;
    }
    const uint64_t limit = (uint64_t)(dev->set.preempt * 9007199254740992.0); /* 2^53 */
    dev->gap = 1;
    while (dev->gap < POINTS_PER_LOOK && (nf__emu_random(dev) >> 11) >= limit)
        dev->gap++;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

void nf__emu_wake(nf__emu *dev, nf__emu_thread *thread)
{
    if (thread->state != NF_EMU_THREAD_NEW)
        thread->state = NF_EMU_THREAD_READY;
    dev->ready[(dev->ready_head + dev->ready_count++) & dev->ready_mask] = thread;
}

/* Puts a thread where it will come last. */
static void push_last(nf__emu *dev, nf__emu_thread *thread)
{
    if (dev->set.order != NF_EMU_LIFO) {
        nf__emu_wake(dev, thread);
        return;
    }
    thread->state = NF_EMU_THREAD_READY;
    dev->ready_head--;
    dev->ready_count++;
    dev->ready[dev->ready_head & dev->ready_mask] = thread;
}

static nf__emu_thread *pop(nf__emu *dev)
{
    nf__emu_thread **head = &dev->ready[dev->ready_head & dev->ready_mask], *out = *head;
    if (dev->set.order == NF_EMU_LIFO)
        return dev->ready[(dev->ready_head + --dev->ready_count) & dev->ready_mask];
    if (dev->set.order == NF_EMU_RANDOM) {
        nf__emu_thread **pick = &dev->ready[(dev->ready_head + below(dev, dev->ready_count)) & dev->ready_mask];
        out = *pick;
        *pick = *head;
    }
    dev->ready_head++;
    dev->ready_count--;
    return out;
}

/* The next to run; NULL when the host has to have its turn: the grid has ended, or its slice of time has. */
static nf__emu_thread *choose(nf__emu *dev)
{
    if (--dev->ticks == 0) {
        dev->ticks = CHOICES_PER_LOOK;
        dev->paused = nf__emu_seconds() >= dev->slice_end;
    }
    if (dev->paused)
        return NULL;
    if (dev->ready_count == 0) {
        if (dev->grid.finished < dev->grid.blocks)
            nf__emu_record_deadlock(dev);
        return NULL;
    }
    return pop(dev);
}

static void leave_for(nf__emu *dev, nf__emu_thread *me, nf__emu_thread *next)
{
    if (next == me) {
        me->state = NF_EMU_THREAD_RUNNING;
        return;
    }
    if (next != NULL && next->state == NF_EMU_THREAD_NEW)
        next->stack = nf__emu_stack_take(dev);
    nf__emu_hop(dev, me, next, false);
}

void nf__emu_wait(nf__emu *dev, nf__emu_thread *me)
{
    dev->idle = 0;
    dev->alone = 0;
    leave_for(dev, me, choose(dev));
}

static void yield(nf__emu *dev, nf__emu_thread *me)
{
    if (++dev->idle > dev->set.idle)
        nf__emu_fault(dev, cudaErrorLaunchTimeout, me->site,
                      "livelock: %llu yields in a row in which no thread arrived, ended or changed memory; this thread "
                      "waits for what nobody does",
                      (unsigned long long)dev->idle);
    push_last(dev, me);
    leave_for(dev, me, choose(dev));
}

void nf__emu_spin(const nf__emu_site *site)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    me->site = site;
    dev->count.spins++;
    dev->alone = 0;
    yield(dev, me);
}

/* Preemption; or, without it, a look at the clock, and at a loop that never lets another thread run. */
void nf__emu_point_slow(nf__emu *dev, nf__emu_thread *me)
{
    const bool preempts = dev->set.preempt > 0;
    dev->alone += dev->gap == 0 && !preempts ? POINTS_PER_LOOK : 0;
    nf__emu_gap_draw(dev);
    if (preempts) {
        dev->count.preemptions++;
        yield(dev, me);
        return;
    }
    if (dev->alone / CALLS_PER_YIELD > dev->set.idle)
        nf__emu_fault(
            dev, cudaErrorLaunchTimeout, me->site,
            "%llu atomics or relaxed accesses without a barrier, a change of memory or simt_spin; a loop that "
            "waits for another thread must call simt_spin",
            (unsigned long long)dev->alone);
    if (nf__emu_seconds() >= dev->slice_end) {
        dev->interrupted = me;
        leave_for(dev, me, NULL);
    }
}

/* ---- threads, blocks, the grid ----------------------------------------------------------------------------------- */

static uint3 unfold(uint64_t index, dim3 shape)
{
    uint3 out = {(unsigned)(index % shape.x), (unsigned)(index / shape.x % shape.y),
                 (unsigned)(index / shape.x / shape.y)};
    return out;
}

static void begin_warps(const nf__emu *dev, nf__emu_block *block)
{
    for (unsigned w = 0; w < dev->grid.warps; w++) {
        nf__emu_warp_state *warp = &block->warps[w];
        unsigned lanes = dev->grid.threads - w * NF_EMU_LANES;
        warp->present = lanes >= NF_EMU_LANES ? ~0u : (1u << lanes) - 1;
        warp->waiting = 0;
        warp->exited = ~warp->present;
        warp->threads = &block->threads[w * NF_EMU_LANES];
    }
}

static void begin_block(nf__emu *dev, nf__emu_block *block)
{
    nf__emu_grid *grid = &dev->grid;
    const nf__emu_launch_spec *spec = &grid->op->launch;
    const uint64_t order = grid->started++;
    block->index = (order * grid->stride + grid->shift) % grid->blocks;
    block->live = grid->threads;
    nf__emu_meeting fresh = {.expected = grid->threads};
    block->barrier = fresh;
    begin_warps(dev, block);
    nf__race_block(dev, block);
    nf__emu_shared_begin(dev, block);
    const uint3 where = unfold(block->index, spec->grid);
    for (unsigned i = 0; i < grid->threads; i++) {
        nf__emu_thread *thread = &block->threads[i];
        thread->self.thread_index = unfold(i, spec->block);
        thread->self.linear = i;
        thread->self.block_index = where;
        thread->self.cluster_rank = (unsigned)(block->index % grid->cluster);
        thread->self.block_dim = spec->block;
        thread->self.grid_dim = spec->grid;
        thread->self.dynamic = block->shared;
        thread->self.block = block;
        thread->warp = &block->warps[i / NF_EMU_LANES];
        thread->site = spec->site;
        thread->lane = (uint8_t)(i % NF_EMU_LANES);
        thread->copies = thread->groups = 0;
        thread->state = NF_EMU_THREAD_NEW;
        nf__emu_wake(dev, thread);
    }
    dev->count.blocks++;
    dev->count.threads += grid->threads;
}

static void end_block(nf__emu *dev, nf__emu_block *block)
{
    nf__emu_shared_end(dev, block);
    dev->grid.finished++;
    if (dev->grid.started < dev->grid.blocks)
        begin_block(dev, block);
}

static void end_thread(nf__emu *dev, nf__emu_thread *me)
{
    nf__emu_block *block = me->self.block;
    nf__emu_depart(dev, me);
    me->state = NF_EMU_THREAD_DONE;
    dev->idle = 0;
    dev->alone = 0;
    if (--block->live == 0)
        end_block(dev, block);
}

void nf__emu_thread_main(void)
{
    nf__emu *dev = nf__emu_now.device;
    const nf__emu_op *op = dev->grid.op;
    for (;;) {
        nf__emu_thread *me = nf__emu_me();
        const uint32_t stack = me->stack;
        op->launch.enter(op->arguments);
        end_thread(dev, me);
        nf__emu_thread *next = choose(dev);
        if (next != NULL && next->state == NF_EMU_THREAD_NEW) {
            next->stack = stack;
            next->state = NF_EMU_THREAD_RUNNING;
            nf__emu_now.self = &next->self;
            continue;
        }
        nf__emu_stack_give(dev, stack);
        nf__emu_hop(dev, me, next, true);
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Blocks start in the order i * stride + shift: a permutation, since stride and the number of blocks are coprime. */
static void draw_block_order(nf__emu *dev)
{
    nf__emu_grid *grid = &dev->grid;
    grid->stride = 1;
    grid->shift = 0;
    if (dev->set.order == NF_EMU_LIFO) {
        grid->stride = grid->blocks - 1 > 0 ? grid->blocks - 1 : 1;
        grid->shift = grid->blocks - 1;
    } else if (dev->set.order == NF_EMU_RANDOM && grid->blocks > 1) {
        do
            grid->stride = 1 + below(dev, grid->blocks - 1);
        while (common_divisor(grid->stride, grid->blocks) != 1);
        grid->shift = below(dev, grid->blocks);
    }
}

static void begin_meetings(nf__emu *dev)
{
    nf__emu_grid *grid = &dev->grid;
    nf__emu_meeting all = {.expected = (unsigned)grid->blocks * grid->threads};
    nf__emu_meeting some = {.expected = grid->cluster * grid->threads};
    grid->barrier = all;
    if (grid->cluster > 1)
        for (uint64_t c = 0; c < grid->blocks / grid->cluster; c++)
            dev->clusters[c] = some;
}

void nf__emu_grid_begin(nf__emu *dev, nf__emu_op *op)
{
    nf__emu_grid *grid = &dev->grid;
    const nf__emu_launch_spec *spec = &op->launch;
    memset(grid, 0, sizeof *grid);
    grid->op = op;
    grid->children_end = &grid->children;
    grid->tails_end = &grid->tails;
    grid->blocks = (uint64_t)spec->grid.x * spec->grid.y * spec->grid.z;
    grid->threads = spec->block.x * spec->block.y * spec->block.z;
    grid->warps = (grid->threads + NF_EMU_LANES - 1) / NF_EMU_LANES;
    grid->cluster = spec->cluster;
    grid->cooperative = spec->kind == NF_EMU_LAUNCH_COOPERATIVE || spec->kind == NF_EMU_LAUNCH_CLUSTER;
    grid->dynamic = spec->shared;
    grid->shared_used = (spec->shared + NF_EMU_SHARED_GAP + 127) / 128 * 128;
    int per_sm = 1;
    (void)nf__emu_occupancy(&per_sm, spec->function, (int)grid->threads, spec->shared);
    uint64_t slots = (uint64_t)per_sm * dev->set.sms;
    grid->slots = (unsigned)(slots < grid->blocks ? slots : grid->blocks);
    draw_block_order(dev);
    begin_meetings(dev);
    nf__race_grid(dev);
    dev->ready_head = dev->ready_count = 0;
    dev->idle = dev->alone = 0;
    dev->faulted = false;
    dev->interrupted = NULL;
    nf__emu_gap_draw(dev);
    for (unsigned s = 0; s < grid->slots; s++) {
        nf__emu_block *block = &dev->blocks[s];
        block->device = dev;
        block->slot = s;
        block->threads = &dev->threads[s * grid->warps * NF_EMU_LANES];
        block->warps = &dev->warps[s * grid->warps];
        block->shared = dev->shared + (size_t)s * NF_EMU_SHARED_SLOT;
        begin_block(dev, block);
    }
}

bool nf__emu_resume(nf__emu *dev, double seconds)
{
    dev->slice_end = nf__emu_seconds() + seconds;
    dev->ticks = CHOICES_PER_LOOK;
    dev->paused = false;
    nf__emu_thread *next = dev->interrupted != NULL ? dev->interrupted : choose(dev);
    dev->interrupted = NULL;
    if (next != NULL)
        leave_for(dev, NULL, next);
    return dev->faulted || dev->grid.finished == dev->grid.blocks;
}
