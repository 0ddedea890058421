/* emu_access.c - memory as a kernel's threads use it by name: atomics, relaxed accesses, fences, cp.async, and the
 * shared memory of a block.
 *
 * Atomics and relaxed accesses are points where another thread may run (the setting `preempt`). One host thread runs
 * all threads of a device, so an atomic is atomic by itself; memory that other host threads see (pinned) is accessed
 * with the compiler's atomic loads and stores.
 *
 * Shared memory of a block: the dynamic part first, then each static array in the order in which threads of the grid
 * first name them, the same offset in every block; behind each part a gap of canary bytes.
 *   I1 a block's shared memory is 0xCD when it starts;
 *   I2 a canary that has changed when the block ends is an error; under ASan the gaps are poisoned as well;
 *   I3 cp.async takes effect at the wait, so data used before the wait is still 0xCD.
 */
#include "simt/emu_impl.h"

#define FRESH 0xCD
#define CANARY 0xA7

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

static void check_aligned(nf__emu *dev, const nf__emu_site *site, const void *p, size_t size)
{
    if (((uintptr_t)p & (size - 1)) != 0 || p == NULL)
        nf__emu_fault(dev, cudaErrorIllegalAddress, site, "an access of %zu bytes at the address %p", size, p);
}

static uint64_t apply_unsigned(enum nf__emu_atomic_op op, uint64_t old, uint64_t a, uint64_t b)
{
    switch (op) {
    case NF_EMU_ADD: return old + a;
    case NF_EMU_SUB: return old - a;
    case NF_EMU_MIN: return a < old ? a : old;
    case NF_EMU_MAX: return a > old ? a : old;
    case NF_EMU_BIT_OR: return old | a;
    case NF_EMU_BIT_AND: return old & a;
    case NF_EMU_BIT_XOR: return old ^ a;
    case NF_EMU_EXCH: return a;
    case NF_EMU_CAS: return old == a ? b : old;
    case NF_EMU_INC: return old >= a ? 0 : old + 1;
    default: return old == 0 || old > a ? a : old - 1;
    }
}

static uint64_t apply_float(enum nf__emu_atomic_op op, enum nf__emu_number number, uint64_t old, uint64_t a, uint64_t b)
{
    if (op == NF_EMU_EXCH || op == NF_EMU_CAS)
        return apply_unsigned(op, old, a, b);
    uint64_t out = 0;
    if (number == NF_EMU_F32) {
        float x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &a, sizeof y);
        x = op == NF_EMU_SUB ? x - y : x + y;
        memcpy(&out, &x, sizeof x);
    } else {
        double x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &a, sizeof y);
        x = op == NF_EMU_SUB ? x - y : x + y;
        memcpy(&out, &x, sizeof x);
    }
    return out;
}

static uint64_t apply(enum nf__emu_atomic_op op, enum nf__emu_number number, uint64_t old, uint64_t a, uint64_t b)
{
    const bool picks = op == NF_EMU_MIN || op == NF_EMU_MAX;
    switch (number) {
    case NF_EMU_F32:
    case NF_EMU_F64: return apply_float(op, number, old, a, b);
    case NF_EMU_I32:
        if (picks)
            return ((int32_t)a < (int32_t)old) == (op == NF_EMU_MIN) ? a : old;
        return apply_unsigned(op, old, a, b);
    case NF_EMU_I64:
        if (picks)
            return ((int64_t)a < (int64_t)old) == (op == NF_EMU_MIN) ? a : old;
        return apply_unsigned(op, old, a, b);
    default: return apply_unsigned(op, old, a, b);
    }
}

uint64_t nf__emu_atomic(const nf__emu_site *site, void *p, enum nf__emu_atomic_op op, enum nf__emu_number number,
                        uint64_t a, uint64_t b)
{
    nf__emu *dev = nf__emu_now.device;
    const bool wide = number == NF_EMU_U64 || number == NF_EMU_I64 || number == NF_EMU_F64;
    nf__emu_point(dev, nf__emu_me(), site);
    check_aligned(dev, site, p, wide ? 8 : 4);
    dev->count.atomics++;
    nf__race_atomic(dev, p, wide ? 8 : 4, true, true, NF_EMU_RELAXED, __builtin_return_address(0));
    const uint64_t old =
        wide ? __atomic_load_n((uint64_t *)p, __ATOMIC_RELAXED) : __atomic_load_n((uint32_t *)p, __ATOMIC_RELAXED);
    uint64_t new = apply(op, number, old, a, b);
    if (wide)
        __atomic_store_n((uint64_t *)p, new, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint32_t *)p, (uint32_t) new, __ATOMIC_RELAXED);
    if (new != old)
        dev->idle = dev->alone = 0;
    return old;
}

/* ---- intended races ---------------------------------------------------------------------------------------------- */

uint64_t nf__emu_load(const nf__emu_site *site, const void *p, size_t size, enum nf__emu_order order)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_point(dev, nf__emu_me(), site);
    check_aligned(dev, site, p, size);
    dev->count.relaxed++;
    nf__race_atomic(dev, p, size, true, false, order, __builtin_return_address(0));
    switch (size) {
    case 1: return __atomic_load_n((const uint8_t *)p, __ATOMIC_ACQUIRE);
    case 2: return __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4: return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
    default: return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
    }
}

void nf__emu_store(const nf__emu_site *site, void *p, size_t size, enum nf__emu_order order, uint64_t value)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_point(dev, nf__emu_me(), site);
    check_aligned(dev, site, p, size);
    dev->count.relaxed++;
    nf__race_atomic(dev, p, size, false, true, order, __builtin_return_address(0));
    dev->idle = dev->alone = 0;
    switch (size) {
    case 1: __atomic_store_n((uint8_t *)p, (uint8_t)value, __ATOMIC_RELEASE); break;
    case 2: __atomic_store_n((uint16_t *)p, (uint16_t)value, __ATOMIC_RELEASE); break;
    case 4: __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_RELEASE); break;
    default: __atomic_store_n((uint64_t *)p, value, __ATOMIC_RELEASE); break;
    }
}

void nf__emu_fence(const nf__emu_site *site, enum nf__emu_scope scope)
{
    nf__emu_me()->site = site;
    nf__emu_now.device->count.fences++;
    nf__race_fence(nf__emu_now.device, nf__emu_me(), scope);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void nf__emu_misaligned(const nf__emu_site *site, const void *p, size_t size)
{
    nf__emu_fault(nf__emu_now.device, cudaErrorIllegalAddress, site, "a load of %zu bytes at the unaligned address %p",
                  size, p);
}

void nf__emu_assert(const nf__emu_site *site, const char *condition)
{
    nf__emu_fault(nf__emu_now.device, cudaErrorAssert, site, "assertion failed: %s", condition);
}

uint64_t nf__emu_clock(void)
{
    return (uint64_t)(nf__emu_seconds() * 1e9);
}

/* ---- cp.async ---------------------------------------------------------------------------------------------------- */

static nf__emu_async_copy *copies_of(nf__emu *dev, const nf__emu_thread *me)
{
    return &dev->copies[(size_t)(me - dev->threads) * NF_EMU_COPIES];
}

/* Carries out the copies of groups before `group`; keeps the rest in order. */
static void perform_copies(nf__emu *dev, nf__emu_thread *me, unsigned group)
{
    nf__emu_async_copy *copies = copies_of(dev, me);
    uint8_t kept = 0;
    for (unsigned i = 0; i < me->copies; i++) {
        if (copies[i].group >= group) {
            copies[kept++] = copies[i];
            continue;
        }
        nf__race_plain(dev, copies[i].from, 16, false, __builtin_return_address(0));
        nf__race_plain(dev, copies[i].to, 16, true, __builtin_return_address(0));
        memcpy(copies[i].to, copies[i].from, 16);
    }
    me->copies = kept;
}

void nf__emu_copy16(const nf__emu_site *site, void *shared, const void *global)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    me->site = site;
    check_aligned(dev, site, shared, 16);
    check_aligned(dev, site, global, 16);
    if (me->copies == NF_EMU_COPIES)
        perform_copies(dev, me, me->groups + 1u);
    nf__emu_async_copy *copy = &copies_of(dev, me)[me->copies++];
    copy->to = shared;
    copy->from = global;
    copy->group = me->groups;
}

void nf__emu_copy_commit(void)
{
    nf__emu_me()->groups++;
}

void nf__emu_copy_wait(int groups_left)
{
    nf__emu_thread *me = nf__emu_me();
    if (me->groups > groups_left)
        perform_copies(nf__emu_now.device, me, (unsigned)(me->groups - groups_left));
    if (me->copies == 0)
        me->groups = 0;
}

/* ---- gates ------------------------------------------------------------------------------------------------------- */

/* A word of a gate is what its threads meet at: its first. */
static void touch_gate(nf__emu *dev, const nf__emu_site *site, simt_gate *gate, bool writes)
{
    nf__emu_point(dev, nf__emu_me(), site);
    check_aligned(dev, site, gate, 8);
    nf__race_atomic(dev, gate, sizeof gate->turns, !writes, writes, writes ? NF_EMU_RELEASE : NF_EMU_ACQUIRE,
                    __builtin_return_address(0));
}

void nf__emu_gate_open(const nf__emu_site *site, simt_gate *gate)
{
    nf__emu *dev = nf__emu_now.device;
    touch_gate(dev, site, gate, true);
    memset(gate, 0, sizeof *gate);
}

void nf__emu_gate_expect(const nf__emu_site *site, simt_gate *gate, uint32_t bytes)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_me()->site = site;
    if (gate->many != 0 || gate->expected != 0)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site, "a turn of a gate begins before the last one is over");
    gate->expected = bytes;
}

/* All copies of the turn. */
static void end_turn(nf__emu *dev, const nf__emu_site *site, simt_gate *gate)
{
    for (uint32_t i = 0; i < gate->many; i++) {
        nf__race_plain(dev, gate->copies[i].from, gate->copies[i].bytes, false, __builtin_return_address(0));
        nf__race_plain(dev, gate->copies[i].to, gate->copies[i].bytes, true, __builtin_return_address(0));
        memcpy(gate->copies[i].to, gate->copies[i].from, gate->copies[i].bytes);
    }
    gate->many = gate->expected = gate->sent = 0;
    touch_gate(dev, site, gate, true);
    gate->turns++;
    dev->idle = dev->alone = 0;
}

void nf__emu_copy_bulk(const nf__emu_site *site, void *shared, const void *global, uint32_t bytes, simt_gate *gate)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_me()->site = site;
    check_aligned(dev, site, shared, 16);
    check_aligned(dev, site, global, 16);
    if (bytes % 16 != 0 || bytes > gate->expected - gate->sent || gate->many == SIMT_GATE_COPIES)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site, "%u bytes through a gate that expects %u of %u more", bytes,
                      gate->expected - gate->sent, gate->expected);
    gate->copies[gate->many].to = shared;
    gate->copies[gate->many].from = global;
    gate->copies[gate->many++].bytes = bytes;
    gate->sent += bytes;
    if (gate->sent == gate->expected && gate->turns % 2 == 1)
        end_turn(dev, site, gate);
}

bool nf__emu_gate_passed(const nf__emu_site *site, simt_gate *gate, uint32_t turn)
{
    nf__emu *dev = nf__emu_now.device;
    if (gate->turns == turn && gate->expected != 0 && gate->sent == gate->expected)
        end_turn(dev, site, gate);
    touch_gate(dev, site, gate, false);
    if (gate->turns > turn + 1)
        nf__emu_fault(dev, cudaErrorLaunchFailure, site, "a wait for turn %u of a gate that has had %u", turn,
                      gate->turns);
    return gate->turns > turn;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static void lay_gap(char *gap)
{
    memset(gap, CANARY, NF_EMU_SHARED_GAP);
    NF_EMU_POISON(gap, NF_EMU_SHARED_GAP);
}

static void lay_array(char *slot, const nf__emu_array *array)
{
    NF_EMU_UNPOISON(slot + array->offset, array->bytes + NF_EMU_SHARED_GAP);
    memset(slot + array->offset, FRESH, array->bytes);
    lay_gap(slot + array->offset + array->bytes);
}

/* Lays the slot out as far as the grid knows its arrays. The gap behind the dynamic part begins where that ends. */
void nf__emu_shared_begin(nf__emu *dev, nf__emu_block *block)
{
    const nf__emu_grid *grid = &dev->grid;
    NF_EMU_UNPOISON(block->shared, grid->shared_used);
    memset(block->shared, FRESH, grid->dynamic);
    lay_gap(block->shared + grid->dynamic);
    for (unsigned i = 0; i < grid->array_count; i++)
        lay_array(block->shared, &grid->arrays[i]);
}

static bool gap_is_whole(const char *gap)
{
    NF_EMU_UNPOISON(gap, NF_EMU_SHARED_GAP);
    for (int i = 0; i < NF_EMU_SHARED_GAP; i++)
        if ((unsigned char)gap[i] != CANARY)
            return false;
    return true;
}

void nf__emu_shared_end(nf__emu *dev, nf__emu_block *block)
{
    const nf__emu_grid *grid = &dev->grid;
    if (!gap_is_whole(block->shared + grid->dynamic))
        nf__emu_fault(dev, cudaErrorIllegalAddress, grid->op->launch.site,
                      "shared memory written behind the %zu dynamic bytes of the launch", grid->dynamic);
    for (unsigned i = 0; i < grid->array_count; i++) {
        const nf__emu_array *array = &grid->arrays[i];
        if (!gap_is_whole(block->shared + array->offset + array->bytes))
            nf__emu_fault(dev, cudaErrorIllegalAddress, array->site,
                          "shared memory written behind the array of %zu bytes declared here", array->bytes);
    }
}

static const nf__emu_array *add_array(nf__emu *dev, const nf__emu_site *site, size_t bytes, size_t alignment)
{
    nf__emu_grid *grid = &dev->grid;
    const size_t step = alignment > 16 ? alignment : 16;
    grid->static_bytes += bytes;
    if (grid->static_bytes > NF_EMU_SHARED_STATIC)
        nf__emu_fault(dev, cudaErrorLaunchOutOfResources, site, "%zu bytes of static shared memory; a block has %d",
                      grid->static_bytes, NF_EMU_SHARED_STATIC);
    if (grid->static_bytes + grid->dynamic > NF_EMU_SHARED_OPTIN || grid->array_count == NF_EMU_SHARED_ARRAYS)
        nf__emu_fault(dev, cudaErrorLaunchOutOfResources, site,
                      "%zu bytes of shared memory in %u arrays, with the dynamic part; a block has %d in at most %d",
                      grid->static_bytes + grid->dynamic, grid->array_count + 1, NF_EMU_SHARED_OPTIN,
                      NF_EMU_SHARED_ARRAYS);
    nf__emu_array *array = &grid->arrays[grid->array_count++];
    array->site = site;
    array->offset = (grid->shared_used + step - 1) / step * step;
    array->bytes = bytes;
    grid->shared_used = array->offset + bytes + NF_EMU_SHARED_GAP;
    for (unsigned s = 0; s < grid->slots; s++)
        lay_array(dev->blocks[s].shared, array);
    return array;
}

void *nf__emu_shared(const nf__emu_site *site, size_t bytes, size_t alignment)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    const nf__emu_grid *grid = &dev->grid;
    for (unsigned i = 0; i < grid->array_count; i++)
        if (grid->arrays[i].site == site)
            return me->self.block->shared + grid->arrays[i].offset;
    me->site = site;
    return me->self.block->shared + add_array(dev, site, bytes, alignment)->offset;
}

unsigned nf__emu_cluster_size(void)
{
    return nf__emu_now.device->grid.cluster;
}

void *nf__emu_cluster_at(const nf__emu_site *site, void *mine, unsigned rank)
{
    nf__emu *dev = nf__emu_now.device;
    nf__emu_thread *me = nf__emu_me();
    const nf__emu_block *block = me->self.block;
    const ptrdiff_t offset = (char *)mine - block->shared;
    me->site = site;
    if (offset < 0 || offset >= NF_EMU_SHARED_SLOT)
        nf__emu_fault(dev, cudaErrorIllegalAddress, site, "simt_cluster_at of an address outside shared memory");
    if (rank >= dev->grid.cluster)
        nf__emu_fault(dev, cudaErrorIllegalAddress, site, "simt_cluster_at of block %u in a cluster of %u", rank,
                      dev->grid.cluster);
    const uint64_t wanted = block->index - block->index % dev->grid.cluster + rank;
    for (unsigned s = 0; s < dev->grid.slots; s++)
        if (dev->blocks[s].index == wanted && dev->blocks[s].live > 0)
            return dev->blocks[s].shared + offset;
    nf__emu_fault(dev, cudaErrorIllegalAddress, site, "simt_cluster_at of block %u of the cluster, which has ended",
                  rank);
}
