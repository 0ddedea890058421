/* emu_fault.c - what was wrong, in words: which kernel, block, warp, lane and line, and who waits where.
 *
 * I1 the first fault of a kernel is the one reported; it is sticky until the device is reset;
 * I2 a thread that faults never runs again, and no other thread of its grid does.
 */
#include "simt/emu_impl.h"

#include <stdio.h>

/* Groups of waiting threads a deadlock names before it says "and others". */
#define GROUPS_NAMED 6

void nf__emu_place(const nf__emu_thread *thread, char *text, size_t capacity)
{
    const nf__emu_self *self = &thread->self;
    (void)snprintf(text, capacity, "block (%u,%u,%u) warp %u lane %u", self->block_index.x, self->block_index.y,
                   self->block_index.z, self->linear / NF_EMU_LANES, thread->lane);
}

static void say(nf__emu *dev, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say_list(nf__emu *dev, const char *format, va_list list)
{
    const size_t used = strlen(dev->text);
    (void)vsnprintf(dev->text + used, sizeof dev->text - used, format, list);
}

static void say(nf__emu *dev, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(dev, format, list);
    va_end(list);
}

/* The first word of a fault: kernel and shape. */
static void open_text(nf__emu *dev, cudaError_t error)
{
    const nf__emu_launch_spec *spec = &dev->grid.op->launch;
    dev->text[0] = '\0';
    say(dev, "kernel %s, grid (%u,%u,%u) of blocks (%u,%u,%u): ", spec->name, spec->grid.x, spec->grid.y, spec->grid.z,
        spec->block.x, spec->block.y, spec->block.z);
    dev->faulted = true;
    dev->sticky = error;
}

const char *nf__emu_short_path(const char *path)
{
    const char *last = path, *before = path;
    for (const char *at = path; *at != '\0'; at++) {
        if (*at == '/') {
            before = last;
            last = at + 1;
        }
    }
    return before;
}

static void say_site(nf__emu *dev, const nf__emu_site *site)
{
    if (site != NULL)
        say(dev, " at %s:%d in %s", nf__emu_short_path(site->file), site->line, site->function);
}

void nf__emu_record_fault(nf__emu *dev, cudaError_t error, const nf__emu_thread *thread, const nf__emu_site *site,
                          const char *format, ...)
{
    char where[128];
    va_list list;
    if (dev->faulted)
        return;
    open_text(dev, error);
    nf__emu_place(thread, where, sizeof where);
    say(dev, "%s", where);
    say_site(dev, site);
    say(dev, ": ");
    va_start(list, format);
    say_list(dev, format, list);
    va_end(list);
}

void nf__emu_fault(nf__emu *dev, cudaError_t error, const nf__emu_site *site, const char *format, ...)
{
    nf__emu_thread *me = nf__emu_me();
    char where[128];
    va_list list;
    if (!dev->faulted) {
        open_text(dev, error);
        nf__emu_place(me, where, sizeof where);
        say(dev, "%s", where);
        say_site(dev, site);
        say(dev, ": ");
        va_start(list, format);
        say_list(dev, format, list);
        va_end(list);
    }
    nf__emu_hop(dev, me, NULL, true);
    __builtin_unreachable();
}

static bool waits(const nf__emu_thread *thread)
{
    return thread->state == NF_EMU_THREAD_AT_WARP || thread->state == NF_EMU_THREAD_AT_BARRIER;
}

/* Lanes of a warp that wait at the same place as `lane`. */
static unsigned alike(const nf__emu_warp_state *warp, unsigned lane)
{
    const nf__emu_thread *one = &warp->threads[lane];
    unsigned out = 0;
    for (unsigned k = 0; k < NF_EMU_LANES; k++) {
        const nf__emu_thread *other = &warp->threads[k];
        if (((warp->present >> k) & 1u) != 0 && other->state == one->state && other->site == one->site
            && (one->state != NF_EMU_THREAD_AT_WARP || warp->mask[k] == warp->mask[lane]))
            out |= 1u << k;
    }
    return out;
}

static void say_group(nf__emu *dev, const nf__emu_thread *one, unsigned lanes)
{
    const nf__emu_warp_state *warp = one->warp;
    char where[128];
    nf__emu_place(one, where, sizeof where);
    say(dev, "%s (lanes 0x%08x) waits in ", where, lanes);
    if (one->state == NF_EMU_THREAD_AT_WARP)
        say(dev, "%s with mask 0x%08x", nf__emu_warp_op_name(warp->op[one->lane]), warp->mask[one->lane]);
    else
        say(dev, "%s", nf__emu_scope_name(one->scope));
    say_site(dev, one->site);
}

void nf__emu_record_deadlock(nf__emu *dev)
{
    unsigned named = 0;
    if (dev->faulted)
        return;
    open_text(dev, cudaErrorLaunchTimeout);
    say(dev, "deadlock: no thread can run");
    for (unsigned w = 0; w < dev->grid.slots * dev->grid.warps; w++) {
        const nf__emu_warp_state *warp = &dev->warps[w];
        unsigned told = 0;
        for (unsigned lane = 0; lane < NF_EMU_LANES; lane++) {
            if (((warp->present >> lane) & 1u) == 0 || ((told >> lane) & 1u) != 0 || !waits(&warp->threads[lane]))
                continue;
            const unsigned group = alike(warp, lane);
            told |= group;
            if (++named <= GROUPS_NAMED) {
                say(dev, "; ");
                say_group(dev, &warp->threads[lane], group);
            }
        }
    }
    if (named > GROUPS_NAMED)
        say(dev, "; and %u other groups", named - GROUPS_NAMED);
}

void nf__emu_record_overrun(nf__emu *dev, const void *p, uint64_t bytes)
{
    dev->text[0] = '\0';
    dev->sticky = cudaErrorIllegalAddress;
    say(dev, "device memory written behind the allocation of %llu bytes at %p (found when it was freed)",
        (unsigned long long)bytes, p);
}
