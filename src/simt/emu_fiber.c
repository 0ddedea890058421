/* emu_fiber.c - stacks and the switch between them.
 *
 * A switch saves the registers a called function must keep (x86-64: six and the stack pointer; AArch64: twenty and the
 * stack pointer) and nothing else: no signal mask, no system call, 5 to 10 ns. Elsewhere, and with NF_EMU_UCONTEXT,
 * ucontext does it, slowly.
 *
 * I1 each stack has an inaccessible page below it;
 * I2 tops of stacks differ modulo 4096 (colouring): else the frames of all threads fall into the same sets of the L1
 *    cache, which measured 1.6 times slower;
 * I3 ASan is told of every switch; nf__emu_hop, which may never return, keeps nothing on its stack that ASan guards.
 * Memory: 64 KB of address space (256 KB under ASan) a resident thread; a thread touches one or two pages of it.
 */
#include "simt/emu_impl.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if NF_EMU_ASAN
#include <sanitizer/common_interface_defs.h>
#define NF_EMU_STACK (256 * 1024)
#else
#define NF_EMU_STACK (64 * 1024)
#endif
#define NF_EMU_GUARD 4096
#define NF_EMU_COLOUR 320

#if defined(NF_EMU_UCONTEXT)
#include <ucontext.h>
#elif defined(__x86_64__)
#define NF_EMU_SAVED 6
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden nf__emu_switch\n"
        ".globl nf__emu_switch\n"
        ".type nf__emu_switch, @function\n"
        "nf__emu_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size nf__emu_switch, .-nf__emu_switch\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden nf__emu_switch\n"
        ".globl nf__emu_switch\n"
        ".type nf__emu_switch, %function\n"
        "nf__emu_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size nf__emu_switch, .-nf__emu_switch\n");
#else
#define NF_EMU_UCONTEXT 1
#include <ucontext.h>
#endif

#if !defined(NF_EMU_UCONTEXT)
void nf__emu_switch(void **from, void *to);

/* The image of a fiber that is about to run `main` for the first time. */
static void *fresh(char *top, void (*begin)(void))
{
    void **sp = (void **)(void *)top;
#if defined(__x86_64__)
    *--sp = NULL; /* the return address `begin` never uses */
    *--sp = (void *)(uintptr_t)begin;
    for (int i = 0; i < NF_EMU_SAVED; i++)
        *--sp = NULL;
#else
    sp -= 20;
    memset(sp, 0, 160);
    sp[11] = (void *)(uintptr_t)begin; /* x30 */
#endif
    return sp;
}
#else
/* A ucontext lies at the top of its stack; the host's in a page of its own: `from` and `to` point at them. */
static void nf__emu_switch(void **from, void *to)
{
    ucontext_t mine;
    *from = &mine;
    (void)swapcontext(&mine, to);
}

static void *fresh(char *top, void (*begin)(void))
{
    ucontext_t *context = (ucontext_t *)(void *)(top - (sizeof *context + 63) / 64 * 64);
    char *bottom = top - NF_EMU_STACK / 2;
    (void)getcontext(context);
    context->uc_stack.ss_sp = bottom;
    context->uc_stack.ss_size = (size_t)((char *)context - bottom);
    context->uc_link = NULL;
    makecontext(context, begin, 0);
    return context;
}
#endif

void *nf__emu_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void nf__emu_unmap(void *p, size_t bytes)
{
    if (p != NULL)
        (void)munmap(p, bytes);
}

double nf__emu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t stacks_bytes(const nf__emu *dev)
{
    return (size_t)(dev->max_threads + 1) * (NF_EMU_STACK + NF_EMU_GUARD);
}

static char *stack_bottom(const nf__emu *dev, uint32_t stack)
{
    return dev->stacks + (size_t)stack * (NF_EMU_STACK + NF_EMU_GUARD) + NF_EMU_GUARD;
}

bool nf__emu_stacks_map(nf__emu *dev)
{
    dev->stacks = nf__emu_map(stacks_bytes(dev));
    nf__emu_stacks_reset(dev);
    return dev->stacks != NULL;
}

void nf__emu_stacks_unmap(nf__emu *dev)
{
    if (dev->stacks != NULL)
        NF_EMU_UNPOISON(dev->stacks, stacks_bytes(dev));
    nf__emu_unmap(dev->stacks, stacks_bytes(dev));
}

void nf__emu_stacks_reset(nf__emu *dev)
{
    dev->free_count = 0;
    for (uint32_t i = dev->stack_high; i > 0; i--) {
        dev->free_stacks[dev->free_count++] = i - 1;
        NF_EMU_UNPOISON(stack_bottom(dev, i - 1), NF_EMU_STACK);
    }
}

/* I1 holds for a stack from its first use: the page below it goes away then. */
uint32_t nf__emu_stack_take(nf__emu *dev)
{
    if (dev->free_count > 0)
        return dev->free_stacks[--dev->free_count];
    uint32_t stack = dev->stack_high++;
    (void)mprotect(stack_bottom(dev, stack) - NF_EMU_GUARD, NF_EMU_GUARD, PROT_NONE);
    return stack;
}

void nf__emu_stack_give(nf__emu *dev, uint32_t stack)
{
    dev->free_stacks[dev->free_count++] = stack;
}

bool nf__emu_in_guard(const nf__emu *dev, const void *p)
{
    const uintptr_t at = (uintptr_t)p - (uintptr_t)dev->stacks;
    return at < stacks_bytes(dev) && at % (NF_EMU_STACK + NF_EMU_GUARD) < NF_EMU_GUARD;
}

static char *stack_top(const nf__emu *dev, uint32_t stack)
{
    return stack_bottom(dev, stack) + NF_EMU_STACK - (size_t)stack * NF_EMU_COLOUR % 4096 / 16 * 16;
}

static void before_hop(nf__emu *dev, void **fake, const nf__emu_thread *to)
{
#if NF_EMU_ASAN
    if (to != NULL)
        __sanitizer_start_switch_fiber(fake, stack_bottom(dev, to->stack), NF_EMU_STACK);
    else
        __sanitizer_start_switch_fiber(fake, dev->host_bottom, dev->host_size);
#else
    (void)dev, (void)fake, (void)to;
#endif
}

static void after_hop(nf__emu *dev, void *fake)
{
#if NF_EMU_ASAN
    __sanitizer_finish_switch_fiber(fake, &dev->left_bottom, &dev->left_size);
    if (dev->from_host) {
        dev->host_bottom = dev->left_bottom;
        dev->host_size = dev->left_size;
    }
#else
    (void)fake;
#endif
    dev->from_host = false;
}

static void begin_fiber(void)
{
    after_hop(nf__emu_now.device, NULL);
    nf__emu_thread_main();
}

void nf__emu_hop(nf__emu *dev, nf__emu_thread *from, nf__emu_thread *to, bool dying)
{
    void **sp = dying ? &dev->nowhere : from != NULL ? &from->sp : &dev->host_sp;
    void **fake = dying ? NULL : from != NULL ? &from->fake : &dev->host_fake;
    void *target = to != NULL ? to->sp : dev->host_sp;
    if (to != NULL && to->state == NF_EMU_THREAD_NEW)
        target = fresh(stack_top(dev, to->stack), begin_fiber);
    if (to != NULL)
        to->state = NF_EMU_THREAD_RUNNING;
    dev->from_host = from == NULL && !dying;
    dev->count.switches++;
    nf__emu_now.self = to != NULL ? &to->self : NULL;
    before_hop(dev, fake, to);
    nf__emu_switch(sp, target);
    after_hop(dev, fake != NULL ? *fake : NULL);
}
