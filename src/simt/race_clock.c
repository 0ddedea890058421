/* race_clock.c - the order of a kernel's accesses: clocks, barriers, fences.
 *
 * I1 clock[t] grows whenever t synchronises: a record (t, clock) names a stretch of t's work between two such points;
 * I2 what came before the last barrier of the grid is known to all (grid_known); of a block or warp, to its threads
 *    that began with it (block_known, warp_known, lane_known; born says when);
 * I3 a fence takes a snapshot of all its thread knows, which the thread's later atomics leave at their addresses; an
 *    atomic or relaxed load that reads such an address holds the snapshot as pending, and the next fence acquires it;
 *    a fence of a block's scope counts for threads of that block only;
 * I4 when there is no room for more snapshots the whole grid is taken as ordered at that point: races may be missed,
 *    none is invented.
 * Cost: a barrier adds one step a thread, a fence n steps for n resident threads.
 */
#include "simt/race_impl.h"

static uint32_t index_of(const nf__emu *dev, const nf__emu_thread *thread)
{
    return (uint32_t)(thread - dev->threads);
}

static uint32_t *vector(uint32_t *vectors, const nf__race *race, uint32_t i)
{
    return vectors + (size_t)i * race->n;
}

static void join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t u = 0; u < n; u++)
        to[u] = from[u] > to[u] ? from[u] : to[u];
}

/* Joins into a vector that may not be in use yet. */
static void join_into(uint32_t *to, bool *has, const uint32_t *from, uint32_t n)
{
    if (*has)
        join(to, from, n);
    else
        memcpy(to, from, n * sizeof *to);
    *has = true;
}

bool nf__race_ordered(const nf__emu *dev, const nf__emu_thread *me, uint64_t record)
{
    const nf__race *race = dev->race;
    const uint32_t u = nf__race_thread_of(record), c = nf__race_clock_of(record), t = index_of(dev, me);
    if (c <= race->grid_known[u])
        return true;
    if (c >= race->born[u]) {
        const nf__emu_thread *other = &dev->threads[u];
        if (u == t)
            return true;
        if (other->self.block == me->self.block && c <= race->block_known[u])
            return true;
        if (other->warp == me->warp
            && (c <= race->warp_known[u] || c <= race->lane_known[t * NF_EMU_LANES + other->lane]))
            return true;
    }
    const uint32_t slot = me->self.block->slot;
    if (race->has_block_vector[slot] && c <= race->block_vector[(size_t)slot * race->n + u])
        return true;
    return race->has_acquired[t] && c <= race->acquired[(size_t)t * race->n + u];
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static void forget_words(nf__race *race)
{
    memset(race->has_block_vector, 0, race->n * sizeof *race->has_block_vector);
    if (!race->fenced && race->word_epoch > 0)
        return;
    race->fenced = false;
    race->word_epoch++;
    race->word_count = 0;
    race->free_snapshot_count = 0;
    for (uint32_t s = NF_RACE_SNAPSHOTS; s > 0; s--)
        race->free_snapshots[race->free_snapshot_count++] = s - 1;
    memset(race->references, 0, NF_RACE_SNAPSHOTS * sizeof *race->references);
    memset(race->released, 0, race->n * sizeof *race->released);
    memset(race->pending_from, 0, race->n * sizeof *race->pending_from);
    memset(race->has_acquired, 0, race->n * sizeof *race->has_acquired);
    memset(race->has_pending, 0, race->n * sizeof *race->has_pending);
}

/* Everything so far comes before everything from now on. */
static void order_all(nf__race *race)
{
    for (uint32_t u = 0; u < race->n; u++)
        race->grid_known[u] = race->clock[u]++;
    forget_words(race);
}

void nf__race_grid(nf__emu *dev)
{
    nf__race *race = dev->race;
    order_all(race);
    memcpy(race->begun, race->clock, race->n * sizeof *race->begun);
}

void nf__race_block(nf__emu *dev, const nf__emu_block *block)
{
    nf__race *race = dev->race;
    const uint32_t first = index_of(dev, block->threads);
    race->has_block_vector[block->slot] = false;
    for (uint32_t u = first; u < first + dev->grid.threads; u++) {
        race->block_known[u] = race->warp_known[u] = 0;
        race->born[u] = ++race->clock[u];
        race->has_acquired[u] = race->has_pending[u] = false;
        race->released[u] = race->pending_from[u] = 0;
    }
}

/* What threads of the block acquired by themselves is known to all of it from now on. */
static void share_acquired(nf__emu *dev, const nf__emu_block *block)
{
    nf__race *race = dev->race;
    const uint32_t first = index_of(dev, block->threads);
    for (uint32_t u = first; u < first + dev->grid.threads; u++) {
        if (!race->has_acquired[u])
            continue;
        join_into(vector(race->block_vector, race, block->slot), &race->has_block_vector[block->slot],
                  vector(race->acquired, race, u), race->n);
        race->has_acquired[u] = false;
    }
}

static void block_barrier(nf__emu *dev, const nf__emu_block *block)
{
    nf__race *race = dev->race;
    const uint32_t first = index_of(dev, block->threads);
    share_acquired(dev, block);
    for (uint32_t u = first; u < first + dev->grid.threads; u++)
        race->block_known[u] = race->clock[u]++;
}

/* All blocks of the cluster know what any of them knew, and each other's clocks. */
static void cluster_barrier(nf__emu *dev, const nf__emu_block *one)
{
    nf__race *race = dev->race;
    const uint64_t cluster = one->index / dev->grid.cluster;
    uint32_t *all = vector(race->block_vector, race, race->n); /* the spare one */
    memcpy(all, race->grid_known, race->n * sizeof *all);
    for (unsigned s = 0; s < dev->grid.slots; s++) {
        const nf__emu_block *block = &dev->blocks[s];
        const uint32_t first = index_of(dev, block->threads);
        if (block->index / dev->grid.cluster != cluster)
            continue;
        block_barrier(dev, block);
        for (uint32_t u = first; u < first + dev->grid.threads; u++)
            all[u] = race->block_known[u];
        if (race->has_block_vector[s])
            join(all, vector(race->block_vector, race, s), race->n);
    }
    for (unsigned s = 0; s < dev->grid.slots; s++) {
        if (dev->blocks[s].index / dev->grid.cluster != cluster)
            continue;
        memcpy(vector(race->block_vector, race, s), all, race->n * sizeof *all);
        race->has_block_vector[s] = true;
    }
}

void nf__race_barrier(nf__emu *dev, const nf__emu_thread *me, unsigned scope)
{
    if (scope == NF_EMU_GRID)
        order_all(dev->race);
    else if (scope == NF_EMU_CLUSTER)
        cluster_barrier(dev, me->self.block);
    else
        block_barrier(dev, me->self.block);
}

/* What lanes of the mask acquired by themselves, to all of them. */
static void share_in_warp(nf__race *race, uint32_t first, unsigned mask)
{
    uint32_t *all = vector(race->block_vector, race, race->n);
    bool any = false;
    for (uint32_t lane = 0; lane < NF_EMU_LANES; lane++)
        if (((mask >> lane) & 1u) != 0 && race->has_acquired[first + lane])
            join_into(all, &any, vector(race->acquired, race, first + lane), race->n);
    for (uint32_t lane = 0; any && lane < NF_EMU_LANES; lane++)
        if (((mask >> lane) & 1u) != 0)
            join_into(vector(race->acquired, race, first + lane), &race->has_acquired[first + lane], all, race->n);
}

void nf__race_warp(nf__emu *dev, const nf__emu_warp_state *warp, unsigned mask)
{
    nf__race *race = dev->race;
    const uint32_t first = index_of(dev, warp->threads);
    share_in_warp(race, first, mask);
    if (mask == ~0u) {
        for (uint32_t lane = 0; lane < NF_EMU_LANES; lane++)
            race->warp_known[first + lane] = race->clock[first + lane]++;
        return;
    }
    uint32_t known[NF_EMU_LANES] = {0};
    for (uint32_t lane = 0; lane < NF_EMU_LANES; lane++) {
        if (((mask >> lane) & 1u) == 0)
            continue;
        join(known, &race->lane_known[(first + lane) * NF_EMU_LANES], NF_EMU_LANES);
        known[lane] = race->clock[first + lane]++;
    }
    for (uint32_t lane = 0; lane < NF_EMU_LANES; lane++)
        if (((mask >> lane) & 1u) != 0)
            memcpy(&race->lane_known[(first + lane) * NF_EMU_LANES], known, sizeof known);
}

/* ---- fences ------------------------------------------------------------------------------------------------------ */

/* All that the thread knows, itself included. */
static void write_known(const nf__emu *dev, const nf__emu_thread *me, uint32_t *out)
{
    const nf__race *race = dev->race;
    const uint32_t t = index_of(dev, me), slot = me->self.block->slot;
    const uint32_t first = index_of(dev, me->self.block->threads), warp = t - me->lane;
    memcpy(out, race->grid_known, race->n * sizeof *out);
    if (race->has_block_vector[slot])
        join(out, vector(race->block_vector, race, slot), race->n);
    if (race->has_acquired[t])
        join(out, vector(race->acquired, race, t), race->n);
    join(out + first, race->block_known + first, dev->grid.threads);
    for (uint32_t lane = 0; lane < NF_EMU_LANES; lane++) {
        const uint32_t u = warp + lane, known = race->lane_known[t * NF_EMU_LANES + lane];
        out[u] = race->warp_known[u] > out[u] ? race->warp_known[u] : out[u];
        out[u] = known > out[u] ? known : out[u];
    }
    out[t] = race->clock[t];
}

static void let_go(nf__race *race, uint32_t snapshot)
{
    if (--race->references[snapshot] == 0)
        race->free_snapshots[race->free_snapshot_count++] = snapshot;
}

/* A free snapshot, with one reference and a serial number of its own: what was there before is not mistaken for it. */
static uint32_t new_snapshot(nf__race *race)
{
    const uint32_t s = race->free_snapshots[--race->free_snapshot_count];
    race->references[s] = 1;
    race->serial[s] = ++race->serials;
    return s;
}

/* A snapshot of what the thread knows; I4 when there is none left. */
static uint32_t take_snapshot(nf__emu *dev, const nf__emu_thread *me, unsigned scope)
{
    nf__race *race = dev->race;
    if (race->free_snapshot_count == 0)
        order_all(race);
    const uint32_t s = new_snapshot(race);
    race->fenced = true;
    race->snapshot_block[s] = scope == NF_EMU_BLOCK ? me->self.block->slot + 1 : 0;
    write_known(dev, me, vector(race->snapshots, race, s));
    return s;
}

static void acquire_pending(nf__race *race, uint32_t t)
{
    if (!race->has_pending[t])
        return;
    join_into(vector(race->acquired, race, t), &race->has_acquired[t], vector(race->pending, race, t), race->n);
    race->has_pending[t] = false;
    race->pending_from[t] = 0;
}

void nf__race_fence(nf__emu *dev, const nf__emu_thread *me, unsigned scope)
{
    nf__race *race = dev->race;
    const uint32_t t = index_of(dev, me);
    acquire_pending(race, t);
    if (race->released[t] != 0)
        let_go(race, race->released[t] - 1);
    race->released[t] = 0;
    race->released[t] = take_snapshot(dev, me, scope) + 1;
    race->clock[t]++;
}

/* ---- atomics as carriers ----------------------------------------------------------------------------------------- */

/* The entry of an address; with `make`, an empty one where there is none. NULL: none. */
static nf__race_word *find_word(nf__race *race, const void *address, bool make)
{
    size_t i = (size_t)(((uintptr_t)address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % NF_RACE_WORDS;
    for (;; i = (i + 1) % NF_RACE_WORDS) {
        nf__race_word *word = &race->words[i];
        if (word->epoch != race->word_epoch) {
            if (!make)
                return NULL;
            race->word_count++;
            word->epoch = race->word_epoch;
            word->address = address;
            word->snapshot = UINT32_MAX;
            return word;
        }
        if (word->address == address)
            return word;
    }
}

static void read_word(nf__emu *dev, const nf__emu_thread *me, const void *p, bool acquires)
{
    nf__race *race = dev->race;
    const uint32_t t = index_of(dev, me);
    const nf__race_word *word = race->word_count > 0 ? find_word(race, p, false) : NULL;
    if (word == NULL || word->snapshot == UINT32_MAX)
        return;
    const uint32_t s = word->snapshot, block = race->snapshot_block[s];
    if (block != 0 && block != me->self.block->slot + 1)
        return;
    if (race->pending_from[t] != race->serial[s])
        join_into(vector(race->pending, race, t), &race->has_pending[t], vector(race->snapshots, race, s), race->n);
    race->pending_from[t] = race->serial[s];
    if (acquires)
        acquire_pending(race, t);
}

/* A write leaves the writer's snapshot, or nothing when it has made no fence; an atomic that reads first also keeps
 * what was there (a release sequence). */
static void write_word(nf__emu *dev, const nf__emu_thread *me, const void *p, bool keeps, bool releases)
{
    nf__race *race = dev->race;
    const uint32_t t = index_of(dev, me);
    if (race->word_count > NF_RACE_WORDS / 2 || race->free_snapshot_count < 2)
        order_all(race);
    if (releases)
        nf__race_fence(dev, me, NF_EMU_GRID);
    const uint32_t mine = race->released[t];
    if (mine == 0 && (keeps || race->word_count == 0))
        return;
    nf__race_word *word = find_word(race, p, mine != 0);
    if (word == NULL || word->snapshot == mine - 1)
        return;
    const uint32_t before = word->snapshot;
    word->snapshot = mine - 1; /* UINT32_MAX when there is none */
    if (mine != 0)
        race->references[mine - 1]++;
    if (before == UINT32_MAX)
        return;
    if (keeps) {
        const bool same = race->snapshot_block[before] == race->snapshot_block[mine - 1];
        const uint32_t both = new_snapshot(race);
        uint32_t *to = vector(race->snapshots, race, both);
        memcpy(to, vector(race->snapshots, race, before), race->n * sizeof *to);
        join(to, vector(race->snapshots, race, mine - 1), race->n);
        race->snapshot_block[both] = same ? race->snapshot_block[before] : 0;
        let_go(race, mine - 1);
        word->snapshot = both;
    }
    let_go(race, before);
}

void nf__race_carry(nf__emu *dev, const void *p, bool reads, bool writes, enum nf__emu_order order)
{
    const nf__emu_thread *me = nf__emu_me();
    if (reads)
        read_word(dev, me, p, order == NF_EMU_ACQUIRE);
    if (writes)
        write_word(dev, me, p, reads, order == NF_EMU_RELEASE);
}
