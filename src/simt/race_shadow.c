/* race_shadow.c - what was done to each word of device and shared memory, and whether the next access races with it.
 *
 * Rules: two accesses to one byte race when at least one writes, at least one is plain, different threads made them and
 * neither is ordered before the other (race_clock.c). Atomic, relaxed and volatile accesses never race with each other.
 *
 * I1 a cell keeps the last plain write, the last other write, and two plain reads that were not ordered; a third such
 *    read takes the place of one of them by turns, so a race with many readers may be missed under one schedule;
 * I2 records of threads of earlier blocks in the slot count for device memory, not for shared memory;
 * I3 __ldg may read only what no thread of this grid has written, ordered or not.
 * Memory: 32 bytes for each word of 4 bytes that a kernel touches, in pages mapped on first use.
 */
#include "simt/race_impl.h"

#include <stdio.h>

enum access { PLAIN_READ, PLAIN_WRITE, WEAK_READ, WEAK_WRITE };

static const char *const access_names[] = {"plain read", "plain write", "atomic or relaxed read",
                                           "atomic or relaxed write"};

/* ---- life -------------------------------------------------------------------------------------------------------- */

typedef struct layout {
    char *base;
    size_t used;
} layout;

static void *part(layout *at, size_t count, size_t size)
{
    char *p = at->base != NULL ? at->base + at->used : NULL;
    at->used += (count * size + 63) / 64 * 64;
    return p;
}

static void lay_out(nf__race *race, layout *at)
{
    const size_t n = race->n, vectors = (n + 1) * n;
    race->clock = part(at, n, 4);
    race->born = part(at, n, 4);
    race->grid_known = part(at, n, 4);
    race->block_known = part(at, n, 4);
    race->warp_known = part(at, n, 4);
    race->begun = part(at, n, 4);
    race->pending_from = part(at, n, 4);
    race->released = part(at, n, 4);
    race->has_acquired = part(at, n, 1);
    race->has_pending = part(at, n, 1);
    race->has_block_vector = part(at, n, 1);
    race->references = part(at, NF_RACE_SNAPSHOTS, 4);
    race->snapshot_block = part(at, NF_RACE_SNAPSHOTS, 4);
    race->serial = part(at, NF_RACE_SNAPSHOTS, 4);
    race->free_snapshots = part(at, NF_RACE_SNAPSHOTS, 4);
    race->words = part(at, NF_RACE_WORDS, sizeof *race->words);
    race->sites = part(at, NF_RACE_SITES, sizeof *race->sites);
    race->lane_known = part(at, n * NF_EMU_LANES, 4);
    race->acquired = part(at, vectors, 4);
    race->pending = part(at, vectors, 4);
    race->block_vector = part(at, vectors, 4);
    race->snapshots = part(at, NF_RACE_SNAPSHOTS * n, 4);
    race->shared_cells = part(at, race->shared_bytes, 8);
    race->arena_cells = part(at, race->arena_bytes, 8);
}

bool nf__race_open(nf__emu *dev)
{
    nf__race small = {.n = dev->max_threads,
                      .shared_bytes = (size_t)dev->max_slots * NF_EMU_SHARED_SLOT,
                      .arena_bytes = dev->arena_bytes};
    if (small.n > 0xffff)
        return false;
    layout at = {NULL, sizeof small};
    lay_out(&small, &at);
    small.bytes = at.used;
    dev->race = nf__emu_map(small.bytes);
    if (dev->race == NULL)
        return false;
    *dev->race = small;
    at.base = (char *)dev->race;
    at.used = sizeof small;
    lay_out(dev->race, &at);
    return true;
}

void nf__race_close(nf__emu *dev)
{
    if (dev->race != NULL)
        nf__emu_unmap(dev->race, dev->race->bytes);
    dev->race = NULL;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The number of an instruction: its place in a table. 0 when the table is full. */
static uint32_t site_of(nf__race *race, uint64_t pc)
{
    uint32_t i = (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    while (race->sites[i] != pc) {
        if (race->sites[i] == 0 && i != 0) {
            if (race->site_count > NF_RACE_SITES / 2)
                return 0;
            race->site_count++;
            race->sites[i] = pc;
            return i;
        }
        i = (i + 1) & 0xffffu;
    }
    return i;
}

/* The first cell of an address that is watched; NULL for all others (stacks, the host's memory). */
static inline nf__race_cell *cells_of(const nf__emu *dev, uintptr_t p, bool *shared)
{
    const nf__race *race = dev->race;
    const uintptr_t in_arena = p - (uintptr_t)dev->arena, in_shared = p - (uintptr_t)dev->shared;
    *shared = in_shared < race->shared_bytes;
    if (in_arena < dev->arena_high)
        return (nf__race_cell *)(void *)(race->arena_cells + in_arena / 4 * sizeof(nf__race_cell));
    if (*shared)
        return (nf__race_cell *)(void *)(race->shared_cells + in_shared / 4 * sizeof(nf__race_cell));
    return NULL;
}

static void describe_address(const nf__emu *dev, const void *p, char *text, size_t capacity)
{
    const char *at = p;
    if (nf__emu_is_device(dev, p)) {
        const nf__emu_span *span = nf__emu_span_of(dev, p);
        (void)snprintf(text, capacity, "byte %llu of an allocation of %llu bytes",
                       (unsigned long long)((uint64_t)(at - dev->arena) - span->offset),
                       (unsigned long long)span->asked);
        return;
    }
    const size_t offset = (size_t)(at - dev->shared) % NF_EMU_SHARED_SLOT;
    (void)snprintf(text, capacity, "byte %zu of shared memory", offset);
    for (unsigned i = 0; i < dev->grid.array_count; i++) {
        const nf__emu_array *array = &dev->grid.arrays[i];
        if (offset >= array->offset && offset < array->offset + array->bytes)
            (void)snprintf(text, capacity, "byte %zu of the shared array of %s:%d", offset - array->offset,
                           nf__emu_short_path(array->site->file), array->site->line);
    }
}

static void report(nf__emu *dev, enum access now, enum access then, uint64_t record, const void *p, size_t size,
                   uint64_t pc) __attribute__((noreturn, noinline, cold));

static void report(nf__emu *dev, enum access now, enum access then, uint64_t record, const void *p, size_t size,
                   uint64_t pc)
{
    char where[160], who[128];
    const nf__emu_thread *other = &dev->threads[nf__race_thread_of(record)];
    describe_address(dev, p, where, sizeof where);
    nf__emu_place(other, who, sizeof who);
    const bool gone = nf__race_clock_of(record) < dev->race->born[nf__race_thread_of(record)];
    dev->race->this_pc = pc;
    dev->race->other_pc = dev->race->sites[record & 0xffffu];
    nf__emu_fault(dev, cudaErrorLaunchFailure, nf__emu_me()->site,
                  "race: after this call, a %s of %zu bytes at %s; nothing orders it after a %s by %s%s",
                  access_names[now], size, where, access_names[then],
                  gone ? "a block that has ended, in the place of " : "", who);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

typedef struct touch {
    nf__emu *dev;
    nf__emu_thread *me;
    const void *p;
    size_t size;
    uint64_t pc, mine; /* the record of this access, its bytes not yet filled in */
    enum access kind;
    bool shared;
} touch;

static inline void check(const touch *t, uint64_t record, uint64_t bytes, enum access then)
{
    if ((record >> 16 & bytes & 15u) == 0 || nf__race_ordered(t->dev, t->me, record))
        return;
    if (t->shared && nf__race_clock_of(record) < t->dev->race->born[nf__race_thread_of(record)])
        return; /* I2 */
    report(t->dev, t->kind, then, record, t->p, t->size, t->pc);
}

static inline void keep_read(const touch *t, nf__race_cell *cell, uint64_t record)
{
    const uint64_t who = UINT64_C(0xffff) << 20;
    if (((cell->read ^ record) & who) == 0 || nf__race_ordered(t->dev, t->me, cell->read))
        cell->read = record;
    else if (((cell->read_too ^ record) & who) == 0 || nf__race_ordered(t->dev, t->me, cell->read_too)
             || (nf__race_clock_of(record) & 1u) != 0)
        cell->read_too = record;
    else
        cell->read = record;
}

static inline void touch_cell(const touch *t, nf__race_cell *cell, uint64_t bytes)
{
    const uint64_t record = t->mine | bytes << 16;
    const uint64_t same = ~UINT64_C(0xffff); /* all but the instruction */
    switch (t->kind) {
    case PLAIN_READ:
        if (((cell->read ^ record) & same) == 0)
            return;
        check(t, cell->write, bytes, PLAIN_WRITE);
        check(t, cell->atomic, bytes, WEAK_WRITE);
        keep_read(t, cell, record);
        break;
    case PLAIN_WRITE:
        if (((cell->write ^ record) & same) == 0 && cell->read == 0 && cell->atomic == 0)
            return;
        check(t, cell->write, bytes, PLAIN_WRITE);
        check(t, cell->atomic, bytes, WEAK_WRITE);
        check(t, cell->read, bytes, PLAIN_READ);
        check(t, cell->read_too, bytes, PLAIN_READ);
        cell->write = record;
        cell->atomic = cell->read = cell->read_too = 0;
        break;
    case WEAK_READ: check(t, cell->write, bytes, PLAIN_WRITE); break;
    case WEAK_WRITE:
        check(t, cell->write, bytes, PLAIN_WRITE);
        check(t, cell->read, bytes, PLAIN_READ);
        check(t, cell->read_too, bytes, PLAIN_READ);
        cell->atomic = record;
        break;
    }
}

static inline void touch_memory(nf__emu *dev, const void *p, size_t size, enum access kind, const void *pc)
{
    touch t = {.dev = dev, .me = nf__emu_me(), .p = p, .size = size, .pc = (uint64_t)(uintptr_t)pc, .kind = kind};
    nf__race_cell *cell = cells_of(dev, (uintptr_t)p, &t.shared);
    if (cell == NULL)
        return;
    const uint32_t thread = (uint32_t)(t.me - dev->threads);
    t.mine = (uint64_t)dev->race->clock[thread] << 36 | (uint64_t)thread << 20 | site_of(dev->race, t.pc);
    dev->count.accesses++;
    uintptr_t skip = (uintptr_t)p & 3u;
    for (size_t left = size; left > 0; cell++) {
        const size_t here = 4 - skip < left ? 4 - skip : left;
        touch_cell(&t, cell, ((UINT64_C(1) << here) - 1) << skip);
        left -= here;
        skip = 0;
    }
}

/* ---- what the others call ---------------------------------------------------------------------------------------- */

void nf__race_plain(nf__emu *dev, const void *p, size_t size, bool writes, const void *pc)
{
    touch_memory(dev, p, size, writes ? PLAIN_WRITE : PLAIN_READ, pc);
}

/* From instrumented code: a point where another thread may run, then the check. */
void nf__race_access(const void *p, size_t size, bool writes, bool is_volatile, const void *pc)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    bool shared = false;
    if (me == NULL || cells_of(dev, (uintptr_t)p, &shared) == NULL)
        return;
    if (--dev->gap == 0)
        nf__emu_point_slow(dev, me);
    if (writes)
        dev->idle = dev->alone = 0;
    if (is_volatile)
        nf__race_atomic(dev, p, size, !writes, writes, NF_EMU_RELAXED, pc);
    else
        touch_memory(dev, p, size, writes ? PLAIN_WRITE : PLAIN_READ, pc);
}

void nf__race_atomic(nf__emu *dev, const void *p, size_t size, bool reads, bool writes, enum nf__emu_order order,
                     const void *pc)
{
    if (nf__emu_me() == NULL)
        return;
    touch_memory(dev, p, size, writes ? WEAK_WRITE : WEAK_READ, pc);
    nf__race_carry(dev, p, reads, writes, order);
}

/* I3 */
void nf__emu_read_only(const nf__emu_site *site, const void *p, size_t size)
{
    nf__emu *dev = nf__emu_now.device;
    bool shared = false;
    const nf__race_cell *cell = cells_of(dev, (uintptr_t)p, &shared);
    nf__emu_me()->site = site;
    for (size_t i = 0; cell != NULL && i < (size + 3) / 4; i++) {
        const uint64_t records[2] = {cell[i].write, cell[i].atomic};
        for (int k = 0; k < 2; k++) {
            if (records[k] == 0 || nf__race_clock_of(records[k]) < dev->race->begun[nf__race_thread_of(records[k])])
                continue;
            char where[160], who[128];
            describe_address(dev, p, where, sizeof where);
            nf__emu_place(&dev->threads[nf__race_thread_of(records[k])], who, sizeof who);
            dev->race->this_pc = 0;
            dev->race->other_pc = dev->race->sites[records[k] & 0xffffu];
            nf__emu_fault(dev, cudaErrorLaunchFailure, site, "__ldg of %s, which %s has written in this kernel", where,
                          who);
        }
    }
}
